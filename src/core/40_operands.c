/* Operands: register banks and collectors of a sub-core.
 *
 * An issued instruction takes a collector and reads its source registers from their banks, one access a port
 * and cycle. Banks are calendars: an access takes the first free place from its earliest cycle on. Results
 * reserve their write when they leave for their unit, long before reads of the same cycle are asked for, so
 * writes go first. A collector is free again when its instruction enters a unit, or the memory stage's queue.
 *
 * Not modelled: reads of one register by two instructions at once are two reads; predicates are not in banks.
 *
 * Results that come later than the calendars reach (FAR_CY) take no place in them.
 *
 * Invariants: O1 no bank serves more than sm.bank_ports accesses in a cycle; O2 all reservations lie less
 * than BANK_WINDOW cycles ahead. */
#include "core/operands.h"

#include <stdlib.h>
#include <string.h>

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

static u32 bank_of(const struct core *c, const struct home *s, u32 reg) {
    u32 row = reg + home_index(c, s);
    return c->operands->bank_mask ? row & c->operands->bank_mask : row % c->cfg->banks;
}

static struct pool pool_of(const struct collectors *x, enum unit u) {
    if (!x->separated) return (struct pool){.first = 0, .n = x->generic, .index = 0};
    if (u == UNIT_SFU) return (struct pool){.first = x->alu, .n = x->sfu, .index = 1};
    if (u == UNIT_MEM) return (struct pool){.first = x->alu + x->sfu, .n = x->mem, .index = 2};
    return (struct pool){.first = 0, .n = x->alu, .index = 0};
}

static void make_pools(struct operands *o, const struct collectors *x) {
    o->ncollectors = x->separated ? x->alu + x->sfu + x->mem : x->generic;
    for (u32 u = 0; u < UNIT_COUNT; u++) {
        struct pool *p = &o->pools[u];
        *p = pool_of(x, (enum unit)u);
        p->mask = ((p->n < 64 ? 1ull << p->n : 0) - 1) << p->first;
    }
}

void operands_init(struct core *c) {
    const struct config *g = c->cfg;
    const u32 units[UNIT_COUNT] = {g->alu_units, g->int_units, g->sfu_units, g->fp64_units, g->tensor_units, 1, 0};
    struct operands *o = c->operands = base_alloc(sizeof(*o));
    o->bank_mask = g->banks & (g->banks - 1) ? 0 : g->banks - 1;
    make_pools(o, &g->collectors);
    for (u32 i = 0; i < g->subcores; i++) {
        memcpy(o->subs[i].units, units, sizeof(units));
        o->subs[i].bank = base_alloc(sizeof(u64) * g->banks * g->bank_ports * BANK_WORDS);
    }
}

void operands_free(struct core *c) {
    for (u32 i = 0; i < c->cfg->subcores; i++) free(c->operands->subs[i].bank);
    free(c->operands);
}

void operands_launch(struct core *c) {
    for (u32 i = 0; i < c->cfg->subcores; i++) {
        struct subcore *s = &c->operands->subs[i];
        memset(s->unit_free, 0, sizeof(s->unit_free));
        memset(s->collector_free, 0, sizeof(s->collector_free));
        memset(s->bank, 0, sizeof(u64) * c->cfg->banks * c->cfg->bank_ports * BANK_WORDS);
        s->bank_word = c->now / 64;
        s->free_known = 0;
        memset(s->none_before, 0, sizeof(s->none_before));
    }
}

u32 operands_collectors(const struct core *c) { return c->operands->ncollectors * c->cfg->subcores; }

