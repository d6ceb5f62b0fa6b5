/* bench_timing: how fast is the cycle-level simulator, how does it use two host threads, and how much memory
 * does it take?
 *
 * Speed: each kernel of bench/kernels once, cold, on gtx480 with one thread, beside what GPGPU-Sim does with
 * it. Scaling: kernels repeated until a run takes over a second, with one thread and with several, in turn;
 * caches are emptied before each launch.
 *
 * Every run is a process of its own, so that its peak memory is its own and none finds the memory of another
 * warm. Time is time inside launches, building the chip included; reading PTX and filling buffers are not.
 * Machines are noisy: each run is repeated, and the best and the median are told. All runs of a kernel must
 * agree in every counter and in their output, whatever the number of threads. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SCALING_RUN_S 2.0 /* so that noise leaves more than the second that counts */
#define SCALING_MIN_S 1.0
#define MAX_RUNS      100
#define MB            1e6

/* --- what is run, and what is hoped for */

/* GPGPU-Sim 4.2 (October 2024, release build, performance mode, one thread), its GTX 480 with 15 SMs, on a
 * quiet 2.8 GHz Xeon core, per CPU second of its simulation loop; differences under 30 % are noise. Measured
 * with these kernels and sizes, other random values in the buffers. Its cycles are a peer's, not the truth:
 * it does not fuse fma, and its occupancy used sm_75 register counts. */
struct peer {
    const char *kernel;
    u64 warp_instructions, cycles;
    double rate, cycle_rate; /* a second */
};
static const struct peer peers[] = {
    {"saxpy", 163840, 21034, 7.7e3, 988},          {"sgemm_naive", 2965504, 474138, 12.2e3, 1955},
    {"sgemm_tiled", 2023424, 166521, 12.1e3, 996}, {"mandel", 1570984, 108193, 19.2e3, 1321},
    {"spmv", 311096, 742694, 0.99e3, 2364},        {"chase", 74240, 295689, 0.57e3, 2274},
};
#define PEER_MACHINE "gtx480"
#define RATE_BAR     100.0 /* times the peer's rate */

enum bound { COMPUTE, MEMORY };
static const struct {
    const char *name;
    double bar; /* speedup with two threads */
} bounds[] = {{"compute", 1.6}, {"memory", 1.3}};

static const struct scaling_run {
    const char *machine, *kernel;
    enum bound bound;
} scaling_runs[] = {
    {"gtx480", "mandel", COMPUTE}, {"gtx480", "sgemm_tiled", COMPUTE}, {"gtx480", "saxpy", MEMORY}, {"gtx480", "spmv", MEMORY},
    {"h200", "mandel", COMPUTE},   {"h200", "sgemm_tiled", COMPUTE},   {"h200", "saxpy", MEMORY},   {"h200", "spmv", MEMORY},
};

static const struct memory_bar {
    const char *machine;
    double mb;
} memory_bars[] = {{"gtx480", 500}, {"h200", 2000}};

/* --- one run */

struct task {
    char manifest[4096];
    const char *machine;
    u32 threads;
    u32 passes;     /* over all launches of the manifest... */
    double seconds; /* ...or as many as fit; 0: `passes` */
    bool flush;
};
struct run {
    int status;
    u64 passes, warp_instructions, cycles, lines;
    double wall_s, cpu_s;
    u64 hash; /* of all counters of all launches, and of the output */
    enum verdict verdict;
    double peak_mb;
};

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int time_launch(struct play *p, u32 i, struct run *r) {
    double wall = clock_seconds(), cpu = cpu_seconds(), lines = 0;
    int status = play_launch(p, i);
    r->wall_s += clock_seconds() - wall;
    r->cpu_s += cpu_seconds() - cpu;
    if (status) return status;
    u64 counters = gpu_counters_hash(heddle_launch_stats(p->h));
    status = heddle_stat(p->h, "line_accesses", &lines);
    r->warp_instructions += p->launches[i].result.warp_instructions;
    r->cycles += p->launches[i].result.cycles;
    r->lines += (u64)lines;
    r->hash = hash_fnv1a64(r->hash, &counters, sizeof(counters));
    return status;
}

