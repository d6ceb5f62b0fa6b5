/* Chrome's JSON trace events, for ui.perfetto.dev and chrome://tracing.
 *
 * How to read it. A process is an SM, a thread of it a warp slot. On a slot's track stand one-cycle slices,
 * the instructions it issued, and between them slices named after the causes for which it did not. Where
 * fronts are formed of threads of several warps (docs/formation.md) these stand on tracks of their own, one
 * for each place of a front, and the slots' tracks have the instructions alone. Each
 * instruction is also an asynchronous slice (category "inst") from its issue to its end; its arguments give
 * the cycles of its stages. Counters are per SM: IPC (issues a cycle, over 64 cycles each), the L1's MSHRs
 * in use, resident warps. The process "DRAM" has counters over 64 cycles each: bytes a core cycle of all
 * channels, the share of the time that data buses moved data, of all and of each, and the bursts that waited
 * in queues. Another process shows the launches. The format counts microseconds: one of them is one core
 * cycle.
 *
 *     {"traceEvents":[
 *     {"ph":"M","pid":0,"tid":3,"name":"thread_name","args":{"name":"warp slot 3"}},
 *     {"ph":"X","pid":0,"tid":3,"ts":16,"dur":4,"name":"long_scoreboard","args":{"pc":5}},
 *     ...
 *     ],"displayTimeUnit":"ns","otherData":{"time":"1 us is 1 core cycle"}}
 *
 * Events stand in no particular order of time; the format allows it. In the window are instructions that
 * issue in it, to their end; stalls and launches are cut to it. Instructions that have not finished when the
 * launch or the file ends are closed there. */
#include "trace/flight.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { IPC_CY = 64 };                                        /* cycles that a value of the counter IPC is of */
enum { LAUNCH_PID = 1 << 16, DRAM_PID, NAMED_SM = 1 << 20 }; /* numbers that no SM and no slot has */
enum { PLACES = 1 << 16 };                                   /* tracks of places of fronts */

struct ipc {  /* of an SM */
    u64 from; /* first cycle that is counted, a multiple of IPC_CY; NEVER: none yet */
    u32 n;    /* issues since */
};
struct perfetto {
    FILE *out;
    VEC(struct ipc) ipc; /* by SM */
    struct flights f;
    struct uid_map named; /* (SM, track + 1) of tracks that have their names; NAMED_SM instead: the SM itself */
    bool formed;          /* fronts are: these issue, not warps */
    bool any;             /* something has been written, the next event needs a comma */
    bool launches_named;
    u32 channels;    /* of DRAM that have counters */
    u64 dram_end;    /* cycle up to which these are known */
    bool cut;        /* the launch was stopped */
    bool incomplete; /* and before the window's end */
    u64 launched;    /* cycle; NEVER when no launch is under way */
    char **text;     /* [k->ninst] instructions as JSON strings, made when they are first wanted */
};

static const char *const counter_names[TC_COUNT] = {[TC_MSHRS] = "MSHRs in use", [TC_WARPS] = "warps"};

/* --- JSON */

/* A string with its quotes, to be freed. Bytes that are no UTF-8 become question marks. */
static char *quote(const char *s) {
    json_t *j = json_string(s);
    if (!j) {
        char *ascii = base_alloc(strlen(s) + 1);
        for (size_t i = 0; s[i]; i++) ascii[i] = (unsigned char)s[i] > 126 ? '?' : s[i];
        j = json_string(ascii);
        free(ascii);
    }
    char *text = json_dumps(j, JSON_ENCODE_ANY);
    json_decref(j);
    CHECK(text);
    return text;
}

static const char *text_of(struct perfetto *p, i32 pc) {
    if (!p->text || pc < 0 || (u32)pc >= p->f.k->ninst) return "\"?\"";
    if (!p->text[pc]) p->text[pc] = quote(flight_text(&p->f, pc));
    return p->text[pc];
}

static void PRINTF_LIKE(2, 3) put(struct perfetto *p, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs(p->any ? ",\n" : "\n", p->out);
    vfprintf(p->out, fmt, ap);
    va_end(ap);
    p->any = true;
}

/* --- tracks */

