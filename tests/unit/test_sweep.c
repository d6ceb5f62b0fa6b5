/* Experiments: values, conditions, plans and their hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sweep/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *sched = "gto", *warps = "16";
static const char *lookup(void *of, const char *name) {
    (void)of;
    return strcmp(name, "sm.sched") == 0 ? sched : strcmp(name, "sm.warps") == 0 ? warps : "vecadd";
}

static struct sweep_group some[] = {{.name = "both", .words.v = {.at = (const char *[]){"lrr", "gto"}, .n = 2}},
                                    {.name = "other", .words.v = {.at = (const char *[]){"bfs"}, .n = 1}}};
static const struct sweep_groups groups = {.v = {.at = some, .n = ARRAY_LEN(some)}};

static bool holds(const char *text) {
    struct arena mem = {0};
    struct diag d = {0};
    struct sweep_place p = {"t", 1, &d};
    const struct condition *c = condition_parse(&mem, text, &groups, &p);
    if (!c) fail_msg("%s: %s", text, d.text.s);
    bool yes = condition_holds(c, lookup, NULL);
    arena_free(&mem);
    return yes;
}

static void conditions_hold_or_not(void **state) {
    (void)state;
    assert_true(holds("sm.sched == gto"));
    assert_true(holds("sm.sched = gto"));
    assert_false(holds("sm.sched != gto"));
    assert_true(holds("sm.warps < 17"));
    assert_true(holds("sm.warps >= 16"));
    assert_true(holds("sm.warps == 016")); /* numbers, not texts */
    assert_false(holds("sm.warps > 16"));
    assert_true(holds("program == vecadd and sm.warps <= 16"));
    assert_true(holds("program == bfs or not sm.sched == lrr"));
    assert_false(holds("not (program == vecadd or sm.sched == lrr)"));
    assert_true(holds("program == bfs and sm.sched == gto or sm.warps == 16")); /* and binds tighter */
    assert_false(holds("program < 5"));                                         /* a text is not less than a number */
    assert_true(holds("sm.sched in (lrr, gto)"));
    assert_true(holds("sm.sched in both"));
    assert_true(holds("sm.warps in (8,16)"));
    assert_true(holds("program in other or sm.sched in(gto)"));
    assert_false(holds("program in other"));
    assert_false(holds("not sm.sched in both and sm.warps == 16"));
}

static void conditions_are_refused(void **state) {
    static const char *const wrong[] = {"",
                                        "sm.sched",
                                        "sm.sched ==",
                                        "== gto",
                                        "sm.x == 1",
                                        "progam == x",
                                        "(sm.warps == 1",
                                        "sm.warps == 1)",
                                        "sm.warps 1",
                                        "sm.warps == a",
                                        "sm.sched == gtoo",
                                        "sm.warps == 1 and",
                                        "not",
                                        "sm.warps == 1 sm.warps == 2",
                                        "sm.sched == \"gto",
                                        "sm.sched in",
                                        "sm.sched in ()",
                                        "sm.sched in (gto",
                                        "sm.sched in (gto,)",
                                        "sm.sched in (gto gto)",
                                        "sm.sched in (gto, gtoo)",
                                        "sm.sched in none",
                                        "sm.sched in other"};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(wrong); i++) {
        struct arena mem = {0};
        struct diag d = {0};
        struct sweep_place p = {"t", 7, &d};
        if (condition_parse(&mem, wrong[i], &groups, &p)) fail_msg("'%s' was taken", wrong[i]);
        assert_true(d.errors > 0);
        assert_non_null(strstr(d.text.s, "t:7: error: "));
        diag_free(&d);
        arena_free(&mem);
    }
}

static void nesting_has_an_end(void **state) {
    struct arena mem = {0};
    struct diag d = {0};
    struct sweep_place p = {"t", 1, &d};
    char *text = base_alloc(200001);
    (void)state;
    memset(text, '(', 200000);
    assert_null(condition_parse(&mem, text, &groups, &p));
    free(text);
    diag_free(&d);
    arena_free(&mem);
}

