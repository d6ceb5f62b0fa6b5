/* The front end of the Vortex pipeline (sm.pipeline = vortex): warp scheduler, instruction cache, decode.
 *
 * A cycle fetches one instruction of one warp. The warp then fetches no further one until decode has seen
 * that this one does not change where it goes; if it may, until it has left its unit. Answers are decoded one
 * a cycle, in the order in which they come; one whose warp has a full buffer keeps all others waiting. A join
 * is done here, where it is decoded: the top of the warp's stack is known, since splits stall.
 *
 *   cycle    0         1 .. 4              4           5
 *            request   instruction cache   decode      in the buffer: may issue; the warp may fetch again
 *
 * (sm.icache.latency_cy = 4, sm.fetch.decode_cy = 1.) Aurud's improvements (chapter 3 of the thesis):
 *   sm.fetch.no_stall       warps fetch on. What was asked for stands in a queue of the warp until it is
 *                           decoded, a cycle later than without; an instruction that changes where the warp
 *                           goes flushes the queue. What was flushed still occupies the cache, and its answer
 *                           is dropped
 *   sm.fetch.stall_table    remembers which instructions stalled; behind these the warp does not fetch on
 *                           until they are decoded, whatever of it is decoded before
 *   sm.fetch.bpr            back-pressure reduction: warps with full buffers neither fetch nor decode
 *
 * The cache's output holds two answers; when decode leaves both there and a third is behind them the cache
 * takes nothing, and the request that was to go in waits before it, with the warp scheduler (without
 * no_stall, whose queues take every answer).
 *
 * Invariants: F1 without no_stall a warp has one request that is not dropped; F2 requests and queued
 * instructions of a warp are consecutive from its next fetch backwards; F3 a buffer holds sm.ibuffer + 1; F4
 * first_cy is when the earliest answer comes; `queued` and `buffered` are the warps with a queue, and with a
 * buffer, that is not empty; F5 a parked request is the last one and has no due_cy; F6 before still_cy decode
 * is held by a full buffer, no answer comes, and no request can be made or go in. */
#include "core/text.h"
#include "core/vfetch.h"

#include <stdlib.h>
#include <string.h>

enum { MISS_KNOWN_CY = 3 };

void vfetch_init(struct core *c) {
    const struct config *g = c->cfg;
    if (g->pipeline != PIPELINE_VORTEX) return;
    struct vfetch *v = c->vfetch = base_alloc(sizeof(*v));
    tags_init(&v->icache, g->icache_sets, g->icache_ways, g->icache_line_b, g->icache_line_b, false);
    v->misses = base_alloc(sizeof(*v->misses) * g->icache_mshrs);
    v->warps = base_alloc(sizeof(*v->warps) * c->nslots);
    v->waited = base_alloc(sizeof(u64) * c->nslots);
    v->kept = base_alloc(sizeof(u64) * c->nslots);
    v->stalls = g->stall_table ? base_alloc(sizeof(u32) * g->stall_table) : NULL;
}

void vfetch_free(struct core *c) {
    struct vfetch *v = c->vfetch;
    if (!v) return;
    tags_free(&v->icache);
    free(v->misses), free(v->requests.at), free(v->warps), free(v->waited), free(v->kept), free(v->stalls);
    free(v);
}

void vfetch_abandon(struct core *c) {
    struct vfetch *v = c->vfetch;
    if (!v) return;
    memset(v->misses, 0, sizeof(*v->misses) * c->cfg->icache_mshrs);
    v->requests.n = 0;
    v->parked = false;
    v->first_cy = NEVER;
    v->still_cy = 0;
}

