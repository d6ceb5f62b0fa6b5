/* A Kanata 0004 log for the Konata pipeline viewer: one row per warp instruction.
 *
 * How to read it. The left pane says "sm0 w3 pc 17: ld.global.f32 %f1, [%rd4]": SM, warp slot, place in the
 * program, text. Where fronts are formed of threads of several warps (docs/formation.md) there is a row for
 * each warp of the front; they issue in one cycle, and all show what the front fetched and waited for. The
 * row's cells are its stages; above them (lane 1) stand the causes for which the warp did
 * not issue it, between its previous instruction and this one:
 *
 *     F   being fetched                 M   in the memory stage's queue
 *     B   in the instruction buffer     A   from its first line access to its last
 *     D   dispatched, in a window       Cm  waiting for memory to complete it
 *     I   issued                        W   result written, or leaving the SM
 *     O   operands being read           R   leaving the window
 *     X   in its unit
 *
 *     Kanata  0004              I FILE-ID UID THREAD      a row; thread = 1000 x SM + slot
 *     W FILE-ID FROM 0          an arrow: the row waits for a register that row FROM writes
 *     C=      first cycle       L FILE-ID 0 TEXT          its label (1: shown when the mouse rests on it)
 *     C       cycles further    S/E FILE-ID LANE STAGE    a stage starts, ends;   R FILE-ID N TYPE  the row ends (type 1: never finished)
 *
 * In the window are instructions that issue in it; they are shown to their end, and from its begin. A file's
 * time cannot run backwards, while events come out of order: commands wait until nothing older can come, that
 * is, they are older than every instruction in flight and than the last issue of every warp. When too many
 * wait, the older half is written, and what belonged before it is shown where the file stands. Instructions
 * that have not finished when the launch or the file ends are closed there. The format has no comments: a
 * launch that was stopped before the window's end leaves a last row, "# incomplete: the launch was
 * stopped". */
#include "trace/arrows.h"
#include "trace/flight.h"
#include "trace/kanata.h"

#include <stdlib.h>
#include <string.h>

enum { WRITE_AT = 1 << 16, COMMANDS_MAX = 1 << 20, SPANS_MAX = 256, FETCHES_MAX = 64, PLACES = 1 << 16 };
enum stage { STAGE_F, STAGE_B, STAGE_D, STAGE_I, STAGE_O, STAGE_X, STAGE_M, STAGE_A, STAGE_CM, STAGE_W, STAGE_R, STAGES };
static const char *const stage_names[STAGES] = {"F", "B", "D", "I", "O", "X", "M", "A", "Cm", "W", "R"};

enum command_op { COMMAND_BEGIN, COMMAND_START, COMMAND_END, COMMAND_NEEDS, COMMAND_RETIRE };
struct command {
    u64 cycle, id; /* id: SM and uid, so that the order does not depend on how time was cut into windows */
    u32 nth;       /* of its flight */
    u32 flight;
    u32 name; /* lane 0: enum stage; lane 1: set of stall causes; RETIRE: 1 when it never finished; NEEDS: half of a uid */
    u8 op, lane;
};
struct stall_span {
    u64 from, to;
    u32 causes;
    i32 pc;
};
struct fetch {
    u64 at, buffered; /* cycles */
    i32 pc;
    u32 n; /* instructions from pc that have not issued */
};
struct konata_slot { /* a warp slot, or a place of formed fronts: what belongs to rows that do not exist yet */
    bool live;
    u64 floor; /* start of the warp or its last issue: no row of it begins earlier, but for its fetch */
    u64 miss_at;
    i32 miss_pc; /* an instruction fetch that missed and has not come, or NONE */
    VEC(struct stall_span) stalls;
    VEC(struct fetch) fetches;
};
struct past { /* of an instruction that issues: what came before its issue */
    bool fetched;
    struct fetch fetch;
    VEC(struct stall_span) stalls;
};
struct konata {
    struct kanata log;
    struct flights f;
    struct uid_map slot_map; /* (SM, slot + 1), of places of fronts + PLACES */
    struct event front;      /* the formed front that issued last: the rows that follow with its cycle and pc are its */
    struct past past;        /* of it, or of the row that begins */
    struct arrows arrows;
    struct uid_map row_of; /* (SM, low half of a uid): rows of this launch that have begun */
    VEC(struct konata_slot) slots;
    VEC(struct command) commands;
    u32 write_at; /* commands that are worth sorting */
    i64 rows;
    bool cut; /* the launch was stopped */
};

