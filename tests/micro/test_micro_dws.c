/* Dynamic warp subdivision: which parts of a warp are splits, and when lanes that have their data leave those
 * that wait for a miss. */
#include "micro.h"

static u32 issues(const char *label) {
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) n += ran.events.at[i].kind == EV_ISSUE && ran.events.at[i].pc == pc_of(label);
    return n;
}
static u64 lanes_of(const char *label, u32 nth) { return event_of(EV_ISSUE, WHO(label, .nth = nth))->a; }
static u64 nth_issue(const char *label, u32 nth) { return issue(label, .nth = nth); }

#define DWS "sm.diverge=dws"

/* --- at branches */

/* Three sides of two branches, each with a load of its own: C of the outer one, A and B of the inner one */
static const char *three_sides =
    MINE "setp.lt.u32 %p1, %r0, 16;\nsetp.lt.u32 %p2, %r0, 24;\n@%p1 bra $c;\n@%p2 bra $b;\n"
         "ld.global.u32 %r1, [%rd1+4096]; // A\nadd.u32 %r2, %r1, 1; // A2\nbra $in;\n"
         "$b:\nld.global.u32 %r1, [%rd1+8192]; // B\nadd.u32 %r2, %r1, 2; // B2\n$in:\nadd.u32 %r2, %r2, 1; // IN\n"
         "bra $out;\n$c:\nld.global.u32 %r1, [%rd1+12288]; // C\nadd.u32 %r2, %r1, 3; // C2\n$out:\n"
         "st.global.u32 [%rd1], %r2; // Z\n";

/* As many sides have their loads under way at once as there are entries, and one */
static void sides_of_branches_are_splits_while_the_table_has_room(void **state) {
    (void)state;
    RUN(.body = three_sides, .keys = {DWS, "dws.split=branch", "dws.table=2"});
    assert_true(MAX(MAX(issue("A"), issue("B")), issue("C")) < MIN(MIN(issue("A2"), issue("B2")), issue("C2")));
    assert_stat("splits_branch", 2);
    assert_stat("splits_peak", 2);
    assert_int_equal(lanes_of("Z", 0), 0xFFFFFFFF);
    u64 two = ran.cycles;
    RUN(.body = three_sides, .keys = {DWS, "dws.split=branch", "dws.table=1"});
    /* the outer branch took the entry; the inner one is a stack until C has come to its meeting point */
    assert_true(MAX(issue("A"), issue("C")) < MIN(issue("A2"), issue("C2")));
    assert_true(issue("B") > issue("A2"));
    assert_stat("splits_peak", 1);
    u64 one = ran.cycles;
    RUN(.body = three_sides, .keys = {DWS, "dws.split=memory"});
    assert_stat("splits_branch", 0);
    assert_true(issue("B") > issue("A2") && issue("C") > issue("B2"));
    assert_true(two < one && one < ran.cycles);
}

/* A part gets its turn when it can use it: where all wait for their loads nobody's turn changes */
static void turns_go_to_those_that_do_not_wait(void **state) {
    (void)state;
    RUN(.body = three_sides, .keys = {DWS, "dws.split=branch", "dws.table=2"});
    assert_stat("group_switches", 5); /* to B and C when A and B wait, and to each again when its load has come */
}

/* A thread polls for what another of its warp writes behind the branch: turns are taken after a few polls */
static void a_poll_lets_the_others_go(void **state) {
    (void)state;
    const char *body = OUT "setp.eq.u32 %p3, %r0, 0;\n@!%p3 bra $c;\n$again:\nld.volatile.global.u32 %r7, [%rd0]; // P\n"
                           "setp.eq.u32 %p1, %r7, 0;\n@%p1 bra $again;\nbra $end;\n$c:\nsetp.eq.u32 %p2, %r0, 1;\n"
                           "@%p2 st.volatile.global.u32 [%rd0], 1;\n$end:\nadd.u32 %r8, %r0, 1;\n" KEEP2("%r8", "%r0");
    RUN(.body = body, .keys = {DWS, "dws.split=memory"});
    assert_true(issues("P") < 40);
}

/* --- at loads */

/* %rd3: a word in one line for lanes 0-15, and for the others in a line two kilobytes on. The first line is
 * brought by W, so that of L lanes 0-15 hit; by V the other one too. */
#define HALVES                                                                                                                   \
    OUT "and.b32 %r1, %r0, 15;\nshr.u32 %r2, %r0, 4;\nmul.wide.u32 %rd1, %r1, 4;\nmul.wide.u32 %rd2, %r2, 2048;\n"               \
        "add.u64 %rd1, %rd0, %rd1;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd1]; // W\nadd.u32 %r4, %r3, 1; // W2\n"
