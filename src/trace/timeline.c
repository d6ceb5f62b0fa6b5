/* Blocks and first instructions of a launch, from its events. See timeline.h. */
#include "trace/timeline.h"

#include "isa/isa.h"
#include "trace/flight.h"

#include <stdlib.h>
#include <string.h>

struct timeline {
    struct flights f;
    u64 began; /* cycle of the launch */
    VEC(struct timeline_block) blocks;
    VEC(u32) running; /* places in blocks of those that have not ended */
    VEC(struct timeline_inst) insts;
    u64 blocks_in_all, insts_in_all;
};

/* --- blocks */

static void block_starts(struct timeline *t, const struct event *e) {
    if (++t->blocks_in_all > TIMELINE_BLOCKS) return;
    struct timeline_block b = {e->a, e->cycle - t->began, NEVER, e->sm};
    VEC_PUSH(&t->running, t->blocks.n);
    VEC_PUSH(&t->blocks, b);
}

static void block_ends(struct timeline *t, const struct event *e) {
    for (u32 i = 0; i < t->running.n; i++) {
        struct timeline_block *b = &t->blocks.at[t->running.at[i]];
        if (b->block != e->a || b->sm != e->sm) continue;
        b->end = e->cycle - t->began;
        t->running.at[i] = t->running.at[--t->running.n];
        return;
    }
}

/* --- instructions */

static u64 since(const struct timeline *t, u64 cycle) { return cycle == NEVER ? NEVER : cycle - t->began; }

static void inst_keep(struct timeline *t, u32 i) {
    const struct flight *x = &t->f.pool.at[i];
    struct timeline_inst y = {
        .uid = x->uid,
        .issue = since(t, x->issue),
        .read = since(t, x->read),
        .dispatch = since(t, x->dispatch),
        .enter = since(t, x->enter),
        .access_first = since(t, x->access_first),
        .access_last = since(t, x->access_last),
        .ready = since(t, x->ready),
        .complete = since(t, x->complete),
        .done = since(t, x->done),
        .mask = x->mask,
        .pc = x->pc,
        .sm = x->sm,
        .slot = x->slot,
    };
    for (u32 h = 0; h < HAZARD_COUNT; h++) y.hazards += x->hazards[h];
    snprintf(y.text, sizeof(y.text), "%s", flight_text(&t->f, x->pc));
    VEC_PUSH(&t->insts, y);
    flights_release(&t->f, i);
}

static void inst_issues(struct timeline *t, const struct event *e) {
    bool inside = e->cycle >= t->f.w.from && e->cycle < t->f.w.to && e->uid && flights_wants(&t->f, e);
    if (!inside || uids_get(&t->f.map, e->sm, e->uid) != UIDS_NONE) return; /* issued again: it has its line */
    if (++t->insts_in_all <= TIMELINE_INSTS) flights_issue(&t->f, e);
}

static void settle(struct timeline *t) {
    for (u32 i = 0; i < t->f.ending.n; i++) inst_keep(t, t->f.ending.at[i]);
    t->f.ending.n = 0;
}

static int by_issue(const void *a, const void *b) {
    const struct timeline_inst *x = a, *y = b;
    if (x->issue != y->issue) return x->issue < y->issue ? -1 : 1;
    return x->uid < y->uid ? -1 : x->uid > y->uid;
}

/* --- the listener */

static void timeline_clear(struct timeline *t) {
    t->blocks.n = t->running.n = t->insts.n = 0;
    t->blocks_in_all = t->insts_in_all = 0;
}

static void timeline_launch(void *state, const struct kernel *k, u64 cycle) {
    struct timeline *t = state;
    timeline_clear(t);
    t->f.k = k;
    t->began = cycle;
}

static void timeline_events(void *state, const struct event *e, u32 n) {
    struct timeline *t = state;
    for (u32 i = 0; i < n; i++) {
        if (flights_turn(&t->f, &e[i], i == 0)) settle(t);
        switch (e[i].kind) {
        case EV_CTA_START: block_starts(t, &e[i]); break;
        case EV_CTA_END: block_ends(t, &e[i]); break;
        case EV_ISSUE: inst_issues(t, &e[i]); break;
        default: flights_note(&t->f, &e[i]);
        }
    }
}

static void timeline_end(void *state, u64 cycle) {
    struct timeline *t = state;
    settle(t);
    for (u32 i = 0; i < t->f.pool.n; i++)
        if (t->f.pool.at[i].open) inst_keep(t, i);
    for (u32 i = 0; i < t->blocks.n; i++)
        if (t->blocks.at[i].end == NEVER) t->blocks.at[i].end = cycle - t->began;
    qsort(t->insts.at, t->insts.n, sizeof(*t->insts.at), by_issue);
    t->f.k = NULL; /* it may be gone before the next launch */
    t->f.sm = NONE;
}

struct timeline *timeline_new(const struct trace_window *w, struct listener *l) {
    struct timeline *t = base_alloc(sizeof(*t));
    struct trace_window own = *w;
    if (own.sm < 0) own.sm = 0;
    flights_init(&t->f, &own);
    *l = (struct listener){.state = t, .launch = timeline_launch, .events = timeline_events, .end = timeline_end};
    return t;
}

void timeline_free(struct timeline *t) {
    flights_free(&t->f);
    free(t->blocks.at);
    free(t->running.at);
    free(t->insts.at);
    free(t);
}

/* --- lists */

static void *copy_of(const void *from, size_t bytes) {
    void *to = bytes ? base_alloc(bytes) : NULL;
    if (to) memcpy(to, from, bytes);
    return to;
}

struct timeline_lists timeline_copy(const struct timeline_lists *l) {
    struct timeline_lists c = *l;
    c.blocks = copy_of(l->blocks, l->nblocks * sizeof(*l->blocks));
    c.insts = copy_of(l->insts, l->ninsts * sizeof(*l->insts));
    return c;
}

struct timeline_lists timeline_take(struct timeline *t) {
    struct timeline_lists l = {t->blocks.at, t->insts.at, t->blocks.n, t->insts.n, t->blocks_in_all, t->insts_in_all};
    l = timeline_copy(&l);
    timeline_clear(t);
    return l;
}

void timeline_lists_free(struct timeline_lists *l) {
    free(l->blocks);
    free(l->insts);
    *l = (struct timeline_lists){0};
}
