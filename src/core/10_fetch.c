/* Fetch: each cycle up to sm.fetch.warps warps that have room in their buffers fetch the next instructions of
 * theirs from the instruction cache, up to the end of a cache line. A miss goes to the L2; the warp fetches
 * again when the line has come.
 *
 * Where warps are divided into slices (43_gang.c) each slice has a fetch of its own: so many gangs that have
 * it fetch in a cycle (vws.front = slices).
 *
 * Not modelled: a second level instruction cache of its own. */
#include "core/fetch.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

void fetch_init(struct core *c) {
    const struct config *g = c->cfg;
    c->fetch = base_alloc(sizeof(*c->fetch));
    c->fetch->room = g->ibuffer - MIN(g->fetch_insts, g->ibuffer);
    c->fetch->way = g->icache_cy + g->decode_cy + (g->perfect_memory ? g->perfect_cy : 0);
    c->fetch->line = ~(u64)(g->icache_line_b - 1);
    c->fetch->waits = base_alloc(sizeof(*c->fetch->waits) * g->icache_mshrs);
    c->fetch->waited = base_alloc(sizeof(u64) * c->nfronts);
    tags_init(&c->fetch->icache, g->icache_sets, g->icache_ways, g->icache_line_b, g->icache_line_b, false);
}

void fetch_free(struct core *c) {
    tags_free(&c->fetch->icache);
    free(c->fetch->waits), free(c->fetch->waited);
    free(c->fetch);
}

void fetch_launch(struct core *c) {
    set_clear(c->fetch->want, c->words);
    set_clear(c->fetch->unresolved, c->words);
    c->fetch->last = MIN(c->nfronts, 64 * core_first_words(c)) - 1;
    for (u32 i = 0; i < c->cfg->icache_mshrs; i++) /* send_for clears but the words that are in use then */
        if (!c->fetch->waits[i].used) set_clear(c->fetch->waits[i].slots, c->words);
    memset(c->fetch->waited, 0, sizeof(u64) * c->nfronts);
    tags_clear(&c->fetch->icache);
}

void fetch_abandon(struct core *c) { memset(c->fetch->waits, 0, sizeof(*c->fetch->waits) * c->cfg->icache_mshrs); }

void fetch_check(const struct core *c) { tags_check(&c->fetch->icache); }

void fetch_unresolved(struct core *c, u32 slot) { set_add(c->fetch->unresolved, slot); }

static u64 inst_address(const struct core *c, i32 pc) { return c->prog->code_base + (u64)pc * c->prog->inst_b; }

/* Lines with changed words are no longer there */
void fetch_text(struct core *c, const struct text_change *y) {
    for (u32 pc = 0; pc < y->n; pc++)
        if (y->past[pc]) tags_invalidate(&c->fetch->icache, inst_address(c, (i32)pc) & c->fetch->line);
}

static bool lookup(struct core *c, u64 line) {
    u32 at;
    if (c->cfg->icache_ideal || c->cfg->perfect_memory) return true;
    if (tags_look(&c->fetch->icache, line, 1, &at) != TAG_HIT) return false;
    tags_touch(&c->fetch->icache, at);
    return true;
}

static struct icache_wait *waiting(struct core *c, u64 line, struct icache_wait **spare) {
    *spare = NULL;
    for (u32 i = 0; i < c->cfg->icache_mshrs; i++) {
        struct icache_wait *w = &c->fetch->waits[i];
        if (!w->used) *spare = w;
        else if (w->line == line) return w;
    }
    return NULL;
}

static void send_for(struct core *c, struct icache_wait *w, u64 line) {
    u32 pieces = MAX(1u, c->cfg->icache_line_b / 32), first = (u32)(line % 128 / 32);
    w->line = line, w->used = true;
    set_clear(w->slots, c->words);
    port_send(c, (struct mreq){.line = line & ~127ull,
                               .sectors = ((1u << pieces) - 1) << first,
                               .token = TOKEN(TOKEN_INST, w - c->fetch->waits),
                               .kind = MREQ_READ});
}

static void fetch_ahead(struct core *c, u64 line) {
    u64 end = inst_address(c, (i32)c->prog->k->ninst);
    for (u32 i = 0; i < c->cfg->icache_prefetch && port_room(c, 1); i++) {
        struct icache_wait *spare;
        u32 at;
        line += c->cfg->icache_line_b;
        if (line >= end) return;
        if (tags_look(&c->fetch->icache, line, 1, &at) == TAG_HIT || waiting(c, line, &spare)) continue;
        if (!spare) return;
        send_for(c, spare, line);
    }
}

/* True when the line is on its way, or now sent for */
static bool miss(struct core *c, u32 slot, u64 line) {
    struct icache_wait *spare, *w = waiting(c, line, &spare);
    if (w) set_add(w->slots, slot);
    else if (!spare || !port_room(c, 1)) return false;
    else {
        send_for(c, spare, line);
        set_add(spare->slots, slot);
        fetch_ahead(c, line);
    }
    return true;
}

