/* Control flow whose lanes disagree: every thread gets what it would get alone, and warps run each
 * instruction as often as reconvergence at immediate post-dominators says. The counts are worked out by hand
 * in each test. */
#include "play.h"

/* --- counts. Every kernel has two instructions before its body and a ret after it. */

static void assert_counts(uint64_t warp, uint64_t thread, uint64_t divergent) {
    if (played.r.warp_instructions != warp || played.r.thread_instructions != thread || played.r.divergent_branches != divergent)
        fail_msg("warp, thread instructions, divergent branches: %llu %llu %llu, expected %llu %llu %llu",
                 (unsigned long long)played.r.warp_instructions, (unsigned long long)played.r.thread_instructions,
                 (unsigned long long)played.r.divergent_branches, (unsigned long long)warp, (unsigned long long)thread,
                 (unsigned long long)divergent);
}

static void straight_code_counts_once_per_warp(void **state) {
    (void)state;
    PLAY(.text = KERNEL("add.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\n"), .grid = {2}, .block = {48});
    assert_counts(2 * 2 * 5, 2 * 48 * 5, 0);
}

#define IF_ELSE                                                                                                                  \
    KERNEL("setp.lt.u32 %p0, %r0, 8;\n@%p0 bra $then;\n"                                                                         \
           "add.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\nadd.u32 %r1, %r1, 1;\nbra $end;\n"                                       \
           "$then:\nadd.u32 %r1, %r0, 100;\nadd.u32 %r1, %r1, 100;\n"                                                            \
           "$end:\nmov.u32 %r2, %r1;\n" STORE("%r2"))

static void both_sides_of_an_if_run_once_and_join(void **state) {
    (void)state;
    PLAY(.text = IF_ELSE, .block = {32});
    EACH(32, i < 8 ? i + 200 : i + 3);
    assert_counts(2 + 2 + 4 + 2 + 1 + 6 + 1, 32 * (2 + 2 + 1 + 6 + 1) + 24 * 4 + 8 * 2, 1);
}

static void an_if_all_lanes_agree_on_runs_one_side(void **state) {
    (void)state;
    PLAY(.text = IF_ELSE, .block = {8});
    assert_counts(2 + 2 + 2 + 1 + 6 + 1, 8 * (2 + 2 + 2 + 1 + 6 + 1), 0);
}

static void lanes_that_skip_wait_for_those_that_do_not(void **state) {
    (void)state;
    PLAY(.text = KERNEL("setp.ne.u32 %p0, %r0, 5;\n@%p0 bra $end;\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\n$end:\n"
                        "add.u32 %r1, %r1, 1;\n"),
         .block = {32});
    assert_counts(2 + 2 + 2 + 1 + 1, 32 * (2 + 2 + 1 + 1) + 2, 1);
}

static void nested_ifs_join_inside_out(void **state) {
    (void)state;
    /* lanes 0-15 outer then; of these 0-3 inner then; inner join: one add of 16 lanes; outer join: one add of
     * 32 */
    PLAY(.text = KERNEL("setp.ge.u32 %p0, %r0, 16;\nsetp.ge.u32 %p1, %r0, 4;\nmov.u32 %r1, 0;\n@%p0 bra $outer;\n"
                        "@%p1 bra $inner;\nadd.u32 %r1, %r1, 1;\n"
                        "$inner:\nadd.u32 %r1, %r1, 10;\n"
                        "$outer:\nadd.u32 %r1, %r1, 100;\n" STORE("%r1")),
         .block = {32});
    EACH(32, i < 4 ? 111 : i < 16 ? 110 : 100);
    assert_counts(2 + 4 + 2 + 1 + 1 + 6 + 1, 32 * (2 + 4 + 1 + 6 + 1) + 16 * 2 + 4, 2);
}

static void a_loop_lasts_as_long_as_its_longest_lane(void **state) {
    (void)state;
    /* lane i goes i % 4 + 1 times: 4 rounds of 3 instructions; after rounds 1, 2, 3 some leave and some
     * stay */
    PLAY(.text = KERNEL("and.b32 %r1, %r0, 3;\nmov.u32 %r2, 0;\n"
                        "$next:\nadd.u32 %r2, %r2, 1;\nsetp.le.u32 %p0, %r2, %r1;\n@%p0 bra $next;\n"
                        "add.u32 %r2, %r2, 100;\n" STORE("%r2")),
         .block = {32});
    EACH(32, i % 4 + 101);
    assert_counts(2 + 2 + 4 * 3 + 1 + 6 + 1, 32 * (2 + 2 + 1 + 6 + 1) + 3 * 8 * (1 + 2 + 3 + 4), 3);
}

