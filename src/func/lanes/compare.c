/* lanes_compare: setp and set on 32 lanes of integers and untyped bits. Floating sources go to
 * lanes_compare_fp.
 *
 * A comparison is a kernel (equal or less, by type) that yields the 32 lanes' bits; the other operators are
 * the same kernel with its sources swapped, its answer inverted, or both. What happens to the bits then (a
 * predicate pair, or a value per lane) is the same for all. */
#include "func/lanes/rows.h"

#ifdef LANES_AVX2
#include <immintrin.h>
#endif

/* --- kernels */
#ifdef LANES_AVX2
/* Compares eight 32-bit or four 64-bit lanes at a time and gathers the sign bits. Unsigned order is signed
 * order with the top bit flipped; a 16-bit value is put in the top half of its lane, which keeps its order in
 * both. */
static inline __m256i load(const void *row, u32 byte) { return _mm256_loadu_si256((const __m256i *)((const char *)row + byte)); }
static inline u32 signs_32(__m256i x) { return (u32)_mm256_movemask_ps(_mm256_castsi256_ps(x)); }
static inline u32 signs_64(__m256i x) { return (u32)_mm256_movemask_pd(_mm256_castsi256_pd(x)); }
#define TOP_32(x) _mm256_xor_si256(x, _mm256_set1_epi32((int)0x80000000u))
#define TOP_64(x) _mm256_xor_si256(x, _mm256_set1_epi64x((long long)0x8000000000000000ull))
#define UP_16(x)  _mm256_slli_epi32(x, 16)
#define KERNEL(name, step, signs, expr)                                                                                          \
    static inline u32 name(const void *ra, const void *rb) {                                                                     \
        u32 m = 0;                                                                                                               \
        for (u32 i = 0; i < SLAB_LANES / (step); i++) {                                                                          \
            __m256i a = load(ra, i * 32), b = load(rb, i * 32);                                                                  \
            m |= signs(expr) << i * (step);                                                                                      \
        }                                                                                                                        \
        return m;                                                                                                                \
    }
KERNEL(eq_32, 8, signs_32, _mm256_cmpeq_epi32(a, b))
KERNEL(eq_64, 4, signs_64, _mm256_cmpeq_epi64(a, b))
KERNEL(lt_s16, 8, signs_32, _mm256_cmpgt_epi32(UP_16(b), UP_16(a)))
KERNEL(lt_u32, 8, signs_32, _mm256_cmpgt_epi32(TOP_32(b), TOP_32(a)))
KERNEL(lt_s32, 8, signs_32, _mm256_cmpgt_epi32(b, a))
KERNEL(lt_u64, 4, signs_64, _mm256_cmpgt_epi64(TOP_64(b), TOP_64(a)))
KERNEL(lt_s64, 4, signs_64, _mm256_cmpgt_epi64(b, a))
#else
#define KERNEL(name, t, bit, expr)                                                                                               \
    static inline u32 name(const void *av, const void *bv) {                                                                     \
        const ROW_##t *ra = av, *rb = bv;                                                                                        \
        ROW_##t m = 0;                                                                                                           \
        EACH_LANE(l) {                                                                                                           \
            VAL_##t a = (VAL_##t)ra[l], b = (VAL_##t)rb[l];                                                                      \
            m |= (expr) ? bit[l] : 0;                                                                                            \
        }                                                                                                                        \
        return (u32)m;                                                                                                           \
    }
KERNEL(eq_32, u32, lane_bit32, a == b)
KERNEL(eq_64, u64, lane_bit64, a == b)
KERNEL(lt_s16, s16, lane_bit32, a < b)
KERNEL(lt_u32, u32, lane_bit32, a < b)
KERNEL(lt_s32, s32, lane_bit32, a < b)
KERNEL(lt_u64, u64, lane_bit64, a < b)
KERNEL(lt_s64, s64, lane_bit64, a < b)
#endif

