/* Lanes of instructions: does equation 6.1 give what the thesis prints, and what would each distribution cost
 * at least? */
#include "stats/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct lane_stats quarters(u64 one, u64 two, u64 three, u64 four) {
    struct lane_stats s = {0};
    s.occupied[8] = one, s.occupied[16] = two, s.occupied[24] = three, s.occupied[32] = four;
    return s;
}

/* Jin 2012, table 6.1: NQU over all stages and in the last; the thesis takes 1.33 for 4/3 */
static void table_6_1_comes_out(void **state) {
    (void)state;
    struct lane_stats all = quarters(62, 26, 6, 906), last = quarters(58, 68, 67, 807);
    assert_float_equal(lane_stats_estimate(&all, 32, 8), 1.065, 0.0005);
    assert_float_equal(lane_stats_estimate(&last, 32, 8), 1.104, 0.0005);
}

static void threads_take_as_few_beats_as_they_can(void **state) {
    (void)state;
    for (u32 n = 1; n <= 32; n++)
        for (u32 width = 1; width <= 32; width++) {
            struct lane_stats s = {0};
            s.occupied[n] = 5;
            double whole = ceil(32.0 / width), needed = ceil((double)n / width);
            assert_float_equal(lane_stats_estimate(&s, 32, width), whole / needed, 1e-12);
        }
    struct lane_stats none = {0};
    assert_true(isnan(lane_stats_estimate(&none, 32, 8)));
}

static void sums_are_of_all(void **state) {
    (void)state;
    struct lane_stats a = quarters(1, 2, 3, 4), b = quarters(5, 6, 7, 8);
    a.control = 3, b.control = 4, a.lost[LOST_PARTED] = 10, b.lost[LOST_GUARDED] = 20;
    lane_stats_add(&a, &b);
    assert_int_equal(a.occupied[8], 6);
    assert_int_equal(a.occupied[32], 12);
    assert_int_equal(a.control, 7);
    assert_int_equal(a.lost[LOST_PARTED], 10);
    assert_int_equal(a.lost[LOST_GUARDED], 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_6_1_comes_out),
        cmocka_unit_test(threads_take_as_few_beats_as_they_can),
        cmocka_unit_test(sums_are_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
