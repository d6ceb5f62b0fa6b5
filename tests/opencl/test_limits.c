/* Numbers at their ends and texts that are none: sizes that wrap around, regions that just fit and just do
 * not, garbage for programs. Nothing here may crash. */
#include "ocl.h"

#define HUGE_SIZES {0, 1, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, (size_t)1 << 32, ((size_t)1 << 32) - 1, (size_t)1 << 63}

static uint32_t seed = 12345;
static uint32_t draw(uint32_t n) { /* the same numbers every time */
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* --- regions of buffers: what the specification's arithmetic, in wide integers, says */

static bool fits(const size_t origin[3], const size_t region[3], size_t row, size_t slice, size_t size) {
    typedef unsigned __int128 wide;
    if (!region[0] || !region[1] || !region[2]) return false;
    wide r = row ? row : region[0], s = slice ? slice : r * region[1];
    if (r < region[0] || s < r * region[1] || s % r) return false;
    return ((wide)origin[2] + region[2] - 1) * s + ((wide)origin[1] + region[1] - 1) * r + origin[0] + region[0] <= size;
}

static size_t any_size(void) {
    static const size_t huge[] = HUGE_SIZES;
    return draw(3) ? draw(20) : huge[draw(sizeof(huge) / sizeof(huge[0]))];
}

static void test_rects(void **state) {
    struct ocl *o = *state;
    enum { SIZE = 600 };
    static unsigned char host[1 << 16];
    const size_t zero[3] = {0, 0, 0};
    cl_mem m = ocl_buffer(o, SIZE, NULL), n = ocl_buffer(o, SIZE, NULL);
    int good = 0;
    for (int i = 0; i < 20000; i++) {
        size_t origin[3], region[3], row = draw(2) ? 0 : any_size(), slice = draw(2) ? 0 : any_size();
        for (int k = 0; k < 3; k++) {
            origin[k] = draw(2) ? 0 : any_size();
            region[k] = draw(4) ? 1 + draw(12) : any_size();
        }
        cl_int want = fits(origin, region, row, slice, SIZE) ? CL_SUCCESS : CL_INVALID_VALUE;
        good += !want;
        assert_int_equal(
            clEnqueueReadBufferRect(o->queue, m, CL_TRUE, origin, zero, region, row, slice, 0, 0, host, 0, NULL, NULL), want);
        assert_int_equal(
            clEnqueueWriteBufferRect(o->queue, m, CL_TRUE, origin, zero, region, row, slice, 0, 0, host, 0, NULL, NULL), want);
        assert_int_equal(clEnqueueCopyBufferRect(o->queue, m, n, origin, origin, region, row, slice, row, slice, 0, NULL, NULL),
                         want);
    }
    assert_true(good > 500);
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(n));
}

/* Overlap, against marking bytes */
static void test_overlap(void **state) {
    struct ocl *o = *state;
    enum { SIZE = 256 };
    cl_mem m = ocl_buffer(o, SIZE, NULL);
    int seen[2] = {0, 0};
    for (int i = 0; i < 20000; i++) {
        size_t a[3] = {draw(8), draw(6), draw(3)}, b[3] = {draw(8), draw(6), draw(3)},
               region[3] = {1 + draw(6), 1 + draw(4), 1 + draw(2)};
        size_t row = region[0] + draw(6), slice = row * (region[1] + draw(3));
        if (!fits(a, region, row, slice, SIZE) || !fits(b, region, row, slice, SIZE)) continue;
        unsigned char mark[SIZE] = {0};
        bool meet = false;
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++) memset(mark + (a[2] + z) * slice + (a[1] + y) * row + a[0], 1, region[0]);
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++) meet = meet || mark[(b[2] + z) * slice + (b[1] + y) * row + b[0] + x];
        seen[meet]++;
        assert_int_equal(clEnqueueCopyBufferRect(o->queue, m, m, a, b, region, row, slice, row, slice, 0, NULL, NULL),
                         meet ? CL_MEM_COPY_OVERLAP : CL_SUCCESS);
    }
    assert_true(seen[0] > 500 && seen[1] > 500);
    size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    WRONG(CL_INVALID_VALUE,
          clEnqueueCopyBufferRect(o->queue, m, m, zero, one, one, 4, 0, 5, 0, 0, NULL, NULL)); /* one buffer, two pitches */
    OK(clReleaseMemObject(m));
}

