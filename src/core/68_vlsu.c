/* The load-store unit of the Vortex pipeline (sm.pipeline = vortex): a port of four bytes for each thread.
 *
 * Nothing is coalesced: each thread's word goes to its bank by itself, unless all threads want the same one,
 * thread 0 among them. A thread whose access lies in two words (isa.riscv.misaligned) sends both, one after
 * the other. A thread has a buffer of two words before the cache (69_vcache.c): the next instruction follows
 * when the last word is in one, while words of this one still wait for their banks. In a cycle each bank is
 * offered the word of the lowest thread that has one for it. Banks of shared memory take their words without
 * such buffers. sm.lsu.queue loads may be under way. Words come back in any order; those of one instruction
 * that are there in the same cycle are written back together, others apart, and the register is free with the
 * last.
 *
 *   cycle    0       1           2                 3                       9                  11
 *            issue   addresses   words to buffers  words to their banks    hit: write-back    a dependent one issues
 *
 * (sm.l1.latency_cy = 11; sm.shared.latency_cy likewise, but for the buffers.) Atomics, which Vortex of 2021
 * does not have, go past the cache as they do on the other machines, a line of the memory side at a time.
 * Stores are over when the memory side has them; a fence waits for that, while Vortex's waits for loads only.
 *
 * A stage of nothing costs a few comparisons: what has to be done when is kept, in sets and in the cycle of
 * the next event, and not looked for.
 *
 * Invariants: V1 one instruction sends words at a time, in order of issue; V2 `loads` counts loads from their
 * first word to their end; V3 answer_cy is when the first of the answers is there; V4 `waiting` and `full`
 * are the threads whose buffers hold something, and two words; V5 `answering` and `crowded` are the banks
 * with answers, and with more than their output holds. */
#include "core/vlsu.h"

#include <stdlib.h>
#include <string.h>

enum {
    TO_BANK_CY = 2,          /* issue to the banks */
    MERGED_CY = 3,           /* words of an instruction put together to write-back */
    FROM_BANK_CY = 2,        /* that to dependent issue */
    BANK_OUTPUT = 2,         /* words that wait at a bank's output */
    SHARED_QUEUE = MAX_WARP, /* banks beyond those of the cache, whose number that bounds: of shared memory, all in one */
};

/* --- rings */

static struct vanswer *queue_at(const struct vqueue *q, u32 i) { return &q->at[(q->head + i) & (q->cap - 1)]; }

static u64 queue_due(const struct vqueue *q) { return q->n ? q->at[q->head].due_cy : NEVER; }

static void queue_grow(struct vqueue *q) {
    u32 cap = MAX(8u, q->cap * 2);
    struct vanswer *at = base_alloc(sizeof(*at) * cap);
    for (u32 i = 0; i < q->n; i++) at[i] = *queue_at(q, i);
    free(q->at);
    *q = (struct vqueue){at, 0, q->n, cap};
}

static void queue_push(struct vqueue *q, struct vanswer a) {
    if (q->n == q->cap) queue_grow(q);
    q->at[(q->head + q->n++) & (q->cap - 1)] = a;
}

static void queue_pop(struct vqueue *q) { q->head = (q->head + 1) & (q->cap - 1), q->n--; }

/* --- building */

void vlsu_init(struct core *c) {
    if (c->cfg->pipeline != PIPELINE_VORTEX) return;
    c->vlsu = base_alloc(sizeof(*c->vlsu));
}

void vlsu_free(struct core *c) {
    if (!c->vlsu) return;
    for (u32 i = 0; i < ARRAY_LEN(c->vlsu->banks); i++) free(c->vlsu->banks[i].at);
    free(c->vlsu->merged.at);
    free(c->vlsu);
}

void vlsu_abandon(struct core *c) {
    struct vlsu *l = c->vlsu;
    if (!l) return;
    l->nskid = l->loads = l->merged.n = 0;
    for (u32 i = 0; i < ARRAY_LEN(l->banks); i++) l->banks[i].n = 0;
    l->answering = l->crowded = l->frozen = 0;
    l->waiting = l->full = 0;
    l->textured = false;
    memset(l->lanes, 0, sizeof(l->lanes));
    l->current = l->held_by = NONE;
    l->wrote_cy = l->answer_cy = NEVER;
}

