/* When do two elements agree? The rules of recorded vectors, on values widened exactly to double. */
#include "cli/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct vec_type types[] = {
    {"b8", 1, VEC_BITS},    {"u8", 1, VEC_BITS},    {"s8", 1, VEC_SIGNED},   {"b16", 2, VEC_BITS},   {"u16", 2, VEC_BITS},
    {"s16", 2, VEC_SIGNED}, {"b32", 4, VEC_BITS},   {"u32", 4, VEC_BITS},    {"s32", 4, VEC_SIGNED}, {"b64", 8, VEC_BITS},
    {"u64", 8, VEC_BITS},   {"s64", 8, VEC_SIGNED}, {"f16", 2, VEC_F16},     {"bf16", 2, VEC_BF16},  {"f32", 4, VEC_F32},
    {"f64", 8, VEC_F64},    {"f16x2", 2, VEC_F16},  {"bf16x2", 2, VEC_BF16},
};

static const struct {
    const char *name;
    enum vec_rule_kind kind;
    bool has_bound;
} rules[] = {
    {"bits", RULE_BITS, false}, {"nan", RULE_NAN, false}, {"ulp", RULE_ULP, true},  {"rel", RULE_REL, true},
    {"abs", RULE_ABS, true},    {"lg2", RULE_LG2, false}, {"rec", RULE_REC, false},
};

/* 0.001 or 2^-10.98 */
static bool parse_bound(const char *s, double *out) {
    char *end;
    if (strncmp(s, "2^", 2) == 0) *out = exp2(strtod(s + 2, &end));
    else *out = strtod(s, &end);
    return *s && !*end && *out >= 0;
}

static bool parse_rule(const char *s, struct vec_rule *rule) {
    for (u32 i = 0; i < ARRAY_LEN(rules); i++) {
        size_t n = strlen(rules[i].name);
        if (strncmp(s, rules[i].name, n)) continue;
        rule->kind = rules[i].kind;
        return rules[i].has_bound ? s[n] == ':' && parse_bound(s + n + 1, &rule->bound) : s[n] == 0;
    }
    return false;
}

bool vec_compare_parse(const char *text, struct vec_type *type, struct vec_rule *rule) {
    const char *slash = strchr(text, '/');
    for (u32 i = 0; slash && i < ARRAY_LEN(types); i++) {
        if (strlen(types[i].name) != (size_t)(slash - text) || memcmp(types[i].name, text, (size_t)(slash - text))) continue;
        *type = types[i];
        return parse_rule(slash + 1, rule);
    }
    return false;
}

u64 vec_load(const u8 *at, u32 size_b) {
    u64 u = 0;
    memcpy(&u, at, size_b);
    return u;
}

/* --- values */

static double half_value(u32 h) {
    u32 exponent = h >> 10 & 31, fraction = h & 1023;
    double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                       : exponent     ? ldexp(1024 + fraction, (int)exponent - 25)
                                      : ldexp(fraction, -24);
    return h >> 15 & 1 ? -magnitude : magnitude;
}

static double float_value(u32 w) {
    float f;
    memcpy(&f, &w, sizeof(f));
    return (double)f;
}

static double value_of(const struct vec_type *t, u64 bits) {
    double d;
    u32 shift = 64 - 8 * t->size_b;
    switch (t->kind) {
    case VEC_BITS: return (double)bits;
    case VEC_SIGNED: return (double)((i64)(bits << shift) >> shift);
    case VEC_F16: return half_value((u32)bits);
    case VEC_BF16: return float_value((u32)bits << 16);
    case VEC_F32: return float_value((u32)bits);
    case VEC_F64: memcpy(&d, &bits, sizeof(d)); return d;
    }
    return 0;
}

/* Place on the line of representable values: -0 is just below +0 */
static i64 lattice(const struct vec_type *t, u64 bits) {
    u32 top = 8 * t->size_b - 1;
    u64 magnitude = bits & ((1ull << top) - 1);
    return bits >> top & 1 ? -(i64)magnitude - 1 : (i64)magnitude;
}

static bool within_ulp(const struct vec_type *t, u64 got, u64 want, double bound) {
    i64 a = lattice(t, got), b = lattice(t, want);
    u64 distance = a > b ? (u64)a - (u64)b : (u64)b - (u64)a;
    return (double)distance <= bound;
}

static bool within_rel(double a, double b, double bound) {
    return isfinite(a) && isfinite(b) && fabs(a - b) <= bound * fmax(fabs(a), fabs(b));
}

bool vec_agree(const struct vec_type *t, const struct vec_rule *r, u64 got, u64 want) {
    if (got == want || r->kind == RULE_REC) return true;
    if (r->kind == RULE_BITS) return false;
    double a = value_of(t, got), b = value_of(t, want);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    switch (r->kind) {
    case RULE_ULP: return within_ulp(t, got, want, r->bound);
    case RULE_REL: return a == b || within_rel(a, b, r->bound);
    case RULE_ABS: return a == b || fabs(a - b) <= r->bound;
    case RULE_LG2: return a == b || fabs(a - b) <= 0x1p-21 || within_rel(a, b, 0x1p-21);
    default: return false;
    }
}

char *vec_print(char to[48], const struct vec_type *t, u64 bits) {
    int digits = (int)(2 * t->size_b);
    if (t->kind == VEC_BITS) snprintf(to, 48, "0x%0*llx", digits, (unsigned long long)bits);
    else snprintf(to, 48, "0x%0*llx (%.9g)", digits, (unsigned long long)bits, value_of(t, bits));
    return to;
}
