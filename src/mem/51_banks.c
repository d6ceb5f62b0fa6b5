/* banks: the banked kind of DRAM channel: banks with open rows, the timing between commands, the choice among
 * requests, refresh.
 *
 * Open page: a row stays open until another of its bank is needed or a refresh comes. Commands keep
 *
 *     activate -> column, same bank            tRCD         column -> column                     tCCD
 *     activate -> precharge, same bank         tRAS         read -> first data                   tCL
 *     precharge -> activate, same bank         tRP          write -> first data                  tCWL
 *     activate -> activate, other bank         tRRD         end of write data -> read            tWTR
 *     read -> precharge, same bank             tRTP         end of write data -> precharge       tWR
 *
 * and bursts never overlap on the bus. (Activate to activate of one bank is tRAS + tRP by these.)
 *
 * FR-FCFS (Rixner, Dally, Kapasi, Mattson and Owens, ISCA 2000): of the commands possible in a clock, column
 * commands first, then activates and precharges, the older request first among equals. A bank works for its
 * oldest request of the open row, else for its oldest; so a row is closed only when nothing in the queue
 * wants it. dram.row_cap bounds the wait, by a count and not by time, so that it means the same in a queue of
 * any length:
 *
 *     a bank       when so many bursts have passed its oldest request, works for that one until its last
 *                  burst
 *     the channel  when so many have passed its oldest request, gives that one's command before all others of
 *                  a clock, if its bank works for it
 *
 * The first is the cap of Ramulator's FRFCFS_Cap (16 hits) and the starvation threshold of NVMain's FRFCFS;
 * GPGPU-Sim's FR-FCFS has none. The second is for timings in which column commands can take every clock (tCCD
 * 1). FCFS: only the oldest request's commands are given.
 *
 * Refresh, every tREFI: at its cycle commands stop; when all open rows may be closed they are, together;
 * after tRP all banks refresh for tRFC.
 *
 * Not modelled: tFAW, bank groups, refresh of single banks, gaps on the bus between reads and writes beyond
 * tWTR.
 *
 * Invariants, walked by banks_check:
 *  1. The banks' lists hold the entries of the channel's list, in order of age; `columns` and `rows` name the
 *     banks with some.
 *  2. A bank's `hit` is its oldest entry of the open row, none when it is closed or there is no such entry.
 *  3. `want` says what the bank's `hit` needs, else its oldest; at the cap its oldest.
 *  4. The choice, when there is one, is what choosing anew from now on would give.
 *  5. No bank's oldest has been passed more often than the cap says. */
#include "mem/partition.h"

void banks_init(struct partition *p) {
    struct channel *d = &p->channel;
    CHECK(p->c.dram_banks <= 64 * ARRAY_LEN(d->rows));
    d->bank_words = (p->c.dram_banks + 63) / 64;
    d->row_cap = p->c.dram_row_cap;
    d->bank = base_alloc((size_t)p->c.dram_banks * sizeof(*d->bank));
    d->want = base_alloc((size_t)p->c.dram_banks * sizeof(*d->want));
    for (u32 b = 0; b < p->c.dram_banks; b++)
        d->bank[b] = (struct bank){.row = NEVER, .first = NO_ID, .last = NO_ID, .hit = NO_ID};
}

/* --- what an entry or a bank wants */

#define ROW_RANK (1ull << 41) /* activates and precharges come after column commands */

/* The command an entry needs next, and when its bank allows that */
static void need(const struct channel *d, u32 id, struct choice *out) {
    const struct dreq *q = &d->dreq[id];
    const struct bank *b = &d->bank[q->bank];
    out->dreq = id;
    if (b->row == q->row) {
        out->cycle = b->col;
        out->rank = q->age;
        out->command = q->fetch == NO_ID ? CMD_WRITE : CMD_READ;
    } else {
        bool closed = b->row == NEVER;
        out->cycle = closed ? b->act : b->pre;
        out->rank = q->age | ROW_RANK;
        out->command = closed ? CMD_ACTIVATE : CMD_PRECHARGE;
    }
}

