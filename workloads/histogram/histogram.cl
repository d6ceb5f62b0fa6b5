/* Counts of the 256 byte values. A work-group counts its share, four bytes a load, with atomics in local
 * memory and then adds its bins to the result with global atomics. */
#define BINS 256

__kernel void histogram(__global const uint *words, __global uint *bins, uint n_words) {
    __local uint local_bins[BINS];
    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0)) local_bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n_words; i += get_global_size(0)) {
        uint word = words[i];
        atomic_inc(&local_bins[word & 255]);
        atomic_inc(&local_bins[word >> 8 & 255]);
        atomic_inc(&local_bins[word >> 16 & 255]);
        atomic_inc(&local_bins[word >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_local_id(0); i < BINS; i += get_local_size(0))
        if (local_bins[i] != 0) atomic_add(&bins[i], local_bins[i]);
}
