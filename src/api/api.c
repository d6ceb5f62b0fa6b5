/* libheddle: contexts, modules, memory and launches on top of front/, func/ and, with a machine, gpu/. See
 * include/heddle.h for the contract. */
#include "api/api.h"
#include "front/front.h"
#include "func/rowops.h"

#include <stdlib.h>
#include <string.h>

#define VERSION "0.1.0"

enum {
    MAX_BLOCK_THREADS = 1024,
    MAX_BLOCK_Z = 64,
    MAX_SHARED_B = 227 * 1024,
    MAX_LOCAL_B = 512 * 1024,
    MAX_GRID_YZ = 65535,
    MAX_REGISTERS = 255
};
enum { WORKSPACE_B = 256 }; /* for barriers of the whole grid */
#define DEFAULT_MAX_INSTRUCTIONS 1000000000000ull
#define DEFAULT_MAX_MEMORY       (16ull << 30)

struct heddle_kernel {
    struct heddle_module *module;
    u32 index;        /* in its program */
    struct kernel *k; /* NULL until first needed, or when lowering failed */
    bool tried;
    u64 variant;          /* of the machine it was lowered for; another one lowers it again */
    struct strbuf errors; /* of the lowering */
};

struct heddle_module {
    struct heddle_module *next; /* in heddle.modules */
    const struct frontend *frontend;
    void *program; /* the front end's */
    char *file;
    struct arena arena; /* of the kernels */
    u32 nkernels;
    struct heddle_kernel *kernels;
};

int api_fail(struct heddle *h, int status, const char *fmt, ...) {
    strbuf_free(&h->message);
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&h->message, fmt, ap);
    va_end(ap);
    text_make_safe(h->message.s);
    text_demangle_all(&h->message);
    return status;
}

const char *heddle_version(void) { return VERSION; }
const char *heddle_message(const struct heddle *h) { return h->message.s ? h->message.s : ""; }

struct heddle *heddle_open(const struct heddle_options *opt) {
    struct heddle_options o = opt ? *opt : (struct heddle_options){0};
    if (!o.warp_size) o.warp_size = 32;
    if (!o.max_instructions) o.max_instructions = DEFAULT_MAX_INSTRUCTIONS;
    if (!o.max_memory_b) o.max_memory_b = DEFAULT_MAX_MEMORY;
    if (o.warp_size > MAX_WARP) return NULL;
    struct heddle *h = base_alloc(sizeof(*h));
    h->opt = o;
    h->mem.limit_b = o.max_memory_b;
    h->mem.textures = &h->textures;
    return h;
}

void heddle_close(struct heddle *h) {
    if (!h) return;
    timing_close(h);
    while (h->modules) heddle_module_free(h, h->modules);
    memory_release(&h->mem);
    free(h->textures.at.at);
    strbuf_free(&h->message);
    free(h);
}

/* --- modules */

/* The messages of dg become the context's */
static int fail_with(struct heddle *h, struct diag *dg, const char *otherwise) {
    int rc = api_fail(h, HEDDLE_BAD_INPUT, "%s", dg->text.s ? dg->text.s : otherwise);
    diag_free(dg);
    return rc;
}

int api_module_load(struct heddle *h, const struct frontend *f, const char *name, const u8 *bytes, size_t len,
                    struct heddle_module **out) {
    struct diag dg = {0};
    *out = NULL;
    void *program = diag_limit(&dg, name, LIMIT_PROGRAM, len) ? front_load(f, name, bytes, len, &h->mem, &dg) : NULL;
    if (!program) return fail_with(h, &dg, "unreadable module\n");
    diag_free(&dg);
    struct heddle_module *m = base_alloc(sizeof(*m));
    *m = (struct heddle_module){
        .next = h->modules, .frontend = f, .program = program, .file = strdup(name), .nkernels = f->kernels(program)};
    m->kernels = base_alloc(sizeof(*m->kernels) * (m->nkernels + 1u));
    for (u32 i = 0; i < m->nkernels; i++) m->kernels[i] = (struct heddle_kernel){.module = m, .index = i};
    h->modules = m;
    *out = m;
    return HEDDLE_OK;
}

