/* Units: how long one is taken, how many there are, warps wider than their unit, chaining. */
#include "micro.h"

/* What runs on each kind of unit, with two independent results and one that depends on the first */
struct kind {
    const char *unit, *class, *first, *second, *third, *use;
    u32 width; /* of `small` */
};
static const struct kind kinds[] = {
    {"alu", "fp32", "add.f32 %f1, %f9, %f8; // A\n", "add.f32 %f2, %f9, %f8; // B\n", "add.f32 %f3, %f9, %f8; // C\n",
     "mul.f32 %f4, %f1, %f1; // D\nadd.f32 %f2, %f2, %f3;\n", 32},
    {"sfu", "sfu", "sin.approx.f32 %f1, %f9; // A\n", "sin.approx.f32 %f2, %f9; // B\n", "sin.approx.f32 %f3, %f9; // C\n",
     "cos.approx.f32 %f4, %f1; // D\nadd.f32 %f2, %f2, %f3;\n", 8},
    {"fp64", "fp64", "add.f64 %d1, %d9, %d8; // A\n", "add.f64 %d2, %d9, %d8; // B\n", "add.f64 %d3, %d9, %d8; // C\n",
     "mul.f64 %d4, %d1, %d1; // D\nadd.f64 %d2, %d2, %d3;\n", 16},
    {"int", "int", "add.u32 %r1, %r9, %r8; // A\n", "add.u32 %r2, %r9, %r8; // B\n", "add.u32 %r3, %r9, %r8; // C\n",
     "sub.u32 %r4, %r1, %r1; // D\nadd.u32 %r2, %r2, %r3;\n", 32},
    {"tensor", "tensor",
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f24, %f25, %f26, %f27}; // A\n",
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r1, %r2}, {%r3}, {%f24, %f25, %f26, %f27}; // B\n",
     "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f9, %f10, %f11, %f12}, {%r1, %r2}, {%r3}, {%f24, %f25, %f26, %f27}; // "
     "C\n",
     "add.f32 %f13, %f1, %f1; // D\nfma.rn.f32 %f2, %f2, %f3, %f4;\nfma.rn.f32 %f5, %f5, %f6, %f7;\nfma.rn.f32 %f8, %f8, %f9, "
     "%f10;\nadd.f32 %f11, %f11, %f12;\n",
     32},
};
#define EASY "sm.int.units=1", "sm.banks=64", "sm.bank_ports=8", "sm.collectors=generic:16"

static const char *body_of(const struct kind *k) { return JOIN(k->first, k->second, k->third, k->use); }

static void a_unit_is_taken_for_interval_times_beats(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++)
        for (u32 interval = 1; interval <= 5; interval += 2)
            for (u32 width = 4; width <= 32; width *= 2) {
                RUN(.body = body_of(&kinds[i]), .keys = {EASY, text("sm.%s.width=%u", kinds[i].unit, width),
                                                         text("sm.class.%s.interval_cy=%u", kinds[i].class, interval),
                                                         text("sm.class.%s.latency_cy=100", kinds[i].class)});
                u32 busy = interval * (32 / width);
                assert_int_equal(event_of(EV_DISPATCH, WHO("A"))->a, busy);
                assert_int_equal(when(EV_DISPATCH, "B") - when(EV_DISPATCH, "A"), busy);
                assert_int_equal(when(EV_DISPATCH, "C") - when(EV_DISPATCH, "B"), busy);
            }
}

static void a_width_that_does_not_divide_the_warp_needs_one_beat_more(void **state) {
    (void)state;
    RUN(.body = body_of(&kinds[0]), .keys = {EASY, "sm.alu.width=31"});
    assert_int_equal(when(EV_DISPATCH, "B") - when(EV_DISPATCH, "A"), 2);
    RUN(.body = body_of(&kinds[0]), .keys = {EASY, "sm.alu.width=33"});
    assert_int_equal(when(EV_DISPATCH, "B") - when(EV_DISPATCH, "A"), 1);
}

