/* The loop (D4): all SMs run a window, each touching only its own state and outboxes; then all partitions run
 * the same window, reading the outboxes and filling inboxes with what arrives in later windows. At multiples
 * of Q stores are published in order of SMs, and then the atomics that L2 slices have performed meanwhile are
 * done on memory, in order of (cycle, partition). */
#include "gpu/chip.h"

#include <string.h>

struct phase {
    struct run *r;
    u64 from, to;
    u32 nsent; /* SMs that have sent something in it */
};

static bool has_mail(const struct gpu *g, u32 sm) {
    for (u32 k = 0; k < g->cfg.partitions; k++)
        if (g->in[k][sm].at.n) return true;
    return false;
}

/* One of those that are due */
static void run_core(void *arg, u32 i) {
    struct phase *p = arg;
    struct gpu *g = p->r->g;
    u32 sm = g->awake.due[i];
    struct core *c = g->cores[sm];
    for (u32 k = 0; k < g->cfg.partitions; k++)
        if (g->in[k][sm].at.n) port_receive(c, k, &g->in[k][sm]);
    port_empty_outboxes(c);
    core_run(c, p->to);
    g->news[sm] = (u8)core_news(c);
    g->awake.asleep_cy[sm] = g->news[sm] & NEWS_SENT ? 0 : core_asleep(c);
}

static void run_cores(struct phase *p) {
    struct gpu *g = p->r->g;
    u32 n = awake_due(g, p->to);
    if (p->r->serial)
        for (u32 i = 0; i < n; i++) run_core(p, i);
    else team_run(g->team, n, run_core, p);
    awake_settle(g, n);
}

/* Of eight SMs at once, from `sm` on; there is room for as many behind the last */
static u64 news_of_eight(const struct gpu *g, u32 sm) {
    u64 news;
    memcpy(&news, &g->news[sm], sizeof(news));
    return news;
}

u32 window_news(const struct gpu *g) {
    u64 all = 0;
    for (u32 i = 0; i < g->cfg.sms; i += 8) all |= news_of_eight(g, i);
    for (u32 shift = 32; shift >= 8; shift /= 2) all |= all >> shift;
    return (u32)(all & UINT8_MAX);
}

static void list_one(struct gpu *g, u32 sm, u32 n) {
    for (u32 k = 0; k < g->cfg.partitions; k++) g->sent[(size_t)k * g->cfg.sms + n] = g->outs[k][sm];
}

/* The first SM from `sm` on that has such news; none: as many as there are, or more */
static u32 next_with(const struct gpu *g, u32 sm, enum core_news news) {
    for (; sm < g->cfg.sms; sm++) {
        if (sm % 8 == 0 && !(news_of_eight(g, sm) & news * 0x0101010101010101u)) sm += 7;
        else if (g->news[sm] & news) return sm;
    }
    return sm;
}

/* Outboxes with something in them, one list a partition; how many */
static u32 list_sent(struct gpu *g) {
    u32 n = 0;
    for (u32 i = next_with(g, 0, NEWS_SENT); i < g->cfg.sms; i = next_with(g, i + 1, NEWS_SENT)) list_one(g, i, n++);
    return n;
}

/* SMs that have been sent something look at it in the next window */
static void wake_told(struct gpu *g) {
    for (u32 k = 0; k < g->cfg.partitions; k++) {
        const u16 *sms;
        u32 n = partition_told(g->parts[k], &sms);
        for (u32 i = 0; i < n; i++) awake_add(g, sms[i]);
    }
}

static bool check_is_due(const struct phase *p) {
    u32 every = p->r->g->lim.check_cy;
    return every && p->from / every != p->to / every;
}

static void run_partition(void *arg, u32 i) {
    struct phase *p = arg;
    struct gpu *g = p->r->g;
    partition_run(g->parts[i], p->from, p->to, &g->sent[(size_t)i * g->cfg.sms], p->nsent, g->in[i]);
    if (check_is_due(p)) partition_check(g->parts[i]);
}

/* Routers and partitions wait for each other within a cycle: they are one island */
static void run_mesh(const struct phase *p) {
    struct gpu *g = p->r->g;
    mesh_run(g->mesh, p->from, p->to, (const struct outbox *const *const *)g->outs, g->in);
    if (!check_is_due(p)) return;
    mesh_check(g->mesh);
    for (u32 k = 0; k < g->cfg.partitions; k++) partition_check(g->parts[k]);
}

static void gather_atomics(struct gpu *g) {
    for (u32 k = 0; k < g->cfg.partitions; k++) {
        const struct performed *at;
        u32 n = partition_performed(g->parts[k], &at);
        for (u32 i = 0; i < n; i++) {
            struct pending_atomic a = {at[i].cycle, k, at[i].atomic};
            VEC_PUSH(&g->atomics, a);
        }
    }
}

static int by_time(const void *a, const void *b) {
    const struct pending_atomic *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    return x->partition < y->partition ? -1 : x->partition > y->partition;
}