/* --- from bits to results. aux: how to use the kernel, the boolean operator, and set's value for true. */
enum cmp_aux { CMP_SWAP = 1, CMP_INVERT = 2, CMP_BOOL_SHIFT = 2, CMP_BOOL_MASK = 3, CMP_TRUE_SHIFT = 4, CMP_TRUE_MASK = 7 };
enum cmp_bool { BOOL_NONE, BOOL_AND, BOOL_OR, BOOL_XOR };
enum cmp_true { TRUE_U32, TRUE_S32, TRUE_16, TRUE_F32, TRUE_F16, TRUE_BF16 };

static inline u32 combine(u32 m, const u32 *c, u32 aux) {
    switch (aux >> CMP_BOOL_SHIFT & CMP_BOOL_MASK) {
    case BOOL_AND: return m & *c;
    case BOOL_OR: return m | *c;
    case BOOL_XOR: return m ^ *c;
    default: return m;
    }
}

static void set_32(u32 *d, u32 m, u32 value) { EACH_LANE(l) d[l] = m & lane_bit32[l] ? value : 0; }
static void set_64(u64 *d, u32 m, u64 value) { EACH_LANE(l) d[l] = m & lane_bit64[l] ? value : 0; }

static const u32 true_value[] = {
    [TRUE_U32] = ~0u, [TRUE_S32] = ~0u, [TRUE_16] = 0xFFFF, [TRUE_F32] = 0x3F800000u, [TRUE_F16] = 0x3C00, [TRUE_BF16] = 0x3F80};

/* A signed result in a wider register is extended by its sign */
static u64 true_value_64(u32 kind) { return kind == TRUE_S32 ? ~(u64)0 : true_value[kind]; }

