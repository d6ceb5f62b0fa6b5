/* What a kernel can do wrong while it runs. Each mistake ends the launch with HEDDLE_FAULT and a diagnosis
 * that names the kernel, the block, the thread and the line, and leaves the context as good as new
 * (play_fault checks all of that). */
#include "play.h"

#define FIRST "thread (0,0,0)"

/* --- wild accesses */

static void reads_and_writes_outside_every_allocation(void **state) {
    (void)state;
    FAULT("outside every allocation", FIRST, .text = KERNEL("mov.u64 %rd1, 0x7000000000;\nld.global.u32 %r1, [%rd1]; // here\n"));
    FAULT("outside every allocation", FIRST, .text = KERNEL("mov.u64 %rd1, 0x7000000000;\nst.global.u32 [%rd1], 1; // here\n"));
    FAULT("outside every allocation", FIRST,
          .text = KERNEL("mov.u64 %rd1, 0x7000000000;\natom.global.add.u32 %r1, [%rd1], 1; // here\n"));
    FAULT("outside every allocation", FIRST,
          .text = KERNEL("mov.u64 %rd1, 0x7000000000;\nred.global.add.u32 [%rd1], 1; // here\n"));
    FAULT("", FIRST, .text = KERNEL("mov.u64 %rd1, -4;\nld.u32 %r1, [%rd1]; // here\n")); /* the last word of the address space */
}

static void null_is_named(void **state) {
    (void)state;
    FAULT("0x0", FIRST, .text = KERNEL("mov.u64 %rd1, 0;\nld.global.u32 %r1, [%rd1]; // here\n"));
    FAULT("0x0", FIRST, .text = KERNEL("mov.u64 %rd1, 0;\nst.u32 [%rd1], 5; // here\n"));
}

static void the_offending_thread_is_named(void **state) {
    (void)state;
    /* thread (3,5) of block (1,2) of the grid walks off */
    FAULT("just past the end", "thread (3,5,0)",
          .text = KERNEL("mov.u32 %r1, %tid.y;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ctaid.y;\nsetp.ne.u32 %p0, %r0, "
                         "3;\nsetp.ne.u32 %p1, %r1, 5;\n"
                         "setp.ne.u32 %p2, %r2, 1;\nsetp.ne.u32 %p3, %r3, 2;\nor.pred %p0, %p0, %p1;\nor.pred %p0, %p0, "
                         "%p2;\nor.pred %p0, %p0, %p3;\n"
                         "@%p0 bra $end;\nst.global.u32 [%rd0+64], 1; // here\n$end:\n"),
          .grid = {2, 3}, .block = {8, 8}, .words = 16);
    if (!strstr(played.message, "block (1,2,0)")) fail_msg("no block (1,2,0) in:\n%s", played.message);
}

static void one_past_the_end_in_every_width(void **state) {
    (void)state;
    FAULT("just past the end", FIRST, .text = KERNEL("ld.global.u8 %r1, [%rd0+40]; // here\n"), .words = 10);
    FAULT("", FIRST, .text = KERNEL("ld.global.u64 %rd1, [%rd0+40]; // here\n"), .words = 10);
    FAULT("", FIRST, .text = KERNEL("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+32]; // here\n"),
          .words = 10); /* half of it inside */
    FAULT("", FIRST, .text = KERNEL("st.global.v2.u64 [%rd0+32], {%rd1, %rd1}; // here\n"), .words = 10);
    PLAY(.text = KERNEL(
             "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+16];\nld.global.u8 %r1, [%rd0+39];\nst.global.u64 [%rd0+32], %rd1;\n"),
         .words = 10);
}

static void only_one_lane_of_a_warp_is_off(void **state) {
    (void)state;
    FAULT("just past the end", "thread (31,0,0)",
          .text = KERNEL("mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\nld.global.u32 %r1, [%rd1+4]; // here\n"),
          .block = {32}, .words = 32);
    FAULT("outside every allocation", "thread (0,0,0)",
          .text = KERNEL("mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1+-4], 1; // here\n"),
          .block = {32}, .words = 32);
}

