/* schedule: the order of instructions within a basic block, as an assembler for an in-order machine chooses
 * it.
 *
 * A compiler's PTX puts a load next to its use and leaves the rest to the assembler of the machine, which
 * moves loads up, so that several of a warp are under way at once. Here, among the instructions whose
 * operands are there, a load goes first, or what a load waits for, loads in the order of the text; then what
 * the branch at the block's end waits for; then the first in the text. Registers bound it: what would make
 * more of them live than `registers` waits until others have died. A function that needs more as it was
 * written keeps its own number as the bound.
 *
 * Does not look across blocks: no unrolling, no predicated loads instead of branches, no software pipelines.
 * Chooses no other instructions, and knows of latencies only that loads take longer than the rest.
 *
 * Works before registers are physical, so that the allocation counts what the new order needs.
 *
 * Invariants:
 * 1. Every instruction sees the same values of the same virtual registers, carry and predicates included, as
 *    in the text; a guarded write also reads what it may leave.
 * 2. Nothing passes an instruction of EFFECT_STOPS: control, calls, clocks, sleeps, memory taken from the
 *    frame.
 * 3. No access to memory passes one of EFFECT_ORDERS: barriers, fences, and accesses that are volatile or
 *    stronger than .weak (atomics: than .relaxed). Kernel parameters and constants, which nobody writes, may.
 * 4. Stores and atomics of spaces that may hold the same byte stay in order. A load passes one only if the
 *    two surely differ: the same base register of the same value, or none, and offsets that do not overlap.
 *    In shared memory that is not enough: lanes that count on running in step may read what their neighbour
 *    stored. Nor is it for atomics, by which threads take turns.
 * 5. Shuffles, votes and barriers stay in order: lanes may meet at one of them that stands in another place
 *    of the text.
 * 6. No more registers are live at any point than max(registers, those of the function as written), rounded
 *    up to register_step. */
#include <stdlib.h>
#include <string.h>

#include "ptx/flow.h"
#include "ptx/lower.h"

enum { REGION_MAX = 512 }; /* longer runs are cut, which bounds the work for one instruction */

#define GOAL_BRANCH (UINT32_MAX - 1) /* the branch at the block's end waits for it */
#define GOAL_NONE   UINT32_MAX

/* A value is what one virtual register holds from a write to the next in a block, or from the block's
 * start. */
struct value {
    u32 reads; /* still to come, guarded writes among them; one is never used up if the value outlives its block */
    u8 rows;
    bool born;   /* in this block */
    bool wanted; /* by more than guarded writes */
};

struct edge {
    u32 to, latency_cy;
    i32 next; /* of the same node, or NONE */
};

struct node { /* an instruction of the region at hand */
    u8 effect;
    bool constant;   /* a load of what no kernel writes */
    bool steady;     /* a load of what this kernel does not write: .nc */
    bool collective; /* invariant 5 */
    u32 base;        /* an access: its base register + 2; 1 the frame; 0 not known */
    u32 latency_cy;
    u32 goal;     /* the first load of the text that waits for it, itself included; GOAL_BRANCH; GOAL_NONE */
    u32 ready_at; /* cycles from the region's start: all it needs is there */
    u32 waits;    /* edges that lead here from nodes not placed yet */
    i32 out;      /* first edge, or NONE */
    i32 before;   /* a load: the last store that is ordered after it, or NONE */
};

struct vreg { /* in the region at hand; out of date when `region` is another */
    u32 region;
    i32 writer;  /* node, or NONE */
    i32 readers; /* since then: first link, or NONE */
};
struct reader {
    u32 node;
    i32 next;
};

