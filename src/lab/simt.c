/* SIMT (the lecture's GPU part): warps of threads that share an instruction, a stack for divergence, and
 * fine-grained multithreading to hide latency.
 *
 * One core. Each cycle the next warp in turn that is ready issues one instruction; a warp has one
 * instruction in the pipeline at a time and is ready again when that is done (latency, and pipeline cycles
 * for every instruction). A branch whose threads disagree pushes both ways on the warp's stack, with the
 * branch's immediate post-dominator as the place where they meet; the fall-through runs first, as the
 * lecture draws it, or the taken way.
 *
 * Does not model caches, coalescing or several issue slots: those are the simulator proper. The key
 * `cores` only multiplies thread contexts.
 *
 * Invariants: 1. the masks of a warp's stack above a meeting entry are disjoint parts of that entry's
 * mask; 2. a warp's top entry is what runs. */
#include "lab/machines.h"

enum { KEY_WARPS = LAB_UNITS, KEY_WIDTH, KEY_CORES, KEY_DEPTH, KEY_FIRST, MAX_STACK = 256, CODE_LIMIT = 1024 };
static const struct lab_key keys[] = {
    LAB_LATENCY_KEYS(20, 1, 1),
    {"warps", NULL, 1, 1, 64, "Warps on the core."},
    {"width", NULL, 4, 1, 64, "Threads of a warp."},
    {"cores", NULL, 1, 1, 1024, "Cores of the chip, for counting thread contexts."},
    {"pipeline", NULL, 1, 1, 64, "Cycles that an instruction is in the pipeline besides its latency."},
    {"first", "fall_through|taken", 0, 0, 0, "Which way of a divergent branch runs first."},
};

struct entry {
    u32 pc, meet; /* meet: the program's length where ways do not meet again */
    u64 mask;
};
struct warp {
    struct entry stack[MAX_STACK];
    u32 depth;
    u64 ready; /* first cycle of the next issue */
    u32 row;
    i64 (*reg)[LAB_REGS];
};
struct simt {
    struct lab_run *r;
    struct warp warps[64];
    u32 *meet; /* of each instruction */
    u32 nwarps, width, turn;
    u64 t, end, issued, lanes, divergent, idle;
};

/* --- immediate post-dominators: sets of instructions that every way to the end passes, by iteration */

static u32 successors(const struct lab_program *p, u32 i, u32 out[2]) {
    const struct lab_inst *in = &p->code.at[i];
    if (in->op == LOP_HALT) return out[0] = p->code.n, 1;
    if (in->op == LOP_J) return out[0] = (u32)in->target, 1;
    out[0] = i + 1;
    if (!lab_is_branch(in)) return 1;
    out[1] = (u32)in->target;
    return 2;
}

static void find_meetings(struct simt *m) {
    const struct lab_program *p = m->r->prog;
    u32 n = p->code.n, words = n / 64 + 1;
    u64 *set = base_alloc((size_t)(n + 1) * words * sizeof(u64)), *tmp = base_alloc(words * sizeof(u64));
    for (u32 i = 0; i < n; i++) memset(set + (size_t)i * words, 0xFF, words * sizeof(u64));
    set[(size_t)n * words + n / 64] = 1ull << n % 64;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = n; i-- > 0;) {
            u32 to[2], k = successors(p, i, to);
            memcpy(tmp, set + (size_t)to[0] * words, words * sizeof(u64));
            for (u32 w = 0; k == 2 && w < words; w++) tmp[w] &= set[(size_t)to[1] * words + w];
            tmp[i / 64] |= 1ull << i % 64;
            if (memcmp(tmp, set + (size_t)i * words, words * sizeof(u64)) == 0) continue;
            memcpy(set + (size_t)i * words, tmp, words * sizeof(u64));
            changed = true;
        }
    }
    /* the nearest of them: the one whose own set is all the others */
    for (u32 i = 0; i < n; i++) {
        u32 best = n, most = 0;
        for (u32 k = 0; k <= n; k++) {
            u32 size = 0;
            if (k == i || !(set[(size_t)i * words + k / 64] >> k % 64 & 1)) continue;
            for (u32 w = 0; w < words; w++) size += (u32)__builtin_popcountll(set[(size_t)k * words + w]);
            if (size > most) most = size, best = k;
        }
        m->meet[i] = best;
    }
    free(set);
    free(tmp);
}

