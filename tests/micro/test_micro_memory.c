/* Interconnect, L2 and DRAM as a warp sees them: from issue to the dependent instruction. The parts by
 * themselves are tests/unit/test_mem_*.c. */
#include "micro.h"

/* One partition, so that nothing depends on where memory lies; %rd1 is at the start of a DRAM row of bank 0,
 * and no parameter was read */
#define ONE_PART         "l2.partitions=1", "map.hash=none"
#define GLOBAL           ".global .align 16384 .b8 g[262144];\n"
#define AT_G             "mov.u64 %rd1, g;\nmov.u32 %r0, %tid.x;\n"
#define LD(r, at, label) "ld.global.u32 " r ", [%rd1+" at "]; // " label "\n"
#define USE(r)           "add.u32 %r60, " r ", 1;\n"
#define BOTH             "add.u32 %r50, %r1, %r2;\n"

static u64 latency(const char *label) { return when(EV_READY, label) - issue(label); }
static u32 flits(u32 data_b) { return (8 + data_b + 31) / 32; }
enum { TO_PORT = 2 + 1, NOC = 20, L2 = 40 }; /* operands and addresses, then the port; `small` */
static u64 l2_cy(u32 data_b) { return TO_PORT + NOC + L2 + NOC + flits(data_b) - 1; }
static u64 dram_cy(u32 dram, u32 data_b) { return l2_cy(data_b) + dram; } /* the L2's latency comes after the data */

/* --- the interconnect */

static void the_way_is_paid_twice(void **state) {
    (void)state;
    for (u32 n = 1; n <= 61; n += 30) {
        RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") USE("%r1"),
            .keys = {"l2.ideal=true", text("noc.latency_cy=%u", n)});
        assert_int_equal(latency("A"), l2_cy(128) - 2 * NOC + 2 * n);
    }
}

static void the_last_flit_of_request_and_answer_counts(void **state) {
    (void)state;
    static const struct {
        u32 flit, header, request, answer; /* flits of a header alone and with 128 bytes */
    } of[] = {{32, 8, 1, 5},  {33, 8, 1, 5},  {34, 8, 1, 4},  {16, 8, 1, 9}, {32, 0, 1, 4},
              {32, 32, 1, 5}, {32, 33, 2, 6}, {256, 8, 1, 1}, {4, 8, 2, 34}};
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") USE("%r1"),
            .keys = {"l2.ideal=true", text("noc.flit_b=%u", of[i].flit), text("noc.header_b=%u", of[i].header)});
        assert_int_equal(latency("A"), TO_PORT + NOC + of[i].request - 1 + L2 + NOC + of[i].answer - 1);
        assert_stat("noc_flits_in", of[i].request);
        assert_stat("noc_flits_out", of[i].answer);
    }
}

static void a_store_is_taken_with_its_last_flit(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G "st.global.u32 [%rd1], %r0; // A\n", .keys = {"l2.ideal=true"});
    assert_int_equal(when(EV_COMPLETE, "A") - issue("A"), TO_PORT + NOC + flits(32) - 1 + L2 + NOC);
    RUN(.globals = GLOBAL, .body = AT_G "st.global.v4.u32 [%rd1], {%r0, %r0, %r0, %r0};\nst.global.u32 [%rd1], %r0; // A\n",
        .keys = {"l2.ideal=true", "l2.interval_cy=1"});
    assert_int_equal(when(EV_COMPLETE, "A") - issue("A"),
                     TO_PORT + NOC + 2 * flits(32) - 1 - 1 + L2 + NOC); /* behind the flits of the first, a cycle later */
}

static void answers_come_through_one_port(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") LD("%r2", "256", "B") BOTH,
        .keys = {"l2.ideal=true", "map.hash=none"}); /* two partitions */
    assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), 5);
    assert_stat("eject_wait_cycles", 4 + 8); /* the flits of the first; the second came one cycle later and waits for these too */
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") LD("%r2", "256", "B") BOTH,
        .keys = {"l2.ideal=true", "noc.ideal=true"});
    assert_int_equal(latency("A"), TO_PORT + NOC + L2 + NOC);
    assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), 1);
}

