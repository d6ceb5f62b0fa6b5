/* Hazards of the memory stage, one behaviour a test: what a refused instruction does to others under `stall`
 * and under `replay` (Turner 1.1.7, 3.4.2.1, 5.2). */
#include "../micro/micro.h"

/* %r0 = thread, %r1 = warp, %rd0 = out */
#define WARP        OUT "shr.u32 %r1, %r0, 5;\n"
#define LONG_ENOUGH 100 /* an L1 miss of `small` takes more */

static const char *const policies[] = {"sm.hazard=stall", "sm.hazard=replay"};
enum { STALLS, REPLAYS };

/* --- one MSHR, seven warps that miss, and one that only computes */

#define CHOKE                                                                                                                    \
    WARP "mul.wide.u32 %rd1, %r1, 4096;\n"                                                                                       \
         "add.u64 %rd1, %rd0, %rd1;\n"                                                                                           \
         "setp.eq.u32 %p1, %r1, 7;\n"                                                                                            \
         "@%p1 bra COMPUTE;\n"                                                                                                   \
         "ld.global.u32 %r2, [%rd1];      // load\n"                                                                             \
         "add.u32 %r2, %r2, 1;\n"                                                                                                \
         "st.global.u32 [%rd1], %r2;\n"                                                                                          \
         "bra END;\n"                                                                                                            \
         "COMPUTE: add.u32 %r2, %r0, 1;   // first\n"

static void stalled_loads_choke_arithmetic_and_replayed_ones_do_not(void **state) {
    (void)state;
    u64 took[2];
    double blocked[2];
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = JOIN(CHOKE, repeat(40, "add.u32 %r2, %r2, 1;\n"), "add.u32 %r2, %r2, 1; // last\n",
                         "END: add.u32 %r3, %r2, 1;\n"),
            .threads = 256, .keys = {policies[i], "sm.l1.mshrs=1", "sm.collectors=generic:4", "sm.lsu.queue=1"});
        took[i] = issue("last", .slot = 7) - issue("first", .slot = 7);
        blocked[i] = stat_of("collector_blocked_cycles");
    }
    u64 alone = took[REPLAYS];
    assert_true(took[STALLS] > alone + LONG_ENOUGH);
    assert_true(blocked[STALLS] > LONG_ENOUGH);
    assert_int_equal((int)blocked[REPLAYS], 0);
    RUN(.body =
            JOIN(CHOKE, repeat(40, "add.u32 %r2, %r2, 1;\n"), "add.u32 %r2, %r2, 1; // last\n", "END: add.u32 %r3, %r2, 1;\n"),
        .threads = 256, .keys = {"sm.hazard=stall", "sm.l1.mshrs=1", "sm.collectors=separated:2/1/2", "sm.lsu.queue=1"});
    assert_true(issue("last", .slot = 7) - issue("first", .slot = 7) <
                took[STALLS]); /* collectors of its own save arithmetic too (3.4.1.2) */
}

/* --- a line is in the cache; warps 0, 1 and 2 miss with one MSHR; warp 3 then asks for that line */

static const char passing[] = WARP "ld.global.u32 %r2, [%rd0+65536];\n"
                                   "setp.eq.u32 %p1, %r2, 77;\n" /* the line is here, for every warp */
                                   "bar.sync 0;\n"
                                   "add.u32 %r3, %r1, 1;\n"
                                   "setp.eq.u32 %p1, %r1, 3;\n"
                                   "mul.wide.u32 %rd1, %r3, 4096;\n"
                                   "add.u64 %rd1, %rd0, %rd1;\n"
                                   "@%p1 bra HIT;\n"
                                   "ld.global.u32 %r4, [%rd1];        // miss\n"
                                   "bra END;\n"
                                   "HIT: add.u32 %r5, %r3, 1;\n"
                                   "add.u32 %r5, %r5, 1;\n"
                                   "add.u32 %r5, %r5, 1;\n"
                                   "add.u32 %r5, %r5, 1;\n"
                                   "add.u32 %r5, %r5, 1;\n"
                                   "mul.wide.u32 %rd2, %r5, 0;\n"
                                   "add.u64 %rd2, %rd0, %rd2;\n"
                                   "ld.global.u32 %r4, [%rd2+65536];  // hit\n"
                                   "END: add.u32 %r6, %r4, 1;\n";