struct sched {
    const struct ptx_schedule *how;
    const struct flow_live *live;
    const struct flow *f;
    struct flow_inst *fi;
    struct inst *code;
    u32 limit; /* invariant 6 */
    /* values of the block at hand */
    struct value *values;
    u32 nvalues;
    u32 *operand_at; /* by instruction: its first operand's value in `operands`, reads first, then writes */
    u32 *operands;
    u32 *value_of; /* by virtual register: its value + 1, or 0 */
    u32 now;       /* rows live */
    /* the region at hand */
    u32 first, n, region;
    struct node *node;
    struct vreg *vreg;
    VEC(struct edge) edges;
    VEC(struct reader) readers;
    u32 *accesses, naccesses; /* loads and stores since the last node that orders all */
    i32 orders;               /* that node, or NONE */
    u32 *order, *ready, nready;
};

/* --- what instructions do to memory */

static bool is_clock(i64 sreg) {
    return (sreg >= SREG_clock && sreg <= SREG_globaltimer_hi) || (sreg >= SREG_pm0 && sreg <= SREG_pm3) ||
           (sreg >= SREG_pm4 && sreg <= SREG_pm7_64);
}

static bool is_strong(const struct inst *in) {
    static const enum mod strong[] = {MOD_volatile, MOD_acquire, MOD_release, MOD_acq_rel, MOD_sc, MOD_mmio, MOD_cv};
    for (u32 i = 0; i < ARRAY_LEN(strong); i++)
        if (key_has(in->key, strong[i])) return true;
    return in->iclass != ICLASS_ATOMIC && key_has(in->key, MOD_relaxed);
}

static enum exec_effect effect_of_class(enum iclass c) {
    switch (c) {
    case ICLASS_LOAD: return EFFECT_LOADS;
    case ICLASS_STORE:
    case ICLASS_ATOMIC: return EFFECT_STORES;
    case ICLASS_BARRIER:
    case ICLASS_MEMHINT: return EFFECT_ORDERS;
    case ICLASS_ASYNC:
    case ICLASS_NOP: return EFFECT_STOPS;
    default: return EFFECT_NONE;
    }
}

static enum exec_effect effect_of(const struct inst *in) {
    const struct exec_row *x = exec_of(in);
    bool sreg = x->facts & FACT_SREG;
    if (sreg && is_clock(in->imm)) return EFFECT_STOPS;
    if (in->flags & INST_PSEUDO && !sreg) return EFFECT_STOPS; /* runs with its neighbour, without waiting */
    enum exec_effect e = x->effect == EFFECT_CLASS ? effect_of_class((enum iclass)in->iclass) : (enum exec_effect)x->effect;
    return (e == EFFECT_LOADS || e == EFFECT_STORES) && is_strong(in) ? EFFECT_ORDERS : e;
}

static enum space space_of(const struct inst *in) {
    return exec_of(in)->facts & FACT_TWO_SPACES ? SPACE_GENERIC : (enum space)in->space;
}

static bool is_constant(const struct inst *in) { return in->space == SPACE_PARAM || in->space == SPACE_CONST; }

static u32 latency_of(const struct ptx_schedule *how, const struct inst *in, enum exec_effect e) {
    bool load = in->iclass == ICLASS_LOAD || (e == EFFECT_LOADS && in->iclass == ICLASS_TENSOR);
    if (!load) return 1;
    if (in->space == SPACE_SHARED) return how->shared_cy;
    return in->space == SPACE_CONST || in->space == SPACE_PARAM ? how->const_cy : how->global_cy;
}

/* --- edges */

static void add_edge(struct sched *s, u32 from, u32 to, u32 latency_cy) {
    if (from == to) return;
    struct edge e = {to, latency_cy, s->node[from].out};
    s->node[from].out = (i32)s->edges.n;
    s->node[to].waits++;
    VEC_PUSH(&s->edges, e);
}

static struct vreg *vreg_at(struct sched *s, i32 v) {
    struct vreg *r = &s->vreg[v];
    if (r->region != s->region) *r = (struct vreg){s->region, NONE, NONE};
    return r;
}

