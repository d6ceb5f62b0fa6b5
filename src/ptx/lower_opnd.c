/* Operands: from what was written to a row of registers, a row of constants or a predicate, with the type
 * checks. */
#include "ptx/lower.h"

#include <stdlib.h>
#include <string.h>

bool lower_error(struct fn *f, const struct ptx_opnd *o, const char *fmt, ...) {
    struct strbuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&b, fmt, ap);
    va_end(ap);
    struct ptx_loc loc = o ? o->loc : f->pi->loc;
    int opcode = (int)strcspn(f->pi->text, " \t"); /* as the user wrote it */
    diag_error(f->lo->dg, f->lo->m->file, loc.line, loc.col, "%.*s: %s", opcode, f->pi->text, b.s);
    strbuf_free(&b);
    return false;
}

struct opnd opnd_none(void) { return (struct opnd){.absent = 1}; }

struct opnd opnd_reg(const struct fn *f, i32 vreg) {
    u8 rows = f->vrows.at[vreg];
    return (struct opnd){.in = rows ? OPND_IN_REG : OPND_IN_PRED, .rows = rows, .off = vreg};
}

i32 fn_new_vreg(struct fn *f, u32 rows) {
    VEC_PUSH(&f->vrows, (u8)rows);
    return (i32)f->vrows.n - 1;
}

/* Where a constant is in the hash table of places, or where it would go: linear probing, at most half full */
static u32 *pool_slot(struct lower *lo, u64 value, u32 rows) {
    u64 h = (value ^ rows) * 0x9E3779B97F4A7C15ull;
    for (u32 i = (u32)(h >> 32) & (lo->npool_slots - 1);; i = (i + 1) & (lo->npool_slots - 1)) {
        u32 *slot = &lo->pool_slots[i];
        const struct pool_const *c = *slot ? &lo->consts.at[*slot - 1] : NULL;
        if (!c || (c->value == value && c->rows == rows)) return slot;
    }
}

static void pool_grow(struct lower *lo) {
    lo->npool_slots = lo->npool_slots ? 2 * lo->npool_slots : 64;
    free(lo->pool_slots);
    lo->pool_slots = base_alloc(sizeof(u32) * lo->npool_slots);
    for (u32 i = 0; i < lo->consts.n; i++) *pool_slot(lo, lo->consts.at[i].value, lo->consts.at[i].rows) = i + 1;
}

static u32 pool_add(struct lower *lo, u64 value, u32 rows) {
    if (2 * lo->consts.n >= lo->npool_slots) pool_grow(lo);
    u32 *slot = pool_slot(lo, value, rows);
    if (*slot) return lo->consts.at[*slot - 1].off;
    *slot = lo->consts.n + 1;
    u32 off = lo->pool.n;
    for (u32 lane = 0; lane < SLAB_LANES; lane++)
        for (u32 byte = 0; byte < rows * 4; byte++) VEC_PUSH(&lo->pool, (u8)(byte < 8 ? value >> 8 * byte : 0));
    struct pool_const c = {value, rows, off};
    VEC_PUSH(&lo->consts, c);
    return off;
}

struct opnd opnd_const(struct fn *f, u64 value, u32 rows) {
    return (struct opnd){.in = OPND_IN_POOL, .rows = (u8)rows, .off = (i32)pool_add(f->lo, value, rows)};
}

u32 fn_reg_bits(const struct fn *f, const struct ptx_opnd *o) {
    return o->kind == PTX_REG ? type_table[f->pf->regs[o->reg].type].bits : 32;
}

/* Integers, bits and floats may not be mixed by accident; untyped bits fit all (PTX ISA, operand type
 * checking). */
static bool type_fits(enum type reg, enum type need, bool wider) {
    const struct type_row *r = &type_table[reg], *n = &type_table[need];
    if ((reg == TYPE_pred) != (need == TYPE_pred)) return false;
    if (wider ? r->bits < n->bits : r->bits != n->bits) return false;
    if (r->family == FAMILY_B || n->family == FAMILY_B || r->family == FAMILY_X || n->family == FAMILY_X) return true;
    if (wider && r->bits > n->bits) return r->family != FAMILY_F || n->family == FAMILY_F;
    return (r->family == FAMILY_F) == (n->family == FAMILY_F);
}

static bool check_reg(struct fn *f, const struct ptx_opnd *o, enum type need, bool wider) {
    const struct ptx_reg *r = &f->pf->regs[o->reg];
    if (type_fits((enum type)r->type, need, wider)) return true;
    return lower_error(f, o, "register '%s' has type .%s; expected %s.%s", r->name, type_table[r->type].name,
                       wider ? "at least " : "", type_table[need].name);
}

