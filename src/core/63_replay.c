/* Replay (Turner 2012, chapter 5): memory instructions that meet a hazard leave the pipe and are issued again.
 *
 * A memory instruction keeps its entry of the warp's instruction buffer, and its source registers, until the memory stage has said that all its threads are done. The stage does one access
 * an issue: one line, or the lanes that shared memory or the constant cache serve in a cycle. What was accepted is taken from the private active mask (`left`); what is left, or was
 * refused, leaves the pipe. The word of it reaches the buffer one cycle and sm.hazard.signal_cy later. The oldest instruction of a warp that is to be replayed is the only one the warp presents
 * to its scheduler. DIV and BANK complete some threads, MSHR, COMQ and RSV none.
 *
 * Beyond the document: accesses of one thread to one line stay in program order. A younger instruction that reaches the stage first, while an older one of its warp with the same line (or any
 * use of shared memory) is not done, is refused (ORDER).
 *
 * `retain` uses the first half only: entries are kept, but the stage stalls as before (figure 7.1).
 *
 * Invariants: R1 kept bits lie between the issue tail pointer and the issue pointer; R2 the list oldest .. youngest holds the slot's unfinished memory instructions in program order;
 * R3 slot.replay is the first of the list that waits. */
#include "core/core.h"

/* --- the instruction buffer behind the issue pointer */

void buffer_levels(struct core *c, struct front *f, u64 at) {
    struct ibuffer *b = &f->ib;
    if (at > b->behind_since) c->stats.retained_cycles += b->behind * (at - b->behind_since);
    b->behind_since = at;
}

static void advance_tail(struct core *c, struct front *f, u32 issue_at) {
    struct ibuffer *b = &f->ib;
    buffer_levels(c, f, c->now);
    while (b->behind && !(b->kept >> (issue_at + MAX_IBUFFER - b->behind) % MAX_IBUFFER & 1)) b->behind--;
}

void buffer_keep(struct core *c, struct front *f, u32 at, bool replayable) {
    if (c->cfg->unbounded_buffer) return;
    buffer_levels(c, f, c->now);
    f->ib.behind++;
    if (replayable) f->ib.kept |= 1ull << at;
    advance_tail(c, f, at + 1);
}

void buffer_look(const struct core *c, u32 slot, struct buffer_view *v) {
    const struct ibuffer *b = &c->fronts[slot].ib;
    u32 n = c->cfg->ibuffer;
    *v = (struct buffer_view){.issue = b->head % n,
                              .tail = (b->head + MAX_IBUFFER - b->behind - 1) % MAX_IBUFFER % n,
                              .fill = (b->head + b->n) % MAX_IBUFFER % n};
    for (u32 i = 0; i < b->n; i++) v->at[(b->head + i) % MAX_IBUFFER % n].valid = true;
    for (u64 m = b->kept; m; m &= m - 1) v->at[(u32)__builtin_ctzll(m) % n].valid = true;
    for (i32 id = c->slots[slot].oldest; id != NONE; id = c->memops.at[id].next_younger) {
        const struct memop *m = &c->memops.at[id];
        v->at[(u32)m->buffer_at % n].replay = m->waits;
        v->at[(u32)m->buffer_at % n].mask = m->left;
    }
}

/* --- unfinished instructions of a slot */

static void list_add(struct core *c, struct slot *s, u32 id) {
    struct memop *m = &c->memops.at[id];
    m->next_older = s->youngest;
    if (s->youngest == NONE) s->oldest = (i32)id;
    else c->memops.at[s->youngest].next_younger = (i32)id;
    s->youngest = (i32)id;
}

static void list_remove(struct core *c, struct slot *s, u32 id) {
    struct memop *m = &c->memops.at[id];
    if (m->next_older == NONE) s->oldest = m->next_younger;
    else c->memops.at[m->next_older].next_younger = m->next_younger;
    if (m->next_younger == NONE) s->youngest = m->next_older;
    else c->memops.at[m->next_younger].next_older = m->next_older;
}

static void find_replay(struct core *c, struct slot *s) {
    s->replay = NONE;
    for (i32 id = s->oldest; id != NONE && s->replay == NONE; id = c->memops.at[id].next_younger)
        if (c->memops.at[id].waits) s->replay = id;
}

