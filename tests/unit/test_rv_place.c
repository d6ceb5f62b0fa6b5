/* Split, join and pred in assembly (src/riscv/place.c): where they are put, where not, and what is refused.
 * What the result computes is tested by running it (tests/cli/opencl_riscv.sh). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "riscv/compile.h"
#include "riscv/lib/layout.h"
#include "riscv/riscv.h"

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define SPLIT    "\t.insn s 0x6b, 2, x0, 0("
#define PRED     "\t.insn s 0x6b, 0, x1, 0(t6)\n"
#define JOIN     "\t.insn s 0x6b, 3, x0, 0(x0)\n"
#define V3_SPLIT "\t.insn r 0x0b, 2, 0, gp, t6, x0\n"
#define V3_PRED  "\t.insn r 0x0b, 5, 0, x0, t6, gp\n"
#define V3_JOIN  "\t.insn r 0x0b, 3, 0, x0, gp, x0\n"

static struct strbuf out;
static struct diag dg;
static struct rv_words taken;

static bool place_for(enum rv_variant variant, u32 nests, const char *body) {
    struct strbuf text = {0};
    strbuf_free(&out);
    out = (struct strbuf){0};
    diag_free(&dg);
    dg = (struct diag){0};
    strbuf_add(&text, "\t.type\tf,@function\nf:\n.Lfunc_begin0:\n%s.Lfunc_end0:\n\t.size\tf, 4\n", body);
    taken = (struct rv_words){.variant = variant, .nests = nests};
    bool ok = rv_place("f.cl", text.s, &taken, &out, &dg);
    strbuf_free(&text);
    return ok;
}
static bool place(const char *body) { return place_for(RV_2021, 0, body); }
static bool place_v3(const char *body) { return place_for(RV_V3, 0, body); }

static u32 count(const char *what) {
    u32 n = 0;
    for (const char *at = out.s; at && (at = strstr(at, what)); at++) n++;
    return n;
}

/* Whether the one text stands behind the other, with nothing but blanks or a label between */
static bool before(const char *first, const char *then) {
    const char *at = strstr(out.s, first);
    if (!at) return false;
    for (at += strlen(first); strncmp(at, then, strlen(then)) != 0;) {
        size_t n = strcspn(at, "\n"), blanks = strspn(at, " \t");
        if (*at == '.' && n && at[n - 1] == ':' && at[n]) at += n + 1; /* a label */
        else if (blanks || *at == '\n') at += MAX(blanks, 1u);
        else return false;
    }
    return true;
}

static void test_if(void **state) {
    (void)state;
    assert_true(place("\tlw\ta0, 0(tp)\n\tbeqz\ta0, .LBB0_2\n\tli\ta1, 1\n.LBB0_2:\n\tret\n"));
    assert_int_equal(count(SPLIT), 1);
    assert_int_equal(count(JOIN), 1);
    assert_int_equal(count(PRED), 0);
    assert_true(before("\tseqz\tt6, t6\n", SPLIT "t6)\n\tbeqz\ta0, "));
    assert_true(before("\tli\ta1, 1\n", JOIN));
    assert_true(before(JOIN, "\tret\n"));
}

/* The ways around meet at the join: once from each side */
static void test_if_else(void **state) {
    (void)state;
    assert_true(
        place("\tlw\ta0, 0(tp)\n\tbltu\ta0, a1, .LBB0_2\n\tli\ta1, 1\n\tj\t.LBB0_3\n.LBB0_2:\n\tli\ta1, 2\n.LBB0_3:\n\tret\n"));
    assert_int_equal(count(SPLIT), 1);
    assert_int_equal(count(JOIN), 1);
    assert_true(before("\tsltu\tt6, a0, a1\n", SPLIT "t6)\n\tbltu\ta0, a1, "));
}

