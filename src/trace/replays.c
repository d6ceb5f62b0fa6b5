/* A line for each replay: when, where, which instruction and buffer entry, the lanes that were left, and the
 * hazard that had refused it (Turner 4.3.3).
 *
 *     cycle sm slot uid pc entry lanes hazard
 *     1042 0 3 211 17 2 0000ff00 mshr
 *
 * How to read it: lines of one uid are one instruction that comes again; div and bank take lanes away from
 * line to line, the others do not. */
#include "stats/stats.h"
#include "trace/trace.h"

#include <stdlib.h>

struct replays {
    FILE *out;
    struct trace_window w;
};

static void on_events(void *state, const struct event *e, u32 n) {
    struct replays *r = state;
    if (n) trace_bound(&r->w, r->out, e->cycle);
    for (u32 i = 0; i < n; i++) {
        if (e[i].kind != EV_REPLAY || e[i].cycle < r->w.from || e[i].cycle >= r->w.to) continue;
        if ((r->w.sm >= 0 && e[i].sm != r->w.sm) || (r->w.slot >= 0 && e[i].slot != r->w.slot)) continue;
        fprintf(r->out, "%llu %u %u %llu %d %llu %08llx %s\n", (unsigned long long)e[i].cycle, e[i].sm, e[i].slot,
                (unsigned long long)e[i].uid, e[i].pc, (unsigned long long)e[i].a, (unsigned long long)e[i].mask,
                hazard_table[e[i].cause].name);
    }
}

static void on_cut(void *state) { fputs("# incomplete: the launch was stopped\n", ((struct replays *)state)->out); }

struct replays *replays_open(FILE *out, const struct trace_window *w, struct listener *l) {
    struct replays *r = base_alloc(sizeof(*r));
    *r = (struct replays){out, *w};
    *l = (struct listener){.state = r, .events = on_events, .cut = on_cut};
    fputs("cycle sm slot uid pc entry lanes hazard\n", out);
    return r;
}

void replays_close(struct replays *r) { free(r); }
