/* dwf: which of the fronts that dynamic warp formation has formed (diverge/dwf.c) issue. No row of sm.sched,
 * in whose place it stands where dwf.policy is not sched.
 *
 * dwf.policy chooses a pc, and the fronts that stand there take turns until none of them can issue; then it
 * chooses again.
 *
 *   majority   the pc at which most threads stand, by dwf.majority: over all fronts (exact), over dwf.scan of
 *              them from the last that issued on (scan), or of those that have been counted in a heap (heap)
 *   minority   the pc at which fewest stand
 *   timestamp  the pc of the front that has been in the pool longest: first in, first out
 *   pdom       the pc whose threads have most meeting points before them, calls included: those nearer to
 *              their post-dominators wait for the others
 *   pc         the lowest
 *   sched      none of these: sm.sched chooses, as on any machine
 *
 * Only pcs with a front that can issue are chosen; among equals the lower pc.
 *
 * dwf.majority = heap is what hardware would have (dwf_heap.c). A front's threads are counted when it is
 * ready to issue; threads that come to the pc that has its turn take part in it. When none of that pc's
 * fronts can issue, the heap's root is next, and those that were left are counted anew. While accesses of the
 * heap are under way there is no next pc, and nobody issues (formed_choice_cycles); threads at a pc for which
 * no entry is free are counted later.
 *
 * Paper: Fung, Sham, Yuan, Aamodt, MICRO 2007, section 4.3 and TACO 2009; Jin 2012, 3.6. */
#include "core/sched_policy.h"

enum { KNOWN = 64 }; /* pcs whose worth is remembered while one is chosen */

struct turns {
    i32 pc;   /* whose fronts have their turn; NONE before the first */
    u32 last; /* front that issued last */
    u32 scan; /* fronts that are looked at; 0: all */
    u32 how;  /* enum of dwf.policy */
    /* dwf.majority = heap */
    struct dwf_heap heap;
    struct counted *counted; /* [fronts]; NULL with others */
};
struct counted { /* a front's threads in the heap, or of the pc that has its turn */
    i32 pc;      /* NONE: not counted */
    u32 threads;
};

static bool has_heap(const struct config *c) { return c->dwf_policy == DWF_MAJORITY && c->dwf_majority == DWF_HEAP; }

static size_t turns_size(const struct config *c, u32 fronts) {
    return sizeof(struct turns) + (has_heap(c) ? dwf_heap_size(c->dwf_heap, c->dwf_table) + fronts * sizeof(struct counted) : 0);
}

static void turns_init(void *state, const struct config *c, u32 index, u32 fronts) {
    struct turns *s = state;
    (void)index;
    *s = (struct turns){
        .pc = NONE, .last = fronts - 1, .scan = c->dwf_majority == DWF_SCAN ? c->dwf_scan : 0, .how = c->dwf_policy};
    if (!has_heap(c)) return;
    s->counted = (struct counted *)(void *)((u8 *)(s + 1) + dwf_heap_size(c->dwf_heap, c->dwf_table));
    dwf_heap_init(&s->heap, s + 1, c->dwf_heap, c->dwf_table, c->dwf_heap_ports);
    for (u32 i = 0; i < fronts; i++) s->counted[i].pc = NONE;
}

static void turns_issued(void *state, int slot) {
    struct turns *s = state;
    s->last = (u32)slot;
    if (s->counted) s->counted[slot].pc = NONE;
}

/* Threads at a pc, of the fronts that are looked at */
static u32 threads_at(const struct turns *s, const struct sched_view *v, i32 pc) {
    u32 n = 0, seen = 0;
    if (!s->scan) return pc == NONE ? 0 : v->fronts->at_pc[v->index * v->fronts->pcs + (u32)pc];
    u32 at = s->last;
    for (int slot = set_after(v->valid, v->words, at); seen < s->scan; slot = set_after(v->valid, v->words, (u32)slot), seen++) {
        if (seen && (u32)slot == at) break; /* once round */
        if (!seen) at = (u32)slot;
        if (v->fronts->pc[slot] == pc) n += v->fronts->threads[slot];
    }
    return n;
}

/* What a front's pc is worth: the largest is chosen */
static i64 worth(const struct turns *s, const struct sched_view *v, u32 slot) {
    const struct sched_fronts *f = v->fronts;
    switch (s->how) {
    case DWF_MAJORITY: return threads_at(s, v, f->pc[slot]);
    case DWF_MINORITY: return -(i64)threads_at(s, v, f->pc[slot]);
    case DWF_TIMESTAMP: return -(i64)f->since[slot];
    case DWF_PDOM: return f->depth[slot];
    default: return -(i64)f->pc[slot];
    }
}

