/* However time is cut into windows, the same responses come with the same cycles and in the same order, and
 * every counter is equal. Random traffic of all kinds on machines of many shapes, with invariants walked
 * every few windows. */
#include "mem_play.h"

struct shape {
    const char *name;
    void (*set)(struct config *c);
};

static void shape_plain(struct config *c) { (void)c; }
static void shape_clocks(struct config *c) {
    c->core_mhz = 1400, c->noc_mhz = 700, c->l2_mhz = 700, c->dram_mhz = 1800;
    c->slices = 3;
}
static void shape_fast_noc(struct config *c) {
    c->core_mhz = 500, c->noc_mhz = 1700, c->l2_mhz = 1300, c->dram_mhz = 900;
    c->noc_cy = 40, c->slices = 2;
}
static void shape_torture(struct config *c) {
    c->l2_queue = c->l2_mshrs = c->l2_merge = c->dram_queue = 1;
    c->l2_sets = 2, c->l2_ways = 1, c->slices = 2;
}
static void shape_small_lines(struct config *c) {
    c->l2_line_b = 32, c->l2_sector_b = 32, c->slices = 2, c->l2_mshrs = 6, c->l2_merge = 2, c->dram_queue = 5;
}
static void shape_fixed(struct config *c) { c->dram_kind = DRAM_FIXED, c->slices = 2, c->dram_queue = 7, c->dram_extra_cy = 3; }
static void shape_fcfs_refresh(struct config *c) {
    c->dram_sched = DRAM_FCFS, c->t_refi = 500, c->t_rfc = 60, c->l2_atomic_cy = 4, c->slices = 4, c->map_hash = MAP_XOR;
}
static void shape_refresh(struct config *c) {
    c->t_refi = 333, c->t_rfc = 50, c->slices = 2, c->dram_mhz = 1333, c->dram_bus_b = 8, c->l2_replace = REPLACE_FIFO;
}
static void shape_ideal(struct config *c) { c->noc_ideal = 1, c->l2_queue = 2; }
static void shape_ideal_l2(struct config *c) { c->l2_ideal = 1, c->slices = 2, c->l2_atomic_cy = 3; }
static void shape_short_rows(struct config *c) {
    c->dram_row_b = 64, c->dram_burst_b = 16, c->dram_banks = 4, c->l2_sector_b = 128, c->slices = 2;
}
static void shape_long_bursts(struct config *c) { c->dram_burst_b = 64, c->dram_bus_b = 16, c->dram_banks = 128; }

static const struct shape shapes[] = {
    {"plain", shape_plain},
    {"clocks", shape_clocks},
    {"fast_noc", shape_fast_noc},
    {"torture", shape_torture},
    {"small_lines", shape_small_lines},
    {"fixed", shape_fixed},
    {"fcfs_refresh", shape_fcfs_refresh},
    {"refresh", shape_refresh},
    {"ideal", shape_ideal},
    {"ideal_l2", shape_ideal_l2},
    {"short_rows", shape_short_rows},
    {"long_bursts", shape_long_bursts},
};

/* Bursts of packets from all SMs with pauses between, over few enough lines that they meet */
static void random_traffic(struct play *w, u64 seed, u32 n) {
    u64 cycle = 0, state = seed;
    u32 sm = 0;
    for (u32 i = 0; i < n; i++) {
        u64 r = play_random(&state);
        if (r % 4 == 0 || sm + 1 >= w->c.sms) {
            cycle += r % 97 == 0 ? 1 + r / 97 % 3000 : 1 + r / 4 % 3;
            sm = 0;
        } else {
            sm++;
        }
        u32 kind = (u32)(r >> 10) % 8;
        struct mreq m = {
            .cycle = cycle,
            .line = (r >> 13) % 512 * 128,
            .sectors = (u32)(r >> 23) % 15 + 1,
            .token = i,
            .sm = (u16)sm,
            .kind = kind < 4   ? MREQ_READ
                    : kind < 6 ? MREQ_WRITE
                    : kind < 7 ? MREQ_ATOMIC
                               : MREQ_RED,
            .same = (u8)((r >> 27) % 5 + 1),
        };
        if (m.kind != MREQ_READ) m.data_b = (u16)(32 * __builtin_popcount(m.sectors));
        if (m.kind >= MREQ_ATOMIC) m.atomic = (void *)(uintptr_t)(i + 1);
        play_send(w, m);
    }
}

static void shape_config(struct config *c, const struct shape *s) {
    *c = play_config();
    c->sms = 3;
    c->l2_sets = 8, c->l2_ways = 2, c->l2_queue = 4, c->l2_mshrs = 8, c->l2_merge = 3;
    s->set(c);
}

static void run_shape(struct play *w, const struct shape *s, u64 q) {
    struct config c;
    shape_config(&c, s);
    play_begin(w, &c);
    w->check = q == 1 ? 23 : 5;
    random_traffic(w, 0x9E3779B97F4A7C15ull, 2000);
    q = q ? q : mem_min_latency(&c);
    while (w->sent < w->todo.n || partition_next(w->p, w->now) != UINT64_MAX) play_window(w, w->now + q);
    play_window(w, 300000); /* the same end for all */
}

/* Messages of one kind to one SM, in the order they came */
static u32 of_kind(const struct play *w, bool credits, u32 sm, struct mresp *out) {
    u32 n = 0;
    for (u32 i = 0; i < w->got.n; i++)
        if ((w->got.at[i].r.kind == MRESP_CREDIT) == credits && w->got.at[i].sm == sm) out[n++] = w->got.at[i].r;
    return n;
}