int heddle_module_load(struct heddle *h, const char *name, const char *text, size_t len, struct heddle_module **out) {
    const struct frontend *f = front_find(name, (const u8 *)text, len);
    *out = NULL;
    if (f) return api_module_load(h, f, name, (const u8 *)text, len, out);
    struct strbuf why = {0};
    front_refuse((const u8 *)text, len, &why);
    api_fail(h, HEDDLE_BAD_INPUT, "%s: error: %s\n", name, why.s);
    strbuf_free(&why);
    return HEDDLE_BAD_INPUT;
}

int heddle_module_load_file(struct heddle *h, const char *path, struct heddle_module **out) {
    size_t len;
    struct strbuf why = {0};
    char *text = limit_read_file(path, LIMIT_PROGRAM, &len, &why);
    *out = NULL;
    int rc = text ? heddle_module_load(h, path, text, len, out)
                  : api_fail(h, HEDDLE_BAD_INPUT, "%s: error: cannot read: %s\n", path, why.s);
    strbuf_free(&why);
    free(text);
    return rc;
}

void heddle_module_free(struct heddle *h, struct heddle_module *m) {
    if (!m) return;
    for (struct heddle_module **at = &h->modules; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    for (u32 i = 0; i < m->nkernels; i++) strbuf_free(&m->kernels[i].errors);
    m->frontend->free(m->program, &h->mem);
    arena_free(&m->arena);
    free(m->kernels);
    free(m->file);
    free(m);
}

const char *heddle_module_frontend(const struct heddle_module *m) { return m->frontend->name; }
uint32_t heddle_module_kernels(const struct heddle_module *m) { return m->nkernels; }
struct heddle_kernel *heddle_module_kernel_at(struct heddle_module *m, uint32_t i) {
    return i < m->nkernels ? &m->kernels[i] : NULL;
}

struct heddle_kernel *heddle_module_kernel(struct heddle_module *m, const char *name) {
    for (u32 i = 0; i < m->nkernels; i++)
        if (strcmp(m->frontend->kernel_name(m->program, i), name) == 0) return &m->kernels[i];
    return NULL;
}

int heddle_module_symbol(struct heddle *h, struct heddle_module *m, const char *name, uint64_t *addr, uint64_t *size) {
    u64 a, n;
    if (!m->frontend->symbol(m->program, name, &a, &n))
        return api_fail(h, HEDDLE_BAD_INPUT, "%s: error: no global or constant variable '%s'\n", m->file, name);
    if (addr) *addr = a;
    if (size) *size = n;
    return HEDDLE_OK;
}

int heddle_texture_bind(struct heddle *h, struct heddle_module *m, const char *name, const struct heddle_texture *t) {
    u64 a, n;
    if (!m->frontend->symbol(m->program, name, &a, &n) || !tex_find(&h->textures, a))
        return api_fail(h, HEDDLE_BAD_INPUT, "%s: error: no texture, sampler or surface reference '%s'\n", m->file, name);
    return texture_bind(h, a, t);
}

/* --- kernels: lowered when first asked for, so that one bad kernel does not spoil its module */

static struct kernel *lowered(struct heddle *h, struct heddle_kernel *hk) {
    if (!hk) {
        api_fail(h, HEDDLE_BAD_INPUT, "no kernel: heddle_module_kernel gives NULL for a name the module does not have\n");
        return NULL;
    }
    struct heddle_module *m = hk->module;
    const struct config *machine = heddle_config(h);
    u64 variant = m->frontend->variant(machine);
    if (!hk->tried || variant != hk->variant) {
        struct diag dg = {0};
        hk->tried = true;
        hk->variant = variant;
        strbuf_free(&hk->errors);
        hk->k = front_lower(m->frontend, m->program, hk->index, machine, &m->arena, &dg);
        if (!hk->k) strbuf_add(&hk->errors, "%s", dg.text.s);
        diag_free(&dg);
    }
    if (!hk->k) api_fail(h, HEDDLE_BAD_INPUT, "%s", hk->errors.s);
    return hk->k;
}

int heddle_kernel_info(struct heddle *h, struct heddle_kernel *hk, struct heddle_kernel_info *info) {
    const struct kernel *k = lowered(h, hk);
    if (!k) return HEDDLE_BAD_INPUT;
    u32 written = 0;
    for (u32 i = 0; i < k->ninst; i++) written += !(k->code[i].flags & INST_PSEUDO);
    *info = (struct heddle_kernel_info){
        .name = k->name,
        .registers = k->regs_per_thread,
        .predicates = k->preds_per_thread,
        .shared_b = k->shared_b,
        .local_b = k->local_b,
        .const_b = k->const_b,
        .param_b = k->param_b,
        .nparams = k->nparams,
        .instructions = written,
        .max_threads = k->max_threads,
        .reqntid = {k->reqntid[0], k->reqntid[1], k->reqntid[2]},
        .recursive = k->recursive,
        .refused = k->refuse,
    };
    return HEDDLE_OK;
}

int heddle_kernel_param(struct heddle *h, struct heddle_kernel *hk, uint32_t i, struct heddle_param_info *info) {
    const struct kernel *k = lowered(h, hk);
    if (!k) return HEDDLE_BAD_INPUT;
    if (i >= k->nparams)
        return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s' has %u parameters; there is no parameter %u\n", k->name, k->nparams, i);
    const struct kernel_param *p = &k->params[i];
    *info = (struct heddle_param_info){.name = p->name,
                                       .offset_b = p->offset_b,
                                       .size_b = p->size_b,
                                       .align_b = p->align_b,
                                       .is_pointer = p->is_ptr,
                                       .space = p->is_ptr ? space_names[p->ptr_space] : "",
                                       .pointee_align_b = p->ptr_align_b};
    return HEDDLE_OK;
}

void heddle_kernel_disasm(struct heddle *h, struct heddle_kernel *hk, FILE *out) {
    const struct kernel *k = lowered(h, hk);
    if (k) kernel_disasm(k, out);
}

/* --- device memory */

uint64_t heddle_alloc_below(struct heddle *h, uint64_t bytes, uint64_t below) {
    u64 a = memory_alloc_below(&h->mem, bytes, 256, below, OWNER_HOST, false);
    if (!a && bytes <= h->mem.limit_b && h->mem.used_b <= h->mem.limit_b - bytes)
        api_fail(h, HEDDLE_BAD_INPUT, "out of addresses: no room for %llu bytes below 0x%llx\n", (unsigned long long)bytes,
                 (unsigned long long)below);
    else if (!a)
        api_fail(h, HEDDLE_BAD_INPUT, "out of device memory: %llu bytes asked for, %llu of %llu in use\n",
                 (unsigned long long)bytes, (unsigned long long)h->mem.used_b, (unsigned long long)h->mem.limit_b);
    return a;
}

uint64_t heddle_alloc(struct heddle *h, uint64_t bytes) { return heddle_alloc_below(h, bytes, GLOBAL_END); }

uint64_t heddle_alloc_at(struct heddle *h, uint64_t at, uint64_t bytes) {
    const char *why = memory_place(&h->mem, at, bytes);
    if (why) api_fail(h, HEDDLE_BAD_INPUT, "%llu bytes at 0x%llx: %s\n", (unsigned long long)bytes, (unsigned long long)at, why);
    return why ? 0 : at;
}

int heddle_free(struct heddle *h, uint64_t addr) {
    if (memory_free(&h->mem, addr, OWNER_HOST)) return HEDDLE_OK;
    return api_fail(h, HEDDLE_BAD_INPUT, "0x%llx is not the start of a live allocation of heddle_alloc\n",
                    (unsigned long long)addr);
}

static u8 *host_range(struct heddle *h, u64 addr, u64 bytes) {
    u8 *p = memory_host(&h->mem, addr, bytes);
    if (!p)
        api_fail(h, HEDDLE_BAD_INPUT, "%llu bytes at 0x%llx are not inside one live allocation\n", (unsigned long long)bytes,
                 (unsigned long long)addr);
    return p;
}

int heddle_write(struct heddle *h, uint64_t addr, const void *data, uint64_t bytes) {
    if (!bytes) return HEDDLE_OK;
    u8 *p = host_range(h, addr, bytes);
    if (!p) return HEDDLE_BAD_INPUT;
    memcpy(p, data, bytes);
    return HEDDLE_OK;
}

int heddle_read(struct heddle *h, uint64_t addr, void *data, uint64_t bytes) {
    if (!bytes) return HEDDLE_OK;
    const u8 *p = host_range(h, addr, bytes);
    if (!p) return HEDDLE_BAD_INPUT;
    memcpy(data, p, bytes);
    return HEDDLE_OK;
}

int heddle_fill(struct heddle *h, uint64_t addr, int byte, uint64_t bytes) {
    if (!bytes) return HEDDLE_OK;
    u8 *p = host_range(h, addr, bytes);
    if (!p) return HEDDLE_BAD_INPUT;
    memset(p, byte, bytes);
    return HEDDLE_OK;
}

uint64_t heddle_memory_used(const struct heddle *h) { return h->mem.used_b; }

uint64_t heddle_memory_hash(const struct heddle *h) {
    u64 hash = FNV1A64_START;
    for (u32 i = 0; i < h->mem.allocs.n; i++) {
        const struct alloc *a = &h->mem.allocs.at[i];
        if (!a->host) continue;
        hash = hash_fnv1a64(hash, &a->base, sizeof(a->base));
        hash = hash_fnv1a64(hash, a->host, a->size_b);
    }
    return hash;
}

/* --- launches */

static u64 shared_size(const struct kernel *k, const struct heddle_launch *l) {
    return l->dynamic_shared_b ? (u64)k->dynamic_at + l->dynamic_shared_b : k->shared_b;
}

static int check_empty(struct heddle *h, const struct kernel *k, const struct heddle_launch *l) {
    for (u32 i = 0; i < 3; i++)
        if (!l->grid[i] || !l->block[i])
            return api_fail(
                h, HEDDLE_BAD_INPUT,
                "kernel '%s': grid and block must be at least 1 in every dimension, found grid %u,%u,%u block %u,%u,%u\n",
                k->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    return HEDDLE_OK;
}

static int check_required(struct heddle *h, const struct kernel *k, const struct heddle_launch *l) {
    if (!k->reqntid[0] ||
        (k->reqntid[0] == l->block[0] && MAX(k->reqntid[1], 1u) == l->block[1] && MAX(k->reqntid[2], 1u) == l->block[2]))
        return HEDDLE_OK;
    return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s': its .reqntid asks for blocks of %u,%u,%u, found %u,%u,%u\n", k->name,
                    k->reqntid[0], MAX(k->reqntid[1], 1u), MAX(k->reqntid[2], 1u), l->block[0], l->block[1], l->block[2]);
}

/* Of a kernel whose program deals out groups: any number and size will do */
static int check_groups(struct heddle *h, const struct kernel *k, const struct heddle_launch *l) {
    if (l->dynamic_shared_b)
        return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s': dynamic shared memory is for PTX; declare a __local array\n", k->name);
    int rc = check_empty(h, k, l);
    return rc ? rc : check_required(h, k, l);
}

static int check_shape(struct heddle *h, const struct kernel *k, const struct heddle_launch *l) {
    int rc = check_empty(h, k, l);
    if (rc) return rc;
    if (l->grid[0] > 0x7FFFFFFF || l->grid[1] > MAX_GRID_YZ || l->grid[2] > MAX_GRID_YZ)
        return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s': a grid of %u,%u,%u is larger than 2147483647,65535,65535\n", k->name,
                        l->grid[0], l->grid[1], l->grid[2]);
    u64 threads = (u64)l->block[0] * l->block[1] * l->block[2];
    u32 most = k->first_warps   ? MAX_WARP * MAX_WARP
               : k->max_threads ? MIN(k->max_threads, (u32)MAX_BLOCK_THREADS)
                                : MAX_BLOCK_THREADS;
    if (threads > most || (l->block[0] > MAX_BLOCK_THREADS && !k->first_warps) || l->block[1] > MAX_BLOCK_THREADS)
        return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s': a block of %llu threads is larger than %s %u\n", k->name,
                        (unsigned long long)threads, most < MAX_BLOCK_THREADS ? "the kernel's .maxntid of" : "the limit of",
                        most);
    if (l->block[2] > MAX_BLOCK_Z)
        return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s': a block of %u,%u,%u is larger than 1024,1024,64\n", k->name,
                        l->block[0], l->block[1], l->block[2]);
    rc = k->place ? HEDDLE_OK : check_required(h, k, l);
    if (rc) return rc;
    if (l->registers > MAX_REGISTERS)
        return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s': a thread cannot have %u registers; the limit is %d\n", k->name,
                        l->registers, MAX_REGISTERS);
    u64 shared = shared_size(k, l);
    if (shared > MAX_SHARED_B)
        return api_fail(
            h, HEDDLE_BAD_INPUT,
            "kernel '%s': %llu bytes of shared memory a block (%u static, %u dynamic) are more than the limit of %d%s\n", k->name,
            (unsigned long long)shared, k->shared_b, l->dynamic_shared_b, MAX_SHARED_B,
            k->first_warps ? "; the stacks of all threads of a core lie there: take a machine with fewer threads, such as "
                             "vortex2021, or a smaller sm.warps or sm.shared_b"
                           : "");
    if (k->local_b > MAX_LOCAL_B)
        return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s': %u bytes of local memory a thread are more than the limit of %d\n",
                        k->name, k->local_b, MAX_LOCAL_B);
    return HEDDLE_OK;
}

