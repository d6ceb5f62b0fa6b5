/* The L1 data cache and the constant cache, one access of the memory stage's first instruction at a time.
 *
 * A load that misses takes an MSHR (or joins the line's), a place in the miss queue, and reserves a way, in
 * this order; the first that is missing is the hazard (Turner's order: MSHR, COMQ, RSV); one that joins a
 * line needs a place in its MSHR (MERGE). With sm.l1.stream ways are taken when the line comes, and there is
 * no RSV. Lines have sectors; an MSHR is done when all packets sent for its line are back. Stores go through
 * to the L2 or stay until eviction (sm.l1.write, write_local); a store's sectors become valid without a
 * fetch. Atomics go past the cache and drop the line. Not modelled: data. Function has been done at issue; a
 * line in the cache is a tag.
 *
 * Invariants: D1 a pending sector has an MSHR of its line; D2 mshr_responses counts packets under way. */
#include "core/l1.h"

#include <stdlib.h>
#include <string.h>

/* --- building */

void l1_init(struct core *c) {
    const struct config *g = c->cfg;
    struct l1 *l = c->l1 = base_alloc(sizeof(*l));
    u32 way = lsu_way(g);
    tags_init(&l->tags, g->l1_sets, g->l1_ways, g->l1_line_b, g->l1_sector_b, g->l1_replace == REPLACE_FIFO);
    l->tags.fermi = g->l1_index == L1_INDEX_FERMI;
    tags_init(&l->const_tags, g->const_sets, g->const_ways, g->const_line_b, g->const_line_b, false);
    l->mshr = mshr_new(g->l1_mshrs, g->l1_merge);
    l->const_mshr = mshr_new(g->const_mshrs, 64);
    l->waits = base_alloc(sizeof(*l->waits) * g->l1_mshrs);
    l->brought_by = base_alloc(sizeof(*l->brought_by) * g->l1_sets * g->l1_ways);
    l->tlb = base_alloc(sizeof(*l->tlb) * (g->tlb_entries + 1u));
    l->latency = g->l1_cy > way ? g->l1_cy - way : 1;
}

void l1_free(struct core *c) {
    struct l1 *l = c->l1;
    tags_free(&l->tags), tags_free(&l->kept), tags_free(&l->const_tags);
    mshr_free(l->mshr), mshr_free(l->const_mshr);
    free(l->waits);
    free(l->brought_by);
    free(l->tlb);
    free(l);
}

void l1_launch(struct core *c) {
    memset(c->l1->tlb, 0, sizeof(*c->l1->tlb) * c->cfg->tlb_entries);
    tags_clear(&c->l1->tags), tags_clear(&c->l1->const_tags);
}

void l1_abandon(struct core *c) { mshr_clear(c->l1->mshr), mshr_clear(c->l1->const_mshr); }

static void accessed(struct core *c, const struct flight *f, const struct line_access *x, enum access_result r) {
    FLIGHT_TELL(c, f, .kind = EV_ACCESS, .cycle = c->now, .a = x->line, .mask = x->lanes, .cause = (u8)r);
    (void)f;
}

/* --- translations: a fully associative, least recently used set of pages. A miss starts a walk, of a fixed
 * length, when one more is allowed; the access is refused until the page is here. */

static struct tlb_entry *tlb_victim(struct core *c) {
    struct tlb_entry *old = NULL;
    u32 walks = 0;
    for (u32 i = 0; i < c->cfg->tlb_entries; i++) {
        struct tlb_entry *e = &c->l1->tlb[i];
        bool walking = e->page && e->ready > c->now;
        walks += walking;
        if (!walking && !(e->page && e->fresh) && (!old || e->used < old->used)) old = e;
    }
    return walks < c->cfg->tlb_walks ? old : NULL;
}

static bool translated(struct core *c, u64 addr) {
    if (!c->cfg->tlb_entries || c->cfg->perfect_memory) return true;
    u64 page = addr / c->cfg->tlb_page_b + 1;
    for (u32 i = 0; i < c->cfg->tlb_entries; i++) {
        if (c->l1->tlb[i].page != page) continue;
        c->l1->tlb[i].used = c->now;
        if (c->l1->tlb[i].ready > c->now) return false;
        c->l1->tlb[i].fresh = false;
        return true;
    }
    struct tlb_entry *e = tlb_victim(c);
    if (!e) return false;
    *e = (struct tlb_entry){page, c->now, c->now + c->cfg->tlb_miss_cy, true};
    c->stats.tlb_misses++;
    return false;
}

