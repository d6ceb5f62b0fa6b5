/* The PTX parser: the tree each construct leaves, and the exact words of its errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "func/lanes.h"
#include "ptx/ptx.h"

#define HEADER ".version 8.7\n.target sm_90\n.address_size 64\n" /* three lines: what follows starts at line 4 */

static struct ptx_module *parse_text(const char *text) {
    struct diag dg = {0};
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), &dg);
    if (!m) fail_msg("unexpected errors:\n%s", dg.text.s);
    diag_free(&dg);
    return m;
}

static char *concat(const char *a, const char *b, const char *c) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s%s%s", a, b, c);
    return s.s;
}

/* A module of these declarations */
static struct ptx_module *parse_module(const char *text) {
    char *whole = concat(HEADER, text, "");
    struct ptx_module *m = parse_text(whole);
    free(whole);
    return m;
}

/* One kernel k of this body, with a few registers of each kind */
#define REGS ".reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .f64 %fd<4>; .reg .pred %p<4>; .reg .b16 %h<4>;\n"
static struct ptx_module *parse_body(const char *body) {
    char *whole = concat(HEADER ".visible .entry k(.param .u64 k_param_0) { " REGS, body, "\n}\n");
    struct ptx_module *m = parse_text(whole);
    free(whole);
    return m;
}

static const struct ptx_opnd *opnd(const struct ptx_module *m, u32 inst, u32 i) {
    assert_true(m->nfuncs > 0 && inst < m->funcs[0]->ninsts);
    assert_true(i < m->funcs[0]->insts[inst].nopnds);
    return &m->funcs[0]->insts[inst].opnds[i];
}

static const char *reg_name(const struct ptx_module *m, const struct ptx_opnd *o) {
    assert_int_equal(o->kind, PTX_REG);
    return m->funcs[0]->regs[o->reg].name;
}

static void check_errors(const char *text, const char *expected) {
    struct diag dg = {0};
    struct ptx_module *m = ptx_parse("t.ptx", text, strlen(text), &dg);
    assert_null(m);
    assert_string_equal(dg.text.s, expected);
    diag_free(&dg);
}

static void module_errors(const char *text, const char *expected) {
    char *whole = concat(HEADER, text, "");
    check_errors(whole, expected);
    free(whole);
}

/* The body starts at line 5 */
static void body_errors(const char *body, const char *expected) {
    char *whole = concat(HEADER ".visible .entry k(.param .u64 k_param_0) { " REGS, body, "\n}\n");
    check_errors(whole, expected);
    free(whole);
}

/* --- the module */

static void test_prologue(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_text(".version 7.8 // comment\n.target sm_90a, texmode_independent, debug\n/* block\n */ .address_size 32\n");
    assert_int_equal(m->version, 78);
    assert_int_equal(m->sm, 90);
    assert_string_equal(m->target, "sm_90a, texmode_independent, debug");
    assert_int_equal(m->address_size, 32);
    assert_string_equal(m->file, "t.ptx");
    ptx_free(m);
}

static void test_headers(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_module(".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 b[24], .param .u32 c)\n"
                     ".maxntid 256, 2\n.reqntid 32\n.minnctapersm 3\n.maxnctapersm 4\n.maxnreg 64\n.pragma "
                     "\"nounroll\";\n.explicitcluster\n{ ret; }\n"
                     ".weak .func (.reg .u32 out) f(.reg .u32 in, .param .b64 d) .noreturn { mov.u32 out, in; ret; }\n"
                     ".extern .func (.param .b32 func_retval0) vprintf (.param .b64 x, .param .b64 y);\n");
    assert_int_equal(m->nfuncs, 3);
    struct ptx_func *k = ptx_find_func(m, "k"), *f = ptx_find_func(m, "f"), *v = ptx_find_func(m, "vprintf");
    assert_true(k && f && v && !ptx_find_func(m, "g"));
    assert_true(k->is_entry && k->has_body && !f->is_entry && f->has_body && f->noreturn && !v->has_body);
    assert_int_equal(k->linkage, LINK_VISIBLE);
    assert_int_equal(f->linkage, LINK_WEAK);
    assert_int_equal(v->linkage, LINK_EXTERN);
    assert_int_equal(k->maxntid[0], 256);
    assert_int_equal(k->maxntid[1], 2);
    assert_int_equal(k->maxntid[2], 1);
    assert_int_equal(k->reqntid[0], 32);
    assert_int_equal(k->minnctapersm, 3);
    assert_int_equal(k->maxnctapersm, 4);
    assert_int_equal(k->maxnreg, 64);
    assert_int_equal(k->nparams, 3);
    assert_true(k->params[0].is_ptr && !k->params[1].is_ptr);
    assert_int_equal(k->params[0].ptr_space, SPACE_GLOBAL);
    assert_int_equal(k->params[0].ptr_align, 16);
    assert_int_equal(k->params[0].align_b, 8);
    assert_int_equal(k->params[1].size_b, 24);
    assert_int_equal(k->params[1].align_b, 8);
    assert_int_equal(k->params[2].space, SPACE_PARAM);
    assert_int_equal(k->params[2].reg, NONE);
    assert_int_equal(f->params[0].space, SPACE_REG);
    assert_string_equal(f->regs[f->params[0].reg].name, "in");
    assert_string_equal(f->regs[f->rets[0].reg].name, "out");
    assert_int_equal(f->insts[0].opnds[1].reg, f->params[0].reg);
    assert_int_equal(v->nrets, 1);
    assert_int_equal(v->nparams, 2);
    ptx_free(m);
}

