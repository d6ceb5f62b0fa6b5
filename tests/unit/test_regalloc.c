/* Register allocation: small programs with known answers, then random ones under two independent judges: a
 * liveness per instruction by plain iteration that says which registers must be apart, and an interpreter
 * that runs virtual and physical registers side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow_random.h"

#define LIST(...) .read = (const i32[]){__VA_ARGS__}, .nread = ARRAY_LEN(((const i32[]){__VA_ARGS__}))
#define INTO(...) .write = (const i32[]){__VA_ARGS__}, .nwrite = ARRAY_LEN(((const i32[]){__VA_ARGS__}))
#define NEXT      .target = NONE, .falls = true

struct outcome {
    struct regalloc_result r;
    i32 phys[16];
};

static struct outcome allocate(const struct flow_inst *inst, u32 n, const char *rows) {
    struct outcome o;
    struct arena scratch = {0};
    u8 vreg_rows[16];
    u32 nvregs = (u32)strlen(rows);
    for (u32 v = 0; v < nvregs; v++) vreg_rows[v] = (u8)(rows[v] - '0');
    struct flow f = {n, inst, nvregs, vreg_rows};
    o.r = regalloc(&f, NULL, 0, NULL, 0, o.phys, &scratch);
    arena_free(&scratch);
    return o;
}

static void test_reuse_at_last_read(void **state) {
    (void)state;
    const struct flow_inst chain[] = {{NEXT, INTO(0)}, {NEXT, LIST(0), INTO(1)}, {NEXT, LIST(1), INTO(2)}, {NEXT, LIST(2)}};
    struct outcome o = allocate(chain, 4, "111");
    assert_int_equal(o.r.regs, 1);
    assert_int_equal(o.r.max_live, 1);
    assert_int_equal(o.phys[2], 0);
}

static void test_dead_definition(void **state) {
    (void)state;
    const struct flow_inst dead[] = {{NEXT, INTO(0)}, {NEXT, INTO(1)}, {NEXT, LIST(0)}}; /* 1 is never read but is written */
    struct outcome o = allocate(dead, 3, "1110");
    assert_int_equal(o.phys[0], 0);
    assert_int_equal(o.phys[1], 1);
    assert_int_equal(o.phys[2], NONE);
    assert_int_equal(o.r.max_live, 2);
    assert_int_equal(o.r.preds, 0);
}

static void test_hole(void **state) {
    (void)state;
    const struct flow_inst hole[] = {{NEXT, INTO(0)}, {NEXT, LIST(0)}, {NEXT, INTO(1)},
                                     {NEXT, LIST(1)}, {NEXT, INTO(0)}, {NEXT, LIST(0)}};
    struct outcome o = allocate(hole, 6, "11");
    assert_int_equal(o.r.regs, 1); /* 1 lives in the gap between the two lives of 0 */
}

static void test_guarded_write_keeps(void **state) {
    (void)state;
    struct flow_inst hole[] = {{NEXT, INTO(0)}, {NEXT, LIST(0)}, {NEXT, INTO(1)},
                               {NEXT, LIST(1)}, {NEXT, INTO(0)}, {NEXT, LIST(0)}};
    hole[4].guarded = true;
    assert_int_equal(allocate(hole, 6, "11").r.regs, 2);
}

static void test_partial_overlap(void **state) {
    (void)state;
    /* cvt.u64.u32: the pair must not lie on the dying word */
    const struct flow_inst widen[] = {{NEXT, INTO(0)}, {NEXT, LIST(0), INTO(1)}, {NEXT, LIST(1)}};
    struct outcome o = allocate(widen, 3, "12");
    assert_int_equal(o.phys[0], 0);
    assert_int_equal(o.phys[1], 2);
    assert_int_equal(o.r.max_live, 2);
    assert_int_equal(allocate(widen, 3, "22").phys[1], 0);
    assert_int_equal(allocate(widen, 3, "21").phys[1], 2);
    assert_int_equal(allocate(widen, 3, "44").phys[1], 0);
    assert_int_equal(allocate(widen, 3, "00").phys[1], 0);
    assert_int_equal(allocate(widen, 3, "10").phys[1], 0);
    assert_int_equal(allocate(widen, 3, "10").r.preds, 1);
}

