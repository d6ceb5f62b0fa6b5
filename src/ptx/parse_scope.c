/* Names and scopes.
 *
 * Every identifier is interned once; its entry carries the stack of what it means now, so a look-up walks
 * nothing. Registers declared by the range (`.reg .b32 %r<9000>`) cost nothing until one is named: %r17
 * becomes a register of the tree when it is first used. Labels are resolved when their scope closes, since a
 * branch may come before its label. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

/* --- names */

static u32 name_hash(const char *text, size_t len) {
    u64 h = hash_fnv1a64(FNV1A64_START, text, len);
    return (u32)(h ^ h >> 32);
}

static struct name *name_in_bucket(struct parser *p, const char *text, size_t len, u32 hash) {
    if (!p->nbuckets) return NULL;
    for (struct name *n = p->buckets[hash & (p->nbuckets - 1)]; n; n = n->next)
        if (n->hash == hash && n->len == len && memcmp(n->text, text, len) == 0) return n;
    return NULL;
}

static void names_grow(struct parser *p) {
    u32 size = p->nbuckets ? p->nbuckets * 2 : 1024;
    struct name **fresh = base_alloc(size * sizeof(*fresh));
    for (u32 b = 0; b < p->nbuckets; b++) {
        for (struct name *n = p->buckets[b], *next; n; n = next) {
            next = n->next;
            n->next = fresh[n->hash & (size - 1)];
            fresh[n->hash & (size - 1)] = n;
        }
    }
    free(p->buckets);
    p->buckets = fresh;
    p->nbuckets = size;
}

struct name *name_find(struct parser *p, const char *text, size_t len) {
    return name_in_bucket(p, text, len, name_hash(text, len));
}

struct name *name_intern(struct parser *p, const char *text, size_t len) {
    u32 hash = name_hash(text, len);
    struct name *n = name_in_bucket(p, text, len, hash);
    if (n) return n;
    if (p->nnames >= p->nbuckets) names_grow(p);
    n = ARENA_NEW(&p->scratch, struct name);
    n->text = arena_strdup(&p->m->arena, text, len);
    n->len = (u32)len;
    n->hash = hash;
    n->next = p->buckets[hash & (p->nbuckets - 1)];
    p->buckets[hash & (p->nbuckets - 1)] = n;
    p->nnames++;
    return n;
}

void scope_free(struct parser *p) {
    free(p->buckets);
    free(p->pending.at);
    arena_free(&p->scratch);
}

/* --- symbols */

static struct symbol **symbol_stack(struct name *n, enum sym_kind kind) {
    if (kind == SYM_RANGE) return &n->range;
    return kind == SYM_LABEL || kind == SYM_TABLE ? &n->label : &n->sym;
}

static struct symbol *symbol_push(struct parser *p, enum sym_kind kind, struct name *n, struct ptx_loc loc, u32 depth) {
    struct symbol **stack = symbol_stack(n, kind);
    struct symbol *s = ARENA_NEW(&p->scratch, struct symbol);
    *s = (struct symbol){.kind = (u8)kind, .depth = (u16)depth, .loc = loc, .name = n, .shadowed = *stack};
    s->next_in_scope = p->scopes[depth].symbols;
    p->scopes[depth].symbols = s;
    *stack = s;
    return s;
}

/* The innermost range whose stem is the first stem_len characters of n, and that reaches as far as the number
 * after them */
static struct symbol *range_of_split(struct parser *p, const struct name *n, u32 stem_len) {
    u32 digits = n->len - stem_len;
    if (digits > 7 || (digits > 1 && n->text[stem_len] == '0')) return NULL;
    struct name *stem = name_find(p, n->text, stem_len);
    if (!stem || !stem->range) return NULL;
    i32 number = 0;
    for (u32 i = stem_len; i < n->len; i++) number = number * 10 + (n->text[i] - '0');
    struct symbol *r = stem->range;
    while (r && number >= r->index) r = r->shadowed;
    return r;
}

