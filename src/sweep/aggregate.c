/* What questions of a study need beyond SQL: gmean(x), a geometric mean; gmean_half(half, x), the half
 * width of its interval; jitter(x), by the rule of stats/verdict.h; correlation(x, y), Pearson's;
 * basename(path), without folder and ending; label(program), what a study calls it; near(speedup, half),
 * whether its own jitter is wanted before it is judged. */
#include "stats/verdict.h"
#include "sweep/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sums { /* an aggregate under way */
    double logs, squares;
    u32 n;
    struct {
        VEC(double) v;
    } *all; /* of jitter */
};

static void add_log(sqlite3_context *c, int n, sqlite3_value **v) {
    struct sums *s = sqlite3_aggregate_context(c, sizeof(*s));
    double x = sqlite3_value_double(v[n - 1]), half = n > 1 ? sqlite3_value_double(v[0]) : 0;
    if (!s || sqlite3_value_type(v[n - 1]) == SQLITE_NULL || !(x > 0)) return;
    s->logs += log(x);
    s->squares += half / x * (half / x);
    s->n++;
}

static void give_mean(sqlite3_context *c) {
    const struct sums *s = sqlite3_aggregate_context(c, 0);
    if (s && s->n) sqlite3_result_double(c, exp(s->logs / s->n));
}

/* Relative half widths of n figures add as squares, and their mean divides by n */
static void give_half(sqlite3_context *c) {
    const struct sums *s = sqlite3_aggregate_context(c, 0);
    if (s && s->n) sqlite3_result_double(c, exp(s->logs / s->n) * sqrt(s->squares) / s->n);
}

static void add_value(sqlite3_context *c, int n, sqlite3_value **v) {
    struct sums *s = sqlite3_aggregate_context(c, sizeof(*s));
    (void)n;
    if (!s || sqlite3_value_type(v[0]) == SQLITE_NULL) return;
    if (!s->all) s->all = base_alloc(sizeof(*s->all));
    VEC_PUSH(&s->all->v, sqlite3_value_double(v[0]));
}

static void give_jitter(sqlite3_context *c) {
    struct sums *s = sqlite3_aggregate_context(c, 0);
    if (!s || !s->all) return;
    double x = jitter_of(s->all->v.at, s->all->v.n);
    if (!isnan(x)) sqlite3_result_double(c, x);
    free(s->all->v.at);
    free(s->all);
}

static void basename_of(sqlite3_context *c, int n, sqlite3_value **v) {
    const char *text = (const char *)sqlite3_value_text(v[0]), *slash = text ? strrchr(text, '/') : NULL;
    (void)n;
    if (!text) return;
    const char *from = slash ? slash + 1 : text, *dot = slash ? strrchr(from, '.') : NULL;
    sqlite3_result_text(c, from, dot ? (int)(dot - from) : -1, SQLITE_TRANSIENT);
}

struct pairs { /* correlation under way: means of n pairs, and sums of squares and products about them */
    double x, y, xx, yy, xy;
    double low[2], high[2];
    u32 n;
};

static void add_pair(sqlite3_context *c, int n, sqlite3_value **v) {
    struct pairs *p = sqlite3_aggregate_context(c, sizeof(*p));
    (void)n;
    if (!p || sqlite3_value_type(v[0]) == SQLITE_NULL || sqlite3_value_type(v[1]) == SQLITE_NULL) return;
    double x = sqlite3_value_double(v[0]), y = sqlite3_value_double(v[1]);
    p->n++;
    double dx = x - p->x, dy = y - p->y; /* Welford: sums about the mean keep their digits however far it is from 0 */
    p->x += dx / p->n, p->y += dy / p->n;
    p->xx += dx * (x - p->x), p->yy += dy * (y - p->y), p->xy += dx * (y - p->y);
    p->low[0] = p->n == 1 ? x : fmin(p->low[0], x), p->high[0] = p->n == 1 ? x : fmax(p->high[0], x);
    p->low[1] = p->n == 1 ? y : fmin(p->low[1], y), p->high[1] = p->n == 1 ? y : fmax(p->high[1], y);
}

static void give_correlation(sqlite3_context *c) {
    const struct pairs *p = sqlite3_aggregate_context(c, 0);
    if (!p || p->n < 2) return;
    if (p->low[0] < p->high[0] && p->low[1] < p->high[1]) sqlite3_result_double(c, p->xy / sqrt(p->xx * p->yy));
}

static void is_near(sqlite3_context *c, int n, sqlite3_value **v) {
    (void)n;
    sqlite3_result_int(c, jitter_wanted((struct figure){sqlite3_value_double(v[0]), sqlite3_value_double(v[1])}));
}

static void label_of(sqlite3_context *c, int n, sqlite3_value **v) {
    struct experiment *x = sqlite3_user_data(c);
    const char *text = (const char *)sqlite3_value_text(v[0]);
    (void)n;
    for (u32 i = 0; text && i < x->programs.n; i++)
        if (strcmp(x->programs.at[i].name, text) == 0) {
            sqlite3_result_text(c, program_label(x, &x->programs.at[i]), -1, SQLITE_TRANSIENT);
            return;
        }
}

bool store_aggregates(struct store *s, struct experiment *x) {
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    bool ok = sqlite3_create_function(s->db, "gmean", 1, flags, NULL, NULL, add_log, give_mean) == SQLITE_OK &&
              sqlite3_create_function(s->db, "gmean_half", 2, flags, NULL, NULL, add_log, give_half) == SQLITE_OK &&
              sqlite3_create_function(s->db, "jitter", 1, flags, NULL, NULL, add_value, give_jitter) == SQLITE_OK &&
              sqlite3_create_function(s->db, "correlation", 2, flags, NULL, NULL, add_pair, give_correlation) == SQLITE_OK &&
              sqlite3_create_function(s->db, "basename", 1, flags, NULL, basename_of, NULL, NULL) == SQLITE_OK &&
              sqlite3_create_function(s->db, "near", 2, flags, NULL, is_near, NULL, NULL) == SQLITE_OK &&
              sqlite3_create_function(s->db, "label", 1, flags, x, label_of, NULL, NULL) == SQLITE_OK;
    return ok || store_fail(s);
}
