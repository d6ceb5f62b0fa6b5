/* One step of n gravitating bodies, n a multiple of 64, every pair computed. A body is (x, y, z, mass);
 * positions pass through local memory 64 at a time, where all lanes read the same body. */
#pragma OPENCL FP_CONTRACT OFF
#define GROUP     64
#define SOFTENING 0.01f
#define STEP      0.001f

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void nbody(__global const float4 *in, __global float4 *out,
                                                                       __global float4 *velocity, uint n) {
    __local float4 tile[GROUP];
    uint i = get_global_id(0), me = get_local_id(0);
    float4 body = in[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;

    for (uint first = 0; first < n; first += GROUP) {
        tile[me] = in[first + me];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < GROUP; j++) {
            float4 other = tile[j];
            float dx = other.x - body.x, dy = other.y - body.y, dz = other.z - body.z;
            float distance2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, SOFTENING)));
            float inverse = 1.0f / sqrt(distance2);
            float pull = other.w * (inverse * inverse * inverse);
            ax = fma(pull, dx, ax);
            ay = fma(pull, dy, ay);
            az = fma(pull, dz, az);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    float4 v = velocity[i];
    v.x = fma(STEP, ax, v.x);
    v.y = fma(STEP, ay, v.y);
    v.z = fma(STEP, az, v.z);
    velocity[i] = v;
    body.x = fma(STEP, v.x, body.x);
    body.y = fma(STEP, v.y, body.y);
    body.z = fma(STEP, v.z, body.z);
    out[i] = body;
}