static void name_sm(struct perfetto *p, u32 sm) {
    if (uids_get(&p->named, sm, NAMED_SM) != UIDS_NONE) return;
    uids_put(&p->named, sm, NAMED_SM, 0);
    put(p, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"SM %u\"}}", sm, sm);
    put(p, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}", sm, sm);
}

static u32 track_of(const struct event *e) { return e->kind == EV_FRONT ? PLACES + e->slot : e->slot; }

static void name_track(struct perfetto *p, const struct event *e) {
    u32 track = track_of(e);
    if (uids_get(&p->named, e->sm, track + 1) != UIDS_NONE) return;
    name_sm(p, e->sm);
    uids_put(&p->named, e->sm, track + 1, 0);
    put(p, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s %u\"}}", e->sm, track,
        e->kind == EV_FRONT ? "front" : "warp slot", e->slot);
}

/* --- issues a cycle */

static void put_ipc(struct perfetto *p, u32 sm, u64 cycle, u32 issues) {
    if (cycle < p->f.w.to)
        put(p, "{\"ph\":\"C\",\"pid\":%u,\"ts\":%llu,\"name\":\"IPC\",\"args\":{\"value\":%.7g}}", sm, (unsigned long long)cycle,
            (double)issues / IPC_CY);
}

/* What was counted before `now`; after a pause the counter goes back to nothing */
static void end_ipc(struct perfetto *p, u32 sm, u64 now) {
    struct ipc *x = &p->ipc.at[sm];
    if (x->from == NEVER || now < x->from + IPC_CY) return;
    put_ipc(p, sm, x->from, x->n);
    if (now >= x->from + 2 * IPC_CY) put_ipc(p, sm, x->from + IPC_CY, 0);
    *x = (struct ipc){.from = NEVER};
}

/* Issues of an SM come in the order of time */
static void count_issue(struct perfetto *p, const struct event *e) {
    if (e->cycle < p->f.w.from || e->cycle >= p->f.w.to || (p->f.w.sm >= 0 && p->f.w.sm != e->sm)) return;
    while (p->ipc.n <= e->sm) VEC_PUSH(&p->ipc, ((struct ipc){.from = NEVER}));
    end_ipc(p, e->sm, e->cycle);
    struct ipc *x = &p->ipc.at[e->sm];
    if (x->from == NEVER) {
        name_sm(p, e->sm);
        *x = (struct ipc){.from = e->cycle - e->cycle % IPC_CY};
    }
    x->n++;
}

/* --- slices */

static void put_issue(struct perfetto *p, const struct event *e) {
    if (!p->formed) count_issue(p, e);
    if (flights_issue_once(&p->f, e) == NONE) return;
    name_track(p, e);
    put(p, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":1,\"name\":%s,\"args\":{\"pc\":%d,\"uid\":%llu}}", e->sm,
        e->slot, (unsigned long long)e->cycle, text_of(p, e->pc), e->pc, (unsigned long long)e->uid);
}

static void put_stall(struct perfetto *p, const struct event *e) {
    char buf[128];
    u64 from = MAX(e->a, p->f.w.from), to = MIN(e->cycle, p->f.w.to);
    if (from >= to || !flights_wants(&p->f, e)) return;
    name_track(p, e);
    put(p, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":%llu,\"name\":\"%s\",\"args\":{\"pc\":%d}}", e->sm,
        track_of(e), (unsigned long long)from, (unsigned long long)(to - from), stall_text(e->mask, buf, sizeof(buf)), e->pc);
}

/* Its place's track; left out where one warp's is asked for */
static void put_front(struct perfetto *p, const struct event *e) {
    p->formed = true;
    if (e->cause == FRONT_ISSUES) count_issue(p, e);
    if (p->f.w.slot >= 0) return;
    if (e->cause == FRONT_STALLS && e->mask != 1u << STALL_EMPTY) put_stall(p, e);
    if (e->cause != FRONT_ISSUES || e->cycle < p->f.w.from || e->cycle >= p->f.w.to || !flights_wants(&p->f, e)) return;
    name_track(p, e);
    put(p, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":1,\"name\":%s,\"args\":{\"pc\":%d,\"threads\":%d}}", e->sm,
        track_of(e), (unsigned long long)e->cycle, text_of(p, e->pc), e->pc, __builtin_popcountll(e->mask));
}

