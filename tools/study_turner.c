/* study_turner: the pages docs/studies/turner.md and turner_tables.md and their plots, from the results
 * tools/study_turner.sh left.
 *
 *   study_turner RESULTS DOCS       RESULTS/CONFIGURATION/WORKLOAD.json -> DOCS/turner.md,
 *                                   DOCS/turner_tables.md, DOCS/turner/NAME.svg
 *
 * A figure is a plot, its means and extremes, what the document says of it, and whether our numbers agree;
 * the verdict is computed here, so a new run that changes it changes the page. The values of every workload
 * are in the tables. Reasons come from counters, or from experiments: runs with one thing taken away, made
 * for the workloads that need a reason. */
#include "study_plot.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORKLOADS = PLOT_NAMES, HAZARDS = 8, SCHEDS = 6 };
static const char *const hazard_names[HAZARDS] = {"div", "bank", "tlb", "mshr", "merge", "comq", "order", "rsv"};
static const char *const sched_names[SCHEDS] = {"idle", "raw", "stall", "issue1", "issue2", "restrict"};
enum { H_DIV, H_BANK, H_TLB, H_MSHR, H_MERGE, H_COMQ, H_ORDER, H_RSV };
enum { NONE = -1 };
enum { S_ISSUE1 = 3, S_ISSUE2, S_RESTRICT };

/* clang-format off */
#define CONFIGURATIONS                                                                                                           \
    C(stall) C(stall_jitter) C(retain) C(replay) C(replay_jitter) C(unbounded) C(replay_mshr64) C(replay_mshr128) C(stall_one)   \
    C(replay_one) C(replay_credit_hit) C(replay_credit_miss) C(replay_credit_counter) C(replay_credit_oracle)                    \
    C(replay_naive_hit) C(replay_naive_miss) C(replay_naive_counter) C(replay_naive_oracle) C(stall_credit_miss)                 \
    C(stall_credit_counter) C(stall_credit_oracle) C(stall_naive_miss) C(stall_naive_counter) C(stall_naive_oracle)              \
    C(stall_generic_4) C(stall_generic_16) C(stall_separated_4_1_3) C(stall_separated_8_2_6) C(replay_generic_4)                 \
    C(replay_generic_16) C(replay_separated_4_1_3) C(replay_separated_8_2_6)
/* Made for some workloads only */
#define EXPERIMENTS                                                                                                              \
    C(stage_bank) C(stage_div) C(stage_both) C(stall_mshr128) C(stall_merge64) C(replay_merge64) C(stall_comq64)                 \
    C(replay_comq64) C(stall_rows) C(replay_rows) C(stall_free) C(replay_free) C(stall_plenty) C(replay_plenty) C(credit_jitter) C(replay_long) C(credit_long)
/* clang-format on */
enum configuration {
#define C(id) C_##id,
    CONFIGURATIONS EXPERIMENTS
#undef C
        NCONF,
    NMAIN = C_replay_separated_8_2_6 + 1
};
static const char *const configurations[NCONF] = {
#define C(id) #id,
    CONFIGURATIONS EXPERIMENTS
#undef C
};

struct result {
    json_t *json; /* NULL: not run */
    double cycles, instructions;
    double hazards[HAZARDS], sched[SCHEDS];
};
static struct {
    char name[64], size[16];
    struct result of[NCONF];
} work[MAX_WORKLOADS];
static u32 nwork;
static FILE *page, *tables;

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
    if (!r->json && c >= NMAIN) return;
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