static void test_vector_load(void **state) {
    (void)state;
    const struct flow_inst load[] = {{NEXT, INTO(0)}, {NEXT, LIST(0), INTO(1, 2)}, {NEXT, LIST(1, 2)}};
    struct outcome o = allocate(load, 3, "111");
    assert_int_equal(o.phys[0], 0); /* the address is read again after the first element was written */
    assert_int_equal(o.phys[1], 1);
    assert_int_equal(o.phys[2], 2);
}

static void test_alignment(void **state) {
    (void)state;
    const struct flow_inst mixed[] = {
        {NEXT, INTO(0)}, {NEXT, INTO(1)}, {NEXT, INTO(2)}, {NEXT, INTO(3)}, {NEXT, LIST(0, 1, 2, 3)}};
    struct outcome o = allocate(mixed, 5, "1241");
    assert_int_equal(o.phys[0], 0);
    assert_int_equal(o.phys[1], 2);
    assert_int_equal(o.phys[2], 4);
    assert_int_equal(o.phys[3], 1);
    assert_int_equal(o.r.regs, 8);
    assert_int_equal(o.r.max_live, 8);
}

static void test_loop_carried(void **state) {
    (void)state;
    const struct flow_inst loop[] = {
        {NEXT, INTO(0)},
        {NEXT, INTO(1)},
        {NEXT, LIST(1), INTO(2)},
        {NEXT, LIST(2), INTO(1)},
        {.target = 2, .falls = true, LIST(3)},
        {NEXT, LIST(0)},
    };
    struct outcome o = allocate(loop, 6, "1110");
    assert_int_equal(o.phys[0], 0); /* not read in the loop, yet live through it */
    assert_int_equal(o.phys[1], 1);
    assert_int_equal(o.phys[2], 1);
    assert_int_equal(o.phys[3], 0); /* a predicate read but never written */
    assert_int_equal(o.r.preds, 1);
}

static void test_branches_share(void **state) {
    (void)state;
    const struct flow_inst arms[] = {
        {.target = 4, .falls = true}, {NEXT, INTO(0)}, {NEXT, LIST(0)}, {.target = 6}, {NEXT, INTO(1)}, {NEXT, LIST(1)}};
    assert_int_equal(allocate(arms, 6, "11").r.regs, 1);
}

static void test_parameters(void **state) {
    (void)state;
    struct arena scratch = {0};
    const struct flow_inst body[] = {{NEXT, LIST(2), INTO(0)}, {.target = NONE, .leaves = true}};
    struct flow f = {2, body, 5, (const u8[]){1, 2, 1, 1, 0}};
    i32 phys[5];
    struct regalloc_result r = regalloc(&f, (const i32[]){2, 1, 3, 4}, 4, (const i32[]){0, 1}, 2, phys, &scratch);
    assert_int_equal(phys[2], 0); /* in the order they are listed */
    assert_int_equal(phys[1], 2);
    assert_int_equal(phys[3], 1); /* never read, but the caller writes it */
    assert_int_equal(phys[4], 0);
    assert_int_equal(phys[0], 0);
    assert_int_equal(r.regs, 4);
    assert_int_equal(r.max_live, 4);
    f.ninsts = 0; /* nothing between entry and exit */
    r = regalloc(&f, (const i32[]){2, 1}, 2, (const i32[]){1, 2}, 2, phys, &scratch);
    assert_int_equal(phys[2], 0);
    assert_int_equal(phys[1], 2);
    assert_int_equal(phys[0], NONE);
    assert_int_equal(r.max_live, 3);
    arena_free(&scratch);
}