static void lanes_that_poll_for_long_still_join(void **state) {
    (void)state;
    /* many more atomics than anybody's patience, half the lanes parked behind each: none of them may be let
     * go */
    PLAY(.text = KERNEL("mov.u32 %r1, 0;\nand.b32 %r2, %r0, 1;\nsetp.ne.u32 %p0, %r2, 0;\n"
                        "$next:\n@%p0 bra $skip;\natom.global.add.u32 %r3, [%rd0], 1;\n"
                        "$skip:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 2000;\n@%p1 bra $next;\n"),
         .block = {32});
    assert_int_equal(played.out[0], 2000 * 16);
    assert_counts(2 + 3 + 2000 * 5 + 1, 32 * (2 + 3 + 1) + 2000 * (32 * 4 + 16), 2000);
}

static void lanes_that_exit_are_not_waited_for(void **state) {
    (void)state;
    PLAY(.text = KERNEL("setp.lt.u32 %p0, %r0, 20;\n@%p0 bra $stay;\nret;\n$stay:\nadd.u32 %r1, %r0, 1;\nadd.u32 %r1, %r1, 1;\n"),
         .block = {32});
    assert_counts(2 + 2 + 1 + 2 + 1, 32 * 4 + 12 + 20 * 3, 1);
}

static void a_guarded_return_needs_no_branch(void **state) {
    (void)state;
    PLAY(.text = KERNEL("setp.ge.u32 %p0, %r0, 20;\nmov.u32 %r1, 9;\n@%p0 exit;\n" STORE("%r1")), .block = {32});
    EACH(32, i < 20 ? 9 : 0);
    assert_int_equal(played.r.warp_instructions, 2 + 3 + 6 + 1);
}

static void short_circuit_conditions_join_at_the_end(void **state) {
    (void)state;
    /* if (i < 8 || i odd) r = 1 else r = 2: the then side has two ways in, and runs once for both when they
     * meet there */
    PLAY(.text = KERNEL("and.b32 %r2, %r0, 1;\nsetp.lt.u32 %p0, %r0, 8;\n@%p0 bra $then;\n"
                        "setp.eq.u32 %p1, %r2, 1;\n@%p1 bra $then;\n"
                        "mov.u32 %r1, 2;\nbra $end;\n"
                        "$then:\nmov.u32 %r1, 1;\n"
                        "$end:\n" STORE("%r1")),
         .block = {32});
    EACH(32, i < 8 || i % 2 ? 1 : 2);
    assert_int_equal(played.r.thread_instructions, 32 * (2 + 3 + 6 + 1) + 24 * 2 + 12 * 2 + 20);
    assert_in_range(played.r.warp_instructions, 2 + 3 + 2 + 2 + 1 + 6 + 1, 2 + 3 + 2 + 2 + 2 + 6 + 1); /* then: once or twice */
}

static void activemask_shows_the_joined_lanes(void **state) {
    (void)state;
    PLAY(.text = KERNEL("setp.lt.u32 %p0, %r0, 8;\n@%p0 bra $then;\nactivemask.b32 %r1;\nbra $end;\n$then:\nactivemask.b32 %r1;\n"
                        "$end:\nactivemask.b32 %r2;\nshl.b32 %r3, %r0, 1;\n"
                        "mul.wide.u32 %rd1, %r3, 4;\nadd.u64 %rd1, %rd0, %rd1;\nst.global.v2.u32 [%rd1], {%r1, %r2};\n"),
         .block = {24});
    for (uint32_t i = 0; i < 24; i++) {
        assert_int_equal(played.out[2 * i], i < 8 ? 0xFF : 0xFFFF00);
        assert_int_equal(played.out[2 * i + 1], 0xFFFFFF);
    }
}

/* --- shapes */