u64 tlb_next(const struct core *c) {
    u64 next = NEVER;
    for (u32 i = 0; i < c->cfg->tlb_entries; i++)
        if (c->l1->tlb[i].page && c->l1->tlb[i].ready >= c->now) next = MIN(next, c->l1->tlb[i].ready);
    return next;
}

static bool past_l1(const struct core *c, const struct flight *f) {
    return f->t->in->flags & INST_UNCACHED || (f->mem.space == SPACE_GLOBAL && !c->cfg->l1_global);
}

static void hit(struct core *c, struct flight *f, u64 extra) {
    f->result_cy = MAX(f->result_cy, c->now + scaled(c, c->cfg, (u32)c->l1->latency, f->lanes) + extra);
}

/* A line has a place: who brought it, and whose line had to go */
static void brought(struct core *c, const struct victim *v, u32 at, u32 slot) {
    u32 by = c->l1->brought_by[at];
    if (v->had) WATCH(c, MEM_EVICTED, .slot = by, .line = v->line, .flag = by == slot);
    c->l1->brought_by[at] = (u16)slot;
}

static int load_past(struct core *c, struct flight *f, const struct line_access *x) {
    if (!sched_admits(c, f, x->line)) return HAZARD_OWNER;
    if (!port_room(c, 1)) return HAZARD_COMQ;
    f->mem.outstanding++;
    c->stats.l1_bypassed++;
    WATCH(c, MEM_PAST, .slot = f->slot, .f = f, .line = x->line);
    port_send(c, (struct mreq){.line = x->line, .sectors = x->sectors, .token = TOKEN(TOKEN_BYPASS, f->id), .kind = MREQ_READ});
    accessed(c, f, x, ACCESS_BYPASS);
    return NONE;
}

/* Sectors of the cache's own size, from a mask of 32-byte pieces, and back */
static u32 to_sectors(const struct core *c, u32 pieces) {
    u32 per = c->cfg->l1_sector_b / 32, mask = 0;
    for (u32 i = 0; i < c->cfg->l1_line_b / c->cfg->l1_sector_b; i++)
        if (pieces >> i * per & ((1u << per) - 1)) mask |= 1u << i;
    return mask;
}
static u32 to_pieces(const struct core *c, u32 sectors) {
    u32 per = c->cfg->l1_sector_b / 32, mask = 0;
    for (; sectors; sectors &= sectors - 1) mask |= ((1u << per) - 1) << (u32)__builtin_ctz(sectors) * per;
    return mask;
}

static void write_back(struct core *c, const struct victim *v) {
    u32 sectors = to_pieces(c, v->dirty);
    c->stats.l1_writebacks += (u32)__builtin_popcount(v->dirty);
    port_send(c, (struct mreq){.line = v->line,
                               .sectors = sectors,
                               .token = TOKEN(TOKEN_EVICT, 0),
                               .kind = MREQ_WRITE,
                               .data_b = (u16)(32 * __builtin_popcount(sectors))});
}

/* A dirty line that has to make room is written back in a cycle of its own; the access that needs the room
 * comes again. True when it was. */
static bool writes_victim(struct core *c, u64 line) {
    u32 at;
    struct victim v = {0};
    if (!tags_peek(&c->l1->tags, line, &at, &v) || !v.had || !v.dirty) return false;
    c->l1->tags.dirty[at] = 0;
    write_back(c, &v);
    lsu_wake(c, LSU_VICTIM_GONE);
    return true;
}

static bool writes_back(const struct core *c) { return c->cfg->l1_write == WRITE_BACK || c->cfg->l1_write_local == WRITE_BACK; }

