/* The memory pipe. Memory instructions read their operands like others, get addresses (sm.lsu.agu_cy a beat),
 * and wait in order of issue for the memory stage, which works on the first one only: one line access, one
 * cycle of shared memory or one word of constants a cycle. An access that is refused (hazard/) keeps
 * everything behind it waiting.
 *
 * The first sm.lsu.queue instructions with addresses are the queue proper; others hold their operand
 * collectors, so a stalled memory stage fills the collectors and, where these are generic, chokes arithmetic
 * too (Turner 1.1.7).
 *
 * Local memory lies interleaved by thread: word i of the 32 lanes of a warp is one line. Asynchronous copies
 * are loads without a destination.
 *
 * Invariants: L1 instructions leave the stage in order of issue; L2 an instruction is freed when accepted and
 * nothing is outstanding. */
#include "core/lsu.h"

#include <stdlib.h>
#include <string.h>

#define LOCAL_PHYSICAL 0x500000000000ull /* where local memory lies for caches and DRAM */

/* --- building */

/* Addresses of a whole warp: a beat for each width of the unit */
static u32 agu_beats(const struct config *g) { return (g->warp_size + g->lsu_width - 1) / g->lsu_width; }

u32 lsu_way(const struct config *g) {
    return g->issue_depth + g->operand_depth + !g->operands_ideal + g->lsu_agu_cy * agu_beats(g);
}

/* Addresses of these lanes (scale.c) */
static u32 agu_cycles(struct core *c, u64 lanes) {
    const struct config *g = c->cfg;
    u32 beats = c->lsu->agu_beats;
    if (g->warp_scale) {
        beats = scale_beats(lanes, g->warp_size, g->lsu_width, g->squeeze);
        c->stats.beats_spared += c->lsu->agu_beats - beats;
    }
    if (g->scale_latency == SCALE_LOOP) return scale_loop(c, g->lsu_agu_cy * c->lsu->agu_beats, lanes);
    return g->lsu_agu_cy * beats;
}

void lsu_init(struct core *c) {
    const struct config *g = c->cfg;
    struct lsu *l = c->lsu = base_alloc(sizeof(*l));
    u32 way = lsu_way(g);
    l->agu_beats = agu_beats(g);
    l->cap = g->lsu_queue + operands_collectors(c) + 64;
    l->mask = ring_mask(l->cap);
    l->queue = base_alloc(sizeof(u32) * (l->mask + 1));
    l->may_leave = c->pol.hazard->leaves;
    l->stays_held = !l->may_leave && !g->reexec && !c->pol.sched->admit;
    l->shared_latency = g->shared_cy > way ? g->shared_cy - way : 1;
    l->const_latency = g->const_cy > way ? g->const_cy - way : 1;
}

void lsu_free(struct core *c) {
    free(c->lsu->queue);
    free(c->lsu);
}

void lsu_launch(struct core *c) {
    struct lsu *l = c->lsu;
    l->head = l->n = l->proper = 0;
    l->held_by = NONE;
    set_clear(l->sending, c->words);
    memset(l->loads, 0, sizeof(l->loads));
}

void lsu_abandon(struct core *c) { set_clear(c->lsu->sending, c->words); }

/* --- what it touches */

static u32 line_mask(u64 addr, u32 bytes) {
    u32 first = (u32)(addr % 128 / 32), last = (u32)((addr % 128 + bytes - 1) / 32);
    return ((2u << last) - 1) & ~((1u << first) - 1);
}

static void lines_reserve(struct memop *m, u32 n) {
    if (m->lines.cap >= n) return;
    m->lines.cap = n;
    m->lines.at = base_realloc(m->lines.at, n * sizeof(*m->lines.at));
}

static void add_lines(struct core *c, struct memop *m, const u64 *addr, u32 mask, u32 size_b, u32 lane0) {
    lines_reserve(m, m->lines.n + 32 * (size_b / 32 + 2));
    m->lines.n = coalesce_lines(addr, mask, size_b, c->cfg->l1_line_b, lane0, m->lines.at, m->lines.n);
}