static void break_and_continue(void **state) {
    (void)state;
    /* for (s = 0, j = 0; j < 20; j++) { if (j % 3 == i % 3) continue; if (j == i) break; s += j; } */
    PLAY(.text = KERNEL("mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nrem.u32 %r3, %r0, 3;\n"
                        "$loop:\nsetp.ge.u32 %p0, %r2, 20;\n@%p0 bra $done;\n"
                        "rem.u32 %r4, %r2, 3;\nsetp.eq.u32 %p1, %r4, %r3;\n@%p1 bra $continue;\n"
                        "add.u32 %r5, %r0, 1;\nsetp.eq.u32 %p2, %r2, %r5;\n@%p2 bra $done;\n"
                        "add.u32 %r1, %r1, %r2;\n"
                        "$continue:\nadd.u32 %r2, %r2, 1;\nbra $loop;\n"
                        "$done:\n" STORE("%r1")),
         .block = {50});
    for (uint32_t i = 0; i < 50; i++) {
        uint32_t s = 0;
        for (uint32_t j = 0; j < 20; j++) {
            if (j % 3 == i % 3) continue;
            if (j == i + 1) break;
            s += j;
        }
        if (played.out[i] != s) fail_msg("thread %u: %u, expected %u", i, played.out[i], s);
    }
}

static void a_loop_with_two_entries(void **state) {
    (void)state;
    PLAY(.text = KERNEL(
             "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nand.b32 %r3, %r0, 1;\nsetp.eq.u32 %p0, %r3, 1;\n@%p0 bra $middle;\n"
             "$top:\nadd.u32 %r1, %r1, 10;\n"
             "$middle:\nadd.u32 %r1, %r1, 1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r0;\n@%p1 bra $top;\n" STORE("%r1")),
         .block = {32});
    EACH(32, (i ? i : 1) + 10 * (i % 2 ? i - 1 : i ? i : 1));
}

static void a_switch_by_branch_table(void **state) {
    (void)state;
    PLAY(.text = KERNEL("and.b32 %r1, %r0, 3;\n"
                        "$table: .branchtargets $zero, $one, $two, $one;\n"
                        "brx.idx %r1, $table;\n"
                        "$zero:\nmov.u32 %r2, 5;\nbra $end;\n"
                        "$one:\nmov.u32 %r2, 6;\n" /* falls into two */
                        "$two:\nadd.u32 %r2, %r2, 1;\n"
                        "$end:\n" STORE("%r2")),
         .block = {32});
    EACH(32, i % 4 == 0 ? 5 : i % 4 == 2 ? 1 : 7);
}

static void a_loop_that_leaves_the_function(void **state) {
    (void)state;
    PLAY(.text = KERNEL("mov.u32 %r1, 0;\n$loop:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p0, %r1, %r0;\n@%p0 bra $loop;\n" STORE(
             "%r1") "ret;\n"
                    "bra $loop;\n"),
         .block = {32});
    EACH(32, i ? i : 1);
}

/* Random graphs: block b does x = x * a + c, then goes to one of two blocks by a bit of x, until the fuel is
 * spent. Nothing about the graph is structured: loops with many entries, blocks out of reach, jumps into the
 * middle of anything. Some blocks call a function whose lanes return in different places. */
enum { FLOW_BLOCKS = 12, FLOW_FUEL = 30, FLOW_THREADS = 45 };

struct flow {
    uint32_t a[FLOW_BLOCKS], c[FLOW_BLOCKS], to[FLOW_BLOCKS][2], bit[FLOW_BLOCKS];
    bool calls[FLOW_BLOCKS];
};

static uint32_t flow_random(uint64_t *s) {
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*s >> 33);
}

static void flow_make(struct flow *f, uint64_t seed) {
    for (uint32_t b = 0; b < FLOW_BLOCKS; b++) {
        f->a[b] = flow_random(&seed) | 1;
        f->c[b] = flow_random(&seed);
        f->bit[b] = flow_random(&seed) % 31;
        f->to[b][0] = flow_random(&seed) % FLOW_BLOCKS;
        f->to[b][1] = flow_random(&seed) % 3 ? (b + 1) % FLOW_BLOCKS : flow_random(&seed) % FLOW_BLOCKS;
        f->calls[b] = flow_random(&seed) % 4 == 0;
    }
}

