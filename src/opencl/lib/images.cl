/* Images and samplers: an image is a pointer to a descriptor in device memory, which the driver writes, a
 * sampler is its bits.
 *
 * In PTX a texel is fetched and converted by the texture unit (tex with integer coordinates, as a volume
 * whatever the image is), and goes through the texture cache; RISC-V programs, which are compiled with this
 * file too, load it (src/riscv/lib/texel.cl). Which texel, and the sum of a linear filter, is computed
 * here: OpenCL rounds a normalized coordinate times the size, where the unit cuts the coordinate to 21 bits
 * first, and its weights have more than the unit's 8 bits. Writes are plain stores: a surface store cuts
 * halves, where OpenCL rounds, and takes the same way to memory. Packed formats, which the unit does not
 * know, are loaded and taken apart. */
#define OVERLOAD __attribute__((overloadable, always_inline))
#define INSIDE   static __attribute__((always_inline))
#ifdef __NVPTX__
#define APART INSIDE
#else
#define APART static __attribute__((noinline)) /* inlined, a read would be hundreds of instructions wherever it stands */
#endif

struct image { /* struct image_descriptor of image.c; in 32 bits of src/riscv/descriptor.c */
    __global uchar *data;
    size_t texture; /* handle, or 0 for formats that the texture unit does not know; RISC-V: 1 or 0 */
    uint width, height, depth; /* of an array: its size in the last one it has */
    uint row_b, slice_b;
    uint order, type, element_b;
    uint dims, array_size;
};

enum { TYPE_SNORM8 = 0x10D0, TYPE_SNORM16, TYPE_UNORM8, TYPE_UNORM16, TYPE_565, TYPE_555, TYPE_101010, TYPE_S8, TYPE_S16, TYPE_S32,
       TYPE_U8, TYPE_U16, TYPE_U32, TYPE_HALF, TYPE_FLOAT };
enum { ORDER_R = 0x10B0, ORDER_A, ORDER_RG, ORDER_RA, ORDER_RGB, ORDER_RGBA, ORDER_BGRA, ORDER_ARGB, ORDER_INTENSITY, ORDER_LUMINANCE };

/* What casts.cl makes of the language's opaque types */
#define CASTS(type)                                                                                                              \
    const __global struct image *__attribute__((overloadable)) heddle_image(read_only type im);                                  \
    const __global struct image *__attribute__((overloadable)) heddle_image(write_only type im);
CASTS(image1d_t) CASTS(image1d_array_t) CASTS(image1d_buffer_t) CASTS(image2d_t) CASTS(image2d_array_t) CASTS(image3d_t)
uint heddle_sampler(sampler_t s);

/* An image and a sampler are the same for all work-items that read together, and so is what is derived from
 * them: src/riscv/place.c reads this comment in the assembly, and lets lanes not part there */
INSIDE uint alike(uint x) {
#ifdef __riscv
    if (!__builtin_constant_p(x)) __asm__("# heddle uniform %0" : "+r"(x));
#endif
    return x;
}

/* --- one texel */

INSIDE uint channels(uint order) {
    switch (alike(order)) {
    case ORDER_R: case ORDER_A: case ORDER_INTENSITY: case ORDER_LUMINANCE: return 1;
    case ORDER_RG: case ORDER_RA: return 2;
    case ORDER_RGB: return 3;
    default: return 4;
    }
}

/* Channels as they lie in memory to red, green, blue, alpha; one is what a missing alpha reads as */
#define SPREAD(vec, order, v, one)                                                                                               \
    switch (alike(order)) {                                                                                                      \
    case ORDER_R: return (vec)(v.x, 0, 0, one);                                                                                  \
    case ORDER_A: return (vec)(0, 0, 0, v.x);                                                                                    \
    case ORDER_INTENSITY: return (vec)(v.x);                                                                                     \
    case ORDER_LUMINANCE: return (vec)(v.xxx, one);                                                                              \
    case ORDER_RG: return (vec)(v.xy, 0, one);                                                                                   \
    case ORDER_RA: return (vec)(v.x, 0, 0, v.y);                                                                                 \
    case ORDER_RGB: return (vec)(v.xyz, one);                                                                                    \
    case ORDER_BGRA: return v.zyxw;                                                                                              \
    case ORDER_ARGB: return v.yzwx;                                                                                              \
    default: return v;                                                                                                           \
    }

