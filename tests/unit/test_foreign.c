/* PTX that compilers of other years and people wrote, and the vendor's assembler takes: registers and local
 * memory of the whole module, prototypes without an end, narrow special registers, vectors as parameters,
 * sums and indices as operands, instructions of versions that left words out, kernels that need what is not
 * there. */
#include "play.h"

#define OLD_HEAD(version, target) ".version " version "\n.target " target "\n"

/* --- things of the module */

static void registers_of_the_module_are_shared_with_callees(void **state) {
    (void)state;
    /* `middle` does not name x, and passes it on; lanes disagree about the call; the predicate and the 64-bit
     * register travel too */
    PLAY(.text = MODULE(
             ".reg .u32 x;\n.reg .u64 %wide<3>;\n.reg .pred flag;\n.reg .v2 .u32 pair;\n"
             ".func add_one() { add.u32 x, x, 1; add.u64 %wide2, %wide2, 5; not.pred flag, flag; mov.u32 pair.y, x; ret; }\n"
             ".func middle() { .reg .u32 y; mov.u32 y, 7; call add_one, (); call add_one, (); ret; }\n",
             "mov.u32 x, %r0;\nmov.u64 %wide2, 100;\nsetp.eq.u32 flag, %r0, %r0;\nmov.u32 pair.x, 3;\nmov.u32 pair.y, 0;\n"
             "setp.lt.u32 %p1, %r0, 10;\n@%p1 call add_one, ();\n@!%p1 call middle, ();\ncvt.u32.u64 %r1, %wide2;\n"
             "mad.lo.u32 %r1, x, 1000, %r1;\n@flag add.u32 %r1, %r1, 500000;\nadd.u32 %r1, %r1, pair.x;\n"
             "mad.lo.u32 %r1, pair.y, 1000000, %r1;\n" STORE("%r1")),
         .block = {32});
    EACH(32, i < 10 ? (i + 1) * 1001000 + 105 + 3 : (i + 2) * 1001000 + 110 + 500000 + 3);
}

static void registers_of_the_module_are_each_kernels_own(void **state) {
    (void)state;
    PLAY(.text = MODULE(".reg .u32 %m<8>;\n.visible .entry other() { mov.u32 %m5, 1; ret; }\n",
                        "add.u32 %m5, %r0, 3;\n{\n.reg .u32 %m<3>;\nmov.u32 %m2, 9;\nadd.u32 %r1, %m2, %m5;\n}\n" STORE("%r1")),
         .block = {32});
    EACH(32, i + 12);
}

static void local_memory_of_the_module_is_each_threads_own(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             ".local .align 8 .u32 tab[4];\n"
             ".func add_one() { .local .u32 own; .reg .u32 a; .reg .u64 p; ld.local.u32 a, [tab+4]; add.u32 a, a, 1; "
             "st.local.u32 [own], a;\n"
             "  st.local.u32 [tab+4], a; mov.u64 p, tab; ld.local.u32 a, [p+8]; add.u32 a, a, 10; st.local.u32 [p+8], a; ret; "
             "}\n",
             ".local .u32 mine;\nst.local.u32 [mine], 77;\nst.local.u32 [tab+4], %r0;\nst.local.u32 [tab+8], 5;\n"
             "call add_one, ();\ncall add_one, ();\nld.local.u32 %r1, [tab+4];\nld.local.u32 %r2, [tab+8];\n"
             "ld.local.u32 %r3, [mine];\nmad.lo.u32 %r1, %r1, 1000, %r2;\nmad.lo.u32 %r1, %r3, 1000000, %r1;\n" STORE("%r1")),
         .block = {64});
    EACH(64, 77000000 + (i + 2) * 1000 + 25);
}

