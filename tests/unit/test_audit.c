/* The audit of the event stream: a stream that keeps every rule, and for each rule the same stream with one
 * fault in it, which must be found and found under its number. */
#include "config/config.h"
#include "isa/isa.h"
#include "stats/stats.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- a kernel by hand */

#define R(n)    {.in = OPND_IN_REG, .rows = 1, .reg = (n)}
#define PAIR(n) {.in = OPND_IN_REG, .rows = 2, .reg = (n)}
#define P(n)    {.in = OPND_IN_PRED, .off = (n)}
#define NO      {.absent = 1}
#define TEXT(s)                                                                                                                  \
    .src = &(const struct inst_src) { .text = (s) }
#define FREE               .guard = NONE, .q = NO
#define SRC(...)           .s = {__VA_ARGS__}
#define CLASS(op_, class_) .op = OP_##op_, .iclass = ICLASS_##class_

enum { LD, ADD, ST, BAR, FENCE, MOV, EXIT, SETP, GUARDED, LD_B, LD_PARAM, CALL, F_ADD, F_CALL, F_RET, NINST };
/* r4 of the function becomes r1 of its caller */
static const struct func_slot gives = {.in_reg = true, .reg = R(4)}, takes = {.in_reg = true, .reg = R(1)};
static const struct call_info call_f = {.func = 1, .builtin = NONE, .nrets = 1, .rets = &takes};
static const struct opnd call_result = R(1);
static struct kernel_func funcs[] = {{.name = "k", .entry_pc = LD, .exit_pc = CALL},
                                     {.name = "f", .entry_pc = F_ADD, .exit_pc = F_RET, .nrets = 1, .rets = &gives}};
#define CALLS .flags = INST_CALL, .info = &call_f, .extra = &call_result, .extra_n = 1, .extra_d = 1
static struct inst code[NINST] = {
    [LD] = {CLASS(ld, LOAD), .space = SPACE_GLOBAL, FREE, .d = R(1), SRC(PAIR(2), NO, NO), TEXT("ld.global.u32 %r1, [%rd1]")},
    [ADD] = {CLASS(add, INT), FREE, .d = R(4), SRC(R(1), R(5), NO), TEXT("add.s32 %r4, %r1, %r5")},
    [ST] = {CLASS(st, STORE), .space = SPACE_GLOBAL, FREE, .d = NO, SRC(PAIR(2), R(4), NO), TEXT("st.global.u32 [%rd1], %r4")},
    [BAR] = {CLASS(bar, BARRIER), FREE, .d = NO, SRC(NO, NO, NO), TEXT("bar.sync 0")},
    [FENCE] = {CLASS(membar, FENCE), FREE, .d = NO, SRC(NO, NO, NO), TEXT("membar.gl")},
    [MOV] = {CLASS(mov, MOVE), FREE, .d = R(2), SRC(NO, NO, NO), TEXT("mov.u32 %r2, 7")},
    [EXIT] = {CLASS(exit, BRANCH), FREE, .d = NO, SRC(NO, NO, NO), TEXT("exit")},
    [SETP] = {CLASS(setp, PRED), FREE, .d = P(1), SRC(R(1), R(5), NO), TEXT("setp.lt.s32 %p1, %r1, %r5")},
    [GUARDED] = {CLASS(add, INT), .guard = 1, .q = NO, .d = R(6), SRC(R(5), R(5), NO), TEXT("@%p1 add.s32 %r6, %r5, %r5")},
    [LD_B] = {CLASS(ld, LOAD), .space = SPACE_GLOBAL, FREE, .d = R(7), SRC(PAIR(2), NO, NO), TEXT("ld.global.u32 %r7, [%rd1]")},
    [LD_PARAM] = {CLASS(ld, LOAD), .space = SPACE_PARAM, FREE, .d = R(8), SRC(NO, NO, NO), TEXT("ld.param.u32 %r8, [x]")},
    [CALL] = {CLASS(call, BRANCH), CALLS, FREE, .d = NO, SRC(NO, NO, NO), TEXT("call (%r1), f, ()")},
    [F_ADD] = {CLASS(add, INT), FREE, .d = R(4), SRC(R(1), R(5), NO), TEXT("add.s32 %r4, %r1, %r5")},
    [F_CALL] = {CLASS(call, BRANCH), CALLS, FREE, .d = NO, SRC(NO, NO, NO), TEXT("call (%r1), f, ()")},
    [F_RET] = {CLASS(ret, BRANCH), FREE, .d = NO, SRC(NO, NO, NO), TEXT("ret")},
};
static const struct kernel kernel = {.name = "k", .code = code, .ninst = NINST, .funcs = funcs, .nfuncs = ARRAY_LEN(funcs)};

/* --- streams */

#define ALL  0xFFFFFFFFull
#define LOW  0x0000FFFFull
#define HIGH 0xFFFF0000ull

enum { STREAM_MAX = 128 };
struct stream {
    struct event at[STREAM_MAX];
    u32 n;
};

#define WARP(kind_, c)         {.kind = (kind_), .cycle = (c), .mask = ALL, .pc = NONE}
#define ISSUE(c, u, p, m)      {.kind = EV_ISSUE, .cycle = (c), .uid = (u), .pc = (p), .mask = (m), .a = ALL}
#define TOLD(kind_, c, u)      {.kind = (kind_), .cycle = (c), .uid = (u), .mask = ALL, .pc = NONE}
#define LANES(kind_, c, u, m)  {.kind = (kind_), .cycle = (c), .uid = (u), .mask = (m), .pc = NONE}
#define ACCESS(c, u, line, m)  {.kind = EV_ACCESS, .cycle = (c), .uid = (u), .a = (line), .mask = (m), .pc = NONE}
#define STALLED(from, to, why) {.kind = EV_STALL, .cycle = (to), .a = (from), .mask = 1ull << STALL_##why, .pc = 0}

/* A warp that loads, overwrites the address, adds, stores, and meets a fence, a barrier and its end. Each
 * part of an access has half of the lanes. */
static const struct event clean[] = {
    WARP(EV_WARP_START, 10),
    STALLED(10, 12, NO_INSTRUCTION),
    ISSUE(12, 1, LD, ALL),
    TOLD(EV_READ, 13, 1),
    ISSUE(13, 2, MOV, ALL),
    TOLD(EV_READ, 13, 2),
    TOLD(EV_DISPATCH, 14, 2),
    TOLD(EV_READY, 17, 2),
    TOLD(EV_DONE, 18, 2),
    TOLD(EV_MEM_ENTER, 14, 1),
    ACCESS(15, 1, 0x100, LOW),
    ACCESS(16, 1, 0x180, HIGH),
    LANES(EV_COMPLETE, 30, 1, LOW),
    LANES(EV_READY, 31, 1, LOW),
    LANES(EV_COMPLETE, 31, 1, HIGH),
    LANES(EV_READY, 32, 1, HIGH),
    TOLD(EV_DONE, 32, 1),
    STALLED(14, 32, LONG),
    ISSUE(32, 3, ADD, ALL),
    TOLD(EV_READ, 33, 3),
    TOLD(EV_DISPATCH, 34, 3),
    TOLD(EV_READY, 38, 3),
    TOLD(EV_DONE, 39, 3),
    STALLED(33, 38, WAIT),
    ISSUE(38, 4, ST, ALL),
    TOLD(EV_READ, 39, 4),
    TOLD(EV_MEM_ENTER, 40, 4),
    ACCESS(41, 4, 0x100, LOW),
    ACCESS(42, 4, 0x180, HIGH),
    STALLED(39, 42, MIO),
    ISSUE(42, 5, FENCE, ALL),
    LANES(EV_COMPLETE, 43, 4, LOW),
    LANES(EV_COMPLETE, 44, 4, HIGH),
    TOLD(EV_DONE, 45, 4),
    TOLD(EV_DONE, 44, 5),
    STALLED(43, 44, MEMBAR),
    ISSUE(44, 6, BAR, ALL),
    TOLD(EV_DONE, 45, 6),
    STALLED(45, 50, BARRIER),
    ISSUE(50, 7, EXIT, ALL),
    TOLD(EV_DONE, 51, 7),
    WARP(EV_WARP_END, 51),
};

