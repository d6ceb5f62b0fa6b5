/* flow: random programs whose threads part and meet, and what each thread makes of them, for tests that hold
 * the core against it. A program is a list of lines: blocks that go on to one of two others, by bits of a
 * number that each thread has of its own. Where branches meet is found by taking lines away. */
#ifndef HEDDLE_TEST_FLOW_H
#define HEDDLE_TEST_FLOW_H

#include "micro.h"

enum { MOST_BLOCKS = 24, MOST = 320 };

enum kind { OP, BRANCH, JUMP, END };
struct line {
    enum kind kind;
    u32 block, to; /* its block; where it goes */
    u32 meets;     /* of a branch: the first line that all ways from there come through */
    u32 calls;     /* the number of a function, from 1; 0: none */
    i32 pc;
    char text[64];
};
static struct program {
    u32 n, blocks; /* lines; blocks but for the one at the end, which keeps the result */
    u32 start[MOST_BLOCKS + 1], mul[MOST_BLOCKS], add[MOST_BLOCKS], shift[MOST_BLOCKS], mask[MOST_BLOCKS];
    bool calls; /* blocks call functions; to be set before it is made */
    struct line at[MOST];
} prog;

/* Functions for programs that call: one of pairs and a loop, one of words with two ways out, and one that
 * calls either */
#define FLOW_FUNCTIONS                                                                                                           \
    ".func (.param .b32 r) f1(.param .b32 x)\n{\n.reg .pred %p;\n.reg .b32 %v, %n;\n.reg .b64 %q<3>;\nld.param.b32 %v, [x];\n"   \
    "cvt.u64.u32 %q0, %v;\nmad.lo.u64 %q1, %q0, 4294967299, 5;\nmul.lo.u64 %q2, %q1, %q0;\nand.b32 %n, %v, 3;\n"                 \
    "$top:\nsetp.eq.u32 %p, %n, 0;\n@%p bra $end;\nmad.lo.u64 %q1, %q1, 6364136223846793005, %q2;\nsub.u32 %n, %n, 1;\n"         \
    "bra $top;\n$end:\nshr.u64 %q1, %q1, 29;\nxor.b64 %q1, %q1, %q2;\ncvt.u32.u64 %v, %q1;\nst.param.b32 [r], %v;\nret;\n}\n"    \
    ".func (.param .b32 r) f2(.param .b32 x)\n{\n.reg .pred %p;\n.reg .b32 %v, %w<6>;\nld.param.b32 %v, [x];\n"                  \
    "mul.lo.u32 %w0, %v, 3;\nmul.lo.u32 %w1, %v, 5;\nmul.lo.u32 %w2, %v, 7;\nmul.lo.u32 %w3, %v, 9;\nmul.lo.u32 %w4, %v, 11;\n"  \
    "mul.lo.u32 %w5, %v, 13;\nshr.u32 %v, %v, 4;\nand.b32 %v, %v, 1;\nsetp.eq.u32 %p, %v, 0;\nxor.b32 %w0, %w0, %w3;\n"          \
    "xor.b32 %w1, %w1, %w4;\nxor.b32 %w2, %w2, %w5;\n@%p bra $sum;\nxor.b32 %w0, %w0, %w1;\nxor.b32 %w0, %w0, %w2;\n"            \
    "st.param.b32 [r], %w0;\nret;\n$sum:\nadd.u32 %w0, %w0, %w1;\nadd.u32 %w0, %w0, %w2;\nst.param.b32 [r], %w0;\nret;\n}\n"     \
    ".func (.param .b32 r) f3(.param .b32 x)\n{\n.reg .pred %p;\n.reg .b32 %v, %w;\n.reg .b64 %q;\nld.param.b32 %v, [x];\n"      \
    "cvt.u64.u32 %q, %v;\nmad.lo.u64 %q, %q, 4294967297, 7;\nand.b32 %w, %v, 8;\nsetp.eq.u32 %p, %w, 0;\nadd.u32 %v, %v, 1;\n"   \
    "@%p bra $words;\ncall (%v), f1, (%v);\nbra $end;\n$words:\ncall (%v), f2, (%v);\n$end:\nshr.u64 %q, %q, 20;\n"              \
    "cvt.u32.u64 %w, %q;\nadd.u32 %v, %v, %w;\nst.param.b32 [r], %v;\nret;\n}\n"

