/* The L1 data cache: misses and who waits for them, hazards in their order, sectors, what stores do, what
 * goes past it, which line goes. */
#include "micro.h"

#define IDEAL_L2 "l2.ideal=true"
/* Issue to dependent of a load that hits in the L2: operands and addresses, on to the port, there, the L2,
 * back, and its flits through the port */
static u64 l2_cy(u32 data_b) { return 2 + 1 + 20 + 40 + 20 + (8 + data_b + 31) / 32 - 1; }
/* A hit's latency from its access on */
enum { FROM_ACCESS = 30 - 2 };

/* All lanes read the same word: %rd1 = out, and it has been there for a while */
#define ONE              OUT "add.u64 %rd1, %rd0, 0;\n"
#define LD(r, at, label) "ld.global.u32 " r ", [%rd1+" at "]; // " label "\n"
/* waits for the load before */
#define USE(r) "add.u32 %r60, " r ", 1;\n"
#define SUM3   "add.u32 %r50, %r1, %r2;\nadd.u32 %r50, %r50, %r3;\n"

/* --- misses */

static void a_miss_takes_the_way_to_the_l2_and_back(void **state) {
    (void)state;
    RUN(.body = ONE LD("%r1", "0", "A") "add.u32 %r2, %r1, 1; // B\n", .keys = {IDEAL_L2});
    assert_int_equal(event_of(EV_ACCESS, WHO("A"))->cause, ACCESS_MISS);
    assert_int_equal(apart("A", "B"), l2_cy(128));
    assert_stat("l1_misses", 1);
    assert_stat("miss_latency_cycles", l2_cy(128) - 2);
    assert_stat("load_latency_cycles", l2_cy(128));
}

static void a_second_access_joins_the_line_under_way(void **state) {
    (void)state;
    RUN(.body = ONE LD("%r1", "0", "A") LD("%r2", "64", "B") LD("%r3", "128", "C") SUM3, .keys = {IDEAL_L2});
    assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, ACCESS_MERGED);
    assert_int_equal(event_of(EV_ACCESS, WHO("C"))->cause, ACCESS_MISS);
    assert_int_equal(when(EV_READY, "B"), when(EV_READY, "A"));
    assert_stat("l1_merged", 1);
    assert_stat("packets_out", 3); /* the parameter's line and two of ours */
}

static void a_line_serves_so_many_accesses(void **state) {
    (void)state;
    const char *body = JOIN(ONE, series(6, "ld.global.u32 %r#, [%rd1]; // L#\n"), series(6, "add.u32 %r20, %r20, %r#;\n"));
    for (u32 merge = 1; merge <= 4; merge++) {
        RUN(.body = body, .keys = {IDEAL_L2, text("sm.l1.merge=%u", merge)});
        u64 filled = when(EV_READY, "L0");
        const char *last = text("L%u", merge - 1), *more = text("L%u", merge);
        assert_int_equal(when(EV_READY, last), filled);
        assert_int_equal(when(EV_ACCESS, more), filled); /* the line is there: it hits */
        assert_int_equal(when(EV_READY, more), filled + FROM_ACCESS);
        assert_int_equal(ran.stats->sum.hazards[HAZARD_MERGE], filled - when(EV_ACCESS, last) - 1);
        assert_int_equal(ran.stats->sum.hazards[HAZARD_MSHR], 0);
    }
}

static const char *lines(u32 n) {
    return JOIN(ONE, text("// %u lines\n", n), series(n, "ld.global.u32 %r#, [%rd1+#00]; // L#\n"),
                series(n, "add.u32 %r20, %r20, %r#;\n"));
}
/* of 32 bytes, a hundred apart */
#define SHORT_LINES "sm.l1.line_b=32", "sm.l1.sector_b=32", "l2.line_b=32", "l2.sector_b=32"