static void test_declaration_then_definition(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_module(".visible .func f(.param .b32 x);\n.visible .entry k() { call f, (1); ret; }\n"
                     ".visible .func f(.param .b32 y) { ret; }\n.extern .global .u32 g;\n.extern .global .u32 g;\n"
                     ".visible .global .u32 g = 7;\n");
    assert_int_equal(m->nfuncs, 2);
    assert_int_equal(m->nvars, 1);
    assert_ptr_equal(ptx_find_func(m, "k")->insts[0].opnds[0].func, m->funcs[0]);
    assert_true(m->funcs[0]->has_body);
    assert_string_equal(m->funcs[0]->params[0].name, "y");
    assert_int_equal(ptx_find_var(m, "g")->linkage, LINK_VISIBLE);
    assert_int_equal(ptx_find_var(m, "g")->init[0], 7);
    assert_null(ptx_find_var(m, "h"));
    ptx_free(m);
}

static void test_alias(void **state) {
    (void)state;
    struct ptx_module *m = parse_module(".visible .func a();\n.visible .func b() { ret; }\n.alias a, b;\n");
    assert_true(ptx_find_func(m, "a")->has_body);
    assert_int_equal(ptx_find_func(m, "a")->ninsts, 1);
    ptx_free(m);
}

static void test_debug_information(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_module(".visible .entry k() {\n.loc 2 10 5\nret;\n"
                     ".loc 1 11 5, function_name $L__info_string0 + 4, inlined_at 2 10 5\nexit;\n}\n"
                     ".file 1 \"a.cu\", 12345, 678\n.file 2 \"/src\" \"b.cl\"\n"
                     ".section .debug_info\n{\n.b32 12, .debug_abbrev\n.b8 1\n$L: .b64 $L-4\n}\n.section .debug_loc { }\n");
    const struct ptx_inst *in = m->funcs[0]->insts;
    assert_int_equal(in[0].src_line, 10);
    assert_string_equal(in[0].src_file, "/src/b.cl");
    assert_int_equal(in[1].src_line, 11);
    assert_string_equal(in[1].src_file, "a.cu");
    ptx_free(m);
}

/* --- variables */

static void test_variables(void **state) {
    (void)state;
    struct ptx_module *m = parse_module(
        ".visible .global .align 16 .b8 a[3][5];\n.extern .shared .align 8 .b8 dyn[];\n.const[3] .v4 .f32 c;\n.shared .u16 s, "
        "t[4];\n"
        ".global .attribute(.managed) .align 4 .u32 man = 1;\n.common .global .u32 com;\n.global .texref tx;\n.tex .u32 old;\n"
        ".global .samplerref sm = { addr_mode_0 = wrap, filter_mode = nearest };\n.global .u32 expr[2*3+WARP_SZ];\n");
    struct ptx_var *a = ptx_find_var(m, "a"), *c = ptx_find_var(m, "c");
    assert_int_equal(a->size_b, 15);
    assert_int_equal(a->align_b, 16);
    assert_int_equal(a->space, SPACE_GLOBAL);
    assert_null(a->init);
    assert_true(ptx_find_var(m, "dyn")->incomplete);
    assert_int_equal(ptx_find_var(m, "dyn")->size_b, 0);
    assert_int_equal(ptx_find_var(m, "dyn")->linkage, LINK_EXTERN);
    assert_int_equal(c->space, SPACE_CONST);
    assert_int_equal(c->vec, 4);
    assert_int_equal(c->size_b, 16);
    assert_int_equal(c->align_b, 16);
    assert_int_equal(ptx_find_var(m, "t")->size_b, 8);
    assert_true(ptx_find_var(m, "man")->managed && !a->managed);
    assert_int_equal(ptx_find_var(m, "com")->linkage, LINK_COMMON);
    assert_int_equal(ptx_find_var(m, "tx")->space, SPACE_TEX);
    assert_int_equal(ptx_find_var(m, "old")->space, SPACE_TEX);
    assert_int_equal(ptx_find_var(m, "sm")->space, SPACE_TEX);
    assert_int_equal(ptx_find_var(m, "expr")->size_b, 38 * 4);
    ptx_free(m);
}

static void check_u32s(const struct ptx_module *m, const char *name, const u32 *want, u32 n) {
    const struct ptx_var *v = ptx_find_var(m, name);
    assert_non_null(v);
    assert_int_equal(v->size_b, n * 4);
    assert_memory_equal(v->init, want, n * 4);
}

static void test_initialisers(void **state) {
    (void)state;
    struct ptx_module *m = parse_module(
        ".global .u32 a[2][3] = {{1, 2}, {3, 4, 5}};\n.global .u32 b[] = {0x10, 010, 0b101, -1};\n"
        ".global .f32 f[3] = {0f3F800000, 2.0, 0d4010000000000000};\n.global .v2 .u32 v[] = {{1, 2}, {3, 4}};\n"
        ".global .u8 small = 300;\n.const .f64 d = -1.5e0;\n.global .b32 bits = 0f3F800000;\n.global .u32 none[2] = {};\n");
    check_u32s(m, "a", (u32[]){1, 2, 0, 3, 4, 5}, 6);
    check_u32s(m, "b", (u32[]){16, 8, 5, 0xFFFFFFFF}, 4);
    check_u32s(m, "f", (u32[]){0x3F800000, 0x40000000, 0x40800000}, 3);
    check_u32s(m, "v", (u32[]){1, 2, 3, 4}, 4);
    check_u32s(m, "bits", (u32[]){0x3F800000}, 1);
    check_u32s(m, "none", (u32[]){0, 0}, 2);
    assert_int_equal(ptx_find_var(m, "small")->init[0], 300 & 255);
    double d;
    memcpy(&d, ptx_find_var(m, "d")->init, 8);
    assert_true(d == -1.5);
    ptx_free(m);
}

