/* What the schedulers of an SM know and decide together: the view of the SM, the policy's common block, slots that are held back, misses that are refused.
 *
 * A policy without these hooks costs a test of a pointer here and there. One with `begin` is asked before the schedulers of each cycle; a jump (D5) is allowed only where `begin`
 * would change nothing (sched_settled asks it on a copy), so in the cycles of a jump all that depends on the common block stays as it is, and it ends where the policy `wakes`.
 * When `begin` did change something, the memory stage looks again at what it had refused. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

static size_t shared_size(const struct core *c) { return c->pol.sched->shared_size ? c->pol.sched->shared_size(c->cfg) : 0; }

void sched_make(struct core *c) {
    size_t n = shared_size(c);
    if (!n) return;
    c->sched_shared = base_alloc(n);
    c->sched_scratch = base_alloc(n);
    c->scratch_stats = base_alloc(sizeof(*c->scratch_stats));
}

void sched_free(struct core *c) {
    free(c->sched_shared);
    free(c->sched_scratch);
    free(c->scratch_stats);
}

void sched_launch(struct core *c) {
    c->sending = 0;
    memset(c->block, 0, sizeof(c->block));
    if (!c->sched_shared) return;
    memset(c->sched_shared, 0, shared_size(c));
    if (c->pol.sched->shared_init) c->pol.sched->shared_init(c->sched_shared, c->cfg);
}

struct sched_view sched_view_of(const struct core *c, u32 sched, u64 candidates) {
    const struct sched *s = &c->scheds[sched];
    return (struct sched_view){.now = c->now,
                               .valid = s->valid,
                               .ready = s->all_ready,
                               .candidates = candidates,
                               .waits_long = s->waits_long,
                               .age = c->age,
                               .index = sched,
                               .memory = s->ready[UNIT_MEM] & ~s->ready_shared,
                               .block = c->block,
                               .shared = c->sched_shared};
}

static i32 pipe_head(const struct core *c) {
    for (u32 i = 0; i < c->lsq_n; i++) {
        const struct memop *m = &c->memops.at[c->lsq[(c->lsq_head + i) % c->lsq_cap]];
        if (m->space != SPACE_SHARED) return m->slot;
    }
    return NONE;
}

static struct sched_sm view_of_sm(const struct core *c, struct sm_stats *stats) {
    struct sched_sm v = {.now = c->now, .sending = c->sending, .age = c->age, .block = c->block, .stats = stats};
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        const struct sched *s = &c->scheds[i];
        v.valid |= s->valid, v.ready |= s->all_ready, v.waits_long |= s->waits_long;
        v.memory |= s->ready[UNIT_MEM] & ~s->ready_shared;
        v.waits_load |= s->waits_load, v.waits_barrier |= s->waits_barrier, v.waits_fence |= s->waits_fence;
    }
    v.mshrs = mshr_used(c->mshr), v.mshr_size = c->cfg->l1_mshrs;
    v.const_mshrs = mshr_used(c->cc_mshr), v.const_mshr_size = c->cfg->const_mshrs;
    v.queue = port_queued(c), v.queue_size = c->cfg->miss_queue;
    v.pipe_head = pipe_head(c);
    v.reexec = c->reexec.slots, v.reexec_full = c->reexec.full != NONE;
    v.reexec_head = c->reexec.n ? (i32)c->memops.at[c->reexec.at[c->reexec.head].memop].slot : NONE;
    return v;
}

void sched_begin(struct core *c, u64 n) {
    struct sched_sm v = view_of_sm(c, &c->stats);
    if (!c->pol.sched->begin(c->sched_shared, &v, n)) return;
    c->lsu_again = true;
    reexec_wake(c);
}

bool sched_settled(struct core *c) {
    struct sched_sm v = view_of_sm(c, c->scratch_stats);
    memcpy(c->sched_scratch, c->sched_shared, shared_size(c));
    return !c->pol.sched->begin(c->sched_scratch, &v, 1);
}

bool sched_holds(const struct core *c) { return c->reexec.n || c->pol.sched->held; }

u64 sched_held(const struct core *c, u64 ask, u64 loads) {
    const struct sched_policy *p = c->pol.sched;
    u64 held = ask & c->reexec.slots;
    if (p->holds_loads) ask &= loads;
    if (ask && p->held) held |= p->held(c->sched_shared, ask);
    return held;
}

u64 sched_wakes(const struct core *c) { return c->pol.sched->wakes(c->sched_shared, c->now); }

bool sched_admits(const struct core *c, const struct memop *m, u64 line) {
    return !c->pol.sched->admit || c->pol.sched->admit(c->sched_shared, m->slot, m->age, line);
}
