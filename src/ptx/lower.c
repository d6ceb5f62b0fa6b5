/* A kernel from a module: collects the functions it may reach, lays out shared memory and frames, lowers each
 * function, finds reconvergence points, allocates registers, and joins the code.
 *
 * Invariants of the result:
 *   L1 code[exit_pc] of every function is a pseudo instruction, the only way out of a called function
 *   L2 a branch's reconv is a pc of its own function, or NONE when its lanes meet only by exiting the kernel
 *   L3 every pc that is a reconv carries INST_RECONV */
#include "ptx/lower.h"
#include "ptx/flow.h"

#include <stdlib.h>
#include <string.h>

static u64 align_up(u64 x, u64 a) { return a ? (x + a - 1) / a * a : x; }

bool var_is_kernel_param(const struct fn *f, const struct ptx_var *v) {
    const struct ptx_func *e = f->lo->entry;
    return v >= e->params && v < e->params + e->nparams;
}

void lower_refuse(struct lower *lo, const struct ptx_inst *pi, const char *why) {
    if (lo->refuse.len) return;
    int opcode = (int)strcspn(pi->text, " \t"); /* as the user wrote it */
    strbuf_add(&lo->refuse, "%s:%u:%u: %.*s: %s", lo->m->file, pi->loc.line, pi->loc.col, opcode, pi->text, why);
}

/* --- which functions and shared variables the kernel can reach */

static void reach_func(struct lower *lo, struct ptx_func *p) {
    if (!p->has_body || p->reached == lo->m->lowered) return;
    p->reached = lo->m->lowered;
    p->index = lo->funcs.n;
    VEC_PUSH(&lo->funcs, p);
}

/* The first time this kernel names a shared variable */
static void reach_shared(struct lower *lo, struct ptx_var *v, u64 *shared_b) {
    if (v->reached == lo->m->lowered) return;
    v->reached = lo->m->lowered;
    if (v->incomplete) {
        VEC_PUSH(&lo->dynamic, v);
        return;
    }
    *shared_b = align_up(*shared_b, MAX(v->align_b, 1u));
    v->address = *shared_b;
    *shared_b += v->size_b;
}

static void reach_operand(struct lower *lo, const struct ptx_opnd *o, u64 *shared_b) {
    if (o->kind == PTX_FUNC && o->func) reach_func(lo, o->func);
    if (o->kind == PTX_VAR && o->var->space == SPACE_SHARED) reach_shared(lo, o->var, shared_b);
    for (u32 i = 0; i < o->n; i++) reach_operand(lo, &o->elem[i], shared_b);
}

static bool is_indirect_call(const struct ptx_inst *pi) {
    if (pi->key.op != OP_call) return false;
    for (u32 i = 0; i < pi->nopnds; i++)
        if (pi->opnds[i].kind == PTX_FUNC) return false;
    return true;
}

static void note_taken(const struct ptx_opnd *o) {
    if (o->kind == PTX_FUNC && o->func) o->func->address_taken = true;
    for (u32 i = 0; i < o->n; i++) note_taken(&o->elem[i]);
}

static void note_relocs(const struct ptx_var *v) {
    for (u32 i = 0; i < v->nrelocs; i++)
        if (v->relocs[i].func) v->relocs[i].func->address_taken = true;
}

/* What the module takes the address of, in code or in a variable, or lists as a target; once for all of its
 * kernels */
static void note_all_taken(struct ptx_module *m) {
    if (m->noted_taken) return;
    m->noted_taken = true;
    for (u32 i = 0; i < m->nvars; i++) note_relocs(m->vars[i]);
    for (u32 i = 0; i < m->nfuncs; i++) {
        const struct ptx_func *p = m->funcs[i];
        for (u32 j = 0; j < p->nvars; j++) note_relocs(p->vars[j]);
        for (u32 j = 0; j < p->ntables; j++)
            for (u32 x = 0; p->tables[j].kind == TABLE_CALLTARGETS && x < p->tables[j].n; x++)
                p->tables[j].funcs[x]->address_taken = true;
        for (u32 j = 0; j < p->ninsts; j++)
            for (u32 o = 0; p->insts[j].key.op != OP_call && o < p->insts[j].nopnds; o++) note_taken(&p->insts[j].opnds[o]);
    }
}

