/* Instructions that set the pc or wait: branches, calls, returns, barriers of a block. */
#include "ptx/lower.h"

#include <string.h>

bool lower_bra(struct fn *f) {
    if (!lower_want_operands(f, 1, 1)) return false;
    const struct ptx_opnd *o = &f->pi->opnds[0];
    if (o->kind != PTX_LABEL) return lower_error(f, o, "expected a label");
    fn_emit(f, exec_bra)->target = f->pf->labels[o->label].at;
    return true;
}

bool lower_brx(struct fn *f) {
    if (!lower_want_operands(f, 1, 1)) return false;
    if (f->pi->table == NONE || f->pf->tables[f->pi->table].kind != TABLE_BRANCHTARGETS)
        return lower_error(f, NULL, "expected the label of a .branchtargets list");
    const struct ptx_table *t = &f->pf->tables[f->pi->table];
    struct opnd idx;
    if (!lower_src(f, &f->pi->opnds[0], TYPE_u32, false, &idx)) return false;
    struct inst *in = fn_emit(f, exec_brx);
    in->s[0] = idx;
    i32 *targets = ARENA_ARRAY(f->lo->arena, i32, t->n);
    for (u32 i = 0; i < t->n; i++) targets[i] = f->pf->labels[t->labels[i]].at;
    struct branch_table *b = ARENA_NEW(f->lo->arena, struct branch_table);
    *b = (struct branch_table){t->n, targets};
    in->info = b;
    return true;
}

bool lower_ret(struct fn *f) {
    fn_emit(f, f->pi->key.op == OP_exit || f->is_entry ? exec_exit : exec_ret);
    return true;
}

bool lower_trap(struct fn *f) {
    fn_emit(f, exec_trap);
    return true;
}

/* One argument or result of a call: a .param variable of this frame, a register, or a constant */
static bool call_slot(struct fn *f, const struct ptx_opnd *o, const struct ptx_var *formal, bool is_result,
                      struct func_slot *slot) {
    if (o->kind == PTX_VAR) {
        if (o->var->space != SPACE_PARAM || var_is_kernel_param(f, o->var))
            return lower_error(f, o, "'%s' cannot be passed: expected a .param variable of this function or a register",
                               o->var->name);
        *slot = (struct func_slot){.off_b = (u32)o->var->address, .size_b = (u32)o->var->size_b};
    } else {
        slot->in_reg = true;
        if (is_result ? !lower_dst(f, o, (enum type)formal->type, false, &slot->reg)
                      : !lower_src(f, o, (enum type)formal->type, false, &slot->reg))
            return false;
        slot->size_b = (u32)formal->size_b;
        return true;
    }
    if (slot->size_b != formal->size_b)
        return lower_error(f, o, "'%s' has %u bytes; the called function's parameter '%s' has %llu", o->var->name, slot->size_b,
                           formal->name, (unsigned long long)formal->size_b);
    return true;
}

/* A vector register is passed component by component */
static u32 call_actuals(const struct ptx_opnd *o) { return o->kind == PTX_VEC ? o->n : 1; }

static bool call_slots(struct fn *f, const struct ptx_opnd *list, const struct ptx_var *formals, u32 nformals, const char *what,
                       bool is_result, struct func_slot *slots) {
    u32 n = 0, k = 0;
    for (u32 i = 0; list && i < list->n; i++) n += call_actuals(&list->elem[i]);
    if (n != nformals)
        return lower_error(f, list, "passes %u %s%s; the called function has %u", n, what, n == 1 ? "" : "s", nformals);
    for (u32 i = 0; list && i < list->n; i++) {
        const struct ptx_opnd *o = &list->elem[i], *actual = o->kind == PTX_VEC ? o->elem : o;
        for (u32 j = 0; j < call_actuals(o); j++, k++)
            if (!call_slot(f, &actual[j], &formals[k], is_result, &slots[k])) return false;
    }
    return true;
}

/* Registers among the slots also become operands, so that liveness and allocation see them; they are copied
 * back afterwards. */
static void call_operands(struct fn *f, struct inst *in, struct call_info *c) {
    u32 n = c->nrets + c->nargs;
    struct opnd *x = ARENA_ARRAY(f->lo->arena, struct opnd, n ? n : 1);
    for (u32 i = 0; i < c->nrets; i++) x[i] = c->rets[i].in_reg ? c->rets[i].reg : opnd_none();
    for (u32 i = 0; i < c->nargs; i++) x[c->nrets + i] = c->args[i].in_reg ? c->args[i].reg : opnd_none();
    in->extra = x;
    in->extra_n = (u16)n;
    in->extra_d = (u16)c->nrets;
}

static const struct ptx_func *call_prototype(struct fn *f, const struct ptx_opnd *target) {
    if (target->kind == PTX_FUNC) return target->func;
    if (f->pi->table == NONE) return NULL;
    const struct ptx_table *t = &f->pf->tables[f->pi->table];
    if (t->kind == TABLE_CALLPROTOTYPE) return t->proto;
    return t->kind == TABLE_CALLTARGETS && t->n ? t->funcs[0] : NULL;
}

/* Registers of the module travel with every call: in as further arguments, out as further results */
static void call_module_regs(struct fn *f, struct call_info *c, struct func_slot *args, struct func_slot *rets) {
    for (u32 i = 0; i < f->lo->module_regs.n; i++) {
        struct func_slot slot = fn_module_slot(f, i);
        args[c->nargs++] = slot;
        rets[c->nrets++] = slot;
    }
}

