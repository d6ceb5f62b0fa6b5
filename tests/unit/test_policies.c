/* Policies: does each keep the contract of its kind (core/sched_policy.h and its neighbours), and the
 * promises its file opens with?
 *
 * Schedulers are driven without a core: views come from a little machine whose warps come, wait and go at
 * random, under the rules of P0. */
#include "core/core.h"
#include "core/order_policy.h"
#include "flow_random.h"
#include "report/policies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef skip /* a scheduler has one too */

enum { CYCLES = 4000 };

struct rig { /* a scheduler and the warps it sees */
    const struct sched_policy *p;
    struct config cfg;
    void *state;
    size_t state_b;
    void *shared; /* of the SM's schedulers, of which this is the only one; NULL */
    u64 block[MAX_SLOTS];
    u64 slots; /* of this scheduler */
    u64 eager; /* slots that are valid and candidates in every cycle */
    u64 seed, ages;
    u64 age[MAX_SLOTS];
    struct sched_view v;
};

static void rig_open(struct rig *r, const struct sched_policy *p, u64 slots, u32 active) {
    *r = (struct rig){.p = p, .slots = slots, .seed = 7 + slots};
    config_default(&r->cfg);
    r->cfg.two_level_active = active;
    r->state_b = p->state_size(&r->cfg);
    r->state = base_alloc(r->state_b + 1);
    p->init(r->state, &r->cfg, 0, slots);
    if (p->shared_size) r->shared = base_alloc(p->shared_size(&r->cfg));
    if (p->shared_init) p->shared_init(r->shared, &r->cfg);
    r->v.age = r->age, r->v.block = r->block, r->v.shared = r->shared;
}

static void rig_close(struct rig *r) {
    free(r->state);
    free(r->shared);
}

static u64 random_word(struct rig *r) {
    return (u64)random_below(&r->seed, UINT32_MAX) << 32 | random_below(&r->seed, UINT32_MAX);
}

/* Each bit set with probability 2^-n */
static u64 random_few(struct rig *r, u32 n) {
    u64 m = ~0ull;
    while (n--) m &= random_word(r);
    return m;
}

static void rig_arrive(struct rig *r, u64 slots) { /* in random order */
    while (slots) {
        int slot = mask_after(slots, random_below(&r->seed, MAX_SLOTS));
        r->age[slot] = ++r->ages;
        r->block[slot] = r->ages / 4;
        slots &= ~mask_of(slot);
    }
}

static void rig_cycle(struct rig *r) { /* the next cycle's view */
    struct sched_view *v = &r->v;
    v->now++;
    u64 was = v->valid;
    u64 end = random_few(r, 6) & was, come = random_few(r, 3) & r->slots & ~was;
    v->valid = ((was & ~end) | come | r->eager) & r->slots;
    rig_arrive(r, v->valid & ~was);
    v->waits_long = ((v->waits_long & ~random_few(r, 3)) | random_few(r, 4)) & v->valid & ~r->eager;
    v->ready = ((random_few(r, 1) | r->eager) & v->valid) & ~v->waits_long;
    v->memory = v->ready & random_few(r, 1);
    v->candidates = v->ready & (random_few(r, 1) | r->eager);
    if (!r->eager && random_below(&r->seed, 4) == 0) v->candidates = 0;
}

static void skip_cycles(const struct sched_policy *p, void *state, const struct sched_view *v, u64 n) {
    if (p->skip) p->skip(state, v, n);
}

static int rig_step(struct rig *r) { /* the scheduler's part of the cycle; the slot that issued */
    if (!r->v.candidates) {
        skip_cycles(r->p, r->state, &r->v, 1);
        return NONE;
    }
    int slot = r->p->pick(r->state, &r->v);
    if (slot != NONE) r->p->issued(r->state, slot);
    return slot;
}

static void *rig_copy(const struct rig *r) {
    void *copy = base_alloc(r->state_b + 1);
    memcpy(copy, r->state, r->state_b);
    return copy;
}

static bool in_mask(int slot, u64 m) { return slot >= 0 && slot < MAX_SLOTS && m >> slot & 1; }

static const u64 slot_masks[] = {~0ull, 0x5555555555555555ull, 0x4924924924924924ull, 0xFFFFull, 0x8000000000000000ull, 1};

