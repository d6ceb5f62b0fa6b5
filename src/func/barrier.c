/* Lanes waiting for lanes: the sixteen barriers of a block, and collective instructions inside a warp.
 *
 * A barrier without a count waits for every thread of the block that has not ended and is on. One with a
 * count is met in units of warps, as on hardware: when all lanes of a warp that are on have arrived, its
 * missing ones count too. */
#include "func/func.h"

#include <string.h>

static void deliver(struct group *g, const struct inst *in, const struct warp *w, const struct barrier *b) {
    if (in->d.absent) return;
    if (in->aux == BAR_POPC) {
        for (u64 rest = g->mask; rest; rest &= rest - 1) {
            u32 lane = (u32)__builtin_ctzll(rest);
            ((u32 *)(void *)opnd_row(w, g, &in->d, lane / SLAB_LANES, NULL))[lane % SLAB_LANES] = b->red_popc;
        }
        return;
    }
    bool v = in->aux == BAR_AND ? b->red_and : b->red_or;
    u64 *p = &g->preds[in->d.off];
    *p = v ? *p | g->mask : *p & ~g->mask;
}

static void barrier_open(struct cta *c, u32 id) {
    struct barrier *b = &c->bars[id];
    for (u32 i = 0; i < c->nwarps; i++) {
        struct warp *w = &c->warps[i];
        for (u32 j = 0; j < w->groups.n; j++) {
            struct group *g = &w->groups.at[j];
            if (g->state != GROUP_BARRIER || g->wait != id) continue;
            deliver(g, &c->launch->k->code[g->pc], w, b);
            g->state = GROUP_READY;
            g->pc++;
        }
    }
    c->opened++;
    b->arrived = b->expected = b->passing = 0;
    b->phase++;
    if (b->by_warp) memset(b->by_warp, 0, c->nwarps * sizeof(*b->by_warp));
    b->red_popc = 0;
    b->red_and = true;
    b->red_or = false;
}

static void barrier_check(struct cta *c, u32 id) {
    struct barrier *b = &c->bars[id];
    if (!b->arrived) return;
    if (b->expected ? b->arrived >= b->expected : b->arrived >= c->live_threads) barrier_open(c, id);
}

/* Threads that count: of a warp whose enabled lanes have all come, every one */
static u32 count_arrived(const struct cta *c, const struct barrier *b) {
    u32 n = b->passing;
    for (u32 i = 0; i < c->nwarps && b->by_warp; i++) {
        u64 came = b->by_warp[i];
        bool whole = came && !(warp_enabled(&c->warps[i]) & ~came);
        n += whole ? c->launch->warp_size : (u32)__builtin_popcountll(came);
    }
    return n;
}

void cta_barrier_exit(struct cta *c) {
    for (u32 id = 0; id < CTA_BARRIERS; id++) {
        struct barrier *b = &c->bars[id];
        if (b->expected) b->arrived = count_arrived(c, b);
        barrier_check(c, id);
    }
}

static void barrier_arrive(struct warp *w, struct group *g, const struct inst *in, u32 id, u32 count) {
    struct cta *c = w->cta;
    struct barrier *b = &c->bars[id];
    u32 size = c->launch->warp_size;
    if (!b->by_warp) b->by_warp = base_alloc(c->nwarps * sizeof(*b->by_warp));
    if (!b->arrived) {
        b->expected = (count + size - 1) / size * size;
        b->red_and = true;
    }
    b->by_warp[w->id] |= g->mask;
    b->arrived = b->expected ? count_arrived(c, b) : b->arrived + (u32)__builtin_popcountll(g->mask);
    if (in->s[2].absent) return;
    u64 p = in->s[2].in == OPND_IN_POOL ? *(const u32 *)(const void *)(c->launch->k->pool + in->s[2].off) ? ~0ull : 0
                                        : g->preds[in->s[2].off];
    if (in->s[2].negate) p = ~p;
    b->red_popc += (u32)__builtin_popcountll(p & g->mask);
    b->red_and = b->red_and && !(g->mask & ~p);
    b->red_or = b->red_or || (g->mask & p);
}

/* Lanes of one group that name different barriers part here. */
static void split_by_id(struct warp *w, struct group *g, const struct inst *in, u32 id) {
    u64 others = 0;
    for (u64 rest = g->mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        if ((u32)opnd_read(w, g, &in->s[0], lane) != id) others |= 1ull << lane;
    }
    if (others) group_split_to(w, g, others, g->pc);
}

