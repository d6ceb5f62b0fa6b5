/* RISC-V images: what is read of good ones, and what bad ones of every kind are told; then thousands of
 * damaged ones, which must end in a message, a fault or a result. */
#include "api/api.h"
#include "config/config.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rv_asm.h"

enum { PH = 52, TEXT = 84, SYM = 160, STR = 208, SH = 240, FILE_B = 400 };

static void put(u8 *p, u32 v, u32 bytes) {
    for (u32 i = 0; i < bytes; i++) p[i] = (u8)(v >> 8 * i);
}

/* An executable of one segment: code that stores `answer`'s address, a table of symbols */
static void elf(u8 *b) {
    static const char strings[] = "\0_start\0answer\0";
    static struct rv_asm a;
    memset(b, 0, FILE_B);
    memcpy(b,
           "\x7F"
           "ELF\1\1\1",
           7);
    put(b + 16, 2, 2), put(b + 18, 243, 2), put(b + 20, 1, 4), put(b + 24, 0x80000000, 4), put(b + 28, PH, 4), put(b + 32, SH, 4);
    put(b + 40, 52, 2), put(b + 42, 32, 2), put(b + 44, 1, 2), put(b + 46, 40, 2), put(b + 48, 3, 2);
    asm_program(&a, "li t0, 0x80000100; addi t1, zero, 42; sw t1, 0(t0); lw t2, 0(zero); vx_tmc zero", RV_2021);
    u8 *p = b + PH;
    put(p, 1, 4), put(p + 4, TEXT, 4), put(p + 8, 0x80000000, 4), put(p + 16, a.n * 4, 4), put(p + 20, 0x200, 4),
        put(p + 24, 7, 4);
    for (u32 i = 0; i < a.n; i++) put(b + TEXT + 4 * i, a.words[i], 4);
    put(b + SYM + 16, 1, 4), put(b + SYM + 20, 0x80000000, 4), b[SYM + 28] = 0x12, put(b + SYM + 30, 1, 2);
    put(b + SYM + 32, 8, 4), put(b + SYM + 36, 0x80000100, 4), put(b + SYM + 40, 4, 4), b[SYM + 44] = 0x11,
                                                                                                put(b + SYM + 46, 1, 2);
    memcpy(b + STR, strings, sizeof(strings));
    u8 *s = b + SH + 40;
    put(s + 4, 2, 4), put(s + 16, SYM, 4), put(s + 20, 48, 4), put(s + 24, 2, 4);
    put(s + 44, 3, 4), put(s + 56, STR, 4), put(s + 60, sizeof(strings), 4);
}

static int load(struct heddle *h, const char *name, const u8 *bytes, size_t n, struct heddle_module **m) {
    return heddle_module_load(h, name, (const char *)bytes, n, m);
}

static void good_elf(void **state) {
    u8 b[FILE_B];
    struct heddle *h = heddle_open(&(struct heddle_options){.warp_size = 4, .functional = true});
    struct heddle_module *m;
    u64 at, size;
    u32 answer;
    (void)state;
    elf(b);
    assert_int_equal(load(h, "a.out", b, sizeof(b), &m), HEDDLE_OK); /* known by its content */
    assert_string_equal(heddle_module_frontend(m), "riscv");
    assert_int_equal(heddle_module_symbol(h, m, "answer", &at, &size), HEDDLE_OK);
    assert_true(at == 0x80000100u && size == 4);
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
    assert_int_equal(heddle_launch(h, heddle_module_kernel_at(m, 0), &l, NULL), HEDDLE_FAULT);
    assert_string_equal(heddle_message(h),
                        "fault: load of 4 bytes at global address 0x0, a null pointer\n  core 0, warp 0, lane 0\n"
                        "  at a.out: pc 0x80000010 <_start+0x10>: lw t2, 0(zero)\n");
    heddle_read(h, at, &answer, 4);
    assert_int_equal(answer, 42);
    heddle_close(h);
}

/* DWARF's lines of the faulting instruction at 0x80000010. A function that the linker has thrown away leaves
 * a sequence of no bytes at 0, which is nobody's line. */
#define AT(a) 0, 5, 2, (a) & 255, (a) >> 8 & 255, (a) >> 16 & 255, (a) >> 24
/* Lines 100 and 101 */
#define GONE AT(0), 3, 0xE3, 0, 1, 3, 1, 1, 0, 1, 1
/* Line 1; lines 7 and 8 at + 8; line 9 of the second file at + 16, where it ends n bytes later */
#define KEPT(n) AT(0x80000000u), 1, 2, 8, 3, 6, 1, 3, 1, 1, 4, 2, 2, 8, 3, 1, 1, 2, n, 0, 1, 1

