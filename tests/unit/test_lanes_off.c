/* Lanes that a program switches off and on again: they keep their registers, nobody waits for them, and F1
 * holds. */
#include "func/mma.h"
#include "warp_rig.h"

#include <stdio.h>

/* --- instructions of an imagined machine with a thread mask */

/* From here on exactly the lanes of imm are on */
static void own_mask(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)mask;
    u64 want = (u64)in->imm & w->live;
    g->pc++;
    warp_lanes_on(w, g, want & w->off);
    warp_lanes_off(w, g, g->mask & ~want);
}
static void own_off(struct warp *w, struct group *g, const struct inst *in, u64 mask) { /* lanes of imm, if they are here */
    g->pc++;
    warp_lanes_off(w, g, (u64)in->imm & mask);
}
static void own_on(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)mask;
    g->pc++;
    warp_lanes_on(w, g, (u64)in->imm & w->off);
}
static void own_end(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)g, (void)in, (void)mask;
    warp_end(w);
}
static void own_pred(struct warp *w, struct group *g, const struct inst *in, u64 mask) { /* predicate 0 */
    (void)w;
    g->preds[0] = (g->preds[0] & ~mask) | ((u64)in->imm & mask);
    g->pc++;
}

static struct {
    u32 row[RIG_ROWS][MAX_WARP]; /* of the last warp that was seen */
    u64 mask, live, off;
    u32 threads;
    u32 times;
} seen;
static void own_spy(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)in;
    warp_check(w);
    for (u32 r = 0; r < RIG_ROWS; r++)
        for (u32 l = 0; l < MAX_WARP; l++) seen.row[r][l] = l < w->nslabs * SLAB_LANES ? rig_word(w, r, l) : 0;
    seen.mask = mask, seen.live = w->live, seen.off = w->off, seen.threads = w->cta->live_threads, seen.times++;
    g->pc++;
}

/* By launch_run, which takes the short ways through straight code, and step by step */
static void run_both(struct rig *r, void (*look)(const void *arg), const void *arg) {
    memset(&seen, 0, sizeof(seen));
    if (!launch_run(&r->l)) fail_msg("%s", r->l.fault.s);
    look(arg);
    memset(&seen, 0, sizeof(seen));
    struct cta *c = cta_new(&r->l);
    cta_start(c, 0);
    struct step s = {0};
    for (u32 i = 0; c->live_warps; i++) {
        assert_true(i < 10000);
        struct warp *w = &c->warps[i % c->nwarps];
        if (!w->live || (w->groups.at[w->current].state != GROUP_READY && !warp_pick(w))) continue;
        if (r->code[w->groups.at[w->current].pc].flags & INST_RECONV && !group_arrive(w, w->current)) continue;
        assert_true(warp_step(w, w->current, 0, &s));
        warp_check(w);
    }
    look(arg);
    step_free(&s);
    cta_free(c);
}

/* --- registers */

struct masks {
    u64 all, first, second;
};

/* r1 = id + 100 for the first, + 200 for the second; r2 = r1 + id for all */
static void look_masks(const void *arg) {
    const struct masks *m = arg;
    assert_int_equal(seen.live, m->all);
    assert_int_equal(seen.off, 0);
    for (u32 l = 0; l < MAX_WARP; l++) {
        if (!(m->all >> l & 1)) continue;
        u32 want = m->second >> l & 1 ? l + 200 : m->first >> l & 1 ? l + 100 : 0;
        assert_int_equal(seen.row[1][l], want);
        assert_int_equal(seen.row[2][l], want + l);
    }
}

