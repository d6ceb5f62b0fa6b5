/* The lecture's examples to the cycle: published answers, and derived ones with their derivation beside
 * them. */
#include "lab/lab.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct job {
    struct lab_program *p;
    const struct lab_machine *m;
    i64 *key;
    struct lab_run r;
};

static void set_words(struct job *j, const char *words) {
    struct diag d = {0};
    char *copy = strdup(words);
    for (char *save = NULL, *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
        char *equals = strchr(w, '=');
        *equals = 0;
        if (!lab_keys_set(j->m, j->key, w, equals + 1, &d, "test", 0)) fail_msg("%s", d.text.s);
    }
    free(copy);
}

static void open_text(struct job *j, const char *machine, const char *file, const char *text, size_t len, const char *settings) {
    struct diag d = {0};
    struct lab_wish w = {.pages = true, .from = 1, .to = UINT32_MAX};
    *j = (struct job){.m = lab_machine_find(machine)};
    assert_non_null(j->m);
    j->p = lab_assemble(file, text, len, &d);
    if (!j->p) fail_msg("%s", d.text.s);
    j->key = lab_keys_new(j->m);
    for (u32 i = 0; i < j->p->settings.n; i++)
        assert_true(lab_keys_set(j->m, j->key, j->p->settings.at[i].key, j->p->settings.at[i].value, &d, file, 0));
    set_words(j, settings);
    if (!lab_run(&j->r, j->m, j->p, j->key, &w, &d)) fail_msg("%s", d.text.s);
}

static void open_job(struct job *j, const char *machine, const char *program, const char *settings) {
    char *data = data_dir("lab"), path[4096];
    size_t len;
    assert_non_null(data);
    snprintf(path, sizeof(path), "%s/lab/%s.s", data, program);
    free(data);
    char *text = text_read_file(path, limit_most(LIMIT_OTHER), &len);
    assert_non_null(text);
    open_text(j, machine, path, text, len, settings);
    free(text);
}

static void close_job(struct job *j) {
    lab_run_free(&j->r);
    lab_program_free(j->p);
    free(j->key);
}

static i64 answer(const struct job *j, const char *name) {
    const struct lab_answer *a = lab_answer_find(&j->r, name);
    if (!a) fail_msg("no answer %s", name);
    return a->value;
}

static i64 answer_of(const char *machine, const char *program, const char *settings, const char *name) {
    struct job j;
    open_job(&j, machine, program, settings);
    i64 x = answer(&j, name);
    close_job(&j);
    return x;
}
static i64 cycles_of(const char *machine, const char *program, const char *settings) {
    return answer_of(machine, program, settings, "cycles");
}

static void expect_grid(const struct job *j, const char *const *want, u32 n) {
    assert_int_equal(j->r.rows.n, n);
    for (u32 i = 0; i < n; i++) {
        char *cells = lab_grid_cells(&j->r, i, 1, j->r.cycles);
        assert_string_equal(cells, want[i]);
        free(cells);
    }
}

static void expect_table(const struct job *j, u32 cycle, const char *title, const char *const *rows, u32 n) {
    const struct lab_page *p = lab_page_of(&j->r, cycle);
    assert_non_null(p);
    for (u32 i = 0; i < p->tables.n; i++) {
        const struct lab_table *t = &p->tables.at[i];
        if (strcmp(t->title, title)) continue;
        assert_int_equal(t->rows.n, n);
        for (u32 k = 0; k < n; k++) assert_memory_equal(t->rows.at[k], rows[k], strlen(rows[k]));
        return;
    }
    fail_msg("no table %s in cycle %u", title, cycle);
}

static void expect_words(const struct job *j, const char *name, const i64 *want, u32 n) {
    const struct lab_symbol *s = lab_symbol_find(j->p, name);
    assert_non_null(s);
    for (u32 i = 0; i < n; i++) assert_int_equal(j->r.st.words[s->address + i], want[i]);
}

/* --- L1 */

