/* Replay (Turner 2012, chapter 5): memory instructions that meet a hazard leave the pipe and are issued
 * again.
 *
 * A memory instruction keeps its entry of the warp's instruction buffer, and its source registers, until the
 * memory stage has said that all its threads are done. The stage does one access an issue: one line, or the
 * lanes that shared memory or the constant cache serve in a cycle. What was accepted is taken from the
 * private active mask (`left`); what is left, or was refused, leaves the pipe. The word of it reaches the
 * buffer one cycle and sm.hazard.signal_cy later. The oldest instruction of a warp that is to be replayed is
 * the only one the warp presents to its scheduler. DIV and BANK complete some threads, MSHR, COMQ and RSV
 * none.
 *
 * Beyond the document: accesses of one thread to one line stay in program order. A younger instruction that
 * reaches the stage first, while an older one of its warp with the same line (or any use of shared memory) is
 * not done, is refused (ORDER).
 *
 * A warp that another one ends while it runs has no next instruction, but keeps its place with the scheduler
 * until what it has under way has been issued again and accepted (cta_front_over).
 *
 * `retain` uses the first half only: entries are kept, but the stage stalls as before (figure 7.1).
 *
 * Invariants: R1 kept bits lie between the issue tail pointer and the issue pointer; R2 the list oldest ..
 * youngest holds the slot's unfinished memory instructions in program order; R3 `first` is the first of the
 * list that waits. */
#include "core/replay.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

/* --- building */

void replay_init(struct core *c) {
    if (!c->pol.hazard->retains) return;
    c->replay = base_alloc(sizeof(*c->replay));
    c->replay->may_leave = c->pol.hazard->leaves;
}

void replay_text(struct core *c, const struct text_change *y) {
    struct replay *r = c->replay;
    for (u32 i = r ? r->signals_at : 0; r && i < r->signals.n; i++) r->signals.at[i].t = text_now(y, r->signals.at[i].t);
}

void replay_free(struct core *c) {
    if (!c->replay) return;
    free(c->replay->op.at);
    free(c->replay->signals.at);
    free(c->replay);
}

void replay_slot_start(struct core *c, u32 slot) {
    c->replay->slot[slot] = (struct replay_slot){.oldest = NONE, .youngest = NONE, .first = NONE};
}

void replay_launch(struct core *c) {
    if (!c->replay) return;
    c->replay->signals.n = c->replay->signals_at = 0;
    for (u32 i = 0; i < c->nslots; i++) replay_slot_start(c, i);
}

static struct replay_op *op_of(const struct core *c, u32 flight) { return &c->replay->op.at[flight]; }

/* --- the instruction buffer behind the issue pointer */

void replay_levels(struct core *c, struct front *f, u64 at) {
    struct ibuffer *b = &f->ib;
    if (at > b->behind_since) c->stats.retained_cycles += b->behind * (at - b->behind_since);
    b->behind_since = at;
}

static void advance_tail(struct core *c, struct front *f, u32 issue_at) {
    struct ibuffer *b = &f->ib;
    replay_levels(c, f, c->now);
    while (b->behind && !(b->kept >> ((issue_at - b->behind) & c->ib_mask) & 1)) b->behind--;
}

void replay_keep(struct core *c, struct front *f, u32 at, bool replayable) {
    if (c->cfg->unbounded_buffer) return;
    replay_levels(c, f, c->now);
    f->ib.behind++;
    if (replayable) f->ib.kept |= 1ull << at;
    advance_tail(c, f, at + 1);
}

void replay_look(const struct core *c, u32 slot, struct buffer_view *v) {
    const struct ibuffer *b = &c->fronts[slot].ib;
    u32 n = c->cfg->ibuffer;
    *v = (struct buffer_view){
        .issue = b->head % n, .tail = ((b->head - b->behind - 1) & c->ib_mask) % n, .fill = ((b->head + b->n) & c->ib_mask) % n};
    for (u32 i = 0; i < b->n; i++) v->at[((b->head + i) & c->ib_mask) % n].valid = true;
    for (u64 m = b->kept; m; m &= m - 1) v->at[(u32)__builtin_ctzll(m) % n].valid = true;
    for (i32 id = c->replay->slot[slot].oldest; id != NONE; id = op_of(c, (u32)id)->next_younger) {
        const struct replay_op *o = op_of(c, (u32)id);
        v->at[(u32)o->buffer_at % n].replay = o->waits;
        v->at[(u32)o->buffer_at % n].mask = o->left;
    }
}

