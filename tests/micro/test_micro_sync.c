/* Fences, atomics, the order of a warp's accesses, and what holds a warp and its block at the end. */
#include "micro.h"

#define IDEAL_L2 "l2.ideal=true"
#define WIDE     "noc.flit_b=256" /* any packet is one flit */
#define GLOBAL   ".global .align 256 .b8 g[65536];\n"
#define AT_G     "mov.u64 %rd1, g;\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
enum { THERE_AND_BACK = 2 + 1 + 20 + 40 + 20 }; /* operands and addresses, port, interconnect, L2, interconnect; one flit */

/* --- fences */

static void a_fence_waits_for_the_stores_of_its_warp(void **state) {
    (void)state;
    static const char *const fences[] = {"membar.gl;", "membar.cta;", "membar.sys;", "fence.acq_rel.gpu;", "fence.sc.cta;"};
    for (u32 i = 0; i < ARRAY_LEN(fences); i++) {
        RUN(.globals = GLOBAL,
            .body = JOIN(AT_G "st.global.u32 [%rd2], %r0; // S\nst.global.u32 [%rd2+1024], %r0; // T\n", fences[i],
                         " // F\nadd.u32 %r1, %r0, 1; // N\n"),
            .keys = {IDEAL_L2});
        assert_true(when(EV_COMPLETE, "T") > when(EV_COMPLETE, "S"));
        assert_int_equal(issue("F"), when(EV_COMPLETE, "T"));
        assert_int_equal(apart("F", "N"), 1);
    }
}

static void a_fence_with_nothing_before_it_does_not_wait(void **state) {
    (void)state;
    RUN(.globals = GLOBAL,
        .body = AT_G "add.u32 %r2, %r0, 1; // A\nmembar.gl; // F\nadd.u32 %r1, %r0, 1; // N\n" KEEP2("%r1", "%r2"));
    assert_int_equal(apart("A", "F"), 1);
    assert_int_equal(apart("F", "N"), 1);
    assert_stat("fences", 1);
}

static void a_fence_does_not_wait_for_loads_that_have_left(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G "ld.global.u32 %r2, [%rd2]; // A\nmembar.gl; // F\nadd.u32 %r1, %r2, 1;\n",
        .keys = {IDEAL_L2});
    assert_int_equal(issue("F"), when(EV_ACCESS, "A"));
}

/* Shared memory has performed what it has accepted: the audit of the run (A3) says so too */
static void a_fence_does_not_wait_for_shared_memory(void **state) {
    (void)state;
    static const char *const writes[] = {"st.shared.u32 [s], %r0; // S\n", "red.shared.add.u32 [s], 1; // S\n"};
    for (u32 i = 0; i < ARRAY_LEN(writes); i++) {
        RUN(.globals = ".shared .u32 s[32];\n", .body = JOIN(writes[i], "membar.cta; // F\nadd.u32 %r1, %r0, 1; // N\n", ""));
        assert_true(issue("F") >= when(EV_ACCESS, "S"));
        assert_true(issue("N") < when(EV_COMPLETE, "S"));
    }
}

static void a_fence_waits_for_atomics(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G "red.global.add.u32 [%rd2], 1; // R\nmembar.cta; // F\n", .keys = {IDEAL_L2});
    assert_int_equal(issue("F"), when(EV_COMPLETE, "R"));
}

/* Warp 1 sends a reduction; warp 0 fences when it is on its way */
#define TWO_WARPS(fence)                                                                                                         \
    AT_G "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra $first;\nred.global.add.u32 [%rd2], 1; // R\nexit;\n$first:\nadd.u32 %r2, %r0, "   \
         "1;\nadd.u32 %r2, %r2, 1;\n"                                                                                            \
         "add.u32 %r2, %r2, 1;\n" fence " // F\nadd.u32 %r3, %r2, 1;\n"

static void a_fence_of_the_gpu_waits_for_all_atomics_of_its_sm(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = TWO_WARPS("membar.gl;"), .threads = 64, .keys = {IDEAL_L2});
    assert_int_equal(issue("F"), when(EV_COMPLETE, "R", .slot = 1));
    RUN(.globals = GLOBAL, .body = TWO_WARPS("membar.cta;"), .threads = 64, .keys = {IDEAL_L2});
    assert_true(issue("F") > issue("R", .slot = 1));
    assert_true(issue("F") < when(EV_COMPLETE, "R", .slot = 1));
}

