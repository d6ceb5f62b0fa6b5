/* Queues and their commands.
 *
 * A command that has all it waits for runs at once, in the thread that notices: the one that enqueues it, or
 * the one that ends what it waited for. So a program without user events sees every command done when its
 * clEnqueue... returns, in enqueue order, whatever the queue's kind.
 *
 * Q1 a queue's list holds the commands that are not done, oldest first
 * Q2 in an in-order queue only the first may run; in any queue nothing passes a barrier
 * Q3 a command leaves the list when its event has ended, and is dropped there, without a lock */
#include "opencl/opencl.h"

#include <stdlib.h>

static bool in_order(cl_command_queue q) { return !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }

static void destroy(void *object) {
    cl_command_queue q = object;
    driver_enter();
    for (cl_command_queue *at = &q->context->queues; *at; at = &(*at)->next)
        if (*at == q) {
            *at = q->next;
            break;
        }
    driver_leave();
    free(q->asked.at);
    object_unpin(q->context);
}

/* --- running */

void *command_new(size_t bytes, cl_int (*run)(struct command *, cl_ulong *), void (*drop)(struct command *)) {
    struct command *c = base_alloc(bytes);
    c->run = run;
    c->drop = drop;
    return c;
}

/* 1: everything it waits for is done; 0: not yet; -1: some of it failed */
static int waits_over(const struct command *c) {
    int over = 1;
    for (cl_uint i = 0; i < c->nwait; i++) {
        if (c->wait[i]->status < 0) return -1;
        if (c->wait[i]->status != CL_COMPLETE) over = 0;
    }
    return over;
}

/* The next command of q that may run now, or NULL */
static struct command *runnable(cl_command_queue q) {
    for (struct command *c = q->commands; c; c = c->next) {
        bool first = c == q->commands;
        if (!c->running && waits_over(c) && (first || !c->in_order)) return c;
        if (in_order(q) || c->barrier) return NULL;
    }
    return NULL;
}

static void unlink_command(cl_command_queue q, struct command *c) {
    for (struct command **at = &q->commands; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            return;
        }
}

static void drop(struct command *c) {
    if (c->drop) c->drop(c);
    for (cl_uint i = 0; i < c->nwait; i++) object_unpin(c->wait[i]);
    object_unpin(c->event);
    free(c->wait);
    free(c);
}

/* A program that does not look at one result should find out by the next. Once it was told, a kernel that
 * runs well makes up for it. */
static void note_result(cl_command_queue q, cl_command_type type, cl_int rc) {
    bool kernel = type == CL_COMMAND_NDRANGE_KERNEL || type == CL_COMMAND_TASK;
    if (rc == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) return;
    if (!rc && !(kernel && q->told)) return;
    q->error = rc;
    q->told = false;
}

/* What a call that has waited for q answers */
static cl_int tell(cl_command_queue q) {
    q->told = q->error != CL_SUCCESS;
    return q->error;
}

/* Under driver_lock, which is let go in between */
static void run_one(cl_command_queue q, struct command *c) {
    cl_context ctx = q->context;
    cl_event e = c->event;
    cl_int rc = waits_over(c) < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
    cl_ulong ns = 0;
    c->running = true;
    if (!rc) {
        event_set(e, CL_SUBMITTED);
        event_set(e, CL_RUNNING);
        driver_leave();
        pthread_mutex_lock(&ctx->sim_lock);
        if (c->run) rc = c->run(c, &ns);
        pthread_mutex_unlock(&ctx->sim_lock);
        driver_enter();
    }
    e->start_ns = MAX(ctx->now_ns, e->queued_ns);
    e->end_ns = ctx->now_ns = e->start_ns + ns;
    clock_advance(ns);
    note_result(q, e->type, rc);
    unlink_command(q, c);
    object_pin(q);
    event_set(e, rc ? rc : CL_COMPLETE);
    driver_leave();
    drop(c);
    object_unpin(q);
    driver_enter();
}

void queue_pump(cl_context ctx) {
    driver_enter();
    for (bool again = true; again;) {
        again = false;
        for (cl_command_queue q = ctx->queues; q; q = q->next) {
            struct command *c = runnable(q);
            if (!c) continue;
            run_one(q, c);
            again = true;
            break; /* the list may have changed */
        }
    }
    driver_leave();
}

/* --- adding */

cl_int queue_check(cl_command_queue q, cl_uint nwait, const cl_event *wait) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    return event_check_list(q->context, nwait, wait);
}

static void append(cl_command_queue q, struct command *c) {
    struct command **at = &q->commands;
    while (*at) at = &(*at)->next;
    *at = c;
}

/* Waits for e and tells what became of it, as a blocking call does */
static cl_int wait_blocking(cl_command_queue q, cl_event e) {
    driver_enter();
    while (e->status > CL_COMPLETE) pthread_cond_wait(&driver_changed, &driver_lock);
    cl_int rc = tell(q);
    if (e->status < 0) rc = e->status;
    driver_leave();
    return rc;
}

cl_int queue_add(cl_command_queue q, cl_command_type type, struct command *c, bool blocking, cl_uint nwait, const cl_event *wait,
                 cl_event *out) {
    cl_context ctx = q->context;
    cl_event e = event_new(ctx, q, type);
    c->event = e;
    c->nwait = nwait;
    c->wait = nwait ? base_alloc(nwait * sizeof(*c->wait)) : NULL;
    driver_enter();
    object_pin(e);   /* the command's */
    object_pin(ctx); /* ours, until the end */
    if (nwait) memcpy(c->wait, wait, nwait * sizeof(*wait));
    for (cl_uint i = 0; i < nwait; i++) object_pin(wait[i]);
    append(q, c);
    driver_leave();
    queue_pump(ctx);
    cl_int rc = blocking ? wait_blocking(q, e) : CL_SUCCESS;
    if (out && !rc) *out = e;
    else object_release(e, OBJECT_EVENT);
    object_unpin(ctx);
    return rc;
}

