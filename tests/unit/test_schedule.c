/* The order of instructions in a block (schedule.c): what moves and what must not, on small blocks whose
 * order is compared word by word; then random programs, which must leave the same memory in both orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flow_random.h"
#include "heddle.h"

#define HEAD                                                                                                                     \
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 8 .b8 var[64];\n.const .align 8 .b8 tab[64];\n"               \
    ".func f(.param .b32 x) { ret; }\n"                                                                                          \
    ".visible .entry k(.param .u64 out)\n{\n"                                                                                    \
    ".reg .pred %p<8>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<16>;\n.shared .align 16 .b8 sm[8192];\n"

/* --- orders */

static struct strbuf lowered; /* of the last order() */
static u32 registers_of_last;

/* The instructions of `body` in the order they got, separated by "; " */
static const char *order(const char *body, u32 registers) {
    struct strbuf text = {0};
    struct diag dg = {0};
    struct arena arena = {0};
    struct ptx_schedule how = {registers, 1, 20, 20, 200};
    strbuf_add(&text, "%s%s ret;\n}\n", HEAD, body);
    struct ptx_module *m = ptx_parse("test.ptx", text.s, text.len, &dg);
    assert_non_null(m);
    struct kernel *k = ptx_lower(m, ptx_find_func(m, "k"), &how, &arena, &dg);
    if (!k) fail_msg("%s", dg.text.s);
    strbuf_free(&lowered);
    for (i32 pc = 0; pc < k->funcs[0].exit_pc - 1; pc++)
        if (!(k->code[pc].flags & INST_PSEUDO)) strbuf_add(&lowered, "%s%s", pc ? "; " : "", k->code[pc].src->text);
    registers_of_last = k->regs_per_thread;
    arena_free(&arena);
    ptx_free(m);
    diag_free(&dg);
    strbuf_free(&text);
    return lowered.s;
}

/* Guards are no part of an instruction's text */
static void expect(const char *got, const char *expected) {
    char plain[1024];
    u32 n = 0;
    for (const char *at = expected; *at; at++) {
        if (*at == '@') at = strchr(at, ' ') + 1;
        plain[n++] = *at;
    }
    plain[n] = 0;
    assert_string_equal(got, plain);
}

#define MOVES(body, expected) expect(order(body ";", 64), expected)
#define STAYS(body)           MOVES(body, body)

static void loads_leave_their_uses(void **state) {
    (void)state;
    MOVES("ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; ld.global.u32 %r3, [%rd1+4]; add.u32 %r4, %r3, 1",
          "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r3, [%rd1+4]; add.u32 %r2, %r1, 1; add.u32 %r4, %r3, 1");
    /* what the second load's address needs goes before it, and nothing else */
    MOVES("ld.global.u32 %r1, [%rd1]; mul.lo.u32 %r9, %r8, %r8; add.u64 %rd2, %rd1, 64; ld.global.u32 %r3, [%rd2]",
          "ld.global.u32 %r1, [%rd1]; add.u64 %rd2, %rd1, 64; ld.global.u32 %r3, [%rd2]; mul.lo.u32 %r9, %r8, %r8");
    /* a load that waits for a load comes when that one has: independent work first */
    MOVES("ld.global.u64 %rd2, [%rd1]; ld.global.u32 %r3, [%rd2]; add.u32 %r4, %r3, 1; add.u32 %r6, %r5, 1",
          "ld.global.u64 %rd2, [%rd1]; add.u32 %r6, %r5, 1; ld.global.u32 %r3, [%rd2]; add.u32 %r4, %r3, 1");
    MOVES("ld.shared.u32 %r1, [%r2]; add.u32 %r3, %r1, 1; ld.const.u32 %r4, [tab]; ld.local.u32 %r5, [%r6]",
          "ld.shared.u32 %r1, [%r2]; ld.const.u32 %r4, [tab]; ld.local.u32 %r5, [%r6]; add.u32 %r3, %r1, 1");
}

