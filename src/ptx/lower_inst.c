/* One instruction: checks its operands against its row of op.def and chooses the exec function. Element-wise
 * opcodes share one path (lower_generic, driven by the signature); opcodes whose operands the signature
 * language cannot say have a function each. */
#include "ptx/lower.h"

/* Divisions and roots that hardware makes of many steps; approximate ones are one step of the special
 * function unit */
static bool is_long(const struct opkey *k, enum type t) {
    if (k->op == OP_rem) return true;
    if (k->op != OP_div && k->op != OP_sqrt && k->op != OP_rcp) return false;
    return type_table[t].family != FAMILY_F || !(key_has(k, MOD_approx) || key_has(k, MOD_full));
}

static bool is_product(const struct opkey *k) {
    return k->op == OP_mul || k->op == OP_mad || k->op == OP_madc || k->op == OP_mul24 || k->op == OP_mad24 ||
           k->op == OP_clmad || k->op == OP_dp4a || k->op == OP_dp2a;
}

static bool is_integer(enum type t) {
    u8 f = type_table[t].family;
    return f == FAMILY_B || f == FAMILY_U || f == FAMILY_S;
}

static enum iclass refine_class(const struct opkey *k) {
    enum iclass c = (enum iclass)op_table[k->op].iclass;
    enum type t = k->ntypes ? (enum type)k->type[0] : TYPE_NONE;
    if (c == ICLASS_SFU && is_long(k, t)) return t == TYPE_f64 ? ICLASS_DDIV : ICLASS_FDIV;
    if (c == ICLASS_PRED && t == TYPE_f64) return ICLASS_FP64;
    if (k->op == OP_cvt && is_integer(t) && is_integer((enum type)k->type[1])) return ICLASS_MOVE; /* cutting or extending bits */
    if (c != ICLASS_ARITH) return c;
    switch (t) {
    case TYPE_f32: return is_long(k, t) ? ICLASS_FDIV : k->op == OP_div ? ICLASS_SFU : ICLASS_FP32;
    case TYPE_f64: return is_long(k, t) ? ICLASS_DDIV : ICLASS_FP64;
    case TYPE_f16:
    case TYPE_f16x2:
    case TYPE_bf16:
    case TYPE_bf16x2: return ICLASS_HALF;
    default: return is_long(k, t) ? ICLASS_IDIV : is_product(k) ? ICLASS_IMUL : ICLASS_INT;
    }
}

struct inst *fn_emit(struct fn *f, exec_fn *exec) {
    const struct ptx_inst *pi = f->pi;
    struct inst_src *src = ARENA_NEW(f->lo->arena, struct inst_src);
    *src = (struct inst_src){pi->loc.line, pi->loc.col, pi->src_line, pi->src_file, pi->text};
    struct inst in = {
        .d = opnd_none(),
        .s = {opnd_none(), opnd_none(), opnd_none()},
        .q = opnd_none(),
        .guard = pi->guard,
        .guard_negate = pi->guard_negate,
        .iclass = (u8)refine_class(&pi->key),
        .op = pi->key.op,
        .target = NONE,
        .reconv = NONE,
        .key = &pi->key,
        .src = src,
    };
    exec_choose(&in, exec);
    VEC_PUSH(&f->code, in);
    return &f->code.at[f->code.n - 1];
}

bool lower_want_operands(struct fn *f, u32 least, u32 most) {
    u32 n = f->pi->nopnds;
    if (n >= least && n <= most) return true;
    if (least == most) return lower_error(f, NULL, "takes %u operand%s, found %u", least, least == 1 ? "" : "s", n);
    return lower_error(f, NULL, "takes %u to %u operands, found %u", least, most, n);
}

bool lower_nop(struct fn *f) {
    fn_emit(f, exec_nop);
    return true;
}

bool lower_unmodelled(struct fn *f, const char *why) {
    lower_refuse(f->lo, f->pi, why);
    return lower_nop(f);
}

