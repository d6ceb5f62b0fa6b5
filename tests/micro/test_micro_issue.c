/* Issue: what an instruction waits for in the scoreboard, the latency of every class, several instructions
 * and schedulers a cycle, branches and barriers. A distance of n says both: it could at n, and could not at n
 * - 1, since nothing else keeps it. */
#include "micro.h"

/* --- registers */

#define INT_CY(n)  text("sm.class.int.latency_cy=%u", n)
#define MOVE_CY(n) text("sm.class.move.latency_cy=%u", n)

static void a_reader_waits_for_the_latency_of_its_writer(void **state) {
    (void)state;
    static const u32 latencies[] = {2, 3, 10, 37, 150, 700};
    for (u32 i = 0; i < ARRAY_LEN(latencies); i++) {
        RUN(.body = "add.u32 %r1, %r2, %r3; // A\nadd.u32 %r4, %r1, %r1; // B\n", .keys = {INT_CY(latencies[i])});
        assert_int_equal(apart("A", "B"), latencies[i]);
        assert_int_equal(when(EV_READY, "A"), issue("B"));
    }
}

static void independent_instructions_issue_in_consecutive_cycles(void **state) {
    (void)state;
    RUN(.body = "add.u32 %r1, %r9, 1; // A\nadd.u32 %r2, %r9, 2; // B\nadd.u32 %r3, %r9, 3; // C\n" KEEP4("%r1", "%r2", "%r3",
                                                                                                          "%r9"));
    assert_int_equal(apart("A", "B"), 1);
    assert_int_equal(apart("A", "C"), 2);
}

/* sm.order = single: each waits for the results of the one before it, of a unit or of memory, whoever reads
 * them */
static void one_instruction_in_flight(void **state) {
    (void)state;
    static const u32 latencies[] = {2, 9, 40, 90};
    for (u32 i = 0; i < ARRAY_LEN(latencies); i++) {
        RUN(.body = "add.u32 %r1, %r9, 1; // A\nadd.u32 %r2, %r9, 2; // B\nadd.u32 %r3, %r9, 3; // C\n" KEEP4("%r1", "%r2", "%r3",
                                                                                                              "%r9"),
            .keys = {INT_CY(latencies[i]), "sm.order=single"});
        assert_int_equal(apart("A", "B"), latencies[i]);
        assert_int_equal(apart("B", "C"), latencies[i]);
    }
    RUN(.body = MINE "ld.global.u32 %r1, [%rd1]; // A\nadd.u32 %r2, %r9, 2; // B\n" KEEP2("%r1", "%r2"),
        .keys = {"sm.order=single"});
    assert_int_equal(when(EV_READY, "A"), issue("B"));
    RUN(.body = MINE "ld.global.u32 %r1, [%rd1]; // A\nadd.u32 %r2, %r9, 2; // B\n" KEEP2("%r1", "%r2"));
    assert_int_equal(apart("A", "B"), 1);
}

static void a_reader_waits_for_the_latest_of_two_writers(void **state) {
    (void)state;
    RUN(.body = "add.u32 %r1, %r9, 1; // A\nadd.f32 %f1, %f2, %f3; // B\nadd.u32 %r2, %r9, 2;\nmov.b32 %r3, %f1;\nadd.u32 %r4, "
                "%r1, %r3; // C\n",
        .keys = {INT_CY(10), MOVE_CY(2), "sm.class.fp32.latency_cy=30"});
    assert_int_equal(apart("B", "C"), 32);
}

static void a_predicate_is_waited_for_like_a_register(void **state) {
    (void)state;
    RUN(.body = "setp.eq.u32 %p1, %r2, 0; // A\n@%p1 add.u32 %r1, %r2, 1; // B\nsetp.ne.u32 %p2, %r3, 1; // C\nselp.b32 %r4, 1, "
                "2, %p2; // D\n",
        .keys = {"sm.class.pred.latency_cy=13"});
    assert_int_equal(apart("A", "B"), 13);
    assert_int_equal(apart("C", "D"), 13);
}

