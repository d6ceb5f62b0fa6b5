/* Kernels and their arguments. */
#include "opencl/opencl.h"

#include <stdlib.h>

static void destroy(void *object) {
    cl_kernel k = object;
    driver_enter();
    k->program->nkernels--;
    driver_leave();
    for (u32 i = 0; i < k->nargs; i++) free(k->args[i].value);
    free(k->args);
    free(k->name);
    object_unpin(k->program);
    object_unpin(k->context);
}

/* --- making */

static enum arg_kind kind_of(const struct heddle_param_info *p, const struct arg_meta *m) {
    if (m && strcmp(m->type, "sampler_t") == 0) return ARG_SAMPLER;
    if (m && strncmp(m->type, "image", 5) == 0 && strcmp(m->access, "none") != 0) return ARG_IMAGE;
    if (!p->is_pointer) return ARG_VALUE;
    return strcmp(p->space, "shared") == 0 ? ARG_LOCAL : ARG_BUFFER;
}

/* Under sim_lock */
static void read_args(cl_kernel k, struct heddle_kernel *hk) {
    k->nargs = k->info.nparams;
    k->args = base_alloc((k->nargs + 1u) * sizeof(*k->args));
    for (u32 i = 0; i < k->nargs; i++) {
        struct heddle_param_info p;
        heddle_kernel_param(k->context->h, hk, i, &p);
        const struct arg_meta *m = k->meta && i < k->meta->nargs ? &k->meta->args[i] : NULL;
        k->args[i] = (struct kernel_arg){
            .kind = kind_of(&p, m), .size_b = p.size_b, .pointee_align_b = p.pointee_align_b, .value = base_alloc(p.size_b + 8u)};
    }
}

static cl_kernel make(cl_program p, const char *name, cl_int *rc) {
    cl_context c = p->context;
    struct heddle_kernel_info info;
    pthread_mutex_lock(&c->sim_lock);
    struct heddle_module *m = p->variants[VARIANT_PLAIN].module;
    struct heddle_kernel *hk = m ? heddle_module_kernel(m, name) : NULL;
    bool runs = hk && heddle_kernel_info(c->h, hk, &info) == HEDDLE_OK;
    *rc = !m ? CL_INVALID_PROGRAM_EXECUTABLE : !hk ? CL_INVALID_KERNEL_NAME : !runs ? CL_INVALID_KERNEL_DEFINITION : CL_SUCCESS;
    cl_kernel k = NULL;
    if (!*rc) {
        k = object_new(OBJECT_KERNEL, sizeof(*k), destroy);
        k->program = p;
        k->context = c;
        k->name = strdup(name);
        k->info = info;
        k->meta = metadata_find(&p->meta, name);
        read_args(k, hk);
    }
    pthread_mutex_unlock(&c->sim_lock);
    if (!k) return NULL;
    driver_enter();
    object_pin(p);
    object_pin(c);
    p->nkernels++;
    driver_leave();
    return k;
}

static bool is_built(cl_program p) {
    driver_enter();
    bool ok = p->status == CL_BUILD_SUCCESS && !p->busy;
    driver_leave();
    return ok;
}

cl_kernel CL_API_CALL clCreateKernel(cl_program p, const char *name, cl_int *error) {
    cl_int rc = !object_is(p, OBJECT_PROGRAM) ? CL_INVALID_PROGRAM
                : !is_built(p)                ? CL_INVALID_PROGRAM_EXECUTABLE
                : !name                       ? CL_INVALID_VALUE
                                              : CL_SUCCESS;
    cl_kernel k = rc ? NULL : make(p, name, &rc);
    set_error(error, rc);
    return k;
}

