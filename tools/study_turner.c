/* study_turner: the page docs/studies/turner.md and its plots, from the results tools/study_turner.sh left.
 *
 *   study_turner RESULTS DOCS       RESULTS/CONFIGURATION/WORKLOAD.json -> DOCS/turner.md, DOCS/turner/NAME.svg
 *
 * A figure is a table, a plot, what the document says of it, and whether our numbers agree; the verdict is computed here, so a new run that changes it changes the page. */
#include "base/base.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKLOADS = 128, MAX_SERIES = 12, HAZARDS = 7, SCHEDS = 6 };
static const char *const hazard_names[HAZARDS] = {"div", "bank", "tlb", "mshr", "comq", "order", "rsv"};
static const char *const sched_names[SCHEDS] = {"idle", "raw", "stall", "issue1", "issue2", "restrict"};
enum { H_DIV, H_BANK, H_TLB, H_MSHR, H_COMQ, H_ORDER, H_RSV };

/* clang-format off */
#define CONFIGURATIONS                                                                                                           \
    C(stall)                                                                                                                     \
    C(retain)                                                                                                                    \
    C(replay) C(unbounded) C(replay_mshr64) C(replay_mshr128) C(stall_one) C(replay_one) C(replay_credit_hit)                    \
        C(replay_credit_miss) C(replay_credit_counter) C(replay_credit_oracle) C(replay_naive_hit) C(replay_naive_miss)          \
            C(replay_naive_counter) C(replay_naive_oracle) C(stall_credit_miss) C(stall_credit_counter) C(stall_credit_oracle)   \
                C(stall_naive_miss) C(stall_naive_counter) C(stall_naive_oracle) C(stall_generic_4) C(stall_generic_16)          \
                    C(stall_separated_4_1_3) C(stall_separated_8_2_6) C(replay_generic_4) C(replay_generic_16)                   \
                        C(replay_separated_4_1_3) C(replay_separated_8_2_6)
/* clang-format on */
enum configuration {
#define C(id) C_##id,
    CONFIGURATIONS
#undef C
        NCONF
};
static const char *const configurations[NCONF] = {
#define C(id) #id,
    CONFIGURATIONS
#undef C
};

struct result {
    json_t *json;
    double cycles, instructions;
    double hazards[HAZARDS], sched[SCHEDS];
};
static struct {
    char name[64];
    struct result of[NCONF];
} work[MAX_WORKLOADS];
static u32 nwork;
static FILE *page;
static char out_dir[512];

/* --- reading */

static double number(const json_t *o, const char *section, const char *key) {
    const json_t *v = json_object_get(section ? json_object_get(o, section) : o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}
static double counter(u32 w, enum configuration c, const char *key) { return number(work[w].of[c].json, "counters", key); }
static double formula(u32 w, enum configuration c, const char *key) { return number(work[w].of[c].json, "formulas", key); }

static void load(const char *dir, u32 w, u32 c) {
    char path[1024];
    json_error_t e;
    struct result *r = &work[w].of[c];
    snprintf(path, sizeof path, "%s/%s/%s.json", dir, configurations[c], work[w].name);
    r->json = json_load_file(path, 0, &e);
    if (!r->json) {
        fprintf(stderr, "study_turner: %s: %s\n", path, e.text);
        exit(2);
    }
    r->cycles = number(r->json, NULL, "cycles");
    r->instructions = number(r->json, NULL, "warp_instructions");
    for (u32 i = 0; i < HAZARDS; i++) r->hazards[i] = number(r->json, "hazards", hazard_names[i]);
    for (u32 i = 0; i < SCHEDS; i++) r->sched[i] = number(r->json, "sched_cycles", sched_names[i]);
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

static void load_all(const char *dir) {
    char path[1024];
    snprintf(path, sizeof path, "%s/stall", dir);
    DIR *d = opendir(path);
    if (!d) {
        fprintf(stderr, "study_turner: cannot read %s; tools/study_turner.sh makes it\n", path);
        exit(2);
    }
    for (struct dirent *e; (e = readdir(d)) && nwork < MAX_WORKLOADS;) {
        size_t n = strlen(e->d_name);
        if (n > 5 && n < 64 && strcmp(e->d_name + n - 5, ".json") == 0)
            snprintf(work[nwork++].name, 64, "%.*s", (int)(n - 5), e->d_name);
    }
    closedir(d);
    qsort(work, nwork, sizeof work[0], by_name);
    for (u32 w = 0; w < nwork; w++)
        for (u32 c = 0; c < NCONF; c++) load(dir, w, c);
}

/* --- numbers made of them */

static double sms(u32 w, enum configuration c) { /* the scheduler cycles of an SM are its cycles times its schedulers */
    double sum = 0;
    for (u32 i = 0; i < SCHEDS; i++) sum += work[w].of[c].sched[i];
    return sum / work[w].of[c].cycles / (c == C_stall_one || c == C_replay_one ? 1 : 2);
}
static double total(u32 w, enum configuration c) { return work[w].of[c].cycles * sms(w, c); } /* SM cycles */
static double gain(u32 w, enum configuration of, enum configuration over) {
    return work[w].of[over].cycles / work[w].of[of].cycles - 1;
}
static double hazard(u32 w, enum configuration c, u32 h) { return work[w].of[c].hazards[h] / total(w, C_stall); }
static double issue_cycles(u32 w, enum configuration c) { return work[w].of[c].sched[3] + work[w].of[c].sched[4]; }
static double geomean(enum configuration of, enum configuration over) {
    double sum = 0;
    for (u32 w = 0; w < nwork; w++) sum += log(1 + gain(w, of, over));
    return exp(sum / nwork) - 1;
}
static u32 best(enum configuration of, enum configuration over) {
    u32 b = 0;
    for (u32 w = 1; w < nwork; w++)
        if (gain(w, of, over) > gain(b, of, over)) b = w;
    return b;
}
static u32 worst(enum configuration of, enum configuration over) {
    u32 b = 0;
    for (u32 w = 1; w < nwork; w++)
        if (gain(w, of, over) < gain(b, of, over)) b = w;
    return b;
}
/* MSHR replays in more than a tenth of the memory stages' cycles: "MSHR hazards abound" */
static bool mshr_heavy(u32 w) { return work[w].of[C_replay].hazards[H_MSHR] / total(w, C_replay) > 0.1; }
static u32 heavy_count(void) {
    u32 n = 0;
    for (u32 w = 0; w < nwork; w++) n += mshr_heavy(w);
    return n;
}
static double correlation(const double *x, const double *y, u32 n) {
    double mx = 0, my = 0, xy = 0, xx = 0, yy = 0;
    for (u32 i = 0; i < n; i++) mx += x[i] / n, my += y[i] / n;
    for (u32 i = 0; i < n; i++) xy += (x[i] - mx) * (y[i] - my), xx += (x[i] - mx) * (x[i] - mx), yy += (y[i] - my) * (y[i] - my);
    return xy / sqrt(xx * yy);
}

/* --- plots */

static const char *const colours[MAX_SERIES] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377",
                                                "#bbbbbb", "#222255", "#994455", "#117733", "#ddaa33", "#000000"};
enum { HEIGHT = 340, TOP = 40, BOTTOM = 250, LEFT = 56 };

struct plot { /* values[series][workload]; stacked: bars x parts */
    const char *file, *title;
    u32 series;
    const char *names[MAX_SERIES];
    double at[MAX_SERIES][MAX_WORKLOADS];
    double low, high;
};

static FILE *svg_open(const char *file, const char *title, u32 width) {
    char path[1024];
    snprintf(path, sizeof path, "%s/turner/%s.svg", out_dir, file);
    FILE *f = fopen(path, "w");
    if (!f) {
        fprintf(stderr, "study_turner: cannot write %s\n", path);
        exit(2);
    }
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %d\" font-family=\"sans-serif\" font-size=\"10\">\n<rect "
            "width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"16\" font-size=\"13\">%s</text>\n",
            width, HEIGHT, LEFT, title);
    return f;
}
static double y_of(double v, double low, double high) { return BOTTOM - (v - low) / (high - low) * (BOTTOM - TOP); }