static void values_have_units(void **state) {
    struct diag d = {0};
    struct sweep_place p = {"t", 1, &d};
    double seconds = 0;
    u64 bytes = 0, n = 0;
    (void)state;
    assert_true(value_seconds(&p, "time", "90", &seconds) && seconds == 90);
    assert_true(value_seconds(&p, "time", "1.5 h", &seconds) && seconds == 5400);
    assert_true(value_seconds(&p, "time", "2d", &seconds) && seconds == 172800);
    assert_true(value_bytes(&p, "memory", "512M", &bytes) && bytes == 512ull << 20);
    assert_true(value_bytes(&p, "memory", "4 GiB", &bytes) && bytes == 4ull << 30);
    assert_true(value_count(&p, "n", "7", 1, 8, &n) && n == 7);
    assert_int_equal(d.errors, 0);
    assert_false(value_seconds(&p, "time", "-1", &seconds));
    assert_false(value_seconds(&p, "time", "1 fortnight", &seconds));
    assert_false(value_bytes(&p, "memory", "4", &bytes));
    assert_false(value_bytes(&p, "memory", "4GX", &bytes));
    assert_false(value_count(&p, "n", "9", 1, 8, &n));
    assert_int_equal(d.errors, 5);
    assert_true(value_number(&p, "x", "1.5", 1, 2, &seconds) && seconds == 1.5);
    assert_false(value_number(&p, "x", "xyz", 0, 2, &seconds));
    assert_false(value_number(&p, "x", "-3", 0, 2, &seconds));
    assert_false(value_number(&p, "x", "1.5x", 0, 2, &seconds));
    assert_false(value_number(&p, "x", "nan", 0, 2, &seconds));
    assert_true(value_setting(&p, "sm.sched", "gto"));
    assert_false(value_setting(&p, "sm.sched", "gtoo"));
    assert_false(value_setting(&p, "sm.sched", "rob")); /* a policy of another kind */
    assert_int_equal(d.errors, 11);
    diag_free(&d);
}

static void words_mean_themselves_to_a_shell(void **state) {
    static const struct {
        const char *word, *quoted;
    } cases[] = {
        {"a/b-1.json", "a/b-1.json"}, {"", "''"}, {"a b", "'a b'"}, {"$(x)`y`\"", "'$(x)`y`\"'"}, {"it's", "'it'\\''s'"}};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        struct strbuf s = {0};
        shell_word(&s, cases[i].word);
        assert_string_equal(s.s, cases[i].quoted);
        strbuf_free(&s);
    }
}

/* --- plans */

static void plan_text(const char *text, struct experiment *x, struct plan *p) {
    char path[] = "/tmp/heddle-test-sweep-XXXXXX";
    struct diag d = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    if (!experiment_read(x, path, &d) || !plan_make(p, x, &d)) fail_msg("%s", d.text.s);
    unlink(path);
    diag_free(&d);
}

static void products_and_lists_are_counted(void **state) {
    struct experiment x;
    struct plan p;
    (void)state;
    plan_text("[programs]\nrun = vecadd, saxpy\nsize = tiny, small\n[machines]\nrun = small\n[keys]\nsm.warps = 8, 16\n"
              "[list one]\nsm.l1.mshrs = 4, 8, 16\nsm.l1.ways = 1, 2, 4\n",
              &x, &p);
    assert_int_equal(p.runs.n, 2 * 2 * 2 * 3);
    assert_string_equal(p.runs.at[0].settings, "sm.warps=8 sm.l1.mshrs=4 sm.l1.ways=1");
    assert_string_equal(p.runs.at[5].settings, "sm.warps=16 sm.l1.mshrs=16 sm.l1.ways=4");
    for (u32 i = 0; i < p.runs.n; i++) assert_int_equal(p.runs.at[i].same_as, i);
    plan_free(&p);
    experiment_free(&x);
}

/* One configuration under two names is one run; a repetition that moves a key is another */
static void same_runs_are_found(void **state) {
    struct experiment x;
    struct plan p;
    (void)state;
    plan_text("[programs]\nrun = vecadd\nsize = tiny\n[machines]\nrun = small\n[configuration a]\nsm.sched = gto\n"
              "[configuration b]\nwith = a\n[repetitions]\ncount = 2\n",
              &x, &p);
    assert_int_equal(p.runs.n, 4);
    assert_int_equal(p.runs.at[2].same_as, 0);
    assert_int_equal(p.runs.at[3].same_as, 1);
    assert_true(p.runs.at[0].hash == p.runs.at[2].hash && p.runs.at[0].hash != p.runs.at[1].hash);
    plan_free(&p);
    experiment_free(&x);
}