static void put_counter(struct perfetto *p, const struct event *e) {
    if (e->a >= TC_COUNT || e->cycle < p->f.w.from || e->cycle >= p->f.w.to) return;
    if (p->f.w.sm >= 0 && p->f.w.sm != e->sm) return;
    name_sm(p, e->sm);
    put(p, "{\"ph\":\"C\",\"pid\":%u,\"ts\":%llu,\"name\":\"%s\",\"args\":{\"value\":%llu}}", e->sm, (unsigned long long)e->cycle,
        counter_names[e->a], (unsigned long long)e->b);
}

static void put_dram(struct perfetto *p, u64 cycle, const char *name, double value) {
    put(p, "{\"ph\":\"C\",\"pid\":%d,\"ts\":%llu,\"name\":\"%s\",\"args\":{\"value\":%.7g}}", DRAM_PID, (unsigned long long)cycle,
        name, value);
}

static double busy_share(const struct dram_use *u) { return u->cycles ? (double)u->busy / (double)u->cycles : 0; }

/* A value stands from the start of its interval, or of the window when that is later */
static void perfetto_dram(void *state, const struct dram_use *u, u32 n, u64 from, u64 to) {
    struct perfetto *p = state;
    struct dram_use all = {0};
    char name[48];
    u64 at = MAX(from, p->f.w.from);
    if (at >= MIN(to, p->f.w.to)) return;
    if (!p->channels) put(p, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"DRAM\"}}", DRAM_PID);
    p->channels = n;
    p->dram_end = to;
    for (u32 i = 0; i < n; i++) {
        all.bytes += u[i].bytes, all.busy += u[i].busy, all.queued += u[i].queued, all.cycles += u[i].cycles;
        snprintf(name, sizeof(name), "bus use of channel %u", i);
        if (n > 1) put_dram(p, at, name, busy_share(&u[i]));
    }
    put_dram(p, at, "bytes a cycle", (double)all.bytes / (double)(to - from));
    put_dram(p, at, "bus use", busy_share(&all));
    put_dram(p, at, "bursts waiting", all.cycles ? (double)all.queued * n / (double)all.cycles : 0);
}

/* A counter keeps its value until the next: at the end all go back to nothing */
static void end_dram(struct perfetto *p) {
    if (!p->channels) return;
    struct dram_use *none = base_alloc(p->channels * sizeof(*none));
    perfetto_dram(p, none, p->channels, p->dram_end, p->dram_end + 1);
    free(none);
}

static void put_stage(struct perfetto *p, const char *name, u64 cycle) {
    if (cycle != NEVER) fprintf(p->out, ",\"%s\":%llu", name, (unsigned long long)cycle);
}

/* The asynchronous slice of an instruction. `end`: where it stops when it has not finished. */
static void put_flight(struct perfetto *p, u32 i, u64 end) {
    const struct flight *x = &p->f.pool.at[i];
    unsigned long long id = (unsigned long long)x->sm << 48 | x->uid;
    put(p,
        "{\"ph\":\"b\",\"cat\":\"inst\",\"id\":\"0x%llx\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"name\":%s,\"args\":{\"pc\":%d,"
        "\"uid\":%llu,\"lanes\":\"0x%llx\"",
        id, x->sm, x->slot, (unsigned long long)x->issue, text_of(p, x->pc), x->pc, (unsigned long long)x->uid,
        (unsigned long long)x->mask);
    put_stage(p, "read", x->read);
    put_stage(p, "dispatch", x->dispatch);
    put_stage(p, "memory queue", x->enter);
    put_stage(p, "first access", x->access_first);
    put_stage(p, "last access", x->access_last);
    put_stage(p, "complete", x->complete);
    put_stage(p, "ready", x->ready);
    if (x->accesses) put_stage(p, "line accesses", x->accesses);
    if (x->squashes) put_stage(p, "taken back", x->squashes);
    for (u32 h = 0; h < HAZARD_COUNT; h++)
        if (x->hazards[h]) fprintf(p->out, ",\"hazard %s\":%u", hazard_table[h].name, x->hazards[h]);
    fprintf(p->out, "%s}}", x->done == NEVER ? ",\"finished\":false" : "");
    put(p, "{\"ph\":\"e\",\"cat\":\"inst\",\"id\":\"0x%llx\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"name\":%s}", id, x->sm, x->slot,
        (unsigned long long)MAX(x->done == NEVER ? end : x->done, x->issue), text_of(p, x->pc));
    flights_release(&p->f, i);
}