#define FLOW_FUNCTION                                                                                                            \
    ".func (.param .b32 result) step(.param .b32 x)\n{\n    .reg .pred %q<2>;\n    .reg .b32 %v, %w;\n"                          \
    "    ld.param.b32 %v, [x];\n    and.b32 %w, %v, 3;\n    setp.eq.u32 %q0, %w, 0;\n    @%q0 bra $early;\n"                     \
    "    xor.b32 %v, %v, 0x5555;\n    st.param.b32 [result], %v;\n    ret;\n"                                                    \
    "$early:\n    add.u32 %v, %v, 77;\n    st.param.b32 [result], %v;\n    ret;\n}\n"

static char *flow_text(const struct flow *f) {
    char *text;
    size_t len;
    FILE *o = open_memstream(&text, &len);
    fputs(PTX_HEAD("sm_80") FLOW_FUNCTION KERNEL_OPEN "mov.u32 %r1, %r0;\nmov.u32 %r2, 0;\n", o);
    for (uint32_t b = 0; b < FLOW_BLOCKS; b++) {
        fprintf(o, "$b%u:\nadd.u32 %%r2, %%r2, 1;\nsetp.gt.u32 %%p0, %%r2, %u;\n@%%p0 bra $end;\n", b, FLOW_FUEL);
        fprintf(o, "mad.lo.u32 %%r1, %%r1, %u, %u;\n", f->a[b], f->c[b]);
        if (f->calls[b])
            fprintf(
                o,
                "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %%r1;\ncall (y), step, (x);\nld.param.b32 %%r1, [y];\n}\n");
        fprintf(o, "shr.u32 %%r3, %%r1, %u;\nand.b32 %%r3, %%r3, 1;\nsetp.eq.u32 %%p1, %%r3, 0;\n", f->bit[b]);
        fprintf(o, "@%%p1 bra $b%u;\nbra $b%u;\n", f->to[b][0], f->to[b][1]);
    }
    fputs("$end:\n" STORE("%r1") KERNEL_CLOSE, o);
    fclose(o);
    return text;
}

/* What one thread ends with; adds the instructions it runs */
static uint32_t flow_alone(const struct flow *f, uint32_t x, uint64_t *instructions) {
    *instructions += 2 + 2;
    for (uint32_t b = 0, n = 1;; n++) {
        *instructions += 3;
        if (n > FLOW_FUEL) break;
        x = x * f->a[b] + f->c[b];
        *instructions += 1;
        if (f->calls[b]) {
            *instructions += 3 + 4 + 3;
            x = x % 4 ? x ^ 0x5555 : x + 77;
        }
        bool other = x >> f->bit[b] & 1;
        *instructions += other ? 5 : 4;
        b = f->to[b][other];
    }
    *instructions += 6 + 1;
    return x;
}

static void random_graphs_run_every_thread_as_if_alone(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct flow f;
        flow_make(&f, seed);
        char *text = flow_text(&f);
        PLAY(.text = text, .block = {FLOW_THREADS}, .options = {.warp_size = seed % 5 == 0 ? 1 + (uint32_t)seed % 64 : 32});
        uint64_t instructions = 0;
        for (uint32_t i = 0; i < FLOW_THREADS; i++) {
            uint32_t want = flow_alone(&f, i, &instructions);
            if (played.out[i] != want)
                fail_msg("graph %u, thread %u: 0x%x, expected 0x%x\n%s", (unsigned)seed, i, played.out[i], want, text);
        }
        if (played.r.thread_instructions != instructions)
            fail_msg("graph %u: %llu thread instructions, expected %llu\n%s", (unsigned)seed,
                     (unsigned long long)played.r.thread_instructions, (unsigned long long)instructions, text);
        free(text);
    }
}

/* --- functions */

#define CALL1(to, arg)                                                                                                           \
    "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], " arg ";\ncall (y), " to ", (x);\nld.param.b32 %r1, [y];\n}\n"

