/* What OpenCL 2.0 to 3.0 ask of a device and its platform, and the sub-groups of a kernel. What the device
 * does not have is answered with zero or nothing, as 3.0 wants. */
#include "opencl/opencl.h"

#include <stdlib.h>

static const struct {
    const char *name;
    bool warp32; /* sub-groups are warps, and shuffles are for 32 lanes */
} features[] = {
#define FEATURE(name, warp32) {name, warp32},
#include "opencl/features.def"
#undef FEATURE
};

const char *device_feature(u32 i) {
    u32 lanes = settings_get()->machine.warp_size;
    for (u32 k = 0; k < ARRAY_LEN(features); k++)
        if ((!features[k].warp32 || lanes == 32) && i-- == 0) return features[k].name;
    return NULL;
}

static bool has_sub_groups(void) { return settings_get()->machine.warp_size == 32; }

static cl_int names_answer(struct answer a, const cl_name_version *at, u32 n) { return answer_bytes(a, at, n * sizeof(*at)); }

static cl_int features_answer(struct answer a) {
    cl_name_version all[ARRAY_LEN(features)] = {0};
    u32 n = 0;
    for (const char *name; (name = device_feature(n)); n++) {
        all[n].version = CL_MAKE_VERSION(3, 0, 0);
        snprintf(all[n].name, sizeof(all[n].name), "%s", name);
    }
    return names_answer(a, all, n);
}

/* Every version that a program may name in -cl-std and gets whole */
static cl_int languages_answer(struct answer a) {
    static const u8 minor[][2] = {{1, 0}, {1, 1}, {1, 2}, {3, 0}};
    cl_name_version all[ARRAY_LEN(minor)] = {0};
    for (u32 i = 0; i < ARRAY_LEN(minor); i++) {
        all[i].version = CL_MAKE_VERSION(minor[i][0], minor[i][1], 0);
        snprintf(all[i].name, sizeof(all[i].name), "OpenCL C");
    }
    return names_answer(a, all, ARRAY_LEN(minor));
}

cl_int device_extensions_answer(struct answer a) {
    cl_name_version all[32] = {0};
    u32 n = 0;
    for (const char *at = driver_extensions; *at && n < ARRAY_LEN(all); n++) {
        size_t len = strcspn(at, " ");
        all[n].version = CL_MAKE_VERSION(1, 0, 0);
        snprintf(all[n].name, sizeof(all[n].name), "%.*s", (int)len, at);
        at += len + (at[len] == ' ');
    }
    return names_answer(a, all, n);
}

static cl_ulong atomic_capabilities(bool of_fences) {
    return CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
           CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE | (of_fences ? CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM : 0);
}

static bool versions(cl_device_info what, struct answer a, cl_int *rc) {
    switch (what) {
    case CL_DEVICE_NUMERIC_VERSION: *rc = answer_uint(a, DEVICE_VERSION); return true;
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS: *rc = languages_answer(a); return true;
    case CL_DEVICE_OPENCL_C_FEATURES: *rc = features_answer(a); return true;
    case CL_DEVICE_EXTENSIONS_WITH_VERSION: *rc = device_extensions_answer(a); return true;
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION: *rc = names_answer(a, NULL, 0); return true;
    case CL_DEVICE_IL_VERSION:
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED: *rc = answer_text(a, ""); return true;
    default: return false;
    }
}

/* Sub-groups, collectives, generic addresses, atomics, variables */
static bool present(cl_device_info what, struct answer a, const struct config *c, cl_int *rc) {
    switch (what) {
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT: *rc = answer_bool(a, true); return true;
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT: *rc = answer_bool(a, has_sub_groups()); return true;
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES: *rc = answer_ulong(a, atomic_capabilities(false)); return true;
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES: *rc = answer_ulong(a, atomic_capabilities(true)); return true;
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE: *rc = answer_size(a, DEVICE_VARIABLES_B); return true;
    case CL_DEVICE_MAX_NUM_SUB_GROUPS: *rc = answer_uint(a, has_sub_groups() ? (device_max_group(c) + 31) / 32 : 0); return true;
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: *rc = answer_size(a, c->warp_size); return true;
    default: return false;
    }
}

/* Shared virtual memory, pipes, queues on the device, images that are read and written, groups of several
 * sizes, progress of sub-groups */
static bool absent(cl_device_info what, struct answer a, cl_int *rc) {
    switch (what) {
    case CL_DEVICE_SVM_CAPABILITIES:
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES: *rc = answer_ulong(a, 0); return true;
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT: *rc = answer_uint(a, 0); return true;
    case CL_DEVICE_PIPE_SUPPORT:
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS: *rc = answer_bool(a, false); return true;
    default: return false;
    }
}

bool device_later(cl_device_info what, struct answer a, const struct config *c, cl_int *rc) {
    return versions(what, a, rc) || present(what, a, c, rc) || absent(what, a, rc);
}

/* --- the sub-groups of a kernel */

/* Work items of a group given as up to three numbers; 0 when that is none */
static u64 items_of(size_t in_b, const void *in) {
    u64 all = 1;
    if (!in || !in_b || in_b % sizeof(size_t) || in_b > 3 * sizeof(size_t)) return 0;
    for (size_t i = 0; i < in_b / sizeof(size_t); i++) {
        size_t one;
        memcpy(&one, (const u8 *)in + i * sizeof(one), sizeof(one));
        if (one > UINT32_MAX) return 0;
        all *= one;
    }
    return all;
}

/* A group of so many sub-groups, in one dimension; zeros when a group cannot have them */
static cl_int size_for_count(cl_kernel k, struct answer a, size_t in_b, const void *in) {
    size_t count, size[3] = {0, 0, 0}, n = a.to ? a.room / sizeof(size_t) : 1;
    if (in_b != sizeof(count) || !in || (a.to && (!n || n > 3))) return CL_INVALID_VALUE;
    memcpy(&count, in, sizeof(count));
    if (count && count * 32 <= kernel_told_group(k)) {
        size[0] = count * 32;
        size[1] = size[2] = 1;
    }
    return answer_bytes(a, size, n * sizeof(size_t));
}

cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel k, cl_device_id d, cl_kernel_sub_group_info what, size_t in_b,
                                           const void *in, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(k, OBJECT_KERNEL)) return CL_INVALID_KERNEL;
    if (d && d != &the_device) return CL_INVALID_DEVICE;
    if (!has_sub_groups()) return CL_INVALID_OPERATION;
    u64 items = items_of(in_b, in);
    switch (what) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: return items ? answer_size(a, MIN(items, 32u)) : CL_INVALID_VALUE;
    case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: return items ? answer_size(a, (items + 31) / 32) : CL_INVALID_VALUE;
    case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: return size_for_count(k, a, in_b, in);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS: return answer_size(a, (kernel_told_group(k) + 31) / 32);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS: return answer_size(a, 0);
    default: return CL_INVALID_VALUE;
    }
}
