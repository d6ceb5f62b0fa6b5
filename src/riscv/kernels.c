/* Kernels of a program that build.c made: read from its section .heddle.kernels, checked against the
 * machine, and launched. A launch is words in memory for the runtime (lib/layout.h) and memory for its
 * threads; the cores then start as for any program, and the runtime deals out the groups.
 *
 * The section is text, a line for the program and one for each kernel; a file that says something else there
 * is refused. Memory of a launch: what each hardware thread owns, its stack where a kilobyte in shared
 * memory is not enough, stacks of items where they are coroutines. It is kept for the next launch, and taken
 * anew when that needs more. */
#include "riscv/riscv.h"

#include "riscv/lib/layout.h"

#include <stdlib.h>

enum {
    RUNTIME_STACK_B = 384, /* of start.S and dispatch.c, below a kernel's */
    STATE_B = 112,         /* what a barrier saves, lib/start.S */
    SLOT_SPARE_B = 48,     /* at the end of an item's stack: where it stands, and what a kernel may spill there */
    PAGE_B = 4096,
};

_Static_assert((int)STATUS_BARRIER == (int)RV_STATUS_BARRIER, "the runtime and the simulator mean the same");

/* --- the table */

static bool bad_table(const struct rv_program *p, const char *line, struct diag *dg) {
    diag_error(dg, p->file, 0, 0, "its section .heddle.kernels is not as heddle writes it: \"%.*s\"",
               (int)MIN(strcspn(line, "\n"), 60), line);
    return false;
}

static bool read_program(struct rv_program *p, const char *line) {
    char map[8], diverge[8];
    u32 atomics;
    int n = sscanf(line, "program %7s %7s thread %u atomics %u v3 nests %u", map, diverge, &p->thread_b, &atomics, &p->nests);
    if (n < 4) return false;
    p->variant = n == 5 ? RV_V3 : RV_2021;
    p->lanes = strcmp(map, "lanes") == 0;
    p->split = strcmp(diverge, "split") == 0;
    p->atomics = atomics;
    return p->thread_b <= 1u << 24 && p->nests <= NEST_WORDS;
}

static bool find_entry(const struct rv_program *p, struct rv_function *f) {
    char name[300];
    u64 at, size;
    snprintf(name, sizeof(name), "heddle_run_%s", f->name);
    if (!riscv_frontend.symbol(p, name, &at, &size)) return false;
    f->entry = (u32)at;
    return true;
}

/* " SIZE@OFFSET", and ":TYPE" of an image or a sampler; where it ends, or NULL */
static const char *read_parameter(struct rv_program *p, struct rv_function *f, u32 i, const char *line) {
    u32 size, at;
    int used = 0;
    char type[24] = "";
    if (sscanf(line, " %u@%u%n", &size, &at, &used) != 2 || !size || size > 256 || at > RV_ARGS_B / 2) return NULL;
    line += used;
    f->opaque[i] = NONE;
    if (*line == ':') {
        if (sscanf(line, ":%23[a-z0-9_]%n", type, &used) != 1 || size != 4 || at % 4) return NULL;
        f->opaque[i] = rv_opaque(type);
        if (f->opaque[i] == NONE) return NULL;
        line += used;
    }
    f->args[i] = (struct kernel_param){.name = arena_printf(&p->image.arena, "%u", i),
                                       .offset_b = at,
                                       .size_b = size,
                                       .align_b = MIN(size, 16u),
                                       .is_ptr = f->opaque[i] != NONE,
                                       .ptr_space = SPACE_TEX};
    return line;
}

static bool read_kernel(struct rv_program *p, const char *line) {
    char name[256];
    struct rv_function f = {0};
    u32 barrier;
    int used = 0;
    if (sscanf(line, "kernel %255s barrier %u local %u stack %u size %u %u %u args %u%n", name, &barrier, &f.local_b, &f.stack_b,
               &f.required[0], &f.required[1], &f.required[2], &f.nargs, &used) != 8)
        return false;
    if (f.nargs > RV_TABLE_ARGS || f.local_b > 1u << 24 || f.stack_b > 1u << 24) return false;
    f.barrier = barrier;
    f.name = arena_strdup(&p->image.arena, name, strlen(name));
    f.args = ARENA_ARRAY(&p->image.arena, struct kernel_param, f.nargs + 1);
    f.opaque = ARENA_ARRAY(&p->image.arena, i32, f.nargs + 1);
    line += used;
    for (u32 i = 0; i < f.nargs && line; i++) line = read_parameter(p, &f, i, line);
    if (!line) return false;
    if (!find_entry(p, &f)) return false;
    VEC_PUSH(&p->functions, f);
    return true;
}

