/* The pipeline of Vortex of 2021 to the cycle (sm.pipeline = vortex), the examples of Aurud's thesis as its
 * errata read them, and what each of its improvements changes. */
#include "api/api.h"
#include "config/config.h"
#include "gpu/gpu.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rv_asm.h"

static struct {
    VEC(struct event) events;
    struct rv_asm code;
    u64 cycles;
    double held, flushed, table_hits;
    u64 cpi[CPI_METHODS][CPI_COUNT]; /* of the one scheduler */
} ran;
static struct heddle_timing counted; /* which cycles are counted; zero: all */

static void on_events(void *state, const struct event *e, u32 n) {
    (void)state;
    for (u32 i = 0; i < n; i++) VEC_PUSH(&ran.events, e[i]);
}

static void set_keys(struct heddle *h, const char *keys) {
    char all[1024], *rest = all, *one;
    snprintf(all, sizeof(all), "%s", keys);
    while ((one = strsep(&rest, " ")))
        if (*one) {
            char *value = strchr(one, '=');
            *value++ = 0;
            if (heddle_set_key(h, one, value)) fail_msg("%s", heddle_message(h));
        }
}

/* One core; keys as "name=value name=value". Jumps or not, nothing may differ. */
static u64 play(const char *text, const char *keys, bool jumps) {
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    if (heddle_set_machine(h, "vortex2021")) fail_msg("%s", heddle_message(h));
    set_keys(h, keys);
    struct heddle_timing timing = counted;
    timing.no_jumps = !jumps, timing.check_cycles = 7;
    heddle_timing(h, &timing);
    struct listener l = {.events = on_events};
    ran.events.n = 0;
    VEC_PUSH(&h->time.listeners, l);
    heddle_audit(h, true);
    const struct config *c = &h->time.config;
    asm_program(&ran.code, text, RV_2021);
    assert_int_equal(heddle_module_load(h, "p.bin", (const char *)ran.code.words, (size_t)ran.code.n * 4, &m), HEDDLE_OK);
    struct heddle_launch la = {.grid = {1, 1, 1}, .block = {c->warps * c->warp_size, 1, 1}};
    struct heddle_result r;
    if (heddle_launch(h, heddle_module_kernel(m, "program"), &la, &r)) fail_msg("%s", heddle_message(h));
    if (heddle_audit_result(h).violations) fail_msg("%s", heddle_audit_result(h).text);
    heddle_stat(h, "decode_held_cycles", &ran.held);
    heddle_stat(h, "fetch_flushed", &ran.flushed);
    heddle_stat(h, "stall_table_hits", &ran.table_hits);
    memcpy(ran.cpi, heddle_launch_stats(h)->sum.sched[0].cpi, sizeof(ran.cpi));
    heddle_close(h);
    return ran.cycles = r.cycles;
}

static void run(const char *text, const char *keys) {
    u64 ticked = play(text, keys, false);
    assert_int_equal(ticked, play(text, keys, true));
}

static i32 pc_of(const char *label) {
    for (u32 i = 0; i < ran.code.nlabels; i++)
        if (strcmp(ran.code.labels[i].name, label) == 0) return (i32)((ran.code.labels[i].at - 0x80000000u) / 4);
    fail_msg("no label %s", label);
    return NONE;
}

/* The cycle of the nth such event of the instruction behind a label, of one warp */
static u64 when(enum event_kind kind, const char *label, u32 slot, u32 nth) {
    i32 pc = pc_of(label);
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == kind && e->pc == pc && e->slot == slot && !nth--) return e->cycle;
    }
    fail_msg("%s has no such event", label);
    return 0;
}
static u64 fetched(const char *label) { return when(EV_FETCH, label, 0, 0); }
static u64 issued(const char *label) { return when(EV_ISSUE, label, 0, 0); }

#define IDEAL "sm.icache.ideal=true "
#define FAST  IDEAL "sm.fetch.no_stall=true "
#define N8                                                                                                                       \
    "addi t2, zero, 1; addi t3, zero, 1; addi t4, zero, 1; addi t5, zero, 1; addi s2, zero, 1; addi s3, zero, 1; addi s4, "      \
    "zero, 1; addi s5, zero, 1; "

/* --- one warp: the numbers of the facts */

static void fetch_interval(void **state) {
    (void)state;
    run("a: addi t0, zero, 1; b: addi t1, zero, 1; c: jal zero, d; nop: addi t2, zero, 1; d: addi t3, zero, 1; vx_tmc zero",
        IDEAL);
    assert_int_equal(fetched("b") - fetched("a"), 5);
    assert_int_equal(fetched("c") - fetched("b"), 5);
    assert_int_equal(fetched("d") - fetched("c"), 8);
    assert_int_equal(issued("a") - fetched("a"), 5);
    run("a: addi t0, zero, 1; b: vx_tmc t0; c: vx_split t0; d: vx_join; e: addi t0, zero, 1; vx_tmc zero", IDEAL);
    assert_int_equal(fetched("c") - fetched("b"), 8);
    assert_int_equal(fetched("d") - fetched("c"), 8);
    assert_int_equal(fetched("e") - fetched("d"), 5); /* decode does it */
}

/* A warp fetches one instruction every five cycles, and waits for it nearly as long */
static void undecoded(void **state) {
    u64 of[STALL_COUNT] = {0};
    (void)state;
    run("a: addi t0, zero, 32; b: addi t0, t0, -1; addi t1, zero, 1; addi t2, zero, 1; addi t3, zero, 1; bne t0, zero, b; vx_tmc "
        "zero",
        IDEAL);
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_STALL && !e->slot && e->mask) of[__builtin_ctzll(e->mask)] += e->cycle - e->a;
    }
    for (u32 i = 0; i < STALL_COUNT; i++)
        if (i != STALL_UNDECODED && i != STALL_EMPTY) assert_true(of[STALL_UNDECODED] > 4 * of[i]);
    assert_true(of[STALL_UNDECODED] > 32 * 4 * 3);
}