static void hits_pass_blocked_misses_under_replay_only(void **state) {
    (void)state;
    u64 took[2];
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = passing, .threads = 128, .keys = {policies[i], "sm.l1.mshrs=1", "sm.lsu.queue=1"});
        assert_true(hazards_of(WHO("miss", .slot = 2), HAZARD_MSHR) + hazards_of(WHO("miss", .slot = 1), HAZARD_MSHR) > 0);
        took[i] = when(EV_READY, "hit", .slot = 3) - issue("hit", .slot = 3);
    }
    RUN(.body = passing, .threads = 128, .keys = {policies[STALLS], "sm.l1.mshrs=16", "sm.lsu.queue=1"});
    u64 alone = when(EV_READY, "hit", .slot = 3) - issue("hit", .slot = 3);
    assert_true(took[REPLAYS] <= alone + 2); /* the stage may be taken by a replay when it comes */
    assert_true(took[STALLS] > alone + LONG_ENOUGH);
}

/* --- two sets of one way: warps 0 and 1 meet in set 0, warp 2 goes to set 1 */

static const char sets[] = WARP "shl.b32 %r2, %r1, 1;\n"
                                "rem.u32 %r2, %r2, 3;\n"
                                "mul.wide.u32 %rd1, %r2, 128;\n" /* lines 0, 2, 1 */
                                "add.u64 %rd1, %rd0, %rd1;\n"
                                "ld.global.u32 %r4, [%rd1];        // load\n"
                                "add.u32 %r6, %r4, 1;\n";

static void rsv_blocks_only_its_set_under_replay(void **state) {
    (void)state;
    u64 when_other[2];
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = sets, .threads = 96,
            .keys = {policies[i], "sm.l1.sets=2", "sm.l1.ways=1", "sm.l1.stream=false", "sm.lsu.queue=1"});
        assert_int_equal(hazards_of(WHO("load", .slot = 0), HAZARD_RSV), 0);
        assert_true(hazards_of(WHO("load", .slot = 1), HAZARD_RSV) > 0);
        assert_int_equal(hazards_of(WHO("load", .slot = 2), HAZARD_RSV), 0);
        when_other[i] = when(EV_ACCESS, "load", .slot = 2) - issue("load", .slot = 2);
    }
    if (when_other[REPLAYS] + 50 >= when_other[STALLS])
        fail_msg("accessed %llu cycles after its issue under replay, %llu under stall", (unsigned long long)when_other[REPLAYS],
                 (unsigned long long)when_other[STALLS]);
}

/* --- a TLB miss holds its own page's accesses only */

static const char pages[] = WARP "mul.wide.u32 %rd1, %r1, 65536;\n"
                                 "add.u64 %rd1, %rd0, %rd1;\n"
                                 "ld.global.u32 %r2, [%rd0+196608];\n" /* page 3 is known, and its line here */
                                 "add.u32 %r3, %r2, %r1;\n"
                                 "bar.sync 0;\n"
                                 "setp.eq.u32 %p1, %r1, 3;\n"
                                 "@%p1 bra LATER;\n"
                                 "bra NOW;\n"
                                 "LATER: add.u32 %r3, %r3, 1;\n"
                                 "add.u32 %r3, %r3, 1;\n"
                                 "add.u32 %r3, %r3, 1;\n"
                                 "NOW: ld.global.u32 %r4, [%rd1];        // load\n"
                                 "add.u32 %r6, %r4, %r3;\n";

static void a_tlb_miss_holds_others_under_stall_only(void **state) {
    (void)state;
    u64 took[2];
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = pages, .threads = 128, .keys = {policies[i], "sm.tlb.entries=4", "sm.tlb.miss_cy=300", "sm.lsu.queue=1"});
        assert_true(hazards_of(WHO("load", .slot = 0), HAZARD_TLB) > 0);
        took[i] = when(EV_ACCESS, "load", .slot = 3) - issue("load", .slot = 3);
    }
    assert_true(took[REPLAYS] < 50);
    assert_true(took[STALLS] > 200);
}

/* --- what completes: DIV and BANK some threads an issue, in the order of the lines; each replay has the
 * lanes that are left */

