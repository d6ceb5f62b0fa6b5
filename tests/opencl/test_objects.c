/* Platforms, devices, contexts, queues: made, counted, asked and refused as the specification says. */
#include "ocl.h"

static void test_platform(void **state) {
    struct ocl *o = *state;
    cl_uint n = 0;
    char text[1024];
    size_t need;
    OK(clGetPlatformIDs(0, NULL, &n));
    assert_int_equal(n, 1);
    WRONG(CL_INVALID_VALUE, clGetPlatformIDs(0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clGetPlatformIDs(0, &o->platform, NULL));
    OK(clGetPlatformInfo(o->platform, CL_PLATFORM_NAME, sizeof(text), text, &need));
    assert_string_equal(text, "heddle");
    assert_int_equal(need, 7);
    OK(clGetPlatformInfo(o->platform, CL_PLATFORM_VERSION, sizeof(text), text, NULL));
    assert_int_equal(strncmp(text, "OpenCL 3.0 ", 11), 0);
    OK(clGetPlatformInfo(o->platform, CL_PLATFORM_EXTENSIONS, sizeof(text), text, NULL));
    assert_non_null(strstr(text, "cl_khr_icd"));
    WRONG(CL_INVALID_VALUE, clGetPlatformInfo(o->platform, CL_PLATFORM_NAME, 3, text, NULL));
    WRONG(CL_INVALID_VALUE, clGetPlatformInfo(o->platform, 0x1234, sizeof(text), text, NULL));
    OK(clUnloadPlatformCompiler(o->platform));
    assert_null(clGetExtensionFunctionAddressForPlatform(o->platform, "clNoSuchThingKHR"));
}

static void test_device(void **state) {
    struct ocl *o = *state;
    cl_uint n = 0;
    cl_device_id d;
    cl_device_type type;
    size_t sizes[3], most;
    char text[256];
    OK(clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_ALL, 1, &d, &n));
    assert_int_equal(n, 1);
    assert_ptr_equal(d, o->device);
    OK(clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_DEFAULT, 1, &d, NULL));
    WRONG(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_CPU, 1, &d, NULL));
    WRONG(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(o->platform, 0, 1, &d, NULL));
    WRONG(CL_INVALID_VALUE, clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_GPU, 0, &d, NULL));
    WRONG(CL_INVALID_VALUE, clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_GPU, 1, NULL, NULL));
    OK(clGetDeviceInfo(o->device, CL_DEVICE_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_DEVICE_TYPE_GPU);
    OK(clGetDeviceInfo(o->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(n), &n, NULL));
    assert_int_equal(n, 15); /* gtx480 */
    OK(clGetDeviceInfo(o->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes, NULL));
    OK(clGetDeviceInfo(o->device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(most), &most, NULL));
    assert_int_equal(sizes[0], most);
    OK(clGetDeviceInfo(o->device, CL_DEVICE_NAME, sizeof(text), text, NULL));
    assert_non_null(strstr(text, "gtx480"));
    WRONG(CL_INVALID_VALUE, clGetDeviceInfo(o->device, CL_DEVICE_NAME, 2, text, NULL));
    WRONG(CL_INVALID_VALUE, clGetDeviceInfo(o->device, 0xFFFF, sizeof(text), text, NULL));
    OK(clRetainDevice(o->device));
    OK(clReleaseDevice(o->device));
    WRONG(CL_INVALID_DEVICE, clRetainDevice(NULL));
    WRONG(CL_INVALID_DEVICE, clReleaseDevice((cl_device_id)o->context)); /* another kind of object */
    cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    WRONG(CL_INVALID_VALUE, clCreateSubDevices(o->device, how, 1, &d, NULL));
    WRONG(CL_INVALID_DEVICE, clCreateSubDevices(NULL, how, 1, &d, NULL));
}

static void CL_CALLBACK note_context(cl_context c, void *user) {
    (void)c;
    ++*(int *)user;
}
static void CL_CALLBACK note_error(const char *text, const void *data, size_t bytes, void *user) {
    (void)text, (void)data, (void)bytes, (void)user;
}

