/* The texture unit of the Vortex pipeline (sm.pipeline = vortex) between its addresses and its filter, which
 * are pipes of the GPU unit (42_vunits.c). Reads of textures wait in a queue (sm.lsu.queue places); the first
 * one reads its texels, and the next begins when all of them have come.
 *
 * A texel of all threads goes after the other: a word a thread, through the load-store unit's ports and
 * buffers (68_vlsu.c), which serve one of the two units in a cycle, by turns. Threads that all want one word
 * of a texel, thread 0 among them, send it once.
 *
 *   cycle    0       1           3         4                5         10         14            16
 *            issue   addresses   queued    words to         to their  hit: to    write-back    a dependent one
 *                                          buffers          banks     the filter               issues
 *
 * Four texels take three cycles more. While the first read waits for its texels the next sends nothing: it
 * follows seven cycles later, or with four texels ten.
 *
 * Not modelled: a response holds words of one texel only, here also of several.
 *
 * Invariants: X1 `left` is empty only where the first read has sent everything; X2 it has come back with no
 * more words than it has. */
#include "core/vtex.h"

#include <stdlib.h>
#include <string.h>

enum { RESPONSE_CY = 2 }; /* words of an instruction put together to the texture unit */

void vtex_init(struct core *c) {
    if (c->cfg->pipeline != PIPELINE_VORTEX) return;
    c->vtex = base_alloc(sizeof(*c->vtex));
    c->vtex->queue = base_alloc(sizeof(u32) * c->cfg->lsu_queue);
}

void vtex_free(struct core *c) {
    if (!c->vtex) return;
    free(c->vtex->queue);
    free(c->vtex);
}

void vtex_abandon(struct core *c) {
    struct vtex *x = c->vtex;
    if (!x) return;
    x->n = x->back = x->nanswers = 0;
    x->left = 0;
}

void vtex_launch(struct core *c) { vtex_abandon(c); }

static struct flight *first(const struct core *c) { return flight_at(c, c->vtex->queue[c->vtex->head]); }

void vtex_check(const struct core *c) {
    const struct vtex *x = c->vtex;
    if (!x || !x->n) return;
    CHECK(x->left || x->from == first(c)->mem.nlines); /* X1 */
    CHECK(x->back <= first(c)->mem.nlines);            /* X2 */
}

/* --- words out */

/* The words of one texel are as many as are of different threads */
static u32 words_of_texel(const struct memop *m, u32 from) {
    u64 seen = 0;
    u32 i = from;
    for (; i < m->nlines && !(m->lines.at[i].lanes & seen); i++) seen |= m->lines.at[i].lanes;
    return i - from;
}

static void begin_texel(struct core *c, u32 from) {
    struct vtex *x = c->vtex;
    u32 n = words_of_texel(&first(c)->mem, from);
    x->from = from;
    x->left = n == 64 ? ~0ull : (1ull << n) - 1;
    x->ready_cy = c->now + 1;
}

static void begin(struct core *c) {
    c->vtex->back = 0;
    if (c->vtex->n) begin_texel(c, 0);
}

bool vtex_room(const struct core *c) { return c->vtex->n < c->cfg->lsu_queue; }

void vtex_enter(struct core *c, u32 id) {
    struct vtex *x = c->vtex;
    const struct flight *f = flight_at(c, id);
    EMIT(c, .kind = EV_MEM_ENTER, .cycle = c->now, .uid = f->uid, .slot = f->slot);
    (void)f;
    x->queue[(x->head + x->n++) % c->cfg->lsu_queue] = id;
    if (x->n == 1) begin(c);
}

bool vtex_wants(const struct core *c) { return c->vtex->n && c->vtex->left && c->vtex->ready_cy <= c->now; }

bool vtex_send(struct core *c, u64 closed) {
    struct vtex *x = c->vtex;
    struct flight *f = first(c);
    u64 before = x->left;
    u32 words = words_of_texel(&f->mem, x->from);
    for (u64 m = before; m; m &= m - 1)
        if (vlsu_buffer(c, f, x->from + (u32)__builtin_ctzll(m), &closed)) x->left &= ~(m & -m);
    bool moves = x->left != before;
    if (!x->left) begin_texel(c, x->from + words);
    return moves;
}

/* --- words back */

void vtex_answer(struct core *c, u32 words) {
    struct vtex *x = c->vtex;
    CHECK(x->nanswers < VTEX_ANSWERS);
    u32 at = (x->answer + x->nanswers++) % VTEX_ANSWERS;
    x->answers[at].due_cy = c->now + RESPONSE_CY;
    x->answers[at].words = words;
}

/* The last word has come: the filter takes the read, and the next begins */
static bool finish(struct core *c) {
    struct vtex *x = c->vtex;
    if (!vunits_filter(c, x->queue[x->head])) return false;
    x->head = (x->head + 1) % c->cfg->lsu_queue;
    x->n--;
    begin(c);
    return true;
}

/* At most one comes in a cycle */
static void take_answer(struct core *c) {
    struct vtex *x = c->vtex;
    u32 words = x->answers[x->answer].words;
    bool last = x->back + words == first(c)->mem.nlines;
    if (last && !finish(c)) {
        x->answers[x->answer].due_cy = c->now + 1; /* the filter stands still */
        return;
    }
    if (!last) x->back += words;
    x->answer = (x->answer + 1) % VTEX_ANSWERS;
    x->nanswers--;
}

void vtex_stage(struct core *c) {
    struct vtex *x = c->vtex;
    if (x->nanswers && x->answers[x->answer].due_cy <= c->now) take_answer(c);
    if (x->n && x->left && x->ready_cy == c->now) vlsu_wake(c);
}

bool vtex_idle(const struct core *c) { return !c->vtex->n; }

u64 vtex_next(const struct core *c) {
    const struct vtex *x = c->vtex;
    u64 next = x->nanswers ? MAX(x->answers[x->answer].due_cy, c->now) : NEVER;
    return x->n && x->left && x->ready_cy >= c->now ? MIN(next, x->ready_cy) : next;
}