static struct stream copy(const struct event *e, size_t n) {
    struct stream s = {.n = (u32)n};
    assert_true(n <= STREAM_MAX);
    memcpy(s.at, e, n * sizeof(*e));
    return s;
}
#define STREAM(name, ...)                                                                                                        \
    const struct event name##_events[] = {__VA_ARGS__};                                                                          \
    struct stream name = copy(name##_events, ARRAY_LEN(name##_events))

/* The nth event (from 0) of a kind about an instruction */
static struct event *find(struct stream *s, enum event_kind kind, u64 uid, u32 nth) {
    for (u32 i = 0; i < s->n; i++)
        if (s->at[i].kind == kind && s->at[i].uid == uid && nth-- == 0) return &s->at[i];
    fail_msg("no such event");
    return NULL;
}

static void drop(struct stream *s, const struct event *e) {
    u32 i = (u32)(e - s->at);
    memmove(s->at + i, s->at + i + 1, (--s->n - i) * sizeof(*e));
}

/* Moves e behind `after` */
static void move(struct stream *s, const struct event *e, const struct event *after) {
    struct event x = *e;
    u32 to = (u32)(after - s->at);
    assert_true(e < after);
    drop(s, e);
    memmove(s->at + to + 1, s->at + to, (s->n++ - to) * sizeof(x));
    s->at[to] = x;
}

/* --- running them */

struct outcome {
    u64 violations, checked;
    char *text;
};

static struct outcome audited(const struct stream *s, u32 batch) {
    struct listener l;
    struct audit *a = audit_new(2, 4, &l);
    l.launch(l.state, &kernel, 5);
    for (u32 i = 0; i < s->n; i += batch) l.events(l.state, s->at + i, MIN(batch, s->n - i));
    l.end(l.state, 60);
    struct outcome o = {audit_violations(a), audit_checked(a), strdup(audit_text(a))};
    audit_free(a);
    return o;
}

static void expect_clean(const struct stream *s) {
    struct outcome o = audited(s, s->n);
    if (o.violations) fail_msg("%s", o.text);
    assert_true(o.checked >= s->n);
    free(o.text);
}

/* One finding, under this rule, with these words in it */
static void expect(const struct stream *s, const char *rule, const char *words) {
    struct outcome o = audited(s, s->n);
    if (o.violations != 1 || strncmp(o.text, rule, strlen(rule)) != 0 || !strstr(o.text, words))
        fail_msg("expected one finding '%s ... %s', not %llu:\n%s", rule, words, (unsigned long long)o.violations, o.text);
    free(o.text);
}

#define CLEAN copy(clean, ARRAY_LEN(clean))

static void a_run_that_keeps_the_rules(void **state) {
    (void)state;
    struct stream s = CLEAN;
    expect_clean(&s);
    for (u32 batch = 1; batch < s.n; batch++) { /* wherever the windows are cut */
        struct outcome o = audited(&s, batch);
        if (o.violations) fail_msg("batches of %u: %s", batch, o.text);
        free(o.text);
    }
}

static void a_finding_says_where(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_READY, 1, 1)->cycle = 33;
    struct outcome o = audited(&s, s.n);
    assert_string_equal(
        o.text, "A1 cycle 32 sm 0 slot 0 uid 3 pc 1 (add.s32 %r4, %r1, %r5): reads r1, which uid 1 makes ready at cycle 33 "
                "(lanes 0xffff0000)\n");
    free(o.text);
}

/* --- A0 */

static void a0_events_of_nobody(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_READ, 3, 0)->uid = 99;
    expect(&s, "A0", "read of an instruction that is not in flight");
    s = CLEAN;
    find(&s, EV_WARP_START, 0, 0)->slot = 9;
    struct outcome o = audited(&s, s.n);
    assert_true(o.violations > 1);
    assert_non_null(strstr(o.text, "A0 cycle 10 sm 0 slot 9: there is no such SM or slot\n"));
    assert_non_null(strstr(o.text, "issues from an empty slot"));
    free(o.text);
    s = CLEAN;
    find(&s, EV_ISSUE, 7, 0)->pc = NINST;
    o = audited(&s, s.n);
    assert_non_null(strstr(o.text, "unknown pc"));
    free(o.text);
    s = CLEAN;
    s.at[s.n++] = (struct event)WARP(EV_WARP_END, 55);
    expect(&s, "A0", "a warp ends in an empty slot");
}

/* --- A1 */

static void a1_read_before_ready(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_READY, 1, 0)->cycle = 33;
    expect(&s, "A1", "reads r1, which uid 1 makes ready at cycle 33 (lanes 0xffff)");
    s = CLEAN;
    drop(&s, find(&s, EV_READY, 1, 1));
    expect(&s, "A1", "reads r1, which uid 1 has not made ready (lanes 0xffff0000)");
    s = CLEAN;
    find(&s, EV_READY, 2, 0)->cycle = 39; /* the second word of the store's address */
    expect(&s, "A1", "reads r2");
}

static void a1_written_before_ready(void **state) {
    (void)state;
    STREAM(s, WARP(EV_WARP_START, 10), ISSUE(10, 1, ADD, ALL), TOLD(EV_READY, 16, 1), TOLD(EV_DONE, 16, 1),
           ISSUE(16, 2, ADD, ALL), TOLD(EV_READY, 22, 2), TOLD(EV_DONE, 22, 2), WARP(EV_WARP_END, 30));
    expect_clean(&s);
    find(&s, EV_ISSUE, 2, 0)->cycle = 15;
    expect(&s, "A1", "writes r4, which uid 1 makes ready at cycle 16");
}

static void a1_lanes_and_frames_are_apart(void **state) {
    (void)state;
    STREAM(s, WARP(EV_WARP_START, 10), ISSUE(10, 1, ADD, LOW), TOLD(EV_READY, 16, 1), TOLD(EV_DONE, 16, 1),
           ISSUE(11, 2, ADD, HIGH), TOLD(EV_READY, 17, 2), TOLD(EV_DONE, 17, 2), ISSUE(12, 3, ADD, ALL), TOLD(EV_READY, 18, 3),
           TOLD(EV_DONE, 18, 3), WARP(EV_WARP_END, 30));
    find(&s, EV_ISSUE, 3, 0)->b = 1; /* a called function: its r4 is another one */
    expect_clean(&s);
    find(&s, EV_ISSUE, 2, 0)->mask = HIGH | 1;
    expect(&s, "A1", "(lanes 0x1)");
    find(&s, EV_ISSUE, 2, 0)->mask = HIGH;
    find(&s, EV_ISSUE, 3, 0)->b = 0;
    struct outcome o = audited(&s, s.n);
    assert_int_equal(o.violations, 2); /* both halves */
    free(o.text);
}

