/* C = A B for square row-major matrices of any side n. A work-group computes a 16 x 16 tile of C from tiles
 * of A and B staged in local memory; tiles that stick out are padded with zeros. */
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void sgemm(__global const float *a, __global const float *b,
                                                                         __global float *c, uint n) {
    __local float tile_a[TILE][TILE], tile_b[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint col = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;
    float sum = 0.0f;

    for (uint k0 = 0; k0 < n; k0 += TILE) {
        tile_a[y][x] = row < n && k0 + x < n ? a[row * n + k0 + x] : 0.0f;
        tile_b[y][x] = k0 + y < n && col < n ? b[(k0 + y) * n + col] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; k++) sum = fma(tile_a[y][k], tile_b[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
