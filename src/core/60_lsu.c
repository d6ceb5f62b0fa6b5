/* The memory pipe. Memory instructions read their operands like others, get addresses (sm.lsu.agu_cy a beat), and wait in order of issue for the memory stage, which works on the
 * first one only: one line access, one cycle of shared memory or one word of constants a cycle. An access that is refused (hazard/) keeps everything behind it waiting.
 *
 * The first sm.lsu.queue instructions with addresses are the queue proper; others hold their operand collectors, so a stalled memory stage fills the collectors and, where these are
 * generic, chokes arithmetic too (Turner 1.1.7).
 *
 * Local memory lies interleaved by thread: word i of the 32 lanes of a warp is one line. Asynchronous copies are loads without a destination.
 *
 * Invariants: L1 instructions leave the stage in order of issue; L2 an instruction is freed when accepted and nothing is outstanding. */
#include "core/core.h"

#define LOCAL_PHYSICAL 0x500000000000ull /* where local memory lies for caches and DRAM */

/* --- instructions in flight */

struct memop *memop_new(struct core *c, u32 *id) {
    if (!c->memop_free.n) {
        struct memop empty = {0};
        VEC_PUSH(&c->memops, empty);
        VEC_PUSH(&c->memop_free, c->memops.n - 1);
    }
    *id = c->memop_free.at[--c->memop_free.n];
    struct memop *m = &c->memops.at[*id], old = *m;
    *m = (struct memop){.used = true, .collector = NONE};
    m->lines = old.lines, m->packets = old.packets, m->passes = old.passes;
    m->lines.n = m->packets.n = m->passes.n = 0;
    m->next_older = m->next_younger = m->buffer_at = NONE;
    return m;
}

void memop_free(struct core *c, u32 id) {
    c->memops.at[id].used = false;
    VEC_PUSH(&c->memop_free, id);
}

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

static void add_local(struct core *c, struct memop *m, const struct probe_access *p) {
    u64 base = LOCAL_PHYSICAL + ((u64)(c->id * MAX_SLOTS + m->slot) << 26);
    u32 lanes = c->cfg->warp_size;
    for (u32 off = 0; off < p->size_b; off += 4) {
        u64 addr[32];
        for (u32 l = 0; l < 32; l++) {
            u64 a = p->addr[l] + off;
            addr[l] = base + a / 4 * 4 * lanes + (u64)(p->slab * 32 + l) * 4 + a % 4;
        }
        add_lines(c, m, addr, p->mask, MIN(p->size_b, 4u), p->slab * 32u);
    }
}

static void pass_lane(struct memop *m, u32 pass, u32 lane) {
    while (m->passes.n <= pass) VEC_PUSH(&m->passes, 0ull);
    m->passes.at[pass] |= 1ull << lane;
}

/* Which lanes shared memory serves together: for each bank the first word asked for, and all lanes that want it. Accesses of 8 and 16 bytes are made by halves
 * and quarters of the lanes, as shared_cycles counts them. */
