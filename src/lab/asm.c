/* The assembler: text to struct lab_program, in two passes over the lines. The first takes directives and
 * labels, the second instructions.
 *
 *     LABEL: OP operands ; comment     a destination is followed by <- or = or a comma, other operands by a
 *                                      comma or the row's sign
 *     n1: OP => n2.L, n3.R             an operator of a dataflow graph: where its result goes (a switch:
 *                                      => true : false)
 *     .data NAME 1 2 3     .fill NAME COUNT [FIRST [STEP]]     .bytes NAME 1 2 3     .reg R1 5
 *     .memory WORDS        .set KEY VALUE                      .access   .execute
 *     .token n1.L VALUE [CONTEXT]
 *
 * Every mistake is told with file, line and column, what was found and what would be legal. The assembler
 * goes on at the next line. */
#include "lab/asm.h"

#include <stdlib.h>
#include <string.h>

/* --- graphs */

static bool port_of(struct as *a, struct lab_port *out) {
    struct token t = *as_peek(a);
    char buf[48], *name;
    if (!as_is_word(&t))
        return as_complain(a, &t, "expected an operator's name, with .L or .R, or out or drop; %s", as_found(&t, buf));
    a->at++;
    name = as_word(a, &t);
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
    const struct label *l = as_label(a, name);
    if (l && l->node >= 0) {
        out->node = l->node;
        return true;
    }
    const char *near = as_near(a, name, false);
    if (near) return as_complain(a, &t, "there is no operator \"%s\"; did you mean \"%s\"?", name, near);
    return as_complain(a, &t, "there is no operator \"%s\"; out takes a result out of the graph, drop throws it away", name);
}

static bool node_kind(struct as *a, struct lab_node *n, const struct token *op) {
    static const struct {
        const char *name;
        enum lab_node_kind kind;
    } kinds[] = {{"SWITCH", NODE_SWITCH}, {"MERGE", NODE_MERGE}, {"FETCH", NODE_FETCH}, {"NEXT", NODE_NEXT}, {"EXIT", NODE_EXIT}};
    char *name = as_word(a, op);
    for (u32 i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcasecmp(name, kinds[i].name) == 0) {
            n->kind = kinds[i].kind;
            return true;
        }
    i32 row = as_row(name);
    if (row < 0) return as_unknown_op(a, op);
    if (strcmp(lab_ops[row].operands, ">r r ri") && row != LOP_MOV)
        return as_complain(a, op, "%s is no operator of a graph; arithmetic, MOV, SWITCH, MERGE, FETCH, NEXT and EXIT are", name);
    n->op = (enum lab_op)row;
    return true;
}

static void take_node(struct as *a, const char *name) {
    struct lab_node n = {.name = name, .line = a->line, .col = as_peek(a)->col};
    const struct token *last = &a->tok[a->n - 1];
    struct token op = *as_peek(a);
    char buf[48];
    n.text = arena_strdup(&a->p->mem, op.at, (size_t)(last->at + last->len - op.at));
    if (!node_kind(a, &n, &op)) return;
    a->at++;
    if (!as_is(as_peek(a), "=>")) {
        if (!as_value(a, &n.imm)) return;
        n.has_imm = true;
    }
    if (!as_take(a, "=>")) {
        as_complain(a, as_peek(a), "expected => and where the result goes; %s", as_found(as_peek(a), buf));
        return;
    }
    for (u32 side = 0;;) {
        if (n.ndest[side] == ARRAY_LEN(n.dest[side])) {
            as_complain(a, as_peek(a), "an operator sends to at most %zu places; put a MOV between", ARRAY_LEN(n.dest[side]));
            return;
        }
        if (!port_of(a, &n.dest[side][n.ndest[side]])) return;
        n.ndest[side]++;
        if (as_take(a, ",")) continue;
        if (n.kind == NODE_SWITCH && side == 0 && as_take(a, ":")) {
            side = 1;
            continue;
        }
        break;
    }
    if (a->at < a->n) as_complain(a, as_peek(a), "expected a comma or the end of the line; %s", as_found(as_peek(a), buf));
    else VEC_PUSH(&a->p->nodes, n);
}

