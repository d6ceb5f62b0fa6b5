/* Variable warp sizing: which slices of a warp are a gang, when gangs part and become one again, and what
 * issues beside what. */
#include "core/core.h"
#include "micro.h"

#define VWS "sm.diverge=vws"

/* %r1 is the lane; lanes of p3 go to C, the others to B, and all meet at D */
#define LANE "and.b32 %r1, %r0, 31;\n"
#define PART(condition)                                                                                                          \
    OUT LANE condition "@%p3 bra $c; // A\nadd.u32 %r7, %r0, 1; // B\nadd.u32 %r6, %r0, 5; // B2\nbra $end;\n"                   \
                       "$c:\nadd.u32 %r7, %r0, 2; // C\nadd.u32 %r6, %r0, 6; // C2\n"                                            \
                       "$end:\nadd.u32 %r8, %r0, 1; // D\n" KEEP4("%r8", "%r7", "%r6", "%r1")
#define BELOW(lane) "setp.lt.u32 %p3, %r1, " lane ";\n"
#define ODD         "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p3, %r2, 1;\n"

/* Issues of fronts at an instruction, all their lanes and those of the first, and the cycles of the first
 * and last */
struct fronts {
    u32 n;
    u64 lanes, first, first_cy, last_cy;
};
static struct fronts fronts_at(const char *label) {
    struct fronts x = {0};
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_FRONT || e->cause != FRONT_ISSUES || e->pc != pc_of(label)) continue;
        if (!x.n++) x.first_cy = e->cycle, x.first = e->mask;
        x.lanes |= e->mask, x.last_cy = e->cycle;
    }
    return x;
}

/* --- at branches */

/* The lower half of a warp goes one way and the upper half the other. On a stack B, B2, C and C2 follow each
 * other. Here both gangs go on when the branch is resolved, each in its own slices:
 *
 *     cycle from there      0    1    2    3    4    5    6 ...   9
 *     lanes 16-31           B    B2   bra                         D   of a jump: resolved after 4, fetched in 3
 *     lanes  0-15          (fetched)       C    C2   D                */
static void halves_go_on_side_by_side(void **state) {
    (void)state;
    RUN(.body = PART(BELOW("16")));
    assert_int_equal(issue("B"), issue("A") + ran.config->branch_cy);
    assert_true(issue("C") > issue("B2"));
    u64 cycles = ran.cycles;
    RUN(.body = PART(BELOW("16")), .keys = {VWS});
    u64 from = issue("A") + ran.config->branch_cy, fetch = ran.config->icache_cy + ran.config->decode_cy;
    assert_true(ran.config->branch_cy == 4 && fetch == 3);
    assert_true(fronts_at("B").n == 1 && fronts_at("B").lanes == 0xFFFF0000 && fronts_at("B").first_cy == from);
    assert_true(fronts_at("C").n == 1 && fronts_at("C").lanes == 0x0000FFFF && fronts_at("C").first_cy == from + 3);
    assert_true(fronts_at("B2").first_cy == from + 1 && fronts_at("C2").first_cy == from + 4);
    assert_true(fronts_at("D").first == 0x0000FFFF && fronts_at("D").first_cy == from + 5 && fronts_at("D").last_cy == from + 9);
    assert_true(ran.cycles < cycles);
    assert_stat("slices_control", 4);
    assert_stat("slices_beside", 0);
    assert_stat("gangs_peak", 2);
    /* a cycle less to fetch, and C goes beside B's jump */
    RUN(.body = PART(BELOW("16")), .keys = {VWS, "sm.fetch.decode_cy=1"});
    assert_int_equal(fronts_at("C").first_cy, fronts_at("B2").first_cy + 1);
    assert_stat("slices_beside", 1);
}

/* All slices have lanes of both sides: they stay a gang, and go through both sides as a warp of one slice
 * does */
