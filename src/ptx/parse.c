/* The parser's entry: tokens, errors and recovery, the directives of module scope. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* --- errors */

bool parse_error(struct parser *p, struct ptx_loc loc, const char *fmt, ...) {
    p->failed = true;
    if (diag_full(p->dg)) return false;
    struct strbuf text = {0};
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&text, fmt, ap);
    va_end(ap);
    diag_error(p->dg, p->m->file, loc.line, loc.col, "%s", text.s ? text.s : "");
    strbuf_free(&text);
    return false;
}

bool parse_expected(struct parser *p, const char *what) {
    enum { MAX_QUOTE = 60 };
    if (p->tok.kind == TOK_BAD) return false; /* reported when it was read */
    if (p->tok.kind == TOK_EOF) return parse_error(p, p->tok.loc, "unexpected end of file; expected %s", what);
    return parse_error(p, p->tok.loc, "unexpected '%.*s'; expected %s", (int)MIN(p->tok.len, MAX_QUOTE), p->tok.text, what);
}

const char *parse_suggest(struct parser *p, const char *prefix, const char *text, size_t len, const char *const *names, u32 n) {
    char copy[64];
    if (len >= sizeof(copy)) return "";
    memcpy(copy, text, len);
    copy[len] = 0;
    const char *near = text_nearest(copy, names, n);
    return near ? arena_printf(&p->scratch, "; did you mean '%s%s'?", prefix, near) : "";
}

/* --- tokens */

static void report_bad_token(struct parser *p) {
    char quoted[64];
    u32 n = 0;
    for (u32 i = 0; i < p->tok.len && n + 5 < sizeof(quoted); i++) {
        u8 c = (u8)p->tok.text[i];
        if (c >= 32 && c < 127) quoted[n++] = (char)c;
        else n += (u32)snprintf(quoted + n, sizeof(quoted) - n, "\\x%02X", c);
    }
    quoted[n] = 0;
    parse_error(p, p->tok.loc, "bad token '%s': %s", quoted, p->tok.why);
}

void parse_advance(struct parser *p) {
    p->prev_end = p->tok.text + p->tok.len;
    p->tok = lexer_next(&p->lx);
    if (p->tok.kind == TOK_BAD) report_bad_token(p);
    if (p->failed && diag_full(p->dg)) p->tok.kind = TOK_EOF; /* enough said: let every loop end */
}

struct token parse_peek(struct parser *p) {
    struct lexer copy = p->lx;
    return lexer_next(&copy);
}

bool parse_accept(struct parser *p, u16 punct) {
    if (!parse_at(p, punct)) return false;
    parse_advance(p);
    return true;
}

bool parse_expect(struct parser *p, char punct) {
    if (parse_accept(p, (u16)punct)) return true;
    char what[] = {'\'', punct, '\'', 0};
    return parse_expected(p, what);
}

bool parse_at_word(const struct parser *p, const char *word) {
    size_t len = strlen(word);
    return (p->tok.kind == TOK_IDENT || p->tok.kind == TOK_DOT) && p->tok.len == len && memcmp(p->tok.text, word, len) == 0;
}

bool parse_u32(struct parser *p, const char *what, u32 *value) {
    if (p->tok.kind != TOK_INT) return parse_expected(p, what);
    if (p->tok.value > UINT32_MAX) return parse_error(p, p->tok.loc, "'%.*s' is too large", (int)p->tok.len, p->tok.text);
    *value = (u32)p->tok.value;
    parse_advance(p);
    return true;
}

bool parse_skip_parens(struct parser *p) {
    u32 depth = 0;
    if (!parse_at(p, '(')) return parse_expected(p, "'('");
    do {
        if (p->tok.kind == TOK_EOF) return parse_expected(p, "')'");
        if (parse_at(p, '(')) depth++;
        if (parse_at(p, ')')) depth--;
        parse_advance(p);
    } while (depth);
    return true;
}

bool parse_linkage(struct parser *p, u8 *linkage) {
    static const char *const words[] = {
        [LINK_VISIBLE] = ".visible", [LINK_EXTERN] = ".extern", [LINK_WEAK] = ".weak", [LINK_COMMON] = ".common"};
    for (u8 i = LINK_VISIBLE; i <= LINK_COMMON; i++) {
        if (!parse_at_word(p, words[i])) continue;
        *linkage = i;
        parse_advance(p);
        return true;
    }
    return false;
}