/* --- what every scheduler owes */
static void check_preferred(const struct rig *r) { /* P3: after a lost cycle, the slot that would have issued in it */
    struct sched_view all = r->v, lost;
    all.ready = all.candidates = all.valid, all.waits_long = 0;
    lost = all, lost.candidates = 0;
    void *issues = rig_copy(r), *loses = rig_copy(r);
    int would = all.valid ? r->p->pick(issues, &all) : NONE;
    skip_cycles(r->p, loses, &lost, 1);
    assert_int_equal(r->p->preferred(loses, &lost), would);
    free(issues);
    free(loses);
}

static void check_contract(struct rig *r) {
    for (u32 t = 0; t < CYCLES; t++) {
        rig_cycle(r);
        check_preferred(r);
        int slot = rig_step(r);
        if (slot != NONE) assert_true(in_mask(slot, r->v.candidates));
        void *before = rig_copy(r);
        int preferred = r->p->preferred(r->state, &r->v);
        assert_memory_equal(before, r->state, r->state_b);
        if (r->v.valid) assert_true(in_mask(preferred, r->v.valid));
        else assert_int_equal(preferred, NONE);
        free(before);
    }
}

static void schedulers_keep_the_contract(void **state) {
    (void)state;
    for (u32 p = 0; sched_policies[p]; p++) {
        for (u32 m = 0; m < ARRAY_LEN(slot_masks); m++) {
            struct rig r;
            rig_open(&r, sched_policies[p], slot_masks[m], 4);
            check_contract(&r);
            rig_close(&r);
        }
    }
}

static void check_skip(struct rig *r, u64 n) { /* from here, n cycles at once and one by one */
    struct sched_view v = r->v;
    v.candidates = 0;
    void *single = rig_copy(r), *whole = rig_copy(r);
    skip_cycles(r->p, whole, &v, n);
    int preferred = r->p->preferred(whole, &v);
    for (u64 i = 0; i < n; i++, v.now++) {
        skip_cycles(r->p, single, &v, 1);
        if (!r->p->moves) assert_int_equal(r->p->preferred(single, &v), preferred);
    }
    assert_memory_equal(single, whole, r->state_b);
    free(single);
    free(whole);
}

static void skipping_at_once_is_skipping_one_by_one(void **state) {
    (void)state;
    for (u32 p = 0; sched_policies[p]; p++) {
        for (u32 m = 0; m < ARRAY_LEN(slot_masks); m++) {
            struct rig r;
            rig_open(&r, sched_policies[p], slot_masks[m], 3);
            for (u32 t = 0; t < CYCLES / 8; t++) {
                rig_cycle(&r);
                check_skip(&r, 1 + random_below(&r.seed, 200));
                rig_step(&r);
            }
            rig_close(&r);
        }
    }
}

static void two_copies_do_not_share_state(void **state) {
    (void)state;
    for (u32 p = 0; sched_policies[p]; p++) {
        struct rig a, b;
        rig_open(&a, sched_policies[p], 0xFFFF, 4);
        rig_open(&b, sched_policies[p], 0xFFFF, 4);
        int first[256];
        for (u32 t = 0; t < ARRAY_LEN(first); t++) rig_cycle(&a), first[t] = rig_step(&a);
        for (u32 t = 0; t < ARRAY_LEN(first); t++) {
            rig_cycle(&b);
            assert_int_equal(rig_step(&b), first[t]);
        }
        rig_close(&a);
        rig_close(&b);
    }
}

/* --- single schedulers */
static void lrr_serves_everyone_in_a_round(void **state) {
    (void)state;
    for (u32 m = 0; m < ARRAY_LEN(slot_masks); m++) {
        u32 nslots = (u32)__builtin_popcountll(slot_masks[m]), since = 0;
        struct rig r;
        rig_open(&r, &sched_lrr, slot_masks[m], 4);
        r.eager = mask_of(mask_after(r.slots, 40));
        for (u32 t = 0; t < CYCLES; t++) {
            rig_cycle(&r);
            since = in_mask(rig_step(&r), r.eager) ? 0 : since + 1;
            assert_true(since < nslots);
        }
        rig_close(&r);
    }
}