static void registers_keep_their_meaning(void **state) {
    (void)state;
    /* write after read, write after write, read after write of the load's registers */
    STAYS("add.u32 %r2, %r1, 1; ld.global.u32 %r1, [%rd1]");
    STAYS("mov.u32 %r1, 5; ld.global.u32 %r1, [%rd1]; add.u32 %r3, %r1, 1");
    STAYS("add.u64 %rd1, %rd1, 4; ld.global.u32 %r1, [%rd1]; add.u64 %rd1, %rd1, 4; ld.global.u32 %r2, [%rd1]");
    MOVES("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd5], %r1; mov.u32 %r1, 7; mov.u32 %r2, %r1",
          "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd5], %r1; mov.u32 %r1, 7; mov.u32 %r2, %r1");
    /* guards are read, and a guarded write leaves lanes as they were */
    STAYS("setp.eq.u32 %p1, %r1, 0; @%p1 ld.global.u32 %r2, [%rd1]");
    STAYS("mov.u32 %r2, 9; @%p1 ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1");
    STAYS("@%p1 mov.u32 %r2, 9; @!%p1 ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, 1");
    MOVES("ld.global.u32 %r1, [%rd1]; add.u32 %r4, %r1, 1; @%p1 ld.global.u32 %r2, [%rd1+4]",
          "ld.global.u32 %r1, [%rd1]; @%p1 ld.global.u32 %r2, [%rd1+4]; add.u32 %r4, %r1, 1");
}

static void carries_stay_with_their_readers(void **state) {
    (void)state;
    const char *both = order("add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, %r6; addc.u32 %r7, %r8, %r9;"
                             "add.cc.u32 %r11, %r12, %r13; addc.u32 %r14, %r15, %r16; cvt.u64.u32 %rd1, %r14;"
                             "ld.global.u32 %r20, [%rd1];",
                             64);
    assert_string_equal(both,
                        "add.cc.u32 %r1, %r2, %r3; addc.cc.u32 %r4, %r5, %r6; addc.u32 %r7, %r8, %r9; add.cc.u32 %r11, %r12, "
                        "%r13; addc.u32 %r14, %r15, %r16; cvt.u64.u32 %rd1, %r14; ld.global.u32 %r20, [%rd1]");
    MOVES("add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, %r6; ld.global.u32 %r20, [%rd1]",
          "ld.global.u32 %r20, [%rd1]; add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, %r6");
}

static void stores_that_may_touch_it_come_first(void **state) {
    (void)state;
    STAYS("st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd2]");    /* another base: unknown */
    STAYS("st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd1]");    /* the same place */
    STAYS("st.global.u64 [%rd1], %rd3; ld.global.u32 %r2, [%rd1+4]"); /* its second half */
    STAYS("st.global.u32 [%rd1+2], %r1; ld.global.u32 %r2, [%rd1]");  /* two bytes of it */
    STAYS("st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; ld.global.u32 %r5, [%rd1+12]");
    STAYS("st.global.u32 [%rd1], %r1; add.u64 %rd1, %rd1, 4; ld.global.u32 %r2, [%rd1]"); /* the base has another value */
    STAYS("st.global.u32 [%rd1], %r1; sub.u64 %rd1, %rd1, 4; ld.global.u32 %r2, [%rd1+4]");
    STAYS("red.global.add.u32 [%rd1], 1; ld.global.u32 %r2, [64]"); /* bases of which nothing is known */
    STAYS("st.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd2]");         /* generic: any space */
    STAYS("st.u32 [%rd1], %r1; ld.shared.u32 %r2, [%r3]");
    STAYS("st.shared.u32 [%r3], %r1; ld.u32 %r2, [%rd1]");
    STAYS("st.shared.u32 [%r3], %r1; ld.shared.u32 %r2, [%r3+4]"); /* a neighbour's, perhaps */
    STAYS("st.global.u32 [var], %r1; ld.global.u32 %r2, [var+4]");
    MOVES("st.global.u32 [%rd1], %r1; ld.global.u32 %r2, [%rd1+4]", "ld.global.u32 %r2, [%rd1+4]; st.global.u32 [%rd1], %r1");
    MOVES("st.local.u32 [%r9], %r1; ld.local.u32 %r2, [%r9+4]", "ld.local.u32 %r2, [%r9+4]; st.local.u32 [%r9], %r1");
    MOVES("st.shared.u32 [%r3], %r1; ld.global.u32 %r2, [%rd2]", "ld.global.u32 %r2, [%rd2]; st.shared.u32 [%r3], %r1");
    MOVES("st.global.u32 [%rd1], %r1; ld.global.nc.u32 %r2, [%rd2]", "ld.global.nc.u32 %r2, [%rd2]; st.global.u32 [%rd1], %r1");
    MOVES("st.global.u32 [%rd1], %r1; ld.const.u32 %r2, [tab]", "ld.const.u32 %r2, [tab]; st.global.u32 [%rd1], %r1");
    MOVES("st.global.u32 [%rd1], %r1; ld.param.u64 %rd2, [out]", "ld.param.u64 %rd2, [out]; st.global.u32 [%rd1], %r1");
}