static void test_relocations(void **state) {
    (void)state;
    struct ptx_module *m = parse_module(".global .u32 x[4];\n.visible .func f() { ret; }\n"
                                        ".global .u64 p[5] = {x, x+4, generic(x)+8, f, 0};\n.global .u64 self = self;\n"
                                        ".global .u8 bytes[3] = {0xFF(x), 0xFF00(generic(x)), 0xFF0000(x+4)};\n");
    const struct ptx_var *p = ptx_find_var(m, "p"), *x = ptx_find_var(m, "x"), *bytes = ptx_find_var(m, "bytes");
    assert_int_equal(p->nrelocs, 4);
    assert_ptr_equal(p->relocs[0].var, x);
    assert_int_equal(p->relocs[0].size_b, 8);
    assert_int_equal(p->relocs[1].addend, 4);
    assert_int_equal(p->relocs[1].offset_b, 8);
    assert_true(p->relocs[2].generic && !p->relocs[1].generic);
    assert_int_equal(p->relocs[2].addend, 8);
    assert_ptr_equal(p->relocs[3].func, ptx_find_func(m, "f"));
    assert_null(p->relocs[3].var);
    assert_ptr_equal(ptx_find_var(m, "self")->relocs[0].var, ptx_find_var(m, "self"));
    assert_int_equal(bytes->nrelocs, 3);
    assert_int_equal(bytes->relocs[2].shift, 16);
    assert_int_equal(bytes->relocs[2].size_b, 1);
    assert_int_equal(bytes->relocs[2].offset_b, 2);
    assert_int_equal(bytes->relocs[2].addend, 4);
    assert_true(bytes->relocs[1].generic);
    ptx_free(m);
}

/* --- instructions */

static void test_opcode(void **state) {
    (void)state;
    struct ptx_module *m = parse_body("@!%p1 fma.rn.ftz.f32   %f1 ,%f2, /* why */ %f3,\n %f4 ;\nret;");
    const struct ptx_inst *in = &m->funcs[0]->insts[0];
    assert_int_equal(in->key.op, OP_fma);
    assert_int_equal(in->key.ntypes, 1);
    assert_int_equal(in->key.type[0], TYPE_f32);
    assert_true(key_has(&in->key, MOD_rn) && key_has(&in->key, MOD_ftz) && !key_has(&in->key, MOD_sat));
    assert_true(in->guard_negate);
    assert_string_equal(m->funcs[0]->regs[in->guard].name, "%p1");
    assert_int_equal(in->nopnds, 4);
    assert_string_equal(in->text, "fma.rn.ftz.f32 %f1 ,%f2, %f3, %f4");
    assert_int_equal(in->loc.line, 5);
    assert_int_equal(in->loc.col, 7);
    assert_int_equal(m->funcs[0]->insts[1].guard, NONE);
    assert_int_equal(m->funcs[0]->insts[1].nopnds, 0);
    ptx_free(m);
}

static void test_modifiers(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_body(".shared .b8 s[16];\ncp.async.ca.shared.global [s], [%rd1], 16;\nfence.proxy.async;\n"
                   "ld.global.nc.L1::evict_last.L2::128B.v2.f32 {%f1, %f2}, [%rd1];\nprmt.b32.f4e %r1, %r2, %r3, %r4;\n"
                   "wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32 {%f1}, {%r1}, {%r2}, {%f2};\n");
    const struct ptx_inst *in = m->funcs[0]->insts;
    assert_true(key_has(&in[0].key, MOD_async) && key_has(&in[0].key, MOD_ca) && key_has(&in[0].key, MOD_shared));
    assert_true(key_has(&in[1].key, MOD_proxy));
    assert_true(key_has(&in[2].key, MOD_L2__128B) && key_has(&in[2].key, MOD_L1__evict_last) && key_has(&in[2].key, MOD_v2));
    assert_true(key_has(&in[3].key, MOD_f4e));
    assert_int_equal(in[4].key.layouts, 2 | 1 << 2);
    assert_int_equal(in[4].key.ntypes, 2);
    ptx_free(m);
}

static void test_immediates(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_body("mov.b64 %rd1, 0xFFFFFFFFFFFFFFFF; mov.b32 %r1, -5; mov.b32 %r1, 10U; mov.b32 %r1, 017;\n"
                   "mov.f32 %f1, 0f3f800000; mov.f64 %fd1, 0D3FF0000000000000; mov.f32 %f1, 1.5; mov.f32 %f1, -.5e1;\n"
                   "mov.b32 %r1, WARP_SZ; mov.b32 %r1, 0b11;\n");
    static const u64 want[] = {UINT64_MAX,         (u64)-5, 10, 15, 0x3F800000, 0x3FF0000000000000, 0x3FF8000000000000,
                               0xC014000000000000, 32,      3};
    static const u8 kind[] = {IMM_INT, IMM_INT, IMM_INT, IMM_INT, IMM_F32, IMM_F64, IMM_F64, IMM_F64, IMM_INT, IMM_INT};
    for (u32 i = 0; i < ARRAY_LEN(want); i++) {
        assert_int_equal(opnd(m, i, 1)->kind, PTX_IMM);
        assert_int_equal(opnd(m, i, 1)->imm_kind, kind[i]);
        assert_int_equal(opnd(m, i, 1)->imm, want[i]);
    }
    ptx_free(m);
}

static void test_expressions(void **state) {
    (void)state;
    static const struct {
        const char *text;
        i64 value;
    } rows[] = {{"1 + 2 * 3", 7},
                {"(1 + 2) * 3", 9},
                {"7 / 2 - 7 % 4", 0},
                {"1 << 4 | 3", 19},
                {"-16 >> 2", -4},
                {"~0 & 0xF0 ^ 0xFF", 0x0F},
                {"!5 + !0", 1},
                {"3 < 4 ? 10 : 20", 10},
                {"1 ? 0 ? 1 : 2 : 3", 2},
                {"2 == 2 && 3 != 4 || 0", 1},
                {"(.u64)-1 > 0", 1},
                {"(.s64)0xFFFFFFFFFFFFFFFF > 0", 0},
                {"5 >= 5", 1},
                {"5 <= 4", 0},
                {"-9223372036854775807-1", INT64_MIN},
                {"(-9223372036854775807-1) / -1", INT64_MIN},
                {"1 << 64", 0},
                {"+-+4", -4},
                {"1.0 < 2.0", 1}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        char *body = concat("mov.b64 %rd1, ", rows[i].text, ";");
        struct ptx_module *m = parse_body(body);
        if ((i64)opnd(m, 0, 1)->imm != rows[i].value) fail_msg("%s is %lld", rows[i].text, (long long)opnd(m, 0, 1)->imm);
        ptx_free(m);
        free(body);
    }
}

