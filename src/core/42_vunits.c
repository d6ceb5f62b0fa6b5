/* Units of the Vortex pipeline (sm.pipeline = vortex): an issued instruction waits in a buffer of two before
 * its unit, runs through a pipe of fixed depth, and leaves by the one write-back port of the core.
 *
 *   cycle    0       1          2              3            4
 *            issue   in a pipe  at its end,    write-back   a dependent instruction issues     (depth 1)
 *                               wins the port
 *
 * So the depth of a class is its latency less three. Loads win the port before all others (68_vlsu.c), then
 * FPU, ALU, CSR unit and GPU unit; inside the ALU its own results go before products and quotients. A result
 * that does not win stops its pipe. What writes no register needs no port. Branches, jumps and the
 * instructions of the GPU unit let their warp fetch again when they leave (12_vfetch.c).
 *
 * A read of a texture runs through two pipes of the GPU unit: addresses, from which it goes to the texture
 * unit's queue and to memory (67_vtex.c), and when its texels have come the filter, whose results go before
 * the unit's others.
 *
 * Units as accounting knows them (enum unit): int is Vortex's ALU, alu its FPU, mem its LSU.
 *
 * Not modelled: the order among pipes of the FPU is assumed (FMA, division, root, conversions, the rest).
 *
 * Invariants: U1 a buffer holds at most two; U2 instructions leave a pipe in order; U3 next_cy is the first
 * cycle in which something may enter or leave a pipe; U4 `busy` and `held` are the pipes, and the units whose
 * buffers, are not empty. */
#include "core/flight.h"
#include "core/text.h"
#include "core/vunits.h"

#include "func/rv.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    u8 unit, xclass;
} pipes[VPIPE_COUNT] = {
    [VPIPE_FMA] = {UNIT_ALU, XCLASS_fp32},        [VPIPE_FDIV] = {UNIT_ALU, XCLASS_fdiv},
    [VPIPE_FSQRT] = {UNIT_ALU, XCLASS_sfu},       [VPIPE_FCVT] = {UNIT_ALU, XCLASS_cvt},
    [VPIPE_FNCP] = {UNIT_ALU, XCLASS_pred},       [VPIPE_ALU] = {UNIT_INT, XCLASS_int},
    [VPIPE_MUL] = {UNIT_INT, XCLASS_imul},        [VPIPE_DIV] = {UNIT_INT, XCLASS_idiv},
    [VPIPE_CSR] = {UNIT_CSR, XCLASS_move},        [VPIPE_GPU] = {UNIT_GPU, XCLASS_warp},
    [VPIPE_TEX_FILTER] = {UNIT_GPU, XCLASS_warp}, [VPIPE_TEX_ADDRESS] = {UNIT_GPU, XCLASS_warp},
};
static const u8 units[] = {UNIT_ALU, UNIT_INT, UNIT_CSR, UNIT_GPU};                                      /* in the port's order */
static const u8 place_of[UNIT_COUNT] = {[UNIT_ALU] = 0, [UNIT_INT] = 1, [UNIT_CSR] = 2, [UNIT_GPU] = 3}; /* in it */
static const u32 pipes_of[UNIT_COUNT] = {
    [UNIT_ALU] = 1u << VPIPE_FMA | 1u << VPIPE_FDIV | 1u << VPIPE_FSQRT | 1u << VPIPE_FCVT | 1u << VPIPE_FNCP,
    [UNIT_INT] = 1u << VPIPE_ALU | 1u << VPIPE_MUL | 1u << VPIPE_DIV,
    [UNIT_CSR] = 1u << VPIPE_CSR,
    [UNIT_GPU] = 1u << VPIPE_GPU | 1u << VPIPE_TEX_FILTER | 1u << VPIPE_TEX_ADDRESS,
};

enum { TEX_ADDRESS_CY = 2, TEX_FILTER_CY = 4 };

