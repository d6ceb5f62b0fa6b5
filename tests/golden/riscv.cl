/* Kernels of the golden RISC-V images: memory, arithmetic of every pipe, lanes that part in ifs and loops,
 * barriers. */
__kernel void stream(__global const float *a, __global float *b, uint n) {
    uint i = get_global_id(0);
    if (i >= n) return;
    float x = a[i], y = a[(i * 7) % n];
    b[i] = sqrt(x) * y + (x + 1.0f) / (y + 2.0f) + (float)(i / 3);
}

__kernel void part(__global const uint *a, __global uint *b, uint n) {
    uint i = get_global_id(0), x = a[i % n] & 63, sum = 0;
    for (uint k = 0; k < x; k++) {
        if (k & 1) sum += a[(i + k) % n];
        else if (sum % 3 == 0) sum ^= k * 5;
        else continue;
        if (sum & 0x40) break;
    }
    b[i] = sum;
}

__kernel void meet(__global const uint *a, __global uint *b) {
    __local uint part[16];
    uint i = get_local_id(0), n = get_local_size(0);
    part[i] = a[get_global_id(0)];
    for (uint step = n / 2; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < step) part[i] += part[i + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(0)] = part[0] - i;
}
