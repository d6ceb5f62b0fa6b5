/* Threads that wait for each other: barriers of a block, collectives of a warp, and programs that need lanes,
 * warps or blocks to go on independently. Every test has an instruction limit, so that one who waits for ever
 * is a failure and not a hang. */
#include "play.h"

#define SOME .options = {.max_instructions = 20000000}

/* %r<into> = the value that thread %r<who> stored to words[] */
#define PUT(value)     "mov.u32 %r20, words;\nmad.lo.u32 %r20, %r0, 4, %r20;\nst.shared.u32 [%r20], " value ";\n"
#define GET(into, who) "mov.u32 %r20, words;\nmad.lo.u32 %r20, " who ", 4, %r20;\nld.shared.u32 " into ", [%r20];\n"
#define WORDS          ".shared .align 4 .u32 words[1024];\n"

/* --- barriers */

static void every_barrier_number_joins_the_block(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             WORDS,
             "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nadd.u32 %r3, %r0, 33;\nrem.u32 %r3, %r3, 96;\n"
             "$next:\nmad.lo.u32 %r4, %r2, 1000, %r0;\n" PUT("%r4") "bar.sync %r2;\n" GET(
                 "%r5", "%r3") "bar.sync %r2;\n"
                               "add.u32 %r1, %r1, %r5;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, 16;\n@%p0 bra $next;\n" STORE(
                                   "%r1")),
         .block = {96}, SOME);
    EACH(96, 120 * 1000 + 16 * ((i + 33) % 96));
}

static void halves_of_a_block_use_different_barriers(void **state) {
    (void)state;
    /* threads 0-63 meet 5 times at barrier 1, threads 64-127 meet 9 times at barrier 2; each half passes a
     * token round */
    PLAY(.text =
             MODULE(WORDS, "shr.u32 %r1, %r0, 6;\nadd.u32 %r2, %r1, 1;\nmad.lo.u32 %r3, %r1, 4, 5;\nmov.u32 %r4, %r0;\n"
                           "and.b32 %r5, %r0, 64;\nadd.u32 %r6, %r0, 1;\nand.b32 %r6, %r6, 63;\nor.b32 %r6, %r6, %r5;\n"
                           "$next:\n" PUT("%r4") "bar.sync %r2, 64;\n" GET(
                               "%r4", "%r6") "bar.sync %r2, 64;\n"
                                             "sub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p0, %r3, 0;\n@%p0 bra $next;\n" STORE("%r4")),
         .block = {128}, SOME);
    EACH(128, ((i + (i < 64 ? 5 : 9)) & 63) | (i & 64));
}

static void producers_arrive_and_consumers_wait(void **state) {
    (void)state;
    /* warp 0 produces 10 words, one after the other: "full" is barrier 1, "empty" barrier 2 */
    PLAY(.text = MODULE(
             WORDS,
             "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nmov.u32 %r4, 0;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra $consume;\n"
             "$produce:\nmad.lo.u32 %r3, %r2, %r2, %r0;\n" PUT(
                 "%r3") "bar.arrive 1, 64;\nbar.sync 2, 64;\n"
                        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, 10;\n@%p0 bra $produce;\nbra $end;\n"
                        "$consume:\nsub.u32 %r5, %r0, 32;\nbar.sync 1, 64;\n" GET(
                            "%r3",
                            "%r5") "add.u32 %r1, %r1, %r3;\n"
                                   "bar.arrive 2, 64;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p0, %r2, 10;\n@%p0 bra $consume;\n"
                                   "$end:\n" STORE("%r1")),
         .block = {64}, SOME);
    EACH(64, i < 32 ? 0 : 285 + 10 * (i - 32));
}