u64 lsu_local_address(const struct core *c, u32 home, u32 lane, u64 addr) {
    u64 base = LOCAL_PHYSICAL + ((u64)(c->id * MAX_SLOTS + home) << 26);
    return base + addr / 4 * 4 * c->cfg->warp_size + (u64)lane * 4 + addr % 4;
}

static void add_local(struct core *c, struct flight *f, const struct probe_access *p) {
    if (p->placed) {
        add_lines(c, &f->mem, p->addr, p->mask, p->size_b, p->slab * 32u);
        return;
    }
    for (u32 off = 0; off < p->size_b; off += 4) {
        u64 addr[32];
        for (u32 l = 0; l < 32; l++) addr[l] = lsu_local_address(c, f->slot, p->slab * 32 + l, p->addr[l] + off);
        add_lines(c, &f->mem, addr, p->mask, MIN(p->size_b, 4u), p->slab * 32u);
    }
}

static void pass_lane(struct memop *m, u32 pass, u32 lane) {
    while (m->passes.n <= pass) VEC_PUSH(&m->passes, 0ull);
    m->passes.at[pass] |= 1ull << lane;
}

/* Which lanes shared memory serves together: for each bank the first word asked for, and all lanes that want
 * it. Lanes go together by sm.shared.lanes, and those of 8 and 16 bytes by halves and quarters of that, as
 * shared_cycles counts them.
 * */
static void add_passes(const struct core *c, struct memop *m, const struct probe_access *p) {
    u32 group = shared_together(p->size_b, c->cfg->shared_lanes), banks = c->cfg->shared_banks;
    for (u32 from = 0; from < 32; from += group) {
        u32 rest = p->mask & (u32)(((1ull << group) - 1) << from);
        while (rest) {
            u64 word[64];
            u64 taken = 0, served = 0;
            for (u32 k = rest; k; k &= k - 1) {
                u32 l = (u32)__builtin_ctz(k);
                u64 w = p->addr[l] / 4;
                u32 b = (u32)(w % banks);
                bool same = taken >> b & 1 && word[b] == w && p->kind != PROBE_ATOMIC;
                if (taken >> b & 1 && !same) continue;
                taken |= 1ull << b;
                word[b] = w;
                served |= 1u << l;
            }
            VEC_PUSH(&m->passes, served << p->slab * 32u);
            rest &= (u32)~served;
        }
    }
}

/* Parts of a warp that go one after the other whatever they touch: that is no conflict */
static u32 shared_turns(const struct core *c, const struct probe_access *p) {
    u32 turns = 0, lanes = c->cfg->shared_lanes;
    for (u32 from = lanes; from < 32; from += lanes) turns += (p->mask >> from & (u32)((1ull << lanes) - 1)) != 0;
    return turns && !(p->mask & (u32)((1ull << lanes) - 1)) ? turns - 1 : turns;
}

static void add_shared(const struct core *c, struct memop *m, const struct probe_access *p) {
    if (c->lsu->may_leave) add_passes(c, m, p);
    m->cycles_left +=
        shared_cycles(p->addr, p->mask, p->size_b, c->cfg->shared_banks, c->cfg->shared_lanes, p->kind == PROBE_ATOMIC);
    m->turns += shared_turns(c, p);
}

