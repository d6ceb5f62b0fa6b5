/* A program that knows nothing of heddle: cc app.c -lOpenCL. Takes whatever OpenCL device there is, adds two
 * vectors, sums them with local memory and atomics, checks the results and says so. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const source = "kernel void add(global const float *a, global const float *b, global float *c) {\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    c[i] = a[i] + b[i];\n"
                                  "}\n"
                                  "kernel void sum(global const float *c, local float *part, global int *out, int n) {\n"
                                  "    uint l = get_local_id(0);\n"
                                  "    part[l] = get_global_id(0) < n ? c[get_global_id(0)] : 0;\n"
                                  "    for (uint s = get_local_size(0) / 2; s; s /= 2) {\n"
                                  "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                  "        if (l < s) part[l] += part[l + s];\n"
                                  "    }\n"
                                  "    if (l == 0) atomic_add(out, (int)part[0]);\n"
                                  "}\n";

static void check(cl_int rc, const char *what) {
    if (rc == CL_SUCCESS) return;
    fprintf(stderr, "app: %s: error %d\n", what, rc);
    exit(1);
}

int main(void) {
    enum { N = 4096 };
    cl_platform_id platform;
    cl_device_id device;
    cl_int rc, total = 0;
    static float a[N], b[N], c[N];
    long want = 0;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &rc);
    check(rc, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &rc);
    check(rc, "clCreateCommandQueue");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &rc);
    check(rc, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel add = clCreateKernel(program, "add", &rc);
    check(rc, "clCreateKernel");
    cl_kernel sum = clCreateKernel(program, "sum", &rc);
    check(rc, "clCreateKernel");
    for (int i = 0; i < N; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
        want += i % 7 + i % 5;
    }
    cl_mem ma = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(a), a, &rc);
    check(rc, "clCreateBuffer");
    cl_mem mb = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof(b), NULL, &rc);
    check(rc, "clCreateBuffer");
    cl_mem mc = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(c), NULL, &rc);
    check(rc, "clCreateBuffer");
    cl_mem mt = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(total), &total, &rc);
    check(rc, "clCreateBuffer");
    check(clEnqueueWriteBuffer(queue, mb, CL_FALSE, 0, sizeof(b), b, 0, NULL, NULL), "clEnqueueWriteBuffer");
    cl_int n = N;
    size_t global = N, local = 128;
    cl_event event;
    cl_ulong start, end;
    check(clSetKernelArg(add, 0, sizeof(ma), &ma), "clSetKernelArg");
    check(clSetKernelArg(add, 1, sizeof(mb), &mb), "clSetKernelArg");
    check(clSetKernelArg(add, 2, sizeof(mc), &mc), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, &event), "clEnqueueNDRangeKernel");
    check(clSetKernelArg(sum, 0, sizeof(mc), &mc), "clSetKernelArg");
    check(clSetKernelArg(sum, 1, local * sizeof(float), NULL), "clSetKernelArg");
    check(clSetKernelArg(sum, 2, sizeof(mt), &mt), "clSetKernelArg");
    check(clSetKernelArg(sum, 3, sizeof(n), &n), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &global, &local, 1, &event, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, mc, CL_TRUE, 0, sizeof(c), c, 0, NULL, NULL), "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(queue, mt, CL_TRUE, 0, sizeof(total), &total, 0, NULL, NULL), "clEnqueueReadBuffer");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL), "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL), "clGetEventProfilingInfo");
    int wrong = total != want || end <= start;
    for (int i = 0; i < N; i++) wrong += c[i] != a[i] + b[i];
    printf("app: %s, add took %llu ns\n", wrong ? "FAILED" : "passed", (unsigned long long)(end - start));
    clReleaseEvent(event);
    clReleaseMemObject(ma);
    clReleaseMemObject(mb);
    clReleaseMemObject(mc);
    clReleaseMemObject(mt);
    clReleaseKernel(add);
    clReleaseKernel(sum);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0;
}