static bool wants_more(const struct task *t, const struct run *r) {
    return t->seconds > 0 ? r->wall_s < t->seconds : r->passes < t->passes;
}

static int play_all(struct play *p, const struct task *t, struct run *r) {
    struct outcome o = {VERDICT_NONE};
    int status = HEDDLE_OK;
    r->hash = FNV1A64_START;
    for (; wants_more(t, r) && !status; r->passes++) {
        status = play_reset(p);
        for (u32 i = 0; i < p->m->nlaunches && !status; i++) status = time_launch(p, i, r);
    }
    if (!status) status = play_compare(p, NULL, &o);
    r->verdict = o.verdict;
    r->hash = hash_fnv1a64(r->hash, &o.hash, sizeof(o.hash));
    return status;
}

/* A rate of a machine that leaves work out would be no rate of a simulator */
static int refuse_ideal(const struct config *c) {
    if (!c->perfect_memory && !c->icache_ideal && !c->operands_ideal && !c->noc_ideal && !c->l2_ideal &&
        c->dram_kind == DRAM_BANKED)
        return HEDDLE_OK;
    fprintf(stderr, "bench_timing: a part of %s is ideal, or its memory fixed\n", c->machine);
    return HEDDLE_BAD_INPUT;
}

static int set_up(struct play *p, const struct task *t) {
    struct heddle_timing timing = {.threads = t->threads, .flush = t->flush};
    int status = heddle_set_machine(p->h, t->machine);
    if (!status) status = heddle_timing(p->h, &timing);
    if (status) fputs(heddle_message(p->h), stderr);
    return status ? status : refuse_ideal(heddle_config(p->h));
}

static struct run run_here(const struct task *t) {
    struct run r = {0};
    struct diag d = {0};
    struct play p = {0};
    struct manifest *m = manifest_load(t->manifest, &d);
    r.status = m ? play_open(&p, m, NULL, NULL, NULL) : HEDDLE_BAD_INPUT;
    if (!r.status) r.status = set_up(&p, t);
    if (!r.status) r.status = play_all(&p, t, &r);
    if (d.text.s) fputs(d.text.s, stderr);
    if (p.diag.text.s) fprintf(stderr, "%.2000s\n", p.diag.text.s);
    if (p.m) play_close(&p);
    manifest_free(m);
    diag_free(&d);
    return r;
}

static _Noreturn void run_and_tell(const struct task *t, int fd) {
    struct run r = run_here(t);
    bool told = write(fd, &r, sizeof(r)) == (ssize_t)sizeof(r);
    fflush(stderr);
    _exit(told ? 0 : 1);
}

/* In a process of its own */
static struct run run_apart(const struct task *t) {
    struct run r = {0};
    struct rusage usage;
    int fd[2], code;
    fflush(NULL);
    CHECK(pipe(fd) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) run_and_tell(t, fd[1]);
    close(fd[1]);
    bool whole = read(fd[0], &r, sizeof(r)) == (ssize_t)sizeof(r);
    close(fd[0]);
    CHECK(wait4(child, &code, 0, &usage) == child);
    if (!whole || code) r.status = HEDDLE_FAULT;
    r.peak_mb = (double)usage.ru_maxrss * 1024 / MB;
    return r;
}

/* --- several runs of the same thing */

struct series {
    struct run of; /* the first: counters are the same in all */
    u32 n;
    double wall_s[MAX_RUNS], cpu_s[MAX_RUNS]; /* ascending once summed up */
    double peak_mb;
    bool failed, unstable; /* a run ended early or with a wrong output; two disagree in counters or output */
};

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *x, u32 n) { return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2; }

static void series_add(struct series *s, struct run r) {
    if (s->n == 0) s->of = r;
    s->failed |= r.status || r.verdict == VERDICT_DIFFERS;
    s->unstable |= r.hash != s->of.hash;
    s->peak_mb = MAX(s->peak_mb, r.peak_mb);
    s->wall_s[s->n] = r.wall_s;
    s->cpu_s[s->n++] = r.cpu_s;
}