static void test_buffer_ranges(void **state) {
    struct ocl *o = *state;
    static const size_t huge[] = HUGE_SIZES;
    enum { N = sizeof(huge) / sizeof(huge[0]) };
    unsigned char host[256] = {0};
    cl_int rc;
    cl_mem m = ocl_buffer(o, 256, NULL), n = ocl_buffer(o, 256, NULL);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            size_t at = huge[i], bytes = huge[k];
            bool in = bytes && at <= 256 && bytes <= 256 - at;
            cl_int want = in ? CL_SUCCESS : CL_INVALID_VALUE;
            assert_int_equal(clEnqueueReadBuffer(o->queue, m, CL_TRUE, at, bytes, host, 0, NULL, NULL), want);
            assert_int_equal(clEnqueueWriteBuffer(o->queue, m, CL_TRUE, at, bytes, host, 0, NULL, NULL), want);
            assert_int_equal(clEnqueueCopyBuffer(o->queue, m, n, at, 0, bytes, 0, NULL, NULL), want);
            assert_int_equal(clEnqueueCopyBuffer(o->queue, m, n, 0, at, bytes, 0, NULL, NULL), want);
            assert_int_equal(clEnqueueFillBuffer(o->queue, m, host, 1, at, bytes, 0, NULL, NULL), want);
            void *p = clEnqueueMapBuffer(o->queue, m, CL_TRUE, CL_MAP_READ, at, bytes, 0, NULL, NULL, &rc);
            assert_int_equal(rc, want);
            if (p) OK(clEnqueueUnmapMemObject(o->queue, m, p, 0, NULL, NULL));
            cl_buffer_region r = {at, bytes};
            cl_mem s = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &rc);
            if (s) OK(clReleaseMemObject(s));
            assert_int_equal(s != NULL, in && at % 256 == 0);
        }
    for (int i = 0; i < N; i++) {
        if (huge[i] == 1) continue;
        WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateBuffer(o->context, 0, huge[i], NULL, &rc));
        WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(o->queue, m, host, huge[i], 0, 16, 0, NULL, NULL));
    }
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(n));
}

static void test_map_flags(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, pitch;
    const cl_image_format f = {CL_R, CL_FLOAT};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    const struct {
        cl_mem_flags memory;
        cl_map_flags map;
        cl_int want;
    } cases[] = {
        {0, CL_MAP_READ, CL_SUCCESS},
        {0, CL_MAP_READ | CL_MAP_WRITE, CL_SUCCESS},
        {0, CL_MAP_WRITE_INVALIDATE_REGION, CL_SUCCESS},
        {0, 1u << 7, CL_INVALID_VALUE},
        {0, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, CL_INVALID_VALUE},
        {CL_MEM_HOST_NO_ACCESS, CL_MAP_READ, CL_INVALID_OPERATION},
        {CL_MEM_HOST_READ_ONLY, CL_MAP_READ, CL_SUCCESS},
        {CL_MEM_HOST_READ_ONLY, CL_MAP_WRITE, CL_INVALID_OPERATION},
        {CL_MEM_HOST_WRITE_ONLY, CL_MAP_READ, CL_INVALID_OPERATION},
        {CL_MEM_HOST_WRITE_ONLY, CL_MAP_WRITE, CL_SUCCESS},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cl_uint count;
        cl_mem m[2] = {clCreateBuffer(o->context, cases[i].memory, 64, NULL, &rc),
                       clCreateImage(o->context, cases[i].memory, &f, &d, NULL, &rc)};
        for (int image = 0; image < 2; image++) {
            void *p = image
                          ? clEnqueueMapImage(o->queue, m[1], CL_TRUE, cases[i].map, zero, one, &pitch, NULL, 0, NULL, NULL, &rc)
                          : clEnqueueMapBuffer(o->queue, m[0], CL_TRUE, cases[i].map, 0, 4, 0, NULL, NULL, &rc);
            assert_int_equal(rc, cases[i].want);
            OK(clGetMemObjectInfo(m[image], CL_MEM_MAP_COUNT, sizeof(count), &count, NULL));
            assert_int_equal(count, p != NULL);
            if (p) OK(clEnqueueUnmapMemObject(o->queue, m[image], p, 0, NULL, NULL));
            OK(clReleaseMemObject(m[image]));
        }
    }
}

