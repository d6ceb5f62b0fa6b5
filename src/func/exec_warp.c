/* Lanes of a warp together: shuffles, votes, matches, reductions, matrices. The warp has 32 lanes (slab 0):
 * the loader refuses these instructions on other warp sizes. `mask` holds all lanes that take part, already
 * gathered (barrier.c). */
#include "func/func.h"
#include "func/mma.h"
#include "func/rowops.h"

#include <string.h>

static u32 *row(const struct warp *w, const struct group *g, const struct opnd *o) {
    return (u32 *)(void *)opnd_row(w, g, o, 0, w->launch->k->pool);
}

static void write_pred(struct group *g, const struct opnd *d, u64 bits, u64 mask) {
    if (!d->absent) g->preds[d->off] = (g->preds[d->off] & ~mask) | (bits & mask);
}

static u64 read_pred(const struct warp *w, const struct group *g, const struct opnd *o) {
    u64 p = o->in == OPND_IN_POOL ? (*row(w, g, o) ? ~0ull : 0) : g->preds[o->off];
    return o->negate ? ~p : p;
}

/* A lane that takes no part gives 0: PTX leaves it open, silicon does so. */
void exec_shfl(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct rowops *ops = w->launch->ops;
    _Alignas(64) u32 t[SLAB_LANES], from[SLAB_LANES] = {0};
    const u32 *source = row(w, g, &in->s[0]);
    if ((u32)mask != ~0u) {
        ops->blend32(from, source, (u32)mask);
        source = from;
    }
    u32 valid = ops->shuffle(t, source, row(w, g, &in->s[1]), row(w, g, &in->s[2]), (enum shuffle_mode)in->aux);
    if (!in->d.absent) ops->blend32(row(w, g, &in->d), t, (u32)mask);
    write_pred(g, &in->extra[0], valid, mask);
}

void exec_vote(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u64 p = read_pred(w, g, &in->s[0]) & mask;
    if (in->aux == VOTE_BALLOT) {
        for (u64 rest = mask; rest; rest &= rest - 1) opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), (u32)p);
        return;
    }
    bool yes = in->aux == VOTE_ALL ? p == mask : in->aux == VOTE_ANY ? p != 0 : p == mask || p == 0;
    write_pred(g, &in->d, yes ? ~0ull : 0, mask);
}

void exec_match(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u64 v[SLAB_LANES] = {0};
    bool all = true;
    u32 first = (u32)__builtin_ctzll(mask);
    for (u64 rest = mask; rest; rest &= rest - 1)
        v[__builtin_ctzll(rest)] = opnd_read(w, g, &in->s[0], (u32)__builtin_ctzll(rest));
    for (u64 rest = mask; rest; rest &= rest - 1) all = all && v[__builtin_ctzll(rest)] == v[first];
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        u32 same = 0;
        for (u64 m = mask; m; m &= m - 1)
            if (v[__builtin_ctzll(m)] == v[lane]) same |= 1u << __builtin_ctzll(m);
        opnd_write(w, g, &in->d, lane, in->aux ? (all ? (u32)mask : 0) : same);
    }
    write_pred(g, &in->extra[0], all ? ~0ull : 0, mask);
}

void exec_redux(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u64 acc = opnd_read(w, g, &in->s[0], (u32)__builtin_ctzll(mask));
    for (u64 rest = mask & (mask - 1); rest; rest &= rest - 1)
        acc = atomic_apply(in->info, acc, opnd_read(w, g, &in->s[0], (u32)__builtin_ctzll(rest)), 0);
    for (u64 rest = mask; rest; rest &= rest - 1) opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), (u32)acc);
}

void exec_activemask(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    for (u64 rest = mask; rest; rest &= rest - 1) opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), (u32)mask);
}

/* The lowest lane is elected. */
void exec_elect(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 leader = (u32)__builtin_ctzll(mask);
    for (u64 rest = mask; rest; rest &= rest - 1) opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), leader);
    write_pred(g, &in->extra[0], 1ull << leader, mask);
}

void exec_warpsync(struct warp *w, struct group *g, const struct inst *in, u64 mask) { (void)w, (void)g, (void)in, (void)mask; }

/* --- lanes that come from different places
 *
 * PTX asks for the same qualifiers and the same mask, not for the same instruction. Operands are brought
 * together in rows of their own, the instruction runs once on these, and every lane takes its results
 * home. */