void vunits_init(struct core *c) {
    if (c->cfg->pipeline != PIPELINE_VORTEX) return;
    struct vunits *v = c->vunits = base_alloc(sizeof(*v));
    for (u32 p = 0; p < VPIPE_COUNT; p++) {
        const struct class_timing *x = &c->cfg->class[pipes[p].xclass];
        v->depth[p] = x->latency_cy > 3 ? x->latency_cy - 3 : 1;
        v->interval[p] = x->interval_cy;
    }
    v->depth[VPIPE_TEX_ADDRESS] = TEX_ADDRESS_CY, v->depth[VPIPE_TEX_FILTER] = TEX_FILTER_CY;
    v->interval[VPIPE_TEX_ADDRESS] = v->interval[VPIPE_TEX_FILTER] = 1;
}

void vunits_free(struct core *c) { free(c->vunits); }

static void line_text(struct vline *l, const struct text_change *y) {
    for (u32 i = 0; i < l->n; i++) {
        struct ventry *e = &l->at[(l->head + i) % VPIPE_DEEP];
        e->t = text_now(y, e->t);
    }
}

void vunits_text(struct core *c, const struct text_change *y) {
    struct vunits *v = c->vunits;
    if (!v) return;
    for (u32 u = 0; u < UNIT_COUNT; u++) line_text(&v->skid[u], y);
    for (u32 p = 0; p < VPIPE_COUNT; p++) line_text(&v->pipe[p], y);
}

void vunits_abandon(struct core *c) {
    struct vunits *v = c->vunits;
    if (!v) return;
    for (u32 u = 0; u < UNIT_COUNT; u++) v->skid[u].n = 0;
    for (u32 p = 0; p < VPIPE_COUNT; p++) v->pipe[p].n = 0, v->free_cy[p] = 0;
    v->waiting = v->running = v->busy = v->held = 0;
    v->next_cy = NEVER;
    v->full = 0;
}

void vunits_launch(struct core *c) {
    vunits_abandon(c);
    if (c->vunits) c->vunits->empty_cy = c->now;
}

/* When the first instruction of a buffer can enter its pipe, or the first of a pipe leave it */
static u64 first_cycle(const struct vunits *v) {
    u64 next = NEVER;
    for (u32 m = v->held; m; m &= m - 1) {
        const struct vline *l = &v->skid[units[__builtin_ctz(m)]];
        next = MIN(next, MAX(l->at[l->head].due_cy, v->free_cy[l->at[l->head].t->pipe]));
    }
    for (u32 m = v->busy; m; m &= m - 1) {
        const struct vline *l = &v->pipe[__builtin_ctz(m)];
        next = MIN(next, l->at[l->head].due_cy);
    }
    return next;
}

void vunits_check(const struct core *c) {
    const struct vunits *v = c->vunits;
    u32 waiting = 0, running = 0;
    if (!v) return;
    for (u32 u = 0; u < UNIT_COUNT; u++) {
        CHECK(v->skid[u].n <= VSKID); /* U1 */
        waiting += v->skid[u].n;
    }
    for (u32 i = 0; i < ARRAY_LEN(units); i++) CHECK((v->skid[units[i]].n != 0) == (v->held >> i & 1)); /* U4 */
    for (u32 p = 0; p < VPIPE_COUNT; p++) {
        const struct vline *l = &v->pipe[p];
        for (u32 i = 1; i < l->n; i++) /* U2 */
            CHECK(l->at[(l->head + i - 1) % VPIPE_DEEP].due_cy <= l->at[(l->head + i) % VPIPE_DEEP].due_cy);
        running += l->n;
        CHECK((l->n != 0) == (v->busy >> p & 1));
    }
    CHECK(waiting == v->waiting && running == v->running);
    CHECK(v->next_cy == first_cycle(v)); /* U3 */
}

/* --- where an instruction goes; asked once for each of a program */

static bool is_lane(const struct inst *in, const u8 *list, u32 n) {
    for (u32 i = 0; i < n; i++)
        if (in->lane == rv_lane((enum rv_lane)list[i])) return true;
    return false;
}

static bool touches_floats(const struct inst *in) {
    return (!in->d.absent && in->d.in == OPND_IN_REG && in->d.reg >= RV_F) ||
           (in->s[0].in == OPND_IN_REG && in->s[0].reg >= RV_F);
}

