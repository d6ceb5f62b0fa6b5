/* What instructions of old versions left unsaid.
 *
 * Before PTX 1.4 there was no .approx and no .ftz: single-precision divisions, roots and transcendental
 * functions were approximate, those of double precision rounded to nearest. mad.f32 could leave out its
 * rounding up to PTX 3.1. Targets before sm_20 flush subnormal single-precision operands and results to zero.
 * The words are added here, so that nothing behind the parser knows old versions.
 *
 * Does not model the truncated product of mad.f32 on sm_1x: drivers for later machines make a fused
 * multiply-add of it, and so do we. */
#include "ptx/parse.h"

enum { VERSION_OF_APPROX = 14, VERSION_OF_MAD_ROUNDING = 32, SM_OF_SUBNORMALS = 20 };

static bool has_rounding(const struct opkey *k) {
    return key_has(k, MOD_rn) || key_has(k, MOD_rz) || key_has(k, MOD_rm) || key_has(k, MOD_rp);
}

static bool is_approximate(enum op op) {
    static const enum op ops[] = {OP_div, OP_rcp, OP_sqrt, OP_rsqrt, OP_sin, OP_cos, OP_lg2, OP_ex2};
    for (size_t i = 0; i < ARRAY_LEN(ops); i++)
        if (ops[i] == op) return true;
    return false;
}

/* The precision or rounding of an instruction that has none; MOD_COUNT when it needs none */
static enum mod old_precision(const struct parser *p, const struct opkey *k) {
    enum op op = (enum op)k->op;
    bool f32 = k->type[0] == TYPE_f32, f64 = k->type[0] == TYPE_f64;
    bool old = p->m->version < VERSION_OF_APPROX || p->m->sm < SM_OF_SUBNORMALS;
    if (op == OP_mad && f32 && p->m->version < VERSION_OF_MAD_ROUNDING) return MOD_rn;
    if (!old || (!f32 && !f64)) return MOD_COUNT;
    if (is_approximate(op) && (f32 || op == OP_rsqrt)) return MOD_approx;
    return is_approximate(op) || op == OP_mad || op == OP_fma ? MOD_rn : MOD_COUNT;
}

static bool touches_f32(const struct opkey *k) {
    for (u32 i = 0; i < k->ntypes; i++)
        if (k->type[i] == TYPE_f32) return true;
    return false;
}

void parse_add_old_defaults(const struct parser *p, struct ptx_inst *in) {
    struct opkey *k = &in->key;
    if (!p->saw_target || !k->ntypes) return;
    enum mod precision = old_precision(p, k);
    if (precision != MOD_COUNT && !has_rounding(k) && !key_has(k, MOD_approx) && !key_has(k, MOD_full))
        mods_set(&k->mods, precision);
    bool flushes = p->m->sm < SM_OF_SUBNORMALS || (p->m->version < VERSION_OF_APPROX && precision == MOD_approx);
    if (k->op == OP_cvt && (k->type[0] == TYPE_f64 || k->type[1] == TYPE_f64)) flushes = false; /* as seen on silicon */
    if (flushes && touches_f32(k) && op_takes_mod((enum op)k->op, MOD_ftz)) mods_set(&k->mods, MOD_ftz);
}