static void a_second_writer_waits_for_the_first(void **state) {
    (void)state;
    RUN(.body = "setp.eq.u32 %p1, %r2, 0;\nmov.b32 %f1, 0f3F800000;\nrcp.approx.f32 %f2, %f1; // A\n@%p1 add.f32 %f2, %f1, %f1; "
                "// B\nadd.f32 %f3, %f2, %f1;\n",
        .keys = {"sm.class.sfu.latency_cy=45"});
    assert_int_equal(dest_of("A"), dest_of("B"));
    assert_int_equal(apart("A", "B"), 45);
}

/* A reads six registers of one bank, the last in the sixth cycle after its issue; B is so quick that it would
 * change one of them before. */
#define SIX   "fma.rn.f64 %d4, %d1, %d2, %d3; // A\nmov.b64 %d3, 0; // B\nadd.f64 %d5, %d4, %d3;\nadd.f64 %d5, %d1, %d2;\n"
#define SETUP "mov.b64 %d1, 1;\nmov.b64 %d2, 2;\nmov.b64 %d3, 3;\n"

static void a_writer_does_not_overtake_a_reader(void **state) {
    (void)state;
    RUN(.body = SETUP "bar.sync 0;\n" SIX, .keys = {"sm.banks=1", MOVE_CY(2), "sm.barrier_cy=50"});
    assert_int_equal(dest_of("B"), source_of("A", 4));
    assert_int_equal(when(EV_READ, "A") - issue("A"), 6);
    assert_int_equal(apart("A", "B"), 5); /* the result is there at 7; in the sixth cycle it would have been too soon */
    RUN(.body = SETUP "bar.sync 0;\n" SIX, .keys = {"sm.banks=1", MOVE_CY(5), "sm.barrier_cy=50"});
    assert_int_equal(apart("A", "B"), 2);
    RUN(.body = SETUP "bar.sync 0;\n" SIX, .keys = {"sm.banks=1", MOVE_CY(6), "sm.barrier_cy=50"});
    assert_int_equal(apart("A", "B"), 1);
}

static void a_load_holds_only_those_who_use_it(void **state) {
    (void)state;
    RUN(.body = MINE "ld.global.u32 %r1, [%rd1]; // A\nadd.u32 %r2, %r9, 1; // B\nadd.u32 %r3, %r9, 2; // C\nadd.u32 %r4, %r1, "
                     "3; // D\n" KEEP4("%r4", "%r2", "%r3", "%r9"));
    assert_int_equal(apart("A", "B"), 1);
    assert_int_equal(apart("A", "C"), 2);
    assert_true(apart("A", "D") > 60);
    assert_int_equal(issue("D"), when(EV_READY, "A"));
}

/* --- classes */

