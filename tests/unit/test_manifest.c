/* The manifest layer: generators, reading, exact error texts, comparing. No simulator is needed. */
#include "manifest/manifest.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- short forms */

static struct manifest *parse(const char *text, struct diag *d) { return manifest_parse("x.json", text, strlen(text), d); }

static void expect_errors(const char *text, const char *errors) {
    struct diag d = {0};
    struct manifest *m = parse(text, &d);
    assert_null(m);
    assert_string_equal(d.text.s, errors);
    diag_free(&d);
}

static struct manifest *expect_ok(const char *text) {
    struct diag d = {0};
    struct manifest *m = parse(text, &d);
    if (!m) print_message("%s", d.text.s);
    assert_non_null(m);
    return m;
}

#define BUFFERS(...)                                                                                                             \
    "{\"buffers\": [" __VA_ARGS__ "], \"launches\": [{\"kernel\": \"k\", \"grid\": [1], \"block\": [1], \"args\": []}]}"
#define LAUNCH(fields)                                                                                                           \
    "{\"buffers\": [{\"name\": \"a\", \"type\": \"f32\", \"count\": 4}, {\"name\": \"b\", \"type\": \"u8\", \"count\": 4}], "    \
    "\"launches\": [{"                                                                                                           \
    "\"kernel\": \"k\", \"grid\": [1], \"block\": [1], " fields "}]}"
#define EXPECT(check, fields)                                                                                                    \
    "{\"buffers\": [{\"name\": \"a\", \"type\": \"f32\", \"count\": 4, \"check\": " check                                        \
    "}], \"launches\": [{\"kernel\": \"k\", \"grid\": [1], \"block\": [1], \"args\": []}], \"expect\": {" fields "}}"

/* --- generators: checksums that an independent program computed for the same buffers */

struct generated {
    const char *generator, *type;
    u64 count, seed;
    double p0, p1;
    u64 hash;
};

static void check_generated(const struct generated *g) {
    char text[512];
    snprintf(text, sizeof(text),
             BUFFERS("{\"name\": \"a\", \"type\": \"%s\", \"count\": %llu, \"generator\": \"%s\", \"seed\": %llu, \"p0\": %.17g, "
                     "\"p1\": %.17g, "
                     "\"init_fnv1a64\": \"%016llx\"}"),
             g->type, (unsigned long long)g->count, g->generator, (unsigned long long)g->seed, g->p0, g->p1,
             (unsigned long long)g->hash);
    struct manifest *m = expect_ok(text);
    struct diag d = {0};
    void *data = malloc(m->buffers[0].bytes);
    if (!manifest_fill(m, 0, data, &d)) print_message("%s %s: %s", g->generator, g->type, d.text.s);
    assert_int_equal(d.errors, 0);
    diag_free(&d);
    free(data);
    manifest_free(m);
}

static void test_generators(void **state) {
    (void)state;
    static const struct generated cases[] = {
        {"band", "u32", 5000, 43, 900, 60, 0x22173503d344e29eull},
        {"bell", "u16", 5000, 45, 1000, 7, 0xb1ba2ebaf035f2e0ull},
        {"bytes", "u8", 200000, 73, 4, 0, 0xf86f933fdd83ccc5ull},
        {"diagdom", "f32", 1600, 63, 40, 0, 0xd47e7829aff01ac8ull},
        {"fill", "f32", 16384, 0, 6.103515625e-05, 0, 0xc29e084b16222325ull},
        {"hash", "u32", 44, 58, 0, 0, 0xec997c3aa22e39a4ull},
        {"lcgperm", "u32", 262144, 0, 100005, 77773, 0x1b48424800d30105ull},
        {"mesh", "u32", 5000, 44, 1250, 96, 0x9880bd1bafc8d217ull},
        {"mod", "u32", 16384, 37, 15, 1, 0xfe0919d7d4101c91ull},
        {"popular", "u32", 5000, 42, 777, 0, 0x1206d91724c5b772ull},
        {"popular", "u8", 64, 47, 1, 0, 0xb9b23f3a46fd0825ull},
        {"powerlaw", "u32", 5001, 41, 2, 512, 0xf272a77d05e71d5eull},
        {"powerlaw", "u64", 64, 46, 1, 2147483648.0, 0xac93c9e9879fceaaull},
        {"prefix", "u32", 16385, 35, 1, 15, 0x4d07cde865932f8bull},
        {"range", "f32", 96, 56, 0.2, 2.5, 0x1243c398cb31d364ull},
        {"range", "f64", 9216, 15, -1, 1, 0xa735cebaef9508a1ull},
        {"twiddle", "f32", 1024, 0, 1024, 0, 0xf11aaaebc94f04c1ull},
        {"unit", "f32", 40, 64, 0, 0, 0xc1f87b7050035cc8ull},
        {"zero", "f32", 16, 0, 0, 0, 0xb9b23f3a46fd0825ull},
        {"zero", "f64", 9216, 0, 0, 0, 0x0668679189e8a325ull},
        {"zero", "s32", 16384, 0, 0, 0, 0xeb05052ea5b62325ull},
        {"zero", "u32", 1, 0, 0, 0, 0x4d25767f9dce13f5ull},
        {"zero", "u64", 1, 0, 0, 0, 0xa8c7f832281a39c5ull},
        {"zero", "u8", 200000, 0, 0, 0, 0x219fb3ca72598c25ull},
    };
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) check_generated(&cases[i]);
}

