/* Operands and instructions: what stands on a line against the rows of op.def. */
#include "lab/asm.h"

#include <ctype.h>
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

enum { MAX_OPERANDS = 4 };

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
        struct token t = *as_peek(a);
        u8 r = as_is_word(&t) ? as_register(a, &t) : REG_NONE;
        i64 x = 0;
        if (a->bad) return false;
        if (r != REG_NONE) {
            a->at++;
            if (minus || (o->base != REG_NONE && kind_of_reg(r) != K_VREG))
                return as_complain(a, &t, "an address has at most one register, and it is added");
            if (kind_of_reg(r) == K_MREG) return as_complain(a, &t, "a packed register cannot be an address");
            if (kind_of_reg(r) == K_VREG) o->index = r;
            else o->base = r;
            if (as_take(a, "++")) o->postinc = true;
        } else if (as_value(a, &x)) {
            o->value = minus ? (i64)((u64)o->value - (u64)x) : (i64)((u64)o->value + (u64)x);
        } else {
            return false;
        }
        minus = as_is(as_peek(a), "-");
        if (!as_take(a, "+") && !as_take(a, "-")) return true;
    }
}

static bool close_bracket(struct as *a, struct operand *o, const char *with) {
    char buf[48];
    if (!as_take(a, with))
        return as_complain(a, as_peek(a), "expected \"%s\" after the address; %s", with, as_found(as_peek(a), buf));
    if (o->postinc && o->index != REG_NONE) return as_complain(a, &o->tok, "a gather operand has no postincrement");
    o->kind = o->index != REG_NONE ? K_GATHER : K_MEM;
    return true;
}

/* NAME[V1], NAME, R1(4), R1 */
static bool word_operand(struct as *a, struct operand *o) {
    o->reg = as_register(a, &o->tok);
    if (a->bad) return false;
    if (o->reg != REG_NONE) {
        a->at++;
        o->kind = kind_of_reg(o->reg);
        if (o->kind != K_REG || (!as_is(as_peek(a), "(") && !as_is(as_peek(a), "["))) return true;
        bool round = as_take(a, "(");
        if (!round) a->at++;
        o->base = o->reg;
        return address_of(a, o) && close_bracket(a, o, round ? ")" : "]");
    }
    if (a->at + 1 < a->n && as_is(&a->tok[a->at + 1], "[") && !as_is(&o->tok, "MEM")) {
        if (!as_value(a, &o->value)) return false;
        a->at++;
        return address_of(a, o) && close_bracket(a, o, "]");
    }
    if (as_take(a, "MEM")) {
        char buf[48];
        if (!as_take(a, "[")) return as_complain(a, as_peek(a), "expected \"[\" after MEM; %s", as_found(as_peek(a), buf));
        return address_of(a, o) && close_bracket(a, o, "]");
    }
    a->at++;
    o->kind = K_NAME;
    return true;
}

static bool operand_of(struct as *a, struct operand *o) {
    char buf[48];
    *o = (struct operand){.tok = *as_peek(a), .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE};
    if (as_take(a, "--")) {
        o->dec = true;
        o->tok = *as_peek(a);
    }
    if (as_is_word(&o->tok)) return word_operand(a, o);
    if (as_take(a, "[")) return address_of(a, o) && close_bracket(a, o, "]");
    if (as_number(a, &o->value)) {
        o->kind = K_IMM;
        return true;
    }
    return !a->bad && as_complain(a, &o->tok, "expected an operand; %s", as_found(&o->tok, buf));
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
    char *name = as_word(a, &o->tok);
    const struct label *l = as_label(a, name);
    const char *near = as_near(a, name, false);
    if (l && l->node < 0) {
        in->target = (i32)l->at;
        return true;
    }
    if (near) return as_complain(a, &o->tok, "there is no label \"%s\"; did you mean \"%s\"?", name, near);
    return as_complain(a, &o->tok, "there is no label \"%s\"; write \"%s:\" before an instruction", name, name);
}

