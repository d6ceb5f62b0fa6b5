/* Functions: header, directives, body; the tables of labels and prototypes that indirect jumps and calls
 * name. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* VEC to arena array */
#define KEEP(p, vec, type) ((type *)keep_array((p), (vec)->at, sizeof(type) * (size_t)(vec)->n))
static void *keep_array(struct parser *p, const void *from, size_t bytes) {
    void *to = arena_alloc(&p->m->arena, bytes);
    if (bytes) memcpy(to, from, bytes);
    return to;
}

/* --- headers */

/* `( param, ... )` */
static bool parse_params(struct parser *p, struct ptx_var **params, u32 *n) {
    VEC(struct ptx_var) list = {0};
    bool ok = parse_expect(p, '(');
    if (ok && !parse_at(p, ')')) {
        do {
            struct ptx_var v;
            ok = parse_param(p, &v);
            if (ok) VEC_PUSH(&list, v);
            u32 further = ok && v.space == SPACE_REG ? v.vec - 1u : 0; /* a vector is a parameter for each component */
            for (v.vec = 0; further > 0; further--) VEC_PUSH(&list, v);
        } while (ok && parse_accept(p, ','));
    }
    ok = ok && parse_expect(p, ')');
    *n = list.n;
    *params = KEEP(p, &list, struct ptx_var);
    free(list.at);
    return ok;
}

static bool parse_triple(struct parser *p, u32 dims[3]) {
    dims[0] = dims[1] = dims[2] = 1;
    for (u32 i = 0; i < 3; i++) {
        if (!parse_u32(p, "a number", &dims[i])) return false;
        if (i == 2 || !parse_accept(p, ',')) break;
    }
    return true;
}

/* Directives with numbers that say nothing to us */
static bool is_ignored_directive(const struct parser *p) {
    static const char *const words[] = {".maxclusterrank", ".explicitcluster",      ".blocksareclusters",
                                        ".abi_preserve",   ".abi_preserve_control", ".language"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (parse_at_word(p, words[i])) return true;
    return false;
}

static bool report_unknown_directive(struct parser *p) {
    static const char *const words[] = {".maxntid",         ".reqntid",           ".minnctapersm", ".maxnctapersm",
                                        ".maxnreg",         ".noreturn",          ".pragma",       ".maxclusterrank",
                                        ".explicitcluster", ".reqnctapercluster", ".attribute"};
    const char *hint = parse_suggest(p, "", p->tok.text, p->tok.len, words, ARRAY_LEN(words));
    return parse_error(p, p->tok.loc, "unknown function directive '%.*s'%s", (int)p->tok.len, p->tok.text,
                       *hint ? hint : "; expected '{', ';' or a directive such as .maxntid");
}

static bool skip_numbers(struct parser *p) {
    parse_advance(p);
    while (p->tok.kind == TOK_INT || p->tok.kind == TOK_STRING || parse_at(p, ',')) parse_advance(p);
    return true;
}

/* One directive between the parameters and the body */
static bool parse_header_directive(struct parser *p, struct ptx_func *f) {
    struct {
        const char *word;
        u32 *number, *triple;
    } rows[] = {{".maxntid", NULL, f->maxntid},
                {".reqntid", NULL, f->reqntid},
                {".reqnctapercluster", NULL, f->cluster},
                {".minnctapersm", &f->minnctapersm, NULL},
                {".maxnctapersm", &f->maxnctapersm, NULL},
                {".maxnreg", &f->maxnreg, NULL}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!parse_at_word(p, rows[i].word)) continue;
        parse_advance(p);
        return rows[i].triple ? parse_triple(p, rows[i].triple) : parse_u32(p, "a number", rows[i].number);
    }
    if (parse_at_word(p, ".noreturn")) {
        f->noreturn = true;
        parse_advance(p);
        return true;
    }
    if (parse_at_word(p, ".attribute")) {
        parse_advance(p);
        return parse_skip_parens(p);
    }
    if (is_ignored_directive(p)) return skip_numbers(p);
    int done = parse_common_directive(p);
    if (done) return done > 0;
    return report_unknown_directive(p);
}

bool parse_at_module_word(const struct parser *p) {
    static const char *const words[] = {".visible", ".extern",  ".weak",   ".common",  ".entry",       ".func",
                                        ".global",  ".const",   ".shared", ".local",   ".tex",         ".reg",
                                        ".alias",   ".version", ".target", ".section", ".address_size"};
    if (p->tok.kind == TOK_EOF) return true;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (parse_at_word(p, words[i])) return true;
    return false;
}

