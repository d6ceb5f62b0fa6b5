/* A program that changes its own text (fence.i): the SM goes on with a kernel of its own, whose instructions
 * are others from the end of the cycle in which the fence has issued.
 *
 * What was dispatched stays what it was: whoever keeps an instruction until its result is there is given
 * the one as it was (text_now). Warps fetch again what stands in their buffers, and lines of the instruction
 * cache with changed words are no longer there. SMs that have executed no such fence run the text that they
 * had.
 *
 * Not modelled: what a fence.i costs beside that (a search of the caches); lines that were on their way bring
 * the new text. */
#include "core/text.h"

#include <stdlib.h>

struct text { /* of an SM whose program has changed its text in this launch */
    struct arena arena;
    struct kernel *k;
    struct program *prog;
};

void text_free(struct core *c) {
    if (!c->text) return;
    program_free(c->text->prog);
    arena_free(&c->text->arena);
    free(c->text);
    c->text = NULL;
}

/* The launch's program, but its own */
static void own(struct core *c) {
    struct text *x = c->text = base_alloc(sizeof(*x));
    x->k = c->prog->k->text->copy(c->prog->k, &x->arena);
    x->prog = program_new(c->cfg, x->k, c->prog->code_base);
}

/* An instruction as it was; its struct inst is a copy already */
static const struct tinst *keep(struct text *x, const struct tinst *t, const struct inst *was) {
    struct tinst *past = ARENA_NEW(&x->arena, struct tinst);
    struct inst *in = ARENA_NEW(&x->arena, struct inst);
    *in = *was;
    *past = *t;
    past->in = in;
    return past;
}

static void change_one(struct core *c, struct text_change *y, u32 pc, const struct inst *was) {
    struct text *x = c->text;
    struct inst *is = ARENA_NEW(&x->arena, struct inst);
    y->past[pc] = keep(x, &y->from[pc], was);
    program_change(x->prog, c->cfg, pc, ARENA_ARRAY(&x->arena, u16, 2 * MAX_INST_REGS));
    *is = x->k->code[pc];
    EMIT(c, .kind = EV_TEXT, .cycle = c->now, .pc = (i32)pc, .a = (u64)(uintptr_t)is);
}

/* It was decoded anew, or goes, or meets, elsewhere */
static bool differs(const struct inst *a, const struct inst *b) {
    return a->src != b->src || a->exec != b->exec || a->flags != b->flags || a->target != b->target || a->reconv != b->reconv;
}

void text_change(struct core *c, struct text_change *y) {
    bool first = !c->text;
    y->from = c->prog->at;
    if (first) own(c);
    struct text *x = c->text;
    u32 n = x->k->ninst;
    struct inst *was = base_alloc(sizeof(*was) * n);
    memcpy(was, x->k->code, sizeof(*was) * n);
    y->past = base_alloc(sizeof(struct tinst *) * n);
    y->to = x->prog->at, y->n = n;
    x->k->text->change(x->k, c->view.rewritten.at, c->view.rewritten.n);
    c->view.rewritten.n = 0;
    for (u32 pc = 0; pc < n; pc++)
        if (differs(&was[pc], &x->k->code[pc])) change_one(c, y, pc, &was[pc]);
    c->prog = x->prog;
    c->view.k = x->k;
    free(was);
}

void text_changed(struct text_change *y) { free(y->past); }

const struct tinst *text_now(const struct text_change *y, const struct tinst *t) {
    size_t pc = (size_t)(t - y->from);
    if (!t || t < y->from || pc >= y->n) return t; /* kept by an earlier change */
    return y->past[pc] ? y->past[pc] : &y->to[pc];
}
