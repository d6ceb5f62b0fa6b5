/* Declarations: registers, variables of every space, their initialisers, and the parameters of functions. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

int parse_space(const struct token *t) {
    static const struct {
        const char *word;
        u8 space;
    } rows[] = {{".global", SPACE_GLOBAL}, {".shared", SPACE_SHARED}, {".local", SPACE_LOCAL},
                {".const", SPACE_CONST},   {".param", SPACE_PARAM},   {".tex", SPACE_TEX}};
    for (size_t i = 0; t->kind == TOK_DOT && i < ARRAY_LEN(rows); i++)
        if (strlen(rows[i].word) == t->len && memcmp(rows[i].word, t->text, t->len) == 0) return rows[i].space;
    return NONE;
}

/* --- what may stand between the space and the name */

static bool parse_align(struct parser *p, u32 *align) {
    enum { MAX_ALIGN = 1 << 20 };
    parse_advance(p);
    struct ptx_loc loc = p->tok.loc;
    if (!parse_u32(p, "an alignment", align)) return false;
    if (*align == 0 || (*align & (*align - 1)) || *align > MAX_ALIGN) {
        parse_error(p, loc, "alignment %u is not a power of two up to %d", *align, MAX_ALIGN);
        *align = 1;
    }
    return true;
}

/* .ptr [space] [.align n] of a kernel parameter */
static bool parse_ptr(struct parser *p, struct ptx_var *v) {
    parse_advance(p);
    v->is_ptr = 1;
    v->ptr_space = SPACE_GENERIC;
    int space = parse_space(&p->tok);
    if (space != NONE) {
        v->ptr_space = (u8)space;
        parse_advance(p);
    }
    return !parse_at_word(p, ".align") || parse_align(p, &v->ptr_align);
}

static bool parse_attribute(struct parser *p, struct ptx_var *v) {
    parse_advance(p);
    if (!parse_at(p, '(')) return parse_expected(p, "'('");
    struct token inside = parse_peek(p);
    if (inside.len == 8 && memcmp(inside.text, ".managed", 8) == 0) v->managed = true;
    return parse_skip_parens(p);
}

static bool parse_vector_width(struct parser *p, struct ptx_var *v) {
    if (p->tok.len != 3 || p->tok.text[1] != 'v' || (p->tok.text[2] != '2' && p->tok.text[2] != '4')) return false;
    v->vec = (u8)(p->tok.text[2] - '0');
    parse_advance(p);
    return true;
}

static bool report_bad_qualifier(struct parser *p) {
    static const char *const words[] = {".align",   ".ptr",  ".attribute", ".v2",  ".v4",  ".texref", ".samplerref",
                                        ".surfref", ".pred", ".u8",        ".u16", ".u32", ".u64",    ".s8",
                                        ".s16",     ".s32",  ".s64",       ".b8",  ".b16", ".b32",    ".b64",
                                        ".b128",    ".f16",  ".f32",       ".f64"};
    const char *hint = parse_suggest(p, "", p->tok.text, p->tok.len, words, ARRAY_LEN(words));
    return parse_error(p, p->tok.loc, "unknown type '%.*s'%s", (int)p->tok.len, p->tok.text,
                       *hint ? hint : "; expected a type such as .u32");
}

/* Alignment, vector width, attributes and the type, in any order; *opaque for texture, sampler and surface
 * references */
static bool parse_qualifiers(struct parser *p, struct ptx_var *v, bool *opaque) {
    *opaque = false;
    v->vec = 1;
    while (p->tok.kind == TOK_DOT) {
        enum type t = type_find(p->tok.text + 1, p->tok.len - 1);
        if (t != TYPE_NONE) {
            if (v->type != TYPE_NONE)
                return parse_error(p, p->tok.loc, "unexpected '%.*s'; the type is given already", (int)p->tok.len, p->tok.text);
            v->type = (u8)t;
            parse_advance(p);
        } else if (parse_at_word(p, ".align")) {
            if (!parse_align(p, &v->align_b)) return false;
        } else if (parse_at_word(p, ".ptr")) {
            if (!parse_ptr(p, v)) return false;
        } else if (parse_at_word(p, ".attribute")) {
            if (!parse_attribute(p, v)) return false;
        } else if (parse_at_word(p, ".texref") || parse_at_word(p, ".samplerref") || parse_at_word(p, ".surfref")) {
            v->type = TYPE_b64; /* a handle */
            v->opaque = parse_at_word(p, ".texref") ? PTX_TEXREF : parse_at_word(p, ".surfref") ? PTX_SURFREF : PTX_SAMPLERREF;
            *opaque = true;
            parse_advance(p);
        } else if (!parse_vector_width(p, v)) {
            return report_bad_qualifier(p);
        }
    }
    if (v->type == TYPE_NONE) return parse_expected(p, "a type such as .u32");
    if (!v->align_b) v->align_b = type_bytes(v->type) * v->vec;
    return true;
}

