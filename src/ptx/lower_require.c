/* What an instruction may not leave out: the modifier that says which half of a product, how to round, what
 * to compare.
 *
 * op.def says what is legal; this table says of which words one must be there. Programs for the first
 * machines (before sm_20, or before PTX 1.4) wrote float instructions without rounding; for them only the
 * integer rows count. */
#include "ptx/lower.h"

enum require_when { WHEN_ANY, WHEN_INT, WHEN_FLOAT };
struct require_row {
    u16 op;      /* enum op */
    u8 when;     /* enum require_when: by the first type */
    bool modern; /* not asked of the first machines */
    const char *mods, *what;
};

#define COMPARISONS "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"
#define ROUNDINGS   "rn rz rm rp"
static const struct require_row require_table[] = {
    {OP_mul, WHEN_INT, false, "lo hi wide", "the half of the product"},
    {OP_mad, WHEN_INT, false, "lo hi wide", "the half of the product"},
    {OP_madc, WHEN_ANY, false, "lo hi", "the half of the product"},
    {OP_mul24, WHEN_ANY, false, "lo hi", "the half of the product"},
    {OP_mad24, WHEN_ANY, false, "lo hi", "the half of the product"},
    {OP_clmad, WHEN_ANY, false, "lo hi", "the half of the product"},
    {OP_mad, WHEN_FLOAT, true, ROUNDINGS, "a rounding"},
    {OP_fma, WHEN_ANY, true, ROUNDINGS, "a rounding"},
    {OP_div, WHEN_FLOAT, true, "approx full " ROUNDINGS, "a precision or rounding"},
    {OP_rcp, WHEN_ANY, true, "approx " ROUNDINGS, "a precision or rounding"},
    {OP_sqrt, WHEN_ANY, true, "approx " ROUNDINGS, "a precision or rounding"},
    {OP_rsqrt, WHEN_ANY, true, "approx", "its precision"},
    {OP_sin, WHEN_ANY, true, "approx", "its precision"},
    {OP_cos, WHEN_ANY, true, "approx", "its precision"},
    {OP_lg2, WHEN_ANY, true, "approx", "its precision"},
    {OP_ex2, WHEN_ANY, true, "approx", "its precision"},
    {OP_tanh, WHEN_ANY, true, "approx", "its precision"},
    {OP_setp, WHEN_ANY, false, COMPARISONS, "a comparison"},
    {OP_set, WHEN_ANY, false, COMPARISONS, "a comparison"},
    {OP_testp, WHEN_ANY, false, "finite infinite number notanumber normal subnormal", "a property"},
    {OP_shf, WHEN_ANY, false, "l r", "a direction"},
    {OP_shfl, WHEN_ANY, false, "up down bfly idx", "a mode"},
    {OP_vote, WHEN_ANY, false, "all any uni ballot", "a mode"},
    {OP_match, WHEN_ANY, false, "any all", "a mode"},
    {OP_redux, WHEN_ANY, false, "add min max and or xor", "an operation"},
    {OP_vset, WHEN_ANY, false, "eq ne lt le gt ge", "a comparison"},
    {OP_vset2, WHEN_ANY, false, "eq ne lt le gt ge", "a comparison"},
    {OP_vset4, WHEN_ANY, false, "eq ne lt le gt ge", "a comparison"},
};

static bool is_float(enum type t) { return type_table[t].family == FAMILY_F || t == TYPE_f16x2 || t == TYPE_bf16x2; }

static bool has_one_of(const struct opkey *k, const char *mods) {
    for (int m = 0; m < MOD_COUNT; m++)
        if (key_has(k, (enum mod)m) && text_in_list(mods, mod_names[m])) return true;
    return false;
}

static bool applies(const struct require_row *r, const struct opkey *k, bool modern) {
    if (r->op != k->op || (r->modern && !modern)) return false;
    if (r->when == WHEN_ANY) return true;
    return k->ntypes && is_float((enum type)k->type[0]) == (r->when == WHEN_FLOAT);
}

/* Float to integer, integer to float, and to a narrower float all round */
static const char *conversion_roundings(const struct opkey *k) {
    if (k->op != OP_cvt || k->ntypes < 2 || key_has(k, MOD_pack)) return NULL;
    enum type to = (enum type)k->type[0], from = (enum type)k->type[1];
    bool float_to = type_table[to].family == FAMILY_F, float_from = type_table[from].family == FAMILY_F;
    if (type_table[to].family == FAMILY_X || type_table[from].family == FAMILY_X || to == TYPE_tf32) return NULL;
    if (!float_to && float_from) return "rni rzi rmi rpi";
    if (float_to && !float_from) return ROUNDINGS;
    return float_to && type_table[to].bits < type_table[from].bits ? ROUNDINGS " rna" : NULL;
}

bool lower_require(struct fn *f) {
    const struct opkey *k = &f->pi->key;
    bool modern = f->lo->m->sm >= 20 && f->lo->m->version >= 14;
    for (size_t i = 0; i < ARRAY_LEN(require_table); i++) {
        const struct require_row *r = &require_table[i];
        if (applies(r, k, modern) && !has_one_of(k, r->mods))
            return lower_error(f, NULL, "misses %s; expected one of: %s", r->what, r->mods);
    }
    const char *roundings = conversion_roundings(k);
    if (roundings && modern && !has_one_of(k, roundings))
        return lower_error(f, NULL, "misses a rounding; expected one of: %s", roundings);
    return true;
}