/* --- directives of any scope */

/* .file number ["directory"] "name" [, timestamp, size] */
static bool parse_file(struct parser *p) {
    struct file_entry e;
    u32 ignored;
    if (!parse_u32(p, "a file number", &e.number)) return false;
    if (p->tok.kind != TOK_STRING) return parse_expected(p, "a file name in quotes");
    struct token first = p->tok;
    parse_advance(p);
    if (p->tok.kind == TOK_STRING) {
        e.name =
            arena_printf(&p->m->arena, "%.*s/%.*s", (int)first.len - 2, first.text + 1, (int)p->tok.len - 2, p->tok.text + 1);
        parse_advance(p);
    } else {
        e.name = arena_strdup(&p->m->arena, first.text + 1, first.len - 2);
    }
    VEC_PUSH(&p->files, e);
    while (parse_accept(p, ','))
        if (!parse_u32(p, "a number", &ignored)) return false;
    return true;
}

/* , function_name label [+ offset] , inlined_at file line column */
static bool parse_loc_tail(struct parser *p) {
    i64 off;
    u32 ignored;
    parse_advance(p);
    if (parse_at_word(p, "function_name")) {
        parse_advance(p);
        if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a label");
        parse_advance(p);
        return parse_offset(p, &off);
    }
    if (!parse_at_word(p, "inlined_at")) return parse_expected(p, "function_name or inlined_at");
    parse_advance(p);
    return parse_u32(p, "a file number", &ignored) && parse_u32(p, "a line", &ignored) && parse_u32(p, "a column", &ignored);
}

/* .loc file line column, without a semicolon */
static bool parse_loc(struct parser *p) {
    u32 column;
    if (!parse_u32(p, "a file number", &p->loc_file) || !parse_u32(p, "a line", &p->loc_line) ||
        !parse_u32(p, "a column", &column))
        return false;
    while (parse_at(p, ','))
        if (!parse_loc_tail(p)) return false;
    return true;
}

/* Pragmas are hints; unknown ones are to be ignored */
static bool parse_pragma(struct parser *p) {
    do {
        if (p->tok.kind != TOK_STRING) return parse_expected(p, "a string");
        parse_advance(p);
    } while (parse_accept(p, ','));
    return parse_expect(p, ';');
}

int parse_common_directive(struct parser *p) {
    bool is_file = parse_at_word(p, ".file"), is_loc = parse_at_word(p, ".loc");
    if (!is_file && !is_loc && !parse_at_word(p, ".pragma")) return 0;
    parse_advance(p);
    return (is_file ? parse_file(p) : is_loc ? parse_loc(p) : parse_pragma(p)) ? 1 : -1;
}

/* --- directives of the module */

/* .version 8.7: written like a decimal fraction, read as two numbers */
static bool parse_version(struct parser *p) {
    u32 major = 0, minor = 0, i = 0;
    const char *s = p->tok.text;
    if (p->tok.kind != TOK_FLOAT) return parse_expected(p, "a version such as 8.7");
    for (; i < p->tok.len && s[i] >= '0' && s[i] <= '9' && major < 1000; i++) major = major * 10 + (u32)(s[i] - '0');
    if (i < p->tok.len && s[i] == '.')
        for (i++; i < p->tok.len && s[i] >= '0' && s[i] <= '9' && minor < 1000; i++) minor = minor * 10 + (u32)(s[i] - '0');
    if (i != p->tok.len) return parse_expected(p, "a version such as 8.7");
    p->m->version = major * 10 + minor;
    p->saw_version = true;
    parse_advance(p);
    return true;
}

