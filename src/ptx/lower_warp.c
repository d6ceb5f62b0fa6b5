/* Lanes of a warp together: shuffles, votes, matrices. */
#include "func/mma.h"
#include "ptx/lower.h"

#include <string.h>

struct inst *fn_emit_collective(struct fn *f, exec_fn *exec) {
    struct inst *in = fn_emit(f, exec);
    in->flags |= INST_COLLECTIVE;
    f->lo->k->needs_warp32 = true;
    return in;
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

bool lower_shfl(struct fn *f) {
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
    in->aux = fn_has(f, MOD_up)     ? SHUFFLE_UP
              : fn_has(f, MOD_down) ? SHUFFLE_DOWN
              : fn_has(f, MOD_bfly) ? SHUFFLE_BFLY
                                    : SHUFFLE_IDX;
    return true;
}

bool lower_vote(struct fn *f) {
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
    in->aux = ballot ? VOTE_BALLOT : fn_has(f, MOD_all) ? VOTE_ALL : fn_has(f, MOD_any) ? VOTE_ANY : VOTE_UNI;
    return true;
}

bool lower_match(struct fn *f) {
    if (!lower_want_operands(f, 3, 3)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    struct opnd d, *p, s, mask;
    if (!lane_pair(f, &o[0], &d, &p) || !lower_src(f, &o[1], fn_type(f, 0), false, &s) ||
        !lower_src(f, &o[2], TYPE_b32, false, &mask))
        return false;
    struct inst *in = fn_emit_collective(f, exec_match);
    set_pair(in, d, p);
    in->s[0] = s, in->q = mask;
    in->aux = fn_has(f, MOD_all);
    return true;
}

bool lower_redux(struct fn *f) {
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

bool lower_activemask(struct fn *f) {
    struct opnd d;
    if (!lower_want_operands(f, 1, 1) || !lower_dst(f, &f->pi->opnds[0], TYPE_b32, false, &d)) return false;
    fn_emit(f, exec_activemask)->d = d;
    f->lo->k->needs_warp32 = true;
    return true;
}

bool lower_elect(struct fn *f) {
    struct opnd d, *p, mask;
    if (!lower_want_operands(f, 2, 2) || !lane_pair(f, &f->pi->opnds[0], &d, &p) ||
        !lower_src(f, &f->pi->opnds[1], TYPE_b32, false, &mask))
        return false;
    struct inst *in = fn_emit_collective(f, exec_elect);
    set_pair(in, d, p);
    in->q = mask;
    return true;
}

/* --- matrices */

static u32 list_length(const struct ptx_opnd *o) { return o->kind == PTX_VEC ? o->n : 1; }
static const struct ptx_opnd *list_at(const struct ptx_opnd *o, u32 i) { return o->kind == PTX_VEC ? &o->elem[i] : o; }

bool lower_mma(struct fn *f) {
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
        return lower_error(f, NULL, "no known matrix product of this shape and these types takes %u, %u, %u and %u registers",
                           n[0], n[1], n[2], n[3]);
    struct inst *in = fn_emit_collective(f, exec_mma);
    in->extra = x;
    in->extra_n = (u8)total;
    in->extra_d = (u8)n[0];
    in->imm = (i64)(n[0] | n[1] << 8 | n[2] << 16 | n[3] << 24);
    return true;
}

bool lower_ldstmatrix(struct fn *f) {
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
        if (load ? !lower_dst(f, list_at(regs, i), TYPE_b32, false, &x[i])
                 : !lower_src(f, list_at(regs, i), TYPE_b32, false, &x[i]))
            return false;
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

bool lower_movmatrix(struct fn *f) {
    struct opnd d, s;
    if (!lower_want_operands(f, 2, 2) || !lower_dst(f, &f->pi->opnds[0], TYPE_b32, false, &d) ||
        !lower_src(f, &f->pi->opnds[1], TYPE_b32, false, &s))
        return false;
    struct inst *in = fn_emit_collective(f, exec_movmatrix);
    in->d = d, in->s[0] = s;
    return true;
}
