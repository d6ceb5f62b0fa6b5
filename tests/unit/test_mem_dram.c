/* A DRAM channel to the cycle, driven by itself: requests are put into its queue and its commands given one
 * after the other. Every expected cycle is a closed form in the timing keys. Random traffic is compared with
 * a model that steps through every clock and looks at the history of commands. */
#include "mem_play.h"

#include "mem/partition.h"

struct channel_play {
    struct config c;
    struct partition *p;
};

static struct config timing(void) {
    struct config c = play_config();
    c.dram_kind = DRAM_BANKED, c.dram_sched = DRAM_FRFCFS, c.dram_queue = 256;
    c.dram_banks = 8, c.dram_row_b = 2048, c.dram_bus_b = 32, c.dram_burst_b = 32, c.dram_extra_cy = 0;
    c.t_cl = 12, c.t_cwl = 4, c.t_rcd = 13, c.t_rp = 11, c.t_ras = 28, c.t_rrd = 6, c.t_ccd = 2, c.t_wr = 10, c.t_wtr = 5,
    c.t_rtp = 7;
    c.t_refi = c.t_rfc = 0;
    return c;
}

static void begin(struct channel_play *w, const struct config *c) {
    w->c = *c;
    w->p = partition_new(c, 0);
}
static void end(struct channel_play *w) { partition_free(w->p); }

static u64 address(const struct config *c, u32 bank, u64 row, u32 column_b) {
    return (row * c->dram_banks + bank) * c->dram_row_b + column_b;
}

/* All commands before cycle `to`; fetches stay in `back` */
static void commands(struct channel_play *w, u64 to) {
    struct partition *p = w->p;
    while (p->command_at < to) dram_command(p, p->command_at);
}

static void get(struct channel_play *w, u64 at, u32 bank, u64 row, u32 column_b, u32 sectors) {
    commands(w, at);
    dram_read(w->p, 0, address(&w->c, bank, row, column_b), sectors, at);
    dram_check(w->p);
}
static void put(struct channel_play *w, u64 at, u32 bank, u64 row, u32 column_b, u32 sectors) {
    commands(w, at);
    dram_write(w->p, 0, address(&w->c, bank, row, column_b), sectors, at);
    dram_check(w->p);
}

/* Cycle at which the data of the nth fetch to end are at the slice */
static u64 back(struct channel_play *w, u32 nth) {
    commands(w, NEVER);
    assert_true(nth < w->p->channel.back.n);
    return ring_at(&w->p->channel.back, nth).tick;
}
/* Line of the nth fetch to end */
static u64 back_line(struct channel_play *w, u32 nth) {
    commands(w, NEVER);
    assert_true(nth < w->p->channel.back.n);
    return w->p->channel.fetch[ring_at(&w->p->channel.back, nth).id].line;
}

static void a_closed_row_is_opened(void **state) {
    (void)state;
    struct config c = timing();
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 1);
    assert_int_equal(back(&w, 0), 100 + c.t_rcd + c.t_cl + 1);
    assert_int_equal(w.p->stats.dram_row_empty, 1);
    assert_int_equal(w.p->stats.dram_wait, c.t_rcd);
    end(&w);
}

static void an_open_row_is_hit(void **state) {
    (void)state;
    struct config c = timing();
    c.dram_extra_cy = 9;
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 1);
    get(&w, 500, 0, 0, 1024, 1);
    assert_int_equal(back(&w, 1), 500 + c.t_cl + 1 + 9);
    assert_int_equal(w.p->stats.dram_row_hits, 1);
    end(&w);
}

static void another_row_is_closed_first(void **state) {
    (void)state;
    struct config c = timing();
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 1);
    get(&w, 500, 0, 1, 0, 1);
    assert_int_equal(back(&w, 1), 500 + c.t_rp + c.t_rcd + c.t_cl + 1);
    assert_int_equal(w.p->stats.dram_row_conflicts, 1);
    assert_int_equal(w.p->stats.dram_precharges, 1);
    assert_int_equal(w.p->stats.dram_activates, 2);
    end(&w);
}