static void barriers_reduce_predicates(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "setp.lt.u32 %p0, %r0, 70;\nsetp.lt.u32 %p1, %r0, 96;\nsetp.eq.u32 %p2, %r0, 81;\nsetp.eq.u32 %p3, %r0, 200;\n"
             "bar.red.popc.u32 %r1, 3, %p0;\n"
             "bar.red.and.pred %p4, 3, %p1;\nselp.u32 %r2, 1000, 0, %p4;\nadd.u32 %r1, %r1, %r2;\n"
             "bar.red.and.pred %p4, 3, %p0;\nselp.u32 %r2, 2000, 0, %p4;\nadd.u32 %r1, %r1, %r2;\n"
             "bar.red.or.pred %p4, 4, %p2;\nselp.u32 %r2, 4000, 0, %p4;\nadd.u32 %r1, %r1, %r2;\n"
             "barrier.cta.red.or.pred %p4, 5, %p3;\nselp.u32 %r2, 8000, 0, %p4;\nadd.u32 %r1, %r1, %r2;\n"
             "barrier.cta.red.popc.aligned.u32 %r2, 6, 96, !%p0;\nmad.lo.u32 %r1, %r2, 10000, %r1;\n" STORE("%r1")),
         .block = {96}, SOME);
    EACH(96, 70 + 1000 + 4000 + 26 * 10000);
}

static void exited_warps_are_not_waited_for(void **state) {
    (void)state;
    PLAY(.text = KERNEL("setp.ge.u32 %p0, %r0, 32;\n@%p0 exit;\nbar.sync 0;\nmov.u32 %r1, 1;\n" STORE("%r1")), .block = {128},
         SOME);
    EACH(128, i < 32);
}

static void exited_lanes_are_not_waited_for(void **state) {
    (void)state;
    PLAY(.text = KERNEL("and.b32 %r1, %r0, 3;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 exit;\nbar.sync 0;\nbar.sync 0;\n" STORE("%r1")),
         .block = {70}, SOME);
    EACH(70, i % 4);
}

static void a_thread_that_exits_later_lets_waiters_go(void **state) {
    (void)state;
    /* warp 1 loops for a while and exits; warp 0 waits long before */
    PLAY(.text = KERNEL("mov.u32 %r1, 0;\nsetp.lt.u32 %p0, %r0, 32;\n@%p0 bra $meet;\n"
                        "$loop:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 5000;\n@%p1 bra $loop;\nret;\n"
                        "$meet:\nbar.sync 0;\nmov.u32 %r1, 3;\n" STORE("%r1")),
         .block = {64}, SOME);
    EACH(64, i < 32 ? 3 : 0);
}

static void a_partial_last_warp_counts_its_threads_only(void **state) {
    (void)state;
    PLAY(.text =
             MODULE(WORDS, PUT("%r0") "bar.sync 0;\nmov.u32 %r2, 36;\nsub.u32 %r2, %r2, %r0;\n" GET("%r1", "%r2") STORE("%r1")),
         .block = {37}, SOME);
    EACH(37, 36 - i);
}

static void lanes_may_meet_a_barrier_from_different_branches(void **state) {
    (void)state;
    /* barrier (without .aligned) counts threads; the two halves of each warp execute different
     * instructions */
    PLAY(.text = MODULE(WORDS, PUT("%r0") "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra $even;\n"
                                          "barrier.sync 1;\nbra $end;\n$even:\nbarrier.sync 1;\n$end:\n"
                                          "xor.b32 %r2, %r0, 33;\n" GET("%r1", "%r2") STORE("%r1")),
         .block = {64}, SOME);
    EACH(64, i ^ 33);
}

static void tiles_are_summed_with_a_barrier_in_a_loop(void **state) {
    (void)state;
    PLAY(.text = MODULE(WORDS,
                        PUT("%r0") "mov.u32 %r2, 128;\n"
                                   "$next:\nbar.sync 0;\nsetp.ge.u32 %p0, %r0, %r2;\n@%p0 bra $skip;\n"
                                   "add.u32 %r3, %r0, %r2;\n" GET("%r4", "%r3") GET("%r5", "%r0") "add.u32 %r5, %r5, %r4;\n" PUT(
                                       "%r5") "$skip:\nshr.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra $next;\n"
                                              "bar.sync 0;\nmov.u32 %r6, 0;\n" GET("%r1", "%r6") STORE("%r1")),
         .grid = {2}, .block = {256}, SOME);
    EACH(512, 255 * 128);
}

/* --- lanes, warps and blocks that go on independently */

