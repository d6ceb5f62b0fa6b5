/* What the device says of itself, from the machine's keys. */
#include "opencl/opencl.h"

u32 device_max_group(const struct config *c) {
    u32 by_warps = c->warps * c->warp_size;
    return MIN(MIN(1024u, c->threads), by_warps);
}

static u64 l2_bytes(const struct config *c) { return (u64)c->partitions * c->slices * c->l2_sets * c->l2_ways * c->l2_line_b; }

/* Floating point: as PTX computes */
static cl_device_fp_config fp_config(bool is_double) {
    cl_device_fp_config all =
        CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
    return is_double ? all : all | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
}

/* A machine from a file is called as the file is */
static cl_int name_answer(struct answer a) {
    struct strbuf s = {0};
    const struct settings *set = settings_get();
    const char *name = set->machine.machine, *slash = strrchr(name, '/');
    if (slash) name = slash + 1;
    strbuf_add(&s, "heddle %.*s%s", (int)strcspn(name, "."), name, set->functional ? " (functional)" : "");
    cl_int rc = answer_text(a, s.s);
    strbuf_free(&s);
    return rc;
}

static cl_int version_answer(struct answer a, const char *prefix) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s%s", prefix, heddle_version());
    cl_int rc = answer_text(a, s.s);
    strbuf_free(&s);
    return rc;
}

static cl_int zeros(struct answer a, size_t bytes) {
    static const u8 none[64];
    return answer_bytes(a, none, bytes);
}