static void series_end(struct series *s) {
    qsort(s->wall_s, s->n, sizeof(double), ascending);
    qsort(s->cpu_s, s->n, sizeof(double), ascending);
}

/* How many processors the host gave, on average; threads spin while they wait */
static double processors_had(const struct series *s) {
    double cpu = 0, wall = 0;
    for (u32 i = 0; i < s->n; i++) cpu += s->cpu_s[i], wall += s->wall_s[i];
    return cpu / MAX(wall, 1e-9);
}

static const char *trouble(const struct series *s) { return s->unstable ? "  RUNS DISAGREE" : ""; }

static json_t *series_json(const struct series *s) {
    return json_pack("{s:i, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:b, s:b}", "runs", (int)s->n, "passes",
                     (json_int_t)s->of.passes, "warp_instructions", (json_int_t)s->of.warp_instructions, "cycles",
                     (json_int_t)s->of.cycles, "line_accesses", (json_int_t)s->of.lines, "cpu_s_best", s->cpu_s[0],
                     "cpu_s_median", median(s->cpu_s, s->n), "wall_s_best", s->wall_s[0], "wall_s_median",
                     median(s->wall_s, s->n), "peak_mb", s->peak_mb, "failed", (int)s->failed, "unstable", (int)s->unstable);
}

/* --- the whole */

struct bench {
    const char *kernels, *machine, *json;
    bool speed, scaling;
    u32 runs, threads;
    double spin_s;
    VEC(const char *) only; /* kernels; all when empty */
    u32 failed;
    json_t *speed_rows, *scaling_rows;
    double peak_mb[ARRAY_LEN(memory_bars)];
};

static bool chosen(const struct bench *b, const char *kernel) {
    for (u32 i = 0; i < b->only.n; i++)
        if (strcmp(b->only.at[i], kernel) == 0) return true;
    return b->only.n == 0;
}

static struct task task_of(const struct bench *b, const char *machine, const char *kernel) {
    struct task t = {.machine = machine, .threads = 1, .passes = 1};
    snprintf(t.manifest, sizeof(t.manifest), "%s/%s.json", b->kernels, kernel);
    return t;
}

static void note(struct bench *b, const char *machine, const struct series *s) {
    b->failed += s->failed || s->unstable;
    if (s->failed) return;
    for (u32 i = 0; i < ARRAY_LEN(memory_bars); i++)
        if (strcmp(machine, memory_bars[i].machine) == 0) b->peak_mb[i] = MAX(b->peak_mb[i], s->peak_mb);
}

/* --- speed */

static bool compared(const struct bench *b) { return strcmp(b->machine, PEER_MACHINE) == 0; }

static void print_peer(const struct peer *p, const struct series *s) {
    double rate = (double)s->of.warp_instructions / s->cpu_s[0];
    printf(" %8.0f %6.0fx%s %+7.2f %% %6.2fx", p->rate, rate / p->rate, rate < RATE_BAR * p->rate ? "*" : " ",
           100 * ((double)s->of.warp_instructions / (double)p->warp_instructions - 1), (double)s->of.cycles / (double)p->cycles);
}

static void print_speed(const struct bench *b, const struct peer *p, const struct series *s) {
    double cpu = s->cpu_s[0], middle = median(s->cpu_s, s->n), instructions = (double)s->of.warp_instructions;
    if (s->failed) {
        printf("%-12s FAILED\n", p->kernel);
        return;
    }
    printf("%-12s %9llu %9llu %8.3f %8.3f %8.3f %9.0f %9.0f %9.0f %9.0f %6.0f", p->kernel,
           (unsigned long long)s->of.warp_instructions, (unsigned long long)s->of.cycles, s->wall_s[0], cpu, middle,
           instructions / cpu, instructions / middle, (double)s->of.cycles / cpu, (double)s->of.lines / cpu, s->peak_mb);
    if (compared(b)) print_peer(p, s);
    printf("%s\n", trouble(s));
}