static void add_passes(const struct core *c, struct memop *m, const struct probe_access *p) {
    u32 group = p->size_b >= 16 ? 8 : p->size_b == 8 ? 16 : 32, banks = c->cfg->shared_banks;
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

/* The constant cache serves one word of one line a cycle to all lanes that want it. */
static void add_const(struct core *c, struct memop *m, const struct probe_access *p) {
    u64 base = p->space == SPACE_PARAM ? PARAM_PHYSICAL : 0, seen[32];
    u32 words = 0, line_b = c->cfg->const_line_b, first = m->passes.n;
    lines_reserve(m, m->lines.n + 32);
    for (u32 rest = p->mask; rest; rest &= rest - 1) {
        u64 a = base + p->addr[__builtin_ctz(rest)];
        u32 i = 0, lane = p->slab * 32u + (u32)__builtin_ctz(rest);
        while (i < words && seen[i] != a) i++;
        if (c->pol.hazard->replays) pass_lane(m, first + i, lane);
        if (i < words) continue;
        seen[words++] = a;
        u64 line = a & ~(u64)(line_b - 1);
        for (i = 0; i < m->lines.n && m->lines.at[i].line != line; i++);
        if (i == m->lines.n) m->lines.at[m->lines.n++] = (struct line_access){.line = line};
    }
    m->is_const = true;
    m->cycles_left += words;
}

static void add_access(struct core *c, struct memop *m, const struct probe_access *p) {
    switch (p->space) {
    case SPACE_SHARED:
        if (c->pol.hazard->replays) add_passes(c, m, p);
        m->cycles_left += shared_cycles(p->addr, p->mask, p->size_b, c->cfg->shared_banks, p->kind == PROBE_ATOMIC);
        break;
    case SPACE_LOCAL: add_local(c, m, p); break;
    case SPACE_CONST:
    case SPACE_PARAM: add_const(c, m, p); break;
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

static void add_atomics(struct core *c, struct memop *m, u32 id, const struct step *st) {
    lines_reserve(m, m->lines.n + st->deferred.n);
    m->red = true;
    for (u32 i = 0; i < st->deferred.n; i++) {
        struct atomic_packet *p = c->atomic_pool.at[st->deferred.at[i]];
        struct line_access x = {.line = p->line, .same = (u8)MIN(most_at_one_address(p), 255u)};
        for (u32 l = 0; l < p->n; l++) {
            x.lanes |= 1ull << p->lane[l].lane;
            x.sectors |= line_mask(p->lane[l].addr, p->lane[l].size_b);
        }
        p->memop = id;
        if (!p->dest.absent) m->red = false;
        m->lines.at[m->lines.n++] = x;
        VEC_PUSH(&m->packets, p->index);
    }
    c->atomics_out += st->deferred.n;
}

/* Space that the instruction counts under: that of its last access; parameters at known places make none */
static enum space space_of(const struct step *st) {
    for (u32 i = 0; i < st->probe.at.n; i++)
        if (st->probe.at.at[i].space == SPACE_GLOBAL || st->probe.at.at[i].space == SPACE_LOCAL)
            return (enum space)st->probe.at.at[i].space;
    return st->probe.at.n ? (enum space)st->probe.at.at[st->probe.at.n - 1].space : (enum space)st->in->space;
}

static void collect_accesses(struct core *c, struct memop *m, u32 id, const struct step *st) {
    const struct inst *in = m->t->in;
    for (u32 i = 0; i < st->probe.at.n; i++) add_access(c, m, &st->probe.at.at[i]);
    if (!st->probe.at.n && in->space == SPACE_PARAM) {
        struct probe_access p = {.space = SPACE_PARAM, .mask = 1, .size_b = in->elem_b, .addr = {(u64)in->imm}};
        add_const(c, m, &p);
        if (m->passes.n) m->passes.at[0] = m->active; /* all lanes read the same word */
    }
    if (st->deferred.n) add_atomics(c, m, id, st);
    m->space = (u8)space_of(st);
    m->kind = in->iclass == ICLASS_ATOMIC ? PROBE_ATOMIC : in->iclass == ICLASS_STORE ? PROBE_STORE : PROBE_LOAD;
    m->is_async = in->iclass == ICLASS_ASYNC;
    m->nlines = m->lines.n;
}

static void count_kind(struct core *c, const struct memop *m) {
    struct sm_stats *s = &c->stats;
    bool load = m->kind == PROBE_LOAD, atomic = m->kind == PROBE_ATOMIC;
    s->mem_instructions++;
    c->pcs[m->t->in - c->prog->k->code].accesses++;
    switch (m->space) {
    case SPACE_SHARED: ++*(atomic ? &s->shared_atomics : load ? &s->shared_loads : &s->shared_stores); return;
    case SPACE_LOCAL: ++*(load ? &s->local_loads : &s->local_stores); break;
    case SPACE_CONST:
    case SPACE_PARAM: s->const_loads++; return;
    default: ++*(atomic ? (m->red ? &s->reductions : &s->atomics) : load ? &s->global_loads : &s->global_stores);
    }
    s->line_accesses += m->nlines;
    c->pcs[m->t->in - c->prog->k->code].lines += m->nlines;
}

/* --- issue */

/* Its destinations are unknown until it comes home. */
static void block_results(const struct slot *s, const struct memop *m) {
    const struct tinst *t = m->t;
    bool is_short = m->space == SPACE_SHARED || m->is_const;
    if (m->red) return;
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) {
        sb_write(s, t->reg[i], m->lanes, NEVER, is_short ? WAIT_SHORT : WAIT_LONG);
    }
}

u64 memop_enter(struct core *c, u32 id) {
    const struct config *cfg = c->cfg;
    struct memop *m = &c->memops.at[id];
    struct slot *s = &c->slots[m->slot];
    u32 beats = (cfg->warp_size + cfg->lsu_width - 1) / cfg->lsu_width;
    u64 read = operands_read(c, m->sub, s, m->t, &m->collector);
    m->ready_cy = read + cfg->operand_depth + (u64)cfg->lsu_agu_cy * beats;
    if (m->collector != NONE) c->subs[m->sub].collector_free[m->collector] = NEVER;
    s->drain_cy = MAX(s->drain_cy, read);
    c->lsq[(c->lsq_head + c->lsq_n++) % c->lsq_cap] = id;
    if (m->space != SPACE_SHARED) sched_event(c, SCHED_ISSUE, m->slot, 0);
    c->pipe_loads[m->t->mshr_of]++;
    CHECK(c->lsq_n <= c->lsq_cap);
    return read;
}

void lsu_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid, bool expects_miss) {
    struct slot *s = &c->slots[slot];
    u32 id, sub = slot_sub(c, slot);
    struct memop *m = memop_new(c, &id);
    m->uid = uid, m->issue_cy = c->now, m->age = s->age, m->t = t, m->active = st->active, m->lanes = st->lanes,
    m->slot = (u8)slot, m->sub = (u8)sub;
    collect_accesses(c, m, id, st);
    m = &c->memops.at[id];
    block_results(s, m);
    count_kind(c, m);
    s->queued++;
    c->sending |= 1ull << slot;
    s->loads += m->kind == PROBE_LOAD || (t->ndst && !m->red);
    s->asyncs += m->is_async;
    s->atomics += m->packets.n;
    u64 read = memop_enter(c, id);
    EMIT(c, .kind = EV_READ, .cycle = read, .uid = uid, .slot = (u16)slot);
    EMIT(c, .kind = EV_MEM_ENTER, .cycle = m->ready_cy, .uid = uid, .slot = (u16)slot);
    if (c->pol.hazard->retains) replay_issued(c, id);
    if (c->cfg->tracker != TRACKER_NONE) predict_issue(c, id, expects_miss);
}

/* --- order with our own atomics */

static bool packet_meets(const struct atomic_packet *p, const u64 *addr, u64 mask, u32 size_b) {
    for (u32 i = 0; i < p->n; i++)
        for (u64 m = mask; m; m &= m - 1) {
            u64 a = addr[__builtin_ctzll(m)];
            if (a < p->lane[i].addr + p->lane[i].size_b && p->lane[i].addr < a + size_b) return true;
        }
    return false;
}

bool lsu_atomic_overlap(struct core *c, const struct part *part, const struct inst *in) {
    bool global = in->space == SPACE_GLOBAL || in->space == SPACE_GENERIC || in->space == SPACE_CONST;
    if (!global || in->iclass == ICLASS_ATOMIC) return false; /* atomics are ordered where they are performed */
    _Alignas(64) u64 addr[MAX_WARP];
    const struct warp *w = c->slots[part->home].w;
    const struct group *g = part_group(c, part);
    u64 mask = warp_guard(w, g, in);
    if (!mask) return false;
    if (!access_addresses(w, g, in, mask, addr)) return true; /* cannot tell: waits for all of them */
    for (u32 i = 0; i < c->memops.n; i++) {
        const struct memop *m = &c->memops.at[i];
        if (!m->used) continue;
        for (u32 k = 0; k < m->packets.n; k++) {
            const struct atomic_packet *p = c->atomic_pool.at[m->packets.at[k]];
            if (p->memop == i && packet_meets(p, addr, mask, (u32)in->elem_b * in->nelem)) return true;
        }
    }
    return false;
}

/* --- the stage */

static struct memop *first(struct core *c) { return &c->memops.at[c->lsq[c->lsq_head]]; }

static void advance_queue(struct core *c) {
    while (c->lsq_proper < MIN(c->lsq_n, c->cfg->lsu_queue)) {
        struct memop *m = &c->memops.at[c->lsq[(c->lsq_head + c->lsq_proper) % c->lsq_cap]];
        if (m->ready_cy > c->now) return;
        if (m->collector != NONE) operands_let_go(c, m->sub, m->collector);
        m->collector = NONE;
        c->lsq_proper++;
    }
}

void memop_leave(struct core *c) {
    c->pipe_loads[first(c)->t->mshr_of]--;
    c->lsq_head = (c->lsq_head + 1) % c->lsq_cap;
    c->lsq_n--;
    c->lsq_proper--;
}

void memop_accepted(struct core *c, u32 id) {
    memop_leave(c);
    memop_done(c, id);
}

void memop_done(struct core *c, u32 id) {
    struct memop *m = &c->memops.at[id];
    m->accepted = true;
    if (c->pol.hazard->retains) replay_finished(c, id);
    struct slot *s = &c->slots[m->slot];
    s->queued--;
    u32 slot = m->slot;
    if (!s->queued) c->sending &= ~(1ull << slot);
    if (!m->outstanding) writeback_result(c, id);
    if (!s->queued) slot_look(c, slot, c->now); /* barriers, fences and exits wait for this */
}

void lsu_hazard(struct core *c, const struct memop *m, enum hazard h) {
    c->stats.hazards[h]++;
    EMIT(c, .kind = EV_HAZARD, .cycle = c->now, .uid = m->uid, .slot = m->slot, .cause = (u8)h, .a = 1);
}

/* From the stage's cycle to the result */
u64 stage_latency(const struct core *c, const struct memop *m) {
    if (!m->is_const) return c->shared_latency;
    return c->const_latency + (c->cfg->perfect_memory ? c->cfg->perfect_cy : 0);
}

/* Shared memory and constants: cycles of the stage, all of which succeed. True when the last one is over. */
static bool work_cycles(struct core *c, struct memop *m) {
    m->result_cy = MAX(m->result_cy, c->now + stage_latency(c, m));
    if (--m->cycles_left == 0) {
        EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = m->uid, .slot = m->slot, .mask = m->active,
             .cause = m->is_const ? ACCESS_CONST : ACCESS_SHARED);
        return true;
    }
    lsu_hazard(c, m, HAZARD_BANK);
    if (!m->is_const) c->stats.shared_conflict_cycles++;
    return false;
}