bool rv_kernels_read(struct rv_program *p, struct diag *dg) {
    const char *at = p->image.kernels;
    if (!at) return true;
    if (!read_program(p, at)) return bad_table(p, at, dg);
    for (at += strcspn(at, "\n"); *at == '\n' && at[1]; at += strcspn(at, "\n"))
        if (!read_kernel(p, ++at)) return bad_table(p, at, dg);
    return p->functions.n || bad_table(p, "no kernel", dg);
}

/* --- kernels for a machine */

struct dealer { /* kernel.place_with */
    struct rv_program *p;
    const struct rv_function *f;
    struct rv_machine m;
};

static bool fits_machine(const struct rv_program *p, const struct rv_function *f, const struct rv_machine *m, struct diag *dg) {
    if (m->lanes_n > 32)
        diag_error(dg, p->file, 0, 0, "warps of %u threads (sm.warp_size): a thread mask of Vortex has 32 bits", m->lanes_n);
    else if (m->variant != p->variant)
        diag_error(dg, p->file, 0, 0, "compiled for Vortex %s; the machine has isa.vortex = %s",
                   p->variant == RV_V3 ? "v3" : "of 2021", m->variant == RV_V3 ? "v3" : "2021");
    else if (m->lanes != p->lanes)
        diag_error(dg, p->file, 0, 0, "compiled for runtime.map = %s, which is not the machine's", p->lanes ? "lanes" : "group");
    else if (m->diverge == RV_SPLIT && !p->split)
        diag_error(dg, p->file, 0, 0, "compiled without split and join, which isa.vortex.diverge = split needs");
    else if (m->diverge != RV_SPLIT && p->split)
        diag_error(
            dg, p->file, 0, 0,
            "compiled with split, join and pred, which isa.vortex.diverge = ipdom does not take: compile it for ipdom, or set "
            "isa.vortex.diverge = split");
    else if (p->atomics && !m->atomics)
        diag_error(dg, p->file, 0, 0,
                   "the program uses atomics, which the machine does not have (isa.riscv.ext = imf): set isa.riscv.ext = imaf");
    else if (m->distribution == DISTRIBUTION_DYNAMIC && !m->atomics)
        diag_error(dg, p->file, 0, 0,
                   "runtime.distribution = dynamic takes groups with an atomic, which the machine does not have: set "
                   "isa.riscv.ext = imaf");
    else if (p->lanes && f->local_b > m->shared_b)
        diag_error(dg, p->file, 0, 0,
                   "kernel %s has %u bytes of __local objects, a core's local memory %u (sm.shared_b); runtime.map = group keeps "
                   "them in ordinary memory",
                   f->name, f->local_b, m->shared_b);
    return !dg->errors;
}

/* --- launches */

struct plan { /* memory of a launch, from `at` on */
    u32 items, rounds, slot_b, stack_b, stack_end;
    bool stack_in_core;                       /* stacks lie at the end of a core's shared memory */
    u32 nest_b, thread_b;                     /* a thread's words before its item; all that it has of its own */
    u64 threads, slots, stacks, cores, bytes; /* where each part begins, and all of it */
};

static u64 up_to(u64 n, u64 step) { return (n + step - 1) / step * step; }

/* Stacks where programs for the variant have them, if they suffice there: stack_end, or 0 for memory of the
 * launch. 2021: in shared memory, a kilobyte a thread. v3: in ordinary memory, 8 a thread. */
static void plan_stacks(const struct dealer *d, u64 harts, struct plan *x) {
    u64 need = RUNTIME_STACK_B + (d->f->barrier ? 0 : d->f->stack_b);
    bool v3 = d->m.variant == RV_V3;
    if (v3 && need <= RV_STACK_V3_B && harts <= RV_STACKS_V3_B / RV_STACK_V3_B) {
        x->stack_end = RV_LOCAL_V3;
        x->stack_b = RV_STACK_V3_B;
    } else if (!v3 && !d->p->lanes && need <= RV_STACK_2021_B) {
        x->stack_end = RV_STACK_2021;
        x->stack_b = RV_STACK_2021_B;
        x->stack_in_core = true;
    } else x->stack_b = (u32)up_to(need, 64);
}

