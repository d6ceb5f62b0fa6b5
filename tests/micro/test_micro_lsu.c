/* The memory pipe: queue, address generation, coalescing, shared memory, constants, local memory, perfect
 * memory. */
#include "micro.h"

/* The line of this thread's word is in the L1, and the load of it has been used */
#define WARM(address) "ld.global.u32 %r40, [" address "];\nadd.u32 %r41, %r40, 1;\n"
#define LOAD_USE      "ld.global.u32 %r1, [%rd1]; // A\nadd.u32 %r2, %r1, 1; // B\n"

/* --- latency and address generation */

static void a_hit_takes_the_latency_of_the_l1(void **state) {
    (void)state;
    static const u32 latencies[] = {4, 5, 30, 31, 200};
    for (u32 i = 0; i < ARRAY_LEN(latencies); i++) {
        RUN(.body = MINE WARM("%rd1") LOAD_USE, .keys = {text("sm.l1.latency_cy=%u", latencies[i])});
        assert_int_equal(event_of(EV_ACCESS, WHO("A"))->cause, ACCESS_HIT);
        assert_int_equal(apart("A", "B"), latencies[i]);
    }
}

static void addresses_are_made_so_many_lanes_a_beat(void **state) {
    (void)state;
    static const u32 widths[] = {8, 15, 16, 31, 32};
    for (u32 agu = 1; agu <= 5; agu += 2)
        for (u32 i = 0; i < ARRAY_LEN(widths); i++) {
            RUN(.body = MINE WARM("%rd1") LOAD_USE, .keys = {text("sm.lsu.agu_cy=%u", agu), text("sm.lsu.width=%u", widths[i])});
            assert_int_equal(when(EV_MEM_ENTER, "A") - when(EV_READ, "A"), agu * ((32 + widths[i] - 1) / widths[i]));
            assert_int_equal(when(EV_ACCESS, "A"), when(EV_MEM_ENTER, "A"));
            assert_int_equal(apart("A", "B"), 30); /* the key counts from issue */
        }
}

static void depths_are_part_of_the_latency(void **state) {
    (void)state;
    RUN(.body = MINE WARM("%rd1") LOAD_USE, .keys = {"sm.depth.issue=3", "sm.depth.operands=2"});
    assert_int_equal(when(EV_MEM_ENTER, "A") - issue("A"), 3 + 1 + 2 + 1);
    assert_int_equal(apart("A", "B"), 30);
}

/* --- the queue. With one MSHR the second of many misses stands at the head until the first line is here. */

static void so_many_wait_in_the_queue_and_others_in_collectors(void **state) {
    (void)state;
    const char *loads = JOIN(OUT "add.u64 %rd1, %rd0, 0;\n", series(10, "ld.global.u32 %r#, [%rd1+#00]; // L#\n"),
                             series(10, "add.u32 %r20, %r20, %r#;\n"));
    for (u32 queue = 1; queue <= 4; queue++)
        for (u32 held = 1; held <= 3; held++) {
            /* every line has a hundred bytes: L0 and L1 are one line, so ask for lines of 32 bytes */
            RUN(.body = loads, .keys = {"sm.l1.mshrs=1", "sm.l1.line_b=32", "sm.l1.sector_b=32", "l2.line_b=32",
                                        text("sm.lsu.queue=%u", queue), text("sm.collectors=separated:4/4/%u", held)});
            u64 filled = when(EV_READY, "L0");
            assert_int_equal(when(EV_ACCESS, "L1"), filled);
            assert_true(issue(text("L%u", queue + held)) < filled);
            assert_int_equal(issue(text("L%u", queue + held + 1)),
                             filled + 1); /* the place at the head is taken in the next cycle */
        }
}

/* --- lines */