static void test_scoreboard(void **state) {
    /* D entered and left, E, W of the errata: 2/2, 3-8, 9; 3/10, 11-14, 15; 11/11, 12-15, 16; 12/12,
     * 13-16, 17; 13/18, 19-24, 25; 19/26, 27-30, 31 */
    static const char *const no_forwarding[] = {
        "FD123456W",         ".FD-------1234W",           "..F-------D1234W",
        "..........FD1234W", "...........FD-----123456W", "............F-----D-------1234W"};
    /* E starts 3, 9, 10, 11, 15, 21 */
    static const char *const forwarding[] = {"FD123456W",       ".FD-----1234W",         "..F-----D1234W",
                                             "........FD1234W", ".........FD---123456W", "..........F---D-----1234W"};
    struct job j;
    (void)state;
    open_job(&j, "scoreboard", "six", "forwarding=off");
    assert_int_equal(answer(&j, "cycles"), 31);
    expect_grid(&j, no_forwarding, 6);
    close_job(&j);
    open_job(&j, "scoreboard", "six", "forwarding=on");
    assert_int_equal(answer(&j, "cycles"), 25);
    expect_grid(&j, forwarding, 6);
    close_job(&j);
    assert_int_equal(cycles_of("unpipelined", "six", ""), 46); /* 2 x (3 + 6) + 4 x (3 + 4) */
}

/* --- L2 */

static void test_tomasulo(void **state) {
    /* E starts 3, 9, 5, 6, 10, 16 */
    static const char *const grid[] = {"FD123456W",  ".FD-----1234W",    "..FD1234W",
                                       "...FD1234W", "....FD---123456W", ".....FD--------1234W"};
    static const char *const rat7[] = {"R1|1|~|1", "R2|1|~|2", "R3|0|x|~", "R4|1|~|4",  "R5|0|d|~", "R6|1|~|6",
                                       "R7|0|b|~", "R8|1|~|8", "R9|1|~|9", "R10|0|c|~", "R11|0|y|~"};
    static const char *const add7[] = {"a|0|x|~|1|~|4|", "b|1|~|2|1|~|6|", "c|1|~|8|1|~|9|", "d|0|a|~|0|y|~|"};
    static const char *const mul7[] = {"x|1|~|1|1|~|2|", "y|0|b|~|0|c|~|"};
    static const char *const add4[] = {"a|0|x|~|1|~|4|", "b|1|~|2|1|~|6|"};
    static const char *const rat8[] = {"R1|1|~|1", "R2|1|~|2", "R3|1|~|2", "R4|1|~|4", "R5|0|d|~", "R6|1|~|6", "R7|1|~|8"};
    struct job j;
    (void)state;
    open_job(&j, "tomasulo", "six", "");
    assert_int_equal(answer(&j, "cycles"), 20);
    expect_grid(&j, grid, 6);
    expect_table(&j, 7, "register alias table", rat7, 11);
    expect_table(&j, 7, "add stations", add7, 4);
    expect_table(&j, 7, "mul stations", mul7, 2);
    expect_table(&j, 4, "add stations", add4, 2);
    const struct lab_page *p = lab_page_of(&j.r, 8); /* x and b broadcast: R3 and R7 hold values */
    for (u32 i = 0; i < 7; i++) assert_string_equal(p->tables.at[0].rows.at[i], rat8[i]);
    close_job(&j);
    assert_int_equal(cycles_of("tomasulo", "six", "buses=1"), 21);
    assert_int_equal(cycles_of("tomasulo", "six", "broadcast=write"), 22);
    assert_int_equal(cycles_of("tomasulo", "six", "pipelined=off"), 27);
}

/* 16 against 12, and no other latencies from 1 to 12 give both */
static void test_sixteen_against_twelve(void **state) {
    (void)state;
    for (u32 mul = 1; mul <= 12; mul++)
        for (u32 add = 1; add <= 12; add++) {
            char s[64], in[96];
            snprintf(s, sizeof(s), "mul.latency=%u add.latency=%u", mul, add);
            snprintf(in, sizeof(in), "%s dispatch=in_order", s);
            bool both = cycles_of("rob", "imul", in) == 16 && cycles_of("rob", "imul", s) == 12;
            assert_int_equal(both, mul == 5 && add == 1);
        }
}