static void waiting_for_the_unit_comes_on_top_of_the_latency(void **state) {
    (void)state;
    RUN(.body = "sin.approx.f32 %f1, %f9; // A\nsin.approx.f32 %f2, %f9; // B\nadd.f32 %f4, %f1, %f1; // D\nadd.f32 %f5, %f2, "
                "%f2; // E\n",
        .keys = {EASY});
    assert_int_equal(apart("A", "D"), 20);
    assert_int_equal(apart("A", "B"), 1);
    assert_int_equal(apart("B", "E"), 20 + 3); /* it went in four cycles after the first, three later than it could */
    assert_stat("unit_wait_cycles", 3);
}

static void n_units_take_n_warps_at_a_time(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++)
        for (u32 units = 1; units <= 3; units++) {
            RUN(.body = body_of(&kinds[i]),
                .keys = {EASY, text("sm.%s.units=%u", kinds[i].unit, units), text("sm.%s.width=8", kinds[i].unit),
                         text("sm.class.%s.interval_cy=10", kinds[i].class), text("sm.class.%s.latency_cy=100", kinds[i].class)});
            u64 a = when(EV_DISPATCH, "A");
            assert_int_equal(when(EV_DISPATCH, "B") - a, units >= 2 ? 1 : 40); /* issued one cycle later */
            assert_int_equal(when(EV_DISPATCH, "C") - a, units >= 3 ? 2 : units == 2 ? 40 : 80);
        }
}

static void chaining_follows_the_first_beat(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++)
        for (u32 width = 8; width <= 32; width *= 2) {
            u32 last = (32 / width - 1) * 3;
            const char *w = text("sm.%s.width=%u", kinds[i].unit, width),
                       *interval = text("sm.class.%s.interval_cy=3", kinds[i].class);
            const char *latency = text("sm.class.%s.latency_cy=60", kinds[i].class), *body = JOIN(kinds[i].first, kinds[i].use);
            RUN(.body = body, .keys = {EASY, w, interval, latency});
            assert_int_equal(apart("A", "D"), 60);
            RUN(.body = body, .keys = {EASY, w, interval, latency, "sm.chaining=false"});
            assert_int_equal(apart("A", "D"), 60 + last);
        }
}

static void integers_run_on_the_alu_when_they_have_no_unit(void **state) {
    (void)state;
    const char *body = "add.f32 %f1, %f9, %f8; // A\nadd.u32 %r1, %r9, %r8; // B\nadd.u32 %r2, %r1, 1;\nadd.f32 %f2, %f1, %f1;\n";
    RUN(.body = body, .keys = {EASY, "sm.int.units=0", "sm.alu.width=8"});
    assert_int_equal(when(EV_DISPATCH, "B") - when(EV_DISPATCH, "A"), 4);
    assert_int_equal(event_of(EV_DISPATCH, WHO("B"))->cause, UNIT_ALU);
    RUN(.body = body, .keys = {EASY, "sm.int.units=1", "sm.alu.width=8"});
    assert_int_equal(when(EV_DISPATCH, "B") - when(EV_DISPATCH, "A"), 1);
    assert_int_equal(event_of(EV_DISPATCH, WHO("B"))->cause, UNIT_INT);
}

static void a_class_runs_where_its_key_says(void **state) {
    (void)state;
    static const struct {
        const char *unit;
        u32 id;
    } on[] = {{"alu", UNIT_ALU}, {"int", UNIT_INT}, {"sfu", UNIT_SFU}, {"fp64", UNIT_FP64}, {"tensor", UNIT_TENSOR}};
    for (u32 i = 0; i < ARRAY_LEN(on); i++) {
        RUN(.body = "and.b32 %r1, %r2, %r3; // A\n", .keys = {EASY, text("sm.class.logic.unit=%s", on[i].unit)});
        assert_int_equal(event_of(EV_DISPATCH, WHO("A"))->cause, on[i].id);
    }
}

