/* The direct memport: what global memory answers to one slab's access, below the instructions that make
 * it. */
#include "func/func.h"
#include "func/rowops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct bench { /* two allocations with a gap between them, and an access to shape */
    struct memory mem;
    struct memport port;
    u64 a, b;
    u64 addr[SLAB_LANES];
    u32 hint;
    struct maccess acc;
};

static void open_bench(struct bench *t) {
    *t = (struct bench){.mem = {.limit_b = 1 << 20}};
    t->port = memport_direct(&t->mem);
    t->a = memory_alloc(&t->mem, 256, 256, OWNER_HOST, false);
    t->b = memory_alloc(&t->mem, 128, 256, OWNER_MODULE, true);
    t->acc = (struct maccess){.mask = ~0u, .size_b = 4, .align_b = 4, .ops = rowops_host(), .hint = &t->hint, .addr = t->addr};
    for (u32 l = 0; l < SLAB_LANES; l++) t->addr[l] = t->a + 4 * l;
}

static void stores_come_back(void **state) {
    (void)state;
    struct bench t;
    u32 in[SLAB_LANES], out[SLAB_LANES];
    open_bench(&t);
    for (u32 l = 0; l < SLAB_LANES; l++) in[l] = 100 + l, t.addr[l] = t.a + 4 * (SLAB_LANES - 1 - l);
    assert_true(t.port.store(t.port.ctx, &t.acc, in));
    assert_true(t.port.load(t.port.ctx, &t.acc, out));
    assert_memory_equal(in, out, sizeof(in));
    u32 first;
    memcpy(&first, memory_host(&t.mem, t.a, 4), 4);
    assert_int_equal(first, 100 + SLAB_LANES - 1);
    memory_release(&t.mem);
}

static void lanes_may_lie_in_several_allocations(void **state) {
    (void)state;
    struct bench t;
    u32 out[SLAB_LANES];
    open_bench(&t);
    u32 v = 7;
    memcpy(memory_host(&t.mem, t.b, 4), &v, 4);
    for (u32 l = 0; l < SLAB_LANES; l += 2) t.addr[l] = t.b;
    assert_true(t.port.load(t.port.ctx, &t.acc, out));
    for (u32 l = 0; l < SLAB_LANES; l++) assert_int_equal(out[l], l % 2 ? 0 : 7);
    memory_release(&t.mem);
}

static void expect_fault(struct bench *t, bool write, enum fault_kind kind, u32 lane) {
    u32 data[SLAB_LANES] = {0};
    t->acc.fault = FAULT_NONE;
    assert_false(write ? t->port.store(t->port.ctx, &t->acc, data) : t->port.load(t->port.ctx, &t->acc, data));
    assert_int_equal(t->acc.fault, kind);
    assert_int_equal(t->acc.fault_lane, lane);
}

static void each_fault_names_its_lane(void **state) {
    (void)state;
    struct bench t;
    open_bench(&t);
    t.addr[9] = t.a + 256; /* one past the end */
    expect_fault(&t, false, FAULT_WILD, 9);
    t.addr[9] = t.a + 253; /* its last bytes are outside, and it is misaligned: alignment is said first */
    expect_fault(&t, false, FAULT_MISALIGNED, 9);
    t.addr[9] = t.b;
    expect_fault(&t, true, FAULT_READ_ONLY, 9);
    memory_free(&t.mem, t.a, OWNER_HOST);
    expect_fault(&t, false, FAULT_FREED, 0);
    memory_release(&t.mem);
}

static void lanes_outside_the_mask_do_not_count(void **state) {
    (void)state;
    struct bench t;
    u32 out[SLAB_LANES];
    open_bench(&t);
    t.acc.mask = 0xF0;
    t.acc.ops->address64(t.addr, (u64[SLAB_LANES]){[4] = t.a, [5] = t.a, [6] = t.a, [7] = t.a + 252, [20] = 3}, 0, t.acc.mask);
    assert_true(t.port.load(t.port.ctx, &t.acc, out));
    memory_release(&t.mem);
}

static void lines_are_distinct_and_in_order(void **state) {
    (void)state;
    struct bench t;
    u64 lines[64];
    open_bench(&t);
    for (u32 l = 0; l < SLAB_LANES; l++) t.addr[l] = t.a + (l % 2 ? 128 : 4) + 8 * (l / 8);
    t.addr[31] = t.a + 124;
    t.acc.size_b = 8; /* lane 31 straddles two lines */
    assert_int_equal(t.port.peek_lines(t.port.ctx, &t.acc, 128, lines), 2);
    assert_int_equal(lines[0], t.a);
    assert_int_equal(lines[1], t.a + 128);
    t.acc.mask = 1;
    assert_int_equal(t.port.peek_lines(t.port.ctx, &t.acc, 128, lines), 1);
    memory_release(&t.mem);
}

static void a_window_is_given_only_where_it_is_safe(void **state) {
    (void)state;
    struct bench t;
    struct memwindow w;
    open_bench(&t);
    assert_true(t.port.window(t.port.ctx, 0, true, &w));
    assert_int_equal(w.base, t.a);
    assert_int_equal(w.size_b, 256);
    assert_true(t.port.window(t.port.ctx, 1, false, &w));
    assert_false(t.port.window(t.port.ctx, 1, true, &w));  /* read-only */
    assert_false(t.port.window(t.port.ctx, 2, false, &w)); /* no such allocation */
    memory_free(&t.mem, t.a, OWNER_HOST);
    assert_false(t.port.window(t.port.ctx, 0, false, &w));
    memory_release(&t.mem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_come_back),
        cmocka_unit_test(lanes_may_lie_in_several_allocations),
        cmocka_unit_test(each_fault_names_its_lane),
        cmocka_unit_test(lanes_outside_the_mask_do_not_count),
        cmocka_unit_test(lines_are_distinct_and_in_order),
        cmocka_unit_test(a_window_is_given_only_where_it_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