int memop_access(struct core *c, u32 id, u32 line) {
    struct memop *m = &c->memops.at[id];
    struct line_access *x = &m->lines.at[line];
    if (m->packets.n) return l1_atomic(c, id, x, c->atomic_pool.at[m->packets.at[line]]);
    return m->kind == PROBE_STORE ? l1_store(c, id, x) : l1_load(c, id, x);
}

static void hold(struct core *c, struct memop *m, enum hazard why) {
    c->lsu_held_by = (i32)why;
    c->stats.lsu_stall_cycles++;
    lsu_hazard(c, m, why);
    c->pol.hazard->refused(c, m, why);
}

/* A word a cycle; a line is looked up with the first of its words. */
static void work_const(struct core *c, u32 id, struct memop *m) {
    int why = m->next < m->nlines ? const_load(c, id, m->lines.at[m->next].line) : NONE;
    if (why != NONE) {
        hold(c, m, (enum hazard)why);
        return;
    }
    if (m->next < m->nlines) m->next++;
    if (work_cycles(c, m)) memop_accepted(c, id);
}

static void work_line(struct core *c, u32 id) {
    int why = memop_access(c, id, first(c)->next);
    struct memop *m = first(c);
    if (why != NONE && !reexec_take(c, id, (enum hazard)why)) {
        hold(c, m, (enum hazard)why);
        return;
    }
    m->next++;
    c->reexec.full = NONE;
    if (m->next < m->nlines) lsu_hazard(c, m, HAZARD_DIV);
    else if (reexec_over(c, id)) memop_accepted(c, id);
    else memop_leave(c);
}

