/* Images and samplers: formats, transfers, and what kernels read and write. */
#include "ocl.h"

#include <math.h>

enum { W = 8, H = 4 };

static cl_mem image(struct ocl *o, cl_channel_order order, cl_channel_type type, void *data) {
    cl_int rc;
    cl_image_format f = {order, type};
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_mem m = clCreateImage(o->context, data ? CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR : CL_MEM_READ_WRITE, &f, &d, data, &rc);
    OK(rc);
    return m;
}

static void test_create(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_uint n = 0;
    size_t x;
    cl_image_format f = {CL_RGBA, CL_FLOAT}, strange = {CL_RGB, CL_FLOAT}, got[256];
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H},
                  none = {.image_type = CL_MEM_OBJECT_IMAGE2D}, wild = {.image_type = 0x7777, .image_width = 1};
    OK(clGetSupportedImageFormats(o->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, got, &n));
    assert_true(n > 20);
    WRONG(CL_INVALID_VALUE, clGetSupportedImageFormats(o->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_BUFFER, 256, got, &n));
    cl_mem m = clCreateImage(o->context, CL_MEM_READ_ONLY, &f, &d, NULL, &rc);
    OK(rc);
    OK(clGetImageInfo(m, CL_IMAGE_WIDTH, sizeof(x), &x, NULL));
    assert_int_equal(x, W);
    OK(clGetImageInfo(m, CL_IMAGE_ELEMENT_SIZE, sizeof(x), &x, NULL));
    assert_int_equal(x, 16);
    OK(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof(x), &x, NULL));
    assert_int_equal(x, 16 * W);
    WRONG(CL_INVALID_VALUE, clGetImageInfo(m, 1, sizeof(x), &x, NULL));
    OK(clReleaseMemObject(m));
    WRONG(CL_INVALID_MEM_OBJECT, clGetImageInfo(m, CL_IMAGE_WIDTH, sizeof(x), &x, NULL));
    WRONG_NEW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
              clCreateImage(o->context, 0, &strange, &d, NULL, &rc)); /* RGB is for packed types */
    strange = (cl_image_format){CL_RGx, CL_FLOAT};
    WRONG_NEW(CL_IMAGE_FORMAT_NOT_SUPPORTED, clCreateImage(o->context, 0, &strange, &d, NULL, &rc));
    WRONG_NEW(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(o->context, 0, NULL, &d, NULL, &rc));
    WRONG_NEW(CL_INVALID_IMAGE_SIZE, clCreateImage(o->context, 0, &f, &none, NULL, &rc));
    WRONG_NEW(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(o->context, 0, &f, &wild, NULL, &rc));
    WRONG_NEW(CL_INVALID_HOST_PTR, clCreateImage(o->context, CL_MEM_COPY_HOST_PTR, &f, &d, NULL, &rc));
    cl_image_desc rows = d; /* over a buffer: an extension that is not there, and no query says so */
    rows.buffer = ocl_buffer(o, 16 * W * H, NULL);
    WRONG_NEW(CL_INVALID_OPERATION, clCreateImage(o->context, 0, &f, &rows, NULL, &rc));
    WRONG_NEW(CL_INVALID_OPERATION, clCreateImageWithProperties(o->context, NULL, 0, &f, &rows, NULL, &rc));
    OK(clReleaseMemObject(rows.buffer));
    OK(clGetDeviceInfo(o->device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof(n), &n, NULL));
    assert_int_equal(n, 0);
    m = clCreateImage2D(o->context, 0, &f, W, H, 0, NULL, &rc);
    OK(rc);
    OK(clReleaseMemObject(m));
    WRONG_NEW(CL_INVALID_IMAGE_SIZE, clCreateImage2D(o->context, 0, &f, 0, H, 0, NULL, &rc));
    m = clCreateImage3D(o->context, 0, &f, W, H, 2, 0, 0, NULL, &rc);
    OK(rc);
    OK(clReleaseMemObject(m));
    WRONG_NEW(CL_INVALID_IMAGE_SIZE, clCreateImage3D(o->context, 0, &f, W, H, 0, 0, 0, NULL, &rc));
    m = clCreateImageWithProperties(o->context, NULL, 0, &f, &d, NULL, &rc);
    OK(rc);
    OK(clReleaseMemObject(m));
}

