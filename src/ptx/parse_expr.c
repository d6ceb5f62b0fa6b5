/* Constant expressions: C's operators over 64-bit integers and doubles, as PTX allows them wherever a
 * constant may stand. */
#include "ptx/parse.h"

#include <string.h>

static bool is_float(const struct const_value *v) { return v->kind >= CONST_F32; }

static double const_double(const struct const_value *v) {
    double d;
    float f;
    u32 low = (u32)v->bits;
    switch (v->kind) {
    case CONST_S64: return (double)(i64)v->bits;
    case CONST_U64: return (double)v->bits;
    case CONST_F32: memcpy(&f, &low, 4); return f;
    default: memcpy(&d, &v->bits, 8); return d;
    }
}

static struct const_value const_from_double(double d) {
    struct const_value v = {.kind = CONST_F64};
    memcpy(&v.bits, &d, 8);
    return v;
}

static struct const_value const_from_bool(bool b) { return (struct const_value){CONST_S64, b}; }

static bool const_true(const struct const_value *v) { return is_float(v) ? const_double(v) != 0 : v->bits != 0; }

/* --- binary operators */

struct binary {
    u16 punct;
    u8 level; /* higher binds tighter */
};
static const struct binary binaries[] = {
    {PUNCT2('|', '|'), 1},
    {PUNCT2('&', '&'), 2},
    {'|', 3},
    {'^', 4},
    {'&', 5},
    {PUNCT2('=', '='), 6},
    {PUNCT2('!', '='), 6},
    {'<', 7},
    {'>', 7},
    {PUNCT2('<', '='), 7},
    {PUNCT2('>', '='), 7},
    {PUNCT2('<', '<'), 8},
    {PUNCT2('>', '>'), 8},
    {'+', 9},
    {'-', 9},
    {'*', 10},
    {'/', 10},
    {'%', 10},
};
enum { LEVEL_SHIFT = 8 };

static bool divide(struct parser *p, struct ptx_loc loc, u16 op, const struct const_value *a, const struct const_value *b,
                   struct const_value *out) {
    if (b->bits == 0) return parse_error(p, loc, "division by zero in a constant expression");
    if (out->kind == CONST_U64) out->bits = op == '/' ? a->bits / b->bits : a->bits % b->bits;
    else if (b->bits == UINT64_MAX) /* -1: INT64_MIN / -1 would trap */ out->bits = op == '/' ? 0 - a->bits : 0;
    else out->bits = (u64)(op == '/' ? (i64)a->bits / (i64)b->bits : (i64)a->bits % (i64)b->bits);
    return true;
}

static u64 shift(u16 op, const struct const_value *a, u64 by) {
    if (op == PUNCT2('<', '<')) return by < 64 ? a->bits << by : 0;
    if (a->kind == CONST_U64) return by < 64 ? a->bits >> by : 0;
    return (u64)((i64)a->bits >> (by < 64 ? by : 63));
}

static int compare(const struct const_value *a, const struct const_value *b, bool is_unsigned) {
    if (is_unsigned) return (a->bits > b->bits) - (a->bits < b->bits);
    return ((i64)a->bits > (i64)b->bits) - ((i64)a->bits < (i64)b->bits);
}

static bool apply_int(struct parser *p, struct ptx_loc loc, u16 op, const struct const_value *a, const struct const_value *b,
                      struct const_value *out) {
    bool is_unsigned = a->kind == CONST_U64 || b->kind == CONST_U64;
    out->kind = is_unsigned ? CONST_U64 : CONST_S64;
    switch (op) {
    case '+': out->bits = a->bits + b->bits; return true;
    case '-': out->bits = a->bits - b->bits; return true;
    case '*': out->bits = a->bits * b->bits; return true;
    case '&': out->bits = a->bits & b->bits; return true;
    case '|': out->bits = a->bits | b->bits; return true;
    case '^': out->bits = a->bits ^ b->bits; return true;
    case '/':
    case '%': return divide(p, loc, op, a, b, out);
    case PUNCT2('<', '<'):
    case PUNCT2('>', '>'):
        out->kind = a->kind;
        out->bits = shift(op, a, b->bits);
        return true;
    case PUNCT2('|', '|'): *out = const_from_bool(a->bits || b->bits); return true;
    case PUNCT2('&', '&'): *out = const_from_bool(a->bits && b->bits); return true;
    case PUNCT2('=', '='): *out = const_from_bool(a->bits == b->bits); return true;
    case PUNCT2('!', '='): *out = const_from_bool(a->bits != b->bits); return true;
    case '<': *out = const_from_bool(compare(a, b, is_unsigned) < 0); return true;
    case '>': *out = const_from_bool(compare(a, b, is_unsigned) > 0); return true;
    case PUNCT2('<', '='): *out = const_from_bool(compare(a, b, is_unsigned) <= 0); return true;
    default: *out = const_from_bool(compare(a, b, is_unsigned) >= 0); return true;
    }
}

static bool apply_float(struct parser *p, struct ptx_loc loc, u16 op, double a, double b, struct const_value *out) {
    switch (op) {
    case '+': *out = const_from_double(a + b); return true;
    case '-': *out = const_from_double(a - b); return true;
    case '*': *out = const_from_double(a * b); return true;
    case '/':
        if (b == 0) return parse_error(p, loc, "division by zero in a constant expression");
        *out = const_from_double(a / b);
        return true;
    case PUNCT2('=', '='): *out = const_from_bool(a == b); return true;
    case PUNCT2('!', '='): *out = const_from_bool(a != b); return true;
    case '<': *out = const_from_bool(a < b); return true;
    case '>': *out = const_from_bool(a > b); return true;
    case PUNCT2('<', '='): *out = const_from_bool(a <= b); return true;
    case PUNCT2('>', '='): *out = const_from_bool(a >= b); return true;
    default: return parse_error(p, loc, "this operator needs integers; an operand is floating point");
    }
}