INSIDE float4 packed_f(const __global struct image *im, const __global uchar *p) {
    uint v;
    switch (alike(im->type)) {
    case TYPE_565:
        v = *(const __global ushort *)p;
        return (float4)((v >> 11) / 31.0f, ((v >> 5) & 63) / 63.0f, (v & 31) / 31.0f, 1);
    case TYPE_555:
        v = *(const __global ushort *)p;
        return (float4)(((v >> 10) & 31) / 31.0f, ((v >> 5) & 31) / 31.0f, (v & 31) / 31.0f, 1);
    default:
        v = *(const __global uint *)p;
        return (float4)(((v >> 20) & 1023) / 1023.0f, ((v >> 10) & 1023) / 1023.0f, (v & 1023) / 1023.0f, 1);
    }
}

INSIDE bool inside(const __global struct image *im, int4 c) {
#ifdef __riscv /* one branch and not three: split nests */
    uint in = ((uint)c.x < im->width) & ((uint)c.y < im->height) & ((uint)c.z < im->depth);
    __asm__("" : "+r"(in));
    return in;
#else
    return (uint)c.x < im->width && (uint)c.y < im->height && (uint)c.z < im->depth;
#endif
}

INSIDE const __global uchar *place(const __global struct image *im, int4 c) {
    return im->data + (size_t)c.z * im->slice_b + (size_t)c.y * im->row_b + (size_t)c.x * im->element_b;
}

/* Outside the image: transparent black, opaque where there is no alpha */
INSIDE float4 border_f(const __global struct image *im) {
    uint o = im->order;
    bool opaque = o == ORDER_R || o == ORDER_RG || o == ORDER_RGB || o == ORDER_LUMINANCE;
    return (float4)(0, 0, 0, opaque ? 1.0f : 0.0f);
}
INSIDE int4 border_i(const __global struct image *im) {
    uint o = im->order;
    bool opaque = o == ORDER_R || o == ORDER_RG || o == ORDER_RGB || o == ORDER_LUMINANCE;
    return (int4)(0, 0, 0, opaque);
}