static void test_transfers(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    unsigned char data[W * H], back[W * H];
    for (int i = 0; i < W * H; i++) data[i] = (unsigned char)i;
    cl_mem a = image(o, CL_R, CL_UNSIGNED_INT8, data), b = image(o, CL_R, CL_UNSIGNED_INT8, NULL),
           c = image(o, CL_R, CL_FLOAT, NULL);
    cl_mem buffer = ocl_buffer(o, W * H, NULL);
    size_t zero[3] = {0, 0, 0}, at[3] = {2, 1, 0}, all[3] = {W, H, 1}, part[3] = {3, 2, 1}, large[3] = {W, H + 1, 1}, pitch,
           slice;
    OK(clEnqueueReadImage(o->queue, a, CL_TRUE, at, part, 0, 0, back, 0, NULL, NULL));
    assert_int_equal(back[0], W + 2);
    assert_int_equal(back[3], 2 * W + 2);
    WRONG(CL_INVALID_VALUE, clEnqueueReadImage(o->queue, a, CL_TRUE, zero, large, 0, 0, back, 0, NULL, NULL));
    OK(clEnqueueWriteImage(o->queue, b, CL_TRUE, zero, all, 0, 0, data, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueWriteImage(o->queue, b, CL_TRUE, at, all, 0, 0, data, 0, NULL, NULL));
    OK(clEnqueueCopyImage(o->queue, a, b, zero, at, part, 0, NULL, NULL));
    OK(clEnqueueReadImage(o->queue, b, CL_TRUE, zero, all, 0, 0, back, 0, NULL, NULL));
    assert_int_equal(back[W + 2], 0);
    assert_int_equal(back[2 * W + 4], W + 2);
    assert_int_equal(back[W + 1], W + 1);
    WRONG(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(o->queue, a, c, zero, zero, part, 0, NULL, NULL));
    WRONG(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(o->queue, a, a, zero, at, part, 0, NULL, NULL));
    OK(clEnqueueCopyImageToBuffer(o->queue, a, buffer, at, part, 4, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, buffer, CL_TRUE, 4, 6, back, 0, NULL, NULL));
    assert_int_equal(back[3], 2 * W + 2);
    WRONG(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(o->queue, a, buffer, zero, all, 4, 0, NULL, NULL));
    OK(clEnqueueCopyBufferToImage(o->queue, buffer, b, 4, zero, part, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(o->queue, a, b, 4, zero, part, 0, NULL, NULL));
    cl_uint colour[4] = {300, 0, 0, 0};
    OK(clEnqueueFillImage(o->queue, b, colour, zero, part, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueFillImage(o->queue, b, NULL, zero, part, 0, NULL, NULL));
    unsigned char *p = clEnqueueMapImage(o->queue, b, CL_TRUE, CL_MAP_READ, zero, all, &pitch, &slice, 0, NULL, NULL, &rc);
    OK(rc);
    assert_int_equal(pitch, W);
    assert_int_equal(p[pitch + 1], 255); /* saturated */
    OK(clEnqueueUnmapMemObject(o->queue, b, p, 0, NULL, NULL));
    WRONG_NEW(CL_INVALID_VALUE, clEnqueueMapImage(o->queue, b, CL_TRUE, CL_MAP_READ, zero, all, NULL, NULL, 0, NULL, NULL, &rc));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(c));
    OK(clReleaseMemObject(buffer));
}

static void test_sampler(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_filter_mode f;
    cl_sampler s = clCreateSampler(o->context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &rc);
    OK(rc);
    OK(clGetSamplerInfo(s, CL_SAMPLER_FILTER_MODE, sizeof(f), &f, NULL));
    assert_int_equal(f, CL_FILTER_LINEAR);
    WRONG(CL_INVALID_VALUE, clGetSamplerInfo(s, 1, sizeof(f), &f, NULL));
    OK(clRetainSampler(s));
    OK(clReleaseSampler(s));
    OK(clReleaseSampler(s));
    WRONG(CL_INVALID_SAMPLER, clReleaseSampler(s));
    WRONG(CL_INVALID_SAMPLER, clRetainSampler(NULL));
    WRONG_NEW(CL_INVALID_VALUE, clCreateSampler(o->context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateSampler(o->context, CL_FALSE, 0x1, CL_FILTER_NEAREST, &rc));
    cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0}, bad[] = {0x1, 1, 0};
    s = clCreateSamplerWithProperties(o->context, list, &rc);
    OK(rc);
    OK(clReleaseSampler(s));
    WRONG_NEW(CL_INVALID_VALUE, clCreateSamplerWithProperties(o->context, bad, &rc));
}

static const char *const kernels =
    "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void flip(read_only image2d_t from, write_only image2d_t to) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    int2 size = get_image_dim(from);\n"
    "    write_imagef(to, (int2)(size.x - 1 - at.x, at.y), read_imagef(from, edge, at));\n"
    "}\n"
    "kernel void look(read_only image2d_t im, sampler_t s, global float4 *out, float x, float y) {\n"
    "    out[0] = read_imagef(im, s, (float2)(x, y));\n"
    "    out[1] = read_imagef(im, edge, (int2)(-5, 100));\n"
    "    out[2] = (float4)(get_image_width(im), get_image_height(im), get_image_channel_order(im) == CLK_R, 0);\n"
    "}\n"
    "kernel void count(read_only image2d_t im, global uint *out) {\n"
    "    atomic_add(out, read_imageui(im, edge, (int2)(get_global_id(0), get_global_id(1))).x);\n"
    "}\n"
    "kernel void line(read_only image1d_buffer_t im, global int *out) { out[get_global_id(0)] = read_imagei(im, "
    "(int)get_global_id(0)).x; }\n";

static void test_flip(void **state) {
    struct ocl *o = *state;
    unsigned char data[W * H * 4], back[W * H * 4];
    for (int i = 0; i < W * H * 4; i++) data[i] = (unsigned char)(i * 5);
    cl_program p = ocl_program(o, kernels, NULL);
    cl_kernel k = ocl_kernel(p, "flip");
    cl_mem a = image(o, CL_RGBA, CL_UNORM_INT8, data), b = image(o, CL_BGRA, CL_UNORM_INT8, NULL),
           plain = ocl_buffer(o, 64, NULL);
    size_t global[2] = {W, H}, zero[3] = {0, 0, 0}, all[3] = {W, H, 1};
    WRONG(CL_INVALID_MEM_OBJECT, clSetKernelArg(k, 0, sizeof(plain), &plain));
    OK(clSetKernelArg(k, 0, sizeof(a), &a));
    OK(clSetKernelArg(k, 1, sizeof(b), &b));
    OK(clEnqueueNDRangeKernel(o->queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(o->queue, b, CL_TRUE, zero, all, 0, 0, back, 0, NULL, NULL));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            const unsigned char *from = data + 4 * (y * W + x), *to = back + 4 * (y * W + W - 1 - x);
            assert_int_equal(to[2], from[0]);
            assert_int_equal(to[1], from[1]);
            assert_int_equal(to[0], from[2]);
            assert_int_equal(to[3], from[3]);
        }
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(plain));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

static void test_filter(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    float data[W * H], out[12], x = 2.5f, y = 1.0f;
    for (int i = 0; i < W * H; i++) data[i] = (float)i;
    cl_program p = ocl_program(o, kernels, NULL);
    cl_kernel k = ocl_kernel(p, "look");
    cl_mem im = image(o, CL_R, CL_FLOAT, data), m = ocl_buffer(o, sizeof(out), NULL);
    cl_sampler s = clCreateSampler(o->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &rc), wrong = NULL;
    OK(clSetKernelArg(k, 0, sizeof(im), &im));
    WRONG(CL_INVALID_SAMPLER, clSetKernelArg(k, 1, sizeof(wrong), &wrong));
    OK(clSetKernelArg(k, 1, sizeof(s), &s));
    OK(clSetKernelArg(k, 2, sizeof(m), &m));
    OK(clSetKernelArg(k, 3, sizeof(x), &x));
    OK(clSetKernelArg(k, 4, sizeof(y), &y));
    OK(clEnqueueTask(o->queue, k, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(out), out, 0, NULL, NULL));
    assert_true(out[0] == 6.0f); /* half-way between texel 2 of row 0 and of row 1: (2 + 10) / 2 */
    assert_true(out[3] == 1.0f);
    assert_true(out[4] == 24.0f); /* the edge's: row 3, texel 0 */
    assert_true(out[8] == W && out[9] == H && out[10] == 1);
    OK(clReleaseSampler(s));
    OK(clReleaseMemObject(im));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
}

static void test_integers_and_buffers(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    unsigned short data[W * H];
    cl_uint total = 0, want = 0;
    int numbers[16], back[16];
    for (int i = 0; i < W * H; i++) {
        data[i] = (unsigned short)(i * 1000);
        want += data[i];
    }
    for (int i = 0; i < 16; i++) numbers[i] = i * i - 50;
    cl_program p = ocl_program(o, kernels, NULL);
    cl_kernel k = ocl_kernel(p, "count"), l = ocl_kernel(p, "line");
    cl_mem im = image(o, CL_R, CL_UNSIGNED_INT16, data), m = ocl_buffer(o, 4, &total),
           b = ocl_buffer(o, sizeof(numbers), numbers), out = ocl_buffer(o, sizeof(back), NULL);
    size_t global[2] = {W, H}, n = 16;
    OK(clSetKernelArg(k, 0, sizeof(im), &im));
    OK(clSetKernelArg(k, 1, sizeof(m), &m));
    OK(clEnqueueNDRangeKernel(o->queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 4, &total, 0, NULL, NULL));
    assert_int_equal(total, want);
    cl_image_format f = {CL_R, CL_SIGNED_INT32};
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .buffer = b};
    cl_mem view = clCreateImage(o->context, CL_MEM_READ_ONLY, &f, &d, NULL, &rc);
    OK(rc);
    OK(clSetKernelArg(l, 0, sizeof(view), &view));
    OK(clSetKernelArg(l, 1, sizeof(out), &out));
    OK(clEnqueueNDRangeKernel(o->queue, l, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, out, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_memory_equal(back, numbers, sizeof(back));
    OK(clReleaseMemObject(view));
    OK(clReleaseMemObject(im));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    OK(clReleaseKernel(l));
    OK(clReleaseProgram(p));
}

/* --- every format, by the formulas of the specification */

static const char every_format[] =
    "__kernel void floats(read_only image2d_t im, __global float4 *out) { int i = get_global_id(0);\n"
    "  out[i] = read_imagef(im, CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, (int2)(i % 10 - 1, i / 10 - 1)); }\n"
    "__kernel void ints(read_only image2d_t im, __global int4 *out) { int i = get_global_id(0);\n"
    "  out[i] = read_imagei(im, CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, (int2)(i % 10 - 1, i / 10 - 1)); }\n"
    "__kernel void uints(read_only image2d_t im, __global uint4 *out) { int i = get_global_id(0);\n"
    "  out[i] = read_imageui(im, CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, (int2)(i % 10 - 1, i / 10 - 1)); }\n";

static float half_value(unsigned short h) {
    int e = h >> 10 & 31, m = h & 1023;
    float x = e ? ldexpf((float)(1024 + m), e - 25) : ldexpf((float)m, -24);
    return h & 0x8000 ? -x : x;
}

/* Channel i of a texel as read_imagef gives it, or the integer that the others give */
static float stored_float(cl_channel_type t, const unsigned char *p, int i) {
    short s;
    unsigned short u;
    float f;
    memcpy(&s, p + 2 * i, 2), memcpy(&u, p + 2 * i, 2);
    switch (t) {
    case CL_SNORM_INT8: return (signed char)p[i] == -128 ? -1 : (float)(signed char)p[i] / 127.0f;
    case CL_SNORM_INT16: return s == -32768 ? -1 : (float)s / 32767.0f;
    case CL_UNORM_INT8: return (float)p[i] / 255.0f;
    case CL_UNORM_INT16: return (float)u / 65535.0f;
    case CL_HALF_FLOAT: return half_value(u);
    default: memcpy(&f, p + 4 * i, 4); return f;
    }
}
static int stored_int(cl_channel_type t, const unsigned char *p, int i) {
    int v = 0, bytes = t == CL_SIGNED_INT8 || t == CL_UNSIGNED_INT8 ? 1 : t == CL_SIGNED_INT16 || t == CL_UNSIGNED_INT16 ? 2 : 4;
    memcpy(&v, p + bytes * i, (size_t)bytes);
    return t == CL_SIGNED_INT8 ? (signed char)v : t == CL_SIGNED_INT16 ? (short)v : v;
}

/* Which stored channel red, green, blue and alpha are; 8: zero, 9: one */
static const char *channels_of(cl_channel_order o) {
    switch (o) {
    case CL_R: return "0889";
    case CL_A: return "8880";
    case CL_INTENSITY: return "0000";
    case CL_LUMINANCE: return "0009";
    case CL_RG: return "0189";
    case CL_RA: return "0881";
    case CL_BGRA: return "2103";
    case CL_ARGB: return "1230";
    default: return "0123";
    }
}

static void check_format(struct ocl *o, cl_program p, const cl_image_format *f, size_t bytes) {
    cl_channel_type t = f->image_channel_data_type;
    bool ints = t >= CL_SIGNED_INT8 && t <= CL_SIGNED_INT32, uints = t >= CL_UNSIGNED_INT8 && t <= CL_UNSIGNED_INT32;
    unsigned char data[W * H * 16];
    float got[60][4];
    for (size_t i = 0; i < sizeof(data); i++) data[i] = (unsigned char)(i * 167 + i / 7 * 31 + 5);
    for (size_t i = 0; t == CL_HALF_FLOAT && i < sizeof(data); i += 2) data[i + 1] &= 0xBB; /* neither infinite nor NaN */
    for (size_t i = 0; t == CL_FLOAT && i < sizeof(data); i += 4) data[i + 3] &= 0xBE;
    cl_kernel k = ocl_kernel(p, ints ? "ints" : uints ? "uints" : "floats");
    cl_mem im = image(o, f->image_channel_order, t, data), out = ocl_buffer(o, sizeof(got), NULL);
    size_t n = 60;
    OK(clSetKernelArg(k, 0, sizeof(im), &im));
    OK(clSetKernelArg(k, 1, sizeof(out), &out));
    OK(clEnqueueNDRangeKernel(o->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, out, CL_TRUE, 0, sizeof(got), got, 0, NULL, NULL));
    const char *map = channels_of(f->image_channel_order);
    for (int i = 0; i < 60; i++) {
        int x = i % 10 - 1, y = i / 10 - 1;
        bool in = x >= 0 && x < W && y >= 0 && y < H;
        for (int c = 0; c < 4; c++) {
            int v = map[c] - '0', want_i = v == 9 ? 1 : 0;
            float want_f = (float)want_i;
            if (v < 4 && in) want_f = stored_float(t, data + bytes * (size_t)(W * y + x), v);
            if (v < 4 && in) want_i = stored_int(t, data + bytes * (size_t)(W * y + x), v);
            if (memcmp(&got[i][c], ints || uints ? (void *)&want_i : (void *)&want_f, 4) != 0)
                fail_msg("order 0x%x, type 0x%x, (%d, %d), channel %d: %g, not %g", f->image_channel_order, t, x, y, c,
                         (double)got[i][c], (double)want_f);
        }
    }
    OK(clReleaseMemObject(im));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
}

static void test_every_format(void **state) {
    struct ocl *o = *state;
    cl_image_format all[256];
    cl_uint n = 0, checked = 0;
    size_t bytes;
    cl_program p = ocl_program(o, every_format, NULL);
    OK(clGetSupportedImageFormats(o->context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, all, &n));
    for (cl_uint i = 0; i < n; i++) {
        if (all[i].image_channel_order == CL_RGB) continue; /* packed: not by the texture unit */
        cl_mem im = image(o, all[i].image_channel_order, all[i].image_channel_data_type, NULL);
        OK(clGetImageInfo(im, CL_IMAGE_ELEMENT_SIZE, sizeof(bytes), &bytes, NULL));
        OK(clReleaseMemObject(im));
        check_format(o, p, &all[i], bytes);
        checked++;
    }
    assert_true(checked >= 60);
    OK(clReleaseProgram(p));
}

OCL_TESTS(cmocka_unit_test(test_create), cmocka_unit_test(test_transfers), cmocka_unit_test(test_sampler),
          cmocka_unit_test(test_flip), cmocka_unit_test(test_filter), cmocka_unit_test(test_integers_and_buffers),
          cmocka_unit_test(test_every_format))