static void busy_cycles_of_units_are_counted(void **state) {
    (void)state;
    RUN(.body = "sin.approx.f32 %f1, %f9;\nadd.f64 %d1, %d9, %d8;\nadd.f32 %f2, %f9, %f9;\nadd.u32 %r1, %r2, 1;\nadd.u32 %r3, "
                "%r2, 1;\n",
        .keys = {EASY});
    assert_stat("unit_busy_sfu", 4);
    assert_stat("unit_busy_fp64", 2);
    assert_stat("unit_busy_alu", 1);
    assert_stat("unit_busy_int", 2);
    RUN(.body = body_of(&kinds[4]), .keys = {EASY});
    assert_stat("unit_busy_tensor", 3 * 8);
}

static void a_narrow_warp_needs_fewer_beats(void **state) {
    (void)state;
    RUN(.body = body_of(&kinds[1]), .threads = 8, .keys = {EASY, "sm.warp_size=16"});
    assert_int_equal(when(EV_DISPATCH, "B") - when(EV_DISPATCH, "A"), 2);
    RUN(.body = body_of(&kinds[1]), .threads = 64, .keys = {EASY, "sm.warp_size=64"});
    assert_int_equal(when(EV_DISPATCH, "B") - when(EV_DISPATCH, "A"), 8);
}

static void with_ideal_operands_a_busy_unit_is_waited_for_at_issue(void **state) {
    (void)state;
    RUN(.body =
            "sin.approx.f32 %f1, %f9; // A\nsin.approx.f32 %f2, %f9; // B\nadd.u32 %r1, %r2, 1; // C\nadd.f32 %f3, %f1, %f2;\n",
        .keys = {"sm.operands.ideal=true"});
    assert_int_equal(apart("A", "B"), 4);
    assert_int_equal(apart("B", "C"), 1);
}

static void every_class_takes_its_unit_for_its_interval(void **state) {
    (void)state;
    static const struct {
        const char *class, *text;
    } all[] = {
        {"int", "sub.u32 %r1, %r2, %r3; // A\n"},
        {"imul", "mad.lo.u32 %r1, %r2, %r3, %r4; // A\n"},
        {"idiv", "rem.u32 %r1, %r2, 3; // A\n"},
        {"fp32", "fma.rn.f32 %f1, %f2, %f3, %f4; // A\n"},
        {"fdiv", "sqrt.rn.f32 %f1, %f2; // A\n"},
        {"fp64", "fma.rn.f64 %d1, %d2, %d3, %d4; // A\n"},
        {"ddiv", "div.rn.f64 %d1, %d2, %d3; // A\n"},
        {"half", "fma.rn.f16 %h1, %h2, %h3, %h4; // A\n"},
        {"sfu", "ex2.approx.f32 %f1, %f2; // A\n"},
        {"logic", "shl.b32 %r1, %r2, %r3; // A\n"},
        {"pred", "setp.gt.f32 %p1, %f2, %f3; // A\n"},
        {"move", "selp.b32 %r1, %r2, %r3, %p1; // A\n"},
        {"cvt", "cvt.rzi.s32.f32 %r1, %f2; // A\n"},
        {"video", "vsub.s32.s32.s32 %r1, %r2.b0, %r3.b1; // A\n"},
        {"warp", "vote.sync.ballot.b32 %r1, %p1, -1; // A\n"},
        {"tensor", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2}, {%r3}, {%f5, %f6, %f7, "
                   "%f8}; // A\n"},
    };
    for (u32 i = 0; i < ARRAY_LEN(all); i++) {
        RUN(.body = all[i].text, .keys = {EASY, text("sm.class.%s.unit=sfu", all[i].class),
                                          text("sm.class.%s.interval_cy=7", all[i].class), "sm.sfu.width=16"});
        const struct event *e = event_of(EV_DISPATCH, WHO("A"));
        if (e->a != 14 || e->cause != UNIT_SFU) fail_msg("%s", all[i].class);
    }
}

