/* Reading a manifest: JSON text to struct manifest.
 *
 * Every object has a table of its keys (name, kind, required); object_check() holds an object against its
 * table, so the readers below it take well-typed values for granted. Keys that record measurements
 * (silicon_*, reference_* beyond the known ones, static_smem, ...) are let through unread; any other unknown
 * key is an error, since a misspelt key that is ignored is a wrong run nobody notices. */
#include "manifest/manifest.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BUFFER_B (1ull << 40)

const struct manifest_type manifest_types[] = {
    {"u8", 1, TYPE_UNSIGNED},  {"s8", 1, TYPE_SIGNED},  {"u16", 2, TYPE_UNSIGNED}, {"s16", 2, TYPE_SIGNED},
    {"u32", 4, TYPE_UNSIGNED}, {"s32", 4, TYPE_SIGNED}, {"u64", 8, TYPE_UNSIGNED}, {"s64", 8, TYPE_SIGNED},
    {"f32", 4, TYPE_FLOAT},    {"f64", 8, TYPE_FLOAT},
};
const u32 manifest_type_count = ARRAY_LEN(manifest_types);

/* --- keys */

enum key_kind { KEY_STRING, KEY_COUNT, KEY_NUMBER, KEY_BOOL, KEY_ARRAY, KEY_OBJECT, KEY_HASH, KEY_ANY };
struct key {
    const char *name;
    enum key_kind kind;
    bool required;
};

static const char *const kind_words[] = {
    [KEY_STRING] = "a string",
    [KEY_COUNT] = "an integer that is not negative",
    [KEY_NUMBER] = "a number",
    [KEY_BOOL] = "true or false",
    [KEY_ARRAY] = "a list",
    [KEY_OBJECT] = "an object",
    [KEY_HASH] = "a string of 16 hex digits",
    [KEY_ANY] = "",
};

static const struct key top_keys[] = {
    {"name", KEY_STRING, false},    {"source", KEY_ANY, false},    {"held", KEY_ANY, false},       {"doc", KEY_ANY, false},
    {"program", KEY_STRING, false}, {"ptx", KEY_STRING, false},    {"textures", KEY_ARRAY, false}, {"buffers", KEY_ARRAY, true},
    {"launches", KEY_ARRAY, true},  {"expect", KEY_OBJECT, false},
};
static const struct key buffer_keys[] = {
    {"id", KEY_COUNT, false},    {"name", KEY_STRING, true},       {"type", KEY_STRING, true},        {"count", KEY_COUNT, true},
    {"bytes", KEY_COUNT, false}, {"generator", KEY_STRING, false}, {"file", KEY_STRING, false},       {"seed", KEY_COUNT, false},
    {"p0", KEY_NUMBER, false},   {"p1", KEY_NUMBER, false},        {"init_fnv1a64", KEY_HASH, false}, {"check", KEY_BOOL, false},
    {"at", KEY_ANY, false},      {"values", KEY_ARRAY, false},
};
static const struct key launch_keys[] = {
    {"kernel", KEY_STRING, true},       {"grid", KEY_ARRAY, true},       {"block", KEY_ARRAY, true},
    {"dynamic_smem", KEY_COUNT, false}, {"args", KEY_ARRAY, true},       {"registers", KEY_COUNT, false},
    {"profiled", KEY_ANY, false},       {"static_smem", KEY_ANY, false}, {"local_bytes", KEY_ANY, false},
    {"local", KEY_STRING, false},       {"barriers", KEY_STRING, false},
};
static const struct key pointer_keys[] = {{"buf", KEY_ANY, true}};
static const struct key handle_keys[] = {{"texture", KEY_STRING, true}};
/* The other keys of a texture are the library's own */
static const struct key texture_keys[] = {{"name", KEY_STRING, true},
                                          {"kind", KEY_STRING, false},
                                          {"ref", KEY_STRING, false},
                                          {"buffer", KEY_STRING, false},
                                          {"offset", KEY_COUNT, false}};
static const struct key scalar_keys[] = {{"type", KEY_STRING, false}, {"hex", KEY_STRING, false}, {"value", KEY_NUMBER, false}};
static const struct key expect_keys[] = {
    {"mode", KEY_STRING, true},           {"tolerance", KEY_NUMBER, false},         {"reference_fnv1a64", KEY_HASH, false},
    {"reference_sum", KEY_NUMBER, false}, {"reference_abs_sum", KEY_NUMBER, false}, {"silicon_fnv1a64", KEY_HASH, false},
    {"silicon_sum", KEY_NUMBER, false},   {"silicon_abs_sum", KEY_NUMBER, false},
};
#define MAX_KEYS 32