static void a1_a_later_writer_replaces_the_lanes_it_writes(void **state) {
    (void)state;
    /* r4 of the low lanes comes late, then early again; who reads the high lanes waits for the second */
    STREAM(s, WARP(EV_WARP_START, 10), ISSUE(10, 1, ADD, ALL), LANES(EV_READY, 12, 1, HIGH), LANES(EV_READY, 14, 1, LOW),
           TOLD(EV_DONE, 14, 1), ISSUE(12, 2, ST, HIGH), TOLD(EV_READ, 12, 2), TOLD(EV_MEM_ENTER, 12, 2), ACCESS(12, 2, 0, HIGH),
           LANES(EV_COMPLETE, 13, 2, HIGH), TOLD(EV_DONE, 13, 2), ISSUE(14, 3, ADD, HIGH), LANES(EV_READY, 20, 3, HIGH),
           TOLD(EV_DONE, 20, 3), ISSUE(15, 4, ST, LOW), TOLD(EV_READ, 15, 4), TOLD(EV_MEM_ENTER, 15, 4), ACCESS(15, 4, 0, LOW),
           LANES(EV_COMPLETE, 16, 4, LOW), TOLD(EV_DONE, 16, 4), WARP(EV_WARP_END, 30));
    expect_clean(&s);
    find(&s, EV_ISSUE, 4, 0)->mask = find(&s, EV_COMPLETE, 4, 0)->mask = ALL;
    expect(&s, "A1", "reads r4, which uid 3 makes ready at cycle 20");
}

static void a1_a_guard_is_read_by_all_lanes(void **state) {
    (void)state;
    STREAM(s, WARP(EV_WARP_START, 10), ISSUE(10, 1, SETP, ALL), TOLD(EV_READY, 16, 1), TOLD(EV_DONE, 16, 1),
           ISSUE(16, 2, GUARDED, 0), TOLD(EV_DONE, 20, 2), WARP(EV_WARP_END, 30));
    expect_clean(&s);
    find(&s, EV_ISSUE, 2, 0)->cycle = 15;
    expect(&s, "A1", "reads p1");
}

#define IN(frame, c, u, p, m)  {.kind = EV_ISSUE, .cycle = (c), .uid = (u), .pc = (p), .mask = (m), .a = (m), .b = (frame)}
#define ISSUE_IN_F(c, u, p, m) {.kind = EV_ISSUE, .cycle = (c), .uid = (u), .pc = (p), .mask = (m), .a = ALL, .b = 1}

/* A call, in it another of half of the lanes; both functions add, and the caller uses what comes back */
static const struct event recursive[] = {
    WARP(EV_WARP_START, 10),  IN(0, 10, 1, CALL, ALL),  TOLD(EV_DONE, 11, 1),        ISSUE_IN_F(11, 2, F_CALL, LOW),
    TOLD(EV_DONE, 12, 2),     IN(2, 12, 3, F_ADD, LOW), LANES(EV_READY, 16, 3, LOW), TOLD(EV_DONE, 16, 3),
    IN(2, 16, 4, F_RET, LOW), TOLD(EV_DONE, 17, 4),     IN(1, 18, 5, F_ADD, ALL),    TOLD(EV_READY, 22, 5),
    TOLD(EV_DONE, 22, 5),     IN(1, 22, 6, F_RET, ALL), TOLD(EV_DONE, 23, 6),        IN(0, 24, 7, ADD, ALL),
    TOLD(EV_READY, 28, 7),    TOLD(EV_DONE, 28, 7),     WARP(EV_WARP_END, 30),
};
#define RECURSIVE copy(recursive, ARRAY_LEN(recursive))

static void a1_results_of_calls(void **state) {
    (void)state;
    struct stream s = RECURSIVE;
    expect_clean(&s);
    for (u32 batch = 1; batch < s.n; batch++) {
        struct outcome o = audited(&s, batch);
        if (o.violations) fail_msg("batches of %u: %s", batch, o.text);
        free(o.text);
    }
    find(&s, EV_READY, 5, 0)->cycle = find(&s, EV_DONE, 5, 0)->cycle = 25; /* the function's result, after it is used */
    expect(&s, "A1", "(add.s32 %r4, %r1, %r5): reads r1, which uid 5 makes ready at cycle 25 (lanes 0xffffffff)");
    s = RECURSIVE;
    find(&s, EV_READY, 3, 0)->cycle = find(&s, EV_DONE, 3, 0)->cycle = 19; /* of the inner call */
    expect(&s, "A1", "reads r1, which uid 3 makes ready at cycle 19 (lanes 0xffff)");
    s = RECURSIVE;
    drop(&s, find(&s, EV_READY, 5, 0));
    expect(&s, "A1", "reads r1, which uid 5 has not made ready");
}

static void a1_a_call_returns_where_nothing_is_seen_of_it(void **state) {
    (void)state;
    struct stream s = RECURSIVE; /* from the inner function to the outermost frame: the middle one has not issued again */
    for (u64 u = 5; u <= 6; u++) drop(&s, find(&s, EV_ISSUE, u, 0)), drop(&s, find(&s, EV_DONE, u, 0));
    drop(&s, find(&s, EV_READY, 5, 0));
    expect_clean(&s);
    s = RECURSIVE; /* the same frames again, for a call of other lanes: nothing is left of the first */
    find(&s, EV_ISSUE, 7, 0)->pc = CALL;
    find(&s, EV_ISSUE, 7, 0)->a = find(&s, EV_ISSUE, 7, 0)->mask = HIGH;
    drop(&s, find(&s, EV_READY, 7, 0));
    s.n--;
    STREAM(more, IN(1, 25, 8, F_ADD, HIGH), LANES(EV_READY, 29, 8, HIGH), TOLD(EV_DONE, 29, 8), IN(0, 30, 9, ADD, ALL),
           TOLD(EV_READY, 34, 9), TOLD(EV_DONE, 34, 9), WARP(EV_WARP_END, 40));
    memcpy(s.at + s.n, more.at, more.n * sizeof(*more.at));
    s.n += more.n;
    expect_clean(&s);
    find(&s, EV_READY, 8, 0)->cycle = find(&s, EV_DONE, 8, 0)->cycle = 31;
    expect(&s, "A1", "reads r1, which uid 8 makes ready at cycle 31 (lanes 0xffff0000)");
}

/* --- A2 */

/* Two loads of one line by the same lanes, one cycle after the other */
static const struct event two_loads[] = {
    WARP(EV_WARP_START, 10),   ISSUE(10, 1, LD, ALL),    TOLD(EV_READ, 11, 1),      TOLD(EV_MEM_ENTER, 11, 1),
    ISSUE(11, 2, LD_B, ALL),   TOLD(EV_READ, 12, 2),     TOLD(EV_MEM_ENTER, 12, 2), ACCESS(14, 1, 0x100, ALL),
    ACCESS(15, 2, 0x100, ALL), TOLD(EV_COMPLETE, 16, 1), TOLD(EV_COMPLETE, 17, 2),  TOLD(EV_DONE, 18, 1),
    TOLD(EV_DONE, 18, 2),      WARP(EV_WARP_END, 30),
};

/* Thread 0's port makes the second one for all: it may pass other ports' words, and its own not */
static void a2_one_port_for_all(void **state) {
    (void)state;
    struct stream s = copy(two_loads, ARRAY_LEN(two_loads));
    find(&s, EV_ACCESS, 2, 0)->cycle = 13;
    find(&s, EV_ACCESS, 2, 0)->b = 1;
    expect(&s, "A2", "lanes 0x1 access 0x100 for uid 2 at cycle 13, but for the earlier uid 1 at cycle 14");
    find(&s, EV_ACCESS, 1, 0)->mask = find(&s, EV_COMPLETE, 1, 0)->mask = find(&s, EV_ISSUE, 1, 0)->mask = ALL & ~1u;
    expect_clean(&s);
    find(&s, EV_ACCESS, 2, 0)->cycle = 15;
    find(&s, EV_ACCESS, 2, 0)->b = 2;
    expect(&s, "A2", "the port of lanes 0x2 makes an access for lanes 0xffffffff");
}

