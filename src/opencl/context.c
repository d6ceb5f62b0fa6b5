/* Contexts. Each has a simulated GPU of its own: memory, caches and clock are not shared between contexts. */
#include "opencl/opencl.h"

#include "report/record.h"

#include <stdlib.h>
#include <unistd.h>

static void destroy(void *object) {
    cl_context c = object;
    while (c->at_end) {
        struct callback *cb = c->at_end;
        c->at_end = cb->next;
        cb->call.context(c, cb->user);
        free(cb);
    }
    trace_end(c);
    heddle_close(c->h);
    pthread_mutex_destroy(&c->sim_lock);
    free(c->properties.at);
}

/* --- progress: after two seconds a line, rewritten in place on a terminal, every ten seconds elsewhere */

static void progress(void *user, const struct heddle_progress *p) {
    static _Thread_local double printed;
    (void)user;
    record_watch();
    if (!settings_get()->progress) return;
    bool terminal = isatty(STDERR_FILENO);
    if (p->seconds < 2) printed = 0;
    if (p->seconds < 2 || (!terminal && p->seconds - printed < 10)) return;
    printed = p->seconds;
    fprintf(stderr, "%sheddle: %s: %llu of %llu blocks, %llu cycles, %.2f million warp instructions, %.0f s%s",
            terminal ? "\r" : "", p->kernel, (unsigned long long)p->ctas_done, (unsigned long long)p->ctas_total,
            (unsigned long long)p->cycles, (double)p->warp_instructions / 1e6, p->seconds, terminal ? "\033[K" : "\n");
    if (terminal && p->ctas_done == p->ctas_total) fputs("\r\033[K", stderr);
}

static struct heddle *open_gpu(void) {
    const struct settings *s = settings_get();
    struct heddle_options o = {.warp_size = s->machine.warp_size,
                               .max_memory_b = s->memory_b,
                               .max_instructions = s->max_instructions,
                               .progress = s->progress || s->record ? progress : NULL};
    struct heddle *h = heddle_open(&o);
    if (!h || s->functional) return h;
    struct heddle_timing t = s->timing;
    t.fast_forward_launches = 0; /* which launches those are is settings_times's business: they are counted over all contexts */
    if (heddle_set_config(h, &s->machine) == HEDDLE_OK && heddle_timing(h, &t) == HEDDLE_OK &&
        (!s->timeline || heddle_timeline(h, &s->window) == HEDDLE_OK))
        return h;
    fprintf(stderr, "heddle: no context: %s", heddle_message(h));
    heddle_close(h);
    return NULL;
}

/* --- properties */

static cl_int check_properties(const cl_context_properties *p) {
    for (const cl_context_properties *all = p; p && p[0]; p += 2) {
        for (const cl_context_properties *q = all; q < p; q += 2)
            if (q[0] == p[0]) return CL_INVALID_PROPERTY;
        if (p[0] == CL_CONTEXT_PLATFORM) {
            if (!platform_is((cl_platform_id)p[1])) return CL_INVALID_PLATFORM;
        } else if (p[0] != CL_CONTEXT_INTEROP_USER_SYNC || (p[1] != CL_TRUE && p[1] != CL_FALSE)) return CL_INVALID_PROPERTY;
    }
    return CL_SUCCESS;
}

static cl_context make(const cl_context_properties *p, context_notify notify, void *user, cl_int *error) {
    cl_context c = object_new(OBJECT_CONTEXT, sizeof(*c), destroy);
    pthread_mutex_init(&c->sim_lock, NULL);
    c->h = open_gpu();
    if (c->h && !settings_get()->functional && trace_begin(c) != HEDDLE_OK) fprintf(stderr, "heddle: %s", heddle_message(c->h));
    c->notify = notify;
    c->notify_user = user;
    for (; p && p[0]; p += 2) {
        VEC_PUSH(&c->properties, p[0]);
        VEC_PUSH(&c->properties, p[1]);
    }
    if (c->properties.n) VEC_PUSH(&c->properties, 0);
    if (!c->h) {
        object_release(c, OBJECT_CONTEXT);
        set_error(error, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    record_event(RECORD_CONTEXT, 0);
    set_error(error, CL_SUCCESS);
    return c;
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties *p, cl_uint n, const cl_device_id *devices,
                                       context_notify notify, void *user, cl_int *error) {
    cl_int rc = check_properties(p);
    if (!rc && (!devices || !n || (!notify && user))) rc = CL_INVALID_VALUE;
    for (cl_uint i = 0; !rc && i < n; i++)
        if (devices[i] != &the_device) rc = CL_INVALID_DEVICE;
    if (!rc) return make(p, notify, user, error);
    set_error(error, rc);
    return NULL;
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties *p, cl_device_type type, context_notify notify,
                                               void *user, cl_int *error) {
    cl_device_id d;
    cl_int rc = check_properties(p);
    if (!rc && !notify && user) rc = CL_INVALID_VALUE;
    if (!rc) rc = clGetDeviceIDs(platform_first(), type, 1, &d, NULL);
    if (!rc) return make(p, notify, user, error);
    set_error(error, rc);
    return NULL;
}

cl_int CL_API_CALL clRetainContext(cl_context c) { return object_retain(c, OBJECT_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT; }
cl_int CL_API_CALL clReleaseContext(cl_context c) { return object_release(c, OBJECT_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT; }

cl_int CL_API_CALL clGetContextInfo(cl_context c, cl_context_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(c, OBJECT_CONTEXT)) return CL_INVALID_CONTEXT;
    switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT: return answer_uint(a, object_refs(c));
    case CL_CONTEXT_NUM_DEVICES: return answer_uint(a, 1);
    case CL_CONTEXT_DEVICES: return answer_handle(a, &the_device);
    case CL_CONTEXT_PROPERTIES: return answer_bytes(a, c->properties.at, c->properties.n * sizeof(*c->properties.at));
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context c, void(CL_CALLBACK *call)(cl_context, void *), void *user) {
    if (!object_is(c, OBJECT_CONTEXT)) return CL_INVALID_CONTEXT;
    if (!call) return CL_INVALID_VALUE;
    struct callback *cb = base_alloc(sizeof(*cb));
    cb->call.context = call;
    cb->user = user;
    driver_enter();
    cb->next = c->at_end;
    c->at_end = cb;
    driver_leave();
    return CL_SUCCESS;
}

void context_complain(cl_context c, const char *text) {
    if (c->notify) c->notify(text, NULL, 0, c->notify_user);
}