/* --- images */

static void test_images(void **state) {
    struct ocl *o = *state;
    static const size_t huge[] = HUGE_SIZES;
    cl_int rc;
    const cl_image_format f = {CL_RGBA, CL_FLOAT};
    for (unsigned i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
        cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = huge[i], .image_height = 4};
        cl_int want = huge[i] == 1 ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
        for (int k = 0; k < 4; k++) {
            cl_mem m = clCreateImage(o->context, 0, &f, &d, NULL, &rc);
            assert_int_equal(rc, want);
            if (m) OK(clReleaseMemObject(m));
            d = k == 0 ? (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE3D,
                                         .image_width = 1,
                                         .image_height = 1,
                                         .image_depth = huge[i]}
                : k == 1
                    ? (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 1, .image_array_size = huge[i]}
                    : (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = huge[i]};
        }
    }
    for (cl_channel_order order = CL_R - 2; order <= CL_sBGRA + 3;
         order++) /* every format there is, and more: made, or refused by name */
        for (cl_channel_type type = CL_SNORM_INT8 - 2; type <= CL_UNORM_INT_101010_2 + 2; type++) {
            const cl_image_format any = {order, type};
            cl_mem m = clCreateImage2D(o->context, 0, &any, 4, 4, 0, NULL, &rc);
            assert_true(m ? rc == CL_SUCCESS : rc == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR || rc == CL_IMAGE_FORMAT_NOT_SUPPORTED);
            if (m) OK(clReleaseMemObject(m));
        }
    cl_image_format listed[256];
    cl_uint n;
    OK(clGetSupportedImageFormats(o->context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE3D, 256, listed, &n));
    for (cl_uint i = 0; i < n; i++) { /* what is listed can be made */
        cl_mem m = clCreateImage3D(o->context, 0, &listed[i], 4, 4, 4, 0, 0, NULL, &rc);
        OK(rc);
        OK(clReleaseMemObject(m));
    }
    static float pixels[4 * 64 * 64];
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .image_row_pitch = 63};
    WRONG_NEW(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(o->context, CL_MEM_COPY_HOST_PTR, &f, &d, pixels, &rc));
    d.image_row_pitch = 80;
    cl_mem m = clCreateImage(o->context, CL_MEM_COPY_HOST_PTR, &f, &d, pixels, &rc);
    OK(rc);
    OK(clReleaseMemObject(m));
    WRONG_NEW(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(o->context, 0, &f, &d, NULL, &rc)); /* a pitch of nothing */
    cl_mem_properties some[] = {0x1111, 2, 0};
    d.image_row_pitch = 0;
    WRONG_NEW(CL_INVALID_PROPERTY, clCreateImageWithProperties(o->context, some, 0, &f, &d, NULL, &rc));
}

