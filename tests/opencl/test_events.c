/* Events: order, user events, callbacks, profiling; several threads. */
#include "ocl.h"

#include <pthread.h>

static cl_int status_of(cl_event e) {
    cl_int s;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(s), &s, NULL));
    return s;
}

static void test_user_event(void **state) {
    struct ocl *o = *state;
    cl_int rc, value = 1, back = 0;
    cl_event gate = clCreateUserEvent(o->context, &rc), written, read;
    OK(rc);
    cl_mem m = ocl_buffer(o, 4, NULL);
    assert_int_equal(status_of(gate), CL_SUBMITTED);
    OK(clEnqueueWriteBuffer(o->queue, m, CL_FALSE, 0, 4, &value, 1, &gate, &written));
    OK(clEnqueueReadBuffer(o->queue, m, CL_FALSE, 0, 4, &back, 0, NULL, &read)); /* behind it in order */
    assert_int_equal(status_of(written), CL_QUEUED);
    value = 42; /* the write has not happened yet */
    OK(clFlush(o->queue));
    assert_int_equal(back, 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &read));
    assert_int_equal(back, 42);
    assert_int_equal(status_of(written), CL_COMPLETE);
    WRONG(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE)); /* only once */
    WRONG(CL_INVALID_EVENT, clSetUserEventStatus(written, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(written));
    OK(clReleaseEvent(read));
    WRONG(CL_INVALID_EVENT, clReleaseEvent(read));
    WRONG(CL_INVALID_EVENT, clRetainEvent(read));
    WRONG(CL_INVALID_EVENT, clWaitForEvents(1, &read));
    WRONG(CL_INVALID_VALUE, clWaitForEvents(0, NULL));
    gate = clCreateUserEvent(o->context, &rc);
    WRONG(CL_INVALID_VALUE, clSetUserEventStatus(gate, CL_RUNNING));
    OK(clRetainEvent(gate));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(m));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateUserEvent(NULL, &rc));
}

/* What waits for an error ends with one, and the queue goes on */
static void test_error_spreads(void **state) {
    struct ocl *o = *state;
    cl_int rc, value = 7, back = 0;
    cl_event gate = clCreateUserEvent(o->context, &rc), written;
    cl_mem m = ocl_buffer(o, 4, NULL);
    OK(clEnqueueWriteBuffer(o->queue, m, CL_FALSE, 0, 4, &value, 1, &gate, &written));
    OK(clSetUserEventStatus(gate, -77));
    WRONG(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &written));
    assert_int_equal(status_of(written), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 4, &back, 0, NULL, NULL));
    assert_int_equal(back, 0);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(written));
    OK(clReleaseMemObject(m));
}

/* In an out-of-order queue a command may pass one that waits, but not a barrier */
static void test_out_of_order(void **state) {
    struct ocl *o = *state;
    cl_int rc, one = 1, two = 2, back = 0;
    cl_command_queue q = clCreateCommandQueue(o->context, o->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &rc);
    cl_event gate = clCreateUserEvent(o->context, &rc), first, second, third;
    cl_mem m = ocl_buffer(o, 4, NULL);
    OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &one, 1, &gate, &first));
    OK(clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 4, &two, 0, NULL, &second));
    assert_int_equal(status_of(first), CL_QUEUED);
    assert_int_equal(status_of(second), CL_COMPLETE);
    OK(clEnqueueBarrier(q));
    OK(clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, &back, 0, NULL, &third));
    assert_int_equal(status_of(third), CL_QUEUED);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    assert_int_equal(back, 1);
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(first));
    OK(clReleaseEvent(second));
    OK(clReleaseEvent(third));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
}

static void CL_CALLBACK note(cl_event e, cl_int status, void *user) {
    (void)e;
    int *seen = user;
    seen[0]++;
    seen[1] = status;
}

