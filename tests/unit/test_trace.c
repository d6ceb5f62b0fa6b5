/* The listeners that write files: what a small run looks like in each, to the letter, and that whatever comes
 * in, in whatever order, what goes out can be read. */
#include "isa/isa.h"
#include "stats/stats.h"
#include "trace/facts.h"
#include "trace/trace.h"
#include "trace/uids.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- a run by hand */

#define TEXT(s)                                                                                                                  \
    {                                                                                                                            \
        .src = &(const struct inst_src) { .text = (s) }                                                                          \
    }
static struct inst code[] = {
    TEXT("ld.global.f32 %f1, [%rd1]"), TEXT("add.f32 %f2,\t%f1, %f1"), TEXT("say \"a\\b\" \x01\xff"), {0}};
static const struct kernel kernel = {.name = "k", .code = code, .ninst = ARRAY_LEN(code)};

#define WARP(kind_, c)        {.kind = (kind_), .cycle = (c), .slot = 3, .pc = NONE}
#define ISSUE(c, u, p)        {.kind = EV_ISSUE, .cycle = (c), .uid = (u), .slot = 3, .pc = (p), .mask = 0xFF}
#define TOLD(kind_, c, u)     {.kind = (kind_), .cycle = (c), .uid = (u), .slot = 3, .pc = NONE}
#define STALLED(f, t, p, why) {.kind = EV_STALL, .cycle = (t), .a = (f), .mask = (why), .slot = 3, .pc = (p)}
#define FETCH(c, p, n, b_)    {.kind = EV_FETCH, .cycle = (c), .a = (n), .b = (b_), .slot = 3, .pc = (p)}
#define MISS(c, p)            {.kind = EV_FETCH, .cycle = (c), .cause = 1, .slot = 3, .pc = (p)}
#define COUNT(c, what, v)     {.kind = EV_COUNTER, .cycle = (c), .a = (what), .b = (v), .pc = NONE}
#define HAZARD_AT(c, u, what) {.kind = EV_HAZARD, .cycle = (c), .uid = (u), .cause = HAZARD_##what, .slot = 3, .pc = NONE}
#define WHY(x)                (1ull << STALL_##x)

/* A load that missed in the instruction cache and in the L1, and an add that waits for it */
static const struct event small[] = {
    WARP(EV_WARP_START, 2),
    MISS(2, 0),
    FETCH(4, 0, 2, 5),
    STALLED(2, 6, 0, WHY(NO_INSTRUCTION)),
    ISSUE(6, 1, 0),
    TOLD(EV_READ, 8, 1),
    TOLD(EV_MEM_ENTER, 9, 1),
    HAZARD_AT(10, 1, MSHR),
    TOLD(EV_ACCESS, 11, 1),
    COUNT(11, TC_MSHRS, 1),
    STALLED(7, 9, 1, WHY(LONG)),
    STALLED(9, 20, 1, WHY(LONG)),
    TOLD(EV_COMPLETE, 18, 1),
    TOLD(EV_READY, 20, 1),
    TOLD(EV_DONE, 20, 1),
    STALLED(20, 22, 1, WHY(LONG) | WHY(MATH)),
    ISSUE(22, 2, 1),
    TOLD(EV_READ, 23, 2),
    TOLD(EV_DISPATCH, 24, 2),
    TOLD(EV_READY, 28, 2),
    TOLD(EV_DONE, 29, 2),
    WARP(EV_WARP_END, 30),
};
static const struct trace_window all = {.from = 0, .to = UINT64_MAX, .sm = -1, .slot = -1};

/* --- writing to memory */

struct sink {
    FILE *out;
    char *text;
    size_t len;
    struct listener l;
    struct konata *konata;
    struct perfetto *perfetto;
};

static struct sink open_konata(const struct trace_window *w) {
    struct sink s = {0};
    s.out = tmpfile();
    assert_non_null(s.out);
    s.konata = konata_open(s.out, w, &s.l);
    return s;
}

static struct sink open_perfetto(const struct trace_window *w) {
    struct sink s = {0};
    s.out = tmpfile();
    assert_non_null(s.out);
    s.perfetto = perfetto_open(s.out, w, &s.l);
    return s;
}

/* The file's text, to be freed */
static char *finish(struct sink *s) {
    assert_true(s->konata ? konata_close(s->konata) : perfetto_close(s->perfetto));
    long size = ftell(s->out);
    char *text = base_alloc((size_t)size + 1);
    rewind(s->out);
    assert_int_equal(fread(text, 1, (size_t)size, s->out), (size_t)size);
    fclose(s->out);
    return text;
}

static void launch(struct sink *s, const struct event *e, u32 n, u32 batch, u64 from, u64 to) {
    s->l.launch(s->l.state, &kernel, from);
    for (u32 i = 0; i < n; i += batch) s->l.events(s->l.state, e + i, MIN(batch, n - i));
    s->l.end(s->l.state, to);
}

static char *konata_of(const struct event *e, u32 n, u32 batch, const struct trace_window *w) {
    struct sink s = open_konata(w);
    launch(&s, e, n, batch, 0, 40);
    return finish(&s);
}

static char *perfetto_of(const struct event *e, u32 n, u32 batch, const struct trace_window *w) {
    struct sink s = open_perfetto(w);
    launch(&s, e, n, batch, 0, 40);
    return finish(&s);
}

/* --- reading Kanata: ids in order, rows opened before they are used and closed once, stages ended that were
 * started */