/* An indirect call can reach every function that has its address taken. */
static void reach_indirect(struct lower *lo) {
    const struct ptx_module *m = lo->m;
    note_all_taken(lo->m);
    for (u32 i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->address_taken && !m->funcs[i]->is_entry) reach_func(lo, m->funcs[i]);
}

/* All dynamic shared variables start at one address, aligned for each of them. */
static u64 place_dynamic_shared(struct lower *lo, u64 at) {
    u64 align = 16;
    for (u32 i = 0; i < lo->dynamic.n; i++) align = MAX(align, lo->dynamic.at[i]->align_b);
    at = align_up(at, align);
    for (u32 i = 0; i < lo->dynamic.n; i++) lo->dynamic.at[i]->address = at;
    return at;
}

/* Only functions that are called share registers: a kernel by itself has them like its own */
static void collect_module_regs(struct lower *lo) {
    if (!lo->m->nregs || lo->funcs.n < 2) return;
    u8 *seen = base_alloc(lo->m->nregs);
    for (u32 i = 0; i < lo->funcs.n; i++) {
        const struct ptx_func *p = lo->funcs.at[i];
        for (u32 r = 0; r < p->nregs; r++) {
            i32 id = p->regs[r].module_reg;
            if (id == NONE || seen[id]) continue;
            seen[id] = 1;
            VEC_PUSH(&lo->module_regs, id);
        }
    }
    free(seen);
}

/* Static shared memory is what the reachable code names, in order of first use; dynamic shared memory starts
 * after it. */
static void collect(struct lower *lo) {
    u64 shared_b = 0;
    bool indirect = false;
    lo->m->lowered++;
    reach_func(lo, lo->entry);
    for (u32 i = 0; i < lo->funcs.n; i++) {
        struct ptx_func *p = lo->funcs.at[i];
        for (u32 j = 0; j < p->ninsts; j++) {
            for (u32 o = 0; o < p->insts[j].nopnds; o++) reach_operand(lo, &p->insts[j].opnds[o], &shared_b);
            if (!indirect && is_indirect_call(&p->insts[j])) {
                indirect = true;
                reach_indirect(lo);
            }
        }
    }
    collect_module_regs(lo);
    lo->k->shared_b = (u32)shared_b;
    lo->k->dynamic_at = (u32)place_dynamic_shared(lo, shared_b);
}

/* --- frames and parameters */

static void place_in_frame(struct ptx_var *v, u32 *at) {
    *at = (u32)align_up(*at, MAX(v->align_b, 1u));
    v->address = *at;
    *at += (u32)v->size_b;
}

static void layout_frame(const struct lower *lo, struct ptx_func *p, struct kernel_func *kf) {
    u32 at = 0;
    for (u32 i = 0; p->is_entry && lo->m->has_local && i < lo->m->nvars;
         i++) /* local memory of the module lies first: the kernel's frame starts at 0 */
        if (lo->m->vars[i]->space == SPACE_LOCAL) place_in_frame(lo->m->vars[i], &at);
    for (u32 i = 0; !p->is_entry && i < p->nparams; i++)
        if (p->params[i].space == SPACE_PARAM) place_in_frame(&p->params[i], &at);
    for (u32 i = 0; !p->is_entry && i < p->nrets; i++)
        if (p->rets[i].space == SPACE_PARAM) place_in_frame(&p->rets[i], &at);
    for (u32 i = 0; i < p->nvars; i++)
        if (p->vars[i]->space == SPACE_LOCAL || p->vars[i]->space == SPACE_PARAM) place_in_frame(p->vars[i], &at);
    kf->taken_at = NONE;
    if (lower_grows(p)) {
        kf->taken_at = (i32)(at = (u32)align_up(at, 4));
        at += 4;
    }
    kf->local_b = (u32)align_up(at, 16);
}

