/* The one rule by which differences are judged (verdict.h). */
#include "stats/verdict.h"

#include <math.h>

#define OWN_JITTER 3 /* a difference below so many half widths needs the configuration's own jitter */

const char *const effect_names[FIGURE_EFFECTS] = {"none", "gain", "loss", "unknown"};
const char *const agreement_names[AGREEMENTS] = {
    "agrees", "same sign, another size", "an effect there, none here", "none there, an effect here", "opposite", "unknown",
};

double student_95(u32 df) {
    static const double t[] = {NAN,   12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                               2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086};
    return df < ARRAY_LEN(t) ? t[df] : 1.960 + 2.5 / df;
}

double jitter_deviations(u32 n) { return student_95(n - 1) * sqrt(1 + 1.0 / n); }

double jitter_of(const double *x, u32 n) {
    double sum = 0, squares = 0;
    if (n < JITTER_RUNS) return NAN;
    for (u32 i = 0; i < n; i++) sum += x[i];
    double mean = sum / n;
    if (!(mean > 0)) return NAN;
    for (u32 i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    return jitter_deviations(n) * sqrt(squares / (n - 1)) / mean;
}

struct figure figure_of(double value, double jitter, double sampling_half) {
    double j = isnan(jitter) ? 0 : jitter * value, s = isnan(sampling_half) ? 0 : sampling_half;
    return (struct figure){value, sqrt(j * j + s * s)};
}

struct figure figure_speedup(struct figure of, struct figure with) {
    double value = with.value > 0 ? of.value / with.value : NAN;
    double a = of.half / of.value, b = with.half / with.value;
    return (struct figure){value, value * sqrt(a * a + b * b)};
}

static bool is_figure(struct figure f) { return isfinite(f.value) && isfinite(f.half) && f.value > 0 && f.half >= 0; }

bool jitter_wanted(struct figure speedup) { return is_figure(speedup) && fabs(speedup.value - 1) < OWN_JITTER * speedup.half; }

enum effect figure_effect(struct figure speedup) {
    if (!is_figure(speedup)) return FIGURE_UNKNOWN;
    if (fabs(speedup.value - 1) <= speedup.half) return FIGURE_NONE;
    return speedup.value > 1 ? FIGURE_GAIN : FIGURE_LOSS;
}

static bool sizes_near(double ours, double document, double factor) {
    double r = (ours - 1) / (document - 1);
    return r <= factor && r >= 1 / factor;
}

enum agreement verdict_of(struct figure ours, struct figure document, double factor) {
    enum effect a = figure_effect(ours), b = figure_effect(document);
    if (a == FIGURE_UNKNOWN || b == FIGURE_UNKNOWN) return AGREE_UNKNOWN;
    if (a == FIGURE_NONE && b != FIGURE_NONE) return AGREE_NOT_HERE;
    if (b == FIGURE_NONE && a != FIGURE_NONE) return AGREE_HERE;
    if (a != b) return AGREE_OPPOSITE;
    bool overlap = fabs(ours.value - document.value) <= ours.half + document.half;
    return a == FIGURE_NONE || overlap || sizes_near(ours.value, document.value, factor) ? AGREE_YES : AGREE_SIZE;
}

enum agreement verdict_amount(struct figure ours, struct figure document, double factor) {
    if (!isfinite(ours.value) || !isfinite(ours.half) || !isfinite(document.value)) return AGREE_UNKNOWN;
    if (fabs(ours.value - document.value) <= ours.half + document.half) return AGREE_YES;
    double r = ours.value / document.value;
    if (r < 0) return AGREE_OPPOSITE;
    return r <= factor && r >= 1 / factor ? AGREE_YES : AGREE_SIZE;
}

enum agreement verdict_side(struct figure ours, double bound, bool above) {
    if (!isfinite(ours.value) || !isfinite(ours.half) || isnan(bound)) return AGREE_UNKNOWN;
    double beyond = above ? ours.value - bound : bound - ours.value;
    return beyond > ours.half ? AGREE_YES : beyond < -ours.half ? AGREE_OPPOSITE : AGREE_NOT_HERE;
}

void verdict_rule(struct strbuf *to, double factor) {
    strbuf_add(to,
               "A figure's interval is its jitter and, where a run was timed in part only, the error of sampling,\n"
               "added as squares. Jitter is two standard deviations over at least %d runs with perturbations that do not\n"
               "matter, with Student's factor for few runs, so that a further run falls inside in 95 of 100 cases: %.2f\n"
               "deviations of %d runs. A difference that its interval does not clear is called none. A figure that stands\n"
               "without one, such as of counters read once or of the best of several, is judged as if it were exact. A figure\n"
               "agrees with a document's when both have the same sign (gain, loss or none) and",
               JITTER_RUNS, jitter_deviations(JITTER_RUNS), JITTER_RUNS);
    if (factor > 1) strbuf_add(to, " their intervals overlap or their differences are within a factor of %g.\n", factor);
    else strbuf_add(to, " their intervals overlap.\n");
    strbuf_add(to, "Shares and amounts agree when their intervals overlap%s.\n",
               factor > 1 ? " or they are within that factor" : "");
    strbuf_add(to,
               "Where it says only on which side of a value a figure lies, the figure agrees when all of its interval does.\n");
}
