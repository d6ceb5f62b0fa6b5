/* Element-wise instructions: the lane function over each slab, then the active lanes kept.
 *
 * Lanes that do not live (never started, or ended) may be overwritten freely, so a warp whose live lanes are
 * all active takes the short way and computes straight into the destination. Lanes that are off live: with
 * them a warp never takes it. */
#include "func/func.h"
#include "func/rowops.h"

#include <string.h>

struct slab { /* what one slab of a group looks like to an exec function */
    u8 *regs;
    const u8 *pool;
    u32 mask;
    bool whole; /* every live lane is active */
};

static inline bool slab_begin(const struct warp *w, const struct group *g, u64 mask, u32 s, struct slab *x) {
    x->mask = (u32)(mask >> 32 * s);
    if (!x->mask) return false;
    x->regs = g->regs + (size_t)s * w->rows * ROW_B;
    x->pool = w->launch->k->pool;
    x->whole = !((u32)(w->live >> 32 * s) & ~x->mask);
    return true;
}

static inline u8 *slab_row(const struct slab *x, const struct opnd *o) {
    return (o->in == OPND_IN_POOL ? (u8 *)x->pool : x->regs) + o->off;
}

static inline u32 pred_bits(const struct group *g, const struct opnd *o, const struct slab *x, u32 s) {
    u32 p = o->in == OPND_IN_POOL ? *(const u32 *)(const void *)(x->pool + o->off) : (u32)(g->preds[o->off] >> 32 * s);
    return o->negate ? ~p : p;
}

static inline void pred_write(struct group *g, const struct opnd *o, u32 s, u32 bits, u32 mask) {
    if (o->absent) return;
    u64 m = (u64)mask << 32 * s, v = (u64)bits << 32 * s;
    g->preds[o->off] = (g->preds[o->off] & ~m) | (v & m);
}

void exec_rows1(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x) || in->d.absent) continue;
        u32 *d = (u32 *)(void *)(x.regs + in->d.off);
        if (x.whole) {
            in->lane(d, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), slab_row(&x, &in->s[2]), NULL, in->aux);
            continue;
        }
        _Alignas(64) u32 t[SLAB_LANES];
        in->lane(t, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), slab_row(&x, &in->s[2]), NULL, in->aux);
        w->launch->ops->blend32(d, t, x.mask);
    }
}

void exec_rows2(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x) || in->d.absent) continue;
        u64 *d = (u64 *)(void *)(x.regs + in->d.off);
        if (x.whole) {
            in->lane(d, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), slab_row(&x, &in->s[2]), NULL, in->aux);
            continue;
        }
        _Alignas(64) u64 t[SLAB_LANES];
        in->lane(t, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), slab_row(&x, &in->s[2]), NULL, in->aux);
        w->launch->ops->blend64(d, t, x.mask);
    }
}

/* The result of a lane function into d, whatever d's width */
static void keep_rows(const struct warp *w, const struct slab *x, const struct opnd *d, const void *t) {
    if (d->absent) return;
    if (d->rows == 2) w->launch->ops->blend64((u64 *)(void *)(x->regs + d->off), t, x->mask);
    else w->launch->ops->blend32((u32 *)(void *)(x->regs + d->off), t, x->mask);
}

void exec_setp(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        u32 p = 0, q = 0, c = 0;
        const void *cp = NULL;
        if (!in->s[2].absent) {
            c = pred_bits(g, &in->s[2], &x, s);
            cp = &c;
        }
        in->lane(&p, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), cp, &q, in->aux);
        pred_write(g, &in->d, s, p, x.mask);
        pred_write(g, &in->q, s, q, x.mask);
    }
}

void exec_selp(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x) || in->d.absent) continue;
        u32 c = pred_bits(g, &in->s[2], &x, s);
        if (x.whole) {
            in->lane(x.regs + in->d.off, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), &c, NULL, in->aux);
            continue;
        }
        _Alignas(64) u64 t[SLAB_LANES];
        in->lane(t, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), &c, NULL, in->aux);
        keep_rows(w, &x, &in->d, t);
    }
}

void exec_predlogic(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        u32 a = pred_bits(g, &in->s[0], &x, s), b = in->s[1].absent ? 0 : pred_bits(g, &in->s[1], &x, s), d = 0;
        in->lane(&d, &a, &b, &a, NULL, in->aux);
        pred_write(g, &in->d, s, d, x.mask);
    }
}

void exec_carry(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        u32 cc = (u32)(g->preds[in->q.off] >> 32 * s);
        _Alignas(64) u64 t[SLAB_LANES];
        in->lane(t, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), slab_row(&x, &in->s[2]), &cc, in->aux);
        keep_rows(w, &x, &in->d, t);
        if (in->imm & CARRY_OUT) pred_write(g, &in->q, s, cc, x.mask);
    }
}

void exec_fourth(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        _Alignas(64) u64 t[SLAB_LANES];
        in->lane(t, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), slab_row(&x, &in->s[2]),
                 (u32 *)(void *)slab_row(&x, &in->q), in->aux);
        keep_rows(w, &x, &in->d, t);
    }
}

