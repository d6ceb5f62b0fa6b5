/* The machine a kernel sees: where its threads are, its memory spaces, atomics, heap and printf, and that a
 * run can be repeated. */
#include "play.h"

/* --- grids, blocks, warps */

static void threads_know_where_they_are(void **state) {
    (void)state;
    /* out[linear id] = tid.x | tid.y << 5 | tid.z << 10 | ctaid.x << 15 | ctaid.y << 20 | ctaid.z << 25 */
    PLAY(.text = KERNEL(
             "mov.u32 %r1, %tid.y;\nmov.u32 %r2, %tid.z;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %ntid.y;\nmov.u32 %r5, %ntid.z;\n"
             "mov.u32 %r6, %ctaid.x;\nmov.u32 %r7, %ctaid.y;\nmov.u32 %r8, %ctaid.z;\nmov.u32 %r9, %nctaid.x;\nmov.u32 %r10, "
             "%nctaid.y;\n"
             "mad.lo.u32 %r11, %r8, %r10, %r7;\nmad.lo.u32 %r11, %r11, %r9, %r6;\nmad.lo.u32 %r11, %r11, %r5, %r2;\n"
             "mad.lo.u32 %r11, %r11, %r4, %r1;\nmad.lo.u32 %r11, %r11, %r3, %r0;\n"
             "shl.b32 %r1, %r1, 5;\nshl.b32 %r2, %r2, 10;\nshl.b32 %r6, %r6, 15;\nshl.b32 %r7, %r7, 20;\nshl.b32 %r8, %r8, 25;\n"
             "or.b32 %r12, %r0, %r1;\nor.b32 %r12, %r12, %r2;\nor.b32 %r12, %r12, %r6;\nor.b32 %r12, %r12, %r7;\nor.b32 %r12, "
             "%r12, %r8;\n"
             "mul.wide.u32 %rd1, %r11, 4;\nadd.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r12;\n"),
         .grid = {3, 2, 4}, .block = {5, 7, 3});
    EACH(3 * 2 * 4 * 5 * 7 * 3,
         (i % 5) | (i / 5 % 7) << 5 | (i / 35 % 3) << 10 | (i / 105 % 3) << 15 | (i / 315 % 2) << 20 | (i / 630) << 25);
    assert_int_equal(played.r.warps, 24 * 4);
    assert_int_equal(played.r.threads, 24 * 105);
}

static void lanes_follow_the_linear_thread_id(void **state) {
    (void)state;
    PLAY(.text = KERNEL("mov.u32 %r1, %tid.y;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r3, %r1, %r2, %r0;\nmov.u32 %r4, "
                        "%laneid;\nmov.u32 %r5, %warpid;\n"
                        "mad.lo.u32 %r4, %r5, 100, %r4;\nmul.wide.u32 %rd1, %r3, 4;\nadd.u64 %rd1, %rd0, %rd1;\nst.global.u32 "
                        "[%rd1], %r4;\n"),
         .block = {7, 10});
    EACH(70, i / 32 * 100 + i % 32);
}

static void lane_masks_as_special_registers(void **state) {
    (void)state;
    PLAY(.text = KERNEL("mov.u32 %r1, %lanemask_lt;\nmov.u32 %r2, %lanemask_ge;\nmov.u32 %r3, %lanemask_eq;\nxor.b32 %r1, %r1, "
                        "%r2;\n" /* all */
                        "popc.b32 %r1, %r1;\nmov.u32 %r2, %lanemask_le;\npopc.b32 %r2, %r2;\nmov.u32 %r4, "
                        "%lanemask_gt;\npopc.b32 %r4, %r4;\n"
                        "bfind.u32 %r3, %r3;\nmov.u32 %r5, WARP_SZ;\n"
                        "mad.lo.u32 %r1, %r1, 100, %r2;\nmad.lo.u32 %r1, %r1, 100, %r4;\nmad.lo.u32 %r1, %r1, 100, %r3;\nadd.u32 "
                        "%r1, %r1, %r5;\n" STORE("%r1")),
         .block = {32});
    EACH(32, ((32 * 100 + i + 1) * 100 + 31 - i) * 100 + i + 32);
}

