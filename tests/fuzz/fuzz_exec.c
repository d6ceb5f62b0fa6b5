/* Fuzz target: a module that loads is also run: every kernel, two warps, pointers to one small buffer, few instructions.
 * Whatever the program does, the simulator must answer with a result or a diagnosis. */
#include "heddle.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PARAMS = 16, MAX_PARAM_B = 256 };

static void run_kernel(struct heddle *h, struct heddle_kernel *k, uint64_t buffer) {
    struct heddle_kernel_info info;
    if (heddle_kernel_info(h, k, &info) != HEDDLE_OK || info.nparams > MAX_PARAMS) return;
    struct heddle_arg args[MAX_PARAMS];
    uint64_t values[MAX_PARAM_B / 8];
    for (size_t i = 0; i < MAX_PARAM_B / 8; i++) values[i] = buffer;
    for (uint32_t i = 0; i < info.nparams; i++) {
        struct heddle_param_info param;
        if (heddle_kernel_param(h, k, i, &param) != HEDDLE_OK || param.size_b > MAX_PARAM_B) return;
        args[i] = (struct heddle_arg){values, param.size_b};
    }
    struct heddle_launch launch = {
        .grid = {1, 1, 1}, .block = {48, 1, 1}, .dynamic_shared_b = 1024, .args = args, .nargs = info.nparams};
    struct heddle_result result;
    heddle_launch(h, k, &launch, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static FILE *nowhere;
    if (!nowhere) nowhere = fopen("/dev/null", "w");
    struct heddle_options opt = {.max_memory_b = 64 << 20, .max_instructions = 2000, .program_out = nowhere};
    struct heddle *h = heddle_open(&opt);
    struct heddle_module *m;
    if (heddle_module_load(h, "fuzz.ptx", (const char *)data, size, &m) == HEDDLE_OK) {
        uint64_t buffer = heddle_alloc(h, 4096);
        for (uint32_t i = 0; i < heddle_module_kernels(m); i++) run_kernel(h, heddle_module_kernel_at(m, i), buffer);
    }
    heddle_close(h);
    return 0;
}
