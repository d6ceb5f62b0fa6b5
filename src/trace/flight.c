/* Instructions in flight, for the listeners that write files. See flight.h. */
#include "trace/flight.h"

#include <stdlib.h>

void flights_init(struct flights *f, const struct trace_window *w) { *f = (struct flights){.w = *w, .sm = NONE}; }

enum { LOOK_EVERY = 8 };

void trace_bound(struct trace_window *w, FILE *out, u64 now) {
    if (!w->limit_b || now >= w->to || ++w->looks % LOOK_EVERY) return;
    off_t size = ftello(out); /* -1 for a pipe, which has no size */
    if (size < 0 || (u64)size < w->limit_b) return;
    w->to = now;
    fprintf(stderr,
            "heddle: warning: a trace has reached %llu MB and ends at cycle %llu; --trace-cycles, --trace-sm and --trace-warp "
            "choose what is "
            "traced\n",
            (unsigned long long)(w->limit_b / 1000000), (unsigned long long)now);
}

void flights_free(struct flights *f) {
    free(f->pool.at);
    free(f->vacant.at);
    free(f->ending.at);
    uids_free(&f->map);
}

bool flights_turn(struct flights *f, const struct event *e, bool first) {
    bool turn = first ? e->sm <= f->sm : e->sm < f->sm;
    f->sm = e->sm;
    if (e->cycle > f->last) f->last = e->cycle;
    return turn;
}

bool flights_wants(const struct flights *f, const struct event *e) {
    return (f->w.sm < 0 || f->w.sm == e->sm) && (f->w.slot < 0 || f->w.slot == e->slot);
}

static bool is_inside(const struct flights *f, const struct event *e) {
    return e->cycle >= f->w.from && e->cycle < f->w.to && e->uid && flights_wants(f, e);
}

i32 flights_issue(struct flights *f, const struct event *e) {
    if (e->cycle > f->present) f->present = e->cycle;
    if (!is_inside(f, e)) return NONE;
    u32 i = f->pool.n;
    struct flight x = {.uid = e->uid, .mask = e->mask, .issue = e->cycle, .pc = e->pc, .sm = e->sm, .slot = e->slot};
    x.read = x.dispatch = x.enter = x.ready = x.complete = x.done = x.access_first = x.access_last = NEVER;
    x.window = x.retire = NEVER;
    if (e->kind == EV_WINDOW) x.window = e->cycle, x.issue = NEVER;
    x.open = true;
    x.row = NONE;
    if (f->vacant.n) f->pool.at[i = f->vacant.at[--f->vacant.n]] = x;
    else VEC_PUSH(&f->pool, x);
    uids_put(&f->map, e->sm, e->uid, i);
    return (i32)i;
}

i32 flights_issue_once(struct flights *f, const struct event *e) {
    i64 i = is_inside(f, e) ? uids_get(&f->map, e->sm, e->uid) : UIDS_NONE;
    if (i == UIDS_NONE) return flights_issue(f, e);
    f->present = MAX(f->present, e->cycle);
    f->pool.at[i].issue = MIN(f->pool.at[i].issue, e->cycle);
    return (i32)i;
}

static u64 later(u64 t, u64 cycle) { return t == NEVER || cycle > t ? cycle : t; }

static void note_access(struct flight *x, u64 cycle) {
    x->accesses++;
    if (cycle < x->access_first) x->access_first = cycle;
    x->access_last = later(x->access_last, cycle);
}

static void note_done(struct flights *f, u32 i, u64 cycle) {
    if (f->pool.at[i].done == NEVER) VEC_PUSH(&f->ending, i);
    f->pool.at[i].done = cycle;
}

void flights_note(struct flights *f, const struct event *e) {
    i64 i = e->uid ? uids_get(&f->map, e->sm, e->uid) : UIDS_NONE;
    if (i == UIDS_NONE) return;
    struct flight *x = &f->pool.at[i];
    switch (e->kind) {
    case EV_ISSUE: x->issue = e->cycle; break;
    case EV_SQUASH: x->squashes++; break;
    case EV_RETIRE: x->retire = e->cycle; break;
    case EV_READ: x->read = e->cycle; break;
    case EV_DISPATCH: x->dispatch = e->cycle; break;
    case EV_MEM_ENTER: x->enter = e->cycle; break;
    case EV_READY: x->ready = later(x->ready, e->cycle); break;
    case EV_COMPLETE: x->complete = later(x->complete, e->cycle); break;
    case EV_ACCESS: note_access(x, e->cycle); break;
    case EV_HAZARD:
        if (e->cause < HAZARD_COUNT) x->hazards[e->cause]++;
        break;
    case EV_DONE: note_done(f, (u32)i, e->cycle); break;
    default: break;
    }
}

void flights_finish(struct flights *f, u32 i) {
    struct flight *x = &f->pool.at[i];
    if (x->open) uids_drop(&f->map, x->sm, x->uid);
    x->open = false;
}

void flights_release(struct flights *f, u32 i) {
    flights_finish(f, i);
    VEC_PUSH(&f->vacant, i);
}

u64 flights_oldest(const struct flights *f) {
    u64 oldest = NEVER;
    for (u32 i = 0; i < f->pool.n; i++)
        if (f->pool.at[i].open) oldest = MIN(oldest, MIN(f->pool.at[i].issue, f->pool.at[i].window));
    return oldest;
}

const char *flight_text(const struct flights *f, i32 pc) {
    if (!f->k || pc < 0 || (u32)pc >= f->k->ninst) return "?";
    const char *text = inst_text(f->k->code[pc].src);
    return text ? text : "?";
}

const char *stall_text(u64 mask, char *buf, size_t n) {
    size_t len = 0;
    buf[0] = '\0';
    for (u32 i = 0; i < STALL_COUNT; i++) {
        if (!(mask >> i & 1) || len >= n) continue;
        len += (size_t)snprintf(buf + len, n - len, "%s%s", len ? "+" : "", stall_table[i].name);
    }
    return len ? buf : "?";
}