static void test_callback(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    int seen[2] = {0, 99}, late[2] = {0, 99};
    cl_event gate = clCreateUserEvent(o->context, &rc), e;
    OK(clEnqueueMarkerWithWaitList(o->queue, 1, &gate, &e));
    OK(clSetEventCallback(e, CL_COMPLETE, note, seen));
    assert_int_equal(seen[0], 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(o->queue));
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], CL_COMPLETE);
    OK(clSetEventCallback(e, CL_COMPLETE, note, late)); /* it is done already */
    assert_int_equal(late[0], 1);
    WRONG(CL_INVALID_VALUE, clSetEventCallback(e, CL_QUEUED, note, late));
    WRONG(CL_INVALID_VALUE, clSetEventCallback(e, CL_COMPLETE, NULL, NULL));
    WRONG(CL_INVALID_EVENT, clSetEventCallback(NULL, CL_COMPLETE, note, late));
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(gate));
}

static void test_info_and_profiling(void **state) {
    struct ocl *o = *state;
    cl_int rc, x = 0;
    cl_event a, b;
    cl_command_queue q;
    cl_command_type type;
    cl_ulong t[4], u[4];
    cl_mem m = ocl_buffer(o, 1 << 20, NULL);
    OK(clEnqueueWriteBuffer(o->queue, m, CL_FALSE, 0, 4, &x, 0, NULL, &a));
    OK(clEnqueueFillBuffer(o->queue, m, &x, 4, 0, 1 << 20, 0, NULL, &b));
    OK(clFinish(o->queue));
    OK(clGetEventInfo(a, CL_EVENT_COMMAND_QUEUE, sizeof(q), &q, NULL));
    assert_ptr_equal(q, o->queue);
    OK(clGetEventInfo(b, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_COMMAND_FILL_BUFFER);
    WRONG(CL_INVALID_VALUE, clGetEventInfo(a, 1, sizeof(q), &q, NULL));
    for (cl_uint i = 0; i < 4; i++) {
        OK(clGetEventProfilingInfo(a, CL_PROFILING_COMMAND_QUEUED + i, sizeof(t[i]), &t[i], NULL));
        OK(clGetEventProfilingInfo(b, CL_PROFILING_COMMAND_QUEUED + i, sizeof(u[i]), &u[i], NULL));
        if (i) assert_true(t[i] >= t[i - 1]);
    }
    assert_true(u[2] >= t[3]);              /* one after the other */
    assert_true(u[3] - u[2] > t[3] - t[2]); /* more bytes take longer */
    WRONG(CL_INVALID_VALUE, clGetEventProfilingInfo(a, 1, sizeof(t[0]), &t[0], NULL));
    cl_event user = clCreateUserEvent(o->context, &rc);
    WRONG(CL_PROFILING_INFO_NOT_AVAILABLE, clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof(t[0]), &t[0], NULL));
    OK(clReleaseEvent(user));
    OK(clReleaseEvent(a));
    OK(clReleaseEvent(b));
    OK(clReleaseMemObject(m));
}

/* --- threads: each with its own queue, some sharing a context */

enum { THREADS = 4, ROUNDS = 6, WORDS = 256 };
struct worker {
    struct ocl *o;
    cl_context context;
    cl_program program;
    int id, wrong;
};

static void *work(void *arg) {
    struct worker *w = arg;
    cl_int rc, data[WORDS], add = w->id + 1;
    cl_command_queue q = clCreateCommandQueue(w->context, w->o->device, 0, &rc);
    cl_kernel k = clCreateKernel(w->program, "bump", &rc);
    memset(data, 0, sizeof(data));
    cl_mem m = clCreateBuffer(w->context, CL_MEM_COPY_HOST_PTR, sizeof(data), data, &rc);
    size_t n = WORDS;
    for (int i = 0; i < ROUNDS; i++) {
        clSetKernelArg(k, 0, sizeof(m), &m);
        clSetKernelArg(k, 1, sizeof(add), &add);
        cl_event e;
        if (clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &e)) w->wrong++;
        if (clWaitForEvents(1, &e)) w->wrong++;
        clReleaseEvent(e);
    }
    if (clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL)) w->wrong++;
    for (int i = 0; i < WORDS; i++) w->wrong += data[i] != ROUNDS * add;
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    return NULL;
}