/* Why a call of a function without a body cannot be made */
static const char *why_missing(struct fn *f, const char *name) {
    static const char *const launches[] = {"cudaLaunchDevice", "cudaGetParameterBuffer", "cudaCDP", "__cudaCDP"};
    bool launch = false;
    for (size_t i = 0; i < ARRAY_LEN(launches); i++) launch |= strncmp(name, launches[i], strlen(launches[i])) == 0;
    if (launch) return "launches from the device are not modelled";
    if (strncmp(name, "_optix_", 7) == 0 || strncmp(name, "_rt_", 4) == 0)
        return arena_printf(f->lo->arena, "'%s' is a part of OptiX, which is not modelled", name);
    return arena_printf(f->lo->arena,
                        "function '%s' is declared but not defined, and is none of vprintf, printf, __assertfail, malloc, free",
                        name);
}

/* The body of a call whose parts have been found */
static bool emit_call(struct fn *f, const struct ptx_opnd *target, const struct ptx_func *proto, struct call_info *c) {
    struct opnd address = opnd_none();
    if (target->kind == PTX_FUNC) {
        c->func = proto->has_body ? (i32)proto->index : NONE;
        c->builtin = proto->has_body ? NONE : builtin_find(proto->name);
    } else if (!lower_src(f, target, TYPE_b64, false, &address)) return false;
    if (c->builtin == NONE) call_module_regs(f, c, (struct func_slot *)c->args, (struct func_slot *)c->rets);
    if (c->nargs + c->nrets > UINT16_MAX)
        return lower_error(f, NULL, "passes too much; the limit is %d arguments and results", UINT16_MAX);
    struct inst *in = fn_emit(f, exec_call);
    in->s[0] = address;
    in->info = c;
    call_operands(f, in, c);
    return true;
}

bool lower_call(struct fn *f) {
    const struct ptx_opnd *o = f->pi->opnds, *end = o + f->pi->nopnds;
    const struct ptx_opnd *rets = NULL, *args = NULL;
    if (o < end && o->kind == PTX_LIST) rets = o++;
    if (o == end) return lower_error(f, NULL, "misses the function to call");
    const struct ptx_opnd *target = o++;
    if (o < end && o->kind == PTX_LIST) args = o++;
    if (target->kind == PTX_FUNC && !target->func) return lower_unmodelled(f, why_missing(f, target->name));
    const struct ptx_func *proto = call_prototype(f, target);
    if (!proto) return lower_error(f, target, "an indirect call needs a .callprototype or .calltargets label");
    if (proto->is_entry) return lower_error(f, target, "'%s' is a kernel; only a .func can be called", proto->name);
    u32 hidden = f->lo->module_regs.n;
    struct call_info *c = ARENA_NEW(f->lo->arena, struct call_info);
    struct func_slot *sr = ARENA_ARRAY(f->lo->arena, struct func_slot, proto->nrets + hidden + 1),
                     *sa = ARENA_ARRAY(f->lo->arena, struct func_slot, proto->nparams + hidden + 1);
    if (!call_slots(f, rets, proto->rets, proto->nrets, "result", true, sr)) return false;
    if (!call_slots(f, args, proto->params, proto->nparams, "argument", false, sa)) return false;
    if (target->kind == PTX_FUNC && !proto->has_body && builtin_find(proto->name) == NONE)
        return lower_unmodelled(f, why_missing(f, proto->name));
    *c =
        (struct call_info){.func = NONE, .builtin = NONE, .nargs = proto->nparams, .nrets = proto->nrets, .args = sa, .rets = sr};
    return emit_call(f, target, proto, c);
}

static bool lower_warpsync(struct fn *f) {
    struct opnd mask;
    if (!lower_want_operands(f, 1, 1) || !lower_src(f, &f->pi->opnds[0], TYPE_b32, false, &mask)) return false;
    fn_emit_collective(f, exec_warpsync)->q = mask;
    return true;
}

bool lower_bar(struct fn *f) {
    if (fn_has(f, MOD_warp)) return lower_warpsync(f);
    if (fn_has(f, MOD_cluster)) { return lower_unmodelled(f, "thread block clusters are not modelled"); }
    bool red = fn_has(f, MOD_red);
    u32 kind = fn_has(f, MOD_arrive) ? BAR_ARRIVE
               : !red                ? BAR_SYNC
               : fn_has(f, MOD_popc) ? BAR_POPC
               : fn_has(f, MOD_and)  ? BAR_AND
                                     : BAR_OR;
    const struct ptx_opnd *o = f->pi->opnds;
    u32 n = f->pi->nopnds, at = 0;
    if (!lower_want_operands(f, red ? 3 : kind == BAR_ARRIVE ? 2 : 1, red ? 4 : 2)) return false;
    struct opnd d = opnd_none(), id, count = opnd_none(), p = opnd_none();
    if (red && (kind == BAR_POPC ? !lower_dst(f, &o[0], TYPE_u32, false, &d) : !lower_pred_dst(f, &o[0], &d))) return false;
    at += red;
    if (!lower_src(f, &o[at++], TYPE_u32, false, &id)) return false;
    if (at + red < n && !lower_src(f, &o[at++], TYPE_u32, false, &count)) return false;
    if (red && !lower_pred_src(f, &o[at], &p)) return false;
    struct inst *in = fn_emit(f, exec_bar);
    in->d = d;
    in->s[0] = id, in->s[1] = count, in->s[2] = p;
    in->aux = kind;
    return true;
}