static void a_spin_lock_taken_by_every_lane(void **state) {
    (void)state;
    /* out[0] lock, out[1] count; the critical section comes after the loop, where the lanes would join */
    PLAY(.text = KERNEL("$try:\natom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra $try;\n"
                        "ld.volatile.global.u32 %r2, [%rd0+4];\nadd.u32 %r2, %r2, 1;\nst.volatile.global.u32 [%rd0+4], %r2;\n"
                        "membar.gl;\natom.global.exch.b32 %r1, [%rd0], 0;\n"),
         .grid = {3}, .block = {80}, SOME);
    assert_int_equal(played.out[1], 240);
}

static void a_shared_spin_lock(void **state) {
    (void)state;
    PLAY(.text =
             MODULE(".shared .u32 lock;\n.shared .u32 count;\n",
                    "$try:\natom.shared.cas.b32 %r1, [lock], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra $try;\n"
                    "ld.volatile.shared.u32 %r2, [count];\nadd.u32 %r2, %r2, 1;\nst.volatile.shared.u32 [count], %r2;\n"
                    "membar.cta;\natom.shared.exch.b32 %r1, [lock], 0;\nbar.sync 0;\nld.shared.u32 %r1, [count];\n" STORE("%r1")),
         .block = {64}, SOME);
    EACH(64, 64);
}

/* The lanes that wait are on one or the other side of the branch: both orders must finish */
#define LANES_WAIT(compare, load)                                                                                                \
    KERNEL("add.u64 %rd1, %rd0, 1024;\nsetp." compare ".u32 %p0, %r0, 16;\n@%p0 bra $wait;\n"                                    \
           "st.global.u32 [%rd1+4], 55;\nmembar.gl;\nst.volatile.global.u32 [%rd1], 1;\nbra $end;\n"                             \
           "$wait:\n" load " %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra $wait;\n"                                          \
           "$end:\nmembar.gl;\nld.global.u32 %r2, [%rd1+4];\n" STORE("%r2"))

static void lanes_wait_for_lanes_of_their_warp(void **state) {
    (void)state;
    static const char *const texts[] = {LANES_WAIT("lt", "ld.volatile.global.u32"), LANES_WAIT("ge", "ld.volatile.global.u32"),
                                        LANES_WAIT("lt", "ld.relaxed.gpu.global.u32"),
                                        LANES_WAIT("ge", "ld.acquire.gpu.global.u32")};
    for (int t = 0; t < 4; t++) {
        PLAY(.text = texts[t], .block = {32}, SOME);
        EACH(32, 55);
    }
}

static void lanes_pass_a_token_round_their_warp(void **state) {
    (void)state;
    /* lane i waits until the token is i, then makes it i + 1 */
    PLAY(.text = KERNEL("add.u64 %rd1, %rd0, 1024;\n$wait:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p0, %r1, "
                        "%r0;\n@%p0 bra $wait;\n"
                        "add.u32 %r1, %r1, 1;\nst.volatile.global.u32 [%rd1], %r1;\n" STORE("%r1")),
         .block = {64}, SOME);
    EACH(64, i + 1);
    assert_int_equal(played.out[256], 64);
}

static void warps_play_ping_pong(void **state) {
    (void)state;
    /* the ball in shared memory: warp w plays when ball % 2 == w, 20 times each */
    PLAY(.text = MODULE(
             ".shared .u32 ball;\n",
             "shr.u32 %r1, %r0, 5;\nmov.u32 %r2, 0;\nand.b32 %r3, %r0, 31;\nsetp.ne.u32 %p2, %r3, 0;\n"
             "$wait:\nld.volatile.shared.u32 %r4, [ball];\nand.b32 %r5, %r4, 1;\nsetp.ne.u32 %p0, %r5, %r1;\n@%p0 bra $wait;\n"
             "bar.warp.sync -1;\nadd.u32 %r4, %r4, 1;\n@!%p2 st.volatile.shared.u32 [ball], %r4;\nbar.warp.sync -1;\n"
             "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 20;\n@%p1 bra $wait;\n" STORE("%r4")),
         .block = {64}, SOME);
    EACH(64, i < 32 ? 39 : 40);
}

#define BLOCKS_WAIT(load)                                                                                                        \
    KERNEL("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %nctaid.x;\nadd.u64 %rd1, %rd0, 8192;\n"                                        \
           "sub.u32 %r3, %r2, 1;\nsetp.eq.u32 %p0, %r1, %r3;\n@%p0 bra $go;\n" /* the last one goes first */                     \
           "mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"                                                             \
           "$wait:\n" load " %r4, [%rd2+4];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra $wait;\n"                                        \
           "$go:\nadd.u32 %r4, %r4, 1;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\nbar.sync 0;\n"                    \
           "setp.ne.u32 %p2, %r0, 0;\n@%p2 bra $end;\nst.volatile.global.u32 [%rd2], %r4;\n$end:\n" STORE("%r4"))