static inline u32 function_of(u32 f, u32 x) {
    u64 wide = x * 4294967297ull + 7;
    if (f == 3) return function_of(x & 8 ? 1 : 2, x + 1) + (u32)(wide >> 20);
    if (f == 1) {
        u64 a = x * 4294967299ull + 5, b = a * x;
        for (u32 n = x & 3; n; n--) a = a * 6364136223846793005ull + b;
        return (u32)(a >> 29 ^ b);
    }
    u32 a = (x * 3) ^ (x * 9), b = (x * 5) ^ (x * 11), c = (x * 7) ^ (x * 13);
    return x >> 4 & 1 ? a ^ b ^ c : a + b + c;
}

static inline u32 below(u64 *seed, u32 n) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(*seed >> 33) % n;
}

static inline PRINTF_LIKE(4, 5) void put(enum kind kind, u32 block, u32 to, const char *fmt, ...) {
    struct line *x = &prog.at[prog.n++];
    va_list list;
    *x = (struct line){.kind = kind, .block = block, .to = to};
    va_start(list, fmt);
    vsnprintf(x->text, sizeof(x->text), fmt, list);
    va_end(list);
}

/* What a block does before it goes on: r1 is another number, r2 some bits of it, p1 says whether enough have
 * run. With loads it reads a word that is 0, of a line by its number. */
static inline void put_block(u64 *seed, u32 i, bool loads) {
    prog.start[i] = prog.n;
    prog.mul[i] = below(seed, 1000) * 2 + 1, prog.add[i] = below(seed, 1000), prog.shift[i] = 8 + below(seed, 16);
    prog.mask[i] = below(seed, 2) ? 1 : 3;
    put(OP, i, 0, "mad.lo.u32 %%r1, %%r1, %u, %u", prog.mul[i], prog.add[i]);
    put(OP, i, 0, "shr.u32 %%r2, %%r1, %u", prog.shift[i]);
    put(OP, i, 0, "and.b32 %%r2, %%r2, %u", prog.mask[i]);
    put(OP, i, 0, "add.u32 %%r3, %%r3, 1");
    put(OP, i, 0, "setp.gt.u32 %%p1, %%r3, 7");
    if (prog.calls) {
        u32 f = 1 + below(seed, 3);
        put(OP, i, 0, "call (%%r1), f%u, (%%r1)", f);
        prog.at[prog.n - 1].calls = f;
    }
    if (!loads) return;
    put(OP, i, 0, "and.b32 %%r4, %%r1, 16256");
    put(OP, i, 0, "cvt.u64.u32 %%rd2, %%r4");
    put(OP, i, 0, "add.u64 %%rd2, %%rd0, %%rd2");
    put(OP, i, 0, "ld.global.u32 %%r4, [%%rd2+65536]");
    put(OP, i, 0, "add.u32 %%r1, %%r1, %%r4");
}

static inline void end_program(void) {
    prog.start[prog.blocks] = prog.n;
    put(OP, prog.blocks, 0, "st.global.u32 [%%rd1], %%r1");
    put(END, prog.blocks, 0, "exit");
    for (u32 i = 0; i < prog.n; i++) prog.at[i].to = prog.start[prog.at[i].to];
}

/* Blocks go on anywhere, and out when enough have run; or forward, so that branches meet at many places, and
 * at the end back to the first */
static inline void make_program(u64 seed, bool forward, bool loads) {
    prog.n = 0, prog.blocks = 7;
    for (u32 i = 0; i < prog.blocks; i++) {
        put_block(&seed, i, loads);
        bool last = i == prog.blocks - 1;
        if (!forward || last) put(BRANCH, i, prog.blocks, "@%%p1 bra $b%u", prog.blocks);
        put(OP, i, 0, "setp.eq.u32 %%p2, %%r2, 0");
        u32 to = forward && !last ? i + 1 + below(&seed, prog.blocks - 1 - i) : below(&seed, prog.blocks);
        if (!forward || !last) put(BRANCH, i, to, "@%%p2 bra $b%u", to);
        to = forward ? 0 : below(&seed, prog.blocks);
        if (forward ? last : below(&seed, 3) == 0) put(JUMP, i, to, "bra $b%u", to);
    }
    end_program();
}

/* Branches inside each other: a block, its two sides, each of so many levels less, and a block where they
 * meet. Returns the number of the next block. */
