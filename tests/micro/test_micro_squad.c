/* Thread block compaction and large warps: when warps wait for each other, who is compacted with whom, and
 * who goes first. */
#include "core/core.h"
#include "micro.h"

#define TBC "sm.diverge=tbc"
#define LWM "sm.diverge=lwm"

/* %r1 is the lane, %r2 the warp; lanes of p3 go to C, the others to B, and all meet at D */
#define LANES "and.b32 %r1, %r0, 31;\nshr.u32 %r2, %r0, 5;\n"
#define PART(condition)                                                                                                          \
    OUT LANES condition "@%p3 bra $c; // A\nadd.u32 %r7, %r0, 1; // B\nbra $end;\n$c:\nadd.u32 %r7, %r0, 2; // C\n"              \
                        "$end:\nadd.u32 %r8, %r0, 1; // D\n" KEEP2("%r8", "%r7")
/* Lanes from 16 on of even warps, below 16 of odd ones */
#define HALVES "setp.lt.u32 %p1, %r1, 16;\nand.b32 %r3, %r2, 1;\nsetp.eq.u32 %p2, %r3, 0;\nxor.pred %p3, %p1, %p2;\n"

/* Issues of fronts at an instruction, the positions of the last, and the cycles of the first and last */
struct fronts {
    u32 n;
    u64 lanes, first_cy, last_cy;
};
static struct fronts fronts_at(const char *label) {
    struct fronts x = {0};
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_FRONT || e->cause != FRONT_ISSUES || e->pc != pc_of(label)) continue;
        if (!x.n++) x.first_cy = e->cycle;
        x.lanes = e->mask, x.last_cy = e->cycle;
    }
    return x;
}

/* --- a block of two warps, half of each going either way: each side is one front, and both warps are back
 * at D */
static void two_halves_are_one_front(void **state) {
    (void)state;
    for (u32 form = 0; form < 8; form += 3) {
        RUN(.body = PART(HALVES), .threads = 64, .keys = {TBC, text("tbc.form_cy=%u", form)});
        struct fronts b = fronts_at("B"), c = fronts_at("C"), d = fronts_at("D");
        assert_true(b.n == 1 && c.n == 1 && d.n == 2);
        assert_true(b.lanes == 0xFFFFFFFF && c.lanes == 0xFFFFFFFF && d.lanes == 0xFFFFFFFF);
        assert_int_equal(issue("B", .slot = 0), issue("B", .slot = 1));
        assert_int_equal(events(EV_ISSUE, "D", .slot = 0), 1); /* whole, and at home */
        assert_int_equal(event_of(EV_ISSUE, WHO("D"))->a, 0xFFFFFFFF);
        /* the later branch is resolved after sm.branch_cy, and the compactor takes its time */
        u64 resolved = fronts_at("A").last_cy + ran.config->branch_cy;
        assert_int_equal(fronts_at("A").last_cy, fronts_at("A").first_cy + 1);
        assert_int_equal(b.first_cy, resolved + form);
        assert_true(c.first_cy > b.first_cy && d.first_cy > c.first_cy);
        assert_int_equal(d.last_cy, d.first_cy + MAX(1u, form)); /* a front every form cycles */
        assert_stat("squad_syncs", 1);
        assert_stat("squad_formed", 4);
        assert_stat("squad_saved", 2);
        assert_stat("squad_entries_peak", 3);
    }
    RUN(.body = PART(HALVES), .threads = 64);
    assert_int_equal(events(EV_ISSUE, "B", .slot = 0) + events(EV_ISSUE, "B", .slot = 1), 2);
    assert_true(issue("B", .slot = 0) != issue("B", .slot = 1));
}

/* The same lanes of two warps find each other in their way */
static void lanes_are_kept(void **state) {
    (void)state;
    RUN(.body = PART("setp.lt.u32 %p3, %r1, 16;\n"), .threads = 64, .keys = {TBC});
    assert_true(fronts_at("B").n == 2 && fronts_at("C").n == 2);
    assert_true(fronts_at("B").lanes == 0xFFFF0000);
    assert_stat("squad_saved", 0);
    /* eight warps, in each four lanes of its own: one front */
    RUN(.body = PART("shr.u32 %r3, %r1, 2;\nsetp.ne.u32 %p3, %r3, %r2;\n"), .threads = 256, .keys = {TBC});
    assert_true(fronts_at("B").n == 1 && fronts_at("B").lanes == 0xFFFFFFFF);
    assert_int_equal(fronts_at("C").n, 7);
}