/* Close on the heels of the first: the precharge waits for tRAS after the activate, or tRTP after the read
 * when that is later */
static void a_row_stays_open_its_time(void **state) {
    (void)state;
    for (u32 t_rtp = 7; t_rtp <= 30; t_rtp += 23) {
        struct config c = timing();
        c.t_rtp = t_rtp;
        struct channel_play w;
        begin(&w, &c);
        get(&w, 100, 0, 0, 0, 1);
        get(&w, 101, 0, 1, 0, 1);
        u64 precharge = MAX(100 + c.t_ras, 100 + c.t_rcd + t_rtp);
        assert_int_equal(back(&w, 1), precharge + c.t_rp + c.t_rcd + c.t_cl + 1);
        end(&w);
    }
}

static void activates_keep_apart(void **state) {
    (void)state;
    struct config c = timing();
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 1);
    get(&w, 100, 1, 0, 0, 1);
    assert_int_equal(back(&w, 1), 100 + c.t_rrd + c.t_rcd + c.t_cl + 1);
    end(&w);
}

static void columns_keep_apart(void **state) {
    (void)state;
    struct config c = timing();
    c.t_ccd = 3;
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 15);
    assert_int_equal(back(&w, 0), 100 + c.t_rcd + 3 * 3 + c.t_cl + 1);
    assert_int_equal(w.p->stats.dram_row_empty, 1);
    assert_int_equal(w.p->stats.dram_row_hits, 3);
    end(&w);
}

/* A burst of four clocks on the bus: the bus, not tCCD, sets the pace */
static void bursts_do_not_overlap(void **state) {
    (void)state;
    struct config c = timing();
    c.dram_bus_b = 8;
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 15);
    assert_int_equal(back(&w, 0), 100 + c.t_rcd + c.t_cl + 4 * 4);
    assert_int_equal(w.p->stats.dram_bus_busy, 16);
    end(&w);
}

/* A read after a write to the same row waits tWTR after the data; a write after a read only for the bus */
static void the_bus_turns_around(void **state) {
    (void)state;
    struct config c = timing();
    c.t_ccd = 1;
    struct channel_play w;
    begin(&w, &c);
    put(&w, 100, 0, 0, 0, 1);
    get(&w, 101, 0, 0, 128, 1);
    u64 written = 100 + c.t_rcd + c.t_cwl + 1;
    assert_int_equal(back(&w, 0), written + c.t_wtr + c.t_cl + 1);
    end(&w);
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 1);
    put(&w, 101, 0, 0, 128, 1);
    commands(&w, NEVER);
    assert_int_equal(back(&w, 0), 100 + c.t_rcd + c.t_cl + 1);
    assert_int_equal(w.p->channel.bus, 100 + c.t_rcd + c.t_cl + 1 + 1);
    end(&w);
}

static void a_written_row_recovers(void **state) {
    (void)state;
    struct config c = timing();
    c.t_ras = 1;
    struct channel_play w;
    begin(&w, &c);
    put(&w, 100, 0, 0, 0, 1);
    get(&w, 101, 0, 1, 0, 1);
    u64 written = 100 + c.t_rcd + c.t_cwl + 1;
    assert_int_equal(back(&w, 0), written + c.t_wr + c.t_rp + c.t_rcd + c.t_cl + 1);
    end(&w);
}

/* One command a clock: two banks whose activates would both be possible (tRRD 1) */
static void one_command_a_clock(void **state) {
    (void)state;
    struct config c = timing();
    c.t_rrd = 1, c.t_ccd = 1;
    struct channel_play w;
    begin(&w, &c);
    for (u32 b = 0; b < 4; b++) get(&w, 100, b, 0, 0, 1);
    for (u32 b = 0; b < 4; b++) assert_int_equal(back(&w, b), 100 + b + c.t_rcd + c.t_cl + 1);
    end(&w);
}