enum { ROWS_MAX = 1 << 20 };
struct kanata {
    u64 first, last; /* cycles */
    u32 rows, retired, flushed;
    i8 *stages, *state; /* by row: started minus ended; 1 open, 2 closed */
};

static void read_line(struct kanata *k, const char *line) {
    unsigned long long id = 0, x = 0, y = 0;
    if (sscanf(line, "C=\t%llu", &id) == 1) {
        k->first = k->last = id;
        return;
    }
    if (sscanf(line, "C\t%llu", &id) == 1) {
        k->last += id;
        return;
    }
    if (sscanf(line, "I\t%llu\t%llu\t%llu", &id, &x, &y) == 3) {
        assert_int_equal(id, k->rows);
        k->state[k->rows++] = 1;
        return;
    }
    assert_int_equal(sscanf(line, "%*c\t%llu\t%llu\t", &id, &x), 2);
    if (!(id < k->rows && k->state[id] == 1)) fail_msg("no such row: %s", line);
    switch (line[0]) {
    case 'S': k->stages[id]++; break;
    case 'E': assert_true(k->stages[id]-- > 0); break;
    case 'R':
        assert_int_equal(x, k->retired++);
        assert_int_equal(k->stages[id], 0);
        k->state[id] = 2;
        k->flushed += line[strlen(line) - 1] == '1';
        break;
    default: assert_int_equal(line[0], 'L');
    }
}

static struct kanata read_kanata(char *text) {
    struct kanata k = {.stages = base_alloc(ROWS_MAX), .state = base_alloc(ROWS_MAX)};
    char *rest = text, *line = strsep(&rest, "\n");
    assert_string_equal(line, "Kanata\t0004");
    while ((line = strsep(&rest, "\n")) && *line) read_line(&k, line);
    assert_int_equal(k.rows, k.retired);
    free(k.stages);
    free(k.state);
    free(text);
    k.stages = k.state = NULL;
    return k;
}

/* --- Konata */

static const char small_konata[] = "Kanata\t0004\n"
                                   "C=\t2\n"
                                   "I\t0\t1\t3\n"
                                   "L\t0\t0\tsm0 w3 pc 0: ld.global.f32 %f1, [%rd1]\n"
                                   "S\t0\t0\tF\n"
                                   "S\t0\t1\tno_instruction\n"
                                   "I\t1\t2\t3\n"
                                   "L\t1\t0\tsm0 w3 pc 1: add.f32 %f2, %f1, %f1\n"
                                   "S\t1\t0\tF\n"
                                   "C\t3\n"
                                   "E\t0\t0\tF\n"
                                   "S\t0\t0\tB\n"
                                   "E\t1\t0\tF\n"
                                   "S\t1\t0\tB\n"
                                   "C\t1\n"
                                   "E\t0\t0\tB\n"
                                   "E\t0\t1\tno_instruction\n"
                                   "S\t0\t0\tI\n"
                                   "C\t1\n"
                                   "E\t0\t0\tI\n"
                                   "S\t0\t0\tO\n"
                                   "S\t1\t1\tlong_scoreboard\n"
                                   "C\t2\n"
                                   "E\t0\t0\tO\n"
                                   "S\t0\t0\tM\n"
                                   "C\t2\n"
                                   "E\t0\t0\tM\n"
                                   "S\t0\t0\tA\n"
                                   "C\t1\n"
                                   "E\t0\t0\tA\n"
                                   "S\t0\t0\tCm\n"
                                   "C\t6\n"
                                   "E\t0\t0\tCm\n"
                                   "S\t0\t0\tW\n"
                                   "C\t2\n"
                                   "E\t0\t0\tW\n"
                                   "L\t0\t1\tissued at 6, lanes 0xff, line accesses 1, hazard mshr 1\n"
                                   "R\t0\t0\t0\n"
                                   "E\t1\t1\tlong_scoreboard\n"
                                   "S\t1\t1\tlong_scoreboard+math_pipe_throttle\n"
                                   "C\t2\n"
                                   "E\t1\t0\tB\n"
                                   "E\t1\t1\tlong_scoreboard+math_pipe_throttle\n"
                                   "S\t1\t0\tI\n"
                                   "C\t1\n"
                                   "E\t1\t0\tI\n"
                                   "S\t1\t0\tO\n"
                                   "C\t1\n"
                                   "E\t1\t0\tO\n"
                                   "S\t1\t0\tX\n"
                                   "C\t4\n"
                                   "E\t1\t0\tX\n"
                                   "S\t1\t0\tW\n"
                                   "C\t1\n"
                                   "E\t1\t0\tW\n"
                                   "L\t1\t1\tissued at 22, lanes 0xff\n"
                                   "R\t1\t1\t0\n";

static void konata_to_the_letter(void **state) {
    (void)state;
    for (u32 batch = 1; batch <= ARRAY_LEN(small); batch++) {
        char *text = konata_of(small, ARRAY_LEN(small), batch, &all);
        assert_string_equal(text, small_konata);
        read_kanata(text);
    }
}

static void konata_out_of_order(void **state) {
    (void)state;
    static const u8 order[] = {0, 4, 14, 13, 12, 8, 7, 6, 5, 1, 2, 3, 16, 20, 19, 10, 11, 15, 18, 17, 9, 21};
    struct event e[ARRAY_LEN(small)];
    for (u32 i = 0; i < ARRAY_LEN(small); i++) e[i] = small[order[i]];
    char *text = konata_of(e, ARRAY_LEN(e), ARRAY_LEN(e), &all);
    assert_string_equal(text, small_konata);
    free(text);
}