static void a2_accesses_pass_each_other(void **state) {
    (void)state;
    struct stream s = copy(two_loads, ARRAY_LEN(two_loads));
    expect_clean(&s);
    find(&s, EV_ACCESS, 2, 0)->cycle = 13;
    expect(&s, "A2", "lanes 0xffffffff access 0x100 for uid 2 at cycle 13, but for the earlier uid 1 at cycle 14");
    move(&s, find(&s, EV_ACCESS, 1, 0), find(&s, EV_ACCESS, 2, 0)); /* and told in that order */
    expect(&s, "A2", "uid 2 at cycle 13");
    find(&s, EV_ACCESS, 1, 0)->a = 0x180; /* another line may pass */
    expect_clean(&s);
    find(&s, EV_ACCESS, 1, 0)->a = 0x100;
    find(&s, EV_ACCESS, 2, 0)->cause = ACCESS_SHARED; /* another memory */
    expect_clean(&s);
    find(&s, EV_ACCESS, 2, 0)->cause = ACCESS_HIT;
    find(&s, EV_ISSUE, 1, 0)->mask = find(&s, EV_ACCESS, 1, 0)->mask = find(&s, EV_COMPLETE, 1, 0)->mask = LOW;
    find(&s, EV_ISSUE, 2, 0)->mask = find(&s, EV_ACCESS, 2, 0)->mask = find(&s, EV_COMPLETE, 2, 0)->mask = HIGH;
    expect_clean(&s); /* other lanes */
}

/* --- A3 */

static void a3_gate_before_acceptance(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_ACCESS, 4, 1)->cycle = 43; /* told in time, but of the future */
    expect(&s, "A3", "uid 4 (pc 2) has an access accepted at cycle 43");
    s = CLEAN;
    move(&s, find(&s, EV_ACCESS, 4, 1), find(&s, EV_ISSUE, 5, 0));
    expect(&s, "A3", "lanes 0xffff0000 of uid 4 (pc 2) have not been accepted");
}

static void a3_barrier_and_exit_too(void **state) {
    (void)state;
    static const struct event accepted[] = {
        WARP(EV_WARP_START, 10),   ISSUE(10, 1, ST, ALL),  TOLD(EV_READ, 11, 1), TOLD(EV_MEM_ENTER, 11, 1),
        ACCESS(12, 1, 0x100, ALL), ISSUE(12, 2, BAR, ALL), TOLD(EV_DONE, 13, 2), TOLD(EV_COMPLETE, 40, 1),
        TOLD(EV_DONE, 40, 1),      WARP(EV_WARP_END, 41),
    };
    struct stream s = copy(accepted, ARRAY_LEN(accepted));
    expect_clean(&s); /* it need not be complete */
    find(&s, EV_ISSUE, 2, 0)->cycle = 11;
    expect(&s, "A3", "(bar.sync 0)");
    find(&s, EV_ISSUE, 2, 0)->pc = EXIT;
    expect(&s, "A3", "(exit)");
    find(&s, EV_ISSUE, 2, 0)->mask = 0; /* a guarded exit that nobody takes */
    expect_clean(&s);
}

static void a3_an_access_that_comes_after_all(void **state) {
    (void)state;
    struct stream s = CLEAN; /* all lanes were accepted, then another line of one of them */
    struct event extra = ACCESS(43, 4, 0x200, 1);
    struct event *at = find(&s, EV_COMPLETE, 4, 0);
    memmove(at + 1, at, (u32)(&s.at[s.n++] - at) * sizeof(*at));
    *at = extra;
    expect(&s, "A3", "an access is accepted after a barrier, fence or exit issued at cycle 42");
}

static void a3_fence_waits_for_stores(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_COMPLETE, 4, 1)->cycle = 45;
    expect(&s, "A3", "follows a fence, but uid 4 (pc 2) before it is not complete");
    s = CLEAN;
    move(&s, find(&s, EV_COMPLETE, 4, 1), find(&s, EV_ISSUE, 6, 0));
    find(&s, EV_COMPLETE, 4, 1)->cycle = 45;
    expect(&s, "A3", "follows a fence");
    find(&s, EV_ISSUE, 6, 0)->a = find(&s, EV_ISSUE, 6, 0)->mask = LOW; /* the lanes that go on have completed */
    expect_clean(&s);
}

static void a3_parameters_count_when_they_go_to_memory(void **state) {
    (void)state;
    STREAM(s, WARP(EV_WARP_START, 10), ISSUE(10, 1, LD_PARAM, ALL), TOLD(EV_READY, 14, 1), TOLD(EV_DONE, 14, 1),
           ISSUE(11, 2, EXIT, ALL), TOLD(EV_DONE, 12, 2), WARP(EV_WARP_END, 20));
    expect_clean(&s);
    STREAM(m, WARP(EV_WARP_START, 10), ISSUE(10, 1, LD_PARAM, ALL), TOLD(EV_MEM_ENTER, 11, 1), TOLD(EV_COMPLETE, 14, 1),
           TOLD(EV_DONE, 14, 1), ISSUE(11, 2, EXIT, ALL), TOLD(EV_DONE, 12, 2), WARP(EV_WARP_END, 20));
    expect(&m, "A3", "lanes 0xffffffff of uid 1 (pc 10) have not been accepted");
}

/* --- A4 */

static void a4_source_overwritten_before_it_is_read(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_READ, 1, 0)->cycle = 18;
    find(&s, EV_MEM_ENTER, 1, 0)->cycle = find(&s, EV_ACCESS, 1, 0)->cycle = find(&s, EV_ACCESS, 1, 1)->cycle = 19;
    expect(&s, "A4", "uid 2 has a result ready in one of its sources, which are read at cycle 18");
    move(&s, find(&s, EV_READ, 1, 0), find(&s, EV_MEM_ENTER, 1, 0)); /* told after the result */
    expect(&s, "A4", "uid 2 has a result ready in one of its sources, which are read at cycle 18");
    find(&s, EV_READ, 1, 0)->cycle = 17;
    expect_clean(&s);
    drop(&s, find(&s, EV_READ, 1, 0));
    expect(&s, "A4", "which were never read");
}

/* --- A5 */

static void a5_lanes_complete_once(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_COMPLETE, 1, 1)->mask = HIGH & ~(1ull << 31);
    expect(&s, "A5", "lanes 0x80000000 never complete");
    s = CLEAN;
    find(&s, EV_COMPLETE, 1, 1)->mask = HIGH | 1;
    expect(&s, "A5", "lanes 0x1 complete twice");
    s = CLEAN;
    find(&s, EV_COMPLETE, 1, 1)->mask = HIGH | 1ull << 32;
    expect(&s, "A5", "lanes 0x100000000 complete that are not active");
}

/* --- A6 */