/* The innermost range that declares n; among those of one scope, the one with the longest stem */
static struct symbol *range_find(struct parser *p, const struct name *n) {
    struct symbol *best = NULL;
    for (u32 stem = n->len - 1; stem > 0 && n->text[stem] >= '0' && n->text[stem] <= '9' && n->len - stem <= 7; stem--) {
        struct symbol *r = range_of_split(p, n, stem);
        if (r && (!best || r->depth > best->depth)) best = r;
    }
    return best;
}

struct symbol *scope_declare(struct parser *p, enum sym_kind kind, struct name *n, struct ptx_loc loc) {
    struct symbol *old = n->sym && n->sym->depth == p->scope_depth ? n->sym : NULL;
    if (kind == SYM_RANGE) old = n->range && n->range->depth == p->scope_depth ? n->range : NULL;
    else if (!old && n->label && n->label->depth == p->scope_depth) old = n->label;
    else if (!old && p->scopes[p->scope_depth].range_depth == p->scope_depth && p->scope_depth) {
        struct symbol *r = range_find(p, n);
        if (r && r->depth == p->scope_depth) old = r;
    }
    if (old) {
        parse_error(p, loc, "'%s' is already declared at line %u", n->text, old->loc.line);
        return NULL;
    }
    return symbol_push(p, kind, n, loc, p->scope_depth);
}

/* --- registers */

static i32 add_reg(struct parser *p, const char *name, enum type type, i32 module_reg, struct ptx_loc loc) {
    VEC_PUSH(&p->regs, ((struct ptx_reg){.name = name, .type = (u8)type, .module_reg = module_reg, .loc = loc}));
    return (i32)p->regs.n - 1;
}

/* The components of a vector register are registers of their own, named %v.x and so on */
static i32 add_components(struct parser *p, const struct symbol *s, i32 module_reg) {
    static const char component[] = "xyzw";
    i32 first = (i32)p->regs.n;
    for (u32 i = 0; i < s->vec; i++)
        add_reg(p, arena_printf(&p->m->arena, "%s.%c", s->name->text, component[i & 3]), (enum type)s->type,
                module_reg == NONE ? NONE : module_reg + (i32)i, s->loc);
    return first;
}

/* A register of the module is an entry of the module's list; the functions that name it take it from there */
static i32 add_module_reg(struct parser *p, const struct symbol *s) {
    i32 first = (i32)p->module_reg_types.n;
    for (u32 i = 0; i < s->vec; i++) VEC_PUSH(&p->module_reg_types, s->type);
    return first;
}

static i32 add_function_reg(struct parser *p, const struct symbol *s, i32 module_reg) {
    return s->vec > 1 ? add_components(p, s, module_reg) : add_reg(p, s->name->text, (enum type)s->type, module_reg, s->loc);
}

static void symbol_make_reg(struct parser *p, struct symbol *s, enum type type, u32 vec) {
    s->type = (u8)type;
    s->vec = (u8)vec;
    s->index = s->depth == 0 ? add_module_reg(p, s) : add_function_reg(p, s, NONE);
}

/* The function's own entry for a register of the module, made when the function first names it */
static struct symbol *import_module_reg(struct parser *p, const struct symbol *of) {
    struct symbol *s = symbol_push(p, (enum sym_kind)of->kind, of->name, of->loc, 1);
    s->type = of->type;
    s->vec = of->vec;
    s->index = add_function_reg(p, s, of->index);
    return s;
}

static struct symbol *find_in_ranges(struct parser *p, struct name *n) {
    u32 range_depth = p->scopes[p->scope_depth].range_depth;
    if ((n->sym && n->sym->depth >= range_depth) || (!range_depth && !p->module_ranges)) return n->sym;
    struct symbol *range = range_find(p, n);
    if (!range || (n->sym && n->sym->depth >= range->depth)) return n->sym;
    struct symbol *s = symbol_push(p, range->vec > 1 ? SYM_VECREG : SYM_REG, n, range->loc, range->depth);
    symbol_make_reg(p, s, (enum type)range->type, range->vec);
    return s;
}

