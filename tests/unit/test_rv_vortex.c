/* Vortex programs: every instruction of both variants, both ways to diverge, and what wrong programs are
 * told. */
#include "rv_rig.h"

/* --- the words of the facts */
static void known_words(void **state) {
    static const struct {
        enum rv_variant v;
        const char *text;
        u32 word;
    } rows[] = {
        {RV_2021, "vx_wspawn t0, t1", 0x0062906b},
        {RV_V3, "vx_wspawn t0, t1", 0x0062900b},
        {RV_2021, "vx_tmc t0", 0x0002806b},
        {RV_V3, "vx_tmc t0", 0x0002800b},
        {RV_2021, "vx_split t3", 0x000e206b},
        {RV_V3, "vx_split s6, t3", 0x000e2b0b},
        {RV_2021, "vx_join", 0x0000306b},
        {RV_V3, "vx_join s6", 0x000b300b},
        {RV_2021, "vx_bar t0, s3", 0x0132c06b},
        {RV_V3, "vx_bar t0, s3", 0x0132c00b},
        {RV_V3, "vx_wsync", 0x0000700b},
        {RV_2021, "vx_tmc zero", 0x0000006b},
        {RV_V3, "vx_tmc zero", 0x0000000b},
        {RV_2021, "vx_prefetch t0", 0x0002e06b},
        {RV_2021, "vx_tex_dec a0, a1, a2, a3, 1", 0x6ac5855b},
        {RV_V3, "vx_bar_arrive a0, a1, a2", 0x00c5e50b},
        {RV_V3, "vx_bar_wait a1, a2", 0x00c5e00b},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        static struct rv_asm a;
        struct strbuf b = {0};
        asm_program(&a, rows[i].text, rows[i].v);
        assert_int_equal(a.words[0], rows[i].word);
        rv_print(rows[i].word, rv_decode(rows[i].word, rows[i].v), 0, &b);
        assert_string_equal(b.s, rows[i].text);
        strbuf_free(&b);
    }
}

/* Every row decodes to itself: no row hides a later one */
static void rows_are_apart(void **state) {
    (void)state;
    for (u32 i = 0; i < RV_COUNT; i++) {
        enum rv_variant v = rv_table[i].set == RV_SET_V3 ? RV_V3 : RV_2021;
        u32 w = rv_table[i].match;
        if (i == RV_splitn3_) w |= 1 << 20;
        if (i == RV_tex_ || i == RV_predn3_ || i == RV_arrive3_) w |= 1 << 7;
        assert_ptr_equal(rv_decode(w, v), &rv_table[i]);
    }
}

/* --- warps: all lanes of all warps write hart * 3; after the barrier warp 0 adds them up */
#define ALL_WARPS(hart)                                                                                                          \
    "csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1;"                                                                      \
    "work: addi t0, zero, -1; vx_tmc t0; csrrs t0, " hart ", zero; slli t1, t0, 1; add t1, t1, t0;"                              \
    "li t2, 0x80008000; slli t0, t0, 2; add t2, t2, t0; sw t1, 0(t2);"                                                           \
    "csrrs t1, 0xFC1, zero; vx_bar zero, t1;"
#define SUM_OF_16                                                                                                                \
    "addi t0, zero, 1; vx_tmc t0; li t2, 0x80008000; addi t3, zero, 16; addi t4, zero, 0;"                                       \
    "more: lw t0, 0(t2); add t4, t4, t0; addi t2, t2, 4; addi t3, t3, -1; bne t3, zero, more; sw t4, 0(t2); vx_tmc zero"

static void warps(void **state) {
    static const u32 want[] = {0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 360};
    (void)state;
    struct rig r = good(ALL_WARPS("0xCC2") "csrrs t0, 0xCC3, zero; beq t0, zero, last; vx_tmc zero; last:" SUM_OF_16, OLD);
    expect(&r, 0, want, 17);
    r = good(ALL_WARPS("0xCC2") "csrrs t0, 0xCC3, zero; beq t0, zero, last; vx_tmc zero; last:" SUM_OF_16, IPDOM);
    expect(&r, 0, want, 17);
    r = good(ALL_WARPS("0xF14") "csrrs t0, 0xCC1, zero; beq t0, zero, last; vx_tmc zero; last:" SUM_OF_16, NEW);
    expect(&r, 0, want, 17);
}

/* A warp that is started again finds its registers; warps beyond the count end */
static void again(void **state) {
    static const u32 want[] = {77, 78};
    (void)state;
    struct rig r =
        good("addi t0, zero, 2; la t1, first; vx_wspawn t0, t1; addi t3, zero, 2; addi t2, zero, 1; vx_bar t2, t3;"
             "la t1, second; vx_wspawn t3, t1; vx_bar t2, t3; vx_tmc zero;"
             "first: addi s2, zero, 77; addi t3, zero, 2; addi t2, zero, 1; vx_bar t2, t3; end: jal zero, end;"
             "second: li a0, 0x80008000; sw s2, 0(a0); addi s2, s2, 1; sw s2, 4(a0); addi t3, zero, 2; addi t2, zero, 1; "
             "vx_bar t2, t3; vx_tmc zero",
             OLD);
    expect(&r, 0, want, 2);
}

/* --- v3's asynchronous barriers: warp 0 writes values and says so at barrier 1, warp 1 adds them up and says
 * that the place is free at barrier 2. Neither waits at its own arrival; warps 2 and 3 meet at barrier 3, one
 * by arrival, one by bar. Phases go on over eight rounds. */