static void a6_stages_out_of_order(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_DISPATCH, 3, 0)->cycle = 32;
    expect(&s, "A6", "dispatch comes before read, which is at cycle 33");
    s = CLEAN;
    find(&s, EV_MEM_ENTER, 1, 0)->cycle = 12;
    expect(&s, "A6", "the memory queue comes before read");
    s = CLEAN;
    find(&s, EV_DONE, 3, 0)->cycle = 31;
    expect(&s, "A6", "done before its issue, at cycle 32");
    s = copy(two_loads, ARRAY_LEN(two_loads));
    find(&s, EV_ISSUE, 1, 0)->cycle = find(&s, EV_READ, 1, 0)->cycle = 12;
    find(&s, EV_MEM_ENTER, 1, 0)->cycle = 13;
    expect(&s, "A6", "the slot has issued at cycle 12 already");
    find(&s, EV_ISSUE, 1, 0)->cycle = 10;
    find(&s, EV_WARP_END, 0, 0)->cycle = 10;
    expect(&s, "A6", "the warp ends before its last issue, at cycle 11");
}

/* --- A7 */

static void a7_left_over_at_the_end(void **state) {
    (void)state;
    struct stream s = CLEAN;
    drop(&s, find(&s, EV_DONE, 3, 0));
    expect(&s, "A7 cycle 60", "uid 3 pc 1 (add.s32 %r4, %r1, %r5): not done when the launch ends");
    s = CLEAN;
    find(&s, EV_WARP_END, 0, 0)->kind = EV_GROUP;
    expect(&s, "A7", "has not ended when the launch ends");
    s = CLEAN;
    s.at[s.n++] = (struct event)WARP(EV_WARP_START, 55);
    expect(&s, "A7", "has not ended when the launch ends");
    s.at[s.n++] = (struct event)WARP(EV_WARP_START, 56);
    s.at[s.n++] = (struct event)WARP(EV_WARP_END, 56);
    expect(&s, "A7", "a warp starts in a slot whose warp has not ended");
}

/* --- A8 */

static struct event *stall_from(struct stream *s, u64 cycle) {
    for (u32 i = 0; i < s->n; i++)
        if (s->at[i].kind == EV_STALL && s->at[i].a == cycle) return &s->at[i];
    fail_msg("no such stall");
    return NULL;
}

static void a8_time_without_an_owner(void **state) {
    (void)state;
    struct stream s = CLEAN;
    stall_from(&s, 33)->a = 35;
    expect(&s, "A8", "no stall and no issue accounts for cycles 33 to 34");
    s = CLEAN;
    drop(&s, stall_from(&s, 45));
    expect(&s, "A8", "cycles 45 to 49");
    s = CLEAN;
    drop(&s, stall_from(&s, 10));
    expect(&s, "A8", "cycles 10 to 11");
    s = CLEAN;
    stall_from(&s, 43)->a = 45;
    struct outcome o = audited(&s, s.n);
    assert_non_null(strstr(o.text, "the stall ends before it starts, at cycle 45"));
    free(o.text);
}

/* A warp that runs for long: holes are found before it ends */
static void a8_holes_of_a_long_warp(void **state) {
    (void)state;
    struct listener l;
    struct audit *a = audit_new(1, 1, &l);
    const struct event first[] = {WARP(EV_WARP_START, 0), STALLED(0, 1, WAIT)};
    l.launch(l.state, &kernel, 0);
    l.events(l.state, first, ARRAY_LEN(first));
    for (u64 u = 1; u < 3000; u++) {
        const struct event e[] = {ISSUE(2 * u, u, BAR, ALL), TOLD(EV_DONE, 2 * u, u)};
        l.events(l.state, e, ARRAY_LEN(e));
    }
    assert_true(audit_violations(a) > 1000);
    assert_non_null(strstr(audit_text(a), "A8 cycle 1 sm 0 slot 0: no stall and no issue accounts for cycles 1 to 1\n"));
    audit_free(a);
}

static void a8_time_with_two_owners(void **state) {
    (void)state;
    struct stream s = CLEAN;
    stall_from(&s, 33)->a = 31;
    expect(&s, "A8", "the stall from cycle 31 overlaps");
    s = CLEAN;
    stall_from(&s, 10)->a = 9;
    expect(&s, "A8", "the stall from cycle 9 overlaps what was before cycle 10");
    s = CLEAN;
    s.at[s.n] = (struct event)STALLED(51, 55, DRAIN);
    s.at[s.n++].slot = 1;
    expect(&s, "A8", "the slot holds no warp");
    s.at[s.n - 1].mask = 1ull << STALL_EMPTY;
    expect_clean(&s);
    s = CLEAN; /* a slot without a warp, before, and after the warp's program has ended */
    stall_from(&s, 10)->mask = 1ull << STALL_EMPTY;
    find(&s, EV_WARP_END, 0, 0)->cycle = 55;
    s.at[s.n++] = (struct event)STALLED(51, 55, EMPTY);
    s.at[s.n++] = (struct event)STALLED(55, 60, EMPTY);
    expect_clean(&s);
    s.at[s.n - 2].a = 49;
    expect(&s, "A8", "the stall from cycle 49 overlaps");
}

/* The time after a warp's program belongs to it until its block ends, but is told together with what
 * follows */
static void a8_time_after_the_program(void **state) {
    (void)state;
    struct stream s = CLEAN;
    find(&s, EV_WARP_END, 0, 0)->cycle = 55;
    expect_clean(&s); /* no warp has followed */
    s.at[s.n++] = (struct event)WARP(EV_WARP_START, 58);
    s.at[s.n++] = (struct event)STALLED(51, 58, EMPTY);
    s.at[s.n++] = (struct event)WARP(EV_WARP_END, 58);
    for (u32 batch = 1; batch <= s.n; batch++) {
        struct outcome o = audited(&s, batch);
        assert_string_equal(o.text, "");
        free(o.text);
    }
    s.at[s.n - 2].a = 52;
    expect(&s, "A8 cycle 51", "cycles 51 to 54");
    drop(&s, &s.at[s.n - 2]);
    expect(&s, "A8 cycle 51", "cycles 51 to 54");
}

static void a8_is_for_runs_that_trace_stalls(void **state) {
    (void)state;
    struct stream s = CLEAN;
    for (u32 i = s.n; i-- > 0;)
        if (s.at[i].kind == EV_STALL) drop(&s, &s.at[i]);
    expect_clean(&s);
    s = CLEAN; /* told after the issues that end them */
    for (u32 i = s.n - 1; i-- > 0;)
        if (s.at[i].kind == EV_STALL && s.at[i + 1].kind == EV_ISSUE) move(&s, &s.at[i], &s.at[i + 1]);
    expect_clean(&s);
}

/* --- formed fronts: A8 of places, A10 */

#define FRONT(c, s, what, ...)   {.kind = EV_FRONT, .cycle = (c), .slot = (s), .pc = 0, .cause = FRONT_##what, __VA_ARGS__}
#define WAITED(s, from, to, why) FRONT(to, s, STALLS, .a = (from), .mask = 1ull << STALL_##why)
#define OF_HOME(c, s, u, lanes)                                                                                                  \
    {.kind = EV_ISSUE, .cycle = (c), .slot = (s), .uid = (u), .pc = EXIT, .mask = (lanes), .a = (lanes)}
#define OVER(c, s, u) {.kind = EV_DONE, .cycle = (c), .slot = (s), .uid = (u), .mask = ALL, .pc = NONE}

