/* lanes: what an element-wise instruction does to 32 lanes (see lane_fn in isa/isa.h).
 *
 * lanes_pick resolves an opcode with its types and modifiers, once, at load time, to the function that does
 * it and the `aux` word that function wants. The same sources are compiled twice, for the plain machine and
 * for AVX2 with FMA; lanes_pick hands out the best the host has (or the plain ones when HEDDLE_NO_AVX2 is
 * set). Results are bit-identical in both builds and do not depend on the host's rounding mode: directed
 * roundings set it and put it back.
 *
 * Operand conventions, where the opcode has more than d, a, b, c:
 *   setp            d = p bits, q = second predicate bits (always written; the caller may discard), c =
 *                   predicate-source bits for .and/.or/.xor (already negated by the caller when written !c;
 *                   NULL when absent)
 *   set, selp       c = predicate-source bits (selp always; set only with a bool operator)
 *   testp           d = predicate bits
 *   and/or/xor/not.pred, mov.pred   d, a, b = predicate bits
 *   add.cc sub.cc mad.cc addc subc madc q = carry (borrow for sub: PTX's CC.CF as the silicon keeps it) in
 *   and out
 *   bfi             a = value, b = base, c = position row, q = length row (const)
 *   bfe             a, b = position row, c = length row
 *   lop3            aux = look-up table; with .and/.or: not an element-wise opcode here
 *   prmt            c = selector row; aux = mode
 *   video           a, b, c rows; aux packs types and selectors (video.c says how); c may be NULL when not
 *                   written
 *   cvt             a = source row; cvt to packed x2 from two sources: a = upper half's source, b = lower
 *                   half's; cvt.pack: a, b, c as written
 *   mul/mad         d and c are 64-bit rows under .wide
 * `reg_bits` is the width of the destination register: cvt and set extend their result to it (by the result
 * type's signedness). */
#ifndef HEDDLE_LANES_H
#define HEDDLE_LANES_H

#include "isa/isa.h"

struct lane_pick {
    lane_fn *fn; /* NULL: no such element-wise instruction */
    u32 aux;
};

/* imm: the constant of lop3 and the like; sel: the operand selectors of video instructions */
struct lane_query {
    const struct opkey *key;
    u32 reg_bits;   /* destination register width: 16, 32 or 64 */
    u32 src_bits;   /* first source register width (cvt from a wider register uses its low bits) */
    u32 imm;        /* lop3's table */
    u16 sel[4];     /* per operand d, a, b, c: enum lane_sel */
    bool negate[4]; /* per operand: written with a minus (vmad) */
    u8 nsrc;        /* sources as written (min and max take two or three; set and setp with or without a predicate) */
};
enum lane_sel { SEL_NONE, SEL_B0, SEL_B1, SEL_B2, SEL_B3, SEL_H0, SEL_H1, SEL_MASK_FIRST, SEL_PARTS_FIRST = 32 };
/* SEL_MASK_FIRST + m: the lane mask suffix of SIMD video destinations (.b3210 and its subsets as a 4-bit mask
 * m, .h10 as mask of 2 bits) SEL_PARTS_FIRST + p: the parts a SIMD video source is made of, its digits read
 * as octal (.b7654 is p = 07654, .h32 is p = 032) */

struct lane_pick lanes_pick(const struct lane_query *q);

/* The files of func/lanes/ are compiled twice; what they export carries the build's suffix, everything else
 * in them is static. Each answers {NULL, 0} for opcodes that are not its own. */
#ifdef LANES_AVX2
#define LANES_NAME(x) x##_avx2
#else
#define LANES_NAME(x) x##_plain
#endif
#define LANES_FILES(X)                                                                                                           \
    X(lanes_int) X(lanes_logic) X(lanes_video) X(lanes_fp) X(lanes_half) X(lanes_approx) X(lanes_cvt) X(lanes_compare)
#define LANES_DECLARE(file)                                                                                                      \
    struct lane_pick file##_plain(const struct lane_query *q);                                                                   \
    struct lane_pick file##_avx2(const struct lane_query *q);
LANES_FILES(LANES_DECLARE)
LANES_DECLARE(lanes_compare_fp) /* asked by lanes_compare for floating sources */

#endif