static const char *const producer =
    "csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1; work: csrrs s1, 0xCC1, zero; li s2, 0x80008000; addi s3, zero, 8;"
    "addi a1, zero, 1; addi a2, zero, 2; addi a3, zero, 3; addi s4, zero, 0;"
    "beq s1, zero, gives; beq s1, a1, takes; beq s1, a2, meets;"
    "vx_bar a3, a2; vx_bar a3, a2; lw t0, 12(s2); sw t0, 16(s2); vx_tmc zero;"
    "meets: addi t0, zero, 77; sw t0, 12(s2); vx_bar_arrive t1, a3, a2; vx_bar_wait a3, t1; vx_bar_arrive t2, a3, a2;"
    "slli t2, t2, 4; or t1, t1, t2; sw t1, 8(s2); vx_tmc zero;"
    "gives: mul t0, s3, s3; sw t0, 0(s2); vx_bar_arrive s5, a1, a2; vx_bar_wait a1, s5;"
    "vx_bar_arrive s6, a2, a2; vx_bar_wait a2, s6; addi s3, s3, -1; bne s3, zero, gives; vx_tmc zero;"
    "takes: vx_bar_arrive s5, a1, a2; vx_bar_wait a1, s5; lw t0, 0(s2); add s4, s4, t0;"
    "vx_bar a2, a2; addi s3, s3, -1; bne s3, zero, takes; sw s4, 4(s2); vx_tmc zero";

static void asynchronous(void **state) {
    static const u32 want[] = {1, 204, 0x10, 77, 77};
    (void)state;
    struct rig r = good(producer, NEW);
    expect(&r, 0, want, 5);
    r = good(producer, (struct machine){RV_V3, RV_IPDOM, 1, 4, 4, NULL});
    expect(&r, 0, want, 5);
}

/* --- split and join, nested: out[lane] = lane < 2 ? (lane ? 20 : 10) : 30, plus 100 after the last join */
#define LANES_ON "addi t0, zero, -1; vx_tmc t0; csrrs s1, 0xCC0, zero;"
#define STORE_A0 "li t2, 0x80008000; slli t0, s1, 2; add t2, t2, t0; sw a0, 0(t2); vx_tmc zero"

static void splits(void **state) {
    static const u32 want[] = {110, 120, 130, 130};
    static const char old[] = LANES_ON "slti t0, s1, 2; vx_split t0; beq t0, zero, other;"
                                       "sltiu t1, s1, 1; vx_split t1; beq t1, zero, one; addi a0, zero, 10; jal zero, inner;"
                                       "one: addi a0, zero, 20; inner: vx_join; jal zero, outer;"
                                       "other: addi a0, zero, 30; outer: vx_join; addi a0, a0, 100;" STORE_A0;
    static const char new[] = LANES_ON "slti t0, s1, 2; vx_split s6, t0; beq t0, zero, other;"
                                       "sltiu t1, s1, 1; vx_split s7, t1; beq t1, zero, one; addi a0, zero, 10; jal zero, inner;"
                                       "one: addi a0, zero, 20; inner: vx_join s7; jal zero, outer;"
                                       "other: addi a0, zero, 30; outer: vx_join s6; addi a0, a0, 100;" STORE_A0;
    (void)state;
    struct rig r = good(old, OLD);
    expect(&r, 0, want, 4);
    r = good(old, IPDOM);
    expect(&r, 0, want, 4);
    r = good(new, NEW);
    expect(&r, 0, want, 4);
}

/* Without split the leading lane decides for all: 2021 the lowest, v3 the highest; ipdom asks each */
static void without_split(void **state) {
    static const char text[] = LANES_ON "addi a0, zero, 1; bne s1, zero, over; addi a0, zero, 2; over:" STORE_A0;
    static const u32 low[] = {2, 2, 2, 2}, high[] = {1, 1, 1, 1}, each[] = {2, 1, 1, 1};
    (void)state;
    struct rig r = good(text, OLD);
    expect(&r, 0, low, 4);
    r = good(text, NEW);
    expect(&r, 0, high, 4);
    r = good(text, IPDOM);
    expect(&r, 0, each, 4);
}

/* A split whose lanes agree pushes all the same in 2021, and nothing in v3 */
static void uniform_split(void **state) {
    static const u32 want[] = {5, 5, 5, 5};
    (void)state;
    struct rig r = good(LANES_ON "addi a0, zero, 4; addi t0, zero, 1; vx_split t0; vx_join; addi a0, a0, 1;" STORE_A0, OLD);
    expect(&r, 0, want, 4);
    r = good(LANES_ON "addi a0, zero, 4; addi t0, zero, 1; vx_split s6, t0; vx_join s6; addi a0, a0, 1;" STORE_A0, NEW);
    expect(&r, 0, want, 4);
}

/* v3: the smaller side goes first, and a negated predicate is the other side */
static void order_of_sides(void **state) {
    static const u32 want[] = {2, 2, 2, 1};
    /* each side counts up when it runs: the one lane of the smaller side first */
    static const char split[] = LANES_ON "li a1, 0x80008100; slti t0, s1, 3; vx_split s6, t0; lw a0, 0(a1); addi a0, a0, 1; "
                                         "sw a0, 0(a1); vx_join s6;" STORE_A0;
    static const char negated[] =
        LANES_ON "li a1, 0x80008100; slti t0, s1, 3; xori t0, t0, 1; vx_split_n s6, t0; .word 0x0005a503;"
                 "addi a0, a0, 1; sw a0, 0(a1); vx_join s6;" STORE_A0;
    (void)state;
    struct rig r = good(split, NEW);
    expect(&r, 0, want, 4);
    r = good(negated, NEW);
    expect(&r, 0, want, 4);
}

