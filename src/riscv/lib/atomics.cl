/* OpenCL C 1.x's atomic functions on 32-bit words: an instruction of the A extension each, compare and
 * exchange a loop of lr and sc. */
#define OVERLOAD __attribute__((overloadable))

#define WITH(T, SPACE, name, builtin)                                                                                            \
    T OVERLOAD name(volatile SPACE T *p, T x) { return builtin((volatile SPACE T *)p, x, __ATOMIC_RELAXED); }
#define BARE(T, SPACE, name, builtin)                                                                                            \
    T OVERLOAD name(volatile SPACE T *p) { return builtin((volatile SPACE T *)p, 1, __ATOMIC_RELAXED); }
#define BOTH(T, SPACE, name, builtin)                                                                                            \
    WITH(T, SPACE, atomic_##name, builtin)                                                                                       \
    WITH(T, SPACE, atom_##name, builtin)
#define SWAP(T, SPACE, name)                                                                                                     \
    T OVERLOAD name(volatile SPACE T *p, T expected, T x) {                                                                      \
        __atomic_compare_exchange_n(p, &expected, x, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                                     \
        return expected;                                                                                                         \
    }
#define ATOMICS(T, SPACE)                                                                                                        \
    BOTH(T, SPACE, add, __atomic_fetch_add)                                                                                      \
    BOTH(T, SPACE, sub, __atomic_fetch_sub)                                                                                      \
    BOTH(T, SPACE, and, __atomic_fetch_and)                                                                                      \
    BOTH(T, SPACE, or, __atomic_fetch_or)                                                                                        \
    BOTH(T, SPACE, xor, __atomic_fetch_xor)                                                                                      \
    BOTH(T, SPACE, min, __atomic_fetch_min)                                                                                      \
    BOTH(T, SPACE, max, __atomic_fetch_max)                                                                                      \
    BOTH(T, SPACE, xchg, __atomic_exchange_n)                                                                                    \
    BARE(T, SPACE, atomic_inc, __atomic_fetch_add)                                                                               \
    BARE(T, SPACE, atomic_dec, __atomic_fetch_sub)                                                                               \
    BARE(T, SPACE, atom_inc, __atomic_fetch_add)                                                                                 \
    BARE(T, SPACE, atom_dec, __atomic_fetch_sub)                                                                                 \
    SWAP(T, SPACE, atomic_cmpxchg)                                                                                               \
    SWAP(T, SPACE, atom_cmpxchg)
ATOMICS(int, __global)
ATOMICS(uint, __global)
ATOMICS(int, __local)
ATOMICS(uint, __local)

float OVERLOAD atomic_xchg(volatile __global float *p, float x) { return as_float(atomic_xchg((volatile __global uint *)p, as_uint(x))); }
float OVERLOAD atomic_xchg(volatile __local float *p, float x) { return as_float(atomic_xchg((volatile __local uint *)p, as_uint(x))); }
