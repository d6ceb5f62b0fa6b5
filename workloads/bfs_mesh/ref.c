/* bfs_mesh: as bfs. Bit-exact. */
#include "../ref.h"

bool workload_ref_bfs_mesh(struct workload_buffers *b) { return workload_ref_bfs(b); }
