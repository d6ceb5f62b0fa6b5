/* For every cause of stall.def, every hazard and every part of a CPI stack a program that shows it, and it
 * above all. The sums of D6 are checked by every run. */
#include "micro.h"

#define GLOBAL ".global .align 256 .b8 g[1048576];\n"
#define AT_G   "mov.u64 %rd1, g;\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd2, %r0, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"

/* --- programs, by what they show */

#define ONE_SLOT "gpu.sms=1", "sm.warps=1", "sm.ctas=1", "sm.threads=32"
#define ONE_SM   "gpu.sms=1"
#define MANY     16 * 32 /* threads: every slot of an SM */
#define EASY     "sm.banks=64", "sm.bank_ports=8", "sm.collectors=generic:32"

static void independent_additions(u32 threads, const char *slots) {
    RUN(.body = JOIN(repeat(20, series(8, "add.u32 %r1#, %r0, 1;\n")), series(8, "add.u32 %r5, %r5, %r1#;\n")),
        .threads = threads, .keys = {ONE_SM, EASY, "sm.class.int.latency_cy=4", slots});
}
static void dependent_additions(void) {
    RUN(.body = repeat(200, "add.f32 %f1, %f1, %f2;\n"), .threads = 64, .keys = {ONE_SM, "sm.warps=2", "sm.threads=64"});
}
static void cold_code(void) { RUN(.front = true, .body = repeat(200, "nanosleep.u32 0;\n"), .keys = {ONE_SLOT}); }
static void many_branches(void) { RUN(.body = series(50, "bra.uni $l#;\n$l#:\n"), .keys = {ONE_SLOT, "sm.branch_cy=50"}); }
static void one_warp_late(void) {
    RUN(.body = JOIN("mov.u32 %r0, %tid.x;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra $meet;\n", repeat(100, "add.u32 %r1, %r1, 1;\n"),
                     "$meet:\nbar.sync 0;\n"),
        .threads = MANY, .keys = {ONE_SM});
}
static void fenced_stores(void) {
    RUN(.globals = GLOBAL, .body = JOIN(AT_G, repeat(20, "st.global.u32 [%rd2], %r0;\nmembar.gl;\n")), .keys = {ONE_SLOT});
}
static void shared_chase(void) {
    RUN(.globals = ".shared .u32 s[4];\n",
        .body = JOIN("mov.u32 %r1, s;\nst.shared.u32 [%r1], %r1;\n", repeat(60, "ld.shared.u32 %r1, [%r1];\n")),
        .keys = {ONE_SLOT});
}
static void constant_chase(void) {
    RUN(.globals = ".const .u32 c[4];\n",
        .body = JOIN("mov.u64 %rd1, c;\n", repeat(60, "ld.const.u32 %r1, [%rd1];\nand.b32 %r1, %r1, 0;\n")),
        .keys = {ONE_SLOT, "sm.class.logic.latency_cy=2", "gpu.perfect_memory=true"});
}
static void global_chase(void) {
    RUN(.globals = GLOBAL, .body = JOIN(AT_G "st.global.u64 [%rd1], %rd1;\n", repeat(30, "ld.global.cg.u64 %rd1, [%rd1];\n")),
        .threads = 1, .keys = {ONE_SLOT});
}
static void local_chase(void) {
    RUN(.body = JOIN(".local .align 4 .b8 l[16];\nmov.u32 %r1, l;\nst.local.u32 [%r1], %r1;\n",
                     repeat(30, "ld.local.u32 %r1, [%r1];\n")),
        .keys = {ONE_SLOT});
}
static void loads_behind_atomics(void) {
    RUN(.globals = GLOBAL, .body = JOIN(AT_G, repeat(20, "red.global.add.u32 [%rd2], 1;\nld.global.u32 %r1, [%rd2];\n")),
        .keys = {ONE_SLOT, "gpu.perfect_memory=true"});
}
static void busy_sfu(const char *operands, const char *collectors) {
    RUN(.body = JOIN(repeat(20, series(8, "sin.approx.f32 %f1#, %f1;\n")), series(8, "add.f32 %f2, %f2, %f1#;\n")),
        .threads = MANY, .keys = {ONE_SM, operands, collectors});
}
static void divergent_loads(const char *key) {
    RUN(.globals = GLOBAL,
        .body = JOIN(AT_G "mul.wide.u32 %rd3, %r0, 256;\nadd.u64 %rd3, %rd1, %rd3;\n",
                     series(8, "ld.global.u32 %r1#, [%rd3+#00];\n"), series(8, "add.u32 %r5, %r5, %r1#;\n")),
        .threads = MANY, .keys = {ONE_SM, "sm.collectors=separated:8/8/2", key});
}
/* The owner computes after its load, and has no more; the load of another warp stands first in the pipe
 * meanwhile */