void exec_lop3p(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        _Alignas(64) u32 t[SLAB_LANES];
        in->lane(t, slab_row(&x, &in->s[0]), slab_row(&x, &in->s[1]), slab_row(&x, &in->s[2]), NULL, in->aux);
        u32 q = pred_bits(g, &in->extra[1], &x, s), p = 0;
        for (u32 l = 0; l < SLAB_LANES; l++) p |= (u32)(t[l] != 0) << l;
        keep_rows(w, &x, &in->d, t);
        pred_write(g, &in->extra[0], s, in->imm ? p | q : p & q, x.mask);
    }
}

/* --- moves that are not element by element */

/* Two words and a pair: what compilers make of 64-bit shuffles and struct fields */
static bool is_two_words(const struct inst *in, const struct opnd *whole) {
    return in->extra_n == 2 && in->elem_b == 4 && !whole->absent && !in->extra[0].absent && !in->extra[1].absent;
}

static void pack_two(struct warp *w, const struct inst *in, const struct slab *x) {
    _Alignas(64) u32 t[SLAB_LANES * 2];
    const u32 *rows[2] = {(const u32 *)(void *)slab_row(x, &in->extra[0]), (const u32 *)(void *)slab_row(x, &in->extra[1])};
    w->launch->ops->zip(t, rows, 2);
    keep_rows(w, x, &in->d, t);
}

static void unpack_two(struct warp *w, const struct inst *in, const struct slab *x) {
    _Alignas(64) u32 t[2][SLAB_LANES];
    u32 *rows[2] = {t[0], t[1]};
    w->launch->ops->unzip(rows, (const u32 *)(void *)slab_row(x, &in->s[0]), 2);
    keep_rows(w, x, &in->extra[0], t[0]);
    keep_rows(w, x, &in->extra[1], t[1]);
}

void exec_pack(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        if (is_two_words(in, &in->d)) {
            pack_two(w, in, &x);
            continue;
        }
        u8 t[SLAB_LANES][16] = {{0}};
        for (u32 e = 0; e < in->extra_n; e++) {
            const u8 *row = slab_row(&x, &in->extra[e]);
            for (u32 l = 0; l < SLAB_LANES; l++)
                memcpy(&t[l][e * in->elem_b], row + (size_t)l * 4 * in->extra[e].rows, in->elem_b);
        }
        for (u32 rest = x.mask; rest && !in->d.absent; rest &= rest - 1) {
            u32 l = (u32)__builtin_ctz(rest);
            memcpy(x.regs + in->d.off + (size_t)l * 4 * in->d.rows, t[l], 4u * in->d.rows);
        }
    }
}

void exec_unpack(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        if (is_two_words(in, &in->s[0])) {
            unpack_two(w, in, &x);
            continue;
        }
        u8 t[SLAB_LANES][16];
        const u8 *row = slab_row(&x, &in->s[0]);
        for (u32 l = 0; l < SLAB_LANES; l++) memcpy(t[l], row + (size_t)l * 4 * in->s[0].rows, 4u * in->s[0].rows);
        for (u32 e = 0; e < in->extra_n; e++) {
            const struct opnd *d = &in->extra[e];
            for (u32 rest = x.mask; rest && !d->absent; rest &= rest - 1) {
                u32 l = (u32)__builtin_ctz(rest);
                u64 v = 0;
                memcpy(&v, &t[l][e * in->elem_b], in->elem_b);
                memcpy(x.regs + d->off + (size_t)l * 4 * d->rows, &v, 4u * d->rows);
            }
        }
    }
}

static void fill_row(const struct warp *w, const struct slab *x, const struct opnd *d, u64 value) {
    _Alignas(64) u64 t[SLAB_LANES];
    for (u32 l = 0; l < SLAB_LANES; l++)
        if (d->rows == 2) t[l] = value;
        else ((u32 *)(void *)t)[l] = (u32)value;
    keep_rows(w, x, d, t);
}

void exec_movlocal(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++)
        if (slab_begin(w, g, mask, s, &x)) fill_row(w, &x, &in->d, (u64)in->imm + g->local_base);
}

void exec_isspacep(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        const u64 *a = (const u64 *)(const void *)slab_row(&x, &in->s[0]);
        u32 p = 0;
        for (u32 l = 0; l < SLAB_LANES; l++) {
            bool shared = a[l] - SHARED_WINDOW < WINDOW_B, local = a[l] - LOCAL_WINDOW < WINDOW_B,
                 param = a[l] - PARAM_WINDOW < WINDOW_B;
            const struct alloc *al = shared || local || param ? NULL : memory_find(w->launch->mem, a[l]);
            bool in_const = al && al->read_only;
            bool yes = in->space == SPACE_SHARED  ? shared
                       : in->space == SPACE_LOCAL ? local
                       : in->space == SPACE_PARAM ? param
                       : in->space == SPACE_CONST ? in_const
                                                  : !shared && !local && !param && !in_const;
            p |= (u32)yes << l;
        }
        pred_write(g, &in->d, s, p, x.mask);
    }
}

