/* Images and samplers. An image is a block of device memory with a descriptor beside it that lib/images.cl
 * reads. */
#include "opencl/opencl.h"

#include <stdlib.h>

#define WITH(order)                                                                                                              \
    {order, CL_UNORM_INT8}, {order, CL_UNORM_INT16}, {order, CL_SNORM_INT8}, {order, CL_SNORM_INT16}, {order, CL_SIGNED_INT8},   \
        {order, CL_SIGNED_INT16}, {order, CL_SIGNED_INT32}, {order, CL_UNSIGNED_INT8}, {order, CL_UNSIGNED_INT16},               \
        {order, CL_UNSIGNED_INT32}, {order, CL_HALF_FLOAT}, {                                                                    \
        order, CL_FLOAT                                                                                                          \
    }
#define WITH_NORM(order)                                                                                                         \
    {order, CL_UNORM_INT8}, {order, CL_UNORM_INT16}, {order, CL_SNORM_INT8}, {order, CL_SNORM_INT16}, {order, CL_HALF_FLOAT}, {  \
        order, CL_FLOAT                                                                                                          \
    }
#define WITH_8(order)                                                                                                            \
    {order, CL_UNORM_INT8}, {order, CL_SNORM_INT8}, {order, CL_SIGNED_INT8}, { order, CL_UNSIGNED_INT8 }
const cl_image_format image_formats[] = {
    WITH(CL_RGBA),
    WITH(CL_R),
    WITH(CL_RG),
    WITH(CL_A),
    WITH(CL_RA),
    WITH_8(CL_BGRA),
    WITH_8(CL_ARGB),
    WITH_NORM(CL_INTENSITY),
    WITH_NORM(CL_LUMINANCE),
    {CL_RGB, CL_UNORM_SHORT_565},
    {CL_RGB, CL_UNORM_SHORT_555},
    {CL_RGB, CL_UNORM_INT_101010},
};
const u32 image_format_count = ARRAY_LEN(image_formats);

static size_t channel_b(cl_channel_type t) {
    switch (t) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8: return 1;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT: return 2;
    default: return 4;
    }
}

size_t image_element_b(const cl_image_format *f) {
    bool known = false;
    for (u32 i = 0; i < image_format_count; i++)
        known = known || (image_formats[i].image_channel_order == f->image_channel_order &&
                          image_formats[i].image_channel_data_type == f->image_channel_data_type);
    if (!known) return 0;
    switch (f->image_channel_order) {
    case CL_RG:
    case CL_RA: return 2 * channel_b(f->image_channel_data_type);
    case CL_RGB: return f->image_channel_data_type == CL_UNORM_INT_101010 ? 4 : 2;
    case CL_RGBA:
    case CL_BGRA:
    case CL_ARGB: return 4 * channel_b(f->image_channel_data_type);
    default: return channel_b(f->image_channel_data_type);
    }
}

/* Whether the specification knows such a format, here or not: some orders go with some types only */
static bool format_exists(const cl_image_format *f) {
    cl_channel_type t = f->image_channel_data_type;
    bool packed = t == CL_UNORM_SHORT_565 || t == CL_UNORM_SHORT_555 || t == CL_UNORM_INT_101010;
    bool is_float = t == CL_HALF_FLOAT || t == CL_FLOAT, norm = t >= CL_SNORM_INT8 && t <= CL_UNORM_INT16;
    if (t < CL_SNORM_INT8 || t > CL_FLOAT) return false;
    switch (f->image_channel_order) {
    case CL_RGB:
    case CL_RGBx: return packed;
    case CL_BGRA:
    case CL_ARGB: return channel_b(t) == 1;
    case CL_INTENSITY:
    case CL_LUMINANCE: return norm || is_float;
    case CL_R:
    case CL_A:
    case CL_RG:
    case CL_RA:
    case CL_Rx:
    case CL_RGx:
    case CL_RGBA: return !packed;
    default: return false;
    }
}

bool mem_is_image(cl_mem m) { return object_is(m, OBJECT_MEM) && m->type != CL_MEM_OBJECT_BUFFER; }

/* --- sizes */

static u32 dims_of(cl_mem_object_type t) {
    switch (t) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY: return 1;
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE2D_ARRAY: return 2;
    case CL_MEM_OBJECT_IMAGE3D: return 3;
    default: return 0;
    }
}

static bool is_array(cl_mem_object_type t) { return t == CL_MEM_OBJECT_IMAGE1D_ARRAY || t == CL_MEM_OBJECT_IMAGE2D_ARRAY; }

