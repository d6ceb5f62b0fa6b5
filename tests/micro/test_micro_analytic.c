/* Kernels whose time can be written down: latency, throughput and bandwidth as slopes, so that starts and
 * ends do not count, and occupancy. */
#include "micro.h"

#include <math.h>

/* Cycles of a longer run less those of a shorter one */
static u64 slope(struct micro m, const char *shorter, const char *longer) {
    m.body = shorter;
    micro_run(&m);
    u64 before = ran.cycles;
    m.body = longer;
    micro_run(&m);
    return ran.cycles - before;
}

static void near(double got, double want, double part) {
    if (fabs(got - want) > part * want) fail_msg("%g, expected %g", got, want);
}

/* --- latency */

static void a_chain_of_additions_takes_the_latency_each(void **state) {
    (void)state;
    for (u32 latency = 2; latency <= 40; latency += 19) {
        struct micro m = {.keys = {text("sm.class.fp32.latency_cy=%u", latency)}};
        assert_int_equal(slope(m, repeat(10, "add.f32 %f1, %f1, %f2;\n"), repeat(60, "add.f32 %f1, %f1, %f2;\n")), 50 * latency);
    }
}

static void a_chain_on_the_real_front_end_takes_the_same(void **state) {
    (void)state;
    struct micro m = {.front = true, .keys = {"sm.icache.ideal=true"}};
    assert_int_equal(slope(m, repeat(10, "add.f32 %f1, %f1, %f2;\n"), repeat(60, "add.f32 %f1, %f1, %f2;\n")), 50 * 10);
}

/* --- throughput of units: min(warps x chains / latency, units x lanes / 32 / interval, issue) */

struct rate {
    const char *unit, *class, *one, *two; /* instructions of two chains */
    u32 latency, width, interval;
};

static void expect_rate(const struct rate *r, u32 warps, u32 chains, u32 units, u32 schedulers) {
    enum { SHORT = 20, LONG = 60 };
    struct micro m = {.blocks = warps,
                      .keys = {"gpu.sms=1", "gpu.cta_interval_cy=0", "sm.ctas=48", "sm.warps=48", "sm.threads=1536",
                               "sm.registers=1048576", "sm.banks=64", "sm.bank_ports=8", "sm.collectors=generic:48",
                               text("sm.%s.units=%u", r->unit, units), text("sm.schedulers=%u", schedulers), "sm.int.units=0"}};
    const char *both = chains == 2 ? JOIN(r->one, r->two) : r->one;
    double cycles = (double)slope(m, repeat(SHORT / chains, both), repeat(LONG / chains, both)) / ((LONG - SHORT) * warps);
    double rate = fmin(fmin((double)warps * chains / r->latency, units * r->width / 32.0 / r->interval), schedulers);
    if (fabs(cycles * rate - 1) > 0.03)
        fail_msg("%s: %u warps of %u chains, %u units, %u schedulers: %g instructions a cycle, expected %g", r->class, warps,
                 chains, units, schedulers, 1 / cycles, rate);
}

static void units_reach_their_rate_and_no_more(void **state) {
    (void)state;
    static const struct rate rates[] = {
        {"alu", "fp32", "add.f32 %f1, %f1, %f3;\n", "add.f32 %f2, %f2, %f3;\n", 10, 32, 1},
        {"sfu", "sfu", "sin.approx.f32 %f1, %f1;\n", "sin.approx.f32 %f2, %f2;\n", 20, 8, 1},
        {"fp64", "fp64", "add.f64 %d1, %d1, %d3;\n", "add.f64 %d2, %d2, %d3;\n", 16, 16, 1},
    };
    static const u32 warps[] = {1, 2, 4, 5, 8, 10, 16, 20, 32, 48};
    for (u32 i = 0; i < ARRAY_LEN(rates); i++)
        for (u32 w = 0; w < ARRAY_LEN(warps); w++)
            for (u32 chains = 1; chains <= 2; chains++) expect_rate(&rates[i], warps[w], chains, 1, 1);
    expect_rate(&rates[0], 48, 2, 2, 1); /* issue is the limit */
    expect_rate(&rates[0], 48, 2, 2, 2);
    expect_rate(&rates[0], 48, 2, 1, 2);
    expect_rate(&rates[1], 48, 2, 3, 2);
    expect_rate(&rates[2], 48, 1, 2, 2);
}

/* --- shared memory: an n-way conflict takes n cycles of the stage */