static void guarded_lanes_do_not_fault(void **state) {
    (void)state;
    PLAY(.text = KERNEL("mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\nsetp.lt.u32 %p0, %r0, 10;\n@%p0 st.global.u32 "
                        "[%rd1], 1;\n@%p0 ld.global.u32 %r1, [%rd1];\n"
                        "@%p0 red.global.add.u32 [%rd1], 1;\n"),
         .block = {64}, .words = 10);
    EACH(10, 2);
}

static void misaligned_accesses(void **state) {
    (void)state;
    FAULT("not a multiple of 4", FIRST, .text = KERNEL("ld.global.u32 %r1, [%rd0+2]; // here\n"));
    FAULT("not a multiple of 8", FIRST, .text = KERNEL("st.global.v2.u32 [%rd0+4], {%r1, %r1}; // here\n"));
    FAULT("not a multiple of 16", FIRST, .text = KERNEL("ld.global.v2.u64 {%rd1, %rd2}, [%rd0+8]; // here\n"));
    FAULT("not a multiple of 8", FIRST, .text = KERNEL("atom.global.add.u64 %rd1, [%rd0+4], 1; // here\n"));
    FAULT("not a multiple of 2", FIRST, .text = MODULE(".shared .align 4 .u32 s[4];\n", "st.shared.u16 [s+1], %h1; // here\n"));
    FAULT("not a multiple of 4", FIRST, .text = KERNEL(".local .align 4 .b8 l[16];\nld.local.u32 %r1, [l+6]; // here\n"));
}

/* --- spaces */

static void shared_and_local_overruns(void **state) {
    (void)state;
    FAULT("shared", FIRST,
          .text = MODULE(".shared .align 4 .u32 s[25];\n", "mov.u32 %r1, s;\nst.shared.u32 [%r1+100], 5; // here\n"));
    FAULT("shared", FIRST,
          .text = MODULE(".shared .align 4 .u32 s[25];\n", "mov.u32 %r1, s;\nld.shared.u32 %r1, [%r1+-4]; // here\n"));
    FAULT("shared", FIRST,
          .text = MODULE(".shared .align 4 .u32 s[25];\n", "mov.u32 %r1, s;\natom.shared.add.u32 %r1, [%r1+4096], 1; // here\n"));
    FAULT("shared", FIRST, .text = KERNEL("mov.u32 %r1, 0;\nld.shared.u32 %r1, [%r1]; // here\n")); /* there is none */
    FAULT("shared", FIRST,
          .text = MODULE(".shared .align 4 .u32 s[25];\n",
                         "mov.u64 %rd1, s;\ncvta.shared.u64 %rd1, %rd1;\nst.u32 [%rd1+100], 5; // here\n"));
    FAULT("local", FIRST, .text = KERNEL(".local .align 4 .b8 l[32];\nmov.u64 %rd1, l;\nst.local.u32 [%rd1+32], 5; // here\n"));
    FAULT("local", FIRST,
          .text = KERNEL(
              ".local .align 4 .b8 l[32];\nmov.u64 %rd1, l;\ncvta.local.u64 %rd1, %rd1;\nld.u32 %r1, [%rd1+32]; // here\n"));
}

static void constants_and_parameters_cannot_be_written(void **state) {
    (void)state;
    FAULT("constant", FIRST,
          .text = MODULE(".const .u32 c = 1;\n", "mov.u64 %rd1, c;\ncvta.const.u64 %rd1, %rd1;\nst.u32 [%rd1], 5; // here\n"));
    FAULT("constant", FIRST,
          .text = MODULE(".const .u32 c = 1;\n",
                         "mov.u64 %rd1, c;\ncvta.const.u64 %rd1, %rd1;\natom.add.u32 %r1, [%rd1], 5; // here\n"));
    FAULT("param", FIRST, .text = KERNEL("mov.b64 %rd1, out;\ncvta.param.u64 %rd1, %rd1;\nst.u32 [%rd1], 5; // here\n"));
}