/* Rows 0, 1, 0 of one bank: the third request passes the second when row hits go first */
static void row_hits_go_first(void **state) {
    (void)state;
    for (u32 sched = DRAM_FCFS; sched <= DRAM_FRFCFS; sched++) {
        struct config c = timing();
        c.dram_sched = sched;
        struct channel_play w;
        begin(&w, &c);
        get(&w, 100, 0, 0, 0, 1);
        get(&w, 100, 0, 1, 0, 1);
        get(&w, 100, 0, 0, 128, 1);
        assert_int_equal(back_line(&w, 0), address(&c, 0, 0, 0));
        assert_int_equal(back_line(&w, 1), sched == DRAM_FCFS ? address(&c, 0, 1, 0) : address(&c, 0, 0, 128));
        assert_int_equal(w.p->stats.dram_activates, sched == DRAM_FCFS ? 3 : 2);
        end(&w);
    }
}

/* Banks overlap under FR-FCFS; FCFS finishes one request before it begins the next */
static void banks_overlap_unless_in_order(void **state) {
    (void)state;
    struct config c = timing();
    c.dram_sched = DRAM_FCFS;
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 1);
    get(&w, 100, 1, 0, 0, 1);
    assert_int_equal(back(&w, 1), 100 + c.t_rcd + 1 + c.t_rcd + c.t_cl + 1);
    end(&w);
}

/* When a line has come back; NEVER when it has not */
static u64 back_at(const struct channel_play *w, u64 line) {
    const struct channel *d = &w->p->channel;
    for (u32 i = 0; i < d->back.n; i++)
        if (d->fetch[ring_at(&d->back, i).id].line == line) return ring_at(&d->back, i).tick;
    return NEVER;
}

/* Endless hits of one row, one each tCCD: exactly dram.row_cap of them pass another row's request; without a
 * cap all do */
static void so_many_hits_pass_another_row(void **state) {
    (void)state;
    enum { UNCAPPED = 1000000 };
    static const u32 caps[] = {0, 1, 16, 64, UNCAPPED};
    for (u32 i = 0; i < ARRAY_LEN(caps); i++) {
        u32 cap = caps[i];
        struct config c = timing();
        c.dram_row_cap = cap;
        struct channel_play w;
        begin(&w, &c);
        get(&w, 100, 0, 0, 0, 1);
        get(&w, 100, 0, 1, 0, 1);
        for (u64 t = 100; t < 1000; t++) {
            commands(&w, t);
            if (w.p->channel.used < 16) get(&w, t, 0, 0, 256, 1);
        }
        if (cap == UNCAPPED) {
            assert_int_equal(back_at(&w, address(&c, 0, 1, 0)), NEVER);
            end(&w);
            continue;
        }
        u64 last = 100 + c.t_rcd + (u64)cap * c.t_ccd; /* the hit that is the last before the precharge */
        u64 precharge = MAX(last + c.t_rtp, (u64)100 + c.t_ras);
        assert_int_equal(back_at(&w, address(&c, 0, 1, 0)), precharge + c.t_rp + c.t_rcd + c.t_cl + 1);
        end(&w);
    }
}

/* Column commands of one bank that take every clock: another bank's activate gets one when row_cap bursts
 * have gone by */
static void full_clocks_starve_no_bank(void **state) {
    (void)state;
    struct config c = timing();
    c.t_ccd = 1, c.dram_row_cap = 20;
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 1);
    for (u64 t = 100; t < 1000; t++) {
        commands(&w, t);
        if (t == 150) get(&w, t, 1, 0, 0, 1);
        if (w.p->channel.used < 16) get(&w, t, 0, 0, 256, 1);
    }
    u64 done = back_at(&w, address(&c, 1, 0, 0));
    assert_true(done > 150 + c.t_rcd + c.t_cl + 1); /* the clocks were full */
    assert_true(done <= 150 + 16 + c.dram_row_cap + 1 + c.t_rcd + c.dram_row_cap + c.t_cl + 1);
    end(&w);
}