static void lrr_goes_on_behind_the_last(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, &sched_lrr, 0xF, 4);
    r.v.valid = r.v.ready = 0xF;
    static const struct {
        u64 candidates;
        int slot;
    } cycles[] = {{0xF, 0}, {0xF, 1}, {0xC, 2}, {0x6, 1}, {0x1, 0}, {0x8, 3}, {0xF, 0}};
    for (u32 t = 0; t < ARRAY_LEN(cycles); t++) {
        r.v.candidates = cycles[t].candidates;
        assert_int_equal(rig_step(&r), cycles[t].slot);
    }
    rig_close(&r);
}

static bool none_older(const struct rig *r, int slot) {
    for (u64 m = r->v.candidates; m; m &= m - 1)
        if (r->age[mask_first(m)] < r->age[slot]) return false;
    return true;
}

static void gto_is_greedy_then_oldest(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, &sched_gto, ~0ull, 4);
    int last = NONE;
    u64 last_age = 0;
    u32 stayed = 0;
    for (u32 t = 0; t < CYCLES; t++) {
        rig_cycle(&r);
        int slot = rig_step(&r);
        if (slot == NONE) continue;
        if (in_mask(last, r.v.candidates) && r.age[last] == last_age) assert_int_equal(slot, last), stayed++;
        else assert_true(none_older(&r, slot));
        last = slot, last_age = r.age[slot];
    }
    assert_true(stayed > 100);
    rig_close(&r);
}

static void
gto_is_not_loyal_to_a_slot(void **state) { /* the warp it is greedy about ends, and a younger one takes its slot at once */
    (void)state;
    struct rig r;
    rig_open(&r, &sched_gto, 0x3, 4);
    r.v.valid = r.v.ready = r.v.candidates = 0x3;
    r.age[0] = 1, r.age[1] = 2;
    assert_int_equal(rig_step(&r), 0);
    r.age[0] = 3;
    assert_int_equal(rig_step(&r), 1);
    rig_close(&r);
}

static void oldest_is_oldest(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, &sched_oldest, ~0ull, 4);
    for (u32 t = 0; t < CYCLES; t++) {
        rig_cycle(&r);
        int slot = rig_step(&r);
        assert_int_equal(slot == NONE, r.v.candidates == 0);
        if (slot != NONE) assert_true(none_older(&r, slot));
    }
    rig_close(&r);
}

static void find_first_is_lowest(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, &sched_find_first, ~0ull, 4);
    for (u32 t = 0; t < CYCLES; t++) {
        rig_cycle(&r);
        int slot = rig_step(&r);
        assert_int_equal(slot == NONE, r.v.candidates == 0);
        if (slot != NONE) assert_int_equal(r.v.candidates & (mask_of(slot) - 1), 0);
    }
    rig_close(&r);
}

/* Aurud, equation 3.2, slot by slot */
static void gto_wait_counts_as_equation_3_2(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, &sched_gto_wait, 0xFF, 4);
    u64 age[MAX_SLOTS] = {0};
    int last = NONE;
    for (u32 t = 0; t < CYCLES; t++) {
        u64 was = r.v.valid;
        rig_cycle(&r);
        int want = NONE, slot = rig_step(&r);
        for (int i = 0; i < MAX_SLOTS; i++)
            if (in_mask(i, was & ~r.v.valid)) age[i] = 0;
        if (!in_mask(last, r.v.valid)) last = NONE;
        for (int i = 0; i < MAX_SLOTS; i++)
            if (in_mask(i, r.v.candidates) && (want == NONE || age[i] > age[want])) want = i;
        if (in_mask(last, r.v.candidates)) want = last;
        assert_int_equal(slot, want);
        if (slot == NONE) continue;
        for (int i = 0; i < MAX_SLOTS; i++)
            if (in_mask(i, r.v.candidates)) age[i]++;
        age[slot] = 0, last = slot;
    }
    rig_close(&r);
}

