/* The load-store unit of the Vortex pipeline (sm.pipeline = vortex): a port of four bytes for each thread.
 *
 * Nothing is coalesced: each thread's word goes to its bank by itself, unless all threads of a load want the
 * same one. In a cycle each bank of the cache (69_vcache.c) and of shared memory takes one word; the next
 * instruction follows when the last word is taken. sm.lsu.queue loads may be under way. Words come back in
 * any order; those of one instruction that are there in the same cycle are written back together, others
 * apart, and the register is free with the last.
 *
 *   cycle    0       1           2                       7                  9
 *            issue   addresses   words to their banks    hit: write-back    a dependent instruction issues
 *
 * (sm.l1.latency_cy = 9; sm.shared.latency_cy likewise.) Atomics, which Vortex of 2021 does not have, go past
 * the cache as they do on the other machines, a line of the memory side at a time. Stores are over when the
 * memory side has them; a fence waits for that, while Vortex's waits for loads only.
 *
 * Invariants: V1 one instruction sends words at a time, in order of issue; V2 `loads` counts loads from their
 * first word to their end; V3 answer_cy is when the first of the answers is there. */
#include "core/vlsu.h"

#include <stdlib.h>
#include <string.h>

enum { TO_BANK_CY = 2, FROM_BANK_CY = 2 }; /* issue to the banks; answer to dependent issue */

void vlsu_init(struct core *c) {
    if (c->cfg->pipeline != PIPELINE_VORTEX) return;
    c->vlsu = base_alloc(sizeof(*c->vlsu));
}

void vlsu_free(struct core *c) {
    if (!c->vlsu) return;
    free(c->vlsu->answers.at);
    free(c->vlsu);
}

void vlsu_abandon(struct core *c) {
    struct vlsu *l = c->vlsu;
    if (!l) return;
    l->nskid = l->loads = l->answers.n = 0;
    l->current = l->held_by = NONE;
    l->wrote_cy = l->answer_cy = NEVER;
}

void vlsu_launch(struct core *c) { vlsu_abandon(c); }

void vlsu_check(const struct core *c) {
    u32 loads = 0;
    if (!c->vlsu) return;
    EACH_FLIGHT (c, f) {
        bool waits = false;
        for (u32 i = 0; i < c->vlsu->nskid; i++) waits = waits || c->vlsu->skid[i] == f->id;
        loads += f->mem.kind == PROBE_LOAD && !waits;
    }
    CHECK(loads == c->vlsu->loads); /* V2 */
    u64 first = NEVER;
    for (u32 i = 0; i < c->vlsu->answers.n; i++) first = MIN(first, c->vlsu->answers.at[i].due_cy);
    CHECK(first == c->vlsu->answer_cy); /* V3 */
}

bool vlsu_full(const struct core *c) { return c->vlsu->nskid == ARRAY_LEN(c->vlsu->skid); }
bool vlsu_writes(const struct core *c) { return c->vlsu->wrote_cy == c->now; }
u64 vlsu_latency(u32 latency_cy) { return latency_cy > TO_BANK_CY + FROM_BANK_CY ? latency_cy - TO_BANK_CY - FROM_BANK_CY : 1; }

/* --- issue */

static void add_word(struct memop *m, u64 addr, u32 lane, bool shared) {
    if (m->lines.n == m->lines.cap) VEC_PUSH(&m->lines, (struct line_access){0});
    else m->lines.n++;
    struct line_access *x = &m->lines.at[m->lines.n - 1]; /* its counts are nobody's here */
    x->line = addr, x->lanes = 1ull << lane, x->sectors = 1u << addr % 128 / 32, x->same = shared;
}

static void add_words(struct memop *m, const struct probe_access *p) {
    for (u32 rest = p->mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctz(rest);
        for (u32 off = 0; off < p->size_b; off += 4)
            add_word(m, p->addr[lane] + off, p->slab * 32u + lane, p->space == SPACE_SHARED);
    }
}

/* All threads of a load want the same word: one is asked for */
static void merge_equal(struct memop *m) {
    for (u32 i = 1; i < m->lines.n; i++)
        if (m->lines.at[i].line != m->lines.at[0].line || m->lines.at[i].same != m->lines.at[0].same) return;
    for (u32 i = 1; i < m->lines.n; i++) m->lines.at[0].lanes |= m->lines.at[i].lanes;
    m->lines.n = MIN(m->lines.n, 1u);
}

