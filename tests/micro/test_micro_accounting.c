/* Who owns a cycle: worked examples, exact to a sixth of a slot's cycle.
 *
 * Two runs that differ only in how long something takes show what the cycles between cost: whatever else
 * happens is the same in both. */
#include "micro.h"

enum { MORE = 100 }; /* cycles between the two runs */

struct account {
    u64 time[STALL_COUNT], cpi[CPI_METHODS][CPI_COUNT], cycles[SCHED_CYCLES];
};
static struct account account(void) {
    struct account a;
    const struct sched_stats *s = &ran.stats->sum.sched[0];
    memcpy(a.time, s->warp_time, sizeof a.time);
    memcpy(a.cpi, s->cpi, sizeof a.cpi);
    memcpy(a.cycles, s->cycles, sizeof a.cycles);
    return a;
}
static u64 more_time(const struct account *a, const struct account *b, enum stall s) { return b->time[s] - a->time[s]; }
static u64 more_cpi(const struct account *a, const struct account *b, enum cpi_method m, enum cpi x) {
    return b->cpi[m][x] - a->cpi[m][x];
}

/* --- Aurud, section 5.3, figure 5.1: four warps in an SM. The add of warp 0 waits for a load, (b) and for a
 * division; the load of warp 1 waits for the memory pipe; warps 2 and 3 have nothing in their buffers.
 *
 * The memory pipe has room for one instruction and one in a collector, and an outstanding line serves one
 * access: warp 1's second load of warp 0's line stands behind its first until the line is here. The code of
 * warps 2 and 3 lies in another line of the instruction cache. The DRAM is slow, or slower by MORE. */

#define FOUR_WARPS                                                                                                               \
    "gpu.sms=1", "sm.warps=4", "sm.threads=128", "sm.inst_b=1", "sm.fetch.insts=4", "sm.collectors=separated:4/4/1",             \
        "sm.lsu.queue=1", "sm.l1.merge=1"

static const char *figure(const char *add) {
    return JOIN("mov.u32 %r0, %tid.x;\nmov.u64 %rd1, g;\nmov.b32 %f1, 1;\nsetp.ge.u32 %p1, %r0, 64;\n@%p1 bra "
                "$empty;\nsetp.ge.u32 %p2, %r0, 32;\n@%p2 bra $second;\n",
                "div.rn.f32 %f2, %f1, %f1; // div\nld.global.f32 %f3, [%rd1]; // load\n", add, "exit;\n",
                "$second:\nld.global.u32 %r1, [%rd1]; // first\nld.global.u32 %r2, [%rd1];\nld.global.u32 %r3, [%rd1]; // "
                "stuck\nadd.u32 %r4, %r1, %r2;\nadd.u32 %r4, %r4, %r3;\nexit;\n",
                repeat(128, "nanosleep.u32 0;\n"), "$empty:\nadd.u32 %r5, %r0, 1;\n");
}

static void run_figure(const char *add, u32 more) {
    RUN(.front = true, .globals = ".global .align 128 .b8 g[128];\n", .body = figure(add), .threads = 128,
        .keys = {FOUR_WARPS, text("dram.extra_cy=%u", 1000 + more), text("sm.class.fdiv.latency_cy=%u", 5000 + more),
                 "sm.sfu.width=32"});
}

#define ADD_A "add.f32 %f4, %f3, %f1; // add\nadd.f32 %f5, %f2, %f1;\n"
#define ADD_B "add.f32 %f4, %f3, %f2; // add\n"

/* Before that, the first line of code comes, as much later: four empty buffers. In units of 1/24 cycle: a
 * slot's cycle is 6. */
static void figure_5_1_a(void **state) {
    (void)state;
    run_figure(ADD_A, 0);
    struct account a = account();
    run_figure(ADD_A, MORE);
    struct account b = account();
    const enum cpi_method p = CPI_PROPORTIONAL;
    assert_int_equal(more_cpi(&a, &b, p, CPI_MEMORY_DATA), MORE * 6);
    assert_int_equal(more_cpi(&a, &b, p, CPI_MEMORY_STRUCTURAL), MORE * 6);
    assert_int_equal(more_cpi(&a, &b, p, CPI_FETCH), MORE * (24 + 12));
    assert_int_equal(more_cpi(&a, &b, p, CPI_COMPUTE_DATA), 0);
    assert_int_equal(more_cpi(&a, &b, p, CPI_BASE), 0);
    assert_int_equal(more_time(&a, &b, STALL_LONG), MORE * 6);
    assert_int_equal(more_time(&a, &b, STALL_LG), MORE * 6);
    assert_int_equal(more_time(&a, &b, STALL_NO_INSTRUCTION), MORE * (24 + 12));
}

