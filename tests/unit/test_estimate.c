/* A part timed and the whole estimated: plans, closed forms of the estimate, lines through launches. No
 * chip is needed: the blocks are made up. */
#include "gpu/chip.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SLOTS = 10, TURN = 20 };

static void plans_are_gaps_of_whole_waves(void **state) {
    (void)state;
    for (u64 blocks = 60; blocks < 9000; blocks += 37)
        for (u32 percent = 1; percent <= 100; percent += 11) {
            struct sampling s = {.slots = SLOTS};
            u64 head = 33, before = head, skipped = 0;
            sample_plan(head, blocks, percent == 100 ? SAMPLE_AUTO : percent, &s);
            for (u32 i = 0; i < s.gaps.n; i++) {
                const struct gap *g = &s.gaps.at[i];
                assert_true(g->first >= before && g->end > g->first && (g->end - g->first) % SLOTS == 0);
                assert_true(g->end + 2 * SLOTS <= blocks);
                before = g->end + 3 * SLOTS;
                skipped += g->end - g->first;
            }
            assert_true(skipped < blocks - head);
            free(s.gaps.at);
        }
}

/* A launch that replaces the lines of the L2 in five waves is timed for that long after each gap, then
 * measured; short gaps, which would cost more than they save, are not made */
static void plans_leave_time_for_the_l2(void **state) {
    (void)state;
    enum { HALVES = 11, STRETCH = HALVES / 2 + 3 };
    for (u64 blocks = 60; blocks < 9000; blocks += 37) {
        struct sampling s = {.slots = SLOTS, .turn = HALVES};
        u64 before = 80;
        sample_plan(before, blocks, SAMPLE_AUTO, &s);
        for (u32 i = 0; i < s.gaps.n; i++) {
            const struct gap *g = &s.gaps.at[i];
            assert_true(g->first >= before && g->end >= g->first + STRETCH / 2 * SLOTS);
            assert_true(g->end + (STRETCH - 1) * SLOTS <= blocks);
            before = g->end + STRETCH * SLOTS;
        }
        assert_true(s.gaps.n || blocks < 600);
        free(s.gaps.at);
    }
}

static void all_of_a_launch_has_no_gap(void **state) {
    (void)state;
    struct sampling s = {.slots = SLOTS};
    sample_plan(30, 100000, 100, &s);
    assert_int_equal(s.gaps.n, 0);
    assert_false(sample_possible(9 * SLOTS, SLOTS));
    assert_true(sample_possible(10 * SLOTS, SLOTS));
}

/* Blocks with these cycles and instructions, by number, dealt to SLOTS places; returns the time of all */
static double lay_out(struct sampling *s, u64 blocks, u64 (*cycles)(u64), u64 (*instructions)(u64)) {
    u64 free_at[SLOTS] = {0}, end = 0;
    u32 gap = 0;
    for (u64 b = 0; b < blocks; b++) {
        while (gap < s->gaps.n && b == s->gaps.at[gap].first)
            for (struct gap *g = &s->gaps.at[gap++]; b < g->end; b++) g->work += instructions(b);
        if (b >= blocks) break;
        u32 place = 0;
        for (u32 i = 1; i < SLOTS; i++)
            if (free_at[i] < free_at[place]) place = i;
        struct timed_block x = {b, free_at[place], free_at[place] + cycles(b), instructions(b)};
        VEC_PUSH(&s->blocks, x);
        free_at[place] = x.end_cy + TURN;
        end = MAX(end, x.end_cy);
    }
    return (double)end;
}

static u64 thousand(u64 b) { return (void)b, 1000; }
static u64 fifty(u64 b) { return (void)b, 50; }
static u64 uneven(u64 b) { return 10 + b * 7 % 90; }
static u64 by_work(u64 b) { return 300 + 12 * uneven(b); }

static void free_sampling(struct sampling *s) {
    free(s->gaps.at);
    free(s->blocks.at);
}

