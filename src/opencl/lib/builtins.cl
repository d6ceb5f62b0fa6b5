/* What OpenCL C's built-in functions need that libclc's nvptx build does not have, or has in a form its back
 * end cannot compile.
 *
 * Linked before libclc, so a function that is in both is taken from here. With HEDDLE_OFFSET get_global_id
 * adds the launch's global offset: that variant is compiled only for programs that use one, so that all
 * others keep the instructions they would have had. */
#define OVERLOAD __attribute__((overloadable, always_inline))

/* --- the launch: filled in by the driver before every launch. The declaration becomes a definition when the
 * PTX is made. */
extern __constant uint heddle_launch[4]; /* global offset x, y, z; number of dimensions */

uint OVERLOAD get_work_dim(void) { return heddle_launch[3]; }
size_t OVERLOAD get_global_offset(uint d) { return d < 3 ? heddle_launch[d] : 0; }
/* A dimension the range does not have is one item long; libclc says none */
size_t OVERLOAD get_local_size(uint d) {
    switch (d) {
    case 0: return __nvvm_read_ptx_sreg_ntid_x();
    case 1: return __nvvm_read_ptx_sreg_ntid_y();
    case 2: return __nvvm_read_ptx_sreg_ntid_z();
    default: return 1;
    }
}
size_t OVERLOAD get_num_groups(uint d) {
    switch (d) {
    case 0: return __nvvm_read_ptx_sreg_nctaid_x();
    case 1: return __nvvm_read_ptx_sreg_nctaid_y();
    case 2: return __nvvm_read_ptx_sreg_nctaid_z();
    default: return 1;
    }
}
size_t OVERLOAD get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
#ifdef HEDDLE_OFFSET
size_t OVERLOAD get_global_id(uint d) { return get_global_offset(d) + get_group_id(d) * get_local_size(d) + get_local_id(d); }
#endif

/* --- native functions: the machine's own, as fast and as coarse as they are */
#define VECTORS1(f)                                                                                                              \
    float2 OVERLOAD f(float2 x) { return (float2)(f(x.x), f(x.y)); }                                                             \
    float3 OVERLOAD f(float3 x) { return (float3)(f(x.x), f(x.y), f(x.z)); }                                                     \
    float4 OVERLOAD f(float4 x) { return (float4)(f(x.lo), f(x.hi)); }                                                           \
    float8 OVERLOAD f(float8 x) { return (float8)(f(x.lo), f(x.hi)); }                                                           \
    float16 OVERLOAD f(float16 x) { return (float16)(f(x.lo), f(x.hi)); }
#define VECTORS2(f)                                                                                                              \
    float2 OVERLOAD f(float2 x, float2 y) { return (float2)(f(x.x, y.x), f(x.y, y.y)); }                                         \
    float3 OVERLOAD f(float3 x, float3 y) { return (float3)(f(x.x, y.x), f(x.y, y.y), f(x.z, y.z)); }                            \
    float4 OVERLOAD f(float4 x, float4 y) { return (float4)(f(x.lo, y.lo), f(x.hi, y.hi)); }                                     \
    float8 OVERLOAD f(float8 x, float8 y) { return (float8)(f(x.lo, y.lo), f(x.hi, y.hi)); }                                     \
    float16 OVERLOAD f(float16 x, float16 y) { return (float16)(f(x.lo, y.lo), f(x.hi, y.hi)); }

float OVERLOAD native_sin(float x) { return __nvvm_sin_approx_f(x); }
float OVERLOAD native_cos(float x) { return __nvvm_cos_approx_f(x); }
float OVERLOAD native_tan(float x) { return __nvvm_sin_approx_f(x) * __nvvm_rcp_approx_ftz_f(__nvvm_cos_approx_f(x)); }
float OVERLOAD native_exp2(float x) { return __nvvm_ex2_approx_f(x); }
float OVERLOAD native_exp(float x) { return __nvvm_ex2_approx_f(x * M_LOG2E_F); }
float OVERLOAD native_exp10(float x) { return __nvvm_ex2_approx_f(x * (M_LN10_F * M_LOG2E_F)); }
float OVERLOAD native_log2(float x) { return __nvvm_lg2_approx_f(x); }
float OVERLOAD native_log(float x) { return __nvvm_lg2_approx_f(x) * M_LN2_F; }
float OVERLOAD native_log10(float x) { return __nvvm_lg2_approx_f(x) * (M_LN2_F * M_LOG10E_F); }
float OVERLOAD native_powr(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
float OVERLOAD native_rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }
float OVERLOAD native_sqrt(float x) { return __nvvm_sqrt_approx_f(x); }
float OVERLOAD native_recip(float x) { return __nvvm_rcp_approx_ftz_f(x); }
float OVERLOAD native_divide(float x, float y) { return __nvvm_div_approx_f(x, y); }
VECTORS1(native_sin) VECTORS1(native_cos) VECTORS1(native_tan) VECTORS1(native_exp) VECTORS1(native_exp2) VECTORS1(native_exp10)
VECTORS1(native_log) VECTORS1(native_log2) VECTORS1(native_log10) VECTORS1(native_rsqrt) VECTORS1(native_sqrt) VECTORS1(native_recip)
VECTORS2(native_powr) VECTORS2(native_divide)

