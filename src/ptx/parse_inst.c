/* Instructions: guard, opcode with its modifiers and types, operands. */
#include "ptx/parse.h"

#include "func/lanes.h"

#include <stdlib.h>
#include <string.h>

/* --- opcodes */

static bool report_unknown_op(struct parser *p) {
    const char *names[OP_COUNT];
    for (u32 i = 0; i < OP_COUNT; i++) names[i] = op_table[i].name;
    const char *hint = parse_suggest(p, "", p->tok.text, p->tok.len, names, OP_COUNT);
    return parse_error(p, p->tok.loc, "unknown instruction '%.*s'%s", (int)p->tok.len, p->tok.text, hint);
}

/* The near words of the opcode's row, or all of them */
static void report_bad_mod(struct parser *p, enum op op) {
    const struct op_row *row = &op_table[op];
    bool is_type = type_find(p->tok.text + 1, p->tok.len - 1) != TYPE_NONE;
    bool no_types = strcmp(row->types, "-") == 0;
    const char *names[MOD_COUNT + TYPE_COUNT];
    u32 n = 0;
    for (u32 m = 0; m < MOD_COUNT; m++)
        if (op_takes_mod(op, (enum mod)m)) names[n++] = mod_names[m];
    for (u32 t = 1; t < TYPE_COUNT; t++)
        if (op_takes_type(op, (enum type)t)) names[n++] = type_table[t].name;
    const char *hint = is_type ? "" : parse_suggest(p, ".", p->tok.text + 1, p->tok.len - 1, names, n);
    const char *types = no_types ? "" : row->types, *mods = is_type ? "" : row->mods;
    const char *gap = *types && *mods ? " " : "";
    const char *kind = is_type ? "type" : "modifier";
    if (*hint) parse_error(p, p->tok.loc, "%s: unexpected %s '%.*s'%s", row->name, kind, (int)p->tok.len, p->tok.text, hint);
    else if (*types || *mods)
        parse_error(p, p->tok.loc, "%s: unexpected %s '%.*s'; expected one of: %s%s%s", row->name, kind, (int)p->tok.len,
                    p->tok.text, mods, gap, types);
    else parse_error(p, p->tok.loc, "%s: unexpected %s '%.*s'; it takes none", row->name, kind, (int)p->tok.len, p->tok.text);
}

static void add_type(struct parser *p, struct opkey *key, enum type t) {
    if (key->ntypes < ARRAY_LEN(key->type)) key->type[key->ntypes++] = (u8)t;
    else
        parse_error(p, p->tok.loc, "%s: unexpected type '%.*s'; it has %u already", op_table[key->op].name, (int)p->tok.len,
                    p->tok.text, key->ntypes);
}

static void add_mod(struct parser *p, struct ptx_inst *in, enum mod m) {
    if ((m == MOD_row || m == MOD_col) &&
        in->key.layouts < 4) { /* the one kind of modifier whose order matters, and that may come twice */
        u8 code = m == MOD_row ? 1 : 2;
        in->key.layouts |= (u8)(in->key.layouts ? code << 2 : code);
    } else if (key_has(&in->key, m)) {
        parse_error(p, p->tok.loc, "%s: modifier '%.*s' is repeated", op_table[in->key.op].name, (int)p->tok.len, p->tok.text);
    }
    mods_set(&in->key.mods, m);
}

/* A word of an opcode whose row is open ("*"): what is not in the row is noted, and refused by the lowering.
 * Words may come again. */
static void add_open_word(struct ptx_inst *in, enum type t, int m) {
    enum op op = (enum op)in->key.op;
    bool repeated = m != NONE && m != MOD_row && m != MOD_col && key_has(&in->key, (enum mod)m);
    bool more_types = t != TYPE_NONE && in->key.ntypes == ARRAY_LEN(in->key.type);
    bool known = t != TYPE_NONE ? op_takes_type(op, t) : m != NONE && op_takes_mod(op, (enum mod)m);
    if (!known || repeated || more_types) in->unmodelled = true;
}