/* Rows at random in 8 banks, the queue kept full: cycles for all bursts, and for the one that waits
 * longest */
struct gather {
    u64 cycles, longest;
};
static struct gather gather(u32 queue, u32 cap, u32 rows) {
    enum { N = 20000 };
    struct config c = timing();
    c.dram_queue = queue, c.dram_row_cap = cap;
    struct channel_play w;
    begin(&w, &c);
    struct channel *d = &w.p->channel;
    u64 seed = 5, t = 0;
    u32 steps = 0;
    struct gather g = {0};
    for (u32 sent = 0; sent < N || d->used;) {
        for (; sent < N && d->used < queue; sent++) {
            u64 x = play_random(&seed);
            dram_read(w.p, 0, address(&c, (u32)x % 8, (x >> 8) % rows, 32 * ((x >> 40) % 64)), 1, t);
        }
        if (steps++ % 128 == 0) dram_check(w.p); /* it walks the whole queue */
        t = w.p->command_at;
        dram_command(w.p, t++);
        if (d->first != NO_ID) g.longest = MAX(g.longest, t - d->dreq[d->first].since);
    }
    g.cycles = t;
    end(&w);
    return g;
}

/* A longer queue is never worse: neither where rows are met again (4 of them) nor where hardly any is
 * (1000) */
static void longer_queues_are_not_slower(void **state) {
    (void)state;
    static const u32 queues[] = {32, 64, 128, 256, 1024, 4096, 10240};
    for (u32 rows = 4; rows <= 1000; rows += 996) {
        u64 before = NEVER;
        for (u32 i = 0; i < ARRAY_LEN(queues); i++) {
            struct gather g = gather(queues[i], 64, rows);
            if (before != NEVER) assert_true(g.cycles <= before + before / 100);
            before = g.cycles;
        }
    }
}

/* The last of a full queue, all of one bank: each before it may be passed by cap bursts, which wait for other
 * banks' in turn, and may need a row of its own */
static void waits_have_a_bound(void **state) {
    (void)state;
    struct config c = timing();
    static const u32 caps[] = {0, 4, 64};
    for (u32 i = 0; i < ARRAY_LEN(caps); i++) {
        u64 bound = (u64)64 * ((caps[i] + 1) * c.dram_banks * c.t_ccd + c.t_ras + c.t_rp + c.t_rcd);
        assert_true(gather(64, caps[i], 4).longest <= bound);
        assert_true(gather(64, caps[i], 1000).longest <= bound);
    }
}

/* tREFI 1000: an idle channel refreshes at 1000; what comes then waits tRFC; an open row costs tRP more */
static void refresh_stops_the_channel(void **state) {
    (void)state;
    struct config c = timing();
    c.t_refi = 1000, c.t_rfc = 90;
    struct channel_play w;
    begin(&w, &c);
    get(&w, 1000, 0, 0, 0, 1);
    assert_int_equal(back(&w, 0), 1000 + 90 + c.t_rcd + c.t_cl + 1);
    get(&w, 2050, 0, 0, 0, 1); /* the row was closed by the refresh at 2000, which ended at 2000 + tRP + tRFC */
    assert_int_equal(back(&w, 1), 2000 + c.t_rp + 90 + c.t_rcd + c.t_cl + 1);
    get(&w, 2999, 0, 0, 0, 1);   /* a hit just before */
    get(&w, 2999, 0, 0, 128, 1); /* its tCCD reaches into the refresh */
    assert_int_equal(back(&w, 2), 2999 + c.t_cl + 1);
    assert_int_equal(back(&w, 3), 2999 + c.t_rtp + c.t_rp + 90 + c.t_rcd + c.t_cl + 1);
    assert_int_equal(w.p->stats.dram_refreshes, 3);
    dram_charge(w.p, 10001);
    assert_int_equal(w.p->stats.dram_refreshes, 10);
    end(&w);
}

/* Row after row over all banks: activates hide behind data, and the bus never rests from the first beat to
 * the last */
