/* The mesh against closed forms: latency without load, what a link, a memory and a saturated network move,
 * and counters against a walk of every packet's way. Then: however time is cut into windows, the same answers
 * come with the same cycles. The L2 always hits here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem/mem.h"

/* --- a mesh with its partitions between outboxes and inboxes that a test fills and reads */

struct answer {
    struct mresp r;
    u32 sm;
};
struct net {
    struct config c;
    struct partition **parts;
    struct mesh *mesh;
    struct outbox **out; /* [partition][sm] */
    const struct outbox ***outs;
    struct inbox **in;
    u64 now;
    VEC(struct mreq) todo; /* by cycle */
    u32 sent;
    VEC(struct answer) got; /* answers and credits */
};

static struct config mesh_config(u32 width, u32 height, u32 partitions) {
    struct config c;
    memset(&c, 0, sizeof c);
    config_default(&c);
    c.noc_kind = NOC_MESH, c.mesh_width = width, c.mesh_height = height;
    c.partitions = partitions, c.sms = width * height - partitions, c.slices = 1, c.map_hash = MAP_NONE;
    c.core_mhz = c.noc_mhz = c.l2_mhz = c.dram_mhz = 1000;
    c.noc_cy = 8, c.credit_cy = 8, c.flit_b = 32, c.noc_header_b = 8;
    c.l2_cy = 40, c.l2_queue = 64, c.l2_interval = 1, c.l2_ideal = 1;
    return c;
}

static void net_begin(struct net *n, const struct config *c) {
    memset(n, 0, sizeof *n);
    n->c = *c;
    n->parts = base_alloc(c->partitions * sizeof(*n->parts));
    n->out = base_alloc(c->partitions * sizeof(*n->out));
    n->outs = base_alloc(c->partitions * sizeof(*n->outs));
    n->in = base_alloc(c->partitions * sizeof(*n->in));
    for (u32 k = 0; k < c->partitions; k++) {
        n->parts[k] = partition_new(c, k);
        n->out[k] = base_alloc(c->sms * sizeof(**n->out));
        n->outs[k] = base_alloc(c->sms * sizeof(**n->outs));
        n->in[k] = base_alloc(c->sms * sizeof(**n->in));
        for (u32 i = 0; i < c->sms; i++) n->outs[k][i] = &n->out[k][i];
    }
    n->mesh = mesh_new(c, n->parts);
}

static void net_end(struct net *n) {
    for (u32 k = 0; k < n->c.partitions; k++) {
        for (u32 i = 0; i < n->c.sms; i++) {
            free(n->out[k][i].at.at);
            free(n->in[k][i].at.at);
        }
        free(n->out[k]);
        free(n->outs[k]);
        free(n->in[k]);
        partition_free(n->parts[k]);
    }
    mesh_free(n->mesh);
    free(n->out);
    free(n->outs);
    free(n->in);
    free(n->parts);
    free(n->todo.at);
    free(n->got.at);
}

/* A packet of an SM to a partition; with data a write, else a read of that many 32-byte pieces */
static void net_send(struct net *n, u64 cycle, u32 sm, u32 partition, u32 pieces, bool write, u32 token) {
    struct mreq m = {.cycle = cycle,
                     .line = (u64)partition * n->c.map_interleave_b,
                     .sectors = (1u << pieces) - 1,
                     .token = token,
                     .sm = (u16)sm,
                     .kind = write ? MREQ_WRITE : MREQ_READ,
                     .same = 1,
                     .data_b = write ? (u16)(32 * pieces) : 0};
    VEC_PUSH(&n->todo, m);
}

static void take_answers(struct net *n, u64 to) {
    for (u32 k = 0; k < n->c.partitions; k++)
        for (u32 i = 0; i < n->c.sms; i++)
            for (u32 j = 0; j < n->in[k][i].at.n; j++) {
                struct answer a = {n->in[k][i].at.at[j], i};
                assert_true(a.r.cycle >= to); /* D4: not in the window that made it */
                VEC_PUSH(&n->got, a);
            }
}

