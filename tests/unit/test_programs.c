/* What programs of all kinds ask for beyond plain arithmetic: memory taken from the frame, wide atomics,
 * matrices of a warp, mbarriers and bulk copies, threads that leave early, and instructions that are only
 * known by name. */
#include "play.h"

#define SOME .options = {.max_instructions = 20000000}

/* --- alloca */

/* sum(n) takes n words, writes i + n to word i, calls sum(n - 1), and adds up its words afterwards */
#define SUM_FUNC                                                                                                                 \
    ".func (.param .b32 result) sum(.param .b32 count)\n{\n"                                                                     \
    "    .reg .pred %p<2>;\n    .reg .b32 %r<8>;\n    .reg .b64 %rd<8>;\n"                                                       \
    "    ld.param.b32 %r0, [count];\n    mov.b32 %r1, 0;\n"                                                                      \
    "    setp.eq.u32 %p0, %r0, 0;\n    @%p0 bra $done;\n"                                                                        \
    "    mul.wide.u32 %rd0, %r0, 4;\n    alloca.u64 %rd1, %rd0, 16;\n    mov.b32 %r2, 0;\n    mov.b64 %rd2, %rd1;\n"             \
    "$fill:\n    add.u32 %r3, %r2, %r0;\n    st.local.u32 [%rd2], %r3;\n    add.u64 %rd2, %rd2, 4;\n    add.u32 %r2, %r2, 1;\n"  \
    "    setp.lt.u32 %p0, %r2, %r0;\n    @%p0 bra $fill;\n"                                                                      \
    "    sub.u32 %r4, %r0, 1;\n    {\n    .param .b32 a;\n    .param .b32 b;\n    st.param.b32 [a], %r4;\n"                      \
    "    call.uni (b), sum, (a);\n    ld.param.b32 %r1, [b];\n    }\n"                                                           \
    "    cvta.local.u64 %rd2, %rd1;\n    mov.b32 %r2, 0;\n"                                                                      \
    "$add:\n    ld.u32 %r3, [%rd2];\n    add.u32 %r1, %r1, %r3;\n    add.u64 %rd2, %rd2, 4;\n    add.u32 %r2, %r2, 1;\n"         \
    "    setp.lt.u32 %p0, %r2, %r0;\n    @%p0 bra $add;\n"                                                                       \
    "$done:\n    st.param.b32 [result], %r1;\n    ret;\n}\n"

static uint32_t sum_of(uint32_t n) {
    uint32_t s = 0;
    for (uint32_t i = 0; i < n; i++) s += i + n;
    return n ? s + sum_of(n - 1) : 0;
}

static void frames_grow_by_what_each_lane_takes(void **state) {
    (void)state;
    PLAY(.text =
             MODULE(SUM_FUNC,
                    "and.b32 %r1, %r0, 7;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\ncall.uni (b), sum, (a);\n"
                    "ld.param.b32 %r2, [b];\n}\n" STORE("%r2")),
         .block = {64}, SOME);
    EACH(64, sum_of(i & 7));
}

static void what_a_loop_takes_it_can_give_back(void **state) {
    (void)state;
    /* 4000 rounds of 1 KiB: only stackrestore keeps them inside a thread's memory; lanes take different
     * amounts */
    PLAY(.text = KERNEL(
             "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\ncvt.u64.u32 %rd1, %r0;\nshl.b64 %rd1, %rd1, 4;\nadd.u64 %rd1, %rd1, 1024;\n"
             "alloca.u64 %rd2, 8;\nst.local.u32 [%rd2], %r0;\n"
             "$next:\nstacksave.u64 %rd3;\nalloca.u64 %rd4, %rd1;\nst.local.u32 [%rd4+1020], %r1;\nld.local.u32 %r3, "
             "[%rd4+1020];\n"
             "add.u32 %r2, %r2, %r3;\nstackrestore.u64 %rd3;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 4000;\n@%p0 bra "
             "$next;\n"
             "ld.local.u32 %r4, [%rd2];\nadd.u32 %r2, %r2, %r4;\n" STORE("%r2")),
         .block = {32}, SOME);
    EACH(32, 4000 * 3999 / 2 + i);
}

static void taking_too_much_is_a_fault(void **state) {
    (void)state;
    FAULT("alloca of", "thread (0,0,0)",
          .text = KERNEL("mov.b64 %rd1, 0x40000000;\nalloca.u64 %rd2, %rd1; // here\nst.local.u32 [%rd2], %r0;\n"), .block = {1});
    FAULT("local memory", "thread (3,0,0)", /* past the end of what this lane took */
          .text = KERNEL("cvt.u64.u32 %rd1, %r0;\nxor.b64 %rd1, %rd1, 3;\nshl.b64 %rd1, %rd1, 4;\nalloca.u64 %rd2, "
                         "%rd1;\nst.local.u32 [%rd2], %r0; // here\n"),
          .block = {4});
}

/* --- wide atomics and 128-bit registers */

static void vector_atomics_add_each_element(void **state) {
    (void)state;
    PLAY(.text =
             KERNEL("cvt.rn.f32.u32 %f0, %r0;\nmov.f32 %f1, 0f3F800000;\nmov.b32 %r1, 0x3C003C00;\n"
                    "red.global.add.v2.f32 [%rd0], {%f0, %f1};\n"
                    "atom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%rd0+16], {%f1, %f0, %f1, %f1};\n"
                    "red.global.add.noftz.v2.f16x2 [%rd0+32], {%r1, %r1};\n"
                    "cvt.rzi.u32.f32 %r2, %f2;\nadd.u32 %r2, %r2, 16;\nmul.wide.u32 %rd1, %r2, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"
                    "atom.global.add.u32 %r3, [%rd1], 1;\n"), /* every old value of the first element once */
         .block = {32});
    const float want[8] = {496, 32, 0, 0, 32, 496, 32, 32};
    assert_memory_equal(played.out, want, sizeof want);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(played.out[16 + i], 1);
    assert_int_equal(played.out[8], 0x50005000); /* 32 in both halves */
    assert_int_equal(played.out[9], 0x50005000);
}

