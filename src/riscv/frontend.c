/* The RISC-V front end: a program's image into device memory, and its one kernel, which starts at its
 * entry on one lane of one warp of every core.
 *
 * Memory, beside the image and 1 MiB behind it: arguments at 0x7FFF0000; 2021: a core's shared memory,
 * which holds its stacks, up to 0xFF000000, 64 KiB of uncached memory from there on, where programs leave
 * their counters at exit, and the console at 0xFFFFFFC0; v3: stacks below 0xFFFF0000,
 * local memory from there, the console at 0x40 and the exit status at 0x8348. Elsewhere there is nothing.
 * Console bytes of one address (Vortex gives each thread one of 64) are printed a line at a time. */
#include "riscv/riscv.h"

#include "config/config.h"
#include "riscv/compile.h"
#include "riscv/lib/layout.h"

#include <stdlib.h>

enum { PAGE_B = 4096 };

/* --- loading */

static void unload(struct rv_program *p, struct memory *mem) {
    for (u32 i = 0; i < p->mapped.n; i++) memory_free(mem, p->mapped.at[i], OWNER_MODULE);
    for (u32 i = 0; i < RV_CONSOLES; i++) free(p->shared.console[i].line.at);
    free(p->shared.reserved.at), free(p->shared.claims.at), free(p->shared.perf.at), free(p->shared.textures.at);
    free(p->functions.at);
    if (p->area) memory_free(mem, p->area, OWNER_MODULE);
    free(p->mapped.at);
    free(p->lines.rows.at);
    rv_image_free(&p->image);
    free(p->file);
    free(p);
}

static bool map(struct rv_program *p, struct memory *mem, u64 at, u64 bytes, const char *what, struct diag *dg) {
    const char *why = memory_map(mem, at, bytes, OWNER_MODULE, false);
    if (why) {
        diag_error(dg, p->file, 0, 0, "%s (%llu bytes at 0x%llx) cannot be placed: %s", what, (unsigned long long)bytes,
                   (unsigned long long)at, why);
        return false;
    }
    VEC_PUSH(&p->mapped, at);
    return true;
}