static void net_window(struct net *n, u64 to) {
    for (u32 k = 0; k < n->c.partitions; k++)
        for (u32 i = 0; i < n->c.sms; i++) n->out[k][i].at.n = 0;
    for (; n->sent < n->todo.n && n->todo.at[n->sent].cycle < to; n->sent++) {
        const struct mreq *m = &n->todo.at[n->sent];
        struct outbox *o = &n->out[map_slice(&n->c, m->line) / n->c.slices][m->sm];
        VEC_PUSH(&o->at, *m);
    }
    mesh_run(n->mesh, n->now, to, (const struct outbox *const *const *)n->outs, n->in);
    mesh_check(n->mesh);
    for (u32 k = 0; k < n->c.partitions; k++) partition_check(n->parts[k]);
    take_answers(n, to);
    n->now = to;
}

static bool net_idle(const struct net *n) {
    if (n->sent < n->todo.n || mesh_next(n->mesh, n->now) != UINT64_MAX) return false;
    for (u32 k = 0; k < n->c.partitions; k++)
        if (partition_next(n->parts[k], n->now) != UINT64_MAX) return false;
    return true;
}

static void net_run(struct net *n, u64 window) {
    while (!net_idle(n)) {
        net_window(n, n->now + (window ? window : mem_min_latency(&n->c)));
        assert_true(n->now < 10000000);
    }
}

/* Cycles of the answers: the first and the last; how many */
static u32 answered(const struct net *n, u64 *first, u64 *last) {
    u32 count = 0;
    *first = UINT64_MAX, *last = 0;
    for (u32 i = 0; i < n->got.n; i++) {
        const struct mresp *r = &n->got.at[i].r;
        if (r->kind == MRESP_CREDIT) continue;
        *first = MIN(*first, r->cycle), *last = MAX(*last, r->cycle);
        count++;
    }
    return count;
}

static u64 sum_of(const struct net *n, size_t counter) {
    u64 sum = 0;
    for (u32 k = 0; k < n->c.partitions; k++) {
        u64 x;
        memcpy(&x, (const u8 *)partition_stats(n->parts[k]) + counter, sizeof x);
        sum += x;
    }
    return sum;
}
#define SUM(n, field) sum_of(n, offsetof(struct mem_stats, field))

/* --- the test's own map: SMs take the nodes that partitions leave, in order */

static u32 sm_node(const struct config *c, u32 sm) {
    for (u32 node = 0;; node++) {
        bool memory = false;
        for (u32 k = 0; k < c->partitions; k++) memory = memory || mesh_memory_node(c, k) == node;
        if (!memory && !sm--) return node;
    }
}

static u32 distance(const struct config *c, u32 a, u32 b) {
    u32 w = c->mesh_width;
    return (u32)(abs((int)(a % w) - (int)(b % w)) + abs((int)(a / w) - (int)(b / w)));
}

/* Flits over each link on the way from a to b, row first: load[node][direction] */
static void walk(const struct config *c, u32 a, u32 b, u32 flits, u64 (*load)[4]) {
    u32 w = c->mesh_width;
    while (a != b) {
        u32 to = a % w < b % w ? a + 1 : a % w > b % w ? a - 1 : a < b ? a + w : a - w;
        load[a][to == a + 1 ? 0 : to + 1 == a ? 1 : to > a ? 2 : 3] += flits;
        a = to;
    }
}

static u32 flits_of(const struct config *c, u32 data_b) { return (c->noc_header_b + data_b + c->flit_b - 1) / c->flit_b; }

/* --- latency */

static void alone(const struct config *c, u32 sm, u32 partition, u32 pieces, bool write) {
    struct net n;
    net_begin(&n, c);
    net_send(&n, 5, sm, partition, pieces, write, 1);
    net_run(&n, 0);
    u64 first, last;
    assert_int_equal(answered(&n, &first, &last), 1);
    u32 links = distance(c, sm_node(c, sm), mesh_memory_node(c, partition));
    u32 there = flits_of(c, write ? 32 * pieces : 0), back = flits_of(c, write ? 0 : 32 * pieces);
    u32 way = (links + 1) * (c->mesh_link_cy + c->mesh_router_cy) + c->noc_cy;
    assert_int_equal(first, 5 + way + there - 1 + c->l2_cy + way + back - 1);
    assert_int_equal(SUM(&n, mesh_hops), links * (there + back));
    assert_int_equal(SUM(&n, noc_wait_in) + SUM(&n, noc_wait_out), 0);
    net_end(&n);
}

