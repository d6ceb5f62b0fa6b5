/* Thread block compaction and large warps against a model of them, slow and obvious: random programs part and
 * meet, and each instruction that issues must be of the front that the model says. The model has the program
 * as a list of its own and runs every thread itself. A squad has one stack of sides of branches, the one of
 * the lowest line on top, and the threads of the top are packed into fronts lane by lane. Of the core it
 * knows only in which order fronts issue, and in which cycle. */
#include "flow.h"

enum { WARPS = 6, WARP = 32, STACK = 64, EVERY_BRANCH_CY = 4 };

struct side { /* of a branch, until it meets the others: threads that go on together */
    u32 line, meets;
    u32 below; /* the side, from the bottom of the stack, that it is a part of */
    u32 lanes[WARPS];
};
struct front_model {
    bool on, came;
    u32 lanes[WARPS];
    u32 line, steps; /* where it is; instructions since the fronts were formed */
    u64 from;        /* the cycle from which it may issue the next */
};
struct squad_model {
    u32 warps; /* a bit each */
    struct side stack[STACK];
    u32 depth;
    u64 turn_cy; /* when the last front came to a branch, or left */
    u32 formed;  /* threads of the fronts */
};
static struct model {
    u32 schedulers, form_cy;
    bool lockstep;
    struct thread thread[WARPS][WARP];
    struct front_model front[WARPS]; /* by the place of a warp */
    struct squad_model squad[WARPS];
    u32 squads;
    u32 syncs, fronts, saved, peak, joined, at_once;
} model;

static u32 threads_of(const u32 *lanes) {
    u32 n = 0;
    for (u32 h = 0; h < WARPS; h++) n += (u32)__builtin_popcount(lanes[h]);
    return n;
}

static bool of_squad(const struct squad_model *q, u32 place) { return q->warps >> place & 1; }

/* --- fronts are formed */

/* The nth warp of a squad that a scheduler has */
static u32 place_of(const struct squad_model *q, u32 scheduler, u32 nth) {
    for (u32 h = 0; h < WARPS; h++)
        if (of_squad(q, h) && h % model.schedulers == scheduler && !nth--) return h;
    fail_msg("more fronts than warps");
    return 0;
}

/* The first thread of each lane in the first front, the second in the second, for each scheduler apart */
static void pack(struct squad_model *q, const struct side *top) {
    u32 used[WARPS][WARP] = {0};
    for (u32 h = 0; h < WARPS; h++)
        for (u32 l = 0; l < WARP; l++)
            if (top->lanes[h] >> l & 1) {
                u32 s = h % model.schedulers;
                model.front[place_of(q, s, used[s][l]++)].lanes[h] |= 1u << l;
            }
}

static void form(struct squad_model *q) {
    const struct side *top = &q->stack[q->depth - 1];
    u32 nth[WARPS] = {0}, warps = 0, fronts = 0;
    for (u32 h = 0; h < WARPS; h++)
        if (of_squad(q, h)) model.front[h] = (struct front_model){.line = top->line};
    pack(q, top);
    for (u32 h = 0; h < WARPS; h++) {
        struct front_model *f = &model.front[h];
        warps += top->lanes[h] != 0;
        if (!of_squad(q, h) || !threads_of(f->lanes)) continue;
        f->on = true, fronts++;
        f->from = q->turn_cy + (u64)++nth[h % model.schedulers] * model.form_cy;
    }
    q->formed = threads_of(top->lanes);
    model.fronts += fronts, model.saved += warps - MIN(warps, fronts);
}

/* --- the stack */

/* Sides beside the top one, at its line, become part of it */
static void join_beside(struct squad_model *q) {
    struct side *top = &q->stack[q->depth - 1];
    for (u32 i = q->depth - 1; i-- > 0 && i != top->below;) {
        struct side *x = &q->stack[i];
        if (x->below != top->below || x->line != top->line) continue;
        for (u32 h = 0; h < WARPS; h++) top->lanes[h] |= x->lanes[h];
        memmove(x, x + 1, sizeof(*x) * (q->depth - i - 1));
        q->depth--, top--;
        model.joined++;
    }
}

/* The top side's turn; those that have come where they meet the others are over */
static void next_turn(struct squad_model *q) {
    for (u32 h = 0; h < WARPS; h++)
        if (of_squad(q, h)) model.front[h].on = false;
    while (q->depth && (!threads_of(q->stack[q->depth - 1].lanes) || q->stack[q->depth - 1].line == q->stack[q->depth - 1].meets))
        q->depth--;
    if (!q->depth) return;
    join_beside(q);
    model.peak = MAX(model.peak, q->depth);
    form(q);
}