static void figure_5_1_b(void **state) {
    (void)state;
    run_figure(ADD_B, 0);
    struct account a = account();
    run_figure(ADD_B, MORE);
    struct account b = account();
    const enum cpi_method p = CPI_PROPORTIONAL;
    assert_int_equal(more_cpi(&a, &b, p, CPI_MEMORY_DATA), MORE * 3);  /* half memory data */
    assert_int_equal(more_cpi(&a, &b, p, CPI_COMPUTE_DATA), MORE * 3); /* half compute data */
    assert_int_equal(more_cpi(&a, &b, p, CPI_MEMORY_STRUCTURAL), MORE * 6);
    assert_int_equal(more_cpi(&a, &b, p, CPI_FETCH), MORE * (24 + 12));
    assert_int_equal(more_time(&a, &b, STALL_LONG), MORE * 3);
    assert_int_equal(more_time(&a, &b, STALL_WAIT), MORE * 3);
}

/* GSI: a warp is blamed on what holds it most, then the cycle on the warp that would go first: the memory
 * pipe. */
static void figure_5_1_as_gsi_sees_it(void **state) {
    (void)state;
    static const char *const adds[] = {ADD_A, ADD_B};
    for (u32 i = 0; i < 2; i++) {
        run_figure(adds[i], 0);
        struct account a = account();
        run_figure(adds[i], MORE);
        struct account b = account();
        assert_int_equal(more_cpi(&a, &b, CPI_GSI, CPI_FETCH), MORE * 24);
        assert_int_equal(more_cpi(&a, &b, CPI_GSI, CPI_MEMORY_STRUCTURAL), MORE * 24);
    }
}

/* Aurud 5.2: warp 0's store awaits the load while the memory pipe is full. The selected-warp method has a
 * class for both at once; the proportional one gives a half to each. */
static void data_and_structural(void **state) {
    (void)state;
    struct account at[2];
    for (u32 k = 0; k < 2; k++) {
        RUN(.front = true, .globals = ".global .align 128 .b8 g[128];\n",
            .body = figure("st.global.f32 [%rd1], %f3; // add\nadd.f32 %f5, %f2, %f1;\n"), .threads = 128,
            .keys = {FOUR_WARPS, "sm.sched=find_first", text("dram.extra_cy=%u", 1000 + k * MORE),
                     text("sm.class.fdiv.latency_cy=%u", 5000 + k * MORE), "sm.sfu.width=32"});
        at[k] = account();
    }
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_SELECTED, CPI_DATA_STRUCTURAL), MORE * 24);
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_SELECTED, CPI_MEMORY_DATA), 0);
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_SELECTED, CPI_MEMORY_STRUCTURAL), 0);
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_PROPORTIONAL, CPI_MEMORY_DATA), MORE * 3);
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_PROPORTIONAL, CPI_MEMORY_STRUCTURAL), MORE * (3 + 6));
    for (u32 m = 0; m < CPI_METHODS; m++)
        if (m != CPI_SELECTED) assert_int_equal(at[1].cpi[m][CPI_DATA_STRUCTURAL], 0);
}

/* The warp the scheduler would have chosen: with find-first the oldest slot that holds a warp, which is warp
 * 0's */
static void figure_5_1_by_the_selected_warp(void **state) {
    (void)state;
    static const char *const adds[] = {ADD_A, ADD_B};
    for (u32 i = 0; i < 2; i++) {
        struct account at[2];
        for (u32 k = 0; k < 2; k++) {
            RUN(.front = true, .globals = ".global .align 128 .b8 g[128];\n", .body = figure(adds[i]), .threads = 128,
                .keys = {FOUR_WARPS, "sm.sched=find_first", text("dram.extra_cy=%u", 1000 + k * MORE),
                         text("sm.class.fdiv.latency_cy=%u", 5000 + k * MORE), "sm.sfu.width=32"});
            at[k] = account();
        }
        assert_int_equal(more_cpi(&at[0], &at[1], CPI_SELECTED, CPI_FETCH), MORE * 24);
        assert_int_equal(more_cpi(&at[0], &at[1], CPI_SELECTED, CPI_MEMORY_DATA), i ? MORE * 12 : MORE * 24);
        assert_int_equal(more_cpi(&at[0], &at[1], CPI_SELECTED, CPI_COMPUTE_DATA), i ? MORE * 12 : 0);
    }
}

