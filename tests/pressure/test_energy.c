/* Energy: do the parts sum to the total, does leakage follow time, and does what did not happen cost nothing?
 * And is Mascar's hardware as large as its table II says? */
#include "../micro/micro.h"
#include "power/power.h"

#include <math.h>

static void near(double a, double b) { assert_true(fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b))); }

static struct energy energy(void) { return energy_of(ran.config, ran.stats); }

#define LOADS MINE "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, %r1;\nst.global.u32 [%rd1], %r2;\n"
#define ADDS  "mov.u32 %r1, 1;\nadd.u32 %r2, %r1, %r1;\nadd.u32 %r3, %r2, %r2;\n"

static void parts_sum_to_the_total(void **state) {
    (void)state;
    RUN(.body = LOADS, .blocks = 4, .threads = 128);
    struct energy e = energy();
    double parts = 0, groups = 0;
    for (u32 i = 0; i < ENERGY_PARTS; i++) {
        assert_true(e.part[i] > 0);
        parts += e.part[i];
    }
    for (u32 i = 0; i < ENERGY_GROUPS; i++) groups += e.group[i];
    near(parts, e.total);
    near(groups, e.total);
    near(e.group[ENERGY_GROUP_DRAM], e.part[ENERGY_DRAM]);
    near(e.group[ENERGY_GROUP_LEAKAGE], e.part[ENERGY_LEAKAGE]);
}

static void half_the_time_leaks_half(void **state) {
    (void)state;
    RUN(.body = LOADS, .blocks = 4, .threads = 128);
    struct energy before = energy();
    struct launch_stats faster = *ran.stats;
    faster.cycles *= 2;
    struct energy after = energy_of(ran.config, &faster);
    near(after.part[ENERGY_LEAKAGE], 2 * before.part[ENERGY_LEAKAGE]);
    for (u32 i = 0; i < ENERGY_PARTS; i++)
        if (i != ENERGY_LEAKAGE) near(after.part[i], (i == ENERGY_CLOCK ? 2 : 1) * before.part[i]);
    u64 cycles = ran.cycles;
    RUN(.body = LOADS, .blocks = 4, .threads = 128,
        .keys = {"gpu.core_mhz=500", "gpu.noc_mhz=500", "gpu.l2_mhz=500", "gpu.dram_mhz=500"});
    assert_int_equal(ran.cycles, cycles); /* as many cycles, each twice as long */
    near(energy().part[ENERGY_LEAKAGE], 2 * before.part[ENERGY_LEAKAGE]);
}

static void no_traffic_costs_no_dram_energy(void **state) {
    (void)state;
    RUN(.body = ADDS);
    struct energy e = energy();
    assert_true(e.part[ENERGY_DRAM] == 0 && e.part[ENERGY_L1] == 0 && e.part[ENERGY_L2] == 0 && e.part[ENERGY_NOC] == 0);
    assert_true(e.part[ENERGY_UNITS] > 0 && e.part[ENERGY_REGISTERS] > 0 && e.part[ENERGY_FRONT_END] > 0 &&
                e.part[ENERGY_LEAKAGE] > 0);
}

/* Each flit once through its last router, and once for each link before that; a crossbar's key costs nothing
 * */
static void a_mesh_pays_for_links(void **state) {
    (void)state;
    RUN(.body = LOADS, .keys = {"noc.kind=mesh", "power.flit_pj=1000000"});
    double flits = stat_of("noc_flits_in") + stat_of("noc_flits_out") + stat_of("mesh_hops");
    assert_true(stat_of("mesh_hops") > 0);
    near(energy().part[ENERGY_NOC], flits * ran.config->flit_b / 40 * ran.config->power_hop_pj * 1e-12);
}

