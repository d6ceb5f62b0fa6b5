/* The assembler: text to struct lab_program, in two passes over the lines. The first takes directives and labels, the second instructions.
 *
 *     LABEL: OP operands   ; comment        a destination is followed by <- or = or a comma, other operands by a comma or the row's sign
 *     n1: OP => n2.L, n3.R                   an operator of a dataflow graph: where its result goes (a switch: => true : false)
 *     .data NAME 1 2 3     .fill NAME COUNT [FIRST [STEP]]     .bytes NAME 1 2 3     .reg R1 5     .memory WORDS
 *     .set KEY VALUE       .access   .execute                  .token n1.L VALUE [CONTEXT]
 *
 * Every mistake is told with file, line and column, what was found and what would be legal. The assembler goes on at the next line. */
#include "lab/lab.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const lab_unit_names[LAB_UNITS] = {"add", "mul", "div", "move", "load", "store", "branch"};
#define U_add    LAB_ADD
#define U_mul    LAB_MUL
#define U_div    LAB_DIV
#define U_move   LAB_MOVE
#define U_load   LAB_LOAD
#define U_store  LAB_STORE
#define U_branch LAB_BRANCH
const struct lab_op_row lab_ops[LAB_OPS] = {
#define LAB_OP(id, name, unit, operands, infix, doc) [LOP_##id] = {name, U_##unit, operands, infix, doc},
#include "lab/op.def"
#undef LAB_OP
};

enum { MAX_TOKENS = 4200, MAX_OPERANDS = 4, MAX_ERRORS = 20 };
struct token {
    const char *at;
    u32 len, col;
};
struct label {
    const char *name;
    u32 at;   /* instruction */
    i32 node; /* of a graph, or -1 */
    u32 line;
};
struct as {
    struct lab_program *p;
    struct diag *d;
    u32 line;
    struct token tok[MAX_TOKENS];
    u32 n, at;
    VEC(struct label) labels;
    u32 ncode, nnodes; /* of the first pass */
    i64 memory;        /* words that .memory asks for; 0: none */
    u32 memory_line;
    bool execute, bad, overlong;
};

static const struct token end_of_line = {"", 0, 0};
static const struct token *peek(const struct as *a) { return a->at < a->n ? &a->tok[a->at] : &end_of_line; }
static u32 col_of(const struct as *a, const struct token *t) {
    if (t->len) return t->col;
    return a->n ? a->tok[a->n - 1].col + a->tok[a->n - 1].len : 1;
}
static bool is(const struct token *t, const char *s) { return t->len == strlen(s) && memcmp(t->at, s, t->len) == 0; }
static bool take(struct as *a, const char *s) {
    bool hit = is(peek(a), s);
    a->at += hit;
    return hit;
}