static void the_scheduler_of_figure_5_1_is_idle_and_then_stalled(void **state) {
    (void)state;
    run_figure(ADD_A, 0);
    struct account a = account();
    run_figure(ADD_A, MORE);
    struct account b = account();
    assert_int_equal(b.cycles[SCHED_IDLE] - a.cycles[SCHED_IDLE], MORE);
    assert_int_equal(b.cycles[SCHED_STALL] - a.cycles[SCHED_STALL], MORE);
    assert_int_equal(b.cycles[SCHED_RAW] - a.cycles[SCHED_RAW], 0);
}

/* --- sets of causes are shared evenly */

static void run_three(u32 more) { /* results of a unit, of shared memory and of global memory, which comes first */
    RUN(.globals = ".global .align 128 .b8 g[128];\n.shared .align 4 .f32 s;\n",
        .body = "mov.u64 %rd1, g;\nmov.b32 %f1, 1;\nld.shared.f32 %f2, [s];\nld.global.f32 %f3, [%rd1]; // long\ndiv.rn.f32 %f4, "
                "%f1, %f1;\nfma.rn.f32 %f5, %f2, %f3, %f4; // use\n",
        .keys = {"gpu.sms=1", "sm.warps=1", "sm.threads=32", "l2.ideal=true", text("l2.latency_cy=%u", 200 + more),
                 text("sm.shared.latency_cy=%u", 700 + more), text("sm.class.fdiv.latency_cy=%u", 900 + more),
                 "sm.sfu.width=32"});
}

static void three_causes_have_a_third_each(void **state) {
    (void)state;
    run_three(0);
    struct account a = account();
    run_three(MORE);
    struct account b = account();
    assert_int_equal(more_time(&a, &b, STALL_LONG), MORE * 2);
    assert_int_equal(more_time(&a, &b, STALL_SHORT), MORE * 2);
    assert_int_equal(more_time(&a, &b, STALL_WAIT), MORE * 2);
    /* two of them are memory data: classes share, not causes */
    assert_int_equal(more_cpi(&a, &b, CPI_PROPORTIONAL, CPI_MEMORY_DATA), MORE * 3);
    assert_int_equal(more_cpi(&a, &b, CPI_PROPORTIONAL, CPI_COMPUTE_DATA), MORE * 3);
}

static void time_is_kept_by_instruction(void **state) {
    (void)state;
    run_three(0);
    const struct pc_stats *use = &ran.stats->pcs[pc_of("use")];
    assert_int_equal(use->time[STALL_LONG], warp_time(STALL_LONG));
    assert_int_equal(use->time[STALL_SHORT], warp_time(STALL_SHORT));
    assert_int_equal(use->time[STALL_SELECTED], 6);
    assert_int_equal(use->issues, 1);
    const struct pc_stats *load = &ran.stats->pcs[pc_of("long")];
    assert_int_equal(load->latency, when(EV_READY, "long") - issue("long"));
    assert_int_equal(load->lines, 1);
    assert_int_equal(load->accesses, 1);
    assert_int_equal(load->lanes, 32);
}

/* --- slots without warps */

static void slots_without_a_warp_are_idle(void **state) {
    (void)state;
    struct account at[2];
    for (u32 k = 0; k < 2; k++) {
        RUN(.body = "div.rn.f32 %f1, %f2, %f3;\nadd.f32 %f4, %f1, %f1;\n",
            .keys = {"gpu.sms=1", "sm.warps=4", text("sm.class.fdiv.latency_cy=%u", 200 + k * MORE)});
        at[k] = account();
    }
    assert_int_equal(more_time(&at[0], &at[1], STALL_EMPTY), MORE * 18);
    assert_int_equal(more_time(&at[0], &at[1], STALL_WAIT), MORE * 6);
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_PROPORTIONAL, CPI_IDLE), MORE * 18);
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_PROPORTIONAL, CPI_COMPUTE_DATA), MORE * 6);
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_GSI, CPI_COMPUTE_DATA), MORE * 24);
    assert_int_equal(more_cpi(&at[0], &at[1], CPI_SELECTED, CPI_COMPUTE_DATA), MORE * 24);
    assert_int_equal(at[1].cycles[SCHED_RAW] - at[0].cycles[SCHED_RAW], MORE);
}