struct reader {
    struct manifest *m;
    struct diag *d;
    u32 failures;   /* all, while the diag takes only the first few */
    json_t *places; /* of buffers, by name */
};

static void fail(struct reader *r, const char *path, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void fail(struct reader *r, const char *path, const char *fmt, ...) {
    struct strbuf s = {0};
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&s, fmt, ap);
    va_end(ap);
    r->failures++;
    if (!diag_full(r->d)) diag_error(r->d, r->m->file, 0, 0, "%s%s%s", path, *path ? ": " : "", s.s);
    strbuf_free(&s);
}

static bool parse_hash(const char *s, u64 *out) {
    if (strlen(s) != 16 || strspn(s, "0123456789abcdefABCDEF") != 16) return false;
    *out = strtoull(s, NULL, 16);
    return true;
}

static bool kind_fits(enum key_kind kind, const json_t *v) {
    u64 hash;
    switch (kind) {
    case KEY_STRING: return json_is_string(v);
    case KEY_COUNT: return json_is_integer(v) && json_integer_value(v) >= 0;
    case KEY_NUMBER: return json_is_number(v);
    case KEY_BOOL: return json_is_boolean(v);
    case KEY_ARRAY: return json_is_array(v);
    case KEY_OBJECT: return json_is_object(v);
    case KEY_HASH: return json_is_string(v) && parse_hash(json_string_value(v), &hash);
    case KEY_ANY: return true;
    }
    return false;
}

static const struct key *key_find(const struct key *keys, u32 n, const char *name) {
    for (u32 i = 0; i < n; i++)
        if (strcmp(keys[i].name, name) == 0) return &keys[i];
    return NULL;
}

static bool is_measurement(const char *name) { return strncmp(name, "silicon_", 8) == 0 || strncmp(name, "reference_", 10) == 0; }

