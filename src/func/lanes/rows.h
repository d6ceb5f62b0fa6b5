/* rows: how an integer lane function walks its rows, so that one line can say what an instruction does.
 *
 * ROW1, ROW2 and ROW3 make a lane_fn that evaluates one expression per lane over sources a, b, c and stores
 * it in d. The types name PTX types: ROW_t is how a lane of that type lies in a row (16-bit values
 * zero-extended in 32), VAL_t is the C type the expression sees, UNS_t the unsigned type of the same width a
 * result is cut to before it is stored.
 *
 * Lanes are independent even when d is one of the sources (d is the very same row, never shifted against it),
 * which the pragmas tell the vectoriser: it then needs no overlap check, whose fallback would make the common
 * in-place case the slow one. */
#ifndef HEDDLE_LANES_ROWS_H
#define HEDDLE_LANES_ROWS_H

#include "func/lanes.h"

#ifdef __clang__
/* The pragma below is permission, not a demand: a sanitised or unoptimised build need not vectorise. Clang
 * would unroll 32 lanes fully before it thinks of vectors, hence unroll(disable). */
#pragma clang diagnostic ignored "-Wpass-failed"
#define EACH_LANE(l) _Pragma("clang loop vectorize(assume_safety) unroll(disable)") for (u32 l = 0; l < SLAB_LANES; l++)
#else
#define EACH_LANE(l) _Pragma("GCC ivdep") for (u32 l = 0; l < SLAB_LANES; l++)
#endif

#define LANE_ARGS      void *dv, const void *av, const void *bv, const void *cv, u32 *q, u32 aux
#define LANE_ARGS_USED (void)dv, (void)av, (void)bv, (void)cv, (void)q, (void)aux

#define ROW_u16        u32
#define ROW_s16        u32
#define ROW_u32        u32
#define ROW_s32        u32
#define ROW_u64        u64
#define ROW_s64        u64
#define VAL_u16        u16
#define VAL_s16        i16
#define VAL_u32        u32
#define VAL_s32        i32
#define VAL_u64        u64
#define VAL_s64        i64
#define UNS_u16        u16
#define UNS_s16        u16
#define UNS_u32        u32
#define UNS_s32        u32
#define UNS_u64        u64
#define UNS_s64        u64

#define ROW1(name, td, ta, expr)                                                                                                 \
    static void name(LANE_ARGS) {                                                                                                \
        LANE_ARGS_USED;                                                                                                          \
        ROW_##td *d = dv;                                                                                                        \
        const ROW_##ta *ra = av;                                                                                                 \
        EACH_LANE(l) {                                                                                                           \
            VAL_##ta a = (VAL_##ta)ra[l];                                                                                        \
            d[l] = (UNS_##td)(expr);                                                                                             \
        }                                                                                                                        \
    }
#define ROW2(name, td, ta, tb, expr)                                                                                             \
    static void name(LANE_ARGS) {                                                                                                \
        LANE_ARGS_USED;                                                                                                          \
        ROW_##td *d = dv;                                                                                                        \
        const ROW_##ta *ra = av;                                                                                                 \
        const ROW_##tb *rb = bv;                                                                                                 \
        EACH_LANE(l) {                                                                                                           \
            VAL_##ta a = (VAL_##ta)ra[l];                                                                                        \
            VAL_##tb b = (VAL_##tb)rb[l];                                                                                        \
            d[l] = (UNS_##td)(expr);                                                                                             \
        }                                                                                                                        \
    }
#define ROW3(name, td, ta, tb, tc, expr)                                                                                         \
    static void name(LANE_ARGS) {                                                                                                \
        LANE_ARGS_USED;                                                                                                          \
        ROW_##td *d = dv;                                                                                                        \
        const ROW_##ta *ra = av;                                                                                                 \
        const ROW_##tb *rb = bv;                                                                                                 \
        const ROW_##tc *rc = cv;                                                                                                 \
        EACH_LANE(l) {                                                                                                           \
            VAL_##ta a = (VAL_##ta)ra[l];                                                                                        \
            VAL_##tb b = (VAL_##tb)rb[l];                                                                                        \
            VAL_##tc c = (VAL_##tc)rc[l];                                                                                        \
            d[l] = (UNS_##td)(expr);                                                                                             \
        }                                                                                                                        \
    }

/* Lane l's bit of a predicate. A table, because an `and` with a constant row vectorises on every host and a
 * shift by l does not. */
#define BITS8(T, n)                                                                                                              \
    (T)1 << (n), (T)1 << ((n) + 1), (T)1 << ((n) + 2), (T)1 << ((n) + 3), (T)1 << ((n) + 4), (T)1 << ((n) + 5),                  \
        (T)1 << ((n) + 6), (T)1 << ((n) + 7)
static const u32 lane_bit32[SLAB_LANES]
    __attribute__((aligned(64), unused)) = {BITS8(u32, 0), BITS8(u32, 8), BITS8(u32, 16), BITS8(u32, 24)};
static const u64 lane_bit64[SLAB_LANES]
    __attribute__((aligned(64), unused)) = {BITS8(u64, 0), BITS8(u64, 8), BITS8(u64, 16), BITS8(u64, 24)};
#define LANE_BIT_u32 lane_bit32
#define LANE_BIT_u64 lane_bit64

/* The six integer types as an index into tables of functions, or NONE */
enum int_type { INT_U16, INT_S16, INT_U32, INT_S32, INT_U64, INT_S64, INT_TYPES };
static inline int int_type_of(u8 type) {
    switch (type) {
    case TYPE_u16: return INT_U16;
    case TYPE_s16: return INT_S16;
    case TYPE_u32: return INT_U32;
    case TYPE_s32: return INT_S32;
    case TYPE_u64: return INT_U64;
    case TYPE_s64: return INT_S64;
    default: return NONE;
    }
}
/* Tables over enum int_type: an operation that differs by type, and one that only minds the width */
#define BY_TYPE(op)  {op##_u16, op##_s16, op##_u32, op##_s32, op##_u64, op##_s64}
#define BY_WIDTH(op) {op##_16, op##_16, op##_32, op##_32, op##_64, op##_64}

#endif