/* --- queues */

static cl_command_queue make(cl_context c, cl_command_queue_properties p, const cl_queue_properties *asked) {
    cl_command_queue q = object_new(OBJECT_QUEUE, sizeof(*q), destroy);
    for (; asked && asked[0]; asked += 2) {
        VEC_PUSH(&q->asked, asked[0]);
        VEC_PUSH(&q->asked, asked[1]);
    }
    if (asked) VEC_PUSH(&q->asked, 0);
    driver_enter();
    q->context = c;
    q->properties = p;
    q->next = c->queues;
    c->queues = q;
    object_pin(c);
    driver_leave();
    return q;
}

#define QUEUE_PROPERTIES ((cl_command_queue_properties)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE))

static cl_int check_queue_properties(cl_command_queue_properties p) {
    const cl_command_queue_properties on_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    if (p & ~(QUEUE_PROPERTIES | on_device)) return CL_INVALID_VALUE;
    return p & on_device ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS; /* there are none on the device */
}

static cl_int check_new(cl_context c, cl_device_id d) {
    if (!object_is(c, OBJECT_CONTEXT)) return CL_INVALID_CONTEXT;
    return d == &the_device ? CL_SUCCESS : CL_INVALID_DEVICE;
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *error) {
    cl_int rc = check_new(c, d);
    if (!rc) rc = check_queue_properties(p);
    set_error(error, rc);
    return rc ? NULL : make(c, p, NULL);
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context c, cl_device_id d, const cl_queue_properties *list,
                                                                cl_int *error) {
    cl_command_queue_properties p = 0;
    cl_int rc = check_new(c, d);
    for (const cl_queue_properties *at = list; !rc && at && at[0]; at += 2) {
        if (at[0] == CL_QUEUE_PROPERTIES) p = (cl_command_queue_properties)at[1];
        else rc = at[0] == CL_QUEUE_SIZE ? CL_INVALID_QUEUE_PROPERTIES : CL_INVALID_VALUE; /* a size is of queues on the device */
    }
    if (!rc) rc = check_queue_properties(p);
    set_error(error, rc);
    return rc ? NULL : make(c, p, list);
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue q) {
    return object_retain(q, OBJECT_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue q) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    queue_pump(q->context);
    return object_release(q, OBJECT_QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

static cl_command_queue_properties properties_of(cl_command_queue q) {
    driver_enter();
    cl_command_queue_properties p = q->properties;
    driver_leave();
    return p;
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue q, cl_command_queue_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    switch (what) {
    case CL_QUEUE_CONTEXT: return answer_handle(a, q->context);
    case CL_QUEUE_DEVICE: return answer_handle(a, &the_device);
    case CL_QUEUE_REFERENCE_COUNT: return answer_uint(a, object_refs(q));
    case CL_QUEUE_PROPERTIES: return answer_ulong(a, properties_of(q));
    case CL_QUEUE_PROPERTIES_ARRAY: return answer_bytes(a, q->asked.at, q->asked.n * sizeof(*q->asked.at));
    case CL_QUEUE_DEVICE_DEFAULT: return answer_handle(a, NULL);
    case CL_QUEUE_SIZE: return CL_INVALID_COMMAND_QUEUE; /* of queues on the device alone */
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue q, cl_command_queue_properties p, cl_bool on,
                                             cl_command_queue_properties *old) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (p & ~QUEUE_PROPERTIES) return CL_INVALID_VALUE;
    driver_enter();
    if (old) *old = q->properties;
    if (on) q->properties |= p;
    else q->properties &= ~p;
    driver_leave();
    return CL_SUCCESS;
}

cl_int CL_API_CALL clFlush(cl_command_queue q) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    queue_pump(q->context);
    return CL_SUCCESS;
}

cl_int CL_API_CALL clFinish(cl_command_queue q) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    queue_pump(q->context);
    driver_enter();
    while (q->commands) pthread_cond_wait(&driver_changed, &driver_lock);
    cl_int rc = tell(q);
    driver_leave();
    return rc;
}

/* --- commands that only wait */

static cl_int add_point(cl_command_queue q, cl_command_type type, bool barrier, cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = queue_check(q, n, wait);
    if (rc) return rc;
    struct command *c = command_new(sizeof(*c), NULL, NULL);
    c->barrier = barrier;
    c->in_order = n == 0;
    return queue_add(q, type, c, false, n, wait, out);
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *out) {
    return add_point(q, CL_COMMAND_MARKER, false, n, wait, out);
}
cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint n, const cl_event *wait, cl_event *out) {
    return add_point(q, CL_COMMAND_BARRIER, true, n, wait, out);
}
cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue q) { return add_point(q, CL_COMMAND_BARRIER, true, 0, NULL, NULL); }

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue q, cl_event *out) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    return out ? add_point(q, CL_COMMAND_MARKER, false, 0, NULL, out) : CL_INVALID_VALUE;
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue q, cl_uint n, const cl_event *list) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!n || !list) return CL_INVALID_VALUE;
    cl_int rc = event_check_list(q->context, n, list);
    if (rc) return rc == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : rc;
    return add_point(q, CL_COMMAND_BARRIER, true, n, list, NULL);
}
