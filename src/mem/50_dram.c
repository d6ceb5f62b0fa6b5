/* dram: the DRAM channel of a partition: its queue, the way back to the slices, and the fixed kind.
 *
 * The queue holds dram.queue bursts. A request is for sectors of one L2 line; an entry is its bursts in one
 * row (a line has more than one row only when rows are shorter than lines). Each DRAM clock at most one
 * command is given. A burst leaves the queue with its data command. A read's data stand at the slice
 * dram.extra_cy after the last beat of its last burst; writes need no answer.
 *
 *   fixed   bursts in order of entry, one each time the bus is free, data dram.fixed_cy later
 *   banked  see 51_banks.c
 *
 * Not modelled: several ranks, write buffering with priorities of its own, errors and their correction.
 *
 * Invariants, walked by dram_check:
 *  1. `used` is the sum of the bursts of all entries, `entries` how many these are; each has at least one;
 *     ages rise along the list.
 *  2. Every fetch in use is in the queue, on its way back or among its slice's fills.
 *  3. There is a next command exactly when the queue is not empty.
 *  4. The list of waiting slices names none twice. */
#include "mem/partition.h"

#include <stdlib.h>

/* --- pools */

static void fetches_grow(struct channel *d) {
    u32 n = d->fetches ? d->fetches * 2 : 64;
    d->fetch = base_realloc(d->fetch, (size_t)n * sizeof(*d->fetch));
    for (u32 i = n; i-- > d->fetches;) {
        d->fetch[i] = (struct fetch){.parts = d->free_fetch};
        d->free_fetch = i;
    }
    d->fetches = n;
}

static u32 fetch_new(struct channel *d) {
    if (d->free_fetch == NO_ID) fetches_grow(d);
    u32 id = d->free_fetch;
    d->free_fetch = d->fetch[id].parts;
    return id;
}

void dram_fetch_free(struct channel *d, u32 id) {
    d->fetch[id] = (struct fetch){.parts = d->free_fetch};
    d->free_fetch = id;
}

/* Bursts of the line that sectors lie in */
static u32 burst_mask(const struct config *c, u32 sectors) {
    u32 mask = 0, sector_b = MIN(c->l2_sector_b, c->l2_line_b);
    for (u32 at = 0; at < c->l2_line_b; at += MIN(c->dram_burst_b, sector_b))
        if (sectors >> at / sector_b & 1) mask |= 1u << at / c->dram_burst_b;
    return mask;
}

void dram_init(struct partition *p) {
    const struct config *c = &p->c;
    struct channel *d = &p->channel;
    u32 entries = c->dram_queue + 64; /* a request larger than the queue may stand in it alone */
    d->dreq = base_alloc((size_t)entries * sizeof(*d->dreq));
    for (u32 i = 0; i < entries; i++) d->dreq[i].next = i + 1 < entries ? i + 1 : NO_ID;
    d->first = d->last = d->free_fetch = NO_ID;
    d->choice.command = CMD_NONE;
    d->queue = c->dram_queue;
    d->by_entry = c->dram_queue_of == QUEUE_OF_REQUESTS;
    d->burst_cy = (c->dram_burst_b + c->dram_bus_b - 1) / c->dram_bus_b;
    d->row_shift = (u32)__builtin_ctz(c->dram_row_b);
    d->parts = MAX(c->l2_line_b / c->dram_row_b, 1);
    d->part_bursts = MAX(c->l2_line_b / d->parts / c->dram_burst_b, 1);
    for (u32 m = 0; m < ARRAY_LEN(d->bursts_of); m++) {
        d->bursts_of[m] = burst_mask(c, m);
        d->burst_count[m] = (u8)__builtin_popcount(d->bursts_of[m]);
        for (u32 i = 0; i < d->parts; i++)
            d->entry_count[m] += (d->bursts_of[m] >> i * d->part_bursts & ((1u << d->part_bursts) - 1)) != 0;
    }
    d->refresh = c->dram_kind == DRAM_BANKED && c->t_refi ? c->t_refi : NEVER;
    if (c->dram_kind == DRAM_BANKED) banks_init(p);
}

void dram_free(struct channel *d) {
    free(d->dreq);
    free(d->bank);
    free(d->want);
    free(d->fetch);
    free(d->back.at);
}

u32 dram_room(const struct channel *d, u32 sectors) { return d->by_entry ? d->entry_count[sectors] : d->burst_count[sectors]; }

/* --- room */

static bool has_room(const struct channel *d, u32 n) { return !d->used || (d->by_entry ? d->entries : d->used) + n <= d->queue; }

bool dram_ask(struct channel *d, u32 s, u32 n) {
    if (!n) return true;
    if ((!d->waiters || d->waiting[0] == s) && has_room(d, n)) return true;
    d->need[s] = n;
    for (u32 i = 0; i < d->waiters; i++)
        if (d->waiting[i] == s) return false;
    CHECK(d->waiters < ARRAY_LEN(d->waiting)); /* 4: a partition has no more slices */
    d->waiting[d->waiters++] = (u8)s;
    return false;
}