/* The entry a bank works for */
static u32 works_for(const struct channel *d, const struct bank *b) {
    return b->hit == NO_ID || b->passed >= d->row_cap ? b->first : b->hit;
}

/* To be called when anything of a bank has changed */
static void refresh_want(struct channel *d, u32 b) {
    const struct bank *k = &d->bank[b];
    u64 bit = 1ull << b % 64;
    d->columns[b / 64] &= ~bit;
    d->rows[b / 64] &= ~bit;
    if (k->first == NO_ID) return;
    need(d, works_for(d, k), &d->want[b]);
    if (d->want[b].command <= CMD_WRITE) {
        d->columns[b / 64] |= bit;
    } else {
        d->rows[b / 64] |= bit;
        d->row_from = MIN(d->row_from, d->want[b].cycle);
    }
}

/* When the channel allows each command */
struct bounds {
    u64 at[CMD_PRECHARGE + 1];
};

static u64 minus(u64 a, u64 b) { return a > b ? a - b : 0; }

static struct bounds bounds_of(const struct partition *p, u64 from) {
    const struct channel *d = &p->channel;
    u64 read = MAX(d->read, minus(d->bus, p->c.t_cl)), col = MAX(from, d->col);
    return (struct bounds){{
        [CMD_READ] = MAX(col, read),
        [CMD_WRITE] = MAX(col, minus(d->bus, p->c.t_cwl)),
        [CMD_ACTIVATE] = MAX(from, d->act),
        [CMD_PRECHARGE] = from,
    }};
}

static void bound(struct choice *ch, const struct bounds *b) { ch->cycle = MAX(ch->cycle, b->at[ch->command]); }

static bool better(const struct choice *a, const struct choice *b) {
    return a->cycle < b->cycle || (a->cycle == b->cycle && a->rank < b->rank);
}

/* --- the choice */

/* Cycle and rank in one number, so that the scan has no branches to guess. No constraint lasts 2^22 cycles;
 * beyond that cycles count as equal. */
static u64 order_of(u64 wait, u64 rank) { return MIN(wait, (1ull << 22) - 1) << 42 | rank; }

/* The best command among those that the banks of a set want; cycle NEVER when the set is empty */
static void best_of(const struct channel *d, const u64 *set, const struct bounds *bounds, u64 from, struct choice *out) {
    u64 best = NEVER;
    u32 who = 0;
    for (u32 w = 0; w < d->bank_words; w++) {
        for (u64 rest = set[w]; rest; rest &= rest - 1) {
            u32 b = w * 64 + (u32)__builtin_ctzll(rest);
            const struct choice *one = &d->want[b];
            u64 order = order_of(MAX(one->cycle, bounds->at[one->command]) - from, one->rank);
            bool first = order < best;
            best = first ? order : best;
            who = first ? b : who;
        }
    }
    out->cycle = NEVER;
    if (best == NEVER) return;
    out->cycle = MAX(d->want[who].cycle, bounds->at[d->want[who].command]);
    out->rank = d->want[who].rank;
    out->dreq = d->want[who].dreq;
    out->command = d->want[who].command;
}

/* Column commands come before others of the same cycle, so the others are looked at only when one may be
 * possible sooner: not before *row_from */
static void first_ready(const struct channel *d, const struct bounds *bounds, u64 from, u64 *row_from, struct choice *out) {
    struct choice row;
    best_of(d, d->columns, bounds, from, out);
    if (out->cycle <= MAX(from, *row_from)) return;
    best_of(d, d->rows, bounds, from, &row);
    *row_from = row.cycle;
    if (row.cycle < out->cycle) *out = row;
}

/* The channel's oldest entry, when enough have passed it: before all others of the same cycle */
static void oldest_first(const struct channel *d, const struct bounds *bounds, struct choice *out) {
    struct choice oldest = d->want[d->dreq[d->first].bank];
    if (d->passed < d->row_cap || oldest.dreq != d->first) return;
    bound(&oldest, bounds);
    if (oldest.cycle > out->cycle) return;
    *out = oldest;
    out->rank = 0;
}