static void test_loop(void **state) {
    (void)state;
    assert_true(place("\tlw\ta0, 0(tp)\n.LBB0_1:\n\taddi\ta0, a0, -1\n\tbnez\ta0, .LBB0_1\n\tret\n"));
    assert_int_equal(count(SPLIT "sp)"), 1);
    assert_int_equal(count(PRED), 1);
    assert_int_equal(count(JOIN), 1);
    assert_true(before("\txor\tt6, a0, zero\n" PRED "\tbnez\ta0, .Lrv0_1\n", JOIN));
}

/* A way out from the middle: it is written down, and the loop is left at its end */
static void test_break(void **state) {
    (void)state;
    assert_true(place("\tlw\ta0, 0(tp)\n.LBB0_1:\n\tlw\ta2, 4(tp)\n\tbeqz\ta2, .LBB0_3\n\taddi\ta0, a0, -1\n\tbnez\ta0, .LBB0_1\n"
                      "\tli\ta3, 1\n.LBB0_3:\n\tret\n"));
    assert_int_equal(count(PRED), 1);
    assert_int_equal(count("\tsw\tzero, -192(tp)\n"), 1);
    assert_int_equal(count("\tsw\tt6, -192(tp)\n"), 2);
    assert_int_equal(count(JOIN), count(SPLIT));
}

/* What is the same in all lanes needs nothing: constants, loads from one address, what is said to be so */
static void test_uniform(void **state) {
    (void)state;
    assert_true(place("\tlui\ta0, 524272\n\tlw\ta1, 4(a0)\n.LBB0_1:\n\taddi\ta1, a1, -1\n\tbnez\ta1, .LBB0_1\n\tret\n"));
    assert_int_equal(count(".insn"), 0);
    assert_true(
        place("\tlw\ta1, 4(tp)\n\t#APP\n\t# heddle uniform a1\n\t#NO_APP\n\tbeqz\ta1, .LBB0_1\n\tnop\n.LBB0_1:\n\tret\n"));
    assert_int_equal(count(".insn"), 0);
    /* but not what was computed where lanes are parted */
    assert_true(place("\tlw\ta0, 0(tp)\n\tli\ta1, 0\n\tbeqz\ta0, .LBB0_1\n\tli\ta1, 1\n.LBB0_1:\n\tbeqz\ta1, "
                      ".LBB0_2\n\tnop\n.LBB0_2:\n\tret\n"));
    assert_int_equal(count(SPLIT), 2);
    /* nor what a call gives back */
    assert_true(place("\tcall\tg\n\tbeqz\ta0, .LBB0_1\n\tnop\n.LBB0_1:\n\tret\n"));
    assert_int_equal(count(SPLIT), 1);
}

/* All items of a group come to a barrier or none: such branches are left alone, those beside it are not */
static void test_barrier(void **state) {
    (void)state;
    assert_true(place("\tlw\ts0, 0(tp)\n.LBB0_1:\n\tcall\t_Z7barrierj\n\taddi\ts0, s0, -1\n\tbnez\ts0, .LBB0_1\n\tret\n"));
    assert_int_equal(count(".insn"), 0);
    assert_true(place("\tlw\ts0, 0(tp)\n.LBB0_1:\n\tbeqz\ts0, .LBB0_2\n\tnop\n.LBB0_2:\n\tcall\t_Z7barrierj\n\taddi\ts0, s0, -1\n"
                      "\tbnez\ts0, .LBB0_1\n\tret\n"));
    assert_int_equal(count(SPLIT), 1);
    assert_int_equal(count(PRED), 0);
    /* a branch before the barrier whose sides both go on to it, or both past it */
    assert_true(
        place("\tlw\ts0, 0(tp)\n\tlui\ta0, 524272\n\tlw\ta1, 4(a0)\n\tbeqz\ts0, .LBB0_2\n\tli\ta2, 1\n\tbeqz\ta1, .LBB0_4\n"
              "\tj\t.LBB0_3\n.LBB0_2:\n\tli\ta2, 2\n\tbeqz\ta1, .LBB0_4\n.LBB0_3:\n\tcall\t_Z7barrierj\n.LBB0_4:\n\tret\n"));
    assert_int_equal(count(SPLIT), 1);
    assert_int_equal(count(JOIN), 2);
    /* a loop of barriers in a loop: who leaves the inner one comes to the barrier again, and so do all */
    assert_true(
        place("\tlw\ts0, 0(tp)\n\tlw\ts1, 4(tp)\n.LBB0_1:\n\tmv\ts2, s1\n.LBB0_2:\n\tcall\t_Z7barrierj\n\taddi\ts2, s2, -1\n"
              "\tbnez\ts2, .LBB0_2\n\taddi\ts0, s0, -1\n\tbnez\ts0, .LBB0_1\n\tret\n"));
    assert_int_equal(count(".insn"), 0);
}