static void push(struct squad_model *q, struct side x) {
    assert_true(q->depth < STACK);
    if (threads_of(x.lanes) && x.line != x.meets) q->stack[q->depth++] = x;
}

/* All fronts have run the branch: its sides, the lower one on top */
static void branch(struct squad_model *q, u32 line) {
    struct side *top = &q->stack[q->depth - 1], there = {.line = prog.at[line].to}, on = {.line = line + 1};
    for (u32 h = 0; h < WARPS; h++)
        for (u32 l = 0; l < WARP; l++)
            if (top->lanes[h] >> l & 1) (goes(&model.thread[h][l], &prog.at[line]) ? &there : &on)->lanes[h] |= 1u << l;
    model.syncs++;
    bool same = !threads_of(there.lanes) || !threads_of(on.lanes) || there.line == on.line;
    if (same) {
        top->line = threads_of(on.lanes) ? on.line : there.line;
        bool as_they_are = q->formed == threads_of(top->lanes);
        if (top->line == top->meets) next_turn(q);
        else if (!as_they_are) form(q);
        for (u32 h = 0; h < WARPS && as_they_are && top->line != top->meets; h++)
            if (of_squad(q, h)) model.front[h].came = false, model.front[h].line = top->line, model.front[h].from = q->turn_cy;
        return;
    }
    there.meets = on.meets = prog.at[line].meets;
    if (prog.at[line].meets == top->meets) there.below = on.below = top->below, q->depth--;
    else there.below = on.below = q->depth - 1, top->line = prog.at[line].meets;
    push(q, there.line < on.line ? on : there);
    push(q, there.line < on.line ? there : on);
    next_turn(q);
}

/* A front has come to a branch, or left: perhaps it was the last */
static void review(struct squad_model *q) {
    u32 on = 0, came = 0, line = 0;
    for (u32 h = 0; h < WARPS; h++) {
        const struct front_model *f = &model.front[h];
        if (!of_squad(q, h) || !f->on) continue;
        on++, came += f->came;
        if (f->came) line = f->line;
    }
    if (!on) {
        struct side *top = &q->stack[q->depth - 1];
        top->line = top->meets;
        next_turn(q);
    } else if (on == came) branch(q, line);
}

/* --- what is told */

static struct squad_model *squad_at(u32 place) {
    for (u32 i = 0; i < model.squads; i++)
        if (of_squad(&model.squad[i], place)) return &model.squad[i];
    fail_msg("no squad has place %u", place);
    return NULL;
}

static void run_threads(struct squad_model *q, const struct front_model *f) {
    bool ends = prog.at[f->line].kind == END;
    for (u32 h = 0; h < WARPS; h++) {
        for (u32 l = 0; l < WARP; l++)
            if (f->lanes[h] >> l & 1) calculate(&model.thread[h][l], f->line);
        for (u32 i = 0; i < q->depth && ends; i++) q->stack[i].lanes[h] &= ~f->lanes[h];
    }
}

/* Large warps: nobody has issued fewer */
static void check_step(const struct squad_model *q, const struct front_model *f) {
    for (u32 h = 0; h < WARPS; h++)
        if (of_squad(q, h) && model.front[h].on && !model.front[h].came) assert_true(model.front[h].steps >= f->steps);
}

/* A front issues: the members that are told behind it are its threads, and it goes on */
static void issues(u32 event) {
    const struct event *e = &ran.events.at[event];
    struct front_model *f = &model.front[e->slot];
    struct squad_model *q = squad_at(e->slot);
    u32 lanes[WARPS] = {0}, seats = 0, line = line_at(e->pc);
    for (u32 i = event + 1; i < ran.events.n && ran.events.at[i].kind == EV_ISSUE; i++) {
        lanes[ran.events.at[i].slot] |= (u32)ran.events.at[i].a;
        assert_false(seats & (u32)ran.events.at[i].a); /* a lane has one thread */
        seats |= (u32)ran.events.at[i].a;
    }
    assert_true(f->on && !f->came && e->mask == seats);
    assert_memory_equal(lanes, f->lanes, sizeof(lanes));
    if (line == prog.n) return; /* before the program */
    assert_int_equal(f->line, line);
    assert_true(f->from <= e->cycle);
    model.at_once += f->from == e->cycle;
    if (model.lockstep) check_step(q, f);
    run_threads(q, f);
    const struct line *x = &prog.at[line];
    f->steps++, f->from = e->cycle + (x->kind == BRANCH || x->kind == JUMP ? EVERY_BRANCH_CY : 1);
    f->came = x->kind == BRANCH;
    if (x->kind == OP || x->kind == JUMP) f->line = x->kind == JUMP ? x->to : line + 1;
    f->on = x->kind != END && (f->came || f->line != q->stack[q->depth - 1].meets);
    if (f->on && !f->came) return;
    q->turn_cy = MAX(q->turn_cy, f->from);
    review(q);
}

