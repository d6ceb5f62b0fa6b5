/* parse: what the parser's files share. Private to ptx/.
 *
 *   lexer.c        text to tokens
 *   parse.c        the module: directives, errors and how to go on after one
 *   parse_scope.c  names, scopes, registers declared by the range, labels used before they are declared
 *   parse_expr.c   constant expressions
 *   parse_decl.c   variables, registers, initialisers
 *   parse_func.c   functions: headers, bodies, tables of labels
 *   parse_inst.c   instructions and operands
 *   parse_old.c    what instructions of old versions left unsaid
 *
 * Invariants
 *  1. A parse_ function that returns false has reported an error, and the caller returns false in turn until
 *     a statement's loop recovers.
 *  2. What the text means but does not allow (an undeclared name, a wrong modifier) is reported and parsing
 *     goes on without recovery.
 *  3. Every loop over tokens ends at TOK_EOF, and the token stream ends early once the diagnostics are full.
 *  4. A name's stack of symbols is sorted by depth, deepest on top; no two have the same depth. */
#ifndef HEDDLE_PTX_PARSE_H
#define HEDDLE_PTX_PARSE_H

#include "ptx/lexer.h"

enum {
    MAX_DEPTH = 256,    /* nested scopes; nested parentheses of an expression */
    MAX_REGS = 1000000, /* registers a function may declare */
    MAX_MODULE_REGS = 8000000,
    MAX_DIMS = 16,          /* dimensions of an array */
    MAX_OPNDS = 64,         /* operands of an instruction */
    MAX_ELEMS = 65535,      /* elements of a vector or list operand */
    MAX_INIT_B = 256 << 20, /* initialised bytes of a module */
    MAX_OLD_PARAMS = 256,   /* parameters declared in a kernel's body, which then may take 256 bytes */
};
#define MAX_VAR_B (1ull << 32)

enum sym_kind { SYM_REG, SYM_VECREG, SYM_VAR, SYM_FUNC, SYM_RANGE, SYM_LABEL, SYM_TABLE };

struct symbol {
    u8 kind; /* enum sym_kind */
    u8 type; /* enum type, of registers */
    u8 vec;  /* components of a VECREG, or of each register of a RANGE */
    u16 depth;
    i32 index; /* REG: into regs; VECREG: its first component; RANGE: how many; LABEL, TABLE: into labels, tables */
    struct ptx_loc loc;
    struct ptx_var *var;
    struct ptx_func *func;
    struct name *name;
    struct symbol *shadowed; /* the same name further out */
    struct symbol *next_in_scope;
};

struct name { /* an identifier, once per module */
    const char *text;
    u32 len;
    u32 hash;
    struct name *next;    /* in its bucket */
    struct symbol *sym;   /* innermost register, variable or function */
    struct symbol *range; /* innermost `.reg %name<n>` */
    struct symbol *label; /* innermost label or table */
};

struct scope {
    struct symbol *symbols;
    u32 pending_first; /* references made in this scope and not yet resolved: pending[pending_first ...] */
    u16 range_depth;   /* depth of the innermost scope, from here outwards, with a register range; 0 none */
};

struct pending { /* a label or table named before we can know which it is */
    struct name *name;
    struct ptx_loc loc;
    i32 *slot; /* takes the label's index; or */
    u32 inst;  /* the instruction whose `table` takes the table's index (slot NULL) */
    u8 kinds;  /* tables: bit set of the acceptable ones */
};

struct file_entry { /* .file */
    u32 number;
    const char *name;
};

struct alias { /* .alias */
    struct ptx_func *alias, *target;
};

struct parser {
    struct lexer lx;
    struct token tok;     /* the one to look at next */
    const char *prev_end; /* end of the token before it */
    struct ptx_module *m;
    struct arena scratch; /* symbols: gone after the parse */
    struct diag *dg;
    bool failed;
    u32 open_braces; /* of the current statement's operands or initialiser, for recovery */
    u32 depth;       /* of the current expression */

    struct name **buckets;
    u32 nbuckets, nnames;
    struct scope scopes[MAX_DEPTH + 1]; /* 0 is the module, 1 a function with its parameters */
    u32 scope_depth;
    bool digit_regs;            /* the function declares a register like %r5 by itself */
    bool module_ranges;         /* the module declares registers by the range */
    u32 func_regs, module_regs; /* declared so far */
    VEC(struct pending) pending;
    VEC(struct ptx_opnd) opnd_stack; /* operands of lists not yet closed */