static void take_token_line(struct as *a) {
    struct lab_token t = {0};
    i64 context = 0;
    if (!port_of(a, &t.to) || !as_value(a, &t.value)) return;
    struct token where = *as_peek(a);
    if (a->at < a->n && !as_value(a, &context)) return;
    if (context < 0 || context > 1000000) as_complain(a, &where, "a context is a number from 0 to 1000000");
    t.context = (u32)context;
    if (t.to.node < 0) as_complain(a, &a->tok[1], "a token must go to an operator");
    else VEC_PUSH(&a->p->tokens, t);
}

/* --- directives */

static i64 *room_for(struct as *a, u64 words, const struct token *t) {
    struct lab_program *p = a->p;
    if (p->nwords + words > LAB_WORDS_MAX) {
        as_complain(a, t, "data must fit in %d words", LAB_WORDS_MAX);
        return NULL;
    }
    p->words = base_realloc(p->words, (p->nwords + words + 1) * sizeof(i64));
    memset(p->words + p->nwords, 0, words * sizeof(i64));
    p->nwords += (u32)words;
    return p->words + p->nwords - words;
}

static bool new_symbol(struct as *a) {
    struct token t = *as_peek(a);
    char buf[48], *name;
    if (!as_is_word(&t)) return as_complain(a, &t, "expected a name for the data; %s", as_found(&t, buf));
    name = as_word(a, &t);
    if (as_register(a, &t) != REG_NONE) return as_complain(a, &t, "\"%s\" is a register; choose another name", name);
    if (a->bad) return false;
    if (lab_symbol_find(a->p, name)) return as_complain(a, &t, "data \"%s\" is there already", name);
    a->at++;
    as_take(a, ":");
    struct lab_symbol s = {name, a->p->nwords, 0};
    VEC_PUSH(&a->p->symbols, s);
    return true;
}

static void data_line(struct as *a, bool bytes) {
    if (!new_symbol(a)) return;
    u32 n = 0;
    u8 *byte = NULL;
    while (a->at < a->n) {
        struct token t = *as_peek(a);
        i64 x;
        if (!as_value(a, &x)) return;
        if (bytes && (x < -128 || x > 255)) {
            as_complain(a, &t, "a byte is a number from -128 to 255");
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
        as_take(a, ",");
    }
    struct lab_symbol *s = &a->p->symbols.at[a->p->symbols.n - 1];
    s->words = a->p->nwords - (u32)s->address;
    if (!n) as_complain(a, as_peek(a), "expected numbers; \".fill NAME COUNT\" makes zeros");
}

static void fill_line(struct as *a) {
    if (!new_symbol(a)) return;
    struct token t = *as_peek(a);
    i64 count, first = 0, step = 0;
    if (!as_value(a, &count)) return;
    if (count < 1 || count > LAB_WORDS_MAX) {
        as_complain(a, &t, "a count is a number from 1 to %d", LAB_WORDS_MAX);
        return;
    }
    as_take(a, ",");
    if (a->at < a->n && !as_value(a, &first)) return;
    as_take(a, ",");
    if (a->at < a->n && !as_value(a, &step)) return;
    i64 *w = room_for(a, (u64)count, &t);
    for (i64 i = 0; w && i < count; i++) w[i] = (i64)((u64)first + (u64)i * (u64)step);
    a->p->symbols.at[a->p->symbols.n - 1].words = (u32)count;
}

static void reg_line(struct as *a) {
    struct token t = *as_peek(a);
    u8 r = as_is_word(&t) ? as_register(a, &t) : REG_NONE;
    char buf[48];
    if (a->bad) return;
    if (r >= REG_V || r == REG_TID || r == REG_AEQ || r == REG_EAQ) {
        as_complain(a, &t, "expected an R, A, X or MM register, VLEN, VSTR or VMASK; %s", as_found(&t, buf));
        return;
    }
    a->at++;
    as_take(a, "=");
    as_value(a, &a->p->reg[r]);
}

static void memory_line(struct as *a) {
    struct token t = *as_peek(a);
    i64 n;
    if (!as_value(a, &n)) return;
    if (n < 1 || n > LAB_WORDS_MAX) as_complain(a, &t, "memory has 1 to %d words", LAB_WORDS_MAX);
    a->memory = n;
    a->memory_line = a->line;
}

/* .set add.latency 4: the value is the rest of the line */
static void set_line(struct as *a) {
    char buf[48];
    if (!as_is_word(as_peek(a)) || a->at + 1 >= a->n) {
        as_complain(a, as_peek(a), "expected a key and its value, such as \".set add.latency 4\"; %s", as_found(as_peek(a), buf));
        return;
    }
    struct lab_setting s = {.key = as_word(a, as_peek(a)), .line = a->line};
    a->at++;
    as_take(a, "=");
    if (a->at >= a->n) {
        as_complain(a, as_peek(a), "expected a value for %s", s.key);
        return;
    }
    s.value = as_word(a, as_peek(a));
    a->at++;
    VEC_PUSH(&a->p->settings, s);
}

static void stream_line(struct as *a, bool execute) {
    if (execute && !a->execute) a->p->execute_at = a->ncode;
    else if (!execute && a->execute) as_complain(a, &a->tok[0], "the access stream stands before .execute");
    a->execute = execute;
}

enum pass { PASS_NAMES, PASS_CODE };
static const char *const directives[] = {".data", ".fill", ".bytes", ".reg", ".memory", ".set", ".access", ".execute", ".token"};

static void take_directive(struct as *a, enum pass pass) {
    struct token t = *as_peek(a);
    u32 i = 0;
    char buf[48];
    while (i < ARRAY_LEN(directives) && !as_is(&t, directives[i])) i++;
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
        char *name = as_word(a, &t);
        const char *near = text_nearest(name, directives, ARRAY_LEN(directives));
        as_complain(a, &t,
                    near ? "unknown directive \"%s\"; did you mean \"%s\"?"
                         : "unknown directive \"%s\"; .data, .fill, .reg and .set are some%s",
                    name, near ? near : "");
    }
    }
    if (!a->bad && a->at < a->n) as_complain(a, as_peek(a), "expected the end of the line; %s", as_found(as_peek(a), buf));
}

