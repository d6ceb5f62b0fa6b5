/* Needleman-Wunsch: global alignment scores of two sequences of n letters (n a multiple of 32), a letter
 * being a number below 16. score is (n + 1) x (n + 1). One launch per anti-diagonal of 32 x 32 tiles; in a
 * tile 32 work-items sweep its anti-diagonals in local memory, so between 1 and 32 lanes work. */
#define TILE    32
#define LETTERS 16
#define GAP     3
#define BIAS    4 /* similarity is stored with this added */

__kernel void nw_border(__global int *score, uint n) {
    int i = get_global_id(0);
    if (i <= (int)n) {
        score[i] = -GAP * i;
        score[i * (n + 1)] = -GAP * i;
    }
}

/* Tile (x, y) of the diagonal x + y = diagonal; the group's number counts x from the first tile of that
 * diagonal */
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void nw_diagonal(__global const uint *across,
                                                                            __global const uint *down,
                                                                            __global const int *similarity, __global int *score,
                                                                            uint n, uint diagonal) {
    __local int tile[TILE + 1][TILE + 1];
    uint me = get_local_id(0), tiles = n / TILE, width = n + 1;
    uint x = get_group_id(0) + (diagonal < tiles ? 0 : diagonal - tiles + 1), y = diagonal - x;
    __global int *corner = score + y * TILE * width + x * TILE;
    uint letter = across[x * TILE + me];

    tile[0][me + 1] = corner[me + 1];
    tile[me + 1][0] = corner[(me + 1) * width];
    if (me == 0) tile[0][0] = corner[0];
    for (uint r = 0; r < TILE; r++) tile[r + 1][me + 1] = similarity[down[y * TILE + r] * LETTERS + letter] - BIAS;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint step = 0; step < 2 * TILE - 1; step++) {
        if (me <= step && step - me < TILE) {
            uint r = step - me + 1, c = me + 1;
            int aligned = tile[r - 1][c - 1] + tile[r][c];
            int skipped = max(tile[r - 1][c], tile[r][c - 1]) - GAP;
            tile[r][c] = max(aligned, skipped);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint r = 1; r <= TILE; r++) corner[r * width + me + 1] = tile[r][me + 1];
}