static void loads_behind_an_owner(void) {
    RUN(.globals = GLOBAL,
        .body = JOIN(AT_G "ld.global.u32 %r1, [%rd2];\n", repeat(100, "add.f32 %f1, %f1, %f2;\n"), "add.u32 %r2, %r1, 1;\n"),
        .threads = MANY,
        .keys = {ONE_SM, "sm.sched=mascar", "sm.sched.mascar.mshr_percent=1", "sm.sched.mascar.idle_cy=1000000"});
}
static void conflicting_loads(void) {
    RUN(.globals = ".shared .align 16 .b8 s[4096];\n",
        .body = JOIN("mov.u32 %r0, %laneid;\nmov.u32 %r4, s;\nshl.b32 %r3, %r0, 7;\nadd.u32 %r3, %r3, %r4;\n",
                     repeat(3, series(8, "ld.shared.u32 %r1#, [%r3];\n")), series(8, "add.u32 %r5, %r5, %r1#;\n")),
        .threads = MANY, .keys = {ONE_SM, "sm.collectors=separated:8/8/2"});
}
static void restricted_loads(void) {
    RUN(.globals = GLOBAL,
        .body =
            JOIN("mov.u64 %rd1, g;\n", series(8, "ld.global.u32 %r1#, [%rd1+#000];\n"), series(8, "add.u32 %r5, %r5, %r1#;\n")),
        .keys = {ONE_SLOT, "sm.l1.mshrs=1", "sm.hazard.tracker=credit", "sm.hazard.predictor=miss"});
}
/* Loads of a line that an earlier load of two lines still has to read */
static void loads_behind_a_replay(void) {
    RUN(.globals = GLOBAL,
        .body = JOIN(AT_G "ld.global.u32 %r1, [%rd2+4];\nadd.u32 %r2, %r1, 1;\nld.global.u32 %r3, [%rd2+4];\n",
                     series(8, "ld.global.u8 %r1#, [%rd1+15#];\n"), series(8, "add.u32 %r5, %r5, %r1#;\n"),
                     "add.u32 %r5, %r5, %r3;\nadd.u64 %rd9, %rd2, %rd1;\n"),
        .keys = {ONE_SLOT, "sm.hazard=replay", "sm.hazard.signal_cy=20", "l2.ideal=true"});
}
static void many_pages(void) {
    RUN(.globals = GLOBAL,
        .body =
            AT_G "mul.wide.u32 %rd3, %r0, 4096;\nadd.u64 %rd3, %rd1, %rd3;\nld.global.u32 %r1, [%rd3];\nadd.u32 %r2, %r1, 1;\n",
        .keys = {ONE_SLOT, "sm.tlb.entries=1", "sm.tlb.page_b=4096"});
}
/* Warps that come to a pool of one entry, one after the other */
static void one_entry_for_many(void) {
    RUN(.body = JOIN("mov.u32 %r0, %tid.x;\nmov.u32 %r1, 20;\n$more:\n", repeat(4, "add.u32 %r0, %r0, %r1;\n"),
                     "sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra $more;\n"),
        .threads = MANY, .keys = {ONE_SM, "sm.diverge=dwf", "dwf.pool=1"});
}
static void load_and_end(void) {
    RUN(.globals = GLOBAL, .body = AT_G "ld.global.u32 %r1, [%rd2];\n", .keys = {ONE_SLOT, "dram.extra_cy=1000"});
}
/* Windows: divisions that need nothing of each other; stores behind divisions that may still fault; chains
 * whose results all want one bus */
