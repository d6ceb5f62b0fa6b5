/* The crossbar to the cycle: latency, a port's rate, credits, clocks. The L2 always hits here. */
#include "mem_play.h"

static struct config hits(void) {
    struct config c = play_config();
    c.l2_ideal = 1;
    return c;
}

static void latency_is_paid_each_way(void **state) {
    (void)state;
    struct config c = hits();
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 7, 0, 1, 1);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), 7 + 20 + 40 + 20);
    assert_int_equal(play_credit(&w, 1), 7 + 20 + 20);
    play_end(&w);
}

/* Core 9 ticks, noc and L2 18, as on a machine of 1400 and 700 MHz */
static void clocks_round_up(void **state) {
    (void)state;
    struct config c = hits();
    c.core_mhz = 1400, c.noc_mhz = 700, c.l2_mhz = 700, c.dram_mhz = 1800;
    struct clocks k = clocks_of(&c);
    assert_int_equal(k.core, 9);
    assert_int_equal(k.noc, 18);
    assert_int_equal(k.l2, 18);
    assert_int_equal(k.dram, 7);
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 1, 0, 1, 1); /* tick 9: the next edge of the noc is at 18 */
    play_read(&w, 1, 0, 1, 2);
    play_run(&w, 20);
    assert_int_equal(partition_stats(w.p)->noc_wait_in, 2); /* one cycle of the noc */
    assert_int_equal(play_answer(&w, 1), (18 + 18 * (20 + 40 + 20)) / 9);
    assert_int_equal(play_credit(&w, 1), (18 + 18 * 20) / 9 + 20);
    play_end(&w);
}

/* A fast noc: 3 ticks against 10 of the core; the answer's last fraction of a cycle counts whole */
static void fractions_count_whole(void **state) {
    (void)state;
    struct config c = hits();
    c.core_mhz = 300, c.noc_mhz = 1000, c.l2_mhz = 1000, c.dram_mhz = 1000;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 1, 0, 1, 1); /* tick 10 -> 12 */
    play_run(&w, 1);
    assert_int_equal(play_answer(&w, 1), (12 + 3 * 80 + 9) / 10);
    assert_int_equal(play_credit(&w, 1), (12 + 3 * 20 + 9) / 10 + 20);
    play_end(&w);
}

static void clocks_without_a_common_measure_are_rounded(void **state) {
    (void)state;
    struct config c = hits();
    c.core_mhz = 9973, c.noc_mhz = 9967, c.l2_mhz = 9949, c.dram_mhz = 19997; /* primes */
    struct clocks k = clocks_of(&c);
    assert_true(k.core < 1u << 24 && k.noc < 1u << 24 && k.l2 < 1u << 24 && k.dram < 1u << 24);
    assert_true(k.core >= k.dram * 1.98 && k.core <= k.dram * 2.02);
}

/* A packet of one flit is through a cycle after the one before, one of n flits n cycles after; SMs in order
 * of number */
static void a_port_takes_a_flit_a_cycle(void **state) {
    (void)state;
    struct config c = hits();
    c.sms = 3;
    struct play w;
    play_begin(&w, &c);
    play_send(&w, (struct mreq){.cycle = 0, .sm = 0, .token = 1});
    play_send(&w, (struct mreq){.cycle = 0, .sm = 1, .token = 2, .kind = MREQ_WRITE, .data_b = 128}); /* 136 bytes: 5 flits */
    play_send(&w, (struct mreq){.cycle = 0, .sm = 2, .token = 3});
    play_run(&w, 20);
    assert_int_equal(play_credit(&w, 1), 40);
    assert_int_equal(play_credit(&w, 2), 45);
    assert_int_equal(play_credit(&w, 3), 46);
    assert_int_equal(partition_stats(w.p)->noc_flits_in, 7);
    assert_int_equal(partition_stats(w.p)->noc_wait_in, 1 + 6);
    play_end(&w);
}

