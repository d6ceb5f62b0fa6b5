/* Buffers and sub-buffers.
 *
 * A buffer's bytes are the simulated GPU's own: mapping one hands out a pointer to them. Only
 * CL_MEM_USE_HOST_PTR has a second copy, in the program's memory, which is brought up to date when it is
 * mapped and taken over when it is unmapped. */
#include "opencl/opencl.h"

#include <stdlib.h>

bool mem_flags_ok(cl_mem_flags f) {
    cl_mem_flags access = f & MEM_ACCESS_FLAGS, host = f & MEM_HOST_FLAGS;
    if (f & ~(cl_mem_flags)(MEM_ACCESS_FLAGS | MEM_PTR_FLAGS | MEM_HOST_FLAGS)) return false;
    if ((access & (access - 1)) || (host & (host - 1))) return false;
    return !(f & CL_MEM_USE_HOST_PTR && f & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR));
}

void mem_destroy(void *object) {
    cl_mem m = object;
    while (m->at_end) {
        struct callback *cb = m->at_end;
        m->at_end = cb->next;
        cb->call.mem(m, cb->user);
        free(cb);
    }
    pthread_mutex_lock(&m->context->sim_lock);
    if (m->image.texture) heddle_texture_free(m->context->h, m->image.texture);
    if (m->descriptor) heddle_free(m->context->h, m->descriptor);
    if (m->address && !m->parent) heddle_free(m->context->h, m->address - m->before_b);
    pthread_mutex_unlock(&m->context->sim_lock);
    while (m->maps) {
        struct mapping *next = m->maps->next;
        free(m->maps);
        m->maps = next;
    }
    free(m->properties.at);
    driver_enter();
    m->context->memories--;
    driver_leave();
    object_unpin(m->parent);
    object_unpin(m->context);
}

/* Before and behind a buffer there is more memory on any real device, and programs have mistakes that are
 * only found where there is not: a sparse matrix's padding that points at element -1, a last thread that
 * reads on. HEDDLE_STRICT finds them. */
enum { SLACK_LEAST_B = 512, SLACK_PART = 16, PAGE_B = 4096 };

static size_t slack_before(size_t bytes) {
    size_t want = bytes / SLACK_PART / SLACK_LEAST_B * SLACK_LEAST_B + SLACK_LEAST_B;
    return settings_get()->strict ? 0 : want;
}
static size_t with_slack_behind(size_t bytes) {
    return settings_get()->strict ? bytes : (bytes + bytes / SLACK_PART + SLACK_LEAST_B + PAGE_B - 1) / PAGE_B * PAGE_B;
}

cl_mem mem_new(cl_context c, cl_mem_object_type type, cl_mem_flags f, size_t bytes) {
    cl_mem m = object_new(OBJECT_MEM, sizeof(*m), mem_destroy);
    driver_enter();
    object_pin(c);
    c->memories++;
    driver_leave();
    m->context = c;
    m->type = type;
    m->flags = f & MEM_ACCESS_FLAGS ? f : f | CL_MEM_READ_WRITE;
    m->size = bytes;
    if (!bytes) return m; /* a part of another */
    pthread_mutex_lock(&c->sim_lock);
    m->before_b = slack_before(bytes);
    m->address = heddle_alloc(c->h, m->before_b + with_slack_behind(bytes));
    if (m->address) m->address += m->before_b;
    if (m->address) m->bytes = memory_host(&c->h->mem, m->address, bytes);
    pthread_mutex_unlock(&c->sim_lock);
    if (m->address) return m;
    object_release(m, OBJECT_MEM);
    return NULL;
}

bool mem_add_property(cl_mem m, const cl_mem_properties *p) {
    if (p && p[0]) return false;
    if (p) VEC_PUSH(&m->properties, 0);
    return true;
}

/* --- making */

