/* Searches in a B+ tree with 64 keys a node: btree_build once per level from the sorted keys, then btree_find
 * (the value of one key) and btree_range (how many keys lie between two). A work-group of 64 goes down the
 * tree for one query, a lane per key of the node; the lane whose interval holds the query names the child.
 * Short dependent steps, a barrier at each, and a node anywhere in memory. */
#define ORDER 64
#define NONE  0xFFFFFFFF

/* One level of the tree, `offset` separators after the root: separator i is the least key of its child, which
 * covers `span` keys */
__kernel void btree_build(__global const uint *keys, __global uint *separators, uint offset, uint count, ulong span, uint n) {
    uint i = get_global_id(0);
    if (i < count) separators[offset + i] = i * span < n ? keys[i * span] : NONE;
}

/* Index of the last key that is not greater than `query`, or NONE; all lanes of the group get it */
static uint go_down(__global const uint *keys, __global const uint *separators, uint levels, uint n, uint query,
                    __local uint *child) {
    uint lane = get_local_id(0), node = 0, offset = 0, nodes = 1;
    for (uint level = 0; level <= levels; level++) {
        uint at = node * ORDER + lane;
        __global const uint *list = level < levels ? separators + offset : keys;
        uint end = level < levels ? nodes * ORDER : n;
        uint mine = at < end ? list[at] : NONE, next = lane + 1 < ORDER && at + 1 < end ? list[at + 1] : NONE;
        if (lane == 0) *child = NONE;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine <= query && query < next && mine != NONE) *child = at;
        barrier(CLK_LOCAL_MEM_FENCE);
        node = *child;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (node == NONE) return NONE;
        offset += nodes * ORDER;
        nodes *= ORDER;
    }
    return node;
}

__kernel __attribute__((reqd_work_group_size(ORDER, 1, 1))) void
btree_find(__global const uint *keys, __global const uint *separators, __global const uint *values, __global const uint *query,
           __global uint *found, uint levels, uint n) {
    __local uint child;
    uint wanted = query[get_group_id(0)];
    uint at = go_down(keys, separators, levels, n, wanted, &child);
    if (get_local_id(0) == 0) found[get_group_id(0)] = at != NONE && keys[at] == wanted ? values[at] : NONE;
}

__kernel __attribute__((reqd_work_group_size(ORDER, 1, 1))) void btree_range(__global const uint *keys,
                                                                             __global const uint *separators,
                                                                             __global const uint *query, __global uint *count,
                                                                             uint levels, uint n, uint width) {
    __local uint child;
    uint low = query[get_group_id(0)];
    uint before = go_down(keys, separators, levels, n, low - 1, &child);
    uint last = go_down(keys, separators, levels, n, low + width, &child);
    if (get_local_id(0) == 0) count[get_group_id(0)] = last - before;
}
