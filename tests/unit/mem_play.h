/* One partition between outboxes and inboxes that a test fills and reads. */
#ifndef HEDDLE_TEST_MEM_PLAY_H
#define HEDDLE_TEST_MEM_PLAY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mem/mem.h"

struct got { /* a response as it came */
    struct mresp r;
    u32 sm;
    u64 window; /* cycle at which its window began */
};
struct play {
    struct config c;
    struct partition *p;
    struct outbox *out;
    const struct outbox **outs;
    struct inbox *in;
    u64 now;
    VEC(struct mreq) todo; /* by cycle; sent when their window comes */
    u32 sent;
    VEC(struct got) got;
    VEC(struct performed) performed;
    u32 windows;
    u32 check; /* walk the invariants after every so many windows */
};

/* One SM, one slice, all clocks alike, no hash: closed forms are short */
static inline struct config play_config(void) {
    struct config c;
    memset(&c, 0, sizeof c);
    config_default(&c);
    c.sms = 1, c.partitions = 1, c.slices = 1, c.map_hash = MAP_NONE;
    c.core_mhz = c.noc_mhz = c.l2_mhz = c.dram_mhz = 1000;
    c.noc_cy = 20, c.credit_cy = 20, c.flit_b = 32, c.noc_header_b = 8;
    c.l2_cy = 40, c.l2_queue = 8, c.l2_interval = 1, c.l2_sets = 64, c.l2_ways = 4, c.l2_line_b = 128, c.l2_sector_b = 32,
    c.l2_mshrs = 32, c.l2_merge = 8;
    return c;
}

static inline void play_begin(struct play *w, const struct config *c) {
    memset(w, 0, sizeof *w);
    w->c = *c;
    w->p = partition_new(c, 0);
    w->out = base_alloc(c->sms * sizeof(*w->out));
    w->outs = base_alloc(c->sms * sizeof(*w->outs));
    w->in = base_alloc(c->sms * sizeof(*w->in));
    for (u32 i = 0; i < c->sms; i++) w->outs[i] = &w->out[i];
    w->check = 1;
}

static inline void play_end(struct play *w) {
    for (u32 i = 0; i < w->c.sms; i++) {
        free(w->out[i].at.at);
        free(w->in[i].at.at);
    }
    free(w->out);
    free(w->outs);
    free(w->in);
    free(w->todo.at);
    free(w->got.at);
    free(w->performed.at);
    partition_free(w->p);
}

static inline void play_send(struct play *w, struct mreq m) {
    if (!m.sectors) m.sectors = 1;
    if (!m.same) m.same = 1;
    VEC_PUSH(&w->todo, m);
}

static inline void play_read(struct play *w, u64 cycle, u64 line, u32 sectors, u32 token) {
    play_send(w, (struct mreq){.cycle = cycle, .line = line, .sectors = sectors, .token = token, .kind = MREQ_READ});
}

static inline void play_write(struct play *w, u64 cycle, u64 line, u32 sectors, u32 token) {
    play_send(w, (struct mreq){.cycle = cycle,
                               .line = line,
                               .sectors = sectors,
                               .token = token,
                               .kind = MREQ_WRITE,
                               .data_b = (u16)(32 * __builtin_popcount(sectors))});
}

/* Core cycles [now, to) in one window */
static inline void play_window(struct play *w, u64 to) {
    for (u32 i = 0; i < w->c.sms; i++) w->out[i].at.n = 0;
    for (; w->sent < w->todo.n && w->todo.at[w->sent].cycle < to; w->sent++)
        VEC_PUSH(&w->out[w->todo.at[w->sent].sm].at, w->todo.at[w->sent]);
    partition_run(w->p, w->now, to, w->outs, w->c.sms, w->in);
    if (++w->windows % w->check == 0) partition_check(w->p);
    for (u32 i = 0; i < w->c.sms; i++)
        for (u32 j = 0; j < w->in[i].at.n; j++) {
            struct got g = {.r = w->in[i].at.at[j], .sm = i, .window = w->now};
            assert_true(g.r.cycle >= to || to - w->now > mem_min_latency(&w->c));
            VEC_PUSH(&w->got, g);
        }
    const struct performed *at;
    u32 n = partition_performed(w->p, &at);
    for (u32 i = 0; i < n; i++) VEC_PUSH(&w->performed, at[i]);
    w->now = to;
}

/* Until nothing is under way, in windows of q cycles */
static inline void play_run(struct play *w, u64 q) {
    while (w->sent < w->todo.n || partition_next(w->p, w->now) != UINT64_MAX) {
        assert_true(w->now < 100000000);
        play_window(w, w->now + q);
    }
}

/* The cycle of the answer (or credit) with a token; fails when there is not exactly one */
static inline u64 play_cycle(const struct play *w, u32 token, bool credit) {
    u64 cycle = 0;
    u32 n = 0;
    for (u32 i = 0; i < w->got.n; i++) {
        if (w->got.at[i].r.token != token || (w->got.at[i].r.kind == MRESP_CREDIT) != credit) continue;
        cycle = w->got.at[i].r.cycle;
        n++;
    }
    if (n != 1) fail_msg("token %u has %u %s", token, n, credit ? "credits" : "answers");
    return cycle;
}
static inline u64 play_answer(const struct play *w, u32 token) { return play_cycle(w, token, false); }
static inline u64 play_credit(const struct play *w, u32 token) { return play_cycle(w, token, true); }

/* A small generator, the same everywhere */
static inline u64 play_random(u64 *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545F4914F6CDD1Dull >> 16;
}

#endif
