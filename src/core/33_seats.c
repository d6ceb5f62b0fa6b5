/* Positions (beat, SIMD lane) of threads in formed fronts.
 *
 * A thread starts in its home lane, or (dwf.permute) in that XOR its home's turn among those of its scheduler
 * (form_home_seat), and keeps it. With dwf.conflict = move (en-DWF) a thread whose position is taken moves to
 * one that is free in both, of the same SIMD lane, the lowest beat first. With dwf.lanes = free any position
 * will do, and registers of lanes that share a SIMD lane at home are read one after the other (crew.passes).
 * With sm.squeeze pieces are squeezed before they join others, or (dwf.squeeze = after) fronts when they
 * issue, which is scale.c's. At a collective lanes go home first.
 *
 * Papers: Jin (2012), 4.1 and 4.4; Rhu, Erez (ISCA 2013) for the permutation. G2 of 33_form.c: positions of a
 * front are disjoint. */
#include "core/form.h"

/* Rhu and Erez permute so that the same lane of different warps sits in different positions. Warps that meet
 * are those of one scheduler, of any block: the number within the block would leave blocks of one warp as
 * they are, and the home's number alone would give a scheduler of several only some of the positions. */
u32 form_home_seat(const struct core *c, u32 home, u32 lane) {
    return c->cfg->dwf_permute ? lane ^ (home / c->cfg->schedulers & (c->cfg->warp_size - 1)) : lane;
}

u64 seats_of_lanes(const struct core *c, u32 home, u64 lanes) {
    u64 seats = 0;
    if (c->form->at_home) return lanes;
    for (; lanes; lanes &= lanes - 1) seats |= 1ull << c->form->seat[home][__builtin_ctzll(lanes)];
    return seats;
}

u64 seats_of(const struct core *c, const struct part *p) { return seats_of_lanes(c, p->home, p->lanes); }

bool seats_at_home(const struct core *c, const struct part *p) {
    for (u64 m = c->form->at_home ? 0 : p->lanes; m; m &= m - 1) {
        u32 lane = (u32)__builtin_ctzll(m);
        if (c->form->seat[p->home][lane] != form_home_seat(c, p->home, lane)) return false;
    }
    return true;
}

/* The thread of a piece that sits there gets another position */
static void reseat(const struct core *c, struct piece *x, u32 from, u32 to) {
    for (u32 i = 0; i < x->n; i++)
        for (u64 m = x->part[i].lanes; m; m &= m - 1) {
            u8 *seat = &c->form->seat[x->part[i].home][__builtin_ctzll(m)];
            if (*seat != from) continue;
            *seat = (u8)to;
            x->seats = (x->seats & ~(1ull << from)) | 1ull << to;
            return;
        }
}

u32 form_moves(u64 there, u64 come, u32 size, u32 width, u8 *from, u8 *to) {
    u32 n = 0;
    for (u32 lane = 0; lane < width; lane++) {
        u64 taken = there | come;
        for (u32 s = lane; s < size; s += width) {
            if (!(there >> s & come >> s & 1)) continue;
            u32 free = lane;
            while (free < size && taken >> free & 1) free += width;
            if (free >= size) return UINT32_MAX;
            taken |= 1ull << free;
            from[n] = (u8)s, to[n++] = (u8)free;
        }
    }
    return n;
}

/* en-DWF: whoever meets somebody in its position moves within its SIMD lane; false, and nothing done: there
 * is no room */
static bool move_apart(struct core *c, struct piece *x, u64 there) {
    u8 from[MAX_WARP], to[MAX_WARP];
    u32 n = form_moves(there, x->seats, c->cfg->warp_size, c->form->width, from, to);
    if (n == UINT32_MAX) return false;
    for (u32 i = 0; i < n; i++) reseat(c, x, from[i], to[i]);
    c->stats.formed_moves += n;
    return true;
}

/* dwf.lanes = free: any position will do */
static bool sit_anywhere(const struct core *c, struct piece *x, u64 there) {
    u64 all = c->cfg->warp_size == 64 ? ~0ull : (1ull << c->cfg->warp_size) - 1, taken = there | x->seats;
    if (__builtin_popcountll(there) + __builtin_popcountll(x->seats) > (int)c->cfg->warp_size) return false;
    for (u64 m = there & x->seats; m; m &= m - 1) {
        u32 to = (u32)__builtin_ctzll(all & ~taken);
        reseat(c, x, (u32)__builtin_ctzll(m), to);
        taken |= 1ull << to;
    }
    return true;
}

bool seats_find(struct core *c, struct piece *x, u64 there) {
    if (!(there & x->seats)) return true;
    c->stats.formed_conflicts++;
    if (c->cfg->dwf_lanes == DWF_FREE) return sit_anywhere(c, x, there);
    return c->cfg->dwf_conflict == DWF_MOVE && move_apart(c, x, there);
}

/* Jin 4.1 for a piece that comes to the pool: its threads move to the beats that have most of them */
void seats_squeeze(struct core *c, struct piece *x) {
    u8 order[MAX_WARP], rank_of[MAX_WARP];
    u32 width = c->form->width;
    u64 before = x->seats;
    c->stats.squeeze_moves += scale_place(before, c->cfg->warp_size, width, c->form->squeezes, rank_of);
    scale_rank(before, width, c->form->beats, order);
    x->seats = 0;
    for (u32 i = 0; i < x->n; i++)
        for (u64 m = x->part[i].lanes; m; m &= m - 1) {
            u8 *seat = &c->form->seat[x->part[i].home][__builtin_ctzll(m)];
            *seat = (u8)(order[rank_of[*seat]] * width + *seat % width);
            x->seats |= 1ull << *seat;
        }
}

void seats_go_home(const struct core *c, struct piece *x) { /* lanes of one warp: their positions are free */
    x->seats = 0;
    for (u32 i = 0; i < x->n; i++) {
        for (u64 m = x->part[i].lanes; m; m &= m - 1) {
            u32 lane = (u32)__builtin_ctzll(m);
            c->form->seat[x->part[i].home][lane] = (u8)form_home_seat(c, x->part[i].home, lane);
        }
        x->seats |= seats_of(c, &x->part[i]);
    }
}