#define CLASS_TEST(id, first, second) {"sm.class." #id ".latency_cy", "", first " // A\n" second " // B\n"}
static const struct {
    const char *key, *globals, *body;
} classes[] = {
    CLASS_TEST(int, "sub.u32 %r1, %r2, %r3;", "st.shared.u32 [s], %r1;"),
    CLASS_TEST(imul, "mad.lo.u32 %r1, %r2, %r3, %r4;", "st.shared.u32 [s], %r1;"),
    CLASS_TEST(idiv, "div.u32 %r1, %r2, 3;", "st.shared.u32 [s], %r1;"),
    CLASS_TEST(fp32, "mul.f32 %f1, %f2, %f3;", "st.shared.f32 [s], %f1;"),
    CLASS_TEST(fdiv, "div.rn.f32 %f1, %f2, %f3;", "st.shared.f32 [s], %f1;"),
    CLASS_TEST(fp64, "add.f64 %d1, %d2, %d3;", "st.shared.f64 [s], %d1;"),
    CLASS_TEST(ddiv, "sqrt.rn.f64 %d1, %d2;", "st.shared.f64 [s], %d1;"),
    CLASS_TEST(half, "add.f16 %h1, %h2, %h3;", "st.shared.b16 [s], %h1;"),
    CLASS_TEST(sfu, "sin.approx.f32 %f1, %f2;", "st.shared.f32 [s], %f1;"),
    CLASS_TEST(logic, "xor.b32 %r1, %r2, %r3;", "st.shared.u32 [s], %r1;"),
    CLASS_TEST(pred, "setp.lt.s32 %p1, %r2, %r3;", "@%p1 st.shared.u32 [s], %r2;"),
    CLASS_TEST(move, "mov.u32 %r1, %r2;", "st.shared.u32 [s], %r1;"),
    CLASS_TEST(cvt, "cvt.rn.f32.s32 %f1, %r2;", "st.shared.f32 [s], %f1;"),
    CLASS_TEST(video, "vadd.u32.u32.u32 %r1, %r2.b0, %r3.b1;", "st.shared.u32 [s], %r1;"),
    CLASS_TEST(warp, "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;", "st.shared.u32 [s], %r1;"),
    CLASS_TEST(tensor,
               "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f5, %f6, %f7, %f8};",
               "st.shared.f32 [s], %f1;"),
};

static void every_class_has_the_latency_of_its_key(void **state) {
    (void)state;
    static const u32 latencies[] = {17, 18, 130};
    for (u32 i = 0; i < ARRAY_LEN(classes); i++)
        for (u32 k = 0; k < ARRAY_LEN(latencies); k++) {
            RUN(.globals = ".shared .align 8 .b8 s[64];\n", .body = classes[i].body,
                .keys = {text("%s=%u", classes[i].key, latencies[k])});
            if (apart("A", "B") != latencies[k]) fail_msg("%s = %u gives %u", classes[i].key, latencies[k], (u32)apart("A", "B"));
        }
}

/* --- how many a cycle */

#define THREE                                                                                                                    \
    "add.u32 %r1, %r9, 1; // A\nadd.f32 %f1, %f9, %f8; // B\nadd.u32 %r3, %r9, 3; // C\n" KEEP2(                                 \
        "%r1", "%r3") "add.f32 %f2, %f1, %f8;\n"

static void issue_width_is_how_many_of_a_warp_go_together(void **state) {
    (void)state;
    for (u32 width = 1; width <= 3; width++) {
        RUN(.body = THREE, .keys = {text("sm.issue_width=%u", width)});
        assert_int_equal(apart("A", "B"), width >= 2 ? 0 : 1);
        assert_int_equal(apart("A", "C"), width >= 3 ? 0 : width == 2 ? 1 : 2);
    }
}

static void what_depends_does_not_go_together(void **state) {
    (void)state;
    RUN(.body =
            "add.u32 %r1, %r9, 1; // A\nadd.u32 %r2, %r1, 1; // B\nadd.u32 %r3, %r9, 1; // C\n" KEEP4("%r1", "%r2", "%r3", "%r9"),
        .keys = {"sm.issue_width=2"});
    assert_int_equal(apart("A", "B"), 10);
    assert_int_equal(apart("B", "C"), 0);
}

static void cycles_with_two_instructions_are_counted_apart(void **state) {
    (void)state;
    RUN(.body = series(8, "add.u32 %r#, %r9, 1;\n"), .keys = {"sm.issue_width=2"}); /* and ret */
    const struct sched_stats *s = &ran.stats->sum.sched[0];
    assert_int_equal(s->cycles[SCHED_ISSUE1] + 2 * s->cycles[SCHED_ISSUE2], 9);
}

static void a_scheduler_issues_for_one_warp_a_cycle(void **state) {
    (void)state;
    RUN(.body = "add.u32 %r1, %r9, 1; // A\n", .threads = 96);
    assert_int_equal(issue("A", .slot = 1) - issue("A"), 1);
    assert_int_equal(issue("A", .slot = 2) - issue("A"), 2);
}

