/* Every function of heddle.h, used rightly and wrongly, as its comments promise. What kernels do is in
 * test_machine.c and its neighbours. */
#include "play.h"

#include <fenv.h>
#include <pthread.h>
#include <unistd.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#define INC KERNEL(SLOT "ld.global.u32 %r1, [%rd31];\nadd.u32 %r1, %r1, 1;\nst.global.u32 [%rd31], %r1;\n")

static struct heddle *open_context(void) {
    struct heddle *h = heddle_open(NULL);
    assert_non_null(h);
    return h;
}

static void assert_ok_(struct heddle *h, int status, const char *what) {
    if (status) fail_msg("%s: status %d: %s", what, status, heddle_message(h));
}
#define assert_ok(h, call) assert_ok_(h, call, #call)

/* The call is refused, and the message has `part` */
static void assert_bad_(struct heddle *h, int status, const char *what, const char *part) {
    if (status != HEDDLE_BAD_INPUT) fail_msg("%s: status %d, expected HEDDLE_BAD_INPUT: %s", what, status, heddle_message(h));
    if (!heddle_message(h)[0]) fail_msg("%s: no message", what);
    if (!strstr(heddle_message(h), part)) fail_msg("%s: \"%s\" is not in \"%s\"", what, part, heddle_message(h));
}
#define assert_bad(h, call, part) assert_bad_(h, call, #call, part)

static uint32_t read_u32(struct heddle *h, uint64_t addr) {
    uint32_t v = 0;
    assert_ok(h, heddle_read(h, addr, &v, sizeof v));
    return v;
}

static uint64_t read_u64(struct heddle *h, uint64_t addr) {
    uint64_t v = 0;
    assert_ok(h, heddle_read(h, addr, &v, sizeof v));
    return v;
}

static uint64_t symbol(struct heddle *h, struct heddle_module *m, const char *name, uint64_t want_b) {
    uint64_t addr = 0, size = 0;
    assert_ok(h, heddle_module_symbol(h, m, name, &addr, &size));
    if (size != want_b) fail_msg("%s has %llu bytes, expected %llu", name, (unsigned long long)size, (unsigned long long)want_b);
    return addr;
}

/* --- contexts */

static void version_is_a_text(void **state) {
    (void)state;
    assert_non_null(heddle_version());
    assert_true(strlen(heddle_version()) > 0);
}

static void options_at_the_edges_of_their_range_open(void **state) {
    (void)state;
    struct heddle_options one = {.warp_size = 1}, widest = {.warp_size = 64}, zero = {0};
    const struct heddle_options *good[] = {&one, &widest, &zero, NULL};
    for (int i = 0; i < 4; i++) {
        struct heddle *h = heddle_open(good[i]);
        assert_non_null(h);
        assert_string_equal(heddle_message(h), "");
        heddle_close(h);
    }
    struct heddle_options over = {.warp_size = 65}, absurd = {.warp_size = UINT32_MAX};
    assert_null(heddle_open(&over));
    assert_null(heddle_open(&absurd));
}

static void closing_nothing_is_nothing(void **state) {
    (void)state;
    heddle_close(NULL);
}

static void memory_limit_is_kept(void **state) {
    (void)state;
    struct heddle_options opt = {.max_memory_b = 1 << 20};
    struct heddle *h = heddle_open(&opt);
    assert_non_null(h);
    assert_true(heddle_alloc(h, (1 << 20) + 1) == 0);
    uint64_t half = heddle_alloc(h, 1 << 19);
    assert_true(half != 0);
    assert_true(heddle_alloc(h, (1 << 19) + 256) == 0);
    assert_ok(h, heddle_free(h, half));
    assert_true(heddle_alloc(h, (1 << 19) + 256) != 0);
    heddle_close(h);
}

/* --- modules */

static void module_from_a_file(void **state) {
    (void)state;
    char path[] = P_tmpdir "/heddle-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, INC, strlen(INC)), strlen(INC));
    close(fd);
    struct heddle *h = open_context();
    struct heddle_module *m = NULL;
    int rc = heddle_module_load_file(h, path, &m);
    unlink(path);
    assert_ok(h, rc);
    assert_non_null(heddle_module_kernel(m, "k"));
    assert_bad(h, heddle_module_load_file(h, path, &m), path);
    assert_bad(h, heddle_module_load_file(h, P_tmpdir, &m), P_tmpdir);
    heddle_close(h);
}

static void text_is_taken_by_its_length(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = NULL;
    char *text = malloc(strlen(INC)); /* no terminating zero, and not one byte more */
    memcpy(text, INC, strlen(INC));
    assert_ok(h, heddle_module_load(h, "t.ptx", text, strlen(INC), &m));
    memset(text, 'x', strlen(INC)); /* the caller's text may go */
    free(text);
    uint64_t out = heddle_alloc(h, 128);
    struct heddle_result r;
    assert_ok(h, play_launch(h, m, &(struct play){.block = {32}}, out, &r));
    assert_int_equal(read_u32(h, out + 124), 1);
    heddle_close(h);
}