void warp_pass_barrier(struct warp *w, u32 id, u32 threads) {
    struct barrier *b = &w->cta->bars[id];
    if (!b->arrived) b->expected = threads;
    b->passing += w->launch->warp_size;
    b->arrived = count_arrived(w->cta, b);
    barrier_check(w->cta, id);
}

/* The lanes of g arrive and wait; `threads` 0: for all of the block */
void group_wait_barrier(struct warp *w, struct group *g, const struct inst *in, u32 id, u32 threads) {
    barrier_arrive(w, g, in, id, threads);
    g->state = GROUP_BARRIER;
    g->wait = (u8)id;
    barrier_check(w->cta, id);
}

void exec_bar(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (!mask) {
        g->pc++;
        return;
    }
    if (mask != g->mask) group_split_to(w, g, g->mask & ~mask, g->pc + 1);
    u32 lane = (u32)__builtin_ctzll(mask);
    u32 id = (u32)opnd_read(w, g, &in->s[0], lane);
    u32 count = in->s[1].absent ? 0 : (u32)opnd_read(w, g, &in->s[1], lane);
    if (id >= CTA_BARRIERS) {
        fault_at(w, in, (int)lane, "barrier %u does not exist; a block has barriers 0 to %d", id, CTA_BARRIERS - 1);
        return;
    }
    if (count % w->launch->warp_size) {
        fault_at(w, in, (int)lane, "barrier thread count %u is not a multiple of the warp size %u", count, w->launch->warp_size);
        return;
    }
    if (in->s[0].in == OPND_IN_REG) split_by_id(w, g, in, id);
    barrier_arrive(w, g, in, id, count);
    if (in->aux == BAR_ARRIVE) g->pc++;
    else {
        g->state = GROUP_BARRIER;
        g->wait = (u8)id;
    }
    barrier_check(w->cta, id);
}

/* --- collectives */

bool group_gather(struct warp *w, u32 *gi) {
    struct group *g = &w->groups.at[*gi];
    u64 here = g->mask;
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *h = &w->groups.at[i];
        if (h->state == GROUP_COLLECTIVE && h->conv == g->conv && stands_with(h, g)) here |= h->mask;
    }
    if (g->wait_mask & ~here) {
        g->state = GROUP_COLLECTIVE;
        return false;
    }
    for (u32 i = w->groups.n; i-- > 0;)
        if (i != *gi && w->groups.at[i].mask & g->wait_mask) *gi = group_join(w, *gi, i), g = &w->groups.at[*gi];
    return true;
}

bool group_meet(struct warp *w, u32 gi, u64 lanes, u64 members, struct meeting *m) {
    const struct inst *code = w->launch->k->code;
    struct group *g = &w->groups.at[gi];
    *m = (struct meeting){.n = 1, .part[0] = {gi, lanes}, .lanes = lanes};
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *h = &w->groups.at[i];
        if (h == g || h->state != GROUP_COLLECTIVE || h->wait_mask != members) continue;
        if (!stands_with(h, g) && !collective_alike(&code[h->pc], &code[g->pc])) continue;
        m->part[m->n].group = i;
        m->part[m->n++].lanes = h->mask;
        m->lanes |= h->mask;
        m->apart = m->apart || !stands_with(h, g);
    }
    if (!(members & warp_enabled(w) & ~m->lanes)) return true;
    if (lanes != g->mask) group_split_to(w, g, g->mask & ~lanes, g->pc + 1);
    g->state = GROUP_COLLECTIVE;
    g->wait_mask = members;
    return false;
}

u32 group_leave(struct warp *w, const struct meeting *m) {
    u32 gi = m->part[0].group;
    bool whole = m->part[0].lanes == w->groups.at[gi].mask;
    for (u32 i = m->n; i-- > 1;) {
        struct group *g = &w->groups.at[gi], *h = &w->groups.at[m->part[i].group];
        h->state = GROUP_READY;
        if (!whole || h->conv != g->conv || !stands_with(h, g)) { /* another way to go */
            h->pc++;
            continue;
        }
        gi = group_join(w, gi, m->part[i].group);
    }
    w->groups.at[gi].pc++;
    return gi;
}