/* %rd4: the lanes lie in 2^log lines, 128 bytes apart from %rd0 on */
static const char *spread(u32 log) {
    return JOIN(
        OUT, text("and.b32 %%r5, %%r0, %u;\nshr.b32 %%r6, %%r0, %u;\n", (1u << log) - 1, log),
        "mul.wide.u32 %rd2, %r5, 128;\nmul.wide.u32 %rd3, %r6, 4;\nadd.u64 %rd2, %rd2, %rd3;\nadd.u64 %rd4, %rd0, %rd2;\n");
}

static void a_line_a_cycle(void **state) {
    (void)state;
    for (u32 log = 0; log <= 5; log++) {
        u32 lines = 1u << log;
        RUN(.body = JOIN(spread(log), WARM("%rd4"), "ld.global.u32 %r1, [%rd4]; // A\nadd.u32 %r2, %r1, 1; // B\n"));
        assert_int_equal(events(EV_ACCESS, "A"), lines);
        assert_int_equal(hazards_of(WHO("A"), HAZARD_DIV), lines - 1);
        assert_int_equal(apart("A", "B"), 30 + lines - 1);
        assert_stat("line_accesses", 2 * lines);
    }
}

static u32 lines_of(const char *load, const char *line_b) {
    RUN(.body = JOIN(MINE "mul.wide.u32 %rd2, %r0, 8;\nadd.u64 %rd2, %rd0, %rd2;\nmul.wide.u32 %rd3, %r0, 16;\nadd.u64 %rd3, "
                          "%rd0, %rd3;\ncvt.u64.u32 %rd4, %r0;\n"
                          "add.u64 %rd4, %rd0, %rd4;\n",
                     load, " // A\n"),
        .keys = {"l2.line_b=32", "sm.l1.sector_b=32", line_b});
    assert_int_equal(hazards_of(WHO("A"), HAZARD_DIV), events(EV_ACCESS, "A") - 1);
    return events(EV_ACCESS, "A");
}

static void lanes_are_coalesced_into_lines(void **state) {
    (void)state;
    const char *full = "sm.l1.line_b=128";
    assert_int_equal(lines_of("ld.global.u32 %r1, [%rd1];", full), 1);
    assert_int_equal(lines_of("ld.global.u32 %r1, [%rd0];", full), 1);   /* one word for all */
    assert_int_equal(lines_of("ld.global.u8 %r1, [%rd4];", full), 1);    /* 32 bytes in a row */
    assert_int_equal(lines_of("ld.global.u32 %r1, [%rd1+4];", full), 2); /* not aligned */
    assert_int_equal(lines_of("ld.global.u32 %r1, [%rd1+124];", full), 2);
    assert_int_equal(lines_of("ld.global.u32 %r1, [%rd1+128];", full), 1);
    assert_int_equal(lines_of("ld.global.u64 %rd9, [%rd2];", full), 2);
    assert_int_equal(lines_of("ld.global.u64 %rd9, [%rd2+8];", full), 3);
    assert_int_equal(lines_of("ld.global.v2.u32 {%r1, %r2}, [%rd2];", full), 2);
    assert_int_equal(lines_of("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd3];", full), 4);
    assert_int_equal(lines_of("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd3+16];", full), 5);
    assert_int_equal(lines_of("st.global.u32 [%rd1], %r0;", full), 1);
    assert_int_equal(lines_of("st.global.u32 [%rd1+4], %r0;", full), 2);
    assert_int_equal(lines_of("st.global.v4.u32 [%rd3], {%r0, %r0, %r0, %r0};", full), 4);
}

static void the_line_size_of_the_l1_is_that_of_coalescing(void **state) {
    (void)state;
    for (u32 line = 32; line <= 128; line *= 2) {
        assert_int_equal(lines_of("ld.global.u32 %r1, [%rd1];", text("sm.l1.line_b=%u", line)), 128 / line);
        assert_int_equal(lines_of("ld.global.u32 %r1, [%rd1+4];", text("sm.l1.line_b=%u", line)), 128 / line + 1);
    }
}