/* A long packet is in when its last flit is; the flits of the next may follow at once */
static void a_packet_is_in_with_its_last_flit(void **state) {
    (void)state;
    struct config c = hits();
    struct play w;
    play_begin(&w, &c);
    play_send(&w, (struct mreq){.cycle = 0, .token = 1, .kind = MREQ_WRITE, .data_b = 128});
    play_send(&w, (struct mreq){.cycle = 5, .token = 2, .kind = MREQ_WRITE, .data_b = 128});
    play_send(&w, (struct mreq){.cycle = 9, .token = 3, .kind = MREQ_WRITE, .data_b = 128});
    play_run(&w, 20);
    assert_int_equal(play_credit(&w, 1), 44);
    assert_int_equal(play_credit(&w, 2), 49);
    assert_int_equal(play_credit(&w, 3), 54);
    play_end(&w);
}

/* A queue of one and a slice that takes a packet every ten cycles: the place freed in a cycle is used in the
 * next */
static void credits_wait_for_room(void **state) {
    (void)state;
    struct config c = hits();
    c.l2_queue = 1, c.l2_interval = 10;
    struct play w;
    play_begin(&w, &c);
    for (u32 i = 0; i < 4; i++) play_read(&w, 0, 0, 1, i);
    play_run(&w, 20);
    assert_int_equal(play_credit(&w, 0), 20 + 20); /* taken at 20 */
    assert_int_equal(play_credit(&w, 1), 21 + 20); /* taken at 30 */
    assert_int_equal(play_credit(&w, 2), 31 + 20);
    assert_int_equal(play_credit(&w, 3), 41 + 20);
    for (u32 i = 0; i < 4; i++) assert_int_equal(play_answer(&w, i), 20 + 10 * i + 40 + 20);
    play_end(&w);
}

/* Answers of 128 bytes are 5 flits: hits a cycle apart leave five apart */
static void answers_share_the_port(void **state) {
    (void)state;
    struct config c = hits();
    struct play w;
    play_begin(&w, &c);
    for (u32 i = 0; i < 3; i++) play_read(&w, i, 0, 15, i);
    play_run(&w, 20);
    for (u32 i = 0; i < 3; i++) assert_int_equal(play_answer(&w, i), 80 + 5 * i);
    assert_int_equal(partition_stats(w.p)->noc_flits_out, 15);
    assert_int_equal(partition_stats(w.p)->noc_wait_out, 4 + 8);
    play_end(&w);
}

static void an_ideal_network_has_no_ports(void **state) {
    (void)state;
    struct config c = hits();
    c.noc_ideal = 1, c.l2_queue = 1, c.l2_interval = 3;
    struct play w;
    play_begin(&w, &c);
    for (u32 i = 0; i < 50; i++) play_read(&w, 0, 0, 15, i);
    play_run(&w, 20);
    for (u32 i = 0; i < 50; i++) {
        assert_int_equal(play_credit(&w, i), 40);
        assert_int_equal(play_answer(&w, i), 80 + 3 * i);
    }
    play_end(&w);
}

/* One slice's backlog is not seen at another */
static void slices_do_not_disturb_each_other(void **state) {
    (void)state;
    struct config c = hits();
    c.slices = 2, c.l2_queue = 1, c.l2_interval = 64;
    struct play w;
    play_begin(&w, &c);
    for (u32 i = 0; i < 10; i++) play_read(&w, 0, 0, 1, i);
    play_read(&w, 1, c.map_interleave_b, 1, 100);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 100), 81);
    assert_int_equal(play_credit(&w, 100), 41);
    play_end(&w);
}