/* Jin's units, from the machine: four beats of eight lanes, and as many lanes as the warp has */
static void a_squeezer_is_as_large_as_the_warp_has_beats(void **state) {
    (void)state;
    struct config c;
    config_default(&c);
    c.warps = 32, c.threads = 1024, c.warp_size = 32, c.alu_width = 8;
    struct jin_cost x = jin_cost_of(&c);
    assert_int_equal(x.warp_bits, 2 * 32 + 4);
    assert_int_equal(x.squeeze_b, 68 * 32 / 8);
    assert_int_equal(x.pool_bits, 32 + 32 * (10 + 1) + 4);
    assert_int_equal(x.pool_entries, 1024); /* without a bound one for each thread */
    assert_int_equal(x.table_bits, 32 + 32 + 10);
    assert_int_equal(x.table_entries, c.dwf_table * c.schedulers);
    c.dwf_pool = 48, c.schedulers = 2, c.dwf_table = 16;
    assert_int_equal(jin_cost_of(&c).pool_entries, 96);
    assert_int_equal(jin_cost_of(&c).pool_b, (32 + 32 * (10 + 1) + 4) * 96 / 8);
    assert_int_equal(jin_cost_of(&c).table_bits, 32 + 32 + 7);
    assert_int_equal(jin_cost_of(&c).table_b, 71 * 32 / 8);
    assert_int_equal(x.gates, 4 * 8 * 6 + 6 * (4 * 4 + 2 * 2 * 3) + 8 * 4 * 3 * 10 * 3);
    near(x.squeeze_mm2, (x.gates * 0.7 + x.squeeze_b * 8 * 0.5) * 1e-6);
    c.alu_width = 32;
    x = jin_cost_of(&c);
    assert_int_equal(x.warp_bits + x.gates + x.squeeze_b, 0);
}

static void a_key_is_one_part(void **state) {
    (void)state;
    static const struct {
        const char *key;
        enum energy_part part;
    } keys[] = {
        {"power.flit_pj=3878", ENERGY_NOC}, {"power.clock_mw=1376", ENERGY_CLOCK}, {"power.leak_mw=5802", ENERGY_LEAKAGE}};
    RUN(.body = LOADS, .blocks = 4, .threads = 128);
    struct energy before = energy();
    for (u32 k = 0; k < ARRAY_LEN(keys); k++) {
        RUN(.body = LOADS, .blocks = 4, .threads = 128, .keys = {keys[k].key});
        struct energy after = energy();
        for (u32 i = 0; i < ENERGY_PARTS; i++) near(after.part[i], i == keys[k].part ? 2 * before.part[i] : before.part[i]);
    }
}

static void a_burst_costs_its_bits_and_its_row(void **state) {
    (void)state;
    RUN(.body = LOADS);
    const struct mem_stats *m = &ran.stats->mem;
    assert_true(m->dram_reads && m->dram_activates);
    near(energy().part[ENERGY_DRAM],
         ((double)m->dram_reads * 32 * 8 * 52.634 + (double)m->dram_writes * 32 * 8 * 30.986 + (double)m->dram_activates * 4232) *
             1e-12);
}

/* A load of one warp: a miss; the same again: a hit. Nothing else of the L1 */
static void hits_and_misses_have_their_own(void **state) {
    (void)state;
    RUN(.body = MINE "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, %r1;\nld.global.u32 %r3, [%rd1];\n",
        .keys = {"power.const_hit_pj=0", "power.const_miss_pj=0"});
    assert_int_equal(ran.stats->sum.l1_misses, 1);
    assert_int_equal(ran.stats->sum.l1_accesses, 2);
    near(energy().part[ENERGY_L1], (2935 + 2225) * 1e-12);
}

/* The document prints 1 byte, 12 bytes and 1216 bytes; 301 bits are 38 bytes */
static void mascar_costs_what_table_two_says(void **state) {
    (void)state;
    RUN(.body = ADDS, .machine = "gtx480", .keys = {"sm.lsu.reexec=32"});
    struct mascar_cost x = mascar_cost_of(ran.config);
    assert_int_equal(x.owner_bits, 6);
    assert_int_equal(x.owner_b, 1);
    assert_int_equal(x.status_b, 12);
    assert_int_equal(x.entry_bits, 301);
    assert_int_equal(x.queue_b, 1216);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_sum_to_the_total),
        cmocka_unit_test(half_the_time_leaks_half),
        cmocka_unit_test(no_traffic_costs_no_dram_energy),
        cmocka_unit_test(a_mesh_pays_for_links),
        cmocka_unit_test(a_squeezer_is_as_large_as_the_warp_has_beats),
        cmocka_unit_test(a_key_is_one_part),
        cmocka_unit_test(a_burst_costs_its_bits_and_its_row),
        cmocka_unit_test(hits_and_misses_have_their_own),
        cmocka_unit_test(mascar_costs_what_table_two_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