static void axis(FILE *f, double low, double high, u32 width) {
    double step = pow(10, floor(log10((high - low) / 2)));
    while ((high - low) / step > 8) step *= 2;
    for (double v = ceil(low / step) * step; v <= high + step / 1000; v += step)
        fprintf(f,
                "<line x1=\"%d\" x2=\"%u\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.3g</text>\n",
                LEFT, width - 10, y_of(v, low, high), y_of(v, low, high), fabs(v) < step / 1000 ? "#000" : "#ddd", LEFT - 4,
                y_of(v, low, high) + 3, fabs(v) < step / 1000 ? 0 : v);
}
static void legend(FILE *f, const char *const *names, u32 n) {
    u32 x = LEFT;
    for (u32 i = 0; i < n; i++) {
        fprintf(f, "<rect x=\"%u\" y=\"22\" width=\"9\" height=\"9\" fill=\"%s\"/><text x=\"%u\" y=\"30\">%s</text>\n", x,
                colours[i % MAX_SERIES], x + 12, names[i]);
        x += 22 + 6 * (u32)strlen(names[i]);
    }
}
static void workload_names(FILE *f, double group) {
    for (u32 w = 0; w < nwork; w++)
        fprintf(f, "<text transform=\"translate(%.1f %d) rotate(50)\">%s</text>\n", LEFT + group * (w + 0.3), BOTTOM + 12,
                work[w].name);
}

/* Bars side by side, from zero */
static void plot_bars(struct plot *p) {
    double bar = MAX(4, 40.0 / p->series), group = bar * p->series + 8;
    u32 width = (u32)(LEFT + group * nwork + 70);
    p->low = 0, p->high = 0.02;
    for (u32 s = 0; s < p->series; s++)
        for (u32 w = 0; w < nwork; w++) p->low = MIN(p->low, p->at[s][w]), p->high = MAX(p->high, p->at[s][w]);
    FILE *f = svg_open(p->file, p->title, width);
    axis(f, p->low, p->high, width);
    legend(f, p->names, p->series);
    for (u32 w = 0; w < nwork; w++)
        for (u32 s = 0; s < p->series; s++) {
            double a = y_of(p->at[s][w], p->low, p->high), zero = y_of(0, p->low, p->high);
            fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", LEFT + group * w + bar * s,
                    MIN(a, zero), bar, fabs(a - zero), colours[s % MAX_SERIES]);
        }
    workload_names(f, group);
    fputs("</svg>\n", f);
    fclose(f);
}

typedef double part_fn(u32 w, enum configuration c, u32 part);

/* Stacked bars, one for each configuration of a workload */
static void plot_stacks(const char *file, const char *title, const enum configuration *c, u32 n, const char *const *parts,
                        u32 nparts, part_fn *value) {
    double bar = 9, group = bar * n + 8, high = 0.02;
    u32 width = (u32)(LEFT + group * nwork + 70);
    for (u32 w = 0; w < nwork; w++)
        for (u32 i = 0; i < n; i++) {
            double sum = 0;
            for (u32 k = 0; k < nparts; k++) sum += value(w, c[i], k);
            high = MAX(high, sum);
        }
    FILE *f = svg_open(file, title, width);
    axis(f, 0, high, width);
    legend(f, parts, nparts);
    for (u32 w = 0; w < nwork; w++)
        for (u32 i = 0; i < n; i++) {
            double sum = 0;
            for (u32 k = 0; k < nparts; k++) {
                double v = value(w, c[i], k), top = y_of(sum + v, 0, high);
                if (v > 0)
                    fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                            LEFT + group * w + bar * i, top, bar - 1, y_of(sum, 0, high) - top, colours[k % MAX_SERIES]);
                sum += v;
            }
        }
    workload_names(f, group);
    fputs("</svg>\n", f);
    fclose(f);
}

static void plot_scatter(const char *file, const char *title, const char *xname, struct plot *p, const double *x) {
    u32 width = 620;
    double xhigh = 0.02;
    p->low = 0, p->high = 0.02;
    for (u32 w = 0; w < nwork; w++) {
        xhigh = MAX(xhigh, x[w]);
        for (u32 s = 0; s < p->series; s++) p->low = MIN(p->low, p->at[s][w]), p->high = MAX(p->high, p->at[s][w]);
    }
    FILE *f = svg_open(file, title, width);
    axis(f, p->low, p->high, width);
    legend(f, p->names, p->series);
    for (u32 w = 0; w < nwork; w++) {
        double px = LEFT + 6 + x[w] / xhigh * (width - LEFT - 120);
        for (u32 s = 0; s < p->series; s++)
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"><title>%s</title></circle>\n", px,
                    y_of(p->at[s][w], p->low, p->high), colours[s], work[w].name);
        if (x[w] > 0.1 * xhigh || fabs(p->at[0][w]) > 0.1)
            fprintf(f, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", px + 5, y_of(p->at[0][w], p->low, p->high) - 4, work[w].name);
    }
    for (u32 i = 0; i <= 5; i++)
        fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>\n", LEFT + 6 + i / 5.0 * (width - LEFT - 120),
                BOTTOM + 14, xhigh * i / 5);
    fprintf(f, "<text x=\"%d\" y=\"%d\">%s</text>\n</svg>\n", LEFT + 150, BOTTOM + 34, xname);
    fclose(f);
}