static void prototypes_end_where_the_next_directive_begins(void **state) {
    (void)state;
    PLAY(.text = MODULE(".extern .func (.param .u32 y) nowhere(.param .u32 x)\n.extern .func gone()\n.global .u32 g;\n"
                        ".func (.param .u32 y) twice(.param .u32 x)\n.func never() .noreturn\n.shared .u32 s;\n"
                        ".func (.param .u32 y) twice(.param .u32 x) { .reg .u32 a; ld.param.u32 a, [x]; add.u32 a, a, a; "
                        "st.param.u32 [y], a; ret; }\n",
                        "{\n.param .u32 a;\n.param .u32 b;\nst.param.u32 [a], %r0;\ncall (b), twice, (a);\nld.param.u32 %r1, "
                        "[b];\n}\n" STORE("%r1") "ret;\n}\n.extern .func last()\n.visible .entry tail() {\n"),
         .block = {32});
    EACH(32, 2 * i);
}

/* --- operands */

static void special_registers_are_read_in_the_widths_they_had(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "mov.u16 %h1, %tid.x;\nmov.s16 %h2, %ntid.x;\nmov.b16 %h3, %ctaid.x;\nmov.u16 %h4, %nctaid.x;\n"
             "mov.v4.u16 {%h5, %h6, %h7, _}, %ntid;\nmov.u32 %r5, %gridid;\nmov.u16 %h8, %gridid;\n"
             "cvt.u32.u16 %r1, %tid.x;\ncvt.u32.u64 %r6, %clock64;\ncvt.u16.u32 %h9, %ctaid.x;\ncvt.u64.u16 %rd1, %ntid.x;\n"
             "setp.lt.u32 %p1, %r0, 16;\nmov.u16 %h10, 9;\n@%p1 mov.u16 %h10, %tid.x;\n"
             "cvt.u32.u16 %r2, %h10;\nmul.wide.u16 %r3, %h3, %h2;\ncvt.u32.u16 %r4, %h1;\nadd.u32 %r3, %r3, %r4;\n"
             "sub.u32 %r1, %r1, %r4;\nadd.u32 %r3, %r3, %r1;\ncvt.u32.u16 %r4, %h4;\nmad.lo.u32 %r3, %r4, 1000, %r3;\n"
             "cvt.u32.u16 %r4, %h5;\nmad.lo.u32 %r3, %r4, 10000, %r3;\nmad.lo.u32 %r3, %r2, 10000000, %r3;\n" STORE("%r3")),
         .grid = {3}, .block = {32});
    EACH(96, i + 3000 + 320000 + (i % 32 < 16 ? i % 32 : 9) * 10000000);
}

static void vector_registers_are_passed_whole(void **state) {
    (void)state;
    PLAY(.text =
             MODULE(".func (.reg .v2 .u32 sums, .reg .u32 all) add(.reg .v4 .u32 v, .reg .u32 w)\n{\n"
                    "    add.u32 sums.x, v.x, v.y;\n    add.u32 sums.y, v.z, v.w;\n    add.u32 all, sums.x, sums.y;\n    add.u32 "
                    "all, all, w;\n    ret;\n}\n",
                    ".reg .v4 .u32 a;\n.reg .v2 .u32 b;\nmov.v4.u32 a, {%r0, 10, 200, 3000};\ncall (b, %r1), add, (a, 40000);\n"
                    "mad.lo.u32 %r1, b.x, 100000, %r1;\nmad.lo.u32 %r1, b.y, 10000000, %r1;\n" STORE("%r1")),
         .block = {8});
    EACH(8, 43210 + i + (10 + i) * 100000 + 3200u * 10000000u);
}