/* Channels as they lie in memory: floats as such, fractions as floats, integers extended */
#ifdef __NVPTX__
INSIDE uint4 fetched(const __global struct image *im, int4 c) {
    uint x, y, z, w;
    __asm__("tex.3d.v4.u32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(im->texture), "r"(c.x), "r"(c.y), "r"(c.z));
    return (uint4)(x, y, z, w);
}
#else
#include "riscv/lib/texel.cl"
#endif
INSIDE float4 spread_f(uint order, float4 v) { SPREAD(float4, order, v, 1.0f) }
INSIDE int4 spread_i(uint order, int4 v) { SPREAD(int4, order, v, 1) }

INSIDE float4 fetch_f(const __global struct image *im, int4 c) {
    if (!inside(im, c)) return border_f(im);
    return alike(im->texture != 0) ? spread_f(im->order, as_float4(fetched(im, c))) : packed_f(im, place(im, c));
}
INSIDE int4 fetch_i(const __global struct image *im, int4 c) {
    return inside(im, c) ? spread_i(im->order, as_int4(fetched(im, c))) : border_i(im);
}

/* --- where a sampler looks. Array indices are rounded and clamped, whatever the sampler says. */

INSIDE int address(uint s, int i, int n) {
    switch (alike(s & 0xE)) {
    case CLK_ADDRESS_CLAMP_TO_EDGE: return clamp(i, 0, n - 1);
    case CLK_ADDRESS_CLAMP: return clamp(i, -1, n);
    case CLK_ADDRESS_REPEAT: return i < 0 ? i + n : i >= n ? i - n : i;
    case CLK_ADDRESS_MIRRORED_REPEAT: return clamp(i, 0, n - 1);
    default: return i;
    }
}

/* A coordinate in texels; repeating ones are brought into the image first */
INSIDE float unnormalised(uint s, float x, int n) {
    if (!alike(s & CLK_NORMALIZED_COORDS_TRUE)) return x;
    if (alike(s & 0xE) == CLK_ADDRESS_REPEAT) x -= floor(x);
    if (alike(s & 0xE) == CLK_ADDRESS_MIRRORED_REPEAT) x = fabs(x - 2.0f * rint(0.5f * x));
    return x * (float)n;
}

INSIDE int nearest_1(uint s, float x, int n) { return address(s, convert_int_sat(floor(unnormalised(s, x, n))), n); }

INSIDE int layer(float x, uint n) { return clamp(convert_int_sat(rint(x)), 0, (int)n - 1); }

INSIDE int4 nearest(const __global struct image *im, uint s, float4 c) {
    uint dims = alike(im->dims), layers = alike(im->array_size);
    int4 at = 0;
    at.x = nearest_1(s, c.x, (int)im->width);
    if (dims > 1) at.y = nearest_1(s, c.y, (int)im->height);
    else if (layers) at.y = layer(c.y, layers);
    if (dims > 2) at.z = nearest_1(s, c.z, (int)im->depth);
    else if (dims == 2 && layers) at.z = layer(c.z, layers);
    return at;
}

struct pair { /* two texels in one direction, and how much of the second */
    int a, b;
    float part;
};
INSIDE struct pair linear_1(uint s, float x, int n) {
    float at = unnormalised(s, x, n) - 0.5f, low = floor(at);
    int i = convert_int_sat(low);
    struct pair p = {address(s, i, n), address(s, i + 1, n), at - low};
    return p;
}

APART float4 corner(const __global struct image *im, int x, int y, int z) { return fetch_f(im, (int4)(x, y, z, 0)); }

APART float4 linear(const __global struct image *im, uint s, float4 c) {
    uint dims = alike(im->dims), layers = alike(im->array_size);
    struct pair x = linear_1(s, c.x, (int)im->width), y = {0, 0, 0.0f}, z = {0, 0, 0.0f};
    if (dims > 1) y = linear_1(s, c.y, (int)im->height);
    else if (layers) y.a = y.b = layer(c.y, layers);
    if (dims > 2) z = linear_1(s, c.z, (int)im->depth);
    else if (dims == 2 && layers) z.a = z.b = layer(c.z, layers);
    float4 v = mix(corner(im, x.a, y.a, z.a), corner(im, x.b, y.a, z.a), x.part);
    if (dims > 1)
        v = mix(v, mix(corner(im, x.a, y.b, z.a), corner(im, x.b, y.b, z.a), x.part), y.part);
    if (dims > 2) {
        float4 w = mix(mix(corner(im, x.a, y.a, z.b), corner(im, x.b, y.a, z.b), x.part),
                       mix(corner(im, x.a, y.b, z.b), corner(im, x.b, y.b, z.b), x.part), y.part);
        v = mix(v, w, z.part);
    }
    return v;
}

INSIDE float4 sample_f(const __global struct image *im, uint s, float4 c) {
    return alike(s & CLK_FILTER_LINEAR) ? linear(im, s, c) : fetch_f(im, nearest(im, s, c));
}
INSIDE int4 sample_i(const __global struct image *im, uint s, float4 c) { return fetch_i(im, nearest(im, s, c)); }
INSIDE int4 whole(const __global struct image *im, uint s, int4 c) {
    uint dims = alike(im->dims), layers = alike(im->array_size);
    int4 at = 0;
    at.x = address(s, c.x, (int)im->width);
    if (dims > 1) at.y = address(s, c.y, (int)im->height);
    else if (layers) at.y = clamp(c.y, 0, (int)layers - 1);
    if (dims > 2) at.z = address(s, c.z, (int)im->depth);
    else if (dims == 2 && layers) at.z = clamp(c.z, 0, (int)layers - 1);
    return at;
}

/* --- writing: channels in memory order */

APART void store_f(uint type, __global uchar *p, uint i, float v) {
    switch (alike(type)) {
    case TYPE_SNORM8: ((__global char *)p)[i] = convert_char_sat_rte(v * 127.0f); break;
    case TYPE_SNORM16: ((__global short *)p)[i] = convert_short_sat_rte(v * 32767.0f); break;
    case TYPE_UNORM8: p[i] = convert_uchar_sat_rte(v * 255.0f); break;
    case TYPE_UNORM16: ((__global ushort *)p)[i] = convert_ushort_sat_rte(v * 65535.0f); break;
    case TYPE_HALF: vstore_half_rte(v, i, (__global half *)p); break;
    default: ((__global float *)p)[i] = v; break;
    }
}

APART void store_i(uint type, __global uchar *p, uint i, int v) {
    switch (alike(type)) {
    case TYPE_S8: ((__global char *)p)[i] = convert_char_sat(v); break;
    case TYPE_S16: ((__global short *)p)[i] = convert_short_sat(v); break;
    default: ((__global int *)p)[i] = v; break;
    }
}
APART void store_ui(uint type, __global uchar *p, uint i, uint v) {
    switch (alike(type)) {
    case TYPE_U8: p[i] = convert_uchar_sat(v); break;
    case TYPE_U16: ((__global ushort *)p)[i] = convert_ushort_sat(v); break;
    default: ((__global uint *)p)[i] = v; break;
    }
}

#define GATHER(order, v)                                                                                                         \
    switch (alike(order)) {                                                                                                      \
    case ORDER_A: v = v.wwww; break;                                                                                             \
    case ORDER_RA: v = v.xwww; break;                                                                                            \
    case ORDER_BGRA: v = v.zyxw; break;                                                                                          \
    case ORDER_ARGB: v = v.wxyz; break;                                                                                          \
    default: break;                                                                                                              \
    }
#define WRITER(name, vec, store)                                                                                                 \
    INSIDE void name(const __global struct image *im, int4 c, vec v) {                                                           \
        if (!inside(im, c)) return;                                                                                              \
        __global uchar *p = (__global uchar *)place(im, c);                                                                      \
        uint type = alike(im->type), n = alike(channels(im->order));                                                             \
        GATHER(im->order, v)                                                                                                     \
        store(type, p, 0, v.x);                                                                                                  \
        if (n > 1) store(type, p, 1, v.y);                                                                                       \
        if (n > 2) store(type, p, 2, v.z);                                                                                       \
        if (n > 3) store(type, p, 3, v.w);                                                                                       \
    }
WRITER(write_f_plain, float4, store_f)
WRITER(write_i, int4, store_i)
WRITER(write_ui, uint4, store_ui)

INSIDE void write_f(const __global struct image *im, int4 c, float4 v) {
    uint type = alike(im->type);
    if (type < TYPE_565 || type > TYPE_101010) {
        write_f_plain(im, c, v);
        return;
    }
    if (!inside(im, c)) return;
    float3 top = type == TYPE_565 ? (float3)(31, 63, 31) : type == TYPE_555 ? (float3)(31) : (float3)(1023);
    uint3 u = convert_uint3_rte(clamp(v.xyz, 0.0f, 1.0f) * top);
    __global uchar *p = (__global uchar *)place(im, c);
    if (type == TYPE_565) *(__global ushort *)p = (ushort)(u.x << 11 | u.y << 5 | u.z);
    else if (type == TYPE_555) *(__global ushort *)p = (ushort)(u.x << 10 | u.y << 5 | u.z);
    else *(__global uint *)p = u.x << 20 | u.y << 10 | u.z;
}

/* --- the functions of the language */

INSIDE float4 OVERLOAD wide(float c) { return (float4)(c, 0, 0, 0); }
INSIDE float4 OVERLOAD wide(float2 c) { return (float4)(c, 0, 0); }
INSIDE float4 OVERLOAD wide(float4 c) { return c; }
INSIDE int4 OVERLOAD wide(int c) { return (int4)(c, 0, 0, 0); }
INSIDE int4 OVERLOAD wide(int2 c) { return (int4)(c, 0, 0); }
INSIDE int4 OVERLOAD wide(int4 c) { return c; }

#define READS(type, fvec, ivec)                                                                                                  \
    float4 OVERLOAD read_imagef(read_only type im, sampler_t s, fvec c) { return sample_f(heddle_image(im), heddle_sampler(s), wide(c)); }            \
    int4 OVERLOAD read_imagei(read_only type im, sampler_t s, fvec c) { return sample_i(heddle_image(im), heddle_sampler(s), wide(c)); }              \
    uint4 OVERLOAD read_imageui(read_only type im, sampler_t s, fvec c) { return as_uint4(sample_i(heddle_image(im), heddle_sampler(s), wide(c))); }  \
    float4 OVERLOAD read_imagef(read_only type im, sampler_t s, ivec c) { const __global struct image *d = heddle_image(im); return fetch_f(d, whole(d, heddle_sampler(s), wide(c))); }  \
    int4 OVERLOAD read_imagei(read_only type im, sampler_t s, ivec c) { const __global struct image *d = heddle_image(im); return fetch_i(d, whole(d, heddle_sampler(s), wide(c))); }    \
    uint4 OVERLOAD read_imageui(read_only type im, sampler_t s, ivec c) { const __global struct image *d = heddle_image(im); return as_uint4(fetch_i(d, whole(d, heddle_sampler(s), wide(c)))); }
#define READS_PLAIN(type, ivec)                                                                                                  \
    float4 OVERLOAD read_imagef(read_only type im, ivec c) { return fetch_f(heddle_image(im), wide(c)); }                        \
    int4 OVERLOAD read_imagei(read_only type im, ivec c) { return fetch_i(heddle_image(im), wide(c)); }                          \
    uint4 OVERLOAD read_imageui(read_only type im, ivec c) { return as_uint4(fetch_i(heddle_image(im), wide(c))); }
#define WRITES(type, ivec)                                                                                                       \
    void OVERLOAD write_imagef(write_only type im, ivec c, float4 v) { write_f(heddle_image(im), wide(c), v); }                  \
    void OVERLOAD write_imagei(write_only type im, ivec c, int4 v) { write_i(heddle_image(im), wide(c), v); }                    \
    void OVERLOAD write_imageui(write_only type im, ivec c, uint4 v) { write_ui(heddle_image(im), wide(c), v); }
#define QUERY(result, name, access, kind, value)                                                                                 \
    result OVERLOAD name(access kind im) { const __global struct image *d = heddle_image(im); return value; }
#define QUERIES(access, kind)                                                                                                    \
    QUERY(int, get_image_width, access, kind, (int)d->width)                                                                     \
    QUERY(int, get_image_channel_data_type, access, kind, (int)d->type)                                                          \
    QUERY(int, get_image_channel_order, access, kind, (int)d->order)
#define QUERIES_ALL(access)                                                                                                      \
    QUERIES(access, image1d_t) QUERIES(access, image1d_array_t) QUERIES(access, image1d_buffer_t) QUERIES(access, image2d_t)     \
    QUERIES(access, image2d_array_t) QUERIES(access, image3d_t)                                                                  \
    QUERY(int, get_image_height, access, image2d_t, (int)d->height)                                                              \
    QUERY(int, get_image_height, access, image2d_array_t, (int)d->height)                                                        \
    QUERY(int, get_image_height, access, image3d_t, (int)d->height)                                                              \
    QUERY(int, get_image_depth, access, image3d_t, (int)d->depth)                                                                \
    QUERY(int2, get_image_dim, access, image2d_t, (int2)((int)d->width, (int)d->height))                                         \
    QUERY(int2, get_image_dim, access, image2d_array_t, (int2)((int)d->width, (int)d->height))                                   \
    QUERY(int4, get_image_dim, access, image3d_t, (int4)((int)d->width, (int)d->height, (int)d->depth, 0))                       \
    QUERY(size_t, get_image_array_size, access, image1d_array_t, d->array_size)                                                  \
    QUERY(size_t, get_image_array_size, access, image2d_array_t, d->array_size)

READS(image1d_t, float, int) READS(image1d_array_t, float2, int2) READS(image2d_t, float2, int2)
READS(image2d_array_t, float4, int4) READS(image3d_t, float4, int4)
READS_PLAIN(image1d_t, int) READS_PLAIN(image1d_buffer_t, int) READS_PLAIN(image1d_array_t, int2) READS_PLAIN(image2d_t, int2)
READS_PLAIN(image2d_array_t, int4) READS_PLAIN(image3d_t, int4)
WRITES(image1d_t, int) WRITES(image1d_buffer_t, int) WRITES(image1d_array_t, int2) WRITES(image2d_t, int2)
WRITES(image2d_array_t, int4) WRITES(image3d_t, int4)
QUERIES_ALL(read_only)
QUERIES_ALL(write_only)