static void konata_windows(void **state) {
    (void)state;
    char *text = konata_of(small, ARRAY_LEN(small), 5, &(struct trace_window){.from = 10, .to = 23, .sm = 0, .slot = 3});
    assert_non_null(strstr(text, "C=\t10\nI\t0\t2\t3\n")); /* the add's wait, cut; not the load, which issued before */
    assert_non_null(strstr(text, "S\t0\t1\tlong_scoreboard\n"));
    struct kanata k = read_kanata(text);
    assert_int_equal(k.rows, 1);
    assert_int_equal(k.last, 29);
    k = read_kanata(konata_of(small, ARRAY_LEN(small), 5, &(struct trace_window){.from = 0, .to = 22, .sm = -1, .slot = -1}));
    assert_int_equal(k.rows, 1);
    assert_int_equal(k.last, 20);
    const struct trace_window none[] = {{7, 22, -1, -1}, {0, 99, 1, -1}, {0, 99, -1, 2}, {30, 10, -1, -1}};
    for (u32 i = 0; i < ARRAY_LEN(none); i++) {
        text = konata_of(small, ARRAY_LEN(small), 5, &none[i]);
        assert_string_equal(text, "Kanata\t0004\n");
        free(text);
    }
}

static void konata_closed_early(void **state) {
    (void)state;
    for (u32 n = 0; n <= ARRAY_LEN(small); n++) {
        struct sink s = open_konata(&all);
        s.l.launch(s.l.state, &kernel, 0);
        s.l.events(s.l.state, small, n);
        struct kanata k = read_kanata(finish(&s));
        assert_int_equal(k.rows, (n > 4) + (n > 16));
        assert_int_equal(k.flushed, (n > 4 && n <= 14) + (n > 16 && n <= 20));
    }
}

/* Threads of warps 3 and 4 issue the add as one front, in place 9. It was fetched for nothing once, then for
 * this; it waited for its branch before, and what the place did before this front is not its. */
#define PLACE(c, what, ...) {.kind = EV_FRONT, .cycle = (c), .slot = 9, .pc = 1, .cause = FRONT_##what, __VA_ARGS__}
#define OF_WARP(w, u)       {.kind = EV_ISSUE, .cycle = 9, .uid = (u), .slot = (w), .pc = 1, .mask = 0xFF}
static const struct event formed[] = {
    PLACE(1, FETCHES, .a = 2, .b = 2),
    PLACE(2, STALLS, .a = 0, .mask = WHY(LONG)),
    PLACE(2, ENDS),
    PLACE(4, STALLS, .a = 2, .mask = WHY(EMPTY)),
    PLACE(4, BEGINS),
    PLACE(4, FETCHES, .a = 1, .b = 5),
    {.kind = EV_FRONT, .cycle = 6, .slot = 9, .pc = NONE, .cause = FRONT_STALLS, .a = 4, .mask = WHY(BRANCH)},
    PLACE(5, FLUSHES),
    PLACE(6, FETCHES, .a = 1, .b = 8),
    PLACE(9, STALLS, .a = 6, .mask = WHY(NO_INSTRUCTION)),
    PLACE(9, ISSUES, .mask = 0xFFFF),
    OF_WARP(3, 1),
    OF_WARP(4, 2),
    TOLD(EV_DONE, 12, 1),
    TOLD(EV_DONE, 12, 2),
};

static void konata_rows_of_a_front(void **state) {
    (void)state;
    for (u32 batch = 1; batch <= ARRAY_LEN(formed); batch++) {
        char *text = konata_of(formed, ARRAY_LEN(formed), batch, &all);
        assert_non_null(strstr(text, "C=\t4\nI\t0\t1\t3\n"));
        for (u32 row = 0; row < 2; row++) {
            static const char *const has[] = {"S\t%u\t0\tF\n", "S\t%u\t0\tB\n", "S\t%u\t1\tbranch_resolving\n",
                                              "S\t%u\t1\tno_instruction\n"};
            char line[64];
            for (u32 i = 0; i < ARRAY_LEN(has); i++) {
                snprintf(line, sizeof(line), has[i], row);
                if (!strstr(text, line)) fail_msg("no %s in\n%s", line, text);
            }
        }
        assert_null(strstr(text, "long_scoreboard"));
        struct kanata k = read_kanata(text);
        assert_int_equal(k.rows, 2);
    }
    struct trace_window one = {.from = 0, .to = 99, .sm = 0, .slot = 4};
    char *text = konata_of(formed, ARRAY_LEN(formed), 4, &one);
    assert_non_null(strstr(text, "S\t0\t0\tF\n")); /* whichever warps its threads are of */
    assert_int_equal(read_kanata(text).rows, 1);
}

/* A launch that was stopped leaves a mark, unless the window had ended before */
static void stopped_launches_are_marked(void **state) {
    static const struct trace_window early = {.from = 0, .to = 20, .sm = -1, .slot = -1};
    (void)state;
    for (u32 i = 0; i < 8; i++) {
        bool stopped = i & 1, in_time = i & 2;
        struct sink s = i & 4 ? open_konata(in_time ? &early : &all) : open_perfetto(in_time ? &early : &all);
        s.l.launch(s.l.state, &kernel, 0);
        s.l.events(s.l.state, small, 12);
        if (stopped) s.l.cut(s.l.state);
        s.l.end(s.l.state, 40);
        bool konata = s.konata;
        char *text = finish(&s);
        assert_int_equal(strstr(text, "incomplete") != NULL, stopped && !in_time);
        if (konata) read_kanata(text);
        else free(text);
    }
}

