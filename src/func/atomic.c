/* Read-modify-write arithmetic, one value at a time. */
#include "func/func.h"
#include "func/lanes.h"

#include <string.h>

static u64 sign_extend(u64 x, u32 bits) { return bits == 64 ? x : (u64)((i64)(x << (64 - bits)) >> (64 - bits)); }

static bool less(enum type t, u64 a, u64 b) {
    u32 bits = type_table[t].bits;
    if (type_table[t].family == FAMILY_S) return (i64)sign_extend(a, bits) < (i64)sign_extend(b, bits);
    return a < b;
}

static u32 flush(u32 x, bool ftz) { return ftz && !(x & 0x7F800000u) ? x & 0x80000000u : x; }

static u32 add_f32(u32 a, u32 b, bool ftz) {
    a = flush(a, ftz), b = flush(b, ftz);
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x += y;
    memcpy(&a, &x, 4);
    return x != x ? 0x7FFFFFFFu : flush(a, ftz);
}

static u64 add_f64(u64 a, u64 b) {
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&a, &x, 8);
    return a;
}

static bool is_half(enum type t) { return t == TYPE_f16 || t == TYPE_bf16 || t == TYPE_f16x2 || t == TYPE_bf16x2; }

/* Half-precision arithmetic goes through the lane functions, which round once and know NaN and signed
 * zeros. */
static u32 apply_half(enum op op, enum type t, u32 a, u32 b) {
    struct opkey k = {.op = (u16)op, .ntypes = 1, .type = {(u8)t}};
    struct lane_query q = {.key = &k, .reg_bits = type_table[t].bits, .src_bits = type_table[t].bits, .nsrc = 2};
    struct lane_pick p = lanes_pick(&q);
    _Alignas(64) u32 d[SLAB_LANES], x[SLAB_LANES] = {a}, y[SLAB_LANES] = {b};
    p.fn(d, x, y, x, NULL, p.aux);
    return d[0];
}

static u64 apply_add(const struct atomic_op *op, u64 old, u64 a) {
    switch (op->type) {
    case TYPE_f32: return add_f32((u32)old, (u32)a, op->ftz);
    case TYPE_f64: return add_f64(old, a);
    case TYPE_f16:
    case TYPE_bf16:
    case TYPE_f16x2:
    case TYPE_bf16x2: return apply_half(OP_add, (enum type)op->type, (u32)old, (u32)a);
    default: return old + a;
    }
}

static u64 apply_least(enum type t, u64 a, u64 b) {
    if (is_half(t)) return apply_half(OP_min, t, (u32)a, (u32)b);
    return less(t, b, a) ? b : a;
}

static u64 apply_most(enum type t, u64 a, u64 b) {
    if (is_half(t)) return apply_half(OP_max, t, (u32)a, (u32)b);
    return less(t, a, b) ? b : a;
}

u64 atomic_apply(const struct atomic_op *op, u64 old, u64 a, u64 b) {
    enum type t = (enum type)op->type;
    switch ((enum mod)op->kind) {
    case MOD_add: return apply_add(op, old, a);
    case MOD_min: return apply_least(t, old, a);
    case MOD_max: return apply_most(t, old, a);
    case MOD_and: return old & a;
    case MOD_or: return old | a;
    case MOD_xor: return old ^ a;
    case MOD_exch: return a;
    case MOD_cas: return old == a ? b : old;
    case MOD_inc: return old >= a ? 0 : old + 1;
    case MOD_dec: return old == 0 || old > a ? a : old - 1;
    default: CHECK(!"atomic operation"); return 0;
    }
}