void banks_choose(const struct partition *p, u64 from, u64 *row_from, struct choice *out) {
    const struct channel *d = &p->channel;
    struct bounds bounds = bounds_of(p, from);
    if (p->c.dram_sched == DRAM_FCFS) {
        need(d, d->first, out);
        bound(out, &bounds);
    } else {
        first_ready(d, &bounds, from, row_from, out);
        oldest_first(d, &bounds, out);
    }
    if (out->cycle >= d->refresh) *out = (struct choice){.cycle = MAX(d->refresh, from), .command = CMD_REFRESH};
}

/* A new entry has come to bank b, which has changed what the bank wants: the choice made before may no longer
 * be the best */
static void reconsider(struct partition *p, u32 b, u64 since) {
    struct channel *d = &p->channel;
    struct choice *now = &d->choice;
    if (now->command == CMD_NONE || p->c.dram_sched == DRAM_FCFS) return;
    if (now->command < CMD_REFRESH && d->dreq[now->dreq].bank == b) {
        now->command = CMD_NONE;
        return;
    }
    struct bounds bounds = bounds_of(p, MAX(since, d->next_cycle));
    struct choice one = d->want[b];
    bound(&one, &bounds);
    if (one.cycle < d->refresh && better(&one, now)) *now = one;
}

/* --- the banks' lists */

static u32 next_hit(const struct channel *d, const struct bank *b, u32 id) {
    while (id != NO_ID && d->dreq[id].row != b->row) id = d->dreq[id].bank_next;
    return id;
}

void banks_enter(struct partition *p, u32 id) {
    struct channel *d = &p->channel;
    struct dreq *q = &d->dreq[id];
    struct bank *b = &d->bank[q->bank];
    q->bank_next = NO_ID;
    q->bank_prev = b->last;
    *(b->last == NO_ID ? &b->first : &d->dreq[b->last].bank_next) = id;
    b->last = id;
    bool hits = b->hit == NO_ID && b->row == q->row;
    if (hits) b->hit = id;
    if (!hits && b->first != id) return;
    refresh_want(d, q->bank);
    reconsider(p, q->bank, q->since);
}

void banks_leave(struct partition *p, u32 id) {
    struct channel *d = &p->channel;
    const struct dreq *q = &d->dreq[id];
    struct bank *b = &d->bank[q->bank];
    *(q->bank_prev == NO_ID ? &b->first : &d->dreq[q->bank_prev].bank_next) = q->bank_next;
    *(q->bank_next == NO_ID ? &b->last : &d->dreq[q->bank_next].bank_prev) = q->bank_prev;
    if (b->hit == id) b->hit = next_hit(d, b, q->bank_next);
    if (b->first == q->bank_next) b->passed = 0;
    if (d->first == id) d->passed = 0;
    refresh_want(d, q->bank);
}

/* --- the commands */

static void precharge(struct partition *p, struct dreq *q, u64 now) {
    struct bank *b = &p->channel.bank[q->bank];
    b->row = NEVER;
    b->hit = NO_ID;
    b->act = MAX(b->act, now + p->c.t_rp);
    q->found = ROW_CONFLICT;
    p->stats.dram_precharges++;
}

static void activate(struct partition *p, struct dreq *q, u64 now) {
    struct channel *d = &p->channel;
    struct bank *b = &d->bank[q->bank];
    b->row = q->row;
    b->hit = next_hit(d, b, b->first);
    b->col = now + p->c.t_rcd;
    b->pre = now + p->c.t_ras;
    d->act = now + p->c.t_rrd;
    if (q->found == ROW_HIT) q->found = ROW_EMPTY;
    p->stats.dram_activates++;
}