void image_region_full(cl_mem im, size_t region[3]) {
    const cl_image_desc *d = &im->desc;
    u32 dims = dims_of(im->type);
    region[0] = d->image_width;
    region[1] = dims > 1 ? d->image_height : is_array(im->type) ? d->image_array_size : 1;
    region[2] = dims > 2 ? d->image_depth : dims == 2 && is_array(im->type) ? d->image_array_size : 1;
}

static cl_int check_sizes(const cl_image_desc *d) {
    u32 dims = dims_of(d->image_type);
    size_t most = dims == 3 ? DEVICE_IMAGE_3D : d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? 1u << 27 : DEVICE_IMAGE_2D;
    if (!dims) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (!d->image_width || (dims > 1 && !d->image_height) || (dims > 2 && !d->image_depth)) return CL_INVALID_IMAGE_SIZE;
    if (d->image_width > most || (dims > 1 && d->image_height > most) || (dims > 2 && d->image_depth > most))
        return CL_INVALID_IMAGE_SIZE;
    if (is_array(d->image_type) && (!d->image_array_size || d->image_array_size > DEVICE_IMAGE_3D)) return CL_INVALID_IMAGE_SIZE;
    return d->num_mip_levels || d->num_samples ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
}

/* Row and slice lengths of what host_ptr points to */
static cl_int host_pitches(const cl_image_desc *d, size_t element_b, const void *host, size_t *row, size_t *slice) {
    size_t line = d->image_width * element_b;
    bool slices = d->image_type == CL_MEM_OBJECT_IMAGE3D || is_array(d->image_type);
    size_t rows = dims_of(d->image_type) > 1 ? d->image_height : 1;
    if (!host && !d->buffer && (d->image_row_pitch || d->image_slice_pitch)) return CL_INVALID_IMAGE_DESCRIPTOR;
    if (d->image_row_pitch && (d->image_row_pitch < line || d->image_row_pitch % element_b)) return CL_INVALID_IMAGE_DESCRIPTOR;
    *row = d->image_row_pitch ? d->image_row_pitch : line;
    if (slices && d->image_slice_pitch && (d->image_slice_pitch < *row * rows || d->image_slice_pitch % *row))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    *slice = !slices ? 0 : d->image_slice_pitch ? d->image_slice_pitch : *row * rows;
    return CL_SUCCESS;
}

/* --- making */

static bool is_packed(const cl_image_format *f) { return f->image_channel_order == CL_RGB; }

/* The image as a volume of texels, whatever it is: lines of an array are rows, layers are slices. 0 for
 * packed formats; the texture unit does not know them. */
static u64 make_texture(cl_mem im) {
    static const char *const types[] = {"snorm8", "snorm16", "unorm8", "unorm16", NULL,  NULL,  NULL, "s8",
                                        "s16",    "s32",     "u8",     "u16",     "u32", "f16", "f32"};
    const struct image_descriptor *d = &im->image;
    const char *type = types[d->type - CL_SNORM_INT8];
    char format[16], size[3][16], pitch[2][24];
    u64 handle = 0;
    if (!type) return 0;
    snprintf(format, sizeof(format), "%sx%zu", type, d->element_b / channel_b(d->type));
    const u32 sizes[3] = {d->width, d->height, d->depth};
    for (u32 i = 0; i < 3; i++) snprintf(size[i], sizeof(size[i]), "%u", sizes[i]);
    snprintf(pitch[0], sizeof(pitch[0]), "%u", d->row_b);
    snprintf(pitch[1], sizeof(pitch[1]), "%u", d->slice_b * (dims_of(im->type) > 1 ? 1 : d->height));
    struct heddle_texture t = {.address = d->data,
                               .keys = {{"geometry", "3d"},
                                        {"format", format},
                                        {"width", size[0]},
                                        {"height", size[1]},
                                        {"depth", size[2]},
                                        {"row_b", pitch[0]},
                                        {"slice_b", pitch[1]}},
                               .nkeys = 7};
    return heddle_texture_new(im->context->h, HEDDLE_TEXTURE, &t, &handle) ? 0 : handle;
}

