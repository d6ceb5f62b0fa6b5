/* The data cache of the Vortex pipeline (sm.pipeline = vortex): direct mapped, write-through, no allocation
 * by writes, in banks by line (vortex.dcache.banks). A bank takes one thing a cycle: a read that comes again
 * after its line has come, else a line, else a word of the load-store unit; no word is read in the cycle
 * after one was written (rdw_write_hazard of VX_bank).
 *
 * Each read that misses takes an entry (vortex.dcache.mshrs a bank); the first of a line sends for it. When
 * the line has come it is written into the bank, and the reads come again one a cycle, a stage less than the
 * first time. Writes go to the memory side word by word, hit or not.
 *
 * Not modelled: queues inside a bank between its input and its tags; data.
 *
 * Invariants: W1 `active` and `replays` count entries, and `used` has those in use; W2 of a line that is
 * waited for one entry has asked. */
#include "core/vcache.h"

#include "base/set.h"

#include <stdlib.h>
#include <string.h>

void vcache_init(struct core *c) {
    const struct config *g = c->cfg;
    if (g->pipeline != PIPELINE_VORTEX) return;
    struct vcache *v = c->vcache = base_alloc(sizeof(*v));
    tags_init(&v->tags, g->vortex_lines, 1, g->vortex_line_b, g->vortex_line_b, false);
    v->banks = base_alloc(sizeof(*v->banks) * g->vortex_banks);
    v->misses = base_alloc(sizeof(*v->misses) * g->vortex_banks * g->vortex_mshrs);
    v->words = set_words(g->vortex_mshrs);
    v->used = base_alloc(sizeof(*v->used) * g->vortex_banks * v->words);
    v->latency = vlsu_latency(g->l1_cy);
}

void vcache_free(struct core *c) {
    if (!c->vcache) return;
    tags_free(&c->vcache->tags);
    free(c->vcache->banks);
    free(c->vcache->misses);
    free(c->vcache->used);
    free(c->vcache);
}

void vcache_abandon(struct core *c) {
    struct vcache *v = c->vcache;
    if (!v) return;
    memset(v->misses, 0, sizeof(*v->misses) * c->cfg->vortex_banks * c->cfg->vortex_mshrs);
    memset(v->used, 0, sizeof(*v->used) * c->cfg->vortex_banks * v->words);
    for (u32 b = 0; b < c->cfg->vortex_banks; b++) v->banks[b] = (struct vbank){.busy_cy = NEVER, .no_read_cy = NEVER};
    v->active = 0;
}

void vcache_launch(struct core *c) {
    if (!c->vcache) return;
    vcache_abandon(c);
    tags_clear(&c->vcache->tags);
}

static struct vmiss *misses_of(const struct core *c, u32 bank) { return &c->vcache->misses[bank * c->cfg->vortex_mshrs]; }
static u64 *used_of(const struct core *c, u32 bank) { return &c->vcache->used[bank * c->vcache->words]; }

void vcache_check(const struct core *c) {
    const struct vcache *v = c->vcache;
    u32 all = 0;
    if (!v) return;
    for (u32 b = 0; b < c->cfg->vortex_banks; b++) {
        u32 active = 0, replays = 0;
        for (u32 i = 0; i < c->cfg->vortex_mshrs; i++) {
            CHECK(set_has(used_of(c, b), i) == (misses_of(c, b)[i].state != VMISS_FREE)); /* W1 */
            active += misses_of(c, b)[i].state > VMISS_WAITS;
            replays += misses_of(c, b)[i].state == VMISS_REPLAYS;
        }
        CHECK(active == v->banks[b].active && replays == v->banks[b].replays); /* W1 */
        all += active;
    }
    CHECK(all == v->active); /* W1 */
    tags_check(&v->tags);
}

static u64 line_of(const struct core *c, u64 addr) { return addr & ~(u64)(c->cfg->vortex_line_b - 1); }

static u32 bank_of(const struct core *c, u64 addr) {
    u64 number = addr >> c->vcache->tags.line_shift;
    u32 banks = c->cfg->vortex_banks;
    return (u32)(banks & (banks - 1) ? number % banks : number & (banks - 1));
}

static void tell(struct core *c, const struct flight *f, const struct line_access *x, enum access_result r) {
    EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = f->uid, .slot = f->slot, .a = x->line, .mask = x->lanes, .cause = (u8)r);
    (void)f, (void)x, (void)r;
}

/* --- a word of the load-store unit: NONE when it is taken, else the hazard */

static int send_write(struct core *c, struct flight *f, const struct line_access *x) {
    if (!port_room(c, 1)) return HAZARD_COMQ;
    c->stats.l1_writes++;
    writeback_store_sent(c, f);
    port_send(c, (struct mreq){.line = x->line & ~127ull,
                               .sectors = x->sectors,
                               .token = TOKEN(TOKEN_STORE, f->id),
                               .kind = MREQ_WRITE,
                               .data_b = 4});
    tell(c, f, x, ACCESS_STORE);
    return NONE;
}

/* The first entry without a use, or NONE */
static i32 spare_entry(const struct core *c, u32 bank) {
    const u64 *used = used_of(c, bank);
    for (u32 w = 0; w < c->vcache->words; w++) {
        u32 i = ~used[w] ? w * 64 + (u32)__builtin_ctzll(~used[w]) : c->cfg->vortex_mshrs;
        if (i < c->cfg->vortex_mshrs) return (i32)i;
    }
    return NONE;
}

static bool is_asked(const struct core *c, u32 bank, u64 line) {
    bool asked = false;
    SET_EACH (i, used_of(c, bank), c->vcache->words) asked = asked || misses_of(c, bank)[i].line == line;
    return asked;
}

