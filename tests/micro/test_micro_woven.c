/* Thread frontiers and interweaving against a model of them, slow and obvious: random programs part and meet,
 * and each instruction that issues must be of the part of a warp that the model says. The model has the
 * program as a list of its own and runs every thread itself. A warp has parts, each at a line; those at one
 * line are one. Of a warp the part at the lowest line issues. What issues beside it is
 *   - the next part of the warp, not at a line where branches meet, in other lanes; or
 *   - another warp's lowest part, in lanes of the units that the first leaves free: of warps that had all
 *     they wait for the one with most lanes, of several the oldest.
 * It is told which lanes issue, which of them beside others, and when results come. */
#include "flow.h"

enum { WARPS = 8, WARP = 32, NOBODY = -1, WEAVE_BRANCH_CY = 4, FETCHED_CY = 4, REGISTERS = 512 };

struct part_model {
    u32 lanes, line; /* lanes 0: there is none */
};
static struct model {
    const char *lanes; /* interweave.lanes */
    u32 schedulers;
    u32 branches, warps, choices;
    struct warp_model {
        struct thread thread[WARP];
        struct part_model part[WARP];
        u64 resolved;               /* when its last branch is */
        u64 ready[WARP][REGISTERS]; /* by lane and register */
        u64 from;                   /* its last instruction issued before */
    } warp[WARPS];
    struct {
        u64 uid;
        u32 warp;
        i32 pc;
    } result[1 << 16];
    u32 results;
} model;

/* --- parts */

static i32 lowest(const struct warp_model *w, u32 without) {
    i32 best = NOBODY;
    for (i32 i = 0; i < WARP; i++)
        if (w->part[i].lanes && !(w->part[i].lanes & without) && (best == NOBODY || w->part[i].line < w->part[best].line))
            best = i;
    return best;
}

static void put_part(struct warp_model *w, struct part_model x) {
    i32 free = NOBODY;
    if (!x.lanes) return;
    for (i32 i = 0; i < WARP; i++) {
        if (w->part[i].lanes && w->part[i].line == x.line) {
            w->part[i].lanes |= x.lanes;
            return;
        }
        if (!w->part[i].lanes && free == NOBODY) free = i;
    }
    w->part[free] = x;
}

static bool meets_at(u32 line) {
    for (u32 i = 0; i < prog.n; i++)
        if (prog.at[i].kind == BRANCH && prog.at[i].meets == line) return true;
    return false;
}

/* --- who could have gone */

static u32 place_of(u32 reg) { return reg & REG_PRED ? REGISTERS - 1 - (reg & ~(u32)REG_PRED) : reg; }

static void set_ready(u32 warp, i32 pc, u64 lanes, u64 cycle) {
    struct inst_regs r;
    inst_regs(&ran.kernel->code[pc], &r);
    for (u32 i = 0; i < r.ndst; i++)
        for (u32 l = 0; l < WARP; l++)
            if (lanes >> l & 1) model.warp[warp].ready[l][place_of(r.dst[i])] = cycle;
}

static void note_result(const struct event *e) {
    model.result[model.results].uid = e->uid, model.result[model.results].warp = e->slot;
    model.result[model.results++].pc = e->pc;
    set_ready(e->slot, e->pc, e->a, NEVER);
}

static void result_comes(const struct event *e) {
    u32 i = model.results;
    while (i-- > 0)
        if (model.result[i].uid == e->uid) set_ready(model.result[i].warp, model.result[i].pc, e->mask, e->cycle);
}

/* Nothing that the model knows of keeps the warp's lowest part */
static bool could_go(const struct warp_model *w, const struct part_model *x, u64 cycle) {
    struct inst_regs r;
    inst_regs(&ran.kernel->code[prog.at[x->line].pc], &r);
    if (w->from >= cycle || w->resolved + FETCHED_CY > cycle) return false;
    for (u32 l = 0; l < WARP; l++) {
        if (!(x->lanes >> l & 1)) continue;
        for (u32 i = 0; i < (u32)r.nsrc + r.ndst; i++)
            if (w->ready[l][place_of(i < r.nsrc ? r.src[i] : r.dst[i - r.nsrc])] > cycle) return false;
    }
    return true;
}

/* --- lanes of units */

static u32 unit_lanes(u32 warp, u32 lanes) {
    u32 number = warp / model.schedulers, out = 0;
    for (u32 l = 0; l < WARP; l++) {
        u32 to = l;
        if (strcmp(model.lanes, "mirror") == 0 && number % 2) to = WARP - 1 - l;
        if (strcmp(model.lanes, "xor") == 0) to = l ^ number;
        if (lanes >> l & 1) out |= 1u << to;
    }
    return out;
}

/* --- what is told */

static void part_runs(struct warp_model *w, i32 i, u64 cycle) {
    struct part_model x = w->part[i];
    const struct line *at = &prog.at[x.line];
    u32 jump = 0;
    for (u32 l = 0; l < WARP; l++) {
        if (!(x.lanes >> l & 1)) continue;
        calculate(&w->thread[l], x.line);
        if (goes(&w->thread[l], at)) jump |= 1u << l;
    }
    w->part[i].lanes = 0;
    w->from = cycle;
    if (at->kind != OP) w->resolved = cycle + WEAVE_BRANCH_CY;
    if (at->kind == END) return;
    put_part(w, (struct part_model){jump, at->to});
    put_part(w, (struct part_model){x.lanes & ~jump, x.line + 1});
}