/* False when the device has no room for it, or a buffer's place does not suit its texels */
static bool describe(cl_mem im) {
    const cl_image_desc *d = &im->desc;
    size_t region[3];
    image_region_full(im, region);
    im->image = (struct image_descriptor){
        .data = im->address,
        .width = (u32)region[0],
        .height = (u32)region[1],
        .depth = (u32)region[2],
        .row_b = im->image.row_b,
        .slice_b = im->image.slice_b,
        .order = im->format.image_channel_order,
        .type = im->format.image_channel_data_type,
        .element_b = (u32)image_element_b(&im->format),
        .dims = dims_of(im->type),
        .array_size = is_array(im->type) ? (u32)d->image_array_size : 0,
    };
    pthread_mutex_lock(&im->context->sim_lock);
    im->image.texture = make_texture(im);
    im->descriptor = heddle_alloc(im->context->h, sizeof(im->image));
    if (im->descriptor) heddle_write(im->context->h, im->descriptor, &im->image, sizeof(im->image));
    pthread_mutex_unlock(&im->context->sim_lock);
    return im->descriptor && (im->image.texture || is_packed(&im->format));
}

static cl_mem over_buffer(cl_context c, cl_mem_flags f, const cl_image_desc *d, size_t element_b, cl_int *rc) {
    cl_mem b = d->buffer;
    if (!mem_is_buffer(b) || b->context != c || d->image_width * element_b > b->size) {
        *rc = CL_INVALID_IMAGE_DESCRIPTOR;
        return NULL;
    }
    cl_mem m = mem_new(c, d->image_type, f & MEM_ACCESS_FLAGS ? f : f | (b->flags & MEM_ACCESS_FLAGS), 0);
    driver_enter();
    object_pin(b);
    driver_leave();
    m->parent = b;
    m->size = d->image_width * element_b;
    m->address = b->address;
    m->bytes = b->bytes;
    m->host_ptr = b->host_ptr;
    return m;
}

/* Rows lie close together on the device, whatever they do in the program's memory */
static cl_mem own_memory(cl_context c, cl_mem_flags f, const cl_image_desc *d, size_t element_b, cl_int *rc) {
    size_t rows = dims_of(d->image_type) > 1 ? d->image_height : 1;
    size_t layers = dims_of(d->image_type) > 2 ? d->image_depth : is_array(d->image_type) ? d->image_array_size : 1;
    u64 bytes = (u64)d->image_width * element_b * rows * layers;
    cl_mem m = bytes <= settings_get()->memory_b / 2 ? mem_new(c, d->image_type, f, bytes) : NULL;
    if (!m) *rc = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return m;
}

static void set_pitches(cl_mem m, size_t element_b) {
    size_t row = m->desc.image_width * element_b;
    m->image.row_b = (u32)row;
    /* an array of lines has a line in each layer: the second coordinate is the layer */
    m->image.slice_b = dims_of(m->type) > 1 ? (u32)(row * m->desc.image_height) : (u32)row;
}