/* A literal as the bits of the type that wants it */
static bool imm_bits(struct fn *f, const struct ptx_opnd *o, enum type need, u64 *bits) {
    const struct type_row *t = &type_table[need];
    double d = 0;
    float s = 0;
    if (o->imm_kind == IMM_F64) memcpy(&d, &o->imm, 8);
    if (o->imm_kind == IMM_F32) {
        u32 low = (u32)o->imm;
        memcpy(&s, &low, 4);
    }
    if (need == TYPE_f32 || need == TYPE_f64) {
        if (o->imm_kind == IMM_INT)
            return lower_error(f, o, "expected a floating-point constant (0fXXXXXXXX, 0dXXXXXXXXXXXXXXXX or 1.0)");
        if (need == TYPE_f32 && o->imm_kind == IMM_F64) {
            float narrow = (float)d;
            u32 w;
            memcpy(&w, &narrow, 4);
            *bits = w;
        } else if (need == TYPE_f64 && o->imm_kind == IMM_F32) {
            d = s;
            memcpy(bits, &d, 8);
        } else *bits = o->imm;
        return true;
    }
    if (o->imm_kind != IMM_INT && t->family != FAMILY_B)
        return lower_error(f, o, "expected an integer constant of type .%s", t->name);
    *bits = t->bits >= 64 ? o->imm : o->imm & ((1ull << t->bits) - 1);
    if (o->imm_kind == IMM_F64 && t->bits == 32) {
        s = (float)d;
        u32 w;
        memcpy(&w, &s, 4);
        *bits = w;
    }
    return true;
}

static const char *kind_name(const struct ptx_opnd *o) {
    static const char *const names[] = {"a register", "a constant", "a variable", "a function", "a label", "a special register",
                                        "'_'",        "a vector",   "an address", "a pair",     "a list"};
    return names[o->kind];
}

/* What another module would define: there is no linking */
static bool var_is_missing(const struct ptx_var *v) {
    return v->linkage == LINK_EXTERN && (v->space == SPACE_GLOBAL || v->space == SPACE_CONST || v->space == SPACE_TEX);
}

bool var_is_in_frame(const struct fn *f, const struct ptx_var *v) {
    return (v->space == SPACE_LOCAL && !v->at_module_scope) || (v->space == SPACE_PARAM && !var_is_kernel_param(f, v));
}

/* An instruction of our own making before the one at hand: d = op(s), for all lanes */
static bool emit_pseudo(struct fn *f, enum op op, enum mod mod, enum type t, struct opnd d, const struct opnd *s, u32 n) {
    struct opkey key = {.op = (u16)op, .ntypes = 1, .type = {(u8)t}};
    if (mod != MOD_COUNT) mods_set(&key.mods, mod);
    struct lane_query q = {.key = &key, .reg_bits = 32u * d.rows, .src_bits = type_table[t].bits, .nsrc = (u8)n};
    struct lane_pick p = lanes_pick(&q);
    if (!p.fn) return lower_error(f, NULL, "no such operand");
    struct inst *in = fn_emit(f, d.rows == 2 ? exec_rows2 : exec_rows1);
    in->flags |= INST_PSEUDO;
    in->guard = NONE;
    in->iclass = ICLASS_INT;
    in->d = d;
    for (u32 i = 0; i < n; i++) in->s[i] = s[i];
    in->lane = p.fn;
    in->aux = p.aux;
    return true;
}

/* var[%r + 1]: the index counts elements */
static bool lower_indexed(struct fn *f, const struct ptx_opnd *o, struct opnd base, u32 rows, struct opnd *out) {
    const struct ptx_opnd *index = &o->elem[0];
    enum type t = index->kind == PTX_REG ? (enum type)f->pf->regs[index->reg].type : TYPE_NONE;
    if (t != TYPE_NONE && (type_table[t].bits < 32 || type_table[t].bits > 64 || type_table[t].family == FAMILY_F))
        return lower_error(f, index, "an index needs an integer register of 32 or 64 bits");
    if (!lower_src(f, index, t, false, out)) return false;
    bool sign = type_table[t].family == FAMILY_S, wide = rows == 2 && out->rows == 1;
    if (rows < out->rows) return lower_error(f, index, "an index of 64 bits needs an address of 64 bits");
    u64 element_b = type_bytes((enum type)o->var->type);
    struct opnd s[3] = {*out, opnd_const(f, element_b, out->rows), base};
    *out = opnd_reg(f, fn_new_vreg(f, rows));
    t = wide ? (sign ? TYPE_s32 : TYPE_u32) : rows == 2 ? TYPE_u64 : TYPE_u32;
    return emit_pseudo(f, OP_mad, wide ? MOD_wide : MOD_lo, t, *out, s, 3);
}

