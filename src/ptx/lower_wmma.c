/* wmma: matrices of a warp whose registers are opaque. func/wmma.c chooses their layout; here shapes, types
 * and operands are checked, and the product of the tensor core is chosen that a wmma.mma is made of. */
#include "ptx/lower.h"

#include "func/mma.h"

struct shape_row {
    u8 mod;
    u16 m, n, k;
};
static const struct shape_row shapes[] = {
    {MOD_m16n16k16, 16, 16, 16}, {MOD_m32n8k16, 32, 8, 16}, {MOD_m8n32k16, 8, 32, 16}, {MOD_m16n16k8, 16, 16, 8},
    {MOD_m8n8k4, 8, 8, 4},       {MOD_m8n8k32, 8, 8, 32},   {MOD_m8n8k128, 8, 8, 128},
};

/* By type of A and B: the shapes it has, and the product that computes a part of one. tf32 is summed in two
 * steps of k, as on Hopper: what one of k = 8 gives differs in the last bit. */
static const struct {
    u8 type, k, step; /* enum type, k of its shapes, enum mod */
} types[] = {
    {TYPE_f16, 16, MOD_m16n8k16}, {TYPE_bf16, 16, MOD_m16n8k16}, {TYPE_tf32, 8, MOD_m16n8k4},
    {TYPE_u8, 16, MOD_m16n8k16},  {TYPE_s8, 16, MOD_m16n8k16},   {TYPE_u4, 32, MOD_m8n8k32},
    {TYPE_s4, 32, MOD_m8n8k32},   {TYPE_b1, 128, MOD_m8n8k128},  {TYPE_f64, 4, MOD_m8n8k4},
};

static bool find_shape(struct fn *f, struct wmma_info *x) {
    for (u32 i = 0; i < ARRAY_LEN(shapes); i++)
        if (fn_has(f, (enum mod)shapes[i].mod)) {
            x->m = shapes[i].m, x->n = shapes[i].n, x->k = shapes[i].k;
            return true;
        }
    return lower_error(f, NULL, "misses a shape, such as .m16n16k16");
}

static enum mod step_of(enum type t, u32 k) {
    for (u32 i = 0; i < ARRAY_LEN(types); i++)
        if (types[i].type == t && types[i].k == k) return (enum mod)types[i].step;
    return MOD_COUNT;
}

/* Registers a lane; f16 matrices A and B have eight in every shape, whether they need them or not */
static u8 fragment_regs(const struct wmma_info *x, char part, enum type t) {
    u32 elems = part == 'a' ? (u32)x->m * x->k : part == 'b' ? (u32)x->n * x->k : (u32)x->m * x->n, bits = type_table[t].bits;
    if (part != 'c' && t == TYPE_f16) return 8;
    return (u8)(elems * bits / 32 / (bits == 64 ? 64 : 32));
}

static enum type register_type(enum type t) { return type_table[t].bits == 64 ? TYPE_b64 : TYPE_b32; }

static bool fragment_operands(struct fn *f, const struct ptx_opnd *o, u32 n, enum type t, bool dst, struct opnd *x) {
    u32 have = o->kind == PTX_VEC ? o->n : 1;
    if (have != n) return lower_error(f, o, "expected a vector of %u registers, found %u", n, have);
    for (u32 i = 0; i < n; i++) {
        const struct ptx_opnd *e = o->kind == PTX_VEC ? &o->elem[i] : o;
        if (dst ? !lower_dst(f, e, register_type(t), false, &x[i]) : !lower_src(f, e, register_type(t), false, &x[i]))
            return false;
    }
    return true;
}

