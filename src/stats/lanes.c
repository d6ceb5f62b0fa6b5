/* Lanes of a launch's instructions: sums over SMs and launches, and the estimate that Jin (2012) makes of
 * their distribution (section 6.1). */
#include "stats/stats.h"

#include <math.h>

void lane_stats_add(struct lane_stats *sum, const struct lane_stats *s) {
    for (u32 i = 0; i < LANE_BINS; i++) sum->occupied[i] += s->occupied[i];
    for (u32 i = 0; i < LOST_COUNT; i++) sum->lost[i] += s->lost[i];
    sum->control += s->control;
}

/* 1 / ((1 - sum of f) + sum of f / s) over the fractions f of instructions that need b of B beats, s = B / b:
 * the same as all beats over those that are needed. The thesis's table 6.1 writes 1.33 for 4/3. */
double lane_stats_estimate(const struct lane_stats *s, u32 warp_size, u32 width) {
    double all = 0, needed = 0;
    if (!width) return NAN;
    u32 whole = (warp_size + width - 1) / width;
    for (u32 n = 0; n <= warp_size && n < LANE_BINS; n++) {
        u32 beats = MAX((n + width - 1) / width, 1u);
        all += (double)s->occupied[n] * whole;
        needed += (double)s->occupied[n] * beats;
    }
    return needed > 0 ? all / needed : NAN;
}
