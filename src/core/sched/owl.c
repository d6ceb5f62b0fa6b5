/* owl: blocks in groups, one group first. Warps of the group with the highest priority issue whenever one
 * can; others only hide its waits. After an interval the next group has its turn.
 *
 * Paper: Jog et al., "OWL: Cooperative Thread Array Aware Scheduling Techniques for Improving GPGPU
 * Performance" (ASPLOS 2013), which has four schemes. The first two are here, together: CTA-aware two-level
 * scheduling (blocks in small groups, round robin within a group, another group only while all warps of this
 * one wait) and locality (as soon as the preferred group can issue again, it does). Deviations: a group is of
 * sm.sched.owl.ctas resident blocks, in the order of their numbers; the paper makes groups of at least so
 * many warps as the pipeline needs. How long a group stays preferred, sm.sched.owl.interval_cy, and that
 * intervals begin at its multiples, is our choice. The other two schemes concern DRAM and are left out:
 * bank-level parallelism (SMs prefer blocks that are not neighbours) and memory-side prefetching, this as in
 * Mascar (HPCA 2015, IV-C).
 *
 * O1 no warp of a group issues while one of a group with higher priority can
 * O2 each group has the highest priority in one of as many intervals as there are groups */
#include "core/sched_policy.h"

struct owl { /* of the SM */
    u64 interval;
    u32 ctas;
};
struct owl_sched {
    u32 last; /* slot that issued last */
};

static size_t owl_shared_size(const struct config *c) {
    (void)c;
    return sizeof(struct owl);
}

static void owl_shared_init(void *shared, const struct config *c) {
    struct owl *s = shared;
    s->interval = c->owl_interval_cy, s->ctas = c->owl_ctas;
}

static u64 owl_wakes(const void *shared, u64 now) {
    const struct owl *s = shared;
    return (now / s->interval + 1) * s->interval;
}

static size_t owl_size(const struct config *c) {
    (void)c;
    return sizeof(struct owl_sched);
}

static void owl_init(void *state, const struct config *c, u32 index, u64 slots) {
    (void)c, (void)index, (void)slots;
    struct owl_sched *s = state;
    s->last = MAX_SLOTS - 1;
}

/* Slots of the lowest block number among these */
static u64 lowest_block(u64 slots, const u64 *block) {
    u64 low = UINT64_MAX, mask = 0;
    for (u64 m = slots; m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        if (block[slot] > low) continue;
        if (block[slot] < low) low = block[slot], mask = 0;
        mask |= m & (~m + 1);
    }
    return mask;
}

/* Groups of the resident warps, in order; how many */
static u32 groups_of(const struct owl *s, const struct sched_view *v, u64 group[MAX_SLOTS]) {
    u32 n = 0;
    for (u64 rest = v->valid; rest; n++) {
        group[n] = 0;
        for (u32 i = 0; i < s->ctas && rest; i++) {
            u64 block = lowest_block(rest, v->block);
            group[n] |= block;
            rest &= ~block;
        }
    }
    return n;
}

static int owl_among(const struct owl_sched *s, u64 slots, const struct sched_view *v) {
    u64 group[MAX_SLOTS];
    const struct owl *o = v->shared;
    if (!slots) return NONE;
    u32 n = groups_of(o, v, group), first = (u32)(v->now / o->interval % n);
    for (u32 i = 0; i < n; i++)
        if (slots & group[(first + i) % n]) return mask_after(slots & group[(first + i) % n], s->last);
    return NONE;
}

static int owl_pick(void *state, const struct sched_view *v) { return owl_among(state, v->candidates, v); }

static void owl_issued(void *state, int slot) {
    struct owl_sched *s = state;
    s->last = (u32)slot;
}

static int owl_preferred(const void *state, const struct sched_view *v) { return owl_among(state, v->valid, v); }

const struct sched_policy sched_owl = {
    .name = "owl",
    .doc = "blocks in groups: round robin in the group whose turn it is, others only while none of it can issue",
    .paper = "Jog et al., ASPLOS 2013",
    .state_size = owl_size,
    .init = owl_init,
    .pick = owl_pick,
    .issued = owl_issued,
    .preferred = owl_preferred,
    .shared_size = owl_shared_size,
    .shared_init = owl_shared_init,
    .wakes = owl_wakes,
};