/* Divergence, loops, calls, shared memory and barriers, but nothing that knows lanes */
#define LANELESS                                                                                                                 \
    MODULE(".shared .align 4 .u32 words[128];\n"                                                                                 \
           ".func (.param .b32 r) collatz(.param .b32 n)\n{\n.reg .pred %q<2>;\n.reg .b32 %a, %b, %c;\nld.param.b32 %a, "        \
           "[n];\nmov.b32 %c, 0;\n"                                                                                              \
           "$loop:\nsetp.le.u32 %q0, %a, 1;\n@%q0 bra $done;\nadd.u32 %c, %c, 1;\nand.b32 %b, %a, 1;\nsetp.eq.u32 %q1, %b, "     \
           "0;\n@%q1 bra $even;\n"                                                                                               \
           "mad.lo.u32 %a, %a, 3, 1;\nbra $loop;\n$even:\nshr.u32 %a, %a, 1;\nbra $loop;\n$done:\nst.param.b32 [r], "            \
           "%c;\nret;\n}\n",                                                                                                     \
           "mov.u32 %r7, %ctaid.x;\nmad.lo.u32 %r6, %r7, 100, %r0;\n"                                                            \
           "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r6;\ncall (y), collatz, (x);\nld.param.b32 %r1, [y];\n}\n"     \
           "mov.u32 %r2, words;\nmad.lo.u32 %r3, %r0, 4, %r2;\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\n"                         \
           "mov.u32 %r4, 99;\nsub.u32 %r4, %r4, %r0;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.u32 %r5, [%r4];\n"                 \
           "mad.lo.u32 %r1, %r1, 1000, %r5;\nred.global.add.u32 [%rd0+4096], %r1;\n" STORE("%r1"))

static uint32_t collatz(uint32_t n) {
    uint32_t c = 0;
    for (; n > 1; c++) n = n % 2 ? 3 * n + 1 : n / 2;
    return c;
}

static void every_warp_size_gives_the_same_memory(void **state) {
    (void)state;
    uint64_t thread_instructions = 0;
    for (uint32_t size = 1; size <= 64; size++) {
        PLAY(.text = LANELESS, .grid = {3}, .block = {100}, .options = {.warp_size = size});
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 300; i++) {
            uint32_t want = collatz(i) * 1000 + collatz(i / 100 * 100 + 99 - i % 100);
            sum += want;
            if (played.out[i] != want) fail_msg("warp size %u: out[%u] is %u, expected %u", size, i, played.out[i], want);
        }
        assert_int_equal(played.out[1024], sum);
        assert_int_equal(played.r.warps, 3 * ((100 + size - 1) / size));
        if (size == 1) {
            thread_instructions = played.r.thread_instructions;
            assert_int_equal(played.r.warp_instructions, thread_instructions);
        }
        assert_int_equal(played.r.thread_instructions, thread_instructions);
    }
}

/* --- memory spaces */

static void generic_addresses_reach_every_space(void **state) {
    (void)state;
    PLAY(.text = MODULE(".global .u32 g = 11;\n.const .u32 c = 22;\n.shared .u32 s;\n",
                        ".local .align 4 .b8 l[8];\n"
                        "st.shared.u32 [s], 33;\nst.local.u32 [l+4], 44;\n"
                        "mov.u64 %rd1, g;\ncvta.global.u64 %rd1, %rd1;\nld.u32 %r1, [%rd1];\n"
                        "mov.u64 %rd2, c;\ncvta.const.u64 %rd2, %rd2;\nld.u32 %r2, [%rd2];\n"
                        "mov.u64 %rd3, s;\ncvta.shared.u64 %rd3, %rd3;\nld.u32 %r3, [%rd3];\n"
                        "mov.u64 %rd4, l;\ncvta.local.u64 %rd4, %rd4;\nld.u32 %r4, [%rd4+4];\n"
                        "mov.b64 %rd5, out;\ncvta.param.u64 %rd5, %rd5;\nld.u64 %rd6, [%rd5];\nsetp.eq.u64 %p0, %rd6, "
                        "%rd0;\nselp.u32 %r5, 55, 0, %p0;\n"
                        "st.global.u32 [%rd0], %r1;\nst.global.u32 [%rd0+4], %r2;\nst.global.u32 [%rd0+8], %r3;\nst.global.u32 "
                        "[%rd0+12], %r4;\n"
                        "st.global.u32 [%rd0+16], %r5;\n"
                        "st.u32 [%rd3], 66;\nld.shared.u32 %r1, [s];\nst.global.u32 [%rd0+20], %r1;\n"
                        "cvta.to.shared.u64 %rd7, %rd3;\nld.shared.u32 %r1, [%rd7];\nst.global.u32 [%rd0+24], %r1;\n"
                        "atom.add.u32 %r1, [%rd3], 1;\nld.u32 %r2, [%rd3];\nst.global.u32 [%rd0+28], %r2;\n"));
    static const uint32_t want[] = {11, 22, 33, 44, 55, 66, 66, 67};
    EACH(8, want[i]);
}