static bool op_is_open(enum op op) {
    size_t n = strlen(op_table[op].mods);
    return n && op_table[op].mods[n - 1] == '*';
}

static bool parse_opcode(struct parser *p, struct ptx_inst *in) {
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "an instruction");
    int op = op_find(p->tok.text, p->tok.len);
    if (op == NONE) return report_unknown_op(p);
    in->key.op = (u16)op;
    in->unmodelled = strcmp(op_table[op].sig, "*") == 0;
    for (parse_advance(p); p->tok.kind == TOK_DOT; parse_advance(p)) {
        enum type t = type_find(p->tok.text + 1, p->tok.len - 1);
        int m = mod_find(p->tok.text + 1, p->tok.len - 1);
        if (op_is_open((enum op)op)) add_open_word(in, op_takes_type((enum op)op, t) ? t : TYPE_NONE, m);
        if (in->unmodelled) continue;
        if (t != TYPE_NONE && op_takes_type((enum op)op, t)) add_type(p, &in->key, t);
        else if (m != NONE && op_takes_mod((enum op)op, (enum mod)m)) add_mod(p, in, (enum mod)m);
        else report_bad_mod(p, (enum op)op);
    }
    if (!in->unmodelled) parse_add_old_defaults(p, in);
    return true;
}

/* --- operands: names */

/* `.b0` to `.b3`, `.h0`, `.h1`; for SIMD video instructions also `.b3210` and the like */
static bool read_selector(const struct token *t, bool simd, struct ptx_opnd *o) {
    bool bytes = t->text[1] == 'b';
    u32 digits = t->len - 2, lanes = bytes ? 4 : 2, mask = 0, last = 8;
    u64 packed = 0;
    if ((!bytes && t->text[1] != 'h') || t->len < 3 || digits > lanes) return false;
    bool descending = true;
    for (u32 i = 2; i < t->len; i++) {
        u32 d = (u32)(t->text[i] - '0');
        if (d >= 2 * lanes) return false;
        descending = descending && d < last && d < lanes;
        packed = packed << 4 | d;
        mask |= 1u << d;
        last = d;
    }
    if (!simd) {
        if (digits != 1 || last >= lanes) return false;
        o->sel = (u8)((bytes ? SEL_B0 : SEL_H0) + last);
        return true;
    }
    if (!descending && digits != lanes) return false;
    o->sel = descending ? (u8)(SEL_MASK_FIRST + mask) : PTX_SEL_PERMUTE;
    o->imm = packed;
    return true;
}

static bool report_bad_suffix(struct parser *p, const struct symbol *s) {
    return parse_error(p, p->tok.loc, "unexpected '%.*s' after register '%s'; expected %s", (int)p->tok.len, p->tok.text,
                       s->name->text, s->kind == SYM_VECREG ? "a component .x .y .z .w" : "a selector .b0 to .b3, .h0 or .h1");
}

static void set_reg(struct ptx_opnd *o, i32 reg) {
    o->kind = PTX_REG;
    o->reg = reg;
}

/* A vector register: one component, or all of them */
static bool parse_vecreg(struct parser *p, const struct symbol *s, struct ptx_opnd *o) {
    if (p->tok.kind == TOK_DOT) {
        static const char components[] = "xyzwrgba";
        const char *c = p->tok.len == 2 ? strchr(components, p->tok.text[1]) : NULL;
        u32 i = c ? (u32)(c - components) % 4 : 4;
        if (i >= s->vec) return report_bad_suffix(p, s);
        set_reg(o, s->index + (i32)i);
        parse_advance(p);
        return true;
    }
    o->kind = PTX_VEC;
    o->n = s->vec;
    o->elem = ARENA_ARRAY(&p->m->arena, struct ptx_opnd, s->vec);
    for (u32 i = 0; i < s->vec; i++) {
        o->elem[i].loc = o->loc;
        set_reg(&o->elem[i], s->index + (i32)i);
    }
    return true;
}

