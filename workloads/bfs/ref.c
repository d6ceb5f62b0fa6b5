/* bfs: levels from node 0 with a queue, stopped after as many levels as there are counters in `frontier`.
 * Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

#define UNSEEN 0xFFFFFFFFu

static bool graph_ok(const u32 *edge_start, const u32 *edge, u64 nodes, u64 edges) {
    if (edge_start[nodes] > edges) return false;
    for (u64 i = 0; i < nodes; i++)
        if (edge_start[i] > edge_start[i + 1]) return false;
    for (u64 i = 0; i < edges; i++)
        if (edge[i] >= nodes) return false;
    return true;
}

bool workload_ref_bfs(struct workload_buffers *b) {
    u64 nodes = ref_count(b, "level"), edges = ref_count(b, "edge"), depths = ref_count(b, "frontier");
    const u32 *edge_start = ref_u32(b, "edge_start", nodes + 1);
    const u32 *edge = ref_u32(b, "edge", edges);
    u32 *level = ref_u32(b, "level", nodes);
    u32 *frontier = ref_u32(b, "frontier", depths);
    if (!nodes || !edge_start || !edge || !level || !frontier || !graph_ok(edge_start, edge, nodes, edges)) return false;
    u32 *queue = base_alloc(nodes * sizeof *queue);
    for (u64 i = 0; i < nodes; i++) level[i] = UNSEEN;
    u64 head = 0, tail = 0;
    queue[tail++] = 0;
    level[0] = 0;
    while (head < tail) {
        u32 node = queue[head++];
        if (level[node] >= depths) break;
        frontier[level[node]]++;
        for (u32 i = edge_start[node]; i < edge_start[node + 1]; i++)
            if (level[edge[i]] == UNSEEN) {
                level[edge[i]] = level[node] + 1;
                queue[tail++] = edge[i];
            }
    }
    free(queue);
    return true;
}