/* --- passes */

static bool has_arrow(const struct as *a) {
    for (u32 i = 0; i < a->n; i++)
        if (as_is(&a->tok[i], "=>")) return true;
    return false;
}

static const char *take_label(struct as *a, enum pass pass) {
    if (a->n < 2 || !as_is_word(&a->tok[0]) || !as_is(&a->tok[1], ":")) return NULL;
    char *name = as_word(a, &a->tok[0]);
    a->at = 2;
    if (pass == PASS_CODE) return name;
    const struct label *old = as_label(a, name);
    if (old) {
        as_complain(a, &a->tok[0], "label \"%s\" is there already, in line %u", name, old->line);
        return name;
    }
    struct label l = {name, a->ncode, has_arrow(a) ? (i32)a->nnodes : -1, a->line};
    VEC_PUSH(&a->labels, l);
    return name;
}

static void first_pass_count(struct as *a, const struct token *t) {
    if (has_arrow(a)) a->nnodes++;
    else a->ncode++;
    if (a->ncode + a->nnodes == LAB_CODE_MAX + 1) as_complain(a, t, "a program has at most %d instructions", LAB_CODE_MAX);
}

static void take_line(struct as *a, enum pass pass, const char *line, size_t len) {
    as_tokens(a, line, len);
    a->bad = false;
    if (a->overlong) {
        if (pass == PASS_NAMES) as_complain(a, &a->tok[MAX_TOKENS - 1], "a line has at most %d words and signs", MAX_TOKENS);
        return;
    }
    const char *name = take_label(a, pass);
    if (a->at >= a->n || a->bad) return;
    struct token t = *as_peek(a);
    char buf[48];
    if (t.at[0] == '.' && t.len > 1) {
        take_directive(a, pass);
    } else if (!as_is_word(&t)) {
        if (pass == PASS_NAMES) as_complain(a, &t, "expected an instruction, a label or a directive; %s", as_found(&t, buf));
    } else if (pass == PASS_NAMES) {
        first_pass_count(a, &t);
        if (has_arrow(a) && !name) as_complain(a, &t, "an operator of a graph needs a name: \"n1: %.*s ...\"", (int)t.len, t.at);
    } else if (has_arrow(a)) {
        take_node(a, name);
    } else {
        as_inst(a);
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
    if (!diag_limit(d, file, LIMIT_LAB, len)) return NULL;
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