/* A window has ended: instructions that are done have had all their events */
static void settle(struct perfetto *p) {
    for (u32 i = 0; i < p->f.ending.n; i++) put_flight(p, p->f.ending.at[i], NEVER);
    p->f.ending.n = 0;
}

static void put_launch(struct perfetto *p, u64 end) {
    u64 from = MAX(p->launched, p->f.w.from), to = MIN(end, p->f.w.to);
    if (from >= to) return;
    if (!p->launches_named)
        put(p, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":\"launches\"}}", LAUNCH_PID);
    p->launches_named = true;
    char *name = quote(p->f.k->name ? p->f.k->name : "?");
    put(p, "{\"ph\":\"X\",\"pid\":%d,\"tid\":0,\"ts\":%llu,\"dur\":%llu,\"name\":%s}", LAUNCH_PID, (unsigned long long)from,
        (unsigned long long)(to - from), name);
    free(name);
}

/* --- the listener */

static void perfetto_launch(void *state, const struct kernel *k, u64 cycle) {
    struct perfetto *p = state;
    p->f.k = k;
    p->launched = cycle;
    p->text = base_alloc(sizeof(*p->text) * k->ninst);
    if (cycle > p->f.last) p->f.last = cycle;
}

static void perfetto_events(void *state, const struct event *e, u32 n) {
    struct perfetto *p = state;
    if (n) trace_bound(&p->f.w, p->out, e->cycle);
    for (u32 i = 0; i < n; i++) {
        if (flights_turn(&p->f, &e[i], i == 0)) settle(p);
        switch (e[i].kind) {
        case EV_ISSUE: put_issue(p, &e[i]); break;
        case EV_STALL: put_stall(p, &e[i]); break;
        case EV_FRONT: put_front(p, &e[i]); break;
        case EV_COUNTER: put_counter(p, &e[i]); break;
        default: flights_note(&p->f, &e[i]);
        }
    }
}

static void perfetto_cut(void *state) { ((struct perfetto *)state)->cut = true; }

static void perfetto_end(void *state, u64 cycle) {
    struct perfetto *p = state;
    if (p->cut && cycle < p->f.w.to) p->incomplete = true;
    p->cut = false;
    settle(p);
    for (u32 i = 0; i < p->ipc.n; i++) end_ipc(p, i, NEVER);
    for (u32 i = 0; i < p->f.pool.n; i++)
        if (p->f.pool.at[i].open) put_flight(p, i, MAX(cycle, p->f.last));
    if (p->launched != NEVER) put_launch(p, cycle);
    for (u32 i = 0; p->text && i < p->f.k->ninst; i++) free(p->text[i]);
    free(p->text);
    p->text = NULL;
    p->f.k = NULL; /* it may be gone before the next launch */
    p->f.sm = NONE;
    p->launched = NEVER;
}

struct perfetto *perfetto_open(FILE *out, const struct trace_window *w, struct listener *l) {
    struct perfetto *p = base_alloc(sizeof(*p));
    p->out = out;
    p->launched = NEVER;
    flights_init(&p->f, w);
    fputs("{\"traceEvents\":[", out);
    *l = (struct listener){.state = p,
                           .launch = perfetto_launch,
                           .events = perfetto_events,
                           .dram = perfetto_dram,
                           .cut = perfetto_cut,
                           .end = perfetto_end};
    return p;
}

bool perfetto_close(struct perfetto *p) {
    perfetto_end(p, p->f.last);
    end_dram(p);
    fputs("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us is 1 core cycle\"", p->out);
    fprintf(p->out, "%s}}\n", p->incomplete ? ",\"incomplete\":\"a launch was stopped\"" : "");
    bool ok = !ferror(p->out) && fflush(p->out) == 0;
    uids_free(&p->named);
    free(p->ipc.at);
    flights_free(&p->f);
    free(p);
    return ok;
}
