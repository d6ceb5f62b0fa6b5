/* Merge sort of keys with a payload, stable. mergesort_block sorts runs of 256 in local memory; each
 * mergesort_pass merges neighbouring runs of `run` elements: a work-item finds its element's place by binary
 * search in the other run. The probes of a warp start together and drift apart; the stores scatter. */
#define BLOCK 256

/* How many of list[0..n) go before key: those less, and with `equal_too` those equal */
#define COUNT_BEFORE(list, n, key, equal_too, result)                                                                            \
    do {                                                                                                                         \
        uint low_ = 0, high_ = (n);                                                                                              \
        while (low_ < high_) {                                                                                                   \
            uint mid_ = (low_ + high_) / 2, probe_ = (list)[mid_];                                                               \
            if (probe_ < (key) || ((equal_too) && probe_ == (key))) low_ = mid_ + 1;                                             \
            else high_ = mid_;                                                                                                   \
        }                                                                                                                        \
        result = low_;                                                                                                           \
    } while (0)

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void mergesort_block(__global const uint *keys,
                                                                                 __global const uint *values,
                                                                                 __global uint *out_keys,
                                                                                 __global uint *out_values, uint n) {
    __local uint k[2][BLOCK], v[2][BLOCK];
    uint me = get_local_id(0), base = get_group_id(0) * BLOCK, count = min((uint)BLOCK, n - base), from = 0;
    if (me < count) {
        k[0][me] = keys[base + me];
        v[0][me] = values[base + me];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint run = 1; run < BLOCK; run *= 2, from ^= 1) {
        if (me < count) {
            uint start = me / (2 * run) * (2 * run), key = k[from][me], to;
            uint middle = min(start + run, count), end = min(start + 2 * run, count);
            bool left = me < middle;
            __local uint *other = &k[from][left ? middle : start];
            COUNT_BEFORE(other, left ? end - middle : middle - start, key, !left, to);
            to += start + me - (left ? start : middle);
            k[from ^ 1][to] = key;
            v[from ^ 1][to] = v[from][me];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (me < count) {
        out_keys[base + me] = k[from][me];
        out_values[base + me] = v[from][me];
    }
}

__kernel void mergesort_pass(__global const uint *keys, __global const uint *values, __global uint *out_keys,
                             __global uint *out_values, uint run, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    uint start = i / (2 * run) * (2 * run), key = keys[i], to;
    uint middle = min(start + run, n), end = min(start + 2 * run, n);
    bool left = i < middle;
    __global const uint *other = keys + (left ? middle : start);
    COUNT_BEFORE(other, left ? end - middle : middle - start, key, !left, to);
    to += i - (left ? 0 : middle - start);
    out_keys[to] = key;
    out_values[to] = values[i];
}
