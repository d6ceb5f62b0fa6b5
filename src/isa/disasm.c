/* Disassembly: the program as heddle understood it: pc, registers after allocation, branch targets and
 * meeting points. */
#include "isa/isa.h"

static void print_opnd(FILE *out, const struct kernel *k, const struct opnd *o) {
    if (o->absent) {
        fputs("_", out);
        return;
    }
    if (o->in == OPND_IN_PRED) fprintf(out, "%sp%d", o->negate ? "!" : "", o->off);
    else if (o->in == OPND_IN_REG && o->rows == 1) fprintf(out, "r%u", o->reg);
    else if (o->in == OPND_IN_REG) fprintf(out, "r%u:%u", o->reg, o->reg + o->rows - 1u);
    else {
        unsigned long long v = 0;
        for (u32 i = 0; i < 4u * o->rows && i < 8; i++) v |= (unsigned long long)k->pool[o->off + (i32)i] << 8 * i;
        fprintf(out, "0x%llx", v);
    }
}

static void print_registers(FILE *out, const struct kernel *k, const struct inst *in) {
    const char *sep = "";
    bool any = false;
    const struct opnd *list[5] = {&in->d, &in->s[0], &in->s[1], &in->s[2], &in->q};
    for (u32 i = 0; i < ARRAY_LEN(list); i++) {
        if (list[i]->absent) continue;
        fputs(any ? sep : " ", out);
        print_opnd(out, k, list[i]);
        any = true;
        sep = i == 0 ? " <- " : " ";
    }
    for (u32 i = 0; i < in->extra_n; i++) {
        fputs(i || !any ? " " : " | ", out);
        print_opnd(out, k, &in->extra[i]);
    }
}

static const struct kernel_func *func_starting(const struct kernel *k, i32 pc) {
    for (u32 i = 0; i < k->nfuncs; i++)
        if (k->funcs[i].entry_pc == pc) return &k->funcs[i];
    return NULL;
}

const char *inst_text(const struct inst_src *src) {
    if (!src || src->text || !src->print) return src ? src->text : NULL;
    return src->print(src);
}

void kernel_disasm(const struct kernel *k, FILE *out) {
    for (u32 pc = 0; pc < k->ninst; pc++) {
        const struct inst *in = &k->code[pc];
        const struct kernel_func *f = func_starting(k, (i32)pc);
        if (f) fprintf(out, "%s: %u registers, %u predicates, %u local bytes\n", f->name, f->regs, f->preds, f->local_b);
        fprintf(out, "%5u %c ", pc, in->flags & INST_RECONV ? '>' : ' ');
        if (in->guard != NONE) fprintf(out, "@%sp%d ", in->guard_negate ? "!" : "", in->guard);
        fprintf(out, "%-48s ;", inst_text(in->src));
        print_registers(out, k, in);
        if (in->target != NONE) fprintf(out, " -> %d", in->target);
        if (in->reconv != NONE) fprintf(out, " meet %d", in->reconv);
        fputc('\n', out);
    }
}