static bool parse_target_word(struct parser *p) {
    const struct token *t = &p->tok;
    if (t->kind != TOK_IDENT) return parse_expected(p, "a target such as sm_90");
    u32 prefix = t->len > 3 && memcmp(t->text, "sm_", 3) == 0 ? 3 : t->len > 8 && memcmp(t->text, "compute_", 8) == 0 ? 8 : 0;
    if (prefix) {
        u32 sm = 0;
        for (u32 i = prefix; i < t->len && t->text[i] >= '0' && t->text[i] <= '9' && sm < 10000; i++)
            sm = sm * 10 + (u32)(t->text[i] - '0');
        if (!sm) return parse_expected(p, "a target such as sm_90");
        p->m->sm = sm;
    } else {
        static const char modes[] = "texmode_unified texmode_independent texmode_raw debug map_f64_to_f32";
        char word[32] = "";
        if (t->len < sizeof(word)) memcpy(word, t->text, t->len);
        if (!*word || !text_in_list(modes, word))
            return parse_error(p, t->loc, "unknown target '%.*s'; expected sm_ or compute_ and a number, or one of: %s",
                               (int)MIN(t->len, 60u), t->text, modes);
    }
    parse_advance(p);
    return true;
}

/* .target sm_90a, texmode_independent, debug */
static bool parse_target(struct parser *p) {
    const char *start = p->tok.text;
    do {
        if (!parse_target_word(p)) return false;
    } while (parse_accept(p, ','));
    p->m->target = arena_strdup(&p->m->arena, start, (size_t)(p->prev_end - start));
    p->saw_target = true;
    return true;
}

static bool parse_address_size(struct parser *p) {
    struct ptx_loc loc = p->tok.loc;
    if (!parse_u32(p, "32 or 64", &p->m->address_size)) return false;
    if (p->m->address_size == 32 || p->m->address_size == 64) return true;
    return parse_error(p, loc, "address size %u; expected 32 or 64", p->m->address_size);
}

/* .section .debug_info { ... }: DWARF that nothing here reads */
static bool parse_section(struct parser *p) {
    u32 depth = 0;
    if (p->tok.kind != TOK_DOT && p->tok.kind != TOK_IDENT) return parse_expected(p, "a section name");
    parse_advance(p);
    if (!parse_at(p, '{')) return parse_expected(p, "'{'");
    do {
        if (p->tok.kind == TOK_EOF) return parse_expected(p, "'}'");
        if (parse_at(p, '{')) depth++;
        if (parse_at(p, '}')) depth--;
        parse_advance(p);
    } while (depth);
    return true;
}

static const struct module_directive {
    const char *word;
    bool (*parse)(struct parser *p); /* after the word */
} module_directives[] = {
    {".version", parse_version}, {".target", parse_target}, {".address_size", parse_address_size}, {".section", parse_section}};

static bool report_unknown(struct parser *p) {
    static const char *const words[] = {".version", ".target", ".address_size", ".section", ".visible", ".extern", ".weak",
                                        ".common",  ".entry",  ".func",         ".global",  ".const",   ".shared", ".tex",
                                        ".alias",   ".pragma", ".file",         ".local",   ".reg"};
    if (p->tok.kind != TOK_DOT) return parse_expected(p, "a directive such as .entry or .global");
    const char *hint = parse_suggest(p, "", p->tok.text, p->tok.len, words, ARRAY_LEN(words));
    return parse_error(p, p->tok.loc, "unknown directive '%.*s'%s", (int)p->tok.len, p->tok.text, hint);
}

/* The two directives every module starts with, said once when missing */
static void check_prologue(struct parser *p) {
    if (!p->saw_version) parse_error(p, p->tok.loc, "missing .version; a module starts with it");
    else if (!p->saw_target) parse_error(p, p->tok.loc, "missing .target after .version");
    p->saw_version = p->saw_target = true;
}

static bool parse_top(struct parser *p) {
    u8 linkage = LINK_NONE;
    for (size_t i = 0; i < ARRAY_LEN(module_directives); i++) {
        if (!parse_at_word(p, module_directives[i].word)) continue;
        parse_advance(p);
        return module_directives[i].parse(p);
    }
    int done = parse_common_directive(p);
    if (done) return done > 0;
    if (parse_accept(p, ';')) return true;
    check_prologue(p);
    while (parse_linkage(p, &linkage)) continue;
    if (parse_at_word(p, ".entry") || parse_at_word(p, ".func")) return parse_func(p, linkage);
    if (parse_at_word(p, ".alias")) return parse_alias(p);
    if (parse_at_word(p, ".reg")) return parse_reg_decl(p);
    int space = parse_space(&p->tok);
    if (space != NONE && space != SPACE_PARAM) return parse_var_decl(p, linkage);
    if (space != NONE)
        return parse_error(p, p->tok.loc, "'%.*s' is not allowed outside a function", (int)p->tok.len, p->tok.text);
    return report_unknown(p);
}

