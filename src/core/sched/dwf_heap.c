/* A max-heap of pcs by the number of threads that wait there, with a table that says which entry a pc has.
 *
 * Its bounds are those of hardware (Fung, Sham, Yuan, Aamodt, TACO 2009, and their simulator's
 * MAJORITY_MAXHEAP: 128 entries, a table of 32, four ports of each kind). Heap and table are memories with
 * ports: each kind of access (heap or table, read or write) is made `ports` times a cycle. Threads that come
 * to a pc are counted at once, and the accesses for that, up to the root, are due from then on; the root can
 * be taken only when none are due. A pc that the table has forgotten, the one asked for longest ago, gets a
 * second entry when threads come to it again: its threads are then counted apart. Of equals the lower pc is
 * above.
 *
 * Not modelled: sets of the table (theirs has four ways; here any pc may have any row).
 *
 * Invariants (tests/unit/test_dwf_heap.c): M1 no entry is above one with more threads; M2 a row that is in
 * use names the entry of its pc, which names it. */
#include "core/sched_policy.h"

size_t dwf_heap_size(u32 size, u32 rows) { return rows * sizeof(struct heap_row) + size * sizeof(struct heap_entry); }

void dwf_heap_init(struct dwf_heap *h, void *memory, u32 size, u32 rows, u32 ports) {
    *h = (struct dwf_heap){.size = size, .rows = rows, .ports = ports, .row = memory};
    h->entry = (struct heap_entry *)(void *)(h->row + rows);
    for (u32 i = 0; i < rows; i++) h->row[i] = (struct heap_row){.pc = NONE};
}

void dwf_heap_elapse(struct dwf_heap *h, u64 now) {
    u64 made = (now - h->now) * h->ports;
    h->now = now;
    for (u32 k = 0; k < HEAP_PORTS; k++) h->due[k] -= (u32)MIN(made, (u64)h->due[k]);
}

bool dwf_heap_busy(const struct dwf_heap *h) {
    return h->due[HEAP_READ] || h->due[HEAP_WRITE] || h->due[TABLE_READ] || h->due[TABLE_WRITE];
}

static bool is_above(const struct heap_entry *a, const struct heap_entry *b) {
    return a->threads > b->threads || (a->threads == b->threads && a->pc < b->pc);
}

static void put(struct dwf_heap *h, u32 at, struct heap_entry e) {
    h->entry[at] = e;
    h->due[HEAP_WRITE]++;
    if (e.row == NONE) return;
    h->row[e.row].at = at;
    h->due[TABLE_WRITE]++;
}

static void swap(struct dwf_heap *h, u32 a, u32 b) {
    struct heap_entry x = h->entry[a];
    put(h, a, h->entry[b]);
    put(h, b, x);
}

static void rise(struct dwf_heap *h, u32 at) {
    for (; at; at = (at - 1) / 2) {
        h->due[HEAP_READ] += 2;
        if (!is_above(&h->entry[at], &h->entry[(at - 1) / 2])) return;
        swap(h, at, (at - 1) / 2);
    }
}

static void sink(struct dwf_heap *h) {
    for (u32 at = 0, child = 1; child < h->n; at = child, child = 2 * at + 1) {
        h->due[HEAP_READ]++; /* both children lie side by side */
        if (child + 1 < h->n && is_above(&h->entry[child + 1], &h->entry[child])) child++;
        if (!is_above(&h->entry[child], &h->entry[at])) return;
        swap(h, at, child);
    }
}

/* The pc's row, or the one that makes room */
static u32 row_of(const struct dwf_heap *h, i32 pc) {
    u32 oldest = 0;
    for (u32 i = 0; i < h->rows; i++) {
        if (h->row[i].pc == pc) return i;
        if (h->row[i].used < h->row[oldest].used) oldest = i;
    }
    return oldest;
}

bool dwf_heap_add(struct dwf_heap *h, i32 pc, u32 threads) {
    u32 r = row_of(h, pc);
    struct heap_row *row = &h->row[r];
    bool known = row->pc == pc;
    if (!known && h->n == h->size) return false;
    h->due[TABLE_READ]++;
    row->used = ++h->uses;
    if (known) {
        h->entry[row->at].threads += threads;
        h->due[HEAP_READ]++, h->due[HEAP_WRITE]++;
    } else {
        if (row->pc != NONE) h->entry[row->at].row = NONE, h->due[HEAP_WRITE]++;
        row->pc = pc;
        put(h, h->n++, (struct heap_entry){pc, threads, (i32)r});
    }
    rise(h, row->at);
    return true;
}

bool dwf_heap_pop(struct dwf_heap *h, i32 *pc) {
    if (!h->n) return false;
    struct heap_entry root = h->entry[0];
    *pc = root.pc;
    h->due[HEAP_READ] += 2;
    if (root.row != NONE) {
        h->row[root.row] = (struct heap_row){.pc = NONE};
        h->due[TABLE_READ]++, h->due[TABLE_WRITE]++;
    }
    if (--h->n) put(h, 0, h->entry[h->n]);
    sink(h);
    return true;
}