/* --- the page */

static void PRINTF_LIKE(1, 2) say(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vfprintf(page, fmt, ap);
    va_end(ap);
}
static void picture(const char *file, const char *title) { say("\n![%s](turner/%s.svg)\n\n", title, file); }

/* What the document says of it, and what we find */
static void PRINTF_LIKE(3, 4) verdict(bool agrees, const char *statement, const char *fmt, ...) {
    va_list ap;
    say("- *%s* **%s.** ", statement, agrees ? "Agrees" : "Differs");
    va_start(ap, fmt);
    vfprintf(page, fmt, ap);
    va_end(ap);
    say("\n");
}

static void add(struct plot *p, const char *name) { p->names[p->series++] = name; }

/* Table and bars; percent: values are shares or gains */
static void show(struct plot *p, bool percent) {
    say("\n| workload |");
    for (u32 s = 0; s < p->series; s++) say(" %s |", p->names[s]);
    say("\n| --- |");
    for (u32 s = 0; s < p->series; s++) say(" ---: |");
    for (u32 w = 0; w < nwork; w++) {
        say("\n| %s |", work[w].name);
        for (u32 s = 0; s < p->series; s++) say(percent ? " %.1f %% |" : " %.2f |", p->at[s][w] * (percent ? 100 : 1));
    }
    say("\n");
    plot_bars(p);
    picture(p->file, p->title);
}

static void gains(struct plot *p, const char *name, enum configuration of, enum configuration over) {
    for (u32 w = 0; w < nwork; w++) p->at[p->series][w] = gain(w, of, over);
    add(p, name);
}
static void formulas(struct plot *p, const char *name, enum configuration c, const char *key) {
    for (u32 w = 0; w < nwork; w++) p->at[p->series][w] = formula(w, c, key);
    add(p, name);
}

static double hazard_part(u32 w, enum configuration c, u32 part) { return hazard(w, c, part); }
static double own_hazard(u32 w, enum configuration c, u32 part) { return work[w].of[c].hazards[part] / total(w, c); }
static double sched_part(u32 w, enum configuration c, u32 part) { return work[w].of[c].sched[part] / (2 * total(w, C_stall)); }
static double sched_one(u32 w, enum configuration c, u32 part) { return work[w].of[c].sched[part] / total(w, C_stall_one); }
static double hazard_one(u32 w, enum configuration c, u32 part) { return work[w].of[c].hazards[part] / total(w, C_stall_one); }
static double sum_hazards(enum configuration c, u32 h) {
    double sum = 0;
    for (u32 w = 0; w < nwork; w++) sum += hazard(w, c, h);
    return sum / nwork;
}

/* A stacked plot, with a table of some of its parts */
static void stacks(const char *file, const char *title, const enum configuration *c, u32 n, const char *const *parts, u32 nparts,
                   part_fn *value, u32 shown) {
    plot_stacks(file, title, c, n, parts, nparts, value);
    say("\n| workload |");
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < nparts; k++)
            if (shown >> k & 1) say(" %s %s |", configurations[c[i]], parts[k]);
    say("\n| --- |");
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < nparts; k++)
            if (shown >> k & 1) say(" ---: |");
    for (u32 w = 0; w < nwork; w++) {
        say("\n| %s |", work[w].name);
        for (u32 i = 0; i < n; i++)
            for (u32 k = 0; k < nparts; k++)
                if (shown >> k & 1) say(" %.2f |", value(w, c[i], k));
    }
    say("\n");
    picture(file, title);
}

/* --- chapter 3 */

static void mix_curve(void) {
    FILE *f = svg_open("fig3_1", "3.1 time with all units busy, by the mix of instructions (2 ALU, 1 MEM)", 620);
    axis(f, 0, 1, 620);
    fputs("<polyline fill=\"none\" stroke=\"#4477aa\" points=\"", f);
    for (u32 i = 0; i <= 100; i++) {
        double m = i / 100.0, mem = m, alu = (1 - m) / 2;
        fprintf(f, "%.1f,%.1f ", LEFT + 5.0 * i, y_of(MIN(mem, alu) / MAX(mem, alu), 0, 1));
    }
    fputs("\"/>\n", f);
    for (u32 w = 0; w < nwork; w++) {
        double x = LEFT + 500 * formula(w, C_stall, "memory_fraction"), y = y_of(formula(w, C_stall, "mix_occupation"), 0, 1);
        fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#ee6677\"><title>%s</title></circle>\n", x, y, work[w].name);
    }
    for (u32 i = 0; i <= 10; i++)
        fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.1f</text>\n", LEFT + 50 * (int)i, BOTTOM + 14, i / 10.0);
    fprintf(f, "<text x=\"%d\" y=\"%d\">memory instructions / all instructions</text>\n</svg>\n", LEFT + 150, BOTTOM + 34);
    fclose(f);
    say("## Figure 3.1: full occupation by the instruction mix\n");
    picture("fig3_1", "3.1");
    say("The curve is min(f, (1 - f) / 2) over max of the two, for two arithmetic units and one memory unit; points are our "
        "workloads (`mix_occupation`).\n");
}

static void chapter3(void) {
    say("\n# Chapter 3: the problem\n\n");
    mix_curve();
    static struct plot p;
    say("\n## Figure 3.2: memory instructions\n");
    p = (struct plot){.file = "fig3_2", .title = "3.2 dynamic memory instruction fraction"};
    formulas(&p, "memory fraction", C_stall, "memory_fraction");
    show(&p, true);
    say("\n## Figure 3.3: hazard cycles of the stalling machine, shares of the memory stages' cycles\n");
    enum configuration base[] = {C_stall};
    stacks("fig3_3", "3.3 hazard cycle fraction, stalling", base, 1, hazard_names, HAZARDS, own_hazard, 0x5B);
    say("\n## Figures 3.4 and 3.5: predicted maximum speedup; warps available and waiting at barriers\n");
    p = (struct plot){.file = "fig3_4", .title = "3.4 predicted maximum speedup (old/new - 1)"};
    formulas(&p, "predicted speedup", C_stall, "predicted_speedup");
    formulas(&p, "blocked cycles", C_stall, "blocked_fraction");
    show(&p, true);
    p = (struct plot){.file = "fig3_5", .title = "3.5 warps available and waiting, of 64"};
    formulas(&p, "available", C_stall, "warps_available");
    formulas(&p, "waiting", C_stall, "warps_waiting");
    show(&p, false);
}