static enum vpipe pipe_of_class(const struct inst *in) {
    static const u8 short_ones[] = {RV_LANE_fsgnj, RV_LANE_fsgnjn, RV_LANE_fsgnjx, RV_LANE_fmin,  RV_LANE_fmax,
                                    RV_LANE_feq,   RV_LANE_flt,    RV_LANE_fle,    RV_LANE_fclass},
                    roots[] = {RV_LANE_fsqrt};
    switch (in->iclass) {
    case ICLASS_IMUL: return VPIPE_MUL;
    case ICLASS_IDIV: return VPIPE_DIV;
    case ICLASS_FP32:
    case ICLASS_HALF:
    case ICLASS_FP64:
    case ICLASS_TENSOR: return in->lane && is_lane(in, short_ones, ARRAY_LEN(short_ones)) ? VPIPE_FNCP : VPIPE_FMA;
    case ICLASS_FDIV:
    case ICLASS_DDIV: return in->lane && is_lane(in, roots, ARRAY_LEN(roots)) ? VPIPE_FSQRT : VPIPE_FDIV;
    case ICLASS_SFU: return VPIPE_FSQRT;
    case ICLASS_CVT: return VPIPE_FCVT;
    case ICLASS_WARP:
    case ICLASS_BARRIER: return VPIPE_GPU;
    default: return VPIPE_ALU;
    }
}

static enum vpipe pipe_of(const struct kernel *k, const struct inst *in) {
    switch (in->exec_id) {
    case EXEC_rv_csr:
    case EXEC_rv_counter: return VPIPE_CSR;
    case EXEC_rv_tmc:
    case EXEC_rv_pred:
    case EXEC_rv_wspawn:
    case EXEC_rv_split:
    case EXEC_rv_join:
    case EXEC_rv_bar:
    case EXEC_rv_arrive:
    case EXEC_rv_wait: return VPIPE_GPU;
    case EXEC_rv_tex: return VPIPE_TEX_ADDRESS;
    default: break;
    }
    if (k->isa && in->iclass == ICLASS_MOVE && touches_floats(in)) return VPIPE_FNCP;
    return pipe_of_class(in);
}

void vunits_place(const struct kernel *k, struct tinst *t) {
    if (t->kind == T_MEM && t->in->exec_id != EXEC_rv_tex) return;
    t->pipe = (u8)pipe_of(k, t->in);
    t->unit = pipes[t->pipe].unit;
}

/* --- issue */

u64 vunits_unavailable(const struct core *c) { return c->vunits->full; }

void vunits_settle(struct core *c) {
    struct vunits *v = c->vunits;
    v->full = vlsu_full(c) ? 1ull << UNIT_MEM : 0;
    for (u32 m = v->held; m; m &= m - 1) {
        u32 unit = units[__builtin_ctz(m)];
        if (v->skid[unit].n == VSKID) v->full |= 1ull << unit;
    }
}

static void push(struct vline *l, const struct ventry *e) {
    if (!l->n) l->head = 0; /* a line of few stays where it is in the host's cache */
    l->at[(l->head + l->n++) % VPIPE_DEEP] = *e;
}

static struct ventry pop(struct vline *l) {
    struct ventry e = l->at[l->head];
    l->head = (l->head + 1) % VPIPE_DEEP;
    l->n--;
    return e;
}

/* Results of its own, at `at` or later */
static void expect(struct home *s, const struct tinst *t, u64 lanes, u64 at) {
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) sb_write(s, t->reg[i], lanes, NEVER, WAIT_COMPUTE);
    s->drain_cy = MAX(s->drain_cy, at);
}