static void stores_stay_in_order(void **state) {
    (void)state;
    STAYS("st.global.u32 [%rd1], %r1; st.global.u32 [%rd2], %r2; st.global.u32 [%rd3], %r3");
    STAYS("ld.global.u32 %r9, [%rd4]; st.global.u32 [%rd1], %r9; st.global.u32 [%rd2], %r2; st.shared.u32 [%r7], %r9");
    /* a load may have left a store behind, but not the next that may touch it */
    STAYS("ld.global.u32 %r1, [%rd1+4]; st.global.u32 [%rd1], %r2; st.global.u32 [%rd3], %r2; st.global.u32 [%rd1+4], %r2");
}

static void some_instructions_hold_the_rest(void **state) {
    (void)state;
    static const char *const order_all[] = {"bar.sync 0",
                                            "bar.warp.sync -1",
                                            "membar.gl",
                                            "fence.acq_rel.gpu",
                                            "ld.volatile.global.u32 %r7, [%rd7]",
                                            "ld.relaxed.gpu.global.u32 %r7, [%rd7]",
                                            "ld.acquire.gpu.global.u32 %r7, [%rd7]",
                                            "st.volatile.shared.u32 [%r8], %r7",
                                            "st.release.gpu.global.u32 [%rd7], %r7",
                                            "atom.acq_rel.gpu.shared.add.u32 %r7, [%r8], 1",
                                            "mbarrier.arrive.shared.b64 %rd9, [%r8]",
                                            "mov.u32 %r7, %clock",
                                            "mov.u64 %rd9, %clock64",
                                            "mov.u64 %rd9, %globaltimer",
                                            "nanosleep.u32 20",
                                            "cp.async.wait_all"};
    for (u32 i = 0; i < ARRAY_LEN(order_all); i++) {
        char text[256];
        snprintf(text, sizeof(text), "%s; ld.global.u32 %%r2, [%%rd1]; ld.shared.u32 %%r3, [%%r4]", order_all[i]);
        char body[258];
        snprintf(body, sizeof(body), "%s;", text);
        assert_string_equal(order(body, 64), text);
    }
    /* nothing at all passes a clock or a call; arithmetic passes a barrier */
    STAYS("mov.u32 %r7, %clock; add.u32 %r2, %r1, 1; mov.u32 %r8, %clock; ld.global.u32 %r3, [%rd1]");
    MOVES("ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; bar.sync 0; ld.global.u32 %r3, [%rd1+4]",
          "ld.global.u32 %r1, [%rd1]; bar.sync 0; ld.global.u32 %r3, [%rd1+4]; add.u32 %r2, %r1, 1");
}

static void calls_hold_everything(void **state) {
    (void)state;
    const char *got =
        order("add.u32 %r1, %r2, 1; { .param .b32 a; st.param.b32 [a], %r1; call f, (a); } ld.global.u32 %r3, [%rd1];", 64);
    assert_string_equal(got, "add.u32 %r1, %r2, 1; st.param.b32 [a], %r1; call f, (a); ld.global.u32 %r3, [%rd1]");
}

