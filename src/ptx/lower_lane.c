/* Element-wise instructions: operands matched against the signature of op.def, the lane function picked by
 * types and modifiers. */
#include "ptx/lower.h"

#include <string.h>

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

bool lower_pick_lane(struct fn *f, struct inst *in, u32 nsrc, u32 imm) {
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

/* Constants out of range, where the driver's compiler does not do what PTX says: it takes the count of a
 * 16-bit shift modulo 2^16 before it is clamped, a signed 32-bit field that begins past the register's end is
 * all ones, not the sign (one without length is 0), and the length of a 32-bit field that is inserted, other
 * than at the lowest bit, counts modulo 32. As soon as a count or length is in a register, PTX is right. */
static void constants_as_driver(struct fn *f, struct generic *g) {
    const struct ptx_opnd *o = f->pi->opnds;
    enum op op = (enum op)f->pi->key.op;
    bool shift = (op == OP_shl || op == OP_shr) && type_table[fn_type(f, 0)].bits == 16;
    bool field = op == OP_bfe && fn_type(f, 0) == TYPE_s32, insert = op == OP_bfi && fn_type(f, 0) == TYPE_b32;
    if (shift && o[2].kind == PTX_IMM) g->s[1] = opnd_const(f, o[2].imm & 0xFFFF, 1);
    if (field && o[2].kind == PTX_IMM && o[3].kind == PTX_IMM && (o[2].imm & 0xFF) >= 32) g->s[0] = opnd_const(f, 0xFFFFFFFFu, 1);
    if (!insert || o[3].kind != PTX_IMM || o[4].kind != PTX_IMM || !(o[3].imm & 0xFF)) return;
    g->s[3] = opnd_const(f, o[4].imm & 31, 1);
}

bool lower_generic(struct fn *f) {
    struct generic g = {.d = opnd_none(), .q = opnd_none(), .s = {opnd_none(), opnd_none(), opnd_none(), opnd_none()}};
    if (!match_signature(f, &g)) return false;
    constants_as_driver(f, &g);
    struct inst *in = fn_emit(f, exec_for(f, &g));
    in->d = g.d;
    in->q = g.q;
    memcpy(in->s, g.s, sizeof(in->s));
    if (g.nsrc == 4) in->q = g.s[3];
    if (f->pi->key.op == OP_testp) in->guard = NONE; /* PTX says otherwise; drivers write the predicate whatever the guard is */
    if (exec_of(in)->facts & FACT_Q_CARRY) {
        in->q = opnd_reg(f, carry_vreg(f));
        in->imm = (fn_has(f, MOD_cc) ? CARRY_OUT : 0) | (uses_carry_in((enum op)in->op) ? CARRY_IN : 0);
    }
    return lower_pick_lane(f, in, g.nsrc + g.pred_src, 0);
}

/* d, a, b[, c] all 32-bit: video and dot products, whose types say how to read them */
bool lower_words(struct fn *f) {
    if (!lower_want_operands(f, 3, 4)) return false;
    struct opnd d, s[3] = {opnd_none(), opnd_none(), opnd_none()};
    const struct ptx_opnd *o = f->pi->opnds;
    if (!lower_dst(f, &o[0], TYPE_b32, false, &d)) return false;
    for (u32 i = 1; i < f->pi->nopnds; i++)
        if (!lower_src(f, &o[i], TYPE_b32, false, &s[i - 1])) return false;
    struct inst *in = fn_emit(f, exec_rows1);
    in->d = d;
    memcpy(in->s, s, sizeof(s));
    return lower_pick_lane(f, in, f->pi->nopnds - 1u, 0);
}

bool lower_cvt(struct fn *f) {
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
    return lower_pick_lane(f, in, n - 1, 0);
}

bool lower_lop3(struct fn *f) {
    if (!lower_want_operands(f, 5, 6)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    bool with_pred = f->pi->nopnds == 6;
    if (with_pred && !fn_has(f, MOD_and) && !fn_has(f, MOD_or))
        return lower_error(f, &o[5], "a predicate operand needs .and or .or");
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
