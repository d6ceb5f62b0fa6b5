/* What time must know of each instruction of a kernel, worked out once per launch: unit, latency, registers,
 * what follows in memory. */
#include "core/core.h"

#include <stdlib.h>

static const u8 xclass_of[ICLASS_COUNT] = {
    [ICLASS_INT] = XCLASS_int,      [ICLASS_IMUL] = XCLASS_imul,   [ICLASS_IDIV] = XCLASS_idiv, [ICLASS_FP32] = XCLASS_fp32,
    [ICLASS_FDIV] = XCLASS_fdiv,    [ICLASS_FP64] = XCLASS_fp64,   [ICLASS_DDIV] = XCLASS_ddiv, [ICLASS_HALF] = XCLASS_half,
    [ICLASS_SFU] = XCLASS_sfu,      [ICLASS_LOGIC] = XCLASS_logic, [ICLASS_PRED] = XCLASS_pred, [ICLASS_MOVE] = XCLASS_move,
    [ICLASS_CVT] = XCLASS_cvt,      [ICLASS_VIDEO] = XCLASS_video, [ICLASS_WARP] = XCLASS_warp, [ICLASS_TENSOR] = XCLASS_tensor,
    [ICLASS_BARRIER] = XCLASS_warp,
};

static enum tkind kind_of(const struct inst *in) {
    if (in->flags & INST_EXIT) return T_EXIT;
    if (in->flags & INST_FRAME) return T_FRAME;
    if (in->flags & INST_ASYNC_WAIT) return T_ASYNC_WAIT;
    if (in->flags & INST_MEMORY) return T_MEM;
    switch (in->iclass) {
    case ICLASS_BRANCH: return T_BRANCH;
    case ICLASS_BARRIER: return in->flags & INST_CONTROL ? T_BARRIER : T_ALU; /* else of a warp's lanes */
    case ICLASS_FENCE: return T_FENCE;
    case ICLASS_NOP:
    case ICLASS_MEMHINT:
    case ICLASS_ASYNC: return in->d.absent ? T_NOP : T_ALU;
    default: return T_ALU;
    }
}

static u32 unit_width(const struct config *c, enum unit u) {
    const u32 width[UNIT_COUNT] = {c->alu_width,    c->int_width, c->sfu_width, c->fp64_width,
                                   c->tensor_width, c->lsu_width, c->warp_size};
    return width[u];
}

static void time_alu(const struct config *c, const struct inst *in, struct tinst *t) {
    const struct class_timing *x =
        &c->class[in->iclass == ICLASS_NOP || in->iclass == ICLASS_MEMHINT || in->iclass == ICLASS_ASYNC ? XCLASS_move
                                                                                                         : xclass_of[in->iclass]];
    enum unit u = (enum unit)x->unit;
    if (u == UNIT_INT && !c->int_units) u = UNIT_ALU;
    u32 beats = (c->warp_size + unit_width(c, u) - 1) / unit_width(c, u);
    t->unit = (u8)u;
    t->width = (u8)unit_width(c, u), t->beats = (u8)beats, t->interval = (u16)x->interval_cy;
    t->busy = (u16)(beats * x->interval_cy);
    t->latency = x->latency_cy + (c->chaining ? 0 : (beats - 1) * x->interval_cy);
}

/* Registers, or predicates, of a list once each */
static void add_some(const struct program *p, const u16 *list, u32 n, u16 is_pred, u16 *out, u8 *count) {
    for (u32 i = 0; i < n; i++) {
        if ((list[i] & REG_PRED) != is_pred) continue;
        u16 r = is_pred ? (u16)(p->nregs + (list[i] & ~REG_PRED)) : list[i];
        bool seen = false;
        for (u32 j = 0; j < *count; j++) seen = seen || out[j] == r;
        if (!seen) out[(*count)++] = r;
    }
}

/* Registers, then predicates; returns how many are registers */
static u8 add_regs(const struct program *p, const u16 *list, u32 n, u16 *out, u8 *count) {
    add_some(p, list, n, 0, out, count);
    u8 rows = *count;
    add_some(p, list, n, REG_PRED, out, count);
    return rows;
}

/* Dispatch goes on behind it: what it does depends on its own threads' registers and memory alone. Not reads
 * of clocks, which tell the time, or accesses that threads may wait with. */
static bool waits_in_window(const struct tinst *t) {
    const struct inst *in = t->in;
    const struct exec_row *x = &exec_table[in->exec_id];
    bool clock = x->facts & FACT_SREG && in->imm >= SREG_clock && in->imm <= SREG_globaltimer_hi;
    if (in->flags & (INST_COLLECTIVE | INST_SYNC_POLL | INST_ASYNC_WAIT) || clock) return false;
    if (in->flags & INST_TURN || in->exec_id == EXEC_rv_counter) return false; /* changes who runs; tells the time */
    switch (t->kind) {
    case T_BRANCH:
    case T_NOP: return true;
    case T_ALU: return in->iclass != ICLASS_BARRIER && in->iclass != ICLASS_WARP && in->iclass != ICLASS_ASYNC;
    case T_MEM:
        return in->iclass == ICLASS_LOAD || in->iclass == ICLASS_STORE || in->iclass == ICLASS_TEX ||
               (in->iclass == ICLASS_ATOMIC && !t->ndst);
    default: return false;
    }
}

