/* rob: tomasulo with a reorder buffer. Instructions leave, and stores go to memory, in the order of the
 * program, order.retire_width a cycle; a result has a physical register until then. Or one of the
 * alternatives to the buffer that the lecture has (order.precise; 48_precise.c says what they cost).
 *
 * Paper: Smith and Pleszkun 1985, as CMU 18-447 teaches it. Since nothing wrong becomes final, loads may pass
 * stores whose addresses are not known (order.memory) and dispatch may go on beyond a branch
 * (order.speculate). Deviation: the buffer has a part for each warp (order.window). */
#include "config/config.h"
#include "core/order_policy.h"

/* All since the last copy of the registers, when they are complete; fewer, when nothing else is under way */
static u64 the_interval(const struct window_view *v) {
    u64 leave = 0;
    u32 every = MIN(v->cfg->checkpoint_every, v->n);
    for (u32 i = 0; i < every; i++) leave |= 1ull << v->oldest[i];
    return leave & ~v->complete ? 0 : leave;
}

static u64 the_oldest(const struct window_view *v) {
    u64 leave = 0;
    if (v->cfg->precise == PRECISE_CHECKPOINT) return the_interval(v);
    for (u32 i = 0; i < v->n && i < v->cfg->retire_width && v->complete >> v->oldest[i] & 1; i++) leave |= 1ull << v->oldest[i];
    return leave;
}

const struct order_policy order_rob = {
    .name = "rob",
    .doc = "tomasulo with a reorder buffer: instructions leave, and stores are made, in the order of the program",
    .paper = "Smith and Pleszkun 1985; CMU 18-447, lecture 15",
    .out_of_order = true,
    .window = &(const struct order_window){.renames = true,
                                           .stations = true,
                                           .registers = true,
                                           .precise = true,
                                           .may_dispatch = order_dispatches,
                                           .may_issue = order_issues_any,
                                           .may_leave = the_oldest},
};
