/* wmma: fragments whose layout is ours, loaded, stored and multiplied by pieces of mma.sync.
 *
 * A matrix is a list of elements: A and B with k running fastest (A by rows, B by columns), C by rows. The
 * list is dealt out to the lanes in equal runs, and within a lane to its registers from the lowest bits up.
 * f16 matrices A and B have more room than elements in some shapes; the run is then repeated, so that
 * programs that change every element of a fragment change all copies alike. Not modelled: the layouts that
 * hardware happens to use, which the PTX ISA leaves open. */
#include "func/func.h"
#include "func/lanes/float.h"
#include "func/mma.h"
#include "func/rowops.h"

#include <string.h>

enum { MAX_ELEMS = 1024, MAX_REGS = 8 };

struct dims { /* of one part: lines of `len` elements that lie together in the list */
    u32 lines, len;
};

static struct dims dims_of(const struct wmma_info *x, u8 part) {
    if (part == 'a') return (struct dims){x->m, x->k};
    if (part == 'b') return (struct dims){x->n, x->k};
    return (struct dims){x->m, x->n};
}

static u64 lane_value(const struct warp *w, const struct group *g, const struct opnd *o, u32 lane) {
    u64 v = 0;
    memcpy(&v, opnd_row(w, g, o, 0, w->launch->k->pool) + (size_t)lane * 4 * o->rows, 4u * o->rows);
    return v;
}

/* --- memory: a unit is an element, or the word that holds a lane's parts of bytes */

struct unit {
    u32 bits, per_lane, count; /* of elements: bits, units a lane has, elements in a unit */
};

static struct unit unit_of(const struct wmma_info *x, u8 part, u8 type) {
    struct dims d = dims_of(x, part);
    u32 bits = type_table[type].bits, elems = d.lines * d.len / SLAB_LANES;
    return bits < 8 ? (struct unit){32, elems * bits / 32, 32 / bits} : (struct unit){bits, elems, 1};
}

/* Bytes from the matrix's first element to element i of the list */
static u64 place_of(const struct wmma_info *x, u32 i, u64 stride) {
    struct dims d = dims_of(x, x->part);
    u32 line = i / d.len, at = i % d.len;
    bool along = x->part == 'b' ? x->col : !x->col; /* a line of the list is a line of memory */
    return (along ? line * stride + at : at * stride + line) * type_table[x->type].bits / 8;
}

static u64 stride_of(const struct warp *w, const struct group *g, const struct inst *in, u32 lane) {
    const struct wmma_info *x = in->info;
    struct dims d = dims_of(x, x->part);
    bool along = x->part == 'b' ? x->col : !x->col;
    return in->s[1].absent ? (along ? d.len : d.lines) : lane_value(w, g, &in->s[1], lane);
}

static void unit_access(struct warp *w, const struct group *g, const struct inst *in, u32 slot, u32 mask, const struct unit *u,
                        u64 *addr, struct maccess *a) {
    const struct wmma_info *x = in->info;
    struct launch *l = w->launch;
    for (u32 i = 0; i < SLAB_LANES; i++) {
        u32 lane = mask >> i & 1 ? i : (u32)__builtin_ctz(mask);
        u64 base =
            (u64)in->imm + (in->frame_local ? g->local_base : 0) + (in->s[0].absent ? 0 : lane_value(w, g, &in->s[0], lane));
        addr[i] = base + place_of(x, (lane * u->per_lane + slot) * u->count, stride_of(w, g, in, lane));
    }
    *a = (struct maccess){.mask = mask,
                          .size_b = u->bits / 8,
                          .align_b = u->bits / 8,
                          .ops = l->ops,
                          .hint = &l->hints[in - l->k->code],
                          .addr = addr};
}

/* --- registers: unit `slot` of a lane */

static void unit_write(const struct warp *w, const struct group *g, const struct opnd *regs, u32 slot, u32 bits, u32 lane,
                       u64 v) {
    u32 per_reg = bits == 64 ? 1 : 32 / bits;
    const struct opnd *o = &regs[slot / per_reg];
    if (o->absent) return;
    u8 *at = opnd_row(w, g, o, 0, NULL) + (size_t)lane * 4 * o->rows + slot % per_reg * bits / 8;
    memcpy(at, &v, bits / 8);
}