/* --- chapters 5 and 6 */

static void chapter5(void) {
    static struct plot p;
    say("\n# Chapter 5: replay\n\n## Figure 5.1: replay over stalling\n");
    p = (struct plot){.file = "fig5_1", .title = "5.1 speedup of replay over stalling"};
    gains(&p, "replay", C_replay, C_stall);
    gains(&p, "replay, unbounded buffer", C_unbounded, C_stall);
    show(&p, true);
    double heavy = 0, light = 0;
    u32 n = heavy_count();
    for (u32 w = 0; w < nwork; w++) *(mshr_heavy(w) ? &heavy : &light) += gain(w, C_replay, C_stall);
    verdict(n && heavy / n > light / MAX(1u, nwork - n), "Memory intensive benchmarks gain performance.",
            "The %u workloads with MSHR replays in more than a tenth of the cycles gain %.1f %% on average, the other %u %.1f "
            "%%; best %s %+.1f %%, worst %s %+.1f %%.",
            n, 100 * heavy / MAX(1u, n), nwork - n, 100 * light / MAX(1u, nwork - n), work[best(C_replay, C_stall)].name,
            100 * gain(best(C_replay, C_stall), C_replay, C_stall), work[worst(C_replay, C_stall)].name,
            100 * gain(worst(C_replay, C_stall), C_replay, C_stall));
}

static void chapter6(void) {
    static const enum configuration c[] = {C_stall, C_replay, C_replay_mshr64, C_replay_mshr128};
    say("\n# Chapter 6: hazards and the number of MSHRs\n\n## Figure 6.1: hazard cycles, over the cycles of stalling with 32 "
        "MSHRs\n");
    stacks("fig6_1", "6.1 hazard cycles: stall 32, replay 32, 64, 128 MSHRs", c, 4, hazard_names, HAZARDS, hazard_part,
           1u << H_MSHR | 1u << H_COMQ);
    say("\n## Figure 6.2: scheduler cycles, over those of stalling with 32 MSHRs\n");
    stacks("fig6_2", "6.2 scheduler cycles: stall 32, replay 32, 64, 128 MSHRs", c, 4, sched_names, SCHEDS, sched_part,
           1u << 3 | 1u << 4);
    u32 major = 0, some = 0;
    for (u32 w = 0; w < nwork; w++) {
        u32 top = 0;
        double sum = 0;
        for (u32 h = 0; h < HAZARDS; h++) {
            if (work[w].of[C_replay].hazards[h] > work[w].of[C_replay].hazards[top]) top = h;
            sum += work[w].of[C_replay].hazards[h];
        }
        if (sum / total(w, C_replay) < 0.05) continue;
        some++;
        major += top == H_MSHR;
    }
    verdict(2 * major > some, "Replays for MSHR hazards are the major component for most benchmarks.",
            "They are the largest in %u of the %u workloads that replay in more than a twentieth of the cycles.", major, some);
    double m32 = sum_hazards(C_replay, H_MSHR), m128 = sum_hazards(C_replay_mshr128, H_MSHR), q32 = sum_hazards(C_replay, H_COMQ),
           q128 = sum_hazards(C_replay_mshr128, H_COMQ);
    verdict(m128 < m32 && q128 > q32, "More MSHRs trade MSHR hazards for COMQ hazards.",
            "On average MSHR hazards go from %.2f to %.2f of the cycles with 128 MSHRs, COMQ hazards from %.2f to %.2f.", m32,
            m128, q32, q128);
    double g = geomean(C_replay_mshr128, C_replay);
    u32 b = best(C_replay_mshr128, C_replay), l = worst(C_replay_mshr128, C_replay);
    verdict(fabs(g) < 0.05, "Performance is not greatly affected.",
            "128 MSHRs against 32: %+.1f %% (geometric mean), from %s %+.1f %% to %s %+.1f %%; the former's L1 hit rate goes "
            "from %.0f to %.0f %%.",
            100 * g, work[l].name, 100 * gain(l, C_replay_mshr128, C_replay), work[b].name,
            100 * gain(b, C_replay_mshr128, C_replay), 100 * formula(l, C_replay, "l1_hit_rate"),
            100 * formula(l, C_replay_mshr128, "l1_hit_rate"));
}

/* --- chapter 7 */

static void buffer_penalty(void) {
    static struct plot p;
    say("\n# Chapter 7\n\n## Figure 7.1: kept buffer entries without replay\n");
    p = (struct plot){.file = "fig7_1", .title = "7.1 speedup of keeping entries (retain) over stalling"};
    gains(&p, "retain", C_retain, C_stall);
    show(&p, true);
    u32 l = worst(C_retain, C_stall);
    verdict(geomean(C_retain, C_stall) > -0.05, "The effect is minor for most benchmarks.", "%+.1f %% (geometric mean).",
            100 * geomean(C_retain, C_stall));
    double few = 0, many = 0, kept = 0;
    u32 n = 0;
    for (u32 w = 0; w < nwork; w++) {
        bool scarce = formula(w, C_stall, "warps_available") < 8;
        *(scarce ? &few : &many) += gain(w, C_retain, C_stall);
        if (scarce) n++, kept += counter(w, C_retain, "retained_cycles") / counter(w, C_retain, "warp_cycles");
    }
    verdict(n && few / n < many / MAX(1u, nwork - n) - 0.005, "Those with few warps suffer most.",
            "The %u with fewer than 8 warps an SM change by %+.1f %% on average, the others by %+.1f %%: those with few warps "
            "keep %.2f of 8 entries a warp, so their buffers seldom fill. The worst is %s, %+.1f %%, with %.1f warps an SM and "
            "%.2f kept entries; its L1 hit rate goes from "
            "%.1f to %.1f %%.",
            n, 100 * few / MAX(1u, n), 100 * many / MAX(1u, nwork - n), kept / MAX(1u, n), work[l].name,
            100 * gain(l, C_retain, C_stall), formula(l, C_stall, "warps_available"),
            counter(l, C_retain, "retained_cycles") / counter(l, C_retain, "warp_cycles"),
            100 * formula(l, C_stall, "l1_hit_rate"), 100 * formula(l, C_retain, "l1_hit_rate"));
}