static void test_memory_operands(void **state) {
    (void)state;
    struct ptx_module *m = parse_body(
        ".shared .b32 s[8];\nld.b32 %r1, [%rd1]; ld.b32 %r1, [%rd1+8]; ld.b32 %r1, [%rd1+-4]; ld.shared.b32 %r1, [s+4*2];\n"
        "ld.b32 %r1, [0x100]; ld.param.u64 %rd1, [k_param_0]; mov.u32 %r1, s+12; ld.b32 %r1, [%rd1-8];\n");
    static const i64 off[] = {0, 8, -4, 8, 0, 0, 0, -8};
    for (u32 i = 0; i < ARRAY_LEN(off); i++) {
        if (i == 6) continue;
        assert_int_equal(opnd(m, i, 1)->kind, PTX_MEM);
        assert_int_equal(opnd(m, i, 1)->n, 1);
        assert_int_equal(opnd(m, i, 1)->off, off[i]);
    }
    assert_string_equal(reg_name(m, &opnd(m, 0, 1)->elem[0]), "%rd1");
    assert_int_equal(opnd(m, 3, 1)->elem[0].kind, PTX_VAR);
    assert_ptr_equal(opnd(m, 3, 1)->elem[0].var, m->funcs[0]->vars[0]);
    assert_int_equal(opnd(m, 4, 1)->elem[0].imm, 0x100);
    assert_ptr_equal(opnd(m, 5, 1)->elem[0].var, &m->funcs[0]->params[0]);
    assert_int_equal(opnd(m, 6, 1)->kind, PTX_VAR);
    assert_int_equal(opnd(m, 6, 1)->off, 12);
    ptx_free(m);
}

static void test_vectors_pairs_sinks(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_body("mov.b64 {%r1, _}, %rd1; setp.eq.s32 %p1|%p2, %r1, 0; setp.eq.s32 _|%p2, %r1, 0;\n"
                   "setp.eq.and.s32 %p1, %r1, 0, !%p2; vmad.s32.s32.s32 %r1, %r2, %r3, -%r4; st.v2.b32 [%rd1], {1, %r2};\n");
    assert_int_equal(opnd(m, 0, 0)->kind, PTX_VEC);
    assert_int_equal(opnd(m, 0, 0)->n, 2);
    assert_int_equal(opnd(m, 0, 0)->elem[1].kind, PTX_SINK);
    assert_int_equal(opnd(m, 1, 0)->kind, PTX_PAIR);
    assert_string_equal(reg_name(m, &opnd(m, 1, 0)->elem[1]), "%p2");
    assert_int_equal(opnd(m, 2, 0)->elem[0].kind, PTX_SINK);
    assert_true(opnd(m, 3, 3)->negate && !opnd(m, 3, 1)->negate);
    assert_true(opnd(m, 4, 3)->negate);
    assert_int_equal(opnd(m, 5, 1)->elem[0].kind, PTX_IMM);
    ptx_free(m);
}

static void test_vector_registers(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_body(".reg .v4 .f32 %v; .reg .v2 .b32 %w<3>;\nmov.f32 %f1, %v.y; mov.f32 %f1, %v.b; ld.v4.f32 %v, [%rd1];\n"
                   "mov.b32 %r1, %w2.x;\n");
    assert_string_equal(reg_name(m, opnd(m, 0, 1)), "%v.y");
    assert_string_equal(reg_name(m, opnd(m, 1, 1)), "%v.z");
    assert_int_equal(opnd(m, 2, 0)->kind, PTX_VEC);
    assert_int_equal(opnd(m, 2, 0)->n, 4);
    assert_string_equal(reg_name(m, &opnd(m, 2, 0)->elem[3]), "%v.w");
    assert_string_equal(reg_name(m, opnd(m, 3, 1)), "%w2.x");
    assert_int_equal(m->funcs[0]->regs[opnd(m, 3, 1)->reg].type, TYPE_b32);
    ptx_free(m);
}

static void test_special_registers(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_body("mov.u32 %r1, %tid.x; mov.u32 %r1, %laneid; mov.v4.u32 {%r1,%r2,%r3,_}, %ctaid; mov.u32 %r1, %ntid.w;\n"
                   "{ .reg .u32 %laneid; mov.u32 %r1, %laneid; }\n");
    assert_int_equal(opnd(m, 0, 1)->kind, PTX_SREG);
    assert_int_equal(opnd(m, 0, 1)->sreg, SREG_tid_x);
    assert_int_equal(opnd(m, 1, 1)->sreg, SREG_laneid);
    assert_int_equal(opnd(m, 2, 1)->kind, PTX_VEC);
    assert_int_equal(opnd(m, 2, 1)->n, 4);
    assert_int_equal(opnd(m, 2, 1)->elem[2].sreg, SREG_ctaid_z);
    assert_int_equal(opnd(m, 2, 1)->elem[3].kind, PTX_IMM);
    assert_int_equal(opnd(m, 3, 1)->kind, PTX_IMM);
    assert_int_equal(opnd(m, 4, 1)->kind, PTX_REG);
    ptx_free(m);
}