static void latency_without_load_is_the_closed_form(void **state) {
    (void)state;
    static const struct {
        u32 width, height, partitions, place;
    } shapes[] = {{6, 6, 8, PLACE_GPGPUSIM}, {4, 4, 8, PLACE_GPGPUSIM}, {5, 3, 4, PLACE_SPREAD}, {1, 7, 2, PLACE_SPREAD},
                  {9, 1, 3, PLACE_SPREAD},   {4, 6, 7, PLACE_SIDES},    {2, 2, 1, PLACE_SIDES}};
    for (u32 s = 0; s < ARRAY_LEN(shapes); s++) {
        struct config c = mesh_config(shapes[s].width, shapes[s].height, shapes[s].partitions);
        c.mesh_place = shapes[s].place;
        c.mesh_link_cy = 1 + s % 3, c.mesh_router_cy = s % 4, c.mesh_buffer = 2 * c.mesh_link_cy + c.mesh_router_cy;
        for (u32 sm = 0; sm < c.sms; sm += 1 + c.sms / 9)
            for (u32 k = 0; k < c.partitions; k++) alone(&c, sm, k, 1 + (sm + k) % 4, (sm + k) % 2);
    }
}

/* --- throughput */

/* A stream from one SM to one memory: a link moves as many flits as its buffer has credits for in the time of
 * a credit's round, at most one a cycle */
static void a_link_moves_a_buffer_a_round_trip(void **state) {
    (void)state;
    for (u32 buffer = 1; buffer <= 9; buffer++)
        for (u32 link = 1; link <= 2; link++)
            for (u32 router = 0; router <= 3; router++) {
                struct config c = mesh_config(4, 2, 2);
                c.mesh_buffer = buffer, c.mesh_link_cy = link, c.mesh_router_cy = router;
                struct net n;
                net_begin(&n, &c);
                enum { PACKETS = 80 };
                for (u32 i = 0; i < PACKETS; i++) net_send(&n, 0, 0, 1, 4, true, i); /* five flits each */
                net_run(&n, 0);
                u64 first, last, round = 2 * link + router;
                assert_int_equal(answered(&n, &first, &last), PACKETS);
                u64 flits = 5 * (PACKETS - 1), least = MAX(flits, flits * round / buffer);
                if (last - first + round < least || last - first > least + 2 * round)
                    fail_msg("buffer %u link %u router %u: %llu cycles, not about %llu", buffer, link, router,
                             (unsigned long long)(last - first), (unsigned long long)least);
                net_end(&n);
            }
}

/* Everybody writes to one memory: its router lets a flit a cycle out, and no more */
static void a_hot_memory_takes_a_flit_a_cycle(void **state) {
    (void)state;
    for (u32 hot = 0; hot < 8; hot++) {
        struct config c = mesh_config(6, 6, 8);
        c.mesh_place = PLACE_GPGPUSIM;
        struct net n;
        net_begin(&n, &c);
        enum { EACH = 40 };
        for (u32 i = 0; i < EACH; i++)
            for (u32 sm = 0; sm < c.sms; sm++) net_send(&n, 0, sm, hot, 4, true, sm * EACH + i);
        net_run(&n, 0);
        u64 first, last, least = 5ull * (EACH * c.sms - 1);
        assert_int_equal(answered(&n, &first, &last), EACH * c.sms);
        assert_true(last - first >= least && last - first <= least + least / 50);
        net_end(&n);
    }
}

/* Traffic from every SM to every memory, in an order of its own for each: no faster than the fullest link,
 * which is counted; with the room of a buffer for a packet or more, at least half as fast */
