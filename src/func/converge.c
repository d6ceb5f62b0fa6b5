/* Groups of lanes: how they split at branches, meet again, call, return and end.
 *
 * A divergent branch makes a meeting point at its immediate post-dominator; lanes that reach it are parked
 * there until the rest of the expected lanes have come (or exited). All other groups of a warp stay
 * schedulable at all times, so lanes that wait for lanes make progress. Parking is a preference, not a lock:
 * warp_release_parked lets parked lanes go on when the missing ones wait for them.
 *
 * Invariants F1 to F3 of func.h. */
#include "func/func.h"
#include "func/rowops.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CALL_DEPTH = 4096 };

/* --- frames */

static void frame_unref(struct warp *w, i32 f) {
    while (f != NONE && --w->frames.at[f].refs == 0) {
        i32 parent = w->frames.at[f].parent;
        w->frames.at[f].parent = w->free_frame;
        w->free_frame = f;
        f = parent;
    }
}

static i32 frame_new(struct warp *w) {
    i32 f = w->free_frame;
    if (f != NONE) {
        w->free_frame = w->frames.at[f].parent;
        return f;
    }
    struct frame empty = {0};
    VEC_PUSH(&w->frames, empty);
    return (i32)w->frames.n - 1;
}

static void group_enter(struct warp *w, struct group *g, i32 f) {
    const struct frame *fr = &w->frames.at[f];
    g->frame = f;
    g->regs = w->regs + (size_t)fr->row * ROW_B;
    g->preds = w->preds + fr->pred;
    g->local_base = fr->local;
}

static void grow_rows(struct warp *w, u32 rows) {
    u32 cap = MAX(rows, w->rows * 2);
    u8 *regs = base_alloc_aligned((size_t)cap * ROW_B * w->nslabs);
    for (u32 s = 0; s < w->nslabs; s++)
        memcpy(regs + (size_t)s * cap * ROW_B, w->regs + (size_t)s * w->rows * ROW_B, (size_t)w->rows * ROW_B);
    free(w->regs);
    stack_hold((i64)(cap - w->rows) * ROW_B * w->nslabs);
    w->regs = regs;
    w->rows = cap;
}

static void grow_local(struct warp *w, u32 bytes) {
    u32 cap = MAX(bytes, w->local_cap * 2);
    u8 *local = base_alloc((size_t)cap * MAX_WARP);
    for (u32 l = 0; l < MAX_WARP; l++) memcpy(local + (size_t)l * cap, w->local + (size_t)l * w->local_cap, w->local_cap);
    free(w->local);
    stack_hold((i64)(cap - w->local_cap) * MAX_WARP);
    w->local = local;
    w->local_cap = cap;
}

void warp_reserve_local(struct warp *w, u32 bytes) {
    if (bytes > w->local_cap) grow_local(w, bytes);
}

static void reserve_frame(struct warp *w, u32 rows, u32 preds, u32 local_b) {
    if (rows > w->rows) grow_rows(w, rows);
    warp_reserve_local(w, local_b);
    if (preds > w->npreds) {
        u32 cap = MAX(preds, w->npreds * 2);
        w->preds = base_realloc(w->preds, cap * sizeof(*w->preds));
        memset(w->preds + w->npreds, 0, (cap - w->npreds) * sizeof(*w->preds));
        w->npreds = cap;
    }
    for (u32 i = 0; i < w->groups.n; i++) group_enter(w, &w->groups.at[i], w->groups.at[i].frame);
}

/* --- groups */

struct group *group_add(struct warp *w, const struct group *like, u64 mask, i32 pc) {
    struct group g = *like;
    CHECK(w->groups.n < ARRAY_LEN(w->groups.at));
    g.mask = mask;
    g.pc = pc;
    g.state = GROUP_READY;
    w->frames.at[g.frame].refs++;
    struct group *new = &w->groups.at[w->groups.n++];
    *new = g;
    return new;
}

void group_remove(struct warp *w, u32 gi) {
    frame_unref(w, w->groups.at[gi].frame);
    w->groups.at[gi] = w->groups.at[--w->groups.n];
    if (w->current >= w->groups.n) w->current = 0;
}

