/* Where lanes meet again: shapes by hand, then random graphs against a definition-by-removal oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flow_random.h"

static void expect_list(const struct flow_inst *inst, u32 n, const i32 *want) {
    struct arena scratch = {0};
    struct flow f = {.ninsts = n, .inst = inst};
    i32 got[64];
    cfg_reconvergence(&f, got, &scratch);
    for (u32 i = 0; i < n; i++) assert_int_equal(got[i], want[i]);
    arena_free(&scratch);
}

/* EXPECT(program, meeting place per instruction), NONE where it does not branch */
#define EXPECT(inst, ...)                                                                                                        \
    do {                                                                                                                         \
        static const i32 want_[] = {__VA_ARGS__};                                                                                \
        assert_int_equal(ARRAY_LEN(inst), ARRAY_LEN(want_));                                                                     \
        expect_list(inst, ARRAY_LEN(inst), want_);                                                                               \
    } while (0)

static void test_straight(void **state) {
    (void)state;
    static const struct flow_inst line[] = {F_OP, F_OP, F_RET}, falls_off[] = {F_OP, F_OP};
    EXPECT(line, NONE, NONE, NONE);
    EXPECT(falls_off, NONE, NONE);
    expect_list(line, 0, NULL);
}

static void test_if(void **state) {
    (void)state;
    static const struct flow_inst if_then[] = {F_IF(2), F_OP, F_RET};
    EXPECT(if_then, 2, NONE, NONE);
    static const struct flow_inst if_else[] = {F_IF(3), F_OP, F_BRA(4), F_OP, F_RET};
    EXPECT(if_else, 4, NONE, 4, NONE, NONE);
    static const struct flow_inst to_next[] = {F_IF(1), F_RET};
    EXPECT(to_next, 1, NONE);
}

static void test_nested(void **state) {
    (void)state;
    static const struct flow_inst nested[] = {
        F_IF(6),        /* 0 outer, else at 6 */
        F_IF(4),  F_OP, /* 1 inner, else at 4 */
        F_BRA(5), F_OP, /* 3 */
        F_BRA(7), F_OP, /* 5 inner join, then to the outer one */
        F_RET,          /* 7 */
    };
    EXPECT(nested, 7, 5, NONE, 5, NONE, 7, NONE, NONE);
}

static void test_loop(void **state) {
    (void)state;
    static const struct flow_inst until[] = {F_OP, F_OP, F_IF(1), F_RET};
    EXPECT(until, NONE, NONE, 3, NONE);
    static const struct flow_inst while_[] = {F_IF(3), F_OP, F_BRA(0), F_RET};
    EXPECT(while_, 3, NONE, 0, NONE);
    static const struct flow_inst with_break[] = {F_OP, F_IF(5), F_IF(4), F_OP, F_IF(0), F_RET};
    EXPECT(with_break, NONE, 5, 4, NONE, 5, NONE);
    static const struct flow_inst itself[] = {F_IF(0), F_RET};
    EXPECT(itself, 1, NONE);
}

static void test_two_entry_loop(void **state) {
    (void)state;
    static const struct flow_inst two[] = {F_IF(3), F_OP, F_OP, F_OP, F_IF(1), F_RET}; /* enters at 1 and at 3 */
    EXPECT(two, 3, NONE, NONE, NONE, 5, NONE);
    static const struct flow_inst cross[] = {F_IF(3), F_OP, F_IF(5), F_OP, F_IF(1), F_RET};
    EXPECT(cross, 5, NONE, 5, NONE, 5, NONE);
}

