/* Fuzz target: a module that loads is also run: every kernel, two warps, pointers to one small buffer, few
 * instructions. Whatever the program does, the simulator must answer with a result or a diagnosis. Then each
 * kernel runs with one thread on a machine, in its own order and with loads moved up: if both end well, they
 * leave the same memory. */
#include "base/base.h"
#include "heddle.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PARAMS = 16, MAX_PARAM_B = 256 };

static int run_kernel(struct heddle *h, struct heddle_kernel *k, uint64_t buffer, uint32_t threads) {
    struct heddle_kernel_info info;
    if (heddle_kernel_info(h, k, &info) != HEDDLE_OK || info.nparams > MAX_PARAMS) return HEDDLE_BAD_INPUT;
    struct heddle_arg args[MAX_PARAMS];
    uint64_t values[MAX_PARAM_B / 8];
    for (size_t i = 0; i < MAX_PARAM_B / 8; i++) values[i] = buffer;
    for (uint32_t i = 0; i < info.nparams; i++) {
        struct heddle_param_info param;
        if (heddle_kernel_param(h, k, i, &param) != HEDDLE_OK || param.size_b > MAX_PARAM_B) return HEDDLE_BAD_INPUT;
        args[i] = (struct heddle_arg){values, param.size_b};
    }
    struct heddle_launch launch = {
        .grid = {1, 1, 1}, .block = {threads, 1, 1}, .dynamic_shared_b = 1024, .args = args, .nargs = info.nparams};
    struct heddle_result result;
    return heddle_launch(h, k, &launch, &result);
}

static void run_all(const struct heddle_options *opt, const uint8_t *data, size_t size) {
    struct heddle *h = heddle_open(opt);
    struct heddle_module *m;
    if (heddle_module_load(h, "fuzz.ptx", (const char *)data, size, &m) == HEDDLE_OK) {
        CHECK(size <= limit_most(LIMIT_PROGRAM));
        uint64_t buffer = heddle_alloc(h, 4096);
        for (uint32_t i = 0; i < heddle_module_kernels(m); i++) run_kernel(h, heddle_module_kernel_at(m, i), buffer, 48);
    }
    heddle_close(h);
}

/* The memory after the i-th kernel; false when it did not end well */
static bool memory_after(const struct heddle_options *opt, const uint8_t *data, size_t size, uint32_t i, const char *schedule,
                         uint64_t *hash, uint32_t *kernels) {
    struct heddle *h = heddle_open(opt);
    struct heddle_module *m;
    if (heddle_set_key(h, "ptx.schedule", schedule) || heddle_set_key(h, "gpu.perfect_memory", "true")) {
        fputs("fuzz_exec: no machine: set HEDDLE_DATA to where machines/ is\n", stderr);
        abort();
    }
    bool ok = heddle_module_load(h, "fuzz.ptx", (const char *)data, size, &m) == HEDDLE_OK;
    *kernels = ok ? heddle_module_kernels(m) : 0;
    if (ok) ok = i < *kernels && run_kernel(h, heddle_module_kernel_at(m, i), heddle_alloc(h, 4096), 1) == HEDDLE_OK;
    *hash = heddle_memory_hash(h);
    heddle_close(h);
    return ok;
}

/* What a program may learn of time */
static bool asks_for_time(const uint8_t *data, size_t size) {
    static const char *const words[] = {"clock", "timer", "%pm"};
    for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
        if (memmem(data, size, words[k], strlen(words[k]))) return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    struct heddle_options opt = {.max_memory_b = 64 << 20, .max_instructions = 2000, .program_out = nowhere};
    run_all(&opt, data, size);
    for (uint32_t i = 0, n = 1; i < n && i < 4; i++) {
        uint64_t written, loads;
        bool first = memory_after(&opt, data, size, i, "written", &written, &n),
             second = memory_after(&opt, data, size, i, "loads", &loads, &n);
        if (first && second && written != loads && !asks_for_time(data, size)) abort();
    }
    return 0;
}
