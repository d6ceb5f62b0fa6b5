/* libFuzzer target: any bytes through the PTX parser. Whatever they are, it must end, and leave no memory
 * behind. */
#include "ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct diag dg = {0};
    struct ptx_module *m = ptx_parse("fuzz.ptx", (const char *)data, size, &dg);
    CHECK((m == NULL) == (dg.errors > 0) && (!m || size <= limit_most(LIMIT_PROGRAM)));
    ptx_free(m);
    diag_free(&dg);
    return 0;
}
