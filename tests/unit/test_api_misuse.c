/* What only a C program can do wrong: freed memory, foreign addresses, absurd options. The library answers
 * and goes on. */
#include "heddle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char store_ptx[] = ".version 7.8\n"
                                ".target sm_75\n"
                                ".address_size 64\n"
                                ".visible .entry store(.param .u64 out)\n"
                                "{\n"
                                "    .reg .b64 %rd<2>;\n"
                                "    ld.param.u64 %rd0, [out];\n"
                                "    st.global.u32 [%rd0], 7;\n"
                                "    ret;\n"
                                "}\n";

struct bench {
    struct heddle *h;
    struct heddle_module *m;
};

static int open_bench(void **state) {
    static struct bench b;
    b.h = heddle_open(NULL);
    if (heddle_module_load(b.h, "store.ptx", store_ptx, strlen(store_ptx), &b.m)) {
        print_error("%s\n", heddle_message(b.h));
        return -1;
    }
    *state = &b;
    return 0;
}

static int close_bench(void **state) {
    heddle_close(((struct bench *)*state)->h);
    return 0;
}

static int launch_store(struct bench *b, uint64_t address) {
    struct heddle_arg arg = {&address, sizeof address};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = &arg, .nargs = 1};
    struct heddle_result r;
    return heddle_launch(b->h, heddle_module_kernel(b->m, "store"), &l, &r);
}

#define assert_message(b, part)                                                                                                  \
    do {                                                                                                                         \
        if (!strstr(heddle_message((b)->h), part)) fail_msg("\"%s\" not in \"%s\"", part, heddle_message((b)->h));               \
    } while (0)

static void write_to_freed_memory_is_named_as_such(void **state) {
    struct bench *b = *state;
    uint64_t p = heddle_alloc(b->h, 256);
    assert_int_equal(launch_store(b, p), HEDDLE_OK);
    assert_int_equal(heddle_free(b->h, p), HEDDLE_OK);
    assert_int_equal(launch_store(b, p), HEDDLE_FAULT);
    assert_message(b, "freed");
    assert_message(b, "store.ptx:8");
}

static void a_context_survives_a_fault(void **state) {
    struct bench *b = *state;
    uint32_t value = 0;
    uint64_t p = heddle_alloc(b->h, 256);
    assert_int_equal(launch_store(b, 12), HEDDLE_FAULT);
    assert_int_equal(launch_store(b, p), HEDDLE_OK);
    assert_int_equal(heddle_read(b->h, p, &value, sizeof value), HEDDLE_OK);
    assert_int_equal(value, 7);
}

static void freeing_twice_is_an_error(void **state) {
    struct bench *b = *state;
    uint64_t p = heddle_alloc(b->h, 256);
    assert_int_equal(heddle_free(b->h, p), HEDDLE_OK);
    assert_int_equal(heddle_free(b->h, p), HEDDLE_BAD_INPUT);
    assert_true(heddle_message(b->h)[0] != 0);
    assert_int_equal(heddle_free(b->h, p + 4), HEDDLE_BAD_INPUT);
}

static void host_copies_stay_inside_an_allocation(void **state) {
    struct bench *b = *state;
    char data[300] = {0};
    uint64_t p = heddle_alloc(b->h, 256);
    assert_int_equal(heddle_write(b->h, p, data, 256), HEDDLE_OK);
    assert_int_equal(heddle_write(b->h, p, data, 257), HEDDLE_BAD_INPUT);
    assert_int_equal(heddle_read(b->h, p + 200, data, 57), HEDDLE_BAD_INPUT);
    assert_int_equal(heddle_fill(b->h, 12, 0, 1), HEDDLE_BAD_INPUT);
    assert_true(heddle_message(b->h)[0] != 0);
}

static void more_memory_than_there_is(void **state) {
    struct bench *b = *state;
    assert_true(heddle_alloc(b->h, 1ull << 60) == 0);
    assert_true(heddle_alloc(b->h, 256) != 0);
}

static void no_such_kernel_or_symbol(void **state) {
    struct bench *b = *state;
    uint64_t address, size;
    assert_null(heddle_module_kernel(b->m, "stroe"));
    assert_int_equal(heddle_module_symbol(b->h, b->m, "table", &address, &size), HEDDLE_BAD_INPUT);
    assert_message(b, "table");
}

static void arguments_must_fit_the_parameters(void **state) {
    struct bench *b = *state;
    uint32_t narrow = 0;
    struct heddle_arg arg = {&narrow, sizeof narrow};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .args = &arg, .nargs = 1};
    struct heddle_result r;
    assert_int_equal(heddle_launch(b->h, heddle_module_kernel(b->m, "store"), &l, &r), HEDDLE_BAD_INPUT);
    assert_message(b, "out");
    l.nargs = 0;
    assert_int_equal(heddle_launch(b->h, heddle_module_kernel(b->m, "store"), &l, &r), HEDDLE_BAD_INPUT);
    assert_message(b, "store");
}

static void options_out_of_range_open_nothing(void **state) {
    (void)state;
    struct heddle_options opt = {.warp_size = 65};
    assert_null(heddle_open(&opt));
}

static void two_contexts_do_not_see_each_other(void **state) {
    struct bench *b = *state;
    struct bench other;
    struct bench *o = &other;
    other.h = heddle_open(NULL);
    assert_int_equal(heddle_module_load(o->h, "store.ptx", store_ptx, strlen(store_ptx), &o->m), HEDDLE_OK);
    uint64_t p = heddle_alloc(b->h, 1 << 20), q = heddle_alloc(o->h, 256);
    uint32_t here = 0, there = 0;
    assert_int_equal(launch_store(b, p), HEDDLE_OK);
    assert_int_equal(heddle_read(b->h, p, &here, 4), HEDDLE_OK);
    assert_int_equal(heddle_read(o->h, q, &there, 4), HEDDLE_OK);
    assert_int_equal(here, 7);
    assert_int_equal(there, 0);
    assert_true(heddle_memory_used(o->h) < heddle_memory_used(b->h));
    heddle_close(o->h);
}

int main(void) {
#define T(f) cmocka_unit_test_setup_teardown(f, open_bench, close_bench)
    const struct CMUnitTest tests[] = {
        T(write_to_freed_memory_is_named_as_such), T(a_context_survives_a_fault),        T(freeing_twice_is_an_error),
        T(host_copies_stay_inside_an_allocation),  T(more_memory_than_there_is),         T(no_such_kernel_or_symbol),
        T(arguments_must_fit_the_parameters),      T(options_out_of_range_open_nothing), T(two_contexts_do_not_see_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