void vfetch_launch(struct core *c) {
    struct vfetch *v = c->vfetch;
    if (!v) return;
    vfetch_abandon(c);
    v->open = v->stalled = v->resolving = v->queued = v->buffered = 0;
    v->last = v->decoded = c->nslots - 1;
    v->fresh_cy = NEVER;
    v->held = false;
    memset(v->warps, 0, sizeof(*v->warps) * c->nslots);
    memset(v->waited, 0, sizeof(u64) * c->nslots);
    memset(v->kept, 0, sizeof(u64) * c->nslots);
    if (v->stalls) memset(v->stalls, 0, sizeof(u32) * c->cfg->stall_table);
    tags_clear(&v->icache);
}

void vfetch_check(const struct core *c) {
    const struct vfetch *v = c->vfetch;
    u32 live[MAX_SLOTS] = {0};
    u64 first = NEVER;
    if (!v) return;
    tags_check(&v->icache);
    for (u32 i = 0; i < v->requests.n; i++) {
        live[v->requests.at[i].slot] += v->requests.at[i].id == v->warps[v->requests.at[i].slot].id;
        first = MIN(first, v->requests.at[i].due_cy);
    }
    CHECK(first == v->first_cy);                                                               /* F4 */
    CHECK(!v->parked || (v->requests.n && v->requests.at[v->requests.n - 1].due_cy == NEVER)); /* F5 */
    if (c->now < v->still_cy) {
        CHECK(v->held && c->fronts[v->decoded].ib.n > c->cfg->ibuffer && !v->resolving); /* F6 */
        CHECK(v->parked || !(v->open & ~v->stalled));                                    /* F6 */
    }
    for (u32 i = 0; i < c->nslots; i++) {
        CHECK((v->warps[i].n != 0) == (v->queued >> i & 1));            /* F4 */
        CHECK(live[i] <= (c->cfg->fetch_no_stall ? v->warps[i].n : 1)); /* F1, F2 */
        CHECK(c->fronts[i].ib.n <= c->cfg->ibuffer + 1);                /* F3 */
        CHECK((c->fronts[i].ib.n != 0) == (v->buffered >> i & 1));      /* F4 */
    }
}

/* --- who can fetch */

/* Nobody waits any more for what was asked for, or for what stands in the warp's queue */
static void forget_behind(struct vfetch *v, u32 slot) {
    v->still_cy = 0;
    v->warps[slot].id++;
    v->warps[slot].n = 0;
    v->queued &= ~(1ull << slot);
}

/* At the beginning of the cycle: what an issue of this cycle makes room for is seen in the next */
static bool full(const struct core *c, u32 slot) {
    u32 left = c->vfetch->warps[slot].popped == c->now + 1;
    return c->fronts[slot].ib.n + left > c->cfg->ibuffer;
}

void vfetch_want(struct core *c, const struct front *f) {
    u32 slot = f->slot;
    struct vwarp *w = &c->vfetch->warps[slot];
    c->vfetch->still_cy = 0;
    if (!f->nparts) { /* it has ended */
        forget_behind(c->vfetch, slot);
        w->joins = 0;
        c->vfetch->buffered &= ~(1ull << slot);
    }
    bool knows = f->nparts && f->head && f->ib.fetch_pc != NONE && f->release_cy <= c->now;
    if (knows) c->vfetch->open |= 1ull << slot;
    else c->vfetch->open &= ~(1ull << slot);
}

/* The state of a warp without an instruction in its buffer has changed, from the next cycle on */
static void look(struct core *c, u32 slot) {
    if (!c->fronts[slot].ib.n) slot_look(c, slot, c->now + 1);
}

u64 vfetch_buffered(const struct core *c) {
    const struct vfetch *v = c->vfetch;
    return v->fresh_cy == c->now ? v->buffered & ~v->fresh : v->buffered;
}

bool vfetch_stalls(const struct core *c, u32 slot) { return c->vfetch->stalled >> slot & 1; }

void vfetch_resolved(struct core *c, u32 slot) {
    c->vfetch->resolving |= 1ull << slot;
    c->vfetch->still_cy = 0;
}