static void slots_belong_to_schedulers_in_turn(void **state) {
    (void)state;
    RUN(.body = "add.u32 %r1, %r9, 1; // A\n", .threads = 128, .keys = {"sm.schedulers=2"});
    assert_int_equal(issue("A", .slot = 1), issue("A"));
    assert_int_equal(issue("A", .slot = 2) - issue("A"), 1);
    assert_int_equal(issue("A", .slot = 3) - issue("A"), 1);
    RUN(.body = "add.u32 %r1, %r9, 1; // A\n", .threads = 128, .keys = {"sm.schedulers=3"});
    assert_int_equal(issue("A", .slot = 2), issue("A"));
    assert_int_equal(issue("A", .slot = 3) - issue("A"), 1);
}

static void two_level_scheduling_has_so_many_active_warps(void **state) {
    (void)state;
    /* eight independent moves of four warps; those that are active take turns, the others come when one has
     * ended */
    const char *body = JOIN(series(8, "mov.u32 %r1#, 1; // m#\n"), series(8, "add.u32 %r5, %r5, %r1#;\n"));
    for (u32 n = 1; n <= 3; n++) {
        RUN(.body = body, .threads = 128,
            .keys = {"sm.sched=two_level", text("sm.sched.two_level.active=%u", n), "sm.banks=64", "sm.bank_ports=8"});
        assert_int_equal(issue("m1") - issue("m0"), n);
        assert_true(issue("m0", .slot = n) > issue("m7"));
        if (n > 1) assert_true(issue("m0", .slot = n - 1) < issue("m1"));
    }
}

static void a_sub_core_has_units_of_its_own(void **state) {
    (void)state;
    /* two warps, two schedulers; both want the SFU, which takes four beats a warp */
    const char *body = "sin.approx.f32 %f1, %f2; // A\n";
    RUN(.body = body, .threads = 64, .keys = {"sm.schedulers=2"});
    assert_int_equal(when(EV_DISPATCH, "A", .slot = 1) - when(EV_DISPATCH, "A"), 4);
    RUN(.body = body, .threads = 64, .keys = {"sm.schedulers=2", "sm.subcores=2"});
    assert_int_equal(when(EV_DISPATCH, "A", .slot = 1), when(EV_DISPATCH, "A"));
}

/* --- pipeline registers: the way is longer, the latency is not */

static void depths_move_stages_apart_within_the_latency(void **state) {
    (void)state;
    const char *body = "add.u32 %r1, %r2, %r3; // A\nadd.u32 %r4, %r1, %r1; // B\n";
    for (u32 d = 0; d < 3; d++)
        for (u32 o = 0; o < 3; o++) {
            RUN(.body = body, .keys = {text("sm.depth.issue=%u", d), text("sm.depth.operands=%u", o)});
            assert_int_equal(when(EV_READ, "A") - issue("A"), 1 + d);
            assert_int_equal(when(EV_DISPATCH, "A") - when(EV_READ, "A"), o);
            assert_int_equal(apart("A", "B"), 10);
        }
}

/* --- branches */

static void what_follows_a_branch_waits_until_it_is_resolved(void **state) {
    (void)state;
    static const u32 times[] = {1, 4, 7, 63, 64, 256};
    for (u32 i = 0; i < ARRAY_LEN(times); i++) {
        u32 n = times[i];
        RUN(.body = "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra $far; // A\nadd.u32 %r1, %r2, 1; // B\nadd.u32 %r1, %r1, "
                    "1;\n$far:\nadd.u32 %r3, %r2, 1;\n",
            .keys = {text("sm.branch_cy=%u", n)});
        assert_int_equal(apart("A", "B"), n);
    }
}