/* --- unfinished instructions of a slot */

static void list_add(struct core *c, struct replay_slot *r, u32 id) {
    op_of(c, id)->next_older = r->youngest;
    if (r->youngest == NONE) r->oldest = (i32)id;
    else op_of(c, (u32)r->youngest)->next_younger = (i32)id;
    r->youngest = (i32)id;
}

static void list_remove(struct core *c, struct replay_slot *r, u32 id) {
    const struct replay_op *o = op_of(c, id);
    if (o->next_older == NONE) r->oldest = o->next_younger;
    else op_of(c, (u32)o->next_older)->next_younger = o->next_younger;
    if (o->next_younger == NONE) r->youngest = o->next_older;
    else op_of(c, (u32)o->next_younger)->next_older = o->next_older;
}

static void find_first(struct core *c, struct replay_slot *r) {
    r->first = NONE;
    for (i32 id = r->oldest; id != NONE && r->first == NONE; id = op_of(c, (u32)id)->next_younger)
        if (op_of(c, (u32)id)->waits) r->first = id;
}

i32 replay_slot_first(const struct core *c, u32 slot) { return c->replay->slot[slot].first; }

bool replay_unfinished(const struct core *c, u32 slot) { return c->replay && c->replay->slot[slot].oldest != NONE; }

const struct tinst *replay_shows(const struct core *c, u32 slot) {
    i32 id = replay_first(c, slot);
    return id == NONE ? NULL : flight_at(c, (u32)id)->t;
}

bool replay_known_miss(const struct core *c, u32 flight) { return op_of(c, flight)->known_miss; }

static void hold_sources(const struct home *s, const struct tinst *t, i32 by) {
    for (u32 i = 0; i < t->nsrc; i++) s->sb[t->reg[i]].readers = (u8)(s->sb[t->reg[i]].readers + by);
}

void replay_issued(struct core *c, const struct flight *f) {
    struct replay *r = c->replay;
    const struct ibuffer *b = &c->fronts[f->slot].ib;
    while (r->op.n <= f->id) VEC_PUSH(&r->op, (struct replay_op){0});
    r->op.at[f->id] = (struct replay_op){
        .left = f->active,
        .next_older = NONE,
        .next_younger = NONE,
        .buffer_at = (i32)((b->head - 1) & c->ib_mask), /* it has just been passed by the issue pointer */
    };
    if (!r->may_leave) return;
    list_add(c, &r->slot[f->slot], f->id);
    hold_sources(&c->homes[f->slot], f->t, 1);
}

/* --- signals */

static void signal(struct core *c, const struct flight *f, bool done) {
    struct signal x = {c->now + 1 + c->cfg->signal_cy, f->age, f->t, op_of(c, f->id)->buffer_at, f->id, f->slot, done};
    VEC_PUSH(&c->replay->signals, x);
}

void replay_finished(struct core *c, const struct flight *f) {
    signal(c, f, true);
    if (c->replay->may_leave) list_remove(c, &c->replay->slot[f->slot], f->id);
}

static void free_entry(struct core *c, const struct signal *x) {
    struct front *f = &c->fronts[x->slot];
    if (c->replay->may_leave) hold_sources(&c->homes[x->slot], x->t, -1);
    f->ib.kept &= ~(1ull << x->buffer_at);
    advance_tail(c, f, f->ib.head);
    ibuffer_want(c, f);
}