/* What a read of a texture, the second of its texels, takes until a dependent instruction issues, and the
 * next behind it */
static void texture_times(const char *keys, const char *set_up, u32 dependent, u32 next) {
    char text[1024];
    snprintf(text, sizeof(text),
             "li a0, 0x80008000; csrrw zero, 0xFD0, a0; addi t0, zero, 4; csrrw zero, 0xFD5, t0; csrrw zero, 0xFD6, t0; %s"
             "vx_tex t1, a1, a2, a3, 0; add t1, t1, t1; a: vx_tex t1, a1, a2, a3, 0; b: add t1, t1, t1;"
             "c: vx_tex t1, a1, a2, a3, 0; vx_tex t2, a1, a2, a3, 0; d: add t3, t2, t2; e: lw t1, 0(a0); f: add t1, t1, t1;"
             "vx_tmc zero",
             set_up);
    run(text, keys);
    assert_int_equal(issued("b") - issued("a"), dependent);
    assert_int_equal(issued("d") - issued("c"), dependent + next);
    assert_int_equal(issued("f") - issued("e"), 11); /* words come through the same buffers */
}

static void textures(void **state) {
    static const char
        bilinear[] = "addi t0, zero, 1; csrrw zero, 0xFD3, t0;",
        lanes[] = "addi t0, zero, -1; vx_tmc t0; li a0, 0x80008000; csrrs a1, 0xCC0, zero; slli a1, a1, 18; add a2, a1, zero;";
    char both[256];
    (void)state;
    snprintf(both, sizeof(both), "%s%s", bilinear, lanes);
    texture_times(FAST, "", 16, 7);
    texture_times(FAST, bilinear, 19, 10);
    texture_times(FAST, lanes, 19, 10); /* four lines of one bank */
    texture_times(FAST, both, 26, 17);
    texture_times(FAST "sm.lsu.queue=1 ", both, 26, 17);
}

static void dependent_issue(void **state) {
    (void)state;
    run("a: addi t0, zero, 1; b: addi t0, t0, 1; c: mul t1, t0, t0; d: add t2, t1, t1; e: csrrs t3, 0xCC0, zero; f: add t3, t3, "
        "t3; vx_tmc zero",
        FAST);
    assert_int_equal(issued("b") - issued("a"), 4);
    assert_int_equal(issued("d") - issued("c"), 7);
    assert_int_equal(issued("f") - issued("e"), 4);
    run("a: fmadd.s f1, f2, f3, f4, rne; b: fadd.s f5, f1, f1, rne; c: fdiv.s f1, f2, f3, rne; d: fadd.s f5, f1, f1, rne; "
        "e: fsqrt.s f1, f2, rne; f: fadd.s f5, f1, f1, rne; g: fmin.s f1, f2, f3; h: fadd.s f6, f1, f1, rne; "
        "i: fcvt.w.s t0, f2, rne; j: add t0, t0, t0; k: div t1, t0, t0; l: add t1, t1, t1; vx_tmc zero",
        FAST);
    assert_int_equal(issued("b") - issued("a"), 8);
    assert_int_equal(issued("d") - issued("c"), 19);
    assert_int_equal(issued("f") - issued("e"), 14);
    assert_int_equal(issued("h") - issued("g"), 6);
    assert_int_equal(issued("j") - issued("i"), 9);
    assert_int_equal(issued("l") - issued("k"), 37);
    run("li a0, 0x80008000; lw t0, 0(a0); add t0, t0, t0; a: lw t1, 4(a0); b: add t1, t1, t1; li sp, 0xFF000000; c: lw t2, "
        "-4(sp); d: add t2, t2, t2; vx_tmc zero",
        FAST);
    assert_int_equal(issued("b") - issued("a"), 11); /* hit */
    assert_int_equal(issued("d") - issued("c"), 9);  /* shared memory */
}

/* --- loads: a port for each thread, a bank takes one word a cycle, and words that come apart are written
 * apart */

#define LANES "addi t0, zero, -1; vx_tmc t0; csrrs s1, 0xCC0, zero;"
static void banks(void **state) {
    static const char text[] = LANES "li a0, 0x80008000; %s; add a0, a0, t1; lw t2, 0(a0); add t2, t2, t2; "
                                     "a: lw t3, 0(a0); b: add t3, t3, t3; vx_tmc zero";
    static const struct {
        const char *offset;
        u64 want;
    } rows[] = {
        {"addi t1, zero, 0", 11}, /* all threads the same word: it is asked for once */
        {"slli t1, s1, 2", 14},   /* the words of one line: one bank, four cycles */
        {"slli t1, s1, 6", 11},   /* a line each: four banks */
        {"slli t1, s1, 7", 12},   /* every other bank, twice */
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        char program[512];
        snprintf(program, sizeof(program), text, rows[i].offset);
        run(program, FAST);
        assert_int_equal(issued("b") - issued("a"), rows[i].want);
    }
}

/* One word for all threads is asked for once where thread 0 is among them, else by each */
static void one_word(void **state) {
    static const char text[] = "addi t0, zero, %d; vx_tmc t0; li a0, 0x80008000; lw t2, 0(a0); add t2, t2, t2; "
                               "a: lw t3, 0(a0); b: add t3, t3, t3; vx_tmc zero";
    static const u64 masks[][2] = {{15, 11}, {7, 11}, {14, 13}, {8, 11}};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(masks); i++) {
        char program[256];
        snprintf(program, sizeof(program), text, (int)masks[i][0]);
        run(program, FAST);
        assert_int_equal(issued("b") - issued("a"), masks[i][1]);
    }
}