void fetch_filled(struct core *c, u32 entry) {
    struct icache_wait *w = &c->fetch->waits[entry];
    u32 at;
    struct victim v;
    tags_insert(&c->fetch->icache, w->line, 1, &at, &v);
    w->used = false;
    SET_EACH (slot, w->slots, c->words) {
        struct front *f = &c->fronts[slot];
        f->ib.miss = false;
        ibuffer_want(c, f);
    }
}

/* n instructions from pc on can issue from cycle `ready` on; or (n = 0) their line missed */
static __attribute__((cold)) void tell_fetch(struct core *c, u32 slot, i32 pc, u32 n, u64 ready) {
    if (c->form)
        EMIT(c, .kind = EV_FRONT, .cycle = c->now, .slot = (u16)slot, .pc = pc, .a = n, .b = ready, .mask = !n,
             .cause = FRONT_FETCHES);
    else EMIT(c, .kind = EV_FETCH, .cycle = c->now, .slot = (u16)slot, .pc = pc, .a = n, .b = ready, .cause = !n);
}

static inline void deliver(struct core *c, struct front *f, u64 line, u64 ready) {
    struct ibuffer *b = &f->ib;
    u32 room = MIN(c->cfg->fetch_insts, c->cfg->ibuffer - b->n - b->behind), n = 0, at = b->head + b->n;
    i32 first = b->fetch_pc, pc = first;
    do {
        b->ready[(at + n++) & c->ib_mask] = ready;
        pc = c->prog->at[pc].next;
    } while (n < room && pc != NONE && (inst_address(c, pc) & c->fetch->line) == line);
    b->fetch_pc = pc;
    b->n += n;
    if (__builtin_expect(c->tracing, 0)) tell_fetch(c, f->slot, first, n, ready);
    if (n == b->n) slot_alarm(c, f->slot, ready); /* the buffer was empty */
}

static void fetch_one(struct core *c, u32 slot) {
    struct front *f = &c->fronts[slot];
    u64 line = inst_address(c, f->ib.fetch_pc) & c->fetch->line;
    if (lookup(c, line)) {
        c->stats.fetches++;
        c->stats.icache_hits++;
        deliver(c, f, line, c->now + c->fetch->way);
    } else if (miss(c, slot, line)) { /* else it tries again */
        c->stats.fetches++;
        c->stats.icache_misses++;
        tell_fetch(c, slot, f->ib.fetch_pc, 0, 0);
        f->ib.miss = true;
    }
    ibuffer_want(c, f);
}

static bool find_candidates(struct core *c, u64 *can) { /* false: none */
    struct fetch *f = c->fetch;
    for (u32 w = 0; w < c->words; w++) {
        for (u64 m = f->unresolved[w] & f->want[w]; m; m &= m - 1) {
            u32 slot = w * 64 + (u32)__builtin_ctzll(m);
            if (c->fronts[slot].resolve_cy <= c->now) set_drop(f->unresolved, slot);
        }
    }
    set_without(can, f->want, f->unresolved, c->words);
    return set_any(can, c->words);
}

u64 fetch_next(const struct core *c) {
    const struct fetch *f = c->fetch;
    u64 next = NEVER;
    for (u32 w = 0; w < c->words; w++)
        if (f->want[w] & ~f->unresolved[w]) return c->now;
    SET_EACH (slot, f->want, c->words) next = MIN(next, MAX(c->now, c->fronts[slot].resolve_cy));
    return next;
}

/* Slices whose lanes have so many fetches in this cycle fetch no more: gangs with one of them wait */
static void drop_served(const struct core *c, u64 *can, u64 *lanes, u32 slot) {
    u64 more = gang_lanes(c, slot);
    for (u32 i = 0; i < c->cfg->fetch_warps && more; i++) {
        u64 had = lanes[i] & more;
        lanes[i] |= more;
        more = had;
    }
    SET_EACH (other, can, c->words)
        if (gang_lanes(c, other) & lanes[c->cfg->fetch_warps - 1]) set_drop(can, other);
}

/* One of these fetches, and leaves the set; false: none */
static inline bool fetch_next_of(struct core *c, u64 *can, u32 *slot) {
    struct fetch_view v = {can, c->words, c->age, c->fetch->waited};
    int pick = set_any(can, c->words) ? c->pol.fetch->pick(&c->fetch->last, &v) : NONE;
    if (pick < 0) return false;
    *slot = c->fetch->last = (u32)pick;
    if (c->pol.fetch->waits) fetch_pass_over(c->fetch->waited, can, c->words, *slot);
    set_drop(can, *slot);
    fetch_one(c, *slot);
    return true;
}

static __attribute__((noinline)) void fetch_gangs(struct core *c, u64 *can) {
    u64 served[MAX_FETCHES] = {0};
    u32 slot;
    while (fetch_next_of(c, can, &slot)) drop_served(c, can, served, slot);
}

void fetch_stage(struct core *c) {
    u64 can[SET_WORDS];
    u32 slot;
    if (!find_candidates(c, can)) return;
    if (__builtin_expect(c->gang != NULL, 0) && gang_front_each(c)) {
        fetch_gangs(c, can);
        return;
    }
    for (u32 i = 0; i < c->cfg->fetch_warps && fetch_next_of(c, can, &slot); i++) {}
}
