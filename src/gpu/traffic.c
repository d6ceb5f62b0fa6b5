/* What the DRAM channels do over time, for listeners that ask (struct listener, dram): at every TRAFFIC_CY-th
 * cycle of a launch what each channel did since the last time, and what is left when the launch ends.
 * Independent of the interval samples of a report, which it neither needs nor makes.
 *
 * 1. Intervals follow each other without gaps from the start of the launch to its end, but for one that a
 *    warm-up's end cuts: what came before its reset has been told.
 * 2. Without a listener that asks, no window is cut and nothing is copied. */
#include "gpu/chip.h"

#include <stdlib.h>

static bool is_wanted(const struct gpu *g) {
    for (u32 k = 0; k < g->listeners.n; k++)
        if (g->listeners.at[k].dram) return true;
    return false;
}

void traffic_begin(struct run *r) {
    struct traffic *t = &r->traffic;
    *t = (struct traffic){.from = r->start, .next = NEVER};
    if (!is_wanted(r->g)) return;
    t->next = r->start + TRAFFIC_CY;
    t->last = base_alloc(r->g->cfg.partitions * sizeof(*t->last));
    t->use = base_alloc(r->g->cfg.partitions * sizeof(*t->use));
}

static struct dram_use use_of(const struct mem_stats *now, const struct mem_stats *last, u32 burst_b) {
    u64 bursts = now->dram_reads + now->dram_writes - last->dram_reads - last->dram_writes;
    return (struct dram_use){.bytes = bursts * burst_b,
                             .busy = now->dram_bus_busy - last->dram_bus_busy,
                             .queued = now->dram_queued - last->dram_queued,
                             .cycles = now->dram_cycles - last->dram_cycles};
}

/* The interval that ends now */
static void tell(struct run *r) {
    struct gpu *g = r->g;
    struct traffic *t = &r->traffic;
    for (u32 i = 0; i < g->cfg.partitions; i++) {
        const struct mem_stats *now = partition_stats(g->parts[i]);
        t->use[i] = use_of(now, &t->last[i], g->cfg.dram_burst_b);
        t->last[i] = *now;
    }
    for (u32 k = 0; k < g->listeners.n; k++) {
        const struct listener *l = &g->listeners.at[k];
        if (l->dram) l->dram(l->state, t->use, g->cfg.partitions, t->from, g->now);
    }
    t->from = g->now;
    t->next = g->now + TRAFFIC_CY;
}

void traffic_look(struct run *r) {
    if (r->g->now >= r->traffic.next) tell(r);
}

void traffic_cut(struct run *r) {
    struct traffic *t = &r->traffic;
    if (t->last && r->g->now > t->from) tell(r);
}

void traffic_restart(struct run *r) {
    for (u32 i = 0; r->traffic.last && i < r->g->cfg.partitions; i++) r->traffic.last[i] = (struct mem_stats){0};
}

void traffic_end(struct run *r) {
    traffic_cut(r);
    free(r->traffic.last);
    free(r->traffic.use);
    r->traffic = (struct traffic){.next = NEVER};
}