static int load_miss(struct core *c, struct flight *f, const struct line_access *x, u32 want, enum tag_result look, u32 at) {
    int e = mshr_find(c->l1->mshr, x->line);
    WATCH(c, MEM_LOOKED_UP, .slot = f->slot, .f = f, .line = x->line, .flag = e < 0);
    if (e < 0 && mshr_full(c->l1->mshr)) return HAZARD_MSHR;
    if (e >= 0 && !mshr_can_merge(c->l1->mshr, e)) return HAZARD_MERGE;
    u32 missing = want & ~(e < 0 ? 0 : c->l1->waits[e].sectors);
    if (look == TAG_SECTOR_MISS) missing &= ~(u32)(c->l1->tags.valid[at] | c->l1->tags.pending[at]);
    if (missing && !sched_admits(c, f, x->line)) return HAZARD_OWNER;
    if (missing && !port_room(c, 1)) return HAZARD_COMQ;
    if (missing && !c->cfg->l1_stream) {
        struct victim v = {0};
        if (look == TAG_SECTOR_MISS) c->l1->tags.pending[at] |= (u8)missing;
        else if (writes_back(c) && writes_victim(c, x->line)) return HAZARD_COMQ;
        else if (!tags_reserve(&c->l1->tags, x->line, missing, &at, &v)) return HAZARD_RSV;
        c->stats.l1_evictions += v.had;
        if (look != TAG_SECTOR_MISS) brought(c, &v, at, f->slot);
    }
    if (e < 0) {
        account_levels(c, c->now);
        e = mshr_alloc(c->l1->mshr, x->line);
        c->l1->waits[e].responses = 0;
        c->l1->waits[e].sectors = 0;
        c->l1->waits[e].since = c->now;
        c->l1->waits[e].slot = f->slot;
        c->stats.mshr_peak = MAX(c->stats.mshr_peak, mshr_used(c->l1->mshr));
        EMIT(c, .kind = EV_COUNTER, .cycle = c->now, .a = TC_MSHRS, .b = mshr_used(c->l1->mshr), .pc = -1);
        WATCH(c, MEM_MSHR_TAKEN, .slot = f->slot, .f = f, .line = x->line);
    }
    mshr_wait(c->l1->mshr, e, f->id);
    f->mem.outstanding++;
    if (missing) {
        c->stats.l1_misses++;
        WATCH(c, MEM_SENT_FOR, .slot = f->slot, .f = f, .line = x->line);
        c->l1->waits[e].responses++;
        c->l1->waits[e].sectors |= missing;
        port_send(c, (struct mreq){
                         .line = x->line, .sectors = to_pieces(c, missing), .token = TOKEN(TOKEN_MSHR, e), .kind = MREQ_READ});
    } else c->stats.l1_merged++;
    accessed(c, f, x, missing ? ACCESS_MISS : ACCESS_MERGED);
    return NONE;
}

int l1_load(struct core *c, struct flight *f, struct line_access *x) {
    u32 at = 0, want = to_sectors(c, x->sectors);
    if (!translated(c, x->line)) return HAZARD_TLB;
    if (c->cfg->perfect_memory) {
        hit(c, f, c->cfg->perfect_cy);
        accessed(c, f, x, ACCESS_HIT);
        return NONE;
    }
    if (past_l1(c, f)) return load_past(c, f, x);
    enum tag_result look = tags_look(&c->l1->tags, x->line, want, &at);
    if (look != TAG_HIT) {
        int why = load_miss(c, f, x, want, look, at);
        c->stats.l1_accesses += why == NONE;
        return why;
    }
    tags_touch(&c->l1->tags, at);
    WATCH(c, MEM_LOOKED_UP, .slot = f->slot, .f = f, .line = x->line);
    WATCH(c, MEM_HIT, .slot = f->slot, .f = f, .line = x->line);
    c->stats.l1_accesses++;
    c->stats.l1_hits++;
    c->pcs[flight_pc(f)].l1_hits++;
    hit(c, f, 0);
    accessed(c, f, x, ACCESS_HIT);
    return NONE;
}

static void fill(struct core *c, int e) {
    u64 at = MAX(c->now, c->l1->fill_free);
    u64 line = 0;
    u32 tokens[1024];
    c->l1->fill_free = at + c->cfg->l1_fill_cy;
    c->stats.l1_fills++;
    account_levels(c, c->now);
    c->stats.miss_latency_cycles += at - c->l1->waits[e].since;
    line = mshr_line(c->l1->mshr, e);
    if (c->cfg->l1_stream) {
        u32 way;
        struct victim v = {0};
        if (tags_insert(&c->l1->tags, line, c->l1->waits[e].sectors, &way, &v)) {
            c->stats.l1_evictions += v.had;
            brought(c, &v, way, c->l1->waits[e].slot);
        }
        if (v.had && v.dirty) write_back(c, &v);
    } else tags_fill(&c->l1->tags, line, c->l1->waits[e].sectors);
    u32 n = mshr_done(c->l1->mshr, e, tokens);
    EMIT(c, .kind = EV_COUNTER, .cycle = c->now, .a = TC_MSHRS, .b = mshr_used(c->l1->mshr), .pc = -1);
    WATCH(c, MEM_FILLED, .slot = c->l1->waits[e].slot, .line = line);
    WATCH(c, MEM_MSHR_FREED, .slot = c->l1->waits[e].slot, .line = line);
    for (u32 i = 0; i < n; i++) {
        if (c->early) early_filled(c, tokens[i], line, at);
        writeback_part(c, tokens[i], at);
    }
}