static void source_lines(void **state) {
    enum { LINES = 400, SECTIONS = 600, ALL_B = 800 };
    static const u8 head[] = {1,   1,   251, 14, 10, 0, 1, 1,   1,   1,   0, 0, 0, 1, 0,
                              'a', '.', 'c', 0,  0,  0, 0, 'b', '.', 'c', 0, 0, 0, 0, 0};
    static const struct {
        u32 n;
        u8 program[64];
        const char *want;
    } rows[] = {
        {28, {KEPT(4)}, "<_start+0x10>: lw t2, 0(zero) (b.c:9)\n"},
        {17, {GONE}, "<_start+0x10>: lw t2, 0(zero)\n"},
        {45, {GONE, KEPT(4)}, "<_start+0x10>: lw t2, 0(zero) (b.c:9)\n"},
        {45, {KEPT(4), GONE}, "<_start+0x10>: lw t2, 0(zero) (b.c:9)\n"},
        {28, {KEPT(0)}, "<_start+0x10>: lw t2, 0(zero)\n"}, /* it ends there */
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        u8 b[ALL_B] = {0}, *l = b + LINES, *s = b + SECTIONS;
        u32 lines_b = 10 + sizeof(head) + rows[i].n;
        struct heddle *h = heddle_open(&(struct heddle_options){.warp_size = 4, .functional = true});
        struct heddle_module *m;
        struct heddle_launch launch = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
        elf(b);
        put(l, lines_b - 4, 4), put(l + 4, 2, 2), put(l + 6, sizeof(head), 4);
        memcpy(l + 10, head, sizeof(head)), memcpy(l + 10 + sizeof(head), rows[i].program, rows[i].n);
        memcpy(s, b + SH, 120), put(b + 32, SECTIONS, 4), put(b + 48, 4, 2), put(b + 50, 2, 2);
        memcpy(b + STR + 16, ".debug_line", 12), put(s + 80 + 20, 28, 4);
        put(s + 120, 16, 4), put(s + 124, 1, 4), put(s + 136, LINES, 4), put(s + 140, lines_b, 4);
        assert_int_equal(load(h, "a.out", b, sizeof(b), &m), HEDDLE_OK);
        assert_int_equal(heddle_launch(h, heddle_module_kernel_at(m, 0), &launch, NULL), HEDDLE_FAULT);
        if (!strstr(heddle_message(h), rows[i].want)) fail_msg("%u: %s", i, heddle_message(h));
        heddle_close(h);
    }
}

/* A linker script's wrong flags: no segment may be executed, so the one that holds the entry is the code */
static void elf_without_flags(void **state) {
    static const u32 flags[] = {0, 4, 6};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(flags); i++) {
        u8 b[FILE_B];
        struct heddle *h = heddle_open(&(struct heddle_options){.warp_size = 4, .functional = true});
        struct heddle_module *m;
        struct heddle_launch l = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
        elf(b);
        put(b + PH + 24, flags[i], 4);
        assert_int_equal(load(h, "p.elf", b, sizeof(b), &m), HEDDLE_OK);
        assert_int_equal(heddle_launch(h, heddle_module_kernel_at(m, 0), &l, NULL), HEDDLE_FAULT);
        assert_non_null(strstr(heddle_message(h), "pc 0x80000010 <_start+0x10>: lw t2, 0(zero)"));
        heddle_close(h);
        h = heddle_open(NULL);
        put(b + 24, 0x80000100, 4); /* behind what the file has of it */
        assert_int_equal(load(h, "p.elf", b, sizeof(b), &m), HEDDLE_BAD_INPUT);
        assert_non_null(strstr(heddle_message(h), "it has no code to run (no segment that may be executed"));
        heddle_close(h);
    }
}