/* A request of it has not been decoded and will not be dropped */
static bool asks(const struct vfetch *v, u32 slot) {
    for (u32 i = 0; i < v->requests.n; i++)
        if (v->requests.at[i].slot == slot && v->requests.at[i].id == v->warps[slot].id) return true;
    return false;
}

void vfetch_flush(struct core *c, struct front *f, i32 pc) {
    u32 slot = f->slot;
    struct vwarp *w = &c->vfetch->warps[slot];
    bool lost = f->ib.n || w->n || asks(c->vfetch, slot);
    c->stats.fetch_flushed += f->ib.n + w->n;
    EMIT(c, .kind = EV_FLUSH, .cycle = c->now, .slot = (u16)slot, .pc = pc);
    forget_behind(c->vfetch, slot);
    w->joins = 0;
    c->vfetch->buffered &= ~(1ull << slot);
    f->ib.n = 0;
    f->ib.next = f->ib.fetch_pc = pc;
    if (lost) c->vfetch->resolving |= c->vfetch->stalled & 1ull << slot; /* who it stalled for will never be decoded */
    vfetch_want(c, f);
}

/* The front's first instruction has issued. Behind one that decode has done, decode knows what is next. */
void vfetch_popped(struct core *c, struct front *f) {
    struct vwarp *w = &c->vfetch->warps[f->slot];
    if (w->joins && f->head->early) {
        f->ib.next = w->goes[w->join++ % ARRAY_LEN(w->goes)];
        w->joins--;
    }
    w->popped = c->now + 1;
    if (!f->ib.n) c->vfetch->buffered &= ~(1ull << f->slot);
    vfetch_want(c, f);
}

void vfetch_started(struct core *c, u32 slot) {
    struct vfetch *v = c->vfetch;
    forget_behind(v, slot);
    v->warps[slot].joins = 0;
    v->stalled &= ~(1ull << slot), v->resolving &= ~(1ull << slot), v->buffered &= ~(1ull << slot);
}

/* --- the instruction cache */

static u64 inst_address(const struct core *c, i32 pc) { return c->prog->code_base + (u64)pc * c->prog->inst_b; }

/* Lines with changed words are no longer there */
void vfetch_text(struct core *c, const struct text_change *y) {
    for (u32 pc = 0; c->vfetch && pc < y->n; pc++)
        if (y->past[pc]) tags_invalidate(&c->vfetch->icache, inst_address(c, (i32)pc) & ~(u64)(c->cfg->icache_line_b - 1));
}

static bool hits(struct core *c, u64 line) {
    u32 at;
    if (c->cfg->icache_ideal || c->cfg->perfect_memory) return true;
    if (c->cfg->icache_ways == 1) return tags_direct_hit(&c->vfetch->icache, line); /* and nothing to choose by use */
    if (tags_look(&c->vfetch->icache, line, 1, &at) != TAG_HIT) return false;
    tags_touch(&c->vfetch->icache, at);
    return true;
}

/* The entry that waits for the line, now at the latest; NONE: there is no room for it */
static i32 send_for(struct core *c, u64 line) {
    struct vfetch *v = c->vfetch;
    i32 spare = NONE;
    for (u32 i = 0; i < c->cfg->icache_mshrs; i++) {
        if (v->misses[i] == line + 1) return (i32)i;
        if (!v->misses[i] && spare == NONE) spare = (i32)i;
    }
    if (spare == NONE || !port_room(c, 1)) return NONE;
    u32 pieces = MAX(1u, c->cfg->icache_line_b / 32), first = (u32)(line % 128 / 32);
    v->misses[spare] = line + 1;
    port_send(c, (struct mreq){.line = line & ~127ull,
                               .sectors = ((1u << pieces) - 1) << first,
                               .token = TOKEN(TOKEN_INST, spare),
                               .kind = MREQ_READ});
    return spare;
}

/* Requests for the line go through the cache again, one a cycle, from the second cycle after it on. The
 * MISS_KNOWN_CY in which the first of them found that it misses, before it was sent, are counted here too. */
