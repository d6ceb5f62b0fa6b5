/* Several configurations of one program side by side. The first is what the others are measured against.
 *
 *     sm.sched       cycles     IPC  speedup
 *     lrr           1234567    12.3    1.000
 *     gto           1200000    12.7    1.029 */
#include "core/policies.h"
#include "report/report.h"

#include <math.h>

enum { KEY_WIDTH = 10, METRIC_WIDTH = 12 };

/* Parts of a whole are easier to read as shares */
static void metric_text(char to[32], const struct launch_stats *s, u32 metric, enum cpi_method m) {
    struct metric row = metric_at(metric);
    double x = metric_value(s, metric, m), schedulers = (double)s->cycles * s->sms * s->schedulers,
           slots = (double)s->cycles * s->sms * s->warps;
    if (row.kind == METRIC_CPI || row.kind == METRIC_SCHED) report_percent(to, schedulers > 0 ? x / schedulers : NAN);
    else if (row.kind == METRIC_STALL) report_percent(to, slots > 0 ? x / slots : NAN);
    else if (row.kind == METRIC_HAZARD) report_percent(to, s->cycles ? x / ((double)s->cycles * s->sms) : NAN);
    else if (isnan(x)) snprintf(to, 32, "-");
    else if (x == floor(x) && fabs(x) < 1e15) snprintf(to, 32, "%.0f", x);
    else if (strcmp(row.unit, "ratio") == 0) report_percent(to, x);
    else snprintf(to, 32, "%.4g", x);
}

static int key_width(const struct comparison *c, u32 key) {
    int w = MAX((int)KEY_WIDTH, (int)strlen(c->keys[key]));
    for (u32 i = 0; i < c->rows.n; i++) w = MAX(w, (int)strlen(c->rows.at[i].values[key]));
    return w;
}

static int metric_width(u32 metric) {
    struct metric m = metric_at(metric);
    return MAX((int)METRIC_WIDTH, (int)(strlen(m.prefix) + strlen(m.name)));
}

/* The whole program's, as measured or as estimated */
static struct figure cycles_of(const struct comparison_row *r) {
    const struct launch_stats *s = &r->total;
    double cycles = s->estimated ? s->estimate.cycles : (double)s->cycles;
    return figure_of(MAX(cycles, 1.0), r->jitter, s->estimated ? estimate_half(&s->estimate) : 0);
}

u32 comparison_base(const struct comparison *c, u32 row) { return c->each ? row - row % c->each : 0; }

struct figure comparison_speedup(const struct comparison *c, u32 row) {
    u32 base = comparison_base(c, row);
    if (row == base) return (struct figure){1, 0};
    return figure_speedup(cycles_of(&c->rows.at[base]), cycles_of(&c->rows.at[row]));
}

static double speedup(const struct comparison *c, u32 row) { return comparison_speedup(c, row).value; }

/* In cycles of busy SMs: without the tail in which they run empty */
static double busy_speedup(const struct comparison *c, u32 row) {
    return stat_named(&c->rows.at[comparison_base(c, row)].total, "busy_cycles") /
           stat_named(&c->rows.at[row].total, "busy_cycles");
}

/* Not only cycles are measured, but how far they may be off */
static bool has_intervals(const struct comparison *c) {
    bool any = c->judged;
    for (u32 i = 0; i < c->rows.n; i++) any = any || c->rows.at[i].total.estimated;
    return any;
}

static void print_head(const struct comparison *c, FILE *out) {
    for (u32 k = 0; k < c->nkeys; k++) fprintf(out, "%-*s ", key_width(c, k), c->keys[k]);
    fprintf(out, "%13s %8s %8s", "cycles", "IPC", "speedup");
    if (has_intervals(c)) fprintf(out, " %8s  %-7s", "+-", "effect");
    fprintf(out, " %8s %8s %7s", "by busy", "SMs busy", "waves");
    for (u32 i = 0; i < c->nmetrics; i++) {
        struct metric m = metric_at(c->metrics[i]);
        int pad = metric_width(c->metrics[i]) - (int)(strlen(m.prefix) + strlen(m.name));
        fprintf(out, "  %*s%s%s", pad, "", m.prefix, m.name);
    }
    fputc('\n', out);
}

static void print_row(const struct comparison *c, u32 row, FILE *out) {
    const struct launch_stats *s = &c->rows.at[row].total;
    for (u32 k = 0; k < c->nkeys; k++) fprintf(out, "%-*s ", key_width(c, k), c->rows.at[row].values[k]);
    char busy[32];
    struct figure gain = comparison_speedup(c, row);
    fprintf(out, "%13.0f %8.2f %8.3f", s->estimated ? s->estimate.cycles : (double)s->cycles, stat_named(s, "warp_ipc"),
            gain.value);
    if (has_intervals(c))
        fprintf(out, " %8.3f  %-7s", gain.half, row != comparison_base(c, row) ? effect_names[figure_effect(gain)] : "-");
    fprintf(out, " %8.3f %8s %7.1f", busy_speedup(c, row), report_percent(busy, stat_named(s, "sm_utilisation")),
            stat_named(s, "waves"));
    for (u32 i = 0; i < c->nmetrics; i++) {
        char text[32];
        metric_text(text, s, c->metrics[i], c->cpi);
        fprintf(out, "  %*s", metric_width(c->metrics[i]), text);
    }
    fputc('\n', out);
}