/* --- loops of different length: lane l turns l + 1 times */
static void loops(void **state) {
    static const u32 want[] = {1, 2, 3, 4};
    (void)state;
    struct rig r = good(LANES_ON "addi a0, zero, 0; csrrs s4, 0xCC4, zero;"
                                 "turn: addi a0, a0, 1; slt t0, a0, s1; xori t1, s1, 0; sltu t0, s1, a0; xori t0, t0, 1;"
                                 ".word 0x0012806b;" /* pred t0 */
                                 "bne t0, zero, turn; vx_tmc s4;" STORE_A0,
                        OLD);
    expect(&r, 0, want, 4);
    r = good(LANES_ON "addi a0, zero, 0; csrrs s4, 0xCC4, zero;"
                      "turn: addi a0, a0, 1; sltu t0, s1, a0; xori t0, t0, 1; vx_pred t0, s4; bne t0, zero, turn;" STORE_A0,
             NEW);
    expect(&r, 0, want, 4);
    r = good(LANES_ON "addi a0, zero, 0; turn: addi a0, a0, 1; bge s1, a0, turn;" STORE_A0, IPDOM);
    expect(&r, 0, want, 4);
}

/* Functions that return from several places, called through pointers that differ by lane: lanes come back
 * together */
static void calls(void **state) {
    static const u32 want[] = {11, 21, 12, 22};
    (void)state;
    struct rig r = good(
        LANES_ON
        "andi t0, s1, 1; la t1, even; la t2, odd; beq t0, zero, go; addi t1, t2, 0; go: jalr ra, 0(t1);"
        "addi a0, a0, 1; csrrs t5, 0xCC4, zero;" STORE_A0 ";"
        "even: slti t3, s1, 2; bne t3, zero, ten; addi a0, zero, 11; jalr zero, 0(ra); ten: addi a0, zero, 10; jalr zero, 0(ra);"
        "odd: slti t3, s1, 2; bne t3, zero, twenty; addi a0, zero, 21; jalr zero, 0(ra); twenty: addi a0, zero, 20; jalr zero, "
        "0(ra)",
        IPDOM);
    expect(&r, 0, want, 4);
}

/* A start-up switches its lanes on inside a function, where they have no return address of their own: they go
 * back with the lane that called. At exit it reads all 64 counters, those that nothing counts too, and leaves
 * them in the memory above the stacks */
static void start_up(void **state) {
    static const u32 want[] = {20, 21, 22, 23};
    static const char text[] =
        "jal ra, all; csrrs s1, 0xCC0, zero; addi a0, s1, 20; csrrs t0, 0xB01, zero; csrrs t1, 0xB9F, zero;"
        "li t2, 0xFF000000; csrrs t3, 0xCC1, zero; slli t3, t3, 8; add t2, t2, t3; sw a0, 252(t2);"
        "lw a0, 252(t2); add a0, a0, t0; add a0, a0, t1;" STORE_A0 ";"
        "all: addi t0, zero, -1; vx_tmc t0; jalr zero, 0(ra)";
    (void)state;
    struct rig r = good(text, OLD);
    expect(&r, 0, want, 4);
    r = good(text, IPDOM);
    expect(&r, 0, want, 4);
}

/* Lanes that are switched on inside a function call others from there and come back to it, twice and one
 * inside the other; from the function itself they still return with the lane that called it */
static void guests_call(void **state) {
    static const u32 want[] = {33, 34, 35, 36};
    static const char text[] =
        "addi s2, zero, 0; jal ra, all; csrrs s1, 0xCC0, zero; add a0, s1, s2;" STORE_A0 ";"
        "all: addi s3, ra, 0; addi t0, zero, -1; vx_tmc t0; addi s2, zero, 0; jal ra, outer; jal ra, inner; "
        "addi ra, s3, 0; jalr zero, 0(ra);"
        "outer: addi s4, ra, 0; addi s2, s2, 2; jal ra, inner; addi s2, s2, 1; addi ra, s4, 0; jalr zero, 0(ra);"
        "inner: addi s2, s2, 15; jalr zero, 0(ra)";
    (void)state;
    struct rig r = good(text, OLD);
    expect(&r, 0, want, 4);
    r = good(text, IPDOM);
    expect(&r, 0, want, 4);
}

/* --- votes and shuffles */
static void votes(void **state) {
    static const struct {
        const char *text;
        u32 want[4];
    } rows[] = {
        {"slti t0, s1, 2; vx_vote_all a0, t0;", {0, 0, 0, 0}},
        {"slti t0, s1, 9; vx_vote_all a0, t0;", {1, 1, 1, 1}},
        {"slti t0, s1, 1; vx_vote_any a0, t0;", {1, 1, 1, 1}},
        {"slti t0, s1, 0; vx_vote_any a0, t0;", {0, 0, 0, 0}},
        {"slti t0, s1, 2; vx_vote_uni a0, t0;", {0, 0, 0, 0}},
        {"slti t0, s1, 0; vx_vote_uni a0, t0;", {1, 1, 1, 1}},
        {"andi t0, s1, 1; vx_vote_ballot a0, t0;", {10, 10, 10, 10}},
        {"addi t1, s1, 50; addi t0, zero, 1; vx_shfl_up a0, t1, t0;", {50, 50, 51, 52}},
        {"addi t1, s1, 50; addi t0, zero, 193; vx_shfl_down a0, t1, t0;", {51, 52, 53, 53}},
        {"addi t1, s1, 50; addi t0, zero, 193; vx_shfl_bfly a0, t1, t0;", {51, 50, 53, 52}},
        {"addi t1, s1, 50; addi t0, zero, 194; vx_shfl_idx a0, t1, t0;", {52, 52, 52, 52}},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        char text[512];
        snprintf(text, sizeof(text), LANES_ON "%s" STORE_A0, rows[i].text);
        struct rig r = good(text, NEW);
        expect(&r, 0, rows[i].want, 4);
    }
}