/* The first of those who wait looks again after tick t, if it would find room */
static void wake_first(struct partition *p, u64 t) {
    struct channel *d = &p->channel;
    if (d->waiters && has_room(d, d->need[d->waiting[0]])) l2_wake(p, d->waiting[0], t + 1);
}

void dram_wait_done(struct partition *p, u32 s, u64 t) {
    struct channel *d = &p->channel;
    u32 i = 0;
    while (i < d->waiters && d->waiting[i] != s) i++;
    CHECK(i < d->waiters);
    memmove(&d->waiting[i], &d->waiting[i + 1], --d->waiters - i);
    wake_first(p, t);
}

/* --- into the queue */

static void charge_queue(struct partition *p, u64 cycle) {
    struct channel *d = &p->channel;
    if (cycle <= d->queued_since) return;
    p->stats.dram_queued += d->used * (cycle - d->queued_since);
    d->queued_since = cycle;
}

static void enter(struct partition *p, u64 address, u32 bursts, u32 fetch, u64 since) {
    struct channel *d = &p->channel;
    u64 row = address >> d->row_shift;
    u32 id = d->free;
    CHECK(id != NO_ID);
    struct dreq *q = &d->dreq[id];
    d->free = q->next;
    *q = (struct dreq){.row = fast_div(row, p->c.dram_banks), .since = since, .age = d->ages++, .fetch = fetch};
    q->bank = (u16)fast_mod(row, p->c.dram_banks);
    q->left = (u16)bursts;
    q->next = NO_ID;
    q->prev = d->last;
    if (d->last == NO_ID) d->first = id;
    else d->dreq[d->last].next = id;
    d->last = id;
    d->used += bursts;
    d->entries++;
    if (p->c.dram_kind == DRAM_BANKED) banks_enter(p, id);
}

/* The channel's memory is that of its slices, chunk by chunk */
static u64 channel_address(const struct config *c, u32 s, u64 inside) {
    u32 shift = (u32)__builtin_ctz(c->map_interleave_b);
    u32 n = (u32)fast_div(c->slices, c->clusters); /* every cluster's are of the same memory */
    return ((inside >> shift) * n + fast_mod(s, n)) << shift | (inside & (c->map_interleave_b - 1));
}

/* Rows are shorter than lines: an entry for each row with a burst of the mask; returns how many */
static u32 enter_parts(struct partition *p, u64 address, u32 bursts, u32 fetch, u64 since) {
    const struct channel *d = &p->channel;
    u32 made = 0;
    for (u32 i = 0; i < d->parts; i++) {
        u32 n = (u32)__builtin_popcount(bursts >> i * d->part_bursts & ((1u << d->part_bursts) - 1));
        if (!n) continue;
        enter(p, address + (u64)i * p->c.dram_row_b, n, fetch, since);
        made++;
    }
    return made;
}

/* Entries made */
static u32 request(struct partition *p, u32 s, u64 line, u32 sectors, u32 fetch, u64 t) {
    struct channel *d = &p->channel;
    u64 cycle = cycles_before(t, &p->clk.by.dram), address = channel_address(&p->c, s, line);
    if (!d->used) dram_idle_refresh(p, t);
    charge_queue(p, cycle);
    u32 made = d->parts == 1;
    if (made) enter(p, address, d->burst_count[sectors], fetch, cycle);
    else made = enter_parts(p, address, d->bursts_of[sectors], fetch, cycle);
    u64 next = d->choice.command == CMD_NONE ? MAX(cycle, d->next_cycle) : d->choice.cycle;
    sooner(&p->command_at, next * p->clk.dram);
    return made;
}

void dram_read(struct partition *p, u32 s, u64 line, u32 sectors, u64 t) {
    struct channel *d = &p->channel;
    u32 id = fetch_new(d);
    d->fetch[id] = (struct fetch){.line = line, .slice = (u8)s, .sectors = (u8)sectors};
    d->fetch[id].parts = request(p, s, line, sectors, id, t);
}

void dram_write(struct partition *p, u32 s, u64 line, u32 sectors, u64 t) { request(p, s, line, sectors, NO_ID, t); }

/* --- out of it */

static void leave(struct partition *p, u32 id) {
    struct channel *d = &p->channel;
    struct dreq *q = &d->dreq[id];
    if (p->c.dram_kind == DRAM_BANKED) banks_leave(p, id);
    *(q->prev == NO_ID ? &d->first : &d->dreq[q->prev].next) = q->next;
    *(q->next == NO_ID ? &d->last : &d->dreq[q->next].prev) = q->prev;
    q->next = d->free;
    d->free = id;
    d->entries--;
}