/* A name where a number or an address is meant */
static bool name_value(struct as *a, struct operand *o) {
    u32 at = a->at;
    if (o->kind != K_NAME) return true;
    for (a->at = 0; a->at < a->n && a->tok[a->at].at != o->tok.at;) a->at++;
    bool ok = as_value(a, &o->value);
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
    const struct token *t = as_peek(a);
    bool first_written = row->operands[0] == '>' || row->operands[0] == 'A' || row->operands[0] == 'G';
    char buf[48];
    if (as_take(a, ",")) return true;
    if (after == 0 && first_written && (as_take(a, "<-") || as_take(a, "=") || as_take(a, "\xE2\x86\x90"))) return true;
    if (after + 2 == count && *row->infix && as_take(a, row->infix)) return true;
    return as_complain(a, t, "expected a comma%s after operand %u of %s; %s", after == 0 && first_written ? " or <-" : "",
                       after + 1, row->name, as_found(t, buf));
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

i32 as_row(const char *name) { return row_for(name, NULL); }

bool as_unknown_op(struct as *a, const struct token *t) {
    const char *names[LAB_OPS];
    for (u32 i = 0; i < LAB_OPS; i++) names[i] = lab_ops[i].name;
    char *name = as_word(a, t);
    for (char *c = name; *c; c++) *c = (char)toupper((u8)*c);
    const char *near = text_nearest(name, names, LAB_OPS);
    if (near) return as_complain(a, t, "unknown instruction \"%s\"; did you mean %s?", name, near);
    return as_complain(a, t, "unknown instruction \"%s\"; \"heddle lab show instructions\" lists them", name);
}

/* MOVQ has three forms; its second operand tells a copy from a load */
static enum lab_op packed_move(const struct operand *o, u32 n, enum lab_op op) {
    if (op == LOP_MOVQ && n == 2 && o[1].kind == K_MREG) return LOP_MOVQR;
    return op;
}

static bool check_rules(struct as *a, const struct lab_inst *in, const struct operand *o) {
    if (in->postinc && in->dst == in->base && in->dst != REG_NONE)
        return as_complain(a, &o[0].tok, "the loaded register is also incremented; load another one or drop the ++");
    if (in->postinc && in->base >= REG_VLEN)
        return as_complain(a, &o[0].tok, "only an R, A or X register can be incremented in an address");
    if (in->dst == REG_TID) return as_complain(a, &o[0].tok, "TID is the thread's number; it cannot be written");
    if (in->op == LOP_DECBNZ && in->src[0] >= REG_VLEN)
        return as_complain(a, &o[0].tok, "DECBNZ counts in an R, A or X register");
    return true;
}

static bool finish_inst(struct as *a, struct lab_inst *in, struct operand *o, u32 n, const struct token *op) {
    const struct lab_op_row *row = &lab_ops[in->op];
    u32 want = 0, sources = 0;
    size_t len;
    char text[96], buf[48];
    while (place_of(row->operands, want, &len)) want++;
    if (n != want)
        return as_complain(a, n ? &o[n - 1].tok : op, "%s takes %u operand%s, not %u", row->name, want, want == 1 ? "" : "s", n);
    for (u32 i = 0; i < n; i++) {
        const char *place = place_of(row->operands, i, &len);
        if (!(letters_kind(place, len) & o[i].kind))
            return as_complain(a, &o[i].tok, "operand %u of %s must be %s; %s", i + 1, row->name, letters_text(place, len, text),
                               as_found(&o[i].tok, buf));
        if (o[i].dec && in->op != LOP_DECBNZ) return as_complain(a, &o[i].tok, "-- is for DECBNZ alone");
        if (!put_operand(a, in, place, &o[i], &sources)) return false;
    }
    if (in->op == LOP_DECBNZ) in->dst = in->src[0];
    return check_rules(a, in, o);
}

void as_inst(struct as *a) {
    struct token op = *as_peek(a);
    struct operand o[MAX_OPERANDS];
    u32 n = 0;
    char buf[48], *name = as_word(a, &op);
    if (row_for(name, NULL) < 0) {
        as_unknown_op(a, &op);
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
        as_complain(a, as_peek(a), "expected the end of the line; %s", as_found(as_peek(a), buf));
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