/* The workloads are those of RESULTS/workloads: "NAME FILE SIZE" */
static void load_all(const char *dir) {
    char path[1024], file[512];
    snprintf(path, sizeof path, "%s/workloads", dir);
    FILE *f = fopen(path, "r");
    if (!f) {
        fprintf(stderr, "study_turner: cannot read %s; tools/study_turner.sh makes it\n", path);
        exit(2);
    }
    while (nwork < MAX_WORKLOADS && fscanf(f, "%63s %511s %15s", work[nwork].name, file, work[nwork].size) == 3) nwork++;
    fclose(f);
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
static bool was_run(u32 w, enum configuration c) { return work[w].of[c].json; }
static double hazard(u32 w, enum configuration c, u32 h) { return work[w].of[c].hazards[h] / total(w, C_stall); }
static double issue_cycles(u32 w, enum configuration c) { return work[w].of[c].sched[S_ISSUE1] + work[w].of[c].sched[S_ISSUE2]; }
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
static i32 named(const char *name) {
    for (u32 w = 0; w < nwork; w++)
        if (strcmp(work[w].name, name) == 0) return (i32)w;
    return NONE;
}
/* How far the cycles of stalling or replay move when blocks start one cycle later: what a difference must
 * exceed to mean something */
static double jitter(u32 w) { return MAX(fabs(gain(w, C_stall_jitter, C_stall)), fabs(gain(w, C_replay_jitter, C_replay))); }
/* MSHR replays in more than a tenth of the memory stages' cycles: "MSHR hazards abound" */
static bool mshr_heavy(u32 w) { return work[w].of[C_replay].hazards[H_MSHR] / total(w, C_replay) > 0.1; }
static u32 heavy_count(void) {
    u32 n = 0;
    for (u32 w = 0; w < nwork; w++) n += mshr_heavy(w);
    return n;
}
static double heavy_geomean(enum configuration of, enum configuration over) {
    double sum = 0;
    for (u32 w = 0; w < nwork; w++)
        if (mshr_heavy(w)) sum += log(1 + gain(w, of, over));
    return exp(sum / MAX(1u, heavy_count())) - 1;
}
static double correlation(const double *x, const double *y, u32 n) {
    double mx = 0, my = 0, xy = 0, xx = 0, yy = 0;
    for (u32 i = 0; i < n; i++) mx += x[i] / n, my += y[i] / n;
    for (u32 i = 0; i < n; i++) xy += (x[i] - mx) * (y[i] - my), xx += (x[i] - mx) * (x[i] - mx), yy += (y[i] - my) * (y[i] - my);
    return xy / sqrt(xx * yy);
}

/* --- the pages */

static void PRINTF_LIKE(1, 2) say(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vfprintf(page, fmt, ap);
    va_end(ap);
}
static void PRINTF_LIKE(1, 2) tell(const char *fmt, ...) { /* in the tables */
    va_list ap;
    va_start(ap, fmt);
    vfprintf(tables, fmt, ap);
    va_end(ap);
}

/* A heading of both pages; figures without a table have none there */
static void section(const char *title) {
    say("\n## %s\n", title);
    tell("\n## %s\n", title);
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

static const char *value_text(enum plot_kind kind, double v) {
    static char text[16][32];
    static u32 turn;
    char *s = text[turn++ % ARRAY_LEN(text)];
    snprintf(s, sizeof text[0],
             kind == NUMBERS ? "%.2f"
             : kind == GAINS ? "%+.1f %%"
                             : "%.1f %%",
             v * (kind == NUMBERS ? 1 : 100));
    return s;
}

/* "bfs +1.2 %, cfd +3.4 %": of the workloads named, those that there are */
static const char *values_of(enum plot_kind kind, const char *names, const double *at) {
    static char text[4][512];
    static u32 turn;
    char *s = text[turn++ % ARRAY_LEN(text)], name[64];
    int n = 0, used = 0;
    s[0] = 0;
    for (; sscanf(names, "%63s%n", name, &used) == 1; names += used)
        if (named(name) != NONE)
            n += snprintf(s + n, sizeof text[0] - (size_t)n, "%s%s %s", n ? ", " : "", name, value_text(kind, at[named(name)]));
    return n ? s : "none of these was run";
}
static const char *gains_of(const char *names, enum configuration of, enum configuration over) {
    static double at[MAX_WORKLOADS];
    for (u32 w = 0; w < nwork; w++) at[w] = gain(w, of, over);
    return values_of(GAINS, names, at);
}

static void tell_all(const struct plot *p) {
    tell("\n| workload |");
    for (u32 s = 0; s < p->series; s++) tell(" %s |", p->names[s]);
    tell("\n| --- |");
    for (u32 s = 0; s < p->series; s++) tell(" ---: |");
    for (u32 w = 0; w < nwork; w++) {
        tell("\n| %s |", work[w].name);
        for (u32 s = 0; s < p->series; s++) tell(" %s |", value_text(p->kind, p->at[s][w]));
    }
    tell("\n");
}

/* The plot, and of each series the mean and both ends */
static void show(struct plot *p) {
    plot_bars(p);
    tell_all(p);
    picture(p->file, p->title);
    say("| | %s | highest | lowest |\n| --- | ---: | ---: | ---: |\n", p->kind == GAINS ? "geometric mean" : "mean");
    for (u32 s = 0; s < p->series; s++) {
        u32 high = 0, low = 0;
        for (u32 w = 0; w < nwork; w++) {
            if (p->at[s][w] > p->at[s][high]) high = w;
            if (p->at[s][w] < p->at[s][low]) low = w;
        }
        say("| %s | %s | %s %s | %s %s |\n", p->names[s], value_text(p->kind, plot_mean(p, s)), work[high].name,
            value_text(p->kind, p->at[s][high]), work[low].name, value_text(p->kind, p->at[s][low]));
    }
    say("\n");
}

static void gains(struct plot *p, const char *name, enum configuration of, enum configuration over) {
    for (u32 w = 0; w < nwork; w++) p->at[p->series][w] = gain(w, of, over);
    add(p, name);
}
static void formulas(struct plot *p, const char *name, enum configuration c, const char *key) {
    for (u32 w = 0; w < nwork; w++) p->at[p->series][w] = formula(w, c, key);
    add(p, name);
}

static double hazard_part(u32 w, u32 c, u32 part) { return hazard(w, c, part); }
static double own_hazard(u32 w, u32 c, u32 part) { return work[w].of[c].hazards[part] / total(w, c); }
static double sched_part(u32 w, u32 c, u32 part) { return work[w].of[c].sched[part] / (2 * total(w, C_stall)); }
static double sched_one(u32 w, u32 c, u32 part) { return work[w].of[c].sched[part] / total(w, C_stall_one); }
static double hazard_one(u32 w, u32 c, u32 part) { return work[w].of[c].hazards[part] / total(w, C_stall_one); }
static double sum_hazards(enum configuration c, u32 h) { return plot_part_mean(c, h, hazard_part); }

/* A stacked plot, with the means of its parts; the tables have those that are `shown` */
static void stacks(const char *file, const char *title, const u32 *c, u32 n, const char *const *parts, u32 nparts,
                   plot_part *value, u32 shown) {
    static double key[MAX_WORKLOADS];
    for (u32 w = 0; w < nwork; w++) key[w] = own_hazard(w, C_replay, H_MSHR);
    plot_stacks(&(struct plot_stacks){file, title, c, parts, n, nparts, value, key});
    picture(file, title);
    say("| mean |");
    for (u32 k = 0; k < nparts; k++) say(" %s |", parts[k]);
    say("\n| --- |");
    for (u32 k = 0; k < nparts; k++) say(" ---: |");
    for (u32 i = 0; i < n; i++) {
        say("\n| %s |", configurations[c[i]]);
        for (u32 k = 0; k < nparts; k++) say(" %.1f %% |", 100 * plot_part_mean(c[i], k, value));
    }
    say("\n\n");
    tell("\n| workload |");
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < nparts; k++)
            if (shown >> k & 1) tell(" %s %s |", configurations[c[i]], parts[k]);
    tell("\n| --- |");
    for (u32 i = 0; i < n * (u32)__builtin_popcount(shown & ((1u << nparts) - 1)); i++) tell(" ---: |");
    for (u32 w = 0; w < nwork; w++) {
        tell("\n| %s |", work[w].name);
        for (u32 i = 0; i < n; i++)
            for (u32 k = 0; k < nparts; k++)
                if (shown >> k & 1) tell(" %.1f %% |", 100 * value(w, c[i], k));
    }
    tell("\n");
}

/* --- chapter 3 */

static double full_occupation(double mem) { return MIN(mem, (1 - mem) / 2) / MAX(mem, (1 - mem) / 2); }

static void mix_curve(void) {
    static struct plot p;
    static double x[MAX_WORKLOADS];
    p = (struct plot){
        .file = "fig3_1", .title = "3.1 time with all units busy, by the mix of instructions (2 ALU, 1 MEM)", .kind = SHARES};
    formulas(&p, "workloads", C_stall, "mix_occupation");
    for (u32 w = 0; w < nwork; w++) x[w] = formula(w, C_stall, "memory_fraction");
    plot_scatter(&p, x, "memory instructions of all instructions", full_occupation);
    say("\n## Figure 3.1: full occupation by the instruction mix\n");
    picture("fig3_1", "3.1");
    say("The curve is min(f, (1 - f) / 2) over max of the two, for two arithmetic units and one memory unit; points are our "
        "workloads (`mix_occupation`).\n");
}

static void chapter3(void) {
    say("\n# Chapter 3: the problem\n");
    mix_curve();
    static struct plot p;
    section("Figure 3.2: memory instructions");
    p = (struct plot){.file = "fig3_2", .title = "3.2 dynamic memory instruction fraction", .kind = SHARES};
    formulas(&p, "memory fraction", C_stall, "memory_fraction");
    show(&p);
    section("Figure 3.3: hazard cycles of the stalling machine, shares of the memory stages' cycles");
    const u32 base[] = {C_stall};
    stacks("fig3_3", "3.3 hazard cycle fraction, stalling", base, 1, hazard_names, HAZARDS, own_hazard, 0xFF);
    section("Figure 3.4: predicted maximum speedup");
    p = (struct plot){.file = "fig3_4",
                      .title = "3.4 predicted maximum speedup (old/new - 1) and cycles with blocked collectors",
                      .kind = SHARES};
    formulas(&p, "predicted speedup", C_stall, "predicted_speedup");
    formulas(&p, "blocked cycles", C_stall, "blocked_fraction");
    show(&p);
    section("Figure 3.5: warps available and waiting at barriers, of 64");
    p = (struct plot){.file = "fig3_5", .title = "3.5 warps available and waiting, of 64", .kind = NUMBERS};
    formulas(&p, "available", C_stall, "warps_available");
    formulas(&p, "waiting", C_stall, "warps_waiting");
    show(&p);
}

/* --- chapters 5 and 6 */

static void chapter5(void) {
    static struct plot p;
    say("\n# Chapter 5: replay\n");
    section("Figure 5.1: replay over stalling");
    p = (struct plot){.file = "fig5_1", .title = "5.1 speedup of replay over stalling"};
    gains(&p, "replay", C_replay, C_stall);
    gains(&p, "replay, unbounded buffer", C_unbounded, C_stall);
    show(&p);
    double light = 0;
    u32 n = heavy_count();
    for (u32 w = 0; w < nwork; w++)
        if (!mshr_heavy(w)) light += log(1 + gain(w, C_replay, C_stall));
    light = exp(light / MAX(1u, nwork - n)) - 1;
    double heavy = heavy_geomean(C_replay, C_stall);
    verdict(heavy > light && heavy > 0, "Memory intensive benchmarks gain performance.",
            "The %u workloads with MSHR replays in more than a tenth of the cycles gain %+.1f %% (geometric mean), the other %u "
            "%+.1f %%.",
            n, 100 * heavy, nwork - n, 100 * light);
    i32 lud = named("lud"), sort = named("mergesort");
    if (lud == NONE || sort == NONE) return;
    verdict(gain((u32)lud, C_replay, C_stall) < -0.05 && gain((u32)sort, C_replay, C_stall) < -0.05 &&
                gain((u32)lud, C_unbounded, C_stall) > gain((u32)lud, C_replay, C_stall) / 2,
            "LUD and MGST perform very poorly with replay, LUD because of kept entries (chapter 8).",
            "%s. With an unbounded buffer lud loses %+.1f %%, with further passes of shared memory in the stage %+.1f %%: these "
            "are the reason, not kept entries.",
            gains_of("lud app_lud mergesort", C_replay, C_stall), 100 * gain((u32)lud, C_unbounded, C_stall),
            was_run((u32)lud, C_stage_bank) ? 100 * gain((u32)lud, C_stage_bank, C_stall) : NAN);
}

static void chapter6(void) {
    static const u32 c[] = {C_stall, C_replay, C_replay_mshr64, C_replay_mshr128};
    say("\n# Chapter 6: hazards and the number of MSHRs\n");
    section("Figure 6.1: hazard cycles, over the cycles of stalling with 32 MSHRs");
    stacks("fig6_1", "6.1 hazard cycles; bars: stall 32, replay 32, 64, 128 MSHRs", c, 4, hazard_names, HAZARDS, hazard_part,
           1u << H_MSHR | 1u << H_COMQ);
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
            "On average MSHR hazards go from %.1f to %.1f %% of the cycles with 128 MSHRs, COMQ hazards from %.1f to %.1f %%.",
            100 * m32, 100 * m128, 100 * q32, 100 * q128);
    section("Figure 6.2: scheduler cycles, over those of stalling with 32 MSHRs");
    stacks("fig6_2", "6.2 scheduler cycles; bars: stall 32, replay 32, 64, 128 MSHRs", c, 4, sched_names, SCHEDS, sched_part,
           1u << S_ISSUE1 | 1u << S_ISSUE2);
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

static double kept_entries(u32 w, enum configuration c) {
    return counter(w, c, "retained_cycles") / counter(w, c, "warp_cycles");
}

static void buffer_penalty(void) {
    static struct plot p;
    say("\n# Chapter 7\n");
    section("Figure 7.1: kept buffer entries without replay");
    p = (struct plot){.file = "fig7_1", .title = "7.1 speedup of keeping entries (retain) over stalling"};
    gains(&p, "retain", C_retain, C_stall);
    show(&p);
    u32 l = worst(C_retain, C_stall), n = 0;
    verdict(geomean(C_retain, C_stall) > -0.05, "The effect is minor for most benchmarks.", "%+.1f %% (geometric mean).",
            100 * geomean(C_retain, C_stall));
    double few = 0, many = 0, kept = 0;
    for (u32 w = 0; w < nwork; w++) {
        bool scarce = formula(w, C_stall, "warps_available") < 8;
        *(scarce ? &few : &many) += gain(w, C_retain, C_stall);
        if (scarce) n++, kept += kept_entries(w, C_retain);
    }
    verdict(
        n && few / n < many / MAX(1u, nwork - n) - 0.005, "Those with few warps suffer most (LUD, NDL).",
        "The %u with fewer than 8 warps an SM change by %+.1f %% on average, the others by %+.1f %%; %s. Those with few warps "
        "keep %.2f of 8 entries a warp, so their buffers seldom fill. The worst is %s, %+.1f %%, with %.1f warps an SM, %.2f "
        "kept entries and a jitter of %.1f %%.",
        n, 100 * few / MAX(1u, n), 100 * many / MAX(1u, nwork - n), gains_of("lud app_lud nw app_nw", C_retain, C_stall),
        kept / MAX(1u, n), work[l].name, 100 * gain(l, C_retain, C_stall), formula(l, C_stall, "warps_available"),
        kept_entries(l, C_retain), 100 * jitter(l));
}

static void collectors(void) {
    static struct plot p;
    static const enum configuration of[2][4] = {
        {C_stall_generic_4, C_stall_generic_16, C_stall_separated_4_1_3, C_stall_separated_8_2_6},
        {C_replay_generic_4, C_replay_generic_16, C_replay_separated_4_1_3, C_replay_separated_8_2_6}};
    static const char *const names[] = {"gen4", "gen16", "sep4/1/3", "sep8/2/6"};
    for (u32 i = 0; i < 2; i++) {
        section(i ? "Figure 7.3: operand collectors, replay; over generic:8 stalling"
                  : "Figure 7.2: operand collectors, stalling; over generic:8 stalling");
        p = (struct plot){.file = i ? "fig7_3" : "fig7_2",
                          .title = i ? "7.3 operand collectors with replay" : "7.2 operand collectors with stalling"};
        if (i) gains(&p, "gen8", C_replay, C_stall);
        for (u32 k = 0; k < 4; k++) gains(&p, names[k], of[i][k], C_stall);
        show(&p);
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
    static const u32 c[] = {C_stall_one, C_stall, C_replay_one, C_replay};
    section("Figure 7.4: two schedulers over one");
    p = (struct plot){.file = "fig7_4", .title = "7.4 speedup of two schedulers over one"};
    gains(&p, "stall", C_stall, C_stall_one);
    gains(&p, "replay", C_replay, C_replay_one);
    show(&p);
    double s = geomean(C_stall, C_stall_one), r = geomean(C_replay, C_replay_one);
    u32 more = 0;
    for (u32 w = 0; w < nwork; w++) more += gain(w, C_replay, C_replay_one) > gain(w, C_stall, C_stall_one);
    verdict(r > s, "Two schedulers help replay more than stalling.",
            "%+.1f %% with replay and %+.1f %% without (geometric means); more with replay in %u of %u. CFD, SRAD and MAT are "
            "the document's: with replay %s, without %s.",
            100 * r, 100 * s, more, nwork, gains_of("cfd srad sgemm", C_replay, C_replay_one),
            gains_of("cfd srad sgemm", C_stall, C_stall_one));
    section("Figure 7.5: scheduler cycles, over those of one scheduler stalling");
    stacks("fig7_5", "7.5 scheduler cycles; bars: stall one, stall two, replay one, replay two", c, 4, sched_names, SCHEDS,
           sched_one, 1u << S_ISSUE1 | 1u << S_ISSUE2);
    section("Figure 7.6: hazard cycles, over the cycles of one scheduler stalling");
    stacks("fig7_6", "7.6 hazard cycles; bars: stall one, stall two, replay one, replay two", c, 4, hazard_names, HAZARDS,
           hazard_one, 1u << H_MSHR);
    double one = 0, two = 0;
    for (u32 w = 0; w < nwork; w++)
        if (mshr_heavy(w)) one += own_hazard(w, C_replay_one, H_MSHR), two += own_hazard(w, C_replay, H_MSHR);
    verdict(one < two, "With one scheduler MSHR replays are limited (BFS2, CFD, STMCL, WP).",
            "Where MSHR hazards abound they take %.1f %% of the cycles with one scheduler, %.1f %% with two.",
            100 * one / MAX(1u, heavy_count()), 100 * two / MAX(1u, heavy_count()));
}

static void scatter(void) {
    static struct plot p;
    static double x[MAX_WORKLOADS], y[MAX_WORKLOADS];
    for (u32 w = 0; w < nwork; w++) x[w] = formula(w, C_stall, "predicted_speedup"), y[w] = gain(w, C_replay, C_stall);
    say("\n## Figures 7.7 and 7.9: predicted maximum against measured speedup\n");
    p = (struct plot){.file = "fig7_7", .title = "7.7 replay speedup against predicted maximum"};
    gains(&p, "replay", C_replay, C_stall);
    plot_scatter(&p, x, "predicted maximum speedup", NULL);
    gains(&p, "credit hit", C_replay_credit_hit, C_stall);
    gains(&p, "naive hit", C_replay_naive_hit, C_stall);
    p.file = "fig7_9", p.title = "7.9 replay, credit hit and naive hit against predicted maximum";
    plot_scatter(&p, x, "predicted maximum speedup", NULL);
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
            "than 2 %%. The estimate knows stalls only; the losses come from further passes and lines (last section), the gains "
            "beyond it "
            "from L1 hits (next table).",
            r, nwork, correlation(kept_x, kept_y, kept), kept);
    verdict(over <= 2, "The predicted maximum is a strong maximum; one program (TR_naive) exceeds it.",
            "%u workloads gain over two points more than predicted. The estimate counts arithmetic that stalls keep waiting; the "
            "table has "
            "what else changed in these: L1 hit rate, MSHRs in use and jitter. Ours of TR_naive: %s; predicted %s.",
            over, values_of(GAINS, "transpose_naive app_transpose_naive", y),
            values_of(GAINS, "transpose_naive app_transpose_naive", x));
    say("\n| workload | predicted | replay | jitter | L1 hit rate stall | replay | MSHRs in use stall | replay |\n| --- | ---: | "
        "---: | ---: | "
        "---: | ---: | ---: | ---: |\n");
    for (u32 w = 0; w < nwork; w++)
        if (y[w] > x[w] + 0.02)
            say("| %s | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f | %.1f |\n", work[w].name, 100 * x[w], 100 * y[w],
                100 * jitter(w), 100 * formula(w, C_stall, "l1_hit_rate"), 100 * formula(w, C_replay, "l1_hit_rate"),
                formula(w, C_stall, "mshr_average"), formula(w, C_replay, "mshr_average"));
}

static const enum configuration predictions[] = {C_replay_credit_hit,    C_replay_credit_miss, C_replay_credit_counter,
                                                 C_replay_credit_oracle, C_replay_naive_hit,   C_replay_naive_miss,
                                                 C_replay_naive_counter, C_replay_naive_oracle};
static const char *const prediction_names[] = {"credit hit", "credit miss", "credit counter", "credit oracle",
                                               "naive hit",  "naive miss",  "naive counter",  "naive oracle"};

static double credit_jitter(u32 w) {
    return was_run(w, C_credit_jitter) ? MAX(jitter(w), fabs(gain(w, C_credit_jitter, C_replay_credit_hit))) : jitter(w);
}

/* Why credit hit is slower than replay: only what an experiment shows */
static const char *why_prediction_loses(u32 w) {
    double loss = gain(w, C_replay_credit_hit, C_replay), naive = gain(w, C_replay_naive_hit, C_replay);
    double farther = was_run(w, C_credit_long) ? gain(w, C_credit_long, C_replay_long) : NAN;
    if (-loss <= 2 * credit_jitter(w)) return "within twice the jitter";
    if (farther < loss - 0.005)
        return "freed MSHRs wait for held-back loads to come through the pipe (7.2.2): with a longer pipe it loses more";
    if (naive > loss / 2) return "credits hold back more than naive, which loses less than half of it";
    return "not found by these experiments";
}

static void prediction_losers(void) {
    say("\nWhere credit hit is more than half a per cent slower than replay. Experiments: the naive tracker, which lets more "
        "loads into the pipe; and both machines with five cycles more "
        "between issue and the memory stage (`sm.lsu.agu_cy` 6).\n\n| workload | credit hit over replay | jitter | naive hit | "
        "longer pipe | usable MSHR idle replay | credit hit | L1 hit rate "
        "replay | credit hit | reason |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for (u32 w = 0; w < nwork; w++) {
        if (gain(w, C_replay_credit_hit, C_replay) > -0.005) continue;
        say("| %s | %+.1f %% | %.1f %% | %+.1f %% | ", work[w].name, 100 * gain(w, C_replay_credit_hit, C_replay),
            100 * credit_jitter(w), 100 * gain(w, C_replay_naive_hit, C_replay));
        if (was_run(w, C_credit_long)) say("%+.1f %% | ", 100 * gain(w, C_credit_long, C_replay_long));
        else say("n/a | ");
        say("%.1f %% | %.1f %% | %.1f %% | %.1f %% | %s |\n", 100 * formula(w, C_replay, "mshr_usable_fraction"),
            100 * formula(w, C_replay_credit_hit, "mshr_usable_fraction"), 100 * formula(w, C_replay, "l1_hit_rate"),
            100 * formula(w, C_replay_credit_hit, "l1_hit_rate"), why_prediction_loses(w));
    }
    say("\n");
}

/* Of all predictions, or without the oracles, the one with the highest mean over replay */
static u32 best_prediction(bool realisable) {
    u32 top = 0;
    for (u32 i = 1; i < 8; i++)
        if ((!realisable || i % 4 != 3) && geomean(predictions[i], C_replay) > geomean(predictions[top], C_replay)) top = i;
    return top;
}

static void prediction_table(void) {
    say("\n| over replay | all | MSHR hazards abound | best | worst |\n| --- | ---: | ---: | ---: | ---: |\n");
    for (u32 i = 0; i < 8; i++) {
        u32 b = best(predictions[i], C_replay), l = worst(predictions[i], C_replay);
        say("| %s | %+.2f %% | %+.2f %% | %s %+.1f %% | %s %+.1f %% |\n", prediction_names[i],
            100 * geomean(predictions[i], C_replay), 100 * heavy_geomean(predictions[i], C_replay), work[b].name,
            100 * gain(b, predictions[i], C_replay), work[l].name, 100 * gain(l, predictions[i], C_replay));
    }
    say("\n");
}

static void prediction(void) {
    static struct plot p;
    section("Figure 7.8: replay and hazard prediction over stalling");
    p = (struct plot){.file = "fig7_8", .title = "7.8 predicted maximum, replay and hazard prediction, over stalling", .sort = 2};
    formulas(&p, "predicted", C_stall, "predicted_speedup");
    gains(&p, "replay", C_replay, C_stall);
    for (u32 i = 0; i < 8; i++) gains(&p, prediction_names[i], predictions[i], C_stall);
    show(&p);
    prediction_table();
    double heavy = heavy_geomean(C_replay_credit_hit, C_replay);
    u32 loses = 0, beyond = 0;
    for (u32 w = 0; w < nwork; w++) {
        double g = gain(w, C_replay_credit_hit, C_replay);
        loses += mshr_heavy(w) && g < -0.005;
        beyond += mshr_heavy(w) && g < -0.005 && -g > 2 * credit_jitter(w);
    }
    verdict(heavy > 0, "Replay with credit and \"false\" is at least as fast as replay where MSHR hazards abound.",
            "%+.1f %% over the %u such workloads (geometric mean); %u of them lose more than half a per cent, %u of these more "
            "than twice their jitter.",
            100 * heavy, heavy_count(), loses, beyond);
    u32 b = best(C_replay_credit_hit, C_stall), br = best(C_replay_credit_hit, C_replay);
    verdict(gain(br, C_replay_credit_hit, C_replay) < 0.05 && gain(b, C_replay_credit_hit, C_stall) < 0.2,
            "Prediction with replay gives up to 13.3 % over stalling and up to 3.3 % over replay.",
            "Credit hit gives up to %+.1f %% over stalling (%s) and up to %+.1f %% over replay (%s), where it takes %.0f %% of "
            "the replays away and the L1 hit rate goes from %.0f to %.0f %%. The document's programs with the most MSHR hazards, "
            "over replay: %s.",
            100 * gain(b, C_replay_credit_hit, C_stall), work[b].name, 100 * gain(br, C_replay_credit_hit, C_replay),
            work[br].name, 100 * (1 - counter(br, C_replay_credit_hit, "replays") / counter(br, C_replay, "replays")),
            100 * formula(br, C_replay, "l1_hit_rate"), 100 * formula(br, C_replay_credit_hit, "l1_hit_rate"),
            gains_of("bfs app_bfs cfd srad streamcluster", C_replay_credit_hit, C_replay));
    static double used[MAX_WORKLOADS], missed[MAX_WORKLOADS];
    static const char *const drastic[] = {"bfs", "cfd", "srad"};
    bool all = true;
    for (u32 w = 0; w < nwork; w++) {
        used[w] = formula(w, C_stall, "mshr_average");
        missed[w] = counter(w, C_replay_credit_hit, "l1_misses") / MAX(1, counter(w, C_stall, "l1_misses")) - 1;
    }
    for (u32 i = 0; i < ARRAY_LEN(drastic); i++)
        all = all && named(drastic[i]) != NONE && gain((u32)named(drastic[i]), C_replay_credit_hit, C_stall) > 0.05;
    verdict(all, "HRTWL, BFS2, CFD and SRAD benefit drastically against stalling.",
            "Credit hit over stalling: %s. Of the 32 MSHRs most are in use when stalling already (%s), so what is gained are "
            "misses: L1 misses change by %s.",
            gains_of("bfs app_bfs cfd srad", C_replay_credit_hit, C_stall), values_of(NUMBERS, "bfs app_bfs cfd srad", used),
            values_of(GAINS, "bfs app_bfs cfd srad", missed));
    u32 top = best_prediction(false), real = best_prediction(true);
    verdict(top % 4 == 3, "The oracle is the best.",
            "On average %s is, %+.2f %% over replay; credit oracle %+.2f %%. BFS2 and CFD, credit oracle over replay: %s.",
            prediction_names[top], 100 * geomean(predictions[top], C_replay), 100 * geomean(C_replay_credit_oracle, C_replay),
            gains_of("bfs app_bfs cfd", C_replay_credit_oracle, C_replay));
    verdict(real == 0, "Credit \"false\" is the best that can be built.",
            "On average %s is, %+.2f %% over replay; credit hit %+.2f %%.", prediction_names[real],
            100 * geomean(predictions[real], C_replay), 100 * geomean(C_replay_credit_hit, C_replay));
    double spread = geomean(predictions[top], C_replay) - geomean(C_replay_credit_miss, C_replay);
    u32 l = worst(C_replay_credit_miss, C_replay);
    verdict(spread < 0.02, "All schemes are close in general.",
            "The best and credit miss are %.1f points apart (geometric means). Credit miss loses most in %s, %+.1f %%: it holds "
            "back loads that would hit, restricted scheduler cycles go from %.0f %% (credit hit) to %.0f %%, and the L1 hit rate "
            "from %.0f to %.0f %%.",
            100 * spread, work[l].name, 100 * gain(l, C_replay_credit_miss, C_replay),
            50 * work[l].of[C_replay_credit_hit].sched[S_RESTRICT] / total(l, C_replay_credit_hit),
            50 * work[l].of[C_replay_credit_miss].sched[S_RESTRICT] / total(l, C_replay_credit_miss),
            100 * formula(l, C_replay_credit_hit, "l1_hit_rate"), 100 * formula(l, C_replay_credit_miss, "l1_hit_rate"));
    prediction_losers();
}

static void breakdowns(void) {
    static const u32 c[] = {C_stall, C_replay, C_replay_credit_hit, C_replay_naive_hit};
    section("Figure 7.10: scheduler cycles, over those of stalling");
    stacks("fig7_10", "7.10 scheduler cycles; bars: stall, replay, credit hit, naive hit", c, 4, sched_names, SCHEDS, sched_part,
           1u << S_ISSUE1 | 1u << S_ISSUE2 | 1u << S_RESTRICT);
    section("Figure 7.11: hazard cycles, over the cycles of stalling");
    stacks("fig7_11", "7.11 hazard cycles; bars: stall, replay, credit hit, naive hit", c, 4, hazard_names, HAZARDS, hazard_part,
           1u << H_MSHR);
    double none = sum_hazards(C_replay, H_MSHR), credit = sum_hazards(C_replay_credit_hit, H_MSHR),
           naive = sum_hazards(C_replay_naive_hit, H_MSHR), robbed = 0, refused = 0;
    static double fall[MAX_WORKLOADS];
    for (u32 w = 0; w < nwork; w++) {
        robbed += counter(w, C_replay_credit_hit, "mshr_robbed");
        refused += work[w].of[C_replay_credit_hit].hazards[H_MSHR];
        fall[w] = work[w].of[C_replay_credit_hit].hazards[H_MSHR] / MAX(1, work[w].of[C_replay].hazards[H_MSHR]) - 1;
    }
    verdict(credit < none / 2, "Hazard prediction greatly reduces MSHR hazards (BFS2, CFD, SRAD, STMCL).",
            "On average from %.1f to %.1f (credit hit) and %.1f %% (naive hit) of the cycles; %s.", 100 * none, 100 * credit,
            100 * naive, values_of(GAINS, "bfs app_bfs cfd srad streamcluster", fall));
    verdict(credit <= naive, "The credit tracker prevents more of them than the naive one.",
            "%.2f against %.2f %%. Of what is left under credit, %.1f %% are loads whose MSHR was taken by another without a "
            "credit, the rest first refusals.",
            100 * credit, 100 * naive, 100 * robbed / MAX(1, refused));
}

static void confusion(void) {
    static const char *const keys[] = {"predicted_miss_missed", "predicted_miss_hit", "predicted_hit_missed",
                                       "predicted_hit_hit"};
    static struct plot p;
    section("Table 7.1: what the counters predicted (credit counter), shares of judged loads");
    p = (struct plot){.kind = SHARES, .series = 5, .names = {"ptt", "ptf", "pft", "pff", "joined a line on its way"}};
    u32 low = 0, judged = 0, most = 0;
    for (u32 w = 0; w < nwork; w++) {
        double sum = 0;
        for (u32 i = 0; i < 4; i++) sum += p.at[i][w] = counter(w, C_replay_credit_counter, keys[i]);
        for (u32 i = 0; i < 4; i++) p.at[i][w] /= MAX(1, sum);
        p.at[4][w] =
            counter(w, C_replay_credit_counter, "l1_merged") / MAX(1, counter(w, C_replay_credit_counter, "l1_accesses"));
        judged += sum > 0;
        low += sum > 0 && p.at[1][w] < 0.02;
        if (p.at[2][w] > p.at[2][most]) most = w;
    }
    tell_all(&p);
    say("\n| | mean | BFS2 | bfs | app_bfs | CFD | cfd |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    static const char *const document[][2] = {{"8.5 %", "2.6 %"}, {"1.6 %", "0.4 %"}, {"26.9 %", "25.7 %"}, {"63.0 %", "71.3 %"}};
    for (u32 i = 0; i < 4; i++) {
        say("| %s | %.1f %% | %s |", p.names[i], 100 * plot_mean(&p, i), document[i][0]);
        for (u32 k = 0; k < 3; k++) {
            i32 w = named(k == 0 ? "bfs" : k == 1 ? "app_bfs" : "cfd");
            if (k == 2) say(" %s |", document[i][1]);
            if (w == NONE) say(" n/a |");
            else say(" %.1f %% |", 100 * p.at[i][w]);
        }
        say("\n");
    }
    say("\n");
    verdict(2 * low > judged, "Loads that would hit are seldom taken for misses (ptf below 2 % in BFS2 and CFD).",
            "Below 2 %% in %u of %u workloads, %.1f %% on average. An access that joins a line on its way needs no MSHR and "
            "counts as no miss, here "
            "as for the trackers (%.0f %% of L1 accesses join): an instruction whose first warp misses and whose others join it "
            "is predicted to miss.",
            low, judged, 100 * plot_mean(&p, 1), 100 * plot_mean(&p, 4));
    verdict(p.at[2][most] > 0.15, "Many misses are taken for hits (pft 25 % in BFS2 and CFD).",
            "Up to %.0f %%, in %s; %.1f %% on average.", 100 * p.at[2][most], work[most].name, 100 * plot_mean(&p, 2));
}

static void idle_mshrs(void) {
    static struct plot p;
    section("Figure 7.12: cycles in which an MSHR was free and a load could have used it");
    p = (struct plot){.file = "fig7_12", .title = "7.12 fraction of cycles with a usable MSHR idle", .kind = SHARES};
    formulas(&p, "stall", C_stall, "mshr_usable_fraction");
    formulas(&p, "replay", C_replay, "mshr_usable_fraction");
    formulas(&p, "credit hit", C_replay_credit_hit, "mshr_usable_fraction");
    formulas(&p, "naive hit", C_replay_naive_hit, "mshr_usable_fraction");
    show(&p);
    double s = 0, r = 0, ch = 0, nh = 0;
    u32 n = MAX(1u, heavy_count()), more = 0;
    for (u32 w = 0; w < nwork; w++) {
        if (!mshr_heavy(w)) continue;
        s += p.at[0][w] / n, r += p.at[1][w] / n, ch += p.at[2][w] / n, nh += p.at[3][w] / n;
        more += p.at[0][w] > p.at[1][w];
    }
    verdict(s < r, "Stalling leaves usable MSHRs idle less than replay.",
            "Where MSHR hazards abound: stalling %.1f %%, replay %.1f %%; stalling leaves them idle more in %u of these %u "
            "workloads.",
            100 * s, 100 * r, more, heavy_count());
    verdict(ch > nh, "The credit tracker leaves them idle more than the naive one.", "%.1f %% against %.1f %%.", 100 * ch,
            100 * nh);
}

static void without_replay(void) {
    static struct plot p;
    static const enum configuration c[] = {C_stall_credit_miss, C_stall_credit_counter, C_stall_credit_oracle,
                                           C_stall_naive_miss,  C_stall_naive_counter,  C_stall_naive_oracle};
    static const char *const names[] = {"credit miss", "credit counter", "credit oracle",
                                        "naive miss",  "naive counter",  "naive oracle"};
    section("Figure 7.13: prediction on the stalling machine");
    say("\n`hit` holds nothing back there and is left out: tests/replay/contract.sh finds it cycle-identical to no "
        "prediction.\n");
    p = (struct plot){.file = "fig7_13", .title = "7.13 hazard prediction without replay, over stalling"};
    for (u32 i = 0; i < 6; i++) gains(&p, names[i], c[i], C_stall);
    show(&p);
    u32 b = best(C_stall_credit_miss, C_stall), first = 0;
    for (u32 w = 0; w < nwork; w++) {
        bool wins = mshr_heavy(w);
        for (u32 i = 1; i < 6; i++) wins = wins && p.at[0][w] >= p.at[i][w] - 0.002;
        first += wins;
    }
    double heavy = heavy_geomean(C_stall_credit_miss, C_stall);
    static const char *const well[] = {"cfd", "cp", "fwt", "laplace3d", "srad", "streamcluster"};
    u32 gained = 0;
    for (u32 i = 0; i < ARRAY_LEN(well); i++) gained += named(well[i]) != NONE && p.at[0][named(well[i])] > 0.005;
    verdict(heavy > 0 && gained >= 3,
            "Credit \"true\", the most conservative, does well in hazard-intensive benchmarks (CFD, CP, FWT, LPS, SRAD, STMCL).",
            "%+.1f %% where MSHR hazards abound (geometric mean), and the best or level with it in %u of these %u; but %s. It "
            "gains where fewer loads at a time mean more hits: "
            "most in %s, %+.1f %%, whose L1 hit rate goes from %.0f to %.0f %%.",
            100 * heavy, first, heavy_count(), gains_of("cfd cp fwt laplace3d srad streamcluster", C_stall_credit_miss, C_stall),
            work[b].name, 100 * p.at[0][b], 100 * formula(b, C_stall, "l1_hit_rate"),
            100 * formula(b, C_stall_credit_miss, "l1_hit_rate"));
    verdict(named("lud") != NONE && MAX(gain((u32)named("lud"), C_stall_credit_miss, C_stall),
                                        gain((u32)named("lud"), C_stall_credit_oracle, C_stall)) > 0.002,
            "LUD benefits slightly from any predictor.", "Credit miss: %s; credit oracle: %s.",
            gains_of("lud app_lud", C_stall_credit_miss, C_stall), gains_of("lud app_lud", C_stall_credit_oracle, C_stall));
}

static void issue_reduction(void) {
    static struct plot p;
    section("Figure 7.14: fewer cycles with an issue, against replay");
    p = (struct plot){.file = "fig7_14", .title = "7.14 reduction of issue cycles against replay", .kind = SHARES};
    for (u32 w = 0; w < nwork; w++) {
        p.at[0][w] = 1 - issue_cycles(w, C_replay_credit_hit) / issue_cycles(w, C_replay);
        p.at[1][w] = 1 - issue_cycles(w, C_replay_credit_oracle) / issue_cycles(w, C_replay);
    }
    add(&p, "credit hit");
    add(&p, "credit oracle");
    show(&p);
    double hit = 0, oracle = 0;
    u32 n = MAX(1u, heavy_count());
    for (u32 w = 0; w < nwork; w++)
        if (mshr_heavy(w)) hit += p.at[0][w] / n, oracle += p.at[1][w] / n;
    i32 cfd = named("cfd");
    verdict(cfd != NONE && p.at[0][cfd] > 0.4, "Issue cycles of CFD are cut by half.",
            "Ours: %s; by %.0f %% on average where MSHR hazards abound.", values_of(SHARES, "cfd bfs app_bfs srad", p.at[0]),
            100 * hit);
    verdict(hit > 0.7 * oracle, "Credit \"false\" achieves most of what credit oracle does.", "%.0f %% against %.0f %%.",
            100 * hit, 100 * oracle);
}

static void comparison(void) {
    static struct plot p;
    section("Figure 7.15: the techniques side by side, over stalling");
    p = (struct plot){.file = "fig7_15", .title = "7.15 techniques over stalling"};
    gains(&p, "replay", C_replay, C_stall);
    gains(&p, "replay credit hit", C_replay_credit_hit, C_stall);
    gains(&p, "stall credit miss", C_stall_credit_miss, C_stall);
    gains(&p, "sep8/2/6", C_stall_separated_8_2_6, C_stall);
    show(&p);
}

/* --- who loses, and why: the same comparison with one thing taken away */

static const struct {
    const char *what, *short_name;
    enum configuration of, over;
} causes[] = {
    {"kept buffer entries", "buffer", C_unbounded, C_stall},
    {"an issue and a trip through the pipe for each further pass of shared memory or constants", "bank", C_stage_bank, C_stall},
    {"an issue and a trip through the pipe for each further line", "lines", C_stage_div, C_stall},
    {"an issue and a trip through the pipe for each further pass and line", "both", C_stage_both, C_stall},
    {"loads refused for MSHRs come again later than the stage would have served them", "mshrs", C_replay_mshr128,
     C_stall_mshr128},
    {"loads refused for full merge lists come again later than the stage would have served them", "merge", C_replay_merge64,
     C_stall_merge64},
    {"accesses refused for the miss queue come again later than the stage would have served them", "queue", C_replay_comq64,
     C_stall_comq64},
    {"DRAM rows, which accesses of many warps leave and open in turn", "rows", C_replay_rows, C_stall_rows},
    {"refusals of all three kinds", "all three", C_replay_plenty, C_stall_plenty},
};

/* The first experiment that leaves less than half of the loss, or else the one that leaves least */
static i32 cause_of(u32 w) {
    double loss = gain(w, C_replay, C_stall), least = loss;
    i32 found = NONE;
    for (u32 i = 0; i < ARRAY_LEN(causes); i++) {
        if (!was_run(w, causes[i].of) || !was_run(w, causes[i].over)) continue;
        double left = gain(w, causes[i].of, causes[i].over);
        if (left > least + 0.001) least = left, found = (i32)i;
        if (left > loss / 2) return (i32)i;
    }
    return found;
}

/* With no refusal, no further issue and no kept entry most of the loss is still there */
static bool is_left_without_replays(u32 w) {
    return was_run(w, C_replay_free) && gain(w, C_replay_free, C_stall_free) < gain(w, C_replay, C_stall) / 2;
}

static const char *reason(u32 w, bool *explained) {
    static char text[512];
    double loss = gain(w, C_replay, C_stall);
    i32 i = cause_of(w);
    double left = i == NONE ? loss : gain(w, causes[i].of, causes[i].over);
    *explained = true;
    if (-loss <= 2 * jitter(w)) return "within twice the jitter";
    if (left > loss / 2 && causes[i].of == C_replay_rows) {
        snprintf(text, sizeof text, "%s: row hits from %.0f to %.0f %%", causes[i].what,
                 100 * formula(w, C_stall, "dram_row_hit_rate"), 100 * formula(w, C_replay, "dram_row_hit_rate"));
        return text;
    }
    if (left > loss / 2) return causes[i].what;
    if (is_left_without_replays(w))
        return "source registers, which are held until the stage has said that all threads are done: it loses as much where "
               "nothing is replayed";
    *explained = false;
    if (left < loss * 0.75) return "none of these";
    snprintf(text, sizeof text, "in part %s", causes[i].what);
    return text;
}

static void loser(u32 w, u32 *count) {
    bool explained;
    const char *why = reason(w, &explained);
    say("| %s | %+.1f %% | %.1f %% | %.1f | %.2f |", work[w].name, 100 * gain(w, C_replay, C_stall), 100 * jitter(w),
        formula(w, C_stall, "warps_available"), counter(w, C_replay, "replays") / work[w].of[C_replay].instructions);
    say(" %+.1f %% |", 100 * gain(w, C_retain, C_stall));
    for (u32 k = 0; k < ARRAY_LEN(causes); k++) {
        if (was_run(w, causes[k].of) && was_run(w, causes[k].over))
            say(" %+.1f %% |", 100 * gain(w, causes[k].of, causes[k].over));
        else say(" n/a |");
    }
    if (was_run(w, C_replay_free)) say(" %+.1f %% |", 100 * gain(w, C_replay_free, C_stall_free));
    else say(" n/a |");
    say(" %s |\n", why);
    *count += explained;
}

static void losers(void) {
    u32 n = 0, explained = 0;
    say("\n# Who loses under replay, and why\n\nWorkloads more than 1 %% slower than with stalling. Each has experiments: the "
        "loss that is left when one thing is taken away. `retain` keeps buffer entries and does not "
        "replay; `buffer` replays and keeps none (sm.hazard.unbounded_buffer); `bank`, `lines` and `both` let further passes and "
        "lines stay in the memory stage (sm.hazard.in_stage), a cycle each as when stalling; the others give "
        "both machines more of what refused loads lack, or DRAM without rows, and compare these; `no replays` has perfect memory "
        "in both machines, further passes and lines in the stage and no kept entries, so "
        "that nothing is ever replayed. The reason is the first that leaves less than half of the loss. Replays are per warp "
        "instruction.\n\n"
        "| workload | replay | jitter | warps available | replays | retain |");
    for (u32 k = 0; k < ARRAY_LEN(causes); k++) say(" %s |", causes[k].short_name);
    say(" no replays | reason |\n| --- | ---: | ---: | ---: | ---: | ---: |");
    for (u32 k = 0; k <= ARRAY_LEN(causes); k++) say(" ---: |");
    say(" --- |\n");
    for (u32 w = 0; w < nwork; w++)
        if (gain(w, C_replay, C_stall) < -0.01) loser(w, &explained), n++;
    say("\nThe experiments explain %u of the %u.\n", explained, n);
}

/* --- the beginning */

static void headlines(void) {
    u32 b = best(C_replay_credit_hit, C_stall), br = best(C_replay_credit_hit, C_replay), real = best_prediction(true),
        top = best_prediction(false);
    i32 cfd = named("cfd");
    say("\n| headline | the document | here |\n| --- | --- | --- |\n");
    say("| prediction with replay over stalling | up to +13.3 %% | %s (geometric mean %+.1f %%), up to %+.1f %% (%s) |\n",
        gains_of("bfs cfd srad", C_replay_credit_hit, C_stall), 100 * geomean(C_replay_credit_hit, C_stall),
        100 * gain(b, C_replay_credit_hit, C_stall), work[b].name);
    say("| prediction with replay over replay | up to +3.3 %% | %s (geometric mean %+.1f %%), up to %+.1f %% (%s) |\n",
        gains_of("bfs cfd srad", C_replay_credit_hit, C_replay), 100 * geomean(C_replay_credit_hit, C_replay),
        100 * gain(br, C_replay_credit_hit, C_replay), work[br].name);
    if (cfd != NONE)
        say("| issue cycles of CFD | about half | %.0f %% fewer |\n",
            100 * (1 - issue_cycles((u32)cfd, C_replay_credit_hit) / issue_cycles((u32)cfd, C_replay)));
    say("| best that can be built | credit \"false\" | %s, %+.2f %% over replay (geometric mean) |\n", prediction_names[real],
        100 * geomean(predictions[real], C_replay));
    say("| best of all | oracle | %s, %+.2f %% over replay |\n", prediction_names[top],
        100 * geomean(predictions[top], C_replay));
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? 1 : x < y ? -1 : 0;
}

static double median_jitter(void) {
    double at[MAX_WORKLOADS];
    for (u32 w = 0; w < nwork; w++) at[w] = jitter(w);
    qsort(at, nwork, sizeof *at, by_size);
    return at[nwork / 2];
}

/* Bytes of the L1s and the L2 of turner2012 */
enum { CACHES_B = 10 * 64 * 6 * 128 + 6 * 64 * 8 * 32 };

static void head(void) {
    u32 small = 0, bundled = 0, shaky = 0;
    for (u32 w = 0; w < nwork; w++) {
        small += number(work[w].of[C_stall].json, NULL, "footprint_b") <= CACHES_B;
        bundled += work[w].size[0] != '-';
        if (jitter(w) > jitter(shaky)) shaky = w;
    }
    say("# Turner (2012) on our workloads\n\nMade by `tools/study_turner.sh`; do not edit. Machine `turner2012`, %u workloads: "
        "%u bundled ones, and %u recorded applications (`app_`). %d configurations, and experiments "
        "for those that lose. The values of every workload are in [turner_tables.md](turner_tables.md).\n\n"
        "Bundled workloads run at `small`, or at `paper` where the buffers of `small` fit into the caches together (576 KiB: ten "
        "L1s and the L2) and `paper` has at most ten million warp instructions. %u of the workloads have no more data than "
        "that; the tables mark them.\n\n"
        "Statements in italics are the document's; its benchmarks are others, or others' versions, so what is compared is the "
        "behaviour, not a program. Speedups are old cycles over new minus one. "
        "The document's predictors \"false\" and \"true\" are `hit` and `miss`, \"predictor\" is `counter`. \"MSHR hazards "
        "abound\" where replays for MSHRs take more than a tenth of the memory stages' cycles: %u of the workloads. "
        "Bars stand in order of the first series (7.8: credit hit), stacks in order of the MSHR hazards of replay; bars that "
        "leave the scale carry "
        "their number.\n\n"
        "*Jitter*: the same machine with blocks that start one cycle later (gpu.cta_launch_cy 21 instead of 20) takes %.2f %% "
        "more or less time in the median, and up to %.1f %% (%s). Differences of a workload below its "
        "jitter mean nothing; the tables have it.\n",
        nwork, bundled, nwork - bundled, NMAIN, small, heavy_count(), 100 * median_jitter(), 100 * jitter(shaky),
        work[shaky].name);
    headlines();
    tell("# Turner (2012) on our workloads: the values\n\nMade by `tools/study_turner.sh` for [turner.md](turner.md); do not "
         "edit.\n\n## Workloads\n\n| workload | size | buffers | beyond the caches | warp instructions | MSHR hazards abound | "
         "jitter |\n| --- | --- | ---: | --- | ---: | --- | ---: |\n");
    for (u32 w = 0; w < nwork; w++) {
        double b = number(work[w].of[C_stall].json, NULL, "footprint_b");
        tell("| %s | %s | %.0f KiB | %s | %.0f | %s | %.2f %% |\n", work[w].name,
             work[w].size[0] == '-' ? "as recorded" : work[w].size, b / 1024, b > CACHES_B ? "yes" : "no",
             work[w].of[C_stall].instructions, mshr_heavy(w) ? "yes" : "", 100 * jitter(w));
    }
}

static FILE *open_page(const char *dir, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (f) return f;
    fprintf(stderr, "study_turner: cannot write %s\n", path);
    exit(2);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: study_turner RESULTS DOCS\n");
        return 2;
    }
    load_all(argv[1]);
    static const char *names[MAX_WORKLOADS];
    char plots[1024];
    for (u32 w = 0; w < nwork; w++) names[w] = work[w].name;
    snprintf(plots, sizeof plots, "%s/turner", argv[2]);
    plot_setup(plots, names, nwork);
    page = open_page(argv[2], "turner.md");
    tables = open_page(argv[2], "turner_tables.md");
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
    confusion();
    idle_mshrs();
    without_replay();
    issue_reduction();
    comparison();
    losers();
    return fclose(page) || fclose(tables) ? 2 : 0;
}