void vlsu_launch(struct core *c) {
    vlsu_abandon(c);
    if (c->vlsu) c->vlsu->empty_cy = c->now;
}

static void check_answers(const struct vlsu *l) {
    u64 first = queue_due(&l->merged);
    for (u32 i = 0; i < ARRAY_LEN(l->banks); i++) {
        const struct vqueue *q = &l->banks[i];
        first = MIN(first, queue_due(q));
        if (i == SHARED_QUEUE) continue;
        CHECK((l->answering >> i & 1) == (q->n > 0) && (l->crowded >> i & 1) == (q->n > BANK_OUTPUT)); /* V5 */
    }
    CHECK(first == l->answer_cy); /* V3 */
}

void vlsu_check(const struct core *c) {
    const struct vlsu *l = c->vlsu;
    u32 loads = 0;
    if (!l) return;
    EACH_FLIGHT (c, f) {
        bool waits = l->fresh && l->current == (i32)f->id;
        for (u32 i = 0; i < l->nskid; i++) waits = waits || l->skid[i] == f->id;
        loads += f->mem.kind == PROBE_LOAD && !waits && !flight_is_texture(f);
    }
    CHECK(loads == l->loads); /* V2 */
    check_answers(l);
    for (u32 i = 0; i < ARRAY_LEN(l->lanes); i++)
        CHECK((l->waiting >> i & 1) == (l->lanes[i].n > 0) && (l->full >> i & 1) == (l->lanes[i].n == 2)); /* V4 */
}

bool vlsu_full(const struct core *c) { return c->vlsu->nskid == ARRAY_LEN(c->vlsu->skid); }
bool vlsu_writes(const struct core *c) { return c->vlsu->wrote_cy == c->now; }
u64 vlsu_latency(u32 latency_cy) {
    u32 beside = TO_BANK_CY + MERGED_CY + FROM_BANK_CY;
    return latency_cy > beside ? latency_cy - beside : 1;
}

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
        u64 end = p->addr[lane] + p->size_b;
        for (u64 at = p->addr[lane]; at < end; at = (at | 3) + 1) add_word(m, at, p->slab * 32u + lane, p->space == SPACE_SHARED);
    }
}

/* Of the words from that place on all threads want the same one: that of thread 0 stands for all, where it
 * takes part */
static void merge_equal(struct memop *m, u32 from) {
    struct line_access *x = m->lines.at;
    if (m->lines.n <= from || !(x[from].lanes & 1)) return;
    for (u32 i = from + 1; i < m->lines.n; i++)
        if (x[i].line != x[from].line || x[i].same != x[from].same) return;
    for (u32 i = from + 1; i < m->lines.n; i++) x[from].lanes |= x[i].lanes;
    m->lines.n = from + 1;
}

/* A texel of each thread after the other; a texel lies in a word */
static void add_texels(struct memop *m, const struct step *st) {
    u64 seen = 0;
    u32 from = 0;
    for (u32 i = 0; i < st->probe.at.n; i++) {
        const struct probe_access *p = &st->probe.at.at[i];
        u64 lanes = (u64)p->mask << 32 * p->slab;
        if (seen & lanes) merge_equal(m, from), from = m->lines.n, seen = 0;
        seen |= lanes;
        for (u32 rest = p->mask; rest; rest &= rest - 1) {
            u32 lane = (u32)__builtin_ctz(rest);
            add_word(m, p->addr[lane] & ~3ull, p->slab * 32u + lane, false);
        }
    }
    merge_equal(m, from);
}

static u64 lanes_without_words(const struct flight *f) {
    u64 lanes = f->active;
    for (u32 i = 0; i < f->mem.lines.n; i++) lanes &= ~f->mem.lines.at[i].lanes;
    return lanes;
}