static void streaming_fills_the_bus(void **state) {
    (void)state;
    struct config c = timing();
    c.dram_burst_b = 64, c.t_ccd = 2, c.dram_queue = 64;
    struct channel_play w;
    begin(&w, &c);
    enum { LINES = 4096 };
    u64 t = 0;
    for (u64 i = 0; i < LINES; i++) {
        while (w.p->channel.used + 2 > c.dram_queue) commands(&w, ++t);
        dram_read(w.p, 0, i * 128, 15, t);
    }
    u64 last = back(&w, LINES - 1), first = c.t_rcd + c.t_cl;
    assert_int_equal(last - first, LINES * 128 / c.dram_bus_b);
    assert_int_equal(w.p->stats.dram_row_hits, LINES * 2 - LINES * 128 / c.dram_row_b);
    end(&w);
}

static void fixed_latency_has_a_rate(void **state) {
    (void)state;
    struct config c = timing();
    c.dram_kind = DRAM_FIXED, c.dram_fixed_cy = 77, c.dram_bus_b = 8, c.dram_extra_cy = 5;
    struct channel_play w;
    begin(&w, &c);
    get(&w, 100, 0, 0, 0, 1);
    get(&w, 100, 3, 5, 0, 3);
    get(&w, 300, 0, 0, 0, 1);
    assert_int_equal(back(&w, 0), 100 + 77 + 5);
    assert_int_equal(back(&w, 1), 100 + 2 * 4 + 77 + 5);
    assert_int_equal(back(&w, 2), 300 + 77 + 5);
    end(&w);
}

/* A request larger than the queue enters alone */
static void a_small_queue_takes_large_requests(void **state) {
    (void)state;
    struct config c = timing();
    c.dram_queue = 2;
    struct channel_play w;
    begin(&w, &c);
    assert_true(dram_ask(&w.p->channel, 0, 4));
    get(&w, 0, 0, 0, 0, 15);
    assert_false(dram_ask(&w.p->channel, 0, 1));
    commands(&w, c.t_rcd + 2 * c.t_ccd + 1);
    assert_int_equal(w.p->channel.used, 1);
    assert_true(dram_ask(&w.p->channel, 0, 1));
    assert_false(dram_ask(&w.p->channel, 0, 2));
    end(&w);
}

/* Bursts longer than sectors, and rows shorter than lines */
static void bursts_cover_their_sectors(void **state) {
    (void)state;
    struct config c = timing();
    c.dram_burst_b = 64, c.dram_bus_b = 64;
    struct channel_play w;
    begin(&w, &c);
    assert_int_equal(dram_room(&w.p->channel, 1), 1);
    assert_int_equal(dram_room(&w.p->channel, 3), 1);
    assert_int_equal(dram_room(&w.p->channel, 6), 2);
    end(&w);
    c.dram_burst_b = 16, c.dram_row_b = 64;
    begin(&w, &c);
    assert_int_equal(dram_room(&w.p->channel, 6), 4);
    dram_read(w.p, 0, 0, 6, 0); /* two rows, in two banks */
    commands(&w, NEVER);
    assert_int_equal(w.p->stats.dram_activates, 2);
    assert_int_equal(w.p->channel.back.n, 1);
    end(&w);
}

/* --- the model that steps */

struct request {
    u64 since, row, done;
    u32 bank, left;
    u32 passed_bank, passed_channel; /* by bursts, while it was the oldest */
    bool is_write;
};
struct history { /* of one bank: cycles of the last commands, -100000 when there was none */
    i64 act, pre, read, write_end;
    u64 row;
};
struct model {
    const struct config *c;
    struct request *r;
    u32 n;
    struct history bank[16];
    i64 act, column, write_end, bus; /* of the channel */
};