/* The small run again, at another time and place */
static void shifted(struct event *e, u64 cycles, u64 uids, u16 sm) {
    for (u32 i = 0; i < ARRAY_LEN(small); i++) {
        e[i] = small[i];
        e[i].cycle += cycles;
        e[i].sm = sm;
        if (e[i].uid) e[i].uid += uids;
        if (e[i].kind == EV_STALL) e[i].a += cycles;
        if (e[i].kind == EV_FETCH) e[i].b += cycles;
    }
}

static void konata_launches_and_sms(void **state) {
    (void)state;
    struct sink s = open_konata(&all);
    for (u32 i = 0; i < 3; i++) {
        struct event e[2 * ARRAY_LEN(small)];
        shifted(e, 100 * i, 2 * i, 0);
        shifted(e + ARRAY_LEN(small), 100 * i + 1, 2 * i, 7);
        if (i % 2) launch(&s, e, ARRAY_LEN(e), ARRAY_LEN(e), 100 * i, 100 * i + 40); /* all SMs in one batch, or one each */
        else launch(&s, e, ARRAY_LEN(e), ARRAY_LEN(small), 100 * i, 100 * i + 40);
    }
    char *text = finish(&s);
    assert_non_null(strstr(text, "I\t1\t2\t3\n"));
    assert_non_null(strstr(text, "I\t2\t1\t7003\n"));
    assert_non_null(strstr(text, "L\t2\t0\tsm7 w3 pc 0: ld.global.f32 %f1, [%rd1]\n"));
    assert_non_null(strstr(text, "I\t11\t6\t7003\n"));
    struct kanata k = read_kanata(text);
    assert_int_equal(k.rows, 12);
    assert_int_equal(k.flushed, 0);
    assert_int_equal(k.last, 230);
}

/* A loop: each time round a stall belongs to the issue that ends it, also when it is told after it */
static void konata_stalls_find_their_instruction(void **state) {
    (void)state;
    const struct event e[] = {WARP(EV_WARP_START, 0),
                              ISSUE(5, 1, 1),
                              STALLED(0, 5, 1, WHY(BARRIER)),
                              ISSUE(9, 2, 1),
                              STALLED(6, 9, 1, WHY(LONG)),
                              STALLED(10, 12, 0, WHY(MATH)),
                              ISSUE(14, 3, 1),
                              STALLED(12, 14, 1, WHY(WAIT)),
                              ISSUE(20, 4, 0),
                              TOLD(EV_DONE, 30, 1),
                              TOLD(EV_DONE, 30, 2),
                              TOLD(EV_DONE, 30, 3),
                              TOLD(EV_DONE, 30, 4),
                              STALLED(21, 30, NONE, WHY(DRAIN)),
                              WARP(EV_WARP_END, 30)};
    char *text = konata_of(e, ARRAY_LEN(e), ARRAY_LEN(e), &all);
    const char *found[] = {"C=\t0\nI\t0\t1\t3\n",
                           "S\t0\t1\tbarrier\n",
                           "E\t0\t1\tbarrier\n",
                           "C\t1\nI\t1\t2\t3\n",
                           "S\t1\t1\tlong_scoreboard\n",
                           "S\t2\t1\tmath_pipe_throttle\n",
                           "E\t2\t1\tmath_pipe_throttle\n",
                           "S\t3\t1\twait\n"};
    for (u32 i = 0; i < ARRAY_LEN(found); i++)
        if (!strstr(text, found[i])) fail_msg("no '%s' in\n%s", found[i], text);
    assert_null(strstr(text, "drain"));
    struct kanata k = read_kanata(text);
    assert_int_equal(k.rows, 4);
}

/* A branch empties the buffer: the fetch of what was there is not the fetch of what issues later */
static void konata_flushed_fetches(void **state) {
    (void)state;
    struct event flush = {.kind = EV_FLUSH, .cycle = 6, .slot = 3, .pc = 0};
    const struct event e[] = {WARP(EV_WARP_START, 1), FETCH(1, 0, 3, 2),    ISSUE(2, 1, 0),       flush,
                              FETCH(6, 0, 3, 8),      ISSUE(9, 2, 0),       ISSUE(9, 3, 1),       TOLD(EV_DONE, 20, 1),
                              TOLD(EV_DONE, 20, 2),   TOLD(EV_DONE, 20, 3), WARP(EV_WARP_END, 20)};
    char *text = konata_of(e, ARRAY_LEN(e), ARRAY_LEN(e), &all);
    assert_non_null(strstr(text, "C\t4\nI\t1\t2\t3\nL\t1\t0\tsm0 w3 pc 0: ld.global.f32 %f1, [%rd1]\nS\t1\t0\tF\nI\t2\t3\t3\n"));
    read_kanata(text);
}