static void collectors(void) {
    static struct plot p;
    static const enum configuration of[2][4] = {
        {C_stall_generic_4, C_stall_generic_16, C_stall_separated_4_1_3, C_stall_separated_8_2_6},
        {C_replay_generic_4, C_replay_generic_16, C_replay_separated_4_1_3, C_replay_separated_8_2_6}};
    static const char *const names[] = {"gen4", "gen16", "sep4/1/3", "sep8/2/6"};
    for (u32 i = 0; i < 2; i++) {
        say("\n## Figure 7.%u: operand collectors, %s; over generic:8 stalling\n", 2 + i, i ? "replay" : "stalling");
        p = (struct plot){.file = i ? "fig7_3" : "fig7_2",
                          .title = i ? "7.3 operand collectors with replay" : "7.2 operand collectors with stalling"};
        if (i) gains(&p, "gen8", C_replay, C_stall);
        for (u32 k = 0; k < 4; k++) gains(&p, names[k], of[i][k], C_stall);
        show(&p, true);
    }
    double sep = geomean(C_stall_separated_4_1_3, C_stall), g16 = geomean(C_stall_generic_16, C_stall),
           sep16 = geomean(C_stall_separated_8_2_6, C_stall);
    verdict(sep < 0, "A generic collector uses its space better than a separated one.",
            "Eight slots separated 4/1/3 against generic: %+.1f %%; sixteen: %+.1f %% against %+.1f %% (geometric means over "
            "generic:8).",
            100 * sep, 100 * sep16, 100 * g16);
    u32 near = 0, b = best(C_stall_separated_8_2_6, C_stall_generic_16);
    for (u32 w = 0; w < nwork; w++)
        near += MAX(gain(w, C_stall_generic_16, C_stall), gain(w, C_stall_separated_8_2_6, C_stall)) < 0.05;
    verdict(2 * near > nwork, "Eight generic slots are within 5 % of the best for most benchmarks.", "They are in %u of %u.",
            near, nwork);
    verdict(gain(b, C_stall_separated_8_2_6, C_stall_generic_16) > 0.01,
            "Separated collectors sometimes do better, by keeping memory from arithmetic.",
            "Most in %s: 8/2/6 is %+.1f %% over sixteen generic slots, its collectors being blocked in %.0f %% of the cycles "
            "instead of %.0f %%.",
            work[b].name, 100 * gain(b, C_stall_separated_8_2_6, C_stall_generic_16),
            100 * formula(b, C_stall_separated_8_2_6, "blocked_fraction"),
            100 * formula(b, C_stall_generic_16, "blocked_fraction"));
}

static void schedulers(void) {
    static struct plot p;
    static const enum configuration c[] = {C_stall_one, C_stall, C_replay_one, C_replay};
    say("\n## Figure 7.4: two schedulers over one\n");
    p = (struct plot){.file = "fig7_4", .title = "7.4 speedup of two schedulers over one"};
    gains(&p, "stall", C_stall, C_stall_one);
    gains(&p, "replay", C_replay, C_replay_one);
    show(&p, true);
    say("\n## Figure 7.5: scheduler cycles, over those of one scheduler stalling\n");
    stacks("fig7_5", "7.5 scheduler cycles: stall one, stall two, replay one, replay two", c, 4, sched_names, SCHEDS, sched_one,
           1u << 3 | 1u << 4);
    say("\n## Figure 7.6: hazard cycles, over the cycles of one scheduler stalling\n");
    stacks("fig7_6", "7.6 hazard cycles: stall one, stall two, replay one, replay two", c, 4, hazard_names, HAZARDS, hazard_one,
           1u << H_MSHR);
    double s = geomean(C_stall, C_stall_one), r = geomean(C_replay, C_replay_one);
    u32 more = 0;
    for (u32 w = 0; w < nwork; w++) more += gain(w, C_replay, C_replay_one) > gain(w, C_stall, C_stall_one);
    verdict(r > s, "Two schedulers help replay more than stalling.",
            "%+.1f %% with replay and %+.1f %% without (geometric means); more with replay in %u of %u.", 100 * r, 100 * s, more,
            nwork);
}

static void scatter(void) {
    static struct plot p;
    double x[MAX_WORKLOADS], y[MAX_WORKLOADS];
    for (u32 w = 0; w < nwork; w++) x[w] = formula(w, C_stall, "predicted_speedup"), y[w] = gain(w, C_replay, C_stall);
    say("\n## Figures 7.7 and 7.9: predicted maximum against measured speedup\n");
    p = (struct plot){.series = 0};
    gains(&p, "replay", C_replay, C_stall);
    plot_scatter("fig7_7", "7.7 replay speedup against predicted maximum", "predicted maximum speedup", &p, x);
    gains(&p, "credit hit", C_replay_credit_hit, C_stall);
    gains(&p, "naive hit", C_replay_naive_hit, C_stall);
    plot_scatter("fig7_9", "7.9 replay, credit hit and naive hit against predicted maximum", "predicted maximum speedup", &p, x);
    picture("fig7_7", "7.7");
    picture("fig7_9", "7.9");
    double r = correlation(x, y, nwork), kept_x[MAX_WORKLOADS], kept_y[MAX_WORKLOADS];
    u32 over = 0, kept = 0;
    for (u32 w = 0; w < nwork; w++) {
        over += y[w] > x[w] + 0.02;
        if (y[w] <= x[w] + 0.02 && y[w] > -0.02) kept_x[kept] = x[w], kept_y[kept++] = y[w];
    }
    verdict(r > 0.1, "There is a small noticeable correlation between predicted maximum and measured speedup.",
            "Pearson's r is %.2f over all %u workloads, and %.2f over the %u that neither exceed the prediction nor lose more "
            "than 2 %%: the former gain what the estimate does not count (next table), the latter pay for further passes and "
            "lines (last table).",
            r, nwork, correlation(kept_x, kept_y, kept), kept);
    verdict(over <= 2, "The predicted maximum is a strong maximum; one program (TR_naive) exceeds it.",
            "%u workloads gain over two points more than predicted: the estimate counts arithmetic that stalls keep waiting, and "
            "replay also lets misses to other sets, hits and merged accesses go on, which shows in their L1 hit rates and MSHR "
            "use below.",
            over);
    say("\n| workload | predicted | replay | L1 hit rate stall | replay | MSHRs in use stall | replay |\n| --- | ---: | ---: | "
        "---: | ---: | ---: | ---: |\n");
    for (u32 w = 0; w < nwork; w++)
        if (y[w] > x[w] + 0.02)
            say("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f | %.1f |\n", work[w].name, 100 * x[w], 100 * y[w],
                100 * formula(w, C_stall, "l1_hit_rate"), 100 * formula(w, C_replay, "l1_hit_rate"),
                formula(w, C_stall, "mshr_average"), formula(w, C_replay, "mshr_average"));
}

