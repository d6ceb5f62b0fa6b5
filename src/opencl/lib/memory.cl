/* Built-in functions that move memory: what libclc does not have, and what clang's back end or libclc make
 * badly.
 *
 * Half precision in memory goes through the machine's conversion instructions, one for each value and
 * rounding; libclc does it with integer arithmetic. Sixteen bytes at any address are two times eight: see
 * src/opencl/mend.c. An asynchronous copy is a loop of all work items, as libclc has it for the other
 * types. */
#define OVERLOAD __attribute__((overloadable, always_inline))
#define INSIDE   static __attribute__((always_inline))

/* --- half precision in memory */
#define TO_HALF(name, rounding)                                                                                                  \
    INSIDE ushort OVERLOAD half_##name(float x) { ushort h; __asm__("cvt." rounding ".f16.f32 %0, %1;" : "=h"(h) : "f"(x)); return h; }  \
    INSIDE ushort OVERLOAD half_##name(double x) { ushort h; __asm__("cvt." rounding ".f16.f64 %0, %1;" : "=h"(h) : "d"(x)); return h; }
TO_HALF(rte, "rn") TO_HALF(rtz, "rz") TO_HALF(rtp, "rp") TO_HALF(rtn, "rm")
INSIDE float from_half(ushort h) { float x; __asm__("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h)); return x; }

#define EACH2(f, v)  f(v.s0), f(v.s1)
#define EACH3(f, v)  EACH2(f, v), f(v.s2)
#define EACH4(f, v)  EACH3(f, v), f(v.s3)
#define EACH8(f, v)  EACH4(f, v), f(v.s4), f(v.s5), f(v.s6), f(v.s7)
#define EACH16(f, v) EACH8(f, v), f(v.s8), f(v.s9), f(v.sa), f(v.sb), f(v.sc), f(v.sd), f(v.se), f(v.sf)

#define LOAD_HALF(n, space)                                                                                                      \
    float##n OVERLOAD vload_half##n(size_t i, const space half *p) {                                                             \
        ushort##n v = vload##n(i, (const space ushort *)p);                                                                      \
        return (float##n)(EACH##n(from_half, v));                                                                                \
    }
#define LOAD_HALF_ALIGNED(n, space)                                                                                              \
    float##n OVERLOAD vloada_half##n(size_t i, const space half *p) {                                                            \
        ushort##n v = ((const space ushort##n *)p)[i];                                                                           \
        return (float##n)(EACH##n(from_half, v));                                                                                \
    }
#define STORE_HALF(n, space, type, suffix, rounding)                                                                             \
    void OVERLOAD vstore_half##n##suffix(type##n x, size_t i, space half *p) {                                                   \
        vstore##n((ushort##n)(EACH##n(half_##rounding, x)), i, (space ushort *)p);                                               \
    }                                                                                                                            \
    void OVERLOAD vstorea_half##n##suffix(type##n x, size_t i, space half *p) {                                                  \
        ((space ushort##n *)p)[i] = (ushort##n)(EACH##n(half_##rounding, x));                                                    \
    }
#define STORE_ONE(space, type, suffix, rounding)                                                                                 \
    void OVERLOAD vstore_half##suffix(type x, size_t i, space half *p) { ((space ushort *)p)[i] = half_##rounding(x); }
#define STORES(space, type, suffix, rounding)                                                                                    \
    STORE_ONE(space, type, suffix, rounding)                                                                                     \
    STORE_HALF(2, space, type, suffix, rounding) STORE_HALF(3, space, type, suffix, rounding)                                    \
    STORE_HALF(4, space, type, suffix, rounding) STORE_HALF(8, space, type, suffix, rounding)                                    \
    STORE_HALF(16, space, type, suffix, rounding)
#define STORES_ALL(space, type)                                                                                                  \
    STORES(space, type, , rte) STORES(space, type, _rte, rte) STORES(space, type, _rtz, rtz)                                     \
    STORES(space, type, _rtp, rtp) STORES(space, type, _rtn, rtn)
#define LOADS(space)                                                                                                             \
    float OVERLOAD vload_half(size_t i, const space half *p) { return from_half(((const space ushort *)p)[i]); }                 \
    LOAD_HALF(2, space) LOAD_HALF(3, space) LOAD_HALF(4, space) LOAD_HALF(8, space) LOAD_HALF(16, space)                         \
    LOAD_HALF_ALIGNED(2, space) LOAD_HALF_ALIGNED(3, space) LOAD_HALF_ALIGNED(4, space) LOAD_HALF_ALIGNED(8, space)              \
    LOAD_HALF_ALIGNED(16, space)
LOADS(__global) LOADS(__local) LOADS(__constant) LOADS(__private)
STORES_ALL(__global, float) STORES_ALL(__local, float) STORES_ALL(__private, float)
STORES_ALL(__global, double) STORES_ALL(__local, double) STORES_ALL(__private, double)

/* --- three components: one work item after the other takes its share */
#define FOR_ALL(i, n)                                                                                                            \
    size_t all = get_local_size(0) * get_local_size(1) * get_local_size(2);                                                      \
    for (size_t i = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); i < n; i += all)
#define COPY(type, to, from)                                                                                                     \
    event_t OVERLOAD async_work_group_copy(to type *d, const from type *s, size_t n, event_t e) {                                \
        FOR_ALL(i, n) d[i] = s[i];                                                                                               \
        return e;                                                                                                                \
    }
#define COPY3(type)                                                                                                              \
    COPY(type, __local, __global) COPY(type, __global, __local)                                                                  \
    event_t OVERLOAD async_work_group_strided_copy(__local type *d, const __global type *s, size_t n, size_t step, event_t e) {  \
        FOR_ALL(i, n) d[i] = s[i * step];                                                                                        \
        return e;                                                                                                                \
    }                                                                                                                            \
    event_t OVERLOAD async_work_group_strided_copy(__global type *d, const __local type *s, size_t n, size_t step, event_t e) {  \
        FOR_ALL(i, n) d[i * step] = s[i];                                                                                        \
        return e;                                                                                                                \
    }                                                                                                                            \
    void OVERLOAD prefetch(const __global type *p, size_t n) { (void)p, (void)n; }
COPY3(char3) COPY3(uchar3) COPY3(short3) COPY3(ushort3) COPY3(int3) COPY3(uint3) COPY3(long3) COPY3(ulong3) COPY3(float3) COPY3(double3)

/* --- sixteen bytes: last, because declaring one form of vload16 hides the others */
#define VLOAD16(type, space)                                                                                                     \
    type##16 OVERLOAD vload16(size_t i, const space type *p) { return (type##16)(vload8(2 * i, p), vload8(2 * i + 1, p)); }
#define VLOAD16_ALL(type) VLOAD16(type, __global) VLOAD16(type, __local) VLOAD16(type, __constant) VLOAD16(type, __private)
VLOAD16_ALL(char) VLOAD16_ALL(uchar)