static cl_int check_image(cl_context c, cl_mem_flags f, const cl_image_format *format, const cl_image_desc *d, const void *host) {
    if (!object_is(c, OBJECT_CONTEXT)) return CL_INVALID_CONTEXT;
    if (!mem_flags_ok(f)) return CL_INVALID_VALUE;
    if (!format) return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!d) return CL_INVALID_IMAGE_DESCRIPTOR;
    cl_int rc = check_sizes(d);
    if (rc) return rc;
    if (!format_exists(format)) return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!image_element_b(format)) return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    bool wants = f & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    if (d->buffer && d->image_type == CL_MEM_OBJECT_IMAGE2D) return CL_INVALID_OPERATION; /* no cl_khr_image2d_from_buffer */
    if ((d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER) != (d->buffer != NULL)) return CL_INVALID_IMAGE_DESCRIPTOR;
    return d->buffer || wants == (host != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

cl_mem CL_API_CALL clCreateImage(cl_context c, cl_mem_flags f, const cl_image_format *format, const cl_image_desc *d, void *host,
                                 cl_int *error) {
    size_t row = 0, slice = 0, region[3], element_b = 0;
    cl_int rc = check_image(c, f, format, d, host);
    if (!rc) {
        element_b = image_element_b(format);
        rc = host_pitches(d, element_b, host, &row, &slice);
    }
    cl_mem m = rc ? NULL : d->buffer ? over_buffer(c, f, d, element_b, &rc) : own_memory(c, f, d, element_b, &rc);
    set_error(error, rc);
    if (!m) return NULL;
    m->format = *format;
    m->desc = *d;
    m->host_row_b = row;
    m->host_slice_b = d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 0 : slice;
    if (d->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY) m->host_row_b = slice;
    set_pitches(m, element_b);
    if (!describe(m)) {
        object_release(m, OBJECT_MEM);
        set_error(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        return NULL;
    }
    if (host) {
        image_region_full(m, region);
        region[0] *= element_b;
        box_copy(image_box(m, (size_t[]){0, 0, 0}), (struct box){host, m->host_row_b, m->host_slice_b}, region);
    }
    if (f & CL_MEM_USE_HOST_PTR) m->host_ptr = host;
    return m;
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context c, const cl_mem_properties *p, cl_mem_flags f,
                                               const cl_image_format *format, const cl_image_desc *d, void *host, cl_int *error) {
    cl_mem m = clCreateImage(c, f, format, d, host, error);
    if (!m || mem_add_property(m, p)) return m;
    object_release(m, OBJECT_MEM);
    set_error(error, CL_INVALID_PROPERTY);
    return NULL;
}

cl_mem CL_API_CALL clCreateImage2D(cl_context c, cl_mem_flags f, const cl_image_format *format, size_t width, size_t height,
                                   size_t row, void *host, cl_int *error) {
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height, .image_row_pitch = row};
    cl_int rc;
    cl_mem m = clCreateImage(c, f, format, &d, host, &rc);
    set_error(error, rc == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : rc);
    return m;
}

cl_mem CL_API_CALL clCreateImage3D(cl_context c, cl_mem_flags f, const cl_image_format *format, size_t width, size_t height,
                                   size_t depth, size_t row, size_t slice, void *host, cl_int *error) {
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                       .image_width = width,
                       .image_height = height,
                       .image_depth = depth,
                       .image_row_pitch = row,
                       .image_slice_pitch = slice};
    cl_int rc;
    cl_mem m = clCreateImage(c, f, format, &d, host, &rc);
    set_error(error, rc == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : rc);
    return m;
}

/* --- asking */

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context c, cl_mem_flags f, cl_mem_object_type type, cl_uint n,
                                              cl_image_format *out, cl_uint *count) {
    if (!object_is(c, OBJECT_CONTEXT)) return CL_INVALID_CONTEXT;
    const u32 all = f & CL_MEM_KERNEL_READ_AND_WRITE ? 0 : image_format_count; /* no kernel reads and writes the same image */
    if (!dims_of(type) || !mem_flags_ok(f & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE) || (out && !n)) return CL_INVALID_VALUE;
    if (count) *count = all;
    if (out) memcpy(out, image_formats, MIN(n, all) * sizeof(*out));
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetImageInfo(cl_mem m, cl_image_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!mem_is_image(m)) return CL_INVALID_MEM_OBJECT;
    u32 dims = dims_of(m->type);
    switch (what) {
    case CL_IMAGE_FORMAT: return answer_bytes(a, &m->format, sizeof(m->format));
    case CL_IMAGE_ELEMENT_SIZE: return answer_size(a, m->image.element_b);
    case CL_IMAGE_ROW_PITCH: return answer_size(a, m->host_ptr && dims > 1 ? m->host_row_b : m->image.row_b);
    case CL_IMAGE_SLICE_PITCH: return answer_size(a, dims == 3 || is_array(m->type) ? m->image.slice_b : 0);
    case CL_IMAGE_WIDTH: return answer_size(a, m->desc.image_width);
    case CL_IMAGE_HEIGHT: return answer_size(a, dims > 1 ? m->desc.image_height : 0);
    case CL_IMAGE_DEPTH: return answer_size(a, dims > 2 ? m->desc.image_depth : 0);
    case CL_IMAGE_ARRAY_SIZE: return answer_size(a, is_array(m->type) ? m->desc.image_array_size : 0);
    case CL_IMAGE_BUFFER: return answer_handle(a, m->parent);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES: return answer_uint(a, 0);
    default: return CL_INVALID_VALUE;
    }
}

/* --- samplers */

static void sampler_destroy(void *object) {
    cl_sampler s = object;
    free(s->properties.at);
    object_unpin(s->context);
}

static u32 sampler_bits(cl_bool normalised, cl_addressing_mode a, cl_filter_mode f) {
    u32 bits = (normalised ? 1u : 0) | (f == CL_FILTER_LINEAR ? 0x20u : 0x10u);
    switch (a) { /* CLK_* of the language */
    case CL_ADDRESS_CLAMP_TO_EDGE: return bits | 2;
    case CL_ADDRESS_CLAMP: return bits | 4;
    case CL_ADDRESS_REPEAT: return bits | 6;
    case CL_ADDRESS_MIRRORED_REPEAT: return bits | 8;
    default: return bits;
    }
}