static void isspacep_tells_windows_apart(void **state) {
    (void)state;
#define ASK(space, bit) "isspacep." space " %p0, %rd1;\nselp.u32 %r3, " bit ", 0, %p0;\nor.b32 %r2, %r2, %r3;\n"
#define ASK_ALL(at)                                                                                                              \
    "mov.u32 %r2, 0;\n" ASK("global", "1") ASK("shared", "2") ASK("local", "4") "st.global.u32 [%rd0+" at "], %r2;\n"
    PLAY(.text =
             MODULE(".global .u32 g;\n.shared .u32 s;\n",
                    ".local .u32 l;\n"
                    "mov.u64 %rd1, g;\ncvta.global.u64 %rd1, %rd1;\n" ASK_ALL(
                        "0") "mov.u64 %rd1, s;\ncvta.shared.u64 %rd1, %rd1;\n" ASK_ALL("4") "mov.u64 %rd1, l;\ncvta.local.u64 "
                                                                                            "%rd1, %rd1;\n" ASK_ALL("8")));
    EACH(3, 1u << i);
}

static void narrow_loads_extend_and_narrow_stores_cut(void **state) {
    (void)state;
    static const uint32_t init[] = {0x8081FFFE};
    PLAY(.text = KERNEL("ld.global.u8 %r1, [%rd0+3];\nst.global.u32 [%rd0+4], %r1;\nld.global.s8 %r1, [%rd0+3];\nst.global.u32 "
                        "[%rd0+8], %r1;\n"
                        "ld.global.u16 %r1, [%rd0+2];\nst.global.u32 [%rd0+12], %r1;\nld.global.s16 %r1, [%rd0];\nst.global.u32 "
                        "[%rd0+16], %r1;\n"
                        "ld.global.s8 %rd1, [%rd0+1];\nst.global.u64 [%rd0+24], %rd1;\nld.global.u32 %rd1, "
                        "[%rd0];\nst.global.u64 [%rd0+32], %rd1;\n"
                        "ld.global.s32 %rd1, [%rd0];\nst.global.u64 [%rd0+40], %rd1;\nld.global.s8 %h1, [%rd0];\nst.global.u16 "
                        "[%rd0+48], %h1;\n"
                        "mov.u32 %r1, 0xABCD1234;\nst.global.u8 [%rd0+53], %r1;\nst.global.u16 [%rd0+54], %r1;\n"),
         .init = init, .ninit = 1);
    static const uint32_t want[] = {0x8081FFFE, 0x80,       0xFFFFFF80, 0x8081,     0xFFFFFFFE, 0,      0xFFFFFFFF,
                                    0xFFFFFFFF, 0x8081FFFE, 0,          0x8081FFFE, 0xFFFFFFFF, 0xFFFE, 0x12343400};
    EACH(14, want[i]);
}

static void vectors_move_whole_elements(void **state) {
    (void)state;
    static const uint32_t init[] = {0x04030201, 0x08070605, 0x0C0B0A09, 0x100F0E0D};
    PLAY(.text = KERNEL("ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%rd0];\nst.global.v4.u8 [%rd0+16], {%r4, %r3, %r2, %r1};\n"
                        "ld.global.v4.u16 {%h1, %h2, %h3, %h4}, [%rd0+8];\nst.global.v4.u16 [%rd0+24], {%h4, %h3, %h2, %h1};\n"
                        "ld.global.v2.u64 {%rd1, %rd2}, [%rd0];\nst.global.v2.u64 [%rd0+32], {%rd2, %rd1};\n"
                        "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd0];\nst.global.v2.f32 [%rd0+48], {%f4, %f2};\n"),
         .init = init, .ninit = 4);
    static const uint32_t want[] = {0x01020304, 0,          0x0E0D100F, 0x0A090C0B, 0x0C0B0A09,
                                    0x100F0E0D, 0x04030201, 0x08070605, 0x100F0E0D, 0x08070605};
    for (uint32_t i = 0; i < 10; i++) assert_int_equal(played.out[4 + i], want[i]);
}

static void one_of_several_stores_to_a_word_wins(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "add.u32 %r1, %r0, 500;\nst.global.u32 [%rd0], %r1;\n"
             "and.b32 %r2, %r0, 3;\nmul.wide.u32 %rd1, %r2, 4;\nadd.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1+64], %r1;\n"),
         .block = {32});
    assert_in_range(played.out[0], 500, 531);
    for (uint32_t i = 0; i < 4; i++) {
        assert_in_range(played.out[16 + i], 500, 531);
        assert_int_equal((played.out[16 + i] - 500) % 4, i);
    }
}