static void test_unreachable(void **state) {
    (void)state;
    const struct flow_inst dead[] = {{.target = NONE, .leaves = true}, {NEXT, INTO(0)}, {NEXT, INTO(1)}, {NEXT, LIST(0, 1)}};
    struct outcome o = allocate(dead, 4, "11");
    assert_int_equal(o.r.regs, 2);
    assert_int_not_equal(o.phys[0], o.phys[1]);
}

static void test_empty(void **state) {
    (void)state;
    struct outcome o = allocate(NULL, 0, "12");
    assert_int_equal(o.r.regs, 0);
    assert_int_equal(o.phys[0], NONE);
}

/* --- random programs */

enum { MAX_VREGS = RANDOM_MAX_INSTS };

struct trial {
    struct random_program p;
    u32 nparams, nresults;
    i32 params[4], results[4];
    i32 phys[MAX_VREGS];
    struct regalloc_result r;
};

static u32 random_list(u64 *seed, i32 *list, u32 most, u32 nvregs) {
    u32 n = random_below(seed, most + 1);
    for (u32 k = 0; k < n; k++) list[k] = (i32)random_below(seed, nvregs);
    return n;
}

/* Results need no two names for one register, nor do parameters */
static u32 without_repeats(i32 *list, u32 n) {
    u32 kept = 0;
    for (u32 k = 0; k < n; k++) {
        bool again = false;
        for (u32 j = 0; j < kept; j++) again |= list[j] == list[k];
        if (!again) list[kept++] = list[k];
    }
    return kept;
}

static void random_trial(struct trial *t, u64 *seed, bool plain) {
    static const u8 sizes[] = {1, 1, 1, 2, 2, 0, 0, 4};
    random_flow(&t->p, 1 + random_below(seed, plain ? RANDOM_MAX_INSTS - 1 : 30), seed);
    struct flow *f = &t->p.flow;
    f->nvregs = 1 + random_below(seed, 24);
    for (u32 v = 0; v < f->nvregs; v++) t->p.rows[v] = plain ? 1 : sizes[random_below(seed, ARRAY_LEN(sizes))];
    for (u32 i = 0; i < f->ninsts; i++) {
        struct flow_inst *in = &t->p.inst[i];
        if (plain) *in = (struct flow_inst)F_OP;
        in->read = t->p.reads[i];
        in->write = t->p.writes[i];
        in->nread = (u16)random_list(seed, t->p.reads[i], 3, f->nvregs);
        in->nwrite = (u16)random_list(seed, t->p.writes[i], plain || random_below(seed, 4) ? 1 : RANDOM_MAX_OPNDS, f->nvregs);
        in->guarded = !plain && random_below(seed, 5) == 0;
    }
    t->nparams = without_repeats(t->params, plain ? 0 : random_list(seed, t->params, 4, f->nvregs));
    t->nresults = without_repeats(t->results, plain ? 0 : random_list(seed, t->results, 4, f->nvregs));
}

static void run_trial(struct trial *t) {
    struct arena scratch = {0};
    t->r = regalloc(&t->p.flow, t->params, t->nparams, t->results, t->nresults, t->phys, &scratch);
    arena_free(&scratch);
}

/* --- first judge: a set of virtual registers is one u64 */

static u64 set_of(const i32 *list, u32 n) {
    u64 set = 0;
    for (u32 k = 0; k < n; k++) set |= 1ull << list[k];
    return set;
}

