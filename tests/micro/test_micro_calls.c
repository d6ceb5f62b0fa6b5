/* Calls whose results come in registers: what a function gives back is there when its caller reads it, in
 * value and in time (the audit of every run, rule A1), however lanes part and however deep they go. */
#include "micro.h"

enum { THREADS = 64, BLOCKS = 2 };

static const char *const ways[] = {"pdom", "none",       "its", "mimd", "cbarrier", "frontier", "dual_path",
                                   "dws",  "interweave", "dwf", "tbc",  "lwm",      "vws"};

/* Sum of 1 to n, one call a step: the lanes of a warp go to different depths */
#define RECURSIVE                                                                                                                \
    ".func (.reg .u32 %o) f (.reg .u32 %n)\n{\n.reg .pred %p;\n.reg .u32 %a, %b;\nsetp.eq.u32 %p, %n, 0;\n@%p bra Z;\n"          \
    "sub.u32 %a, %n, 1;\ncall (%b), f, (%a);\nadd.u32 %o, %b, %n;\nret;\nZ:\nmov.u32 %o, 0;\nret;\n}\n"
/* The same, its square sum in 64 bits, and whether n is odd */
#define SEVERAL                                                                                                                  \
    ".func (.reg .u32 %o, .reg .u64 %q, .reg .pred %odd) g (.reg .u32 %n)\n{\n.reg .pred %p;\n.reg .u32 %a, %b;\n"               \
    ".reg .u64 %s, %t;\nsetp.eq.u32 %p, %n, 0;\n@%p bra Z;\nsub.u32 %a, %n, 1;\ncall (%b, %s, %odd), g, (%a);\n"                 \
    "not.pred %odd, %odd;\nmul.wide.u32 %t, %n, %n;\nadd.u64 %q, %s, %t;\nadd.u32 %o, %b, %n;\nret;\nZ:\n"                       \
    "mov.u32 %o, 0;\nmov.u64 %q, 0;\nsetp.ne.u32 %odd, %n, 0;\nret;\n}\n"
/* A vector: n steps of (x, y) -> (y, x + y) */
#define VECTOR                                                                                                                   \
    ".func (.reg .u32 %x, .reg .u32 %y) v (.reg .u32 %n)\n{\n.reg .pred %p;\n.reg .u32 %a;\n.reg .v2 .u32 %w;\n"                 \
    "setp.eq.u32 %p, %n, 0;\n@%p bra Z;\nsub.u32 %a, %n, 1;\ncall (%w), v, (%a);\nadd.u32 %y, %w.x, %w.y;\n"                     \
    "mov.u32 %x, %w.y;\nret;\nZ:\nmov.u32 %x, 0;\nmov.u32 %y, 1;\nret;\n}\n"
/* Bodies that end without a return: after a load, after an atomic, after a call, and at a label */
#define UNENDED                                                                                                                  \
    ".func (.reg .u32 %o) load (.reg .u64 %at)\n{\nld.global.u32 %o, [%at];\n}\n"                                                \
    ".func (.reg .u32 %o) swap (.reg .u64 %at, .reg .u32 %x)\n{\natom.global.exch.b32 %o, [%at], %x;\n}\n"                       \
    ".func (.reg .u32 %o) through (.reg .u64 %at)\n{\ncall (%o), load, (%at);\n}\n"                                              \
    ".func (.reg .u32 %o) some (.reg .u64 %at, .reg .u32 %x)\n{\n.reg .pred %p;\nsetp.lt.u32 %p, %x, 3;\nmov.u32 %o, 9;\n"       \
    "@%p ret;\nsetp.lt.u32 %p, %x, 5;\n@%p bra E;\nld.global.u32 %o, [%at];\nE:\n}\n"
/* %r1 = thread & 7, %rd1 = the thread's eight words of out */
#define EIGHT                                                                                                                    \
    OUT "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r2, %r3, %r0;\nmul.wide.u32 %rd1, %r4, 32;\n"           \
        "add.u64 %rd1, %rd0, %rd1;\nand.b32 %r1, %r0, 7;\n"

static void run(const char *functions, const char *body, const char *way, u32 out[THREADS * BLOCKS][8]) {
    u32 init[THREADS * BLOCKS][8];
    for (u32 i = 0; i < THREADS * BLOCKS; i++)
        for (u32 k = 0; k < 8; k++) init[i][k] = 1000 + i * 8 + k;
    char key[64];
    snprintf(key, sizeof(key), "sm.diverge=%s", way);
    RUN(.globals = functions, .body = body, .threads = THREADS, .blocks = BLOCKS, .keys = {key}, .init = init,
        .init_b = sizeof(init));
    micro_read(0, out, sizeof(init));
}