static u64 unit_read(const struct warp *w, const struct group *g, const struct opnd *regs, u32 slot, u32 bits, u32 lane) {
    u32 per_reg = bits == 64 ? 1 : 32 / bits;
    u64 v = lane_value(w, g, &regs[slot / per_reg], lane);
    return bits == 64 ? v : v >> slot % per_reg * bits & (~0ull >> (64 - bits));
}

static u32 slots_of(u32 regs, u32 bits) { return bits == 64 ? regs : regs * 32 / bits; }

void exec_wmma_load(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct wmma_info *x = in->info;
    struct unit u = unit_of(x, x->part, x->type);
    _Alignas(64) u64 addr[SLAB_LANES], data[SLAB_LANES];
    u64 got[MAX_REGS * 4][SLAB_LANES];
    struct maccess a;
    for (u32 slot = 0; slot < u.per_lane; slot++) { /* all loads first: a destination may be the address */
        unit_access(w, g, in, slot, (u32)mask, &u, addr, &a);
        if (!access_load(w, g, in, 0, &a, data)) return;
        for (u32 l = 0; l < SLAB_LANES; l++) {
            got[slot][l] = 0;
            memcpy(&got[slot][l], (u8 *)data + (size_t)l * u.bits / 8, u.bits / 8);
        }
    }
    for (u32 slot = 0; slot < slots_of(x->regs, u.bits); slot++)
        for (u64 rest = mask; rest; rest &= rest - 1) {
            u32 lane = (u32)__builtin_ctzll(rest);
            unit_write(w, g, in->extra, slot, u.bits, lane, got[slot % u.per_lane][lane]);
        }
}

void exec_wmma_store(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct wmma_info *x = in->info;
    struct unit u = unit_of(x, x->part, x->type);
    _Alignas(64) u64 addr[SLAB_LANES], data[SLAB_LANES];
    struct maccess a;
    for (u32 slot = 0; slot < u.per_lane; slot++) {
        unit_access(w, g, in, slot, (u32)mask, &u, addr, &a);
        for (u32 l = 0; l < SLAB_LANES; l++) {
            u64 v = unit_read(w, g, in->extra, slot, u.bits, l);
            memcpy((u8 *)data + (size_t)l * u.bits / 8, &v, u.bits / 8);
        }
        if (!access_store(w, g, in, 0, &a, data)) return;
    }
}

/* --- the product */

/* A list of elements and how it is read as a matrix: by lines, or across them */
struct list {
    u64 at[MAX_ELEMS];
    u32 len;
    bool across;
};

static u64 *list_at(struct list *x, u32 row, u32 col) { return &x->at[x->across ? col * x->len + row : row * x->len + col]; }

static void list_read(const struct warp *w, const struct group *g, const struct opnd *regs, const struct wmma_info *x, u8 part,
                      u8 type, struct list *out) {
    struct dims d = dims_of(x, part);
    u32 bits = type_table[type].bits, per_lane = d.lines * d.len / SLAB_LANES;
    out->len = d.len;
    out->across = false;
    for (u32 i = 0; i < d.lines * d.len; i++) out->at[i] = unit_read(w, g, regs, i % per_lane, bits, i / per_lane);
}

static void list_write(const struct warp *w, const struct group *g, const struct opnd *regs, u8 type, const struct list *x, u32 n,
                       u64 mask) {
    u32 bits = type_table[type].bits, per_lane = n / SLAB_LANES;
    for (u32 i = 0; i < n; i++)
        if (mask >> i / per_lane & 1) unit_write(w, g, regs, i % per_lane, bits, i / per_lane, x->at[i]);
}

/* Between C or D and the sums, when one is f16 and the other f32 */
static void list_widen(struct list *x, u32 n) {
    for (u32 i = 0; i < n; i++) x->at[i] = f32_bits(f32_of_f16((u32)x->at[i]));
}
static void list_narrow(struct list *x, u32 n) {
    for (u32 i = 0; i < n; i++) x->at[i] = f16_of_f32(f32_of((u32)x->at[i]));
}

struct rows { /* one operand of mma.sync */
    _Alignas(64) u64 row[MAX_REGS][SLAB_LANES];
};

static void pack_elem(struct rows *r, u32 reg, u32 lane, u32 e, u32 bits, u64 v) {
    if (bits == 64) r->row[reg][lane] = v;
    else ((u32 *)(void *)r->row[reg])[lane] |= (u32)v << e * bits;
}

/* Registers of A (of `m` rows, from row0) or, with m = 0, of B, both from k0, in the layout that mma.c
 * describes */