static void bad_text_is_placed_by_file_line_and_column(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = NULL;
    static const struct {
        const char *text, *where;
    } bad[] = {
        {".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    .reg .b32 %r<2>;\n    add.u32 %r0, %r1 "
         "5;\n}\n",
         "bad.ptx:7:22"},
        {".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    ad.u32 %r0, %r1, 5;\n}\n", "bad.ptx:6:5"},
        {".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  mov.b32 %r0, 5;\n}\n", "bad.ptx:6:11"},
        {"\n\n  rubbish", "bad.ptx:3:3"},
        {"", "bad.ptx:1:1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_bad(h, heddle_module_load(h, "bad.ptx", bad[i].text, strlen(bad[i].text), &m), bad[i].where);
    assert_ok(h, heddle_module_load(h, "good.ptx", INC, strlen(INC), &m)); /* and the context goes on */
    heddle_close(h);
}

#define TWO_KERNELS                                                                                                              \
    PTX_HEAD("sm_80")                                                                                                            \
    ".visible .entry first()\n{\n    ret;\n}\n"                                                                                  \
    ".func helper()\n{\n    ret;\n}\n"                                                                                           \
    ".visible .entry second()\n{\n    ret;\n}\n"

static void kernels_are_listed_in_order(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "two.ptx", TWO_KERNELS);
    assert_int_equal(heddle_module_kernels(m), 2);
    assert_ptr_equal(heddle_module_kernel_at(m, 0), heddle_module_kernel(m, "first"));
    assert_ptr_equal(heddle_module_kernel_at(m, 1), heddle_module_kernel(m, "second"));
    assert_null(heddle_module_kernel_at(m, 2));
    assert_null(heddle_module_kernel(m, "helper")); /* a function is no kernel */
    assert_null(heddle_module_kernel(m, ""));
    heddle_close(h);
}

#define VARIABLES                                                                                                                \
    ".global .align 4 .u32 word = 0xC0FFEE;\n"                                                                                   \
    ".global .align 8 .u64 wide = 0x123456789ABCDEF0;\n"                                                                         \
    ".global .align 4 .f32 pi = 0f40490FDB;\n"                                                                                   \
    ".global .align 8 .f64 half[2] = {0d3FE0000000000000, 2.0};\n"                                                               \
    ".global .align 2 .s16 few[4] = {-1, 2};\n"                                                                                  \
    ".global .align 4 .u32 grid[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"                                                               \
    ".global .align 4 .u32 nothing[5];\n"                                                                                        \
    ".const .align 4 .u32 fixed[3] = {7, 8, 9};\n"                                                                               \
    ".global .align 8 .u64 to_word = generic(word);\n"                                                                           \
    ".global .align 8 .u64 to_few[3] = {few, few+4, generic(fixed)};\n"

static void module_variables_hold_their_initialisers(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "t.ptx", MODULE(VARIABLES, ""));
    assert_int_equal(read_u32(h, symbol(h, m, "word", 4)), 0xC0FFEE);
    assert_true(read_u64(h, symbol(h, m, "wide", 8)) == 0x123456789ABCDEF0);
    assert_int_equal(read_u32(h, symbol(h, m, "pi", 4)), 0x40490FDB);
    assert_true(read_u64(h, symbol(h, m, "half", 16)) == 0x3FE0000000000000);
    assert_true(read_u64(h, symbol(h, m, "half", 16) + 8) == 0x4000000000000000);
    assert_int_equal(read_u32(h, symbol(h, m, "few", 8)), 0x0002FFFF);
    assert_int_equal(read_u32(h, symbol(h, m, "few", 8) + 4), 0);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(read_u32(h, symbol(h, m, "grid", 24) + 4 * i), i + 1);
    for (uint32_t i = 0; i < 5; i++) assert_int_equal(read_u32(h, symbol(h, m, "nothing", 20) + 4 * i), 0);
    assert_int_equal(read_u32(h, symbol(h, m, "fixed", 12) + 8), 9);
    heddle_close(h);
}

static void initialisers_name_other_variables(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "t.ptx", MODULE(VARIABLES, ""));
    uint64_t few = symbol(h, m, "few", 8), to_few = symbol(h, m, "to_few", 24);
    assert_true(read_u64(h, symbol(h, m, "to_word", 8)) == symbol(h, m, "word", 4));
    assert_true(read_u64(h, to_few) == few);
    assert_true(read_u64(h, to_few + 8) == few + 4);
    heddle_close(h);
}

static void a_pointer_from_an_initialiser_can_be_followed(void **state) {
    (void)state;
    PLAY(.text = MODULE(VARIABLES, "ld.global.u64 %rd1, [to_few+16];\n" /* generic(fixed) */
                                   "ld.u32 %r1, [%rd1+4];\n"
                                   "ld.global.u64 %rd1, [to_word];\n"
                                   "ld.u32 %r2, [%rd1];\n"
                                   "add.u32 %r1, %r1, %r2;\n" STORE("%r1")));
    assert_int_equal(played.out[0], 8 + 0xC0FFEE);
}

static void symbols_are_memory_shared_with_kernels(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "t.ptx",
                                        MODULE(".global .u32 v = 5;\n.const .u32 c;\n", "ld.global.u32 %r1, [v];\n"
                                                                                        "ld.const.u32 %r2, [c];\n"
                                                                                        "add.u32 %r1, %r1, %r2;\n"
                                                                                        "st.global.u32 [v], %r1;\n"));
    uint64_t v = symbol(h, m, "v", 4), c = symbol(h, m, "c", 4);
    struct heddle_result r;
    uint32_t hundred = 100, seven = 7;
    assert_ok(h, heddle_write(h, c, &seven, 4)); /* the host may set constants */
    assert_ok(h, play_launch(h, m, &(struct play){0}, 0, &r));
    assert_int_equal(read_u32(h, v), 12);
    assert_ok(h, heddle_write(h, v, &hundred, 4));
    assert_ok(h, play_launch(h, m, &(struct play){0}, 0, &r));
    assert_int_equal(read_u32(h, v), 107);
    uint64_t addr, size;
    assert_bad(h, heddle_module_symbol(h, m, "vv", &addr, &size), "vv");
    assert_bad(h, heddle_module_symbol(h, m, "k", &addr, &size), "k"); /* a kernel is no variable */
    heddle_close(h);
}

static void a_freed_module_takes_its_memory_along(void **state) {
    (void)state;
    struct heddle *h = open_context();
    uint64_t before = heddle_memory_used(h);
    struct heddle_module *m =
        play_load(h, "t.ptx", MODULE(".global .u32 v[64];\n", ".global .u32 inner[16];\nld.global.u32 %r1, [inner];\n"));
    uint64_t v = symbol(h, m, "v", 256);
    assert_true(heddle_memory_used(h) > before);
    heddle_module_free(h, m);
    assert_true(heddle_memory_used(h) == before);
    uint32_t word = 0;
    assert_bad(h, heddle_read(h, v, &word, 4), "");
    struct heddle_module *inc = play_load(h, "inc.ptx", INC);
    struct heddle_result r;
    assert_int_equal(play_launch(h, inc, &(struct play){0}, v, &r), HEDDLE_FAULT);
    if (!strstr(heddle_message(h), "freed")) fail_msg("\"freed\" is not in \"%s\"", heddle_message(h));
    heddle_close(h);
}

