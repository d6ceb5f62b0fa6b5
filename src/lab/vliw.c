/* A VLIW machine and its compiler (L8): a list scheduler packs each basic block into bundles, the hardware
 * runs them in lock-step.
 *
 * The scheduler fills a bundle at a time with instructions whose predecessors are in earlier bundles, the
 * longest path to the end of the block first, then program order. Readers of a register may share a bundle
 * with its next writer. Loads and stores keep their order when one of them stores. A branch is in the
 * block's last bundle. In lock-step no bundle starts before the longest instruction of the one before has
 * ended; without, a bundle starts the cycle after, when its operands are there.
 *
 * Does not move instructions between blocks, and does not unroll. */
#include "lab/machines.h"

enum { KEY_SLOTS = LAB_UNITS, KEY_LOCKSTEP = 2 * LAB_UNITS };
#define SLOT_KEY(u) {u ".slots", NULL, 1, 1, 8, "Slots for " u " instructions in a bundle."}
static const struct lab_key keys[] = {
    LAB_LATENCY_KEYS(3, 1, 1),
    SLOT_KEY("add"),
    SLOT_KEY("mul"),
    SLOT_KEY("div"),
    SLOT_KEY("move"),
    SLOT_KEY("load"),
    SLOT_KEY("store"),
    SLOT_KEY("branch"),
    {"lockstep", ON_OFF, 1, 0, 0, "A bundle starts when all of the one before has ended."},
};

enum dep { DEP_NONE, DEP_SAME, DEP_LATER }; /* may share a bundle with the older, or not */
struct vliw {
    struct lab_run *r;
    i32 *bundle; /* of each instruction, counted in its block */
    u32 *height; /* longest path to the end of the block, cycles */
    u32 *block;  /* first instruction of its block */
    u32 slots;   /* of a bundle */
    u64 ready[LAB_REGS];
    u32 e_cycles, bundles, nops, run;
    u64 t;
};

static bool shares(const u8 *a, u32 na, const u8 *b, u32 nb) {
    for (u32 i = 0; i < na; i++)
        for (u32 k = 0; k < nb; k++)
            if (a[i] == b[k]) return true;
    return false;
}

static enum dep depends(const struct lab_inst *old, const struct lab_inst *in) {
    u8 or [8], ow[4], nr[8], nw[4];
    u32 a = lab_reads(old, or), b = lab_writes(old, ow), c = lab_reads(in, nr), d = lab_writes(in, nw);
    enum lab_unit u = lab_ops[old->op].unit, v = lab_ops[in->op].unit;
    if (shares(ow, b, nr, c) || shares(ow, b, nw, d)) return DEP_LATER;
    if ((u == LAB_STORE && (v == LAB_LOAD || v == LAB_STORE)) || (u == LAB_LOAD && v == LAB_STORE)) return DEP_LATER;
    if (shares(or, a, nw, d) || v == LAB_BRANCH) return DEP_SAME;
    return DEP_NONE;
}

static void find_heights(struct vliw *m, u32 from, u32 to) {
    const struct lab_inst *code = m->r->prog->code.at;
    for (u32 i = to; i-- > from;) {
        u32 below = 0;
        for (u32 k = i + 1; k < to; k++) {
            enum dep d = depends(&code[i], &code[k]);
            if (d == DEP_LATER) below = MAX(below, m->height[k]);
        }
        m->height[i] = below + lab_latency(m->r, &code[i]);
    }
}

static bool fits(const struct vliw *m, u32 from, u32 i, i32 bundle) {
    const struct lab_inst *code = m->r->prog->code.at;
    for (u32 k = from; k < i; k++) {
        enum dep d = depends(&code[k], &code[i]);
        if (d == DEP_LATER && (m->bundle[k] < 0 || m->bundle[k] >= bundle)) return false;
        if (d == DEP_SAME && m->bundle[k] < 0) return false;
    }
    return true;
}

static i32 best_for(const struct vliw *m, u32 from, u32 to, i32 bundle, const u32 *used) {
    const struct lab_inst *code = m->r->prog->code.at;
    i32 best = -1;
    for (u32 i = from; i < to; i++) {
        enum lab_unit u = lab_ops[code[i].op].unit;
        if (m->bundle[i] >= 0 || used[u] >= (u32)m->r->key[KEY_SLOTS + u] || !fits(m, from, i, bundle)) continue;
        if (best < 0 || m->height[i] > m->height[best]) best = (i32)i;
    }
    return best;
}

static void schedule(struct vliw *m, u32 from, u32 to) {
    u32 left = to - from;
    find_heights(m, from, to);
    for (i32 b = 0; left; b++) {
        u32 used[LAB_UNITS] = {0};
        for (i32 i; (i = best_for(m, from, to, b, used)) >= 0; left--) {
            m->bundle[i] = b;
            used[lab_ops[m->r->prog->code.at[i].op].unit]++;
        }
    }
}

static void find_blocks(struct vliw *m) {
    const struct lab_program *p = m->r->prog;
    bool *first = base_alloc(p->code.n + 1);
    for (u32 i = 0; i < p->code.n; i++) {
        const struct lab_inst *in = &p->code.at[i];
        if (!lab_is_branch(in)) continue;
        first[i + 1] = true;
        if (in->target >= 0) first[in->target] = true;
    }
    for (u32 from = 0, to; from < p->code.n; from = to) {
        for (to = from + 1; to < p->code.n && !first[to];) to++;
        for (u32 i = from; i < to; i++) m->block[i] = from;
        schedule(m, from, to);
    }
    free(first);
}