/* The pipe's first instruction has a cycle of the stage */
static void work(struct core *c, u32 id) {
    struct memop *m = &c->memops.at[id];
    if (c->pol.hazard->replays) replay_stage(c, id);
    else if (m->is_const) work_const(c, id, m);
    else if (m->cycles_left && !work_cycles(c, m)) return;
    else if (m->next < m->nlines) work_line(c, id);
    else memop_accepted(c, id);
}

void lsu_stage(struct core *c) {
    advance_queue(c);
    c->lsu_held_by = NONE;
    c->lsu_again = false;
    if (!c->lsq_proper) {
        if (c->reexec.n) reexec_serve(c);
        return;
    }
    u32 id = c->lsq[c->lsq_head];
    c->stats.lsu_busy_cycles++;
    if (!c->reexec.n) {
        work(c, id);
        return;
    }
    if (reexec_first(c, id)) return;
    u64 hits = c->stats.l1_hits;
    work(c, id);
    c->stats.hits_under_miss += c->stats.l1_hits - hits;
}

u64 lsu_next(const struct core *c) {
    u64 aside = c->reexec.n ? reexec_next(c) : NEVER;
    if (!c->lsq_n) return aside;
    if (c->lsq_proper) {
        u64 walk = c->lsu_held_by == HAZARD_TLB ? MIN(aside, tlb_next(c)) : aside;
        if (c->lsu_held_by == NONE || c->lsu_again) return c->now;
        if (c->lsq_proper < MIN(c->lsq_n, c->cfg->lsu_queue))
            walk = MIN(walk, MAX(c->now, c->memops.at[c->lsq[(c->lsq_head + c->lsq_proper) % c->lsq_cap]].ready_cy));
        return walk; /* or until a response, or room in the miss queue */
    }
    return MIN(aside, MAX(c->now, c->memops.at[c->lsq[c->lsq_head]].ready_cy));
}

void lsu_skip(struct core *c, u64 n) {
    if (!c->lsq_proper || c->lsu_held_by == NONE) return;
    c->stats.lsu_busy_cycles += n;
    c->stats.lsu_stall_cycles += n;
    c->stats.hazards[c->lsu_held_by] += n;
    EMIT(c, .kind = EV_HAZARD, .cycle = c->now, .uid = first(c)->uid, .slot = first(c)->slot, .cause = (u8)c->lsu_held_by,
         .a = n);
}