struct symbol *scope_find(struct parser *p, struct name *n) {
    struct symbol *s = find_in_ranges(p, n);
    bool from_module = s && s->depth == 0 && (s->kind == SYM_REG || s->kind == SYM_VECREG);
    return from_module && p->func ? import_module_reg(p, s) : s;
}

static bool count_regs(struct parser *p, u32 count, struct ptx_loc loc) {
    if (count > MAX_REGS - p->func_regs) return parse_error(p, loc, "too many registers; a function may declare %d", MAX_REGS);
    if (count > MAX_MODULE_REGS - p->module_regs)
        return parse_error(p, loc, "too many registers; a module may declare %d", MAX_MODULE_REGS);
    p->func_regs += count;
    p->module_regs += count;
    return true;
}

bool scope_declare_reg(struct parser *p, struct name *n, enum type type, u32 vec, struct ptx_loc loc) {
    if (!count_regs(p, vec, loc)) return false;
    struct symbol *s = scope_declare(p, vec > 1 ? SYM_VECREG : SYM_REG, n, loc);
    if (!s) return true;
    symbol_make_reg(p, s, type, vec);
    char last = n->text[n->len - 1];
    if (last >= '0' && last <= '9') p->digit_regs = true;
    return true;
}

/* A range may not cover a register that its scope declared alone before it */
static void check_range_is_free(struct parser *p, const struct name *stem, u32 count, struct ptx_loc loc) {
    struct strbuf text = {0};
    for (u32 i = 0; i < count; i++) {
        text.len = 0;
        strbuf_add(&text, "%s%u", stem->text, i);
        struct name *n = name_find(p, text.s, text.len);
        if (n && n->sym && n->sym->depth == p->scope_depth) {
            parse_error(p, loc, "'%s' is already declared at line %u", n->text, n->sym->loc.line);
            break;
        }
    }
    strbuf_free(&text);
}

bool scope_declare_range(struct parser *p, struct name *stem, enum type type, u32 vec, u32 count, struct ptx_loc loc) {
    if (count > MAX_REGS)
        return parse_error(p, loc, "too many registers; '%s<%u>' is over the limit of %d", stem->text, count, MAX_REGS);
    if (!count_regs(p, count, loc)) return false;
    if (p->digit_regs) check_range_is_free(p, stem, count, loc);
    struct symbol *s = scope_declare(p, SYM_RANGE, stem, loc);
    if (!s) return true;
    s->type = (u8)type;
    s->vec = (u8)vec;
    s->index = (i32)count;
    p->scopes[p->scope_depth].range_depth = (u16)p->scope_depth;
    if (!p->scope_depth) p->module_ranges = true;
    return true;
}

/* --- scopes and what waits for their end */

bool scope_push(struct parser *p) {
    if (p->scope_depth == MAX_DEPTH) return parse_error(p, p->tok.loc, "scopes nest too deeply; the limit is %d", MAX_DEPTH);
    u16 range_depth = p->scopes[p->scope_depth].range_depth;
    p->scopes[++p->scope_depth] = (struct scope){.pending_first = p->pending.n, .range_depth = range_depth};
    return true;
}

static bool resolve(struct parser *p, const struct pending *r) {
    const struct symbol *s = r->name->label;
    if (!s || s->depth != p->scope_depth) return false;
    if (r->slot) {
        if (s->kind == SYM_LABEL) *r->slot = s->index;
        else parse_error(p, r->loc, "'%s' is not a label to branch to", r->name->text);
    } else if (s->kind == SYM_TABLE && (r->kinds >> p->tables.at[s->index].kind & 1)) {
        p->insts.at[r->inst].table = s->index;
    } else {
        parse_error(p, r->loc, "'%s' is not a %s", r->name->text,
                    r->kinds & 1 << TABLE_BRANCHTARGETS ? "list of .branchtargets" : ".callprototype or list of .calltargets");
    }
    return true;
}