static int by_place(const void *a, const void *b) {
    const struct rv_segment *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static u64 page_end(const struct rv_segment *g) { return (g->at + g->size_b + PAGE_B - 1) / PAGE_B * PAGE_B; }

/* In order of place, none over another */
static bool sort_segments(struct rv_program *p, struct diag *dg) {
    struct rv_image *im = &p->image;
    qsort(im->segments.at, im->segments.n, sizeof(*im->segments.at), by_place);
    for (u32 i = 1; i < im->segments.n; i++) {
        const struct rv_segment *a = &im->segments.at[i - 1], *b = &im->segments.at[i];
        if (b->at - a->at >= a->size_b) continue;
        diag_error(dg, p->file, 0, 0, "a segment at 0x%llx lies over the one of %llu bytes at 0x%llx", (unsigned long long)b->at,
                   (unsigned long long)a->size_b, (unsigned long long)a->at);
        return false;
    }
    return true;
}

/* Segments that share a page share an allocation; behind the last one programs find their heap */
static bool map_segments(struct rv_program *p, struct memory *mem, struct diag *dg) {
    struct rv_image *im = &p->image;
    for (u32 i = 0; i < im->segments.n;) {
        u64 from = im->segments.at[i].at / PAGE_B * PAGE_B, to = page_end(&im->segments.at[i]);
        for (i++; i < im->segments.n && im->segments.at[i].at <= to; i++) to = MAX(to, page_end(&im->segments.at[i]));
        if (i == im->segments.n) to += RV_HEAP_B;
        if (!from) from = 64; /* nothing lies at the null pointer */
        if (!map(p, mem, from, to - from, "the image", dg)) return false;
    }
    for (u32 i = 0; i < im->segments.n; i++) {
        const struct rv_segment *g = &im->segments.at[i];
        u8 *to = memory_host(mem, g->at, g->file_b);
        if (!to && g->file_b) {
            diag_error(dg, p->file, 0, 0, "a segment at 0x%llx lies at the null pointer", (unsigned long long)g->at);
            return false;
        }
        if (g->file_b) memcpy(to, g->bytes, g->file_b);
    }
    return true;
}

/* The arguments have a place of their own, which a linker without a script puts the file's headers into */
static bool map_arguments(struct rv_program *p, struct memory *mem, struct diag *dg) {
    for (u32 i = 0; i < p->image.segments.n; i++) {
        const struct rv_segment *g = &p->image.segments.at[i];
        if (g->at >= RV_ARGS + RV_ARGS_B || page_end(g) <= RV_ARGS) continue;
        diag_error(
            dg, p->file, 0, 0,
            "its segment at 0x%llx lies in the arguments' place (%u bytes at 0x%llx); link it elsewhere, or, where only the "
            "file's headers lie there, with -Wl,--nmagic",
            (unsigned long long)g->at, RV_ARGS_B, (unsigned long long)RV_ARGS);
        return false;
    }
    return map(p, mem, RV_ARGS, RV_ARGS_B, "the arguments' place", dg);
}

/* From the first to the last word of code; what is between is decoded and faults when it is run */
static bool find_text(struct rv_program *p, struct diag *dg) {
    u64 from = UINT64_MAX, to = 0;
    for (u32 i = 0; i < p->image.segments.n; i++) {
        const struct rv_segment *g = &p->image.segments.at[i];
        if (!g->code) continue;
        from = MIN(from, g->at);
        to = MAX(to, (g->at + g->file_b + 3) / 4 * 4);
    }
    p->text_at = from;
    p->text_b = to - from;
    if (p->text_b <= 8 << 20) return true;
    diag_error(dg, p->file, 0, 0,
               "its code spans %llu bytes, more than the 8 MiB that are decoded; link its segments closer together",
               (unsigned long long)p->text_b);
    return false;
}

static void *load(const char *file, const u8 *bytes, size_t n, struct memory *mem, struct diag *dg) {
    struct rv_program *p = base_alloc(sizeof(*p));
    p->file = strdup(file);
    p->mem = mem;
    if (!rv_image_read(&p->image, file, bytes, n, dg)) {
        free(p->file);
        free(p);
        return NULL;
    }
    p->name = riscv_frontend.alone;
    rv_lines_read(&p->lines, &p->image, &p->image.arena);
    bool ok = find_text(p, dg) && sort_segments(p, dg) && map_segments(p, mem, dg) && map_arguments(p, mem, dg) &&
              rv_kernels_read(p, dg);
    if (ok) memory_find(mem, RV_ARGS)->lent = !p->functions.n; /* the runtime's own where there are kernels */
    if (ok) return p;
    unload(p, mem);
    return NULL;
}

static void program_free(void *program, struct memory *mem) { unload(program, mem); }
static u32 kernels(const void *program) { return MAX(((const struct rv_program *)program)->functions.n, 1u); }
static const char *kernel_name(const void *program, u32 i) {
    const struct rv_program *p = program;
    return p->functions.n ? p->functions.at[i].name : p->name;
}

static bool symbol(const void *program, const char *name, u64 *address, u64 *size_b) {
    const struct rv_program *p = program;
    for (u32 i = 0; i < p->image.symbols.n; i++)
        if (strcmp(p->image.symbols.at[i].name, name) == 0) {
            *address = p->image.symbols.at[i].at;
            *size_b = p->image.symbols.at[i].size_b;
            return true;
        }
    return false;
}

/* --- lowering */

static struct rv_machine machine_of(const struct config *c) {
    if (!c) return (struct rv_machine){RV_2021, RV_SPLIT, true, 4, 4, 32, 1, 4 * 32 * RV_STACK_2021_B, 0, 0, 0, 0};
    struct rv_machine m = {c->vortex,
                           c->vortex_diverge,
                           c->riscv_ext,
                           c->vortex_barriers,
                           c->warps,
                           c->warp_size,
                           c->sms,
                           0,
                           c->runtime_map == MAP_LANES,
                           c->runtime_distribution,
                           c->runtime_local,
                           c->riscv_misaligned};
    m.shared_b = m.variant == RV_V3 ? (u32)RV_LOCAL_V3_B : MAX(c->shared_b, m.warps * m.lanes_n * RV_STACK_2021_B);
    return m;
}

/* Loads and stores there are the core's own: what a file has for it would never be seen */
static bool clear_of_shared(const struct rv_program *p, const struct rv_machine *m, struct diag *dg) {
    u64 from = m->variant == RV_V3 ? RV_LOCAL_V3 : RV_STACK_2021 - m->shared_b, end = from + m->shared_b;
    for (u32 i = 0; i < p->image.segments.n; i++) {
        const struct rv_segment *g = &p->image.segments.at[i];
        if (g->at >= end || g->at + g->size_b <= from) continue;
        diag_error(dg, p->file, 0, 0, "a segment of %llu bytes at 0x%llx lies in the shared memory of a core (0x%llx to 0x%llx)",
                   (unsigned long long)g->size_b, (unsigned long long)g->at, (unsigned long long)from, (unsigned long long)end);
        return false;
    }
    return true;
}

/* Hosts place data there as programs leave their counters there */
static bool map_io(struct rv_program *p, struct diag *dg) {
    if (memory_find(p->mem, RV_IO_2021)) return true;
    if (!map(p, p->mem, RV_IO_2021, RV_IO_2021_B, "the IO area", dg)) return false;
    memory_find(p->mem, RV_IO_2021)->lent = true;
    return true;
}

static struct kernel *lower(void *program, u32 i, const struct config *machine, struct arena *arena, struct diag *dg) {
    struct rv_machine m = machine_of(machine);
    struct rv_program *p = program;
    if (p->functions.n && p->lanes && machine) /* its stacks lie elsewhere */
        m.shared_b = m.variant == RV_V3 ? MIN(machine->shared_b, (u32)RV_LOCAL_V3_MOST_B) : machine->shared_b;
    if (!clear_of_shared(p, &m, dg)) return NULL;
    if (m.variant == RV_V3 && !p->stacks_v3) {
        if (!map(p, p->mem, RV_LOCAL_V3 - RV_STACKS_V3_B, RV_STACKS_V3_B, "the stacks' place", dg)) return NULL;
        p->stacks_v3 = true;
    }
    if (p->functions.n) return rv_kernel_lower(p, i, &m, arena, dg);
    if (m.variant == RV_2021 && !map_io(p, dg)) return NULL;
    return rv_lower(program, &m, arena, dg);
}

static u64 variant(const struct config *machine) {
    struct rv_machine m = machine_of(machine);
    return hash_fnv1a64(FNV1A64_START, &m, sizeof(m));
}

/* OpenCL C for this machine */
static char *build(const char *source, const struct config *machine, size_t *len, struct diag *dg) {
    struct rv_machine m = machine_of(machine);
    return rv_build(source, (struct rv_target){m.lanes, m.diverge == RV_SPLIT, m.variant}, len, dg);
}

static bool recognise(const u8 *bytes, size_t n) { return rv_image_recognise(bytes, n); }

const struct frontend riscv_frontend = {
    .name = "riscv",
    .doc = "RISC-V programs for Vortex: 32-bit ELF executables, .vxbin, .pocl, and flat images called .bin",
    .endings = "elf bin vxbin pocl",
    .alone = "program",
    .machine = "vortex2021",
    .recognise = recognise,
    .load = load,
    .free = program_free,
    .kernels = kernels,
    .kernel_name = kernel_name,
    .lower = lower,
    .variant = variant,
    .symbol = symbol,
    .build = build,
};
