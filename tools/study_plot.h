/* study_plot: bars, stacked bars and points as SVG, for the pages of studies. What is plotted has a name for
 * each place along the x axis (a workload); many stand in rows under each other, and the mean over all at the
 * end of the last. */
#ifndef HEDDLE_STUDY_PLOT_H
#define HEDDLE_STUDY_PLOT_H

#include "base/base.h"

enum { PLOT_NAMES = 128, PLOT_SERIES = 12 };
enum plot_kind { GAINS, SHARES, NUMBERS }; /* percent with a geometric mean, percent, plain */

struct plot { /* at[series][name] */
    const char *file, *title;
    enum plot_kind kind;
    u32 series, sort; /* sort: the series whose order the bars have */
    const char *names[PLOT_SERIES];
    double at[PLOT_SERIES][PLOT_NAMES];
};

/* Where files go, and what stands along the x axis of all of them; kept, not copied */
void plot_setup(const char *dir, const char *const *names, u32 n);
double plot_mean(const struct plot *p, u32 series);

/* Bars side by side, from zero. A few extremes that would flatten all others leave the scale; the farthest of
 * a name is written beside its bars. */
void plot_bars(const struct plot *p);

/* One bar of parts on top of each other for each configuration c[0] to c[n-1] of a name; in order of key,
 * largest first */
typedef double plot_part(u32 name, u32 c, u32 part);
struct plot_stacks {
    const char *file, *title;
    const u32 *c;
    const char *const *parts;
    u32 n, nparts;
    plot_part *value;
    const double *key;
};
void plot_stacks(const struct plot_stacks *p);
double plot_part_mean(u32 c, u32 part, plot_part *value);

/* Points (x, series), those farthest out with their names where there is room; with a curve it is drawn from
 * x = 0 to 1 */
void plot_scatter(const struct plot *p, const double *x, const char *xname, double (*curve)(double x));

#endif