static u64 banks_of(const struct config *c, const u16 *reg, u32 n) {
    u64 banks = 0;
    for (u32 i = 0; i < n; i++) {
        u64 bank = 1ull << reg[i] % c->banks;
        if (banks & bank) return BANKS_SHARED;
        banks |= bank;
    }
    return banks;
}

static void fill_one(struct program *p, const struct config *c, u32 pc, u16 *regs) {
    const struct inst *in = &p->k->code[pc];
    struct tinst *t = &p->at[pc];
    struct inst_regs r;
    *t = (struct tinst){.in = in, .pc = (i32)pc, .kind = (u8)kind_of(in), .unit = UNIT_NONE, .next = NONE, .reg = regs};
    t->pseudo = (in->flags & INST_PSEUDO) != 0;
    t->meets = (in->flags & INST_RECONV) != 0;
    inst_regs(in, &r);
    t->nread = add_regs(p, r.src, r.nsrc, regs, &t->nsrc);
    t->nwrite = add_regs(p, r.dst, r.ndst, regs + t->nsrc, &t->ndst);
    t->read_banks = banks_of(c, t->reg, t->nread), t->write_banks = banks_of(c, t->reg + t->nsrc, t->nwrite);
    if (t->kind == T_ALU) time_alu(c, in, t);
    if (t->kind == T_MEM) t->unit = UNIT_MEM;
    t->window = waits_in_window(t);
    p->atomics |= in->iclass == ICLASS_ATOMIC;
    p->frames |= t->kind == T_FRAME;
    t->early = p->k->early && in->exec_id == EXEC_rv_join;
    t->turns = in->flags & INST_CONTROL && !t->early && in->exec_id != EXEC_rv_counter && in->exec_id != EXEC_rv_wspawn;
    if (c->pipeline == PIPELINE_VORTEX) vunits_place(p->k, t);
    if (t->kind == T_BRANCH || t->kind == T_EXIT || t->kind == T_FRAME) t->guard_cy = (u16)c->branch_guard_cy;
    if (t->kind == T_MEM && in->iclass == ICLASS_LOAD && in->space != SPACE_SHARED)
        t->mshr_of = in->space == SPACE_PARAM ? 3 : 1 + (in->space == SPACE_CONST ? CACHE_CONST : CACHE_DATA);
}

/* What soonest_of may answer, of any lanes */
static u64 soonest_one(const struct config *c, const struct tinst *t) {
    if (c->warp_scale != WARP_SCALE_OFF || c->scale_latency != SCALE_FIXED) return 0;
    return !t->ndst ? NEVER : t->kind == T_ALU ? t->latency : c->shared_cy;
}

static u64 soonest_result(const struct program *p, const struct config *c) {
    u64 soonest = NEVER;
    for (u32 pc = 0; pc < p->k->ninst; pc++) soonest = earlier(soonest, soonest_one(c, &p->at[pc]));
    return soonest;
}

void program_change(struct program *p, const struct config *c, u32 pc, u16 *regs) {
    i32 next = p->at[pc].next;
    fill_one(p, c, pc, regs);
    p->at[pc].next = next;
    p->soonest_cy = MIN(p->soonest_cy, soonest_one(c, &p->at[pc]));
}

struct program *program_new(const struct config *c, const struct kernel *k, u64 code_base) {
    struct program *p = base_alloc(sizeof(*p));
    p->k = k;
    p->code_base = code_base;
    p->inst_b = k->inst_b ? k->inst_b : c->inst_b;
    for (u32 i = 0; i < k->nfuncs; i++) {
        p->nregs = MAX(p->nregs, k->funcs[i].regs);
        p->npreds = MAX(p->npreds, k->funcs[i].preds);
    }
    p->at = base_alloc_aligned(sizeof(*p->at) * k->ninst);
    p->regs = base_alloc(sizeof(u16) * 2 * MAX_INST_REGS * (k->ninst + 1u));
    u16 *at = p->regs;
    for (u32 pc = 0; pc < k->ninst; pc++) {
        fill_one(p, c, pc, at);
        at += p->at[pc].nsrc + p->at[pc].ndst;
    }
    p->soonest_cy = soonest_result(p, c);
    i32 next = NONE;
    for (u32 pc = k->ninst; pc-- > 0;) {
        p->at[pc].next = next;
        if (!p->at[pc].pseudo) next = (i32)pc;
    }
    return p;
}

void program_free(struct program *p) {
    if (!p) return;
    free(p->at);
    free(p->regs);
    free(p);
}