void vfetch_filled(struct core *c, u32 entry) {
    struct vfetch *v = c->vfetch;
    u64 line = v->misses[entry] - 1, due = c->now + c->cfg->icache_cy + 1 + MISS_KNOWN_CY;
    u32 at;
    struct victim out;
    v->still_cy = 0;
    v->misses[entry] = 0;
    tags_insert(&v->icache, line, 1, &at, &out);
    for (u32 i = 0; i < v->requests.n - v->parked; i++) {
        if (v->requests.at[i].due_cy != NEVER || v->requests.at[i].line != line) continue;
        v->first_cy = MIN(v->first_cy, due);
        v->requests.at[i].due_cy = due++;
    }
}

/* Decode leaves two answers in the cache's output, and a third is behind them */
static bool frozen(const struct core *c) {
    const struct vfetch *v = c->vfetch;
    u32 there = 0;
    for (u32 i = 0; i < v->requests.n; i++) there += v->requests.at[i].due_cy <= c->now + 1;
    return there > 2;
}

static void go_in(struct core *c, struct vrequest *x) {
    struct vfetch *v = c->vfetch;
    v->parked = false;
    x->sent_cy = c->now - 1;
    x->due_cy = c->now - 1 + c->cfg->icache_cy;
    v->first_cy = MIN(v->first_cy, x->due_cy);
}

/* Whether what was chosen goes in is seen in the cycle after */
static bool may_park(const struct core *c) {
    const struct vfetch *v = c->vfetch;
    if (v->requests.n < 3 || v->parked || c->cfg->fetch_no_stall) return false;
    const struct vrequest *x = &v->requests.at[v->requests.n - 1];
    return x->sent_cy + 1 == c->now && x->due_cy != NEVER;
}

/* What the warp scheduler chose in the cycle before goes into the cache, or waits: then true. */
static bool parks(struct core *c) {
    struct vfetch *v = c->vfetch;
    if (!v->parked && !may_park(c)) return false;
    struct vrequest *x = &v->requests.at[v->requests.n - 1];
    bool waits = frozen(c);
    if (waits && !v->parked) {
        x->due_cy = NEVER;
        v->parked = true;
    } else if (!waits && v->parked) go_in(c, x);
    return waits;
}

/* --- the stall table: index and tag of equation 3.3 */

static u32 *table_at(const struct core *c, i32 pc, u32 *tag) {
    u64 word = inst_address(c, pc) / 4;
    *tag = (u32)(word / c->cfg->stall_table) + 1;
    return &c->vfetch->stalls[word % c->cfg->stall_table];
}

static bool known_to_stall(struct core *c, i32 pc) {
    if (!c->vfetch->stalls) return false;
    u32 tag, known = *table_at(c, pc, &tag);
    c->stats.stall_table_hits += known == tag;
    return known == tag;
}

static void learn(struct core *c, i32 pc) {
    if (!c->vfetch->stalls) return;
    u32 tag, *entry = table_at(c, pc, &tag);
    *entry = tag;
}

/* --- the warp scheduler */

static u64 can_fetch(const struct core *c) {
    const struct vfetch *v = c->vfetch;
    u64 can = v->open & ~v->stalled;
    if (!can || !(c->cfg->fetch_no_stall || c->cfg->fetch_bpr)) return can;
    for (u64 m = can; m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        bool none = c->cfg->fetch_no_stall && v->warps[slot].n >= c->cfg->fetch_queue;
        if (none || (c->cfg->fetch_bpr && full(c, slot))) can &= ~(m & -m);
    }
    return can;
}