static u64 operands_ready(const struct vliw *m, const struct lab_inst *in) {
    u8 regs[12];
    u32 n = lab_reads(in, regs);
    n += lab_writes(in, regs + n);
    u64 t = 0;
    for (u32 i = 0; i < n; i++) t = MAX(t, m->ready[regs[i]]);
    return t;
}

/* One bundle of the block [from, to); false on a fault. The branch's target, if taken, in *next. */
static bool run_bundle(struct vliw *m, u32 from, u32 to, i32 b, u32 *next) {
    const struct lab_inst *code = m->r->prog->code.at;
    struct lab_run *r = m->r;
    u64 start = m->t, longest = 0;
    u32 filled = 0;
    for (u32 i = from; i < to && !r->key[KEY_LOCKSTEP]; i++)
        if (m->bundle[i] == b) start = MAX(start, operands_ready(m, &code[i]));
    for (u32 i = from; i < to; i++) {
        if (m->bundle[i] != b) continue;
        u32 lat = lab_latency(r, &code[i]), row = lab_row(r, lab_text(r, "B%u", m->bundles + 1), code[i].text, code[i].line);
        lab_arcs_of(r, row, &code[i]);
        lab_span(r, row, 'F', start - 2, start - 2, NULL);
        lab_span(r, row, 'D', start - 1, start - 1, NULL);
        lab_span(r, row, 'E', start, start + lat - 1, NULL);
        lab_span(r, row, 'W', start + lat, start + lat, NULL);
        struct lab_effect e = lab_step(&r->st, &code[i], LAB_VLEN_MAX);
        u8 regs[4];
        for (u32 k = lab_writes(&code[i], regs); k-- > 0;) m->ready[regs[k]] = start + lat;
        if (e.fault) {
            lab_fault(r, &code[i], e.fault, "; its whole bundle is lost");
            r->cycles = (u32)(start + lat - 1);
            return false;
        }
        if (e.taken) *next = (u32)code[i].target;
        longest = MAX(longest, lat);
        r->cycles = MAX(r->cycles, (u32)(start + lat));
        filled++;
        m->run++;
    }
    m->nops += m->slots - filled;
    m->bundles++;
    m->e_cycles += (u32)longest;
    m->t = start + (r->key[KEY_LOCKSTEP] ? longest : 1);
    return true;
}

static void pages(struct vliw *m) {
    struct lab_run *r = m->r;
    lab_pages_from_spans(r);
    for (u32 i = 0; i < r->pages.n; i++) {
        struct lab_table t = {.title = "bundles of the program", .head = "block|bundle|instruction"};
        for (u32 k = 0; k < r->prog->code.n && r->prog->code.n <= 64; k++) {
            const char *s =
                lab_text(r, "line %u|%d|%s", r->prog->code.at[m->block[k]].line, m->bundle[k] + 1, r->prog->code.at[k].text);
            VEC_PUSH(&t.rows, s);
        }
        VEC_PUSH(&r->pages.at[i].tables, t);
    }
}

static void run_vliw(struct lab_run *r) {
    u32 n = r->prog->code.n, pc = 0;
    struct vliw m = {.r = r, .t = 3};
    m.bundle = base_alloc(n * sizeof(i32));
    m.height = base_alloc(n * sizeof(u32));
    m.block = base_alloc(n * sizeof(u32));
    for (u32 i = 0; i < n; i++) m.bundle[i] = -1;
    bool used[LAB_UNITS] = {0};
    for (u32 i = 0; i < n; i++) used[lab_ops[r->prog->code.at[i].op].unit] = true;
    for (u32 u = 0; u < LAB_UNITS; u++) m.slots += used[u] ? (u32)r->key[KEY_SLOTS + u] : 0;
    find_blocks(&m);
    while (pc < n && r->prog->code.at[pc].op != LOP_HALT && !r->fault) {
        u32 from = pc, to = pc + 1, next;
        i32 last = -1;
        while (to < n && m.block[to] == from) to++;
        if (r->prog->code.at[to - 1].op == LOP_HALT) to--;
        next = to < n && r->prog->code.at[to].op == LOP_HALT ? n : to;
        for (u32 i = from; i < to; i++) last = MAX(last, m.bundle[i]);
        for (i32 b = 0; b <= last && !r->fault && !r->cut; b++) {
            run_bundle(&m, from, to, b, &next);
            r->cut = m.t > r->max_cycles;
        }
        if (r->cut) break;
        pc = next;
    }
    lab_answer(r, "cycles", r->cycles, "cycles until the last W");
    lab_answer(r, "e_cycles", m.e_cycles, "cycles of execution: the longest instruction of each bundle");
    lab_answer(r, "bundles", m.bundles, "bundles run");
    lab_answer(r, "instructions", m.run, "instructions run");
    lab_answer(r, "nops", m.nops, "empty slots of the bundles run");
    pages(&m);
    free(m.bundle);
    free(m.height);
    free(m.block);
}

const struct lab_machine lab_vliw = {
    "vliw", "bundles packed by a list scheduler, run in lock-step", keys, ARRAY_LEN(keys), lab_accepts_scalar, run_vliw};