static void lanes_keep_registers(u32 threads, u32 warp_size, u64 first, u64 second) {
    struct rig *r = rig_new();
    struct masks m = {threads == 64 ? ~0ull : (1ull << threads) - 1, first, second};
    rig_constant(r, 0, 100), rig_constant(r, 1, 200);
    rig_lane_id(r, 0);
    rig_own(r, own_mask, (i64)first);
    rig_add(r, 1, rig_reg(0), rig_const(0));
    rig_own(r, own_mask, (i64)second);
    rig_add(r, 1, rig_reg(0), rig_const(1));
    rig_own(r, own_mask, -1);
    rig_add(r, 2, rig_reg(1), rig_reg(0));
    rig_own(r, own_spy, 0);
    rig_emit(r, exec_exit);
    rig_close(r, 1, threads, warp_size);
    run_both(r, look_masks, &m);
    rig_free(r);
}

static void a_lane_that_is_off_keeps_its_registers(void **state) {
    (void)state;
    lanes_keep_registers(32, 32, 0x0F0F, 0xF0F0);
    lanes_keep_registers(32, 32, 1, 0xFFFFFFFF);
    lanes_keep_registers(32, 32, 0xFFFFFFFF, 1u << 31);
    lanes_keep_registers(32, 32, 0xFFFF, 0xFF);
    lanes_keep_registers(20, 32, 0x3, 0xC0003);
    lanes_keep_registers(4, 4, 1, 14);
    lanes_keep_registers(64, 64, 0xFFFFFFFF, 0xFFFFFFFF00000000);
    lanes_keep_registers(40, 64, 1ull << 39, 0xFF);
}

/* Every way to a destination that knows a short cut when all live lanes take part */
enum { KEPT = 0xABCD0123, FIRST = 0x00FF00FF };
static void look_kept(const void *arg) {
    const u32 *rows = arg; /* ends with RIG_ROWS */
    for (; *rows != RIG_ROWS; rows++)
        for (u32 l = 0; l < SLAB_LANES; l++) {
            u32 lane = *rows >= 8 ? (*rows % 2 * SLAB_LANES + l) / 2 : l; /* a pair's lane lies across its two rows */
            if (FIRST >> lane & 1) assert_int_not_equal(seen.row[*rows][l], KEPT);
            else assert_int_equal(seen.row[*rows][l], KEPT);
        }
}

static void keeps(struct rig *r, const u32 *rows) {
    rig_own(r, own_mask, -1);
    rig_own(r, own_spy, 0);
    rig_emit(r, exec_exit);
    rig_close(r, 1, 32, 32);
    run_both(r, look_kept, rows);
    rig_free(r);
}

static struct rig *rig_kept(const u32 *rows) {
    struct rig *r = rig_new();
    rig_constant(r, 0, KEPT), rig_constant(r, 1, 5), rig_constant(r, 2, 0), rig_constant(r, 3, 0x01010101);
    r->mem.limit_b = 1 << 20;
    for (const u32 *row = rows; *row != RIG_ROWS; row++) {
        if (*row >= 8 && *row % 2) continue;
        struct inst *in = rig_emit(r, *row >= 8 ? exec_rows2 : exec_rows1);
        in->lane = *row >= 8 ? rig_wide : rig_add32;
        in->d = *row >= 8 ? rig_pair(*row) : rig_reg(*row);
        in->s[0] = rig_const(0), in->s[1] = in->s[2] = *row >= 8 ? rig_const(0) : rig_const(2);
    }
    rig_own(r, own_mask, FIRST);
    return r;
}