void replay_signals(struct core *c) {
    struct replay *r = c->replay;
    while (r->signals_at < r->signals.n && r->signals.at[r->signals_at].cycle <= c->now) {
        struct signal x = r->signals.at[r->signals_at++];
        const struct home *s = &c->homes[x.slot];
        if (!s->w || s->age != x.age) continue; /* its warp has left */
        if (x.done) free_entry(c, &x);
        else {
            op_of(c, x.flight)->waits = true;
            find_first(c, &r->slot[x.slot]);
        }
        home_wake(c, x.slot, HOME_SIGNAL);
    }
    if (r->signals_at == r->signals.n) r->signals_at = r->signals.n = 0;
}

u64 replay_next(const struct core *c) {
    const struct replay *r = c->replay;
    return r->signals_at < r->signals.n ? MAX(c->now, r->signals.at[r->signals_at].cycle) : NEVER;
}

static void remember(struct core *c, const struct flight *f, i32 pc, u8 entry) {
    struct replay *r = c->replay;
    const struct replay_op *o = op_of(c, f->id);
    r->history[f->slot][r->replayed[f->slot]++ % REPLAY_HISTORY] = (struct replayed){c->now, f->age, o->left, pc, entry, o->why};
}

void replay_issue(struct core *c, u32 slot, bool expects_miss) {
    struct replay_slot *r = &c->replay->slot[slot];
    struct flight *f = flight_at(c, (u32)r->first);
    struct replay_op *o = op_of(c, f->id);
    i32 pc = flight_pc(f);
    u8 entry = (u8)((u32)o->buffer_at % c->cfg->ibuffer);
    o->waits = false;
    c->stats.replays++;
    issue_happened(c);
    remember(c, f, pc, entry);
    EMIT(c, .kind = EV_REPLAY, .cycle = c->now, .uid = f->uid, .slot = (u16)slot, .pc = pc, .a = entry, .mask = o->left,
         .cause = o->why);
    lsu_enter(c, f);
    if (c->predict) predict_issue(c, f, expects_miss);
    find_first(c, r);
}

u32 replay_count(const struct core *c, u32 slot) { return c->replay->replayed[slot]; }

/* Oldest first; those of an earlier warp in the slot are left out */
void replay_history(const struct core *c, u32 slot, struct strbuf *out) {
    u32 n = c->replay->replayed[slot];
    for (u32 i = n > REPLAY_HISTORY ? n - REPLAY_HISTORY : 0; i < n; i++) {
        const struct replayed *r = &c->replay->history[slot][i % REPLAY_HISTORY];
        if (r->age == c->homes[slot].age)
            strbuf_add(out, "\n    replayed at cycle %llu: pc %d, entry %u, lanes %llx, after %s", (unsigned long long)r->cycle,
                       r->pc, r->entry, (unsigned long long)r->mask, hazard_table[r->cause].name);
    }
}

/* --- the memory stage: one access */

static bool older_in_the_way(const struct core *c, const struct flight *f) {
    const struct memop *m = &f->mem;
    const struct line_access *x = m->next < m->nlines && !m->is_const ? &m->lines.at[m->next] : NULL;
    u64 left = op_of(c, f->id)->left;
    for (i32 id = op_of(c, f->id)->next_older; id != NONE; id = op_of(c, (u32)id)->next_older) {
        const struct memop *o = &flight_at(c, (u32)id)->mem;
        if (m->space == SPACE_SHARED && o->space == SPACE_SHARED && op_of(c, (u32)id)->left & left) return true;
        for (u32 i = o->next; x && !o->is_const && i < o->nlines; i++)
            if (o->lines.at[i].line == x->line && o->lines.at[i].lanes & x->lanes) return true;
    }
    return false;
}

/* Under credit and `hit` a known miss issues with a credit, so it is refused an MSHR a second time only where
 * another access took one without a credit meanwhile (35_predict.c, T3). */
static void count_refusal(struct core *c, struct replay_op *o, u32 next, enum hazard why) {
    if (why == HAZARD_MERGE) o->refused_at = 0; /* its line was under way: should it miss later, that is another miss */
    if (why != HAZARD_MSHR) return;
    c->stats.mshr_refused_again += o->refused_at == next + 1;
    o->refused_at = next + 1;
}

