/* Dynamic warp formation: who goes with whom, in which positions, and who issues. */
#include "core/core.h"
#include "micro.h"

#define DWF  "sm.diverge=dwf"
#define SLOW "sm.class.idiv.latency_cy=200" /* what both sides of a branch wait for, until all have come to the pool */

/* Lanes of p3 go to C, the others to B; both need %r5, which takes long. %r1 is the lane, %r2 the warp. */
#define PART(condition)                                                                                                          \
    OUT "and.b32 %r1, %r0, 31;\nshr.u32 %r2, %r0, 5;\nmov.u32 %r6, %ntid.x;\n" condition                                         \
        "div.u32 %r5, %r0, %r6;\n@%p3 bra $c;\nadd.u32 %r7, %r5, 1; // B\nbra $end;\n$c:\nadd.u32 %r7, %r5, 2; // C\n"           \
        "$end:\nadd.u32 %r8, %r7, 1; // D\n" KEEP2("%r8", "%r7")
/* Lanes from 16 on of even warps, below 16 of odd ones */
#define HALVES "setp.lt.u32 %p1, %r1, 16;\nand.b32 %r3, %r2, 1;\nsetp.eq.u32 %p2, %r3, 0;\nxor.pred %p3, %p1, %p2;\n"

/* Issues of formed fronts at an instruction, and the positions of the last of them */
static u32 fronts_at(const char *label, u64 *positions) {
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_FRONT || e->cause != FRONT_ISSUES || e->pc != pc_of(label)) continue;
        n++;
        if (positions) *positions = e->mask;
    }
    return n;
}

/* --- figure 3.8: W0 and W1 part, and W2:B and W3:C are whole */

static void the_halves_of_two_warps_become_one(void **state) {
    (void)state;
    static const char *const policies[] = {"majority", "minority", "timestamp", "pdom", "pc", "sched"};
    for (u32 i = 0; i < ARRAY_LEN(policies); i++) {
        u64 b = 0, c = 0;
        RUN(.body = PART(HALVES), .threads = 64, .keys = {DWF, SLOW, text("dwf.policy=%s", policies[i])});
        assert_int_equal(fronts_at("B", &b), 1);
        assert_int_equal(fronts_at("C", &c), 1);
        assert_true(b == 0xFFFFFFFF && c == 0xFFFFFFFF);
        assert_true(stat_of("formed_peak") == 2 || stat_of("formed_peak") == 3); /* the second warp parts after the first */
        assert_int_equal(issue("B", .slot = 0), issue("B", .slot = 1));
        assert_int_equal(issue("C", .slot = 0), issue("C", .slot = 1));
        assert_int_equal(fronts_at("D", NULL), 2);
        assert_stat("formed_merges", 2);
        assert_stat("formed_moves", 0);
    }
    RUN(.body = PART(HALVES), .threads = 64, .keys = {SLOW});
    assert_true(issue("B", .slot = 0) != issue("B", .slot = 1));
}

#define BY_BLOCK "mov.u32 %r4, %ctaid.x;\nsetp.lt.u32 %p1, %r1, 16;\nsetp.eq.u32 %p2, %r4, 0;\nxor.pred %p3, %p1, %p2;\n"

static void threads_of_different_blocks_go_together(void **state) {
    (void)state;
    u64 b = 0;
    const char *meet = "bar.sync 0; // S\nadd.u32 %r9, %r8, 1; // N\n" KEEP2("%r9", "%r8");
    RUN(.body = JOIN(PART(BY_BLOCK), meet), .blocks = 2, .keys = {DWF, SLOW, "gpu.sms=1"});
    assert_int_equal(fronts_at("B", &b), 1);
    assert_true(b == 0xFFFFFFFF);
    assert_int_equal(events(EV_ISSUE, "S", .slot = 0), 1); /* half of the threads, each for its own block */
}

/* Halves of two blocks come to their barriers in one front. Of the others block 0's come before it, block
 * 1's after it by less than a barrier takes to let go, and meet the barrier or end. */
#define TWO_BARRIERS(last)                                                                                                       \
    JOIN(OUT "and.b32 %r1, %r0, 31;\n" BY_BLOCK                                                                                  \
             "setp.ne.u32 %p5, %r4, 0;\nmov.u32 %r6, %ntid.x;\ndiv.u32 %r5, %r0, %r6;\n@%p3 bra $c;\n",                          \
         repeat(6, "add.u32 %r5, %r5, 1;\n"), "bra $end;\n$c:\n@%p5 bra $late;\nbra $end;\n$late:\n",                            \
         repeat(9, "add.u32 %r5, %r5, 1;\n"), last,                                                                              \
         "$end:\nadd.u32 %r8, %r5, 1;\nbar.sync 0; // S\nadd.u32 %r9, %r8, 1; // N\n" KEEP2("%r9", "%r8"))