static void div_and_bank_complete_some_threads_an_issue(void **state) {
    (void)state;
    RUN(.body = OUT "shr.u32 %r1, %r0, 3;\n"
                    "mul.wide.u32 %rd1, %r1, 128;\n"
                    "add.u64 %rd1, %rd0, %rd1;\n"
                    "ld.global.u32 %r2, [%rd1];   // four\n"
                    "add.u32 %r3, %r2, 1;\n",
        .keys = {policies[REPLAYS]});
    assert_int_equal(hazards_of(WHO("four"), HAZARD_DIV), 3);
    assert_int_equal(events(EV_REPLAY, "four"), 3);
    for (u32 i = 0; i < 3; i++) assert_int_equal(event_at(EV_REPLAY, i)->mask, 0xFFFFFFFFu << 8 * (i + 1) & 0xFFFFFFFFu);
    RUN(.body = "mov.u32 %r0, %tid.x;\n"
                "shl.b32 %r1, %r0, 3;\n" /* words 0, 2, 4 ...: two lanes a bank */
                "st.shared.u32 [%r1], %r0;    // pair\n",
        .dynamic_shared_b = 4096, .keys = {policies[REPLAYS]});
    assert_int_equal(hazards_of(WHO("pair"), HAZARD_BANK), 1);
    assert_int_equal(event_at(EV_REPLAY, 0)->mask, 0xFFFF0000u);
}

/* --- the way back: a refused instruction issues again one cycle and the key after the stage's word */

static void the_signal_takes_its_time(void **state) {
    (void)state;
    u64 plain = 0;
    for (u32 late = 0; late <= 6; late += 3) {
        RUN(.body = OUT "shr.u32 %r1, %r0, 4;\n"
                        "mul.wide.u32 %rd1, %r1, 128;\n"
                        "add.u64 %rd1, %rd0, %rd1;\n"
                        "ld.global.u32 %r2, [%rd1];   // two\n"
                        "add.u32 %r3, %r2, 1;\n",
            .keys = {policies[REPLAYS], text("sm.hazard.signal_cy=%u", late)});
        u64 back = when(EV_REPLAY, "two") - when(EV_HAZARD, "two");
        if (!late) plain = back;
        assert_int_equal(back, plain + late);
    }
    assert_int_equal(plain, 1);
}

/* --- kept entries: eight independent instructions behind a load that cannot finish for want of an MSHR; the
 * buffer holds four */

static void kept_entries_narrow_the_window(void **state) {
    (void)state;
    static const char *const keys[][2] = {{"sm.hazard=stall", "sm.hazard.signal_cy=0"},
                                          {"sm.hazard=retain", "sm.hazard.signal_cy=0"},
                                          {"sm.hazard=retain", "sm.hazard.unbounded_buffer=true"}};
    u64 took[3];
    for (u32 i = 0; i < 3; i++) {
        RUN(.body = OUT
            "ld.global.u32 %r1, [%rd0];\n"
            "ld.global.u32 %r2, [%rd0+4096];   // held\n"
            "add.u32 %r11, %r0, 1;\n"
            "add.u32 %r12, %r0, 1;\nadd.u32 %r13, %r0, 1;\nadd.u32 %r14, %r0, 1;\nadd.u32 %r15, %r0, 1;\nadd.u32 %r16, %r0, 1;\n"
            "add.u32 %r17, %r0, 1;             // eighth\n" KEEP4("%r11", "%r12", "%r13", "%r14")
                KEEP4("%r15", "%r16", "%r17", "%r11") KEEP2("%r15", "%r1") KEEP2("%r15", "%r2"),
            .front = true,
            .keys = {keys[i][0], keys[i][1], "sm.l1.mshrs=1", "sm.icache.ideal=true", "sm.inst_b=1", "sm.ibuffer=4"});
        took[i] = apart("held", "eighth");
    }
    assert_true(took[1] > took[0] + 50);
    assert_int_equal(took[2], took[0]);
}

/* --- prediction: a known miss waits at the scheduler, not in the pipe */

static void a_known_miss_is_held_back_until_an_mshr_is_free(void **state) {
    (void)state;
    double replays[3];
    static const char *const trackers[] = {"none", "naive", "credit"};
    for (u32 i = 0; i < 3; i++) {
        RUN(.body = WARP "mul.wide.u32 %rd1, %r1, 4096;\n"
                         "add.u64 %rd1, %rd0, %rd1;\n"
                         "ld.global.u32 %r2, [%rd1];      // load\n"
                         "add.u32 %r2, %r2, 1;\n",
            .threads = 128, .keys = {policies[REPLAYS], "sm.l1.mshrs=1", text("sm.hazard.tracker=%s", trackers[i])});
        replays[i] = stat_of("replays");
        if (i) assert_true(stat_of("restricted_warps") > LONG_ENOUGH);
        else assert_int_equal((int)stat_of("restricted_warps"), 0);
    }
    assert_true(replays[0] > 20);
    assert_true(replays[1] < replays[0] / 2);
    assert_int_equal((int)replays[2], 3); /* warps 1 to 3 are refused once each */
}

