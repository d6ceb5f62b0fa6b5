/* bench_oclgrind: how fast is the functional simulator next to another simulator of an OpenCL device?
 *
 *     bench_oclgrind [--platform NAME] [--size SIZE] [--source DIR] [--json FILE] [WORKLOAD...]
 *
 * Every workload runs twice in this process: its PTX on libheddle without timing, and its OpenCL C on the
 * first platform of the OpenCL loader whose name begins with NAME (default Oclgrind; any will do). Same
 * buffers, same launches, and both outputs are held against the workload's CPU reference. Only time inside
 * launches counts, not building programs or moving buffers: processor time of all threads, so that a busy
 * machine does not matter; heddle's is the median of several runs, the other's of one. The last line is the
 * geometric mean of the ratios. `make bench-oclgrind` points the loader at Oclgrind and gives it one
 * thread. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEDDLE_S 0.2 /* repeat heddle's run at least so long */

/* A mixture of loads, arithmetic, barriers, atomics and divergence, none of which takes Oclgrind more than a
 * minute */
static const char *const usual[] = {"bfs",     "blackscholes", "cfd",  "histogram", "hotspot", "kmeans", "lbm",   "nearn",
                                    "nqueens", "psort",        "spmv", "srad",      "stencil", "sgemm",  "vecadd"};

struct bench {
    const char *platform, *size, *source;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    char platform_name[128];
};
struct row {
    const char *name;
    u64 warp_instructions;
    double heddle_s, other_s;
    enum verdict heddle, other;
};

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the other side */

static bool failed(cl_int status, const char *what) {
    if (status != CL_SUCCESS) fprintf(stderr, "bench_oclgrind: %s: OpenCL error %d\n", what, (int)status);
    return status != CL_SUCCESS;
}

static bool open_platform(struct bench *b) {
    cl_platform_id all[16];
    cl_uint n = 0;
    cl_int status = clGetPlatformIDs(ARRAY_LEN(all), all, &n);
    if (status != CL_SUCCESS) n = 0; /* the loader says so when there is none */
    for (u32 i = 0; i < n && i < ARRAY_LEN(all); i++) {
        clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof(b->platform_name), b->platform_name, NULL);
        if (strncmp(b->platform_name, b->platform, strlen(b->platform)) != 0) continue;
        if (failed(clGetDeviceIDs(all[i], CL_DEVICE_TYPE_ALL, 1, &b->device, NULL), "clGetDeviceIDs")) return false;
        b->context = clCreateContext(NULL, 1, &b->device, NULL, NULL, &status);
        if (failed(status, "clCreateContext")) return false;
        b->queue = clCreateCommandQueue(b->context, b->device, 0, &status);
        return !failed(status, "clCreateCommandQueue");
    }
    fprintf(stderr, "bench_oclgrind: no OpenCL platform \"%s\" among %u; OCL_ICD_VENDORS tells the loader where to look\n",
            b->platform, (unsigned)n);
    return false;
}

