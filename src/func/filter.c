/* Texture reads: from coordinates to the texels that take part and their weights, and from texels to a
 * result.
 *
 * Coordinates are fixed point: 21 bits after the point for normalized ones, before they are multiplied with
 * the size. Weights have 8 bits after the point, as CUDA's documentation says; how they are rounded, that the
 * weights of two and three dimensions are products of 8 bits again, and the arithmetic of sums is what an
 * H200 was seen to do (tests/data/ptxvec_tex): floats are aligned to the largest texel with four bits more
 * than they have, cut, multiplied with their weights, summed and rounded half away from zero; fractions are
 * summed as integers of 16 bits.
 * Not modelled: anisotropic filters, depth comparison. */
#include "func/lanes.h"
#include "func/texture.h"

#include <math.h>
#include <string.h>

enum { COORD_BITS = 21, HALF_TEXEL = 1 << (COORD_BITS - 1), WEIGHT_SHIFT = COORD_BITS - 8 };

/* --- one axis */

/* Fixed point; what is not a number is zero, and far away is far away */
static i64 to_fixed(float x) {
    const float most = 0x1p28f;
    if (x != x) return 0;
    if (x > most) x = most;
    if (x < -most) x = -most;
    return (i64)floor((double)x * (1 << COORD_BITS));
}

/* Far out a product may not fit; texels beyond any size are as far away */
static i64 scaled(i64 x, u32 size) {
    const i64 most = INT64_MAX / 4;
    __int128 p = (__int128)x * size;
    return p > most ? most : p < -most ? -most : (i64)p;
}

static i64 position(const struct tex_sampler *s, const struct tex_where *at, u32 axis, u32 size) {
    const i64 one = 1ll << COORD_BITS;
    i64 offset = at->offset[axis] * one;
    if (at->on_face) return at->face[axis] * size;
    if (!at->is_float) return (i32)at->c[axis] * one + offset;
    i64 x = to_fixed(bits_float(at->c[axis]));
    return (s->normalized ? scaled(x, size) : x) + offset;
}

/* The texel a coordinate leads to, or NONE for the border */
static i64 addressed(enum tex_address mode, i64 i, i64 n) {
    if (i >= 0 && i < n) return i;
    i64 two = 2 * n, w;
    switch (mode) {
    case TEX_wrap: return (i % n + n) % n;
    case TEX_mirror: w = (i % two + two) % two; return w < n ? w : two - 1 - w;
    case TEX_clamp: return i < 0 ? 0 : n - 1;
    default: return NONE;
    }
}

struct axis {
    i64 at[2];  /* texels, or NONE */
    u32 weight; /* of the second one, 0 to 255 */
    u32 n;      /* 1 or 2 */
};

/* kept: a coordinate that is clamped stays what it was, for all four texels around it are asked for */
static struct axis axis_of(const struct tex_sampler *s, const struct tex_where *at, u32 axis, u32 size, bool kept) {
    enum tex_address mode = (enum tex_address)s->address[axis];
    i64 p = position(s, at, axis, size);
    if (!s->normalized && (mode == TEX_wrap || mode == TEX_mirror)) mode = TEX_clamp;
    if (!at->is_float && !at->clamped) return (struct axis){.at = {addressed(TEX_border, p >> COORD_BITS, size)}, .n = 1};
    if (!s->linear || !at->is_float) return (struct axis){.at = {addressed(mode, p >> COORD_BITS, size)}, .n = 1};
    i64 k = (p - HALF_TEXEL + (1 << (WEIGHT_SHIFT - 1))) >> WEIGHT_SHIFT;
    if (mode == TEX_clamp && !kept) k = k < 0 ? 0 : MIN(k, ((i64)size - 1) << 8);
    return (struct axis){
        .at = {addressed(mode, k >> 8, size), addressed(mode, (k >> 8) + 1, size)}, .weight = (u32)(k & 255), .n = 2};
}