static int fill_params(struct heddle *h, const struct kernel *k, const struct heddle_launch *l, u8 *params) {
    if (l->nargs != k->nparams)
        return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s' takes %u parameters, found %u\n", k->name, k->nparams, l->nargs);
    for (u32 i = 0; i < l->nargs; i++) {
        if (l->args[i].size_b != k->params[i].size_b)
            return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s': parameter %u ('%s') has %u bytes, found %u\n", k->name, i,
                            k->params[i].name, k->params[i].size_b, l->args[i].size_b);
        memcpy(params + k->params[i].offset_b, l->args[i].data, l->args[i].size_b);
    }
    return HEDDLE_OK;
}

/* What a launch becomes where the program deals out groups itself: cores and their threads */
static int place(struct heddle *h, const struct kernel *k, struct heddle_launch *l, const u8 *params) {
    struct kernel_launch x = {{l->grid[0], l->grid[1], l->grid[2]},
                              {l->block[0], l->block[1], l->block[2]},
                              params,
                              k->param_b,
                              l->local_free,
                              l->uniform_barriers};
    struct strbuf why = {0};
    bool ok = k->place(k, &h->mem, &x, &why);
    if (!ok) api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s' cannot run: %s\n", k->name, why.s);
    strbuf_free(&why);
    memcpy(l->grid, x.grid, sizeof(l->grid));
    memcpy(l->block, x.block, sizeof(l->block));
    return ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
}

