/* asm: what the files of the assembler share. asm_words.c: words of a line, names and values; asm_inst.c:
 * operands and instructions; asm.c: graphs, directives and the two passes. */
#ifndef HEDDLE_LAB_ASM_H
#define HEDDLE_LAB_ASM_H

#include "lab/lab.h"

enum { MAX_TOKENS = 4200 };
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

/* --- asm_words.c */
const struct token *as_peek(const struct as *a); /* the next word; one of no length at the end */
bool as_is(const struct token *t, const char *s);
bool as_take(struct as *a, const char *s); /* goes on when the next word is s */
bool as_complain(struct as *a, const struct token *t, const char *fmt, ...) PRINTF_LIKE(3, 4); /* returns false */
const char *as_found(const struct token *t, char buf[48]);                                     /* "found X", for messages */
char *as_word(struct as *a, const struct token *t);
bool as_is_word(const struct token *t);
void as_tokens(struct as *a, const char *line, size_t len);
u8 as_register(struct as *a, const struct token *t); /* REG_NONE when it is no register; a name like R99 is told */
bool as_number(struct as *a, i64 *out);
bool as_value(struct as *a, i64 *out); /* a number or the address of a data name */
const struct label *as_label(const struct as *a, const char *name);
const char *as_near(const struct as *a, const char *name, bool data);

/* --- asm_inst.c */
i32 as_row(const char *name); /* the first instruction of that name, or -1 */
bool as_unknown_op(struct as *a, const struct token *t);
void as_inst(struct as *a); /* an instruction, from its name on */

#endif
