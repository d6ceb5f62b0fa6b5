/* Textures and surfaces: tex, tld4, txq, suld, sust, sured, suq, istypep.
 *
 * A reference is a module's .texref, .samplerref or .surfref, a parameter of such a type, or a 64-bit
 * register that holds a handle or such a variable's address. In the unified mode a texture brings its sampler
 * along; in the independent mode it is named beside it: [texture, sampler, {coordinates}]. */
#include "func/texture.h"
#include "ptx/lower.h"

#include <string.h>

enum { MAX_SOURCES = 16 };
struct tex_opnds { /* operands on their way to inst.extra */
    u32 n, dsts;
    struct opnd at[MAX_SOURCES + 8];
};

static void add(struct tex_opnds *x, struct opnd o) { x->at[x->n++] = o; }

static bool is_multisample(const struct fn *f) { return fn_has(f, MOD_2dms) || fn_has(f, MOD_a2dms); }

/* enum tex_geometry, or NONE after an error */
static int geometry_of(struct fn *f) {
    static const enum mod mods[TEX_GEOMETRY_COUNT] = {MOD_1d, MOD_2d, MOD_3d, MOD_a1d, MOD_a2d, MOD_cube, MOD_acube};
    int found = NONE;
    for (u32 i = 0; i < TEX_GEOMETRY_COUNT; i++) {
        if (!fn_has(f, mods[i])) continue;
        if (found != NONE)
            return lower_error(f, NULL, "has two geometries, .%s and .%s", tex_geometries[found].name, tex_geometries[i].name),
                   NONE;
        found = (int)i;
    }
    if (found == NONE) lower_error(f, NULL, "misses a geometry; expected one of: 1d 2d 3d a1d a2d cube acube");
    return found;
}

/* --- references */

/* A handle that is passed as a parameter: read before the instruction, and with it */
static bool handle_of_param(struct fn *f, const struct ptx_opnd *o, struct opnd *out) {
    struct ptx_opnd base = *o, mem = {.kind = PTX_MEM, .n = 1, .loc = o->loc, .elem = &base};
    struct inst tmp = {.s = {opnd_none()}, .space = SPACE_PARAM};
    if (!lower_address(f, &mem, &tmp)) return false;
    *out = opnd_reg(f, fn_new_vreg(f, 2));
    struct inst *in = fn_emit(f, tmp.space == SPACE_PARAM ? exec_ldparam : exec_ld);
    in->flags |= INST_PSEUDO;
    in->iclass = ICLASS_MOVE;
    in->d = *out;
    in->space = tmp.space, in->s[0] = tmp.s[0], in->imm = tmp.imm, in->frame_local = tmp.frame_local;
    in->elem_b = 8, in->nelem = 1, in->access = ACCESS_ROW;
    in->aux = 64 << 8;
    return true;
}

static bool handle_of(struct fn *f, const struct ptx_opnd *o, enum ptx_opaque want, struct opnd *out) {
    static const char *const words[] = {"", ".texref", ".samplerref", ".surfref"};
    if (o->kind == PTX_VAR) {
        if (o->var->opaque && o->var->opaque != want)
            return lower_error(f, o, "'%s' is a %s; expected a %s", o->var->name, words[o->var->opaque], words[want]);
        if (o->var->space == SPACE_PARAM && o->var->size_b == 8) return handle_of_param(f, o, out);
        if (!o->var->opaque) return lower_error(f, o, "'%s' is no %s", o->var->name, words[want]);
        if (o->off) return lower_error(f, o, "a reference has no parts");
    }
    return lower_src(f, o, TYPE_b64, false, out);
}

/* --- what stands in brackets: [texture{, sampler}, coordinates] */

static bool scalars_of(struct fn *f, const struct ptx_opnd *o, u32 want, u32 used, bool is_float, u32 integers,
                       struct tex_opnds *x) {
    const struct ptx_opnd *e = o->kind == PTX_VEC ? o->elem : o;
    u32 n = o->kind == PTX_VEC ? o->n : 1;
    if (n != want) return lower_error(f, o, "expected a vector of %u element%s, found %u", want, want == 1 ? "" : "s", n);
    for (u32 i = 0; i < used; i++) {
        struct opnd v;
        if (!lower_src(f, &e[i], i < integers || !is_float ? TYPE_b32 : TYPE_f32, false, &v)) return false;
        add(x, v);
    }
    return true;
}