static void a_block_waits_for_the_block_after_it(void **state) {
    (void)state;
    static const char *const texts[] = {BLOCKS_WAIT("ld.volatile.global.u32"), BLOCKS_WAIT("ld.acquire.gpu.global.u32"),
                                        BLOCKS_WAIT("ld.relaxed.sys.global.u32")};
    for (int t = 0; t < 3; t++) {
        PLAY(.text = texts[t], .grid = {12}, .block = {40}, SOME);
        EACH(12 * 40, 12 - i / 40);
    }
}

static void a_barrier_of_the_whole_grid(void **state) {
    (void)state;
    /* each block counts itself in and waits until all 24 have; then every block sees every block's word.
     * Twice. */
    PLAY(.text =
             KERNEL("add.u64 %rd1, %rd0, 8192;\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\n"
                    "mov.u32 %r2, 0;\nmov.u32 %r9, 0;\nsetp.ne.u32 %p0, %r0, 0;\n"
                    "$round:\nadd.u32 %r2, %r2, 1;\n@!%p0 st.global.u32 [%rd2+256], %r2;\n"
                    "bar.sync 0;\n@%p0 bra $joined;\nmembar.gl;\natom.global.add.u32 %r3, [%rd1], 1;\nmul.lo.u32 %r4, %r2, 24;\n"
                    "$wait:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.lt.u32 %p1, %r3, %r4;\n@%p1 bra $wait;\n"
                    "$joined:\nbar.sync 0;\n"
                    "mov.u32 %r5, 23;\nsub.u32 %r5, %r5, %r1;\nmul.wide.u32 %rd3, %r5, 4;\nadd.u64 %rd3, %rd1, %rd3;\n"
                    "ld.volatile.global.u32 %r6, [%rd3+256];\nsetp.ge.u32 %p2, %r6, %r2;\nselp.u32 %r6, 1, 0, %p2;\nadd.u32 %r9, "
                    "%r9, %r6;\n"
                    "setp.lt.u32 %p3, %r2, 2;\n@%p3 bra $round;\n" STORE("%r9")),
         .grid = {24}, .block = {33}, SOME);
    EACH(24 * 33, 2);
}

static void a_waiting_loop_may_sleep(void **state) {
    (void)state;
    PLAY(.text = KERNEL("setp.eq.u32 %p0, %r0, 31;\n@%p0 bra $set;\n"
                        "$wait:\nnanosleep.u32 100;\natom.global.or.b32 %r1, [%rd0+1024], 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra "
                        "$wait;\nbra $end;\n"
                        "$set:\nst.global.u32 [%rd0+1024], 9;\n$end:\nld.global.u32 %r1, [%rd0+1024];\n" STORE("%r1")),
         .block = {32}, SOME);
    EACH(32, 9);
}

/* --- collectives of a warp */

static void a_shuffle_joins_lanes_from_different_branches(void **state) {
    (void)state;
    /* the two halves execute different instructions with the same mask: lane i gets lane i ^ 16 of the other
     * half */
    PLAY(.text = KERNEL("add.u32 %r1, %r0, 100;\nsetp.lt.u32 %p0, %r0, 16;\n@%p0 bra $low;\n"
                        "shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\nadd.u32 %r2, %r2, 1000;\nbra $end;\n"
                        "$low:\nshfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n$end:\n" STORE("%r2")),
         .block = {32}, SOME);
    EACH(32, 100 + (i ^ 16) + (i < 16 ? 0 : 1000));
}

