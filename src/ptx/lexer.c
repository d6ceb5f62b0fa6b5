/* The lexer: one token at a time, never past the end of the text, which may hold any bytes.
 *
 * A dot and the word after it are one token, so that `.2d`, `.f32` and `.L2::128B` need no context. A dot
 * before a digit is a decimal fraction unless it follows a word directly (`tex.2d`). */
#include "ptx/lexer.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '$'; }

static int digit_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

/* The character at offset i, or 0 beyond the end */
static char peek_at(const struct lexer *lx, size_t i) { return (size_t)(lx->end - lx->p) > i ? lx->p[i] : 0; }

void lexer_init(struct lexer *lx, const char *text, size_t len) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    *lx = (struct lexer){.p = text, .end = text + len, .line_start = text, .line = 1};
    if (len >= 3 && memcmp(text, byte_order_mark, 3) == 0) lx->p = lx->line_start = text + 3;
}

static void newline(struct lexer *lx) {
    lx->line++;
    lx->line_start = lx->p + 1;
}

static bool skip_block_comment(struct lexer *lx) {
    lx->comment = lx->p;
    lx->comment_loc = (struct ptx_loc){lx->line, (u32)(lx->p - lx->line_start) + 1};
    for (lx->p += 2; lx->p < lx->end; lx->p++) {
        if (*lx->p == '\n') newline(lx);
        if (*lx->p == '*' && peek_at(lx, 1) == '/') {
            lx->p += 2;
            return true;
        }
    }
    return false;
}

bool lexer_skip_blank(struct lexer *lx) {
    while (lx->p < lx->end) {
        char c = *lx->p;
        if (c == '\n') {
            newline(lx);
            lx->p++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            lx->p++;
        } else if (c == '/' && peek_at(lx, 1) == '/') {
            while (lx->p < lx->end && *lx->p != '\n') lx->p++;
        } else if (c == '/' && peek_at(lx, 1) == '*') {
            if (!skip_block_comment(lx)) return false;
        } else {
            break;
        }
    }
    return true;
}

static void skip_word(struct lexer *lx) {
    while (lx->p < lx->end && is_word(*lx->p)) lx->p++;
}

static void lex_bad(struct token *t, const char *why) {
    t->kind = TOK_BAD;
    t->why = why;
}

/* --- numbers */

/* Digits of `base` into value; false when there is none or they do not fit 64 bits */
static bool lex_digits(struct lexer *lx, u64 base, u64 *value) {
    const char *start = lx->p;
    u64 v = 0;
    for (; lx->p < lx->end; lx->p++) {
        u64 d = (u64)digit_value(*lx->p);
        if (d >= base) break;
        if (v > (UINT64_MAX - d) / base) return false;
        v = v * base + d;
    }
    *value = v;
    return lx->p > start;
}

static void lex_int(struct lexer *lx, struct token *t, u32 prefix, u64 base) {
    lx->p += prefix;
    t->kind = TOK_INT;
    bool ok = lex_digits(lx, base, &t->value);
    if (ok && lx->p < lx->end && (*lx->p == 'U' || *lx->p == 'u')) {
        t->is_unsigned = true;
        lx->p++;
    }
    if (!ok || (lx->p < lx->end && is_word(*lx->p))) {
        bool octal = ok && base == 8 && is_digit(*lx->p);
        skip_word(lx);
        lex_bad(t, octal ? "a leading 0 makes it octal, which has no digits 8 and 9" : "not a 64-bit integer");
    }
}

/* 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits themselves */
static void lex_float_bits(struct lexer *lx, struct token *t, u32 digits) {
    lx->p += 2;
    const char *start = lx->p;
    t->kind = TOK_FLOAT;
    t->imm_kind = digits == 8 ? IMM_F32 : IMM_F64;
    bool ok = lex_digits(lx, 16, &t->value);
    if (!ok || lx->p - start != (ptrdiff_t)digits || (lx->p < lx->end && is_word(*lx->p))) {
        skip_word(lx);
        lex_bad(t, digits == 8 ? "0f takes exactly 8 hexadecimal digits" : "0d takes exactly 16 hexadecimal digits");
    }
}

/* The length of a decimal fraction at p, or 0 when what stands there is an integer */
static size_t decimal_length(const struct lexer *lx) {
    size_t i = 0;
    bool fraction = false;
    while (is_digit(peek_at(lx, i))) i++;
    if (peek_at(lx, i) == '.') {
        fraction = true;
        for (i++; is_digit(peek_at(lx, i));) i++;
    }
    if (peek_at(lx, i) == 'e' || peek_at(lx, i) == 'E') {
        size_t e = i + 1;
        if (peek_at(lx, e) == '+' || peek_at(lx, e) == '-') e++;
        if (is_digit(peek_at(lx, e))) {
            fraction = true;
            for (i = e; is_digit(peek_at(lx, i));) i++;
        }
    }
    return fraction ? i : 0;
}