/* Within one partition and cycle the order of arrival is kept. */
static void sort_atomics(struct pending_atomic *at, u32 n) {
    for (u32 i = 1; i < n; i++)
        for (u32 k = i; k && by_time(&at[k - 1], &at[k]) > 0; k--) {
            struct pending_atomic swap = at[k];
            at[k] = at[k - 1];
            at[k - 1] = swap;
        }
}

void publish(struct run *r) {
    struct gpu *g = r->g;
    for (u32 i = next_with(g, 0, NEWS_STORED); i < g->cfg.sms; i = next_with(g, i + 1, NEWS_STORED)) {
        memview_publish(g->cores[i]);
        g->news[i] &= (u8)~NEWS_STORED;
    }
    r->published++;
    if (!g->atomics.n) return;
    sort_atomics(g->atomics.at, g->atomics.n);
    for (u32 i = 0; i < g->atomics.n; i++) atomic_perform(r->l->mem, r->l->ops, g->atomics.at[i].packet);
    g->atomics.n = 0;
}

/* The chip's table of the counter predictor: outcomes of all SMs in order of (cycle, SM), then everybody sees
 * the same. */
static void merge_counters(struct gpu *g) {
    if (!predict_chip_learns(g->cores[0])) return;
    if (!g->counters) g->counters = base_alloc(g->cfg.counter_entries);
    const struct trained *next[MAX_SMS];
    u32 left[MAX_SMS];
    for (u32 i = 0; i < g->cfg.sms; i++) left[i] = predict_learnt(g->cores[i], &next[i]);
    for (;;) {
        i32 first = NONE;
        for (u32 i = 0; i < g->cfg.sms; i++)
            if (left[i] && (first == NONE || next[i]->cycle < next[first]->cycle)) first = (i32)i;
        if (first == NONE) break;
        left[first]--;
        predict_train(g->cores[0], g->counters, next[first]++);
    }
    for (u32 i = 0; i < g->cfg.sms; i++) predict_adopt(g->cores[i], g->counters);
}

void hand_out_events(struct gpu *g) {
    if (!g->listeners.n) return;
    for (u32 i = 0; i < g->cfg.sms; i++) {
        struct core *c = g->cores[i];
        u32 n;
        const struct event *at = core_events(c, &n);
        for (u32 k = 0; k < g->listeners.n && n; k++) g->listeners.at[k].events(g->listeners.at[k].state, at, n);
        core_events_taken(c);
    }
}

/* sm.warp_scale.sync = lockstep: what SMs issued in this cycle lasts as long for all as the largest of it.
 * Windows have one cycle then; in longer ones nothing could issue. */
static void end_round(struct gpu *g, u64 cycle) {
    u32 most = 0;
    for (u32 i = 0; i < g->cfg.sms; i++) {
        u32 beats = core_round(g->cores[i], cycle);
        most = MAX(most, beats);
    }
    for (u32 i = 0; most && i < g->cfg.sms; i++) core_end_round(g->cores[i], cycle, most);
}

/* The chip has come to cycle `to`: whether that is a multiple of the window, as most windows end at one */
static bool pass_whole(struct run *r, u64 to) {
    u64 window = r->g->window;
    if (to < r->whole_cy) return false;
    bool whole = to == r->whole_cy || (to - r->start) % window == 0;
    r->whole_cy = whole ? to + window : r->start + ((to - r->start) / window + 1) * window;
    return whole;
}

void window_run(struct run *r, u64 to) {
    struct gpu *g = r->g;
    struct phase p = {.r = r, .from = g->now, .to = to};
    run_cores(&p);
    if (g->cfg.scale_sync == SCALE_LOCKSTEP) end_round(g, p.from);
    u32 news = window_news(g);
    p.nsent = news & NEWS_SENT ? list_sent(g) : 0;
    if (g->mesh) run_mesh(&p);
    else team_run(g->team, g->cfg.partitions, run_partition, &p);
    g->now = to;
    wake_told(g);
    gather_atomics(g);
    bool whole = pass_whole(r, to);
    if (whole) {
        publish(r);
        merge_counters(g);
    }
    if (news & NEWS_ENDED && (!r->sampling.keeps || whole)) dispatch_more(r);
    hand_out_events(g);
    traffic_look(r);
}

u64 window_next(const struct run *r, bool ask) {
    const struct gpu *g = r->g;
    if (r->sampling.keeps && r->whole_cy - g->now < g->window) return g->now; /* blocks may wait to be sent */
    u64 next = awake_next(g, ask, has_mail);
    for (u32 i = 0; i < g->cfg.partitions && next > g->now; i++) {
        u64 n = partition_next(g->parts[i], g->now);
        next = MIN(next, n);
    }
    if (g->mesh && next > g->now) {
        u64 n = mesh_next(g->mesh, g->now);
        next = MIN(next, n);
    }
    return g->atomics.n ? g->now : next;
}
