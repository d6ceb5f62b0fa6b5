/* Textures, samplers and surfaces of a context: descriptions in words to entries of the table that handles
 * name.
 *
 * A1 a description is checked whole before the table changes A2 an entry that was freed keeps its place; its
 * handle names nothing until the place is used again */
#include "api/api.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct draft { /* a description being read */
    struct tex_object *o;
    const char *value;
    char why[128]; /* what is wrong with the value; "" when nothing is */
};

/* --- values */

static void objection(struct draft *d, const char *legal) { snprintf(d->why, sizeof(d->why), "expected %s", legal); }

static u64 count_of(struct draft *d) {
    char *end;
    errno = 0;
    unsigned long long x = strtoull(d->value, &end, 10);
    if (!*d->value || *d->value == '-' || *end || errno || x > UINT32_MAX) objection(d, "an integer that is not negative");
    return x;
}

static float number_of(struct draft *d, const char *text, char **end) {
    float x = strtof(text, end);
    if (*end == text) objection(d, "a number");
    return x;
}

static float number(struct draft *d) {
    char *end;
    float x = number_of(d, d->value, &end);
    if (*end) objection(d, "a number");
    return x;
}

static bool truth(struct draft *d) {
    if (strcmp(d->value, "true") == 0 || strcmp(d->value, "1") == 0) return true;
    if (strcmp(d->value, "false") != 0 && strcmp(d->value, "0") != 0) objection(d, "true or false");
    return false;
}

static bool one_of_two(struct draft *d, const char *yes, const char *no) {
    if (strcmp(d->value, yes) == 0) return true;
    if (strcmp(d->value, no) != 0) snprintf(d->why, sizeof(d->why), "expected %s or %s", yes, no);
    return false;
}

/* --- keys */

static void set_geometry(struct draft *d) {
    for (u8 i = 0; i < TEX_GEOMETRY_COUNT; i++)
        if (strcmp(tex_geometries[i].name, d->value) == 0) {
            d->o->image.geometry = i;
            return;
        }
    objection(d, "one of 1d 2d 3d a1d a2d cube acube");
}

/* unorm8x4: the format of a channel, and how many */
static void set_format(struct draft *d) {
    size_t n = strcspn(d->value, "x");
    const char *count = d->value[n] ? d->value + n + 1 : "1";
    for (u8 i = 0; i < TEX_FORMAT_COUNT; i++) {
        if (strlen(tex_formats[i].name) != n || strncmp(tex_formats[i].name, d->value, n) != 0) continue;
        d->o->image.format = i;
        d->o->image.channels = (u8)(strcmp(count, "1") == 0 ? 1 : strcmp(count, "2") == 0 ? 2 : strcmp(count, "4") == 0 ? 4 : 0);
        if (d->o->image.channels) return;
    }
    objection(d, "u8 u16 u32 s8 s16 s32 f16 f32 unorm8 unorm16 snorm8 or snorm16, with x1, x2 or x4");
}

static void set_width(struct draft *d) { d->o->image.width = (u32)count_of(d); }
static void set_height(struct draft *d) { d->o->image.height = (u32)count_of(d); }
static void set_depth(struct draft *d) { d->o->image.depth = (u32)count_of(d); }
static void set_layers(struct draft *d) { d->o->image.layers = (u32)count_of(d); }
static void set_levels(struct draft *d) { d->o->image.levels = (u32)count_of(d); }
static void set_row_b(struct draft *d) { d->o->image.row_b = count_of(d); }
static void set_slice_b(struct draft *d) { d->o->image.slice_b = count_of(d); }
static void set_memory(struct draft *d) { d->o->image.fetched = one_of_two(d, "linear", "array"); }

/* wrap/clamp/border: an axis each; one stands for all */
static void set_address(struct draft *d) {
    const char *p = d->value;
    u32 n = 0;
    for (; n < 3; n++) {
        size_t len = strcspn(p, "/");
        u8 i = 0;
        while (i < TEX_ADDRESS_COUNT && (strlen(tex_addresses[i].name) != len || strncmp(tex_addresses[i].name, p, len) != 0))
            i++;
        if (i == TEX_ADDRESS_COUNT) break;
        for (u32 k = n; k < 3; k++) d->o->sampler.address[k] = i;
        p += len;
        if (!*p) return;
        p++;
    }
    objection(d, "wrap, mirror, clamp or border, for all axes or for each, as in wrap/clamp");
}