static void returns_in_different_places_join_at_the_caller(void **state) {
    (void)state;
    /* f(x) = x < 5 ? 2x : x < 10 ? 3x : x; what follows the call runs once for all lanes */
    const char *f = ".func (.param .b32 result) f(.param .b32 x)\n{\n    .reg .pred %q<2>;\n    .reg .b32 %v;\n"
                    "    ld.param.b32 %v, [x];\n    setp.ge.u32 %q0, %v, 5;\n    @%q0 bra $a;\n"
                    "    mul.lo.u32 %v, %v, 2;\n    st.param.b32 [result], %v;\n    ret;\n"
                    "$a:\n    setp.ge.u32 %q1, %v, 10;\n    @%q1 bra $b;\n"
                    "    mul.lo.u32 %v, %v, 3;\n    st.param.b32 [result], %v;\n    ret;\n"
                    "$b:\n    st.param.b32 [result], %v;\n    ret;\n}\n";
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", PTX_HEAD("sm_80"), f,
             KERNEL_OPEN CALL1("f", "%r0") "add.u32 %r1, %r1, 1;\n" STORE("%r1") KERNEL_CLOSE);
    PLAY(.text = text, .block = {32});
    EACH(32, (i < 5 ? 2 * i : i < 10 ? 3 * i : i) + 1);
    assert_counts(2 + 3 + (3 + 3 + 2 + 3 + 2) + 1 + 6 + 1, 32 * (2 + 3 + 3 + 1 + 6 + 1) + 5 * 3 + 27 * 2 + 5 * 3 + 22 * 2, 2);
}

#define TABLE_OF_FUNCTIONS                                                                                                       \
    ".func (.param .b32 r) f0(.param .b32 x)\n{\n.reg .b32 %v;\nld.param.b32 %v, [x];\nadd.u32 %v, %v, 100;\n"                   \
    "st.param.b32 [r], %v;\nret;\n}\n"                                                                                           \
    ".func (.param .b32 r) f1(.param .b32 x)\n{\n.reg .b32 %v;\nld.param.b32 %v, [x];\nmul.lo.u32 %v, %v, %v;\n"                 \
    "st.param.b32 [r], %v;\nret;\n}\n"                                                                                           \
    ".func (.param .b32 r) f2(.param .b32 x)\n{\n.reg .b32 %v;\nmov.b32 %v, 42;\nst.param.b32 [r], %v;\nret;\n}\n"               \
    ".global .align 8 .u64 table[3] = {f0, f1, f2};\n"
#define CALL_OF_TABLE                                                                                                            \
    "rem.u32 %r2, %r0, 3;\nmul.wide.u32 %rd1, %r2, 8;\nmov.u64 %rd2, table;\nadd.u64 %rd1, %rd1, %rd2;\n"                        \
    "ld.global.u64 %rd3, [%rd1];\n"                                                                                              \
    "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r0;\n"                                                                \
    "$proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (y), %rd3, (x), $proto;\nld.param.b32 %r1, [y];\n}\n"

static void lanes_call_different_functions(void **state) {
    (void)state;
    PLAY(.text = MODULE(TABLE_OF_FUNCTIONS, CALL_OF_TABLE "activemask.b32 %r3;\nshr.u32 %r3, %r3, 31;\nshl.b32 %r3, %r3, 16;\n"
                                                          "add.u32 %r1, %r1, %r3;\n" STORE("%r1")),
         .block = {32});
    EACH(32, (i % 3 == 0 ? i + 100 : i % 3 == 1 ? i * i : 42) + (1 << 16));
}

/* Lanes of a warp stand in different functions, and in one called from different places, with words, pairs
 * and quads that they keep while the others go on */
#define KEEPS(name, regs, before, after)                                                                                         \
    ".func (.param .b32 r) " name "(.param .b32 x)\n{\n.reg .b32 %v;\n" regs "ld.param.b32 %v, [x];\n" before                    \
    "bar.sync 0;\n" after "st.param.b32 [r], %v;\nret;\n}\n"
#define PAIR(n)  "cvt.u64.u32 %q" n ", %v;\nmad.lo.u64 %q" n ", %q" n ", 4294967297, " n ";\n"
#define ADD64(n) "add.u64 %q0, %q0, %q" n ";\n"
#define WORDS(n)                                                                                                                 \
    "add.u32 %w" n "0, %v, " n ";\nadd.u32 %w" n "1, %v, " n ";\nadd.u32 %w" n "2, %v, " n ";\nadd.u32 %w" n "3, %v, " n ";\n"
#define ADD32(n) "add.u32 %v, %v, %w" n "0;\nadd.u32 %v, %v, %w" n "1;\nadd.u32 %v, %v, %w" n "2;\nadd.u32 %v, %v, %w" n "3;\n"

