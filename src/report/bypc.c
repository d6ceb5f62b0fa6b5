/* The table a kernel engineer wants first: where the warps' time went, instruction by instruction.
 *
 *     bfs_kernel: 20 of 57 instructions, by time
 *       pc          line     issues    time  mostly                                   lanes  lines  L1 hits  latency  instruction
 *       31     bfs.cl:42      40960  41.2 %  long_scoreboard 88 %, lg_throttle 9 %     17.3    9.1   23.0 %    612.1  ld.global.u32 %r9, [%rd12]
 *
 * How to read it: a warp's time is charged to the instruction it issues next, so a load's latency stands at
 * the first instruction that needs its result. `time` is the share of all resident warp time of the kernel;
 * lanes are those whose guard held, on average; latency is from a load's issue to its result. */
#include "report/report.h"

#include <stdlib.h>

enum { TOP_CAUSES = 2 };

struct pc_row {
    u32 pc;
    double time; /* slot cycles of resident warps */
};

static double time_at(const struct pc_stats *p) {
    u64 sum = 0;
    for (u32 i = 0; i < STALL_COUNT; i++)
        if (i != STALL_EMPTY) sum += p->time[i];
    return (double)sum / 6.0;
}

static int by_time(const void *a, const void *b) {
    const struct pc_row *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? 1 : -1;
    return x->pc < y->pc ? -1 : 1;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* bfs.cl:42 where the program says so, else where it stands in the program: bfs.ptx:210 */
static void print_line(FILE *out, const struct kernel *k, const struct inst_src *src) {
    char text[64];
    if (!src || (!src->line && !src->text_line)) snprintf(text, sizeof(text), "-");
    else if (src->line) snprintf(text, sizeof(text), "%s:%u", src->file ? base_name(src->file) : "?", src->line);
    else if (k->file) snprintf(text, sizeof(text), "%s:%u", base_name(k->file), src->text_line);
    else snprintf(text, sizeof(text), "line %u", src->text_line);
    fprintf(out, " %18s", text);
}

static void print_causes(FILE *out, const struct pc_stats *p, double time) {
    char text[96] = "";
    u64 rest[STALL_COUNT];
    memcpy(rest, p->time, sizeof(rest));
    rest[STALL_EMPTY] = 0;
    for (u32 n = 0; n < TOP_CAUSES && time > 0; n++) {
        u32 top = 0;
        for (u32 i = 1; i < STALL_COUNT; i++)
            if (rest[i] > rest[top]) top = i;
        if ((double)rest[top] / 6.0 < 0.005 * time) break;
        size_t len = strlen(text);
        snprintf(text + len, sizeof(text) - len, "%s%s %.0f %%", n ? ", " : "", stall_table[top].name,
                 100 * (double)rest[top] / 6.0 / time);
        rest[top] = 0;
    }
    fprintf(out, "  %-46s", text);
}

/* a / b, or a dash */
static void print_mean(FILE *out, int width, u64 a, u64 b) {
    if (b) fprintf(out, " %*.1f", width, (double)a / (double)b);
    else fprintf(out, " %*s", width, "-");
}

static void print_row(FILE *out, const struct report_kernel *k, const struct pc_row *r, double total) {
    const struct pc_stats *p = &k->pcs[r->pc];
    const struct inst *in = &k->code->code[r->pc];
    char share[32], hits[32] = "-";
    fprintf(out, "  %5u", r->pc);
    print_line(out, k->code, in->src);
    fprintf(out, " %11llu %8s", (unsigned long long)p->issues, report_percent(share, total > 0 ? r->time / total : 0));
    print_causes(out, p, r->time);
    print_mean(out, 5, p->lanes, p->issues);
    print_mean(out, 6, p->lines, p->lines ? p->accesses : 0);
    if (p->lines && in->iclass == ICLASS_LOAD) report_percent(hits, (double)p->l1_hits / (double)p->lines);
    fprintf(out, " %8s", hits);
    print_mean(out, 8, p->latency, p->latency ? p->accesses : 0);
    const char *text = inst_text(in->src);
    fprintf(out, "  %s\n", text ? text : "");
}

void report_by_pc(const struct report_kernel *k, const struct report_wishes *w, FILE *out) {
    if (!k->pcs) return;
    struct pc_row *rows = base_alloc(k->npcs * sizeof(*rows));
    double total = 0;
    u32 n = 0;
    for (u32 pc = 0; pc < k->npcs; pc++) {
        if (k->code->code[pc].flags & INST_PSEUDO) continue;
        rows[n] = (struct pc_row){pc, time_at(&k->pcs[pc])};
        total += rows[n++].time;
    }
    if (w->by_pc == BY_PC_TIME) qsort(rows, n, sizeof(*rows), by_time);
    u32 shown = w->by_pc == BY_PC_TIME ? MIN(n, w->by_pc_rows) : n;
    fprintf(out, "\n%s: %u of %u instructions, %s\n", k->name, shown, n,
            w->by_pc == BY_PC_TIME ? "by warp time" : "in program order");
    fprintf(out, "  %5s %18s %11s %8s  %-46s %5s %6s %8s %8s  %s\n", "pc", "line", "issues", "time", "mostly", "lanes", "lines",
            "L1 hits", "latency", "instruction");
    for (u32 i = 0; i < shown; i++) print_row(out, k, &rows[i], total);
    free(rows);
}
