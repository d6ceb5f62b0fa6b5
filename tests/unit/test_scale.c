/* How loading grows with a program: four times the text may take about four times as long, whatever there is
 * four times of. Processor time of this thread, and bounds that leave room for slow builds; what grows with
 * the square takes sixteen times as long. */
#include "play.h"

#include <sys/resource.h>
#include <time.h>

struct text {
    char *at;
    size_t len, cap;
};

static void put(struct text *t, const char *fmt, ...) {
    va_list ap;
    if (t->cap - t->len < 512) t->at = realloc(t->at, t->cap = 2 * t->cap + 4096);
    va_start(ap, fmt);
    t->len += (size_t)vsnprintf(t->at + t->len, t->cap - t->len, fmt, ap);
    va_end(ap);
}

static void open_kernel(struct text *t) { put(t, "%s", PTX_HEAD("sm_80") KERNEL_OPEN); }

typedef void writer(struct text *t, uint32_t n);

static void many_live(struct text *t, uint32_t n) { /* of all sizes: words, pairs and predicates in turn */
    open_kernel(t);
    put(t, ".reg .b32 %%w<%u>;\n.reg .b64 %%x<%u>;\n.reg .pred %%q<%u>;\n", n, n, n);
    for (uint32_t i = 0; i < n; i++)
        put(t, "add.u32 %%w%u, %%r0, %u;\nadd.u64 %%x%u, %%rd0, %u;\nsetp.lt.u32 %%q%u, %%r0, %u;\n", i, i & 15, i, i & 7, i,
            i & 31);
    for (uint32_t i = 0; i < n; i++) put(t, "@%%q%u st.global.u32 [%%x%u], %%w%u;\n", i, i, i);
    put(t, "ret;\n}\n");
}

static void many_immediates(struct text *t, uint32_t n) {
    open_kernel(t);
    for (uint32_t i = 0; i < n; i++) put(t, "add.u32 %%r1, %%r1, %u;\n", i * 2654435761u);
    put(t, "ret;\n}\n");
}

static void many_kernels(struct text *t, uint32_t n) { /* each with a function, a global and a shared variable of its own */
    put(t, "%s.extern .shared .b32 rest[];\n", PTX_HEAD("sm_80"));
    for (uint32_t i = 0; i < n; i++)
        put(t,
            ".global .u32 g%u;\n.shared .u32 s%u;\n.func f%u() { ret; }\n.visible .entry k%u() { .reg .b32 r;\n mov.b32 r, "
            "rest;\n"
            "st.shared.u32 [s%u], r;\nst.global.u32 [g%u], r;\ncall f%u, ();\nret; }\n",
            i, i, i, i, i, i, i);
}

static void many_functions(struct text *t, uint32_t n) { /* in a chain, and all called by the kernel */
    put(t, "%s.func f0() { ret; }\n", PTX_HEAD("sm_80"));
    for (uint32_t i = 1; i < n; i++) put(t, ".func f%u() { call f%u, (); ret; }\n", i, i - 1);
    put(t, ".visible .entry k() {\n");
    for (uint32_t i = 0; i < n; i++) put(t, "call f%u, ();\n", i);
    put(t, "ret;\n}\n");
}

static void many_labels(struct text *t, uint32_t n) { /* loops inside loops, and then jumps in every direction */
    open_kernel(t);
    put(t, "setp.lt.u32 %%p1, %%r0, 5;\n");
    for (uint32_t i = 0; i < n; i++) put(t, "A%u: add.u32 %%r1, %%r1, 1;\n", i);
    for (uint32_t i = n; i-- > 0;) put(t, "@%%p1 bra A%u;\n", i);
    for (uint32_t i = 0; i < n; i++)
        put(t, "B%u: add.u32 %%r1, %%r1, 1;\n@%%p1 bra B%u;\n", i, (uint32_t)((uint64_t)i * 7919 % n));
    put(t, "ret;\n}\n");
}