/* --- integers */
#define MAD_HI(type)                                                                                                             \
    type OVERLOAD mad_hi(type a, type b, type c) { return (type)(mul_hi(a, b) + c); }
#define MAD_HI_ALL(type) MAD_HI(type) MAD_HI(type##2) MAD_HI(type##3) MAD_HI(type##4) MAD_HI(type##8) MAD_HI(type##16)
MAD_HI_ALL(char) MAD_HI_ALL(uchar) MAD_HI_ALL(short) MAD_HI_ALL(ushort) MAD_HI_ALL(int) MAD_HI_ALL(uint) MAD_HI_ALL(long) MAD_HI_ALL(ulong)

/* Mixed types, as C converts them: vendors' compilers take these, and programs use them (prelude.h) */
#define MIXED_ONE(f, compare, result, a, b)                                                                                      \
    result OVERLOAD f(a x, b y) { return (result)x compare(result) y ? (result)x : (result)y; }
#define MIXED(result, a, b)                                                                                                      \
    MIXED_ONE(min, <, result, a, b) MIXED_ONE(min, <, result, b, a) MIXED_ONE(max, >, result, a, b) MIXED_ONE(max, >, result, b, a)
MIXED(uint, int, uint) MIXED(long, int, long) MIXED(long, uint, long) MIXED(ulong, int, ulong) MIXED(ulong, uint, ulong)
MIXED(ulong, long, ulong) MIXED(float, int, float) MIXED(float, uint, float) MIXED(double, int, double) MIXED(double, float, double)

/* Wide arguments of these two are 24-bit values in a wider type, size_t as a rule; unsigned ones as soon as
 * one is */
#define MAD24(result, part, a, b, c)                                                                                             \
    result OVERLOAD mad24(a x, b y, c z) { return ((part)x << 8 >> 8) * ((part)y << 8 >> 8) + (result)z; }
#define MIXED24(result, part, a, b)                                                                                              \
    result OVERLOAD mul24(a x, b y) { return ((part)x << 8 >> 8) * ((part)y << 8 >> 8); }                                        \
    MAD24(result, part, a, b, int) MAD24(result, part, a, b, uint) MAD24(result, part, a, b, long) MAD24(result, part, a, b, ulong)
MIXED24(uint, uint, int, uint) MIXED24(uint, uint, uint, int) MIXED24(ulong, uint, ulong, ulong) MIXED24(long, int, long, long)
MIXED24(ulong, uint, ulong, int) MIXED24(ulong, uint, int, ulong) MIXED24(ulong, uint, ulong, uint) MIXED24(ulong, uint, uint, ulong)
MIXED24(ulong, uint, ulong, long) MIXED24(ulong, uint, long, ulong) MIXED24(long, int, long, int) MIXED24(long, int, int, long)

/* --- 64-bit atomics (cl_khr_int64_base_atomics, cl_khr_int64_extended_atomics) */
#define ATOM64(space, type)                                                                                                      \
    type OVERLOAD atom_add(volatile space type *p, type v) { return __sync_fetch_and_add(p, v); }                                \
    type OVERLOAD atom_sub(volatile space type *p, type v) { return __sync_fetch_and_sub(p, v); }                                \
    type OVERLOAD atom_inc(volatile space type *p) { return __sync_fetch_and_add(p, (type)1); }                                  \
    type OVERLOAD atom_dec(volatile space type *p) { return __sync_fetch_and_sub(p, (type)1); }                                  \
    type OVERLOAD atom_xchg(volatile space type *p, type v) { return __sync_swap(p, v); }                                        \
    type OVERLOAD atom_cmpxchg(volatile space type *p, type old, type v) { return __sync_val_compare_and_swap(p, old, v); }      \
    type OVERLOAD atom_and(volatile space type *p, type v) { return __sync_fetch_and_and(p, v); }                                \
    type OVERLOAD atom_or(volatile space type *p, type v) { return __sync_fetch_and_or(p, v); }                                  \
    type OVERLOAD atom_xor(volatile space type *p, type v) { return __sync_fetch_and_xor(p, v); }                                \
    type OVERLOAD atom_min(volatile space type *p, type v) { return __atomic_fetch_min(p, v, __ATOMIC_RELAXED); }                \
    type OVERLOAD atom_max(volatile space type *p, type v) { return __atomic_fetch_max(p, v, __ATOMIC_RELAXED); }
ATOM64(__global, long) ATOM64(__global, ulong) ATOM64(__local, long) ATOM64(__local, ulong)

/* --- double precision: smoothstep between scalars, of vectors; nan, which is infinity in libclc when the
 * code is 0 */
#define SMOOTHSTEP(type)                                                                                                         \
    type __attribute__((overloadable)) smoothstep(type, type, type);                                                             \
    type OVERLOAD smoothstep(double a, double b, type x) { return smoothstep((type)a, (type)b, x); }
SMOOTHSTEP(double2) SMOOTHSTEP(double3) SMOOTHSTEP(double4) SMOOTHSTEP(double8) SMOOTHSTEP(double16)
#define NAN_OF(n)                                                                                                                \
    double##n OVERLOAD nan(ulong##n code) { return as_double##n(code | 0x7ff8000000000000ul); }
NAN_OF() NAN_OF(2) NAN_OF(3) NAN_OF(4) NAN_OF(8) NAN_OF(16)