static void sums_of_a_register_and_a_constant_are_operands(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "mov.u32 %r1, %r0+4;\nadd.u32 %r1, %r1+1, %r0+-2;\ncvt.u64.u32 %rd1, %r0+3;\nmov.u16 %h1, 65535;\n"
             "cvt.u32.u16 %r3, %h1+2;\nsetp.lt.u32 %p1, %r0+4, 8;\nselp.u32 %r4, 1000, 0, %p1;\nmov.u64 %rd2, %rd1+0x100000000;\n"
             "shr.u64 %rd2, %rd2, 32;\ncvt.u32.u64 %r5, %rd2;\nmad.lo.u32 %r1, %r1, 100, %r3;\nadd.u32 %r1, %r1, %r4;\n"
             "mad.lo.u32 %r1, %r5, 10000, %r1;\nsetp.ge.u32 %p2, %r0, 2;\n@%p2 mov.u32 %r1, %r1+50000;\n" STORE("%r1")),
         .block = {8});
    EACH(8, (2 * i + 3) * 100 + 1 + (i + 4 < 8 ? 1000 : 0) + 10000 + (i >= 2 ? 50000 : 0));
}

static void arrays_are_indexed_by_element(void **state) {
    (void)state;
    PLAY(.text = MODULE(".const .u32 c[4] = {5, 6, 7, 8};\n.global .align 16 .v4 .u32 g[2] = {{1, 2, 3, 4}, {11, 12, 13, "
                        "14}};\n.shared .u64 s[4];\n",
                        "and.b32 %r9, %r0, 1;\nld.const.u32 %r1, c[1];\nld.const.u32 %r2, c[%r9+2];\nld.global.u32 %r3, g[%r9];\n"
                        "mov.u64 %rd1, c[3];\nld.const.u32 %r4, [%rd1];\nmov.u64 %rd2, g[%r9];\nld.global.u32 %r5, [%rd2+4];\n"
                        "cvt.u64.u32 %rd3, %r9;\nst.shared.u64 s[%rd3+1], %rd3;\nbar.sync 0;\nld.shared.u64 %rd4, "
                        "s[2];\ncvt.u32.u64 %r6, %rd4;\n"
                        "mad.lo.u32 %r1, %r1, 10, %r2;\nmad.lo.u32 %r1, %r1, 100, %r3;\nmad.lo.u32 %r1, %r1, 10, "
                        "%r4;\nmad.lo.u32 %r1, %r1, 100, %r5;\n"
                        "mad.lo.u32 %r1, %r1, 10, %r6;\n" STORE("%r1")),
         .block = {32});
    EACH(32, ((((67u + (i & 1)) * 100 + (i & 1 ? 2 : 1)) * 10 + 8) * 100 + (i & 1 ? 3 : 2)) * 10 + 1);
}

static void accesses_without_a_space_go_where_the_variable_is(void **state) {
    (void)state;
    PLAY(.text = MODULE(
             ".shared .align 4 .u32 s[32];\n.global .u32 g = 7;\n.const .u32 c = 100;\n",
             ".local .u32 l[2];\nst.u32 [l+4], %r0;\nld.u32 %r1, [l+4];\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 st.u32 [s+8], "
             "1000;\nbar.sync 0;\n"
             "red.add.u32 [s+8], 1;\natom.add.u32 %r2, [s+12], 1;\nbar.sync 0;\nld.u32 %r2, [s+8];\nadd.u32 %r1, %r1, %r2;\n"
             "ld.u32 %r3, [g];\nld.u32 %r4, [c];\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r4;\n" STORE("%r1")),
         .block = {32});
    EACH(32, i + 1032 + 107);
}

/* --- old versions */

#define OLD_KERNEL                                                                                                               \
    ".entry k {\n.param .u64 out;\n.param .u32 unused;\n.reg .u32 %r<8>;\n.reg .u64 %rd<4>;\n.reg .f32 %f<8>;\n.reg .f64 "       \
    "%d<8>;\n"                                                                                                                   \
    "ld.param.u64 %rd0, [out];\n"

