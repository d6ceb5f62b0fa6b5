/* Which loads are expected to miss: four predictors.
 *
 * Paper: Turner (2012) section 6.1; his "false" and "true" are hit and miss, his "predictor" is counter.
 * Deviation: his chip-wide table is instantaneous, ours is merged at multiples of the window (35_predict.c).
 *
 * P1 a counter of n bits expects a miss from 2^(n-1) misses on; it saturates */
#include "core/predictor_policy.h"

static bool never(const struct predict_view *v) {
    (void)v;
    return false;
}

static bool always(const struct predict_view *v) {
    (void)v;
    return true;
}

static bool counter_says(const struct predict_view *v) { return v->counter >> (v->bits - 1); }

static void counter_learns(u8 *counter, u32 bits, bool missed) {
    if (missed && *counter < (1u << bits) - 1) ++*counter;
    if (!missed && *counter) --*counter;
}

static bool not_present(const struct predict_view *v) { return !v->present(v); }

const struct predictor_policy predictor_hit = {
    .name = "hit",
    .doc = "no load, but those known to miss because they were refused for it",
    .paper = "Turner 2012, 6.1",
    .expects_miss = never,
};
const struct predictor_policy predictor_miss = {
    .name = "miss",
    .doc = "every load",
    .paper = "Turner 2012, 6.1",
    .expects_miss = always,
};
const struct predictor_policy predictor_counter = {
    .name = "counter",
    .doc = "loads whose instruction missed lately, by a table of saturating counters",
    .paper = "Turner 2012, 6.1",
    .expects_miss = counter_says,
    .learn = counter_learns,
};
const struct predictor_policy predictor_oracle = {
    .name = "oracle",
    .doc = "loads whose next line is not in the cache when they would issue (upper bound)",
    .paper = "Turner 2012, 6.1",
    .expects_miss = not_present,
};