static void order_read(struct sched *s, u32 i, i32 v) {
    struct vreg *r = vreg_at(s, v);
    if (r->writer != NONE) add_edge(s, (u32)r->writer, i, s->node[r->writer].latency_cy);
    struct reader link = {i, r->readers};
    r->readers = (i32)s->readers.n;
    VEC_PUSH(&s->readers, link);
}

static void order_write(struct sched *s, u32 i, i32 v) {
    struct vreg *r = vreg_at(s, v);
    if (r->writer != NONE) add_edge(s, (u32)r->writer, i, 0);
    for (i32 k = r->readers; k != NONE; k = s->readers.at[k].next) add_edge(s, s->readers.at[k].node, i, 0);
    r->writer = (i32)i;
    r->readers = NONE;
}

static void order_registers(struct sched *s, u32 i) {
    const struct flow_inst *fi = &s->fi[s->first + i];
    for (u32 k = 0; k < fi->nread; k++) order_read(s, i, fi->read[k]);
    for (u32 k = 0; fi->guarded && k < fi->nwrite; k++) order_read(s, i, fi->write[k]);
    for (u32 k = 0; k < fi->nwrite; k++) order_write(s, i, fi->write[k]);
}

static bool may_share(const struct sched *s, u32 a, u32 b) {
    enum space x = space_of(&s->code[s->first + a]), y = space_of(&s->code[s->first + b]);
    return x == y || x == SPACE_GENERIC || y == SPACE_GENERIC;
}

/* Two accesses by one base register between which it changes are ordered by the change. */
static bool surely_differ(const struct sched *s, u32 a, u32 b) {
    const struct inst *x = &s->code[s->first + a], *y = &s->code[s->first + b];
    enum space space = space_of(x);
    bool lanes_apart = space == space_of(y) && (space == SPACE_GLOBAL || space == SPACE_LOCAL);
    if (!lanes_apart || s->node[a].base == 0 || s->node[a].base != s->node[b].base) return false;
    i64 x_end = x->imm + (i64)x->elem_b * x->nelem, y_end = y->imm + (i64)y->elem_b * y->nelem;
    return x_end <= y->imm || y_end <= x->imm;
}

/* An edge is left out where others imply it: stores of one space follow each other. */
static void order_after(struct sched *s, u32 i, u32 j, bool *stores_done) {
    struct node *x = &s->node[i], *y = &s->node[j];
    bool same = space_of(&s->code[s->first + i]) == space_of(&s->code[s->first + j]);
    if (y->effect == EFFECT_STORES) {
        if (*stores_done || x->steady || !may_share(s, i, j) || (x->effect == EFFECT_LOADS && surely_differ(s, i, j))) return;
        *stores_done = same;
    } else {
        if (x->effect == EFFECT_LOADS || y->steady || !may_share(s, i, j) || surely_differ(s, i, j)) return;
        if (y->before != NONE && space_of(&s->code[s->first + (u32)y->before]) == space_of(&s->code[s->first + i])) return;
        y->before = (i32)i;
    }
    add_edge(s, j, i, 1);
}

/* Orders node i after the accesses before it, back to the last that orders all */
static void order_memory(struct sched *s, u32 i) {
    struct node *x = &s->node[i];
    if (x->effect == EFFECT_NONE || x->constant) return;
    bool stores_done = false;
    for (u32 k = s->naccesses; k-- > 0;)
        if (x->effect == EFFECT_ORDERS) add_edge(s, s->accesses[k], i, 1);
        else order_after(s, i, s->accesses[k], &stores_done);
    if (s->orders != NONE) add_edge(s, (u32)s->orders, i, 1);
    if (x->effect == EFFECT_ORDERS) {
        s->orders = (i32)i;
        s->naccesses = 0;
    } else s->accesses[s->naccesses++] = i;
}

static u32 base_of(const struct inst *in) {
    const struct opnd *o = &in->s[0];
    if (in->iclass == ICLASS_ATOMIC || in->iclass == ICLASS_TENSOR) return 0; /* it may guard other places; has several */
    if (o->absent) return in->frame_local ? 1 : 0;
    return o->in == OPND_IN_REG ? (u32)o->off + 2 : 0;
}