/* --- the stage works on one instruction at a time */

static void the_next_instruction_waits_for_the_last_cycle_of_the_first(void **state) {
    (void)state;
    RUN(.globals = ".shared .u32 s[1024];\n",
        .body = MINE WARM("%rd1") "mov.u32 %r62, s;\nshl.b32 %r3, %r0, 7;\nld.shared.u32 %r1, [%r3]; // A\nld.global.u32 %r2, "
                                  "[%rd1]; // B\nadd.u32 %r4, %r1, %r2;\n");
    assert_int_equal(when(EV_MEM_ENTER, "B") - when(EV_MEM_ENTER, "A"), 1);
    assert_int_equal(when(EV_ACCESS, "A") - when(EV_MEM_ENTER, "A"), 31); /* the last of 32 cycles */
    assert_int_equal(when(EV_ACCESS, "B") - when(EV_ACCESS, "A"), 1);
}

/* --- shared memory. s at 0; %r3 is the lane's offset */

#define SHARED(...) RUN(.globals = ".shared .align 16 .b8 s[16384];\n", __VA_ARGS__)

static u32 shared_cycles_of(const char *offset, const char *load, const char *banks) {
    SHARED(.body = JOIN("mov.u32 %r0, %tid.x;\nmov.u32 %r62, s;\n", offset, "bar.sync 0;\n", load,
                        " // A\nadd.u32 %r2, %r1, 1; // B\n"),
           .keys = {banks});
    u32 cycles = (u32)apart("A", "B") - 20 + 1;
    assert_int_equal(hazards_of(WHO("A"), HAZARD_BANK), cycles - 1);
    assert_stat("shared_conflict_cycles", cycles - 1);
    return cycles;
}
#define WORD "ld.shared.u32 %r1, [%r3];"

/* Halves of a warp by themselves: the second follows a cycle later, which is no conflict; conflicts are
 * within a half */
static void shared_memory_may_serve_half_a_warp_at_a_time(void **state) {
    (void)state;
    static const struct {
        const char *offset, *threads;
        u32 cycles, conflicts;                                                 /* beyond one; of these conflicts */
    } of[] = {{"shl.b32 %r3, %r0, 2;\n", "", 1, 0},                            /* words in order: 16 banks, twice */
              {"shl.b32 %r3, %r0, 3;\n", "", 3, 2},                            /* every other word: two in a bank, in each half */
              {"shl.b32 %r3, %r0, 6;\n", "", 31, 30},                          /* one bank */
              {"mov.u32 %r3, 64;\n", "", 1, 0},                                /* one word */
              {"shl.b32 %r3, %r0, 2;\n", "setp.lt.u32 %p1, %r0, 16;\n", 0, 0}, /* the first half alone */
              {"shl.b32 %r3, %r0, 3;\n", "setp.ge.u32 %p1, %r0, 16;\n", 1, 1}}; /* the second alone */
    for (u32 i = 0; i < ARRAY_LEN(of); i++) {
        SHARED(.body = JOIN("mov.u32 %r0, %tid.x;\nmov.u32 %r62, s;\n", of[i].offset,
                            *of[i].threads ? of[i].threads : "setp.lt.u32 %p1, %r0, 32;\n", "bar.sync 0;\n",
                            "@%p1 ld.shared.u32 %r1, [%r3]; // A\nadd.u32 %r2, %r1, 1; // B\n"),
               .keys = {"sm.shared.lanes=16", "sm.shared.banks=16"});
        assert_int_equal(apart("A", "B"), 20 + of[i].cycles);
        assert_int_equal(hazards_of(WHO("A"), HAZARD_BANK), of[i].conflicts);
        assert_stat("shared_conflict_cycles", of[i].conflicts);
        assert_stat("shared_turns", of[i].cycles - of[i].conflicts);
    }
}