__attribute__((format(printf, 3, 4))) static bool complain(struct as *a, const struct token *t, const char *fmt, ...) {
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
static const char *found(const struct token *t, char buf[48]) {
    if (!t->len) return "the line ends here";
    snprintf(buf, 48, "found \"%.*s\"", (int)MIN(t->len, 30u), t->at);
    return buf;
}

static char *word_of(struct as *a, const struct token *t) { return arena_strdup(&a->p->mem, t->at, t->len); }
static bool is_word(const struct token *t) { return t->len && (isalpha((u8)t->at[0]) || t->at[0] == '_'); }

/* --- tokens */

static u32 sign_length(const char *s) {
    static const char *const signs[] = {"<-", "->", "=>", "++", "--", ">>", "<<", "==", "!=", ">=", "\xE2\x86\x90"};
    for (u32 i = 0; i < ARRAY_LEN(signs); i++)
        if (strncmp(s, signs[i], strlen(signs[i])) == 0) return (u32)strlen(signs[i]);
    return 1;
}

static void tokens_of(struct as *a, const char *line, size_t len) {
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
static u8 register_of(struct as *a, const struct token *t) {
    for (u32 i = 0; i < ARRAY_LEN(singles); i++)
        if (t->len == strlen(singles[i].name) && strncasecmp(t->at, singles[i].name, t->len) == 0) return singles[i].reg;
    for (u32 i = 0; i < ARRAY_LEN(files); i++) {
        size_t n = strlen(files[i].prefix);
        if (t->len <= n || t->len > n + 4 || strncasecmp(t->at, files[i].prefix, n)) continue;
        u32 number = 0, k = (u32)n;
        for (; k < t->len && isdigit((u8)t->at[k]); k++) number = number * 10 + (u32)(t->at[k] - '0');
        if (k < t->len) continue;
        if (number < files[i].count) return (u8)(files[i].first + number);
        complain(a, t, "there is no register %.*s; %s0 to %s%u are", (int)t->len, t->at, files[i].prefix, files[i].prefix,
                 files[i].count - 1u);
        return REG_NONE;
    }
    return REG_NONE;
}

static bool number_of(struct as *a, i64 *out) {
    u32 from = a->at;
    bool minus = take(a, "-");
    const struct token *t = peek(a);
    if (!t->len || !isdigit((u8)t->at[0])) {
        a->at = from;
        return false;
    }
    char buf[40], *end;
    snprintf(buf, sizeof(buf), "%.*s", (int)MIN(t->len, 39u), t->at);
    errno = 0;
    unsigned long long x = strtoull(buf, &end, 0);
    if (*end || errno || x > (unsigned long long)INT64_MAX + minus)
        return complain(a, t, "\"%s\" is not a number of at most 64 bits", buf);
    *out = minus ? (i64)(0 - x) : (i64)x;
    a->at++;
    return true;
}

const struct lab_symbol *lab_symbol_find(const struct lab_program *p, const char *name) {
    for (u32 i = 0; i < p->symbols.n; i++)
        if (strcmp(p->symbols.at[i].name, name) == 0) return &p->symbols.at[i];
    return NULL;
}

static const struct label *find_label(const struct as *a, const char *name) {
    for (u32 i = 0; i < a->labels.n; i++)
        if (strcmp(a->labels.at[i].name, name) == 0) return &a->labels.at[i];
    return NULL;
}

static const char *near_name(const struct as *a, const char *name, bool data) {
    const char *names[256];
    u32 n = 0;
    for (u32 i = 0; data && i < a->p->symbols.n && n < 256; i++) names[n++] = a->p->symbols.at[i].name;
    for (u32 i = 0; !data && i < a->labels.n && n < 256; i++) names[n++] = a->labels.at[i].name;
    return text_nearest(name, names, n);
}

/* A number or the address of a data name */
static bool value_of(struct as *a, i64 *out) {
    const struct token *t = peek(a);
    if (number_of(a, out)) return true;
    if (a->bad) return false;
    char buf[48];
    if (!is_word(t)) return complain(a, t, "expected a number or a data name; %s", found(t, buf));
    char *name = word_of(a, t);
    const struct lab_symbol *s = lab_symbol_find(a->p, name);
    const char *near = near_name(a, name, true);
    if (!s && near) return complain(a, t, "no data is called \"%s\"; did you mean \"%s\"?", name, near);
    if (!s) return complain(a, t, "no data is called \"%s\"; a line \".data %s 1 2 3\" would make it", name, name);
    *out = s->address;
    a->at++;
    return true;
}

/* --- operands */

enum kind { K_REG = 1, K_VREG = 2, K_MREG = 4, K_IMM = 8, K_MEM = 16, K_GATHER = 32, K_NAME = 64 };
struct operand {
    u32 kind; /* set of enum kind that it may be */
    struct token tok;
    u8 reg, base, index;
    bool postinc, dec;
    i64 value;
};
static u32 kind_of_reg(u8 r) { return r >= REG_V && r < LAB_REGS ? K_VREG : r >= REG_MM && r < REG_V ? K_MREG : K_REG; }

/* Inside brackets: register, number, name, joined by + and -; R1++ */
static bool address_of(struct as *a, struct operand *o) {
    bool minus = false;
    for (;;) {
        struct token t = *peek(a);
        u8 r = is_word(&t) ? register_of(a, &t) : REG_NONE;
        i64 x = 0;
        if (a->bad) return false;
        if (r != REG_NONE) {
            a->at++;
            if (minus || (o->base != REG_NONE && kind_of_reg(r) != K_VREG))
                return complain(a, &t, "an address has at most one register, and it is added");
            if (kind_of_reg(r) == K_MREG) return complain(a, &t, "a packed register cannot be an address");
            if (kind_of_reg(r) == K_VREG) o->index = r;
            else o->base = r;
            if (take(a, "++")) o->postinc = true;
        } else if (value_of(a, &x)) {
            o->value = minus ? (i64)((u64)o->value - (u64)x) : (i64)((u64)o->value + (u64)x);
        } else {
            return false;
        }
        minus = is(peek(a), "-");
        if (!take(a, "+") && !take(a, "-")) return true;
    }
}

static bool close_bracket(struct as *a, struct operand *o, const char *with) {
    char buf[48];
    if (!take(a, with)) return complain(a, peek(a), "expected \"%s\" after the address; %s", with, found(peek(a), buf));
    if (o->postinc && o->index != REG_NONE) return complain(a, &o->tok, "a gather operand has no postincrement");
    o->kind = o->index != REG_NONE ? K_GATHER : K_MEM;
    return true;
}

/* NAME[V1], NAME, R1(4), R1 */
static bool word_operand(struct as *a, struct operand *o) {
    o->reg = register_of(a, &o->tok);
    if (a->bad) return false;
    if (o->reg != REG_NONE) {
        a->at++;
        o->kind = kind_of_reg(o->reg);
        if (o->kind != K_REG || (!is(peek(a), "(") && !is(peek(a), "["))) return true;
        bool round = take(a, "(");
        if (!round) a->at++;
        o->base = o->reg;
        return address_of(a, o) && close_bracket(a, o, round ? ")" : "]");
    }
    if (a->at + 1 < a->n && is(&a->tok[a->at + 1], "[") && !is(&o->tok, "MEM")) {
        if (!value_of(a, &o->value)) return false;
        a->at++;
        return address_of(a, o) && close_bracket(a, o, "]");
    }
    if (take(a, "MEM")) {
        char buf[48];
        if (!take(a, "[")) return complain(a, peek(a), "expected \"[\" after MEM; %s", found(peek(a), buf));
        return address_of(a, o) && close_bracket(a, o, "]");
    }
    a->at++;
    o->kind = K_NAME;
    return true;
}

static bool operand_of(struct as *a, struct operand *o) {
    char buf[48];
    *o = (struct operand){.tok = *peek(a), .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE};
    if (take(a, "--")) {
        o->dec = true;
        o->tok = *peek(a);
    }
    if (is_word(&o->tok)) return word_operand(a, o);
    if (take(a, "[")) return address_of(a, o) && close_bracket(a, o, "]");
    if (number_of(a, &o->value)) {
        o->kind = K_IMM;
        return true;
    }
    return !a->bad && complain(a, &o->tok, "expected an operand; %s", found(&o->tok, buf));
}

static u32 letters_kind(const char *letters, size_t n) {
    u32 k = 0;
    for (size_t i = 0; i < n; i++) switch (letters[i]) {
        case 'r': k |= K_REG; break;
        case 'v': k |= K_VREG; break;
        case 'm': k |= K_MREG; break;
        case 'i': k |= K_IMM | K_NAME; break;
        case 'A': k |= K_MEM | K_NAME | K_IMM; break;
        case 'G': k |= K_GATHER; break;
        case 'L': k |= K_NAME; break;
        }
    return k;
}

static const char *letters_text(const char *letters, size_t n, char buf[96]) {
    static const struct {
        char letter;
        const char *text;
    } texts[] = {{'r', "a scalar register"},
                 {'v', "a vector register"},
                 {'m', "a packed register"},
                 {'i', "a number"},
                 {'A', "a memory operand"},
                 {'G', "a gather operand A[V0]"},
                 {'L', "a label"}};
    buf[0] = 0;
    for (size_t i = 0; i < n; i++)
        for (u32 k = 0; k < ARRAY_LEN(texts); k++)
            if (letters[i] == texts[k].letter)
                snprintf(buf + strlen(buf), 96 - strlen(buf), "%s%s", *buf ? " or " : "", texts[k].text);
    return buf;
}

/* The place of the n-th operand in a signature */
static const char *place_of(const char *sig, u32 n, size_t *len) {
    for (const char *s = sig; *s;) {
        *len = strcspn(s, " ");
        if (n-- == 0) return s;
        s += *len + (s[*len] == ' ');
    }
    *len = 0;
    return NULL;
}

static bool label_target(struct as *a, const struct operand *o, struct lab_inst *in) {
    char *name = word_of(a, &o->tok);
    const struct label *l = find_label(a, name);
    const char *near = near_name(a, name, false);
    if (l && l->node < 0) {
        in->target = (i32)l->at;
        return true;
    }
    if (near) return complain(a, &o->tok, "there is no label \"%s\"; did you mean \"%s\"?", name, near);
    return complain(a, &o->tok, "there is no label \"%s\"; write \"%s:\" before an instruction", name, name);
}

/* A name where a number or an address is meant */
static bool name_value(struct as *a, struct operand *o) {
    u32 at = a->at;
    if (o->kind != K_NAME) return true;
    for (a->at = 0; a->at < a->n && a->tok[a->at].at != o->tok.at;) a->at++;
    bool ok = value_of(a, &o->value);
    a->at = at;
    return ok;
}

static bool put_operand(struct as *a, struct lab_inst *in, const char *place, struct operand *o, u32 *sources) {
    bool dst = *place == '>';
    place += dst;
    if (strchr("L", *place)) return label_target(a, o, in);
    if (*place == 'A' || *place == 'G') {
        if (!name_value(a, o)) return false;
        in->base = o->base;
        in->index = o->index;
        in->offset = o->value;
        in->postinc = o->postinc;
        return true;
    }
    if (dst) {
        in->dst = o->reg;
        return true;
    }
    if (o->reg == REG_NONE) {
        if (!name_value(a, o)) return false;
        in->imm = o->value;
    }
    CHECK(*sources < 2);
    in->src[(*sources)++] = o->reg;
    return true;
}

static bool separator_ok(struct as *a, const struct lab_op_row *row, u32 after, u32 count) {
    const struct token *t = peek(a);
    bool first_written = row->operands[0] == '>' || row->operands[0] == 'A' || row->operands[0] == 'G';
    char buf[48];
    if (take(a, ",")) return true;
    if (after == 0 && first_written && (take(a, "<-") || take(a, "=") || take(a, "\xE2\x86\x90"))) return true;
    if (after + 2 == count && *row->infix && take(a, row->infix)) return true;
    return complain(a, t, "expected a comma%s after operand %u of %s; %s", after == 0 && first_written ? " or <-" : "", after + 1,
                    row->name, found(t, buf));
}

/* The row of that name whose first operand fits, else the first of the name; -1 */
static i32 row_for(const char *name, const struct operand *first) {
    i32 best = -1;
    for (u32 i = 0; i < LAB_OPS; i++) {
        size_t n;
        if (strcasecmp(lab_ops[i].name, name)) continue;
        if (best < 0) best = (i32)i;
        const char *p = place_of(lab_ops[i].operands, 0, &n);
        if (first && p && (letters_kind(p, n) & first->kind) && first->kind != K_NAME) return (i32)i;
    }
    return best;
}

static bool unknown_op(struct as *a, const struct token *t) {
    const char *names[LAB_OPS];
    for (u32 i = 0; i < LAB_OPS; i++) names[i] = lab_ops[i].name;
    char *name = word_of(a, t);
    for (char *c = name; *c; c++) *c = (char)toupper((u8)*c);
    const char *near = text_nearest(name, names, LAB_OPS);
    if (near) return complain(a, t, "unknown instruction \"%s\"; did you mean %s?", name, near);
    return complain(a, t, "unknown instruction \"%s\"; \"heddle lab show instructions\" lists them", name);
}

/* MOVQ has three forms; its second operand tells a copy from a load */
static enum lab_op packed_move(const struct operand *o, u32 n, enum lab_op op) {
    if (op == LOP_MOVQ && n == 2 && o[1].kind == K_MREG) return LOP_MOVQR;
    return op;
}

static bool check_rules(struct as *a, const struct lab_inst *in, const struct operand *o) {
    if (in->postinc && in->dst == in->base && in->dst != REG_NONE)
        return complain(a, &o[0].tok, "the loaded register is also incremented; load another one or drop the ++");
    if (in->dst == REG_TID) return complain(a, &o[0].tok, "TID is the thread's number; it cannot be written");
    if (in->op == LOP_DECBNZ && in->src[0] >= REG_VLEN) return complain(a, &o[0].tok, "DECBNZ counts in an R, A or X register");
    return true;
}

static bool finish_inst(struct as *a, struct lab_inst *in, struct operand *o, u32 n, const struct token *op) {
    const struct lab_op_row *row = &lab_ops[in->op];
    u32 want = 0, sources = 0;
    size_t len;
    char text[96], buf[48];
    while (place_of(row->operands, want, &len)) want++;
    if (n != want)
        return complain(a, n ? &o[n - 1].tok : op, "%s takes %u operand%s, not %u", row->name, want, want == 1 ? "" : "s", n);
    for (u32 i = 0; i < n; i++) {
        const char *place = place_of(row->operands, i, &len);
        if (!(letters_kind(place, len) & o[i].kind))
            return complain(a, &o[i].tok, "operand %u of %s must be %s; %s", i + 1, row->name, letters_text(place, len, text),
                            found(&o[i].tok, buf));
        if (o[i].dec && in->op != LOP_DECBNZ) return complain(a, &o[i].tok, "-- is for DECBNZ alone");
        if (!put_operand(a, in, place, &o[i], &sources)) return false;
    }
    if (in->op == LOP_DECBNZ) in->dst = in->src[0];
    return check_rules(a, in, o);
}

static void take_inst(struct as *a) {
    struct token op = *peek(a);
    struct operand o[MAX_OPERANDS];
    u32 n = 0;
    char buf[48], *name = word_of(a, &op);
    if (row_for(name, NULL) < 0) {
        unknown_op(a, &op);
        return;
    }
    a->at++;
    i32 row = row_for(name, NULL);
    u32 count = 0;
    size_t len;
    while (a->at < a->n && n < MAX_OPERANDS) {
        if (!operand_of(a, &o[n])) return;
        if (n++ == 0) row = row_for(name, &o[0]);
        for (count = 0; place_of(lab_ops[row].operands, count, &len);) count++;
        if (a->at < a->n && !separator_ok(a, &lab_ops[row], n - 1, count)) return;
        if (a->at == a->n && n < count) break;
    }
    if (a->at < a->n) {
        complain(a, peek(a), "expected the end of the line; %s", found(peek(a), buf));
        return;
    }
    const struct token *last = &a->tok[a->n - 1];
    const char *text = arena_strdup(&a->p->mem, op.at, (size_t)(last->at + last->len - op.at));
    struct lab_inst in = {.op = packed_move(o, n, (enum lab_op)row),
                          .dst = REG_NONE,
                          .src = {REG_NONE, REG_NONE},
                          .base = REG_NONE,
                          .index = REG_NONE,
                          .target = -1,
                          .execute = a->execute,
                          .line = a->line,
                          .col = op.col,
                          .text = text};
    if (finish_inst(a, &in, o, n, &op)) VEC_PUSH(&a->p->code, in);
}

/* --- graphs */

static bool port_of(struct as *a, struct lab_port *out) {
    struct token t = *peek(a);
    char buf[48], *name;
    if (!is_word(&t)) return complain(a, &t, "expected an operator's name, with .L or .R, or out or drop; %s", found(&t, buf));
    a->at++;
    name = word_of(a, &t);
    *out = (struct lab_port){-1, 0};
    if (strcmp(name, "out") == 0) return true;
    if (strcmp(name, "drop") == 0) {
        out->node = -2;
        return true;
    }
    char *dot = strrchr(name, '.');
    if (dot && (dot[1] == 'L' || dot[1] == 'R') && !dot[2]) {
        out->port = dot[1] == 'R';
        *dot = 0;
    }
    const struct label *l = find_label(a, name);
    if (l && l->node >= 0) {
        out->node = l->node;
        return true;
    }
    const char *near = near_name(a, name, false);
    if (near) return complain(a, &t, "there is no operator \"%s\"; did you mean \"%s\"?", name, near);
    return complain(a, &t, "there is no operator \"%s\"; out takes a result out of the graph, drop throws it away", name);
}

static bool node_kind(struct as *a, struct lab_node *n, const struct token *op) {
    static const struct {
        const char *name;
        enum lab_node_kind kind;
    } kinds[] = {{"SWITCH", NODE_SWITCH}, {"MERGE", NODE_MERGE}, {"FETCH", NODE_FETCH}, {"NEXT", NODE_NEXT}, {"EXIT", NODE_EXIT}};
    char *name = word_of(a, op);
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcasecmp(name, kinds[i].name) == 0) {
            n->kind = kinds[i].kind;
            return true;
        }
    i32 row = row_for(name, NULL);
    if (row < 0) return unknown_op(a, op);
    if (strcmp(lab_ops[row].operands, ">r r ri") && row != LOP_MOV)
        return complain(a, op, "%s is no operator of a graph; arithmetic, MOV, SWITCH, MERGE, FETCH, NEXT and EXIT are", name);
    n->op = (enum lab_op)row;
    return true;
}

static void take_node(struct as *a, const char *name) {
    struct lab_node n = {.name = name, .line = a->line, .col = peek(a)->col};
    const struct token *last = &a->tok[a->n - 1];
    struct token op = *peek(a);
    char buf[48];
    n.text = arena_strdup(&a->p->mem, op.at, (size_t)(last->at + last->len - op.at));
    if (!node_kind(a, &n, &op)) return;
    a->at++;
    if (!is(peek(a), "=>")) {
        if (!value_of(a, &n.imm)) return;
        n.has_imm = true;
    }
    if (!take(a, "=>")) {
        complain(a, peek(a), "expected => and where the result goes; %s", found(peek(a), buf));
        return;
    }
    for (u32 side = 0;;) {
        if (n.ndest[side] == ARRAY_LEN(n.dest[side])) {
            complain(a, peek(a), "an operator sends to at most %zu places; put a MOV between", ARRAY_LEN(n.dest[side]));
            return;
        }
        if (!port_of(a, &n.dest[side][n.ndest[side]])) return;
        n.ndest[side]++;
        if (take(a, ",")) continue;
        if (n.kind == NODE_SWITCH && side == 0 && take(a, ":")) {
            side = 1;
            continue;
        }
        break;
    }
    if (a->at < a->n) complain(a, peek(a), "expected a comma or the end of the line; %s", found(peek(a), buf));
    else VEC_PUSH(&a->p->nodes, n);
}

static void take_token_line(struct as *a) {
    struct lab_token t = {0};
    i64 context = 0;
    if (!port_of(a, &t.to) || !value_of(a, &t.value)) return;
    struct token where = *peek(a);
    if (a->at < a->n && !value_of(a, &context)) return;
    if (context < 0 || context > 1000000) complain(a, &where, "a context is a number from 0 to 1000000");
    t.context = (u32)context;
    if (t.to.node < 0) complain(a, &a->tok[1], "a token must go to an operator");
    else VEC_PUSH(&a->p->tokens, t);
}

/* --- directives */

static i64 *room_for(struct as *a, u64 words, const struct token *t) {
    struct lab_program *p = a->p;
    if (p->nwords + words > LAB_WORDS_MAX) {
        complain(a, t, "data must fit in %d words", LAB_WORDS_MAX);
        return NULL;
    }
    p->words = base_realloc(p->words, (p->nwords + words + 1) * sizeof(i64));
    memset(p->words + p->nwords, 0, words * sizeof(i64));
    p->nwords += (u32)words;
    return p->words + p->nwords - words;
}

static bool new_symbol(struct as *a) {
    struct token t = *peek(a);
    char buf[48], *name;
    if (!is_word(&t)) return complain(a, &t, "expected a name for the data; %s", found(&t, buf));
    name = word_of(a, &t);
    if (register_of(a, &t) != REG_NONE) return complain(a, &t, "\"%s\" is a register; choose another name", name);
    if (a->bad) return false;
    if (lab_symbol_find(a->p, name)) return complain(a, &t, "data \"%s\" is there already", name);
    a->at++;
    take(a, ":");
    struct lab_symbol s = {name, a->p->nwords, 0};
    VEC_PUSH(&a->p->symbols, s);
    return true;
}

static void data_line(struct as *a, bool bytes) {
    if (!new_symbol(a)) return;
    u32 n = 0;
    u8 *byte = NULL;
    while (a->at < a->n) {
        struct token t = *peek(a);
        i64 x;
        if (!value_of(a, &x)) return;
        if (bytes && (x < -128 || x > 255)) {
            complain(a, &t, "a byte is a number from -128 to 255");
            return;
        }
        if (!bytes || n % 8 == 0) {
            i64 *w = room_for(a, 1, &t);
            if (!w) return;
            if (!bytes) *w = x;
            byte = (u8 *)w;
        }
        if (bytes) byte[n % 8] = (u8)x;
        n++;
        take(a, ",");
    }
    struct lab_symbol *s = &a->p->symbols.at[a->p->symbols.n - 1];
    s->words = a->p->nwords - (u32)s->address;
    if (!n) complain(a, peek(a), "expected numbers; \".fill NAME COUNT\" makes zeros");
}

static void fill_line(struct as *a) {
    if (!new_symbol(a)) return;
    struct token t = *peek(a);
    i64 count, first = 0, step = 0;
    if (!value_of(a, &count)) return;
    if (count < 1 || count > LAB_WORDS_MAX) {
        complain(a, &t, "a count is a number from 1 to %d", LAB_WORDS_MAX);
        return;
    }
    take(a, ",");
    if (a->at < a->n && !value_of(a, &first)) return;
    take(a, ",");
    if (a->at < a->n && !value_of(a, &step)) return;
    i64 *w = room_for(a, (u64)count, &t);
    for (i64 i = 0; w && i < count; i++) w[i] = (i64)((u64)first + (u64)i * (u64)step);
    a->p->symbols.at[a->p->symbols.n - 1].words = (u32)count;
}

static void reg_line(struct as *a) {
    struct token t = *peek(a);
    u8 r = is_word(&t) ? register_of(a, &t) : REG_NONE;
    char buf[48];
    if (a->bad) return;
    if (r == REG_NONE || r >= REG_V || r == REG_TID || r == REG_AEQ || r == REG_EAQ) {
        complain(a, &t, "expected an R, A, X or MM register, VLEN, VSTR or VMASK; %s", found(&t, buf));
        return;
    }
    a->at++;
    take(a, "=");
    value_of(a, &a->p->reg[r]);
}

static void memory_line(struct as *a) {
    struct token t = *peek(a);
    i64 n;
    if (!value_of(a, &n)) return;
    if (n < 1 || n > LAB_WORDS_MAX) complain(a, &t, "memory has 1 to %d words", LAB_WORDS_MAX);
    a->memory = n;
    a->memory_line = a->line;
}

/* .set add.latency 4: the value is the rest of the line */
static void set_line(struct as *a) {
    char buf[48];
    if (!is_word(peek(a)) || a->at + 1 >= a->n) {
        complain(a, peek(a), "expected a key and its value, such as \".set add.latency 4\"; %s", found(peek(a), buf));
        return;
    }
    struct lab_setting s = {.key = word_of(a, peek(a)), .line = a->line};
    a->at++;
    take(a, "=");
    if (a->at >= a->n) {
        complain(a, peek(a), "expected a value for %s", s.key);
        return;
    }
    s.value = word_of(a, peek(a));
    a->at++;
    VEC_PUSH(&a->p->settings, s);
}

static void stream_line(struct as *a, bool execute) {
    if (execute && !a->execute) a->p->execute_at = a->ncode;
    else if (!execute && a->execute) complain(a, &a->tok[0], "the access stream stands before .execute");
    a->execute = execute;
}

enum pass { PASS_NAMES, PASS_CODE };
static const char *const directives[] = {".data", ".fill", ".bytes", ".reg", ".memory", ".set", ".access", ".execute", ".token"};

static void take_directive(struct as *a, enum pass pass) {
    struct token t = *peek(a);
    u32 i = 0;
    char buf[48];
    while (i < ARRAY_LEN(directives) && !is(&t, directives[i])) i++;
    a->at++;
    if (pass == PASS_CODE && i != 7 && i != 8) return;
    if (pass == PASS_NAMES && i == 8) return;
    switch (i) {
    case 0: data_line(a, false); break;
    case 1: fill_line(a); break;
    case 2: data_line(a, true); break;
    case 3: reg_line(a); break;
    case 4: memory_line(a); break;
    case 5: set_line(a); break;
    case 6: stream_line(a, false); break;
    case 7:
        if (pass == PASS_NAMES) stream_line(a, true);
        else a->execute = true;
        break;
    case 8: take_token_line(a); break;
    default: {
        char *name = word_of(a, &t);
        const char *near = text_nearest(name, directives, ARRAY_LEN(directives));
        complain(a, &t,
                 near ? "unknown directive \"%s\"; did you mean \"%s\"?"
                      : "unknown directive \"%s\"; .data, .fill, .reg and .set are some%s",
                 name, near ? near : "");
    }
    }
    if (!a->bad && a->at < a->n) complain(a, peek(a), "expected the end of the line; %s", found(peek(a), buf));
}

/* --- passes */

static bool has_arrow(const struct as *a) {
    for (u32 i = 0; i < a->n; i++)
        if (is(&a->tok[i], "=>")) return true;
    return false;
}

static const char *take_label(struct as *a, enum pass pass) {
    if (a->n < 2 || !is_word(&a->tok[0]) || !is(&a->tok[1], ":")) return NULL;
    char *name = word_of(a, &a->tok[0]);
    a->at = 2;
    if (pass == PASS_CODE) return name;
    const struct label *old = find_label(a, name);
    if (old) {
        complain(a, &a->tok[0], "label \"%s\" is there already, in line %u", name, old->line);
        return name;
    }
    struct label l = {name, a->ncode, has_arrow(a) ? (i32)a->nnodes : -1, a->line};
    VEC_PUSH(&a->labels, l);
    return name;
}

static void first_pass_count(struct as *a, const struct token *t) {
    if (has_arrow(a)) a->nnodes++;
    else a->ncode++;
    if (a->ncode + a->nnodes == LAB_CODE_MAX + 1) complain(a, t, "a program has at most %d instructions", LAB_CODE_MAX);
}

static void take_line(struct as *a, enum pass pass, const char *line, size_t len) {
    tokens_of(a, line, len);
    a->bad = false;
    if (a->overlong) {
        if (pass == PASS_NAMES) complain(a, &a->tok[MAX_TOKENS - 1], "a line has at most %d words and signs", MAX_TOKENS);
        return;
    }
    const char *name = take_label(a, pass);
    if (a->at >= a->n || a->bad) return;
    struct token t = *peek(a);
    char buf[48];
    if (t.at[0] == '.' && t.len > 1) {
        take_directive(a, pass);
    } else if (!is_word(&t)) {
        if (pass == PASS_NAMES) complain(a, &t, "expected an instruction, a label or a directive; %s", found(&t, buf));
    } else if (pass == PASS_NAMES) {
        first_pass_count(a, &t);
        if (has_arrow(a) && !name) complain(a, &t, "an operator of a graph needs a name: \"n1: %.*s ...\"", (int)t.len, t.at);
    } else if (has_arrow(a)) {
        take_node(a, name);
    } else {
        take_inst(a);
    }
}

static void take_all(struct as *a, enum pass pass, const char *text, size_t len) {
    a->line = 0;
    a->execute = false;
    for (const char *at = text, *end = text + len; at < end && !diag_full(a->d);) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        size_t n = nl ? (size_t)(nl - at) : (size_t)(end - at);
        a->line++;
        take_line(a, pass, at, n);
        at += n + 1;
    }
}

