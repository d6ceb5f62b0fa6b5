/* Every RISC-V instruction that computes, against a model of its own (rv_model.h): each rounding mode,
 * special values with each other, results and flags.
 *
 * The programs are made here, word by word: a loop over a table of operands and results in memory, one
 * instruction under test in it. With several lanes, each has a case of its own, and the flags read after each
 * round are those of all. Where qemu-riscv32 is installed it runs the same loops, as Linux programs, and has
 * to agree. */
#include "api/api.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "rv_model.h"

/* --- instructions */
static u32 enc_i(u32 op, u32 f3, u32 rd, u32 rs1, i32 imm) { return op | rd << 7 | f3 << 12 | rs1 << 15 | (u32)imm << 20; }
static u32 enc_s(u32 op, u32 f3, u32 rs1, u32 rs2, i32 imm) {
    return op | ((u32)imm & 31) << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | ((u32)imm >> 5 & 127) << 25;
}
static u32 enc_b(u32 f3, u32 rs1, u32 rs2, i32 off) {
    u32 o = (u32)off;
    return 0x63 | (o >> 11 & 1) << 7 | (o >> 1 & 15) << 8 | f3 << 12 | rs1 << 15 | rs2 << 20 | (o >> 5 & 63) << 25 |
           (o >> 12 & 1) << 31;
}
enum { A = 11, B = 12, C = 13, D = 14, FLAGS = 15, AT = 5, END = 6, STRIDE = 7 }; /* registers, both files */
enum { CASE_B = 20 };                                                             /* a, b, c, result, flags */

struct kase {
    u32 a, b, c;
};
struct test {
    const char *name;
    u32 word;    /* rd = D, rs1 = A, rs2 = B, rs3 = C */
    bool fs, fd; /* floating sources, destination */
    u32 (*want)(const struct test *t, const struct kase *k, u32 *flags);
    int mode;
    int arg;
    const char *op;
};

static u32 enc_li(u32 *code, u32 rd, u32 v) {
    code[0] = 0x37 | rd << 7 | ((v + 0x800) & 0xFFFFF000);
    code[1] = enc_i(0x13, 0, rd, rd, (i32)(v << 20) >> 20);
    return 2;
}

/* From `loop` on AT goes over the table, by STRIDE */
static u32 loop_over(u32 *code, u32 n, const struct test *t) {
    u32 loop = n;
    for (u32 i = 0; i < 3; i++) code[n++] = enc_i(t->fs ? 0x07 : 0x03, 2, A + i, AT, (i32)(4 * i));
    code[n++] = enc_i(0x73, 5, 0, 0, 1); /* no flags */
    code[n++] = t->word;
    code[n++] = enc_i(0x73, 2, FLAGS, 0, 1);
    code[n++] = enc_s(t->fd ? 0x27 : 0x23, 2, AT, D, 12);
    code[n++] = enc_s(0x23, 2, AT, FLAGS, 16);
    code[n++] = 0x33 | AT << 7 | AT << 15 | STRIDE << 20;
    code[n] = enc_b(6, AT, END, ((i32)loop - (i32)n) * 4);
    return n + 1;
}

/* The table follows the code at a multiple of 64 bytes; lanes take every nth case from their own on */
static u32 program(u32 *code, const struct test *t, u32 ncases) {
    u32 n = 0, lanes_csr = 0xFC0, lane_csr = 0xCC0, table = 0x80000000u + 256;
    code[n++] = enc_i(0x13, 0, AT, 0, -1);
    code[n++] = 0x0000006Bu | AT << 15;               /* tmc: every lane */
    code[n++] = enc_i(0x73, 2, AT, 0, (i32)lane_csr); /* its number */
    code[n++] = enc_i(0x73, 2, STRIDE, 0, (i32)lanes_csr);
    code[n++] = enc_i(0x13, 0, 8, 0, CASE_B);
    code[n++] = 0x02000033 | AT << 7 | AT << 15 | 8 << 20; /* times the size of a case */
    code[n++] = 0x02000033 | STRIDE << 7 | STRIDE << 15 | 8 << 20;
    u32 end = table + ncases * CASE_B;
    code[n++] = 0x37 | 8 << 7 | (table & 0xFFFFF000);
    code[n++] = enc_i(0x13, 0, 8, 8, (i32)(table & 0xFFF));
    code[n++] = 0x33 | AT << 7 | AT << 15 | 8 << 20;
    n += enc_li(code + n, END, end);
    n = loop_over(code, n, t);
    code[n++] = 0x0000006B; /* tmc 0 */
    return n;
}

