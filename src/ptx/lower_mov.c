/* Moves: registers, constants, special registers, vectors split and joined, addresses between spaces. */
#include "ptx/lower.h"

/* %tid, %ntid, %ctaid and %nctaid had 16 bits once, %gridid 16 and 32; they can still be read so */
static bool sreg_reads_narrow(i32 sreg) { return sreg <= SREG_nctaid_z || sreg == SREG_gridid; }

static bool lower_mov_sreg(struct fn *f, const struct ptx_opnd *od, i32 sreg) {
    enum type t = (enum type)sreg_table[sreg].type;
    struct opnd d, narrow = opnd_none();
    if (sreg_reads_narrow(sreg) && od->kind == PTX_REG && fn_reg_bits(f, od) < type_table[t].bits) {
        if (!lower_dst(f, od, fn_type(f, 0), false, &narrow)) return false;
        d = opnd_reg(f, fn_new_vreg(f, type_rows(t)));
    } else if (t == TYPE_pred ? !lower_pred_dst(f, od, &d) : !lower_dst(f, od, t == TYPE_u64 ? TYPE_b64 : TYPE_b32, true, &d))
        return false;
    struct inst *in = fn_emit(f, exec_sreg);
    in->d = d;
    in->imm = sreg;
    if (sreg >= SREG_lanemask_eq && sreg <= SREG_lanemask_gt) f->lo->k->needs_warp32 = true;
    if (sreg == SREG_laneid) f->lo->k->needs_warp32 = true;
    if (sreg == SREG_envreg1 || sreg == SREG_envreg2) f->lo->k->meets_grid = true;
    if (narrow.absent) return true;
    in->flags |= INST_PSEUDO;
    in->guard = NONE;
    return lower_cut(f, d, fn_reg_bits(f, od), narrow) != NULL;
}

/* mov.b64 %rd, {%r1, %r2} and back; elements share the width evenly */
static bool lower_mov_vec(struct fn *f, bool pack) {
    const struct ptx_opnd *v = &f->pi->opnds[pack ? 1 : 0], *whole = &f->pi->opnds[pack ? 0 : 1];
    enum type t = fn_type(f, 0);
    u32 bits = type_table[t].bits / MAX(v->n, 1u);
    enum type te = bits == 64 ? TYPE_b64 : bits == 32 ? TYPE_b32 : bits == 16 ? TYPE_b16 : bits == 8 ? TYPE_b8 : TYPE_NONE;
    if (te == TYPE_NONE || v->n < 2) return lower_error(f, v, "cannot split .%s into %u elements", type_table[t].name, v->n);
    struct opnd w, *extra = ARENA_ARRAY(f->lo->arena, struct opnd, v->n);
    enum type tw = t == TYPE_b128             ? TYPE_b128
                   : type_table[t].bits == 64 ? TYPE_b64
                   : type_table[t].bits == 32 ? TYPE_b32
                                              : TYPE_b16;
    if (pack ? !lower_dst(f, whole, tw, false, &w) : !lower_src(f, whole, tw, false, &w)) return false;
    for (u32 i = 0; i < v->n; i++)
        if (pack ? !lower_src(f, &v->elem[i], te, te == TYPE_b8, &extra[i])
                 : !lower_dst(f, &v->elem[i], te, te == TYPE_b8, &extra[i]))
            return false;
    struct inst *in = fn_emit(f, pack ? exec_pack : exec_unpack);
    if (pack) in->d = w;
    else in->s[0] = w;
    in->extra = extra;
    in->extra_n = (u8)v->n;
    in->extra_d = pack ? 0 : (u8)v->n;
    in->elem_b = (u8)(bits / 8);
    return true;
}

static bool lower_mov_one(struct fn *f, const struct ptx_opnd *od, const struct ptx_opnd *os);
static bool mov_emit(struct fn *f, struct opnd d, struct opnd s);

/* Whether an element before the i-th writes the register that the i-th reads */
static bool element_is_lost(const struct ptx_opnd *d, const struct ptx_opnd *s, u32 i) {
    for (u32 j = 0; j < i && s->elem[i].kind == PTX_REG; j++)
        if (d->elem[j].kind == PTX_REG && d->elem[j].reg == s->elem[i].reg) return true;
    return false;
}

/* The i-th source, kept in `saved` until the elements before it are written */
static bool element_save(struct fn *f, const struct ptx_opnd *s, u32 i, struct opnd *saved) {
    struct opnd from;
    bool pred = fn_type(f, 0) == TYPE_pred;
    if (pred ? !lower_pred_src(f, &s->elem[i], &from) : !lower_src(f, &s->elem[i], fn_type(f, 0), false, &from)) return false;
    *saved = opnd_reg(f, fn_new_vreg(f, from.rows));
    return mov_emit(f, *saved, from);
}

static bool element_restore(struct fn *f, const struct ptx_opnd *d, struct opnd saved) {
    struct opnd to;
    bool pred = fn_type(f, 0) == TYPE_pred;
    if (pred ? !lower_pred_dst(f, d, &to) : !lower_dst(f, d, fn_type(f, 0), false, &to)) return false;
    return mov_emit(f, to, saved);
}