/* The write-back port: a product and a sum that end in the same cycle; the ALU's own sums go first, and the
 * product waits a cycle for each */
static void port(void **state) {
    (void)state;
    run("a: mul t0, t1, t1; addi s1, zero, 1; addi s2, zero, 1; addi s3, zero, 1; b: add t2, t0, t0; vx_tmc zero", FAST);
    assert_int_equal(issued("b") - issued("a"), 8);
    run("a: mul t0, t1, t1; addi s1, zero, 1; addi s2, zero, 1; addi s3, zero, 1; addi s4, zero, 1; addi s5, zero, 1; "
        "b: add t2, t0, t0; vx_tmc zero",
        FAST);
    assert_int_equal(issued("b") - issued("a"), 10);
    run("a: mul t0, t1, t1; addi s1, zero, 1; addi s2, zero, 1; b: add t2, t0, t0; vx_tmc zero", FAST);
    assert_int_equal(issued("b") - issued("a"), 7);
}

static u64 between(const char *text, const char *keys, const char *from, const char *to) {
    run(text, keys);
    return issued(to) - issued(from);
}

/* Results of different units for one port: a comparison of floats goes before a sum, a load before both; a
 * pipe whose result waits stands still with all that is behind it, but for a product, which waits in a
 * register behind its pipe */
static void port_between_units(void **state) {
    (void)state;
    assert_int_equal(
        between("fmin.s f1, f2, f3; addi s1, zero, 1; a: addi t0, zero, 1; b: add t1, t0, t0; vx_tmc zero", FAST, "a", "b"), 5);
    assert_int_equal(between("li a0, 0x80008000; lw t0, 0(a0); add t0, t0, t0; lw t1, 4(a0); addi s1, zero, 1; addi s2, zero, 1; "
                             "addi s3, zero, 1; addi s4, zero, 1; addi s5, zero, 1; addi s6, zero, 1; a: addi t2, zero, 1; "
                             "b: add t3, t2, t2; vx_tmc zero",
                             FAST, "a", "b"),
                     5);
    assert_int_equal(between("mul t0, t1, t1; addi s1, zero, 1; a: mul t2, t1, t1; addi s2, zero, 1; addi s3, zero, 1; "
                             "b: add t3, t2, t2; vx_tmc zero",
                             FAST, "a", "b"),
                     8);
}

/* A hit and a word of shared memory that come in the same cycle are written one after the other; words of one
 * bank of shared memory go one after the other; with one load under way at a time the second waits */
static void loads_in_each_others_way(void **state) {
    static const char two[] = "li a0, 0x80008000; lw t0, 0(a0); add t0, t0, t0; lw t1, 4(a0); a: lw t2, 8(a0); "
                              "b: add t3, t2, t2; vx_tmc zero";
    (void)state;
    assert_int_equal(between("li a0, 0x80008000; li sp, 0xFF000000; lw t0, 0(a0); add t0, t0, t0; lw t1, 4(a0); "
                             "addi s1, zero, 1; a: lw t2, -4(sp); b: add t3, t2, t2; vx_tmc zero",
                             FAST, "a", "b"),
                     10);
    assert_int_equal(between(LANES "li a0, 0xFEFFFF00; slli t1, s1, 4; add a0, a0, t1; a: lw t2, 0(a0); b: add t3, t2, t2; "
                                   "vx_tmc zero",
                             FAST, "a", "b"),
                     12);
    assert_int_equal(between(two, FAST, "a", "b"), 11);
    assert_int_equal(between(two, FAST "sm.lsu.queue=1", "a", "b"), 17);
}

/* A bank reads nothing in the cycle after a write, whatever the line */
static void read_behind_write(void **state) {
    static const char text[] = "li a0, 0x80008000; lw t0, 0(a0); add t0, t0, t0; sw t0, 0(a0); %sa: lw t1, 0(a0); "
                               "b: add t1, t1, t1; vx_tmc zero";
    char close[256], apart[256];
    (void)state;
    snprintf(close, sizeof(close), text, "");
    snprintf(apart, sizeof(apart), text, "addi t2, t2, 1; ");
    assert_int_equal(between(close, FAST, "a", "b"), 12);
    assert_int_equal(between(apart, FAST, "a", "b"), 11);
}

/* What no-stall scheduling costs: a cycle in the queue */
static void queues_cost_a_cycle(void **state) {
    (void)state;
    run("a: addi t0, zero, 1; vx_tmc zero", FAST);
    assert_int_equal(issued("a") - fetched("a"), 6);
}

/* The queue holds sm.fetch.queue instructions behind those in the buffer: what a warp has asked for when its
 * third instruction, which waits for a quotient, issues */
static void queues_are_bounded(void **state) {
    static const u32 held[] = {1, 2, 8, 20};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(held); i++) {
        char keys[64];
        u32 behind = 0;
        snprintf(keys, sizeof(keys), FAST "sm.fetch.queue=%u", held[i]);
        run("div t0, t1, t1; w: add t0, t0, t0; " N8 N8 N8 N8 "vx_tmc zero", keys);
        for (u32 k = 0; k < ran.events.n; k++) {
            const struct event *e = &ran.events.at[k];
            behind += e->kind == EV_FETCH && e->pc > pc_of("w") && e->cycle < issued("w");
        }
        assert_int_equal(behind, 2 + held[i]);
    }
}