/* --- memory */
static void atomics(void **state) {
    static const struct {
        const char *op;
        u32 want;
    } rows[] = {{"amoadd.w", 6 + 6}, {"amoswap.w", 3}, {"amoxor.w", 6},  {"amoor.w", 7},  {"amoand.w", 0},
                {"amomax.w", 6},     {"amomin.w", 0},  {"amomaxu.w", 6}, {"amominu.w", 0}};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        char text[512];
        snprintf(text, sizeof(text),
                 "li a1, 0x80008100; addi t0, zero, 6; sw t0, 0(a1);" LANES_ON
                 "li a1, 0x80008100; %s a0, s1, (a1); lw a0, 0(a1);" STORE_A0,
                 rows[i].op);
        struct rig r = good(text, OLD);
        assert_int_equal(r.mem[64], rows[i].want);
    }
    /* a counter with lr and sc: lanes that lose try again; each way to diverge */
    static const char text[] =
        LANES_ON "li a1, 0x80008100; again: lr.w t0, (a1); addi t0, t0, 1; sc.w t1, t0, (a1); bne t1, zero, again; vx_tmc zero";
    struct rig r = good(text, IPDOM);
    assert_int_equal(r.mem[64], 4);
    /* a store in between, even of the same value, breaks the reservation; sc without lr fails */
    r = good("li a1, 0x80008000; lr.w t0, (a1); sw t0, 0(a1); sc.w t1, t0, (a1); sw t1, 4(a1); sc.w t1, t0, (a1); sw t1, 8(a1);"
             "lr.w t0, (a1); addi t0, t0, 5; sc.w t1, t0, (a1); sw t1, 12(a1); vx_tmc zero",
             OLD);
    static const u32 want[] = {5, 1, 1, 0};
    expect(&r, 0, want, 4);
}

static void narrow(void **state) {
    static const u32 want[] = {0xFFFFFF80, 0x80, 0xFFFF8180, 0x8180, 0x83828180, 0x11228180};
    (void)state;
    struct rig r = good("li a1, 0x80008100; li t0, 0x83828180; sw t0, 0(a1); li a0, 0x80008000; lb t1, 0(a1); sw t1, 0(a0); lbu "
                        "t1, 0(a1); sw t1, 4(a0);"
                        "lh t1, 0(a1); sw t1, 8(a0); lhu t1, 0(a1); sw t1, 12(a0); lw t1, 0(a1); sw t1, 16(a0); sb t0, 0(a1); "
                        "addi t1, zero, 0x11; sb t1, 3(a1);"
                        "addi t1, zero, 0x22; sb t1, 2(a1); lw t1, 0(a1); sw t1, 20(a0); lw zero, 0(a1); vx_tmc zero",
                        OLD);
    expect(&r, 0, want, 6);
}

/* --- stacks are the core's own; console; counters; cores */
static void cores(void **state) {
    static const u32 want[] = {100, 101, 102};
    (void)state;
    struct rig r = good("csrrs t0, 0xCC5, zero; li sp, 0xFF000000; addi t1, t0, 100; sw t1, -4(sp); lw t2, -4(sp); li a0, "
                        "0x80008000; slli t0, t0, 2;"
                        "add a0, a0, t0; sw t2, 0(a0); vx_tmc zero",
                        (struct machine){RV_2021, RV_SPLIT, 3, 4, 4});
    expect(&r, 0, want, 3);
}

static void console(void **state) {
    (void)state;
    struct rig r = good("li a0, 0xFFFFFFC0; addi t0, zero, 79; sb t0, 0(a0); addi t0, zero, 75; sb t0, 0(a0); addi t1, zero, 66; "
                        "sb t1, 1(a0); addi t0, zero, 10;"
                        "sb t0, 0(a0); vx_tmc zero",
                        OLD);
    assert_string_equal(r.text, "OK\nB\n"); /* what has no newline comes at the end */
    r = good("addi a0, zero, 0x40; addi t0, zero, 79; sb t0, 0(a0); addi t0, zero, 10; sb t0, 0(a0); vx_tmc zero", NEW);
    assert_string_equal(r.text, "O\n");
}

static void counters(void **state) {
    (void)state;
    static const char text[] =
        "csrrs t0, 0xB02, zero; addi t2, zero, 0; csrrs t1, 0xB02, zero; sub t1, t1, t0; li a0, 0x80008000; sw t1, "
        "0(a0); " LANES_ON "csrrs t0, 0xB02, zero; addi t2, zero, 0; addi t2, zero, 0; csrrs t1, 0xB02, zero; sub a0, t1, t0; "
        "csrrs t3, 0xB00, zero; csrrs t4, 0xB80, zero;"
        "li t2, 0x80008010; slli t5, s1, 3; add t2, t2, t5; sw a0, 0(t2); sw t4, 4(t2); vx_tmc zero";
    struct rig r = good(text, OLD); /* of threads */
    assert_int_equal(r.mem[0], 2);
    assert_int_equal(r.mem[4], 12);
    assert_int_equal(r.mem[5], 0);
    r = good(text, NEW); /* of warps */
    assert_int_equal(r.mem[4], 3);
}

