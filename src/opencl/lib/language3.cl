/* Built-in functions of OpenCL C 2.0 and 3.0 for the features that device.c announces: the generic address
 * space, atomics of C11's kind, sub-groups, collective functions of work-groups. Compiled as OpenCL C 3.0.
 *
 * A sub-group is a warp of 32 lanes; device.c announces what needs one only where the machine has that.
 * Collectives combine within a warp by shuffles and across warps through local memory (heddle_group, which
 * compile.c declares). Orders and scopes become fences around an atomic; where the simulator performs one
 * at a time that is all. */
#define OVERLOAD __attribute__((overloadable, always_inline))
#define INSIDE   static __attribute__((always_inline))

/* --- the generic address space: the named one a pointer points into, or null */
__attribute__((always_inline)) __global void *__to_global(void *p) { return __nvvm_isspacep_global(p) ? (__global void *)p : 0; }
__attribute__((always_inline)) __local void *__to_local(void *p) { return __nvvm_isspacep_shared(p) ? (__local void *)p : 0; }
__attribute__((always_inline)) __private void *__to_private(void *p) { return __nvvm_isspacep_local(p) ? (__private void *)p : 0; }
#define GET_FENCE(type)                                                                                                          \
    cl_mem_fence_flags OVERLOAD get_fence(type p) {                                                                              \
        return __nvvm_isspacep_shared(p) ? CLK_LOCAL_MEM_FENCE : __nvvm_isspacep_local(p) ? 0 : CLK_GLOBAL_MEM_FENCE;            \
    }
GET_FENCE(void *) GET_FENCE(const void *)

/* --- where a work item is */
size_t OVERLOAD get_local_linear_id(void) { return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); }
INSIDE size_t place(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
size_t OVERLOAD get_global_linear_id(void) { return (place(2) * get_global_size(1) + place(1)) * get_global_size(0) + place(0); }
/* get_local_size alone would answer 0 beyond the third dimension */
size_t OVERLOAD get_enqueued_local_size(uint d) { return d < 3 ? get_local_size(d) : 1; }
INSIDE uint group_items(void) { return get_local_size(0) * get_local_size(1) * get_local_size(2); }

/* --- ctz */
#define CTZ(type)                                                                                                                \
    type OVERLOAD ctz(type x) { return popcount((type)(~x & (x - (type)1))); }
#define CTZ_ALL(type) CTZ(type) CTZ(type##2) CTZ(type##3) CTZ(type##4) CTZ(type##8) CTZ(type##16)
CTZ_ALL(char) CTZ_ALL(uchar) CTZ_ALL(short) CTZ_ALL(ushort) CTZ_ALL(int) CTZ_ALL(uint) CTZ_ALL(long) CTZ_ALL(ulong)

/* --- barriers and fences */
INSIDE void fence(memory_scope scope) {
    if (scope == memory_scope_work_item) return;
    if (scope == memory_scope_work_group || scope == memory_scope_sub_group) __nvvm_membar_cta();
    else __nvvm_membar_gl();
}
void OVERLOAD atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
    if (order != memory_order_relaxed) fence(scope);
}
void OVERLOAD work_group_barrier(cl_mem_fence_flags flags) { barrier(flags); }
void OVERLOAD work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) {
    if (flags & CLK_GLOBAL_MEM_FENCE) fence(scope);
    barrier(flags);
}

/* --- atomics */
INSIDE bool releases(memory_order o) { return o == memory_order_release || o == memory_order_acq_rel || o == memory_order_seq_cst; }
INSIDE bool acquires(memory_order o) { return o == memory_order_acquire || o == memory_order_acq_rel || o == memory_order_seq_cst; }

