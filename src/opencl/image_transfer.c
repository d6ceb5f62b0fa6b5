/* Commands on images: boxes of texels to and from host memory, buffers and other images. */
#include "opencl/opencl.h"

#include <stdlib.h>

struct box image_box(cl_mem im, const size_t *origin) {
    const struct image_descriptor *d = &im->image;
    return (struct box){im->bytes + origin[2] * d->slice_b + origin[1] * d->row_b + origin[0] * d->element_b, d->row_b,
                        d->slice_b};
}

cl_int image_check_region(cl_mem im, const size_t *origin, const size_t *region) {
    size_t full[3];
    if (!origin || !region) return CL_INVALID_VALUE;
    image_region_full(im, full);
    for (u32 i = 0; i < 3; i++)
        if (!region[i] || origin[i] > full[i] || region[i] > full[i] - origin[i]) return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

struct texels { /* a command that moves a box of them; of one image, or two */
    struct command c;
    struct box to, from;
    size_t region[3]; /* the first in bytes */
    cl_mem uses[2];
    u8 colour[16];   /* fill: one texel */
    size_t colour_b; /* 0 when it is no fill */
};

static cl_int run_texels(struct command *c, cl_ulong *ns) {
    struct texels *t = (struct texels *)c;
    *ns = TRANSFER_NS(t->region[0] * t->region[1] * t->region[2]);
    if (!t->colour_b) box_copy(t->to, t->from, t->region);
    for (size_t z = 0; t->colour_b && z < t->region[2]; z++)
        for (size_t y = 0; y < t->region[1]; y++)
            for (size_t x = 0; x < t->region[0]; x += t->colour_b)
                memcpy(t->to.at + z * t->to.slice_b + y * t->to.row_b + x, t->colour, t->colour_b);
    return CL_SUCCESS;
}

static void drop_texels(struct command *c) {
    struct texels *t = (struct texels *)c;
    object_unpin(t->uses[0]);
    object_unpin(t->uses[1]);
}

static struct texels *texels_new(struct box to, struct box from, const size_t *region, size_t element_b, cl_mem a, cl_mem b) {
    struct texels *t = command_new(sizeof(*t), run_texels, drop_texels);
    t->to = to;
    t->from = from;
    t->region[0] = region[0] * element_b;
    t->region[1] = region[1];
    t->region[2] = region[2];
    t->uses[0] = a;
    t->uses[1] = b;
    driver_enter();
    object_pin(a);
    if (b) object_pin(b);
    driver_leave();
    return t;
}

static cl_int check_use(cl_command_queue q, cl_mem im, cl_uint n, const cl_event *wait) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!mem_is_image(im)) return CL_INVALID_MEM_OBJECT;
    if (im->context != q->context) return CL_INVALID_CONTEXT;
    return queue_check(q, n, wait);
}

/* Of host memory: the lengths that a zero stands for */
static bool host_box(cl_mem im, void *ptr, const size_t *region, size_t row, size_t slice, struct box *out) {
    size_t line = region[0] * im->image.element_b;
    if (!ptr || (row && row < line) || (slice && slice < (row ? row : line) * region[1])) return false;
    if (!row) row = line;
    if (im->type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice) row = slice; /* its layers are its second dimension */
    *out = (struct box){ptr, row, slice ? slice : row * region[1]};
    return true;
}

/* --- the program's memory */

static cl_int move_host(cl_command_queue q, cl_mem im, bool write, cl_bool block, const size_t *origin, const size_t *region,
                        size_t row, size_t slice, void *ptr, cl_uint n, const cl_event *wait, cl_event *out) {
    struct box host;
    cl_int rc = check_use(q, im, n, wait);
    if (!rc) rc = image_check_region(im, origin, region);
    if (!rc && !host_box(im, ptr, region, row, slice, &host)) rc = CL_INVALID_VALUE;
    if (rc) return rc;
    cl_mem_flags not = CL_MEM_HOST_NO_ACCESS | (write ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
    if (im->flags & not) return CL_INVALID_OPERATION;
    struct box dev = image_box(im, origin);
    struct texels *t = texels_new(write ? dev : host, write ? host : dev, region, im->image.element_b, im, NULL);
    return queue_add(q, write ? CL_COMMAND_WRITE_IMAGE : CL_COMMAND_READ_IMAGE, &t->c, block, n, wait, out);
}

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue q, cl_mem im, cl_bool block, const size_t *origin, const size_t *region,
                                      size_t row, size_t slice, void *ptr, cl_uint n, const cl_event *wait, cl_event *out) {
    return move_host(q, im, false, block, origin, region, row, slice, ptr, n, wait, out);
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue q, cl_mem im, cl_bool block, const size_t *origin, const size_t *region,
                                       size_t row, size_t slice, const void *ptr, cl_uint n, const cl_event *wait,
                                       cl_event *out) {
    return move_host(q, im, true, block, origin, region, row, slice, (void *)(uintptr_t)ptr, n, wait, out);
}

