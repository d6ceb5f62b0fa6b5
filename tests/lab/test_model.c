/* The laboratory against a second model (model.c), cycle by cycle on random programs; its other machines and
 * other ways to precise state against a sequential run. */
#include "model.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct world world;
static struct code code[CODE + 4];

static struct lab_program *new_program(const struct machine *m, int faults) {
    memset(&world, 0, sizeof(world));
    world.code = code;
    world.m = m;
    world.n = random_program(code, faults);
    for (int i = 0; i < REGS; i++) world.reg[i] = i >= 8 && i < 11 ? pick(8) : i == 12 ? 1 + pick(4) : pick(20) - 3;
    for (int i = 0; i < DATA; i++) world.mem[i] = pick(100);
    return model_assemble(&world);
}

static void test_cycle_by_cycle(void **state) {
    (void)state;
    u32 done = 0, faulted = 0, flushed = 0, squashed = 0;
    for (u64 number = 0; done < 10000; number++) {
        seed = number * 77777 + 5;
        struct machine m = random_machine();
        struct lab_program *p = new_program(&m, number % 4 == 0);
        i64 *key = model_keys(&m);
        struct lab_run r;
        struct diag d = {0};
        struct lab_wish wish = {.max_cycles = 50000};
        assert_true(lab_run(&r, &lab_rob, p, key, &wish, &d));
        if (model_run(&world)) {
            compare_times(&world, &r, key, number);
            compare_state(&world, &r, key, number);
            done++;
            faulted += r.fault != NULL;
            flushed += r.squashed.n > 0;
            squashed += r.squashed.n;
        }
        lab_run_free(&r);
        free(key);
        lab_program_free(p);
    }
    print_message("# %u programs, %u faulted, %u with flushes of %u instructions\n", done, faulted, flushed, squashed);
    assert_true(faulted > 100 && flushed > 2000);
}

/* Registers and memory alone, for the other ways to precise state and for the bimodal predictor */
static void test_other_ways_end_alike(void **state) {
    static const char *const precise[] = {"history", "future", "checkpoint"}, *const predicts[] = {"stall", "not_taken", "taken",
                                                                                                   "bimodal"};
    (void)state;
    for (u64 number = 0; number < 6000; number++) {
        seed = number * 99991 + 17;
        struct machine m = random_machine();
        struct lab_program *p = new_program(&m, number % 4 == 0);
        i64 *key = model_keys(&m);
        struct lab_run r;
        struct diag d = {0};
        struct lab_wish wish = {.max_cycles = 50000};
        set_key(key, "precise", precise[number % 3]);
        set_key(key, "predict", predicts[pick(4)]);
        set_number(key, "checkpoint.every", 1 + pick(m.entries < 8 ? m.entries : 8));
        set_number(key, "history.width", 1 + pick(3));
        assert_true(lab_run(&r, &lab_rob, p, key, &wish, &d));
        if (r.cut) differ(&world, key, number, "does not end");
        compare_state(&world, &r, key, number);
        const struct lab_answer *younger = lab_answer_find(&r, "younger_written");
        if (younger) assert_int_equal(younger->value, 0);
        lab_run_free(&r);
        free(key);
        lab_program_free(p);
    }
}

/* Registers and memory alone, on the other machines of the scalar language, with keys at random */
static void test_other_machines_end_alike(void **state) {
    static const struct lab_machine *const machines[] = {&lab_unpipelined, &lab_scoreboard, &lab_tomasulo,
                                                         &lab_vliw,        &lab_vector,     &lab_simd};
    (void)state;
    for (u64 number = 0; number < 6000; number++) {
        const struct lab_machine *on = machines[number % ARRAY_LEN(machines)];
        seed = number * 31337 + 3;
        struct machine m = random_machine();
        struct lab_program *p = new_program(&m, 0);
        i64 *key = lab_keys_new(on);
        struct lab_run r;
        struct diag d = {0};
        struct lab_wish wish = {.max_cycles = 100000};
        for (u32 k = 0; k < on->nkeys; k++)
            key[k] =
                on->keys[k].choices ? pick(2) : on->keys[k].min + pick(MIN((int)(on->keys[k].max - on->keys[k].min), 12) + 1);
        assert_true(lab_run(&r, on, p, key, &wish, &d));
        assert_false(r.cut);
        i64 *shown = model_keys(&m); /* for the message alone */
        compare_state(&world, &r, shown, number);
        free(shown);
        lab_run_free(&r);
        free(key);
        lab_program_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_machines_end_alike), cmocka_unit_test(test_cycle_by_cycle),
                                       cmocka_unit_test(test_other_ways_end_alike)};
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}