u32 group_join(struct warp *w, u32 gi, u32 other) {
    u32 last = w->groups.n - 1;
    w->groups.at[gi].mask |= w->groups.at[other].mask;
    w->groups.at[gi].wait_mask |= w->groups.at[other].wait_mask;
    group_remove(w, other);
    return gi == last ? other : gi; /* the last group takes the removed one's place */
}

void group_split_to(struct warp *w, struct group *g, u64 lanes, i32 pc) {
    g->mask &= ~lanes;
    group_add(w, g, lanes, pc);
}

void warp_reset(struct warp *w) {
    w->groups.n = w->frames.n = w->convs.n = 0;
    w->current = 0;
    w->free_frame = w->free_conv = NONE;
    w->polled = w->ran = w->turn_polled = w->turn_ran = 0;
    struct frame f = {.ret_pc = NONE, .parent = NONE, .refs = 1};
    VEC_PUSH(&w->frames, f);
    struct group g = {.conv = NONE, .mask = warp_enabled(w), .wait_mask = warp_enabled(w)};
    group_enter(w, &g, 0);
    w->groups.at[w->groups.n++] = g;
}

/* --- meeting points */

static i32 conv_new(struct warp *w) {
    i32 c = w->free_conv;
    if (c != NONE) {
        w->free_conv = w->convs.at[c].parent;
        return c;
    }
    struct conv empty = {.pc = NONE};
    VEC_PUSH(&w->convs, empty);
    return (i32)w->convs.n - 1;
}

static void conv_free(struct warp *w, i32 ci) {
    struct conv *c = &w->convs.at[ci];
    frame_unref(w, c->frame);
    c->pc = NONE;
    c->parent = w->free_conv;
    w->free_conv = ci;
}

static void conv_park(struct warp *w, struct conv *c, u64 lanes) {
    c->arrived |= lanes;
    c->polled = w->polled;
    c->ran = w->ran;
}

/* The meeting point at pc for g's lanes: the one they head for already, or a new one inside it */
static i32 conv_for(struct warp *w, const struct group *g, i32 pc) {
    if (pc == NONE) return g->conv;
    if (g->conv != NONE && w->convs.at[g->conv].pc == pc && w->convs.at[g->conv].frame == g->frame) return g->conv;
    i32 ci = conv_new(w);
    w->convs.at[ci] = (struct conv){.pc = pc, .frame = g->frame, .parent = g->conv, .expected = g->mask, .with = g->wait_mask};
    w->frames.at[g->frame].refs++;
    return ci;
}

/* Lanes leave g: who waits for g's other lanes waits for them no longer, until it has left the meeting point
 * behind. Behind one that is new nobody but g's lanes is awaited: whoever comes to the branch later comes
 * alone. */
static void part_with(struct warp *w, struct group *g, u64 lanes, bool new) {
    if (new) {
        g->wait_mask = g->mask & ~lanes;
        return;
    }
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].conv == g->conv) w->groups.at[i].wait_mask &= ~lanes;
    for (u32 i = 0; i < w->convs.n; i++) /* who comes back to where g is now */
        if (w->convs.at[i].pc != NONE && w->convs.at[i].parent == g->conv) w->convs.at[i].with &= ~lanes;
}

void group_part(struct warp *w, struct group *g, u64 lanes, i32 pc, i32 reconv) {
    i32 was = g->conv;
    if (w->launch->never_meet) reconv = NONE;
    g->conv = conv_for(w, g, reconv);
    if (w->launch->k->gathers) part_with(w, g, lanes, g->conv != was);
    g->mask &= ~lanes;
    if (reconv != NONE && pc == reconv && !w->launch->pass_by) conv_park(w, &w->convs.at[g->conv], lanes);
    else group_add(w, g, lanes, pc)->wait_mask = lanes;
}

void group_part_returns(struct warp *w, struct group *g, u64 lanes, i32 pc) {
    if (g->conv == NONE) group_split_to(w, g, lanes, pc);
    else group_part(w, g, lanes, pc, NONE);
}