/* --- the order of 1.1.7: a load that lacks several things meets MSHR before COMQ before RSV. A has the
 * MSHRs, or the only way; S fills the miss queue. */

static void a_load_meets_mshr_before_comq_before_rsv(void **state) {
    (void)state;
    static const struct {
        const char *mshrs;
        enum hazard first;
    } of[] = {{"sm.l1.mshrs=1", HAZARD_MSHR}, {"sm.l1.mshrs=2", HAZARD_COMQ}};
    for (u32 i = 0; i < 2; i++)
        for (u32 k = 0; k < ARRAY_LEN(of); k++) {
            RUN(.body = OUT "ld.global.u32 %r1, [%rd0];         // A\n"
                            "st.global.u32 [%rd0+8192], %r0;    // S\n"
                            "ld.global.u32 %r2, [%rd0+4096];    // B\n"
                            "add.u32 %r1, %r1, %r2;\n",
                .keys = {policies[i], of[k].mshrs, "sm.l1.miss_queue=1", "noc.flit_b=4", "noc.header_b=64", "sm.l1.sets=1",
                         "sm.l1.ways=1", "sm.l1.stream=false"});
            const struct event *e = event_of(EV_HAZARD, WHO("B"));
            assert_non_null(e);
            assert_int_equal(e->cause, of[k].first);
            assert_true(hazards_of(WHO("B"), HAZARD_RSV) > 0 || k == 0);
        }
}

/* --- credits are not binding: warp 1, refused once, comes with a credit for the one MSHR; warp 2, of which
 * nothing is known, may be at the stage before it */

static const char *const credits[] = {"sm.hazard=replay", "sm.l1.mshrs=1", "sm.hazard.tracker=credit"};

static void run_robbery(u32 warps, u32 wait) {
    RUN(.body = JOIN(WARP "mul.wide.u32 %rd1, %r1, 4096;\n"
                          "add.u64 %rd1, %rd0, %rd1;\n"
                          "setp.eq.u32 %p1, %r1, 2;\n"
                          "@%p1 bra LATE;\n"
                          "ld.global.u32 %r2, [%rd1];      // load\n"
                          "bra END;\n"
                          "LATE: add.u32 %r3, %r0, 1;\n",
                     repeat(wait / 4, "add.u32 %r3, %r3, 1;\n"), series(wait % 4, "add.u32 %r1#, %r0, 1;\n"),
                     "ld.global.u32 %r2, [%rd1];      // late\n", "END: add.u32 %r2, %r2, %r3;\n"),
        .threads = 32 * warps, .keys = {credits[0], credits[1], credits[2], "sm.lsu.agu_cy=8"});
}

static void a_known_miss_is_refused_again_only_when_it_was_robbed(void **state) {
    (void)state;
    u32 robberies = 0, peaceful = 0;
    run_robbery(2, 0);
    assert_int_equal(hazards_of(WHO("load", .slot = 1), HAZARD_MSHR), 1);
    double without = stat_of("virtual_credits"); /* the parameters' line, and warp 0 */
    for (u32 wait = 0; wait < 80; wait++) {
        run_robbery(3, wait);
        u32 refused = hazards_of(WHO("load", .slot = 1), HAZARD_MSHR);
        bool robbed = stat_of("mshr_robbed") > 0;
        u64 from = refused ? when(EV_REPLAY, "load", .slot = 1) : 0, taken = when(EV_ACCESS, "late", .slot = 2);
        assert_int_equal(refused, robbed ? 2 : 1);
        assert_stat("mshr_refused_again", robbed);
        assert_stat("virtual_credits", without + !hazards_of(WHO("late", .slot = 2), HAZARD_MSHR));
        if (robbed) assert_true(taken > from && taken < when(EV_ACCESS, "load", .slot = 1));
        robberies += robbed, peaceful += !robbed;
    }
    assert_true(robberies > 0);
    assert_true(peaceful > 0);
}

/* --- a load that is expected to miss and never asks the cache gives its credit back: of no active lane, or
 * with perfect memory */