static json_t *speed_json(const struct bench *b, const struct peer *p, const struct series *s) {
    json_t *row = series_json(s);
    double cpu = MAX(s->cpu_s[0], 1e-9), rate = (double)s->of.warp_instructions / cpu;
    json_object_set_new(row, "kernel", json_string(p->kernel));
    json_object_set_new(row, "machine", json_string(b->machine));
    json_object_set_new(row, "warp_instructions_per_s", json_real(rate));
    json_object_set_new(row, "cycles_per_s", json_real((double)s->of.cycles / cpu));
    json_object_set_new(row, "line_accesses_per_s", json_real((double)s->of.lines / cpu));
    if (compared(b))
        json_object_set_new(row, "gpgpusim",
                            json_pack("{s:I, s:I, s:f, s:f, s:f}", "warp_instructions", (json_int_t)p->warp_instructions,
                                      "cycles", (json_int_t)p->cycles, "warp_instructions_per_s", p->rate, "cycles_per_s",
                                      p->cycle_rate, "rate_ratio", rate / p->rate));
    return row;
}

static void speed_of(struct bench *b, const struct peer *p) {
    struct task t = task_of(b, b->machine, p->kernel);
    struct series s = {0};
    do series_add(&s, run_apart(&t));
    while (s.n < b->runs && !s.failed);
    series_end(&s);
    print_speed(b, p, &s);
    note(b, b->machine, &s);
    json_array_append_new(b->speed_rows, speed_json(b, p, &s));
}

static void speed(struct bench *b) {
    printf("\nspeed: %s, one thread, %u run%s each; rates are per CPU second, of the best run where not said\n", b->machine,
           b->runs, b->runs == 1 ? "" : "s");
    printf("%-12s %9s %9s %8s %8s %8s %9s %9s %9s %9s %6s%s\n", "", "warp", "", "best", "best", "median", "warp", "(median", "",
           "line", "peak", compared(b) ? "  GPGPU-Sim 4.2" : "");
    printf("%-12s %9s %9s %8s %8s %8s %9s %9s %9s %9s %6s%s\n", "kernel", "instr", "cycles", "wall s", "CPU s", "CPU s",
           "instr/s", "run)", "cycles/s", "req/s", "MB", compared(b) ? "  instr/s   rate      instr  cycles" : "");
    for (u32 i = 0; i < ARRAY_LEN(peers); i++)
        if (chosen(b, peers[i].kernel)) speed_of(b, &peers[i]);
    if (compared(b))
        printf("rate, instr, cycles: ours against its; * below the bar of %.0fx. The instr bar is 1 %%, the cycles bar a factor "
               "of two.\n",
               RATE_BAR);
}

/* --- scaling */

struct speedup {
    double best, median;
};

static struct speedup speedup_of(const struct series *one, const struct series *many) {
    return (struct speedup){one->wall_s[0] / MAX(many->wall_s[0], 1e-9),
                            median(one->wall_s, one->n) / MAX(median(many->wall_s, many->n), 1e-9)};
}

static void print_scaling(const struct bench *b, const struct scaling_run *x, const struct series *one,
                          const struct series *many) {
    struct speedup up = speedup_of(one, many);
    double bar = b->threads == 2 ? bounds[x->bound].bar : 0;
    printf("%-7s %-12s %-8s ", x->machine, x->kernel, bounds[x->bound].name);
    if (one->failed || many->failed) {
        printf("FAILED\n");
        return;
    }
    printf("%6llu %9.3f %8.3f %8.3f %8.3f %5.2f %6.2fx%s %6.2fx %6.0f%s%s\n", (unsigned long long)one->of.passes, one->wall_s[0],
           many->wall_s[0], one->cpu_s[0], many->cpu_s[0], processors_had(many), up.best, up.best < bar ? "*" : " ", up.median,
           MAX(one->peak_mb, many->peak_mb), one->wall_s[0] < SCALING_MIN_S ? "  (under a second)" : "",
           trouble(one->unstable ? one : many));
}

static json_t *scaling_json(const struct bench *b, const struct scaling_run *x, const struct series *one,
                            const struct series *many) {
    struct speedup up = speedup_of(one, many);
    return json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f, s:o, s:o}", "machine", x->machine, "kernel", x->kernel, "bound",
                     bounds[x->bound].name, "threads", (int)b->threads, "speedup_best", up.best, "speedup_median", up.median,
                     "processors_had", processors_had(many), "one_thread", series_json(one), "many_threads", series_json(many));
}