static bool (*special(enum op op))(struct fn *) {
    switch (op) {
    case OP_mov: return lower_mov;
    case OP_cvt: return lower_cvt;
    case OP_cvta: return lower_cvta;
    case OP_isspacep: return lower_isspacep;
    case OP_lop3: return lower_lop3;
    case OP_dp4a:
    case OP_dp2a: return lower_words;
    case OP_ld:
    case OP_ldu: return lower_ld;
    case OP_st: return lower_st;
    case OP_atom:
    case OP_red: return lower_atom;
    case OP_mbarrier: return lower_mbarrier;
    case OP_createpolicy: return lower_createpolicy;
    case OP_mapa: return lower_mapa;
    case OP_getctarank: return lower_getctarank;
    case OP_alloca: return lower_alloca;
    case OP_stacksave:
    case OP_stackrestore: return lower_stack;
    case OP_cp: return lower_cp;
    case OP_membar:
    case OP_fence: return lower_fence;
    case OP_bra: return lower_bra;
    case OP_brx: return lower_brx;
    case OP_call: return lower_call;
    case OP_ret:
    case OP_exit: return lower_ret;
    case OP_trap: return lower_trap;
    case OP_bar:
    case OP_barrier: return lower_bar;
    case OP_shfl: return lower_shfl;
    case OP_vote: return lower_vote;
    case OP_match: return lower_match;
    case OP_redux: return lower_redux;
    case OP_activemask: return lower_activemask;
    case OP_elect: return lower_elect;
    case OP_mma: return lower_mma;
    case OP_ldmatrix:
    case OP_stmatrix: return lower_ldstmatrix;
    case OP_movmatrix: return lower_movmatrix;
    case OP_wmma: return lower_wmma;
    case OP_tex: return lower_tex;
    case OP_tld4: return lower_tld4;
    case OP_txq:
    case OP_suq: return lower_txq;
    case OP_suld: return lower_suld;
    case OP_sust: return lower_sust;
    case OP_sured: return lower_sured;
    case OP_istypep: return lower_istypep;
    default: break;
    }
    switch (op_table[op].iclass) {
    case ICLASS_VIDEO: return lower_words;
    case ICLASS_NOP:
    case ICLASS_MEMHINT: return lower_nop;
    default: return lower_generic;
    }
}

static const struct {
    u16 op;
    u16 mod; /* MOD_COUNT: any */
    const char *why;
} unmodelled_table[] = {
    {OP_cvt, MOD_rs, "stochastic rounding is not modelled"},
    {OP_st, MOD_async, "asynchronous stores are not modelled"},
    {OP_st, MOD_bulk, "bulk stores are not modelled"},
};

/* Types of machines later than the one modelled stand last in type.def; sums of two precisions also came
 * later */
static bool has_later_type(const struct opkey *k) {
    for (u32 i = 0; i < k->ntypes; i++)
        if (k->type[i] >= TYPE_e2m1x2) return true;
    return k->ntypes == 2 && (k->op == OP_add || k->op == OP_sub || k->op == OP_fma);
}

/* Why the kernel cannot be launched because of this instruction, or NULL */
static const char *why_unmodelled(const struct ptx_inst *pi) {
    for (size_t i = 0; i < ARRAY_LEN(unmodelled_table); i++) {
        bool any = unmodelled_table[i].mod == MOD_COUNT;
        if (unmodelled_table[i].op == pi->key.op && (any || key_has(&pi->key, (enum mod)unmodelled_table[i].mod)))
            return unmodelled_table[i].why;
    }
    if (!pi->unmodelled && !has_later_type(&pi->key)) return NULL;
    return "this instruction is not modelled";
}

bool lower_inst(struct fn *f, const struct ptx_inst *pi) {
    f->pi = pi;
    if (pi->guard != NONE && f->pf->regs[pi->guard].type != TYPE_pred) {
        const struct ptx_reg *r = &f->pf->regs[pi->guard];
        return lower_error(f, NULL, "guard '%s' has type .%s; expected a predicate", r->name, type_table[r->type].name);
    }
    const char *why = why_unmodelled(pi);
    if (why) return lower_unmodelled(f, why);
    return lower_require(f) && special((enum op)pi->key.op)(f);
}