static void shared_memory_does_not_leak_from_block_to_block(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             ".shared .align 4 .u32 words[64];\n",
             "mov.u32 %r1, words;\nmad.lo.u32 %r1, %r0, 4, %r1;\nld.shared.u32 %r2, [%r1];\nst.shared.u32 [%r1], 77;\n" STORE(
                 "%r2")),
         .grid = {40}, .block = {64});
    EACH(40 * 64, 0);
}

static void local_memory_does_not_leak_from_thread_to_thread(void **state) {
    (void)state;
    PLAY(.text = KERNEL(".local .align 4 .b8 l[64];\nld.local.u32 %r2, [l+60];\nst.local.u32 [l+60], 77;\n" STORE("%r2")),
         .grid = {20}, .block = {96});
    EACH(20 * 96, 0);
}

static void shared_memory_is_fresh_in_every_launch(void **state) {
    (void)state;
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m = play_load(
        h, "t.ptx", MODULE(".shared .u32 word;\n", "ld.shared.u32 %r1, [word];\nst.shared.u32 [word], 5;\n" STORE("%r1")));
    uint64_t out = heddle_alloc(h, 4);
    struct heddle_result r;
    uint32_t got = 1;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(play_launch(h, m, &(struct play){0}, out, &r), HEDDLE_OK);
        assert_int_equal(heddle_read(h, out, &got, 4), HEDDLE_OK);
        assert_int_equal(got, 0);
    }
    heddle_close(h);
}

static void every_thread_has_its_own_local_array(void **state) {
    (void)state;
    /* fills l[j] = tid * j through a local pointer, then sums l[tid % 8] and l[7 - tid % 8] read back */
    PLAY(.text = KERNEL(".local .align 4 .b8 l[32];\nmov.u64 %rd1, l;\nmov.u32 %r1, 0;\n"
                        "$fill:\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\nmul.lo.u32 %r2, %r1, %r0;\nst.local.u32 "
                        "[%rd2], %r2;\n"
                        "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 8;\n@%p0 bra $fill;\n"
                        "and.b32 %r3, %r0, 7;\nmul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd2, %rd1, %rd2;\nld.local.u32 %r4, [%rd2];\n"
                        "xor.b32 %r3, %r3, 7;\nmul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd2, %rd1, %rd2;\nld.local.u32 %r5, [%rd2];\n"
                        "mad.lo.u32 %r4, %r4, 1000, %r5;\n" STORE("%r4")),
         .grid = {2}, .block = {50});
    EACH(100, i % 50 * (i % 50 % 8) * 1000 + i % 50 * (7 - i % 50 % 8));
}

static void pointers_to_locals_go_into_functions(void **state) {
    (void)state;
    /* sum(p, n): recursive, with a local of its own in every call, which it hands down */
    PLAY(.text = MODULE(
             ".func sum(.param .b64 p, .param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %a, %b;\n.reg .b64 %x, %y;\n.local .align 4 "
             ".u32 mine;\n"
             "ld.param.b64 %x, [p];\nld.param.b32 %a, [n];\nsetp.eq.u32 %q, %a, 0;\n@%q ret;\n"
             "st.local.u32 [mine], 0;\nmov.u64 %y, mine;\ncvta.local.u64 %y, %y;\nsub.u32 %b, %a, 1;\n"
             "{\n.param .b64 x0;\n.param .b32 x1;\nst.param.b64 [x0], %y;\nst.param.b32 [x1], %b;\ncall sum, (x0, x1);\n}\n"
             "ld.local.u32 %b, [mine];\nadd.u32 %b, %b, %a;\nst.u32 [%x], %b;\nret;\n}\n",
             ".local .align 4 .u32 total;\nst.local.u32 [total], 0;\nmov.u64 %rd1, total;\ncvta.local.u64 %rd1, %rd1;\n"
             "{\n.param .b64 x0;\n.param .b32 x1;\nst.param.b64 [x0], %rd1;\nst.param.b32 [x1], %r0;\ncall sum, (x0, x1);\n}\n"
             "ld.local.u32 %r1, [total];\n" STORE("%r1")),
         .block = {40});
    EACH(40, i * (i + 1) / 2);
}

