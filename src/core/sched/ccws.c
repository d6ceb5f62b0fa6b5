/* ccws: cache-conscious wavefront scheduling. Greedy then oldest, but warps that lose their data in the L1
 * take loads away from those that lose none.
 *
 * Paper: Rogers, O'Connor, Aamodt, "Cache-Conscious Wavefront Scheduling" (MICRO 2012), and the simulator its
 * authors published (tgrogers/ccws-2012: scheduling-point-system.cc, gpu-cache.cc, configuration
 * QuadroFX5800-CCWS), from which all numbers are: 16 victim tags a warp in 2 sets of 8, first in first out;
 * base score 100; throttle 8.
 *
 *   tags       each slot has an array of the tags of lines that it had brought and that were evicted, by
 *              whomever (sm.sched.ccws.own = false: by others). A store takes its line out of all arrays.
 *   lost       a load that misses, is sent for and finds its line in its own array has lost locality; the tag
 *              stays.
 *   score      of that slot then becomes (lost / instructions) x throttle x cutoff, both counted over the
 *              warps that are resident; it falls by a point a cycle to the base.
 *   cutoff     resident warps x base score.
 *   stack      warps by score, the highest first, the lower slot among equals. Warps go in until the sum has
 *              reached the cutoff; those left over may not issue loads of global and local memory. With every
 *              score at the base all go in.
 *
 * Deviations: a score is never below the base, which in the authors' program a small ratio and a warp's end
 * can make it. Instructions issued again by a replaying machine count again.
 *
 * C1 the warp with the highest score is never kept back
 * C2 scores fall to the base when no locality is lost, so nobody is kept back for ever */
#include "core/sched_policy.h"

struct ccws { /* of the SM */
    u32 tags, ways, line_b, base, throttle;
    u32 fronts, words; /* slots, and words of a set of them */
    bool own;
    u64 lost, issued; /* by the resident warps */
    u64 uncounted;    /* lost since the statistics were last told */
    u64 cutoff;
    u64 sort_cy;              /* first cycle in which the stack may be another; NEVER while nobody is kept back */
    u64 valid[SET_WORDS];     /* resident warps */
    u64 kept_back[SET_WORDS]; /* slots */
    struct ccws_slot {
        u64 lost, issued;  /* by its warp */
        u64 score, set_cy; /* score at the cycle it was set */
    } slot[]; /* [fronts]; behind them [fronts][tags] u64 line + 1, 0: empty; and [fronts][sets] u32 ways that go out next */
};

static u64 *tags_of(struct ccws *s, u32 slot) { return (u64 *)&s->slot[s->fronts] + (size_t)slot * s->tags; }
static u32 *nexts_of(struct ccws *s, u32 slot) { return (u32 *)tags_of(s, s->fronts) + (size_t)slot * (s->tags / s->ways); }

static size_t ccws_shared_size(const struct config *c, u32 fronts) {
    size_t slot = sizeof(struct ccws_slot) + sizeof(u64) * c->ccws_tags + sizeof(u32) * (c->ccws_tags / c->ccws_ways);
    return sizeof(struct ccws) + slot * fronts;
}

static void ccws_shared_init(void *shared, const struct config *c, u32 fronts) {
    struct ccws *s = shared;
    s->fronts = fronts, s->words = set_words(fronts);
    s->tags = c->ccws_tags, s->ways = c->ccws_ways, s->line_b = c->l1_line_b, s->own = c->ccws_own;
    s->base = c->ccws_base, s->throttle = c->ccws_throttle;
    s->sort_cy = NEVER;
    s->cutoff = (u64)c->warps * c->ccws_base;
}

/* --- victim tags */

struct tag_set {
    u64 *tag;
    u32 *next;
};
static struct tag_set set_of(struct ccws *s, u32 slot, u64 line) {
    u32 sets = s->tags / s->ways, set = (u32)(line / s->line_b % sets);
    return (struct tag_set){&tags_of(s, slot)[(size_t)set * s->ways], &nexts_of(s, slot)[set]};
}

static u64 *find(struct ccws *s, u32 slot, u64 line) {
    struct tag_set x = set_of(s, slot, line);
    for (u32 i = 0; i < s->ways; i++)
        if (x.tag[i] == line + 1) return &x.tag[i];
    return NULL;
}

static void remember(struct ccws *s, u32 slot, u64 line) {
    struct tag_set x = set_of(s, slot, line);
    if (find(s, slot, line)) return;
    x.tag[*x.next] = line + 1;
    *x.next = (*x.next + 1) % s->ways;
}

static void forget(struct ccws *s, u64 line) {
    for (u32 slot = 0; slot < s->fronts; slot++) {
        u64 *tag = find(s, slot, line);
        if (tag) *tag = 0;
    }
}

/* --- scores */

static u64 score_at(const struct ccws *s, u32 slot, u64 now) {
    const struct ccws_slot *x = &s->slot[slot];
    u64 gone = now - x->set_cy;
    return x->score > s->base + gone ? x->score - gone : s->base;
}