static void so_many_lines_are_outstanding(void **state) {
    (void)state;
    for (u32 n = 1; n <= 4; n++) {
        RUN(.body = lines(6), .keys = {IDEAL_L2, SHORT_LINES, text("sm.l1.mshrs=%u", n)});
        assert_int_equal(when(EV_ACCESS, text("L%u", n - 1)) - when(EV_ACCESS, "L0"), n - 1);
        assert_int_equal(when(EV_ACCESS, text("L%u", n)), when(EV_READY, "L0"));
        assert_stat("mshr_peak", n);
        assert_int_equal(ran.stats->sum.hazards[HAZARD_MSHR] > 0, true);
        assert_int_equal(ran.stats->sum.hazards[HAZARD_RSV] + ran.stats->sum.hazards[HAZARD_COMQ], 0);
    }
}

static void a_miss_behind_the_head_waits_with_it(void **state) {
    (void)state;
    /* hits wait too: the stage is in order */
    RUN(.body = ONE LD("%r4", "1024", "W") USE("%r4") LD("%r1", "0", "A") LD("%r2", "128", "B") LD("%r3", "1024", "C") SUM3,
        .keys = {IDEAL_L2, "sm.l1.mshrs=1"});
    assert_int_equal(when(EV_ACCESS, "B"), when(EV_READY, "A"));
    assert_int_equal(event_of(EV_ACCESS, WHO("C"))->cause, ACCESS_HIT);
    assert_int_equal(when(EV_ACCESS, "C"), when(EV_ACCESS, "B") + 1);
}

/* --- the miss queue. A store of a line is five flits: the port takes one packet in five cycles. */

#define STORES                                                                                                                   \
    MINE "st.global.u32 [%rd1], %r0; // S0\nst.global.u32 [%rd1+128], %r0; // S1\nst.global.u32 [%rd1+256], %r0; // "            \
         "S2\nst.global.u32 [%rd1+384], %r0; // S3\n"

static void packets_wait_for_the_port_in_a_queue(void **state) {
    (void)state;
    static const u32 want[3][4] = {{0, 1, 6, 11}, {0, 1, 2, 6}, {0, 1, 2, 3}};
    for (u32 queue = 1; queue <= 3; queue++) {
        RUN(.body = STORES, .keys = {IDEAL_L2, text("sm.l1.miss_queue=%u", queue)});
        for (u32 i = 0; i < 4; i++) assert_int_equal(when(EV_ACCESS, text("S%u", i)) - when(EV_ACCESS, "S0"), want[queue - 1][i]);
        assert_int_equal(ran.stats->sum.hazards[HAZARD_COMQ], queue == 1 ? 8 : queue == 2 ? 3 : 0);
    }
}

static void a_queue_of_one_is_enough(void **state) {
    (void)state;
    RUN(.body = ONE LD("%r1", "0", "A") "add.u32 %r2, %r1, 1; // B\n", .keys = {IDEAL_L2, "sm.l1.miss_queue=1"});
    assert_int_equal(apart("A", "B"), l2_cy(128));
    RUN(.body = ONE LD("%r1", "0", "A") "add.u32 %r2, %r1, 1; // B\n",
        .keys = {IDEAL_L2, "sm.l1.miss_queue=1", "sm.l1.write=back", "sm.l1.write_local=back"});
    assert_int_equal(apart("A", "B"), l2_cy(128));
}

/* --- reservation */

static void a_miss_needs_a_way_that_is_not_reserved(void **state) {
    (void)state;
    for (u32 ways = 1; ways <= 3; ways++) {
        RUN(.body = lines(5), .keys = {IDEAL_L2, SHORT_LINES, "sm.l1.sets=1", text("sm.l1.ways=%u", ways)});
        assert_int_equal(when(EV_ACCESS, text("L%u", ways - 1)) - when(EV_ACCESS, "L0"), ways - 1);
        assert_int_equal(when(EV_ACCESS, text("L%u", ways)), when(EV_READY, "L0"));
        assert_true(ran.stats->sum.hazards[HAZARD_RSV] > 0);
        assert_int_equal(ran.stats->sum.hazards[HAZARD_MSHR] + ran.stats->sum.hazards[HAZARD_COMQ], 0);
    }
}

