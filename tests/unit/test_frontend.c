/* Front ends: which of them a file is for, and that programs of two of them live in one context.
 *
 * The second front end is made here: a "tally" program is the line "tally N", and its one kernel adds N to
 * every word of out. Its kernel is made of hand-made instructions, as a front end for another instruction set
 * would make them: exec functions from the table, lane functions by name, no PTX text and no opkey. */
#include "api/api.h"
#include "front/front.h"
#include "func/lanes.h"
#include "ptx/ptx.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

/* --- a small front end */

enum { ROW_ADDR = 2 * ROW_B, ROW_TID = 0, ROW_WORD = ROW_B, POOL_N = 0, POOL_FOUR = ROW_B, POOL_B = 2 * ROW_B };

struct tally {
    u32 n;
    bool starts_warps; /* "tally N alone": the kernel begins with one warp */
    u64 variable;      /* where the program's own word lies */
};

static bool tally_recognise(const u8 *bytes, size_t n) { return n >= 5 && memcmp(bytes, "tally", 5) == 0; }

static void *tally_load(const char *file, const u8 *bytes, size_t n, struct memory *mem, struct diag *dg) {
    char text[32] = "";
    memcpy(text, bytes, MIN(n, sizeof(text) - 1));
    struct tally t = {0};
    if (sscanf(text, "tally %u", &t.n) != 1) {
        diag_error(dg, file, 1, 7, "expected a number");
        return NULL;
    }
    t.starts_warps = strstr(text, "alone") != NULL;
    t.variable = memory_alloc(mem, 4, 4, OWNER_MODULE, false);
    struct tally *p = base_alloc(sizeof(*p));
    *p = t;
    return p;
}

static void tally_free(void *program, struct memory *mem) {
    assert_true(memory_free(mem, ((struct tally *)program)->variable, OWNER_MODULE));
    free(program);
}

static u32 tally_kernels(const void *program) { return (void)program, 1; }
static const char *tally_name(const void *program, u32 i) { return (void)program, (void)i, "tally"; }
static u64 tally_variant(const struct config *machine) { return (void)machine, 1; }

static bool tally_symbol(const void *program, const char *name, u64 *address, u64 *size_b) {
    *address = ((const struct tally *)program)->variable, *size_b = 4;
    return strcmp(name, "total") == 0;
}

static const struct opnd none = {.absent = 1};
static struct opnd reg(i32 off, u32 rows) {
    return (struct opnd){.in = OPND_IN_REG, .rows = (u8)(rows & 15), .off = off, .reg = (u16)(off / ROW_B)};
}
static struct opnd pool(i32 off) { return (struct opnd){.in = OPND_IN_POOL, .rows = 1, .off = off}; }

static struct inst make(exec_fn *exec, enum iclass c, const char *text, struct arena *a) {
    struct inst_src *src = ARENA_NEW(a, struct inst_src);
    src->text = text;
    struct inst in = {.d = none, .s = {none, none, none}, .q = none, .guard = NONE, .target = NONE, .reconv = NONE};
    in.iclass = (u8)c, in.src = src;
    exec_choose(&in, exec);
    return in;
}

static lane_fn *lane(enum op op, enum type t, enum mod m, u32 nsrc) {
    struct opkey key = {.op = (u16)op, .ntypes = 1, .type = {(u8)t}};
    if (m != MOD_COUNT) mods_set(&key.mods, m);
    struct lane_query q = {.key = &key, .reg_bits = type_table[t].bits, .src_bits = type_table[t].bits, .nsrc = nsrc};
    return lanes_pick(&q).fn;
}