/* The address constant of a variable or function; frame variables of functions are handled by mov alone. */
static bool lower_symbol(struct fn *f, const struct ptx_opnd *o, enum type need, struct opnd *out) {
    if (type_table[need].bits < 32) return lower_error(f, o, "an address needs a register of 32 or 64 bits");
    u64 value;
    if (o->kind == PTX_FUNC) value = o->func->address;
    else {
        const struct ptx_var *v = o->var;
        if (var_is_in_frame(f, v) && !f->is_entry) return lower_error(f, o, "take the address of '%s' with mov first", v->name);
        if (var_is_missing(v)) return lower_error(f, o, "variable '%s' is declared .extern and defined nowhere", v->name);
        value = v->address + (u64)o->off;
    }
    struct opnd base = opnd_const(f, type_table[need].bits == 32 ? (u32)value : value, type_rows(need));
    *out = base;
    return !o->n || lower_indexed(f, o, base, base.rows, out);
}

struct inst *lower_cut(struct fn *f, struct opnd s, u32 bits, struct opnd d) {
    struct opkey key = {.op = OP_cvt, .ntypes = 2, .type = {bits == 16 ? TYPE_u16 : TYPE_u32, s.rows == 2 ? TYPE_u64 : TYPE_u32}};
    struct lane_query q = {.key = &key, .reg_bits = bits, .src_bits = 32u * s.rows, .nsrc = 1};
    struct lane_pick p = lanes_pick(&q);
    if (!p.fn) {
        lower_error(f, NULL, "a special register cannot be read in %u bits", bits);
        return NULL;
    }
    struct inst *in = fn_emit(f, exec_rows1);
    in->d = d;
    in->s[0] = s;
    in->lane = p.fn;
    in->aux = p.aux;
    return in;
}

/* A special register where an ordinary source stands: read it into a fresh register first. */
static bool lower_sreg_src(struct fn *f, const struct ptx_opnd *o, enum type need, struct opnd *out) {
    u32 rows = type_rows((enum type)sreg_table[o->sreg].type), bits = type_table[need].bits;
    bool fits = rows && (type_rows(need) == rows || (bits < 32 * rows && bits >= 16)); /* the low bits, by a narrower type */
    if (!fits)
        return lower_error(f, o, "special register %s has type .%s; expected .%s", sreg_table[o->sreg].name,
                           type_table[sreg_table[o->sreg].type].name, type_table[need].name);
    i32 v = fn_new_vreg(f, rows);
    struct inst *in = fn_emit(f, exec_sreg);
    in->flags |= INST_PSEUDO;
    in->guard = NONE;
    in->d = opnd_reg(f, v);
    in->imm = o->sreg;
    struct opnd whole = opnd_reg(f, v);
    *out = whole;
    if (bits >= 32 * rows) return true;
    *out = opnd_reg(f, fn_new_vreg(f, type_rows(need)));
    struct inst *cut = lower_cut(f, whole, bits, *out);
    if (!cut) return false;
    cut->guard = NONE;
    cut->flags |= INST_PSEUDO;
    return true;
}

/* %r + 4 as a source: the sum goes to a fresh register first */
static bool lower_displaced(struct fn *f, const struct ptx_opnd *o, enum type need, bool wider, struct opnd *out) {
    u32 bits = fn_reg_bits(f, o);
    enum type t = bits == 64 ? TYPE_u64 : bits == 32 ? TYPE_u32 : TYPE_u16;
    *out = opnd_reg(f, o->reg);
    if (!check_reg(f, o, need, wider)) return false;
    if (bits > 64 || !out->rows || type_table[f->pf->regs[o->reg].type].family == FAMILY_F)
        return lower_error(f, o, "cannot add a constant to a register of this type");
    struct opnd s[2] = {*out, opnd_const(f, bits == 64 ? (u64)o->off : (u64)o->off & ((1ull << bits) - 1), out->rows)};
    *out = opnd_reg(f, fn_new_vreg(f, out->rows));
    return emit_pseudo(f, OP_add, MOD_COUNT, t, *out, s, 2);
}

