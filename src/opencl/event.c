/* Events: the state of a command, and who wants to know about it. */
#include "opencl/opencl.h"

#include <stdlib.h>

static void destroy(void *object) {
    cl_event e = object;
    while (e->callbacks) {
        struct callback *next = e->callbacks->next;
        free(e->callbacks);
        e->callbacks = next;
    }
    object_unpin(e->queue);
    object_unpin(e->context);
}

cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type) {
    cl_event e = object_new(OBJECT_EVENT, sizeof(*e), destroy);
    driver_enter();
    e->context = c;
    e->queue = q;
    e->type = type;
    e->status = q ? CL_QUEUED : CL_SUBMITTED;
    e->queued_ns = e->submit_ns = c->now_ns;
    object_pin(c);
    if (q) object_pin(q);
    driver_leave();
    return e;
}

static bool wants(const struct callback *cb, cl_int status) { return status <= cb->status; }

/* Takes one callback that is due out of the list, or returns NULL */
static struct callback *take_due(cl_event e) {
    for (struct callback **at = &e->callbacks; *at; at = &(*at)->next) {
        struct callback *cb = *at;
        if (!wants(cb, e->status)) continue;
        *at = cb->next;
        return cb;
    }
    return NULL;
}

void event_set(cl_event e, cl_int status) {
    e->status = status;
    pthread_cond_broadcast(&driver_changed);
    for (struct callback *cb; (cb = take_due(e));) {
        cl_int told = status < 0 ? status : cb->status;
        driver_leave();
        cb->call.event(e, told, cb->user);
        free(cb);
        driver_enter();
    }
}

cl_int event_check_list(cl_context c, cl_uint n, const cl_event *list) {
    if ((n != 0) != (list != NULL)) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < n; i++) {
        if (!object_is(list[i], OBJECT_EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
        if (c && list[i]->context != c) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

/* --- what programs call */

cl_int CL_API_CALL clWaitForEvents(cl_uint n, const cl_event *list) {
    if (!n || !list) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++)
        if (!object_is(list[i], OBJECT_EVENT)) return CL_INVALID_EVENT;
    for (cl_uint i = 1; i < n; i++)
        if (list[i]->context != list[0]->context) return CL_INVALID_CONTEXT;
    queue_pump(list[0]->context);
    bool failed = false;
    driver_enter();
    for (cl_uint i = 0; i < n; i++) {
        while (list[i]->status > CL_COMPLETE) pthread_cond_wait(&driver_changed, &driver_lock);
        failed = failed || list[i]->status < 0;
    }
    driver_leave();
    return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

cl_int CL_API_CALL clGetEventInfo(cl_event e, cl_event_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(e, OBJECT_EVENT)) return CL_INVALID_EVENT;
    driver_enter();
    cl_int status = e->status;
    cl_uint refs = e->o.refs;
    driver_leave();
    switch (what) {
    case CL_EVENT_COMMAND_QUEUE: return answer_handle(a, e->queue);
    case CL_EVENT_CONTEXT: return answer_handle(a, e->context);
    case CL_EVENT_COMMAND_TYPE: return answer_uint(a, e->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return answer_uint(a, (cl_uint)status);
    case CL_EVENT_REFERENCE_COUNT: return answer_uint(a, refs);
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clRetainEvent(cl_event e) { return object_retain(e, OBJECT_EVENT) ? CL_SUCCESS : CL_INVALID_EVENT; }
cl_int CL_API_CALL clReleaseEvent(cl_event e) { return object_release(e, OBJECT_EVENT) ? CL_SUCCESS : CL_INVALID_EVENT; }

cl_event CL_API_CALL clCreateUserEvent(cl_context c, cl_int *error) {
    bool ok = object_is(c, OBJECT_CONTEXT);
    set_error(error, ok ? CL_SUCCESS : CL_INVALID_CONTEXT);
    return ok ? event_new(c, NULL, CL_COMMAND_USER) : NULL;
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event e, cl_int status) {
    if (!object_is(e, OBJECT_EVENT) || e->type != CL_COMMAND_USER) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    driver_enter();
    bool again = e->status <= CL_COMPLETE;
    cl_context c = e->context;
    object_pin(c);
    if (!again) {
        object_pin(e);
        event_set(e, status);
    }
    driver_leave();
    if (!again) {
        object_unpin(e);
        queue_pump(c);
    }
    object_unpin(c);
    return again ? CL_INVALID_OPERATION : CL_SUCCESS;
}

cl_int CL_API_CALL clSetEventCallback(cl_event e, cl_int status, void(CL_CALLBACK *call)(cl_event, cl_int, void *), void *user) {
    if (!object_is(e, OBJECT_EVENT)) return CL_INVALID_EVENT;
    if (!call || (status != CL_SUBMITTED && status != CL_RUNNING && status != CL_COMPLETE)) return CL_INVALID_VALUE;
    struct callback *cb = base_alloc(sizeof(*cb));
    cb->status = status;
    cb->call.event = call;
    cb->user = user;
    driver_enter();
    object_pin(e);
    cb->next = e->callbacks;
    e->callbacks = cb;
    if (wants(cb, e->status)) event_set(e, e->status);
    driver_leave();
    object_unpin(e);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event e, cl_profiling_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(e, OBJECT_EVENT)) return CL_INVALID_EVENT;
    driver_enter();
    bool has = e->queue && e->queue->properties & CL_QUEUE_PROFILING_ENABLE && e->status == CL_COMPLETE;
    cl_ulong queued = e->queued_ns, submit = e->submit_ns, start = e->start_ns, end = e->end_ns;
    driver_leave();
    switch (what) {
    case CL_PROFILING_COMMAND_QUEUED: return has ? answer_ulong(a, queued) : CL_PROFILING_INFO_NOT_AVAILABLE;
    case CL_PROFILING_COMMAND_SUBMIT: return has ? answer_ulong(a, submit) : CL_PROFILING_INFO_NOT_AVAILABLE;
    case CL_PROFILING_COMMAND_START: return has ? answer_ulong(a, start) : CL_PROFILING_INFO_NOT_AVAILABLE;
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: return has ? answer_ulong(a, end) : CL_PROFILING_INFO_NOT_AVAILABLE;
    default: return CL_INVALID_VALUE;
    }
}