static void bad_elf(void **state) {
    static const struct {
        u32 at, value, bytes, length;
        const char *want;
    } rows[] = {
        {0, 0x7F, 1, 30, "the ELF header is cut off"},
        {4, 2, 1, FILE_B, "a 64-bit program; heddle runs RV32"},
        {4, 0, 1, FILE_B, "its ELF header says neither 32 nor 64 bits"},
        {5, 2, 1, FILE_B, "a big-endian program"},
        {16, 1, 2, FILE_B, "an object file; link it first"},
        {16, 3, 2, FILE_B, "not a program with fixed addresses"},
        {18, 62, 2, FILE_B, "an ELF file of another machine (62); RISC-V is 243"},
        {36, 1, 4, FILE_B, "compiled with compressed instructions"},
        {28, 5000, 4, FILE_B, "its program headers are cut off"},
        {42, 8, 2, FILE_B, "its program headers are too small"},
        {44, 65, 2, FILE_B, "more than 64 program headers"},
        {44, 0, 2, FILE_B, "it has no code to run"},
        {PH + 4, 390, 4, FILE_B, "a segment is cut off"},
        {PH + 20, 4, 4, FILE_B, "a segment has more bytes in the file than in memory"},
        {PH + 20, 0x7FFFFFFF, 4, FILE_B, "does not fit into 32-bit memory"},
        {PH + 8, 0x80000002, 4, FILE_B, "its code does not begin at a multiple of 4"},
        {PH + 8, 0xFFFFFF00, 4, FILE_B, "does not fit into 32-bit memory"},
        {24, 0x80000100, 4, FILE_B, "its entry 0x80000100 is not in its code"},
        {24, 0x80000002, 4, FILE_B, "its entry 0x80000002 is not in its code"},
        {PH + 8, 0, 4, FILE_B, "its entry 0x80000000 is not in its code"},
        {PH + 8, 0x7FFFFF00, 4, FILE_B, "its entry 0x80000000 is not in its code"},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        u8 b[FILE_B];
        struct heddle *h = heddle_open(NULL);
        struct heddle_module *m;
        elf(b);
        put(b + rows[i].at, rows[i].value, rows[i].bytes);
        assert_int_equal(load(h, "p.elf", b, rows[i].length, &m), HEDDLE_BAD_INPUT);
        if (!strstr(heddle_message(h), rows[i].want)) fail_msg("%s: %s", rows[i].want, heddle_message(h));
        heddle_close(h);
    }
}

/* Whose numbers are big-endian, too */
static void big_endian(void **state) {
    u8 b[FILE_B];
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    (void)state;
    elf(b);
    b[5] = 2, b[18] = 0, b[19] = 243;
    assert_int_equal(load(h, "p.elf", b, FILE_B, &m), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_message(h), "a big-endian program; heddle runs little-endian RISC-V"));
    heddle_close(h);
}

/* A second segment where none can be: 16 bytes of the file, mem_b in memory */
static void bad_places(void **state) {
    enum { HEADERS = 400, ALL_B = 500 };
    static const struct {
        u32 at, mem_b, flags;
        const char *want; /* NULL: it can */
    } rows[] = {
        {0x80000200, 16, 6, NULL},
        {0x800001FC, 16, 6, "a segment at 0x800001fc lies over the one of 512 bytes at 0x80000000"},
        {0x80000000, 16, 6, "lies over the one of"},
        {0x7FFFFFF4, 16, 6, "a segment at 0x80000000 lies over the one of 16 bytes at 0x7ffffff4"},
        {0, 16, 6, "a segment at 0x0 lies at the null pointer"},
        {64, 16, 6, NULL},
        {0x7FFF0000, 16, 6, "its segment at 0x7fff0000 lies in the arguments' place (65536 bytes at 0x7fff0000)"},
        {0x80800000, 16, 5, "its code spans 8388624 bytes, more than the 8 MiB that are decoded"},
        {0xFEFFBFF0, 16, 6, NULL}, /* below the stacks of 16 threads */
        {0xFEFFBFF0, 17, 6, "a segment of 17 bytes at 0xfeffbff0 lies in the shared memory of a core (0xfeffc000 to 0xff000000)"},
        {0xFEFFFFF0, 16, 6, "lies in the shared memory of a core"},
        {0xFF000000, 16, 6, NULL},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        u8 b[ALL_B] = {0};
        struct config c;
        struct heddle *h = heddle_open(&(struct heddle_options){.functional = true});
        struct heddle_module *m;
        struct heddle_launch l = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
        config_default(&c);
        c.warps = c.warp_size = 4, c.sms = 1, c.shared_b = 16384;
        heddle_set_config(h, &c);
        elf(b);
        put(b + 28, HEADERS, 4), put(b + 44, 2, 2);
        memcpy(b + HEADERS, b + PH, 32), memcpy(b + HEADERS + 32, b + PH, 32);
        put(b + HEADERS + 40, rows[i].at, 4), put(b + HEADERS + 48, 16, 4), put(b + HEADERS + 52, rows[i].mem_b, 4),
            put(b + HEADERS + 56, rows[i].flags, 4);
        int rc = load(h, "p.elf", b, sizeof(b), &m);
        if (!rc) rc = heddle_launch(h, heddle_module_kernel_at(m, 0), &l, NULL);
        const char *want = rows[i].want ? rows[i].want : "lw t2, 0(zero)"; /* how the program ends */
        if (rc != (rows[i].want ? HEDDLE_BAD_INPUT : HEDDLE_FAULT) || !strstr(heddle_message(h), want))
            fail_msg("%u: %s: %d, %s", i, want, rc, heddle_message(h));
        heddle_close(h);
    }
}

