/* libFuzzer target: any bytes as a machine file. Reading must end in a machine or in at least one error; a
 * machine must be checkable, and its dump must read back as the same machine. Build with clang
 * -fsanitize=fuzzer,address,undefined. */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

static void read_back(const struct config *c) {
    struct config back;
    struct diag d = {0};
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    config_dump(c, f);
    fclose(f);
    config_default(&back);
    CHECK(machine_parse(&back, c->machine, text, len, &d));
    CHECK(memcmp(&back, c, sizeof(back)) == 0 && config_hash(&back) == config_hash(c));
    free(text);
    diag_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct config c;
    struct diag d = {0};
    char *text = base_alloc(size + 1);
    memcpy(text, data, size);
    config_default(&c);
    bool ok = machine_parse(&c, "fuzz.ini", text, size, &d);
    CHECK(ok == (d.errors == 0) && (!ok || size <= limit_most(LIMIT_MACHINE)));
    if (ok) read_back(&c);
    config_check(&c, &d);
    diag_free(&d);
    free(text);
    return 0;
}