/* Registers of different schedulers' warps do not come together, but their warps wait for each other */
static void schedulers_compact_apart(void **state) {
    (void)state;
    RUN(.body = PART(HALVES), .threads = 128, .keys = {TBC, "sm.schedulers=2"});
    /* even warps are one scheduler's: their halves are the same */
    assert_int_equal(fronts_at("B").n, 4);
    assert_true(fronts_at("B").last_cy < fronts_at("C").first_cy);
}

/* Warps that all go one way stay as they are, and wait for the last */
static void one_way_is_no_entry(void **state) {
    (void)state;
    RUN(.body = PART("setp.gt.u32 %p3, %r0, 1000;\n"), .threads = 96, .keys = {TBC});
    assert_int_equal(fronts_at("B").n, 3);
    assert_int_equal(fronts_at("B").first_cy, issue("A", .slot = 2) + ran.config->branch_cy);
    assert_stat("squad_formed", 0);
    assert_stat("squad_entries_peak", 0);
}

/* A loop in which each warp has a lane for every number of rounds up to 31, not the same ones: a position
 * has threads of l, l + 8, l + 16 and l + 24 rounds, so that of round 8 on three fronts are enough, then
 * two, then one */
static void a_loop_gets_narrower(void **state) {
    (void)state;
    const char *body = OUT LANES "shl.b32 %r3, %r2, 3;\nadd.u32 %r3, %r3, %r1;\nand.b32 %r3, %r3, 31;\nmov.u32 %r4, 0;\n$more:\n"
                                 "add.u32 %r4, %r4, 1; // B\nsetp.lt.u32 %p1, %r4, %r3;\n@%p1 bra $more; // A\n"
                                 "add.u32 %r5, %r4, 1; // D\n" KEEP2("%r5", "%r4");
    RUN(.body = body, .threads = 128, .keys = {TBC});
    assert_int_equal(fronts_at("B").n, 4 * 7 + 3 * 8 + 2 * 8 + 8);
    assert_int_equal(fronts_at("D").n, 4); /* all of them, once more */
    assert_int_equal(event_of(EV_ISSUE, WHO("D"))->a, 0xFFFFFFFF);
    assert_stat("squad_entries_peak", 2);
    double compacted = stat_of("warp_instructions");
    RUN(.body = body, .threads = 128);
    assert_true(stat_of("warp_instructions") == compacted + 3 * (4 * 31 - 76)); /* 31 rounds of each warp */
}

/* Nested branches: inner sides meet before outer ones */
static void inner_branches_meet_first(void **state) {
    (void)state;
    const char *body = OUT LANES
        "setp.lt.u32 %p3, %r1, 16;\nand.b32 %r3, %r1, 1;\nsetp.eq.u32 %p4, %r3, 0;\n@%p3 bra $c;\n"
        "@%p4 bra $x;\nadd.u32 %r7, %r0, 1; // B1\nbra $y;\n$x:\nadd.u32 %r7, %r0, 3; // B2\n$y:\nadd.u32 %r7, %r7, 1; // B3\n"
        "bra $end;\n$c:\nadd.u32 %r7, %r0, 2; // C\n$end:\nadd.u32 %r8, %r7, 1; // D\n" KEEP2("%r8", "%r7");
    RUN(.body = body, .threads = 64, .keys = {TBC});
    assert_true(fronts_at("B1").last_cy < fronts_at("B2").first_cy && fronts_at("B2").last_cy < fronts_at("B3").first_cy);
    assert_true(fronts_at("B3").last_cy < fronts_at("C").first_cy && fronts_at("C").last_cy < fronts_at("D").first_cy);
    assert_int_equal(fronts_at("B3").lanes, 0xFFFF0000);
    assert_stat("squad_entries_peak", 5);
}

