/* The texture cache, where a machine has one beside the L1 (sm.tex.unified = false; else texture reads are
 * loads of the L1 data cache). The texels that the lanes of a texture read need, all corners and levels of a
 * filter together, are coalesced to lines of this cache, and the memory stage looks up one line a cycle.
 *
 * A miss takes an MSHR or joins the line's, then a place in the miss queue; the line gets a way when it
 * comes, so that there is no RSV (Turner 1.1.7: read-only caches have none). Nothing writes, and stores to
 * memory do not reach it before the next launch, which begins with an empty cache.
 * Not modelled: address translation of textures, the FIFO of fragments that hides latency in graphics, filter
 * units that need several cycles for a read.
 *
 * Invariants: T1 the MSHR of a line waits for one packet; T2 a waiting flight's `outstanding` counts it once
 * a line. */
#include "core/texture.h"

#include <stdlib.h>

void texture_init(struct core *c) {
    const struct config *g = c->cfg;
    if (g->tex_unified) return;
    struct texture_cache *t = c->texture = base_alloc(sizeof(*t));
    u32 way = lsu_way(g);
    tags_init(&t->tags, g->tex_sets, g->tex_ways, g->tex_line_b, g->tex_line_b, false);
    t->mshr = mshr_new(g->tex_mshrs, g->tex_merge);
    t->latency = g->tex_cy > way ? g->tex_cy - way : 1;
}

void texture_free(struct core *c) {
    if (!c->texture) return;
    tags_free(&c->texture->tags);
    mshr_free(c->texture->mshr);
    free(c->texture);
}

void texture_launch(struct core *c) {
    if (c->texture) tags_clear(&c->texture->tags);
}

void texture_abandon(struct core *c) {
    if (c->texture) mshr_clear(c->texture->mshr);
}

void texture_check(const struct core *c) {
    if (!c->texture) return;
    tags_check(&c->texture->tags);
    mshr_check(c->texture->mshr);
}

u32 texture_mshrs_used(const struct core *c) { return c->texture ? mshr_used(c->texture->mshr) : 0; }

static void accessed(struct core *c, const struct flight *f, const struct line_access *x, enum access_result r) {
    FLIGHT_TELL(c, f, .kind = EV_ACCESS, .cycle = c->now, .a = x->line, .mask = x->lanes, .cause = (u8)r);
    (void)f;
}

static int texture_miss(struct core *c, struct flight *f, const struct line_access *x) {
    struct texture_cache *t = c->texture;
    int e = mshr_find(t->mshr, x->line);
    bool joins = e >= 0;
    if (!joins && mshr_full(t->mshr)) return HAZARD_MSHR;
    if (joins && !mshr_can_merge(t->mshr, e)) return HAZARD_MERGE;
    if (!joins && !sched_admits(c, f, x->line)) return HAZARD_OWNER;
    if (!joins && !port_room(c, 1)) return HAZARD_COMQ;
    if (!joins) {
        u32 sectors = ((1u << (c->cfg->tex_line_b / 32)) - 1) << (x->line % 128 / 32);
        e = mshr_alloc(t->mshr, x->line);
        port_send(c,
                  (struct mreq){.line = x->line & ~127ull, .sectors = sectors, .token = TOKEN(TOKEN_TEX, e), .kind = MREQ_READ});
    }
    mshr_wait(t->mshr, e, f->id);
    f->mem.outstanding++;
    ++*(joins ? &c->stats.tex_merged : &c->stats.tex_misses);
    accessed(c, f, x, joins ? ACCESS_MERGED : ACCESS_MISS);
    return NONE;
}

int texture_load(struct core *c, struct flight *f, const struct line_access *x) {
    struct texture_cache *t = c->texture;
    u32 at;
    if (!c->cfg->perfect_memory && tags_look(&t->tags, x->line, 1, &at) != TAG_HIT) return texture_miss(c, f, x);
    if (!c->cfg->perfect_memory) tags_touch(&t->tags, at);
    c->stats.tex_hits++;
    f->result_cy = MAX(f->result_cy,
                       c->now + scaled(c, c->cfg, (u32)t->latency, f->lanes) + (c->cfg->perfect_memory ? c->cfg->perfect_cy : 0));
    accessed(c, f, x, ACCESS_HIT);
    return NONE;
}

void texture_response(struct core *c, int e) {
    u32 at, tokens[1024];
    struct texture_cache *t = c->texture;
    struct victim v;
    tags_insert(&t->tags, mshr_line(t->mshr, e), 1, &at, &v);
    u32 n = mshr_done(t->mshr, e, tokens);
    for (u32 i = 0; i < n; i++) writeback_part(c, tokens[i], c->now);
}
