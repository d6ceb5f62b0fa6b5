/* Device memory: what is allocated, below an address too, and what is mapped at a fixed place. */
#include "func/func.h"
#include "func/rowops.h"
#include "heddle.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#define GIB (1ull << 30)

static struct memory fresh(void) { return (struct memory){.limit_b = 16 * GIB}; }

static u64 get(struct memory *m, u64 bytes) { return memory_alloc(m, bytes, 256, OWNER_HOST, false); }
static u64 get_low(struct memory *m, u64 bytes, u64 below) { return memory_alloc_below(m, bytes, 256, below, OWNER_HOST, false); }
static const char *map(struct memory *m, u64 base, u64 bytes) { return memory_map(m, base, bytes, OWNER_MODULE, false); }

/* M1 and M2 */
static void check(const struct memory *m) {
    u64 used = 0;
    for (u32 i = 0; i < m->allocs.n; i++) {
        const struct alloc *a = &m->allocs.at[i];
        if (i) assert_true(a[-1].base + a[-1].size_b <= a->base && a[-1].base < a->base);
        if (a->host) used += a->size_b;
    }
    assert_int_equal(used, m->used_b);
}

static void a_mapping_lies_where_it_was_asked_for(void **state) {
    (void)state;
    struct memory m = fresh();
    u64 a = get(&m, 4096);
    assert_null(map(&m, 0x80000000, 0x3000));
    assert_null(map(&m, 0x40, 64));
    u64 b = get(&m, 4096);
    check(&m);
    assert_int_equal(a, GLOBAL_BASE);
    assert_int_equal(b, GLOBAL_BASE + 4096 + 256);
    assert_int_equal(memory_find(&m, 0x80002FFF)->base, 0x80000000);
    assert_null(memory_find(&m, 0x80003000));
    assert_null(memory_find(&m, 0x80));
    for (u32 i = 0; i < 0x3000; i++) assert_int_equal(memory_host(&m, 0x80000000, 0x3000)[i], 0);
    memory_host(&m, 0x80000000, 4)[0] = 77;
    assert_false(memory_free(&m, 0x80000000, OWNER_HOST));
    assert_true(memory_free(&m, 0x80000000, OWNER_MODULE));
    assert_null(memory_host(&m, 0x80000000, 1));
    assert_null(map(&m, 0x80000000, 0x3000)); /* and again: what was freed gives way */
    assert_int_equal(memory_host(&m, 0x80000000, 4)[0], 0);
    check(&m);
    memory_release(&m);
}

static void a_mapping_that_overlaps_is_refused(void **state) {
    (void)state;
    struct memory m = fresh();
    u64 a = get(&m, 4096);
    assert_null(map(&m, 0x80000000, 4096));
    static const char over[] = "it overlaps memory that is in use";
    const u64 bad[][2] = {{0x80000000, 4096}, {0x80000000, 64},      {0x80000000 + 4032, 64},  {0x80000000 - 64, 128},
                          {0x7FF00000, GIB},  {0x80000000 + 64, 64}, {0x80000000 - 4096, 4160}};
    for (u32 i = 0; i < ARRAY_LEN(bad); i++) assert_string_equal(map(&m, bad[i][0], bad[i][1]), over);
    assert_string_equal(map(&m, a + 64, 64), over);
    assert_string_equal(map(&m, a - 64, 128), over);
    assert_null(map(&m, 0x80000000 + 4096, 64)); /* right behind and right before */
    assert_null(map(&m, 0x80000000 - 64, 64));
    assert_string_equal(map(&m, 0x90000020, 64), "its address is not a multiple of 64");
    static const char outside[] = "it is not inside the memory of programs";
    assert_string_equal(map(&m, 0, 64), outside);
    assert_string_equal(map(&m, 0x90000000, 0), outside);
    assert_string_equal(map(&m, GLOBAL_END, 64), outside);
    assert_string_equal(map(&m, GLOBAL_END - 64, 128), outside);
    assert_string_equal(map(&m, ~63ull, 128), outside);
    assert_string_equal(map(&m, 0x90000000, ~0ull), outside);
    assert_string_equal(map(&m, 0x90000000, 17 * GIB), "it is more than the limit on device memory");
    check(&m);
    assert_int_equal(m.used_b, 4096 + 4096 + 128);
    memory_release(&m);
}

/* A refused mapping forgets nothing of what was freed; one that is made forgets all it covers. */
static void freed_memory_stays_known(void **state) {
    (void)state;
    struct memory m = fresh();
    u64 a = get(&m, 256), b = get(&m, 256), c = get(&m, 256);
    assert_true(memory_free(&m, a, OWNER_HOST));
    assert_true(memory_free(&m, b, OWNER_HOST));
    assert_non_null(map(&m, a, c + 256 - a));
    assert_non_null(memory_find(&m, a));
    assert_non_null(memory_find(&m, b + 255));
    assert_null(map(&m, a + 64, b - a));
    check(&m);
    assert_int_equal(memory_find(&m, b)->base, a + 64);
    assert_null(memory_find(&m, a));
    assert_null(memory_find(&m, b + 255));
    memory_release(&m);
}

