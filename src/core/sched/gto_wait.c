/* gto_wait: greedy then longest waiting. The warp that issued last as long as it can, else the one passed
 * over most often since its own turn.
 *
 * Paper: Aurud (2023) section 3.2.2, equation 3.2: with every pick a ready warp's age grows by one, that of
 * the picked one falls to zero. Deviation: none. "Ready" there includes an instruction in the buffer and a
 * free unit, so it means the candidates here. What the thesis leaves open: ties go to the lowest slot, and a
 * new warp's age is zero. The variants it names are keys: sm.sched.gto_wait.counts (an instruction in the
 * buffer is enough to grow older) and .resets (only long waits make young).
 *
 * W1 the warp that issued last is picked whenever it is a candidate
 * W2 otherwise no candidate has been passed over more often than the one picked */
#include "core/sched_policy.h"

struct gto_wait {
    int last; /* slot that issued last; NONE before the first */
    bool buffered, long_waits;
    u64 seen[SET_WORDS]; /* slots that held a warp in the last cycle */
    u64 passed[];        /* [fronts] picks since its own in which it was a candidate; 0 for slots not in seen */
};

static size_t gto_wait_size(const struct config *c, u32 fronts) {
    (void)c;
    return sizeof(struct gto_wait) + sizeof(u64) * fronts;
}

static void gto_wait_init(void *state, const struct config *c, u32 index, u32 fronts) {
    (void)index, (void)fronts;
    struct gto_wait *s = state;
    s->last = NONE;
    s->buffered = c->gto_wait_counts == AGE_BUFFERED;
    s->long_waits = c->gto_wait_resets == AGE_LONG;
}

static int gto_wait_among(const struct gto_wait *s, const u64 *slots, u32 words) {
    if (s->last != NONE && set_has(slots, (u32)s->last)) return s->last;
    int best = NONE;
    SET_EACH (slot, slots, words)
        if (best == NONE || s->passed[slot] > s->passed[best]) best = (int)slot;
    return best;
}

/* Warps that have ended, and where only long waits make young those that wait so */
static void gto_wait_forget(struct gto_wait *s, const struct sched_view *v) {
    const u64 *valid = v->valid;
    u32 words = v->words;
    u64 gone[SET_WORDS];
    set_without(gone, s->seen, valid, words);
    SET_EACH (slot, gone, words) s->passed[slot] = 0;
    if (s->last != NONE && !set_has(valid, (u32)s->last)) s->last = NONE;
    set_copy(s->seen, valid, words);
    if (!s->long_waits) return;
    SET_EACH (slot, v->waits_long, words) s->passed[slot] = 0;
}

static int gto_wait_pick(void *state, const struct sched_view *v) {
    struct gto_wait *s = state;
    gto_wait_forget(s, v);
    int slot = gto_wait_among(s, v->candidates, v->words);
    u64 was = slot == NONE ? 0 : s->passed[slot];
    SET_EACH (passed, s->buffered ? v->buffered : v->candidates, v->words) s->passed[passed]++;
    if (slot != NONE) s->passed[slot] = s->long_waits ? was : 0;
    return slot;
}

static void gto_wait_issued(void *state, int slot) {
    struct gto_wait *s = state;
    s->last = slot;
}

static int gto_wait_preferred(const void *state, const struct sched_view *v) { return gto_wait_among(state, v->valid, v->words); }

static void gto_wait_skip(void *state, const struct sched_view *v, u64 n) {
    (void)n;
    gto_wait_forget(state, v);
}

const struct sched_policy sched_gto_wait = {
    .name = "gto_wait",
    .doc = "greedy then longest waiting: the last issued as long as it can issue, else the one passed over most often",
    .paper = "Aurud 2023, 3.2.2",
    .state_size = gto_wait_size,
    .init = gto_wait_init,
    .pick = gto_wait_pick,
    .issued = gto_wait_issued,
    .preferred = gto_wait_preferred,
    .skip = gto_wait_skip,
};