/* --- without branches it is pdom, in every cycle and stall */
static void without_branches_it_is_pdom(void **state) {
    (void)state;
    static const char *const bodies[] = {
        WITHOUT_BRANCHES,
        OUT "bra $on;\n$on:\nadd.u32 %r2, %r0, 1;\n" KEEP2("%r2", "%r0"),
    };
    for (u32 i = 0; i < ARRAY_LEN(bodies); i++)
        for (u32 k = 0; k < 4; k++) {
            const char *sched = text("sm.sched=%s", k % 2 ? "gto" : "lrr"), *width = text("sm.issue_width=%u", k / 2 + 1);
            RUN(.body = bodies[i], .threads = 160, .blocks = 6, .keys = {sched, width}, .front = true);
            u64 cycles = ran.cycles;
            struct sched_stats was[MAX_SCHEDULERS];
            memcpy(was, ran.stats->sum.sched, sizeof(was));
            RUN(.body = bodies[i], .threads = 160, .blocks = 6, .keys = {sched, width, TBC}, .front = true);
            assert_int_equal(ran.cycles, cycles);
            assert_memory_equal(was, ran.stats->sum.sched, sizeof(was));
            assert_stat("squad_formed", 0);
        }
}

/* --- threads that wait for threads */

/* Lanes of B vote among themselves: each warp at home, though one front came */
static void collectives_are_made_at_home(void **state) {
    (void)state;
    const char *body = MINE LANES HALVES
        "mov.u32 %r5, 0x0000FFFF;\nsetp.eq.u32 %p4, %r3, 0;\nselp.b32 %r5, 0xFFFF0000, %r5, %p4;\nmov.u32 %r7, 0;\n"
        "not.pred %p3, %p3;\n@%p3 bra $end;\nadd.u32 %r9, %r0, 1; // B\nshfl.sync.idx.b32 %r7, %r0, 16, 31, %r5; // V\n"
        "add.u32 %r7, %r7, 1; // E\n$end:\nst.global.u32 [%rd1], %r7;\n" KEEP2("%r7", "%r9");
    u32 out[64];
    RUN(.body = body, .threads = 64, .keys = {TBC});
    assert_int_equal(fronts_at("B").n, 1);
    assert_int_equal(fronts_at("V").n, 2);
    micro_read(0, out, sizeof(out));
    u32 got[64];
    memcpy(got, out, sizeof(out));
    RUN(.body = body, .threads = 64);
    micro_read(0, out, sizeof(out));
    assert_memory_equal(got, out, sizeof(out));
}

/* They stay at home until the next branch, which compacts them again though all go the same way */
static void the_branch_behind_a_collective_compacts(void **state) {
    (void)state;
    const char *body = MINE LANES HALVES
        "mov.u32 %r5, 0x0000FFFF;\nsetp.eq.u32 %p4, %r3, 0;\nselp.b32 %r5, 0xFFFF0000, %r5, %p4;\nmov.u32 %r7, 0;\n"
        "setp.lt.u32 %p5, %r0, 999;\nnot.pred %p3, %p3;\n@%p3 bra $end;\nshfl.sync.idx.b32 %r7, %r0, 16, 31, %r5; // V\n"
        "add.u32 %r7, %r7, 1; // E\n@%p5 bra $next;\nadd.u32 %r7, %r7, 9;\n$next:\nadd.u32 %r7, %r7, 2; // X\n$end:\n"
        "st.global.u32 [%rd1], %r7;\n";
    RUN(.body = body, .threads = 64, .keys = {TBC});
    assert_true(fronts_at("V").n == 2 && fronts_at("E").n == 2);
    assert_int_equal(fronts_at("X").n, 1);
}

/* One side of a branch waits at a barrier for the other: it loses its turn, and gets it back */
static void a_barrier_on_both_sides_opens(void **state) {
    (void)state;
    const char *body =
        MINE LANES "setp.lt.u32 %p3, %r0, 32;\n@%p3 bra $c;\nbar.sync 1, 64;\nmov.u32 %r7, 1; // B\nbra $end;\n$c:\n"
                   "bar.sync 1, 64;\nmov.u32 %r7, 2; // C\n$end:\nst.global.u32 [%rd1], %r7; // D\n";
    u32 out[64];
    RUN(.body = body, .threads = 64, .keys = {TBC});
    micro_read(0, out, sizeof(out));
    assert_true(out[0] == 2 && out[63] == 1);
    assert_true(stat_of("squad_yields") >= 1);
    assert_int_equal(fronts_at("D").n, 2);
}