/* Last and first cycle in which instructions of a warp issued; the last in which threads came to the pool */
static u64 last_issue(const char *label, u32 slot) {
    u64 last = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_ISSUE && e->slot == slot && e->pc == pc_of(label)) last = MAX(last, e->cycle);
    }
    return last;
}
static u64 first_issue(const char *label, u32 slot) { return issue(label, .slot = slot); } /* events are in order of cycle */
static u64 last_coming(const char *label) {
    u64 last = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_FRONT && e->cause == FRONT_COMES && e->pc == pc_of(label)) last = MAX(last, e->cycle);
    }
    return last;
}

static void a_barrier_lets_its_own_block_go(void **state) {
    (void)state;
    static const char *const ways[] = {"majority", "sched", "pdom"};
    for (u32 i = 0; i < ARRAY_LEN(ways); i++)
        for (u32 ends = 0; ends < 2; ends++) {
            RUN(.body = TWO_BARRIERS(ends ? "exit; // E\n" : "add.u32 %r5, %r5, 1; // E\n"), .blocks = 2,
                .keys = {DWF, SLOW, "gpu.sms=1", "sm.barrier_cy=90", text("dwf.policy=%s", ways[i])});
            u64 joint = first_issue("S", 1), late = ends ? issue("E", .slot = 1) : last_issue("S", 1);
            assert_int_equal(last_issue("S", 0), joint);    /* block 0's second half, with block 1's first */
            assert_true(late > joint && late < joint + 90); /* while that waits for what it opened */
            assert_int_equal(first_issue("N", 0), joint + 90);
            assert_int_equal(last_coming("N"), late + 90);
            assert_true(first_issue("N", 1) >= late + 90); /* a front in a new place has yet to fetch */
        }
}

/* Blocks of two warps: lanes below 12 of each first warp go round once more, those of two blocks together
 * where they may move, and come to the barrier last. Behind it they part by block, and find the rest of a
 * warp beside one that is whole. Of two blocks that come at once one finds none where all may join all: the
 * table names one front a pc. */
#define ONCE_MORE                                                                                                                \
    JOIN(OUT "mov.u32 %r6, %ntid.x;\nsetp.ge.u32 %p3, %r0, 12;\ndiv.u32 %r5, %r0, %r6;\n@%p3 bra $meet;\n"                       \
             "add.u32 %r5, %r5, 1; // L\n$meet:\nbar.sync 0;\n",                                                                 \
         repeat(20, "add.u32 %r5, %r5, 1;\n"), "add.u32 %r8, %r5, 1; // N\n" KEEP2("%r8", "%r5"))

static void threads_find_their_warps_behind_a_barrier(void **state) {
    (void)state;
    for (u32 blocks = 1; blocks < 3; blocks++)
        for (u32 moves = 0; moves < 2; moves++) {
            RUN(.body = ONCE_MORE, .threads = 64, .blocks = blocks,
                .keys = {DWF, SLOW, "gpu.sms=1", "sm.schedulers=1", "sm.alu.width=8",
                         moves ? "dwf.conflict=move" : "dwf.conflict=new"});
            assert_int_equal(fronts_at("L", NULL), moves ? 1 : blocks);
            assert_int_equal(fronts_at("N", NULL), 2 * blocks + (moves && blocks == 2));
            for (u32 i = 0; i < ran.events.n; i++) { /* 12 and 12 do not stay together */
                const struct event *e = &ran.events.at[i];
                bool at_n = e->kind == EV_FRONT && e->cause == FRONT_ISSUES && e->pc == pc_of("N");
                assert_false(at_n && __builtin_popcountll(e->mask) == 24);
            }
        }
}

/* sm.order = single is of threads: two fronts of one warp do not wait for each other's results */
static void a_thread_has_one_instruction_in_flight(void **state) {
    (void)state;
    RUN(.body = PART("setp.lt.u32 %p3, %r1, 16;\n"), .keys = {DWF, SLOW, "sm.order=single", "sm.class.int.latency_cy=40"});
    u64 b = issue("B"), c = issue("C");
    assert_true((b > c ? b - c : c - b) < 20);
}

/* Lanes that have waited long in the pool come to a shuffle whose other lanes are elsewhere: nothing issues
 * then, and what they waited is no front's wait from its coming to its issue */
static void an_instruction_that_waits_for_lanes_has_not_issued(void **state) {
    (void)state;
    const char *body = JOIN(OUT "and.b32 %r1, %r0, 31;\nmov.u32 %r6, %ntid.x;\nsetp.lt.u32 %p3, %r1, 16;\n"
                                "@%p3 bra $c;\ndiv.u32 %r5, %r0, %r6;\ndiv.u32 %r5, %r5, %r6;\nadd.u32 %r7, %r5, 1;\nbra $end;\n"
                                "$c:\ndiv.u32 %r7, %r0, %r6;\n"
                                "$end:\nshfl.sync.bfly.b32 %r8, %r7, 1, 31, -1; // S\n" KEEP2("%r8", "%r7"));
    RUN(.body = body, .keys = {DWF, SLOW});
    assert_int_equal(fronts_at("S", NULL), 1);
    assert_true(stat_of("formed_wait_max") < 150);
}