static bool parse_reg_opnd(struct parser *p, const struct ptx_inst *in, const struct symbol *s, struct ptx_opnd *o) {
    if (s->kind == SYM_VECREG) return parse_vecreg(p, s, o);
    set_reg(o, s->index);
    if (p->tok.kind != TOK_DOT) return true;
    if (!read_selector(&p->tok, op_is_simd_video((enum op)in->key.op), o)) return report_bad_suffix(p, s);
    parse_advance(p);
    return true;
}

/* `%tid` by itself: x, y, z and a zero */
static bool sreg_vector(struct parser *p, const struct token *t, struct ptx_opnd *o) {
    char text[32];
    if (t->len > sizeof(text) - 2) return false;
    memcpy(text, t->text, t->len);
    text[t->len] = '.';
    int r[3];
    for (u32 i = 0; i < 3; i++) {
        text[t->len + 1] = (char)('x' + i);
        r[i] = sreg_find(text, t->len + 2);
        if (r[i] == NONE) return false;
    }
    o->kind = PTX_VEC;
    o->n = 4;
    o->elem = ARENA_ARRAY(&p->m->arena, struct ptx_opnd, 4);
    for (u32 i = 0; i < 4; i++) {
        o->elem[i].loc = o->loc;
        o->elem[i].kind = i < 3 ? PTX_SREG : PTX_IMM;
        o->elem[i].sreg = i < 3 ? r[i] : 0;
    }
    return true;
}

/* A special register whose name is `t`, perhaps with the component that follows; false when there is none */
static bool parse_sreg(struct parser *p, const struct token *t, struct ptx_opnd *o) {
    bool dotted = p->tok.kind == TOK_DOT && p->tok.text == t->text + t->len;
    o->sreg = dotted ? sreg_find(t->text, t->len + p->tok.len) : sreg_find(t->text, t->len);
    o->kind = PTX_SREG;
    if (o->sreg != NONE) {
        if (dotted) parse_advance(p);
        return true;
    }
    o->sreg = 0;
    if (!sreg_vector(p, t, o)) return false;
    if (dotted && p->tok.len == 2 && p->tok.text[1] == 'w') { /* the fourth component reads zero */
        *o = (struct ptx_opnd){.kind = PTX_IMM, .loc = o->loc};
        parse_advance(p);
        return true;
    }
    return !dotted;
}

/* A register, variable, function or special register, without an offset */
static bool parse_symbol_opnd(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o) {
    struct token t = p->tok;
    struct name *n = name_of_token(p);
    struct symbol *s = scope_find(p, n);
    parse_advance(p);
    if (!s) {
        if (parse_sreg(p, &t, o)) return true;
        *o = (struct ptx_opnd){.kind = PTX_SINK, .loc = t.loc};
        scope_undeclared(p, n, t.loc, t.text[0] == '%' ? "register" : "symbol");
        if (p->tok.kind == TOK_DOT) parse_advance(p);
        return true;
    }
    if (s->kind == SYM_REG || s->kind == SYM_VECREG) return parse_reg_opnd(p, in, s, o);
    o->kind = s->kind == SYM_VAR ? PTX_VAR : PTX_FUNC;
    o->var = s->var;
    o->func = s->func;
    return true;
}

/* --- operands: everything else */

static bool parse_opnd(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o, u32 depth);

/* Operands pushed since `first` become o's elements */
static void keep_elems(struct parser *p, struct ptx_opnd *o, u32 first) {
    o->n = (u16)(p->opnd_stack.n - first);
    o->elem = ARENA_ARRAY(&p->m->arena, struct ptx_opnd, o->n);
    if (o->n) memcpy(o->elem, p->opnd_stack.at + first, o->n * sizeof(*o->elem));
    p->opnd_stack.n = first;
}

static bool push_opnd(struct parser *p, const struct ptx_inst *in, u32 first, u32 depth) {
    struct ptx_opnd o;
    if (p->opnd_stack.n - first >= MAX_ELEMS) return parse_error(p, p->tok.loc, "too many elements; the limit is %d", MAX_ELEMS);
    if (!parse_opnd(p, in, &o, depth)) return false;
    VEC_PUSH(&p->opnd_stack, o);
    return true;
}