/* --- hybrid warp sizes (Jin 2012, chapter 4) */

/* Threads 0-3 and 12-15 go one way, the other 24 the other; all before and after */
static const char *parted = "mov.u32 %r1, %tid.x;\nshr.u32 %r2, 61455, %r1;\nand.b32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, 0;\n"
                            "sin.approx.f32 %f1, %f9; // A\n@!%p1 bra $others;\nsin.approx.f32 %f2, %f9; // B\n"
                            "ld.shared.f32 %f5, [s]; // L\nbra $meet;\n"
                            "$others:\nsin.approx.f32 %f3, %f9; // C\n$meet:\nsin.approx.f32 %f4, %f9; // D\n"
                            "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\nadd.f32 %f1, %f1, %f4;\nadd.f32 %f1, %f1, %f5;\n";

static u64 beats_at(const char *who) { return event_of(EV_DISPATCH, WHO(who))->a; }

static void a_warp_that_parted_takes_the_beats_that_have_lanes(void **state) {
    (void)state;
    static const struct {
        const char *scale, *squeeze;
        u64 b, c, all; /* beats of the parts; of the special function unit in all: example 4.1 has 16 and 12 */
        u64 spared;    /* with those of addresses */
        u64 moves;
    } how[] = {{"off", "off", 4, 4, 16, 0, 0}, {"hybrid", "off", 2, 4, 14, 2 + 2, 0}, {"hybrid", "thesis", 1, 3, 12, 4 + 3, 8}};
    for (u32 i = 0; i < ARRAY_LEN(how); i++) {
        RUN(.globals = ".shared .align 4 .f32 s;\n", .body = parted,
            .keys = {EASY, text("sm.warp_scale=%s", how[i].scale), text("sm.squeeze=%s", how[i].squeeze), "sm.lsu.width=8",
                     "sm.alu.width=8", "sm.int.width=32", "sm.class.fp32.unit=int"});
        assert_int_equal(beats_at("A"), 4);
        assert_int_equal(beats_at("B"), how[i].b);
        assert_int_equal(beats_at("C"), how[i].c);
        assert_int_equal(beats_at("D"), 4);
        assert_stat("unit_busy_sfu", how[i].all);
        assert_stat("squeeze_moves", how[i].moves);
        assert_stat("beats_spared", how[i].spared);
        u64 addresses = when(EV_MEM_ENTER, "L") - when(EV_READ, "L");
        RUN(.globals = ".shared .align 4 .f32 s;\n", .body = parted, .keys = {EASY, "sm.lsu.width=32"});
        assert_int_equal(addresses - (when(EV_MEM_ENTER, "L") - when(EV_READ, "L")), how[i].b - 1);
    }
}

static void results_of_a_small_warp_are_there_sooner_without_chaining(void **state) {
    (void)state;
    const char *body = "sin.approx.f32 %f1, %f9; // A\nadd.f32 %f2, %f1, %f1; // D\n";
    static const u32 threads[] = {1, 8, 9, 17, 32};
    for (u32 i = 0; i < ARRAY_LEN(threads); i++) {
        u32 beats = (threads[i] + 7) / 8;
        RUN(.body = body, .threads = threads[i], .keys = {EASY, "sm.warp_scale=hybrid", "sm.chaining=false"});
        assert_int_equal(apart("A", "D"), 20 + beats - 1);
        RUN(.body = body, .threads = threads[i], .keys = {EASY, "sm.warp_scale=hybrid"});
        assert_int_equal(apart("A", "D"), 20);
        assert_int_equal(beats_at("A"), beats);
    }
}

