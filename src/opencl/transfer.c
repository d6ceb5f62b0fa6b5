/* Commands on buffers. All of them move bytes between boxes: rows in slices of host or device memory. */
#include "opencl/opencl.h"

#include <stdlib.h>

void box_copy(struct box to, struct box from, const size_t region[3]) {
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memmove(to.at + z * to.slice_b + y * to.row_b, from.at + z * from.slice_b + y * from.row_b, region[0]);
}

struct copy { /* a command that copies a box */
    struct command c;
    struct box to, from;
    size_t region[3];
    cl_mem uses[2];
};

static cl_int run_copy(struct command *c, cl_ulong *ns) {
    struct copy *k = (struct copy *)c;
    box_copy(k->to, k->from, k->region);
    *ns = TRANSFER_NS(k->region[0] * k->region[1] * k->region[2]);
    return CL_SUCCESS;
}

static void drop_copy(struct command *c) {
    struct copy *k = (struct copy *)c;
    object_unpin(k->uses[0]);
    object_unpin(k->uses[1]);
}

static struct copy *copy_new(struct box to, struct box from, const size_t region[3], cl_mem a, cl_mem b) {
    struct copy *k = command_new(sizeof(*k), run_copy, drop_copy);
    k->to = to;
    k->from = from;
    memcpy(k->region, region, sizeof(k->region));
    k->uses[0] = a;
    k->uses[1] = b;
    driver_enter();
    if (a) object_pin(a);
    if (b) object_pin(b);
    driver_leave();
    return k;
}

/* --- checks */

static cl_int check_use(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *wait) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!mem_is_buffer(m)) return CL_INVALID_MEM_OBJECT;
    if (m->context != q->context) return CL_INVALID_CONTEXT;
    return queue_check(q, n, wait);
}

static bool inside(cl_mem m, size_t offset, size_t bytes) { return bytes && offset <= m->size && bytes <= m->size - offset; }

/* The row and slice lengths that a zero stands for, and whether they hold the region */
static bool complete_pitch(const size_t region[3], size_t *row, size_t *slice) {
    if (!region[0] || !region[1] || !region[2]) return false;
    if (!*row) *row = region[0];
    if (*row < region[0]) return false;
    size_t least;
    if (__builtin_mul_overflow(*row, region[1], &least)) return false;
    if (!*slice) *slice = least;
    return *slice >= least && *slice % *row == 0;
}

/* The byte behind the last one; SIZE_MAX when there is no such number */
static size_t rect_end(const size_t origin[3], const size_t region[3], size_t row, size_t slice) {
    const size_t step[3] = {1, row, slice};
    size_t end = 1;
    for (u32 i = 0; i < 3; i++) {
        size_t last, bytes;
        if (__builtin_add_overflow(origin[i], region[i] - 1, &last) || __builtin_mul_overflow(last, step[i], &bytes) ||
            __builtin_add_overflow(end, bytes, &end))
            return SIZE_MAX;
    }
    return end;
}

static struct box box_at(u8 *base, const size_t origin[3], size_t row, size_t slice) {
    return (struct box){base + origin[2] * slice + origin[1] * row + origin[0], row, slice};
}

/* --- one-dimensional */

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t bytes, void *to,
                                       cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = check_use(q, m, n, wait);
    if (rc) return rc;
    if (!to || !inside(m, offset, bytes)) return CL_INVALID_VALUE;
    if (m->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) return CL_INVALID_OPERATION;
    struct copy *k = copy_new((struct box){to, 0, 0}, (struct box){m->bytes + offset, 0, 0}, (size_t[]){bytes, 1, 1}, m, NULL);
    return queue_add(q, CL_COMMAND_READ_BUFFER, &k->c, block, n, wait, out);
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t bytes,
                                        const void *from, cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = check_use(q, m, n, wait);
    if (rc) return rc;
    if (!from || !inside(m, offset, bytes)) return CL_INVALID_VALUE;
    if (m->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) return CL_INVALID_OPERATION;
    struct copy *k = copy_new((struct box){m->bytes + offset, 0, 0}, (struct box){(u8 *)(uintptr_t)from, 0, 0},
                              (size_t[]){bytes, 1, 1}, m, NULL);
    return queue_add(q, CL_COMMAND_WRITE_BUFFER, &k->c, block, n, wait, out);
}

static bool overlap(cl_mem a, size_t a_at, cl_mem b, size_t b_at, size_t bytes) {
    u64 x = a->address + a_at, y = b->address + b_at;
    return x < y + bytes && y < x + bytes;
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t bytes,
                                       cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = check_use(q, from, n, wait);
    if (!rc) rc = check_use(q, to, n, wait);
    if (rc) return rc;
    if (!inside(from, from_at, bytes) || !inside(to, to_at, bytes)) return CL_INVALID_VALUE;
    if (overlap(from, from_at, to, to_at, bytes)) return CL_MEM_COPY_OVERLAP;
    struct copy *k = copy_new((struct box){to->bytes + to_at, 0, 0}, (struct box){from->bytes + from_at, 0, 0},
                              (size_t[]){bytes, 1, 1}, from, to);
    return queue_add(q, CL_COMMAND_COPY_BUFFER, &k->c, false, n, wait, out);
}