static void conflicts_of_shared_memory_cost_their_ways(void **state) {
    (void)state;
    for (u32 log = 0; log <= 5; log++) {
        struct micro m = {.globals = ".shared .align 16 .b8 s[16384];\n", .threads = 128};
        const char *head = JOIN("mov.u32 %r0, %laneid;\nmov.u32 %r4, s;\n", text("shl.b32 %%r3, %%r0, %u;\n", 2 + log),
                                "add.u32 %r3, %r3, %r4;\n");
        const char *loads = series(8, "ld.shared.u32 %r1#, [%r3];\n"),
                   *sum = series(8, "add.u32 %r5, %r5, %r1#;\n"); /* of four warps: 32 under way */
        u64 cycles = slope(m, JOIN(head, repeat(2, loads), sum), JOIN(head, repeat(10, loads), sum));
        near((double)cycles, 64.0 * 4 * (1u << log), 0.01);
    }
}

/* --- unloaded latency of each level by chasing a pointer */

/* A chain of n pointers through out, each `step` bytes behind the one before; what is measured is the slope
 * over the number of steps */
static u64 chase(struct micro m, u32 step, const char *load, u32 shorter, u32 longer) {
    u32 n = 300;
    m.out_b = n * step + 8;
    u64 *init = base_alloc(m.out_b);
    for (u32 pass = 0; pass < 1; pass++)
        for (u32 i = 0; i < n; i++) init[(u64)i * step / 8] = (u64)(i + 1) * step;
    m.init = init, m.init_b = m.out_b;
    /* offsets in memory, so that the data do not depend on where it lies */
    const char *body = JOIN("add.u64 %rd3, %rd1, %rd2;\n", load, " %rd2, [%rd3];\n");
    const char *head = "ld.param.u64 %rd1, [out];\nmov.u64 %rd2, 0;\n";
    u64 cycles = slope(m, JOIN(head, repeat(shorter, body)), JOIN(head, repeat(longer, body)));
    free(init);
    return cycles;
}
enum { ADD = 10 }; /* the addition between two loads */

static void a_chase_in_the_l1_takes_its_latency(void **state) {
    (void)state;
    struct micro m = {.threads = 1, .keys = {"sm.l1.latency_cy=33"}};
    /* the first sixteen of a chain of words of one line miss with the first, all others hit */
    assert_int_equal(chase(m, 8, "ld.global.u64", 2, 16), 14 * (33 + ADD));
}

static void a_chase_in_the_l2_takes_its_latency(void **state) {
    (void)state;
    struct micro m = {.threads = 1, .launches = 2};
    assert_int_equal(chase(m, 128, "ld.global.u64", 10, 110), 100 * (3 + 20 + 40 + 20 + 4 + ADD));    /* a line: five flits */
    assert_int_equal(chase(m, 128, "ld.global.cg.u64", 10, 110), 100 * (3 + 20 + 40 + 20 + 1 + ADD)); /* a sector: two */
}

static void a_chase_in_the_dram_takes_its_latency(void **state) {
    (void)state;
    struct micro m = {.threads = 1, .keys = {"l2.partitions=1", "map.hash=none"}};
    u32 l2 = 3 + 20 + 40 + 20 + 4 + ADD, column = 12 + 6 + 1;
    assert_int_equal(chase(m, 128, "ld.global.u64", 10, 16), 6 * (l2 + column)); /* one row, open */
    assert_int_equal(chase(m, 16384, "ld.global.u64", 10, 50),
                     40 * (l2 + 12 + 12 + column)); /* one bank, another row each time */
}

/* Mascar, table I: 200 core cycles to the L2 and 440 to DRAM */
static void the_gtx480_has_the_latencies_of_its_table(void **state) {
    (void)state;
    const char *body = "mov.u64 %rd1, g;\nld.global.u32 %r1, [%rd1]; // dram\nadd.u32 %r2, %r1, 1; // dram_used\nadd.u32 %r3, "
                       "%r2, 1;\nld.global.u32 %r4, [%rd1]; // l1\n"
                       "add.u32 %r5, %r4, 1; // l1_used\n";
    RUN(.machine = "gtx480", .globals = ".global .align 128 .b8 g[128];\n", .body = body);
    assert_int_equal(apart("dram", "dram_used"), 440);
    assert_int_equal(apart("l1", "l1_used"), ran.config->l1_cy);
    RUN(.machine = "gtx480", .globals = ".global .align 128 .b8 g[128];\n", .body = body, .launches = 2);
    assert_int_equal(apart("dram", "dram_used"), 200); /* it lies in the L2 by then */
}

/* --- bandwidth of each level */

/* n loads of lines, each of another warp's lines: one load is 32 lanes x 4 bytes in a row; `lines` of them
 * before the addresses come round again */
