/* What the memory stage does beyond stalling: translation, replay, and loads held back because they are
 * expected to miss. */
#include "micro.h"

#define IDEAL_L2         "l2.ideal=true"
#define GLOBAL           ".global .align 262144 .b8 g[1048576];\n"
#define AT_G             "mov.u64 %rd1, g;\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
#define LD(r, at, label) "ld.global.u32 " r ", [%rd1+" at "]; // " label "\n"
#define USE(r)           "add.u32 %r60, " r ", 1;\n"
#define SUM4             "add.u32 %r50, %r1, %r2;\nadd.u32 %r51, %r3, %r4;\n"

/* --- the TLB */

static void a_missing_translation_holds_the_access(void **state) {
    (void)state;
    for (u32 n = 50; n <= 90; n += 20) {
        RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") USE("%r1") LD("%r2", "1024", "B") USE("%r2"),
            .keys = {IDEAL_L2, "sm.tlb.entries=4", text("sm.tlb.miss_cy=%u", n)});
        assert_int_equal(when(EV_ACCESS, "A") - when(EV_MEM_ENTER, "A"), n);
        assert_int_equal(when(EV_ACCESS, "B"), when(EV_MEM_ENTER, "B")); /* the same page */
        assert_int_equal(ran.stats->sum.hazards[HAZARD_TLB], n);
        assert_stat("tlb_misses", 1);
    }
}

static u32 tlb_misses(const char *entries, const char *page) {
    RUN(.globals = GLOBAL,
        .body = AT_G LD("%r1", "0", "A") USE("%r1") LD("%r2", "65536", "B") USE("%r2") LD("%r3", "128", "C") USE("%r3"),
        .keys = {IDEAL_L2, entries, page});
    return (u32)stat_of("tlb_misses");
}

static void a_tlb_holds_so_many_pages_of_a_size(void **state) {
    (void)state;
    assert_int_equal(tlb_misses("sm.tlb.entries=0", "sm.tlb.page_b=65536"), 0);
    assert_int_equal(tlb_misses("sm.tlb.entries=1", "sm.tlb.page_b=65536"), 3);
    assert_int_equal(tlb_misses("sm.tlb.entries=2", "sm.tlb.page_b=65536"), 2);
    assert_int_equal(tlb_misses("sm.tlb.entries=1", "sm.tlb.page_b=131072"), 1);
    assert_int_equal(tlb_misses("sm.tlb.entries=1", "sm.tlb.page_b=32768"), 3);
}

static void stores_and_atomics_are_translated_too(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G "st.global.u32 [%rd2], %r0; // S\nred.global.add.u32 [%rd2+65536], 1; // R\n",
        .keys = {IDEAL_L2, "sm.tlb.entries=4", "sm.tlb.miss_cy=70"});
    assert_int_equal(when(EV_ACCESS, "S") - when(EV_MEM_ENTER, "S"), 70);
    assert_int_equal(when(EV_ACCESS, "R") - when(EV_ACCESS, "S"), 1 + 70);
}

static void so_many_walks_are_under_way(void **state) {
    (void)state;
    /* a stalled stage waits for one; with replay the second load gets to the TLB too */
    const char *body = "mov.u64 %rd1, g;\n" LD("%r1", "0", "A") LD("%r2", "65536", "B") "add.u32 %r3, %r1, %r2;\n";
    RUN(.globals = GLOBAL, .body = body,
        .keys = {IDEAL_L2, "sm.hazard=replay", "sm.tlb.entries=4", "sm.tlb.miss_cy=200", "sm.tlb.walks=1"});
    assert_true(when(EV_ACCESS, "B") - when(EV_ACCESS, "A") >= 200);
    RUN(.globals = GLOBAL, .body = body,
        .keys = {IDEAL_L2, "sm.hazard=replay", "sm.tlb.entries=4", "sm.tlb.miss_cy=200", "sm.tlb.walks=2"});
    assert_true(when(EV_ACCESS, "B") - when(EV_ACCESS, "A") < 10);
}