static bool parse_header(struct parser *p, struct ptx_func *f) {
    while (parse_at_word(p, ".noreturn") || parse_at_word(p, ".attribute"))
        if (!parse_header_directive(p, f)) return false;
    if (!f->is_entry && parse_at(p, '(') && !parse_params(p, &f->rets, &f->nrets)) return false;
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a function name");
    f->name = name_of_token(p)->text;
    f->loc = p->tok.loc;
    parse_advance(p);
    if (parse_at(p, '(') && !parse_params(p, &f->params, &f->nparams)) return false;
    while (p->tok.kind == TOK_DOT && !parse_at_module_word(p))
        if (!parse_header_directive(p, f)) return false;
    return true;
}

/* --- the function in its module */

static bool same_params(const struct ptx_var *a, u32 na, const struct ptx_var *b, u32 nb) {
    for (u32 i = 0; i < na && na == nb; i++)
        if (a[i].size_b != b[i].size_b || a[i].space != b[i].space) return false;
    return na == nb;
}

/* The function an earlier declaration made, brought up to date, or a new one; NULL after an error */
static struct ptx_func *func_declare(struct parser *p, const struct ptx_func *like, bool has_body) {
    struct name *n = name_intern(p, like->name, strlen(like->name));
    struct ptx_func *f = n->sym && n->sym->kind == SYM_FUNC ? n->sym->func : NULL;
    if (!f) {
        struct symbol *s = scope_declare(p, SYM_FUNC, n, like->loc);
        if (!s) return NULL;
        s->func = f = ARENA_NEW(&p->m->arena, struct ptx_func);
        *f = *like;
        VEC_PUSH(&p->module_funcs, f);
        return f;
    }
    if (f->is_entry != like->is_entry) {
        parse_error(p, like->loc, "'%s' was declared %s at line %u", f->name, f->is_entry ? ".entry" : ".func", f->loc.line);
        return NULL;
    }
    if (!same_params(f->params, f->nparams, like->params, like->nparams) ||
        !same_params(f->rets, f->nrets, like->rets, like->nrets)) {
        parse_error(p, like->loc, "'%s' has other parameters or results than at line %u", f->name, f->loc.line);
        return NULL;
    }
    if (!has_body) return f; /* said again: the first word stands */
    if (f->has_body) {
        parse_error(p, like->loc, "'%s' is already defined at line %u", f->name, f->loc.line);
        return NULL;
    }
    u8 linkage = like->linkage == LINK_NONE ? f->linkage : like->linkage;
    bool noreturn = f->noreturn;
    *f = *like;
    f->linkage = linkage == LINK_EXTERN ? LINK_NONE : linkage;
    f->noreturn |= noreturn;
    return f;
}

static bool declare_params(struct parser *p, struct ptx_var *params, u32 n) {
    for (u32 i = 0; i < n; i++) {
        struct ptx_var *v = &params[i];
        if (strcmp(v->name, "_") == 0) continue;
        struct name *name = name_intern(p, v->name, strlen(v->name));
        if (v->space == SPACE_REG) {
            if (!v->vec) continue;
            for (u32 j = 0; j < v->vec; j++) v[j].reg = (i32)(p->regs.n + j);
            if (!scope_declare_reg(p, name, v->type, v->vec, v->loc)) return false;
        } else {
            struct symbol *s = scope_declare(p, SYM_VAR, name, v->loc);
            if (s) s->var = v;
        }
    }
    return true;
}

static void body_reset(struct parser *p) {
    p->regs.n = p->vars.n = p->labels.n = p->tables.n = p->insts.n = 0;
    p->func_regs = 0;
    p->digit_regs = false;
    p->loc_file = p->loc_line = 0;
}

static void body_keep(struct parser *p, struct ptx_func *f) {
    f->nregs = p->regs.n;
    f->nvars = p->vars.n;
    f->nlabels = p->labels.n;
    f->ntables = p->tables.n;
    f->ninsts = p->insts.n;
    f->regs = KEEP(p, &p->regs, struct ptx_reg);
    f->vars = KEEP(p, &p->vars, struct ptx_var *);
    f->labels = KEEP(p, &p->labels, struct ptx_label);
    f->tables = KEEP(p, &p->tables, struct ptx_table);
    f->insts = KEEP(p, &p->insts, struct ptx_inst);
}

/* --- labels and their tables */

static bool table_branchtargets(struct parser *p, struct ptx_table *t) {
    VEC(struct token) list = {0};
    bool ok;
    do {
        ok = p->tok.kind == TOK_IDENT || parse_expected(p, "a label");
        if (ok) VEC_PUSH(&list, p->tok);
        if (ok) parse_advance(p);
    } while (ok && parse_accept(p, ','));
    t->n = list.n;
    t->labels = ARENA_ARRAY(&p->m->arena, i32, list.n);
    for (u32 i = 0; i < list.n; i++) {
        struct token *at = &list.at[i];
        scope_refer_label(p, name_intern(p, at->text, at->len), at->loc, &t->labels[i]);
    }
    free(list.at);
    return ok;
}

