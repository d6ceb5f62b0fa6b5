/* Interweaving: a second instruction issues in the lanes that the first leaves free, of another part of its
 * warp or of another warp. */
#include "micro.h"

static u32 issues(const char *label) {
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) n += ran.events.at[i].kind == EV_ISSUE && ran.events.at[i].pc == pc_of(label);
    return n;
}
static u64 lanes_at(const char *label) { return event_of(EV_ISSUE, WHO(label))->a; }

#define WEAVE "sm.diverge=interweave"
#define ONE   "gpu.sms=1", "sm.schedulers=1", "sm.subcores=1"

/* Lanes 16-31 go on to A, the others to B; both have two additions, the second of which needs the first */
static const char *two_sides = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra $b;\n"
                               "add.u32 %r1, %r0, 1; // A1\nadd.u32 %r1, %r1, 1; // A2\nbra $z;\n"
                               "$b:\nadd.u32 %r1, %r0, 3; // B1\nadd.u32 %r1, %r1, 4; // B2\n"
                               "$z:\nadd.u32 %r2, %r1, 1; // Z\n";

static void two_sides_of_a_branch_issue_together(void **state) {
    (void)state;
    RUN(.body = two_sides, .keys = {"sm.diverge=frontier"});
    u64 alone = apart("A1", "Z"), side = apart("A1", "A2");
    assert_true(issue("B1") > issue("A2"));
    RUN(.body = two_sides, .keys = {WEAVE, "interweave.with=branches"});
    assert_int_equal(issue("A1"), issue("B1"));
    assert_int_equal(issue("A2"), issue("B2"));
    assert_int_equal(apart("A1", "A2"), side); /* as if each were alone */
    assert_int_equal(issues("Z"), 1);          /* B waits at Z for A */
    assert_int_equal(lanes_at("Z"), 0xFFFFFFFF);
    assert_true(apart("A1", "Z") < alone);
    assert_stat("woven_branches", 2);
    assert_int_equal(count(EV_WEAVE), 2);
    const struct event *e = event_at(EV_WEAVE, 0);
    assert_int_equal(e->a, 0xFFFF0000);
    assert_int_equal(e->mask, 0xFFFF);
}

/* What takes the unit for no longer than the first enters it with that one; else it waits for the unit */
static void a_rider_takes_the_unit_for_no_longer(void **state) {
    (void)state;
    static const char *const sides[] = {"add.u32 %r1, %r0, 1; // S\n", "mul.lo.u32 %r1, %r0, %r0; // L\n"};
    for (u32 i = 0; i < 2; i++) {
        const char *body = JOIN("mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra $b;\n", sides[i], "bra $z;\n$b:\n",
                                sides[!i], "$z:\nadd.u32 %r2, %r1, 1; // Z\n");
        RUN(.body = body, .keys = {WEAVE, "interweave.with=branches", "sm.class.imul.interval_cy=4"});
        assert_int_equal(issue("S"), issue("L"));
        assert_int_equal(when(EV_DISPATCH, "S") == when(EV_DISPATCH, "L"), i); /* the long one first */
    }
}

/* Where branches meet the second waits, though it needs nothing of the first */
static void the_second_waits_where_branches_meet(void **state) {
    (void)state;
    const char *body =
        JOIN("mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra $b;\n", repeat(8, "add.u32 %r1, %r0, 1;\n"),
             "bra $z;\n$b:\nadd.u32 %r3, %r0, 3; // B\n$z:\nadd.u32 %r2, %r0, 1; // Z\n" KEEP4("%r2", "%r1", "%r3", "%r0"));
    RUN(.body = body, .keys = {WEAVE, "interweave.with=branches"});
    assert_int_equal(issues("Z"), 1);
    assert_int_equal(lanes_at("Z"), 0xFFFFFFFF);
}

