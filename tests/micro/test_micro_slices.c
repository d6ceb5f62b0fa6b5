/* Variable warp sizing against a model of it, slow and obvious: random programs part and meet, and each
 * instruction that issues must be of the gang that the model says. The model has the program as a list of its
 * own, runs every thread itself, finds where branches meet by taking lines away, gives each slice a stack,
 * and knows two things of the core: in which cycle something issues, from which follows when a gang stands at
 * its next instruction, and which of several sides of branches that meet at one line goes next. Programs load
 * nothing that gangs could part by. Where the gang table is bounded the model believes who is together, and
 * holds that against each slice's stack and the bound. */
#include "flow.h"

enum { WARPS = 6, WARP = 32, STACK = 64, SLICES = 16, NOBODY = SLICES };

/* --- threads, slices and gangs */

struct side { /* of a branch */
    u32 line, lanes, meets;
};
struct gang {
    u32 slices; /* a bit each; 0: none */
    u64 from;   /* the cycle from which it stands at its next instruction */
    bool apart; /* each slice of it was left alone, and it has yet to issue */
};
static struct model {
    u32 width, slices;
    bool elastic, all_apart;
    u32 most; /* gangs of two or more; 0: any number */
    u32 control, met;
    u32 at; /* the event that is looked at */
    struct warp_model {
        struct thread thread[WARP];
        struct side stack[SLICES][STACK];
        u32 depth[SLICES];
        struct gang gang[SLICES];
    } warp[WARPS];
} model;

static u32 lanes_of_slice(u32 s) { return (u32)((1ull << model.width) - 1) << s * model.width; }

/* The next instruction of a slice that is told from the event `from` on: its lanes; 0: there is none */
static u32 told_next(const struct warp_model *w, u32 s, u32 from) {
    for (u32 i = from; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        bool of_it = e->kind == EV_ISSUE && e->sm == 0 && e->slot == (u32)(w - model.warp) && e->a & lanes_of_slice(s);
        if (of_it) return (u32)e->a & lanes_of_slice(s);
    }
    return 0;
}

/* Sides that go to one line to meet are run one after the other, in an order that is told: the one that goes
 * next comes on top */
static void choose_side(struct warp_model *w, u32 s) {
    u32 top = w->depth[s] - 1, next = told_next(w, s, model.at);
    for (u32 i = top; i < STACK && w->stack[s][i].meets == w->stack[s][top].meets; i--) {
        struct side x = w->stack[s][i];
        if (x.lanes != next || x.line == x.meets) continue;
        memmove(&w->stack[s][i], &w->stack[s][i + 1], sizeof(x) * (top - i));
        w->stack[s][top] = x;
        return;
    }
    fail_msg("slice %u of warp %u goes on with lanes that are no side", s, (u32)(w - model.warp));
}

/* The line that a slice runs next, when sides that have come where theirs meet are over; prog.n: it has ended
 */
static u32 next_of(struct warp_model *w, u32 s) {
    u32 met = MOST;
    while (w->depth[s]) {
        struct side *top = &w->stack[s][w->depth[s] - 1];
        if (top->lanes && top->line != top->meets) {
            if (top->meets == met) choose_side(w, s);
            return w->stack[s][w->depth[s] - 1].line;
        }
        met = top->meets;
        w->depth[s]--;
    }
    return prog.n;
}

static void push(struct warp_model *w, u32 s, struct side x) {
    assert_true(w->depth[s] < STACK);
    if (x.lanes && x.line != x.meets) w->stack[s][w->depth[s]++] = x;
}

/* A slice runs its next line: those who do not jump go on first */
static void slice_runs(struct warp_model *w, u32 s) {
    struct side *top = &w->stack[s][w->depth[s] - 1];
    u32 line = top->line, lanes = top->lanes, jump = 0;
    const struct line *x = &prog.at[line];
    for (u32 l = 0; l < WARP; l++) {
        if (!(lanes >> l & 1)) continue;
        calculate(&w->thread[l], line);
        if (goes(&w->thread[l], x)) jump |= 1u << l;
    }
    if (x->kind == END) {
        for (u32 i = 0; i < w->depth[s]; i++) w->stack[s][i].lanes &= ~lanes;
    } else if (!jump || jump == lanes) top->line = jump ? x->to : line + 1;
    else {
        top->line = x->meets;
        push(w, s, (struct side){x->to, jump, x->meets});
        push(w, s, (struct side){line + 1, lanes & ~jump, x->meets});
    }
}