static struct kernel *tally_lower(void *program, u32 i, const struct config *machine, struct arena *a, struct diag *dg) {
    (void)i, (void)machine, (void)dg;
    struct kernel *k = ARENA_NEW(a, struct kernel);
    struct inst code[] = {
        make(exec_ldparam, ICLASS_LOAD, "base", a), make(exec_sreg, ICLASS_MOVE, "lane", a),
        make(exec_rows2, ICLASS_IMUL, "place", a),  make(exec_ld, ICLASS_LOAD, "get", a),
        make(exec_rows1, ICLASS_INT, "add", a),     make(exec_st, ICLASS_STORE, "put", a),
        make(exec_exit, ICLASS_BRANCH, "end", a),
    };
    code[0].d = reg(ROW_ADDR, 2), code[0].space = SPACE_PARAM, code[0].elem_b = 8, code[0].nelem = 1;
    code[1].d = reg(ROW_TID, 1), code[1].imm = SREG_tid_x;
    code[2].d = reg(ROW_ADDR, 2), code[2].s[0] = reg(ROW_TID, 1), code[2].s[1] = pool(POOL_FOUR), code[2].s[2] = reg(ROW_ADDR, 2);
    struct opkey wide = {.op = OP_mad, .ntypes = 1, .type = {TYPE_u32}};
    mods_set(&wide.mods, MOD_wide);
    code[2].lane = lanes_pick(&(struct lane_query){.key = &wide, .reg_bits = 64, .src_bits = 32, .nsrc = 3}).fn;
    code[3].d = reg(ROW_WORD, 1), code[5].s[1] = reg(ROW_WORD, 1);
    for (u32 x = 3; x <= 5; x += 2)
        code[x].s[0] = reg(ROW_ADDR, 2), code[x].space = SPACE_GLOBAL, code[x].elem_b = 4, code[x].nelem = 1,
        code[x].access = ACCESS_ROW;
    code[4].d = reg(ROW_WORD, 1), code[4].s[0] = reg(ROW_WORD, 1), code[4].s[1] = pool(POOL_N), code[4].s[2] = pool(POOL_N);
    code[4].lane = lane(OP_add, TYPE_u32, MOD_COUNT, 2);
    for (u32 x = 0; x < ARRAY_LEN(code); x++) exec_settle(&code[x]);
    k->code = ARENA_ARRAY(a, struct inst, ARRAY_LEN(code));
    memcpy(k->code, code, sizeof(code));
    k->pool = (u8 *)(((uintptr_t)arena_alloc(a, POOL_B + 64) + 63) / 64 * 64);
    for (u32 l = 0; l < SLAB_LANES; l++) {
        ((u32 *)(void *)(k->pool + POOL_N))[l] = ((struct tally *)program)->n;
        ((u32 *)(void *)(k->pool + POOL_FOUR))[l] = 4;
    }
    k->name = "tally", k->file = "tally", k->ninst = ARRAY_LEN(code), k->pool_b = POOL_B;
    k->nfuncs = 1, k->funcs = ARENA_NEW(a, struct kernel_func);
    k->funcs[0] = (struct kernel_func){.name = "tally", .exit_pc = ARRAY_LEN(code) - 1, .regs = 4, .rows = 4, .taken_at = NONE};
    k->nparams = 1, k->param_b = 8, k->params = ARENA_NEW(a, struct kernel_param);
    k->params[0] = (struct kernel_param){.name = "out", .size_b = 8, .align_b = 8};
    k->regs_per_thread = k->rows_per_warp = 4;
    if (((struct tally *)program)->starts_warps) k->first_warps = 1, k->first_lanes = ~0ull;
    return k;
}

static const struct frontend tally_frontend = {
    .name = "tally",
    .doc = "tally programs",
    .endings = "tally",
    .recognise = tally_recognise,
    .load = tally_load,
    .free = tally_free,
    .kernels = tally_kernels,
    .kernel_name = tally_name,
    .lower = tally_lower,
    .variant = tally_variant,
    .symbol = tally_symbol,
};

/* --- */

static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 total = 5;\n"
                          ".visible .entry twice(.param .u64 out)\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
                          "ld.param.u64 %d0, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, 4;\nadd.u64 %d0, %d0, %d1;\n"
                          "ld.global.u32 %r1, [%d0];\nadd.u32 %r1, %r1, %r1;\nst.global.u32 [%d0], %r1;\nret;\n}\n";

static void launch(struct heddle *h, struct heddle_module *m, const char *name, u64 out, struct heddle_result *r) {
    struct heddle_arg arg = {&out, 8};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {20, 1, 1}, .args = &arg, .nargs = 1};
    if (heddle_launch(h, heddle_module_kernel(m, name), &l, r)) fail_msg("%s", heddle_message(h));
}

