/* patient LAUNCHES [fork]: a program that knows nothing of heddle, launches one kernel so many times, and
 * says how long it took by the clock it knows. With a second argument a child of its own does the work. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const source = "kernel void work(global float *x) {\n"
                                  "    size_t i = get_global_id(0);\n"
                                  "    float v = x[i];\n"
                                  "    for (int k = 0; k < 200; k++) v = v * 1.0001f + 0.5f;\n"
                                  "    x[i] = v;\n"
                                  "}\n";

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int work(long launches) {
    cl_platform_id p;
    cl_device_id d;
    cl_int rc;
    size_t n = 4096;
    if (clGetPlatformIDs(1, &p, NULL) || clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 1, &d, NULL)) return 1;
    cl_context c = clCreateContext(NULL, 1, &d, NULL, NULL, &rc);
    cl_command_queue q = clCreateCommandQueue(c, d, CL_QUEUE_PROFILING_ENABLE, &rc);
    cl_program program = clCreateProgramWithSource(c, 1, (const char **)(size_t)&source, NULL, &rc);
    if (clBuildProgram(program, 1, &d, "", NULL, NULL)) return 1;
    cl_kernel k = clCreateKernel(program, "work", &rc);
    cl_mem x = clCreateBuffer(c, CL_MEM_READ_WRITE, n * sizeof(float), NULL, &rc);
    clSetKernelArg(k, 0, sizeof(x), &x);
    double start = now(), profiled = 0;
    for (long i = 0; i < launches; i++) {
        cl_event e;
        cl_ulong from = 0, to = 0;
        if (clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &e)) return 1;
        clFinish(q);
        clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof(from), &from, NULL);
        clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(to), &to, NULL);
        clReleaseEvent(e);
        profiled += 1e-9 * (double)(to - from);
    }
    printf("clock %.9f profiled %.9f\n", now() - start, profiled);
    clReleaseMemObject(x);
    clReleaseKernel(k);
    clReleaseProgram(program);
    clReleaseCommandQueue(q);
    clReleaseContext(c);
    return 0;
}

int main(int argc, char **argv) {
    long launches = argc > 1 ? atol(argv[1]) : 1;
    if (argc < 3) return work(launches);
    pid_t child = fork();
    if (child == 0) _exit(work(launches));
    int status = 1;
    while (waitpid(child, &status, 0) < 0) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