static void test_infinite_loop(void **state) {
    (void)state;
    static const struct flow_inst spin[] = {F_BRA(0)};
    EXPECT(spin, 0);
    /* an if inside still joins inside; the way back meets at the header */
    static const struct flow_inst forever[] = {F_OP, F_OP, F_IF(4), F_OP, F_OP, F_BRA(1)};
    EXPECT(forever, NONE, NONE, 4, NONE, NONE, 1);
    /* two ways back (continue): the turn's end is the header */
    static const struct flow_inst two_ways[] = {F_OP, F_OP, F_IF(1), F_OP, F_BRA(1)};
    EXPECT(two_ways, NONE, NONE, 1, NONE, 1);
    /* one side loops for ever: nothing but the exit is sure */
    static const struct flow_inst one_side[] = {F_IF(2), F_BRA(1), F_OP, F_RET};
    EXPECT(one_side, 4, 1, NONE, NONE);
    /* a loop inside one that is never left: the inner one is left, the outer one turns */
    static const struct flow_inst nested[] = {F_OP, F_IF(1), F_IF(0), F_BRA(0)};
    EXPECT(nested, NONE, 2, 0, 0);
}

static void test_early_exit(void **state) {
    (void)state;
    static const struct flow_inst guarded[] = {F_IF(3), F_IF_RET, F_OP, F_RET}; /* a lane may leave inside the if */
    EXPECT(guarded, 4, NONE, NONE, NONE);
    static const struct flow_inst first[] = {F_IF_RET, F_IF(3), F_OP, F_RET}; /* left before the if: no matter */
    EXPECT(first, NONE, 3, NONE, NONE);
    static const struct flow_inst both[] = {F_IF(2), F_RET, F_RET};
    EXPECT(both, 3, NONE, NONE);
    static const struct flow_inst trap[] = {F_IF(2), F_TRAP, F_RET};
    EXPECT(trap, 3, NONE, NONE);
    static const struct flow_inst to_end[] = {F_IF(2), F_OP};
    EXPECT(to_end, 2, NONE);
}

static void test_brx(void **state) {
    (void)state;
    static const i32 cases[] = {1, 3, 5, 3}, out[] = {1, 2};
    static const struct flow_inst sw[] = {F_BRX(cases), F_OP, F_BRA(6), F_OP, F_BRA(6), F_OP, F_RET};
    EXPECT(sw, 6, NONE, 6, NONE, 6, NONE, NONE);
    static const struct flow_inst through[] = {F_BRX(cases), F_OP, F_OP, F_OP, F_OP, F_OP, F_RET}; /* cases fall through */
    EXPECT(through, 5, NONE, NONE, NONE, NONE, NONE, NONE);
    static const struct flow_inst past_end[] = {F_BRX(out), F_OP};
    EXPECT(past_end, 2, NONE);
}

static void test_unreachable(void **state) {
    (void)state;
    static const struct flow_inst dead[] = {F_BRA(4), F_IF(3), F_OP, F_IF(1), F_IF(6), F_OP, F_RET};
    EXPECT(dead, 4, 7, NONE, 7, 6, NONE, NONE);
    static const struct flow_inst dead_loop[] = {F_RET, F_BRA(1)};
    EXPECT(dead_loop, NONE, 2);
}

/* --- the oracle */

/* Marks what can be reached from i's successors without passing `wall` */
static void reach(const struct flow *f, u32 i, u32 wall, bool *seen) {
    u32 stack[RANDOM_MAX_INSTS * (RANDOM_MAX_TARGETS + 3)], n = 0, to[RANDOM_MAX_TARGETS + 3];
    memset(seen, 0, RANDOM_MAX_INSTS + 1);
    for (u32 at = i;; at = stack[--n]) {
        u32 nto = at < f->ninsts ? random_successors(f, at, to) : 0;
        for (u32 k = 0; k < nto; k++) {
            if (to[k] == wall || seen[to[k]]) continue;
            seen[to[k]] = true;
            stack[n++] = to[k];
        }
        if (n == 0) return;
    }
}

/* Every way from i to the exit passes x (after leaving i) */
static bool surely_passes(const struct flow *f, u32 i, u32 x) {
    bool seen[RANDOM_MAX_INSTS + 1];
    if (x == f->ninsts) return true;
    reach(f, i, x, seen);
    return !seen[f->ninsts];
}

static bool can_reach_exit(const struct flow *f, u32 i) {
    bool seen[RANDOM_MAX_INSTS + 1];
    reach(f, i, UINT32_MAX, seen);
    return seen[f->ninsts];
}

