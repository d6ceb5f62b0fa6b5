/* The front end: fetch, instruction cache, decode, instruction buffers. All with the machine's own front end
 * (.front). */
#include "micro.h"

#define IDEAL "sm.icache.ideal=true"
#define ADDS  "add.u32 %r1, %r2, 1;\n"

/* The nth fetch of a slot that hit (miss = 0) or missed (1), in order of time; NULL */
static const struct event *fetch(u32 slot, u32 miss, u32 nth) {
    for (u32 i = 0;; i++) {
        const struct event *e = event_at(EV_FETCH, i);
        if (!e || (e->slot == slot && e->sm == 0 && e->cause == miss && !nth--)) return e;
    }
}
static const struct event *fetch_of(u32 slot, u32 miss, i32 pc) {
    for (u32 i = 0;; i++) {
        const struct event *e = event_at(EV_FETCH, i);
        if (!e) fail_msg("slot %u does not fetch pc %d", slot, pc);
        if (e->slot == slot && e->sm == 0 && e->cause == miss && e->pc == pc) return e;
    }
}
static u32 flits(u32 data_b) { return (8 + data_b + 31) / 32; }
/* From the miss to the line: on to the port, there, the L2, back, and all flits through the port */
static u64 line_cy(u32 line_b) { return 1 + 20 + 40 + 20 + flits(line_b) - 1; }

/* --- fetch and decode */

static void an_instruction_can_issue_after_cache_and_decode(void **state) {
    (void)state;
    for (u32 cache = 1; cache <= 3; cache++)
        for (u32 decode = 1; decode <= 5; decode += 2) {
            RUN(.front = true, .body = "add.u32 %r1, %r2, 1; // A\n",
                .keys = {IDEAL, text("sm.icache.latency_cy=%u", cache), text("sm.fetch.decode_cy=%u", decode)});
            assert_int_equal(issue("A") - fetch(0, 0, 0)->cycle, cache + decode);
        }
}

static void a_fetch_ends_at_its_width_and_at_the_end_of_the_line(void **state) {
    (void)state;
    static const u32 want[] = {5, 5, 5, 1, 5, 5, 5, 1, 5};
    RUN(.front = true, .body = repeat(40, ADDS), .keys = {IDEAL, "sm.fetch.insts=5", "sm.ibuffer=64"});
    for (u32 i = 0; i < ARRAY_LEN(want); i++) {
        assert_int_equal(fetch(0, 0, i)->a, want[i]);
        assert_int_equal(fetch(0, 0, i)->cycle, fetch(0, 0, 0)->cycle + i);
    }
    RUN(.front = true, .body = repeat(40, ADDS),
        .keys = {IDEAL, "sm.fetch.insts=6", "sm.ibuffer=64", "sm.inst_b=16"}); /* eight to a line */
    assert_int_equal(fetch(0, 0, 0)->a, 6);
    assert_int_equal(fetch(0, 0, 1)->a, 2);
    RUN(.front = true, .body = repeat(40, ADDS), .keys = {IDEAL, "sm.fetch.insts=6", "sm.ibuffer=64", "sm.icache.line_b=64"});
    assert_int_equal(fetch(0, 0, 1)->a, 2);
}

static void so_many_warps_fetch_a_cycle(void **state) {
    (void)state;
    for (u32 n = 1; n <= 4; n++) {
        RUN(.front = true, .body = ADDS, .threads = 32 * 8, .keys = {IDEAL, text("sm.fetch.warps=%u", n)});
        for (u32 w = 0; w < 8; w++) assert_int_equal(fetch(w, 0, 0)->cycle - fetch(0, 0, 0)->cycle, w / n);
    }
}

/* Issue times of a chain of independent additions that the front end alone limits */
static void expect_pattern(const char *ibuffer, const u32 *want, u32 n) {
    RUN(.front = true, .body = JOIN(series(12, "mov.u32 %r#, 1; // m#\n"), series(12, "add.u32 %r20, %r20, %r#;\n")),
        .keys = {IDEAL, ibuffer, "sm.banks=64"});
    for (u32 i = 0; i < n; i++) assert_int_equal(issue(text("m%u", i)) - issue("m0"), want[i]);
}

static void the_instruction_buffer_holds_what_is_fetched_and_not_issued(void **state) {
    (void)state;
    /* two instructions a fetch, three cycles from fetch to issue; a fetch needs room for both of its
     * instructions */
    static const u32 two[] = {0, 1, 4, 5, 8, 9, 12, 13}, three[] = {0, 1, 3, 4, 6, 7, 9, 10}, four[] = {0, 1, 2, 3, 4, 5, 6, 7};
    expect_pattern("sm.ibuffer=2", two, ARRAY_LEN(two));
    expect_pattern("sm.ibuffer=3", three, ARRAY_LEN(three));
    expect_pattern("sm.ibuffer=4", four, ARRAY_LEN(four));
}