/* key = all moves what --perturb moves, and nothing in the run that is none */
static void repetitions_move_one_key_or_all(void **state) {
    struct experiment x;
    struct plan p;
    (void)state;
    plan_text("[programs]\nrun = vecadd\nsize = tiny\n[machines]\nrun = small\n[repetitions]\ncount = 3\nkey = all\n", &x, &p);
    assert_int_equal(p.runs.n, 3);
    assert_string_equal(p.runs.at[0].settings, "");
    assert_non_null(strstr(p.runs.at[1].settings, "gpu.address_offset_b=8448"));
    assert_non_null(strstr(p.runs.at[2].settings, "gpu.address_offset_b=16896"));
    assert_true(strstr(p.runs.at[2].settings, "gpu.cta_launch_cy=") && strstr(p.runs.at[2].settings, "gpu.first_sm="));
    assert_true(p.runs.at[0].hash != p.runs.at[1].hash && p.runs.at[1].hash != p.runs.at[2].hash);
    assert_true(plan_moves(&x, "gpu.first_sm") && plan_moves(&x, "gpu.address_offset_b") && !plan_moves(&x, "sm.sched"));
    plan_free(&p);
    experiment_free(&x);
}

/* seed = yes: other data in each repetition, except of a program that draws none */
static void repetitions_have_other_data(void **state) {
    struct experiment x;
    struct plan p;
    struct arena mem = {0};
    struct result_what what;
    (void)state;
    plan_text(
        "[programs]\nrun = vecadd, mandelbrot\nsize = tiny\n[machines]\nrun = small\n[measure]\nflush = yes\n[repetitions]\n"
        "count = 2\nkey = all\nseed = yes\n[conditions]\nskip = program == mandelbrot and repetition > 0\n",
        &x, &p);
    assert_int_equal(p.runs.n, 3);
    plan_what(&p, &p.runs.at[0], &mem, &what);
    assert_string_equal(what.measure, "flush");
    plan_what(&p, &p.runs.at[1], &mem, &what);
    assert_string_equal(what.measure, "flush seed=1");
    char **words = plan_command(&p, &p.runs.at[1], "heddle", 1, "-");
    u32 at = 0;
    while (words[at] && strcmp(words[at], "--seed")) at++;
    assert_true(words[at] && strcmp(words[at + 1], "1") == 0);
    plan_command_free(words);
    u64 with = p.runs.at[1].hash;
    plan_free(&p);
    experiment_free(&x);
    plan_text(
        "[programs]\nrun = vecadd, mandelbrot\nsize = tiny\n[machines]\nrun = small\n[measure]\nflush = yes\n[repetitions]\n"
        "count = 2\nkey = all\n",
        &x, &p);
    assert_true(p.runs.at[1].hash != with);
    u64 mandelbrot = p.runs.at[3].hash;
    x.reseed = true;
    plan_free(&p);
    struct diag d = {0};
    assert_true(plan_make(&p, &x, &d));
    assert_true(p.runs.at[1].hash == with && p.runs.at[3].hash == mandelbrot);
    diag_free(&d);
    plan_free(&p);
    experiment_free(&x);
    arena_free(&mem);
}

/* Keys that do not go together are a mistake only in runs that are wanted */
static void conditions_leave_out_what_does_not_go_together(void **state) {
    struct experiment x;
    struct plan p;
    (void)state;
    plan_text("[programs]\nrun = vecadd\nsize = tiny\n[machines]\nrun = small\n[keys]\nsm.hazard = stall, replay\n"
              "sm.order = in_order, rob\n[conditions]\nskip = sm.hazard == replay and sm.order == rob\n",
              &x, &p);
    assert_int_equal(p.runs.n, 3);
    plan_free(&p);
    experiment_free(&x);
}

/* A file of schema 1, which had no documents, batches and tasks: readers are told, the first writer migrates
 * it, and what it held stays */
static void older_files_are_migrated(void **state) {
    char path[] = "/tmp/heddle-store-XXXXXX";
    struct strbuf why = {0};
    (void)state;
    assert_true(close(mkstemp(path)) == 0 && unlink(path) == 0);
    struct store *s = store_open(path, STORE_WRITE, &why);
    if (!s) fail_msg("%s", why.s);
    assert_true(store_do(s, "INSERT INTO meta VALUES('experiment', 'old'); DROP TABLE documents; DROP TABLE batches; DROP TABLE "
                            "tasks; PRAGMA user_version = 1"));
    store_close(s);
    assert_null(store_open(path, STORE_READ, &why));
    assert_non_null(strstr(why.s, "of an older schema"));
    strbuf_free(&why);
    why = (struct strbuf){0};
    s = store_open(path, STORE_WRITE, &why);
    if (!s) fail_msg("%s", why.s);
    assert_int_equal(store_number(s, "PRAGMA user_version"), STORE_SCHEMA);
    assert_int_equal(store_number(s, "SELECT count(*) FROM meta WHERE value = 'old'"), 1);
    assert_int_equal(store_number(s, "SELECT count(*) FROM sqlite_master WHERE name IN ('documents', 'batches', 'tasks')"), 3);
    store_close(s);
    s = store_open(path, STORE_READ, &why);
    if (!s) fail_msg("%s", why.s);
    store_close(s);
    strbuf_free(&why);
    unlink(path);
}