static void structures_go_into_functions_by_value(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 s[16])\n{\n.reg .b64 %a, %b;\n"
             "ld.param.b64 %a, [s];\nld.param.b64 %b, [s+8];\nst.param.b64 [r], %b;\nst.param.b64 [r+8], %a;\nret;\n}\n",
             "cvt.u64.u32 %rd1, %r0;\nadd.u64 %rd2, %rd1, 1000;\n"
             "{\n.param .align 8 .b8 x[16];\n.param .align 8 .b8 y[16];\nst.param.b64 [x], %rd1;\nst.param.b64 [x+8], %rd2;\n"
             "call (y), swap, (x);\nld.param.b64 %rd3, [y];\nld.param.b64 %rd4, [y+8];\n}\n"
             "mul.lo.u64 %rd3, %rd3, 100000;\nadd.u64 %rd3, %rd3, %rd4;\ncvt.u32.u64 %r1, %rd3;\n" STORE("%r1")),
         .block = {33});
    EACH(33, (i + 1000) * 100000 + i);
}

static void constants_are_read_at_a_different_place_in_every_lane(void **state) {
    (void)state;
    PLAY(.text = MODULE(".const .align 4 .u32 table[8] = {3, 1, 4, 1, 5, 9, 2, 6};\n",
                        "rem.u32 %r1, %r0, 8;\nmul.wide.u32 %rd1, %r1, 4;\nmov.u64 %rd2, table;\nadd.u64 %rd1, %rd1, %rd2;\n"
                        "ld.const.u32 %r2, [%rd1];\nld.const.u32 %r3, [table+20];\nmad.lo.u32 %r2, %r3, 10, %r2;\n" STORE("%r2")),
         .block = {32});
    static const uint32_t table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
    EACH(32, 90 + table[i % 8]);
}

#define DYNAMIC(offset)                                                                                                          \
    MODULE(".shared .align 4 .u32 fixed[3];\n.extern .shared .align 16 .b8 dynamic[];\n",                                        \
           "mov.u32 %r1, dynamic;\nmov.u32 %r2, fixed;\nst.shared.u32 [%r2+8], 5;\nst.shared.u8 [%r1+" offset "], 7; // here\n"  \
           "ld.shared.u32 %r3, [%r2+8];\nand.b32 %r4, %r1, 15;\nmad.lo.u32 %r3, %r4, 100, %r3;\n"                                \
           "mov.u32 %r5, %dynamic_smem_size;\nmad.lo.u32 %r3, %r5, 10000, %r3;\n" STORE("%r3"))

static void dynamic_shared_memory_has_the_size_of_the_launch(void **state) {
    (void)state;
    PLAY(.text = DYNAMIC("99"), .dynamic_shared_b = 100);
    assert_int_equal(played.out[0], 100 * 10000 + 5);
    FAULT("shared", "thread (0,0,0)", .text = DYNAMIC("100"), .dynamic_shared_b = 100);
}

static void dynamic_shared_memory_is_aligned_as_declared(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             ".shared .align 1 .b8 odd[5];\n.extern .shared .align 128 .b8 wide[];\n.extern .shared .align 4 .b8 narrow[];\n",
             "mov.u32 %r1, odd;\nst.shared.u8 [%r1+4], 1;\nmov.u32 %r2, wide;\nmov.u32 %r3, narrow;\nsub.u32 %r3, %r3, %r2;\n"
             "and.b32 %r4, %r2, 127;\nadd.u32 %r3, %r3, %r4;\nst.shared.u32 [%r2+60], 1;\n" STORE("%r3")),
         .dynamic_shared_b = 64);
    assert_int_equal(played.out[0], 0);
}

/* --- atomics and heap */

static void atomics_of_many_blocks_add_up(void **state) {
    (void)state;
    PLAY(.text = KERNEL("mov.u32 %r1, %ctaid.x;\nadd.u32 %r2, %r0, %r1;\nred.global.add.u32 [%rd0], %r2;\natom.global.max.s32 "
                        "%r3, [%rd0+4], %r2;\n"
                        "red.global.or.b32 [%rd0+8], %r2;\natom.global.inc.u32 %r3, [%rd0+12], 99;\natom.global.xor.b32 %r3, "
                        "[%rd0+16], %r0;\n"
                        "cvt.u64.u32 %rd1, %r2;\nshl.b64 %rd1, %rd1, 30;\nred.global.add.u64 [%rd0+24], %rd1;\n"
                        "red.global.min.s32 [%rd0+32], -3;\ncvt.rn.f32.u32 %f0, %r2;\nred.global.add.f32 [%rd0+36], %f0;\n"),
         .grid = {50}, .block = {70});
    uint64_t sum = 70 * 1225 + 50 * 2415, wide = sum << 30;
    assert_int_equal(played.out[0], sum);
    assert_int_equal(played.out[1], 49 + 69);
    assert_int_equal(played.out[2], 127);
    assert_int_equal(played.out[3], 3500 % 100);
    assert_int_equal(played.out[4], 0);
    assert_int_equal(played.out[6], (uint32_t)wide);
    assert_int_equal(played.out[7], wide >> 32);
    assert_int_equal(played.out[8], (uint32_t)-3);
    float f;
    memcpy(&f, &played.out[9], 4);
    assert_true(f == (float)sum);
}