static void deep_branches(struct text *t, uint32_t n) {
    open_kernel(t);
    put(t, "setp.lt.u32 %%p1, %%r0, 5;\n");
    for (uint32_t i = 0; i < n; i++) put(t, "@%%p1 bra C%u;\n", i);
    for (uint32_t i = n; i-- > 0;) put(t, "add.u32 %%r1, %%r1, 1;\nC%u:\n", i);
    put(t, "ret;\n}\n");
}

static void many_scopes(struct text *t, uint32_t n) {
    open_kernel(t);
    for (uint32_t i = 0; i < n; i++) put(t, "{ .reg .u32 %%s<4>; add.u32 %%s1, %%s1, %%r0; D%u: }\n", i);
    put(t, "ret;\n}\n");
}

/* Flat images of RISC-V: words, which are code, whatever they are */
static void put_word(struct text *t, uint32_t word) {
    if (t->cap - t->len < sizeof(word)) t->at = realloc(t->at, t->cap = 2 * t->cap + 4096);
    memcpy(t->at + t->len, &word, sizeof(word));
    t->len += sizeof(word);
}

static void many_words(struct text *t, uint32_t n) { /* that lead nowhere, and to which nothing leads */
    for (uint32_t i = 0; i < n; i++) put_word(t, 0);
}

static void many_tables(struct text *t, uint32_t n) { /* jr t0, and pieces behind it that such a jump may lead to */
    for (uint32_t i = 0; i < n; i++) put_word(t, 0x00028067), put_word(t, 0);
}

/* Loads and lowers everything */
static double seconds_to_load(writer *write, uint32_t n) {
    struct text t = {0};
    struct timespec from, to;
    bool image = write == many_words || write == many_tables;
    write(&t, n);
    struct heddle *h = heddle_open(NULL);
    if (image && heddle_set_machine(h, "vortex2021")) fail_msg("%s", heddle_message(h));
    if (image && heddle_set_key(h, "isa.vortex.diverge", "ipdom")) fail_msg("%s", heddle_message(h));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    struct heddle_module *m = NULL;
    if (heddle_module_load(h, image ? "t.bin" : "t.ptx", t.at, t.len, &m)) fail_msg("%s", heddle_message(h));
    struct heddle_kernel *k;
    for (uint32_t i = 0; (k = heddle_module_kernel_at(m, i)) != NULL; i++) {
        struct heddle_kernel_info info;
        if (heddle_kernel_info(h, k, &info)) fail_msg("%s", heddle_message(h));
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    heddle_close(h);
    free(t.at);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static void check_growth(const char *what, writer *write, uint32_t n) {
    double one = seconds_to_load(write, n), four = seconds_to_load(write, 4 * n);
    if (four > 8 * one + 0.3) fail_msg("%s: %u take %.2f s, %u take %.2f s", what, n, one, 4 * n, four);
}

static void loading_grows_with_the_text(void **state) {
    (void)state;
    check_growth("live registers", many_live, 12000);
    check_growth("immediates", many_immediates, 20000);
    check_growth("kernels", many_kernels, 2500);
    check_growth("functions", many_functions, 10000);
    check_growth("labels", many_labels, 20000);
    check_growth("branches within branches", deep_branches, 20000);
    check_growth("scopes", many_scopes, 20000);
    check_growth("words", many_words, 200000);
    check_growth("indirect jumps", many_tables, 40000);
}

static void large_variables_cost_nothing_until_they_are_used(void **state) {
    (void)state;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    PLAY(.text = MODULE(".global .align 4 .b8 big[1073741824];\n",
                        "mov.u64 %rd1, big;\nst.global.u32 [%rd1+1073741820], 5;\nld.global.u32 %r1, [%rd1+1073741820];\n"
                        "ld.global.u32 %r2, [%rd1+500000000];\nadd.u32 %r1, %r1, %r2;\n" STORE("%r1")),
         .block = {1});
    EACH(1, 5);
    getrusage(RUSAGE_SELF, &after);
    long grown_kb = after.ru_maxrss - before.ru_maxrss;
    if (grown_kb > 300000) fail_msg("a variable of 1 GiB, barely touched, took %ld KiB", grown_kb);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_grows_with_the_text),
        cmocka_unit_test(large_variables_cost_nothing_until_they_are_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