/* mov.v4.u32 {a, b, c, d}, %tid: one written instruction, an element at a time. All sources are read before
 * any element is written: those that an earlier element overwrites are put aside first. */
static bool lower_mov_elements(struct fn *f) {
    const struct ptx_opnd *d = &f->pi->opnds[0], *s = &f->pi->opnds[1];
    u32 first = f->code.n;
    if (d->n != s->n) return lower_error(f, s, "expected %u elements, found %u", d->n, s->n);
    struct opnd *saved = ARENA_ARRAY(f->lo->arena, struct opnd, d->n);
    for (u32 i = 0; i < d->n; i++) {
        saved[i] = opnd_none();
        if (d->elem[i].kind != PTX_SINK && element_is_lost(d, s, i) && !element_save(f, s, i, &saved[i])) return false;
    }
    for (u32 i = 0; i < d->n; i++) {
        if (d->elem[i].kind == PTX_SINK) continue;
        if (saved[i].absent ? !lower_mov_one(f, &d->elem[i], &s->elem[i]) : !element_restore(f, &d->elem[i], saved[i]))
            return false;
    }
    for (u32 j = first + 1; j < f->code.n; j++) f->code.at[j].flags |= INST_PSEUDO;
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

static bool mov_emit(struct fn *f, struct opnd d, struct opnd s) {
    bool pred = fn_type(f, 0) == TYPE_pred;
    struct inst *in = fn_emit(f, pred ? exec_predlogic : d.rows == 4 ? exec_pack : d.rows == 2 ? exec_rows2 : exec_rows1);
    in->d = d;
    if (d.rows == 4) return mov_quad(f, in, s);
    in->s[0] = s;
    return lower_pick_lane(f, in, 1, 0);
}

static bool lower_mov_one(struct fn *f, const struct ptx_opnd *od, const struct ptx_opnd *os) {
    enum type t = fn_type(f, 0);
    if (os->kind == PTX_SREG) return lower_mov_sreg(f, od, os->sreg);
    if (os->kind == PTX_VAR && !f->is_entry && var_is_in_frame(f, os->var) && !os->n) return mov_frame_address(f, od, os);
    if (os->kind == PTX_LABEL) return lower_error(f, os, "the address of a label cannot be taken");
    struct opnd d, s;
    bool pred = t == TYPE_pred;
    if (pred ? !lower_pred_dst(f, od, &d) : !lower_dst(f, od, t, false, &d)) return false;
    if (pred ? !lower_pred_src(f, os, &s) : !lower_src(f, os, t, false, &s)) return false;
    return mov_emit(f, d, s);
}

bool lower_mov(struct fn *f) {
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
bool lower_cvta(struct fn *f) {
    if (!lower_want_operands(f, 2, 2)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    enum type t = fn_type(f, 0);
    struct opnd d, s;
    if (!lower_dst(f, &o[0], t, false, &d)) return false;
    if (o[1].kind == PTX_VAR && !f->is_entry && o[1].var->space == SPACE_LOCAL && var_is_in_frame(f, o[1].var))
        return lower_error(f, &o[1], "take the address of '%s' with mov first", o[1].var->name);
    if (!lower_src(f, &o[1], t, false, &s)) return false;
    u64 window = window_of(lower_space(f));
    if (window && type_table[t].bits == 32) return lower_error(f, NULL, "generic addresses of this space need 64 bits");
    struct inst *in = fn_emit(f, d.rows == 2 ? exec_rows2 : exec_rows1);
    in->d = d;
    in->s[0] = s;
    struct opkey add = {.op = fn_has(f, MOD_to) ? OP_sub : OP_add, .ntypes = 1, .type = {(u8)t}};
    struct opkey mov = {.op = OP_mov, .ntypes = 1, .type = {(u8)t}};
    struct lane_query q = {
        .key = window ? &add : &mov, .reg_bits = type_table[t].bits, .src_bits = type_table[t].bits, .nsrc = 2};
    if (window) in->s[1] = opnd_const(f, window, 2);
    struct lane_pick p = lanes_pick(&q);
    in->lane = p.fn;
    in->aux = p.aux;
    return true;
}

/* Every block is a cluster of its own: a shared address of "rank 0" is itself. */
bool lower_mapa(struct fn *f) {
    struct opnd d, s;
    enum type t = fn_type(f, 0);
    if (!lower_want_operands(f, 3, 3) || !lower_dst(f, &f->pi->opnds[0], t, false, &d) ||
        !lower_src(f, &f->pi->opnds[1], t, false, &s))
        return false;
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

bool lower_getctarank(struct fn *f) {
    if (!lower_want_operands(f, 2, 2)) return false;
    return lower_mov_sreg(f, &f->pi->opnds[0], SREG_cluster_ctarank);
}

bool lower_isspacep(struct fn *f) {
    struct opnd d, s;
    if (!lower_want_operands(f, 2, 2) || !lower_pred_dst(f, &f->pi->opnds[0], &d)) return false;
    if (!lower_src(f, &f->pi->opnds[1], TYPE_b64, false, &s)) return false;
    struct inst *in = fn_emit(f, exec_isspacep);
    in->d = d;
    in->s[0] = s;
    in->space = (u8)lower_space(f);
    return true;
}