/* As much as .memory asks for; without it what the data need, and some */
static void settle_memory(struct as *a) {
    struct lab_program *p = a->p;
    u32 want = a->memory ? (u32)a->memory : MAX(p->nwords, 4096u);
    if (want < p->nwords) {
        diag_error(a->d, p->file, a->memory_line, 0, "memory of %u words is too small: the data take %u", want, p->nwords);
        return;
    }
    p->words = base_realloc(p->words, want * sizeof(i64));
    memset(p->words + p->nwords, 0, (want - p->nwords) * sizeof(i64));
    p->nwords = want;
}

struct lab_program *lab_assemble(const char *file, const char *text, size_t len, struct diag *d) {
    struct lab_program *p = base_alloc(sizeof(*p));
    struct as *a = base_alloc(sizeof(*a));
    u32 before = d->errors;
    p->file = arena_strdup(&p->mem, file, strlen(file));
    p->source = text = arena_strdup(&p->mem, text, len);
    p->execute_at = UINT32_MAX;
    p->reg[REG_VSTR] = 1;
    p->reg[REG_VLEN] = LAB_VLEN_MAX;
    p->reg[REG_VMASK] = -1;
    a->p = p;
    a->d = d;
    if (memchr(text, 0, len)) diag_error(d, file, 0, 0, "not a text file: it holds a zero byte");
    else take_all(a, PASS_NAMES, text, len);
    if (d->errors == before) take_all(a, PASS_CODE, text, len);
    if (d->errors == before && p->code.n == 0 && p->nodes.n == 0 && p->symbols.n == 0)
        diag_error(d, file, 0, 0, "no instruction and no data in this file");
    if (p->execute_at == UINT32_MAX) p->execute_at = p->code.n;
    if (d->errors == before) settle_memory(a);
    free(a->labels.at);
    free(a);
    if (d->errors == before) return p;
    lab_program_free(p);
    return NULL;
}

