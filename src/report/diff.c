/* What changed between two results of the same or of different runs, and why.
 *
 *     sm.sched               lrr -> gto
 *     cycles                 30990 -> 30968, -0.1 %: 1.001 times as fast
 *     why, in cycles: what schedulers with a warp did (CPI stack, selected)
 *       memory_data             -120   A result of memory is awaited.
 *
 * Cycles are split by the CPI stack of the schedulers that had a warp: each part's share of their cycles is
 * its share of the run's cycles, so the differences of the parts add up to the difference in cycles.
 * Schedulers without a warp are told apart: they wait for the others. It says where cycles went, not what
 * would have happened otherwise: parts overlap in time. */
#include "report/diff.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct change {
    const char *name;
    double a, b;
    double weight; /* what they are sorted by */
};
struct changes {
    VEC(struct change) at;
};

static double number(const json_t *o, const char *key) {
    const json_t *x = json_object_get(o, key);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static const char *text(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "-";
}

bool diff_takes(const json_t *doc, struct strbuf *why) {
    if (json_is_object(doc) && json_is_string(json_object_get(doc, "mode")) && json_is_array(json_object_get(doc, "launches")))
        return true;
    strbuf_add(why, json_object_get(doc, "programs")
                        ? "this is a result of heddle compare, which has its own table; give results "
                          "of heddle run or exec (--json FILE)"
                        : "this is no result of heddle run or exec (--json FILE)");
    return false;
}

static int by_weight(const void *x, const void *y) {
    const struct change *a = x, *b = y;
    return a->weight < b->weight ? 1 : a->weight > b->weight ? -1 : strcmp(a->name, b->name);
}

static void sort_changes(struct changes *c) {
    if (c->at.n) qsort(c->at.at, c->at.n, sizeof(*c->at.at), by_weight);
}

/* "-0.1 %", "x 12.3" for what grew or shrank a lot, "new" and "gone" */
static void print_relative(double a, double b, FILE *out) {
    if (a == 0 || b == 0) fputs(a == 0 ? "new" : "gone", out);
    else if (b / a >= 10 || b / a <= 0.1) fprintf(out, "x %.3g", b / a);
    else fprintf(out, "%+.1f %%", 100 * (b - a) / a);
}

/* --- what was set */

static void value_text(const json_t *v, char to[64]) {
    if (json_is_string(v)) snprintf(to, 64, "%s", json_string_value(v));
    else if (json_is_integer(v)) snprintf(to, 64, "%lld", (long long)json_integer_value(v));
    else snprintf(to, 64, "%s", v ? "?" : "not told");
}

/* One of the two says nothing of its machine */
static void print_keys_untold(const json_t *silent, const char *which, FILE *out) {
    bool functional = strcmp(text(silent, "mode"), "functional") == 0;
    fprintf(out, "keys           not told by the %s, %s\n", which,
            functional ? "which ran without a machine's time" : "a result from before keys were written down");
}

static void print_keys(const json_t *a, const json_t *b, FILE *out) {
    const json_t *ca = json_object_get(a, "config"), *cb = json_object_get(b, "config");
    u32 n = 0;
    if (json_is_object(ca) != json_is_object(cb)) {
        print_keys_untold(json_is_object(ca) ? b : a, json_is_object(ca) ? "second" : "first", out);
        return;
    }
    for (u32 i = 0; i < cfg_key_count; i++) {
        const json_t *x = json_object_get(ca, cfg_keys[i].name), *y = json_object_get(cb, cfg_keys[i].name);
        char from[64], to[64];
        value_text(x, from);
        value_text(y, to);
        if (strcmp(from, to) == 0) continue;
        if (!n++) fprintf(out, "keys of the machine\n");
        fprintf(out, "  %-28s  %s -> %s\n", cfg_keys[i].name, from, to);
    }
    if (!n && strcmp(text(a, "config_hash"), text(b, "config_hash")) != 0)
        fprintf(out, "machine        %s -> %s: a result from before keys were written down does not say which differ\n",
                text(a, "machine"), text(b, "machine"));
}

static void print_subject(const json_t *a, const json_t *b, FILE *out) {
    static const char *const names[] = {"name", "machine", "version", "mode"};
    for (u32 i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(text(a, names[i]), text(b, names[i])) != 0)
            fprintf(out, "%-14s %s -> %s\n", names[i], text(a, names[i]), text(b, names[i]));
    for (u32 i = 0; i < 2; i++)
        if (json_is_false(json_object_get(i ? b : a, "finished")))
            fprintf(out, "%s did not finish: its figures cover what was run\n", i ? "the second" : "the first");
}

/* --- time */

static void print_cycles(const json_t *a, const json_t *b, FILE *out) {
    double x = number(a, "cycles"), y = number(b, "cycles"), i = number(a, "warp_instructions"),
           k = number(b, "warp_instructions");
    fprintf(out, "cycles         %.0f -> %.0f", x, y);
    if (x > 0 && y > 0) {
        fprintf(out, ", ");
        print_relative(x, y, out);
        fprintf(out, ": %.3f times as fast", x / y);
    }
    fputc('\n', out);
    if (i != k) fprintf(out, "instructions   %.0f -> %.0f: ", i, k), print_relative(i, k, out), fputc('\n', out);
    if (x > 0 && y > 0 && i != k) fprintf(out, "IPC            %.3f -> %.3f\n", i / x, k / y);
}

static double stack_part(const json_t *doc, u32 part) {
    const json_t *method = json_object_get(json_object_get(doc, "cpi"), cpi_method_names[CPI_SELECTED]);
    double x = number(json_object_get(method, "total"), cpi_table[part].name);
    return isnan(x) ? 0 : x;
}

static double stack_total(const json_t *doc) {
    double total = 0;
    for (u32 i = 0; i < CPI_COUNT; i++) total += stack_part(doc, i);
    return total;
}

/* Cycles of a part: its share of the stack without idle schedulers, of the cycles of the run */
static double part_cycles(const json_t *doc, u32 part) {
    double total = stack_total(doc) - stack_part(doc, CPI_IDLE);
    return total > 0 ? stack_part(doc, part) / total * number(doc, "cycles") : 0;
}

static double idle_share(const json_t *doc) {
    double total = stack_total(doc);
    return total > 0 ? stack_part(doc, CPI_IDLE) / total : 0;
}

static void print_why(const json_t *a, const json_t *b, FILE *out) {
    struct changes c = {0};
    double change = number(b, "cycles") - number(a, "cycles");
    if (change == 0) return;
    for (u32 i = 0; i < CPI_COUNT; i++) {
        struct change x = {cpi_table[i].name, part_cycles(a, i), part_cycles(b, i), 0};
        if (i == CPI_IDLE) continue;
        x.weight = fabs(x.b - x.a);
        if (x.weight >= 0.5) VEC_PUSH(&c.at, x);
    }
    sort_changes(&c);
    if (c.at.n) fprintf(out, "\nwhy, in cycles: what schedulers with a warp did (CPI stack, selected); together %+.0f\n", change);
    for (u32 i = 0; i < c.at.n; i++) {
        const struct change *x = &c.at.at[i];
        struct metric m = metric_at((u32)metric_find(x->name));
        fprintf(out, "  %-20s %+12.0f  %s\n", x->name, x->b - x->a, m.doc);
    }
    if (c.at.n)
        fprintf(out, "  schedulers had no warp in %.1f %% -> %.1f %% of their cycles\n", 100 * idle_share(a),
                100 * idle_share(b));
    free(c.at.at);
}

static const json_t *kernel_named(const json_t *doc, const char *name) {
    size_t i;
    json_t *k;
    json_array_foreach(json_object_get(doc, "kernels"), i, k) if (strcmp(text(k, "name"), name) == 0) return k;
    return NULL;
}

static void print_kernels(const json_t *a, const json_t *b, FILE *out) {
    size_t i;
    json_t *k;
    bool head = json_array_size(json_object_get(a, "kernels")) < 2;
    if (head) return;
    json_array_foreach(json_object_get(a, "kernels"), i, k) {
        const json_t *other = kernel_named(b, text(k, "name"));
        double x = number(k, "cycles"), y = number(other, "cycles");
        if (isnan(x) || isnan(y) || x == y) continue;
        if (!head) fprintf(out, "\nkernels, in cycles\n");
        head = true;
        fprintf(out, "  %-28s %12.0f -> %-12.0f %+12.0f\n", text(k, "name"), x, y, y - x);
    }
}

/* --- statistics */

static double statistic(const json_t *doc, const struct metric *m) {
    static const struct {
        enum metric_kind kind;
        const char *object;
    } places[] = {
        {METRIC_COUNTER, "counters"}, {METRIC_FORMULA, "formulas"}, {METRIC_STALL, "warp_time"}, {METRIC_HAZARD, "hazards"}};
    for (u32 i = 0; i < ARRAY_LEN(places); i++)
        if (places[i].kind == m->kind) return number(json_object_get(doc, places[i].object), m->name);
    return NAN;
}

/* A counter weighs what it changed by, and how much it counts: a change of one to two is not worth a line */
static double weight_of(double a, double b) {
    double ratio = a > 0 && b > 0 ? fabs(log(b / a)) : 3;
    return ratio * log1p(fabs(b - a) + fmax(fabs(a), fabs(b)));
}

static void print_statistics(const json_t *a, const json_t *b, u32 rows, FILE *out) {
    struct changes c = {0};
    for (u32 i = 0; i < metric_count(); i++) {
        struct metric m = metric_at(i);
        struct change x = {m.name, statistic(a, &m), statistic(b, &m), 0};
        if (isnan(x.a) || isnan(x.b) || x.a == x.b) continue;
        x.weight = weight_of(x.a, x.b);
        VEC_PUSH(&c.at, x);
    }
    sort_changes(&c);
    if (c.at.n)
        fprintf(out, "\nstatistics: %u differ%s\n", c.at.n, c.at.n > rows ? ", those that differ most (--all for all)" : "");
    for (u32 i = 0; i < c.at.n && i < rows; i++) {
        const struct change *x = &c.at.at[i];
        struct metric m = metric_at((u32)metric_find(x->name));
        fprintf(out, "  %-24s %12.6g -> %-12.6g ", x->name, x->a, x->b);
        print_relative(x->a, x->b, out);
        fprintf(out, "  %s\n", m.doc);
    }
    free(c.at.at);
}

/* --- all of it */

static bool print_results(const json_t *a, const json_t *b, FILE *out) {
    bool first = json_is_string(json_object_get(a, "checksum")), second = json_is_string(json_object_get(b, "checksum"));
    const char *x = text(a, "checksum"), *y = text(b, "checksum");
    bool same = strcmp(x, y) == 0;
    if (!first || !second) {
        const char *who = first ? "the second has" : second ? "the first has" : "both have";
        fprintf(out, "results        not told whether they are the same: %s no checksum of the output\n", who);
        return false;
    }
    if (same) fprintf(out, "results        the same, to the bit\n");
    else fprintf(out, "results        DIFFER: checksum %s -> %s\n", x, y);
    return !same;
}

bool diff_print(const json_t *a, const json_t *b, u32 rows, FILE *out) {
    bool timed = strcmp(text(a, "mode"), "timed") == 0 && strcmp(text(b, "mode"), "timed") == 0;
    bool counters = timed && strcmp(text(a, "state_hash"), text(b, "state_hash")) != 0;
    print_subject(a, b, out);
    print_keys(a, b, out);
    bool differ = print_results(a, b, out);
    if (!timed && number(a, "warp_instructions") != number(b, "warp_instructions")) {
        fprintf(out, "instructions   %.0f -> %.0f\n", number(a, "warp_instructions"), number(b, "warp_instructions"));
        differ = true;
    }
    if (timed && !counters && !differ) fprintf(out, "counters       all the same (state_hash %s)\n", text(a, "state_hash"));
    if (!counters) return differ;
    print_cycles(a, b, out);
    print_why(a, b, out);
    print_kernels(a, b, out);
    print_statistics(a, b, rows, out);
    return true;
}