static bool column_legal(const struct model *m, const struct request *q, i64 t) {
    const struct config *c = m->c;
    const struct history *b = &m->bank[q->bank];
    if (t < b->act + (i64)c->t_rcd || t < m->column + (i64)c->t_ccd) return false;
    if (!q->is_write && t < m->write_end + (i64)c->t_wtr) return false;
    return t + (i64)(q->is_write ? c->t_cwl : c->t_cl) >= m->bus;
}
static bool activate_legal(const struct model *m, const struct request *q, i64 t) {
    return t >= m->bank[q->bank].pre + (i64)m->c->t_rp && t >= m->act + (i64)m->c->t_rrd;
}
static bool precharge_legal(const struct model *m, const struct request *q, i64 t) {
    const struct history *b = &m->bank[q->bank];
    return t >= b->act + (i64)m->c->t_ras && t >= b->read + (i64)m->c->t_rtp && t >= b->write_end + (i64)m->c->t_wr;
}

static void model_column(struct model *m, struct request *q, i64 t) {
    struct history *b = &m->bank[q->bank];
    m->column = t;
    m->bus = t + (i64)(q->is_write ? m->c->t_cwl : m->c->t_cl) + 1;
    if (q->is_write) m->write_end = b->write_end = m->bus;
    else b->read = t;
    if (--q->left == 0) q->done = (u64)m->bus;
}

/* The oldest request, of a bank or (bank -1) of all */
static struct request *oldest(struct model *m, i32 bank, i64 t) {
    for (u32 i = 0; i < m->n; i++)
        if (m->r[i].left && (i64)m->r[i].since <= t && (bank < 0 || m->r[i].bank == (u32)bank)) return &m->r[i];
    return NULL;
}

/* The request a bank works for: the oldest of its open row unless the cap is reached, else its oldest */
static struct request *for_bank(struct model *m, u32 bank, i64 t) {
    struct request *first = oldest(m, (i32)bank, t);
    if (!first || first->passed_bank >= m->c->dram_row_cap) return first;
    for (struct request *q = first; q < m->r + m->n; q++)
        if (q->bank == bank && q->left && (i64)q->since <= t && q->row == m->bank[bank].row) return q;
    return first;
}

/* One clock: a column command for the oldest that may have one, else an activate or precharge; the oldest of
 * all before them when enough have passed it */
static void model_clock(struct model *m, i64 t) {
    struct request *column = NULL, *row = NULL, *first = oldest(m, -1, t);
    for (u32 bank = 0; bank < m->c->dram_banks; bank++) {
        struct request *q = for_bank(m, bank, t);
        if (!q) continue;
        bool urgent = q == first && q->passed_channel >= m->c->dram_row_cap;
        bool open = m->bank[bank].row == q->row, closed = m->bank[bank].row == NEVER;
        if (open && column_legal(m, q, t) && (!column || q < column)) column = q;
        if (!open && (closed ? activate_legal(m, q, t) : precharge_legal(m, q, t)) && (!row || q < row)) {
            row = q;
            if (urgent) break;
        }
    }
    if (row && row == first && row->passed_channel >= m->c->dram_row_cap) column = NULL;
    if (column) {
        struct request *of_bank = oldest(m, (i32)column->bank, t);
        of_bank->passed_bank += column != of_bank;
        first->passed_channel += column != first;
        model_column(m, column, t);
    } else if (row) {
        struct history *b = &m->bank[row->bank];
        if (b->row == NEVER) {
            b->row = row->row;
            b->act = m->act = t;
        } else {
            b->row = NEVER;
            b->pre = t;
        }
    }
}

static void random_requests(struct request *r, u32 n, u64 seed, const struct config *c) {
    u64 t = 0;
    for (u32 i = 0; i < n; i++) {
        u64 x = play_random(&seed);
        t += x % 4 ? x % 3 : x / 4 % 40;
        r[i] = (struct request){.since = t,
                                .row = (x >> 10) % 3,
                                .bank = (u32)(x >> 14) % c->dram_banks,
                                .left = (u32)(x >> 20) % 4 + 1,
                                .is_write = (x >> 24) % 3 == 0};
    }
}

