/* two_level: loose round robin among a few active warps. One that waits for memory gives its place to the
 * oldest pending warp that is ready.
 *
 * Paper: Narasiman et al., "Improving GPU Performance via Large Warps and Two-Level Warp Scheduling" (MICRO
 * 2011): warps in groups that reach their long waits at different times. The baseline of Turner (2012)
 * section 1.1.6.1; measured by Mascar (HPCA 2015) section V. Deviation: the groups there are fixed, and the
 * next one's turn comes when the whole group waits. Here single warps leave and enter one active set, as in
 * Gebhart et al., "Energy-efficient Mechanisms for Managing Thread Context in Throughput Processors" (ISCA
 * 2011). An active set can also wait for what only a pending warp can bring about. So when no member has been
 * ready in PATIENCE_PICKS picks in a row, all leave. (There is no such rule against members that are busy
 * waiting.)
 *
 * T1 the active set has at most sm.sched.two_level.active warps, all valid, none waiting for memory
 * T2 only members are picked, in loose round robin
 * T3 after a pick or skip no ready warp is pending while there is room */
#include "core/sched_policy.h"

enum { PATIENCE_PICKS = 256 }; /* more than the result of a unit takes on any machine we ship */

struct two_level {
    u64 active; /* mask */
    u32 room;   /* sm.sched.two_level.active */
    u32 last;   /* slot that issued last */
    u32 stuck;  /* picks in a row with no active warp ready */
};

static size_t two_level_size(const struct config *c) {
    (void)c;
    return sizeof(struct two_level);
}

static void two_level_init(void *state, const struct config *c, u32 index, u64 slots) {
    (void)index, (void)slots;
    struct two_level *s = state;
    s->room = c->two_level_active;
    s->last = MAX_SLOTS - 1;
}

/* Who may stay, stays; the rest of the places go to the oldest that are ready. A second call with the same
 * view changes nothing. */
static u64 two_level_set(const struct two_level *s, const struct sched_view *v) {
    u64 active = s->active & v->valid & ~v->waits_long;
    u64 pending = v->valid & v->ready & ~v->waits_long & ~active;
    u32 n = (u32)__builtin_popcountll(active);
    if (n + (u32)__builtin_popcountll(pending) <= s->room) return active | pending;
    for (; n < s->room && pending; n++) {
        u64 oldest = mask_of(mask_oldest(pending, v->age));
        active |= oldest, pending &= ~oldest;
    }
    return active;
}

static int two_level_pick(void *state, const struct sched_view *v) {
    struct two_level *s = state;
    s->active = two_level_set(s, v);
    s->stuck = s->active & v->ready ? 0 : s->stuck + 1;
    if (s->stuck == PATIENCE_PICKS) {
        s->active = s->stuck = 0;
        s->active = two_level_set(s, v);
    }
    return mask_after(s->active & v->candidates, s->last);
}

static void two_level_issued(void *state, int slot) {
    struct two_level *s = state;
    s->last = (u32)slot;
}

static int two_level_preferred(const void *state, const struct sched_view *v) {
    const struct two_level *s = state;
    u64 active = two_level_set(s, v);
    return mask_after(active ? active : v->valid, s->last);
}

static void two_level_skip(void *state, const struct sched_view *v, u64 n) {
    (void)n;
    struct two_level *s = state;
    s->active = two_level_set(s, v);
}

const struct sched_policy sched_two_level = {
    .name = "two_level",
    .doc = "round robin among a few active warps; one that waits for memory gives its place to the oldest ready one",
    .paper = "Narasiman et al., MICRO 2011; Turner 2012, 1.1.6.1",
    .state_size = two_level_size,
    .init = two_level_init,
    .pick = two_level_pick,
    .issued = two_level_issued,
    .preferred = two_level_preferred,
    .skip = two_level_skip,
};