static void test_image_regions(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    unsigned char host[4096] = {0};
    const cl_image_format f = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    cl_mem m = clCreateImage(o->context, 0, &f, &d, NULL, &rc), b = ocl_buffer(o, 32, NULL);
    cl_uint colour[4] = {0};
    for (int i = 0; i < 20000; i++) {
        size_t origin[3], region[3], offset = draw(3) ? draw(8) : any_size();
        for (int k = 0; k < 3; k++) {
            origin[k] = draw(2) ? 0 : any_size();
            region[k] = draw(3) ? 1 + draw(k == 2 ? 1 : 5) : any_size();
        }
        const size_t full[3] = {8, 4, 1};
        bool in = true;
        for (int k = 0; k < 3; k++) in = in && region[k] && origin[k] <= full[k] && region[k] <= full[k] - origin[k];
        cl_int want = in ? CL_SUCCESS : CL_INVALID_VALUE;
        assert_int_equal(clEnqueueReadImage(o->queue, m, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL), want);
        assert_int_equal(clEnqueueFillImage(o->queue, m, colour, origin, region, 0, NULL, NULL), want);
        bool room = in && offset <= 32 && region[0] * region[1] <= 32 - offset;
        want = room ? CL_SUCCESS : CL_INVALID_VALUE;
        assert_int_equal(clEnqueueCopyImageToBuffer(o->queue, m, b, origin, region, offset, 0, NULL, NULL), want);
        assert_int_equal(clEnqueueCopyBufferToImage(o->queue, b, m, offset, origin, region, 0, NULL, NULL), want);
    }
    size_t zero[3] = {0}, four[3] = {4, 2, 1};
    WRONG(CL_INVALID_VALUE,
          clEnqueueReadImage(o->queue, m, CL_TRUE, zero, four, 3, 0, host, 0, NULL, NULL)); /* rows shorter than the region's */
    WRONG(CL_INVALID_VALUE, clEnqueueWriteImage(o->queue, m, CL_TRUE, zero, four, 0, 0, NULL, 0, NULL, NULL));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(b));
}

/* --- launches */