static void lanes_in_different_functions_keep_what_they_have(void **state) {
    (void)state;
    const char *pairs =
        KEEPS("pairs", ".reg .b64 %q<4>;\n", PAIR("0") PAIR("1") PAIR("2") PAIR("3"),
              ADD64("1") ADD64("2") ADD64("3") "shr.u64 %q1, %q0, 32;\nadd.u64 %q0, %q0, %q1;\ncvt.u32.u64 %v, %q0;\n");
    const char *words = KEEPS("words", ".reg .b32 %w<90>;\n",
                              WORDS("1") WORDS("2") WORDS("3") WORDS("4") WORDS("5") WORDS("6") WORDS("7") WORDS("8"),
                              ADD32("1") ADD32("2") ADD32("3") ADD32("4") ADD32("5") ADD32("6") ADD32("7") ADD32("8"));
    const char *quads = KEEPS("quads", ".reg .b64 %q<4>;\n.reg .b128 %b<2>;\n",
                              PAIR("0") PAIR("1") "mov.b128 %b0, {%q0, %q1};\nmov.b128 %b1, {%q1, %q0};\n",
                              "mov.b128 {%q0, %q1}, %b0;\nmov.b128 {%q2, %q3}, %b1;\nmul.lo.u64 %q3, %q3, 5;\n" ADD64("1")
                                  ADD64("2") ADD64("3") "cvt.u32.u64 %v, %q0;\n");
    const char *deeper = ".func (.param .b32 r) deeper(.param .b32 x)\n{\n.reg .b32 %v, %w<2>;\nld.param.b32 %v, [x];\n"
                         "add.u32 %w0, %v, 9;\ncall (%w1), pairs, (%w0);\nadd.u32 %v, %v, %w1;\nst.param.b32 [r], %v;\nret;\n}\n";
    for (uint32_t quad = 0; quad < 2; quad++) {
        char text[8192];
        snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s", PTX_HEAD("sm_80"), pairs, words, quad ? quads : "", deeper,
                 KERNEL_OPEN
                 "and.b32 %r2, %r0, 3;\nsetp.eq.u32 %p0, %r2, 1;\nsetp.eq.u32 %p1, %r2, 2;\nsetp.eq.u32 %p2, %r2, 3;\n"
                 "@%p0 bra $words;\n@%p1 bra $deeper;\n@%p2 bra $quads;\ncall (%r1), pairs, (%r0);\nbra $end;\n"
                 "$deeper:\ncall (%r1), deeper, (%r0);\nbra $end;\n$quads:\n",
                 quad ? "call (%r1), quads, (%r0);\nbra $end;\n" : "call (%r1), words, (%r0);\nbra $end;\n",
                 "$words:\ncall (%r1), words, (%r0);\n$end:\n" STORE("%r1") KERNEL_CLOSE);
        PLAY(.text = text, .block = {32});
        EACH(32, i % 4 == 0           ? 2 * 4 * i + 6
                 : i % 4 == 2         ? i + 2 * 4 * (i + 9) + 6
                 : i % 4 == 3 && quad ? 2 * i + 1 + (i + 1) + 5 * i
                                      : 33 * i + 4 * 36);
    }
}

static void a_function_address_taken_in_code(void **state) {
    (void)state;
    PLAY(.text = MODULE(TABLE_OF_FUNCTIONS,
                        "setp.lt.u32 %p0, %r0, 4;\nmov.u64 %rd1, f0;\nmov.u64 %rd2, f1;\nselp.b64 %rd3, %rd1, %rd2, %p0;\n"
                        "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r0;\n"
                        "$proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                        "call (y), %rd3, (x), $proto;\nld.param.b32 %r1, [y];\n}\n" STORE("%r1")),
         .block = {8});
    EACH(8, i < 4 ? i + 100 : i * i);
}