/* Who and what */
static bool identity(cl_device_info what, struct answer a, cl_int *rc) {
    switch (what) {
    case CL_DEVICE_TYPE: *rc = answer_ulong(a, CL_DEVICE_TYPE_GPU); return true;
    case CL_DEVICE_VENDOR_ID: *rc = answer_uint(a, 0x6865); return true;
    case CL_DEVICE_NAME: *rc = name_answer(a); return true;
    case CL_DEVICE_VENDOR: *rc = answer_text(a, "heddle"); return true;
    case CL_DRIVER_VERSION: *rc = answer_text(a, heddle_version()); return true;
    case CL_DEVICE_PROFILE: *rc = answer_text(a, "FULL_PROFILE"); return true;
    case CL_DEVICE_VERSION: *rc = version_answer(a, "OpenCL 3.0 heddle "); return true;
    case CL_DEVICE_OPENCL_C_VERSION: *rc = answer_text(a, "OpenCL C 1.2 "); return true;
    case CL_DEVICE_EXTENSIONS: *rc = answer_text(a, driver_extensions); return true;
    case CL_DEVICE_PLATFORM: *rc = answer_handle(a, platform_first()); return true;
    case CL_DEVICE_BUILT_IN_KERNELS: *rc = answer_text(a, ""); return true;
    case CL_DEVICE_AVAILABLE: *rc = answer_bool(a, true); return true;
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE: *rc = answer_bool(a, compile_available()); return true;
    case CL_DEVICE_EXECUTION_CAPABILITIES: *rc = answer_ulong(a, CL_EXEC_KERNEL); return true;
    case CL_DEVICE_QUEUE_PROPERTIES:
        *rc = answer_ulong(a, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
        return true;
    case CL_DEVICE_PARENT_DEVICE: *rc = answer_handle(a, NULL); return true;
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: *rc = answer_uint(a, 0); return true;
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE: *rc = zeros(a, sizeof(cl_device_partition_property)); return true;
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: *rc = answer_ulong(a, 0); return true;
    case CL_DEVICE_REFERENCE_COUNT: *rc = answer_uint(a, 1); return true;
    default: return false;
    }
}

/* Shape and speed */
static bool compute(cl_device_info what, struct answer a, const struct config *c, cl_int *rc) {
    size_t most = device_max_group(c);
    const size_t sizes[3] = {most, most, MIN(most, (size_t)64)};
    switch (what) {
    case CL_DEVICE_MAX_COMPUTE_UNITS: *rc = answer_uint(a, c->sms); return true;
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: *rc = answer_uint(a, c->core_mhz); return true;
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: *rc = answer_uint(a, 3); return true;
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: *rc = answer_bytes(a, sizes, sizeof(sizes)); return true;
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: *rc = answer_size(a, most); return true;
    case CL_DEVICE_ADDRESS_BITS: *rc = answer_uint(a, 64); return true;
    case CL_DEVICE_ENDIAN_LITTLE: *rc = answer_bool(a, true); return true;
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: *rc = answer_uint(a, 0); return true;
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: *rc = answer_uint(a, 1); return true;
    case CL_DEVICE_SINGLE_FP_CONFIG: *rc = answer_ulong(a, fp_config(false)); return true;
    case CL_DEVICE_DOUBLE_FP_CONFIG: *rc = answer_ulong(a, fp_config(true)); return true;
    case CL_DEVICE_HALF_FP_CONFIG: *rc = answer_ulong(a, 0); return true;
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION: *rc = answer_size(a, 1); return true;
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: *rc = answer_bool(a, true); return true;
    case CL_DEVICE_PRINTF_BUFFER_SIZE: *rc = answer_size(a, DEVICE_PRINTF_B); return true;
    default: return false;
    }
}

static bool memory(cl_device_info what, struct answer a, const struct config *c, cl_int *rc) {
    u64 bytes = settings_get()->memory_b;
    switch (what) {
    case CL_DEVICE_GLOBAL_MEM_SIZE: *rc = answer_ulong(a, bytes); return true;
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: *rc = answer_ulong(a, bytes / 2); return true;
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: *rc = answer_uint(a, CL_READ_WRITE_CACHE); return true;
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: *rc = answer_ulong(a, l2_bytes(c)); return true;
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: *rc = answer_uint(a, c->l1_line_b); return true;
    case CL_DEVICE_LOCAL_MEM_TYPE: *rc = answer_uint(a, CL_LOCAL); return true;
    case CL_DEVICE_LOCAL_MEM_SIZE: *rc = answer_ulong(a, c->shared_b - c->shared_reserved_b); return true;
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: *rc = answer_ulong(a, DEVICE_CONSTANT_B); return true;
    case CL_DEVICE_MAX_CONSTANT_ARGS: *rc = answer_uint(a, 9); return true;
    case CL_DEVICE_MAX_PARAMETER_SIZE: *rc = answer_size(a, 4352); return true;
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: *rc = answer_uint(a, DEVICE_ALIGN_B * 8); return true;
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: *rc = answer_uint(a, 128); return true;
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
    case CL_DEVICE_HOST_UNIFIED_MEMORY: *rc = answer_bool(a, false); return true;
    default: return false;
    }
}

static bool images(cl_device_info what, struct answer a, cl_int *rc) {
    switch (what) {
    case CL_DEVICE_IMAGE_SUPPORT: *rc = answer_bool(a, true); return true;
    case CL_DEVICE_MAX_READ_IMAGE_ARGS: *rc = answer_uint(a, 128); return true;
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: *rc = answer_uint(a, 8); return true;
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT: *rc = answer_size(a, DEVICE_IMAGE_2D); return true;
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH: *rc = answer_size(a, DEVICE_IMAGE_3D); return true;
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: *rc = answer_size(a, 1u << 27); return true;
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: *rc = answer_size(a, DEVICE_IMAGE_3D); return true;
    case CL_DEVICE_MAX_SAMPLERS: *rc = answer_uint(a, DEVICE_SAMPLERS); return true;
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT: /* no images of rows over buffers */
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT: *rc = answer_uint(a, 0); return true;
    default: return false;
    }
}

/* cl_nv_device_attribute_query, which programs made for such devices ask without looking whether it is there.
 * The capability is the one kernels are compiled for. */
static bool nvidia(cl_device_info what, struct answer a, const struct config *c, cl_int *rc) {
    switch (what) {
    case CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV: *rc = answer_uint(a, COMPILE_CAPABILITY / 10); return true;
    case CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV: *rc = answer_uint(a, COMPILE_CAPABILITY % 10); return true;
    case CL_DEVICE_REGISTERS_PER_BLOCK_NV: *rc = answer_uint(a, c->registers); return true;
    case CL_DEVICE_WARP_SIZE_NV: *rc = answer_uint(a, c->warp_size); return true;
    case CL_DEVICE_GPU_OVERLAP_NV:
    case CL_DEVICE_KERNEL_EXEC_TIMEOUT_NV:
    case CL_DEVICE_INTEGRATED_MEMORY_NV: *rc = answer_bool(a, false); return true;
    default: return false;
    }
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    const struct config *c = &settings_get()->machine;
    cl_int rc;
    if (d != &the_device) return CL_INVALID_DEVICE;
    if (identity(what, a, &rc) || compute(what, a, c, &rc) || memory(what, a, c, &rc) || images(what, a, &rc) ||
        device_later(what, a, c, &rc) || nvidia(what, a, c, &rc))
        return rc;
    return CL_INVALID_VALUE;
}
