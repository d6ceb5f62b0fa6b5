/* Atomics of all widths, mbarriers, and bulk copies. */
#include "ptx/lower.h"

#include <string.h>

int lower_atomic_kind(const struct fn *f) {
    static const enum mod kinds[] = {MOD_add, MOD_min, MOD_max, MOD_and, MOD_or, MOD_xor, MOD_exch, MOD_cas, MOD_inc, MOD_dec};
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++)
        if (fn_has(f, kinds[i])) return (int)kinds[i];
    return NONE;
}

/* What all forms share: the address, the operation, the class of polling */
static struct inst *emit_atomic(struct fn *f, exec_fn *exec, const struct inst *tmp, int kind, u32 n) {
    enum type t = fn_type(f, 0);
    struct inst *in = fn_emit(f, exec);
    in->space = tmp->space, in->imm = tmp->imm, in->frame_local = tmp->frame_local, in->d = tmp->d;
    memcpy(in->s, tmp->s, sizeof(in->s));
    lower_memory_shape(f, in, n, n == 1 ? &in->s[1] : &tmp->d);
    if (f->pi->key.op == OP_atom) in->flags |= INST_SYNC_POLL;
    struct atomic_op *a = ARENA_NEW(f->lo->arena, struct atomic_op);
    *a = (struct atomic_op){(u8)kind, (u8)t, t == TYPE_f32};
    in->info = a;
    return in;
}

static enum type register_type(enum type t) { return t == TYPE_f16x2 || t == TYPE_bf16x2 ? TYPE_b32 : t; }

/* Each element of a vector is an atomic by itself: {d...}, [a], {b...} */
static bool atom_vector(struct fn *f, const struct inst *tmp, int kind, u32 n) {
    bool red = f->pi->key.op == OP_red;
    const struct ptx_opnd *o = f->pi->opnds, *od = &o[0], *os = &o[red ? 1 : 2];
    enum type t = fn_type(f, 0), reg = register_type(t);
    bool legal = t == TYPE_f32 || t == TYPE_f16 || t == TYPE_bf16 || reg != t;
    if (!legal) return lower_error(f, NULL, "vector atomics are of .f32, .f16, .bf16, .f16x2 or .bf16x2");
    if (kind != MOD_add && (t == TYPE_f32 || (kind != MOD_min && kind != MOD_max)))
        return lower_error(f, NULL, "vector atomics are .add and, of half precision, .min and .max");
    if (os->kind != PTX_VEC || os->n != n || (!red && (od->kind != PTX_VEC || od->n != n)))
        return lower_error(f, os, "expected vectors of %u elements", n);
    u32 nd = red ? 0 : n;
    struct opnd *x = ARENA_ARRAY(f->lo->arena, struct opnd, nd + n);
    for (u32 i = 0; i < nd; i++)
        if (!lower_dst(f, &od->elem[i], reg, false, &x[i])) return false;
    for (u32 i = 0; i < n; i++)
        if (!lower_src(f, &os->elem[i], reg, false, &x[nd + i])) return false;
    struct inst *in = emit_atomic(f, exec_atomv, tmp, kind, 1);
    in->nelem = (u8)n;
    in->extra = x;
    in->extra_n = (u8)(nd + n);
    in->extra_d = (u8)nd;
    return true;
}

bool lower_atom(struct fn *f) {
    bool red = f->pi->key.op == OP_red;
    const struct ptx_opnd *o = f->pi->opnds;
    if (fn_has(f, MOD_async)) return lower_unmodelled(f, "asynchronous reductions are not modelled");
    u32 nsrc = fn_has(f, MOD_cas) ? 2 : 1, first = red ? 0 : 1, n = lower_vector_length(f);
    if (!lower_want_operands(f, first + 1 + nsrc, first + 2 + nsrc)) return false;
    enum type t = fn_type(f, 0);
    int kind = lower_atomic_kind(f);
    if (kind == NONE) return lower_error(f, NULL, "misses an operation; legal ones are: and or xor cas exch add inc dec min max");
    if (t == TYPE_NONE) return lower_error(f, NULL, "misses a type; legal types are: %s", op_table[f->pi->key.op].types);
    struct inst tmp = {.s = {opnd_none(), opnd_none(), opnd_none()}, .d = opnd_none(), .space = (u8)lower_space(f)};
    if (!lower_address(f, &o[first], &tmp)) return false;
    if (n > 1) return atom_vector(f, &tmp, kind, n);
    if (!red && !lower_dst(f, &o[0], register_type(t), false, &tmp.d)) return false;
    for (u32 i = 0; i < nsrc; i++)
        if (!lower_src(f, &o[first + 1 + i], register_type(t), false, &tmp.s[1 + i])) return false;
    if (t == TYPE_b128 && kind != MOD_exch && kind != MOD_cas)
        return lower_error(f, NULL, "128-bit atomics are .exch and .cas only");
    emit_atomic(f, t == TYPE_b128 ? exec_atom128 : exec_atom, &tmp, kind, 1);
    return true;
}

