/* Vortex's own instructions: who is on (tmc, pred, split, join), which warps run (wspawn), barriers over
 * warps, votes and shuffles. 2021: the RTL of October of that year; v3: today's.
 *
 * V1 under RV_SPLIT a warp has one group, and its lanes are those the thread mask has V2 a split whose
 * `other` is 0 is one whose next join restores `all` and is the last */
#include "func/rowops.h"
#include "func/rv.h"

static u64 lanes_of(const struct warp *w) {
    u32 n = w->launch->warp_size;
    return n == 64 ? ~0ull : (1ull << n) - 1;
}

/* g's lanes become `on`, of those it has and those that are off; a warp that has none left ends */
static void set_mask(struct warp *w, struct group *g, u64 on) {
    struct rv_warp *state = w->state;
    state->guests |= on & w->off;
    for (u64 rest = on & w->off; rest; rest &= rest - 1) state->guest_calls[__builtin_ctzll(rest)] = 0;
    warp_lanes_on(w, g, on & w->off);
    u64 gone = g->mask & ~on;
    if (gone == g->mask && warp_enabled(w) == gone) warp_end(w);
    else warp_lanes_off(w, g, gone);
}

void exec_rv_tmc(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)mask;
    u64 on = rv_scalar(w, g, &in->s[0]) & lanes_of(w);
    g->pc++;
    set_mask(w, g, on);
}

/* Those of the lanes where the operand holds: 2021 looks at the whole word, v3 at bit 0 */
static u64 lanes_where(const struct warp *w, const struct group *g, const struct opnd *o, u64 lanes) {
    u64 m = 0;
    bool bit = rv_of(w)->variant == RV_V3;
    for (u64 rest = lanes; rest; rest &= rest - 1) {
        u32 v = (u32)opnd_read(w, g, o, (u32)__builtin_ctzll(rest));
        if (bit ? v & 1 : v != 0) m |= rest & -rest;
    }
    return m;
}

/* When it holds for no lane: 2021 leaves the mask as it is, v3 restores the one in s[1]. aux: negated */
void exec_rv_pred(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)mask;
    u64 some = lanes_where(w, g, &in->s[0], g->mask);
    if (in->aux) some = g->mask & ~some;
    if (!some) some = in->s[1].absent ? g->mask : rv_scalar(w, g, &in->s[1]) & lanes_of(w);
    g->pc++;
    set_mask(w, g, some);
}

void exec_rv_wspawn(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct rv_kernel *k = rv_of(w);
    struct cta *c = w->cta;
    u32 lead = rv_leader(w, g->mask), count = rv_scalar(w, g, &in->s[0]), address = rv_scalar(w, g, &in->s[1]);
    u64 at = (u64)address - k->text_at;
    (void)mask;
    if (address % 4 || at / 4 >= k->text_words) {
        fault_at(w, in, (int)lead, "wspawn at 0x%x, outside of the program's text (0x%llx to 0x%llx)", address,
                 (unsigned long long)k->text_at, (unsigned long long)(k->text_at + 4ull * k->text_words));
        return;
    }
    if (count > c->nwarps) {
        fault_at(w, in, (int)lead, "wspawn of %u warps; the core has %u", count, c->nwarps);
        return;
    }
    g->pc++;
    for (u32 i = 1; i < c->nwarps; i++) {
        if (&c->warps[i] == w) continue; /* whoever asks goes on */
        warp_end(&c->warps[i]);
        ((struct rv_warp *)c->warps[i].state)->depth = 0;
        ((struct rv_warp *)c->warps[i].state)->guests = 0;
        if (i < count) warp_start(c, i, (i32)(at / 4), 1);
    }
}

/* --- split and join */

static bool push(struct warp *w, const struct group *g, const struct inst *in, u64 other) {
    struct rv_warp *state = w->state;
    u32 most = 2 * w->launch->warp_size;
    if (state->depth >= most) {
        fault_at(w, in, (int)rv_leader(w, g->mask),
                 "split nests deeper than the %u places of the warp's stack (a join is missing?)", most);
        return false;
    }
    state->splits[state->depth++] = (struct rv_split){g->mask, other, (i32)(in - w->launch->k->code) + 1};
    return true;
}

void exec_rv_split(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct rv_warp *state = w->state;
    const struct rv_kernel *k = rv_of(w);
    (void)mask;
    if (k->diverge == RV_IPDOM) { /* branches part by themselves */
        for (u64 rest = g->mask; rest && !in->d.absent; rest &= rest - 1) opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), 0);
        g->pc++;
        return;
    }
    u64 then = lanes_where(w, g, &in->s[0], g->mask), other;
    if (in->aux) then = g->mask & ~then;
    bool parts = then && then != g->mask;
    other = g->mask & ~then;
    if (k->variant == RV_V3 && __builtin_popcountll(other) < __builtin_popcountll(then)) other = then; /* the smaller first */
    for (u64 rest = g->mask; rest && !in->d.absent; rest &= rest - 1)
        opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), state->depth);
    if (k->variant == RV_2021 || parts)
        if (!push(w, g, in, parts ? other : 0)) return;
    g->pc++;
    if (!parts) return;
    w->launch->divergent++;
    if (w->step) w->step->diverged = true;
    warp_lanes_off(w, g, other);
}

void exec_rv_join(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct rv_warp *state = w->state;
    const struct rv_kernel *k = rv_of(w);
    (void)mask;
    g->pc++;
    if (k->diverge == RV_IPDOM || (k->variant == RV_V3 && rv_scalar(w, g, &in->s[0]) == state->depth)) return;
    if (!state->depth) {
        fault_at(w, in, (int)rv_leader(w, g->mask), "join without a split");
        return;
    }
    struct rv_split *top = &state->splits[state->depth - 1];
    u64 to = top->other ? top->other : top->all;
    if (top->other) g->pc = top->pc, top->other = 0;
    else state->depth--;
    set_mask(w, g, to);
}