/* --- a mesh in its place. One partition: its node is in the middle of all, SM 0's is the first. */

#define MESH ONE_PART, "l2.ideal=true", "noc.kind=mesh"

/* Each way: the links and one router more, then the network interface; and the flits behind the first */
static u64 mesh_cy(u32 links, u32 hop, u32 interface, u32 answer) {
    return TO_PORT + 2 * ((links + 1) * hop + interface) + L2 + answer - 1;
}

static void a_mesh_takes_its_links_and_routers_each_way(void **state) {
    (void)state;
    const char *body = AT_G LD("%r1", "0", "A") USE("%r1");
    RUN(.globals = GLOBAL, .body = body, .keys = {MESH});
    assert_int_equal(latency("A"), mesh_cy(1, 3, NOC, 5)); /* two by two: the node below */
    assert_stat("mesh_hops", 1 + 5);
    assert_stat("mesh_link_peak", 5);
    RUN(.globals = GLOBAL, .body = body, .keys = {MESH, "noc.mesh.width=5", "noc.mesh.height=3"});
    assert_int_equal(latency("A"), mesh_cy(3, 3, NOC, 5)); /* node 7: a row down, two columns on */
    RUN(.globals = GLOBAL, .body = body, .keys = {MESH, "noc.mesh.width=3", "noc.mesh.height=5"});
    assert_int_equal(latency("A"), mesh_cy(3, 3, NOC, 5)); /* node 7: two rows down, one column on */
    RUN(.globals = GLOBAL, .body = body, .keys = {MESH, "noc.mesh.width=5", "noc.mesh.height=3", "noc.mesh.place=sides"});
    assert_int_equal(latency("A"), mesh_cy(2, 3, NOC, 5)); /* node 2 of the first row */
    for (u32 n = 1; n <= 9; n += 4) {
        RUN(.globals = GLOBAL, .body = body, .keys = {MESH, text("noc.mesh.router_cy=%u", n), "noc.latency_cy=5"});
        assert_int_equal(latency("A"), mesh_cy(1, 1 + n, 5, 5));
        RUN(.globals = GLOBAL, .body = body, .keys = {MESH, text("noc.mesh.link_cy=%u", n), "noc.mesh.buffer=64"});
        assert_int_equal(latency("A"), mesh_cy(1, 2 + n, NOC, 5));
    }
}

/* A buffer of one flit: the next follows when its credit has come back over the link */
static void flits_wait_for_room_in_the_next_router(void **state) {
    (void)state;
    const char *body = AT_G LD("%r1", "0", "A") USE("%r1");
    for (u32 buffer = 1; buffer <= 4; buffer++) {
        RUN(.globals = GLOBAL, .body = body, .keys = {MESH, text("noc.mesh.buffer=%u", buffer)});
        u32 last = (5 - 1) / buffer * 4 + (5 - 1) % buffer; /* of five flits, `buffer` a round trip of four cycles */
        assert_int_equal(latency("A"), mesh_cy(1, 3, NOC, 1 + last));
        assert_stat("noc_wait_out", last - 4);
    }
}