enum { JOINT_S0 = 0, JOINT_S1 = 2, JOINT_S2 = 3, JOINT_D = 4, JOINT_ROWS = 5 }; /* rows; s0 may have 64 bits */
enum { JOINT_PRED_S0, JOINT_PRED_D, JOINT_PRED_EXTRA, JOINT_PREDS };

static bool has(const struct inst *in, enum exec_fact fact) { return exec_of(in)->facts & fact; }
static bool pred_result(const struct inst *in) { return has(in, FACT_VOTE) && in->aux != VOTE_BALLOT; }

bool collective_alike(const struct inst *a, const struct inst *b) {
    if (a->exec_id != b->exec_id || a->aux != b->aux || !has(a, FACT_JOINT)) return false;
    if (!has(a, FACT_VOTE) && a->s[0].rows != b->s[0].rows) return false;
    if (!has(a, FACT_OPERATOR)) return true;
    const struct atomic_op *x = a->info, *y = b->info;
    return x->kind == y->kind && x->type == y->type;
}

static void copy_lanes(u8 *to, const u8 *from, u32 rows, u64 lanes) {
    size_t size = 4u * rows;
    for (; lanes; lanes &= lanes - 1) memcpy(to + __builtin_ctzll(lanes) * size, from + __builtin_ctzll(lanes) * size, size);
}

static void joint_fetch(const struct warp *w, const struct group *g, const struct opnd *o, u8 *rows, u32 at, u64 lanes) {
    if (!o->absent) copy_lanes(rows + (size_t)at * ROW_B, opnd_row(w, g, o, 0, w->launch->k->pool), o->rows, lanes);
}

void collective_joint(struct warp *w, const struct meeting *m) {
    const struct inst *code = w->launch->k->code, *in = &code[w->groups.at[m->part[0].group].pc];
    _Alignas(64) u8 rows[JOINT_ROWS * ROW_B] = {0};
    u64 preds[JOINT_PREDS] = {0};
    for (u32 i = 0; i < m->n; i++) {
        const struct group *g = &w->groups.at[m->part[i].group];
        const struct inst *pi = &code[g->pc];
        if (has(in, FACT_VOTE)) preds[JOINT_PRED_S0] |= read_pred(w, g, &pi->s[0]) & m->part[i].lanes;
        else joint_fetch(w, g, &pi->s[0], rows, JOINT_S0, m->part[i].lanes);
        joint_fetch(w, g, &pi->s[1], rows, JOINT_S1, m->part[i].lanes);
        joint_fetch(w, g, &pi->s[2], rows, JOINT_S2, m->part[i].lanes);
    }
    struct group g = {.regs = rows, .preds = preds, .mask = m->lanes};
    struct inst joint = *in;
    const struct opnd extra = {.in = OPND_IN_PRED, .off = JOINT_PRED_EXTRA};
    joint.s[0] = has(in, FACT_VOTE) ? (struct opnd){.in = OPND_IN_PRED, .off = JOINT_PRED_S0}
                                    : (struct opnd){.in = OPND_IN_REG, .rows = in->s[0].rows, .off = JOINT_S0 * ROW_B};
    joint.s[1] = (struct opnd){.in = OPND_IN_REG, .rows = 1, .off = JOINT_S1 * ROW_B};
    joint.s[2] = (struct opnd){.in = OPND_IN_REG, .rows = 1, .off = JOINT_S2 * ROW_B};
    joint.d = pred_result(in) ? (struct opnd){.in = OPND_IN_PRED, .off = JOINT_PRED_D}
                              : (struct opnd){.in = OPND_IN_REG, .rows = 1, .off = JOINT_D * ROW_B};
    joint.extra = &extra;
    in->exec(w, &g, &joint, m->lanes);
    for (u32 i = 0; i < m->n; i++) {
        struct group *home = &w->groups.at[m->part[i].group];
        const struct inst *pi = &code[home->pc];
        u64 lanes = m->part[i].lanes;
        if (pred_result(in)) write_pred(home, &pi->d, preds[JOINT_PRED_D], lanes);
        else if (!pi->d.absent) copy_lanes(opnd_row(w, home, &pi->d, 0, NULL), rows + (size_t)JOINT_D * ROW_B, 1, lanes);
        if (has(in, FACT_SECOND)) write_pred(home, &pi->extra[0], preds[JOINT_PRED_EXTRA], lanes);
    }
}

/* --- matrices */

bool exec_mma_legal(const struct opkey *k, const u32 n[4]) {
    struct mma_shape s;
    return mma_shape_of(k, &s) && n[0] == s.nd && n[1] == s.na && n[2] == s.nb && n[3] == s.nc;
}

