/* Sums of absolute differences for motion search in video. sad_4x4 compares every 4 x 4 block of a frame
 * with the other frame moved by every vector of the search window; sad_pairs then adds four blocks to an 8 x
 * 8 one, and once more to 16 x 16. Pixels outside the frame are those of its edge. sad_4x4 lives on the
 * first level cache, sad_pairs on nothing but bandwidth; sad_4x4_even and sad_shapes do the same for seven
 * shapes of blocks, 4 x 4 to 16 x 16. A table of sums holds, block by block (row by row over the frame), one
 * 16-bit sum per vector. */

/* reach is the largest shift: the window has (2 reach + 1)^2 vectors */
static uint sum_4x4(__global const uchar *frame, __global const uchar *other, uint width, uint height, uint reach, uint vector,
                    uint block) {
    uint across = 2 * reach + 1;
    int dx = (int)(vector % across) - (int)reach, dy = (int)(vector / across) - (int)reach;
    uint left = block % (width / 4) * 4, top = block / (width / 4) * 4;
    uint sum = 0;
    for (uint y = top; y < top + 4; y++)
        for (uint x = left; x < left + 4; x++) {
            uint row = clamp((int)y + dy, 0, (int)height - 1), column = clamp((int)x + dx, 0, (int)width - 1);
            sum += abs_diff(frame[y * width + x], other[row * width + column]);
        }
    return sum;
}

__kernel void sad_4x4(__global const uchar *frame, __global const uchar *other, __global ushort *sums, uint width, uint height,
                      uint reach) {
    uint vector = get_global_id(0), block = get_group_id(1), across = 2 * reach + 1;
    if (vector >= across * across) return;
    uint sum = sum_4x4(frame, other, width, height, reach, vector, block);
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

/* The same for tables whose blocks begin at even places (`stride`, the vectors and at most one more), with
 * all shapes: two vectors a work-item, added as halves of a word, which do not overflow. Of the four blocks
 * of a larger one, two side by side go to `wide`, two above each other to `tall`, all four to `large`. */
__kernel void sad_4x4_even(__global const uchar *frame, __global const uchar *other, __global ushort *sums, uint width,
                           uint height, uint reach, uint stride) {
    uint vector = get_global_id(0), block = get_group_id(1), across = 2 * reach + 1;
    if (vector >= across * across) return;
    uint sum = sum_4x4(frame, other, width, height, reach, vector, block);
    sums[block * stride + vector] = sum;
}

__kernel void sad_shapes(__global const uint *small, __global uint *wide, __global uint *tall, __global uint *large, uint per_row,
                         uint pairs) {
    uint pair = get_global_id(0), block = get_group_id(1), half_row = per_row / 2;
    if (pair >= pairs) return;
    uint x = block % half_row, y = block / half_row, first = 2 * y * per_row + 2 * x;
    uint a = small[first * pairs + pair], b = small[(first + 1) * pairs + pair];
    uint c = small[(first + per_row) * pairs + pair], d = small[(first + per_row + 1) * pairs + pair];
    wide[(2 * y * half_row + x) * pairs + pair] = a + b;
    wide[((2 * y + 1) * half_row + x) * pairs + pair] = c + d;
    tall[(y * per_row + 2 * x) * pairs + pair] = a + c;
    tall[(y * per_row + 2 * x + 1) * pairs + pair] = b + d;
    large[block * pairs + pair] = a + b + c + d;
}