static cl_program build(const struct bench *b, const char *name) {
    struct strbuf path = {0};
    size_t len = 0;
    cl_int status;
    strbuf_add(&path, "%s/%s/%s.cl", b->source, name, name);
    char *text = text_read_file(path.s, limit_most(LIMIT_OTHER), &len);
    if (!text) fprintf(stderr, "bench_oclgrind: cannot read %s\n", path.s);
    strbuf_free(&path);
    if (!text) return NULL;
    cl_program program = clCreateProgramWithSource(b->context, 1, (const char **)&text, &len, &status);
    free(text);
    if (failed(status, "clCreateProgramWithSource")) return NULL;
    if (!failed(clBuildProgram(program, 1, &b->device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram")) return program;
    clReleaseProgram(program);
    return NULL;
}

static bool launch(const struct bench *b, cl_program program, const struct manifest_launch *l, const cl_mem *mem,
                   double *seconds) {
    cl_int status;
    size_t global[3], local[3];
    cl_kernel kernel = clCreateKernel(program, l->kernel, &status);
    if (failed(status, l->kernel)) return false;
    for (u32 i = 0; i < l->nargs && status == CL_SUCCESS; i++) {
        const struct manifest_arg *a = &l->args[i];
        status = a->buffer >= 0 ? clSetKernelArg(kernel, i, sizeof(cl_mem), &mem[a->buffer])
                                : clSetKernelArg(kernel, i, a->size_b, a->bytes);
    }
    for (u32 d = 0; d < 3; d++) {
        local[d] = l->block[d];
        global[d] = (size_t)l->grid[d] * l->block[d];
    }
    double start = processor_seconds();
    if (status == CL_SUCCESS) status = clEnqueueNDRangeKernel(b->queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
    if (status == CL_SUCCESS) status = clFinish(b->queue);
    *seconds += processor_seconds() - start;
    clReleaseKernel(kernel);
    return !failed(status, l->kernel);
}

/* Runs all launches on the platform; data[i] holds buffer i's contents before and after */
static bool run_other(const struct bench *b, const struct manifest *m, const char *name, void *const *data, double *seconds) {
    cl_program program = build(b, name);
    cl_mem *mem = base_alloc(m->nbuffers * sizeof(*mem));
    bool ok = program != NULL;
    for (u32 i = 0; i < m->nbuffers && ok; i++) {
        cl_int status;
        mem[i] = clCreateBuffer(b->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, m->buffers[i].bytes, data[i], &status);
        ok = !failed(status, "clCreateBuffer");
    }
    for (u32 i = 0; i < m->nlaunches && ok; i++) ok = launch(b, program, &m->launches[i], mem, seconds);
    for (u32 i = 0; i < m->nbuffers && ok; i++)
        ok = !failed(clEnqueueReadBuffer(b->queue, mem[i], CL_TRUE, 0, m->buffers[i].bytes, data[i], 0, NULL, NULL), "read");
    for (u32 i = 0; i < m->nbuffers; i++)
        if (mem[i]) clReleaseMemObject(mem[i]);
    free(mem);
    if (program) clReleaseProgram(program);
    return ok;
}

/* --- heddle's side */

static int run_once(struct play *p, struct row *r, double *seconds) {
    int status = play_reset(p);
    double start = processor_seconds();
    r->warp_instructions = 0;
    for (u32 i = 0; i < p->m->nlaunches && !status; i++) {
        status = play_launch(p, i);
        r->warp_instructions += p->launches[i].result.warp_instructions;
    }
    *seconds = processor_seconds() - start;
    return status;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool run_heddle(struct play *p, const struct workload *w, struct row *r) {
    VEC(double) times = {0};
    struct outcome o = {VERDICT_NONE};
    double total = 0, seconds = 0;
    int status = HEDDLE_OK;
    while (!status && total < HEDDLE_S) {
        status = run_once(p, r, &seconds);
        total += MAX(seconds, 1e-5);
        VEC_PUSH(&times, seconds);
    }
    qsort(times.at, times.n, sizeof(*times.at), ascending);
    r->heddle_s = times.at[times.n / 2];
    free(times.at);
    if (!status) status = play_compare(p, w->reference, &o);
    r->heddle = o.verdict;
    if (status && p->diag.text.s) fputs(p->diag.text.s, stderr);
    return !status;
}

/* --- both */

static void **copies(const struct play *p) {
    void **data = base_alloc(p->m->nbuffers * sizeof(*data));
    for (u32 i = 0; i < p->m->nbuffers; i++) {
        data[i] = base_alloc_aligned(p->m->buffers[i].bytes);
        memcpy(data[i], p->init[i], p->m->buffers[i].bytes);
    }
    return data;
}

static void free_copies(const struct play *p, void **data) {
    for (u32 i = 0; i < p->m->nbuffers; i++) free(data[i]);
    free(data);
}

static bool compare_other(const struct play *p, const struct workload *w, void *const *data, void *const *want, struct row *r) {
    struct workload_buffers all = {p->m->nbuffers, base_alloc(p->m->nbuffers * sizeof(*all.buf))};
    struct outcome o = {VERDICT_NONE};
    for (u32 i = 0; i < all.n; i++) {
        const struct manifest_buffer *b = &p->m->buffers[i];
        all.buf[i] = (struct workload_buffer){b->name, b->type->name, b->count, b->bytes, want[i]};
    }
    bool ok = w->reference(&all);
    if (ok) manifest_compare(p->m, data, want, &o);
    r->other = o.verdict;
    free(all.buf);
    return ok;
}

static bool measure(const struct bench *b, const struct workload *w, struct row *r) {
    struct diag d = {0};
    struct play p = {0};
    char *path = workload_manifest_path(w, b->size);
    struct manifest *m = path ? manifest_load(path, &d) : NULL;
    bool ok = m && play_open(&p, m, NULL, NULL, NULL) == HEDDLE_OK && run_heddle(&p, w, r);
    if (ok) {
        void **data = copies(&p), **want = copies(&p);
        ok = run_other(b, m, w->name, data, &r->other_s) && compare_other(&p, w, data, want, r);
        free_copies(&p, data);
        free_copies(&p, want);
    }
    if (d.text.s) fputs(d.text.s, stderr);
    if (p.m) play_close(&p);
    manifest_free(m);
    diag_free(&d);
    free(path);
    return ok;
}

static void print_row(const struct row *r) {
    printf("%-16s %12llu %12.4f %12.4f %9.1f%s%s\n", r->name, (unsigned long long)r->warp_instructions, r->heddle_s, r->other_s,
           r->other_s / MAX(r->heddle_s, 1e-9), r->heddle == VERDICT_OK ? "" : "  heddle's output differs",
           r->other == VERDICT_OK ? "" : "  the other's output differs");
    fflush(stdout);
}

static json_t *row_json(const struct row *r) {
    return json_pack("{s:s, s:I, s:f, s:f, s:f, s:b, s:b}", "name", r->name, "warp_instructions",
                     (json_int_t)r->warp_instructions, "heddle_s", r->heddle_s, "other_s", r->other_s, "ratio",
                     r->other_s / MAX(r->heddle_s, 1e-9), "heddle_ok", r->heddle == VERDICT_OK, "other_ok",
                     r->other == VERDICT_OK);
}

/* How many went wrong */
static u32 bench_all(const struct bench *b, const char *const *names, u32 n, const char *json) {
    json_t *rows = json_array();
    double logs = 0;
    u32 counted = 0;
    printf("%-16s %12s %12s %12s %9s\n", "workload", "warp instr", "heddle s", "other s", "ratio");
    for (u32 i = 0; i < n; i++) {
        const struct workload *w = workload_find(names[i]);
        struct row r = {.name = names[i]};
        if (!w || !measure(b, w, &r)) {
            fprintf(stderr, "bench_oclgrind: %s: %s\n", names[i], w ? "not measured" : "no such workload");
            continue;
        }
        print_row(&r);
        json_array_append_new(rows, row_json(&r));
        if (r.heddle != VERDICT_OK) continue;
        logs += log(r.other_s / MAX(r.heddle_s, 1e-9));
        counted++;
    }
    double mean = counted ? exp(logs / counted) : 0;
    printf("%s, size %s: heddle is %.1f times as fast, geometric mean over %u workloads\n", b->platform_name, b->size, mean,
           counted);
    json_t *all = json_pack("{s:s, s:s, s:s, s:f, s:i, s:o}", "version", heddle_version(), "platform", b->platform_name, "size",
                            b->size, "geomean_ratio", mean, "counted", (int)counted, "workloads", rows);
    if (json) report_save_json(all, json);
    else json_decref(all);
    return n - counted;
}

static int usage(FILE *out, int code) {
    fprintf(out,
            "usage: bench_oclgrind [--platform NAME] [--size SIZE] [--source DIR] [--json FILE] [WORKLOAD...]\n"
            "example: OCLGRIND_NUM_THREADS=1 OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so build/bench_oclgrind bfs\n");
    return code;
}

int main(int argc, char **argv) {
    struct bench b = {.platform = "Oclgrind", .size = WORKLOAD_SIZE, .source = "workloads"};
    const char *json = NULL, *const *names = usual;
    u32 n = ARRAY_LEN(usual);
    for (int i = 1; i < argc; i++) {
        const char **value = strcmp(argv[i], "--platform") == 0 ? &b.platform
                             : strcmp(argv[i], "--size") == 0   ? &b.size
                             : strcmp(argv[i], "--source") == 0 ? &b.source
                             : strcmp(argv[i], "--json") == 0   ? &json
                                                                : NULL;
        if (value && i + 1 < argc) {
            *value = argv[++i];
        } else if (argv[i][0] == '-') {
            return strcmp(argv[i], "--help") == 0 ? usage(stdout, 0) : usage(stderr, 2);
        } else {
            names = (const char *const *)argv + i;
            n = (u32)(argc - i);
            break;
        }
    }
    if (!open_platform(&b)) return 2;
    u32 wrong = bench_all(&b, names, n, json);
    clReleaseCommandQueue(b.queue);
    clReleaseContext(b.context);
    return wrong ? 1 : 0;
}
