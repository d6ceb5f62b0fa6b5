/* Size paper of the bundled workloads is what it claims, found from manifests and programs without running
 * them: at least four waves of blocks on gtx480, and data well beyond its L2. Waves count for the launches
 * that hold most of the program's threads; small launches beside them (a scan's second stage) may have less.
 */
#include "gpu/chip.h"
#include "heddle.h"
#include "manifest/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define WAVES      4.0
#define L2_B       (768 * 1024)
#define WELL_ABOVE 2 /* times the L2 */

struct exception {
    const char *name, *why;
};

static const struct exception few_waves[] = {
    {"nbody", "every body meets every other: four waves are 30,720 bodies, and half an hour with time"},
    {"nw", "a diagonal of tiles is all there is at a time, and the document's matrix has 64 tiles a side"},
    {"psort", "every key meets every other: four waves are 61,440 keys, and half an hour with time"},
};

/* Programs that live on arithmetic or local memory: their data lie in the L2 in the documents, too */
static const struct exception small_data[] = {
    {"cp", "atoms and a slice of a lattice"},
    {"gaussian", "the document's matrix"},
    {"lavamd", "particles of 1000 boxes"},
    {"nbody", "bodies"},
    {"neuralnet", "the document's network"},
    {"nqueens", "a count per beginning"},
    {"psort", "keys"},
    {"raytrace", "a picture"},
    {"storegpu", "the document's file"},
    {"tpacf", "points"},
};

static bool excepted(const struct exception *list, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0) return true;
    return false;
}

static u64 product(const u32 n[3]) { return (u64)n[0] * n[1] * n[2]; }

static double waves_of(struct heddle *h, struct heddle_module *module, const struct manifest_launch *m, const struct config *c) {
    struct heddle_kernel_info info;
    struct occupancy o;
    struct strbuf why = {0};
    struct heddle_kernel *k = heddle_module_kernel(module, m->kernel);
    assert_non_null(k);
    assert_int_equal(heddle_kernel_info(h, k, &info), HEDDLE_OK);
    struct launch l = {.threads = (u32)product(m->block), .shared_b = info.shared_b + m->dynamic_shared_b};
    assert_true(occupancy_of(c, &l, info.registers, &o, &why));
    strbuf_free(&why);
    return (double)product(m->grid) / ((double)o.ctas * c->sms);
}

/* Share of the threads of all launches that are in launches of enough waves */
static double share_in_waves(const struct manifest *m, const struct config *c) {
    struct diag d = {0};
    struct heddle_module *module = NULL;
    struct heddle *h = heddle_open(NULL);
    assert_int_equal(heddle_set_config(h, c), HEDDLE_OK);
    char *path = manifest_program_path(m, &d);
    assert_non_null(path);
    assert_int_equal(heddle_module_load_file(h, path, &module), HEDDLE_OK);
    double all = 0, enough = 0;
    for (u32 i = 0; i < m->nlaunches; i++) {
        double threads = (double)product(m->launches[i].grid) * (double)product(m->launches[i].block);
        all += threads;
        if (waves_of(h, module, &m->launches[i], c) >= WAVES) enough += threads;
    }
    free(path);
    diag_free(&d);
    heddle_close(h);
    return enough / all;
}

static struct manifest *load(const struct workload *w) {
    struct diag d = {0};
    char *path = workload_manifest_path(w, "paper");
    struct manifest *m = path ? manifest_load(path, &d) : NULL;
    if (!m) print_message("%s: %s\n", w->name, d.text.s ? d.text.s : "no data folder");
    assert_non_null(m);
    diag_free(&d);
    free(path);
    return m;
}

/* Workloads are built only where a compiler of OpenCL C is */
static void need_programs(void) {
    struct diag d = {0};
    struct manifest *m = load(&workload_table[0]);
    char *path = manifest_program_path(m, &d);
    bool there = path && access(path, R_OK) == 0;
    free(path);
    diag_free(&d);
    manifest_free(m);
    if (!there) skip();
}

static void paper_has_four_waves(void **state) {
    (void)state;
    need_programs();
    struct config c;
    struct diag d = {0};
    u32 few = 0;
    assert_true(machine_load(&c, "gtx480", &d));
    for (const struct workload *w = workload_table; w->name; w++) {
        struct manifest *m = load(w);
        double share = share_in_waves(m, &c);
        bool expected = !excepted(few_waves, ARRAY_LEN(few_waves), w->name);
        if ((share >= 0.5) != expected)
            print_message("%s: %.0f %% of its threads in launches of four waves\n", w->name, 100 * share);
        few += (share >= 0.5) != expected;
        manifest_free(m);
    }
    assert_int_equal(few, 0);
    diag_free(&d);
}

static void paper_is_beyond_the_l2(void **state) {
    (void)state;
    u32 wrong = 0;
    for (const struct workload *w = workload_table; w->name; w++) {
        struct manifest *m = load(w);
        bool beyond = manifest_bytes(m) >= WELL_ABOVE * L2_B, expected = !excepted(small_data, ARRAY_LEN(small_data), w->name);
        if (beyond != expected) print_message("%s: %llu bytes\n", w->name, (unsigned long long)manifest_bytes(m));
        wrong += beyond != expected;
        manifest_free(m);
    }
    assert_int_equal(wrong, 0);
}

static void exceptions_are_workloads(void **state) {
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(few_waves); i++) assert_non_null(workload_find(few_waves[i].name));
    for (size_t i = 0; i < ARRAY_LEN(small_data); i++) assert_non_null(workload_find(small_data[i].name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_has_four_waves),
        cmocka_unit_test(paper_is_beyond_the_l2),
        cmocka_unit_test(exceptions_are_workloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