/* --- replay: one line an issue; the word that threads are left takes a cycle to the buffer, and the
 * instruction two to the stage again */

#define TWO_LINES                                                                                                                \
    AT_G "ld.global.u32 %r9, [%rd2+4];\nadd.u32 %r10, %r9, 1;\nld.global.u32 %r1, [%rd2+4]; // A\nadd.u32 %r2, %r1, 1; // B\n"

static u64 second_access(const char *label) {
    u64 last = 0, uid = event_of(EV_ACCESS, WHO(label))->uid;
    for (u32 i = 0; i < ran.events.n; i++)
        if (ran.events.at[i].kind == EV_ACCESS && ran.events.at[i].uid == uid) last = MAX(last, ran.events.at[i].cycle);
    return last;
}

static void a_replayed_instruction_comes_again_when_the_word_is_there(void **state) {
    (void)state;
    for (u32 n = 0; n <= 10; n += 5) {
        RUN(.globals = GLOBAL, .body = TWO_LINES, .keys = {IDEAL_L2, "sm.hazard=replay", text("sm.hazard.signal_cy=%u", n)});
        assert_int_equal(second_access("A") - when(EV_ACCESS, "A"), 1 + n + 2);
    }
    RUN(.globals = GLOBAL, .body = TWO_LINES, .keys = {IDEAL_L2, "sm.hazard=stall"});
    assert_int_equal(second_access("A") - when(EV_ACCESS, "A"), 1);
}

static void others_of_the_warp_use_the_pipe_meanwhile(void **state) {
    (void)state;
    /* two loads of two lines each are in the pipe at once: replays of the first do not keep the second out of
     * the stage */
    const char *body =
        AT_G "ld.global.u32 %r9, [%rd2+4];\nadd.u32 %r10, %r9, 1;\nld.global.u32 %r8, [%rd2+1028];\nadd.u32 %r10, %r8, 1;\n"
             "ld.global.u32 %r1, [%rd2+4]; // A\nld.global.u32 %r2, [%rd2+1028]; // B\nadd.u32 %r3, %r1, %r2;\n";
    RUN(.globals = GLOBAL, .body = body, .keys = {IDEAL_L2, "sm.hazard=replay", "sm.hazard.signal_cy=20"});
    assert_int_equal(when(EV_ACCESS, "B"), when(EV_ACCESS, "A") + 1);
    assert_true(second_access("A") > when(EV_ACCESS, "B"));
}

static void retained_entries_are_counted(void **state) {
    (void)state;
    u64 before = 0;
    for (u32 n = 0; n <= 20; n += 10) {
        RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") "add.u32 %r2, %r0, 1;\nadd.u32 %r3, %r1, %r2;\n",
            .keys = {IDEAL_L2, "sm.hazard=retain", text("sm.hazard.signal_cy=%u", n)});
        u64 now = (u64)stat_of("retained_cycles");
        if (n) assert_true(now >= before + 10);
        before = now;
    }
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") "add.u32 %r2, %r0, 1;\nadd.u32 %r3, %r1, %r2;\n",
        .keys = {IDEAL_L2, "sm.hazard=retain", "sm.hazard.unbounded_buffer=true"});
    assert_stat("retained_cycles", 0);
}

/* --- further passes: issued again for each, or made in the stage, a cycle each */

static void further_passes_are_issued_or_made_in_the_stage(void **state) {
    (void)state;
    static const char *const keys[] = {"sm.hazard.in_stage=none", "sm.hazard.in_stage=bank"};
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 3;\nst.shared.u32 [%r1], %r0; // two\n", .dynamic_shared_b = 4096,
            .keys = {"sm.hazard=replay", keys[i]});
        assert_int_equal(events(EV_REPLAY, "two"), !i);
        assert_int_equal(when(EV_HAZARD, "two"), when(EV_ACCESS, "two"));
    }
}