static void brute_liveness(const struct trial *t, u64 *in, u64 *out) {
    const struct flow *f = &t->p.flow;
    memset(in, 0, sizeof(*in) * (f->ninsts + 1));
    memset(out, 0, sizeof(*out) * (f->ninsts + 1));
    in[f->ninsts] = set_of(t->results, t->nresults);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = f->ninsts; i-- > 0;) {
            const struct flow_inst *x = &f->inst[i];
            u32 to[RANDOM_MAX_TARGETS + 3], nto = random_successors(f, i, to);
            u64 after = 0;
            for (u32 k = 0; k < nto; k++) after |= in[to[k]];
            u64 before = (after & ~(x->guarded ? 0 : set_of(x->write, x->nwrite))) | set_of(x->read, x->nread);
            changed |= before != in[i] || after != out[i];
            in[i] = before;
            out[i] = after;
        }
    }
}

static bool overlap(const struct trial *t, u32 a, u32 b) {
    u32 ra = t->p.rows[a], rb = t->p.rows[b];
    if (!ra || !rb) return ra == rb && t->phys[a] == t->phys[b];
    return t->phys[a] < t->phys[b] + (i32)rb && t->phys[b] < t->phys[a] + (i32)ra;
}

/* All of the set apart from each other; their rows are counted */
static u32 assert_apart(const struct trial *t, u64 set) {
    u32 rows = 0;
    for (u32 a = 0; a < t->p.flow.nvregs; a++) {
        if (!(set >> a & 1)) continue;
        rows += t->p.rows[a];
        for (u32 b = 0; b < a; b++) assert_false((set >> b & 1) && overlap(t, a, b));
    }
    return rows;
}

static void assert_writes_spare_reads(const struct trial *t, const struct flow_inst *in) {
    for (u32 w = 0; w < in->nwrite; w++)
        for (u32 r = 0; r < in->nread; r++) {
            u32 a = (u32)in->write[w], b = (u32)in->read[r];
            if (a != b && overlap(t, a, b))
                assert_true(in->nwrite == 1 && t->p.rows[a] == t->p.rows[b] && t->phys[a] == t->phys[b]);
        }
}

static void assert_places(const struct trial *t, u64 touched) {
    for (u32 v = 0; v < t->p.flow.nvregs; v++) {
        u32 rows = t->p.rows[v];
        if (!(touched >> v & 1)) {
            assert_int_equal(t->phys[v], NONE);
            continue;
        }
        assert_in_range(t->phys[v], 0, (rows ? t->r.regs : t->r.preds) - 1);
        if (rows) assert_int_equal(t->phys[v] % (i32)rows, 0);
        if (rows) assert_true((u32)t->phys[v] + rows <= t->r.regs);
    }
}

static void judge_liveness(const struct trial *t) {
    const struct flow *f = &t->p.flow;
    u64 in[RANDOM_MAX_INSTS + 1], out[RANDOM_MAX_INSTS + 1];
    brute_liveness(t, in, out);
    u64 params = set_of(t->params, t->nparams), touched = params | in[f->ninsts];
    u32 most = assert_apart(t, in[0] | params), last = assert_apart(t, in[f->ninsts]);
    most = MAX(most, last);
    for (u32 i = 0; i < f->ninsts; i++) {
        const struct flow_inst *x = &f->inst[i];
        u64 writes = set_of(x->write, x->nwrite);
        touched |= writes | in[i];
        u32 before = assert_apart(t, in[i]), after = assert_apart(t, out[i] | writes);
        most = MAX(most, MAX(before, after));
        assert_writes_spare_reads(t, x);
    }
    assert_places(t, touched);
    assert_int_equal(t->r.max_live, most);
    assert_true(t->r.regs >= t->r.max_live);
}

/* --- second judge */

struct machine {
    u32 virt[MAX_VREGS];
    bool defined[MAX_VREGS]; /* others hold whatever was there */
    u32 reg[4 * MAX_VREGS], pred[MAX_VREGS];
};

static void machine_write(struct machine *m, const struct trial *t, i32 v, u32 value) {
    m->virt[v] = value;
    m->defined[v] = true;
    if (!t->p.rows[v]) m->pred[t->phys[v]] = value;
    for (u32 row = 0; row < t->p.rows[v]; row++) m->reg[(u32)t->phys[v] + row] = value + row;
}