static void closing_a_context_frees_its_modules(void **state) { /* for the leak checker */
    (void)state;
    struct heddle *h = open_context();
    for (int i = 0; i < 3; i++) play_load(h, "t.ptx", MODULE(VARIABLES, ""));
    struct heddle_module *m = NULL;
    assert_bad(h, heddle_module_load(h, "bad.ptx", ".version", 8, &m), "bad.ptx:1:");
    assert_true(heddle_alloc(h, 12345) != 0);
    heddle_close(h);
}

/* --- what a kernel is */

#define DESCRIBED                                                                                                                \
    PTX_HEAD("sm_80")                                                                                                            \
    ".const .align 4 .u32 table[3] = {1, 2, 3};\n"                                                                               \
    ".shared .align 4 .b8 tile[100];\n"                                                                                          \
    ".visible .entry d(.param .u8 small, .param .u64 .ptr .global .align 16 p, .param .align 16 .b8 blob[20], .param .f32 x)\n"  \
    ".maxntid 64, 2, 1\n"                                                                                                        \
    "{\n"                                                                                                                        \
    "    .local .align 8 .b8 frame[40];\n"                                                                                       \
    "    .reg .pred %p<2>;\n"                                                                                                    \
    "    .reg .b32 %r<3>;\n"                                                                                                     \
    "    .reg .b64 %rd<3>;\n"                                                                                                    \
    "    ld.param.u64 %rd0, [p];\n"                                                                                              \
    "    mov.u32 %r0, tile;\n"                                                                                                   \
    "    mov.u64 %rd1, frame;\n"                                                                                                 \
    "    st.local.u32 [%rd1], %r0;\n"                                                                                            \
    "    ld.const.u32 %r1, [table];\n"                                                                                           \
    "    setp.eq.u32 %p0, %r1, %r0;\n"                                                                                           \
    "@%p0 st.global.u32 [%rd0], %r1;\n"                                                                                          \
    "    ret;\n"                                                                                                                 \
    "}\n"                                                                                                                        \
    ".visible .entry fixed()\n.reqntid 8, 4, 2\n{\n    ret;\n}\n"

static void kernel_info_describes_the_kernel(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "d.ptx", DESCRIBED);
    struct heddle_kernel_info info;
    assert_ok(h, heddle_kernel_info(h, heddle_module_kernel(m, "d"), &info));
    assert_string_equal(info.name, "d");
    assert_int_equal(info.shared_b, 100);
    assert_int_equal(info.local_b, 48); /* frames are multiples of 16 bytes */
    assert_int_equal(info.const_b, 12);
    assert_int_equal(info.nparams, 4);
    assert_int_equal(info.param_b, 40); /* 1 at 0, 8 at 8, 20 at 16, 4 at 36 */
    assert_int_equal(info.instructions, 8);
    assert_int_equal(info.max_threads, 128);
    assert_false(info.recursive);
    assert_in_range(info.registers, 3, 16);
    assert_int_equal(info.predicates, 1);
    assert_ok(h, heddle_kernel_info(h, heddle_module_kernel(m, "fixed"), &info));
    assert_int_equal(info.reqntid[0], 8);
    assert_int_equal(info.reqntid[1], 4);
    assert_int_equal(info.reqntid[2], 2);
    heddle_close(h);
}

static void recursion_is_reported(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "t.ptx",
                                        MODULE(".func f()\n{\n    .reg .pred %q;\n    .reg .b32 %c;\n    mov.u32 %c, %tid.x;\n"
                                               "    setp.eq.u32 %q, %c, 0;\n    @%q ret;\n    call f;\n    ret;\n}\n",
                                               "call f;\n"));
    struct heddle_kernel_info info;
    assert_ok(h, heddle_kernel_info(h, heddle_module_kernel(m, "k"), &info));
    assert_true(info.recursive);
    heddle_close(h);
}

static void a_kernel_that_cannot_be_lowered_says_why(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "t.ptx", KERNEL("add.u32 %r1, %f0, 1;\n") ".visible .entry good()\n{\n    ret;\n}\n");
    struct heddle_kernel_info info;
    struct heddle_param_info param;
    struct heddle_result r;
    for (int i = 0; i < 2; i++) { /* and says so again */
        assert_bad(h, heddle_kernel_info(h, heddle_module_kernel(m, "k"), &info), "t.ptx:14:14");
        assert_bad(h, heddle_kernel_param(h, heddle_module_kernel(m, "k"), 0, &param), "t.ptx:14:14");
        assert_bad(h, play_launch(h, m, &(struct play){0}, 0, &r), "t.ptx:14:14");
    }
    assert_ok(h, heddle_kernel_info(h, heddle_module_kernel(m, "good"), &info)); /* its neighbour is none the worse */
    heddle_close(h);
}

static void what_is_not_modelled_is_refused_at_launch(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(
        h, "t.ptx",
        MODULE(".global .texref image;\n", "tex.2dms.v4.f32.s32 {%f0, %f1, %f2, %f3}, [image, {%r0, %r0, %r0, %r0}];\n"));
    struct heddle_result r;
    assert_bad(h, play_launch(h, m, &(struct play){0}, 0, &r), "t.ptx:15:1");
    heddle_close(h);
}

static void no_kernel_is_an_error_and_not_a_crash(void **state) { /* heddle_module_kernel gives NULL for a misspelt name */
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "two.ptx", TWO_KERNELS);
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct heddle_kernel_info info;
    struct heddle_param_info param;
    struct heddle_result r;
    assert_bad(h, heddle_launch(h, heddle_module_kernel(m, "frist"), &l, &r), "kernel");
    assert_bad(h, heddle_kernel_info(h, NULL, &info), "kernel");
    assert_bad(h, heddle_kernel_param(h, NULL, 0, &param), "kernel");
    heddle_kernel_disasm(h, NULL, stderr);
    heddle_close(h);
}

