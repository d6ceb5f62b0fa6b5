/* Time through heddle.h: machines and keys, what a launch tells, limits, stopping, traces and audit. */
#include "play.h"

#include <math.h>

#define ADDS      "add.u32 %r1, %r0, 5;\nadd.u32 %r1, %r1, %r1;\nadd.u32 %r1, %r1, 1;\n"
#define PROGRAM   KERNEL(ADDS STORE("%r1"))
#define RESULT(i) (2 * ((i) % 64 + 5) + 1)

struct timed { /* a context with the program loaded */
    struct heddle *h;
    struct heddle_module *m;
    uint64_t out;
    struct heddle_result r;
};

static const struct play shape = {.grid = {6}, .block = {64}};

static struct timed open_timed(const char *machine) {
    struct timed t = {.h = heddle_open(NULL)};
    if (machine && heddle_set_machine(t.h, machine)) fail_msg("%s", heddle_message(t.h));
    t.m = play_load(t.h, "t.ptx", PROGRAM);
    t.out = heddle_alloc(t.h, 6 * 64 * 4);
    return t;
}

static int launch(struct timed *t) { return play_launch(t->h, t->m, &shape, t->out, &t->r); }

static void expect_right(struct timed *t) {
    uint32_t got[6 * 64];
    assert_int_equal(heddle_read(t->h, t->out, got, sizeof got), HEDDLE_OK);
    for (uint32_t i = 0; i < 6 * 64; i++)
        if (got[i] != RESULT(i)) fail_msg("out[%u] is %u, expected %u", i, got[i], RESULT(i));
}

static void says(struct timed *t, int status, const char *part) {
    assert_int_equal(status, HEDDLE_BAD_INPUT);
    if (!strstr(heddle_message(t->h), part)) fail_msg("\"%s\" is not in: %s", part, heddle_message(t->h));
}

static void without_a_machine_there_is_no_time(void **state) {
    (void)state;
    struct timed t = open_timed(NULL);
    double x;
    assert_int_equal(launch(&t), HEDDLE_OK);
    assert_false(t.r.timed);
    assert_int_equal(t.r.cycles, 0);
    assert_null(heddle_launch_stats(t.h));
    assert_null(heddle_config(t.h));
    says(&t, heddle_stat(t.h, "warp_ipc", &x), "heddle_set_machine");
    heddle_close(t.h);
}

static void a_launch_on_a_machine_takes_cycles(void **state) {
    (void)state;
    struct timed plain = open_timed(NULL), t = open_timed("small");
    double ipc, none;
    assert_int_equal(launch(&plain), HEDDLE_OK);
    assert_int_equal(launch(&t), HEDDLE_OK);
    expect_right(&t);
    assert_true(t.r.timed);
    assert_true(t.r.cycles > 20);
    assert_int_equal(t.r.warp_instructions, plain.r.warp_instructions);
    assert_int_equal(t.r.thread_instructions, plain.r.thread_instructions);
    assert_memory_equal(t.r.class_warp_instructions, plain.r.class_warp_instructions, sizeof t.r.class_warp_instructions);
    assert_int_equal(heddle_stat(t.h, "warp_ipc", &ipc), HEDDLE_OK);
    assert_float_equal(ipc, (double)t.r.warp_instructions / (double)t.r.cycles, 1e-9);
    assert_int_equal(heddle_stat(t.h, "icache_hit_rate", &none), HEDDLE_OK);
    says(&t, heddle_stat(t.h, "warp_icp", &none), "warp_ipc");
    assert_non_null(heddle_launch_stats(t.h));
    heddle_close(plain.h);
    heddle_close(t.h);
}