static void vector_atomics_want_the_vectors_alignment(void **state) {
    (void)state;
    FAULT("not a multiple of 16", "thread (0,0,0)",
          .text = KERNEL("mov.f32 %f0, 0f3F800000;\nred.global.add.v4.f32 [%rd0+8], {%f0, %f0, %f0, %f0}; // here\n"),
          .block = {1});
}

static void quads_are_exchanged_whole(void **state) {
    (void)state;
    /* each lane swaps 128 bits in; the one that finds the start value adds 1000 */
    PLAY(.text = KERNEL(
             ".reg .b128 %q<4>;\ncvt.u64.u32 %rd1, %r0;\nadd.u64 %rd2, %rd1, 1;\nmov.b128 %q0, {%rd2, %rd1};\nmov.b128 %q3, "
             "%q0;\n"
             "atom.global.exch.b128 %q1, [%rd0+1024], %q3;\nmov.b128 {%rd3, %rd4}, %q1;\n"
             "mov.b128 %q2, {%rd3, %rd4};\natom.global.cas.b128 %q1, [%rd0+1040], %q2, %q0;\nmov.b128 {%rd5, %rd6}, %q1;\n"
             "setp.eq.u64 %p0, %rd5, 0;\nselp.u32 %r1, 1000, 0, %p0;\ncvt.u32.u64 %r2, %rd3;\nadd.u32 %r1, %r1, %r2;\n" STORE(
                 "%r1")),
         .block = {32});
    EACH(32, i ? i : 1000); /* lanes come in order: lane i finds what lane i - 1 left, in both quads */
    assert_int_equal(played.out[256], 32);
    assert_int_equal(played.out[260], 32);
    assert_int_equal(played.out[262], 31);
}

/* --- wmma: A is at out, B at out + 1024, C and D at out + 2048 and out + 4096 (bytes) */

struct wmma_case {
    const char *a, *b, *c, *mma, *store; /* the instructions, without operands */
    uint32_t na, nb, nc;                 /* registers */
    uint32_t m, n, k, bits;              /* bits of an element of A and B */
    bool a_col, b_col, c_col, doubles, is_float;
};

static void append_list(char *text, const char *stem, uint32_t first, uint32_t n) {
    strcat(text, "{");
    for (uint32_t i = 0; i < n; i++) sprintf(text + strlen(text), "%s%s%u", i ? ", " : "", stem, first + i);
    strcat(text, "}");
}

static void wmma_text(const struct wmma_case *w, char *text) {
    const char *c = w->doubles ? "%d" : "%x", *ab = w->doubles ? "%d" : "%x";
    uint32_t a0 = w->doubles ? 4 : 8, b0 = w->doubles ? 6 : 16;
    strcpy(text, PTX_HEAD("sm_80") KERNEL_OPEN ".reg .b32 %x<32>;\n");
    sprintf(text + strlen(text), "add.u64 %%rd1, %%rd0, 1024;\nadd.u64 %%rd2, %%rd0, 2048;\nadd.u64 %%rd3, %%rd0, 4096;\n%s ",
            w->a);
    append_list(text, ab, a0, w->na);
    sprintf(text + strlen(text), ", [%%rd0];\n%s ", w->b);
    append_list(text, ab, b0, w->nb);
    sprintf(text + strlen(text), ", [%%rd1];\n%s ", w->c);
    append_list(text, c, 0, w->nc);
    sprintf(text + strlen(text), ", [%%rd2];\n%s ", w->mma);
    append_list(text, c, 0, w->nc), strcat(text, ", ");
    append_list(text, ab, a0, w->na), strcat(text, ", ");
    append_list(text, ab, b0, w->nb), strcat(text, ", ");
    append_list(text, c, 0, w->nc);
    sprintf(text + strlen(text), ";\n%s [%%rd3], ", w->store);
    append_list(text, c, 0, w->nc);
    strcat(text, ";\n" KERNEL_CLOSE);
}

/* Small whole numbers in any format */
static uint32_t encode(int v, uint32_t bits, bool is_float) {
    static const uint32_t half[] = {0, 0x3C00, 0x4000, 0x4200}, single[] = {0, 0x3F800000, 0x40000000, 0x40400000};
    if (!is_float) return (uint32_t)v;
    return bits == 16 ? half[v] : single[v];
}

static void put_bits(uint32_t *words, uint32_t at, uint32_t bits, uint32_t v) {
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    words[at * bits / 32] |= (v & mask) << at * bits % 32;
}

static void wmma_play(const struct wmma_case *w) {
    static char text[8192];
    static uint32_t init[1024];
    static int a[32][256], b[256][32];
    memset(init, 0, sizeof init);
    for (uint32_t i = 0; i < w->m; i++)
        for (uint32_t j = 0; j < w->k; j++) {
            a[i][j] = (int)(i * 7 + j * 3) / 2 % (w->bits == 1 ? 2 : 4);
            put_bits(init, w->a_col ? j * w->m + i : i * w->k + j, w->bits, encode(a[i][j], w->bits, w->is_float));
        }
    for (uint32_t i = 0; i < w->k; i++)
        for (uint32_t j = 0; j < w->n; j++) {
            b[i][j] = (int)(i * 5 + j * 11) / 3 % (w->bits == 1 ? 2 : 3);
            put_bits(init + 256, w->b_col ? j * w->k + i : i * w->n + j, w->bits, encode(b[i][j], w->bits, w->is_float));
        }
    for (uint32_t i = 0; i < w->m * w->n; i++) put_bits(init + 512, i, 32, encode((int)i % 3, 32, w->is_float));
    wmma_text(w, text);
    PLAY(.text = text, .block = {32}, .init = init, .ninit = 1024);
    for (uint32_t i = 0; i < w->m; i++)
        for (uint32_t j = 0; j < w->n; j++) {
            uint32_t at = w->c_col ? j * w->m + i : i * w->n + j;
            int want = (int)at % 3;
            for (uint32_t x = 0; x < w->k; x++) want += w->bits == 1 ? a[i][x] ^ b[x][j] : a[i][x] * b[x][j];
            float f;
            memcpy(&f, &played.out[1024 + at], 4);
            int got = w->is_float ? (int)f : (int)played.out[1024 + at];
            if (got != want) fail_msg("%s: D[%u][%u] is %d, expected %d", w->mma, i, j, got, want);
        }
}