static void a_fence_does_not_wait_for_stores_of_other_warps(void **state) {
    (void)state;
    RUN(.globals = GLOBAL,
        .body = AT_G "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra $first;\nst.global.u32 [%rd2], 1; // R\nexit;\n$first:\nadd.u32 %r2, "
                     "%r0, 1;\nadd.u32 %r2, %r2, 1;\n"
                     "membar.gl; // F\nadd.u32 %r3, %r2, 1;\n",
        .threads = 64, .keys = {IDEAL_L2});
    assert_true(issue("F") > issue("R", .slot = 1));
    assert_true(issue("F") < when(EV_COMPLETE, "R", .slot = 1));
}

/* --- atomics */

static void an_atomic_is_answered_by_the_l2(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G "atom.global.add.u32 %r1, [%rd2], 1; // A\nadd.u32 %r2, %r1, 1; // B\n",
        .keys = {IDEAL_L2, WIDE});
    assert_int_equal(apart("A", "B"), THERE_AND_BACK);
    assert_stat("atomics", 1);
    assert_stat("reductions", 0);
}

static void lanes_at_one_address_are_served_one_after_the_other(void **state) {
    (void)state;
    for (u32 cy = 1; cy <= 4; cy++)
        for (u32 lanes = 1; lanes <= 32; lanes += 31) {
            RUN(.globals = GLOBAL, .body = AT_G "atom.global.add.u32 %r1, [%rd1], 1; // A\nadd.u32 %r2, %r1, 1; // B\n",
                .threads = lanes, .keys = {IDEAL_L2, WIDE, text("l2.atomic_cy=%u", cy)});
            assert_int_equal(apart("A", "B"), THERE_AND_BACK + (lanes - 1) * cy);
        }
    RUN(.globals = GLOBAL,
        .body = AT_G "shr.u32 %r3, %r0, 2;\nmul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd3, %rd1, %rd3;\natom.global.add.u32 %r1, "
                     "[%rd3], 1; // A\nadd.u32 %r2, %r1, 1; // B\n",
        .keys = {IDEAL_L2, WIDE, "l2.atomic_cy=5"});
    assert_int_equal(apart("A", "B"), THERE_AND_BACK + 3 * 5); /* four lanes a word */
}

static void an_atomic_whose_result_nobody_reads_is_a_reduction(void **state) {
    (void)state;
    RUN(.globals = GLOBAL,
        .body = AT_G "atom.global.add.u32 %r1, [%rd2], 1; // A\nadd.u32 %r1, %r0, 1; // B\nadd.u32 %r2, %r1, 1;\n",
        .keys = {IDEAL_L2});
    assert_stat("reductions", 1);
    assert_stat("atomics", 0);
    assert_int_equal(apart("A", "B"), 1);
    assert_stat("noc_flits_out", 1); /* an acknowledgement */
}

static void an_atomic_makes_a_packet_for_each_line(void **state) {
    (void)state;
    RUN(.globals = GLOBAL,
        .body = AT_G "mul.wide.u32 %rd3, %r0, 128;\nadd.u64 %rd3, %rd1, %rd3;\nred.global.add.u32 [%rd3], 1; // A\n",
        .keys = {IDEAL_L2, WIDE});
    assert_int_equal(events(EV_ACCESS, "A"), 32);
    assert_stat("packets_out", 32);
    assert_stat("l2_atomics", 32);
}

static void what_overlaps_an_atomic_on_its_way_waits_for_it(void **state) {
    (void)state;
    static const char *const after[] = {"ld.global.u32 %r2, [%rd2]; // B\n", "st.global.u32 [%rd2], %r0; // B\n",
                                        "ld.global.u8 %r2, [%rd2+3]; // B\n", "ld.global.cg.u32 %r2, [%rd2]; // B\n"};
    for (u32 i = 0; i < ARRAY_LEN(after); i++) {
        RUN(.globals = GLOBAL,
            .body = JOIN(AT_G "atom.global.add.u32 %r1, [%rd2], 1; // A\n", after[i], "add.u32 %r3, %r1, %r2;\n"),
            .keys = {IDEAL_L2});
        assert_int_equal(issue("B"), when(EV_COMPLETE, "A"));
        assert_true(warp_time(STALL_ATOMIC_ORDER) > 6 * 60);
    }
}