static void a_table_of_one_entry_forgets(void **state) {
    (void)state;
    RUN(.body = PART(HALVES), .threads = 64, .keys = {DWF, SLOW, "dwf.table=1"});
    assert_int_equal(fronts_at("B", NULL), 2);
}

/* --- lanes */

#define LOW_LANES "setp.ge.u32 %p3, %r1, 8;\n" /* B: lanes 0 to 7 of each warp; C: the others */

static void lanes_that_are_taken_make_a_front_of_their_own(void **state) {
    (void)state;
    RUN(.body = PART(LOW_LANES), .threads = 64, .keys = {DWF, SLOW, "sm.alu.width=8"});
    assert_int_equal(fronts_at("B", NULL), 2);
    assert_true(stat_of("formed_conflicts") > 0);
}

static void en_dwf_moves_to_another_beat(void **state) {
    (void)state;
    u64 b = 0;
    RUN(.body = PART(LOW_LANES), .threads = 64, .keys = {DWF, SLOW, "sm.alu.width=8", "dwf.conflict=move"});
    assert_int_equal(fronts_at("B", &b), 1);
    assert_true(b == 0xFFFF); /* the lowest beat that is free */
    assert_stat("formed_moves", 8);
    RUN(.body = PART(LOW_LANES), .threads = 64, .keys = {DWF, SLOW, "sm.alu.width=32", "dwf.conflict=move"});
    assert_int_equal(fronts_at("B", NULL), 2); /* there is one beat only */
}

static void en_dwf_without_conflicts_is_dwf(void **state) {
    (void)state;
    RUN(.body = PART(HALVES), .threads = 64, .keys = {DWF, SLOW, "sm.alu.width=8"});
    u64 cycles = ran.cycles;
    RUN(.body = PART(HALVES), .threads = 64, .keys = {DWF, SLOW, "sm.alu.width=8", "dwf.conflict=move"});
    assert_int_equal(ran.cycles, cycles);
    assert_stat("formed_moves", 0);
}

static void free_lanes_pay_at_the_register_banks(void **state) {
    (void)state;
    u64 b = 0;
    RUN(.body = PART(LOW_LANES), .threads = 160, .keys = {DWF, SLOW, "sm.alu.width=8"});
    double waits = stat_of("bank_conflict_cycles");
    RUN(.body = PART(LOW_LANES), .threads = 160, .keys = {DWF, SLOW, "sm.alu.width=8", "dwf.lanes=free"});
    assert_int_equal(fronts_at("B", NULL), 2);             /* 40 threads, 32 a front */
    assert_true(stat_of("bank_conflict_cycles") <= waits); /* four threads a SIMD lane and four beats: one pass */
    /* B: four lanes of each of four warps, all with their registers in SIMD lane 0 */
    RUN(.body = PART("and.b32 %r3, %r1, 7;\nsetp.ne.u32 %p3, %r3, 0;\n"), .threads = 128, .keys = {DWF, SLOW, "sm.alu.width=8"});
    assert_int_equal(fronts_at("B", NULL), 4);
    waits = stat_of("bank_conflict_cycles");
    RUN(.body = PART("and.b32 %r3, %r1, 7;\nsetp.ne.u32 %p3, %r3, 0;\n"), .threads = 128,
        .keys = {DWF, SLOW, "sm.alu.width=8", "dwf.lanes=free"});
    assert_int_equal(fronts_at("B", &b), 1);
    assert_int_equal(__builtin_popcountll(b), 16);
    assert_true(stat_of("bank_conflict_cycles") >= waits + 3); /* four passes */
    /* B: a thread of each of five warps, in SIMD lane 0, for four beats: two passes */
    RUN(.body = PART("setp.ne.u32 %p3, %r1, 0;\n"), .threads = 160, .keys = {DWF, SLOW, "sm.alu.width=8"});
    waits = stat_of("bank_conflict_cycles");
    RUN(.body = PART("setp.ne.u32 %p3, %r1, 0;\n"), .threads = 160, .keys = {DWF, SLOW, "sm.alu.width=8", "dwf.lanes=free"});
    assert_int_equal(fronts_at("B", NULL), 1);
    assert_true(stat_of("bank_conflict_cycles") >= waits + 1);
}

static void a_permutation_parts_low_lanes(void **state) {
    (void)state;
    u64 b = 0;
    /* B: lane 0 of each warp */
    RUN(.body = PART("setp.ne.u32 %p3, %r1, 0;\n"), .threads = 128, .keys = {DWF, SLOW});
    assert_int_equal(fronts_at("B", NULL), 4);
    RUN(.body = PART("setp.ne.u32 %p3, %r1, 0;\n"), .threads = 128, .keys = {DWF, SLOW, "dwf.permute=xor"});
    assert_int_equal(fronts_at("B", &b), 1);
    assert_true(b == 0xF); /* lane 0 XOR warps 0 to 3 */
}