/* The constant cache serves one word of one line a cycle to all lanes that want it. */
static void add_const(struct core *c, struct memop *m, const struct probe_access *p) {
    u64 base = p->space == SPACE_PARAM ? PARAM_PHYSICAL : 0, seen[32];
    u32 words = 0, line_b = c->cfg->const_line_b, first = m->passes.n;
    lines_reserve(m, m->lines.n + 32);
    for (u32 rest = p->mask; rest; rest &= rest - 1) {
        u64 a = base + p->addr[__builtin_ctz(rest)];
        u32 i = 0, lane = p->slab * 32u + (u32)__builtin_ctz(rest);
        while (i < words && seen[i] != a) i++;
        if (c->lsu->may_leave) pass_lane(m, first + i, lane);
        if (i < words) continue;
        seen[words++] = a;
        u64 line = a & ~(u64)(line_b - 1);
        for (i = 0; i < m->lines.n && m->lines.at[i].line != line; i++);
        if (i == m->lines.n) m->lines.at[m->lines.n++] = (struct line_access){.line = line};
    }
    m->is_const = true;
    m->cycles_left += words;
}

static void add_texels(struct core *c, struct memop *m, const struct probe_access *p) {
    lines_reserve(m, m->lines.n + 64);
    m->lines.n = coalesce_lines(p->addr, p->mask, p->size_b, c->cfg->tex_line_b, p->slab * 32u, m->lines.at, m->lines.n);
    m->is_texture = true;
}

/* Of lanes whose access lies in two words, the second; false: there are none */
static bool second_words(const struct probe_access *p, struct probe_access *second) {
    *second = *p;
    for (u32 rest = p->mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctz(rest);
        second->addr[l] = (p->addr[l] | 3) + 1;
        if (p->addr[l] % 4 + p->size_b <= 4) second->mask &= ~(1u << l);
    }
    return second->mask;
}

/* Banks give a lane one word at a time */
static __attribute__((noinline)) void add_second_words(const struct core *c, struct memop *m, const struct probe_access *p) {
    struct probe_access second;
    if (second_words(p, &second)) add_shared(c, m, &second);
}

static void add_access(struct core *c, struct flight *f, const struct probe_access *p) {
    struct memop *m = &f->mem;
    switch (p->space) {
    case SPACE_SHARED:
        add_shared(c, m, p);
        if (f->t->in->flags & INST_ANY_ALIGN) add_second_words(c, m, p);
        break;
    case SPACE_LOCAL: add_local(c, f, p); break;
    case SPACE_CONST:
    case SPACE_PARAM: add_const(c, m, p); break;
    case SPACE_TEX:
        if (c->texture) add_texels(c, m, p);
        else add_lines(c, m, p->addr, p->mask, p->size_b, p->slab * 32u);
        break;
    default:
        if (p->kind != PROBE_ATOMIC) add_lines(c, m, p->addr, p->mask, p->size_b, p->slab * 32u);
    }
}

static u32 most_at_one_address(const struct atomic_packet *p) {
    u32 most = 1;
    for (u32 i = 0; i < p->n; i++) {
        u32 same = 0;
        for (u32 j = 0; j < p->n; j++) same += p->lane[j].addr == p->lane[i].addr;
        most = MAX(most, same);
    }
    return most;
}

void lsu_add_atomics(struct core *c, struct flight *f, const struct step *st) {
    struct memop *m = &f->mem;
    m->red = st->deferred.n;
    for (u32 i = 0; i < st->deferred.n; i++) {
        struct atomic_packet *p = atomic_leaves(c, st->deferred.at[i], f->id);
        struct line_access x = {.line = p->line, .same = (u8)MIN(most_at_one_address(p), 255u)};
        for (u32 l = 0; l < p->n; l++) {
            x.lanes |= 1ull << (c->form ? form_seat(c, p->home, p->lane[l].lane) : p->lane[l].lane);
            x.sectors |= line_mask(p->lane[l].addr, p->lane[l].size_b);
        }
        if (!p->dest.absent) m->red = false;
        VEC_PUSH(&m->lines, x);
        VEC_PUSH(&m->packets, p->index);
    }
}

/* Space that the instruction counts under: that of its last access; parameters at known places make none */
static enum space space_of(const struct step *st) {
    for (u32 i = 0; i < st->probe.at.n; i++)
        if (st->probe.at.at[i].space == SPACE_GLOBAL || st->probe.at.at[i].space == SPACE_LOCAL)
            return (enum space)st->probe.at.at[i].space;
    return st->probe.at.n ? (enum space)st->probe.at.at[st->probe.at.n - 1].space : (enum space)st->in->space;
}