static void csrs(void **state) {
    static const u32 want[] = {4, 4, 2, 15, 5, 0xA5, 0x2A, 9, 0x40001121, 1};
    (void)state;
    struct rig r = good(
        "li a0, 0x80008000; csrrs t0, 0xFC0, zero; sw t0, 0(a0); csrrs t0, 0xFC1, zero; sw t0, 4(a0); csrrs t0, 0xFC2, zero; sw "
        "t0, 8(a0);"
        "addi t1, zero, 15; vx_tmc t1; csrrs t0, 0xCC4, zero; addi t1, zero, 1; vx_tmc t1; sw t0, 12(a0); csrrwi zero, 1, 5; "
        "csrrs t0, 1, zero; sw t0, 16(a0);"
        "csrrwi zero, 2, 5; csrrs t0, 3, zero; sw t0, 20(a0); addi t0, zero, 0x2A; csrrw zero, 0x340, t0; csrrs t0, 0x340, zero; "
        "sw t0, 24(a0);"
        "csrrwi zero, 0x340, 1; csrrsi zero, 0x340, 12; csrrci zero, 0x340, 4; csrrs t0, 0x340, zero; sw t0, 28(a0); csrrs t0, "
        "0x301, zero; sw t0, 32(a0);"
        "addi t0, zero, 1; sw t0, 36(a0); fence; wfi; vx_prefetch a0; vx_tmc zero",
        (struct machine){RV_2021, RV_SPLIT, 2, 4, 4});
    expect(&r, 0, want, 10);
}

/* Lanes that a table of targets parts, as a compiler makes one of a switch, meet behind it: what switches
 * lanes there is for all of them, once */
static void tables(void **state) {
    static const u32 want[] = {10, 20, 30, 40};
    (void)state;
    struct rig r = good(LANES_ON "la t1, cases; slli t2, s1, 3; add t1, t1, t2; jalr zero, 0(t1);"
                                 "cases: addi s2, zero, 10; jal zero, on; addi s2, zero, 20; jal zero, on;"
                                 "addi s2, zero, 30; jal zero, on; addi s2, zero, 40; jal zero, on;"
                                 "on: li a0, 0x80008000; slli t0, s1, 2; add t0, t0, a0; sw s2, 0(t0); addi t1, zero, 1;"
                                 "vx_tmc t1; lw t2, 64(a0); addi t2, t2, 1; sw t2, 64(a0); vx_tmc zero",
                        IPDOM);
    expect(&r, 0, want, 4);
    assert_int_equal(r.mem[16], 1);
}

/* Lanes that call different functions meet behind the call, however long those take */
static void calls_apart(void **state) {
    static const u32 want[] = {10, 21, 10, 21};
    (void)state;
    struct rig r =
        good(LANES_ON "la t1, one; andi t2, s1, 1; slli t2, t2, 3; add t1, t1, t2; jalr ra, 0(t1);"
                      "li a0, 0x80008000; slli t0, s1, 2; add t0, t0, a0; sw s2, 0(t0); addi t1, zero, 1;"
                      "vx_tmc t1; lw t2, 64(a0); addi t2, t2, 1; sw t2, 64(a0); vx_tmc zero;"
                      "one: addi s2, zero, 10; jalr zero, 0(ra); two: addi s2, zero, 20; addi s2, s2, 1; jalr zero, 0(ra)",
             IPDOM);
    expect(&r, 0, want, 4);
    assert_int_equal(r.mem[16], 1);
}

/* Prefetch as October writes it, and December: a load that nothing waits for, and that nothing can make
 * fault */
static u64 load_after(const char *what, enum how how) {
    char text[512];
    snprintf(text, sizeof(text),
             "li s0, 0x80010000; %s; addi t0, zero, 400; wait: addi t0, t0, -1; bne t0, zero, wait; csrrs t1, 0xB00, zero;"
             "lw t2, 0(s0); addi t2, t2, 0; csrrs t3, 0xB00, zero; sub t3, t3, t1; li a0, 0x80008000; sw t3, 0(a0); vx_tmc zero",
             what);
    struct rig r = play(text, OLD, how);
    if (r.rc || r.violations) fail_msg("%s: %s%s", what, r.message, r.audit);
    return r.mem[0];
}

static void prefetches(void **state) {
    (void)state;
    for (enum how how = TIMED; how <= IMPROVED; how++) {
        u64 cold = load_after("addi zero, zero, 0", how), october = load_after(".word 0x0004606B", how);
        assert_true(october + 20 < cold);
        assert_int_equal(load_after(".word 0x0004506B", how), october);
    }
    good(LANES_ON "csrrs t0, 0xCC0, zero; slli t0, t0, 28; li s0, 0x80008001; add s0, s0, t0; .word 0x0004606B; .word 0x0004506B;"
                  "li s0, 0x40000000; .word 0x0004606B; addi s0, zero, 0; .word 0x0004506B; li s0, 0xFEFFFF02; .word 0x0004606B;"
                  "li s0, 0xFFFFFFC3; .word 0x0004506B; vx_tmc zero",
         OLD);
}

