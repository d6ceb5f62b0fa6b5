/* libFuzzer target: any bytes as a RISC-V program. The first says which Vortex, how lanes diverge and what
 * the file is called; the rest is read and, when it can be, run for a while. It must end, and leave no
 * memory. */
#include "api/api.h"
#include "config/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"p.elf", "p.bin", "p.vxbin", "p.pocl"};
    struct config c;
    struct heddle_module *m;
    struct heddle_launch l = {.grid = {2, 1, 1}, .block = {16, 1, 1}};
    if (!size) return 0;
    config_default(&c);
    c.vortex = data[0] & 1, c.vortex_diverge = data[0] >> 1 & 1, c.warps = c.warp_size = 4, c.sms = 2;
    struct heddle *h =
        heddle_open(&(struct heddle_options){.functional = true, .max_instructions = 5000, .max_memory_b = 64 << 20});
    heddle_set_config(h, &c);
    if (!heddle_module_load(h, names[data[0] >> 2 & 3], (const char *)data + 1, size - 1, &m))
        heddle_launch(h, heddle_module_kernel_at(m, 0), &l, NULL);
    else CHECK(heddle_message(h)[0]);
    heddle_close(h);
    return 0;
}