static void vortex_rr_looks_at_one_warp_a_cycle(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, &sched_vortex_rr, 0xFF, 4);
    int turn = MAX_SLOTS - 1;
    u32 missed = 0;
    for (u32 t = 0; t < CYCLES; t++) {
        rig_cycle(&r);
        int slot = rig_step(&r);
        for (int i = 1; i <= MAX_SLOTS && r.v.valid; i++) {
            if (!in_mask((turn + i) % MAX_SLOTS, r.v.valid)) continue;
            turn = (turn + i) % MAX_SLOTS;
            break;
        }
        assert_int_equal(slot, in_mask(turn, r.v.candidates) ? turn : NONE);
        assert_int_equal(r.p->preferred(r.state, &r.v), r.v.valid ? turn : NONE);
        missed += r.v.candidates && slot == NONE;
    }
    assert_true(missed > 100);
    rig_close(&r);
}

static void vortex_rr_wastes_a_round(void **state) { /* Aurud 3.2.1: one of N ready may wait N cycles */
    (void)state;
    struct rig r;
    rig_open(&r, &sched_vortex_rr, 0xF, 4);
    r.v.valid = 0xF, r.v.ready = r.v.candidates = 0x8;
    static const int want[] = {NONE, NONE, NONE, 3, NONE, NONE, NONE, 3};
    for (u32 t = 0; t < ARRAY_LEN(want); t++) assert_int_equal(rig_step(&r), want[t]);
    r.v.candidates = 0;
    sched_vortex_rr.skip(r.state, &r.v, 4000000000003ull); /* a multiple of four, and three */
    assert_int_equal(sched_vortex_rr.preferred(r.state, &r.v), 2);
    rig_close(&r);
}

/* --- two_level against a model that keeps a list */
struct two_level_model {
    u32 room, n, stuck;
    int active[MAX_SLOTS]; /* in order of entry */
    int last;
};

static void model_leave(struct two_level_model *m, u64 who) {
    u32 n = 0;
    for (u32 i = 0; i < m->n; i++)
        if (!in_mask(m->active[i], who)) m->active[n++] = m->active[i];
    m->n = n;
}

static u64 model_mask(const struct two_level_model *m) {
    u64 all = 0;
    for (u32 i = 0; i < m->n; i++) all |= mask_of(m->active[i]);
    return all;
}

static void model_enter(struct two_level_model *m, const struct rig *r) {
    model_leave(m, ~r->v.valid | r->v.waits_long);
    while (m->n < m->room) {
        int best = NONE;
        for (int i = 0; i < MAX_SLOTS; i++)
            if (in_mask(i, r->v.ready & ~model_mask(m)) && (best == NONE || r->age[i] < r->age[best])) best = i;
        if (best == NONE) return;
        m->active[m->n++] = best;
    }
}

static int model_pick(struct two_level_model *m, const struct rig *r) {
    model_enter(m, r);
    if (!r->v.candidates) return NONE;
    m->stuck = model_mask(m) & r->v.ready ? 0 : m->stuck + 1;
    if (m->stuck == 256) {
        m->n = m->stuck = 0;
        model_enter(m, r);
    }
    for (int i = 1; i <= MAX_SLOTS; i++) {
        int slot = (m->last + i) % MAX_SLOTS;
        if (in_mask(slot, r->v.candidates & model_mask(m))) return m->last = slot;
    }
    return NONE;
}

static void two_level_is_its_model(void **state) {
    (void)state;
    static const u32 rooms[] = {1, 2, 8, 64};
    for (u32 i = 0; i < ARRAY_LEN(rooms); i++) {
        struct two_level_model m = {.room = rooms[i], .last = MAX_SLOTS - 1};
        struct rig r;
        rig_open(&r, &sched_two_level, 0xFFFFFFFF, rooms[i]);
        u64 picked = 0;
        for (u32 t = 0; t < CYCLES; t++) {
            rig_cycle(&r);
            int slot = rig_step(&r);
            assert_int_equal(slot, model_pick(&m, &r));
            assert_true(m.n <= rooms[i]);
            if (slot != NONE) picked |= mask_of(slot);
        }
        assert_int_equal(picked, r.slots); /* pending warps get in */
        rig_close(&r);
    }
}

static u64 issue_for(struct rig *r, u32 cycles) { /* the slots that issue while the view stays */
    u64 picked = 0;
    for (u32 t = 0; t < cycles; t++) picked |= mask_of(rig_step(r));
    return picked;
}

