/* Operands: register banks and collectors of a sub-core.
 *
 * An issued instruction takes a collector and reads its source registers from their banks, one access a port and cycle. Banks are calendars: an access takes the first free
 * place from its earliest cycle on. Results reserve their write when they leave for their unit, long before reads of the same cycle are asked for, so writes go first.
 * A collector is free again when its instruction enters a unit, or the memory stage's queue.
 *
 * Not modelled: reads of one register by two instructions at once are two reads; predicates are not in banks.
 *
 * Results that come later than the calendars reach (FAR_CY) take no place in them.
 *
 * Invariants: O1 no bank serves more than sm.bank_ports accesses in a cycle; O2 all reservations lie less than BANK_WINDOW cycles ahead. */
#include "core/core.h"

enum { FAR_CY = BANK_WINDOW - 128 }; /* further conflicts still find a place in the window */

/* Words of the calendars that lie in the past become the future's. */
static void banks_advance(const struct core *c, struct subcore *sub) {
    u64 word = c->now / 64, n = c->cfg->banks * c->cfg->bank_ports;
    for (u64 w = MAX(sub->bank_word, word > BANK_WORDS ? word - BANK_WORDS : 0); w < word; w++)
        for (u64 i = 0; i < n; i++) sub->bank[i * BANK_WORDS + w % BANK_WORDS] = 0;
    sub->bank_word = word;
}

static u64 bank_take(const struct core *c, struct subcore *sub, u32 bank, u64 from) {
    u64 *cal = &sub->bank[(size_t)bank * c->cfg->bank_ports * BANK_WORDS];
    for (u64 t = from;; t++)
        for (u32 p = 0; p < c->cfg->bank_ports; p++) {
            u64 *word = &cal[p * BANK_WORDS + t / 64 % BANK_WORDS], bit = 1ull << t % 64;
            if (*word & bit) continue;
            *word |= bit;
            return t;
        }
}

static u32 bank_of(const struct core *c, const struct slot *s, u32 reg) {
    u32 row = reg + slot_index(c, s);
    return c->bank_mask ? row & c->bank_mask : row % c->cfg->banks;
}

static struct pool pool_of(const struct collectors *x, enum unit u) {
    if (!x->separated) return (struct pool){.first = 0, .n = x->generic, .index = 0};
    if (u == UNIT_SFU) return (struct pool){.first = x->alu, .n = x->sfu, .index = 1};
    if (u == UNIT_MEM) return (struct pool){.first = x->alu + x->sfu, .n = x->mem, .index = 2};
    return (struct pool){.first = 0, .n = x->alu, .index = 0};
}

void operands_init(struct core *c) {
    const struct collectors *x = &c->cfg->collectors;
    c->bank_mask = c->cfg->banks & (c->cfg->banks - 1) ? 0 : c->cfg->banks - 1;
    c->ncollectors = x->separated ? x->alu + x->sfu + x->mem : x->generic;
    for (u32 u = 0; u < UNIT_COUNT; u++) {
        struct pool *p = &c->pools[u];
        *p = pool_of(x, (enum unit)u);
        p->mask = ((p->n < 64 ? 1ull << p->n : 0) - 1) << p->first;
    }
}

static i32 free_collector(const struct core *c, u32 sub, enum unit u) {
    const struct pool *p = &c->pools[u];
    struct subcore *s = (struct subcore *)&c->subs[sub];
    if (s->free_known & p->mask) return __builtin_ctzll(s->free_known & p->mask);
    if (c->now < s->none_before[p->index]) return NONE;
    u64 next = NEVER;
    for (u32 i = p->first; i < p->first + p->n; i++) {
        if (s->collector_free[i] <= c->now) s->free_known |= 1ull << i;
        next = MIN(next, s->collector_free[i]);
    }
    s->none_before[p->index] = next;
    return s->free_known & p->mask ? __builtin_ctzll(s->free_known & p->mask) : NONE;
}