static void what_does_not_overlap_goes_on(void **state) {
    (void)state;
    static const char *const after[] = {"ld.global.u32 %r2, [%rd2+128]; // B\n", "st.global.u32 [%rd2+128], %r0; // B\n",
                                        "atom.global.add.u32 %r2, [%rd2], 1; // B\n", "ld.global.u8 %r2, [%rd2+131]; // B\n"};
    for (u32 i = 0; i < ARRAY_LEN(after); i++) {
        RUN(.globals = GLOBAL,
            .body = JOIN(AT_G "atom.global.add.u32 %r1, [%rd2], 1; // A\n", after[i], "add.u32 %r3, %r1, %r2;\n"),
            .keys = {IDEAL_L2});
        assert_int_equal(apart("A", "B"), 1);
    }
}

static void other_warps_of_the_sm_wait_too(void **state) {
    (void)state;
    RUN(.globals = GLOBAL,
        .body = AT_G "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra $first;\nred.global.add.u32 [%rd1], 1; // R\nexit;\n$first:\nadd.u32 "
                     "%r2, %r0, 1;\nadd.u32 %r2, %r2, 1;\n"
                     "ld.global.u32 %r3, [%rd1]; // L\nadd.u32 %r3, %r2, %r3;\n",
        .threads = 64, .keys = {IDEAL_L2});
    assert_int_equal(issue("L"), when(EV_COMPLETE, "R", .slot = 1));
}

/* --- the end */

static void a_block_ends_when_its_loads_are_home(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G "ld.global.u32 %r1, [%rd2]; // A\n", .keys = {IDEAL_L2});
    assert_true(issue("end") < when(EV_READY, "A"));
    assert_int_equal(event_at(EV_CTA_END, 0)->cycle, when(EV_READY, "A"));
}

static void a_block_ends_when_its_results_are_home(void **state) {
    (void)state;
    RUN(.body = "div.rn.f32 %f1, %f2, %f3; // A\n", .keys = {"sm.class.fdiv.latency_cy=50"});
    assert_int_equal(event_at(EV_CTA_END, 0)->cycle - issue("A"), 50);
}

static void a_block_does_not_wait_for_its_stores_but_the_launch_does(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G "st.global.u32 [%rd2], %r0; // A\n", .keys = {IDEAL_L2});
    assert_true(event_at(EV_CTA_END, 0)->cycle < when(EV_COMPLETE, "A"));
    assert_int_equal(ran.cycles, when(EV_COMPLETE, "A") + 1 - ran.start);
}

#define MANY_LINES AT_G "mul.wide.u32 %rd3, %r0, 128;\nadd.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r1, [%rd3]; // A\n"

static u64 last_access(const char *label) {
    u64 last = 0;
    for (u32 i = 0; i < ran.events.n; i++)
        if (ran.events.at[i].kind == EV_ACCESS && ran.events.at[i].uid == event_of(EV_ACCESS, WHO(label))->uid)
            last = MAX(last, ran.events.at[i].cycle);
    return last;
}

static void exits_and_barriers_issue_when_the_memory_stage_has_taken_all(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = MANY_LINES, .keys = {IDEAL_L2, "sm.l1.mshrs=64", "noc.credits=64", "sm.l1.miss_queue=64"});
    assert_int_equal(last_access("A") - when(EV_ACCESS, "A"), 31);
    assert_int_equal(issue("end"), last_access("A"));
    RUN(.globals = GLOBAL, .body = MANY_LINES "bar.sync 0; // B\nadd.u32 %r2, %r1, 1;\n",
        .keys = {IDEAL_L2, "sm.l1.mshrs=64", "noc.credits=64", "sm.l1.miss_queue=64"});
    assert_int_equal(issue("B"), last_access("A"));
}

/* What a barrier counts, or finds of a predicate, is there when it opens, whoever goes together */
static void a_barriers_result_is_there_when_it_opens(void **state) {
    (void)state;
    static const char *const policies[] = {"pdom", "none",       "its", "mimd", "cbarrier", "frontier", "dual_path",
                                           "dws",  "interweave", "vws", "dwf",  "tbc",      "lwm"};
    const char *body = MINE "setp.lt.u32 %p1, %r0, 41;\nbar.red.popc.u32 %r1, 0, %p1; // B\nadd.u32 %r2, %r1, %r1; // U\n"
                            "bar.red.and.pred %p2, 0, %p1;\n@!%p2 add.u32 %r2, %r2, 1;\nst.global.u32 [%rd1], %r2;\n";
    for (u32 i = 0; i < ARRAY_LEN(policies); i++) {
        u32 out[64];
        RUN(.body = body, .threads = 64, .keys = {text("sm.diverge=%s", policies[i]), "sm.barrier_cy=30"});
        u64 last = MAX(issue("B", .slot = 0), issue("B", .slot = 1));
        for (u32 slot = 0; slot < 2; slot++) assert_true(issue("U", .slot = slot) >= last + 30);
        micro_read(0, out, sizeof(out));
        for (u32 t = 0; t < 64; t++) assert_int_equal(out[t], 83);
    }
}

