/* A hazard policy of one's own: are its answers followed? One that holds for a while and then leaves lies
 * between stall and replay. */
#include "../micro/micro.h"
#include "core/core.h"
#include "gpu/chip.h"

static u64 patience;
static u32 asked[HAZARD_COUNT];

static enum hazard_action patient_refused(const struct hazard_view *v) {
    asked[v->why]++;
    assert_true(v->left > 0);
    return v->waited < patience ? HAZARD_HOLD : HAZARD_LEAVE;
}

static enum hazard_action patient_unfinished(const struct hazard_view *v) {
    asked[v->why]++;
    return HAZARD_HOLD;
}

static const struct hazard_policy patient = {
    .name = "patient", .retains = true, .leaves = true, .refused = patient_refused, .unfinished = patient_unfinished};

static void take_over(struct gpu *g) { g->cores[0]->pol.hazard = &patient; }

/* Eight warps with two lines each, and one MSHR */
static const char body[] = OUT "shr.u32 %r1, %r0, 4;\n"
                               "mul.wide.u32 %rd1, %r1, 4096;\n"
                               "add.u64 %rd1, %rd0, %rd1;\n"
                               "ld.global.u32 %r2, [%rd1];      // load\n"
                               "add.u32 %r2, %r2, 1;\n";

static double replays(u64 cycles, const char *aside) {
    patience = cycles;
    memset(asked, 0, sizeof(asked));
    RUN(.body = body, .threads = 256, .started = take_over, .keys = {"sm.hazard=replay", "sm.l1.mshrs=1", aside});
    assert_true(asked[HAZARD_DIV] > 0);
    return stat_of("replays");
}

static void answers_are_followed(void **state) {
    (void)state;
    double at_once = replays(0, "sm.lsu.reexec=0"), late = replays(400, "sm.lsu.reexec=0"),
           never = replays(NEVER, "sm.lsu.reexec=0");
    assert_true(at_once > late);
    assert_true(late > 0);
    assert_true(never == 0);
    assert_true(asked[HAZARD_MSHR] > 0);
    assert_true(stat_of("lsu_stall_cycles") > 100); /* it held the stage instead */
}

/* With a queue to step aside to, the policy is asked when that is full, and one that holds lets the queue go
 * first. */
static void a_full_queue_asks_the_policy(void **state) {
    (void)state;
    assert_true(replays(NEVER, "sm.lsu.reexec=2") == 0);
    assert_true(asked[HAZARD_MSHR] > 0);
    assert_true(stat_of("reexec_taken") > 0);
    assert_true(replays(0, "sm.lsu.reexec=2") > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_followed),
        cmocka_unit_test(a_full_queue_asks_the_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