struct ticker { /* turns the simulator's frequent ticks into about ten a second */
    struct heddle *h;
    double start, last;
};

static void tick(void *user, const struct launch *l, u64 done, u64 total) {
    struct ticker *t = user;
    double now = clock_seconds();
    if (now - t->last < 0.1) return;
    t->last = now;
    struct heddle_progress p = {l->k->name, done, total, l->instructions, l->timed ? l->clock : 0, now - t->start};
    t->h->opt.progress(t->h->opt.progress_user, &p);
}

static void collect(const struct launch *l, double seconds, struct heddle_result *r) {
    *r = (struct heddle_result){.wall_seconds = seconds, .divergent_branches = l->divergent, .remark = l->k->remark};
    for (u32 pc = 0; pc < l->k->ninst; pc++) {
        const struct inst *in = &l->k->code[pc];
        const struct pc_count *c = &l->counts[pc];
        if (in->flags & INST_PSEUDO) continue;
        r->warp_instructions += c->warps;
        r->thread_instructions += c->lanes;
        r->class_warp_instructions[in->iclass] += c->warps;
        if (in->flags & INST_RUNTIME) r->runtime_warp_instructions += c->warps;
        bool global = in->space == SPACE_GLOBAL || in->space == SPACE_GENERIC;
        if (in->iclass == ICLASS_LOAD && global) r->global_loads += c->warps;
        if (in->iclass == ICLASS_STORE && global) r->global_stores += c->warps;
    }
    r->ctas = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    r->threads = r->ctas * l->threads;
    r->warps = r->ctas * ((l->threads + l->warp_size - 1) / l->warp_size);
}