static void saturate(struct config *c) {
    struct net n;
    net_begin(&n, c);
    u64 requests[64 * 64][4] = {0}, replies[64 * 64][4] = {0};
    u64 into[128] = {0}, most = 0, hops = 0;
    enum { EACH = 12 };
    for (u32 i = 0; i < EACH * c->partitions; i++)
        for (u32 sm = 0; sm < c->sms; sm++) {
            u32 k = (i + sm * 5) % c->partitions, from = sm_node(c, sm), to = mesh_memory_node(c, k);
            net_send(&n, 0, sm, k, 4, true, i * c->sms + sm);
            walk(c, from, to, 5, requests), walk(c, to, from, 1, replies);
            into[k] += 5, hops += 6ull * distance(c, from, to);
        }
    for (u32 node = 0; node < c->mesh_width * c->mesh_height; node++)
        for (u32 d = 0; d < 4; d++) most = MAX(most, MAX(requests[node][d], replies[node][d]));
    net_run(&n, 0);
    u64 first, last, bound = most;
    for (u32 k = 0; k < c->partitions; k++) bound = MAX(bound, into[k]);
    assert_int_equal(answered(&n, &first, &last), EACH * c->partitions * c->sms);
    assert_int_equal(SUM(&n, mesh_hops), hops);
    assert_int_equal(SUM(&n, mesh_link_peak), most);
    if (last < bound || last > 2 * bound + 200)
        fail_msg("%u x %u: %llu cycles, the bound is %llu", c->mesh_width, c->mesh_height, (unsigned long long)last,
                 (unsigned long long)bound);
    net_end(&n);
}

static void a_saturated_mesh_stays_below_its_fullest_link(void **state) {
    (void)state;
    static const u32 shapes[][4] = {
        {6, 6, 8, PLACE_GPGPUSIM}, {6, 6, 8, PLACE_SIDES}, {8, 3, 4, PLACE_SPREAD}, {3, 7, 5, PLACE_SPREAD}};
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++) {
        struct config c = mesh_config(shapes[i][0], shapes[i][1], shapes[i][2]);
        c.mesh_place = shapes[i][3];
        saturate(&c);
    }
}

/* Memories in the middle column, and in each row the three SMs before it write to that of their row: all of
 * them go over one link, which moves a flit a cycle */
static void a_cut_through_the_middle_is_filled(void **state) {
    (void)state;
    struct config c = mesh_config(6, 6, 6);
    c.partitions = 6, c.mesh_place = PLACE_SPREAD; /* nodes 3, 9, 15, ...: column 3 of each row */
    c.sms = 30;
    struct net n;
    net_begin(&n, &c);
    for (u32 k = 0; k < 6; k++) assert_int_equal(mesh_memory_node(&c, k), 6 * k + 3);
    enum { EACH = 60 };
    u32 sent = 0;
    for (u32 i = 0; i < EACH; i++)
        for (u32 sm = 0; sm < c.sms; sm++)
            if (sm_node(&c, sm) % 6 < 3) net_send(&n, 0, sm, sm_node(&c, sm) / 6, 4, true, sent++);
    net_run(&n, 0);
    u64 first, last, least = 5ull * (3 * EACH - 1); /* each row's three SMs through one link */
    assert_int_equal(answered(&n, &first, &last), sent);
    assert_true(last - first >= least && last - first <= least + least / 50);
    assert_int_equal(SUM(&n, mesh_link_peak), 5 * 3 * EACH);
    net_end(&n);
}

/* A slice that takes a packet every ten cycles fills its queue, then the mesh before it: nothing is lost, and
 * credits of the SM stop coming */
static void a_slow_slice_is_felt_by_the_sender(void **state) {
    (void)state;
    struct config c = mesh_config(3, 1, 1);
    c.l2_queue = 2, c.l2_interval = 10, c.mesh_buffer = 4;
    struct net n;
    net_begin(&n, &c);
    enum { PACKETS = 60 };
    for (u32 i = 0; i < PACKETS; i++) net_send(&n, 0, 0, 0, 4, true, i);
    net_run(&n, 0);
    u64 first, last, credit = 0;
    assert_int_equal(answered(&n, &first, &last), PACKETS);
    assert_int_equal(last - first, 10 * (PACKETS - 1));
    for (u32 i = 0; i < n.got.n; i++)
        if (n.got.at[i].r.kind == MRESP_CREDIT) credit = MAX(credit, n.got.at[i].r.cycle);
    assert_true(credit > 10 * (PACKETS - 8)); /* two in the queue, a few flits in routers: the rest waited outside */
    net_end(&n);
}

/* --- windows */

static u64 random_next(u64 *s) {
    *s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
    return *s;
}

static void random_traffic(struct net *n, u32 packets) {
    u64 seed = 0x9E3779B97F4A7C15ull, cycle = 0;
    for (u32 i = 0; i < packets; i++) {
        u64 r = random_next(&seed);
        cycle += r % 31 == 0 ? r / 31 % 500 : r % 3 == 0;
        net_send(n, cycle, (u32)(r >> 8) % n->c.sms, (u32)(r >> 20) % n->c.partitions, 1 + (u32)(r >> 32) % 4, r >> 40 & 1, i);
    }
}