static void a_streaming_cache_reserves_nothing(void **state) {
    (void)state;
    RUN(.body = lines(5), .keys = {IDEAL_L2, SHORT_LINES, "sm.l1.sets=1", "sm.l1.ways=1", "sm.l1.stream=true"});
    for (u32 i = 0; i < 5; i++) assert_int_equal(when(EV_ACCESS, text("L%u", i)) - when(EV_ACCESS, "L0"), i);
    assert_int_equal(ran.stats->sum.hazards[HAZARD_RSV], 0);
}

static void a_streamed_line_is_there_after_its_fill(void **state) {
    (void)state;
    RUN(.body = ONE LD("%r1", "0", "A") USE("%r1") LD("%r2", "0", "B"), .keys = {IDEAL_L2, "sm.l1.stream=true"});
    assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, ACCESS_HIT);
}

static void mshrs_are_looked_at_before_ways(void **state) {
    (void)state;
    RUN(.body = lines(4), .keys = {IDEAL_L2, SHORT_LINES, "sm.l1.sets=1", "sm.l1.ways=1", "sm.l1.mshrs=1"});
    assert_true(ran.stats->sum.hazards[HAZARD_MSHR] > 0);
    assert_int_equal(ran.stats->sum.hazards[HAZARD_RSV], 0);
}

static void the_queue_is_looked_at_before_ways(void **state) {
    (void)state;
    /* A's line is reserved; two packets of stores stand in the queue when B comes, whose way is not free
     * either */
    RUN(.body = MINE LD("%r1", "0", "A") "st.global.u32 [%rd1+256], %r0;\nst.global.u32 [%rd1+512], %r0;\nst.global.u32 "
                                         "[%rd1+1024], %r0; // S\n" LD("%r2", "128", "B") KEEP2("%r1", "%r2"),
        .keys = {IDEAL_L2, "sm.l1.sets=1", "sm.l1.ways=1", "sm.l1.miss_queue=2", "sm.l1.write_local=through"});
    assert_true(hazards_of(WHO("B"), HAZARD_COMQ) > 0);
    assert_int_equal(when(EV_ACCESS, "B"), when(EV_READY, "A"));
    assert_true(ran.stats->sum.hazards[HAZARD_RSV] > 0);
}

/* --- sectors */

static void a_sector_is_fetched_by_itself(void **state) {
    (void)state;
    for (u32 sector = 32; sector <= 128; sector *= 2) {
        RUN(.body = ONE LD("%r1", "0", "A") USE("%r1") LD("%r2", "32", "B") USE("%r2") LD("%r3", "64", "C") USE("%r3"),
            .keys = {IDEAL_L2, text("sm.l1.sector_b=%u", sector)});
        assert_int_equal(when(EV_READY, "A") - issue("A"), l2_cy(sector));
        assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, sector > 32 ? ACCESS_HIT : ACCESS_MISS);
        assert_int_equal(event_of(EV_ACCESS, WHO("C"))->cause, sector > 64 ? ACCESS_HIT : ACCESS_MISS);
        assert_stat("l1_misses", sector == 32 ? 3 : sector == 64 ? 2 : 1);
    }
}

static void all_sectors_of_an_access_come_in_one_packet(void **state) {
    (void)state;
    RUN(.body = MINE "ld.global.u32 %r1, [%rd1]; // A\nadd.u32 %r2, %r1, 1; // B\n", .keys = {IDEAL_L2, "sm.l1.sector_b=32"});
    assert_int_equal(apart("A", "B"), l2_cy(128));
    assert_stat("packets_out", 2);
}

static void a_line_is_done_when_all_its_sectors_are(void **state) {
    (void)state;
    RUN(.body = ONE LD("%r1", "0", "A") LD("%r2", "32", "B") KEEP2("%r1", "%r2"), .keys = {IDEAL_L2, "sm.l1.sector_b=32"});
    assert_stat("l1_misses", 2);
    assert_stat("l1_fills", 1);
    assert_int_equal(when(EV_READY, "A") - issue("A"), l2_cy(32) + 2); /* two flits more through the port */
    assert_int_equal(when(EV_READY, "B"), when(EV_READY, "A"));
}

/* --- stores */