static void what_is_fetched_behind_a_taken_branch_is_thrown_away(void **state) {
    (void)state;
    RUN(.front = true, .body = "bra $far; // A\n" ADDS ADDS ADDS ADDS ADDS ADDS "$far:\nadd.u32 %r1, %r2, 2; // B\n",
        .keys = {IDEAL, "sm.branch_cy=7"});
    assert_stat("fetch_flushed", 3); /* four in the buffer when the branch issues */
    assert_int_equal(apart("A", "B"), 7 + 1 + 2);
}

/* --- the instruction cache */

static void a_miss_goes_to_the_l2_and_the_warp_fetches_again(void **state) {
    (void)state;
    for (u32 line = 32; line <= 128; line *= 2) {
        RUN(.front = true, .body = "add.u32 %r1, %r2, 1; // A\n",
            .keys = {"l2.ideal=true", text("sm.icache.line_b=%u", line), "sm.inst_b=32"});
        assert_int_equal(fetch(0, 0, 0)->cycle - fetch(0, 1, 0)->cycle, line_cy(line));
        assert_int_equal(issue("A") - fetch(0, 1, 0)->cycle, line_cy(line) + 1 + 2);
    }
}

static void warps_that_miss_the_same_line_share_one_packet(void **state) {
    (void)state;
    RUN(.front = true, .body = ADDS, .threads = 96, .keys = {"l2.ideal=true", "sm.fetch.warps=4"});
    assert_stat("icache_misses", 3);
    assert_stat("packets_out", 1);
    for (u32 w = 1; w < 3; w++) assert_int_equal(fetch(w, 0, 0)->cycle, fetch(0, 0, 0)->cycle);
}

/* Warp 1 leaves the first line for the sixth, warp 0 for the second, at about the same time */
static const char *two_ways(void) {
    return JOIN(repeat(13, ADDS), "mov.u32 %r0, %tid.x;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra $far;\nadd.u32 %r2, %r3, 1; // N\n",
                repeat(63, ADDS), "$far:\nadd.u32 %r2, %r3, 1; // F\n");
}

static void so_many_lines_are_outstanding(void **state) {
    (void)state;
    RUN(.front = true, .body = two_ways(), .threads = 64, .keys = {"l2.ideal=true", "sm.icache.mshrs=2", "sm.fetch.warps=2"});
    u64 near = fetch_of(0, 1, pc_of("N"))->cycle, far = fetch_of(1, 1, pc_of("F"))->cycle;
    assert_true(near < far + 80 && far < near + 80); /* both on their way at once */
    assert_int_equal(fetch_of(1, 0, pc_of("F"))->cycle - far, line_cy(128));
    RUN(.front = true, .body = two_ways(), .threads = 64, .keys = {"l2.ideal=true", "sm.icache.mshrs=1", "sm.fetch.warps=2"});
    u64 here = fetch_of(0, 0, pc_of("N"))->cycle;
    near = fetch_of(0, 1, pc_of("N"))->cycle, far = fetch_of(1, 1, pc_of("F"))->cycle;
    if (near < far) assert_int_equal(far, here);
    else assert_int_equal(near, fetch_of(1, 0, pc_of("F"))->cycle);
}

static void lines_behind_a_missing_one_come_with_it(void **state) {
    (void)state;
    /* the first instructions of three lines; with a line an instruction would not wait for */
    const char *body = JOIN("nanosleep.u32 0; // l0\n", repeat(15, "nanosleep.u32 0;\n"), "nanosleep.u32 0; // l1\n",
                            repeat(15, "nanosleep.u32 0;\n"), "nanosleep.u32 0; // l2\n");
    RUN(.front = true, .body = body, .keys = {"l2.ideal=true", "sm.icache.mshrs=4"});
    assert_true(apart("l0", "l1") > line_cy(128) && apart("l1", "l2") > line_cy(128));
    RUN(.front = true, .body = body, .keys = {"l2.ideal=true", "sm.icache.mshrs=4", "sm.icache.prefetch=1"});
    assert_int_equal(apart("l0", "l1"), 16);
    assert_true(apart("l1", "l2") > 16);
    RUN(.front = true, .body = body, .keys = {"l2.ideal=true", "sm.icache.mshrs=4", "sm.icache.prefetch=2"});
    assert_int_equal(apart("l0", "l2"), 32);
    RUN(.front = true, .body = body, .keys = {"l2.ideal=true", "sm.icache.mshrs=1", "sm.icache.prefetch=2"});
    assert_true(apart("l0", "l1") > line_cy(128)); /* as far as there are MSHRs */
}

/* Three rounds of a loop of four lines */
#define LOOP_LINES(round)                                                                                                        \
    JOIN("mov.u32 %r5, 0;\n$again:\n", repeat(58, ADDS),                                                                         \
         "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, " round ";\n@%p1 bra $again;\n")

static u64 lines_fetched(const char *sets, const char *ways) {
    RUN(.front = true, .body = LOOP_LINES("3"), .keys = {"l2.ideal=true", sets, ways});
    return (u64)stat_of("icache_misses");
}

