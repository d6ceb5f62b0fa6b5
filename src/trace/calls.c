/* The calls that a warp's lanes are in. See calls.h. */
#include "trace/calls.h"

static void leave(struct calls *c, u32 i, u64 lanes) {
    c->at.at[i].lanes &= ~lanes;
    if (c->at.at[i].lanes) return;
    for (u32 k = i + 1; k < c->at.n; k++) c->at.at[k - 1] = c->at.at[k];
    c->at.n--;
}

void calls_make(struct calls *c, const struct open_call *x) {
    if (x->lanes) VEC_PUSH(&c->at, *x);
}

bool calls_return(struct calls *c, u64 lanes, u32 frame, struct open_call *x) {
    u64 back = 0;
    for (u32 i = 0; i < c->at.n; i++)
        if (c->at.at[i].frame == frame) back |= c->at.at[i].lanes & lanes;
    if (!back) return false;
    u32 i = c->at.n - 1;
    while (!(c->at.at[i].lanes & back)) i--;
    *x = c->at.at[i];
    x->lanes &= back;
    leave(c, i, back);
    return true;
}

static i32 func_at(const struct kernel *k, i32 pc) {
    for (u32 i = 0; i < k->nfuncs; i++)
        if (pc >= k->funcs[i].entry_pc && pc <= k->funcs[i].exit_pc) return (i32)i;
    return NONE;
}

void calls_enter(struct calls *c, const struct kernel *k, u64 lanes, u32 frame, i32 pc) {
    for (u32 i = c->at.n; i-- > 0 && lanes;) {
        struct open_call x = c->at.at[i];
        u64 here = x.lanes & lanes;
        lanes &= ~here;
        if (!here || x.callee != NONE) continue;
        x.lanes = here, x.callee = frame, x.func = func_at(k, pc);
        leave(c, i, here);
        VEC_PUSH(&c->at, x); /* they have made no call since, so the end is their place too */
    }
}