static bool table_calltargets(struct parser *p, struct ptx_table *t) {
    VEC(struct ptx_func *) list = {0};
    bool ok;
    do {
        ok = p->tok.kind == TOK_IDENT || parse_expected(p, "a function name");
        if (!ok) break;
        struct name *n = name_of_token(p);
        struct symbol *s = scope_find(p, n);
        if (s && s->kind == SYM_FUNC) VEC_PUSH(&list, s->func);
        else scope_undeclared(p, n, p->tok.loc, "function");
        parse_advance(p);
    } while (parse_accept(p, ','));
    t->n = list.n;
    t->funcs = KEEP(p, &list, struct ptx_func *);
    free(list.at);
    return ok;
}

static bool table_callprototype(struct parser *p, struct ptx_table *t) {
    t->proto = ARENA_NEW(&p->m->arena, struct ptx_func);
    return parse_header(p, t->proto);
}

static bool parse_table(struct parser *p, struct name *n, struct ptx_loc loc) {
    static const struct {
        const char *word;
        int kind;
        bool (*parse)(struct parser *, struct ptx_table *);
    } rows[] = {{".branchtargets", TABLE_BRANCHTARGETS, table_branchtargets},
                {".calltargets", TABLE_CALLTARGETS, table_calltargets},
                {".callprototype", TABLE_CALLPROTOTYPE, table_callprototype}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (!parse_at_word(p, rows[i].word)) continue;
        parse_advance(p);
        struct ptx_table t = {.name = n->text, .loc = loc, .kind = rows[i].kind};
        if (!rows[i].parse(p, &t) || !parse_expect(p, ';')) return false;
        struct symbol *s = scope_declare(p, SYM_TABLE, n, loc);
        if (!s) return true;
        s->index = (i32)p->tables.n;
        VEC_PUSH(&p->tables, t);
        return true;
    }
    CHECK(!"a table directive");
    return false;
}

/* After `name:` */
static bool parse_label(struct parser *p, struct name *n, struct ptx_loc loc) {
    if (parse_at_word(p, ".branchtargets") || parse_at_word(p, ".calltargets") || parse_at_word(p, ".callprototype"))
        return parse_table(p, n, loc);
    struct symbol *s = scope_declare(p, SYM_LABEL, n, loc);
    if (!s) return true;
    s->index = (i32)p->labels.n;
    VEC_PUSH(&p->labels, ((struct ptx_label){.name = n->text, .loc = loc, .at = (i32)p->insts.n}));
    return true;
}

/* --- bodies */

static bool parse_body_directive(struct parser *p) {
    static const char *const words[] = {".reg",   ".local", ".shared", ".param", ".global",
                                        ".const", ".loc",   ".pragma", ".file",  ".tex"};
    u8 linkage = LINK_NONE;
    int done = parse_common_directive(p);
    if (done) return done > 0;
    if (parse_at_word(p, ".reg")) return parse_reg_decl(p);
    while (parse_linkage(p, &linkage)) continue;
    if (parse_space(&p->tok) != NONE) return parse_var_decl(p, linkage);
    if (p->tok.kind != TOK_DOT) return parse_expected(p, "a declaration");
    const char *hint = parse_suggest(p, "", p->tok.text, p->tok.len, words, ARRAY_LEN(words));
    return parse_error(p, p->tok.loc, "unknown directive '%.*s'%s", (int)p->tok.len, p->tok.text, hint);
}

static bool parse_statement(struct parser *p) {
    p->open_braces = 0;
    if (p->tok.kind == TOK_DOT) return parse_body_directive(p);
    if (parse_accept(p, ';')) return true;
    if (p->tok.kind == TOK_IDENT && parse_peek(p).punct == ':') {
        struct name *n = name_of_token(p);
        struct ptx_loc loc = p->tok.loc;
        parse_advance(p);
        parse_advance(p);
        return parse_label(p, n, loc);
    }
    return parse_inst(p);
}

/* To the end of the statement: past its ';', or before a '}' that closes more than the statement opened */
static void recover_in_body(struct parser *p) {
    u32 open = p->open_braces;
    for (; p->tok.kind != TOK_EOF; parse_advance(p)) {
        if (parse_accept(p, ';')) return;
        if (parse_at(p, '{')) open++;
        if (parse_at(p, '}') && open-- == 0) return;
    }
}