/* Warps of different blocks sit in different positions, too; with two schedulers all of those of each do */
static void a_permutation_parts_blocks_of_one_warp(void **state) {
    (void)state;
    u64 b = 0;
    RUN(.body = PART("setp.ne.u32 %p3, %r1, 0;\n"), .blocks = 4, .keys = {DWF, SLOW, "gpu.sms=1", "sm.schedulers=1"});
    assert_int_equal(fronts_at("B", NULL), 4);
    RUN(.body = PART("setp.ne.u32 %p3, %r1, 0;\n"), .blocks = 4,
        .keys = {DWF, SLOW, "gpu.sms=1", "sm.schedulers=1", "dwf.permute=xor"});
    assert_int_equal(fronts_at("B", &b), 1);
    assert_true(b == 0xF);
    RUN(.body = PART("setp.ne.u32 %p3, %r1, 0;\n"), .blocks = 4,
        .keys = {DWF, SLOW, "gpu.sms=1", "sm.schedulers=2", "dwf.permute=xor"});
    assert_int_equal(fronts_at("B", &b), 2);
    assert_true(b == 0x3);
}

/* --- figure 4.5 and its rule: a merge is possible exactly when no SIMD lane has more than four threads, and
 * as many move as meet somebody */

static u32 random_bits(u64 *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(*seed >> 32);
}

static void conflicts_are_resolved_within_a_lane(void **state) {
    (void)state;
    u8 from[MAX_WARP], to[MAX_WARP];
    /* 27 and 59 stand in the fourth quarter, fourth lane; 3 and 35 are idle: 59 goes to the first quarter */
    assert_int_equal(form_moves(1u << 27, 1u << 27, 32, 8, from, to), 1);
    assert_true(from[0] == 27 && to[0] == 3);
    u64 seed = 45;
    for (u32 i = 0; i < 200000; i++) {
        u32 there = random_bits(&seed) & random_bits(&seed), come = random_bits(&seed) & random_bits(&seed), most = 0;
        for (u32 l = 0; l < 8; l++) {
            u32 lane = 0x01010101u << l;
            most = MAX(most, (u32)(__builtin_popcount(there & lane) + __builtin_popcount(come & lane)));
        }
        u32 n = form_moves(there, come, 32, 8, from, to), after = come;
        assert_int_equal(n != UINT32_MAX, most <= 4);
        if (n == UINT32_MAX) continue;
        assert_int_equal(n, __builtin_popcount(there & come));
        for (u32 k = 0; k < n; k++) {
            assert_int_equal(from[k] % 8, to[k] % 8);
            after = (after & ~(1u << from[k])) | 1u << to[k];
        }
        assert_int_equal(after & there, 0);
        assert_int_equal(__builtin_popcount(after), __builtin_popcount(come));
    }
}

/* Figure 4.4: six warps whose quarters have three holes take 21 of 24 slots, wherever these are */
static void three_holes_save_three_slots(void **state) {
    (void)state;
    for (u32 a = 0; a < 24; a++)
        for (u32 b = a + 1; b < 24; b++)
            for (u32 c = b + 1; c < 24; c++) {
                u32 beats = 0;
                for (u32 w = 0; w < 6; w++) {
                    u64 lanes = 0;
                    for (u32 q = 0; q < 4; q++)
                        if (w * 4 + q != a && w * 4 + q != b && w * 4 + q != c) lanes |= 0xFFull << q * 8;
                    beats += scale_beats(lanes, 32, 8, false);
                }
                assert_int_equal(beats, 21);
            }
}

/* Figure 4.6: the piece is squeezed, then moves, then joins, and what is formed is scaled down */
#define SQUEEZE DWF, SLOW, "sm.alu.width=8", "sm.warp_scale=hybrid", "sm.squeeze=thesis"
/* B: lanes 0 to 3 and 12 to 15, one to a SIMD lane */
#define CORNERS "sub.u32 %r3, %r1, 4;\nsetp.lt.u32 %p1, %r3, 8;\nsetp.gt.u32 %p2, %r1, 15;\nor.pred %p3, %p1, %p2;\n"
/* B: these of warp 0, and 4 to 11 of warp 1: apart as they are, together when they are squeezed */
#define CROSSED                                                                                                                  \
    "sub.u32 %r3, %r1, 4;\nsetp.lt.u32 %p1, %r3, 8;\nsetp.eq.u32 %p2, %r2, 0;\nsetp.lt.u32 %p4, %r1, 16;\n"                      \
    "xor.pred %p5, %p1, %p2;\nand.pred %p6, %p5, %p4;\nnot.pred %p3, %p6;\n"

static void a_piece_is_squeezed_then_moves_then_joins(void **state) {
    (void)state;
    u64 b = 0;
    RUN(.body = PART(CORNERS), .threads = 64, .keys = {SQUEEZE, "dwf.conflict=move"});
    assert_int_equal(fronts_at("B", &b), 1);
    assert_true(b == 0xFFFF); /* both squeezed into the first quarter, the second moved on to the next */
    assert_stat("formed_moves", 8);
    assert_true(stat_of("squeeze_moves") >= 8 && stat_of("beats_spared") > 0);
}

