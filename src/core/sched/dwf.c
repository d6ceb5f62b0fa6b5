/* dwf: which of the fronts that dynamic warp formation has formed (diverge/dwf.c) issue. No row of sm.sched,
 * in whose place it stands where dwf.policy is not sched.
 *
 * dwf.policy chooses a pc, and the fronts that stand there take turns until none of them can issue; then it
 * chooses again.
 *
 *   majority   the pc at which most threads stand, over all fronts (dwf.majority = heap, as a max-heap of pcs
 *              would have it) or over dwf.scan of them from the last that issued on (scan)
 *   minority   the pc at which fewest stand
 *   timestamp  the pc of the front that has been in the pool longest: first in, first out
 *   pdom       the pc whose threads have most meeting points before them, calls included: those nearer to
 *              their post-dominators wait for the others
 *   pc         the lowest
 *   sched      none of these: sm.sched chooses, as on any machine
 *
 * Only pcs with a front that can issue are chosen; among equals the lower pc. Paper: Fung, Sham, Yuan,
 * Aamodt, MICRO 2007, section 4.3 and TACO 2009; Jin 2012, 3.6. */
#include "core/sched_policy.h"

enum { KNOWN = 64 }; /* pcs whose worth is remembered while one is chosen */

struct turns {
    i32 pc;   /* whose fronts have their turn; NONE before the first */
    u32 last; /* front that issued last */
    u32 scan; /* fronts that are looked at; 0: all */
    u32 how;  /* enum of dwf.policy */
};

static size_t turns_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct turns);
}

static void turns_init(void *state, const struct config *c, u32 index, u32 fronts) {
    (void)index;
    *(struct turns *)state = (struct turns){NONE, fronts - 1, c->dwf_majority == DWF_SCAN ? c->dwf_scan : 0, c->dwf_policy};
}

static void turns_issued(void *state, int slot) { ((struct turns *)state)->last = (u32)slot; }

/* Threads at a pc, of the fronts that are looked at */
static u32 threads_at(const struct turns *s, const struct sched_view *v, i32 pc) {
    u32 n = 0, seen = 0;
    if (!s->scan) {
        SET_EACH (slot, v->valid, v->words)
            if (v->fronts->pc[slot] == pc) n += v->fronts->threads[slot];
        return n;
    }
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

/* Fronts at one pc are worth the same, but for their time in the pool and their depth */
static bool is_known(const struct turns *s, i32 *known, u32 *n, i32 pc) {
    if (s->how == DWF_TIMESTAMP || s->how == DWF_PDOM) return false;
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
    u64 there[SET_WORDS];
    set_clear(there, v->words);
    SET_EACH (slot, from, v->words)
        if (v->fronts->pc[slot] == pc) set_add(there, slot);
    return set_after(there, v->words, s->last);
}

static int take_turn(const struct turns *s, const struct sched_view *v, const u64 *from, i32 *pc) {
    int slot = *pc == NONE ? NONE : turn_of(s, v, from, *pc);
    if (slot != NONE) return slot;
    *pc = choose_pc(s, v, from);
    return *pc == NONE ? set_after(from, v->words, s->last) : turn_of(s, v, from, *pc); /* none: all wait */
}

static int turns_pick(void *state, const struct sched_view *v) {
    struct turns *s = state;
    return take_turn(s, v, v->candidates, &s->pc);
}

static int turns_preferred(const void *state, const struct sched_view *v) {
    const struct turns *s = state;
    i32 pc = s->pc;
    return take_turn(s, v, v->valid, &pc);
}

const struct sched_policy sched_dwf = {
    .name = "dwf",
    .doc = "the fronts of one pc take turns; dwf.policy chooses the pc",
    .state_size = turns_size,
    .init = turns_init,
    .pick = turns_pick,
    .issued = turns_issued,
    .preferred = turns_preferred,
};