/* --- a warp */

static struct entry *top(struct warp *w) { return &w->stack[w->depth - 1]; }

/* Takes away entries that have come to their meeting place or to the end; threads that halt are gone from
 * all entries */
static void settle(struct warp *w, const struct lab_program *p) {
    while (w->depth) {
        struct entry *e = top(w);
        if (e->mask && e->pc < p->code.n && p->code.at[e->pc].op == LOP_HALT) {
            u64 gone = e->mask;
            for (u32 i = 0; i < w->depth; i++) w->stack[i].mask &= ~gone;
        }
        if (e->mask && e->pc < p->code.n && e->pc != e->meet) return;
        w->depth--;
    }
}

static const char *mask_text(struct lab_run *r, u64 mask, u32 width) {
    char buf[65];
    for (u32 i = 0; i < width; i++) buf[i] = mask >> (width - 1 - i) & 1 ? '1' : '0';
    buf[width] = 0;
    return lab_text(r, "%s", buf);
}

static bool step_lanes(struct simt *m, struct warp *w, const struct lab_inst *in, u64 *taken) {
    struct entry *e = top(w);
    for (u32 k = 0; k < m->width; k++) {
        if (!(e->mask >> k & 1)) continue;
        memcpy(m->r->st.reg, w->reg[k], sizeof(m->r->st.reg));
        struct lab_effect f = lab_step(&m->r->st, in, LAB_VLEN_MAX);
        memcpy(w->reg[k], m->r->st.reg, sizeof(m->r->st.reg));
        if (f.taken) *taken |= 1ull << k;
        if (!f.fault) continue;
        lab_fault(m->r, in, f.fault, lab_text(m->r, ", thread %lld", (long long)w->reg[k][REG_TID]));
        return false;
    }
    return true;
}

static void diverge(struct simt *m, struct warp *w, const struct lab_inst *in, u64 taken) {
    struct entry *e = top(w);
    u32 pc = e->pc, meet = m->meet[pc];
    u64 other = e->mask & ~taken;
    if (taken == 0 || other == 0) {
        e->pc = taken ? (u32)in->target : pc + 1;
        return;
    }
    m->divergent++;
    struct entry to_taken = {(u32)in->target, meet, taken}, to_next = {pc + 1, meet, other};
    bool taken_first = m->r->key[KEY_FIRST];
    e->pc = meet; /* both ways go on from here */
    w->stack[w->depth++] = taken_first ? to_next : to_taken;
    w->stack[w->depth++] = taken_first ? to_taken : to_next;
}

static bool issue(struct simt *m, u32 id) {
    struct warp *w = &m->warps[id];
    struct lab_run *r = m->r;
    const struct lab_inst *in = &r->prog->code.at[top(w)->pc];
    u64 taken = 0, lat = lab_latency(r, in), mask = top(w)->mask;
    if (w->depth + 2 > MAX_STACK) {
        lab_fault(r, in, "the divergence stack is full", "");
        return false;
    }
    if (!step_lanes(m, w, in, &taken)) return false;
    u32 row = lab_row(r, lab_text(r, "w%u", id), lab_text(r, "%s  %s", mask_text(r, mask, m->width), in->text), in->line);
    lab_span(r, row, 'I', m->t, m->t, "issued");
    lab_span(r, row, 'E', m->t + 1, m->t + lat, NULL);
    m->issued++;
    m->lanes += (u64)__builtin_popcountll(mask);
    w->ready = m->t + lat + (u64)r->key[KEY_DEPTH];
    m->end = MAX(m->end, m->t + lat);
    if (lab_is_branch(in)) diverge(m, w, in, taken);
    else top(w)->pc++;
    settle(w, r->prog);
    return true;
}

static void page(struct simt *m) {
    if (!lab_page(m->r, (u32)m->t)) return;
    const struct lab_program *p = m->r->prog;
    for (u32 i = 0; i < m->nwarps; i++) {
        struct warp *w = &m->warps[i];
        lab_head(m->r,
                 lab_text(m->r, "warp %u, %s", i,
                          !w->depth             ? "ended"
                          : w->ready > m->t + 1 ? lab_text(m->r, "waits until %llu", (unsigned long long)w->ready)
                                                : "ready"),
                 "next|meets at|mask");
        for (u32 k = w->depth; k-- > 0;) {
            const struct entry *e = &w->stack[k];
            lab_cells(m->r, "%s|%s|%s", e->pc < p->code.n ? p->code.at[e->pc].text : "end",
                      e->meet < p->code.n ? p->code.at[e->meet].text : "--", mask_text(m->r, e->mask, m->width));
        }
    }
}