/* A thread polls for what another of its block will write behind the branch: turns are taken */
static void a_poll_lets_the_others_go(void **state) {
    (void)state;
    const char *body =
        OUT "setp.eq.u32 %p3, %r0, 0;\n@!%p3 bra $c;\n$again:\nld.volatile.global.u32 %r7, [%rd0];\n"
            "setp.eq.u32 %p1, %r7, 0;\n@%p1 bra $again;\nbra $end;\n$c:\nst.volatile.global.u32 [%rd0], 1;\n$end:\n"
            "add.u32 %r8, %r0, 1;\n" KEEP2("%r8", "%r0");
    RUN(.body = body, .threads = 64, .keys = {TBC});
    body = OUT "setp.eq.u32 %p3, %r0, 0;\n@!%p3 bra $c;\n$again:\nld.volatile.global.u32 %r7, [%rd0];\n"
               "setp.eq.u32 %p1, %r7, 0;\n@%p1 bra $again;\n$c:\nst.volatile.global.u32 [%rd0], 1;\n";
    RUN(.body = body, .threads = 64, .keys = {TBC}); /* those that wait at the meeting point */
}

/* Exits thin the fronts out, and the next branch compacts what is left */
static void the_ended_make_room(void **state) {
    (void)state;
    const char *body =
        OUT LANES HALVES "@%p3 exit;\nsetp.gt.u32 %p4, %r0, 1000;\n@%p4 bra $end; // A\nadd.u32 %r7, %r0, 1; // B\n"
                         "$end:\nadd.u32 %r8, %r0, 1; // D\n" KEEP2("%r8", "%r7");
    RUN(.body = body, .threads = 64, .keys = {TBC});
    assert_int_equal(fronts_at("A").n, 2);
    assert_int_equal(fronts_at("B").n, 1);
    assert_int_equal(fronts_at("D").n, 1);
}

/* Threads that call a function meet behind it, however deep they went */
static void calls_meet_at_their_own_depth(void **state) {
    (void)state;
    const char *globals =
        ".visible .func (.param .b32 o) f(.param .b32 n)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<6>;\n"
        "ld.param.b32 %r0, [n];\nmov.u32 %r1, 0;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 bra $out;\nsub.u32 %r2, %r0, 1;\n"
        "{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %r2;\ncall (r), f, (a);\nld.param.b32 %r1, [r];\n}\n"
        "$out:\nadd.u32 %r1, %r1, 1;\nst.param.b32 [o], %r1;\nret;\n}\n";
    const char *body = MINE "and.b32 %r1, %r0, 7;\n{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %r1;\ncall (r), f, (a);\n"
                            "ld.param.b32 %r2, [r];\n}\nst.global.u32 [%rd1], %r2; // D\n";
    u32 out[64];
    RUN(.globals = globals, .body = body, .threads = 64, .keys = {TBC});
    micro_read(0, out, sizeof(out));
    for (u32 i = 0; i < 64; i++) assert_int_equal(out[i], i % 8 + 1);
    assert_true(fronts_at("D").n == 2 && fronts_at("D").lanes == 0xFFFFFFFF);
}

/* --- large warps */

/* A large warp of two: no sub-warp is more than an instruction ahead, though the scheduler would have it
 * so */
static void sub_warps_go_in_step(void **state) {
    (void)state;
    const char *body =
        OUT "add.u32 %r1, %r0, 1; // X\nadd.u32 %r2, %r0, 2; // Y\nadd.u32 %r3, %r0, 3; // Z\n" KEEP4("%r1", "%r2", "%r3", "%r0");
    RUN(.body = body, .threads = 64, .keys = {"sm.sched=oldest"});
    assert_true(issue("Y", .slot = 0) < issue("X", .slot = 1));
    static const char *const labels[] = {"X", "Y", "Z"};
    for (u32 width = 1; width <= 2; width++) {
        RUN(.body = body, .threads = 64, .keys = {"sm.sched=oldest", LWM, text("sm.issue_width=%u", width)});
        for (u32 i = 0; i < 2; i++) {
            u64 last = fronts_at(labels[i]).last_cy, next = fronts_at(labels[i + 1]).first_cy;
            assert_true(width == 1 ? last < next : last <= next); /* the last of an instruction may be the first of the next */
            assert_int_equal(last, fronts_at(labels[i]).first_cy + 1);
        }
    }
    RUN(.body = body, .threads = 64, .keys = {"sm.sched=oldest", LWM, "lwm.warps=1"});
    assert_true(issue("Y", .slot = 0) < issue("X", .slot = 1)); /* each warp by itself */
}

