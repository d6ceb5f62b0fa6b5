// study_h200: what the recorded micro-benchmarks do not say about an H200 and machines/h200.ini needs. Its figures are named "P" there and in docs/studies/h200.md.
//
//     nvcc -arch=sm_90 -O3 -o study_h200 tools/study_h200.cu
//     ./study_h200
//     ncu --clock-control none --cache-control all --metrics gpc__cycles_elapsed.max,sm__cycles_active.max ./study_h200 empty
//
// Times are cycles of an SM's clock, read inside the kernels. Not part of the build: it needs CUDA and a GPU.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned long long u64;
enum { SMS = 132, OUT_WORDS = 1 << 16 };

static u64 *out_device, out[OUT_WORDS];
static char *spare; // written to push everything else out of the L2
static const size_t spare_b = 400u << 20;

static void check(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    printf("line %d: %s\n", line, cudaGetErrorString(e));
    exit(1);
}
#define CHECK(x) check(x, __LINE__)

static void fetch() {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(out, out_device, sizeof out, cudaMemcpyDeviceToHost));
}

static void flush_l2() {
    CHECK(cudaMemset(spare, 1, spare_b));
    CHECK(cudaDeviceSynchronize());
}

__device__ __forceinline__ u64 now() {
    u64 t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

// --- code: N independent instructions in a row, twice. What does an instruction cost that has not run before, that has, and after a flush of the L2?

template <int N> __global__ void code(float a, float b, u64 *result) {
    float x0 = a, x1 = b, x2 = a + b, x3 = a - b;
    u64 t[2];
#pragma unroll 1
    for (int lap = 0; lap < 2; lap++) {
        u64 start = now();
#pragma unroll
        for (int i = 0; i < N / 4; i++)
            asm volatile("fma.rn.f32 %0,%0,%4,%5; fma.rn.f32 %1,%1,%4,%5; fma.rn.f32 %2,%2,%4,%5; fma.rn.f32 %3,%3,%4,%5;"
                         : "+f"(x0), "+f"(x1), "+f"(x2), "+f"(x3)
                         : "f"(a), "f"(b));
        t[lap] = now() - start;
    }
    result[blockIdx.x * 3] = t[0], result[blockIdx.x * 3 + 1] = t[1], result[blockIdx.x * 3 + 2] = __float_as_uint(x0 + x1 + x2 + x3);
}

template <int N> static void code_run() {
    code<N><<<1, 32>>>(1, 2, out_device);
    fetch();
    printf("code, %d instructions: first %.2f cycles each, then %.2f", N, out[0] / (double)N, out[1] / (double)N);
    for (int i = 0; i < 3; i++) code<N><<<SMS, 32>>>(1, 2, out_device);
    fetch();
    printf("; fourth launch %.2f", out[0] / (double)N);
    flush_l2();
    code<N><<<SMS, 32>>>(1, 2, out_device);
    fetch();
    double sum = 0;
    for (int i = 0; i < SMS; i++) sum += out[3 * i];
    printf("; after a flush of the L2 %.2f\n", sum / SMS / N);
}

// --- loop: n dependent additions and the branch back

template <int N> __global__ void loop(float a, float b, int n, u64 *result) {
    float x = a;
    u64 start = now();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < N; k++) asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(x) : "f"(a), "f"(b));
    }
    result[0] = now() - start, result[1] = __float_as_uint(x);
}

template <int N> static void loop_run() {
    for (int i = 0; i < 2; i++) loop<N><<<1, 32>>>(1, 2, 1000, out_device);
    fetch();
    printf("loop of %d dependent instructions: %.2f cycles a round\n", N, out[0] / 1000.0);
}

// --- chase: a chain of lines that are in DRAM, with their pages known to the TLBs or not, then in the L2

__global__ void chase(u64 start, int hops, int pages, const char *base, u64 *result) {
    u64 at = start, sum = 0;
    for (int i = 0; i < pages; i++) {
        unsigned v;
        asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(base + ((size_t)i << 21) + 64));
        sum += v;
    }
    __threadfence();
    if (sum == 12345) result[2] = sum;
    u64 t = now();
#pragma unroll 1
    for (int i = 0; i < hops; i += 8) {
#pragma unroll
        for (int k = 0; k < 8; k++) asm volatile("ld.global.cg.u64 %0,[%0];" : "+l"(at)::"memory");
    }
    if (at == 1) sum++;
    result[0] = now() - t, result[1] = at + sum;
}

static void chase_run(size_t mb) {
    enum { HOPS = 512 };
    size_t bytes = mb << 20, lines = bytes / 128;
    char *d;
    CHECK(cudaMalloc(&d, bytes));
    std::vector<char> h(bytes, 0), used(lines, 0);
    std::vector<u64> at;
    for (u64 seed = 7; at.size() <= HOPS;) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        u64 line = (seed >> 33) % lines;
        if (line % 16384 == 0 || used[line]) continue; // the first line of a page is for the TLBs
        used[line] = 1;
        at.push_back((u64)d + line * 128);
    }
    for (int i = 0; i <= HOPS; i++) memcpy(&h[at[i] - (u64)d], &at[(i + 1) % (HOPS + 1)], 8);
    CHECK(cudaMemcpy(d, h.data(), bytes, cudaMemcpyHostToDevice));
    for (int kind = 0; kind < 3; kind++) {
        if (kind < 2) flush_l2();
        chase<<<1, 1>>>(at[0], HOPS, kind == 1 ? (int)(mb / 2) : 0, d, out_device);
        fetch();
        printf("chase in %zu MB, %s: %.1f cycles a load\n", mb, kind == 0 ? "DRAM, pages not known" : kind == 1 ? "DRAM, pages known" : "L2", out[0] / (double)HOPS);
    }
    CHECK(cudaFree(d));
}