/* The product computes all lanes; live ones that take no part (they are off, or elsewhere) keep what they
 * have. */
void exec_mma(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    _Alignas(64) u64 kept[32][SLAB_LANES];
    bool whole = !(w->live & ~mask);
    void *d[32];
    const void *s[3][32];
    u32 at = 0;
    for (u32 i = 0; i < 4; i++)
        for (u32 j = 0; j < (u32)(in->imm >> 8 * i & 0xFF); j++, at++) {
            const struct opnd *o = &in->extra[at];
            static _Thread_local _Alignas(64) u64 sink[SLAB_LANES];
            if (i == 0) d[j] = o->absent ? (void *)sink : whole ? (void *)opnd_row(w, g, o, 0, NULL) : (void *)kept[j];
            else s[i - 1][j] = opnd_row(w, g, o, 0, w->launch->k->pool);
        }
    mma_run(in->key, d, s[0], s[1], s[2]);
    for (u32 j = 0; !whole && j < (u32)(in->imm & 0xFF); j++)
        if (!in->extra[j].absent) copy_lanes(opnd_row(w, g, &in->extra[j], 0, NULL), d[j], in->extra[j].rows, mask);
}

/* Eight rows of eight 16-bit elements; lane l's row address serves matrix l / 8. */
static bool matrix_address(struct warp *w, struct group *g, const struct inst *in, u64 *addr) {
    const struct matrix_info *mi = in->info;
    for (u32 l = 0; l < 8u * mi->count; l++) {
        addr[l] = (in->s[0].absent ? 0 : opnd_read(w, g, &in->s[0], l)) + (u64)in->imm;
        if (addr[l] - SHARED_WINDOW < WINDOW_B) addr[l] -= SHARED_WINDOW; /* a generic address */
        if (addr[l] % 16 == 0 && addr[l] + 16 <= w->launch->shared_b) continue;
        struct maccess a = {.mask = 1u << l, .size_b = 16, .align_b = 16, .addr = addr, .fault_lane = (u8)l};
        a.fault = addr[l] % 16 ? FAULT_MISALIGNED : FAULT_WILD;
        fault_access(w, in, 0, &a, SPACE_SHARED);
        return false;
    }
    return true;
}

void exec_ldmatrix(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct matrix_info *mi = in->info;
    u64 addr[SLAB_LANES];
    u16 m[4][8][8];
    if (!matrix_address(w, g, in, addr)) return;
    for (u32 l = 0; l < 8u * mi->count; l++) memcpy(m[l / 8][l % 8], w->cta->shared + addr[l], 16);
    for (u32 i = 0; i < mi->count; i++)
        for (u64 rest = mask; rest; rest &= rest - 1) {
            u32 lane = (u32)__builtin_ctzll(rest), r = lane / 4, c = lane % 4 * 2;
            u32 v = mi->trans ? m[i][c][r] | (u32)m[i][c + 1][r] << 16 : m[i][r][c] | (u32)m[i][r][c + 1] << 16;
            opnd_write(w, g, &in->extra[i], lane, v);
        }
}

void exec_stmatrix(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)mask;
    const struct matrix_info *mi = in->info;
    u64 addr[SLAB_LANES];
    u16 m[4][8][8];
    if (!matrix_address(w, g, in, addr)) return;
    for (u32 i = 0; i < mi->count; i++)
        for (u32 lane = 0; lane < SLAB_LANES; lane++) {
            u32 r = lane / 4, c = lane % 4 * 2, v = row(w, g, &in->extra[i])[lane];
            for (u32 h = 0; h < 2; h++) *(mi->trans ? &m[i][c + h][r] : &m[i][r][c + h]) = (u16)(v >> 16 * h);
        }
    for (u32 l = 0; l < 8u * mi->count; l++) memcpy(w->cta->shared + addr[l], m[l / 8][l % 8], 16);
}

void exec_movmatrix(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u16 m[8][8];
    for (u32 lane = 0; lane < SLAB_LANES; lane++) {
        u32 v = row(w, g, &in->s[0])[lane];
        m[lane / 4][lane % 4 * 2] = (u16)v;
        m[lane / 4][lane % 4 * 2 + 1] = (u16)(v >> 16);
    }
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest), r = lane / 4, c = lane % 4 * 2;
        opnd_write(w, g, &in->d, lane, m[c][r] | (u32)m[c + 1][r] << 16);
    }
}