static void set_goals(struct sched *s) {
    const struct inst *end = &s->code[s->first + s->n];
    i32 guard = end->flags & INST_CONTROL && end->guard != NONE ? vreg_at(s, end->guard)->writer : NONE;
    for (u32 i = s->n; i-- > 0;) {
        struct node *x = &s->node[i];
        x->goal = x->effect == EFFECT_LOADS ? i : (i32)i == guard ? GOAL_BRANCH : GOAL_NONE;
        for (i32 k = x->out; k != NONE; k = s->edges.at[k].next) x->goal = MIN(x->goal, s->node[s->edges.at[k].to].goal);
    }
}

static void build_graph(struct sched *s) {
    i32 collective = NONE;
    s->region++;
    s->edges.n = s->readers.n = s->naccesses = 0;
    s->orders = NONE;
    for (u32 i = 0; i < s->n; i++) {
        const struct inst *in = &s->code[s->first + i];
        struct node *x = &s->node[i];
        enum exec_effect e = effect_of(in);
        *x = (struct node){.effect = (u8)e, .constant = e == EFFECT_LOADS && is_constant(in), .out = NONE, .before = NONE};
        x->steady = e == EFFECT_LOADS && key_has(in->key, MOD_nc);
        x->collective = in->iclass == ICLASS_WARP || in->iclass == ICLASS_BARRIER;
        x->base = e == EFFECT_LOADS || e == EFFECT_STORES ? base_of(in) : 0;
        x->latency_cy = latency_of(s->how, in, e);
        order_registers(s, i);
        order_memory(s, i);
        if (x->collective && collective != NONE) add_edge(s, (u32)collective, i, 1);
        if (x->collective) collective = (i32)i;
    }
    set_goals(s);
}

/* --- values and how many registers they take */

static u32 touch_value(struct sched *s, i32 v, bool fresh) {
    u32 *at = &s->value_of[v];
    if (fresh || !*at) {
        s->values[s->nvalues] = (struct value){.rows = s->f->vreg_rows[v], .born = fresh};
        *at = ++s->nvalues;
    }
    return *at - 1;
}

static u32 read_value(struct sched *s, i32 v, bool wanted) {
    u32 x = touch_value(s, v, false);
    s->values[x].reads++;
    s->values[x].wanted = s->values[x].wanted || wanted;
    return x;
}

static void name_values(struct sched *s, u32 b) {
    const u32 *first = s->live->g.first, *out_at = s->live->out_at;
    u32 at = 0;
    s->nvalues = 0;
    for (u32 i = first[b]; i < first[b + 1]; i++) {
        const struct flow_inst *fi = &s->fi[i];
        s->operand_at[i] = at;
        for (u32 k = 0; k < fi->nread; k++) s->operands[at++] = read_value(s, fi->read[k], true);
        for (u32 k = 0; k < fi->nwrite; k++)
            s->operands[at++] = fi->guarded ? read_value(s, fi->write[k], false) : touch_value(s, fi->write[k], true);
    }
    for (u32 k = out_at[b]; k < out_at[b + 1]; k++) read_value(s, s->live->out[k], true);
    for (u32 x = 0; x < s->nvalues; x++)
        if (!s->values[x].born && !s->values[x].wanted) s->values[x].rows = 0; /* not live, so not among rows_in */
    for (u32 i = first[b]; i < first[b + 1]; i++) {
        for (u32 k = 0; k < s->fi[i].nread; k++) s->value_of[s->fi[i].read[k]] = 0;
        for (u32 k = 0; k < s->fi[i].nwrite; k++) s->value_of[s->fi[i].write[k]] = 0;
    }
    s->now = s->live->rows_in[b];
}

