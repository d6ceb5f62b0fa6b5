/* heddle as a library: loads scale.ptx, runs it on a simulated GTX 480 and says how long it took there. C and
 * C++ alike:
 *
 *     cc library.c -I ../include ../build/libheddle.a -ljansson -linih -lm -lpthread -o library && ./library
 *     scale.ptx */
#include "heddle.h"

#include <stdlib.h>

static void check(struct heddle *h, int status) {
    if (status == HEDDLE_OK) return;
    fputs(heddle_message(h), stderr);
    exit(status);
}

int main(int argc, char **argv) {
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    struct heddle_result r;
    uint32_t data[256], n = 3;
    check(h, heddle_set_machine(h, "gtx480"));
    check(h, heddle_module_load_file(h, argc > 1 ? argv[1] : "scale.ptx", &m));
    for (uint32_t i = 0; i < 256; i++) data[i] = i;
    uint64_t out = heddle_alloc(h, sizeof(data));
    check(h, heddle_write(h, out, data, sizeof(data)));
    struct heddle_arg args[2] = {{&out, sizeof(out)}, {&n, sizeof(n)}};
    struct heddle_launch l = {{4, 1, 1}, {64, 1, 1}, 0, args, 2, 0, false};
    check(h, heddle_launch(h, heddle_module_kernel(m, "scale"), &l, &r));
    check(h, heddle_read(h, out, data, sizeof(data)));
    printf("data[100] = %u after %llu cycles\n", data[100], (unsigned long long)r.cycles);
    heddle_module_free(h, m);
    heddle_close(h);
    return data[100] == 300 ? 0 : 1;
}