struct touched {
    u32 hits, misses, packets; /* of the L1, without the parameter's */
};
static struct touched touch(const char *body, const char *a, const char *b) {
    RUN(.body = JOIN(ONE, ".local .align 4 .b8 l[4096];\nmov.u32 %r30, l;\n", body), .keys = {IDEAL_L2, a, b});
    return (struct touched){(u32)stat_of("l1_hits"), (u32)stat_of("l1_misses"), (u32)stat_of("packets_out") - 1};
}
#define expect(t, h, m, p)                                                                                                       \
    do {                                                                                                                         \
        struct touched got = t;                                                                                                  \
        assert_int_equal(got.hits, h);                                                                                           \
        assert_int_equal(got.misses, m);                                                                                         \
        assert_int_equal(got.packets, p);                                                                                        \
    } while (0)
#define LSL                                                                                                                      \
    "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;\nld.global.u32 %r3, [%rd1];\nadd.u32 %r4, "    \
    "%r3, 1;\n"
#define SL  "st.global.u32 [%rd1], %r0;\nld.global.u32 %r3, [%rd1];\nadd.u32 %r4, %r3, 1;\n"
#define ANY "sm.l1.mshrs=16"

static void a_store_goes_through_and_updates(void **state) {
    (void)state;
    expect(touch(LSL, "sm.l1.write=through", ANY), 1, 1, 2);
    expect(touch(SL, "sm.l1.write=through", ANY), 0, 1, 2); /* it makes no line */
}

static void a_store_may_evict_what_it_hits(void **state) {
    (void)state;
    expect(touch(LSL, "sm.l1.write=through", "sm.l1.write_evict=true"), 0, 2, 3);
}

static void a_store_may_stay(void **state) {
    (void)state;
    expect(touch(LSL, "sm.l1.write=back", ANY), 1, 1, 1);
    expect(touch(SL, "sm.l1.write=back", ANY), 1, 0, 0);
}

#define LOCAL_SL "st.local.u32 [%r30], %r0;\nld.local.u32 %r3, [%r30];\nadd.u32 %r4, %r3, 1;\n"

static void local_stores_have_a_key_of_their_own(void **state) {
    (void)state;
    expect(touch(LOCAL_SL, "sm.l1.write_local=back", "sm.l1.write=through"), 1, 0, 0);
    expect(touch(LOCAL_SL, "sm.l1.write_local=through", "sm.l1.write=back"), 0, 1, 2);
}

static void a_dirty_line_that_goes_is_written_back(void **state) {
    (void)state;
    const char *body =
        "st.global.u32 [%rd1], %r0;\nst.global.u32 [%rd1+128], %r0;\nld.global.u32 %r3, [%rd1+256];\nadd.u32 %r4, %r3, 1;\n";
    RUN(.body = JOIN(ONE, body), .keys = {IDEAL_L2, "sm.l1.write=back", "sm.l1.sets=1", "sm.l1.ways=1"});
    assert_stat("l1_evictions", 2);
    assert_stat("l1_writebacks", 2);
    assert_stat("packets_out", 1 + 2 + 1);
    RUN(.body = JOIN(ONE, body), .keys = {IDEAL_L2, "sm.l1.write=back", "sm.l1.sets=1", "sm.l1.ways=1", "sm.l1.sector_b=32"});
    assert_stat("l1_writebacks", 2); /* one sector of each */
    assert_stat("noc_flits_in", 1 + 2 * 2 + 1);
}

static void a_store_takes_whole_sectors_to_the_l2(void **state) {
    (void)state;
    RUN(.body = ONE "st.global.u32 [%rd1], %r0;\n", .keys = {IDEAL_L2});
    assert_stat("noc_flits_in", 1 + 2); /* the parameter's request; 32 bytes and a header */
    RUN(.body = MINE "st.global.u32 [%rd1], %r0;\n", .keys = {IDEAL_L2});
    assert_stat("noc_flits_in", 1 + 5);
}

/* --- past the cache */

