/* Policies: does each keep the contract of its kind (core/sched_policy.h and its neighbours), and the
 * promises its file opens with?
 *
 * Schedulers are driven without a core: views come from a little machine whose warps come, wait and go at
 * random, under the rules of P0. */
#include "core/core.h"
#include "core/order_policy.h"
#include "core/speculate_policy.h"
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

enum { MANY_CYCLES = 300 }; /* of an SM with more fronts than one word of a set has bits */

struct rig { /* a scheduler and the warps it sees */
    const struct sched_policy *p;
    struct config cfg;
    void *state;
    size_t state_b;
    void *shared; /* of the SM's schedulers, of which this is the only one; NULL */
    u32 fronts, words, cycles;
    u64 slots[SET_WORDS]; /* of this scheduler */
    u64 eager[SET_WORDS]; /* slots that are valid and candidates in every cycle */
    u64 seed, ages;
    u64 age[MAX_FRONTS], block[MAX_FRONTS];
    struct sched_view v;
};

static const u32 sizes[] = {64, 130, 2048}; /* fronts of an SM */

/* slots: which of every 64 fronts are the scheduler's */
static void rig_open(struct rig *r, const struct sched_policy *p, u32 fronts, u64 slots, u32 active) {
    memset(r, 0, sizeof(*r));
    r->p = p, r->seed = 7 + slots;
    r->fronts = fronts, r->words = set_words(fronts), r->cycles = fronts > 64 ? MANY_CYCLES : CYCLES;
    for (u32 i = 0; i < fronts; i++)
        if (slots >> i % 64 & 1) set_add(r->slots, i);
    config_default(&r->cfg);
    r->cfg.two_level_active = active;
    r->state_b = p->state_size(&r->cfg, fronts);
    r->state = base_alloc(r->state_b + 1);
    p->init(r->state, &r->cfg, 0, fronts);
    if (p->shared_size) r->shared = base_alloc(p->shared_size(&r->cfg, fronts));
    if (p->shared_init) p->shared_init(r->shared, &r->cfg, fronts);
    r->v.words = r->words, r->v.age = r->age, r->v.block = r->block, r->v.shared = r->shared;
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

static void rig_arrive(struct rig *r, u64 *come) { /* in random order */
    while (set_any(come, r->words)) {
        u32 slot = (u32)set_after(come, r->words, random_below(&r->seed, r->fronts));
        r->age[slot] = ++r->ages;
        r->block[slot] = r->ages / 4;
        set_drop(come, slot);
    }
}

static void rig_cycle(struct rig *r) { /* the next cycle's view */
    struct sched_view *v = &r->v;
    u64 come[SET_WORDS];
    v->now++;
    for (u32 w = 0; w < r->words; w++) {
        u64 was = v->valid[w], eager = r->eager[w];
        v->valid[w] = ((was & ~random_few(r, 6)) | (random_few(r, 3) & ~was) | eager) & r->slots[w];
        v->buffered[w] = v->valid[w];
        come[w] = v->valid[w] & ~was;
        v->waits_long[w] = ((v->waits_long[w] & ~random_few(r, 3)) | random_few(r, 4)) & v->valid[w] & ~eager;
        v->ready[w] = ((random_few(r, 1) | eager) & v->valid[w]) & ~v->waits_long[w];
        v->memory[w] = v->ready[w] & random_few(r, 1);
        v->candidates[w] = v->ready[w] & (random_few(r, 1) | eager);
    }
    rig_arrive(r, come);
    if (!set_any(r->eager, r->words) && random_below(&r->seed, 4) == 0) set_clear(v->candidates, r->words);
}

static void skip_cycles(const struct sched_policy *p, void *state, const struct sched_view *v, u64 n) {
    if (p->skip) p->skip(state, v, n);
}

static int rig_step(struct rig *r) { /* the scheduler's part of the cycle; the slot that issued */
    if (!set_any(r->v.candidates, r->words)) {
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

static bool in_set(int slot, const u64 *s) { return slot >= 0 && slot < MAX_FRONTS && set_has(s, (u32)slot); }

static const u64 slot_masks[] = {~0ull, 0x5555555555555555ull, 0x4924924924924924ull, 0xFFFFull, 0x8000000000000000ull, 1};

/* --- what every scheduler owes */
static void check_preferred(const struct rig *r) { /* P3: after a lost cycle, the slot that would have issued in it */
    struct sched_view all = r->v, lost;
    set_copy(all.ready, all.valid, r->words), set_copy(all.candidates, all.valid, r->words);
    set_clear(all.waits_long, r->words);
    lost = all, set_clear(lost.candidates, r->words);
    void *issues = rig_copy(r), *loses = rig_copy(r);
    int would = set_any(all.valid, r->words) ? r->p->pick(issues, &all) : NONE;
    skip_cycles(r->p, loses, &lost, 1);
    assert_int_equal(r->p->preferred(loses, &lost), would);
    free(issues);
    free(loses);
}

static void check_contract(struct rig *r) {
    for (u32 t = 0; t < r->cycles; t++) {
        rig_cycle(r);
        check_preferred(r);
        int slot = rig_step(r);
        if (slot != NONE) assert_true(in_set(slot, r->v.candidates));
        void *before = rig_copy(r);
        int preferred = r->p->preferred(r->state, &r->v);
        assert_memory_equal(before, r->state, r->state_b);
        if (set_any(r->v.valid, r->words)) assert_true(in_set(preferred, r->v.valid));
        else assert_int_equal(preferred, NONE);
        free(before);
    }
}

static void schedulers_keep_the_contract(void **state) {
    (void)state;
    static struct rig r;
    for (u32 p = 0; sched_policies[p]; p++)
        for (u32 n = 0; n < ARRAY_LEN(sizes); n++)
            for (u32 m = 0; m < ARRAY_LEN(slot_masks); m++) {
                rig_open(&r, sched_policies[p], sizes[n], slot_masks[m], 4);
                check_contract(&r);
                rig_close(&r);
            }
}

static void check_skip(struct rig *r, u64 n) { /* from here, n cycles at once and one by one */
    struct sched_view v = r->v;
    set_clear(v.candidates, r->words);
    void *single = rig_copy(r), *whole = rig_copy(r);
    skip_cycles(r->p, whole, &v, n);
    int preferred = r->p->preferred(whole, &v);
    for (u64 i = 0; i < n; i++, v.now++) {
        skip_cycles(r->p, single, &v, 1);
        if (!r->p->moves) assert_int_equal(r->p->preferred(single, &v), preferred);
    }
    assert_memory_equal(single, whole, r->state_b);
    if (r->p->moves) { /* P4: it comes round */
        assert_true(r->p->moves(&v) >= 1);
        skip_cycles(r->p, whole, &v, r->p->moves(&v));
        assert_memory_equal(single, whole, r->state_b);
    }
    free(single);
    free(whole);
}

static void skipping_at_once_is_skipping_one_by_one(void **state) {
    (void)state;
    static struct rig r;
    for (u32 p = 0; sched_policies[p]; p++)
        for (u32 n = 0; n < ARRAY_LEN(sizes); n++)
            for (u32 m = 0; m < ARRAY_LEN(slot_masks); m++) {
                rig_open(&r, sched_policies[p], sizes[n], slot_masks[m], 3);
                for (u32 t = 0; t < r.cycles / 8; t++) {
                    rig_cycle(&r);
                    check_skip(&r, 1 + random_below(&r.seed, sizes[n] > 64 ? 20 : 200));
                    rig_step(&r);
                }
                rig_close(&r);
            }
}

static void two_copies_do_not_share_state(void **state) {
    (void)state;
    for (u32 p = 0; sched_policies[p]; p++) {
        static struct rig a, b;
        rig_open(&a, sched_policies[p], 64, 0xFFFF, 4);
        rig_open(&b, sched_policies[p], 64, 0xFFFF, 4);
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

/* --- sets: every operation against one member after the other */
static int walk_after(const u64 *s, u32 members, u32 last) {
    for (u32 i = 1; i <= members; i++)
        if (set_has(s, (last + i) % members)) return (int)((last + i) % members);
    return NONE;
}

static int walk_oldest(const u64 *s, u32 members, const u64 *age) {
    int best = NONE;
    for (u32 i = 0; i < members; i++)
        if (set_has(s, i) && (best == NONE || age[i] < age[best])) best = (int)i;
    return best;
}

static void check_set(const u64 *s, u32 members, u32 words, const u64 *age, u32 last) {
    u32 count = 0;
    assert_int_equal(set_first(s, words), walk_after(s, members, members - 1));
    assert_int_equal(set_after(s, words, last), walk_after(s, members, last));
    assert_int_equal(set_after(s, words, 64 * words + last), set_first(s, words)); /* beyond the set */
    assert_int_equal(set_oldest(s, words, age), walk_oldest(s, members, age));
    SET_EACH (i, s, words) {
        assert_true(set_has(s, i));
        count++;
    }
    assert_int_equal(set_count(s, words), count);
    assert_int_equal(set_any(s, words), count != 0);
}

static void sets_are_what_their_members_say(void **state) {
    (void)state;
    static struct rig r;
    static const u32 members[] = {1, 63, 64, 65, 130, 2048, MAX_FRONTS};
    for (u32 k = 0; k < ARRAY_LEN(members); k++) {
        u32 n = members[k], words = set_words(n);
        rig_open(&r, &sched_lrr, n, ~0ull, 4);
        for (u32 i = 0; i < n; i++) r.age[i] = random_below(&r.seed, 50);
        for (u32 t = 0; t < 200; t++) {
            u64 a[SET_WORDS] = {0}, b[SET_WORDS] = {0}, x[SET_WORDS];
            for (u32 w = 0; w < words; w++) a[w] = random_few(&r, t % 9) & r.slots[w], b[w] = random_few(&r, 1) & r.slots[w];
            if (t % 10 == 0) set_clear(a, words);
            check_set(a, n, words, r.age, random_below(&r.seed, n));
            bool meet = false, same = true;
            for (u32 i = 0; i < n; i++) meet |= set_has(a, i) && set_has(b, i), same &= set_has(a, i) == set_has(b, i);
            assert_int_equal(set_meet(a, b, words), meet);
            assert_int_equal(set_same(a, b, words), same);
            set_or(x, a, b, words);
            for (u32 i = 0; i < n; i++) assert_int_equal(set_has(x, i), set_has(a, i) || set_has(b, i));
            set_and(x, a, b, words);
            for (u32 i = 0; i < n; i++) assert_int_equal(set_has(x, i), set_has(a, i) && set_has(b, i));
            set_without(x, a, b, words);
            for (u32 i = 0; i < n; i++) assert_int_equal(set_has(x, i), set_has(a, i) && !set_has(b, i));
        }
        rig_close(&r);
    }
}

/* --- single schedulers */
static void lrr_serves_everyone_in_a_round(void **state) {
    (void)state;
    static struct rig r;
    for (u32 m = 0; m < ARRAY_LEN(slot_masks); m++) {
        u32 nslots = (u32)__builtin_popcountll(slot_masks[m]), since = 0;
        rig_open(&r, &sched_lrr, 64, slot_masks[m], 4);
        set_add(r.eager, (u32)set_after(r.slots, 1, 40));
        for (u32 t = 0; t < CYCLES; t++) {
            rig_cycle(&r);
            since = in_set(rig_step(&r), r.eager) ? 0 : since + 1;
            assert_true(since < nslots);
        }
        rig_close(&r);
    }
}

static void lrr_goes_on_behind_the_last(void **state) {
    (void)state;
    static struct rig r;
    rig_open(&r, &sched_lrr, 64, 0xF, 4);
    r.v.valid[0] = r.v.buffered[0] = r.v.ready[0] = 0xF;
    static const struct {
        u64 candidates;
        int slot;
    } cycles[] = {{0xF, 0}, {0xF, 1}, {0xC, 2}, {0x6, 1}, {0x1, 0}, {0x8, 3}, {0xF, 0}};
    for (u32 t = 0; t < ARRAY_LEN(cycles); t++) {
        r.v.candidates[0] = cycles[t].candidates;
        assert_int_equal(rig_step(&r), cycles[t].slot);
    }
    rig_close(&r);
    for (u32 n = 0; n < ARRAY_LEN(sizes); n++) {
        int last = (int)sizes[n] - 1;
        rig_open(&r, &sched_lrr, sizes[n], ~0ull, 4);
        for (u32 t = 0; t < r.cycles; t++) {
            rig_cycle(&r);
            int slot = rig_step(&r);
            assert_int_equal(slot, walk_after(r.v.candidates, r.fronts, (u32)last));
            if (slot != NONE) last = slot;
        }
        rig_close(&r);
    }
}

static void gto_is_greedy_then_oldest(void **state) {
    (void)state;
    static struct rig r;
    for (u32 n = 0; n < ARRAY_LEN(sizes); n++) {
        rig_open(&r, &sched_gto, sizes[n], ~0ull, 4);
        int last = NONE;
        u64 last_age = 0;
        u32 stayed = 0;
        for (u32 t = 0; t < r.cycles; t++) {
            rig_cycle(&r);
            int slot = rig_step(&r);
            if (slot == NONE) continue;
            if (in_set(last, r.v.candidates) && r.age[last] == last_age) assert_int_equal(slot, last), stayed++;
            else assert_int_equal(slot, walk_oldest(r.v.candidates, r.fronts, r.age));
            last = slot, last_age = r.age[slot];
        }
        assert_true(stayed > r.cycles / 40);
        rig_close(&r);
    }
}

static void
gto_is_not_loyal_to_a_slot(void **state) { /* the warp it is greedy about ends, and a younger one takes its slot at once */
    (void)state;
    static struct rig r;
    rig_open(&r, &sched_gto, 64, 0x3, 4);
    r.v.valid[0] = r.v.buffered[0] = r.v.ready[0] = r.v.candidates[0] = 0x3;
    r.age[0] = 1, r.age[1] = 2;
    assert_int_equal(rig_step(&r), 0);
    r.age[0] = 3;
    assert_int_equal(rig_step(&r), 1);
    rig_close(&r);
}

static void oldest_is_oldest(void **state) {
    (void)state;
    static struct rig r;
    for (u32 n = 0; n < ARRAY_LEN(sizes); n++) {
        rig_open(&r, &sched_oldest, sizes[n], ~0ull, 4);
        for (u32 t = 0; t < r.cycles; t++) {
            rig_cycle(&r);
            assert_int_equal(rig_step(&r), walk_oldest(r.v.candidates, r.fronts, r.age));
        }
        rig_close(&r);
    }
}

static void find_first_is_lowest(void **state) {
    (void)state;
    static struct rig r;
    for (u32 n = 0; n < ARRAY_LEN(sizes); n++) {
        rig_open(&r, &sched_find_first, sizes[n], ~0ull, 4);
        for (u32 t = 0; t < r.cycles; t++) {
            rig_cycle(&r);
            assert_int_equal(rig_step(&r), walk_after(r.v.candidates, r.fronts, r.fronts - 1));
        }
        rig_close(&r);
    }
}

/* Aurud, equation 3.2, slot by slot */
static void check_equation_3_2(struct rig *r) {
    static u64 age[MAX_FRONTS];
    int last = NONE, n = (int)r->fronts;
    memset(age, 0, sizeof(age));
    for (u32 t = 0; t < r->cycles; t++) {
        u64 was[SET_WORDS];
        set_copy(was, r->v.valid, r->words);
        rig_cycle(r);
        int want = NONE, slot = rig_step(r);
        for (int i = 0; i < n; i++)
            if (in_set(i, was) && !in_set(i, r->v.valid)) age[i] = 0;
        if (!in_set(last, r->v.valid)) last = NONE;
        for (int i = 0; i < n; i++)
            if (in_set(i, r->v.candidates) && (want == NONE || age[i] > age[want])) want = i;
        if (in_set(last, r->v.candidates)) want = last;
        assert_int_equal(slot, want);
        if (slot == NONE) continue;
        for (int i = 0; i < n; i++)
            if (in_set(i, r->v.candidates)) age[i]++;
        age[slot] = 0, last = slot;
    }
}

static void gto_wait_counts_as_equation_3_2(void **state) {
    (void)state;
    static struct rig r;
    for (u32 n = 0; n < ARRAY_LEN(sizes); n++) {
        rig_open(&r, &sched_gto_wait, sizes[n], 0xFF, 4);
        check_equation_3_2(&r);
        rig_close(&r);
    }
}

/* Its variants: who grows older, and what makes young */
static void gto_wait_counts_as_its_keys_say(void **state) {
    static const struct {
        u32 counts, resets;
        int third, fourth;
    } rows[] = {{AGE_READY, AGE_PICK, 2, 3}, {AGE_BUFFERED, AGE_PICK, 3, 3}, {AGE_READY, AGE_LONG, 2, 1}};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct config c;
        config_default(&c);
        c.gto_wait_counts = rows[i].counts, c.gto_wait_resets = rows[i].resets;
        u64 age[4] = {0};
        struct sched_view v = {.words = 1, .age = age, .valid = {0xF}, .buffered = {0xB}};
        void *s = base_alloc(sched_gto_wait.state_size(&c, 4));
        sched_gto_wait.init(s, &c, 0, 4);
        const u64 candidates[] = {0x3, 0x2, 0xC, 0xA};
        const int want[] = {0, 1, rows[i].third, rows[i].fourth};
        for (u32 t = 0; t < ARRAY_LEN(candidates); t++) {
            v.candidates[0] = v.ready[0] = candidates[t];
            int slot = sched_gto_wait.pick(s, &v);
            assert_int_equal(slot, want[t]);
            sched_gto_wait.issued(s, slot);
        }
        free(s);
    }
}

static void vortex_rr_looks_at_one_warp_a_cycle(void **state) {
    (void)state;
    static struct rig r;
    for (u32 n = 0; n < ARRAY_LEN(sizes); n++) {
        rig_open(&r, &sched_vortex_rr, sizes[n], 0xFF, 4);
        int turn = (int)r.fronts - 1;
        u32 missed = 0;
        u64 before[SET_WORDS] = {0}; /* who had an instruction in the last cycle: turns are given among these */
        for (u32 t = 0; t < r.cycles; t++) {
            rig_cycle(&r);
            int slot = rig_step(&r), given = set_count(before, r.words) > 1 ? walk_after(before, r.fronts, (u32)turn) : turn;
            int next = in_set(given, r.v.buffered) ? given : walk_after(r.v.buffered, r.fronts, (u32)given);
            if (next != NONE) turn = next;
            assert_int_equal(slot, next != NONE && in_set(turn, r.v.candidates) ? turn : NONE);
            if (next != NONE) assert_int_equal(r.p->preferred(r.state, &r.v), turn);
            missed += set_any(r.v.candidates, r.words) && slot == NONE;
            memcpy(before, r.v.buffered, sizeof(before));
        }
        assert_true(missed > r.cycles / 40);
        rig_close(&r);
    }
}

static void vortex_rr_wastes_a_round(void **state) { /* Aurud 3.2.1: one of N ready may wait N cycles */
    (void)state;
    static struct rig r;
    rig_open(&r, &sched_vortex_rr, 64, 0xF, 4);
    r.v.valid[0] = r.v.buffered[0] = 0xF, r.v.ready[0] = r.v.candidates[0] = 0x8;
    static const int want[] = {NONE, NONE, NONE, 3, NONE, NONE, NONE, 3};
    for (u32 t = 0; t < ARRAY_LEN(want); t++) assert_int_equal(rig_step(&r), want[t]);
    r.v.candidates[0] = 0;
    sched_vortex_rr.skip(r.state, &r.v, 4000000000003ull); /* a multiple of four, and three */
    assert_int_equal(sched_vortex_rr.preferred(r.state, &r.v), 2);
    rig_close(&r);
}

/* --- owl against a model that looks for the group's rank of each slot */
static u32 blocks_below(const struct rig *r, u64 block) { /* resident ones with a lower number, each once */
    u32 n = 0;
    for (u64 b = 0; b < block; b++) {
        bool there = false;
        for (u32 i = 0; i < r->fronts && !there; i++) there = set_has(r->v.valid, i) && r->block[i] == b;
        n += there;
    }
    return n;
}

static void owl_serves_the_group_whose_turn_it_is(void **state) {
    (void)state;
    static struct rig r;
    static const u32 some[] = {64, 130};
    for (u32 n = 0; n < ARRAY_LEN(some); n++) {
        rig_open(&r, &sched_owl, some[n], ~0ull, 4);
        u32 last = r.fronts - 1;
        for (u32 t = 0; t < 200; t++) {
            rig_cycle(&r);
            r.ages = t % 40 * 4; /* blocks keep small numbers */
            r.v.now = t * 37;
            int slot = rig_step(&r), want = NONE;
            u32 groups = (blocks_below(&r, 1000) + r.cfg.owl_ctas - 1) / r.cfg.owl_ctas, nearest = UINT32_MAX;
            for (u32 i = 1; i <= r.fronts; i++) {
                u32 k = (last + i) % r.fronts;
                if (!set_has(r.v.candidates, k)) continue;
                u32 turn =
                    (blocks_below(&r, r.block[k]) / r.cfg.owl_ctas + groups - (u32)(r.v.now / r.cfg.owl_interval_cy % groups)) %
                    groups;
                if (turn < nearest) nearest = turn, want = (int)k;
            }
            assert_int_equal(slot, want);
            if (slot != NONE) last = (u32)slot;
        }
        rig_close(&r);
    }
}

/* --- two_level against a model that keeps a list */
struct two_level_model {
    u32 room, n, stuck;
    int active[MAX_FRONTS]; /* in order of entry */
    int last;
};

static bool model_has(const struct two_level_model *m, int slot) {
    for (u32 i = 0; i < m->n; i++)
        if (m->active[i] == slot) return true;
    return false;
}

static void model_enter(struct two_level_model *m, const struct rig *r) {
    u32 n = 0;
    for (u32 i = 0; i < m->n; i++)
        if (in_set(m->active[i], r->v.valid) && !in_set(m->active[i], r->v.waits_long)) m->active[n++] = m->active[i];
    m->n = n;
    while (m->n < m->room) {
        int best = NONE;
        for (int i = 0; i < (int)r->fronts; i++)
            if (in_set(i, r->v.ready) && (best == NONE || r->age[i] < r->age[best]) && !model_has(m, i)) best = i;
        if (best == NONE) return;
        m->active[m->n++] = best;
    }
}

static int model_pick(struct two_level_model *m, const struct rig *r) {
    bool ready = false;
    model_enter(m, r);
    if (!set_any(r->v.candidates, r->words)) return NONE;
    for (u32 i = 0; i < m->n; i++) ready |= in_set(m->active[i], r->v.ready);
    m->stuck = ready ? 0 : m->stuck + 1;
    if (m->stuck == 256) {
        m->n = m->stuck = 0;
        model_enter(m, r);
    }
    for (u32 i = 1; i <= r->fronts; i++) {
        int slot = (int)(((u32)m->last + i) % r->fronts);
        if (in_set(slot, r->v.candidates) && model_has(m, slot)) return m->last = slot;
    }
    return NONE;
}

static void two_level_is_its_model(void **state) {
    (void)state;
    static const u32 rooms[] = {1, 2, 8, 64};
    static struct two_level_model m;
    static struct rig r;
    for (u32 n = 0; n < ARRAY_LEN(sizes); n++)
        for (u32 i = 0; i < ARRAY_LEN(rooms); i++) {
            u64 picked[SET_WORDS] = {0};
            rig_open(&r, &sched_two_level, sizes[n], 0xFFFFFFFF, rooms[i]);
            m = (struct two_level_model){.room = rooms[i], .last = (int)r.fronts - 1};
            for (u32 t = 0; t < r.cycles; t++) {
                rig_cycle(&r);
                int slot = rig_step(&r);
                assert_int_equal(slot, model_pick(&m, &r));
                assert_true(m.n <= rooms[i]);
                if (slot != NONE) set_add(picked, (u32)slot);
            }
            if (sizes[n] == 64) assert_true(set_same(picked, r.slots, r.words)); /* pending warps get in */
            rig_close(&r);
        }
}

static u64 issue_for(struct rig *r, u32 cycles) { /* the slots that issue while the view stays */
    u64 picked = 0;
    for (u32 t = 0; t < cycles; t++) {
        int slot = rig_step(r);
        if (slot != NONE) picked |= set_bit((u32)slot);
    }
    return picked;
}

static void two_level_keeps_to_its_set(void **state) {
    (void)state;
    static struct rig r;
    struct sched_view *v = &r.v;
    rig_open(&r, &sched_two_level, 64, 0xFFFF, 4);
    v->valid[0] = v->ready[0] = v->candidates[0] = 0xFFFF;
    for (u32 i = 0; i < 16; i++) r.age[i] = 100 - i; /* slot 15 is the oldest */
    assert_int_equal(issue_for(&r, 1000), 0xF000);
    v->waits_long[0] = 0x4000, v->ready[0] = v->candidates[0] = 0xBFFF;
    assert_int_equal(issue_for(&r, 1000), 0xB800); /* 14 waits, 11 is the next by age */
    v->waits_long[0] = 0, v->ready[0] = v->candidates[0] = 0xFFFF;
    assert_int_equal(issue_for(&r, 1000), 0xB800); /* 14 is back, and pending */
    v->waits_long[0] = 0x0800, v->ready[0] = v->candidates[0] = 0xF7FF;
    assert_int_equal(issue_for(&r, 1000), 0xF000);
    v->waits_long[0] = 0,
    v->ready[0] = v->candidates[0] = 0xFFFF & ~0x1000; /* 12 waits for a unit's result: it keeps its place */
    assert_int_equal(issue_for(&r, 1000), 0xE000);
    rig_close(&r);
}

/* Eight ready warps, of which the four oldest are active and issue */
static void four_of_eight(struct rig *r) {
    rig_open(r, &sched_two_level, 64, 0xFF, 4);
    r->v.valid[0] = r->v.ready[0] = r->v.candidates[0] = 0xFF;
    for (u32 i = 0; i < 8; i++) r->age[i] = i;
    assert_int_equal(issue_for(r, 100), 0x0F);
}

/* Fronts that wait for others of their block leave the set, as those do that wait for memory */
static void two_level_lets_those_go_that_wait_for_others(void **state) {
    (void)state;
    static struct rig r;
    four_of_eight(&r);
    r.v.waits_others[0] = 0x03, r.v.ready[0] = r.v.candidates[0] = 0xFC;
    assert_int_equal(issue_for(&r, 100), 0x3C);
    rig_close(&r);
}

/* Large warps of slots 0-3, 4-7 and 8-11 with room for five: one is active at a time, whole, until all its
 * sub-warps wait; with room for eight, two are. One of two sub-warps and one of four fit into six. */
static void two_level_has_whole_large_warps(void **state) {
    (void)state;
    static struct rig r;
    static const u32 rooms[] = {5, 8, 2, 6};
    static const u64 first[] = {0xF0, 0xFF, 0xF0, 0xF3};
    u8 team[64];
    for (u32 i = 0; i < 64; i++) team[i] = (u8)(i / 4 * 4);
    for (u32 i = 0; i < ARRAY_LEN(rooms); i++) {
        rig_open(&r, &sched_two_level, 64, 0xFFF, rooms[i]);
        r.v.team = team;
        u64 all = rooms[i] == 6 ? 0xFF3 : 0xFFF; /* the first has two sub-warps */
        r.v.valid[0] = r.v.ready[0] = r.v.candidates[0] = all;
        for (u32 k = 0; k < 12; k++) r.age[k] = k / 4 == 1 ? k : 20 + k; /* 4-7 are the oldest */
        assert_int_equal(issue_for(&r, 100), first[i]);
        r.v.waits_others[0] = 0x70, r.v.ready[0] = r.v.candidates[0] = all & ~0x70ull;
        assert_int_equal(issue_for(&r, 100), first[i] & ~0x70ull); /* 7 goes on, for which the others wait */
        r.v.waits_long[0] = 0x80, r.v.ready[0] = r.v.candidates[0] = all & ~0xF0ull;
        u64 next = rooms[i] == 8 ? 0xF0F : rooms[i] == 6 ? 0xF03 : 0x00F;
        assert_int_equal(issue_for(&r, 100), next);
        r.v.waits_long[0] = r.v.waits_others[0] = 0, r.v.ready[0] = r.v.candidates[0] = all;
        assert_int_equal(issue_for(&r, 100), next); /* it is back, and pending */
        rig_close(&r);
    }
}

static void two_level_does_not_wait_for_ever(void **state) { /* its set stands at a barrier the pending warps have yet to reach */
    (void)state;
    static struct rig r;
    four_of_eight(&r);
    r.v.ready[0] = r.v.candidates[0] = 0xF0;
    assert_int_equal(issue_for(&r, 255), 0);
    assert_int_equal(issue_for(&r, 100), 0xF0);
    rig_close(&r);
}

/* --- fetch */
static void fetch_policies_keep_the_contract(void **state) {
    (void)state;
    static u64 age[MAX_FRONTS];
    static struct rig r;
    for (u32 i = 0; i < MAX_FRONTS; i++) age[i] = i * 37 % 64;
    for (u32 n = 0; n < ARRAY_LEN(sizes); n++)
        for (u32 p = 0; fetch_policies[p]; p++) {
            u32 last = 0;
            rig_open(&r, &sched_lrr, sizes[n], ~0ull, 4);
            for (u32 t = 0; t < r.cycles; t++) {
                rig_cycle(&r);
                u32 was = last;
                bool some = set_any(r.v.candidates, r.words);
                struct fetch_view v = {.candidates = r.v.candidates, .words = r.words, .age = age, .waited = age};
                int slot = fetch_policies[p]->pick(&last, &v);
                if (some) assert_true(in_set(slot, r.v.candidates));
                else assert_int_equal(slot, NONE);
                assert_int_equal(last, some ? (u32)slot : was);
            }
            rig_close(&r);
        }
}

static int fetch_once(const struct fetch_policy *p, u32 last, u64 candidates) {
    static const u64 age[MAX_SLOTS] = {5, 4, 1, 3, 2};
    struct fetch_view v = {.candidates = &candidates, .words = 1, .age = age, .waited = age};
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
    assert_int_equal(fetch_once(&fetch_gto_wait, 3, 0x1F), 3);
    assert_int_equal(fetch_once(&fetch_gto_wait, 3, 0x17), 0);
    assert_int_equal(fetch_once(&fetch_gto_wait, 0, 0x1A), 1);
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
        if (strcmp(row.kind, "speculate") == 0) assert_true(config_set(&c, "sm.order", "rob", &d, "test", 0));
        assert_true(policies_find(&c, &p, &d));
        assert_true(p.sched && p.fetch && p.diverge && p.order && p.speculate && p.hazard && p.tracker && p.predictor);
        const char *found[] = {p.sched->name,     p.fetch->name,  p.diverge->name, p.order->name,
                               p.speculate->name, p.hazard->name, p.tracker->name, p.predictor->name};
        static const char *const kinds[] = {"sched", "fetch", "diverge", "order", "speculate", "hazard", "tracker", "predictor"};
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
        cmocka_unit_test(sets_are_what_their_members_say),
        cmocka_unit_test(lrr_serves_everyone_in_a_round),
        cmocka_unit_test(lrr_goes_on_behind_the_last),
        cmocka_unit_test(gto_is_greedy_then_oldest),
        cmocka_unit_test(gto_is_not_loyal_to_a_slot),
        cmocka_unit_test(oldest_is_oldest),
        cmocka_unit_test(find_first_is_lowest),
        cmocka_unit_test(gto_wait_counts_as_equation_3_2),
        cmocka_unit_test(gto_wait_counts_as_its_keys_say),
        cmocka_unit_test(vortex_rr_looks_at_one_warp_a_cycle),
        cmocka_unit_test(vortex_rr_wastes_a_round),
        cmocka_unit_test(owl_serves_the_group_whose_turn_it_is),
        cmocka_unit_test(two_level_is_its_model),
        cmocka_unit_test(two_level_keeps_to_its_set),
        cmocka_unit_test(two_level_lets_those_go_that_wait_for_others),
        cmocka_unit_test(two_level_has_whole_large_warps),
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