/* Where a join goes when `pending` joins before it have been decoded and have not run: splits wait, so the
 * stack is otherwise as it will be */
i32 rv_join_goes(const struct warp *w, const struct inst *in, u32 pending) {
    const struct rv_warp *state = w->state;
    u32 depth = state->depth;
    bool went = false; /* the top's other side has gone */
    (void)in;
    for (; depth; pending--) {
        const struct rv_split *top = &state->splits[depth - 1];
        bool turns = top->other && !went;
        if (!pending) return turns ? top->pc : NONE;
        went = turns;
        depth -= !turns;
    }
    return NONE;
}

/* --- barriers over warps: the arrival that makes the count opens it, whether its warp waits (bar) or goes on
 * (v3's bar.arrive). Whoever waits (bar, v3's bar.wait) goes on then. */

/* What lane `lead` names; CTA_BARRIERS after a fault */
static u32 barrier_named(struct warp *w, const struct group *g, const struct inst *in, const char *what) {
    u32 lead = rv_leader(w, g->mask), id = rv_scalar(w, g, &in->s[0]);
    if (id < rv_of(w)->barriers) return id;
    fault_at(w, in, (int)lead, "%s %u: a core has barriers 0 to %u (isa.vortex.barriers)", what, id, rv_of(w)->barriers - 1);
    return CTA_BARRIERS;
}

/* Threads of the warps that it waits for; 0 after a fault */
static u32 barrier_counts(struct warp *w, const struct group *g, const struct inst *in, u32 id, const char *what) {
    u32 lead = rv_leader(w, g->mask), count = rv_scalar(w, g, &in->s[1]), size = w->launch->warp_size;
    const struct barrier *b = &w->cta->bars[id];
    if (!count || count > w->cta->nwarps)
        fault_at(w, in, (int)lead, "%s %u waits for %u warps; the core has %u", what, id, count, w->cta->nwarps);
    else if (b->arrived && b->expected != count * size)
        fault_at(w, in, (int)lead, "%s %u waits for %u warps, and others wait there for %u", what, id, count, b->expected / size);
    else return count * size;
    return 0;
}

void exec_rv_bar(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 id = barrier_named(w, g, in, "bar");
    u32 threads = id < CTA_BARRIERS ? barrier_counts(w, g, in, id, "bar") : 0;
    (void)mask;
    if (threads) group_wait_barrier(w, g, in, id, threads);
}

/* Gives the barrier's phase before the arrival, a bit, for bar.wait */
void exec_rv_arrive(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 count = rv_scalar(w, g, &in->s[1]), id = barrier_named(w, g, in, "bar.arrive");
    if (id < CTA_BARRIERS && count >> 31) {
        fault_at(w, in, (int)rv_leader(w, g->mask), "bar.arrive %u expects transactions (0x%x), which nothing here completes", id,
                 count);
        return;
    }
    u32 threads = id < CTA_BARRIERS ? barrier_counts(w, g, in, id, "bar.arrive") : 0;
    if (!threads) return;
    u32 phase = w->cta->bars[id].phase & 1;
    for (u64 rest = mask; rest; rest &= rest - 1) opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), phase);
    g->pc++;
    warp_pass_barrier(w, id, threads);
}

/* Until the phase is another than the given one */
void exec_rv_wait(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 phase = rv_scalar(w, g, &in->s[1]), id = barrier_named(w, g, in, "bar.wait");
    (void)mask;
    if (id >= CTA_BARRIERS) return;
    if ((phase ^ w->cta->bars[id].phase) & 1) {
        g->pc++;
        return;
    }
    g->state = GROUP_BARRIER;
    g->wait = (u8)id;
}

/* --- lanes to lanes (v3) */

void exec_rv_vote(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u64 yes = lanes_where(w, g, &in->s[0], mask);
    u32 result = in->aux == RV_VOTE_ALL   ? yes == mask
                 : in->aux == RV_VOTE_ANY ? yes != 0
                 : in->aux == RV_VOTE_UNI ? !yes || yes == mask
                                          : (u32)yes;
    for (u64 rest = mask; rest; rest &= rest - 1) opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), result);
}

/* The lane that lane l reads from: b and c as PTX's shfl has them, in the low twelve bits, then the mask
 * of the segment */
static u32 shuffled(u32 l, u32 operand, u32 mode, u32 lanes) {
    u32 b = operand & 63, c = operand >> 6 & 63, segment = operand >> 12 & 63;
    u32 most = (l & segment) | (c & ~segment & 63), least = l & segment, j;
    bool inside;
    switch ((enum shuffle_mode)mode) {
    case SHUFFLE_UP: j = l - b, inside = (i32)j >= (i32)most; break;
    case SHUFFLE_DOWN: j = l + b, inside = j <= most; break;
    case SHUFFLE_BFLY: j = l ^ b, inside = j <= most; break;
    default: j = least | (b & ~segment & 63), inside = j <= most; break;
    }
    return inside && j < lanes ? j : l;
}

void exec_rv_shfl(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 value[MAX_WARP], n = w->launch->warp_size;
    for (u32 l = 0; l < n; l++) value[l] = (u32)opnd_read(w, g, &in->s[0], l);
    u32 from[MAX_WARP];
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctzll(rest);
        from[l] = shuffled(l, (u32)opnd_read(w, g, &in->s[1], l), in->aux, n);
    }
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 l = (u32)__builtin_ctzll(rest);
        opnd_write(w, g, &in->d, l, value[from[l]]);
    }
}
