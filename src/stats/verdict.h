/* verdict: when is a difference one, and when does it agree with a document? One rule for every study; the
 * text that verdict_rule() returns stands at the top of each.
 *
 * A *figure* is a positive number, usually a speedup (1: no difference), with the half width of an interval
 * that holds it in 95 of 100 cases. The half width has two parts, added as squares:
 *   jitter     of runs with perturbations that do not matter: the interval around their mean in which a
 *              further one falls (jitter_of)
 *   sampling   the half width of the estimate of a run that was timed in part only
 *
 * How a study uses it:
 *   1. run the baseline with at least JITTER_RUNS perturbations (--perturb 1, 2, ...): jitter_of
 *   2. for each configuration figure_speedup(baseline, configuration), with the baseline's jitter for both
 *   3. where jitter_wanted() says so, measure the configuration's own jitter and do 2 again
 *   4. figure_effect says gain, loss or none; verdict_of compares with a document's figure
 *
 * Not a test of significance over programs: each figure is judged by itself. */
#ifndef HEDDLE_VERDICT_H
#define HEDDLE_VERDICT_H

#include "base/base.h"

enum { JITTER_RUNS = 8 }; /* the fewest runs that make a jitter */

struct figure {
    double value; /* positive; not a number where there is none */
    double half;  /* half width of its interval, in the unit of value; 0: exact */
};

double student_95(u32 df); /* half width of 95 % of Student's distribution */
/* Standard deviations of n runs around their mean in which 95 of 100 further runs fall: two, and more for few
 * runs, whose mean and deviation are not known well (2.51 of eight; two of eight would hold 90 of 100) */
double jitter_deviations(u32 n);
/* So many standard deviations (n - 1) over the mean: a share. Not a number when n < JITTER_RUNS or the mean
 * is not positive. */
double jitter_of(const double *x, u32 n);
/* The figure `value` with a relative jitter and the half width of its sampling; what is not a number counts
 * as 0 */
struct figure figure_of(double value, double jitter, double sampling_half);
/* of / with: how much faster `with` is when both are cycles. Relative half widths are added as squares. */
struct figure figure_speedup(struct figure of, struct figure with);
/* The difference is below three times its half width: the configuration's own jitter must be measured before
 * it is judged */
bool jitter_wanted(struct figure speedup);

enum effect { FIGURE_NONE, FIGURE_GAIN, FIGURE_LOSS, FIGURE_UNKNOWN, FIGURE_EFFECTS };
extern const char *const effect_names[FIGURE_EFFECTS]; /* "none", "gain", "loss", "unknown" */
enum effect figure_effect(struct figure speedup);

enum agreement {
    AGREE_YES,      /* same sign, and intervals that overlap or sizes within the factor */
    AGREE_SIZE,     /* same sign, another size */
    AGREE_NOT_HERE, /* the document has an effect, we have none */
    AGREE_HERE,     /* we have an effect, the document has none */
    AGREE_OPPOSITE, /* both have one, of different signs */
    AGREE_UNKNOWN,  /* one of the figures is missing */
    AGREEMENTS
};
extern const char *const agreement_names[AGREEMENTS]; /* what a table prints */
/* `factor`, at least 1: how far the sizes of two effects (value - 1) may be apart; 1: only intervals count.
 * The document's half is how exactly its figure is known, such as 0.005 for one printed with two decimals. */
enum agreement verdict_of(struct figure ours, struct figure document, double factor);
/* For what is no speedup, a share or an amount: AGREE_YES where the intervals overlap or the values are
 * within the factor, else AGREE_SIZE; AGREE_OPPOSITE where the signs differ */
enum agreement verdict_amount(struct figure ours, struct figure document, double factor);
/* Where a document says only on which side of `bound` a figure lies: AGREE_YES when all of its interval does,
 * AGREE_OPPOSITE when none of it does, AGREE_NOT_HERE when the bound lies in it */
enum agreement verdict_side(struct figure ours, double bound, bool above);
static inline bool verdict_agrees(enum agreement a) { return a == AGREE_YES; }
/* The rule in words, for the top of a study; `factor` as above. The caller frees `to`. */
void verdict_rule(struct strbuf *to, double factor);

#endif