static u32 gang_of(const struct warp_model *w, u32 s) {
    for (u32 i = 0; i < SLICES; i++)
        if (w->gang[i].slices >> s & 1) return i;
    return NOBODY;
}

static void new_gang(struct warp_model *w, struct gang x) {
    for (u32 i = 0; i < SLICES; i++)
        if (!w->gang[i].slices) {
            w->gang[i] = x;
            return;
        }
    fail_msg("more gangs than slices");
}

/* Gangs that stand at one line, and may, are one */
static void gangs_meet(struct warp_model *w, u64 now) {
    for (u32 i = 0; i < SLICES && model.elastic; i++)
        for (u32 k = i + 1; k < SLICES; k++) {
            struct gang *a = &w->gang[i], *b = &w->gang[k];
            if (!a->slices || !b->slices || a->apart || b->apart || a->from > now || b->from > now) continue;
            if (next_of(w, (u32)__builtin_ctz(a->slices)) != next_of(w, (u32)__builtin_ctz(b->slices))) continue;
            a->slices |= b->slices, a->from = MAX(a->from, b->from), b->slices = 0;
            model.met++;
        }
}

/* A gang has run something: its slices by the line at which each stands */
static void gang_parts(struct warp_model *w, u32 g, u64 from) {
    u32 live = 0, largest = 0, n = 0, part[SLICES], was = w->gang[g].slices;
    for (u32 s = 0; s < model.slices; s++)
        if (was >> s & 1 && next_of(w, s) != prog.n) live |= 1u << s;
    w->gang[g].slices = 0;
    for (u32 left = live; left; n++) {
        u32 first = (u32)__builtin_ctz(left), line = next_of(w, first);
        part[n] = 0;
        for (u32 s = first; s < model.slices; s++)
            if (left >> s & 1 && next_of(w, s) == line) part[n] |= 1u << s;
        left &= ~part[n];
        largest = MAX(largest, (u32)__builtin_popcount(part[n]));
    }
    if (n > 1) model.control += (u32)__builtin_popcount(live) - largest;
    for (u32 i = 0; i < n && (n == 1 || !model.all_apart); i++) new_gang(w, (struct gang){part[i], from, false});
    for (u32 s = 0; s < model.slices && n > 1 && model.all_apart; s++)
        if (live >> s & 1) new_gang(w, (struct gang){1u << s, from, true});
}

static u32 slices_of(u32 lanes) {
    u32 slices = 0;
    for (u32 s = 0; s < model.slices; s++)
        if (lanes & lanes_of_slice(s)) slices |= 1u << s;
    return slices;
}

/* With a bounded table: those that issue are a gang, because they did */
static void believe(struct warp_model *w, u32 slices) {
    for (u32 i = 0; i < SLICES; i++) w->gang[i].slices &= ~slices;
    new_gang(w, (struct gang){slices, 0, false});
}

static void issues(const struct event *e, u32 home, u32 branch_cy) {
    struct warp_model *w = &model.warp[home];
    u32 line = line_at(e->pc), slices = slices_of((u32)e->mask), lanes = 0;
    gangs_meet(w, e->cycle);
    if (model.most) believe(w, slices);
    u32 g = gang_of(w, (u32)__builtin_ctz(slices));
    assert_int_not_equal(g, NOBODY);
    assert_int_equal(w->gang[g].slices, slices);
    assert_true(w->gang[g].from <= e->cycle);
    for (u32 s = 0; s < model.slices; s++) {
        if (!(slices >> s & 1)) continue;
        if (line == prog.n) { /* what comes before the program is run by all */
            lanes |= lanes_of_slice(s);
            continue;
        }
        assert_int_equal(next_of(w, s), line);
        lanes |= w->stack[s][w->depth[s] - 1].lanes;
        slice_runs(w, s);
    }
    assert_int_equal(e->mask, lanes);
    w->gang[g].apart = false;
    w->gang[g].from = e->cycle + 1;
    if (line < prog.n) gang_parts(w, g, e->cycle + (prog.at[line].kind == OP ? 1 : branch_cy));
}

