/* Which part of a warp runs, and where parts meet: what one divergence policy does and another does not. */
#include "micro.h"

/* Times it was issued, by whichever part */
static u32 issues(const char *label) {
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) n += ran.events.at[i].kind == EV_ISSUE && ran.events.at[i].pc == pc_of(label);
    return n;
}
static u64 lanes_at(const char *label) { return event_of(EV_ISSUE, WHO(label))->mask; }
static const char *diverge(const char *name) { return text("sm.diverge=%s", name); }

/* Lanes 0-7 go from the first branch to X, lanes 8-15 from the second, the others to Y; all meet at Z, the
 * post-dominator of both branches. The frontier of those that wait at X has the blocks in between. */
static const char *unstructured = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 8;\nsetp.lt.u32 %p2, %r0, 16;\n@%p1 bra $x;\n"
                                  "mov.u32 %r1, 1; // B\n@%p2 bra $x;\nmov.u32 %r1, 2; // Y\nbra $z;\n"
                                  "$x:\nmov.u32 %r1, 3; // X\n$z:\nadd.u32 %r2, %r1, 1; // Z\n";

static void lanes_that_come_to_one_block_meet_there_at_a_frontier(void **state) {
    (void)state;
    static const char *const twice[] = {"pdom", "its", "cbarrier", "dual_path"};
    for (u32 i = 0; i < ARRAY_LEN(twice); i++) {
        RUN(.body = unstructured, .keys = {diverge(twice[i])});
        if (issues("X") != 2 || issues("Y") != 1 || issues("Z") != 1) fail_msg("%s", twice[i]);
    }
    RUN(.body = unstructured, .keys = {diverge("frontier")});
    assert_int_equal(issues("X"), 1);
    assert_int_equal(lanes_at("X"), 0xFFFF);
    assert_int_equal(issues("Z"), 1);
    assert_int_equal(lanes_at("Z"), 0xFFFFFFFF);
    assert_true(issue("B") < issue("Y") && issue("Y") < issue("X") && issue("X") < issue("Z")); /* lowest pc first */
}

/* Lanes leave a loop in different rounds and wait behind it for the last */
static void a_frontier_waits_behind_a_loop(void **state) {
    (void)state;
    RUN(.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, 0;\n$loop:\nadd.u32 %r1, %r1, 1; // L\nsetp.lt.u32 %p1, %r1, %r0;\n"
                "@%p1 bra $loop;\nadd.u32 %r2, %r1, 1; // Z\n",
        .threads = 6, .keys = {diverge("frontier")});
    assert_int_equal(issues("L"), 5);
    assert_int_equal(issues("Z"), 1);
    assert_int_equal(lanes_at("Z"), 0x3F);
}

/* Both sides of a branch load, in different lines */
static const char *two_sides = MINE "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra $one;\nld.global.u32 %r1, [%rd1+4096]; // A\n"
                                    "add.u32 %r2, %r1, 1; // A2\nbra $meet;\n$one:\nld.global.u32 %r1, [%rd1+8192]; // B\n"
                                    "add.u32 %r2, %r1, 2; // B2\n$meet:\nst.global.u32 [%rd1], %r2; // Z\n";

/* Who lets the other side go while one waits for memory, and who does not */
static void sides_overlap_their_loads_or_do_not(void **state) {
    (void)state;
    static const struct {
        const char *name;
        bool overlaps;
    } of[] = {{"pdom", false}, {"cbarrier", false}, {"frontier", false}, {"its", true}, {"dual_path", true}};
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        RUN(.body = two_sides, .keys = {diverge(of[i].name)});
        u64 first = MIN(issue("A2"), issue("B2")), last = MAX(issue("A"), issue("B"));
        if ((last < first) != of[i].overlaps) fail_msg("%s", of[i].name);
        assert_int_equal(lanes_at("Z"), 0xFFFFFFFF);
    }
}

/* The outer branch's other side (C) may go while the inner sides wait: with turns of all, not with a dual
 * path, of which the innermost branch's two sides alone take turns */
static void the_outer_side_waits_for_the_inner_branch_of_a_dual_path(void **state) {
    (void)state;
    const char *body =
        MINE "setp.lt.u32 %p1, %r0, 16;\nsetp.lt.u32 %p2, %r0, 24;\n@%p1 bra $c;\n@%p2 bra $b;\n"
             "ld.global.u32 %r1, [%rd1+4096]; // A\nadd.u32 %r2, %r1, 1; // A2\nbra $in;\n"
             "$b:\nld.global.u32 %r1, [%rd1+8192]; // B\nadd.u32 %r2, %r1, 2; // B2\n$in:\nadd.u32 %r2, %r2, 1; // IN\n"
             "bra $out;\n$c:\nld.global.u32 %r1, [%rd1+12288]; // C\nadd.u32 %r2, %r1, 3;\n$out:\n"
             "st.global.u32 [%rd1], %r2;\n";
    RUN(.body = body, .keys = {diverge("its")});
    assert_true(issue("C") < issue("IN"));
    RUN(.body = body, .keys = {diverge("dual_path")});
    assert_true(MAX(issue("A"), issue("B")) < MIN(issue("A2"), issue("B2"))); /* the inner two overlap */
    assert_true(issue("C") > issue("IN"));
}