/* --- trackers. One MSHR; every load is expected to miss. */

#define LOADS "mov.u64 %rd1, g;\n" LD("%r1", "0", "A") LD("%r2", "128", "B") LD("%r3", "256", "C") LD("%r4", "384", "D") SUM4

static void a_naive_tracker_sees_what_is_free_now(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = LOADS,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=naive", "sm.hazard.predictor=miss"});
    assert_int_equal(apart("A", "B"), 1);              /* A takes the MSHR two cycles after its issue */
    assert_int_equal(issue("C"), when(EV_READY, "B")); /* when A's line is here B takes it at once */
    assert_true(warp_time(STALL_RESTRICT) > 0);
}

static void a_naive_tracker_may_be_late(void **state) {
    (void)state;
    for (u32 n = 1; n <= 2; n++) {
        RUN(.globals = GLOBAL, .body = LOADS,
            .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=naive", "sm.hazard.predictor=miss",
                     text("sm.hazard.tracker_cy=%u", n)});
        assert_int_equal(apart("A", "C"), 2);
        assert_int_equal(apart("A", "D") == 3, n == 2);
    }
}

static void a_credit_is_given_out_at_issue(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = LOADS,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=miss"});
    assert_int_equal(issue("B"), when(EV_READY, "A"));
    assert_int_equal(issue("C"), when(EV_READY, "B"));
    assert_int_equal(ran.stats->sum.hazards[HAZARD_MSHR], 0);
    RUN(.globals = GLOBAL, .body = LOADS,
        .keys = {IDEAL_L2, "sm.l1.mshrs=2", "sm.hazard.tracker=credit", "sm.hazard.predictor=miss"});
    assert_int_equal(apart("A", "B"), 1);
    assert_int_equal(issue("C"), when(EV_READY, "A"));
}

static void who_expects_hits_holds_nothing_back(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = LOADS,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=hit"});
    u64 with = ran.cycles;
    assert_int_equal(apart("A", "D"), 3);
    RUN(.globals = GLOBAL, .body = LOADS, .keys = {IDEAL_L2, "sm.l1.mshrs=1"});
    assert_int_equal(ran.cycles, with);
}

