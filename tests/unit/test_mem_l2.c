/* An L2 slice to the cycle. DRAM is of the fixed kind here, 100 cycles, so that what is measured is the
 * slice. */
#include "mem_play.h"

enum { WAY = 20, HIT = 40, DRAM = 100 }; /* core cycles: network one way, L2 hit, DRAM */

static struct config small(void) {
    struct config c = play_config();
    c.dram_kind = DRAM_FIXED, c.dram_fixed_cy = DRAM, c.dram_bus_b = 32, c.dram_burst_b = 32;
    c.flit_b = 256; /* every packet is one flit */
    return c;
}

static u8 hit_of(const struct play *w, u32 token) {
    for (u32 i = 0; i < w->got.n; i++)
        if (w->got.at[i].r.kind != MRESP_CREDIT && w->got.at[i].r.token == token) return w->got.at[i].r.hit;
    fail_msg("no answer to %u", token);
    return 0;
}

static void a_miss_costs_dram_and_then_hits(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 1, 1);
    play_read(&w, 1000, 0, 1, 2);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), WAY + DRAM + HIT + WAY);
    assert_int_equal(play_answer(&w, 2), 1000 + WAY + HIT + WAY);
    assert_int_equal(hit_of(&w, 1), 0);
    assert_int_equal(hit_of(&w, 2), 1);
    play_end(&w);
}

/* Bursts of one request follow each other on the bus; all sectors come together */
static void four_sectors_are_four_bursts(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 15, 1);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), WAY + 3 + DRAM + HIT + WAY);
    assert_int_equal(partition_stats(w.p)->dram_reads, 4);
    play_end(&w);
}

static void accesses_keep_their_interval(void **state) {
    (void)state;
    struct config c = small();
    c.l2_interval = 3;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 1, 0);
    for (u32 i = 1; i < 5; i++) play_read(&w, 500, 0, 1, i);
    play_run(&w, 20);
    for (u32 i = 1; i < 5; i++) assert_int_equal(play_answer(&w, i), 500 + WAY + 3 * (i - 1) + HIT + WAY);
    assert_int_equal(partition_stats(w.p)->l2_busy, 15);
    play_end(&w);
}

/* Those who merge are answered with the first, in order, a flit apart */
static void a_line_outstanding_is_merged(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    for (u32 i = 0; i < 4; i++) play_read(&w, 10 * i, 0, 1, i);
    play_run(&w, 20);
    for (u32 i = 0; i < 4; i++) assert_int_equal(play_answer(&w, i), WAY + DRAM + HIT + WAY + i);
    assert_int_equal(partition_stats(w.p)->l2_misses, 1);
    assert_int_equal(partition_stats(w.p)->l2_merged, 3);
    assert_int_equal(partition_stats(w.p)->dram_reads, 1);
    play_end(&w);
}

/* Another sector of a line outstanding is fetched besides; each waiter leaves when its own sectors are
 * here */
static void further_sectors_are_fetched_besides(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 1, 1);
    play_read(&w, 10, 0, 2, 2);
    play_read(&w, 20, 0, 3, 3);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), WAY + DRAM + HIT + WAY);
    assert_int_equal(play_answer(&w, 2), 10 + WAY + DRAM + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), 10 + WAY + DRAM + HIT + WAY + 1);
    assert_int_equal(partition_stats(w.p)->dram_reads, 2);
    assert_int_equal(partition_stats(w.p)->l2_misses, 2);
    assert_int_equal(partition_stats(w.p)->l2_merged, 1);
    play_end(&w);
}

/* A hit looked at in the cycle of the fill is ready to leave with it: what missed has waited longer and goes
 * first */
static void refills_leave_before_hits(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    play_write(&w, 0, 1024, 1, 1);
    play_read(&w, 100, 0, 1, 2);
    play_read(&w, 100 + DRAM, 1024, 1, 3);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 2), 100 + WAY + DRAM + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), 100 + WAY + DRAM + HIT + WAY + 1);
    play_end(&w);
}