/* --- registers */

static bool parse_reg_name(struct parser *p, const struct ptx_var *v) {
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a register name");
    struct name *n = name_of_token(p);
    struct ptx_loc loc = p->tok.loc;
    parse_advance(p);
    if (!parse_accept(p, '<')) return scope_declare_reg(p, n, v->type, v->vec, loc);
    u32 count;
    return parse_u32(p, "how many registers", &count) && parse_expect(p, '>') &&
           scope_declare_range(p, n, v->type, v->vec, count, loc);
}

/* At .reg */
bool parse_reg_decl(struct parser *p) {
    struct ptx_var v = {0};
    bool opaque;
    parse_advance(p);
    if (!parse_qualifiers(p, &v, &opaque)) return false;
    do {
        if (!parse_reg_name(p, &v)) return false;
    } while (parse_accept(p, ','));
    return parse_expect(p, ';');
}

/* --- initialisers */

struct init {
    struct ptx_var *v;
    u64 dim[MAX_DIMS + 1]; /* outermost first; a vector type is one more dimension */
    u32 ndims;
    bool open; /* the first dimension is what the initialiser has */
    u8 *bytes;
    size_t cap;
    u64 end_b; /* end of the furthest value */
    VEC(struct ptx_reloc) relocs;
};

static bool init_write(struct parser *p, struct init *in, u64 at_b, u32 size_b, u64 value) {
    u64 end = at_b + size_b;
    if (end > MAX_INIT_B - p->init_b)
        return parse_error(p, p->tok.loc, "too much initialised data; the limit is %d bytes", MAX_INIT_B);
    if (end > in->cap) {
        size_t cap = MAX((size_t)end, in->cap * 2 + 64);
        in->bytes = base_realloc(in->bytes, cap);
        memset(in->bytes + in->cap, 0, cap - in->cap);
        in->cap = cap;
    }
    for (u32 i = 0; i < size_b; i++) in->bytes[at_b + i] = i < 8 ? (u8)(value >> 8 * i) : 0;
    in->end_b = MAX(in->end_b, end);
    return true;
}

/* The bits a constant has as a value of this type; false when the two do not go together */
static bool init_convert(enum type type, const struct const_value *c, u64 *bits) {
    u32 size = type_bytes(type);
    bool is_float = c->kind >= CONST_F32;
    double d;
    float f;
    u32 low = (u32)c->bits;
    *bits = c->bits;
    if (!is_float) return type_table[type].family != FAMILY_F;
    if ((size != 4 && size != 8) || type_table[type].family == FAMILY_X) return false;
    if (c->kind == CONST_F32 && size == 8) {
        memcpy(&f, &low, 4);
        d = f;
        memcpy(bits, &d, 8);
    } else if (c->kind == CONST_F64 && size == 4) {
        memcpy(&d, &c->bits, 8);
        f = (float)d;
        memcpy(&low, &f, 4);
        *bits = low;
    }
    return true;
}

static bool init_constant(struct parser *p, struct init *in, u64 at_b) {
    struct ptx_loc loc = p->tok.loc;
    struct const_value c;
    u64 bits;
    if (!parse_expr(p, &c)) return false;
    if (!init_convert(in->v->type, &c, &bits)) {
        parse_error(p, loc, "%s constant cannot initialise a variable of type .%s",
                    c.kind >= CONST_F32 ? "a floating-point" : "an integer", type_table[in->v->type].name);
        return true;
    }
    return init_write(p, in, at_b, type_bytes(in->v->type), bits);
}

/* name [+ offset], or generic(name) [+ offset] */
static bool init_address(struct parser *p, struct ptx_reloc *r) {
    i64 inner = 0, outer = 0;
    bool generic = parse_at_word(p, "generic") && parse_peek(p).punct == '(';
    if (generic) {
        parse_advance(p);
        parse_advance(p);
    }
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "the name of a variable or function");
    struct name *n = name_of_token(p);
    struct symbol *s = scope_find(p, n);
    if (s && (s->kind == SYM_VAR || s->kind == SYM_FUNC)) {
        r->var = s->var;
        r->func = s->func;
    } else {
        scope_undeclared(p, n, p->tok.loc, "symbol");
    }
    parse_advance(p);
    if (!parse_offset(p, &inner)) return false;
    if (generic && (!parse_expect(p, ')') || !parse_offset(p, &outer))) return false;
    r->generic = generic;
    r->addend = (i64)((u64)inner + (u64)outer);
    return true;
}