/* { a, b } or ( a, b ), after the opening */
static bool parse_elems(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o, char close, u32 depth) {
    u32 first = p->opnd_stack.n;
    if (!parse_at(p, (u16)close)) {
        do {
            if (!push_opnd(p, in, first, depth + 1)) return false;
        } while (parse_accept(p, ','));
    }
    keep_elems(p, o, first);
    if (!parse_at(p, (u16)close)) return parse_expected(p, close == '}' ? "',' or '}'" : "',' or ')'");
    if (close == '}') p->open_braces--;
    parse_advance(p);
    return true;
}

static bool parse_imm(struct parser *p, struct ptx_opnd *o) {
    struct const_value c;
    if (!parse_expr(p, &c)) return false;
    o->kind = PTX_IMM;
    o->imm_kind = c.kind == CONST_F32 ? IMM_F32 : c.kind == CONST_F64 ? IMM_F64 : IMM_INT;
    o->imm = c.bits;
    return true;
}

static bool parse_base(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o) {
    *o = (struct ptx_opnd){.loc = p->tok.loc};
    if (p->tok.kind != TOK_IDENT || parse_at_word(p, "WARP_SZ")) return parse_imm(p, o);
    if (!parse_symbol_opnd(p, in, o)) return false;
    if (o->kind == PTX_REG || o->kind == PTX_VAR || o->kind == PTX_SINK) return true;
    return parse_error(p, o->loc, "an address is a register, a variable or a constant");
}

/* After "[" */
static bool parse_mem(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o, u32 depth) {
    struct ptx_opnd base;
    u32 first = p->opnd_stack.n;
    o->kind = PTX_MEM;
    if (!parse_base(p, in, &base) || !parse_offset(p, &o->off)) return false;
    VEC_PUSH(&p->opnd_stack, base);
    while (parse_accept(p, ','))
        if (!push_opnd(p, in, first, depth + 1)) return false;
    keep_elems(p, o, first);
    return parse_at(p, ']') ? parse_expect(p, ']') : parse_expected(p, "'+' or ']'");
}

/* After the first half of a|b */
static bool parse_pair(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o, u32 depth) {
    u32 first = p->opnd_stack.n;
    struct ptx_loc loc = o->loc;
    VEC_PUSH(&p->opnd_stack, *o);
    if (!push_opnd(p, in, first, depth + 1)) return false;
    *o = (struct ptx_opnd){.kind = PTX_PAIR, .loc = loc};
    keep_elems(p, o, first);
    return true;
}

/* The index of `var[index]`: a number, a register, or a register and a number; it counts scalars, also in an
 * array of vectors */
static bool parse_index(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o) {
    i64 count = 0, element_b = type_bytes((enum type)o->var->type);
    bool in_register = p->tok.kind == TOK_IDENT && !parse_at_word(p, "WARP_SZ");
    if (in_register) {
        o->n = 1;
        o->elem = ARENA_NEW(&p->m->arena, struct ptx_opnd);
        *o->elem = (struct ptx_opnd){.loc = p->tok.loc};
        if (!parse_symbol_opnd(p, in, o->elem)) return false;
        if (o->elem->kind != PTX_REG && o->elem->kind != PTX_SINK)
            return parse_error(p, o->elem->loc, "an index is a constant or a register");
    }
    if (in_register ? !parse_offset(p, &count) : !parse_int_expr(p, &count)) return false;
    o->off = (i64)((u64)count * (u64)element_b);
    o->indexed = true;
    return parse_expect(p, ']');
}

/* What may follow a register or variable: `+ 4`, or an index */
static bool parse_displacement(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o) {
    if (o->kind == PTX_VAR) return parse_accept(p, '[') ? parse_index(p, in, o) : parse_offset(p, &o->off);
    return o->kind != PTX_REG || o->sel || !parse_at(p, '+') || parse_offset(p, &o->off);
}