static void request(struct core *c, u32 slot) {
    struct vfetch *v = c->vfetch;
    struct front *f = &c->fronts[slot];
    struct vwarp *w = &v->warps[slot];
    i32 pc = f->ib.fetch_pc;
    u64 line = inst_address(c, pc) & ~(u64)(c->cfg->icache_line_b - 1);
    bool hit = hits(c, line);
    if (!hit && send_for(c, line) == NONE) return; /* it is scheduled again */
    u64 extra = c->cfg->perfect_memory ? c->cfg->perfect_cy : 0;
    struct vrequest x = {c->now, hit ? c->now + c->cfg->icache_cy + extra : NEVER, line, pc, w->id, (u16)slot};
    VEC_PUSH(&v->requests, x);
    v->first_cy = MIN(v->first_cy, x.due_cy);
    c->stats.fetches++;
    c->stats.icache_hits += hit, c->stats.icache_misses += !hit;
    f->ib.fetch_pc = c->prog->at[pc].next;
    if (c->cfg->fetch_no_stall) {
        struct vqueued q = {c->now, NEVER, pc};
        if (!w->n) w->head = 0; /* a queue of few stays where it is in the host's cache */
        w->queue[(w->head + w->n++) % VQUEUE_MAX] = q;
        v->queued |= 1ull << slot;
    }
    if (!c->cfg->fetch_no_stall || known_to_stall(c, pc)) {
        v->stalled |= 1ull << slot;
        look(c, slot);
    }
    vfetch_want(c, f);
}

static void schedule(struct core *c) {
    struct vfetch *v = c->vfetch;
    u64 can = can_fetch(c);
    if (parks(c) || !can) return;
    struct fetch_view view = {&can, 1, c->age, v->waited};
    int slot = c->pol.fetch->pick(&v->last, &view);
    if (slot < 0) return;
    fetch_pass_over(v->waited, &can, 1, (u32)slot);
    request(c, (u32)slot);
}

/* --- decode */

/* Where the warp goes after an instruction that decode does by itself */
static i32 goes_early(struct core *c, u32 slot, const struct tinst *t) {
    const struct warp *w = c->homes[slot].w;
    i32 pc = c->prog->k->early(w, t->in, c->vfetch->warps[slot].joins);
    return pc == NONE ? t->next : pc;
}

/* What was asked for behind it is not wanted */
static void drop_behind(struct core *c, u32 slot, i32 pc) {
    c->stats.fetch_flushed += c->vfetch->warps[slot].n;
    forget_behind(c->vfetch, slot);
    c->fronts[slot].ib.fetch_pc = pc;
}

static void decode_early(struct core *c, u32 slot, const struct tinst *t) {
    struct vwarp *w = &c->vfetch->warps[slot];
    i32 pc = goes_early(c, slot, t);
    drop_behind(c, slot, pc);
    w->goes[(w->join + w->joins++) % ARRAY_LEN(w->goes)] = pc;
    if (c->cfg->fetch_no_stall) learn(c, t->pc);
}

static void decode(struct core *c, u32 slot, i32 pc, u64 sent_cy) {
    struct vfetch *v = c->vfetch;
    struct front *f = &c->fronts[slot];
    const struct tinst *t = &c->prog->at[pc];
    u64 ready = c->now + c->cfg->decode_cy, bit = 1ull << slot;
    f->ib.ready[(f->ib.head + f->ib.n++) & c->ib_mask] = ready;
    v->buffered |= bit;
    EMIT(c, .kind = EV_FETCH, .cycle = sent_cy, .slot = (u16)slot, .pc = pc, .a = 1, .b = ready);
    if (f->ib.n == 1) {
        if (ready > c->now) v->fresh = bit, v->fresh_cy = c->now;
        slot_alarm(c, slot, ready);
    }
    if (t->early) decode_early(c, slot, t);
    if (t->turns) {
        learn(c, pc);
        drop_behind(c, slot, t->next);
        v->stalled |= bit;
    } else if (!v->warps[slot].n) v->stalled &= ~bit; /* what is asked for behind it may be known to stall */
    vfetch_want(c, f);
}

