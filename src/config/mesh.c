/* Where a mesh (noc.kind = mesh) has its nodes: partitions where noc.mesh.place puts them, SMs in order at
 * the others. GPGPU-Sim's places (its interconnect interface has them in a table by the number of SMs and
 * memories) were chosen for eight memories among 8, 28 and 56 SMs. */
#include "config/config.h"

static const u16 place_16[] = {1, 3, 4, 6, 9, 11, 12, 14}, place_36[] = {3, 7, 10, 12, 23, 25, 28, 32},
                 place_64[] = {3, 15, 17, 29, 36, 47, 49, 61};

const u16 *mesh_preset(u32 width, u32 height, u32 memories) {
    if (width != height || memories != 8) return NULL;
    return width == 4 ? place_16 : width == 6 ? place_36 : width == 8 ? place_64 : NULL;
}

u32 mesh_memory_node(const struct config *c, u32 partition) {
    u32 nodes = c->mesh_width * c->mesh_height, n = c->partitions, top = (n + 1) / 2;
    if (c->mesh_place == PLACE_GPGPUSIM) return mesh_preset(c->mesh_width, c->mesh_height, n)[partition];
    if (c->mesh_place == PLACE_SPREAD) return (u32)(((u64)2 * partition + 1) * nodes / (2 * n));
    if (partition < top) return (2 * partition + 1) * c->mesh_width / (2 * top);
    return nodes - c->mesh_width + (2 * (partition - top) + 1) * c->mesh_width / (2 * (n - top));
}

u32 mesh_mean_links(const struct config *c) {
    u32 nodes = c->mesh_width * c->mesh_height, w = c->mesh_width;
    u64 sum = 0;
    for (u32 k = 0; k < c->partitions; k++)
        for (u32 n = 0, p = mesh_memory_node(c, k); n < nodes; n++) {
            u32 dx = MAX(n % w, p % w) - MIN(n % w, p % w), dy = MAX(n / w, p / w) - MIN(n / w, p / w);
            sum += dx + dy;
        }
    u64 ways = (u64)nodes * c->partitions;
    return (u32)((sum + ways / 2) / ways);
}
