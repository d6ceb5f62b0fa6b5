#include "micro.h"
static void explore(void **state) {
    (void)state;
    RUN(.globals = ".shared .u32 s[16];\n", .body = "mov.u32 %r0, %tid.x;\nshl.b32 %r3, %r0, 2;\n ld.shared.u32 %r1, [%r3];\n add.u32 %r2, %r1, 1; // B\n", .threads=8, .keys = {"sm.shared.latency_cy=10"});
}
static void explore2(void **state) {
    (void)state;
    RUN(.globals = ".shared .u32 s[16];\n", .body = "mov.u32 %r0, %tid.x;\nshl.b32 %r3, %r0, 2;\n ld.shared.u32 %r1, [%r3];\n add.u32 %r2, %r1, 1; // B\n", .threads=8, .keys = {"sm.shared.latency_cy=20"});
}
int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(explore2),  cmocka_unit_test(explore) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