static u64 lanes_without_words(const struct flight *f) {
    u64 lanes = f->active;
    for (u32 i = 0; i < f->mem.lines.n; i++) lanes &= ~f->mem.lines.at[i].lanes;
    return lanes;
}

static void collect(struct core *c, struct flight *f, const struct step *st) {
    struct memop *m = &f->mem;
    for (u32 i = 0; i < st->probe.at.n; i++)
        if (!st->deferred.n) add_words(m, &st->probe.at.at[i]);
    lsu_add_atomics(c, f, st);
    m->kind = (u8)lsu_kind_of(f->t->in, st);
    m->space = st->probe.at.n ? st->probe.at.at[0].space : SPACE_GLOBAL;
    m->collector = NONE;
    if (m->kind == PROBE_LOAD) merge_equal(m);
    CHECK(m->lines.n <= 64);
    m->nlines = m->lines.n;
    m->silent = lanes_without_words(f);
}

void vlsu_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid) {
    struct vlsu *l = c->vlsu;
    struct flight *f = flight_new(c);
    f->uid = uid, f->age = c->homes[slot].age, f->t = t, f->active = st->active, f->lanes = st->lanes;
    f->slot = (u16)slot, f->issue_cy = c->now;
    collect(c, f, st);
    writeback_executed(c, f);
    lsu_count(c, f);
    writeback_expect(c, f);
    EMIT(c, .kind = EV_READ, .cycle = c->now, .uid = uid, .slot = (u16)slot);
    EMIT(c, .kind = EV_MEM_ENTER, .cycle = c->now + 1, .uid = uid, .slot = (u16)slot);
    CHECK(l->nskid < ARRAY_LEN(l->skid));
    l->skid_cy[l->nskid] = c->now + 1;
    l->skid[l->nskid++] = f->id;
}

/* --- words on their way back */

void vlsu_answer(struct core *c, u32 flight, u64 due_cy) {
    struct vanswer a = {due_cy, flight};
    VEC_PUSH(&c->vlsu->answers, a);
    c->vlsu->answer_cy = MIN(c->vlsu->answer_cy, due_cy);
}

static void take_part(struct core *c, u32 id) {
    const struct flight *f = flight_at(c, id);
    bool over = f->mem.outstanding == 1 && f->mem.accepted && f->mem.kind == PROBE_LOAD;
    writeback_part(c, id, c->now + FROM_BANK_CY);
    c->vlsu->loads -= over;
}

/* Of those that are there the one that came first, and all others of its instruction */
static void write_back(struct core *c) {
    struct vlsu *l = c->vlsu;
    u32 first = 0, left = 0, parts = 0, n = l->answers.n;
    u64 next = NEVER;
    while (l->answers.at[first].due_cy != l->answer_cy) first++;
    u32 id = l->answers.at[first].flight;
    for (u32 i = 0; i < n; i++) {
        struct vanswer a = l->answers.at[i];
        if (a.flight == id && a.due_cy <= c->now) {
            parts++;
            continue;
        }
        l->answers.at[left++] = a;
        next = MIN(next, a.due_cy);
    }
    l->answers.n = left;
    l->answer_cy = next;
    l->wrote_cy = c->now;
    while (parts--) take_part(c, id);
}

/* --- words to the banks */

static int send_shared(struct core *c, struct flight *f, const struct line_access *x, u64 *busy) {
    u64 bank = 1ull << x->line / 4 % c->cfg->shared_banks;
    if (*busy & bank) {
        c->stats.shared_conflict_cycles++;
        return HAZARD_BANK;
    }
    *busy |= bank;
    EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = f->uid, .slot = f->slot, .a = x->line, .mask = x->lanes,
         .cause = ACCESS_SHARED);
    if (f->mem.kind == PROBE_STORE) return NONE;
    f->mem.outstanding++;
    vlsu_answer(c, f->id, c->now + vlsu_latency(c->cfg->shared_cy));
    return NONE;
}

static int send_word(struct core *c, struct flight *f, u32 i, u64 *busy) {
    const struct line_access *x = &f->mem.lines.at[i];
    if (f->mem.packets.n) return vcache_atomic(c, f, x, atomic_at(c, f->mem.packets.at[i]));
    return x->same ? send_shared(c, f, x, busy) : vcache_word(c, f, x);
}