static void atomics_of_lanes_on_one_word_are_one_after_the_other(void **state) {
    (void)state;
    /* every thread gets a ticket of its own; the ticket's slot remembers it */
    PLAY(.text = MODULE(".shared .u32 next;\n",
                        "atom.shared.add.u32 %r1, [next], 1;\nmul.wide.u32 %rd1, %r1, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"
                        "atom.global.add.u32 %r2, [%rd1], 1;\natom.global.add.u32 %r2, [%rd1+1024], %r0;\n"),
         .block = {100});
    uint32_t sum = 0;
    EACH(100, 1);
    for (uint32_t i = 0; i < 100; i++) sum += played.out[256 + i];
    assert_int_equal(sum, 4950);
}

static void a_compare_and_swap_loop_builds_any_atomic(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "ld.global.u32 %r1, [%rd0];\n$again:\nmad.lo.u32 %r2, %r1, 1, 3;\natom.global.cas.b32 %r3, [%rd0], %r1, %r2;\n"
             "setp.ne.u32 %p0, %r3, %r1;\nmov.u32 %r1, %r3;\n@%p0 bra $again;\n"),
         .grid = {5}, .block = {64});
    assert_int_equal(played.out[0], 3 * 320);
}

#define HEAP ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
#define MALLOC(into, bytes)                                                                                                      \
    "{\n.param .b64 n;\n.param .b64 p;\nst.param.b64 [n], " bytes ";\ncall (p), malloc, (n);\nld.param.b64 " into ", [p];\n}\n"
#define FREE(p) "{\n.param .b64 q;\nst.param.b64 [q], " p ";\ncall free, (q); // here\n}\n"

static void every_thread_gets_its_own_heap_block(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             HEAP, MALLOC("%rd1", "40") "st.u32 [%rd1], %r0;\nst.u32 [%rd1+36], %r0;\nbar.sync 0;\n"
                                        "ld.u32 %r1, [%rd1];\nld.u32 %r2, [%rd1+36];\nadd.u32 %r1, %r1, %r2;\n"
                                        "and.b64 %rd2, %rd1, 15;\ncvt.u32.u64 %r3, %rd2;\nadd.u32 %r1, %r1, %r3;\n" FREE("%rd1")
                                            STORE("%r1")),
         .grid = {2}, .block = {64});
    EACH(128, 2 * (i % 64));
}

static void freeing_null_and_nothing_is_fine(void **state) {
    (void)state;
    PLAY(.text = MODULE(HEAP, FREE("0") MALLOC("%rd1", "0") FREE("%rd1") "mov.u32 %r1, 1;\n" STORE("%r1")));
    assert_int_equal(played.out[0], 1);
}

static void heap_misuse_is_a_fault(void **state) {
    (void)state;
    FAULT("free", "thread (0,0,0)",
          .text =
              MODULE(HEAP, MALLOC("%rd1", "40") "{\n.param .b64 q;\nst.param.b64 [q], %rd1;\ncall free, (q);\n}\n" FREE("%rd1")));
    FAULT("free", "thread (0,0,0)", .text = MODULE(HEAP, MALLOC("%rd1", "40") "add.u64 %rd1, %rd1, 8;\n" FREE("%rd1")));
    FAULT("free", "thread (0,0,0)", .text = MODULE(HEAP, "mov.u64 %rd1, 0x1234;\n" FREE("%rd1")));
    FAULT("free", "thread (0,0,0)", .text = MODULE(HEAP, FREE("%rd0"))); /* the host's */
    FAULT(
        "freed", "thread (0,0,0)",
        .text = MODULE(
            HEAP, MALLOC("%rd1",
                         "40") "{\n.param .b64 q;\nst.param.b64 [q], %rd1;\ncall free, (q);\n}\nld.u32 %r1, [%rd1]; // here\n"));
    FAULT("40-byte", "thread (0,0,0)", .text = MODULE(HEAP, MALLOC("%rd1", "40") "st.u32 [%rd1+40], 1; // here\n"));
}

/* --- printf */

#define VPRINTF ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
#define PRINTF(format)                                                                                                           \
    "mov.u64 %rd20, " format ";\ncvta.global.u64 %rd20, %rd20;\nmov.u64 %rd21, args;\ncvta.local.u64 %rd21, %rd21;\n"            \
    "{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], %rd20;\nst.param.b64 [a], %rd21;\ncall (r), vprintf, " \
    "(f, a);\n"                                                                                                                  \
    "ld.param.b32 %r29, [r];\n}\n"