static void two_level_keeps_to_its_set(void **state) {
    (void)state;
    struct rig r;
    rig_open(&r, &sched_two_level, 0xFFFF, 4);
    r.v.valid = r.v.ready = r.v.candidates = 0xFFFF;
    for (u32 i = 0; i < 16; i++) r.age[i] = 100 - i; /* slot 15 is the oldest */
    assert_int_equal(issue_for(&r, 1000), 0xF000);
    r.v.waits_long = 0x4000, r.v.ready = r.v.candidates = 0xBFFF;
    assert_int_equal(issue_for(&r, 1000), 0xB800); /* 14 waits, 11 is the next by age */
    r.v.waits_long = 0, r.v.ready = r.v.candidates = 0xFFFF;
    assert_int_equal(issue_for(&r, 1000), 0xB800); /* 14 is back, and pending */
    r.v.waits_long = 0x0800, r.v.ready = r.v.candidates = 0xF7FF;
    assert_int_equal(issue_for(&r, 1000), 0xF000);
    r.v.waits_long = 0, r.v.ready = r.v.candidates = 0xFFFF & ~0x1000; /* 12 waits for a unit's result: it keeps its place */
    assert_int_equal(issue_for(&r, 1000), 0xE000);
    rig_close(&r);
}

static void two_level_does_not_wait_for_ever(void **state) { /* its set stands at a barrier the pending warps have yet to reach */
    (void)state;
    struct rig r;
    rig_open(&r, &sched_two_level, 0xFF, 4);
    r.v.valid = r.v.ready = r.v.candidates = 0xFF;
    for (u32 i = 0; i < 8; i++) r.age[i] = i;
    assert_int_equal(issue_for(&r, 100), 0x0F);
    r.v.ready = r.v.candidates = 0xF0;
    assert_int_equal(issue_for(&r, 255), 0);
    assert_int_equal(issue_for(&r, 100), 0xF0);
    rig_close(&r);
}

/* --- fetch */
static void fetch_policies_keep_the_contract(void **state) {
    (void)state;
    u64 age[MAX_SLOTS], seed = 3;
    for (u32 p = 0; fetch_policies[p]; p++) {
        u32 last = 0;
        for (u32 t = 0; t < CYCLES; t++) {
            for (u32 i = 0; i < MAX_SLOTS; i++) age[i] = i * 37 % MAX_SLOTS;
            u64 m = random_below(&seed, 3) ? (u64)random_below(&seed, UINT32_MAX) << random_below(&seed, 32) : 0;
            u32 was = last;
            struct fetch_view v = {.candidates = m, .age = age};
            int slot = fetch_policies[p]->pick(&last, &v);
            if (m) assert_true(in_mask(slot, m));
            else assert_int_equal(slot, NONE);
            assert_int_equal(last, m ? (u32)slot : was);
        }
    }
}

static int fetch_once(const struct fetch_policy *p, u32 last, u64 candidates) {
    static const u64 age[MAX_SLOTS] = {5, 4, 1, 3, 2};
    struct fetch_view v = {.candidates = candidates, .age = age};
    return p->pick(&last, &v);
}

static void fetch_policies_keep_their_promises(void **state) {
    (void)state;
    assert_int_equal(fetch_once(&fetch_find_first, 3, 0x1A), 1);
    assert_int_equal(fetch_once(&fetch_lrr, 3, 0x1B), 4);
    assert_int_equal(fetch_once(&fetch_lrr, 4, 0x1A), 1);
    assert_int_equal(fetch_once(&fetch_lrr, MAX_SLOTS - 1, 0x1F), 0);
    assert_int_equal(fetch_once(&fetch_gto, 3, 0x1F), 3);
    assert_int_equal(fetch_once(&fetch_gto, 3, 0x17), 2);
    assert_int_equal(fetch_once(&fetch_gto, 0, 0x1A), 4);
}

static void mechanisms_of_the_baseline(void **state) {
    (void)state;
    for (u32 h = 0; h < HAZARD_COUNT; h++)
        assert_int_equal(hazard_stall.refused(&(struct hazard_view){.why = (enum hazard)h}), HAZARD_HOLD);
}

