/* Precise state: what it costs to go back to it (order.precise), and faults of instructions in windows.
 *
 * A reorder buffer keeps results until their instructions leave: going back costs nothing. Its alternatives
 * write registers when results come, and have to find the old values again:
 *
 *   history     the values that complete results have overwritten are put back, order.history.width a cycle
 *   future      going back waits until what was wrong is the oldest of its warp; then a cycle copies the
 *               architectural registers
 *   checkpoint  registers are copied every order.checkpoint.every instructions, and at branches that are
 *               guessed. Those between two copies leave together, when all are complete, or when nothing is
 *               under way. Going back takes a cycle, and everything since the copy is executed again; a load
 *               that was too early then waits until all before it is complete, or it would be caught again
 *
 * There are three reasons to go back: a load that read too early (47_memorder.c), a branch that was guessed
 * wrong, and a fault.
 *
 * A fault is found by function, at dispatch, and in time when its instruction is complete. Until then its
 * warp goes on: what is behind it is dispatched, up to the first that writes memory, and completes in its
 * own time. An order that is not precise ends there and says which younger instructions had written their
 * registers. A precise one ends when the instruction is the oldest and would leave: none has. A branch that
 * faults, and what a window does not take, ends the launch at dispatch: nothing younger has been
 * dispatched.
 *
 * Paper: Smith and Pleszkun 1985; Hwu and Patt 1987, as CMU 18-447 teaches them. Deviation: what younger
 * stores had done to memory is not modelled, they stop dispatch; a faulting access takes as long as a hit
 * in the L1.
 *
 * Invariants: P1 an SM with a fault that waits has view.faulted false; P2 the first fault of a warp is
 * raised. */
#include "core/window.h"

#include <stdlib.h>

enum { LISTED = 8 };

/* --- going back */

/* Entries from the copy before `id` on; not stores that are made, nor accesses that were certain like them */
u64 precise_since_copy(const struct core *c, const struct window *w, u32 id) {
    u64 set = 0;
    u32 at = 0;
    while (w->oldest[at] != id) at++;
    for (u32 i = at - at % c->cfg->checkpoint_every; i < w->n; i++)
        if (!w->at[w->oldest[i]].certain || w->waiting >> w->oldest[i] & 1) set |= 1ull << w->oldest[i];
    return set;
}

static u32 written_results(const struct window *w, u64 set) {
    u32 n = 0;
    EACH_ENTRY(set & w->complete, i) n += w->at[i].t->ndst != 0;
    return n;
}

u64 precise_cost(const struct core *c, const struct window *w, u64 set) {
    switch (c->cfg->precise) {
    case PRECISE_HISTORY: return (written_results(w, set) + c->cfg->history_width - 1) / c->cfg->history_width;
    case PRECISE_FUTURE:
    case PRECISE_CHECKPOINT: return 1;
    default: return 0;
    }
}

u64 precise_resolves(const struct core *c, struct window *w, u32 id, u64 then) {
    if (c->cfg->precise == PRECISE_FUTURE) {
        w->flush = 1 + id; /* until it leaves */
        return NEVER;
    }
    return then + (c->cfg->precise == PRECISE_CHECKPOINT);
}

void precise_leaves(struct core *c, u32 slot, u32 id) {
    struct window *w = window_of(c, slot);
    if (w->flush != 1 + id) return;
    w->flush = 0;
    c->fronts[slot].resolve_cy = c->now + 1;
    window_wake(c, slot);
    ibuffer_want(c, &c->fronts[slot]);
}

/* --- faults */

void fault_forget(struct window *w) {
    if (!w->fault) return;
    strbuf_free(&w->fault->text);
    free(w->fault->written.at);
    free(w->fault);
    w->fault = NULL;
}

/* What was told at dispatch waits: true. A warp's second fault ends its dispatch. */
bool fault_waits(struct core *c, u32 slot, const struct step *st) {
    struct window *w = window_of(c, slot);
    if (st->in->flags & INST_CONTROL) return false;
    if (w->fault) {
        strbuf_free(&c->view.fault);
        w->fault->closed = true;
    } else {
        w->fault = base_alloc(sizeof(*w->fault));
        w->fault->text = c->view.fault;
    }
    c->view.fault = (struct strbuf){0};
    c->view.faulted = false; /* P1 */
    c->fault_cy = NEVER;
    return true;
}

bool fault_stops(const struct window *w, const struct tinst *t) {
    return w->fault && (w->fault->closed || (t->kind == T_MEM && t->in->iclass != ICLASS_LOAD));
}

static void list_written(const struct core *c, struct pending_fault *f) {
    u32 n = f->written.n;
    if (!n)
        strbuf_add(&f->text, "  no younger instruction of its warp had written its result (sm.order = %s)\n", c->pol.order->name);
    else
        strbuf_add(&f->text, "  %u younger instruction%s of its warp had already written (sm.order = %s is not precise):\n", n,
                   n == 1 ? "" : "s", c->pol.order->name);
    for (u32 i = 0; i < MIN(n, (u32)LISTED); i++) {
        strbuf_add(&f->text, "    ");
        fault_where(&c->view, f->written.at[i]->in, &f->text);
        strbuf_add(&f->text, "\n");
    }
    if (n > LISTED) strbuf_add(&f->text, "    ... and %u more\n", n - LISTED);
}

static void fault_raise(struct core *c, u32 slot, u64 cost) {
    struct pending_fault *f = window_of(c, slot)->fault;
    list_written(c, f);
    c->stats.younger_written += f->written.n;
    c->stats.restore_cycles += cost;
    if (cost)
        strbuf_add(&f->text, "  the state before it was back %llu cycle%s later\n", (unsigned long long)cost,
                   cost == 1 ? "" : "s");
    c->view.fault = f->text;
    f->text = (struct strbuf){0};
    c->view.faulted = true;
    c->fault_cy = c->now + cost;
    fault_forget(window_of(c, slot));
}

void fault_completed(struct core *c, u32 slot, u32 id) {
    struct window *w = window_of(c, slot);
    const struct entry *e = &w->at[id];
    if (!w->fault || c->window->how->precise || e->uid < w->fault->uid) return;
    if (e->uid == w->fault->uid) fault_raise(c, slot, 0); /* P2 */
    else if (e->t->ndst) VEC_PUSH(&w->fault->written, e->t);
}

/* Instructions between the last copy and the fault are executed again, one after the other */
static u64 again_up_to(const struct core *c, const struct window *w, u32 at) {
    u64 sum = 0;
    for (u32 i = at - at % c->cfg->checkpoint_every; i < at; i++)
        sum += w->at[w->oldest[i]].ready_cy - past_of(w, w->oldest[i])->issue_cy;
    return sum;
}

bool fault_leaves(struct core *c, u32 slot, u64 leaving) {
    struct window *w = window_of(c, slot);
    for (u32 i = 0; w->fault && i < w->n; i++) {
        u32 id = w->oldest[i];
        if (!(leaving >> id & 1) || w->at[id].uid != w->fault->uid) continue;
        u64 younger = 0;
        for (u32 k = i + 1; k < w->n; k++) younger |= 1ull << w->oldest[k];
        u64 again = c->cfg->precise == PRECISE_CHECKPOINT ? again_up_to(c, w, i) : 0;
        fault_raise(c, slot, precise_cost(c, w, younger) + again);
        return true;
    }
    return false;
}
