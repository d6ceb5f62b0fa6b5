/* Loads, stores and asynchronous copies; fences and hints. */
#include "ptx/lower.h"

#include <string.h>

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

static bool is_polled(const struct fn *f) {
    return fn_has(f, MOD_volatile) || fn_has(f, MOD_relaxed) || fn_has(f, MOD_acquire) || fn_has(f, MOD_mmio) ||
           fn_has(f, MOD_cv);
}

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

/* Function parameters live in the frame but are registers on real machines: they count as moves, not memory
 * accesses. */
static void class_of_param(const struct fn *f, struct inst *in) {
    if (lower_space(f) == SPACE_PARAM && in->space == SPACE_LOCAL) in->iclass = ICLASS_MOVE;
}

bool lower_ld(struct fn *f) {
    if (!lower_want_operands(f, 2, 3)) return false;
    if (fn_type(f, 0) == TYPE_NONE)
        return lower_error(f, NULL, "misses a type; legal types are: %s", op_table[f->pi->key.op].types);
    u32 n = lower_vector_length(f);
    struct inst tmp = {.s = {opnd_none(), opnd_none(), opnd_none()}, .d = opnd_none(), .space = (u8)lower_space(f)};
    if (f->pi->key.op == OP_ldu) tmp.space = SPACE_GLOBAL;
    if (!lower_address(f, &f->pi->opnds[1], &tmp)) return false;
    if (!vector_operands(f, &f->pi->opnds[0], n, true, &tmp)) return false;
    struct inst *in = fn_emit(f, tmp.space == SPACE_PARAM ? exec_ldparam : exec_ld);
    in->space = tmp.space, in->s[0] = tmp.s[0], in->imm = tmp.imm, in->frame_local = tmp.frame_local;
    in->d = tmp.d, in->extra = tmp.extra, in->extra_n = tmp.extra_n, in->extra_d = tmp.extra_d, in->aux = tmp.aux;
    if (is_polled(f)) in->flags |= INST_SYNC_POLL;
    if (is_polled(f) || fn_has(f, MOD_cg)) in->flags |= INST_UNCACHED;
    lower_memory_shape(f, in, n, &in->d);
    class_of_param(f, in);
    return true;
}

bool lower_st(struct fn *f) {
    if (!lower_want_operands(f, 2, 3)) return false;
    if (fn_type(f, 0) == TYPE_NONE)
        return lower_error(f, NULL, "misses a type; legal types are: %s", op_table[f->pi->key.op].types);
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

/* How many bytes a copy reads: a number, or none when the predicate written there says to ignore the
 * source */
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

/* cp.async [shared], [global], size{, bytes-to-read or ignore-source}: copied at once; commit and wait have
 * nothing left to do */
bool lower_cp(struct fn *f) {
    if (fn_has(f, MOD_commit_group) || fn_has(f, MOD_wait_group) || fn_has(f, MOD_wait_all)) {
        struct inst *in = fn_emit(f, exec_nop);
        if (!fn_has(f, MOD_commit_group)) in->flags |= INST_ASYNC_WAIT;
        return true;
    }
    if (fn_has(f, MOD_mbarrier)) return lower_mbarrier(f);
    if (fn_has(f, MOD_bulk)) return lower_cp_bulk(f);
    if (!lower_want_operands(f, 3, 5)) return false;
    const struct ptx_opnd *o = f->pi->opnds;
    struct inst dst = {.space = SPACE_SHARED}, src = {.space = SPACE_GLOBAL};
    if (!lower_address(f, &o[0], &dst) || !lower_address(f, &o[1], &src)) return false;
    if (o[2].kind != PTX_IMM || (o[2].imm != 4 && o[2].imm != 8 && o[2].imm != 16))
        return lower_error(f, &o[2], "the size must be 4, 8 or 16");
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

/* Eviction policies change no result: any value will do. */
bool lower_createpolicy(struct fn *f) {
    struct opnd d;
    if (!lower_want_operands(f, 1, 5) || !lower_dst(f, &f->pi->opnds[0], TYPE_b64, false, &d)) return false;
    struct inst *in = fn_emit(f, exec_sreg);
    in->d = d;
    in->imm = SREG_current_graph_exec; /* reads as zero */
    return true;
}

bool lower_fence(struct fn *f) {
    struct inst *in = fn_emit(f, exec_fence);
    if (!fn_has(f, MOD_cta)) in->flags |= INST_GPU_FENCE;
    return true;
}