/* --- L3 */

static void test_reorder_buffer(void **state) {
    (void)state;
    assert_int_equal(cycles_of("rob", "six", "dispatch=in_order forwarding=off"), 31);
    assert_int_equal(cycles_of("rob", "six", "dispatch=in_order"), 25);
    assert_int_equal(cycles_of("rob", "six", ""), 20);
    assert_int_equal(cycles_of("rob", "six", "stages=fderw dispatch=in_order forwarding=off"), 35);
    assert_int_equal(cycles_of("rob", "six", "stages=fderw dispatch=in_order"), 26);
    assert_int_equal(cycles_of("rob", "six", "stages=fderw"), 21);
}

/* The DIV is in E from 3 to 14. Behind it ADD R4 is in E 4-7, W 8; ADD R6 in E 5-8, W 9: both have written
   when it faults at 14. MUL waits for R6 until 8, is in E 9-14, and its W would be 15. With a reorder
   buffer the fault is raised at the DIV's W, 15; the future file and checkpoints restore in one cycle
   more, a history buffer undoes 5 destinations. */
static void test_precise_state(void **state) {
    static const char *const ways[] = {"rob", "future", "checkpoint", "history"};
    static const i64 raised[] = {15, 16, 0, 20};
    struct job j;
    (void)state;
    open_job(&j, "tomasulo", "fault", "");
    assert_non_null(strstr(j.r.fault, "younger instructions have written: ADD R4 <- R6, 1, ADD R6 <- R7, 1"));
    assert_int_equal(answer(&j, "younger_written"), 2);
    assert_int_equal(answer(&j, "cycles"), 14);
    assert_int_equal(j.r.st.reg[6], 8); /* a source of an instruction before is gone */
    close_job(&j);
    for (u32 i = 0; i < ARRAY_LEN(ways); i++) {
        char s[32];
        snprintf(s, sizeof(s), "precise=%s", ways[i]);
        open_job(&j, "rob", "fault", s);
        assert_non_null(j.r.fault);
        assert_int_equal(answer(&j, "younger_written"), 0);
        assert_int_equal(j.r.st.reg[6], 6);
        assert_int_equal(j.r.st.reg[4], 0);
        if (raised[i]) assert_int_equal(answer(&j, "cycles"), raised[i]);
        close_job(&j);
    }
}

/* The load's W is 503. 16 entries: it and 15 ADDs retire in 503, the other 49 are renamed one a cycle from
   504 to 552, E the cycle after, W two after: 554. 65 entries: all wait with it; 16 a cycle retire, the
   load and 15 in 503, the other 49 in four cycles: 507. */
static void test_window_of_a_long_load(void **state) {
    const char *common = "load.latency=500 add.latency=1 add.stations=64 retire.width=16";
    char s[160];
    (void)state;
    snprintf(s, sizeof(s), "%s rob.entries=16", common);
    assert_int_equal(cycles_of("rob", "window", s), 554);
    snprintf(s, sizeof(s), "%s rob.entries=65", common);
    assert_int_equal(cycles_of("rob", "window", s), 507);
}

/* --- L4: the load of [Q] is the store's word in iterations 0, 4 and 8. Aggressive, it is too early each
 * time; the store set learns from the first. */
static void test_disambiguation(void **state) {
    i64 slow, fast;
    (void)state;
    assert_int_equal(answer_of("rob", "disambiguate", "memory.order=conservative", "violations"), 0);
    assert_int_equal(answer_of("rob", "disambiguate", "memory.order=aggressive", "violations"), 3);
    assert_int_equal(answer_of("rob", "disambiguate", "memory.order=predicted", "violations"), 1);
    slow = cycles_of("rob", "disambiguate", "memory.order=conservative");
    fast = cycles_of("rob", "disambiguate", "memory.order=predicted predict=taken width=4 retire.width=4 rob.entries=64");
    assert_true(fast < slow);
    struct job j;
    open_job(&j, "rob", "disambiguate", "memory.order=aggressive predict=taken width=4 retire.width=4 rob.entries=64");
    assert_int_equal(j.r.st.reg[6], 4 * 100 + 4 * 500 + 4 * 900); /* the sum a sequential machine finds */
    close_job(&j);
}

