/* Mascar (HPCA 2015): does its three-warp example (section II-C, figure 3) take 21, 26 and 23 cycles, with
 * loads and computing in the cycles it gives, and does figure 7's warp hit under a miss?
 *
 * The machine: a load is answered five cycles after the cycle of its access, so that its slot and its value
 * can be used in the sixth; one access and one arithmetic instruction a cycle. Each warp has a scheduler of
 * its own, which is what round robin comes to when accesses are taken in order of issue. A fourth warp has a
 * load of its own under way all the time: it saturates the memory system, as the document's machine is from
 * the start, and takes one MSHR, so there is one more of them. Cycle t of the document is counted from W0's
 * first access, t = 1. */
#include "../micro/micro.h"

#define MACHINE                                                                                                                  \
    "gpu.sms=1", "sm.schedulers=4", "sm.warps=4", "sm.operands.ideal=true", "sm.class.int.latency_cy=2", "noc.latency_cy=1",     \
        "noc.ideal=true", "l2.latency_cy=3", "dram.kind=fixed", "dram.fixed_cy=900", "l2.sector_b=128"

/* Everything W0 to W2 read is in the L2; then W3's load goes to DRAM, and when it is on its way all start
 * together. */
#define EXAMPLE                                                                                                                  \
    OUT "shr.u32 %r1, %r0, 5;\n"                                                                                                 \
        "mul.wide.u32 %rd1, %r1, 1024;\n"                                                                                        \
        "add.u64 %rd1, %rd0, %rd1;\n"                                                                                            \
        "setp.eq.u32 %p1, %r1, 3;\n"                                                                                             \
        "ld.global.cg.u32 %r10, [%rd1];\n"                                                                                       \
        "ld.global.cg.u32 %r11, [%rd1+128];\n"                                                                                   \
        "add.u32 %r12, %r10, %r11;\n"                                                                                            \
        "bar.sync 0;\n"                                                                                                          \
        "@%p1 ld.global.u32 %r13, [%rd1+65536];\n"                                                                               \
        "bar.sync 0;\n"                                                                                                          \
        "@%p1 bra LATE;\n"                                                                                                       \
        "ld.global.u32 %r20, [%rd1]; // r1\n"                                                                                    \
        "ld.global.u32 %r21, [%rd1+128]; // r2\n"                                                                                \
        "add.u32 %r22, %r20, %r21; // C0\n"                                                                                      \
        "sub.u32 %r23, %r20, %r21; // C1\n"                                                                                      \
        "max.u32 %r24, %r20, %r21; // C2\n"                                                                                      \
        "min.u32 %r25, %r20, %r21; // C3\n"                                                                                      \
        "LATE: bar.sync 0;\n" KEEP4("%r22", "%r23", "%r24", "%r25") KEEP2("%r22", "%r13")

static u64 at(u64 cycle) { return cycle - when(EV_ACCESS, "r1") + 1; }

static void check_loads(const u32 want[3][2]) {
    for (u32 w = 0; w < 3; w++) {
        assert_int_equal(at(when(EV_ACCESS, "r1", 0, w)), want[w][0]);
        assert_int_equal(at(when(EV_ACCESS, "r2", 0, w)), want[w][1]);
        assert_int_equal(when(EV_READY, "r2", 0, w) - when(EV_ACCESS, "r2", 0, w), 6);
    }
}

static u64 last_compute(u32 w) { return at(issue("C3", 0, w)); }

static u64 finish(void) {
    u64 last = 0;
    for (u32 w = 0; w < 3; w++) last = MAX(last, last_compute(w));
    return last;
}

static void infinite_resources_take_21_cycles(void **state) {
    (void)state;
    RUN(.body = EXAMPLE, .threads = 128, .keys = {MACHINE});
    check_loads((const u32[3][2]){{1, 4}, {2, 5}, {3, 6}});
    assert_int_equal(at(issue("C0")), 10);
    assert_int_equal(finish(), 21);
}

static void round_robin_with_two_requests_takes_26_cycles(void **state) {
    (void)state;
    RUN(.body = EXAMPLE, .threads = 128, .keys = {MACHINE, "sm.l1.mshrs=3"});
    check_loads((const u32[3][2]){{1, 8}, {2, 13}, {7, 14}});
    assert_int_equal(at(issue("C0")), 14);
    assert_int_equal(finish(), 26);
}