static void parameters_are_described(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "d.ptx", DESCRIBED);
    struct heddle_kernel *k = heddle_module_kernel(m, "d");
    static const struct heddle_param_info want[] = {{"small", 0, 1, 1, false, ""},
                                                    {"p", 8, 8, 8, true, "global", 16},
                                                    {"blob", 16, 20, 16, false, ""},
                                                    {"x", 36, 4, 4, false, ""}};
    struct heddle_param_info got;
    for (uint32_t i = 0; i < 4; i++) {
        assert_ok(h, heddle_kernel_param(h, k, i, &got));
        assert_string_equal(got.name, want[i].name);
        assert_int_equal(got.offset_b, want[i].offset_b);
        assert_int_equal(got.size_b, want[i].size_b);
        assert_int_equal(got.align_b, want[i].align_b);
        assert_int_equal(got.is_pointer, want[i].is_pointer);
        assert_string_equal(got.space, want[i].space);
        assert_int_equal(got.pointee_align_b, want[i].pointee_align_b);
    }
    assert_bad(h, heddle_kernel_param(h, k, 4, &got), "");
    heddle_close(h);
}

static void disassembly_shows_every_instruction(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "d.ptx", DESCRIBED);
    FILE *f = tmpfile();
    heddle_kernel_disasm(h, heddle_module_kernel(m, "d"), f);
    const char *text = play_text(f);
    static const char *const words[] = {"ld.param.u64", "mov.u32",       "st.local.u32", "ld.const.u32",
                                        "setp.eq.u32",  "st.global.u32", "ret"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text, words[i])) fail_msg("no %s in:\n%s", words[i], text);
    fclose(f);
    heddle_close(h);
}

/* --- device memory */

static void memory_is_aligned_zeroed_and_counted(void **state) {
    (void)state;
    struct heddle *h = open_context();
    uint64_t before = heddle_memory_used(h);
    static unsigned char got[1000];
    uint64_t p = heddle_alloc(h, 1000), q = heddle_alloc(h, 1);
    assert_true(p % 256 == 0 && q % 256 == 0 && p && q && p != q);
    assert_true(heddle_memory_used(h) - before >= 1001);
    assert_ok(h, heddle_fill(h, p, 0xAB, 1000));
    assert_ok(h, heddle_read(h, p, got, 1000));
    for (int i = 0; i < 1000; i++) assert_int_equal(got[i], 0xAB);
    assert_ok(h, heddle_free(h, p));
    uint64_t again = heddle_alloc(h, 1000);
    assert_ok(h, heddle_read(h, again, got, 1000));
    for (int i = 0; i < 1000; i++) assert_int_equal(got[i], 0);
    assert_ok(h, heddle_free(h, again));
    assert_ok(h, heddle_free(h, q));
    assert_true(heddle_memory_used(h) == before);
    heddle_close(h);
}

static void only_starts_of_live_allocations_are_freed(void **state) {
    (void)state;
    struct heddle *h = open_context();
    uint64_t p = heddle_alloc(h, 512);
    assert_bad(h, heddle_free(h, 0xDEAD0000), "");
    assert_bad(h, heddle_free(h, p + 256), "");
    assert_bad(h, heddle_free(h, p - 1), "");
    assert_ok(h, heddle_free(h, p));
    assert_bad(h, heddle_free(h, p), "");
    struct heddle_module *m = play_load(h, "t.ptx", MODULE(".global .u32 v[64];\n", ""));
    assert_bad(h, heddle_free(h, symbol(h, m, "v", 256)), ""); /* the module's, not ours */
    heddle_close(h);
}

static void copies_stay_inside_one_allocation(void **state) {
    (void)state;
    struct heddle *h = open_context();
    static char data[1024];
    uint64_t p = heddle_alloc(h, 300), q = heddle_alloc(h, 300);
    assert_ok(h, heddle_write(h, p + 299, data, 1));
    assert_ok(h, heddle_read(h, p, data, 300));
    assert_bad(h, heddle_write(h, p, data, 301), "");
    assert_bad(h, heddle_read(h, p + 300, data, 1), "");
    assert_bad(h, heddle_read(h, p - 1, data, 2), "");
    assert_bad(h, heddle_fill(h, p, 0, 1024), ""); /* from one into the next */
    assert_bad(h, heddle_read(h, p, data, UINT64_MAX), "");
    assert_bad(h, heddle_read(h, UINT64_MAX, data, 2), "");
    assert_bad(h, heddle_write(h, 0, data, 4), "");
    assert_ok(h, heddle_free(h, q));
    assert_bad(h, heddle_write(h, q, data, 4), "");
    assert_ok(h, heddle_write(h, p, data, 0));
    heddle_close(h);
}

/* --- launches: what is refused */

static void launches_that_make_no_sense_are_refused(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "inc.ptx", INC);
    uint64_t out = heddle_alloc(h, 4096);
    struct heddle_arg arg = {&out, 8};
    struct heddle_result r;
    static const uint32_t bad[][6] = {{0, 1, 1, 1, 1, 1},     {1, 0, 1, 1, 1, 1},          {1, 1, 0, 1, 1, 1},
                                      {1, 1, 1, 0, 1, 1},     {1, 1, 1, 1, 1, 0},          {1, 1, 1, 1025, 1, 1},
                                      {1, 1, 1, 32, 33, 1},   {1, 1, 1, 1, 1, 65},         {1, 65536, 1, 1, 1, 1},
                                      {1, 1, 65536, 1, 1, 1}, {0x80000000u, 1, 1, 1, 1, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct heddle_launch l = {
            .grid = {bad[i][0], bad[i][1], bad[i][2]}, .block = {bad[i][3], bad[i][4], bad[i][5]}, .args = &arg, .nargs = 1};
        if (heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r) != HEDDLE_BAD_INPUT)
            fail_msg("grid %u,%u,%u block %u,%u,%u is not refused", bad[i][0], bad[i][1], bad[i][2], bad[i][3], bad[i][4],
                     bad[i][5]);
        assert_true(heddle_message(h)[0]);
    }
    assert_int_equal(read_u32(h, out), 0); /* nothing has run */
    assert_ok(h, play_launch(h, m, &(struct play){.block = {1024}}, out, &r));
    assert_ok(h, play_launch(h, m, &(struct play){.block = {1, 16, 64}}, out, &r));
    heddle_close(h);
}