static void shared_memory_has_its_latency(void **state) {
    (void)state;
    for (u32 n = 10; n < 40; n += 13) {
        SHARED(.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r62, s;\nshl.b32 %r3, %r0, 2;\n" WORD " // A\nadd.u32 %r2, %r1, 1; // B\n",
               .keys = {text("sm.shared.latency_cy=%u", n)});
        assert_int_equal(apart("A", "B"), n);
    }
}

static void a_conflict_of_n_ways_takes_n_cycles(void **state) {
    (void)state;
    for (u32 log = 0; log <= 5; log++) /* a stride of n words: n lanes in each bank in use */
        assert_int_equal(shared_cycles_of(text("shl.b32 %%r3, %%r0, %u;\n", 2 + log), WORD, "sm.shared.banks=32"), 1u << log);
    assert_int_equal(shared_cycles_of("mul.lo.u32 %r3, %r0, 12;\n", WORD, "sm.shared.banks=32"), 1); /* an odd stride has none */
    assert_int_equal(shared_cycles_of("mul.lo.u32 %r3, %r0, 24;\n", WORD, "sm.shared.banks=32"), 2);
}

static void any_number_of_lanes_may_meet_in_a_bank(void **state) {
    (void)state;
    for (u32 n = 1; n <= 32; n++) { /* n lanes in bank 0, the others in banks of their own */
        const char *offset = JOIN(text("setp.lt.u32 %%p1, %%r0, %u;\n", n),
                                  "shl.b32 %r4, %r0, 7;\nshl.b32 %r5, %r0, 2;\nselp.b32 %r3, %r4, %r5, %p1;\n");
        assert_int_equal(shared_cycles_of(offset, WORD, "sm.shared.banks=32"), n);
    }
}

static void lanes_that_read_the_same_word_are_served_together(void **state) {
    (void)state;
    assert_int_equal(shared_cycles_of("mov.u32 %r3, 64;\n", WORD, "sm.shared.banks=32"), 1);
    assert_int_equal(shared_cycles_of("shr.b32 %r3, %r0, 1;\nshl.b32 %r3, %r3, 7;\n", WORD, "sm.shared.banks=32"),
                     16); /* pairs share a word */
    assert_int_equal(shared_cycles_of("mov.u32 %r3, %r0;\n", "ld.shared.u8 %r1, [%r3];", "sm.shared.banks=32"),
                     1); /* bytes of eight words */
}

static void there_are_so_many_banks(void **state) {
    (void)state;
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 2;\n", WORD, "sm.shared.banks=16"), 2);
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 2;\n", WORD, "sm.shared.banks=1"), 32);
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 3;\n", WORD, "sm.shared.banks=64"), 1);
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 4;\n", WORD, "sm.shared.banks=64"), 2);
}

static void eight_bytes_take_two_halves_and_sixteen_four_quarters(void **state) {
    (void)state;
    const char *b = "sm.shared.banks=32", *two = "ld.shared.v2.u32 {%r1, %r7}, [%r3];",
               *four = "ld.shared.v4.u32 {%r1, %r7, %r8, %r9}, [%r3];";
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 3;\n", two, b), 2);
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 4;\n", two, b), 4); /* within a half, every bank in use has two */
    assert_int_equal(shared_cycles_of("mov.u32 %r3, 64;\n", two, b), 2);
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 4;\n", four, b), 4);
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 5;\n", four, b), 8);
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 2;\nand.b32 %r3, %r3, 16;\n", four, b),
                     4); /* broadcast within a quarter */
}

static void a_few_lanes_conflict_as_few(void **state) {
    (void)state;
    SHARED(.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r62, s;\nshl.b32 %r3, %r0, 7;\n" WORD " // A\nadd.u32 %r2, %r1, 1; // B\n",
           .threads = 5);
    assert_int_equal(apart("A", "B"), 20 + 4);
}