cl_int CL_API_CALL clCreateKernelsInProgram(cl_program p, cl_uint n, cl_kernel *out, cl_uint *count) {
    if (!object_is(p, OBJECT_PROGRAM)) return CL_INVALID_PROGRAM;
    if (!is_built(p) || !p->variants[VARIANT_PLAIN].module) return CL_INVALID_PROGRAM_EXECUTABLE;
    size_t all = 0, bytes = 0;
    clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof(all), &all, NULL);
    if (out && n < all) return CL_INVALID_VALUE;
    if (count) *count = (cl_uint)all;
    if (!out) return CL_SUCCESS;
    clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes);
    char *names = base_alloc(bytes + 1), *at = names;
    clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, bytes, names, NULL);
    cl_int rc = CL_SUCCESS;
    for (size_t i = 0; i < all; i++) {
        char *end = at + strcspn(at, ";");
        bool last = !*end;
        *end = 0;
        out[i] = make(p, at, &rc);
        at = last ? end : end + 1;
    }
    free(names);
    return CL_SUCCESS;
}

cl_kernel CL_API_CALL clCloneKernel(cl_kernel from, cl_int *error) {
    cl_int rc = CL_INVALID_KERNEL;
    cl_kernel k = object_is(from, OBJECT_KERNEL) ? make(from->program, from->name, &rc) : NULL;
    set_error(error, rc);
    if (!k) return NULL;
    driver_enter();
    for (u32 i = 0; i < k->nargs; i++) {
        u8 *value = k->args[i].value;
        memcpy(value, from->args[i].value, from->args[i].size_b);
        k->args[i] = from->args[i];
        k->args[i].value = value;
    }
    driver_leave();
    return k;
}