static void collect(struct core *c, struct flight *f, const struct step *st) {
    struct memop *m = &f->mem;
    bool texture = flight_is_texture(f);
    if (texture) add_texels(m, st);
    for (u32 i = 0; i < st->probe.at.n && !texture; i++)
        if (!st->deferred.n) add_words(m, &st->probe.at.at[i]);
    lsu_add_atomics(c, f, st);
    m->kind = (u8)lsu_kind_of(f->t->in, st);
    m->space = st->probe.at.n ? st->probe.at.at[0].space : SPACE_GLOBAL;
    m->collector = NONE;
    if (!m->packets.n && !texture) merge_equal(m, 0);
    CHECK(m->lines.n <= (texture ? 4 * 64 : 64));
    m->nlines = m->lines.n;
    m->silent = lanes_without_words(f);
}

struct flight *vlsu_record(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid) {
    struct flight *f = flight_new(c);
    f->uid = uid, f->age = c->homes[slot].age, f->t = t, f->active = st->active, f->lanes = st->lanes;
    f->slot = (u16)slot, f->issue_cy = c->now;
    collect(c, f, st);
    writeback_executed(c, f);
    lsu_count(c, f);
    writeback_expect(c, f);
    return f;
}

void vlsu_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid) {
    struct vlsu *l = c->vlsu;
    const struct flight *f = vlsu_record(c, slot, t, st, uid);
    EMIT(c, .kind = EV_READ, .cycle = c->now, .uid = uid, .slot = (u16)slot);
    EMIT(c, .kind = EV_MEM_ENTER, .cycle = c->now + 1, .uid = uid, .slot = (u16)slot);
    CHECK(l->nskid < ARRAY_LEN(l->skid));
    l->skid_cy[l->nskid] = c->now + 1;
    l->skid[l->nskid++] = f->id;
}

/* --- words on their way back: a queue for each bank, one for shared memory */

void vlsu_answer(struct core *c, u32 bank, u32 flight, u64 due_cy) {
    struct vlsu *l = c->vlsu;
    struct vqueue *q = &l->banks[bank];
    queue_push(q, (struct vanswer){due_cy, flight, 1});
    l->answer_cy = MIN(l->answer_cy, due_cy);
    if (bank == SHARED_QUEUE) return;
    l->answering |= 1ull << bank;
    if (q->n > BANK_OUTPUT) l->crowded |= 1ull << bank;
}

bool vlsu_frozen(const struct core *c, u32 bank) { return c->vlsu->frozen >> bank & 1; }

/* Two words of a bank stand at its output, and a third behind them: the bank stands still for a cycle, and
 * all that is in it */
static void find_frozen(struct core *c) {
    struct vlsu *l = c->vlsu;
    l->frozen = 0;
    for (u64 m = l->crowded; m; m &= m - 1) {
        struct vqueue *q = &l->banks[__builtin_ctzll(m)];
        if (queue_at(q, BANK_OUTPUT)->due_cy > c->now + 1) continue;
        l->frozen |= m & -m;
        for (u32 i = BANK_OUTPUT; i < q->n; i++) queue_at(q, i)->due_cy++;
        vcache_freeze(c, (u32)__builtin_ctzll(m));
    }
}

/* The first word of a bank goes */
static void take_word(struct vlsu *l, u32 bank) {
    struct vqueue *q = &l->banks[bank];
    queue_pop(q);
    if (q->n <= BANK_OUTPUT) l->crowded &= ~(1ull << bank);
    if (!q->n) l->answering &= ~(1ull << bank);
}

/* Words of one instruction that go on together, and when the first of those that stay is due */
struct taken {
    i32 flight; /* or NONE */
    u32 words;
    u64 others_cy;
};

/* Of the cache: the instruction of the lowest bank with a word that is there goes, with one word of each bank
 * where the first is its own */
static struct taken take_cached(struct core *c) {
    struct vlsu *l = c->vlsu;
    struct taken x = {NONE, 0, NEVER};
    for (u64 m = l->answering; m; m &= m - 1) {
        u32 bank = (u32)__builtin_ctzll(m);
        const struct vqueue *q = &l->banks[bank];
        const struct vanswer *first = &q->at[q->head];
        if (first->due_cy <= c->now && (x.flight == NONE || x.flight == (i32)first->flight)) {
            x.flight = (i32)first->flight;
            x.words++;
            take_word(l, bank);
        }
        x.others_cy = MIN(x.others_cy, queue_due(q));
    }
    return x;
}

