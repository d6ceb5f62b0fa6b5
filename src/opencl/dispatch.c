/* What the loader sees: one table of functions, in every object, and what finds it.
 *
 * Functions of OpenCL 1.2 that make no sense here (graphics, native kernels, partitions) answer as the
 * specification wants of a device without them; so do those of later versions, except the few that programs
 * call without having looked at the version. */
#include "opencl/opencl.h"

#include <CL/cl_gl.h>

/* --- graphics: no context can have been made for it */

#define NO_GL(...)                                                                                                               \
    (void)c;                                                                                                                     \
    set_error(error, object_is(c, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);                                  \
    return NULL

cl_mem CL_API_CALL clCreateFromGLBuffer(cl_context c, cl_mem_flags f, cl_GLuint b, cl_int *error) {
    (void)f, (void)b;
    NO_GL();
}
cl_mem CL_API_CALL clCreateFromGLTexture(cl_context c, cl_mem_flags f, cl_GLenum t, cl_GLint l, cl_GLuint x, cl_int *error) {
    (void)f, (void)t, (void)l, (void)x;
    NO_GL();
}
cl_mem CL_API_CALL clCreateFromGLTexture2D(cl_context c, cl_mem_flags f, cl_GLenum t, cl_GLint l, cl_GLuint x, cl_int *error) {
    (void)f, (void)t, (void)l, (void)x;
    NO_GL();
}
cl_mem CL_API_CALL clCreateFromGLTexture3D(cl_context c, cl_mem_flags f, cl_GLenum t, cl_GLint l, cl_GLuint x, cl_int *error) {
    (void)f, (void)t, (void)l, (void)x;
    NO_GL();
}
cl_mem CL_API_CALL clCreateFromGLRenderbuffer(cl_context c, cl_mem_flags f, cl_GLuint x, cl_int *error) {
    (void)f, (void)x;
    NO_GL();
}
cl_int CL_API_CALL clGetGLObjectInfo(cl_mem m, cl_gl_object_type *type, cl_GLuint *name) {
    (void)type, (void)name;
    return object_is(m, OBJECT_MEM) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}
cl_int CL_API_CALL clGetGLTextureInfo(cl_mem m, cl_gl_texture_info what, size_t room, void *to, size_t *needed) {
    (void)what, (void)room, (void)to, (void)needed;
    return object_is(m, OBJECT_MEM) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT;
}
static cl_int no_gl_objects(cl_command_queue q, cl_uint count, const cl_mem *list) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    return count && list ? CL_INVALID_GL_OBJECT : count || list ? CL_INVALID_VALUE : CL_SUCCESS;
}
cl_int CL_API_CALL clEnqueueAcquireGLObjects(cl_command_queue q, cl_uint count, const cl_mem *list, cl_uint n,
                                             const cl_event *wait, cl_event *out) {
    (void)n, (void)wait, (void)out;
    return no_gl_objects(q, count, list);
}
cl_int CL_API_CALL clEnqueueReleaseGLObjects(cl_command_queue q, cl_uint count, const cl_mem *list, cl_uint n,
                                             const cl_event *wait, cl_event *out) {
    (void)n, (void)wait, (void)out;
    return no_gl_objects(q, count, list);
}

/* --- later versions */