#define BOTH "ld.global.u32 %r3, [%rd1+2048]; // V\nadd.u32 %r4, %r4, %r3; // V2\n"
#define USE  "ld.global.u32 %r5, [%rd3]; // L\nadd.u32 %r6, %r5, %r4; // U\n"

/* Lanes that hit go on when their own line is there: a cycle before a load whose second line hits too. The
 * others do when the whole warp does without subdivision. */
static void lanes_that_hit_do_not_wait_for_a_miss(void **state) {
    (void)state;
    const char *body = HALVES USE "st.global.u32 [%rd3+65536], %r6; // S\n";
    RUN(.body = JOIN(HALVES BOTH USE, ""), .keys = {"sm.diverge=pdom"});
    u64 hit = apart("L", "U");
    RUN(.body = body, .keys = {"sm.diverge=pdom"});
    u64 miss = apart("L", "U"), cycles = ran.cycles;
    assert_true(miss > hit);
    static const char *const schemes[] = {"dws.memory=aggressive", "dws.memory=lazy", "dws.memory=revive"};
    for (u32 i = 0; i < ARRAY_LEN(schemes); i++) {
        RUN(.body = body, .keys = {DWS, schemes[i]});
        assert_int_equal(issues("U"), 2);
        assert_int_equal(lanes_of("U", 0), 0xFFFF);
        assert_int_equal(lanes_of("U", 1), 0xFFFF0000);
        assert_int_equal(nth_issue("U", 0) - issue("L"), hit - 1);
        assert_int_equal(nth_issue("U", 1) - issue("L"), miss);
        assert_stat("splits_memory", 1);
        assert_true(ran.cycles <= cycles + 2); /* the store issues twice */
    }
    RUN(.body = body, .keys = {DWS, "dws.split=branch"});
    assert_int_equal(issues("U"), 1);
    assert_int_equal(ran.cycles, cycles);
}

/* Behind the load is a branch that nobody takes, and a use behind that: lanes that ran ahead wait before the
 * branch, or go beyond it */
static void lanes_that_ran_ahead_wait_before_the_next_branch_or_do_not(void **state) {
    (void)state;
    const char *body = HALVES USE "setp.eq.u32 %p1, %r6, 12345;\n@%p1 bra $end; // B\nadd.u32 %r7, %r6, 1; // X\n"
                                  "st.global.u32 [%rd3+65536], %r7;\n$end:\nadd.u32 %r8, %r7, 1; // Z\n";
    RUN(.body = body, .keys = {DWS, "dws.meet=limited"});
    assert_int_equal(issues("U"), 2);
    assert_int_equal(issues("B"), 1);
    assert_int_equal(issues("X"), 1);
    assert_int_equal(lanes_of("B", 0), 0xFFFFFFFF);
    assert_true(issue("B") > nth_issue("U", 1));
    RUN(.body = body, .keys = {DWS, "dws.meet=bypass"});
    assert_int_equal(issues("B"), 2);
    assert_true(nth_issue("X", 0) < nth_issue("U", 1));
    assert_int_equal(lanes_of("X", 0), 0xFFFF);
}

/* Lanes 0-7 of four lines each: a line is warm, the others miss. With revive lanes go as their lines come,
 * with the others only those that hit go before the rest. */
static void lanes_go_one_line_after_the_other_when_revived(void **state) {
    (void)state;
    const char *body =
        OUT "and.b32 %r1, %r0, 7;\nshr.u32 %r2, %r0, 3;\nmul.wide.u32 %rd1, %r1, 4;\nmul.wide.u32 %rd2, %r2, 2048;\n"
            "add.u64 %rd1, %rd0, %rd1;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd1];\n"
            "add.u32 %r4, %r3, 1;\n" USE "st.global.u32 [%rd3+65536], %r6;\n";
    RUN(.body = body, .keys = {DWS, "dws.memory=lazy"});
    assert_int_equal(issues("U"), 2);
    assert_int_equal(lanes_of("U", 0), 0xFF);
    assert_stat("splits_memory", 1);
    u64 last = nth_issue("U", 1);
    RUN(.body = body, .keys = {DWS, "dws.memory=revive"});
    /* the third and fourth line come while the second's lanes have their turn, and their lanes go together */
    assert_int_equal(issues("U"), 3);
    assert_int_equal(lanes_of("U", 0), 0xFF);
    assert_int_equal(lanes_of("U", 1), 0xFF00);
    assert_int_equal(lanes_of("U", 2), 0xFFFF0000);
    assert_true(nth_issue("U", 1) < last);
    RUN(.body = body, .keys = {DWS, "dws.memory=revive", "dws.table=1"});
    assert_stat("splits_peak", 1);
}

/* Another warp of the sub-core has arithmetic to do: aggressive parts at once, lazy not at all, revive when
 * that warp is done */
