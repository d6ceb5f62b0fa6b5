/* gto: greedy then oldest. The warp that issued last as long as it can, else the one that came to the SM
 * first.
 *
 * Paper: Rogers, O'Connor, Aamodt, "Cache-Conscious Wavefront Scheduling" (MICRO 2012), where it is a
 * baseline; Mascar (HPCA 2015) section IV-A. Deviation: none. Aurud's rule of age (equation 3.2) is another
 * one: gto_wait.c.
 *
 * G1 the warp that issued last is picked whenever it is a candidate
 * G2 otherwise no candidate is older than the one picked */
#include "core/sched_policy.h"

struct gto {
    u32 last;  /* slot that issued last */
    bool some; /* there is one */
    u64 age;   /* of the warp picked last: its slot may have been given to another since */
};

static size_t gto_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct gto);
}

static int gto_among(const struct gto *s, const u64 *slots, const struct sched_view *v) {
    bool stays = s->some && set_has(slots, s->last) && v->age[s->last] == s->age;
    return stays ? (int)s->last : set_oldest(slots, v->words, v->age);
}

static int gto_pick(void *state, const struct sched_view *v) {
    struct gto *s = state;
    int slot = gto_among(s, v->candidates, v);
    if (slot != NONE) s->age = v->age[slot];
    return slot;
}

static void gto_issued(void *state, int slot) {
    struct gto *s = state;
    s->last = (u32)slot, s->some = true;
}

static int gto_preferred(const void *state, const struct sched_view *v) { return gto_among(state, v->valid, v); }

const struct sched_policy sched_gto = {
    .name = "gto",
    .doc = "greedy then oldest: the last issued as long as it can issue, else the warp that arrived first",
    .paper = "Rogers, O'Connor, Aamodt, MICRO 2012; Mascar, HPCA 2015, IV-A",
    .state_size = gto_size,
    .init = stateless_init,
    .pick = gto_pick,
    .issued = gto_issued,
    .preferred = gto_preferred,
};
