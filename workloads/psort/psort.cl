/* Sorting by counting: a work-item counts how many elements go before its own and writes it there. All lanes
 * read the same element at a time; integer compares and adds, back to back. */
__kernel void psort(__global const uint *in, __global uint *out, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    uint mine = in[i], rank = 0;
    for (uint j = 0; j < n; j++) {
        uint other = in[j];
        rank += other < mine || (other == mine && j < i);
    }
    out[rank] = mine;
}