/* --- weights: the part of `whole` that goes to the second of two, and the rest */

static u32 share(u32 whole, u32 weight) { return (whole * weight + 128) >> 8; }

/* [y][x] */
static void share_square(u32 whole, u32 a, u32 b, u32 w[4]) {
    u32 x1 = share(whole, a), x0 = whole - x1;
    w[3] = share(x1, b);
    w[1] = x1 - w[3];
    w[0] = share(x0, 256 - b);
    w[2] = x0 - w[0];
}

static void tap_add(struct tex_taps *t, const struct tex_image *m, u32 level, i64 slice, i64 y, i64 x, u32 weight, u32 part) {
    if (!weight) return;
    struct tex_tap *p = &t->tap[t->n++];
    *p = (struct tex_tap){.weight = (u16)weight, .part = (u8)part, .border = slice < 0 || y < 0 || x < 0};
    if (!p->border) p->addr = tex_texel_at(m, level, (u32)slice, (u32)y, (u32)x);
}

static void taps_of_slice(struct tex_taps *t, const struct tex_image *m, u32 level, i64 slice, const struct axis *x,
                          const struct axis *y, u32 whole, u32 part) {
    u32 w[4];
    share_square(whole, x->weight, y->weight, w);
    for (u32 i = 0; i < 4; i++) tap_add(t, m, level, slice, y->at[i >> 1], x->at[i & 1], w[i], part);
}

/* --- cubes */

/* From -1 to 1 to fixed point from 0 to 1 */
static i64 to_fixed_half(float x) {
    if (x != x) return 0;
    return (i64)floor(((double)fmaxf(-1, fminf(x, 1)) * 0.5 + 0.5) * (1 << COORD_BITS));
}

/* As the special function unit gives it: an assembler divides a direction before the texture unit sees it */
static float reciprocal(float x) {
    static const struct opkey rcp = {.op = OP_rcp, .ntypes = 1, .type = {TYPE_f32}};
    struct opkey k = rcp;
    mods_set(&k.mods, MOD_approx);
    struct lane_query q = {.key = &k, .reg_bits = 32, .src_bits = 32, .nsrc = 1};
    struct lane_pick p = lanes_pick(&q);
    _Alignas(64) u32 d[SLAB_LANES], a[SLAB_LANES] = {float_bits(x)};
    p.fn(d, a, a, a, NULL, p.aux);
    return bits_float(d[0]);
}

/* The face a direction leads to, and the point on it, both coordinates from 0 to 1 */
static u32 cube_face(const struct tex_where *at, i64 uv[2]) {
    float x = bits_float(at->c[0]), y = bits_float(at->c[1]), z = bits_float(at->c[2]);
    float r = reciprocal(fmaxf(fmaxf(fabsf(x), fabsf(y)), fabsf(z)));
    x *= r, y *= r, z *= r;
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z), s, t;
    u32 face;
    if (az >= ax && az >= ay) face = z < 0 ? 5 : 4, s = z < 0 ? -x : x, t = -y;
    else if (ay >= ax) face = y < 0 ? 3 : 2, s = x, t = y < 0 ? -z : z;
    else face = x < 0 ? 1 : 0, s = x < 0 ? z : -z, t = -y;
    uv[0] = to_fixed_half(s);
    uv[1] = to_fixed_half(t);
    return face;
}

/* --- reads */

static void sample_level(const struct tex_image *m, const struct tex_sampler *s, const struct tex_where *at, u32 level, u32 whole,
                         u32 part, struct tex_taps *out) {
    const struct tex_geometry_row *g = &tex_geometries[m->geometry];
    struct tex_size size = tex_level_size(m, level);
    struct axis x = axis_of(s, at, 0, size.x, false), y = {.n = 1}, z = {.n = 1};
    if (g->dims > 1) y = axis_of(s, at, 1, size.y, false);
    if (g->dims > 2) z = axis_of(s, at, 2, size.z, false);
    if (g->dims < 3) z.at[0] = at->layer;
    u32 second = share(whole, z.weight);
    taps_of_slice(out, m, level, z.at[0], &x, &y, whole - second, part);
    if (second) taps_of_slice(out, m, level, z.at[1], &x, &y, second, part + 1);
}