void operands_hold(struct core *c, u32 sub, i32 collector) { c->subs[sub].collector_free[collector] = NEVER; }

u32 operands_held(const struct core *c) {
    u32 held = 0;
    for (u32 i = 0; i < c->cfg->subcores; i++)
        for (u32 k = 0; k < c->ncollectors; k++) held += c->subs[i].collector_free[k] == NEVER;
    return held;
}

void operands_let_go(struct core *c, u32 sub, i32 collector) {
    struct subcore *s = &c->subs[sub];
    s->collector_free[collector] = c->now;
    s->free_known |= 1ull << collector;
}

static bool unit_free_now(const struct core *c, u32 sub, enum unit u) {
    u64 at = c->now + c->cfg->issue_depth + c->cfg->operand_depth;
    for (u32 i = 0; i < c->subs[sub].units[u]; i++)
        if (c->subs[sub].unit_free[u][i] <= at) return true;
    return false;
}

bool operands_available(const struct core *c, u32 sub, enum unit u) {
    if (u == UNIT_NONE) return true;
    if (!c->cfg->operands_ideal) return free_collector(c, sub, u) != NONE;
    if (u == UNIT_MEM) return lsu_room(c);
    return unit_free_now(c, sub, u);
}

u64 operands_next(const struct core *c, u32 sub, u64 after) {
    const struct subcore *s = &c->subs[sub];
    u64 next = NEVER;
    if (!c->cfg->operands_ideal) {
        for (u32 i = 0; i < c->ncollectors; i++)
            if (s->collector_free[i] > after) next = MIN(next, s->collector_free[i]);
        return next;
    }
    u64 way = c->cfg->issue_depth + c->cfg->operand_depth;
    for (u32 u = 0; u < UNIT_MEM; u++)
        for (u32 i = 0; i < s->units[u]; i++)
            if (s->unit_free[u][i] > after + way) next = MIN(next, s->unit_free[u][i] - way);
    return next;
}

u64 operands_read(struct core *c, u32 sub, struct slot *s, const struct tinst *t, i32 *collector) {
    u64 first = c->now + c->cfg->issue_depth, last;
    *collector = NONE;
    if (c->cfg->operands_ideal) last = first;
    else {
        *collector = free_collector(c, sub, (enum unit)t->unit);
        CHECK(*collector != NONE);
        c->subs[sub].free_known &= ~(1ull << *collector);
        c->subs[sub].none_before[c->pools[t->unit].index] = 0; /* its own time may be the first */
        if (c->subs[sub].bank_word != c->now / 64) banks_advance(c, &c->subs[sub]);
        last = ++first;
        for (u32 i = 0; i < t->nsrc; i++) {
            if (t->reg[i] >= c->prog->nregs) continue;
            u64 at = bank_take(c, &c->subs[sub], bank_of(c, s, t->reg[i]), first);
            last = MAX(last, at);
        }
    }
    c->stats.operand_reads += t->nread;
    c->stats.bank_conflict_cycles += last - first;
    for (u32 i = 0; i < t->nsrc; i++) s->sb[t->reg[i]].read_cy = MAX(s->sb[t->reg[i]].read_cy, last);
    return last;
}

u64 operands_write(struct core *c, u32 sub, const struct slot *s, const struct tinst *t, u64 at) {
    u64 last = at;
    if (c->subs[sub].bank_word != c->now / 64) banks_advance(c, &c->subs[sub]);
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) {
        if (t->reg[i] >= c->prog->nregs) continue;
        c->stats.operand_writes++;
        if (c->cfg->operands_ideal || at - c->now >= FAR_CY) continue;
        u64 w = bank_take(c, &c->subs[sub], bank_of(c, s, t->reg[i]), at);
        last = MAX(last, w);
    }
    c->stats.writeback_conflict_cycles += last - at;
    return last;
}