/* A line that comes: the instruction goes through the cache again, a word through its bank */
static void misses(void **state) {
    (void)state;
    run("a: addi t0, zero, 1; vx_tmc zero", "");
    assert_int_equal(issued("a") - fetched("a"), 27);
    /* a line is sent for once: a second request for it waits with the first, and wants no further entry */
    run("a: addi t0, zero, 1; b: addi t1, zero, 1; vx_tmc zero", "sm.fetch.no_stall=true sm.icache.mshrs=1");
    assert_int_equal(fetched("b") - fetched("a"), 1);
    assert_int_equal(issued("b") - issued("a"), 1);
    assert_int_equal(between("li a0, 0x80008000; a: lw t0, 0(a0); b: add t0, t0, t0; vx_tmc zero", FAST, "a", "b"), 34);
    /* and a store brings no line, though it has it in the slice behind the interconnect */
    assert_int_equal(
        between("li a0, 0x80008000; sw t0, 0(a0); fence; a: lw t0, 0(a0); b: add t0, t0, t0; vx_tmc zero", FAST, "a", "b"), 28);
}

/* --- the RTL of October 2021 (commit d64bc880), which verilator ran: four warps whose loads, stores and
 * products get into each other's way, from cold caches on. The memory behind the core answers 20 cycles after
 * it is asked, as the test bench's does. Cycles are those of the last issue of each instruction, from the
 * first fetch on, by warp. */

#define BENCH "l2.ideal=true noc.latency_cy=10 l2.latency_cy=3"
#define FOUR                                                                                                                     \
    "z: csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1; work: addi t0, zero, -1; vx_tmc t0; "                              \
    "csrrs s1, 0xCC3, zero; csrrs s3, 0xCC0, zero; li a0, 0x80008000; slli t2, s3, 2; slli t3, s1, 6; "                          \
    "add a1, a0, t2; add a1, a1, t3; slli t2, s3, 6; slli t3, s1, 8; add a2, a0, t2; add a2, a2, t3; "                           \
    "slli t2, s3, 7; add a3, a0, t2; slli t3, s1, 2; add a3, a3, t3; addi s2, zero, 3; "

struct ran_at {
    const char *label;
    u64 cycle[4];
};
static const char loading[] =
    FOUR "top: l1: lw t4, 0(a1); l2: lw t5, 0(a2); l3: lw t6, 0(a3); u1: add t4, t4, t4; u2: add t5, t5, "
         "t5; u3: mul t6, t6, t6; l4: lw t4, 4(a2); l5: lw t5, 8(a3); u4: add t4, t4, t5; addi a1, a1, "
         "256; addi a3, a3, 64; addi s2, s2, -1; bne s2, zero, top; vx_tmc zero";
static const struct ran_at loading_at[] = {
    {"l1", {435, 428, 433, 434}}, {"l2", {441, 431, 438, 454}}, {"l3", {455, 437, 453, 458}},
    {"u1", {475, 444, 457, 462}}, {"u2", {479, 456, 477, 478}}, {"u3", {483, 476, 481, 482}},
    {"l4", {487, 480, 485, 486}}, {"l5", {495, 484, 489, 494}}, {"u4", {515, 500, 513, 514}},
};
static const char storing[] =
    FOUR "top: l1: lw t4, 0(a2); s1: sw t4, 4(a2); s2: sw t4, 0(a1); l2: lw t5, 8(a2); u1: add t4, t4, t5; "
         "s3: sw t4, 0(a3); l3: lw t6, 0(a3); u2: mul t6, t6, t4; andi s4, s3, 1; vx_split s4; beq s4, "
         "zero, els; addi t5, t5, 7; els: vx_join; s4: sw t6, 4(a1); addi a2, a2, 1024; addi s2, s2, -1; "
         "bne s2, zero, top; vx_tmc zero";
static const struct ran_at storing_at[] = {
    {"l1", {556, 565, 608, 611}}, {"s1", {604, 610, 658, 666}}, {"s2", {606, 621, 661, 669}},
    {"l2", {609, 625, 665, 673}}, {"u1", {632, 645, 682, 689}}, {"s3", {640, 653, 688, 693}},
    {"l3", {644, 657, 690, 697}}, {"u2", {660, 674, 707, 711}}, {"s4", {718, 728, 755, 758}},
};

static void as_ran(const char *text, const struct ran_at *rows, u32 n) {
    run(text, BENCH);
    u64 from = fetched("z");
    for (u32 i = 0; i < n; i++)
        for (u32 w = 0; w < 4; w++) {
            u64 got = when(EV_ISSUE, rows[i].label, w, 2) - from;
            if (got != rows[i].cycle[w])
                fail_msg("%s of warp %u: %llu, not %llu", rows[i].label, w, (unsigned long long)got,
                         (unsigned long long)rows[i].cycle[w]);
        }
}

static void as_the_rtl_ran(void **state) {
    (void)state;
    as_ran(loading, loading_at, ARRAY_LEN(loading_at));
    as_ran(storing, storing_at, ARRAY_LEN(storing_at));
}

/* --- the thesis's figures */

#define ALL "csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1; work: csrrs s1, 0xCC3, zero; "

/* 3.5: one of four warps is ready, the others wait for quotients: it issues every fourth cycle; with ready
 * scheduling every cycle */
static void unready_scheduler(void **state) {
    static const char text[] =
        ALL "beq s1, zero, on; fdiv.s f1, f2, f3, rne; fadd.s f4, f1, f1, rne; fadd.s f4, f4, f4, rne; vx_tmc zero;"
            "on: mul t0, t0, t0; mul t0, t0, t0; mul t0, t0, t0; mul t0, t0, t0; a: addi t4, zero, 1; addi t5, zero, 1; "
            "b: addi s2, zero, 1; addi s3, zero, 1; addi s4, zero, 1; vx_tmc zero";
    (void)state;
    run(text, FAST "sm.fetch.bpr=true sm.fetch=lrr sm.class.fdiv.latency_cy=63");
    assert_int_equal(issued("b") - issued("a"), 8);
    run(text, FAST "sm.fetch.bpr=true sm.fetch=lrr sm.class.fdiv.latency_cy=63 sm.sched=lrr");
    assert_int_equal(issued("b") - issued("a"), 2);
}

