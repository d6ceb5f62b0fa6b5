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

/* Whichever K beats are kept, threads of the others have to move, one move each: the least over all choices
 * */
static u32 least_moves(u64 lanes, u32 warp, u32 width) {
    u32 parts = (warp + width - 1) / width, k = most_in_a_lane(lanes, warp, width), least = UINT32_MAX;
    for (u64 kept = 0; kept < 1ull << parts; kept++) {
        if ((u32)__builtin_popcountll(kept) != k) continue;
        u32 moves = 0;
        for (u32 l = 0; l < warp; l++) moves += lanes >> l & 1 && !(kept >> l / width & 1);
        least = MIN(least, moves);
    }
    return least;
}

/* Every thread has a rank below K, no two of a SIMD lane the same (S3); how many are not where their beat
 * stood */
static void check_places(u64 lanes, u32 warp, u32 width, u32 how) {
    u8 rank[MAX_WARP];
    u64 taken[MAX_WARP] = {0};
    u32 k = most_in_a_lane(lanes, warp, width), used = 0;
    scale_place(lanes, warp, width, how, rank);
    for (u32 l = 0; l < warp; l++) {
        if (!(lanes >> l & 1)) continue;
        assert_true(rank[l] < k && !(taken[rank[l]] >> l % width & 1));
        taken[rank[l]] |= 1ull << l % width;
    }
    for (u32 i = 0; i < k; i++) used += taken[i] != 0;
    assert_int_equal(used, k);
}

static void check(u64 lanes, u32 warp, u32 width) {
    struct model m = squeeze(lanes, warp, width);
    assert_int_equal(scale_beats(lanes, warp, width, false), parts_with_lanes(lanes, warp, width));
    assert_int_equal(scale_beats(lanes, warp, width, true), most_in_a_lane(lanes, warp, width)); /* S2 */
    /* what makes the estimate of equation 6.1 no less than what is gained */
    assert_true(scale_beats(lanes, warp, width, true) * width >= (u32)__builtin_popcountll(lanes));
    assert_int_equal(m.beats, most_in_a_lane(lanes, warp, width));
    assert_int_equal(scale_moves(lanes, warp, width, SQUEEZE_THESIS), m.moves);
    check_places(lanes, warp, width, SQUEEZE_THESIS);
    check_places(lanes, warp, width, SQUEEZE_FEWEST);
    if ((warp + width - 1) / width <= 8)
        assert_int_equal(scale_moves(lanes, warp, width, SQUEEZE_FEWEST), least_moves(lanes, warp, width));
    assert_true(scale_moves(lanes, warp, width, SQUEEZE_FEWEST) <= m.moves);
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

static void a_million_masks_of_four_quarters(void **state) {
    (void)state;
    u64 seed = 7;
    u32 fewer = 0;
    for (u32 i = 0; i < 1000000; i++) {
        u64 lanes = random_below(&seed, UINT32_MAX);
        for (u32 few = i % 3; few; few--) lanes &= random_below(&seed, UINT32_MAX);
        if (!lanes) continue;
        check(lanes, 32, 8);
        fewer += scale_moves(lanes, 32, 8, SQUEEZE_FEWEST) < scale_moves(lanes, 32, 8, SQUEEZE_THESIS);
    }
    assert_true(fewer > 500000); /* the thesis's squeeze moves more than it must on most masks */
}

static void examples_of_the_thesis(void **state) {
    (void)state;
    const u64 b = 0xF00F, c = ~b & 0xFFFFFFFF; /* 4.1 */
    assert_int_equal(scale_beats(b, 32, 8, true), 1);
    assert_int_equal(scale_beats(c, 32, 8, true), 3);
    for (u32 how = SQUEEZE_THESIS; how <= SQUEEZE_FEWEST; how++) {
        assert_int_equal(scale_moves(b, 32, 8, how), 4);
        assert_int_equal(scale_moves(c, 32, 8, how), 4);
    }
    assert_int_equal((1u << scale_beats(0x00F0FF0F, 32, 8, true)) - 1, 3); /* 4.2: two threads a lane, mask 0011, size 16 */
    assert_int_equal(scale_beats(1u << 3 | 1u << 11 | 1u << 20 | 1u << 30, 32, 8, true),
                     2); /* 6.4: four threads, two in a lane */
    for (u32 l = 0; l < 32; l += 8) assert_int_equal(scale_beats(0xFFull << l, 32, 8, true), 1);
    assert_int_equal(scale_beats(0xFFFFFFFF, 32, 8, true), 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_masks_of_two_quarters),
        cmocka_unit_test(many_masks_of_any_shape),
        cmocka_unit_test(a_million_masks_of_four_quarters),
        cmocka_unit_test(examples_of_the_thesis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