static bool apply(struct parser *p, struct ptx_loc loc, u16 op, struct const_value a, struct const_value b,
                  struct const_value *out) {
    if (is_float(&a) || is_float(&b)) return apply_float(p, loc, op, const_double(&a), const_double(&b), out);
    return apply_int(p, loc, op, &a, &b, out);
}

/* --- operands */

static bool parse_unary(struct parser *p, struct const_value *v);

static bool negate(struct parser *p, struct const_value *v) {
    if (!parse_unary(p, v)) return false;
    if (v->kind == CONST_F32) v->bits ^= 0x80000000u;
    else if (v->kind == CONST_F64) v->bits ^= 1ull << 63;
    else v->bits = 0 - v->bits;
    return true;
}

static bool complement(struct parser *p, struct const_value *v) {
    struct ptx_loc loc = p->tok.loc;
    if (!parse_unary(p, v)) return false;
    if (is_float(v)) return parse_error(p, loc, "'~' needs an integer");
    v->bits = ~v->bits;
    return true;
}

static bool logical_not(struct parser *p, struct const_value *v) {
    if (!parse_unary(p, v)) return false;
    *v = const_from_bool(!const_true(v));
    return true;
}

/* After "(": a cast or a parenthesised expression */
static bool parse_paren(struct parser *p, struct const_value *v) {
    bool to_signed = parse_at_word(p, ".s64"), to_unsigned = parse_at_word(p, ".u64");
    if (!to_signed && !to_unsigned) return parse_expr(p, v) && parse_expect(p, ')');
    parse_advance(p);
    struct ptx_loc loc = p->tok.loc;
    if (!parse_expect(p, ')') || !parse_unary(p, v)) return false;
    if (is_float(v)) return parse_error(p, loc, "a cast needs an integer");
    v->kind = to_signed ? CONST_S64 : CONST_U64;
    return true;
}

static bool parse_literal(struct parser *p, struct const_value *v) {
    enum { WARP_SZ = 32 };
    if (p->tok.kind == TOK_INT) {
        bool is_unsigned = p->tok.is_unsigned || p->tok.value > INT64_MAX;
        *v = (struct const_value){is_unsigned ? CONST_U64 : CONST_S64, p->tok.value};
    } else if (p->tok.kind == TOK_FLOAT) {
        *v = (struct const_value){p->tok.imm_kind == IMM_F32 ? CONST_F32 : CONST_F64, p->tok.value};
    } else if (parse_at_word(p, "WARP_SZ")) {
        *v = (struct const_value){CONST_S64, WARP_SZ};
    } else {
        return parse_expected(p, "a constant");
    }
    parse_advance(p);
    return true;
}

static bool parse_unary(struct parser *p, struct const_value *v) {
    if (p->depth >= MAX_DEPTH) return parse_error(p, p->tok.loc, "expression nests too deeply; the limit is %d", MAX_DEPTH);
    p->depth++;
    bool ok;
    if (parse_accept(p, '-')) ok = negate(p, v);
    else if (parse_accept(p, '+')) ok = parse_unary(p, v);
    else if (parse_accept(p, '~')) ok = complement(p, v);
    else if (parse_accept(p, '!')) ok = logical_not(p, v);
    else if (parse_accept(p, '(')) ok = parse_paren(p, v);
    else ok = parse_literal(p, v);
    p->depth--;
    return ok;
}

static const struct binary *binary_at(const struct parser *p) {
    if (p->tok.kind != TOK_PUNCT) return NULL;
    for (size_t i = 0; i < ARRAY_LEN(binaries); i++)
        if (binaries[i].punct == p->tok.punct) return &binaries[i];
    return NULL;
}

/* Operators of `level` and tighter; recursion goes one level up each time, so it is at most as deep as there
 * are levels */
static bool parse_binary(struct parser *p, u8 level, struct const_value *v) {
    if (!parse_unary(p, v)) return false;
    for (const struct binary *b; (b = binary_at(p)) && b->level >= level;) {
        struct ptx_loc loc = p->tok.loc;
        struct const_value right;
        parse_advance(p);
        if (!parse_binary(p, b->level + 1, &right) || !apply(p, loc, b->punct, *v, right, v)) return false;
    }
    return true;
}

bool parse_expr(struct parser *p, struct const_value *v) {
    if (p->depth >= MAX_DEPTH) return parse_error(p, p->tok.loc, "expression nests too deeply; the limit is %d", MAX_DEPTH);
    p->depth++;
    bool ok = parse_binary(p, 1, v);
    if (ok && parse_accept(p, '?')) {
        struct const_value yes, no;
        ok = parse_expr(p, &yes) && parse_expect(p, ':') && parse_expr(p, &no);
        if (ok) *v = const_true(v) ? yes : no;
    }
    p->depth--;
    return ok;
}

bool parse_int_expr(struct parser *p, i64 *v) {
    struct ptx_loc loc = p->tok.loc;
    struct const_value c;
    if (!parse_expr(p, &c)) return false;
    if (is_float(&c)) return parse_error(p, loc, "expected an integer, not a floating-point constant");
    *v = (i64)c.bits;
    return true;
}

bool parse_offset(struct parser *p, i64 *off) {
    struct ptx_loc loc = p->tok.loc;
    struct const_value c;
    *off = 0;
    if (!parse_at(p, '+') && !parse_at(p, '-')) return true;
    if (!parse_binary(p, LEVEL_SHIFT, &c)) return false;
    if (is_float(&c)) return parse_error(p, loc, "an address offset must be an integer");
    *off = (i64)c.bits;
    return true;
}
