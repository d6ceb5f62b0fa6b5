/* Re-execution: what steps aside, in which order it is tried, what waits behind it, what happens when the
 * queue is full; and with any scheduler, progress for every warp on the meanest machine. */
#include "../micro/micro.h"
#include "core/sched_policy.h"

#undef skip

/* %rd1: out + 4096 x warp; p0 .. p3: warp 0 .. 3 */
#define WARPS                                                                                                                    \
    OUT "shr.u32 %r1, %r0, 5;\n"                                                                                                 \
        "mul.wide.u32 %rd1, %r1, 4096;\n"                                                                                        \
        "add.u64 %rd1, %rd0, %rd1;\n"
#define KEYS                                                                                                                     \
    "gpu.sms=1", "noc.ideal=true", "l2.ideal=true", "sm.l1.mshrs=1", "sm.operands.ideal=true", "sm.class.int.latency_cy=2"

/* Lane i reads line i: four lines, one MSHR */
#define LINES                                                                                                                    \
    OUT "shl.b32 %r1, %r0, 7;\n"                                                                                                 \
        "and.b32 %r1, %r1, 511;\n"                                                                                               \
        "cvt.u64.u32 %rd1, %r1;\n"                                                                                               \
        "add.u64 %rd1, %rd0, %rd1;\n"                                                                                            \
        "ld.global.u32 %r2, [%rd1]; // four\n"                                                                                   \
        "add.u32 %r3, %r2, 1; // use\n"

static void each_line_steps_aside_by_itself(void **state) {
    (void)state;
    RUN(.body = LINES, .keys = {KEYS});
    u64 without = apart("four", "use");
    RUN(.body = LINES, .keys = {KEYS, "sm.lsu.reexec=4"});
    assert_stat("reexec_entered", 3);
    assert_stat("reexec_taken", 3);
    assert_int_equal(events(EV_ACCESS, "four"), 4);
    assert_int_equal(apart("four", "use"), without); /* one MSHR: no sooner and no later */
}

static void later_memory_instructions_of_the_warp_wait(void **state) {
    (void)state;
    /* C's line is in the cache. Alone it would hit at once; its warp has an access aside. */
    const char *body =
        WARPS "ld.global.u32 %r4, [%rd1+1024]; // warm\nadd.u32 %r5, %r4, 1;\n"
              "ld.global.u32 %r6, [%rd1]; // A\nld.global.u32 %r7, [%rd1+128]; // B\nld.global.u32 %r8, [%rd1+1024]; // C\n"
              "add.u32 %r9, %r6, %r7;\nadd.u32 %r9, %r9, %r8;\n";
    RUN(.body = body, .keys = {KEYS, "sm.lsu.reexec=4"});
    assert_stat("reexec_entered", 1);
    assert_int_equal(event_of(EV_ACCESS, WHO("C"))->cause, ACCESS_HIT);
    assert_true(when(EV_ACCESS, "C") > when(EV_ACCESS, "B"));
    assert_true(ran.stats->sum.hazards[HAZARD_ORDER] > 0 || warp_time(STALL_RESTRICT) > 0);
}

/* The document's other reading: only pushing is limited to one instruction of a warp. A has the MSHR and B
 * steps aside. C hits and passes B; D, to B's line, and E, which would have to step aside as well, do not. */
static void under_push_later_loads_of_the_warp_pass_or_hold_the_pipe(void **state) {
    (void)state;
    const char *body =
        WARPS "ld.global.u32 %r4, [%rd1+1024]; // warm\nadd.u32 %r5, %r4, 1;\n"
              "ld.global.u32 %r6, [%rd1]; // A\nld.global.u32 %r7, [%rd1+128]; // B\nld.global.u32 %r8, [%rd1+1024]; // C\n"
              "ld.global.u32 %r10, [%rd1+128]; // D\nld.global.u32 %r11, [%rd1+256]; // E\n"
              "add.u32 %r9, %r6, %r7; // use\nadd.u32 %r9, %r9, %r8;\nadd.u32 %r9, %r10, %r11;\n";
    RUN(.body = body, .keys = {KEYS, "sm.lsu.reexec=4", "sm.lsu.reexec.order=push"});
    assert_true(when(EV_ACCESS, "C") < when(EV_ACCESS, "B"));
    assert_int_equal(when(EV_ACCESS, "C"), when(EV_ACCESS, "A") + 2); /* A, B aside, C: a cycle each */
    assert_true(when(EV_ACCESS, "D") > when(EV_ACCESS, "B"));
    assert_true(when(EV_ACCESS, "E") > when(EV_ACCESS, "D"));
    assert_true(ran.stats->sum.hazards[HAZARD_ORDER] > 0); /* D waits in the pipe */
    RUN(.body = body, .keys = {KEYS, "sm.lsu.reexec=4"});
    assert_true(when(EV_ACCESS, "C") > when(EV_ACCESS, "B"));
}

