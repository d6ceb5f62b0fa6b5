/* Sums of absolute differences for motion search in video. sad_4x4 compares every 4 x 4 block of a frame with
 * the other frame moved by every vector of the search window; sad_pairs then adds four blocks to an 8 x 8
 * one, and once more to 16 x 16. Pixels outside the frame are those of its edge. sad_4x4 lives on the first
 * level cache, sad_pairs on nothing but bandwidth. A table of sums holds, block by block (row by row over the
 * frame), one 16-bit sum per vector. */

/* reach is the largest shift: the window has (2 reach + 1)^2 vectors */
__kernel void sad_4x4(__global const uchar *frame, __global const uchar *other, __global ushort *sums, uint width, uint height,
                      uint reach) {
    uint vector = get_global_id(0), block = get_group_id(1), across = 2 * reach + 1;
    if (vector >= across * across) return;
    int dx = (int)(vector % across) - (int)reach, dy = (int)(vector / across) - (int)reach;
    uint left = block % (width / 4) * 4, top = block / (width / 4) * 4;
    uint sum = 0;
    for (uint y = top; y < top + 4; y++)
        for (uint x = left; x < left + 4; x++) {
            uint row = clamp((int)y + dy, 0, (int)height - 1), column = clamp((int)x + dx, 0, (int)width - 1);
            sum += abs_diff(frame[y * width + x], other[row * width + column]);
        }
    sums[block * across * across + vector] = sum;
}

/* Sums of blocks twice as wide and high; `per_row` of the small ones lie side by side */
__kernel void sad_pairs(__global const ushort *small, __global ushort *large, uint per_row, uint vectors) {
    uint vector = get_global_id(0), block = get_group_id(1);
    if (vector >= vectors) return;
    uint first = block / (per_row / 2) * 2 * per_row + block % (per_row / 2) * 2;
    __global const ushort *from = small + first * vectors + vector;
    large[block * vectors + vector] = from[0] + from[vectors] + from[per_row * vectors] + from[(per_row + 1) * vectors];
}