/* --- L6 */

static void test_dataflow_graph(void **state) {
    static const char *const arcs[] = {"x-a", "b-y", "c-y", "a-d", "y-d"};
    struct job j;
    (void)state;
    open_job(&j, "tomasulo", "six", "");
    assert_int_equal(j.r.arcs.n, 5);
    for (u32 i = 0; i < 5; i++) {
        bool found = false;
        for (u32 k = 0; k < 5; k++) {
            char text[16];
            snprintf(text, sizeof(text), "%s-%s", j.r.rows.at[j.r.arcs.at[k].from].name, j.r.rows.at[j.r.arcs.at[k].to].name);
            found |= strcmp(text, arcs[i]) == 0;
        }
        assert_true(found);
    }
    close_job(&j);
}

/* --- L7 */

static void expect_means(const struct job *j) {
    const struct lab_symbol *c = lab_symbol_find(j->p, "C");
    for (i64 i = 0; i < 50; i++) assert_int_equal(j->r.st.words[c->address + i], (2 + 2 * i + 4 + 4 * i) / 2);
}

static void test_vector(void **state) {
    static const struct {
        const char *program, *settings;
        i64 cycles, instructions;
    } runs[] = {{"scalar", "banks=1", 2004, 304},
                {"scalar", "banks=16", 1504, 304},
                {"vector", "", 285, 7},
                {"vector", "chaining=on", 182, 7},
                {"vector", "chaining=on ports.load=2 ports.store=1", 79, 7}};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(runs); i++) {
        struct job j;
        open_job(&j, "vector", runs[i].program, runs[i].settings);
        assert_int_equal(answer(&j, "cycles"), runs[i].cycles);
        assert_int_equal(answer(&j, "instructions"), runs[i].instructions);
        expect_means(&j);
        close_job(&j);
    }
    /* lanes: 50 elements in 13 groups of 4; two loads overlap by their ports: 2 + 1 + 11 + 4 + 1 + 11 + 12 */
    assert_int_equal(cycles_of("vector", "vector", "chaining=on ports.load=2 ports.store=1 lanes=4 banks=64"), 42);
    /* 16 banks feed four lanes less well: a bank comes round after 4 cycles and is busy for 11 */
    assert_int_equal(cycles_of("vector", "vector", "chaining=on ports.load=2 ports.store=1 lanes=4"), 63);
}

static void test_masks(void **state) {
    static const i64 c[] = {2, 2, 3, 10, -4, 0, 6, -7};
    struct job j;
    (void)state;
    for (u32 density = 0; density < 2; density++) {
        open_job(&j, "vector", "mask", density ? "mask=density" : "mask=simple");
        assert_int_equal(answer(&j, "masked_steps"), density ? 5 : 8);
        expect_words(&j, "C", c, 8);
        close_job(&j);
    }
}

static void test_strides_and_banks(void **state) {
    static const i64 row[] = {0, 10, 20, 30, 40, 50}, bank[] = {0, 10, 4, 14, 8, 2};
    struct job j;
    (void)state;
    open_job(&j, "vector", "stride", "");
    assert_int_equal(answer(&j, "bank_waits"), 0);
    for (u32 i = 0; i < 6; i++) {
        char text[8];
        const struct lab_page *p = lab_page_of(&j.r, 3 + i); /* element i enters its bank in cycle 3 + i */
        snprintf(text, sizeof(text), "%lld|", (long long)bank[i]);
        bool found = false;
        for (u32 k = 0; k < p->tables.at[1].rows.n; k++) found |= strncmp(p->tables.at[1].rows.at[k], text, strlen(text)) == 0;
        assert_true(found);
        assert_int_equal(j.r.st.v[0][i], row[i]);
    }
    close_job(&j);
    /* ten banks and a stride of ten: every element in bank 0, each waits ten cycles more than the one
     * before would */
    assert_int_equal(answer_of("vector", "stride", "banks=10", "cycles"), 2 + 5 * 11 + 11);
}