/* Nothing after i is stuck in a loop without a way out */
static bool always_can_leave(const struct flow *f, u32 i) {
    bool seen[RANDOM_MAX_INSTS + 1];
    reach(f, i, UINT32_MAX, seen);
    for (u32 x = 0; x < f->ninsts; x++)
        if (seen[x] && !can_reach_exit(f, x)) return false;
    return true;
}

static bool reachable(const struct flow *f, u32 i) {
    bool seen[RANDOM_MAX_INSTS + 1];
    reach(f, 0, UINT32_MAX, seen);
    return i == 0 || seen[i];
}

static bool check_branch(const struct flow *f, u32 i, i32 reconv) {
    u32 n = f->ninsts, r = (u32)reconv;
    assert_in_range(reconv, 0, n);
    if (!reachable(f, i)) {
        assert_int_equal(r, n);
        return false;
    }
    assert_true(surely_passes(f, i, r));
    if (!always_can_leave(f, i)) return false;
    assert_int_not_equal(r, i);
    for (u32 x = 0; x < n; x++) /* any other sure place comes after r */
        if (x != r && x != i && surely_passes(f, i, x)) assert_true(r != n && surely_passes(f, r, x));
    return true;
}

static void test_random(void **state) {
    (void)state;
    u64 seed = 1;
    u32 exact = 0;
    for (u32 round = 0; round < 20000; round++) {
        struct random_program p;
        struct arena scratch = {0};
        i32 reconv[RANDOM_MAX_INSTS];
        random_flow(&p, 1 + random_below(&seed, 24), &seed);
        cfg_reconvergence(&p.flow, reconv, &scratch);
        for (u32 i = 0; i < p.flow.ninsts; i++) {
            if (p.inst[i].target == NONE && p.inst[i].ntargets == 0) assert_int_equal(reconv[i], NONE);
            else exact += check_branch(&p.flow, i, reconv[i]);
        }
        arena_free(&scratch);
    }
    assert_true(exact > 20000);
}

/* --- size */

enum { BIG = 100000 };

static void solve_big(const struct flow_inst *inst, i32 *reconv) {
    struct arena scratch = {0};
    double start = clock_seconds();
    cfg_reconvergence(&(struct flow){.ninsts = BIG, .inst = inst}, reconv, &scratch);
    assert_true(clock_seconds() - start < 5.0); /* takes some 0.03 s; a quadratic method takes minutes */
    arena_free(&scratch);
}

static void test_big(void **state) {
    (void)state;
    struct flow_inst *inst = base_alloc(sizeof(*inst) * BIG);
    i32 *reconv = base_alloc(sizeof(*reconv) * BIG), *table = base_alloc(sizeof(*table) * BIG);
    for (i32 i = 0; i < BIG; i++) inst[i] = i < BIG / 2 ? (struct flow_inst)F_IF(BIG - 1 - i) : (struct flow_inst)F_OP;
    solve_big(inst, reconv); /* ifs 50,000 deep */
    for (i32 i = 0; i < BIG / 2; i++) assert_int_equal(reconv[i], BIG - 1 - i);
    for (i32 i = 0; i < BIG; i++) table[i] = BIG - 1 - i;
    inst[0] = (struct flow_inst){.target = NONE, .targets = table, .ntargets = BIG - 1};
    for (i32 i = 1; i < BIG; i++) inst[i] = (struct flow_inst)F_OP;
    solve_big(inst, reconv); /* a switch with a case per instruction */
    assert_int_equal(reconv[0], BIG - 1);
    u64 seed = 2;
    for (i32 i = 0; i < BIG; i++)
        inst[i] = random_below(&seed, 3) ? (struct flow_inst)F_IF((i32)random_below(&seed, BIG)) : (struct flow_inst)F_IF_RET;
    solve_big(inst, reconv); /* a knot */
    free(inst);
    free(reconv);
    free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),
        cmocka_unit_test(test_if),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_two_entry_loop),
        cmocka_unit_test(test_infinite_loop),
        cmocka_unit_test(test_early_exit),
        cmocka_unit_test(test_brx),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_big),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
