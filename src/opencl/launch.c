/* NDRanges: from the program's numbers to a launch of the simulated GPU.
 *
 * Local-memory arguments lie behind the kernel's own local variables, each at its alignment. The global
 * offset is a variable of the builtin library's; kernels that are launched with one use a variant of the
 * program that looks at it. */
#include "opencl/opencl.h"

#include "report/record.h"

#include <stdlib.h>

u64 launch_count;

struct ndrange {
    struct command c;
    cl_kernel kernel;
    struct heddle_kernel *code;
    u64 launch_info; /* address of heddle_launch[4], or 0 */
    u32 numbers[4];  /* what is written there */
    u32 grid[3], block[3], dynamic_b;
    u32 registers; /* of a thread */
    u32 nargs;
    struct heddle_arg *args;
    u8 *values;          /* of the arguments */
    VEC(cl_mem) uses;    /* pinned */
    struct strbuf fault; /* what went wrong, for the program's callback */
};

static void drop(struct command *c) {
    struct ndrange *r = (struct ndrange *)c;
    if (r->fault.s) context_complain(r->kernel->context, r->fault.s);
    for (u32 i = 0; i < r->uses.n; i++) object_unpin(r->uses.at[i]);
    free(r->uses.at);
    free(r->args);
    free(r->values);
    strbuf_free(&r->fault);
    object_unpin(r->kernel);
}

/* --- running, under sim_lock */

/* In nanoseconds, rounded up. Without timing: as if every scheduler issued all the time. */
static cl_ulong duration(const struct heddle_result *res) {
    const struct config *m = &settings_get()->machine;
    u64 cycles = res->timed ? res->cycles : res->warp_instructions / ((u64)m->sms * m->schedulers);
    return MAX(1u, (cycles * 1000 + m->core_mhz - 1) / m->core_mhz);
}

static void keep(const struct ndrange *r, u64 index, const struct heddle_result *res, int status) {
    struct launch_record rec = {.index = index, .dynamic_shared_b = r->dynamic_b, .result = *res, .status = status};
    const struct heddle_kernel_info *i = &r->kernel->info;
    struct heddle *h = r->kernel->context->h;
    if (!record_path()) return;
    snprintf(rec.kernel, sizeof(rec.kernel), "%s", r->kernel->name);
    memcpy(rec.grid, r->grid, sizeof(rec.grid));
    memcpy(rec.block, r->block, sizeof(rec.block));
    rec.registers = r->registers;
    rec.predicates = i->predicates;
    rec.shared_b = i->shared_b;
    rec.local_b = i->local_b;
    rec.const_b = i->const_b;
    rec.param_b = i->param_b;
    rec.instructions = i->instructions;
    rec.memory_b = heddle_memory_used(h);
    driver_enter();
    rec.buffers = r->kernel->context->memories;
    driver_leave();
    if (settings_get()->by_pc && r->kernel->program->source) record_source(r->kernel->name, r->kernel->program->source);
    record_launch(&rec, status == HEDDLE_BAD_INPUT ? NULL : heddle_launch_stats(h));
}

static u64 next_index(void) {
    driver_enter();
    u64 i = launch_count++;
    driver_leave();
    return i;
}

/* Local memory is handed out in units, and what is behind an array in the last one is there: programs touch
 * it without knowing. Not with --strict. */
static u32 granted_b(const struct ndrange *r) {
    const struct config *m = &settings_get()->machine;
    u32 own = r->kernel->info.shared_b + m->shared_reserved_b, asked = own + r->dynamic_b;
    u32 whole = (asked + m->shared_unit - 1) / m->shared_unit * m->shared_unit;
    return settings_get()->strict || whole > m->shared_b ? r->dynamic_b : whole - own;
}

static cl_int run(struct command *c, cl_ulong *ns) {
    struct ndrange *r = (struct ndrange *)c;
    cl_context ctx = r->kernel->context;
    u64 index = next_index();
    struct heddle_result res = {0};
    struct heddle_launch l = {.dynamic_shared_b = granted_b(r),
                              .args = r->args,
                              .nargs = r->nargs,
                              .registers = r->registers,
                              .functional = !settings_times(settings_get(), r->kernel->name, index)};
    int status = HEDDLE_OK;
    memcpy(l.grid, r->grid, sizeof(l.grid));
    memcpy(l.block, r->block, sizeof(l.block));
    if (r->launch_info) status = heddle_write(ctx->h, r->launch_info, r->numbers, sizeof(r->numbers));
    if (!status) status = heddle_launch(ctx->h, r->code, &l, &res);
    keep(r, index, &res, status);
    *ns = duration(&res);
    if (!status) return CL_SUCCESS;
    strbuf_add(&r->fault, "heddle: launch %llu, kernel '%s': %s", (unsigned long long)index, r->kernel->name,
               heddle_message(ctx->h));
    fputs(r->fault.s, stderr);
    record_event(RECORD_FAULT, index);
    return CL_OUT_OF_RESOURCES;
}