static void arguments_are_checked_against_the_parameters(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "inc.ptx", INC);
    uint64_t out = heddle_alloc(h, 256), two = 2;
    struct heddle_arg args[] = {{&out, 8}, {&two, 8}};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args, .nargs = 2};
    struct heddle_result r;
    assert_bad(h, heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r), "k");
    l.nargs = 0;
    assert_bad(h, heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r), "k");
    l.nargs = 1;
    args[0].size_b = 4;
    assert_bad(h, heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r), "out");
    args[0].size_b = 8;
    assert_ok(h, heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r));
    assert_int_equal(read_u32(h, out), 1);
    heddle_close(h);
}

static void arguments_of_every_size_arrive(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(
        h, "t.ptx",
        PTX_HEAD("sm_80") ".visible .entry a(.param .u64 out, .param .s8 b, .param .u16 s, .param .align 8 .b8 blob[24], "
                          ".param .f64 d)\n{\n"
                          "    .reg .b32 %r<4>;\n    .reg .b64 %rd<4>;\n    .reg .f64 %d<2>;\n"
                          "    ld.param.u64 %rd0, [out];\n"
                          "    ld.param.s8 %r0, [b];\n    st.global.u32 [%rd0], %r0;\n"
                          "    ld.param.u16 %r1, [s];\n    st.global.u32 [%rd0+4], %r1;\n"
                          "    ld.param.u64 %rd1, [blob+16];\n    st.global.u64 [%rd0+8], %rd1;\n"
                          "    ld.param.f64 %d0, [d];\n    st.global.f64 [%rd0+16], %d0;\n    ret;\n}\n");
    uint64_t out = heddle_alloc(h, 256), blob[3] = {1, 2, 0x1122334455667788};
    int8_t b = -5;
    uint16_t s = 65535;
    double d = -2.5;
    struct heddle_arg args[] = {{&out, 8}, {&b, 1}, {&s, 2}, {blob, 24}, {&d, 8}};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = args, .nargs = 5};
    struct heddle_result r;
    assert_ok(h, heddle_launch(h, heddle_module_kernel(m, "a"), &l, &r));
    assert_int_equal(read_u32(h, out), (uint32_t)-5);
    assert_int_equal(read_u32(h, out + 4), 65535);
    assert_true(read_u64(h, out + 8) == blob[2]);
    assert_true(read_u64(h, out + 16) == 0xC004000000000000);
    heddle_close(h);
}

static void block_limits_of_the_program_are_kept(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "t.ptx",
                                        PTX_HEAD("sm_80") ".visible .entry most()\n.maxntid 8, 8, 1\n{\n    ret;\n}\n"
                                                          ".visible .entry fixed()\n.reqntid 8, 4, 1\n{\n    ret;\n}\n");
    struct heddle_kernel *most = heddle_module_kernel(m, "most"), *fixed = heddle_module_kernel(m, "fixed");
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {65, 1, 1}};
    struct heddle_result r;
    assert_bad(h, heddle_launch(h, most, &l, &r), "most");
    l.block[0] = 64; /* as many in all: only the product counts */
    assert_ok(h, heddle_launch(h, most, &l, &r));
    l.block[0] = 4, l.block[1] = 8;
    assert_bad(h, heddle_launch(h, fixed, &l, &r), "fixed");
    l.block[0] = 8, l.block[1] = 4;
    assert_ok(h, heddle_launch(h, fixed, &l, &r));
    heddle_close(h);
}

static void shared_memory_has_a_limit(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "t.ptx", MODULE(".shared .align 4 .b8 tile[40000];\n", "mov.u32 %r1, tile;\n"));
    struct heddle_result r;
    assert_bad(h, play_launch(h, m, &(struct play){.dynamic_shared_b = 200000}, 0, &r), "shared memory");
    assert_ok(h, play_launch(h, m, &(struct play){.dynamic_shared_b = 60000}, 0, &r));
    heddle_close(h);
}

static void a_register_count_can_be_imposed(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "inc.ptx", INC);
    uint64_t out = heddle_alloc(h, 4);
    struct heddle_arg arg = {&out, 8};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = &arg, .nargs = 1};
    struct heddle_kernel_info info;
    struct heddle_result r;
    assert_ok(h, heddle_kernel_info(h, heddle_module_kernel(m, "k"), &info));
    assert_ok(h, heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r));
    assert_int_equal(r.registers, info.registers);
    l.registers = 40;
    assert_ok(h, heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r));
    assert_int_equal(r.registers, 40);
    assert_int_equal(read_u32(h, out), 2);
    l.registers = 256;
    assert_bad(h, heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r), "256");
    heddle_close(h);
}

static void a_launch_after_a_refused_and_a_failed_one_works(void **state) {
    (void)state;
    struct heddle *h = open_context();
    struct heddle_module *m = play_load(h, "inc.ptx", INC);
    uint64_t out = heddle_alloc(h, 256);
    struct heddle_result r;
    const struct play whole = {.grid = {2}, .block = {32}};
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(play_launch(h, m, &whole, 64, &r), HEDDLE_FAULT);
        assert_int_equal(play_launch(h, m, &(struct play){.block = {2000}}, out, &r), HEDDLE_BAD_INPUT);
        assert_ok(h, play_launch(h, m, &whole, out, &r));
        assert_int_equal(read_u32(h, out + 252), i);
        assert_int_equal(r.ctas, 2);
    }
    heddle_close(h);
}