/* A module variable that holds a text */
static void text_variable(FILE *o, const char *name, const char *text) {
    fprintf(o, ".global .align 1 .b8 %s[%zu] = {", name, strlen(text) + 1);
    for (const char *c = text; *c; c++) fprintf(o, "%d, ", *c);
    fputs("0};\n", o);
}

/* Runs a kernel whose module has a text `format` (and `word`), and returns what the program printed */
static const char *printed(const char *format, const char *word, const char *body, uint32_t grid, uint32_t block) {
    char *text;
    size_t len;
    FILE *o = open_memstream(&text, &len), *to = tmpfile();
    fputs(PTX_HEAD("sm_80") VPRINTF, o);
    text_variable(o, "format", format);
    text_variable(o, "word", word);
    fprintf(o, "%s.local .align 8 .b8 args[96];\n%s%s%s", KERNEL_OPEN, body, PRINTF("format"), KERNEL_CLOSE);
    fclose(o);
    PLAY(.text = text, .grid = {grid}, .block = {block}, .options = {.program_out = to});
    free(text);
    const char *result = play_text(to);
    fclose(to);
    return result;
}

static void assert_printed(const char *format, const char *body, const char *want) {
    const char *got = printed(format, "warp", body, 1, 1);
    if (strcmp(got, want)) fail_msg("\"%s\" printed \"%s\", expected \"%s\"", format, got, want);
}

static void printf_has_the_conversions_of_c(void **state) {
    (void)state;
#define WORD(at, value) "mov.u32 %r1, " value ";\nst.local.u32 [args+" at "], %r1;\n"
#define LONG(at, value) "mov.u64 %rd1, " value ";\nst.local.u64 [args+" at "], %rd1;\n"
#define REAL(at, value) "mov.f64 %d1, " value ";\nst.local.f64 [args+" at "], %d1;\n"
    assert_printed("plain\n", "", "plain\n");
    assert_printed("100%%\n", "", "100%\n");
    assert_printed("%d %i %u|", WORD("0", "-5") WORD("4", "7") WORD("8", "-1"), "-5 7 4294967295|");
    assert_printed("%x %X %#x %o", WORD("0", "0xbeef") WORD("4", "0xbeef") WORD("8", "0xbeef") WORD("12", "64"),
                   "beef BEEF 0xbeef 100");
    assert_printed("[%5d|%-5d|%05d|%+d|% d]", WORD("0", "42") WORD("4", "42") WORD("8", "42") WORD("12", "42") WORD("16", "42"),
                   "[   42|42   |00042|+42| 42]");
    assert_printed("[%*d|%-*d]", WORD("0", "6") WORD("4", "42") WORD("8", "4") WORD("12", "7"), "[    42|7   ]");
    assert_printed("[%.*f]", WORD("0", "3") REAL("8", "0d400921FB54442D18"), "[3.142]");
    assert_printed("%lld %llu %llx", LONG("0", "-5000000000") LONG("8", "-1") LONG("16", "0x123456789AB"),
                   "-5000000000 18446744073709551615 123456789ab");
    assert_printed("%d %lld %d", WORD("0", "1") LONG("8", "2") WORD("16", "3"), "1 2 3"); /* 64-bit values are aligned */
    assert_printed("%ld %lu", LONG("0", "-6000000000") LONG("8", "6000000000"), "-6000000000 6000000000");
    assert_printed("%f %.2f %e %g %8.3f",
                   REAL("0", "1.5") REAL("8", "2.005859375") REAL("16", "12345.678") REAL("24", "0.0001") REAL("32", "-1.0"),
                   "1.500000 2.01 1.234568e+04 0.0001   -1.000");
    assert_printed("%a %E %G", REAL("0", "1.0") REAL("8", "0.5") REAL("16", "1e-10"), "0x1p+0 5.000000E-01 1E-10");
    assert_printed("%c%c%c", WORD("0", "104") WORD("4", "105") WORD("8", "33"), "hi!");
    assert_printed("[%s|%6s|%-6s|%.2s]",
                   "mov.u64 %rd1, word;\ncvta.global.u64 %rd1, %rd1;\nst.local.u64 [args], %rd1;\nst.local.u64 [args+8], %rd1;\n"
                   "st.local.u64 [args+16], %rd1;\nst.local.u64 [args+24], %rd1;\n",
                   "[warp|  warp|warp  |wa]");
}

