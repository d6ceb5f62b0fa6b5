/* Kernels that go wrong: the command ends with an error, standard error says where and why, the program goes
 * on and so does the queue. */
#include "ocl.h"

#include <unistd.h>

static const char *const text = "kernel void fine(global int *x) { x[get_global_id(0)] = 9; }\n"  /* 1 */
                                "kernel void wild(global int *x) {\n"                             /* 2 */
                                "    x[get_global_id(0) + (1 << 26)] = 1;\n"                      /* 3 */
                                "}\n"                                                             /* 4 */
                                "kernel void wild_read(global int *x) {\n"                        /* 5 */
                                "    x[0] = *(global int *)(ulong)(get_global_id(0) * 4 + 64);\n" /* 6 */
                                "}\n"                                                             /* 7 */
                                "kernel void crooked(global char *x) {\n"                         /* 8 */
                                "    *(global int *)(x + 1) = 3;\n"                               /* 9 */
                                "}\n"                                                             /* 10 */
                                "kernel void endless(global volatile int *x) {\n"                 /* 11 */
                                "    while (x[0] != 12345)\n"                                     /* 12 */
                                "        x[1] = x[1] + 1;\n"                                      /* 13 */
                                "}\n"                                                             /* 14 */
                                "kernel void stuck(global volatile int *x) {\n"                   /* 15 */
                                "    if (get_local_id(0) < 32)\n"                                 /* 16 */
                                "        barrier(CLK_LOCAL_MEM_FENCE);\n"                         /* 17 */
                                "    else\n"                                                      /* 18 */
                                "        while (x[get_local_id(0)] != 12345)\n"                   /* 19 */
                                "            ;\n"                                                 /* 20 */
                                "    x[0] = 1;\n"                                                 /* 21 */
                                "}\n"                                                             /* 22 */
                                "kernel void too_local(global int *x, local int *l) {\n"          /* 23 */
                                "    l[get_local_id(0) + 100000] = x[0];\n"                       /* 24 */
                                "    barrier(CLK_LOCAL_MEM_FENCE);\n"                             /* 25 */
                                "    x[0] = l[0];\n"                                              /* 26 */
                                "}\n";

/* What standard error got since; at most room - 1 characters */
struct capture {
    FILE *file;
    int keep;
};
static struct capture capture_begin(void) {
    struct capture c = {tmpfile(), dup(2)};
    fflush(stderr);
    dup2(fileno(c.file), 2);
    return c;
}
static void capture_end(struct capture *c, char *to, size_t room) {
    fflush(stderr);
    dup2(c->keep, 2);
    close(c->keep);
    rewind(c->file);
    size_t n = fread(to, 1, room - 1, c->file);
    to[n] = 0;
    fclose(c->file);
}

static char noticed[4096];
static void CL_CALLBACK notice(const char *what, const void *data, size_t bytes, void *user) {
    (void)data, (void)bytes;
    snprintf(noticed, sizeof(noticed), "%s", what);
    ++*(int *)user;
}

struct fault {
    const char *kernel;
    const char *says, *at; /* parts of the diagnosis; `at` may be NULL */
    bool local;            /* has a local argument */
};
static const struct fault faults[] = {
    {"wild", "outside every allocation", "program.cl:3", false},
    {"wild_read", "null pointer", "program.cl:6", false},
    {"crooked", "not a multiple of 4", "program.cl:9", false},
    {"endless", "warp instructions", "program.cl:1", false},
    {"stuck", "fault:", "program.cl:1", false},
    {"too_local", "shared", "program.cl:24", true},
};

static void fault_once(struct ocl *o, cl_context c, cl_program p, const struct fault *f, int *notices) {
    cl_int rc, status, out[64] = {0};
    char said[8192];
    size_t n = 64;
    cl_event e;
    cl_command_queue q = clCreateCommandQueue(c, o->device, 0, &rc);
    cl_mem m = clCreateBuffer(c, CL_MEM_COPY_HOST_PTR, sizeof(out), out, &rc);
    cl_kernel bad = ocl_kernel(p, f->kernel), fine = ocl_kernel(p, "fine");
    int before = *notices;
    OK(clSetKernelArg(bad, 0, sizeof(m), &m));
    OK(clSetKernelArg(fine, 0, sizeof(m), &m));
    if (f->local) OK(clSetKernelArg(bad, 1, 256, NULL));
    print_message("# %s\n", f->kernel);
    struct capture cap = capture_begin();
    rc = clEnqueueNDRangeKernel(q, bad, 1, NULL, &n, &n, 0, NULL, &e);
    cl_int waited = clWaitForEvents(1, &e);
    capture_end(&cap, said, sizeof(said));
    OK(rc);
    WRONG(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, waited);
    if (!strstr(said, f->says) || !strstr(said, f->kernel) || !strstr(said, f->at)) fail_msg("the diagnosis is\n%s", said);
    assert_int_equal(*notices, before + 1); /* the context's callback heard of it too */
    assert_non_null(strstr(noticed, f->kernel));
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    assert_int_equal(status, CL_OUT_OF_RESOURCES);
    WRONG(CL_PROFILING_INFO_NOT_AVAILABLE,
          clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(cl_ulong), &(cl_ulong){0}, NULL));
    /* a program that forgets to look at one result finds out by the next */
    WRONG(CL_OUT_OF_RESOURCES, clFinish(q));
    WRONG(CL_OUT_OF_RESOURCES, clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, out, 0, NULL, NULL));
    /* and a launch that follows, in the same queue, works */
    OK(clEnqueueNDRangeKernel(q, fine, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clFinish(q));
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], 9);
    OK(clReleaseEvent(e));
    OK(clReleaseKernel(bad));
    OK(clReleaseKernel(fine));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
}

static void test_faults(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    int notices = 0;
    const char *t = text;
    cl_context c = clCreateContext(NULL, 1, &o->device, notice, &notices, &rc);
    OK(rc);
    cl_program p = clCreateProgramWithSource(c, 1, &t, NULL, &rc);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) fault_once(o, c, p, &faults[i], &notices);
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

/* Commands of other queues that do not wait for it are as they were; those that do end with an error */
static void test_spread(void **state) {
    struct ocl *o = *state;
    cl_int rc, status, back[64];
    size_t n = 64;
    char said[8192];
    cl_program p = ocl_program(o, text, NULL);
    cl_kernel wild = ocl_kernel(p, "wild"), fine = ocl_kernel(p, "fine");
    cl_command_queue q = clCreateCommandQueue(o->context, o->device, 0, &rc);
    cl_mem m = ocl_buffer(o, sizeof(back), NULL);
    cl_event e, after;
    OK(clSetKernelArg(wild, 0, sizeof(m), &m));
    OK(clSetKernelArg(fine, 0, sizeof(m), &m));
    struct capture cap = capture_begin();
    rc = clEnqueueNDRangeKernel(q, wild, 1, NULL, &n, NULL, 0, NULL, &e);
    capture_end(&cap, said, sizeof(said));
    OK(rc);
    OK(clEnqueueNDRangeKernel(o->queue, fine, 1, NULL, &n, NULL, 1, &e, &after));
    OK(clFinish(o->queue));
    OK(clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    assert_int_equal(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clEnqueueNDRangeKernel(o->queue, fine, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[63], 9);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(after));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(wild));
    OK(clReleaseKernel(fine));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseProgram(p));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults), cmocka_unit_test(test_spread)};
    setenv("HEDDLE_MAX_INSTRUCTIONS", "200000", 1);
    return cmocka_run_group_tests(tests, ocl_setup, ocl_teardown);
}
