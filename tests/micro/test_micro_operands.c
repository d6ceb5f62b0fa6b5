/* Operands: collectors, register banks, and results on their way into the banks. */
#include "micro.h"

/* Where a register of slot 0 lies: register r of slot w in bank (r + w) mod sm.banks */
static u32 bank(u32 reg, u32 slot) { return (reg + slot) % ran.config->banks; }

/* Three 64-bit values are in their registers, and every bank is free; then comes what is measured */
#define QUIET                                                                                                                    \
    "mov.b64 %d1, 1;\nmov.b64 %d2, 2;\nmov.b64 %d3, 3;\nmov.b32 %f1, 1;\nmov.b32 %r1, 1;\nmov.b32 %r2, 2;\nbar.sync 0;\n"
#define PAUSE "sm.barrier_cy=60"
#define SIX   "fma.rn.f64 %d4, %d1, %d2, %d3; // A\n" /* with one bank: six cycles to read six registers */
#define USED  "add.f64 %d5, %d4, %d4;\nadd.f64 %d1, %d1, %d2;\n" KEEP4("%r1", "%r2", "%r3", "%r4")

/* --- collectors */

static void a_collector_is_free_when_its_instruction_enters_a_unit(void **state) {
    (void)state;
    const char *body = QUIET SIX "add.u32 %r3, 1, 1; // B\n" USED;
    RUN(.body = body, .keys = {PAUSE, "sm.banks=1", "sm.collectors=generic:1"});
    assert_int_equal(when(EV_DISPATCH, "A") - issue("A"), 6);
    assert_int_equal(issue("B"), when(EV_DISPATCH, "A"));
    RUN(.body = body, .keys = {PAUSE, "sm.banks=1", "sm.collectors=generic:2"});
    assert_int_equal(apart("A", "B"), 1);
}

static void a_busy_unit_holds_the_collector_too(void **state) {
    (void)state;
    /* one lane a cycle: the second of two goes in 32 cycles after the first */
    const char *body = QUIET
        "sin.approx.f32 %f2, %f1; // A\nsin.approx.f32 %f3, %f1; // B\nadd.u32 %r3, %r1, 1; // C\nadd.f32 %f2, %f2, %f3;\n" USED;
    RUN(.body = body, .keys = {PAUSE, "sm.sfu.width=1", "sm.collectors=generic:1"});
    assert_int_equal(apart("A", "B"), 1);
    assert_int_equal(when(EV_DISPATCH, "B") - when(EV_DISPATCH, "A"), 32);
    assert_int_equal(issue("C"), when(EV_DISPATCH, "B"));
    RUN(.body = body, .keys = {PAUSE, "sm.sfu.width=1", "sm.collectors=generic:2"});
    assert_int_equal(apart("B", "C"), 1);
}

static void separated_collectors_do_not_wait_for_each_other(void **state) {
    (void)state;
    const char *body = QUIET
        "sin.approx.f32 %f2, %f1; // A\nsin.approx.f32 %f3, %f1; // B\nadd.u32 %r3, %r1, 1; // C\n"
        "st.shared.u32 [s], %r1; // M\nsin.approx.f32 %f4, %f1; // D\nadd.f32 %f2, %f2, %f3;\nadd.f32 %f2, %f2, %f4;\n" USED;
    RUN(.globals = ".shared .u32 s;\n", .body = body, .keys = {PAUSE, "sm.sfu.width=1", "sm.collectors=separated:1/1/1"});
    assert_int_equal(apart("B", "C"), 1);
    assert_int_equal(apart("C", "M"), 1);
    assert_int_equal(issue("D"), when(EV_DISPATCH, "B"));
    RUN(.globals = ".shared .u32 s;\n", .body = body, .keys = {PAUSE, "sm.sfu.width=1", "sm.collectors=separated:1/2/1"});
    assert_int_equal(apart("M", "D"), 1);
}

static void separated_pools_have_the_sizes_of_the_key(void **state) {
    (void)state;
    /* six cycles each in a collector of the ALU's pool, which FP64 instructions use too */
    const char *body =
        QUIET SIX "fma.rn.f64 %d6, %d1, %d2, %d3; // B\nfma.rn.f64 %d7, %d1, %d2, %d3; // C\nadd.f64 %d6, %d6, %d7;\n" USED;
    RUN(.body = body, .keys = {PAUSE, "sm.banks=1", "sm.fp64.width=32", "sm.collectors=separated:1/4/4"});
    assert_int_equal(apart("A", "B"), 6);
    assert_int_equal(apart("B", "C"), 6);
    RUN(.body = body, .keys = {PAUSE, "sm.banks=1", "sm.fp64.width=32", "sm.collectors=separated:2/4/4"});
    assert_int_equal(apart("A", "B"), 1);
    assert_int_equal(issue("C"), when(EV_DISPATCH, "A"));
}