static void a_packet_waits_for_a_credit(void **state) {
    (void)state;
    const char *body = AT_G LD("%r1", "0", "A") LD("%r2", "128", "B") LD("%r3", "256", "C") "add.u32 %r50, %r3, 1;\n" BOTH;
    for (u32 credit = 20; credit <= 40; credit += 10) {
        RUN(.globals = GLOBAL, .body = body,
            .keys = {ONE_PART, "l2.ideal=true", "noc.credits=1", text("noc.credit_cy=%u", credit)});
        /* taken by the slice after one way; the credit is back after its time; that long the next one
         * waits */
        assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), NOC + credit);
        assert_int_equal(when(EV_READY, "C") - when(EV_READY, "B"), NOC + credit);
        assert_stat("credit_wait_cycles", 2 * (NOC + credit) - 1); /* B came to the port a cycle after A */
    }
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "l2.ideal=true", "noc.credits=2"});
    assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), 5);
    assert_int_equal(when(EV_READY, "C") - when(EV_READY, "A"), NOC + 20);
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "l2.ideal=true", "noc.credits=3"});
    assert_int_equal(when(EV_READY, "C") - when(EV_READY, "A"), 10);
    assert_stat("credit_wait_cycles", 0);
}

static void a_slow_interconnect_counts_its_own_cycles(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") USE("%r1"), .keys = {"l2.ideal=true", "gpu.noc_mhz=500"});
    u64 even = issue("A") + TO_PORT - ran.start; /* a packet waits for an edge of the slower clock */
    assert_int_equal(latency("A"), TO_PORT + even % 2 + 2 * NOC + L2 + 2 * NOC + 2 * flits(128) - 1);
}

/* --- the L2 */

static void a_hit_takes_the_latency_of_the_l2(void **state) {
    (void)state;
    for (u32 n = 1; n <= 201; n += 100) {
        RUN(.globals = GLOBAL, .body = AT_G "ld.global.cg.u32 %r2, [%rd1];\n" USE("%r2") LD("%r1", "0", "A") USE("%r1"),
            .keys = {ONE_PART, "l2.sector_b=128", text("l2.latency_cy=%u", n)});
        assert_int_equal(latency("A"), l2_cy(128) - L2 + n);
        assert_stat("l2_hits", 1);
        assert_stat("l2_misses", 1);
    }
}

static void a_slow_l2_counts_its_own_cycles(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") USE("%r1"), .keys = {"l2.ideal=true", "gpu.l2_mhz=500"});
    u64 arrives = issue("A") + TO_PORT + NOC - ran.start;
    assert_int_equal(latency("A"), l2_cy(128) + arrives % 2 + L2);
}

static void accesses_of_a_slice_come_so_far_apart(void **state) {
    (void)state;
    for (u32 n = 1; n <= 31; n += 10) {
        RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") LD("%r2", "128", "B") BOTH,
            .keys = {ONE_PART, "l2.ideal=true", "noc.flit_b=256", text("l2.interval_cy=%u", n)});
        assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), n);
    }
}

static void lines_stay_in_the_l2_from_launch_to_launch(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") USE("%r1"), .launches = 2);
    assert_int_equal(latency("A"), l2_cy(128));
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") USE("%r1"), .launches = 2, .timing = {.flush = true});
    assert_stat("l2_misses", 1);
}

static void a_launch_may_find_its_parameters_in_the_l2(void **state) {
    (void)state;
    const char *body = "ld.param.u64 %rd1, [out]; // A\nadd.u64 %rd2, %rd1, 0;\n";
    for (u32 launches = 1; launches < 3; launches++) {
        RUN(.body = body, .launches = launches, .timing = {.flush = true},
            .keys = {"gpu.params_in_l2=true", "sm.icache.ideal=true"});
        assert_stat("l2_hits", 1);
        assert_stat("l2_misses", 0);
        RUN(.body = body, .launches = launches, .timing = {.flush = true}, .keys = {"sm.icache.ideal=true"});
        assert_stat("l2_misses", 1);
    }
}

static u32 l2_hits(const char *others, const char *a, const char *b) {
    RUN(.globals = GLOBAL,
        .body = JOIN(AT_G "ld.global.cg.u32 %r2, [%rd1];\n" USE("%r2"), others, "ld.global.cg.u32 %r3, [%rd1];\n" USE("%r3")),
        .keys = {ONE_PART, a, b});
    return (u32)stat_of("l2_hits");
}
#define OTHER(at) "ld.global.cg.u32 %r10, [%rd1+" at "];\nadd.u32 %r11, %r10, 1;\n"