static void blocks_that_are_alike_are_exact(void **state) {
    (void)state;
    struct sampling full = {.slots = SLOTS}, part = {.slots = SLOTS};
    double whole = lay_out(&full, 1000, thousand, fifty);
    sample_plan(30, 1000, SAMPLE_AUTO, &part);
    double timed = lay_out(&part, 1000, thousand, fifty);
    assert_true(part.gaps.n > 1 && timed < whole / 2);
    struct estimate e = estimate_launch(&part, 1000, (u64)timed, TURN);
    assert_true(fabs(e.cycles - whole) < 1e-6 * whole);
    assert_true(e.variance < 1e-9 * whole);
    assert_true(estimate_half(&e) < 0.03 * whole);
    free_sampling(&full);
    free_sampling(&part);
}

/* Time is a line in instructions: what is known of left-out blocks is enough, but for the last wave */
static void blocks_of_unequal_length_are_told_apart(void **state) {
    (void)state;
    struct sampling full = {.slots = SLOTS}, part = {.slots = SLOTS};
    double whole = lay_out(&full, 3000, by_work, uneven);
    sample_plan(30, 3000, SAMPLE_AUTO, &part);
    double timed = lay_out(&part, 3000, by_work, uneven);
    struct estimate e = estimate_launch(&part, 3000, (u64)timed, TURN);
    assert_true(fabs(e.cycles - whole) < 1500); /* a block takes up to 1,500 */
    assert_true(fabs(e.cycles - whole) <= estimate_half(&e));
    free_sampling(&full);
    free_sampling(&part);
}

static u64 slower_late(u64 b) { return b < 24000 ? 1000 : 3000; }

/* Hundreds of stretches: those at the end count as those at the beginning do */
static void a_launch_that_changes_late_is_seen_to_its_end(void **state) {
    (void)state;
    for (u32 percent = 10; percent <= 60; percent += 25) {
        struct sampling full = {.slots = SLOTS}, part = {.slots = SLOTS};
        double whole = lay_out(&full, 60000, slower_late, fifty);
        sample_plan(30, 60000, percent, &part);
        double timed = lay_out(&part, 60000, slower_late, fifty);
        assert_true(part.gaps.n > 190);
        struct estimate e = estimate_launch(&part, 60000, (u64)timed, TURN);
        assert_true(fabs(e.cycles - whole) < 0.01 * whole);
        free_sampling(&full);
        free_sampling(&part);
    }
}

/* Blocks that are under way while a gap is executed, and the first after it, take half as long again: they
 * count once, and not for the blocks of the gap */
static struct sampling *planned;
static u64 slower_at_edges(u64 b) {
    for (u32 i = 0; i < planned->gaps.n; i++) {
        const struct gap *g = &planned->gaps.at[i];
        if ((b < g->first && b + SLOTS >= g->first) || (b >= g->end && b < g->end + SLOTS / 2)) return 1500;
    }
    return 1000;
}

static void blocks_beside_a_gap_do_not_stand_for_it(void **state) {
    (void)state;
    struct sampling full = {.slots = SLOTS}, part = {.slots = SLOTS};
    double whole = lay_out(&full, 1000, thousand, fifty);
    sample_plan(40, 1000, SAMPLE_AUTO, &part);
    planned = &part;
    double timed = lay_out(&part, 1000, slower_at_edges, fifty);
    assert_true(part.gaps.n > 1);
    struct estimate e = estimate_launch(&part, 1000, (u64)timed, TURN);
    assert_true(fabs(e.cycles - whole) <= 1000); /* blocks are out of step at the end; all gaps would be 750 each */
    free_sampling(&full);
    free_sampling(&part);
}

/* For four waves after a gap the DRAM meets other rows, and blocks take half the time; then they are as in
 * the whole. Neither they nor the gap's blocks are taken to be so fast. */
static u64 faster_after_gaps(u64 b) {
    for (u32 i = 0; i < planned->gaps.n; i++)
        if (b >= planned->gaps.at[i].end && b < planned->gaps.at[i].end + 4 * SLOTS) return 500;
    return 1000;
}

static void a_stretch_counts_when_it_has_settled(void **state) {
    (void)state;
    struct sampling full = {.slots = SLOTS}, part = {.slots = SLOTS, .turn = 8};
    double whole = lay_out(&full, 1000, thousand, fifty);
    sample_plan(80, 1000, SAMPLE_AUTO, &part);
    planned = &part;
    double timed = lay_out(&part, 1000, faster_after_gaps, fifty);
    assert_true(part.gaps.n > 1);
    struct estimate e = estimate_launch(&part, 1000, (u64)timed, TURN);
    assert_true(fabs(e.cycles - whole) < 0.005 * whole);
    free_sampling(&full);
    free_sampling(&part);
}