/* No other warp of the scheduler that could have gone beside the first comes before the one that did */
static void check_choice(const struct event *first, const struct event *e) {
    u32 lanes = (u32)__builtin_popcountll(e->a), taken = unit_lanes(first->slot, (u32)first->a);
    for (u32 h = e->slot % model.schedulers; h < WARPS; h += model.schedulers) {
        const struct warp_model *w = &model.warp[h];
        i32 i = lowest(w, 0);
        if (h == first->slot || h == e->slot || i == NOBODY || prog.at[w->part[i].line].kind != OP) continue;
        if (ran.kernel->code[prog.at[w->part[i].line].pc].iclass != ran.kernel->code[e->pc].iclass) continue; /* another unit */
        if (unit_lanes(h, w->part[i].lanes) & taken || !could_go(w, &w->part[i], e->cycle)) continue;
        u32 n = (u32)__builtin_popcount(w->part[i].lanes);
        assert_true(n < lanes || (n == lanes && h > e->slot));
        model.choices++;
    }
}

/* An instruction issues: of which part, beside what */
static void issues(u32 event, const struct event *first) {
    const struct event *e = &ran.events.at[event];
    struct warp_model *w = &model.warp[e->slot];
    u32 line = line_at(e->pc);
    if (line == prog.n) return; /* before the program */
    i32 i;
    if (first && first->slot == e->slot) {
        i = lowest(w, (u32)first->a);
        for (u32 k = 0; k < WARP && i == NOBODY; k++) /* what the first was has come to the line of the other */
            if (w->part[k].line == line && w->part[k].lanes & (u32)e->a) i = (i32)k;
        assert_false(meets_at(line));
        model.branches++;
    } else i = lowest(w, 0);
    if (first && first->slot != e->slot) {
        assert_int_equal(prog.at[line].kind, OP);
        check_choice(first, e);
        model.warps++;
    }
    assert_int_not_equal(i, NOBODY);
    assert_int_equal(w->part[i].line, line);
    assert_int_equal(w->part[i].lanes, e->a);
    note_result(e);
    part_runs(w, i, e->cycle);
}

/* The instruction that is told as woven right behind its issue; NULL: it went by itself */
static const struct event *woven(u32 event) {
    for (u32 i = event + 1; i < ran.events.n && ran.events.at[i].kind != EV_ISSUE; i++)
        if (ran.events.at[i].kind == EV_WEAVE && ran.events.at[i].uid == ran.events.at[event].uid) return &ran.events.at[i];
    return NULL;
}

static void follow(void) {
    const struct event *last = NULL;
    u32 out[WARPS * WARP];
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_READY) result_comes(e);
        if (e->kind != EV_ISSUE) continue;
        const struct event *beside = woven(i);
        if (beside) { /* disjoint lanes of the units, in the same cycle */
            assert_true(last && last->cycle == e->cycle && beside->cycle == e->cycle);
            assert_int_equal(beside->mask, unit_lanes(e->slot, (u32)e->a));
            assert_int_equal(beside->a, unit_lanes(last->slot, (u32)last->a));
            assert_false(beside->mask & beside->a);
        }
        issues(i, beside ? last : NULL);
        last = e;
    }
    micro_read(0, out, sizeof(out));
    for (u32 t = 0; t < WARPS * WARP; t++) assert_int_equal(out[t], model.warp[t / WARP].thread[t % WARP].r1);
    for (u32 h = 0; h < WARPS; h++) assert_int_equal(lowest(&model.warp[h], 0), NOBODY);
}

static void woven_parts_are_those_of_their_model(void **state) {
    (void)state;
    static const char *const with[] = {"both", "branches", "warps"}, *const lanes[] = {"identity", "xor", "mirror"};
    u32 branches = 0, warps = 0, choices = 0;
    for (u32 i = 0; i < 36; i++) {
        bool weaves = i % 4 != 3, permutes = weaves && i % 3 != 1;
        memset(&model, 0, sizeof(model));
        model.lanes = permutes ? lanes[i / 3 % 3] : "identity", model.schedulers = 1 + i / 2 % 2;
        if (i % 2) make_nested(i + 1, 1 + i % 3, false);
        else make_program(i + 1, i / 2 % 2, false);
        RUN(.body = program_text(), .threads = WARPS * WARP,
            .keys = {"gpu.sms=1", text("sm.schedulers=%u", model.schedulers), "sm.subcores=1",
                     text("sm.branch_cy=%u", WEAVE_BRANCH_CY), weaves ? "sm.diverge=interweave" : "sm.diverge=frontier",
                     i % 5 ? "sm.sched=gto" : "sm.sched=lrr",
                     weaves ? text("interweave.with=%s", with[i % 3]) : "interweave.with=both",
                     text("interweave.lanes=%s", model.lanes)});
        find_meetings();
        for (u32 t = 0; t < WARPS * WARP; t++) model.warp[t / WARP].thread[t % WARP].r1 = t * 2654435761u;
        for (u32 h = 0; h < WARPS; h++) model.warp[h].part[0].lanes = ~0u;
        follow();
        assert_stat("woven_branches", model.branches);
        assert_stat("woven_warps", model.warps);
        branches += model.branches, warps += model.warps, choices += model.choices;
    }
    assert_true(branches > 5000 && warps > 1500 && choices > 60); /* it had something to say */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(woven_parts_are_those_of_their_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