/* Past the next ';' or the block that comes first */
static void recover_in_module(struct parser *p) {
    u32 open = p->open_braces;
    for (; p->tok.kind != TOK_EOF; parse_advance(p)) {
        if (!open && parse_accept(p, ';')) return;
        if (parse_at(p, '{')) open++;
        if (parse_at(p, '}') && (open == 0 || --open == 0)) {
            parse_advance(p);
            parse_accept(p, ';');
            return;
        }
    }
}

static void parse_module(struct parser *p) {
    parse_advance(p);
    while (p->tok.kind != TOK_EOF) {
        p->open_braces = p->depth = 0;
        if (!parse_top(p)) recover_in_module(p);
    }
    if (!p->failed) check_prologue(p);
    parse_func_finish(p);
}

/* --- the module */

static void *keep_pointers(struct parser *p, const void *from, u32 n) {
    void *to = ARENA_ARRAY(&p->m->arena, void *, n);
    if (n) memcpy(to, from, n * sizeof(void *));
    return to;
}

static void parser_free(struct parser *p) {
    scope_free(p);
    free(p->opnd_stack.at);
    free(p->regs.at);
    free(p->vars.at);
    free(p->labels.at);
    free(p->tables.at);
    free(p->insts.at);
    free(p->module_funcs.at);
    free(p->module_vars.at);
    free(p->module_reg_types.at);
    free(p->aliases.at);
    free(p->files.at);
    free(p->bodies.at);
    free(p->inst_files.at);
    free(p);
}

/* Other files end up here by mistake: one error, not twenty */
static bool check_is_text(struct parser *p, const char *text, size_t len) {
    const char *nul = memchr(text, 0, len);
    if (!nul) return true;
    const char *hint = len > 4 && memcmp(text,
                                         "\x7F"
                                         "ELF",
                                         4) == 0
                           ? " but an ELF file (a program or cubin)"
                           : "";
    return parse_error(p, (struct ptx_loc){0}, "this is not PTX text%s: the byte at offset %zu is 0", hint, (size_t)(nul - text));
}

struct ptx_module *ptx_parse(const char *file, const char *text, size_t len, struct diag *dg) {
    struct ptx_module *m = base_alloc(sizeof(*m));
    struct parser *p = base_alloc(sizeof(*p));
    m->file = arena_strdup(&m->arena, file, strlen(file));
    m->address_size = 64;
    p->m = m;
    p->dg = dg;
    p->failed = !diag_limit(dg, file, LIMIT_PROGRAM, len);
    lexer_init(&p->lx, text, p->failed ? 0 : len);
    p->tok.text = p->lx.p;
    if (!p->failed && check_is_text(p, text, len)) parse_module(p);
    m->nfuncs = p->module_funcs.n;
    m->nvars = p->module_vars.n;
    m->funcs = keep_pointers(p, p->module_funcs.at, m->nfuncs);
    m->vars = keep_pointers(p, p->module_vars.at, m->nvars);
    for (u32 i = 0; i < m->nvars; i++) {
        if (m->vars[i]->space == SPACE_CONST) m->const_b += m->vars[i]->size_b;
        m->has_local |= m->vars[i]->space == SPACE_LOCAL;
    }
    m->nregs = p->module_reg_types.n;
    m->reg_types = arena_alloc(&m->arena, m->nregs);
    if (m->nregs) memcpy(m->reg_types, p->module_reg_types.at, m->nregs);
    bool failed = p->failed;
    parser_free(p);
    if (!failed) return m;
    ptx_free(m);
    return NULL;
}

void ptx_free(struct ptx_module *m) {
    if (!m) return;
    arena_free(&m->arena);
    free(m);
}

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name) {
    for (u32 i = 0; i < m->nfuncs; i++)
        if (strcmp(m->funcs[i]->name, name) == 0) return m->funcs[i];
    return NULL;
}

struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name) {
    for (u32 i = 0; i < m->nvars; i++)
        if (strcmp(m->vars[i]->name, name) == 0) return m->vars[i];
    return NULL;
}
