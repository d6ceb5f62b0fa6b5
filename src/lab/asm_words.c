/* The assembler's words: a line cut into them, names of registers, data and labels, numbers, and messages
 * that point at a word. */
#include "lab/asm.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct token end_of_line = {"", 0, 0};
const struct token *as_peek(const struct as *a) { return a->at < a->n ? &a->tok[a->at] : &end_of_line; }
static u32 col_of(const struct as *a, const struct token *t) {
    if (t->len) return t->col;
    return a->n ? a->tok[a->n - 1].col + a->tok[a->n - 1].len : 1;
}
bool as_is(const struct token *t, const char *s) { return t->len == strlen(s) && memcmp(t->at, s, t->len) == 0; }
bool as_take(struct as *a, const char *s) {
    bool hit = as_is(as_peek(a), s);
    a->at += hit;
    return hit;
}

bool as_complain(struct as *a, const struct token *t, const char *fmt, ...) {
    struct strbuf s = {0};
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&s, fmt, ap);
    va_end(ap);
    if (!diag_full(a->d)) diag_error(a->d, a->p->file, a->line, col_of(a, t), "%s", s.s);
    strbuf_free(&s);
    a->bad = true;
    return false;
}

/* "found X": for messages */
const char *as_found(const struct token *t, char buf[48]) {
    if (!t->len) return "the line ends here";
    snprintf(buf, 48, "found \"%.*s\"", (int)MIN(t->len, 30u), t->at);
    return buf;
}

char *as_word(struct as *a, const struct token *t) { return arena_strdup(&a->p->mem, t->at, t->len); }
bool as_is_word(const struct token *t) { return t->len && (isalpha((u8)t->at[0]) || t->at[0] == '_'); }

/* --- tokens */

static u32 sign_length(const char *s) {
    static const char *const signs[] = {"<-", "->", "=>", "++", "--", ">>", "<<", "==", "!=", ">=", "\xE2\x86\x90"};
    for (u32 i = 0; i < ARRAY_LEN(signs); i++)
        if (strncmp(s, signs[i], strlen(signs[i])) == 0) return (u32)strlen(signs[i]);
    return 1;
}

void as_tokens(struct as *a, const char *line, size_t len) {
    a->n = a->at = 0;
    a->overlong = false;
    for (size_t i = 0; i < len;) {
        u8 c = (u8)line[i];
        if (c == ';' || c == '#' || (c == '/' && i + 1 < len && line[i + 1] == '/')) return;
        if (isspace(c)) {
            i++;
            continue;
        }
        size_t n = 1;
        if (isalnum(c) || c == '_' || c == '.') {
            while (i + n < len && (isalnum((u8)line[i + n]) || line[i + n] == '_' || line[i + n] == '.')) n++;
        } else {
            n = MIN(sign_length(line + i), len - i);
        }
        if (a->n == MAX_TOKENS) {
            a->overlong = true;
            return;
        }
        a->tok[a->n++] = (struct token){line + i, (u32)n, (u32)i + 1};
        i += n;
    }
}

/* --- names */

static const struct {
    const char *prefix;
    u8 first, count;
} files[] = {{"R", REG_R, 32}, {"A", REG_A, 16}, {"X", REG_X, 16}, {"MM", REG_MM, 8}, {"V", REG_V, LAB_VREGS}};
static const struct {
    const char *name;
    u8 reg;
} singles[] = {{"VLEN", REG_VLEN}, {"VSTR", REG_VSTR}, {"VMASK", REG_VMASK},
               {"AEQ", REG_AEQ},   {"EAQ", REG_EAQ},   {"TID", REG_TID}};

const char *lab_reg_name(u8 reg, char buf[8]) {
    for (u32 i = 0; i < ARRAY_LEN(singles); i++)
        if (singles[i].reg == reg) return singles[i].name;
    for (u32 i = 0; i < ARRAY_LEN(files); i++)
        if (reg >= files[i].first && reg < files[i].first + files[i].count)
            snprintf(buf, 8, "%s%u", files[i].prefix, (u32)(reg - files[i].first));
    return buf;
}

/* REG_NONE when it is no register. A name like R99 is one that does not exist: told. */
u8 as_register(struct as *a, const struct token *t) {
    for (u32 i = 0; i < ARRAY_LEN(singles); i++)
        if (t->len == strlen(singles[i].name) && strncasecmp(t->at, singles[i].name, t->len) == 0) return singles[i].reg;
    for (u32 i = 0; i < ARRAY_LEN(files); i++) {
        size_t n = strlen(files[i].prefix);
        if (t->len <= n || t->len > n + 4 || strncasecmp(t->at, files[i].prefix, n)) continue;
        u32 number = 0, k = (u32)n;
        for (; k < t->len && isdigit((u8)t->at[k]); k++) number = number * 10 + (u32)(t->at[k] - '0');
        if (k < t->len) continue;
        if (number < files[i].count) return (u8)(files[i].first + number);
        as_complain(a, t, "there is no register %.*s; %s0 to %s%u are", (int)t->len, t->at, files[i].prefix, files[i].prefix,
                    files[i].count - 1u);
        return REG_NONE;
    }
    return REG_NONE;
}

bool as_number(struct as *a, i64 *out) {
    u32 from = a->at;
    bool minus = as_take(a, "-");
    const struct token *t = as_peek(a);
    if (!t->len || !isdigit((u8)t->at[0])) {
        a->at = from;
        return false;
    }
    char buf[40], *end;
    snprintf(buf, sizeof(buf), "%.*s", (int)MIN(t->len, 39u), t->at);
    errno = 0;
    unsigned long long x = strtoull(buf, &end, 0);
    if (*end || errno || x > (unsigned long long)INT64_MAX + minus)
        return as_complain(a, t, "\"%s\" is not a number of at most 64 bits", buf);
    *out = minus ? (i64)(0 - x) : (i64)x;
    a->at++;
    return true;
}

const struct lab_symbol *lab_symbol_find(const struct lab_program *p, const char *name) {
    for (u32 i = 0; i < p->symbols.n; i++)
        if (strcmp(p->symbols.at[i].name, name) == 0) return &p->symbols.at[i];
    return NULL;
}

const struct label *as_label(const struct as *a, const char *name) {
    for (u32 i = 0; i < a->labels.n; i++)
        if (strcmp(a->labels.at[i].name, name) == 0) return &a->labels.at[i];
    return NULL;
}

const char *as_near(const struct as *a, const char *name, bool data) {
    const char *names[256];
    u32 n = 0;
    for (u32 i = 0; data && i < a->p->symbols.n && n < 256; i++) names[n++] = a->p->symbols.at[i].name;
    for (u32 i = 0; !data && i < a->labels.n && n < 256; i++) names[n++] = a->labels.at[i].name;
    return text_nearest(name, names, n);
}

/* A number or the address of a data name */
bool as_value(struct as *a, i64 *out) {
    const struct token *t = as_peek(a);
    if (as_number(a, out)) return true;
    if (a->bad) return false;
    char buf[48];
    if (!as_is_word(t)) return as_complain(a, t, "expected a number or a data name; %s", as_found(t, buf));
    char *name = as_word(a, t);
    const struct lab_symbol *s = lab_symbol_find(a->p, name);
    const char *near = as_near(a, name, true);
    if (!s && near) return as_complain(a, t, "no data is called \"%s\"; did you mean \"%s\"?", name, near);
    if (!s) return as_complain(a, t, "no data is called \"%s\"; a line \".data %s 1 2 3\" would make it", name, name);
    *out = s->address;
    a->at++;
    return true;
}