#define MASCAR "sm.sched=mascar", "sm.sched.mascar.mshr_percent=33", "sm.sched.mascar.queue_percent=100"

static void mascar_with_two_requests_takes_23_cycles(void **state) {
    (void)state;
    RUN(.body = EXAMPLE, .threads = 128, .keys = {MACHINE, "sm.l1.mshrs=3", MASCAR});
    check_loads((const u32[3][2]){{1, 2}, {7, 8}, {13, 14}});
    for (u32 w = 0; w < 3; w++) {
        assert_int_equal(at(issue("C0", 0, w)), 8 + 6 * w);
        assert_int_equal(last_compute(w), 11 + 6 * w);
    }
    assert_int_equal(finish(), 23);
    assert_true(stat_of("mp_cycles") > 23);
    assert_true(stat_of("owner_until_use") >= 3);
}

/* --- figure 7. The cache has one line. W1's data is in it; the only MSHR is W3's, and its line takes the
 * place of W1's when it comes. W0's load comes first and misses. */

#define FIGURE7                                                                                                                  \
    OUT "shr.u32 %r1, %r0, 5;\n"                                                                                                 \
        "setp.eq.u32 %p0, %r1, 0;\n"                                                                                             \
        "setp.eq.u32 %p1, %r1, 1;\n"                                                                                             \
        "setp.eq.u32 %p3, %r1, 3;\n"                                                                                             \
        "@%p1 ld.global.u32 %r10, [%rd0]; // warm\n"                                                                             \
        "add.u32 %r11, %r10, 1;\n"                                                                                               \
        "bar.sync 0;\n"                                                                                                          \
        "@%p3 ld.global.u32 %r12, [%rd0+4096]; // W3\n"                                                                          \
        "bar.sync 0;\n"                                                                                                          \
        "@%p0 bra ZERO;\n"                                                                                                       \
        "mov.u32 %r2, 1;\n"                                                                                                      \
        "add.u32 %r2, %r2, 1;\n"                                                                                                 \
        "add.u32 %r2, %r2, 1;\n"                                                                                                 \
        "@%p1 ld.global.u32 %r13, [%rd0]; // W1\n"                                                                               \
        "bra END;\n"                                                                                                             \
        "ZERO: ld.global.u32 %r14, [%rd0+8192]; // W0\n"                                                                         \
        "add.u32 %r15, %r14, 1;\n"                                                                                               \
        "END: add.u32 %r16, %r12, %r13;\n"

static void run_figure7(const char *queue) {
    RUN(.body = FIGURE7, .threads = 128,
        .keys = {MACHINE, "sm.l1.sets=1", "sm.l1.ways=1", "sm.l1.stream=true", "sm.l1.mshrs=1", queue});
}

static void a_hit_waits_behind_a_miss_and_is_lost(void **state) {
    (void)state;
    run_figure7("sm.lsu.reexec=0");
    assert_int_equal(event_of(EV_ACCESS, WHO("W1", 0, 1))->cause, ACCESS_MISS);
    assert_true(when(EV_ACCESS, "W1", 0, 1) > when(EV_ACCESS, "W0"));
}

static void with_one_entry_it_hits_under_the_miss(void **state) {
    (void)state;
    run_figure7("sm.lsu.reexec=1");
    assert_int_equal(event_of(EV_ACCESS, WHO("W1", 0, 1))->cause, ACCESS_HIT);
    assert_true(when(EV_ACCESS, "W1", 0, 1) < when(EV_ACCESS, "W0"));
    assert_int_equal(when(EV_ACCESS, "W0"), when(EV_READY, "W3", 0, 3)); /* as soon as the MSHR is free */
    assert_stat("reexec_entered", 1);
    assert_stat("reexec_taken", 1);
    assert_stat("hits_under_miss", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infinite_resources_take_21_cycles),
        cmocka_unit_test(round_robin_with_two_requests_takes_26_cycles),
        cmocka_unit_test(mascar_with_two_requests_takes_23_cycles),
        cmocka_unit_test(a_hit_waits_behind_a_miss_and_is_lost),
        cmocka_unit_test(with_one_entry_it_hits_under_the_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