/* A store that may fail counts as a store when it does not */
enum probe_kind lsu_kind_of(const struct inst *in, const struct step *st) {
    bool stores = st->probe.at.n && st->probe.at.at[0].kind == PROBE_STORE;
    if (in->iclass == ICLASS_ATOMIC) return stores ? PROBE_STORE : PROBE_ATOMIC;
    return in->iclass == ICLASS_STORE ? PROBE_STORE : PROBE_LOAD;
}

static u64 silent_lanes(const struct core *c, const struct flight *f, const struct step *st) {
    u64 lanes = f->active;
    if (!c->prog->k->device) return 0;
    for (u32 i = 0; i < st->probe.at.n; i++) lanes &= ~((u64)st->probe.at.at[i].mask << 32 * st->probe.at.at[i].slab);
    for (u32 i = 0; i < f->mem.lines.n; i++) lanes &= ~f->mem.lines.at[i].lanes;
    return lanes;
}

static void collect_accesses(struct core *c, struct flight *f, const struct step *st) {
    struct memop *m = &f->mem;
    const struct inst *in = f->t->in;
    for (u32 i = 0; i < st->probe.at.n; i++) add_access(c, f, &st->probe.at.at[i]);
    if (!st->probe.at.n && in->space == SPACE_PARAM) {
        struct probe_access p = {.space = SPACE_PARAM, .mask = 1, .size_b = in->elem_b, .addr = {(u64)in->imm}};
        add_const(c, m, &p);
        if (m->passes.n) m->passes.at[0] = f->active; /* all lanes read the same word */
    }
    lsu_add_atomics(c, f, st);
    m->space = (u8)space_of(st);
    m->kind = (u8)lsu_kind_of(in, st);
    m->is_async = in->iclass == ICLASS_ASYNC;
    m->nlines = m->lines.n;
    m->silent = c->tracing ? silent_lanes(c, f, st) : 0;
}

void lsu_count(struct core *c, const struct flight *f) {
    const struct memop *m = &f->mem;
    struct sm_stats *s = &c->stats;
    struct pc_stats *pc = &c->pcs[flight_pc(f)];
    bool load = m->kind == PROBE_LOAD, atomic = m->kind == PROBE_ATOMIC;
    s->mem_instructions++;
    pc->accesses++;
    switch (m->space) {
    case SPACE_SHARED: ++*(atomic ? &s->shared_atomics : load ? &s->shared_loads : &s->shared_stores); return;
    case SPACE_LOCAL: ++*(load ? &s->local_loads : &s->local_stores); break;
    case SPACE_CONST:
    case SPACE_PARAM: s->const_loads++; return;
    case SPACE_TEX: s->tex_loads++; break;
    default: ++*(atomic ? (m->red ? &s->reductions : &s->atomics) : load ? &s->global_loads : &s->global_stores);
    }
    s->line_accesses += m->nlines;
    pc->lines += m->nlines;
}

/* --- issue */

u64 lsu_enter(struct core *c, struct flight *f) {
    const struct config *cfg = c->cfg;
    struct lsu *l = c->lsu;
    struct member own;
    struct crew w = flight_crew(f, &own);
    u64 read = operands_read(c, f->sub, &w, f->t);
    f->mem.collector = operands_pool(c, f->t);
    f->mem.ready_cy = read + cfg->operand_depth + agu_cycles(c, f->lanes);
    if (f->mem.collector != NONE) operands_hold(c, f->sub, f->mem.collector, f->lanes);
    writeback_reads(c, &w, read);
    l->queue[(l->head + l->n++) & l->mask] = f->id;
    WATCH(c, MEM_ENTERED, .slot = f->slot, .f = f);
    l->loads[f->t->mshr_of]++;
    CHECK(l->n <= l->cap);
    return read;
}