static void too_much_code(void **state) {
    enum { ALL_B = 5 << 20 };
    u8 *b = calloc(1, ALL_B);
    (void)state;
    for (u32 more = 0; more < 2; more++) {
        struct heddle *h = heddle_open(NULL);
        struct heddle_module *m;
        elf(b);
        put(b + PH + 16, (4 << 20) + 4 * more, 4), put(b + PH + 20, (4 << 20) + 4 * more, 4);
        assert_int_equal(load(h, "p.elf", b, ALL_B, &m), more ? HEDDLE_BAD_INPUT : HEDDLE_OK);
        if (more) assert_non_null(strstr(heddle_message(h), "it has more than 4 MiB of code"));
        heddle_close(h);
    }
    free(b);
}

/* A linker without a script puts the file's headers in the page before the code */
static void in_the_arguments_place(void **state) {
    static const u32 at[] = {0x7FFF0000, 0x7FFFF000, 0x7FFEFFFC}; /* the last reaches into it */
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(at); i++) {
        u8 b[FILE_B];
        struct heddle *h = heddle_open(NULL);
        struct heddle_module *m;
        elf(b);
        put(b + PH + 8, at[i], 4), put(b + 24, at[i], 4);
        assert_int_equal(load(h, "p.elf", b, FILE_B, &m), HEDDLE_BAD_INPUT);
        char want[128];
        snprintf(want, sizeof(want), "its segment at 0x%x lies in the arguments' place (65536 bytes at 0x7fff0000)", at[i]);
        if (!strstr(heddle_message(h), want)) fail_msg("%s: %s", want, heddle_message(h));
        assert_non_null(strstr(heddle_message(h), "-Wl,--nmagic"));
        heddle_close(h);
    }
}

