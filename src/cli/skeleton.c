/* heddle check --manifest-skeleton: a manifest from the signatures of kernels, to be edited; it runs as it is
 * for kernels whose integers are sizes and whose pointers are arrays.
 *
 * A signature does not say what an argument means, so this is assumed: 8 bytes that are not loaded as f64, or
 * are marked .ptr, are a pointer; other integers are a count, of threads along x; floats are 1; anything else
 * is bytes of zero. Buffers have a count's square of elements, so that rows times columns fit, and hold their
 * own indices, which are legal as indices. */
#include "cli/skeleton.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 256, ELEMENTS = COUNT * COUNT, BLOCK = 64 };

/* The type a parameter is loaded with: of "ld.param.f32 %f1, [name]" f32; "" when it is not loaded */
static void loaded_type(const char *disasm, const char *name, char type[8]) {
    struct strbuf place = {0};
    strbuf_add(&place, "[%s]", name);
    type[0] = 0;
    for (const char *at = disasm; (at = strstr(at, "ld.param.")); at++) {
        size_t line = strcspn(at, "\n");
        const char *found = memmem(at, line, place.s, place.len), *dot = at + strlen("ld.param.");
        if (!found) continue;
        size_t n = strcspn(dot, " ");
        snprintf(type, 8, "%.*s", (int)MIN(n, 7u), dot);
        break;
    }
    strbuf_free(&place);
}

static json_t *zero_bytes(u32 n) {
    char *hex = base_alloc(2ull * n + 1);
    memset(hex, '0', 2ull * n);
    json_t *arg = json_pack("{s:s}", "hex", hex);
    free(hex);
    return arg;
}

static json_t *scalar(const char *type, u32 size_b) {
    static const char *const ints[] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"};
    bool is_float = strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0;
    if (is_float && (u32)atoi(type + 1) == 8 * size_b) return json_pack("{s:s, s:f}", "type", type, "value", 1.0);
    if (size_b > 8 || !ints[size_b]) return zero_bytes(size_b);
    return json_pack("{s:s, s:i}", "type", ints[size_b], "value", size_b == 1 ? 1 : COUNT);
}

static json_t *buffer(const char *name) {
    return json_pack("{s:s, s:s, s:i, s:s, s:b}", "name", name, "type", "u32", "count", ELEMENTS, "generator", "iota", "check",
                     1);
}

static json_t *arguments(struct heddle *h, struct heddle_kernel *k, const struct heddle_kernel_info *info, json_t *buffers) {
    char *disasm = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&disasm, &len);
    json_t *args = json_array();
    heddle_kernel_disasm(h, k, f);
    fclose(f);
    for (u32 i = 0; i < info->nparams; i++) {
        struct heddle_param_info p;
        char type[8];
        if (heddle_kernel_param(h, k, i, &p)) break;
        loaded_type(disasm, p.name, type);
        if (!p.is_pointer && (p.size_b != 8 || strcmp(type, "f64") == 0)) {
            json_array_append_new(args, scalar(type, p.size_b));
            continue;
        }
        struct strbuf name = {0};
        strbuf_add(&name, "%s.%s", info->name, p.name);
        json_array_append_new(buffers, buffer(name.s));
        json_array_append_new(args, json_pack("{s:s}", "buf", name.s));
        strbuf_free(&name);
    }
    free(disasm);
    return args;
}

static json_t *launch(struct heddle *h, struct heddle_kernel *k, const struct heddle_kernel_info *info, json_t *buffers) {
    u32 block[3] = {BLOCK, 1, 1};
    if (info->reqntid[0]) memcpy(block, info->reqntid, sizeof(block));
    else if (info->max_threads) block[0] = MIN(block[0], info->max_threads);
    for (u32 i = 0; i < 3; i++) block[i] = MAX(block[i], 1u);
    return json_pack("{s:s, s:[iii], s:[iii], s:o}", "kernel", info->name, "grid", (int)MAX(1u, COUNT / block[0]), 1, 1, "block",
                     (int)block[0], (int)block[1], (int)block[2], "args", arguments(h, k, info, buffers));
}

json_t *skeleton_manifest(struct heddle *h, struct heddle_module *m, const char *program) {
    json_t *buffers = json_array(), *launches = json_array();
    for (u32 i = 0; i < heddle_module_kernels(m); i++) {
        struct heddle_kernel *k = heddle_module_kernel_at(m, i);
        struct heddle_kernel_info info;
        if (heddle_kernel_info(h, k, &info) || info.refused) continue;
        json_array_append_new(launches, launch(h, k, &info, buffers));
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "doc",
                     "Made from the kernels' signatures by heddle check --manifest-skeleton: sizes, types and contents are "
                     "guesses to be edited (docs/manifest.md).",
                     "program", program, "buffers", buffers, "launches", launches);
}