/* --- predictors and trackers (core/predictor_policy.h, core/tracker_policy.h) */
static const struct predictor_policy *predictor_named(const char *name) {
    u32 i = 0;
    while (strcmp(predictor_policies[i]->name, name)) i++;
    return predictor_policies[i];
}
static const struct tracker_policy *tracker_named(const char *name) {
    u32 i = 0;
    while (strcmp(tracker_policies[i]->name, name)) i++;
    return tracker_policies[i];
}

static bool line_there;
static bool present(const struct predict_view *v) {
    (void)v;
    return line_there;
}

static void predictors_keep_their_promises(void **state) {
    (void)state;
    for (u32 bits = 1; bits <= 8; bits++)
        for (u32 n = 0; n < 1u << bits; n++)
            for (u32 there = 0; there < 2; there++) {
                struct predict_view v = {(u8)n, bits, present};
                line_there = there;
                assert_false(predictor_named("hit")->expects_miss(&v));
                assert_true(predictor_named("miss")->expects_miss(&v));
                assert_int_equal(predictor_named("counter")->expects_miss(&v), n >= 1u << (bits - 1));
                assert_int_equal(predictor_named("oracle")->expects_miss(&v), !there);
            }
    u8 x = 0;
    for (u32 i = 1; i <= 9; i++) predictor_named("counter")->learn(&x, 3, true), assert_int_equal(x, MIN(i, 7u));
    for (u32 i = 1; i <= 9; i++) predictor_named("counter")->learn(&x, 3, false), assert_int_equal(x, i < 7 ? 7 - i : 0);
}

static void trackers_keep_their_promises(void **state) {
    (void)state;
    struct config c;
    config_default(&c);
    assert_null(tracker_named("none")->is_free);
    const struct tracker_policy *naive = tracker_named("naive"), *credit = tracker_named("credit");
    for (c.tracker_cy = 0; c.tracker_cy < 4; c.tracker_cy++) { /* four places, one more taken each cycle from 10 on */
        struct track t = {0};
        for (u64 now = 10; now < 20; now++) {
            struct track_view v = {&c, now, (u32)MIN(now - 9, 4ull), 4};
            if (v.used <= 4 && now < 14) naive->changed(&t, &v);
            assert_int_equal(naive->is_free(&t, &v), now < 13 + c.tracker_cy);
            u64 next = naive->next(&t, now);
            assert_int_equal(next, c.tracker_cy && now < 13 + c.tracker_cy ? MAX(now + 1, 10ull + c.tracker_cy) : NEVER);
        }
        free(t.past.at);
    }
    struct track_view v = {&c, 0, 0, 4};
    for (i32 pool = -2; pool < 3; pool++) assert_int_equal(credit->is_free(&(struct track){.pool = pool}, &v), pool > 0);
    assert_true(credit->gives_credits && !naive->gives_credits);
}

/* --- the tables */
static void rows_are_complete(void **state) {
    (void)state;
    u32 n = policy_count();
    assert_null(policy_at(n).name);
    for (u32 i = 0; i < n; i++) {
        struct policy_row p = policy_at(i);
        assert_true(*p.doc && *p.paper && p.doc[strlen(p.doc) - 1] != '.' && p.paper[strlen(p.paper) - 1] != '.');
        for (u32 j = 0; j < i; j++)
            assert_false(strcmp(p.kind, policy_at(j).kind) == 0 && strcmp(p.name, policy_at(j).name) == 0);
    }
    for (u32 p = 0; sched_policies[p]; p++) {
        const struct sched_policy *s = sched_policies[p];
        assert_true(s->state_size && s->init && s->pick && s->issued && s->preferred);
        assert_true(s->skip || !s->moves);
    }
}

