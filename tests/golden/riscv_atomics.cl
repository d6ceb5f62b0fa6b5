/* Atomics with and without a result, from all cores to a few words. */
__kernel void count(__global const uint *a, __global uint *bins, __global uint *order) {
    uint i = get_global_id(0);
    atomic_add(&bins[a[i] & 15], 1u);
    order[i] = atomic_inc(&bins[16 + (a[i] & 1)]) < 1000; /* who came first is a matter of time */
    if (a[i] & 2) atomic_max(&bins[20], a[i] & 0xFFFF);
}