bool comparison_same_outputs(const struct comparison *c) {
    for (u32 i = 1; i < c->rows.n; i++)
        if (c->rows.at[i].output_hash != c->rows.at[0].output_hash) return false;
    return true;
}

void comparison_text(const struct comparison *c, FILE *out) {
    bool wrong = false;
    fprintf(out, "%s%s%s, ", c->name, c->machine ? " on " : "", c->machine ? c->machine : "");
    report_plural(out, c->rows.n, "configuration\n\n", "configurations\n\n");
    print_head(c, out);
    for (u32 i = 0; i < c->rows.n; i++) {
        print_row(c, i, out);
        wrong = wrong || c->rows.at[i].verdict == VERDICT_DIFFERS;
    }
    if (c->judged)
        fprintf(out, "\njitter       %.2f %% of the first configuration's cycles; a difference that +- covers is none\n",
                100 * c->rows.at[0].jitter);
    fprintf(out, "\noutputs      %s%s\n", comparison_same_outputs(c) ? "identical" : "NOT identical",
            wrong ? ", and not the expected ones" : "");
    if (c->caveat) fprintf(out, "\ncaveat       %s\n", c->caveat);
}

void comparison_means(const struct comparison *c, u32 n, FILE *out) {
    u32 rows = UINT32_MAX;
    for (u32 i = 0; i < n; i++) rows = MIN(rows, c[i].rows.n);
    fprintf(out, "\nspeedup over %u programs, geometric mean\n\n", n);
    for (u32 r = 0; r < rows; r++) {
        double sum = 0;
        for (u32 i = 0; i < n; i++) sum += log(speedup(&c[i], r));
        for (u32 k = 0; k < c->nkeys; k++) fprintf(out, "%-*s ", key_width(c, k), c->rows.at[r].values[k]);
        fprintf(out, "%8.3f\n", exp(sum / n));
    }
}

/* --- what to bear in mind */

const char *schedule_caveat(const struct config *c, bool both) {
    if (!policies_out_of_order(c)) return NULL;
    if (both)
        return "PTX as written flatters machines that issue out of order, because a real assembler has already moved loads up "
               "from their uses; with ptx.schedule = loads it has. Rows are measured against the first of their schedule.";
    return c->schedule
               ? "this is with loads moved up by an assembler (ptx.schedule = loads) alone, and the machine issues out of "
                 "order: see it with --set ptx.schedule=written too (heddle compare runs both)"
               : "PTX as written flatters machines that issue out of order, because a real assembler has already moved "
                 "loads up from their uses: see this with --set ptx.schedule=loads too (heddle compare runs both)";
}

/* --- JSON */

/* What a run's own JSON says of the machine and of what limited it, so that a page can be made of either */
static void add_machine(json_t *j, const struct comparison *c, const struct comparison_row *r) {
    struct strbuf text = {0};
    json_object_set_new(j, "machine", json_string(r->config->machine));
    json_object_set_new(j, "config", json_machine(r->config));
    json_object_set_new(j, "roofs", json_roofs(r->config));
    report_limit(&r->total, r->config, c->cpi, &text);
    json_object_set_new(j, "limit", text.s ? json_string(text.s) : json_null());
    json_object_set_new(j, "energy", json_energy(r->config, &r->total));
    strbuf_free(&text);
}

static json_t *row_json(const struct comparison *c, u32 row) {
    const struct comparison_row *r = &c->rows.at[row];
    json_t *keys = json_object(), *j;
    for (u32 k = 0; k < c->nkeys; k++) json_object_set_new(keys, c->keys[k], json_string(r->values[k]));
    j = json_pack("{s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:f}", "keys", keys, "speedup", speedup(c, row), "warp_ipc",
                  json_number(stat_named(&r->total, "warp_ipc")), "config_hash", json_hex64(r->config_hash), "state_hash",
                  json_hex64(r->state_hash), "checksum", json_hex64(r->output_hash), "checksum_ok",
                  r->verdict == VERDICT_NONE ? json_null() : json_boolean(r->verdict == VERDICT_OK), "wall_seconds",
                  r->wall_seconds);
    struct figure gain = comparison_speedup(c, row);
    json_object_set_new(j, "speedup_half_width", json_number(gain.half));
    json_object_set_new(j, "speedup_busy", json_number(busy_speedup(c, row)));
    json_object_set_new(j, "effect", has_intervals(c) ? json_string(effect_names[figure_effect(gain)]) : json_null());
    json_object_set_new(j, "jitter", c->judged ? json_number(r->jitter) : json_null());
    json_object_set_new(j, "jitter_is_own", json_boolean(r->own_jitter));
    add_machine(j, c, r);
    json_add_timing(j, &r->total);
    return j;
}

static json_t *program_json(const struct comparison *c) {
    json_t *list = json_array();
    for (u32 i = 0; i < c->rows.n; i++) json_array_append_new(list, row_json(c, i));
    json_t *j = json_pack("{s:s, s:s?, s:b, s:o}", "name", c->name, "machine", c->machine, "outputs_identical",
                          (int)comparison_same_outputs(c), "configurations", list);
    if (c->caveat) json_object_set_new(j, "caveats", json_pack("[s]", c->caveat));
    return j;
}

json_t *comparison_json(const struct comparison *c, u32 n) {
    json_t *list = json_array();
    for (u32 i = 0; i < n; i++) json_array_append_new(list, program_json(&c[i]));
    return json_pack("{s:i, s:s, s:o}", "schema_version", REPORT_SCHEMA, "version", heddle_version(), "programs", list);
}