void l1_response(struct core *c, int e) {
    if (--c->l1->waits[e].responses == 0) fill(c, e);
}

/* --- stores */

static int store_back(struct core *c, u32 slot, u32 want, const struct line_access *x) {
    u32 at;
    struct victim v = {0};
    if (!port_room(c, 1)) return HAZARD_COMQ; /* a victim may have to go */
    enum tag_result look = tags_look(&c->l1->tags, x->line, want, &at);
    if (look == TAG_MISS && writes_victim(c, x->line)) return HAZARD_COMQ;
    if (look == TAG_MISS && !tags_insert(&c->l1->tags, x->line, want, &at, &v)) return HAZARD_RSV;
    c->stats.l1_evictions += v.had;
    if (look == TAG_MISS) brought(c, &v, at, slot);
    tags_touch(&c->l1->tags, at);
    c->l1->tags.valid[at] |= (u8)want;
    c->l1->tags.dirty[at] |= (u8)want;
    return NONE;
}

static void store_through(struct core *c, struct flight *f, const struct line_access *x, u32 want) {
    u32 at;
    if (tags_look(&c->l1->tags, x->line, want, &at) != TAG_MISS) {
        if (c->cfg->l1_write_evict) tags_invalidate(&c->l1->tags, x->line);
        else tags_touch(&c->l1->tags, at);
    }
    writeback_store_sent(c, f);
    port_send(c, (struct mreq){.line = x->line,
                               .sectors = x->sectors,
                               .token = TOKEN(TOKEN_STORE, f->id),
                               .kind = MREQ_WRITE,
                               .data_b = (u16)(32 * __builtin_popcount(x->sectors))});
}

int l1_store(struct core *c, struct flight *f, struct line_access *x) {
    u32 want = to_sectors(c, x->sectors);
    if (!translated(c, x->line)) return HAZARD_TLB;
    if (!c->cfg->perfect_memory) {
        bool back = (f->mem.space == SPACE_LOCAL ? c->cfg->l1_write_local : c->cfg->l1_write) == WRITE_BACK;
        if (back) {
            int why = store_back(c, f->slot, want, x);
            if (why != NONE) return why;
        } else if (!port_room(c, 1)) return HAZARD_COMQ;
        else store_through(c, f, x, want);
    }
    c->stats.l1_writes++;
    WATCH(c, MEM_STORED, .slot = f->slot, .f = f, .line = x->line);
    accessed(c, f, x, ACCESS_STORE);
    return NONE;
}

int l1_atomic(struct core *c, struct flight *f, struct line_access *x, struct atomic_packet *p) {
    if (!translated(c, x->line)) return HAZARD_TLB;
    if (!port_room(c, 1)) return HAZARD_COMQ;
    tags_invalidate(&c->l1->tags, x->line);
    f->mem.outstanding++;
    u32 size = p->n ? p->lane[0].size_b : 4;
    port_send(c, (struct mreq){.line = x->line,
                               .sectors = x->sectors,
                               .token = TOKEN(TOKEN_ATOMIC, p->index),
                               .kind = f->mem.red ? MREQ_RED : MREQ_ATOMIC,
                               .same = x->same,
                               .data_b = (u16)(p->n * size),
                               .atomic = p});
    accessed(c, f, x, ACCESS_ATOMIC);
    return NONE;
}

/* --- without time */