struct flight *lsu_record(struct core *c, u32 slot, const struct tinst *t, const struct step *st, const struct crew *w) {
    struct flight *f = flight_new(c);
    f->uid = w->at[0].uid, f->age = w->at[0].age, f->t = t, f->active = st->active, f->lanes = st->lanes;
    f->slot = (u16)slot, f->sub = (u8)issue_sub(c, slot);
    for (u32 i = 0; c->form && i < w->n; i++) VEC_PUSH(&f->members, w->at[i]);
    f->passes = w->passes;
    collect_accesses(c, f, st);
    writeback_executed(c, f);
    return f;
}

u64 lsu_send(struct core *c, struct flight *f, bool expects_miss) {
    f->issue_cy = c->now;
    writeback_expect(c, f);
    set_add(c->lsu->sending, f->slot);
    u64 read = lsu_enter(c, f);
    FLIGHT_TELL(c, f, .kind = EV_READ, .cycle = read);
    FLIGHT_TELL(c, f, .kind = EV_MEM_ENTER, .cycle = f->mem.ready_cy);
    if (c->replay) replay_issued(c, f);
    if (c->reexec) reexec_issued(c, f);
    if (c->predict) predict_issue(c, f, expects_miss);
    return read;
}

void lsu_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, const struct crew *w, bool expects_miss) {
    struct flight *f = lsu_record(c, slot, t, st, w);
    lsu_count(c, f);
    lsu_send(c, f, expects_miss);
}

/* --- the stage */

static struct flight *in_pipe(const struct core *c, u32 i) {
    return flight_at(c, c->lsu->queue[(c->lsu->head + i) & c->lsu->mask]);
}

static void advance_queue(struct core *c, struct lsu *l) {
    while (l->proper < MIN(l->n, c->cfg->lsu_queue)) {
        struct flight *f = in_pipe(c, l->proper);
        if (f->mem.ready_cy > c->now) return;
        if (f->mem.collector != NONE) operands_let_go(c, f->sub, f->mem.collector, f->lanes);
        f->mem.collector = NONE;
        l->proper++;
    }
}

void lsu_leave(struct core *c) {
    struct lsu *l = c->lsu;
    l->loads[in_pipe(c, 0)->t->mshr_of]--;
    l->head = (l->head + 1) & l->mask;
    l->n--;
    l->proper--;
}

void lsu_done(struct core *c, struct flight *f) {
    u32 slot = f->slot;
    WATCH(c, MEM_ACCEPTED, .slot = slot, .f = f);
    if (f->mem.silent) FLIGHT_TELL(c, f, .kind = EV_ACCESS, .cycle = c->now, .mask = f->mem.silent, .cause = ACCESS_BYPASS);
    if (c->replay) replay_finished(c, f);
    if (writeback_accepted(c, f)) set_drop(c->lsu->sending, slot);
}

void lsu_accepted(struct core *c, struct flight *f) {
    lsu_leave(c);
    lsu_done(c, f);
}

void lsu_hazard(struct core *c, const struct flight *f, enum hazard h) {
    c->stats.hazards[h]++;
    FLIGHT_TELL(c, f, .kind = EV_HAZARD, .cycle = c->now, .cause = (u8)h, .a = 1);
}

u64 lsu_latency(const struct core *c, const struct flight *f) {
    u32 cycles = f->mem.is_const ? c->lsu->const_latency : c->lsu->shared_latency;
    u32 beyond = f->mem.is_const && c->cfg->perfect_memory ? c->cfg->perfect_cy : 0;
    return scaled(c, c->cfg, cycles, f->lanes) + beyond;
}