/* --- rectangles */

struct rect {
    const size_t *origin;
    size_t row, slice;
};

static cl_int rect_host(cl_command_queue q, cl_mem m, struct rect dev, struct rect host, const size_t *region, void *ptr,
                        bool write, cl_bool block, cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = check_use(q, m, n, wait);
    if (rc) return rc;
    if (!ptr || !dev.origin || !host.origin || !region) return CL_INVALID_VALUE;
    if (!complete_pitch(region, &dev.row, &dev.slice) || !complete_pitch(region, &host.row, &host.slice)) return CL_INVALID_VALUE;
    if (rect_end(dev.origin, region, dev.row, dev.slice) > m->size) return CL_INVALID_VALUE;
    cl_mem_flags not = CL_MEM_HOST_NO_ACCESS | (write ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY);
    if (m->flags & not) return CL_INVALID_OPERATION;
    struct box d = box_at(m->bytes, dev.origin, dev.row, dev.slice), h = box_at(ptr, host.origin, host.row, host.slice);
    struct copy *k = write ? copy_new(d, h, region, m, NULL) : copy_new(h, d, region, m, NULL);
    return queue_add(q, write ? CL_COMMAND_WRITE_BUFFER_RECT : CL_COMMAND_READ_BUFFER_RECT, &k->c, block, n, wait, out);
}

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin,
                                           const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                           size_t host_row, size_t host_slice, void *ptr, cl_uint n, const cl_event *wait,
                                           cl_event *out) {
    return rect_host(q, m, (struct rect){origin, row, slice}, (struct rect){host_origin, host_row, host_slice}, region, ptr,
                     false, block, n, wait, out);
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin,
                                            const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                            size_t host_row, size_t host_slice, const void *ptr, cl_uint n, const cl_event *wait,
                                            cl_event *out) {
    return rect_host(q, m, (struct rect){origin, row, slice}, (struct rect){host_origin, host_row, host_slice}, region,
                     (void *)(uintptr_t)ptr, true, block, n, wait, out);
}

/* Whether the row at x shares a byte with a row of the slice at u. Rows do not overlap each other, so only
 * the last one that starts at or before x and the one after it can. */
static bool row_meets_slice(const u8 *x, const u8 *u, size_t row_b, const size_t region[3]) {
    if (x + region[0] <= u) return false;
    size_t first = x < u ? 0 : (size_t)(x - u) / row_b;
    for (size_t v = first; v < region[1] && v <= first + 1; v++) {
        const u8 *row = u + v * row_b;
        if (x < row + region[0] && row < x + region[0]) return true;
    }
    return false;
}

/* Whether two boxes of one size in the same memory share a byte: exact, row by row. Slices do not overlap
 * each other either, so a row can only meet the last one that starts at or before it and the one after. */
static bool rects_overlap(struct box a, struct box b, const size_t region[3]) {
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            const u8 *x = a.at + z * a.slice_b + y * a.row_b;
            size_t first = x < b.at ? 0 : (size_t)(x - b.at) / b.slice_b;
            for (size_t w = first; w < region[2] && w <= first + 1; w++)
                if (row_meets_slice(x, b.at + w * b.slice_b, b.row_b, region)) return true;
        }
    return false;
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                                           const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                                           size_t to_row, size_t to_slice, cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = check_use(q, from, n, wait);
    if (!rc) rc = check_use(q, to, n, wait);
    if (rc) return rc;
    if (!from_origin || !to_origin || !region) return CL_INVALID_VALUE;
    if (!complete_pitch(region, &from_row, &from_slice) || !complete_pitch(region, &to_row, &to_slice)) return CL_INVALID_VALUE;
    size_t from_end = rect_end(from_origin, region, from_row, from_slice), to_end = rect_end(to_origin, region, to_row, to_slice);
    if (from_end > from->size || to_end > to->size) return CL_INVALID_VALUE;
    if (from == to && (from_row != to_row || from_slice != to_slice)) return CL_INVALID_VALUE;
    struct box a = box_at(from->bytes, from_origin, from_row, from_slice), b = box_at(to->bytes, to_origin, to_row, to_slice);
    bool near = a.at < b.at + to_end && b.at < a.at + from_end;
    if (near && rects_overlap(a, b, region)) return CL_MEM_COPY_OVERLAP;
    struct copy *k = copy_new(b, a, region, from, to);
    return queue_add(q, CL_COMMAND_COPY_BUFFER_RECT, &k->c, false, n, wait, out);
}

/* --- filling */

struct fill {
    struct command c;
    cl_mem m;
    size_t offset, bytes, pattern_b;
    u8 pattern[128];
};

static cl_int run_fill(struct command *c, cl_ulong *ns) {
    struct fill *k = (struct fill *)c;
    for (size_t at = 0; at < k->bytes; at += k->pattern_b) memcpy(k->m->bytes + k->offset + at, k->pattern, k->pattern_b);
    *ns = TRANSFER_NS(k->bytes);
    return CL_SUCCESS;
}