static const enum configuration predictions[] = {C_replay_credit_hit,    C_replay_credit_miss, C_replay_credit_counter,
                                                 C_replay_credit_oracle, C_replay_naive_hit,   C_replay_naive_miss,
                                                 C_replay_naive_counter, C_replay_naive_oracle};
static const char *const prediction_names[] = {"credit hit", "credit miss", "credit counter", "credit oracle",
                                               "naive hit",  "naive miss",  "naive counter",  "naive oracle"};

/* Where credit hit is slower than replay */
static void prediction_losers(void) {
    say("\nWhere credit hit is more than half a per cent slower than replay:\n\n| workload | credit hit over replay | MSHRs in "
        "use replay | credit hit | usable MSHR idle replay | credit hit | L1 hit rate replay | credit hit | reason |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (u32 w = 0; w < nwork; w++) {
        double idle[2] = {formula(w, C_replay, "mshr_usable_fraction"), formula(w, C_replay_credit_hit, "mshr_usable_fraction")};
        double used[2] = {formula(w, C_replay, "mshr_average"), formula(w, C_replay_credit_hit, "mshr_average")};
        double hits[2] = {formula(w, C_replay, "l1_hit_rate"), formula(w, C_replay_credit_hit, "l1_hit_rate")};
        if (gain(w, C_replay_credit_hit, C_replay) > -0.005) continue;
        const char *why = idle[1] > idle[0] + 0.01    ? "a freed MSHR waits for a held-back load to come through the pipe (7.2.2)"
                          : used[1] < used[0] - 0.05  ? "fewer MSHRs in use: held-back loads come late"
                          : hits[1] < hits[0] - 0.002 ? "fewer hits: warps go in another order"
                                                      : "not in these counters: warps go in another order";
        say("| %s | %+.1f %% | %.1f | %.1f | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %s |\n", work[w].name,
            100 * gain(w, C_replay_credit_hit, C_replay), used[0], used[1], 100 * idle[0], 100 * idle[1], 100 * hits[0],
            100 * hits[1], why);
    }
    say("\n");
}

static void prediction(void) {
    static struct plot p;
    say("\n## Figure 7.8: replay and hazard prediction over stalling\n");
    p = (struct plot){.file = "fig7_8", .title = "7.8 predicted maximum, replay and hazard prediction, over stalling"};
    formulas(&p, "predicted", C_stall, "predicted_speedup");
    gains(&p, "replay", C_replay, C_stall);
    for (u32 i = 0; i < 8; i++) gains(&p, prediction_names[i], predictions[i], C_stall);
    show(&p, true);
    say("\n| over replay | all | MSHR hazards abound | best | worst |\n| --- | ---: | ---: | ---: | ---: |\n");
    u32 top = 0, loses = 0;
    double heavy_hit = 0;
    for (u32 i = 0; i < 8; i++) {
        double heavy = 0;
        for (u32 w = 0; w < nwork; w++)
            if (mshr_heavy(w)) heavy += log(1 + gain(w, predictions[i], C_replay));
        heavy = exp(heavy / MAX(1u, heavy_count())) - 1;
        if (i == 0) heavy_hit = heavy;
        u32 b = best(predictions[i], C_replay), l = worst(predictions[i], C_replay);
        if (geomean(predictions[i], C_replay) > geomean(predictions[top], C_replay)) top = i;
        say("| %s | %+.2f %% | %+.2f %% | %s %+.1f %% | %s %+.1f %% |\n", prediction_names[i],
            100 * geomean(predictions[i], C_replay), 100 * heavy, work[b].name, 100 * gain(b, predictions[i], C_replay),
            work[l].name, 100 * gain(l, predictions[i], C_replay));
    }
    say("\n");
    for (u32 w = 0; w < nwork; w++) loses += mshr_heavy(w) && gain(w, C_replay_credit_hit, C_replay) < -0.005;
    verdict(
        loses == 0 && heavy_hit > 0, "Replay with credit and \"false\" is at least as fast as replay where MSHR hazards abound.",
        "%+.1f %% over the %u such workloads; %u of them lose more than half a per cent.", 100 * heavy_hit, heavy_count(), loses);
    prediction_losers();
    u32 b = best(C_replay_credit_hit, C_stall), br = best(C_replay_credit_hit, C_replay);
    verdict(gain(br, C_replay_credit_hit, C_replay) < 0.05,
            "Prediction with replay gives up to 13.3 % over stalling and up to 3.3 % over replay.",
            "Credit hit gives up to %+.1f %% over stalling (%s) and up to %+.1f %% over replay (%s), where it takes %.0f %% of "
            "the replays away and the L1 hit rate goes from %.0f to %.0f %%.",
            100 * gain(b, C_replay_credit_hit, C_stall), work[b].name, 100 * gain(br, C_replay_credit_hit, C_replay),
            work[br].name, 100 * (1 - counter(br, C_replay_credit_hit, "replays") / counter(br, C_replay, "replays")),
            100 * formula(br, C_replay, "l1_hit_rate"), 100 * formula(br, C_replay_credit_hit, "l1_hit_rate"));
    verdict(predictions[top] == C_replay_credit_oracle || predictions[top] == C_replay_naive_oracle, "The oracle is the best.",
            "On average %s is, %+.2f %% over replay; credit oracle %+.2f %%, credit hit %+.2f %%.", prediction_names[top],
            100 * geomean(predictions[top], C_replay), 100 * geomean(C_replay_credit_oracle, C_replay),
            100 * geomean(C_replay_credit_hit, C_replay));
    double spread = geomean(predictions[top], C_replay) - geomean(C_replay_credit_miss, C_replay);
    u32 l = worst(C_replay_credit_miss, C_replay);
    verdict(spread < 0.02, "All schemes are close in general.",
            "The best and credit miss are %.1f points apart (geometric means). Credit miss loses most in %s, %+.1f %%: it holds "
            "back loads that would hit, restricted scheduler cycles go from %.0f %% (credit hit) to %.0f %%, and the L1 hit rate "
            "from %.0f to "
            "%.0f %%.",
            100 * spread, work[l].name, 100 * gain(l, C_replay_credit_miss, C_replay),
            50 * work[l].of[C_replay_credit_hit].sched[5] / total(l, C_replay_credit_hit),
            50 * work[l].of[C_replay_credit_miss].sched[5] / total(l, C_replay_credit_miss),
            100 * formula(l, C_replay_credit_hit, "l1_hit_rate"), 100 * formula(l, C_replay_credit_miss, "l1_hit_rate"));
}