static i32 free_collector(const struct core *c, u32 sub, enum unit u) {
    const struct pool *p = &c->operands->pools[u];
    struct subcore *s = (struct subcore *)&c->operands->subs[sub];
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

void operands_hold(struct core *c, u32 sub, i32 collector) { c->operands->subs[sub].collector_free[collector] = NEVER; }

u32 operands_held(const struct core *c) {
    u32 held = 0;
    for (u32 i = 0; i < c->cfg->subcores; i++)
        for (u32 k = 0; k < c->operands->ncollectors; k++) held += c->operands->subs[i].collector_free[k] == NEVER;
    return held;
}

void operands_let_go(struct core *c, u32 sub, i32 collector) {
    struct subcore *s = &c->operands->subs[sub];
    s->collector_free[collector] = c->now;
    s->free_known |= 1ull << collector;
}

static bool unit_free_now(const struct core *c, u32 sub, enum unit u) {
    u64 at = c->now + c->cfg->issue_depth + c->cfg->operand_depth;
    for (u32 i = 0; i < c->operands->subs[sub].units[u]; i++)
        if (c->operands->subs[sub].unit_free[u][i] <= at) return true;
    return false;
}

bool operands_available(const struct core *c, u32 sub, enum unit u) {
    if (u == UNIT_NONE) return true;
    if (!c->cfg->operands_ideal) return free_collector(c, sub, u) != NONE;
    if (u == UNIT_MEM) return lsu_room(c);
    return unit_free_now(c, sub, u);
}

u64 operands_unavailable(const struct core *c, u32 sub) {
    u64 mask = 0, known = c->operands->subs[sub].free_known;
    if (!c->cfg->operands_ideal && !c->cfg->collectors.separated)
        return known || operands_available(c, sub, UNIT_ALU) ? 0 : (1ull << UNIT_NONE) - 1;
    if (!c->cfg->operands_ideal) { /* three pools of collectors */
        if (!(known & c->operands->pools[UNIT_MEM].mask) && !operands_available(c, sub, UNIT_MEM)) mask |= 1ull << UNIT_MEM;
        if (!(known & c->operands->pools[UNIT_SFU].mask) && !operands_available(c, sub, UNIT_SFU)) mask |= 1ull << UNIT_SFU;
        if (!(known & c->operands->pools[UNIT_ALU].mask) && !operands_available(c, sub, UNIT_ALU))
            mask |= 1ull << UNIT_ALU | 1ull << UNIT_INT | 1ull << UNIT_FP64 | 1ull << UNIT_TENSOR;
        return mask;
    }
    for (u32 u = 0; u < UNIT_NONE; u++)
        if ((c->operands->subs[sub].units[u] || u == UNIT_MEM) && !operands_available(c, sub, (enum unit)u)) mask |= 1ull << u;
    return mask;
}

u64 operands_next(const struct core *c, u32 sub, u64 after) {
    const struct subcore *s = &c->operands->subs[sub];
    u64 next = NEVER;
    if (!c->cfg->operands_ideal) {
        for (u32 i = 0; i < c->operands->ncollectors; i++)
            if (s->collector_free[i] > after) next = MIN(next, s->collector_free[i]);
        return next;
    }
    u64 way = c->cfg->issue_depth + c->cfg->operand_depth;
    for (u32 u = 0; u < UNIT_MEM; u++)
        for (u32 i = 0; i < s->units[u]; i++)
            if (s->unit_free[u][i] > after + way) next = MIN(next, s->unit_free[u][i] - way);
    return next;
}

u64 operands_read(struct core *c, u32 sub, struct home *s, const struct tinst *t, i32 *collector) {
    u64 first = c->now + c->cfg->issue_depth, last;
    *collector = NONE;
    if (c->cfg->operands_ideal) last = first;
    else {
        *collector = free_collector(c, sub, (enum unit)t->unit);
        CHECK(*collector != NONE);
        c->operands->subs[sub].free_known &= ~(1ull << *collector);
        c->operands->subs[sub].none_before[c->operands->pools[t->unit].index] = 0; /* its own time may be the first */
        if (c->operands->subs[sub].bank_word != c->now / 64) banks_advance(c, &c->operands->subs[sub]);
        last = ++first;
        for (u32 i = 0; i < t->nsrc; i++) {
            if (t->reg[i] >= c->prog->nregs) continue;
            u64 at = bank_take(c, &c->operands->subs[sub], bank_of(c, s, t->reg[i]), first);
            last = MAX(last, at);
        }
    }
    c->stats.operand_reads += t->nread;
    c->stats.bank_conflict_cycles += last - first;
    for (u32 i = 0; i < t->nsrc; i++) s->sb[t->reg[i]].read_cy = MAX(s->sb[t->reg[i]].read_cy, last);
    return last;
}

u64 operands_write(struct core *c, u32 sub, const struct home *s, const struct tinst *t, u64 at) {
    u64 last = at;
    if (c->operands->subs[sub].bank_word != c->now / 64) banks_advance(c, &c->operands->subs[sub]);
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) {
        if (t->reg[i] >= c->prog->nregs) continue;
        c->stats.operand_writes++;
        if (c->cfg->operands_ideal || at - c->now >= FAR_CY) continue;
        u64 w = bank_take(c, &c->operands->subs[sub], bank_of(c, s, t->reg[i]), at);
        last = MAX(last, w);
    }
    c->stats.writeback_conflict_cycles += last - at;
    return last;
}