static void lane_operations_need_warps_of_32(void **state) {
    (void)state;
    struct heddle_options opt = {.warp_size = 16};
    struct heddle *h = heddle_open(&opt);
    struct heddle_module *m = play_load(h, "t.ptx", KERNEL("shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;\n" STORE("%r1")));
    struct heddle_result r;
    assert_bad(h, play_launch(h, m, &(struct play){.block = {32}}, heddle_alloc(h, 128), &r), "32");
    heddle_close(h);
}

/* --- launches: what comes back */

static void results_count_blocks_threads_warps_and_accesses(void **state) {
    (void)state;
    PLAY(.text = INC, .grid = {3, 2}, .block = {40}, .words = 4096);
    assert_int_equal(played.r.ctas, 6);
    assert_int_equal(played.r.threads, 240);
    assert_int_equal(played.r.warps, 12);
    assert_int_equal(played.r.warp_instructions, 12 * 11);
    assert_int_equal(played.r.thread_instructions, 240 * 11);
    assert_int_equal(played.r.divergent_branches, 0);
    assert_int_equal(played.r.global_loads, 12);
    assert_int_equal(played.r.global_stores, 12);
    assert_true(played.r.wall_seconds >= 0 && played.r.wall_seconds < 60);
}

static void classes_have_names_and_sum_up(void **state) {
    (void)state;
    PLAY(.text = KERNEL("mul.lo.u32 %r1, %r0, 3;\ncvt.rn.f32.u32 %f0, %r1;\nsqrt.approx.f32 %f0, %f0;\nbar.sync 0;\nmov.b32 %r2, "
                        "%f0;\n" STORE("%r2")),
         .block = {64});
    uint64_t sum = 0;
    assert_in_range(heddle_classes(), 1, HEDDLE_MAX_CLASSES);
    for (uint32_t i = 0; i < heddle_classes(); i++) {
        assert_true(heddle_class_name(i) && *heddle_class_name(i) && heddle_class_doc(i) && *heddle_class_doc(i));
        for (uint32_t j = 0; j < i; j++) assert_string_not_equal(heddle_class_name(i), heddle_class_name(j));
    }
    for (uint32_t i = 0; i < HEDDLE_MAX_CLASSES; i++) sum += played.r.class_warp_instructions[i];
    assert_int_equal(sum, played.r.warp_instructions);
}

struct progress_seen {
    uint32_t calls, bad;
    uint64_t last;
};

static void see_progress(void *user, const struct heddle_progress *p) {
    struct progress_seen *seen = user;
    seen->calls++;
    if (strcmp(p->kernel, "k") || p->ctas_total != 4 || p->ctas_done > 4 || p->warp_instructions < seen->last || p->seconds < 0)
        seen->bad++;
    seen->last = p->warp_instructions;
}

static void progress_is_reported_while_a_launch_runs(void **state) {
    (void)state;
    struct progress_seen seen = {0};
    const char *loop = KERNEL("mov.u32 %r1, 0;\n$next:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, 5000000;\n@%p0 bra $next;\n");
    PLAY(.text = loop, .grid = {4}, .block = {32}, .options = {.progress = see_progress, .progress_user = &seen});
    uint32_t expected = (uint32_t)(played.r.wall_seconds * 10);
    assert_int_equal(seen.bad, 0);
    if (expected >= 2 && (seen.calls < expected / 2 || seen.calls > 3 * expected))
        fail_msg("%u calls in %.2f s, about ten a second expected", seen.calls, played.r.wall_seconds);
}

#define TRACED                                                                                                                   \
    PTX_HEAD("sm_80")                                                                                                            \
    KERNEL_OPEN "setp.lt.u32 %p0, %r0, 3;\n@%p0 bra $low;\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\n$low:\n" KERNEL_CLOSE     \
                ".visible .entry other(.param .u64 out)\n{\n    ret;\n}\n"

static void trace_has_a_line_per_warp_instruction(void **state) {
    (void)state;
    FILE *f = tmpfile();
    PLAY(.text = TRACED, .grid = {3}, .block = {70}, .options = {.trace = f});
    assert_int_equal(played.r.warp_instructions, 3 * 3 * 7);
    assert_int_equal(play_lines(play_text(f)), played.r.warp_instructions);
    fclose(f);
}

static void trace_is_filtered_by_block_warp_and_kernel(void **state) {
    (void)state;
    struct {
        struct heddle_options opt;
        uint32_t lines;
    } filters[] = {
        {{.trace_cta_only = true, .trace_cta = 2}, 3 * 7},
        {{.trace_warp_only = true, .trace_warp = 1}, 3 * 7},
        {{.trace_cta_only = true, .trace_cta = 0, .trace_warp_only = true, .trace_warp = 0}, 7},
        {{.trace_cta_only = true, .trace_cta = 9}, 0},
        {{.trace_kernel = "k"}, 3 * 3 * 7},
        {{.trace_kernel = "other"}, 0},
    };
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        FILE *f = tmpfile();
        filters[i].opt.trace = f;
        PLAY(.text = TRACED, .grid = {3}, .block = {70}, .options = filters[i].opt);
        if (play_lines(play_text(f)) != filters[i].lines)
            fail_msg("filter %zu: %u lines, expected %u", i, play_lines(play_text(f)), filters[i].lines);
        fclose(f);
    }
}

static void options_may_go_after_open(void **state) {
    (void)state;
    char name[] = "k";
    struct heddle_options *opt = calloc(1, sizeof *opt);
    FILE *f = tmpfile();
    opt->trace = f;
    opt->warp_size = 8;
    struct heddle *h = heddle_open(opt);
    free(opt);
    struct heddle_module *m = play_load(h, "t.ptx", KERNEL(""));
    struct heddle_result r;
    name[0] = 'k';
    assert_ok(
        h, heddle_launch(h, heddle_module_kernel(m, name),
                         &(struct heddle_launch){
                             .grid = {1, 1, 1}, .block = {16, 1, 1}, .args = &(struct heddle_arg){&(uint64_t){0}, 8}, .nargs = 1},
                         &r));
    assert_int_equal(r.warps, 2);
    assert_int_equal(play_lines(play_text(f)), 6);
    heddle_close(h);
    fclose(f);
}

/* --- contexts side by side */