/* --- the same on qemu: a Linux program that writes its table out */

static u32 linux_program(u32 *code, const struct test *t, u32 ncases) {
    enum { A0 = 10, A1 = 11, A2 = 12, A7 = 17, WRITE = 64, EXIT = 93, ECALL = 0x73 };
    u32 n = 0, table = 0x80000000u + 256, nops = 16 - 6; /* the instruction under test stands where it does above: auipc */
    while (n < nops - 4) code[n++] = 0x13;
    n += enc_li(code + n, AT, table);
    n += enc_li(code + n, END, table + ncases * CASE_B);
    code[n++] = enc_i(0x13, 0, STRIDE, 0, CASE_B);
    code[n++] = 0x13;
    n = loop_over(code, n, t);
    n += enc_li(code + n, A0, 1);
    n += enc_li(code + n, A1, table);
    n += enc_li(code + n, A2, ncases * CASE_B);
    n += enc_li(code + n, A7, WRITE);
    code[n++] = ECALL;
    n += enc_li(code + n, A0, 0);
    n += enc_li(code + n, A7, EXIT);
    code[n++] = ECALL;
    return n;
}

static bool have_qemu(void) {
    static int have = -1;
#ifdef __SANITIZE_ADDRESS__
    have = 0; /* once is enough */
#endif
    if (have < 0) have = system("command -v qemu-riscv32 > /dev/null 2>&1") == 0;
    return have;
}

/* An executable of one segment */
static void write_elf(FILE *f, const u32 *image, u32 bytes) {
    enum { AT_B = 4096 };
    u8 head[AT_B] = {0x7F, 'E', 'L', 'F', 1, 1, 1};
    const u32 ehdr[] = {2 | 243u << 16, 1, 0x80000000u, 52, 0, 2 /* single floats */, 52 | 32u << 16, 1};
    const u32 phdr[] = {1, AT_B, 0x80000000u, 0x80000000u, bytes, bytes, 7, AT_B};
    memcpy(head + 16, ehdr, sizeof(ehdr));
    memcpy(head + 52, phdr, sizeof(phdr));
    fwrite(head, 1, sizeof(head), f);
    fwrite(image, 1, bytes, f);
}

static void ask_qemu(const struct test *t, const struct kase *cases, u32 n) {
    char path[] = "/tmp/rv_suite_XXXXXX", command[128];
    u32 *image = calloc(64 + (size_t)n * 5, 4);
    int fd = mkstemp(path);
    assert_true(fd >= 0 && linux_program(image, t, n) <= 64);
    FILE *f = fdopen(fd, "wb");
    for (u32 i = 0; i < n; i++) memcpy(&image[64 + 5 * i], &cases[i], sizeof(*cases));
    write_elf(f, image, (64 + n * 5) * 4);
    assert_int_equal(fchmod(fd, 0700), 0);
    assert_int_equal(fclose(f), 0);
    snprintf(command, sizeof(command), "qemu-riscv32 %s", path);
    f = popen(command, "r");
    size_t got = fread(image, 1, (size_t)n * CASE_B, f);
    assert_int_equal(pclose(f), 0);
    assert_int_equal(got, (size_t)n * CASE_B);
    unlink(path);
    for (u32 i = 0; i < n; i++) {
        u32 flags = 0, want = t->want(t, &cases[i], &flags);
        if (image[5 * i + 3] != want || image[5 * i + 4] != flags)
            fail_msg("%s mode %d (0x%08x, 0x%08x, 0x%08x): qemu has 0x%08x flags 0x%x, the model 0x%08x flags 0x%x", t->name,
                     t->mode, cases[i].a, cases[i].b, cases[i].c, image[5 * i + 3], image[5 * i + 4], want, flags);
    }
    free(image);
}

/* Flags are the warp's: what any lane of the round raised that case i is in */
static u32 round_flags(const struct test *t, const struct kase *cases, u32 ncases, u32 i, u32 lanes) {
    u32 flags = 0;
    for (u32 l = i / lanes * lanes, end = l + lanes; l < end; l++) t->want(t, &cases[l % ncases], &flags);
    return flags;
}

