/* Exclusive prefix sum in three launches: scan_block over blocks of 512 elements, scan_block over the block
 * sums (so at most 512 blocks), scan_add to give every block its offset. */
#define GROUP 256
#define BLOCK (2 * GROUP)

/* Up-sweep and down-sweep over a balanced tree in local memory: about 2 n additions, strides that collide in
 * the banks. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scan_block(__global const uint *in, __global uint *out,
                                                                            __global uint *sums, uint n) {
    __local uint tree[BLOCK];
    uint me = get_local_id(0);
    uint lo = get_group_id(0) * BLOCK + me, hi = lo + GROUP;

    tree[me] = lo < n ? in[lo] : 0;
    tree[me + GROUP] = hi < n ? in[hi] : 0;

    uint stride = 1;
    for (uint active = GROUP; active > 0; active /= 2, stride *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < active) tree[(2 * me + 2) * stride - 1] += tree[(2 * me + 1) * stride - 1];
    }
    if (me == 0) {
        sums[get_group_id(0)] = tree[BLOCK - 1];
        tree[BLOCK - 1] = 0;
    }
    for (uint active = 1; active <= GROUP; active *= 2) {
        stride /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < active) {
            uint left = (2 * me + 1) * stride - 1, right = left + stride;
            uint before = tree[right];
            tree[right] = before + tree[left];
            tree[left] = before;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lo < n) out[lo] = tree[me];
    if (hi < n) out[hi] = tree[me + GROUP];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void scan_add(__global uint *out, __global const uint *offsets,
                                                                          uint n) {
    uint offset = offsets[get_group_id(0)];
    uint lo = get_group_id(0) * BLOCK + get_local_id(0), hi = lo + GROUP;
    if (lo < n) out[lo] += offset;
    if (hi < n) out[hi] += offset;
}
