/* The heap of the majority policy: what it takes is what a search finds, and its bounds are bounds. */
#include "core/sched_policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static u32 below(u64 *seed, u32 n) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(*seed >> 33) % n;
}

static void *open_heap(struct dwf_heap *h, u32 size, u32 rows, u32 ports) {
    void *memory = base_alloc(dwf_heap_size(size, rows));
    dwf_heap_init(h, memory, size, rows, ports);
    return memory;
}

static void check(const struct dwf_heap *h) {
    u32 named = 0;
    for (u32 i = 1; i < h->n; i++) {
        const struct heap_entry *up = &h->entry[(i - 1) / 2], *x = &h->entry[i];
        assert_true(up->threads > x->threads || (up->threads == x->threads && up->pc <= x->pc)); /* M1 */
    }
    for (u32 i = 0; i < h->n; i++) {
        i32 r = h->entry[i].row;
        if (r == NONE) continue;
        named++;
        assert_true(h->row[r].pc == h->entry[i].pc && h->row[r].at == i); /* M2 */
    }
    for (u32 i = 0; i < h->rows; i++) named -= h->row[i].pc != NONE;
    assert_int_equal(named, 0);
}

/* With a row for each pc: the root is the pc of most threads, of equals the lowest */
static void takes_what_a_search_finds(void **state) {
    (void)state;
    enum { PCS = 40 };
    u32 threads[PCS] = {0};
    u64 seed = 1;
    struct dwf_heap h;
    void *memory = open_heap(&h, PCS, PCS, 4);
    for (u32 i = 0; i < 100000; i++) {
        u32 pc = below(&seed, PCS), n = 1 + below(&seed, 32), best = 0;
        if (below(&seed, 3)) {
            assert_true(dwf_heap_add(&h, (i32)pc, n));
            threads[pc] += n;
            continue;
        }
        for (u32 k = 0; k < PCS; k++)
            if (threads[k] > threads[best]) best = k;
        i32 got = NONE;
        assert_int_equal(dwf_heap_pop(&h, &got), threads[best] > 0);
        if (got != NONE) assert_int_equal(got, best);
        threads[best] = 0;
        if (i % 50 == 0) check(&h);
    }
    free(memory);
}

/* A pc that the table has forgotten is counted apart from then on; a full heap takes no pc more */
static void a_small_table_counts_apart(void **state) {
    (void)state;
    struct dwf_heap h;
    void *memory = open_heap(&h, 3, 1, 4);
    i32 pc = NONE;
    assert_true(dwf_heap_add(&h, 7, 10));
    assert_true(dwf_heap_add(&h, 8, 12));
    assert_true(dwf_heap_add(&h, 7, 10)); /* 20 in all, in two entries */
    assert_int_equal(h.n, 3);
    check(&h);
    assert_false(dwf_heap_add(&h, 9, 1));
    assert_true(dwf_heap_add(&h, 7, 1)); /* the last entry's */
    assert_true(dwf_heap_pop(&h, &pc) && pc == 8);
    assert_true(dwf_heap_pop(&h, &pc) && pc == 7);
    assert_true(dwf_heap_add(&h, 9, 1));
    check(&h);
    free(memory);
}

/* The first pc: a table read and write, a heap write. The second, above it: two reads of the heap to compare,
 * and with the swap three writes of each. One port makes them in three cycles. */
static void accesses_take_ports(void **state) {
    (void)state;
    struct dwf_heap h;
    void *memory = open_heap(&h, 8, 8, 1);
    assert_false(dwf_heap_busy(&h));
    assert_true(dwf_heap_add(&h, 1, 1));
    dwf_heap_elapse(&h, 1);
    assert_false(dwf_heap_busy(&h));
    assert_true(dwf_heap_add(&h, 2, 5));
    assert_true(h.due[HEAP_READ] == 2 && h.due[HEAP_WRITE] == 3 && h.due[TABLE_READ] == 1 && h.due[TABLE_WRITE] == 3);
    dwf_heap_elapse(&h, 3);
    assert_true(dwf_heap_busy(&h));
    dwf_heap_elapse(&h, 4);
    assert_false(dwf_heap_busy(&h));
    free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_what_a_search_finds),
        cmocka_unit_test(a_small_table_counts_apart),
        cmocka_unit_test(accesses_take_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