/* Lanes 1 to 31 poll for what lane 0 of their warp writes: parts that yield let it, a stack cannot and says
 * so */
static const char *polls = OUT "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra $writes;\n$poll:\nld.volatile.global.u32 %r1, [%rd0];\n"
                               "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra $poll;\nbra $done;\n$writes:\nmov.u32 %r2, 1;\n"
                               "st.volatile.global.u32 [%rd0], %r2; // W\n$done:\nadd.u32 %r3, %r0, 1;\n";

static void lanes_that_poll_yield_or_are_diagnosed(void **state) {
    (void)state;
    RUN(.body = polls, .keys = {diverge("cbarrier"), "gpu.perfect_memory=true"});
    assert_int_equal(issues("W"), 1);
    RUN(.body = polls, .keys = {diverge("dual_path")}); /* the other side's turn comes while the poll is on its way */
    assert_int_equal(issues("W"), 1);
    RUN(.body = polls, .keys = {diverge("frontier"), "gpu.perfect_memory=true"},
        .fault = "lanes poll for other lanes of their warp, which sm.diverge = frontier cannot run meanwhile");
}

/* --- what lanes have under way is theirs */

#define ROOM "sm.l1.mshrs=64", "noc.credits=64", "sm.l1.miss_queue=64" /* a line access a cycle */

/* Policies under which a part of a warp goes on while another waits; of tbc and lwm fronts do so, below */
static const char *const beside[] = {"dwf", "vws", "its", "dws", "dual_path"};
enum { FORMED = 2 }; /* so many of them form fronts */

/* Lanes from 16 on load from as many lines as the stride says; the others calculate a little and come to E */
static u64 end_beside_loads(const char *name, const char *order, const char *e, u32 stride) {
    const char *load = text("setp.lt.u32 %%p1, %%r0, 16;\nmul.wide.u32 %%rd2, %%r0, %u;\nadd.u64 %%rd2, %%rd0, %%rd2;\n"
                            "@%%p1 bra $c;\nld.global.u32 %%r1, [%%rd2]; // L\nadd.u32 %%r2, %%r1, 1;\nbra $end;\n",
                            stride);
    const char *adds = "$c:\nadd.u32 %r3, %r0, 1;\nadd.u32 %r2, %r3, %r0;\n";
    const char *meet = " // E\nadd.u32 %r2, %r0, 5;\n$end:\nst.global.u32 [%rd1], %r2;\n";
    RUN(.globals = ".func f ()\n{\nret;\n}\n", .body = JOIN(MINE, load, adds, e, meet),
        .keys = {diverge(name), text("sm.order=%s", order), ROOM});
    bool under_way = issue("L") < issue("E") && issue("E") < when(EV_READY, "L");
    if (!under_way) fail_msg("%s, %s, %s: the load is not under way", name, order, e);
    return issue("E");
}

/* It makes no difference whether the others' load keeps the memory stage for a cycle or for sixteen. With
 * sm.order = single of formed fronts alone: elsewhere a warp has one instruction in flight */
static void lanes_do_not_wait_for_accesses_of_others(void **state) {
    (void)state;
    static const char *const ends[] = {"exit;", "bar.sync 0;", "membar.cta;", "call f;"};
    static const char *const orders[] = {"in_order", "single"};
    for (u32 i = 0; i < ARRAY_LEN(beside) * ARRAY_LEN(orders) * ARRAY_LEN(ends); i++) {
        const char *name = beside[i / 8], *order = orders[i / 4 % 2], *e = ends[i % 4];
        if (i / 8 >= FORMED && i / 4 % 2) continue;
        if (!strcmp(name, "dual_path") && i % 4 == 0) continue; /* whose sides meet nowhere do not take turns */
        u64 with_few = end_beside_loads(name, order, e, 0), with_many = end_beside_loads(name, order, e, 1024);
        if (with_few != with_many)
            fail_msg("%s, %s, %s: %llu and %llu", name, order, e, (unsigned long long)with_few, (unsigned long long)with_many);
    }
}

/* Cycle of the n-th access of an instruction, by whichever lanes */
static u64 access_of(const char *label, u32 n) {
    u64 uids[64];
    u32 known = 0, seen = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_ISSUE && e->pc == pc_of(label) && known < 64) uids[known++] = e->uid;
        for (u32 k = 0; k < known && e->kind == EV_ACCESS; k++)
            if (uids[k] == e->uid && ++seen == n) return e->cycle;
    }
    fail_msg("%s has fewer than %u accesses", label, n);
    return 0;
}

/* Lanes below 16 load from sixteen lines and end in the cycle in which the last of them is taken, not before;
 * the others' load, from as many lines, is behind it in the memory stage */
