/* Bitonic sort of n keys, n a power of two of at least 512. Runs of up to 512 keys are sorted and merged in
 * local memory; wider steps exchange through global memory, one launch each. `run` is the length of the
 * sorted runs a stage makes: a run rises where (index & run) is 0 and falls elsewhere. */
#define GROUP 256
#define BLOCK (2 * GROUP)

/* The keys a work-item compares at distance `span`, a power of two: the lower one's index */
static uint lower_index(uint item, uint span) { return 2 * item - (item & (span - 1)); }

static void merge_block(__local uint *keys, uint base, uint run, uint span) {
    uint me = get_local_id(0);
    for (; span > 0; span /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint i = lower_index(me, span);
        uint a = keys[i], b = keys[i + span];
        bool rising = ((base + i) & run) == 0;
        if ((a > b) == rising) {
            keys[i] = b;
            keys[i + span] = a;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void bitonic_sort_block(__global uint *data) {
    __local uint keys[BLOCK];
    uint me = get_local_id(0), base = get_group_id(0) * BLOCK;
    keys[me] = data[base + me];
    keys[me + GROUP] = data[base + me + GROUP];
    for (uint run = 2; run <= BLOCK; run *= 2) merge_block(keys, base, run, run / 2);
    data[base + me] = keys[me];
    data[base + me + GROUP] = keys[me + GROUP];
}

__kernel void bitonic_step(__global uint *data, uint run, uint span) {
    uint i = lower_index(get_global_id(0), span);
    uint a = data[i], b = data[i + span];
    if ((a > b) == ((i & run) == 0)) {
        data[i] = b;
        data[i + span] = a;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void bitonic_merge_block(__global uint *data, uint run) {
    __local uint keys[BLOCK];
    uint me = get_local_id(0), base = get_group_id(0) * BLOCK;
    keys[me] = data[base + me];
    keys[me + GROUP] = data[base + me + GROUP];
    merge_block(keys, base, run, GROUP);
    data[base + me] = keys[me];
    data[base + me + GROUP] = keys[me + GROUP];
}
