/* two_level: loose round robin among a few active warps. One that waits for memory, or for other fronts of
 * its block (tbc), gives its place to the oldest pending warp that is ready. Of large warps (lwm) all
 * sub-warps are active, or none: one gives its places when each of its sub-warps waits for memory or for the
 * others.
 *
 * Paper: Narasiman et al., "Improving GPU Performance via Large Warps and Two-Level Warp Scheduling" (MICRO
 * 2011): warps in groups that reach their long waits at different times; the warps of a group are large ones
 * where both halves of the paper are combined. The baseline of Turner (2012) section 1.1.6.1; measured by
 * Mascar (HPCA 2015) section V. Deviation: the groups there are fixed, and the next one's turn comes when the
 * whole group waits. Here single warps, or large ones, leave and enter one active set, as in Gebhart et al.,
 * "Energy-efficient Mechanisms for Managing Thread Context in Throughput Processors" (ISCA 2011). That a
 * large warp takes a place for each of its sub-warps, and may always enter an empty set, is ours. An active
 * set can also wait for what only a pending warp can bring about. So when no member has been ready in
 * PATIENCE_PICKS picks in a row, all leave. (There is no such rule against members that are busy waiting.)
 *
 * T1 the active set has at most sm.sched.two_level.active warps, all valid, none waiting for memory or other
 *    fronts; of large warps so many sub-warps when one enters, or one alone
 * T2 only members are picked, in loose round robin
 * T3 after a pick or skip no ready warp is pending while there is room; large warps enter in order of age */
#include "core/sched_policy.h"

enum { PATIENCE_PICKS = 256 }; /* more than the result of a unit takes on any machine we ship */

struct two_level {
    u32 room;  /* sm.sched.two_level.active */
    u32 last;  /* slot that issued last */
    u32 stuck; /* picks in a row with no active warp ready */
    u64 active[SET_WORDS];
};

static size_t two_level_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct two_level);
}

static void two_level_init(void *state, const struct config *c, u32 index, u32 fronts) {
    (void)index;
    struct two_level *s = state;
    s->room = c->two_level_active;
    s->last = fronts - 1;
}

/* Sub-warps of the large warp of a slot */
static u64 team_of(const struct sched_view *v, u32 slot) {
    u64 team = 0;
    for (u64 m = v->valid[0]; m; m &= m - 1)
        if (v->team[__builtin_ctzll(m)] == v->team[slot]) team |= m & -m;
    return team;
}

/* Large warps of which one sub-warp could go on stay; then the oldest of which one is ready, while all its
 * sub-warps have room, or nobody else is there. They are few, and their slots the first ones. */
static void set_of_teams(const struct two_level *s, const struct sched_view *v, u64 *active) {
    u64 waits = v->waits_long[0] | v->waits_others[0], stay = 0, pending[SET_WORDS] = {v->ready[0] & ~waits};
    for (u64 m = s->active[0] & v->valid[0] & ~waits; m; m &= ~stay) stay |= team_of(v, (u32)__builtin_ctzll(m));
    for (;;) {
        pending[0] &= ~stay;
        if (!pending[0]) break;
        u64 team = team_of(v, (u32)set_oldest(pending, 1, v->age));
        if (stay && __builtin_popcountll(stay) + __builtin_popcountll(team) > (int)s->room) break;
        stay |= team;
    }
    active[0] = stay;
}

/* Who may stay, stays; the rest of the places go to the oldest that are ready. A second call with the same
 * view changes nothing. */
static void two_level_set(const struct two_level *s, const struct sched_view *v, u64 *active) {
    u64 pending[SET_WORDS], going[SET_WORDS];
    if (v->team) {
        set_of_teams(s, v, active);
        return;
    }
    set_without(going, v->valid, v->waits_long, v->words);
    if (v->words == 1) going[0] &= ~v->waits_others[0];
    set_and(active, s->active, going, v->words);
    set_and(pending, going, v->ready, v->words);
    set_without(pending, pending, active, v->words);
    u32 n = set_count(active, v->words);
    if (n + set_count(pending, v->words) <= s->room) {
        set_or(active, active, pending, v->words);
        return;
    }
    for (; n < s->room; n++) {
        u32 oldest = (u32)set_oldest(pending, v->words, v->age); /* there is one: more wait than have room */
        set_add(active, oldest), set_drop(pending, oldest);
    }
}

static int two_level_pick(void *state, const struct sched_view *v) {
    struct two_level *s = state;
    u64 can[SET_WORDS];
    two_level_set(s, v, s->active);
    s->stuck = set_meet(s->active, v->ready, v->words) ? 0 : s->stuck + 1;
    if (s->stuck == PATIENCE_PICKS) {
        s->stuck = 0;
        set_clear(s->active, v->words);
        two_level_set(s, v, s->active);
    }
    set_and(can, s->active, v->candidates, v->words);
    return set_after(can, v->words, s->last);
}

static void two_level_issued(void *state, int slot) {
    struct two_level *s = state;
    s->last = (u32)slot;
}

static int two_level_preferred(const void *state, const struct sched_view *v) {
    const struct two_level *s = state;
    u64 active[SET_WORDS];
    two_level_set(s, v, active);
    return set_after(set_any(active, v->words) ? active : v->valid, v->words, s->last);
}

static void two_level_skip(void *state, const struct sched_view *v, u64 n) {
    (void)n;
    struct two_level *s = state;
    two_level_set(s, v, s->active);
}

const struct sched_policy sched_two_level = {
    .name = "two_level",
    .doc = "round robin among a few active warps; one that waits for memory gives its place to the oldest ready one",
    .paper = "Narasiman et al., MICRO 2011; Turner 2012, 1.1.6.1",
    .state_size = two_level_size,
    .init = two_level_init,
    .in_teams = true,
    .pick = two_level_pick,
    .issued = two_level_issued,
    .preferred = two_level_preferred,
    .skip = two_level_skip,
};