static void report_no_label(struct parser *p, const struct pending *r) {
    if (diag_full(p->dg)) return; /* after the twentieth of a hundred thousand, looking for near names is wasted */
    VEC(const char *) names = {0};
    for (u32 i = 0; i < p->labels.n; i++) {
        const struct ptx_label *l = &p->labels.at[i];
        VEC_PUSH(&names, l->name);
        if (strcmp(l->name, r->name->text) != 0) continue;
        parse_error(p, r->loc, "label '%s' is not visible here; the one at line %u is inside a scope of its own", l->name,
                    l->loc.line);
        free(names.at);
        return;
    }
    for (u32 i = 0; i < p->tables.n; i++) VEC_PUSH(&names, p->tables.at[i].name);
    const char *hint = parse_suggest(p, "", r->name->text, r->name->len, names.at, names.n);
    parse_error(p, r->loc, "label '%s' is not declared%s", r->name->text, hint);
    free(names.at);
}

void scope_pop(struct parser *p) {
    struct scope *sc = &p->scopes[p->scope_depth];
    u32 kept = sc->pending_first;
    for (u32 i = sc->pending_first; i < p->pending.n; i++) {
        struct pending r = p->pending.at[i];
        if (resolve(p, &r)) continue;
        if (p->scope_depth > 1) p->pending.at[kept++] = r;
        else report_no_label(p, &r);
    }
    p->pending.n = kept;
    for (struct symbol *s = sc->symbols; s; s = s->next_in_scope) *symbol_stack(s->name, s->kind) = s->shadowed;
    p->scope_depth--;
}

void scope_refer_label(struct parser *p, struct name *n, struct ptx_loc loc, i32 *slot) {
    *slot = NONE;
    VEC_PUSH(&p->pending, ((struct pending){.name = n, .loc = loc, .slot = slot}));
}

void scope_refer_table(struct parser *p, struct name *n, struct ptx_loc loc, u32 inst, u8 kinds) {
    VEC_PUSH(&p->pending, ((struct pending){.name = n, .loc = loc, .inst = inst, .kinds = kinds}));
}

/* --- undeclared names */

/* A register just outside its range deserves to be told so */
static bool report_outside_range(struct parser *p, const struct name *n, struct ptx_loc loc) {
    for (u32 stem = n->len - 1; stem > 0 && n->text[stem] >= '0' && n->text[stem] <= '9' && n->len - stem <= 7; stem--) {
        struct name *s = name_find(p, n->text, stem);
        if (!s || !s->range || s->range->index == 0 || range_of_split(p, n, stem)) continue;
        parse_error(p, loc, "register '%s' is not declared; '%s<%d>' at line %u ends at %s%d", n->text, s->text, s->range->index,
                    s->range->loc.line, s->text, s->range->index - 1);
        return true;
    }
    return false;
}

bool scope_undeclared(struct parser *p, const struct name *n, struct ptx_loc loc, const char *what) {
    if (report_outside_range(p, n, loc)) return false;
    VEC(const char *) names = {0};
    for (u32 d = 0; d <= p->scope_depth; d++)
        for (struct symbol *s = p->scopes[d].symbols; s; s = s->next_in_scope)
            if (s->kind <= SYM_FUNC) VEC_PUSH(&names, s->name->text);
    for (u32 r = 0; r < SREG_COUNT; r++) VEC_PUSH(&names, sreg_table[r].name);
    const char *hint = parse_suggest(p, "", n->text, n->len, names.at, names.n);
    parse_error(p, loc, "%s '%s' is not declared%s", what, n->text, hint);
    free(names.at);
    return false;
}