void group_branch(struct warp *w, struct group *g, u64 taken, i32 target, i32 reconv) {
    i32 next = g->pc + 1;
    if (target == next) {
        g->pc = next;
        return;
    }
    w->launch->divergent++;
    if (w->step) w->step->diverged = true;
    if (w->launch->never_meet) reconv = NONE;
    if (next == reconv) { /* the side that is there already is parked without becoming a group */
        group_part(w, g, g->mask & ~taken, next, reconv);
        g->pc = target;
    } else {
        group_part(w, g, taken, target, reconv);
        g->pc = next;
    }
}

void group_pass(struct warp *w, u32 gi) {
    struct group *g = &w->groups.at[gi];
    while (g->conv != NONE && w->convs.at[g->conv].pc == g->pc && w->convs.at[g->conv].frame == g->frame) {
        i32 done = g->conv;
        g->conv = w->convs.at[done].parent;
        g->wait_mask = w->convs.at[done].with;
        w->convs.at[done].expected &= ~g->mask;
        if (!w->convs.at[done].expected) conv_free(w, done);
    }
}

bool group_arrive(struct warp *w, u32 gi) {
    struct group *g = &w->groups.at[gi];
    if (w->launch->pass_by) group_pass(w, gi);
    while (g->conv != NONE) {
        struct conv *c = &w->convs.at[g->conv];
        if (c->pc != g->pc || c->frame != g->frame) return true;
        conv_park(w, c, g->mask);
        if (c->arrived != c->expected) {
            group_remove(w, gi);
            return false;
        }
        i32 done = g->conv;
        g->mask = c->expected;
        g->wait_mask = c->with;
        g->conv = c->parent;
        conv_free(w, done);
    }
    return true;
}

/* Parked lanes of a meeting point go on from it as a group. Given up: they and the missing ones are not to be
 * together any more. */
static void conv_let_go(struct warp *w, i32 ci, bool given_up) {
    struct conv *c = &w->convs.at[ci];
    struct group g = {.conv = c->parent, .wait_mask = given_up ? c->arrived : c->with};
    group_enter(w, &g, c->frame);
    group_add(w, &g, c->arrived, c->pc);
    if (given_up) c->with &= ~c->arrived;
    c->expected &= ~c->arrived;
    c->arrived = 0;
}

void group_met(struct warp *w, u32 gi) {
    struct group *g = &w->groups.at[gi];
    while (g->conv != NONE && w->convs.at[g->conv].expected == g->mask && w->convs.at[g->conv].frame == g->frame) {
        i32 done = g->conv;
        g->conv = w->convs.at[done].parent;
        g->wait_mask = w->convs.at[done].with;
        conv_free(w, done);
    }
}

void warp_pass(struct warp *w) {
    for (u32 i = 0; i < w->convs.n; i++) {
        if (w->convs.at[i].pc == NONE || !w->convs.at[i].arrived) continue;
        conv_let_go(w, (i32)i, false);
        if (!w->convs.at[i].expected) conv_free(w, (i32)i);
    }
}

static void convs_forget(struct warp *w, u64 lanes) {
    for (u32 i = 0; i < w->convs.n; i++) {
        struct conv *c = &w->convs.at[i];
        if (c->pc == NONE || !(c->expected & lanes)) continue;
        c->expected &= ~lanes;
        if (c->arrived && c->arrived == c->expected) conv_let_go(w, (i32)i, false);
        if (!w->convs.at[i].expected) conv_free(w, (i32)i);
    }
}

/* Nobody is to be together with these lanes any more */
static void lanes_forget(struct warp *w, u64 lanes) {
    for (u32 i = 0; i < w->groups.n; i++) w->groups.at[i].wait_mask &= ~lanes;
    for (u32 i = 0; i < w->convs.n; i++) w->convs.at[i].with &= ~lanes;
}

/* Lanes of g take no part any more: whoever waits for lanes of this warp looks again */
static void lanes_leave(struct warp *w, struct group *g, u64 lanes) {
    if (w->launch->k->gathers) lanes_forget(w, lanes);
    g->mask &= ~lanes;
    if (!g->mask) group_remove(w, (u32)(g - w->groups.at));
    convs_forget(w, lanes);
    for (u32 i = 0; i < w->groups.n; i++)
        if (w->groups.at[i].state == GROUP_COLLECTIVE) w->groups.at[i].state = GROUP_READY;
    w->cta->live_threads -= (u32)__builtin_popcountll(lanes);
}