static void test_video_selectors(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_body("vadd.s32.s32.s32 %r1, %r2.b3, %r3.h1; vadd4.u32.u32.u32 %r1.b20, %r2, %r3.b7610, %r4;\n"
                   "vadd2.u32.u32.u32 %r1.h10, %r2, %r3, %r4; vadd4.u32.u32.u32 %r1.b0, %r2.b3210, %r3, %r4;\n");
    assert_int_equal(opnd(m, 0, 1)->sel, SEL_B3);
    assert_int_equal(opnd(m, 0, 2)->sel, SEL_H1);
    assert_int_equal(opnd(m, 0, 0)->sel, SEL_NONE);
    assert_int_equal(opnd(m, 1, 0)->sel, SEL_MASK_FIRST + 5);
    assert_int_equal(opnd(m, 1, 2)->sel, PTX_SEL_PERMUTE);
    assert_int_equal(opnd(m, 1, 2)->imm, 0x7610);
    assert_int_equal(opnd(m, 2, 0)->sel, SEL_MASK_FIRST + 3);
    assert_int_equal(opnd(m, 3, 0)->sel, SEL_MASK_FIRST + 1);
    assert_int_equal(opnd(m, 3, 1)->sel, SEL_MASK_FIRST + 15);
    ptx_free(m);
}

static void test_textures(void **state) {
    (void)state;
    struct ptx_module *m = parse_module(
        ".global .texref t;\n.global .samplerref s;\n.entry k() { " REGS
        "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f5,%f6}]; tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, s, {%r1,%r2}];\n"
        "txq.width.b32 %r1, [t]; suld.b.1d.b32.trap %r1, [%rd1, {%r2}]; }");
    assert_int_equal(opnd(m, 0, 1)->kind, PTX_MEM);
    assert_int_equal(opnd(m, 0, 1)->n, 2);
    assert_int_equal(opnd(m, 0, 1)->elem[1].kind, PTX_VEC);
    assert_int_equal(opnd(m, 1, 1)->n, 3);
    assert_int_equal(opnd(m, 1, 1)->elem[1].kind, PTX_VAR);
    assert_true(key_has(&m->funcs[0]->insts[0].key, MOD_2d));
    assert_int_equal(m->funcs[0]->insts[1].key.type[1], TYPE_s32);
    ptx_free(m);
}

/* --- control */

static void test_labels_and_scopes(void **state) {
    (void)state;
    struct ptx_module *m = parse_body("bra END;\n{ .reg .b32 %r1; .reg .pred p; L: mov.b32 %r1, 1; @p bra L; bra END; }\n"
                                      "{ .reg .pred p; bra L; ret; L: @p bra L; }\nEND:\n");
    const struct ptx_func *f = m->funcs[0];
    assert_int_equal(f->ninsts, 7);
    assert_int_equal(f->nlabels, 3);
    u32 end = (u32)opnd(m, 0, 0)->label;
    assert_string_equal(f->labels[end].name, "END");
    assert_int_equal(f->labels[end].at, 7);
    assert_int_equal(opnd(m, 3, 0)->label, end);
    assert_int_equal(f->labels[opnd(m, 2, 0)->label].at, 1);
    assert_int_equal(f->labels[opnd(m, 4, 0)->label].at, 6);
    assert_int_equal(opnd(m, 4, 0)->label, opnd(m, 6, 0)->label);
    assert_int_not_equal(f->insts[2].guard, f->insts[6].guard);
    ptx_free(m);
}

/* Only registers that are named become registers of the tree; an inner range shadows an outer one */
static void test_register_ranges(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_module(".entry k() { .reg .b32 %a<900000>, b; .reg .f32 %a1<3>;\n"
                     "mov.b32 %a899999, %a0; { .reg .f32 %a<2>; mov.f32 %a1, %a0; mov.b32 %a7, b; } mov.b32 %a1, b; }\n");
    const struct ptx_func *f = m->funcs[0];
    assert_int_equal(f->nregs, 7);
    assert_int_equal(f->regs[opnd(m, 0, 0)->reg].type, TYPE_b32);
    assert_int_equal(f->regs[opnd(m, 1, 0)->reg].type, TYPE_f32);
    assert_int_equal(f->regs[opnd(m, 2, 0)->reg].type, TYPE_b32);
    assert_int_equal(f->regs[opnd(m, 3, 0)->reg].type, TYPE_b32);
    assert_int_not_equal(opnd(m, 1, 0)->reg, opnd(m, 3, 0)->reg);
    assert_int_equal(opnd(m, 2, 1)->reg, opnd(m, 3, 1)->reg);
    ptx_free(m);
}

static void test_calls(void **state) {
    (void)state;
    struct ptx_module *m =
        parse_module(".entry k();\n.func f0();\n.func (.param .b32 r) f2(.param .b32 a, .param .b32 b);\n"
                     ".entry k() { " REGS ".param .b32 x; .param .b32 y;\ncall f0; call.uni (x), f2, (y, 7); call f0, ();\n"
                     "call (x), %rd1, (y), proto; call (x), %rd1, (y, y), targets; call %rd1, proto;\n"
                     "proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]) .noreturn;\ntargets: "
                     ".calltargets f0, f2;\nret; }\n");
    const struct ptx_func *f = m->funcs[0];
    const struct ptx_inst *in = f->insts;
    assert_int_equal(in[0].nopnds, 1);
    assert_ptr_equal(opnd(m, 0, 0)->func, ptx_find_func(m, "f0"));
    assert_int_equal(in[1].nopnds, 3);
    assert_int_equal(opnd(m, 1, 0)->kind, PTX_LIST);
    assert_ptr_equal(opnd(m, 1, 0)->elem[0].var, f->vars[0]);
    assert_int_equal(opnd(m, 1, 1)->kind, PTX_FUNC);
    assert_int_equal(opnd(m, 1, 2)->n, 2);
    assert_int_equal(opnd(m, 1, 2)->elem[1].imm, 7);
    assert_true(key_has(&in[1].key, MOD_uni));
    assert_int_equal(opnd(m, 2, 1)->n, 0);
    assert_int_equal(in[2].table, NONE);
    assert_int_equal(opnd(m, 3, 1)->kind, PTX_REG);
    const struct ptx_table *proto = &f->tables[in[3].table], *targets = &f->tables[in[4].table];
    assert_int_equal(proto->kind, TABLE_CALLPROTOTYPE);
    assert_int_equal(proto->proto->nrets, 1);
    assert_int_equal(proto->proto->nparams, 2);
    assert_int_equal(proto->proto->params[1].size_b, 16);
    assert_int_equal(targets->kind, TABLE_CALLTARGETS);
    assert_int_equal(targets->n, 2);
    assert_ptr_equal(targets->funcs[1], ptx_find_func(m, "f2"));
    assert_int_equal(in[5].table, in[3].table);
    assert_int_equal(in[5].nopnds, 1);
    ptx_free(m);
}

