/* Launches that are not a grid of threads: each block begins with one warp, and the program starts others. */
#include "warp_rig.h"

#include <stdio.h>

enum { MAX_BLOCKS = 4, MAX_WARPS = 8, SPAWNED = 3, WARP = 4 }; /* SPAWNED: the pc that started warps begin at */

static struct {
    u32 live_warps, live_threads; /* when it was started */
    u32 times;
    u64 lanes;
    u32 row[RIG_ROWS][WARP];
} seen[MAX_BLOCKS][MAX_WARPS];

static void own_spawn(struct warp *w, struct group *g, const struct inst *in, u64 mask) { /* warps 1 to imm, lane 0 of each */
    (void)mask;
    for (u32 i = 1; i <= (u32)in->imm; i++) {
        assert_true(warp_start(w->cta, i, SPAWNED, 1));
        assert_false(warp_start(w->cta, i, SPAWNED, 1)); /* it lives */
        seen[w->cta->linear][i].live_warps = w->cta->live_warps, seen[w->cta->linear][i].live_threads = w->cta->live_threads;
        warp_check(&w->cta->warps[i]);
    }
    g->pc++;
}
static void own_all(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)in, (void)mask;
    g->pc++;
    warp_lanes_on(w, g, w->off);
}
static void own_spy(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)in;
    seen[w->cta->linear][w->id].times++;
    seen[w->cta->linear][w->id].lanes = mask;
    for (u32 r = 0; r < RIG_ROWS; r++)
        for (u32 l = 0; l < WARP; l++) seen[w->cta->linear][w->id].row[r][l] = rig_word(w, r, l);
    warp_check(w);
    g->pc++;
}
static void own_end(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)g, (void)in, (void)mask;
    warp_end(w);
}

/* r7 = 100 x warp + lane, for lanes that are off too */
static void begin(struct warp *w) {
    struct opnd d = rig_reg(7);
    for (u32 l = 0; l < WARP; l++) opnd_write(w, &w->groups.at[0], &d, l, 100 * w->id + l);
}

static void run(struct rig *r) {
    memset(seen, 0, sizeof(seen));
    if (!launch_run(&r->l)) fail_msg("%s", r->l.fault.s);
}

/*  0 spawn    3 all on        all warps: r0 = lane, r1 = r0 + r7; meet at a barrier; be seen; end */
static struct rig *spawning(u32 blocks, u32 warps, u32 spawned) {
    struct rig *r = rig_new();
    rig_own(r, own_spawn, spawned);
    rig_emit(r, exec_nop);
    rig_emit(r, exec_nop);
    rig_own(r, own_all, 0);
    rig_lane_id(r, 0);
    rig_add(r, 1, rig_reg(0), rig_reg(7));
    rig_emit(r, exec_bar)->s[0] = rig_const(0);
    rig_own(r, own_spy, 0);
    rig_own(r, own_end, 0);
    r->k.first_warps = 1, r->k.first_lanes = 1, r->k.begin = begin;
    rig_close(r, blocks, warps * WARP, WARP);
    return r;
}

static void a_program_starts_warps(void **state) {
    (void)state;
    struct rig *r = spawning(MAX_BLOCKS, MAX_WARPS, 5);
    run(r);
    for (u32 b = 0; b < MAX_BLOCKS; b++)
        for (u32 w = 0; w < MAX_WARPS; w++) {
            assert_int_equal(seen[b][w].times, w <= 5);
            assert_int_equal(seen[b][w].lanes, w <= 5 ? 0xF : 0);
            assert_int_equal(seen[b][w].live_warps, w >= 1 && w <= 5 ? w + 1 : 0);
            assert_int_equal(seen[b][w].live_threads, w >= 1 && w <= 5 ? w + 1 : 0); /* a lane each */
            for (u32 l = 0; l < WARP && w <= 5; l++) assert_int_equal(seen[b][w].row[1][l], 100 * w + 2 * l);
        }
    assert_int_equal(r->l.ctas_done, MAX_BLOCKS);
    rig_free(r);
}