static void a_credit_nobody_needed_comes_back(void **state) {
    (void)state;
    static const char *const perfect[] = {"gpu.perfect_memory=false", "gpu.perfect_memory=true"};
    for (u32 i = 0; i < 2; i++)
        for (u32 k = 0; k < 2; k++) {
            RUN(.body = JOIN(WARP "setp.gt.u32 %p1, %r0, 5000;\n", repeat(4, "@%p1 ld.global.u32 %r2, [%rd0];\n"),
                             "ld.global.u32 %r3, [%rd0];      // last\n"
                             "add.u32 %r3, %r3, 1;\n"),
                .threads = 128,
                .keys = {policies[i], "sm.l1.mshrs=2", "sm.hazard.tracker=credit", "sm.hazard.predictor=miss", perfect[k]});
            assert_true(issue("last", .slot = 3) > 0); /* four loads before it would have kept both credits */
        }
}

/* --- a line on its way whose MSHR takes no further access: no want of an MSHR, and nothing to hold back
 * for */

static void a_full_merge_list_is_a_hazard_of_its_own(void **state) {
    (void)state;
    for (u32 i = 0; i < 2; i++) {
        RUN(.body = WARP "ld.global.u32 %r2, [%rd0];      // load\n"
                         "add.u32 %r2, %r2, 1;\n",
            .threads = 128,
            .keys = {policies[i], "sm.l1.mshrs=1", "sm.l1.merge=2", i ? "sm.hazard.tracker=credit" : "sm.lsu.queue=4"});
        assert_int_equal(ran.stats->sum.hazards[HAZARD_MSHR], 0);
        assert_true(hazards_of(WHO("load", .slot = 2), HAZARD_MERGE) > 0);
        assert_stat("restricted_warps", 0);
    }
}

/* --- what is known of an access does not get lost on the way: refused for an MSHR, then for a translation
 * that was thrown out meanwhile, it is still held back */

static void a_known_miss_stays_known_behind_a_translation(void **state) {
    (void)state;
    double lost = 0, late = 0;
    for (u32 entries = 1; entries <= 3; entries++) {
        RUN(.body = WARP "and.b32 %r3, %r1, 3;\n"
                         "mul.wide.u32 %rd1, %r3, 65536;\n"
                         "mul.wide.u32 %rd2, %r1, 4096;\n"
                         "add.u64 %rd1, %rd0, %rd1;\n"
                         "add.u64 %rd1, %rd1, %rd2;\n"
                         "ld.global.u32 %r2, [%rd1];      // load\n"
                         "add.u32 %r2, %r2, 1;\n",
            .threads = 512,
            .keys = {credits[0], credits[1], credits[2], text("sm.tlb.entries=%u", entries), "sm.tlb.miss_cy=20",
                     "sm.tlb.walks=4"});
        for (u32 slot = 0; slot < 16; slot++) {
            u32 mshr = hazards_of(WHO("load", .slot = slot), HAZARD_MSHR);
            lost += mshr > 1, late += mshr && hazards_of(WHO("load", .slot = slot), HAZARD_TLB) > 1;
        }
        lost -= stat_of("mshr_robbed");
    }
    assert_true(late > 0);
    assert_true(lost <= 0);
}

/* --- after DIV another access is next, and nothing is known of it: both lines of warp 1 are here, and it
 * goes on while warp 0 has the only MSHR */

static void nothing_is_known_after_div(void **state) {
    (void)state;
    RUN(.body = WARP "and.b32 %r2, %r0, 16;\n"
                     "mul.wide.u32 %rd1, %r2, 8;\n"
                     "add.u64 %rd1, %rd0, %rd1;\n"
                     "setp.eq.u32 %p1, %r1, 1;\n"
                     "@%p1 ld.global.u32 %r3, [%rd1];\n" /* lines 0 and 1 are here */
                     "add.u32 %r3, %r3, 1;\n"
                     "bar.sync 0;\n"
                     "@%p1 bra LATER;\n"
                     "ld.global.u32 %r4, [%rd0+8192];    // miss\n"
                     "bra END;\n"
                     "LATER: add.u32 %r5, %r3, 1;\n"
                     "add.u32 %r5, %r5, 1;\n"
                     "add.u32 %r5, %r5, 1;\n"
                     "ld.global.u32 %r4, [%rd1];         // two\n"
                     "END: add.u32 %r6, %r4, %r5;\n",
        .threads = 64, .keys = {credits[0], credits[1], credits[2]});
    assert_int_equal(hazards_of(WHO("two", .slot = 1), HAZARD_DIV), 1);
    assert_true(when(EV_HAZARD, "two", .slot = 1) > when(EV_ACCESS, "miss", .slot = 0));
    assert_true(when(EV_HAZARD, "two", .slot = 1) + LONG_ENOUGH / 2 < when(EV_READY, "miss", .slot = 0));
    assert_int_equal(when(EV_REPLAY, "two", .slot = 1) - when(EV_HAZARD, "two", .slot = 1), 1);
}