static void test_branch_tables(void **state) {
    (void)state;
    struct ptx_module *m = parse_body("ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: ret;\nB: ret;");
    const struct ptx_func *f = m->funcs[0];
    assert_int_equal(f->insts[0].nopnds, 1);
    const struct ptx_table *t = &f->tables[f->insts[0].table];
    assert_int_equal(t->kind, TABLE_BRANCHTARGETS);
    assert_int_equal(t->n, 3);
    assert_int_equal(f->labels[t->labels[1]].at, 2);
    assert_int_equal(t->labels[0], t->labels[2]);
    ptx_free(m);
}

/* --- errors */

static void test_errors_in_instructions(void **state) {
    (void)state;
    body_errors("ad.s32 %r1, %r2, %r3;", "t.ptx:5:1: error: unknown instruction 'ad'; did you mean 'add'?\n");
    body_errors("frobnicate %r1;", "t.ptx:5:1: error: unknown instruction 'frobnicate'\n");
    body_errors("sad.foo.s32 %r1, %r2, %r3, %r4;",
                "t.ptx:5:4: error: sad: unexpected modifier '.foo'; expected one of: u16 u32 u64 s16 s32 s64\n");
    body_errors("mul24.foo.s32 %r1, %r2, %r3;",
                "t.ptx:5:6: error: mul24: unexpected modifier '.foo'; expected one of: hi lo u32 s32\n");
    body_errors("add.ftx.f32 %f1, %f2, %f3;", "t.ptx:5:4: error: add: unexpected modifier '.ftx'; did you mean '.ftz'?\n");
    body_errors("not.f32 %f1, %f2;", "t.ptx:5:4: error: not: unexpected type '.f32'; expected one of: b16 b32 b64 pred\n");
    body_errors("exit.uni;", "t.ptx:5:5: error: exit: unexpected modifier '.uni'; it takes none\n");
    body_errors("add.rn.rn.f32 %f1, %f2, %f3;", "t.ptx:5:7: error: add: modifier '.rn' is repeated\n");
    body_errors("dp4a.u32.u32.u32.u32.u32 %r1, %r2, %r3, %r4;",
                "t.ptx:5:21: error: dp4a: unexpected type '.u32'; it has 4 already\n");
    body_errors("add.s32 %r1, %r2 %r3;", "t.ptx:5:18: error: unexpected '%r3'; expected ',' or ';'\n");
    body_errors("add.s32 %r1, , %r3;", "t.ptx:5:14: error: unexpected ','; expected an operand\n");
    body_errors("ld.b32 %r1, [%rd1;", "t.ptx:5:18: error: unexpected ';'; expected '+' or ']'\n");
    body_errors("ld.b32 %r1, [%laneid];", "t.ptx:5:14: error: an address is a register, a variable or a constant\n");
    body_errors("mov.b64 {%r1, %r2, %rd1;", "t.ptx:5:24: error: unexpected ';'; expected ',' or '}'\n");
    body_errors("mov.b32 %r1, %r2.b9;",
                "t.ptx:5:17: error: unexpected '.b9' after register '%r2'; expected a selector .b0 to .b3, .h0 or .h1\n");
    body_errors("@%r1 ret;", "t.ptx:5:2: error: '%r1' is not a predicate; a guard needs a register of type .pred\n");
    body_errors("mov.b32 %r1, 4/0;", "t.ptx:5:15: error: division by zero in a constant expression\n");
    body_errors("ld.b32 %r1, [%rd1+1.5];", "t.ptx:5:18: error: an address offset must be an integer\n");
    body_errors("bra 5;", "t.ptx:5:5: error: unexpected '5'; expected a label\n");
}