bool lower_src(struct fn *f, const struct ptx_opnd *o, enum type need, bool wider, struct opnd *out) {
    switch (o->kind) {
    case PTX_REG:
        if (o->off) return lower_displaced(f, o, need, wider, out);
        *out = opnd_reg(f, o->reg);
        return check_reg(f, o, need, wider);
    case PTX_IMM: {
        u64 bits = 0;
        if (!imm_bits(f, o, need, &bits)) return false;
        *out = opnd_const(f, bits, MAX(type_rows(need), 1u));
        return true;
    }
    case PTX_VAR:
    case PTX_FUNC: return lower_symbol(f, o, need, out);
    case PTX_SREG: return lower_sreg_src(f, o, need, out);
    default:
        return lower_error(f, o, "expected a register or constant of type .%s, found %s", type_table[need].name, kind_name(o));
    }
}

bool lower_dst(struct fn *f, const struct ptx_opnd *o, enum type need, bool wider, struct opnd *out) {
    if (o->kind == PTX_SINK) {
        *out = opnd_none();
        return true;
    }
    if (o->kind != PTX_REG || o->off)
        return lower_error(f, o, "expected a destination register of type .%s, found %s", type_table[need].name,
                           o->off ? "a sum" : kind_name(o));
    *out = opnd_reg(f, o->reg);
    return check_reg(f, o, need, wider);
}

bool lower_pred_src(struct fn *f, const struct ptx_opnd *o, struct opnd *out) {
    if (o->kind == PTX_IMM && o->imm_kind == IMM_INT) {
        *out = opnd_const(f, (o->imm != 0) != o->negate ? 0xFFFFFFFFu : 0, 1);
        return true;
    }
    if (o->kind != PTX_REG || o->off) return lower_error(f, o, "expected a predicate, found %s", o->off ? "a sum" : kind_name(o));
    *out = opnd_reg(f, o->reg);
    out->negate = o->negate;
    return check_reg(f, o, TYPE_pred, false);
}

bool lower_pred_dst(struct fn *f, const struct ptx_opnd *o, struct opnd *out) {
    if (o->kind == PTX_SINK) {
        *out = opnd_none();
        return true;
    }
    if (o->kind != PTX_REG || o->off)
        return lower_error(f, o, "expected a destination predicate, found %s", o->off ? "a sum" : kind_name(o));
    *out = opnd_reg(f, o->reg);
    return check_reg(f, o, TYPE_pred, false);
}

/* [var + off], or var[index]. An access without a space goes where the variable lives. */
static bool address_of_var(struct fn *f, const struct ptx_opnd *o, const struct ptx_opnd *var, i64 off, struct inst *in) {
    const struct ptx_var *v = var->var;
    bool kernel_param = v->space == SPACE_PARAM && var_is_kernel_param(f, v), in_frame = var_is_in_frame(f, v);
    if (var_is_missing(v)) return lower_error(f, o, "variable '%s' is declared .extern and defined nowhere", v->name);
    bool known = in->space == SPACE_GENERIC && v->space != SPACE_GLOBAL && v->space != SPACE_CONST && v->space != SPACE_TEX;
    if (known) in->space = v->space;
    if (in->space != SPACE_GENERIC && in->space != v->space)
        return lower_error(f, o, "'%s' lives in .%s, not in .%s", v->name, space_names[v->space], space_names[in->space]);
    u64 address = v->address + (u64)var->off + (u64)off;
    if (in_frame || kernel_param) {
        in->imm = (i64)address;
        in->frame_local = in_frame;
        if (in_frame) in->space = SPACE_LOCAL;
        return !var->n || lower_indexed(f, var, opnd_const(f, 0, 2), 2, &in->s[0]);
    }
    in->s[0] = opnd_const(f, address, 2); /* a row like any other address */
    return !var->n || lower_indexed(f, var, in->s[0], 2, &in->s[0]);
}

bool lower_address(struct fn *f, const struct ptx_opnd *o, struct inst *in) {
    in->s[0] = opnd_none();
    if (o->kind == PTX_VAR && o->indexed) return address_of_var(f, o, o, 0, in);
    if (o->kind != PTX_MEM || o->n != 1) return lower_error(f, o, "expected an address in brackets, found %s", kind_name(o));
    const struct ptx_opnd *b = &o->elem[0];
    if (b->kind == PTX_VAR) return address_of_var(f, o, b, o->off, in);
    in->imm = o->off;
    if (b->kind == PTX_IMM) {
        in->imm += (i64)b->imm;
        return true;
    }
    if (b->kind != PTX_REG)
        return lower_error(f, b, "expected a register, variable or constant as address, found %s", kind_name(b));
    u32 bits = fn_reg_bits(f, b);
    if (bits != 64 && bits != 32) return lower_error(f, b, "an address needs a register of 32 or 64 bits");
    in->s[0] = opnd_reg(f, b->reg);
    if (in->space == SPACE_PARAM && !f->is_entry) in->space = SPACE_LOCAL;
    return true;
}