static void a_whole_warp_is_the_same_with_hybrid_sizes(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++) {
        RUN(.body = body_of(&kinds[i]), .keys = {EASY, text("sm.%s.width=8", kinds[i].unit)});
        u64 end = when(EV_DONE, "D"), c = when(EV_DISPATCH, "C");
        RUN(.body = body_of(&kinds[i]),
            .keys = {EASY, text("sm.%s.width=8", kinds[i].unit), "sm.warp_scale=hybrid", "sm.squeeze=thesis"});
        assert_int_equal(when(EV_DONE, "D"), end);
        assert_int_equal(when(EV_DISPATCH, "C"), c);
        assert_stat("beats_spared", 0);
        assert_stat("squeeze_moves", 0);
    }
}

/* --- one pipe for all (sm.pipe = one), as in Jin's machine */

#define ONE_PIPE EASY, "sm.pipe=one", "sm.alu.width=8", "sm.operands.ideal=true", "sm.sched=lrr"

/* Whatever it is, an instruction holds the pipe for the warp's beats */
static void the_pipe_is_taken_by_every_instruction(void **state) {
    (void)state;
    static const char *const what[] = {"add.u32 %r1, %r2, %r3; // A\n",
                                       "mul.f64 %d1, %d2, %d3; // A\n",
                                       "ld.shared.f32 %f1, [s]; // A\n",
                                       "bra $on; // A\n$on:\n",
                                       "bar.sync 0; // A\n",
                                       "membar.cta; // A\n"};
    for (u32 i = 0; i < ARRAY_LEN(what); i++) {
        RUN(.globals = ".shared .align 4 .f32 s;\n", .body = what[i], .threads = 64, .keys = {ONE_PIPE, "sm.int.width=32"});
        assert_int_equal(issue("A", .slot = 1) - issue("A"), 4);
        RUN(.globals = ".shared .align 4 .f32 s;\n", .body = what[i], .threads = 64, .keys = {ONE_PIPE, "sm.alu.width=16"});
        assert_int_equal(issue("A", .slot = 1) - issue("A"), 2);
    }
    RUN(.body = what[0], .threads = 64, .keys = {ONE_PIPE});
    assert_stat("pipe_cycles", 2 * 2 * 4); /* A and the return */
}

/* A window's instruction takes the beats of its own lanes, whatever part of its warp goes on by then: eight
 * lanes are at LOW and 24 at HIGH, and a branch is resolved as late as its own lanes say */
static void the_pipe_is_taken_by_the_instructions_own_lanes(void **state) {
    (void)state;
    const char *body =
        "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 bra LOW; // B\nHIGH:\nadd.u32 %r2, %r1, 1; // N\n"
        "add.u32 %r3, %r2, 1;\nbra END;\nLOW:\nadd.u32 %r2, %r1, 3; // N2\nadd.u32 %r3, %r2, 1;\nEND:\n" KEEP2("%r2", "%r3");
    static const char *const orders[] = {"scoreboard", "tomasulo", "rob", "ghost"};
    RUN(.body = body, .keys = {ONE_PIPE, "sm.warp_scale=hybrid"});
    double in_order = stat_of("pipe_cycles");
    for (u32 i = 0; i < ARRAY_LEN(orders); i++) {
        RUN(.body = body, .keys = {ONE_PIPE, "sm.warp_scale=hybrid", text("sm.order=%s", orders[i])});
        assert_stat("pipe_cycles", in_order);
        RUN(.body = body, .keys = {ONE_PIPE, "sm.warp_scale=hybrid", "sm.warp_scale.latency=loop", "sm.branch_cy=40",
                                   text("sm.order=%s", orders[i])});
        assert_int_equal(MIN(when(EV_WINDOW, "N"), when(EV_WINDOW, "N2")) - issue("B"), 40);
    }
}

/* Jin 4.4: six warps that leave out three beats fill 21 cycles, and a seventh begins in the 22nd, wherever
 * the three are. Lanes above 24 of warp w are gone when bit w of the mask is set. */