static void fail_unknown_key(struct reader *r, const char *path, const struct key *keys, u32 n, const char *name) {
    const char *names[MAX_KEYS];
    struct strbuf all = {0};
    for (u32 i = 0; i < n; i++) {
        names[i] = keys[i].name;
        strbuf_add(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = text_nearest(name, names, n);
    if (near) fail(r, path, "unknown key \"%s\"; did you mean \"%s\"?", name, near);
    else fail(r, path, "unknown key \"%s\"; legal keys are %s", name, all.s);
    strbuf_free(&all);
}

/* True when every key of `o` is legal and well-typed and none that is required is missing */
static bool object_check(struct reader *r, json_t *o, const char *path, const struct key *keys, u32 n) {
    u32 before = r->failures;
    if (!json_is_object(o)) {
        fail(r, path, "must be an object");
        return false;
    }
    const char *name;
    json_t *v;
    json_object_foreach(o, name, v) {
        const struct key *k = key_find(keys, n, name);
        if (!k && is_measurement(name)) continue;
        if (!k) fail_unknown_key(r, path, keys, n, name);
        else if (!kind_fits(k->kind, v)) fail(r, path, "\"%s\" must be %s", name, kind_words[k->kind]);
    }
    for (u32 i = 0; i < n; i++)
        if (keys[i].required && !json_object_get(o, keys[i].name)) fail(r, path, "key \"%s\" is missing", keys[i].name);
    return r->failures == before;
}

/* --- getters for objects that passed object_check */

static const char *get_string(struct reader *r, json_t *o, const char *key) {
    json_t *v = json_object_get(o, key);
    return v ? arena_strdup(&r->m->arena, json_string_value(v), json_string_length(v)) : NULL;
}

static u64 get_count(json_t *o, const char *key, u64 otherwise) {
    json_t *v = json_object_get(o, key);
    return v ? (u64)json_integer_value(v) : otherwise;
}

static double get_number(json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

static bool get_hash(json_t *o, const char *key, u64 *out) {
    json_t *v = json_object_get(o, key);
    return v && parse_hash(json_string_value(v), out);
}

static const struct manifest_type *find_type(struct reader *r, const char *path, const char *name) {
    struct strbuf all = {0};
    const struct manifest_type *found = NULL;
    for (u32 i = 0; i < manifest_type_count; i++) {
        strbuf_add(&all, "%s%s", i ? " " : "", manifest_types[i].name);
        if (strcmp(manifest_types[i].name, name) == 0) found = &manifest_types[i];
    }
    if (!found) fail(r, path, "unknown type \"%s\"; legal types are %s", name, all.s);
    strbuf_free(&all);
    return found;
}

/* --- buffers */

static const struct generator *find_generator(struct reader *r, const char *path, const char *name) {
    const char *names[32];
    struct strbuf all = {0};
    const struct generator *found = NULL;
    CHECK(generator_count <= ARRAY_LEN(names));
    for (u32 i = 0; i < generator_count; i++) {
        names[i] = generator_table[i].name;
        strbuf_add(&all, "%s%s", i ? " " : "", names[i]);
        if (strcmp(names[i], name) == 0) found = &generator_table[i];
    }
    const char *near = text_nearest(name, names, generator_count);
    if (!found && near) fail(r, path, "unknown generator \"%s\"; did you mean \"%s\"?", name, near);
    if (!found && !near) fail(r, path, "unknown generator \"%s\"; legal generators are %s", name, all.s);
    strbuf_free(&all);
    return found;
}

static bool scalar_from_value(const struct manifest_type *t, json_t *v, u8 *out);

/* Contents that are written down: one number for each element */
static bool read_values(struct reader *r, json_t *list, const char *path, struct manifest_buffer *b) {
    if (json_array_size(list) != b->count) {
        fail(r, path, "\"values\" holds %zu numbers, \"count\" is %llu", json_array_size(list), (unsigned long long)b->count);
        return false;
    }
    u8 *bytes = ARENA_ARRAY(&r->m->arena, u8, b->bytes);
    for (u64 i = 0; i < b->count; i++) {
        json_t *v = json_array_get(list, i);
        if (json_is_number(v) && scalar_from_value(b->type, v, bytes + i * b->type->size_b)) continue;
        fail(r, path, "values[%llu] is no number that fits into %s", (unsigned long long)i, b->type->name);
        return false;
    }
    b->values = bytes;
    return true;
}

/* Where it shall lie: a number, or a text such as "0x7ffff000" */
static void read_place(struct reader *r, json_t *v, const char *path, struct manifest_buffer *b) {
    char *end = NULL;
    if (json_is_integer(v) && json_integer_value(v) > 0) b->at = (u64)json_integer_value(v);
    else if (json_is_string(v)) b->at = strtoull(json_string_value(v), &end, 16);
    if (!b->at || (end && *end)) fail(r, path, "\"at\" must be an address: a number, or hex digits in quotes");
}

static bool read_generator(struct reader *r, json_t *o, const char *path, struct manifest_buffer *b) {
    const char *name = get_string(r, o, "generator");
    b->file = get_string(r, o, "file");
    json_t *values = json_object_get(o, "values");
    if ((b->file != NULL) + (name != NULL) + (values != NULL) > 1) {
        fail(r, path, "has several of \"generator\", \"file\" and \"values\"; keep one");
        return false;
    }
    if (values) return read_values(r, values, path, b);
    if (b->file) return true;
    b->generator = find_generator(r, path, name ? name : "zero");
    if (!b->generator) return false;
    if (!text_in_list(b->generator->types, b->type->name)) {
        fail(r, path, "generator \"%s\" makes %s, not %s", b->generator->name, b->generator->types, b->type->name);
        return false;
    }
    const char *objection = b->generator->objection ? b->generator->objection(b) : NULL;
    if (objection) fail(r, path, "generator \"%s\" needs %s", b->generator->name, objection);
    return !objection;
}

static bool read_size(struct reader *r, json_t *o, const char *path, struct manifest_buffer *b) {
    b->count = get_count(o, "count", 0);
    if (b->count == 0 || b->count > MAX_BUFFER_B / b->type->size_b) {
        fail(r, path, "\"count\" must be 1 to %llu for %s", (unsigned long long)(MAX_BUFFER_B / b->type->size_b), b->type->name);
        return false;
    }
    b->bytes = b->count * b->type->size_b;
    u64 stated = get_count(o, "bytes", b->bytes);
    if (stated != b->bytes)
        fail(r, path, "\"bytes\" is %llu, but %llu elements of %s are %llu bytes", (unsigned long long)stated,
             (unsigned long long)b->count, b->type->name, (unsigned long long)b->bytes);
    return stated == b->bytes;
}

/* Entries of a list; none, with a message, when there are too many */
static u32 list_size(struct reader *r, json_t *list, const char *path, enum limit l) {
    struct strbuf why = {0};
    bool ok = limit_holds(l, json_array_size(list), &why);
    if (!ok) fail(r, path, "%s", why.s);
    strbuf_free(&why);
    return ok ? (u32)json_array_size(list) : 0;
}

static i32 buffer_place(const struct reader *r, const char *name) {
    json_t *place = json_object_get(r->places, name);
    return place ? (i32)json_integer_value(place) : -1;
}

static void read_buffer(struct reader *r, json_t *o, u32 i) {
    const char *path = arena_printf(&r->m->arena, "buffers[%u]", i);
    struct manifest_buffer *b = &r->m->buffers[i];
    if (!object_check(r, o, path, buffer_keys, ARRAY_LEN(buffer_keys))) return;
    if (get_count(o, "id", i) != i) fail(r, path, "\"id\" must be %u, the buffer's place in the list", i);
    b->name = get_string(r, o, "name");
    json_t *before = json_object_get(r->places, b->name);
    if (before) fail(r, path, "the name \"%s\" is taken by buffers[%u]", b->name, (u32)json_integer_value(before));
    else json_object_set_new(r->places, b->name, json_integer(i));
    b->type = find_type(r, path, json_string_value(json_object_get(o, "type")));
    if (!b->type || !read_size(r, o, path, b)) return;
    b->seed = get_count(o, "seed", 0);
    b->p0 = get_number(o, "p0");
    b->p1 = get_number(o, "p1");
    b->check = json_is_true(json_object_get(o, "check"));
    b->has_init_hash = get_hash(o, "init_fnv1a64", &b->init_hash);
    if (json_object_get(o, "at")) read_place(r, json_object_get(o, "at"), path, b);
    read_generator(r, o, path, b);
}

static void read_buffers(struct reader *r, json_t *list) {
    u32 n = list_size(r, list, "buffers", LIMIT_BUFFERS);
    r->m->buffers = ARENA_ARRAY(&r->m->arena, struct manifest_buffer, n);
    r->m->nbuffers = n;
    for (u32 i = 0; i < n && !diag_full(r->d); i++) read_buffer(r, json_array_get(list, i), i);
}

/* --- textures */

static void fail_no_buffer(struct reader *r, const char *path, const char *which);

/* A value as the library reads it; lists become words with slashes between. NULL when it is none. */
static const char *value_text(struct reader *r, json_t *v) {
    if (json_is_string(v)) return arena_strdup(&r->m->arena, json_string_value(v), json_string_length(v));
    if (json_is_boolean(v)) return json_is_true(v) ? "true" : "false";
    if (json_is_integer(v)) return arena_printf(&r->m->arena, "%lld", (long long)json_integer_value(v));
    if (json_is_real(v)) return arena_printf(&r->m->arena, "%.9g", json_real_value(v));
    const char *all = NULL;
    for (size_t i = 0; i < json_array_size(v); i++) {
        const char *one = json_is_array(json_array_get(v, i)) ? NULL : value_text(r, json_array_get(v, i));
        if (!one) return NULL;
        all = all ? arena_printf(&r->m->arena, "%s/%s", all, one) : one;
    }
    return all;
}

static bool is_texture_key(const char *name) {
    for (u32 i = 0; i < heddle_texture_keys(); i++)
        if (strcmp(heddle_texture_key_name(i), name) == 0) return true;
    return false;
}

static void fail_texture_key(struct reader *r, const char *path, const char *name) {
    struct key all[MAX_KEYS];
    u32 n = 0;
    for (; n < ARRAY_LEN(texture_keys); n++) all[n] = texture_keys[n];
    for (u32 i = 0; i < heddle_texture_keys() && n < MAX_KEYS; i++) all[n++].name = heddle_texture_key_name(i);
    fail_unknown_key(r, path, all, n, name);
}

/* Own keys held against their table, the others handed on */
static bool read_texture_keys(struct reader *r, json_t *o, const char *path, struct manifest_texture *t) {
    u32 before = r->failures;
    const char *name;
    json_t *v;
    json_object_foreach(o, name, v) {
        const struct key *k = key_find(texture_keys, ARRAY_LEN(texture_keys), name);
        const char *text = k ? "" : value_text(r, v);
        if (k && !kind_fits(k->kind, v)) fail(r, path, "\"%s\" must be %s", name, kind_words[k->kind]);
        else if (!k && !is_texture_key(name)) fail_texture_key(r, path, name);
        else if (!text) fail(r, path, "\"%s\" must be a word, a number, true or false, or a list of these", name);
        else if (!k)
            t->desc.keys[t->desc.nkeys++] = (struct heddle_texture_key){arena_strdup(&r->m->arena, name, strlen(name)), text};
    }
    if (!json_object_get(o, "name")) fail(r, path, "key \"name\" is missing");
    return r->failures == before;
}

static void read_texture(struct reader *r, json_t *o, u32 i) {
    static const char *const kinds[] = {[HEDDLE_TEXTURE] = "texture", [HEDDLE_SAMPLER] = "sampler", [HEDDLE_SURFACE] = "surface"};
    const char *path = arena_printf(&r->m->arena, "textures[%u]", i);
    struct manifest_texture *t = &r->m->textures[i];
    t->buffer = -1;
    if (!json_is_object(o)) {
        fail(r, path, "must be an object");
        return;
    }
    if (!read_texture_keys(r, o, path, t)) return;
    const char *kind = get_string(r, o, "kind"), *buffer = get_string(r, o, "buffer");
    t->name = get_string(r, o, "name");
    t->ref = get_string(r, o, "ref");
    t->offset_b = get_count(o, "offset", 0);
    t->kind = kind ? 0 : HEDDLE_TEXTURE;
    for (u32 k = HEDDLE_TEXTURE; kind && k < ARRAY_LEN(kinds); k++)
        if (strcmp(kinds[k], kind) == 0) t->kind = k;
    if (!t->kind) fail(r, path, "unknown kind \"%s\"; legal kinds are texture, sampler, surface", kind);
    if ((t->kind != HEDDLE_SAMPLER) != (buffer != NULL))
        fail(r, path, buffer ? "a sampler has no \"buffer\"" : "key \"buffer\" is missing");
    if (buffer) t->buffer = buffer_place(r, buffer);
    if (buffer && t->buffer < 0) fail_no_buffer(r, path, arena_printf(&r->m->arena, "\"%s\"", buffer));
}

static void read_textures(struct reader *r, json_t *list) {
    u32 n = list_size(r, list, "textures", LIMIT_TEXTURES);
    r->m->textures = ARENA_ARRAY(&r->m->arena, struct manifest_texture, n);
    r->m->ntextures = n;
    for (u32 i = 0; i < n && !diag_full(r->d); i++) read_texture(r, json_array_get(list, i), i);
}

static void read_handle(struct reader *r, json_t *o, const char *path, struct manifest_arg *a) {
    a->size_b = 8;
    if (!object_check(r, o, path, handle_keys, ARRAY_LEN(handle_keys))) return;
    const char *name = json_string_value(json_object_get(o, "texture"));
    for (u32 i = 0; i < r->m->ntextures; i++)
        if (r->m->textures[i].name && strcmp(r->m->textures[i].name, name) == 0) a->texture = (i32)i;
    if (a->texture < 0) fail(r, path, "no texture \"%s\"; \"textures\" of the manifest names them", name);
    else if (r->m->textures[a->texture].ref)
        fail(r, path, "texture \"%s\" is bound to '%s' and has no handle; give it an entry without \"ref\"", name,
             r->m->textures[a->texture].ref);
}

/* --- launches */

static void read_dim(struct reader *r, json_t *o, const char *path, const char *key, u32 limit, u32 out[3]) {
    json_t *list = json_object_get(o, key);
    size_t n = json_array_size(list);
    if (n < 1 || n > 3) fail(r, path, "\"%s\" must hold 1 to 3 numbers", key);
    for (size_t i = 0; i < 3; i++) {
        json_t *v = i < n ? json_array_get(list, i) : NULL;
        json_int_t x = v ? json_integer_value(v) : 1;
        if (v && (!json_is_integer(v) || x < 1 || x > (json_int_t)limit)) {
            fail(r, path, "%s[%zu] must be an integer from 1 to %u", key, i, limit);
            x = 1;
        }
        out[i] = (u32)x;
    }
}

static void fail_no_buffer(struct reader *r, const char *path, const char *which) {
    struct strbuf names = {0};
    u32 n = r->m->nbuffers;
    for (u32 i = 0; i < n && i < 20; i++)
        strbuf_add(&names, "%s%s", i ? ", " : "", r->m->buffers[i].name ? r->m->buffers[i].name : "?");
    if (n == 0) fail(r, path, "no buffer %s; the manifest has no buffers", which);
    else if (*which == '"') fail(r, path, "no buffer %s; legal names are %s%s", which, names.s, n > 20 ? ", ..." : "");
    else if (n == 1) fail(r, path, "no buffer with id %s; the only legal id is 0", which);
    else fail(r, path, "no buffer with id %s; legal ids are 0 to %u", which, n - 1);
    strbuf_free(&names);
}

static i32 buffer_index(const struct manifest *m, const char *name) {
    for (u32 i = 0; i < m->nbuffers; i++)
        if (m->buffers[i].name && strcmp(m->buffers[i].name, name) == 0) return (i32)i;
    return -1;
}

static void read_pointer(struct reader *r, json_t *o, const char *path, struct manifest_arg *a) {
    a->size_b = 8;
    if (!object_check(r, o, path, pointer_keys, ARRAY_LEN(pointer_keys))) return;
    json_t *v = json_object_get(o, "buf");
    if (json_is_string(v)) {
        a->buffer = buffer_place(r, json_string_value(v));
        if (a->buffer < 0) fail_no_buffer(r, path, arena_printf(&r->m->arena, "\"%s\"", json_string_value(v)));
    } else if (json_is_integer(v)) {
        json_int_t id = json_integer_value(v);
        if (id < 0 || id >= (json_int_t)r->m->nbuffers)
            fail_no_buffer(r, path, arena_printf(&r->m->arena, "%lld", (long long)id));
        else a->buffer = (i32)id;
    } else fail(r, path, "\"buf\" must be a buffer's id or name");
}

static bool scalar_from_integer(const struct manifest_type *t, json_int_t v, u8 *out) {
    u32 bits = 8 * t->size_b;
    bool fits = true;
    if (t->kind == TYPE_UNSIGNED) fits = v >= 0 && (bits == 64 || (u64)v >> bits == 0);
    if (t->kind == TYPE_SIGNED && bits < 64) fits = v >= -((json_int_t)1 << (bits - 1)) && v < (json_int_t)1 << (bits - 1);
    memcpy(out, &v, t->size_b);
    return fits;
}

/* The bytes of "value" as `t`; false when it cannot be one */
static bool scalar_from_value(const struct manifest_type *t, json_t *v, u8 *out) {
    if (t->kind != TYPE_FLOAT) return json_is_integer(v) && scalar_from_integer(t, json_integer_value(v), out);
    double d = json_number_value(v);
    float f = (float)d;
    if (t->size_b == 4) memcpy(out, &f, 4);
    else memcpy(out, &d, 8);
    return true;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool scalar_from_hex(struct reader *r, const char *path, const char *hex, struct manifest_arg *a) {
    size_t n = strlen(hex);
    bool legal = n >= 2 && n % 2 == 0 && n / 2 <= MANIFEST_MAX_ARG_B;
    for (size_t i = 0; i < n && legal; i++) legal = hex_digit(hex[i]) >= 0;
    if (!legal) {
        fail(r, path, "\"hex\" must be 1 to %u bytes of two hex digits each", MANIFEST_MAX_ARG_B);
        return false;
    }
    u8 *bytes = ARENA_ARRAY(&r->m->arena, u8, n / 2);
    for (size_t i = 0; i < n / 2; i++) bytes[i] = (u8)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
    a->bytes = bytes;
    a->size_b = (u32)(n / 2);
    return true;
}

/* A scalar: "hex" gives its bytes; "value" with "type" gives a number; both must then mean the same */
static void read_scalar(struct reader *r, json_t *o, const char *path, struct manifest_arg *a) {
    if (!object_check(r, o, path, scalar_keys, ARRAY_LEN(scalar_keys))) return;
    json_t *type = json_object_get(o, "type"), *hex = json_object_get(o, "hex"), *value = json_object_get(o, "value");
    const struct manifest_type *t = type ? find_type(r, path, json_string_value(type)) : NULL;
    if (type && !t) return;
    if (!hex && !(t && value)) {
        fail(r, path, "needs \"buf\", or \"type\" with \"value\", or \"hex\"");
        return;
    }
    if (hex && !scalar_from_hex(r, path, json_string_value(hex), a)) return;
    if (hex && t && a->size_b != t->size_b) {
        fail(r, path, "\"hex\" holds %u bytes, but %s has %u", a->size_b, t->name, t->size_b);
        return;
    }
    if (!t || !value) return;
    u8 *bytes = ARENA_ARRAY(&r->m->arena, u8, 8);
    if (!scalar_from_value(t, value, bytes)) fail(r, path, "\"value\" does not fit %s", t->name);
    else if (hex && memcmp(bytes, a->bytes, t->size_b) != 0)
        fail(r, path, "\"hex\" and \"value\" differ; remove one or make them agree");
    a->bytes = bytes;
    a->size_b = t->size_b;
}

static void read_args(struct reader *r, json_t *list, const char *path, struct manifest_launch *l) {
    l->nargs = (u32)json_array_size(list);
    l->args = ARENA_ARRAY(&r->m->arena, struct manifest_arg, l->nargs);
    for (u32 i = 0; i < l->nargs && !diag_full(r->d); i++) {
        json_t *o = json_array_get(list, i);
        const char *arg_path = arena_printf(&r->m->arena, "%s.args[%u]", path, i);
        l->args[i].buffer = l->args[i].texture = -1;
        if (json_object_get(o, "buf")) read_pointer(r, o, arg_path, &l->args[i]);
        else if (json_object_get(o, "texture")) read_handle(r, o, arg_path, &l->args[i]);
        else read_scalar(r, o, arg_path, &l->args[i]);
    }
}

/* A key with one legal word: whether it is there */
static bool read_word(struct reader *r, json_t *o, const char *path, const char *key, const char *word) {
    const char *v = json_string_value(json_object_get(o, key));
    if (v && strcmp(v, word) != 0) fail(r, path, "\"%s\" must be \"%s\", or be left out", key, word);
    return v != NULL;
}

static void read_launch(struct reader *r, json_t *o, u32 i) {
    const char *path = arena_printf(&r->m->arena, "launches[%u]", i);
    struct manifest_launch *l = &r->m->launches[i];
    if (!object_check(r, o, path, launch_keys, ARRAY_LEN(launch_keys))) return;
    l->kernel = get_string(r, o, "kernel");
    read_dim(r, o, path, "grid", 2147483647u, l->grid);
    read_dim(r, o, path, "block", 1024, l->block);
    u64 shared = get_count(o, "dynamic_smem", 0), registers = get_count(o, "registers", 0);
    if (shared > 1u << 30) fail(r, path, "\"dynamic_smem\" must be at most %u bytes", 1u << 30);
    if (registers > 255) fail(r, path, "\"registers\" must be 0 to 255");
    l->dynamic_shared_b = (u32)shared;
    l->registers = (u32)registers;
    l->local_free = read_word(r, o, path, "local", "free");
    l->uniform_barriers = read_word(r, o, path, "barriers", "uniform");
    read_args(r, json_object_get(o, "args"), path, l);
}

static void read_launches(struct reader *r, json_t *list) {
    u32 n = list_size(r, list, "launches", LIMIT_LAUNCHES);
    r->m->launches = ARENA_ARRAY(&r->m->arena, struct manifest_launch, n);
    r->m->nlaunches = n;
    if (!json_array_size(list)) fail(r, "launches", "is empty; give at least one launch");
    for (u32 i = 0; i < n && !diag_full(r->d); i++) read_launch(r, json_array_get(list, i), i);
}

/* --- what must come out */

static bool read_expected_hash(json_t *o, struct manifest_expect *e) {
    e->origin = "silicon";
    if (get_hash(o, "silicon_fnv1a64", &e->hash)) return true;
    e->origin = "reference";
    return get_hash(o, "reference_fnv1a64", &e->hash);
}

static bool read_expected_sums(json_t *o, struct manifest_expect *e) {
    bool silicon = json_object_get(o, "silicon_sum") && json_object_get(o, "silicon_abs_sum");
    e->origin = silicon ? "silicon" : "reference";
    e->sum = get_number(o, silicon ? "silicon_sum" : "reference_sum");
    e->abs_sum = get_number(o, silicon ? "silicon_abs_sum" : "reference_abs_sum");
    return silicon || (json_object_get(o, "reference_sum") && json_object_get(o, "reference_abs_sum"));
}

static bool any_checked(const struct manifest *m) {
    for (u32 i = 0; i < m->nbuffers; i++)
        if (m->buffers[i].check) return true;
    return false;
}

static void read_expect(struct reader *r, json_t *o) {
    static const char *const modes[] = {
        [EXPECT_BITS] = "bits", [EXPECT_TOLERANCE] = "tolerance", [EXPECT_REFERENCE] = "reference"};
    struct manifest_expect *e = &r->m->expect;
    if (!object_check(r, o, "expect", expect_keys, ARRAY_LEN(expect_keys))) return;
    const char *mode = json_string_value(json_object_get(o, "mode"));
    for (u32 i = EXPECT_BITS; i < ARRAY_LEN(modes); i++)
        if (strcmp(mode, modes[i]) == 0) e->mode = (enum expect_mode)i;
    e->tolerance = get_number(o, "tolerance");
    if (e->mode == EXPECT_NONE) fail(r, "expect", "unknown mode \"%s\"; legal modes are bits, tolerance, reference", mode);
    if (e->tolerance < 0 || (e->mode == EXPECT_TOLERANCE && e->tolerance == 0))
        fail(r, "expect", "\"tolerance\" must be positive");
    /* a mode without figures says how to compare once there are some: nothing is expected yet */
    bool known = e->mode == EXPECT_BITS ? read_expected_hash(o, e) : e->mode != EXPECT_TOLERANCE || read_expected_sums(o, e);
    if (!known) e->mode = EXPECT_NONE;
    if (!any_checked(r->m)) fail(r, "expect", "nothing to compare: no buffer has \"check\": true");
}

/* --- the whole */

static char *stem(struct arena *a, const char *path) {
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const char *dot = strrchr(base, '.');
    return arena_strdup(a, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static const char *folder(struct arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? arena_strdup(a, path, (size_t)(slash - path) + 1) : "";
}

static void read_top(struct reader *r, json_t *root) {
    struct manifest *m = r->m;
    if (!object_check(r, root, "", top_keys, ARRAY_LEN(top_keys))) return;
    const char *name = get_string(r, root, "name");
    char *shown = name ? arena_strdup(&m->arena, name, strlen(name)) : stem(&m->arena, m->file);
    text_make_safe(shown);
    m->name = shown;
    const char *ptx = get_string(r, root, "ptx");
    m->program = get_string(r, root, "program");
    m->program_key = ptx ? "ptx" : "program";
    if (m->program && ptx) fail(r, "", "keys \"program\" and \"ptx\" mean the same; leave one of them out");
    if (!m->program) m->program = ptx;
    read_buffers(r, json_object_get(root, "buffers"));
    read_textures(r, json_object_get(root, "textures"));
    read_launches(r, json_object_get(root, "launches"));
    json_t *expect = json_object_get(root, "expect");
    if (expect) read_expect(r, expect);
}

struct manifest *manifest_parse(const char *file, const char *text, size_t len, struct diag *d) {
    json_error_t err;
    if (!diag_limit(d, file, LIMIT_MANIFEST, len)) return NULL;
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &err);
    if (!root) {
        diag_error(d, file, err.line > 0 ? (u32)err.line : 1, err.column > 0 ? (u32)err.column : 1, "%s", err.text);
        return NULL;
    }
    struct manifest *m = base_alloc(sizeof(*m));
    m->file = arena_strdup(&m->arena, file, strlen(file));
    m->dir = folder(&m->arena, file);
    struct reader r = {m, d, 0, json_object()};
    read_top(&r, root);
    json_decref(r.places);
    json_decref(root);
    if (r.failures == 0) return m;
    manifest_free(m);
    return NULL;
}

struct manifest *manifest_of_program(const char *program, const char *kernel, u32 cores, u32 threads) {
    struct manifest *m = base_alloc(sizeof(*m));
    const char *slash = strrchr(program, '/');
    m->file = m->program = arena_strdup(&m->arena, program, strlen(program));
    m->dir = folder(&m->arena, program);
    m->name = arena_strdup(&m->arena, slash ? slash + 1 : program, strlen(slash ? slash + 1 : program));
    m->nlaunches = 1;
    m->launches = ARENA_NEW(&m->arena, struct manifest_launch);
    *m->launches = (struct manifest_launch){.kernel = kernel, .grid = {cores, 1, 1}, .block = {threads, 1, 1}};
    return m;
}

struct manifest *manifest_load(const char *path, struct diag *d) {
    size_t len;
    struct strbuf why = {0};
    char *text = limit_read_file(path, LIMIT_MANIFEST, &len, &why);
    if (!text) diag_error(d, path, 0, 0, "cannot read: %s", why.s);
    struct manifest *m = text ? manifest_parse(path, text, len, d) : NULL;
    strbuf_free(&why);
    free(text);
    return m;
}

void manifest_free(struct manifest *m) {
    if (!m) return;
    free(m->image);
    arena_free(&m->arena);
    free(m);
}

char *manifest_path(const struct manifest *m, const char *path) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s%s", path[0] == '/' ? "" : m->dir, path);
    return s.s;
}

char *manifest_program_path(const struct manifest *m, struct diag *d) {
    if (!m->program) {
        diag_error(d, m->file, 0, 0, "key \"program\" is missing; add it, or name the program: heddle run FILE --manifest %s",
                   m->file);
        return NULL;
    }
    char *here = manifest_path(m, m->program);
    if (access(here, R_OK) == 0) return here;
    struct strbuf above = {0};
    strbuf_add(&above, "%s../%s", m->dir, m->program);
    if (m->program[0] != '/' && access(above.s, R_OK) == 0) {
        free(here);
        return above.s;
    }
    if (m->program[0] == '/') diag_error(d, m->file, 0, 0, "%s: cannot read %s", m->program_key, here);
    else diag_error(d, m->file, 0, 0, "%s: cannot read %s, nor %s", m->program_key, here, above.s);
    free(here);
    strbuf_free(&above);
    return NULL;
}

i32 manifest_find_buffer(const struct manifest *m, const char *name, const char *what, struct diag *d) {
    char *end;
    unsigned long id = strtoul(name, &end, 10);
    i32 i = buffer_index(m, name);
    if (i >= 0) return i;
    if (*name >= '0' && *name <= '9' && !*end && id < m->nbuffers) return (i32)id;
    struct strbuf all = {0};
    for (u32 k = 0; k < m->nbuffers; k++) strbuf_add(&all, "%s%s (%u)", k ? ", " : "", m->buffers[k].name, k);
    diag_error(d, NULL, 0, 0, "%s: %s has no buffer \"%s\"; it has %s", what, m->file, name, all.s ? all.s : "none");
    strbuf_free(&all);
    return -1;
}

u64 manifest_bytes(const struct manifest *m) {
    u64 sum = 0;
    for (u32 i = 0; i < m->nbuffers; i++) sum += m->buffers[i].bytes;
    return sum;
}