static void a_warp_is_not_subdivided_while_another_can_go_on(void **state) {
    (void)state;
    const char *body = JOIN("mov.u32 %r10, %ctaid.x;\nsetp.eq.u32 %p2, %r10, 1;\n@%p2 bra $busy;\n", HALVES USE "exit;\n$busy:\n",
                            repeat(34, "add.u32 %r11, %r11, %r10;\n"), "add.u32 %r12, %r11, 1; // Y\n");
    static const char *const keys[] = {"gpu.sms=1", "sm.schedulers=1", "sm.subcores=1"};
    RUN(.body = body, .blocks = 2, .keys = {DWS, "dws.memory=aggressive", keys[0], keys[1], keys[2]});
    assert_int_equal(issues("U"), 2);
    assert_true(issue("U") < issue("Y", .slot = 1));
    RUN(.body = body, .blocks = 2, .keys = {DWS, "dws.memory=revive", keys[0], keys[1], keys[2]});
    assert_int_equal(issues("U"), 2);
    assert_true(issue("U") > issue("Y", .slot = 1));
    assert_int_equal(lanes_of("U", 0), 0xFFFF);
    RUN(.body = body, .blocks = 2, .keys = {DWS, "dws.memory=lazy", keys[0], keys[1], keys[2]});
    assert_int_equal(issues("U"), 1);
    /* in another sub-core it is no reason to wait */
    RUN(.body = body, .blocks = 2, .keys = {DWS, "dws.memory=lazy", "gpu.sms=1", "sm.schedulers=2", "sm.subcores=2"});
    assert_int_equal(issues("U"), 2);
}

/* Without a branch that parts lanes and a load that hits in part it is pdom, to the cycle and the stall */
static void without_divergence_it_is_pdom(void **state) {
    (void)state;
    const char *body = HALVES BOTH "add.u32 %r4, %r4, %r4;\nld.global.u32 %r9, [%rd1+32768];\nadd.u32 %r9, %r9, %r4;\n"
                                   "bar.sync 0;\nst.global.u32 [%rd1+65536], %r9;\n";
    u64 time[2][STALL_COUNT], cycles[2];
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = body, .threads = 128, .blocks = 4, .keys = {i ? DWS : "sm.diverge=pdom", i ? "dws.memory=aggressive" : NULL});
        cycles[i] = ran.cycles;
        for (u32 s = 0; s < STALL_COUNT; s++) time[i][s] = warp_time((enum stall)s);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_memory_equal(time[0], time[1], sizeof(time[0]));
}

/* The first instruction that needs the value is one at which lanes would meet again: they do not part */
static void lanes_do_not_part_where_they_would_meet(void **state) {
    (void)state;
    const char *body =
        HALVES "ld.global.u32 %r5, [%rd3]; // L\nshfl.sync.bfly.b32 %r6, %r5, 1, 31, -1; // U\n" KEEP2("%r6", "%r4");
    RUN(.body = body, .keys = {DWS, "dws.memory=aggressive"});
    assert_stat("splits_memory", 0);
    assert_int_equal(issues("U"), 1);
}

/* A vote that names no lanes finds the whole warp, wherever lanes ran ahead */
static void a_vote_that_names_no_lanes_finds_them_all(void **state) {
    (void)state;
    const char *body = HALVES USE "setp.ge.u32 %p1, %r6, 0;\nvote.ballot.b32 %r7, %p1; // B\nmul.wide.u32 %rd4, %r0, 4;\n"
                                  "add.u64 %rd4, %rd0, %rd4;\nst.global.u32 [%rd4+65536], %r7;\n";
    RUN(.body = body, .keys = {DWS, "dws.meet=bypass", "dws.memory=aggressive"});
    u32 words[32];
    micro_read(65536, words, sizeof(words));
    assert_int_equal(issues("U"), 2);
    assert_int_equal(issues("B"), 1);
    for (u32 i = 0; i < 32; i++) assert_int_equal(words[i], 0xFFFFFFFF);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_of_branches_are_splits_while_the_table_has_room),
        cmocka_unit_test(turns_go_to_those_that_do_not_wait),
        cmocka_unit_test(a_poll_lets_the_others_go),
        cmocka_unit_test(lanes_do_not_part_where_they_would_meet),
        cmocka_unit_test(lanes_that_hit_do_not_wait_for_a_miss),
        cmocka_unit_test(lanes_that_ran_ahead_wait_before_the_next_branch_or_do_not),
        cmocka_unit_test(lanes_go_one_line_after_the_other_when_revived),
        cmocka_unit_test(a_warp_is_not_subdivided_while_another_can_go_on),
        cmocka_unit_test(without_divergence_it_is_pdom),
        cmocka_unit_test(a_vote_that_names_no_lanes_finds_them_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