u32 l1_warm(struct core *c, u64 line, u32 pieces, enum probe_kind kind) {
    struct tags *t = &c->l1->tags;
    u32 want = to_sectors(c, pieces), at;
    struct victim v;
    if (c->cfg->perfect_memory) return 0;
    if (!c->cfg->l1_global) return pieces;
    enum tag_result look = tags_look(t, line, want, &at);
    if (kind == PROBE_ATOMIC) tags_invalidate(t, line);
    if (kind == PROBE_STORE && c->cfg->l1_write == WRITE_THROUGH && look != TAG_MISS) {
        if (c->cfg->l1_write_evict) tags_invalidate(t, line);
        else tags_touch(t, at);
    }
    if (kind == PROBE_ATOMIC || (kind == PROBE_STORE && c->cfg->l1_write == WRITE_THROUGH)) return pieces;
    if (look == TAG_HIT || look == TAG_HIT_RESERVED) {
        tags_touch(t, at);
        return 0;
    }
    if (tags_insert(t, line, 0, &at, &v)) t->valid[at] |= (u8)(want & ~(u32)t->pending[at]);
    return to_pieces(c, want);
}

void l1_keep(struct core *c) {
    const struct tags *t = &c->l1->tags;
    if (!c->l1->kept.sets) tags_init(&c->l1->kept, t->sets, t->ways, t->line_b, t->sector_b, t->fifo);
    tags_copy(&c->l1->kept, t);
}

void l1_put_back(struct core *c) { tags_copy(&c->l1->tags, &c->l1->kept); }

/* --- constants */

int const_load(struct core *c, struct flight *f, u64 line) {
    u32 at;
    if (c->cfg->perfect_memory || tags_look(&c->l1->const_tags, line, 1, &at) == TAG_HIT) {
        if (!c->cfg->perfect_memory) tags_touch(&c->l1->const_tags, at);
        c->stats.const_hits++;
        WATCH(c, MEM_LOOKED_UP, .slot = f->slot, .f = f, .cache = CACHE_CONST, .line = line);
        return NONE;
    }
    int e = mshr_find(c->l1->const_mshr, line);
    WATCH(c, MEM_LOOKED_UP, .slot = f->slot, .f = f, .cache = CACHE_CONST, .line = line, .flag = e < 0);
    if (e < 0 && mshr_full(c->l1->const_mshr)) return HAZARD_MSHR;
    if (e >= 0 && !mshr_can_merge(c->l1->const_mshr, e)) return HAZARD_MERGE;
    if (e < 0 && c->cfg->mascar_constants == CONSTANTS_REFUSE && !sched_admits(c, f, line)) return HAZARD_OWNER;
    if (e < 0) {
        if (!port_room(c, 1)) return HAZARD_COMQ;
        e = mshr_alloc(c->l1->const_mshr, line);
        WATCH(c, MEM_MSHR_TAKEN, .slot = f->slot, .f = f, .cache = CACHE_CONST, .line = line);
        u32 sectors = ((1u << (c->cfg->const_line_b / 32)) - 1) << (line % 128 / 32);
        port_send(c,
                  (struct mreq){.line = line & ~127ull, .sectors = sectors, .token = TOKEN(TOKEN_CONST, e), .kind = MREQ_READ});
    }
    mshr_wait(c->l1->const_mshr, e, f->id);
    f->mem.outstanding++;
    c->stats.const_misses++;
    return NONE;
}

void const_response(struct core *c, int e) {
    u32 at, tokens[1024];
    u64 line = mshr_line(c->l1->const_mshr, e);
    struct victim v;
    tags_insert(&c->l1->const_tags, line, 1, &at, &v);
    u32 n = mshr_done(c->l1->const_mshr, e, tokens);
    WATCH(c, MEM_MSHR_FREED, .cache = CACHE_CONST, .line = line);
    for (u32 i = 0; i < n; i++) writeback_part(c, tokens[i], c->now);
}

/* --- what others may know */

u32 l1_mshrs_used(const struct core *c, u32 cache) { return mshr_used(cache == CACHE_CONST ? c->l1->const_mshr : c->l1->mshr); }

bool l1_mshr_free(const struct core *c, u32 cache) { return !mshr_full(cache == CACHE_CONST ? c->l1->const_mshr : c->l1->mshr); }

bool l1_has(const struct core *c, u32 cache, u64 addr) {
    u32 at;
    if (cache == CACHE_CONST) return tags_look(&c->l1->const_tags, addr & ~(u64)(c->cfg->const_line_b - 1), 1, &at) == TAG_HIT;
    return tags_look(&c->l1->tags, addr & ~(u64)(c->cfg->l1_line_b - 1), 0, &at) != TAG_MISS;
}

void l1_check(const struct core *c) {
    tags_check(&c->l1->tags), tags_check(&c->l1->const_tags);
    mshr_check(c->l1->mshr), mshr_check(c->l1->const_mshr);
}