void group_exit(struct warp *w, struct group *g, u64 lanes) {
    w->live &= ~lanes;
    lanes_leave(w, g, lanes);
    if (!w->live) w->cta->live_warps--;
    cta_barrier_exit(w->cta);
}

/* --- lanes that are off */

static bool in_kernel_frame(const struct warp *w, const struct group *g) { return w->frames.at[g->frame].parent == NONE; }

void warp_lanes_off(struct warp *w, struct group *g, u64 lanes) {
    CHECK(!(lanes & ~g->mask) && in_kernel_frame(w, g));
    if (!lanes) return;
    w->off |= lanes;
    lanes_leave(w, g, lanes);
    cta_barrier_exit(w->cta);
}

void warp_lanes_on(struct warp *w, struct group *g, u64 lanes) {
    CHECK(!(lanes & ~w->off) && in_kernel_frame(w, g));
    for (u32 i = 0; i < w->groups.n; i++) /* whoever is to be with g is to be with them */
        if (w->groups.at[i].wait_mask & g->mask) w->groups.at[i].wait_mask |= lanes;
    for (u32 i = 0; i < w->convs.n; i++)
        if (w->convs.at[i].with & g->mask) w->convs.at[i].with |= lanes;
    w->off &= ~lanes;
    g->mask |= lanes;
    for (i32 c = g->conv; c != NONE; c = w->convs.at[c].parent) w->convs.at[c].expected |= lanes;
    w->cta->live_threads += (u32)__builtin_popcountll(lanes);
}

void warp_end(struct warp *w) {
    if (!w->live) return;
    w->cta->live_threads -= (u32)__builtin_popcountll(warp_enabled(w));
    w->live = w->off = 0;
    w->groups.n = w->frames.n = w->convs.n = w->current = 0;
    w->free_frame = w->free_conv = NONE;
    w->cta->live_warps--;
    cta_barrier_exit(w->cta);
}

/* Why missing lanes do not come: all of them wait in groups that only others can wake */
static bool lanes_wait(const struct warp *w, u64 missing, bool stuck) {
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *g = &w->groups.at[i];
        if (!(g->mask & missing)) continue;
        bool waits = g->state == GROUP_COLLECTIVE || (g->state == GROUP_BARRIER && stuck);
        if (!waits) return false;
        missing &= ~g->mask;
    }
    return !missing; /* lanes parked at an inner meeting point must be let go there first */
}

/* Lanes that gather go on without those that wait elsewhere: to be together is a preference, too */
static bool release_gathering(struct warp *w, bool stuck) {
    for (u32 i = 0; i < w->groups.n && w->launch->k->gathers; i++) {
        struct group *g = &w->groups.at[i];
        u64 here = 0;
        bool some_come = false; /* who stands here and has yet to run the instruction */
        if (g->state != GROUP_COLLECTIVE) continue;
        for (u32 k = 0; k < w->groups.n; k++) {
            const struct group *h = &w->groups.at[k];
            if (!stands_with(h, g) || h->conv != g->conv) continue;
            here |= h->mask;
            some_come = some_come || h->state == GROUP_READY;
        }
        if (some_come || !lanes_wait(w, g->wait_mask & ~here, stuck)) continue;
        for (u32 k = 0; k < w->groups.n; k++) {
            struct group *h = &w->groups.at[k];
            bool with = h->mask & here;
            h->wait_mask &= with ? here : ~here;
            if (with) h->state = GROUP_READY;
        }
        return true;
    }
    return false;
}

bool warp_release_parked(struct warp *w, bool stuck) {
    for (u32 i = 0; i < w->convs.n; i++) {
        struct conv *c = &w->convs.at[i];
        if (c->pc == NONE || !c->arrived || !lanes_wait(w, c->expected & ~c->arrived, stuck)) continue;
        conv_let_go(w, (i32)i, true);
        return true;
    }
    return release_gathering(w, stuck);
}

bool warp_release_overdue(struct warp *w, u64 polls, u64 ran) {
    for (u32 i = 0; i < w->convs.n; i++) {
        const struct conv *c = &w->convs.at[i];
        if (c->pc == NONE || !c->arrived || (w->polled - c->polled < polls && w->ran - c->ran < ran)) continue;
        conv_let_go(w, (i32)i, true);
        return true;
    }
    return false;
}