static int read_miss(struct core *c, struct flight *f, const struct line_access *x, u32 bank, u64 line) {
    struct vcache *v = c->vcache;
    i32 at = spare_entry(c, bank);
    if (at == NONE) return HAZARD_MSHR;
    bool asked = is_asked(c, bank, line);
    if (!asked && !port_room(c, 1)) return HAZARD_COMQ;
    misses_of(c, bank)[at] = (struct vmiss){line, ++v->seq, f->id, VMISS_WAITS};
    set_add(used_of(c, bank), (u32)at);
    if (asked) c->stats.l1_merged++;
    else {
        u32 pieces = MAX(1u, c->cfg->vortex_line_b / 32);
        c->stats.l1_misses++;
        port_send(c, (struct mreq){.line = line & ~127ull,
                                   .sectors = ((1u << pieces) - 1) << line % 128 / 32,
                                   .token = TOKEN(TOKEN_MSHR, bank * c->cfg->vortex_mshrs + (u32)at),
                                   .kind = MREQ_READ});
    }
    f->mem.outstanding++;
    tell(c, f, x, asked ? ACCESS_MERGED : ACCESS_MISS);
    return NONE;
}

static void read_hit(struct core *c, struct flight *f, const struct line_access *x, u64 extra) {
    c->stats.l1_hits++;
    c->pcs[flight_pc(c, f)].l1_hits++;
    f->mem.outstanding++;
    vlsu_answer(c, f->id, c->now + c->vcache->latency + extra);
    tell(c, f, x, ACCESS_HIT);
}

int vcache_word(struct core *c, struct flight *f, const struct line_access *x) {
    u64 line = line_of(c, x->line);
    u32 bank = bank_of(c, x->line);
    struct vbank *b = &c->vcache->banks[bank];
    int why = NONE;
    if (b->busy_cy == c->now || (f->mem.kind == PROBE_LOAD && b->no_read_cy == c->now)) return HAZARD_BANK;
    if (f->mem.kind == PROBE_STORE) why = c->cfg->perfect_memory ? (tell(c, f, x, ACCESS_STORE), NONE) : send_write(c, f, x);
    else if (c->cfg->perfect_memory) read_hit(c, f, x, c->cfg->perfect_cy);
    else if (tags_direct_hit(&c->vcache->tags, line)) read_hit(c, f, x, 0);
    else why = read_miss(c, f, x, bank, line);
    if (why != NONE) return why;
    c->stats.l1_accesses += f->mem.kind == PROBE_LOAD;
    b->busy_cy = c->now;
    if (f->mem.kind == PROBE_STORE) b->no_read_cy = c->now + 1;
    return NONE;
}

int vcache_atomic(struct core *c, struct flight *f, const struct line_access *x, struct atomic_packet *p) {
    if (!port_room(c, 1)) return HAZARD_COMQ;
    for (u64 a = x->line; a < x->line + 128; a += c->cfg->vortex_line_b) tags_invalidate(&c->vcache->tags, a);
    f->mem.outstanding++;
    port_send(c, (struct mreq){.line = x->line,
                               .sectors = x->sectors,
                               .token = TOKEN(TOKEN_ATOMIC, p->index),
                               .kind = f->mem.red ? MREQ_RED : MREQ_ATOMIC,
                               .same = 1,
                               .data_b = (u16)(p->n * 4),
                               .atomic = p});
    tell(c, f, x, ACCESS_ATOMIC);
    return NONE;
}

/* --- lines that come */

void vcache_response(struct core *c, u32 entry) {
    struct vcache *v = c->vcache;
    v->misses[entry].state = VMISS_FILLS;
    v->banks[entry / c->cfg->vortex_mshrs].active++;
    v->active++;
}

static struct vmiss *oldest(const struct core *c, u32 bank, enum vmiss_state state) {
    struct vmiss *best = NULL;
    SET_EACH (i, used_of(c, bank), c->vcache->words) {
        struct vmiss *m = &misses_of(c, bank)[i];
        if (m->state == state && (!best || m->seq < best->seq)) best = m;
    }
    return best;
}

static void fill(struct core *c, u32 bank, u64 line) {
    struct vcache *v = c->vcache;
    u32 at;
    struct victim out = {0};
    tags_insert(&v->tags, line, 1, &at, &out);
    c->stats.l1_fills++;
    c->stats.l1_evictions += out.had;
    SET_EACH (i, used_of(c, bank), c->vcache->words) {
        struct vmiss *m = &misses_of(c, bank)[i];
        if (m->line != line) continue;
        bool was = m->state > VMISS_WAITS;
        v->banks[bank].replays += m->state != VMISS_REPLAYS;
        m->state = VMISS_REPLAYS;
        v->banks[bank].active += !was, v->active += !was;
    }
}

static void replay(struct core *c, u32 bank, struct vmiss *m) {
    struct vcache *v = c->vcache;
    vlsu_answer(c, m->flight, c->now + MAX(v->latency, 2u) - 1);
    m->state = VMISS_FREE;
    set_drop(used_of(c, bank), (u32)(m - misses_of(c, bank)));
    v->banks[bank].active--, v->banks[bank].replays--, v->active--;
}

void vcache_stage(struct core *c) {
    struct vcache *v = c->vcache;
    if (!v->active) return;
    vlsu_wake(c);
    for (u32 b = 0; b < c->cfg->vortex_banks; b++) {
        if (!v->banks[b].active) continue;
        v->banks[b].busy_cy = c->now;
        if (v->banks[b].replays) replay(c, b, oldest(c, b, VMISS_REPLAYS));
        else fill(c, b, oldest(c, b, VMISS_FILLS)->line);
    }
}

u64 vcache_next(const struct core *c) { return c->vcache->active ? c->now : NEVER; }