static void the_l2_has_sets_and_ways(void **state) {
    (void)state;
    assert_int_equal(l2_hits(OTHER("512"), "l2.sets=4", "l2.ways=1"), 0);
    assert_int_equal(l2_hits(OTHER("512"), "l2.sets=8", "l2.ways=1"), 1);
    assert_int_equal(l2_hits(OTHER("512"), "l2.sets=4", "l2.ways=2"), 1);
    assert_int_equal(l2_hits(OTHER("384"), "l2.sets=4", "l2.ways=1"), 1);
    assert_int_equal(l2_hits(OTHER("512") OTHER("1024"), "l2.sets=4", "l2.ways=2"), 0);
}

static void the_l2_replaces_by_use_or_by_age(void **state) {
    (void)state;
    const char *others = OTHER("128") OTHER("0") OTHER("256");
    RUN(.globals = GLOBAL,
        .body = JOIN(AT_G "ld.global.cg.u32 %r2, [%rd1];\n" USE("%r2"), others, "ld.global.cg.u32 %r3, [%rd1];\n" USE("%r3")),
        .keys = {ONE_PART, "l2.sets=1", "l2.ways=2", "l2.replace=lru"});
    assert_stat("l2_hits", 2);
    RUN(.globals = GLOBAL,
        .body = JOIN(AT_G "ld.global.cg.u32 %r2, [%rd1];\n" USE("%r2"), others, "ld.global.cg.u32 %r3, [%rd1];\n" USE("%r3")),
        .keys = {ONE_PART, "l2.sets=1", "l2.ways=2", "l2.replace=fifo"});
    assert_stat("l2_hits", 1);
}

static void a_sector_of_the_l2_is_fetched_by_itself(void **state) {
    (void)state;
    for (u32 sector = 32; sector <= 128; sector *= 2) {
        RUN(.globals = GLOBAL,
            .body = AT_G "ld.global.cg.u32 %r1, [%rd1];\n" USE("%r1") "ld.global.cg.u32 %r2, [%rd1+64];\n" USE("%r2"),
            .keys = {ONE_PART, text("l2.sector_b=%u", sector)});
        assert_stat("dram_reads", sector == 32 ? 2 : 4);
        assert_stat("l2_hits", sector == 128);
    }
}

static void so_many_lines_of_the_l2_are_outstanding(void **state) {
    (void)state;
    const char *body = AT_G LD("%r1", "0", "A") LD("%r2", "128", "B") BOTH;
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", "l2.mshrs=2"});
    assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), 8); /* four bursts, two DRAM cycles each */
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", "l2.mshrs=1"});
    assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), 12 + 6 + 1); /* after the first: its row is open */
    assert_stat("l2_mshr_full", 12 + 12 + 6 + 1 - 1);                        /* from the cycle after the first came */
}

static void a_line_of_the_l2_serves_so_many(void **state) {
    (void)state;
    const char *body =
        AT_G "ld.global.cg.u32 %r1, [%rd1]; // A\nld.global.cg.u32 %r2, [%rd1]; // B\nld.global.cg.u32 %r3, [%rd1]; // C\n" BOTH
             "add.u32 %r51, %r3, 1;\n";
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", "l2.merge=3"});
    assert_int_equal(when(EV_READY, "C") - when(EV_READY, "A"), 2); /* one answer a cycle */
    assert_stat("l2_merged", 2);
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", "l2.merge=2"});
    assert_stat("l2_merged", 1);
    assert_stat("l2_hits", 1);                    /* at the fill */
    assert_stat("l2_mshr_full", 12 + 12 + 1 - 2); /* until then; it came two cycles after the first */
}