static void test_launches(void **state) {
    struct ocl *o = *state;
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2, (size_t)1 << 63, (size_t)1 << 32};
    cl_int rc;
    cl_program p = ocl_program(
        o,
        "kernel void k(global int *x, local int *l, local int *l2) { l[0] = l2[0] = 1; x[get_global_id(0)] = l[0]; }\n"
        "kernel __attribute__((reqd_work_group_size(4, 2, 1), work_group_size_hint(4, 2, 1))) void fixed(global int "
        "*x) { x[0] = 1; }\n"
        "kernel void look(read_only image2d_t a, write_only image2d_t b) { write_imagef(b, (int2)(0, 0), "
        "(float4)(get_image_width(a))); }",
        NULL);
    cl_kernel k = ocl_kernel(p, "k"), fixed = ocl_kernel(p, "fixed"), look = ocl_kernel(p, "look");
    cl_mem m = ocl_buffer(o, 4096, NULL);
    size_t n = 16, one = 1;
    char text[128];
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    OK(clSetKernelArg(k, 1, 64, NULL));
    OK(clSetKernelArg(k, 2, 64, NULL));
    for (unsigned i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
        WRONG(CL_INVALID_GLOBAL_WORK_SIZE, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &huge[i], NULL, 0, NULL, NULL));
        WRONG(CL_INVALID_GLOBAL_OFFSET, clEnqueueNDRangeKernel(o->queue, k, 1, &huge[i], &n, NULL, 0, NULL, NULL));
        rc = clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, &huge[i], 0, NULL, NULL);
        assert_true(rc == CL_INVALID_WORK_GROUP_SIZE || rc == CL_INVALID_WORK_ITEM_SIZE);
        OK(clSetKernelArg(k, 1, huge[i], NULL));
        OK(clSetKernelArg(k, 2, huge[i], NULL)); /* together they wrap around to nothing */
        WRONG(CL_OUT_OF_RESOURCES, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        OK(clSetKernelArg(k, 1, 64, NULL));
        OK(clSetKernelArg(k, 2, 64, NULL));
        WRONG(CL_INVALID_ARG_SIZE, clSetKernelArg(k, 0, huge[i], &m));
    }
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    cl_mem null = NULL;
    OK(clSetKernelArg(k, 0, sizeof(null), &null)); /* a buffer may be NULL */
    OK(clSetKernelArg(k, 0, sizeof(null), NULL));
    OK(clSetKernelArg(fixed, 0, sizeof(m), &m));
    size_t whole[2] = {8, 4}, part[2] = {4, 2}, turned[2] = {2, 4}, odd[2] = {8, 3};
    OK(clEnqueueNDRangeKernel(o->queue, fixed, 2, NULL, whole, part, 0, NULL, NULL));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(o->queue, fixed, 2, NULL, whole, turned, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(o->queue, fixed, 2, NULL, whole, NULL, 0, NULL, NULL)); /* the one it requires */
    WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(o->queue, fixed, 2, NULL, odd, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(o->queue, fixed, 0, NULL, NULL));
    OK(clGetKernelInfo(fixed, CL_KERNEL_ATTRIBUTES, sizeof(text), text, NULL));
    assert_string_equal(text, "reqd_work_group_size(4,2,1) work_group_size_hint(4,2,1)");
    OK(clGetKernelInfo(k, CL_KERNEL_ATTRIBUTES, sizeof(text), text, NULL));
    assert_string_equal(text, "");
    const cl_image_format f = {CL_R, CL_FLOAT};
    cl_mem in = clCreateImage2D(o->context, CL_MEM_READ_ONLY, &f, 4, 4, 0, NULL, &rc),
           out = clCreateImage2D(o->context, CL_MEM_WRITE_ONLY, &f, 4, 4, 0, NULL, &rc);
    WRONG(CL_INVALID_ARG_VALUE, clSetKernelArg(look, 0, sizeof(out), &out));
    WRONG(CL_INVALID_ARG_VALUE, clSetKernelArg(look, 1, sizeof(in), &in));
    OK(clSetKernelArg(look, 0, sizeof(in), &in));
    OK(clSetKernelArg(look, 1, sizeof(out), &out));
    OK(clEnqueueNDRangeKernel(o->queue, look, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clFinish(o->queue));
    OK(clReleaseMemObject(in));
    OK(clReleaseMemObject(out));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseKernel(fixed));
    OK(clReleaseKernel(look));
    OK(clReleaseProgram(p));
}

/* Ranges without work items, of one to three dimensions: nothing runs, events are waited for and made */
static void test_empty(void **state) {
    struct ocl *o = *state;
    static const size_t none[][3] = {{0, 0, 0}, {0, 4, 4}, {4, 0, 4}, {4, 4, 0}}, two[3] = {2, 2, 2};
    cl_int rc, status;
    cl_uint mark = 7;
    cl_program p = ocl_program(o, "kernel void k(global uint *x) { *x = 1; }", NULL);
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem m = ocl_buffer(o, 4, &mark);
    cl_command_type type;
    cl_event gate = clCreateUserEvent(o->context, &rc), e;
    WRONG(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, none[0], NULL, 0, NULL, NULL));
    OK(clSetKernelArg(k, 0, sizeof(m), &m));
    for (cl_uint dims = 1; dims <= 3; dims++) {
        OK(clEnqueueNDRangeKernel(o->queue, k, dims, NULL, NULL, NULL, 0, NULL, NULL));
        for (cl_uint i = 0; i <= dims; i++) {
            OK(clEnqueueNDRangeKernel(o->queue, k, dims, NULL, none[i], NULL, 0, NULL, NULL));
            OK(clEnqueueNDRangeKernel(o->queue, k, dims, two, none[i], two, 0, NULL, NULL));
        }
    }
    WRONG(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(o->queue, k, 1, NULL, none[0], none[0], 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, none[0], NULL, 1, &gate, &e));
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
    assert_int_equal(type, CL_COMMAND_NDRANGE_KERNEL);
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
    assert_true(status > CL_RUNNING);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &e));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(mark), &mark, 0, NULL, NULL));
    assert_int_equal(mark, 7);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* What work items are told of dimensions their range has, and has not, in numbers known and unknown when
 * compiled, with an offset and without */