/* Turns are given two cycles ahead: four warps that wait for products go round this loop in the RTL's time */
static void turns_ahead(void **state) {
    static const char text[] = ALL "addi s2, zero, 6; top: mul t0, s2, s2; add t2, t0, t0; addi t3, t3, 1; addi t4, t4, 1; "
                                   "fadd.s f1, f1, f2, rne; addi s2, s2, -1; bne s2, zero, top; vx_tmc zero";
    (void)state;
    run(text, IDEAL);
    for (u32 n = 2; n < 4; n++) assert_int_equal(when(EV_ISSUE, "top", 0, n + 1) - when(EV_ISSUE, "top", 0, n), 40);
}

static u32 fetches_of(u32 slot, u64 from, u64 to) {
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        n += e->kind == EV_FETCH && e->slot == slot && e->cycle >= from && e->cycle < to;
    }
    return n;
}

/* 3.8: find first of four warps that are blocked for two cycles after each fetch: a third each for the first
 * three; for three cycles: a quarter each */
static void find_first(void **state) {
    static const char text[] = ALL "far: " N8 N8 N8 N8 N8 N8 N8 N8 "vx_tmc zero";
    (void)state;
    run(text, IDEAL "sm.icache.latency_cy=2 sm.sched=lrr");
    u64 from = when(EV_FETCH, "far", 2, 0) + 6;
    for (u32 w = 0; w < 4; w++) assert_int_equal(fetches_of(w, from, from + 60), w < 3 ? 20 : 0);
    run(text, IDEAL "sm.icache.latency_cy=3 sm.sched=lrr");
    from = when(EV_FETCH, "far", 3, 0) + 8;
    for (u32 w = 0; w < 4; w++) assert_int_equal(fetches_of(w, from, from + 60), 15);
}

/* Cycles in [from, to) in which an instruction was decoded */
static u32 decodes(u64 from, u64 to) {
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        n += e->kind == EV_FETCH && e->b - 1 >= from && e->b - 1 < to;
    }
    return n;
}

struct turn {
    u32 slot, n;
};
/* Warps in the order in which they decode from that cycle on, and how many instructions each time */
static void decode_turns(u64 from, struct turn *turns, u32 n) {
    u32 got = 0;
    for (u64 at = from; got <= n && at < from + 1000; at++)
        for (u32 i = 0; i < ran.events.n; i++) {
            const struct event *e = &ran.events.at[i];
            if (e->kind != EV_FETCH || e->b != at + 1) continue;
            if (!got || turns[got - 1].slot != e->slot) turns[got++] = (struct turn){e->slot, 0};
            turns[got - 1].n++;
        }
}

/* Of the queues that have something decode takes that of the warp it took last, until that has nothing more:
 * here that of warp 3, whose full buffer has kept it waiting. Then that of the warp that was passed over most
 * often, of equals the lowest: branches end the turns, and warps that have had theirs wait for the others. */
static void who_decodes(void **state) {
    static const char text[] =
        ALL "addi t0, zero, 3; bne s1, t0, on; q: div t0, s1, s1; w: add t0, t0, t0; " N8 N8 N8 N8
            "vx_tmc zero; on: addi s6, zero, 9; top: " N8 N8 "addi s6, s6, -1; bne s6, zero, top; vx_tmc zero";
    struct turn turns[9] = {0};
    (void)state;
    run(text, FAST "sm.fetch=lrr sm.sched=lrr");
    decode_turns(when(EV_ISSUE, "w", 3, 0) + 1, turns, ARRAY_LEN(turns) - 1);
    for (u32 i = 0; i + 1 < ARRAY_LEN(turns); i++) {
        assert_int_equal(turns[i].slot, (3 + i) % 4);
        assert_true(turns[i].n >= 8);
    }
}

/* 3.11: warp 3 waits for a quotient, its buffer is full, and one more of it is at decode: nobody decodes
 * until it issues, and that it has is seen a cycle later. With back-pressure reduction one of the others does
 * in each cycle. */
static void back_pressure(void **state) {
    static const char text[] = ALL "addi t0, zero, 3; bne s1, t0, on; q: div t0, s1, s1; w: add t0, t0, t0; " N8 "vx_tmc zero;"
                                   "on: " N8 N8 N8 N8 N8 "vx_tmc zero";
    (void)state;
    run(text, FAST "sm.fetch=lrr sm.sched=lrr");
    u64 issue = when(EV_ISSUE, "w", 3, 0), divides = when(EV_ISSUE, "q", 3, 0);
    assert_int_equal(issue - divides, 37);
    assert_int_equal(decodes(issue - 20, issue + 1), 0);
    assert_true(decodes(issue + 1, issue + 2) == 1);
    assert_true(ran.held >= 20);
    run(text, FAST "sm.fetch=lrr sm.sched=lrr sm.fetch.bpr=true");
    issue = when(EV_ISSUE, "w", 3, 0);
    assert_int_equal(decodes(issue - 20, issue), 20);
    assert_true(ran.held == 0);
}