/* With other warps alone the sides of a branch go one after the other */
static void sides_go_alone_without_sbi(void **state) {
    (void)state;
    RUN(.body = two_sides, .keys = {WEAVE, "interweave.with=warps"});
    assert_true(issue("B1") > issue("A2"));
    assert_int_equal(count(EV_WEAVE), 0);
}

/* Sides that need different units do not share a row: each must be free. Two that go to memory do not go
 * together. */
static void sides_share_a_row_or_take_one_each(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        bool together;
    } of[] = {
        {"add.u32 %r1, %r0, 1; // A\n", "add.f32 %f1, %f2, %f3; // B\n", true},
        {"add.u32 %r1, %r0, 1; // A\n", "ld.global.u32 %r1, [%rd1]; // B\n", true},
        {"ld.global.u32 %r1, [%rd1]; // A\n", "add.u32 %r1, %r0, 1; // B\n", true},
        {"ld.global.u32 %r1, [%rd1]; // A\n", "ld.global.u32 %r1, [%rd1+4]; // B\n", false},
    };
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        const char *body =
            JOIN(MINE "mov.f32 %f2, 0f3F800000;\nmov.f32 %f3, 0f3F800000;\nmov.u32 %r1, 0;\nsetp.lt.u32 %p1, %r0, 16;\n"
                      "@%p1 bra $b;\n",
                 of[i].a, "bra $z;\n$b:\n", of[i].b,
                 "$z:\nst.global.u32 [%rd1+4096], %r1;\n"
                 "st.global.f32 [%rd1+8192], %f1;\n");
        RUN(.body = body, .keys = {WEAVE, "interweave.with=branches"});
        if ((issue("A") == issue("B")) != of[i].together)
            fail_msg("pair %u: %llu and %llu", i, (unsigned long long)issue("A"), (unsigned long long)issue("B"));
    }
}

/* Two warps, of which lanes 0-7 go on. In their own lanes they never fit; from the other end the second does,
 * in every instruction */
static const char *few_lanes = "mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 31;\nsetp.ge.u32 %p1, %r1, 8;\n@%p1 exit;\nbar.sync 0;\n"
                               "add.u32 %r2, %r1, 1; // X\nadd.u32 %r3, %r1, 2; // Y\nadd.u32 %r4, %r2, %r3;\n";

static void warps_of_the_same_lanes_fit_when_one_is_mirrored(void **state) {
    (void)state;
    RUN(.body = few_lanes, .threads = 64, .keys = {WEAVE, ONE});
    assert_stat("woven_warps", 0);
    RUN(.body = few_lanes, .threads = 64, .keys = {WEAVE, "interweave.lanes=mirror", ONE});
    assert_true(stat_of("woven_warps") >= 2);
    assert_int_equal(issue("X", .slot = 0), issue("X", .slot = 1));
    assert_int_equal(issue("Y", .slot = 0), issue("Y", .slot = 1));
    const struct event *e = event_at(EV_WEAVE, 0);
    assert_int_equal(e->a | e->mask, 0xFF0000FF);
    RUN(.body = few_lanes, .threads = 64, .keys = {WEAVE, "interweave.with=branches", ONE});
    assert_int_equal(count(EV_WEAVE), 0);
}

/* Warp 0 keeps lanes 0-7, the others lanes 8-31, and of them `warp` those below `end` */
#define FEWER_LANES(end, warp)                                                                                                   \
    "mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 31;\nshr.u32 %r2, %r0, 5;\nsetp.lt.u32 %p1, %r1, 8;\nsetp.eq.u32 %p2, %r2, 0;\n"    \
    "xor.pred %p3, %p1, %p2;\n@%p3 exit;\nsetp.ge.u32 %p4, %r1, " end ";\nsetp.eq.u32 %p5, %r2, " warp ";\n"                     \
    "and.pred %p4, %p4, %p5;\n@%p4 exit;\nbar.sync 0;\nadd.u32 %r3, %r1, 1; // X\n"

