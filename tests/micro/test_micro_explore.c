#include "micro.h"
static void explore(void **state) {
    (void)state;
    setenv("MICRO_NOAUDIT","1",1);
    RUN(.body = "sin.approx.f32 %f1, %f2; // A\n", .threads = 64, .keys = {"sm.schedulers=2"});
    timeline(stderr);
}
int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(explore) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
