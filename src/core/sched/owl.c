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

static size_t owl_shared_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct owl);
}

static void owl_shared_init(void *shared, const struct config *c, u32 fronts) {
    (void)fronts;
    struct owl *s = shared;
    s->interval = c->owl_interval_cy, s->ctas = c->owl_ctas;
}

static u64 owl_wakes(const void *shared, u64 now) {
    const struct owl *s = shared;
    return (now / s->interval + 1) * s->interval;
}

static size_t owl_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct owl_sched);
}

static void owl_init(void *state, const struct config *c, u32 index, u32 fronts) {
    (void)c, (void)index;
    struct owl_sched *s = state;
    s->last = fronts - 1;
}

/* Resident blocks, in the order of their numbers: so many after each other are a group */
struct groups {
    u64 block[MAX_FRONTS];
    u32 nblocks, n; /* of them; of groups */
};

static u32 place_of(const struct groups *g, u64 block) { /* the first that is not below it */
    u32 from = 0, to = g->nblocks;
    while (from < to) {
        u32 mid = (from + to) / 2;
        if (g->block[mid] < block) from = mid + 1;
        else to = mid;
    }
    return from;
}

static void add_block(struct groups *g, u64 block) {
    u32 at = place_of(g, block);
    if (at < g->nblocks && g->block[at] == block) return;
    for (u32 i = g->nblocks++; i > at; i--) g->block[i] = g->block[i - 1];
    g->block[at] = block;
}

static void find_groups(const struct owl *s, const struct sched_view *v, struct groups *g) {
    g->nblocks = 0;
    SET_EACH (slot, v->valid, v->words) add_block(g, v->block[slot]);
    g->n = (g->nblocks + s->ctas - 1) / s->ctas;
}

static int owl_among(const struct owl_sched *s, const u64 *slots, const struct sched_view *v) {
    struct groups g;
    const struct owl *o = v->shared;
    u64 best[SET_WORDS];
    u32 nearest = UINT32_MAX;
    if (!set_any(slots, v->words)) return NONE;
    set_clear(best, v->words);
    find_groups(o, v, &g);
    u32 first = (u32)(v->now / o->interval % g.n);
    SET_EACH (slot, slots, v->words) {
        u32 turn = (place_of(&g, v->block[slot]) / o->ctas + g.n - first) % g.n; /* how far its group is from having its turn */
        if (turn > nearest) continue;
        if (turn < nearest) set_clear(best, v->words), nearest = turn;
        set_add(best, slot);
    }
    return set_after(best, v->words, s->last);
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