/* Lanes 1 and 2 add to a line that lane 1 reads before and after: it goes past the ports, thread 0's too */
static void atomics_have_no_port(void **state) {
    static const u32 want[] = {3, 5, 7};
    (void)state;
    struct rig r =
        good("addi t0, zero, 6; vx_tmc t0; csrrs s1, 0xCC0, zero; li a1, 0x80008000; slli t1, s1, 2; add t1, t1, a1;"
             "sw s1, 0(t1); addi t2, zero, 3; lw t3, 0(t1); amoadd.w zero, t2, (a1); amoadd.w t3, t2, (t1); lw t4, 0(t1);"
             "add t4, t4, t3; sw t4, 0(t1); addi t0, zero, 2; vx_tmc t0; li t0, 3; sw t0, 0(a1); vx_tmc zero",
             OLD);
    expect(&r, 0, want, 3);
}

/* mret goes to mepc; fence.i runs what was written into the text; ecall ends the core */
static void system_instructions(void **state) {
    static const u32 want[] = {7, 9};
    static const char text[] =
        "la t0, there; csrrw zero, 0x341, t0; mret; ebreak; there: la t0, patch; li t1, 0x00900513; sw t1, "
        "0(t0); li a1, 0x80008000;"
        "addi a0, zero, 7; sw a0, 0(a1); fence.i; patch: ebreak; sw a0, 4(a1); addi gp, zero, 0; ecall; ebreak";
    (void)state;
    struct rig r = good(text, OLD);
    expect(&r, 0, want, 2);
}

/* --- what wrong programs are told */
static void faults(void **state) {
    static const struct {
        const char *text;
        struct machine m;
        const char *want;
    } rows[] = {
        {".word 0",
         {RV_2021, 0, 1, 4, 4},
         "illegal instruction 0x00000000\n  core 0, warp 0, lane 0\n  at p.bin: pc 0x80000000: .word 0x00000000"},
        {".word 0x00010001", {RV_2021, 0, 1, 4, 4}, "compressed instructions are not modelled"},
        {"vx_wsync", {RV_V3, 0, 1, 4, 4}, "runs past the end of its text at 0x80000004"},
        {"csrrs t0, 0x123, zero", {RV_2021, 0, 1, 4, 4}, "there is no CSR 0x123"},
        {".word 0xC0001073", {RV_2021, 0, 1, 4, 4}, "illegal instruction: CSR 0xc00 can only be read"},
        {"ebreak", {RV_2021, 0, 1, 4, 4}, "the program stopped itself (ebreak)"},
        {"lw t0, 0(zero)", {RV_2021, 0, 1, 4, 4}, "load of 4 bytes at global address 0x0, a null pointer"},
        {"addi t0, zero, 2; jalr zero, 0(t0)", {RV_2021, 0, 1, 4, 4}, "jump to 0x2, which is not a multiple of 4"},
        {"jalr zero, 0(zero)",
         {RV_2021, 0, 1, 4, 4},
         "jump to 0x0, outside of the program's text (0x80000000 to 0x80000004): a null pointer"},
        {"addi t0, zero, -1; vx_tmc t0; jal ra, f; vx_tmc zero;"
         "f: csrrs t0, 0xCC0, zero; beq t0, zero, back; slli ra, t0, 12; back: jalr zero, 0(ra)",
         {RV_2021, RV_IPDOM, 1, 4, 4},
         "jump to 0x1000, outside of the program's text (0x80000000 to 0x80000020)\n  core 0, warp 0, lane 1\n"
         "  at p.bin: pc 0x8000001c: jalr zero, 0(ra)"},
        {"jal zero, 0x80010000", {RV_2021, 0, 1, 4, 4}, "jump to 0x80010000, outside of the program's text"},
        {"beq zero, zero, 0x80000100", {RV_2021, 0, 1, 4, 4}, "jump to 0x80000100, outside of the program's text"},
        {"beq zero, zero, 0x80000100", {RV_2021, RV_IPDOM, 1, 4, 4}, "jump to 0x80000100, outside of the program's text"},
        {"li t0, 0x80008002; lw t0, 0(t0)", {RV_2021, 0, 1, 4, 4}, "0x80008002, which is not a multiple of 4"},
        {"li t0, 0x40000000; sw t0, 0(t0)",
         {RV_2021, 0, 1, 4, 4},
         "store of 4 bytes at global address 0x40000000, outside every allocation"},
        {"li t0, 0xFF010000; sw t0, 0(t0)", {RV_2021, 0, 1, 4, 4}, "store of 4 bytes at global address 0xff010000"},
        {"li sp, 0xFF000000; addi sp, sp, -1024; sw t0, -4(sp)",
         {RV_2021, 0, 1, 4, 4},
         "stack overrun: sp is 0xfefffc00 and the access at 0xfefffbfc, the thread's stack is 0xfefffc00 to 0xff000000 (1024 "
         "bytes)"},
        {"vx_join", {RV_2021, 0, 1, 4, 4}, "join without a split"},
        {"again: vx_split zero; jal zero, again", {RV_2021, 0, 1, 4, 4}, "split nests deeper than the 8 places"},
        {"addi t0, zero, 4; addi t1, zero, 1; vx_bar t0, t1", {RV_2021, 0, 1, 4, 4}, "bar 4: a core has barriers 0 to 3"},
        {"addi t0, zero, 0; addi t1, zero, 5; vx_bar t0, t1", {RV_2021, 0, 1, 4, 4}, "bar 0 waits for 5 warps; the core has 4"},
        {"addi t0, zero, 0; addi t1, zero, 2; vx_bar t0, t1",
         {RV_2021, 0, 1, 4, 4},
         "deadlock: no warp of the core can go on\n  core 0\n  warp 0, lanes 0x1: wait at barrier 0"},
        {"addi s0, zero, 2; la t1, on; vx_wspawn s0, t1; on: csrrs t0, 0xCC3, zero; addi t0, t0, 2; vx_bar zero, t0",
         {RV_2021, 0, 1, 4, 4},
         "and others wait there for "},
        {"addi s0, zero, 2; la t1, on; vx_wspawn s0, t1; on: csrrs t0, 0xCC3, zero; addi t1, zero, 2; vx_bar t0, t1",
         {RV_2021, 0, 1, 4, 4},
         "warp 0, lanes 0x1: wait at barrier 0"},
        {"addi t0, zero, 5; vx_wspawn t0, zero", {RV_2021, 0, 1, 4, 4}, "wspawn at 0x0, outside of the program's text"},
        {"addi t0, zero, 5; la t1, on; on: vx_wspawn t0, t1", {RV_2021, 0, 1, 4, 4}, "wspawn of 5 warps; the core has 4"},
        {"addi gp, zero, 3; ecall", {RV_2021, 0, 1, 4, 4}, "the program ended with status 3 (0x3)"},
        {"addi a7, zero, 93; addi a0, zero, 9; ecall", {RV_2021, 0, 1, 4, 4}, "the program ended with status 9"},
        {"li t0, 0x8348; addi t1, zero, 6; sw t1, 0(t0); vx_tmc zero", {RV_V3, 0, 1, 4, 4}, "the program ended with status 6"},
        {"csrrwi zero, 2, 7; .word 0x00007053", {RV_2021, 0, 1, 4, 4}, "the rounding mode in frm is 7"},
        {".word 0x00005053", {RV_2021, 0, 1, 4, 4}, "illegal instruction: its rounding mode is 5, which is none"},
        {"addi a1, zero, 99; vx_bar_arrive a0, a1, a2", {RV_V3, 0, 1, 4, 4}, "bar.arrive 99: a core has barriers 0 to 3"},
        {"vx_bar_arrive a0, zero, zero", {RV_V3, 0, 1, 4, 4}, "bar.arrive 0 waits for 0 warps; the core has 4"},
        {"li a2, 0x80000001; vx_bar_arrive a0, zero, a2", {RV_V3, 0, 1, 4, 4}, "bar.arrive 0 expects transactions (0x80000001)"},
        {"addi a1, zero, 4; vx_bar_wait a1, zero", {RV_V3, 0, 1, 4, 4}, "bar.wait 4: a core has barriers 0 to 3"},
        {"addi a1, zero, 1; addi a2, zero, 2; vx_bar_arrive a0, a1, a2; vx_bar_wait a1, a0",
         {RV_V3, 0, 1, 4, 4},
         "deadlock: no warp of the core can go on\n  core 0\n  warp 0, lanes 0x1: wait at barrier 1 (4 of 8 threads have come)"},
        {"on: jal zero, on",
         {RV_2021, 0, 1, 4, 4},
         "the limit of 1000000 warp instructions is reached (endless loop?)\n  core 0"},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct rig r = run(rows[i].text, rows[i].m);
        assert_int_equal(r.rc, HEDDLE_FAULT);
        if (!strstr(r.message, rows[i].want)) fail_msg("%s: %s", rows[i].text, r.message);
        if (strstr(rows[i].want, "the limit of")) continue; /* of instructions: without time only */
        for (enum how how = TIMED; how <= IMPROVED; how++) {
            r = play(rows[i].text, rows[i].m, how);
            assert_int_equal(r.rc, HEDDLE_FAULT);
            if (!strstr(r.message, rows[i].want)) fail_msg("timed (%d): %s: %s", how, rows[i].text, r.message);
        }
    }
}

