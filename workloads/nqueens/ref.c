/* nqueens: recursion over an array of columns, solutions counted by where their first queens stand, three or
 * as many as `given` says. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

struct search {
    u32 n, given;
    u32 column[16]; /* of the queen in each row placed so far */
    u32 *solutions;
};

static bool safe(const struct search *s, u32 row, u32 col) {
    for (u32 r = 0; r < row; r++)
        if (s->column[r] == col || (u32)abs((int)s->column[r] - (int)col) == row - r) return false;
    return true;
}

static void place(struct search *s, u32 row) {
    if (row == s->n) {
        u32 at = 0;
        for (u32 r = s->given; r-- > 0;) at = at * s->n + s->column[r];
        s->solutions[at]++;
        return;
    }
    for (u32 col = 0; col < s->n; col++)
        if (safe(s, row, col)) {
            s->column[row] = col;
            place(s, row + 1);
        }
}

bool workload_ref_nqueens(struct workload_buffers *b) {
    u64 count = ref_count(b, "solutions");
    u32 given = ref_count(b, "given") ? ref_param(b, "given") : 3;
    if (given != 3 && given != 4) return false;
    u32 n = (u32)lround(pow((double)count, 1.0 / given));
    u32 *solutions = ref_u32(b, "solutions", given == 3 ? (u64)n * n * n : (u64)n * n * n * n);
    if (!solutions || n < given + 1 || n > 16) return false;
    memset(solutions, 0, count * sizeof *solutions);
    place(&(struct search){.n = n, .given = given, .solutions = solutions}, 0);
    return true;
}