/* 0xFF00(address): one byte, or a run of bytes, of an address */
static bool init_mask(struct parser *p, struct ptx_reloc *r) {
    u64 mask = p->tok.value;
    u32 shift = mask ? (u32)__builtin_ctzll(mask) : 0, bits = (u32)__builtin_popcountll(mask);
    bool run = mask && shift % 8 == 0 && bits % 8 == 0 && mask >> shift == (bits == 64 ? UINT64_MAX : (1ull << bits) - 1);
    if (!run)
        return parse_error(p, p->tok.loc, "mask '%.*s' does not select whole bytes of an address", (int)p->tok.len, p->tok.text);
    r->shift = (u8)shift;
    r->size_b = bits / 8;
    parse_advance(p);
    return parse_expect(p, '(') && init_address(p, r) && parse_expect(p, ')');
}

static bool init_value(struct parser *p, struct init *in, u64 at_b) {
    bool masked = p->tok.kind == TOK_INT && parse_peek(p).punct == '(';
    if (!masked && (p->tok.kind != TOK_IDENT || parse_at_word(p, "WARP_SZ"))) return init_constant(p, in, at_b);
    struct ptx_loc loc = p->tok.loc;
    u32 size = type_bytes(in->v->type);
    struct ptx_reloc r = {.offset_b = (u32)at_b, .size_b = size};
    if (masked ? !init_mask(p, &r) : !init_address(p, &r)) return false;
    if (masked ? r.size_b > size : size != 4 && size != 8) {
        parse_error(p, loc, "an address does not fit a variable of type .%s", type_table[in->v->type].name);
        return true;
    }
    VEC_PUSH(&in->relocs, r);
    return init_write(p, in, at_b, size, 0);
}

/* `{...}` of dimension `level`, whose first element is at at_b; recursion is bounded by MAX_DIMS */
static bool init_braces(struct parser *p, struct init *in, u32 level, u64 at_b) {
    u64 stride = type_bytes(in->v->type), count = 0;
    bool bounded = level || !in->open;
    for (u32 i = level + 1; i < in->ndims; i++) stride *= in->dim[i];
    if (!parse_expect(p, '{')) return false;
    p->open_braces++;
    while (!parse_at(p, '}')) {
        if (bounded && count == in->dim[level])
            return parse_error(p, p->tok.loc, "too many values; '%s' takes %llu here", in->v->name,
                               (unsigned long long)in->dim[level]);
        bool ok = level + 1 < in->ndims ? init_braces(p, in, level + 1, at_b) : init_value(p, in, at_b);
        if (!ok) return false;
        at_b += stride;
        count++;
        if (!parse_accept(p, ',')) break;
        if (parse_at(p, '}')) return parse_expected(p, "a value");
    }
    if (!parse_at(p, '}')) return parse_expected(p, "',' or '}'");
    p->open_braces--;
    parse_advance(p);
    if (!bounded) in->dim[0] = count;
    return true;
}

/* One `name = value` of a reference's initialiser */
static bool parse_field(struct parser *p, struct ptx_var *v, struct ptx_field ***last) {
    static const char *const names[] = {"width",         "height",
                                        "depth",         "channel_data_type",
                                        "channel_order", "normalized_coords",
                                        "array_size",    "num_mipmap_levels",
                                        "num_samples",   "filter_mode",
                                        "addr_mode_0",   "addr_mode_1",
                                        "addr_mode_2",   "force_unnormalized_coords",
                                        "memory_layout"};
    bool known = false;
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "the name of a field");
    for (size_t i = 0; i < ARRAY_LEN(names); i++) known = known || parse_at_word(p, names[i]);
    if (!known)
        return parse_error(p, p->tok.loc, "'%s' has no field '%.*s'%s", v->name, (int)MIN(p->tok.len, 60u), p->tok.text,
                           parse_suggest(p, "", p->tok.text, p->tok.len, names, ARRAY_LEN(names)));
    struct ptx_field *x = ARENA_NEW(&p->m->arena, struct ptx_field);
    x->name = name_of_token(p)->text;
    parse_advance(p);
    if (!parse_expect(p, '=')) return false;
    if (p->tok.kind == TOK_IDENT && !parse_at_word(p, "WARP_SZ")) {
        x->word = arena_strdup(&p->m->arena, p->tok.text, p->tok.len);
        parse_advance(p);
    } else if (!parse_int_expr(p, &x->number)) return false;
    **last = x;
    *last = &x->next;
    return true;
}

