/* The example of Turner's section 5.3 (figure 5.4), snapshot by snapshot, as a real run of a real SM.
 *
 * Four lanes, a four-slot buffer, two-wide fill. A: a load of two lines, the second of which is in the cache;
 * B: a branch that lanes 2 and 3 take; C: a load that misses while A's first line has the only MSHR; D and E
 * follow C. The pair before A's (Z, A) is filled into slots 3 and 0, so A is in slot 0, B and C are in 1 and
 * 2, and the next pair needs slots 3 and 0.
 *
 * The document leaves open when the warp's turn comes: here the scheduler is the test's own, and says at each
 * of the five moments what it sees in the buffer before it issues. */
#include "../micro/micro.h"

#include "core/core.h"
#include "gpu/chip.h"

enum { MOMENTS = 5 };

static struct core *core;
static struct buffer_view seen[MOMENTS];
static i32 issued_pc[MOMENTS];
static u32 moment;

static i32 shown_pc(void) { return (i32)(core->fronts[0].shown->in - core->prog->k->code); }

static bool both_wait(void) {
    struct buffer_view v;
    replay_look(core, 0, &v);
    return v.at[0].replay && v.at[2].replay;
}

/* True when this is the next moment of the example; others go when they are before A or after the example */
static bool is_moment(void) {
    i32 pc = shown_pc(), a = pc_of("A"), c = pc_of("C");
    const struct ibuffer *b = &core->fronts[0].ib;
    switch (moment) {
    case 0: return pc == a && b->n == 3;   /* A for the first time, its buffer full */
    case 1: return pc == c;                /* C for the first time */
    case 3: return pc == a && both_wait(); /* both have come back */
    case 4: return pc == c && b->n == 2;   /* A is done, D and E have been fetched */
    default: return false;
    }
}

static void look(void) {
    replay_look(core, 0, &seen[moment]);
    issued_pc[moment] = shown_pc();
    moment++;
}

static int pick(void *state, const struct sched_view *v) {
    (void)state;
    bool now = is_moment();
    if (now) look();
    i32 pc = shown_pc();
    bool waits_for_a = moment == 0 && pc == pc_of("A"), hold = moment == 3 || moment == 4;
    if (!now && (waits_for_a || hold)) return NONE;
    return set_first(v->candidates, v->words);
}

/* The third diagram has no issue of its own: it is what C's left behind. */
static void issued(void *state, int slot) {
    (void)state, (void)slot;
    if (moment == 2) look();
}
static int preferred(const void *state, const struct sched_view *v) {
    (void)state;
    return set_first(v->valid, v->words);
}
static size_t state_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return 1;
}
static const struct sched_policy scripted = {
    .name = "scripted", .state_size = state_size, .pick = pick, .issued = issued, .preferred = preferred};

static void take_over(struct gpu *g) {
    core = g->cores[0];
    core->pol.sched = &scripted;
    moment = 0;
}

/* Eleven instructions come before Z, so that Z is filled into slot 3. Lanes 0 and 1 of A read out + 0, lanes
 * 2 and 3 out + 4096, which is warm; C reads out + 8192. */
static const char example[] = "ld.param.u64 %rd0, [out];\n"
                              "mov.u32 %r0, %tid.x;\n"
                              "ld.global.u32 %r1, [%rd0+4096];\n"
                              "shr.u32 %r2, %r0, 1;\n"
                              "setp.eq.u32 %p1, %r2, 1;\n"
                              "mul.wide.u32 %rd1, %r2, 4096;\n"
                              "add.u64 %rd1, %rd0, %rd1;\n"
                              "add.u32 %r3, %r1, %r0;\n"
                              "add.u32 %r3, %r3, %r3;\n"
                              "add.u32 %r4, %r3, %r3;\n"
                              "bra L1;\n"
                              "L0: add.u32 %r4, %r4, 1;\n"
                              "L1: add.u32 %r5, %r2, 7;            // Z\n"
                              "ld.global.u32 %r6, [%rd1];          // A\n"
                              "@%p1 bra L2;                        // B\n"
                              "ld.global.u32 %r7, [%rd0+8192];     // C\n"
                              "add.u32 %r8, %r5, 1;                // D\n"
                              "add.u32 %r9, %r5, 2;                // E\n"
                              "add.u32 %r8, %r8, %r9;\n"
                              "add.u32 %r8, %r8, %r7;\n"
                              "L2: add.u32 %r6, %r6, %r4;\n"
                              "st.global.u32 [%rd1], %r6;\n"
                              "setp.gt.u32 %p2, %r8, 4000000;\n"
                              "@%p2 bra L0;\n";

static void shows_the_five_diagrams(void **state) {
    (void)state;
    RUN(.body = example, .front = true, .threads = 4, .started = take_over,
        .keys = {"sm.warp_size=4", "sm.ibuffer=4", "sm.fetch.insts=2", "sm.icache.ideal=true", "sm.inst_b=1", "sm.hazard=replay",
                 "sm.l1.mshrs=1", "sm.schedulers=1", "sm.subcores=1", "sm.branch_cy=1", "sm.depth.issue=2", "sm.depth.operands=4",
                 "sm.issue_width=1", "sm.l1.stream=false"});
    assert_int_equal(moment, MOMENTS);
    static const struct {
        const char *issues;
        u32 issue, tail, fill;
        struct {
            bool valid, replay;
            u64 mask;
        } at[4];
    } want[MOMENTS] = {
        {"A", 0, 3, 3, {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 0, 0}}},
        {"C", 2, 3, 3, {{1, 0, 15}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}}},
        {NULL, 3, 3, 3, {{1, 0, 15}, {0, 0, 0}, {1, 0, 3}, {0, 0, 0}}},
        {"A", 3, 3, 3, {{1, 1, 12}, {0, 0, 0}, {1, 1, 3}, {0, 0, 0}}},
        {"C", 3, 1, 1, {{1, 0, 0}, {0, 0, 0}, {1, 1, 3}, {1, 0, 0}}},
    };
    for (u32 i = 0; i < MOMENTS; i++) {
        const struct buffer_view *v = &seen[i];
        if (want[i].issues) assert_int_equal(issued_pc[i], pc_of(want[i].issues));
        if (v->issue != want[i].issue || v->tail != want[i].tail || v->fill != want[i].fill)
            fail_msg("diagram %u: issue pointer %u, tail %u, fill %u", i + 1, v->issue, v->tail, v->fill);
        for (u32 k = 0; k < 4; k++)
            if (v->at[k].valid != want[i].at[k].valid || v->at[k].replay != want[i].at[k].replay ||
                v->at[k].mask != want[i].at[k].mask)
                fail_msg("diagram %u, slot %u: valid %d, replay %d, mask %llx", i + 1, k, v->at[k].valid, v->at[k].replay,
                         (unsigned long long)v->at[k].mask);
    }
    assert_int_equal(hazards_of(WHO("A"), HAZARD_DIV), 1);
    assert_true(hazards_of(WHO("C"), HAZARD_MSHR) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shows_the_five_diagrams)};
    return cmocka_run_group_tests_name("hazard example", tests, NULL, NULL);
}