static void scaling_of(struct bench *b, const struct scaling_run *x) {
    struct task one = task_of(b, x->machine, x->kernel);
    struct series s1 = {0}, sn = {0};
    one.flush = true;
    struct run probe = run_apart(&one);
    if (!probe.status) one.passes = 1 + (u32)(SCALING_RUN_S / MAX(probe.cpu_s, 1e-3));
    struct task many = one;
    many.threads = b->threads;
    do { /* in turn, so that both see the same weather */
        series_add(&s1, probe.status ? probe : run_apart(&one));
        series_add(&sn, probe.status ? probe : run_apart(&many));
    } while (s1.n < b->runs && !s1.failed && !sn.failed);
    series_end(&s1);
    series_end(&sn);
    sn.unstable |= sn.of.hash != s1.of.hash;
    print_scaling(b, x, &s1, &sn);
    note(b, x->machine, &s1);
    note(b, x->machine, &sn);
    json_array_append_new(b->scaling_rows, scaling_json(b, x, &s1, &sn));
}

static void scaling(struct bench *b) {
    printf("\nscaling: -j 1 against -j %u, %u run%s each, kernels repeated to over a second\n", b->threads, b->runs,
           b->runs == 1 ? "" : "s");
    if (sysconf(_SC_NPROCESSORS_ONLN) < (long)b->threads)
        printf("this host has fewer than %u processors: the speedups say nothing\n", b->threads);
    char many[32];
    snprintf(many, sizeof(many), "-j %u", b->threads);
    printf("%-7s %-12s %-8s %6s %9s %8s %8s %8s %5s %8s %7s %6s\n", "", "", "", "", "best wall", many, "best CPU", many, "procs",
           "speedup", "median", "peak");
    printf("%-7s %-12s %-8s %6s %9s %8s %8s %8s %5s %8s %7s %6s\n", "machine", "kernel", "bound by", "passes", "s, -j 1", "s",
           "s, -j 1", "s", many, "(best)", "", "MB");
    for (u32 i = 0; i < ARRAY_LEN(scaling_runs); i++)
        if (chosen(b, scaling_runs[i].kernel)) scaling_of(b, &scaling_runs[i]);
    if (b->threads == 2)
        printf("* below the bar: %.1fx bound by compute, %.1fx by memory\n", bounds[COMPUTE].bar, bounds[MEMORY].bar);
}

/* --- command line */

static void print_memory(const struct bench *b) {
    printf("\npeak memory of a whole process, the program's buffers included, over the runs above\n");
    for (u32 i = 0; i < ARRAY_LEN(memory_bars); i++)
        if (b->peak_mb[i] > 0)
            printf("%-7s %6.0f MB%s (bar: %.0f MB)\n", memory_bars[i].machine, b->peak_mb[i],
                   b->peak_mb[i] < memory_bars[i].mb ? "" : "*", memory_bars[i].mb);
}

static void print_host(double load[3]) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    printf("heddle %s; host with %ld processor%s, load %.2f%s\n", heddle_version(), processors, processors == 1 ? "" : "s",
           load[0], load[0] > 0.3 ? ": others are at work, and the figures are theirs too" : "");
}

static bool write_json(struct bench *b, const double load[3]) {
    json_t *memory = json_object();
    for (u32 i = 0; i < ARRAY_LEN(memory_bars); i++)
        if (b->peak_mb[i] > 0) json_object_set_new(memory, memory_bars[i].machine, json_real(b->peak_mb[i]));
    return report_save_json(json_pack("{s:s, s:i, s:f, s:i, s:O, s:O, s:o}", "version", heddle_version(), "processors",
                                      (int)sysconf(_SC_NPROCESSORS_ONLN), "load_before", load[0], "failed", (int)b->failed,
                                      "speed", b->speed_rows, "scaling", b->scaling_rows, "peak_mb", memory),
                            b->json);
}