static void a_collective_counts_once_when_all_lanes_have_come(void **state) {
    (void)state;
    /* the two halves come one after the other to one instruction: it runs once, for both */
    FILE *f = tmpfile();
    PLAY(.text = KERNEL("setp.lt.u32 %p0, %r0, 16;\n@%p0 bra $low;\nadd.u32 %r1, %r0, 1;\nbra $meet;\n$low:\nadd.u32 %r1, %r0, "
                        "2;\nbra $meet;\n"
                        "$meet:\nshfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n"),
         .block = {32}, .options = {.trace = f});
    assert_int_equal(played.r.warp_instructions, 2 + 2 + 2 + 2 + 1 + 1);
    assert_int_equal(play_lines(play_text(f)), played.r.warp_instructions);
    fclose(f);
    /* and from two instructions: each counts */
    f = tmpfile();
    PLAY(.text = KERNEL("setp.lt.u32 %p0, %r0, 16;\n@%p0 bra $low;\nshfl.sync.bfly.b32 %r2, %r0, 16, 31, -1;\nbra $end;\n"
                        "$low:\nshfl.sync.bfly.b32 %r2, %r0, 16, 31, -1;\n$end:\n"),
         .block = {32}, .options = {.trace = f});
    assert_int_equal(played.r.warp_instructions, 2 + 2 + 2 + 1 + 1);
    assert_int_equal(played.r.thread_instructions, 32 * (2 + 2 + 1) + 16 * 2 + 16);
    assert_int_equal(play_lines(play_text(f)), played.r.warp_instructions);
    fclose(f);
}

static void a_vote_joins_lanes_from_different_branches(void **state) {
    (void)state;
    PLAY(.text = KERNEL("setp.lt.u32 %p0, %r0, 16;\nand.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p0 bra $low;\n"
                        "add.u32 %r3, %r0, 1;\nvote.sync.ballot.b32 %r2, %p1, -1;\nbra $end;\n"
                        "$low:\nvote.sync.ballot.b32 %r2, !%p1, -1;\n$end:\n" STORE("%r2")),
         .block = {32}, SOME);
    EACH(32, 0x5555AAAA);
}

static void groups_of_lanes_shuffle_among_themselves(void **state) {
    (void)state;
    /* four groups of eight, each in a branch of its own, with its own mask */
    PLAY(.text = KERNEL("shr.u32 %r1, %r0, 3;\nmov.u32 %r4, 255;\nshl.b32 %r5, %r1, 3;\nshl.b32 %r4, %r4, %r5;\n"
                        "$table: .branchtargets $a, $b, $c, $d;\nbrx.idx %r1, $table;\n"
                        "$a:\nshfl.sync.down.b32 %r2, %r0, 1, 0x181f, 0xff;\nbra $end;\n"
                        "$b:\nshfl.sync.up.b32 %r2, %r0, 1, 0x1800, 0xff00;\nbra $end;\n"
                        "$c:\nshfl.sync.idx.b32 %r2, %r0, 3, 0x181f, %r4;\nbra $end;\n"
                        "$d:\nredux.sync.add.u32 %r2, %r0, %r4;\n$end:\n" STORE("%r2")),
         .block = {32}, SOME);
    EACH(32, i < 8 ? (i == 7 ? 7 : i + 1) : i < 16 ? (i == 8 ? 8 : i - 1) : i < 24 ? 19 : 24 + 25 + 26 + 27 + 28 + 29 + 30 + 31);
}

static void lanes_with_different_masks_wait_apart(void **state) {
    (void)state;
    /* at one instruction: lanes 0-7 (mask 0xff) and 8-15 (mask 0xff00). The odd ones of each come later,
     * those of the second set first. */
    PLAY(.text = KERNEL(
             "shr.u32 %r1, %r0, 3;\nmov.u32 %r4, 255;\nshl.b32 %r5, %r1, 3;\nshl.b32 %r4, %r4, %r5;\n"
             "mov.u32 %r6, 0;\nand.b32 %r7, %r0, 1;\nsub.u32 %r8, 2, %r1;\nmul.lo.u32 %r7, %r7, %r8;\nmul.lo.u32 %r7, %r7, 300;\n"
             "$late:\nld.volatile.global.u32 %r9, [%rd0+2048];\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p0, %r6, %r7;\n@%p0 bra "
             "$late;\n"
             "redux.sync.add.u32 %r2, %r0, %r4;\n" STORE("%r2")),
         .block = {16}, SOME);
    EACH(16, i < 8 ? 28 : 92);
}