/* E misses behind A and B: B is aside, so E may not be, and the stage stalls though the queue has room */
static void under_push_a_second_miss_of_the_warp_holds_the_pipe(void **state) {
    (void)state;
    const char *body = WARPS "ld.global.u32 %r6, [%rd1]; // A\nld.global.u32 %r7, [%rd1+128]; // B\n"
                             "ld.global.u32 %r8, [%rd1+256]; // E\nadd.u32 %r9, %r6, %r7;\nadd.u32 %r9, %r9, %r8;\n";
    RUN(.body = body, .keys = {KEYS, "sm.lsu.reexec=4", "sm.lsu.reexec.order=push"});
    u64 latency = when(EV_READY, "A") - when(EV_ACCESS, "A");
    assert_stat("reexec_entered", 2); /* B; E when B has gone and the MSHR is B's */
    assert_true(when(EV_ACCESS, "E") - when(EV_ACCESS, "B") <= latency + 2);
    assert_true(ran.stats->sum.lsu_stall_cycles >= latency - 3); /* from E's first try until B has the MSHR */
    RUN(.body = body, .keys = {KEYS, "sm.lsu.reexec=4", "sm.lsu.reexec.order=issue"});
    assert_true(ran.stats->sum.lsu_stall_cycles < latency); /* E is not issued, or waits behind B alone */
}

/* Stores in the queue are passed by nothing of their warp, not by a load that would hit */
static void under_push_stores_are_not_passed(void **state) {
    (void)state;
    RUN(.body =
            MINE "ld.global.u32 %r4, [%rd1+1024]; // warm\nadd.u32 %r5, %r4, 1;\n"
                 "st.global.u32 [%rd1], %r5; // S0\nst.global.u32 [%rd1+128], %r5; // S1\nst.global.u32 [%rd1+256], %r5; // S2\n"
                 "ld.global.u32 %r8, [%rd1+1024]; // C\nadd.u32 %r9, %r8, 1;\n",
        .keys = {"l2.ideal=true", "sm.l1.miss_queue=1", "sm.lsu.reexec=8", "sm.lsu.reexec.order=push"});
    assert_true(stat_of("reexec_entered") > 0);
    assert_true(when(EV_ACCESS, "S1") < when(EV_ACCESS, "S2"));
    assert_true(when(EV_ACCESS, "C") > when(EV_ACCESS, "S2"));
}

/* Warp 0 has the MSHR and, aside, B; the others' hits keep the pipe busy. When A's line is back B could go.
 * It does at once where queued accesses are first, and after PATIENCE_CY cycles where new ones are. */
static void who_has_the_stage_first_is_a_key(void **state) {
    (void)state;
    const char *hits = "ld.global.u32 %r10, [%rd2+65536];\nld.global.u32 %r11, [%rd2+65536];\n"
                       "ld.global.u32 %r12, [%rd2+65536];\nld.global.u32 %r13, [%rd2+65536];\n";
    const char *body = JOIN(
        WARPS "and.b32 %r3, %r0, 3;\nmul.wide.u32 %rd2, %r3, 128;\nadd.u64 %rd2, %rd0, %rd2;\n" /* four lines, so four cycles */
              "ld.global.u32 %r4, [%rd2+65536]; // warm\nadd.u32 %r5, %r4, 1;\nbar.sync 0;\nmov.u32 %r9, 0;\n"
              "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra OTHERS;\n"
              "ld.global.u32 %r6, [%rd1+8192]; // A\nld.global.u32 %r7, [%rd1+16384]; // B\nadd.u32 %r9, %r6, %r7;\nbra END;\n"
              "OTHERS: ",
        hits, hits, "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 20;\n@%p2 bra OTHERS;\nEND: add.u32 %r9, %r9, 1;\n");
    u64 late[2];
    for (u32 queued = 0; queued < 2; queued++) {
        RUN(.body = body, .threads = 512,
            .keys = {KEYS, "sm.schedulers=2", "sm.lsu.reexec=4",
                     queued ? "sm.lsu.reexec.first=queued" : "sm.lsu.reexec.first=new"});
        late[queued] = when(EV_ACCESS, "B") - when(EV_ACCESS, "A");
    }
    assert_int_equal(late[0] - late[1], 31); /* PATIENCE_CY - 1 cycles in which the pipe went first */
}