static void an_interval_begins_at_what_was_timed(void **state) {
    (void)state;
    struct estimate wide = {1000, 1e6, 0}, narrow = {1000, 0, 100}, none = {1000, NAN, 0};
    assert_true(estimate_low(&wide, 400) == 400);
    assert_true(estimate_low(&wide, 0) == 0);
    assert_true(estimate_low(&narrow, 400) == 900);
    assert_true(estimate_low(&narrow, 1050) == 900); /* blocks beside gaps were slow: the whole may be faster */
    assert_true(isnan(estimate_low(&none, 400)));
}

static void too_little_has_no_interval(void **state) {
    (void)state;
    struct sampling s = {.slots = SLOTS};
    struct gap rest = {.first = 15, .end = 1000};
    VEC_PUSH(&s.gaps, rest);
    double timed = lay_out(&s, 1000, thousand, fifty);
    struct estimate e = estimate_launch(&s, 1000, (u64)timed, TURN);
    assert_true(isnan(e.cycles));
    free_sampling(&s);
}

static void a_cut_launch_goes_on_as_it_was(void **state) {
    (void)state;
    struct sampling full = {.slots = SLOTS}, s = {.slots = SLOTS};
    struct gap rest = {.first = 100, .end = 1000};
    VEC_PUSH(&s.gaps, rest);
    double whole = lay_out(&full, 1000, thousand, fifty), timed = lay_out(&s, 1000, thousand, fifty);
    struct estimate e = estimate_launch(&s, 1000, (u64)timed, TURN);
    assert_true(fabs(e.cycles - whole) < 1e-6 * whole);
    free_sampling(&full);
    free_sampling(&s);
}

static void launches_on_a_line_are_exact(void **state) {
    (void)state;
    struct gpu g = {0};
    struct kernel k = {0};
    struct launch l = {.k = &k, .ctas = 4, .threads = 32};
    u32 skipped = 0;
    for (u64 i = 0; i < 40; i++) {
        u64 instructions = 1000 + i * 37 % 900, cycles = 500 + 3 * instructions;
        if (!repeat_skips(&g, &l)) {
            repeat_timed(&g, &l, instructions, cycles);
            continue;
        }
        assert_true(i >= 4);
        struct estimate e = repeat_estimate(&g, &l, instructions);
        assert_true(fabs(e.cycles - (double)cycles) < 1e-6 * (double)cycles);
        skipped++;
    }
    assert_true(skipped > 20);
    repeat_free(&g);
}

static void a_launch_unlike_all_others_is_followed_by_a_timed_one(void **state) {
    (void)state;
    struct gpu g = {0};
    struct kernel k = {0};
    struct launch l = {.k = &k, .ctas = 4, .threads = 32};
    for (u32 i = 0; i < 4; i++) {
        assert_false(repeat_skips(&g, &l));
        repeat_timed(&g, &l, 1000, 2000);
    }
    assert_true(repeat_skips(&g, &l));
    struct estimate e = repeat_estimate(&g, &l, 5000); /* no line can tell: the interval says so */
    assert_true(estimate_half(&e) > 0.9 * 2000);
    assert_false(repeat_skips(&g, &l));
    repeat_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_are_gaps_of_whole_waves),
        cmocka_unit_test(plans_leave_time_for_the_l2),
        cmocka_unit_test(all_of_a_launch_has_no_gap),
        cmocka_unit_test(blocks_that_are_alike_are_exact),
        cmocka_unit_test(blocks_of_unequal_length_are_told_apart),
        cmocka_unit_test(a_launch_that_changes_late_is_seen_to_its_end),
        cmocka_unit_test(blocks_beside_a_gap_do_not_stand_for_it),
        cmocka_unit_test(a_stretch_counts_when_it_has_settled),
        cmocka_unit_test(an_interval_begins_at_what_was_timed),
        cmocka_unit_test(too_little_has_no_interval),
        cmocka_unit_test(a_cut_launch_goes_on_as_it_was),
        cmocka_unit_test(launches_on_a_line_are_exact),
        cmocka_unit_test(a_launch_unlike_all_others_is_followed_by_a_timed_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