static void hold_sources(struct slot *s, const struct tinst *t, i32 by) {
    for (u32 i = 0; i < t->nsrc; i++) s->sb[t->reg[i]].readers = (u8)(s->sb[t->reg[i]].readers + by);
}

void replay_issued(struct core *c, u32 id) {
    struct memop *m = &c->memops.at[id];
    struct slot *s = &c->slots[m->slot];
    m->left = m->active;
    m->buffer_at =
        (i32)((c->fronts[m->slot].ib.head + MAX_IBUFFER - 1) % MAX_IBUFFER); /* it has just been passed by the issue pointer */
    if (!c->pol.hazard->replays) return;
    list_add(c, s, id);
    hold_sources(s, m->t, 1);
}

/* --- signals */

static void signal(struct core *c, u32 id, bool done) {
    const struct memop *m = &c->memops.at[id];
    struct signal x = {c->now + 1 + c->cfg->signal_cy, m->age, m->t, m->buffer_at, id, m->slot, done};
    VEC_PUSH(&c->signals, x);
}

void replay_finished(struct core *c, u32 id) {
    signal(c, id, true);
    if (c->pol.hazard->replays) list_remove(c, &c->slots[c->memops.at[id].slot], id);
}

static void free_entry(struct core *c, struct slot *s, const struct signal *x) {
    if (c->pol.hazard->replays) hold_sources(s, x->t, -1);
    struct front *f = &c->fronts[x->slot];
    f->ib.kept &= ~(1ull << x->buffer_at);
    advance_tail(c, f, f->ib.head);
    ibuffer_want(c, f);
}

void replay_signals(struct core *c) {
    while (c->signals_at < c->signals.n && c->signals.at[c->signals_at].cycle <= c->now) {
        struct signal x = c->signals.at[c->signals_at++];
        struct slot *s = &c->slots[x.slot];
        if (!s->w || s->age != x.age) continue; /* its warp has left */
        if (x.done) free_entry(c, s, &x);
        else {
            c->memops.at[x.memop].waits = true;
            find_replay(c, s);
        }
        slot_look(c, x.slot, c->now);
    }
    if (c->signals_at == c->signals.n) c->signals_at = c->signals.n = 0;
}

u64 replay_next(const struct core *c) { return MAX(c->now, c->signals.at[c->signals_at].cycle); }

void replay_issue(struct core *c, u32 slot, bool expects_miss) {
    struct slot *s = &c->slots[slot];
    u32 id = (u32)s->replay;
    struct memop *m = &c->memops.at[id];
    m->waits = false;
    c->stats.replays++;
    c->issued_any_cy = c->now;
    i32 pc = (i32)(m->t->in - c->prog->k->code);
    u8 entry = (u8)((u32)m->buffer_at % c->cfg->ibuffer);
    c->history[slot * REPLAY_HISTORY + c->replayed[slot]++ % REPLAY_HISTORY] =
        (struct replayed){c->now, s->age, m->left, pc, entry, m->why};
    EMIT(c, .kind = EV_REPLAY, .cycle = c->now, .uid = m->uid, .slot = (u16)slot, .pc = pc, .a = entry, .mask = m->left,
         .cause = m->why);
    memop_enter(c, id);
    if (c->cfg->tracker != TRACKER_NONE) predict_issue(c, id, expects_miss);
    find_replay(c, s);
}

/* Oldest first; those of an earlier warp in the slot are left out */
void replay_history(const struct core *c, u32 slot, struct strbuf *out) {
    u32 n = c->replayed[slot];
    for (u32 i = n > REPLAY_HISTORY ? n - REPLAY_HISTORY : 0; c->history && i < n; i++) {
        const struct replayed *r = &c->history[slot * REPLAY_HISTORY + i % REPLAY_HISTORY];
        if (r->age == c->slots[slot].age)
            strbuf_add(out, "\n    replayed at cycle %llu: pc %d, entry %u, lanes %llx, after %s", (unsigned long long)r->cycle,
                       r->pc, r->entry, (unsigned long long)r->mask, hazard_table[r->cause].name);
    }
}

/* --- the memory stage: one access */