/* One instruction that never ends and a warp that never issues again must not keep everything in memory */
static void konata_keeps_little(void **state) {
    (void)state;
    enum { N = 200000 };
    struct sink s = open_konata(&all);
    struct event late = WARP(EV_WARP_START, 0);
    late.slot = 1;
    const struct event first[] = {late, WARP(EV_WARP_START, 0), ISSUE(1, 1, 0)};
    s.l.launch(s.l.state, &kernel, 0);
    s.l.events(s.l.state, first, ARRAY_LEN(first));
    for (u64 u = 2; u < N; u++) {
        const struct event e[] = {ISSUE(u, u, 1), TOLD(EV_DISPATCH, u + 2, u), TOLD(EV_READY, u + 6, u), TOLD(EV_DONE, u + 7, u)};
        s.l.events(s.l.state, e, ARRAY_LEN(e));
    }
    assert_true(ftell(s.out) > 1000000);
    struct event stall = STALLED(1, N, 1, WHY(BARRIER)), issue = ISSUE(N, N, 1);
    stall.slot = issue.slot = 1;
    s.l.events(s.l.state, &stall, 1);
    s.l.events(s.l.state, &issue, 1);
    struct kanata k = read_kanata(finish(&s));
    assert_int_equal(k.rows, N);
    assert_int_equal(k.flushed, 2);
    assert_int_equal(k.first, 1);
}

/* And when nothing is held back, what is over is written */
static void konata_writes_as_it_goes(void **state) {
    (void)state;
    struct sink s = open_konata(&all);
    struct event start = WARP(EV_WARP_START, 0);
    s.l.launch(s.l.state, &kernel, 0);
    s.l.events(s.l.state, &start, 1);
    for (u64 u = 1; u < 20000; u++) {
        const struct event e[] = {ISSUE(u, u, 1), TOLD(EV_READ, u + 1, u), TOLD(EV_DISPATCH, u + 2, u), TOLD(EV_READY, u + 6, u),
                                  TOLD(EV_DONE, u + 7, u)};
        s.l.events(s.l.state, e, ARRAY_LEN(e));
    }
    assert_true(ftell(s.out) > 500000);
    struct kanata k = read_kanata(finish(&s));
    assert_int_equal(k.rows, 19999);
    assert_int_equal(k.flushed, 0);
    assert_int_equal(k.last, 20006);
}

/* --- Perfetto */

static const char small_perfetto[] =
    "{\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"SM 0\"}},\n"
    "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":0}},\n"
    "{\"ph\":\"M\",\"pid\":0,\"tid\":3,\"name\":\"thread_name\",\"args\":{\"name\":\"warp slot 3\"}},\n"
    "{\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":2,\"dur\":4,\"name\":\"no_instruction\",\"args\":{\"pc\":0}},\n"
    "{\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":6,\"dur\":1,\"name\":\"ld.global.f32 %f1, "
    "[%rd1]\",\"args\":{\"pc\":0,\"uid\":1}},\n"
    "{\"ph\":\"C\",\"pid\":0,\"ts\":11,\"name\":\"MSHRs in use\",\"args\":{\"value\":1}},\n"
    "{\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":7,\"dur\":2,\"name\":\"long_scoreboard\",\"args\":{\"pc\":1}},\n"
    "{\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":9,\"dur\":11,\"name\":\"long_scoreboard\",\"args\":{\"pc\":1}},\n"
    "{\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":20,\"dur\":2,\"name\":\"long_scoreboard+math_pipe_throttle\",\"args\":{\"pc\":1}},"
    "\n"
    "{\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":22,\"dur\":1,\"name\":\"add.f32 %f2,\\t%f1, %f1\",\"args\":{\"pc\":1,\"uid\":2}},\n"
    "{\"ph\":\"b\",\"cat\":\"inst\",\"id\":\"0x1\",\"pid\":0,\"tid\":3,\"ts\":6,\"name\":\"ld.global.f32 %f1, [%rd1]\",\"args\":{"
    "\"pc\":0,\"uid\":1,\"lanes\":\"0xff\",\"read\":8,\"memory queue\":9,\"first access\":11,\"last access\":11,\"complete\":18,"
    "\"ready\":20,\"line accesses\":1,\"hazard mshr\":1}},\n"
    "{\"ph\":\"e\",\"cat\":\"inst\",\"id\":\"0x1\",\"pid\":0,\"tid\":3,\"ts\":20,\"name\":\"ld.global.f32 %f1, [%rd1]\"},\n"
    "{\"ph\":\"b\",\"cat\":\"inst\",\"id\":\"0x2\",\"pid\":0,\"tid\":3,\"ts\":22,\"name\":\"add.f32 %f2,\\t%f1, %f1\",\"args\":{"
    "\"pc\":1,\"uid\":2,\"lanes\":\"0xff\",\"read\":23,\"dispatch\":24,\"ready\":28}},\n"
    "{\"ph\":\"e\",\"cat\":\"inst\",\"id\":\"0x2\",\"pid\":0,\"tid\":3,\"ts\":29,\"name\":\"add.f32 %f2,\\t%f1, %f1\"},\n"
    "{\"ph\":\"C\",\"pid\":0,\"ts\":0,\"name\":\"IPC\",\"args\":{\"value\":0.03125}},\n"
    "{\"ph\":\"C\",\"pid\":0,\"ts\":64,\"name\":\"IPC\",\"args\":{\"value\":0}},\n"
    "{\"ph\":\"M\",\"pid\":65536,\"name\":\"process_name\",\"args\":{\"name\":\"launches\"}},\n"
    "{\"ph\":\"X\",\"pid\":65536,\"tid\":0,\"ts\":0,\"dur\":40,\"name\":\"k\"}\n"
    "],\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us is 1 core cycle\"}}\n";