static void set_filter(struct draft *d) { d->o->sampler.linear = one_of_two(d, "linear", "nearest"); }
static void set_mip(struct draft *d) { d->o->sampler.mip_linear = one_of_two(d, "linear", "nearest"); }
static void set_normalized(struct draft *d) { d->o->sampler.normalized = truth(d); }
static void set_bias(struct draft *d) { d->o->sampler.bias = number(d); }
static void set_min_level(struct draft *d) { d->o->sampler.min_level = number(d); }
static void set_max_level(struct draft *d) { d->o->sampler.max_level = number(d); }

static void set_border(struct draft *d) {
    const char *p = d->value;
    for (u32 i = 0; i < 4; i++) {
        char *end;
        d->o->sampler.border[i] = number_of(d, p, &end);
        if (*d->why || !*end) return;
        if (*end != '/') break;
        p = end + 1;
    }
    objection(d, "up to four numbers, as in 0/0/0/1");
}

static const struct {
    const char *name;
    void (*set)(struct draft *d);
    bool of_image;
    const char *doc;
} keys[] = {
    {"geometry", set_geometry, true, "1d 2d 3d a1d a2d cube acube, as in the instructions; default 2d"},
    {"format", set_format, true,
     "channels of a texel: u8 u16 u32 s8 s16 s32 read as integers, unorm8 unorm16 snorm8 snorm16 as fractions, f16 f32; with x1 "
     "x2 x4; default f32x4"},
    {"width", set_width, true, "texels in a row; default 1"},
    {"height", set_height, true, "rows; default 1"},
    {"depth", set_depth, true, "slices of 3d; default 1"},
    {"layers", set_layers, true, "layers of a1d and a2d, cubes of acube; default 1"},
    {"levels", set_levels, true, "mip levels, one after the other in memory; default 1"},
    {"row_b", set_row_b, true, "bytes from row to row of level 0; default: rows lie close together"},
    {"slice_b", set_slice_b, true, "bytes from slice to slice of level 0; default: slices lie close together"},
    {"memory", set_memory, true, "array, or linear: 1d, read by integer coordinates, zero outside; default array"},
    {"address", set_address, false,
     "wrap mirror clamp border: outside of the texture, one for all axes or wrap/clamp/border; default clamp"},
    {"filter", set_filter, false, "nearest or linear; default nearest"},
    {"mip", set_mip, false, "between levels: nearest or linear; default nearest"},
    {"normalized", set_normalized, false, "true: coordinates from 0 to 1; default false, for a sampler by itself true"},
    {"bias", set_bias, false, "added to the level of detail; default 0"},
    {"min_level", set_min_level, false, "least level of detail; default 0"},
    {"max_level", set_max_level, false, "greatest level of detail; default all"},
    {"border", set_border, false, "colour outside under border, as in 0/0/0/1; default 0"},
};

uint32_t heddle_texture_keys(void) { return ARRAY_LEN(keys); }
const char *heddle_texture_key_name(uint32_t i) { return i < ARRAY_LEN(keys) ? keys[i].name : NULL; }
const char *heddle_texture_key_doc(uint32_t i) { return i < ARRAY_LEN(keys) ? keys[i].doc : NULL; }

/* --- descriptions */

static int fail_unknown_key(struct heddle *h, const char *key) {
    const char *names[ARRAY_LEN(keys)];
    for (u32 i = 0; i < ARRAY_LEN(keys); i++) names[i] = keys[i].name;
    const char *near = text_nearest(key, names, ARRAY_LEN(keys));
    if (near) return api_fail(h, HEDDLE_BAD_INPUT, "a texture has no key \"%s\"; did you mean \"%s\"?\n", key, near);
    return api_fail(h, HEDDLE_BAD_INPUT, "a texture has no key \"%s\"; \"heddle list textures\" names them\n", key);
}

static int set_key(struct heddle *h, struct tex_object *o, const char *key, const char *value) {
    struct draft d = {.o = o, .value = value};
    u32 i = 0;
    while (i < ARRAY_LEN(keys) && strcmp(keys[i].name, key) != 0) i++;
    if (i == ARRAY_LEN(keys)) return fail_unknown_key(h, key);
    if (keys[i].of_image && o->kind == TEX_OBJECT_SAMPLER)
        return api_fail(h, HEDDLE_BAD_INPUT, "\"%s\" is a texture's, not a sampler's\n", key);
    keys[i].set(&d);
    return *d.why ? api_fail(h, HEDDLE_BAD_INPUT, "%s = \"%s\": %s\n", key, value, d.why) : HEDDLE_OK;
}