/* --- checking */

static cl_int check_sizes(cl_uint dims, const size_t *offset, const size_t *global, const size_t *local) {
    if (dims < 1 || dims > 3) return CL_INVALID_WORK_DIMENSION;
    for (cl_uint i = 0; i < dims; i++) {
        size_t size = global ? global[i] : 0;
        if (size > UINT32_MAX) return CL_INVALID_GLOBAL_WORK_SIZE;
        if (offset && offset[i] > UINT32_MAX - size) return CL_INVALID_GLOBAL_OFFSET;
        if (local && !local[i]) return CL_INVALID_WORK_GROUP_SIZE;
    }
    return CL_SUCCESS;
}

/* A range without work items: since OpenCL 2.1 its command runs nothing, and ends when its turn has come */
static bool is_empty(cl_uint dims, const size_t *global) {
    bool empty = !global;
    for (cl_uint i = 0; !empty && i < dims; i++) empty = global[i] == 0;
    return empty;
}

/* Three sizes, or NULL */
static const u32 *required_group(cl_kernel k) { return k->meta && k->meta->reqd[0] ? k->meta->reqd : NULL; }

/* A group for a range that comes without: the one the kernel requires; else the largest divisors that fit,
 * first dimension first, up to 256 work items */
static void choose_local(cl_kernel k, const size_t global[3], size_t local[3]) {
    size_t left = MIN(256u, kernel_max_group(k));
    const u32 *reqd = required_group(k);
    for (u32 i = 0; reqd && i < 3; i++) local[i] = reqd[i];
    for (u32 i = 0; !reqd && i < 3; i++) {
        size_t most = MIN(MIN(left, global[i]), i == 2 ? (size_t)64 : left), d = most ? most : 1;
        while (global[i] % d) d--;
        local[i] = d;
        left /= d;
    }
}