static void allocations_go_around_mappings(void **state) {
    (void)state;
    struct memory m = fresh();
    assert_null(map(&m, GLOBAL_BASE + 0x1000, 0x1000));
    assert_int_equal(get(&m, 0x2000), GLOBAL_BASE + 0x2100); /* not before it: too small, with the gap */
    assert_null(map(&m, GLOBAL_BASE + 0x4300, 0x40));
    assert_int_equal(get(&m, 0x100), GLOBAL_BASE + 0x4500);
    assert_int_equal(get(&m, 0x100), GLOBAL_BASE + 0x4700);
    check(&m);
    memory_release(&m);
}

/* `next` is set by hand: the test does not want gigabytes */
static void programs_of_32_bits_get_low_addresses(void **state) {
    (void)state;
    struct memory m = fresh();
    assert_int_equal(get_low(&m, 4096, 4 * GIB), GLOBAL_BASE);
    m.next = 4 * GIB - 4096;
    u64 b = get(&m, 8192);
    assert_int_equal(b, 4 * GIB - 4096); /* past 4 GiB from here on */
    u64 c = get_low(&m, 4096, 4 * GIB), d = get_low(&m, 4096, 4 * GIB);
    assert_int_equal(c, LOW_BASE);
    assert_int_equal(d, LOW_BASE + 4096 + 256);
    assert_true(memory_free(&m, c, OWNER_HOST));
    assert_true(get_low(&m, 4096, 4 * GIB) > d); /* an address is not given twice */
    assert_int_equal(get_low(&m, 4 * GIB, 4 * GIB), 0);
    assert_int_equal(get_low(&m, 4096, LOW_BASE + 4095), 0);
    assert_int_equal(get(&m, 64), b + 8192 + 256);
    check(&m);
    memory_release(&m);
}

static void exactly_below(void **state) {
    (void)state;
    struct memory m = fresh();
    assert_int_equal(get_low(&m, 4096, GLOBAL_BASE + 4095), LOW_BASE); /* not at GLOBAL_BASE: one byte too many */
    assert_int_equal(get_low(&m, 4096, GLOBAL_BASE + 4096), GLOBAL_BASE);
    assert_int_equal(get(&m, 17 * GIB), 0);
    assert_int_equal(get_low(&m, ~0ull, ~0ull), 0);
    check(&m);
    memory_release(&m);
}

/* Loads and stores reach mapped memory, and the two sides of a gap are two allocations */
static void accesses_reach_mappings(void **state) {
    (void)state;
    struct memory m = fresh();
    assert_null(map(&m, 0x80000000, 256));
    assert_null(map(&m, 0xA0000000, 256));
    struct memport port = memport_direct(&m);
    u64 addr[SLAB_LANES];
    u32 hint = 0, data[SLAB_LANES], back[SLAB_LANES];
    for (u32 l = 0; l < SLAB_LANES; l++) addr[l] = (l % 2 ? 0x80000000 : 0xA0000000) + 4ull * l, data[l] = 100 + l;
    struct maccess x = {.mask = ~0u, .size_b = 4, .align_b = 4, .ops = rowops_host(), .hint = &hint, .addr = addr};
    assert_true(port.store(port.ctx, &x, data));
    assert_true(port.load(port.ctx, &x, back));
    assert_memory_equal(data, back, sizeof(data));
    addr[5] = 0x80000100;
    assert_false(port.load(port.ctx, &x, back));
    assert_int_equal(x.fault, FAULT_WILD);
    assert_int_equal(x.fault_lane, 5);
    memory_release(&m);
}

static void the_library_allocates_below(void **state) {
    (void)state;
    struct heddle_options o = {.max_memory_b = 8 * GIB};
    struct heddle *h = heddle_open(&o);
    assert_int_equal(heddle_alloc(h, 256), GLOBAL_BASE);
    assert_true(heddle_alloc_below(h, 4096, 4 * GIB));
    assert_int_equal(heddle_alloc_below(h, 5 * GIB, 4 * GIB), 0);
    assert_string_equal(heddle_message(h), "out of addresses: no room for 5368709120 bytes below 0x100000000\n");
    assert_int_equal(heddle_alloc_below(h, 9 * GIB, 4 * GIB), 0);
    assert_string_equal(heddle_message(h), "out of device memory: 9663676416 bytes asked for, 4352 of 8589934592 in use\n");
    heddle_close(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapping_lies_where_it_was_asked_for),
        cmocka_unit_test(a_mapping_that_overlaps_is_refused),
        cmocka_unit_test(freed_memory_stays_known),
        cmocka_unit_test(allocations_go_around_mappings),
        cmocka_unit_test(programs_of_32_bits_get_low_addresses),
        cmocka_unit_test(exactly_below),
        cmocka_unit_test(accesses_reach_mappings),
        cmocka_unit_test(the_library_allocates_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