void dram_served(struct partition *p, u32 id, u64 now, u64 end) {
    struct channel *d = &p->channel;
    struct dreq *q = &d->dreq[id];
    charge_queue(p, now);
    bool is_write = q->fetch == NO_ID;
    *(is_write ? &p->stats.dram_writes : &p->stats.dram_reads) += 1;
    p->stats.dram_bus_busy += d->burst_cy;
    p->stats.dram_wait += now - q->since;
    d->used--;
    if (--q->left == 0) {
        if (!is_write && --d->fetch[q->fetch].parts == 0) {
            ring_push(&d->back, (end + p->c.dram_extra_cy) * p->clk.dram, q->fetch);
            p->data_at = ring_tick(&d->back);
        }
        leave(p, id);
    }
    wake_first(p, now * p->clk.dram);
}

void dram_data(struct partition *p, u64 t) {
    struct channel *d = &p->channel;
    while (ring_tick(&d->back) <= t) {
        u32 id = ring_first(&d->back).id, s = d->fetch[id].slice;
        u64 edge = edge_at(t, &p->clk.by.l2);
        ring_pop(&d->back);
        ring_push(&p->slice[s].fills, edge, id);
        turns_sooner(&p->l2_turns, s, edge);
    }
    p->data_at = ring_tick(&d->back);
}

/* --- commands */

static void fixed_choose(struct channel *d, u64 from) {
    d->choice.cycle = MAX(from, d->bus);
    d->choice.dreq = d->first;
    d->choice.command = CMD_READ;
}

static void fixed_issue(struct partition *p, const struct choice *ch) {
    p->channel.bus = ch->cycle + p->channel.burst_cy;
    dram_served(p, ch->dreq, ch->cycle, ch->cycle + p->c.dram_fixed_cy);
}

/* The next command from dram cycle `from` on, and when */
static void choose(struct partition *p, u64 from) {
    struct channel *d = &p->channel;
    if (d->first == NO_ID) {
        d->choice.command = CMD_NONE;
        p->command_at = NEVER;
        return;
    }
    if (p->c.dram_kind == DRAM_BANKED) banks_choose(p, from, &d->row_from, &d->choice);
    else fixed_choose(d, from);
    p->command_at = d->choice.cycle * p->clk.dram;
}

void dram_command(struct partition *p, u64 t) {
    struct channel *d = &p->channel;
    if (d->choice.command == CMD_NONE) choose(p, periods_in(t, &p->clk.by.dram));
    if (p->command_at != t) return;
    d->next_cycle = d->choice.cycle + 1;
    if (p->c.dram_kind == DRAM_BANKED) banks_issue(p, &d->choice);
    else fixed_issue(p, &d->choice);
    choose(p, d->next_cycle);
}

/* --- time that passes by itself */

void dram_idle_refresh(struct partition *p, u64 end) {
    struct channel *d = &p->channel;
    while (d->refresh != NEVER && d->refresh * p->clk.dram < end) banks_refresh(p);
}

void dram_charge(struct partition *p, u64 end) {
    charge_queue(p, cycles_before(end, &p->clk.by.dram));
    if (!p->channel.used) dram_idle_refresh(p, end);
}

/* --- invariants */

static void check_pool(const struct channel *d, const struct partition *p) {
    u32 in_use = 0, spare = 0, fills = 0;
    for (u32 i = d->free_fetch; i != NO_ID; i = d->fetch[i].parts) CHECK(++spare <= d->fetches);
    for (u32 i = 0; i < d->fetches; i++) in_use += d->fetch[i].sectors != 0;
    for (u32 s = 0; s < p->c.slices; s++) fills += p->slice[s].fills.n;
    u32 queued = 0;
    for (u32 i = 0; i < d->fetches; i++) queued += d->fetch[i].sectors && d->fetch[i].parts;
    CHECK(in_use + spare == d->fetches && in_use == queued + d->back.n + fills); /* 2 */
}

void dram_check(const struct partition *p) {
    const struct channel *d = &p->channel;
    u32 used = 0, entries = 0, before = NO_ID;
    for (u32 i = d->first; i != NO_ID; i = d->dreq[i].next) {
        CHECK(d->dreq[i].left && d->dreq[i].prev == before);
        CHECK(before == NO_ID || d->dreq[before].age < d->dreq[i].age);
        used += d->dreq[i].left;
        entries++;
        before = i;
    }
    CHECK(used == d->used && entries == d->entries && d->last == before); /* 1 */
    check_pool(d, p);
    CHECK((p->command_at == NEVER) == !d->used); /* 3 */
    for (u32 i = 0; i < d->waiters; i++)
        for (u32 j = 0; j < i; j++) CHECK(d->waiting[i] != d->waiting[j]); /* 4 */
    if (p->c.dram_kind == DRAM_BANKED) banks_check(p);
}