/* A cube is read on one face */
static struct tex_where on_face(const struct tex_where *at, struct tex_sampler *s) {
    struct tex_where w = *at;
    w.layer = at->layer * 6 + cube_face(at, w.face);
    w.on_face = true;
    s->normalized = true;
    return w;
}

static float clampf(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

/* The level of detail in 256ths; level and bias are cut towards zero before they are added */
static u32 level_of(const struct tex_sampler *s, float level, u32 last) {
    float x = level != level ? 0 : clampf(level, -32, 32);
    i32 sum = (i32)(x * 256) + (i32)(clampf(s->bias, -32, 32) * 256);
    i32 low = (i32)(clampf(s->min_level, 0, 64) * 256), high = (i32)(clampf(s->max_level, 0, 64) * 256);
    sum = sum < low ? low : MIN(sum, high);
    return (u32)(sum < 0 ? 0 : MIN(sum, (i32)last * 256));
}

void tex_sample(const struct tex_image *m, const struct tex_sampler *s, const struct tex_where *at, struct tex_taps *out) {
    struct tex_sampler used = *s;
    struct tex_where w = *at;
    out->n = 0;
    if (tex_geometries[m->geometry].faces == 6) w = on_face(at, &used);
    u32 last = m->levels - 1;
    if (at->exact_level) {
        if (at->level < 0 || at->level > (float)last) tap_add(out, m, 0, NONE, 0, 0, TEX_WHOLE, 0); /* no such level */
        else sample_level(m, &used, &w, (u32)at->level, TEX_WHOLE, 0, out);
        return;
    }
    u32 fixed = level_of(s, at->level, last);
    if (!s->mip_linear) {
        sample_level(m, &used, &w, (fixed + 128) >> 8, TEX_WHOLE, 0, out);
        return;
    }
    u32 second = fixed & 255;
    sample_level(m, &used, &w, fixed >> 8, TEX_WHOLE - second, 0, out);
    if (second) sample_level(m, &used, &w, (fixed >> 8) + 1, second, 2, out);
}

void tex_gather(const struct tex_image *m, const struct tex_sampler *s, const struct tex_where *at, struct tex_taps *out) {
    static const u8 order[4] = {2, 3, 1, 0}; /* of [y][x] */
    struct tex_sampler used = *s;
    struct tex_where w = *at;
    out->n = 0;
    used.linear = true;
    if (tex_geometries[m->geometry].faces == 6) w = on_face(at, &used);
    struct tex_size size = tex_level_size(m, 0);
    struct axis x = axis_of(&used, &w, 0, size.x, true), y = axis_of(&used, &w, 1, size.y, true);
    for (u32 i = 0; i < 4; i++) tap_add(out, m, 0, w.layer, y.at[order[i] >> 1], x.at[order[i] & 1], 1, 0);
}

/* --- sums of floats */

struct sum { /* value * 2^exponent */
    __int128 value;
    int exponent;
};

static int exponent_of(float x) { /* x is less than 2^e; of zero: INT32_MIN / 2 */
    int e = INT32_MIN / 2;
    if (x != 0) frexpf(x, &e);
    return e;
}

/* Four texels at most: aligned to the largest, cut to so many bits, multiplied and summed */
static struct sum sum_part(const float *x, const u16 *w, u32 n, int bits) {
    int e = INT32_MIN / 2;
    for (u32 i = 0; i < n; i++) e = MAX(e, exponent_of(x[i]));
    struct sum s = {0, 0};
    if (e == INT32_MIN / 2) return s;
    s.exponent = e - bits - 8;
    for (u32 i = 0; i < n; i++) s.value += (i64)ldexp((double)x[i], bits - e) * w[i];
    return s;
}

static struct sum sum_two(struct sum a, struct sum b) {
    if (!a.value) return b;
    if (!b.value) return a;
    if (a.exponent < b.exponent) {
        struct sum t = a;
        a = b, b = t;
    }
    int up = MIN(a.exponent - b.exponent, 80), down = a.exponent - b.exponent - up;
    a.value *= (__int128)1 << up;
    a.exponent -= up;
    a.value += down > 126 ? (b.value < 0 ? -1 : 0) : b.value >> down;
    return a;
}

/* Half away from zero to so many bits */
static float sum_round(struct sum s, int bits) {
    unsigned __int128 v = s.value < 0 ? -(unsigned __int128)s.value : (unsigned __int128)s.value;
    if (!v) return 0;
    int width = 0;
    while (v >> width) width++;
    int cut = width - bits;
    if (cut > 0) {
        v = (v + ((unsigned __int128)1 << (cut - 1))) >> cut;
        s.exponent += cut;
    }
    double r = ldexp((double)(u64)v, s.exponent);
    if (r < 0x1p-126) r = 0;
    return (float)(s.value < 0 ? -r : r);
}

static float sum_floats(const float *x, const struct tex_taps *t, int bits) {
    struct sum all = {0, 0};
    bool infinite[2] = {false, false};
    bool negative_zeros = true;
    for (u32 i = 0; i < t->n; i++) {
        if (x[i] != x[i]) return bits_float(0x7FFFFFFFu);
        if (isinf(x[i])) infinite[x[i] < 0] = true;
        negative_zeros = negative_zeros && x[i] == 0 && signbit(x[i]);
    }
    if (negative_zeros) return -0.0f;
    if (infinite[0] && infinite[1]) return bits_float(0x7FFFFFFFu);
    if (infinite[0] || infinite[1]) return infinite[1] ? -INFINITY : INFINITY;
    for (u32 i = 0; i < t->n;) {
        u32 n = 0;
        u16 w[TEX_PART_TAPS];
        float y[TEX_PART_TAPS];
        for (u32 part = t->tap[i].part; i < t->n && t->tap[i].part == part; i++, n++) w[n] = t->tap[i].weight, y[n] = x[i];
        all = sum_two(all, sum_part(y, w, n, bits + 4));
    }
    return sum_round(all, bits);
}

/* --- results */

/* Integers take the bits given, as many as a channel has; others are converted as a store converts */
void tex_border(const struct tex_image *m, const struct tex_sampler *s, u8 texel[16]) {
    enum tex_kind kind = (enum tex_kind)tex_formats[m->format].kind;
    u32 bits[4], bytes = tex_formats[m->format].bytes;
    for (u32 c = 0; c < 4; c++) bits[c] = float_bits(s->border[c]);
    if (kind != TEX_UINT && kind != TEX_SINT) tex_encode(m, bits, texel);
    for (u32 c = 0; (kind == TEX_UINT || kind == TEX_SINT) && c < m->channels; c++)
        memcpy(texel + (size_t)c * bytes, &bits[c], bytes);
}

/* A fraction as an integer: the stored one, before an SNORM is clamped */
static i64 raw_channel(const struct tex_image *m, const u8 *p) {
    u32 v = 0, bytes = tex_formats[m->format].bytes;
    memcpy(&v, p, bytes);
    return tex_formats[m->format].kind == TEX_SNORM ? (i32)(v << (32 - 8 * bytes)) >> (32 - 8 * bytes) : (i64)v;
}

/* Weighted integers to 16 bits, half up, and to a float. Signed bytes are widened by a sum of shifts that has
 * three bits below the point. */
static u32 fraction(const struct tex_image *m, i64 sum) {
    i64 v;
    switch (m->format) {
    case TEX_unorm8: v = (sum * 257 + 128) >> 8; break;
    case TEX_snorm8: v = (sum * 8 + (sum * 8 >> 7) + (sum * 8 >> 15) + 4) >> 3; break;
    default: v = (sum + 128) >> 8; break;
    }
    bool is_signed = tex_formats[m->format].kind == TEX_SNORM;
    return float_bits((float)((double)(is_signed ? MAX(v, -32767) : v) / (is_signed ? 32767 : 65535)));
}

static u32 combine_fractions(const struct tex_image *m, const struct tex_taps *t, const u8 *texels, u32 c) {
    i64 sum = 0;
    for (u32 i = 0; i < t->n; i++)
        sum += raw_channel(m, texels + (size_t)16 * i + (size_t)c * tex_formats[m->format].bytes) * t->tap[i].weight;
    return fraction(m, sum);
}

static u32 combine_floats(const struct tex_image *m, const struct tex_taps *t, u32 (*values)[4], u32 c) {
    float x[TEX_MAX_TAPS];
    for (u32 i = 0; i < t->n; i++) x[i] = bits_float(values[i][c]);
    return float_bits(sum_floats(x, t, m->format == TEX_f16 ? 11 : 24));
}

void tex_combine(const struct tex_image *m, const struct tex_sampler *s, const struct tex_taps *taps, const u8 *texels,
                 u32 out[4]) {
    u32 values[TEX_MAX_TAPS][4];
    enum tex_kind kind = (enum tex_kind)tex_formats[m->format].kind;
    for (u32 i = 0; i < taps->n; i++) tex_decode(m, texels + (size_t)16 * i, values[i]);
    memcpy(out, values[0], sizeof(values[0]));
    bool filtered = s->linear || s->mip_linear;
    if (!filtered || kind == TEX_UINT || kind == TEX_SINT) return;
    for (u32 c = 0; c < m->channels; c++)
        out[c] = kind == TEX_FLOAT ? combine_floats(m, taps, values, c) : combine_fractions(m, taps, texels, c);
}

/* --- gradients */

/* The derivative of a cube's direction as one of the point on its face, in faces: the quotient rule, where
 * the axis that was divided by changes too */
static void on_face_gradient(const struct tex_where *at, const float d[3], float out[3]) {
    float x[3] = {bits_float(at->c[0]), bits_float(at->c[1]), bits_float(at->c[2])};
    u32 major = fabsf(x[2]) >= fabsf(x[0]) && fabsf(x[2]) >= fabsf(x[1]) ? 2 : fabsf(x[1]) >= fabsf(x[0]) ? 1 : 0, n = 0;
    float m = fabsf(x[major]), dm = x[major] < 0 ? -d[major] : d[major];
    for (u32 i = 0; i < 3; i++)
        if (i != major) out[n++] = m == 0 ? 0 : 0.5f * (d[i] * m - x[i] * dm) / (m * m);
    out[2] = 0;
}

/* The longer axis of the ellipse that a pixel's circle becomes, in texels; an H200 comes within 0.2 of the
 * level this gives */
float tex_gradient_level(const struct tex_image *m, const struct tex_sampler *s, const struct tex_where *at, const float *dx,
                         const float *dy) {
    bool cube = tex_geometries[m->geometry].faces == 6;
    float size[3] = {1, 1, 1}, a[3] = {dx[0], dx[1], dx[2]}, b[3] = {dy[0], dy[1], dy[2]}, aa = 0, bb = 0, ab = 0;
    if (s->normalized || cube) size[0] = (float)m->width, size[1] = (float)m->height, size[2] = (float)m->depth;
    if (cube) on_face_gradient(at, dx, a), on_face_gradient(at, dy, b);
    for (u32 i = 0; i < tex_geometries[m->geometry].dims; i++) {
        float x = a[i] * size[i], y = b[i] * size[i];
        aa += x * x, bb += y * y, ab += x * y;
    }
    float square = (aa + bb + sqrtf((aa - bb) * (aa - bb) + 4 * ab * ab)) * 0.5f;
    return square > 0 ? 0.5f * log2f(square) : -32;
}