static void two_contexts_take_turns(void **state) {
    (void)state;
    struct heddle *h[2];
    struct heddle_module *m[2];
    uint64_t out[2];
    struct heddle_result r;
    for (int i = 0; i < 2; i++) {
        h[i] = open_context();
        m[i] = play_load(h[i], "inc.ptx",
                         MODULE(".global .u32 runs;\n", "red.global.add.u32 [runs], 1;\n"
                                                        "ld.global.u32 %r1, [runs];\n" STORE("%r1")));
        out[i] = heddle_alloc(h[i], 256);
    }
    for (uint32_t turn = 0; turn < 9; turn++) {
        int i = turn % 3 == 0; /* context 0 twice, context 1 once */
        assert_ok(h[i], play_launch(h[i], m[i], &(struct play){0}, out[i], &r));
        if (turn == 4)
            assert_int_equal(play_launch(h[1], m[1], &(struct play){0}, 8, &r), HEDDLE_FAULT); /* runs counts it, though */
    }
    assert_int_equal(read_u32(h[0], out[0]), 6);
    assert_int_equal(read_u32(h[1], out[1]), 4);
    assert_string_equal(heddle_message(h[0]), "");
    heddle_close(h[0]);
    assert_int_equal(read_u32(h[1], symbol(h[1], m[1], "runs", 4)), 4);
    heddle_close(h[1]);
}

#define SUMS                                                                                                                     \
    KERNEL("mov.u32 %r1, 0;\nmov.u32 %r2, %ctaid.x;\n$next:\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r1, %r1, 1;\n"                     \
           "setp.lt.u32 %p0, %r1, %r0;\n@%p0 bra $next;\n" STORE("%r2"))

static void *sums_in_a_thread(void *arg) {
    uint32_t *bad = arg;
    for (int round = 0; round < 20; round++) {
        struct heddle *h = heddle_open(NULL);
        struct heddle_module *m = NULL;
        struct heddle_result r;
        uint64_t out = heddle_alloc(h, 4096);
        uint32_t got[1024];
        if (heddle_module_load(h, "sums.ptx", SUMS, strlen(SUMS), &m) ||
            play_launch(h, m, &(struct play){.grid = {4}, .block = {256}}, out, &r) || heddle_read(h, out, got, sizeof got))
            ++*bad;
        else
            for (uint32_t i = 0; i < 1024; i++) {
                uint32_t n = i % 256 ? i % 256 : 1;
                *bad += got[i] != i / 256 + n * (n - 1) / 2;
            }
        heddle_close(h);
    }
    return NULL;
}