static void first_elements(const char *generator, const char *type, double p0, double p1, const double *want, u32 n) {
    char text[512];
    snprintf(text, sizeof(text),
             BUFFERS("{\"name\": \"a\", \"type\": \"%s\", \"count\": 8, \"generator\": \"%s\", \"seed\": 1, \"p0\": %.17g, "
                     "\"p1\": %.17g}"),
             type, generator, p0, p1);
    struct manifest *m = expect_ok(text);
    double data[8];
    generator_fill(&m->buffers[0], data);
    for (u32 i = 0; i < n; i++) assert_true(manifest_element(m->buffers[0].type, data, i) == want[i]);
    manifest_free(m);
}

static void test_small_contents(void **state) {
    (void)state;
    first_elements("fill", "s16", -3, 0, (double[]){-3, -3, -3}, 3);
    first_elements("fill", "f64", 0.1, 0, (double[]){0.1, 0.1}, 2);
    first_elements("iota", "u64", 0, 0, (double[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
    first_elements("iota", "f32", 0, 0, (double[]){0, 1, 2}, 3);
    first_elements("lcgperm", "u32", 3, 1, (double[]){1, 4, 7, 2, 5, 0, 3, 6}, 8);
    first_elements("prefix", "u32", 4, 4, (double[]){0, 4, 8, 12}, 4);
    first_elements("ramp", "s8", 1, 0, (double[]){0, 1, 2, 3}, 4);
    first_elements("twiddle", "f64", 4, 0, (double[]){1, -0.0}, 2);
    first_elements("mod", "u32", 1, 7, (double[]){7, 7, 7}, 3);
}

static void test_generators_are_documented(void **state) {
    (void)state;
    for (u32 i = 0; i < generator_count; i++) {
        assert_true(strlen(generator_table[i].doc) > 0);
        assert_true(strlen(generator_table[i].types) > 0);
    }
}

/* --- reading */

static void test_reads_everything(void **state) {
    (void)state;
    struct manifest *m =
        expect_ok("{\"name\": \"demo\", \"ptx\": \"demo.ptx\", \"silicon_note\": 1,"
                  " \"buffers\": [{\"id\": 0, \"name\": \"x\", \"type\": \"f32\", \"count\": 3, \"bytes\": 12, \"generator\": "
                  "\"fill\", \"p0\": 2},"
                  "               {\"name\": \"y\", \"type\": \"u8\", \"count\": 5, \"file\": \"y.bin\", \"check\": true}],"
                  " \"launches\": [{\"kernel\": \"k\", \"grid\": [2, 3], \"block\": [4, 5, 6], \"dynamic_smem\": 64, "
                  "\"registers\": 40, \"profiled\": true,"
                  "   \"args\": [{\"buf\": 1}, {\"buf\": \"x\"}, {\"type\": \"s32\", \"value\": -2}, {\"type\": \"f32\", "
                  "\"hex\": \"0000803f\", \"value\": 1},"
                  "              {\"hex\": \"010203\"}]}],"
                  " \"expect\": {\"mode\": \"bits\", \"tolerance\": 0, \"reference_fnv1a64\": \"00000000000000ff\", "
                  "\"silicon_fnv1a64\": \"0123456789abcdef\"}}");
    assert_string_equal(m->name, "demo");
    assert_string_equal(m->dir, "");
    assert_int_equal(m->nbuffers, 2);
    assert_int_equal(manifest_bytes(m), 17);
    assert_string_equal(m->buffers[1].file, "y.bin");
    assert_null(m->buffers[1].generator);
    assert_true(m->buffers[1].check && !m->buffers[0].check);
    const struct manifest_launch *l = &m->launches[0];
    assert_int_equal(l->grid[1], 3);
    assert_int_equal(l->grid[2], 1);
    assert_int_equal(l->block[2], 6);
    assert_int_equal(l->dynamic_shared_b, 64);
    assert_int_equal(l->registers, 40);
    assert_int_equal(l->args[0].buffer, 1);
    assert_int_equal(l->args[1].buffer, 0);
    assert_memory_equal(l->args[2].bytes, "\xfe\xff\xff\xff", 4);
    assert_memory_equal(l->args[3].bytes, "\x00\x00\x80\x3f", 4);
    assert_int_equal(l->args[4].size_b, 3);
    assert_int_equal(m->expect.mode, EXPECT_BITS);
    assert_true(m->expect.hash == 0x0123456789abcdefull);
    assert_string_equal(m->expect.origin, "silicon");
    manifest_free(m);
}

static void test_name_from_file(void **state) {
    (void)state;
    struct diag d = {0};
    const char *text = BUFFERS("");
    struct manifest *m = manifest_parse("some/where/thing.v2.json", text, strlen(text), &d);
    assert_string_equal(m->name, "thing.v2");
    assert_string_equal(m->dir, "some/where/");
    assert_int_equal(m->expect.mode, EXPECT_NONE);
    manifest_free(m);
}

static void test_syntax_errors(void **state) {
    (void)state;
    expect_errors("{\"buffers\": [}", "x.json:1:14: error: unexpected token near '}'\n");
    expect_errors("{\n \"name\": \"a\",\n \"name\": \"b\"\n}", "x.json:3:7: error: duplicate object key near '\"name\"'\n");
    expect_errors("", "x.json:1:1: error: '[' or '{' expected near end of file\n");
    expect_errors("[1]", "x.json: error: must be an object\n");
}

static void test_key_errors(void **state) {
    (void)state;
    expect_errors("{\"bufers\": [], \"launches\": 3}", "x.json: error: unknown key \"bufers\"; did you mean \"buffers\"?\n"
                                                       "x.json: error: \"launches\" must be a list\n"
                                                       "x.json: error: key \"buffers\" is missing\n");
    expect_errors("{\"buffers\": [], \"launches\": [], \"temperature\": 1}",
                  "x.json: error: unknown key \"temperature\"; legal keys are name, source, held, doc, program, ptx, textures, "
                  "buffers, launches, expect\n");
    expect_errors("{\"buffers\": [], \"launches\": []}", "x.json: error: launches: is empty; give at least one launch\n");
}

static void test_buffer_errors(void **state) {
    (void)state;
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"f32\"}"), "x.json: error: buffers[0]: key \"count\" is missing\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"f32\", \"count\": -1}"),
                  "x.json: error: buffers[0]: \"count\" must be an integer that is not negative\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"f32\", \"count\": 0}"),
                  "x.json: error: buffers[0]: \"count\" must be 1 to 274877906944 for f32\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"float\", \"count\": 4}"),
                  "x.json: error: buffers[0]: unknown type \"float\"; legal types are u8 s8 u16 s16 u32 s32 u64 s64 f32 f64\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"f32\", \"count\": 4, \"bytes\": 17}"),
                  "x.json: error: buffers[0]: \"bytes\" is 17, but 4 elements of f32 are 16 bytes\n");
    expect_errors(BUFFERS("{\"id\": 1, \"name\": \"a\", \"type\": \"f32\", \"count\": 4}"),
                  "x.json: error: buffers[0]: \"id\" must be 0, the buffer's place in the list\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"u8\", \"count\": 4}, {\"name\": \"a\", \"type\": \"u8\", \"count\": 4}"),
                  "x.json: error: buffers[1]: the name \"a\" is taken by buffers[0]\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"u8\", \"count\": 4, \"init_fnv1a64\": \"12\"}"),
                  "x.json: error: buffers[0]: \"init_fnv1a64\" must be a string of 16 hex digits\n");
}