bool warp_pick(struct warp *w) {
    u32 n = w->groups.n;
    for (u32 i = 1; i <= n; i++) {
        u32 at = (w->current + i) % n;
        if (w->groups.at[at].state != GROUP_READY) continue;
        w->current = at;
        w->turn_polled = w->polled;
        w->turn_ran = w->ran;
        return true;
    }
    return false;
}

/* --- calls */

static void copy_local(struct warp *w, u64 mask, u32 to, u32 from, u32 bytes) {
    for (; mask; mask &= mask - 1) {
        u8 *lane = w->local + (size_t)__builtin_ctzll(mask) * w->local_cap;
        memmove(lane + to, lane + from, bytes);
    }
}

/* A value of one slot to another, of the same or the other kind, between two frames of the same lanes */
struct side {
    u8 *regs;
    u64 *preds;
    u32 local;
    const struct func_slot *slot;
};

static void slot_read(struct warp *w, const struct side *s, u32 lane, u8 *out) {
    const struct func_slot *f = s->slot;
    if (!f->in_reg) {
        memcpy(out, w->local + (size_t)lane * w->local_cap + s->local + f->off_b, f->size_b);
        return;
    }
    u32 l = lane % SLAB_LANES, slab = lane / SLAB_LANES;
    if (f->reg.in == OPND_IN_PRED) {
        *out = (u8)(s->preds[f->reg.off] >> lane & 1);
        return;
    }
    const u8 *row =
        f->reg.in == OPND_IN_POOL ? w->launch->k->pool + f->reg.off : s->regs + (size_t)slab * w->rows * ROW_B + f->reg.off;
    memcpy(out, row + (size_t)l * 4 * f->reg.rows, MIN(f->size_b, 4u * f->reg.rows));
}

static void slot_write(struct warp *w, const struct side *s, u32 lane, const u8 *in) {
    const struct func_slot *f = s->slot;
    if (!f->in_reg) {
        memcpy(w->local + (size_t)lane * w->local_cap + s->local + f->off_b, in, f->size_b);
        return;
    }
    if (f->reg.absent) return;
    u32 l = lane % SLAB_LANES, slab = lane / SLAB_LANES;
    if (f->reg.in == OPND_IN_PRED) {
        s->preds[f->reg.off] = (s->preds[f->reg.off] & ~(1ull << lane)) | (u64)(*in & 1) << lane;
        return;
    }
    u8 *at = s->regs + (size_t)slab * w->rows * ROW_B + f->reg.off + (size_t)l * 4 * f->reg.rows;
    memset(at, 0, 4u * f->reg.rows);
    memcpy(at, in, MIN(f->size_b, 4u * f->reg.rows));
}

static void copy_slots(struct warp *w, u64 mask, struct side to, struct side from, const struct func_slot *ts,
                       const struct func_slot *fs, u32 n) {
    for (u32 i = 0; i < n; i++) {
        to.slot = &ts[i], from.slot = &fs[i];
        if (!ts[i].in_reg && !fs[i].in_reg) {
            copy_local(w, mask, to.local + ts[i].off_b, from.local + fs[i].off_b, ts[i].size_b);
            continue;
        }
        for (u64 rest = mask; rest; rest &= rest - 1) {
            u8 bytes[4096] = {0};
            if (ts[i].size_b > sizeof(bytes) || fs[i].size_b > sizeof(bytes)) break;
            slot_read(w, &from, (u32)__builtin_ctzll(rest), bytes);
            slot_write(w, &to, (u32)__builtin_ctzll(rest), bytes);
        }
    }
}

static bool signature_matches(const struct call_info *c, const struct kernel_func *kf) {
    if (c->nargs != kf->nparams || c->nrets != kf->nrets) return false;
    for (u32 i = 0; i < c->nargs; i++)
        if (c->args[i].size_b != kf->params[i].size_b) return false;
    for (u32 i = 0; i < c->nrets; i++)
        if (c->rets[i].size_b != kf->rets[i].size_b) return false;
    return true;
}