/* Runs instruction i on the values; returns by how many rows it changes what is live */
static i32 step_values(struct sched *s, u32 i) {
    const struct flow_inst *fi = &s->fi[i];
    const u32 *x = &s->operands[s->operand_at[i]];
    i32 change = 0;
    for (u32 k = 0; k < (u32)fi->nread + fi->nwrite; k++) {
        struct value *v = &s->values[x[k]];
        bool reads = k < fi->nread || fi->guarded;
        if (reads && --v->reads == 0) change -= v->rows;
        if (!reads && v->reads > 0) change += v->rows;
    }
    return change;
}

static void unstep_values(struct sched *s, u32 i) {
    const struct flow_inst *fi = &s->fi[i];
    const u32 *x = &s->operands[s->operand_at[i]];
    for (u32 k = 0; k < (u32)fi->nread + (fi->guarded ? fi->nwrite : 0); k++) s->values[x[k]].reads++;
}

/* --- the list */

static bool fits(struct sched *s, u32 node, u32 limit) {
    i32 change = step_values(s, s->first + node);
    unstep_values(s, s->first + node);
    return change <= 0 || (i64)s->now + change <= (i64)limit;
}

static bool comes_first(const struct sched *s, u32 a, u32 b, u32 now) {
    const struct node *x = &s->node[a], *y = &s->node[b];
    bool x_ready = x->ready_at <= now, y_ready = y->ready_at <= now;
    if (x_ready != y_ready) return x_ready;
    if (!x_ready && x->ready_at != y->ready_at) return x->ready_at < y->ready_at;
    return x->goal != y->goal ? x->goal < y->goal : a < b;
}

/* The best node that fits; where none does, the first in the text. Its place among the ready ones. */
static u32 choose(struct sched *s, u32 now, u32 limit) {
    u32 best = UINT32_MAX, first = 0;
    for (u32 k = 0; k < s->nready; k++) {
        if (s->ready[k] < s->ready[first]) first = k;
        if (best != UINT32_MAX && !comes_first(s, s->ready[k], s->ready[best], now)) continue;
        if (fits(s, s->ready[k], limit)) best = k;
    }
    return best == UINT32_MAX ? first : best;
}

static void release(struct sched *s, u32 node, u32 now) {
    for (i32 e = s->node[node].out; e != NONE; e = s->edges.at[e].next) {
        struct node *to = &s->node[s->edges.at[e].to];
        to->ready_at = MAX(to->ready_at, now + s->edges.at[e].latency_cy);
        if (!--to->waits) s->ready[s->nready++] = s->edges.at[e].to;
    }
}

/* Fills s->order. False when more than s->limit rows are live somewhere on the way. */
static bool list_schedule(struct sched *s, u32 aim) {
    u32 now = 0, most = s->now;
    s->nready = 0;
    for (u32 i = 0; i < s->n; i++)
        if (!s->node[i].waits) s->ready[s->nready++] = i;
    for (u32 n = 0; n < s->n; n++) {
        u32 k = choose(s, now, aim), i = s->ready[k];
        s->ready[k] = s->ready[--s->nready];
        s->order[n] = i;
        s->now = (u32)((i32)s->now + step_values(s, s->first + i));
        most = MAX(most, s->now);
        now = MAX(now, s->node[i].ready_at);
        release(s, i, now);
        now += !(s->code[s->first + i].flags & INST_PSEUDO);
    }
    return most <= s->limit;
}

static void start_again(struct sched *s) {
    for (u32 i = 0; i < s->n; i++) {
        unstep_values(s, s->first + i);
        s->node[i].ready_at = 0;
        for (i32 e = s->node[i].out; e != NONE; e = s->edges.at[e].next) s->node[s->edges.at[e].to].waits++;
    }
}