static int by_place(const void *a, const void *b) {
    const struct answer *x = a, *y = b;
    if (x->r.cycle != y->r.cycle) return x->r.cycle < y->r.cycle ? -1 : 1;
    if (x->r.kind != y->r.kind) return x->r.kind < y->r.kind ? -1 : 1;
    if (x->sm != y->sm) return x->sm < y->sm ? -1 : 1;
    return x->r.token < y->r.token ? -1 : x->r.token > y->r.token;
}

static void run_cut(struct net *n, const struct config *c, u64 window) {
    net_begin(n, c);
    random_traffic(n, 1500);
    net_run(n, window);
    net_window(n, 200000); /* the same end for all */
    qsort(n->got.at, n->got.n, sizeof *n->got.at, by_place);
}

static void assert_same(const struct net *a, const struct net *b) {
    assert_int_equal(a->got.n, b->got.n);
    for (u32 i = 0; i < a->got.n; i++) assert_int_equal(by_place(&a->got.at[i], &b->got.at[i]), 0);
#define COUNTER(id, unit, doc) assert_int_equal(SUM(a, id), SUM(b, id));
#include "mem/mem_stats.def"
#undef COUNTER
}

static void windows_do_not_matter(void **state) {
    (void)state;
    for (u32 s = 0; s < 6; s++) {
        struct config c = mesh_config(4 + s % 3, 3, 2 + s);
        if (s == 1) c.mesh_buffer = 1, c.l2_queue = 1;
        if (s == 2) c.core_mhz = 1300, c.noc_mhz = 650, c.l2_mhz = 650, c.dram_mhz = 800;
        if (s == 3) c.core_mhz = 500, c.noc_mhz = 1700, c.l2_mhz = 1300, c.noc_cy = 20;
        if (s == 4) c.slices = 2, c.l2_interval = 7, c.l2_queue = 2;
        if (s == 5) c.l2_ideal = 0, c.mesh_link_cy = 3, c.mesh_router_cy = 0;
        struct net whole, cut;
        run_cut(&whole, &c, 0);
        for (u64 window = 1; window <= 3; window += 2) {
            run_cut(&cut, &c, window);
            assert_same(&whole, &cut);
            net_end(&cut);
        }
        net_end(&whole);
    }
}

static void partitions_are_where_they_should_be(void **state) {
    (void)state;
    static const u32 expected[] = {3, 7, 10, 12, 23, 25, 28, 32};
    struct config c = mesh_config(6, 6, 8);
    c.mesh_place = PLACE_GPGPUSIM;
    for (u32 k = 0; k < 8; k++) assert_int_equal(mesh_memory_node(&c, k), expected[k]);
    assert_int_equal(mesh_links(&c), 2 * 2 * (5 * 6 + 5 * 6));
    for (u32 w = 1; w <= 9; w++)
        for (u32 h = 1; h <= 9; h++)
            for (u32 n = 1; n < w * h; n++)
                for (u32 place = PLACE_SPREAD; place <= PLACE_SIDES; place++) {
                    struct diag d = {0};
                    c = mesh_config(w, h, n);
                    c.mesh_place = place;
                    if (place == PLACE_SIDES && !config_check(&c, &d)) {
                        diag_free(&d);
                        continue;
                    }
                    u8 seen[81] = {0};
                    for (u32 k = 0; k < n; k++) {
                        u32 node = mesh_memory_node(&c, k);
                        assert_true(node < w * h && !seen[node]++);
                        if (place == PLACE_SIDES) assert_true(node < w || node >= w * (h - 1));
                    }
                    diag_free(&d);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_without_load_is_the_closed_form),
        cmocka_unit_test(a_link_moves_a_buffer_a_round_trip),
        cmocka_unit_test(a_hot_memory_takes_a_flit_a_cycle),
        cmocka_unit_test(a_saturated_mesh_stays_below_its_fullest_link),
        cmocka_unit_test(a_cut_through_the_middle_is_filled),
        cmocka_unit_test(a_slow_slice_is_felt_by_the_sender),
        cmocka_unit_test(windows_do_not_matter),
        cmocka_unit_test(partitions_are_where_they_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
