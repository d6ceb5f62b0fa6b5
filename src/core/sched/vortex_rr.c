/* vortex_rr: round robin that looks at one warp a cycle. The turn passes every cycle; when the warp whose
 * turn it is cannot issue, nothing does.
 *
 * Paper: Aurud (2023) sections 3.1.2 and 3.2.1, figure 3.5: Vortex as it was before ready scheduling. As in
 * its RTL (VX_ibuffer, October 2021) turns are given two cycles ahead, among the warps that had an
 * instruction in their buffer in the cycle before this one; where that was one warp, or none, it keeps the
 * turn as long as it has instructions. Deviations: a turn that was given to a warp whose buffer has been
 * flushed since passes on; on sm.pipeline = common every warp that has not ended gets its turn, with or
 * without an instruction.
 *
 * V1 each cycle, with or without candidates, the turn passes on if several slots had an instruction
 * V2 the slot picked is the one whose turn it is, or none
 * V3 it is also the preferred one until the next cycle */
#include "core/sched_policy.h"

struct vortex_rr {
    u32 turn; /* slot whose turn it was last */
    u32 next; /* whose it is after that, if several had an instruction */
    bool several;
};

static size_t vortex_rr_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct vortex_rr);
}

static void vortex_rr_init(void *state, const struct config *c, u32 index, u32 fronts) {
    (void)c, (void)index;
    struct vortex_rr *s = state;
    s->turn = s->next = fronts - 1; /* so that the first turn is slot 0's */
}

/* A cycle; false: nobody has an instruction */
static bool pass(struct vortex_rr *s, const struct sched_view *v) {
    u32 turn = s->several ? s->next : s->turn;
    int held = set_has(v->buffered, turn) ? (int)turn : set_after(v->buffered, v->words, turn);
    s->several = set_count(v->buffered, v->words) > 1;
    if (held == NONE) return false;
    s->turn = (u32)held;
    s->next = (u32)set_after(v->buffered, v->words, s->turn);
    return true;
}

static int vortex_rr_pick(void *state, const struct sched_view *v) {
    struct vortex_rr *s = state;
    return pass(s, v) && set_has(v->candidates, s->turn) ? (int)s->turn : NONE;
}

static int vortex_rr_preferred(const void *state, const struct sched_view *v) {
    const struct vortex_rr *s = state;
    if (set_has(v->buffered, s->turn)) return (int)s->turn;
    int next = set_after(v->buffered, v->words, s->turn);
    return next != NONE ? next : set_first(v->valid, v->words);
}

static void vortex_rr_skip(void *state, const struct sched_view *v, u64 n) {
    if (!n || !pass(state, v)) return;
    /* After the first turn every round of all slots with an instruction ends where it began. */
    for (u64 turns = (n - 1) % set_count(v->buffered, v->words); turns; turns--) pass(state, v);
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
