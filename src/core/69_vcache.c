/* The data cache of the Vortex pipeline (sm.pipeline = vortex): direct mapped, write-through, no allocation
 * by writes, in banks by line (vortex.dcache.banks). A bank takes one thing a cycle: a read that comes again
 * after its line has come, else a line, else a word of the load-store unit; no word is read in the cycle
 * after one was written (rdw_write_hazard of VX_bank).
 *
 * Each read that misses takes an entry (vortex.dcache.mshrs a bank), and each read that hits has one for the
 * two cycles until that is known; with all in use a bank takes no word. The first of a line sends for it.
 * Lines come in one at a time, in the order of their answers: one whose bank is busy keeps the others
 * waiting. Two cycles after its line the first read comes again, then one a cycle, through the bank as
 * others. Writes go to the memory side word by word, hit or not.
 *
 * What a bank sends stands in a queue of its own from the third cycle on; while two stand there the bank
 * takes no word. One of all banks goes on in a cycle, by turns.
 *
 *   cycle    0              1, 2          3
 *            word, or read  tags, data    hit: at the cache's output, whose two places a bank has (68_vlsu.c);
 *            that came again              miss or write: in the bank's queue
 *
 * Not modelled: data.
 *
 * Invariants: W1 a bank's `used`, `active` and `replays` count entries, the set `used` has those in use; W2
 * of a line that is waited for one entry has asked; W3 `replaying` and `sending` are the banks with reads
 * that come again, and with something in their queue; W4 what is in a queue is in order of there_cy, and
 * send_cy is the earliest of all banks. */
#include "core/vcache.h"

#include "base/set.h"

#include <stdlib.h>
#include <string.h>

enum { TO_QUEUE_CY = 3 }; /* a word to the bank's queue */

void vcache_init(struct core *c) {
    const struct config *g = c->cfg;
    if (g->pipeline != PIPELINE_VORTEX) return;
    struct vcache *v = c->vcache = base_alloc(sizeof(*v));
    tags_init(&v->tags, g->vortex_lines, 1, g->vortex_line_b, g->vortex_line_b, false);
    v->banks = base_alloc(sizeof(*v->banks) * g->vortex_banks);
    v->misses = base_alloc(sizeof(*v->misses) * g->vortex_banks * g->vortex_mshrs);
    v->latency = MAX(2u, vlsu_latency(g->l1_cy)) - 1; /* a cycle is spent in the buffer before it */
    v->words = set_words(g->vortex_mshrs);
    v->used = base_alloc(sizeof(*v->used) * g->vortex_banks * v->words);
    v->doors = base_alloc(sizeof(*v->doors) * g->vortex_banks * g->vortex_mshrs);
}

void vcache_free(struct core *c) {
    if (!c->vcache) return;
    tags_free(&c->vcache->tags);
    free(c->vcache->banks);
    free(c->vcache->misses);
    free(c->vcache->used);
    free(c->vcache->doors);
    free(c->vcache);
}

void vcache_abandon(struct core *c) {
    struct vcache *v = c->vcache;
    if (!v) return;
    memset(v->misses, 0, sizeof(*v->misses) * c->cfg->vortex_banks * c->cfg->vortex_mshrs);
    memset(v->used, 0, sizeof(*v->used) * c->cfg->vortex_banks * v->words);
    for (u32 b = 0; b < c->cfg->vortex_banks; b++) v->banks[b] = (struct vbank){.busy_cy = NEVER, .no_read_cy = NEVER};
    v->active = v->door = v->ndoors = 0;
    v->replaying = v->sending = 0;
    v->turn = c->cfg->vortex_banks - 1;
    v->sent_cy = v->send_cy = NEVER;
}

void vcache_launch(struct core *c) {
    if (!c->vcache) return;
    vcache_abandon(c);
    tags_clear(&c->vcache->tags);
}

static struct vmiss *misses_of(const struct core *c, u32 bank) { return &c->vcache->misses[bank * c->cfg->vortex_mshrs]; }
static u64 *used_of(const struct core *c, u32 bank) { return &c->vcache->used[bank * c->vcache->words]; }

static struct vsent *sent_at(struct vbank *b, u32 i) { return &b->out[(b->out_at + i) % BANK_OUT]; }