static const char *stream(u32 n, u32 lines, const char *load) {
    struct strbuf b = {0};
    strbuf_add(&b, "%s", MINE);
    strbuf_add(&b, "%s", "mov.u32 %r6, %ctaid.x;\nmul.wide.u32 %rd5, %r6, 1048576;\nadd.u64 %rd1, %rd1, %rd5;\n");
    for (u32 i = 0; i < n; i++) strbuf_add(&b, "%s %%r%u, [%%rd1+%u];\n", load, 10 + i % 8, i % lines * 2048);
    const char *s = JOIN(b.s, series(8, "add.u32 %r5, %r5, %r1#;\n")); /* so that each register has a place of its own */
    strbuf_free(&b);
    return s;
}
#define WIDE_SM                                                                                                                  \
    "sm.warps=16", "sm.l1.mshrs=256", "noc.credits=256", "sm.l1.miss_queue=64", "sm.lsu.queue=16", "sm.collectors=generic:16",   \
        "l2.queue=64", "l2.mshrs=256", "dram.queue=256"

static void the_l1_gives_a_line_a_cycle(void **state) {
    (void)state;
    struct micro m = {.threads = 512, .keys = {WIDE_SM, "sm.l1.ways=64"}};
    u64 cycles = slope(m, stream(16, 4, "ld.global.u32"), stream(80, 4, "ld.global.u32")); /* 16 warps, four lines each */
    near((double)cycles, 64 * 16, 0.02);
}

/* Two SMs and two slices, each with a port of a flit a cycle: a line is five flits, or as many as the key
 * makes it */
static void the_l2_gives_a_flit_a_cycle_and_port(void **state) {
    (void)state;
    static const struct {
        u32 flit, flits;
    } of[] = {{32, 5}, {64, 3}, {17, 8}};
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        struct micro m = {.threads = 512,
                          .blocks = 2,
                          .out_b = 2 << 20,
                          .launches = 2,
                          .keys = {WIDE_SM, text("noc.flit_b=%u", of[i].flit), "l2.sets=1024", "l2.ways=16", "sm.l1.sets=1",
                                   "sm.l1.ways=64", "sm.l1.stream=true"}};
        u64 cycles = slope(m, stream(32, 512, "ld.global.u32"), stream(96, 512, "ld.global.u32"));
        near((double)cycles, 64.0 * 16 * of[i].flits, 0.03); /* of each SM, through its port */
    }
}

static void one_slice_gives_half_of_two(void **state) {
    (void)state;
    struct micro m = {
        .threads = 512,
        .blocks = 2,
        .out_b = 2 << 20,
        .launches = 2,
        .keys = {WIDE_SM, "l2.partitions=1", "l2.sets=2048", "l2.ways=16", "sm.l1.sets=1", "sm.l1.ways=64", "sm.l1.stream=true"}};
    u64 cycles = slope(m, stream(32, 512, "ld.global.u32"), stream(96, 512, "ld.global.u32"));
    near((double)cycles, 2 * 64.0 * 16 * 5, 0.03); /* of both SMs, through the slice's port */
}

/* A channel moves a burst of 32 bytes each tCCD or each bus cycle, whatever is longer */
static void the_dram_gives_what_its_bus_gives(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        double cycles; /* core cycles of a line on one channel */
    } of[] = {{"dram.tCCD=2", "dram.bus_b=32", 8},
              {"dram.tCCD=1", "dram.bus_b=16", 8},
              {"dram.tCCD=3", "dram.bus_b=32", 12},
              {"dram.tCCD=2", "gpu.dram_mhz=500", 16},
              {"dram.tCCD=2", "dram.bus_b=8", 16}};
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        struct micro m = {
            .threads = 512,
            .blocks = 2,
            .out_b = 2 << 20,
            .keys = {WIDE_SM, "noc.flit_b=256", "sm.l1.sets=1", "sm.l1.ways=64", "sm.l1.stream=true", of[i].a, of[i].b}};
        u64 cycles = slope(m, stream(32, 512, "ld.global.u32"), stream(160, 512, "ld.global.u32"));
        near((double)cycles, 2 * 128.0 * 16 * of[i].cycles / 2, 0.05); /* two SMs, two channels */
    }
}

/* --- occupancy */

/* Most blocks that were on SM 0 at once */
static u32 most_resident(void) {
    i32 most = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_CTA_START || e->sm) continue;
        i32 now = 0;
        for (u32 k = 0; k < ran.events.n; k++) {
            const struct event *f = &ran.events.at[k];
            if (f->sm || f->cycle > e->cycle) continue;
            now += (f->kind == EV_CTA_START) - (f->kind == EV_CTA_END);
        }
        most = MAX(most, now);
    }
    return (u32)most;
}