static void atomics_hold_their_space(void **state) {
    (void)state;
    STAYS("atom.global.add.u32 %r1, [%rd1], 1; ld.global.u32 %r2, [%rd1+4]");
    STAYS("red.shared.add.u32 [%r1], 1; ld.shared.u32 %r2, [%r1+4]");
    STAYS("atom.add.u32 %r1, [%rd1], 1; ld.shared.u32 %r2, [%r3]");
    STAYS("atom.global.add.u32 %r1, [%rd1], 1; atom.global.add.u32 %r2, [%rd2], 1; red.global.add.u32 [%rd3], 1");
    MOVES("red.shared.add.u32 [%r1], 1; ld.global.u32 %r2, [%rd1]", "ld.global.u32 %r2, [%rd1]; red.shared.add.u32 [%r1], 1");
}

static void lanes_meet_in_order(void **state) {
    (void)state;
    MOVES("vote.sync.ballot.b32 %r1, %p1, -1; shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1; activemask.b32 %r4; cvt.u64.u32 %rd1, %r2; "
          "ld.global.u32 %r9, [%rd1]",
          "vote.sync.ballot.b32 %r1, %p1, -1; shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1; cvt.u64.u32 %rd1, %r2; ld.global.u32 %r9, "
          "[%rd1]; activemask.b32 %r4");
    STAYS("shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1; bar.sync 0; ld.global.u32 %r9, [%rd1]");
    MOVES("shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1; ld.global.u32 %r9, [%rd1]",
          "ld.global.u32 %r9, [%rd1]; shfl.sync.bfly.b32 %r2, %r3, 1, 31, -1");
}

static void what_a_branch_waits_for_comes_early(void **state) {
    (void)state;
    MOVES("$loop: add.f32 %f1, %f1, %f2; mul.f32 %f3, %f1, %f2; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra $loop",
          "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; add.f32 %f1, %f1, %f2; mul.f32 %f3, %f1, %f2; bra $loop");
}

static void nothing_leaves_its_block(void **state) {
    (void)state;
    const char *got =
        order("@%p1 bra $a; add.u32 %r1, %r1, 1; $a: ld.global.u32 %r2, [%rd1]; @%p2 bra $b; ld.global.u32 %r3, [%rd2]; $b:", 64);
    assert_string_equal(got, "bra $a; add.u32 %r1, %r1, 1; ld.global.u32 %r2, [%rd1]; bra $b; ld.global.u32 %r3, [%rd2]");
}

/* 24 loads and stores: as many loads in a row as registers allow, and never more registers than that or than
 * the text needs. Values that only guarded writes touch are not live: counted, they would make the number of
 * registers negative. */
static void registers_bound_it(void **state) {
    (void)state;
    struct strbuf b = {0};
    for (u32 i = 0; i < 16; i++) strbuf_add(&b, "@%%p1 mov.u32 %%r%u, 1;", 30 + i);
    for (u32 i = 0; i < 24; i++)
        strbuf_add(&b, "ld.global.u32 %%r%u, [%%rd1+%u]; st.shared.u32 [%%r0+%u], %%r%u;", i + 1, 4 * i, 4 * i, i + 1);
    static const struct {
        u32 registers, ahead;
    } cases[] = {{64, 24}, {27, 24}, {16, 13}, {10, 7}, {1, 1}};
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        const char *got = order(b.s, cases[i].registers), *first = strstr(got, "st.shared");
        u32 ahead = 0;
        for (const char *at = got; (at = strstr(at, "ld.global")) && at < first; at++) ahead++;
        assert_int_equal(ahead, cases[i].ahead);
        assert_in_range(registers_of_last, 4, MAX(cases[i].registers, 4u) + 1); /* pairs leave gaps */
    }
    strbuf_free(&b);
}

/* --- random programs */