static void test_strips_and_gather(void **state) {
    static const i64 a[] = {1 + 200, 2 + 400, 3 + 800, 4 + 900}, s[] = {0, 314, 0, 650, 0, 0, 0, 7120, 271};
    struct job j;
    (void)state;
    open_job(&j, "vector", "strips", "");
    assert_int_equal(answer(&j, "instructions"), 3 + 9 * 10); /* 527 = 8 x 64 + 15: nine strips */
    assert_int_equal(answer(&j, "element_steps"), 4 * 527);
    for (u32 i = 0; i < 527; i++) assert_int_equal(j.r.st.words[lab_symbol_find(j.p, "C")->address + i], 3 * (i + 1));
    close_job(&j);
    open_job(&j, "vector", "gather", "");
    expect_words(&j, "A", a, 4);
    expect_words(&j, "S", s, 9);
    close_job(&j);
}

static void test_chroma(void **state) {
    static const u8 want[] = {100, 101, 20, 21, 104, 105, 24, 25};
    struct job j;
    (void)state;
    open_job(&j, "simd", "chroma", "");
    assert_memory_equal(&j.r.st.words[lab_symbol_find(j.p, "out")->address], want, 8);
    assert_int_equal((u64)j.r.st.reg[REG_MM + 4] >> 16 & 0xFF, 20);
    close_job(&j);
}

/* --- L8 */

static void test_vliw(void **state) {
    /* x|b, c, y|a, d: 6 + 4 + 6 + 4 */
    static const struct {
        const char *bundle, *text;
    } want[] = {{"B1", "MUL R3 <- R1, R2"}, {"B1", "ADD R7 <- R2, R6"},   {"B2", "ADD R10 <- R8, R9"},
                {"B3", "ADD R5 <- R3, R4"}, {"B3", "MUL R11 <- R7, R10"}, {"B4", "ADD R5 <- R5, R11"}};
    struct job j;
    (void)state;
    open_job(&j, "vliw", "six", "");
    assert_int_equal(answer(&j, "e_cycles"), 20);
    assert_int_equal(answer(&j, "bundles"), 4);
    for (u32 i = 0; i < 6; i++) {
        assert_string_equal(j.r.rows.at[i].name, want[i].bundle);
        assert_string_equal(j.r.rows.at[i].text, want[i].text);
    }
    close_job(&j);
}

/* Access: three loads, store, index, branch; the index (4 cycles) lets the next loads start 8 cycles after
   the last: 1, 9, 17, 25. Execute: the first operand is there at 12; MUL 12, MUL 13, ADD at 13 + 6 = 19,
   MUL at 23, branch at 24, next iteration at 25: 13 cycles each. The last MUL issues at 12 + 3 x 13 + 11 =
   62, its result and the store are at 68. */
static void test_dae(void **state) {
    struct job j;
    i64 x[4];
    (void)state;
    for (i64 k = 0; k < 4; k++) x[k] = (k + 2) * (3 * (k + 11) + 2 * (k + 12));
    open_job(&j, "dae", "hydro", "");
    assert_int_equal(answer(&j, "cycles"), 68);
    expect_words(&j, "x", x, 4);
    close_job(&j);
    /* one stream: the first LD is steered in 1 and issues in 2, MUL at 13; no branch on the execute side:
     * 12 cycles each. 13 + 3 x 12 + 11 + 6 = 66. */
    open_job(&j, "dae", "hydro_zs1", "");
    assert_int_equal(answer(&j, "cycles"), 66);
    expect_words(&j, "x", x, 4);
    close_job(&j);
    open_job(&j, "dae", "hydro_unrolled", "");
    expect_words(&j, "x", x, 4);
    assert_int_equal(answer(&j, "execute"), 16);
    close_job(&j);
}

/* A branch that counts in a register must not overtake an instruction that still reads it */
static void test_dae_branch_waits(void **state) {
    static const char text[] = ".set stream single\n.reg A7 3\n.fill out 4\nloop: LD A5 <- [0]\n ADD A6 <- A5, A7\n ST [A7+out] "
                               "<- A6\n DECBNZ --A7, loop\n";
    static const i64 out[] = {0, 1, 2, 3};
    struct job j;
    (void)state;
    open_text(&j, "dae", "t.s", text, strlen(text), "");
    expect_words(&j, "out", out, 4);
    close_job(&j);
}