static void some_loads_go_past_the_cache(void **state) {
    (void)state;
    static const char *const loads[] = {"ld.global.cg.u32", "ld.global.cv.u32", "ld.volatile.global.u32",
                                        "ld.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32"};
    for (u32 i = 0; i < ARRAY_LEN(loads); i++) {
        RUN(.body = JOIN(ONE LD("%r4", "0", "W") USE("%r4"), loads[i], " %r1, [%rd1]; // A\nadd.u32 %r2, %r1, 1; // B\n",
                         loads[i], " %r3, [%rd1+256];\nadd.u32 %r5, %r3, 1;\n", LD("%r6", "256", "C") USE("%r6")),
            .keys = {IDEAL_L2});
        assert_int_equal(event_of(EV_ACCESS, WHO("A"))->cause, ACCESS_BYPASS); /* though the line is there */
        assert_int_equal(when(EV_READY, "A") - issue("A"), l2_cy(32));
        assert_int_equal(event_of(EV_ACCESS, WHO("C"))->cause, ACCESS_MISS); /* and it leaves none */
        assert_stat("l1_bypassed", 2);
        assert_stat("l1_accesses", 2);
    }
}

static void a_cache_without_global_loads_keeps_local_ones(void **state) {
    (void)state;
    const char *body = ONE ".local .align 4 .b8 l[64];\nmov.u32 %r30, l;\n" LD("%r1", "0", "A") USE("%r1") LD("%r2", "0", "B")
        USE("%r2") "ld.local.u32 %r3, [%r30]; // C\nadd.u32 %r4, %r3, 1;\nld.local.u32 %r5, [%r30]; // D\nadd.u32 %r6, %r5, 1;\n";
    RUN(.body = body, .keys = {IDEAL_L2, "sm.l1.global=false"});
    assert_int_equal(event_of(EV_ACCESS, WHO("A"))->cause, ACCESS_BYPASS);
    assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, ACCESS_BYPASS);
    assert_int_equal(event_of(EV_ACCESS, WHO("C"))->cause, ACCESS_MISS);
    assert_int_equal(event_of(EV_ACCESS, WHO("D"))->cause, ACCESS_HIT);
    RUN(.body = body, .keys = {IDEAL_L2, "sm.l1.global=true"});
    assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, ACCESS_HIT);
}

static void an_atomic_drops_the_line(void **state) {
    (void)state;
    RUN(.body = ONE LD("%r1", "0", "A")
            USE("%r1") "atom.global.add.u32 %r2, [%rd1+64], 1;\nadd.u32 %r3, %r2, 1;\n" LD("%r4", "0", "B") USE("%r4"),
        .threads = 1, .keys = {IDEAL_L2});
    assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, ACCESS_MISS);
}

/* --- fills, sets, ways */

static void fills_come_so_far_apart(void **state) {
    (void)state;
    for (u32 n = 1; n <= 9; n += 4) { /* two lines, asked for in consecutive cycles, through ports of any width */
        RUN(.body = MINE "ld.global.u32 %r1, [%rd1+4]; // A\nadd.u32 %r2, %r1, 1; // B\n",
            .keys = {IDEAL_L2, "noc.ideal=true", text("sm.l1.fill_cy=%u", n)});
        assert_int_equal(apart("A", "B"), 2 + 1 + 20 + 40 + 20 + n);
    }
}

static bool hits_again(const char *others, const char *sets, const char *ways, const char *replace) {
    RUN(.body = JOIN(ONE LD("%r1", "0", "A") USE("%r1"), others, LD("%r2", "0", "B") USE("%r2")),
        .keys = {IDEAL_L2, sets, ways, replace});
    return event_of(EV_ACCESS, WHO("B"))->cause == ACCESS_HIT;
}
#define OTHER(at) "ld.global.u32 %r10, [%rd1+" at "];\nadd.u32 %r11, %r10, 1;\n"

static void lines_of_a_set_share_its_ways(void **state) {
    (void)state;
    const char *lru = "sm.l1.replace=lru";
    assert_false(hits_again(OTHER("512"), "sm.l1.sets=4", "sm.l1.ways=1", lru));
    assert_true(hits_again(OTHER("512"), "sm.l1.sets=8", "sm.l1.ways=1", lru));
    assert_true(hits_again(OTHER("512"), "sm.l1.sets=4", "sm.l1.ways=2", lru));
    assert_true(hits_again(OTHER("384"), "sm.l1.sets=4", "sm.l1.ways=1", lru));
    assert_false(hits_again(OTHER("512") OTHER("1024"), "sm.l1.sets=4", "sm.l1.ways=2", lru));
}