static void warps_multiply_matrices(void **state) {
    (void)state;
#define ALL(layouts, shape, types) "wmma.mma.sync.aligned." layouts "." shape "." types
    static const struct wmma_case cases[] = {
        {"wmma.load.a.sync.aligned.row.m16n16k16.global.f16", "wmma.load.b.sync.aligned.col.m16n16k16.f16",
         "wmma.load.c.sync.aligned.row.m16n16k16.f32", ALL("row.col", "m16n16k16", "f32.f32"),
         "wmma.store.d.sync.aligned.row.m16n16k16.global.f32", 8, 8, 8, 16, 16, 16, 16, false, true, false, false, true},
        {"wmma.load.a.sync.aligned.col.m32n8k16.global.f16", "wmma.load.b.sync.aligned.row.m32n8k16.f16",
         "wmma.load.c.sync.aligned.col.m32n8k16.f32", ALL("col.row", "m32n8k16", "f32.f32"),
         "wmma.store.d.sync.aligned.col.m32n8k16.global.f32", 8, 8, 8, 32, 8, 16, 16, true, false, true, false, true},
        {"wmma.load.a.sync.aligned.row.m16n16k8.global.tf32", "wmma.load.b.sync.aligned.col.m16n16k8.tf32",
         "wmma.load.c.sync.aligned.row.m16n16k8.f32", ALL("row.col", "m16n16k8", "f32.tf32.tf32.f32"),
         "wmma.store.d.sync.aligned.row.m16n16k8.f32", 4, 4, 8, 16, 16, 8, 32, false, true, false, false, true},
        {"wmma.load.a.sync.aligned.row.m8n32k16.u8", "wmma.load.b.sync.aligned.row.m8n32k16.s8",
         "wmma.load.c.sync.aligned.row.m8n32k16.s32", ALL("row.row", "m8n32k16", "s32.u8.s8.s32"),
         "wmma.store.d.sync.aligned.row.m8n32k16.s32", 1, 4, 8, 8, 32, 16, 8, false, false, false, false, false},
        {"wmma.load.a.sync.aligned.row.m8n8k32.s4", "wmma.load.b.sync.aligned.col.m8n8k32.s4",
         "wmma.load.c.sync.aligned.row.m8n8k32.s32", ALL("row.col", "m8n8k32", "s32.s4.s4.s32"),
         "wmma.store.d.sync.aligned.col.m8n8k32.s32", 1, 1, 2, 8, 8, 32, 4, false, true, false, false, false},
        {"wmma.load.a.sync.aligned.row.m8n8k128.b1", "wmma.load.b.sync.aligned.col.m8n8k128.b1",
         "wmma.load.c.sync.aligned.row.m8n8k128.s32", "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32",
         "wmma.store.d.sync.aligned.row.m8n8k128.s32", 1, 1, 2, 8, 8, 128, 1, false, true, false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct wmma_case w = cases[i];
        if (strstr(w.store, ".col.m8n8k32")) w.store = "wmma.store.d.sync.aligned.row.m8n8k32.s32";
        wmma_play(&w);
    }
}

/* --- mbarriers and bulk copies */

#define BAR ".shared .align 8 .b64 bar;\n.shared .align 16 .u32 words[256];\n"

static void mbarriers_count_arrivals_phase_by_phase(void **state) {
    (void)state;
    /* 64 threads pass a token round 5 times; a phase is one arrival of each */
    PLAY(.text = MODULE(
             BAR,
             "mov.u32 %r1, bar;\nmov.u32 %r2, words;\nmad.lo.u32 %r3, %r0, 4, %r2;\nadd.u32 %r4, %r0, 1;\nand.b32 %r4, %r4, 63;\n"
             "mad.lo.u32 %r4, %r4, 4, %r2;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 mbarrier.init.shared.b64 [%r1], 64;\nbar.sync 0;\n"
             "mov.u32 %r5, %r0;\nmov.u32 %r6, 0;\n"
             "$round:\nst.shared.u32 [%r3], %r5;\nmbarrier.arrive.shared.b64 %rd1, [%r1];\n"
             "$wait1:\nmbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;\n@!%p1 bra $wait1;\nld.shared.u32 %r5, [%r4];\n"
             "mbarrier.arrive.shared.b64 %rd1, [%r1];\n"
             "$wait2:\nmbarrier.try_wait.shared.b64 %p1, [%r1], %rd1;\n@!%p1 bra $wait2;\n"
             "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p0, %r6, 5;\n@%p0 bra $round;\n" STORE("%r5")),
         .block = {64}, SOME);
    EACH(64, (i + 5) & 63);
}

static void threads_may_drop_out_of_an_mbarrier(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             BAR, "mov.u32 %r1, bar;\nsetp.eq.u32 %p0, %r0, 0;\n@%p0 mbarrier.init.shared.b64 [%r1], 32;\nbar.warp.sync -1;\n"
                  "setp.ge.u32 %p1, %r0, 20;\n@%p1 bra $drop;\n"
                  "mbarrier.arrive.shared.b64 %rd1, [%r1];\nmbarrier.pending_count.b64 %r5, %rd1;\n"
                  "$wait:\nmbarrier.test_wait.shared.b64 %p2, [%r1], %rd1;\n@!%p2 bra $wait;\n"
                  "mbarrier.arrive.shared.b64 %rd2, [%r1];\nmbarrier.pending_count.b64 %r6, %rd2;\nmad.lo.u32 %r5, %r6, 100, "
                  "%r5;\nbra $end;\n"
                  "$drop:\nmbarrier.arrive_drop.shared.b64 %rd1, [%r1];\nmov.u32 %r5, 7;\n$end:\n" STORE("%r5")),
         .block = {32}, SOME);
    uint32_t second = 0;
    for (uint32_t i = 0; i < 20; i++) second += played.out[i] / 100;
    assert_int_equal(second, 20 * 21 / 2); /* 20, 19, ... 1 were pending */
    for (uint32_t i = 20; i < 32; i++) assert_int_equal(played.out[i], 7);
}

