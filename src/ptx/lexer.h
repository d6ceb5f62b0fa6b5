/* lexer: PTX text to tokens. Private to the parser. */
#ifndef HEDDLE_PTX_LEXER_H
#define HEDDLE_PTX_LEXER_H

#include "ptx/ptx.h"

enum tok_kind {
    TOK_EOF,
    TOK_IDENT,  /* add, %r1, $L__BB0_2, _ */
    TOK_DOT,    /* .f32, .2d, .L2::128B: the dot and its word, no white space between */
    TOK_INT,    /* value, is_unsigned */
    TOK_FLOAT,  /* value holds the bits, imm_kind says of what */
    TOK_STRING, /* text includes the quotes */
    TOK_PUNCT,  /* punct: one character, or two as PUNCT2(a, b) */
    TOK_BAD,    /* why says what is wrong with it */
};
#define PUNCT2(a, b) ((u16)((a) | (b) << 8))

struct token {
    u8 kind;     /* enum tok_kind */
    u8 imm_kind; /* enum ptx_imm_kind, of TOK_FLOAT */
    bool is_unsigned;
    u16 punct;
    u32 len;
    const char *text; /* into the source */
    struct ptx_loc loc;
    u64 value;
    const char *why;
};

struct lexer { /* may be copied to look ahead */
    const char *p, *end, *line_start;
    u32 line;
    const char *comment;        /* where the last block comment starts, */
    struct ptx_loc comment_loc; /* and its place */
};

void lexer_init(struct lexer *lx, const char *text, size_t len);
struct token lexer_next(struct lexer *lx);
/* Skips white space and comments up to `end`; false when a comment is not closed */
bool lexer_skip_blank(struct lexer *lx);

#endif