cl_sampler CL_API_CALL clCreateSampler(cl_context c, cl_bool normalised, cl_addressing_mode a, cl_filter_mode f, cl_int *error) {
    bool known = a >= CL_ADDRESS_NONE && a <= CL_ADDRESS_MIRRORED_REPEAT && (f == CL_FILTER_NEAREST || f == CL_FILTER_LINEAR) &&
                 normalised <= CL_TRUE;
    bool needs = a == CL_ADDRESS_REPEAT || a == CL_ADDRESS_MIRRORED_REPEAT;
    cl_int rc = !object_is(c, OBJECT_CONTEXT)      ? CL_INVALID_CONTEXT
                : !known || (needs && !normalised) ? CL_INVALID_VALUE
                                                   : CL_SUCCESS;
    set_error(error, rc);
    if (rc) return NULL;
    cl_sampler s = object_new(OBJECT_SAMPLER, sizeof(*s), sampler_destroy);
    driver_enter();
    object_pin(c);
    driver_leave();
    s->context = c;
    s->normalised = normalised;
    s->addressing = a;
    s->filter = f;
    s->bits = sampler_bits(normalised, a, f);
    return s;
}

/* Known properties, each at most once */
static bool sampler_properties_ok(const cl_sampler_properties *list) {
    for (const cl_sampler_properties *p = list; p && p[0]; p += 2) {
        if (p[0] != CL_SAMPLER_NORMALIZED_COORDS && p[0] != CL_SAMPLER_ADDRESSING_MODE && p[0] != CL_SAMPLER_FILTER_MODE)
            return false;
        for (const cl_sampler_properties *q = list; q < p; q += 2)
            if (q[0] == p[0]) return false;
    }
    return true;
}

cl_sampler CL_API_CALL clCreateSamplerWithProperties(cl_context c, const cl_sampler_properties *list, cl_int *error) {
    cl_bool normalised = CL_TRUE;
    cl_addressing_mode a = CL_ADDRESS_CLAMP;
    cl_filter_mode f = CL_FILTER_NEAREST;
    if (object_is(c, OBJECT_CONTEXT) && !sampler_properties_ok(list)) {
        set_error(error, CL_INVALID_VALUE);
        return NULL;
    }
    for (const cl_sampler_properties *p = list; p && p[0]; p += 2) {
        if (p[0] == CL_SAMPLER_NORMALIZED_COORDS) normalised = (cl_bool)p[1];
        else if (p[0] == CL_SAMPLER_ADDRESSING_MODE) a = (cl_addressing_mode)p[1];
        else f = (cl_filter_mode)p[1];
    }
    cl_sampler s = clCreateSampler(c, normalised, a, f, error);
    for (const cl_sampler_properties *p = list; s && p && p[0]; p += 2) {
        VEC_PUSH(&s->properties, p[0]);
        VEC_PUSH(&s->properties, p[1]);
    }
    if (s && list) VEC_PUSH(&s->properties, 0);
    return s;
}

cl_int CL_API_CALL clRetainSampler(cl_sampler s) { return object_retain(s, OBJECT_SAMPLER) ? CL_SUCCESS : CL_INVALID_SAMPLER; }
cl_int CL_API_CALL clReleaseSampler(cl_sampler s) { return object_release(s, OBJECT_SAMPLER) ? CL_SUCCESS : CL_INVALID_SAMPLER; }

cl_int CL_API_CALL clGetSamplerInfo(cl_sampler s, cl_sampler_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(s, OBJECT_SAMPLER)) return CL_INVALID_SAMPLER;
    switch (what) {
    case CL_SAMPLER_REFERENCE_COUNT: return answer_uint(a, object_refs(s));
    case CL_SAMPLER_CONTEXT: return answer_handle(a, s->context);
    case CL_SAMPLER_NORMALIZED_COORDS: return answer_uint(a, s->normalised);
    case CL_SAMPLER_ADDRESSING_MODE: return answer_uint(a, s->addressing);
    case CL_SAMPLER_FILTER_MODE: return answer_uint(a, s->filter);
    case CL_SAMPLER_PROPERTIES: return answer_bytes(a, s->properties.at, s->properties.n * sizeof(*s->properties.at));
    default: return CL_INVALID_VALUE;
    }
}
