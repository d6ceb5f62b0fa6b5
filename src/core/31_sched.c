/* What the schedulers of an SM know and decide together: the view of the SM, the policy's common block, slots
 * that are held back, misses that are refused.
 *
 * A policy without these hooks costs a test of a pointer here and there. One with `begin` is asked before the
 * schedulers of each cycle; a jump (D5) is allowed only where `begin` would change nothing (sched_settled
 * asks it on a copy), so in the cycles of a jump all that depends on the common block stays as it is, and it
 * ends where the policy `wakes`. When `begin` did change something, the memory stage looks again at what it
 * had refused. */
#include "core/flight.h"
#include "core/issue.h"

#include <stdlib.h>
#include <string.h>

static size_t shared_size(const struct core *c) { return c->pol.sched->shared_size ? c->pol.sched->shared_size(c->cfg) : 0; }

static void sched_make(struct core *c) {
    size_t n = shared_size(c);
    if (!n) return;
    c->issue->shared = base_alloc(n);
    c->issue->scratch = base_alloc(n);
    c->issue->scratch_stats = base_alloc(sizeof(*c->issue->scratch_stats));
}

void sched_free(struct core *c) {
    for (u32 i = 0; i < c->cfg->schedulers; i++) free(c->issue->scheds[i].state);
    free(c->issue->shared);
    free(c->issue->scratch);
    free(c->issue->scratch_stats);
}

static void init_one(struct core *c, u32 i) {
    struct sched *s = &c->issue->scheds[i];
    for (u32 w = i; w < c->nslots; w += c->cfg->schedulers) s->slots |= 1ull << w, s->nslots++;
    s->state = base_alloc(MAX(c->pol.sched->state_size(c->cfg), (size_t)1));
}

void sched_init(struct core *c) {
    for (u32 i = 0; i < MAX_SLOTS; i++) {
        c->issue->sched_of[i] = (u8)(i % c->cfg->schedulers);
        c->issue->sub_of[i] = (u8)(c->issue->sched_of[i] % c->cfg->subcores);
    }
    for (u32 i = 0; i < c->cfg->schedulers; i++) init_one(c, i);
    sched_make(c);
}

static void launch_one(struct core *c, u32 i) {
    struct sched *s = &c->issue->scheds[i];
    memset(s->state, 0, MAX(c->pol.sched->state_size(c->cfg), (size_t)1));
    if (c->pol.sched->init) c->pol.sched->init(s->state, c->cfg, i, s->slots);
    s->valid = 0;
    s->noissue = 0;
    memset(s->unavail, 0, sizeof(s->unavail));
    memset(s->noissue_unavail, 0, sizeof(s->noissue_unavail));
}

void sched_arrives(struct core *c, u32 slot, u64 block) {
    c->issue->block[slot] = block;
    c->issue->scheds[slot_sched(c, slot)].valid |= 1ull << slot;
}

void sched_leaves(struct core *c, u32 slot) {
    c->issue->parked &= ~(1ull << slot);
    c->issue->scheds[slot_sched(c, slot)].valid &= ~(1ull << slot);
}

u64 sched_memory(const struct core *c, u32 sched) {
    return c->issue->scheds[sched].ready[UNIT_MEM] & ~c->issue->scheds[sched].ready_shared;
}

void sched_tell(struct core *c, enum sched_event kind, u32 slot, u64 line) {
    c->pol.sched->event(c->issue->shared, kind, slot, line, c->now);
}

/* --- what the memory stages tell */

static void seen(struct core *c, const struct mem_event *e) {
    switch (e->kind) {
    case MEM_ENTERED:
        if (e->f->mem.space != SPACE_SHARED) sched_event(c, SCHED_ISSUE, e->slot, 0);
        break;
    case MEM_HIT: sched_event(c, SCHED_HIT, e->slot, e->line); break;
    case MEM_SENT_FOR: sched_event(c, SCHED_MISS, e->slot, e->line); break;
    case MEM_EVICTED: sched_event(c, e->flag ? SCHED_EVICT_OWN : SCHED_EVICT, e->slot, e->line); break;
    case MEM_FILLED: sched_event(c, SCHED_FILL, e->slot, e->line); break;
    case MEM_MSHR_TAKEN:
        if (e->cache == CACHE_DATA) sched_event(c, SCHED_MSHR_TAKEN, e->slot, e->line);
        break;
    case MEM_MSHR_FREED:
        if (e->cache == CACHE_DATA) sched_event(c, SCHED_MSHR_FREED, e->slot, e->line);
        break;
    case MEM_STORED: sched_event(c, SCHED_STORE, e->slot, e->line); break;
    default: break;
    }
}