static void an_oracle_knows_hits(void **state) {
    (void)state;
    const char *body = "mov.u64 %rd1, g;\n" LD("%r4", "1024", "W") USE("%r4") LD("%r1", "0", "A") LD("%r2", "1028", "B")
        LD("%r3", "256", "C") SUM4;
    RUN(.globals = GLOBAL, .body = body,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=oracle"});
    assert_int_equal(apart("A", "B"), 1);
    assert_int_equal(issue("C"), when(EV_READY, "A"));
    RUN(.globals = GLOBAL, .body = body,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=miss"});
    assert_int_equal(issue("B"), when(EV_READY, "A"));
}

static void the_miss_queue_can_be_tracked_instead(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = LOADS,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=miss", "sm.hazard.resource=comq"});
    assert_int_equal(apart("A", "D"), 3); /* places in the queue are free, whatever MSHRs are */
}

/* --- the counter predictor. A counter of n bits expects a miss from 2^(n-1) misses on. */

static void a_counter_expects_a_miss_in_its_upper_half(void **state) {
    (void)state;
    /* one load of many warps, each of another line; there are as many MSHRs as misses it takes to learn */
    for (u32 bits = 1; bits <= 3; bits++) {
        u32 enough = 1u << (bits - 1);
        RUN(.globals = GLOBAL,
            .body = "mov.u64 %rd1, g;\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd1, %rd2;\nbar.sync "
                    "0;\nld.global.u32 %r1, [%rd2]; // L\nadd.u32 %r2, %r1, 1;\n",
            .threads = 512,
            .keys = {IDEAL_L2, text("sm.l1.mshrs=%u", enough), "sm.hazard.tracker=credit", "sm.hazard.predictor=counter",
                     text("sm.hazard.counter.bits=%u", bits), "sm.sched=oldest"});
        u64 first = issue("L");
        for (u32 w = 0; w <= enough; w++)
            assert_int_equal(issue("L", .slot = w), first + w); /* the last of the misses is known two cycles after its issue */
        assert_true(issue("L", .slot = enough + 1) > first + 50);
    }
}

static void instructions_share_the_entries_of_the_table(void **state) {
    (void)state;
    const char *body =
        "mov.u64 %rd1, g;\n" LD("%r1", "0", "L") "nanosleep.u32 0;\nnanosleep.u32 0;\nnanosleep.u32 0;\nnanosleep.u32 0;\n" LD(
            "%r2", "128", "M") KEEP2("%r1", "%r2");
    for (u32 entries = 1; entries <= 2; entries++) {
        RUN(.globals = GLOBAL, .body = body,
            .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=counter",
                     "sm.hazard.counter.bits=1", text("sm.hazard.counter.entries=%u", entries)});
        assert_int_equal((pc_of("M") - pc_of("L")) % 2, 1);
        if (entries == 1) assert_int_equal(issue("M"), when(EV_READY, "L"));
        else assert_int_equal(apart("L", "M"), 5);
    }
}

static void the_table_is_the_chips_or_the_sms(void **state) {
    (void)state;
    /* block 0 learns on SM 0 that L misses; much later block 1 comes to it on SM 1, with the MSHR taken by
     * K */
    const char *body =
        "mov.u64 %rd1, g;\nmov.b32 %f1, 1;\nmov.u32 %r6, %ctaid.x;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra $l;\ndiv.rn.f32 %f2, %f1, "
        "%f1;\nadd.f32 %f3, %f2, %f1;\n" LD("%r1", "0", "K") "nanosleep.u32 0;\nnanosleep.u32 0;\nnanosleep.u32 0;\n$l:\n" LD(
            "%r2", "128", "L") KEEP2("%r1", "%r2");
    RUN(.globals = GLOBAL, .body = body, .blocks = 2,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=counter", "sm.hazard.counter.bits=1",
                 "sm.hazard.counter.scope=sm", "sm.class.fdiv.latency_cy=400"});
    assert_int_equal(issue("L", .sm = 1) - issue("K", .sm = 1), 4);
    RUN(.globals = GLOBAL, .body = body, .blocks = 2,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=counter", "sm.hazard.counter.bits=1",
                 "sm.hazard.counter.scope=chip", "sm.class.fdiv.latency_cy=400"});
    assert_int_equal(issue("L", .sm = 1), when(EV_READY, "K", .sm = 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_translation_holds_the_access),
        cmocka_unit_test(a_tlb_holds_so_many_pages_of_a_size),
        cmocka_unit_test(stores_and_atomics_are_translated_too),
        cmocka_unit_test(so_many_walks_are_under_way),
        cmocka_unit_test(a_replayed_instruction_comes_again_when_the_word_is_there),
        cmocka_unit_test(others_of_the_warp_use_the_pipe_meanwhile),
        cmocka_unit_test(retained_entries_are_counted),
        cmocka_unit_test(further_passes_are_issued_or_made_in_the_stage),
        cmocka_unit_test(a_naive_tracker_sees_what_is_free_now),
        cmocka_unit_test(a_naive_tracker_may_be_late),
        cmocka_unit_test(a_credit_is_given_out_at_issue),
        cmocka_unit_test(who_expects_hits_holds_nothing_back),
        cmocka_unit_test(an_oracle_knows_hits),
        cmocka_unit_test(the_miss_queue_can_be_tracked_instead),
        cmocka_unit_test(a_counter_expects_a_miss_in_its_upper_half),
        cmocka_unit_test(instructions_share_the_entries_of_the_table),
        cmocka_unit_test(the_table_is_the_chips_or_the_sms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