/* Whether its next access is known to miss and need an MSHR (Turner 6.1) */
static bool known_miss(const struct replay_op *o, enum hazard why) {
    switch (why) {
    case HAZARD_MSHR:
    case HAZARD_COMQ:
    case HAZARD_RSV:
    case HAZARD_OWNER: return true; /* only misses meet these */
    case HAZARD_TLB:
    case HAZARD_ORDER: return o->known_miss; /* it has not come as far as the cache */
    default: return false;                   /* DIV, BANK: another access is next. MERGE: its line has an MSHR */
    }
}

void replay_leaves(struct core *c, struct flight *f, enum hazard why) {
    CHECK(c->replay && c->replay->may_leave); /* H2 */
    struct replay_op *o = op_of(c, f->id);
    o->why = (u8)why;
    o->known_miss = known_miss(o, why);
    count_refusal(c, o, f->mem.next, why);
    WATCH(c, MEM_REFUSED, .slot = f->slot, .f = f, .why = why);
    lsu_hazard(c, f, why);
    lsu_leave(c);
    signal(c, f, false);
}

/* Lanes that shared memory or the constant cache serve together */
static int one_pass(struct core *c, struct flight *f) {
    struct memop *m = &f->mem;
    for (; m->is_const && m->next < m->nlines; m->next++) { /* its lines first: a miss refuses the whole access */
        int why = const_load(c, f, m->lines.at[m->next].line);
        if (why != NONE) return why;
    }
    f->result_cy = MAX(f->result_cy, c->now + lsu_latency(c, f));
    EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = f->uid, .slot = f->slot, .mask = m->passes.at[m->pass],
         .cause = m->is_const ? ACCESS_CONST : ACCESS_SHARED);
    if (m->pass++ && !m->is_const) c->stats.shared_conflict_cycles++;
    return NONE;
}

static int one_access(struct core *c, struct flight *f) {
    struct memop *m = &f->mem;
    if (m->pass < m->passes.n) return one_pass(c, f);
    if (m->next == m->nlines) return NONE;
    int why = lsu_access(c, f, m->next);
    if (why == NONE) m->next++;
    return why;
}

static u64 lanes_left(const struct memop *m) {
    u64 left = 0;
    for (u32 i = m->pass; i < m->passes.n; i++) left |= m->passes.at[i];
    for (u32 i = m->next; !m->is_const && i < m->nlines; i++) left |= m->lines.at[i].lanes;
    return left;
}

/* Some of its threads are done */
static void go_on(struct core *c, struct flight *f, enum hazard why) {
    if (lsu_asks(c, f, why) == HAZARD_LEAVE) {
        replay_leaves(c, f, why);
        return;
    }
    op_of(c, f->id)->known_miss = false;
    lsu_hazard(c, f, why);
}

void replay_stage(struct core *c, struct flight *f) {
    struct memop *m = &f->mem;
    if (older_in_the_way(c, f) || (c->reexec && reexec_behind(c, f))) {
        replay_leaves(c, f, HAZARD_ORDER);
        return;
    }
    bool shared = m->pass < m->passes.n;
    int why = one_access(c, f);
    if (why != NONE && !lsu_refused(c, f, (enum hazard)why)) return;
    if (why != NONE) m->next++; /* it has stepped aside */
    if (c->reexec) reexec_passed(c);
    op_of(c, f->id)->left = lanes_left(m);
    if (m->pass < m->passes.n || m->next < m->nlines) go_on(c, f, shared ? HAZARD_BANK : HAZARD_DIV);
    else if (!c->reexec || reexec_over(c, f)) lsu_accepted(c, f);
    else lsu_leave(c);
}

void replay_check(const struct core *c) {
    for (u32 i = 0; c->replay && i < c->nslots; i++) {
        const struct replay_slot *r = &c->replay->slot[i];
        i32 older = NONE, first = NONE;
        for (i32 id = r->oldest; id != NONE; older = id, id = op_of(c, (u32)id)->next_younger) {
            CHECK(flight_at(c, (u32)id)->used && op_of(c, (u32)id)->next_older == older); /* R2 */
            if (first == NONE && op_of(c, (u32)id)->waits) first = id;
        }
        CHECK(older == r->youngest && first == r->first); /* R2, R3 */
    }
}