/* How many elements a point of so many coordinates is written with: three take a fourth that is ignored */
static u32 written(u32 n) { return n == 3 ? 4 : n; }
/* or more, as in old programs, where every point has four */
static u32 written_point(const struct ptx_opnd *o, u32 n) {
    bool whole = o->kind == PTX_VEC && (o->n == 2 || o->n == 4);
    return whole && o->n > n ? o->n : written(n);
}

static u32 coordinates(int geometry) {
    const struct tex_geometry_row *g = &tex_geometries[geometry];
    return (g->faces == 6 ? 3u : g->dims) + g->layered;
}

static bool place_of(struct fn *f, const struct ptx_opnd *o, int geometry, bool is_float, enum ptx_opaque kind, struct inst *tmp,
                     struct tex_opnds *x) {
    if (o->kind != PTX_MEM || o->n < 2 || o->n > 3 || (o->n == 3 && kind != PTX_TEXREF) || o->off)
        return lower_error(f, o, "expected [%s, {coordinates}]", kind == PTX_TEXREF ? "texture" : "surface");
    u32 n = coordinates(geometry);
    tmp->s[1] = opnd_none();
    if (!handle_of(f, &o->elem[0], kind, &tmp->s[0])) return false;
    if (o->n == 3 && !handle_of(f, &o->elem[1], PTX_SAMPLERREF, &tmp->s[1])) return false;
    const struct ptx_opnd *point = &o->elem[o->n - 1];
    return scalars_of(f, point, written_point(point, n), n, is_float, tex_geometries[geometry].layered, x);
}

/* --- results */

/* {d, ...} or {d, ...}|p */
static bool results_of(struct fn *f, const struct ptx_opnd *o, u32 n, enum type t, bool may_pair, struct tex_opnds *x) {
    const struct ptx_opnd *v = o->kind == PTX_PAIR && may_pair ? &o->elem[0] : o;
    const struct ptx_opnd *e = v->kind == PTX_VEC ? v->elem : v;
    if ((v->kind == PTX_VEC ? v->n : 1) != n) return lower_error(f, v, "expected a vector of %u elements", n);
    for (u32 i = 0; i < n; i++) {
        struct opnd d;
        if (!lower_dst(f, &e[i], t, t == TYPE_b8, &d)) return false;
        add(x, d);
    }
    if (v != o) {
        struct opnd p;
        if (!lower_pred_dst(f, &o->elem[1], &p)) return false;
        p.in = OPND_IN_PRED;
        add(x, p);
    }
    x->dsts = x->n;
    return true;
}

static struct inst *emit(struct fn *f, exec_fn *exec, const struct inst *tmp, const struct tex_opnds *x,
                         const struct tex_info *info) {
    struct opnd *extra = ARENA_ARRAY(f->lo->arena, struct opnd, x->n + 1);
    struct tex_info *kept = ARENA_NEW(f->lo->arena, struct tex_info);
    memcpy(extra, x->at, x->n * sizeof(*extra));
    *kept = *info;
    struct inst *in = fn_emit(f, exec);
    in->s[0] = tmp->s[0], in->s[1] = tmp->s[1];
    in->extra = extra, in->extra_n = (u8)x->n, in->extra_d = (u8)x->dsts;
    in->info = kept;
    in->space = exec == exec_tex || exec == exec_tld4 ? SPACE_TEX : SPACE_GLOBAL;
    in->elem_b = 4, in->nelem = 1;
    return in;
}

/* --- reads */

/* Level or gradients, then offsets; *refused for a depth comparison */
static bool modifiers_of(struct fn *f, u32 at, struct tex_info *t, struct tex_opnds *x, bool *refused) {
    const struct ptx_opnd *o = f->pi->opnds;
    u32 left = f->pi->nopnds - at, dims = (u32)t->ncoords - tex_geometries[t->geometry].layered,
        need = t->mip == TEX_MIP_GRAD ? 2 : t->mip == TEX_MIP_LEVEL;
    if (left < need) return lower_error(f, NULL, "misses %s", need == 2 ? "its two gradients" : "the level");
    if (need == 1 && !scalars_of(f, &o[at], 1, 1, t->float_coords, 0, x)) return false;
    for (u32 i = 0; need == 2 && i < 2; i++)
        if (!scalars_of(f, &o[at + i], written(dims), dims, true, 0, x)) return false;
    at += need;
    if (at < f->pi->nopnds && o[at].kind == PTX_VEC) {
        if (tex_geometries[t->geometry].faces == 6) return lower_error(f, &o[at], "a cube takes no offset");
        t->has_offset = true;
        if (!scalars_of(f, &o[at++], written(dims), dims, false, 0, x)) return false;
    }
    *refused = at < f->pi->nopnds;
    return true;
}