static struct konata_slot *slot_of(struct konata *k, const struct event *e) {
    u64 key = e->slot + 1u + (e->kind == EV_FRONT ? PLACES : 0u);
    i64 i = uids_get(&k->slot_map, e->sm, key);
    if (i == UIDS_NONE) {
        i = k->slots.n;
        struct konata_slot s = {.miss_pc = NONE};
        VEC_PUSH(&k->slots, s);
        uids_put(&k->slot_map, e->sm, key, (u32)i);
    }
    return &k->slots.at[i];
}

/* --- writing */

static int by_cycle(const void *a, const void *b) {
    const struct command *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static void write_begin(struct konata *k, struct flight *x) {
    x->row = k->rows++;
    uids_put(&k->row_of, x->sm, (u32)x->uid + 1ull, (u32)x->row);
    kanata_row(&k->log, x->row, x->uid, x->sm * 1000u + x->slot);
    fprintf(k->log.out, "L\t%lld\t0\tsm%u w%u pc %d: ", (long long)x->row, x->sm, x->slot, x->pc);
    kanata_text(&k->log, flight_text(&k->f, x->pc));
}

static void write_retire(struct konata *k, const struct flight *x, bool never) {
    fprintf(k->log.out, "L\t%lld\t1\tissued at %llu, lanes 0x%llx", (long long)x->row, (unsigned long long)x->issue,
            (unsigned long long)x->mask);
    if (x->accesses) fprintf(k->log.out, ", line accesses %u", x->accesses);
    for (u32 h = 0; h < HAZARD_COUNT; h++)
        if (x->hazards[h]) fprintf(k->log.out, ", hazard %s %u", hazard_table[h].name, x->hazards[h]);
    fputc('\n', k->log.out);
    kanata_retire(&k->log, x->row, never);
}

/* Rows outside the window have no arrows */
static void write_need(struct konata *k, const struct flight *x, u32 uid) {
    i64 from = uids_get(&k->row_of, x->sm, uid + 1ull);
    if (from != UIDS_NONE) kanata_need(&k->log, x->row, from);
}

static void write_command(struct konata *k, const struct command *c) {
    struct flight *x = &k->f.pool.at[c->flight];
    char buf[128];
    kanata_cycle(&k->log, c->cycle);
    switch (c->op) {
    case COMMAND_BEGIN: write_begin(k, x); break;
    case COMMAND_NEEDS: write_need(k, x, c->name); break;
    case COMMAND_RETIRE:
        write_retire(k, x, c->name);
        flights_release(&k->f, c->flight);
        break;
    default:
        kanata_stage(&k->log, c->op == COMMAND_START ? 'S' : 'E', x->row, c->lane,
                     c->lane ? stall_text(c->name, buf, sizeof(buf)) : stage_names[c->name]);
    }
}

/* All commands before `limit`, and so many of the rest that at most `keep` wait */
static void write_commands(struct konata *k, u64 limit, u32 keep) {
    u32 n = 0;
    if (k->commands.n) qsort(k->commands.at, k->commands.n, sizeof(*k->commands.at), by_cycle);
    for (; n < k->commands.n && (k->commands.at[n].cycle < limit || k->commands.n - n > keep); n++)
        write_command(k, &k->commands.at[n]);
    k->commands.n -= n;
    if (k->commands.n) memmove(k->commands.at, k->commands.at + n, k->commands.n * sizeof(*k->commands.at));
    k->write_at = MIN(MAX(WRITE_AT, 2 * k->commands.n), COMMANDS_MAX);
}

/* The first cycle of which something may still be told */
static u64 horizon(const struct konata *k) {
    u64 h = MIN(flights_oldest(&k->f), k->f.present + 1);
    if (k->f.present >= k->f.w.to) return h;
    for (u32 i = 0; i < k->slots.n; i++) {
        const struct konata_slot *s = &k->slots.at[i];
        if (s->live) h = MIN(h, s->floor);
        for (u32 j = 0; j < s->stalls.n; j++) h = MIN(h, s->stalls.at[j].from);
        for (u32 j = 0; j < s->fetches.n; j++) h = MIN(h, s->fetches.at[j].at);
        if (s->miss_pc != NONE) h = MIN(h, s->miss_at);
    }
    return h;
}

/* --- rows */

static void add_command(struct konata *k, u64 cycle, u32 flight, enum command_op op, u8 lane, u32 name) {
    struct flight *x = &k->f.pool.at[flight];
    struct command c = {MAX(cycle, k->f.w.from), (u64)x->sm << 48 | x->uid, x->written++, flight, name, (u8)op, lane};
    VEC_PUSH(&k->commands, c);
}

static void add_stage(struct konata *k, u32 flight, u8 lane, u32 name, u64 from, u64 to) {
    if (MAX(from, k->f.w.from) >= to) return;
    add_command(k, from, flight, COMMAND_START, lane, name);
    add_command(k, to, flight, COMMAND_END, lane, name);
}

struct stage_at {
    enum stage stage;
    u64 from;
};

/* The stages after fetch in order, the unknown ones left out; each lasts until the next one */
static u32 stages_of(const struct flight *x, struct stage_at *out) {
    u64 unit = MIN(x->dispatch, x->enter);
    bool operands = x->read != NEVER ? x->read > x->issue : unit != NEVER && unit > x->issue + 1;
    u64 waits = x->access_last == NEVER ? NEVER : x->access_last + 1;
    const struct stage_at all[] = {{STAGE_D, x->window},
                                   {STAGE_I, x->issue},
                                   {STAGE_O, operands ? x->issue + 1 : NEVER},
                                   {STAGE_X, x->dispatch},
                                   {STAGE_M, x->enter},
                                   {STAGE_A, x->access_first},
                                   {STAGE_CM, waits},
                                   {STAGE_W, x->complete != NEVER ? x->complete : x->ready},
                                   {STAGE_R, x->retire}};
    u32 n = 0;
    for (u32 i = 0; i < ARRAY_LEN(all); i++) {
        if (all[i].from == NEVER) continue;
        out[n] = all[i];
        if (n && out[n].from < out[n - 1].from) out[n].from = out[n - 1].from;
        n++;
    }
    return n;
}

/* Makes the rest of a row's commands. `end`: the cycle where it stops when it has not finished. */
static void end_row(struct konata *k, u32 flight, u64 end) {
    struct flight *x = &k->f.pool.at[flight];
    struct stage_at st[STAGES];
    u32 n = stages_of(x, st);
    bool never = x->done == NEVER;
    u64 known = x->issue == NEVER ? x->window : x->issue, left = x->retire == NEVER ? 0 : x->retire + 1;
    end = MAX(never ? end : MAX(x->done, left), known + 1);
    for (u32 i = 0; i < n; i++) add_stage(k, flight, 0, st[i].stage, st[i].from, MIN(i + 1 < n ? st[i + 1].from : end, end));
    add_command(k, end, flight, COMMAND_RETIRE, 0, never);
    flights_finish(&k->f, flight);
}

/* Takes the fetch that brought pc, which issues at `now`, out of the buffer. False: none is known. */
static bool take_fetch(struct konata_slot *s, i32 pc, u64 now, struct fetch *out) {
    u32 i = 0;
    while (i < s->fetches.n) {
        struct fetch *x = &s->fetches.at[i];
        if (x->buffered <= now && pc >= x->pc && (u32)(pc - x->pc) < x->n) break;
        i++;
    }
    if (i == s->fetches.n) return false;
    struct fetch *x = &s->fetches.at[i];
    *out = *x;
    x->n -= (u32)(pc - x->pc) + 1;
    x->pc = pc + 1;
    if (!x->n) i++; /* used up; and those before it were passed over */
    s->fetches.n -= i;
    memmove(s->fetches.at, s->fetches.at + i, s->fetches.n * sizeof(*s->fetches.at));
    return true;
}

/* Stalls before `now` with this pc, or with any (NONE), leave the slot for `past` */
static void take_stalls(struct konata *k, struct konata_slot *s, i32 pc, u64 now) {
    u32 left = 0;
    k->past.stalls.n = 0;
    for (u32 i = 0; i < s->stalls.n; i++) {
        struct stall_span x = s->stalls.at[i];
        if (x.to > now || (pc != NONE && x.pc != pc)) s->stalls.at[left++] = x;
        else VEC_PUSH(&k->past.stalls, x);
    }
    s->stalls.n = left;
}

/* The row shows them, from `from` on */
static void show_stalls(struct konata *k, u32 flight, u64 from) {
    for (u32 i = 0; i < k->past.stalls.n; i++) {
        struct stall_span x = k->past.stalls.at[i];
        add_stage(k, flight, 1, x.causes, MAX(x.from, from), x.to);
    }
}

/* What came before an issue from that slot; a front may have waited with others, elsewhere in the program */
static void take_past(struct konata *k, struct konata_slot *s, const struct event *e) {
    k->past.fetched = take_fetch(s, e->pc, e->cycle, &k->past.fetch);
    take_stalls(k, s, e->kind == EV_FRONT ? NONE : e->pc, e->cycle);
}

static u64 first_cycle(const struct past *x, u64 issue) {
    u64 first = x->fetched ? MIN(issue, x->fetch.at) : issue;
    for (u32 i = 0; i < x->stalls.n; i++) first = MIN(first, x->stalls.at[i].from);
    return first;
}

static bool is_of_front(const struct konata *k, const struct event *e) {
    const struct event *x = &k->front;
    return x->kind == EV_FRONT && x->sm == e->sm && x->cycle == e->cycle && x->pc == e->pc;
}

static void begin_row(struct konata *k, const struct event *e) {
    struct konata_slot *s = slot_of(k, e);
    const struct fetch *fetch = &k->past.fetch;
    u32 from[ARROWS_MAX], needs = arrows_take(&k->arrows, e, from);
    if (!is_of_front(k, e)) take_past(k, s, e);
    i32 flight = flights_issue(&k->f, e);
    if (flight != NONE) {
        add_command(k, first_cycle(&k->past, e->cycle), (u32)flight, COMMAND_BEGIN, 0, 0);
        if (k->past.fetched) {
            add_stage(k, (u32)flight, 0, STAGE_F, fetch->at, MIN(MAX(fetch->buffered, fetch->at), e->cycle));
            add_stage(k, (u32)flight, 0, STAGE_B, MAX(fetch->buffered, fetch->at), e->cycle);
        }
        for (u32 i = 0; i < needs; i++) add_command(k, e->cycle, (u32)flight, COMMAND_NEEDS, 0, from[i]);
        show_stalls(k, (u32)flight, 0);
    }
    s->floor = e->cycle;
}

/* The issue of one that has had its row since its dispatch */
static void issue_row(struct konata *k, const struct event *e) {
    struct konata_slot *s = slot_of(k, e);
    i64 at = uids_get(&k->f.map, e->sm, e->uid);
    bool known = at != UIDS_NONE && k->f.pool.at[at].window != NEVER;
    if (known) flights_note(&k->f, e);
    take_stalls(k, s, e->pc, e->cycle);
    if (known) show_stalls(k, (u32)at, k->f.pool.at[at].window);
    s->floor = e->cycle;
}

/* --- events that belong to rows to come */

static void note_stall(struct konata *k, const struct event *e) {
    struct konata_slot *s = slot_of(k, e);
    if (e->a >= e->cycle || e->cycle <= k->f.w.from || e->a >= k->f.w.to) return;
    struct stall_span x = {e->a, e->cycle, (u32)e->mask, e->pc};
    struct stall_span *before = s->stalls.n ? &s->stalls.at[s->stalls.n - 1] : NULL;
    if (before && before->to == x.from && before->causes == x.causes && before->pc == x.pc) {
        before->to = x.to;
        return;
    }
    if (s->stalls.n == SPANS_MAX) memmove(s->stalls.at, s->stalls.at + 1, --s->stalls.n * sizeof(x));
    VEC_PUSH(&s->stalls, x);
}

static void note_fetch(struct konata *k, const struct event *e, bool miss) {
    struct konata_slot *s = slot_of(k, e);
    if (miss) { /* the fetch that will bring it began here */
        if (s->miss_pc != e->pc) s->miss_pc = e->pc, s->miss_at = e->cycle;
        return;
    }
    struct fetch x = {e->cycle, e->b, e->pc, (u32)e->a};
    if (s->miss_pc == e->pc) x.at = s->miss_at;
    s->miss_pc = NONE;
    if (s->fetches.n == FETCHES_MAX) memmove(s->fetches.at, s->fetches.at + 1, --s->fetches.n * sizeof(x));
    VEC_PUSH(&s->fetches, x);
}

/* The instruction buffer loses what was fetched before `cycle` */
static void drop_fetches(struct konata_slot *s, u64 cycle) {
    u32 left = 0;
    for (u32 i = 0; i < s->fetches.n; i++)
        if (s->fetches.at[i].at >= cycle) s->fetches.at[left++] = s->fetches.at[i];
    s->fetches.n = left;
    if (s->miss_pc != NONE && s->miss_at < cycle) s->miss_pc = NONE;
}

/* Stalls before `cycle` that no instruction ended */
static void drop_stalls(struct konata_slot *s, u64 cycle) {
    u32 left = 0;
    for (u32 i = 0; i < s->stalls.n; i++)
        if (s->stalls.at[i].to > cycle) s->stalls.at[left++] = s->stalls.at[i];
    s->stalls.n = left;
}

static void note_warp(struct konata *k, const struct event *e) {
    struct konata_slot *s = slot_of(k, e);
    s->live = e->kind == EV_WARP_START;
    if (s->live) arrows_warp(&k->arrows, e);
    s->floor = e->cycle;
    if (e->cycle > k->f.present) k->f.present = e->cycle;
    if (s->live) return;
    drop_fetches(s, e->cycle);
    drop_stalls(s, e->cycle);
}

/* --- formed fronts */

static bool wants_front(const struct konata *k, const struct event *e) { /* whichever warps its threads are of */
    return k->f.w.sm < 0 || k->f.w.sm == e->sm;
}

/* Told ahead of others, as those of warps; a place that waits for a front shows nothing */
static void note_front(struct konata *k, const struct event *e) {
    if (!wants_front(k, e)) return;
    if (e->cause == FRONT_STALLS && e->mask != 1u << STALL_EMPTY) note_stall(k, e);
    if (e->cause == FRONT_FETCHES) note_fetch(k, e, e->mask);
}

static void take_front(struct konata *k, const struct event *e) {
    if (!wants_front(k, e)) return;
    switch (e->cause) {
    case FRONT_ISSUES:
        take_past(k, slot_of(k, e), e);
        k->front = *e;
        break;
    case FRONT_BEGINS:
    case FRONT_ENDS: drop_stalls(slot_of(k, e), e->cycle); /* fall through */
    case FRONT_FLUSHES: drop_fetches(slot_of(k, e), e->cycle); break;
    default: break;
    }
}

static void take(struct konata *k, const struct event *e) {
    switch (e->kind) {
    case EV_WINDOW:
        if (flights_wants(&k->f, e)) begin_row(k, e);
        break;
    case EV_ISSUE:
        if (!flights_wants(&k->f, e)) break;
        if (e->cause) issue_row(k, e);
        else begin_row(k, e);
        break;
    case EV_WARP_START:
    case EV_WARP_END:
        if (flights_wants(&k->f, e)) note_warp(k, e);
        break;
    case EV_FLUSH:
        if (flights_wants(&k->f, e)) drop_fetches(slot_of(k, e), e->cycle);
        break;
    case EV_FRONT: take_front(k, e); break;
    case EV_TEXT: arrows_text(&k->arrows, e); break;
    default: flights_note(&k->f, e);
    }
}

/* A window has ended: instructions that are done have had all their events */
static void settle(struct konata *k) {
    for (u32 i = 0; i < k->f.ending.n; i++) end_row(k, k->f.ending.at[i], NEVER);
    k->f.ending.n = 0;
    if (k->commands.n >= k->write_at) write_commands(k, horizon(k), COMMANDS_MAX / 2);
}

/* --- the listener */

static void konata_launch(void *state, const struct kernel *kernel, u64 cycle) {
    struct konata *k = state;
    k->f.k = kernel;
    arrows_launch(&k->arrows, kernel);
    if (cycle > k->f.last) k->f.last = cycle;
}

/* Stalls and fetches first: they may come after the issue that ends them */
static void konata_events(void *state, const struct event *e, u32 n) {
    struct konata *k = state;
    if (n) trace_bound(&k->f.w, k->log.out, e->cycle);
    if (n && flights_turn(&k->f, e, true)) settle(k);
    for (u32 i = 0; i < n; i++) {
        if (e[i].kind == EV_FRONT) note_front(k, &e[i]);
        if (!flights_wants(&k->f, &e[i])) continue;
        if (e[i].kind == EV_STALL) note_stall(k, &e[i]);
        else if (e[i].kind == EV_FETCH) note_fetch(k, &e[i], e[i].cause);
    }
    for (u32 i = 0; i < n; i++) {
        if (flights_turn(&k->f, &e[i], false)) settle(k);
        take(k, &e[i]);
    }
}

static void konata_cut(void *state) { ((struct konata *)state)->cut = true; }

static void write_mark(struct konata *k, u64 cycle) {
    i64 row = k->rows++;
    kanata_cycle(&k->log, cycle);
    kanata_row(&k->log, row, 0, 0);
    fprintf(k->log.out, "L\t%lld\t0\t# incomplete: the launch was stopped\n", (long long)row);
    kanata_retire(&k->log, row, true);
}

static void konata_end(void *state, u64 cycle) {
    struct konata *k = state;
    settle(k);
    for (u32 i = 0; i < k->f.pool.n; i++)
        if (k->f.pool.at[i].open) end_row(k, i, MAX(cycle, k->f.last));
    write_commands(k, NEVER, 0);
    uids_clear(&k->row_of);
    if (k->cut && cycle < k->f.w.to) write_mark(k, cycle);
    k->cut = false;
    k->front = (struct event){0};
    for (u32 i = 0; i < k->slots.n; i++) {
        struct konata_slot *s = &k->slots.at[i];
        s->live = false;
        s->miss_pc = NONE;
        s->stalls.n = s->fetches.n = 0;
    }
    k->f.k = NULL; /* it may be gone before the next launch */
    k->f.sm = NONE;
}

struct konata *konata_open(FILE *out, const struct trace_window *w, struct listener *l) {
    struct konata *k = base_alloc(sizeof(*k));
    k->write_at = WRITE_AT;
    flights_init(&k->f, w);
    kanata_begin(&k->log, out);
    *l = (struct listener){.state = k, .launch = konata_launch, .events = konata_events, .cut = konata_cut, .end = konata_end};
    return k;
}

bool konata_close(struct konata *k) {
    konata_end(k, k->f.last);
    bool ok = !ferror(k->log.out) && fflush(k->log.out) == 0;
    for (u32 i = 0; i < k->slots.n; i++) free(k->slots.at[i].stalls.at), free(k->slots.at[i].fetches.at);
    free(k->slots.at), free(k->past.stalls.at);
    free(k->commands.at);
    uids_free(&k->slot_map);
    uids_free(&k->row_of);
    arrows_free(&k->arrows);
    flights_free(&k->f);
    free(k);
    return ok;
}