static void a_memory_instruction_leaves_its_collector_for_the_queue(void **state) {
    (void)state;
    for (u32 agu = 1; agu < 6; agu += 2) {
        RUN(.globals = ".shared .u32 s;\n", .body = QUIET "st.shared.u32 [s], %r1; // A\nst.shared.u32 [s], %r2; // B\n",
            .keys = {PAUSE, "sm.collectors=separated:1/1/1", text("sm.lsu.agu_cy=%u", agu)});
        assert_int_equal(when(EV_MEM_ENTER, "A") - issue("A"), 1 + agu);
        assert_int_equal(issue("B"), when(EV_MEM_ENTER, "A"));
    }
}

/* --- reading */

#define PAIR QUIET "add.u32 %r3, %r1, %r2; // A\nadd.u32 %r4, %r3, 1; // B\n" USED

static void registers_of_one_bank_are_read_one_after_the_other(void **state) {
    (void)state;
    for (u32 banks = 1; banks <= 16; banks++) {
        RUN(.body = PAIR, .keys = {PAUSE, text("sm.banks=%u", banks)});
        bool meet = bank(source_of("A", 0), 0) == bank(source_of("A", 1), 0);
        assert_int_equal(when(EV_READ, "A") - issue("A"), meet ? 2 : 1);
        assert_int_equal(apart("A", "B"), meet ? 11 : 10); /* waiting comes on top of the latency */
    }
}

static void a_bank_of_two_ports_serves_two(void **state) {
    (void)state;
    for (u32 ports = 1; ports <= 7; ports++) {
        RUN(.body = QUIET SIX USED, .keys = {PAUSE, "sm.banks=1", text("sm.bank_ports=%u", ports)});
        assert_int_equal(when(EV_READ, "A") - issue("A"), (6 + ports - 1) / ports);
    }
}

static void waiting_for_banks_is_counted(void **state) {
    (void)state;
    RUN(.body = QUIET SIX, .keys = {PAUSE, "sm.banks=64"});
    assert_stat("bank_conflict_cycles", 0);
    assert_stat("operand_reads", 6);
    assert_stat("operand_writes", 4 * 2 + 3); /* four 64-bit values, three of 32 bits */
    RUN(.body = QUIET SIX, .keys = {PAUSE, "sm.banks=1"});
    assert_stat("bank_conflict_cycles", 5);
}

static void the_banks_of_two_slots_are_shifted(void **state) {
    (void)state;
    /* both warps issue in the same cycle and read the same register number */
    const char *body = QUIET "add.u32 %r3, %r1, 1; // A\n" USED;
    RUN(.body = body, .threads = 64, .keys = {PAUSE, "sm.schedulers=2", "sm.banks=2"});
    assert_int_equal(issue("A", .slot = 1), issue("A"));
    assert_int_equal(when(EV_READ, "A", .slot = 1), when(EV_READ, "A"));
    RUN(.body = body, .threads = 64, .keys = {PAUSE, "sm.schedulers=2", "sm.banks=1"});
    assert_int_equal(when(EV_READ, "A", .slot = 1) - when(EV_READ, "A"), 1);
}

static void ideal_operands_are_there_at_issue(void **state) {
    (void)state;
    RUN(.body = QUIET SIX "add.u32 %r3, 1, 1; // B\n" USED,
        .keys = {PAUSE, "sm.banks=1", "sm.collectors=generic:1", "sm.operands.ideal=true"});
    assert_int_equal(when(EV_READ, "A"), issue("A"));
    assert_int_equal(when(EV_DISPATCH, "A"), issue("A"));
    assert_int_equal(apart("A", "B"), 1);
    assert_stat("bank_conflict_cycles", 0);
    assert_stat("writeback_conflict_cycles", 0);
}

/* --- writing. A's result and B's come in the same cycle; with one bank, A's is written first. */

#define TOGETHER                                                                                                                 \
    QUIET "add.f32 %f2, %f1, %f1; // A\nadd.u32 %r3, %r1, 1; // B\nadd.u32 %r4, %r3, 1; // C\nadd.f32 %f3, %f2, %f2;\n" USED
#define APART_1 "sm.class.fp32.latency_cy=11"

static void a_result_can_be_used_when_it_is_written(void **state) {
    (void)state;
    RUN(.body = TOGETHER, .keys = {PAUSE, APART_1, "sm.banks=1", "sm.bypass=false"});
    assert_int_equal(apart("B", "C"), 11);
    assert_true(stat_of("writeback_conflict_cycles") >= 1);
    RUN(.body = TOGETHER, .keys = {PAUSE, APART_1, "sm.banks=1", "sm.bank_ports=2", "sm.bypass=false"});
    assert_int_equal(apart("B", "C"), 10);
}