static void run_cases(const struct test *t, const struct kase *cases, u32 ncases, u32 lanes) {
    u32 padded = (ncases + lanes - 1) / lanes * lanes, *image = calloc(64 + (size_t)padded * 5, 4);
    struct heddle *h = heddle_open(&(struct heddle_options){.warp_size = lanes, .functional = true});
    struct heddle_module *m;
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {lanes, 1, 1}};
    assert_true(program(image, t, padded) <= 64);
    for (u32 i = 0; i < padded; i++) memcpy(&image[64 + 5 * i], &cases[i % ncases], sizeof(*cases));
    assert_int_equal(heddle_module_load(h, "suite.bin", (const char *)image, (64 + (size_t)padded * 5) * 4, &m), HEDDLE_OK);
    int rc = heddle_launch(h, heddle_module_kernel_at(m, 0), &l, NULL);
    if (rc) fail_msg("%s: %s", t->name, heddle_message(h));
    assert_int_equal(heddle_read(h, 0x80000100u, image, (u64)padded * CASE_B), HEDDLE_OK);
    for (u32 i = 0; i < padded; i++) {
        const struct kase *k = &cases[i % ncases];
        u32 own = 0, want = t->want(t, k, &own), got = image[5 * i + 3], fgot = image[5 * i + 4];
        u32 flags = i % lanes ? fgot : round_flags(t, cases, ncases, i, lanes);
        if (got != want || fgot != flags)
            fail_msg("%s mode %d (0x%08x, 0x%08x, 0x%08x): 0x%08x flags 0x%x, expected 0x%08x flags 0x%x", t->name, t->mode, k->a,
                     k->b, k->c, got, fgot, want, flags);
    }
    heddle_close(h);
    free(image);
    if (lanes == 1 && have_qemu()) ask_qemu(t, cases, ncases);
}

/* --- operands */
static const u32 ints[] = {0,          1,          2,          3,          7,          31,
                           32,         33,         0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF,
                           0xFFFFFFFE, 0x55555555, 0xAAAAAAAA, 0x12345678, 0xFFFF0000, 0x00010001};
static const u32 floats[] = {0,          1,          2,          0x7FFFFF,   0x800000,   0x800001,   0x1000000,
                             0x3F800000, 0x3F800001, 0x3F7FFFFF, 0x40000000, 0x3F000000, 0x40490FDB, 0x33800000,
                             0x34000000, 0x4B000000, 0x4B800001, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000,
                             0x3FC00000, 0x40200000, 0x7F000000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001,
                             0x7FFFFFFF, 0x20000000, 0x1FFFFFFF, 0x00400000, 0x3EAAAAAB, 0x0DA24260};
enum { NF = ARRAY_LEN(floats) * 2 };
static u32 special(u32 i) { return floats[i / 2] | (i & 1 ? 0x80000000 : 0); }

static u64 seed = 1;
static u32 random_word(void) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(seed >> 32);
}
/* Random numbers near one another in exponent, so that something happens */
static u32 random_float(void) {
    u32 r = random_word(), e = (r >> 8 & 3) == 0 ? random_word() >> 24 : 100 + (random_word() >> 26);
    return (r & 0x807FFFFF) | e << 23;
}

static struct kase *pairs(u32 random, u32 *n) {
    struct kase *k = calloc(NF * NF + random, sizeof(*k));
    *n = 0;
    for (u32 i = 0; i < NF; i++)
        for (u32 j = 0; j < NF; j++)
            k[(*n)++] = (struct kase){special(i), special(j), special((i * 7 + j * 13 + random_word()) % NF)};
    for (u32 i = 0; i < random; i++) k[(*n)++] = (struct kase){random_float(), random_float(), random_float()};
    return k;
}

static void both(const struct test *t, const struct kase *k, u32 n) {
    run_cases(t, k, n, 1);
    run_cases(t, k, n, 32);
    run_cases(t, k, n, 5);
}

/* --- integers */
static u32 want_int(const struct test *t, const struct kase *k, u32 *flags) {
    (void)flags;
    return m_int(t->op, k->a, t->arg == INT32_MAX ? k->b : (u32)t->arg);
}