static void sides_within_slices_are_a_stack(void **state) {
    (void)state;
    RUN(.body = PART(ODD), .keys = {VWS, "vws.slice=32"});
    u64 cycles = ran.cycles, c = apart("A", "C"), d = apart("A", "D");
    assert_true(issue("C") > issue("B2") && issue("D") > issue("C2"));
    RUN(.body = PART(ODD), .keys = {VWS});
    assert_true(fronts_at("B").n == 1 && fronts_at("C").n == 1 && fronts_at("D").n == 1);
    assert_true(fronts_at("B").lanes == 0x55555555 && fronts_at("C").lanes == 0xAAAAAAAA && fronts_at("D").lanes == 0xFFFFFFFF);
    assert_int_equal(fronts_at("C").first_cy - fronts_at("A").first_cy, c);
    assert_int_equal(fronts_at("D").first_cy - fronts_at("A").first_cy, d);
    assert_int_equal(ran.cycles, cycles);
    assert_stat("slices_control", 0);
}

/* vws.slice: four lanes are a slice of their own, or half of one, which goes through both sides */
static void slices_have_lanes(void **state) {
    (void)state;
    RUN(.body = PART(BELOW("4")), .keys = {VWS});
    assert_true(fronts_at("B").n == 1 && fronts_at("B").lanes == 0xFFFFFFF0);
    u64 alone = fronts_at("C").first_cy - fronts_at("B").first_cy;
    RUN(.body = PART(BELOW("4")), .keys = {VWS, "vws.slice=8"});
    assert_true(fronts_at("B").n == 1 && fronts_at("B").lanes == 0xFFFFFFF0); /* the half slice falls through with them */
    assert_true(fronts_at("C").first_cy > fronts_at("B").first_cy + alone);   /* after the way round behind B2 */
    RUN(.body = PART(BELOW("4")), .keys = {VWS, "vws.slice=2"});
    assert_true(fronts_at("C").lanes == 0xF && fronts_at("C").first_cy - fronts_at("B").first_cy == alone);
    assert_stat("slices_control", 2);
}

/* vws.control: those that go the same way stay together, or nobody does */
static void who_goes_the_same_way_stays(void **state) {
    (void)state;
    RUN(.body = PART(BELOW("8")), .keys = {VWS});
    assert_true(fronts_at("B").n == 1 && fronts_at("C").n == 1);
    RUN(.body = PART(BELOW("8")), .keys = {VWS, "vws.control=all"});
    assert_true(fronts_at("B").n == 6 && fronts_at("B").lanes == 0xFFFFFF00 && fronts_at("C").n == 2); /* one by one ... */
    assert_int_equal(fronts_at("B").first_cy, fronts_at("B").last_cy);                                 /* in one cycle */
    assert_int_equal(fronts_at("B2").n, 1); /* where they stand together again */
    RUN(.body = PART(BELOW("8")), .keys = {VWS, "vws.control=all", "vws.gang=inelastic"});
    assert_int_equal(fronts_at("B2").n, 6);
    assert_stat("slices_ganged", 0);
}

/* vws.gang: those of C wait for a product when those of B come to D: one gang from there on, or never */
static void gangs_meet_where_they_stand(void **state) {
    (void)state;
    const char *body =
        OUT LANE BELOW("16") "@%p3 bra $c; // A\nadd.u32 %r7, %r0, 1; // B\nbra $end;\n$c:\nmul.lo.u32 %r7, %r0, %r0; // C\n"
                             "$end:\nadd.u32 %r8, %r7, 1; // D\n" KEEP2("%r8", "%r1");
    RUN(.body = body, .keys = {VWS});
    assert_true(fronts_at("D").n == 1 && fronts_at("D").lanes == 0xFFFFFFFF);
    assert_stat("slices_ganged", 4);
    RUN(.body = body, .keys = {VWS, "vws.gang=inelastic"});
    assert_true(fronts_at("D").n == 2 && fronts_at("D").first_cy < fronts_at("D").last_cy);
    assert_stat("slices_ganged", 0);
}

