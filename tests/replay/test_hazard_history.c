/* The replay history (Turner 4.3.3): what a failing CHECK tells of a warp's last replays. The program is run
 * twice: once whole, for the replays that happen, and once in a process of its own with a scheduler that
 * breaks its contract after so many replays, which is a CHECK of the issue stage. What that process says must
 * be the last REPLAY_HISTORY of them, oldest first. */
#include "../micro/micro.h"

#include "core/core.h"
#include "gpu/chip.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { VICTIM = 1, BROKEN_SLOT = 63 };

/* One MSHR, four warps that miss: warp 1 is refused again and again. Its load touches two lines, so that both
 * masks and both causes are seen. */
static const char body[] = OUT "shr.u32 %r1, %r0, 5;\n"
                               "shr.u32 %r3, %r0, 4;\n"
                               "mul.wide.u32 %rd1, %r3, 4096;\n"
                               "add.u64 %rd1, %rd0, %rd1;\n"
                               "ld.global.u32 %r2, [%rd1];      // load\n"
                               "add.u32 %r2, %r2, %r1;\n";
#define PROGRAM .body = body, .threads = 128, .keys = {"sm.hazard=replay", "sm.l1.mshrs=1", "sm.sched=lrr"}

static struct core *core;
static u32 break_after;
static struct sched_policy breaks;
static const struct sched_policy *whole;

static int pick(void *state, const struct sched_view *v) {
    return replay_count(core, VICTIM) >= break_after ? BROKEN_SLOT : whole->pick(state, v);
}

static void take_over(struct gpu *g) {
    core = g->cores[0];
    whole = core->pol.sched;
    breaks = *whole;
    breaks.pick = pick;
    core->pol.sched = &breaks;
}

/* What a process says that runs the program and breaks after so many replays */
static const char *last_words(u32 after) {
    static char said[65536];
    FILE *f = tmpfile();
    assert_non_null(f);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        dup2(fileno(f), STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        break_after = after;
        RUN(PROGRAM, .started = take_over);
        _exit(0); /* it should not have come to its end */
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    rewind(f);
    said[fread(said, 1, sizeof said - 1, f)] = 0;
    fclose(f);
    return said;
}

/* The victim's replays, in order, of a run that ends well */
static u32 replays_of_the_victim(struct event *at, u32 room) {
    u32 n = 0;
    const struct event *e;
    RUN(PROGRAM);
    for (u32 i = 0; (e = event_at(EV_REPLAY, i)) && n < room; i++)
        if (e->slot == VICTIM && e->sm == 0) at[n++] = *e;
    return n;
}

static void a_failing_check_tells_the_last_replays(void **state) {
    (void)state;
    static struct event e[4096];
    u32 n = replays_of_the_victim(e, ARRAY_LEN(e));
    assert_true(n > 4 * REPLAY_HISTORY);
    assert_true(e[0].mask != e[n - 1].mask); /* half of its lanes are done on the way */
    const u32 after[] = {3, REPLAY_HISTORY, 2 * REPLAY_HISTORY + 3, n - 1};
    for (u32 k = 0; k < ARRAY_LEN(after); k++) {
        const char *said = last_words(after[k]), *at = strstr(said, text("slot %u, block", VICTIM));
        if (!strstr(said, "internal error at src/core/30_issue.c") || !at) fail_msg("it said: %s", said);
        const char *end = strstr(at, "slot 2, block");
        assert_non_null(end);
        for (u32 i = after[k] > REPLAY_HISTORY ? after[k] - REPLAY_HISTORY : 0; i < after[k]; i++) {
            const char *line =
                text("replayed at cycle %llu: pc %d, entry %llu, lanes %llx, after %s", (unsigned long long)e[i].cycle, e[i].pc,
                     (unsigned long long)e[i].a, (unsigned long long)e[i].mask, hazard_table[e[i].cause].name);
            at = strstr(at, line);
            if (!at || at > end) fail_msg("after %u replays: \"%s\" is not where it should be in: %s", after[k], line, said);
        }
        u32 told = 0;
        for (const char *s = strstr(said, text("slot %u, block", VICTIM)); (s = strstr(s, "replayed at")) && s < end; s++) told++;
        assert_int_equal(told, MIN(after[k], (u32)REPLAY_HISTORY));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_failing_check_tells_the_last_replays)};
    return cmocka_run_group_tests_name("replay history", tests, NULL, NULL);
}