static void answers_carry_what_was_asked(void **state) {
    (void)state;
    struct config c = hits();
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 5, 0);
    play_write(&w, 1, 0, 3, 1);
    play_send(&w, (struct mreq){.cycle = 2, .token = 2, .kind = MREQ_ATOMIC, .data_b = 48});
    play_send(&w, (struct mreq){.cycle = 3, .token = 3, .kind = MREQ_RED, .data_b = 48});
    play_run(&w, 20);
    static const u16 bytes[] = {64, 0, 48, 0};
    static const u8 kinds[] = {MRESP_DATA, MRESP_ACK, MRESP_DATA, MRESP_ACK};
    u32 seen = 0;
    for (u32 i = 0; i < w.got.n; i++) {
        const struct mresp *r = &w.got.at[i].r;
        if (r->kind == MRESP_CREDIT) continue;
        assert_int_equal(r->data_b, bytes[r->token]);
        assert_int_equal(r->kind, kinds[r->token]);
        assert_int_equal(r->hit, 1);
        seen++;
    }
    assert_int_equal(seen, 4);
    play_end(&w);
}

static void the_window_is_the_shortest_way_back(void **state) {
    (void)state;
    struct config c = hits();
    c.noc_cy = 30, c.credit_cy = 25;
    assert_int_equal(mem_min_latency(&c), 25);
    c.credit_cy = 50;
    assert_int_equal(mem_min_latency(&c), 30);
    c.core_mhz = 700; /* 30 cycles of 1 ns are 21 of 1.43 ns */
    assert_int_equal(mem_min_latency(&c), 21);
    c.noc_cy = 1;
    assert_int_equal(mem_min_latency(&c), 1);
}

static void an_idle_partition_says_so(void **state) {
    (void)state;
    struct config c = hits();
    struct play w;
    play_begin(&w, &c);
    assert_true(partition_next(w.p, 5) == UINT64_MAX);
    play_read(&w, 3, 0, 1, 1);
    play_window(&w, 10);
    assert_int_equal(partition_next(w.p, 10), 23); /* the packet at the port */
    play_window(&w, 23);
    assert_int_equal(w.got.n, 0);
    assert_int_equal(partition_next(w.p, 23), 23);
    play_window(&w, 24);
    assert_int_equal(partition_next(w.p, 24), 63); /* its answer */
    struct strbuf text = {0};
    partition_waits(w.p, &text);
    assert_non_null(strstr(text.s, "1 answers"));
    strbuf_free(&text);
    play_window(&w, 64);
    assert_true(partition_next(w.p, 64) == UINT64_MAX);
    partition_flush(w.p);
    play_end(&w);
}

/* A queue of one and a slice that takes a packet every ten cycles: tokens 3, 4 and 5 of SMs 1, 0 and 0 wait
 * together. By age 3 goes first; by number SM 0 does, with its own packets in order. */
static void the_lowest_sm_goes_first(void **state) {
    (void)state;
    static const u32 goes_in[2][6] = {{0, 20, 21, 31, 41, 51}, {0, 20, 21, 51, 31, 41}};
    for (u32 arbiter = 0; arbiter < 2; arbiter++) {
        struct config c = hits();
        c.sms = 3, c.l2_queue = 1, c.l2_interval = 10, c.noc_arbiter = arbiter;
        struct play w;
        play_begin(&w, &c);
        play_send(&w, (struct mreq){.cycle = 0, .sm = 2, .token = 1});
        play_send(&w, (struct mreq){.cycle = 1, .sm = 2, .token = 2});
        play_send(&w, (struct mreq){.cycle = 2, .sm = 1, .token = 3});
        play_send(&w, (struct mreq){.cycle = 3, .sm = 0, .token = 4});
        play_send(&w, (struct mreq){.cycle = 4, .sm = 0, .token = 5});
        play_run(&w, 20);
        for (u32 token = 1; token <= 5; token++) assert_int_equal(play_credit(&w, token), goes_in[arbiter][token] + 20);
        play_end(&w);
    }
}

/* Who has not come cannot go first: the port takes what has begun to come, long packets to the last flit */
static void only_who_has_come_goes_first(void **state) {
    (void)state;
    struct config c = hits();
    c.sms = 2, c.noc_arbiter = ARBITER_LOWEST;
    struct play w;
    play_begin(&w, &c);
    play_send(&w, (struct mreq){.cycle = 0, .sm = 1, .token = 1});
    play_send(&w, (struct mreq){.cycle = 0, .sm = 1, .token = 2});
    play_send(&w, (struct mreq){.cycle = 2, .sm = 0, .token = 3, .kind = MREQ_WRITE, .data_b = 128}); /* 5 flits */
    play_run(&w, 20);
    assert_int_equal(play_credit(&w, 1), 40);
    assert_int_equal(play_credit(&w, 2), 41);
    assert_int_equal(play_credit(&w, 3), 46); /* five flits behind 21 */
    play_end(&w);
}