static void model_starts(void) {
    memset(model.warp, 0, sizeof(model.warp));
    model.control = model.met = 0;
    for (u32 h = 0; h < WARPS; h++) {
        struct warp_model *w = &model.warp[h];
        for (u32 l = 0; l < WARP; l++) w->thread[l].r1 = (h * WARP + l) * 2654435761u;
        for (u32 s = 0; s < model.slices; s++) push(w, s, (struct side){0, lanes_of_slice(s), prog.n});
        w->gang[0].slices = (1u << model.slices) - 1;
    }
}

/* Of the front whose issue is told there, by what is told next, each member's; the event after those */
static u32 home_of(u32 i, u32 *home) {
    const struct event *e = &ran.events.at[i];
    while (ran.events.at[i].kind != EV_ISSUE) i++;
    assert_true(ran.events.at[i].cycle == e->cycle && ran.events.at[i].pc == e->pc && ran.events.at[i].slot < WARPS);
    *home = ran.events.at[i].slot;
    while (i < ran.events.n && ran.events.at[i].kind == EV_ISSUE) i++;
    return i;
}

/* How many issued; all threads have ended, with what the model has them write */
static u32 follow(void) {
    static u64 lanes[4096];
    u32 n = 0, home, out[WARPS * WARP];
    memset(lanes, 0, sizeof(lanes));
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_FRONT || e->sm != 0) continue;
        if (e->cause == FRONT_COMES) lanes[e->slot] = e->b == COMES_TO_OTHERS ? lanes[e->slot] | e->mask : e->mask;
        if (e->cause == FRONT_ENDS) lanes[e->slot] = 0;
        if (e->cause != FRONT_ISSUES) continue;
        model.at = home_of(i, &home);
        issues(e, home, ran.config->branch_cy);
        u32 gangs = 0;
        for (u32 k = 0; k < ARRAY_LEN(lanes) && model.most; k++) gangs += __builtin_popcount(slices_of((u32)lanes[k])) > 1;
        assert_true(gangs <= model.most);
        n++;
    }
    micro_read(0, out, sizeof(out));
    for (u32 h = 0; h < WARPS; h++) {
        for (u32 s = 0; s < model.slices; s++) assert_int_equal(next_of(&model.warp[h], s), prog.n);
        for (u32 l = 0; l < WARP; l++) assert_int_equal(out[h * WARP + l], model.warp[h].thread[l].r1);
    }
    return n;
}

static void gangs_do_what_their_model_says(void **state) {
    (void)state;
    static const u32 widths[] = {4, 8, 2, 16};
    static const char *const firsts[] = {"big", "little", "sched"};
    u32 met = 0, control = 0;
    for (u32 i = 0; i < 24; i++) {
        model.width = widths[i % 4], model.slices = WARP / model.width;
        model.elastic = i % 5 != 0, model.all_apart = i % 3 == 1, model.most = i % 8 == 7 ? 3 : 0;
        make_program(i + 1, i / 4 % 2, false);
        RUN(.body = program_text(), .threads = WARPS * WARP,
            .keys = {"sm.diverge=vws", "gpu.sms=1", text("vws.slice=%u", model.width), text("vws.gangs=%u", model.most),
                     model.elastic ? "vws.gang=elastic" : "vws.gang=inelastic",
                     model.all_apart ? "vws.control=all" : "vws.control=group", text("vws.first=%s", firsts[i / 2 % 3]),
                     i % 7 ? "vws.front=slices" : "vws.front=warps", i % 2 ? "sm.sched=gto" : "sm.sched=lrr",
                     i % 6 ? "sm.pipe=units" : "sm.pipe=one", "sm.alu.width=16"});
        find_meetings();
        model_starts();
        assert_true(follow() > 300);
        if (!model.most) assert_int_equal(stat_of("slices_control"), model.control);
        assert_true(model.elastic || !stat_of("slices_ganged"));
        met += model.met, control += model.control;
    }
    assert_true(met > 1000 && control > 1000); /* it had something to say */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gangs_do_what_their_model_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