static void in_one_context(const char *machine) {
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *a, *b;
    struct heddle_result r;
    if (machine) assert_int_equal(heddle_set_machine(h, machine), HEDDLE_OK);
    static const char text[] = "tally 7\n";
    assert_int_equal(api_module_load(h, &tally_frontend, "t.tally", (const u8 *)text, strlen(text), &b), HEDDLE_OK);
    assert_int_equal(heddle_module_load(h, "no ending", ptx, strlen(ptx), &a), HEDDLE_OK);
    assert_string_equal(heddle_module_frontend(a), "ptx");
    assert_string_equal(heddle_module_frontend(b), "tally");
    u64 out = heddle_alloc(h, 32 * 4), at, size;
    for (u32 round = 0; round < 2; round++) {
        launch(h, b, "tally", out, &r);
        assert_int_equal(r.warp_instructions, 7);
        assert_int_equal(r.thread_instructions, 7 * 20);
        assert_int_equal(r.timed, machine != NULL);
        launch(h, a, "twice", out, &r);
    }
    u32 words[32];
    heddle_read(h, out, words, sizeof(words));
    for (u32 i = 0; i < 32; i++) assert_int_equal(words[i], i < 20 ? (7 * 2 + 7) * 2 : 0);
    assert_null(heddle_module_kernel(b, "twice"));
    assert_int_equal(heddle_module_symbol(h, a, "total", &at, &size), HEDDLE_OK);
    u32 total;
    heddle_read(h, at, &total, 4);
    assert_int_equal(total, 5);
    assert_int_equal(heddle_module_symbol(h, b, "totals", &at, &size), HEDDLE_BAD_INPUT);
    assert_string_equal(heddle_message(h), "t.tally: error: no global or constant variable 'totals'\n");
    u64 used = heddle_memory_used(h);
    heddle_module_free(h, b);
    assert_int_equal(heddle_memory_used(h), used - 4);
    heddle_close(h);
}

static void two_front_ends_in_one_context(void **state) {
    (void)state;
    in_one_context(NULL);
    in_one_context("small");
}

static void a_front_ends_message_is_the_contexts(void **state) {
    (void)state;
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    assert_int_equal(api_module_load(h, &tally_frontend, "x.tally", (const u8 *)"tally x", 7, &m), HEDDLE_BAD_INPUT);
    assert_null(m);
    assert_string_equal(heddle_message(h), "x.tally:1:7: error: expected a number\n");
    heddle_close(h);
}

static void a_fault_in_a_program_that_is_no_text(void **state) {
    (void)state;
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    assert_int_equal(api_module_load(h, &tally_frontend, "x.tally", (const u8 *)"tally 1", 7, &m), HEDDLE_OK);
    u64 out = 0x40;
    struct heddle_arg arg = {&out, 8};
    struct heddle_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .args = &arg, .nargs = 1};
    assert_int_equal(heddle_launch(h, heddle_module_kernel(m, "tally"), &l, NULL), HEDDLE_FAULT);
    assert_non_null(strstr(heddle_message(h), "at tally: pc 3: get\n"));
    heddle_close(h);
}

/* The core's first warp runs, the other one is never started: both ends agree */
static void time_starts_the_first_warps_alone(void **state) {
    (void)state;
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    static const char text[] = "tally 7 alone";
    assert_int_equal(heddle_set_machine(h, "small"), HEDDLE_OK);
    assert_int_equal(api_module_load(h, &tally_frontend, "x.tally", (const u8 *)text, strlen(text), &m), HEDDLE_OK);
    u64 out = heddle_alloc(h, 256);
    struct heddle_arg arg = {&out, 8};
    struct heddle_launch l = {.grid = {2, 1, 1}, .block = {64, 1, 1}, .args = &arg, .nargs = 1};
    struct heddle_result r;
    assert_int_equal(heddle_launch(h, heddle_module_kernel(m, "tally"), &l, &r), HEDDLE_OK);
    u64 timed = r.warp_instructions;
    l.functional = true;
    assert_int_equal(heddle_launch(h, heddle_module_kernel(m, "tally"), &l, &r), HEDDLE_OK);
    assert_int_equal(timed, r.warp_instructions);
    assert_true(timed > 0);
    heddle_close(h);
}