static void layout_kernel_params(struct lower *lo) {
    struct ptx_func *e = lo->entry;
    struct kernel *k = lo->k;
    u32 at = 0;
    k->nparams = e->nparams;
    k->params = ARENA_ARRAY(lo->arena, struct kernel_param, e->nparams + 1);
    for (u32 i = 0; i < e->nparams; i++) {
        struct ptx_var *v = &e->params[i];
        place_in_frame(v, &at);
        k->params[i] = (struct kernel_param){v->name, (u32)v->address, (u32)v->size_b, v->align_b,
                                             v->type, v->is_ptr,       v->ptr_space,   v->ptr_align};
    }
    k->param_b = at;
}

/* --- liveness and registers */

static void flow_add(i32 *list, u16 *n, const struct opnd *o) {
    if (!o->absent && o->in != OPND_IN_POOL) list[(*n)++] = o->off;
}

static void flow_of(struct fn *f, u32 pc, struct flow_inst *fi) {
    const struct inst *in = &f->code.at[pc];
    i32 *reads = ARENA_ARRAY(f->lo->arena, i32, 6u + in->extra_n), *writes = ARENA_ARRAY(f->lo->arena, i32, 3u + in->extra_d);
    *fi = (struct flow_inst){.target = NONE, .falls = true, .read = reads, .write = writes, .guarded = in->guard != NONE};
    for (u32 i = 0; i < 3; i++) flow_add(reads, &fi->nread, &in->s[i]);
    if (inst_reads_q(in)) flow_add(reads, &fi->nread, &in->q);
    for (u32 i = in->extra_d; i < in->extra_n; i++) flow_add(reads, &fi->nread, &in->extra[i]);
    if (in->guard != NONE) reads[fi->nread++] = in->guard;
    flow_add(writes, &fi->nwrite, &in->d);
    if (inst_writes_q(in)) flow_add(writes, &fi->nwrite, &in->q);
    for (u32 i = 0; i < in->extra_d; i++) flow_add(writes, &fi->nwrite, &in->extra[i]);
    bool sure = in->guard == NONE;
    if (in->flags & INST_JUMP) {
        fi->target = in->target;
        fi->falls = !sure;
    } else if (in->flags & INST_TABLE) {
        const struct branch_table *t = in->info;
        fi->targets = t->targets;
        fi->ntargets = t->n;
        fi->falls = !sure;
    } else if (in->flags & INST_LEAVE) {
        fi->leaves = true;
        fi->falls = !sure;
    }
}

enum { REGION = 4 }; /* rows that the largest value takes */

/* The row of a register: storage has a region for each size of value, of `f->region` rows, again and again
 * (isa.h says why). Lanes of a warp may be in several functions at once, and in one that was called from
 * several places, and frames of different lanes lie over each other: functions that call or are called
 * have the same regions everywhere, of few rows. */
static u32 row_of(const struct fn *f, const struct opnd *o, u32 reg) {
    u32 region = o->rows == 4 ? 2 : o->rows == 2 ? 1 : 0;
    return (reg / f->region * f->lo->regions + region) * f->region + reg % f->region;
}

static void rewrite(const struct fn *f, struct opnd *o, const i32 *phys) {
    if (o->absent || o->in == OPND_IN_POOL) return;
    i32 reg = phys[o->off];
    o->reg = (u16)reg;
    o->off = o->in == OPND_IN_REG ? (i32)row_of(f, o, (u32)reg) * ROW_B : reg;
}

static void rewrite_inst(const struct fn *f, struct inst *in, const i32 *phys) {
    rewrite(f, &in->d, phys);
    rewrite(f, &in->q, phys);
    for (u32 i = 0; i < 3; i++) rewrite(f, &in->s[i], phys);
    for (u32 i = 0; i < in->extra_n; i++) rewrite(f, (struct opnd *)&in->extra[i], phys);
    if (in->guard != NONE) in->guard = phys[in->guard];
    if (!(in->flags & INST_CALL)) return;
    struct call_info *c = (struct call_info *)in->info;
    for (u32 i = 0; i < c->nrets; i++)
        if (c->rets[i].in_reg) ((struct func_slot *)c->rets)[i].reg = in->extra[i];
    for (u32 i = 0; i < c->nargs; i++)
        if (c->args[i].in_reg) ((struct func_slot *)c->args)[i].reg = in->extra[c->nrets + i];
}

