/* Ways to place n queens on an n x n board (n at most 16). Work-item i takes the boards whose queens of rows
 * 0, 1 and 2 (nqueens_four: and 3) stand in columns i % n, i / n % n and so on, and searches the rest by
 * backtracking over bit masks with an explicit stack, which lives in private memory. Most work-items stop at
 * once, a few search long: heavy divergence. */
#define MAX_N 16

/* Solutions that begin with the queens of number i in the first `given` rows */
static uint solutions_from(uint i, uint n, uint given) {
    uint board = (1u << n) - 1;
    uint columns = 0, rising = 0, falling = 0; /* squares of the next row attacked along each direction */
    bool legal = true;
    uint rest = i;
    for (uint row = 0; row < given; row++, rest /= n) {
        uint queen = 1u << rest % n;
        legal = legal && !((columns | rising | falling) & queen);
        columns |= queen;
        rising = (rising | queen) << 1;
        falling = (falling | queen) >> 1;
    }

    /* stack[d]: x the squares still to try in row given + d, yzw the attacks on that row */
    uint4 stack[MAX_N];
    uint found = 0;
    int depth = -1;
    if (legal) stack[++depth] = (uint4)(board & ~(columns | rising | falling), columns, rising, falling);
    while (depth >= 0) {
        uint4 top = stack[depth];
        if (top.x == 0) {
            depth--;
            continue;
        }
        uint queen = top.x & -top.x;
        stack[depth].x = top.x ^ queen;
        columns = top.y | queen;
        rising = (top.z | queen) << 1;
        falling = (top.w | queen) >> 1;
        if (columns == board) found++;
        else stack[++depth] = (uint4)(board & ~(columns | rising | falling), columns, rising, falling);
    }
    return found;
}

__kernel void nqueens(__global uint *solutions, uint n) {
    uint i = get_global_id(0);
    if (i >= n * n * n) return;
    solutions[i] = solutions_from(i, n, 3);
}

__kernel void nqueens_four(__global uint *solutions, uint n) {
    uint i = get_global_id(0);
    if (i >= n * n * n * n) return;
    solutions[i] = solutions_from(i, n, 4);
}