/* Shared memory and constants: cycles of the stage, all of which succeed. True when the last one is over. */
static bool work_cycles(struct core *c, struct flight *f) {
    struct memop *m = &f->mem;
    f->result_cy = MAX(f->result_cy, c->now + lsu_latency(c, f));
    if (--m->cycles_left == 0) {
        FLIGHT_TELL(c, f, .kind = EV_ACCESS, .cycle = c->now, .mask = f->active,
                    .cause = m->is_const ? ACCESS_CONST : ACCESS_SHARED);
        return true;
    }
    if (m->cycles_left <= m->turns) {
        c->stats.shared_turns++;
        return false;
    }
    lsu_hazard(c, f, HAZARD_BANK);
    if (!m->is_const) c->stats.shared_conflict_cycles++;
    return false;
}

int lsu_access(struct core *c, struct flight *f, u32 line) {
    struct line_access *x = &f->mem.lines.at[line];
    if (f->mem.is_texture) return texture_load(c, f, x);
    if (f->mem.packets.n) return l1_atomic(c, f, x, atomic_at(c, f->mem.packets.at[line]));
    return f->mem.kind == PROBE_STORE ? l1_store(c, f, x) : l1_load(c, f, x);
}

void lsu_hold(struct core *c, struct flight *f, enum hazard why) {
    c->lsu->held_by = (i32)why;
    c->stats.lsu_stall_cycles++;
    lsu_hazard(c, f, why);
}

enum hazard_action lsu_asks(const struct core *c, const struct flight *f, enum hazard why) {
    const struct memop *m = &f->mem;
    struct hazard_view v = {.cfg = c->cfg,
                            .why = why,
                            .left = m->nlines - m->next + (c->lsu->may_leave ? m->passes.n - m->pass : m->cycles_left),
                            .waited = c->now - f->issue_cy};
    bool whole = why != HAZARD_DIV && why != HAZARD_BANK;
    return whole ? c->pol.hazard->refused(&v) : c->pol.hazard->unfinished(&v);
}

bool lsu_refused(struct core *c, struct flight *f, enum hazard why) {
    enum reexec_answer aside = c->reexec ? reexec_take(c, f, why) : REEXEC_NO;
    if (aside == REEXEC_TAKEN) return true;
    if (lsu_asks(c, f, why) == HAZARD_LEAVE) {
        replay_leaves(c, f, why);
        return false;
    }
    if (aside == REEXEC_FULL) reexec_hold(c, why);
    lsu_hold(c, f, why);
    return false;
}

/* A word a cycle; a line is looked up with the first of its words. */
static void work_const(struct core *c, struct flight *f) {
    struct memop *m = &f->mem;
    int why = m->next < m->nlines ? const_load(c, f, m->lines.at[m->next].line) : NONE;
    if (why != NONE) {
        lsu_refused(c, f, (enum hazard)why);
        return;
    }
    if (m->next < m->nlines) m->next++;
    if (work_cycles(c, f)) lsu_accepted(c, f);
}

static void work_line(struct core *c, struct flight *f) {
    struct memop *m = &f->mem;
    int why = lsu_access(c, f, m->next);
    if (why != NONE && !lsu_refused(c, f, (enum hazard)why)) return;
    m->next++;
    if (c->reexec) reexec_passed(c);
    if (m->next < m->nlines) lsu_hazard(c, f, HAZARD_DIV);
    else if (!c->reexec || reexec_over(c, f)) lsu_accepted(c, f);
    else lsu_leave(c);
}

/* The pipe's first instruction has a cycle of the stage */
static void work(struct core *c, struct flight *f) {
    if (c->lsu->may_leave) replay_stage(c, f);
    else if (f->mem.is_const) work_const(c, f);
    else if (f->mem.cycles_left && !work_cycles(c, f)) return;
    else if (f->mem.next < f->mem.nlines) work_line(c, f);
    else lsu_accepted(c, f);
}

/* The re-execution queue has accesses: it may have the cycle */
static void work_beside_queue(struct core *c, struct flight *f) {
    if (reexec_first(c, f)) return;
    u64 hits = c->stats.l1_hits;
    work(c, f);
    c->stats.hits_under_miss += c->stats.l1_hits - hits;
}

/* The first instruction's access was refused, and would be again: nothing has changed since, and no page walk
 * is waited for */