static void chunks_lie_in_partitions_in_turn(void **state) {
    (void)state;
    for (u32 interleave = 128; interleave <= 512; interleave *= 2) {
        RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") LD("%r2", "256", "B") BOTH,
            .keys = {"map.hash=none", text("map.interleave_b=%u", interleave)});
        assert_int_equal(ran.stats->per_partition[0].l2_accesses, interleave == 256 ? 1 : 2);
    }
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") LD("%r2", "512", "B") BOTH, .keys = {"map.hash=none"});
    assert_int_equal(ran.stats->per_partition[0].l2_accesses, 2);
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") LD("%r2", "512", "B") BOTH, .keys = {"map.hash=xor"});
    assert_int_equal(ran.stats->per_partition[0].l2_accesses, 1);
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") LD("%r2", "512", "B") BOTH,
        .keys = {"map.hash=none", "l2.partitions=3"});
    assert_int_equal(ran.stats->per_partition[0].l2_accesses, 1);
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") LD("%r2", "512", "B") BOTH, .keys = {"map.hash=none", "l2.slices=2"});
    assert_int_equal(ran.stats->per_partition[0].l2_accesses, 1); /* four slices: the third is the second partition's */
}

/* --- DRAM: one after the other, so that each finds the channel idle. A line is four bursts, a column command
 * every tCCD. */

#define FOUR                                                                                                                     \
    AT_G LD("%r1", "0", "empty") USE("%r1") LD("%r2", "128", "hit") USE("%r2") LD("%r3", "16384", "conflict") USE("%r3")         \
        LD("%r4", "2048", "other") USE("%r4")

static void a_row_is_opened_hit_or_closed_first(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = FOUR, .keys = {ONE_PART});
    u32 column = 12 + 3 * 2 + 1; /* tCL, tCCD, one cycle of data */
    assert_int_equal(latency("hit"), dram_cy(column, 128));
    assert_int_equal(latency("empty"), dram_cy(12 + column, 128));         /* tRCD */
    assert_int_equal(latency("conflict"), dram_cy(12 + 12 + column, 128)); /* tRP */
    assert_int_equal(latency("other"), latency("empty"));                  /* another bank */
    assert_stat("dram_row_hits", 16 - 3);
    assert_stat("dram_row_empty", 2);
    assert_stat("dram_row_conflicts", 1);
    assert_stat("dram_activates", 3);
    assert_stat("dram_precharges", 1);
}

static void each_timing_has_its_part(void **state) {
    (void)state;
    static const struct {
        const char *key;
        u32 was, hit, empty, conflict; /* how often it is paid */
    } of[] = {{"dram.tCL", 12, 1, 1, 1},
              {"dram.tRCD", 12, 0, 1, 1},
              {"dram.tRP", 12, 0, 0, 1},
              {"dram.tCCD", 2, 3, 3, 3},
              {"dram.extra_cy", 0, 1, 1, 1}};
    u32 column = 12 + 3 * 2 + 1;
    for (u32 i = 0; i < ARRAY_LEN(of); i++)
        for (u32 more = 1; more <= 7; more += 3) {
            RUN(.globals = GLOBAL, .body = FOUR, .keys = {ONE_PART, text("%s=%u", of[i].key, of[i].was + more)});
            assert_int_equal(latency("hit"), dram_cy(column, 128) + of[i].hit * more);
            assert_int_equal(latency("empty"), dram_cy(12 + column, 128) + of[i].empty * more);
            assert_int_equal(latency("conflict"), dram_cy(24 + column, 128) + of[i].conflict * more);
        }
}

static void a_slow_dram_counts_its_own_cycles(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = FOUR, .keys = {ONE_PART, "gpu.dram_mhz=500"});
    u64 arrives = issue("hit") + TO_PORT + NOC - ran.start;
    assert_int_equal(latency("hit"), dram_cy(2 * (12 + 3 * 2 + 1), 128) + arrives % 2);
}