/* --- other memory of the device */

static bool overlap(const size_t *a, const size_t *b, const size_t *region) {
    for (u32 i = 0; i < 3; i++)
        if (a[i] + region[i] <= b[i] || b[i] + region[i] <= a[i]) return false;
    return true;
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                                      const size_t *to_origin, const size_t *region, cl_uint n, const cl_event *wait,
                                      cl_event *out) {
    cl_int rc = check_use(q, from, n, wait);
    if (!rc) rc = check_use(q, to, n, wait);
    if (rc) return rc;
    if (memcmp(&from->format, &to->format, sizeof(from->format))) return CL_IMAGE_FORMAT_MISMATCH;
    rc = image_check_region(from, from_origin, region);
    if (!rc) rc = image_check_region(to, to_origin, region);
    if (rc) return rc;
    if (from == to && overlap(from_origin, to_origin, region)) return CL_MEM_COPY_OVERLAP;
    struct texels *t =
        texels_new(image_box(to, to_origin), image_box(from, from_origin), region, from->image.element_b, from, to);
    return queue_add(q, CL_COMMAND_COPY_IMAGE, &t->c, false, n, wait, out);
}

static cl_int move_buffer(cl_command_queue q, cl_mem im, cl_mem b, bool to_image, const size_t *origin, const size_t *region,
                          size_t offset, cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = check_use(q, im, n, wait);
    if (rc) return rc;
    if (!mem_is_buffer(b)) return CL_INVALID_MEM_OBJECT;
    if (b->context != q->context) return CL_INVALID_CONTEXT;
    rc = image_check_region(im, origin, region);
    if (rc) return rc;
    size_t row = region[0] * im->image.element_b, bytes = row * region[1] * region[2];
    if (offset > b->size || bytes > b->size - offset) return CL_INVALID_VALUE;
    struct box linear = {b->bytes + offset, row, row * region[1]}, texels = image_box(im, origin);
    struct texels *t = texels_new(to_image ? texels : linear, to_image ? linear : texels, region, im->image.element_b, im, b);
    return queue_add(q, to_image ? CL_COMMAND_COPY_BUFFER_TO_IMAGE : CL_COMMAND_COPY_IMAGE_TO_BUFFER, &t->c, false, n, wait, out);
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue q, cl_mem im, cl_mem b, const size_t *origin, const size_t *region,
                                              size_t offset, cl_uint n, const cl_event *wait, cl_event *out) {
    return move_buffer(q, im, b, false, origin, region, offset, n, wait, out);
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue q, cl_mem b, cl_mem im, size_t offset, const size_t *origin,
                                              const size_t *region, cl_uint n, const cl_event *wait, cl_event *out) {
    return move_buffer(q, im, b, true, origin, region, offset, n, wait, out);
}

/* --- filling: the colour as one texel of the image */

static u16 half_of(float x) {
    u32 f;
    memcpy(&f, &x, 4);
    u32 sign = (f >> 16) & 0x8000, mag = f & 0x7FFFFFFF;
    if (mag >= 0x47800000) return (u16)(sign | (mag > 0x7F800000 ? 0x7E00 : 0x7C00));
    if (mag < 0x33000001) return (u16)sign;
    u32 shift = mag < 0x38800000 ? 126 - (mag >> 23) : 13;
    u32 m = mag < 0x38800000 ? (mag & 0x7FFFFF) | 0x800000 : mag - 0x38000000;
    u32 h = m >> shift, rest = m & ((1u << shift) - 1), mid = 1u << (shift - 1);
    return (u16)(sign | (h + (rest > mid || (rest == mid && h & 1))));
}

static long norm(float x, float low, long top) {
    x = x < low ? low : x > 1 ? 1 : x;
    float scaled = x * (float)top;
    return (long)(scaled < 0 ? scaled - 0.5f : scaled + 0.5f);
}

static size_t put_channel(u8 *to, cl_channel_type t, const void *colour, u32 i) {
    const float f = ((const float *)colour)[i];
    const i32 s = ((const i32 *)colour)[i];
    const u32 u = ((const u32 *)colour)[i];
    i64 v;
    switch (t) {
    case CL_UNORM_INT8: v = norm(f, 0, 255); break;
    case CL_UNORM_INT16: v = norm(f, 0, 65535); break;
    case CL_SNORM_INT8: v = norm(f, -1, 127); break;
    case CL_SNORM_INT16: v = norm(f, -1, 32767); break;
    case CL_SIGNED_INT8: v = MIN(MAX(s, -128), 127); break;
    case CL_SIGNED_INT16: v = MIN(MAX(s, -32768), 32767); break;
    case CL_UNSIGNED_INT8: v = MIN(u, 255u); break;
    case CL_UNSIGNED_INT16: v = MIN(u, 65535u); break;
    case CL_HALF_FLOAT: v = half_of(f); break;
    default: v = (i64)u; break; /* 32 bits as they are */
    }
    size_t n = t == CL_SIGNED_INT32 || t == CL_UNSIGNED_INT32 || t == CL_FLOAT                            ? 4
               : t == CL_UNORM_INT8 || t == CL_SNORM_INT8 || t == CL_SIGNED_INT8 || t == CL_UNSIGNED_INT8 ? 1
                                                                                                          : 2;
    memcpy(to, &v, n);
    return n;
}