static const struct watcher watcher = {1u << MEM_ENTERED | 1u << MEM_HIT | 1u << MEM_SENT_FOR | 1u << MEM_EVICTED |
                                           1u << MEM_FILLED | 1u << MEM_MSHR_TAKEN | 1u << MEM_MSHR_FREED | 1u << MEM_STORED,
                                       seen};

void sched_launch(struct core *c) {
    if (c->pol.sched->event) watch_add(c, &watcher);
    for (u32 i = 0; i < c->cfg->schedulers; i++) launch_one(c, i);
    memset(c->issue->block, 0, sizeof(c->issue->block));
    if (!c->issue->shared) return;
    memset(c->issue->shared, 0, shared_size(c));
    if (c->pol.sched->shared_init) c->pol.sched->shared_init(c->issue->shared, c->cfg);
}

struct sched_view sched_view_of(const struct core *c, u32 sched, u64 candidates) {
    const struct sched *s = &c->issue->scheds[sched];
    return (struct sched_view){.now = c->now,
                               .valid = s->valid,
                               .ready = s->all_ready,
                               .candidates = candidates,
                               .waits_long = s->waits_long,
                               .age = c->age,
                               .index = sched,
                               .memory = s->ready[UNIT_MEM] & ~s->ready_shared,
                               .block = c->issue->block,
                               .shared = c->issue->shared};
}

static struct sched_sm view_of_sm(const struct core *c, struct sm_stats *stats) {
    struct sched_sm v = {.now = c->now, .sending = lsu_sending(c), .age = c->age, .block = c->issue->block, .stats = stats};
    for (u32 i = 0; i < c->cfg->schedulers; i++) {
        const struct sched *s = &c->issue->scheds[i];
        v.valid |= s->valid, v.ready |= s->all_ready, v.waits_long |= s->waits_long;
        v.memory |= s->ready[UNIT_MEM] & ~s->ready_shared;
        v.waits_load |= s->waits_load, v.waits_barrier |= s->waits_barrier, v.waits_fence |= s->waits_fence;
    }
    v.mshrs = l1_mshrs_used(c, CACHE_DATA), v.mshr_size = c->cfg->l1_mshrs;
    v.const_mshrs = l1_mshrs_used(c, CACHE_CONST), v.const_mshr_size = c->cfg->const_mshrs;
    v.tex_mshrs = texture_mshrs_used(c), v.tex_mshr_size = c->cfg->tex_mshrs;
    v.queue = port_queued(c), v.queue_size = c->cfg->miss_queue;
    v.pipe_head = lsu_first_slot(c);
    v.reexec = reexec_slots(c), v.reexec_full = reexec_full(c);
    v.reexec_head = reexec_first_slot(c);
    return v;
}

void sched_begin(struct core *c, u64 n) {
    struct sched_sm v = view_of_sm(c, &c->stats);
    if (!c->pol.sched->begin(c->issue->shared, &v, n)) return;
    lsu_wake(c, LSU_SCHED_CHANGED);
}

bool sched_settled(struct core *c) {
    struct sched_sm v = view_of_sm(c, c->issue->scratch_stats);
    memcpy(c->issue->scratch, c->issue->shared, shared_size(c));
    return !c->pol.sched->begin(c->issue->scratch, &v, 1);
}

bool sched_holds(const struct core *c) { return reexec_slots(c) || c->pol.sched->held; }

u64 sched_held(const struct core *c, u64 ask, u64 loads) {
    const struct sched_policy *p = c->pol.sched;
    u64 held = ask & reexec_slots(c);
    if (p->holds_loads) ask &= loads;
    if (ask && p->held) held |= p->held(c->issue->shared, ask);
    return held;
}

u64 sched_wakes(const struct core *c) { return c->pol.sched->wakes(c->issue->shared, c->now); }

bool sched_admits(const struct core *c, const struct flight *f, u64 line) {
    return !c->pol.sched->admit || c->pol.sched->admit(c->issue->shared, f->slot, f->age, line);
}
