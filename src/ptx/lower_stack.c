/* alloca and what gives it back. A function that uses it has a word in its frame, per lane, that counts the
 * bytes taken. */
#include "ptx/lower.h"

bool lower_grows(const struct ptx_func *p) {
    for (u32 i = 0; i < p->ninsts; i++) {
        u16 op = p->insts[i].key.op;
        if (op == OP_alloca || op == OP_stacksave || op == OP_stackrestore) return true;
    }
    return false;
}

/* alloca.u64 address, bytes{, alignment} */
bool lower_alloca(struct fn *f) {
    const struct ptx_opnd *o = f->pi->opnds;
    enum type t = fn_type(f, 0);
    struct opnd d, bytes;
    if (!lower_want_operands(f, 2, 3)) return false;
    if (t == TYPE_NONE) return lower_error(f, NULL, "misses a type; legal types are: u32 u64");
    if (!lower_dst(f, &o[0], t, false, &d) || !lower_src(f, &o[1], t, false, &bytes)) return false;
    u64 align = f->pi->nopnds > 2 ? o[2].imm : 8;
    if (f->pi->nopnds > 2 && (o[2].kind != PTX_IMM || !align || align & (align - 1) || align > 1024))
        return lower_error(f, &o[2], "the alignment must be a constant power of two, at most 1024");
    struct inst *in = fn_emit(f, exec_alloca);
    in->d = d;
    in->s[0] = bytes;
    in->imm = (i64)align;
    return true;
}

bool lower_stack(struct fn *f) {
    bool save = f->pi->key.op == OP_stacksave;
    struct opnd x;
    enum type t = fn_type(f, 0);
    if (!lower_want_operands(f, 1, 1)) return false;
    if (t == TYPE_NONE) return lower_error(f, NULL, "misses a type; legal types are: u32 u64");
    if (save ? !lower_dst(f, &f->pi->opnds[0], t, false, &x) : !lower_src(f, &f->pi->opnds[0], t, false, &x)) return false;
    struct inst *in = fn_emit(f, save ? exec_stacksave : exec_stackrestore);
    *(save ? &in->d : &in->s[0]) = x;
    return true;
}