static void results_of_recursive_calls(void **state) {
    (void)state;
    u32 out[THREADS * BLOCKS][8];
    for (u32 w = 0; w < ARRAY_LEN(ways); w++) {
        run(RECURSIVE, EIGHT "call (%r5), f, (%r1);\nadd.u32 %r5, %r5, %r4;\nst.global.u32 [%rd1], %r5;\n", ways[w], out);
        for (u32 i = 0; i < THREADS * BLOCKS; i++) assert_int_equal(out[i][0], i + (i % 8) * (i % 8 + 1) / 2);
    }
}

static void several_results(void **state) {
    (void)state;
    u32 out[THREADS * BLOCKS][8];
    for (u32 w = 0; w < ARRAY_LEN(ways); w++) {
        run(SEVERAL,
            EIGHT "call (%r5, %rd2, %p1), g, (%r1);\nselp.u32 %r6, 1, 0, %p1;\nst.global.u32 [%rd1+4], %r6;\n"
                  "st.global.u64 [%rd1+8], %rd2;\nst.global.u32 [%rd1], %r5;\n",
            ways[w], out);
        for (u32 i = 0; i < THREADS * BLOCKS; i++) {
            u32 n = i % 8;
            assert_int_equal(out[i][0], n * (n + 1) / 2);
            assert_int_equal(out[i][1], n % 2);
            assert_int_equal(out[i][2], n * (n + 1) * (2 * n + 1) / 6);
        }
    }
}

static void a_vector_result(void **state) {
    (void)state;
    static const u32 numbers[] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
    u32 out[THREADS * BLOCKS][8];
    for (u32 w = 0; w < ARRAY_LEN(ways); w++) {
        run(VECTOR, EIGHT ".reg .v2 .u32 %w;\ncall (%w), v, (%r1);\nst.global.v2.u32 [%rd1], {%w.x, %w.y};\n", ways[w], out);
        for (u32 i = 0; i < THREADS * BLOCKS; i++) {
            assert_int_equal(out[i][0], numbers[i % 8]);
            assert_int_equal(out[i][1], numbers[i % 8 + 1]);
        }
    }
}

static void functions_that_end_without_a_return(void **state) {
    (void)state;
    u32 out[THREADS * BLOCKS][8];
    for (u32 w = 0; w < ARRAY_LEN(ways); w++) {
        run(UNENDED,
            EIGHT "call (%r5), load, (%rd1);\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd1+4], %r5;\n"
                  "call (%r6), swap, (%rd1, %r4);\nadd.u32 %r6, %r6, 2;\nst.global.u32 [%rd1+8], %r6;\n"
                  "call (%r7), through, (%rd1);\nadd.u32 %r7, %r7, 3;\nst.global.u32 [%rd1+12], %r7;\n"
                  "call (%r8), some, (%rd1, %r1);\nadd.u32 %r8, %r8, 4;\nst.global.u32 [%rd1+16], %r8;\n",
            ways[w], out);
        for (u32 i = 0; i < THREADS * BLOCKS; i++) {
            assert_int_equal(out[i][0], i);
            assert_int_equal(out[i][1], 1000 + i * 8 + 1);
            assert_int_equal(out[i][2], 1000 + i * 8 + 2);
            assert_int_equal(out[i][3], i + 3);
            assert_int_equal(out[i][4], (i % 8 < 5 ? 9 : i) + 4);
        }
    }
}

/* With a return that is written and without, a function takes the same time */
static void the_end_of_a_body_is_a_return(void **state) {
    (void)state;
    u64 cycles[2];
    for (u32 i = 0; i < 2; i++) {
        RUN(.globals = i ? ".func (.reg .u32 %o) f (.reg .u64 %at)\n{\nld.global.u32 %o, [%at];\nret;\n}\n"
                         : ".func (.reg .u32 %o) f (.reg .u64 %at)\n{\nld.global.u32 %o, [%at];\n}\n",
            .body = MINE "mov.u32 %r2, %ntid.x;\ncall (%r3), f, (%rd1);\nadd.u32 %r4, %r3, %r2;\nst.global.u32 [%rd1], %r4;\n");
        cycles[i] = ran.cycles;
    }
    assert_int_equal(cycles[0], cycles[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_of_recursive_calls),
        cmocka_unit_test(several_results),
        cmocka_unit_test(a_vector_result),
        cmocka_unit_test(functions_that_end_without_a_return),
        cmocka_unit_test(the_end_of_a_body_is_a_return),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