static void atomics_on_one_word_are_served_one_after_the_other(void **state) {
    (void)state;
    assert_int_equal(shared_cycles_of("mov.u32 %r3, 64;\n", "atom.shared.add.u32 %r1, [%r3], 1;", "sm.shared.banks=32"), 32);
    assert_int_equal(shared_cycles_of("shl.b32 %r3, %r0, 2;\n", "atom.shared.add.u32 %r1, [%r3], 1;", "sm.shared.banks=32"), 1);
}

static void stores_conflict_like_loads(void **state) {
    (void)state;
    SHARED(.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r62, s;\nshl.b32 %r3, %r0, 4;\nst.shared.u32 [%r3], %r0; // A\nst.shared.u32 "
                   "[%r3], %r0; // B\n");
    assert_int_equal(when(EV_ACCESS, "B") - when(EV_ACCESS, "A"), 4);
    assert_int_equal(hazards_of(WHO("B"), HAZARD_BANK), 3);
}

/* --- constants */

#define CONST "\n.const .align 128 .u32 c[1024] = {7};\n"
/* The whole of c's first 128 bytes is in the cache */
#define CONST_WARM                                                                                                               \
    "mov.u32 %r0, %tid.x;\nmov.u64 %rd5, c;\nld.const.u32 %r40, [c];\nld.const.u32 %r41, [c+64];\nadd.u32 %r42, %r40, %r41;\n"   \
    "add.u32 %r43, %r42, %r41;\n"

static void a_constant_takes_its_latency(void **state) {
    (void)state;
    for (u32 n = 10; n < 40; n += 13) {
        RUN(.globals = CONST, .body = CONST_WARM "ld.const.u32 %r1, [c+4]; // A\nadd.u32 %r2, %r1, 1; // B\n",
            .keys = {text("sm.const.latency_cy=%u", n)});
        assert_int_equal(apart("A", "B"), n);
        assert_stat("const_misses", 2);
    }
}

static void n_different_words_of_constants_take_n_cycles(void **state) {
    (void)state;
    for (u32 words = 1; words <= 32; words *= 2) {
        RUN(.globals = CONST, .body = JOIN(CONST_WARM, text("and.b32 %%r3, %%r0, %u;\n", words - 1),
                                           "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd6, %rd5, %rd6;\nld.const.u32 %r1, [%rd6]; // "
                                           "A\nadd.u32 %r2, %r1, 1; // B\n"));
        assert_int_equal(apart("A", "B"), 20 + words - 1);
        assert_int_equal(hazards_of(WHO("A"), HAZARD_BANK), words - 1);
    }
}

static void a_constant_that_misses_comes_from_the_l2(void **state) {
    (void)state;
    for (u32 line = 32; line <= 128; line *= 2) {
        RUN(.globals = CONST, .body = "ld.const.u32 %r1, [c]; // A\nadd.u32 %r2, %r1, 1; // B\n",
            .keys = {"l2.ideal=true", text("sm.const.line_b=%u", line)});
        assert_int_equal(apart("A", "B"), 2 + 1 + 20 + 40 + 20 + (8 + line + 31) / 32 - 1);
    }
}

static u32 const_misses(const char *loads, const char *key, const char *value) {
    RUN(.globals = CONST, .body = loads, .keys = {text("sm.const.%s=%s", key, value), "l2.ideal=true"});
    return (u32)stat_of("const_misses");
}

static void the_constant_cache_has_lines_sets_and_ways(void **state) {
    (void)state;
    /* each waits for the one before; then the first again */
    const char *two = "ld.const.u32 %r1, [c];\nadd.u32 %r1, %r1, 1;\nld.const.u32 %r2, [c+64];\nadd.u32 %r2, %r2, "
                      "1;\nld.const.u32 %r3, [c];\nadd.u32 %r3, %r3, 1;\n";
    assert_int_equal(const_misses(two, "line_b", "64"), 2);
    assert_int_equal(const_misses(two, "line_b", "128"), 1);
    const char *far = "ld.const.u32 %r1, [c];\nadd.u32 %r1, %r1, 1;\nld.const.u32 %r2, [c+1024];\nadd.u32 %r2, %r2, 1;\n"
                      "ld.const.u32 %r4, [c+2048];\nadd.u32 %r4, %r4, 1;\nld.const.u32 %r3, [c];\nadd.u32 %r3, %r3, 1;\n";
    assert_int_equal(const_misses(far, "sets", "16"), 4); /* three lines of one set of two ways */
    assert_int_equal(const_misses(far, "sets", "32"), 3);
    assert_int_equal(const_misses(far, "ways", "3"), 3);
}

