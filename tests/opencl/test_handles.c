/* Handles: every function that takes an object refuses one that was released and one of another kind; those
 * the device does not have refuse everything. */
#include "ocl.h"

#include <CL/cl_icd.h>

struct dead { /* released objects, and a live one to be taken for another kind */
    cl_context context;
    cl_command_queue queue;
    cl_mem mem;
    cl_sampler sampler;
    cl_program program;
    cl_kernel kernel;
    cl_event event;
};

static struct dead bury(struct ocl *o) {
    cl_int rc;
    struct dead d = {.context = clCreateContext(NULL, 1, &o->device, NULL, NULL, &rc)};
    OK(rc);
    d.queue = clCreateCommandQueue(o->context, o->device, 0, &rc);
    d.mem = ocl_buffer(o, 64, NULL);
    d.sampler = clCreateSampler(o->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &rc);
    d.program = ocl_program(o, "kernel void k(global int *x) { *x = 1; }", NULL);
    d.kernel = ocl_kernel(d.program, "k");
    d.event = clCreateUserEvent(o->context, &rc);
    OK(clReleaseContext(d.context));
    OK(clReleaseCommandQueue(d.queue));
    OK(clReleaseMemObject(d.mem));
    OK(clReleaseSampler(d.sampler));
    OK(clReleaseKernel(d.kernel));
    OK(clReleaseProgram(d.program));
    OK(clReleaseEvent(d.event));
    return d;
}

static const cl_image_format format = {CL_R, CL_FLOAT};
static const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
static const char *const text = "kernel void k(global int *x) { *x = 1; }";

static void CL_CALLBACK never_context(cl_context c, void *user) { (void)c, (void)user, abort(); }
static void CL_CALLBACK never_mem(cl_mem c, void *user) { (void)c, (void)user, abort(); }
static void CL_CALLBACK never_program(cl_program c, void *user) { (void)c, (void)user, abort(); }
static void CL_CALLBACK never_event(cl_event c, cl_int s, void *user) { (void)c, (void)s, (void)user, abort(); }