static void column(struct partition *p, const struct choice *ch) {
    struct channel *d = &p->channel;
    struct dreq *q = &d->dreq[ch->dreq];
    struct bank *b = &d->bank[q->bank];
    bool is_write = ch->command == CMD_WRITE;
    d->bus = ch->cycle + (is_write ? p->c.t_cwl : p->c.t_cl) + d->burst_cy;
    d->col = ch->cycle + p->c.t_ccd;
    if (is_write) d->read = d->bus + p->c.t_wtr;
    b->pre = MAX(b->pre, is_write ? d->bus + p->c.t_wr : ch->cycle + p->c.t_rtp);
    u64 *counters[] = {&p->stats.dram_row_hits, &p->stats.dram_row_empty, &p->stats.dram_row_conflicts};
    *counters[q->found] += 1;
    q->found = ROW_HIT;
    b->passed += ch->dreq != b->first;
    d->passed += ch->dreq != d->first;
    dram_served(p, ch->dreq, ch->cycle, d->bus);
}

void banks_refresh(struct partition *p) {
    struct channel *d = &p->channel;
    u64 close = d->refresh, start = 0;
    u32 open = 0;
    for (u32 b = 0; b < p->c.dram_banks; b++) {
        start = MAX(start, d->bank[b].act);
        if (d->bank[b].row == NEVER) continue;
        close = MAX(close, d->bank[b].pre);
        open++;
    }
    start = MAX(start, open ? close + p->c.t_rp : close);
    for (u32 b = 0; b < p->c.dram_banks; b++) {
        d->bank[b].row = NEVER;
        d->bank[b].hit = NO_ID;
        d->bank[b].act = start + p->c.t_rfc;
        refresh_want(d, b);
    }
    d->next_cycle = start + 1;
    d->refresh += p->c.t_refi;
    p->stats.dram_precharges += open;
    p->stats.dram_refreshes++;
}

void banks_issue(struct partition *p, const struct choice *ch) {
    struct dreq *q = &p->channel.dreq[ch->dreq];
    u32 bank = q->bank;
    switch (ch->command) {
    case CMD_REFRESH: banks_refresh(p); return;
    case CMD_ACTIVATE: activate(p, q, ch->cycle); break;
    case CMD_PRECHARGE: precharge(p, q, ch->cycle); break;
    default: column(p, ch);
    }
    refresh_want(&p->channel, bank);
}

/* --- invariants */

void banks_check(const struct partition *p) {
    const struct channel *d = &p->channel;
    u32 left = 0, bursts = 0;
    for (u32 i = d->first; i != NO_ID; i = d->dreq[i].next) left++;
    for (u32 n = 0; n < p->c.dram_banks; n++) {
        const struct bank *b = &d->bank[n];
        u32 before = NO_ID;
        for (u32 i = b->first; i != NO_ID; i = d->dreq[i].bank_next) {
            CHECK(d->dreq[i].bank == n && d->dreq[i].bank_prev == before && left-- > 0);
            CHECK(before == NO_ID || d->dreq[before].age < d->dreq[i].age);
            bursts += d->dreq[i].left;
            before = i;
        }
        CHECK(b->last == before && ((d->columns[n / 64] ^ d->rows[n / 64]) >> n % 64 & 1) == (b->first != NO_ID)); /* 1 */
        CHECK(b->hit == (b->row == NEVER ? NO_ID : next_hit(d, b, b->first)));                                     /* 2 */
        if (b->first == NO_ID) continue;
        struct choice want;
        need(d, works_for(d, b), &want);
        CHECK(b->passed <= d->row_cap); /* 5 */
        CHECK((want.command <= CMD_WRITE) == (d->columns[n / 64] >> n % 64 & 1));
        CHECK(want.dreq == d->want[n].dreq && want.command == d->want[n].command && want.cycle == d->want[n].cycle); /* 3 */
    }
    CHECK(left == 0 && bursts == d->used);
    if (d->choice.command == CMD_NONE) return;
    struct choice anew;
    u64 row_from = 0;
    banks_choose(p, MAX(d->next_cycle, d->dreq[d->last].since), &row_from, &anew);
    CHECK(anew.cycle == d->choice.cycle && anew.dreq == d->choice.dreq && anew.command == d->choice.command); /* 4 */
}