/* vws.gangs: two warps, and an entry for one of them. The other begins, and goes on, as slices */
static void the_table_has_room_for_so_many(void **state) {
    (void)state;
    const char *body = OUT "add.u32 %r1, %r0, 1; // X\nadd.u32 %r2, %r0, 2; // Y\n" KEEP2("%r1", "%r2");
    RUN(.body = body, .threads = 64, .keys = {VWS});
    assert_int_equal(fronts_at("X").n, 2);
    assert_stat("gangs_peak", 2);
    RUN(.body = body, .threads = 64, .keys = {VWS, "vws.gangs=1"});
    assert_int_equal(fronts_at("X").n, 9);
    assert_stat("gangs_peak", 1);
    assert_stat("slices_alone", 8);
    RUN(.body = body, .threads = 64, .keys = {VWS, "vws.gangs=2"});
    assert_int_equal(fronts_at("X").n, 2);
}

/* vws.first: the second warp, all of it, and the eight slices of the first are ready together. Big: the gang
 * goes first; little: slices do, and leave it no slice */
static void who_goes_first(void **state) {
    (void)state;
    const char *body =
        OUT LANE "add.u32 %r4, %r1, 1;\nbar.sync 0; // Z\nadd.u32 %r2, %r1, 1; // X\n" KEEP4("%r2", "%r4", "%r1", "%r0");
    RUN(.body = body, .threads = 64, .keys = {VWS, "vws.gangs=1", "vws.gang=inelastic"});
    u64 gang = issue("X", .slot = 0), slices = issue("X", .slot = 1);
    assert_true(gang + 1 == slices); /* warp 0 has the entry */
    RUN(.body = body, .threads = 64, .keys = {VWS, "vws.gangs=1", "vws.gang=inelastic", "vws.first=little"});
    assert_true(issue("X", .slot = 0) == issue("X", .slot = 1) + 1);
    RUN(.body = body, .threads = 64,
        .keys = {VWS, "vws.gangs=1", "vws.gang=inelastic", "vws.first=sched", "sm.sched=find_first"});
    assert_true(issue("X", .slot = 0) + 1 == issue("X", .slot = 1)); /* the lowest place first */
}

/* --- units */

/* A unit that takes a warp in several cycles: gangs of other slices have their own share of it */
static void slices_have_units_of_their_own(void **state) {
    (void)state;
    const char *body = OUT LANE BELOW("16") "cvt.rn.f32.u32 %f1, %r0;\n@%p3 bra $c; // A\nsin.approx.f32 %f2, %f1; // B\n"
                                            "cos.approx.f32 %f3, %f1; // B2\nbra $end;\n$c:\ncos.approx.f32 %f2, %f1; // C\n"
                                            "sin.approx.f32 %f3, %f1; // C2\n$end:\nadd.f32 %f4, %f2, %f3;\n";
    static const char *const ideal[] = {"sm.operands.ideal=false", "sm.operands.ideal=true"};
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = body, .keys = {VWS, "sm.sfu.width=4", ideal[i]});
        u64 enter[4] = {when(EV_DISPATCH, "B"), when(EV_DISPATCH, "C"), when(EV_DISPATCH, "B2"), when(EV_DISPATCH, "C2")};
        assert_true(enter[1] == enter[0] + 3 && enter[3] == enter[2] + 3); /* when it is fetched, not when B has left the unit */
        assert_int_equal(enter[2] - enter[0], 8); /* 32 lanes, four a cycle: as long for a gang as for a warp */
        assert_stat("unit_busy_sfu", 16);         /* the halves of two */
    }
}

/* One pipe of eight SIMD lanes before all units: each slice has one of them, so that a gang takes its lanes
 * of the pipe for four cycles, as a warp all of it. Gangs of other slices issue meanwhile; jumps take it too.
 */