static void a_bypass_is_not_held_up_by_the_bank(void **state) {
    (void)state;
    RUN(.body = TOGETHER, .keys = {PAUSE, APART_1, "sm.banks=1", "sm.bypass=true"});
    assert_int_equal(apart("B", "C"), 10);
    assert_true(stat_of("writeback_conflict_cycles") >= 1);
}

static void results_in_different_banks_do_not_meet(void **state) {
    (void)state;
    for (u32 banks = 2; banks <= 8; banks++) {
        RUN(.body = TOGETHER, .keys = {PAUSE, APART_1, text("sm.banks=%u", banks), "sm.bypass=false"});
        assert_int_equal(apart("B", "C"), bank(dest_of("A"), 0) == bank(dest_of("B"), 0) ? 11 : 10);
    }
}

static void a_write_goes_before_a_read(void **state) {
    (void)state;
    /* A's result is written 10 cycles after its issue; the last of the moves would be read in that cycle */
    const char *body =
        JOIN(QUIET "add.u32 %r3, %r1, 1; // A\n", repeat(8, "nanosleep.u32 0;\n"), "add.u32 %r4, %r2, 1; // B\n" USED);
    RUN(.body = body, .keys = {PAUSE, "sm.banks=1"});
    assert_int_equal(apart("A", "B"), 9);
    assert_int_equal(when(EV_READ, "B") - issue("B"), 2);
}

static void a_result_far_ahead_takes_no_place_of_today(void **state) {
    (void)state;
    /* the result comes in hundreds of cycles; a chain of additions meanwhile finds its bank free every
     * time */
    static const u32 far[] = {300, 511, 512, 513, 520, 600, 601, 602, 603, 604, 605, 606, 607, 608, 609, 700, 1100, 3000};
    for (u32 i = 0; i < ARRAY_LEN(far); i++) {
        RUN(.body = JOIN(QUIET "div.rn.f32 %f2, %f1, 0f40000000;\n", repeat(25, "add.u32 %r1, %r1, 1;\n"), "mov.b32 %f3, %f2;\n"),
            .keys = {PAUSE, "sm.banks=1", "sm.sfu.width=32", text("sm.class.fdiv.latency_cy=%u", far[i])});
        if (stat_of("bank_conflict_cycles") != 0)
            fail_msg("a latency of %u makes others wait %g cycles for their bank", far[i], stat_of("bank_conflict_cycles"));
    }
}

static void loads_write_through_the_same_ports(void **state) {
    (void)state;
    /* the load's result and the addition's come in the same cycle */
    const char *body = QUIET
        "ld.shared.u32 %r3, [s]; // A\nadd.f32 %f2, %f1, %f1; // B\nadd.u32 %r4, %r3, 1; // C\nadd.f32 %f3, %f2, %f2;\n" USED;
    RUN(.globals = ".shared .u32 s;\n", .body = body,
        .keys = {PAUSE, "sm.class.fp32.latency_cy=19", "sm.banks=1", "sm.bypass=false"});
    assert_int_equal(apart("A", "C"), 21); /* the addition took the place at its issue */
    RUN(.globals = ".shared .u32 s;\n", .body = body,
        .keys = {PAUSE, "sm.class.fp32.latency_cy=18", "sm.banks=1", "sm.bypass=false"});
    assert_int_equal(apart("A", "C"), 20);
    RUN(.globals = ".shared .u32 s;\n", .body = body,
        .keys = {PAUSE, "sm.class.fp32.latency_cy=19", "sm.banks=1", "sm.bypass=true"});
    assert_int_equal(apart("A", "C"), 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collector_is_free_when_its_instruction_enters_a_unit),
        cmocka_unit_test(a_busy_unit_holds_the_collector_too),
        cmocka_unit_test(separated_collectors_do_not_wait_for_each_other),
        cmocka_unit_test(separated_pools_have_the_sizes_of_the_key),
        cmocka_unit_test(a_memory_instruction_leaves_its_collector_for_the_queue),
        cmocka_unit_test(registers_of_one_bank_are_read_one_after_the_other),
        cmocka_unit_test(a_bank_of_two_ports_serves_two),
        cmocka_unit_test(waiting_for_banks_is_counted),
        cmocka_unit_test(the_banks_of_two_slots_are_shifted),
        cmocka_unit_test(ideal_operands_are_there_at_issue),
        cmocka_unit_test(a_result_can_be_used_when_it_is_written),
        cmocka_unit_test(a_bypass_is_not_held_up_by_the_bank),
        cmocka_unit_test(results_in_different_banks_do_not_meet),
        cmocka_unit_test(a_write_goes_before_a_read),
        cmocka_unit_test(a_result_far_ahead_takes_no_place_of_today),
        cmocka_unit_test(loads_write_through_the_same_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