static void lanes_meet_in_a_function_called_from_different_places(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             ".func (.param .b32 r) all(.param .b32 x)\n{\n.reg .b32 %v;\nld.param.b32 %v, [x];\nredux.sync.add.u32 %v, %v, -1;\n"
             "st.param.b32 [r], %v;\nret;\n}\n",
             "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra $low;\n"
             "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r0;\ncall (y), all, (x);\nld.param.b32 %r1, [y];\n}\nbra "
             "$end;\n"
             "$low:\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], 1;\ncall (y), all, (x);\nld.param.b32 %r1, [y];\n}\n"
             "$end:\n" STORE("%r1")),
         .block = {32}, SOME);
    EACH(32, 16 + 376);
}

static void collectives_of_different_kinds_do_not_meet(void **state) {
    (void)state;
    FAULT("deadlock", "lanes 0xffff",
          .text = KERNEL("setp.lt.u32 %p0, %r0, 16;\n@%p0 bra $low;\nshfl.sync.idx.b32 %r1, %r0, 0, 31, -1; // here\nbra $end;\n"
                         "$low:\nshfl.sync.bfly.b32 %r1, %r0, 0, 31, -1;\n$end:\n"),
          .block = {32}, SOME);
}

static void a_shuffle_says_whether_its_source_was_there(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "shfl.sync.down.b32 %r1|%p0, %r0, 5, 31, -1;\nselp.u32 %r2, 100, 0, %p0;\nadd.u32 %r1, %r1, %r2;\n" STORE("%r1")),
         .block = {32}, SOME);
    EACH(32, i + 5 < 32 ? i + 105 : i);
}

static void match_finds_lanes_with_the_same_value(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "rem.u32 %r1, %r0, 3;\nmatch.any.sync.b32 %r2, %r1, -1;\n"
             "match.all.sync.b32 %r3|%p0, %r1, -1;\nselp.u32 %r4, 1, 0, %p0;\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, %r2, %r4;\n"
             "cvt.u64.u32 %rd1, %r1;\nshl.b64 %rd1, %rd1, 40;\nmatch.any.sync.b64 %r5, %rd1, -1;\nxor.b32 %r2, %r2, %r5;\n"
             "mov.u32 %r6, 7;\nmatch.all.sync.b32 %r3|%p0, %r6, -1;\nadd.u32 %r2, %r2, %r3;\n" STORE("%r2")),
         .block = {32}, SOME);
    EACH(32, 0xFFFFFFFF); /* any ^ any = 0; match.all of different values gives 0, of equal ones all lanes */
}

static void votes_of_every_mode(void **state) {
    (void)state;
    PLAY(.text = KERNEL("setp.lt.u32 %p0, %r0, 32;\nsetp.eq.u32 %p1, %r0, 9;\n"
                        "vote.sync.all.pred %p2, %p0, -1;\nselp.u32 %r1, 1, 0, %p2;\n"
                        "vote.sync.any.pred %p2, %p1, -1;\nselp.u32 %r2, 2, 0, %p2;\nadd.u32 %r1, %r1, %r2;\n"
                        "vote.sync.uni.pred %p2, %p1, -1;\nselp.u32 %r2, 4, 0, %p2;\nadd.u32 %r1, %r1, %r2;\n"
                        "vote.sync.uni.pred %p2, %p0, -1;\nselp.u32 %r2, 8, 0, %p2;\nadd.u32 %r1, %r1, %r2;\n"
                        "vote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r2, 16, 0, %p2;\nadd.u32 %r1, %r1, %r2;\n" STORE("%r1")),
         .block = {32}, SOME);
    EACH(32, 1 + 2 + 8);
}

static void exited_lanes_may_be_named_in_a_mask(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "setp.ge.u32 %p0, %r0, 20;\n@%p0 exit;\nsetp.lt.u32 %p1, %r0, 64;\nvote.sync.ballot.b32 %r1, %p1, -1;\n" STORE(
                 "%r1")),
         .block = {32}, SOME);
    EACH(32, i < 20 ? 0xFFFFF : 0);
}