static void test_errors_of_names(void **state) {
    (void)state;
    body_errors("mov.b32 %r10, 1;", "t.ptx:5:9: error: register '%r10' is not declared; '%r<10>' at line 4 ends at %r9\n");
    body_errors(".reg .b32 %alpha; mov.b32 %alpa, 1;",
                "t.ptx:5:27: error: register '%alpa' is not declared; did you mean '%alpha'?\n");
    body_errors("mov.b64 %rd1, nowhere;", "t.ptx:5:15: error: symbol 'nowhere' is not declared\n");
    body_errors("bra LOOPS; LOOP: ret;", "t.ptx:5:5: error: label 'LOOPS' is not declared; did you mean 'LOOP'?\n");
    body_errors("bra IN; { IN: ret; }",
                "t.ptx:5:5: error: label 'IN' is not visible here; the one at line 5 is inside a scope of its own\n");
    body_errors("A: ret; A: ret;", "t.ptx:5:9: error: 'A' is already declared at line 5\n");
    body_errors(".reg .b32 x; x: ret;", "t.ptx:5:14: error: 'x' is already declared at line 5\n");
    body_errors(".reg .b32 %r3;", "t.ptx:5:11: error: '%r3' is already declared at line 4\n");
    body_errors(".reg .b32 %q3; .reg .f32 %q<5>;", "t.ptx:5:26: error: '%q3' is already declared at line 5\n");
    body_errors(".reg .b32 %r<5>;", "t.ptx:5:11: error: '%r' is already declared at line 4\n");
    body_errors(".reg .b64 k_param_0;", "t.ptx:5:11: error: 'k_param_0' is already declared at line 4\n");
    body_errors("call vprint, ();", "t.ptx:5:6: error: function 'vprint' is not declared\n");
    body_errors("brx.idx %r1, A; A: ret;", "t.ptx:5:14: error: 'A' is not a list of .branchtargets\n");
    body_errors("bra T; T: .branchtargets T;",
                "t.ptx:5:5: error: 'T' is not a label to branch to\nt.ptx:5:26: error: 'T' is not a label to branch to\n");
    module_errors(".func f() { ret; }\n.func f() { ret; }", "t.ptx:5:7: error: 'f' is already defined at line 4\n");
    module_errors(".func f();\n.entry f() { ret; }", "t.ptx:5:8: error: 'f' was declared .func at line 4\n");
    module_errors(".global .u32 x;\n.global .u32 x;", "t.ptx:5:14: error: 'x' is already declared at line 4\n");
    module_errors(".global .u32 x;\n.func x();", "t.ptx:5:7: error: 'x' is already declared at line 4\n");
}

static void test_errors_of_declarations(void **state) {
    (void)state;
    module_errors(".globl .u32 x;", "t.ptx:4:1: error: unknown directive '.globl'; did you mean '.global'?\n");
    module_errors(".global .u33 x;", "t.ptx:4:9: error: unknown type '.u33'; did you mean '.u32'?\n");
    module_errors(".global x;", "t.ptx:4:9: error: unexpected 'x'; expected a type such as .u32\n");
    module_errors(".global .u32 .u32 x;", "t.ptx:4:14: error: unexpected '.u32'; the type is given already\n");
    module_errors(".global .pred x;", "t.ptx:4:15: error: a variable in memory cannot have type .pred\n");
    module_errors(".global .align 3 .u32 x;", "t.ptx:4:16: error: alignment 3 is not a power of two up to 1048576\n");
    module_errors(".global .u32 x[2] = {1, 2, 3};", "t.ptx:4:28: error: too many values; 'x' takes 2 here\n");
    module_errors(".global .u32 x[2] = {1, 2", "t.ptx:4:26: error: unexpected end of file; expected ',' or '}'\n");
    module_errors(".global .f32 x = 1;", "t.ptx:4:18: error: an integer constant cannot initialise a variable of type .f32\n");
    module_errors(".global .u8 x = 1.5;",
                  "t.ptx:4:17: error: a floating-point constant cannot initialise a variable of type .u8\n");
    module_errors(".global .u8 x = x;", "t.ptx:4:17: error: an address does not fit a variable of type .u8\n");
    module_errors(".global .u8 x = 0xF0(x);", "t.ptx:4:17: error: mask '0xF0' does not select whole bytes of an address\n");
    module_errors(".shared .u32 x = 1;", "t.ptx:4:18: error: a .shared variable cannot be initialised\n");
    module_errors(".shared .u32 x[];", "t.ptx:4:14: error: 'x' has no size; give one or an initialiser, or declare it .extern\n");
    module_errors(".global .u32 x[2000000][2000000];", "t.ptx:4:14: error: 'x' is too large; the limit is 4 GiB\n");
    module_errors(".global .u32 x[][9999999999][9999999999] = {};", "t.ptx:4:14: error: 'x' is too large; the limit is 4 GiB\n");
    module_errors(".global .u32 x[-1];", "t.ptx:4:16: error: an array cannot have -1 elements\n");
    module_errors(".global .u8 x[999999999] = {1};",
                  "t.ptx:4:13: error: too much initialised data; the limit is 268435456 bytes\n");
    module_errors(".param .u32 x;", "t.ptx:4:1: error: '.param' is not allowed outside a function\n");
    module_errors(".entry k() .maxntd 5 { ret; }",
                  "t.ptx:4:12: error: unknown function directive '.maxntd'; did you mean '.maxntid'?\n");
    module_errors(".entry k(.u32 x) { ret; }", "t.ptx:4:10: error: unexpected '.u32'; expected .param or .reg\n");
    module_errors(".entry k() { ret;", "t.ptx:4:18: error: end of file inside 'k' (line 4); expected '}'\n");
    module_errors("banana;", "t.ptx:4:1: error: unexpected 'banana'; expected a directive such as .entry or .global\n");
    body_errors(".reg .b32 %x<2000000>;", "t.ptx:5:11: error: too many registers; '%x<2000000>' is over the limit of 1000000\n");
    body_errors(".shred .b32 x;", "t.ptx:5:1: error: unknown directive '.shred'; did you mean '.shared'?\n");
    check_errors(".target sm_90\n.entry k() { ret; }", "t.ptx:2:1: error: missing .version; a module starts with it\n");
    check_errors(".version 8.7\n.entry k() { ret; }", "t.ptx:2:1: error: missing .target after .version\n");
    check_errors("", "t.ptx:1:1: error: missing .version; a module starts with it\n");
    check_errors(".target sm_10\n.entry k(.param .u32 x) { .param .u32 y; exit; }", /* neither old nor new */
                 "t.ptx:2:1: error: missing .version; a module starts with it\n");
    check_errors(".version 8.7\n.target sm_90, debug y",
                 "t.ptx:2:22: error: unexpected 'y'; expected a directive such as .entry or .global\n");
    check_errors(".version 8.7\n.target gpu9\n",
                 "t.ptx:2:9: error: unknown target 'gpu9'; expected sm_ or compute_ and a number, or one of: "
                 "texmode_unified texmode_independent texmode_raw debug map_f64_to_f32\n");
}