struct sent {
    u32 cycle, sm;
    bool is_long;          /* 5 flits, else 1 */
    u32 by_age, by_number; /* when it is in */
};

/* Packets of one and of five flits: who has begun is not interrupted, packets of one SM keep their order, and
 * the port has a flit in every cycle, whoever goes first */
static void sizes_share_the_port(const struct sent *all, u32 n) {
    for (u32 arbiter = 0; arbiter < 2; arbiter++) {
        struct config c = hits();
        c.sms = 3, c.noc_arbiter = arbiter;
        struct play w;
        play_begin(&w, &c);
        for (u32 i = 0; i < n; i++)
            play_send(&w, (struct mreq){.cycle = all[i].cycle,
                                        .sm = (u16)all[i].sm,
                                        .token = i,
                                        .kind = all[i].is_long ? MREQ_WRITE : MREQ_READ,
                                        .data_b = all[i].is_long ? 128 : 0});
        play_run(&w, 20);
        for (u32 i = 0; i < n; i++)
            assert_int_equal(play_credit(&w, i), (arbiter == ARBITER_LOWEST ? all[i].by_number : all[i].by_age) + 20);
        play_end(&w);
    }
}

static void short_ones_do_not_pass_their_own(void **state) {
    (void)state;
    static const struct sent all[] = {
        {0, 2, false, 20, 20}, {0, 2, false, 21, 27}, {0, 2, false, 22, 28}, {1, 1, true, 27, 25}, {2, 1, false, 28, 26},
    };
    sizes_share_the_port(all, ARRAY_LEN(all));
}

static void who_passes_wastes_no_flit(void **state) {
    (void)state;
    static const struct sent all[] = {
        {0, 2, false, 20, 20}, {0, 2, true, 25, 25},  {0, 2, true, 30, 36},  {2, 1, false, 31, 26}, {3, 1, false, 32, 27},
        {4, 1, false, 33, 28}, {5, 1, false, 34, 29}, {6, 1, false, 35, 30}, {7, 1, false, 36, 31},
    };
    sizes_share_the_port(all, ARRAY_LEN(all));
}

/* SM 0's packets come behind the first flit of SM 1's: that goes on to its last */
static void who_has_begun_is_not_interrupted(void **state) {
    (void)state;
    static const struct sent all[] = {
        {0, 1, true, 24, 24},
        {1, 0, false, 25, 25},
        {1, 1, true, 30, 35},
        {2, 0, true, 35, 30},
    };
    sizes_share_the_port(all, ARRAY_LEN(all));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latency_is_paid_each_way),      cmocka_unit_test(clocks_round_up),
        cmocka_unit_test(fractions_count_whole),         cmocka_unit_test(clocks_without_a_common_measure_are_rounded),
        cmocka_unit_test(a_port_takes_a_flit_a_cycle),   cmocka_unit_test(a_packet_is_in_with_its_last_flit),
        cmocka_unit_test(credits_wait_for_room),         cmocka_unit_test(answers_share_the_port),
        cmocka_unit_test(an_ideal_network_has_no_ports), cmocka_unit_test(slices_do_not_disturb_each_other),
        cmocka_unit_test(answers_carry_what_was_asked),  cmocka_unit_test(the_window_is_the_shortest_way_back),
        cmocka_unit_test(an_idle_partition_says_so),     cmocka_unit_test(the_lowest_sm_goes_first),
        cmocka_unit_test(only_who_has_come_goes_first),  cmocka_unit_test(short_ones_do_not_pass_their_own),
        cmocka_unit_test(who_passes_wastes_no_flit),     cmocka_unit_test(who_has_begun_is_not_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