// --- bandwidth: blocks of 1024 threads read or write 16 bytes a thread, four at a time

template <bool WRITE> __global__ void stream(uint4 *p, size_t items, int laps, u64 *result) {
    uint4 *mine = p + blockIdx.x * items;
    unsigned sum = 0;
    __syncthreads();
    u64 start = now();
    for (int lap = 0; lap < laps; lap++)
        for (size_t i = threadIdx.x; i < items; i += blockDim.x * 4) {
            uint4 v[4] = {};
#pragma unroll
            for (int k = 0; k < 4; k++) {
                uint4 *a = mine + i + k * blockDim.x;
                if (WRITE) asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(a), "r"(lap));
                else asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(a));
            }
#pragma unroll
            for (int k = 0; k < 4; k++) sum += v[k].x + v[k].y + v[k].z + v[k].w;
        }
    __syncthreads();
    u64 t = now() - start;
    if (threadIdx.x == 0) result[blockIdx.x] = t;
    if (sum == 1234567) result[OUT_WORDS - 1] = sum;
}

static double slowest(int blocks) {
    fetch();
    return (double)*std::max_element(out, out + blocks);
}

static void stream_run() {
    char *d;
    CHECK(cudaMalloc(&d, 256u << 20));
    CHECK(cudaMemset(d, 1, 256u << 20));
    const int sizes[] = {1, 2, 4, 8, 16, 33, 66, 132};
    for (int blocks : sizes) {
        size_t bytes = blocks < 8 ? 1 << 20 : 1 << 17, items = bytes / 16;
        for (int i = 0; i < 2; i++) stream<false><<<blocks, 1024>>>((uint4 *)d, items, 4, out_device);
        double read = 4.0 * bytes * blocks / slowest(blocks);
        stream<true><<<blocks, 1024>>>((uint4 *)d, items, 4, out_device);
        double write = 4.0 * bytes * blocks / slowest(blocks);
        flush_l2();
        stream<false><<<blocks, 1024>>>((uint4 *)d, (1 << 20) / 16, 1, out_device);
        double dram = 1.0 * (1 << 20) * blocks / slowest(blocks);
        printf("bandwidth, %d blocks: L2 read %.0f, L2 write %.0f, DRAM read %.0f bytes a cycle\n", blocks, read, write, dram);
    }
    CHECK(cudaFree(d));
}

// --- blocks: one an SM at a time (shared memory sees to it); from the last instruction of one to the first of the next

__global__ void blocks(int cycles, u64 *result) {
    u64 start = now(), end = start;
    unsigned sm;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
    while (end - start < (u64)cycles) end = now();
    if (threadIdx.x) return;
    result[blockIdx.x * 3] = sm, result[blockIdx.x * 3 + 1] = start, result[blockIdx.x * 3 + 2] = end;
}

static void blocks_run(int threads) {
    enum { GRID = SMS * 16, SHARED = 200000 };
    CHECK(cudaFuncSetAttribute(blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    for (int i = 0; i < 3; i++) blocks<<<GRID, threads, SHARED>>>(300, out_device);
    fetch();
    std::vector<std::pair<u64, u64>> sm[SMS];
    std::vector<u64> gap;
    for (int i = 0; i < GRID; i++) sm[out[3 * i]].push_back({out[3 * i + 1], out[3 * i + 2]});
    for (auto &v : sm) {
        std::sort(v.begin(), v.end());
        for (size_t i = 1; i < v.size(); i++) gap.push_back(v[i].first - v[i - 1].second);
    }
    std::sort(gap.begin(), gap.end());
    printf("blocks of %d threads: %llu cycles from the end of one to the start of the next (median; a tenth below %llu, a tenth above %llu)\n", threads,
           gap[gap.size() / 2], gap[gap.size() / 10], gap[gap.size() * 9 / 10]);
}

// --- empty: for the profiler

__global__ void empty() {}

int main(int argc, char **argv) {
    CHECK(cudaMalloc(&out_device, sizeof out));
    if (argc > 1 && !strcmp(argv[1], "empty")) {
        for (int i = 0; i < 5; i++) {
            empty<<<1, 32>>>();
            empty<<<SMS, 32>>>();
            empty<<<SMS, 1024>>>();
            empty<<<10560, 64>>>();
        }
        CHECK(cudaDeviceSynchronize());
        return 0;
    }
    CHECK(cudaMalloc(&spare, spare_b));
    for (int i = 0; i < 200; i++) loop<64><<<SMS * 8, 256>>>(1, 2, 1000, out_device); // until the clock has risen
    code_run<1024>();
    code_run<4096>();
    code_run<8192>();
    code_run<12288>();
    loop_run<1>();
    loop_run<4>();
    loop_run<8>();
    loop_run<16>();
    loop_run<64>();
    chase_run(64);
    chase_run(256);
    stream_run();
    blocks_run(32);
    blocks_run(256);
    blocks_run(1024);
    return 0;
}