/* wmma.load d, [address]{, stride}; wmma.store [address], d{, stride} */
static bool lower_move(struct fn *f, struct wmma_info *x, bool load) {
    const struct ptx_opnd *o = f->pi->opnds;
    enum type t = fn_type(f, 0);
    if (!lower_want_operands(f, 2, 3)) return false;
    if (t == TYPE_NONE) return lower_error(f, NULL, "misses a type");
    x->part = fn_has(f, MOD_a) ? 'a' : fn_has(f, MOD_b) ? 'b' : 'c';
    x->col = (f->pi->key.layouts & 3) == 2;
    x->type = (u8)t;
    x->regs = fragment_regs(x, (char)x->part, t);
    if (type_table[t].bits < 8 && x->col != (x->part == 'b'))
        return lower_error(f, NULL, "matrices of parts of bytes are A by rows and B by columns");
    struct inst tmp = {.space = (u8)lower_space(f), .s = {opnd_none(), opnd_none(), opnd_none()}};
    struct opnd *regs = ARENA_ARRAY(f->lo->arena, struct opnd, x->regs + 1u);
    if (!lower_address(f, &o[load ? 1 : 0], &tmp) || !fragment_operands(f, &o[load ? 0 : 1], x->regs, t, load, regs))
        return false;
    if (f->pi->nopnds > 2 && !lower_src(f, &o[2], TYPE_b32, false, &tmp.s[1])) return false;
    struct inst *in = fn_emit_collective(f, load ? exec_wmma_load : exec_wmma_store);
    in->s[0] = tmp.s[0], in->s[1] = tmp.s[1], in->imm = tmp.imm, in->space = tmp.space, in->frame_local = tmp.frame_local;
    in->extra = regs;
    in->extra_n = x->regs;
    in->extra_d = load ? x->regs : 0;
    in->info = x;
    return true;
}

/* The types of D, A, B, C: all four written, or D and C alone for f16 */
static bool product_types(struct fn *f, enum type t[4]) {
    u32 n = f->pi->key.ntypes;
    if (n != 2 && n != 4) return lower_error(f, NULL, "expected the types of D and C, or of D, A, B and C");
    t[0] = fn_type(f, 0), t[1] = n == 2 ? TYPE_f16 : fn_type(f, 1), t[2] = n == 2 ? TYPE_f16 : fn_type(f, 2),
    t[3] = fn_type(f, n - 1);
    return true;
}

/* The type that sums are made in: of C and D, which for f16 may differ, the wider */
static enum type sum_type(const enum type t[4]) {
    bool mixed = t[1] == TYPE_f16 && ((t[0] == TYPE_f16 && t[3] == TYPE_f32) || (t[0] == TYPE_f32 && t[3] == TYPE_f16));
    return mixed ? TYPE_f32 : t[0] == t[3] ? t[0] : TYPE_NONE;
}

static void product_step(struct fn *f, struct wmma_info *x, const enum type t[4]) {
    static const enum mod kept[] = {MOD_satfinite, MOD_xor, MOD_and, MOD_popc, MOD_rn, MOD_rz, MOD_rm, MOD_rp};
    u8 sum = (u8)sum_type(t);
    bool turned = x->m < x->n; /* computed as the transposed product, whose A is B */
    x->step = (struct opkey){.op = OP_mma, .ntypes = 4, .type = {sum, (u8)t[turned ? 2 : 1], (u8)t[turned ? 1 : 2], sum}};
    for (u32 i = 0; i < ARRAY_LEN(kept); i++)
        if (fn_has(f, kept[i])) mods_set(&x->step.mods, kept[i]);
    enum mod shape = step_of(t[1], x->k);
    if (shape != MOD_COUNT) mods_set(&x->step.mods, shape);
}

static bool lower_product(struct fn *f, struct wmma_info *x) {
    const struct ptx_opnd *o = f->pi->opnds;
    enum type t[4] = {TYPE_NONE};
    if (!lower_want_operands(f, 4, 4) || !product_types(f, t)) return false;
    product_step(f, x, t);
    bool directed = t[1] != TYPE_f64 && (fn_has(f, MOD_rz) || fn_has(f, MOD_rm) || fn_has(f, MOD_rp));
    if (!mma_supported(&x->step) || directed)
        return lower_unmodelled(f, "no matrix product of this shape, these types and rounding is modelled");
    static const char parts[] = "cabc";
    struct opnd *regs = ARENA_ARRAY(f->lo->arena, struct opnd, 40);
    u32 at = 0;
    for (u32 i = 0; i < 4; at += x->nregs[i++]) {
        x->nregs[i] = fragment_regs(x, parts[i], t[i]);
        if (!fragment_operands(f, &o[i], x->nregs[i], t[i], i == 0, &regs[at])) return false;
    }
    for (u32 i = 0; i < 4; i++) x->types[i] = (u8)t[i];
    struct inst *in = fn_emit_collective(f, exec_wmma);
    in->extra = regs;
    in->extra_n = (u8)at;
    in->extra_d = x->nregs[0];
    in->info = x;
    return true;
}

bool lower_wmma(struct fn *f) {
    struct wmma_info *x = ARENA_NEW(f->lo->arena, struct wmma_info);
    if (!find_shape(f, x)) return false;
    if (fn_has(f, MOD_mma)) return lower_product(f, x);
    return lower_move(f, x, fn_has(f, MOD_load));
}
