/* Issue orders with windows: the lecture's six instructions to the cycle, on a machine whose warps have one
 * thread, and what stations, registers, buses, widths and the window's size do to them.
 *
 * The lecture counts cycles from the first fetch, which is cycle 1: F D E W, ADD has four cycles of E and MUL
 * six. Here a fetch takes two cycles, of which F is the second; an instruction is then dispatched (D), issued
 * (the first E), and leaves its window in W. */
#include "micro.h"

/* MUL R3 <- R1, R2; ADD R5 <- R3, R4; ADD R7 <- R2, R6; ADD R10 <- R8, R9; MUL R11 <- R7, R10;
 * ADD R5 <- R5, R11. What follows keeps every register in a place of its own. */
#define LECTURE_BODY                                                                                                             \
    "mul.lo.u32 %r3, %r1, %r2; // 1\n"                                                                                           \
    "add.u32 %r5, %r3, %r4; // 2\n"                                                                                              \
    "add.u32 %r7, %r2, %r6; // 3\n"                                                                                              \
    "add.u32 %r10, %r8, %r9; // 4\n"                                                                                             \
    "mul.lo.u32 %r11, %r7, %r10; // 5\n"                                                                                         \
    "add.u32 %r5, %r5, %r11; // 6\n"                                                                                             \
    "bar.sync 0;\n" KEEP4("%r1", "%r2", "%r3", "%r4") KEEP4("%r1", "%r5", "%r6", "%r7") KEEP4("%r1", "%r8", "%r9", "%r10")       \
        KEEP2("%r1", "%r11") "ld.param.u64 %rd0, [out];\nst.global.u32 [%rd0], %r1;\n"

/* One thread a warp; a fetch brings one instruction, which can be dispatched in the next cycle; units start
 * one instruction each a cycle, integers in one unit and products in another */
#define LECTURE(order)                                                                                                           \
    "sm.order=" order, "sm.warp_size=1", "sm.fetch.insts=1", "sm.ibuffer=8", "sm.fetch.decode_cy=1", "sm.icache.latency_cy=1",   \
        "sm.icache.ideal=1", "sm.operands.ideal=1", "sm.class.int.latency_cy=4", "sm.class.int.interval_cy=1",                   \
        "sm.class.imul.latency_cy=6", "sm.class.imul.interval_cy=1", "sm.class.int.unit=int", "sm.class.imul.unit=alu",          \
        "sm.alu.units=1", "sm.int.units=1", "sm.issue_width=4"