static void patch_targets(struct fn *f) {
    for (u32 pc = 0; pc < f->code.n; pc++) {
        struct inst *in = &f->code.at[pc];
        if (in->flags & INST_JUMP) in->target = f->pc_of[in->target];
        if (in->flags & INST_TABLE) {
            const struct branch_table *t = in->info;
            for (u32 i = 0; i < t->n; i++) ((i32 *)t->targets)[i] = f->pc_of[t->targets[i]];
        }
    }
}

struct func_slot fn_module_slot(const struct fn *f, u32 i) {
    enum type t = (enum type)f->lo->m->reg_types[f->lo->module_regs.at[i]];
    return (struct func_slot){.in_reg = true, .size_b = MAX(type_bytes(t), 1u), .reg = opnd_reg(f, f->module_vreg[i])};
}

/* A function's own parameters or results, and then the registers of the module */
static struct func_slot *slots_of(struct fn *f, const struct ptx_var *vars, u32 n, const i32 *phys) {
    u32 hidden = f->is_entry ? 0 : f->lo->module_regs.n;
    struct func_slot *s = ARENA_ARRAY(f->lo->arena, struct func_slot, n + hidden + 1);
    for (u32 i = 0; i < hidden; i++) {
        s[n + i] = fn_module_slot(f, i);
        rewrite(f, &s[n + i].reg, phys);
    }
    for (u32 i = 0; i < n; i++) {
        s[i].size_b = (u32)vars[i].size_b;
        s[i].in_reg = vars[i].reg != NONE;
        if (s[i].in_reg) {
            s[i].reg = opnd_reg(f, vars[i].reg);
            rewrite(f, &s[i].reg, phys);
        } else s[i].off_b = (u32)vars[i].address;
    }
    return s;
}

/* What is live where a function begins or ends: its register parameters or results, and the registers of the
 * module */
static u32 reg_params(const struct fn *f, const struct ptx_var *vars, u32 n, i32 *out) {
    u32 k = 0;
    for (u32 i = 0; i < n; i++)
        if (vars[i].reg != NONE) out[k++] = vars[i].reg;
    for (u32 i = 0; !f->is_entry && i < f->lo->module_regs.n; i++) out[k++] = f->module_vreg[i];
    return k;
}

/* The last steps of one function: flow, order, reconvergence, registers. Local pcs throughout. */
static void finish_function(struct fn *f, struct kernel_func *kf) {
    struct arena scratch = {0};
    u32 n = f->code.n - 1; /* without the exit */
    struct flow_inst *fi = ARENA_ARRAY(&scratch, struct flow_inst, n + 1);
    patch_targets(f);
    for (u32 pc = 0; pc < n; pc++) flow_of(f, pc, &fi[pc]);
    struct flow flow = {n, fi, f->vrows.n, f->vrows.at};
    i32 *reconv = ARENA_ARRAY(&scratch, i32, n + 1), *phys = ARENA_ARRAY(&scratch, i32, f->vrows.n + 1);
    u32 hidden = f->lo->module_regs.n;
    i32 *in = ARENA_ARRAY(&scratch, i32, f->pf->nparams + hidden + 1),
        *out = ARENA_ARRAY(&scratch, i32, f->pf->nrets + hidden + 1);
    u32 nin = reg_params(f, f->pf->params, f->pf->nparams, in), nout = reg_params(f, f->pf->rets, f->pf->nrets, out);
    if (f->lo->how->registers && n) {
        struct ptx_schedule how = *f->lo->how;
        if (f->lo->k->maxnreg) how.registers = MIN(how.registers, f->lo->k->maxnreg);
        struct flow_live live = flow_live_build(&flow, out, nout, &scratch);
        schedule_function(&how, &live, &flow, fi, f->code.at, &scratch);
    }
    cfg_reconvergence(&flow, reconv, &scratch);
    struct regalloc_result r = regalloc(&flow, in, nin, out, nout, phys, &scratch);
    u32 words = (u32)align_up(r.regs, REGION);
    f->region = f->lo->funcs.n > 1 ? REGION : words;
    for (u32 pc = 0; pc < n; pc++) {
        struct inst *x = &f->code.at[pc];
        bool branches = fi[pc].ntargets || ((fi[pc].target != NONE || fi[pc].leaves) && x->guard != NONE);
        if (branches) x->reconv = reconv[pc] == (i32)n && f->is_entry ? NONE : reconv[pc];
        if (x->flags & INST_CALL) x->reconv = (i32)pc + 1;
        if (x->flags & INST_LEAVE && x->flags & INST_FRAME) x->target = (i32)n;
        rewrite_inst(f, x, phys);
    }
    for (u32 pc = 0; pc < n; pc++)
        if (f->code.at[pc].reconv != NONE) f->code.at[f->code.at[pc].reconv].flags |= INST_RECONV;
    for (u32 pc = 0; pc < n; pc++) {
        exec_settle(&f->code.at[pc]);
        if (r.dead[pc] && fi[pc].nwrite == 1)
            f->code.at[pc].flags |= INST_DEAD; /* what time wants to know and operands do not say */
    }
    exec_settle(&f->code.at[n]);
    kf->regs = r.regs;
    kf->rows = words * f->lo->regions;
    kf->preds = r.preds;
    kf->nparams = f->pf->nparams + (f->is_entry ? 0 : hidden), kf->nrets = f->pf->nrets + (f->is_entry ? 0 : hidden);
    kf->params = f->is_entry ? NULL : slots_of(f, f->pf->params, f->pf->nparams, phys);
    kf->rets = slots_of(f, f->pf->rets, f->pf->nrets, phys);
    arena_free(&scratch);
}