/* An atomic that is performed at a fill keeps the slice from taking what it would have taken meanwhile */
static void atomics_at_the_fill_keep_the_slice_busy(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    play_write(&w, 0, 1024, 1, 1);
    play_send(&w, (struct mreq){.cycle = 100, .sectors = 1, .kind = MREQ_ATOMIC, .same = 9, .token = 2, .data_b = 4});
    play_read(&w, 100 + DRAM, 1024, 1, 3);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 2), 100 + WAY + DRAM + 8 + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), 100 + WAY + DRAM + 9 + HIT + WAY);
    play_end(&w);
}

static void a_full_mshr_table_holds_the_queue(void **state) {
    (void)state;
    struct config c = small();
    c.l2_mshrs = 1;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 1, 1);
    play_read(&w, 5, 128, 1, 2); /* waits from 25 until the fill at 120 */
    play_read(&w, 6, 0, 1, 3);   /* behind it, though its line is here by then */
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), WAY + DRAM + HIT + WAY);
    assert_int_equal(play_answer(&w, 2), WAY + DRAM + DRAM + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), WAY + DRAM + 1 + HIT + WAY);
    assert_int_equal(partition_stats(w.p)->l2_mshr_full, 120 - 25);
    play_end(&w);
}

static void a_full_list_of_waiters_holds_the_queue(void **state) {
    (void)state;
    struct config c = small();
    c.l2_merge = 2;
    struct play w;
    play_begin(&w, &c);
    for (u32 i = 0; i < 3; i++) play_read(&w, 2 * i, 0, 1, i);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), WAY + DRAM + HIT + WAY + 1);
    assert_int_equal(play_answer(&w, 2),
                     WAY + DRAM + HIT + WAY + 2); /* taken at the fill, where it hits; the two refills leave first */
    assert_int_equal(partition_stats(w.p)->l2_mshr_full, 120 - 24);
    play_end(&w);
}

static void a_set_of_reserved_ways_holds_the_queue(void **state) {
    (void)state;
    struct config c = small();
    c.l2_sets = 1, c.l2_ways = 2;
    struct play w;
    play_begin(&w, &c);
    for (u32 i = 0; i < 3; i++) play_read(&w, 3 * i, 128 * i, 1, i);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 2), WAY + DRAM + DRAM + HIT + WAY);
    assert_int_equal(partition_stats(w.p)->l2_set_full, 120 - 26);
    assert_int_equal(partition_stats(w.p)->l2_evictions, 1);
    play_end(&w);
}

/* A queue of four bursts, a burst in eight cycles: the second line waits until the first has left */
static void a_full_dram_queue_holds_the_queue(void **state) {
    (void)state;
    struct config c = small();
    c.dram_queue = 4, c.dram_bus_b = 4;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 15, 1); /* bursts leave at 20, 28, 36, 44 */
    play_read(&w, 1, 128, 15, 2);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), 44 + DRAM + HIT + WAY);
    assert_int_equal(play_answer(&w, 2), 44 + 32 + DRAM + HIT + WAY);
    assert_int_equal(partition_stats(w.p)->l2_dram_full, 45 - 21);
    play_end(&w);
}

static void writes_need_no_fetch(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    play_write(&w, 0, 0, 3, 1);
    play_read(&w, 100, 0, 3, 2);
    play_read(&w, 200, 0, 7, 3); /* the third sector is not here */
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), WAY + HIT + WAY);
    assert_int_equal(play_answer(&w, 2), 100 + WAY + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), 200 + WAY + DRAM + HIT + WAY);
    assert_int_equal(partition_stats(w.p)->l2_validated, 1);
    assert_int_equal(partition_stats(w.p)->dram_reads, 1);
    play_end(&w);
}

/* Lines that are used or filled after a mark are not old, and room that nothing has filled is */
static void lines_are_old_until_they_are_used(void **state) {
    (void)state;
    struct config c = small();
    c.l2_sets = 4, c.l2_ways = 2;
    struct play w;
    play_begin(&w, &c);
    assert_int_equal(partition_lines(w.p), 8);
    for (u32 i = 0; i < 3; i++) play_read(&w, 0, 128 * i, 1, 1 + i);
    play_run(&w, 20);
    assert_int_equal(partition_old_lines(w.p), 5);
    partition_mark(w.p);
    assert_int_equal(partition_old_lines(w.p), 8);
    u64 now = w.now + 1;
    play_read(&w, now, 128, 1, 4);       /* a hit */
    play_write(&w, now, 128 * 3, 15, 5); /* in a place that was empty */
    play_run(&w, 20);
    assert_int_equal(partition_old_lines(w.p), 6);
    play_end(&w);
}

