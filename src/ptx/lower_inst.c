/* One instruction: checks its operands against its row of op.def and chooses the exec function. Element-wise opcodes share one path
 * (lower_generic, driven by the signature); opcodes whose operands the signature language cannot say have a function each. */
#include "ptx/lower.h"

#include "func/mma.h"

#include <string.h>

static enum iclass refine_class(const struct opkey *k) {
    enum iclass c = (enum iclass)op_table[k->op].iclass;
    if (c != ICLASS_ARITH) return c;
    switch (k->ntypes ? k->type[0] : TYPE_NONE) {
    case TYPE_f32: return ICLASS_FP32;
    case TYPE_f64: return ICLASS_FP64;
    case TYPE_f16:
    case TYPE_f16x2:
    case TYPE_bf16:
    case TYPE_bf16x2: return ICLASS_HALF;
    default: return ICLASS_INT;
    }
}

struct inst *fn_emit(struct fn *f, exec_fn *exec) {
    const struct ptx_inst *pi = f->pi;
    struct inst_src *src = ARENA_NEW(f->lo->arena, struct inst_src);
    *src = (struct inst_src){pi->loc.line, pi->loc.col, pi->src_line, pi->src_file, pi->text};
    struct inst in = {
        .exec = exec,
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
    VEC_PUSH(&f->code, in);
    return &f->code.at[f->code.n - 1];
}

bool lower_want_operands(struct fn *f, u32 least, u32 most) {
    u32 n = f->pi->nopnds;
    if (n >= least && n <= most) return true;
    if (least == most) return lower_error(f, NULL, "takes %u operand%s, found %u", least, least == 1 ? "" : "s", n);
    return lower_error(f, NULL, "takes %u to %u operands, found %u", least, most, n);
}

/* --- element-wise instructions */

static enum type double_width(enum type t) {
    switch (t) {
    case TYPE_u16: return TYPE_u32;
    case TYPE_s16: return TYPE_s32;
    case TYPE_u32: return TYPE_u64;
    case TYPE_s32: return TYPE_s64;
    default: return t;
    }
}

struct generic { /* a signature being matched */
    struct opnd d, q, s[4];
    u32 nsrc;
    bool pred_dst, pred_src;
};

static bool generic_pred_pair(struct fn *f, const struct ptx_opnd *o, struct generic *g) {
    g->pred_dst = true;
    if (o->kind != PTX_PAIR) return lower_pred_dst(f, o, &g->d);
    return lower_pred_dst(f, &o->elem[0], &g->d) && lower_pred_dst(f, &o->elem[1], &g->q);
}

static bool generic_operand(struct fn *f, const char *tok, const struct ptx_opnd *o, struct generic *g) {
    enum type t0 = fn_type(f, 0);
    bool dst = tok[0] == 'd';
    enum type need;
    switch (tok[1]) {
    case 'p':
        if (dst) return generic_pred_pair(f, o, g);
        g->pred_src = true;
        return lower_pred_src(f, o, &g->s[2]); /* lanes.h: the predicate source is always c */
    case 'w': need = fn_has(f, MOD_wide) ? double_width(t0) : t0; break;
    case 'u': need = TYPE_u32; break;
    case 'b': need = TYPE_b32; break;
    default: need = fn_type(f, (u32)(tok[1] - '0')); break;
    }
    if (need == TYPE_NONE) return lower_error(f, NULL, "misses a type; legal types are: %s", op_table[f->pi->key.op].types);
    if (need == TYPE_pred) {
        g->pred_dst = true;
        return dst ? lower_pred_dst(f, o, &g->d) : lower_pred_src(f, o, &g->s[g->nsrc++]);
    }
    if (tok[1] == 'u' || tok[1] == 'b') {
        /* shift counts and the like: any 32-bit register, and a literal of any sign */
        if (!dst && o->kind == PTX_REG) need = TYPE_b32;
    }
    return dst ? lower_dst(f, o, need, false, &g->d) : lower_src(f, o, need, false, &g->s[g->nsrc++]);
}

static bool match_signature(struct fn *f, struct generic *g) {
    const char *p = op_table[f->pi->key.op].sig;
    u32 at = 0, least = 0, most = 0;
    for (const char *c = p; *c;) {
        const char *end = strchrnul(c, ' ');
        most++;
        if (end[-1] != '?') least++;
        c = *end ? end + 1 : end;
    }
    if (!lower_want_operands(f, least, most)) return false;
    for (; *p && at < f->pi->nopnds; at++) {
        const char *end = strchrnul(p, ' ');
        if (!generic_operand(f, p, &f->pi->opnds[at], g)) return false;
        p = *end ? end + 1 : end;
    }
    return true;
}

/* SIMD video: a destination's selector is a mask, a source's a list of parts, digit by digit (lanes.h) */
static u16 lane_selector(const struct ptx_inst *pi, u32 i) {
    const struct ptx_opnd *o = &pi->opnds[i];
    if (!o->sel || i == 0 || !op_is_simd_video((enum op)pi->key.op)) return o->sel;
    u32 parts = 0;
    for (u32 digit = 0; digit < 4; digit++) parts |= (u32)(o->imm >> 4 * digit & 7) << 3 * digit;
    return (u16)(SEL_PARTS_FIRST + parts);
}

static bool pick_lane(struct fn *f, struct inst *in, u32 nsrc, u32 imm) {
    const struct ptx_inst *pi = f->pi;
    struct lane_query q = {.key = &pi->key, .reg_bits = 32, .src_bits = 32, .imm = imm, .nsrc = (u8)nsrc};
    if (pi->nopnds && pi->opnds[0].kind == PTX_REG) q.reg_bits = fn_reg_bits(f, &pi->opnds[0]);
    if (pi->nopnds > 1) q.src_bits = fn_reg_bits(f, &pi->opnds[1]);
    for (u32 i = 0; i < 4 && i < pi->nopnds; i++) {
        q.sel[i] = lane_selector(pi, i);
        q.negate[i] = pi->opnds[i].negate;
    }
    struct lane_pick p = lanes_pick(&q);
    if (!p.fn) return lower_error(f, NULL, "this combination of types and modifiers is not an instruction");
    in->lane = p.fn;
    in->aux = p.aux;
    return true;
}

static bool uses_carry_in(enum op op) { return op == OP_addc || op == OP_subc || op == OP_madc; }

static exec_fn *exec_for(struct fn *f, const struct generic *g) {
    if (fn_has(f, MOD_cc) || uses_carry_in((enum op)f->pi->key.op)) return exec_carry;
    if (g->nsrc == 4) return exec_fourth;
    if (g->pred_dst && fn_type(f, 0) == TYPE_pred) return exec_predlogic;
    if (g->pred_dst) return exec_setp;
    if (g->pred_src) return exec_selp;
    return g->d.rows == 2 ? exec_rows2 : exec_rows1;
}

static i32 carry_vreg(struct fn *f) {
    if (f->cc == NONE) f->cc = fn_new_vreg(f, 0);
    return f->cc;
}

/* Constants out of range, where the driver's compiler does not do what PTX says: it takes the count of a 16-bit shift modulo 2^16 before
 * it is clamped, and a signed 32-bit field that begins past the register's end is all ones, not the sign (one without length is 0). As
 * soon as a count or length is in a register, PTX is right. */
static void constants_as_driver(struct fn *f, struct generic *g) {
    const struct ptx_opnd *o = f->pi->opnds;
    enum op op = (enum op)f->pi->key.op;
    bool shift = (op == OP_shl || op == OP_shr) && type_table[fn_type(f, 0)].bits == 16;
    bool field = op == OP_bfe && fn_type(f, 0) == TYPE_s32;
    if (shift && o[2].kind == PTX_IMM) g->s[1] = opnd_const(f, o[2].imm & 0xFFFF, 1);
    if (field && o[2].kind == PTX_IMM && o[3].kind == PTX_IMM && (o[2].imm & 0xFF) >= 32) g->s[0] = opnd_const(f, 0xFFFFFFFFu, 1);
}

static bool lower_generic(struct fn *f) {
    struct generic g = {.d = opnd_none(), .q = opnd_none(), .s = {opnd_none(), opnd_none(), opnd_none(), opnd_none()}};
    if (!match_signature(f, &g)) return false;
    constants_as_driver(f, &g);
    struct inst *in = fn_emit(f, exec_for(f, &g));
    in->d = g.d;
    in->q = g.q;
    memcpy(in->s, g.s, sizeof(in->s));
    if (g.nsrc == 4) in->q = g.s[3];
    if (in->exec == exec_carry) {
        in->q = opnd_reg(f, carry_vreg(f));
        in->imm = fn_has(f, MOD_cc);
    }
    return pick_lane(f, in, g.nsrc + g.pred_src, 0);
}

/* d, a, b[, c] all 32-bit: video and dot products, whose types say how to read them */
static bool lower_words(struct fn *f) {
    if (!lower_want_operands(f, 3, 4)) return false;
    struct opnd d, s[3] = {opnd_none(), opnd_none(), opnd_none()};
    const struct ptx_opnd *o = f->pi->opnds;
    if (!lower_dst(f, &o[0], TYPE_b32, false, &d)) return false;
    for (u32 i = 1; i < f->pi->nopnds; i++)
        if (!lower_src(f, &o[i], TYPE_b32, false, &s[i - 1])) return false;
    struct inst *in = fn_emit(f, exec_rows1);
    in->d = d;
    memcpy(in->s, s, sizeof(s));
    return pick_lane(f, in, f->pi->nopnds - 1u, 0);
}

static bool lower_cvt(struct fn *f) {
    if (!lower_want_operands(f, 2, 4)) return false;
    u32 n = f->pi->nopnds;
    enum type td = fn_type(f, 0), ts = fn_type(f, 1);
    if (ts == TYPE_NONE) return lower_error(f, NULL, "needs a destination and a source type");
    bool pack = fn_has(f, MOD_pack);
    struct opnd d, s[3] = {opnd_none(), opnd_none(), opnd_none()};
    const struct ptx_opnd *o = f->pi->opnds;
    if (!lower_dst(f, &o[0], pack ? TYPE_b32 : td, true, &d)) return false;
    for (u32 i = 1; i < n; i++)
        if (!lower_src(f, &o[i], pack ? TYPE_b32 : ts, true, &s[i - 1])) return false;
    struct inst *in = fn_emit(f, d.rows == 2 ? exec_rows2 : exec_rows1);
    in->d = d;
    memcpy(in->s, s, sizeof(s));
    return pick_lane(f, in, n - 1, 0);
}

static bool lower_lop3(struct fn *f) {
    if (!lower_want_operands(f, 5, 6)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    bool with_pred = f->pi->nopnds == 6;
    if (with_pred && !fn_has(f, MOD_and) && !fn_has(f, MOD_or)) return lower_error(f, &o[5], "a predicate operand needs .and or .or");
    if (o[4].kind != PTX_IMM) return lower_error(f, &o[4], "the look-up table must be a constant");
    struct opnd d, p = opnd_none(), c = opnd_none(), s[3];
    const struct ptx_opnd *od = o[0].kind == PTX_PAIR ? &o[0].elem[0] : &o[0];
    if (!lower_dst(f, od, TYPE_b32, false, &d)) return false;
    if (o[0].kind == PTX_PAIR && !lower_pred_dst(f, &o[0].elem[1], &p)) return false;
    for (u32 i = 0; i < 3; i++)
        if (!lower_src(f, &o[i + 1], TYPE_b32, false, &s[i])) return false;
    if (with_pred && !lower_pred_src(f, &o[5], &c)) return false;
    struct inst *in = fn_emit(f, with_pred ? exec_lop3p : exec_rows1);
    in->d = d;
    memcpy(in->s, s, sizeof(s));
    if (with_pred) {
        struct opnd *extra = ARENA_ARRAY(f->lo->arena, struct opnd, 2);
        extra[0] = p;
        extra[1] = c;
        in->extra = extra;
        in->extra_n = 2;
        in->extra_d = 1;
        in->imm = fn_has(f, MOD_or);
    }
    struct opkey plain = {.op = OP_lop3, .ntypes = 1, .type = {TYPE_b32}};
    struct lane_query q = {.key = &plain, .reg_bits = 32, .src_bits = 32, .imm = (u32)o[4].imm & 0xFF, .nsrc = 3};
    struct lane_pick pick = lanes_pick(&q);
    in->lane = pick.fn;
    in->aux = pick.aux;
    return pick.fn || lower_error(f, NULL, "no such look-up");
}

/* --- moves */

static bool lower_mov_sreg(struct fn *f, const struct ptx_opnd *od, i32 sreg) {
    enum type t = (enum type)sreg_table[sreg].type;
    struct opnd d;
    /* %clock64 and the like are read whole; 16-bit and wider reads of 32-bit registers are legal */
    if (t == TYPE_pred ? !lower_pred_dst(f, od, &d) : !lower_dst(f, od, t == TYPE_u64 ? TYPE_b64 : TYPE_b32, true, &d)) return false;
    struct inst *in = fn_emit(f, exec_sreg);
    in->d = d;
    in->imm = sreg;
    if (sreg >= SREG_lanemask_eq && sreg <= SREG_lanemask_gt) f->lo->k->needs_warp32 = true;
    if (sreg == SREG_laneid) f->lo->k->needs_warp32 = true;
    if (sreg == SREG_envreg1 || sreg == SREG_envreg2) f->lo->k->meets_grid = true;
    return true;
}

/* mov.b64 %rd, {%r1, %r2} and back; elements share the width evenly */
static bool lower_mov_vec(struct fn *f, bool pack) {
    const struct ptx_opnd *v = &f->pi->opnds[pack ? 1 : 0], *whole = &f->pi->opnds[pack ? 0 : 1];
    enum type t = fn_type(f, 0);
    u32 bits = type_table[t].bits / MAX(v->n, 1u);
    enum type te = bits == 64 ? TYPE_b64 : bits == 32 ? TYPE_b32 : bits == 16 ? TYPE_b16 : bits == 8 ? TYPE_b8 : TYPE_NONE;
    if (te == TYPE_NONE || v->n < 2) return lower_error(f, v, "cannot split .%s into %u elements", type_table[t].name, v->n);
    struct opnd w, *extra = ARENA_ARRAY(f->lo->arena, struct opnd, v->n);
    enum type tw = t == TYPE_b128 ? TYPE_b128 : type_table[t].bits == 64 ? TYPE_b64 : type_table[t].bits == 32 ? TYPE_b32 : TYPE_b16;
    if (pack ? !lower_dst(f, whole, tw, false, &w) : !lower_src(f, whole, tw, false, &w)) return false;
    for (u32 i = 0; i < v->n; i++)
        if (pack ? !lower_src(f, &v->elem[i], te, te == TYPE_b8, &extra[i]) : !lower_dst(f, &v->elem[i], te, te == TYPE_b8, &extra[i])) return false;
    struct inst *in = fn_emit(f, pack ? exec_pack : exec_unpack);
    if (pack)
        in->d = w;
    else
        in->s[0] = w;
    in->extra = extra;
    in->extra_n = (u8)v->n;
    in->extra_d = pack ? 0 : (u8)v->n;
    in->elem_b = (u8)(bits / 8);
    return true;
}

static bool lower_mov_one(struct fn *f, const struct ptx_opnd *od, const struct ptx_opnd *os);

/* mov.v4.u32 {a, b, c, d}, %tid: one written instruction, an element at a time */
static bool lower_mov_elements(struct fn *f) {
    const struct ptx_opnd *d = &f->pi->opnds[0], *s = &f->pi->opnds[1];
    if (d->n != s->n) return lower_error(f, s, "expected %u elements, found %u", d->n, s->n);
    for (u32 i = 0; i < d->n; i++) {
        u32 before = f->code.n;
        if (d->elem[i].kind == PTX_SINK) continue;
        if (!lower_mov_one(f, &d->elem[i], &s->elem[i])) return false;
        for (u32 j = before; j < f->code.n; j++)
            if (i) f->code.at[j].flags |= INST_PSEUDO;
    }
    return true;
}

static bool mov_frame_address(struct fn *f, const struct ptx_opnd *od, const struct ptx_opnd *os) {
    struct opnd d;
    if (!lower_dst(f, od, fn_type(f, 0), false, &d)) return false;
    struct inst *in = fn_emit(f, exec_movlocal);
    in->d = d;
    in->imm = (i64)os->var->address + os->off;
    return true;
}

/* 128 bits: a pack of one element */
static bool mov_quad(struct fn *f, struct inst *in, struct opnd s) {
    struct opnd *extra = ARENA_NEW(f->lo->arena, struct opnd);
    *extra = s;
    in->extra = extra;
    in->extra_n = 1;
    in->elem_b = 16;
    return true;
}

static bool lower_mov_one(struct fn *f, const struct ptx_opnd *od, const struct ptx_opnd *os) {
    enum type t = fn_type(f, 0);
    if (os->kind == PTX_SREG) return lower_mov_sreg(f, od, os->sreg);
    if (os->kind == PTX_VAR && !f->is_entry && (os->var->space == SPACE_LOCAL || os->var->space == SPACE_PARAM))
        return mov_frame_address(f, od, os);
    if (os->kind == PTX_LABEL) return lower_error(f, os, "the address of a label cannot be taken");
    struct opnd d, s;
    bool pred = t == TYPE_pred;
    if (pred ? !lower_pred_dst(f, od, &d) : !lower_dst(f, od, t, false, &d)) return false;
    if (pred ? !lower_pred_src(f, os, &s) : !lower_src(f, os, t, false, &s)) return false;
    struct inst *in = fn_emit(f, pred ? exec_predlogic : d.rows == 4 ? exec_pack : d.rows == 2 ? exec_rows2 : exec_rows1);
    in->d = d;
    if (d.rows == 4) return mov_quad(f, in, s);
    in->s[0] = s;
    return pick_lane(f, in, 1, 0);
}

static bool lower_mov(struct fn *f) {
    if (!lower_want_operands(f, 2, 2)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    if (o[0].kind == PTX_VEC && o[1].kind == PTX_VEC) return lower_mov_elements(f);
    if (o[0].kind == PTX_VEC || o[1].kind == PTX_VEC) return lower_mov_vec(f, o[1].kind == PTX_VEC);
    return lower_mov_one(f, &o[0], &o[1]);
}

enum space lower_space(const struct fn *f) {
    if (fn_has(f, MOD_global)) return SPACE_GLOBAL;
    if (fn_has(f, MOD_shared) || fn_has(f, MOD_shared__cta) || fn_has(f, MOD_shared__cluster)) return SPACE_SHARED;
    if (fn_has(f, MOD_local)) return SPACE_LOCAL;
    if (fn_has(f, MOD_const)) return SPACE_CONST;
    if (fn_has(f, MOD_param) || fn_has(f, MOD_param__entry) || fn_has(f, MOD_param__func)) return SPACE_PARAM;
    return SPACE_GENERIC;
}

static u64 window_of(enum space s) {
    return s == SPACE_SHARED ? SHARED_WINDOW : s == SPACE_LOCAL ? LOCAL_WINDOW : s == SPACE_PARAM ? PARAM_WINDOW : 0;
}

/* Address conversion is an addition: each private space is a window of the generic one. */
static bool lower_cvta(struct fn *f) {
    if (!lower_want_operands(f, 2, 2)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    enum type t = fn_type(f, 0);
    struct opnd d, s;
    if (!lower_dst(f, &o[0], t, false, &d)) return false;
    if (o[1].kind == PTX_VAR && !f->is_entry && o[1].var->space == SPACE_LOCAL)
        return lower_error(f, &o[1], "take the address of '%s' with mov first", o[1].var->name);
    if (!lower_src(f, &o[1], t, false, &s)) return false;
    u64 window = window_of(lower_space(f));
    if (window && type_table[t].bits == 32) return lower_error(f, NULL, "generic addresses of this space need 64 bits");
    struct inst *in = fn_emit(f, d.rows == 2 ? exec_rows2 : exec_rows1);
    in->d = d;
    in->s[0] = s;
    struct opkey add = {.op = fn_has(f, MOD_to) ? OP_sub : OP_add, .ntypes = 1, .type = {(u8)t}};
    struct opkey mov = {.op = OP_mov, .ntypes = 1, .type = {(u8)t}};
    struct lane_query q = {.key = window ? &add : &mov, .reg_bits = type_table[t].bits, .src_bits = type_table[t].bits, .nsrc = 2};
    if (window) in->s[1] = opnd_const(f, window, 2);
    struct lane_pick p = lanes_pick(&q);
    in->lane = p.fn;
    in->aux = p.aux;
    return true;
}

/* Every block is a cluster of its own: a shared address of "rank 0" is itself. */
static bool lower_mapa(struct fn *f) {
    struct opnd d, s;
    enum type t = fn_type(f, 0);
    if (!lower_want_operands(f, 3, 3) || !lower_dst(f, &f->pi->opnds[0], t, false, &d) || !lower_src(f, &f->pi->opnds[1], t, false, &s)) return false;
    struct inst *in = fn_emit(f, d.rows == 2 ? exec_rows2 : exec_rows1);
    in->d = d;
    in->s[0] = s;
    struct opkey mov = {.op = OP_mov, .ntypes = 1, .type = {(u8)t}};
    struct lane_query q = {.key = &mov, .reg_bits = type_table[t].bits, .src_bits = type_table[t].bits, .nsrc = 1};
    struct lane_pick p = lanes_pick(&q);
    in->lane = p.fn;
    in->aux = p.aux;
    return true;
}

static bool lower_getctarank(struct fn *f) {
    if (!lower_want_operands(f, 2, 2)) return false;
    return lower_mov_sreg(f, &f->pi->opnds[0], SREG_cluster_ctarank);
}

static bool lower_isspacep(struct fn *f) {
    struct opnd d, s;
    if (!lower_want_operands(f, 2, 2) || !lower_pred_dst(f, &f->pi->opnds[0], &d)) return false;
    if (!lower_src(f, &f->pi->opnds[1], TYPE_b64, false, &s)) return false;
    struct inst *in = fn_emit(f, exec_isspacep);
    in->d = d;
    in->s[0] = s;
    in->space = (u8)lower_space(f);
    return true;
}

/* --- memory */

u32 lower_vector_length(const struct fn *f) { return fn_has(f, MOD_v8) ? 8 : fn_has(f, MOD_v4) ? 4 : fn_has(f, MOD_v2) ? 2 : 1; }

static bool vector_operands(struct fn *f, const struct ptx_opnd *o, u32 n, bool dst, struct inst *in) {
    enum type t = fn_type(f, 0);
    struct opnd *x = ARENA_ARRAY(f->lo->arena, struct opnd, n);
    if (n > 1 && (o->kind != PTX_VEC || o->n != n)) return lower_error(f, o, "expected a vector of %u elements", n);
    const struct ptx_opnd *e = n > 1 ? o->elem : o;
    if (n == 1 && o->kind == PTX_VEC && o->n == 1) e = o->elem;
    for (u32 i = 0; i < n; i++)
        if (dst ? !lower_dst(f, &e[i], t, true, &x[i]) : !lower_src(f, &e[i], t, true, &x[i])) return false;
    if (n == 1) {
        *(dst ? &in->d : &in->s[1]) = x[0];
    } else {
        in->extra = x;
        in->extra_n = (u8)n;
        in->extra_d = dst ? (u8)n : 0;
    }
    u32 bits = e[0].kind == PTX_REG ? fn_reg_bits(f, &e[0]) : type_table[t].bits;
    for (u32 i = 1; dst && i < n; i++)
        if (e[i].kind == PTX_REG) bits = fn_reg_bits(f, &e[i]);
    in->aux = (type_table[t].family == FAMILY_S) | bits << 8;
    return true;
}

static bool is_polled(const struct fn *f) { return fn_has(f, MOD_volatile) || fn_has(f, MOD_relaxed) || fn_has(f, MOD_acquire) || fn_has(f, MOD_mmio) || fn_has(f, MOD_cv); }

static enum access_shape access_shape(const struct inst *in, const struct opnd *one) {
    u32 width = 4u * one->rows;
    if (in->nelem == 1 && !one->absent && in->elem_b == width && width <= 8) return ACCESS_ROW;
    if (in->nelem == 1 && !one->absent && in->elem_b < 4 && width == 4) return ACCESS_NARROW;
    bool words = in->nelem > 1 && in->nelem <= 4 && in->elem_b == 4;
    for (u32 i = 0; words && i < in->nelem; i++) words = in->extra[i].rows == 1 && !in->extra[i].absent;
    return words ? ACCESS_WORDS : ACCESS_GENERAL;
}

/* `one` is the register of a scalar access */
void lower_memory_shape(struct fn *f, struct inst *in, u32 n, const struct opnd *one) {
    in->elem_b = (u8)type_bytes(fn_type(f, 0));
    in->nelem = (u8)n;
    in->access = (u8)access_shape(in, one);
}

/* Function parameters live in the frame but are registers on real machines: they count as moves, not memory accesses. */
static void class_of_param(const struct fn *f, struct inst *in) {
    if (lower_space(f) == SPACE_PARAM && in->space == SPACE_LOCAL) in->iclass = ICLASS_MOVE;
}

static bool lower_ld(struct fn *f) {
    if (!lower_want_operands(f, 2, 3)) return false;
    if (fn_type(f, 0) == TYPE_NONE) return lower_error(f, NULL, "misses a type; legal types are: %s", op_table[f->pi->key.op].types);
    u32 n = lower_vector_length(f);
    struct inst tmp = {.s = {opnd_none(), opnd_none(), opnd_none()}, .d = opnd_none(), .space = (u8)lower_space(f)};
    if (f->pi->key.op == OP_ldu) tmp.space = SPACE_GLOBAL;
    if (!lower_address(f, &f->pi->opnds[1], &tmp)) return false;
    if (!vector_operands(f, &f->pi->opnds[0], n, true, &tmp)) return false;
    struct inst *in = fn_emit(f, tmp.space == SPACE_PARAM ? exec_ldparam : exec_ld);
    in->space = tmp.space, in->s[0] = tmp.s[0], in->imm = tmp.imm, in->frame_local = tmp.frame_local;
    in->d = tmp.d, in->extra = tmp.extra, in->extra_n = tmp.extra_n, in->extra_d = tmp.extra_d, in->aux = tmp.aux;
    if (is_polled(f)) in->flags |= INST_SYNC_POLL;
    lower_memory_shape(f, in, n, &in->d);
    class_of_param(f, in);
    return true;
}

static bool lower_st(struct fn *f) {
    if (!lower_want_operands(f, 2, 3)) return false;
    if (fn_type(f, 0) == TYPE_NONE) return lower_error(f, NULL, "misses a type; legal types are: %s", op_table[f->pi->key.op].types);
    u32 n = lower_vector_length(f);
    struct inst tmp = {.s = {opnd_none(), opnd_none(), opnd_none()}, .d = opnd_none(), .space = (u8)lower_space(f)};
    if (tmp.space == SPACE_CONST) return lower_error(f, NULL, "constant memory cannot be written");
    if (!lower_address(f, &f->pi->opnds[0], &tmp)) return false;
    if (tmp.space == SPACE_PARAM) return lower_error(f, &f->pi->opnds[0], "kernel parameters cannot be written");
    if (!vector_operands(f, &f->pi->opnds[1], n, false, &tmp)) return false;
    struct inst *in = fn_emit(f, exec_st);
    in->space = tmp.space, in->imm = tmp.imm, in->frame_local = tmp.frame_local;
    memcpy(in->s, tmp.s, sizeof(in->s));
    in->extra = tmp.extra, in->extra_n = tmp.extra_n, in->aux = tmp.aux;
    lower_memory_shape(f, in, n, &in->s[1]);
    class_of_param(f, in);
    return true;
}

/* How many bytes a copy reads: a number, or none when the predicate written there says to ignore the source */
static bool copy_bytes(struct fn *f, const struct ptx_opnd *o, u32 size, struct opnd *out) {
    bool ignore = o->kind == PTX_REG && f->pf->regs[o->reg].type == TYPE_pred;
    if (!ignore) return lower_src(f, o, TYPE_u32, false, out);
    struct opnd p;
    if (!lower_pred_src(f, o, &p)) return false;
    struct opkey selp = {.op = OP_selp, .ntypes = 1, .type = {TYPE_b32}};
    struct lane_query q = {.key = &selp, .reg_bits = 32, .src_bits = 32, .nsrc = 3};
    struct lane_pick pick = lanes_pick(&q);
    *out = opnd_reg(f, fn_new_vreg(f, 1));
    struct inst *in = fn_emit(f, exec_selp);
    in->flags |= INST_PSEUDO;
    in->lane = pick.fn, in->aux = pick.aux;
    in->d = *out;
    in->s[0] = opnd_const(f, 0, 1), in->s[1] = opnd_const(f, size, 1), in->s[2] = p;
    return true;
}

/* cp.async [shared], [global], size{, bytes-to-read or ignore-source}: copied at once; commit and wait have nothing left to do */
static bool lower_cp(struct fn *f) {
    if (fn_has(f, MOD_commit_group) || fn_has(f, MOD_wait_group) || fn_has(f, MOD_wait_all)) {
        fn_emit(f, exec_nop);
        return true;
    }
    if (fn_has(f, MOD_mbarrier)) return lower_mbarrier(f);
    if (fn_has(f, MOD_bulk)) return lower_cp_bulk(f);
    if (!lower_want_operands(f, 3, 5)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    struct inst dst = {.space = SPACE_SHARED}, src = {.space = SPACE_GLOBAL};
    if (!lower_address(f, &o[0], &dst) || !lower_address(f, &o[1], &src)) return false;
    if (o[2].kind != PTX_IMM || (o[2].imm != 4 && o[2].imm != 8 && o[2].imm != 16)) return lower_error(f, &o[2], "the size must be 4, 8 or 16");
    struct opnd bytes = opnd_none();
    if (f->pi->nopnds > 3 && !fn_has(f, MOD_L2__cache_hint) && !copy_bytes(f, &o[3], (u32)o[2].imm, &bytes)) return false;
    struct inst *in = fn_emit(f, exec_cpasync);
    in->s[0] = dst.s[0], in->s[1] = src.s[0], in->s[2] = bytes;
    in->imm = dst.imm;
    i64 *src_off = ARENA_NEW(f->lo->arena, i64);
    *src_off = src.imm;
    in->info = src_off;
    in->space = SPACE_GLOBAL;
    in->elem_b = (u8)o[2].imm;
    in->nelem = 1;
    return true;
}

bool lower_nop(struct fn *f) {
    fn_emit(f, exec_nop);
    return true;
}

bool lower_unmodelled(struct fn *f, const char *why) {
    lower_refuse(f->lo, f->pi, why);
    return lower_nop(f);
}

/* Eviction policies change no result: any value will do. */
static bool lower_createpolicy(struct fn *f) {
    struct opnd d;
    if (!lower_want_operands(f, 1, 5) || !lower_dst(f, &f->pi->opnds[0], TYPE_b64, false, &d)) return false;
    struct inst *in = fn_emit(f, exec_sreg);
    in->d = d;
    in->imm = SREG_current_graph_exec; /* reads as zero */
    return true;
}

static bool lower_fence(struct fn *f) {
    fn_emit(f, exec_fence);
    return true;
}

/* --- control */

static struct inst *emit_control(struct fn *f, exec_fn *exec) {
    struct inst *in = fn_emit(f, exec);
    in->flags |= INST_CONTROL;
    return in;
}

static bool lower_bra(struct fn *f) {
    if (!lower_want_operands(f, 1, 1)) return false;
    const struct ptx_opnd *o = &f->pi->opnds[0];
    if (o->kind != PTX_LABEL) return lower_error(f, o, "expected a label");
    emit_control(f, exec_bra)->target = f->pf->labels[o->label].at;
    return true;
}

static bool lower_brx(struct fn *f) {
    if (!lower_want_operands(f, 1, 1)) return false;
    if (f->pi->table == NONE || f->pf->tables[f->pi->table].kind != TABLE_BRANCHTARGETS)
        return lower_error(f, NULL, "expected the label of a .branchtargets list");
    const struct ptx_table *t = &f->pf->tables[f->pi->table];
    struct opnd idx;
    if (!lower_src(f, &f->pi->opnds[0], TYPE_u32, false, &idx)) return false;
    struct inst *in = emit_control(f, exec_brx);
    in->s[0] = idx;
    i32 *targets = ARENA_ARRAY(f->lo->arena, i32, t->n);
    for (u32 i = 0; i < t->n; i++) targets[i] = f->pf->labels[t->labels[i]].at;
    struct branch_table *b = ARENA_NEW(f->lo->arena, struct branch_table);
    *b = (struct branch_table){t->n, targets};
    in->info = b;
    return true;
}

static bool lower_ret(struct fn *f) {
    emit_control(f, f->pi->key.op == OP_exit || f->is_entry ? exec_exit : exec_ret);
    return true;
}

static bool lower_trap(struct fn *f) {
    emit_control(f, exec_trap);
    return true;
}

/* One argument or result of a call: a .param variable of this frame, a register, or a constant */
static bool call_slot(struct fn *f, const struct ptx_opnd *o, const struct ptx_var *formal, bool is_result, struct func_slot *slot) {
    if (o->kind == PTX_VAR) {
        if (o->var->space != SPACE_PARAM || var_is_kernel_param(f, o->var))
            return lower_error(f, o, "'%s' cannot be passed: expected a .param variable of this function or a register", o->var->name);
        *slot = (struct func_slot){.off_b = (u32)o->var->address, .size_b = (u32)o->var->size_b};
    } else {
        slot->in_reg = true;
        if (is_result ? !lower_dst(f, o, (enum type)formal->type, false, &slot->reg) : !lower_src(f, o, (enum type)formal->type, false, &slot->reg))
            return false;
        slot->size_b = (u32)formal->size_b;
        return true;
    }
    if (slot->size_b != formal->size_b)
        return lower_error(f, o, "'%s' has %u bytes; the called function's parameter '%s' has %llu", o->var->name, slot->size_b, formal->name,
                           (unsigned long long)formal->size_b);
    return true;
}

static bool call_slots(struct fn *f, const struct ptx_opnd *list, const struct ptx_var *formals, u32 nformals, const char *what, bool is_result,
                       struct func_slot *slots) {
    u32 n = list ? list->n : 0;
    if (n != nformals) return lower_error(f, list, "passes %u %s%s; the called function has %u", n, what, n == 1 ? "" : "s", nformals);
    for (u32 i = 0; i < n; i++)
        if (!call_slot(f, &list->elem[i], &formals[i], is_result, &slots[i])) return false;
    return true;
}

/* Registers among the slots also become operands, so that liveness and allocation see them; they are copied back afterwards. */
static void call_operands(struct fn *f, struct inst *in, struct call_info *c) {
    u32 n = c->nrets + c->nargs;
    struct opnd *x = ARENA_ARRAY(f->lo->arena, struct opnd, n ? n : 1);
    for (u32 i = 0; i < c->nrets; i++) x[i] = c->rets[i].in_reg ? c->rets[i].reg : opnd_none();
    for (u32 i = 0; i < c->nargs; i++) x[c->nrets + i] = c->args[i].in_reg ? c->args[i].reg : opnd_none();
    in->extra = x;
    in->extra_n = (u8)n;
    in->extra_d = (u8)c->nrets;
}

static const struct ptx_func *call_prototype(struct fn *f, const struct ptx_opnd *target) {
    if (target->kind == PTX_FUNC) return target->func;
    if (f->pi->table == NONE) return NULL;
    const struct ptx_table *t = &f->pf->tables[f->pi->table];
    if (t->kind == TABLE_CALLPROTOTYPE) return t->proto;
    return t->kind == TABLE_CALLTARGETS && t->n ? t->funcs[0] : NULL;
}

static bool lower_call(struct fn *f) {
    const struct ptx_opnd *o = f->pi->opnds, *end = o + f->pi->nopnds;
    const struct ptx_opnd *rets = NULL, *args = NULL;
    if (o < end && o->kind == PTX_LIST) rets = o++;
    if (o == end) return lower_error(f, NULL, "misses the function to call");
    const struct ptx_opnd *target = o++;
    if (o < end && o->kind == PTX_LIST) args = o++;
    const struct ptx_func *proto = call_prototype(f, target);
    if (!proto) return lower_error(f, target, "an indirect call needs a .callprototype or .calltargets label");
    if (proto->is_entry) return lower_error(f, target, "'%s' is a kernel; only a .func can be called", proto->name);
    struct call_info *c = ARENA_NEW(f->lo->arena, struct call_info);
    struct func_slot *sr = ARENA_ARRAY(f->lo->arena, struct func_slot, proto->nrets + 1), *sa = ARENA_ARRAY(f->lo->arena, struct func_slot, proto->nparams + 1);
    if (!call_slots(f, rets, proto->rets, proto->nrets, "result", true, sr)) return false;
    if (!call_slots(f, args, proto->params, proto->nparams, "argument", false, sa)) return false;
    *c = (struct call_info){.func = NONE, .builtin = NONE, .nargs = proto->nparams, .nrets = proto->nrets, .args = sa, .rets = sr};
    struct opnd address = opnd_none();
    if (target->kind == PTX_FUNC) {
        c->func = proto->has_body ? (i32)proto->index : NONE;
        c->builtin = proto->has_body ? NONE : builtin_find(proto->name);
        if (!proto->has_body && c->builtin == NONE)
            return lower_error(f, target, "function '%s' is declared but not defined, and is none of vprintf, printf, __assertfail, malloc, free", proto->name);
    } else if (!lower_src(f, target, TYPE_b64, false, &address))
        return false;
    struct inst *in = emit_control(f, exec_call);
    in->s[0] = address;
    in->info = c;
    call_operands(f, in, c);
    return true;
}

/* --- barriers and lanes together */

enum { BAR_SYNC, BAR_ARRIVE, BAR_POPC, BAR_AND, BAR_OR };

struct inst *fn_emit_collective(struct fn *f, exec_fn *exec) {
    struct inst *in = fn_emit(f, exec);
    in->flags |= INST_COLLECTIVE;
    f->lo->k->needs_warp32 = true;
    return in;
}

static bool lower_warpsync(struct fn *f) {
    struct opnd mask;
    if (!lower_want_operands(f, 1, 1) || !lower_src(f, &f->pi->opnds[0], TYPE_b32, false, &mask)) return false;
    fn_emit_collective(f, exec_warpsync)->q = mask;
    return true;
}

static bool lower_bar(struct fn *f) {
    if (fn_has(f, MOD_warp)) return lower_warpsync(f);
    if (fn_has(f, MOD_cluster)) {
        return lower_unmodelled(f, "thread block clusters are not modelled");
    }
    bool red = fn_has(f, MOD_red);
    u32 kind = fn_has(f, MOD_arrive) ? BAR_ARRIVE : !red ? BAR_SYNC : fn_has(f, MOD_popc) ? BAR_POPC : fn_has(f, MOD_and) ? BAR_AND : BAR_OR;
    const struct ptx_opnd *o = f->pi->opnds;
    u32 n = f->pi->nopnds, at = 0;
    if (!lower_want_operands(f, red ? 3 : kind == BAR_ARRIVE ? 2 : 1, red ? 4 : 2)) return false;
    struct opnd d = opnd_none(), id, count = opnd_none(), p = opnd_none();
    if (red && (kind == BAR_POPC ? !lower_dst(f, &o[0], TYPE_u32, false, &d) : !lower_pred_dst(f, &o[0], &d))) return false;
    at += red;
    if (!lower_src(f, &o[at++], TYPE_u32, false, &id)) return false;
    if (at + red < n && !lower_src(f, &o[at++], TYPE_u32, false, &count)) return false;
    if (red && !lower_pred_src(f, &o[at], &p)) return false;
    struct inst *in = emit_control(f, exec_bar);
    in->d = d;
    in->s[0] = id, in->s[1] = count, in->s[2] = p;
    in->aux = kind;
    return true;
}

/* d or d|p of shfl, match and elect: the predicate goes into extra[0] */
static bool lane_pair(struct fn *f, const struct ptx_opnd *o, struct opnd *d, struct opnd **p) {
    *p = ARENA_NEW(f->lo->arena, struct opnd);
    **p = opnd_none();
    const struct ptx_opnd *first = o->kind == PTX_PAIR ? &o->elem[0] : o;
    if (!lower_dst(f, first, TYPE_b32, false, d)) return false;
    return o->kind != PTX_PAIR || lower_pred_dst(f, &o->elem[1], *p);
}

static void set_pair(struct inst *in, struct opnd d, struct opnd *p) {
    in->d = d;
    in->extra = p;
    in->extra_n = in->extra_d = 1;
}

static bool lower_shfl(struct fn *f) {
    bool sync = fn_has(f, MOD_sync);
    if (!lower_want_operands(f, sync ? 5 : 4, sync ? 5 : 4)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    struct opnd d, *p, s[3], mask = opnd_none();
    if (!lane_pair(f, &o[0], &d, &p)) return false;
    for (u32 i = 0; i < 3; i++)
        if (!lower_src(f, &o[1 + i], TYPE_b32, false, &s[i])) return false;
    if (sync && !lower_src(f, &o[4], TYPE_b32, false, &mask)) return false;
    struct inst *in = sync ? fn_emit_collective(f, exec_shfl) : fn_emit(f, exec_shfl);
    f->lo->k->needs_warp32 = true;
    set_pair(in, d, p);
    memcpy(in->s, s, sizeof(s));
    in->q = mask;
    in->aux = fn_has(f, MOD_up) ? SHUFFLE_UP : fn_has(f, MOD_down) ? SHUFFLE_DOWN : fn_has(f, MOD_bfly) ? SHUFFLE_BFLY : SHUFFLE_IDX;
    return true;
}

static bool lower_vote(struct fn *f) {
    bool sync = fn_has(f, MOD_sync), ballot = fn_has(f, MOD_ballot);
    if (!lower_want_operands(f, sync ? 3 : 2, sync ? 3 : 2)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    struct opnd d, s, mask = opnd_none();
    if (ballot ? !lower_dst(f, &o[0], TYPE_b32, false, &d) : !lower_pred_dst(f, &o[0], &d)) return false;
    if (!lower_pred_src(f, &o[1], &s)) return false;
    if (sync && !lower_src(f, &o[2], TYPE_b32, false, &mask)) return false;
    struct inst *in = sync ? fn_emit_collective(f, exec_vote) : fn_emit(f, exec_vote);
    f->lo->k->needs_warp32 = true;
    in->d = d, in->s[0] = s, in->q = mask;
    in->aux = ballot ? 0 : fn_has(f, MOD_all) ? 1 : fn_has(f, MOD_any) ? 2 : 3;
    return true;
}

static bool lower_match(struct fn *f) {
    if (!lower_want_operands(f, 3, 3)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    struct opnd d, *p, s, mask;
    if (!lane_pair(f, &o[0], &d, &p) || !lower_src(f, &o[1], fn_type(f, 0), false, &s) || !lower_src(f, &o[2], TYPE_b32, false, &mask)) return false;
    struct inst *in = fn_emit_collective(f, exec_match);
    set_pair(in, d, p);
    in->s[0] = s, in->q = mask;
    in->aux = fn_has(f, MOD_all);
    return true;
}

static bool lower_redux(struct fn *f) {
    if (!lower_want_operands(f, 3, 3)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    struct opnd d, s, mask;
    if (!lower_dst(f, &o[0], fn_type(f, 0), false, &d) || !lower_src(f, &o[1], fn_type(f, 0), false, &s) ||
        !lower_src(f, &o[2], TYPE_b32, false, &mask))
        return false;
    if (fn_type(f, 0) == TYPE_f32) return lower_unmodelled(f, "floating-point redux is not modelled");
    struct inst *in = fn_emit_collective(f, exec_redux);
    in->d = d, in->s[0] = s, in->q = mask;
    struct atomic_op *a = ARENA_NEW(f->lo->arena, struct atomic_op);
    *a = (struct atomic_op){(u8)lower_atomic_kind(f), (u8)fn_type(f, 0), false};
    in->info = a;
    return true;
}

static bool lower_activemask(struct fn *f) {
    struct opnd d;
    if (!lower_want_operands(f, 1, 1) || !lower_dst(f, &f->pi->opnds[0], TYPE_b32, false, &d)) return false;
    fn_emit(f, exec_activemask)->d = d;
    f->lo->k->needs_warp32 = true;
    return true;
}

static bool lower_elect(struct fn *f) {
    struct opnd d, *p, mask;
    if (!lower_want_operands(f, 2, 2) || !lane_pair(f, &f->pi->opnds[0], &d, &p) || !lower_src(f, &f->pi->opnds[1], TYPE_b32, false, &mask)) return false;
    struct inst *in = fn_emit_collective(f, exec_elect);
    set_pair(in, d, p);
    in->q = mask;
    return true;
}

/* --- matrices */

static u32 list_length(const struct ptx_opnd *o) { return o->kind == PTX_VEC ? o->n : 1; }
static const struct ptx_opnd *list_at(const struct ptx_opnd *o, u32 i) { return o->kind == PTX_VEC ? &o->elem[i] : o; }

static bool lower_mma(struct fn *f) {
    if (!lower_want_operands(f, 4, 4)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    u32 n[4], total = 0, at = 0;
    for (u32 i = 0; i < 4; i++) total += n[i] = list_length(&o[i]);
    struct opnd *x = ARENA_ARRAY(f->lo->arena, struct opnd, total);
    bool f64 = fn_type(f, 0) == TYPE_f64;
    for (u32 i = 0; i < 4; i++)
        for (u32 j = 0; j < n[i]; j++, at++) {
            const struct ptx_opnd *e = list_at(&o[i], j);
            enum type need = f64 ? TYPE_b64 : TYPE_b32;
            if (i == 0 ? !lower_dst(f, e, need, false, &x[at]) : !lower_src(f, e, need, false, &x[at])) return false;
        }
    if (!mma_supported(&f->pi->key)) return lower_unmodelled(f, "no matrix product of this shape and these types is modelled");
    bool quads = fn_has(f, MOD_m8n8k4) && fn_type(f, 1) == TYPE_f16; /* the one shape whose matrices may lie either way */
    if (quads && f->pi->key.layouts < 4) return lower_error(f, NULL, "misses the layouts of A and B, such as .row.col");
    if (!exec_mma_legal(&f->pi->key, n))
        return lower_error(f, NULL, "no known matrix product of this shape and these types takes %u, %u, %u and %u registers", n[0], n[1], n[2], n[3]);
    struct inst *in = fn_emit_collective(f, exec_mma);
    in->extra = x;
    in->extra_n = (u8)total;
    in->extra_d = (u8)n[0];
    in->imm = (i64)(n[0] | n[1] << 8 | n[2] << 16 | n[3] << 24);
    return true;
}

static bool lower_ldstmatrix(struct fn *f) {
    bool load = f->pi->key.op == OP_ldmatrix;
    if (!lower_want_operands(f, 2, 2)) return false;
    if (fn_type(f, 0) != TYPE_b16) return lower_error(f, NULL, "only .b16 matrices are supported");
    const struct ptx_opnd *regs = &f->pi->opnds[load ? 0 : 1];
    u32 n = fn_has(f, MOD_x4) ? 4 : fn_has(f, MOD_x2) ? 2 : 1;
    if (list_length(regs) != n) return lower_error(f, regs, "expected a vector of %u elements", n);
    struct inst tmp = {.space = SPACE_SHARED};
    if (!lower_address(f, &f->pi->opnds[load ? 1 : 0], &tmp)) return false;
    struct opnd *x = ARENA_ARRAY(f->lo->arena, struct opnd, n);
    for (u32 i = 0; i < n; i++)
        if (load ? !lower_dst(f, list_at(regs, i), TYPE_b32, false, &x[i]) : !lower_src(f, list_at(regs, i), TYPE_b32, false, &x[i])) return false;
    struct inst *in = fn_emit_collective(f, load ? exec_ldmatrix : exec_stmatrix);
    in->s[0] = tmp.s[0], in->imm = tmp.imm, in->space = SPACE_SHARED;
    in->extra = x;
    in->extra_n = (u8)n;
    in->extra_d = load ? (u8)n : 0;
    in->elem_b = 16;
    in->nelem = 1;
    struct matrix_info *mi = ARENA_NEW(f->lo->arena, struct matrix_info);
    *mi = (struct matrix_info){(u8)n, fn_has(f, MOD_trans)};
    in->info = mi;
    return true;
}

static bool lower_movmatrix(struct fn *f) {
    struct opnd d, s;
    if (!lower_want_operands(f, 2, 2) || !lower_dst(f, &f->pi->opnds[0], TYPE_b32, false, &d) || !lower_src(f, &f->pi->opnds[1], TYPE_b32, false, &s)) return false;
    struct inst *in = fn_emit_collective(f, exec_movmatrix);
    in->d = d, in->s[0] = s;
    return true;
}

static bool lower_tex(struct fn *f) { return lower_unmodelled(f, "textures and surfaces are not modelled yet"); }

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
    default: break;
    }
    switch (op_table[op].iclass) {
    case ICLASS_VIDEO: return lower_words;
    case ICLASS_NOP:
    case ICLASS_MEMHINT: return lower_nop;
    case ICLASS_TEX: return lower_tex;
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
    {OP_istypep, MOD_COUNT, "textures and surfaces are not modelled yet"},
};

/* Types of machines later than the one modelled stand last in type.def; sums of two precisions also came later */
static bool has_later_type(const struct opkey *k) {
    for (u32 i = 0; i < k->ntypes; i++)
        if (k->type[i] >= TYPE_e2m1x2) return true;
    return k->ntypes == 2 && (k->op == OP_add || k->op == OP_sub || k->op == OP_fma);
}

/* Why the kernel cannot be launched because of this instruction, or NULL */
static const char *why_unmodelled(const struct ptx_inst *pi) {
    for (size_t i = 0; i < ARRAY_LEN(unmodelled_table); i++) {
        bool any = unmodelled_table[i].mod == MOD_COUNT;
        if (unmodelled_table[i].op == pi->key.op && (any || key_has(&pi->key, (enum mod)unmodelled_table[i].mod))) return unmodelled_table[i].why;
    }
    if (!pi->unmodelled && !has_later_type(&pi->key)) return NULL;
    return op_table[pi->key.op].iclass == ICLASS_TEX ? "textures and surfaces are not modelled yet" : "this instruction is not modelled";
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