static void lanes_wait_for_accesses_of_their_own(void **state) {
    (void)state;
    static const char *const ends[] = {"exit;", "bar.sync 0;", "membar.cta;"};
    const char *part = "setp.lt.u32 %p1, %r0, 16;\nmul.wide.u32 %rd2, %r0, 1024;\nadd.u64 %rd2, %rd0, %rd2;\n@%p1 bra $c;\n"
                       "add.u32 %r3, %r0, 1;\nadd.u32 %r2, %r3, %r0;\nld.global.u32 %r1, [%rd2]; // L\nbra $end;\n"
                       "$c:\nld.global.u32 %r1, [%rd2]; // S\n";
    for (u32 i = 0; i < ARRAY_LEN(ends); i++) {
        RUN(.body = JOIN(MINE, part, ends[i], " // E\n$end:\nadd.u32 %r2, %r1, 5;\nst.global.u32 [%rd1], %r2;\n"),
            .keys = {diverge("dwf"), ROOM});
        assert_true(issue("S") < issue("L") && issue("L") < access_of("S", 16) && access_of("S", 16) < access_of("L", 1));
        assert_int_equal(issue("E"), access_of("S", 16));
    }
}

/* Lanes below 16 of the first warp and all of the second come to L. Compacted, one front has sixteen of the
 * second, and another all the rest: each ends when its own lines have been taken */
static void fronts_of_a_warp_end_by_themselves(void **state) {
    (void)state;
    static const char *const names[] = {"tbc", "lwm"};
    const char *part = "and.b32 %r4, %r0, 48;\nsetp.ne.u32 %p1, %r4, 16;\nmul.wide.u32 %rd2, %r0, 1024;\n"
                       "add.u64 %rd2, %rd0, %rd2;\nmov.u32 %r6, %ntid.x;\ndiv.u32 %r5, %r0, %r6;\n@%p1 bra $c;\n"
                       "exit;\n$c:\nadd.u32 %r2, %r5, 1; // F\nld.global.u32 %r1, [%rd2]; // L\nexit; // E\n";
    for (u32 i = 0; i < ARRAY_LEN(names); i++) {
        RUN(.body = JOIN(MINE, part), .threads = 64, .keys = {diverge(names[i]), "sm.class.idiv.latency_cy=200", ROOM});
        assert_int_equal(issue("E", .slot = 1), access_of("L", 16));
        assert_int_equal(issue("E", .slot = 0), access_of("L", 48));
        assert_int_equal(issue("E", .slot = 0), issue("E", .slot = 1, .nth = 1));
    }
}

/* --- why lanes do not work */

static u64 lost(enum lost why) { return ran.stats->lane.lost[why]; }

/* A block of 40 threads: its second warp has eight. Of the first, lanes 0-3 end; then 4-11 go one way and the
 * others another; one instruction is guarded for lane 31 alone. */
static void lost_lanes_have_a_cause(void **state) {
    (void)state;
    RUN(.body = "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 4;\nsetp.lt.u32 %p2, %r0, 12;\nsetp.eq.u32 %p3, %r0, 31;\n"
                "@%p1 exit; // X\n@%p2 bra $few; // P\n@%p3 mov.u32 %r1, 1; // G\nbra $meet;\n$few:\nmov.u32 %r1, 2; // F\n"
                "$meet:\nadd.u32 %r2, %r1, 1; // Z\n",
        .threads = 40);
    u64 second = 0, first = 0; /* instructions of each warp */
    for (u32 i = 0; i < ran.events.n; i++) {
        first += ran.events.at[i].kind == EV_ISSUE && ran.events.at[i].slot == 0;
        second += ran.events.at[i].kind == EV_ISSUE && ran.events.at[i].slot == 1;
    }
    assert_int_equal(lost(LOST_ABSENT), 24 * second);
    assert_int_equal(lost(LOST_EXITED), 4 * (first - 5)); /* after the exit, with which they still went */
    assert_int_equal(lost(LOST_PARTED), 8 + 8 + 20);      /* G and its branch without 4-11, F without 12-31 */
    /* the exit holds for 0-3 of 32 and for none of eight; the branch for 4-11 of 28 and none of eight; G for
     * one of 20 and none of eight */
    assert_int_equal(lost(LOST_GUARDED), 28 + 8 + 20 + 8 + 19 + 8);
    u64 lanes = 0;
    for (u32 i = 0; i < LOST_COUNT; i++) lanes += lost((enum lost)i);
    assert_int_equal(lanes + (u64)stat_of("active_lanes"), 32 * (first + second));
    assert_int_equal(ran.stats->lane.occupied[32], 5);
    assert_int_equal(ran.stats->lane.occupied[20], 2);
    assert_stat("control_weight", (double)ran.stats->lane.control / (double)(first + second));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_that_come_to_one_block_meet_there_at_a_frontier),
        cmocka_unit_test(a_frontier_waits_behind_a_loop),
        cmocka_unit_test(sides_overlap_their_loads_or_do_not),
        cmocka_unit_test(the_outer_side_waits_for_the_inner_branch_of_a_dual_path),
        cmocka_unit_test(lanes_that_poll_yield_or_are_diagnosed),
        cmocka_unit_test(lanes_do_not_wait_for_accesses_of_others),
        cmocka_unit_test(lanes_wait_for_accesses_of_their_own),
        cmocka_unit_test(fronts_of_a_warp_end_by_themselves),
        cmocka_unit_test(lost_lanes_have_a_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