static void machine_check(const struct machine *m, const struct trial *t, i32 v) {
    if (!m->defined[v]) return;
    if (!t->p.rows[v]) assert_int_equal(m->pred[t->phys[v]], m->virt[v]);
    for (u32 row = 0; row < t->p.rows[v]; row++) assert_int_equal(m->reg[(u32)t->phys[v] + row], m->virt[v] + row);
}

static void judge_by_running(const struct trial *t, u64 *seed) {
    const struct flow *f = &t->p.flow;
    struct machine m = {0};
    u32 at = 0, to[RANDOM_MAX_TARGETS + 3];
    for (u32 k = 0; k < t->nparams; k++) machine_write(&m, t, t->params[k], random_below(seed, UINT32_MAX));
    for (u32 step = 0; step < 200 && at < f->ninsts; step++) {
        const struct flow_inst *in = &f->inst[at];
        for (u32 k = 0; k < in->nread; k++) machine_check(&m, t, in->read[k]);
        bool passes = !in->guarded || random_below(seed, 2);
        for (u32 k = 0; k < in->nwrite && passes; k++) machine_write(&m, t, in->write[k], random_below(seed, UINT32_MAX));
        at = to[random_below(seed, random_successors(f, at, to))];
    }
    for (u32 k = 0; k < t->nresults && at == f->ninsts; k++) machine_check(&m, t, t->results[k]);
}

static void test_random(void **state) {
    (void)state;
    u64 seed = 3;
    for (u32 round = 0; round < 20000; round++) {
        struct trial t;
        random_trial(&t, &seed, false);
        run_trial(&t);
        judge_liveness(&t);
        for (u32 k = 0; k < 3; k++) judge_by_running(&t, &seed);
    }
}

/* One size, one block, each register written once: the scan is optimal */
static void test_intervals_are_optimal(void **state) {
    (void)state;
    u64 seed = 7;
    for (u32 round = 0; round < 2000; round++) {
        struct trial t;
        random_trial(&t, &seed, true);
        t.p.flow.nvregs = t.p.flow.ninsts;
        for (u32 i = 0; i < t.p.flow.ninsts; i++) {
            t.p.rows[i] = 1;
            t.p.inst[i].nwrite = 1;
            t.p.writes[i][0] = (i32)i;
            t.p.inst[i].nread = (u16)(i ? random_list(&seed, t.p.reads[i], 3, i) : 0);
        }
        run_trial(&t);
        judge_liveness(&t);
        assert_int_equal(t.r.regs, t.r.max_live);
    }
}

/* One size, one block: registers written again have holes, which cost at most half as much again, and a tenth
 * on average */
static void test_plain_is_near_optimal(void **state) {
    (void)state;
    u64 seed = 4, used = 0, needed = 0;
    for (u32 round = 0; round < 5000; round++) {
        struct trial t;
        random_trial(&t, &seed, true);
        run_trial(&t);
        judge_liveness(&t);
        assert_true(t.r.regs <= t.r.max_live + t.r.max_live / 2 + 1);
        used += t.r.regs;
        needed += t.r.max_live;
    }
    assert_true(used * 10 <= needed * 11);
}

/* --- size */

enum { BIG_INSTS = 50000, BIG_VREGS = 30000 };

struct big {
    struct flow_inst *inst;
    i32 *opnd; /* two sources and a destination per instruction */
    u8 *rows;
    i32 *phys;
};

static struct big big_new(void) {
    struct big b = {base_alloc(sizeof(*b.inst) * BIG_INSTS), base_alloc(sizeof(i32) * 3 * BIG_INSTS), base_alloc(BIG_VREGS),
                    base_alloc(sizeof(i32) * BIG_VREGS)};
    for (u32 i = 0; i < BIG_INSTS; i++)
        b.inst[i] = (struct flow_inst){NEXT, .nread = 2, .nwrite = 1, .read = b.opnd + 3 * i, .write = b.opnd + 3 * i + 2};
    memset(b.rows, 1, BIG_VREGS);
    return b;
}