/* Of shared memory: the first, where the cache has none; and those of the same instruction that have come in
 * this cycle */
static void take_shared(const struct core *c, struct vqueue *q, struct taken *x) {
    while (queue_due(q) <= c->now) {
        const struct vanswer *first = &q->at[q->head];
        if (x->words && (x->flight != (i32)first->flight || first->due_cy != c->now)) break;
        x->flight = (i32)first->flight;
        x->words++;
        queue_pop(q);
    }
    x->others_cy = MIN(x->others_cy, queue_due(q));
}

/* What was merged MERGED_CY ago has the write-back port, */
static void write_back(struct core *c) {
    struct vlsu *l = c->vlsu;
    while (queue_due(&l->merged) <= c->now) {
        struct vanswer a = l->merged.at[l->merged.head];
        const struct flight *f = flight_at(c, a.flight);
        bool over = f->mem.outstanding == a.words && f->mem.accepted && f->mem.kind == PROBE_LOAD;
        queue_pop(&l->merged);
        l->wrote_cy = c->now;
        writeback_parts(c, a.flight, a.words, c->now + FROM_BANK_CY);
        l->loads -= over;
        l->again |= over;
    }
}

/* and the words of one instruction are merged. */
static __attribute__((noinline)) void bring_back(struct core *c) {
    struct vlsu *l = c->vlsu;
    write_back(c);
    find_frozen(c);
    struct taken x = take_cached(c);
    if (l->banks[SHARED_QUEUE].n) take_shared(c, &l->banks[SHARED_QUEUE], &x);
    if (x.words && flight_is_texture(flight_at(c, (u32)x.flight))) vtex_answer(c, x.words);
    else if (x.words) queue_push(&l->merged, (struct vanswer){c->now + MERGED_CY, (u32)x.flight, x.words});
    l->answer_cy = MIN(x.others_cy, queue_due(&l->merged));
}

/* --- words to the banks */

struct taken_ports {    /* in this cycle */
    u64 banks, threads; /* of shared memory */
    u64 closed;         /* threads whose buffers take nothing more */
};

static int send_shared(struct core *c, struct flight *f, const struct line_access *x, struct taken_ports *p) {
    u64 bank = 1ull << x->line / 4 % c->cfg->shared_banks;
    if (p->threads & x->lanes) return HAZARD_BANK; /* the thread's second word */
    if (p->banks & bank) {
        c->stats.shared_conflict_cycles++;
        return HAZARD_BANK;
    }
    p->banks |= bank;
    p->threads |= x->lanes;
    EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = f->uid, .slot = f->slot, .a = x->line, .mask = x->lanes,
         .cause = ACCESS_SHARED);
    if (f->mem.kind == PROBE_STORE) return NONE;
    f->mem.outstanding++;
    vlsu_answer(c, SHARED_QUEUE, f->id, c->now + vlsu_latency(c->cfg->shared_cy));
    return NONE;
}

/* A word of the cache's into its thread's buffer; what the instruction waits for counts from here on */
static int buffer_word(struct core *c, struct flight *f, u32 i, u64 *closed) {
    struct vlsu *l = c->vlsu;
    u32 lane = (u32)__builtin_ctzll(f->mem.lines.at[i].lanes);
    u64 bit = 1ull << lane;
    if (*closed & bit) return HAZARD_BANK;
    *closed |= bit;
    if (f->mem.kind == PROBE_STORE) writeback_store_sent(c, f);
    else f->mem.outstanding++;
    struct vlane *b = &l->lanes[lane];
    b->word[b->n++] = (struct vword){f->id, (u16)i, (u16)vcache_bank(c, f->mem.lines.at[i].line)};
    l->waiting |= bit;
    if (b->n == 2) l->full |= bit;
    return NONE;
}

bool vlsu_buffer(struct core *c, struct flight *f, u32 i, u64 *closed) { return buffer_word(c, f, i, closed) == NONE; }

