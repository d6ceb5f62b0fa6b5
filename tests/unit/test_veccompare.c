/* The rules by which recorded and computed elements agree, each at its edge. */
#include "cli/vectors.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool agree(const char *compare, u64 got, u64 want) {
    struct vec_type t;
    struct vec_rule r;
    assert_true(vec_compare_parse(compare, &t, &r));
    return vec_agree(&t, &r, got, want);
}

static void test_bits(void **state) {
    (void)state;
    assert_true(agree("f32/bits", 0x7fc00000, 0x7fc00000));
    assert_false(agree("f32/bits", 0x7fc00000, 0x7fffffff));
    assert_false(agree("f32/bits", 0x80000000, 0));
    assert_true(agree("u8/bits", 0xff, 0xff));
}

static void test_nan(void **state) {
    (void)state;
    assert_true(agree("f32/nan", 0x7fc00000, 0xffffffff));
    assert_true(agree("f16/nan", 0x7e00, 0x7fff));
    assert_true(agree("bf16x2/nan", 0x7fc0, 0xffff));
    assert_true(agree("f64/nan", 0x7ff8000000000000, 0x7fffffffffffffff));
    assert_false(agree("f32/nan", 0x7f800000, 0x7fc00000)); /* infinity is no NaN */
    assert_false(agree("f16/nan", 0x7c00, 0x7c01));
    assert_false(agree("f32/nan", 0x80000000, 0));
}

static void test_ulp(void **state) {
    (void)state;
    assert_true(agree("f32/ulp:2", 0x3f800002, 0x3f800000));
    assert_false(agree("f32/ulp:2", 0x3f800003, 0x3f800000));
    assert_true(agree("f32/ulp:1", 0x80000000, 0));          /* -0 and +0 are neighbours */
    assert_true(agree("f32/ulp:2", 0x80000000, 1));          /* -0, +0, smallest */
    assert_false(agree("f32/ulp:2", 0x80000001, 1));         /* three steps */
    assert_true(agree("f32/ulp:1", 0x7f7fffff, 0x7f800000)); /* infinity included */
    assert_false(agree("f32/ulp:2", 0x7f800000, 0x7f800001));
    assert_true(agree("f32/ulp:2", 0x7f800001, 0xffc00000));
    assert_false(agree("f64/ulp:1", 0xffefffffffffffff, 0x7fefffffffffffff)); /* no overflow of the distance */
}

static void test_rel_and_abs(void **state) {
    (void)state;
    assert_true(agree("f32/rel:2^-10", 0x3f800000, 0x3f802000)); /* 1 and 1 + 2^-10 */
    assert_false(agree("f32/rel:2^-11", 0x3f800000, 0x3f802000));
    assert_true(agree("f32/rel:0.5", 0x80000000, 0));           /* equal as numbers */
    assert_false(agree("f32/rel:0.5", 0x7f800000, 0x7f7fffff)); /* infinity is near nothing */
    assert_true(agree("f32/abs:2^-10", 0x3f800000, 0x3f802000));
    assert_false(agree("f32/abs:2^-11", 0x3f800000, 0x3f802000));
    assert_true(agree("f16/abs:2^-10", 0x3c00, 0x3c01));
    assert_true(agree("f32/lg2", 0x34000000, 0xb4000000)); /* 2^-23 and -2^-23: absolute */
    assert_true(agree("f32/lg2", 0x43000000, 0x43000001)); /* 128: relative */
    assert_false(agree("f32/lg2", 0x3f800000, 0x3f800008));
}

static void test_rec(void **state) {
    (void)state;
    assert_true(agree("u32/rec", 1, 2));
}

static void test_parse(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "f32", "f32/", "f31/bits", "f32/bit", "f32/bits:1", "f32/ulp", "f32/ulp:", "f32/ulp:x", "f32/rel:-1", "/bits", ""};
    struct vec_type t;
    struct vec_rule r;
    for (u32 i = 0; i < ARRAY_LEN(wrong); i++) assert_false(vec_compare_parse(wrong[i], &t, &r));
    assert_true(vec_compare_parse("bf16x2/rel:2^-7", &t, &r));
    assert_int_equal(t.size_b, 2);
    assert_true(r.bound == 0x1p-7);
}

static void test_print(void **state) {
    (void)state;
    char to[48];
    struct vec_type t;
    struct vec_rule r;
    assert_true(vec_compare_parse("f16/bits", &t, &r));
    assert_string_equal(vec_print(to, &t, 0x3c00), "0x3c00 (1)");
    assert_string_equal(vec_print(to, &t, 0x0001), "0x0001 (5.96046448e-08)");
    assert_true(vec_compare_parse("s16/bits", &t, &r));
    assert_string_equal(vec_print(to, &t, 0xfffe), "0xfffe (-2)");
    assert_true(vec_compare_parse("b64/bits", &t, &r));
    assert_string_equal(vec_print(to, &t, 5), "0x0000000000000005");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),        cmocka_unit_test(test_nan), cmocka_unit_test(test_ulp),
        cmocka_unit_test(test_rel_and_abs), cmocka_unit_test(test_rec), cmocka_unit_test(test_parse),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
