/* Fast Walsh-Hadamard transform in place, n a power of two of at least 512. The steps that stay within 512
 * elements run in local memory; each wider one is a launch that streams the whole vector through global
 * memory. */
#define GROUP 256
#define BLOCK (2 * GROUP)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void fwt_block(__global float *data) {
    __local float part[BLOCK];
    uint me = get_local_id(0), base = get_group_id(0) * BLOCK;
    part[me] = data[base + me];
    part[me + GROUP] = data[base + me + GROUP];
    for (uint span = 1; span < BLOCK; span *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint i = 2 * me - (me & (span - 1));
        float a = part[i], b = part[i + span];
        part[i] = a + b;
        part[i + span] = a - b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + me] = part[me];
    data[base + me + GROUP] = part[me + GROUP];
}

__kernel void fwt_step(__global float *data, uint span) {
    uint me = get_global_id(0);
    uint i = 2 * me - (me & (span - 1));
    float a = data[i], b = data[i + span];
    data[i] = a + b;
    data[i + span] = a - b;
}
