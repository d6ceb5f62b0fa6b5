/* The texture cache: hits, misses and who waits for them, its MSHRs, lines and ways, and textures read
 * through the L1. */
#include "micro.h"

#define IDEAL_L2 "l2.ideal=true"
#define OWN      IDEAL_L2, "sm.tex.unified=false"
/* One row of 4096 texels of four bytes */
#define IMAGE ".global .texref image;\n"
static const struct heddle_texture row = {.keys = {{"geometry", "2d"}, {"format", "f32x1"}, {"width", "4096"}, {"height", "64"}},
                                          .nkeys = 4};
/* Texel x of row 0, by all lanes */
#define TEX(r, x, label) "tex.2d.v4.f32.s32 {%f" r ", _, _, _}, [image, {" x ", 0}]; // " label "\n"
#define USE(r)           "add.f32 %f30, %f" r ", 0f3F800000;\n"
#define RUN_TEX(...)     RUN(.globals = IMAGE, .texture = &row, __VA_ARGS__)

/* Issue to dependent of a read that hits in the L2: operands and addresses, on to the port, there, the L2,
 * back, and its flits through the port */
static u64 l2_cy(u32 data_b) { return 2 + 1 + 20 + 40 + 20 + (8 + data_b + 31) / 32 - 1; }

static void a_miss_takes_the_way_to_the_l2_and_a_hit_its_latency(void **state) {
    (void)state;
    const char *body = TEX("1", "0", "A") USE("1") TEX("2", "31", "B") USE("2") TEX("3", "32", "C") USE("3");
    RUN_TEX(.body = body, .keys = {OWN});
    assert_int_equal(event_of(EV_ACCESS, WHO("A"))->cause, ACCESS_MISS);
    assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, ACCESS_HIT);
    assert_int_equal(event_of(EV_ACCESS, WHO("C"))->cause, ACCESS_MISS);
    assert_int_equal(when(EV_READY, "A") - issue("A"), l2_cy(128));
    assert_int_equal(when(EV_READY, "B") - issue("B"), 30);
    assert_stat("tex_loads", 3);
    assert_stat("tex_hits", 1);
    assert_stat("tex_misses", 2);
    assert_stat("l1_accesses", 0);
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.latency_cy=47"});
    assert_int_equal(when(EV_READY, "B") - issue("B"), 47);
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.line_b=64"});
    assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, ACCESS_MISS);
    assert_int_equal(when(EV_READY, "A") - issue("A"), l2_cy(64));
}

static void unified_means_the_l1(void **state) {
    (void)state;
    RUN_TEX(.body = TEX("1", "0", "A") USE("1") TEX("2", "31", "B") USE("2"), .keys = {IDEAL_L2, "sm.l1.latency_cy=41"});
    assert_stat("l1_misses", 1);
    assert_stat("l1_hits", 1);
    assert_stat("tex_loads", 2);
    assert_stat("tex_hits", 0);
    assert_int_equal(when(EV_READY, "B") - issue("B"), 41);
}

static void a_line_serves_so_many_reads(void **state) {
    (void)state;
    const char *body = TEX("1", "0", "A") TEX("2", "1", "B") TEX("3", "2", "C") USE("1") USE("2") USE("3");
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.merge=2"});
    assert_int_equal(event_of(EV_ACCESS, WHO("B"))->cause, ACCESS_MERGED);
    assert_int_equal(when(EV_READY, "B"), when(EV_READY, "A"));
    assert_int_equal(when(EV_ACCESS, "C"), when(EV_READY, "A")); /* the line is there: it hits */
    assert_stat("tex_merged", 1);
    assert_true(ran.stats->sum.hazards[HAZARD_MERGE] > 0);
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.merge=3"});
    assert_stat("tex_merged", 2);
    assert_int_equal(ran.stats->sum.hazards[HAZARD_MERGE], 0);
}

static void lines_outstanding_are_bounded(void **state) {
    (void)state;
    const char *body = TEX("1", "0", "A") TEX("2", "32", "B") TEX("3", "64", "C") USE("1") USE("2") USE("3");
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.mshrs=2"});
    assert_int_equal(when(EV_ACCESS, "C"), when(EV_READY, "A"));
    assert_true(ran.stats->sum.hazards[HAZARD_MSHR] > 0);
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.mshrs=3"});
    assert_int_equal(ran.stats->sum.hazards[HAZARD_MSHR], 0);
}

/* Lines 0, 1 and 2 of a cache of two lines: in one set the first goes, in two sets the one whose set is
 * shared */
static void sets_and_ways_say_which_line_goes(void **state) {
    (void)state;
    const char *body = TEX("1", "0", "A") USE("1") TEX("2", "32", "B") USE("2") TEX("3", "64", "C") USE("3") TEX("4", "32", "D")
        USE("4") TEX("5", "0", "E") USE("5");
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.sets=1", "sm.tex.ways=2"});
    assert_stat("tex_hits", 1); /* D */
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.sets=1", "sm.tex.ways=3"});
    assert_stat("tex_hits", 2);
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.sets=2", "sm.tex.ways=1"});
    assert_stat("tex_hits", 1);
    RUN_TEX(.body = body, .keys = {OWN, "sm.tex.sets=4", "sm.tex.ways=1"});
    assert_stat("tex_hits", 2);
}

/* A filter's texels count together: four corners in two rows are two lines, looked up one a cycle */
static void the_corners_of_a_filter_are_coalesced(void **state) {
    (void)state;
    struct heddle_texture t = row;
    t.keys[t.nkeys++] = (struct heddle_texture_key){"filter", "linear"};
    RUN(.globals = IMAGE, .texture = &t,
        .body = "tex.2d.v4.f32.f32 {%f1, _, _, _}, [image, {0f3F800000, 0f3F800000}]; // A\n" USE("1"), .keys = {OWN});
    assert_int_equal(events(EV_ACCESS, "A"), 2);
    assert_int_equal(hazards_of(WHO("A"), HAZARD_DIV), 1);
    assert_stat("tex_misses", 2);
}

/* Mascar: the texture cache's MSHRs saturate the flag as the L1's do */
static void full_mshrs_set_the_flag_of_saturation(void **state) {
    (void)state;
    const char *body =
        "mov.u32 %r1, %tid.x;\nshl.b32 %r1, %r1, 5;\ntex.2d.v4.f32.s32 {%f1, _, _, _}, [image, {%r1, 0}]; // A\n" USE("1");
    for (u32 mshrs = 4; mshrs <= 256; mshrs *= 64) {
        RUN_TEX(.body = body, .threads = 128,
                .keys = {OWN, "sm.sched=mascar", "sm.l1.miss_queue=4096", text("sm.tex.mshrs=%u", mshrs)});
        if (mshrs == 4) assert_true(stat_of("mp_cycles") > 0);
        else assert_stat("mp_cycles", 0);
    }
}

static int end(void **state) {
    (void)state;
    micro_end();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_takes_the_way_to_the_l2_and_a_hit_its_latency),
        cmocka_unit_test(unified_means_the_l1),
        cmocka_unit_test(a_line_serves_so_many_reads),
        cmocka_unit_test(lines_outstanding_are_bounded),
        cmocka_unit_test(sets_and_ways_say_which_line_goes),
        cmocka_unit_test(the_corners_of_a_filter_are_coalesced),
        cmocka_unit_test(full_mshrs_set_the_flag_of_saturation),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