static struct plan plan_of(const struct dealer *d, u64 items) {
    const struct rv_machine *m = &d->m;
    struct plan x = {.items = (u32)items};
    u64 of_core = (u64)m->warps * m->lanes_n, harts = of_core * m->cores;
    plan_stacks(d, harts, &x);
    x.rounds = (u32)(d->p->lanes ? (items + of_core - 1) / of_core : items);
    x.slot_b = (u32)up_to(d->f->stack_b + STATE_B + SLOT_SPARE_B, 16);
    x.nest_b = (u32)up_to(4 * (u64)d->p->nests, ITEM_B); /* as what lies behind it is aligned */
    x.thread_b = (u32)up_to((u64)x.nest_b + ITEM_B + d->p->thread_b, 64);
    x.slots = up_to(harts * x.thread_b, 64);
    x.stacks = x.slots + (d->f->barrier ? harts * x.rounds * x.slot_b : 0);
    x.cores = x.stacks + (x.stack_end ? 0 : harts * x.stack_b);
    x.bytes = x.cores + (u64)m->cores * CORE_B;
    return x;
}

static bool take_memory(struct rv_program *p, struct memory *mem, u64 bytes, struct strbuf *why) {
    if (p->area_b >= bytes) return true;
    if (p->area) memory_free(mem, p->area, OWNER_MODULE);
    p->area_b = 0;
    p->area = memory_alloc_below(mem, bytes, PAGE_B, LAUNCH_AT, OWNER_MODULE, false);
    if (p->area) p->area_b = bytes;
    else
        strbuf_add(why, "no room for the %llu bytes that its threads and work-items need below 0x%x", (unsigned long long)bytes,
                   LAUNCH_AT);
    return p->area != 0;
}

/* The product, or UINT64_MAX where 64 bits do not hold it */
static u64 product(const u32 n[3]) {
    u64 xy = (u64)n[0] * n[1], xyz;
    return __builtin_mul_overflow(xy, n[2], &xyz) ? UINT64_MAX : xyz;
}

