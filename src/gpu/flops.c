/* Floating-point operations of a launch: how often each instruction ran, times what one is worth. Nothing is
 * counted while the launch runs. Integer and bit matrices are no floating-point work. An instruction set that
 * keeps no PTX key (struct inst.key) is counted by class: one operation a lane. */
#include "func/mma.h"
#include "gpu/gpu.h"

const char *const flop_names[FLOP_KINDS] = {"fp16", "fp32", "fp64", "matrix"};

static u32 worth(enum op op) {
    switch (op) {
    case OP_fma:
    case OP_mad: return 2;
    case OP_add:
    case OP_sub:
    case OP_mul:
    case OP_div:
    case OP_rcp:
    case OP_sqrt:
    case OP_rsqrt:
    case OP_sin:
    case OP_cos:
    case OP_lg2:
    case OP_ex2:
    case OP_tanh: return 1;
    default: return 0;
    }
}

/* Precision of an element and elements of a type; false for what is no float */
static bool elements_of(enum type t, enum flop_kind *kind, u32 *n) {
    *n = t == TYPE_f16x2 || t == TYPE_bf16x2 || t == TYPE_f32x2 ? 2 : 1;
    switch (t) {
    case TYPE_f16:
    case TYPE_bf16:
    case TYPE_f16x2:
    case TYPE_bf16x2: return *kind = FLOP_16, true;
    case TYPE_f32:
    case TYPE_f32x2: return *kind = FLOP_32, true;
    case TYPE_f64: return *kind = FLOP_64, true;
    default: return false;
    }
}

/* wmma.mma: m x n x k is one of three products */
static u64 wmma_worth(const struct opkey *key) {
    if (!key_has(key, MOD_mma)) return 0;
    if (key_has(key, MOD_m8n8k4)) return 2ull * 8 * 8 * 4;
    if (key_has(key, MOD_m16n16k8)) return 2ull * 16 * 16 * 8;
    return 2ull * 16 * 16 * 16;
}

/* Operations of a warp's matrix instruction */
static u64 matrix_worth(const struct inst *in) {
    const struct opkey *key = in->key;
    struct mma_shape s;
    if (in->op == OP_wmma) return key->type[0] == TYPE_s32 || key->type[1] == TYPE_s32 ? 0 : wmma_worth(key);
    if (in->op != OP_mma || key->type[0] == TYPE_s32 || !mma_shape_of(key, &s)) return 0;
    u32 products = key_has(key, MOD_m8n8k4) && key->type[1] == TYPE_f16 ? 4 : 1; /* one for each quarter of the warp */
    return 2ull * products * s.m * s.n * s.k;
}

static void count_by_class(const struct inst *in, const struct pc_stats *p, u64 *flops) {
    if (in->iclass == ICLASS_FP32 || in->iclass == ICLASS_FDIV) flops[FLOP_32] += p->lanes;
    if (in->iclass == ICLASS_FP64 || in->iclass == ICLASS_DDIV) flops[FLOP_64] += p->lanes;
    if (in->iclass == ICLASS_HALF) flops[FLOP_16] += p->lanes;
}

static void count_one(const struct inst *in, const struct pc_stats *p, u64 *flops) {
    enum flop_kind kind;
    u32 n;
    if (!in->key) count_by_class(in, p, flops);
    else if (in->iclass == ICLASS_TENSOR) flops[FLOP_MATRIX] += p->issues * matrix_worth(in);
    else if (in->key->ntypes && elements_of(in->key->type[0], &kind, &n)) flops[kind] += p->lanes * n * worth(in->op);
}

void flops_count(struct launch_stats *s) {
    for (u32 pc = 0; pc < s->npcs; pc++) count_one(&s->k->code[pc], &s->pcs[pc], s->flops);
}