/* When the first of what banks send is there */
static u64 first_sent(const struct vcache *v) {
    u64 first = NEVER;
    for (u64 m = v->sending; m; m &= m - 1) {
        const struct vbank *b = &v->banks[__builtin_ctzll(m)];
        first = MIN(first, b->out[b->out_at].there_cy);
    }
    return first;
}

static void check_bank(const struct core *c, u32 bank) {
    const struct vcache *v = c->vcache;
    struct vbank *b = &v->banks[bank];
    u32 used = 0, active = 0, replays = 0;
    for (u32 i = 0; i < c->cfg->vortex_mshrs; i++) {
        u8 state = misses_of(c, bank)[i].state;
        CHECK(set_has(used_of(c, bank), i) == (state != VMISS_FREE)); /* W1 */
        used += state != VMISS_FREE, active += state > VMISS_WAITS, replays += state == VMISS_REPLAYS;
    }
    CHECK(used == b->used && active == b->active && replays == b->replays);                          /* W1 */
    CHECK((v->replaying >> bank & 1) == (replays > 0) && (v->sending >> bank & 1) == (b->nout > 0)); /* W3 */
    for (u32 i = 1; i < b->nout; i++) CHECK(sent_at(b, i - 1)->there_cy <= sent_at(b, i)->there_cy); /* W4 */
}

void vcache_check(const struct core *c) {
    const struct vcache *v = c->vcache;
    u32 all = 0;
    if (!v) return;
    for (u32 b = 0; b < c->cfg->vortex_banks; b++) {
        check_bank(c, b);
        all += v->banks[b].active;
    }
    CHECK(all == v->active);            /* W1 */
    CHECK(v->send_cy == first_sent(v)); /* W4 */
    tags_check(&v->tags);
}

static u64 line_of(const struct core *c, u64 addr) { return addr & ~(u64)(c->cfg->vortex_line_b - 1); }

u32 vcache_bank(const struct core *c, u64 addr) {
    u64 number = addr >> c->vcache->tags.line_shift;
    u32 banks = c->cfg->vortex_banks;
    return (u32)(banks & (banks - 1) ? number % banks : number & (banks - 1));
}

/* One word for several threads is that of the lowest, thread 0 (68_vlsu.c); an atomic's line is that of no
 * port */
static void tell(struct core *c, const struct flight *f, const struct line_access *x, enum access_result r) {
    bool one_port = r != ACCESS_ATOMIC && x->lanes & (x->lanes - 1);
    EMIT(c, .kind = EV_ACCESS, .cycle = c->now, .uid = f->uid, .slot = f->slot, .a = x->line, .mask = x->lanes,
         .b = one_port ? x->lanes & -x->lanes : 0, .cause = (u8)r);
    (void)f, (void)x, (void)r, (void)one_port;
}

/* --- what banks send */

static void send(struct core *c, u32 bank, struct mreq req) {
    struct vcache *v = c->vcache;
    struct vbank *b = &v->banks[bank];
    CHECK(b->nout < BANK_OUT);
    *sent_at(b, b->nout++) = (struct vsent){req, c->now + TO_QUEUE_CY};
    v->sending |= 1ull << bank;
    v->send_cy = MIN(v->send_cy, c->now + TO_QUEUE_CY);
}

/* As many stand in the queue as it holds, beside the two that may be on their way to it */
static bool queue_full(struct vbank *b, u64 now) {
    const u32 holds = BANK_OUT - 2;
    return b->nout >= holds && sent_at(b, holds - 1)->there_cy <= now;
}

/* The bank whose turn it is to send. After a cycle in which none had anything the turn is the first one's */
static u32 next_to_send(const struct core *c) {
    const struct vcache *v = c->vcache;
    bool waited = v->sent_cy + 1 == c->now;
    u64 there = 0;
    for (u64 m = v->sending; m; m &= m - 1) {
        const struct vbank *b = &v->banks[__builtin_ctzll(m)];
        u64 cy = b->out[b->out_at].there_cy;
        if (cy <= c->now) there |= m & -m;
        waited = waited || cy < c->now;
    }
    u64 behind = v->turn == 63 ? 0 : there >> (v->turn + 1) << (v->turn + 1);
    return (u32)__builtin_ctzll(waited && behind ? behind : there);
}

