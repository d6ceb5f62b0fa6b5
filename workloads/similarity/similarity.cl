/* How alike are web documents? A document is a row of word counts; similarity_score takes a pair of documents
 * per work-item (some documents against all) and gives the cosine of the angle between their rows;
 * similarity_best then finds which other document is most like each. Neighbouring lanes read rows that lie a
 * row apart, and come back to the same lines word by word. */
#pragma OPENCL FP_CONTRACT OFF
#define GROUP 128

/* score[row][document] */
__kernel void similarity_score(__global const float *words, __global float *score, uint documents, uint length) {
    uint other = get_global_id(0), row = get_global_id(1);
    if (other >= documents) return;
    __global const float *a = words + row * length, *b = words + other * length;
    float both = 0.0f, square_a = 0.0f, square_b = 0.0f;
    for (uint w = 0; w < length; w++) {
        both = fma(a[w], b[w], both);
        square_a = fma(a[w], a[w], square_a);
        square_b = fma(b[w], b[w], square_b);
    }
    float squares = square_a * square_b;
    score[row * documents + other] = squares > 0.0f ? both / sqrt(squares) : 0.0f;
}

/* A group per row; the first of several equal ones */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void similarity_best(__global const float *score, __global uint *best,
                                                                                 uint documents) {
    __local float highest[GROUP];
    __local uint where[GROUP];
    uint me = get_local_id(0), row = get_group_id(0), at = 0xFFFFFFFFu;
    float most = -1.0f;
    for (uint i = me; i < documents; i += GROUP) {
        float s = score[row * documents + i];
        if (i != row && s > most) {
            most = s;
            at = i;
        }
    }
    highest[me] = most;
    where[me] = at;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < step) {
            float s = highest[me + step];
            if (s > highest[me] || (s == highest[me] && where[me + step] < where[me])) {
                highest[me] = s;
                where[me] = where[me + step];
            }
        }
    }
    if (me == 0) best[row] = where[0];
}