static bool parse_named(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o, u32 depth) {
    bool negate = parse_accept(p, '!') || parse_accept(p, '-');
    if (p->tok.len == 1 && p->tok.text[0] == '_' && !negate) {
        o->kind = PTX_SINK;
        parse_advance(p);
    } else if (!parse_symbol_opnd(p, in, o)) {
        return false;
    }
    o->negate = negate;
    if (!parse_displacement(p, in, o)) return false;
    return !parse_accept(p, '|') || parse_pair(p, in, o, depth);
}

static bool is_name(const struct token *t) {
    return t->kind == TOK_IDENT && !(t->len == 7 && memcmp(t->text, "WARP_SZ", 7) == 0);
}

static bool parse_opnd(struct parser *p, const struct ptx_inst *in, struct ptx_opnd *o, u32 depth) {
    enum { MAX_NEST = 4 };
    *o = (struct ptx_opnd){.loc = p->tok.loc};
    if (depth > MAX_NEST) return parse_error(p, p->tok.loc, "operands nest too deeply");
    if (is_name(&p->tok)) return parse_named(p, in, o, depth);
    if (parse_at(p, '!') || parse_at(p, '-')) {
        struct token next = parse_peek(p);
        if (is_name(&next)) return parse_named(p, in, o, depth);
    }
    if (parse_accept(p, '[')) return parse_mem(p, in, o, depth);
    if (parse_accept(p, '{')) {
        p->open_braces++;
        o->kind = PTX_VEC;
        if (!parse_elems(p, in, o, '}', depth)) return false;
        return !parse_accept(p, '|') || parse_pair(p, in, o, depth);
    }
    if (p->tok.kind == TOK_INT || p->tok.kind == TOK_FLOAT || p->tok.kind == TOK_IDENT || p->tok.kind == TOK_PUNCT) {
        bool starts = p->tok.kind != TOK_PUNCT || parse_at(p, '(') || parse_at(p, '-') || parse_at(p, '+') || parse_at(p, '~') ||
                      parse_at(p, '!');
        if (starts) return parse_imm(p, o);
    }
    return parse_expected(p, "an operand");
}

/* --- operand lists by kind of instruction */

static void keep_opnds(struct parser *p, struct ptx_inst *in) {
    struct ptx_opnd all;
    keep_elems(p, &all, 0);
    in->nopnds = (u8)all.n;
    in->opnds = all.elem;
}

static bool parse_opnds(struct parser *p, struct ptx_inst *in) {
    if (!parse_at(p, ';')) {
        do {
            if (p->opnd_stack.n == MAX_OPNDS) return parse_error(p, p->tok.loc, "too many operands");
            if (!push_opnd(p, in, 0, 0)) return false;
        } while (parse_accept(p, ','));
    }
    keep_opnds(p, in);
    return true;
}

static bool parse_bra(struct parser *p, struct ptx_inst *in) {
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a label");
    in->nopnds = 1;
    in->opnds = ARENA_NEW(&p->m->arena, struct ptx_opnd);
    *in->opnds = (struct ptx_opnd){.kind = PTX_LABEL, .loc = p->tok.loc};
    scope_refer_label(p, name_of_token(p), p->tok.loc, &in->opnds->label);
    parse_advance(p);
    return true;
}

static bool parse_table_name(struct parser *p, u8 kinds) {
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a label");
    scope_refer_table(p, name_of_token(p), p->tok.loc, p->insts.n, kinds);
    parse_advance(p);
    return true;
}

/* brx.idx index, table; */
static bool parse_brx(struct parser *p, struct ptx_inst *in) {
    if (!push_opnd(p, in, 0, 0) || !parse_expect(p, ',')) return false;
    keep_opnds(p, in);
    return parse_table_name(p, 1 << TABLE_BRANCHTARGETS);
}

