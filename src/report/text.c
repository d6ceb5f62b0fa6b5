/* The summary for people of a run without timing, and how sizes, counts and shares are written in every
 * summary.
 *
 *     backprop: 3 launches of 3 kernels, 262176 threads
 *
 *     kernel      launches      grid    block   threads   warp instr  thread instr  regs  shared  local  const
 *     bp_forward         1       512    16x16    131072       311296       9043968    12  1088 B    0 B    0 B
 *     ...
 *     instruction mix of 712 thousand warp instructions
 *       fp32       ########                                 21.3 %
 *     memory       1.1 MiB in 5 buffers
 *     checksum     ok (d59bcea01aa48355, as silicon)
 *     time         0.05 s set-up, 0.07 s in launches
 *     rate         10.2 million warp instructions a second */
#include "report/report.h"

#include <math.h>

#define BAR_WIDTH 40

char *report_bytes(char to[32], u64 bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double x = (double)bytes;
    int u = -1;
    while (x >= 1024 && u < 3) {
        x /= 1024;
        u++;
    }
    if (u < 0) snprintf(to, 32, "%llu B", (unsigned long long)bytes);
    else snprintf(to, 32, x == (double)(u64)x ? "%.0f %s" : "%.1f %s", x, units[u]);
    return to;
}

char *report_count(char to[32], double n) {
    static const char *const units[] = {"", " thousand", " million", " billion", " trillion"};
    int u = 0;
    while (n >= 999.95 && u < 4) {
        n /= 1000;
        u++;
    }
    snprintf(to, 32, u ? "%.1f%s" : "%.0f%s", n, units[u]);
    return to;
}

char *report_percent(char to[32], double share) {
    if (isnan(share)) snprintf(to, 32, "-");
    else snprintf(to, 32, "%.1f %%", 100 * share);
    return to;
}

char *report_shape(char to[40], const u32 d[3], bool varies) {
    if (varies) snprintf(to, 40, "varies");
    else if (d[2] > 1) snprintf(to, 40, "%ux%ux%u", d[0], d[1], d[2]);
    else if (d[1] > 1) snprintf(to, 40, "%ux%u", d[0], d[1]);
    else snprintf(to, 40, "%u", d[0]);
    return to;
}

static void print_kernels(const struct report *r, FILE *out) {
    int w = 6;
    for (u32 i = 0; i < r->nkernels; i++) w = MAX(w, (int)strlen(r->kernels[i].name));
    fprintf(out, "%-*s %9s %11s %9s %10s %13s %14s %5s %9s %9s %9s\n", w, "kernel", "launches", "grid", "block", "threads",
            "warp instr", "thread instr", "regs", "shared", "local", "const");
    for (u32 i = 0; i < r->nkernels; i++) {
        const struct report_kernel *k = &r->kernels[i];
        char grid[40], block[40], shared[32], local[32], constant[32];
        fprintf(out, "%-*s %9u %11s %9s %10llu %13llu %14llu %5u %9s %9s %9s\n", w, k->name, k->launches,
                report_shape(grid, k->first->grid, k->grid_varies), report_shape(block, k->first->block, k->block_varies),
                (unsigned long long)k->threads, (unsigned long long)k->warp_instructions,
                (unsigned long long)k->thread_instructions, k->info.registers, report_bytes(shared, k->info.shared_b),
                report_bytes(local, k->info.local_b), report_bytes(constant, k->info.const_b));
    }
}

static void print_mix(const struct report *r, FILE *out) {
    char n[32];
    u64 most = 1;
    for (u32 c = 0; c < heddle_classes(); c++) most = MAX(most, r->class_warp_instructions[c]);
    fprintf(out, "\ninstruction mix of %s warp instructions\n", report_count(n, (double)r->warp_instructions));
    for (u32 c = 0; c < heddle_classes(); c++) {
        u64 x = r->class_warp_instructions[c];
        if (x == 0) continue;
        char bar[BAR_WIDTH + 1] = "";
        memset(bar, '#', (size_t)(x * BAR_WIDTH / most));
        fprintf(out, "  %-12s %-*s %6.2f %%\n", heddle_class_name(c), BAR_WIDTH, x * BAR_WIDTH / most ? bar : ".",
                100.0 * (double)x / (double)r->warp_instructions);
    }
}

void report_plural(FILE *out, u64 n, const char *one, const char *many) {
    fprintf(out, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

void report_checksum(const struct report *r, FILE *out) {
    static const char *const words[] = {[VERDICT_OK] = "ok", [VERDICT_DIFFERS] = "DIFFERS"};
    const struct outcome *o = &r->outcome;
    if (r->unseen) return;
    if (r->left) fprintf(out, "checksum     not taken: the run ended where --exit-cycles says\n");
    else if (r->stopped) fprintf(out, "checksum     not taken: the run did not finish\n");
    else if (o->verdict == VERDICT_NONE) fprintf(out, "checksum     none given (%016llx)\n", (unsigned long long)o->hash);
    else fprintf(out, "checksum     %s (%s)\n", words[o->verdict], o->text);
}

void report_lock(const struct report *r, FILE *out) {
    if (!r->nlocked) return;
    fprintf(out, "locked       ");
    report_plural(out, r->nlocked, "launch", "launches");
    fprintf(out, " of %s ran and are not counted above (--lock)\n", r->wishes.lock);
}

void report_outcome(const struct report *r, FILE *out) {
    char bytes[32];
    const struct manifest *m = r->play->m;
    report_lock(r, out);
    fprintf(out, "memory       %s in ", report_bytes(bytes, manifest_bytes(m)));
    report_plural(out, m->nbuffers, "buffer", "buffers");
    fprintf(out, "\n");
    report_checksum(r, out);
    fprintf(out, "time         %.3f s set-up, %.3f s in launches\n", r->setup_seconds, r->wall_seconds);
}

void report_overhead(const struct report *r, FILE *out) {
    char share[32], n[32];
    if (r->runtime_warp_instructions)
        fprintf(out, "runtime      %s of the warp instructions (%s) deal out work-items\n",
                report_percent(share, (double)r->runtime_warp_instructions / (double)r->warp_instructions),
                report_count(n, (double)r->runtime_warp_instructions));
    if (r->remark) fprintf(out, "remark       %s\n", r->remark);
}

void report_text(const struct report *r, FILE *to) {
    struct folding f;
    term_begin(&f, to, 0);
    FILE *out = f.out;
    char rate[32], threads[32];
    const struct manifest *m = r->play->m;
    u32 done = 0;
    for (u32 i = 0; i < r->nkernels; i++) done += r->kernels[i].launches;
    fprintf(out, "%s: ", m->name);
    report_plural(out, done, "launch", "launches");
    fprintf(out, " of ");
    report_plural(out, r->nkernels, "kernel", "kernels");
    fprintf(out, ", %s threads%s\n\n", report_count(threads, (double)r->threads), r->stopped ? " (stopped before the end)" : "");
    if (r->nkernels) print_kernels(r, out);
    if (r->warp_instructions) print_mix(r, out);
    fputc('\n', out);
    report_overhead(r, out);
    report_outcome(r, out);
    if (r->wall_seconds > 0) fprintf(out, "rate         %s warp instructions a second\n", report_count(rate, report_rate(r)));
    term_end(&f);
}
