/* bench_functional: how fast is the functional simulator, in a unit that does not depend on the machine?
 *
 *     bench_functional [--json FILE] [MANIFEST.json|DIR...]
 *
 * A DIR stands for the *.json in DIR/manifest, else in DIR; without operands, tests/data/silicon is taken.
 * The unit is a calibration loop run in the same process and thread: a bare 32-lane f32 d = a * b + c (fused
 * where the host has AVX2 and FMA) over the registers of 720 warps, without fetch, decode or masks. An
 * application's ratio is its warp instructions a second over the loop's; the last line is the geometric mean
 * over the applications with at least 100,000 warp instructions (fewer measure only start-up). Machines are
 * noisy, so the loop is timed again between applications, and each is held against the median of the two
 * timings before it and the one after. Only time inside launches counts. */
#include "report/report.h"

#include <glob.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARPS                720
#define ROWS                 32
#define LANES                32
#define CALIBRATION_S        0.3
#define APPLICATION_S        0.5
#define COUNTED_INSTRUCTIONS 100000

/* --- calibration */

struct warp_registers {
    _Alignas(64) float row[ROWS][LANES];
};

/* Step s works on rows 4s to 4s + 3 of every warp: eight steps touch all 2.8 MiB, and no result becomes an
 * operand, so the values stay what they are however long the loop runs. */
static u32 first_row(u32 s) { return 4 * s % ROWS; }

/* One multiply-add in every warp, n times. Written with vectors, so that it is the same loop at any
 * optimisation level. */