/* Halves of two warps end as one front in place 2 */
enum { F_BEGINS = 2, F_NONE, F_WAITS, F_COMES, F_ISSUES, F_LOW, F_HIGH, F_ENDS = 11 };
static const struct event formed[] = {
    {.kind = EV_WARP_START, .cycle = 10, .slot = 0, .mask = LOW, .pc = NONE},
    {.kind = EV_WARP_START, .cycle = 10, .slot = 1, .mask = HIGH, .pc = NONE},
    [F_BEGINS] = FRONT(10, 2, BEGINS),
    [F_NONE] = WAITED(2, 5, 10, EMPTY),
    [F_WAITS] = WAITED(2, 10, 14, NO_INSTRUCTION),
    [F_COMES] = FRONT(14, 2, COMES, .mask = ALL),
    [F_ISSUES] = FRONT(14, 2, ISSUES, .mask = ALL),
    [F_LOW] = OF_HOME(14, 0, 1, LOW),
    [F_HIGH] = OF_HOME(14, 1, 2, HIGH),
    OVER(15, 0, 1),
    OVER(15, 1, 2),
    [F_ENDS] = FRONT(15, 2, ENDS),
    {.kind = EV_WARP_END, .cycle = 15, .slot = 0, .pc = NONE},
    {.kind = EV_WARP_END, .cycle = 15, .slot = 1, .pc = NONE},
    WAITED(2, 15, 60, EMPTY),
};
#define FORMED copy(formed, ARRAY_LEN(formed))

static void add(struct stream *s, u32 before, struct event e) {
    memmove(s->at + before + 1, s->at + before, (s->n++ - before) * sizeof(e));
    s->at[before] = e;
}

static void a8_time_of_a_place(void **state) {
    (void)state;
    struct stream s = FORMED;
    expect_clean(&s);
    s.at[F_WAITS].a = 11;
    expect(&s, "A8", "overlap, or leave a cycle out");
    s = FORMED;
    s.at[F_WAITS].a = 9;
    expect(&s, "A8", "overlap, or leave a cycle out");
    s = FORMED;
    s.at[F_WAITS].cycle = 13;
    expect(&s, "A8", "overlap, or leave a cycle out");
    s = FORMED;
    s.at[F_WAITS].mask = 1ull << STALL_EMPTY;
    expect(&s, "A8", "a place with a front is stalled for having none");
    s = FORMED;
    s.at[s.n - 1].mask = 1ull << STALL_LONG;
    expect(&s, "A8", "a place without a front is stalled for what one waits for");
}

static void a10_threads_of_a_front(void **state) {
    (void)state;
    struct stream s = FORMED;
    s.at[F_HIGH].slot = s.at[F_LOW].slot, s.at[F_HIGH].a = 0x18000; /* lane 15 again */
    struct outcome o = audited(&s, s.n);
    assert_non_null(strstr(o.text, "a thread is in the front twice"));
    free(o.text);
    s = FORMED;
    s.at[F_ISSUES].mask = s.at[F_COMES].mask = LOW;
    expect(&s, "A10", "more threads issue than the front has positions");
    s = FORMED; /* nobody is told of for one of its positions */
    s.at[F_LOW].a = LOW & ~1ull;
    expect(&s, "A10", "a front has issued, and not all of its threads have been told");
    add(&s, F_HIGH + 1, (struct event)FRONT(14, 2, ISSUES, .mask = 0));
    expect(&s, "A10", "a front issues before all threads of the last one have been told");
}

static void a10_positions_of_a_front(void **state) {
    (void)state;
    struct stream s = FORMED;
    s.at[F_COMES].mask = LOW;
    expect(&s, "A10", "a front issues in other positions than its threads took");
    add(&s, F_ISSUES, (struct event)FRONT(14, 2, COMES, .mask = HIGH, .b = 1));
    expect_clean(&s);
    s.at[F_ISSUES].mask = ALL;
    expect(&s, "A10", "threads join a front in positions that are taken");
}

/* A thread that stays behind when the launch ends; and time of its place that nobody owns */
static void a10_every_thread_leaves(void **state) {
    (void)state;
    struct stream s = FORMED;
    drop(&s, &s.at[F_ENDS]);
    s.at[s.n - 1].mask = 1ull << STALL_BARRIER;
    expect(&s, "A10", "threads are in a front when the launch ends");
    s = FORMED;
    s.at[s.n - 1].cycle = 59;
    expect(&s, "A8", "a place has cycles at the launch's end that nobody owns");
    s = FORMED;
    s.n--;
    expect(&s, "A8", "a place has cycles at the launch's end that nobody owns");
}

static void a10_fronts_are_there(void **state) {
    (void)state;
    struct stream s = FORMED;
    add(&s, F_WAITS, (struct event)FRONT(10, 2, BEGINS));
    expect(&s, "A10", "a front begins in a place that has one");
    s = FORMED;
    add(&s, F_ENDS + 1, (struct event)FRONT(15, 2, ENDS));
    expect(&s, "A10", "a front ends in an empty place");
    s = FORMED;
    add(&s, F_COMES, (struct event)FRONT(14, 3, COMES, .mask = ALL));
    expect(&s, "A10", "threads come to a front that is not there");
    s = FORMED;
    add(&s, F_ENDS + 1, (struct event)FRONT(15, 2, FETCHES, .a = 1, .b = 17));
    expect(&s, "A10", "a place without a front fetches");
    s = FORMED;
    add(&s, F_WAITS, (struct event)FRONT(10, 2, FETCHES, .a = 1, .b = 14));
    add(&s, F_WAITS, (struct event)FRONT(10, 2, FLUSHES));
    expect_clean(&s);
    s = FORMED;
    s.at[F_ISSUES].slot = 3;
    struct outcome o = audited(&s, s.n);
    assert_non_null(strstr(o.text, "a front issues from an empty place"));
    free(o.text);
    s = FORMED;
    s.at[F_BEGINS].sm = 2;
    o = audited(&s, s.n);
    assert_true(o.violations > 0);
    free(o.text);
}

/* --- streams of more than one kind of thing */

/* --- A11: two instructions in a row of units */

static void a11_lanes_of_two_instructions_are_apart(void **state) {
    (void)state;
    const struct event weave = {.kind = EV_WEAVE, .cycle = 13, .uid = 2, .a = LOW << 32, .mask = ALL, .pc = NONE};
    struct stream s = CLEAN;
    u32 at = (u32)(find(&s, EV_READ, 2, 0) - s.at);
    add(&s, at, weave); /* uid 2, beside an instruction in lanes 32 to 47 */
    expect_clean(&s);
    s.at[at].a = 1ull << 31 | 1ull << 32;
    expect(&s, "A11", "issues in lanes 0x80000000, which another takes");
    s.at[at] = weave, s.at[at].cycle = 14;
    expect(&s, "A11", "issues beside an instruction of another cycle");
    s.at[at] = weave, s.at[at].mask = LOW;
    expect(&s, "A11", "takes fewer lanes than it has threads");
    s.at[at] = weave, s.at[at].uid = 77;
    expect(&s, "A0", "going beside another of an instruction that is not in flight");
}

/* Two warps of a scheduler issue in a cycle, the second in lanes that the audit works out: told are its own
 * and those of the first */