static void bulk_copies_signal_their_barrier(void **state) {
    (void)state;
    static uint32_t init[256];
    for (uint32_t i = 0; i < 256; i++) init[i] = i * 3 + 1;
    PLAY(.text = MODULE(
             BAR,
             "mov.u32 %r1, bar;\nmov.u32 %r2, words;\nsetp.ne.u32 %p0, %r0, 0;\n@%p0 bra $wait;\n"
             "mbarrier.init.shared::cta.b64 [%r1], 1;\nfence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;\n"
             "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%r1], 1024;\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0], 1024, [%r1];\n"
             "$wait:\nbar.sync 0;\n$again:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;\n@!%p1 bra $again;\n"
             "mad.lo.u32 %r3, %r0, 4, %r2;\nld.shared.u32 %r4, [%r3];\nadd.u32 %r4, %r4, 1000;\nst.shared.u32 [%r3], "
             "%r4;\nbar.sync 0;\n"
             "@%p0 bra $end;\nadd.u64 %rd1, %rd0, 2048;\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 256;\n"
             "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\n$end:\n"),
         .block = {64}, .init = init, .ninit = 256, SOME);
    for (uint32_t i = 0; i < 64; i++) assert_int_equal(played.out[512 + i], i * 3 + 1001);
}

static void copies_can_ignore_their_source(void **state) {
    (void)state;
    static const uint32_t init[4] = {11, 22, 33, 44};
    PLAY(.text = MODULE(
             BAR,
             "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 1;\nmov.u32 %r2, words;\nmad.lo.u32 %r2, %r0, 4, %r2;\nmov.u32 %r3, "
             "99;\n"
             "st.shared.u32 [%r2], %r3;\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd1, %rd0;\n"
             "cp.async.ca.shared.global [%r2], [%rd1], 4, %p0;\ncp.async.wait_all;\nld.shared.u32 %r4, [%r2];\n" STORE("%r4")),
         .block = {4}, .init = init, .ninit = 4);
    EACH(4, i & 1 ? 0 : init[i]);
}

static void an_mbarrier_that_nobody_initialised_is_a_fault(void **state) {
    (void)state;
    FAULT("not initialised", "thread (0,0,0)",
          .text = MODULE(BAR, "mov.u32 %r1, bar;\nmbarrier.arrive.shared.b64 %rd1, [%r1]; // here\n"), .block = {1});
    FAULT("more arrivals", "thread (0,0,0)",
          .text = MODULE(
              BAR, "mov.u32 %r1, bar;\nmbarrier.init.shared.b64 [%r1], 1;\nmbarrier.arrive.shared.b64 %rd1, [%r1], 2; // here\n"),
          .block = {1});
}

/* --- leaving early */

static void barriers_do_not_wait_for_lanes_that_leave(void **state) {
    (void)state;
    /* every third lane goes straight to the end, where it would meet the others: they wait at a barrier until
     * it has left */
    PLAY(.text = MODULE(
             BAR,
             "mov.u32 %r1, 5;\nrem.u32 %r2, %r0, 3;\nsetp.eq.u32 %p0, %r2, 0;\n@%p0 bra $end;\n"
             "mov.u32 %r3, words;\natom.shared.add.u32 %r4, [%r3], 1;\nbar.sync 0;\nld.shared.u32 %r1, [%r3];\n$end:\n" STORE(
                 "%r1")),
         .block = {96}, SOME);
    EACH(96, i % 3 ? 64 : 5);
}

static void counted_barriers_count_whole_warps(void **state) {
    (void)state;
    /* the same with a barrier for 64 threads, of which some leave after others have come */
    PLAY(.text = MODULE(
             BAR,
             "mov.u32 %r1, 5;\nrem.u32 %r2, %r0, 3;\nsetp.eq.u32 %p0, %r2, 0;\n@%p0 bra $end;\n"
             "mov.u32 %r3, words;\natom.shared.add.u32 %r4, [%r3], 1;\nbar.sync 3, 64;\nld.shared.u32 %r1, [%r3];\n$end:\n" STORE(
                 "%r1")),
         .block = {64}, SOME);
    EACH(64, i % 3 ? 42 : 5);
}

/* --- what is only known by name */