cl_int CL_API_CALL clRetainKernel(cl_kernel k) { return object_retain(k, OBJECT_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL; }
cl_int CL_API_CALL clReleaseKernel(cl_kernel k) { return object_release(k, OBJECT_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL; }

/* --- arguments */

/* An image that is declared read_only may not be write-only, and the other way around */
static bool access_fits(cl_kernel k, const struct kernel_arg *a, cl_mem m) {
    u32 i = (u32)(a - k->args);
    const char *access = k->meta && i < k->meta->nargs ? k->meta->args[i].access : "";
    if (strcmp(access, "read_only") == 0) return !(m->flags & CL_MEM_WRITE_ONLY);
    return strcmp(access, "write_only") != 0 || !(m->flags & CL_MEM_READ_ONLY);
}

static cl_int set_mem(cl_kernel k, struct kernel_arg *a, bool image, size_t bytes, const void *value) {
    cl_mem m = NULL;
    if (bytes != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
    if (value) memcpy(&m, value, sizeof(cl_mem));
    if (!m && image) return CL_INVALID_MEM_OBJECT;
    if (m && (!object_is(m, OBJECT_MEM) || (m->type != CL_MEM_OBJECT_BUFFER) != image || m->context != k->context))
        return CL_INVALID_MEM_OBJECT;
    if (image && !access_fits(k, a, m)) return CL_INVALID_ARG_VALUE;
    u64 address = !m ? 0 : image ? m->descriptor : m->address;
    driver_enter();
    a->mem = m;
    memcpy(a->value, &address, sizeof(address));
    a->set = true;
    driver_leave();
    return CL_SUCCESS;
}

static cl_int set_sampler(cl_kernel k, struct kernel_arg *a, size_t bytes, const void *value) {
    cl_sampler s = NULL;
    if (bytes != sizeof(cl_sampler)) return CL_INVALID_ARG_SIZE;
    if (value) memcpy(&s, value, sizeof(cl_sampler));
    if (!object_is(s, OBJECT_SAMPLER) || s->context != k->context) return CL_INVALID_SAMPLER;
    u64 bits = s->bits;
    driver_enter();
    memcpy(a->value, &bits, sizeof(bits));
    a->set = true;
    driver_leave();
    return CL_SUCCESS;
}

static cl_int set_local(struct kernel_arg *a, size_t bytes, const void *value) {
    if (value) return CL_INVALID_ARG_VALUE;
    if (!bytes) return CL_INVALID_ARG_SIZE;
    driver_enter();
    a->local_b = bytes;
    a->set = true;
    driver_leave();
    return CL_SUCCESS;
}

static cl_int set_value(struct kernel_arg *a, size_t bytes, const void *value) {
    if (!value) return CL_INVALID_ARG_VALUE;
    if (bytes != a->size_b) return CL_INVALID_ARG_SIZE;
    driver_enter();
    memcpy(a->value, value, bytes);
    a->set = true;
    driver_leave();
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetKernelArg(cl_kernel k, cl_uint i, size_t bytes, const void *value) {
    if (!object_is(k, OBJECT_KERNEL)) return CL_INVALID_KERNEL;
    if (i >= k->nargs) return CL_INVALID_ARG_INDEX;
    struct kernel_arg *a = &k->args[i];
    switch (a->kind) {
    case ARG_BUFFER: return set_mem(k, a, false, bytes, value);
    case ARG_IMAGE: return set_mem(k, a, true, bytes, value);
    case ARG_SAMPLER: return set_sampler(k, a, bytes, value);
    case ARG_LOCAL: return set_local(a, bytes, value);
    default: return set_value(a, bytes, value);
    }
}

/* --- asking */

/* As in the source, with single spaces between */
static cl_int attributes_answer(struct answer a, const struct kernel_meta *m) {
    struct strbuf s = {0};
    const u32 *sizes[] = {m ? m->reqd : NULL, m ? m->hint : NULL};
    static const char *const names[] = {"reqd_work_group_size", "work_group_size_hint"};
    for (u32 i = 0; i < ARRAY_LEN(names); i++)
        if (sizes[i] && sizes[i][0])
            strbuf_add(&s, "%s%s(%u,%u,%u)", s.len ? " " : "", names[i], sizes[i][0], sizes[i][1], sizes[i][2]);
    if (m && m->vec_type[0] && strcmp(m->vec_type, "-") != 0)
        strbuf_add(&s, "%svec_type_hint(%s)", s.len ? " " : "", m->vec_type);
    cl_int rc = answer_text(a, s.s ? s.s : "");
    strbuf_free(&s);
    return rc;
}

cl_int CL_API_CALL clGetKernelInfo(cl_kernel k, cl_kernel_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(k, OBJECT_KERNEL)) return CL_INVALID_KERNEL;
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME: return answer_text(a, k->name);
    case CL_KERNEL_NUM_ARGS: return answer_uint(a, k->nargs);
    case CL_KERNEL_REFERENCE_COUNT: return answer_uint(a, object_refs(k));
    case CL_KERNEL_CONTEXT: return answer_handle(a, k->context);
    case CL_KERNEL_PROGRAM: return answer_handle(a, k->program);
    case CL_KERNEL_ATTRIBUTES: return attributes_answer(a, k->meta);
    default: return CL_INVALID_VALUE;
    }
}

static cl_kernel_arg_address_qualifier address_of(u32 space) {
    switch (space) {
    case 1: return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case 2: return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case 3: return CL_KERNEL_ARG_ADDRESS_LOCAL;
    default: return CL_KERNEL_ARG_ADDRESS_PRIVATE;
    }
}

static cl_kernel_arg_access_qualifier access_of(const char *text) {
    if (strcmp(text, "read_only") == 0) return CL_KERNEL_ARG_ACCESS_READ_ONLY;
    if (strcmp(text, "write_only") == 0) return CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
    return strcmp(text, "read_write") == 0 ? CL_KERNEL_ARG_ACCESS_READ_WRITE : CL_KERNEL_ARG_ACCESS_NONE;
}

cl_int CL_API_CALL clGetKernelArgInfo(cl_kernel k, cl_uint i, cl_kernel_arg_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(k, OBJECT_KERNEL)) return CL_INVALID_KERNEL;
    if (i >= k->nargs) return CL_INVALID_ARG_INDEX;
    if (!k->meta || i >= k->meta->nargs) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    const struct arg_meta *m = &k->meta->args[i];
    switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: return answer_uint(a, address_of(m->space));
    case CL_KERNEL_ARG_ACCESS_QUALIFIER: return answer_uint(a, access_of(m->access));
    case CL_KERNEL_ARG_TYPE_NAME: return answer_text(a, m->type);
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        return answer_ulong(a, (cl_ulong)(strstr(m->qualifiers, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0) |
                                   (strstr(m->qualifiers, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
                                   (strstr(m->qualifiers, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0));
    case CL_KERNEL_ARG_NAME: return answer_text(a, m->name);
    default: return CL_INVALID_VALUE;
    }
}

/* How many work items of this kernel one SM can hold in one group with all their registers */
u32 kernel_max_group(cl_kernel k) {
    const struct config *c = &settings_get()->machine;
    u32 most = device_max_group(c), warp = MAX(1u, k->info.registers) * c->warp_size;
    u32 unit = MAX(1u, c->register_unit), per_warp = (warp + unit - 1) / unit * unit;
    u32 by_registers = c->registers / per_warp * c->warp_size;
    if (k->info.max_threads) most = MIN(most, k->info.max_threads);
    return MAX(1u, MIN(most, by_registers));
}

/* Registers of a thread in a group of so many work items: the kernel's own, or as many as fit and an
 * instruction can name; 0 when the register file is too small for any */
enum { MOST_REGISTERS = 255 };
u32 kernel_registers(cl_kernel k, size_t items) {
    const struct config *c = &settings_get()->machine;
    u64 warps = (items + c->warp_size - 1) / c->warp_size, unit = MAX(1u, c->register_unit);
    u64 per_warp = c->registers / MAX(1u, warps) / unit * unit;
    return (u32)MIN(MIN((u64)MAX(1u, k->info.registers), MOST_REGISTERS), per_warp / c->warp_size);
}

/* What a launch accepts (settings.strict); a power of two: programs take it for the size of their groups
 * and divide their range by it. Groups that are too large for the kernel's registers run with fewer, and a
 * line says so. */
u32 kernel_told_group(cl_kernel k) {
    u32 most = settings_get()->strict ? kernel_max_group(k) : device_max_group(&settings_get()->machine), power = 1;
    if (k->info.max_threads) most = MIN(most, k->info.max_threads);
    while (most > 1 && !kernel_registers(k, most)) most--;
    while (power * 2 <= most) power *= 2;
    return power;
}

u64 kernel_local_at(const struct kernel_arg *a, u64 at) {
    u64 align = MAX(16u, a->pointee_align_b);
    return (at + align - 1) / align * align;
}

u64 kernel_local_b(cl_kernel k) {
    const u64 too_much = 1ull << 40; /* further sums would wrap around */
    u64 at = k->info.shared_b;
    for (u32 i = 0; i < k->nargs; i++) {
        if (k->args[i].kind != ARG_LOCAL || !k->args[i].set) continue;
        at = kernel_local_at(&k->args[i], at) + MIN(k->args[i].local_b, too_much);
    }
    return at;
}

cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t room, void *to,
                                            size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(k, OBJECT_KERNEL)) return CL_INVALID_KERNEL;
    if (d && d != &the_device) return CL_INVALID_DEVICE;
    size_t reqd[3] = {0};
    for (u32 i = 0; k->meta && i < 3; i++) reqd[i] = k->meta->reqd[i];
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE: return answer_size(a, reqd[0] ? reqd[0] * reqd[1] * reqd[2] : kernel_told_group(k));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: return answer_bytes(a, reqd, sizeof(reqd));
    case CL_KERNEL_LOCAL_MEM_SIZE: return answer_ulong(a, kernel_local_b(k));
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: return answer_size(a, settings_get()->machine.warp_size);
    case CL_KERNEL_PRIVATE_MEM_SIZE: return answer_ulong(a, k->info.local_b);
    default: return CL_INVALID_VALUE; /* CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels */
    }
}