void exec_nop(struct warp *w, struct group *g, const struct inst *in, u64 mask) { (void)w, (void)g, (void)in, (void)mask; }

/* Accesses are performed in program order, so a fence has nothing left to order. */
void exec_fence(struct warp *w, struct group *g, const struct inst *in, u64 mask) { (void)w, (void)g, (void)in, (void)mask; }

/* --- special registers */

static u64 lanemask(enum sreg r, u32 lane) {
    u64 eq = 1ull << lane, lt = eq - 1;
    switch (r) {
    case SREG_lanemask_eq: return eq;
    case SREG_lanemask_lt: return lt;
    case SREG_lanemask_le: return lt | eq;
    case SREG_lanemask_gt: return ~(lt | eq);
    default: return ~lt;
    }
}

static u64 clock_now(const struct warp *w) { return w->step ? w->step->clock : w->launch->clock; }

static u64 sreg_value(struct warp *w, enum sreg r, u32 lane) {
    struct launch *l = w->launch;
    switch (r) {
    case SREG_ntid_x:
    case SREG_ntid_y:
    case SREG_ntid_z: return l->block[r - SREG_ntid_x];
    case SREG_ctaid_x:
    case SREG_ctaid_y:
    case SREG_ctaid_z: return w->cta->index[r - SREG_ctaid_x];
    case SREG_nctaid_x:
    case SREG_nctaid_y:
    case SREG_nctaid_z: return l->grid[r - SREG_nctaid_x];
    case SREG_laneid: return lane;
    case SREG_warpid: return l->timed ? w->slot : w->id;
    case SREG_nwarpid: return l->timed ? l->nwarpid : 2048 / l->warp_size; /* else those of one multiprocessor of 2,048 threads */
    case SREG_smid: return l->smid;
    case SREG_nsmid: return l->timed ? l->nsmid : 1;
    case SREG_lanemask_eq:
    case SREG_lanemask_le:
    case SREG_lanemask_lt:
    case SREG_lanemask_ge:
    case SREG_lanemask_gt: return (u32)lanemask(r, lane);
    case SREG_clock:
    case SREG_clock64:
    case SREG_globaltimer:
    case SREG_globaltimer_lo: return clock_now(w);
    case SREG_clock_hi:
    case SREG_globaltimer_hi: return clock_now(w) >> 32;
    /* cooperative groups look here for the words with which a grid's blocks meet */
    case SREG_envreg1: return l->workspace >> 32;
    case SREG_envreg2: return (u32)l->workspace;
    case SREG_dynamic_smem_size: return l->dynamic_shared_b;
    case SREG_total_smem_size:
    case SREG_aggr_smem_size: return l->shared_b;
    /* no clusters: each block is a cluster of one */
    case SREG_clusterid_x:
    case SREG_clusterid_y:
    case SREG_clusterid_z: return w->cta->index[r - SREG_clusterid_x];
    case SREG_nclusterid_x:
    case SREG_nclusterid_y:
    case SREG_nclusterid_z: return l->grid[r - SREG_nclusterid_x];
    case SREG_cluster_nctarank:
    case SREG_cluster_nctaid_x:
    case SREG_cluster_nctaid_y:
    case SREG_cluster_nctaid_z: return 1;
    default: return 0;
    }
}

/* Whether lanes of a warp read different values */
static bool sreg_differs(enum sreg r) {
    return r <= SREG_tid_z || r == SREG_laneid || (r >= SREG_lanemask_eq && r <= SREG_lanemask_gt);
}

static void fill_lanes(struct warp *w, const struct slab *x, const struct opnd *d, enum sreg r, u32 s) {
    _Alignas(64) u64 t[SLAB_LANES];
    for (u32 l = 0; l < SLAB_LANES; l++) {
        u32 lane = s * SLAB_LANES + l;
        u64 v = r <= SREG_tid_z ? w->tid[r - SREG_tid_x][lane] : sreg_value(w, r, lane);
        if (d->rows == 2) t[l] = v;
        else ((u32 *)(void *)t)[l] = (u32)v;
    }
    keep_rows(w, x, d, t);
}

void exec_sreg(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct slab x;
    enum sreg r = (enum sreg)in->imm;
    if (!w->launch->timed) w->launch->clock += 2;
    for (u32 s = 0; s < w->nslabs; s++) {
        if (!slab_begin(w, g, mask, s, &x)) continue;
        if (in->d.in == OPND_IN_PRED) {
            pred_write(g, &in->d, s, 0, x.mask);
            continue;
        }
        if (r <= SREG_tid_z && in->d.rows == 1) keep_rows(w, &x, &in->d, &w->tid[r - SREG_tid_x][s * SLAB_LANES]);
        else if (sreg_differs(r)) fill_lanes(w, &x, &in->d, r, s);
        else fill_row(w, &x, &in->d, sreg_value(w, r, 0));
    }
}