static void parameters_stood_in_the_body_once(void **state) {
    (void)state;
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m = play_load(
        h, "t.ptx", OLD_HEAD("1.3", "sm_13") OLD_KERNEL "ld.param.u32 %r1, [unused];\nst.global.u32 [%rd0], %r1;\nexit;\n}\n");
    uint64_t out = heddle_alloc(h, 4);
    uint32_t value = 99, got = 0;
    struct heddle_arg args[2] = {{&out, 8}, {&value, 4}};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args, .nargs = 2};
    struct heddle_result r;
    assert_int_equal(heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r), HEDDLE_OK);
    assert_int_equal(heddle_read(h, out, &got, 4), HEDDLE_OK);
    assert_int_equal(got, 99);
    heddle_close(h);
}

/* The same bits from an instruction of an old version and from what it means today; operands are subnormal,
 * ordinary and large */
static void check_old(const char *version, const char *target, const char *old, const char *now) {
    static const uint32_t values[8] = {0x00400000, 0x3FC00000, 0x42F6E979, 0x80000001,
                                       0x41200000, 0x00800001, 0x7F7FFFFF, 0x3DCCCCCD};
    uint32_t got[2][8];
    for (int v = 0; v < 2; v++) {
        char head[64], whole[2200];
        snprintf(head, sizeof head, ".version %s\n.target %s\n", version, target);
        snprintf(
            whole, sizeof whole,
            "%s.visible .entry k(.param .u64 out)\n{\n.reg .u32 %%r<4>;\n.reg .u64 %%rd<4>;\n.reg .f32 %%f<4>;\n.reg .f64 "
            "%%d<4>;\n"
            "ld.param.u64 %%rd0, [out];\nmov.u32 %%r0, %%tid.x;\nmul.wide.u32 %%rd1, %%r0, 4;\nadd.u64 %%rd1, %%rd1, %%rd0;\n"
            "ld.global.f32 %%f1, [%%rd1];\nld.global.f32 %%f2, [%%rd0+4];\nmov.b32 %%r1, %%f1;\nmov.b32 %%r2, %%f2;\n"
            "mov.b64 %%d1, {%%r0, %%r1};\nmov.b64 %%d2, {%%r0, %%r2};\nmov.f64 %%d3, 0d0000000000000000;\nmov.f32 %%f3, "
            "0f00000000;\n"
            "%s\nmov.b64 {%%r1, %%r2}, %%d3;\nmov.b32 %%r3, %%f3;\nadd.u32 %%r1, %%r1, %%r2;\nadd.u32 %%r1, %%r1, %%r3;\n"
            "st.global.u32 [%%rd1+32], %%r1;\nexit;\n}\n",
            v ? PTX_HEAD("sm_80") : head, v ? now : old);
        PLAY(.text = whole, .block = {8}, .init = values, .ninit = 8);
        memcpy(got[v], played.out + 8, sizeof got[v]);
    }
    for (int i = 0; i < 8; i++)
        if (got[0][i] != got[1][i])
            fail_msg("%s, %s: %s gives %08x for value %d, %s %08x", version, target, old, got[0][i], i, now, got[1][i]);
}