/* --- the miss queue as the tracked resource: one place, and a network that takes a packet in many cycles */

static void credits_for_the_miss_queue_avoid_comq_hazards(void **state) {
    (void)state;
    u32 met[3];
    static const char *const trackers[] = {"none", "naive", "credit"};
    for (u32 i = 0; i < 3; i++) {
        RUN(.body = WARP "mul.wide.u32 %rd1, %r0, 128;\n"
                         "add.u64 %rd1, %rd0, %rd1;\n"
                         "ld.global.u32 %r2, [%rd1];      // load\n"
                         "add.u32 %r2, %r2, 1;\n",
            .threads = 64,
            .keys = {policies[REPLAYS], "sm.l1.mshrs=64", "sm.l1.miss_queue=1", "noc.flit_b=8", "noc.header_b=64",
                     text("sm.hazard.tracker=%s", trackers[i]), i ? "sm.hazard.resource=comq" : "sm.l1.merge=8"});
        met[i] = (u32)ran.stats->sum.hazards[HAZARD_COMQ];
        assert_int_equal((u32)ran.stats->sum.hazards[HAZARD_MSHR], 0);
        if (i) assert_true(stat_of("restricted_warps") > 0);
    }
    if (met[1] >= met[0] || met[2] >= met[1] || met[2] > 64) /* a line access is refused once before it is known to miss */
        fail_msg("COMQ hazards: %u without a tracker, %u naive, %u credit", met[0], met[1], met[2]);
}

/* --- further passes that stay in the stage (in_stage) take a cycle each, as when stalling */

static void passes_may_stay_in_the_stage(void **state) {
    (void)state;
    static const char *const keys[] = {"sm.hazard.in_stage=none", "sm.hazard.in_stage=bank", "sm.hazard.in_stage=div",
                                       "sm.hazard.in_stage=both"};
    for (u32 i = 0; i < 4; i++) {
        RUN(.body = OUT "shl.b32 %r1, %r0, 4;\n" /* four lanes a bank */
                        "shr.u32 %r2, %r0, 3;\n"
                        "mul.wide.u32 %rd1, %r2, 128;\n"
                        "add.u64 %rd1, %rd0, %rd1;\n"
                        "st.shared.u32 [%r1], %r0;    // banks\n"
                        "ld.global.u32 %r3, [%rd1];   // lines\n"
                        "add.u32 %r3, %r3, 1;\n",
            .dynamic_shared_b = 4096, .keys = {policies[REPLAYS], keys[i]});
        bool bank = i & 1, div = i & 2;
        assert_int_equal(hazards_of(WHO("banks"), HAZARD_BANK), 3);
        assert_int_equal(hazards_of(WHO("lines"), HAZARD_DIV), 3);
        assert_int_equal(events(EV_REPLAY, "banks"), bank ? 0 : 3);
        assert_int_equal(events(EV_REPLAY, "lines"), div ? 0 : 3);
        assert_stat("shared_conflict_cycles", 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stalled_loads_choke_arithmetic_and_replayed_ones_do_not),
        cmocka_unit_test(hits_pass_blocked_misses_under_replay_only),
        cmocka_unit_test(rsv_blocks_only_its_set_under_replay),
        cmocka_unit_test(a_tlb_miss_holds_others_under_stall_only),
        cmocka_unit_test(div_and_bank_complete_some_threads_an_issue),
        cmocka_unit_test(the_signal_takes_its_time),
        cmocka_unit_test(kept_entries_narrow_the_window),
        cmocka_unit_test(a_known_miss_is_held_back_until_an_mshr_is_free),
        cmocka_unit_test(a_load_meets_mshr_before_comq_before_rsv),
        cmocka_unit_test(a_known_miss_is_refused_again_only_when_it_was_robbed),
        cmocka_unit_test(a_credit_nobody_needed_comes_back),
        cmocka_unit_test(a_full_merge_list_is_a_hazard_of_its_own),
        cmocka_unit_test(a_known_miss_stays_known_behind_a_translation),
        cmocka_unit_test(nothing_is_known_after_div),
        cmocka_unit_test(credits_for_the_miss_queue_avoid_comq_hazards),
        cmocka_unit_test(passes_may_stay_in_the_stage),
    };
    return cmocka_run_group_tests_name("hazards", tests, NULL, NULL);
}
