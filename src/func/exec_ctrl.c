/* Instructions that set the pc: branches, calls, returns, exits, traps. */
#include "func/func.h"

void exec_bra(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (mask == g->mask) g->pc = in->target;
    else if (!mask) g->pc++;
    else group_branch(w, g, mask, in->target, in->reconv);
}

/* Sends the lanes of one target after the other away; those of the last one stay in g. */
void exec_brx(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct branch_table *t = in->info;
    if (!mask) {
        g->pc++;
        return;
    }
    if (mask != g->mask) group_part(w, g, g->mask & ~mask, g->pc + 1, in->reconv);
    for (u64 rest = mask; rest;) {
        u32 lane = (u32)__builtin_ctzll(rest), index = (u32)opnd_read(w, g, &in->s[0], lane);
        if (index >= t->n) {
            fault_at(w, in, (int)lane, "branch index %u is outside its table of %u targets", index, t->n);
            return;
        }
        u64 same = 0;
        for (u64 m = rest; m; m &= m - 1)
            if (opnd_read(w, g, &in->s[0], (u32)__builtin_ctzll(m)) == index) same |= m & -m;
        rest &= ~same;
        if (rest) group_part(w, g, same, t->targets[index], in->reconv);
        else g->pc = t->targets[index];
    }
}

void exec_exit(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)in;
    g->pc++;
    if (mask) group_exit(w, g, mask);
}

void exec_ret(struct warp *w, struct group *g, const struct inst *in, u64 mask) { exec_bra(w, g, in, mask); }

void exec_fnexit(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)in, (void)mask;
    group_return(w, g);
}

void exec_trap(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (mask) fault_at(w, in, __builtin_ctzll(mask), "trap");
    else g->pc++;
}

static i32 func_at(const struct kernel *k, u64 address) {
    for (u32 i = 1; i < k->nfuncs; i++)
        if (k->funcs[i].address == address) return (i32)i;
    return NONE;
}

/* The lanes of `mask` that call the same function as the first of them */
static u64 same_callee(const struct warp *w, const struct group *g, const struct inst *in, u64 mask) {
    u64 first = opnd_read(w, g, &in->s[0], (u32)__builtin_ctzll(mask)), same = 0;
    for (u64 m = mask; m; m &= m - 1) {
        u32 l = (u32)__builtin_ctzll(m);
        if (opnd_read(w, g, &in->s[0], l) == first) same |= 1ull << l;
    }
    return same;
}

/* Lanes whose guard is false are parked behind the call; lanes that call another function come to it again as
 * a group of their own. */
void exec_call(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct call_info *c = in->info;
    bool indirect = c->func == NONE && c->builtin == NONE;
    if (!mask) {
        g->pc++;
        return;
    }
    u64 now = indirect ? same_callee(w, g, in, mask) : mask;
    if (mask != g->mask) group_part(w, g, g->mask & ~mask, g->pc + 1, in->reconv);
    if (now != mask) group_part(w, g, mask & ~now, g->pc, in->reconv);
    if (c->builtin != NONE) {
        builtin_call(w, g, in, c, now);
        g->pc++;
        return;
    }
    u64 address = indirect ? opnd_read(w, g, &in->s[0], (u32)__builtin_ctzll(now)) : 0;
    i32 func = indirect ? func_at(w->launch->k, address) : c->func;
    if (func == NONE)
        fault_at(w, in, __builtin_ctzll(now), "indirect call of 0x%llx, which is no function of this kernel",
                 (unsigned long long)address);
    else group_call(w, g, in, func, g->pc + 1);
}