static enum tex_mip mip_of(const struct fn *f) {
    return fn_has(f, MOD_level)  ? TEX_MIP_LEVEL
           : fn_has(f, MOD_grad) ? TEX_MIP_GRAD
           : fn_has(f, MOD_base) ? TEX_MIP_BASE
                                 : TEX_MIP_NONE;
}

static bool lower_read(struct fn *f, struct tex_info *t) {
    enum type dt = fn_type(f, 0), ct = fn_type(f, 1);
    if (ct == TYPE_NONE)
        return lower_error(f, NULL, "misses a type; expected those of the result and of the coordinates, as in .f32.f32");
    if (ct != TYPE_f32 && (ct != TYPE_s32 || f->pi->key.op == OP_tld4))
        return lower_error(f, NULL, "coordinates are .f32%s", f->pi->key.op == OP_tld4 ? "" : " or .s32");
    bool is_tld4 = f->pi->key.op == OP_tld4, refused = false;
    t->float_coords = ct == TYPE_f32;
    t->ncoords = (u8)coordinates(t->geometry);
    t->packed = dt == TYPE_f16x2, t->half = dt == TYPE_f16;
    u32 n = t->packed ? 2 : 4;
    if (lower_vector_length(f) != n) return lower_error(f, NULL, "its result is a vector: write .v%u", n);
    if (t->geometry >= TEX_cube && !t->float_coords) return lower_error(f, NULL, "a cube is read by a direction of .f32");
    struct tex_opnds x = {0};
    struct inst tmp;
    if (!results_of(f, &f->pi->opnds[0], n, t->packed ? TYPE_b32 : dt, true, &x)) return false;
    if (!place_of(f, &f->pi->opnds[1], t->geometry, t->float_coords, PTX_TEXREF, &tmp, &x)) return false;
    if (!modifiers_of(f, 2, t, &x, &refused)) return false;
    if (refused) return lower_unmodelled(f, "depth comparison needs a depth texture, which only a graphics program can make");
    emit(f, is_tld4 ? exec_tld4 : exec_tex, &tmp, &x, t);
    return true;
}

static const char multisample[] = "multi-sample textures come from a graphics pipeline; there is none that could fill one";

bool lower_tex(struct fn *f) {
    if (!lower_want_operands(f, 2, 6)) return false;
    if (is_multisample(f)) return lower_unmodelled(f, multisample);
    int geometry = geometry_of(f);
    struct tex_info t = {.geometry = (u8)geometry, .mip = (u8)mip_of(f)};
    return geometry != NONE && lower_read(f, &t);
}

bool lower_tld4(struct fn *f) {
    static const enum mod components[] = {MOD_r, MOD_g, MOD_b, MOD_a};
    if (!lower_want_operands(f, 2, 4)) return false;
    int geometry = geometry_of(f), component = NONE;
    if (geometry == NONE) return false;
    for (int i = 0; i < 4; i++)
        if (fn_has(f, components[i])) component = i;
    if (component == NONE) return lower_error(f, NULL, "misses a component; expected one of: r g b a");
    if (tex_geometries[geometry].dims != 2) return lower_error(f, NULL, "gathers from .2d .a2d .cube .acube only");
    struct tex_info t = {.geometry = (u8)geometry, .component = (u8)component};
    return lower_read(f, &t);
}

/* --- queries */

