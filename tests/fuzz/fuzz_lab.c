/* libFuzzer target: any bytes as a program of the laboratory. Reading must end in a program or in at least
 * one error; a program must run on every machine that takes it, all views must be writable, and machines
 * of the scalar language must end with the registers and memory of the sequential one. Build with clang
 * -fsanitize=fuzzer,address,undefined. */
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLES = 400, SMALL_WORDS = 8192 };

static void write_views(const struct lab_run *r) {
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    lab_print_grid(r, 1, r->cycles, f);
    lab_print_summary(r, f);
    if (r->cycles) lab_print_page(r, 1, 100, f);
    lab_write_html(r, "fuzz", f);
    lab_write_dot(r, 3, f);
    lab_write_konata(r, f);
    fclose(f);
    free(text);
    json_decref(lab_json(r));
}

static void compare_end(const struct lab_run *r) {
    struct lab_state s;
    const char *fault = NULL;
    lab_state_init(&s, r->prog);
    lab_interpret(r->prog, &s, 100000, &fault);
    CHECK((fault != NULL) == (r->fault != NULL));
    if (!fault)
        CHECK(memcmp(s.reg, r->st.reg, REG_VLEN * sizeof(i64)) == 0 && memcmp(s.words, r->st.words, s.nwords * sizeof(i64)) == 0);
    lab_state_free(&s);
}

static bool is_scalar(const struct lab_machine *m) { return m->accepts == lab_accepts_scalar || m == &lab_rob; }

static void run_on(const struct lab_program *p, const struct lab_machine *m) {
    struct diag d = {0};
    struct lab_wish w = {.pages = true, .from = 1, .to = 40, .max_cycles = CYCLES};
    struct lab_run r = {0};
    i64 *key = lab_keys_new(m);
    for (u32 i = 0; i < p->settings.n; i++)
        lab_keys_set(m, key, p->settings.at[i].key, p->settings.at[i].value, &d, p->file, p->settings.at[i].line);
    if (lab_run(&r, m, p, key, &w, &d)) {
        write_views(&r);
        if (is_scalar(m) && !r.cut) compare_end(&r);
    } else {
        CHECK(d.errors > 0);
    }
    lab_run_free(&r);
    diag_free(&d);
    free(key);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size) {
    struct diag d = {0};
    char *text = base_alloc(size + 1);
    memcpy(text, data, size);
    struct lab_program *p = lab_assemble("fuzz.s", text, size, &d);
    CHECK((p == NULL) == (d.errors > 0) && (!p || size <= limit_most(LIMIT_LAB)));
    for (u32 i = 0; p && p->nwords <= SMALL_WORDS && p->code.n <= 256 && lab_machines[i]; i++) run_on(p, lab_machines[i]);
    lab_program_free(p);
    diag_free(&d);
    free(text);
    return 0;
}