static void other_warps_pass(void **state) {
    (void)state;
    const char *body =
        WARPS "setp.eq.u32 %p0, %r1, 0;\nsetp.ne.u32 %p1, %r1, 0;\n"
              "@%p1 ld.global.u32 %r4, [%rd1]; // warm\nadd.u32 %r5, %r4, 1;\nbar.sync 0;\n"
              "@%p0 bra ZERO;\n" /* warp 0 fills the MSHR and steps aside with the second */
              "mov.u32 %r10, 1;\nadd.u32 %r10, %r10, 1;\nadd.u32 %r10, %r10, 1;\nadd.u32 %r10, %r10, 1;\nadd.u32 %r10, %r10, 1;\n"
              "ld.global.u32 %r8, [%rd1]; // hit\nadd.u32 %r9, %r8, 1;\nbra END;\n"
              "ZERO: ld.global.u32 %r6, [%rd1+8192]; // A\nld.global.u32 %r7, [%rd1+16384]; // B\nadd.u32 %r9, %r6, %r7;\n"
              "END: add.u32 %r9, %r9, 1;\n";
    for (u32 queue = 0; queue < 2; queue++) {
        RUN(.body = body, .threads = 64, .keys = {KEYS, "sm.schedulers=2", text("sm.lsu.reexec=%u", queue)});
        bool passed = when(EV_ACCESS, "hit", 0, 1) < when(EV_ACCESS, "B");
        assert_int_equal(passed, queue == 1);
    }
}

/* Four warps, a load each; one MSHR, so all but the first are refused in turn */
static void refused_ones_go_to_the_tail_and_the_pipe_waits_when_it_is_full(void **state) {
    (void)state;
    const char *body = WARPS "ld.global.u32 %r4, [%rd1]; // L\nadd.u32 %r5, %r4, 1;\n";
    for (u32 queue = 1; queue <= 4; queue++) {
        RUN(.body = body, .threads = 128, .keys = {KEYS, "sm.l1.sets=64", text("sm.lsu.reexec=%u", queue)});
        u64 last = 0;
        assert_int_equal(stat_of("reexec_entered") <= 3 && stat_of("reexec_entered") >= MIN(queue, 3u), true);
        assert_int_equal(stat_of("reexec_entered"), stat_of("reexec_taken"));
        for (u32 i = 0; i < 4; i++) { /* an MSHR that is free is taken at once */
            u64 next = NEVER;
            for (u32 w = 0; w < 4; w++)
                if (when(EV_ACCESS, "L", 0, w) > last) next = MIN(next, when(EV_ACCESS, "L", 0, w));
            if (i) assert_true(next - last <= when(EV_READY, "L") - when(EV_ACCESS, "L") + queue + 1);
            last = next;
        }
        assert_int_equal(ran.stats->sum.lsu_stall_cycles > 0, queue < 3);
    }
}

static void stores_and_atomics_step_aside_too(void **state) {
    (void)state;
    RUN(.body =
            MINE "st.global.u32 [%rd1], %r0; // S0\nst.global.u32 [%rd1+128], %r0; // S1\nst.global.u32 [%rd1+256], %r0; // S2\n"
                 "red.global.add.u32 [%rd0+512], %r0; // R\n",
        .keys = {"l2.ideal=true", "sm.l1.miss_queue=1", "sm.lsu.reexec=8"});
    assert_true(stat_of("reexec_entered") > 0);
    assert_int_equal(stat_of("reexec_entered"), stat_of("reexec_taken"));
    assert_true(when(EV_ACCESS, "S0") < when(EV_ACCESS, "S1") && when(EV_ACCESS, "S1") < when(EV_ACCESS, "S2"));
    assert_true(when(EV_ACCESS, "S2") < when(EV_ACCESS, "R"));
}

/* --- every scheduler with every hazard policy, the queue off, of one and of eight, on a machine with one of
 * everything. The audit runs. */