static void test_generator_errors(void **state) {
    (void)state;
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"f32\", \"count\": 4, \"generator\": \"untt\"}"),
                  "x.json: error: buffers[0]: unknown generator \"untt\"; did you mean \"unit\"?\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"f32\", \"count\": 4, \"generator\": \"gaussian\"}"),
                  "x.json: error: buffers[0]: unknown generator \"gaussian\"; legal generators are zero fill iota hash mod bytes "
                  "unit range prefix "
                  "lcgperm ramp diagdom twiddle powerlaw popular band mesh bell\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"f32\", \"count\": 4, \"generator\": \"hash\"}"),
                  "x.json: error: buffers[0]: generator \"hash\" makes u8 s8 u16 s16 u32 s32 u64 s64, not f32\n");
    expect_errors(
        BUFFERS("{\"name\": \"a\", \"type\": \"u32\", \"count\": 4, \"generator\": \"mod\"}"),
        "x.json: error: buffers[0]: generator \"mod\" needs an integer p0 of at least 1 and an integer p1 of at least 0\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"u32\", \"count\": 5, \"generator\": \"lcgperm\", \"p0\": 3}"),
                  "x.json: error: buffers[0]: generator \"lcgperm\" needs a count that is a power of two\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"u32\", \"count\": 5, \"generator\": \"powerlaw\", \"p0\": 0}"),
                  "x.json: error: buffers[0]: generator \"powerlaw\" needs integers p0 and p1 with 1 <= p0 <= p1 <= 2^31\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"u32\", \"count\": 5, \"generator\": \"band\", \"p0\": 4, \"p1\": 5}"),
                  "x.json: error: buffers[0]: generator \"band\" needs integers p0 and p1 with 1 <= p1 <= p0 <= 2^32\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"u32\", \"count\": 5, \"generator\": \"bell\", \"p0\": 5e9}"),
                  "x.json: error: buffers[0]: generator \"bell\" needs an integer p0 from 1 to 2^32 and an integer p1 of at "
                  "least 0\n");
    expect_errors(BUFFERS("{\"name\": \"a\", \"type\": \"u32\", \"count\": 5, \"generator\": \"zero\", \"file\": \"a\"}"),
                  "x.json: error: buffers[0]: has several of \"generator\", \"file\" and \"values\"; keep one\n");
}