static void breakdowns(void) {
    static const enum configuration c[] = {C_stall, C_replay, C_replay_credit_hit, C_replay_naive_hit};
    static struct plot p;
    say("\n## Figure 7.10: scheduler cycles, over those of stalling\n");
    stacks("fig7_10", "7.10 scheduler cycles: stall, replay, credit hit, naive hit", c, 4, sched_names, SCHEDS, sched_part,
           1u << 3 | 1u << 4 | 1u << 5);
    say("\n## Figure 7.11: hazard cycles, over the cycles of stalling\n");
    stacks("fig7_11", "7.11 hazard cycles: stall, replay, credit hit, naive hit", c, 4, hazard_names, HAZARDS, hazard_part,
           1u << H_MSHR);
    double none = sum_hazards(C_replay, H_MSHR), credit = sum_hazards(C_replay_credit_hit, H_MSHR),
           naive = sum_hazards(C_replay_naive_hit, H_MSHR);
    verdict(credit < none / 2, "Hazard prediction greatly reduces MSHR hazards.",
            "On average from %.2f to %.2f (credit hit) and %.2f (naive hit) of the cycles.", none, credit, naive);
    verdict(credit <= naive, "The credit tracker prevents more of them than the naive one.",
            "%.3f against %.3f; what is left under credit are first refusals, refusals of lines whose MSHR takes no further "
            "access, and MSHRs taken without a credit.",
            credit, naive);
    say("\n## Table 7.1: what the counters predicted (credit counter), shares of judged loads\n\n| workload | ptt | ptf | pft | "
        "pff | L1 accesses that joined a line on its way |\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
    u32 low = 0, judged = 0;
    double pft_most = 0;
    u32 most = 0;
    for (u32 w = 0; w < nwork; w++) {
        static const char *const keys[] = {"predicted_miss_missed", "predicted_miss_hit", "predicted_hit_missed",
                                           "predicted_hit_hit"};
        double x[4], sum = 0;
        for (u32 i = 0; i < 4; i++) sum += x[i] = counter(w, C_replay_credit_counter, keys[i]);
        if (!sum) continue;
        say("| %s | %.3f | %.3f | %.3f | %.3f | %.2f |\n", work[w].name, x[0] / sum, x[1] / sum, x[2] / sum, x[3] / sum,
            counter(w, C_replay_credit_counter, "l1_merged") / MAX(1, counter(w, C_replay_credit_counter, "l1_accesses")));
        judged++;
        low += x[1] / sum < 0.02;
        if (x[2] / sum > pft_most) pft_most = x[2] / sum, most = w;
    }
    say("\n");
    verdict(2 * low > judged, "Loads that would hit are seldom taken for misses (ptf below 2 % in BFS2 and CFD).",
            "Below 2 %% in %u of %u workloads; the most misses taken for hits are %.0f %%, in %s. An access that joins a line on "
            "its way needs no MSHR and counts as no miss, here as for the trackers; so instructions whose first warp misses and "
            "whose others join it are predicted as misses that do not come.",
            low, judged, 100 * pft_most, work[most].name);
    say("\n## Figure 7.12: cycles in which an MSHR was free and a load could have used it\n");
    p = (struct plot){.file = "fig7_12", .title = "7.12 fraction of cycles with a usable MSHR idle"};
    formulas(&p, "stall", C_stall, "mshr_usable_fraction");
    formulas(&p, "replay", C_replay, "mshr_usable_fraction");
    formulas(&p, "credit hit", C_replay_credit_hit, "mshr_usable_fraction");
    formulas(&p, "naive hit", C_replay_naive_hit, "mshr_usable_fraction");
    show(&p, true);
    double s = 0, r = 0, ch = 0, nh = 0;
    u32 n = MAX(1u, heavy_count());
    for (u32 w = 0; w < nwork; w++)
        if (mshr_heavy(w)) s += p.at[0][w] / n, r += p.at[1][w] / n, ch += p.at[2][w] / n, nh += p.at[3][w] / n;
    double others = 0;
    u32 top = 0;
    for (u32 w = 0; w < nwork; w++)
        if (mshr_heavy(w) && p.at[0][w] - p.at[1][w] > p.at[0][top] - p.at[1][top]) top = w;
    for (u32 h = 0; h < HAZARDS; h++)
        if (h != H_MSHR) others += own_hazard(top, C_stall, h);
    verdict(s < r, "Stalling leaves usable MSHRs idle less than replay.",
            "Where MSHR hazards abound: stalling %.1f %%, replay %.1f %%. Where stalling leaves them idle more, most so in %s "
            "(%.1f against %.1f %%), the stage's first instruction holds loads that could use one: hazards other than MSHR take "
            "%.1f %% of its cycles there, and constants wait "
            "behind blocked loads.",
            100 * s, 100 * r, work[top].name, 100 * p.at[0][top], 100 * p.at[1][top], 100 * others);
    verdict(ch > nh, "The credit tracker leaves them idle more than the naive one.", "%.1f %% against %.1f %%.", 100 * ch,
            100 * nh);
}

static void without_replay(void) {
    static struct plot p;
    static const enum configuration c[] = {C_stall_credit_miss, C_stall_credit_counter, C_stall_credit_oracle,
                                           C_stall_naive_miss,  C_stall_naive_counter,  C_stall_naive_oracle};
    static const char *const names[] = {"credit miss", "credit counter", "credit oracle",
                                        "naive miss",  "naive counter",  "naive oracle"};
    say("\n## Figure 7.13: prediction on the stalling machine\n\n`hit` holds nothing back there and is left out: "
        "tests/hazard/contract.sh finds it cycle-identical to no prediction.\n");
    p = (struct plot){.file = "fig7_13", .title = "7.13 hazard prediction without replay, over stalling"};
    for (u32 i = 0; i < 6; i++) gains(&p, names[i], c[i], C_stall);
    show(&p, true);
    u32 b = best(C_stall_credit_miss, C_stall), first = 0;
    double heavy = 0;
    for (u32 w = 0; w < nwork; w++) {
        bool wins = mshr_heavy(w);
        for (u32 i = 1; i < 6; i++) wins = wins && p.at[0][w] >= p.at[i][w] - 0.002;
        first += wins;
        if (mshr_heavy(w)) heavy += log(1 + p.at[0][w]);
    }
    heavy = exp(heavy / MAX(1u, heavy_count())) - 1;
    verdict(heavy > 0, "Credit \"true\", the most conservative, does well in hazard-intensive benchmarks.",
            "%+.1f %% where MSHR hazards abound, best %s %+.1f %%, and the best or level with it in %u of these %u.", 100 * heavy,
            work[b].name, 100 * p.at[0][b], first, heavy_count());
}

static void issue_reduction(void) {
    static struct plot p;
    say("\n## Figure 7.14: fewer cycles with an issue, against replay\n");
    p = (struct plot){.file = "fig7_14", .title = "7.14 reduction of issue cycles against replay"};
    for (u32 w = 0; w < nwork; w++) {
        p.at[0][w] = 1 - issue_cycles(w, C_replay_credit_hit) / issue_cycles(w, C_replay);
        p.at[1][w] = 1 - issue_cycles(w, C_replay_credit_oracle) / issue_cycles(w, C_replay);
    }
    add(&p, "credit hit");
    add(&p, "credit oracle");
    show(&p, true);
    double hit = 0, oracle = 0, most = 0;
    u32 at = 0, n = MAX(1u, heavy_count());
    for (u32 w = 0; w < nwork; w++) {
        if (mshr_heavy(w)) hit += p.at[0][w] / n, oracle += p.at[1][w] / n;
        if (p.at[0][w] > most) most = p.at[0][w], at = w;
    }
    verdict(most >= 0.4, "Issue cycles of CFD are cut by half.",
            "By up to %.0f %% (%s); by %.0f %% on average where MSHR hazards abound.", 100 * most, work[at].name, 100 * hit);
    verdict(hit > 0.7 * oracle, "Credit \"false\" achieves most of what credit oracle does.", "%.0f %% against %.0f %%.",
            100 * hit, 100 * oracle);
}

static void comparison(void) {
    static struct plot p;
    static const struct {
        const char *name;
        enum configuration c;
    } rows[] = {{"sep8/2/6", C_stall_separated_8_2_6},
                {"replay", C_replay},
                {"replay credit hit", C_replay_credit_hit},
                {"stall credit miss", C_stall_credit_miss}};
    say("\n## Figure 7.15: the techniques side by side, over stalling\n");
    p = (struct plot){.file = "fig7_15", .title = "7.15 techniques over stalling"};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) gains(&p, rows[i].name, rows[i].c, C_stall);
    show(&p, true);
    say("Geometric means:");
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        say(" %s %+.1f %%%s", rows[i].name, 100 * geomean(rows[i].c, C_stall), i + 1 < ARRAY_LEN(rows) ? "," : ".\n");
}