/* ( a, b ) of a call, after the parenthesis */
static bool push_call_list(struct parser *p, struct ptx_inst *in) {
    struct ptx_opnd o = {.kind = PTX_LIST, .loc = p->tok.loc};
    if (!parse_elems(p, in, &o, ')', 0)) return false;
    VEC_PUSH(&p->opnd_stack, o);
    return true;
}

/* OptiX's compiler takes calls of its library without a declaration */
static bool is_runtime_call(const char *name) { return strncmp(name, "_optix_", 7) == 0 || strncmp(name, "_rt_", 4) == 0; }

static bool push_call_target(struct parser *p, struct ptx_inst *in) {
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a function or a register");
    struct name *n = name_of_token(p);
    struct symbol *s = scope_find(p, n);
    struct ptx_opnd o = {.kind = PTX_SINK, .loc = p->tok.loc};
    if (!s && is_runtime_call(n->text)) {
        o.kind = PTX_FUNC;
        o.name = n->text;
        parse_advance(p);
    } else if (!s || (s->kind != SYM_FUNC && s->kind != SYM_REG)) {
        scope_undeclared(p, n, p->tok.loc, "function");
        parse_advance(p);
    } else if (!parse_symbol_opnd(p, in, &o)) {
        return false;
    }
    VEC_PUSH(&p->opnd_stack, o);
    return true;
}

/* call [(results),] target [, (arguments)] [, table]; */
static bool parse_call(struct parser *p, struct ptx_inst *in) {
    if (parse_accept(p, '(') && (!push_call_list(p, in) || !parse_expect(p, ','))) return false;
    if (!push_call_target(p, in)) return false;
    bool more = parse_accept(p, ',');
    if (more && parse_accept(p, '(')) {
        if (!push_call_list(p, in)) return false;
        more = parse_accept(p, ',');
    }
    keep_opnds(p, in);
    return !more || parse_table_name(p, 1 << TABLE_CALLTARGETS | 1 << TABLE_CALLPROTOTYPE);
}

/* --- the statement */

static bool parse_guard(struct parser *p, struct ptx_inst *in) {
    in->guard_negate = parse_accept(p, '!');
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a predicate register");
    struct name *n = name_of_token(p);
    struct symbol *s = scope_find(p, n);
    if (!s) scope_undeclared(p, n, p->tok.loc, "register");
    else if (s->kind != SYM_REG || s->type != TYPE_pred)
        parse_error(p, p->tok.loc, "'%s' is not a predicate; a guard needs a register of type .pred", n->text);
    else in->guard = s->index;
    parse_advance(p);
    return true;
}

/* The instruction as written, without comments, each run of white space one blank */
static const char *fold_text(struct parser *p, const char *from, const char *to) {
    struct lexer lx;
    char *text = arena_alloc(&p->m->arena, (size_t)(to - from) + 1), *out = text;
    lexer_init(&lx, from, (size_t)(to - from));
    while (lx.p < lx.end) {
        const char *before = lx.p;
        lexer_skip_blank(&lx);
        if (lx.p > before) *out++ = ' ';
        if (lx.p < lx.end) *out++ = *lx.p++;
    }
    return text;
}

bool parse_inst(struct parser *p) {
    struct ptx_inst in = {.guard = NONE, .table = NONE, .src_line = p->loc_line};
    p->opnd_stack.n = 0;
    p->depth = 0;
    if (parse_accept(p, '@') && !parse_guard(p, &in)) return false;
    in.loc = p->tok.loc;
    const char *start = p->tok.text;
    if (!parse_opcode(p, &in)) return false;
    bool ok = in.key.op == OP_bra    ? parse_bra(p, &in)
              : in.key.op == OP_brx  ? parse_brx(p, &in)
              : in.key.op == OP_call ? parse_call(p, &in)
                                     : parse_opnds(p, &in);
    in.text = fold_text(p, start, p->prev_end);
    VEC_PUSH(&p->insts, in);
    VEC_PUSH(&p->inst_files, p->loc_file);
    if (!ok) return false;
    return parse_at(p, ';') ? parse_expect(p, ';') : parse_expected(p, in.nopnds ? "',' or ';'" : "';'");
}