/* The stall table looks at the tag: the instruction 128 words behind a branch that it knows is another */
static void table_tags(void **state) {
    (void)state;
    run("addi s8, zero, 3; jal zero, top; top: addi s8, s8, -1; x: bne s8, zero, on; vx_tmc zero; on: " N8 N8 N8 N8 N8 N8 N8 N8 N8
            N8 N8 N8 N8 N8 N8
        "addi t2, zero, 1; addi t2, zero, 1; addi t2, zero, 1; addi t2, zero, 1; addi t2, zero, 1; addi t2, "
        "zero, 1; y: addi t3, zero, 1; jal zero, top",
        FAST "sm.fetch.stall_table=128");
    assert_int_equal(pc_of("y") - pc_of("x"), 128);
    assert_int_equal((u64)ran.table_hits, 3);
}

/* A join does not keep its warp from fetching, but what was fetched behind it is flushed: the table learns it
 * too. Of six rounds the last five know the split, the join and the branch, and flush nothing. */
static void table_knows_joins(void **state) {
    (void)state;
    run("addi t0, zero, 1; addi s2, zero, 1; top: vx_split t0; vx_join; addi t1, zero, 1; addi s2, s2, -1; bne s2, zero, top; "
        "vx_tmc zero",
        FAST "sm.fetch.stall_table=128");
    double once = ran.flushed;
    assert_int_equal((u64)once, 5 + 4 + 1); /* behind each of the three when it is met first */
    run("addi t0, zero, 1; addi s2, zero, 6; top: vx_split t0; vx_join; addi t1, zero, 1; addi s2, s2, -1; bne s2, zero, top; "
        "vx_tmc zero",
        FAST "sm.fetch.stall_table=128");
    assert_int_equal((u64)ran.table_hits, 5 * 3);
    assert_int_equal((u64)ran.flushed, (u64)once);
}

/* The table is empty when a launch begins: the same program again knows as much as the first time */
static void table_is_cleared(void **state) {
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    double hits[2], flushed[2];
    (void)state;
    assert_int_equal(heddle_set_machine(h, "vortex2021"), HEDDLE_OK);
    set_keys(h, FAST "sm.fetch.stall_table=128");
    asm_program(&ran.code, "addi s2, zero, 5; top: addi s2, s2, -1; bne s2, zero, top; vx_tmc zero", RV_2021);
    assert_int_equal(heddle_module_load(h, "p.bin", (const char *)ran.code.words, (size_t)ran.code.n * 4, &m), HEDDLE_OK);
    for (u32 i = 0; i < 2; i++) {
        struct heddle_launch l = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
        if (heddle_launch(h, heddle_module_kernel(m, "program"), &l, NULL)) fail_msg("%s", heddle_message(h));
        heddle_stat(h, "stall_table_hits", &hits[i]);
        heddle_stat(h, "fetch_flushed", &flushed[i]);
    }
    assert_int_equal((u64)hits[0], 4);
    assert_int_equal((u64)hits[1], 4);
    assert_int_equal((u64)flushed[1], (u64)flushed[0]);
    heddle_close(h);
}

/* What was flushed still goes through the instruction cache: three requests behind a jump, for the line that
 * its target is in, come before the target's when the line is there */
static void flushed_requests_go_on(void **state) {
    static const char with[] = N8 "a: addi t2, zero, 1; addi t2, zero, 1; addi t2, zero, 1; addi t2, zero, 1; j: jal zero, d; "
                                  "addi t2, zero, 1; addi t2, zero, 1; addi t2, zero, 1; addi t2, zero, 1; d: addi t3, zero, 1; "
                                  "vx_tmc zero";
    (void)state;
    run(with, "sm.fetch.no_stall=true noc.latency_cy=30");
    assert_int_equal(pc_of("d"), 17);
    assert_int_equal(issued("d") - issued("j"), 66); /* three cycles less without them */
}

/* The cache's output holds two answers and a third is behind them: while decode is held the request of a
 * fourth warp waits before the cache, those of the others are not made, and when decode goes on they come a
 * cycle after these four */
static void full_output(void **state) {
    static const char text[] = ALL "addi t0, zero, 7; bne s1, t0, on; q: div t0, s1, s1; w: add t0, t0, t0; " N8 "vx_tmc zero;"
                                   "on: " N8 N8 N8 N8 N8 "vx_tmc zero";
    (void)state;
    run(text, IDEAL "sm.sched=lrr sm.fetch=lrr sm.warps=8 sm.threads=32 sm.shared_b=32768");
    u64 issue = when(EV_ISSUE, "w", 7, 0);
    assert_int_equal(decodes(issue - 6, issue + 1), 0);
    assert_int_equal(decodes(issue + 1, issue + 5), 4);
    assert_int_equal(decodes(issue + 5, issue + 6), 0);
    assert_int_equal(decodes(issue + 6, issue + 12), 6);
}

/* --- figure 5.1: what four warps wait for. Warp 0 adds what it loads (b: and divides), warp 1 has a load for
 * which the LSU has no place, warps 2 and 3 have no instruction */

static u32 causes(u32 slot, u64 cycle) {
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_STALL && e->slot == slot && e->a <= cycle && cycle < e->cycle) return (u32)e->mask;
    }
    return 0;
}

#define STATES(wait)                                                                                                             \
    ALL "li a0, 0x80008000; slli t0, s1, 10; add a0, a0, t0; beq s1, zero, add; addi t1, zero, 1; beq s1, t1, load; "            \
        "la t2, 0x80000400; jalr zero, 0(t2); add: lw t3, 0(a0); " wait " x: add t3, t3, t5; vx_tmc zero;"                       \
        "load: lw t3, 0(a0); lw t4, 64(a0); lw t5, 128(a0); lw s2, 192(a0); lw s3, 256(a0); y: lw t6, 320(a0); vx_tmc zero;"