static void lex_decimal(struct lexer *lx, struct token *t, size_t len) {
    char copy[512];
    t->kind = TOK_FLOAT;
    t->imm_kind = IMM_F64;
    if (len >= sizeof(copy)) {
        lx->p += len;
        lex_bad(t, "too many digits");
        return;
    }
    memcpy(copy, lx->p, len);
    copy[len] = 0;
    lx->p += len;
    /* the host program's locale may write decimals with a comma; glibc's "C" locale object costs nothing to
     * ask for */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = strtod_l(copy, NULL, c_locale);
    freelocale(c_locale);
    memcpy(&t->value, &value, 8);
    if (lx->p < lx->end && is_word(*lx->p)) {
        skip_word(lx);
        lex_bad(t, "malformed number");
    }
}

static void lex_number(struct lexer *lx, struct token *t) {
    char c = peek_at(lx, 1);
    if (*lx->p == '0') {
        if (c == 'x' || c == 'X') {
            lex_int(lx, t, 2, 16);
            return;
        }
        if (c == 'b' || c == 'B') {
            lex_int(lx, t, 2, 2);
            return;
        }
        if (c == 'f' || c == 'F') {
            lex_float_bits(lx, t, 8);
            return;
        }
        if (c == 'd' || c == 'D') {
            lex_float_bits(lx, t, 16);
            return;
        }
    }
    size_t len = decimal_length(lx);
    if (len) lex_decimal(lx, t, len);
    else lex_int(lx, t, 0, *lx->p == '0' ? 8 : 10);
}

/* --- words and the rest */

static void lex_dot(struct lexer *lx, struct token *t) {
    t->kind = TOK_DOT;
    lx->p++;
    if (lx->p == lx->end || !is_word(*lx->p)) {
        lex_bad(t, "a word must follow the dot");
        return;
    }
    skip_word(lx);
    while (peek_at(lx, 0) == ':' && peek_at(lx, 1) == ':' && is_word(peek_at(lx, 2))) {
        lx->p += 2;
        skip_word(lx);
    }
}

static void lex_string(struct lexer *lx, struct token *t) {
    t->kind = TOK_STRING;
    for (lx->p++; lx->p < lx->end && *lx->p != '\n'; lx->p++) {
        if (*lx->p == '\\' && lx->p + 1 < lx->end && lx->p[1] != '\n') {
            lx->p++;
        } else if (*lx->p == '"') {
            lx->p++;
            return;
        }
    }
    lex_bad(t, "string without a closing quote");
}

static void lex_punct(struct lexer *lx, struct token *t) {
    static const u16 pairs[] = {PUNCT2('<', '<'), PUNCT2('>', '>'), PUNCT2('<', '='), PUNCT2('>', '='),
                                PUNCT2('=', '='), PUNCT2('!', '='), PUNCT2('&', '&'), PUNCT2('|', '|')};
    u8 c = (u8)*lx->p;
    u16 two = PUNCT2(c, (u8)peek_at(lx, 1));
    t->kind = TOK_PUNCT;
    t->punct = c;
    lx->p++;
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        if (pairs[i] == two) {
            t->punct = two;
            lx->p++;
            return;
        }
    }
    if (!strchr("{}()[]<>,;:@!|&^~+-*/%?=", c) || c == 0) lex_bad(t, "no PTX token starts like this");
}

struct token lexer_next(struct lexer *lx) {
    struct token t = {.kind = TOK_EOF};
    const char *before = lx->p;
    bool closed = lexer_skip_blank(lx);
    bool after_word = lx->p == before && lx->p > lx->line_start && is_word(lx->p[-1]);
    t.text = lx->p;
    t.loc = (struct ptx_loc){lx->line, (u32)(lx->p - lx->line_start) + 1};
    if (!closed) {
        t.text = lx->comment;
        t.len = 2;
        t.loc = lx->comment_loc;
        lex_bad(&t, "comment without its closing */");
    }
    if (lx->p == lx->end) return t;
    char c = *lx->p;
    if (is_alpha(c) || ((c == '_' || c == '$' || c == '%') && is_word(peek_at(lx, 1))) || c == '_') {
        t.kind = TOK_IDENT;
        lx->p++;
        skip_word(lx);
    } else if (is_digit(c) || (c == '.' && is_digit(peek_at(lx, 1)) && !after_word)) {
        lex_number(lx, &t);
    } else if (c == '.') {
        lex_dot(lx, &t);
    } else if (c == '"') {
        lex_string(lx, &t);
    } else {
        lex_punct(lx, &t);
    }
    t.len = (u32)(lx->p - t.text);
    return t;
}