static inline u32 put_nest(u64 *seed, u32 block, u32 levels, bool loads) {
    put_block(seed, block, loads && (!levels || below(seed, 3) == 0));
    if (!levels) return block + 1;
    u32 side = 1; /* blocks of a side */
    for (u32 i = 1; i < levels; i++) side = 2 * side + 2;
    u32 other = block + 1 + side, meets = other + side;
    put(OP, block, 0, "setp.eq.u32 %%p2, %%r2, 0");
    put(BRANCH, block, other, "@%%p2 bra $b%u", other);
    put_nest(seed, block + 1, levels - 1, loads);
    put(JUMP, other - 1, meets, "bra $b%u", meets);
    put_nest(seed, other, levels - 1, loads);
    put_block(seed, meets, false);
    return meets + 1;
}

/* The whole again and again, until enough has run */
static inline void make_nested(u64 seed, u32 levels, bool loads) {
    prog.n = 0;
    prog.blocks = put_nest(&seed, 0, levels, loads) + 1;
    prog.start[prog.blocks - 1] = prog.n;
    put(BRANCH, prog.blocks - 1, prog.blocks, "@%%p1 bra $b%u", prog.blocks);
    put(JUMP, prog.blocks - 1, 0, "bra $b0");
    end_program();
}

static inline const char *program_text(void) {
    struct strbuf b = {0};
    strbuf_add(&b, "%smul.lo.u32 %%r1, %%r0, 2654435761;\nmov.u32 %%r3, 0;\n", MINE);
    for (u32 i = 0; i < prog.n; i++) {
        if (prog.start[prog.at[i].block] == i) strbuf_add(&b, "$b%u:\n", prog.at[i].block);
        strbuf_add(&b, "%s; // L%u\n", prog.at[i].text, i);
    }
    const char *kept = text("%s", b.s);
    strbuf_free(&b);
    return kept;
}

struct thread {
    u32 r1, r2, r3;
};

static inline bool goes(const struct thread *t, const struct line *x) {
    return x->kind == JUMP || (x->kind == BRANCH && (x->to == prog.start[prog.blocks] ? t->r3 > 7 : t->r2 == 0));
}

static inline void calculate(struct thread *t, u32 line) {
    u32 b = prog.at[line].block;
    if (b == prog.blocks || prog.at[line].kind != OP) return;
    if (prog.at[line].calls) t->r1 = function_of(prog.at[line].calls, t->r1);
    switch (line - prog.start[b]) {
    case 0: t->r1 = t->r1 * prog.mul[b] + prog.add[b]; break;
    case 1: t->r2 = t->r1 >> prog.shift[b]; break;
    case 2: t->r2 &= prog.mask[b]; break;
    case 3: t->r3++; break;
    default: break;
    }
}

/* A thread by itself, from the first line to the last */
static inline u32 result_of(u32 number) {
    struct thread t = {.r1 = number * 2654435761u};
    for (u32 line = 0; prog.at[line].kind != END; line = goes(&t, &prog.at[line]) ? prog.at[line].to : line + 1)
        calculate(&t, line);
    return t.r1;
}

/* --- where branches meet */

/* A way leads from a line to the end that does not come through another */
static inline bool leads_past(u32 from, u32 past) {
    bool seen[MOST] = {0}, more = true;
    seen[from] = true;
    while (more) {
        more = false;
        for (u32 i = 0; i < prog.n; i++) {
            const struct line *x = &prog.at[i];
            if (!seen[i]) continue;
            if (x->kind == END) return true;
            u32 next[2] = {x->kind == JUMP ? x->to : i + 1, x->kind == OP ? i + 1 : x->to};
            for (u32 k = 0; k < 2; k++)
                if (next[k] != past && !seen[next[k]]) seen[next[k]] = more = true;
        }
    }
    return false;
}

/* All ways from a branch come through some lines: the nearest is the one from which all come through the
 * others */
static inline void find_meetings(void) {
    for (u32 i = 0; i < prog.n; i++) {
        u32 nearest = MOST;
        for (u32 k = 0; k < prog.n && prog.at[i].kind == BRANCH; k++)
            if (k != i && !leads_past(i, k) && (nearest == MOST || !leads_past(k, nearest))) nearest = k;
        prog.at[i].meets = nearest;
        prog.at[i].pc = pc_of(text("L%u", i));
    }
}

static inline u32 line_at(i32 pc) { /* prog.n: before the first */
    for (u32 i = 0; i < prog.n; i++)
        if (prog.at[i].pc == pc) return i;
    return prog.n;
}

#endif