/* Twelve of these cycles, in units of 1/24: a warp's cycle is 6. Warps 0 and 1 have turns. */
static void shares(const char *all, const char *keys, u64 now, const u64 proportional[CPI_COUNT], const u64 selected[CPI_COUNT]) {
    counted = (struct heddle_timing){.warmup_cycles = now - 6, .max_cycles = now + 6};
    run(all, keys);
    counted = (struct heddle_timing){0};
    for (u32 k = 0; k < CPI_COUNT; k++) {
        assert_int_equal(ran.cpi[CPI_PROPORTIONAL][k], 12 * proportional[k]);
        assert_int_equal(ran.cpi[CPI_SELECTED][k], 12 * selected[k]);
        assert_int_equal(ran.cpi[CPI_GSI][k], k == CPI_MEMORY_STRUCTURAL ? 12 * 24 : 0);
    }
}

static void four_warps(const char *text, u32 first, const u64 *proportional, const u64 *selected) {
    static const char keys[] = "sm.fetch.no_stall=true sm.fetch.bpr=true vortex.dcache.mshrs=1 vortex.dcache.banks=1 "
                               "noc.latency_cy=100 sm.class.idiv.latency_cy=400 sm.icache.line_b=128";
    char *all = malloc(1 << 14);
    i32 n = snprintf(all, 1 << 14, "%s", text);
    struct rv_asm head;
    asm_program(&head, text, RV_2021);
    for (u32 i = head.n; i < 256; i++) n += snprintf(all + n, (size_t)((1 << 14) - n), "addi zero, zero, 0;");
    snprintf(all + n, (size_t)((1 << 14) - n), "far: addi t3, zero, 1; vx_tmc zero");
    run(all, keys);
    u64 now = when(EV_ISSUE, "y", 1, 0) - 20; /* the LSU takes it soon */
    assert_int_equal(causes(0, now), first);
    assert_int_equal(causes(1, now), 1u << STALL_NOT_SELECTED); /* ready but for the LSU */
    for (u32 w = 2; w < 4; w++) assert_int_equal(stall_table[__builtin_ctz(causes(w, now))].cpi == CPI_FETCH, 1);
    shares(all, keys, now, proportional, selected);
    free(all);
}

static void figure_5_1(void **state) {
    static const u64 a[] = {[CPI_MEMORY_DATA] = 6, [CPI_MEMORY_STRUCTURAL] = 6, [CPI_FETCH] = 12, [CPI_COUNT - 1] = 0};
    static const u64 b[] = {
        [CPI_MEMORY_DATA] = 3, [CPI_COMPUTE_DATA] = 3, [CPI_MEMORY_STRUCTURAL] = 6, [CPI_FETCH] = 12, [CPI_COUNT - 1] = 0};
    static const u64 turns_a[] = {[CPI_MEMORY_DATA] = 12, [CPI_MEMORY_STRUCTURAL] = 12, [CPI_COUNT - 1] = 0};
    static const u64 turns_b[] = {
        [CPI_MEMORY_DATA] = 6, [CPI_COMPUTE_DATA] = 6, [CPI_MEMORY_STRUCTURAL] = 12, [CPI_COUNT - 1] = 0};
    (void)state;
    four_warps(STATES(""), 1u << STALL_LONG, a, turns_a);
    four_warps(STATES("div t5, t5, t5;"), 1u << STALL_LONG | 1u << STALL_WAIT, b, turns_b);
}

/* --- each improvement changes the trace of this program, from a cycle on */

static const char tight[] = ALL "addi s2, zero, 8; top: addi t3, t3, 1; addi s2, s2, -1; bne s2, zero, top; vx_tmc zero";
static const char loops[] = ALL "addi s2, zero, 4; top: div t0, t0, s2; add t1, t0, t0; addi t3, t3, 1; addi t4, t4, 1; "
                                "fadd.s f1, f1, f2, rne; addi s2, s2, -1; bne s2, zero, top; vx_tmc zero";
struct seen {
    u64 cycle;
    u32 what; /* kind, slot, pc */
};
static int by_cycle(const void *a, const void *b) {
    const struct seen *x = a, *y = b;
    return x->cycle != y->cycle ? (x->cycle < y->cycle ? -1 : 1) : x->what < y->what ? -1 : x->what > y->what;
}
static u32 trace(const char *text, const char *keys, struct seen *out, u32 most) {
    u32 n = 0;
    run(text, keys);
    for (u32 i = 0; i < ran.events.n && n < most; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_ISSUE || e->kind == EV_FETCH)
            out[n++] = (struct seen){e->cycle, (u32)e->kind << 24 | (u32)e->slot << 16 | (u32)e->pc};
    }
    qsort(out, n, sizeof(*out), by_cycle);
    return n;
}

static void improvements(void **state) {
    static const struct {
        const char *text, *base, *with;
        u64 cycle; /* of the first event that is another, from the first fetch on */
    } rows[] = {
        {loops, IDEAL, IDEAL "sm.sched=lrr", 69},                      /* ready scheduling */
        {loops, IDEAL "sm.sched=lrr", IDEAL "sm.sched=gto_wait", 133}, /* greedy then oldest in issue */
        {loops, IDEAL, IDEAL "sm.fetch=lrr", 25},                      /* warp scheduler: round robin */
        {loops, IDEAL, IDEAL "sm.fetch=gto_wait", 25},                 /* warp scheduler: greedy then oldest */
        {loops, IDEAL, FAST, 1},                                       /* no-stall scheduling */
        {tight, FAST, FAST "sm.fetch.stall_table=128", 23},            /* stall table */
        {loops, IDEAL, IDEAL "sm.fetch.bpr=true", 50},                 /* back-pressure reduction */
        {loops, FAST, FAST "sm.fetch.bpr=true", 10},                   /* the same, with queues */
    };
    static struct seen a[8192], b[8192];
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        u32 n = trace(rows[i].text, rows[i].base, a, 8192), m = trace(rows[i].text, rows[i].with, b, 8192), k = 0;
        while (k < n && k < m && !memcmp(&a[k], &b[k], sizeof(a[k]))) k++;
        if (k == n || k == m) fail_msg("%s changes nothing", rows[i].with);
        u64 cycle = (a[k].cycle < b[k].cycle ? a[k].cycle : b[k].cycle) - a[0].cycle;
        if (cycle != rows[i].cycle) fail_msg("%s: from cycle %llu on", rows[i].with, (unsigned long long)cycle);
    }
}