static void forget(struct vfetch *v, u32 i) {
    v->requests.n--;
    for (; i < v->requests.n; i++) v->requests.at[i] = v->requests.at[i + 1];
}

static void drop_stale(struct core *c) {
    struct vfetch *v = c->vfetch;
    for (u32 i = 0; i < v->requests.n;) {
        const struct vrequest *x = &v->requests.at[i];
        if (x->due_cy <= c->now && x->id != v->warps[x->slot].id) forget(v, i);
        else i++;
    }
}

/* Some have gone: when the first of the others comes */
static void find_first(struct vfetch *v) {
    v->first_cy = NEVER;
    for (u32 i = 0; i < v->requests.n; i++) v->first_cy = MIN(v->first_cy, v->requests.at[i].due_cy);
}

/* Drops what nobody waits for. Of the other answers the place of the one that came first, or NONE; *others:
 * when the first of those beside it comes. With back-pressure reduction its warp's buffer has room, as it had
 * when the warp scheduler chose it. */
static i32 first_answer(struct core *c, u64 *others) {
    struct vfetch *v = c->vfetch;
    u64 first_cy = NEVER, rest_cy = NEVER;
    i32 first = NONE;
    u32 left = 0;
    for (u32 i = 0; i < v->requests.n; i++) {
        const struct vrequest *x = &v->requests.at[i];
        u64 due = x->due_cy;
        bool there = due <= c->now;
        if (there && x->id != v->warps[x->slot].id) continue;
        if (left != i) v->requests.at[left] = *x;
        if (there && due < first_cy) {
            rest_cy = MIN(rest_cy, first_cy);
            first_cy = due;
            first = (i32)left;
        } else rest_cy = MIN(rest_cy, due);
        left++;
    }
    v->requests.n = left;
    *others = rest_cy;
    return first;
}

static void decode_first(struct core *c) {
    struct vfetch *v = c->vfetch;
    u64 others;
    i32 first = first_answer(c, &others);
    v->first_cy = others;
    if (first == NONE) return;
    struct vrequest x = v->requests.at[first];
    v->decoded = x.slot;
    v->held = full(c, x.slot);
    if (v->held) {
        v->first_cy = MIN(others, x.due_cy);
        c->stats.decode_held_cycles++;
        return;
    }
    forget(v, (u32)first);
    decode(c, x.slot, x.pc, x.sent_cy);
}

/* No stall: one answer a cycle goes into its warp's queue */
static void queue_answer(struct core *c) {
    struct vfetch *v = c->vfetch;
    i32 first = NONE;
    for (u32 i = 0; i < v->requests.n; i++)
        if (v->requests.at[i].due_cy <= c->now && (first == NONE || v->requests.at[i].due_cy < v->requests.at[first].due_cy))
            first = (i32)i;
    if (first == NONE) return;
    struct vrequest x = v->requests.at[first];
    struct vwarp *w = &v->warps[x.slot];
    forget(v, (u32)first);
    for (u32 i = 0; i < w->n; i++) {
        struct vqueued *q = &w->queue[(w->head + i) % VQUEUE_MAX];
        if (q->sent_cy == x.sent_cy) q->there_cy = c->now;
    }
}

static u64 can_decode(const struct core *c) {
    const struct vfetch *v = c->vfetch;
    u64 can = 0;
    for (u64 m = v->queued; m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        const struct vwarp *w = &v->warps[slot];
        if (w->queue[w->head].there_cy < c->now && !(c->cfg->fetch_bpr && full(c, slot))) can |= m & -m;
    }
    return can;
}

/* Greedy, then the one that waited through most decodes */
static u32 choose_decode(const struct vfetch *v, u64 can) {
    if (can >> v->decoded & 1) return v->decoded;
    u32 best = (u32)__builtin_ctzll(can);
    for (u64 m = can; m; m &= m - 1)
        if (v->kept[__builtin_ctzll(m)] > v->kept[best]) best = (u32)__builtin_ctzll(m);
    return best;
}