static int check_sampler(struct heddle *h, const struct tex_object *o) {
    enum tex_kind kind = (enum tex_kind)tex_formats[o->image.format].kind;
    bool integer = kind == TEX_UINT || kind == TEX_SINT;
    if (o->kind != TEX_OBJECT_TEXTURE) return HEDDLE_OK;
    if (integer && (o->sampler.linear || o->sampler.mip_linear))
        return api_fail(h, HEDDLE_BAD_INPUT,
                        "format %s is of integers, which cannot be filtered: use unorm, snorm or floats, or filter = nearest\n",
                        tex_formats[o->image.format].name);
    if (o->image.fetched && (o->image.geometry != TEX_1d || o->image.levels > 1))
        return api_fail(h, HEDDLE_BAD_INPUT, "linear memory is 1d, of one level\n");
    return HEDDLE_OK;
}

/* Everything but the memory */
static int describe(struct heddle *h, enum tex_object_kind kind, const struct heddle_texture *t, struct tex_object *o) {
    if (kind < TEX_OBJECT_TEXTURE || kind > TEX_OBJECT_SURFACE)
        return api_fail(h, HEDDLE_BAD_INPUT, "there is no such kind of texture\n");
    if (t->nkeys > ARRAY_LEN(t->keys))
        return api_fail(h, HEDDLE_BAD_INPUT, "a texture has at most %zu keys\n", ARRAY_LEN(t->keys));
    for (u32 i = 0; i < t->nkeys; i++) {
        int status = set_key(h, o, t->keys[i].key, t->keys[i].value);
        if (status) return status;
    }
    o->kind = (u8)kind;
    o->image.base = t->address;
    if (tex_geometries[o->image.geometry].faces == 6 && o->image.height == 1) o->image.height = o->image.width;
    const char *why = kind == TEX_OBJECT_SAMPLER ? NULL : tex_image_objection(&o->image);
    if (why) return api_fail(h, HEDDLE_BAD_INPUT, "%s\n", why);
    if (kind == TEX_OBJECT_SURFACE && (tex_geometries[o->image.geometry].faces == 6 || o->image.levels > 1))
        return api_fail(h, HEDDLE_BAD_INPUT, "a surface is 1d, 2d, 3d, a1d or a2d, of one level\n");
    return check_sampler(h, o);
}

static int check_memory(struct heddle *h, const struct tex_object *o) {
    u64 bytes = tex_image_bytes(&o->image);
    if (o->kind == TEX_OBJECT_SAMPLER || memory_host(&h->mem, o->image.base, bytes)) return HEDDLE_OK;
    return api_fail(h, HEDDLE_BAD_INPUT, "the texels take %llu bytes from address 0x%llx, which do not lie in one allocation\n",
                    (unsigned long long)bytes, (unsigned long long)o->image.base);
}

int heddle_texture_bytes(struct heddle *h, const struct heddle_texture *t, uint64_t *bytes) {
    struct tex_object o = tex_object_new(TEX_OBJECT_TEXTURE);
    int status = describe(h, TEX_OBJECT_TEXTURE, t, &o);
    *bytes = status ? 0 : tex_image_bytes(&o.image);
    return status;
}

/* --- the table */

int heddle_texture_new(struct heddle *h, enum heddle_texture_kind kind, const struct heddle_texture *t, uint64_t *handle) {
    struct tex_object o = tex_object_new((enum tex_object_kind)kind);
    int status = describe(h, (enum tex_object_kind)kind, t, &o);
    if (!status) status = check_memory(h, &o);
    if (status) return status;
    *handle = tex_handle(tex_add(&h->textures, &o));
    return HEDDLE_OK;
}

int heddle_texture_free(struct heddle *h, uint64_t handle) {
    struct tex_object *o = tex_find(&h->textures, handle);
    if (!o || o->name)
        return api_fail(h, HEDDLE_BAD_INPUT, "0x%llx is no handle that was given out\n", (unsigned long long)handle);
    *o = (struct tex_object){0};
    return HEDDLE_OK;
}

/* --- references of modules */

int texture_bind(struct heddle *h, u64 handle, const struct heddle_texture *t) {
    struct tex_object *bound = tex_find(&h->textures, handle), o;
    if (!bound) return api_fail(h, HEDDLE_BAD_INPUT, "it is no texture, sampler or surface reference\n");
    o = tex_object_new((enum tex_object_kind)bound->kind);
    o.name = bound->name;
    o.sampler = o.declared = bound->declared;
    int status = describe(h, (enum tex_object_kind)bound->kind, t, &o);
    if (!status) status = check_memory(h, &o);
    if (!status) *bound = o;
    return status;
}