static void a_wait_for_copies_waits_for_copies(void **state) {
    (void)state;
    RUN(.globals = GLOBAL ".shared .align 16 .b8 s[512];\n",
        .body = AT_G "mov.u32 %r4, s;\ncp.async.ca.shared.global [%r4], [%rd1], 16; // A\nadd.u32 %r1, %r0, 1; // "
                     "N\ncp.async.wait_all; // W\n",
        .keys = {IDEAL_L2});
    assert_int_equal(apart("A", "N"), 1);
    assert_int_equal(issue("W"), when(EV_COMPLETE, "A"));
}

/* --- what goes wrong */

static void a_fault_is_diagnosed_in_whatever_cycle_it_comes(void **state) {
    (void)state;
    for (u32 n = 0; n < 25; n += 3) /* all over a window */
        RUN(.body =
                JOIN(repeat(n, "nanosleep.u32 0;\n"), "mov.u64 %rd1, 64;\nld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\n"),
            .threads = 64, .fault = "ld.global");
}

static void silence_is_diagnosed(void **state) {
    (void)state;
    const char *body = AT_G "ld.global.u32 %r1, [%rd2];\nadd.u32 %r2, %r1, 1;\n";
    RUN(.globals = GLOBAL, .body = body, .keys = {"dram.extra_cy=3000", "gpu.watchdog_cy=1000"}, .fault = "gpu.watchdog_cy");
    RUN(.globals = GLOBAL, .body = body, .keys = {"dram.extra_cy=3000", "gpu.watchdog_cy=4000"});
}

static void a_barrier_nobody_opens_is_diagnosed(void **state) {
    (void)state;
    RUN(.body =
            "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bra $one;\nbar.sync 1, 96;\nexit;\n$one:\nbar.sync 2, 96;\n",
        .threads = 64, .fault = "barrier");
}

static void the_next_launch_starts_after_the_last(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G "st.global.u32 [%rd2], %r0;\n", .launches = 3, .keys = {"gpu.launch_cy=77"});
    assert_int_equal(event_at(EV_CTA_START, 0)->cycle - ran.start, 77 + 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fence_waits_for_the_stores_of_its_warp),
        cmocka_unit_test(a_fence_with_nothing_before_it_does_not_wait),
        cmocka_unit_test(a_fence_does_not_wait_for_loads_that_have_left),
        cmocka_unit_test(a_fence_does_not_wait_for_shared_memory),
        cmocka_unit_test(a_fence_waits_for_atomics),
        cmocka_unit_test(a_fence_of_the_gpu_waits_for_all_atomics_of_its_sm),
        cmocka_unit_test(a_fence_does_not_wait_for_stores_of_other_warps),
        cmocka_unit_test(an_atomic_is_answered_by_the_l2),
        cmocka_unit_test(lanes_at_one_address_are_served_one_after_the_other),
        cmocka_unit_test(an_atomic_whose_result_nobody_reads_is_a_reduction),
        cmocka_unit_test(an_atomic_makes_a_packet_for_each_line),
        cmocka_unit_test(what_overlaps_an_atomic_on_its_way_waits_for_it),
        cmocka_unit_test(what_does_not_overlap_goes_on),
        cmocka_unit_test(other_warps_of_the_sm_wait_too),
        cmocka_unit_test(a_block_ends_when_its_loads_are_home),
        cmocka_unit_test(a_block_ends_when_its_results_are_home),
        cmocka_unit_test(a_block_does_not_wait_for_its_stores_but_the_launch_does),
        cmocka_unit_test(exits_and_barriers_issue_when_the_memory_stage_has_taken_all),
        cmocka_unit_test(a_barriers_result_is_there_when_it_opens),
        cmocka_unit_test(a_wait_for_copies_waits_for_copies),
        cmocka_unit_test(the_next_launch_starts_after_the_last),
        cmocka_unit_test(a_fault_is_diagnosed_in_whatever_cycle_it_comes),
        cmocka_unit_test(silence_is_diagnosed),
        cmocka_unit_test(a_barrier_nobody_opens_is_diagnosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