void vunits_issue(struct core *c, u32 slot, const struct tinst *t, const struct step *st, u64 uid) {
    struct vunits *v = c->vunits;
    struct home *s = &c->homes[slot];
    struct ventry e = {uid, s->age, st->lanes, c->now + 1, t, (u16)slot, 0};
    if (t->kind == T_MEM) e.flight = vlsu_record(c, slot, t, st, uid)->id;
    else expect(s, t, st->lanes, c->now + v->depth[t->pipe] + 3);
    c->stats.operand_reads += t->nread;
    EMIT(c, .kind = EV_READ, .cycle = c->now, .uid = uid, .slot = (u16)slot);
    push(&v->skid[t->unit], &e);
    v->waiting++;
    v->held |= 1u << place_of[t->unit];
    if (v->skid[t->unit].n == 1) v->next_cy = MIN(v->next_cy, MAX(e.due_cy, v->free_cy[t->pipe]));
}

/* --- the stage */

/* It leaves its unit, by the port if it writes a register */
static void leave(struct core *c, const struct ventry *e) {
    const struct tinst *t = e->t;
    struct home *s = &c->homes[e->slot];
    u64 ready = c->now + 2;
    c->vunits->empty_cy = c->now + 1;
    if (t->kind == T_MEM) {
        writeback_parts(c, e->flight, flight_at(c, e->flight)->mem.outstanding, ready);
        return;
    }
    EMIT(c, .kind = EV_DONE, .cycle = t->ndst ? ready : c->now + 1, .uid = e->uid, .slot = e->slot);
    if (t->ndst) EMIT(c, .kind = EV_READY, .cycle = ready, .uid = e->uid, .slot = e->slot, .mask = e->lanes);
    c->stats.operand_writes += t->nwrite;
    if (s->age != e->age || s->told_end) return; /* of a warp that was there before, or is over without it */
    for (u32 i = t->nsrc; i < (u32)t->nsrc + t->ndst; i++) sb_write(s, t->reg[i], e->lanes, ready, WAIT_COMPUTE);
    s->drain_cy = MAX(s->drain_cy, ready);
    if (t->turns) vfetch_resolved(c, e->slot);
    if (t->ndst && s->w) home_wake(c, e->slot, HOME_RESULT);
}

/* The same of what waits before a pipe, or is in it */
static u64 line_drains(const struct core *c, u32 slot, const struct vline *l, bool waits) {
    const struct vunits *v = c->vunits;
    u64 last = 0;
    for (u32 i = 0; i < l->n; i++) {
        const struct ventry *e = &l->at[(l->head + i) % VPIPE_DEEP];
        u32 p = e->t->pipe;
        if (e->slot != slot || e->age != c->homes[slot].age || p != VPIPE_GPU) continue;
        u64 leaves = waits ? MAX(e->due_cy, v->free_cy[p]) + v->depth[p] : e->due_cy;
        last = MAX(last, MAX(leaves, c->now) + 2);
    }
    return last;
}

u64 vunits_drains(const struct core *c, u32 slot) {
    const struct vunits *v = c->vunits;
    return MAX(line_drains(c, slot, &v->skid[UNIT_GPU], true), line_drains(c, slot, &v->pipe[VPIPE_GPU], false));
}

/* Behind the multiplier stands a register: a product waits there while others come as far as its door */
static bool waits_alone(const struct core *c, const struct vline *l, u32 p) {
    return p == VPIPE_MUL && (l->n < 2 || l->at[(l->head + 1) % VPIPE_DEEP].due_cy > c->now + 1);
}

/* Its result did not win: everything in the pipe stays where it is */
static void stop_pipe(const struct core *c, struct vunits *v, u32 p) {
    struct vline *l = &v->pipe[p];
    if (waits_alone(c, l, p)) {
        l->at[l->head].due_cy++;
        return;
    }
    for (u32 i = 0; i < l->n; i++) l->at[(l->head + i) % VPIPE_DEEP].due_cy++;
    v->free_cy[p] = MAX(v->free_cy[p], c->now + 1);
}

/* Pipes at whose end a result stands */
static u32 pipes_due(const struct core *c, const struct vunits *v) {
    u32 due = 0;
    for (u32 m = v->busy; m; m &= m - 1) {
        const struct vline *l = &v->pipe[__builtin_ctz(m)];
        if (l->at[l->head].due_cy <= c->now) due |= m & -m;
    }
    return due;
}

