/* weather: a column after the other in double precision, all time steps. The kernel computes in single
 * precision, hence a tolerance. */
#include <stdlib.h>

#include "../ref.h"

#define STEP_S   20.0
#define SUBSTEPS 4

struct air {
    double t, vapour, cloud, rain, snow, pressure, thickness;
};

static double holds(const struct air *a) {
    double e = 6.112 * exp(17.67 * (a->t - 273.15) / (a->t - 29.65));
    return 622 * e / (a->pressure - e);
}

static void condense(struct air *a) {
    double most = holds(a), grams = fmax((a->vapour - most) / (1 + most * 13500 / (a->t * a->t)), -a->cloud);
    a->vapour -= grams;
    a->cloud += grams;
    a->t += 2.5 * grams;
}

static void collect(struct air *a) {
    double grams = STEP_S * (1e-3 * fmax(a->cloud - 0.5, 0) + 2.2e-3 * a->cloud * pow(a->rain, 0.875));
    grams = fmin(grams, a->cloud);
    a->cloud -= grams;
    a->rain += grams;
}

static void evaporate(struct air *a) {
    double grams = fmin(STEP_S * 1e-3 * fmax(holds(a) - a->vapour, 0) * sqrt(a->rain), a->rain);
    a->rain -= grams;
    a->vapour += grams;
    a->t -= 2.5 * grams;
}

static void freeze_or_melt(struct air *a) {
    double below = 273.15 - a->t;
    double grams = below > 0 ? fmin(STEP_S * 1e-3 * below * a->rain, a->rain) : -fmin(STEP_S * -2e-3 * below * a->snow, a->snow);
    a->rain -= grams;
    a->snow += grams;
    a->t += 0.33 * grams;
}

static double leaving(double water, double fastest, double thickness) {
    return water * fmin(fastest * pow(water, 0.1364) * STEP_S / SUBSTEPS / thickness, 1);
}

/* What reaches the ground */
static double fall(struct air *column, u64 levels) {
    double ground = 0;
    for (u32 step = 0; step < SUBSTEPS; step++) {
        double rain = 0, snow = 0;
        for (struct air *a = column + levels - 1; a >= column; a--) {
            double rain_out = leaving(a->rain, 14, a->thickness), snow_out = leaving(a->snow, 2, a->thickness);
            a->rain += rain - rain_out;
            a->snow += snow - snow_out;
            rain = rain_out;
            snow = snow_out;
        }
        ground += rain + snow;
    }
    return ground;
}

enum { TEMPERATURE, VAPOUR, CLOUD, RAIN, SNOW, PRESSURE, THICKNESS, FIELDS };
static const char *const fields[FIELDS] = {"temperature", "vapour", "cloud", "rain", "snow", "pressure", "thickness"};

bool workload_ref_weather(struct workload_buffers *b) {
    u64 columns = ref_count(b, "ground"), levels = columns ? ref_count(b, "rain") / columns : 0;
    float *at[FIELDS], *ground = ref_f32(b, "ground", columns);
    u32 steps = ref_param(b, "steps");
    for (u32 f = 0; f < FIELDS; f++)
        if (!(at[f] = ref_f32(b, fields[f], columns * levels))) return false;
    if (!ground || !levels || steps > 1000) return false;
    struct air *air = base_alloc(levels * sizeof *air);
    for (u64 c = 0; c < columns; c++) {
        double fallen = ground[c];
        for (u64 k = 0; k < levels; k++) {
            u64 i = k * columns + c;
            air[k] =
                (struct air){(double)at[TEMPERATURE][i], (double)at[VAPOUR][i],   (double)at[CLOUD][i],    (double)at[RAIN][i],
                             (double)at[SNOW][i],        (double)at[PRESSURE][i], (double)at[THICKNESS][i]};
        }
        for (u32 step = 0; step < steps; step++) {
            for (u64 k = 0; k < levels; k++) {
                condense(&air[k]);
                collect(&air[k]);
                evaporate(&air[k]);
                freeze_or_melt(&air[k]);
            }
            fallen += fall(air, levels);
        }
        ground[c] = (float)fallen;
        for (u64 k = 0; k < levels; k++) {
            const double out[] = {air[k].t, air[k].vapour, air[k].cloud, air[k].rain, air[k].snow};
            for (u32 f = TEMPERATURE; f <= SNOW; f++) at[f][k * columns + c] = (float)out[f];
        }
    }
    free(air);
    return true;
}