static void divisions_in_a_window(const char *order, const char *key) {
    RUN(.body = JOIN(repeat(20, series(8, "div.rn.f32 %f1#, %f1, %f2;\n")), series(8, "add.f32 %f5, %f5, %f1#;\n")),
        .keys = {ONE_SLOT, order, key, "sm.class.fdiv.latency_cy=200", "sm.class.fdiv.interval_cy=1"});
}
static void stores_that_are_not_certain(void) {
    RUN(.globals = GLOBAL, .body = JOIN(AT_G, repeat(20, "div.rn.f32 %f1, %f1, %f2;\nst.global.u32 [%rd2], %r0;\n")),
        .keys = {ONE_SLOT, "sm.order=rob", "sm.class.fdiv.latency_cy=200"});
}
static void results_for_one_bus(void) {
    RUN(.body = JOIN(repeat(20, series(8, "add.u32 %r1#, %r1#, 1;\n")), series(8, "add.u32 %r5, %r5, %r1#;\n")), .threads = MANY,
        .keys = {ONE_SM, EASY, "sm.order=tomasulo", "order.buses=1", "order.window=64", "order.dispatch_width=16",
                 "sm.issue_width=4", "sm.int.units=8", "sm.class.int.unit=int", "sm.class.int.latency_cy=2"});
}
static void one_warp_of_many(void) { RUN(.body = repeat(100, "add.f32 %f1, %f1, %f2;\n"), .keys = {ONE_SM}); }

/* --- causes */

/* Each is remembered: the last test asks whether one is missing */
static bool shown_cause[STALL_COUNT], shown_hazard[HAZARD_COUNT], shown_part[CPI_COUNT];

static void above_all(enum stall cause) {
    shown_cause[cause] = true;
    if (cause != STALL_EMPTY && time_share(cause) > 0.5) return;
    u64 all = 0;
    for (u32 i = 0; i < STALL_COUNT; i++) all += warp_time((enum stall)i);
    if (cause == STALL_EMPTY && warp_time(cause) * 2 > all) return;
    for (u32 i = 0; i < STALL_COUNT; i++)
        if (warp_time((enum stall)i)) print_message("  %s %.2f\n", stall_table[i].name, time_share((enum stall)i));
    fail_msg("%s has %.2f of the warps' time", stall_table[cause].name, time_share(cause));
}