/* Sampler, texture and surface references are initialised by named fields */
static bool parse_fields(struct parser *p, struct ptx_var *v) {
    struct ptx_field **last = &v->fields;
    p->open_braces = 0;
    if (!parse_expect(p, '{')) return false;
    p->open_braces++;
    while (!parse_at(p, '}')) {
        if (!parse_field(p, v, &last)) return false;
        if (!parse_accept(p, ',')) break;
    }
    if (!parse_at(p, '}')) return parse_expected(p, "',' or '}'");
    p->open_braces--;
    parse_advance(p);
    return true;
}

/* Array bytes with overflow check; false when over the limit. A dimension of 0, or not known yet, does not
 * excuse the others. */
static bool array_bytes(const struct init *in, u64 *bytes) {
    bool empty = false;
    *bytes = type_bytes(in->v->type);
    for (u32 i = 0; i < in->ndims; i++) {
        empty |= in->dim[i] == 0;
        if (in->dim[i] && (__builtin_mul_overflow(*bytes, in->dim[i], bytes) || *bytes > MAX_VAR_B)) return false;
    }
    if (empty) *bytes = 0;
    return true;
}

static bool init_keep(struct parser *p, struct init *in) {
    struct ptx_var *v = in->v;
    if (!array_bytes(in, &v->size_b)) return parse_error(p, v->loc, "'%s' is too large; the limit is 4 GiB", v->name);
    if (v->size_b > MAX_INIT_B - p->init_b)
        return parse_error(p, v->loc, "too much initialised data; the limit is %d bytes", MAX_INIT_B);
    p->init_b += v->size_b;
    u8 *copy = arena_alloc(&p->m->arena, v->size_b);
    if (in->end_b) memcpy(copy, in->bytes, in->end_b);
    v->init = copy;
    v->nrelocs = in->relocs.n;
    v->relocs = ARENA_ARRAY(&p->m->arena, struct ptx_reloc, in->relocs.n);
    if (in->relocs.n) memcpy(v->relocs, in->relocs.at, in->relocs.n * sizeof(*v->relocs));
    return true;
}

static bool parse_initialiser(struct parser *p, struct init *in) {
    p->open_braces = 0;
    if (in->v->space == SPACE_SHARED || in->v->space == SPACE_LOCAL || in->v->space == SPACE_PARAM)
        return parse_error(p, p->tok.loc, "a .%s variable cannot be initialised", space_names[in->v->space]);
    bool ok = in->ndims ? init_braces(p, in, 0, 0) : init_value(p, in, 0);
    return ok && init_keep(p, in);
}

/* --- variables */

static bool parse_dims(struct parser *p, struct init *in) {
    while (parse_accept(p, '[')) {
        i64 n = 0;
        struct ptx_loc loc = p->tok.loc;
        if (in->ndims == MAX_DIMS) return parse_error(p, loc, "too many dimensions; the limit is %d", MAX_DIMS);
        bool empty = parse_at(p, ']');
        if (empty && in->ndims) return parse_error(p, loc, "only the first dimension may be left empty");
        if (!empty && !parse_int_expr(p, &n)) return false;
        if (n < 0) return parse_error(p, loc, "an array cannot have %lld elements", (long long)n);
        if (empty) in->open = true;
        in->dim[in->ndims++] = (u64)n;
        if (!parse_expect(p, ']')) return false;
    }
    if (in->v->vec > 1) in->dim[in->ndims++] = in->v->vec;
    if (!array_bytes(in, &in->v->size_b)) return parse_error(p, in->v->loc, "'%s' is too large; the limit is 4 GiB", in->v->name);
    return true;
}

/* Before 1.4 a kernel's parameters were declared in its body */
static bool is_old_kernel_param(const struct parser *p, const struct ptx_var *v) {
    return v->space == SPACE_PARAM && p->func && p->params_in_body && p->scope_depth == 1;
}

static struct ptx_var *add_old_kernel_param(struct parser *p, const struct ptx_var *like) {
    struct ptx_func *f = p->func;
    if (f->nparams == MAX_OLD_PARAMS) {
        parse_error(p, like->loc, "too many parameters; a kernel of this .version may have %d", MAX_OLD_PARAMS);
        return NULL;
    }
    f->params[f->nparams] = *like;
    return &f->params[f->nparams++];
}

