/* Dynamic warp subdivision against a model of it, slow and obvious: random programs part and meet, and each
 * instruction that issues must be of the part of a warp that the model says. The model has the program as a
 * list of its own and runs every thread itself; parts of a warp head for meeting points that await lanes. It
 * is told which lanes issue, whose turn it is, and which loads have come, and holds against that:
 *   - lanes part at branches and, where dws.split says so, at the first use of a load, those that go on
 *     having had their data before the others
 *   - each lane is in one part; parts become one at a meeting point when all are there, or at one line if
 *     they head for the same
 *   - the turn changes when the part that runs is gone, and then the innermost is next, or waits for a load
 *   - parts that have lost their turn and can go on are splits, and these are no more than dws.table */
#include "flow.h"

enum { WARPS = 4, WARP = 32, MEETINGS = 64, NOBODY = -1 };

struct meeting_model {
    bool used;
    u32 line, awaits, here;
    i32 below; /* the meeting point that its lanes head for then */
};
struct part_model {
    u32 lanes; /* 0: there is none */
    u32 line;
    i32 heads; /* for a meeting point, or NOBODY */
    bool interrupted;
};
static struct model {
    bool at_loads, limited;
    u32 table;
    u32 branches, loads, joined, turns, peak; /* lanes parted; they joined; turns by waiting; certain entries of the table */
    struct warp_model {
        struct thread thread[WARP];
        struct part_model part[WARP];
        struct meeting_model meeting[MEETINGS];
        u64 ready[WARP]; /* of the last load of a lane; NEVER: it has not come */
        u64 uid[WARP];
        i32 running;
    } warp[WARPS];
} model;

/* --- parts and meeting points */

static i32 part_of(const struct warp_model *w, u32 lane) {
    for (i32 i = 0; i < WARP; i++)
        if (w->part[i].lanes >> lane & 1) return i;
    return NOBODY;
}

static i32 part_new(struct warp_model *w, struct part_model x) {
    for (i32 i = 0; i < WARP; i++)
        if (!w->part[i].lanes) {
            w->part[i] = x;
            return i;
        }
    fail_msg("more parts than lanes");
    return NOBODY;
}

static i32 meeting_new(struct warp_model *w, u32 line, u32 awaits, i32 below) {
    for (i32 i = 0; i < MEETINGS; i++)
        if (!w->meeting[i].used) {
            w->meeting[i] = (struct meeting_model){true, line, awaits, 0, below};
            return i;
        }
    fail_msg("too many meeting points");
    return NOBODY;
}

static u32 depth_of(const struct warp_model *w, const struct part_model *x) {
    u32 n = 0;
    for (i32 i = x->heads; i != NOBODY; i = w->meeting[i].below) n++;
    return n;
}

/* Where a part stands others may be awaited, or all of them have come and go on */
static void arrive(struct warp_model *w, i32 i) {
    struct part_model *x = &w->part[i];
    while (x->heads != NOBODY && w->meeting[x->heads].line == x->line) {
        struct meeting_model *m = &w->meeting[x->heads];
        m->here |= x->lanes;
        if (m->here != m->awaits) {
            x->lanes = 0;
            if (w->running == i) w->running = NOBODY;
            return;
        }
        x->lanes = m->awaits, x->heads = m->below;
        m->used = false;
    }
}

/* Parts that have all the lanes that are awaited have met already */
static void have_met(struct warp_model *w) {
    for (u32 i = 0; i < WARP; i++) {
        struct part_model *x = &w->part[i];
        while (x->lanes && x->heads != NOBODY && w->meeting[x->heads].awaits == x->lanes) {
            w->meeting[x->heads].used = false;
            x->heads = w->meeting[x->heads].below;
        }
    }
}

/* --- parting */

static void part_at_branch(struct warp_model *w, i32 i, u32 jump) {
    struct part_model was = w->part[i];
    const struct line *x = &prog.at[was.line];
    i32 m = was.heads != NOBODY && w->meeting[was.heads].line == x->meets ? was.heads
                                                                          : meeting_new(w, x->meets, was.lanes, was.heads);
    w->part[i] = (struct part_model){.lanes = was.lanes & ~jump, .line = was.line + 1, .heads = m};
    i32 other = part_new(w, (struct part_model){.lanes = jump, .line = x->to, .heads = m});
    if (w->part[i].line != x->meets && w->part[other].line != x->meets) model.branches++;
    if (w->part[i].line == x->meets) w->running = other; /* the one beside keeps the turn */
    arrive(w, i), arrive(w, other);
}