void *CL_API_CALL clSVMAlloc(cl_context c, cl_svm_mem_flags f, size_t bytes, cl_uint align) {
    (void)c, (void)f, (void)bytes, (void)align;
    return NULL; /* CL_DEVICE_SVM_CAPABILITIES is 0 */
}
void CL_API_CALL clSVMFree(cl_context c, void *p) { (void)c, (void)p; }
static cl_int no_svm(cl_command_queue q) { return object_is(q, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE; }
cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue q, cl_uint k, void *p[],
                                    void(CL_CALLBACK *f)(cl_command_queue, cl_uint, void *[], void *), void *user, cl_uint n,
                                    const cl_event *wait, cl_event *out) {
    (void)k, (void)p, (void)f, (void)user, (void)n, (void)wait, (void)out;
    return no_svm(q);
}
cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue q, cl_bool block, void *to, const void *from, size_t bytes, cl_uint n,
                                      const cl_event *wait, cl_event *out) {
    (void)block, (void)to, (void)from, (void)bytes, (void)n, (void)wait, (void)out;
    return no_svm(q);
}
cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue q, void *p, const void *pattern, size_t k, size_t bytes, cl_uint n,
                                       const cl_event *wait, cl_event *out) {
    (void)p, (void)pattern, (void)k, (void)bytes, (void)n, (void)wait, (void)out;
    return no_svm(q);
}
cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue q, cl_bool block, cl_map_flags f, void *p, size_t bytes, cl_uint n,
                                   const cl_event *wait, cl_event *out) {
    (void)block, (void)f, (void)p, (void)bytes, (void)n, (void)wait, (void)out;
    return no_svm(q);
}
cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue q, void *p, cl_uint n, const cl_event *wait, cl_event *out) {
    (void)p, (void)n, (void)wait, (void)out;
    return no_svm(q);
}
cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue q, cl_uint k, const void **p, const size_t *bytes,
                                          cl_mem_migration_flags f, cl_uint n, const cl_event *wait, cl_event *out) {
    (void)k, (void)p, (void)bytes, (void)f, (void)n, (void)wait, (void)out;
    return no_svm(q);
}
cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel k, cl_uint i, const void *p) {
    (void)i, (void)p;
    return object_is(k, OBJECT_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}
cl_int CL_API_CALL clSetKernelExecInfo(cl_kernel k, cl_kernel_exec_info what, size_t bytes, const void *p) {
    (void)what, (void)bytes, (void)p;
    return object_is(k, OBJECT_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}
cl_mem CL_API_CALL clCreatePipe(cl_context c, cl_mem_flags f, cl_uint size, cl_uint packets, const cl_pipe_properties *p,
                                cl_int *error) {
    (void)f, (void)size, (void)packets, (void)p;
    NO_GL();
}
cl_int CL_API_CALL clGetPipeInfo(cl_mem m, cl_pipe_info what, size_t room, void *to, size_t *needed) {
    (void)m, (void)what, (void)room, (void)to, (void)needed;
    return CL_INVALID_MEM_OBJECT;
}
cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id d, cl_ulong *device, cl_ulong *host) {
    (void)device, (void)host;
    return d == &the_device ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}
cl_int CL_API_CALL clGetHostTimer(cl_device_id d, cl_ulong *host) {
    (void)host;
    return d == &the_device ? CL_INVALID_OPERATION : CL_INVALID_DEVICE;
}
cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context c, cl_device_id d, cl_command_queue q) {
    (void)d, (void)q;
    return object_is(c, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
}
cl_int CL_API_CALL clSetProgramReleaseCallback(cl_program p, void(CL_CALLBACK *f)(cl_program, void *), void *user) {
    (void)f, (void)user;
    return object_is(p, OBJECT_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}
cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program p, cl_uint id, size_t bytes, const void *value) {
    (void)id, (void)bytes, (void)value;
    return object_is(p, OBJECT_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

/* --- finding functions */

EXPORTED void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
    if (name && strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return (void *)clIcdGetPlatformIDsKHR;
    if (name && strcmp(name, "clGetPlatformInfo") == 0) return (void *)clGetPlatformInfo;
    return NULL;
}
void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id p, const char *name) {
    return platform_is(p) ? clGetExtensionFunctionAddress(name) : NULL;
}

/* A row each. ABSENT: refuses, as the specification wants of a device without it. tests/opencl/counted reads
 * these rows. */
#define HERE(name)   .name = name
#define ABSENT(name) .name = name
const cl_icd_dispatch driver_dispatch = {
    HERE(clGetPlatformIDs),
    HERE(clGetPlatformInfo),
    HERE(clGetDeviceIDs),
    HERE(clGetDeviceInfo),
    HERE(clCreateContext),
    HERE(clCreateContextFromType),
    HERE(clRetainContext),
    HERE(clReleaseContext),
    HERE(clGetContextInfo),
    HERE(clCreateCommandQueue),
    HERE(clRetainCommandQueue),
    HERE(clReleaseCommandQueue),
    HERE(clGetCommandQueueInfo),
    HERE(clSetCommandQueueProperty),
    HERE(clCreateBuffer),
    HERE(clCreateImage2D),
    HERE(clCreateImage3D),
    HERE(clRetainMemObject),
    HERE(clReleaseMemObject),
    HERE(clGetSupportedImageFormats),
    HERE(clGetMemObjectInfo),
    HERE(clGetImageInfo),
    HERE(clCreateSampler),
    HERE(clRetainSampler),
    HERE(clReleaseSampler),
    HERE(clGetSamplerInfo),
    HERE(clCreateProgramWithSource),
    HERE(clCreateProgramWithBinary),
    HERE(clRetainProgram),
    HERE(clReleaseProgram),
    HERE(clBuildProgram),
    HERE(clUnloadCompiler),
    HERE(clGetProgramInfo),
    HERE(clGetProgramBuildInfo),
    HERE(clCreateKernel),
    HERE(clCreateKernelsInProgram),
    HERE(clRetainKernel),
    HERE(clReleaseKernel),
    HERE(clSetKernelArg),
    HERE(clGetKernelInfo),
    HERE(clGetKernelWorkGroupInfo),
    HERE(clWaitForEvents),
    HERE(clGetEventInfo),
    HERE(clRetainEvent),
    HERE(clReleaseEvent),
    HERE(clGetEventProfilingInfo),
    HERE(clFlush),
    HERE(clFinish),
    HERE(clEnqueueReadBuffer),
    HERE(clEnqueueWriteBuffer),
    HERE(clEnqueueCopyBuffer),
    HERE(clEnqueueReadImage),
    HERE(clEnqueueWriteImage),
    HERE(clEnqueueCopyImage),
    HERE(clEnqueueCopyImageToBuffer),
    HERE(clEnqueueCopyBufferToImage),
    HERE(clEnqueueMapBuffer),
    HERE(clEnqueueMapImage),
    HERE(clEnqueueUnmapMemObject),
    HERE(clEnqueueNDRangeKernel),
    HERE(clEnqueueTask),
    ABSENT(clEnqueueNativeKernel),
    HERE(clEnqueueMarker),
    HERE(clEnqueueWaitForEvents),
    HERE(clEnqueueBarrier),
    HERE(clGetExtensionFunctionAddress),
    ABSENT(clCreateFromGLBuffer),
    ABSENT(clCreateFromGLTexture2D),
    ABSENT(clCreateFromGLTexture3D),
    ABSENT(clCreateFromGLRenderbuffer),
    ABSENT(clGetGLObjectInfo),
    ABSENT(clGetGLTextureInfo),
    ABSENT(clEnqueueAcquireGLObjects),
    ABSENT(clEnqueueReleaseGLObjects),
    HERE(clSetEventCallback),
    HERE(clCreateSubBuffer),
    HERE(clSetMemObjectDestructorCallback),
    HERE(clCreateUserEvent),
    HERE(clSetUserEventStatus),
    HERE(clEnqueueReadBufferRect),
    HERE(clEnqueueWriteBufferRect),
    HERE(clEnqueueCopyBufferRect),
    ABSENT(clCreateSubDevices),
    HERE(clRetainDevice),
    HERE(clReleaseDevice),
    HERE(clCreateImage),
    ABSENT(clCreateProgramWithBuiltInKernels),
    HERE(clCompileProgram),
    HERE(clLinkProgram),
    HERE(clUnloadPlatformCompiler),
    HERE(clGetKernelArgInfo),
    HERE(clEnqueueFillBuffer),
    HERE(clEnqueueFillImage),
    HERE(clEnqueueMigrateMemObjects),
    HERE(clEnqueueMarkerWithWaitList),
    HERE(clEnqueueBarrierWithWaitList),
    HERE(clGetExtensionFunctionAddressForPlatform),
    ABSENT(clCreateFromGLTexture),
    HERE(clCreateCommandQueueWithProperties),
    ABSENT(clCreatePipe),
    ABSENT(clGetPipeInfo),
    ABSENT(clSVMAlloc),
    ABSENT(clSVMFree),
    ABSENT(clEnqueueSVMFree),
    ABSENT(clEnqueueSVMMemcpy),
    ABSENT(clEnqueueSVMMemFill),
    ABSENT(clEnqueueSVMMap),
    ABSENT(clEnqueueSVMUnmap),
    HERE(clCreateSamplerWithProperties),
    ABSENT(clSetKernelArgSVMPointer),
    ABSENT(clSetKernelExecInfo),
    HERE(clCloneKernel),
    ABSENT(clCreateProgramWithIL),
    ABSENT(clEnqueueSVMMigrateMem),
    ABSENT(clGetDeviceAndHostTimer),
    ABSENT(clGetHostTimer),
    HERE(clGetKernelSubGroupInfo),
    ABSENT(clSetDefaultDeviceCommandQueue),
    ABSENT(clSetProgramReleaseCallback),
    ABSENT(clSetProgramSpecializationConstant),
    HERE(clCreateBufferWithProperties),
    HERE(clCreateImageWithProperties),
    HERE(clSetContextDestructorCallback),
};