static void test_context(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_uint n;
    cl_device_id d;
    int ended = 0;
    cl_context_properties good[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)o->platform, 0}, bad[] = {0x7777, 1, 0};
    cl_context c = clCreateContext(good, 1, &o->device, note_error, NULL, &rc);
    OK(rc);
    OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof(n), &n, NULL));
    assert_int_equal(n, 1);
    OK(clRetainContext(c));
    OK(clGetContextInfo(c, CL_CONTEXT_REFERENCE_COUNT, sizeof(n), &n, NULL));
    assert_int_equal(n, 2);
    OK(clGetContextInfo(c, CL_CONTEXT_DEVICES, sizeof(d), &d, NULL));
    assert_ptr_equal(d, o->device);
    cl_context_properties back[3];
    OK(clGetContextInfo(c, CL_CONTEXT_PROPERTIES, sizeof(back), back, NULL));
    assert_memory_equal(back, good, sizeof(good));
    WRONG(CL_INVALID_VALUE, clGetContextInfo(c, 0x1, sizeof(n), &n, NULL));
    OK(clSetContextDestructorCallback(c, note_context, &ended));
    WRONG(CL_INVALID_VALUE, clSetContextDestructorCallback(c, NULL, NULL));
    OK(clReleaseContext(c));
    assert_int_equal(ended, 0);
    OK(clReleaseContext(c));
    assert_int_equal(ended, 1);
    WRONG(CL_INVALID_CONTEXT, clReleaseContext(c)); /* released for good */
    WRONG(CL_INVALID_CONTEXT, clRetainContext(NULL));
    WRONG(CL_INVALID_CONTEXT, clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, sizeof(n), &n, NULL));
    WRONG_NEW(CL_INVALID_PROPERTY, clCreateContext(bad, 1, &o->device, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateContext(NULL, 0, &o->device, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateContext(NULL, 1, &o->device, NULL, &ended, &rc));
    c = clCreateContextFromType(good, CL_DEVICE_TYPE_GPU, NULL, NULL, &rc);
    OK(rc);
    OK(clReleaseContext(c));
    WRONG_NEW(CL_DEVICE_NOT_FOUND, clCreateContextFromType(good, CL_DEVICE_TYPE_ACCELERATOR, NULL, NULL, &rc));
}

static void test_queue(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_command_queue_properties p = 0, old;
    cl_context c;
    cl_command_queue q = clCreateCommandQueue(o->context, o->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &rc);
    OK(rc);
    OK(clGetCommandQueueInfo(q, CL_QUEUE_PROPERTIES, sizeof(p), &p, NULL));
    assert_int_equal(p, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    OK(clGetCommandQueueInfo(q, CL_QUEUE_CONTEXT, sizeof(c), &c, NULL));
    assert_ptr_equal(c, o->context);
    WRONG(CL_INVALID_VALUE, clGetCommandQueueInfo(q, 1, sizeof(c), &c, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(q, CL_QUEUE_SIZE, sizeof(c), &c, NULL)); /* not on the device */
    OK(clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, &old));
    assert_int_equal(old, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    WRONG(CL_INVALID_VALUE, clSetCommandQueueProperty(q, 1u << 20, CL_TRUE, NULL));
    OK(clRetainCommandQueue(q));
    OK(clReleaseCommandQueue(q));
    OK(clFlush(q));
    OK(clFinish(q));
    OK(clEnqueueBarrier(q));
    cl_event e;
    OK(clEnqueueMarker(q, &e));
    OK(clEnqueueWaitForEvents(q, 1, &e));
    OK(clReleaseEvent(e));
    WRONG(CL_INVALID_VALUE, clEnqueueMarker(q, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueWaitForEvents(q, 0, NULL));
    WRONG(CL_INVALID_CONTEXT, clEnqueueWaitForEvents(q, 1, &o->event));
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
    OK(clEnqueueBarrierWithWaitList(q, 0, NULL, &e));
    OK(clReleaseEvent(e));
    WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(q, 1, NULL, NULL));
    WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList(q, 0, &e, NULL));
    OK(clReleaseCommandQueue(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue(NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clFinish(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clFlush(q));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier(q));
    WRONG_NEW(CL_INVALID_VALUE, clCreateCommandQueue(o->context, o->device, 1u << 20, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateCommandQueue(NULL, o->device, 0, &rc));
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
                        on_device[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE, 0}, unknown[] = {0x4444, 1, 0};
    q = clCreateCommandQueueWithProperties(o->context, o->device, list, &rc);
    OK(rc);
    OK(clReleaseCommandQueue(q));
    q = clCreateCommandQueueWithProperties(o->context, o->device, NULL, &rc);
    OK(rc);
    OK(clReleaseCommandQueue(q));
    WRONG_NEW(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(o->context, o->device, on_device, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(o->context, o->device, unknown, &rc));
}

/* What is not there says so, and does not crash */
static void test_unsupported(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    size_t bytes = 4;
    void *args = &bytes;
    assert_null(clSVMAlloc(o->context, CL_MEM_READ_WRITE, 64, 0));
    WRONG_NEW(CL_INVALID_OPERATION, clCreateProgramWithIL(o->context, "x", 1, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(o->context, 1, &o->device, "none", &rc));
    WRONG_NEW(CL_INVALID_OPERATION, clCreatePipe(o->context, 0, 4, 4, NULL, &rc));
    WRONG(CL_INVALID_OPERATION, clEnqueueNativeKernel(o->queue, NULL, args, bytes, 0, NULL, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, clEnqueueSVMMemcpy(o->queue, CL_TRUE, &bytes, &bytes, 0, 0, NULL, NULL));
}

OCL_TESTS(cmocka_unit_test(test_platform), cmocka_unit_test(test_device), cmocka_unit_test(test_context),
          cmocka_unit_test(test_queue), cmocka_unit_test(test_unsupported))
