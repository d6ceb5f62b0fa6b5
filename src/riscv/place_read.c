/* A function's lines to blocks (place.c). */
#include "riscv/place.h"

#include <ctype.h>
#include <stdlib.h>

static bool is_op(const char *line, size_t n, const char *list) {
    return n > 1 && line[0] == '\t' && op_is(line + 1, strcspn(line + 1, " \t\n"), list);
}
#define BRANCHES "beq bne blt bge bltu bgeu bgt ble bgtu bleu beqz bnez blez bgez bltz bgtz"

struct target { /* a label, and the block it begins */
    const char *name;
    size_t n;
    u32 block;
};
struct reading {
    struct function *f;
    VEC(struct target) labels;
    struct block now;
    bool open;                /* now has lines */
    VEC(struct target) wants; /* by block: the label its first successor has; n 0: the next block */
};

static void close_block(struct reading *r, enum end end, const char *line, size_t op_b, const char *to, size_t to_b) {
    struct target t = {to, to_b, 0};
    r->now.end = (u8)end;
    r->now.op = line, r->now.op_b = op_b;
    VEC_PUSH(&r->f->blocks, r->now);
    VEC_PUSH(&r->wants, t);
    r->now = (struct block){0};
    r->open = false;
}

static bool read_line(struct reading *r, const char *line, size_t n, const char *const *calls, u32 ncalls) {
    size_t code = strcspn(line, "#\n") < n ? strcspn(line, "#\n") : n;
    while (code && isspace((unsigned char)line[code - 1])) code--;
    if (strncmp(line, ".LBB", 4) == 0) {
        if (r->open) close_block(r, END_FALLS, NULL, 0, NULL, 0);
        struct target t = {line, strcspn(line, ":"), r->f->blocks.n};
        VEC_PUSH(&r->labels, t);
    }
    if (!r->open) r->now.text = line, r->open = true;
    if (is_op(line, code, "jr jalr tail mret unimp ebreak ecall"))
        return place_refuse(r->f, "a jump that is neither a branch nor a return");
    if (is_op(line, code, BRANCHES " j ret")) {
        const char *last = line + code;
        r->now.text_b = (size_t)(line - r->now.text);
        while (last > line && !isspace((unsigned char)last[-1]) && last[-1] != ',') last--;
        if (is_op(line, code, "ret")) r->now.returns = true, close_block(r, END_LEAVES, NULL, 0, NULL, 0);
        else if (is_op(line, code, "j")) close_block(r, END_FALLS, NULL, 0, last, (size_t)(line + code - last));
        else {
            const char *comma = last;
            while (*comma != ',') comma--;
            close_block(r, END_BRANCH, line + 1, (size_t)(comma - line - 1), last, (size_t)(line + code - last));
        }
        return true;
    }
    for (u32 i = 0; i < ncalls && is_op(line, code, "call"); i++) {
        size_t k = strlen(calls[i]);
        const char *name = line + code - k; /* the whole of it */
        r->now.barrier = r->now.barrier || (code > k && isspace((unsigned char)name[-1]) && strncmp(name, calls[i], k) == 0);
    }
    r->now.text_b = (size_t)(line + n + 1 - r->now.text);
    return true;
}

static bool settle(struct reading *r) {
    struct function *f = r->f;
    for (u32 b = 0; b < f->blocks.n; b++) {
        struct block *x = &f->blocks.at[b];
        u32 place = b + 1;
        for (u32 i = 0; i < r->labels.n && r->wants.at[b].n; i++)
            if (r->labels.at[i].n == r->wants.at[b].n &&
                strncmp(r->labels.at[i].name, r->wants.at[b].name, r->wants.at[b].n) == 0)
                place = r->labels.at[i].block;
        x->succ[0] = place, x->succ[1] = b + 1;
        if (x->end != END_LEAVES && (place >= f->blocks.n || (x->end == END_BRANCH && b + 1 >= f->blocks.n)))
            return place_refuse(f, "a way out of its text");
        VEC_PUSH(&f->order, b);
    }
    return true;
}

bool place_read(struct function *f, const char *text, const char *end, const char *const *calls, u32 ncalls) {
    struct reading r = {.f = f};
    bool ok = true;
    for (const char *at = text; at < end && ok;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        ok = read_line(&r, at, (size_t)((stop ? stop : end) - at), calls, ncalls);
        at = stop ? stop + 1 : end;
    }
    if (r.open) close_block(&r, END_LEAVES, NULL, 0, NULL, 0);
    ok = ok && f->blocks.n && settle(&r);
    free(r.labels.at), free(r.wants.at);
    return ok;
}