#define COMPARE_FNS(kernel)                                                                                                      \
    static inline u32 kernel##_bits(const void *a, const void *b, u32 aux) {                                                     \
        u32 m = aux & CMP_SWAP ? kernel(b, a) : kernel(a, b);                                                                    \
        return aux & CMP_INVERT ? ~m : m;                                                                                        \
    }                                                                                                                            \
    static void setp_##kernel(LANE_ARGS) {                                                                                       \
        LANE_ARGS_USED;                                                                                                          \
        u32 m = kernel##_bits(av, bv, aux);                                                                                      \
        *(u32 *)dv = m;                                                                                                          \
        *q = ~m;                                                                                                                 \
    }                                                                                                                            \
    static void setp_bool_##kernel(LANE_ARGS) {                                                                                  \
        LANE_ARGS_USED;                                                                                                          \
        u32 m = kernel##_bits(av, bv, aux), p = combine(m, cv, aux), not_p = combine(~m, cv, aux);                               \
        *(u32 *)dv = p;                                                                                                          \
        *q = not_p;                                                                                                              \
    }                                                                                                                            \
    static void set_32_##kernel(LANE_ARGS) {                                                                                     \
        LANE_ARGS_USED;                                                                                                          \
        set_32(dv, combine(kernel##_bits(av, bv, aux), cv, aux), true_value[aux >> CMP_TRUE_SHIFT]);                             \
    }                                                                                                                            \
    static void set_64_##kernel(LANE_ARGS) {                                                                                     \
        LANE_ARGS_USED;                                                                                                          \
        set_64(dv, combine(kernel##_bits(av, bv, aux), cv, aux), true_value_64(aux >> CMP_TRUE_SHIFT));                          \
    }
COMPARE_FNS(eq_32)
COMPARE_FNS(eq_64)
COMPARE_FNS(lt_s16)
COMPARE_FNS(lt_u32)
COMPARE_FNS(lt_s32)
COMPARE_FNS(lt_u64)
COMPARE_FNS(lt_s64)

/* --- which one */
struct compare_fns {
    lane_fn *setp, *setp_bool, *set_32, *set_64;
};
#define COMPARE_ROW(kernel) {setp_##kernel, setp_bool_##kernel, set_32_##kernel, set_64_##kernel}
static const struct compare_fns equal_32 = COMPARE_ROW(eq_32), equal_64 = COMPARE_ROW(eq_64);
/* 16-bit unsigned values are zero-extended in their rows, so they compare as 32-bit ones */
static const struct compare_fns less[INT_TYPES] = {COMPARE_ROW(lt_u32), COMPARE_ROW(lt_s16), COMPARE_ROW(lt_u32),
                                                   COMPARE_ROW(lt_s32), COMPARE_ROW(lt_u64), COMPARE_ROW(lt_s64)};

/* Untyped bits can only be equal or not; lo, ls, hi and hs are unsigned spellings of lt, le, gt and ge */
struct cmp_row {
    u16 mod; /* enum mod */
    bool is_equal;
    u8 aux;
};
/* clang-format off */
static const struct cmp_row cmp_table[] = {
    {MOD_eq, true, 0},         {MOD_ne, true, CMP_INVERT},
    {MOD_lt, false, 0},        {MOD_le, false, CMP_SWAP | CMP_INVERT},
    {MOD_gt, false, CMP_SWAP}, {MOD_ge, false, CMP_INVERT},
    {MOD_lo, false, 0},        {MOD_ls, false, CMP_SWAP | CMP_INVERT},
    {MOD_hi, false, CMP_SWAP}, {MOD_hs, false, CMP_INVERT},
};
/* clang-format on */

static const struct cmp_row *find_cmp(const struct opkey *k) {
    for (u32 i = 0; i < ARRAY_LEN(cmp_table); i++)
        if (key_has(k, cmp_table[i].mod)) return &cmp_table[i];
    return NULL;
}

static const struct compare_fns *find_fns(const struct cmp_row *row, u8 type) {
    if (!row || type == TYPE_NONE || type == TYPE_pred) return NULL;
    if (row->is_equal) return type_table[type].bits == 64 ? &equal_64 : &equal_32;
    int t = int_type_of(type);
    return t == NONE ? NULL : &less[t];
}

static u32 bool_aux(const struct opkey *k) {
    u32 b = key_has(k, MOD_and) ? BOOL_AND : key_has(k, MOD_or) ? BOOL_OR : key_has(k, MOD_xor) ? BOOL_XOR : BOOL_NONE;
    return b << CMP_BOOL_SHIFT;
}

/* enum cmp_true of a set's destination type, or NONE */
static int true_kind(u8 type) {
    switch (type) {
    case TYPE_u32: return TRUE_U32;
    case TYPE_s32: return TRUE_S32;
    case TYPE_f32: return TRUE_F32;
    case TYPE_f16: return TRUE_F16;
    case TYPE_bf16: return TRUE_BF16;
    case TYPE_u16:
    case TYPE_s16: return TRUE_16;
    default: return NONE;
    }
}

static struct lane_pick pick_setp(const struct opkey *k) {
    const struct cmp_row *row = find_cmp(k);
    const struct compare_fns *f = find_fns(row, k->type[0]);
    u32 boolean = bool_aux(k);
    if (!f) return (struct lane_pick){0};
    return (struct lane_pick){boolean ? f->setp_bool : f->setp, row->aux | boolean};
}

static struct lane_pick pick_set(const struct opkey *k, u32 reg_bits) {
    const struct cmp_row *row = find_cmp(k);
    const struct compare_fns *f = find_fns(row, k->type[1]);
    int kind = true_kind(k->type[0]);
    if (!f || kind == NONE) return (struct lane_pick){0};
    return (struct lane_pick){reg_bits == 64 ? f->set_64 : f->set_32, row->aux | bool_aux(k) | (u32)kind << CMP_TRUE_SHIFT};
}

struct lane_pick LANES_NAME(lanes_compare)(const struct lane_query *q) {
    const struct opkey *k = q->key;
    if (k->op != OP_setp && k->op != OP_set && k->op != OP_testp) return (struct lane_pick){0};
    u8 source = k->type[k->op == OP_set ? 1 : 0], family = type_table[source].family;
    if (family == FAMILY_F || family == FAMILY_X) return LANES_NAME(lanes_compare_fp)(q);
    if (bool_aux(k) && q->nsrc < 3) return (struct lane_pick){0}; /* an operator without its predicate */
    return k->op == OP_setp ? pick_setp(k) : pick_set(k, q->reg_bits);
}