static void so_many_constant_lines_are_outstanding(void **state) {
    (void)state;
    const char *body = "ld.const.u32 %r1, [c]; // A\nld.const.u32 %r2, [c+64]; // B\nld.const.u32 %r3, [c+128]; // C\n" KEEP4(
        "%r4", "%r1", "%r2", "%r3");
    RUN(.globals = CONST, .body = body, .keys = {"l2.ideal=true", "sm.const.mshrs=3"});
    assert_int_equal(when(EV_READY, "C") - when(EV_READY, "A"), 2 * 3); /* three flits each */
    RUN(.globals = CONST, .body = body, .keys = {"l2.ideal=true", "sm.const.mshrs=2"});
    assert_int_equal(when(EV_READY, "B") - when(EV_READY, "A"), 3);
    assert_int_equal(when(EV_READY, "C") - when(EV_READY, "A"), 1 + 20 + 40 + 20 + 2); /* sent when the first is here */
    assert_int_equal(ran.stats->sum.hazards[HAZARD_MSHR], when(EV_READY, "A") - when(EV_MEM_ENTER, "C"));
}

static void parameters_are_constants(void **state) {
    (void)state;
    RUN(.body =
            "ld.param.u64 %rd0, [out];\nadd.u64 %rd1, %rd0, 0;\nld.param.u64 %rd2, [out]; // A\nadd.u64 %rd3, %rd2, 0; // B\n");
    assert_int_equal(apart("A", "B"), 20);
    assert_stat("const_loads", 2);
    assert_stat("const_hits", 1);
}

/* --- local memory: word i of the lanes of a warp is one line */

static u32 local_lines(const char *load) {
    RUN(.body = JOIN(
            ".local .align 16 .b8 l[512];\nmov.u32 %r0, %tid.x;\nmov.u32 %r3, l;\nshl.b32 %r4, %r0, 2;\nadd.u32 %r4, %r3, %r4;\n",
            load, " // A\n"));
    return events(EV_ACCESS, "A");
}

static void local_memory_is_interleaved_by_thread(void **state) {
    (void)state;
    assert_int_equal(local_lines("ld.local.u32 %r1, [%r3];"), 1);
    assert_int_equal(local_lines("ld.local.u32 %r1, [%r3+12];"), 1);
    assert_int_equal(local_lines("ld.local.u8 %r1, [%r3+5];"), 1);
    assert_int_equal(local_lines("ld.local.u64 %rd1, [%r3];"), 2);
    assert_int_equal(local_lines("ld.local.v4.u32 {%r5, %r6, %r7, %r8}, [%r3];"), 4);
    assert_int_equal(local_lines("st.local.u32 [%r3], %r0;"), 1);
    assert_int_equal(local_lines("ld.local.u32 %r1, [%r4];"), 32); /* each lane another word */
}

static void threads_do_not_share_local_lines(void **state) {
    (void)state;
    RUN(.body = ".local .align 4 .b8 l[64];\nmov.u32 %r3, l;\nld.local.u32 %r1, [%r3]; // A\nadd.u32 %r2, %r1, 1;\n",
        .threads = 64);
    assert_stat("l1_misses", 2);
    assert_stat("l1_merged", 0);
    assert_stat("local_loads", 2);
}

/* --- perfect memory */

