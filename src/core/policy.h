/* policy: what a policy's file needs beside core.h: the rows of the tables, and ways to choose from a mask of slots.
 *
 * How core calls a scheduler (the contract tests/unit/test_policies.c holds every row to):
 *   P0 candidates are ready, ready slots are valid, slots that wait for memory are valid and not ready
 *   P1 each cycle exactly one of pick (there are candidates) and skip (there are none; n >= 1 cycles at once) is called, and the view does not change
 *      within the n cycles of a skip but for `now`; skip(n) leaves the state that n times skip(1) would
 *   P2 pick answers one of the candidates, or NONE; a slot that was picked is reported by issued() in the same cycle, unless its
 *      instruction found that it has to wait for lanes of its warp: then nothing has issued
 *   P3 preferred is asked after pick or skip in a cycle without an issue, with the same view, and changes nothing: it is the slot pick would have
 *      answered in that cycle if all valid slots had been candidates; NONE only when no slot is valid
 *   P4 unless `moves` is set, preferred stays the same through the cycles of a skip
 * State is a zeroed block per scheduler; init follows. Nothing outlives it and nothing is global.
 *
 * A policy may also have what the schedulers of an SM decide together (31_sched.c). Its memory is one more zeroed block per SM, of shared_size bytes; pick and preferred see it in the view, as
 * they find it, and only begin and event change it:
 *   Q1 begin is called before the pick or skip of the SM's first scheduler, with n = 1, or with n > 1 for the n cycles of a skip; called again with the same view it changes nothing but counts
 *   Q2 it says whether it changed anything that held, admit, pick or preferred depend on; over the n cycles of a skip it never does, and `wakes` names the next cycle in which it will though the view
 *      stays the same
 *   Q3 held answers a part of the slots it is asked about, all ready and with a memory instruction (not of shared memory) next; these are not candidates. Time they lose is `restrict`.
 *      With holds_loads it is asked about loads of global and local memory only
 *   Q4 admit is asked for each load that misses in the L1 and would be sent for; a refused one is a hazard (OWNER) and is asked again when begin has changed something or a response has come.
 *      A policy must not refuse for ever: when nothing is outstanding somebody is admitted
 *   Q5 event tells what happened, in the order in which it did, before or after begin; slots are those of the warps concerned, which may have ended */
#ifndef HEDDLE_POLICY_H
#define HEDDLE_POLICY_H

#include "core/core.h"

extern const struct sched_policy sched_lrr, sched_gto, sched_gto_wait, sched_two_level, sched_oldest, sched_find_first,
    sched_vortex_rr, sched_mascar, sched_ccws, sched_owl;
extern const struct fetch_policy fetch_lrr, fetch_gto, fetch_find_first;
extern const struct order_policy order_in_order;

/* --- choosing from a mask. NONE when it is empty. */
static inline u64 mask_of(int slot) { return slot == NONE ? 0 : 1ull << slot; }

static inline int mask_first(u64 m) { return m ? __builtin_ctzll(m) : NONE; }

static inline int mask_after(u64 m, u32 last) { /* the first behind `last`, going round */
    u64 behind = m & ~1ull << last;
    return mask_first(behind ? behind : m);
}

static inline int mask_oldest(u64 m, const u64 *age) {
    int best = mask_first(m);
    for (u64 rest = m & (m - 1); rest; rest &= rest - 1) {
        int slot = __builtin_ctzll(rest);
        if (age[slot] < age[best]) best = slot;
    }
    return best;
}

/* --- for schedulers that remember nothing */
static inline size_t stateless_size(const struct config *c) {
    (void)c;
    return 0;
}
static inline void stateless_init(void *state, const struct config *c, u32 index, u64 slots) {
    (void)state, (void)c, (void)index, (void)slots;
}
static inline void stateless_issued(void *state, int slot) { (void)state, (void)slot; }

#endif
