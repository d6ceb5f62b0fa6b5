/* The matrix Q of an MRI reconstruction from samples along any path through frequency space: for every voxel
 * the sum over all samples of |phi|^2 exp(2 pi i k x). mri_q_pack puts a sample's three frequencies and
 * |phi|^2 side by side; mri_q_sum then takes SHARE samples a launch from constant memory, one voxel per
 * work-item. Sines, cosines and hardly a load. */
#define TWO_PI 6.2831853071795864f

/* native_sin and native_cos, which the compiler does not have for PTX */
#ifdef __NVPTX__
static float fast_sin(float x) {
    float y;
    __asm__("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static float fast_cos(float x) {
    float y;
    __asm__("cos.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#else
#define fast_sin native_sin
#define fast_cos native_cos
#endif

__kernel void mri_q_pack(__global const float *k, __global const float *phi, __global float4 *packed, uint samples) {
    uint i = get_global_id(0);
    if (i >= samples) return;
    float re = phi[i], im = phi[samples + i];
    packed[i] = (float4)(k[i], k[samples + i], k[2 * samples + i], re * re + im * im);
}

/* place holds three planes, q two: real and imaginary parts */
__kernel void mri_q_sum(__global const float *place, __constant float4 *packed, __global float *q, uint voxels, uint first,
                        uint end) {
    uint i = get_global_id(0);
    if (i >= voxels) return;
    float x = place[i], y = place[voxels + i], z = place[2 * voxels + i];
    float re = q[i], im = q[voxels + i];
    for (uint s = first; s < end; s++) {
        float4 sample = packed[s];
        float angle = TWO_PI * (sample.x * x + sample.y * y + sample.z * z);
        re += sample.w * fast_cos(angle);
        im += sample.w * fast_sin(angle);
    }
    q[i] = re;
    q[voxels + i] = im;
}