/* From '{' to its '}'; nested scopes are counted, not recursed into */
static void parse_body(struct parser *p, const struct ptx_func *f) {
    u32 outer = p->scope_depth, too_deep = 0;
    parse_advance(p);
    while (p->tok.kind != TOK_EOF) {
        if (parse_accept(p, '{')) {
            if (too_deep || !scope_push(p)) too_deep++;
        } else if (parse_at(p, '}') && too_deep) {
            too_deep--;
            parse_advance(p);
        } else if (parse_at(p, '}')) {
            parse_advance(p);
            if (p->scope_depth == outer) return;
            scope_pop(p);
        } else if (!parse_statement(p)) {
            recover_in_body(p);
        }
    }
    parse_error(p, p->tok.loc, "end of file inside '%s' (line %u); expected '}'", f->name, f->loc.line);
    while (p->scope_depth > outer) scope_pop(p);
}

static bool parse_definition(struct parser *p, struct ptx_func *f) {
    p->func = f;
    body_reset(p);
    p->params_in_body = f->is_entry && p->m->version < 14 && !f->nparams;
    if (p->params_in_body) f->params = ARENA_ARRAY(&p->m->arena, struct ptx_var, MAX_OLD_PARAMS);
    if (!scope_push(p)) return false;
    bool ok = declare_params(p, f->params, f->nparams) && declare_params(p, f->rets, f->nrets);
    if (ok) parse_body(p, f);
    scope_pop(p);
    body_keep(p, f);
    VEC_PUSH(&p->bodies, f);
    p->func = NULL;
    return ok;
}

/* At .entry or .func */
bool parse_func(struct parser *p, u8 linkage) {
    struct ptx_func like = {.linkage = linkage, .is_entry = parse_at_word(p, ".entry")};
    parse_advance(p);
    if (!parse_header(p, &like)) return false;
    like.has_body = parse_at(p, '{');
    bool open_end = !like.is_entry && parse_at_module_word(p); /* a prototype may do without its semicolon */
    if (!like.has_body && !open_end && !parse_at(p, ';')) return parse_expected(p, "'{' or ';'");
    struct ptx_func *f = func_declare(p, &like, like.has_body);
    if (!like.has_body) return open_end || parse_expect(p, ';');
    if (!f) { /* read the body all the same, for its own errors */
        f = ARENA_NEW(&p->m->arena, struct ptx_func);
        *f = like;
    }
    return parse_definition(p, f);
}

/* --- what needs the whole text */

/* `.alias a, b;`: a is declared, b has the body */
bool parse_alias(struct parser *p) {
    struct name *n[2];
    struct ptx_loc loc[2];
    parse_advance(p);
    for (u32 i = 0; i < 2; i++) {
        if (i && !parse_expect(p, ',')) return false;
        if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a function name");
        n[i] = name_of_token(p);
        loc[i] = p->tok.loc;
        parse_advance(p);
        if (!n[i]->sym || n[i]->sym->kind != SYM_FUNC) scope_undeclared(p, n[i], loc[i], "function");
    }
    if (n[0]->sym && n[1]->sym && n[0]->sym->func && n[1]->sym->func) {
        struct ptx_func *alias = n[0]->sym->func;
        if (alias->has_body) parse_error(p, loc[0], "'%s' has a body; an alias is only declared", alias->name);
        VEC_PUSH(&p->aliases, ((struct alias){alias, n[1]->sym->func}));
    }
    return parse_expect(p, ';');
}

/* An alias shares everything but its name with what it stands for */
static void resolve_aliases(struct parser *p) {
    for (u32 i = 0; i < p->aliases.n; i++) {
        struct alias *a = &p->aliases.at[i];
        const char *name = a->alias->name;
        u8 linkage = a->alias->linkage;
        *a->alias = *a->target;
        a->alias->name = name;
        a->alias->linkage = linkage;
    }
}

static int file_compare(const void *a, const void *b) {
    const struct file_entry *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static const char *file_name(const struct parser *p, u32 number) {
    struct file_entry key = {.number = number};
    const struct file_entry *e = p->files.n ? bsearch(&key, p->files.at, p->files.n, sizeof(key), file_compare) : NULL;
    return e ? e->name : NULL;
}

static void resolve_files(struct parser *p) {
    if (p->files.n) qsort(p->files.at, p->files.n, sizeof(p->files.at[0]), file_compare);
    const u32 *number = p->inst_files.at;
    u32 last = 0;
    const char *last_name = NULL;
    for (u32 b = 0; b < p->bodies.n; b++) {
        struct ptx_func *f = p->bodies.at[b];
        for (u32 i = 0; i < f->ninsts; i++, number++) {
            if (*number != last) last_name = file_name(p, *number);
            last = *number;
            f->insts[i].src_file = last_name;
        }
    }
}

void parse_func_finish(struct parser *p) {
    resolve_files(p);
    resolve_aliases(p);
}