static void what_old_versions_left_unsaid_is_added(void **state) {
    (void)state;
    static const char *const approximate[] = {"sin", "cos", "lg2", "ex2", "rsqrt", "rcp", "sqrt"};
    for (size_t i = 0; i < sizeof approximate / sizeof *approximate; i++) {
        char old[64], now[64];
        snprintf(old, sizeof old, "%s.f32 %%f3, %%f1;", approximate[i]);
        snprintf(now, sizeof now, "%s.approx.ftz.f32 %%f3, %%f1;", approximate[i]);
        check_old("1.3", "sm_13", old, now);
        check_old("1.0", "compute_10", old, now);
    }
    check_old("1.3", "sm_13", "div.f32 %f3, %f1, %f2;", "div.approx.ftz.f32 %f3, %f1, %f2;");
    check_old("1.3", "sm_13", "div.f64 %d3, %d1, %d2;", "div.rn.f64 %d3, %d1, %d2;");
    check_old("1.3", "sm_13", "sqrt.f64 %d3, %d1;", "sqrt.rn.f64 %d3, %d1;");
    check_old("1.3", "sm_13", "rcp.f64 %d3, %d1;", "rcp.rn.f64 %d3, %d1;");
    check_old("1.3", "sm_13", "rsqrt.f64 %d3, %d1;", "rsqrt.approx.f64 %d3, %d1;");
    check_old("1.3", "sm_13", "mad.f64 %d3, %d1, %d2, %d1;", "fma.rn.f64 %d3, %d1, %d2, %d1;");
    check_old("1.3", "sm_13", "mad.f32 %f3, %f1, %f2, %f1;", "fma.rn.ftz.f32 %f3, %f1, %f2, %f1;");
    check_old("2.0", "sm_20", "mad.f32 %f3, %f1, %f2, %f1;", "fma.rn.f32 %f3, %f1, %f2, %f1;");
    check_old("3.1", "sm_30", "mad.f32 %f3, %f1, %f2, %f1;", "fma.rn.f32 %f3, %f1, %f2, %f1;");
    check_old("1.4", "sm_13", "add.f32 %f3, %f1, %f1;", "add.ftz.f32 %f3, %f1, %f1;");
    check_old("1.4", "sm_13", "cvt.f64.f32 %d3, %f1;", "cvt.f64.f32 %d3, %f1;");
    check_old("1.4", "sm_13", "min.f32 %f3, %f1, %f2;", "min.ftz.f32 %f3, %f1, %f2;");
    check_old("1.4", "sm_13", "abs.f32 %f3, %f1;", "abs.ftz.f32 %f3, %f1;");
    check_old("2.3", "sm_20", "add.f32 %f3, %f1, %f1;", "add.f32 %f3, %f1, %f1;");
}

static void later_versions_must_say_it(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"3.2", "mad.f32 a, a, a, a;"}, {"2.0", "sin.f32 a, a;"}, {"2.0", "div.f32 a, a, a;"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, ".version %s\n.target sm_20\n.entry k() { .reg .f32 a; %s exit; }\n", cases[i][0],
                 cases[i][1]);
        struct heddle *h = heddle_open(NULL);
        struct heddle_module *m = play_load(h, "t.ptx", text);
        struct heddle_kernel_info info;
        assert_int_equal(heddle_kernel_info(h, heddle_module_kernel(m, "k"), &info), HEDDLE_BAD_INPUT);
        assert_non_null(strstr(heddle_message(h), "misses"));
        heddle_close(h);
    }
}

/* --- what is not there */

static void check_refused(const char *globals, const char *body, const char *why) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s.visible .entry needs()\n{\n%s\nret;\n}\n%s", PTX_HEAD("sm_80"), globals, body,
             KERNEL_OPEN STORE("%r0") KERNEL_CLOSE);
    PLAY(.text = text, .block = {32}); /* the other kernel runs */
    EACH(32, i);
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m = play_load(h, "t.ptx", text);
    struct heddle_kernel_info info = {0};
    assert_int_equal(heddle_kernel_info(h, heddle_module_kernel(m, "needs"), &info), HEDDLE_OK);
    if (!info.refused || !strstr(info.refused, why))
        fail_msg("\"%s\" is not in: %s", why, info.refused ? info.refused : "(not refused)");
    heddle_close(h);
}

static void only_kernels_that_need_what_is_missing_are_refused(void **state) {
    (void)state;
    check_refused(".extern .func helper();\n", "call helper, ();", "function 'helper' is declared but not defined");
    check_refused(".extern .func helper();\n.func uses() { call helper, (); ret; }\n", "call uses, ();", "'helper'");
    check_refused(".extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 a, .param .b64 s);\n",
                  "{ .param .b32 r; .param .b64 a; .param .b64 s; call (r), cudaLaunchDeviceV2, (a, s); }",
                  "launches from the device");
    check_refused("", ".reg .u32 %r<2>; call (%r1), _optix_get_launch_index_x, ();",
                  "'_optix_get_launch_index_x' is a part of OptiX");
}