/* Where lanes that part at a load have to meet at the latest */
static u32 next_stop(u32 line) {
    while (prog.at[line].kind == OP) {
        line++;
        for (u32 i = 0; i < prog.n; i++)
            if (prog.at[i].kind == BRANCH && prog.at[i].meets == line) return line;
    }
    return line;
}

static bool uses_load(u32 line) { return strcmp(prog.at[line].text, "add.u32 %r1, %r1, %r4") == 0; }

/* Lanes of a part go on alone, because they have what the others wait for */
static void part_at_load(struct warp_model *w, i32 i, u32 go) {
    struct part_model *x = &w->part[i];
    u64 last = 0;
    assert_true(model.at_loads && uses_load(x->line));
    for (u32 l = 0; l < WARP; l++)
        if (go >> l & 1) last = MAX(last, w->ready[l]);
    for (u32 l = 0; l < WARP; l++)
        if (x->lanes & ~go & 1u << l) assert_true(w->ready[l] >= last);
    if (model.limited) {
        u32 stop = next_stop(x->line);
        if (x->heads == NOBODY || w->meeting[x->heads].line != stop) x->heads = meeting_new(w, stop, x->lanes, x->heads);
    }
    struct part_model rest = {.lanes = x->lanes & ~go, .line = x->line, .heads = x->heads};
    x->lanes = go;
    part_new(w, rest);
    model.loads++;
}

/* --- what is told */

/* The part whose lanes are told: parts that stand together have joined, lanes that are missing have parted */
static i32 settle(struct warp_model *w, u32 lanes) {
    i32 first = part_of(w, (u32)__builtin_ctz(lanes));
    assert_int_not_equal(first, NOBODY);
    for (i32 i = 0; i < WARP; i++) {
        struct part_model *x = &w->part[i], *f = &w->part[first];
        if (i == first || !(x->lanes & lanes)) continue;
        assert_true(x->line == f->line && x->heads == f->heads);
        f->lanes |= x->lanes, f->interrupted |= x->interrupted;
        x->lanes = 0;
        if (w->running == i) w->running = first;
        model.joined++;
    }
    if (w->part[first].lanes != lanes) part_at_load(w, first, lanes);
    have_met(w);
    return first;
}

/* It needs a load that has not come by a cycle, or of which it is not known when it will (NEVER) */
static bool awaits_load(const struct warp_model *w, const struct part_model *x, u64 cycle) {
    for (u32 l = 0; l < WARP && uses_load(x->line); l++)
        if (x->lanes >> l & 1 && (w->ready[l] > cycle || w->ready[l] == NEVER)) return true;
    return false;
}

/* Lanes of a part, and of those that it may have joined */
static u32 lanes_beside(const struct warp_model *w, i32 of) {
    u32 lanes = 0;
    for (u32 i = 0; i < WARP; i++)
        if (w->part[i].line == w->part[of].line && w->part[i].heads == w->part[of].heads) lanes |= w->part[i].lanes;
    return lanes;
}

static void turns(struct warp_model *w, const struct event *e) {
    i32 next = part_of(w, (u32)__builtin_ctzll(e->mask));
    assert_int_not_equal(next, NOBODY);
    if (w->running == NOBODY) {
        for (u32 i = 0; i < WARP; i++)
            if (w->part[i].lanes) assert_true(depth_of(w, &w->part[i]) <= depth_of(w, &w->part[next]));
    } else if (w->running != next) {
        struct part_model was = {.lanes = lanes_beside(w, w->running), .line = w->part[w->running].line};
        assert_true(awaits_load(w, &was, e->cycle));
        struct part_model told = {.lanes = (u32)e->mask, .line = w->part[next].line};
        assert_false(awaits_load(w, &told, NEVER - 1));
        w->part[w->running].interrupted = true;
        model.turns++;
    }
    w->running = next;
}

static void issues(struct warp_model *w, const struct event *e) {
    u32 line = line_at(e->pc), jump = 0;
    if (line == prog.n) return; /* before the program */
    i32 i = settle(w, (u32)e->a);
    struct part_model *x = &w->part[i];
    assert_int_equal(x->line, line);
    assert_true(w->running == i || w->running == NOBODY || (u32)e->a == x->lanes);
    w->running = i;
    x->interrupted = false;
    for (u32 l = 0; l < WARP; l++) {
        if (!(x->lanes >> l & 1)) continue;
        calculate(&w->thread[l], line);
        if (goes(&w->thread[l], &prog.at[line])) jump |= 1u << l;
        if (strncmp(prog.at[line].text, "ld.", 3) == 0) w->ready[l] = NEVER, w->uid[l] = e->uid;
    }
    if (prog.at[line].kind == END) {
        for (u32 k = 0; k < MEETINGS; k++) assert_false(w->meeting[k].used && w->meeting[k].awaits & x->lanes);
        x->lanes = 0;
        w->running = NOBODY;
    } else if (jump && jump != x->lanes && prog.at[line].to != line + 1) part_at_branch(w, i, jump);
    else {
        x->line = jump ? prog.at[line].to : line + 1;
        arrive(w, i);
    }
    have_met(w);
}