static void integers(void **state) {
    static const struct {
        const char *op;
        u32 word;
    } ops[] = {{"add", 0x33},        {"sub", 0x40000033},  {"sll", 0x1033},        {"slt", 0x2033},       {"sltu", 0x3033},
               {"xor", 0x4033},      {"srl", 0x5033},      {"sra", 0x40005033},    {"or", 0x6033},        {"and", 0x7033},
               {"mul", 0x02000033},  {"mulh", 0x02001033}, {"mulhsu", 0x02002033}, {"mulhu", 0x02003033}, {"div", 0x02004033},
               {"divu", 0x02005033}, {"rem", 0x02006033},  {"remu", 0x02007033}};
    (void)state;
    struct kase k[ARRAY_LEN(ints) * ARRAY_LEN(ints) + 100];
    u32 n = 0;
    for (u32 i = 0; i < ARRAY_LEN(ints); i++)
        for (u32 j = 0; j < ARRAY_LEN(ints); j++) k[n++] = (struct kase){ints[i], ints[j], 0};
    for (u32 i = 0; i < 100; i++) k[n++] = (struct kase){random_word(), random_word() >> random_word() % 32, 0};
    for (u32 i = 0; i < ARRAY_LEN(ops); i++) {
        struct test t = {.name = ops[i].op,
                         .op = ops[i].op,
                         .word = ops[i].word | D << 7 | A << 15 | B << 20,
                         .want = want_int,
                         .arg = INT32_MAX};
        both(&t, k, n);
    }
}

static void immediates(void **state) {
    static const struct {
        const char *op;
        u32 word;
        bool shift;
    } ops[] = {{"add", 0x13, 0},   {"slt", 0x2013, 0}, {"sltu", 0x3013, 0}, {"xor", 0x4013, 0},    {"or", 0x6013, 0},
               {"and", 0x7013, 0}, {"sll", 0x1013, 1}, {"srl", 0x5013, 1},  {"sra", 0x40005013, 1}};
    static const i32 imms[] = {0, 1, -1, 5, 31, 2047, -2048, 0x555};
    (void)state;
    struct kase k[ARRAY_LEN(ints)];
    for (u32 j = 0; j < ARRAY_LEN(ints); j++) k[j] = (struct kase){ints[j], 0, 0};
    for (u32 i = 0; i < ARRAY_LEN(ops); i++)
        for (u32 j = 0; j < ARRAY_LEN(imms); j++) {
            i32 imm = ops[i].shift ? imms[j] & 31 : imms[j];
            struct test t = {
                .name = ops[i].op, .op = ops[i].op, .word = enc_i(ops[i].word, 0, D, A, imm), .want = want_int, .arg = imm};
            both(&t, k, ARRAY_LEN(k));
        }
}

static u32 want_upper(const struct test *t, const struct kase *k, u32 *flags) { return (void)k, (void)flags, (u32)t->arg; }

static void upper(void **state) {
    static const u32 high[] = {0, 1, 0x80000, 0xFFFFF, 0x12345};
    (void)state;
    struct kase k = {0, 0, 0};
    for (u32 i = 0; i < ARRAY_LEN(high); i++) {
        struct test lui = {.name = "lui", .word = 0x37 | D << 7 | high[i] << 12, .want = want_upper, .arg = (i32)(high[i] << 12)};
        struct test auipc = {.name = "auipc",
                             .word = 0x17 | D << 7 | high[i] << 12,
                             .want = want_upper,
                             .arg = (i32)(0x80000000u + 16 * 4 + (high[i] << 12))};
        both(&lui, &k, 1);
        both(&auipc, &k, 1);
    }
}

/* --- floats */
enum {
    F_ADD,
    F_SUB,
    F_MUL,
    F_DIV,
    F_SQRT,
    F_MADD,
    F_MSUB,
    F_NMSUB,
    F_NMADD,
    F_W_S,
    F_WU_S,
    F_S_W,
    F_S_WU,
    F_MIN,
    F_MAX,
    F_LE,
    F_LT,
    F_EQ,
    F_SGNJ,
    F_SGNJN,
    F_SGNJX,
    F_CLASS,
    F_MV_X,
    F_MV_F
};