static void test_dimensions(void **state) {
    struct ocl *o = *state;
    enum { ASKED = 6, TOLD = 8 };
    static const size_t global[3] = {6, 4, 2}, local[3] = {3, 2, 1}, at[3] = {5, 7, 9};
    static const cl_uint asked[ASKED] = {0, 1, 2, 3, 4, 4000000000u};
    static cl_uint out[2][ASKED][TOLD];
    cl_program p =
        ocl_program(o,
                    "#define TELL(to, d) { uint n = 0; to[n++] = get_global_size(d); to[n++] = get_local_size(d); to[n++] = "
                    "get_num_groups(d);\\\n"
                    "    to[n++] = get_global_offset(d); to[n++] = get_global_id(d) - get_global_offset(d);\\\n"
                    "    to[n++] = get_local_id(d); to[n++] = get_group_id(d); to[n++] = get_enqueued_local_size(d); }\n"
                    "kernel void k(constant uint *d, global uint *out) {\n"
                    "    if (get_local_id(0) + get_local_id(1) + get_group_id(0) + get_group_id(1) + get_group_id(2)) return;\n"
                    "    for (int i = 0; i < 6; i++, out += 8) TELL(out, d[i])\n"
                    "    TELL(out, 0) out += 8; TELL(out, 1) out += 8; TELL(out, 2) out += 8; TELL(out, 3) out += 8;\n"
                    "    TELL(out, 4) out += 8; TELL(out, 4000000000u) }\n",
                    "-cl-std=CL3.0");
    cl_kernel k = ocl_kernel(p, "k");
    cl_mem d = ocl_buffer(o, sizeof(asked), (void *)(uintptr_t)asked), m = ocl_buffer(o, sizeof(out), NULL);
    OK(clSetKernelArg(k, 0, sizeof(d), &d));
    OK(clSetKernelArg(k, 1, sizeof(m), &m));
    for (cl_uint dims = 1; dims <= 3; dims++)
        for (int shifted = 0; shifted < 2; shifted++) {
            OK(clEnqueueNDRangeKernel(o->queue, k, dims, shifted ? at : NULL, global, local, 0, NULL, NULL));
            OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
            for (cl_uint i = 0; i < 2 * ASKED; i++) {
                cl_uint x = asked[i % ASKED];
                bool has = x < dims;
                const size_t want[TOLD] = {
                    has ? global[x] : 1, has ? local[x] : 1, has ? global[x] / local[x] : 1, has && shifted ? at[x] : 0, 0, 0, 0,
                    has ? local[x] : 1};
                for (int w = 0; w < TOLD; w++) assert_int_equal(out[i / ASKED][i % ASKED][w], want[w]);
            }
        }
    OK(clReleaseMemObject(d));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

/* --- properties */

static void test_properties(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_context_properties twice[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)o->platform, CL_CONTEXT_PLATFORM,
                                     (cl_context_properties)o->platform, 0};
    cl_sampler_properties two[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0},
                          wrong[] = {CL_SAMPLER_FILTER_MODE, 1, 0};
    cl_queue_properties size[] = {CL_QUEUE_SIZE, 4096, 0}, bits[] = {CL_QUEUE_PROPERTIES, 1u << 20, 0};
    cl_context_properties sync[] = {CL_CONTEXT_INTEROP_USER_SYNC, 2, 0}, unknown[] = {0x7777, 1, 0},
                          nobody[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)o->device, 0};
    WRONG_NEW(CL_INVALID_PROPERTY, clCreateContext(twice, 1, &o->device, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_PROPERTY, clCreateContext(sync, 1, &o->device, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_PROPERTY, clCreateContext(unknown, 1, &o->device, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_PLATFORM, clCreateContext(nobody, 1, &o->device, NULL, NULL, &rc));
    sync[1] = CL_TRUE;
    OK(clReleaseContext(clCreateContext(sync, 1, &o->device, NULL, NULL, &rc)));
    WRONG_NEW(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(NULL, 1u << 20, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateSamplerWithProperties(o->context, two, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateSamplerWithProperties(o->context, wrong, &rc));
    WRONG_NEW(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(o->context, o->device, size, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(o->context, o->device, bits, &rc));
    WRONG_NEW(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueue(o->context, o->device, CL_QUEUE_ON_DEVICE, &rc));
    assert_null(clCreateBuffer(o->context, 0, 0, NULL, NULL)); /* nobody wants to know why */
    cl_mem m = clCreateBuffer(o->context, 0, 4, NULL, NULL);
    assert_non_null(m);
    OK(clReleaseMemObject(m));
}

/* --- programs that are none */

static cl_int try_source(struct ocl *o, const char *text, size_t len, const char *options) {
    cl_int rc;
    size_t n;
    cl_program p = clCreateProgramWithSource(o->context, 1, &text, &len, &rc);
    OK(rc);
    cl_int built = clBuildProgram(p, 0, NULL, options, NULL, NULL);
    OK(clGetProgramBuildInfo(p, o->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &n));
    if (built) assert_true(n > 1); /* and it says why */
    OK(clReleaseProgram(p));
    return built;
}

static void test_garbage_source(void **state) {
    struct ocl *o = *state;
    char junk[512];
    for (int i = 0; i < 6; i++) {
        for (size_t k = 0; k < sizeof(junk); k++) junk[k] = (char)(i < 3 ? draw(256) : ' ' + draw(95));
        junk[0] = '{'; /* never a program */
        WRONG(CL_BUILD_PROGRAM_FAILURE, try_source(o, junk, sizeof(junk), NULL));
    }
    WRONG(CL_BUILD_PROGRAM_FAILURE, try_source(o, "kernel void k(", 14, NULL));
    WRONG(CL_BUILD_PROGRAM_FAILURE, try_source(o, "#include \"no/such/file.h\"\n", 26, NULL));
    WRONG(CL_BUILD_PROGRAM_FAILURE, try_source(o, "kernel void k(global int *x) { x[0] = f(1); } int f(int);", 57, NULL));
    OK(try_source(o, "", 0, NULL)); /* a text without kernels is one */
    OK(try_source(o, "kernel void k(void) {} garbage behind the end", 22, NULL));
    WRONG(CL_INVALID_BUILD_OPTIONS, try_source(o, "kernel void k(void) {}", 22, "-D"));
    WRONG(CL_INVALID_BUILD_OPTIONS, try_source(o, "kernel void k(void) {}", 22, "--help"));
    WRONG(CL_INVALID_BUILD_OPTIONS, try_source(o, "kernel void k(void) {}", 22, "-o /tmp/x"));
    WRONG(CL_INVALID_BUILD_OPTIONS, try_source(o, "kernel void k(void) {}", 22, "`touch /tmp/x`"));
    OK(try_source(o, "kernel void k(global int *x) { x[0] = A; }", 42, "-DA='(1 + 2)' -I/no/such/folder -w"));
}

/* A binary, whole and with one byte after the other changed, cut off, or nothing like one */
static void test_garbage_binary(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    size_t len;
    cl_program p = ocl_program(o, "kernel void k(global int *x, int n) { for (int i = 0; i < n; i++) x[i] += i; }", NULL);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof(len), &len, NULL));
    unsigned char *good = malloc(len), *bad = malloc(len);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof(good), &good, NULL));
    OK(clReleaseProgram(p));
    int built = 0;
    for (int i = 0; i < 400; i++) {
        size_t use = i % 4 ? len : 1 + draw((uint32_t)len - 1);
        memcpy(bad, good, len);
        for (int k = 0; i && k < 1 + i % 5; k++) bad[draw((uint32_t)len)] = (unsigned char)draw(256);
        if (i == 399) memset(bad, 0, len);
        const unsigned char *b = bad;
        p = clCreateProgramWithBinary(o->context, 1, &o->device, &use, &b, NULL, &rc);
        assert_true(p ? rc == CL_SUCCESS : rc == CL_INVALID_BINARY);
        if (!p) continue;
        for (int again = 0; again < 2; again++) { /* a second build is as good as the first */
            rc = clBuildProgram(p, 0, NULL, NULL, NULL, NULL);
            assert_true(rc == CL_SUCCESS || rc == CL_BUILD_PROGRAM_FAILURE || rc == CL_INVALID_BINARY);
        }
        built += rc == CL_SUCCESS;
        cl_kernel k = rc ? NULL : clCreateKernel(p, "k", &rc);
        if (k) OK(clReleaseKernel(k));
        OK(clReleaseProgram(p));
    }
    assert_true(built > 0 && built < 400);
    free(good);
    free(bad);
}

/* NULLs where pointers are expected. What the loader answers itself does not count. */
static void test_nulls(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_uint n;
    size_t zero[3] = {0}, one[3] = {1, 1, 1}, len = 4;
    const char *null_text = NULL;
    const unsigned char *null_binary = NULL;
    cl_mem m = ocl_buffer(o, 64, NULL);
    const char *text = "kernel void k(global int *x) { *x = 1; }", *name = NULL;
    cl_program p = ocl_program(o, text, NULL), raw = clCreateProgramWithSource(o->context, 1, &text, NULL, &rc);
    OK(rc);
    WRONG_NEW(CL_INVALID_VALUE, clCreateContext(NULL, 1, NULL, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithSource(o->context, 1, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithSource(o->context, 1, &null_text, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(o->context, 1, &o->device, &len, &null_binary, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(o->context, 1, &o->device, NULL, &null_binary, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateProgramWithBinary(o->context, 0, NULL, &len, &null_binary, NULL, &rc));
    WRONG(CL_INVALID_VALUE, clCompileProgram(raw, 0, NULL, NULL, 1, &raw, &name, NULL, NULL));
    WRONG_NEW(CL_INVALID_VALUE, clCreateKernel(p, NULL, &rc));
    WRONG_NEW(CL_INVALID_KERNEL_NAME, clCreateKernel(p, "", &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &rc));
    WRONG(CL_INVALID_VALUE, clEnqueueReadBufferRect(o->queue, m, CL_TRUE, NULL, zero, one, 0, 0, 0, 0, &len, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueReadBufferRect(o->queue, m, CL_TRUE, zero, zero, one, 0, 0, 0, 0, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueWriteBufferRect(o->queue, m, CL_TRUE, zero, zero, NULL, 0, 0, 0, 0, &len, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(o->queue, 1, NULL, 0, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(o->queue, 1, &m, 1u << 9, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_GPU, 1, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_GPU, 0, &o->device, NULL));
    WRONG(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(o->platform, 0, 0, NULL, &n));
    WRONG(CL_INVALID_VALUE, clGetSupportedImageFormats(o->context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &(cl_image_format){0, 0}, NULL));
    OK(clGetDeviceInfo(o->device, CL_DEVICE_NAME, 0, NULL, NULL)); /* asks for nothing */
    OK(clReleaseMemObject(m));
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(raw));
}

OCL_TESTS(cmocka_unit_test(test_rects), cmocka_unit_test(test_overlap), cmocka_unit_test(test_buffer_ranges),
          cmocka_unit_test(test_map_flags), cmocka_unit_test(test_images), cmocka_unit_test(test_image_regions),
          cmocka_unit_test(test_launches), cmocka_unit_test(test_empty), cmocka_unit_test(test_dimensions),
          cmocka_unit_test(test_properties), cmocka_unit_test(test_garbage_source), cmocka_unit_test(test_garbage_binary),
          cmocka_unit_test(test_nulls))