static void no_warp(void **state) { (void)state, one_warp_of_many(), above_all(STALL_EMPTY); }
static void selected(void **state) { (void)state, independent_additions(32, "sm.warps=1"), above_all(STALL_SELECTED); }
static void not_selected(void **state) { (void)state, independent_additions(MANY, "sm.warps=16"), above_all(STALL_NOT_SELECTED); }
static void no_instruction(void **state) { (void)state, cold_code(), above_all(STALL_NO_INSTRUCTION); }
static void branch_resolving(void **state) { (void)state, many_branches(), above_all(STALL_BRANCH); }
static void barrier(void **state) { (void)state, one_warp_late(), above_all(STALL_BARRIER); }
static void pool_full(void **state) { (void)state, one_entry_for_many(), above_all(STALL_POOL); }
static void membar(void **state) { (void)state, fenced_stores(), above_all(STALL_MEMBAR); }
static void wait_for_a_unit(void **state) { (void)state, dependent_additions(), above_all(STALL_WAIT); }
static void short_scoreboard_shared(void **state) { (void)state, shared_chase(), above_all(STALL_SHORT); }
static void short_scoreboard_constants(void **state) { (void)state, constant_chase(), above_all(STALL_SHORT); }
static void long_scoreboard_global(void **state) { (void)state, global_chase(), above_all(STALL_LONG); }
static void dispatching(void **state) {
    (void)state, independent_additions(MANY, "sm.order=tomasulo"), above_all(STALL_DISPATCHING);
}
static void window_full(void **state) {
    (void)state, divisions_in_a_window("sm.order=tomasulo", "order.window=1"), above_all(STALL_WINDOW);
}
static void no_station(void **state) {
    (void)state, divisions_in_a_window("sm.order=tomasulo", "order.stations=1"), above_all(STALL_STATION);
}
static void no_register(void **state) {
    (void)state, divisions_in_a_window("sm.order=rob", "order.registers=1"), above_all(STALL_RENAME);
}
static void bus(void **state) { (void)state, results_for_one_bus(), above_all(STALL_BUS); }
static void memory_order(void **state) { (void)state, stores_that_are_not_certain(), above_all(STALL_MEMORY_ORDER); }
static void long_scoreboard_local(void **state) { (void)state, local_chase(), above_all(STALL_LONG); }
static void atomic_order(void **state) { (void)state, loads_behind_atomics(), above_all(STALL_ATOMIC_ORDER); }
static void math_pipe_throttle(void **state) {
    (void)state, busy_sfu("sm.operands.ideal=true", "sm.collectors=generic:4"), above_all(STALL_MATH);
}
static void dispatch_stall(void **state) {
    (void)state, busy_sfu("sm.operands.ideal=false", "sm.collectors=generic:4"), above_all(STALL_DISPATCH);
}
static void lg_throttle(void **state) { (void)state, divergent_loads("sm.l1.mshrs=4"), above_all(STALL_LG); }
static void mio_throttle(void **state) { (void)state, conflicting_loads(), above_all(STALL_MIO); }
static void restricted(void **state) { (void)state, restricted_loads(), above_all(STALL_RESTRICT); }
static void drain(void **state) { (void)state, load_and_end(), above_all(STALL_DRAIN); }

/* --- hazards: most cycles of hazards are of this kind */

static void hazard_above_all(enum hazard h) {
    shown_hazard[h] = true;
    u64 all = 0, mine = ran.stats->sum.hazards[h];
    for (u32 i = 0; i < HAZARD_COUNT; i++) all += ran.stats->sum.hazards[i];
    if (!all || mine * 2 < all)
        fail_msg("%s: %llu cycles of %llu", hazard_table[h].name, (unsigned long long)mine, (unsigned long long)all);
}

static void hazard_div(void **state) { (void)state, divergent_loads("gpu.perfect_memory=true"), hazard_above_all(HAZARD_DIV); }
static void hazard_bank(void **state) { (void)state, conflicting_loads(), hazard_above_all(HAZARD_BANK); }
static void hazard_mshr(void **state) { (void)state, divergent_loads("sm.l1.mshrs=4"), hazard_above_all(HAZARD_MSHR); }
static void hazard_merge(void **state) {
    (void)state;
    RUN(.body = OUT "ld.global.u32 %r1, [%rd0];\nadd.u32 %r1, %r1, 1;\n", .threads = MANY, .keys = {ONE_SM, "sm.l1.merge=2"});
    hazard_above_all(HAZARD_MERGE);
}
static void hazard_comq(void **state) { (void)state, divergent_loads("noc.credits=1"), hazard_above_all(HAZARD_COMQ); }
static void hazard_order(void **state) { (void)state, loads_behind_a_replay(), hazard_above_all(HAZARD_ORDER); }
static void hazard_tlb(void **state) { (void)state, many_pages(), hazard_above_all(HAZARD_TLB); }
static void hazard_owner(void **state) { (void)state, loads_behind_an_owner(), hazard_above_all(HAZARD_OWNER); }
static void hazard_rsv(void **state) { (void)state, divergent_loads("sm.l1.sets=1"), hazard_above_all(HAZARD_RSV); }