/* One of the `span` numbers up to and including `from`, not below 0 */
static i32 random_near(u64 *seed, i32 from, u32 span) {
    i32 x = from - (i32)random_below(seed, span);
    return MAX(0, x);
}

static struct regalloc_result big_run(const struct big *b) {
    struct arena scratch = {0};
    double start = clock_seconds();
    struct regalloc_result r =
        regalloc(&(struct flow){BIG_INSTS, b->inst, BIG_VREGS, b->rows}, NULL, 0, NULL, 0, b->phys, &scratch);
    assert_true(clock_seconds() - start < 10.0); /* takes some tenths of a second; matrices of registers take much longer */
    assert_true(scratch.used_b < 64u << 20);
    arena_free(&scratch);
    return r;
}

static void big_free(struct big *b) {
    free(b->inst);
    free(b->opnd);
    free(b->rows);
    free(b->phys);
}

static void test_big_local(void **state) {
    (void)state;
    struct big b = big_new();
    u64 seed = 5;
    for (i32 i = 0; i < BIG_INSTS; i++) { /* values live some 100 instructions; a loop every 50, with ten ways back */
        i32 v = (i32)((i64)i * BIG_VREGS / BIG_INSTS);
        b.opnd[3 * i] = random_near(&seed, v - 1, 100);
        b.opnd[3 * i + 1] = random_near(&seed, v - 1, 100);
        b.opnd[3 * i + 2] = v;
        b.rows[v] = random_below(&seed, 3) ? 1 : 2;
        if (i % 5 == 4) b.inst[i].target = i - i % 50;
    }
    struct regalloc_result r = big_run(&b);
    assert_true(r.regs >= r.max_live && r.regs <= r.max_live * 2);
    big_free(&b);
}

static void test_big_all_live(void **state) {
    (void)state;
    struct big b = big_new();
    for (i32 i = 0; i < BIG_INSTS; i++) { /* 25,000 definitions, then their reads in the same order */
        i32 v = i % (BIG_INSTS / 2);
        b.opnd[3 * i] = b.opnd[3 * i + 1] = b.opnd[3 * i + 2] = v;
        b.inst[i].nread = i < BIG_INSTS / 2 ? 0 : 2;
        b.inst[i].nwrite = i < BIG_INSTS / 2;
    }
    struct regalloc_result r = big_run(&b);
    assert_int_equal(r.max_live, BIG_INSTS / 2);
    assert_int_equal(r.regs, BIG_INSTS / 2);
    big_free(&b);
}

static void test_big_knot(void **state) {
    (void)state;
    struct big b = big_new();
    u64 seed = 6;
    for (i32 i = 0; i < BIG_INSTS; i++) { /* 200 registers with holes all over, jumps to anywhere */
        for (u32 k = 0; k < 3; k++) b.opnd[3 * i + (i32)k] = (i32)random_below(&seed, 200);
        if (i % 10 == 9) b.inst[i].target = (i32)random_below(&seed, BIG_INSTS);
    }
    struct regalloc_result r = big_run(&b);
    assert_true(r.regs >= r.max_live && r.regs <= 200);
    big_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reuse_at_last_read),
        cmocka_unit_test(test_dead_definition),
        cmocka_unit_test(test_hole),
        cmocka_unit_test(test_guarded_write_keeps),
        cmocka_unit_test(test_partial_overlap),
        cmocka_unit_test(test_vector_load),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_loop_carried),
        cmocka_unit_test(test_branches_share),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_intervals_are_optimal),
        cmocka_unit_test(test_plain_is_near_optimal),
        cmocka_unit_test(test_big_local),
        cmocka_unit_test(test_big_all_live),
        cmocka_unit_test(test_big_knot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