static void a_seventh_warp_begins_in_the_beats_that_are_left_out(void **state) {
    (void)state;
    for (u32 holes = 0; holes < 64; holes++) {
        if (__builtin_popcount(holes) != 3) continue;
        const char *body =
            text("mov.u32 %%r1, %%tid.x;\nshr.u32 %%r2, %%r1, 5;\nand.b32 %%r3, %%r1, 31;\nmov.u32 %%r4, %u;\nshr.u32 %%r4, "
                 "%%r4, %%r2;\n"
                 "and.b32 %%r4, %%r4, 1;\nshl.b32 %%r4, %%r4, 3;\nsub.u32 %%r4, 32, %%r4;\nsetp.ge.u32 %%p1, %%r3, %%r4;\n"
                 "@%%p1 exit;\nbar.sync 0;\nmov.u32 %%r5, 1;\nmov.u32 %%r6, 2; // A\n",
                 holes);
        RUN(.body = body, .threads = 7 * 32, .keys = {ONE_PIPE, "sm.warp_scale=hybrid"});
        u64 last = issue("A", .slot = 6), first = issue("A", .slot = 0);
        for (u32 w = 1; w < 6; w++) last = MAX(last, issue("A", .slot = w)), first = MIN(first, issue("A", .slot = w));
        u32 lane_gone = 0; /* the order of the warps is the scheduler's: the last one to go is the seventh */
        for (u32 w = 0; w < 7; w++)
            if (issue("A", .slot = w) != last) lane_gone += holes >> w & 1;
        assert_int_equal(last - first, 6 * 4 - lane_gone);
        RUN(.body = body, .threads = 7 * 32, .keys = {ONE_PIPE});
        last = first = issue("A", .slot = 0);
        for (u32 w = 1; w < 7; w++) last = MAX(last, issue("A", .slot = w)), first = MIN(first, issue("A", .slot = w));
        assert_int_equal(last - first, 24);
    }
}

/* Results that come back from memory go first: the pipe takes nothing for their beats */
static void results_from_memory_are_written_before_the_pipes(void **state) {
    (void)state;
    const char *body =
        JOIN(MINE "ld.global.cg.u32 %r1, [%rd1]; // L\n", repeat(60, "mov.u32 %r5, 1;\nmov.u32 %r6, 1;\nmov.u32 %r7, 1;\n"),
             "add.u32 %r2, %r1, 1; // E\n" KEEP4("%r5", "%r6", "%r7", "%r2"));
    RUN(.body = body, .keys = {ONE_PIPE, "sm.int.width=32"});
    u64 without = issue("E") - issue("L");
    RUN(.body = body, .keys = {ONE_PIPE, "sm.int.width=32", "sm.pipe.return_first=true"});
    assert_stat("return_cycles", 4 + 4); /* the parameter and the load */
    assert_int_equal(issue("E") - issue("L") - without, 4);
}

/* With `loop` a stage lasts as many cycles as the warp has beats: all latencies shrink with the warp */
static void latencies_shrink_with_a_warp_that_goes_round_the_loop(void **state) {
    (void)state;
    const char *body =
        "mov.u32 %r1, %tid.x;\nmov.u32 %r62, s;\nadd.u32 %r2, %r1, %r1; // A\nadd.u32 %r3, %r2, %r2; // B\nbra $on; // C\n$on:\n"
        "ld.shared.u32 %r4, [s]; // D\nadd.u32 %r5, %r4, %r3; // E\n";
    static const u32 threads[] = {1, 8, 9, 17, 32};
    for (u32 i = 0; i < ARRAY_LEN(threads); i++)
        for (u32 loop = 0; loop < 2; loop++) {
            u32 beats = loop ? (threads[i] + 7) / 8 : 4;
            RUN(.globals = ".shared .align 4 .u32 s;\n", .body = body, .threads = threads[i],
                .keys = {ONE_PIPE, "sm.int.width=8", "sm.warp_scale=hybrid",
                         text("sm.warp_scale.latency=%s", loop ? "loop" : "fixed"), "sm.class.int.latency_cy=24",
                         "sm.branch_cy=24", "sm.shared.latency_cy=24", "sm.lsu.agu_cy=16"});
            assert_int_equal(apart("A", "B"), 6 * beats);
            assert_int_equal(apart("C", "D"), 6 * beats);
            assert_int_equal(apart("D", "E"), 6 * beats);
        }
}