static void every_name_is_found(void **state) {
    (void)state;
    for (u32 i = 0; i < policy_count(); i++) {
        struct policy_row row = policy_at(i);
        struct policies p;
        struct config c;
        struct diag d = {0};
        const struct cfg_key *key = cfg_keys;
        while (key->type != KEY_TYPE_POLICY || strcmp(key->choices, row.kind)) key++;
        config_default(&c);
        assert_true(config_set(&c, key->name, row.name, &d, "test", 0));
        assert_true(policies_find(&c, &p, &d));
        assert_true(p.sched && p.fetch && p.diverge && p.order && p.hazard && p.tracker && p.predictor);
        const char *found[] = {p.sched->name,  p.fetch->name,   p.diverge->name,  p.order->name,
                               p.hazard->name, p.tracker->name, p.predictor->name};
        static const char *const kinds[] = {"sched", "fetch", "diverge", "order", "hazard", "tracker", "predictor"};
        for (u32 k = 0; k < ARRAY_LEN(kinds); k++)
            if (strcmp(kinds[k], row.kind) == 0) assert_string_equal(found[k], row.name);
        diag_free(&d);
    }
}

static void wrong_names_are_explained(void **state) {
    (void)state;
    struct policies p;
    struct config c;
    struct diag d = {0};
    config_default(&c);
    snprintf(c.machine, sizeof(c.machine), "small");
    assert_true(config_set(&c, "sm.sched", "two_levle", &d, "test", 0));
    assert_true(config_set(&c, "sm.hazard", "somersault", &d, "test", 0));
    assert_true(config_set(&c, "sm.hazard.tracker", "credits", &d, "test", 0));
    assert_false(policies_find(&c, &p, &d));
    assert_int_equal(d.errors, 3);
    assert_non_null(strstr(d.text.s, "small: error: sm.sched must be "));
    assert_non_null(strstr(d.text.s, "sm.hazard.tracker must be none, naive or credit, not \"credits\"; did you mean credit?\n"));
    for (u32 i = 0; sched_policies[i]; i++) assert_non_null(strstr(d.text.s, sched_policies[i]->name));
    assert_non_null(strstr(d.text.s, "not \"two_levle\"; did you mean two_level?\n"));
    assert_non_null(strstr(d.text.s, "not \"somersault\"\n"));
    diag_free(&d);
}

static char *printed(bool (*print)(const char *name, FILE *out), const char *name, bool want) {
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(print(name, f), want);
    fclose(f);
    return text;
}

static bool list_all(const char *name, FILE *out) {
    (void)name;
    report_list_policies(out);
    return true;
}

static void reports_name_them(void **state) {
    (void)state;
    char *list = printed(list_all, NULL, true);
    for (u32 i = 0; i < policy_count(); i++) {
        struct policy_row p = policy_at(i);
        assert_non_null(strstr(list, p.doc));
        char *text = printed(explain_policy, p.name, true);
        assert_non_null(strstr(text, p.doc));
        assert_non_null(strstr(text, p.paper));
        free(text);
    }
    free(list);
    free(printed(explain_policy, "somersault", false));
    char *text = printed(explain_policy, "two_level", true);
    assert_non_null(strstr(text, "sm.sched.two_level.active"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedulers_keep_the_contract),
        cmocka_unit_test(skipping_at_once_is_skipping_one_by_one),
        cmocka_unit_test(two_copies_do_not_share_state),
        cmocka_unit_test(lrr_serves_everyone_in_a_round),
        cmocka_unit_test(lrr_goes_on_behind_the_last),
        cmocka_unit_test(gto_is_greedy_then_oldest),
        cmocka_unit_test(gto_is_not_loyal_to_a_slot),
        cmocka_unit_test(oldest_is_oldest),
        cmocka_unit_test(find_first_is_lowest),
        cmocka_unit_test(gto_wait_counts_as_equation_3_2),
        cmocka_unit_test(vortex_rr_looks_at_one_warp_a_cycle),
        cmocka_unit_test(vortex_rr_wastes_a_round),
        cmocka_unit_test(two_level_is_its_model),
        cmocka_unit_test(two_level_keeps_to_its_set),
        cmocka_unit_test(two_level_does_not_wait_for_ever),
        cmocka_unit_test(fetch_policies_keep_the_contract),
        cmocka_unit_test(fetch_policies_keep_their_promises),
        cmocka_unit_test(mechanisms_of_the_baseline),
        cmocka_unit_test(predictors_keep_their_promises),
        cmocka_unit_test(trackers_keep_their_promises),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(every_name_is_found),
        cmocka_unit_test(wrong_names_are_explained),
        cmocka_unit_test(reports_name_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