static void recursion_to_a_different_depth_in_every_lane(void **state) {
    (void)state;
    PLAY(.text = MODULE(".func (.param .b32 r) fact(.param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %a, %b;\n"
                        "ld.param.b32 %a, [n];\nmov.b32 %b, 1;\nsetp.lt.u32 %q, %a, 2;\n@%q bra $done;\n"
                        "sub.u32 %b, %a, 1;\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %b;\ncall (y), fact, (x);\n"
                        "ld.param.b32 %b, [y];\n}\nmul.lo.u32 %b, %a, %b;\n"
                        "$done:\nst.param.b32 [r], %b;\nret;\n}\n",
                        "rem.u32 %r2, %r0, 13;\n" CALL1("fact", "%r2") STORE("%r1")),
         .block = {64});
    uint32_t fact[13] = {1};
    for (uint32_t i = 1; i < 13; i++) fact[i] = i * fact[i - 1];
    EACH(64, fact[i % 13]);
}

static void a_function_that_calls_itself_twice(void **state) {
    (void)state;
    PLAY(.text = MODULE(".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %a, %b, %c;\n"
                        "ld.param.b32 %a, [n];\nmov.b32 %b, %a;\nsetp.lt.u32 %q, %a, 2;\n@%q bra $done;\n"
                        "sub.u32 %b, %a, 1;\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %b;\ncall (y), fib, (x);\n"
                        "ld.param.b32 %c, [y];\n}\n"
                        "sub.u32 %b, %a, 2;\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %b;\ncall (y), fib, (x);\n"
                        "ld.param.b32 %b, [y];\n}\nadd.u32 %b, %b, %c;\n"
                        "$done:\nst.param.b32 [r], %b;\nret;\n}\n",
                        "rem.u32 %r2, %r0, 10;\n" CALL1("fib", "%r2") STORE("%r1")),
         .block = {32});
    static const uint32_t fib[10] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
    EACH(32, fib[i % 10]);
}

static uint32_t ackermann(uint32_t m, uint32_t n) {
    return !m ? n + 1 : !n ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void ackermann_of_small_numbers(void **state) {
    (void)state;
#define CALL_ACK(m, n, into)                                                                                                     \
    "{\n.param .b32 x0;\n.param .b32 x1;\n.param .b32 y;\nst.param.b32 [x0], " m ";\nst.param.b32 [x1], " n                      \
    ";\ncall (y), ack, (x0, x1);\nld.param.b32 " into ", [y];\n}\n"
    PLAY(.text = MODULE(".func (.param .b32 r) ack(.param .b32 m, .param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %a, %b, %c;\n"
                        "ld.param.b32 %a, [m];\nld.param.b32 %b, [n];\n"
                        "setp.ne.u32 %q, %a, 0;\n@%q bra $deep;\nadd.u32 %c, %b, 1;\nbra $done;\n"
                        "$deep:\nsub.u32 %a, %a, 1;\nsetp.ne.u32 %q, %b, 0;\n@%q bra $deeper;\nmov.b32 %c, 1;\nbra $outer;\n"
                        "$deeper:\nadd.u32 %a, %a, 1;\nsub.u32 %b, %b, 1;\n" CALL_ACK(
                            "%a", "%b", "%c") "sub.u32 %a, %a, 1;\n"
                                              "$outer:\n" CALL_ACK("%a", "%c", "%c") "$done:\nst.param.b32 [r], %c;\nret;\n}\n",
                        "rem.u32 %r2, %r0, 3;\nshr.u32 %r3, %r0, 3;\n" CALL_ACK("%r2", "%r3", "%r1") STORE("%r1")),
         .block = {32});
    EACH(32, ackermann(i % 3, i >> 3));
}

static void functions_that_call_each_other(void **state) {
    (void)state;
#define PARITY(name, other, at_zero)                                                                                             \
    ".func (.param .b32 r) " name "(.param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %a;\n"                                          \
    "ld.param.b32 %a, [n];\nsetp.eq.u32 %q, %a, 0;\n@%q bra $zero;\nsub.u32 %a, %a, 1;\n"                                        \
    "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %a;\ncall (y), " other                                                 \
    ", (x);\nld.param.b32 %a, [y];\n}\nbra $done;\n"                                                                             \
    "$zero:\nmov.b32 %a, " at_zero ";\n$done:\nst.param.b32 [r], %a;\nret;\n}\n"
    PLAY(.text = MODULE(".func (.param .b32 r) odd(.param .b32 n);\n" PARITY("even", "odd", "1") PARITY("odd", "even", "0"),
                        CALL1("even", "%r0") STORE("%r1")),
         .block = {40});
    EACH(40, i % 2 == 0);
}

static void registers_survive_calls(void **state) {
    (void)state;
    /* a recursive function that fills its registers, called by half the lanes, between a definition and its
     * use */
    PLAY(.text = MODULE(
             ".func (.param .b32 r) mess(.param .b32 n)\n{\n.reg .pred %q;\n.reg .b32 %a<8>;\n"
             "ld.param.b32 %a0, [n];\nadd.u32 %a1, %a0, 1;\nadd.u32 %a2, %a0, 2;\nadd.u32 %a3, %a0, 3;\n"
             "setp.eq.u32 %q, %a0, 0;\n@%q bra $done;\nsub.u32 %a4, %a0, 1;\n"
             "{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %a4;\ncall (y), mess, (x);\nld.param.b32 %a5, [y];\n}\n"
             "add.u32 %a1, %a1, %a5;\n"
             "$done:\nadd.u32 %a1, %a1, %a2;\nadd.u32 %a1, %a1, %a3;\nst.param.b32 [r], %a1;\nret;\n}\n",
             "mov.u32 %r1, 0;\nmul.lo.u32 %r10, %r0, 7;\nmul.lo.u32 %r11, %r0, 11;\nsetp.lt.u32 %p1, %r0, 9;\n"
             "and.b32 %r2, %r0, 1;\nsetp.eq.u32 %p0, %r2, 0;\n@%p0 bra $skip;\n" CALL1(
                 "mess", "%r0") "$skip:\n"
                                "add.u32 %r1, %r1, %r10;\nadd.u32 %r1, %r1, %r11;\n@%p1 add.u32 %r1, %r1, 1000;\n" STORE("%r1")),
         .block = {32});
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t want = 18 * i + (i < 9 ? 1000 : 0);
        for (uint32_t n = 0; i % 2 && n <= i; n++) want += 3 * n + 6;
        if (played.out[i] != want) fail_msg("thread %u: %u, expected %u", i, played.out[i], want);
    }
}