static void two_contexts_in_two_threads(void **state) {
    (void)state;
    pthread_t thread[2];
    uint32_t bad[2] = {0};
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&thread[i], NULL, sums_in_a_thread, &bad[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    assert_int_equal(bad[0] + bad[1], 0);
}

/* --- the host's floating-point state */

#define FLOATS                                                                                                                   \
    KERNEL("ld.global.f32 %f0, [%rd0];\nld.global.f32 %f1, [%rd0+4];\nld.global.f32 %f2, [%rd0+8];\n"                            \
           "cvt.f64.f32 %d0, %f0;\ncvt.f64.f32 %d1, %f1;\n"                                                                      \
           "add.rn.f32 %f3, %f0, %f1;\nst.global.f32 [%rd0+16], %f3;\n"                                                          \
           "div.rn.f32 %f3, %f0, %f1;\nst.global.f32 [%rd0+20], %f3;\n"                                                          \
           "div.rm.f32 %f3, %f0, %f1;\nst.global.f32 [%rd0+24], %f3;\n"                                                          \
           "fma.rn.f32 %f3, %f0, %f1, %f0;\nst.global.f32 [%rd0+28], %f3;\n"                                                     \
           "sqrt.rn.f32 %f3, %f0;\nst.global.f32 [%rd0+32], %f3;\n"                                                              \
           "sqrt.rp.f32 %f3, %f0;\nst.global.f32 [%rd0+36], %f3;\n"                                                              \
           "mul.rn.f32 %f3, %f2, %f1;\nst.global.f32 [%rd0+40], %f3;\n"     /* denormal in, denormal out */                      \
           "mul.rn.ftz.f32 %f3, %f2, %f1;\nst.global.f32 [%rd0+44], %f3;\n" /* flushed */                                        \
           "div.rn.f64 %d2, %d0, %d1;\nst.global.f64 [%rd0+48], %d2;\n"                                                          \
           "fma.rz.f64 %d2, %d0, %d1, %d0;\nst.global.f64 [%rd0+56], %d2;\n"                                                     \
           "cvt.rn.f32.f64 %f3, %d2;\nst.global.f32 [%rd0+64], %f3;\n"                                                           \
           "cvt.rn.f16.f32 %h0, %f0;\nst.global.b16 [%rd0+68], %h0;\n"                                                           \
           "cvt.rni.s32.f32 %r1, %f0;\nst.global.u32 [%rd0+72], %r1;\n"                                                          \
           "sin.approx.f32 %f3, %f0;\nst.global.f32 [%rd0+76], %f3;\n"                                                           \
           "ex2.approx.f32 %f3, %f0;\nst.global.f32 [%rd0+80], %f3;\n"                                                           \
           "red.global.add.f32 [%rd0+84], %f0;\nred.global.add.f32 [%rd0+84], %f1;\n"                                            \
           "sub.rn.f32 %f3, %f0, %f0;\ndiv.rn.f32 %f3, %f0, %f3;\nst.global.f32 [%rd0+88], %f3;\n" /* by zero */                 \
           "mov.f32 %f4, 0f7F7FFFFF;\nmul.rn.f32 %f3, %f4, %f4;\nst.global.f32 [%rd0+92], %f3;\n"  /* overflow */                \
           "mov.f64 %d3, 0.1;\nst.global.f64 [%rd0+96], %d3;\nmov.f32 %f3, 0.1;\nst.global.f32 [%rd0+104], %f3;\n")

static const uint32_t float_inputs[3] = {0x3FA66666, 0x3E99999A, 0x00000123}; /* 1.3, 0.3, a denormal */

/* The kernel's results under the host state that set() makes; get() must give the same number after as before
 * the launch */
static void floats_under(void (*set)(void), unsigned (*get)(void), const char *name) {
    static uint32_t want[32];
    const uint32_t *got = PLAY(.text = FLOATS, .init = float_inputs, .ninit = 3, .words = 32);
    memcpy(want, got, sizeof want);
    fenv_t normal;
    fegetenv(&normal);
    set();
    unsigned before = get();
    play_any(&(struct play){.text = FLOATS, .init = float_inputs, .ninit = 3, .words = 32});
    unsigned after = get();
    fesetenv(&normal);
    if (played.status) fail_msg("%s: %s", name, played.message);
    if (before != after) fail_msg("%s: the host's state was 0x%x and is 0x%x", name, before, after);
    for (int i = 0; i < 32; i++)
        if (played.out[i] != want[i]) fail_msg("%s: word %d is 0x%x, 0x%x by default", name, i, played.out[i], want[i]);
}

static void round_down(void) { fesetround(FE_DOWNWARD); }
static void round_up(void) { fesetround(FE_UPWARD); }
static void round_to_zero(void) { fesetround(FE_TOWARDZERO); }
static unsigned get_rounding(void) { return (unsigned)fegetround(); }

static void results_do_not_depend_on_the_hosts_rounding(void **state) {
    (void)state;
    floats_under(round_down, get_rounding, "FE_DOWNWARD");
    floats_under(round_up, get_rounding, "FE_UPWARD");
    floats_under(round_to_zero, get_rounding, "FE_TOWARDZERO");
}

static void known_floats_are_right(void **state) {
    (void)state;
    PLAY(.text = FLOATS, .init = float_inputs, .ninit = 3, .words = 32);
    assert_int_equal(played.out[4], 0x3FCCCCCC);  /* 1.3f + 0.3f = 1.5999999 */
    assert_int_equal(played.out[10], 0x00000057); /* 0x123 * 0.3 = 87.3 units */
    assert_int_equal(played.out[11], 0);
    assert_int_equal(played.out[18], 1);
    assert_int_equal(played.out[22], 0x7F800000);
    assert_int_equal(played.out[23], 0x7F800000);
}

#ifdef __SSE__
enum { MXCSR_STATUS = 0x3F };
static void flush_and_zero(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
static unsigned get_mxcsr(void) { return _mm_getcsr() & ~(unsigned)MXCSR_STATUS; }

static void results_do_not_depend_on_the_hosts_flushing(void **state) {
    (void)state;
    floats_under(flush_and_zero, get_mxcsr, "FTZ and DAZ");
}
#endif

static void unmask_exceptions(void) { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); }
static unsigned get_unmasked(void) { return (unsigned)fegetexcept(); }

static void a_host_that_traps_exceptions_is_not_hit(void **state) {
    (void)state;
    floats_under(unmask_exceptions, get_unmasked, "unmasked exceptions");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_a_text),
        cmocka_unit_test(options_at_the_edges_of_their_range_open),
        cmocka_unit_test(closing_nothing_is_nothing),
        cmocka_unit_test(memory_limit_is_kept),
        cmocka_unit_test(module_from_a_file),
        cmocka_unit_test(text_is_taken_by_its_length),
        cmocka_unit_test(bad_text_is_placed_by_file_line_and_column),
        cmocka_unit_test(kernels_are_listed_in_order),
        cmocka_unit_test(module_variables_hold_their_initialisers),
        cmocka_unit_test(initialisers_name_other_variables),
        cmocka_unit_test(a_pointer_from_an_initialiser_can_be_followed),
        cmocka_unit_test(symbols_are_memory_shared_with_kernels),
        cmocka_unit_test(a_freed_module_takes_its_memory_along),
        cmocka_unit_test(closing_a_context_frees_its_modules),
        cmocka_unit_test(kernel_info_describes_the_kernel),
        cmocka_unit_test(recursion_is_reported),
        cmocka_unit_test(a_kernel_that_cannot_be_lowered_says_why),
        cmocka_unit_test(what_is_not_modelled_is_refused_at_launch),
        cmocka_unit_test(no_kernel_is_an_error_and_not_a_crash),
        cmocka_unit_test(parameters_are_described),
        cmocka_unit_test(disassembly_shows_every_instruction),
        cmocka_unit_test(memory_is_aligned_zeroed_and_counted),
        cmocka_unit_test(only_starts_of_live_allocations_are_freed),
        cmocka_unit_test(copies_stay_inside_one_allocation),
        cmocka_unit_test(launches_that_make_no_sense_are_refused),
        cmocka_unit_test(arguments_are_checked_against_the_parameters),
        cmocka_unit_test(arguments_of_every_size_arrive),
        cmocka_unit_test(block_limits_of_the_program_are_kept),
        cmocka_unit_test(shared_memory_has_a_limit),
        cmocka_unit_test(a_register_count_can_be_imposed),
        cmocka_unit_test(a_launch_after_a_refused_and_a_failed_one_works),
        cmocka_unit_test(lane_operations_need_warps_of_32),
        cmocka_unit_test(results_count_blocks_threads_warps_and_accesses),
        cmocka_unit_test(classes_have_names_and_sum_up),
        cmocka_unit_test(progress_is_reported_while_a_launch_runs),
        cmocka_unit_test(trace_has_a_line_per_warp_instruction),
        cmocka_unit_test(trace_is_filtered_by_block_warp_and_kernel),
        cmocka_unit_test(options_may_go_after_open),
        cmocka_unit_test(two_contexts_take_turns),
        cmocka_unit_test(two_contexts_in_two_threads),
        cmocka_unit_test(known_floats_are_right),
        cmocka_unit_test(results_do_not_depend_on_the_hosts_rounding),
#ifdef __SSE__
        cmocka_unit_test(results_do_not_depend_on_the_hosts_flushing),
#endif
        cmocka_unit_test(a_host_that_traps_exceptions_is_not_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
