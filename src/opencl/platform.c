/* The platform and its one device. Both exist as long as the process does; counting references to them
 * changes nothing.
 *
 * A program with a platform's index wired in may find that many (HEDDLE_PLATFORMS): they are the same
 * platform by other handles, with the same device. */
#include "opencl/opencl.h"

#include "report/record.h"

/* Extensions of the language (clang and lib/) and of the host's functions */
#define DEVICE_EXTENSIONS                                                                                                        \
    "cl_khr_icd cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "          \
    "cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics cl_khr_int64_extended_atomics cl_khr_byte_addressable_store " \
    "cl_khr_fp64 cl_khr_3d_image_writes"
const char driver_extensions[] = DEVICE_EXTENSIONS;

#define ONE                                                                                                                      \
    {                                                                                                                            \
        { &driver_dispatch, OBJECT_PLATFORM, 1, 1, NULL }                                                                        \
    }
static struct _cl_platform_id platforms_all[PLATFORMS_MOST] = {ONE, ONE, ONE, ONE, ONE, ONE, ONE, ONE};
#undef ONE
struct _cl_device_id the_device = {{&driver_dispatch, OBJECT_DEVICE, 1, 1, NULL}};

cl_platform_id platform_first(void) { return &platforms_all[0]; }

bool platform_is(cl_platform_id p) {
    for (u32 i = 0; i < settings_get()->platforms; i++)
        if (p == &platforms_all[i]) return true;
    return false;
}

cl_int CL_API_CALL clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *count) {
    if ((platforms && !n) || (!platforms && !count)) return CL_INVALID_VALUE;
    bool ok = settings_get()->ok;
    record_event(RECORD_LOADED, 0);
    u32 all = ok ? settings_get()->platforms : 0;
    if (count) *count = all;
    if (!ok) return CL_PLATFORM_NOT_FOUND_KHR;
    for (u32 i = 0; platforms && i < n && i < all; i++) platforms[i] = &platforms_all[i];
    return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *platforms, cl_uint *count) {
    return clGetPlatformIDs(n, platforms, count);
}

EXPORTED cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    struct strbuf s = {0};
    cl_int rc;
    if (p && !platform_is(p)) return CL_INVALID_PLATFORM;
    switch (what) {
    case CL_PLATFORM_PROFILE: return answer_text(a, "FULL_PROFILE");
    case CL_PLATFORM_VERSION:
        strbuf_add(&s, "OpenCL 3.0 heddle %s", heddle_version());
        rc = answer_text(a, s.s);
        strbuf_free(&s);
        return rc;
    case CL_PLATFORM_NAME: return answer_text(a, "heddle");
    case CL_PLATFORM_VENDOR: return answer_text(a, "heddle");
    case CL_PLATFORM_EXTENSIONS: return answer_text(a, driver_extensions);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return answer_text(a, "heddle");
    case CL_PLATFORM_NUMERIC_VERSION: return answer_uint(a, DEVICE_VERSION);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return device_extensions_answer(a);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: return answer_ulong(a, 0);
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *count) {
    const cl_device_type known =
        CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
    if (p && !platform_is(p)) return CL_INVALID_PLATFORM;
    if (!type || (type != CL_DEVICE_TYPE_ALL && type & ~known)) return CL_INVALID_DEVICE_TYPE;
    if ((devices && !n) || (!devices && !count)) return CL_INVALID_VALUE;
    bool here = settings_get()->ok && type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT);
    if (!here) record_event(RECORD_OTHER_TYPE, type);
    if (count) *count = here;
    if (!here) return CL_DEVICE_NOT_FOUND;
    record_event(RECORD_DEVICE, type);
    if (devices) devices[0] = &the_device;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clRetainDevice(cl_device_id d) { return d == &the_device ? CL_SUCCESS : CL_INVALID_DEVICE; }
cl_int CL_API_CALL clReleaseDevice(cl_device_id d) { return d == &the_device ? CL_SUCCESS : CL_INVALID_DEVICE; }

cl_int CL_API_CALL clCreateSubDevices(cl_device_id d, const cl_device_partition_property *how, cl_uint n, cl_device_id *out,
                                      cl_uint *count) {
    (void)how, (void)n, (void)out, (void)count;
    return d == &the_device ? CL_INVALID_VALUE : CL_INVALID_DEVICE; /* no way of partitioning is supported */
}