/* Four warps, two a large warp: each packs its own halves, and does not wait for the other */
static void large_warps_pack_their_own(void **state) {
    (void)state;
    RUN(.body = PART(HALVES), .threads = 128, .keys = {LWM, "lwm.warps=2"});
    assert_true(fronts_at("B").n == 2 && fronts_at("C").n == 2 && fronts_at("D").n == 4);
    assert_true(fronts_at("B").lanes == 0xFFFFFFFF);
    assert_stat("squad_syncs", 2);
    RUN(.body = PART(HALVES), .threads = 128, .keys = {LWM}); /* up to eight: the four are one */
    assert_true(fronts_at("B").n == 2 && fronts_at("D").n == 4);
    assert_stat("squad_syncs", 1);
    RUN(.body = PART(HALVES), .threads = 128, .keys = {LWM, "lwm.warps=1"});
    assert_true(fronts_at("B").n == 4 && fronts_at("D").n == 4);
}

/* Two-level scheduling with room for one large warp of two: the second begins when both sub-warps of the
 * first wait for their load, or for each other; without two levels both large warps go side by side */
static void large_warps_take_turns_in_two_levels(void **state) {
    (void)state;
    const char *body = MINE "add.u32 %r1, %r0, 1; // A\nadd.u32 %r2, %r1, 1;\nadd.u32 %r3, %r2, 1; // B\n"
                            "ld.global.u32 %r4, [%rd1]; // L\nadd.u32 %r5, %r4, %r3; // U\nst.global.u32 [%rd1], %r5;\n";
    const char *one = "sm.schedulers=1", *core = "sm.subcores=1", *set = "sm.sched.two_level.active=2";
    RUN(.body = body, .threads = 128, .keys = {LWM, "lwm.warps=2", one, core, "sm.sched=two_level", set, "gpu.sms=1"});
    assert_true(issue("L", .slot = 1) < issue("A", .slot = 2) && issue("A", .slot = 2) < issue("U", .slot = 0));
    u64 cycles = ran.cycles;
    RUN(.body = body, .threads = 128, .keys = {LWM, "lwm.warps=2", one, core, "sm.sched=lrr", "gpu.sms=1"});
    assert_true(issue("A", .slot = 2) < issue("B", .slot = 0));
    assert_true(cycles < 2 * ran.cycles); /* the first one's load is under way meanwhile */
}

/* Two large warps of two; the first warps of both meet at one barrier, the second ones at another, to which
 * the last comes late. So of a large warp one sub-warp goes on while the other waits; then it is held until
 * that one has caught up. */
static void check_catching_up(void) {
    u32 n[4] = {0}; /* from X on */
    bool back = false;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_FRONT || e->slot > 1 || e->pc < pc_of("X")) continue;
        if (e->cause == FRONT_COMES && e->slot == 1 && e->pc == pc_of("X")) {
            assert_true(n[0] > 5);
            back = true;
        }
        if (e->cause != FRONT_ISSUES) continue;
        if (back && e->slot == 0) assert_true(n[0] <= n[1]);
        n[e->slot]++;
    }
    assert_true(back && n[0] == n[1]);
}
static void who_waited_at_a_barrier_catches_up(void **state) {
    (void)state;
    const char *body = JOIN(
        MINE LANES "and.b32 %r3, %r2, 1;\nadd.u32 %r4, %r3, 1;\nsetp.eq.u32 %p1, %r2, 3;\nmul.wide.u32 %rd2, %r0, 64;\n"
                   "add.u64 %rd2, %rd0, %rd2;\n@%p1 ld.global.u32 %r5, [%rd2];\nbar.sync %r4, 64;\nadd.u32 %r7, %r0, 2; // X\n",
        series(10, "add.u32 %r1#, %r0, #;\n"), series(10, "add.u32 %r2#, %r0, #;\n"),
        series(10, "add.u32 %r7, %r7, %r1#;\nadd.u32 %r7, %r7, %r2#;\n"),
        "setp.lt.u32 %p2, %r1, 16;\n@%p2 bra $end;\nadd.u32 %r7, %r7, 2;\n$end:\nst.global.u32 [%rd1], %r7;\n");
    u32 out[128];
    RUN(.body = body, .threads = 128,
        .keys = {LWM, "lwm.warps=2", "sm.schedulers=1", "sm.subcores=1", "gpu.sms=1", "sm.sched=oldest"},
        .timing = {.check_cycles = 1});
    micro_read(0, out, sizeof(out));
    for (u32 i = 0; i < 128; i++) assert_int_equal(out[i], 21 * i + 92 + (i % 32 < 16 ? 0 : 2));
    check_catching_up();
    assert_stat("squad_yields", 0);
}