#define MEAN                                                                                                                     \
    "sm.l1.mshrs=1", "sm.l1.merge=1", "sm.l1.miss_queue=1", "sm.l1.sets=1", "sm.l1.ways=2", "sm.lsu.queue=1", "noc.credits=1",   \
        "sm.const.mshrs=1", "sm.schedulers=2", "l2.mshrs=1", "l2.merge=1", "l2.queue=1", "dram.queue=1"
#define MIXED                                                                                                                    \
    ".reg .b32 %n;\n" WARPS "mov.u32 %n, 0;\n"                                                                                   \
    "NEXT: shl.b32 %r10, %n, 7;\n"                                                                                               \
    "cvt.u64.u32 %rd2, %r10;\n"                                                                                                  \
    "add.u64 %rd2, %rd1, %rd2;\n"                                                                                                \
    "ld.global.u32 %r11, [%rd2];\n"                                                                                              \
    "ld.global.u32 %r12, [%rd0+64];\n"                                                                                           \
    "st.global.u32 [%rd2+2048], %r0;\n"                                                                                          \
    "ld.global.u32 %r13, [%rd2+2048];\n"                                                                                         \
    "add.u32 %r14, %r11, %r12;\nadd.u32 %r14, %r14, %r13;\n"                                                                     \
    "red.global.add.u32 [%rd0+128], %r14;\n"                                                                                     \
    "bar.sync 0;\n"                                                                                                              \
    "membar.gl;\n"                                                                                                               \
    "add.u32 %n, %n, 1;\n"                                                                                                       \
    "setp.lt.u32 %p1, %n, 3;\n"                                                                                                  \
    "@%p1 bra NEXT;\n"

static u64 longest_ready(void) { /* a warp that could issue, or is held back, and does not */
    u64 longest = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_STALL && e->mask & 1u << STALL_NOT_SELECTED) longest = MAX(longest, e->cycle - e->a);
    }
    return longest;
}

static void everyone_gets_on(void **state) {
    (void)state;
    u64 base = 0;
    for (u32 p = 0; sched_policies[p]; p++)
        for (u32 hazard = 0; hazard < 2; hazard++)
            for (u32 queue = 0; queue <= 8; queue = queue ? queue * 8 : 1) {
                RUN(.body = MIXED, .blocks = 4, .threads = 128,
                    .keys = {MEAN, text("sm.sched=%s", sched_policies[p]->name), hazard ? "sm.hazard=replay" : "sm.hazard=stall",
                             text("sm.lsu.reexec=%u", queue)},
                    .timing = {.check_cycles = 10});
                if (!base) base = ran.cycles;
                if (ran.cycles > 4 * base)
                    fail_msg("%s, hazard %u, queue %u: %llu cycles, %llu at first", sched_policies[p]->name, hazard, queue,
                             (unsigned long long)ran.cycles, (unsigned long long)base);
                if (longest_ready() > base)
                    fail_msg("%s, hazard %u, queue %u: a ready warp waited %llu cycles", sched_policies[p]->name, hazard, queue,
                             (unsigned long long)longest_ready());
                assert_int_equal(count(EV_WARP_END), 16);
                if (sched_policies[p] != &sched_mascar) continue;
                assert_true(stat_of("mp_cycles") > 0 && stat_of("owners") > 0);
                double ended = 0;
                static const char *const ends[] = {"owner_until_use",  "owner_until_barrier", "owner_until_fence",
                                                   "owner_until_exit", "owner_until_idle",    "owner_until_relief",
                                                   "owner_until_full"};
                for (u32 i = 0; i < ARRAY_LEN(ends); i++) ended += stat_of(ends[i]);
                assert_true(stat_of("owners") - ended <=
                            ran.config->sms); /* ownership moves on: at most the last owner of an SM is left */
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_line_steps_aside_by_itself),
        cmocka_unit_test(later_memory_instructions_of_the_warp_wait),
        cmocka_unit_test(under_push_later_loads_of_the_warp_pass_or_hold_the_pipe),
        cmocka_unit_test(under_push_a_second_miss_of_the_warp_holds_the_pipe),
        cmocka_unit_test(under_push_stores_are_not_passed),
        cmocka_unit_test(who_has_the_stage_first_is_a_key),
        cmocka_unit_test(other_warps_pass),
        cmocka_unit_test(refused_ones_go_to_the_tail_and_the_pipe_waits_when_it_is_full),
        cmocka_unit_test(stores_and_atomics_step_aside_too),
        cmocka_unit_test(everyone_gets_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