static void the_target_of_a_taken_branch_is_fetched_when_it_is_resolved(void **state) {
    (void)state;
    for (u32 n = 1; n < 9; n += 3) {
        RUN(.body = "bra $far; // A\nadd.u32 %r1, %r2, 1;\n$far:\nadd.u32 %r3, %r2, 1; // B\n",
            .keys = {text("sm.branch_cy=%u", n), "sm.icache.latency_cy=3", "sm.fetch.decode_cy=5"});
        assert_int_equal(apart("A", "B"), n + 3 + 5);
    }
}

static void a_branch_sees_its_guard_later_than_others(void **state) {
    (void)state;
    static const struct {
        const char *second;
        bool late;
    } cases[] = {{"@%p1 bra $far; // A\nadd.u32 %r1, %r2, 1;\n$far:\n", true},
                 {"@%p1 exit; // A\n", true},
                 {"selp.u32 %r3, %r2, %r1, %p1; // A\n", false},
                 {"@%p1 add.u32 %r4, %r2, 1; // A\n", false}};
    for (u32 n = 0; n < 40; n += 13)
        for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
            RUN(.body = text("setp.eq.u32 %%p1, %%r2, 1; // P\n%s", cases[i].second), .keys = {text("sm.branch_guard_cy=%u", n)});
            assert_int_equal(apart("P", "A"), 10 + (cases[i].late ? n : 0));
        }
}

static void lanes_that_stay_go_on_when_an_exit_is_resolved(void **state) {
    (void)state;
    for (u32 n = 1; n < 9; n += 3) {
        RUN(.body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 7;\n@%p1 exit; // A\nadd.u32 %r1, %r2, 1; // B\n",
            .keys = {text("sm.branch_cy=%u", n)});
        assert_int_equal(apart("A", "B"), n);
    }
}

static void a_call_is_a_branch_that_waits_for_results(void **state) {
    (void)state;
    RUN(.globals = ".func f()\n{\n.reg .u32 %a<4>;\nadd.u32 %a1, %a2, 1; // B\nret; // C\n}\n",
        .body = "add.u32 %r1, %r9, 1; // R\ncall f; // A\nadd.u32 %r2, %r1, 1; // D\n", .keys = {"sm.branch_cy=6"});
    assert_int_equal(apart("R", "A"), 10);        /* registers are others afterwards: what is under way comes home first */
    assert_int_equal(apart("A", "B"), 6 + 1 + 2); /* resolved, fetched, decoded */
    assert_int_equal(apart("B", "C"), 10);
    assert_int_equal(apart("C", "D"), 6 + 1 + 2);
}

/* --- barriers */

#define LATE_BARRIER                                                                                                             \
    "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bra $meet;\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\nadd.u32 "     \
    "%r1, %r1, 1;\n$meet:\n"                                                                                                     \
    "bar.sync 0; // A\nadd.u32 %r2, %r0, 1; // B\n"

static void a_barrier_opens_when_the_last_warp_comes(void **state) {
    (void)state;
    static const u32 times[] = {1, 4, 11, 62, 63, 64, 100, 256};
    for (u32 i = 0; i < ARRAY_LEN(times); i++) {
        u32 n = times[i];
        RUN(.body = LATE_BARRIER, .threads = 64, .keys = {text("sm.barrier_cy=%u", n), "sm.schedulers=2"});
        u64 opens = issue("A", .slot = 1);
        assert_true(opens > issue("A") + 10);
        assert_int_equal(issue("B") - opens, n);
        assert_int_equal(issue("B", .slot = 1) - opens, n);
    }
}

static void warps_that_come_one_after_the_other_leave_together(void **state) {
    (void)state;
    for (u32 n = 1; n < 40; n += 6) {
        RUN(.body = "bar.sync 0; // A\nadd.u32 %r2, %r0, 1; // B\n", .threads = 96, .keys = {text("sm.barrier_cy=%u", n)});
        u64 opens = issue("A", .slot = 2);
        assert_int_equal(opens - issue("A"), 2);
        for (u32 w = 0; w < 3; w++) /* one scheduler: one after the other again, in some order */
            assert_in_range(issue("B", .slot = w), opens + n, opens + n + 2);
    }
}