static void refused_kernels_leave_the_others_alone(void **state) {
    (void)state;
    static const char *const unmodelled[] = {
        "wgmma.fence.sync.aligned;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], %r2;",
        "tcgen05.fence::before_thread_sync;",
        "tensormap.replace.tile.global_address.global.b1024.b64 [%rd1], %rd2;",
        "multimem.red.relaxed.sys.global.add.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};",
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%rd1], [%r1], %r2;",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];",
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r1], {%r2, %r3}, [%r4];",
        "st.bulk.weak.shared::cta [%r1], %rd1, 0;",
        "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r3, %r4}, {%r7, %r8}, {%r9, %r10}, %r11, 0;",
        ("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, "
         "{%r5,%r6}, {%f1,%f2,%f3,%f4};"),
        "ldmatrix.sync.aligned.m8n16.x1.shared::cta.b8x16.b6x16_p32 {%r1}, [%r5];",
        "cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;",
        "cvt.rn.satfinite.e2m3x2.f32 %h1, %f1, %f2;",
        "add.rn.f32x2 %rd1, %rd2, %rd3;",
        "fma.rn.f32.bf16 %f1, %h1, %h2, %f2;",
        "redux.sync.max.NaN.f32 %f1, %f2, -1;",
        "barrier.cluster.arrive.release.aligned;",
        "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}|%p1, [%rd1, {%r1, %r2, %r3, %r4}];",
    };
    for (size_t n = 0; n < sizeof unmodelled / sizeof *unmodelled; n++) {
        static char text[4096];
        snprintf(text, sizeof text,
                 "%s.visible .entry other(.param .u64 x)\n{\n.reg .pred %%p<8>;\n.reg .b16 %%h<8>;\n.reg .b32 %%r<12>;\n.reg "
                 ".b64 %%rd<8>;\n.reg .f32 %%f<8>;\n%s\nret;\n}\n",
                 KERNEL(STORE("%r0")), unmodelled[n]);
        PLAY(.text = text, .block = {32});
        EACH(32, i);
        struct heddle *h = heddle_open(NULL);
        struct heddle_module *m = play_load(h, "t.ptx", text);
        struct heddle_kernel *k = heddle_module_kernel(m, "other");
        struct heddle_kernel_info info;
        assert_int_equal(heddle_kernel_info(h, k, &info), HEDDLE_OK);
        if (!info.refused) fail_msg("not refused: %s", unmodelled[n]);
        uint64_t x = 0;
        struct heddle_arg arg = {&x, sizeof x};
        struct heddle_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = &arg, .nargs = 1};
        assert_int_equal(heddle_launch(h, k, &l, NULL), HEDDLE_BAD_INPUT);
        assert_non_null(strstr(heddle_message(h), info.refused));
        heddle_close(h);
    }
}

static void hints_and_clusters_of_one_block_run(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             BAR,
             "createpolicy.fractional.L2::evict_last.b64 %rd1, "
             "1.0;\ncreatepolicy.range.global.L2::evict_first.L2::evict_unchanged.b64 %rd2, [%rd0], 256, 512;\n"
             "fence.proxy.async;\nfence.proxy.tensormap::generic.acquire.gpu [%rd0], "
             "128;\nfence.acquire.sync_restrict::shared::cluster.cluster;\n"
             "membar.proxy.alias;\ngriddepcontrol.wait;\ngriddepcontrol.launch_dependents;\nsetmaxnreg.inc.sync.aligned.u32 "
             "128;\n"
             "mov.u32 %r1, words;\nmapa.shared::cluster.u32 %r2, %r1, 0;\nsub.u32 %r3, %r2, %r1;\ngetctarank.shared::cluster.u32 "
             "%r4, %r1;\n"
             "mov.b32 %r5, %envreg31;\nmov.u32 %r6, %reserved_smem_offset_begin;\nmov.u64 %rd3, %pm7_64;\nmov.u32 %r7, "
             "%cluster_nctarank;\n"
             "or.b32 %r3, %r3, %r4;\nor.b32 %r3, %r3, %r5;\nor.b32 %r3, %r3, %r7;\n"
             "st.global.L2::cache_hint.u32 [%rd0+256], %r3, %rd1;\nld.global.L2::cache_hint.u32 %r8, [%rd0+256], %rd2;\n" STORE(
                 "%r8")),
         .block = {32});
    EACH(32, 1);
}

static void kernels_for_clusters_are_refused(void **state) {
    (void)state;
    play_any(&(struct play){
        .text = PTX_HEAD("sm_90") ".visible .entry k(.param .u64 out)\n.reqnctapercluster 2, 1, 1\n{\nret;\n}\n", .block = {1}});
    assert_int_equal(played.status, HEDDLE_BAD_INPUT);
    assert_non_null(strstr(played.message, "clusters are not modelled"));
    PLAY(.text = PTX_HEAD("sm_90") ".visible .entry k(.param .u64 out)\n.reqnctapercluster 1\n.maxclusterrank 8\n{\nret;\n}\n",
         .block = {1});
}

/* --- grids that meet */

static void blocks_of_a_grid_meet_at_their_workspace(void **state) {
    (void)state;
    /* %envreg1:2 is the address of zeroed memory; each block adds one to a word of it and waits for all
     * four */
    PLAY(.text = KERNEL("mov.u32 %r1, %envreg1;\nmov.u32 %r2, %envreg2;\nmov.b64 %rd1, {%r2, %r1};\nmov.u32 %r3, %ctaid.x;\n"
                        "mul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd2, %rd2, %rd0;\nadd.u32 %r4, %r3, 100;\nsetp.ne.u32 %p0, %r0, "
                        "0;\n@%p0 bra $join;\n"
                        "st.global.u32 [%rd2+1024], %r4;\natom.add.release.gpu.u32 %r5, [%rd1+4], 1;\n"
                        "$wait:\nld.acquire.gpu.u32 %r6, [%rd1+4];\nsetp.lt.u32 %p1, %r6, 4;\n@%p1 bra $wait;\n"
                        "$join:\nbarrier.sync 0;\nadd.u32 %r7, %r3, 1;\nand.b32 %r7, %r7, 3;\nmul.wide.u32 %rd3, %r7, "
                        "4;\nadd.u64 %rd3, %rd3, %rd0;\n"
                        "ld.global.u32 %r8, [%rd3+1024];\n" STORE("%r8")),
         .grid = {4}, .block = {32}, SOME);
    EACH(128, 100 + (i / 32 + 1) % 4);
}

/* --- calls */