/* Whether the items of each dimension, and all groups and items of a group, can be counted */
static bool countable(const struct kernel_launch *l, struct strbuf *why) {
    bool ok = !(product(l->grid) >> 31) && !(product(l->block) >> 31);
    for (u32 i = 0; i < 3; i++) ok = ok && !((u64)l->grid[i] * l->block[i] >> 32);
    if (!ok)
        strbuf_add(why, "%u x %u x %u groups of %u x %u x %u work-items are more than 32-bit programs count", l->grid[0],
                   l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    return ok;
}

/* The manifest's groups, or those of runtime.local where it leaves that free */
static bool choose_groups(const struct dealer *d, struct kernel_launch *l, struct strbuf *why) {
    u32 local = d->m.local;
    if (!local) return true;
    if (!l->local_free || d->f->required[0]) {
        if (!d->p->local_said)
            fprintf(stderr, "heddle: warning: runtime.local = %u does nothing for kernel '%s': %s\n", local, d->f->name,
                    d->f->required[0] ? "its reqd_work_group_size says the size of its groups"
                                      : "its launch does not leave the size of groups free (\"local\": \"free\")");
        d->p->local_said = true;
        return true;
    }
    u64 x = (u64)l->grid[0] * l->block[0];
    if (x % local) {
        strbuf_add(why, "runtime.local = %u does not divide the %llu work-items of its first dimension", local,
                   (unsigned long long)x);
        return false;
    }
    *l = (struct kernel_launch){{(u32)(x / local), l->grid[1] * l->block[1], l->grid[2] * l->block[2]},
                                {local, 1, 1},
                                l->params,
                                l->params_b,
                                true,
                                l->uniform};
    return true;
}

static void write_launch(const struct dealer *d, struct memory *mem, const struct kernel_launch *l, const struct plan *x) {
    u8 *to = memory_host(mem, LAUNCH_AT, RV_ARGS_B);
    u64 at = d->p->area;
    const struct {
        u32 at, value;
    } words[] = {
        {LAUNCH_ENTRY, d->f->entry},
        {LAUNCH_GROUPS, l->grid[0] * l->grid[1] * l->grid[2]},
        {LAUNCH_COUNT, l->grid[0]},
        {LAUNCH_COUNT + 4, l->grid[1]},
        {LAUNCH_COUNT + 8, l->grid[2]},
        {LAUNCH_SIZE, l->block[0]},
        {LAUNCH_SIZE + 4, l->block[1]},
        {LAUNCH_SIZE + 8, l->block[2]},
        {LAUNCH_ITEMS, x->items},
        {LAUNCH_DIMS, l->grid[2] * l->block[2] > 1   ? 3
                      : l->grid[1] * l->block[1] > 1 ? 2
                                                     : 1},
        {LAUNCH_MAP, d->p->lanes ? MAP_LANES : MAP_GROUP},
        {LAUNCH_COROUTINES, d->f->barrier},
        {LAUNCH_DISTRIBUTION, d->m.distribution},
        {LAUNCH_NEXT, 0},
        {LAUNCH_THREAD_AT, (u32)at + x->nest_b},
        {LAUNCH_THREAD_B, x->thread_b},
        {LAUNCH_STACK_AT, x->stack_end ? x->stack_end : (u32)(at + x->stacks + x->stack_b)},
        {LAUNCH_STACK_B, x->stack_end ? x->stack_b : 0 - x->stack_b}, /* those of the launch lie upwards */
        {LAUNCH_STACK_CORE, x->stack_in_core},
        {LAUNCH_SLOTS_AT, (u32)(at + x->slots)},
        {LAUNCH_SLOTS_B, x->rounds * x->slot_b},
        {LAUNCH_SLOT_B, x->slot_b},
        {LAUNCH_ROUNDS, x->rounds},
        {LAUNCH_CORE_AT, (u32)(at + x->cores)},
    };
    for (u32 i = 0; i < ARRAY_LEN(words); i++) memcpy(to + words[i].at, &words[i].value, 4);
    memcpy(to + LAUNCH_ARGUMENTS, l->params, l->params_b);
    memset(memory_host(mem, at + x->cores, (u64)d->m.cores * CORE_B), 0, (size_t)d->m.cores * CORE_B);
}

/* kernel.place */
static bool place(const struct kernel *k, struct memory *mem, struct kernel_launch *l, struct strbuf *why) {
    const struct dealer *d = k->place_with;
    if (d->p->split && d->m.diverge == RV_SPLIT && !d->p->lanes && d->f->barrier && !l->uniform) {
        strbuf_add(why, "it has barriers, which the threads of a warp reach in different groups under runtime.map = group; with "
                        "isa.vortex.diverge = split "
                        "they must reach them together: say so in the manifest (\"barriers\": \"uniform\"), or take runtime.map "
                        "= lanes or isa.vortex.diverge = ipdom");
        return false;
    }
    if (!countable(l, why) || !choose_groups(d, l, why) || !countable(l, why)) return false;
    struct plan x = plan_of(d, product(l->block));
    if (!take_memory(d->p, mem, x.bytes, why)) return false;
    write_launch(d, mem, l, &x);
    if (!rv_describe(d->f, mem, why)) return false;
    l->grid[0] = d->m.cores, l->block[0] = d->m.warps * d->m.lanes_n;
    l->grid[1] = l->grid[2] = l->block[1] = l->block[2] = 1;
    return true;
}

struct kernel *rv_kernel_lower(struct rv_program *p, u32 i, const struct rv_machine *m, struct arena *arena, struct diag *dg) {
    const struct rv_function *f = &p->functions.at[i];
    if (!fits_machine(p, f, m, dg)) return NULL;
    struct kernel *k = rv_lower(p, m, arena, dg);
    struct dealer *d = ARENA_NEW(arena, struct dealer);
    *d = (struct dealer){p, f, *m};
    k->name = k->funcs[0].name = f->name;
    k->nparams = f->nargs;
    k->params = f->args;
    for (u32 a = 0; a < f->nargs; a++) k->param_b = MAX(k->param_b, f->args[a].offset_b + f->args[a].size_b);
    memcpy(k->reqntid, f->required, sizeof(k->reqntid));
    k->place = place;
    k->place_with = d;
    return k;
}