/* W1: y_i is complete in cell 1 in cycle 2i + 2k - 3, so n inputs take 2n - 1 cycles; each y meets k cells */
static void test_systolic(void **state) {
    static const i64 y[] = {14, 20, 26};
    struct job j;
    i64 corner = 0;
    (void)state;
    open_job(&j, "systolic", "convolution", "");
    assert_int_equal(answer(&j, "cycles"), 9);
    assert_int_equal(answer(&j, "cell_cycles"), 9);
    expect_words(&j, "y", y, 3);
    for (u32 i = 1; i <= 3; i++) assert_int_equal(lab_page_of(&j.r, 2 * i + 3)->notes.n, 1);
    close_job(&j);
    /* cell (i, j) works from i + j + 1 to i + j + k: 6 + 10 + 6 - 2 cycles */
    open_job(&j, "systolic", "matmul", "");
    assert_int_equal(answer(&j, "cycles"), 20);
    assert_int_equal(answer(&j, "cell_cycles"), 6 * 10 * 6);
    for (i64 l = 0; l < 6; l++) corner += (30 + l) * (10 * l + 9);
    assert_int_equal(answer(&j, "corner"), corner);
    close_job(&j);
    for (u32 n = 1; n <= 6; n++) {
        char s[64];
        snprintf(s, sizeof(s), "iterations=%u", n);
        assert_int_equal(cycles_of("systolic", "pipeline", s), n + 2);
        snprintf(s, sizeof(s), "iterations=%u cores=one", n);
        assert_int_equal(cycles_of("systolic", "pipeline", s), 3 * n);
    }
    assert_int_equal(cycles_of("systolic", "compress", ""), 1 + 6 * 3 + 1); /* the longest stage sets the pace */
}

/* Matching takes a cycle before each operator: 1 + 6 (b * 7) + 1 + 4 + 1 + 6 = 19; (7 - 28) * (7 + 28) =
 * -735. Two fetches go on together: 1 + 10 + 1 + 4. */
static void test_tagged_tokens(void **state) {
    struct job j;
    (void)state;
    open_job(&j, "dataflow", "expression", "");
    assert_int_equal(answer(&j, "cycles"), 19);
    assert_int_equal(answer(&j, "out1"), -735);
    assert_int_equal(answer(&j, "firings"), 5);
    close_job(&j);
    /* one token a cycle: a at 1, b at 2 (fires), b at 3: times7 in E 4-9. x's two tokens wait from 7 and
     * 8, y's come at 10 and 11: sum fires last, at 11, E 12-15; product is matched at 16, E 17-22 */
    assert_int_equal(cycles_of("dataflow", "expression", "width=1"), 22);
    assert_int_equal(cycles_of("dataflow", "fetches", ""), 16);
    assert_int_equal(answer_of("dataflow", "fetches", "", "out1"), 42);
    open_job(&j, "dataflow", "loop", "");
    assert_int_equal(answer(&j, "out1"), 5 + 4 + 3 + 2 + 1);
    assert_int_equal(answer(&j, "left_waiting"), 0);
    close_job(&j);
    /* a matching store of one place: tokens go round by the overflow unit, the result is the same */
    open_job(&j, "dataflow", "expression", "match.entries=1");
    assert_int_equal(answer(&j, "out1"), -735);
    assert_true(answer(&j, "overflows") > 0);
    close_job(&j);
}