/* A new variable, or the one an earlier .extern promised; NULL after an error */
static struct ptx_var *var_declare(struct parser *p, struct name *n, const struct ptx_var *like) {
    struct symbol *old = n->sym && n->sym->depth == p->scope_depth ? n->sym : NULL;
    bool promised = old && old->kind == SYM_VAR && (old->var->linkage == LINK_EXTERN || like->linkage == LINK_EXTERN);
    if (promised) {
        if (old->var->linkage == LINK_EXTERN) *old->var = *like;
        return old->var;
    }
    struct symbol *s = scope_declare(p, SYM_VAR, n, like->loc);
    if (!s) return NULL;
    if (is_old_kernel_param(p, like)) return s->var = add_old_kernel_param(p, like);
    s->var = ARENA_NEW(&p->m->arena, struct ptx_var);
    *s->var = *like;
    s->var->at_module_scope = !p->func;
    if (p->func) VEC_PUSH(&p->vars, s->var);
    else VEC_PUSH(&p->module_vars, s->var);
    return s->var;
}

/* Predicates and parts of a byte live in registers only */
static bool check_memory_type(struct parser *p, enum type t) {
    if (type_table[t].bits >= 8) return true;
    return parse_error(p, p->tok.loc, "a variable in memory cannot have type .%s", type_table[t].name);
}

static bool parse_declarator(struct parser *p, const struct ptx_var *like, bool opaque) {
    if (p->tok.kind != TOK_IDENT) return parse_expected(p, "a variable name");
    struct ptx_var v = *like;
    struct name *n = name_of_token(p);
    struct init in = {.v = &v};
    v.name = n->text;
    v.loc = p->tok.loc;
    parse_advance(p);
    if (!parse_dims(p, &in)) return false;
    bool has_init = parse_accept(p, '=');
    v.incomplete = in.open && !has_init;
    if (v.incomplete && v.linkage != LINK_EXTERN && v.linkage != LINK_COMMON)
        parse_error(p, v.loc, "'%s' has no size; give one or an initialiser, or declare it .extern", v.name);
    struct ptx_var *kept = var_declare(p, n, &v);
    if (!has_init) return true;
    if (opaque) return parse_fields(p, kept ? kept : &v);
    in.v = kept ? kept : &v; /* declared before its initialiser is read, which may name it */
    bool ok = parse_initialiser(p, &in);
    free(in.bytes);
    free(in.relocs.at);
    return ok;
}

/* At the space: .global, .shared, ... */
bool parse_var_decl(struct parser *p, u8 linkage) {
    struct ptx_var like = {.linkage = linkage, .reg = NONE, .space = (u8)parse_space(&p->tok)};
    bool opaque;
    parse_advance(p);
    if (like.space == SPACE_CONST && parse_accept(p, '[')) { /* .const[bank] */
        u32 bank;
        if (!parse_u32(p, "a constant bank", &bank) || !parse_expect(p, ']')) return false;
    }
    if (!parse_qualifiers(p, &like, &opaque)) return false;
    if (!check_memory_type(p, like.type)) return false;
    if (opaque) like.space = SPACE_TEX;
    if (like.space == SPACE_TEX && !like.opaque) like.opaque = PTX_TEXREF; /* .tex of the first versions */
    do {
        if (!parse_declarator(p, &like, opaque)) return false;
    } while (parse_accept(p, ','));
    return parse_expect(p, ';');
}

/* One parameter or result of a function: not declared in a scope yet, since a prototype has none */
bool parse_param(struct parser *p, struct ptx_var *v) {
    bool opaque, in_reg = parse_at_word(p, ".reg");
    if (!in_reg && !parse_at_word(p, ".param")) return parse_expected(p, ".param or .reg");
    *v = (struct ptx_var){.space = in_reg ? SPACE_REG : SPACE_PARAM, .reg = NONE, .name = "_", .loc = p->tok.loc};
    parse_advance(p);
    if (!parse_qualifiers(p, v, &opaque)) return false;
    if (!in_reg && !check_memory_type(p, v->type)) return false;
    struct init dims = {.v = v};
    if (p->tok.kind == TOK_IDENT) {
        v->name = name_of_token(p)->text;
        v->loc = p->tok.loc;
        parse_advance(p);
    } else if (!parse_at(p, ',') && !parse_at(p, ')') && !parse_at(p, '[')) {
        return parse_expected(p, "a parameter name");
    }
    if (!parse_dims(p, &dims)) return false;
    v->incomplete = dims.open;
    if (in_reg) v->size_b = type_bytes(v->type);
    return true;
}