static void an_sm_holds_what_its_limits_allow(void **state) {
    (void)state;
    static const struct {
        const char *key;
        u32 threads, registers, shared, ctas;
        const char *limiter;
    } of[] = {
        {"sm.ctas=8", 32, 8, 0, 8, "blocks"},
        {"sm.ctas=3", 32, 8, 0, 3, "blocks"},
        {"sm.threads=512", 128, 8, 0, 4, "threads"},
        {"sm.threads=383", 128, 8, 0, 2, "threads"},
        {"sm.threads=300", 33, 8, 0, 4, "threads"}, /* whole warps */
        {"sm.warps=5", 64, 8, 0, 2, "warps"},
        {"sm.warps=6", 64, 8, 0, 3, "warps"},
        {"sm.registers=4096", 64, 16, 0, 4, "registers"}, /* 2 warps x 512 */
        {"sm.registers=4095", 64, 16, 0, 3, "registers"},
        {"sm.registers=4096", 64, 17, 0, 3, "registers"}, /* 544 round up to 576 */
        {"sm.register_unit=1024", 64, 33, 0, 8, "blocks"},
        {"sm.register_unit=2048", 64, 33, 0, 8, "blocks"},
        {"sm.register_unit=4096", 64, 33, 0, 4, "registers"},
        {"sm.shared_b=8192", 32, 8, 2048, 4, "shared memory"},
        {"sm.shared_b=8191", 32, 8, 2048, 3, "shared memory"},
        {"sm.shared_b=16384", 32, 8, 2049, 7, "shared memory"}, /* 2176 */
        {"sm.shared_unit=8192", 32, 8, 1, 6, "shared memory"},
        {"sm.shared_reserved_b=8192", 32, 8, 0, 6, "shared memory"},
        {"sm.shared_reserved_b=8192", 32, 8, 8192, 3, "shared memory"},
    };
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        RUN(.body = repeat(20, "add.u32 %r1, %r1, 1;\n"), .blocks = 40, .threads = of[i].threads, .registers = of[i].registers,
            .dynamic_shared_b = of[i].shared, .keys = {of[i].key});
        const struct occupancy *o = &ran.stats->occupancy;
        if (o->ctas != of[i].ctas || strcmp(o->limiter, of[i].limiter))
            fail_msg("%s: %u blocks, limited by %s", of[i].key, o->ctas, o->limiter);
        assert_int_equal(o->warps, of[i].ctas * ((of[i].threads + 31) / 32));
        assert_int_equal(most_resident(), of[i].ctas);
    }
}

static void occupancy_is_warps_resident_over_slots(void **state) {
    (void)state;
    RUN(.body = repeat(20, "add.u32 %r1, %r1, 1;\n"), .blocks = 3, .threads = 64, .keys = {"gpu.sms=2"});
    u64 resident = 0;
    for (u32 i = 0; i < 3; i++)
        for (u32 k = 0; k < 3; k++)
            if (event_at(EV_CTA_END, k)->a == event_at(EV_CTA_START, i)->a)
                resident += 2 * (event_at(EV_CTA_END, k)->cycle - event_at(EV_CTA_START, i)->cycle);
    assert_stat("warp_cycles", resident);
    assert_stat("occupancy", (double)resident / ((double)ran.cycles * 2 * 16));
    assert_stat("ctas", 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_additions_takes_the_latency_each),
        cmocka_unit_test(a_chain_on_the_real_front_end_takes_the_same),
        cmocka_unit_test(units_reach_their_rate_and_no_more),
        cmocka_unit_test(conflicts_of_shared_memory_cost_their_ways),
        cmocka_unit_test(a_chase_in_the_l1_takes_its_latency),
        cmocka_unit_test(a_chase_in_the_l2_takes_its_latency),
        cmocka_unit_test(a_chase_in_the_dram_takes_its_latency),
        cmocka_unit_test(the_gtx480_has_the_latencies_of_its_table),
        cmocka_unit_test(the_l1_gives_a_line_a_cycle),
        cmocka_unit_test(the_l2_gives_a_flit_a_cycle_and_port),
        cmocka_unit_test(one_slice_gives_half_of_two),
        cmocka_unit_test(the_dram_gives_what_its_bus_gives),
        cmocka_unit_test(an_sm_holds_what_its_limits_allow),
        cmocka_unit_test(occupancy_is_warps_resident_over_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