static void test_launch_errors(void **state) {
    (void)state;
    expect_errors(LAUNCH("\"args\": [{\"buf\": 0}, {\"buf\": 7}]"),
                  "x.json: error: launches[0].args[1]: no buffer with id 7; legal ids are 0 to 1\n");
    expect_errors(LAUNCH("\"args\": [{\"buf\": \"c\"}]"),
                  "x.json: error: launches[0].args[0]: no buffer \"c\"; legal names are a, b\n");
    expect_errors(LAUNCH("\"args\": [{\"value\": 1}]"),
                  "x.json: error: launches[0].args[0]: needs \"buf\", or \"type\" with \"value\", or \"hex\"\n");
    expect_errors(LAUNCH("\"args\": [{\"type\": \"u8\", \"value\": 256}]"),
                  "x.json: error: launches[0].args[0]: \"value\" does not fit u8\n");
    expect_errors(LAUNCH("\"args\": [{\"type\": \"s32\", \"value\": 1.5}]"),
                  "x.json: error: launches[0].args[0]: \"value\" does not fit s32\n");
    expect_errors(LAUNCH("\"args\": [{\"type\": \"s32\", \"hex\": \"0100\"}]"),
                  "x.json: error: launches[0].args[0]: \"hex\" holds 2 bytes, but s32 has 4\n");
    expect_errors(LAUNCH("\"args\": [{\"type\": \"s32\", \"hex\": \"01000000\", \"value\": 2}]"),
                  "x.json: error: launches[0].args[0]: \"hex\" and \"value\" differ; remove one or make them agree\n");
    expect_errors(LAUNCH("\"args\": [{\"hex\": \"0g\"}]"),
                  "x.json: error: launches[0].args[0]: \"hex\" must be 1 to 32764 bytes of two hex digits each\n");
    expect_errors(LAUNCH("\"args\": [], \"registers\": 256"), "x.json: error: launches[0]: \"registers\" must be 0 to 255\n");
    expect_errors(LAUNCH("\"args\": [], \"dynamic_shared\": 4"),
                  "x.json: error: launches[0]: unknown key \"dynamic_shared\"; legal keys are kernel, grid, block, dynamic_smem, "
                  "args, registers, "
                  "profiled, static_smem, local_bytes, local, barriers\n");
    expect_errors("{\"buffers\": [], \"launches\": [{\"kernel\": \"k\", \"grid\": [0, 1, 1], \"block\": [2048], \"args\": []}]}",
                  "x.json: error: launches[0]: grid[0] must be an integer from 1 to 2147483647\n"
                  "x.json: error: launches[0]: block[0] must be an integer from 1 to 1024\n");
    expect_errors(
        "{\"buffers\": [], \"launches\": [{\"kernel\": \"k\", \"grid\": [], \"block\": [1], \"args\": [{\"buf\": 0}]}]}",
        "x.json: error: launches[0]: \"grid\" must hold 1 to 3 numbers\n"
        "x.json: error: launches[0].args[0]: no buffer 0; the manifest has no buffers\n");
}