static void indirect_calls_reach_what_has_an_address(void **state) {
    (void)state;
    /* `lost` calls a function that is nowhere, but nobody can call `lost` */
    PLAY(.text = MODULE(".extern .func nowhere();\n.func lost() { call.uni nowhere; ret; }\n"
                        ".func (.param .b32 y) twice(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, %a; "
                        "st.param.b32 [y], %a; ret; }\n"
                        ".func (.param .b32 y) inc(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, 1; "
                        "st.param.b32 [y], %a; ret; }\n"
                        ".global .align 8 .u64 table[2] = {twice, inc};\n",
                        "and.b32 %r1, %r0, 1;\nmul.wide.u32 %rd1, %r1, 8;\nmov.u64 %rd2, table;\nadd.u64 %rd2, %rd2, "
                        "%rd1;\nld.global.u64 %rd3, [%rd2];\n"
                        "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r0;\nproto: .callprototype (.param .b32 _) _ "
                        "(.param .b32 _);\n"
                        "call (b), %rd3, (a), proto;\nld.param.b32 %r2, [b];\n}\n" STORE("%r2")),
         .block = {32});
    EACH(32, i & 1 ? i + 1 : 2 * i);
}

static void printf_returns_how_many_arguments_it_took(void **state) {
    (void)state;
    FILE *f = tmpfile();
    assert_non_null(f);
    /* "%hd %hhu %*d\n" */
    PLAY(.text = MODULE(
             ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
             ".global .align 1 .b8 fmt[14] = {37, 104, 100, 32, 37, 104, 104, 117, 32, 37, 42, 100, 10, 0};\n",
             ".local .align 8 .b8 buf[16];\nmov.u64 %rd1, buf;\ncvta.local.u64 %rd2, %rd1;\nst.local.u32 [%rd1], "
             "70000;\nst.local.u32 [%rd1+4], 513;\n"
             "st.local.u32 [%rd1+8], 4;\nst.local.u32 [%rd1+12], -7;\nmov.u64 %rd3, fmt;\ncvta.global.u64 %rd3, %rd3;\n"
             "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 p2;\nst.param.b64 [p0], %rd3;\nst.param.b64 [p1], %rd2;\ncall.uni "
             "(p2), vprintf, (p0, p1);\n"
             "ld.param.b32 %r1, [p2];\n}\n" STORE("%r1")),
         .block = {1}, .options = {.program_out = f});
    EACH(1, 4);
    assert_string_equal(play_text(f), "4464 1   -7\n");
    fclose(f);
}

/* --- several registers written by one instruction while its sources are still read */

static void vectors_move_all_at_once(void **state) {
    (void)state;
    /* swaps, rotations, duplicates, every width, under a guard that half of the lanes take */
    PLAY(.text = KERNEL(
             ".reg .pred %q<4>;\nmov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\nmov.u32 %r4, 4;\n"
             "mov.v2.u32 {%r1, %r2}, {%r2, %r1};\nmov.v4.b32 {%r1, %r2, %r3, %r4}, {%r4, %r1, %r2, %r3};\n"
             "mov.v2.u32 {%r3, _}, {%r1, %r3};\n" /* 4 2 4 3 */
             "mov.u64 %rd1, 5;\nmov.u64 %rd2, 6;\nmov.v2.b64 {%rd1, %rd2}, {%rd2, %rd1};\n"
             "mov.u16 %h1, 7;\nmov.u16 %h2, 8;\nmov.v2.u16 {%h1, %h2}, {%h2, %h1};\n"
             "mov.f32 %f1, 1.0;\nmov.f32 %f2, 2.0;\nmov.v2.f32 {%f1, %f2}, {%f2, %f1};\n"
             "mov.f64 %d1, 1.0;\nmov.f64 %d2, 2.0;\nmov.v2.f64 {%d1, %d2}, {%d2, %d1};\n"
             "setp.lt.u32 %p1, %r0, 16;\nmov.u32 %r5, 10;\nmov.u32 %r6, 20;\n@%p1 mov.v2.u32 {%r5, %r6}, {%r6, %r5};\n"
             "shl.b32 %r7, %r1, 24;\nshl.b32 %r8, %r2, 16;\nshl.b32 %r9, %r3, 8;\nor.b32 %r7, %r7, %r8;\nor.b32 %r7, %r7, %r9;\n"
             "or.b32 %r7, %r7, %r4;\ncvt.u32.u64 %r8, %rd1;\ncvt.u32.u64 %r9, %rd2;\ncvt.u32.u16 %r10, %h1;\ncvt.u32.u16 %r11, "
             "%h2;\n"
             "shl.b32 %r8, %r8, 12;\nshl.b32 %r9, %r9, 8;\nshl.b32 %r10, %r10, 4;\nor.b32 %r8, %r8, %r9;\nor.b32 %r10, %r10, "
             "%r11;\n"
             "or.b32 %r8, %r8, %r10;\ncvt.rzi.u32.f32 %r9, %f1;\ncvt.rzi.u32.f64 %r10, %d1;\n" SLOT
             "st.global.u32 [%rd31], %r7;\nst.global.u32 [%rd31+128], %r8;\nst.global.u32 [%rd31+256], %r9;\n"
             "st.global.u32 [%rd31+384], %r10;\nst.global.u32 [%rd31+512], %r5;\n"),
         .block = {32});
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t want[5] = {0x04020403, 0x6587, 2, 2, i < 16 ? 20 : 10};
        for (uint32_t j = 0; j < 5; j++) assert_int_equal(played.out[32 * j + i], want[j]);
    }
}