#define ONE_PIPE "sm.pipe=one", "sm.alu.width=8", "sm.int.width=8", "sm.operands.ideal=true"
static void slices_have_their_lanes_of_the_pipe(void **state) {
    (void)state;
    RUN(.body = PART(BELOW("16")), .keys = {ONE_PIPE});
    assert_true(apart("B", "B2") == 4 && issue("C") >= issue("B2") + 4 + 4); /* the jump, too */
    RUN(.body = PART(BELOW("16")), .keys = {ONE_PIPE, VWS, "sm.fetch.decode_cy=1"});
    struct fronts b = fronts_at("B"), b2 = fronts_at("B2"), c = fronts_at("C"), c2 = fronts_at("C2");
    assert_int_equal(b2.first_cy, b.first_cy + 4);
    assert_int_equal(c.first_cy, b.first_cy + 2); /* when it is fetched, while B has its half of the pipe */
    assert_int_equal(c2.first_cy, c.first_cy + 4);
    assert_int_equal(fronts_at("D").first_cy, c2.first_cy + 4);               /* those of C, without waiting for B's jump */
    u64 half = 2 * (b.n + b2.n + c.n + c2.n + fronts_at("D").n + 1), all = 0; /* and the jump */
    for (u32 i = 0; i < ran.events.n; i++)
        all += ran.events.at[i].kind == EV_FRONT && ran.events.at[i].cause == FRONT_ISSUES && ran.events.at[i].mask == 0xFFFFFFFF;
    assert_stat("pipe_cycles", half + 4 * all);
}

/* Results that come back from memory take the lanes of the slices that they are for */
static void results_return_through_their_slices(void **state) {
    (void)state;
    const char *body =
        MINE LANE BELOW("16") "@%p3 bra $c; // A\nld.global.u32 %r7, [%rd1]; // L\nadd.u32 %r6, %r7, 1; // U\nbra $end;\n"
                              "$c:\nadd.u32 %r7, %r0, 2; // C\nadd.u32 %r6, %r0, 6; // C2\n$end:\nadd.u32 %r8, %r0, 1; // D\n";
    RUN(.body = body, .keys = {ONE_PIPE, VWS, "sm.pipe.return_first=true"});
    assert_stat("return_cycles", 4 + 2); /* the address, and four of half the pipe */
    u64 use = fronts_at("U").first_cy - issue("L");
    RUN(.body = body, .keys = {ONE_PIPE, VWS});
    assert_int_equal(use, fronts_at("U").first_cy - issue("L") + 4);
}

/* vws.front: what C's gang issues goes beside B's jump, or one of them a cycle later */
static u32 issued_together(void) {
    u32 n = 0;
    u64 last = NEVER;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_FRONT || e->cause != FRONT_ISSUES) continue;
        n += e->cycle == last;
        last = e->cycle;
    }
    return n;
}
static void a_front_end_is_of_slices_or_of_warps(void **state) {
    (void)state;
    RUN(.body = PART(BELOW("16")), .keys = {VWS, "sm.fetch.decode_cy=1"});
    assert_int_equal(issued_together(), 1);
    assert_stat("slices_beside", 1);
    RUN(.body = PART(BELOW("16")), .keys = {VWS, "sm.fetch.decode_cy=1", "vws.front=warps"});
    assert_int_equal(issued_together(), 0);
    assert_stat("slices_beside", 0);
}

/* Each slice has a fetch of its own: the eight of a warp that finds no entry for a gang fetch in one cycle,
 * two warps one after the other; with the front end of warps one gang a cycle */
static void slices_fetch_for_themselves(void **state) {
    (void)state;
    const char *body = OUT "add.u32 %r1, %r0, 1; // X\n" KEEP2("%r1", "%r0");
    for (u32 gangs = 1; gangs <= 2; gangs++) {
        RUN(.body = body, .threads = 64, .keys = {VWS, text("vws.gangs=%u", gangs)}, .front = true);
        u32 n = 0, whole = 0;
        u64 first = NEVER;
        for (u32 i = 0; i < ran.events.n; i++) {
            const struct event *e = &ran.events.at[i];
            if (e->kind != EV_FRONT || e->cause != FRONT_FETCHES || e->mask) continue;
            first = MIN(first, e->cycle);
            n += e->cycle == first + 1;
            whole += e->cycle == first;
        }
        assert_true(whole == 1 && n == (gangs == 1 ? 8 : 1));
    }
    RUN(.body = body, .threads = 64, .keys = {VWS, "vws.gangs=1", "vws.front=warps"}, .front = true);
    u64 last = NEVER;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_FRONT || e->cause != FRONT_FETCHES) continue;
        assert_true(e->cycle != last);
        last = e->cycle;
    }
}

