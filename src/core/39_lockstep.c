/* Lockstep: the fronts of a squad (37_squad.c) issue each instruction before any of them issues the next,
 * as the sub-warps of a large warp do, which has one pc.
 *
 * Sub-warps are the fronts of the squad's entry: packed column by column, a thread of each lane
 * (38_compact.c), whenever the mask of the large warp changes. They issue in the order in which the
 * scheduler picks them.
 *
 * Paper: Narasiman and others, "Improving GPU Performance via Large Warps and Two-Level Warp Scheduling"
 * (MICRO 2011), section 3. Deviations: each sub-warp has an instruction buffer and fetches for itself,
 * where the paper fetches once for the large warp; with that its policy of when a large warp is fetched
 * again is that of any front here: straight on, and behind a branch when all its sub-warps have resolved
 * it. An unconditional branch issues for every sub-warp, where the paper lets one do for all. sm.sched
 * sees sub-warps as warps; two_level is the paper's other half.
 *
 * Invariant (lockstep_check): K1 a front is held exactly while it has issued what another of its squad, which
 * does not wait for threads, has not: those that are not held stand at one instruction, and are some while
 * any is held. */
#include "core/squad.h"

/* All have issued, or wait for threads: the next instruction is everybody's */
static void release(struct core *c, struct squad *t) {
    if (!t->held || (t->held | t->came | t->waits) != t->fronts) return;
    for (u64 m = t->held; m; m &= m - 1) slot_alarm(c, (u32)__builtin_ctzll(m), c->now + 1);
    t->held = 0;
}

void lockstep_issued(struct core *c, struct squad *t, u32 slot) {
    if (!c->squads->shape.lockstep) return;
    t->held = (t->held | 1ull << slot) & t->fronts;
    release(c, t);
}

void lockstep_changed(struct core *c, struct squad *t) {
    if (!c->squads->shape.lockstep) return;
    t->held &= t->fronts;
    release(c, t);
}

/* All of these that are at an instruction are at the same */
static bool at_one(const struct core *c, u64 fronts) {
    const struct tinst *head = NULL;
    for (; fronts; fronts &= fronts - 1) {
        const struct front *f = &c->fronts[__builtin_ctzll(fronts)];
        if (head && f->head && f->head != head) return false;
        if (f->head) head = f->head;
    }
    return true;
}

void lockstep_check(const struct core *c, const struct squad *t) {
    CHECK(!t->held || (c->squads->shape.lockstep && (t->held | t->came | t->waits) != t->fronts)); /* K1 */
    if (!c->squads->shape.lockstep) return;
    CHECK(at_one(c, t->fronts & ~t->held) && at_one(c, t->held)); /* K1 */
}