static void rows_have_a_size_and_banks_a_number(void **state) {
    (void)state;
    const char *body = AT_G LD("%r1", "0", "A") USE("%r1") LD("%r2", "4096", "B") USE("%r2") LD("%r3", "16384", "C") USE("%r3");
    static const struct {
        u32 row_b, banks, hits, empty, conflicts;
    } of[] = {{2048, 8, 9, 2, 1},  {4096, 8, 9, 3, 0}, {8192, 8, 10, 2, 0},
              {2048, 16, 9, 3, 0}, {2048, 2, 9, 1, 2}, {32768, 8, 11, 1, 0}};
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        RUN(.globals = ".global .align 32768 .b8 g[262144];\n", .body = body,
            .keys = {ONE_PART, text("dram.row_b=%u", of[i].row_b), text("dram.banks=%u", of[i].banks)});
        assert_stat("dram_row_hits", of[i].hits);
        assert_stat("dram_row_empty", of[i].empty);
        assert_stat("dram_row_conflicts", of[i].conflicts);
    }
}

static void a_row_just_opened_stays_open_its_time(void **state) {
    (void)state;
    const char *body = AT_G LD("%r1", "0", "A") LD("%r2", "16384", "B") BOTH;
    for (u32 ras = 28; ras <= 40; ras += 6) {
        RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", text("dram.tRAS=%u", ras)});
        /* A: column commands until tRCD + 6. B: precharge at tRAS, activate, columns */
        assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), ras + 12 + 12 + 6 - (12 + 6));
    }
    for (u32 rtp = 6; rtp <= 18; rtp += 6) { /* precharge tRTP after the last column command instead */
        RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", "dram.tRAS=1", text("dram.tRTP=%u", rtp)});
        assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), rtp + 12 + 12 + 6);
    }
}

static void activates_of_two_banks_keep_apart(void **state) {
    (void)state;
    const char *body = AT_G "ld.global.cg.u32 %r1, [%rd1]; // A\nld.global.cg.u32 %r2, [%rd1+2048]; // B\n" BOTH;
    for (u32 rrd = 4; rrd <= 14; rrd += 5) {
        RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", text("dram.tRRD=%u", rrd)});
        assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), rrd);
    }
}

static void the_bus_moves_so_many_bytes_a_clock(void **state) {
    (void)state;
    static const struct {
        u32 bus, burst, cycles; /* of a row hit of 128 bytes */
    } of[] = {{32, 32, 12 + 6 + 1}, {31, 32, 12 + 6 + 2}, {16, 32, 12 + 6 + 2}, {8, 32, 12 + 12 + 4},
              {32, 64, 12 + 2 + 2}, {64, 64, 12 + 2 + 1}, {128, 128, 12 + 1}};
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        RUN(.globals = GLOBAL, .body = FOUR,
            .keys = {ONE_PART, text("dram.bus_b=%u", of[i].bus), text("dram.burst_b=%u", of[i].burst)});
        assert_int_equal(latency("hit"), dram_cy(of[i].cycles, 128));
    }
}

static void a_fixed_dram_has_one_latency(void **state) {
    (void)state;
    for (u32 n = 50; n <= 150; n += 50) {
        RUN(.globals = GLOBAL, .body = FOUR, .keys = {ONE_PART, "dram.kind=fixed", text("dram.fixed_cy=%u", n)});
        assert_int_equal(latency("empty"), dram_cy(n + 3, 128)); /* the fourth burst begins three cycles later */
        assert_int_equal(latency("hit"), dram_cy(n + 3, 128));
        assert_int_equal(latency("conflict"), dram_cy(n + 3, 128));
    }
}