static void random_traffic_is_as_stepped(void **state) {
    (void)state;
    enum { N = 600 };
    static struct request r[N];
    for (u64 seed = 1; seed <= 20; seed++) {
        struct config c = timing();
        c.dram_queue = 16384, c.dram_banks = 4, c.dram_row_cap = (u32)seed % 5 * 3, c.t_ccd = 1 + seed % 3,
        c.t_rrd = 1 + seed % 7, c.t_ras = 10 + seed % 30;
        random_requests(r, N, seed * 77777, &c);
        struct channel_play w;
        begin(&w, &c);
        for (u32 i = 0; i < N; i++)
            (r[i].is_write ? put : get)(&w, r[i].since, r[i].bank, r[i].row, 128 * (i % 16), (1u << r[i].left) - 1);
        commands(&w, NEVER);
        struct model m = {.c = &c, .r = r, .n = N, .act = -100000, .column = -100000, .write_end = -100000, .bus = -100000};
        for (u32 b = 0; b < 16; b++) m.bank[b] = (struct history){-100000, -100000, -100000, -100000, NEVER};
        u64 waiting = 0;
        for (i64 t = 0; waiting < N; t++) {
            model_clock(&m, t);
            while (waiting < N && !r[waiting].left) waiting++;
        }
        /* reads come back in the order their last bursts end, which are all different */
        u32 reads = 0;
        for (u32 i = 0; i < N; i++) {
            if (r[i].is_write) continue;
            bool found = false;
            for (u32 k = 0; k < w.p->channel.back.n; k++) found |= ring_at(&w.p->channel.back, k).tick == r[i].done;
            if (!found)
                fail_msg("seed %llu: request %u should end at %llu", (unsigned long long)seed, i, (unsigned long long)r[i].done);
            reads++;
        }
        assert_int_equal(reads, w.p->channel.back.n);
        assert_int_equal(w.p->stats.dram_reads + w.p->stats.dram_writes,
                         w.p->stats.dram_row_hits + w.p->stats.dram_row_empty + w.p->stats.dram_row_conflicts);
        end(&w);
    }
}

/* From the SM and back: network, row, network */
static void a_miss_from_end_to_end(void **state) {
    (void)state;
    struct config c = timing();
    c.flit_b = 256;
    struct play w;
    play_begin(&w, &c);
    play_read(&w, 0, 0, 15, 1);
    play_read(&w, 1000, 128, 1, 2);
    play_run(&w, 20);
    assert_int_equal(play_answer(&w, 1), 20 + c.t_rcd + 3 * c.t_ccd + c.t_cl + 1 + c.l2_cy + 20);
    assert_int_equal(play_answer(&w, 2), 1000 + 20 + c.t_cl + 1 + c.l2_cy + 20);
    play_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_row_is_opened),
        cmocka_unit_test(an_open_row_is_hit),
        cmocka_unit_test(another_row_is_closed_first),
        cmocka_unit_test(a_row_stays_open_its_time),
        cmocka_unit_test(activates_keep_apart),
        cmocka_unit_test(columns_keep_apart),
        cmocka_unit_test(bursts_do_not_overlap),
        cmocka_unit_test(the_bus_turns_around),
        cmocka_unit_test(a_written_row_recovers),
        cmocka_unit_test(one_command_a_clock),
        cmocka_unit_test(row_hits_go_first),
        cmocka_unit_test(banks_overlap_unless_in_order),
        cmocka_unit_test(so_many_hits_pass_another_row),
        cmocka_unit_test(full_clocks_starve_no_bank),
        cmocka_unit_test(longer_queues_are_not_slower),
        cmocka_unit_test(waits_have_a_bound),
        cmocka_unit_test(refresh_stops_the_channel),
        cmocka_unit_test(streaming_fills_the_bus),
        cmocka_unit_test(fixed_latency_has_a_rate),
        cmocka_unit_test(a_small_queue_takes_large_requests),
        cmocka_unit_test(bursts_cover_their_sectors),
        cmocka_unit_test(random_traffic_is_as_stepped),
        cmocka_unit_test(a_miss_from_end_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