/* One set, one way: dirty sectors go to DRAM when their line goes, clean ones do not */
static void dirty_victims_are_written_back(void **state) {
    (void)state;
    struct config c = small();
    c.l2_sets = 1, c.l2_ways = 1;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 15, 1);
    play_write(&w, 500, 0, 6, 2);
    play_read(&w, 1000, 128, 1, 3);
    play_run(&w, 20);
    assert_int_equal(partition_stats(w.p)->l2_writebacks, 2);
    assert_int_equal(partition_stats(w.p)->dram_writes, 2);
    play_read(&w, 2000, 256, 1, 4);
    play_run(&w, 20);
    assert_int_equal(partition_stats(w.p)->l2_writebacks, 2);
    assert_int_equal(partition_stats(w.p)->l2_evictions, 2);
    partition_flush(w.p);
    play_read(&w, w.now + 1, 256, 1, 5);
    u64 sent = w.now + 1;
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 5), sent + WAY + DRAM + HIT + WAY);
    play_end(&w);
}

static void send_atomic(struct play *w, u64 cycle, u32 kind, u8 same, u32 token) {
    play_send(w, (struct mreq){.cycle = cycle,
                               .line = 0,
                               .sectors = 1,
                               .kind = (u8)kind,
                               .same = same,
                               .token = token,
                               .data_b = 32,
                               .atomic = (void *)(uintptr_t)token});
}

/* Two packets of 32 lanes at one address, two cycles a lane: 64 cycles each, one after the other */
static void atomics_at_one_address_serialise(void **state) {
    (void)state;
    struct config c = small();
    c.l2_atomic_cy = 2;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 1, 1);
    send_atomic(&w, 500, MREQ_ATOMIC, 32, 2);
    send_atomic(&w, 500, MREQ_RED, 32, 3);
    play_read(&w, 501, 0, 1, 4);
    play_run(&w, 20);
    u64 t = 500 + WAY;
    assert_int_equal(w.performed.n, 2);
    assert_int_equal(w.performed.at[0].cycle, t + 62);
    assert_int_equal(w.performed.at[1].cycle, t + 64 + 62);
    assert_ptr_equal(w.performed.at[1].atomic, (void *)(uintptr_t)3);
    assert_int_equal(play_answer(&w, 2), t + 62 + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), t + 64 + 62 + HIT + WAY);
    assert_int_equal(play_answer(&w, 4), t + 128 + HIT + WAY);
    play_end(&w);
}

static void atomics_of_different_addresses_cost_what_reads_do(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 1, 1);
    for (u32 i = 2; i < 6; i++) send_atomic(&w, 500, MREQ_ATOMIC, 1, i);
    play_run(&w, 20);
    for (u32 i = 2; i < 6; i++) {
        assert_int_equal(w.performed.at[i - 2].cycle, 500 + WAY + i - 2);
        assert_int_equal(play_answer(&w, i), 500 + WAY + i - 2 + HIT + WAY);
    }
    play_end(&w);
}

/* An atomic that misses is performed at the fill, after those before it; what it changed is dirty */
static void atomics_are_performed_at_the_fill(void **state) {
    (void)state;
    struct config c = small();
    c.l2_atomic_cy = 2, c.l2_sets = 1, c.l2_ways = 1;
    struct play w;
    play_begin(&w, &c);
    send_atomic(&w, 0, MREQ_ATOMIC, 3, 1);
    send_atomic(&w, 1, MREQ_ATOMIC, 5, 2);
    play_read(&w, 2, 0, 1, 3);
    play_run(&w, 20);
    u64 fill = WAY + DRAM;
    assert_int_equal(w.performed.at[0].cycle, fill + 4);
    assert_int_equal(w.performed.at[1].cycle, fill + 6 + 8);
    assert_int_equal(play_answer(&w, 1), fill + 4 + HIT + WAY);
    assert_int_equal(play_answer(&w, 2), fill + 6 + 8 + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), fill + 6 + 10 + HIT + WAY);
    play_read(&w, 1000, 128, 1, 4);
    play_run(&w, 20);
    assert_int_equal(partition_stats(w.p)->l2_writebacks, 1);
    play_end(&w);
}