/* --- parts of a CPI stack, in all three methods unless said otherwise */

static void part_above_all(enum cpi x, u32 methods) {
    shown_part[x] = true;
    for (u32 m = 0; m < CPI_METHODS; m++)
        if (methods >> m & 1 && cpi_share((enum cpi_method)m, x) < 0.5) {
            for (u32 i = 0; i < CPI_COUNT; i++)
                print_message("  %s %.2f\n", cpi_table[i].name, cpi_share((enum cpi_method)m, (enum cpi)i));
            fail_msg("%s has %.2f of the cycles by the method %s", cpi_table[x].name, cpi_share((enum cpi_method)m, x),
                     cpi_method_names[m]);
        }
}
enum { ALL_METHODS = 7, GSI = 1 << CPI_GSI, SELECTED = 1 << CPI_SELECTED, PROPORTIONAL = 1 << CPI_PROPORTIONAL };

static void cpi_base(void **state) {
    (void)state, independent_additions(MANY, "sm.warps=16"), part_above_all(CPI_BASE, ALL_METHODS);
}
static void cpi_idle(void **state) {
    (void)state;
    RUN(.body = "add.u32 %r1, %r2, 1;\n", .keys = {ONE_SM, "gpu.launch_cy=1000"});
    part_above_all(CPI_IDLE, ALL_METHODS);
    one_warp_of_many();
    part_above_all(CPI_IDLE, PROPORTIONAL); /* fifteen of sixteen slots */
    part_above_all(CPI_COMPUTE_DATA, GSI | SELECTED);
}
static void cpi_sync_control(void **state) { (void)state, fenced_stores(), part_above_all(CPI_CONTROL, ALL_METHODS); }
static void cpi_empty_ibuffer(void **state) { (void)state, cold_code(), part_above_all(CPI_FETCH, ALL_METHODS); }
static void cpi_memory_data(void **state) { (void)state, global_chase(), part_above_all(CPI_MEMORY_DATA, ALL_METHODS); }
static void cpi_memory_structural(void **state) {
    (void)state, divergent_loads("sm.l1.mshrs=4"), part_above_all(CPI_MEMORY_STRUCTURAL, ALL_METHODS);
}
static void cpi_compute_data(void **state) { (void)state, dependent_additions(), part_above_all(CPI_COMPUTE_DATA, ALL_METHODS); }
static void cpi_compute_structural(void **state) {
    (void)state;
    busy_sfu("sm.operands.ideal=true", "sm.collectors=generic:4");
    part_above_all(CPI_COMPUTE_STRUCTURAL, ALL_METHODS);
}
/* The first warp awaits its last division while the others keep the unit and its collectors */
static void cpi_data_structural(void **state) {
    (void)state;
    RUN(.body = JOIN("mov.u32 %r0, %tid.x;\nmov.b32 %f1, 1;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra $others;\n",
                     repeat(20, "div.rn.f32 %f1, %f1, %f1;\n"), "exit;\n$others:\n",
                     repeat(20, series(8, "sin.approx.f32 %f1#, %f1;\n"))),
        .threads = MANY,
        .keys = {ONE_SM, "sm.operands.ideal=true", "sm.collectors=generic:4", "sm.sched=find_first",
                 "sm.class.fdiv.latency_cy=600"});
    part_above_all(CPI_DATA_STRUCTURAL, SELECTED);
}
static void cpi_order_structural(void **state) {
    (void)state, divisions_in_a_window("sm.order=tomasulo", "order.stations=1"), part_above_all(CPI_ORDER, ALL_METHODS);
}
/* A scheduler that looks at one warp only: warp 0 could go in every cycle, the others wait for divisions */
static void cpi_missed_schedule(void **state) {
    (void)state;
    RUN(.body = JOIN("mov.u32 %r0, %tid.x;\nmov.b32 %f1, 1;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra $slow;\n",
                     repeat(20, series(8, "add.u32 %r1#, %r0, 1;\n")), series(8, "add.u32 %r5, %r5, %r1#;\n"), "exit;\n$slow:\n",
                     repeat(4, "div.rn.f32 %f1, %f1, %f1;\n")),
        .threads = MANY,
        .keys = {ONE_SM, EASY, "sm.sched=vortex_rr", "sm.class.fdiv.latency_cy=700", "sm.sfu.width=32",
                 "sm.class.int.latency_cy=4"});
    part_above_all(CPI_MISSED, GSI);
    part_above_all(CPI_COMPUTE_DATA, SELECTED | PROPORTIONAL);
    double missed = cpi_share(CPI_PROPORTIONAL, CPI_MISSED);
    assert_true(missed > 0 && missed <= 1.0 / 16); /* one slot of sixteen */
}