static void comes(const struct event *e) {
    for (u32 h = 0; h < WARPS; h++)
        for (u32 l = 0; l < WARP; l++)
            if (model.warp[h].uid[l] == e->uid && e->mask >> l & 1) model.warp[h].ready[l] = e->cycle;
}

/* It runs, or has lost its turn */
static bool is_split(const struct warp_model *w, u32 i) {
    return w->part[i].lanes && (w->part[i].interrupted || (i32)i == w->running);
}

/* An earlier one in the list stands where it stands, and they may be one */
static bool may_be_joined(const struct warp_model *w, u32 part) {
    for (u32 i = 0; i < part; i++)
        if (is_split(w, i) && w->part[i].line == w->part[part].line && w->part[i].heads == w->part[part].heads) return true;
    return false;
}

/* Splits need an entry each but for one of each warp */
static void check_table(void) {
    u32 n = 0;
    for (u32 h = 0; h < WARPS; h++) {
        const struct warp_model *w = &model.warp[h];
        u32 splits = 0;
        for (u32 i = 0; i < WARP; i++) splits += is_split(w, i) && !may_be_joined(w, i);
        n += splits ? splits - 1 : 0;
    }
    model.peak = MAX(model.peak, n);
    assert_true(n <= model.table);
}

static void model_starts(void) {
    for (u32 h = 0; h < WARPS; h++) {
        struct warp_model *w = &model.warp[h];
        for (u32 l = 0; l < WARP; l++) w->thread[l].r1 = (h * WARP + l) * 2654435761u;
        w->part[0] = (struct part_model){.lanes = ~0u, .heads = NOBODY};
    }
}

static void follow(void) {
    u32 out[WARPS * WARP];
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_ISSUE) issues(&model.warp[e->slot], e);
        if (e->kind == EV_GROUP) turns(&model.warp[e->slot], e);
        if (e->kind == EV_READY) comes(e);
        check_table();
    }
    micro_read(0, out, sizeof(out));
    for (u32 t = 0; t < WARPS * WARP; t++) assert_int_equal(out[t], model.warp[t / WARP].thread[t % WARP].r1);
    for (u32 t = 0; t < WARPS * WARP; t++) assert_int_equal(part_of(&model.warp[t / WARP], t % WARP), NOBODY);
}

static void splits_do_what_their_model_says(void **state) {
    (void)state;
    static const u32 tables[] = {1, 64, 3, 64, 6};
    static const char *const memory[] = {"dws.memory=aggressive", "dws.memory=lazy", "dws.memory=revive"};
    u32 loads = 0, joined = 0, whole = 0, waits = 0;
    for (u32 i = 0; i < 40; i++) {
        model = (struct model){.at_loads = i % 4 != 0, .limited = i / 4 % 2, .table = tables[i % 5]};
        if (i % 3) make_nested(i + 1, 1 + i % 3, true);
        else make_program(i + 1, i % 2, true);
        RUN(.body = program_text(), .threads = WARPS * WARP, .timing = {.check_cycles = 1},
            .keys = {"sm.diverge=dws", "gpu.sms=1", text("dws.table=%u", model.table), i % 2 ? "sm.sched=gto" : "sm.sched=lrr",
                     model.at_loads ? "dws.split=both" : "dws.split=branch", model.at_loads ? memory[i % 3] : "dws.memory=revive",
                     model.at_loads && !model.limited ? "dws.meet=bypass" : "dws.meet=limited"});
        find_meetings();
        model_starts();
        follow();
        assert_true(stat_of("splits_memory") >= model.loads && stat_of("splits_peak") >= model.peak);
        if (stat_of("splits_peak") < model.table) /* each side, but for those that join others at once */
            assert_true(stat_of("splits_branch") <= model.branches && stat_of("splits_branch") + model.joined >= model.branches);
        whole += stat_of("splits_peak") < model.table;
        loads += model.loads, joined += model.joined, waits += model.turns;
    }
    assert_true(loads > 100 && joined > 100 && whole > 10 && waits > 1000); /* it had something to say */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(splits_do_what_their_model_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