/* L2 lines of 32 bytes: a packet of a 128-byte line is four accesses and one answer */
static void a_packet_may_have_several_lines(void **state) {
    (void)state;
    struct config c = small();
    c.l2_line_b = 32;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 15, 1); /* looked at from 20 to 23, a burst each */
    play_read(&w, 500, 0, 15, 2);
    play_read(&w, 1000, 0, 10, 3);
    send_atomic(&w, 1500, MREQ_ATOMIC, 1, 4);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), WAY + 3 + DRAM + HIT + WAY);
    assert_int_equal(play_answer(&w, 2), 500 + WAY + 3 + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), 1000 + WAY + 1 + HIT + WAY);
    assert_int_equal(partition_stats(w.p)->l2_accesses, 4 + 4 + 2 + 1);
    assert_int_equal(w.performed.n, 1);
    play_end(&w);
}

/* A 64-byte line of the constant cache in a 128-byte line of the L2: its pieces are counted from its own
 * start */
static void a_line_may_be_half_of_one(void **state) {
    (void)state;
    struct config c = small();
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 64, 3, 1);
    play_read(&w, 500, 0, 12, 2); /* the same two sectors */
    play_read(&w, 1000, 0, 1, 3);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 2), 500 + WAY + HIT + WAY);
    assert_int_equal(play_answer(&w, 3), 1000 + WAY + DRAM + HIT + WAY);
    play_end(&w);
}

/* While slices wait for DRAM, they get room in the order they asked */
static void slices_share_the_channel_fairly(void **state) {
    (void)state;
    struct config c = small();
    c.slices = 4, c.dram_queue = 1, c.dram_bus_b = 1; /* a burst in 32 cycles */
    struct play w;
    play_begin(&w, &c);
    for (u32 i = 0; i < 80; i++)
        play_read(&w, i / 4, (u64)(i % 4) * c.map_interleave_b + (u64)(i / 4) * 4 * c.map_interleave_b, 1, i);
    play_run(&w, 20);
    for (u32 i = 4; i < 80; i++) assert_int_equal(play_answer(&w, i) - play_answer(&w, i - 4), 4 * 32);
    play_end(&w);
}

static void waiting_requests_are_named(void **state) {
    (void)state;
    struct config c = small();
    c.l2_mshrs = 1;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 1, 1);
    send_atomic(&w, 1, MREQ_ATOMIC, 1, 2);
    play_read(&w, 2, 1024, 1, 77);
    play_window(&w, 30);
    struct strbuf text = {0};
    partition_waits(w.p, &text);
    assert_non_null(strstr(text.s, "waits for an MSHR"));
    assert_non_null(strstr(text.s, "token 77"));
    assert_non_null(strstr(text.s, "line 0x0, 2 waiting"));
    strbuf_free(&text);
    play_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_costs_dram_and_then_hits),
        cmocka_unit_test(four_sectors_are_four_bursts),
        cmocka_unit_test(accesses_keep_their_interval),
        cmocka_unit_test(a_line_outstanding_is_merged),
        cmocka_unit_test(further_sectors_are_fetched_besides),
        cmocka_unit_test(refills_leave_before_hits),
        cmocka_unit_test(atomics_at_the_fill_keep_the_slice_busy),
        cmocka_unit_test(a_full_mshr_table_holds_the_queue),
        cmocka_unit_test(a_full_list_of_waiters_holds_the_queue),
        cmocka_unit_test(a_set_of_reserved_ways_holds_the_queue),
        cmocka_unit_test(a_full_dram_queue_holds_the_queue),
        cmocka_unit_test(writes_need_no_fetch),
        cmocka_unit_test(lines_are_old_until_they_are_used),
        cmocka_unit_test(dirty_victims_are_written_back),
        cmocka_unit_test(atomics_at_one_address_serialise),
        cmocka_unit_test(atomics_of_different_addresses_cost_what_reads_do),
        cmocka_unit_test(atomics_are_performed_at_the_fill),
        cmocka_unit_test(a_packet_may_have_several_lines),
        cmocka_unit_test(a_line_may_be_half_of_one),
        cmocka_unit_test(slices_share_the_channel_fairly),
        cmocka_unit_test(waiting_requests_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