/* How many events there are of each phase */
struct phases {
    u32 M, X, b, e, C, all;
};

static struct phases read_perfetto(char *text) {
    struct phases n = {0};
    json_error_t err;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &err);
    if (!root) fail_msg("%s at %d: %s", err.text, err.position, text);
    json_t *events = json_object_get(root, "traceEvents"), *e;
    assert_true(json_is_array(events));
    size_t i;
    json_array_foreach(events, i, e) {
        assert_true(json_is_integer(json_object_get(e, "pid")) && json_is_string(json_object_get(e, "name")));
        char ph = json_string_value(json_object_get(e, "ph"))[0];
        if (ph != 'M') assert_true(json_is_integer(json_object_get(e, "ts")));
        n.M += ph == 'M', n.X += ph == 'X', n.b += ph == 'b', n.e += ph == 'e', n.C += ph == 'C', n.all++;
    }
    assert_int_equal(n.b, n.e);
    assert_int_equal(n.all, n.M + n.X + n.b + n.e + n.C);
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "otherData"), "time")), "1 us is 1 core cycle");
    json_decref(root);
    free(text);
    return n;
}

static void perfetto_to_the_letter(void **state) {
    (void)state;
    char *text = perfetto_of(small, ARRAY_LEN(small), ARRAY_LEN(small), &all);
    assert_string_equal(text, small_perfetto);
    struct phases n = read_perfetto(text);
    assert_int_equal(n.X, 7);
    for (u32 batch = 1; batch < ARRAY_LEN(small); batch++) { /* the same events, in another order */
        text = perfetto_of(small, ARRAY_LEN(small), batch, &all);
        assert_int_equal(strlen(text), strlen(small_perfetto));
        read_perfetto(text);
    }
}

/* Taken back, and issued again under the same number: two issues, one instruction from the first of them to
 * its end */
static void perfetto_taken_back(void **state) {
    (void)state;
    const struct event e[] = {ISSUE(6, 1, 0),        TOLD(EV_COMPLETE, 9, 1), TOLD(EV_SQUASH, 10, 1), ISSUE(12, 1, 0),
                              TOLD(EV_READY, 20, 1), TOLD(EV_RETIRE, 21, 1),  TOLD(EV_DONE, 21, 1)};
    for (u32 batch = 1; batch <= ARRAY_LEN(e); batch++) {
        char *text = perfetto_of(e, ARRAY_LEN(e), batch, &all);
        assert_non_null(strstr(text, "\"ts\":12,\"dur\":1"));
        assert_non_null(strstr(text, "\"ph\":\"b\",\"cat\":\"inst\",\"id\":\"0x1\",\"pid\":0,\"tid\":3,\"ts\":6,"));
        assert_non_null(strstr(text, "\"taken back\":1"));
        assert_null(strstr(text, "\"finished\":false"));
        struct phases n = read_perfetto(text);
        assert_int_equal(n.b, 1);
        assert_int_equal(n.X, 3); /* the launch and two issues */
    }
}

static void perfetto_tracks_of_fronts(void **state) {
    (void)state;
    char *text = perfetto_of(formed, ARRAY_LEN(formed), 4, &all);
    assert_non_null(strstr(text, "{\"name\":\"front 9\"}"));
    assert_non_null(strstr(text, "\"ts\":4,\"dur\":2,\"name\":\"branch_resolving\""));
    assert_non_null(strstr(text, "\"args\":{\"pc\":1,\"threads\":16}"));
    assert_non_null(strstr(text, "\"name\":\"IPC\",\"args\":{\"value\":0.015625}")); /* one issue in 64 cycles, not two */
    assert_null(strstr(text, "no_warp"));
    free(text);
    text = perfetto_of(formed, ARRAY_LEN(formed), 4, &(struct trace_window){.from = 0, .to = 99, .sm = 0, .slot = 4});
    assert_null(strstr(text, "front 9"));
    free(text);
}

static void perfetto_windows(void **state) {
    (void)state;
    char *text = perfetto_of(small, ARRAY_LEN(small), 4, &(struct trace_window){.from = 8, .to = 21, .sm = 0, .slot = -1});
    assert_non_null(strstr(text, "\"ts\":8,\"dur\":1,\"name\":\"long_scoreboard\""));
    assert_non_null(strstr(text, "\"ts\":20,\"dur\":1,\"name\":\"long_scoreboard+math_pipe_throttle\""));
    assert_non_null(strstr(text, "\"ts\":8,\"dur\":13,\"name\":\"k\""));
    struct phases n = read_perfetto(text);
    assert_int_equal(n.b, 0); /* both issue outside */
    assert_int_equal(n.X, 4);
    assert_int_equal(n.C, 1);
    n = read_perfetto(perfetto_of(small, ARRAY_LEN(small), 4, &(struct trace_window){.from = 0, .to = 99, .sm = 0, .slot = 2}));
    assert_int_equal(n.C, 3); /* an SM's counters are of no slot */
    assert_int_equal(n.X, 1); /* the launch */
    n = read_perfetto(
        perfetto_of(small, ARRAY_LEN(small), 4, &(struct trace_window){.from = 50, .to = 99, .sm = -1, .slot = -1}));
    assert_int_equal(n.all, 0);
}

