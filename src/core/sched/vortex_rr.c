/* vortex_rr: round robin that looks at one warp a cycle. The turn passes every cycle; when the warp whose
 * turn it is cannot issue, nothing does.
 *
 * Paper: Aurud (2023) sections 3.1.2 and 3.2.1, figure 3.5: Vortex as it was before ready scheduling. Vortex
 * chooses a cycle ahead among the warps that will have an instruction in their buffer; here the choice is
 * made in the cycle of the issue among those that have one, which is the same. Deviation: on sm.pipeline =
 * common every warp that has not ended gets its turn, with or without an instruction.
 *
 * V1 each cycle, with or without candidates, the turn passes to the next slot with an instruction
 * V2 the slot picked is the one whose turn it is, or none
 * V3 it is also the preferred one until the next cycle */
#include "core/sched_policy.h"

struct vortex_rr {
    u32 last; /* slot whose turn was last */
};

static size_t vortex_rr_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct vortex_rr);
}

static void vortex_rr_init(void *state, const struct config *c, u32 index, u32 fronts) {
    (void)c, (void)index;
    struct vortex_rr *s = state;
    s->last = fronts - 1; /* so that the first turn is slot 0's */
}

static int vortex_rr_pick(void *state, const struct sched_view *v) {
    struct vortex_rr *s = state;
    int turn = set_after(v->buffered, v->words, s->last);
    if (turn == NONE) return NONE;
    s->last = (u32)turn;
    return set_has(v->candidates, (u32)turn) ? turn : NONE;
}

static int vortex_rr_preferred(const void *state, const struct sched_view *v) {
    const struct vortex_rr *s = state;
    if (set_has(v->buffered, s->last)) return (int)s->last;
    int next = set_after(v->buffered, v->words, s->last);
    return next != NONE ? next : set_first(v->valid, v->words);
}

static void vortex_rr_skip(void *state, const struct sched_view *v, u64 n) {
    struct vortex_rr *s = state;
    if (!set_any(v->buffered, v->words) || !n) return;
    /* After the first turn every round of all valid slots ends where it began. */
    u64 turns = 1 + (n - 1) % set_count(v->buffered, v->words);
    while (turns--) s->last = (u32)set_after(v->buffered, v->words, s->last);
}

static u32 vortex_rr_moves(const struct sched_view *v) {
    u32 n = set_count(v->buffered, v->words);
    return n ? n : 1;
}

const struct sched_policy sched_vortex_rr = {
    .name = "vortex_rr",
    .doc = "round robin over all warps, one looked at each cycle: nothing issues when that one cannot",
    .paper = "Aurud 2023, 3.1.2 and 3.2.1",
    .state_size = vortex_rr_size,
    .init = vortex_rr_init,
    .pick = vortex_rr_pick,
    .issued = stateless_issued,
    .preferred = vortex_rr_preferred,
    .skip = vortex_rr_skip,
    .moves = vortex_rr_moves,
};