static void a_barrier_of_one_warp_takes_as_long(void **state) {
    (void)state;
    RUN(.body = "bar.sync 0; // A\nadd.u32 %r1, %r2, 1; // B\n", .keys = {"sm.barrier_cy=9"});
    assert_int_equal(apart("A", "B"), 9);
}

static void a_warp_that_ends_opens_the_barrier_for_the_others(void **state) {
    (void)state;
    RUN(.body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bra $meet;\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, "
                "1;\nadd.u32 %r1, %r1, 1;\n"
                "exit; // E\n$meet:\nbar.sync 0; // A\nadd.u32 %r2, %r0, 1; // B\n",
        .threads = 64, .keys = {"sm.barrier_cy=7", "sm.schedulers=2"});
    assert_true(issue("E", .slot = 1) > issue("A"));
    assert_int_equal(issue("B") - issue("E", .slot = 1), 7);
}

static void a_barrier_that_only_arrives_does_not_wait(void **state) {
    (void)state;
    RUN(.body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bra $waits;\nbar.arrive 1, 64; // A\nadd.u32 %r1, %r0, 1; "
                "// B\nexit;\n"
                "$waits:\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\nbar.sync 1, 64; // C\nadd.u32 %r2, "
                "%r0, 1; // D\n",
        .threads = 64, .keys = {"sm.barrier_cy=5", "sm.schedulers=2"});
    assert_true(issue("B", .slot = 1) < issue("C"));
    assert_int_equal(apart("C", "D"), 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_waits_for_the_latency_of_its_writer),
        cmocka_unit_test(independent_instructions_issue_in_consecutive_cycles),
        cmocka_unit_test(one_instruction_in_flight),
        cmocka_unit_test(a_reader_waits_for_the_latest_of_two_writers),
        cmocka_unit_test(a_predicate_is_waited_for_like_a_register),
        cmocka_unit_test(a_second_writer_waits_for_the_first),
        cmocka_unit_test(a_writer_does_not_overtake_a_reader),
        cmocka_unit_test(a_load_holds_only_those_who_use_it),
        cmocka_unit_test(every_class_has_the_latency_of_its_key),
        cmocka_unit_test(issue_width_is_how_many_of_a_warp_go_together),
        cmocka_unit_test(what_depends_does_not_go_together),
        cmocka_unit_test(cycles_with_two_instructions_are_counted_apart),
        cmocka_unit_test(a_scheduler_issues_for_one_warp_a_cycle),
        cmocka_unit_test(slots_belong_to_schedulers_in_turn),
        cmocka_unit_test(two_level_scheduling_has_so_many_active_warps),
        cmocka_unit_test(a_sub_core_has_units_of_its_own),
        cmocka_unit_test(depths_move_stages_apart_within_the_latency),
        cmocka_unit_test(what_follows_a_branch_waits_until_it_is_resolved),
        cmocka_unit_test(the_target_of_a_taken_branch_is_fetched_when_it_is_resolved),
        cmocka_unit_test(a_branch_sees_its_guard_later_than_others),
        cmocka_unit_test(lanes_that_stay_go_on_when_an_exit_is_resolved),
        cmocka_unit_test(a_call_is_a_branch_that_waits_for_results),
        cmocka_unit_test(a_barrier_opens_when_the_last_warp_comes),
        cmocka_unit_test(warps_that_come_one_after_the_other_leave_together),
        cmocka_unit_test(a_barrier_of_one_warp_takes_as_long),
        cmocka_unit_test(a_warp_that_ends_opens_the_barrier_for_the_others),
        cmocka_unit_test(a_barrier_that_only_arrives_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