static void assert_same(const struct play *a, const struct play *b, const char *name) {
    struct mresp *x = base_alloc(a->got.n * sizeof *x), *y = base_alloc(b->got.n * sizeof *y);
    for (u32 sm = 0; sm < a->c.sms; sm++)
        for (int credits = 0; credits < 2; credits++) {
            u32 n = of_kind(a, credits, sm, x), m = of_kind(b, credits, sm, y);
            if (n != m) fail_msg("%s: %u and %u messages", name, n, m);
            for (u32 i = 0; i < n; i++)
                if (x[i].cycle != y[i].cycle || x[i].token != y[i].token || x[i].hit != y[i].hit || x[i].data_b != y[i].data_b)
                    fail_msg("%s: message %u: token %u at %llu, token %u at %llu", name, i, x[i].token,
                             (unsigned long long)x[i].cycle, y[i].token, (unsigned long long)y[i].cycle);
        }
    free(x);
    free(y);
    assert_int_equal(a->performed.n, b->performed.n);
    for (u32 i = 0; i < a->performed.n; i++) {
        assert_int_equal(a->performed.at[i].cycle, b->performed.at[i].cycle);
        assert_ptr_equal(a->performed.at[i].atomic, b->performed.at[i].atomic);
    }
#define COUNTER(id, unit, doc)                                                                                                   \
    if (partition_stats(a->p)->id != partition_stats(b->p)->id)                                                                  \
        fail_msg("%s: " #id " is %llu and %llu", name, (unsigned long long)partition_stats(a->p)->id,                            \
                 (unsigned long long)partition_stats(b->p)->id);
#include "mem/mem_stats.def"
#undef COUNTER
}

static void windows_do_not_matter(void **state) {
    (void)state;
    static const u64 cuts[] = {1, 3, 7, 0};
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        struct play one, other;
        run_shape(&one, &shapes[i], cuts[0]);
        for (u32 j = 1; j < ARRAY_LEN(cuts); j++) {
            run_shape(&other, &shapes[i], cuts[j]);
            assert_same(&one, &other, shapes[i].name);
            play_end(&other);
        }
        play_end(&one);
    }
}

/* Each packet has one credit and one answer, each atomic is performed once, and the counters add up */
static void nothing_is_lost(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        struct play w;
        run_shape(&w, &shapes[i], 0);
        u32 atomics = 0;
        u8 *answers = base_alloc(w.todo.n), *credits = base_alloc(w.todo.n);
        for (u32 k = 0; k < w.got.n; k++) (w.got.at[k].r.kind == MRESP_CREDIT ? credits : answers)[w.got.at[k].r.token]++;
        for (u32 k = 0; k < w.todo.n; k++) {
            assert_int_equal(answers[k], 1);
            assert_int_equal(credits[k], 1);
            atomics += w.todo.at[k].kind >= MREQ_ATOMIC;
        }
        free(answers);
        free(credits);
        assert_int_equal(w.performed.n, atomics);
        const struct mem_stats *s = partition_stats(w.p);
        assert_int_equal(s->noc_packets_in, w.todo.n);
        assert_int_equal(s->noc_packets_out, w.todo.n);
        assert_int_equal(s->l2_accesses, s->l2_reads + s->l2_writes + s->l2_atomics);
        assert_int_equal(s->l2_accesses, s->l2_hits + s->l2_misses + s->l2_merged + s->l2_validated);
        if (w.c.dram_kind == DRAM_BANKED)
            assert_int_equal(s->dram_reads + s->dram_writes, s->dram_row_hits + s->dram_row_empty + s->dram_row_conflicts);
        assert_true(s->dram_bus_busy <= s->dram_cycles);
        play_end(&w);
    }
}

/* An atomic is performed before its answer can be used: in a window before that of its arrival */
static void atomics_come_before_their_answers(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        struct play w;
        run_shape(&w, &shapes[i], 0);
        u64 last = 0;
        for (u32 k = 0; k < w.performed.n; k++) {
            assert_true(w.performed.at[k].cycle >= last);
            last = w.performed.at[k].cycle;
            assert_true(last < play_answer(&w, (u32)((uintptr_t)w.performed.at[k].atomic - 1)));
        }
        play_end(&w);
    }
}

/* A window that ends before partition_next brings nothing, and leaving it out changes nothing */
static void sleeping_windows_can_be_left_out(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        struct play one, other;
        run_shape(&one, &shapes[i], 1);
        struct config c;
        shape_config(&c, &shapes[i]);
        play_begin(&other, &c);
        other.check = 23;
        random_traffic(&other, 0x9E3779B97F4A7C15ull, 2000);
        for (;;) {
            u64 next = partition_next(other.p, other.now);
            if (other.sent < other.todo.n) next = MIN(next, other.todo.at[other.sent].cycle);
            if (next == UINT64_MAX) break;
            assert_true(next >= other.now);
            other.now = next;
            play_window(&other, next + 1);
        }
        play_window(&other, 300000);
        assert_same(&one, &other, shapes[i].name);
        play_end(&one);
        play_end(&other);
    }
}

/* In an inbox messages stand in order of cycle */
static void inboxes_are_in_order(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        struct play w;
        run_shape(&w, &shapes[i], 0);
        for (u32 k = 1; k < w.got.n; k++)
            if (w.got.at[k].sm == w.got.at[k - 1].sm && w.got.at[k].window == w.got.at[k - 1].window)
                assert_true(w.got.at[k].r.cycle >= w.got.at[k - 1].r.cycle);
        play_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_do_not_matter),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(atomics_come_before_their_answers),
        cmocka_unit_test(sleeping_windows_can_be_left_out),
        cmocka_unit_test(inboxes_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