static bool cycle(struct simt *m) {
    u32 live = 0;
    for (u32 i = 0; i < m->nwarps; i++) live += m->warps[i].depth != 0;
    if (!live) return false;
    m->t++;
    for (u32 k = 0; k < m->nwarps; k++) {
        u32 id = (m->turn + k) % m->nwarps;
        if (!m->warps[id].depth || m->warps[id].ready > m->t) continue;
        if (!issue(m, id)) return false;
        m->turn = (id + 1) % m->nwarps;
        page(m);
        return true;
    }
    m->idle++;
    page(m);
    return true;
}

static bool accepts(const struct lab_program *p, const i64 *key, struct diag *d) {
    (void)key;
    for (u32 i = 0; i < p->code.n; i++) {
        const struct lab_inst *in = &p->code.at[i];
        u8 regs[12];
        u32 n = lab_reads(in, regs);
        n += lab_writes(in, regs + n);
        bool other = lab_is_vector(in) || lab_is_packed(in) || in->op == LOP_BRQ || in->op == LOP_SETVL;
        for (u32 k = 0; k < n; k++) other |= regs[k] == REG_AEQ || regs[k] == REG_EAQ;
        if (!other) continue;
        diag_error(d, p->file, in->line, in->col, "%s with these operands is not for simt; its threads run scalar instructions",
                   lab_ops[in->op].name);
        return false;
    }
    if (p->code.n == 0) diag_error(d, p->file, 0, 0, "no instruction in this file");
    if (p->code.n > CODE_LIMIT) diag_error(d, p->file, 0, 0, "simt takes programs of at most %d instructions", CODE_LIMIT);
    return p->code.n && p->code.n <= CODE_LIMIT;
}

static void run_simt(struct lab_run *r) {
    struct simt *m = base_alloc(sizeof(*m));
    m->r = r;
    m->nwarps = (u32)r->key[KEY_WARPS];
    m->width = (u32)r->key[KEY_WIDTH];
    m->meet = base_alloc((r->prog->code.n + 1) * sizeof(u32));
    find_meetings(m);
    for (u32 i = 0; i < m->nwarps; i++) {
        struct warp *w = &m->warps[i];
        w->reg = base_alloc(m->width * sizeof(*w->reg));
        w->depth = 1;
        w->stack[0] = (struct entry){0, r->prog->code.n, m->width == 64 ? ~0ull : (1ull << m->width) - 1};
        for (u32 k = 0; k < m->width; k++) {
            memcpy(w->reg[k], r->prog->reg, sizeof(w->reg[k]));
            w->reg[k][REG_TID] = (i64)i * m->width + k;
        }
        settle(w, r->prog);
    }
    while (cycle(m)) {
        r->cut = m->t >= r->max_cycles;
        if (r->cut) break;
    }
    r->cycles = (u32)(r->cut ? m->t : m->end);
    lab_answer(r, "cycles", r->cycles, "cycles until the last instruction is done");
    lab_answer(r, "instructions", (i64)m->issued, "warp instructions issued");
    lab_answer(r, "thread_steps", (i64)m->lanes, "threads' instructions: active lanes, summed");
    lab_answer(r, "divergent", (i64)m->divergent, "branches whose threads disagreed");
    lab_answer(r, "idle", (i64)m->idle, "cycles in which no warp could issue");
    lab_answer(r, "utilization", m->issued ? (i64)(m->lanes * 100 / (m->issued * m->width)) : 0,
               "percent of lanes that worked when an instruction issued");
    lab_answer(r, "contexts", r->key[KEY_CORES] * r->key[KEY_WARPS] * r->key[KEY_WIDTH], "thread contexts of the chip");
    for (u32 i = 0; i < m->nwarps; i++) free(m->warps[i].reg);
    free(m->meet);
    free(m);
}

const struct lab_machine lab_simt = {"simt",  "warps, the divergence stack and latency hiding", keys, ARRAY_LEN(keys), accepts,
                                     run_simt};