static __attribute__((noinline)) void send_one(struct core *c) {
    struct vcache *v = c->vcache;
    u32 next = next_to_send(c);
    struct vbank *b = &v->banks[next];
    port_send(c, b->out[b->out_at].req);
    b->out_at = (b->out_at + 1) % BANK_OUT;
    if (!--b->nout) v->sending &= ~(1ull << next);
    v->send_cy = first_sent(v);
    v->turn = next;
    v->sent_cy = c->now;
    vlsu_wake(c);
}

void vcache_send(struct core *c) {
    if (c->vcache->send_cy <= c->now && port_room(c, 1)) send_one(c);
}

/* --- a word of the load-store unit: NONE when it is taken, else the hazard */

static void send_write(struct core *c, struct flight *f, const struct line_access *x, u32 bank) {
    c->stats.l1_writes++;
    send(c, bank,
         (struct mreq){.line = x->line & ~127ull,
                       .sectors = x->sectors,
                       .token = TOKEN(TOKEN_STORE, f->id),
                       .kind = MREQ_WRITE,
                       .data_b = 4});
    tell(c, f, x, ACCESS_STORE);
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

static void read_miss(struct core *c, struct flight *f, const struct line_access *x, u32 bank, u64 line) {
    struct vcache *v = c->vcache;
    i32 at = spare_entry(c, bank);
    bool asked = is_asked(c, bank, line);
    CHECK(at != NONE);
    misses_of(c, bank)[at] = (struct vmiss){line, ++v->seq, f->id, VMISS_WAITS};
    v->banks[bank].used++;
    set_add(used_of(c, bank), (u32)at);
    if (asked) c->stats.l1_merged++;
    else {
        u32 pieces = MAX(1u, c->cfg->vortex_line_b / 32);
        c->stats.l1_misses++;
        send(c, bank,
             (struct mreq){.line = line & ~127ull,
                           .sectors = ((1u << pieces) - 1) << line % 128 / 32,
                           .token = TOKEN(TOKEN_MSHR, bank * c->cfg->vortex_mshrs + (u32)at),
                           .kind = MREQ_READ});
    }
    tell(c, f, x, asked ? ACCESS_MERGED : ACCESS_MISS);
}

static void read_hit(struct core *c, struct flight *f, const struct line_access *x, u32 bank, u64 extra) {
    c->stats.l1_hits++;
    c->pcs[flight_pc(f)].l1_hits++;
    struct vbank *b = &c->vcache->banks[bank];
    b->hit_cy[1] = b->hit_cy[0], b->hit_cy[0] = c->now + 1;
    vlsu_answer(c, bank, f->id, c->now + c->vcache->latency + extra);
    tell(c, f, x, ACCESS_HIT);
}

/* Reads that have missed, and the last two that hit, for two cycles */
static bool entries_in_use(const struct core *c, const struct vbank *b) {
    u32 hits = 0;
    for (u32 i = 0; i < 2; i++) hits += b->hit_cy[i] && b->hit_cy[i] + 1 >= c->now;
    return b->used + hits >= c->cfg->vortex_mshrs;
}

static void perfect_word(struct core *c, struct flight *f, const struct line_access *x, u32 bank) {
    if (f->mem.kind != PROBE_STORE) read_hit(c, f, x, bank, c->cfg->perfect_cy);
    else {
        tell(c, f, x, ACCESS_STORE);
        writeback_stored(c, f->id);
    }
}

static int refusal(const struct core *c, const struct flight *f, u32 bank) {
    struct vbank *b = &c->vcache->banks[bank];
    bool load = f->mem.kind != PROBE_STORE;
    if (b->busy_cy == c->now || (load && b->no_read_cy == c->now) || vlsu_frozen(c, bank)) return HAZARD_BANK;
    if (c->cfg->perfect_memory) return NONE;
    if (entries_in_use(c, b)) return b->used >= c->cfg->vortex_mshrs ? HAZARD_MSHR : HAZARD_BANK;
    return queue_full(b, c->now) ? HAZARD_COMQ : NONE;
}

int vcache_word(struct core *c, struct flight *f, const struct line_access *x, u32 bank) {
    struct vbank *b = &c->vcache->banks[bank];
    u64 line = line_of(c, x->line);
    bool load = f->mem.kind != PROBE_STORE;
    int why = refusal(c, f, bank);
    if (why != NONE) return why;
    c->stats.l1_accesses += f->mem.kind == PROBE_LOAD;
    b->busy_cy = c->now;
    if (!load) b->no_read_cy = c->now + 1;
    if (c->cfg->perfect_memory) perfect_word(c, f, x, bank);
    else if (!load) send_write(c, f, x, bank);
    else if (tags_direct_hit(&c->vcache->tags, line)) read_hit(c, f, x, bank, 0);
    else read_miss(c, f, x, bank, line);
    return NONE;
}

int vcache_atomic(struct core *c, struct flight *f, const struct line_access *x, struct atomic_packet *p) {
    if (c->vcache->sending || !port_room(c, 1)) return HAZARD_COMQ; /* not before what stands in the banks' queues */
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

/* What is in the bank is a cycle later than it was to be */
void vcache_freeze(struct core *c, u32 bank) {
    struct vbank *b = &c->vcache->banks[bank];
    for (u32 i = 0; i < b->nout; i++) {
        struct vsent *x = sent_at(b, i);
        x->there_cy += x->there_cy > c->now + 1;
    }
    c->vcache->send_cy = first_sent(c->vcache);
    if (b->no_read_cy == c->now) b->no_read_cy++;
    b->replay_cy += b->replay_cy > c->now;
    for (u32 i = 0; i < 2; i++) b->hit_cy[i] += b->hit_cy[i] && b->hit_cy[i] + 1 >= c->now;
}

/* --- lines that come */

void vcache_response(struct core *c, u32 entry) {
    struct vcache *v = c->vcache;
    u32 all = c->cfg->vortex_banks * c->cfg->vortex_mshrs;
    v->misses[entry].state = VMISS_FILLS;
    v->doors[(v->door + v->ndoors++) % all] = entry;
    v->banks[entry / c->cfg->vortex_mshrs].active++;
    v->active++;
}

static struct vmiss *oldest_replay(const struct core *c, u32 bank) {
    struct vmiss *best = NULL;
    SET_EACH (i, used_of(c, bank), c->vcache->words) {
        struct vmiss *m = &misses_of(c, bank)[i];
        if (m->state == VMISS_REPLAYS && (!best || m->seq < best->seq)) best = m;
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
    v->replaying |= 1ull << bank; /* the one that has asked at least */
}

static void replay(struct core *c, u32 bank, struct vmiss *m) {
    struct vcache *v = c->vcache;
    vlsu_answer(c, bank, m->flight, c->now + v->latency);
    m->state = VMISS_FREE;
    set_drop(used_of(c, bank), (u32)(m - misses_of(c, bank)));
    v->banks[bank].used--, v->banks[bank].active--, v->active--;
    if (!--v->banks[bank].replays) v->replaying &= ~(1ull << bank);
}

/* The line that came first, when no read of its bank comes again */
static void fill_first(struct core *c) {
    struct vcache *v = c->vcache;
    u32 entry = v->doors[v->door], bank = entry / c->cfg->vortex_mshrs;
    struct vbank *b = &v->banks[bank];
    if (b->busy_cy == c->now || vlsu_frozen(c, bank)) return;
    fill(c, bank, v->misses[entry].line);
    b->busy_cy = c->now;
    b->replay_cy = c->now + 2; /* tags and data are written first */
    v->door = (v->door + 1) % (c->cfg->vortex_banks * c->cfg->vortex_mshrs);
    v->ndoors--;
}

static __attribute__((noinline)) void fill_and_replay(struct core *c, struct vcache *v) {
    vlsu_wake(c);
    for (u64 m = v->replaying; m; m &= m - 1) {
        u32 bank = (u32)__builtin_ctzll(m);
        v->banks[bank].busy_cy = c->now;
        if (v->banks[bank].replay_cy <= c->now && !vlsu_frozen(c, bank)) replay(c, bank, oldest_replay(c, bank));
    }
    if (v->ndoors) fill_first(c);
}

void vcache_stage(struct core *c) {
    if (c->vcache->active) fill_and_replay(c, c->vcache);
}

u64 vcache_next(const struct core *c) {
    const struct vcache *v = c->vcache;
    if (v->active) return c->now;
    return v->sending && port_room(c, 1) ? MAX(v->send_cy, c->now) : NEVER;
}

bool vcache_idle(const struct core *c) { return !c->vcache->sending; }