/* Fronts at one pc have the same threads there; to count them takes time where only some are looked at */
static bool is_known(const struct turns *s, i32 *known, u32 *n, i32 pc) {
    if (!s->scan || s->how == DWF_TIMESTAMP || s->how == DWF_PDOM) return false;
    for (u32 i = 0; i < *n; i++)
        if (known[i] == pc) return true;
    if (*n < KNOWN) known[(*n)++] = pc;
    return false;
}

static i32 choose_pc(const struct turns *s, const struct sched_view *v, const u64 *from) {
    i32 best = NONE, known[KNOWN];
    i64 most = 0;
    u32 n = 0;
    SET_EACH (slot, from, v->words) {
        i32 pc = v->fronts->pc[slot];
        if (pc == NONE || is_known(s, known, &n, pc)) continue;
        i64 is = worth(s, v, slot);
        if (best == NONE || is > most || (is == most && pc < best)) best = pc, most = is;
    }
    return best;
}

/* The next in turn of those that stand at pc */
static int turn_of(const struct turns *s, const struct sched_view *v, const u64 *from, i32 pc) {
    u32 at = s->last / 64 < v->words ? s->last / 64 : 0; /* else beyond all of them: from the first on */
    u64 behind = s->last / 64 < v->words ? ~1ull << s->last % 64 : ~0ull;
    for (u32 k = 0, w = at; k <= v->words; k++, w = w + 1 == v->words ? 0 : w + 1) {
        u64 m = k == 0 ? from[w] & behind : k == v->words ? from[w] & ~behind : from[w];
        for (; m; m &= m - 1)
            if (v->fronts->pc[w * 64 + (u32)__builtin_ctzll(m)] == pc) return (int)(w * 64 + (u32)__builtin_ctzll(m));
    }
    return NONE;
}

static int take_turn(const struct turns *s, const struct sched_view *v, const u64 *from, i32 *pc) {
    int slot = *pc == NONE ? NONE : turn_of(s, v, from, *pc);
    if (slot != NONE) return slot;
    *pc = choose_pc(s, v, from);
    return *pc == NONE ? set_after(from, v->words, s->last) : turn_of(s, v, from, *pc); /* none: all wait */
}

/* --- the heap */

static void count_front(struct turns *s, const struct sched_view *v, u32 slot) {
    struct counted *x = &s->counted[slot];
    struct counted is = {set_has(v->ready, slot) ? v->fronts->pc[slot] : NONE, v->fronts->threads[slot]};
    u32 before = x->pc == is.pc ? x->threads : 0;
    if (is.pc == NONE) x->pc = NONE;
    else if (is.pc == s->pc || (before < is.threads && dwf_heap_add(&s->heap, is.pc, is.threads - before))) *x = is;
    else if (x->pc != is.pc) x->pc = NONE;
}

/* Another pc has its turn; those that stand at the last one are counted when the policy looks next */
static void end_turn(struct turns *s, const struct sched_view *v) {
    SET_EACH (slot, v->valid, v->words)
        if (s->counted[slot].pc == s->pc) s->counted[slot].pc = NONE;
    s->pc = NONE;
}

static int pick_by_heap(struct turns *s, const struct sched_view *v) {
    dwf_heap_elapse(&s->heap, v->now);
    SET_EACH (slot, v->valid, v->words) count_front(s, v, slot);
    int slot = s->pc == NONE ? NONE : turn_of(s, v, v->candidates, s->pc);
    if (slot != NONE) return slot;
    if (s->pc != NONE) end_turn(s, v);
    if (dwf_heap_busy(&s->heap) || !dwf_heap_pop(&s->heap, &s->pc)) return NONE;
    return turn_of(s, v, v->candidates, s->pc);
}

/* What it would take next: the pc that has its turn, or the heap's root, or else any */
static int preferred_by_heap(const struct turns *s, const struct sched_view *v) {
    int slot = s->pc == NONE ? NONE : turn_of(s, v, v->valid, s->pc);
    if (slot == NONE && s->heap.n) slot = turn_of(s, v, v->valid, s->heap.entry[0].pc);
    return slot == NONE ? set_after(v->valid, v->words, s->last) : slot;
}

static int turns_pick(void *state, const struct sched_view *v) {
    struct turns *s = state;
    if (s->counted) return pick_by_heap(s, v);
    return take_turn(s, v, v->candidates, &s->pc);
}

static int turns_preferred(const void *state, const struct sched_view *v) {
    const struct turns *s = state;
    i32 pc = s->pc;
    if (s->counted) return preferred_by_heap(s, v);
    return take_turn(s, v, v->valid, &pc);
}

const struct sched_policy sched_dwf = {
    .name = "dwf",
    .doc = "the fronts of one pc take turns; dwf.policy chooses the pc",
    .state_size = turns_size,
    .init = turns_init,
    .deliberates = true,
    .pick = turns_pick,
    .issued = turns_issued,
    .preferred = turns_preferred,
};
