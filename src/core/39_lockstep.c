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
 * sees sub-warps as warps, but two_level, the paper's other half, which has large warps in its active set.
 *
 * A sub-warp that waits for threads, at a barrier or for lanes, is not waited for: the program may need what
 * the others do next. When it goes on, those that went ahead are held until it has caught up.
 *
 * Invariant (lockstep_check): K1 a front that is held has issued more instructions than another of its squad
 * that does not wait for threads; of those that are not held all that are at an instruction are at the
 * same. */
#include "core/squad.h"

/* Fronts that have issued more than one that goes on. Those at a branch have issued most. */
static u64 find_ahead(const struct squad *t) {
    u64 going = t->fronts & ~t->waits, ahead = 0;
    u32 least = UINT32_MAX;
    for (u64 m = going; m; m &= m - 1) least = MIN(least, t->steps[__builtin_ctzll(m)]);
    for (u64 m = going; m; m &= m - 1)
        if (t->steps[__builtin_ctzll(m)] > least) ahead |= m & -m;
    return ahead;
}

/* Those that are held no longer go on in the next cycle */
static void release(struct core *c, const struct squad *t, u64 were) {
    for (u64 m = were & ~t->held & t->fronts; m; m &= m - 1) slot_alarm(c, (u32)__builtin_ctzll(m), c->now + 1);
}

void lockstep_issued(struct core *c, struct squad *t, u32 slot) {
    if (!c->squads->shape.lockstep) return;
    u64 were = t->held;
    t->steps[slot]++;
    t->held = find_ahead(t);
    release(c, t, were);
}

void lockstep_changed(struct core *c, struct squad *t) {
    if (!c->squads->shape.lockstep) return;
    u64 were = t->held;
    t->held = find_ahead(t);
    release(c, t, were);
    for (u64 m = t->held & ~were; m; m &= m - 1)
        if (c->fronts[__builtin_ctzll(m)].head) slot_look(c, (u32)__builtin_ctzll(m), c->now);
}

void lockstep_begins(struct squad *t) {
    for (u64 m = t->homes; m; m &= m - 1) t->steps[__builtin_ctzll(m)] = 0;
    t->held = 0;
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
    CHECK(!(t->held & ~find_ahead(t)));                                    /* K1 */
    if (c->squads->shape.lockstep) CHECK(at_one(c, t->fronts & ~t->held)); /* K1 */
}