static void perfect_memory_answers_after_its_latency(void **state) {
    (void)state;
    for (u32 n = 0; n <= 50; n += 25) {
        RUN(.body = MINE LOAD_USE, .keys = {"gpu.perfect_memory=true", text("gpu.perfect_cy=%u", n)});
        assert_int_equal(apart("A", "B"), 30 + n);
        assert_stat("packets_out", 0);
    }
}

static void perfect_memory_is_as_slow_for_constants(void **state) {
    (void)state;
    for (u32 n = 0; n <= 50; n += 25) {
        RUN(.globals = CONST, .body = "ld.const.u32 %r1, [c]; // A\nadd.u32 %r2, %r1, 1; // B\n",
            .keys = {"gpu.perfect_memory=true", text("gpu.perfect_cy=%u", n)});
        assert_int_equal(apart("A", "B"), 20 + n);
    }
}

static void perfect_memory_still_takes_a_cycle_a_line(void **state) {
    (void)state;
    RUN(.body = JOIN(spread(4), "ld.global.u32 %r1, [%rd4]; // A\nadd.u32 %r2, %r1, 1; // B\n"),
        .keys = {"gpu.perfect_memory=true"});
    assert_int_equal(apart("A", "B"), 30 + 15);
}

static void perfect_memory_leaves_shared_memory_alone(void **state) {
    (void)state;
    SHARED(.body = "mov.u32 %r3, s;\n" WORD " // A\nadd.u32 %r2, %r1, 1; // B\n",
           .keys = {"gpu.perfect_memory=true", "gpu.perfect_cy=50"});
    assert_int_equal(apart("A", "B"), 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_takes_the_latency_of_the_l1),
        cmocka_unit_test(addresses_are_made_so_many_lanes_a_beat),
        cmocka_unit_test(depths_are_part_of_the_latency),
        cmocka_unit_test(so_many_wait_in_the_queue_and_others_in_collectors),
        cmocka_unit_test(a_line_a_cycle),
        cmocka_unit_test(lanes_are_coalesced_into_lines),
        cmocka_unit_test(the_line_size_of_the_l1_is_that_of_coalescing),
        cmocka_unit_test(the_next_instruction_waits_for_the_last_cycle_of_the_first),
        cmocka_unit_test(shared_memory_may_serve_half_a_warp_at_a_time),
        cmocka_unit_test(shared_memory_has_its_latency),
        cmocka_unit_test(a_conflict_of_n_ways_takes_n_cycles),
        cmocka_unit_test(any_number_of_lanes_may_meet_in_a_bank),
        cmocka_unit_test(lanes_that_read_the_same_word_are_served_together),
        cmocka_unit_test(there_are_so_many_banks),
        cmocka_unit_test(eight_bytes_take_two_halves_and_sixteen_four_quarters),
        cmocka_unit_test(a_few_lanes_conflict_as_few),
        cmocka_unit_test(atomics_on_one_word_are_served_one_after_the_other),
        cmocka_unit_test(stores_conflict_like_loads),
        cmocka_unit_test(a_constant_takes_its_latency),
        cmocka_unit_test(n_different_words_of_constants_take_n_cycles),
        cmocka_unit_test(a_constant_that_misses_comes_from_the_l2),
        cmocka_unit_test(the_constant_cache_has_lines_sets_and_ways),
        cmocka_unit_test(so_many_constant_lines_are_outstanding),
        cmocka_unit_test(parameters_are_constants),
        cmocka_unit_test(local_memory_is_interleaved_by_thread),
        cmocka_unit_test(threads_do_not_share_local_lines),
        cmocka_unit_test(perfect_memory_answers_after_its_latency),
        cmocka_unit_test(perfect_memory_is_as_slow_for_constants),
        cmocka_unit_test(perfect_memory_still_takes_a_cycle_a_line),
        cmocka_unit_test(perfect_memory_leaves_shared_memory_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