/* --- the machine's counters as programs read them: perf-lock stops them, and with perf-reset-lock the next
 * launch goes on from where they stood */
static void performance_counters(void **state) {
    static const char text[] =
        "li a1, 0x80008100; li a0, 0x80008000; csrrs s0, 0xB0E, zero; sw s0, 0(a0); lw t1, 0(a1); add t1, t1, t1; "
        "csrrs s1, 0xB0E, zero; sw s1, 4(a0); csrrwi zero, 0x7C0, 1; lw t1, 64(a1); add t1, t1, t1; csrrs s2, 0xB0E, zero; "
        "sw s2, 8(a0); csrrwi zero, 0x7C0, 0; lw t1, 128(a1); add t1, t1, t1; csrrs s3, 0xB0E, zero; sw s3, 12(a0); "
        "csrrwi zero, 0x7C1, 1; csrrs s4, 0xB0B, zero; sw s4, 16(a0); vx_tmc zero";
    static const u32 want[2][4] = {{0, 1, 1, 2}, {2, 3, 3, 4}};
    (void)state;
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    assert_int_equal(heddle_set_machine(h, "vortex2021"), HEDDLE_OK);
    asm_program(&ran.code, text, RV_2021);
    assert_int_equal(heddle_module_load(h, "p.bin", (const char *)ran.code.words, (size_t)ran.code.n * 4, &m), HEDDLE_OK);
    for (u32 i = 0; i < 2; i++) {
        u32 got[5];
        struct heddle_launch l = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
        if (heddle_launch(h, heddle_module_kernel(m, "program"), &l, NULL)) fail_msg("%s", heddle_message(h));
        assert_int_equal(heddle_read(h, 0x80008000, got, sizeof(got)), HEDDLE_OK);
        for (u32 k = 0; k < 4; k++) assert_int_equal(got[k], want[i][k]);
        assert_true(got[4] > 0); /* lines of the instruction cache */
    }
    heddle_close(h);
}

/* --- perfect memory: stores are under way until a bank has taken their words, as with any memory; checks of
 * counts run all along */
static void stores_of_perfect_memory(void **state) {
    static const char text[] = LANES "li a0, 0x80008000; slli s1, s1, 6; add a0, a0, s1; addi t1, zero, 20; a: addi t1, t1, -1; "
                                     "sw t1, 0(a0); b: lw t2, 0(a0); sw t2, 4(a0); sw t2, 8(a0); bne t1, zero, a; vx_tmc zero";
    u64 last = 0;
    (void)state;
    for (u32 banks = 4; banks; banks /= 2) { /* lines are in the banks by turns: fewer of them, fewer words a cycle */
        char keys[128];
        snprintf(keys, sizeof(keys), FAST "gpu.perfect_memory=true vortex.dcache.banks=%u", banks);
        run(text, keys);
        assert_true(ran.cycles > last);
        last = ran.cycles;
    }
}

/* --- the end: units that work on what an ended warp has left them, long after its block is over */
static void units_empty_after_the_end(void **state) {
    u64 last = 0;
    (void)state;
    for (u32 n = 10; n <= 330; n += 20) {
        char text[256];
        snprintf(text, sizeof(text),
                 "addi t0, zero, %u; a: addi t0, t0, -1; bne t0, zero, a; div t1, t0, t0; div t2, t0, t0; div t3, t0, t0; vx_tmc "
                 "zero",
                 n);
        run(text, IDEAL "sm.class.idiv.interval_cy=1000");
        assert_true(ran.cycles > last && ran.cycles < last + 1000); /* the launch does not wait for them */
        last = ran.cycles;
    }
    assert_true(last > 4096); /* the chip was looked at for idleness in between */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetch_interval),
        cmocka_unit_test(undecoded),
        cmocka_unit_test(dependent_issue),
        cmocka_unit_test(textures),
        cmocka_unit_test(banks),
        cmocka_unit_test(one_word),
        cmocka_unit_test(port),
        cmocka_unit_test(port_between_units),
        cmocka_unit_test(loads_in_each_others_way),
        cmocka_unit_test(queues_cost_a_cycle),
        cmocka_unit_test(queues_are_bounded),
        cmocka_unit_test(read_behind_write),
        cmocka_unit_test(misses),
        cmocka_unit_test(as_the_rtl_ran),
        cmocka_unit_test(table_tags),
        cmocka_unit_test(table_knows_joins),
        cmocka_unit_test(table_is_cleared),
        cmocka_unit_test(flushed_requests_go_on),
        cmocka_unit_test(full_output),
        cmocka_unit_test(unready_scheduler),
        cmocka_unit_test(turns_ahead),
        cmocka_unit_test(find_first),
        cmocka_unit_test(who_decodes),
        cmocka_unit_test(back_pressure),
        cmocka_unit_test(figure_5_1),
        cmocka_unit_test(improvements),
        cmocka_unit_test(performance_counters),
        cmocka_unit_test(stores_of_perfect_memory),
        cmocka_unit_test(units_empty_after_the_end),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    free(ran.events.at);
    return rc;
}