static void test_bad_tokens(void **state) {
    (void)state;
    body_errors("mov.b32 %r1, 99999999999999999999;",
                "t.ptx:5:14: error: bad token '99999999999999999999': not a 64-bit integer\n");
    body_errors("mov.b32 %r1, 0x;", "t.ptx:5:14: error: bad token '0x': not a 64-bit integer\n");
    body_errors("mov.b32 %r1, 12abc;", "t.ptx:5:14: error: bad token '12abc': not a 64-bit integer\n");
    body_errors("mov.f32 %f1, 0f123;", "t.ptx:5:14: error: bad token '0f123': 0f takes exactly 8 hexadecimal digits\n");
    body_errors("mov.b32 %r1, #;", "t.ptx:5:14: error: bad token '#': no PTX token starts like this\n");
    body_errors("mov.b32 %r1, \x01;", "t.ptx:5:14: error: bad token '\\x01': no PTX token starts like this\n");
    body_errors(".pragma \"open;", "t.ptx:5:9: error: bad token '\"open;': string without a closing quote\n");
}

/* Each mistake is said once, and those after it too */
static void test_recovery(void **state) {
    (void)state;
    module_errors(".entry k() { " REGS
                  "mov.b64 {%r1, 5 6}, %rd1;\nadd.s32 %r1, %r2, %r77;\n{ foo; }\n}\n.globl .u32 x;\n.entry j() { bar2; }\n",
                  "t.ptx:5:17: error: unexpected '6'; expected ',' or '}'\n"
                  "t.ptx:6:19: error: register '%r77' is not declared; '%r<10>' at line 4 ends at %r9\n"
                  "t.ptx:7:3: error: unknown instruction 'foo'\n"
                  "t.ptx:9:1: error: unknown directive '.globl'; did you mean '.global'?\n"
                  "t.ptx:10:14: error: unknown instruction 'bar2'; did you mean 'bar'?\n");
}

static void test_error_limit(void **state) {
    (void)state;
    struct strbuf s = {0};
    struct diag dg = {0};
    strbuf_add(&s, HEADER ".entry k() {\n");
    for (int i = 0; i < 1000; i++) strbuf_add(&s, "nonsense%d;\n", i);
    assert_null(ptx_parse("t.ptx", s.s, s.len, &dg));
    assert_int_equal(dg.errors, 20);
    diag_free(&dg);
    strbuf_free(&s);
}

/* --- hostile sizes */

static struct ptx_module *parse_repeated(const char *before, const char *unit, u32 times, const char *after, struct diag *dg) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s", before);
    for (u32 i = 0; i < times; i++) strbuf_add(&s, "%s", unit);
    strbuf_add(&s, "%s", after);
    struct ptx_module *m = ptx_parse("t.ptx", s.s, s.len, dg);
    strbuf_free(&s);
    return m;
}

static void test_deep_nesting(void **state) {
    (void)state;
    static const struct {
        const char *before, *unit, *after, *message;
    } rows[] = {{HEADER ".entry k() {", "{", "", "scopes nest too deeply; the limit is 256"},
                {HEADER ".entry k() { mov.b32 _, ", "(", ";}", "expression nests too deeply; the limit is 256"},
                {HEADER ".entry k() { mov.b32 _, ", "-", "1;}", "expression nests too deeply; the limit is 256"},
                {HEADER ".entry k() { mov.b32 _, ", "1?", "1;}", "expression nests too deeply; the limit is 256"},
                {HEADER ".entry k() { mov.b32 _, ", "{", ";}", "operands nest too deeply"},
                {HEADER ".entry k() { mov.b32 _, ", "_|", ";}", "operands nest too deeply"},
                {HEADER ".global .u32 x[1] = ", "{", ";", "unexpected '{'; expected a constant"},
                {HEADER ".global .u32 x", "[1]", ";", "too many dimensions; the limit is 16"}};
    for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
        struct diag dg = {0};
        assert_null(parse_repeated(rows[i].before, rows[i].unit, 100000, rows[i].after, &dg));
        assert_non_null(strstr(dg.text.s, rows[i].message));
        diag_free(&dg);
    }
}

/* Many labels of one name, each in its own scope, and many forward branches: the parser stays linear */
static void test_large_module(void **state) {
    (void)state;
    struct diag dg = {0};
    struct ptx_module *m = parse_repeated(
        HEADER ".entry k() { " REGS, "{ .reg .pred p; bra L; add.s32 %r1, %r2, 3; L: @p bra END; }\n", 50000, "END: ret; }", &dg);
    assert_non_null(m);
    assert_int_equal(m->funcs[0]->ninsts, 150001);
    assert_int_equal(m->funcs[0]->nlabels, 50001);
    ptx_free(m);
    diag_free(&dg);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prologue),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_declaration_then_definition),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_debug_information),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_initialisers),
        cmocka_unit_test(test_relocations),
        cmocka_unit_test(test_opcode),
        cmocka_unit_test(test_modifiers),
        cmocka_unit_test(test_immediates),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_memory_operands),
        cmocka_unit_test(test_vectors_pairs_sinks),
        cmocka_unit_test(test_vector_registers),
        cmocka_unit_test(test_special_registers),
        cmocka_unit_test(test_video_selectors),
        cmocka_unit_test(test_textures),
        cmocka_unit_test(test_labels_and_scopes),
        cmocka_unit_test(test_register_ranges),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_branch_tables),
        cmocka_unit_test(test_errors_in_instructions),
        cmocka_unit_test(test_errors_of_names),
        cmocka_unit_test(test_errors_of_declarations),
        cmocka_unit_test(test_bad_tokens),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_error_limit),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_large_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
