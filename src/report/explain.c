/* What a name in a report means. Everything is printed from the tables. */
#include "report/report.h"

static const char *const method_docs[CPI_METHODS] = {
    [CPI_SELECTED] = "A cycle is blamed on the warp the scheduler would have chosen.",
    [CPI_GSI] = "Each warp is classified by what holds it back most, then the cycle by what would be over first (Alsop 2016).",
    [CPI_PROPORTIONAL] = "Each warp slot has its share of the cycle, split among its causes (Aurud 5.3).",
};

static const char *const kind_words[METRIC_KINDS] = {
    [METRIC_CYCLES] = "a figure of a launch",
    [METRIC_COUNTER] = "a counter",
    [METRIC_FORMULA] = "a formula",
    [METRIC_CPI] = "a part of the CPI stack",
    [METRIC_STALL] = "a warp state",
    [METRIC_SCHED] = "a kind of scheduler cycle",
    [METRIC_HAZARD] = "a hazard of the memory stage",
};

static void print_metric(const struct metric *m, FILE *out) {
    fprintf(out, "%s%s: %s\n  %s\n  unit:    %s\n", m->prefix, m->name, kind_words[m->kind], m->doc, m->unit);
    if (m->kind == METRIC_STALL) fprintf(out, "  In the CPI stack it counts as %s.\n", cpi_table[stall_table[m->index].cpi].name);
    if (m->kind != METRIC_CPI) return;
    fprintf(out, "  Warp states in it:");
    for (u32 i = 0, n = 0; i < STALL_COUNT; i++)
        if (stall_table[i].cpi == m->index) fprintf(out, "%s %s", n++ ? "," : "", stall_table[i].name);
    fputc('\n', out);
}

bool explain_stat(const char *name, FILE *out) {
    for (u32 i = 0; i < CPI_METHODS; i++) {
        if (strcmp(name, cpi_method_names[i])) continue;
        fprintf(out, "%s: a way to make a CPI stack (--cpi)\n  %s\n", name, method_docs[i]);
        return true;
    }
    bool found = false;
    for (u32 i = 0; i < metric_count(); i++) { /* `no_warp` is a part of the CPI stack and a warp state: tell both */
        struct metric m = metric_at(i);
        if (!metric_is(&m, name)) continue;
        if (found) fputc('\n', out);
        print_metric(&m, out);
        found = true;
    }
    return found;
}

void list_stats(FILE *out) {
    int wide = 0, unit = 0;
    for (u32 i = 0; i < metric_count(); i++) {
        struct metric m = metric_at(i);
        wide = MAX(wide, (int)(strlen(m.prefix) + strlen(m.name)));
        unit = MAX(unit, (int)strlen(m.unit));
    }
    for (u32 i = 0, last = METRIC_KINDS; i < metric_count(); i++) {
        struct metric m = metric_at(i);
        if (m.kind != last) fprintf(out, "%s%s\n", i ? "\n" : "", metric_kind_docs[m.kind]);
        last = m.kind;
        fprintf(out, "  %s%-*s  %-*s  %s\n", m.prefix, wide - (int)strlen(m.prefix), m.name, unit, m.unit, m.doc);
    }
}