static void drop_fill(struct command *c) { object_unpin(((struct fill *)c)->m); }

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_b, size_t offset,
                                       size_t bytes, cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = check_use(q, m, n, wait);
    if (rc) return rc;
    if (!pattern || !pattern_b || pattern_b > 128 || pattern_b & (pattern_b - 1)) return CL_INVALID_VALUE;
    if (!inside(m, offset, bytes) || offset % pattern_b || bytes % pattern_b) return CL_INVALID_VALUE;
    struct fill *k = command_new(sizeof(*k), run_fill, drop_fill);
    k->m = m;
    k->offset = offset;
    k->bytes = bytes;
    k->pattern_b = pattern_b;
    memcpy(k->pattern, pattern, pattern_b);
    driver_enter();
    object_pin(m);
    driver_leave();
    return queue_add(q, CL_COMMAND_FILL_BUFFER, &k->c, false, n, wait, out);
}

/* --- mapping. A buffer with a copy in the program's memory is copied there and back; of others the bytes
 * themselves are handed out. */

cl_int mem_check_map(cl_mem m, cl_map_flags f) {
    const cl_map_flags all = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    if (!f || f & ~all || (f & CL_MAP_WRITE_INVALIDATE_REGION && f & (CL_MAP_READ | CL_MAP_WRITE))) return CL_INVALID_VALUE;
    if (m->flags & CL_MEM_HOST_NO_ACCESS) return CL_INVALID_OPERATION;
    if (f & CL_MAP_READ && m->flags & CL_MEM_HOST_WRITE_ONLY) return CL_INVALID_OPERATION;
    if (f & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) && m->flags & CL_MEM_HOST_READ_ONLY) return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

struct mapping *mem_take_mapping(cl_mem m, const void *pointer) {
    driver_enter();
    struct mapping **at = &m->maps, *found = NULL;
    while (*at && (*at)->pointer != pointer) at = &(*at)->next;
    if (*at) {
        found = *at;
        *at = found->next;
    }
    driver_leave();
    return found;
}

void *CL_API_CALL clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool block, cl_map_flags f, size_t offset, size_t bytes,
                                     cl_uint n, const cl_event *wait, cl_event *out, cl_int *error) {
    cl_int rc = check_use(q, m, n, wait);
    if (!rc && !inside(m, offset, bytes)) rc = CL_INVALID_VALUE;
    if (!rc) rc = mem_check_map(m, f);
    if (rc) {
        set_error(error, rc);
        return NULL;
    }
    u8 *host = m->host_ptr ? (u8 *)m->host_ptr + offset : m->bytes + offset;
    struct mapping *map = base_alloc(sizeof(*map));
    *map = (struct mapping){.pointer = host, .flags = f, .origin = {offset}, .region = {bytes, 1, 1}};
    driver_enter();
    map->next = m->maps;
    m->maps = map;
    driver_leave();
    size_t moved = m->host_ptr ? bytes : 0;
    struct copy *k = copy_new((struct box){host, 0, 0}, (struct box){m->bytes + offset, 0, 0}, (size_t[]){moved, 1, 1}, m, NULL);
    rc = queue_add(q, CL_COMMAND_MAP_BUFFER, &k->c, block, n, wait, out);
    if (rc) free(mem_take_mapping(m, host));
    set_error(error, rc);
    return rc ? NULL : host;
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *pointer, cl_uint n, const cl_event *wait,
                                           cl_event *out) {
    if (!object_is(q, OBJECT_QUEUE)) return CL_INVALID_COMMAND_QUEUE;
    if (!object_is(m, OBJECT_MEM)) return CL_INVALID_MEM_OBJECT;
    if (m->context != q->context) return CL_INVALID_CONTEXT;
    cl_int rc = queue_check(q, n, wait);
    if (rc) return rc;
    struct mapping *map = mem_take_mapping(m, pointer);
    if (!map) return CL_INVALID_VALUE;
    bool back = m->host_ptr && map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    struct box to = mem_is_image(m) ? image_box(m, map->origin) : (struct box){m->bytes + map->origin[0], 0, 0};
    struct copy *k =
        copy_new(to, (struct box){pointer, m->host_row_b, m->host_slice_b}, back ? map->region : (size_t[]){0, 0, 0}, m, NULL);
    free(map);
    return queue_add(q, CL_COMMAND_UNMAP_MEM_OBJECT, &k->c, false, n, wait, out);
}

/* --- where memory lives is not modelled: a migration is an event */

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint count, const cl_mem *list, cl_mem_migration_flags f,
                                              cl_uint n, const cl_event *wait, cl_event *out) {
    cl_int rc = queue_check(q, n, wait);
    if (rc) return rc;
    if (!count || !list || f & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(list[i], OBJECT_MEM)) return CL_INVALID_MEM_OBJECT;
        if (list[i]->context != q->context) return CL_INVALID_CONTEXT;
    }
    struct command *c = command_new(sizeof(*c), NULL, NULL);
    return queue_add(q, CL_COMMAND_MIGRATE_MEM_OBJECTS, c, false, n, wait, out);
}