static void the_oldest_goes_first_or_the_open_row(void **state) {
    (void)state;
    /* while A is served, B (another row) and C (A's row) wait */
    const char *body = AT_G "ld.global.cg.u32 %r1, [%rd1]; // A\nld.global.cg.u32 %r2, [%rd1+16384]; // B\nld.global.cg.u32 %r3, "
                            "[%rd1+512]; // C\n" BOTH "add.u32 %r51, %r3, 1;\n";
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", "dram.sched=frfcfs"});
    assert_int_equal(when(EV_READY, "C") - when(EV_READY, "A"), 2);
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "noc.flit_b=256", "dram.sched=fcfs"});
    assert_true(when(EV_READY, "C") > when(EV_READY, "B"));
}

/* S's line pushes a dirty one out of the L2, which is written to an open row when S is taken; B comes right
 * behind. From S's answer to B's. */
static u64 behind_a_write(const char *at, const char *key) {
    RUN(.globals = GLOBAL,
        .body = JOIN(AT_G "ld.global.cg.u32 %r1, [%rd1+512];\n" USE(
                         "%r1") "st.global.u32 [%rd1], %r0;\nmembar.gl;\nld.global.cg.u32 %r2, [%rd1+512];\n" USE("%r2"),
                     "st.global.u32 [%rd1+128], %r0; // S\nld.global.cg.u32 %r3, [%rd1+", at, "]; // B\n" USE("%r3")),
        .threads = 1, .keys = {ONE_PART, "l2.sets=1", "l2.ways=2", "noc.flit_b=256", key});
    assert_stat("dram_writes", 1);
    return when(EV_READY, "B") - when(EV_COMPLETE, "S");
}

static void a_read_waits_for_the_bus_to_turn_around(void **state) {
    (void)state;
    /* write command, tCWL, the data, tWTR; then the read: tCL and its data */
    assert_int_equal(behind_a_write("1024", "dram.tCWL=4"), 4 + 1 + 5 + 12 + 1);
    assert_int_equal(behind_a_write("1024", "dram.tCWL=9"), 9 + 1 + 5 + 12 + 1);
    assert_int_equal(behind_a_write("1024", "dram.tWTR=11"), 4 + 1 + 11 + 12 + 1);
}

static void a_row_recovers_from_a_write(void **state) {
    (void)state;
    /* tCWL, the data, tWR; then precharge, activate and read of another row */
    assert_int_equal(behind_a_write("16384", "dram.tWR=12"), 4 + 1 + 12 + 12 + 12 + 12 + 1);
    assert_int_equal(behind_a_write("16384", "dram.tWR=30"), 4 + 1 + 30 + 12 + 12 + 12 + 1);
}

static void a_refresh_closes_the_rows_and_takes_its_time(void **state) {
    (void)state;
    /* B finds A's row open when nothing is refreshed */
    const char *body = AT_G LD("%r1", "0", "A") USE("%r1") LD("%r2", "128", "B") USE("%r2");
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART});
    assert_int_equal(latency("B"), dram_cy(12 + 6 + 1, 128));
    u64 taken = issue("B") + TO_PORT + NOC; /* DRAM and core have one clock */
    for (u32 rfc = 10; rfc <= 60;
         rfc += 25) { /* it begins three cycles before B is there: precharge, refresh, then B's row is opened */
        RUN(.globals = GLOBAL, .body = body,
            .keys = {ONE_PART, text("dram.tREFI=%u", (u32)taken - 3), text("dram.tRFC=%u", rfc)});
        assert_int_equal(latency("B"), dram_cy(12 + rfc + 12 + 12 + 6 + 1 - 3, 128));
        assert_true(stat_of("dram_refreshes") >= 1);
    }
}

static void cycles_of_the_memory_side_are_those_of_the_launch(void **state) {
    (void)state;
    RUN(.globals = GLOBAL, .body = AT_G LD("%r1", "0", "A") USE("%r1"), .keys = {"gpu.dram_mhz=500"});
    assert_stat("l2_cycles", 2 * ran.cycles);
    assert_int_equal(stat_of("dram_cycles"), 2 * ((ran.cycles + 1) / 2));
}

/* --- queues in front of slice and channel */