static void perfetto_closed_early(void **state) {
    (void)state;
    for (u32 n = 0; n <= ARRAY_LEN(small); n++) {
        struct sink s = open_perfetto(&all);
        s.l.launch(s.l.state, &kernel, 0);
        s.l.events(s.l.state, small, n);
        char *text = finish(&s);
        assert_int_equal(!!strstr(text, "\"finished\":false"), (n > 4 && n <= 14) || (n > 16 && n <= 20));
        struct phases p = read_perfetto(text);
        assert_int_equal(p.b, (n > 4) + (n > 16));
    }
    struct sink s = open_perfetto(&all); /* no launch at all */
    assert_int_equal(read_perfetto(finish(&s)).all, 0);
}

static void perfetto_escapes(void **state) {
    (void)state;
    const struct event e[] = {WARP(EV_WARP_START, 0), ISSUE(1, 1, 2), ISSUE(2, 2, 3), ISSUE(3, 3, 99), WARP(EV_WARP_END, 5)};
    char *text = perfetto_of(e, ARRAY_LEN(e), 2, &all);
    assert_non_null(strstr(
        text,
        "\"name\":\"say \\\"a\\\\b\\\" \\u0001?\"")); /* a quote, a backslash, a control character, a byte that is no UTF-8 */
    assert_non_null(strstr(text, "\"name\":\"?\",\"args\":{\"pc\":3,"));  /* no text */
    assert_non_null(strstr(text, "\"name\":\"?\",\"args\":{\"pc\":99,")); /* no instruction */
    read_perfetto(text);
}

static void perfetto_launches_and_sms(void **state) {
    (void)state;
    struct sink s = open_perfetto(&all);
    for (u32 i = 0; i < 2; i++) {
        struct event e[2 * ARRAY_LEN(small)];
        shifted(e, 100 * i, 2 * i, 0);
        shifted(e + ARRAY_LEN(small), 100 * i, 2 * i, 1);
        launch(&s, e, ARRAY_LEN(e), ARRAY_LEN(small), 100 * i, 100 * i + 40);
    }
    char *text = finish(&s);
    assert_non_null(strstr(text, "\"id\":\"0x1000000000004\",\"pid\":1,\"tid\":3,\"ts\":122"));
    struct phases n = read_perfetto(text);
    assert_int_equal(n.M, 7); /* each track is named once */
    assert_int_equal(n.b, 8);
    assert_int_equal(n.X, 4 * 6 + 2);
}

/* Two channels, 64 cycles of the core that are 128 of DRAM: 32 bursts of 32 bytes in the first, nothing in
 * the second */
static void perfetto_dram_counters(void **state) {
    (void)state;
    const struct dram_use u[2] = {{.bytes = 1024, .busy = 64, .queued = 256, .cycles = 128}, {.cycles = 128}};
    struct sink s = open_perfetto(&(struct trace_window){.from = 16, .to = 200, .sm = 0, .slot = -1});
    s.l.launch(s.l.state, &kernel, 0);
    s.l.dram(s.l.state, u, 2, 0, 64);
    s.l.dram(s.l.state, u, 2, 64, 128);
    s.l.dram(s.l.state, u, 2, 200, 264); /* behind the window */
    s.l.end(s.l.state, 264);
    char *text = finish(&s);
    static const char *const has[] = {
        "\"pid\":65537,\"name\":\"process_name\",\"args\":{\"name\":\"DRAM\"}",
        "\"pid\":65537,\"ts\":16,\"name\":\"bus use of channel 0\",\"args\":{\"value\":0.5}",
        "\"pid\":65537,\"ts\":16,\"name\":\"bus use of channel 1\",\"args\":{\"value\":0}",
        "\"pid\":65537,\"ts\":64,\"name\":\"bytes a cycle\",\"args\":{\"value\":16}",
        "\"pid\":65537,\"ts\":64,\"name\":\"bus use\",\"args\":{\"value\":0.25}",
        "\"pid\":65537,\"ts\":64,\"name\":\"bursts waiting\",\"args\":{\"value\":2}",
        "\"pid\":65537,\"ts\":128,\"name\":\"bytes a cycle\",\"args\":{\"value\":0}",
    };
    for (u32 i = 0; i < ARRAY_LEN(has); i++)
        if (!strstr(text, has[i])) fail_msg("no %s in %s", has[i], text);
    assert_int_equal(read_perfetto(text).C, 3 * 5); /* two intervals, and the end */
}

/* --- both */

static void a_full_disk_is_reported(void **state) {
    (void)state;
    for (u32 i = 0; i < 4; i++) {
        struct listener l;
        FILE *out = fopen("/dev/full", "w");
        if (!out) skip();
        struct konata *k = i % 2 ? NULL : konata_open(out, &all, &l);
        struct perfetto *p = i % 2 ? perfetto_open(out, &all, &l) : NULL;
        l.launch(l.state, &kernel, 0);
        for (u32 j = 0; i >= 2 && j < 1000; j++) l.events(l.state, small, ARRAY_LEN(small)); /* more than a buffer, or less */
        l.end(l.state, 40);
        assert_false(k ? konata_close(k) : perfetto_close(p));
        fclose(out);
    }
}

static u32 rnd(u32 below) {
    static u64 x = 88172645463325252ull;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return (u32)(x >> 32) % below;
}

static struct event any_event(u64 now) {
    struct event e = {
        .cycle = now + rnd(20), .uid = rnd(40), .mask = rnd(2) ? rnd(1 << 20) : ~0ull, .a = rnd(2) ? rnd(100) : now};
    e.b = rnd(100), e.pc = (i32)rnd(7) - 1, e.sm = (u16)rnd(3), e.slot = (u16)rnd(3);
    e.kind = (u8)rnd(EV_KINDS + 1), e.cause = (u8)rnd(12);
    if (e.kind == EV_TEXT) e.a = (u64)(uintptr_t)&code[rnd(ARRAY_LEN(code))]; /* which listeners have to believe */
    return e;
}