static void lanes_exit_inside_a_function(void **state) {
    (void)state;
    PLAY(.text = MODULE(".func maybe(.param .b32 x)\n{\n.reg .pred %q;\n.reg .b32 %v;\nld.param.b32 %v, [x];\n"
                        "setp.gt.u32 %q, %v, 9;\n@%q exit;\nret;\n}\n",
                        "{\n.param .b32 x;\nst.param.b32 [x], %r0;\ncall maybe, (x);\n}\nmov.u32 %r1, 1;\n" STORE("%r1")),
         .block = {32});
    EACH(32, i <= 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_code_counts_once_per_warp),
        cmocka_unit_test(both_sides_of_an_if_run_once_and_join),
        cmocka_unit_test(an_if_all_lanes_agree_on_runs_one_side),
        cmocka_unit_test(lanes_that_skip_wait_for_those_that_do_not),
        cmocka_unit_test(nested_ifs_join_inside_out),
        cmocka_unit_test(a_loop_lasts_as_long_as_its_longest_lane),
        cmocka_unit_test(lanes_that_poll_for_long_still_join),
        cmocka_unit_test(lanes_that_exit_are_not_waited_for),
        cmocka_unit_test(a_guarded_return_needs_no_branch),
        cmocka_unit_test(short_circuit_conditions_join_at_the_end),
        cmocka_unit_test(activemask_shows_the_joined_lanes),
        cmocka_unit_test(break_and_continue),
        cmocka_unit_test(a_loop_with_two_entries),
        cmocka_unit_test(a_switch_by_branch_table),
        cmocka_unit_test(a_loop_that_leaves_the_function),
        cmocka_unit_test(random_graphs_run_every_thread_as_if_alone),
        cmocka_unit_test(returns_in_different_places_join_at_the_caller),
        cmocka_unit_test(lanes_call_different_functions),
        cmocka_unit_test(lanes_in_different_functions_keep_what_they_have),
        cmocka_unit_test(a_function_address_taken_in_code),
        cmocka_unit_test(recursion_to_a_different_depth_in_every_lane),
        cmocka_unit_test(a_function_that_calls_itself_twice),
        cmocka_unit_test(ackermann_of_small_numbers),
        cmocka_unit_test(functions_that_call_each_other),
        cmocka_unit_test(registers_survive_calls),
        cmocka_unit_test(lanes_exit_inside_a_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
