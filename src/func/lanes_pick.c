/* Chooses, once per instruction at load time, the lane function and the build of it that the host can run. */
#include "func/lanes.h"
#include "func/rowops.h"
#include "func/rv.h"

#include <stdlib.h>

typedef struct lane_pick pick_fn(const struct lane_query *q);

#define PLAIN(file) file##_plain,
static pick_fn *const plain[] = {LANES_FILES(PLAIN)};
#ifdef HEDDLE_NO_AVX2_BUILD
static pick_fn *const *const avx2 = plain;
#else
#define AVX2(file) file##_avx2,
static pick_fn *const avx2[] = {LANES_FILES(AVX2)};
#endif

static bool host_has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !getenv("HEDDLE_NO_AVX2");
}

struct lane_pick lanes_pick(const struct lane_query *q) {
    pick_fn *const *table = host_has_avx2() ? avx2 : plain;
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        struct lane_pick p = table[i](q);
        if (p.fn) return p;
    }
    return (struct lane_pick){0};
}

lane_fn *rv_lane(enum rv_lane which) {
#ifndef HEDDLE_NO_AVX2_BUILD
    if (host_has_avx2()) return rv_lanes_avx2[which];
#endif
    return rv_lanes_plain[which];
}

const struct rowops *rowops_host(void) {
#ifndef HEDDLE_NO_AVX2_BUILD
    if (host_has_avx2()) return &rowops_avx2;
#endif
    return &rowops_plain;
}