/* --- what questions of a study have beyond SQL */

struct asked {
    const char *sql;
    double answer; /* not a number: NULL */
};

/* The answer to a question, not a number where it is NULL */
static double ask(struct store *s, const char *sql) {
    sqlite3_stmt *q;
    if (!store_prepare(s, sql, &q)) fail_msg("%s: %s", sql, store_why(s));
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    double x = sqlite3_column_type(q, 0) == SQLITE_NULL ? NAN : sqlite3_column_double(q, 0);
    sqlite3_finalize(q);
    return x;
}

static void ask_all(const struct asked *all, u32 n) {
    char path[] = "/tmp/heddle-store-XXXXXX";
    struct strbuf why = {0};
    struct experiment x = {0};
    assert_true(close(mkstemp(path)) == 0 && unlink(path) == 0);
    struct store *s = store_open(path, STORE_WRITE, &why);
    if (!s || !store_aggregates(s, &x)) fail_msg("%s", why.s);
    for (u32 i = 0; i < n; i++) {
        double got = ask(s, all[i].sql), want = all[i].answer;
        if (isnan(want) ? !isnan(got) : !(fabs(got - want) <= 1e-9)) fail_msg("%s: %.12g, not %.12g", all[i].sql, got, want);
    }
    store_close(s);
    strbuf_free(&why);
    unlink(path);
}

/* By hand: of 1 2 3 4 and 1 3 2 5 the sums about the means are 5, 8.75 and 5.5 */
static void correlations_are_pearsons(void **state) {
    static const struct asked all[] = {
        {"SELECT correlation(column1, column2) FROM (VALUES (1, 1), (2, 3), (3, 2), (4, 5))", 0.83152184062},
        {"SELECT correlation(column2, column1) FROM (VALUES (4, 5), (1, 1), (3, 2), (2, 3))", 0.83152184062},
        {"SELECT correlation(column1, -column2) FROM (VALUES (1, 1), (2, 3), (3, 2), (4, 5))", -0.83152184062},
        {"SELECT correlation(column1, 3 - 2 * column1) FROM (VALUES (1), (5), (7))", -1},
        {"SELECT correlation(column1, column2) FROM (VALUES (1, 1), (2, NULL), (NULL, 9), (2, 3), (3, 2), (4, 5))",
         0.83152184062},
        {"SELECT correlation(1e9 + column1, 1e9 + column2) FROM (VALUES (1, 1), (2, 3), (3, 2), (4, 5))", 0.83152184062},
        {"SELECT correlation(1e9 + column1, column1) FROM (VALUES (1), (2))", 1},
        {"SELECT correlation(0.1, column1) FROM (VALUES (1), (2), (3))", NAN},
        {"SELECT correlation(column1, 1e9) FROM (VALUES (1), (2), (3))", NAN},
        {"SELECT correlation(column1, column1) FROM (VALUES (1))", NAN},
        {"SELECT correlation(column1, column1) FROM (VALUES (NULL))", NAN},
    };
    (void)state;
    ask_all(all, ARRAY_LEN(all));
}

static void means_and_jitter(void **state) {
    static const struct asked all[] = {
        {"SELECT gmean(column1) FROM (VALUES (1), (4), (NULL), (16), (-3))", 4},
        {"SELECT gmean(column1) FROM (VALUES (NULL), (0))", NAN},
        {"SELECT gmean_half(column1, column2) FROM (VALUES (0.03, 1), (0.08, 2))", 0.03535533905932738},
        {"SELECT jitter(column1) FROM (VALUES (9), (11), (9), (11), (9), (11), (9), (11))", 0.26816579360005},
        {"SELECT jitter(column1) FROM (VALUES (9), (11), (9), (11), (9), (11), (9))", NAN},
    };
    (void)state;
    ask_all(all, ARRAY_LEN(all));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_hold_or_not),
        cmocka_unit_test(conditions_are_refused),
        cmocka_unit_test(nesting_has_an_end),
        cmocka_unit_test(values_have_units),
        cmocka_unit_test(words_mean_themselves_to_a_shell),
        cmocka_unit_test(conditions_leave_out_what_does_not_go_together),
        cmocka_unit_test(products_and_lists_are_counted),
        cmocka_unit_test(same_runs_are_found),
        cmocka_unit_test(repetitions_move_one_key_or_all),
        cmocka_unit_test(repetitions_have_other_data),
        cmocka_unit_test(older_files_are_migrated),
        cmocka_unit_test(correlations_are_pearsons),
        cmocka_unit_test(means_and_jitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