/* One sub-warp's shuffle names lanes of the other side, the other's does not: that one goes on to the end of
 * the side, until the places are wanted for those who are waited for */
static void who_waits_for_lanes_is_not_waited_for(void **state) {
    (void)state;
    const char *body =
        MINE LANES "setp.eq.u32 %p1, %r2, 0;\nselp.b32 %r3, -1, 65535, %p1;\nsetp.lt.u32 %p3, %r1, 16;\nmov.u32 %r7, %r0;\n"
                   "@!%p3 bra $c;\nshfl.sync.bfly.b32 %r7, %r0, 1, 31, %r3; // S\nadd.u32 %r7, %r7, 1; // X\n"
                   "add.u32 %r7, %r7, 1; // Y\nbra $end;\n$c:\n@%p1 shfl.sync.bfly.b32 %r7, %r0, 1, 31, %r3; // T\n"
                   "$end:\nst.global.u32 [%rd1], %r7; // D\n";
    u32 out[64];
    RUN(.body = body, .threads = 64, .keys = {LWM, "lwm.warps=2", "sm.schedulers=1", "sm.subcores=1"},
        .timing = {.check_cycles = 1});
    micro_read(0, out, sizeof(out));
    for (u32 i = 0; i < 64; i++) assert_int_equal(out[i], i % 32 < 16 ? (i ^ 1) + 2 : i < 32 ? i ^ 1 : i);
    assert_stat("squad_yields", 1);
    assert_true(issue("Y", .slot = 1) < issue("X", .slot = 0));
}

/* Large warps of one warp, and no branch: pdom to the cycle */
static void large_warps_of_one_are_warps(void **state) {
    (void)state;
    const char *body =
        MINE "bar.sync 0;\nld.global.u32 %r1, [%rd1];\nbar.sync 0;\nadd.u32 %r2, %r1, 1;\nred.global.add.u32 [%rd0], %r2;\n";
    RUN(.body = body, .threads = 160, .blocks = 6, .front = true);
    u64 cycles = ran.cycles;
    struct sched_stats was[MAX_SCHEDULERS];
    memcpy(was, ran.stats->sum.sched, sizeof(was));
    RUN(.body = body, .threads = 160, .blocks = 6, .keys = {LWM, "lwm.warps=1"}, .front = true);
    assert_int_equal(ran.cycles, cycles);
    assert_memory_equal(was, ran.stats->sum.sched, sizeof(was));
    RUN(.body = body, .threads = 160, .blocks = 6, .keys = {LWM}, .front = true);
    assert_true(ran.cycles >= cycles);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_halves_are_one_front),
        cmocka_unit_test(lanes_are_kept),
        cmocka_unit_test(schedulers_compact_apart),
        cmocka_unit_test(one_way_is_no_entry),
        cmocka_unit_test(a_loop_gets_narrower),
        cmocka_unit_test(inner_branches_meet_first),
        cmocka_unit_test(without_branches_it_is_pdom),
        cmocka_unit_test(collectives_are_made_at_home),
        cmocka_unit_test(the_branch_behind_a_collective_compacts),
        cmocka_unit_test(a_barrier_on_both_sides_opens),
        cmocka_unit_test(a_poll_lets_the_others_go),
        cmocka_unit_test(the_ended_make_room),
        cmocka_unit_test(calls_meet_at_their_own_depth),
        cmocka_unit_test(sub_warps_go_in_step),
        cmocka_unit_test(large_warps_pack_their_own),
        cmocka_unit_test(large_warps_take_turns_in_two_levels),
        cmocka_unit_test(who_waited_at_a_barrier_catches_up),
        cmocka_unit_test(who_waits_for_lanes_is_not_waited_for),
        cmocka_unit_test(large_warps_of_one_are_warps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