static void collect_timed(const struct launch_stats *s, struct heddle_result *r) {
    r->timed = !s->functional;
    r->cycles = s->cycles;
}

static int run(struct heddle *h, const struct kernel *k, const struct heddle_launch *hl, const u8 *params,
               struct heddle_result *r) {
    struct ticker t = {h, clock_seconds(), clock_seconds()};
    const struct heddle_options *o = &h->opt;
    struct launch l = {
        .k = k,
        .mem = &h->mem,
        .port = memport_direct(&h->mem),
        .ops = rowops_host(),
        .grid = {hl->grid[0], hl->grid[1], hl->grid[2]},
        .block = {hl->block[0], hl->block[1], hl->block[2]},
        .threads = hl->block[0] * hl->block[1] * hl->block[2],
        .warp_size = timing_warp_size(h),
        .shared_b = (u32)shared_size(k, hl),
        .dynamic_shared_b = hl->dynamic_shared_b,
        .params = params,
        .workspace = k->meets_grid ? memory_alloc(&h->mem, WORKSPACE_B, 256, OWNER_MODULE, false) : 0,
        .hints = base_alloc(sizeof(u32) * k->ninst),
        .counts = base_alloc(sizeof(struct pc_count) * k->ninst),
        .runs = base_alloc(sizeof(struct pc_count) * (k->ninst + 1u)),
        .max_instructions = o->max_instructions,
        .program_out = o->program_out,
        .trace = o->trace && (!o->trace_kernel || strcmp(o->trace_kernel, k->name) == 0) ? o->trace : NULL,
        .trace_cta = o->trace_cta_only ? o->trace_cta : NONE,
        .trace_warp = o->trace_warp_only ? o->trace_warp : NONE,
        .tick = o->progress ? tick : NULL,
        .tick_user = &t,
        .stop = &h->time.stop,
    };
    u32 registers = hl->registers ? hl->registers : k->regs_per_thread;
    int rc = h->time.on && !o->functional ? timing_launch(h, &l, registers, hl->functional)
             : launch_run(&l)             ? HEDDLE_OK
             : l.stopped                  ? timing_stopped(h, &l)
                                          : api_fail(h, HEDDLE_FAULT, "%s", l.fault.s);
    if (k->finish) k->finish(&l);
    if (!rc && l.faulted) rc = api_fail(h, HEDDLE_FAULT, "%s", l.fault.s);
    if (l.workspace) memory_free(&h->mem, l.workspace, OWNER_MODULE);
    pc_count_settle(l.counts, l.runs, k->ninst);
    collect(&l, clock_seconds() - t.start, r);
    r->registers = registers;
    if (heddle_launch_stats(h)) collect_timed(heddle_launch_stats(h), r);
    strbuf_free(&l.fault);
    free(l.hints);
    free(l.counts);
    free(l.runs);
    return rc;
}