static void accepted(struct core *c, struct flight *f) {
    bool over = !f->mem.outstanding && f->mem.kind == PROBE_LOAD;
    if (f->mem.silent)
        EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = f->uid, .slot = f->slot, .mask = f->mem.silent,
             .cause = ACCESS_BYPASS);
    if (over) f->result_cy = c->now + FROM_BANK_CY;
    writeback_accepted(c, f);
    c->vlsu->loads -= over;
    c->vlsu->current = NONE;
}

void vlsu_wake(struct core *c) { c->vlsu->again = true; }

static void send(struct core *c) {
    struct vlsu *l = c->vlsu;
    struct flight *f = flight_at(c, (u32)l->current);
    u64 busy = 0;
    c->stats.lsu_busy_cycles++;
    if (l->stuck && !l->again) { /* as in the last cycle */
        lsu_hazard(c, f, (enum hazard)l->held_by);
        return;
    }
    l->held_by = NONE;
    l->stuck = true;
    l->again = false;
    for (u64 m = l->left; m; m &= m - 1) {
        int why = send_word(c, f, (u32)__builtin_ctzll(m), &busy);
        if (why == NONE) l->left &= ~(m & -m);
        else if (l->held_by == NONE) l->held_by = why;
        l->stuck = l->stuck && (why == HAZARD_MSHR || why == HAZARD_COMQ);
    }
    if (!l->left) accepted(c, f);
    else lsu_hazard(c, f, (enum hazard)l->held_by);
}

/* The next one is a load, and as many as may be are under way */
static bool waits_for_loads(const struct core *c) {
    const struct vlsu *l = c->vlsu;
    return l->loads >= c->cfg->lsu_queue && flight_at(c, l->skid[0])->mem.kind == PROBE_LOAD;
}

static void take_next(struct core *c) {
    struct vlsu *l = c->vlsu;
    if (l->current != NONE || !l->nskid || l->skid_cy[0] > c->now) return;
    const struct flight *f = flight_at(c, l->skid[0]);
    bool load = f->mem.kind == PROBE_LOAD;
    if (waits_for_loads(c)) return;
    l->loads += load;
    l->current = (i32)f->id;
    l->stuck = false;
    l->current_cy = c->now + 1;
    l->left = f->mem.nlines == 64 ? ~0ull : (1ull << f->mem.nlines) - 1;
    l->skid[0] = l->skid[1], l->skid_cy[0] = l->skid_cy[1];
    l->nskid--;
}

static __attribute__((noinline)) void run_stage(struct core *c, struct vlsu *l) {
    if (l->answer_cy <= c->now) write_back(c);
    vcache_stage(c);
    if (l->current != NONE && l->current_cy <= c->now) send(c);
    take_next(c);
}

void vlsu_stage(struct core *c) {
    struct vlsu *l = c->vlsu;
    if (l->answer_cy <= c->now || l->current != NONE || l->nskid || vcache_next(c) <= c->now) run_stage(c, l);
}

bool vlsu_idle(const struct core *c) { return !c->vlsu || (!c->vlsu->nskid && c->vlsu->current == NONE && !c->vlsu->answers.n); }

u64 vlsu_next(const struct core *c) {
    const struct vlsu *l = c->vlsu;
    u64 next = vcache_next(c);
    if (l->current != NONE) next = l->stuck ? next : MIN(next, l->current_cy);
    else if (l->nskid && !waits_for_loads(c)) next = MIN(next, l->skid_cy[0]);
    return MAX(MIN(next, l->answer_cy), c->now);
}

/* Cycles jumped over: a word that could not be taken still cannot */
void vlsu_skip(struct core *c, u64 n) {
    const struct vlsu *l = c->vlsu;
    if (l->current == NONE || !l->stuck) return;
    const struct flight *f = flight_at(c, (u32)l->current);
    c->stats.lsu_busy_cycles += n;
    c->stats.hazards[l->held_by] += n;
    EMIT(c, .kind = EV_HAZARD, .cycle = c->now, .uid = f->uid, .slot = f->slot, .cause = (u8)l->held_by, .a = n);
}
