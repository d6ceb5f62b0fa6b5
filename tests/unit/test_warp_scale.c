/* Hybrid warp sizes: do beats and moves come out as the thesis's squeeze makes them, thread by thread? */
#include "core/core.h"
#include "flow_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The squeeze as Jin 4.1 tells it: quarters by population, then holes of the fullest are filled from the
 * emptiest, threads staying in their lanes */
struct model {
    u8 at[MAX_WARP][MAX_WARP]; /* [rank of the quarter][lane] */
    u32 parts, width, moves, beats;
};

static u32 population(const struct model *m, u32 part) {
    u32 n = 0;
    for (u32 l = 0; l < m->width; l++) n += m->at[part][l];
    return n;
}

static void sort_parts(struct model *m) { /* a bubble at a time: equals stay in order */
    for (u32 i = 0; i < m->parts; i++)
        for (u32 k = 0; k + 1 < m->parts; k++) {
            if (population(m, k) >= population(m, k + 1)) continue;
            u8 swap[MAX_WARP];
            memcpy(swap, m->at[k], sizeof(swap));
            memcpy(m->at[k], m->at[k + 1], sizeof(swap));
            memcpy(m->at[k + 1], swap, sizeof(swap));
        }
}

static void fill(struct model *m, u32 to, u32 from) {
    for (u32 l = 0; l < m->width; l++)
        if (m->at[from][l] && !m->at[to][l]) m->at[from][l] = 0, m->at[to][l] = 1, m->moves++;
}

static struct model squeeze(u64 lanes, u32 warp, u32 width) {
    struct model m = {.parts = (warp + width - 1) / width, .width = width};
    for (u32 l = 0; l < warp; l++) m.at[l / width][l % width] = lanes >> l & 1;
    sort_parts(&m);
    for (u32 to = 0; to < m.parts; to++)
        for (u32 from = m.parts; from-- > to + 1;) fill(&m, to, from);
    for (u32 k = 0; k < m.parts; k++) m.beats += population(&m, k) != 0;
    return m;
}

static u32 most_in_a_lane(u64 lanes, u32 warp, u32 width) {
    u32 n[MAX_WARP] = {0}, most = 0;
    for (u32 l = 0; l < warp; l++)
        if (lanes >> l & 1) n[l % width]++, most = MAX(most, n[l % width]);
    return most;
}

static u32 parts_with_lanes(u64 lanes, u32 warp, u32 width) {
    u64 some = 0;
    for (u32 l = 0; l < warp; l++)
        if (lanes >> l & 1) some |= 1ull << l / width;
    return (u32)__builtin_popcountll(some);
}

static void check(u64 lanes, u32 warp, u32 width) {
    struct model m = squeeze(lanes, warp, width);
    assert_int_equal(scale_beats(lanes, warp, width, false), parts_with_lanes(lanes, warp, width));
    assert_int_equal(scale_beats(lanes, warp, width, true), most_in_a_lane(lanes, warp, width)); /* S2 */
    assert_int_equal(m.beats, most_in_a_lane(lanes, warp, width));
    assert_int_equal(scale_moves(lanes, warp, width), m.moves);
}

static void all_masks_of_two_quarters(void **state) {
    (void)state;
    for (u64 lanes = 1; lanes < 1u << 16; lanes++) check(lanes, 16, 8);
}

static void many_masks_of_any_shape(void **state) {
    (void)state;
    static const struct {
        u32 warp, width;
    } shapes[] = {{32, 8}, {32, 16}, {32, 4}, {32, 32}, {64, 16}, {64, 1}, {33, 8}, {20, 7}, {5, 64}, {1, 1}};
    u64 seed = 11;
    for (u32 i = 0; i < 100000; i++) {
        u32 k = i % 2 ? 0 : i / 2 % ARRAY_LEN(shapes);
        u64 lanes = (u64)random_below(&seed, UINT32_MAX) << 32 | random_below(&seed, UINT32_MAX);
        for (u32 few = random_below(&seed, 4); few; few--) lanes &= (u64)random_below(&seed, UINT32_MAX) * 0x100000001ull;
        if (shapes[k].warp < 64) lanes &= (1ull << shapes[k].warp) - 1;
        if (lanes) check(lanes, shapes[k].warp, shapes[k].width);
    }
}

static void examples_of_the_thesis(void **state) {
    (void)state;
    const u64 b = 0xF00F, c = ~b & 0xFFFFFFFF; /* 4.1 */
    assert_int_equal(scale_beats(b, 32, 8, true), 1);
    assert_int_equal(scale_beats(c, 32, 8, true), 3);
    assert_int_equal(scale_moves(b, 32, 8), 4);
    assert_int_equal(scale_moves(c, 32, 8), 4);
    assert_int_equal(scale_beats(1u << 3 | 1u << 11 | 1u << 20 | 1u << 30, 32, 8, true),
                     2); /* 6.4: four threads, two in a lane */
    for (u32 l = 0; l < 32; l += 8) assert_int_equal(scale_beats(0xFFull << l, 32, 8, true), 1);
    assert_int_equal(scale_beats(0xFFFFFFFF, 32, 8, true), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_masks_of_two_quarters),
        cmocka_unit_test(many_masks_of_any_shape),
        cmocka_unit_test(examples_of_the_thesis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