static void model_starts(u32 warps) {
    u32 squads = 0, seen[WARPS] = {0}, of[WARPS];
    for (u32 h = 0; h < WARPS; h++) {
        u32 s = h % model.schedulers;
        if (!warps) of[h] = 0;
        else of[h] = seen[s]++ % warps == 0 ? squads : of[h - model.schedulers];
        squads = MAX(squads, of[h] + 1);
        model.squad[of[h]].warps |= 1u << h;
        for (u32 l = 0; l < WARP; l++) model.thread[h][l].r1 = (h * WARP + l) * 2654435761u;
        model.front[h].on = true;
        model.front[h].lanes[h] = ~0u;
    }
    model.squads = squads;
    for (u32 i = 0; i < squads; i++) {
        struct squad_model *q = &model.squad[i];
        q->depth = 1, q->stack[0].meets = prog.n, q->stack[0].below = STACK;
        for (u32 h = 0; h < WARPS; h++) q->stack[0].lanes[h] = of_squad(q, h) ? ~0u : 0;
        q->formed = threads_of(q->stack[0].lanes);
    }
}

static void check_end(void) {
    u32 out[WARPS * WARP];
    micro_read(0, out, sizeof(out));
    for (u32 i = 0; i < model.squads; i++) assert_int_equal(model.squad[i].depth, 0);
    for (u32 t = 0; t < WARPS * WARP; t++) assert_int_equal(out[t], model.thread[t / WARP][t % WARP].r1);
    assert_stat("squad_syncs", model.syncs);
    assert_stat("squad_formed", model.fronts);
    assert_stat("squad_saved", model.saved);
    assert_stat("squad_entries_peak", model.peak);
}

/* warps: of a large warp; 0: the block's are compacted */
static void run_squads(u64 seed, u32 warps, u32 schedulers, const char *sched) {
    make_program(seed, seed % 2, seed % 3 == 0);
    model = (struct model){.schedulers = schedulers, .form_cy = warps ? 0 : (u32)seed % 4, .lockstep = warps != 0};
    RUN(.body = program_text(), .threads = WARPS * WARP,
        .keys = {"gpu.sms=1", text("sm.schedulers=%u", schedulers), "sm.subcores=1", sched,
                 text("sm.branch_cy=%u", EVERY_BRANCH_CY), warps ? "sm.diverge=lwm" : "sm.diverge=tbc",
                 warps ? text("lwm.warps=%u", warps) : text("tbc.form_cy=%u", model.form_cy)});
    find_meetings();
    model_starts(warps);
    for (u32 i = 0; i < ran.events.n; i++)
        if (ran.events.at[i].kind == EV_FRONT && ran.events.at[i].cause == FRONT_ISSUES) issues(i);
    check_end();
}

static void blocks_are_compacted_as_their_model_says(void **state) {
    (void)state;
    u32 saved = 0, joined = 0, at_once = 0;
    for (u32 i = 0; i < 24; i++) {
        run_squads(i + 1, 0, 1 + i % 3, i % 2 ? "sm.sched=gto" : "sm.sched=lrr");
        saved += model.saved, joined += model.joined, at_once += model.at_once;
    }
    assert_true(saved > 500 && joined > 10 && at_once > 5000); /* it had something to say */
}

static void large_warps_do_what_their_model_says(void **state) {
    (void)state;
    static const u32 warps[] = {3, 2, 6, 1};
    u32 saved = 0, at_once = 0;
    for (u32 i = 0; i < 24; i++) {
        run_squads(i + 21, warps[i % 4], 1 + i % 2, i % 3 ? "sm.sched=two_level" : "sm.sched=gto");
        saved += model.saved, at_once += model.at_once;
    }
    assert_true(saved > 300 && at_once > 5000); /* it had something to say */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_compacted_as_their_model_says),
        cmocka_unit_test(large_warps_do_what_their_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