static void lose(struct ccws *s, u32 slot, u64 now) {
    struct ccws_slot *x = &s->slot[slot];
    s->lost++, x->lost++, s->uncounted++;
    x->score = s->lost * s->throttle * s->cutoff / MAX(s->issued, (u64)1);
    x->set_cy = now;
    s->sort_cy = MIN(s->sort_cy, now + 1);
}

static void end(struct ccws *s, u32 slot) {
    struct ccws_slot *x = &s->slot[slot];
    s->lost -= x->lost, s->issued -= x->issued;
    x->lost = x->issued = x->score = 0;
}

static void ccws_event(void *shared, enum sched_event kind, u32 slot, u64 line, u64 now) {
    struct ccws *s = shared;
    switch (kind) {
    case SCHED_STEP: s->issued++, s->slot[slot].issued++; break;
    case SCHED_EVICT: remember(s, slot, line); break;
    case SCHED_EVICT_OWN:
        if (s->own) remember(s, slot, line);
        break;
    case SCHED_MISS:
        if (find(s, slot, line)) lose(s, slot, now);
        break;
    case SCHED_STORE: forget(s, line); break;
    case SCHED_END: end(s, slot); break;
    default: break;
    }
}

/* --- the stack */

/* Of these slots the one with the highest score, which it also answers */
static u32 highest(const struct ccws *s, const u64 *slots, u64 now, u64 *score) {
    u32 top = 0;
    *score = 0; /* below every score */
    SET_EACH (slot, slots, s->words) {
        u64 x = score_at(s, slot, now);
        if (x > *score) top = slot, *score = x;
    }
    return top;
}

/* Between two losses scores only fall, so the stack stays as it is until the sum of those inside is below the
 * cutoff or one of them is down at the base, where the order is by slot */
static void sort(struct ccws *s, u64 now) {
    u64 sum = 0, score, raised = 0, lowest = NEVER;
    set_copy(s->kept_back, s->valid, s->words);
    s->sort_cy = NEVER;
    while (sum < s->cutoff && set_any(s->kept_back, s->words)) {
        u32 top = highest(s, s->kept_back, now, &score);
        if (score > s->base) raised++, lowest = score - s->base;
        sum += score;
        set_drop(s->kept_back, top);
    }
    if (set_any(s->kept_back, s->words)) s->sort_cy = now + MIN((sum - s->cutoff) / raised + 1, lowest);
}

static bool ccws_begin(void *shared, const struct sched_sm *v, u64 n) {
    struct ccws *s = shared;
    u64 old[SET_WORDS], throttled[SET_WORDS], old_cy = s->sort_cy;
    set_copy(old, s->kept_back, s->words);
    v->stats->lost_locality += s->uncounted;
    s->uncounted = 0;
    if (!set_same(v->valid, s->valid, s->words)) {
        set_copy(s->valid, v->valid, s->words);
        s->cutoff = (u64)set_count(v->valid, s->words) * s->base;
        s->sort_cy = v->now;
    }
    if (v->now >= s->sort_cy) sort(s, v->now);
    set_and(throttled, s->kept_back, v->valid, s->words);
    v->stats->throttled_warp_cycles += set_count(throttled, s->words) * n;
    return !set_same(s->kept_back, old, s->words) || s->sort_cy != old_cy;
}

static u64 ccws_wakes(const void *shared, u64 now) {
    const struct ccws *s = shared;
    return MAX(s->sort_cy, now);
}

static void ccws_held(const void *shared, const u64 *memory, u32 words, u64 *held) {
    const struct ccws *s = shared;
    set_and(held, memory, s->kept_back, words);
}

/* --- a scheduler's choice: greedy then oldest */

struct ccws_sched { /* as gto */
    u32 last;
    bool some;
    u64 age;
};

static size_t ccws_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct ccws_sched);
}

static int ccws_among(const struct ccws_sched *s, const u64 *slots, const struct sched_view *v) {
    bool stays = s->some && set_has(slots, s->last) && v->age[s->last] == s->age;
    return stays ? (int)s->last : set_oldest(slots, v->words, v->age);
}

static int ccws_pick(void *state, const struct sched_view *v) {
    struct ccws_sched *s = state;
    int slot = ccws_among(s, v->candidates, v);
    if (slot != NONE) s->age = v->age[slot];
    return slot;
}

static void ccws_issued(void *state, int slot) {
    struct ccws_sched *s = state;
    s->last = (u32)slot, s->some = true;
}

static int ccws_preferred(const void *state, const struct sched_view *v) { return ccws_among(state, v->valid, v); }

const struct sched_policy sched_ccws = {
    .name = "ccws",
    .doc = "cache-conscious: greedy then oldest, with loads kept from warps when others lose their lines",
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
    .holds_loads = true,
    .wakes = ccws_wakes,
    .event = ccws_event,
};
