/* The one rule for differences: jitter, effects, agreement with a document. Every case is worked out by
 * hand. */
#include "stats/verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct figure fig(double value, double half) { return (struct figure){value, half}; }

/* Student's t of seven degrees of freedom, and the mean of eight: 2.365 x sqrt(9 / 8) */
static void jitter_is_two_standard_deviations_more_of_few_runs(void **state) {
    (void)state;
    const double x[] = {98, 102, 98, 102, 98, 102, 98, 102}; /* mean 100, variance 32 / 7 */
    assert_true(fabs(jitter_deviations(8) - 2.5085) < 1e-4);
    assert_true(jitter_deviations(16) < 2.2 && jitter_deviations(1000) < 1.97 && jitter_deviations(1000) > 1.96);
    assert_true(fabs(jitter_of(x, 8) - 2.365 * sqrt(9.0 / 8) * sqrt(32.0 / 7) / 100) < 1e-12);
    const double same[] = {5, 5, 5, 5, 5, 5, 5, 5};
    assert_true(jitter_of(same, 8) == 0);
}

static void seven_runs_are_no_jitter(void **state) {
    (void)state;
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8}, zero[8] = {0};
    assert_true(isnan(jitter_of(x, 7)));
    assert_true(isnan(jitter_of(x, 0)));
    assert_true(isnan(jitter_of(zero, 8)));
}

static void parts_are_added_as_squares(void **state) {
    (void)state;
    assert_true(fabs(figure_of(100, 0.03, 4).half - 5) < 1e-12);
    assert_true(figure_of(100, NAN, 4).half == 4);
    assert_true(figure_of(100, NAN, NAN).half == 0);
    struct figure s = figure_speedup(fig(200, 6), fig(100, 4)); /* 3 % and 4 %: 5 % of 2 */
    assert_true(fabs(s.value - 2) < 1e-12 && fabs(s.half - 0.1) < 1e-12);
}

static void below_the_interval_is_none(void **state) {
    (void)state;
    assert_int_equal(figure_effect(fig(1.04, 0.05)), FIGURE_NONE);
    assert_int_equal(figure_effect(fig(1.05, 0.04)), FIGURE_GAIN);
    assert_int_equal(figure_effect(fig(0.95, 0.04)), FIGURE_LOSS);
    assert_int_equal(figure_effect(fig(0.97, 0.04)), FIGURE_NONE);
    assert_int_equal(figure_effect(fig(1, 0)), FIGURE_NONE);
    assert_int_equal(figure_effect(fig(NAN, 0)), FIGURE_UNKNOWN);
    assert_int_equal(figure_effect(fig(1, NAN)), FIGURE_UNKNOWN);
}

static void own_jitter_is_asked_for_near_the_edge(void **state) {
    (void)state;
    assert_true(jitter_wanted(fig(1.1, 0.04)));
    assert_false(jitter_wanted(fig(1.13, 0.04)));
    assert_false(jitter_wanted(fig(NAN, 1)));
}

static void signs_come_before_sizes(void **state) {
    (void)state;
    assert_int_equal(verdict_of(fig(1.2, 0.02), fig(0.8, 0.02), 100), AGREE_OPPOSITE);
    assert_int_equal(verdict_of(fig(1.01, 0.02), fig(1.2, 0.005), 100), AGREE_NOT_HERE);
    assert_int_equal(verdict_of(fig(1.2, 0.02), fig(1.0, 0.005), 100), AGREE_HERE);
    assert_int_equal(verdict_of(fig(1.01, 0.02), fig(1.0, 0.005), 1), AGREE_YES);
    assert_int_equal(verdict_of(fig(NAN, 0.02), fig(1.0, 0.005), 1), AGREE_UNKNOWN);
}

static void intervals_or_the_factor(void **state) {
    (void)state;
    assert_int_equal(verdict_of(fig(1.20, 0.02), fig(1.23, 0.015), 1), AGREE_YES); /* they touch within 0.035 */
    assert_int_equal(verdict_of(fig(1.20, 0.02), fig(1.25, 0.01), 1), AGREE_SIZE);
    assert_int_equal(verdict_of(fig(1.20, 0.02), fig(1.25, 0.01), 1.3), AGREE_YES); /* 0.25 / 0.20 = 1.25 */
    assert_int_equal(verdict_of(fig(1.20, 0.02), fig(1.50, 0.01), 2), AGREE_SIZE);  /* 2.5 */
    assert_int_equal(verdict_of(fig(0.70, 0.02), fig(0.80, 0.01), 2), AGREE_YES);   /* losses: 1.5 */
    assert_int_equal(verdict_of(fig(0.50, 0.02), fig(0.80, 0.01), 2), AGREE_SIZE);  /* 2.5 */
}

/* A document that says "above" or "below": all of our interval must lie there */
static void a_side_is_cleared_by_the_interval(void **state) {
    (void)state;
    assert_int_equal(verdict_side(fig(1.05, 0.04), 1, true), AGREE_YES);
    assert_int_equal(verdict_side(fig(1.05, 0.06), 1, true), AGREE_NOT_HERE);
    assert_int_equal(verdict_side(fig(0.9, 0.04), 1, true), AGREE_OPPOSITE);
    assert_int_equal(verdict_side(fig(0.9, 0.04), 1, false), AGREE_YES);
    assert_int_equal(verdict_side(fig(1, 0), 1, true), AGREE_NOT_HERE);
    assert_int_equal(verdict_side(fig(-0.2, 0), -0.1, false), AGREE_YES); /* a correlation may be below zero */
    assert_int_equal(verdict_side(fig(NAN, 0), 1, true), AGREE_UNKNOWN);
}

/* Shares and amounts are compared themselves, not their distance from 1 */
static void amounts_are_compared_as_they_are(void **state) {
    (void)state;
    assert_int_equal(verdict_amount(fig(0.003, 0), fig(0.1, 0.005), 1.5), AGREE_SIZE);
    assert_int_equal(verdict_amount(fig(0.379, 0), fig(0.5, 0.005), 1.5), AGREE_YES);
    assert_int_equal(verdict_amount(fig(0.379, 0), fig(0.5, 0.005), 1.3), AGREE_SIZE);
    assert_int_equal(verdict_amount(fig(0.48, 0.02), fig(0.5, 0.005), 1), AGREE_YES);
    assert_int_equal(verdict_amount(fig(0, 0), fig(0.5, 0.005), 2), AGREE_SIZE);
    assert_int_equal(verdict_amount(fig(-0.4, 0), fig(0.5, 0.005), 2), AGREE_OPPOSITE);
    assert_int_equal(verdict_amount(fig(NAN, 0), fig(0.5, 0.005), 2), AGREE_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jitter_is_two_standard_deviations_more_of_few_runs),
        cmocka_unit_test(seven_runs_are_no_jitter),
        cmocka_unit_test(parts_are_added_as_squares),
        cmocka_unit_test(below_the_interval_is_none),
        cmocka_unit_test(own_jitter_is_asked_for_near_the_edge),
        cmocka_unit_test(signs_come_before_sizes),
        cmocka_unit_test(a_side_is_cleared_by_the_interval),
        cmocka_unit_test(intervals_or_the_factor),
        cmocka_unit_test(amounts_are_compared_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