static void parameters_cannot_be_read_past_their_end(void **state) {
    (void)state;
    FAULT("param", FIRST, .text = KERNEL("mov.b64 %rd1, out;\ncvta.param.u64 %rd1, %rd1;\nld.u32 %r1, [%rd1+512]; // here\n"));
}

/* --- stops */

static void trap_and_assert(void **state) {
    (void)state;
    FAULT("trap", "thread (7,0,0)", .text = KERNEL("setp.ne.u32 %p0, %r0, 7;\n@%p0 bra $end;\ntrap; // here\n$end:\n"),
          .block = {32});
    FAULT("trap", "thread (9,0,0)", .text = KERNEL("setp.eq.u32 %p0, %r0, 9;\n@%p0 trap; // here\n"), .block = {32});
    FAULT("x < 3", FIRST,
          .text = MODULE(
              ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n"
              ".global .align 1 .b8 text[6] = {120, 32, 60, 32, 51, 0};\n.global .align 1 .b8 file[4] = {97, 46, 99, 0};\n",
              "mov.u64 %rd1, text;\ncvta.global.u64 %rd1, %rd1;\nmov.u64 %rd2, file;\ncvta.global.u64 %rd2, %rd2;\n"
              "{\n.param .b64 m;\n.param .b64 f;\n.param .b32 l;\n.param .b64 n;\n.param .b64 s;\nst.param.b64 [m], "
              "%rd1;\nst.param.b64 [f], %rd2;\n"
              "st.param.b32 [l], 33;\nst.param.b64 [n], %rd2;\nst.param.b64 [s], 1;\ncall __assertfail, (m, f, l, n, s); // "
              "here\n}\n"));
    if (!strstr(played.message, "a.c:33")) fail_msg("no a.c:33 in:\n%s", played.message);
}

static void an_endless_loop_meets_the_limit(void **state) {
    (void)state;
    FAULT("limit of 5000", "lanes 0xffff", .text = KERNEL("$loop:\nadd.u32 %r1, %r1, 1;\nbra $loop;\n"), .block = {16},
          .options = {.max_instructions = 5000});
    FAULT("limit of 5000", "lanes 0xff00",
          .text = KERNEL("setp.lt.u32 %p0, %r0, 8;\n@%p0 bra $end;\n$loop:\nbra $loop; // here\n$end:\n"), .block = {16},
          .options = {.max_instructions = 5000});
}

static void the_limit_is_of_one_launch(void **state) {
    (void)state;
    struct heddle_options opt = {.max_instructions = 100};
    struct heddle *h = heddle_open(&opt);
    struct heddle_module *m = play_load(h, "t.ptx", KERNEL("add.u32 %r1, %r0, 1;\n")); /* 4 instructions */
    struct heddle_result r;
    for (int i = 0; i < 50; i++) assert_int_equal(play_launch(h, m, &(struct play){.grid = {20}}, 0, &r), HEDDLE_OK);
    assert_int_equal(play_launch(h, m, &(struct play){.grid = {200}}, 0, &r), HEDDLE_FAULT);
    heddle_close(h);
}

static void calls_have_a_deepest_level(void **state) {
    (void)state;
    FAULT("recursion", FIRST, .text = MODULE(".func f()\n{\ncall f; // here\nret;\n}\n", "call f;\n"));
    FAULT(
        "recursion", "thread (4,0,0)", /* one lane only */
        .text = MODULE(
            ".func f(.param .b32 x)\n{\n.reg .b32 %v;\n.reg .pred %q;\nld.param.b32 %v, [x];\nsetp.ne.u32 %q, %v, 4;\n@%q ret;\n"
            "{\n.param .b32 y;\nst.param.b32 [y], %v;\ncall f, (y); // here\n}\nret;\n}\n",
            "{\n.param .b32 x;\nst.param.b32 [x], %r0;\ncall f, (x);\n}\n"),
        .block = {32});
}

