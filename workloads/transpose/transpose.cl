/* out = in transposed, a square matrix of any side n, through a 32 x 32 tile in local memory, so that both
 * the reads and the writes are contiguous. The extra column puts the elements of a tile column in different
 * banks. A work-group of 32 x 8 work-items moves a tile in four steps. */
#define TILE 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void transpose(__global const uint *in, __global uint *out,
                                                                             uint n) {
    __local uint tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;

    for (uint r = y; r < TILE; r += ROWS)
        if (left + x < n && top + r < n) tile[r][x] = in[(top + r) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = y; r < TILE; r += ROWS)
        if (top + x < n && left + r < n) out[(left + r) * n + top + x] = tile[x][r];
}