/* One instruction of a random program. Each thread has 256 bytes of global, shared and local memory of its
 * own (%rd1, %r40, %r41), so that programs have one meaning; sums by atomics are of all. */
static void random_inst(struct strbuf *b, u64 *seed) {
#define R(n) random_below(seed, n)
    static const char *const alu[] = {"add.u32",    "sub.u32",     "mul.lo.u32", "and.b32", "xor.b32",
                                      "add.cc.u32", "addc.cc.u32", "addc.u32",   "subc.u32"};
    static const char *const space[] = {"global", "shared", "local", ""};
    static const char *const base[] = {"%rd1", "%r40", "%r41", "%rd1"};
    u32 s = R(4), kind = R(24), at = 4 * R(12);
    if (R(5) == 0) strbuf_add(b, "@%s%%p%u ", R(2) ? "!" : "", R(4));
    const char *dot = s < 3 ? "." : "", *how = R(12) ? "" : ".volatile";
    if (kind < 8) strbuf_add(b, "%s %%r%u, %%r%u, %%r%u;\n", alu[R(ARRAY_LEN(alu))], R(24), R(24), R(24));
    else if (kind < 13) strbuf_add(b, "ld%s%s%s.u32 %%r%u, [%s+%u];\n", how, dot, space[s], R(24), base[s], at);
    else if (kind < 16) strbuf_add(b, "st%s%s%s.u32 [%s+%u], %%r%u;\n", how, dot, space[s], base[s], at, R(24));
    else if (kind < 17)
        strbuf_add(b, "ld%s%s.v2.u32 {%%r%u, %%r%u}, [%s+%u];\n", dot, space[s], R(12), 12 + R(12), base[s], at & ~7u);
    else if (kind < 18) strbuf_add(b, "st%s%s.u8 [%s+%u], %%r%u;\n", dot, space[s], base[s], at + R(4), R(24));
    else if (kind < 19) strbuf_add(b, "setp.lt.u32 %%p%u|%%p%u, %%r%u, %%r%u;\n", R(2), 2 + R(2), R(24), R(24));
    else if (kind < 20) strbuf_add(b, "selp.u32 %%r%u, %%r%u, %%r%u, %%p%u;\n", R(24), R(24), R(24), R(4));
    else if (kind < 21)
        strbuf_add(b, "atom%s%s.add.u32 %%r%u, [%s+%u], %%r%u;\n", s == 2 ? ".global" : dot, s == 2 ? "" : space[s], R(24),
                   s == 2 ? "%rd1" : base[s], at, R(24));
    else if (kind < 22)
        strbuf_add(b, "mov.b64 %%rd%u, {%%r%u, %%r%u};\nmov.b64 {%%r%u, %%r%u}, %%rd%u;\n", 4 + R(2), R(24), R(24), R(12),
                   12 + R(12), 4 + R(2));
    else if (kind < 23)
        strbuf_add(b,
                   "add.u32 %%r42, %%r42, 0;\ncvt.u64.u32 %%rd6, %%r42;\nadd.u64 %%rd1, %%rd2, %%rd6;\nld.global.u32 %%r%u, "
                   "[%%rd1+%u];\n",
                   R(24), at);
    else strbuf_add(b, "red.global.add.u32 [%%rd3], %%r%u;\n", R(24));
}