/* --- at loads */

/* %rd3: a word in one line for lanes 0-15, and for the others in a line two kilobytes on. The first line is
 * brought by W, so that of L lanes 0-15 hit; by V the other one too. */
#define HALVES                                                                                                                   \
    OUT "and.b32 %r1, %r0, 15;\nshr.u32 %r2, %r0, 4;\nmul.wide.u32 %rd1, %r1, 4;\nmul.wide.u32 %rd2, %r2, 2048;\n"               \
        "add.u64 %rd1, %rd0, %rd1;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd1]; // W\nadd.u32 %r4, %r3, 1; // W2\n"
#define BOTH "ld.global.u32 %r3, [%rd1+2048]; // V\nadd.u32 %r4, %r4, %r3; // V2\n"
#define USE  "ld.global.u32 %r5, [%rd3]; // L\nadd.u32 %r6, %r5, %r4; // U\n"

/* Slices that hit go on when their own line is there: a cycle before a load whose second line hits too */
static void slices_that_hit_do_not_wait(void **state) {
    (void)state;
    const char *body = HALVES USE "st.global.u32 [%rd3+65536], %r6; // S\n";
    RUN(.body = JOIN(HALVES BOTH USE, ""));
    u64 hit = apart("L", "U");
    RUN(.body = body, .keys = {VWS});
    u64 miss = apart("L", "U");
    assert_true(miss > hit && fronts_at("U").n == 1);
    RUN(.body = body, .keys = {VWS, "vws.memory=group"});
    assert_true(fronts_at("U").n == 2 && fronts_at("U").first == 0xFFFF);
    assert_int_equal(fronts_at("U").first_cy - issue("L"), hit - 1);
    assert_int_equal(fronts_at("U").last_cy - issue("L"), miss);
    assert_stat("slices_memory", 4);
    RUN(.body = body, .keys = {VWS, "vws.memory=all"});
    assert_int_equal(fronts_at("U").n, 8); /* each alone, and then with those at the store */
    assert_int_equal(fronts_at("U").first_cy - issue("L"), hit - 1);
    assert_int_equal(fronts_at("S").n, 2);
    RUN(.body = body, .keys = {VWS, "vws.memory=all", "vws.gang=inelastic"});
    assert_true(fronts_at("U").n == 8 && fronts_at("S").n == 8);
}

/* --- without branches it is pdom, in every cycle and stall; and a slice of a whole warp is */
static void without_branches_it_is_pdom(void **state) {
    (void)state;
    static const char *const bodies[] = {
        WITHOUT_BRANCHES,
        OUT "bra $on;\n$on:\nadd.u32 %r2, %r0, 1;\n" KEEP2("%r2", "%r0"),
        OUT "cvt.rn.f32.u32 %f1, %r0;\nsin.approx.f32 %f2, %f1;\ncos.approx.f32 %f3, %f1;\nadd.f32 %f4, %f2, %f3;\n",
    };
    for (u32 i = 0; i < ARRAY_LEN(bodies); i++)
        for (u32 k = 0; k < 6; k++) {
            const char *sched = text("sm.sched=%s", k % 2 ? "gto" : "lrr"), *ideal = text("sm.operands.ideal=%u", k / 2 != 0);
            const char *pipe = k / 2 == 2 ? "sm.pipe=one" : "sm.pipe=units", *width = "sm.alu.width=8";
            const char *first = text("sm.pipe.return_first=%u", k / 2 == 2);
            RUN(.body = bodies[i], .threads = 160, .blocks = 6, .keys = {sched, ideal, pipe, first, width, "sm.sfu.width=4"},
                .front = true);
            u64 cycles = ran.cycles;
            double busy = stat_of("unit_busy_sfu"), reads = stat_of("operand_reads"), conflicts = stat_of("bank_conflict_cycles");
            struct sched_stats was[MAX_SCHEDULERS];
            memcpy(was, ran.stats->sum.sched, sizeof(was));
            RUN(.body = bodies[i], .threads = 160, .blocks = 6, .keys = {sched, ideal, pipe, first, width, "sm.sfu.width=4", VWS},
                .front = true);
            assert_int_equal(ran.cycles, cycles);
            assert_memory_equal(was, ran.stats->sum.sched, sizeof(was));
            assert_stat("slices_beside", 0);
            assert_true(stat_of("unit_busy_sfu") == busy && stat_of("operand_reads") == reads);
            assert_true(stat_of("bank_conflict_cycles") == conflicts);
        }
}