static void a11_lanes_are_those_of_the_threads(void **state) {
    (void)state;
    static const struct {
        u32 lanes;            /* interweave.lanes */
        u64 first, second;    /* threads */
        u64 taken, of_second; /* as told */
        const char *wrong;
    } cases[] = {
        {LANES_IDENTITY, 0x0F, 0xF0, 0x0F, 0xF0, NULL},
        {LANES_IDENTITY, 0x1F, 0xF0, 0x0F, 0xF0, "its threads issue in lanes 0x10, which those of another take"},
        {LANES_IDENTITY, 0x0F, 0xF0, 0x0F, 0x0F << 8, "its threads take lanes 0xf0, which are not told"},
        {LANES_IDENTITY, 0x0F, 0xF0, 0x07, 0xF0, "lanes 0x8 are told to be free, and are not"},
        {LANES_MIRROR, 0x0F, 0x0F, 0x0F, 0xF0000000, NULL}, /* the second is warp 1 of its scheduler */
        {LANES_MIRROR, 0x0F, 0xF0000000, 0x0F, 0xF0, "its threads issue in lanes 0xf, which those of another take"},
        {LANES_XOR, 0x05, 0x05, 0x05, 0x0A, NULL},
        {LANES_XOR, 0x0F, 0x0F, 0x0F, 0xF0, "its threads issue in lanes 0xf, which those of another take"},
    };
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        struct listener l;
        struct audit *a = audit_new(1, 4, &l);
        const struct event e[] = {
            {.kind = EV_WARP_START, .cycle = 1, .slot = 0},
            {.kind = EV_WARP_START, .cycle = 1, .slot = 2},
            {.kind = EV_ISSUE, .pc = MOV, .cycle = 5, .slot = 0, .uid = 1, .a = cases[i].first, .mask = cases[i].first},
            {.kind = EV_ISSUE, .pc = MOV, .cycle = 5, .slot = 2, .uid = 2, .a = cases[i].second, .mask = cases[i].second},
            {.kind = EV_WEAVE, .cycle = 5, .slot = 2, .uid = 2, .a = cases[i].taken, .mask = cases[i].of_second, .pc = NONE},
        };
        audit_units(a, 32, 2, cases[i].lanes);
        l.launch(l.state, &kernel, 0);
        l.events(l.state, e, ARRAY_LEN(e));
        if (cases[i].wrong) assert_non_null(strstr(audit_text(a), cases[i].wrong));
        else assert_string_equal(audit_text(a), "");
        audit_free(a);
    }
}

static void an_instructions_events_in_any_order(void **state) {
    (void)state;
    struct stream s = CLEAN;
    move(&s, find(&s, EV_COMPLETE, 1, 0), find(&s, EV_DONE, 1, 0));
    move(&s, find(&s, EV_DISPATCH, 3, 0), find(&s, EV_DONE, 3, 0));
    expect_clean(&s);
}

static void launches_and_warps_follow_each_other(void **state) {
    (void)state;
    struct listener l;
    struct audit *a = audit_new(1, 1, &l);
    for (u32 i = 0; i < 4; i++) { /* two warps in each of two launches */
        struct stream s = CLEAN;
        for (u32 j = 0; j < s.n; j++) {
            s.at[j].cycle += 100 * i;
            if (s.at[j].uid) s.at[j].uid += 10 * i;
            if (s.at[j].kind == EV_STALL) s.at[j].a += 100 * i;
        }
        if (i % 2 == 0) l.launch(l.state, &kernel, 100 * i);
        l.events(l.state, s.at, s.n);
        if (i % 2) l.end(l.state, 100 * i + 60);
    }
    assert_string_equal(audit_text(a), "");
    assert_int_equal(audit_violations(a), 0);
    audit_free(a);
}

static void the_text_has_twenty_lines(void **state) {
    (void)state;
    struct listener l;
    struct audit *a = audit_new(1, 1, &l);
    struct event e = TOLD(EV_DONE, 1, 5);
    l.launch(l.state, &kernel, 0);
    for (u32 i = 0; i < 30; i++) l.events(l.state, &e, 1);
    u32 lines = 0;
    for (const char *c = audit_text(a); *c; c++) lines += *c == '\n';
    assert_int_equal(lines, 20);
    assert_int_equal(audit_violations(a), 30);
    audit_free(a);
}

/* A long run keeps no more than what is in flight; found out by its speed. */
static void a_long_run(void **state) {
    (void)state;
    struct listener l;
    struct audit *a = audit_new(1, 1, &l);
    struct event start = WARP(EV_WARP_START, 0);
    l.launch(l.state, &kernel, 0);
    l.events(l.state, &start, 1);
    for (u64 u = 1, c = 0; u < 200000; u += 2, c += 30) {
        const struct event e[] = {ISSUE(c, u, LD, ALL),          TOLD(EV_READ, c + 1, u),
                                  TOLD(EV_MEM_ENTER, c + 2, u),  ACCESS(c + 3, u, c & 0xF80, ALL),
                                  TOLD(EV_COMPLETE, c + 20, u),  TOLD(EV_READY, c + 20, u),
                                  TOLD(EV_DONE, c + 21, u),      ISSUE(c + 20, u + 1, ADD, ALL),
                                  TOLD(EV_READ, c + 21, u + 1),  TOLD(EV_DISPATCH, c + 22, u + 1),
                                  TOLD(EV_READY, c + 26, u + 1), TOLD(EV_DONE, c + 27, u + 1)};
        l.events(l.state, e, ARRAY_LEN(e));
    }
    struct event end = WARP(EV_WARP_END, 4000000);
    l.events(l.state, &end, 1);
    l.end(l.state, 4000000);
    assert_string_equal(audit_text(a), "");
    assert_true(audit_checked(a) > 1000000);
    audit_free(a);
}

/* --- windows: A1, A2, A9 */

#define INTO(c, u, p) {.kind = EV_WINDOW, .cycle = (c), .uid = (u), .pc = (p), .mask = ALL, .a = ALL, .cause = 1}
#define LEFT(c, u)    {.kind = EV_RETIRE, .cycle = (c), .uid = (u), .pc = NONE, .cause = 1}

/* A load, an addition of what it brings, a second load that issues before that, and their ends in order. Both
 * loads are of one line. */
static const struct event windowed[] = {
    WARP(EV_WARP_START, 10),
    INTO(10, 1, LD),
    INTO(11, 2, ADD),
    INTO(12, 3, LD_B),
    INTO(12, 4, MOV), /* of the first load's address */
    ISSUE(12, 4, MOV, ALL),
    TOLD(EV_READ, 12, 4),
    TOLD(EV_READY, 13, 4),
    ISSUE(13, 3, LD_B, ALL),
    TOLD(EV_READ, 14, 3),
    TOLD(EV_MEM_ENTER, 14, 3),
    ACCESS(15, 3, 0x100, ALL),
    ISSUE(14, 1, LD, ALL),
    TOLD(EV_READ, 15, 1),
    TOLD(EV_MEM_ENTER, 15, 1),
    ACCESS(16, 1, 0x100, ALL),
    TOLD(EV_COMPLETE, 20, 3),
    TOLD(EV_READY, 20, 3),
    TOLD(EV_COMPLETE, 25, 1),
    TOLD(EV_READY, 25, 1),
    LEFT(25, 1),
    TOLD(EV_DONE, 25, 1),
    ISSUE(25, 2, ADD, ALL),
    TOLD(EV_READ, 25, 2),
    TOLD(EV_READY, 29, 2),
    LEFT(29, 2),
    TOLD(EV_DONE, 29, 2),
    LEFT(30, 3),
    TOLD(EV_DONE, 30, 3),
    LEFT(31, 4),
    TOLD(EV_DONE, 31, 4),
    WARP(EV_WARP_END, 40),
};
#define WINDOWED copy(windowed, ARRAY_LEN(windowed))