static void an_sm_without_blocks_is_idle_to_the_end(void **state) {
    (void)state;
    RUN(.body = repeat(50, "add.f32 %f1, %f1, %f2;\n"), .blocks = 1);
    const struct sm_stats *idle = &ran.stats->per_sm[1];
    assert_int_equal(idle->sched[0].warp_time[STALL_EMPTY], ran.cycles * 16 * 6);
    assert_int_equal(idle->sched[0].cycles[SCHED_IDLE], ran.cycles);
    assert_int_equal(idle->sm_active_cycles, 0);
}

/* --- samples */

static void samples_come_so_far_apart_and_add_up(void **state) {
    (void)state;
    for (u32 n = 30; n <= 70; n += 20) {
        RUN(.body = repeat(50, "add.f32 %f1, %f1, %f2;\n"), .threads = 64, .keys = {"gpu.sms=1", text("stats.sample_cy=%u", n)});
        u64 instructions = 0, cycles = 0;
        assert_int_equal(ran.stats->nsamples, (ran.cycles + n - 1) / n);
        for (u32 i = 0; i < ran.stats->nsamples; i++) {
            const struct sample *s = &ran.stats->samples[i];
            u64 time = 0;
            assert_int_equal(s->cycle, MIN((u64)(i + 1) * n, ran.cycles));
            for (u32 k = 0; k < STALL_COUNT; k++) time += s->time[k];
            assert_int_equal(time, (s->cycle - (u64)i * n) * 6 * 16);
            instructions += s->warp_instructions;
            cycles += s->warp_cycles;
        }
        assert_stat("warp_instructions", instructions);
        assert_stat("warp_cycles", cycles);
    }
}

/* --- cycles with an issue */

static void a_cycle_with_an_issue_is_base_whatever_others_wait_for(void **state) {
    (void)state;
    struct account at[2];
    for (u32 k = 0; k < 2; k++) { /* warp 1 waits while warp 0 issues in every cycle */
        RUN(.body = JOIN("mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bra $busy;\ndiv.rn.f32 %f1, %f2, %f3;\nadd.f32 "
                         "%f4, %f1, %f1;\nexit;\n$busy:\n",
                         repeat(8 + 5 * k, series(20, "nanosleep.u32 0;\n"))),
            .threads = 64,
            .keys = {"gpu.sms=1", "sm.warps=2", "sm.threads=64", text("sm.class.fdiv.latency_cy=%u", 300 + k * MORE)});
        at[k] = account();
    }
    for (u32 m = 0; m < CPI_METHODS; m++) assert_int_equal(more_cpi(&at[0], &at[1], (enum cpi_method)m, CPI_BASE), MORE * 12);
    assert_int_equal(more_time(&at[0], &at[1], STALL_SELECTED), MORE * 6);
    assert_int_equal(more_time(&at[0], &at[1], STALL_WAIT), MORE * 6);
    assert_int_equal(at[1].cycles[SCHED_ISSUE1] - at[0].cycles[SCHED_ISSUE1], MORE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_5_1_a),
        cmocka_unit_test(figure_5_1_b),
        cmocka_unit_test(figure_5_1_as_gsi_sees_it),
        cmocka_unit_test(figure_5_1_by_the_selected_warp),
        cmocka_unit_test(data_and_structural),
        cmocka_unit_test(the_scheduler_of_figure_5_1_is_idle_and_then_stalled),
        cmocka_unit_test(three_causes_have_a_third_each),
        cmocka_unit_test(time_is_kept_by_instruction),
        cmocka_unit_test(slots_without_a_warp_are_idle),
        cmocka_unit_test(an_sm_without_blocks_is_idle_to_the_end),
        cmocka_unit_test(samples_come_so_far_apart_and_add_up),
        cmocka_unit_test(a_cycle_with_an_issue_is_base_whatever_others_wait_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