static void emit_exit(struct fn *f) {
    static const struct ptx_inst end = {.key = {.op = OP_ret}, .guard = NONE, .text = "(end)"};
    f->pi = &end;
    struct inst *in = fn_emit(f, f->is_entry ? exec_exit : exec_fnexit);
    in->flags |= INST_PSEUDO;
}

/* Whether the end of the function's body can be reached without a return: its last instruction lets lanes go
 * on, or a label stands behind it */
static bool runs_to_end(const struct fn *f) {
    const struct ptx_func *pf = f->pf;
    for (u32 i = 0; i < pf->nlabels; i++)
        if (pf->labels[i].at == (i32)pf->ninsts) return true;
    if (!pf->ninsts || pf->insts[pf->ninsts - 1].guard != NONE) return true;
    const u16 op = pf->insts[pf->ninsts - 1].key.op;
    return op != OP_ret && op != OP_exit && op != OP_bra && op != OP_brx && op != OP_trap;
}

/* The return that PTX has at the end of a body: an instruction like one that is written, which waits for what
 * is under way (emit_exit's meeting point, where all returns come together, takes no time and waits for
 * nothing) */
static void emit_return(struct fn *f) {
    struct ptx_inst *last = ARENA_NEW(f->lo->arena, struct ptx_inst);
    *last = (struct ptx_inst){.key = {.op = OP_ret}, .guard = NONE, .text = "(ret)", .table = NONE};
    if (f->pf->ninsts) {
        const struct ptx_inst *before = &f->pf->insts[f->pf->ninsts - 1];
        last->loc = before->loc, last->src_line = before->src_line, last->src_file = before->src_file;
    }
    f->pi = last;
    fn_emit(f, exec_ret);
}

/* One virtual register for each register of the module, also where the function only passes it on */
static void find_module_vregs(struct fn *f) {
    const struct lower *lo = f->lo;
    if (!lo->module_regs.n) return;
    i32 *place = base_alloc(sizeof(i32) * lo->m->nregs);
    f->module_vreg = base_alloc(sizeof(i32) * lo->module_regs.n);
    for (u32 i = 0; i < lo->module_regs.n; i++) {
        f->module_vreg[i] = NONE;
        place[lo->module_regs.at[i]] = (i32)i;
    }
    for (u32 r = 0; r < f->pf->nregs; r++)
        if (f->pf->regs[r].module_reg != NONE) f->module_vreg[place[f->pf->regs[r].module_reg]] = (i32)r;
    for (u32 i = 0; i < lo->module_regs.n; i++)
        if (f->module_vreg[i] == NONE)
            f->module_vreg[i] = fn_new_vreg(f, type_rows((enum type)lo->m->reg_types[lo->module_regs.at[i]]));
    free(place);
}