/* --- who loses, and why */

static const char *reason(u32 w) {
    double extra = gain(w, C_replay, C_stall), kept = gain(w, C_retain, C_stall), freed = gain(w, C_unbounded, C_replay);
    const double *h = work[w].of[C_replay].hazards;
    if (kept < extra / 2) return "kept entries: `retain` alone loses most of it";
    if (freed > -extra / 2) return "kept entries: with an unbounded buffer most of it is gone";
    if (h[H_BANK] > h[H_DIV] && h[H_BANK] > h[H_MSHR] + h[H_COMQ] + h[H_ORDER])
        return "every further pass of shared memory or constants is an issue, a trip through the pipe and a signal, where "
               "stalling takes one cycle";
    if (h[H_DIV] > h[H_MSHR] + h[H_COMQ])
        return "every further line is an issue, a trip through the pipe and a signal, where stalling takes one cycle";
    if (h[H_COMQ] > h[H_MSHR]) return "stores refused by the full miss queue come again through the whole pipe";
    if (h[H_ORDER] > h[H_MSHR]) return "younger accesses of a line wait for older ones that were refused";
    return "refused loads come again later than they would have been served in the stage";
}

static void losers(void) {
    say("\n# Who loses under replay, and why\n\nWorkloads more than 1 %% slower than with stalling. Replays are per warp "
        "instruction; kept entries are buffer entries a warp cannot refill, averaged over time.\n\n"
        "| workload | replay | retain alone | unbounded buffer | warps available | replays | of them div | bank | mshr | comq | "
        "order | kept entries | load latency stall | replay | reason |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (u32 w = 0; w < nwork; w++) {
        if (gain(w, C_replay, C_stall) > -0.01) continue;
        const double *h = work[w].of[C_replay].hazards;
        double n = MAX(1, counter(w, C_replay, "replays"));
        say("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f | %.2f | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.2f | %.0f | "
            "%.0f | %s |\n",
            work[w].name, 100 * gain(w, C_replay, C_stall), 100 * gain(w, C_retain, C_stall), 100 * gain(w, C_unbounded, C_stall),
            formula(w, C_stall, "warps_available"), n / work[w].of[C_replay].instructions, 100 * h[H_DIV] / n,
            100 * h[H_BANK] / n, 100 * h[H_MSHR] / n, 100 * h[H_COMQ] / n, 100 * h[H_ORDER] / n,
            counter(w, C_replay, "retained_cycles") / counter(w, C_replay, "warp_cycles"), formula(w, C_stall, "load_latency"),
            formula(w, C_replay, "load_latency"), reason(w));
    }
}

static void head(void) {
    say("# Turner (2012) on our workloads\n\nMade by `tools/study_turner.sh`; do not edit. Machine `turner2012`, %u workloads "
        "(bundled ones at their largest size; `app_` are recorded applications), %d configurations. "
        "Statements in italics are the document's; its benchmarks are others, so what is compared is the behaviour, not a "
        "program. Speedups are old cycles over new minus one. "
        "The document's predictors \"false\" and \"true\" are `hit` and `miss`, \"predictor\" is `counter`. \"MSHR hazards "
        "abound\" where replays for MSHRs take more than a tenth of the memory stages' cycles: %u of the workloads.\n",
        nwork, NCONF, heavy_count());
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: study_turner RESULTS DOCS\n");
        return 2;
    }
    char path[1024];
    load_all(argv[1]);
    snprintf(out_dir, sizeof out_dir, "%s", argv[2]);
    snprintf(path, sizeof path, "%s/turner.md", argv[2]);
    if (!(page = fopen(path, "w"))) {
        fprintf(stderr, "study_turner: cannot write %s\n", path);
        return 2;
    }
    head();
    chapter3();
    chapter5();
    chapter6();
    buffer_penalty();
    collectors();
    schedulers();
    scatter();
    prediction();
    breakdowns();
    without_replay();
    issue_reduction();
    comparison();
    losers();
    return fclose(page) ? 2 : 0;
}