static u32 want_float(const struct test *t, const struct kase *k, u32 *f) {
    const u32 s = 0x80000000;
    switch (t->arg) {
    case F_ADD: return m_add(k->a, k->b, t->mode, f);
    case F_SUB: return m_add(k->a, k->b ^ s, t->mode, f);
    case F_MUL: return m_mul(k->a, k->b, t->mode, f);
    case F_DIV: return m_div(k->a, k->b, t->mode, f);
    case F_SQRT: return m_sqrt(k->a, t->mode, f);
    case F_MADD: return m_fma(k->a, k->b, k->c, t->mode, f);
    case F_MSUB: return m_fma(k->a, k->b, k->c ^ s, t->mode, f);
    case F_NMSUB: return m_fma(k->a ^ s, k->b, k->c, t->mode, f);
    case F_NMADD: return m_fma(k->a ^ s, k->b, k->c ^ s, t->mode, f);
    case F_W_S: return m_to_int(k->a, true, t->mode, f);
    case F_WU_S: return m_to_int(k->a, false, t->mode, f);
    case F_S_W: return m_of_int((i32)k->a, t->mode, f);
    case F_S_WU: return m_of_int(k->a, t->mode, f);
    case F_MIN:
    case F_MAX: return m_minmax(t->arg == F_MAX, k->a, k->b, f);
    case F_LE:
    case F_LT:
    case F_EQ: return m_compare(t->arg - F_LE, k->a, k->b, f);
    case F_SGNJ: return (k->a & ~s) | (k->b & s);
    case F_SGNJN: return (k->a & ~s) | (~k->b & s);
    case F_SGNJX: return k->a ^ (k->b & s);
    case F_CLASS: return m_class(k->a);
    default: return k->a;
    }
}

struct float_op {
    const char *name;
    int arg;
    u32 word;
    bool fs, fd, modes;
};

/* In every rounding mode; with 32 lanes, too, where `wide` says so */
static void float_cases(const struct float_op *ops, u32 nops, const struct kase *k, u32 n, bool wide) {
    for (u32 i = 0; i < nops; i++)
        for (int mode = 0; mode < (ops[i].modes ? 5 : 1); mode++) {
            struct test t = {
                .name = ops[i].name, .fs = ops[i].fs, .fd = ops[i].fd, .want = want_float, .mode = mode, .arg = ops[i].arg};
            t.word = ops[i].word | D << 7 | A << 15 | (ops[i].modes ? (u32)mode << 12 : 0);
            run_cases(&t, k, n, 1);
            if (wide) run_cases(&t, k, n, 32);
        }
}

static void float_ops(const struct float_op *ops, u32 nops, u32 random) {
    u32 n;
    struct kase *k = pairs(random, &n);
    float_cases(ops, nops, k, n, true);
    free(k);
}

static void arithmetic(void **state) {
    static const struct float_op ops[] = {{"fadd.s", F_ADD, 0x53 | B << 20, 1, 1, 1},
                                          {"fsub.s", F_SUB, 0x08000053 | B << 20, 1, 1, 1},
                                          {"fmul.s", F_MUL, 0x10000053 | B << 20, 1, 1, 1},
                                          {"fdiv.s", F_DIV, 0x18000053 | B << 20, 1, 1, 1},
                                          {"fsqrt.s", F_SQRT, 0x58000053, 1, 1, 1}};
    (void)state;
    float_ops(ops, ARRAY_LEN(ops), 1500);
}
static const struct float_op fused_ops[] = {{"fmadd.s", F_MADD, 0x43 | B << 20 | (u32)C << 27, 1, 1, 1},
                                            {"fmsub.s", F_MSUB, 0x47 | B << 20 | (u32)C << 27, 1, 1, 1},
                                            {"fnmsub.s", F_NMSUB, 0x4B | B << 20 | (u32)C << 27, 1, 1, 1},
                                            {"fnmadd.s", F_NMADD, 0x4F | B << 20 | (u32)C << 27, 1, 1, 1}};
static void fused(void **state) {
    (void)state;
    float_ops(fused_ops, ARRAY_LEN(fused_ops), 1500);
}

/* All kinds of numbers as all three operands (model B1 of FPGEN, IBM's test generator for floating point) */
static void fused_kinds(void **state) {
    static const u32 kinds[] = {0,          1,          0x2AAAAA,   0x7FFFFF,   0x800000,   0x3F800000,
                                0x40490FDB, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001, 0x7FAAAAAA};
    enum { KINDS = 2 * ARRAY_LEN(kinds) };
    struct kase *k = calloc(KINDS * KINDS * KINDS, sizeof(*k));
    u32 n = 0;
    (void)state;
    for (u32 i = 0; i < KINDS * KINDS * KINDS; i++) {
        u32 at[] = {i % KINDS, i / KINDS % KINDS, i / KINDS / KINDS}, x[3];
        for (u32 j = 0; j < 3; j++) x[j] = kinds[at[j] / 2] | (at[j] & 1) << 31;
        k[n++] = (struct kase){x[0], x[1], x[2]};
    }
    float_cases(fused_ops, ARRAY_LEN(fused_ops), k, n, false);
    free(k);
}