static void machines_and_keys_are_checked(void **state) {
    (void)state;
    struct timed t = open_timed("small");
    says(&t, heddle_set_machine(t.h, "gtx408"), "gtx480");
    says(&t, heddle_set_key(t.h, "sm.wraps", "8"), "sm.warps");
    says(&t, heddle_set_key(t.h, "sm.warps", "9999"), "sm.warps");
    assert_int_equal(heddle_set_key(t.h, "sm.sched", "no_such_policy"),
                     HEDDLE_OK); /* who owns the policies looks at it when the chip is built */
    assert_int_equal(launch(&t), HEDDLE_BAD_INPUT);
    assert_int_equal(heddle_set_key(t.h, "sm.sched", "gto"), HEDDLE_OK);
    assert_int_equal(launch(&t), HEDDLE_OK);
    expect_right(&t);
    says(&t, heddle_set_machine(t.h, "gtx480"), "before the first launch");
    says(&t, heddle_set_key(t.h, "sm.warps", "8"), "before the first launch");
    says(&t, heddle_timing(t.h, &(struct heddle_timing){.flush = true}), "before the first launch");
    says(&t, heddle_audit(t.h, true), "before the first launch");
    heddle_close(t.h);
}

static void a_key_alone_means_the_default_machine(void **state) {
    (void)state;
    struct timed a = open_timed(HEDDLE_DEFAULT_MACHINE), b = open_timed(NULL);
    assert_int_equal(heddle_set_key(a.h, "sm.warps", "24"), HEDDLE_OK);
    assert_int_equal(heddle_set_key(b.h, "sm.warps", "24"), HEDDLE_OK);
    assert_int_equal(launch(&a), HEDDLE_OK);
    assert_int_equal(launch(&b), HEDDLE_OK);
    assert_int_equal(a.r.cycles, b.r.cycles);
    heddle_close(a.h);
    heddle_close(b.h);
}

static void the_machine_says_how_wide_a_warp_is(void **state) {
    (void)state;
    struct timed t = open_timed("small");
    assert_int_equal(heddle_set_key(t.h, "sm.warp_size", "16"), HEDDLE_OK);
    assert_int_equal(launch(&t), HEDDLE_OK);
    assert_int_equal(t.r.warps, 6 * 4);
    expect_right(&t);
    heddle_close(t.h);
}

static void two_machines_do_not_disturb_each_other(void **state) {
    (void)state;
    struct timed a = open_timed("small"), b = open_timed("gtx480"), c = open_timed("small");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(launch(&a), HEDDLE_OK);
        assert_int_equal(launch(&b), HEDDLE_OK);
        assert_int_equal(launch(&c), HEDDLE_OK);
        assert_int_equal(a.r.cycles, c.r.cycles);
    }
    expect_right(&a);
    expect_right(&b);
    assert_int_equal(heddle_memory_hash(a.h), heddle_memory_hash(c.h));
    heddle_close(a.h);
    heddle_close(b.h);
    heddle_close(c.h);
}

static void limits_leave_the_result_right(void **state) {
    (void)state;
    static const struct heddle_timing ways[] = {
        {.max_cycles = 30},    {.fast_forward_ctas = 4},      {.fast_forward_launches = 1},
        {.warmup_cycles = 40}, {.flush = true, .threads = 2}, {.no_jumps = true, .window_cycles = 1, .check_cycles = 1},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct timed t = open_timed("small");
        assert_int_equal(heddle_timing(t.h, &ways[i]), HEDDLE_OK);
        assert_int_equal(launch(&t), HEDDLE_OK);
        expect_right(&t);
        assert_int_equal(t.r.timed, !ways[i].fast_forward_launches);
        heddle_close(t.h);
    }
}