typedef float vec4 __attribute__((vector_size(16)));
static void steps_plain(struct warp_registers *w, u32 n) {
    for (u32 s = 0; s < n; s++) {
        u32 r = first_row(s);
        for (u32 i = 0; i < WARPS; i++) {
            const vec4 *a = (const vec4 *)w[i].row[r], *b = (const vec4 *)w[i].row[r + 1], *c = (const vec4 *)w[i].row[r + 2];
            vec4 *d = (vec4 *)w[i].row[r + 3];
            for (u32 k = 0; k < LANES / 4; k++) d[k] = a[k] * b[k] + c[k];
        }
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void steps_avx2(struct warp_registers *w, u32 n) {
    for (u32 s = 0; s < n; s++) {
        u32 r = first_row(s);
        for (u32 i = 0; i < WARPS; i++) {
            const float *a = w[i].row[r], *b = w[i].row[r + 1], *c = w[i].row[r + 2];
            float *d = w[i].row[r + 3];
            for (u32 k = 0; k < LANES; k += 8)
                _mm256_store_ps(d + k, _mm256_fmadd_ps(_mm256_load_ps(a + k), _mm256_load_ps(b + k), _mm256_load_ps(c + k)));
        }
    }
}
#endif

struct calibration {
    struct warp_registers *warps;
    void (*steps)(struct warp_registers *w, u32 n);
    const char *kind;
    VEC(double) rates; /* warp multiply-adds a second, one per timing */
};

static void calibration_open(struct calibration *c) {
    c->warps = base_alloc_aligned(WARPS * sizeof(*c->warps));
    for (u32 i = 0; i < WARPS; i++)
        for (u32 k = 0; k < ROWS * LANES; k++) c->warps[i].row[k / LANES][k % LANES] = 1.0f + (float)(k % 7) / 8;
    c->steps = steps_plain;
    c->kind = "plain";
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        c->steps = steps_avx2;
        c->kind = "avx2 fma";
    }
#endif
}

static void calibrate(struct calibration *c) {
    const u32 batch = 3 * ROWS;
    u64 done = 0;
    double start = clock_seconds(), spent = 0;
    while (spent < CALIBRATION_S) {
        c->steps(c->warps, batch);
        done += (u64)batch * WARPS;
        spent = clock_seconds() - start;
    }
    VEC_PUSH(&c->rates, (double)done / spent);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, u32 n) {
    qsort(x, n, sizeof(*x), ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* The loop's rate around what was run just before timing `at` */
static double calibration_around(const struct calibration *c, u32 at) {
    double near[3];
    u32 n = 0;
    for (u32 i = at >= 2 ? at - 2 : 0; i <= at && i < c->rates.n; i++) near[n++] = c->rates.at[i];
    return median(near, n);
}

static double calibration_best(const struct calibration *c) {
    double best = 0;
    for (u32 i = 0; i < c->rates.n; i++) best = MAX(best, c->rates.at[i]);
    return best;
}

/* --- applications */

struct application {
    char name[64];
    u64 warp_instructions; /* of one repetition */
    u32 repetitions;
    double rate; /* of the median repetition */
    double ratio;
    u32 calibrated_at; /* index of the first calibration after it */
    enum verdict verdict;
};

static int run_once(struct play *p, u64 *instructions, double *seconds) {
    *instructions = 0;
    *seconds = 0;
    int status = play_reset(p);
    for (u32 i = 0; i < p->m->nlaunches && !status; i++) {
        status = play_launch(p, i);
        *instructions += p->launches[i].result.warp_instructions;
        *seconds += p->launches[i].result.wall_seconds;
    }
    return status;
}

static int repeat(struct play *p, struct application *a) {
    VEC(double) times = {0};
    double total = 0;
    int status = HEDDLE_OK;
    while (total < APPLICATION_S && !status) {
        double seconds;
        status = run_once(p, &a->warp_instructions, &seconds);
        total += MAX(seconds, 1e-6);
        VEC_PUSH(&times, seconds);
    }
    a->repetitions = times.n;
    a->rate = (double)a->warp_instructions / MAX(median(times.at, times.n), 1e-9);
    free(times.at);
    return status;
}

static bool measure(const char *path, struct application *a) {
    struct diag d = {0};
    struct play p = {0};
    struct outcome o = {VERDICT_NONE};
    struct manifest *m = manifest_load(path, &d);
    int status = m ? play_open(&p, m, NULL, NULL, NULL) : HEDDLE_BAD_INPUT;
    if (!status) status = repeat(&p, a);
    if (!status) status = play_compare(&p, NULL, &o);
    a->verdict = o.verdict;
    if (m) snprintf(a->name, sizeof(a->name), "%s", m->name);
    if (d.text.s) fputs(d.text.s, stderr);
    if (p.diag.text.s) fputs(p.diag.text.s, stderr);
    if (p.m) play_close(&p);
    manifest_free(m);
    diag_free(&d);
    return status == HEDDLE_OK;
}

static void print_application(const struct application *a) {
    char rate[32];
    printf("%-18s %14llu %6u %16s %7.3f%s%s\n", a->name, (unsigned long long)a->warp_instructions, a->repetitions,
           report_count(rate, a->rate), a->ratio, a->warp_instructions < COUNTED_INSTRUCTIONS ? "  (small: not in the mean)" : "",
           a->verdict == VERDICT_DIFFERS ? "  OUTPUT DIFFERS" : "");
    fflush(stdout);
}

/* --- the whole */

struct bench {
    struct calibration calibration;
    VEC(struct application) apps;
    u32 failed, counted;
    double mean; /* geometric, of the ratios */
};

static void run_all(struct bench *b, char **paths, u32 n) {
    for (u32 i = 0; i < n; i++) {
        struct application a = {.calibrated_at = b->calibration.rates.n};
        if (!measure(paths[i], &a)) {
            fprintf(stderr, "%s: not measured\n", paths[i]);
            b->failed++;
            continue;
        }
        calibrate(&b->calibration);
        a.ratio = a.rate / calibration_around(&b->calibration, a.calibrated_at);
        b->failed += a.verdict == VERDICT_DIFFERS;
        print_application(&a);
        VEC_PUSH(&b->apps, a);
    }
}

static void finish(struct bench *b) {
    double logs = 0;
    for (u32 i = 0; i < b->apps.n; i++) {
        if (b->apps.at[i].warp_instructions < COUNTED_INSTRUCTIONS) continue;
        logs += log(b->apps.at[i].ratio);
        b->counted++;
    }
    b->mean = b->counted ? exp(logs / b->counted) : 0;
    char best[32];
    printf("calibration: %s warp multiply-adds a second at best (%s)\n", report_count(best, calibration_best(&b->calibration)),
           b->calibration.kind);
    printf("geometric mean ratio over %u applications: %.3f\n", b->counted, b->mean);
}

static bool write_json(const struct bench *b, const char *file) {
    json_t *apps = json_array();
    for (u32 i = 0; i < b->apps.n; i++) {
        const struct application *a = &b->apps.at[i];
        json_array_append_new(apps, json_pack("{s:s, s:I, s:i, s:f, s:f, s:o}", "name", a->name, "warp_instructions",
                                              (json_int_t)a->warp_instructions, "repetitions", (int)a->repetitions, "warp_ips",
                                              a->rate, "ratio", a->ratio, "checksum_ok",
                                              a->verdict == VERDICT_NONE ? json_null() : json_boolean(a->verdict == VERDICT_OK)));
    }
    return report_save_json(json_pack("{s:s, s:f, s:s, s:f, s:i, s:i, s:o}", "version", heddle_version(),
                                      "calibration_warp_fmas_per_second", calibration_best(&b->calibration), "calibration_kind",
                                      b->calibration.kind, "geomean_ratio", b->mean, "counted", (int)b->counted, "failed",
                                      (int)b->failed, "applications", apps),
                            file);
}

static int usage(FILE *out, int code) {
    fprintf(out, "usage: bench_functional [--json FILE] [MANIFEST.json|DIR...]\n"
                 "A DIR stands for the *.json in DIR/manifest, else in DIR; the default is tests/data/silicon.\n"
                 "example: build/bench_functional --json bench.json workload.json\n");
    return code;
}

/* Adds the manifests that an operand stands for */
static void find_manifests(const char *operand, glob_t *found) {
    size_t n = strlen(operand), before = found->gl_pathc;
    char pattern[4096];
    if (n > 5 && strcmp(operand + n - 5, ".json") == 0) {
        glob(operand, GLOB_APPEND | GLOB_NOCHECK, NULL, found);
        return;
    }
    snprintf(pattern, sizeof(pattern), "%s/manifest/*.json", operand);
    glob(pattern, GLOB_APPEND, NULL, found);
    if (found->gl_pathc > before) return;
    snprintf(pattern, sizeof(pattern), "%s/*.json", operand);
    glob(pattern, GLOB_APPEND, NULL, found);
}

static void bench_all(struct bench *b, const glob_t *found) {
    calibration_open(&b->calibration);
    for (u32 i = 0; i < 3; i++) calibrate(&b->calibration);
    printf("%-18s %14s %6s %16s %7s\n", "application", "warp instr", "runs", "warp instr/s", "ratio");
    run_all(b, found->gl_pathv, (u32)found->gl_pathc);
    finish(b);
}

int main(int argc, char **argv) {
    struct bench b = {0};
    const char *json = NULL;
    glob_t found = {0};
    u32 operands = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) return usage(stdout, 0);
        if (strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            json = argv[++i];
        } else if (argv[i][0] == '-') {
            return usage(stderr, 2);
        } else {
            find_manifests(argv[i], &found);
            operands++;
        }
    }
    if (operands == 0) find_manifests("tests/data/silicon", &found);
    if (found.gl_pathc == 0) return usage(stderr, 2);
    bench_all(&b, &found);
    bool written = !json || write_json(&b, json);
    free(b.calibration.warps);
    free(b.calibration.rates.at);
    free(b.apps.at);
    globfree(&found);
    return b.failed ? 1 : written ? 0 : 2;
}