/* --- lanes that wait for lanes */

/* Two gangs come to a shuffle over the whole warp: the first waits, and both have its result */
static void collectives_wait_for_the_lanes_they_name(void **state) {
    (void)state;
    const char *body =
        MINE LANE BELOW("8") "@%p3 bra $c;\nadd.u32 %r7, %r0, 100;\nadd.u32 %r7, %r7, 1;\nbra $s;\n$c:\nadd.u32 %r7, %r0, 200;\n"
                             "$s:\nshfl.sync.bfly.b32 %r8, %r7, 16, 31, -1; // V\nst.global.u32 [%rd1], %r8; // D\n";
    u32 out[32], want[32];
    RUN(.body = body);
    micro_read(0, want, sizeof(want));
    RUN(.body = body, .keys = {VWS});
    micro_read(0, out, sizeof(out));
    assert_memory_equal(out, want, sizeof(out));
    assert_true(warp_time(STALL_WARP_SYNC) > 0);
    RUN(.body = body, .keys = {VWS, "vws.gang=inelastic", "vws.control=all"});
    micro_read(0, out, sizeof(out));
    assert_memory_equal(out, want, sizeof(out));
}

/* A kernel that asks who is with it, without naming anybody: its warps are not divided */
static void unnamed_collectives_keep_warps_whole(void **state) {
    (void)state;
    const char *body = MINE LANE BELOW(
        "16") "activemask.b32 %r9;\nst.global.u32 [%rd1], %r9;\n@%p3 bra $c; // A\nadd.u32 %r7, %r0, 1; // B\nbra $end;\n"
              "$c:\nadd.u32 %r7, %r0, 2; // C\n$end:\nst.global.u32 [%rd1+128], %r7;\n";
    u32 out[32];
    RUN(.body = body, .keys = {VWS, "vws.gang=inelastic"});
    micro_read(0, out, sizeof(out));
    for (u32 i = 0; i < 32; i++) assert_int_equal(out[i], 0xFFFFFFFF);
    assert_true(fronts_at("C").first_cy > fronts_at("B").first_cy);
    assert_stat("slices_control", 0);
    /* half a warp takes units and the pipe as under pdom, also from another warp that wants the other half */
    body = MINE LANE BELOW("16") "activemask.b32 %r9;\nshr.u32 %r2, %r0, 5;\nsetp.eq.u32 %p1, %r2, 0;\nxor.pred %p3, %p3, %p1;\n"
                                 "cvt.rn.f32.u32 %f1, %r9;\n@%p3 bra $end;\nsin.approx.f32 %f2, %f1;\ncos.approx.f32 %f3, %f1;\n"
                                 "add.f32 %f1, %f2, %f3;\n$end:\nst.global.f32 [%rd1], %f1;\n";
    for (u32 k = 0; k < 2; k++) {
        const char *pipe = k ? "sm.pipe=one" : "sm.pipe=units";
        RUN(.body = body, .threads = 64, .keys = {"sm.sfu.width=4", "sm.alu.width=8", "sm.schedulers=1", "sm.subcores=1", pipe});
        u64 cycles = ran.cycles;
        double busy = stat_of("unit_busy_sfu"), taken = stat_of("pipe_cycles");
        RUN(.body = body, .threads = 64,
            .keys = {VWS, "sm.sfu.width=4", "sm.alu.width=8", "sm.schedulers=1", "sm.subcores=1", pipe});
        assert_int_equal(ran.cycles, cycles);
        assert_true(busy >= 4 * 8 && stat_of("unit_busy_sfu") == busy && stat_of("pipe_cycles") == taken);
    }
}