static void printf_comes_in_the_order_of_the_threads(void **state) {
    (void)state;
    const char *got = printed("%d.%d ", "", "mov.u32 %r1, %ctaid.x;\nst.local.v2.u32 [args], {%r1, %r0};\n", 2, 40);
    char want[2048] = "";
    for (int b = 0; b < 2; b++)
        for (int t = 0; t < 40; t++) sprintf(want + strlen(want), "%d.%d ", b, t);
    assert_string_equal(got, want);
}

static void printf_happens_once_per_thread_and_time(void **state) {
    (void)state;
    const char *got =
        printed("%d,", "", "mov.u32 %r2, 0;\nsetp.lt.u32 %p0, %r0, 2;\n@%p0 exit;\nst.local.u32 [args], %r0;\n", 1, 4);
    assert_string_equal(got, "2,3,");
}

/* --- the same again */

static void a_run_repeats_to_the_last_bit(void **state) {
    (void)state;
    /* races on purpose: blocks, warps and lanes grab tickets and overwrite each other's words */
    const char *racy = KERNEL(
        "mov.u32 %r1, %ctaid.x;\natom.global.add.u32 %r2, [%rd0+8192], 1;\nmad.lo.u32 %r3, %r1, 1000, %r0;\n"
        "mul.wide.u32 %rd1, %r2, 4;\nadd.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r3;\nst.global.u32 [%rd0+8196], %r3;\n"
        "$try:\natom.global.cas.b32 %r4, [%rd0+8200], 0, 1;\nsetp.ne.u32 %p0, %r4, 0;\n@%p0 bra $try;\n"
        "ld.volatile.global.u32 %r5, [%rd0+8204];\nmad.lo.u32 %r5, %r5, 31, %r3;\nst.volatile.global.u32 [%rd0+8204], %r5;\n"
        "membar.gl;\nst.volatile.global.u32 [%rd0+8200], 0;\n");
    static struct played first;
    static char trace[PLAY_FILE_TEXT];
    for (int round = 0; round < 2; round++) {
        FILE *f = tmpfile();
        PLAY(.text = racy, .grid = {6}, .block = {50}, .options = {.trace = f});
        played.r.wall_seconds = 0;
        if (!round) {
            first = played;
            strcpy(trace, play_text(f));
        } else {
            assert_memory_equal(played.out, first.out, sizeof first.out);
            assert_memory_equal(&played.r, &first.r, sizeof first.r);
            assert_string_equal(play_text(f), trace);
        }
        fclose(f);
    }
    assert_int_equal(first.out[2048], 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_know_where_they_are),
        cmocka_unit_test(lanes_follow_the_linear_thread_id),
        cmocka_unit_test(lane_masks_as_special_registers),
        cmocka_unit_test(every_warp_size_gives_the_same_memory),
        cmocka_unit_test(generic_addresses_reach_every_space),
        cmocka_unit_test(isspacep_tells_windows_apart),
        cmocka_unit_test(narrow_loads_extend_and_narrow_stores_cut),
        cmocka_unit_test(vectors_move_whole_elements),
        cmocka_unit_test(one_of_several_stores_to_a_word_wins),
        cmocka_unit_test(shared_memory_does_not_leak_from_block_to_block),
        cmocka_unit_test(local_memory_does_not_leak_from_thread_to_thread),
        cmocka_unit_test(shared_memory_is_fresh_in_every_launch),
        cmocka_unit_test(every_thread_has_its_own_local_array),
        cmocka_unit_test(pointers_to_locals_go_into_functions),
        cmocka_unit_test(structures_go_into_functions_by_value),
        cmocka_unit_test(constants_are_read_at_a_different_place_in_every_lane),
        cmocka_unit_test(dynamic_shared_memory_has_the_size_of_the_launch),
        cmocka_unit_test(dynamic_shared_memory_is_aligned_as_declared),
        cmocka_unit_test(atomics_of_many_blocks_add_up),
        cmocka_unit_test(atomics_of_lanes_on_one_word_are_one_after_the_other),
        cmocka_unit_test(a_compare_and_swap_loop_builds_any_atomic),
        cmocka_unit_test(every_thread_gets_its_own_heap_block),
        cmocka_unit_test(freeing_null_and_nothing_is_fine),
        cmocka_unit_test(heap_misuse_is_a_fault),
        cmocka_unit_test(printf_has_the_conversions_of_c),
        cmocka_unit_test(printf_comes_in_the_order_of_the_threads),
        cmocka_unit_test(printf_happens_once_per_thread_and_time),
        cmocka_unit_test(a_run_repeats_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