    /* the function being read */
    struct ptx_func *func;
    bool params_in_body; /* its .param variables are the kernel's parameters, as before 1.4 */
    VEC(struct ptx_reg) regs;
    VEC(struct ptx_var *) vars;
    VEC(struct ptx_label) labels;
    VEC(struct ptx_table) tables;
    VEC(struct ptx_inst) insts;
    u32 loc_file, loc_line; /* of the last .loc */

    /* the module so far */
    VEC(struct ptx_func *) module_funcs;
    VEC(struct ptx_var *) module_vars;
    VEC(u8) module_reg_types; /* of registers declared outside of functions */
    VEC(struct alias) aliases;
    VEC(struct file_entry) files;
    VEC(struct ptx_func *) bodies; /* functions with bodies, in order of the text */
    VEC(u32) inst_files;           /* .loc file number of each instruction of `bodies`: .file may come last */
    u64 init_b;                    /* initialised bytes so far */
    bool saw_version, saw_target;
};

/* --- parse.c */
bool parse_error(struct parser *p, struct ptx_loc loc, const char *fmt, ...) PRINTF_LIKE(3, 4); /* returns false */
bool parse_expected(struct parser *p, const char *what); /* "unexpected 'x'; expected what" */
/* "; did you mean 'PREFIXx'?" with the nearest of the names, or "" */
const char *parse_suggest(struct parser *p, const char *prefix, const char *text, size_t len, const char *const *names, u32 n);
void parse_advance(struct parser *p);
struct token parse_peek(struct parser *p); /* the token after p->tok */
static inline bool parse_at(const struct parser *p, u16 punct) { return p->tok.kind == TOK_PUNCT && p->tok.punct == punct; }
bool parse_accept(struct parser *p, u16 punct);
bool parse_expect(struct parser *p, char punct);
bool parse_at_word(const struct parser *p, const char *word); /* an identifier or, with its dot, a dotted word */
bool parse_skip_parens(struct parser *p);
bool parse_u32(struct parser *p, const char *what, u32 *value);
bool parse_linkage(struct parser *p, u8 *linkage); /* takes .visible .extern .weak .common; false when there is none */
/* .file .loc .pragma: 1 done, 0 none of them, -1 error */
int parse_common_directive(struct parser *p);

/* --- parse_scope.c */
struct name *name_find(struct parser *p, const char *text, size_t len); /* NULL when never seen */
struct name *name_intern(struct parser *p, const char *text, size_t len);
static inline struct name *name_of_token(struct parser *p) { return name_intern(p, p->tok.text, p->tok.len); }
bool scope_push(struct parser *p);
void scope_pop(struct parser *p);
/* NULL after reporting that the scope has the name already */
struct symbol *scope_declare(struct parser *p, enum sym_kind kind, struct name *n, struct ptx_loc loc);
struct symbol *scope_find(struct parser *p, struct name *n); /* register, variable or function; NULL none */
bool scope_declare_reg(struct parser *p, struct name *n, enum type type, u32 vec, struct ptx_loc loc);
bool scope_declare_range(struct parser *p, struct name *stem, enum type type, u32 vec, u32 count, struct ptx_loc loc);
void scope_refer_label(struct parser *p, struct name *n, struct ptx_loc loc, i32 *slot);
void scope_refer_table(struct parser *p, struct name *n, struct ptx_loc loc, u32 inst, u8 kinds);
/* Reports that `n` means nothing here: "register '%r5' is not declared", with what is near */
bool scope_undeclared(struct parser *p, const struct name *n, struct ptx_loc loc, const char *what);
void scope_free(struct parser *p);

/* --- parse_expr.c */
enum const_kind { CONST_S64, CONST_U64, CONST_F32, CONST_F64 };
struct const_value {
    u8 kind; /* enum const_kind */
    u64 bits;
};
bool parse_expr(struct parser *p, struct const_value *v);
bool parse_int_expr(struct parser *p, i64 *v);
bool parse_offset(struct parser *p, i64 *off); /* takes "+ 4", "- 4", "+-4"; 0 when there is none */

/* --- parse_decl.c */
int parse_space(const struct token *t); /* enum space of .global and the like, or NONE */
bool parse_reg_decl(struct parser *p);
bool parse_var_decl(struct parser *p, u8 linkage);
bool parse_param(struct parser *p, struct ptx_var *v);

/* --- parse_old.c */
void parse_add_old_defaults(const struct parser *p, struct ptx_inst *in); /* modifiers that old versions left unsaid */

/* --- parse_func.c */
bool parse_at_module_word(const struct parser *p); /* a directive that starts a statement of the module, or the end */
bool parse_func(struct parser *p, u8 linkage);
bool parse_alias(struct parser *p);
void parse_func_finish(struct parser *p); /* aliases and source files, once the whole text is known */

/* --- parse_inst.c */
bool parse_inst(struct parser *p);

#endif