/* --- SIMT: A and the branch with all, B and its jump 1110, C 0001, D with all */
static void test_simt(void **state) {
    static const char *const masks[] = {"1111", "1111", "1110", "1110", "0001", "1111"};
    static const char *const stack[] = {"ADD R2 <- R1, 10|ST [R1+out] <- R2|1110", "ADD R2 <- R1, 20|ST [R1+out] <- R2|0001",
                                        "ST [R1+out] <- R2|--|1111"};
    static const i64 out[] = {20, 11, 12, 13};
    struct job j;
    (void)state;
    open_job(&j, "simt", "diverge", "");
    assert_int_equal(j.r.rows.n, 6);
    for (u32 i = 0; i < 6; i++) assert_memory_equal(j.r.rows.at[i].text, masks[i], 4);
    const struct lab_page *p = lab_page_of(&j.r, 6); /* the branch has issued */
    assert_int_equal(p->tables.at[0].rows.n, 3);
    for (u32 i = 0; i < 3; i++) assert_string_equal(p->tables.at[0].rows.at[i], stack[i]);
    expect_words(&j, "out", out, 4);
    close_job(&j);
    assert_int_equal(answer_of("simt", "hiding", "cores=30 warps=32 width=32", "contexts"), 30720);
    /* one warp: each instruction alone, cycles = 1 + 20 + 20 + 4 + 1 and one of issue each; enough warps:
     * an instruction every cycle and no idle one but at the end */
    assert_int_equal(cycles_of("simt", "hiding", "warps=1"), 1 + 20 + 20 + 4 + 1 + 5);
    assert_true(answer_of("simt", "hiding", "warps=32", "idle") == 0);
}

/* --- every machine of the scalar language ends with the registers and memory of the sequential one */
static void test_all_end_alike(void **state) {
    static const char *const machines[] = {"unpipelined", "scoreboard", "tomasulo", "rob", "vector", "vliw", "simd"};
    static const char *const programs[] = {"six", "imul", "disambiguate", "scalar", "window"};
    (void)state;
    for (u32 k = 0; k < ARRAY_LEN(programs); k++)
        for (u32 i = 0; i < ARRAY_LEN(machines); i++) {
            struct job j;
            struct lab_state s;
            const char *fault = NULL;
            open_job(&j, machines[i], programs[k], "");
            lab_state_init(&s, j.p);
            lab_interpret(j.p, &s, 100000, &fault);
            assert_null(fault);
            assert_memory_equal(s.reg, j.r.st.reg, REG_VLEN * sizeof(i64));
            assert_memory_equal(s.words, j.r.st.words, s.nwords * sizeof(i64));
            lab_state_free(&s);
            close_job(&j);
        }
}

/* Spans lie in the run and do not overlap, for every exercise */
static void test_invariants(void **state) {
    (void)state;
    for (const struct lab_exercise *e = lab_exercises; e->id; e++) {
        struct job j;
        open_job(&j, e->machine, e->program, e->settings);
        assert_non_null(lab_answer_find(&j.r, e->answer));
        for (u32 i = 0; i < j.r.spans.n; i++) {
            const struct lab_span *s = &j.r.spans.at[i];
            assert_true(s->from >= 1 && s->from <= s->to && s->to <= j.r.cycles);
            for (u32 k = 0; k < i && j.r.spans.n < 3000; k++)
                if (j.r.spans.at[k].row == s->row) assert_true(j.r.spans.at[k].to < s->from || s->to < j.r.spans.at[k].from);
        }
        close_job(&j);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scoreboard),
        cmocka_unit_test(test_tomasulo),
        cmocka_unit_test(test_sixteen_against_twelve),
        cmocka_unit_test(test_reorder_buffer),
        cmocka_unit_test(test_precise_state),
        cmocka_unit_test(test_window_of_a_long_load),
        cmocka_unit_test(test_disambiguation),
        cmocka_unit_test(test_dataflow_graph),
        cmocka_unit_test(test_vector),
        cmocka_unit_test(test_masks),
        cmocka_unit_test(test_strides_and_banks),
        cmocka_unit_test(test_strips_and_gather),
        cmocka_unit_test(test_chroma),
        cmocka_unit_test(test_vliw),
        cmocka_unit_test(test_dae),
        cmocka_unit_test(test_dae_branch_waits),
        cmocka_unit_test(test_systolic),
        cmocka_unit_test(test_tagged_tokens),
        cmocka_unit_test(test_simt),
        cmocka_unit_test(test_all_end_alike),
        cmocka_unit_test(test_invariants),
    };
    return cmocka_run_group_tests_name("lecture", tests, NULL, NULL);
}