static void indirect_calls_and_branches_to_nowhere(void **state) {
    (void)state;
    FAULT("0x1234", FIRST,
          .text = KERNEL("mov.u64 %rd1, 0x1234;\n$proto: .callprototype _ ();\ncall %rd1, (), $proto; // here\n"));
    FAULT("", FIRST, .text = KERNEL("mov.u64 %rd1, 0;\n$proto: .callprototype _ ();\ncall %rd1, (), $proto; // here\n"));
    FAULT("indirect call", FIRST, /* a function, but a word further */
          .text =
              MODULE(".func f()\n{\nret;\n}\n",
                     "mov.u64 %rd1, f;\nadd.u64 %rd1, %rd1, 8;\n$proto: .callprototype _ ();\ncall %rd1, (), $proto; // here\n"));
    FAULT("indirect call", FIRST, /* data */
          .text =
              MODULE(".global .u32 v;\n", "mov.u64 %rd1, v;\n$proto: .callprototype _ ();\ncall %rd1, (), $proto; // here\n"));
    FAULT("table of 2", "thread (2,0,0)", .text = KERNEL("$t: .branchtargets $a, $b;\nbrx.idx %r0, $t; // here\n$a:\n$b:\n"),
          .block = {8});
    FAULT("table of 2", FIRST,
          .text = KERNEL("mov.u32 %r1, -1;\n$t: .branchtargets $a, $b;\nbrx.idx %r1, $t; // here\n$a:\n$b:\n"));
}

static void an_indirect_call_of_a_function_with_another_signature(void **state) {
    (void)state;
    /* may be diagnosed or may run; it must not break anything of ours */
    play_any(&(struct play){.text = MODULE(".func (.param .b32 r) f(.param .b64 a, .param .b64 b)\n{\n.reg .b64 %x;\n.reg .b32 "
                                           "%y;\nld.param.b64 %x, [b];\ncvt.u32.u64 %y, %x;\n"
                                           "st.param.b32 [r], %y;\nret;\n}\n",
                                           "mov.u64 %rd1, f;\n$proto: .callprototype _ ();\ncall %rd1, (), $proto;\n")});
    assert_true(played.status == HEDDLE_OK || (played.status == HEDDLE_FAULT && played.survived));
}

/* --- barriers and masks */

static void barriers_that_are_never_complete(void **state) {
    (void)state;
    FAULT("barrier 1", "lanes 0xffffffff", .text = KERNEL("bar.sync 1, 64; // here\n"), .block = {32});
    FAULT("barrier 1", "lanes 0xffff0000",
          .text =
              KERNEL("setp.lt.u32 %p0, %r0, 16;\n@%p0 bra $low;\nbar.sync 1; // here\nbra $end;\n$low:\nbar.sync 2;\n$end:\n"),
          .block = {32});
    FAULT("barrier 0", "warp 0", /* warp 1 waits for ever elsewhere */
          .text =
              KERNEL("setp.lt.u32 %p0, %r0, 32;\n@%p0 bra $low;\nbar.sync 3;\nbra $end;\n$low:\nbar.sync 0; // here\n$end:\n"),
          .block = {64});
}

static void a_barrier_in_one_branch_of_a_warp(void **state) {
    (void)state;
    /* lanes 16 to 31 wait at the end of the if for lanes that wait for them at the barrier: the others come
     * by exiting */
    play_any(&(struct play){
        .text = KERNEL("setp.ge.u32 %p0, %r0, 16;\n@%p0 bra $end;\nbarrier.sync 0;\n$end:\nmov.u32 %r1, 4;\n" STORE("%r1")),
        .block = {32},
        .options = {.max_instructions = 100000}});
    assert_true(played.status == HEDDLE_OK || played.status == HEDDLE_FAULT);
    if (played.status == HEDDLE_OK) EACH(32, 4);
}