static cl_int check_buffer(cl_context c, cl_mem_flags f, size_t bytes, const void *host) {
    if (!object_is(c, OBJECT_CONTEXT)) return CL_INVALID_CONTEXT;
    if (!mem_flags_ok(f)) return CL_INVALID_VALUE;
    if (!bytes || bytes > settings_get()->memory_b / 2) return CL_INVALID_BUFFER_SIZE;
    bool wants = f & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    return wants == (host != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_mem CL_API_CALL clCreateBuffer(cl_context c, cl_mem_flags f, size_t bytes, void *host, cl_int *error) {
    cl_int rc = check_buffer(c, f, bytes, host);
    cl_mem m = rc ? NULL : mem_new(c, CL_MEM_OBJECT_BUFFER, f, bytes);
    if (!rc && !m) rc = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    set_error(error, rc);
    if (!m) return NULL;
    if (host) memcpy(m->bytes, host, bytes);
    if (f & CL_MEM_USE_HOST_PTR) m->host_ptr = host;
    return m;
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context c, const cl_mem_properties *p, cl_mem_flags f, size_t bytes,
                                                void *host, cl_int *error) {
    cl_mem m = clCreateBuffer(c, f, bytes, host, error);
    if (!m || mem_add_property(m, p)) return m;
    object_release(m, OBJECT_MEM);
    set_error(error, CL_INVALID_PROPERTY);
    return NULL;
}

/* A part has the parent's flags where its own say nothing, and may not allow more */
static cl_int part_flags(cl_mem parent, cl_mem_flags f, cl_mem_flags *out) {
    cl_mem_flags has = parent->flags;
    if (!mem_flags_ok(f) || f & MEM_PTR_FLAGS) return CL_INVALID_VALUE;
    if (has & CL_MEM_WRITE_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) return CL_INVALID_VALUE;
    if (has & CL_MEM_READ_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) return CL_INVALID_VALUE;
    if (has & CL_MEM_HOST_WRITE_ONLY && f & CL_MEM_HOST_READ_ONLY) return CL_INVALID_VALUE;
    if (has & CL_MEM_HOST_READ_ONLY && f & CL_MEM_HOST_WRITE_ONLY) return CL_INVALID_VALUE;
    if (has & CL_MEM_HOST_NO_ACCESS && f & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) return CL_INVALID_VALUE;
    *out = (f & MEM_ACCESS_FLAGS ? f & MEM_ACCESS_FLAGS : has & MEM_ACCESS_FLAGS) |
           (f & MEM_HOST_FLAGS ? f & MEM_HOST_FLAGS : has & MEM_HOST_FLAGS) | (has & MEM_PTR_FLAGS);
    return CL_SUCCESS;
}

static cl_int check_region(cl_mem parent, cl_buffer_create_type type, const cl_buffer_region *r) {
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !r) return CL_INVALID_VALUE;
    if (r->origin > parent->size || r->size > parent->size - r->origin) return CL_INVALID_VALUE;
    if (!r->size) return CL_INVALID_BUFFER_SIZE;
    return r->origin % DEVICE_ALIGN_B ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem parent, cl_mem_flags f, cl_buffer_create_type type, const void *info, cl_int *error) {
    const cl_buffer_region *r = info;
    cl_mem_flags flags = 0;
    cl_int rc = mem_is_buffer(parent) && !parent->parent ? CL_SUCCESS : CL_INVALID_MEM_OBJECT;
    if (!rc) rc = part_flags(parent, f, &flags);
    if (!rc) rc = check_region(parent, type, r);
    set_error(error, rc);
    if (rc) return NULL;
    cl_mem m = mem_new(parent->context, CL_MEM_OBJECT_BUFFER, flags, 0);
    driver_enter();
    object_pin(parent);
    driver_leave();
    m->parent = parent;
    m->origin = r->origin;
    m->size = r->size;
    m->address = parent->address + r->origin;
    m->bytes = parent->bytes + r->origin;
    if (parent->host_ptr) m->host_ptr = (u8 *)parent->host_ptr + r->origin;
    return m;
}

/* --- counting and asking */

cl_int CL_API_CALL clRetainMemObject(cl_mem m) { return object_retain(m, OBJECT_MEM) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT; }
cl_int CL_API_CALL clReleaseMemObject(cl_mem m) { return object_release(m, OBJECT_MEM) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT; }

static cl_uint count_maps(cl_mem m) {
    cl_uint n = 0;
    driver_enter();
    for (const struct mapping *at = m->maps; at; at = at->next) n++;
    driver_leave();
    return n;
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem m, cl_mem_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(m, OBJECT_MEM)) return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_MEM_TYPE: return answer_uint(a, m->type);
    case CL_MEM_FLAGS: return answer_ulong(a, m->flags);
    case CL_MEM_SIZE: return answer_size(a, m->size);
    case CL_MEM_HOST_PTR: return answer_handle(a, m->host_ptr);
    case CL_MEM_MAP_COUNT: return answer_uint(a, count_maps(m));
    case CL_MEM_REFERENCE_COUNT: return answer_uint(a, object_refs(m));
    case CL_MEM_CONTEXT: return answer_handle(a, m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: return answer_handle(a, m->parent);
    case CL_MEM_OFFSET: return answer_size(a, m->origin);
    case CL_MEM_USES_SVM_POINTER: return answer_bool(a, false);
    case CL_MEM_PROPERTIES: return answer_bytes(a, m->properties.at, m->properties.n * sizeof(*m->properties.at));
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem m, void(CL_CALLBACK *call)(cl_mem, void *), void *user) {
    if (!object_is(m, OBJECT_MEM)) return CL_INVALID_MEM_OBJECT;
    if (!call) return CL_INVALID_VALUE;
    struct callback *cb = base_alloc(sizeof(*cb));
    cb->call.mem = call;
    cb->user = user;
    driver_enter();
    cb->next = m->at_end; /* the last registered is called first */
    m->at_end = cb;
    driver_leave();
    return CL_SUCCESS;
}