static size_t put_packed(u8 *to, cl_channel_type t, const float *c) {
    bool ten = t == CL_UNORM_INT_101010;
    u32 r = (u32)norm(c[0], 0, ten ? 1023 : 31), b = (u32)norm(c[2], 0, ten ? 1023 : 31);
    u32 g = (u32)norm(c[1], 0, ten ? 1023 : t == CL_UNORM_SHORT_565 ? 63 : 31);
    u32 v = ten ? r << 20 | g << 10 | b : t == CL_UNORM_SHORT_565 ? r << 11 | g << 5 | b : r << 10 | g << 5 | b;
    memcpy(to, &v, ten ? 4 : 2);
    return ten ? 4 : 2;
}

/* Which channels of a colour lie in memory, in order */
static const char *channel_order(cl_channel_order o) {
    switch (o) {
    case CL_R:
    case CL_INTENSITY:
    case CL_LUMINANCE: return "\0";
    case CL_A: return "\3";
    case CL_RG: return "\0\1";
    case CL_RA: return "\0\3";
    case CL_BGRA: return "\2\1\0\3";
    case CL_ARGB: return "\3\0\1\2";
    default: return "\0\1\2\3";
    }
}

static size_t make_texel(cl_mem im, const void *colour, u8 *to) {
    cl_channel_type t = im->format.image_channel_data_type;
    if (im->format.image_channel_order == CL_RGB) return put_packed(to, t, colour);
    const char *order = channel_order(im->format.image_channel_order);
    size_t at = 0;
    for (u32 i = 0; at < im->image.element_b; i++) at += put_channel(to + at, t, colour, (u32)order[i]);
    return at;
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue q, cl_mem im, const void *colour, const size_t *origin,
                                      const size_t *region, cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = check_use(q, im, n, wait);
    if (!rc) rc = colour ? image_check_region(im, origin, region) : CL_INVALID_VALUE;
    if (rc) return rc;
    struct texels *t = texels_new(image_box(im, origin), (struct box){0}, region, im->image.element_b, im, NULL);
    t->colour_b = make_texel(im, colour, t->colour);
    return queue_add(q, CL_COMMAND_FILL_IMAGE, &t->c, false, n, wait, out);
}

/* --- mapping */

void *CL_API_CALL clEnqueueMapImage(cl_command_queue q, cl_mem im, cl_bool block, cl_map_flags f, const size_t *origin,
                                    const size_t *region, size_t *row, size_t *slice, cl_uint n, const cl_event *wait,
                                    cl_event *out, cl_int *error) {
    cl_int rc = check_use(q, im, n, wait);
    if (!rc) rc = image_check_region(im, origin, region);
    bool slices = !rc && (im->type == CL_MEM_OBJECT_IMAGE3D || im->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                          im->type == CL_MEM_OBJECT_IMAGE2D_ARRAY);
    if (!rc && (!row || (slices && !slice))) rc = CL_INVALID_VALUE;
    if (!rc) rc = mem_check_map(im, f);
    if (rc) {
        set_error(error, rc);
        return NULL;
    }
    struct box dev = image_box(im, origin), host = dev;
    if (im->host_ptr)
        host = (struct box){(u8 *)im->host_ptr + origin[2] * im->host_slice_b + origin[1] * im->host_row_b +
                                origin[0] * im->image.element_b,
                            im->host_row_b, im->host_slice_b};
    struct mapping *map = base_alloc(sizeof(*map));
    *map = (struct mapping){.pointer = host.at,
                            .flags = f,
                            .origin = {origin[0], origin[1], origin[2]},
                            .region = {region[0] * im->image.element_b, region[1], region[2]}};
    driver_enter();
    map->next = im->maps;
    im->maps = map;
    driver_leave();
    *row = host.row_b;
    if (slice) *slice = !slices ? 0 : im->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? host.row_b : host.slice_b;
    struct texels *t = texels_new(host, dev, im->host_ptr ? region : (size_t[]){0, 0, 0}, im->image.element_b, im, NULL);
    rc = queue_add(q, CL_COMMAND_MAP_IMAGE, &t->c, block, n, wait, out);
    if (rc) free(mem_take_mapping(im, host.at));
    set_error(error, rc);
    return rc ? NULL : host.at;
}
