/* gto_wait: greedy then longest waiting. The warp that issued last as long as it can, else the one passed
 * over most often since its own turn.
 *
 * Paper: Aurud (2023) section 3.2.2, equation 3.2: with every pick a ready warp's age grows by one, that of
 * the picked one falls to zero. Deviation: none. "Ready" there includes an instruction in the buffer and a
 * free unit, so it means the candidates here. What the thesis leaves open: ties go to the lowest slot, and a
 * new warp's age is zero.
 *
 * W1 the warp that issued last is picked whenever it is a candidate
 * W2 otherwise no candidate has been passed over more often than the one picked */
#include "core/sched_policy.h"

struct gto_wait {
    u64 last;              /* mask of the slot that issued last; 0 before the first */
    u64 seen;              /* slots that held a warp in the last cycle */
    u64 passed[MAX_SLOTS]; /* picks since its own in which it was a candidate; 0 for slots not in seen */
};

static size_t gto_wait_size(const struct config *c) {
    (void)c;
    return sizeof(struct gto_wait);
}

static int gto_wait_among(const struct gto_wait *s, u64 slots) {
    if (slots & s->last) return mask_first(s->last);
    int best = mask_first(slots);
    for (u64 rest = slots & (slots - 1); rest; rest &= rest - 1) {
        int slot = __builtin_ctzll(rest);
        if (s->passed[slot] > s->passed[best]) best = slot;
    }
    return best;
}

static void gto_wait_forget(struct gto_wait *s, u64 valid) { /* warps that have ended */
    for (u64 gone = s->seen & ~valid; gone; gone &= gone - 1) s->passed[__builtin_ctzll(gone)] = 0;
    s->last &= valid;
    s->seen = valid;
}

static int gto_wait_pick(void *state, const struct sched_view *v) {
    struct gto_wait *s = state;
    gto_wait_forget(s, v->valid);
    int slot = gto_wait_among(s, v->candidates);
    for (u64 rest = v->candidates; rest; rest &= rest - 1) s->passed[__builtin_ctzll(rest)]++;
    if (slot != NONE) s->passed[slot] = 0;
    return slot;
}

static void gto_wait_issued(void *state, int slot) {
    struct gto_wait *s = state;
    s->last = mask_of(slot);
}

static int gto_wait_preferred(const void *state, const struct sched_view *v) { return gto_wait_among(state, v->valid); }

static void gto_wait_skip(void *state, const struct sched_view *v, u64 n) {
    (void)n;
    gto_wait_forget(state, v->valid);
}

const struct sched_policy sched_gto_wait = {
    .name = "gto_wait",
    .doc = "greedy then longest waiting: the last issued as long as it can issue, else the one passed over most often",
    .paper = "Aurud 2023, 3.2.2",
    .state_size = gto_wait_size,
    .init = stateless_init,
    .pick = gto_wait_pick,
    .issued = gto_wait_issued,
    .preferred = gto_wait_preferred,
    .skip = gto_wait_skip,
};