static void a1_a_value_is_used_before_it_is_produced(void **state) {
    (void)state;
    struct stream s = WINDOWED;
    expect_clean(&s);
    find(&s, EV_READY, 1, 0)->cycle = 26;
    find(&s, EV_RETIRE, 1, 0)->cycle = find(&s, EV_DONE, 1, 0)->cycle = 26;
    expect(&s, "A1", "needs r1, which uid 1 makes ready later");
    s = WINDOWED;
    find(&s, EV_ISSUE, 2, 0)->cycle = find(&s, EV_READ, 2, 0)->cycle = 24;
    move(&s, find(&s, EV_READY, 1, 0), find(&s, EV_ISSUE, 2, 0));
    struct outcome o = audited(&s, s.n);
    assert_non_null(strstr(o.text, "A1 cycle 24"));
    assert_non_null(strstr(o.text, "needs r1, which uid 1 has not made ready"));
    free(o.text);
    s = WINDOWED; /* the address has no new name: it is overwritten before the loads have read it */
    for (u64 u = 1; u <= 4; u++) find(&s, EV_WINDOW, u, 0)->cause = 0;
    o = audited(&s, s.n);
    assert_non_null(strstr(o.text, "A4"));
    free(o.text);
}

static void a2_a_load_passes_a_store(void **state) {
    (void)state;
    struct stream s = WINDOWED;
    find(&s, EV_WINDOW, 1, 0)->pc = find(&s, EV_ISSUE, 1, 0)->pc = ST;
    struct outcome o = audited(&s, s.n);
    assert_non_null(strstr(o.text, "A2"));
    assert_non_null(strstr(o.text, "access 0x100 for uid 3 at cycle 15, but for the earlier uid 1 at cycle 16"));
    free(o.text);
}

/* The load reads too early, behind the store's back: it and what used it are taken back, and go again */
static const struct event taken_back[] = {
    WARP(EV_WARP_START, 10),
    INTO(10, 1, ST),
    INTO(11, 2, LD),
    INTO(12, 3, ADD),
    ISSUE(12, 2, LD, ALL),
    TOLD(EV_READ, 12, 2),
    TOLD(EV_MEM_ENTER, 13, 2),
    ACCESS(14, 2, 0x100, ALL),
    TOLD(EV_COMPLETE, 16, 2),
    TOLD(EV_READY, 16, 2),
    ISSUE(16, 3, ADD, ALL),
    TOLD(EV_READ, 16, 3),
    TOLD(EV_SQUASH, 18, 2),
    TOLD(EV_SQUASH, 18, 3),
    ISSUE(18, 1, ST, ALL),
    TOLD(EV_READ, 18, 1),
    TOLD(EV_MEM_ENTER, 19, 1),
    ACCESS(20, 1, 0x100, ALL),
    TOLD(EV_READY, 19, 1),
    LEFT(20, 1),
    TOLD(EV_COMPLETE, 21, 1),
    TOLD(EV_DONE, 21, 1),
    ISSUE(19, 2, LD, ALL),
    TOLD(EV_READ, 19, 2),
    TOLD(EV_MEM_ENTER, 20, 2),
    ACCESS(21, 2, 0x100, ALL),
    TOLD(EV_COMPLETE, 25, 2),
    TOLD(EV_READY, 25, 2),
    LEFT(25, 2),
    TOLD(EV_DONE, 25, 2),
    ISSUE(25, 3, ADD, ALL),
    TOLD(EV_READ, 25, 3),
    TOLD(EV_READY, 29, 3),
    LEFT(29, 3),
    TOLD(EV_DONE, 29, 3),
    WARP(EV_WARP_END, 40),
};

static void what_is_taken_back_goes_again(void **state) {
    (void)state;
    struct stream s = copy(taken_back, ARRAY_LEN(taken_back));
    expect_clean(&s);
    drop(&s, find(&s, EV_SQUASH, 2, 0)); /* it has read what was there before the store */
    struct outcome o = audited(&s, s.n);
    assert_non_null(strstr(o.text, "A2"));
    assert_non_null(strstr(o.text, "A9"));
    free(o.text);
    s = copy(taken_back, ARRAY_LEN(taken_back));
    drop(&s, find(&s, EV_SQUASH, 3, 0)); /* a user of the old value that does not go again */
    drop(&s, find(&s, EV_ISSUE, 3, 1));
    drop(&s, find(&s, EV_READ, 3, 1));
    expect(&s, "A1", "needs what uid 2 makes ready at cycle 25");
}

static void a9_windows_are_left_in_order(void **state) {
    (void)state;
    struct stream s = WINDOWED;
    move(&s, find(&s, EV_RETIRE, 3, 0), find(&s, EV_RETIRE, 4, 0));
    expect(&s, "A9", "leaves before uid 3, which was dispatched before it");
    find(&s, EV_RETIRE, 4, 0)->cause = 0; /* an order that is not precise */
    expect_clean(&s);
    s = WINDOWED;
    find(&s, EV_RETIRE, 2, 0)->cycle = 28;
    expect(&s, "A9", "leaves before its result is ready");
    s = WINDOWED;
    drop(&s, find(&s, EV_RETIRE, 4, 0));
    expect(&s, "A9", "1 instructions are in the window of a warp that ends");
    s = WINDOWED;
    find(&s, EV_ISSUE, 4, 0)->cycle = 11;
    expect(&s, "A9", "issues twice, or before its dispatch");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_that_keeps_the_rules),
        cmocka_unit_test(a_finding_says_where),
        cmocka_unit_test(a0_events_of_nobody),
        cmocka_unit_test(a1_read_before_ready),
        cmocka_unit_test(a1_written_before_ready),
        cmocka_unit_test(a1_lanes_and_frames_are_apart),
        cmocka_unit_test(a1_a_later_writer_replaces_the_lanes_it_writes),
        cmocka_unit_test(a1_a_guard_is_read_by_all_lanes),
        cmocka_unit_test(a1_results_of_calls),
        cmocka_unit_test(a1_a_call_returns_where_nothing_is_seen_of_it),
        cmocka_unit_test(a2_accesses_pass_each_other),
        cmocka_unit_test(a2_one_port_for_all),
        cmocka_unit_test(a3_gate_before_acceptance),
        cmocka_unit_test(a3_barrier_and_exit_too),
        cmocka_unit_test(a3_an_access_that_comes_after_all),
        cmocka_unit_test(a3_fence_waits_for_stores),
        cmocka_unit_test(a3_parameters_count_when_they_go_to_memory),
        cmocka_unit_test(a4_source_overwritten_before_it_is_read),
        cmocka_unit_test(a5_lanes_complete_once),
        cmocka_unit_test(a6_stages_out_of_order),
        cmocka_unit_test(a7_left_over_at_the_end),
        cmocka_unit_test(a8_time_without_an_owner),
        cmocka_unit_test(a8_holes_of_a_long_warp),
        cmocka_unit_test(a8_time_with_two_owners),
        cmocka_unit_test(a8_time_after_the_program),
        cmocka_unit_test(a8_is_for_runs_that_trace_stalls),
        cmocka_unit_test(a8_time_of_a_place),
        cmocka_unit_test(a10_threads_of_a_front),
        cmocka_unit_test(a10_positions_of_a_front),
        cmocka_unit_test(a10_every_thread_leaves),
        cmocka_unit_test(a10_fronts_are_there),
        cmocka_unit_test(a11_lanes_of_two_instructions_are_apart),
        cmocka_unit_test(a11_lanes_are_those_of_the_threads),
        cmocka_unit_test(an_instructions_events_in_any_order),
        cmocka_unit_test(launches_and_warps_follow_each_other),
        cmocka_unit_test(the_text_has_twenty_lines),
        cmocka_unit_test(a_long_run),
        cmocka_unit_test(a1_a_value_is_used_before_it_is_produced),
        cmocka_unit_test(a2_a_load_passes_a_store),
        cmocka_unit_test(a9_windows_are_left_in_order),
        cmocka_unit_test(what_is_taken_back_goes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