/* A function's instructions, with virtual registers; false after an error */
static bool emit_function(struct fn *f) {
    bool ok = true;
    f->pc_of = base_alloc(sizeof(i32) * (f->pf->ninsts + 1u));
    f->cc = NONE;
    for (u32 i = 0; i < f->pf->nregs; i++) VEC_PUSH(&f->vrows, (u8)type_rows((enum type)f->pf->regs[i].type));
    find_module_vregs(f);
    for (u32 i = 0; i < f->pf->ninsts && !diag_full(f->lo->dg); i++) {
        f->pc_of[i] = (i32)f->code.n;
        ok = lower_inst(f, &f->pf->insts[i]) && ok;
    }
    f->pc_of[f->pf->ninsts] = (i32)f->code.n;
    if (!ok) return false;
    if (!f->is_entry && runs_to_end(f)) emit_return(f);
    emit_exit(f);
    return true;
}

static void fn_free(struct fn *f) {
    free(f->pc_of);
    free(f->module_vreg);
    free(f->vrows.at);
}

/* --- joining */

static void append_code(struct lower *lo, struct fn *f, struct kernel_func *kf) {
    i32 base = (i32)lo->k->ninst;
    for (u32 i = 0; i < f->code.n; i++) {
        struct inst *in = &f->code.at[i];
        if (in->target != NONE) in->target += base;
        if (in->reconv != NONE) in->reconv += base;
        if (in->flags & INST_TABLE) {
            const struct branch_table *t = in->info;
            for (u32 j = 0; j < t->n; j++) ((i32 *)t->targets)[j] += base;
        }
        lo->k->code[base + (i32)i] = *in;
    }
    kf->entry_pc = base;
    kf->exit_pc = base + (i32)f->code.n - 1;
    lo->k->ninst += f->code.n;
}

struct depth { /* deepest path through the call graph from one function on */
    u32 regs, rows, preds, local_b;
    enum { DEPTH_UNKNOWN, DEPTH_ON_PATH, DEPTH_KNOWN } state;
};

static struct depth deepest(struct lower *lo, u32 func, struct depth *all) {
    struct kernel *k = lo->k;
    struct kernel_func *kf = &k->funcs[func];
    struct depth best = {0};
    if (all[func].state == DEPTH_KNOWN) return all[func];
    if (all[func].state == DEPTH_ON_PATH) {
        k->recursive = true;
        return best;
    }
    all[func].state = DEPTH_ON_PATH;
    for (i32 pc = kf->entry_pc; pc < kf->exit_pc; pc++) {
        if (!(k->code[pc].flags & INST_CALL)) continue;
        const struct call_info *c = k->code[pc].info;
        for (u32 x = c->func == NONE ? 1 : (u32)c->func; x < k->nfuncs; x++) {
            if (c->func == NONE && c->builtin != NONE) break;
            struct depth d = deepest(lo, x, all);
            best.regs = MAX(best.regs, d.regs), best.rows = MAX(best.rows, d.rows), best.preds = MAX(best.preds, d.preds),
            best.local_b = MAX(best.local_b, d.local_b);
            if (c->func != NONE) break;
        }
    }
    best.regs += kf->regs, best.rows += kf->rows, best.preds += kf->preds, best.local_b += kf->local_b;
    best.state = DEPTH_KNOWN;
    return all[func] = best;
}

/* Our own stack bounds how deep a call graph can be followed; beyond this many functions the sum over all is
 * taken as the bound. */
enum { DEEPEST_MAX_FUNCS = 4096 };

static void measure(struct lower *lo) {
    struct kernel *k = lo->k;
    struct depth d = {0};
    if (k->nfuncs <= DEEPEST_MAX_FUNCS) {
        struct depth *all = base_alloc(sizeof(*all) * k->nfuncs);
        d = deepest(lo, 0, all);
        free(all);
    } else
        for (u32 i = 0; i < k->nfuncs; i++)
            d.regs += k->funcs[i].regs, d.rows += k->funcs[i].rows, d.preds += k->funcs[i].preds,
                d.local_b += k->funcs[i].local_b;
    k->regs_per_thread = d.regs;
    k->rows_per_warp = d.rows;
    k->preds_per_thread = d.preds;
    k->local_b = d.local_b;
    k->const_b = (u32)lo->m->const_b;
}

enum { MAX_FUNCS = UINT16_MAX }; /* a frame names its function in 16 bits */