static void no_short_cut_overwrites_it(void **state) {
    (void)state;
    static const u32 word[] = {1, RIG_ROWS}, pair[] = {8, 9, RIG_ROWS}, words[] = {1, 2, RIG_ROWS}, sums[] = {3, 4, RIG_ROWS};
    struct rig *r = rig_kept(word);
    rig_add(r, 1, rig_const(1), rig_const(1));
    keeps(r, word);
    r = rig_kept(pair);
    struct inst *in = rig_emit(r, exec_rows2);
    in->lane = rig_wide, in->d = rig_pair(8), in->s[0] = in->s[1] = in->s[2] = rig_const(1);
    keeps(r, pair);
    r = rig_kept(word);
    in = rig_emit(r, exec_selp);
    in->lane = rig_add32, in->d = rig_reg(1), in->s[0] = in->s[1] = rig_const(1), in->s[2] = (struct opnd){.in = OPND_IN_PRED};
    keeps(r, word);
    for (u32 shape = 2 * ACCESS_ROW; shape <= 2 * ACCESS_WORDS + 1; shape++) { /* loads, each from global and shared memory */
        u8 access = (u8)(shape / 2);
        const u32 *rows = access == ACCESS_WORDS ? words : word;
        static struct opnd two[2];
        two[0] = rig_reg(1), two[1] = rig_reg(2);
        r = rig_kept(rows);
        rig_constant(r, 4, (u32)memory_alloc(&r->mem, 256, 256, OWNER_HOST, false));
        in = rig_emit(r, exec_ld);
        in->iclass = ICLASS_LOAD, in->space = shape % 2 ? SPACE_SHARED : SPACE_GLOBAL, in->access = access;
        in->s[0] = shape % 2 ? rig_const(2) : rig_const(4);
        in->elem_b = access == ACCESS_NARROW ? 1 : 4, in->nelem = access == ACCESS_WORDS ? 2 : 1, in->aux = 32 << 8;
        if (access == ACCESS_WORDS) in->extra = two, in->extra_n = in->extra_d = 2;
        else in->d = rig_reg(1);
        keeps(r, rows);
    }
    static struct opkey key = {.op = OP_mma, .ntypes = 4, .type = {TYPE_s32, TYPE_u8, TYPE_u8, TYPE_s32}, .layouts = 1 | 2 << 2};
    static struct opnd mma[] = {{.in = OPND_IN_REG, .rows = 1, .off = 3 * ROW_B},
                                {.in = OPND_IN_REG, .rows = 1, .off = 4 * ROW_B}};
    static struct opnd all[6];
    mods_set(&key.mods, MOD_m8n8k16), mods_set(&key.mods, MOD_sync), mods_set(&key.mods, MOD_aligned);
    assert_true(exec_mma_legal(&key, (const u32[]){2, 1, 1, 2}));
    r = rig_kept(sums);
    all[0] = mma[0], all[1] = mma[1], all[2] = all[3] = rig_const(3), all[4] = all[5] = rig_const(1);
    in = rig_emit(r, exec_mma);
    in->key = &key, in->extra = all, in->extra_n = 6, in->extra_d = 2, in->imm = 2 | 1 << 8 | 1 << 16 | 2 << 24;
    keeps(r, sums);
    r = rig_kept(word);
    static const struct matrix_info one = {1, false};
    static struct opnd d;
    d = rig_reg(1);
    in = rig_emit(r, exec_ldmatrix);
    in->info = &one, in->extra = &d, in->extra_n = in->extra_d = 1, in->space = SPACE_SHARED;
    keeps(r, word);
}

/* --- who waits for whom */

static void look_vote(const void *arg) {
    (void)arg;
    for (u32 l = 0; l < SLAB_LANES; l++) assert_int_equal(seen.row[1][l], FIRST >> l & 1 ? FIRST : 0);
}

static void a_collective_does_not_wait_for_it(void **state) {
    (void)state;
    struct rig *r = rig_new();
    rig_constant(r, 0, 1), rig_constant(r, 1, ~0u);
    rig_own(r, own_mask, FIRST);
    for (u32 named = 0; named < 2; named++) { /* all lanes by default, and all by mask */
        struct inst *in = rig_emit(r, exec_vote);
        in->flags |= INST_COLLECTIVE;
        in->aux = VOTE_BALLOT, in->d = rig_reg(1), in->s[0] = rig_const(0);
        if (named) in->q = rig_const(1);
    }
    rig_own(r, own_mask, -1);
    rig_own(r, own_spy, 0);
    rig_emit(r, exec_exit);
    rig_close(r, 1, 32, 32);
    run_both(r, look_vote, NULL);
    rig_free(r);
}