static bool is_held(const struct lsu *l) {
    return l->stays_held && l->proper && l->held_by != NONE && l->held_by != HAZARD_TLB && !l->again;
}

void lsu_stage(struct core *c) {
    struct lsu *l = c->lsu;
    bool aside = c->reexec && reexec_waits(c);
    bool held = is_held(l);
    advance_queue(c, l);
    if (held) {
        lsu_skip(c, 1);
        return;
    }
    l->held_by = NONE;
    l->again = false;
    if (!l->proper) {
        if (aside) reexec_serve(c);
        return;
    }
    c->stats.lsu_busy_cycles++;
    if (aside) work_beside_queue(c, in_pipe(c, 0));
    else work(c, in_pipe(c, 0));
}

u64 lsu_next(const struct core *c) {
    const struct lsu *l = c->lsu;
    u64 next = c->reexec && reexec_waits(c) ? reexec_next(c) : NEVER;
    if (!l->n) return next;
    if (!l->proper) return MIN(next, MAX(c->now, in_pipe(c, 0)->mem.ready_cy));
    if (l->held_by == NONE || l->again) return c->now;
    if (l->held_by == HAZARD_TLB) next = earlier(next, tlb_next(c));
    if (l->proper < MIN(l->n, c->cfg->lsu_queue)) next = MIN(next, MAX(c->now, in_pipe(c, l->proper)->mem.ready_cy));
    return next; /* or until a response, or room in the miss queue */
}

void lsu_skip(struct core *c, u64 n) {
    const struct lsu *l = c->lsu;
    if (!l->proper || l->held_by == NONE) return;
    c->stats.lsu_busy_cycles += n;
    c->stats.lsu_stall_cycles += n;
    c->stats.hazards[l->held_by] += n;
    FLIGHT_TELL(c, in_pipe(c, 0), .kind = EV_HAZARD, .cycle = c->now, .cause = (u8)l->held_by, .a = n);
}

void lsu_wake(struct core *c, enum lsu_change what) {
    c->lsu->again = true;
    if (c->vlsu) vlsu_wake(c);
    if (what == LSU_SCHED_CHANGED && c->reexec) reexec_wake(c);
}

/* --- what others may know */

bool lsu_comes_again(const struct core *c) { return c->lsu->again; }

i32 lsu_held_by(const struct core *c) { return c->lsu->held_by; }

const u64 *lsu_sending(const struct core *c) { return c->lsu->sending; }

bool lsu_room(const struct core *c) { return c->lsu->n < c->lsu->cap; }

bool lsu_blocks_collectors(const struct core *c) { return c->lsu->proper == c->cfg->lsu_queue && c->lsu->n > c->lsu->proper; }

u32 lsu_loads(const struct core *c, u32 cache) { return c->lsu->loads[1 + cache]; }

i32 lsu_first_slot(const struct core *c) {
    for (u32 i = 0; i < c->lsu->n; i++)
        if (in_pipe(c, i)->mem.space != SPACE_SHARED) return in_pipe(c, i)->slot;
    return NONE;
}

const struct flight *lsu_behind(const struct core *c, u32 i) { return i < c->lsu->n ? in_pipe(c, i) : NULL; }

void lsu_waits(const struct core *c, struct strbuf *out) {
    const struct lsu *l = c->lsu;
    if (l->n)
        strbuf_add(out, "\n  SM %u memory stage: %u instructions, the first held by %s", c->id, l->n,
                   l->held_by == NONE ? "nothing" : hazard_table[l->held_by].name);
}

void lsu_check(const struct core *c) {
    u32 held = operands_held(c), taken = 0;
    EACH_FLIGHT (c, f) taken += f->mem.collector != NONE ? operands_shares(c, f->lanes) : 0;
    CHECK(held == taken); /* C3 */
    CHECK(c->lsu->proper <= c->lsu->n && c->lsu->n <= c->lsu->cap);
}