static bool lower_all(struct lower *lo, struct fn *fns) {
    struct kernel *k = lo->k;
    bool ok = true;
    u32 total = 0;
    k->nfuncs = lo->funcs.n;
    if (k->nfuncs > MAX_FUNCS) {
        diag_error(lo->dg, lo->m->file, lo->entry->loc.line, lo->entry->loc.col,
                   "kernel '%s' can reach %u functions; the limit is %d", k->name, k->nfuncs, MAX_FUNCS);
        return false;
    }
    k->funcs = ARENA_ARRAY(lo->arena, struct kernel_func, k->nfuncs);
    for (u32 i = 0; i < k->nfuncs; i++) layout_frame(lo, lo->funcs.at[i], &k->funcs[i]);
    for (u32 i = 0; i < k->nfuncs; i++) {
        struct ptx_func *p = lo->funcs.at[i];
        k->funcs[i].name = p->name;
        k->funcs[i].address = p->address;
        fns[i].lo = lo;
        fns[i].pf = p;
        fns[i].is_entry = i == 0;
        ok = emit_function(&fns[i]) && ok;
        if (fns[i].vrows.n && memchr(fns[i].vrows.at, 4, fns[i].vrows.n)) lo->regions = 3;
        total += fns[i].code.n;
    }
    for (u32 i = 0; i < k->nfuncs; i++) {
        if (ok) finish_function(&fns[i], &k->funcs[i]);
        fn_free(&fns[i]);
    }
    if (!ok) return false;
    u8 *code = arena_alloc(lo->arena, sizeof(struct inst) * total + 64);
    k->code = (struct inst *)(((uintptr_t)code + 63) & ~(uintptr_t)63); /* hot halves on cache lines of their own */
    for (u32 i = 0; i < k->nfuncs; i++) append_code(lo, &fns[i], &k->funcs[i]);
    return true;
}

static void keep_pool(struct lower *lo) {
    /* 64-byte alignment inside the arena, and a spare row so that an absent operand's row 0 can be read */
    u8 *p = arena_alloc(lo->arena, lo->pool.n + 64 + 4 * ROW_B);
    p = (u8 *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
    if (lo->pool.n) memcpy(p, lo->pool.at, lo->pool.n);
    lo->k->pool = p;
    lo->k->pool_b = lo->pool.n;
}

struct kernel *ptx_lower(struct ptx_module *m, struct ptx_func *entry, const struct ptx_schedule *how, struct arena *arena,
                         struct diag *dg) {
    struct kernel *k = ARENA_NEW(arena, struct kernel);
    struct lower lo = {.m = m, .entry = entry, .k = k, .how = how, .arena = arena, .dg = dg, .regions = 2};
    k->name = entry->name;
    k->file = m->file;
    memcpy(k->reqntid, entry->reqntid, sizeof(k->reqntid));
    if (entry->maxntid[0]) k->max_threads = entry->maxntid[0] * MAX(entry->maxntid[1], 1u) * MAX(entry->maxntid[2], 1u);
    k->minctapersm = entry->minnctapersm;
    k->maxnreg = entry->maxnreg;
    if (entry->cluster[0] * entry->cluster[1] * entry->cluster[2] > 1)
        strbuf_add(&lo.refuse, "%s:%u:%u: .reqnctapercluster: thread block clusters are not modelled", m->file, entry->loc.line,
                   entry->loc.col);
    layout_kernel_params(&lo);
    collect(&lo);
    struct fn *fns = base_alloc(sizeof(*fns) * lo.funcs.n);
    bool ok = lower_all(&lo, fns);
    if (ok) {
        keep_pool(&lo);
        measure(&lo);
        if (lo.refuse.len) k->refuse = arena_strdup(arena, lo.refuse.s, lo.refuse.len);
    }
    for (u32 i = 0; i < lo.funcs.n; i++) free(fns[i].code.at);
    free(fns);
    free(lo.funcs.at);
    free(lo.module_regs.at);
    free(lo.pool.at);
    free(lo.consts.at);
    free(lo.pool_slots);
    free(lo.dynamic.at);
    strbuf_free(&lo.refuse);
    return ok ? k : NULL;
}