/* A side that has two entries is there twice */
static void test_copies(void **state) {
    (void)state;
    assert_true(
        place("\tlw\ta0, 0(tp)\n\tlw\ta1, 4(tp)\n\tbnez\ta0, .LBB0_2\n\tbeqz\ta1, .LBB0_3\n.LBB0_2:\n\tli\ta2, 5\n\tj\t.LBB0_4\n"
              ".LBB0_3:\n\tli\ta2, 6\n.LBB0_4:\n\tret\n"));
    assert_int_equal(count("\tli\ta2, 5\n"), 2);
    assert_int_equal(count(".LBB0_2:\n"), 1);
    assert_int_equal(count(SPLIT), 2);
}

/* Lines that nobody comes to are not a way back */
static void test_dead_lines(void **state) {
    (void)state;
    assert_true(place("\tlw\ta0, 0(tp)\n\tj\t.LBB0_2\n.LBB0_1:\n\tnop\n.LBB0_2:\n\tbeqz\ta0, .LBB0_3\n\tnop\n.LBB0_3:\n\tret\n"));
    assert_int_equal(count(PRED), 0);
    assert_int_equal(count(SPLIT), 1);
    assert_int_equal(count(JOIN), 1);
}

#define NESTED                                                                                                                   \
    "\tlw\ta0, 0(tp)\n\tbnez\ta0, .LBB0_3\n\tlw\ta1, 4(tp)\n\tbltz\ta1, .LBB0_2\n\tli\ta2, 1\n.LBB0_2:\n\tli\ta2, "              \
    "2\n.LBB0_3:\n\tret\n"

/* v3: the depth that split says is join's; gp holds it where nothing comes between. Predicates are a bit. */
static void test_v3_if(void **state) {
    (void)state;
    assert_true(place_v3(NESTED));
    assert_true(before("\txor\tt6, a0, zero\n\tsnez\tt6, t6\n", V3_SPLIT "\tsw\tgp, -260(tp)\n\tbnez\ta0, "));
    assert_true(before("\tslt\tt6, a1, zero\n", V3_SPLIT "\tbltz\ta1, "));
    assert_true(before("\tli\ta2, 1\n", V3_JOIN));
    assert_true(before("\tli\ta2, 2\n", "\tlw\tgp, -260(tp)\n" V3_JOIN));
    assert_int_equal(count("gp, -2"), 2);
    assert_int_equal(taken.nests, 2);
    assert_int_equal(count(SPLIT) + count(JOIN), 0);
    /* a call may change gp */
    assert_true(place_v3("\tlw\ta0, 0(tp)\n\tbeqz\ta0, .LBB0_2\n\tcall\tg\n.LBB0_2:\n\tret\n"));
    assert_true(before("\tcall\tg\n", "\tlw\tgp, -260(tp)\n" V3_JOIN));
    assert_true(before(V3_SPLIT, "\tsw\tgp, -260(tp)\n"));
}