static void random_text(struct strbuf *b, u64 seed) {
    static const char start[] =
        ".local .align 16 .b8 mine[256];\n"
        "ld.param.u64 %rd3, [out];\nmov.u32 %r43, %tid.x;\nshl.b32 %r42, %r43, 8;\nadd.u32 %r42, %r42, 64;\n"
        "cvt.u64.u32 %rd6, %r42;\nadd.u64 %rd2, %rd3, 0;\nadd.u64 %rd1, %rd2, %rd6;\nsub.u32 %r44, %r42, 64;\n"
        "mov.u32 %r40, sm;\nadd.u32 %r40, %r40, %r44;\nmov.u32 %r41, mine;\n";
    strbuf_add(b, "%s%s", HEAD, start);
    for (u32 i = 0; i < 24; i++) strbuf_add(b, "mad.lo.u32 %%r%u, %%r43, %u, %u;\n", i, 2 * i + 1, 77 * i);
    for (u32 i = 0; i < 4; i++) strbuf_add(b, "setp.gt.u32 %%p%u, %%r%u, 500;\n", i, 3 * i);
    u32 blocks = 1 + random_below(&seed, 4);
    for (u32 k = 0; k < blocks; k++) {
        if (k) strbuf_add(b, "@%%p%u bra $skip%u;\n", random_below(&seed, 4), k);
        for (u32 i = 0, n = 4 + random_below(&seed, 60); i < n; i++) random_inst(b, &seed);
        if (k) strbuf_add(b, "$skip%u:\n", k);
        if (random_below(&seed, 3) == 0) strbuf_add(b, "bar.sync 0;\n");
    }
    for (u32 i = 0; i < 24; i++) strbuf_add(b, "st.global.u32 [%%rd1+%u], %%r%u;\n", 64 + 4 * i, i);
    for (u32 i = 0; i < 24; i++)
        strbuf_add(
            b, "ld.shared.u32 %%r0, [%%r40+%u];\nld.local.u32 %%r1, [%%r41+%u];\nst.global.v2.u32 [%%rd1+%u], {%%r0, %%r1};\n",
            4 * (i % 12), 4 * (i % 12), 160 + 8 * (i % 12));
    strbuf_add(b, "ret;\n}\n");
}

static u64 memory_after(const char *text, const char *schedule, const char *registers) {
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    struct heddle_result r;
    assert_int_equal(heddle_set_machine(h, "small"), HEDDLE_OK);
    assert_int_equal(heddle_set_key(h, "ptx.schedule", schedule), HEDDLE_OK);
    assert_int_equal(heddle_set_key(h, "ptx.schedule.registers", registers), HEDDLE_OK);
    assert_int_equal(heddle_set_key(h, "gpu.perfect_memory", "true"), HEDDLE_OK);
    if (heddle_module_load(h, "random.ptx", text, strlen(text), &m)) fail_msg("%s\n%s", heddle_message(h), text);
    u64 out = heddle_alloc(h, 64 + 32 * 256 + 256);
    struct heddle_arg arg = {&out, sizeof(out)};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = &arg, .nargs = 1};
    if (heddle_launch(h, heddle_module_kernel(m, "k"), &l, &r)) fail_msg("%s\n%s", heddle_message(h), text);
    u64 hash = heddle_memory_hash(h);
    heddle_close(h);
    return hash;
}

static void random_programs_mean_the_same(void **state) {
    (void)state;
    static const char *const bounds[] = {"1", "24", "48", "255"};
    for (u64 seed = 1; seed <= 240; seed++) {
        struct strbuf b = {0};
        random_text(&b, seed * 7919);
        u64 written = memory_after(b.s, "written", "0"), loads = memory_after(b.s, "loads", bounds[seed % ARRAY_LEN(bounds)]);
        if (written != loads) fail_msg("seed %llu differs:\n%s", (unsigned long long)seed, b.s);
        strbuf_free(&b);
    }
}

static int give_back(void **state) {
    (void)state;
    strbuf_free(&lowered);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_leave_their_uses),
        cmocka_unit_test(registers_keep_their_meaning),
        cmocka_unit_test(carries_stay_with_their_readers),
        cmocka_unit_test(stores_that_may_touch_it_come_first),
        cmocka_unit_test(stores_stay_in_order),
        cmocka_unit_test(some_instructions_hold_the_rest),
        cmocka_unit_test(calls_hold_everything),
        cmocka_unit_test(atomics_hold_their_space),
        cmocka_unit_test(lanes_meet_in_order),
        cmocka_unit_test(what_a_branch_waits_for_comes_early),
        cmocka_unit_test(nothing_leaves_its_block),
        cmocka_unit_test(registers_bound_it),
        cmocka_unit_test(random_programs_mean_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, give_back);
}