bool lower_txq(struct fn *f) {
    static const struct {
        u16 mod;
        u8 query;
    } rows[] = {{MOD_width, TEXQ_width},
                {MOD_height, TEXQ_height},
                {MOD_depth, TEXQ_depth},
                {MOD_channel_data_type, TEXQ_channel_data_type},
                {MOD_channel_order, TEXQ_channel_order},
                {MOD_normalized_coords, TEXQ_normalized_coords},
                {MOD_array_size, TEXQ_array_size},
                {MOD_num_mipmap_levels, TEXQ_num_mipmap_levels},
                {MOD_num_samples, TEXQ_num_samples},
                {MOD_filter_mode, TEXQ_filter_mode},
                {MOD_addr_mode_0, TEXQ_addr_mode_0},
                {MOD_addr_mode_1, TEXQ_addr_mode_1},
                {MOD_addr_mode_2, TEXQ_addr_mode_2},
                {MOD_force_unnormalized_coords, TEXQ_force_unnormalized_coords},
                {MOD_memory_layout, TEXQ_memory_layout}};
    const struct ptx_opnd *o = f->pi->opnds;
    bool level = fn_has(f, MOD_level), surface = f->pi->key.op == OP_suq;
    if (!lower_want_operands(f, level ? 3 : 2, level ? 3 : 2)) return false;
    if (o[1].kind != PTX_MEM || o[1].n != 1 || o[1].off)
        return lower_error(f, &o[1], "expected [%s]", surface ? "surface" : "texture");
    struct tex_info t = {.query = 255};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (fn_has(f, (enum mod)rows[i].mod)) t.query = rows[i].query;
    if (t.query == 255) return lower_error(f, NULL, "misses what to ask for; expected one of: %s", op_table[f->pi->key.op].mods);
    struct inst tmp = {.s = {opnd_none(), opnd_none(), opnd_none()}};
    struct tex_opnds x = {0};
    bool of_sampler = t.query >= TEXQ_filter_mode && t.query <= TEXQ_force_unnormalized_coords;
    bool names_sampler = o[1].elem[0].kind == PTX_VAR && o[1].elem[0].var->opaque == PTX_SAMPLERREF;
    enum ptx_opaque kind = surface ? PTX_SURFREF : of_sampler && names_sampler ? PTX_SAMPLERREF : PTX_TEXREF;
    struct opnd d;
    if (!lower_dst(f, &o[0], TYPE_b32, false, &d) || !handle_of(f, &o[1].elem[0], kind, &tmp.s[0])) return false;
    if (level && !scalars_of(f, &o[2], 1, 1, false, 0, &x)) return false;
    emit(f, exec_txq, &tmp, &x, &t)->d = d;
    return true;
}

bool lower_istypep(struct fn *f) {
    struct opnd d, s;
    if (!lower_want_operands(f, 2, 2)) return false;
    enum tex_object_kind kind = fn_has(f, MOD_texref)       ? TEX_OBJECT_TEXTURE
                                : fn_has(f, MOD_samplerref) ? TEX_OBJECT_SAMPLER
                                : fn_has(f, MOD_surfref)    ? TEX_OBJECT_SURFACE
                                                            : TEX_OBJECT_FREE;
    if (kind == TEX_OBJECT_FREE) return lower_error(f, NULL, "misses a kind; expected one of: texref samplerref surfref");
    if (!lower_pred_dst(f, &f->pi->opnds[0], &d) || !lower_src(f, &f->pi->opnds[1], TYPE_b64, false, &s)) return false;
    struct inst *in = fn_emit(f, exec_istypep);
    in->d = d, in->s[0] = s, in->aux = kind;
    return true;
}

/* --- surfaces */

static int clamp_of(struct fn *f) {
    if (fn_has(f, MOD_clamp)) return SURF_CLAMP;
    return fn_has(f, MOD_zero) ? SURF_ZERO : SURF_TRAP; /* .trap is what stands for nothing */
}

/* What all surface instructions begin with; false after an error */
static bool surface_begin(struct fn *f, struct tex_info *t) {
    int geometry = geometry_of(f);
    if (geometry == NONE) return false;
    *t = (struct tex_info){
        .geometry = (u8)geometry, .clamp = (u8)clamp_of(f), .formatted = fn_has(f, MOD_p), .ncoords = (u8)coordinates(geometry)};
    if (geometry >= TEX_cube) return lower_error(f, NULL, "a surface is .1d .2d .3d .a1d or .a2d");
    if (t->formatted == fn_has(f, MOD_b))
        return lower_error(f, NULL, "is either .b, of bytes, or .p, of texels in the surface's format");
    if (fn_type(f, 0) == TYPE_NONE)
        return lower_error(f, NULL, "misses a type; legal types are: %s", op_table[f->pi->key.op].types);
    return true;
}