static void a_warp_barrier_orders_shared_memory_after_divergence(void **state) {
    (void)state;
    PLAY(.text = MODULE(WORDS, "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra $even;\nmul.lo.u32 %r2, %r0, 3;\n" PUT(
                                   "%r2") "bar.warp.sync 0xffffffff;\nbra $end;\n"
                                          "$even:\nmul.lo.u32 %r2, %r0, 5;\nadd.u32 %r2, %r2, 0;\n" PUT(
                                              "%r2") "bar.warp.sync 0xffffffff;\n$end:\n"
                                                     "xor.b32 %r3, %r0, 1;\n" GET("%r1", "%r3") STORE("%r1")),
         .block = {32}, SOME);
    EACH(32, (i ^ 1) * (i % 2 ? 5 : 3));
}

static void one_lane_is_elected(void **state) {
    (void)state;
    PLAY(.text = PTX_HEAD("sm_90") KERNEL_OPEN
         "setp.lt.u32 %p1, %r0, 4;\nmov.u32 %r3, 99;\n@%p1 bra $end;\n" /* lanes 4 to 31 */
         "elect.sync %r1|%p0, 0xfffffff0;\nselp.u32 %r3, 1, 0, %p0;\nmad.lo.u32 %r3, %r1, 10, %r3;\n$end:\n" STORE("%r3")
             KERNEL_CLOSE,
         .block = {32}, SOME);
    uint32_t leader = played.out[31] / 10;
    assert_in_range(leader, 4, 31);
    EACH(32, i < 4 ? 99 : leader * 10 + (i == leader));
}

static void lanes_loop_different_times_between_shuffles(void **state) {
    (void)state;
    /* three rounds; before each, lane i spins i times. The shuffles must still pair up round by round. */
    PLAY(.text = KERNEL("mov.u32 %r1, %r0;\nmov.u32 %r2, 0;\n"
                        "$round:\nmov.u32 %r3, 0;\n$spin:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, %r0;\n@%p0 bra $spin;\n"
                        "shfl.sync.idx.b32 %r4, %r1, 31, 31, -1;\nadd.u32 %r1, %r1, %r4;\n"
                        "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 3;\n@%p1 bra $round;\n" STORE("%r1")),
         .block = {32}, SOME);
    EACH(32, i + 31 + 62 + 124);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_barrier_number_joins_the_block),
        cmocka_unit_test(halves_of_a_block_use_different_barriers),
        cmocka_unit_test(producers_arrive_and_consumers_wait),
        cmocka_unit_test(barriers_reduce_predicates),
        cmocka_unit_test(exited_warps_are_not_waited_for),
        cmocka_unit_test(exited_lanes_are_not_waited_for),
        cmocka_unit_test(a_thread_that_exits_later_lets_waiters_go),
        cmocka_unit_test(a_partial_last_warp_counts_its_threads_only),
        cmocka_unit_test(lanes_may_meet_a_barrier_from_different_branches),
        cmocka_unit_test(tiles_are_summed_with_a_barrier_in_a_loop),
        cmocka_unit_test(a_spin_lock_taken_by_every_lane),
        cmocka_unit_test(a_shared_spin_lock),
        cmocka_unit_test(lanes_wait_for_lanes_of_their_warp),
        cmocka_unit_test(lanes_pass_a_token_round_their_warp),
        cmocka_unit_test(warps_play_ping_pong),
        cmocka_unit_test(a_block_waits_for_the_block_after_it),
        cmocka_unit_test(a_barrier_of_the_whole_grid),
        cmocka_unit_test(a_waiting_loop_may_sleep),
        cmocka_unit_test(a_shuffle_joins_lanes_from_different_branches),
        cmocka_unit_test(a_collective_counts_once_when_all_lanes_have_come),
        cmocka_unit_test(a_vote_joins_lanes_from_different_branches),
        cmocka_unit_test(groups_of_lanes_shuffle_among_themselves),
        cmocka_unit_test(lanes_with_different_masks_wait_apart),
        cmocka_unit_test(lanes_meet_in_a_function_called_from_different_places),
        cmocka_unit_test(collectives_of_different_kinds_do_not_meet),
        cmocka_unit_test(a_shuffle_says_whether_its_source_was_there),
        cmocka_unit_test(match_finds_lanes_with_the_same_value),
        cmocka_unit_test(votes_of_every_mode),
        cmocka_unit_test(exited_lanes_may_be_named_in_a_mask),
        cmocka_unit_test(a_warp_barrier_orders_shared_memory_after_divergence),
        cmocka_unit_test(one_lane_is_elected),
        cmocka_unit_test(lanes_loop_different_times_between_shuffles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
