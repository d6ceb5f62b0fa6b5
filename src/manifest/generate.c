/* Generators: the initial contents of a buffer, computed from its index, a seed and two parameters, so that a
 * manifest of a few lines stands for megabytes and any other program can make the same bytes.
 *
 * Adding one: a function from index to value, a row in generator_table, a line in docs/manifest.md. */
#include "manifest/manifest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX 9007199254740992.0 /* 2^53: integers up to here are exact in p0 and p1 */

u64 generator_hash(u64 seed, u64 i) {
    u64 z = seed * 0xD1342543DE82EF95ull + (i + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

/* --- the generators */

enum { SEED_STEP = 1 << 20 }; /* between the seeds of --seed 0, 1, ...: far more than a manifest's differ by */

static u64 upper(const struct gen_state *s, u64 i) { return generator_hash(s->b->seed, i) >> 32; }
static double unit24(const struct gen_state *s, u64 i) { return (double)(generator_hash(s->b->seed, i) >> 40) * 0x1p-24; }
static double unit53(const struct gen_state *s, u64 i) { return (double)(generator_hash(s->b->seed, i) >> 11) * 0x1p-53; }
static struct gen_value of_int(u64 u) { return (struct gen_value){u, (double)u}; }
static struct gen_value of_float(double f) { return (struct gen_value){0, f}; }

static struct gen_value gen_zero(struct gen_state *s, u64 i) {
    (void)s, (void)i;
    return of_int(0);
}

static struct gen_value gen_fill(struct gen_state *s, u64 i) {
    (void)i;
    return (struct gen_value){s->b->type->kind == TYPE_FLOAT ? 0 : (u64)(i64)s->b->p0, s->b->p0};
}

static struct gen_value gen_iota(struct gen_state *s, u64 i) {
    (void)s;
    return of_int(i);
}

static struct gen_value gen_hash(struct gen_state *s, u64 i) {
    u64 h = generator_hash(s->b->seed, i);
    return of_int(s->b->type->size_b == 8 ? h : h >> 32);
}

static struct gen_value gen_mod(struct gen_state *s, u64 i) { return of_int(upper(s, i) % (u64)s->b->p0 + (u64)s->b->p1); }

static struct gen_value gen_unit(struct gen_state *s, u64 i) {
    return of_float(s->b->type->size_b == 8 ? unit53(s, i) : unit24(s, i));
}

static struct gen_value gen_range(struct gen_state *s, u64 i) {
    double unit = s->b->type->size_b == 8 ? unit53(s, i) : unit24(s, i);
    return of_float(s->b->p0 + (s->b->p1 - s->b->p0) * unit);
}

static struct gen_value gen_prefix(struct gen_state *s, u64 i) {
    u64 before = s->running;
    s->running += (u64)s->b->p0 + upper(s, i) % (u64)(s->b->p1 - s->b->p0 + 1);
    return of_int(before);
}

static struct gen_value gen_lcgperm(struct gen_state *s, u64 i) {
    return of_int((i * (u64)s->b->p0 + (u64)s->b->p1) & (s->b->count - 1));
}

static struct gen_value gen_ramp(struct gen_state *s, u64 i) { return of_int(i * (u64)s->b->p0 + upper(s, i) % (u64)s->b->p0); }

static struct gen_value gen_diagdom(struct gen_state *s, u64 i) {
    u64 n = (u64)s->b->p0;
    return of_float(unit24(s, i) + (i % n == i / n ? s->b->p0 : 0.0));
}

static struct gen_value gen_twiddle(struct gen_state *s, u64 i) {
    double angle = 2 * M_PI * (double)(i / 2) / s->b->p0;
    return of_float(i & 1 ? -sin(angle) : cos(angle));
}

/* Structure of real data. An octave k is drawn with probability 2^-(k+1); sizes that double from octave to
 * octave give a power law with exponent -2, ranks that halve a popularity of 1 / rank. */

static u32 octave(const struct gen_state *s, u64 i) { return (u32)__builtin_ctzll(upper(s, i) | 1ull << 31); }
static u64 lower(const struct gen_state *s, u64 i) { return generator_hash(s->b->seed, i) & 0xFFFFFFFFu; }

static struct gen_value gen_powerlaw(struct gen_state *s, u64 i) {
    u64 before = s->running, least = (u64)s->b->p0 << octave(s, i);
    s->running += MIN(least + lower(s, i) % least, (u64)s->b->p1);
    return of_int(before);
}

static struct gen_value gen_popular(struct gen_state *s, u64 i) {
    u64 all = (u64)s->b->p0, half = MAX(all >> (octave(s, i) + 1), 1);
    return of_int((generator_hash(s->b->seed + 1, half + lower(s, i) % half) >> 32) % all);
}

static struct gen_value gen_band(struct gen_state *s, u64 i) {
    u64 all = (u64)s->b->p0, width = (u64)s->b->p1, middle = (u64)((unsigned __int128)i * all / s->b->count);
    return of_int((middle + all - width / 2 + upper(s, i) % width) % all);
}

static struct gen_value gen_mesh(struct gen_state *s, u64 i) {
    u64 all = (u64)s->b->p0, width = (u64)s->b->p1;
    u64 far_away = lower(s, i) % 256 == 0 ? 16 : 1;
    u64 at = i % all + upper(s, i) % (width * far_away), middle = width * far_away / 2;
    return of_int(at < middle ? all : at - middle < all ? at - middle : all + 1);
}

static struct gen_value gen_bell(struct gen_state *s, u64 i) {
    u64 h = generator_hash(s->b->seed, i);
    u64 sum = (h & 0xFFFF) + (h >> 16 & 0xFFFF) + (h >> 32 & 0xFFFF) + (h >> 48);
    return of_int((sum * (u64)s->b->p0 >> 18) + (u64)s->b->p1);
}

/* --- what they ask of their parameters */

static bool whole(double x, double low) { return x >= low && x <= EXACT_MAX && x == floor(x); }

static const char *needs_fill(const struct manifest_buffer *b) {
    bool fits = b->type->kind == TYPE_FLOAT || (b->p0 >= -0x1p63 && b->p0 < 0x1p63);
    return fits ? NULL : "p0 between -2^63 and 2^63";
}

static const char *needs_modulus(const struct manifest_buffer *b) {
    return whole(b->p0, 1) && whole(b->p1, 0) ? NULL : "an integer p0 of at least 1 and an integer p1 of at least 0";
}

static const char *needs_size(const struct manifest_buffer *b) { return whole(b->p0, 1) ? NULL : "an integer p0 of at least 1"; }

static const char *needs_bounds(const struct manifest_buffer *b) {
    return whole(b->p0, 0) && whole(b->p1, b->p0) ? NULL : "integers p0 and p1 with 0 <= p0 <= p1";
}

static const char *needs_power_of_two(const struct manifest_buffer *b) {
    if (!whole(b->p0, 0) || !whole(b->p1, 0)) return "integers p0 and p1 of at least 0";
    return (b->count & (b->count - 1)) == 0 ? NULL : "a count that is a power of two";
}

static const char *needs_lengths(const struct manifest_buffer *b) {
    bool ok = whole(b->p0, 1) && whole(b->p1, b->p0) && b->p1 <= 0x1p31;
    return ok ? NULL : "integers p0 and p1 with 1 <= p0 <= p1 <= 2^31";
}

static const char *needs_width(const struct manifest_buffer *b) {
    bool ok = whole(b->p0, 1) && b->p0 <= 0x1p32 && whole(b->p1, 1) && b->p1 <= b->p0;
    return ok ? NULL : "integers p0 and p1 with 1 <= p1 <= p0 <= 2^32";
}

static const char *needs_range(const struct manifest_buffer *b) {
    bool ok = whole(b->p0, 1) && b->p0 <= 0x1p32 && whole(b->p1, 0);
    return ok ? NULL : "an integer p0 from 1 to 2^32 and an integer p1 of at least 0";
}

#define INTS   "u8 s8 u16 s16 u32 s32 u64 s64"
#define FLOATS "f32 f64"
const struct generator generator_table[] = {
    {"zero", INTS " " FLOATS, "0", gen_zero, NULL, false},
    {"fill", INTS " " FLOATS, "p0", gen_fill, needs_fill, false},
    {"iota", INTS " " FLOATS, "i", gen_iota, NULL, false},
    {"hash", INTS, "h for 64-bit types, else the low bits of h >> 32", gen_hash, NULL, true},
    {"mod", INTS " " FLOATS, "(h >> 32) mod p0 + p1", gen_mod, needs_modulus, true},
    {"bytes", "u8 s8", "as mod, one byte each", gen_mod, needs_modulus, true},
    {"unit", FLOATS, "uniform in [0, 1): (h >> 40) * 2^-24 for f32, (h >> 11) * 2^-53 for f64", gen_unit, NULL, true},
    {"range", FLOATS, "p0 + (p1 - p0) * unit, in double, then rounded", gen_range, NULL, true},
    {"prefix", INTS, "sum over j < i of p0 + (h(j) >> 32) mod (p1 - p0 + 1): row pointers", gen_prefix, needs_bounds, false},
    {"lcgperm", INTS, "(i * p0 + p1) mod count: a permutation for odd p0", gen_lcgperm, needs_power_of_two, false},
    {"ramp", INTS, "i * p0 + (h >> 32) mod p0: ascending", gen_ramp, needs_size, true},
    {"diagdom", FLOATS, "24-bit unit, plus p0 on the diagonal of a p0 x p0 matrix", gen_diagdom, needs_size, true},
    {"twiddle", FLOATS, "cos(2 pi k / p0) and -sin(2 pi k / p0) in turn, k = i / 2", gen_twiddle, needs_size, false},
    {"powerlaw", INTS, "as prefix with lengths of p0 to p1 under a power law: row pointers of a web-like graph", gen_powerlaw,
     needs_lengths, false},
    {"popular", INTS, "below p0, a few values often and most seldom: edges of a web-like graph", gen_popular, needs_range, true},
    {"band", INTS, "within p1 / 2 of i * p0 / count, modulo p0: columns of a banded matrix", gen_band, needs_width, true},
    {"mesh", INTS, "within p1 / 2, one in 256 within 8 p1, of i mod p0; p0 or p0 + 1 outside: neighbours of a mesh's cells",
     gen_mesh, needs_width, true},
    {"bell", INTS, "p1 to p0 + p1 - 1, bell-shaped: the sum of four 16-bit parts of h, times p0 / 2^18", gen_bell, needs_range,
     true},
};
const u32 generator_count = ARRAY_LEN(generator_table);

/* --- other data of the same kind */

static bool is_recorded(const struct manifest *m) { return m->expect.mode == EXPECT_BITS || m->expect.mode == EXPECT_TOLERANCE; }

static bool is_drawn(const struct manifest_buffer *b) { return b->generator && b->generator->drawn; }

bool manifest_drawn(const struct manifest *m) {
    for (u32 i = 0; i < m->nbuffers; i++)
        if (is_drawn(&m->buffers[i])) return !is_recorded(m);
    return false;
}

bool manifest_reseed(struct manifest *m, u64 n, struct diag *d) {
    if (is_recorded(m))
        diag_error(d, m->file, 0, 0,
                   "the expected output was recorded for the data that the manifest has; leave out --seed, or its \"expect\"");
    else if (!manifest_drawn(m))
        diag_error(d, m->file, 0, 0, "no buffer has a generator that draws its contents, so --seed changes nothing");
    if (!manifest_drawn(m)) return false;
    for (u32 i = 0; i < m->nbuffers; i++) {
        struct manifest_buffer *b = &m->buffers[i];
        if (!is_drawn(b)) continue;
        b->seed += n * SEED_STEP; /* the same for all: buffers with one seed go on to have one */
        b->has_init_hash = false;
    }
    return true;
}

/* --- storing */

static void store(const struct manifest_type *t, u8 *to, struct gen_value v) {
    float f = (float)v.f;
    if (t->kind != TYPE_FLOAT) memcpy(to, &v.u, t->size_b); /* little-endian: the low bytes */
    else if (t->size_b == 4) memcpy(to, &f, 4);
    else memcpy(to, &v.f, 8);
}

void generator_fill(const struct manifest_buffer *b, void *data) {
    struct gen_state s = {b, 0};
    u8 *to = data;
    for (u64 i = 0; i < b->count; i++, to += b->type->size_b) store(b->type, to, b->generator->element(&s, i));
}

static bool fill_from_file(const struct manifest *m, u32 i, void *data, struct diag *d) {
    const struct manifest_buffer *b = &m->buffers[i];
    char *path = manifest_path(m, b->file);
    size_t len = 0;
    struct strbuf why = {0};
    char *bytes = limit_read_file(path, LIMIT_BUFFER_FILE, &len, &why);
    if (!bytes) diag_error(d, m->file, 0, 0, "buffers[%u]: cannot read %s: %s", i, path, why.s);
    else if (len != b->bytes)
        diag_error(d, m->file, 0, 0, "buffers[%u]: %s holds %zu bytes, but %llu elements of %s are %llu", i, path, len,
                   (unsigned long long)b->count, b->type->name, (unsigned long long)b->bytes);
    else memcpy(data, bytes, len);
    bool ok = bytes && len == b->bytes;
    strbuf_free(&why);
    free(bytes);
    free(path);
    return ok;
}

bool manifest_fill(const struct manifest *m, u32 i, void *data, struct diag *d) {
    const struct manifest_buffer *b = &m->buffers[i];
    if (b->values) memcpy(data, b->values, b->bytes);
    else if (!b->generator && !fill_from_file(m, i, data, d)) return false;
    if (b->generator) generator_fill(b, data);
    if (!b->has_init_hash) return true;
    u64 h = hash_fnv1a64(FNV1A64_START, data, b->bytes);
    if (h != b->init_hash)
        diag_error(d, m->file, 0, 0, "buffers[%u]: the initial contents hash to %016llx, but \"init_fnv1a64\" is %016llx", i,
                   (unsigned long long)h, (unsigned long long)b->init_hash);
    return h == b->init_hash;
}