static cl_int check_group(cl_kernel k, const size_t global[3], const size_t local[3], bool given) {
    const struct config *c = &settings_get()->machine;
    size_t most = device_max_group(c);
    const u32 *reqd = required_group(k);
    for (u32 i = 0; i < 3; i++) {
        if (reqd && local[i] != reqd[i]) return CL_INVALID_WORK_GROUP_SIZE;
        if (local[i] > (i == 2 ? MIN(most, (size_t)64) : most))
            return given ? CL_INVALID_WORK_ITEM_SIZE : CL_INVALID_WORK_GROUP_SIZE;
        if (global[i] % local[i]) return CL_INVALID_WORK_GROUP_SIZE;
    }
    size_t items = local[0] * local[1] * local[2], fits = settings_get()->strict ? kernel_max_group(k) : most;
    if (items > fits || (k->info.max_threads && items > k->info.max_threads)) return CL_INVALID_WORK_GROUP_SIZE;
    if (!kernel_registers(k, items)) return CL_INVALID_WORK_GROUP_SIZE;
    if (global[0] / local[0] > 0x7FFFFFFF || global[1] / local[1] > 65535 || global[2] / local[2] > 65535)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    return kernel_local_b(k) > c->shared_b - c->shared_reserved_b ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* A compiler that knew the group's size would have spilled. We did not, so the time of the spills is missing:
 * say so, once for a kernel. */
static void tell_registers(cl_kernel k, u32 registers, size_t items) {
    if (registers == k->info.registers || settings_get()->functional) return;
    driver_enter();
    bool first = !k->told_registers;
    k->told_registers = true;
    driver_leave();
    if (first)
        fprintf(stderr,
                "heddle: kernel '%s' has %u registers a thread and groups of %zu work items, for which %u fit: timed with %u, "
                "without the spills a "
                "compiler would add\n",
                k->name, k->info.registers, items, registers, registers);
}

static cl_int check_args(cl_kernel k) {
    for (u32 i = 0; i < k->nargs; i++) {
        if (!k->args[i].set) return CL_INVALID_KERNEL_ARGS;
        if (k->args[i].mem && !object_is(k->args[i].mem, OBJECT_MEM)) return CL_INVALID_KERNEL_ARGS;
    }
    return CL_SUCCESS;
}

/* --- making */

static void take_args(struct ndrange *r, cl_kernel k) {
    u64 base = (k->info.shared_b + 15u) / 16 * 16, at = base;
    size_t total = 0;
    for (u32 i = 0; i < k->nargs; i++) total += k->args[i].size_b;
    r->nargs = k->nargs;
    r->args = base_alloc((k->nargs + 1u) * sizeof(*r->args));
    r->values = base_alloc(total + 8);
    u8 *to = r->values;
    for (u32 i = 0; i < k->nargs; i++) {
        const struct kernel_arg *a = &k->args[i];
        memcpy(to, a->value, a->size_b);
        if (a->kind == ARG_LOCAL) {
            at = kernel_local_at(a, at);
            memcpy(to, &at, MIN(a->size_b, 8u));
            at += a->local_b;
        }
        if (a->mem) {
            object_pin(a->mem);
            VEC_PUSH(&r->uses, a->mem);
        }
        r->args[i] = (struct heddle_arg){to, a->size_b};
        to += a->size_b;
    }
    r->dynamic_b = (u32)(at - base);
}

/* The kernel in the variant that a launch with this offset needs */
static cl_int find_code(struct ndrange *r, cl_kernel k, bool offset) {
    cl_context c = k->context;
    struct strbuf why = {0};
    u64 size = 0;
    pthread_mutex_lock(&c->sim_lock);
    struct heddle_module *m = program_module(k->program, offset ? VARIANT_OFFSET : VARIANT_PLAIN, &why);
    r->code = m ? heddle_module_kernel(m, k->name) : NULL;
    if (r->code && heddle_module_symbol(c->h, m, "heddle_launch", &r->launch_info, &size) != HEDDLE_OK) r->launch_info = 0;
    pthread_mutex_unlock(&c->sim_lock);
    if (!r->code)
        fprintf(stderr, "heddle: kernel '%s' cannot be launched with a global offset: %s", k->name,
                why.s ? why.s : "its binary has no such variant\n");
    strbuf_free(&why);
    return r->code ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
}

static cl_int enqueue(cl_command_queue q, cl_kernel k, cl_command_type type, cl_uint dims, const size_t *offset,
                      const size_t *global_, const size_t *local_, cl_uint n, const cl_event *wait, cl_event *out) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!object_is(k, OBJECT_KERNEL)) return CL_INVALID_KERNEL;
    if (k->context != q->context) return CL_INVALID_CONTEXT;
    cl_int rc = queue_check(q, n, wait);
    if (!rc) rc = check_sizes(dims, offset, global_, local_);
    if (!rc) rc = check_args(k);
    if (rc) return rc;
    if (is_empty(dims, global_)) return queue_add(q, type, command_new(sizeof(struct command), NULL, NULL), false, n, wait, out);
    size_t global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
    bool shifted = false;
    for (cl_uint i = 0; i < dims; i++) {
        global[i] = global_[i];
        if (local_) local[i] = local_[i];
        shifted = shifted || (offset && offset[i]);
    }
    if (!local_) choose_local(k, global, local);
    rc = check_group(k, global, local, local_ != NULL);
    if (rc) return rc;
    struct ndrange *r = command_new(sizeof(*r), run, drop);
    rc = find_code(r, k, shifted);
    if (rc) {
        free(r);
        return rc;
    }
    for (u32 i = 0; i < 3; i++) {
        r->grid[i] = (u32)(global[i] / local[i]);
        r->block[i] = (u32)local[i];
        r->numbers[i] = offset && i < dims ? (u32)offset[i] : 0;
    }
    r->numbers[3] = dims;
    r->registers = kernel_registers(k, local[0] * local[1] * local[2]);
    tell_registers(k, r->registers, local[0] * local[1] * local[2]);
    driver_enter();
    r->kernel = k;
    object_pin(k);
    take_args(r, k);
    driver_leave();
    return queue_add(q, type, &r->c, false, n, wait, out);
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                                          const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                                          cl_event *out) {
    cl_int rc = enqueue(q, k, CL_COMMAND_NDRANGE_KERNEL, dims, offset, global, local, n, wait, out);
    if (rc) record_event(RECORD_REFUSED, (u64)-rc);
    return rc;
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue q, cl_kernel k, cl_uint n, const cl_event *wait, cl_event *out) {
    const size_t one = 1;
    return enqueue(q, k, CL_COMMAND_TASK, 1, NULL, &one, &one, n, wait, out);
}

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue q, void(CL_CALLBACK *f)(void *), void *args, size_t bytes,
                                         cl_uint n_mem, const cl_mem *mems, const void **places, cl_uint n, const cl_event *wait,
                                         cl_event *out) {
    (void)f, (void)args, (void)bytes, (void)n_mem, (void)mems, (void)places, (void)n, (void)wait, (void)out;
    return object_is(q, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE; /* no CL_EXEC_NATIVE_KERNEL */
}