/* The first entry of a pipe */
static struct ventry take(struct vunits *v, u32 p) {
    struct ventry e = pop(&v->pipe[p]);
    v->running--;
    if (!v->pipe[p].n) v->busy &= ~(1u << p);
    return e;
}

/* Addresses of a read of a texture go to the queue, if there is room */
static void leave_addresses(struct core *c, struct vunits *v) {
    if (!vtex_room(c)) stop_pipe(c, v, VPIPE_TEX_ADDRESS);
    else vtex_enter(c, take(v, VPIPE_TEX_ADDRESS).flight);
}

/* What stands at the end of a unit's pipes, those that are due: the first may leave, the others wait */
static void empty_unit(struct core *c, struct vunits *v, u32 due, bool *port) {
    bool left = false;
    for (u32 m = due; m; m &= m - 1) {
        u32 p = (u32)__builtin_ctz(m);
        const struct vline *l = &v->pipe[p];
        bool writes = l->at[l->head].t->ndst != 0;
        if (p == VPIPE_TEX_ADDRESS) {
            leave_addresses(c, v);
            continue;
        }
        if (left || (writes && *port)) {
            c->stats.writeback_conflict_cycles++;
            stop_pipe(c, v, p);
            left = true; /* nothing behind it either */
            continue;
        }
        left = true;
        *port = *port || writes;
        struct ventry e = take(v, p);
        leave(c, &e);
    }
}

static void fill_unit(struct core *c, struct vunits *v, u8 unit) {
    struct vline *l = &v->skid[unit];
    if (l->at[l->head].due_cy > c->now) return;
    u32 p = l->at[l->head].t->pipe;
    if (v->free_cy[p] > c->now || v->pipe[p].n == VPIPE_DEEP) return;
    struct ventry e = pop(l);
    if (!l->n) v->held &= ~(1u << place_of[unit]);
    EMIT(c, .kind = EV_DISPATCH, .cycle = c->now, .uid = e.uid, .slot = e.slot, .cause = unit, .a = v->interval[p]);
    if (unit == UNIT_INT) c->stats.unit_busy_int += v->interval[p];
    if (unit == UNIT_ALU) c->stats.unit_busy_alu += v->interval[p];
    e.due_cy = c->now + v->depth[p];
    v->free_cy[p] = c->now + v->interval[p];
    v->waiting--, v->running++;
    v->busy |= 1u << p;
    push(&v->pipe[p], &e);
}

bool vunits_filter(struct core *c, u32 flight) {
    struct vunits *v = c->vunits;
    struct vline *l = &v->pipe[VPIPE_TEX_FILTER];
    const struct flight *f = flight_at(c, flight);
    if (v->free_cy[VPIPE_TEX_FILTER] > c->now || l->n == VPIPE_DEEP) return false;
    push(l, &(struct ventry){f->uid, f->age, f->lanes, c->now + TEX_FILTER_CY, f->t, f->slot, flight});
    v->running++;
    v->busy |= 1u << VPIPE_TEX_FILTER;
    v->next_cy = MIN(v->next_cy, l->at[l->head].due_cy);
    return true;
}

static __attribute__((noinline)) void run_units(struct core *c, struct vunits *v) {
    bool port = vlsu_writes(c);
    u32 due = v->busy ? pipes_due(c, v) : 0;
    for (u32 i = 0; due && i < ARRAY_LEN(units); i++) {
        empty_unit(c, v, due & pipes_of[units[i]], &port);
        due &= ~pipes_of[units[i]];
    }
    for (u32 m = v->held; m; m &= m - 1) fill_unit(c, v, units[__builtin_ctz(m)]);
    v->next_cy = first_cycle(v);
}

void vunits_stage(struct core *c) {
    if (c->vunits->next_cy <= c->now) run_units(c, c->vunits);
}

bool vunits_idle(const struct core *c) { return !c->vunits || !(c->vunits->waiting + c->vunits->running); }

u64 vunits_empty(const struct core *c) { return c->vunits ? c->vunits->empty_cy : 0; }

u64 vunits_next(const struct core *c) { return MAX(c->vunits->next_cy, c->now); }
