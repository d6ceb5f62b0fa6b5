/* ccws: cache-conscious wavefront scheduling. Greedy then oldest, but warps that lose their data in the L1 to others take memory instructions away from those that lose none.
 *
 * Paper: Rogers, O'Connor, Aamodt, "Cache-Conscious Wavefront Scheduling" (MICRO 2012): victim tag arrays, lost-locality scores, decay, base score, cutoff.
 * Each slot has an array of the tags of lines it had brought and lost. A miss that finds its line there has lost locality: the slot's score becomes
 *     (lost so far / instructions so far) x throttle x cutoff,    cutoff = warps x base score,
 * and decays by a point a cycle down to the base. Warps are stacked by score, the highest first; those that end above the cutoff may not issue memory instructions. With every score at the base all
 * fit exactly.
 *
 * Deviations: the stack is sorted every sm.sched.ccws.period_cy, not in every cycle. All memory instructions but those of shared memory are kept back, not only loads. Tag arrays are
 * fully associative, and hold lines lost to other warps: a line that a warp pushed out itself is not locality that fewer warps would have kept. A slot's tags and score stay when its warp ends.
 *
 * C1 the warp with the highest score is never kept back
 * C2 scores fall to the base when no locality is lost, so nobody is kept back for ever */
#include "core/policy.h"

struct ccws { /* of the SM */
    u32 tags, base, throttle, period;
    u64 lost, issued;                        /* so far */
    u64 uncounted;                           /* of lost, those not yet in the statistics */
    u64 cutoff;                              /* at the last sorting */
    u64 kept_back;                           /* slots */
    u64 sort_cy;                             /* when to sort next; NEVER while all scores are at the base */
    u64 clock;                               /* of uses of tags */
    u64 score[MAX_SLOTS], set_cy[MAX_SLOTS]; /* score at the cycle it was set */
    struct ccws_tag {
        u64 line, used; /* used: 0: empty */
    } tag[];            /* [MAX_SLOTS][tags] */
};

static size_t ccws_shared_size(const struct config *c) {
    return sizeof(struct ccws) + sizeof(struct ccws_tag) * MAX_SLOTS * c->ccws_tags;
}

static void ccws_shared_init(void *shared, const struct config *c) {
    struct ccws *s = shared;
    s->tags = c->ccws_tags, s->base = c->ccws_base, s->throttle = c->ccws_throttle, s->period = c->ccws_period_cy;
    s->sort_cy = NEVER;
    s->cutoff = (u64)c->warps * c->ccws_base;
}

/* --- lost locality */

static struct ccws_tag *tags_of(struct ccws *s, u32 slot) { return &s->tag[(size_t)slot * s->tags]; }

static void remember(struct ccws *s, u32 slot, u64 line) {
    struct ccws_tag *t = tags_of(s, slot);
    u32 old = 0;
    for (u32 i = 0; i < s->tags; i++)
        if (t[i].used < t[old].used) old = i;
    t[old] = (struct ccws_tag){line, ++s->clock};
}

static bool had(struct ccws *s, u32 slot, u64 line) {
    struct ccws_tag *t = tags_of(s, slot);
    for (u32 i = 0; i < s->tags; i++) {
        if (!t[i].used || t[i].line != line) continue;
        t[i].used = 0;
        return true;
    }
    return false;
}

static u64 score_at(const struct ccws *s, u32 slot, u64 now) {
    u64 gone = now - s->set_cy[slot];
    return s->score[slot] > s->base + gone ? s->score[slot] - gone : s->base;
}

static void lose(struct ccws *s, u32 slot, u64 now) {
    s->lost++, s->uncounted++;
    u64 score = s->lost * s->throttle * s->cutoff / MAX(s->issued, (u64)1);
    s->score[slot] = MAX(score, (u64)s->base);
    s->set_cy[slot] = now;
    if (s->sort_cy == NEVER) s->sort_cy = (now / s->period + 1) * s->period;
}

static void ccws_event(void *shared, enum sched_event kind, u32 slot, u64 line, u64 now) {
    struct ccws *s = shared;
    if (kind == SCHED_STEP) s->issued++;
    if (kind == SCHED_EVICT) remember(s, slot, line);
    if (kind == SCHED_MISS && had(s, slot, line)) lose(s, slot, now);
}

/* --- the stack */

static void sort(struct ccws *s, const struct sched_sm *v) {
    u64 sum = 0, rest = v->valid;
    bool raised = false;
    s->cutoff = (u64)__builtin_popcountll(v->valid) * s->base;
    s->kept_back = 0;
    while (rest) {
        u32 top = (u32)mask_first(rest);
        for (u64 m = rest & (rest - 1); m; m &= m - 1) {
            u32 slot = (u32)mask_first(m);
            u64 a = score_at(s, slot, v->now), b = score_at(s, top, v->now);
            if (a > b || (a == b && v->age[slot] < v->age[top])) top = slot;
        }
        u64 score = score_at(s, top, v->now);
        raised |= score > s->base;
        if (sum && sum + score > s->cutoff) s->kept_back |= mask_of((int)top);
        sum += score;
        rest &= ~mask_of((int)top);
    }
    s->sort_cy = raised ? (v->now / s->period + 1) * s->period : NEVER;
}

static bool ccws_begin(void *shared, const struct sched_sm *v, u64 n) {
    struct ccws *s = shared;
    u64 old = s->kept_back, old_cy = s->sort_cy;
    v->stats->lost_locality += s->uncounted;
    s->uncounted = 0;
    if (v->now >= s->sort_cy) sort(s, v);
    v->stats->throttled_warp_cycles += (u64)__builtin_popcountll(s->kept_back & v->valid) * n;
    return s->kept_back != old || s->sort_cy != old_cy;
}

static u64 ccws_wakes(const void *shared, u64 now) {
    const struct ccws *s = shared;
    return MAX(s->sort_cy, now);
}

static u64 ccws_held(const void *shared, u64 memory) {
    const struct ccws *s = shared;
    return memory & s->kept_back;
}

/* --- a scheduler's choice: greedy then oldest */

struct ccws_sched {
    u64 last, age;
};

static size_t ccws_size(const struct config *c) {
    (void)c;
    return sizeof(struct ccws_sched);
}

static int ccws_among(const struct ccws_sched *s, u64 slots, const struct sched_view *v) {
    int last = mask_first(slots & s->last);
    return last != NONE && v->age[last] == s->age ? last : mask_oldest(slots, v->age);
}

static int ccws_pick(void *state, const struct sched_view *v) {
    struct ccws_sched *s = state;
    int slot = ccws_among(s, v->candidates, v);
    if (slot != NONE) s->age = v->age[slot];
    return slot;
}

static void ccws_issued(void *state, int slot) {
    struct ccws_sched *s = state;
    s->last = mask_of(slot);
}

static int ccws_preferred(const void *state, const struct sched_view *v) { return ccws_among(state, v->valid, v); }

const struct sched_policy sched_ccws = {
    .name = "ccws",
    .doc = "cache-conscious: greedy then oldest, with memory instructions kept from warps when others lose their lines",
    .paper = "Rogers, O'Connor, Aamodt, MICRO 2012",
    .state_size = ccws_size,
    .init = stateless_init,
    .pick = ccws_pick,
    .issued = ccws_issued,
    .preferred = ccws_preferred,
    .shared_size = ccws_shared_size,
    .shared_init = ccws_shared_init,
    .begin = ccws_begin,
    .held = ccws_held,
    .wakes = ccws_wakes,
    .event = ccws_event,
};