static int send_word(struct core *c, struct flight *f, u32 i, struct taken_ports *p) {
    const struct line_access *x = &f->mem.lines.at[i];
    if (f->mem.packets.n && c->vlsu->waiting) return HAZARD_COMQ; /* it passes no word */
    if (f->mem.packets.n) return vcache_atomic(c, f, x, atomic_at(c, f->mem.packets.at[i]));
    return x->same ? send_shared(c, f, x, p) : buffer_word(c, f, i, &p->closed);
}

/* Its last word is with its bank */
static void accepted(struct core *c, struct flight *f) {
    bool over = !f->mem.outstanding && f->mem.kind == PROBE_LOAD;
    if (f->mem.silent)
        EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = f->uid, .slot = f->slot, .mask = f->mem.silent,
             .cause = ACCESS_BYPASS);
    if (over) f->result_cy = c->now + FROM_BANK_CY;
    writeback_accepted(c, f);
    c->vlsu->loads -= over;
    c->vlsu->again |= over;
}

void vlsu_wake(struct core *c) { c->vlsu->again = true; }

/* The current one is a load that has sent nothing, and as many as may be are under way */
static bool waits_for_loads(const struct core *c) {
    const struct vlsu *l = c->vlsu;
    return l->fresh && l->loads >= c->cfg->lsu_queue && flight_at(c, (u32)l->current)->mem.kind == PROBE_LOAD;
}

static bool lasts(int why) { return why == HAZARD_MSHR || why == HAZARD_COMQ; }

/* The thread's first word has been taken: its buffer has a place more */
static void leave_buffer(struct core *c, u32 lane, struct flight *f) {
    struct vlsu *l = c->vlsu;
    struct vlane *b = &l->lanes[lane];
    if (++f->mem.next == f->mem.nlines) accepted(c, f);
    b->word[0] = b->word[1];
    l->empty_cy = c->now + 1;
    l->full &= ~(1ull << lane);
    if (!--b->n) l->waiting &= ~(1ull << lane);
}

/* Words in buffers to their banks, of which each is offered one. Returns whether the next cycle may be
 * another. */
static bool offer_words(struct core *c) {
    struct vlsu *l = c->vlsu;
    bool moves = false;
    u64 offered = 0;
    int answer[MAX_WARP]; /* of the banks that were offered one, to all others */
    for (u64 m = l->waiting; m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctzll(m);
        struct vword w = l->lanes[lane].word[0];
        int why = NONE;
        if (offered >> w.bank & 1) why = answer[w.bank];
        else {
            struct flight *f = flight_at(c, w.flight);
            why = vcache_word(c, f, &f->mem.lines.at[w.at], w.bank);
            offered |= 1ull << w.bank;
            answer[w.bank] = why == NONE ? HAZARD_BANK : why;
            if (why == NONE) leave_buffer(c, lane, f);
        }
        moves = moves || !lasts(why);
        if (why != NONE && l->held_by == NONE) l->held_by = why;
    }
    return moves;
}

/* Words of the current instruction to buffers that are not closed. Returns the same. */
static bool send(struct core *c, u64 closed) {
    struct vlsu *l = c->vlsu;
    struct flight *f = flight_at(c, (u32)l->current);
    struct taken_ports p = {.closed = closed};
    bool moves = false;
    if (waits_for_loads(c)) return false;
    l->loads += l->fresh && f->mem.kind == PROBE_LOAD;
    l->fresh = false;
    c->stats.lsu_busy_cycles++;
    for (u64 m = l->left; m; m &= m - 1) {
        int why = send_word(c, f, (u32)__builtin_ctzll(m), &p);
        const struct line_access *x = &f->mem.lines.at[__builtin_ctzll(m)];
        if (why == NONE) l->left &= ~(m & -m);
        else if (l->held_by == NONE) l->held_by = why;
        f->mem.next += why == NONE && (x->same || f->mem.packets.n); /* others wait in their buffers */
        moves = moves || why == NONE || (why == HAZARD_BANK && x->same);
    }
    if (l->left) {
        lsu_hazard(c, f, (enum hazard)l->held_by);
        return moves;
    }
    l->current = NONE;
    if (f->mem.next == f->mem.nlines) accepted(c, f);
    return moves;
}