/* v3: pred restores the mask that was saved on the way in, and a loop takes no place of the stack */
static void test_v3_loop(void **state) {
    (void)state;
    assert_true(place_v3("\tlw\ta0, 0(tp)\n.LBB0_1:\n\taddi\ta0, a0, -1\n\tbnez\ta0, .LBB0_1\n\tret\n"));
    assert_true(before("\tcsrr\tgp, 0xcc4\n", "\taddi\ta0, a0, -1\n"));
    assert_true(before("\tsnez\tt6, t6\n" V3_PRED "\tbnez\ta0, .Lrv0_1\n", "\tret\n"));
    assert_int_equal(count(V3_SPLIT) + count(V3_JOIN), 0);
    /* with a split inside */
    assert_true(place_v3("\tlw\ta0, 0(tp)\n.LBB0_1:\n\tlw\ta2, 4(tp)\n\tbeqz\ta2, .LBB0_2\n\tnop\n.LBB0_2:\n\taddi\ta0, a0, -1\n"
                         "\tbnez\ta0, .LBB0_1\n\tret\n"));
    assert_true(before("\tcsrr\tgp, 0xcc4\n\tsw\tgp, -260(tp)\n", "\tlw\ta2, 4(tp)\n"));
    assert_int_equal(count("\tsnez\tt6, t6\n\tlw\tgp, -260(tp)\n" V3_PRED "\tbnez\ta0, "), 1);
    assert_true(before("\tnop\n", V3_JOIN));
    assert_int_equal(count(V3_SPLIT), 1);
    /* an exit that is written down */
    assert_true(
        place_v3("\tlw\ta0, 0(tp)\n.LBB0_1:\n\tlw\ta2, 4(tp)\n\tbeqz\ta2, .LBB0_4\n\tlw\ta3, 8(tp)\n\tbeqz\ta3, .LBB0_3\n\tnop\n"
                 ".LBB0_3:\n\taddi\ta0, a0, -1\n\tbnez\ta0, .LBB0_1\n\tli\ta3, 1\n.LBB0_4:\n\tret\n"));
    assert_int_equal(count(V3_PRED), 1);
    assert_int_equal(count("\tsw\tt6, -192(tp)\n"), 2);
    assert_true(count(V3_JOIN) >= count(V3_SPLIT));
}

/* v3: functions have words of their own, as far as offsets reach */
static void test_v3_words(void **state) {
    (void)state;
    assert_true(place_for(RV_V3, NEST_WORDS - 2, NESTED));
    assert_int_equal(count("\tsw\tgp, -2044(tp)\n"), 1);
    assert_int_equal(taken.nests, NEST_WORDS);
    assert_false(place_for(RV_V3, NEST_WORDS - 1, NESTED));
    if (!strstr(dg.text.s, "function f has too many levels of nested ifs and loops")) fail_msg("%s", dg.text.s);
    assert_true(place_for(RV_V3, NEST_WORDS, "\tret\n"));
}

static void refused(const char *body, const char *why) {
    assert_false(place(body));
    if (!strstr(dg.text.s, why)) fail_msg("%s", dg.text.s);
}

static void test_refused(void **state) {
    (void)state;
    refused("\tlw\ta0, 0(tp)\n\tjr\ta0\n", "f.cl: error: function f has a jump that is neither a branch nor a return");
    refused("\tlw\ta0, 0(tp)\n\tbeqz\ta0, .LBB0_2\n.LBB0_1:\n\taddi\ta0, a0, -1\n.LBB0_2:\n\tbnez\ta0, .LBB0_1\n\tret\n",
            "not reducible");
}

static int finish(void **state) {
    (void)state;
    strbuf_free(&out);
    diag_free(&dg);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if),     cmocka_unit_test(test_if_else),    cmocka_unit_test(test_loop),
        cmocka_unit_test(test_break),  cmocka_unit_test(test_uniform),    cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_copies), cmocka_unit_test(test_dead_lines), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_v3_if),  cmocka_unit_test(test_v3_loop),    cmocka_unit_test(test_v3_words),
    };
    return cmocka_run_group_tests(tests, NULL, finish);
}