static void a_block_ends_with_its_last_warp(void **state) {
    (void)state;
    struct rig *r = spawning(1, 3, 2);
    struct cta *c = cta_new(&r->l);
    for (u32 again = 0; again < 2; again++) {
        cta_start(c, 0);
        assert_int_equal(c->live_warps, 1);
        assert_int_equal(c->live_threads, 1);
        struct step s = {0};
        assert_true(warp_step(&c->warps[0], 0, 0, &s));
        step_free(&s);
        assert_int_equal(c->live_warps, 3);
        warp_end(&c->warps[0]);
        warp_end(&c->warps[0]); /* it has ended already */
        assert_int_equal(c->live_warps, 2);
        assert_true(warp_start(c, 0, 0, ~0ull)); /* and may be started again */
        assert_int_equal(c->live_warps, 3);
        assert_int_equal(c->live_threads, 2 + WARP);
        warp_end(&c->warps[0]), warp_end(&c->warps[2]);
        assert_int_equal(c->live_warps, 1);
        warp_end(&c->warps[1]);
        assert_int_equal(c->live_warps, 0);
        assert_int_equal(c->live_threads, 0);
    }
    cta_free(c);
    rig_free(r);
}

static void what_cannot_be_started_is_refused(void **state) {
    (void)state;
    struct rig *r = spawning(1, 3, 0);
    r->l.threads = r->l.block[0] = 2 * WARP + 1; /* the third warp has one thread */
    struct cta *c = cta_new(&r->l);
    cta_start(c, 0);
    assert_false(warp_start(c, 0, 0, 1));
    assert_false(warp_start(c, 3, 0, 1));
    assert_false(warp_start(c, UINT32_MAX, 0, 1));
    assert_false(warp_start(c, 1, 0, 0));
    assert_false(warp_start(c, 1, 0, 1u << WARP));
    assert_false(warp_start(c, 2, 0, 2));
    assert_int_equal(c->live_warps, 1);
    assert_true(warp_start(c, 2, 1, 3));
    assert_int_equal(c->warps[2].live, 1);
    assert_int_equal(c->warps[2].off, 0);
    assert_int_equal(c->warps[2].groups.at[0].pc, 1);
    assert_true(warp_start(c, 1, 2, 6));
    assert_int_equal(c->warps[1].live, 0xF);
    assert_int_equal(c->warps[1].off, 9);
    assert_int_equal(c->live_threads, 1 + 1 + 2);
    cta_free(c);
    rig_free(r);
}

/* Registers of a warp that is started again are as for the first time. */
static void own_dirty(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)in, (void)mask;
    memset(w->regs, 0xAA, (size_t)RIG_ROWS * ROW_B);
    g->preds[0] = ~0ull;
    g->pc++;
}
static void own_again(struct warp *w, struct group *g, const struct inst *in, u64 mask) { /* warp 1 until it was seen imm times */
    (void)mask;
    if (seen[0][1].times < (u32)in->imm) warp_start(w->cta, 1, 2, 5);
    else g->pc++;
}

static void a_warp_starts_afresh_each_time(void **state) {
    (void)state;
    struct rig *r = rig_new();
    rig_own(r, own_again, 7);
    rig_own(r, own_end, 0);
    rig_own(r, own_spy, 0);
    rig_own(r, own_dirty, 0);
    rig_own(r, own_end, 0);
    r->k.first_warps = 1, r->k.first_lanes = ~0ull, r->k.begin = begin;
    rig_close(r, 1, 2 * WARP, WARP);
    run(r);
    assert_int_equal(seen[0][1].times, 7);
    assert_int_equal(seen[0][1].lanes, 5);
    for (u32 l = 0; l < WARP; l++) {
        assert_int_equal(seen[0][1].row[7][l], 100 + l);
        assert_int_equal(seen[0][1].row[1][l], 0);
    }
    rig_free(r);
}

/* Without first_warps a block begins with everything it has. */
static void a_grid_of_threads_is_as_before(void **state) {
    (void)state;
    struct rig *r = spawning(2, 5, 0);
    r->k.first_warps = 0;
    r->l.threads = r->l.block[0] = 4 * WARP + 2;
    run(r);
    for (u32 w = 0; w < 5; w++) {
        assert_int_equal(seen[1][w].times, 1);
        assert_int_equal(seen[1][w].lanes, w < 4 ? 0xF : 3);
    }
    rig_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_starts_warps),
        cmocka_unit_test(a_block_ends_with_its_last_warp),
        cmocka_unit_test(what_cannot_be_started_is_refused),
        cmocka_unit_test(a_warp_starts_afresh_each_time),
        cmocka_unit_test(a_grid_of_threads_is_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
