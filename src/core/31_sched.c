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

static size_t shared_size(const struct core *c) {
    return c->pol.sched->shared_size ? c->pol.sched->shared_size(c->cfg, c->nfronts) : 0;
}

static void sched_make(struct core *c) {
    size_t n = shared_size(c);
    if (!n) return;
    c->issue->shared = base_alloc(n);
    c->issue->scratch = base_alloc(n);
    c->issue->scratch_stats = base_alloc(sizeof(*c->issue->scratch_stats));
}

static void sched_free_one(struct sched *s) {
    free(s->state);
    free(s->at);
    free(s->view);
}

void sched_free(struct core *c) {
    for (u32 i = 0; i < c->cfg->schedulers; i++) sched_free_one(&c->issue->scheds[i]);
    free(c->issue->sub_of);
    free(c->issue->block);
    free(c->issue->shared);
    free(c->issue->scratch);
    free(c->issue->scratch_stats);
}

static size_t state_size(const struct core *c) { return MAX(c->pol.sched->state_size(c->cfg, c->nfronts), (size_t)1); }

static void init_one(struct core *c, u32 i) {
    struct sched *s = &c->issue->scheds[i];
    s->index = i, s->sub = i % c->cfg->subcores;
    s->view = base_alloc(sizeof(*s->view));
    s->at = base_alloc_aligned(sizeof(*s->at) * c->words);
    for (u32 f = i; f < c->nfronts; f += c->cfg->schedulers) s->at[f / 64].slots |= set_bit(f), s->nslots += f < c->nslots;
    s->state = base_alloc(state_size(c));
}

void sched_init(struct core *c) {
    c->issue->sub_of = base_alloc(c->nfronts);
    c->issue->block = base_alloc(sizeof(u64) * c->nfronts);
    for (u32 i = 0; i < c->nfronts; i++) c->issue->sub_of[i] = (u8)(i % c->cfg->schedulers % c->cfg->subcores);
    for (u32 i = 0; i < c->cfg->schedulers; i++) init_one(c, i);
    sched_make(c);
}

static void launch_one(struct core *c, u32 i) {
    struct sched *s = &c->issue->scheds[i];
    memset(s->state, 0, state_size(c));
    if (c->pol.sched->init) c->pol.sched->init(s->state, c->cfg, i, c->nfronts);
    for (u32 w = 0; w < c->words; w++) s->at[w].valid = 0;
    s->noissue = 0;
    memset(s->unavail, 0, sizeof(s->unavail));
    memset(s->noissue_unavail, 0, sizeof(s->noissue_unavail));
    *s->view = (struct sched_view){.words = c->words, .index = i};
    s->view->age = c->age, s->view->block = c->issue->block, s->view->shared = c->issue->shared, s->view->fronts = form_seen(c);
    s->view->team = c->squads ? squad_teams(c) : NULL;
}

void sched_arrives(struct core *c, u32 slot, u64 block) {
    c->issue->block[slot] = block;
    c->fronts[slot].account.word->valid |= set_bit(slot);
}

void sched_leaves(struct core *c, u32 slot) {
    if (!c->form) c->issue->parked &= ~(1ull << slot);
    c->fronts[slot].account.word->valid &= ~set_bit(slot);
}

bool sched_has(const struct core *c, u32 slot) { return c->fronts[slot].account.word->valid & set_bit(slot); }

static u64 memory_word(const struct sched_word *x) { return x->ready[UNIT_MEM] & ~x->ready_shared; }

void sched_memory(const struct core *c, u32 sched, u64 *set) {
    for (u32 w = 0; w < c->words; w++) set[w] = memory_word(&c->issue->scheds[sched].at[w]);
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
    memset(c->issue->block, 0, sizeof(u64) * c->nfronts);
    if (!c->issue->shared) return;
    memset(c->issue->shared, 0, shared_size(c));
    if (c->pol.sched->shared_init) c->pol.sched->shared_init(c->issue->shared, c->cfg, c->nfronts);
}

/* Of these fronts those whose instruction is there */
static __attribute__((noinline)) u64 find_there(const struct core *c, u64 fronts) {
    u64 there = fronts;
    for (u64 m = fronts; m; m &= m - 1) {
        const struct front *f = &c->fronts[__builtin_ctzll(m)];
        if (f->ib.ready[f->ib.head] > c->now) there &= ~(m & -m);
    }
    return there;
}

/* Of these fronts those that can go on and have an instruction: what was decoded in the last cycle is there
 * in this one, unless decode takes longer */
static u64 find_buffered(const struct core *c, u64 fronts) {
    u64 some = fronts & vfetch_buffered(c) & ~c->issue->parked;
    return c->cfg->decode_cy > 1 ? find_there(c, some) : some;
}

u64 sched_buffered(const struct core *c, const struct sched *s) {
    return c->vfetch ? find_buffered(c, s->at[0].valid) : s->at[0].valid;
}