/* From one function of an order and a scope those with fewer arguments */
#define FORMS(result, name, list, call)                                                                                          \
    result OVERLOAD name##_explicit(EXPAND list, memory_order o) { return name##_explicit(EXPAND call, o, memory_scope_device); }  \
    result OVERLOAD name(EXPAND list) { return name##_explicit(EXPAND call, memory_order_seq_cst, memory_scope_device); }
#define EXPAND(...) __VA_ARGS__

#define FETCH(name, type, with, expression)                                                                                      \
    type OVERLOAD name##_explicit(volatile atomic_##type * a, with x, memory_order o, memory_scope s) {                          \
        volatile type *p = (volatile type *)a;                                                                                   \
        if (releases(o)) fence(s);                                                                                               \
        type old = expression;                                                                                                   \
        if (acquires(o)) fence(s);                                                                                               \
        return old;                                                                                                              \
    }                                                                                                                            \
    FORMS(type, name, (volatile atomic_##type * a, with x), (a, x))
#define INTEGER(type)                                                                                                            \
    FETCH(atomic_fetch_add, type, type, __sync_fetch_and_add(p, x)) FETCH(atomic_fetch_sub, type, type, __sync_fetch_and_sub(p, x))  \
    FETCH(atomic_fetch_or, type, type, __sync_fetch_and_or(p, x)) FETCH(atomic_fetch_xor, type, type, __sync_fetch_and_xor(p, x))    \
    FETCH(atomic_fetch_and, type, type, __sync_fetch_and_and(p, x))                                                              \
    FETCH(atomic_fetch_min, type, type, __atomic_fetch_min(p, x, __ATOMIC_RELAXED))                                              \
    FETCH(atomic_fetch_max, type, type, __atomic_fetch_max(p, x, __ATOMIC_RELAXED))
INTEGER(int) INTEGER(uint) INTEGER(long) INTEGER(ulong)
FETCH(atomic_fetch_add, ulong, long, __sync_fetch_and_add(p, (ulong)x)) /* uintptr_t and ptrdiff_t */
FETCH(atomic_fetch_sub, ulong, long, __sync_fetch_and_sub(p, (ulong)x))

/* What takes any type works on its bits */
#define ANY(type, bits)                                                                                                          \
    void OVERLOAD atomic_init(volatile atomic_##type * a, type x) { *(volatile type *)a = x; }                                   \
    type OVERLOAD atomic_load_explicit(volatile atomic_##type * a, memory_order o, memory_scope s) {                             \
        if (o == memory_order_seq_cst) fence(s);                                                                                 \
        type x = *(volatile type *)a;                                                                                            \
        if (acquires(o)) fence(s);                                                                                               \
        return x;                                                                                                                \
    }                                                                                                                            \
    FORMS(type, atomic_load, (volatile atomic_##type * a), (a))                                                                  \
    void OVERLOAD atomic_store_explicit(volatile atomic_##type * a, type x, memory_order o, memory_scope s) {                    \
        if (releases(o)) fence(s);                                                                                               \
        *(volatile type *)a = x;                                                                                                 \
        if (o == memory_order_seq_cst) fence(s);                                                                                 \
    }                                                                                                                            \
    FORMS(void, atomic_store, (volatile atomic_##type * a, type x), (a, x))                                                      \
    FETCH(atomic_exchange, type, type, as_##type(__sync_swap((volatile bits *)p, as_##bits(x))))                                 \
    bool OVERLOAD atomic_compare_exchange_strong_explicit(volatile atomic_##type * a, type * e, type x, memory_order o,           \
                                                          memory_order other, memory_scope s) {                                  \
        bits want = as_##bits(*e);                                                                                               \
        if (releases(o)) fence(s);                                                                                               \
        bits old = __sync_val_compare_and_swap((volatile bits *)a, want, as_##bits(x));                                          \
        if (acquires(o) || acquires(other)) fence(s);                                                                            \
        if (old != want) *e = as_##type(old);                                                                                    \
        return old == want;                                                                                                      \
    }                                                                                                                            \
    bool OVERLOAD atomic_compare_exchange_strong_explicit(volatile atomic_##type * a, type * e, type x, memory_order o, memory_order other) {  \
        return atomic_compare_exchange_strong_explicit(a, e, x, o, other, memory_scope_device);                                  \
    }                                                                                                                            \
    bool OVERLOAD atomic_compare_exchange_strong(volatile atomic_##type * a, type * e, type x) {                                 \
        return atomic_compare_exchange_strong_explicit(a, e, x, memory_order_seq_cst, memory_order_seq_cst, memory_scope_device);  \
    }                                                                                                                            \
    bool OVERLOAD atomic_compare_exchange_weak_explicit(volatile atomic_##type * a, type * e, type x, memory_order o,             \
                                                        memory_order other, memory_scope s) {                                    \
        return atomic_compare_exchange_strong_explicit(a, e, x, o, other, s);                                                    \
    }                                                                                                                            \
    bool OVERLOAD atomic_compare_exchange_weak_explicit(volatile atomic_##type * a, type * e, type x, memory_order o, memory_order other) {  \
        return atomic_compare_exchange_strong_explicit(a, e, x, o, other, memory_scope_device);                                  \
    }                                                                                                                            \
    bool OVERLOAD atomic_compare_exchange_weak(volatile atomic_##type * a, type * e, type x) {                                   \
        return atomic_compare_exchange_strong(a, e, x);                                                                          \
    }
ANY(int, int) ANY(uint, uint) ANY(long, long) ANY(ulong, ulong) ANY(float, int) ANY(double, long)

bool OVERLOAD atomic_flag_test_and_set_explicit(volatile atomic_flag *a, memory_order o, memory_scope s) { return atomic_exchange_explicit((volatile atomic_int *)a, 1, o, s) != 0; }
FORMS(bool, atomic_flag_test_and_set, (volatile atomic_flag * a), (a))
void OVERLOAD atomic_flag_clear_explicit(volatile atomic_flag *a, memory_order o, memory_scope s) { atomic_store_explicit((volatile atomic_int *)a, 0, o, s); }
FORMS(void, atomic_flag_clear, (volatile atomic_flag * a), (a))

/* --- sub-groups */
uint OVERLOAD get_max_sub_group_size(void) { return min(group_items(), 32u); }
uint OVERLOAD get_num_sub_groups(void) { return (group_items() + 31) / 32; }
uint OVERLOAD get_enqueued_num_sub_groups(void) { return get_num_sub_groups(); }
uint OVERLOAD get_sub_group_id(void) { return (uint)get_local_linear_id() / 32; }
uint OVERLOAD get_sub_group_local_id(void) { return (uint)get_local_linear_id() % 32; }
uint OVERLOAD get_sub_group_size(void) { return min(group_items() - get_sub_group_id() * 32, 32u); }
INSIDE uint members(void) { return 0xffffffffu >> (32 - get_sub_group_size()); }

void OVERLOAD sub_group_barrier(cl_mem_fence_flags flags) { __nvvm_membar_cta(), __nvvm_bar_warp_sync(members()); }
void OVERLOAD sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { fence(scope), __nvvm_bar_warp_sync(members()); }
int OVERLOAD sub_group_all(int x) { return __nvvm_vote_all_sync(members(), x != 0); }
int OVERLOAD sub_group_any(int x) { return __nvvm_vote_any_sync(members(), x != 0); }

INSIDE int up32(int x, uint by) { return __nvvm_shfl_sync_up_i32(members(), x, by, 0); }
INSIDE int from32(int x, uint lane) { return __nvvm_shfl_sync_idx_i32(members(), x, lane, 31); }
INSIDE long up64(long x, uint by) { int2 v = as_int2(x); return as_long((int2)(up32(v.x, by), up32(v.y, by))); }
INSIDE long from64(long x, uint lane) { int2 v = as_int2(x); return as_long((int2)(from32(v.x, lane), from32(v.y, lane))); }

#define SCAN(type, bits, up, from, op, combine, identity)                                                                        \
    type OVERLOAD sub_group_scan_inclusive_##op(type x) {                                                                        \
        uint lane = get_sub_group_local_id();                                                                                    \
        for (uint by = 1; by < 32; by *= 2) {                                                                                    \
            type y = as_##type(up(as_##bits(x), by));                                                                            \
            if (lane >= by) x = combine(y, x);                                                                                   \
        }                                                                                                                        \
        return x;                                                                                                                \
    }                                                                                                                            \
    type OVERLOAD sub_group_scan_exclusive_##op(type x) {                                                                        \
        type y = as_##type(up(as_##bits(sub_group_scan_inclusive_##op(x)), 1));                                                  \
        return get_sub_group_local_id() ? y : (type)(identity);                                                                  \
    }                                                                                                                            \
    type OVERLOAD sub_group_reduce_##op(type x) {                                                                                \
        return as_##type(from(as_##bits(sub_group_scan_inclusive_##op(x)), get_sub_group_size() - 1));                           \
    }

/* --- work-groups: what each warp gives lies in local memory between two barriers; the first keeps what
 * slower warps still read */
INSIDE __local ulong *group_memory(void) { ulong p; __asm__("mov.u64 %0, heddle_group;" : "=l"(p)); return (__local ulong *)p; }

#define GROUP(type, op, combine, identity)                                                                                       \
    INSIDE type OVERLOAD before_##op(type whole) { /* what the warps before this one give; all of them are told what theirs is */  \
        __local type *m = (__local type *)group_memory();                                                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                            \
        if (!get_sub_group_local_id()) m[get_sub_group_id()] = whole;                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                            \
        type sum = identity;                                                                                                     \
        for (uint i = 0; i < get_sub_group_id(); i++) sum = combine(sum, m[i]);                                                  \
        return sum;                                                                                                              \
    }                                                                                                                            \
    type OVERLOAD work_group_scan_inclusive_##op(type x) {                                                                       \
        type y = sub_group_scan_inclusive_##op(x), sum = before_##op(sub_group_reduce_##op(x));                                  \
        return combine(sum, y);                                                                                                  \
    }                                                                                                                            \
    type OVERLOAD work_group_scan_exclusive_##op(type x) {                                                                       \
        type y = sub_group_scan_exclusive_##op(x), sum = before_##op(sub_group_reduce_##op(x));                                  \
        return combine(sum, y);                                                                                                  \
    }                                                                                                                            \
    type OVERLOAD work_group_reduce_##op(type x) {                                                                               \
        __local type *m = (__local type *)group_memory();                                                                        \
        type sum = identity;                                                                                                     \
        before_##op(sub_group_reduce_##op(x));                                                                                   \
        for (uint i = 0; i < get_num_sub_groups(); i++) sum = combine(sum, m[i]);                                                \
        return sum;                                                                                                              \
    }
#define BROADCAST(type, bits, from)                                                                                              \
    type OVERLOAD sub_group_broadcast(type x, uint lane) { return as_##type(from(as_##bits(x), lane)); }                         \
    type OVERLOAD work_group_broadcast(type x, size_t a, size_t b, size_t c) {                                                   \
        __local type *m = (__local type *)group_memory();                                                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                            \
        if (get_local_id(0) == a && get_local_id(1) == b && get_local_id(2) == c) *m = x;                                        \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                            \
        return *m;                                                                                                               \
    }                                                                                                                            \
    type OVERLOAD work_group_broadcast(type x, size_t a, size_t b) { return work_group_broadcast(x, a, b, get_local_id(2)); }    \
    type OVERLOAD work_group_broadcast(type x, size_t a) { return work_group_broadcast(x, a, get_local_id(1), get_local_id(2)); }
#define PLUS(a, b) ((a) + (b))
#define COLLECTIVES(type, bits, up, from, least, most)                                                                           \
    SCAN(type, bits, up, from, add, PLUS, 0) SCAN(type, bits, up, from, min, min, most) SCAN(type, bits, up, from, max, max, least)  \
    GROUP(type, add, PLUS, 0) GROUP(type, min, min, most) GROUP(type, max, max, least) BROADCAST(type, bits, from)
COLLECTIVES(int, int, up32, from32, INT_MIN, INT_MAX)
COLLECTIVES(uint, int, up32, from32, 0, UINT_MAX)
COLLECTIVES(long, long, up64, from64, LONG_MIN, LONG_MAX)
COLLECTIVES(ulong, long, up64, from64, 0, ULONG_MAX)
COLLECTIVES(float, int, up32, from32, -INFINITY, INFINITY)
COLLECTIVES(double, long, up64, from64, -INFINITY, INFINITY)

int OVERLOAD work_group_all(int x) { return work_group_reduce_min(x != 0); }
int OVERLOAD work_group_any(int x) { return work_group_reduce_max(x != 0); }