static const struct frontend *find(const char *file, const char *text) {
    return front_find(file, (const u8 *)text, strlen(text));
}

static void content_comes_before_the_name(void **state) {
    (void)state;
    assert_ptr_equal(find("a.elf", ".version 8.0\n"), &ptx_frontend);
    assert_ptr_equal(find("a", " \n\t// x\n/* y */ /**/.version"), &ptx_frontend);
    assert_ptr_equal(find("a.ptx", "nonsense"), &ptx_frontend);
    assert_ptr_equal(find("a.ptx", ""), &ptx_frontend);
    const char *const others[] = {"",        " ",           "/",  "/*",     "/* .version", "//", "// .version",
                                  ".versio", "version 8.0", "{}", "\177ELF"};
    for (u32 i = 0; i < ARRAY_LEN(others); i++) assert_null(find("a", others[i]));
    assert_null(find("ptx", "")); /* a name, not an ending */
    assert_null(find("a.ptx.txt", ""));
}

static void what_nobody_reads_is_said_to_be_so(void **state) {
    (void)state;
    struct heddle *h = heddle_open(NULL);
    struct heddle_module *m;
    assert_int_equal(heddle_module_load(h, "a.out", "\177ELF", 4, &m), HEDDLE_BAD_INPUT);
    assert_string_equal(heddle_message(h), "a.out: error: not a program heddle reads: this is an ELF file (a program or cubin); "
                                           "it reads PTX, NVIDIA's virtual assembly: text that "
                                           "begins with .version; RISC-V programs for Vortex: 32-bit ELF executables, .vxbin, "
                                           ".pocl, and flat images called .bin\n");
    heddle_close(h);
}

static void every_row_is_whole(void **state) {
    (void)state;
    for (u32 i = 0; i < front_count; i++) {
        const struct frontend *f = front_table[i];
        assert_true(f->name && f->doc && f->endings && f->recognise && f->load && f->free && f->kernels && f->kernel_name);
        assert_true(f->lower && f->variant && f->symbol);
    }
}

/* exec.def: the rows as exec_choose and exec_settle apply them */
static void exec_rows_give_flags(void **state) {
    (void)state;
    struct arena a = {0};
    for (u32 i = 0; i < EXEC_COUNT; i++) {
        struct inst in = make(exec_table[i].run, ICLASS_INT, "", &a);
        assert_int_equal(in.exec_id, i);
        assert_int_equal(in.flags, exec_table[i].flags);
        exec_settle(&in);
        assert_int_equal(!(in.flags & INST_STRAIGHT), !!(in.flags & INST_CONTROL));
        assert_int_equal(in.flags & INST_PLAIN, 0); /* no destination */
    }
    struct inst ld = make(exec_ld, ICLASS_MOVE, "", &a), end = make(exec_exit, ICLASS_BRANCH, "", &a);
    struct inst add = make(exec_rows1, ICLASS_INT, "", &a), carry = make(exec_carry, ICLASS_INT, "", &a);
    end.flags |= INST_PSEUDO, add.d = reg(0, 1), carry.q = (struct opnd){.in = OPND_IN_PRED}, carry.imm = CARRY_OUT;
    exec_settle(&ld), exec_settle(&end), exec_settle(&add), exec_settle(&carry);
    assert_int_equal(ld.flags & INST_MEMORY, 0);
    assert_int_equal(end.flags & (INST_EXIT | INST_TURN), INST_TURN);
    assert_int_equal(add.flags, INST_STRAIGHT | INST_PLAIN);
    assert_int_equal(carry.flags & (INST_Q_READ | INST_Q_WRITTEN), INST_Q_WRITTEN);
    add.flags = INST_RECONV;
    exec_settle(&add);
    assert_int_equal(add.flags, INST_RECONV);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_front_ends_in_one_context),
        cmocka_unit_test(a_front_ends_message_is_the_contexts),
        cmocka_unit_test(content_comes_before_the_name),
        cmocka_unit_test(what_nobody_reads_is_said_to_be_so),
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(exec_rows_give_flags),
        cmocka_unit_test(time_starts_the_first_warps_alone),
        cmocka_unit_test(a_fault_in_a_program_that_is_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