static void vectors_split_and_join_over_themselves(void **state) {
    (void)state;
    PLAY(.text = KERNEL("mov.b32 %r1, 0x44332211;\nmov.b32 {%r4, %r3, %r2, %r1}, %r1;\n" /* r1 = 44, r2 = 33, ... */
                        "mov.b32 %r1, {%r1, %r2, %r3, %r4};\n"
                        "mov.b32 %r5, 0xAABBCCDD;\nmov.b32 {%h1, %h2}, %r5;\nmov.b32 %r5, {%h2, %h1};\n"
                        "mov.b64 %rd1, {%r1, %r5};\nmov.b64 {%r5, %r1}, %rd1;\nmov.b64 %rd1, {%r1, %r5};\n"
                        "mov.b64 {%r6, %r7}, %rd1;\n" SLOT "st.global.u32 [%rd31], %r6;\nst.global.u32 [%rd31+128], %r7;\n"),
         .block = {32});
    EACH(32, 0xCCDDAABB);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(played.out[32 + i], 0x11223344);
}

static void loads_may_overwrite_their_address(void **state) {
    (void)state;
    uint32_t init[512];
    for (uint32_t i = 0; i < 512; i++) init[i] = i;
    /* all lanes, then the odd ones alone: the address register is the first, then the last of the
     * destinations */
    PLAY(.text = MODULE(".shared .align 16 .b32 s[256];\n",
                        "mov.u32 %r8, s;\nmad.lo.u32 %r9, %r0, 16, %r8;\nmul.wide.u32 %rd1, %r0, 16;\nadd.u64 %rd1, %rd1, %rd0;\n"
                        "mov.u64 %rd3, %rd1;\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
                        "st.shared.v4.u32 [%r9], {%r1, %r2, %r3, %r4};\nmov.u32 %r4, %r9;\n"
                        "ld.shared.v4.u32 {%r9, %r1, %r2, %r3}, [%r9];\nmov.u32 %r5, %r4;\n"
                        "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r4];\nadd.u32 %r4, %r4, %r9;\n"
                        "and.b32 %r6, %r0, 1;\nsetp.eq.u32 %p1, %r6, 1;\n@%p1 ld.shared.v2.u32 {%r5, %r6}, [%r5];\n"
                        "@!%p1 mov.u32 %r5, 0;\n@!%p1 mov.u32 %r6, 0;\nadd.u32 %r4, %r4, %r5;\nadd.u32 %r4, %r4, %r6;\n"
                        "ld.global.v2.u64 {%rd1, %rd2}, [%rd1];\nld.global.v2.u64 {%rd2, %rd3}, [%rd3];\n"
                        "mov.b64 {%r10, %r11}, %rd1;\nmov.b64 {%r12, %r13}, %rd3;\nadd.u32 %r4, %r4, %r11;\n"
                        "add.u32 %r4, %r4, %r12;\nbar.sync 0;\nadd.u64 %rd0, %rd0, 2048;\n" STORE("%r4")),
         .block = {32}, .init = init, .ninit = 512);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t a = 4 * i, odd = i & 1 ? a + a + 1 : 0;
        assert_int_equal(played.out[512 + i], a + 3 + a + odd + a + 1 + a + 2);
    }
}

static void calls_hand_over_all_arguments_and_results(void **state) {
    (void)state;
    PLAY(.text =
             MODULE(".func (.reg .u32 %c, .reg .u32 %d) swap(.reg .u32 %a, .reg .u32 %b)\n{\n"
                    "    mov.u32 %c, %b;\n    mov.u32 %d, %a;\n    ret;\n}\n",
                    "mov.u32 %r1, 3;\nadd.u32 %r2, %r0, 100;\ncall (%r1, %r2), swap, (%r2, %r1);\n" /* b a swapped: as before */
                    "call (%r2, %r1), swap, (%r1, %r2);\ncall (%r1, %r2), swap, (%r1, %r2);\n"
                    "shl.b32 %r1, %r1, 16;\nor.b32 %r1, %r1, %r2;\n" STORE("%r1")),
         .block = {32});
    EACH(32, (i + 100) << 16 | 3);
}

static void atomics_of_vectors_read_before_they_write(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "cvt.rn.f32.u32 %f1, %r0;\nmov.f32 %f2, 2.0;\nmul.wide.u32 %rd1, %r0, 8;\nadd.u64 %rd1, %rd1, %rd0;\n"
             "atom.global.add.v2.f32 {%f2, %f1}, [%rd1], {%f1, %f2};\natom.global.add.v2.f32 {%f2, %f1}, [%rd1], {%f1, %f2};\n"),
         .block = {32});
    for (uint32_t i = 0; i < 32; i++) {
        const float want[2] = {(float)i, 2};
        assert_memory_equal(played.out + 2 * i, want, 8);
    }
}

static void predicates_are_read_before_they_are_written(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "setp.lt.u32 %p1, %r0, 8;\nsetp.lt.and.u32 %p1|%p2, %r0, 4, %p1;\n" /* p1: < 4; p2: 4 to 7 */
             "setp.lt.or.u32 %p3|%p2, %r0, 6, %p2;\n"                            /* p3: < 8; p2: 4 and more */
             "selp.u32 %r1, 1, 0, %p1;\nselp.u32 %r2, 2, 0, %p2;\nselp.u32 %r3, 4, 0, %p3;\n"
             "mov.u32 %r4, 31;\nshfl.sync.up.b32 %r5|%p1, %r0, 1, 0, -1;\nshfl.sync.bfly.b32 %r0|%p1, %r0, %r0, %r4, -1;\n"
             "or.b32 %r1, %r1, %r2;\nor.b32 %r1, %r1, %r3;\nmov.u32 %r6, %tid.x;\nshl.b32 %r0, %r0, 8;\nadd.u32 %r1, %r1, %r0;\n"
             "mov.u32 %r0, %r6;\n" STORE("%r1")),
         .block = {32});
    EACH(32, (i < 4 ? 1 : 0) | (i >= 4 ? 2 : 0) | (i < 8 ? 4 : 0));
}