static void test_threads(void **state) {
    struct ocl *o = *state;
    const char *text = "kernel void bump(global int *x, int by) { x[get_global_id(0)] += by; }";
    pthread_t thread[THREADS];
    struct worker w[THREADS];
    cl_int rc;
    cl_program mine = ocl_program(o, text, NULL), its = clCreateProgramWithSource(o->other, 1, &text, NULL, &rc);
    OK(clBuildProgram(its, 0, NULL, NULL, NULL, NULL));
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct worker){o, i % 2 ? o->other : o->context, i % 2 ? its : mine, i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(w[i].wrong, 0);
    }
    OK(clReleaseProgram(mine));
    OK(clReleaseProgram(its));
}

/* Everything at once: contexts, builds of one text, user events and callbacks in each thread */
static void CL_CALLBACK count(cl_event e, cl_int status, void *user) {
    (void)e, (void)status;
    __atomic_add_fetch((int *)user, 1, __ATOMIC_RELAXED);
}

static void *live(void *arg) {
    struct worker *w = arg;
    const char *text = "kernel void set(global int *x, int v) { x[get_global_id(0)] = v; }";
    cl_int rc, data[64], called = 0;
    size_t n = 64;
    for (int round = 0; round < 3; round++) {
        cl_context c = clCreateContext(NULL, 1, &w->o->device, NULL, NULL, &rc);
        cl_command_queue q = clCreateCommandQueue(c, w->o->device, round ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &rc);
        cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &rc);
        if (clBuildProgram(p, 0, NULL, NULL, NULL, NULL)) w->wrong++;
        cl_kernel k = clCreateKernel(p, "set", &rc);
        cl_mem m = clCreateBuffer(c, 0, sizeof(data), NULL, &rc);
        cl_event gate = clCreateUserEvent(c, &rc), ran;
        clSetKernelArg(k, 0, sizeof(m), &m);
        clSetKernelArg(k, 1, sizeof(round), &round);
        if (clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &gate, &ran)) w->wrong++;
        if (clSetEventCallback(ran, CL_COMPLETE, count, &called)) w->wrong++;
        clReleaseKernel(k);
        clReleaseProgram(p); /* the command still needs them */
        clSetUserEventStatus(gate, CL_COMPLETE);
        if (clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(data), data, 1, &ran, NULL)) w->wrong++;
        w->wrong += data[63] != round;
        clReleaseEvent(gate);
        clReleaseEvent(ran);
        clReleaseMemObject(m);
        clReleaseCommandQueue(q);
        clReleaseContext(c);
    }
    w->wrong += called != 3;
    return NULL;
}

static void test_threads_alone(void **state) {
    pthread_t thread[THREADS];
    struct worker w[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        w[i].o = *state;
        assert_int_equal(pthread_create(&thread[i], NULL, live, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(w[i].wrong, 0);
    }
}

static void *open_gate(void *arg) {
    clSetUserEventStatus(arg, CL_COMPLETE);
    return NULL;
}

/* One thread waits for what another brings */
static void test_wait_across_threads(void **state) {
    struct ocl *o = *state;
    cl_int rc, value = 11, back = 0;
    pthread_t thread;
    cl_event gate = clCreateUserEvent(o->context, &rc);
    cl_mem m = ocl_buffer(o, 4, &value);
    assert_int_equal(pthread_create(&thread, NULL, open_gate, gate), 0);
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 4, &back, 1, &gate, NULL));
    assert_int_equal(back, 11);
    pthread_join(thread, NULL);
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(m));
}

OCL_TESTS(cmocka_unit_test(test_user_event), cmocka_unit_test(test_error_spreads), cmocka_unit_test(test_out_of_order),
          cmocka_unit_test(test_callback), cmocka_unit_test(test_info_and_profiling), cmocka_unit_test(test_threads),
          cmocka_unit_test(test_threads_alone), cmocka_unit_test(test_wait_across_threads))