struct sched_view *sched_look(const struct core *c, const struct sched *s) {
    struct sched_view *v = s->view;
    v->now = c->now, v->words = c->words;
    for (u32 w = 0; w < c->words; w++) {
        const struct sched_word *x = &s->at[w];
        v->valid[w] = v->buffered[w] = x->valid;
        v->ready[w] = x->all_ready, v->waits_long[w] = x->waits_long, v->memory[w] = memory_word(x);
    }
    if (c->vfetch) v->buffered[0] = sched_buffered(c, s);
    if (c->squads && c->pol.sched->in_teams) v->waits_others[0] = squad_waiting(c) & v->valid[0];
    return v;
}

static void clear_sets(struct sched_sm *v, u32 w) {
    v->valid[w] = v->ready[w] = v->memory[w] = v->waits_long[w] = 0;
    v->waits_load[w] = v->waits_barrier[w] = v->waits_fence[w] = v->reexec[w] = 0;
}

static void look_at_fronts(const struct core *c, struct sched_sm *v) {
    for (u32 w = 0; w < c->words; w++) {
        clear_sets(v, w);
        for (u32 i = 0; i < c->cfg->schedulers; i++) {
            const struct sched_word *x = &c->issue->scheds[i].at[w];
            v->valid[w] |= x->valid, v->ready[w] |= x->all_ready, v->waits_long[w] |= x->waits_long;
            v->memory[w] |= memory_word(x);
            v->waits_load[w] |= x->waits_load, v->waits_barrier[w] |= x->waits_barrier, v->waits_fence[w] |= x->waits_fence;
        }
    }
    set_copy(v->sending, lsu_sending(c), c->words);
    if (reexec_slots(c)) set_copy(v->reexec, reexec_slots(c), c->words);
}

static void look_at_sm(const struct core *c, struct sm_stats *stats, struct sched_sm *v) {
    v->now = c->now, v->words = c->words;
    v->age = c->age, v->block = c->issue->block, v->stats = stats;
    look_at_fronts(c, v);
    v->mshrs = l1_mshrs_used(c, CACHE_DATA), v->mshr_size = c->cfg->l1_mshrs;
    v->const_mshrs = l1_mshrs_used(c, CACHE_CONST), v->const_mshr_size = c->cfg->const_mshrs;
    v->tex_mshrs = texture_mshrs_used(c), v->tex_mshr_size = c->cfg->tex_mshrs;
    v->queue = port_queued(c), v->queue_size = c->cfg->miss_queue;
    v->pipe_head = lsu_first_slot(c);
    v->reexec_full = reexec_full(c);
    v->reexec_head = reexec_first_slot(c);
}

void sched_begin(struct core *c, u64 n) {
    struct sched_sm v;
    look_at_sm(c, &c->stats, &v);
    if (!c->pol.sched->begin(c->issue->shared, &v, n)) return;
    lsu_wake(c, LSU_SCHED_CHANGED);
}

bool sched_settled(struct core *c) {
    struct sched_sm v;
    look_at_sm(c, c->issue->scratch_stats, &v);
    memcpy(c->issue->scratch, c->issue->shared, shared_size(c));
    return !c->pol.sched->begin(c->issue->scratch, &v, 1);
}

bool sched_holds(const struct core *c) { return c->pol.sched->held || reexec_holding(c); }

void sched_held(const struct core *c, const u64 *ask, const u64 *loads, u64 *held) {
    const struct sched_policy *p = c->pol.sched;
    u64 asked[SET_WORDS], answer[SET_WORDS];
    const u64 *aside = reexec_holding(c);
    if (aside) {
        set_and(answer, ask, aside, c->words);
        set_or(held, held, answer, c->words);
    }
    if (!p->held) return;
    set_copy(asked, ask, c->words);
    if (p->holds_loads) set_and(asked, ask, loads, c->words);
    if (!set_any(asked, c->words)) return;
    p->held(c->issue->shared, asked, c->words, answer);
    set_or(held, held, answer, c->words);
}

bool sched_holds_one(const struct core *c, u32 slot, bool load) {
    u64 one[SET_WORDS], none[SET_WORDS], held[SET_WORDS];
    set_clear(one, c->words), set_clear(none, c->words), set_clear(held, c->words);
    set_add(one, slot);
    sched_held(c, one, load ? one : none, held);
    return set_any(held, c->words);
}

int sched_vacant(const struct core *c, u32 sched) {
    const struct sched *s = &c->issue->scheds[sched];
    for (u32 w = 0; w < set_words(c->nfronts); w++) {
        u64 vacant = s->at[w].slots & ~s->at[w].valid;
        if (vacant) return (int)(w * 64 + (u32)__builtin_ctzll(vacant));
    }
    return NONE;
}

int sched_awaits_memory(const struct core *c, u32 from) {
    for (u32 w = from / 64; w < c->words; w++) {
        u64 some = 0;
        for (u32 i = 0; i < c->cfg->schedulers; i++)
            some |= c->issue->scheds[i].at[w].waits_load | c->issue->scheds[i].at[w].waits_fence;
        if (w == from / 64) some &= ~0ull << from % 64;
        if (some) return (int)(w * 64 + (u32)__builtin_ctzll(some));
    }
    return NONE;
}

u64 sched_wakes(const struct core *c) { return c->pol.sched->wakes(c->issue->shared, c->now); }

bool sched_admits(const struct core *c, const struct flight *f, u64 line) {
    return !c->pol.sched->admit || c->pol.sched->admit(c->issue->shared, f->slot, f->age, line);
}