static void context_is(struct ocl *o, cl_context c) {
    cl_int rc;
    cl_uint n;
    size_t len = 4;
    const unsigned char *binary = (const unsigned char *)"x";
    const char *t = text;
    cl_program none = NULL;
    WRONG(CL_INVALID_CONTEXT, clRetainContext(c));
    WRONG(CL_INVALID_CONTEXT, clReleaseContext(c));
    WRONG(CL_INVALID_CONTEXT, clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof(n), &n, NULL));
    WRONG(CL_INVALID_CONTEXT, clSetContextDestructorCallback(c, never_context, NULL));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateCommandQueue(c, o->device, 0, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateCommandQueueWithProperties(c, o->device, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateBuffer(c, 0, 4, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateBufferWithProperties(c, NULL, 0, 4, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateImage(c, 0, &format, &desc, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateImageWithProperties(c, NULL, 0, &format, &desc, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateImage2D(c, 0, &format, 4, 4, 0, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateImage3D(c, 0, &format, 4, 4, 4, 0, 0, NULL, &rc));
    WRONG(CL_INVALID_CONTEXT, clGetSupportedImageFormats(c, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &n));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateSampler(c, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateSamplerWithProperties(c, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithSource(c, 1, &t, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithBinary(c, 1, &o->device, &len, &binary, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithBuiltInKernels(c, 1, &o->device, "k", &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateProgramWithIL(c, "x", 1, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clLinkProgram(c, 0, NULL, NULL, 1, &none, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateUserEvent(c, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreatePipe(c, 0, 4, 4, NULL, &rc));
    WRONG(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue(c, o->device, o->queue));
    assert_null(clSVMAlloc(c, CL_MEM_READ_WRITE, 64, 0));
    clSVMFree(c, NULL);
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateFromGLBuffer(c, 0, 1, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateFromGLTexture(c, 0, 0x0DE1, 0, 1, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateFromGLTexture2D(c, 0, 0x0DE1, 0, 1, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateFromGLTexture3D(c, 0, 0x806F, 0, 1, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateFromGLRenderbuffer(c, 0, 1, &rc));
}

static void queue_is(struct ocl *o, cl_command_queue q) {
    cl_context c;
    cl_event e;
    cl_mem m = ocl_buffer(o, 4, NULL);
    void *p = o;
    const void *cp = o;
    const size_t bytes = 4;
    WRONG(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof(c), &c, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clFlush(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clFinish(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueMarker(q, &e));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueWaitForEvents(q, 1, &o->event));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueNativeKernel(q, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueAcquireGLObjects(q, 1, &m, 0, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueReleaseGLObjects(q, 1, &m, 0, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMFree(q, 1, &p, NULL, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemcpy(q, CL_TRUE, p, p, 4, 0, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMemFill(q, p, p, 4, 4, 0, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, p, 4, 0, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMUnmap(q, p, 0, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueSVMMigrateMem(q, 1, &cp, &bytes, 0, 0, NULL, NULL));
    OK(clReleaseMemObject(m));
}

static void mem_is(cl_mem m) {
    cl_int rc;
    size_t x;
    cl_buffer_region r = {0, 4};
    cl_gl_object_type type;
    cl_GLuint name;
    WRONG(CL_INVALID_MEM_OBJECT, clRetainMemObject(m));
    WRONG(CL_INVALID_MEM_OBJECT, clReleaseMemObject(m));
    WRONG(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof(x), &x, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clGetImageInfo(m, CL_IMAGE_WIDTH, sizeof(x), &x, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clSetMemObjectDestructorCallback(m, never_mem, NULL));
    WRONG_NEW(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &rc));
    WRONG(CL_INVALID_MEM_OBJECT, clGetPipeInfo(m, CL_PIPE_PACKET_SIZE, sizeof(x), &x, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clGetGLObjectInfo(m, &type, &name));
    WRONG(CL_INVALID_MEM_OBJECT, clGetGLTextureInfo(m, CL_GL_MIPMAP_LEVEL, sizeof(name), &name, NULL));
}

static void program_is(struct ocl *o, cl_program p) {
    cl_int rc;
    cl_uint n;
    size_t x;
    const char *t = text, *name = "h.h";
    cl_program good = clCreateProgramWithSource(o->context, 1, &t, NULL, &rc);
    OK(rc);
    WRONG(CL_INVALID_PROGRAM, clRetainProgram(p));
    WRONG(CL_INVALID_PROGRAM, clReleaseProgram(p));
    WRONG(CL_INVALID_PROGRAM, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    WRONG(CL_INVALID_PROGRAM, clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    WRONG(CL_INVALID_PROGRAM, clCompileProgram(good, 0, NULL, NULL, 1, &p, &name, NULL, NULL));
    WRONG_NEW(CL_INVALID_PROGRAM, clLinkProgram(o->context, 0, NULL, NULL, 1, &p, NULL, NULL, &rc));
    WRONG(CL_INVALID_PROGRAM, clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, sizeof(n), &n, NULL));
    WRONG(CL_INVALID_PROGRAM, clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &x));
    WRONG_NEW(CL_INVALID_PROGRAM, clCreateKernel(p, "k", &rc));
    WRONG(CL_INVALID_PROGRAM, clCreateKernelsInProgram(p, 0, NULL, &n));
    WRONG(CL_INVALID_PROGRAM, clSetProgramReleaseCallback(p, never_program, NULL));
    WRONG(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(p, 0, sizeof(n), &n));
    OK(clReleaseProgram(good));
}

static void kernel_is(struct ocl *o, cl_kernel k) {
    cl_int rc;
    size_t x = 0;
    WRONG(CL_INVALID_KERNEL, clRetainKernel(k));
    WRONG(CL_INVALID_KERNEL, clReleaseKernel(k));
    WRONG(CL_INVALID_KERNEL, clSetKernelArg(k, 0, sizeof(x), &x));
    WRONG(CL_INVALID_KERNEL, clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, 0, NULL, &x));
    WRONG(CL_INVALID_KERNEL, clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_NAME, 0, NULL, &x));
    WRONG(CL_INVALID_KERNEL, clGetKernelWorkGroupInfo(k, o->device, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, &x));
    WRONG_NEW(CL_INVALID_KERNEL, clCloneKernel(k, &rc));
    WRONG(CL_INVALID_KERNEL, clSetKernelArgSVMPointer(k, 0, &x));
    WRONG(CL_INVALID_KERNEL, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(x), &x));
    WRONG(CL_INVALID_KERNEL,
          clGetKernelSubGroupInfo(k, o->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(x), &x, 0, NULL, NULL));
}

static void event_is(struct ocl *o, cl_event e) {
    size_t x;
    cl_event both[2] = {o->event, e};
    WRONG(CL_INVALID_EVENT, clRetainEvent(e));
    WRONG(CL_INVALID_EVENT, clReleaseEvent(e));
    WRONG(CL_INVALID_EVENT, clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, 0, NULL, &x));
    WRONG(CL_INVALID_EVENT, clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, 0, NULL, &x));
    WRONG(CL_INVALID_EVENT, clSetEventCallback(e, CL_COMPLETE, never_event, NULL));
    WRONG(CL_INVALID_EVENT, clSetUserEventStatus(e, CL_COMPLETE));
    WRONG(CL_INVALID_EVENT, clWaitForEvents(1, &e));
    WRONG(CL_INVALID_EVENT, clWaitForEvents(2, both));
    WRONG(CL_INVALID_EVENT, clEnqueueWaitForEvents(o->queue, 1, &e));
}

static void test_released(void **state) {
    struct ocl *o = *state;
    struct dead d = bury(o);
    cl_sampler_info f;
    context_is(o, d.context);
    queue_is(o, d.queue);
    mem_is(d.mem);
    WRONG(CL_INVALID_SAMPLER, clRetainSampler(d.sampler));
    WRONG(CL_INVALID_SAMPLER, clReleaseSampler(d.sampler));
    WRONG(CL_INVALID_SAMPLER, clGetSamplerInfo(d.sampler, CL_SAMPLER_FILTER_MODE, sizeof(f), &f, NULL));
    program_is(o, d.program);
    kernel_is(o, d.kernel);
    event_is(o, d.event);
}

static void test_other_kind(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_uint n;
    cl_device_id d = (cl_device_id)o->context;
    cl_platform_id p = (cl_platform_id)o->context;
    cl_context_properties other[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)o->context, 0};
    size_t len = 4;
    const unsigned char *binary = (const unsigned char *)"x";
    const char *t = text;
    cl_program program = clCreateProgramWithSource(o->context, 1, &t, NULL, &rc);
    OK(rc);
    context_is(o, (cl_context)o->queue);
    queue_is(o, (cl_command_queue)o->context);
    mem_is((cl_mem)o->context);
    program_is(o, (cl_program)o->context);
    kernel_is(o, (cl_kernel)o->context);
    event_is(o, (cl_event)o->context);
    WRONG(CL_INVALID_DEVICE, clRetainDevice(d));
    WRONG(CL_INVALID_DEVICE, clReleaseDevice(d));
    WRONG(CL_INVALID_DEVICE, clGetDeviceInfo(d, CL_DEVICE_TYPE, 0, NULL, &len));
    WRONG(CL_INVALID_DEVICE, clCreateSubDevices(d, NULL, 0, NULL, &n));
    WRONG(CL_INVALID_DEVICE, clGetDeviceAndHostTimer(d, &(cl_ulong){0}, &(cl_ulong){0}));
    WRONG(CL_INVALID_DEVICE, clGetHostTimer(d, &(cl_ulong){0}));
    WRONG(CL_INVALID_DEVICE, clBuildProgram(program, 1, &d, NULL, NULL, NULL));
    WRONG(CL_INVALID_DEVICE, clCompileProgram(program, 1, &d, NULL, 0, NULL, NULL, NULL, NULL));
    WRONG(CL_INVALID_DEVICE, clGetProgramBuildInfo(program, d, CL_PROGRAM_BUILD_LOG, 0, NULL, &len));
    WRONG_NEW(CL_INVALID_DEVICE, clLinkProgram(o->context, 1, &d, NULL, 1, &program, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_DEVICE, clCreateProgramWithBinary(o->context, 1, &d, &len, &binary, NULL, &rc));
    WRONG_NEW(CL_INVALID_DEVICE, clCreateCommandQueue(o->context, d, 0, &rc));
    WRONG_NEW(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(o->context, d, NULL, &rc));
    WRONG_NEW(CL_INVALID_DEVICE, clCreateContext(NULL, 1, &d, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_PLATFORM, clCreateContext(other, 1, &o->device, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_PLATFORM, clCreateContextFromType(other, CL_DEVICE_TYPE_GPU, NULL, NULL, &rc));
    WRONG(CL_INVALID_PLATFORM, clGetPlatformInfo(p, CL_PLATFORM_NAME, 0, NULL, &len));
    WRONG(CL_INVALID_PLATFORM, clGetDeviceIDs(p, CL_DEVICE_TYPE_GPU, 0, NULL, &n));
    WRONG(CL_INVALID_PLATFORM, clUnloadPlatformCompiler(p));
    OK(clUnloadPlatformCompiler(o->platform));
    OK(clReleaseProgram(program));
}

/* What OpenCL has and this device has not: valid arguments get the error the specification has for that */
static void test_absent(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_uint n;
    size_t x = 4;
    void *p = &x;
    const void *cp = &x;
    cl_gl_object_type type;
    cl_GLuint name;
    cl_ulong t;
    cl_device_id d;
    cl_device_svm_capabilities svm = 1;
    cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_mem m = ocl_buffer(o, 64, NULL);
    cl_program program = ocl_program(o, text, NULL);
    cl_kernel k = ocl_kernel(program, "k");
    OK(clGetDeviceInfo(o->device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
    assert_int_equal(svm, 0);
    assert_null(clSVMAlloc(o->context, CL_MEM_READ_WRITE, 64, 0));
    clSVMFree(o->context, NULL);
    WRONG(CL_INVALID_OPERATION, clEnqueueSVMFree(o->queue, 1, &p, NULL, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, clEnqueueSVMMemcpy(o->queue, CL_TRUE, p, p, 4, 0, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, clEnqueueSVMMemFill(o->queue, p, p, 4, 4, 0, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, clEnqueueSVMMap(o->queue, CL_TRUE, CL_MAP_READ, p, 4, 0, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, clEnqueueSVMUnmap(o->queue, p, 0, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, clEnqueueSVMMigrateMem(o->queue, 1, &cp, &x, 0, 0, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, clSetKernelArgSVMPointer(k, 0, &x));
    WRONG(CL_INVALID_OPERATION, clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(p), &p));
    WRONG_NEW(CL_INVALID_OPERATION, clCreatePipe(o->context, 0, 4, 4, NULL, &rc));
    WRONG(CL_INVALID_MEM_OBJECT, clGetPipeInfo(m, CL_PIPE_PACKET_SIZE, sizeof(n), &n, NULL));
    WRONG(CL_INVALID_OPERATION, clGetDeviceAndHostTimer(o->device, &t, &t));
    WRONG(CL_INVALID_OPERATION, clGetHostTimer(o->device, &t));
    WRONG(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(o->context, o->device, o->queue));
    WRONG(CL_INVALID_OPERATION, clSetProgramReleaseCallback(program, never_program, NULL));
    WRONG(CL_INVALID_OPERATION, clSetProgramSpecializationConstant(program, 0, sizeof(n), &n));
    WRONG_NEW(CL_INVALID_OPERATION, clCreateProgramWithIL(o->context, "x", 1, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(o->context, 1, &o->device, "k", &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(o->context, 1, &o->device, NULL, &rc));
    WRONG(CL_INVALID_VALUE, clCreateSubDevices(o->device, how, 1, &d, &n));
    WRONG(CL_INVALID_OPERATION, clEnqueueNativeKernel(o->queue, NULL, &p, sizeof(p), 0, NULL, NULL, 0, NULL, NULL));
    WRONG_NEW(CL_INVALID_OPERATION, clCreateFromGLBuffer(o->context, 0, 1, &rc));
    WRONG_NEW(CL_INVALID_OPERATION, clCreateFromGLTexture(o->context, 0, 0x0DE1, 0, 1, &rc));
    WRONG_NEW(CL_INVALID_OPERATION, clCreateFromGLTexture2D(o->context, 0, 0x0DE1, 0, 1, &rc));
    WRONG_NEW(CL_INVALID_OPERATION, clCreateFromGLTexture3D(o->context, 0, 0x806F, 0, 1, &rc));
    WRONG_NEW(CL_INVALID_OPERATION, clCreateFromGLRenderbuffer(o->context, 0, 1, &rc));
    WRONG(CL_INVALID_GL_OBJECT, clGetGLObjectInfo(m, &type, &name));
    WRONG(CL_INVALID_GL_OBJECT, clGetGLTextureInfo(m, CL_GL_MIPMAP_LEVEL, sizeof(name), &name, NULL));
    WRONG(CL_INVALID_GL_OBJECT, clEnqueueAcquireGLObjects(o->queue, 1, &m, 0, NULL, NULL));
    WRONG(CL_INVALID_GL_OBJECT, clEnqueueReleaseGLObjects(o->queue, 1, &m, 0, NULL, NULL));
    OK(clEnqueueAcquireGLObjects(o->queue, 0, NULL, 0, NULL, NULL)); /* of nothing: does nothing */
    WRONG(CL_INVALID_VALUE, clEnqueueAcquireGLObjects(o->queue, 0, &m, 0, NULL, NULL));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(program));
    OK(clReleaseMemObject(m));
}

/* Functions the loader answers itself, or asks only while it starts: as the table has them */
static void test_table(void **state) {
    struct ocl *o = *state;
    const cl_icd_dispatch *t = *(cl_icd_dispatch *const *)o->platform;
    cl_platform_id p;
    cl_uint n;
    OK(t->clGetPlatformIDs(1, &p, &n));
    assert_ptr_equal(p, o->platform);
    assert_int_equal(n, 1);
    WRONG(CL_INVALID_VALUE, t->clGetPlatformIDs(0, &p, NULL));
    WRONG(CL_INVALID_VALUE, t->clGetPlatformIDs(0, NULL, NULL));
    OK(t->clUnloadCompiler());
    assert_non_null(t->clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"));
    assert_null(t->clGetExtensionFunctionAddress("clNoSuchFunction"));
    assert_null(t->clGetExtensionFunctionAddress(NULL));
    assert_non_null(t->clGetExtensionFunctionAddressForPlatform(o->platform, "clIcdGetPlatformIDsKHR"));
    assert_null(t->clGetExtensionFunctionAddressForPlatform(o->platform, "clNoSuchFunction"));
    assert_null(t->clGetExtensionFunctionAddressForPlatform((cl_platform_id)o->context, "clIcdGetPlatformIDsKHR"));
}

/* A handle stays good while something needs the object: a kernel's program, an event's queue, a queue's
 * context */
static void test_kept(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_context c = clCreateContext(NULL, 1, &o->device, NULL, NULL, &rc), up;
    cl_command_queue q = clCreateCommandQueue(c, o->device, 0, &rc);
    cl_event e;
    const char *t = text;
    cl_program p = clCreateProgramWithSource(c, 1, &t, NULL, &rc), of;
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = ocl_kernel(p, "k");
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
    OK(clGetKernelInfo(k, CL_KERNEL_PROGRAM, sizeof(of), &of, NULL));
    assert_ptr_equal(of, p);
    OK(clRetainProgram(of)); /* as the C++ bindings do */
    OK(clReleaseProgram(of));
    OK(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof(up), &up, NULL));
    assert_ptr_equal(up, c);
    OK(clEnqueueMarker(q, &e));
    OK(clReleaseCommandQueue(q));
    OK(clWaitForEvents(1, &e));
    OK(clReleaseEvent(e));
    OK(clReleaseKernel(k));
    WRONG(CL_INVALID_PROGRAM, clRetainProgram(p)); /* now everything is gone */
    WRONG(CL_INVALID_CONTEXT, clRetainContext(c));
}

OCL_TESTS(cmocka_unit_test(test_released), cmocka_unit_test(test_other_kind), cmocka_unit_test(test_absent),
          cmocka_unit_test(test_table), cmocka_unit_test(test_kept))