static void squeeze_goes_before_the_merge_or_after_it(void **state) {
    (void)state;
    u64 b = 0;
    RUN(.body = PART(CROSSED), .threads = 64, .keys = {SQUEEZE});
    assert_int_equal(fronts_at("B", NULL), 2); /* squeezed they meet: the thesis's loss on RAY and LPS */
    RUN(.body = PART(CROSSED), .threads = 64, .keys = {SQUEEZE, "dwf.squeeze=after"});
    assert_int_equal(fronts_at("B", &b), 1);
    assert_true(b == 0xFFFF);
}

/* --- without branches it is pdom */

static u32 told_of_fronts(enum front_event what) {
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) n += ran.events.at[i].kind == EV_FRONT && ran.events.at[i].cause == what;
    return n;
}

static void without_branches_it_is_pdom(void **state) {
    (void)state;
    static const char *const bodies[] = {
        WITHOUT_BRANCHES,
    };
    for (u32 i = 0; i < ARRAY_LEN(bodies); i++)
        for (u32 k = 0; k < 4; k++) {
            const char *sched = text("sm.sched=%s", k % 2 ? "gto" : "lrr"), *width = text("sm.issue_width=%u", k / 2 + 1);
            RUN(.body = bodies[i], .threads = 160, .blocks = 6, .keys = {sched, width}, .front = true);
            u64 cycles = ran.cycles;
            u32 fetches = count(EV_FETCH), flushes = count(EV_FLUSH);
            double instructions = stat_of("warp_instructions");
            struct sched_stats was[MAX_SCHEDULERS];
            memcpy(was, ran.stats->sum.sched, sizeof(was));
            RUN(.body = bodies[i], .threads = 160, .blocks = 6, .keys = {sched, width, DWF, "dwf.policy=sched"}, .front = true);
            assert_int_equal(ran.cycles, cycles);
            assert_true(stat_of("warp_instructions") == instructions);
            assert_memory_equal(was, ran.stats->sum.sched, sizeof(was)); /* stall times, stacks, kinds of cycles */
            assert_stat("formed_beyond_cycles", 0);
            assert_true(fetches && flushes);
            assert_int_equal(told_of_fronts(FRONT_FETCHES), fetches);
            assert_int_equal(told_of_fronts(FRONT_FLUSHES), flushes);
        }
}

/* A place beyond the warp slots counts while it has a front; a cycle of a stack stays a cycle */
static void fronts_beyond_the_slots_count_while_they_are_there(void **state) {
    (void)state;
    /* eight ways of four lanes, in all four warps that there is room for */
    const char *body = OUT "and.b32 %r1, %r0, 7;\nmov.u32 %r2, 0;\n$more:\nmul.lo.u32 %r2, %r2, 5;\nadd.u32 %r2, %r2, %r1;\n"
                           "setp.lt.u32 %p1, %r1, 4;\n@%p1 bra $low;\ndiv.u32 %r2, %r2, 3;\n$low:\nsub.u32 %r1, %r1, 1;\n"
                           "setp.gt.s32 %p2, %r1, 0;\n@%p2 bra $more;\n" KEEP2("%r2", "%r1");
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = body, .threads = 128, .blocks = 2,
            .keys = {DWF, "gpu.sms=1", "sm.warps=4", "sm.schedulers=2", "dwf.table=1",
                     i ? "dwf.policy=sched" : "dwf.policy=majority"});
        u64 time = 0, beyond = (u64)stat_of("formed_beyond_cycles");
        for (u32 k = 0; k < STALL_COUNT; k++) time += warp_time((enum stall)k);
        assert_true(beyond > 0 && stat_of("formed_peak") > 4);
        assert_true(beyond <= ran.cycles * ((u64)stat_of("formed_peak") - 1));
        assert_int_equal(time, 6 * (4 * ran.cycles + beyond));
        for (u32 s = 0; s < 2; s++)
            for (u32 m = 0; m < CPI_METHODS; m++) {
                const struct sched_stats *of = &ran.stats->sum.sched[s];
                u64 sum = 0;
                for (u32 k = 0; k < CPI_COUNT; k++) sum += of->cpi[m][k];
                assert_int_equal(sum, 6 * 2 * ran.cycles);
                assert_int_equal(of->cpi[m][CPI_BASE], 6 * 2 * (of->cycles[SCHED_ISSUE1] + of->cycles[SCHED_ISSUE2]));
            }
    }
}

/* --- who issues */

/* A program that parts and meets for long, in two blocks of four warps */
#define PARTS                                                                                                                    \
    OUT "and.b32 %r1, %r0, 7;\nmov.u32 %r2, 0;\n$more:\nmul.lo.u32 %r2, %r2, 5;\nadd.u32 %r2, %r2, %r1;\n"                       \
        "setp.lt.u32 %p1, %r1, 4;\n@%p1 bra $low;\ndiv.u32 %r2, %r2, 3;\n$low:\nsub.u32 %r1, %r1, 1;\n"                          \
        "setp.gt.s32 %p2, %r1, 0;\n@%p2 bra $more;\n" KEEP2("%r2", "%r1")