/* --- mbarriers */

static enum mbar_op mbarrier_op(const struct fn *f) {
    bool expect = fn_has(f, MOD_expect_tx);
    if (f->pi->key.op == OP_cp || fn_has(f, MOD_arrive)) return expect ? MBAR_ARRIVE_EXPECT : MBAR_ARRIVE;
    if (fn_has(f, MOD_arrive_drop)) return expect ? MBAR_DROP_EXPECT : MBAR_DROP;
    if (fn_has(f, MOD_init)) return MBAR_INIT;
    if (fn_has(f, MOD_inval)) return MBAR_INVAL;
    if (expect) return MBAR_EXPECT;
    if (fn_has(f, MOD_complete_tx)) return MBAR_COMPLETE;
    if (fn_has(f, MOD_pending_count)) return MBAR_PENDING;
    return fn_has(f, MOD_parity) ? MBAR_WAIT_PARITY : MBAR_WAIT;
}

/* The first operand: the state an arrival returns, the answer of a wait, a count. How many operands it took,
 * or NONE after an error. */
static int mbarrier_result(struct fn *f, enum mbar_op op, struct inst *tmp) {
    const struct ptx_opnd *o = f->pi->opnds;
    if (o[0].kind == PTX_MEM) return 0;
    bool wait = op == MBAR_WAIT || op == MBAR_WAIT_PARITY;
    bool ok =
        wait ? lower_pred_dst(f, &o[0], &tmp->d) : lower_dst(f, &o[0], op == MBAR_PENDING ? TYPE_b32 : TYPE_b64, false, &tmp->d);
    return ok ? 1 : NONE;
}

bool lower_mbarrier(struct fn *f) {
    const struct ptx_opnd *o = f->pi->opnds;
    enum mbar_op op = mbarrier_op(f);
    if (!lower_want_operands(f, 1, 4)) return false;
    /* copies have completed when this comes: one more pending arrival, and that arrival, leave the barrier as
     * it is */
    if (f->pi->key.op == OP_cp && !fn_has(f, MOD_noinc)) return lower_nop(f);
    struct inst tmp = {.s = {opnd_none(), opnd_none(), opnd_none()}, .d = opnd_none(), .space = (u8)lower_space(f)};
    int at = mbarrier_result(f, op, &tmp);
    if (at == NONE) return false;
    if (op != MBAR_PENDING && at == f->pi->nopnds) return lower_error(f, NULL, "misses the address of the barrier");
    if (op != MBAR_PENDING && !lower_address(f, &o[at++], &tmp)) return false;
    enum type t = op == MBAR_WAIT || op == MBAR_PENDING ? TYPE_b64 : TYPE_b32;
    if (at < f->pi->nopnds && !lower_src(f, &o[at], t, false, &tmp.s[1])) return false;
    bool needs = op != MBAR_INVAL && op != MBAR_ARRIVE && op != MBAR_DROP;
    if (needs && tmp.s[1].absent) return lower_error(f, NULL, "misses an operand");
    struct inst *in = fn_emit(f, exec_mbarrier);
    in->space = tmp.space, in->imm = tmp.imm, in->d = tmp.d;
    memcpy(in->s, tmp.s, sizeof(in->s));
    in->aux = op;
    if (op == MBAR_WAIT || op == MBAR_WAIT_PARITY) in->flags |= INST_SYNC_POLL;
    return true;
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [barrier]; or, from
 * shared memory to global, .bulk_group without a barrier. Done at once, like all asynchronous copies here. */
bool lower_cp_bulk(struct fn *f) {
    const struct ptx_opnd *o = f->pi->opnds;
    bool to_shared = !fn_has(f, MOD_bulk_group);
    if (!lower_want_operands(f, to_shared ? 4 : 3, to_shared ? 5 : 4)) return false;
    if (!fn_has(f, MOD_global)) return lower_unmodelled(f, "bulk copies between blocks of a cluster are not modelled");
    struct inst to = {.space = to_shared ? SPACE_SHARED : SPACE_GLOBAL},
                from = {.space = to_shared ? SPACE_GLOBAL : SPACE_SHARED};
    struct inst barrier = {.space = SPACE_SHARED, .s = {opnd_none()}};
    struct opnd bytes;
    if (!lower_address(f, &o[0], &to) || !lower_address(f, &o[1], &from) || !lower_src(f, &o[2], TYPE_u32, false, &bytes))
        return false;
    if (to_shared && !lower_address(f, &o[3], &barrier)) return false;
    struct inst *in = fn_emit(f, exec_cpbulk);
    in->s[0] = to.s[0], in->s[1] = from.s[0], in->s[2] = bytes, in->q = barrier.s[0];
    in->imm = to.imm;
    struct bulk_info *b = ARENA_NEW(f->lo->arena, struct bulk_info);
    *b = (struct bulk_info){from.imm, barrier.imm, to_shared};
    in->info = b;
    return true;
}