static void test_expect_errors(void **state) {
    (void)state;
    expect_errors(EXPECT("true", "\"mode\": \"exact\""),
                  "x.json: error: expect: unknown mode \"exact\"; legal modes are bits, tolerance, reference\n");
    expect_errors(EXPECT("true", "\"mode\": \"tolerance\", \"reference_sum\": 1"),
                  "x.json: error: expect: \"tolerance\" must be positive\n");
    expect_errors(EXPECT("false", "\"mode\": \"reference\""),
                  "x.json: error: expect: nothing to compare: no buffer has \"check\": true\n");
}

/* A mode whose figures are not known yet expects nothing. */
static void test_expect_without_figures(void **state) {
    (void)state;
    static const char *const fields[] = {"\"mode\": \"bits\"",
                                         "\"mode\": \"tolerance\", \"tolerance\": 0.001, \"reference_sum\": 1"};
    for (u32 i = 0; i < ARRAY_LEN(fields); i++) {
        char text[512];
        snprintf(text, sizeof(text), EXPECT("true", "%s"), fields[i]);
        struct manifest *m = expect_ok(text);
        assert_int_equal(m->expect.mode, EXPECT_NONE);
        manifest_free(m);
    }
}

static void test_errors_are_limited(void **state) {
    (void)state;
    struct strbuf s = {0};
    struct diag d = {0};
    strbuf_add(&s, "{\"launches\": [], \"buffers\": [3");
    for (int i = 0; i < 100; i++) strbuf_add(&s, ",3");
    strbuf_add(&s, "], \"expect\": {}}"); /* what follows a full list of errors is still not trusted */
    assert_null(parse(s.s, &d));
    assert_int_equal(d.errors, 20);
    diag_free(&d);
    strbuf_free(&s);
}

static void test_wrong_init_hash(void **state) {
    (void)state;
    struct manifest *m =
        expect_ok(BUFFERS("{\"name\": \"a\", \"type\": \"u8\", \"count\": 1, \"init_fnv1a64\": \"0000000000000001\"}"));
    struct diag d = {0};
    u8 byte;
    assert_false(manifest_fill(m, 0, &byte, &d));
    assert_string_equal(
        d.text.s,
        "x.json: error: buffers[0]: the initial contents hash to af63bd4c8601b7df, but \"init_fnv1a64\" is 0000000000000001\n");
    diag_free(&d);
    manifest_free(m);
}

static void test_missing_files(void **state) {
    (void)state;
    struct manifest *m = expect_ok(BUFFERS("{\"name\": \"a\", \"type\": \"u8\", \"count\": 1, \"file\": \"nowhere/a.bin\"}"));
    struct diag d = {0};
    u8 byte;
    assert_false(manifest_fill(m, 0, &byte, &d));
    assert_null(manifest_program_path(m, &d));
    m->program = "nowhere/a.ptx";
    assert_null(manifest_program_path(m, &d));
    assert_string_equal(
        d.text.s, "x.json: error: buffers[0]: cannot read nowhere/a.bin: No such file or directory\n"
                  "x.json: error: key \"program\" is missing; add it, or name the program: heddle run FILE --manifest x.json\n"
                  "x.json: error: program: cannot read nowhere/a.ptx, nor ../nowhere/a.ptx\n");
    diag_free(&d);
    manifest_free(m);
}