static void other_images(void **state) {
    static const u8 end[] = {0x6B, 0, 0, 0, 0x6B, 0, 0, 0, 0x6B, 0, 0, 0, 0x6B, 0, 0, 0}; /* tmc 0 */
    u8 vx[32] = {0}, pocl[256] = "poclbin and a header of some kind ";
    (void)state;
    put(vx, 0x80000000, 4), put(vx + 8, 0x80001000, 4), memcpy(vx + 16, end, 16);
    static u8 longer[9000];
    u8 bad[4][32];
    for (u32 i = 0; i < 4; i++) memcpy(bad[i], vx, 32);
    put(bad[0], 2, 4), put(bad[1], 0x80000002, 4), put(bad[2] + 12, 2, 4), put(bad[3] + 8, 0x80000000, 4);
    memcpy(longer, vx, 32);
    u32 n = 40;
    put(pocl + n, 9, 4), memcpy(pocl + n + 4, "/k/text.h", 9), put(pocl + n + 13, 4, 4), memcpy(pocl + n + 17, "text", 4);
    put(pocl + n + 21, 7, 4), memcpy(pocl + n + 25, "/k/a.so", 7), put(pocl + n + 32, 16, 4), memcpy(pocl + n + 36, end, 16);
    const struct {
        const char *name;
        const u8 *bytes;
        size_t n;
        const char *want; /* NULL: runs */
    } rows[] = {
        {"p.bin", end, 16, NULL},
        {"p", vx, 32, NULL},
        {"p.vxbin", vx, 32, NULL},
        {"p", pocl, n + 52, NULL},
        {"p.bin", end, 3, "the image is shorter than one instruction"},
        {"p.vxbin", end, 16, "not a vxbin"},
        {"p.pocl", end, 16, "not a .pocl container"},
        {"p.pocl", pocl, n + 10, "holds no flat RISC-V image"},
        {"p.pocl", pocl, n + 51, "is cut off: a file in it is longer than what is left"},
        {"p.vxbin", vx, 16, "not a vxbin: two 64-bit addresses, where the image begins and ends, come before the image"},
        {"p.vxbin", bad[0], 32, "its image, at 0x2 to 0x80001000 by the two addresses that come before it, begins below 0x1000"},
        {"p.vxbin", bad[1], 32, "does not begin at a multiple of 4"},
        {"p.vxbin", bad[2], 32, "ends beyond 32-bit memory"},
        {"p.vxbin", bad[3], 32,
         "at 0x80000000 to 0x80000000 by the two addresses that come before it, ends where it begins, or before"},
        {"p.vxbin", longer, sizeof(longer), "is longer in the file than that"},
        {"p.elf", end, 16, "not an ELF file"},
        {"p", end, 16, "not a program heddle reads"},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct heddle *h = heddle_open(&(struct heddle_options){.warp_size = 4, .functional = true});
        struct heddle_module *m;
        struct heddle_launch l = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
        int rc = load(h, rows[i].name, rows[i].bytes, rows[i].n, &m);
        assert_int_equal(rc, rows[i].want ? HEDDLE_BAD_INPUT : HEDDLE_OK);
        if (rows[i].want) assert_non_null(strstr(heddle_message(h), rows[i].want));
        else assert_int_equal(heddle_launch(h, heddle_module_kernel_at(m, 0), &l, NULL), HEDDLE_OK);
        heddle_close(h);
    }
    memcpy(pocl + n + 52, pocl + n + 21, 31); /* the same image again, as PoCL writes it */
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    assert_int_equal(load(h, "p.pocl", pocl, n + 83, &m), HEDDLE_OK);
    heddle_close(h);
    pocl[n + 59] = 'b'; /* another one: /k/b.so */
    h = heddle_open(NULL);
    assert_int_equal(load(h, "p.pocl", pocl, n + 83, &m), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_message(h),
                           "holds 2 images, which all want the same addresses; extract the one to run to a .bin "
                           "(/k/a.so, 16 bytes at 76; /k/b.so, 16 bytes at 107)"));
    memcpy(pocl + n + 83, pocl + n + 52, 31); /* and that one twice */
    assert_int_equal(load(h, "p.pocl", pocl, n + 114, &m), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_message(h), "holds 2 images"));
    /* two programs want the same addresses */
    assert_int_equal(load(h, "p.bin", end, 16, &m), HEDDLE_OK);
    assert_int_equal(load(h, "q.bin", end, 16, &m), HEDDLE_BAD_INPUT);
    assert_non_null(strstr(heddle_message(h), "cannot be placed: it overlaps memory that is in use"));
    heddle_close(h);
}

static void damaged(void **state) {
    u32 seed = 7;
    (void)state;
    for (u32 i = 0; i < 3000; i++) {
        u8 b[FILE_B];
        struct config c;
        elf(b);
        for (u32 k = 0; k <= i % 4; k++) {
            seed = seed * 1664525 + 1013904223;
            u32 at = (seed >> 8) % FILE_B;
            b[at] = i & 64 ? (u8)(seed >> 24) : (u8)(b[at] ^ 1u << (seed >> 29));
        }
        config_default(&c);
        c.vortex = i >> 1 & 1, c.vortex_diverge = i & 1, c.warps = c.warp_size = 4, c.sms = 1;
        struct heddle *h =
            heddle_open(&(struct heddle_options){.functional = true, .max_instructions = 2000, .max_memory_b = 64 << 20});
        struct heddle_module *m;
        struct heddle_launch l = {.grid = {1, 1, 1}, .block = {16, 1, 1}};
        heddle_set_config(h, &c);
        if (!load(h, i & 32 ? "p.bin" : "p.elf", b, FILE_B - seed % 8, &m))
            heddle_launch(h, heddle_module_kernel_at(m, 0), &l, NULL);
        heddle_close(h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_elf),
        cmocka_unit_test(source_lines),
        cmocka_unit_test(elf_without_flags),
        cmocka_unit_test(bad_elf),
        cmocka_unit_test(big_endian),
        cmocka_unit_test(bad_places),
        cmocka_unit_test(in_the_arguments_place),
        cmocka_unit_test(too_much_code),
        cmocka_unit_test(other_images),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
