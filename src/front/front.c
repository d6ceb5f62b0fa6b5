/* The table of front ends. See front.h. */
#include "front/front.h"
#include "config/config.h"
#include "ptx/ptx.h"
#include "riscv/riscv.h"

#include <fenv.h>
#include <string.h>

const struct frontend *const front_table[] = {
    &ptx_frontend,
    &riscv_frontend,
};
const u32 front_count = ARRAY_LEN(front_table);

static const struct frontend *by_content(const u8 *bytes, size_t n) {
    for (u32 i = 0; i < front_count; i++)
        if (front_table[i]->recognise(bytes, n)) return front_table[i];
    return NULL;
}

const struct frontend *front_of_name(const char *file) {
    const char *dot = strrchr(file, '.');
    for (u32 i = 0; dot && i < front_count; i++)
        if (text_in_list(front_table[i]->endings, dot + 1)) return front_table[i];
    return NULL;
}

const struct frontend *front_find(const char *file, const u8 *bytes, size_t n) {
    const struct frontend *f = by_content(bytes, n);
    return f ? f : front_of_name(file);
}

const struct frontend *front_of_machine(const struct config *c) { return c->programs ? &riscv_frontend : &ptx_frontend; }

static const char *looks_like(const u8 *bytes, size_t n) {
    static const u8 elf[] = {0x7F, 'E', 'L', 'F'};
    if (n == 0) return "the file is empty";
    if (n >= sizeof(elf) && memcmp(bytes, elf, sizeof(elf)) == 0) return "this is an ELF file (a program or cubin)";
    return memchr(bytes, 0, n) ? "this is a binary file" : "this is other text";
}

void front_refuse(const u8 *bytes, size_t n, struct strbuf *out) {
    strbuf_add(out, "not a program heddle reads: %s; it reads ", looks_like(bytes, n));
    for (u32 i = 0; i < front_count; i++) strbuf_add(out, "%s%s", i ? "; " : "", front_table[i]->doc);
}

void *front_load(const struct frontend *f, const char *file, const u8 *bytes, size_t n, struct memory *mem, struct diag *dg) {
    fenv_t host;
    fegetenv(&host);
    fesetenv(FE_DFL_ENV);
    void *program = f->load(file, bytes, n, mem, dg);
    fesetenv(&host);
    return program;
}

struct kernel *front_lower(const struct frontend *f, void *program, u32 kernel, const struct config *machine, struct arena *arena,
                           struct diag *dg) {
    fenv_t host;
    fegetenv(&host);
    fesetenv(FE_DFL_ENV);
    struct kernel *k = f->lower(program, kernel, machine, arena, dg);
    fesetenv(&host);
    return k;
}