/* The same product, its result once in registers of its own and once over each source */
static void matrices_may_be_multiplied_in_place(void **state) {
    (void)state;
#define MMA(d, a, b, c) "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " d ", " a ", " b ", " c ";\n"
#define ABC                                                                                                                      \
    "mov.v4.u32 {%r1, %r2, %r3, %r4}, {%r20, %r21, %r22, %r23};\nmov.v2.u32 {%r5, %r6}, {%r24, %r25};\n"                         \
    "mov.v4.b32 {%r7, %r8, %r9, %r10}, {%r26, %r27, %r28, %r29};\n"
    PLAY(.text = KERNEL(
             "mad.lo.u32 %r20, %r0, 3, 0x38003400;\nadd.u32 %r21, %r20, 0x00110011;\nadd.u32 %r22, %r21, 0x01010005;\n"
             "add.u32 %r23, %r22, 0x00070200;\nxor.b32 %r24, %r20, 0x80000033;\nadd.u32 %r25, %r24, 0x00400021;\n"
             "cvt.rn.f32.u32 %f1, %r0;\nmov.b32 %r26, %f1;\nmov.b32 %r27, 0f3F800000;\nmov.b32 %r28, 0fC0000000;\nmov.b32 %r29, "
             "%f1;\n" ABC MMA("{%r11, %r12, %r13, %r14}", "{%r1, %r2, %r3, %r4}", "{%r5, %r6}", "{%r7, %r8, %r9, %r10}")
                 MMA("{%r1, %r2, %r3, %r4}", "{%r1, %r2, %r3, %r4}", "{%r5, %r6}",
                     "{%r7, %r8, %r9, %r10}") "xor.b32 %r15, %r11, %r1;\nxor.b32 %r16, %r14, %r4;\nor.b32 %r15, %r15, %r16;\n" ABC
                     MMA("{%r6, %r5, %r3, %r4}", "{%r1, %r2, %r3, %r4}", "{%r5, %r6}",
                         "{%r7, %r8, %r9, %r10}") "xor.b32 %r16, %r11, %r6;\nxor.b32 %r17, %r12, %r5;\nor.b32 %r15, %r15, "
                                                  "%r16;\nor.b32 %r15, %r15, %r17;\n" ABC MMA(
                                                      "{%r10, %r9, %r8, %r7}", "{%r1, %r2, %r3, %r4}", "{%r5, %r6}",
                                                      "{%r7, %r8, %r9, %r10}") "xor.b32 %r16, %r11, %r10;\nxor.b32 %r17, "
                                                                               "%r14, %r7;\nor.b32 %r15, %r15, %r16;\nor.b32 "
                                                                               "%r15, %r15, %r17;\n"
                                                                               "setp.ne.u32 %p1, %r11, %r14;\nselp.u32 %r16, "
                                                                               "0, 1, %p1;\nor.b32 %r15, %r15, %r16;\n" STORE(
                                                                                   "%r15")),
         .block = {32});
    EACH(32, 0);
}

static void matrices_may_be_loaded_over_their_address(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             ".shared .align 16 .b32 s[128];\n",
             "mov.u32 %r8, s;\nmad.lo.u32 %r9, %r0, 16, %r8;\nshl.b32 %r1, %r0, 2;\nadd.u32 %r2, %r1, 1;\nadd.u32 %r3, %r1, 2;\n"
             "add.u32 %r4, %r1, 3;\nst.shared.v4.u32 [%r9], {%r1, %r2, %r3, %r4};\nbar.sync 0;\nmov.u32 %r4, %r9;\n"
             "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r4];\n"
             "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r9, %r5, %r6, %r7}, [%r9];\n"
             "sub.u32 %r4, %r4, %r9;\nxor.b32 %r6, %r6, %r3;\nadd.u32 %r4, %r4, %r6;\nshl.b32 %r4, %r4, 8;\nadd.u32 %r4, %r4, "
             "%r9;\n" STORE("%r4")),
         .block = {32});
    EACH(32, 96 << 8 | i);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_grow_by_what_each_lane_takes),
        cmocka_unit_test(what_a_loop_takes_it_can_give_back),
        cmocka_unit_test(taking_too_much_is_a_fault),
        cmocka_unit_test(vector_atomics_add_each_element),
        cmocka_unit_test(vector_atomics_want_the_vectors_alignment),
        cmocka_unit_test(quads_are_exchanged_whole),
        cmocka_unit_test(warps_multiply_matrices),
        cmocka_unit_test(mbarriers_count_arrivals_phase_by_phase),
        cmocka_unit_test(threads_may_drop_out_of_an_mbarrier),
        cmocka_unit_test(bulk_copies_signal_their_barrier),
        cmocka_unit_test(copies_can_ignore_their_source),
        cmocka_unit_test(an_mbarrier_that_nobody_initialised_is_a_fault),
        cmocka_unit_test(barriers_do_not_wait_for_lanes_that_leave),
        cmocka_unit_test(counted_barriers_count_whole_warps),
        cmocka_unit_test(refused_kernels_leave_the_others_alone),
        cmocka_unit_test(hints_and_clusters_of_one_block_run),
        cmocka_unit_test(kernels_for_clusters_are_refused),
        cmocka_unit_test(blocks_of_a_grid_meet_at_their_workspace),
        cmocka_unit_test(indirect_calls_reach_what_has_an_address),
        cmocka_unit_test(printf_returns_how_many_arguments_it_took),
        cmocka_unit_test(vectors_move_all_at_once),
        cmocka_unit_test(vectors_split_and_join_over_themselves),
        cmocka_unit_test(loads_may_overwrite_their_address),
        cmocka_unit_test(calls_hand_over_all_arguments_and_results),
        cmocka_unit_test(atomics_of_vectors_read_before_they_write),
        cmocka_unit_test(predicates_are_read_before_they_are_written),
        cmocka_unit_test(matrices_may_be_multiplied_in_place),
        cmocka_unit_test(matrices_may_be_loaded_over_their_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
