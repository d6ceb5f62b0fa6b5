#include "micro.h"
static void explore(void **state) {
    (void)state;
    RUN(.body = MINE "ld.global.u32 %r1, [%rd1]; // A\nadd.u32 %r2, %r1, %r1; // B\nadd.u32 %r3, %r4, %r5; // C\n"
    "st.global.u32 [%rd1], %r2; // D\n ld.global.u32 %r6, [%rd1];\n add.u32 %r7, %r6, %r3;\n");
    timeline(stderr);
}
int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(explore) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