static int bench_all(struct bench *b) {
    double load[3] = {0};
    if (getloadavg(load, 3) < 1) load[0] = 0;
    b->speed_rows = json_array();
    b->scaling_rows = json_array();
    setvbuf(stdout, NULL, _IOLBF, 0);
    print_host(load);
    if (b->speed) speed(b);
    if (b->scaling) scaling(b);
    print_memory(b);
    bool written = !b->json || write_json(b, load);
    json_decref(b->speed_rows);
    json_decref(b->scaling_rows);
    return b->failed ? 1 : written ? 0 : 2;
}

/* For profilers: one process, no tables */
static int spin(const struct bench *b) {
    int status = HEDDLE_OK;
    for (u32 i = 0; i < ARRAY_LEN(peers) && !status; i++) {
        if (!chosen(b, peers[i].kernel)) continue;
        struct task t = task_of(b, b->machine, peers[i].kernel);
        t.seconds = b->spin_s;
        t.flush = true;
        t.threads = b->threads;
        status = run_here(&t).status;
    }
    return status;
}

static int usage(FILE *out, int code) {
    fprintf(out, "usage: bench_timing [OPTIONS] [KERNEL...]\n"
                 "Speed, scaling over host threads and memory of the timing model. Kernels:");
    for (u32 i = 0; i < ARRAY_LEN(peers); i++) fprintf(out, " %s", peers[i].kernel);
    fprintf(out,
            "; default all.\n"
            "  --runs N         repetitions of each measurement, default 3\n"
            "  --only WHAT      speed or scaling; default both\n"
            "  --machine NAME   of the speed table and of --spin; default " PEER_MACHINE "\n"
            "  -j N             threads that scaling compares with one, default 2\n"
            "  --json FILE      write everything as JSON\n"
            "  --kernels DIR    where the kernels' manifests are, default bench/kernels\n"
            "  --spin SECONDS   only run the kernels, each so long, in this process, with -j threads (default 1): for profilers\n"
            "Exit code 1 when a run fails, gives a wrong output, or differs from its repetition; a missed bar is only shown.\n"
            "example: build/bench_timing --runs 5 --only speed mandel spmv\n");
    return code;
}

static bool known_kernel(const char *name) {
    for (u32 i = 0; i < ARRAY_LEN(peers); i++)
        if (strcmp(name, peers[i].kernel) == 0) return true;
    fprintf(stderr, "bench_timing: no kernel \"%s\"\n", name);
    return false;
}

static bool number(const char *text, u32 most, u32 *out) {
    char *end;
    unsigned long x = strtoul(text, &end, 10);
    *out = (u32)x;
    return *text >= '0' && *text <= '9' && !*end && x >= 1 && x <= most;
}

static bool set_option(struct bench *b, const char *name, const char *value) {
    if (strcmp(name, "--runs") == 0) return number(value, MAX_RUNS, &b->runs);
    if (strcmp(name, "-j") == 0) return number(value, 256, &b->threads);
    if (strcmp(name, "--machine") == 0) b->machine = value;
    else if (strcmp(name, "--json") == 0) b->json = value;
    else if (strcmp(name, "--kernels") == 0) b->kernels = value;
    else if (strcmp(name, "--spin") == 0) return (b->spin_s = strtod(value, NULL)) > 0;
    else if (strcmp(name, "--only") == 0) {
        b->speed = strcmp(value, "speed") == 0;
        b->scaling = strcmp(value, "scaling") == 0;
        return b->speed || b->scaling;
    } else return false;
    return true;
}

int main(int argc, char **argv) {
    struct bench b = {.kernels = "bench/kernels", .machine = PEER_MACHINE, .speed = true, .scaling = true, .runs = 3};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return usage(stdout, 0);
        if (argv[i][0] == '-') {
            if (i + 1 >= argc || !set_option(&b, argv[i], argv[i + 1])) return usage(stderr, 2);
            i++;
        } else if (!known_kernel(argv[i])) return usage(stderr, 2);
        else VEC_PUSH(&b.only, argv[i]);
    }
    if (!b.threads) b.threads = b.spin_s > 0 ? 1 : 2;
    int code = b.spin_s > 0 ? spin(&b) : bench_all(&b);
    free(b.only.at);
    return code;
}
