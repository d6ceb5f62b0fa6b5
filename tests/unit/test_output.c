/* Files that are written: a signal that ends the process leaves no NAME.incomplete, at whatever moment it
 * comes and whichever thread it meets */
#include "base/base.h"
#include "cli/cli.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROUNDS = 200, LAST_BLOW_NS = 400000 };

/* Makes and removes its file for ever */
static void *write_for_ever(void *name) {
    for (;;) {
        struct output o;
        struct strbuf why = {0};
        if (output_open(&o, name, &why)) output_abandon(&o);
        strbuf_free(&why);
    }
    return NULL;
}

/* One that writes a file in each of two threads, and dies of SIGTERM some time later */
static void strike(char *one, char *other, long after_ns) {
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        stop_install();
        if (pthread_create(&thread, NULL, write_for_ever, other) != 0 || write(ready[1], &byte, 1) != 1) _exit(1);
        write_for_ever(one);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    nanosleep(&(struct timespec){.tv_nsec = after_ns}, NULL);
    kill(pid, SIGTERM);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
    close(ready[0]);
    close(ready[1]);
}

static void a_signal_leaves_nothing_half_written(void **state) {
    (void)state;
    struct temp t;
    struct strbuf one = {0}, other = {0};
    assert_true(temp_make(&t));
    strbuf_add(&one, "%s/one", t.dir);
    strbuf_add(&other, "%s/other", t.dir);
    for (u32 i = 0; i < ROUNDS; i++) {
        strike(one.s, other.s, (long)i * (LAST_BLOW_NS / ROUNDS));
        for (u32 which = 0; which < 2; which++) {
            char *name = output_temp_name(which ? other.s : one.s);
            assert_int_not_equal(access(name, F_OK), 0);
            free(name);
        }
    }
    strbuf_free(&one);
    strbuf_free(&other);
    temp_remove(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_signal_leaves_nothing_half_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