/* --- the pool's entries */

/* With as many entries as there are fronts nothing changes; with fewer threads wait, and all come to their
 * end; form_check holds that no more are in use (timing.check_cycles) */
static void a_pool_is_as_large_as_it_is(void **state) {
    (void)state;
    static const char *const policies[] = {"majority", "sched", "timestamp"};
    for (u32 i = 0; i < ARRAY_LEN(policies); i++) {
        const char *policy = text("dwf.policy=%s", policies[i]);
        RUN(.body = PARTS, .threads = 128, .blocks = 2, .keys = {DWF, "gpu.sms=1", policy});
        u64 cycles = ran.cycles, peak = (u64)stat_of("formed_peak");
        assert_true(peak > 8);
        assert_stat("formed_outside", 0);
        RUN(.body = PARTS, .threads = 128, .blocks = 2, .keys = {DWF, "gpu.sms=1", policy, text("dwf.pool=%u", (u32)peak)});
        assert_int_equal(ran.cycles, cycles);
        assert_stat("formed_outside", 0);
        assert_int_equal(warp_time(STALL_POOL), 0);
        for (u32 entries = 1; entries < 4; entries++) {
            RUN(.body = PARTS, .threads = 128, .blocks = 2, .timing = {.check_cycles = 1},
                .keys = {DWF, "gpu.sms=1", policy, text("dwf.pool=%u", entries)});
            assert_true(stat_of("formed_outside") > 0 && warp_time(STALL_POOL) > 0 && ran.cycles > cycles);
        }
    }
}

/* Two warps and one entry: the second waits for the first's branch, and then goes before it */
static void who_waits_for_an_entry_goes_first(void **state) {
    (void)state;
    const char *body = OUT "add.u32 %r1, %r0, 1; // A\nbra $next;\n$next:\nadd.u32 %r2, %r1, 1; // B\n" KEEP2("%r2", "%r1");
    RUN(.body = body, .threads = 64, .keys = {DWF, "gpu.sms=1", "sm.schedulers=1", "dwf.pool=1"});
    assert_true(issue("A", .slot = 1) > issue("A", .slot = 0));
    assert_true(issue("A", .slot = 1) < issue("B", .slot = 0));
    assert_true(issue("B", .slot = 1) > issue("B", .slot = 0));
}

/* Lane 0 opens a lock that the other warps poll for: it gets its entry, however few there are */
static void polling_threads_do_not_keep_others_out(void **state) {
    (void)state;
    const char *body = MINE "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra $poll;\nmov.u32 %r1, 1;\nst.global.u32 [%rd0], %r1;\nbra $end;\n"
                            "$poll:\nld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra $poll;\n$end:\n";
    for (u32 entries = 1; entries < 3; entries++)
        RUN(.body = body, .threads = 96,
            .keys = {DWF, "gpu.sms=1", "dwf.policy=sched", "sm.sched=lrr", text("dwf.pool=%u", entries)});
}

/* --- the heap */

/* Everybody gets there, and cycles are lost while the heap is sorted: more with one port than with many */
static void a_heap_of_pcs_takes_time(void **state) {
    (void)state;
    u64 lost[2];
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = PARTS, .threads = 128, .blocks = 2,
            .keys = {DWF, "gpu.sms=1", "dwf.majority=heap", text("dwf.heap.ports=%u", i ? 64 : 1)});
        lost[i] = (u64)stat_of("formed_choice_cycles");
    }
    assert_true(lost[0] > lost[1]);
    RUN(.body = PARTS, .threads = 128, .blocks = 2,
        .keys = {DWF, "gpu.sms=1", "dwf.majority=heap", "dwf.heap=1", "dwf.table=1", "dwf.heap.ports=1"});
    RUN(.body = PARTS, .threads = 128, .blocks = 2, .keys = {DWF, "gpu.sms=1"});
    assert_stat("formed_choice_cycles", 0);
    /* 24 lanes at B, 8 at C */
    RUN(.body = PART("setp.lt.u32 %p3, %r1, 8;\n"), .keys = {DWF, SLOW, "dwf.majority=heap"});
    assert_true(issue("B") < issue("C"));
    RUN(.body = PART("setp.lt.u32 %p3, %r1, 24;\n"), .keys = {DWF, SLOW, "dwf.majority=heap"});
    assert_true(issue("C") < issue("B"));
}

/* As many times sixteen instructions that wait for nothing, not even for each other; then Y, behind all of
 * them */