static void pack_factor(struct rows *r, struct list *x, u32 row0, u32 k0, u32 m, u32 regs, u32 bits) {
    u32 per_reg = bits == 64 ? 1 : 32 / bits;
    memset(r, 0, sizeof(*r));
    for (u32 j = 0; j < regs; j++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++)
            for (u32 e = 0; e < per_reg; e++) {
                u32 half = m == 16 ? j & 1 : 0, step = m == 16 ? j >> 1 : j;
                u32 row = row0 + lane / 4 + 8 * half, k = k0 + per_reg * (lane % 4 + 4 * step) + e;
                pack_elem(r, j, lane, e, bits, *list_at(x, row, k));
            }
}

/* Elements of C or D, two to a register when they are f16 */
static u64 *sum_at(struct list *x, u32 row0, u32 col0, u32 e, u32 lane) {
    return list_at(x, row0 + lane / 4 + 8 * (e / 2), col0 + 2 * (lane % 4) + e % 2);
}

static void pack_sums(struct rows *r, struct list *c, u32 row0, u32 col0, u32 elems, u32 bits) {
    memset(r, 0, sizeof(*r));
    for (u32 e = 0; e < elems; e++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++)
            pack_elem(r, bits == 16 ? e / 2 : e, lane, bits == 16 ? e & 1 : 0, bits, *sum_at(c, row0, col0, e, lane));
}

static void unpack_sums(const struct rows *r, struct list *d, u32 row0, u32 col0, u32 elems, u32 bits) {
    for (u32 e = 0; e < elems; e++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++) {
            u32 word = ((const u32 *)(const void *)r->row[bits == 16 ? e / 2 : e])[lane];
            *sum_at(d, row0, col0, e, lane) = bits == 64 ? r->row[e][lane] : bits == 16 ? word >> 16 * (e & 1) & 0xFFFF : word;
        }
}

static void point_at(void **p, struct rows *r) {
    for (u32 i = 0; i < MAX_REGS; i++) p[i] = r->row[i];
}

/* One product of the tensor core; c becomes d */
static void one_step(const struct opkey *key, struct list *a, struct list *b, struct list *c, u32 row0, u32 col0, u32 k0) {
    struct mma_shape s;
    struct rows ra, rb, rc;
    void *pa[MAX_REGS], *pb[MAX_REGS], *pc[MAX_REGS];
    CHECK(mma_shape_of(key, &s));
    u32 sum_bits = type_table[key->type[0]].bits, elems = s.m / 4u;
    pack_factor(&ra, a, row0, k0, s.m, s.na, type_table[key->type[1]].bits);
    pack_factor(&rb, b, col0, k0, 0, s.nb, type_table[key->type[2]].bits);
    pack_sums(&rc, c, row0, col0, elems, sum_bits);
    point_at(pa, &ra), point_at(pb, &rb), point_at(pc, &rc);
    mma_run(key, pc, (const void *const *)pa, (const void *const *)pb, (const void *const *)pc);
    unpack_sums(&rc, c, row0, col0, elems, sum_bits);
}

void exec_wmma(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct wmma_info *x = in->info;
    const struct opnd *d = in->extra, *ra = d + x->nregs[0], *rb = ra + x->nregs[1], *rc = rb + x->nregs[2];
    struct list a, b, c;
    struct mma_shape s;
    u32 elems = (u32)x->m * x->n;
    CHECK(mma_shape_of(&x->step, &s));
    list_read(w, g, ra, x, 'a', x->types[1], &a);
    list_read(w, g, rb, x, 'b', x->types[2], &b);
    list_read(w, g, rc, x, 'c', x->types[3], &c);
    if (x->types[3] != x->step.type[3]) list_widen(&c, elems);
    bool turned = x->m < x->n; /* eight rows are a column's worth: the transposed product */
    c.across = turned;
    u32 rows = turned ? x->n : x->m, cols = turned ? x->m : x->n;
    for (u32 row = 0; row < rows; row += s.m)
        for (u32 col = 0; col < cols; col += s.n)
            for (u32 k = 0; k < x->k; k += s.k) one_step(&x->step, turned ? &b : &a, turned ? &a : &b, &c, row, col, k);
    if (x->types[0] != x->step.type[0]) list_narrow(&c, elems);
    list_write(w, g, d, x->types[0], &c, elems, mask);
}