static void a_loop_that_fits_misses_once(void **state) {
    (void)state;
    assert_int_equal(lines_fetched("sm.icache.sets=4", "sm.icache.ways=1"), 4);
    assert_int_equal(lines_fetched("sm.icache.sets=1", "sm.icache.ways=4"), 4);
    assert_int_equal(lines_fetched("sm.icache.sets=2", "sm.icache.ways=2"), 4);
}

static void a_loop_that_does_not_fit_misses_in_every_round(void **state) {
    (void)state;
    assert_int_equal(lines_fetched("sm.icache.sets=1", "sm.icache.ways=3"), 12);
    assert_int_equal(lines_fetched("sm.icache.sets=2", "sm.icache.ways=1"), 12);
}

static void perfect_memory_has_no_instruction_misses(void **state) {
    (void)state;
    RUN(.front = true, .body = repeat(100, ADDS), .keys = {"gpu.perfect_memory=true"});
    assert_stat("icache_misses", 0);
    assert_stat("packets_out", 0);
}

/* --- blocks come */

static void the_first_block_fetches_when_it_is_there(void **state) {
    (void)state;
    for (u32 launch = 0; launch <= 100; launch += 50)
        for (u32 cta = 1; cta <= 31; cta += 10) {
            RUN(.front = true, .body = ADDS,
                .keys = {IDEAL, text("gpu.launch_cy=%u", launch), text("gpu.cta_launch_cy=%u", cta)});
            assert_int_equal(event_at(EV_CTA_START, 0)->cycle - ran.start, launch + cta);
            assert_int_equal(fetch(0, 0, 0)->cycle - ran.start, launch + cta);
        }
}

static void blocks_of_one_decision_come_so_far_apart(void **state) {
    (void)state;
    for (u32 n = 0; n <= 6; n += 3) {
        RUN(.front = true, .body = ADDS, .blocks = 8, .keys = {IDEAL, text("gpu.cta_interval_cy=%u", n)});
        for (u32 i = 0; i < 8; i++) { /* two SMs in turn */
            const struct event *e = event_at(EV_CTA_START, i);
            assert_int_equal(e->cycle - ran.start, 20 + e->a / 2 * n);
            assert_int_equal(e->sm, e->a % 2);
        }
    }
}

static void blocks_may_fill_one_sm_first(void **state) {
    (void)state;
    RUN(.front = true, .body = ADDS, .blocks = 6, .keys = {IDEAL, "gpu.cta_order=fill", "sm.ctas=4"});
    for (u32 i = 0; i < 6; i++) assert_int_equal(event_at(EV_CTA_START, i)->sm, event_at(EV_CTA_START, i)->a / 4);
}

static void a_block_that_ends_makes_room_for_the_next(void **state) {
    (void)state;
    for (u32 n = 1; n <= 21; n += 10) {
        RUN(.front = true, .body = ADDS, .blocks = 3, .keys = {IDEAL, "gpu.sms=1", "sm.ctas=1", text("gpu.cta_launch_cy=%u", n)});
        for (u32 i = 0; i < 2; i++) assert_int_equal(event_at(EV_CTA_START, i + 1)->cycle - event_at(EV_CTA_END, i)->cycle, n);
    }
}

static void a_launch_ends_with_its_last_block(void **state) {
    (void)state;
    RUN(.front = true, .body = ADDS, .blocks = 3, .keys = {IDEAL});
    assert_int_equal(ran.cycles, event_at(EV_CTA_END, 2)->cycle - ran.start);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_can_issue_after_cache_and_decode),
        cmocka_unit_test(a_fetch_ends_at_its_width_and_at_the_end_of_the_line),
        cmocka_unit_test(so_many_warps_fetch_a_cycle),
        cmocka_unit_test(the_instruction_buffer_holds_what_is_fetched_and_not_issued),
        cmocka_unit_test(what_is_fetched_behind_a_taken_branch_is_thrown_away),
        cmocka_unit_test(a_miss_goes_to_the_l2_and_the_warp_fetches_again),
        cmocka_unit_test(warps_that_miss_the_same_line_share_one_packet),
        cmocka_unit_test(so_many_lines_are_outstanding),
        cmocka_unit_test(lines_behind_a_missing_one_come_with_it),
        cmocka_unit_test(a_loop_that_fits_misses_once),
        cmocka_unit_test(a_loop_that_does_not_fit_misses_in_every_round),
        cmocka_unit_test(perfect_memory_has_no_instruction_misses),
        cmocka_unit_test(the_first_block_fetches_when_it_is_there),
        cmocka_unit_test(blocks_of_one_decision_come_so_far_apart),
        cmocka_unit_test(blocks_may_fill_one_sm_first),
        cmocka_unit_test(a_block_that_ends_makes_room_for_the_next),
        cmocka_unit_test(a_launch_ends_with_its_last_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
