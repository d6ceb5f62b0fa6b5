/* Simulated time: what profiling says of a kernel is its cycles at the machine's clock, and does not depend
 * on the host. */
#include "ocl.h"

static cl_ulong time_of(cl_event e, cl_profiling_info what) {
    cl_ulong t;
    OK(clGetEventProfilingInfo(e, what, sizeof(t), &t, NULL));
    return t;
}

/* A kernel alone, twice the work, the same again */
static void test_kernel_time(void **state) {
    struct ocl *o = *state;
    cl_uint mhz;
    cl_int rc;
    const char *t =
        "kernel void spin(global int *x, int n) { int a = x[0]; for (int i = 0; i < n; i++) a = a * 3 + i; x[0] = a; }";
    cl_ulong ns[3];
    cl_int work[3] = {1000, 2000, 1000};
    for (int i = 0; i < 3; i++) { /* each in a context of its own: cold caches */
        cl_event e;
        cl_context c = clCreateContext(NULL, 1, &o->device, NULL, NULL, &rc);
        cl_command_queue q = clCreateCommandQueue(c, o->device, CL_QUEUE_PROFILING_ENABLE, &rc);
        cl_program p = clCreateProgramWithSource(c, 1, &t, NULL, &rc);
        OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
        cl_kernel k = ocl_kernel(p, "spin");
        cl_mem m = clCreateBuffer(c, 0, 4, NULL, &rc);
        OK(clSetKernelArg(k, 0, sizeof(m), &m));
        OK(clSetKernelArg(k, 1, sizeof(work[i]), &work[i]));
        OK(clEnqueueTask(q, k, 0, NULL, &e));
        OK(clFinish(q));
        ns[i] = time_of(e, CL_PROFILING_COMMAND_END) - time_of(e, CL_PROFILING_COMMAND_START);
        OK(clReleaseEvent(e));
        OK(clReleaseMemObject(m));
        OK(clReleaseKernel(k));
        OK(clReleaseProgram(p));
        OK(clReleaseCommandQueue(q));
        OK(clReleaseContext(c));
    }
    OK(clGetDeviceInfo(o->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof(mhz), &mhz, NULL));
    assert_int_equal(ns[0], ns[2]);
    assert_true(ns[1] > ns[0]);
    /* a thousand dependent steps take several cycles each: the difference is that many at the clock, whatever
     * the rest is */
    assert_true((ns[1] - ns[0]) * mhz / 1000 >= 1000);
    assert_true((ns[1] - ns[0]) * mhz / 1000 <= 1000 * 200);
}

/* Simulated time goes on over queues of a context: nothing starts before what came before it has ended */
static void test_one_clock(void **state) {
    struct ocl *o = *state;
    cl_int rc, x = 0;
    cl_command_queue q = clCreateCommandQueue(o->context, o->device, CL_QUEUE_PROFILING_ENABLE, &rc);
    cl_mem m = ocl_buffer(o, 1 << 16, NULL);
    cl_ulong end = 0;
    for (int i = 0; i < 6; i++) {
        cl_event e;
        OK(clEnqueueFillBuffer(i % 2 ? q : o->queue, m, &x, 4, 0, 1 << 16, 0, NULL, &e));
        cl_ulong queued = time_of(e, CL_PROFILING_COMMAND_QUEUED), submit = time_of(e, CL_PROFILING_COMMAND_SUBMIT),
                 start = time_of(e, CL_PROFILING_COMMAND_START);
        assert_true(queued <= submit && submit <= start && start >= end);
        end = time_of(e, CL_PROFILING_COMMAND_END);
        assert_true(end - start >= (1 << 16) / 8);
        OK(clReleaseEvent(e));
    }
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
}

OCL_TESTS(cmocka_unit_test(test_kernel_time), cmocka_unit_test(test_one_clock))
