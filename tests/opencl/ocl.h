/* What the tests of the OpenCL driver share. They are plain OpenCL programs: everything goes through the
 * loader, as OCL_ICD_VENDORS tells it to (tests/run.sh opencl). */
#ifndef HEDDLE_TESTS_OCL_H
#define HEDDLE_TESTS_OCL_H

#include "tests/opencl/counted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct ocl {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context, other; /* two of them: objects of one are wrong in the other */
    cl_command_queue queue;    /* in order, with profiling */
    cl_event event;            /* of the other context */
};

#define OK(call)           assert_int_equal((call), CL_SUCCESS)
#define WRONG(error, call) assert_int_equal((call), (error))
/* A call that returns an object and is given &rc */
#define WRONG_NEW(error, call)                                                                                                   \
    do {                                                                                                                         \
        rc = CL_SUCCESS;                                                                                                         \
        assert_null(call);                                                                                                       \
        assert_int_equal(rc, (error));                                                                                           \
    } while (0)

static inline int ocl_setup(void **state) {
    struct ocl *o = calloc(1, sizeof(*o));
    cl_int rc;
    OK(clGetPlatformIDs(1, &o->platform, NULL));
    counted_install(o->platform);
    OK(clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_GPU, 1, &o->device, NULL));
    o->context = clCreateContext(NULL, 1, &o->device, NULL, NULL, &rc);
    OK(rc);
    o->other = clCreateContext(NULL, 1, &o->device, NULL, NULL, &rc);
    OK(rc);
    o->queue = clCreateCommandQueue(o->context, o->device, CL_QUEUE_PROFILING_ENABLE, &rc);
    OK(rc);
    o->event = clCreateUserEvent(o->other, &rc);
    OK(rc);
    *state = o;
    return 0;
}

static inline int ocl_teardown(void **state) {
    struct ocl *o = *state;
    OK(clReleaseEvent(o->event));
    OK(clReleaseCommandQueue(o->queue));
    OK(clReleaseContext(o->context));
    OK(clReleaseContext(o->other));
    free(o);
    return 0;
}

static inline cl_program ocl_program(struct ocl *o, const char *text, const char *options) {
    cl_int rc;
    cl_program p = clCreateProgramWithSource(o->context, 1, &text, NULL, &rc);
    OK(rc);
    rc = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    if (rc != CL_SUCCESS) {
        static char log[1 << 20] = "";
        clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
        print_message("%s\n", log);
    }
    OK(rc);
    return p;
}

static inline cl_kernel ocl_kernel(cl_program p, const char *name) {
    cl_int rc;
    cl_kernel k = clCreateKernel(p, name, &rc);
    OK(rc);
    return k;
}

static inline cl_mem ocl_buffer(struct ocl *o, size_t bytes, void *data) {
    cl_int rc;
    cl_mem m = clCreateBuffer(o->context, data ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE, bytes, data, &rc);
    OK(rc);
    return m;
}

#define OCL_TESTS(...)                                                                                                           \
    int main(void) {                                                                                                             \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                                         \
        return cmocka_run_group_tests(tests, ocl_setup, ocl_teardown);                                                           \
    }

#endif
