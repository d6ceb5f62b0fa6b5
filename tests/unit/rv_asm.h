/* rv_asm: a small assembler for the tests: an instruction a line, after labels with colons, the spellings
 * and operands of src/riscv/rv.def, labels as targets, `li` and `la` for constants (two words), `.word N`.
 * Everything lies from 0x80000000 on. That the words themselves are right is checked against known ones in
 * test_rv_vortex.c. */
#ifndef RV_ASM_H
#define RV_ASM_H

#include "riscv/riscv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASM_WORDS = 2048, ASM_LABELS = 512 };
struct rv_asm {
    u32 words[ASM_WORDS], n;
    struct {
        char name[24];
        u32 at;
    } labels[ASM_LABELS];
    u32 nlabels;
    enum rv_variant variant;
    bool sizing; /* first pass: labels are not known */
};

static u32 asm_reg(const char *s) {
    static const char *const names =
        "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6 ";
    u32 i = 0;
    size_t len = strcspn(s, " ,()");
    for (const char *p = names; *p; p = strchr(p, ' ') + 1, i++)
        if (strcspn(p, " ") == len && strncmp(p, s, len) == 0) return i;
    if (s[0] == 'x' || (s[0] == 'f' && isdigit((unsigned char)s[1]))) return (u32)atoi(s + 1);
    fprintf(stderr, "no register: %s\n", s);
    abort();
}
static u32 asm_value(const struct rv_asm *a, const char *s) {
    if (isdigit((unsigned char)s[0]) || s[0] == '-') return (u32)strtoll(s, NULL, 0);
    if (a->sizing) return 0x80000000u;
    size_t len = strcspn(s, " ,()");
    for (u32 i = 0; i < a->nlabels; i++)
        if (strlen(a->labels[i].name) == len && strncmp(a->labels[i].name, s, len) == 0) return a->labels[i].at;
    fprintf(stderr, "no label: %s\n", s);
    abort();
}
static u32 asm_operand(const struct rv_asm *a, char c, const char *s, u32 here) {
    u32 v = strchr("ihubjczlnkv", c) && c != 'v' ? asm_value(a, s) : 0, o = v - here;
    const char *paren = strchr(s, '(');
    switch (c) {
    case 'd':
    case 'D': return asm_reg(s) << 7;
    case 's':
    case 'S': return asm_reg(s) << 15;
    case 't':
    case 'T': return asm_reg(s) << 20;
    case 'R': return asm_reg(s) << 27;
    case 'r': return asm_reg(s) << 27;
    case 'k': return v << 25;
    case 'i': return v << 20;
    case 'h': return v << 20;
    case 'u': return v << 12;
    case 'c': return v << 20;
    case 'z': return v << 15;
    case 'a': return asm_reg(s + 1) << 15;
    case 'l': return v << 20 | asm_reg(paren + 1) << 15;
    case 'n': return (v >> 5 & 127) << 25 | (v & 31) << 7 | asm_reg(paren + 1) << 15;
    case 'b': return (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7;
    case 'j': return (o >> 20 & 1) << 31 | (o >> 1 & 1023) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 255) << 12;
    default: return 0;
    }
}
static void asm_line(struct rv_asm *a, const char *line) {
    char name[24] = "";
    u32 here = 0x80000000u + 4 * a->n;
    size_t len = strcspn(line, " ");
    memcpy(name, line, len < 23 ? len : 23);
    const char *rest = line + len + (line[len] != 0);
    if (strcmp(name, ".word") == 0) a->words[a->n++] = asm_value(a, rest);
    else if (strcmp(name, "li") == 0 || strcmp(name, "la") == 0) {
        u32 v = asm_value(a, strchr(rest, ',') + 2), rd = asm_reg(rest) << 7;
        a->words[a->n++] = 0x37 | rd | ((v + 0x800) & 0xFFFFF000);
        a->words[a->n++] = 0x13 | rd | rd << 8 | v << 20;
    } else {
        const struct rv_row *row = NULL;
        u8 other = a->variant == RV_2021 ? RV_SET_V3 : RV_SET_V21;
        for (u32 i = 0; i < RV_COUNT && !row; i++)
            if (strcmp(rv_table[i].name, name) == 0 && rv_table[i].set != other) row = &rv_table[i];
        if (!row) {
            fprintf(stderr, "no instruction: %s\n", line);
            abort();
        }
        u32 w = row->match;
        for (const char *c = row->operands; *c; c++) {
            if (*c == ',') rest = strchr(rest, ',') ? strchr(rest, ',') + 2 : rest;
            else w |= asm_operand(a, *c, rest, here);
        }
        a->words[a->n++] = w;
    }
}
/* The words of a program; lines are separated by newlines or semicolons */
static void asm_program(struct rv_asm *a, const char *text, enum rv_variant variant) {
    for (u32 pass = 0; pass < 2; pass++) {
        a->n = 0, a->variant = variant, a->sizing = pass == 0;
        if (!pass) a->nlabels = 0;
        for (const char *p = text; *p;) {
            char line[128] = "";
            while (*p == ' ' || *p == '\n' || *p == ';') p++;
            size_t len = strcspn(p, "\n;"), end = len;
            while (end && p[end - 1] == ' ') end--;
            memcpy(line, p, end);
            p += len;
            const char *at = line;
            for (size_t colon; (colon = strcspn(at, " :")) && at[colon] == ':';) {
                if (!pass) {
                    snprintf(a->labels[a->nlabels].name, sizeof(a->labels[0].name), "%.*s", (int)colon, at);
                    a->labels[a->nlabels++].at = 0x80000000u + 4 * a->n;
                }
                at += colon + 1;
                while (*at == ' ') at++;
            }
            if (*at) asm_line(a, at);
        }
    }
}

#endif