/* Each alone is accepted and leaves the result right; two that choose what is timed are refused */
static void an_early_exit_ends_what_follows_too(void **state) {
    (void)state;
    struct timed t = open_timed("small");
    assert_int_equal(heddle_timing(t.h, &(struct heddle_timing){.exit_cycle = 30}), HEDDLE_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(launch(&t), HEDDLE_STOPPED);
    heddle_close(t.h);
}

static void limits_that_do_not_go_together_are_refused(void **state) {
    (void)state;
    static const struct heddle_timing ways[] = {
        {.max_warp_instructions = 20, .max_cycles = 30},
        {.max_warp_instructions = 20, .end_cycle = 30},
        {.max_warp_instructions = 20, .fast_forward_ctas = 4},
        {.max_warp_instructions = 20, .warmup_cycles = 10},
        {.max_warp_instructions = 20, .sample_percent = 10},
        {.max_warp_instructions = 20, .sample = true},
        {.sample = true, .max_cycles = 30},
        {.sample_percent = 10, .end_cycle = 30},
        {.sample_percent = 10, .fast_forward_ctas = 4},
        {.sample_percent = 10, .warmup_cycles = 10},
        {.sample_percent = 10, .exit_cycle = 30},
        {.max_warp_instructions = 20, .exit_cycle = 30},
        {.exit_cycle = 20, .end_cycle = 30},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct timed t = open_timed("small");
        says(&t, heddle_timing(t.h, &ways[i]), "do not go together");
        struct heddle_timing alone = {.max_warp_instructions = ways[i].max_warp_instructions,
                                      .sample = !ways[i].max_warp_instructions};
        assert_int_equal(heddle_timing(t.h, &alone), HEDDLE_OK);
        assert_int_equal(launch(&t), HEDDLE_OK);
        expect_right(&t);
        heddle_close(t.h);
    }
}

static void a_stop_is_obeyed_once(void **state) {
    (void)state;
    struct timed t = open_timed("small");
    heddle_stop(t.h);
    assert_int_equal(launch(&t), HEDDLE_STOPPED);
    assert_int_equal(launch(&t), HEDDLE_OK);
    expect_right(&t);
    heddle_close(t.h);
}

static void traces_are_written_and_the_audit_is_clean(void **state) {
    (void)state;
    struct timed t = open_timed("small");
    FILE *konata = tmpfile(), *perfetto = tmpfile();
    const struct heddle_window w = {.from = 0, .to = 1000, .sm = 0, .warp = -1};
    assert_int_equal(heddle_trace_konata(t.h, konata, &w), HEDDLE_OK);
    assert_int_equal(heddle_trace_perfetto(t.h, perfetto, NULL), HEDDLE_OK);
    says(&t, heddle_trace_konata(t.h, konata, NULL), "already");
    assert_int_equal(heddle_audit(t.h, true), HEDDLE_OK);
    assert_int_equal(launch(&t), HEDDLE_OK);
    struct heddle_audit_result audit = heddle_audit_result(t.h);
    assert_true(audit.checked > 0);
    if (audit.violations) fail_msg("%s", audit.text);
    assert_int_equal(heddle_trace_end(t.h), HEDDLE_OK);
    assert_non_null(strstr(play_text(konata), "Kanata"));
    assert_non_null(strstr(play_text(perfetto), "traceEvents"));
    uint64_t cycles = t.r.cycles;
    assert_int_equal(launch(&t), HEDDLE_OK); /* on a new chip */
    assert_int_equal(t.r.cycles, cycles);
    heddle_close(t.h);
    fclose(konata);
    fclose(perfetto);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_machine_there_is_no_time),
        cmocka_unit_test(a_launch_on_a_machine_takes_cycles),
        cmocka_unit_test(machines_and_keys_are_checked),
        cmocka_unit_test(a_key_alone_means_the_default_machine),
        cmocka_unit_test(the_machine_says_how_wide_a_warp_is),
        cmocka_unit_test(two_machines_do_not_disturb_each_other),
        cmocka_unit_test(limits_leave_the_result_right),
        cmocka_unit_test(an_early_exit_ends_what_follows_too),
        cmocka_unit_test(limits_that_do_not_go_together_are_refused),
        cmocka_unit_test(a_stop_is_obeyed_once),
        cmocka_unit_test(traces_are_written_and_the_audit_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
