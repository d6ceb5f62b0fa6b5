/* Events: order, user events, callbacks, profiling. */
#include "ocl.h"

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

/* Stage by stage, in order; what fails tells each of them so. A callback may use the API. */
struct stages {
    cl_command_queue queue;
    cl_int seen[8];
    int n, inside;
};
static void CL_CALLBACK note_stage(cl_event e, cl_int status, void *user) {
    struct stages *s = user;
    cl_int now;
    cl_event mark;
    assert_true(s->n < 8);
    s->seen[s->n++] = status;
    s->inside += clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(now), &now, NULL) == CL_SUCCESS && now <= status;
    if (clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &mark) == CL_SUCCESS) s->inside += clReleaseEvent(mark) == CL_SUCCESS;
}

static void test_callback_stages(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    for (int fails = 0; fails < 2; fails++) {
        struct stages s = {.queue = clCreateCommandQueue(o->context, o->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &rc)};
        cl_event gate = clCreateUserEvent(o->context, &rc), e;
        OK(clEnqueueMarkerWithWaitList(o->queue, 1, &gate, &e));
        OK(clSetEventCallback(e, CL_SUBMITTED, note_stage, &s));
        OK(clSetEventCallback(e, CL_RUNNING, note_stage, &s));
        OK(clSetEventCallback(e, CL_COMPLETE, note_stage, &s));
        OK(clSetUserEventStatus(gate, fails ? -100 : CL_COMPLETE));
        OK(clFinish(o->queue));
        OK(clFinish(s.queue));
        assert_int_equal(s.n, 3);
        assert_int_equal(s.inside, 6);
        for (int i = 0; i < 3; i++)
            assert_int_equal(s.seen[i], fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUBMITTED - i);
        OK(clReleaseEvent(e));
        OK(clReleaseEvent(gate));
        OK(clReleaseCommandQueue(s.queue));
    }
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

OCL_TESTS(cmocka_unit_test(test_user_event), cmocka_unit_test(test_error_spreads), cmocka_unit_test(test_out_of_order),
          cmocka_unit_test(test_callback), cmocka_unit_test(test_callback_stages), cmocka_unit_test(test_info_and_profiling))
