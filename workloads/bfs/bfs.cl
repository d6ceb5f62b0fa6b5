/* Breadth-first search, one launch per level, one node per work-item: the nodes found last give their unseen
 * neighbours the next level. Two work-items may find the same neighbour; both write the same value. The
 * manifest launches a fixed number of levels, enough for its graph. */
#define UNSEEN 0xFFFFFFFFu

__kernel void bfs_init(__global uint *level, uint nodes, uint source) {
    uint node = get_global_id(0);
    if (node < nodes) level[node] = node == source ? 0 : UNSEEN;
}

/* frontier[k] counts the nodes of level k */
__kernel void bfs_level(__global const uint *edge_start, __global const uint *edge, __global uint *level, __global uint *frontier,
                        uint nodes, uint depth) {
    uint node = get_global_id(0);
    if (node >= nodes || level[node] != depth) return;
    atomic_inc(&frontier[depth]);
    for (uint i = edge_start[node], end = edge_start[node + 1]; i < end; i++) {
        uint next = edge[i];
        if (level[next] == UNSEEN) level[next] = depth + 1;
    }
}