static bool data_of(struct fn *f, const struct ptx_opnd *o, u32 n, enum type t, struct tex_opnds *x) {
    const struct ptx_opnd *e = o->kind == PTX_VEC ? o->elem : o;
    if ((o->kind == PTX_VEC ? o->n : 1) != n) return lower_error(f, o, "expected a vector of %u elements", n);
    for (u32 i = 0; i < n; i++) {
        struct opnd v;
        if (!lower_src(f, &e[i], t, t == TYPE_b8, &v)) return false;
        add(x, v);
    }
    return true;
}

static void shape(struct inst *in, enum type t, u32 n) { in->elem_b = (u8)type_bytes(t), in->nelem = (u8)n; }

bool lower_suld(struct fn *f) {
    struct tex_info t;
    struct tex_opnds x = {0};
    struct inst tmp;
    u32 n = lower_vector_length(f);
    enum type type = fn_type(f, 0);
    if (!lower_want_operands(f, 2, 2) || !surface_begin(f, &t)) return false;
    if (t.formatted) return lower_unmodelled(f, "formatted surface loads left PTX with version 3.0");
    if (type_bytes(type) * n > 16) return lower_error(f, NULL, "loads at most 16 bytes");
    if (!results_of(f, &f->pi->opnds[0], n, type, false, &x) ||
        !place_of(f, &f->pi->opnds[1], t.geometry, false, PTX_SURFREF, &tmp, &x))
        return false;
    struct inst *in = emit(f, exec_suld, &tmp, &x, &t);
    shape(in, type, n);
    if (fn_has(f, MOD_cg) || fn_has(f, MOD_cv)) in->flags |= INST_UNCACHED;
    return true;
}

bool lower_sust(struct fn *f) {
    struct tex_info t;
    struct tex_opnds x = {0};
    struct inst tmp;
    u32 n = lower_vector_length(f);
    enum type type = fn_type(f, 0);
    if (!lower_want_operands(f, 2, 2) || !surface_begin(f, &t)) return false;
    if (type_bytes(type) * n > 16) return lower_error(f, NULL, "stores at most 16 bytes");
    if (t.formatted && type_bytes(type) != 4) return lower_error(f, NULL, "formatted stores are of .b32 .u32 .s32 or .f32");
    if (!place_of(f, &f->pi->opnds[0], t.geometry, false, PTX_SURFREF, &tmp, &x) || !data_of(f, &f->pi->opnds[1], n, type, &x))
        return false;
    shape(emit(f, exec_sust, &tmp, &x, &t), type, n);
    return true;
}

bool lower_sured(struct fn *f) {
    struct tex_info t;
    struct tex_opnds x = {0};
    struct inst tmp;
    enum type type = fn_type(f, 0);
    int kind = lower_atomic_kind(f);
    if (!lower_want_operands(f, 2, 2) || !surface_begin(f, &t)) return false;
    if (tex_geometries[t.geometry].layered) return lower_error(f, NULL, "reductions are of .1d .2d or .3d");
    if (kind != MOD_add && kind != MOD_min && kind != MOD_max && kind != MOD_and && kind != MOD_or)
        return lower_error(f, NULL, "misses an operation; expected one of: add min max and or");
    if (t.formatted && type != TYPE_b32 && type != TYPE_b64)
        return lower_error(f, NULL, "formatted reductions are of .b32 or .b64");
    bool wide = type_bytes(type) == 8;
    t.atomic = (struct atomic_op){.kind = (u8)kind, .type = (u8)(t.formatted ? (wide ? TYPE_u64 : TYPE_u32) : type)};
    t.signed_atomic = (struct atomic_op){.kind = (u8)kind, .type = (u8)(wide ? TYPE_s64 : TYPE_s32)};
    if (!place_of(f, &f->pi->opnds[0], t.geometry, false, PTX_SURFREF, &tmp, &x) || !data_of(f, &f->pi->opnds[1], 1, type, &x))
        return false;
    shape(emit(f, exec_sured, &tmp, &x, &t), type, 1);
    return true;
}