/* --- one load or store after the other in memory, in the core's shared memory, and with lanes in both: each
 * instruction finds its place again whatever it found the last time */
static const char *const places = "addi t0, zero, -1; vx_tmc t0; csrrs t0, 0xCC0, zero; slli s0, t0, 2; andi s5, t0, 1;"
                                  "li s1, 0x80008200; li s2, 0xFEFFFF80; add s3, s1, s0; add s4, s2, s0; xor s4, s4, s3;"
                                  "li t1, 0x0103F507; addi t2, t0, 1; mul t1, t1, t2; addi s6, zero, 0; addi s7, zero, 4;"
                                  "li s1, 0x80008000; add s1, s1, s0;"
                                  "loop: srli t2, s6, 1; and t2, t2, s5; andi t3, s6, 1; xor t2, t2, t3; sub t2, zero, t2;"
                                  "and t2, t2, s4; xor a0, t2, s3; add a1, t1, s6;"
                                  "sw a1, 0(a0); lw a2, 0(a0); lh a3, 2(a0); lb a4, 3(a0); lbu a5, 1(a0); lhu a6, 0(a0);"
                                  "sb a1, 2(a0); sh a1, 0(a0); lw a7, 0(a0);"
                                  "add a2, a2, a3; add a2, a2, a4; add a2, a2, a5; add a2, a2, a6; add a2, a2, a7; sw a2, 0(s1);"
                                  "addi s1, s1, 64; addi s6, s6, 1; blt s6, s7, loop; vx_tmc zero";

static u32 place_sum(u32 lane, u32 round) {
    u32 v = 0x0103F507 * (lane + 1) + round, again = (v & 0xFF00FFFF) | (v & 255) << 16;
    return v + (u32)((i32)v >> 16) + (u32)((i32)v >> 24) + (v >> 8 & 255) + (v & 0xFFFF) + again;
}