static void look_barrier(const void *arg) {
    (void)arg;
    assert_int_equal(seen.times, 3);
    assert_int_equal(seen.off, 0xFFFFFF00);
}

static void a_barrier_does_not_wait_for_it(void **state) {
    (void)state;
    for (u32 counted = 0; counted < 2; counted++) {
        struct rig *r = rig_new();
        rig_constant(r, 0, 0), rig_constant(r, 1, 96);
        rig_own(r, own_mask, 0xFF);
        struct inst *in = rig_emit(r, exec_bar);
        in->s[0] = rig_const(0);
        if (counted) in->s[1] = rig_const(1);
        rig_own(r, own_spy, 0);
        rig_own(r, own_end, 0);
        rig_close(r, 1, 96, 32);
        run_both(r, look_barrier, NULL);
        rig_free(r);
    }
}

/* Lanes that are off when the others meet: these go on without them. */
static void look_meeting(const void *arg) {
    (void)arg;
    assert_int_equal(seen.mask, 0xFFFFFFFF);
    assert_int_equal(seen.times, 1);
    assert_int_equal(seen.threads, 32);
    for (u32 l = 0; l < SLAB_LANES; l++) assert_int_equal(seen.row[1][l], l < 8 ? 5 : l < 16 ? 0 : 10);
}

static void a_meeting_point_does_not_wait_for_it(void **state) {
    (void)state;
    struct rig *r = rig_new();
    rig_constant(r, 0, 5);
    rig_own(r, own_pred, 0xFFFF);
    struct inst *bra = rig_emit(r, exec_bra);
    bra->guard = 0, bra->target = 5, bra->reconv = 7;
    rig_add(r, 1, rig_const(0), rig_const(0)); /* lanes 16 to 31 */
    struct inst *skip = rig_emit(r, exec_bra);
    skip->target = 7;
    rig_emit(r, exec_trap);
    rig_own(r, own_off, 0xFF00); /* lanes 0 to 15, of which 8 stay behind */
    rig_add(r, 1, rig_reg(1), rig_const(0));
    rig_own(r, own_on, 0xFF00)->flags |= INST_RECONV; /* all that are on meet here */
    rig_own(r, own_spy, 0);
    rig_emit(r, exec_exit);
    rig_close(r, 1, 32, 32);
    run_both(r, look_meeting, NULL);
    rig_free(r);
}

/* Lanes that are switched on inside one side of a branch are expected where that side is heading. */
static void look_joined(const void *arg) {
    (void)arg;
    assert_int_equal(seen.mask, 0xFFFFFFFF);
    assert_int_equal(seen.times, 1);
}

static void it_goes_where_its_group_is_heading(void **state) {
    (void)state;
    struct rig *r = rig_new();
    rig_constant(r, 0, 5);
    rig_own(r, own_mask, 0xFFFFFF);
    rig_own(r, own_pred, 0xFF);
    struct inst *bra = rig_emit(r, exec_bra);
    bra->guard = 0, bra->target = 5, bra->reconv = 7;
    rig_add(r, 1, rig_const(0), rig_const(0));
    struct inst *skip = rig_emit(r, exec_bra);
    skip->target = 7;
    rig_own(r, own_on, 0xFF000000);
    rig_add(r, 1, rig_reg(1), rig_const(0));
    rig_own(r, own_spy, 0)->flags |= INST_RECONV;
    rig_emit(r, exec_exit);
    rig_close(r, 1, 32, 32);
    run_both(r, look_joined, NULL);
    rig_free(r);
}

/* --- ends */

static void look_end(const void *arg) {
    (void)arg;
    assert_int_equal(seen.off, 0xFFFFFFFE);
}

static void a_warp_ends_with_it(void **state) {
    (void)state;
    struct rig *r = rig_new();
    rig_own(r, own_mask, 1);
    rig_own(r, own_spy, 0);
    rig_own(r, own_end, 0);
    rig_close(r, 3, 32, 32);
    run_both(r, look_end, NULL);
    rig_free(r);
}