/* Slices on both sides of a branch wait at one barrier for each other */
static void a_barrier_on_both_sides_opens(void **state) {
    (void)state;
    const char *body = MINE LANE BELOW("6") "@%p3 bra $c;\nbar.sync 1, 64;\nmov.u32 %r7, 1; // B\nbra $end;\n$c:\n"
                                            "bar.sync 1, 64;\nmov.u32 %r7, 2; // C\n$end:\nst.global.u32 [%rd1], %r7; // D\n";
    u32 out[64];
    RUN(.body = body, .threads = 64, .keys = {VWS});
    micro_read(0, out, sizeof(out));
    for (u32 i = 0; i < 64; i++) assert_int_equal(out[i], i % 32 < 6 ? 2 : 1);
}

/* A thread polls for what another of its slice will write behind the branch: turns are taken */
static void a_poll_lets_the_others_go(void **state) {
    (void)state;
    const char *body = OUT "setp.eq.u32 %p3, %r0, 0;\n@!%p3 bra $c;\n$again:\nld.volatile.global.u32 %r7, [%rd0];\n"
                           "setp.eq.u32 %p1, %r7, 0;\n@%p1 bra $again;\nbra $end;\n$c:\nsetp.eq.u32 %p2, %r0, 1;\n"
                           "@%p2 st.volatile.global.u32 [%rd0], 1;\n$end:\nadd.u32 %r8, %r0, 1;\n" KEEP2("%r8", "%r0");
    RUN(.body = body, .keys = {VWS});
    body = OUT "setp.eq.u32 %p3, %r0, 0;\n@!%p3 bra $c;\n$again:\nld.volatile.global.u32 %r7, [%rd0];\n"
               "setp.eq.u32 %p1, %r7, 0;\n@%p1 bra $again;\n$c:\nst.volatile.global.u32 [%rd0], 1;\n";
    RUN(.body = body, .keys = {VWS}); /* those that wait at the meeting point */
}

/* Slices end at different times, and the warp with the last */
static void slices_end_one_by_one(void **state) {
    (void)state;
    const char *body =
        OUT LANE "mov.u32 %r4, 0;\n$more:\nadd.u32 %r4, %r4, 1; // B\nsetp.lt.u32 %p1, %r4, %r1;\n@%p1 bra $more; // A\n"
                 "setp.ne.u32 %p2, %r1, 31;\n@%p2 exit;\nadd.u32 %r5, %r4, 1; // D\n" KEEP2("%r5", "%r4");
    RUN(.body = body, .keys = {VWS});
    assert_true(fronts_at("D").n == 1 && fronts_at("D").lanes == 0x80000000);
    assert_int_equal(fronts_at("B").n, 31); /* those that run have run all along, and are one gang */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves_go_on_side_by_side),
        cmocka_unit_test(sides_within_slices_are_a_stack),
        cmocka_unit_test(slices_have_lanes),
        cmocka_unit_test(who_goes_the_same_way_stays),
        cmocka_unit_test(gangs_meet_where_they_stand),
        cmocka_unit_test(the_table_has_room_for_so_many),
        cmocka_unit_test(who_goes_first),
        cmocka_unit_test(slices_have_units_of_their_own),
        cmocka_unit_test(slices_have_their_lanes_of_the_pipe),
        cmocka_unit_test(results_return_through_their_slices),
        cmocka_unit_test(slices_fetch_for_themselves),
        cmocka_unit_test(a_front_end_is_of_slices_or_of_warps),
        cmocka_unit_test(slices_that_hit_do_not_wait),
        cmocka_unit_test(without_branches_it_is_pdom),
        cmocka_unit_test(collectives_wait_for_the_lanes_they_name),
        cmocka_unit_test(unnamed_collectives_keep_warps_whole),
        cmocka_unit_test(a_barrier_on_both_sides_opens),
        cmocka_unit_test(a_poll_lets_the_others_go),
        cmocka_unit_test(slices_end_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
