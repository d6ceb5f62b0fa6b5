/* Caches kept warm while blocks run without time: a memory port that does what the direct one does and shows
 * every access to the tags of an SM's L1 and of the L2.
 *
 * A block that is not timed belongs to the SM with its number modulo the SMs, as if blocks had been dealt out
 * one by one. Accesses that its L1 does not have, atomics and, with sm.l1.write = through, all stores go on
 * to the L2. Nothing takes time, no counter moves, and a victim's dirty sectors are forgotten.
 *
 * In a gap (warm_gap) blocks are under way on every SM, and stand still: their L1s are put back afterwards as
 * they left them, so that they find the lines that they share with themselves and with each other. What the
 * gap's last blocks would have left there for the next timed ones is lost with it, and found in the L2.
 *
 * Not modelled: the order in which blocks that live at the same time mix their accesses (blocks come one
 * after the other here), dirty sectors of a write-back L1 (a store leaves none, so nothing is written back
 * for it later), local memory, constants and instructions, the TLB, loads that go past the L1 by their own
 * flags. */
#include "gpu/chip.h"

struct warmer {
    struct gpu *g;
    struct memport direct;
    u32 sm;
};

static void warm_l2(struct gpu *g, u32 sm, u64 line, u32 pieces, bool write) {
    u32 line_b = g->cfg.l2_line_b, per = line_b / 32, mask = per >= 32 ? UINT32_MAX : (1u << per) - 1;
    for (u64 at = line; pieces; at += line_b, pieces >>= per) {
        if (!(pieces & mask)) continue;
        struct place p = map_place_of(&g->cfg, sm, at);
        partition_warm(g->parts[p.slice / g->cfg.slices], p, pieces & mask, write);
    }
}

static void warm(struct warmer *w, const struct maccess *a, enum probe_kind kind) {
    struct line_access lines[MAX_LINES];
    struct gpu *g = w->g;
    u32 n = coalesce_lines(a->addr, a->mask, a->size_b, g->cfg.l1_line_b, 0, lines, 0);
    for (u32 i = 0; i < n; i++) {
        u32 pieces = l1_warm(g->cores[w->sm], lines[i].line, lines[i].sectors, kind);
        if (pieces) warm_l2(g, w->sm, lines[i].line, pieces, kind != PROBE_LOAD);
    }
}

/* What an access does to lanes outside its mask is not its own: addresses are looked at before */
static bool warm_load(void *ctx, struct maccess *a, void *out) {
    struct warmer *w = ctx;
    warm(w, a, PROBE_LOAD);
    return w->direct.load(w->direct.ctx, a, out);
}

static bool warm_store(void *ctx, struct maccess *a, const void *in) {
    struct warmer *w = ctx;
    warm(w, a, PROBE_STORE);
    return w->direct.store(w->direct.ctx, a, in);
}

static bool warm_atomic(void *ctx, struct maccess *a, const struct atomic_op *op, const u64 *opa, const u64 *opb, u64 *old) {
    struct warmer *w = ctx;
    warm(w, a, PROBE_ATOMIC);
    return w->direct.atomic(w->direct.ctx, a, op, opa, opb, old);
}

static bool warm_window(void *ctx, u32 hint, bool write, struct memwindow *out) {
    (void)ctx, (void)hint, (void)write, (void)out;
    return false;
}

static u32 warm_peek_lines(void *ctx, const struct maccess *a, u32 line_b, u64 *lines) {
    struct warmer *w = ctx;
    return w->direct.peek_lines(w->direct.ctx, a, line_b, lines);
}

bool warm_blocks(struct gpu *g, struct launch *l, u64 first, u64 end) {
    struct memport was = l->port;
    struct warmer w = {.g = g, .direct = was};
    bool ok = true;
    l->port = (struct memport){&w, warm_load, warm_store, warm_atomic, warm_window, warm_peek_lines};
    for (u64 b = first; b < end && ok; b++) {
        w.sm = (u32)(b % g->cfg.sms);
        ok = launch_run_part(l, b, b + 1, NULL, 0);
    }
    l->port = was;
    return ok;
}

bool warm_gap(struct gpu *g, struct launch *l, u64 first, u64 end) {
    for (u32 sm = 0; sm < g->cfg.sms; sm++) l1_keep(g->cores[sm]);
    bool ok = warm_blocks(g, l, first, end);
    for (u32 sm = 0; sm < g->cfg.sms; sm++) l1_put_back(g->cores[sm]);
    return ok;
}