static void barriers_that_do_not_exist(void **state) {
    (void)state;
    FAULT("barrier 16", FIRST, .text = KERNEL("mov.u32 %r1, 16;\nbar.sync %r1; // here\n"), .block = {32});
    FAULT("barrier", FIRST, .text = KERNEL("mov.u32 %r1, -1;\nbar.sync %r1; // here\n"), .block = {32});
    FAULT("33", FIRST, .text = KERNEL("mov.u32 %r1, 33;\nbar.sync 0, %r1; // here\n"), .block = {64});
}

static void masks_that_do_not_name_the_lanes(void **state) {
    (void)state;
    FAULT("mask 0xff", "warp 0", .text = KERNEL("shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xff; // here\n"), .block = {32});
    FAULT("mask", "warp 0", .text = KERNEL("setp.eq.u32 %p0, %r0, 0;\nvote.sync.ballot.b32 %r1, %p0, 0; // here\n"),
          .block = {32});
    FAULT("mask", "warp 0", .text = KERNEL("bar.warp.sync 0xfffffffe; // here\n"), .block = {32});
    FAULT("", "lanes 0xff", /* the others never come: they wait at the barrier */
          .text = KERNEL(
              "setp.ge.u32 %p0, %r0, 8;\n@%p0 bra $end;\nshfl.sync.idx.b32 %r1, %r0, 0, 31, -1; // here\n$end:\nbar.sync 0;\n"),
          .block = {32});
}

/* --- what a fault leaves */

static void a_fault_stops_the_grid_where_it_is(void **state) {
    (void)state;
    /* block 1 faults; what block 0 wrote before is there, and the counts are of what ran */
    FAULT("trap", "block (1,0,0)",
          .text = KERNEL("mov.u32 %r1, 6;\n" STORE(
              "%r1") "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p0, %r2, 1;\nbar.sync 0;\n@%p0 trap; // here\n"),
          .grid = {100}, .block = {32});
    EACH(32, 6);
    assert_int_equal(played.out[99 * 32], 0);
    assert_in_range(played.r.warp_instructions, 2 * 12, 99 * 13);
}

static void program_output_before_a_fault_is_kept(void **state) {
    (void)state;
    FILE *f = tmpfile();
    FAULT("trap", "thread (0,0,0)",
          .text = MODULE(".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 text[4] = "
                         "{104, 105, 10, 0};\n",
                         "mov.u64 %rd1, text;\n{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], "
                         "%rd1;\nst.param.b64 [a], 0;\n"
                         "call (r), vprintf, (f, a);\n}\ntrap; // here\n"),
          .options = {.program_out = f});
    assert_string_equal(play_text(f), "hi\n");
    fclose(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes_outside_every_allocation),
        cmocka_unit_test(null_is_named),
        cmocka_unit_test(the_offending_thread_is_named),
        cmocka_unit_test(one_past_the_end_in_every_width),
        cmocka_unit_test(only_one_lane_of_a_warp_is_off),
        cmocka_unit_test(guarded_lanes_do_not_fault),
        cmocka_unit_test(misaligned_accesses),
        cmocka_unit_test(shared_and_local_overruns),
        cmocka_unit_test(constants_and_parameters_cannot_be_written),
        cmocka_unit_test(parameters_cannot_be_read_past_their_end),
        cmocka_unit_test(trap_and_assert),
        cmocka_unit_test(an_endless_loop_meets_the_limit),
        cmocka_unit_test(the_limit_is_of_one_launch),
        cmocka_unit_test(calls_have_a_deepest_level),
        cmocka_unit_test(indirect_calls_and_branches_to_nowhere),
        cmocka_unit_test(an_indirect_call_of_a_function_with_another_signature),
        cmocka_unit_test(barriers_that_are_never_complete),
        cmocka_unit_test(a_barrier_in_one_branch_of_a_warp),
        cmocka_unit_test(barriers_that_do_not_exist),
        cmocka_unit_test(masks_that_do_not_name_the_lanes),
        cmocka_unit_test(a_fault_stops_the_grid_where_it_is),
        cmocka_unit_test(program_output_before_a_fault_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