void lab_program_free(struct lab_program *p) {
    if (!p) return;
    free(p->code.at);
    free(p->symbols.at);
    free(p->nodes.at);
    free(p->tokens.at);
    free(p->settings.at);
    free(p->words);
    arena_free(&p->mem);
    free(p);
}

struct lab_inst *lab_crack(const struct lab_program *p, struct arena *mem, u32 *count) {
    u32 n = p->code.n, *to = ARENA_ARRAY(mem, u32, n + 1), k = 0;
    const struct lab_inst *old = p->code.at;
    for (u32 i = 0; i < n; i++) {
        to[i] = k;
        k += 1u + old[i].postinc;
    }
    to[n] = *count = k;
    struct lab_inst *code = ARENA_ARRAY(mem, struct lab_inst, k + 1);
    for (u32 i = 0; i < n; i++) {
        struct lab_inst *in = &code[to[i]];
        *in = old[i];
        if (in->target >= 0) in->target = (i32)to[in->target];
        if (!in->postinc) continue;
        char buf[8];
        const char *name = lab_reg_name(in->base, buf);
        in->postinc = false;
        in[1] = (struct lab_inst){.op = LOP_ADD,
                                  .dst = in->base,
                                  .src = {in->base, REG_NONE},
                                  .imm = 1,
                                  .base = REG_NONE,
                                  .index = REG_NONE,
                                  .target = -1,
                                  .line = in->line,
                                  .col = in->col};
        in[1].text = arena_printf(mem, "+ADD %s <- %s, 1", name, name);
    }
    return code;
}