static void a_slice_takes_so_many_packets_before_it_looks(void **state) {
    (void)state;
    /* one MSHR: A's miss is under way, B stands in the queue, C behind it or at the port */
    const char *body = AT_G LD("%r1", "0", "A") LD("%r2", "128", "B") LD("%r3", "256", "C") BOTH "add.u32 %r51, %r3, 1;\n";
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "l2.mshrs=1", "l2.queue=2"});
    assert_stat("noc_wait_in", 0);
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "l2.mshrs=1", "l2.queue=1"});
    /* C comes two cycles after A; B leaves when A's line is here, and C can come in with the next cycle */
    assert_stat("noc_wait_in", 12 + 12 + 6 + 1 + 1 - 2);
}

static void a_channel_holds_so_many_bursts(void **state) {
    (void)state;
    /* two lines of four bursts, to banks of their own */
    const char *body = AT_G LD("%r1", "0", "A") LD("%r2", "2048", "B") BOTH;
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "dram.queue=8"});
    assert_stat("l2_dram_full", 0);
    RUN(.globals = GLOBAL, .body = body, .keys = {ONE_PART, "dram.queue=7"});
    /* B comes a cycle after A, waits for A's first column command, tRCD after A came, and looks again then */
    assert_stat("l2_dram_full", 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_way_is_paid_twice),
        cmocka_unit_test(the_last_flit_of_request_and_answer_counts),
        cmocka_unit_test(a_store_is_taken_with_its_last_flit),
        cmocka_unit_test(answers_come_through_one_port),
        cmocka_unit_test(a_mesh_takes_its_links_and_routers_each_way),
        cmocka_unit_test(flits_wait_for_room_in_the_next_router),
        cmocka_unit_test(a_packet_waits_for_a_credit),
        cmocka_unit_test(a_slow_interconnect_counts_its_own_cycles),
        cmocka_unit_test(a_hit_takes_the_latency_of_the_l2),
        cmocka_unit_test(a_slow_l2_counts_its_own_cycles),
        cmocka_unit_test(accesses_of_a_slice_come_so_far_apart),
        cmocka_unit_test(lines_stay_in_the_l2_from_launch_to_launch),
        cmocka_unit_test(a_launch_may_find_its_parameters_in_the_l2),
        cmocka_unit_test(the_l2_has_sets_and_ways),
        cmocka_unit_test(the_l2_replaces_by_use_or_by_age),
        cmocka_unit_test(a_sector_of_the_l2_is_fetched_by_itself),
        cmocka_unit_test(so_many_lines_of_the_l2_are_outstanding),
        cmocka_unit_test(a_line_of_the_l2_serves_so_many),
        cmocka_unit_test(chunks_lie_in_partitions_in_turn),
        cmocka_unit_test(a_row_is_opened_hit_or_closed_first),
        cmocka_unit_test(each_timing_has_its_part),
        cmocka_unit_test(a_slow_dram_counts_its_own_cycles),
        cmocka_unit_test(rows_have_a_size_and_banks_a_number),
        cmocka_unit_test(a_row_just_opened_stays_open_its_time),
        cmocka_unit_test(activates_of_two_banks_keep_apart),
        cmocka_unit_test(the_bus_moves_so_many_bytes_a_clock),
        cmocka_unit_test(a_fixed_dram_has_one_latency),
        cmocka_unit_test(the_oldest_goes_first_or_the_open_row),
        cmocka_unit_test(a_read_waits_for_the_bus_to_turn_around),
        cmocka_unit_test(a_row_recovers_from_a_write),
        cmocka_unit_test(a_refresh_closes_the_rows_and_takes_its_time),
        cmocka_unit_test(cycles_of_the_memory_side_are_those_of_the_launch),
        cmocka_unit_test(a_slice_takes_so_many_packets_before_it_looks),
        cmocka_unit_test(a_channel_holds_so_many_bursts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