/* Events without rhyme or reason, as a broken model would make them: files that can be read, no finding
 * missed for a crash */
static void anything_goes(void **state) {
    (void)state;
    for (u32 round = 0; round < 200; round++) {
        struct trace_window w = round % 2 ? all : (struct trace_window){rnd(100), rnd(2000), (i32)rnd(3) - 1, (i32)rnd(3) - 1};
        struct sink k = open_konata(&w), p = open_perfetto(&w);
        struct listener l;
        struct audit *a = audit_new(2, 2, &l);
        const struct listener *each[] = {&k.l, &p.l, &l};
        u64 now = 0;
        for (u32 run = 0; run < 2; run++) {
            for (u32 j = 0; j < 3; j++) each[j]->launch(each[j]->state, &kernel, now);
            for (u32 i = 0; i < 50; i++, now += 10) {
                struct event e[20];
                for (u32 j = 0; j < ARRAY_LEN(e); j++) e[j] = any_event(now);
                for (u32 j = 0; j < 3; j++) each[j]->events(each[j]->state, e, 1 + rnd(ARRAY_LEN(e)));
            }
            for (u32 j = 0; run == 0 && j < 3; j++) each[j]->end(each[j]->state, now);
        }
        read_kanata(finish(&k));
        read_perfetto(finish(&p));
        assert_true(audit_violations(a) > 0);
        audit_free(a);
    }
}

/* --- the map underneath */

static void uids_like_a_plain_array(void **state) {
    (void)state;
    enum { SMS = 3, UIDS = 500 };
    static i64 plain[SMS][UIDS];
    struct uid_map m = {0};
    for (u32 i = 0; i < SMS * UIDS; i++) plain[i / UIDS][i % UIDS] = UIDS_NONE;
    assert_int_equal(uids_get(&m, 0, 1), UIDS_NONE);
    uids_drop(&m, 0, 1);
    for (u32 i = 0; i < 200000; i++) {
        u32 sm = rnd(SMS), uid = 1 + rnd(UIDS - 1);
        if (rnd(2)) uids_put(&m, sm, uid, (u32)(plain[sm][uid] = i));
        else uids_drop(&m, sm, uid), plain[sm][uid] = UIDS_NONE;
        sm = rnd(SMS), uid = 1 + rnd(UIDS - 1);
        assert_int_equal(uids_get(&m, sm, uid), plain[sm][uid]);
    }
    u32 n = 0;
    for (u32 i = 0; i < SMS * UIDS; i++) n += plain[i / UIDS][i % UIDS] != UIDS_NONE;
    assert_int_equal(m.n, n);
    uids_clear(&m);
    assert_int_equal(uids_get(&m, 1, 7), UIDS_NONE);
    uids_free(&m);
}

/* What a text's instructions became, by SM; those of another launch are forgotten */
static void changed_text_like_a_plain_array(void **state) {
    (void)state;
    enum { SMS = 3, PCS = 100 };
    static struct inst insts[PCS];
    static u32 plain[SMS][PCS];
    struct kernel k = {.code = insts, .ninst = PCS};
    struct facts f = {0};
    facts_learn(&f, &k);
    for (u32 i = 0; i < SMS * PCS; i++) plain[i / PCS][i % PCS] = i % PCS;
    for (u32 i = 0; i < 1000; i++) {
        u32 sm = rnd(SMS), pc = rnd(PCS);
        plain[sm][pc] = f.at.n;
        facts_change(&f, sm, pc, &insts[0]);
        facts_change(&f, sm, PCS + i, &insts[0]); /* not of this kernel */
        sm = rnd(SMS), pc = rnd(PCS);
        assert_int_equal(facts_now(&f, sm, pc), plain[sm][pc]);
    }
    facts_learn(&f, &k);
    for (u32 i = 0; i < SMS * PCS; i++) assert_int_equal(facts_now(&f, i / PCS, i % PCS), i % PCS);
    facts_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(konata_to_the_letter),
        cmocka_unit_test(konata_out_of_order),
        cmocka_unit_test(konata_windows),
        cmocka_unit_test(konata_closed_early),
        cmocka_unit_test(konata_rows_of_a_front),
        cmocka_unit_test(perfetto_tracks_of_fronts),
        cmocka_unit_test(stopped_launches_are_marked),
        cmocka_unit_test(konata_launches_and_sms),
        cmocka_unit_test(konata_stalls_find_their_instruction),
        cmocka_unit_test(konata_flushed_fetches),
        cmocka_unit_test(konata_keeps_little),
        cmocka_unit_test(konata_writes_as_it_goes),
        cmocka_unit_test(perfetto_to_the_letter),
        cmocka_unit_test(perfetto_taken_back),
        cmocka_unit_test(perfetto_dram_counters),
        cmocka_unit_test(perfetto_windows),
        cmocka_unit_test(perfetto_closed_early),
        cmocka_unit_test(perfetto_escapes),
        cmocka_unit_test(perfetto_launches_and_sms),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(anything_goes),
        cmocka_unit_test(uids_like_a_plain_array),
        cmocka_unit_test(changed_text_like_a_plain_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