static bool older_in_the_way(const struct core *c, const struct memop *m) {
    const struct line_access *x = m->next < m->nlines && !m->is_const ? &m->lines.at[m->next] : NULL;
    for (i32 id = m->next_older; id != NONE; id = c->memops.at[id].next_older) {
        const struct memop *o = &c->memops.at[id];
        if (m->space == SPACE_SHARED && o->space == SPACE_SHARED && o->left & m->left) return true;
        for (u32 i = o->next; x && !o->is_const && i < o->nlines; i++)
            if (o->lines.at[i].line == x->line && o->lines.at[i].lanes & x->lanes) return true;
    }
    return false;
}

/* Under credit and `hit` a known miss issues with a credit, so it is refused an MSHR a second time only where another access took one without a credit meanwhile (35_predict.c, T3). */
static void count_refusal(struct core *c, struct memop *m, enum hazard why) {
    if (why == HAZARD_MERGE) m->refused_at = 0; /* its line was under way: should it miss later, that is another miss */
    if (why != HAZARD_MSHR) return;
    c->stats.mshr_refused_again += m->refused_at == m->next + 1;
    m->refused_at = m->next + 1;
}

/* Whether its next access is known to miss and need an MSHR (Turner 6.1) */
static bool known_miss(const struct memop *m, enum hazard why) {
    switch (why) {
    case HAZARD_MSHR:
    case HAZARD_COMQ:
    case HAZARD_RSV:
    case HAZARD_OWNER: return true; /* only misses meet these */
    case HAZARD_TLB:
    case HAZARD_ORDER: return m->known_miss; /* it has not come as far as the cache */
    default: return false;                   /* DIV, BANK: another access is next. MERGE: its line has an MSHR */
    }
}

static void squash(struct core *c, u32 id, enum hazard why) {
    struct memop *m = &c->memops.at[id];
    m->why = (u8)why;
    m->known_miss = known_miss(m, why);
    count_refusal(c, m, why);
    if (c->cfg->tracker != TRACKER_NONE) predict_refused(c, id, why);
    lsu_hazard(c, m, why);
    memop_leave(c);
    signal(c, id, false);
}

static int one_access(struct core *c, u32 id, struct memop *m) {
    if (m->pass < m->passes.n) {
        for (; m->is_const && m->next < m->nlines; m->next++) { /* its lines first: a miss refuses the whole access */
            int why = const_load(c, id, m->lines.at[m->next].line);
            if (why != NONE) return why;
        }
        m->result_cy = MAX(m->result_cy, c->now + stage_latency(c, m));
        EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = m->uid, .slot = m->slot, .mask = m->passes.at[m->pass],
             .cause = m->is_const ? ACCESS_CONST : ACCESS_SHARED);
        if (m->pass++ && !m->is_const) c->stats.shared_conflict_cycles++;
        return NONE;
    }
    if (m->next == m->nlines) return NONE;
    int why = memop_access(c, id, m->next);
    if (why == NONE) c->memops.at[id].next++;
    return why;
}

static u64 lanes_left(const struct memop *m) {
    u64 left = 0;
    for (u32 i = m->pass; i < m->passes.n; i++) left |= m->passes.at[i];
    for (u32 i = m->next; !m->is_const && i < m->nlines; i++) left |= m->lines.at[i].lanes;
    return left;
}

/* Some of its threads are done */
static void go_on(struct core *c, u32 id, enum hazard why) {
    u32 stays = why == HAZARD_BANK ? IN_STAGE_BANK : IN_STAGE_DIV;
    if (c->cfg->in_stage != stays && c->cfg->in_stage != IN_STAGE_BOTH) {
        squash(c, id, why);
        return;
    }
    c->memops.at[id].known_miss = false;
    lsu_hazard(c, &c->memops.at[id], why);
}

void replay_stage(struct core *c, u32 id) {
    struct memop *m = &c->memops.at[id];
    if (older_in_the_way(c, m) || (c->reexec.n && reexec_behind(c, id))) {
        squash(c, id, HAZARD_ORDER);
        return;
    }
    bool shared = m->pass < m->passes.n;
    int why = one_access(c, id, m);
    m = &c->memops.at[id];
    if (why != NONE && !reexec_take(c, id, (enum hazard)why)) {
        squash(c, id, (enum hazard)why);
        return;
    }
    if (why != NONE) m->next++; /* it has stepped aside */
    m->left = lanes_left(m);
    if (m->pass < m->passes.n || m->next < m->nlines) go_on(c, id, shared ? HAZARD_BANK : HAZARD_DIV);
    else if (reexec_over(c, id)) memop_accepted(c, id);
    else memop_leave(c);
}