/* SMs that issue in rounds: a small warp of one waits for the large one of the other */
static void a_round_lasts_as_long_as_its_largest_warp(void **state) {
    (void)state;
    const char *body = "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\nsetp.ge.u32 %p2, %r2, 8;\n"
                       "and.pred %p1, %p1, %p2;\n@%p1 exit;\nmov.u32 %r3, 1; // A\nmov.u32 %r4, 1; // B\n" KEEP2("%r3", "%r4");
    for (u32 lockstep = 0; lockstep < 2; lockstep++) {
        RUN(.body = body, .blocks = 2,
            .keys = {ONE_PIPE, "sm.warp_scale=hybrid", text("sm.warp_scale.sync=%s", lockstep ? "lockstep" : "free")});
        assert_int_equal(apart("A", "B"), 4);
        assert_int_equal(issue("B", .sm = 1) - issue("A", .sm = 1), lockstep ? 4 : 1);
        assert_stat("lockstep_cycles", lockstep ? 3 * 4 : 0); /* A, B, their sum and the return */
    }
}

/* but no further than the way to the unit and back */
static void a_small_warp_goes_the_whole_way_round_the_loop(void **state) {
    (void)state;
    static const u32 latencies[] = {10, 39, 41, 60};
    for (u32 i = 0; i < ARRAY_LEN(latencies); i++) {
        RUN(.body = "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, %r1; // A\nadd.u32 %r3, %r2, %r2; // B\n", .threads = 1,
            .keys = {ONE_PIPE, "sm.warp_scale=hybrid", "sm.warp_scale.latency=loop", "sm.depth.issue=5", "sm.depth.operands=3",
                     text("sm.class.int.latency_cy=%u", latencies[i])});
        assert_int_equal(apart("A", "B"), MAX((latencies[i] + 3) / 4, 5 + 3 + 2));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_is_taken_for_interval_times_beats),
        cmocka_unit_test(a_width_that_does_not_divide_the_warp_needs_one_beat_more),
        cmocka_unit_test(waiting_for_the_unit_comes_on_top_of_the_latency),
        cmocka_unit_test(n_units_take_n_warps_at_a_time),
        cmocka_unit_test(chaining_follows_the_first_beat),
        cmocka_unit_test(integers_run_on_the_alu_when_they_have_no_unit),
        cmocka_unit_test(a_class_runs_where_its_key_says),
        cmocka_unit_test(every_class_takes_its_unit_for_its_interval),
        cmocka_unit_test(busy_cycles_of_units_are_counted),
        cmocka_unit_test(a_narrow_warp_needs_fewer_beats),
        cmocka_unit_test(with_ideal_operands_a_busy_unit_is_waited_for_at_issue),
        cmocka_unit_test(a_warp_that_parted_takes_the_beats_that_have_lanes),
        cmocka_unit_test(results_of_a_small_warp_are_there_sooner_without_chaining),
        cmocka_unit_test(a_whole_warp_is_the_same_with_hybrid_sizes),
        cmocka_unit_test(the_pipe_is_taken_by_every_instruction),
        cmocka_unit_test(the_pipe_is_taken_by_the_instructions_own_lanes),
        cmocka_unit_test(a_seventh_warp_begins_in_the_beats_that_are_left_out),
        cmocka_unit_test(results_from_memory_are_written_before_the_pipes),
        cmocka_unit_test(latencies_shrink_with_a_warp_that_goes_round_the_loop),
        cmocka_unit_test(a_small_warp_goes_the_whole_way_round_the_loop),
        cmocka_unit_test(a_round_lasts_as_long_as_its_largest_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