/* Fractions with ones, or zeros, at one end, and with every second bit */
static u32 pattern(u32 i) {
    if (i < 24) return (1u << i) - 1;
    if (i < 46) return 0x7FFFFF & ~((1u << (i - 23)) - 1);
    return i & 1 ? 0x2AAAAA : 0x555555;
}
enum { PATTERNS = 48 };

/* The addend at every distance from the product, from where it is lost to where the product is (model B15);
 * products are small, so that addends are subnormal, in the middle, or large */
static u32 add_distances(struct kase *k) {
    enum { LOWEST = -(2 * 24 + 1), HIGHEST = 24 + 1 };
    static const i32 products[] = {40, 127, 235};
    u32 n = 0;
    for (i32 distance = LOWEST; distance <= HIGHEST; distance++)
        for (u32 i = 0; i < PATTERNS; i++) {
            i32 product = products[n % ARRAY_LEN(products)], e = product + distance;
            u32 r = random_word(), half = (u32)(product + 127) / 2;
            u32 c = (u32)MIN(MAX(e, 0), 254) << 23 | pattern(i);
            k[n++] = (struct kase){(random_word() & 0x807FFFFF) | half << 23,
                                   (random_word() & 0x807FFFFF) | ((u32)(product + 127) - half) << 23, c | (r & 0x80000000)};
        }
    return n;
}

/* The product rounded, with the other sign, and what lies beside it: what was rounded off is left, or little
 * more */
static u32 add_cancelling(struct kase *k, u32 n) {
    for (u32 i = 0; i < n; i++) {
        u32 a = (random_word() & 0x80FFFFFF) + 0x3F000000, b = (random_word() & 0x80FFFFFF) + 0x3F000000, flags = 0;
        k[i] = (struct kase){a, b, (m_mul(a, b, M_RNE, &flags) ^ 0x80000000) + i % 3 - 1};
    }
    return n;
}

static void fused_distances(void **state) {
    enum { CANCELLING = 600 };
    struct kase *k = calloc(75 * PATTERNS + CANCELLING, sizeof(*k));
    u32 n = add_distances(k);
    (void)state;
    assert_int_equal(n, 75 * PATTERNS);
    n += add_cancelling(k + n, CANCELLING);
    float_cases(fused_ops, ARRAY_LEN(fused_ops), k, n, false);
    free(k);
}

static void conversions(void **state) {
    static const struct float_op ops[] = {{"fcvt.w.s", F_W_S, 0xC0000053, 1, 0, 1}, {"fcvt.wu.s", F_WU_S, 0xC0100053, 1, 0, 1},
                                          {"fcvt.s.w", F_S_W, 0xD0000053, 0, 1, 1}, {"fcvt.s.wu", F_S_WU, 0xD0100053, 0, 1, 1},
                                          {"fmv.x.w", F_MV_X, 0xE0000053, 1, 0, 0}, {"fmv.w.x", F_MV_F, 0xF0000053, 0, 1, 0}};
    (void)state;
    float_ops(ops, ARRAY_LEN(ops), 500);
}
static void comparisons(void **state) {
    static const struct float_op ops[] = {{"fmin.s", F_MIN, 0x28000053 | B << 20, 1, 1, 0},
                                          {"fmax.s", F_MAX, 0x28001053 | B << 20, 1, 1, 0},
                                          {"fle.s", F_LE, 0xA0000053 | B << 20, 1, 0, 0},
                                          {"flt.s", F_LT, 0xA0001053 | B << 20, 1, 0, 0},
                                          {"feq.s", F_EQ, 0xA0002053 | B << 20, 1, 0, 0},
                                          {"fsgnj.s", F_SGNJ, 0x20000053 | B << 20, 1, 1, 0},
                                          {"fsgnjn.s", F_SGNJN, 0x20001053 | B << 20, 1, 1, 0},
                                          {"fsgnjx.s", F_SGNJX, 0x20002053 | B << 20, 1, 1, 0},
                                          {"fclass.s", F_CLASS, 0xE0001053, 1, 0, 0}};
    (void)state;
    float_ops(ops, ARRAY_LEN(ops), 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),        cmocka_unit_test(immediates),  cmocka_unit_test(upper),
        cmocka_unit_test(arithmetic),      cmocka_unit_test(fused),       cmocka_unit_test(fused_kinds),
        cmocka_unit_test(fused_distances), cmocka_unit_test(conversions), cmocka_unit_test(comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
