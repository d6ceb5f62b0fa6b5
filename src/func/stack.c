/* Memory that a function takes from its frame while it runs: alloca, stacksave, stackrestore.
 *
 * What a lane has taken lies above its frame's fixed part; the word at kernel_func.taken_at counts the bytes,
 * per lane, so that lanes that diverged take and give back apart. A called function's frame starts above what
 * any of its lanes has taken. */
#include "func/func.h"

#include <stdatomic.h>
#include <string.h>

/* Host memory of all warps that live, whatever launch they are of: a gauge, no state of any simulation */
static _Atomic i64 held_b;
void stack_hold(i64 bytes) { atomic_fetch_add_explicit(&held_b, bytes, memory_order_relaxed); }
bool stack_fits(void) { return atomic_load_explicit(&held_b, memory_order_relaxed) <= (i64)STACK_ALL_B; }

static const struct kernel_func *func_of(const struct warp *w, const struct group *g) {
    return &w->launch->k->funcs[w->frames.at[g->frame].func];
}

static u8 *taken_word(const struct warp *w, const struct group *g, const struct kernel_func *kf, u32 lane) {
    return w->local + (size_t)lane * w->local_cap + g->local_base + (u32)kf->taken_at;
}

static u32 taken_read(const struct warp *w, const struct group *g, u32 lane) {
    u32 v;
    memcpy(&v, taken_word(w, g, func_of(w, g), lane), 4);
    return v;
}

static void taken_write(const struct warp *w, const struct group *g, u32 lane, u32 bytes) {
    memcpy(taken_word(w, g, func_of(w, g), lane), &bytes, 4);
}

u32 stack_taken(const struct warp *w, const struct group *g, u64 lanes) {
    u32 most = 0;
    if (func_of(w, g)->taken_at == NONE) return 0;
    for (; lanes; lanes &= lanes - 1) most = MAX(most, taken_read(w, g, (u32)__builtin_ctzll(lanes)));
    return most;
}

void stack_reset(struct warp *w, const struct group *g) {
    if (func_of(w, g)->taken_at == NONE) return;
    for (u64 m = g->mask; m; m &= m - 1) taken_write(w, g, (u32)__builtin_ctzll(m), 0);
}

static u64 bottom(const struct warp *w, const struct group *g) { return (u64)g->local_base + func_of(w, g)->local_b; }

void exec_alloca(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u64 align = (u64)in->imm;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        u64 bytes = opnd_read(w, g, &in->s[0], lane);
        u64 start = (bottom(w, g) + taken_read(w, g, lane) + align - 1) / align * align;
        if (bytes > STACK_MAX_B || start + bytes > STACK_MAX_B) {
            fault_at(w, in, (int)lane, "alloca of %llu bytes: a thread has at most %d bytes of local memory",
                     (unsigned long long)bytes, STACK_MAX_B);
            return;
        }
        warp_reserve_local(w, (u32)(start + bytes));
        taken_write(w, g, lane, (u32)(start + bytes - bottom(w, g)));
        opnd_write(w, g, &in->d, lane, start);
    }
}

void exec_stacksave(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    for (; mask; mask &= mask - 1) {
        u32 lane = (u32)__builtin_ctzll(mask);
        opnd_write(w, g, &in->d, lane, bottom(w, g) + taken_read(w, g, lane));
    }
}

void exec_stackrestore(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    for (; mask; mask &= mask - 1) {
        u32 lane = (u32)__builtin_ctzll(mask);
        u64 bytes = opnd_read(w, g, &in->s[0], lane) - bottom(w, g);
        if (bytes > taken_read(w, g, lane)) {
            fault_at(w, in, (int)lane, "stackrestore to a place that stacksave of this call did not return");
            return;
        }
        taken_write(w, g, lane, (u32)bytes);
    }
}