/* Lanes that wait for others of their warp let these run, and their waiting owns the time: warp_sync is left
 * when nobody can run, in a deadlock. undecoded is of RISC-V programs: tests/unit/test_rv_pipeline.c. */
static void each_has_its_program(void **state) {
    (void)state;
    for (u32 i = 0; i < STALL_COUNT; i++)
        if (!shown_cause[i] && i != STALL_WARP_SYNC && i != STALL_UNDECODED)
            fail_msg("no program shows the cause %s", stall_table[i].name);
    for (u32 i = 0; i < HAZARD_COUNT; i++)
        if (!shown_hazard[i]) fail_msg("no program shows the hazard %s", hazard_table[i].name);
    for (u32 i = 0; i < CPI_COUNT; i++)
        if (!shown_part[i]) fail_msg("no program shows the part %s of a CPI stack", cpi_table[i].name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_warp),
        cmocka_unit_test(selected),
        cmocka_unit_test(not_selected),
        cmocka_unit_test(no_instruction),
        cmocka_unit_test(branch_resolving),
        cmocka_unit_test(barrier),
        cmocka_unit_test(pool_full),
        cmocka_unit_test(membar),
        cmocka_unit_test(wait_for_a_unit),
        cmocka_unit_test(short_scoreboard_shared),
        cmocka_unit_test(short_scoreboard_constants),
        cmocka_unit_test(long_scoreboard_global),
        cmocka_unit_test(long_scoreboard_local),
        cmocka_unit_test(atomic_order),
        cmocka_unit_test(math_pipe_throttle),
        cmocka_unit_test(dispatch_stall),
        cmocka_unit_test(lg_throttle),
        cmocka_unit_test(mio_throttle),
        cmocka_unit_test(restricted),
        cmocka_unit_test(drain),
        cmocka_unit_test(dispatching),
        cmocka_unit_test(window_full),
        cmocka_unit_test(no_station),
        cmocka_unit_test(no_register),
        cmocka_unit_test(bus),
        cmocka_unit_test(memory_order),
        cmocka_unit_test(hazard_div),
        cmocka_unit_test(hazard_bank),
        cmocka_unit_test(hazard_mshr),
        cmocka_unit_test(hazard_merge),
        cmocka_unit_test(hazard_comq),
        cmocka_unit_test(hazard_rsv),
        cmocka_unit_test(hazard_order),
        cmocka_unit_test(hazard_tlb),
        cmocka_unit_test(hazard_owner),
        cmocka_unit_test(cpi_base),
        cmocka_unit_test(cpi_idle),
        cmocka_unit_test(cpi_sync_control),
        cmocka_unit_test(cpi_empty_ibuffer),
        cmocka_unit_test(cpi_memory_data),
        cmocka_unit_test(cpi_memory_structural),
        cmocka_unit_test(cpi_compute_data),
        cmocka_unit_test(cpi_compute_structural),
        cmocka_unit_test(cpi_missed_schedule),
        cmocka_unit_test(cpi_data_structural),
        cmocka_unit_test(cpi_order_structural),
        cmocka_unit_test(each_has_its_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