static void decode_queued(struct core *c) {
    struct vfetch *v = c->vfetch;
    u64 can = can_decode(c);
    if (!can) return;
    u32 slot = choose_decode(v, can);
    struct vwarp *w = &v->warps[slot];
    v->decoded = slot;
    v->held = full(c, slot);
    if (v->held) {
        c->stats.decode_held_cycles++;
        return;
    }
    fetch_pass_over(v->kept, &can, 1, slot);
    struct vqueued q = w->queue[w->head];
    w->head = (w->head + 1) % VQUEUE_MAX;
    if (--w->n == 0) v->queued &= ~(1ull << slot);
    decode(c, slot, q.pc, q.sent_cy);
}

static void run_queues(struct core *c) {
    struct vfetch *v = c->vfetch;
    bool some = v->first_cy <= c->now;
    if (some) drop_stale(c);
    if (v->queued) decode_queued(c);
    if (!some) return;
    queue_answer(c);
    find_first(v);
}

/* Until when nothing changes by itself: behind a full buffer, and with no warp that could fetch, or what was
 * chosen last parked before a cache that takes nothing. Until the next answer comes, if nobody calls. */
static u64 still_until(const struct core *c, const struct vfetch *v) {
    u64 until = NEVER;
    if (c->fronts[v->decoded].ib.n <= c->cfg->ibuffer) return 0; /* there is room in the next cycle */
    if (v->parked ? !frozen(c) : (v->open & ~v->stalled) != 0) return 0;
    for (u32 i = 0; i < v->requests.n; i++) {
        const struct vrequest *x = &v->requests.at[i];
        if (x->sent_cy == c->now) return 0; /* whether it goes in is seen in the next cycle */
        if (x->due_cy > c->now) until = MIN(until, x->due_cy);
    }
    return until;
}

static __attribute__((noinline)) void run_stage(struct core *c, struct vfetch *v) {
    schedule(c); /* first: what decode and the units let go in this cycle fetches in the next */
    if (c->cfg->fetch_no_stall) run_queues(c);
    else if (v->first_cy <= c->now) decode_first(c);
    u64 go = v->resolving;
    v->stalled &= ~go;
    v->resolving = 0;
    for (; go; go &= go - 1) look(c, (u32)__builtin_ctzll(go));
    if (v->held && !c->cfg->fetch_no_stall) v->still_cy = still_until(c, v);
}

void vfetch_stage(struct core *c) {
    struct vfetch *v = c->vfetch;
    if (c->now < v->still_cy) {
        c->stats.decode_held_cycles++;
        return;
    }
    v->held = false;
    /* all are asked: which one says yes cannot be foretold, and a wrong guess costs more than the answers */
    if ((v->open & ~v->stalled) | v->queued | v->resolving | v->parked | (v->first_cy <= c->now)) run_stage(c, v);
}

u64 vfetch_next(const struct core *c) {
    const struct vfetch *v = c->vfetch;
    u64 next = NEVER;
    bool blocked = v->parked && frozen(c);
    if (may_park(c)) return c->now;
    if (v->resolving || (v->parked && !blocked) || (!blocked && can_fetch(c))) return c->now;
    if (v->queued && can_decode(c)) return c->now;
    bool waits = v->held && !c->cfg->fetch_no_stall && full(c, v->decoded);
    if (!waits || v->first_cy > c->now) return MAX(v->first_cy, c->now);
    for (u32 i = 0; i < v->requests.n; i++) /* what is there waits for room in a buffer */
        if (v->requests.at[i].due_cy > c->now) next = MIN(next, v->requests.at[i].due_cy);
    return next;
}

/* Cycles jumped over: decode was held in them as it was before */
void vfetch_skip(struct core *c, u64 n) {
    if (c->vfetch->held) c->stats.decode_held_cycles += n;
}