static void lecture(const char *const *keys, u32 n) {
    struct micro m = {.body = LECTURE_BODY, .threads = 1, .front = true};
    for (u32 i = 0; i < n; i++) m.keys[i] = keys[i];
    micro_run(&m);
}
#define SIX_ON(...)                                                                                                              \
    lecture((const char *const[]){__VA_ARGS__}, (u32)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static const char *const names[] = {"1", "2", "3", "4", "5", "6"};

/* Cycles as the lecture counts them */
static u64 at(enum event_kind kind, u32 i) { return when_of(kind, WHO(names[i])) - event_at(EV_FETCH, 0)->cycle; }

static void check(enum event_kind kind, const u64 *want) {
    for (u32 i = 0; i < 6; i++) assert_int_equal(at(kind, i), want[i]);
}

static u64 last_w(void) {
    u64 last = 0;
    for (u32 i = 0; i < 6; i++) last = MAX(last, at(EV_RETIRE, i));
    return last;
}

/* 31: a source is read in D in the cycle after its writer's W */
static void scoreboard_without_forwarding_takes_31(void **state) {
    (void)state;
    SIX_ON(LECTURE("scoreboard"), "order.forwarding=0");
    check(EV_WINDOW, (const u64[]){2, 3, 11, 12, 13, 19});
    check(EV_ISSUE, (const u64[]){3, 11, 12, 13, 19, 27});
    check(EV_RETIRE, (const u64[]){9, 15, 16, 17, 25, 31});
}

static void scoreboard_with_forwarding_takes_25(void **state) {
    (void)state;
    SIX_ON(LECTURE("scoreboard"));
    check(EV_ISSUE, (const u64[]){3, 9, 10, 11, 15, 21});
    assert_int_equal(last_w(), 25);
}

static void tomasulo_takes_20(void **state) {
    (void)state;
    SIX_ON(LECTURE("tomasulo"));
    check(EV_WINDOW, (const u64[]){2, 3, 4, 5, 6, 7});
    check(EV_ISSUE, (const u64[]){3, 9, 5, 6, 10, 16});
    assert_int_equal(last_w(), 20);
}

/* The derived variants: one bus 21, broadcast a cycle later 22, units that are not pipelined 27 */
static void buses_and_units_of_tomasulo(void **state) {
    (void)state;
    SIX_ON(LECTURE("tomasulo"), "order.buses=1");
    assert_int_equal(last_w(), 21);
    SIX_ON(LECTURE("tomasulo"), "order.broadcast_cy=1");
    assert_int_equal(last_w(), 22);
    SIX_ON(LECTURE("tomasulo"), "sm.class.int.interval_cy=4", "sm.class.imul.interval_cy=6");
    assert_int_equal(last_w(), 27);
}

/* Chains of eight warps that share one bus: an instruction waits for the adder as long as that works, then
 * for the bus, also when nothing else happens to its warp */
static void waiting_for_a_bus_is_said(void **state) {
    (void)state;
    struct micro m = {.body = "add.u32 %r2, %r1, %r1;\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r2, %r2, %r1;\n"
                              "add.u32 %r2, %r2, %r1;\nadd.u32 %r2, %r2, %r1;\nbar.sync 0;\n" KEEP2("%r1", "%r2"),
                      .threads = 8,
                      .keys = {LECTURE("tomasulo"), "order.buses=1", "order.dispatch_width=8", "sm.schedulers=2", "sm.subcores=1",
                               "sm.int.units=2"}};
    micro_run(&m);
    assert_int_equal(warp_time(STALL_WAIT), 6 * 8 * 5 * 3); /* of five results each waits three cycles for the adder */
    assert_true(warp_time(STALL_BUS) > warp_time(STALL_WAIT));
}

/* With a reorder buffer the six take as long; they leave in order, one a cycle */
static void rob_takes_20_and_leaves_in_order(void **state) {
    (void)state;
    SIX_ON(LECTURE("rob"));
    check(EV_ISSUE, (const u64[]){3, 9, 5, 6, 10, 16});
    check(EV_RETIRE, (const u64[]){9, 13, 14, 15, 16, 20});
    SIX_ON(LECTURE("rob"), "order.retire_width=4");
    check(EV_RETIRE, (const u64[]){9, 13, 13, 13, 16, 20});
}

/* What is short holds dispatch up; what it waits for is said */
static void a_short_resource_stops_dispatch(void **state) {
    (void)state;
    SIX_ON(LECTURE("rob"), "order.window=2");
    assert_true(at(EV_WINDOW, 2) == at(EV_RETIRE, 0) + 1);
    assert_true(warp_time(STALL_WINDOW) > 0);
    SIX_ON(LECTURE("tomasulo"), "order.stations=1");
    assert_true(at(EV_WINDOW, 2) == when(EV_READY, "2") - event_at(EV_FETCH, 0)->cycle); /* the adder's one station */
    assert_true(warp_time(STALL_STATION) > 0);
    SIX_ON(LECTURE("tomasulo"), "order.stations=1", "order.stations.shared=1");
    assert_true(at(EV_WINDOW, 1) == when(EV_READY, "1") - event_at(EV_FETCH, 0)->cycle);
    SIX_ON(LECTURE("rob"), "order.registers=1");
    assert_true(at(EV_WINDOW, 1) == at(EV_RETIRE, 0) + 1);
    assert_true(warp_time(STALL_RENAME) > 0);
    SIX_ON(LECTURE("tomasulo"), "order.buses=1", "order.dispatch_width=2", "sm.fetch.insts=4");
    assert_true(stat_of("bus_wait_cycles") > 0);
    assert_int_equal(at(EV_WINDOW, 1), at(EV_WINDOW, 0));
}

/* Loads do not pass stores, and pass each other; a store goes to memory, with a reorder buffer, when all
 * before it is complete */
static void memory_keeps_its_order(void **state) {
    (void)state;
    const char *body =
        MINE "div.u32 %r2, %r0, 3;\n" /* long */
             "st.global.u32 [%rd1], %r2; // S\n"
             "ld.global.u32 %r3, [%rd1+4096]; // L\n"
             "ld.global.u32 %r4, [%rd1+8192]; // M\n" KEEP4("%r2", "%r3", "%r4", "%r0") "st.global.u32 [%rd1], %r2;\n";
    RUN(.body = body, .keys = {"sm.order=tomasulo", "sm.class.idiv.latency_cy=60"});
    assert_true(issue("L") > issue("S"));
    RUN(.body = JOIN(MINE "ld.global.u32 %r3, [%rd1+4096]; // L\nadd.u32 %r5, %r3, 1; // A\nadd.u32 %r6, %r0, 1; // B\n",
                     "st.global.u32 [%rd1], %r6; // S\nst.global.u32 [%rd1+4], %r5;\n"),
        .keys = {"sm.order=rob"});
    assert_true(issue("B") < issue("A"));
    assert_true(issue("S") >= when(EV_READY, "A"));
    assert_true(warp_time(STALL_MEMORY_ORDER) > 0);
}

/* ghost passes what waits, as far as it looks, and not where a register's name is in the way */
static void ghost_looks_a_few_instructions_ahead(void **state) {
    (void)state;
    const char *body =
        "mul.lo.u32 %r3, %r1, %r2; // M\nadd.u32 %r4, %r3, 1; // A\nadd.u32 %r5, %r3, 2; // B\n"
        "add.u32 %r6, %r1, 3; // C\nadd.u32 %r2, %r1, 4; // D\nadd.u32 %r4, %r1, 5; // E\n" KEEP4("%r1", "%r2", "%r3", "%r4")
            KEEP2("%r5", "%r6");
    RUN(.body = body, .keys = {"sm.order=ghost", "order.ahead=3", "sm.class.imul.latency_cy=40"});
    assert_true(issue("C") < when(EV_READY, "M"));
    assert_int_equal(apart("M", "A"), 40);
    assert_true(issue("D") > issue("C"));
    assert_true(issue("D") < issue("A")); /* what M read, it has read */
    assert_true(issue("E") > issue("A")); /* A's result has the same name */
    RUN(.body = body, .keys = {"sm.order=ghost", "order.ahead=2", "sm.class.imul.latency_cy=40"});
    assert_true(issue("C") > when(EV_READY, "M"));
}

/* A load, a store and a branch that wait have no unit whose beats they could fill; a load whose value comes
 * after a read of the register it overwrites does not wait for that */
static void what_runs_on_no_unit_has_no_pace(void **state) {
    (void)state;
    const char *body = MINE "add.u32 %r3, %r0, 1;\nmul.lo.u32 %r4, %r3, %r3; // M\nld.global.u32 %r3, [%rd1]; // L\n"
                            "st.global.u32 [%rd1+4096], %r4;\nst.global.u32 [%rd1+8192], %r3;\n"
                            "setp.eq.u32 %p1, %r4, 77;\n@%p1 bra END;\nst.global.u32 [%rd1+12288], %r3;\nEND:\n";
    static const char *const orders[] = {"sm.order=scoreboard", "sm.order=tomasulo", "sm.order=rob", "sm.order=ghost",
                                         "sm.order=loog"};
    for (u32 i = 0; i < sizeof(orders) / sizeof(*orders); i++) RUN(.body = body, .keys = {orders[i], "sm.warp_scale=hybrid"});
    RUN(.body = body, .keys = {"sm.order=ghost"});
    assert_int_equal(apart("M", "L"), 1);
}

/* A station of loog is a collector: free when its instruction issues, not when its result is there */
static void loog_frees_stations_at_issue(void **state) {
    (void)state;
    SIX_ON(LECTURE("loog"), "order.stations=1", "order.stations.shared=1");
    assert_int_equal(at(EV_WINDOW, 1), at(EV_ISSUE, 0));
    assert_int_equal(at(EV_WINDOW, 2), at(EV_ISSUE, 1));
}

/* A loop of eight rounds: dispatch waits at each branch, or goes on as it is guessed; the last is wrong */
static void branches_are_guessed(void **state) {
    (void)state;
    const char *body = "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1; // A\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra L; // B\n"
                       "add.u32 %r2, %r1, 1; // C\n" KEEP2("%r1", "%r2");
    RUN(.body = body, .keys = {"sm.order=rob", "sm.branch_cy=30"});
    assert_stat("branches_guessed", 0);
    assert_int_equal(when(EV_WINDOW, "A", .nth = 1) - issue("B"), 30 + 3); /* and a fetch */
    RUN(.body = body, .keys = {"sm.order=rob", "sm.branch_cy=30", "order.speculate=static"});
    assert_stat("branches_guessed", 7);
    assert_stat("branches_mistaken", 1);
    assert_true(when(EV_WINDOW, "A", .nth = 1) < issue("B") + 30);
    assert_int_equal(when(EV_WINDOW, "C") - issue("B", .nth = 7), 30);
    RUN(.body = body, .keys = {"sm.order=rob", "sm.branch_cy=30", "order.speculate=bimodal"});
    assert_stat("branches_mistaken", 3); /* two to learn */
    /* two branches that share an entry of the table */
    const char *two = "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\nsetp.gt.u32 %p2, %r1, 100;\n@%p2 bra M;\n"
                      "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\nM:\n" KEEP2("%r1", "%r2");
    RUN(.body = two, .keys = {"sm.order=rob", "order.speculate=bimodal", "order.bimodal.entries=1"});
    double shared = stat_of("branches_mistaken");
    RUN(.body = two, .keys = {"sm.order=rob", "order.speculate=bimodal"});
    assert_true(stat_of("branches_mistaken") < shared);
}

/* S stores to where L reads, and its address comes late; U uses what L read */
#define LATE_STORE(load)                                                                                                         \
    "ld.global.u32 %r5, [%rd1+4096]; // V\n"                                                                                     \
    "rem.u32 %r12, %r5, 7;\n"                                                                                                    \
    "rem.u32 %r12, %r12, 5;\n" /* S is not certain for long after its address is known */                                        \
    "div.u32 %r8, %r5, 3; // K\n"                                                                                                \
    "cvt.u64.u32 %rd5, %r8;\n"                                                                                                   \
    "add.u64 %rd6, %rd1, %rd5; // P\n"                                                                                           \
    "st.global.u32 [%rd6], %r0; // S\n" load "; // L\n"                                                                          \
    "add.u32 %r7, %r6, 1; // U\n"                                                                                                \
    "st.global.u32 [%rd1+8192], %r7;\nst.global.u32 [%rd1+12288], %r12;\n"
#define MEMORY(how) "sm.order=rob", "order.memory=" how, "sm.class.idiv.latency_cy=400"

static void a_load_takes_its_value_from_a_store(void **state) {
    (void)state;
    RUN(.body = MINE LATE_STORE("ld.global.u32 %r6, [%rd1]"), .keys = {MEMORY("conservative"), "order.forward_cy=5"});
    assert_int_equal(issue("L"), when(EV_READY, "P"));
    assert_int_equal(event_of(EV_ACCESS, WHO("L"))->cause, ACCESS_FORWARD);
    assert_int_equal(when(EV_READY, "L") - issue("L"), 5);
    assert_stat("loads_forwarded", 1);
    RUN(.body = MINE LATE_STORE("ld.global.u16 %r6, [%rd1]"), .keys = {MEMORY("conservative")});
    assert_true(issue("L") > issue("S")); /* not all it reads: it goes to memory, behind the store */
    assert_stat("loads_forwarded", 0);
    RUN(.body = MINE LATE_STORE("ld.global.u32 %r6, [%rd1+16384]"), .keys = {MEMORY("conservative")});
    assert_int_equal(issue("L"), when(EV_READY, "P")); /* elsewhere, but that is known late */
    RUN(.body = MINE LATE_STORE("ld.global.u32 %r6, [%rd1+16384]"), .keys = {MEMORY("aggressive")});
    assert_true(issue("L") < issue("K"));
    assert_stat("order_violations", 0);
}

static void what_read_too_early_issues_again(void **state) {
    (void)state;
    RUN(.body = MINE LATE_STORE("ld.global.u32 %r6, [%rd1]"), .keys = {MEMORY("aggressive")});
    assert_stat("order_violations", 1);
    assert_stat("reexecuted", 2);
    assert_int_equal(events(EV_SQUASH, "L") + events(EV_SQUASH, "U"), 2);
    assert_int_equal(events(EV_ISSUE, "L"), 2);
    assert_int_equal(when(EV_SQUASH, "L"), when(EV_READY, "P"));
    assert_true(issue("L") < issue("K"));
    u64 instructions = (u64)stat_of("warp_instructions"), loads = (u64)stat_of("global_loads");
    RUN(.body = MINE LATE_STORE("ld.global.u32 %r6, [%rd1]"), .keys = {MEMORY("conservative")});
    assert_stat("warp_instructions", (double)instructions); /* counted once */
    assert_stat("global_loads", (double)loads);
}

/* Every load counts once, from its last issue to its result, wherever that comes from and whatever became of
 * the tries before: of L here from the store, after a try that was complete, and one that was not */
static void latency_is_of_the_last_try(void **state) {
    (void)state;
    const char *soon = MINE LATE_STORE("ld.global.u32 %r6, [%rd1]");
    const char *later = MINE LATE_STORE("cvt.u64.u32 %rd7, %r5;\nadd.u64 %rd7, %rd1, %rd7;\nld.global.u32 %r6, [%rd7]");
    for (u32 i = 0; i < 3; i++) {
        RUN(.body = i == 2 ? later : soon,
            .keys = {MEMORY("aggressive"), i ? "order.memory=aggressive" : "order.memory=conservative",
                     i == 2 ? "sm.class.idiv.latency_cy=40" : "sm.class.idiv.latency_cy=400", "order.forward_cy=5"});
        assert_stat("loads_forwarded", 1);
        assert_int_equal(events(EV_SQUASH, "L"), i != 0);
        assert_int_equal(events(EV_COMPLETE, "L"), i == 1 ? 2 : 1);
        assert_stat("load_latency_cycles", (double)(when(EV_COMPLETE, "V") - issue("V") + 5));
    }
}

/* B takes over from E, which is complete, the lanes it does not write; C writes just those of B, and U has
 * E's value from it */
static void values_taken_over_are_taken_back(void **state) {
    (void)state;
    const char *body = MINE "setp.lt.u32 %p2, %r0, 16;\n" LATE_STORE(
        "ld.global.u32 %r6, [%rd1]; // E\nrem.u32 %r20, %r0, 7;\nsetp.eq.u32 %p3, %r20, 9;\n@%p3 bra END; // J\n"
        "@%p2 add.u32 %r6, %r0, 1; // B\n@%p2 add.u32 %r6, %r0, 2") "END:\n";
    RUN(.body = body, .keys = {MEMORY("aggressive"), "order.window=64"});
    assert_true(when(EV_WINDOW, "B") > when(EV_READY, "E"));
    assert_true(issue("U") < when(EV_SQUASH, "E"));
    assert_int_equal(when(EV_SQUASH, "U"), when(EV_SQUASH, "E"));
}

/* M has E's value through memory, from a store that has not issued: it is taken back with E, and waits until
 * the store has its operand again */
static void values_given_by_stores_are_taken_back(void **state) {
    (void)state;
    RUN(.body =
            MINE LATE_STORE("ld.global.u32 %r6, [%rd1]; // E\nst.global.u32 [%rd1+20480], %r6;\n"
                            "rem.u32 %r20, %r0, 7;\nand.b32 %r20, %r20, 0;\ncvt.u64.u32 %rd7, %r20;\nadd.u64 %rd7, %rd7, %rd1;\n"
                            "ld.global.u32 %r9, [%rd7+20480]; // M\nadd.u32 %r9, %r9, 1"),
        .keys = {MEMORY("aggressive"), "order.window=64", "order.forward_cy=9"});
    assert_true(issue("M") < when(EV_SQUASH, "E"));
    assert_int_equal(when(EV_SQUASH, "M"), when(EV_SQUASH, "E"));
    assert_stat("order_violations", 1);
    assert_stat("loads_forwarded", 3); /* M twice, E when it goes again */
}

/* Both stores have their operands when P is there, but the first takes back what the second stores: that one
 * is not known before it has it again, and catches M once */
static void a_store_that_waits_again_is_not_known(void **state) {
    (void)state;
    RUN(.body = MINE LATE_STORE("ld.global.u32 %r6, [%rd1]; // E\nst.global.u32 [%rd6+20480], %r6;\n"
                                "ld.global.u32 %r9, [%rd1+20480]; // M\nadd.u32 %r9, %r9, 1"),
        .keys = {MEMORY("aggressive"), "order.window=64", "order.forward_cy=9"});
    assert_stat("order_violations", 2);
    assert_int_equal(events(EV_SQUASH, "M"), 1);
    assert_int_equal(when(EV_SQUASH, "M"), when(EV_SQUASH, "E") + 1 + 9);
}

/* A guard that comes late delays who reads it, and not who waits for something else */
static void only_a_guard_is_late(void **state) {
    (void)state;
    const char *guarded = "setp.eq.u32 %p1, %r1, 1; // P\n@%p1 bra END; // B\nEND:\n" KEEP2("%r1", "%r3");
    const char *indexed = "T: .branchtargets X, Y;\nadd.cc.u32 %r5, %r1, 1; // P\naddc.u32 %r6, %r1, 1;\n"
                          "brx.idx %r5, T; // B\nX:\nadd.u32 %r1, %r1, 1;\nY:\n" KEEP4("%r1", "%r3", "%r5", "%r6");
    for (u32 late = 0; late < 20; late += 10) {
        RUN(.body = guarded, .keys = {"sm.order=tomasulo", text("sm.branch_guard_cy=%u", late)});
        assert_int_equal(issue("B") - when(EV_READY, "P"), late);
        RUN(.body = indexed, .keys = {"sm.order=tomasulo", text("sm.branch_guard_cy=%u", late)});
        assert_int_equal(issue("B") - when(EV_READY, "P"), 1); /* behind the addc, which waits for the carry */
    }
}

/* R reads what A wrote; that M, whose name it was before, is complete only now is nothing to it */
static void an_older_writer_is_no_news(void **state) {
    (void)state;
    const char *body =
        JOIN("mul.lo.u32 %r3, %r1, %r2; // M\nadd.u32 %r4, %r3, 1;\nadd.u32 %r3, %r1, 1; // A\n",
             repeat(42, "add.u32 %r5, %r1, 2;\n"), "add.u32 %r6, %r3, 1; // R\n", KEEP4("%r3", "%r4", "%r5", "%r6"));
    RUN(.body = body, .keys = {"sm.order=tomasulo", "order.window=64", "order.broadcast_cy=20", "sm.class.imul.latency_cy=40"});
    assert_true(when(EV_WINDOW, "R") > when(EV_READY, "M"));
    assert_true(when(EV_WINDOW, "R") < when(EV_READY, "M") + 19);
    assert_int_equal(issue("R") - when(EV_WINDOW, "R"), 1);
}

/* The oldest that can issue is shown again as soon as its unit is free, also where a younger one was shown
 * instead and another warp went */
static void the_oldest_is_shown_again(void **state) {
    (void)state;
    RUN(.body = "mul.lo.u32 %r3, %r1, %r2; // A\nadd.u32 %r4, %r1, 1; // B\nbar.sync 0;\n" KEEP4("%r1", "%r2", "%r3", "%r4"),
        .threads = 128,
        .keys = {"sm.order=tomasulo", "sm.schedulers=1", "sm.subcores=1", "sm.operands.ideal=1", "sm.class.int.unit=int",
                 "sm.class.imul.unit=alu", "sm.alu.units=1", "sm.int.units=1", "sm.class.imul.interval_cy=2",
                 "sm.class.int.interval_cy=1", "sm.sched=lrr", "order.dispatch_width=4"});
    assert_int_equal(issue("B", .slot = 1) - issue("A", .slot = 0), 1); /* slots 2 and 3 show B, too */
    assert_int_equal(issue("A", .slot = 2) - issue("A", .slot = 0), 2);
}

/* Three rounds: a load that was caught with a store waits for it from then on; others may share its entry */
static void store_sets_remember(void **state) {
    (void)state;
    const char *body = MINE "mov.u32 %r3, 0;\nAGAIN:\n" LATE_STORE(
        "ld.global.u32 %r6, [%rd1]") "bar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 3;\n@%p1 bra AGAIN;\n";
    RUN(.body = body, .keys = {MEMORY("aggressive")});
    assert_stat("order_violations", 3);
    RUN(.body = body, .keys = {MEMORY("predicted")});
    assert_stat("order_violations", 1);
    const char *other =
        JOIN(MINE, LATE_STORE("ld.global.u32 %r6, [%rd1]"), "bar.sync 0;\nld.global.u32 %r9, [%rd1+28672];\n",
             "div.u32 %r10, %r9, 3;\ncvt.u64.u32 %rd7, %r10;\nadd.u64 %rd8, %rd1, %rd7; // Q\n",
             "st.global.u32 [%rd8+32768], %r0;\nld.global.u32 %r11, [%rd1+20480]; // M\n", "st.global.u32 [%rd1+24576], %r11;\n");
    RUN(.body = other, .keys = {MEMORY("predicted")});
    assert_true(issue("M") < when(EV_READY, "Q"));
    RUN(.body = other, .keys = {MEMORY("predicted"), "order.storesets=1"});
    assert_true(issue("M") >= when(EV_READY, "Q"));
}

/* Dispatch stops at a barrier, and goes on when it opens */
static void dispatch_stops_at_barriers(void **state) {
    (void)state;
    RUN(.body = MINE
        "ld.global.u32 %r3, [%rd1]; // L\nadd.u32 %r4, %r0, 1; // A\nbar.sync 0; // Z\nadd.u32 %r5, %r0, 2; // B\n" KEEP4(
            "%r3", "%r4", "%r5", "%r0") "st.global.u32 [%rd1], %r3;\n",
        .keys = {"sm.order=tomasulo"});
    assert_true(issue("A") < when(EV_READY, "L"));
    assert_true(issue("Z") > when(EV_RETIRE, "L"));
    assert_true(when(EV_WINDOW, "B") > issue("Z"));
    assert_int_equal(events(EV_WINDOW, "Z"), 0);
}

/* The ways to precise state (order.precise). With checkpoints instructions leave three by three: when the
 * last of them is complete */
static void an_interval_leaves_together(void **state) {
    (void)state;
    SIX_ON(LECTURE("rob"), "order.precise=checkpoint", "order.checkpoint.every=3");
    check(EV_ISSUE, (const u64[]){3, 9, 5, 6, 10, 16});
    check(EV_RETIRE, (const u64[]){13, 13, 13, 20, 20, 20});
    SIX_ON(LECTURE("rob"), "order.precise=history");
    check(EV_RETIRE, (const u64[]){9, 13, 14, 15, 16, 20});
}

static u64 last_issue(const char *label) {
    u64 uid = event_of(EV_ISSUE, WHO(label))->uid, last = 0;
    for (u32 i = 0; i < ran.events.n; i++)
        if (ran.events.at[i].kind == EV_ISSUE && ran.events.at[i].uid == uid) last = MAX(last, ran.events.at[i].cycle);
    return last;
}

/* L read too early, U used it, and both are complete when S finds out. A reorder buffer drops their
 * results; a history buffer puts the old ones back; a future file waits until L is the oldest; checkpoints
 * go back to before K, whose 400 cycles come again */
static void going_back_costs_time(void **state) {
    (void)state;
    const char *body = MINE LATE_STORE("ld.global.u32 %r6, [%rd1]");
    static const struct {
        const char *key, *more;
        u32 later;
    } ways[] = {{"order.precise=rob", "order.history.width=1", 1},
                {"order.precise=history", "order.history.width=1", 3},
                {"order.precise=history", "order.history.width=2", 2}};
    for (u32 i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        RUN(.body = body, .keys = {MEMORY("aggressive"), ways[i].key, ways[i].more});
        assert_int_equal(last_issue("L") - when(EV_SQUASH, "L"), ways[i].later);
        assert_stat("restore_cycles", ways[i].later - 1);
        assert_stat("reexecuted", 2);
    }
    RUN(.body = body, .keys = {MEMORY("aggressive"), "order.precise=future"});
    assert_true(last_issue("L") >= when(EV_READY, "S"));
    RUN(.body = body, .keys = {MEMORY("aggressive"), "order.precise=checkpoint", "order.checkpoint.every=12"});
    assert_true(stat_of("reexecuted") > 2);
    assert_true(last_issue("L") >= when(EV_READY, "S"));
    assert_stat("order_violations", 1);
    assert_true(last_issue("K") > when(EV_SQUASH, "L"));
    RUN(.body = body, .keys = {MEMORY("aggressive"), "order.precise=checkpoint", "order.checkpoint.every=1"});
    assert_true(last_issue("K") < when(EV_SQUASH, "L")); /* each its own copy */
}

/* A branch that was guessed wrong: dispatch goes on when it is resolved, a cycle later from a copy, and
 * with a future file when the branch has left */
static void a_wrong_guess_costs_time(void **state) {
    (void)state;
    const char *body = "mov.u32 %r1, 0;\nL:\nadd.u32 %r1, %r1, 1;\ndiv.u32 %r3, %r1, 7; // D\nsetp.lt.u32 %p1, %r1, 2;\n"
                       "@%p1 bra L; // B\nadd.u32 %r2, %r1, 1; // C\n" KEEP4("%r1", "%r2", "%r3", "%r1");
    static const char *const ways[] = {"rob", "history", "checkpoint", "future"};
    for (u32 i = 0; i < 4; i++) {
        RUN(.body = body, .keys = {"sm.order=rob", "sm.branch_cy=30", "order.speculate=static", "sm.class.idiv.latency_cy=100",
                                   text("order.precise=%s", ways[i])});
        assert_stat("branches_mistaken", 1);
        u64 issued = issue("B", .nth = 1), dispatched = when(EV_WINDOW, "C");
        if (i < 3) assert_int_equal(dispatched - issued, i == 2 ? 31 : 30);
        else assert_int_equal(dispatched, when(EV_RETIRE, "B", .nth = 1) + 1);
    }
}

/* F faults. A and B are younger, need nothing of it, and have written when that is found; U needs its
 * value; the store, and what is behind it, is not dispatched */
static void a_fault_finds_what_younger_ones_wrote(void **state) {
    (void)state;
    const char *body = MINE "mov.u64 %rd9, 16;\nld.global.u32 %r2, [%rd9]; // F\nadd.u32 %r3, %r0, 1; // A\n"
                            "mul.lo.u32 %r4, %r0, 3; // B\nadd.u32 %r5, %r2, 1; // U\nst.global.u32 [%rd1], %r3; // S\n"
                            "add.u32 %r6, %r0, 2;\n" KEEP4("%r3", "%r4", "%r5", "%r6") "st.global.u32 [%rd1], %r3;\n";
    static const char *const imprecise[] = {"sm.order=tomasulo", "sm.order=loog", "sm.order=ghost"};
    for (u32 i = 0; i < 3; i++) {
        RUN(.body = body, .keys = {imprecise[i]}, .fault = "load of 4 bytes at global address 0x10");
        RUN(.body = body, .keys = {imprecise[i]}, .fault = "2 younger instructions of its warp had already written");
        RUN(.body = body, .keys = {imprecise[i]}, .fault = "mul.lo.u32 %r4, %r0, 3");
    }
    static const char *const ways[] = {"rob", "history", "future", "checkpoint"};
    static const char *const later[] = {"had written its result (sm.order = rob)", "back 3 cycles later", "back 1 cycle later",
                                        "back 1"};
    for (u32 i = 0; i < 4; i++) {
        const char *key = text("order.precise=%s", ways[i]);
        RUN(.body = body, .keys = {"sm.order=rob", key}, .fault = "no younger instruction of its warp had written");
        RUN(.body = body, .keys = {"sm.order=rob", key}, .fault = later[i]);
    }
    /* a younger one that faults too is not what is told */
    RUN(.body = MINE "mov.u64 %rd9, 16;\nld.global.u32 %r2, [%rd9];\nld.global.u32 %r3, [%rd9+32];\nadd.u32 %r3, %r3, %r2;\n"
                     "st.global.u32 [%rd1], %r3;\n",
        .keys = {"sm.order=tomasulo"}, .fault = "global address 0x10, a null pointer");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scoreboard_without_forwarding_takes_31),
        cmocka_unit_test(scoreboard_with_forwarding_takes_25),
        cmocka_unit_test(tomasulo_takes_20),
        cmocka_unit_test(buses_and_units_of_tomasulo),
        cmocka_unit_test(waiting_for_a_bus_is_said),
        cmocka_unit_test(rob_takes_20_and_leaves_in_order),
        cmocka_unit_test(a_short_resource_stops_dispatch),
        cmocka_unit_test(memory_keeps_its_order),
        cmocka_unit_test(ghost_looks_a_few_instructions_ahead),
        cmocka_unit_test(what_runs_on_no_unit_has_no_pace),
        cmocka_unit_test(loog_frees_stations_at_issue),
        cmocka_unit_test(branches_are_guessed),
        cmocka_unit_test(a_load_takes_its_value_from_a_store),
        cmocka_unit_test(what_read_too_early_issues_again),
        cmocka_unit_test(latency_is_of_the_last_try),
        cmocka_unit_test(values_taken_over_are_taken_back),
        cmocka_unit_test(values_given_by_stores_are_taken_back),
        cmocka_unit_test(a_store_that_waits_again_is_not_known),
        cmocka_unit_test(only_a_guard_is_late),
        cmocka_unit_test(an_older_writer_is_no_news),
        cmocka_unit_test(the_oldest_is_shown_again),
        cmocka_unit_test(an_interval_leaves_together),
        cmocka_unit_test(going_back_costs_time),
        cmocka_unit_test(a_wrong_guess_costs_time),
        cmocka_unit_test(a_fault_finds_what_younger_ones_wrote),
        cmocka_unit_test(store_sets_remember),
        cmocka_unit_test(dispatch_stops_at_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