int heddle_launch(struct heddle *h, struct heddle_kernel *hk, const struct heddle_launch *l, struct heddle_result *r) {
    struct heddle_result unused;
    if (!r) r = &unused;
    *r = (struct heddle_result){0};
    const struct kernel *k = lowered(h, hk);
    if (!k) return HEDDLE_BAD_INPUT;
    if (k->refuse) return api_fail(h, HEDDLE_BAD_INPUT, "kernel '%s' cannot run: %s\n", k->name, k->refuse);
    if (k->needs_warp32 && timing_warp_size(h) != 32)
        return api_fail(
            h, HEDDLE_BAD_INPUT,
            "kernel '%s' uses lane ids, shuffles, votes or matrices, which are defined for warps of 32 lanes only; the "
            "warp size is %u\n",
            k->name, timing_warp_size(h));
    struct heddle_launch shape = *l;
    int rc = k->place ? check_groups(h, k, l) : check_shape(h, k, l);
    if (rc) return rc;
    u8 *params = base_alloc(k->param_b + 64u);
    rc = fill_params(h, k, l, params);
    if (!rc && k->place) rc = place(h, k, &shape, params);
    if (!rc && k->place) rc = check_shape(h, k, &shape);
    if (!rc) rc = run(h, k, &shape, params, r);
    free(params);
    return rc;
}

uint32_t heddle_classes(void) { return ICLASS_COUNT; }
const char *heddle_class_name(uint32_t i) { return i < ICLASS_COUNT ? iclass_table[i].name : NULL; }
const char *heddle_class_doc(uint32_t i) { return i < ICLASS_COUNT ? iclass_table[i].doc : NULL; }