/* As in the last cycle: no word can go on */
static void stand_still(struct core *c) {
    const struct vlsu *l = c->vlsu;
    if (l->current == NONE || l->current_cy > c->now || waits_for_loads(c)) return;
    c->stats.lsu_busy_cycles++;
    lsu_hazard(c, flight_at(c, (u32)l->current), (enum hazard)l->held_by);
}

/* Words of the current instruction or of the texture unit, by turns. Returns the same. */
static bool send_either(struct core *c, u64 closed) {
    struct vlsu *l = c->vlsu;
    bool own = l->current != NONE && l->current_cy <= c->now, texture = vtex_wants(c), moves = false;
    texture = texture && (!own || !l->textured || waits_for_loads(c));
    if (texture) moves = vtex_send(c, closed);
    else if (own) moves = send(c, closed);
    if (moves) l->textured = texture;
    return moves;
}

static __attribute__((noinline)) void move_words(struct core *c) {
    struct vlsu *l = c->vlsu;
    u64 closed = l->full; /* a buffer that is full when the cycle begins takes nothing in it */
    if (l->stuck && !l->again) {
        stand_still(c);
        return;
    }
    l->again = false;
    l->held_by = NONE;
    bool moves = offer_words(c);
    moves |= send_either(c, closed);
    l->stuck = !moves && (l->waiting || l->current != NONE);
}

static void take_next(struct core *c) {
    struct vlsu *l = c->vlsu;
    if (l->current != NONE || l->skid_cy[0] > c->now) return;
    const struct flight *f = flight_at(c, l->skid[0]);
    l->current = (i32)f->id;
    l->fresh = true;
    l->stuck = false;
    l->current_cy = c->now + 1;
    l->left = f->mem.nlines == 64 ? ~0ull : (1ull << f->mem.nlines) - 1;
    l->skid[0] = l->skid[1], l->skid_cy[0] = l->skid_cy[1];
    l->nskid--;
}

void vlsu_stage(struct core *c) {
    struct vlsu *l = c->vlsu;
    vtex_stage(c);
    if (l->answer_cy <= c->now) bring_back(c);
    else l->frozen = 0;
    vcache_stage(c);
    if (l->waiting || l->current != NONE || vtex_wants(c)) move_words(c);
    vcache_send(c); /* after the words: a bank sees its queue as it was when the cycle began */
    if (l->nskid) take_next(c);
}

bool vlsu_idle(const struct core *c) {
    const struct vlsu *l = c->vlsu;
    return !l || (!l->nskid && l->current == NONE && !l->waiting && l->answer_cy == NEVER && vtex_idle(c) && vcache_idle(c));
}

u64 vlsu_empty(const struct core *c) { return c->vlsu ? c->vlsu->empty_cy : 0; }

u64 vlsu_next(const struct core *c) {
    const struct vlsu *l = c->vlsu;
    u64 next = MIN(MIN(vcache_next(c), vtex_next(c)), l->answer_cy);
    if (vtex_wants(c) && (!l->stuck || l->again)) return c->now;
    if ((l->waiting || l->current != NONE) && l->stuck && l->again) return c->now;
    if (l->waiting && !l->stuck) return c->now;
    if (l->current != NONE) next = l->stuck ? next : MIN(next, l->current_cy);
    else if (l->nskid) next = MIN(next, l->skid_cy[0]);
    return MAX(next, c->now);
}

/* Cycles jumped over: a word that could not be taken still cannot */
void vlsu_skip(struct core *c, u64 n) {
    const struct vlsu *l = c->vlsu;
    if (l->current == NONE || !l->stuck || waits_for_loads(c)) return;
    const struct flight *f = flight_at(c, (u32)l->current);
    c->stats.lsu_busy_cycles += n;
    c->stats.hazards[l->held_by] += n;
    EMIT(c, .kind = EV_HAZARD, .cycle = c->now, .uid = f->uid, .slot = f->slot, .cause = (u8)l->held_by, .a = n);
}
