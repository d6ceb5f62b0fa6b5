/* out[group] = the sum of the group's share of in[0..n): a grid-stride loop, then a tree in local memory with
 * half of the work-items idle after each step. Launched twice: many groups, then one group over their
 * results. */
#define GROUP 256

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void reduction(__global const float *in, __global float *out,
                                                                           uint n) {
    __local float partial[GROUP];
    uint me = get_local_id(0);
    float sum = 0.0f;

    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
    partial[me] = sum;
    for (uint half_size = GROUP / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (me < half_size) partial[me] += partial[me + half_size];
    }
    if (me == 0) out[get_group_id(0)] = partial[0];
}