static const char *busy(u32 times) {
    struct strbuf b = {0};
    for (u32 i = 0; i < times * 16; i++) strbuf_add(&b, "mov.u32 %%r%u, 1;\n", 20 + i % 16);
    strbuf_add(&b, "add.u32 %%r10, %%r20, 1; // Y\n");
    for (u32 i = 1; i < 16; i++) strbuf_add(&b, "add.u32 %%r10, %%r10, %%r%u;\n", 20 + i);
    const char *kept = text("%s", b.s);
    strbuf_free(&b);
    return kept;
}

/* Lanes of two warps with another depth each: the front is as deep as the deepest. `deep` parts at the
 * branch before X, the other goes there whole, though half of it has ended; the third warp parts, too, and
 * has work at a higher pc. */
#define OF_TWO_DEPTHS(deep, other)                                                                                               \
    JOIN(OUT "and.b32 %r1, %r0, 31;\nshr.u32 %r2, %r0, 5;\nmov.u32 %r6, %ntid.x;\ndiv.u32 %r5, %r0, %r6;\n"                      \
             "setp.eq.u32 %p1, %r2, " other ";\nsetp.lt.u32 %p2, %r1, 16;\nand.pred %p3, %p1, %p2;\n@%p3 exit;\n"                \
             "setp.eq.u32 %p4, %r2, 2;\n@%p4 bra $third;\nor.pred %p5, %p1, %p2;\n@!%p5 bra $end;\n"                             \
             "div.u32 %r7, %r5, %r6;\nadd.u32 %r8, %r7, 1; // X\nbra $end;\n$third:\n@!%p2 bra $end;\nadd.u32 %r9, %r5, 1;\n",   \
         busy(20), "$end:\n" KEEP4("%r8", "%r7", "%r9", "%r10"))

static void a_front_is_as_deep_as_its_deepest(void **state) {
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = i ? OF_TWO_DEPTHS("0", "1") : OF_TWO_DEPTHS("1", "0"), .threads = 96,
            .keys = {DWF, SLOW, "dwf.policy=pdom", "sm.schedulers=1"});
        assert_int_equal(fronts_at("X", NULL), 1);
        assert_true(issue("X") < issue("Y", .slot = 2));
    }
}

/* The oldest warp's lanes join the youngest's: the front is as old as they are, and goes before the other
 * warp's work when it can */
static void a_front_is_as_old_as_its_oldest(void **state) {
    (void)state;
    const char *body = JOIN(
        OUT
        "and.b32 %r1, %r0, 31;\nshr.u32 %r2, %r0, 5;\nmov.u32 %r6, %ntid.x;\ndiv.u32 %r5, %r0, %r6;\nsetp.lt.u32 %p1, %r1, 16;\n"
        "setp.eq.u32 %p2, %r2, 1;\nsetp.eq.u32 %p3, %r2, 0;\n@%p2 bra $second;\nxor.pred %p4, %p1, %p3;\n@!%p4 exit;\n"
        "@!%p3 bra $meet;\n",
        repeat(6, "mul.lo.u32 %r1, %r1, %r1;\n"), "$meet:\ndiv.u32 %r7, %r5, %r6;\nadd.u32 %r8, %r7, 1; // X\nbra $end;\n",
        "$second:\nadd.u32 %r9, %r5, 1;\n", busy(25), "$end:\n" KEEP4("%r8", "%r7", "%r9", "%r10"));
    RUN(.body = body, .threads = 96, .keys = {DWF, SLOW, "dwf.policy=sched", "sm.sched=oldest", "sm.schedulers=1"});
    assert_int_equal(fronts_at("X", NULL), 1);
    assert_true(issue("X") < issue("Y", .slot = 1));
}

/* Half of each of two warps comes to a shuffle, by ways of their own, and waits there for a value: they
 * stay apart, though their positions are free */
static void at_a_shuffle_each_warp_is_a_front(void **state) {
    (void)state;
    u64 seats = 0;
    const char *body = OUT "and.b32 %r1, %r0, 31;\nshr.u32 %r2, %r0, 5;\nmov.u32 %r6, %ntid.x;\n" HALVES
                           "selp.b32 %r9, 65535, -65536, %p1;\ndiv.u32 %r5, %r0, %r6;\n@%p3 bra $end;\n@%p2 bra $even;\n"
                           "add.u32 %r7, %r0, 1;\nbra $s;\n$even:\nadd.u32 %r7, %r0, 2;\nadd.u32 %r7, %r7, 3;\n"
                           "$s:\nshfl.sync.bfly.b32 %r8, %r5, 1, 31, %r9; // S\n$end:\nadd.u32 %r3, %r8, 1; // D\n" KEEP4(
                               "%r8", "%r7", "%r5", "%r3");
    RUN(.body = body, .threads = 64, .keys = {DWF, SLOW});
    assert_int_equal(fronts_at("S", &seats), 2);
    assert_int_equal(__builtin_popcountll(seats), 16);
}