bool group_call(struct warp *w, struct group *g, const struct inst *in, i32 func, i32 ret_pc) {
    const struct kernel *k = w->launch->k;
    const struct kernel_func *kf = &k->funcs[func];
    const struct call_info *c = in->info;
    i32 caller = g->frame;
    struct frame from = w->frames.at[caller];
    const struct kernel_func *cf = &k->funcs[from.func];
    if (!signature_matches(c, kf)) {
        fault_at(w, in, __builtin_ctzll(g->mask), "indirect call of '%s' with other parameters than it has", kf->name);
        return false;
    }
    u64 local_b = (u64)from.local + cf->local_b + (stack_taken(w, g, g->mask) + 15) / 16 * 16;
    unsigned long long stack_b = local_b + kf->local_b;
    if (stack_b > STACK_MAX_B) {
        fault_at(w, in, __builtin_ctzll(g->mask),
                 "call of '%s', %u calls deep: %llu bytes of stack are more than the %d a thread may have (endless recursion?)",
                 kf->name, from.depth + 1u, stack_b, STACK_MAX_B);
        return false;
    }
    if (!stack_fits()) {
        fault_at(w, in, __builtin_ctzll(g->mask),
                 "call of '%s', %u calls deep: the stacks of all threads are larger than %llu MiB together (endless recursion?)",
                 kf->name, from.depth + 1u, STACK_ALL_B >> 20);
        return false;
    }
    if (from.depth + 1 >= MAX_CALL_DEPTH) {
        fault_at(w, in, __builtin_ctzll(g->mask), "call stack deeper than %d calls (endless recursion?)", MAX_CALL_DEPTH);
        return false;
    }
    i32 f = frame_new(w);
    w->frames.at[f] = (struct frame){.ret_pc = ret_pc,
                                     .parent = caller,
                                     .refs = 1,
                                     .func = (u16)func,
                                     .depth = (u16)(from.depth + 1),
                                     .row = from.row + cf->rows,
                                     .pred = from.pred + cf->preds,
                                     .local = (u32)local_b,
                                     .call = c};
    const struct frame *fr = &w->frames.at[f];
    reserve_frame(w, fr->row + kf->rows, fr->pred + kf->preds, fr->local + kf->local_b);
    struct side src = {g->regs, g->preds, g->local_base, NULL};
    group_enter(w, g, f); /* the caller's reference passes from the group to the new frame */
    struct side dst = {g->regs, g->preds, g->local_base, NULL};
    copy_slots(w, g->mask, dst, src, kf->params, c->args, c->nargs);
    stack_reset(w, g);
    g->pc = kf->entry_pc;
    return true;
}

void group_return(struct warp *w, struct group *g) {
    i32 f = g->frame;
    struct frame fr = w->frames.at[f];
    const struct kernel_func *kf = &w->launch->k->funcs[fr.func];
    struct side src = {g->regs, g->preds, g->local_base, NULL};
    w->frames.at[fr.parent].refs++;
    group_enter(w, g, fr.parent);
    struct side dst = {g->regs, g->preds, g->local_base, NULL};
    copy_slots(w, g->mask, dst, src, fr.call->rets, kf->rets, kf->nrets);
    frame_unref(w, f);
    g->pc = fr.ret_pc;
}

/* --- invariants */

void warp_check(const struct warp *w) {
    u64 seen = 0;
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *g = &w->groups.at[i];
        CHECK(g->mask && !(g->mask & seen));                                                                 /* F1 */
        CHECK(w->frames.at[g->frame].refs > 0);                                                              /* F3 */
        CHECK(g->conv == NONE || w->convs.at[g->conv].pc != NONE);                                           /* F3 */
        CHECK(!w->launch->k->gathers || (!(g->mask & ~g->wait_mask) && !(g->wait_mask & ~warp_enabled(w)))); /* F4 */
        seen |= g->mask;
    }
    for (u32 i = 0; i < w->convs.n; i++) {
        const struct conv *c = &w->convs.at[i];
        if (c->pc == NONE) continue;
        CHECK(!(c->arrived & ~c->expected) && c->arrived != c->expected); /* F2 */
        CHECK(!(c->arrived & seen));                                      /* F1 */
        seen |= c->arrived;
    }
    CHECK(!(seen & w->off) && (seen | w->off) == w->live); /* F1 */
}