static void calls_pass_any_number_of_arguments(void **state) {
    (void)state;
    enum { N = 300 };
    char *text = calloc(1, 1 << 16);
    strcat(text, PTX_HEAD("sm_80") ".func (.reg .u32 s) sum(.reg .u32 a0");
    for (int i = 1; i < N; i++) sprintf(text + strlen(text), ", .reg .u32 a%d", i);
    strcat(text, ") {\nmov.u32 s, a0;\n");
    for (int i = 1; i < N; i++) sprintf(text + strlen(text), "add.u32 s, s, a%d;\n", i);
    strcat(text, "ret;\n}\n" KERNEL_OPEN "call (%r1), sum, (%r0");
    for (int i = 1; i < N; i++) sprintf(text + strlen(text), ", %d", i);
    strcat(text, ");\n" STORE("%r1") KERNEL_CLOSE);
    PLAY(.text = text, .block = {32});
    EACH(32, i + N * (N - 1) / 2);
    free(text);
}

static uint64_t polynomial_product(uint64_t a, uint64_t b, uint64_t *high) { /* bit by bit, as one divides on paper */
    uint64_t low = 0;
    *high = 0;
    for (int i = 63; i >= 0; i--) {
        *high = *high << 1 | low >> 63;
        low <<= 1;
        if (b >> i & 1) low ^= a;
    }
    return low;
}

static void polynomials_are_multiplied_without_carries(void **state) {
    (void)state;
    uint64_t in[3 * 32], seed = 12345;
    for (int i = 0; i < 96; i++) in[i] = seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    in[0] = in[1] = UINT64_MAX;
    in[3] = 1ull << 63;
    PLAY(.text =
             KERNEL("mul.wide.u32 %rd1, %r0, 24;\nadd.u64 %rd1, %rd1, %rd0;\nld.global.u64 %rd2, [%rd1];\nld.global.u64 %rd3, "
                    "[%rd1+8];\n"
                    "ld.global.u64 %rd4, [%rd1+16];\nclmad.lo.u64 %rd5, %rd2, %rd3, %rd4;\nclmad.hi.u64 %rd6, %rd2, %rd3, %rd4;\n"
                    "st.global.u64 [%rd1], %rd5;\nst.global.u64 [%rd1+8], %rd6;\n"),
         .block = {32}, .init = (const uint32_t *)in, .ninit = 192);
    for (int i = 0; i < 32; i++) {
        uint64_t got[2], high, low = polynomial_product(in[3 * i], in[3 * i + 1], &high);
        memcpy(got, played.out + 6 * i, 16);
        assert_true(got[0] == (low ^ in[3 * i + 2]) && got[1] == (high ^ in[3 * i + 2]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_of_the_module_are_shared_with_callees),
        cmocka_unit_test(registers_of_the_module_are_each_kernels_own),
        cmocka_unit_test(local_memory_of_the_module_is_each_threads_own),
        cmocka_unit_test(prototypes_end_where_the_next_directive_begins),
        cmocka_unit_test(special_registers_are_read_in_the_widths_they_had),
        cmocka_unit_test(vector_registers_are_passed_whole),
        cmocka_unit_test(sums_of_a_register_and_a_constant_are_operands),
        cmocka_unit_test(arrays_are_indexed_by_element),
        cmocka_unit_test(accesses_without_a_space_go_where_the_variable_is),
        cmocka_unit_test(parameters_stood_in_the_body_once),
        cmocka_unit_test(what_old_versions_left_unsaid_is_added),
        cmocka_unit_test(later_versions_must_say_it),
        cmocka_unit_test(only_kernels_that_need_what_is_missing_are_refused),
        cmocka_unit_test(calls_pass_any_number_of_arguments),
        cmocka_unit_test(polynomials_are_multiplied_without_carries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