static void policies_choose_their_pc(void **state) {
    (void)state;
    /* B: 24 lanes, at the lower pc; C: 8 */
    const struct {
        const char *policy;
        bool b_first;
    } is[] = {{"majority", true}, {"minority", false}, {"pc", true}};
    for (u32 i = 0; i < ARRAY_LEN(is); i++) {
        RUN(.body = PART("setp.lt.u32 %p3, %r1, 8;\n"), .keys = {DWF, SLOW, text("dwf.policy=%s", is[i].policy)});
        assert_int_equal(issue("B") < issue("C"), is[i].b_first);
    }
}

/* Of two fronts that could issue, the one deeper in branches goes first: the other is where it comes to */
static void pdom_lets_the_inner_threads_go_first(void **state) {
    (void)state;
    const char *body =
        OUT "and.b32 %r1, %r0, 31;\nmov.u32 %r6, %ntid.x;\nsetp.lt.u32 %p3, %r1, 16;\nsetp.lt.u32 %p4, %r1, 24;\n"
            "div.u32 %r5, %r0, %r6;\n@%p3 bra $end;\n@%p4 bra $in;\nadd.u32 %r9, %r5, 1; // A\n"
            "$in:\nadd.u32 %r7, %r5, 2; // B\n$end:\nadd.u32 %r8, %r5, 1; // D\n" KEEP4("%r8", "%r7", "%r9", "%r5");
    RUN(.body = body, .keys = {DWF, SLOW, "dwf.policy=pdom"});
    assert_true(issue("A") < issue("B") && issue("B") < issue("D"));
    RUN(.body = body, .keys = {DWF, SLOW, "dwf.policy=minority"});
    assert_true(issue("A") < issue("D")); /* eight lanes before sixteen */
}

/* The lower halves of two warps whose upper halves have ended go together, W1's in the upper positions. Then
 * W0 ends, and of W1 sixteen lanes go on and sixteen have ended, whatever positions those have. */
static void lanes_that_ended_are_counted_in_their_home(void **state) {
    (void)state;
    const char *body = JOIN(OUT "and.b32 %r1, %r0, 31;\nmov.u32 %r6, %ntid.x;\nsetp.ge.u32 %p1, %r1, 16;\n"
                                "div.u32 %r5, %r0, %r6;\n@%p1 exit;\nadd.u32 %r7, %r5, 1; // B\nsetp.lt.u32 %p2, %r0, 32;\n"
                                "@%p2 exit;\n",
                            repeat(40, "add.u32 %r8, %r7, 1;\n"), "add.u32 %r8, %r7, 2; // D\n" KEEP2("%r8", "%r7"));
    u64 seats = 0;
    RUN(.body = body, .threads = 64, .keys = {DWF, SLOW, "dwf.lanes=free"});
    assert_int_equal(fronts_at("B", NULL), 1);
    assert_int_equal(fronts_at("D", &seats), 1);
    assert_int_equal(seats, 0xFFFF0000);
    assert_true(ran.stats->lane.lost[LOST_EXITED] >= 16 * 41);
    assert_int_equal(ran.stats->lane.lost[LOST_PARTED], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_halves_of_two_warps_become_one),
        cmocka_unit_test(threads_of_different_blocks_go_together),
        cmocka_unit_test(a_barrier_lets_its_own_block_go),
        cmocka_unit_test(threads_find_their_warps_behind_a_barrier),
        cmocka_unit_test(a_thread_has_one_instruction_in_flight),
        cmocka_unit_test(an_instruction_that_waits_for_lanes_has_not_issued),
        cmocka_unit_test(a_table_of_one_entry_forgets),
        cmocka_unit_test(lanes_that_are_taken_make_a_front_of_their_own),
        cmocka_unit_test(en_dwf_moves_to_another_beat),
        cmocka_unit_test(en_dwf_without_conflicts_is_dwf),
        cmocka_unit_test(free_lanes_pay_at_the_register_banks),
        cmocka_unit_test(a_permutation_parts_low_lanes),
        cmocka_unit_test(a_permutation_parts_blocks_of_one_warp),
        cmocka_unit_test(conflicts_are_resolved_within_a_lane),
        cmocka_unit_test(three_holes_save_three_slots),
        cmocka_unit_test(a_piece_is_squeezed_then_moves_then_joins),
        cmocka_unit_test(squeeze_goes_before_the_merge_or_after_it),
        cmocka_unit_test(without_branches_it_is_pdom),
        cmocka_unit_test(fronts_beyond_the_slots_count_while_they_are_there),
        cmocka_unit_test(a_pool_is_as_large_as_it_is),
        cmocka_unit_test(who_waits_for_an_entry_goes_first),
        cmocka_unit_test(polling_threads_do_not_keep_others_out),
        cmocka_unit_test(a_heap_of_pcs_takes_time),
        cmocka_unit_test(a_front_is_as_deep_as_its_deepest),
        cmocka_unit_test(a_front_is_as_old_as_its_oldest),
        cmocka_unit_test(at_a_shuffle_each_warp_is_a_front),
        cmocka_unit_test(policies_choose_their_pc),
        cmocka_unit_test(pdom_lets_the_inner_threads_go_first),
        cmocka_unit_test(lanes_that_ended_are_counted_in_their_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
