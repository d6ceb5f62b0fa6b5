/* LU decomposition in place without pivoting, a matrix of side n (a multiple of 16) in tiles of 16 x 16. Step
 * k takes three launches: the diagonal tile k, the tiles right of and below it, and the rest. The first two
 * keep few warps busy and the last shrinks from step to step. */
#define TILE 16

__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void lud_diagonal(__global float *m, uint n, uint step) {
    __local float tile[TILE][TILE];
    uint me = get_local_id(0);
    __global float *corner = m + step * TILE * (n + 1);

    for (uint r = 0; r < TILE; r++) tile[r][me] = corner[r * n + me];
    for (uint k = 0; k < TILE - 1; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me > k) {
            float l = tile[me][k] / tile[k][k];
            tile[me][k] = l;
            for (uint c = k + 1; c < TILE; c++) tile[me][c] = fma(-l, tile[k][c], tile[me][c]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = 0; r < TILE; r++) corner[r * n + me] = tile[r][me];
}

/* Group g: the first 16 work-items take the tile g + 1 to the right, column by column; the other 16 the tile
 * g + 1 below, row by row. Both halves are one warp. */
__kernel __attribute__((reqd_work_group_size(2 * TILE, 1, 1))) void lud_perimeter(__global float *m, uint n, uint step) {
    __local float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE + 1];
    uint me = get_local_id(0) % TILE, half_id = get_local_id(0) / TILE;
    uint away = (get_group_id(0) + 1) * TILE;
    __global float *corner = m + step * TILE * (n + 1);

    for (uint r = half_id; r < TILE; r += 2) {
        diagonal[r][me] = corner[r * n + me];
        right[r][me] = corner[r * n + away + me];
        below[r][me] = corner[(away + r) * n + me];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (half_id == 0) {
        for (uint r = 1; r < TILE; r++)
            for (uint k = 0; k < r; k++) right[r][me] = fma(-diagonal[r][k], right[k][me], right[r][me]);
    } else {
        for (uint c = 0; c < TILE; c++) {
            float l = below[me][c];
            for (uint k = 0; k < c; k++) l = fma(-below[me][k], diagonal[k][c], l);
            below[me][c] = l / diagonal[c][c];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint r = half_id; r < TILE; r += 2) {
        corner[r * n + away + me] = right[r][me];
        corner[(away + r) * n + me] = below[r][me];
    }
}

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void lud_internal(__global float *m, uint n, uint step) {
    __local float left[TILE][TILE], up[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = (get_group_id(0) + 1) * TILE + x, row = (get_group_id(1) + 1) * TILE + y;
    __global float *corner = m + step * TILE * (n + 1);

    left[y][x] = corner[row * n + x];
    up[y][x] = corner[y * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    float value = corner[row * n + column];
    for (uint k = 0; k < TILE; k++) value = fma(-left[y][k], up[k][x], value);
    corner[row * n + column] = value;
}