static void nobody_left_to_switch_it_on(void **state) {
    (void)state;
    struct rig *r = rig_new();
    rig_own(r, own_mask, 0xF0);
    rig_emit(r, exec_exit);
    rig_close(r, 1, 32, 32);
    assert_false(launch_run(&r->l));
    assert_non_null(strstr(r->l.fault.s, "deadlock: no thread of the block can go on"));
    assert_non_null(
        strstr(r->l.fault.s, "warp 0, lanes 0xffffff0f: switched off, and no lane is left that could switch them on"));
    rig_free(r);
}

/* --- a stack of masks, as Vortex has it: split takes one side, join the other, join again both */

struct entry {
    u64 lanes;
    i32 pc; /* NONE: the lanes join those that run */
};
static struct entry stack[8];
static u32 depth;

static void own_split(struct warp *w, struct group *g, const struct inst *in, u64 mask) { /* on lane ids with a bit of imm */
    u64 yes = 0;
    for (u64 m = mask; m; m &= m - 1)
        if (rig_word(w, 0, (u32)__builtin_ctzll(m)) & (u64)in->imm) yes |= m & -m;
    stack[depth++] = (struct entry){mask, NONE};
    stack[depth++] = (struct entry){mask & ~yes, in->target};
    g->pc++;
    warp_lanes_off(w, g, mask & ~yes);
}
static void own_join(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    (void)in;
    struct entry e = stack[--depth];
    g->pc = e.pc == NONE ? g->pc + 1 : e.pc;
    warp_lanes_on(w, g, e.lanes & w->off);
    if (e.pc != NONE) warp_lanes_off(w, g, mask);
}

static void look_nest(const void *arg) {
    (void)arg;
    assert_int_equal(depth, 0);
    assert_int_equal(seen.mask, 0xFFFF);
    for (u32 l = 0; l < 16; l++) assert_int_equal(seen.row[1][l], (l & 1 ? (l & 2 ? 1 : 10) : 100) + 1000);
}

/*   0 id          4 r1 += 1     8 join            split(id & 1) { split(id & 2) r1 += 1 else r1 += 10 } else r1 += 100
 *   1 split 1     5 join        9 r1 += 100       r1 += 1000
 *   2 split 2     6 r1 += 10   10 join
 *   3 nop         7 join       11 r1 += 1000 */
static void a_stack_of_masks_works(void **state) {
    (void)state;
    struct rig *r = rig_new();
    rig_constant(r, 0, 1), rig_constant(r, 1, 10), rig_constant(r, 2, 100), rig_constant(r, 3, 1000);
    rig_lane_id(r, 0);
    rig_own(r, own_split, 1)->target = 9;
    rig_own(r, own_split, 2)->target = 6;
    rig_emit(r, exec_nop);
    rig_add(r, 1, rig_reg(1), rig_const(0));
    rig_own(r, own_join, 0);
    rig_add(r, 1, rig_reg(1), rig_const(1));
    rig_own(r, own_join, 0);
    rig_own(r, own_join, 0);
    rig_add(r, 1, rig_reg(1), rig_const(2));
    rig_own(r, own_join, 0);
    rig_add(r, 1, rig_reg(1), rig_const(3));
    rig_own(r, own_spy, 0);
    rig_emit(r, exec_exit);
    rig_close(r, 1, 16, 16);
    run_both(r, look_nest, NULL);
    rig_free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_that_is_off_keeps_its_registers),
        cmocka_unit_test(no_short_cut_overwrites_it),
        cmocka_unit_test(a_collective_does_not_wait_for_it),
        cmocka_unit_test(a_barrier_does_not_wait_for_it),
        cmocka_unit_test(a_meeting_point_does_not_wait_for_it),
        cmocka_unit_test(it_goes_where_its_group_is_heading),
        cmocka_unit_test(a_warp_ends_with_it),
        cmocka_unit_test(nobody_left_to_switch_it_on),
        cmocka_unit_test(a_stack_of_masks_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