/* Lines 8 kB apart share a set of 32 or 64; Fermi's bit 13 parts them, and its bit 12 does not fold */
static void sets_are_found_by_low_bits_or_folded(void **state) {
    (void)state;
    for (u32 sets = 32; sets <= 64; sets *= 2) {
        assert_false(hits_again(OTHER("8192"), text("sm.l1.sets=%u", sets), "sm.l1.ways=1", "sm.l1.index=linear"));
        assert_true(hits_again(OTHER("8192"), text("sm.l1.sets=%u", sets), "sm.l1.ways=1", "sm.l1.index=fermi"));
    }
    assert_false(hits_again(OTHER("4096"), "sm.l1.sets=32", "sm.l1.ways=1", "sm.l1.index=fermi"));
    assert_true(hits_again(OTHER("4096"), "sm.l1.sets=64", "sm.l1.ways=1", "sm.l1.index=fermi"));
}

static void the_line_used_longest_ago_goes_or_the_oldest(void **state) {
    (void)state;
    const char *others = OTHER("128") OTHER("0") OTHER("256"); /* the first line again before the third comes */
    assert_true(hits_again(others, "sm.l1.sets=1", "sm.l1.ways=2", "sm.l1.replace=lru"));
    assert_false(hits_again(others, "sm.l1.sets=1", "sm.l1.ways=2", "sm.l1.replace=fifo"));
}

static void caches_of_an_sm_start_empty(void **state) {
    (void)state;
    RUN(.body = ONE LD("%r1", "0", "A") USE("%r1"), .launches = 2);
    assert_int_equal(event_of(EV_ACCESS, WHO("A"))->cause, ACCESS_MISS);
    assert_stat("const_misses", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_takes_the_way_to_the_l2_and_back),
        cmocka_unit_test(a_second_access_joins_the_line_under_way),
        cmocka_unit_test(a_line_serves_so_many_accesses),
        cmocka_unit_test(so_many_lines_are_outstanding),
        cmocka_unit_test(a_miss_behind_the_head_waits_with_it),
        cmocka_unit_test(packets_wait_for_the_port_in_a_queue),
        cmocka_unit_test(a_queue_of_one_is_enough),
        cmocka_unit_test(a_miss_needs_a_way_that_is_not_reserved),
        cmocka_unit_test(a_streaming_cache_reserves_nothing),
        cmocka_unit_test(a_streamed_line_is_there_after_its_fill),
        cmocka_unit_test(mshrs_are_looked_at_before_ways),
        cmocka_unit_test(the_queue_is_looked_at_before_ways),
        cmocka_unit_test(a_sector_is_fetched_by_itself),
        cmocka_unit_test(all_sectors_of_an_access_come_in_one_packet),
        cmocka_unit_test(a_line_is_done_when_all_its_sectors_are),
        cmocka_unit_test(a_store_goes_through_and_updates),
        cmocka_unit_test(a_store_may_evict_what_it_hits),
        cmocka_unit_test(a_store_may_stay),
        cmocka_unit_test(local_stores_have_a_key_of_their_own),
        cmocka_unit_test(a_dirty_line_that_goes_is_written_back),
        cmocka_unit_test(a_store_takes_whole_sectors_to_the_l2),
        cmocka_unit_test(some_loads_go_past_the_cache),
        cmocka_unit_test(a_cache_without_global_loads_keeps_local_ones),
        cmocka_unit_test(an_atomic_drops_the_line),
        cmocka_unit_test(fills_come_so_far_apart),
        cmocka_unit_test(lines_of_a_set_share_its_ways),
        cmocka_unit_test(sets_are_found_by_low_bits_or_folded),
        cmocka_unit_test(the_line_used_longest_ago_goes_or_the_oldest),
        cmocka_unit_test(caches_of_an_sm_start_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