static void put_in_order(struct sched *s, struct inst *code, struct flow_inst *fi) {
    memcpy(code, &s->code[s->first], sizeof(*code) * s->n);
    memcpy(fi, &s->fi[s->first], sizeof(*fi) * s->n);
    for (u32 i = 0; i < s->n; i++) {
        s->code[s->first + i] = code[s->order[i]];
        s->fi[s->first + i] = fi[s->order[i]];
    }
}

/* A list that ends up with too many registers is made again with a lower aim; in the end the text's order
 * stays. */
static void schedule_region(struct sched *s, struct inst *code, struct flow_inst *fi) {
    enum { TRIES = 4 };
    u32 start = s->now, aim = s->limit;
    build_graph(s);
    for (u32 try = 0; try < TRIES; try++, aim -= aim / 8) {
        if (list_schedule(s, aim)) {
            put_in_order(s, code, fi);
            return;
        }
        start_again(s);
        s->now = start;
    }
    for (u32 i = 0; i < s->n; i++) s->now = (u32)((i32)s->now + step_values(s, s->first + i));
}

/* --- blocks */

static bool ends_region(const struct sched *s, u32 i) {
    const struct flow_inst *fi = &s->fi[i];
    return effect_of(&s->code[i]) == EFFECT_STOPS || fi->target != NONE || fi->ntargets || fi->leaves || !fi->falls;
}

static void schedule_block(struct sched *s, u32 b, struct inst *code, struct flow_inst *fi) {
    u32 end = s->live->g.first[b + 1];
    name_values(s, b);
    for (u32 i = s->live->g.first[b]; i < end; i++) {
        s->first = i;
        s->n = 0;
        while (i + s->n < end && s->n < REGION_MAX && !ends_region(s, i + s->n)) s->n++;
        if (s->n) schedule_region(s, code, fi), i += s->n - 1;
        else s->now = (u32)((i32)s->now + step_values(s, i));
    }
}

static u32 most_live(struct sched *s) {
    u32 most = 0;
    for (u32 b = 0; b < s->live->g.nblocks; b++) {
        name_values(s, b);
        most = MAX(most, s->now);
        for (u32 i = s->live->g.first[b]; i < s->live->g.first[b + 1]; i++) {
            s->now = (u32)((i32)s->now + step_values(s, i));
            most = MAX(most, s->now);
        }
    }
    return most;
}

void schedule_function(const struct ptx_schedule *how, const struct flow_live *live, const struct flow *f, struct flow_inst *fi,
                       struct inst *code, struct arena *scratch) {
    size_t operands = 0;
    for (u32 i = 0; i < f->ninsts; i++) operands += (u32)fi[i].nread + fi[i].nwrite;
    struct sched s = {.how = how, .live = live, .f = f, .fi = fi, .code = code};
    s.values = ARENA_ARRAY(scratch, struct value, operands + 1);
    s.operands = ARENA_ARRAY(scratch, u32, operands + 1);
    s.operand_at = ARENA_ARRAY(scratch, u32, f->ninsts + 1);
    s.value_of = ARENA_ARRAY(scratch, u32, f->nvregs + 1);
    s.vreg = ARENA_ARRAY(scratch, struct vreg, f->nvregs + 1);
    s.node = ARENA_ARRAY(scratch, struct node, REGION_MAX);
    s.accesses = ARENA_ARRAY(scratch, u32, REGION_MAX);
    s.order = ARENA_ARRAY(scratch, u32, REGION_MAX);
    s.ready = ARENA_ARRAY(scratch, u32, REGION_MAX);
    struct inst *code_was = ARENA_ARRAY(scratch, struct inst, REGION_MAX);
    struct flow_inst *fi_was = ARENA_ARRAY(scratch, struct flow_inst, REGION_MAX);
    s.limit = MAX(how->registers, most_live(&s));
    s.limit = (s.limit + how->register_step - 1) / how->register_step * how->register_step;
    for (u32 b = 0; b < live->g.nblocks; b++) schedule_block(&s, b, code_was, fi_was);
    free(s.edges.at);
    free(s.readers.at);
}