static void test_find_buffer(void **state) {
    (void)state;
    struct manifest *m = expect_ok(LAUNCH("\"args\": []"));
    struct diag d = {0};
    assert_int_equal(manifest_find_buffer(m, "b", "--dump", &d), 1);
    assert_int_equal(manifest_find_buffer(m, "0", "--dump", &d), 0);
    assert_int_equal(manifest_find_buffer(m, "2", "--dump", &d), -1);
    assert_string_equal(d.text.s, "error: --dump: x.json has no buffer \"2\"; it has a (0), b (1)\n");
    diag_free(&d);
    manifest_free(m);
}

/* --- comparing */

static enum verdict compare(const char *fields, const float got[4], const float want[4], struct outcome *o) {
    char text[1024];
    snprintf(text, sizeof(text), EXPECT("true", "%s"), fields);
    struct manifest *m = expect_ok(text);
    void *data[] = {(void *)got}, *reference[] = {(void *)want};
    manifest_compare(m, data, reference, o);
    manifest_free(m);
    return o->verdict;
}

static void test_compare_bits(void **state) {
    (void)state;
    struct outcome o;
    float x[4] = {1, -2, 3, 4};
    char fields[128];
    snprintf(fields, sizeof(fields), "\"mode\": \"bits\", \"silicon_fnv1a64\": \"%016llx\"",
             (unsigned long long)hash_fnv1a64(FNV1A64_START, x, sizeof(x)));
    assert_int_equal(compare(fields, x, x, &o), VERDICT_OK);
    assert_int_equal(compare("\"mode\": \"bits\", \"reference_fnv1a64\": \"0000000000000001\"", x, x, &o), VERDICT_DIFFERS);
}

static void test_compare_sums(void **state) {
    (void)state;
    struct outcome o;
    const char *fields = "\"mode\": \"tolerance\", \"tolerance\": 1e-3, \"silicon_sum\": 6, \"silicon_abs_sum\": 10";
    assert_int_equal(compare(fields, (float[]){1, -2, 3, 4}, NULL, &o), VERDICT_OK);
    assert_true(o.sum == 6 && o.abs_sum == 10);
    assert_int_equal(compare(fields, (float[]){1, -2, 3, 4.009f}, NULL, &o), VERDICT_OK);
    assert_int_equal(compare(fields, (float[]){1, -2, 3, 4.02f}, NULL, &o), VERDICT_DIFFERS);
    assert_int_equal(compare(fields, (float[]){1, -2, 3, NAN}, NULL, &o), VERDICT_DIFFERS);
}

static void test_compare_reference(void **state) {
    (void)state;
    struct outcome o;
    const char *near = "\"mode\": \"reference\", \"tolerance\": 0.01", *exact = "\"mode\": \"reference\"";
    float want[4] = {1, 1000, 0, INFINITY};
    assert_int_equal(compare(exact, want, want, &o), VERDICT_OK);
    assert_string_equal(o.text, "4 elements as the CPU reference");
    assert_int_equal(compare(near, (float[]){1.009f, 1009, 0.009f, INFINITY}, want, &o), VERDICT_OK);
    assert_int_equal(compare(near, (float[]){1, 1000, 0.02f, 1}, want, &o), VERDICT_DIFFERS);
    assert_string_equal(o.text, "a[2] is 0.0199999996, want 0; 2 of 4 elements differ from the CPU reference");
    assert_int_equal(compare(exact, (float[]){1, 1000, -0.0f, INFINITY}, want, &o), VERDICT_DIFFERS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generators),
        cmocka_unit_test(test_small_contents),
        cmocka_unit_test(test_generators_are_documented),
        cmocka_unit_test(test_reads_everything),
        cmocka_unit_test(test_name_from_file),
        cmocka_unit_test(test_syntax_errors),
        cmocka_unit_test(test_key_errors),
        cmocka_unit_test(test_buffer_errors),
        cmocka_unit_test(test_generator_errors),
        cmocka_unit_test(test_launch_errors),
        cmocka_unit_test(test_expect_errors),
        cmocka_unit_test(test_expect_without_figures),
        cmocka_unit_test(test_errors_are_limited),
        cmocka_unit_test(test_wrong_init_hash),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_find_buffer),
        cmocka_unit_test(test_compare_bits),
        cmocka_unit_test(test_compare_sums),
        cmocka_unit_test(test_compare_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