/* Of the warps that fit the one with most lanes goes: warp 0 has lanes 0-7, warp 1 lanes 8-11, warp 2 8-31 */
static void the_fullest_that_fits_goes(void **state) {
    (void)state;
    RUN(.body = FEWER_LANES("12", "1"), .threads = 96, .keys = {WEAVE, "sm.sched=oldest", ONE});
    assert_int_equal(issue("X", .slot = 0), issue("X", .slot = 2));
    assert_true(issue("X", .slot = 1) > issue("X", .slot = 0));
}

/* Of two that are as full it is the older, whoever has fewer lanes between them */
static void of_the_fullest_the_oldest_goes(void **state) {
    (void)state;
    RUN(.body = FEWER_LANES("20", "2"), .threads = 128, .keys = {WEAVE, "sm.sched=oldest", ONE});
    assert_int_equal(issue("X", .slot = 0), issue("X", .slot = 1));
    assert_true(issue("X", .slot = 2) > issue("X", .slot = 0) && issue("X", .slot = 3) > issue("X", .slot = 0));
}

/* Whole warps leave no lane free: it is pdom, to the cycle and the stall */
static void whole_warps_are_pdom(void **state) {
    (void)state;
    const char *body = MINE "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nbar.sync 0;\nmul.lo.u32 %r3, %r2, %r2;\n"
                            "st.global.u32 [%rd1+65536], %r3;\n";
    u64 time[2][STALL_COUNT], cycles[2];
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = body, .threads = 128, .blocks = 4, .keys = {i ? WEAVE : "sm.diverge=pdom"});
        cycles[i] = ran.cycles;
        for (u32 s = 0; s < STALL_COUNT; s++) time[i][s] = warp_time((enum stall)s);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_memory_equal(time[0], time[1], sizeof(time[0]));
}

/* A branch that issues beside another instruction is waited for: what follows in its lanes issues no sooner
 * than behind any branch */
static void a_branch_beside_another_is_resolved_first(void **state) {
    (void)state;
    const char *body =
        JOIN("mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra $b;\n", repeat(12, "add.u32 %r1, %r0, 1;\n"),
             "bra $z;\n$b:\nadd.u32 %r2, %r0, 3;\nbra $c; // J\n$d:\n"
             "add.u32 %r2, %r2, 5;\n$c:\nadd.u32 %r2, %r2, 4; // K\n$z:\nadd.u32 %r3, %r1, %r2;\n");
    RUN(.body = body, .keys = {WEAVE, "sm.branch_cy=5"});
    assert_true(stat_of("woven_branches") >= 2);
    assert_true(apart("J", "K") >= 5);
    body = JOIN("mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra $b;\n", repeat(60, "add.u32 %r1, %r0, 1;\n"),
                "bra $z;\n$b:\nadd.u32 %r2, %r0, 3;\nbra $c; // J\n$d:\nadd.u32 %r2, %r2, 5;\n$c:\nadd.u32 %r2, %r2, 4; // K\n"
                "$z:\nadd.u32 %r3, %r1, %r2;\n");
    RUN(.body = body, .keys = {WEAVE, "sm.branch_cy=30"});
    assert_int_equal(apart("J", "K"), 30); /* longer than an addition takes */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sides_of_a_branch_issue_together),
        cmocka_unit_test(sides_go_alone_without_sbi),
        cmocka_unit_test(a_rider_takes_the_unit_for_no_longer),
        cmocka_unit_test(the_second_waits_where_branches_meet),
        cmocka_unit_test(sides_share_a_row_or_take_one_each),
        cmocka_unit_test(warps_of_the_same_lanes_fit_when_one_is_mirrored),
        cmocka_unit_test(the_fullest_that_fits_goes),
        cmocka_unit_test(of_the_fullest_the_oldest_goes),
        cmocka_unit_test(whole_warps_are_pdom),
        cmocka_unit_test(a_branch_beside_another_is_resolved_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