static void lanes_find_their_places(void **state) {
    static const u32 lanes[] = {1, 4, 8, 16};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(lanes); i++) {
        struct rig r = good(places, (struct machine){RV_2021, RV_SPLIT, 1, 1, lanes[i]});
        for (u32 at = 0; at < 4 * lanes[i]; at++) {
            u32 lane = at % lanes[i], round = at / lanes[i], want = place_sum(lane, round);
            if (r.mem[16 * round + lane] != want)
                fail_msg("%u lanes, lane %u, round %u: 0x%x, expected 0x%x", lanes[i], lane, round, r.mem[16 * round + lane],
                         want);
        }
    }
}

/* Four words of one bank, then a load of the last of them by all lanes, which thread 0's port makes: behind
 * that port's own word alone, so that it passes the other ports' words (Aurud's front end issues them in
 * neighbouring cycles) */
static void one_port_for_all(void **state) {
    (void)state;
    struct rig r = good("li a1, 0x80008000; addi t0, zero, 7; sw t0, 12(a1);" LANES_ON
                        "li a1, 0x80008000; slli t0, s1, 2; add a2, a1, t0; addi s2, zero, 4;"
                        "again: lw t1, 0(a2); lw t2, 12(a1); addi s2, s2, -1; bne s2, zero, again;"
                        "add t1, t1, t2; sw t1, 64(a2); vx_tmc zero",
                        OLD);
    static const u32 want[] = {7, 7, 7, 14};
    expect(&r, 16, want, 4);
}

/* Warps that another one ends while the memory stage refuses their loads: these are issued again until they
 * are accepted, and the block ends */
static void ended_warps_replay(void **state) {
    (void)state;
    static const char *const keys[] = {"sm.hazard=replay sm.l1.mshrs=1", "sm.hazard=retain sm.l1.mshrs=1", "sm.l1.mshrs=1"};
    const char *text = "addi t0, zero, 4; la t1, work; vx_wspawn t0, t1; addi t0, zero, 30; wait: addi t0, t0, -1;"
                       "bge t0, zero, wait; addi t0, zero, ENDED; la t1, last; vx_wspawn t0, t1; addi t0, zero, 7;"
                       "li s5, 0x80008000; sw t0, 0(s5); vx_tmc zero; work: addi t0, zero, -1; vx_tmc t0;"
                       "csrrs s1, 0xCC2, zero; slli s1, s1, 9; li s5, 0x80009000; add s5, s5, s1; again: lw t0, 0(s5);"
                       "addi s5, s5, 128; jal zero, again; last: csrrs s1, 0xCC3, zero; slli s1, s1, 2;"
                       "li s5, 0x80008000; add s5, s5, s1; sw s1, 0(s5); vx_tmc zero;";
    for (u32 left = 1; left <= 3; left++) { /* of the four, that go on or are started again */
        char program[1024];
        const char *at = strstr(text, "ENDED");
        snprintf(program, sizeof(program), "%.*s%u%s", (int)(at - text), text, left, at + 5);
        for (u32 i = 0; i < ARRAY_LEN(keys); i++) {
            struct machine m = {RV_2021, RV_IPDOM, 1, 4, 4, i % 2 ? "frontier" : "pdom", keys[i]};
            struct rig r = play(program, m, TIMED);
            if (r.rc || r.violations) fail_msg("%u, %s: %s%s", left, keys[i], r.message, r.audit);
            expect(&r, 0, (u32[]){7, left > 1 ? 4 : 0, left > 2 ? 8 : 0, 0}, 4);
        }
    }
}

/* Units of the pipeline work on what warps that have ended left in them. A warp is not over before its last
 * tmc has left its unit, and what it left in other units does not make it one that drains again. */
static void ended_warps_leave_work(void **state) {
    static const char *const keys[] = {NULL, "sm.class.idiv.interval_cy=90", "sm.class.int.interval_cy=20",
                                       "sm.class.warp.interval_cy=5", "sm.class.warp.interval_cy=20"};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(keys); i++) {
        struct machine m = {RV_2021, RV_IPDOM, 1, 4, 4, NULL, keys[i]};
        struct rig r = play("csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1; work: addi t0, zero, -1; vx_tmc t0;"
                            "divu t3, t0, t0; divu t4, t0, t0; divu t5, t0, t0; divu t6, t0, t0; vx_tmc zero",
                            m, PIPELINE);
        if (r.rc || r.violations) fail_msg("%s: %s%s", keys[i] ? keys[i] : "vortex2021", r.message, r.audit);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ended_warps_replay),
        cmocka_unit_test(ended_warps_leave_work),
        cmocka_unit_test(known_words),
        cmocka_unit_test(rows_are_apart),
        cmocka_unit_test(warps),
        cmocka_unit_test(again),
        cmocka_unit_test(asynchronous),
        cmocka_unit_test(splits),
        cmocka_unit_test(without_split),
        cmocka_unit_test(uniform_split),
        cmocka_unit_test(order_of_sides),
        cmocka_unit_test(loops),
        cmocka_unit_test(calls),
        cmocka_unit_test(start_up),
        cmocka_unit_test(guests_call),
        cmocka_unit_test(votes),
        cmocka_unit_test(atomics),
        cmocka_unit_test(atomics_have_no_port),
        cmocka_unit_test(narrow),
        cmocka_unit_test(cores),
        cmocka_unit_test(console),
        cmocka_unit_test(counters),
        cmocka_unit_test(csrs),
        cmocka_unit_test(prefetches),
        cmocka_unit_test(tables),
        cmocka_unit_test(calls_apart),
        cmocka_unit_test(system_instructions),
        cmocka_unit_test(faults),
        cmocka_unit_test(one_port_for_all),
        cmocka_unit_test(lanes_find_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
