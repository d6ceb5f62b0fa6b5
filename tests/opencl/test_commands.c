/* Every clEnqueue...: what all of them promise. A row per function; each test goes through all rows. */
#include "ocl.h"

struct things { /* what the commands work on, all of context `context` */
    cl_mem a, b, image, image2;
    cl_kernel kernel;
    unsigned char host[256];
    void *mapped, *mapped_image; /* by the map commands; unmapped by the unmap rows */
};
struct row {
    const char *name;
    cl_command_type type;
    /* The command with q, n, wait, out; what it answers */
    cl_int (*enqueue)(struct things *t, cl_command_queue q, cl_bool block, cl_uint n, const cl_event *wait, cl_event *out);
    bool blocks;   /* has a blocking form */
    bool memories; /* uses objects of a context: they must be the queue's */
};
#define ROW(id)                                                                                                                  \
    static cl_int id(struct things *t, cl_command_queue q, cl_bool block, cl_uint n, const cl_event *wait, cl_event *out)
#define UNUSED (void)t, (void)block

static const size_t zero[3] = {0, 0, 0}, four[3] = {4, 1, 1};

ROW(read_buffer) { return clEnqueueReadBuffer(q, t->a, block, 0, 16, t->host, n, wait, out); }
ROW(write_buffer) { return clEnqueueWriteBuffer(q, t->a, block, 0, 16, t->host, n, wait, out); }
ROW(read_rect) { return clEnqueueReadBufferRect(q, t->a, block, zero, zero, four, 0, 0, 0, 0, t->host, n, wait, out); }
ROW(write_rect) { return clEnqueueWriteBufferRect(q, t->a, block, zero, zero, four, 0, 0, 0, 0, t->host, n, wait, out); }
ROW(copy_buffer) {
    UNUSED;
    return clEnqueueCopyBuffer(q, t->a, t->b, 0, 0, 16, n, wait, out);
}
ROW(copy_rect) {
    UNUSED;
    return clEnqueueCopyBufferRect(q, t->a, t->b, zero, zero, four, 0, 0, 0, 0, n, wait, out);
}
ROW(fill_buffer) {
    UNUSED;
    return clEnqueueFillBuffer(q, t->a, "abcd", 4, 0, 16, n, wait, out);
}
ROW(map_buffer) {
    cl_int rc;
    t->mapped = clEnqueueMapBuffer(q, t->a, block, CL_MAP_READ, 0, 16, n, wait, out, &rc);
    return rc;
}
ROW(unmap) {
    UNUSED;
    return clEnqueueUnmapMemObject(q, t->a, t->mapped, n, wait, out);
}
ROW(read_image) { return clEnqueueReadImage(q, t->image, block, zero, four, 0, 0, t->host, n, wait, out); }
ROW(write_image) { return clEnqueueWriteImage(q, t->image, block, zero, four, 0, 0, t->host, n, wait, out); }
ROW(copy_image) {
    UNUSED;
    return clEnqueueCopyImage(q, t->image, t->image2, zero, zero, four, n, wait, out);
}
ROW(image_to_buffer) {
    UNUSED;
    return clEnqueueCopyImageToBuffer(q, t->image, t->a, zero, four, 0, n, wait, out);
}
ROW(buffer_to_image) {
    UNUSED;
    return clEnqueueCopyBufferToImage(q, t->a, t->image, 0, zero, four, n, wait, out);
}
ROW(fill_image) {
    const cl_uint colour[4] = {1, 2, 3, 4};
    UNUSED;
    return clEnqueueFillImage(q, t->image, colour, zero, four, n, wait, out);
}
ROW(map_image) {
    cl_int rc;
    size_t pitch;
    t->mapped_image = clEnqueueMapImage(q, t->image, block, CL_MAP_READ, zero, four, &pitch, NULL, n, wait, out, &rc);
    return rc;
}
ROW(unmap_image) {
    UNUSED;
    return clEnqueueUnmapMemObject(q, t->image, t->mapped_image, n, wait, out);
}
ROW(ndrange) {
    const size_t size = 16;
    UNUSED;
    return clEnqueueNDRangeKernel(q, t->kernel, 1, NULL, &size, NULL, n, wait, out);
}
ROW(task) {
    UNUSED;
    return clEnqueueTask(q, t->kernel, n, wait, out);
}
ROW(migrate) {
    UNUSED;
    return clEnqueueMigrateMemObjects(q, 1, &t->a, CL_MIGRATE_MEM_OBJECT_HOST, n, wait, out);
}
ROW(marker) {
    UNUSED;
    return clEnqueueMarkerWithWaitList(q, n, wait, out);
}
ROW(barrier) {
    UNUSED;
    return clEnqueueBarrierWithWaitList(q, n, wait, out);
}

static const struct row rows[] = {
    {"clEnqueueReadBuffer", CL_COMMAND_READ_BUFFER, read_buffer, true, true},
    {"clEnqueueWriteBuffer", CL_COMMAND_WRITE_BUFFER, write_buffer, true, true},
    {"clEnqueueReadBufferRect", CL_COMMAND_READ_BUFFER_RECT, read_rect, true, true},
    {"clEnqueueWriteBufferRect", CL_COMMAND_WRITE_BUFFER_RECT, write_rect, true, true},
    {"clEnqueueCopyBuffer", CL_COMMAND_COPY_BUFFER, copy_buffer, false, true},
    {"clEnqueueCopyBufferRect", CL_COMMAND_COPY_BUFFER_RECT, copy_rect, false, true},
    {"clEnqueueFillBuffer", CL_COMMAND_FILL_BUFFER, fill_buffer, false, true},
    {"clEnqueueMapBuffer", CL_COMMAND_MAP_BUFFER, map_buffer, true, true},
    {"clEnqueueUnmapMemObject", CL_COMMAND_UNMAP_MEM_OBJECT, unmap, false, true},
    {"clEnqueueReadImage", CL_COMMAND_READ_IMAGE, read_image, true, true},
    {"clEnqueueWriteImage", CL_COMMAND_WRITE_IMAGE, write_image, true, true},
    {"clEnqueueCopyImage", CL_COMMAND_COPY_IMAGE, copy_image, false, true},
    {"clEnqueueCopyImageToBuffer", CL_COMMAND_COPY_IMAGE_TO_BUFFER, image_to_buffer, false, true},
    {"clEnqueueCopyBufferToImage", CL_COMMAND_COPY_BUFFER_TO_IMAGE, buffer_to_image, false, true},
    {"clEnqueueFillImage", CL_COMMAND_FILL_IMAGE, fill_image, false, true},
    {"clEnqueueMapImage", CL_COMMAND_MAP_IMAGE, map_image, true, true},
    {"clEnqueueUnmapMemObject", CL_COMMAND_UNMAP_MEM_OBJECT, unmap_image, false, true},
    {"clEnqueueNDRangeKernel", CL_COMMAND_NDRANGE_KERNEL, ndrange, false, true},
    {"clEnqueueTask", CL_COMMAND_TASK, task, false, true},
    {"clEnqueueMigrateMemObjects", CL_COMMAND_MIGRATE_MEM_OBJECTS, migrate, false, true},
    {"clEnqueueMarkerWithWaitList", CL_COMMAND_MARKER, marker, false, false},
    {"clEnqueueBarrierWithWaitList", CL_COMMAND_BARRIER, barrier, false, false},
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static struct things make(struct ocl *o) {
    cl_int rc;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
    struct things t = {.a = ocl_buffer(o, 256, NULL), .b = ocl_buffer(o, 256, NULL)};
    t.image = clCreateImage(o->context, 0, &format, &desc, NULL, &rc);
    OK(rc);
    t.image2 = clCreateImage(o->context, 0, &format, &desc, NULL, &rc);
    OK(rc);
    cl_program p = ocl_program(o, "kernel void k(global int *x) { x[get_global_id(0)] = 1; }", NULL);
    t.kernel = ocl_kernel(p, "k");
    OK(clReleaseProgram(p)); /* the kernel keeps it */
    OK(clSetKernelArg(t.kernel, 0, sizeof(t.a), &t.a));
    return t;
}

static void unmake(struct things *t) {
    OK(clReleaseMemObject(t->a));
    OK(clReleaseMemObject(t->b));
    OK(clReleaseMemObject(t->image));
    OK(clReleaseMemObject(t->image2));
    OK(clReleaseKernel(t->kernel));
}

static cl_int status_of(cl_event e) {
    cl_int s;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(s), &s, NULL));
    return s;
}

#define SAY_ROW(r) print_message("# %s\n", (r)->name)

/* Right: an event of the right kind that ends, with times in order, one command after the other */
static void test_right(void **state) {
    struct ocl *o = *state;
    struct things t = make(o);
    cl_ulong before = 0;
    for (int i = 0; i < ROWS; i++) {
        cl_event e = NULL;
        cl_command_type type;
        cl_command_queue q;
        cl_context c;
        cl_ulong at[5];
        SAY_ROW(&rows[i]);
        OK(rows[i].enqueue(&t, o->queue, CL_FALSE, 0, NULL, &e));
        OK(clWaitForEvents(1, &e));
        assert_int_equal(status_of(e), CL_COMPLETE);
        OK(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
        assert_int_equal(type, rows[i].type);
        OK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof(q), &q, NULL));
        assert_ptr_equal(q, o->queue);
        OK(clGetEventInfo(e, CL_EVENT_CONTEXT, sizeof(c), &c, NULL));
        assert_ptr_equal(c, o->context);
        for (cl_uint k = 0; k < 5; k++)
            OK(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + k, sizeof(at[k]), &at[k], NULL));
        for (cl_uint k = 1; k < 5; k++) assert_true(at[k] >= at[k - 1]);
        assert_true(at[2] >= before); /* START after the END of the one before */
        before = at[3];
        OK(clReleaseEvent(e));
        if (rows[i].blocks) OK(rows[i].enqueue(&t, o->queue, CL_TRUE, 0, NULL, NULL));
        OK(rows[i].type == CL_COMMAND_MAP_BUFFER  ? clEnqueueUnmapMemObject(o->queue, t.a, t.mapped, 0, NULL, NULL)
           : rows[i].type == CL_COMMAND_MAP_IMAGE ? clEnqueueUnmapMemObject(o->queue, t.image, t.mapped_image, 0, NULL, NULL)
                                                  : CL_SUCCESS); /* the second mapping: the first is for the unmap row */
    }
    unmake(&t);
}

/* Wrong queues and wait lists, for every command; none of them leaves anything behind */
static void test_wrong(void **state) {
    struct ocl *o = *state;
    struct things t = make(o);
    cl_int rc;
    cl_command_queue dead = clCreateCommandQueue(o->context, o->device, 0, &rc),
                     others = clCreateCommandQueue(o->other, o->device, 0, &rc);
    cl_event gone = clCreateUserEvent(o->context, &rc), good = clCreateUserEvent(o->context, &rc);
    OK(clReleaseCommandQueue(dead));
    OK(clReleaseEvent(gone));
    OK(clSetUserEventStatus(good, CL_COMPLETE));
    t.mapped = clEnqueueMapBuffer(o->queue, t.a, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &rc);
    OK(rc);
    size_t pitch;
    t.mapped_image = clEnqueueMapImage(o->queue, t.image, CL_TRUE, CL_MAP_READ, zero, four, &pitch, NULL, 0, NULL, NULL, &rc);
    OK(rc);
    void *mapped = t.mapped, *mapped_image = t.mapped_image;
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        const cl_event mixed[2] = {good, gone}, two[2] = {good, o->event};
        SAY_ROW(r);
        WRONG(CL_INVALID_COMMAND_QUEUE, r->enqueue(&t, dead, CL_FALSE, 0, NULL, NULL));
        WRONG(CL_INVALID_COMMAND_QUEUE, r->enqueue(&t, (cl_command_queue)o->context, CL_FALSE, 0, NULL, NULL));
        WRONG(CL_INVALID_EVENT_WAIT_LIST, r->enqueue(&t, o->queue, CL_FALSE, 1, NULL, NULL));
        WRONG(CL_INVALID_EVENT_WAIT_LIST, r->enqueue(&t, o->queue, CL_FALSE, 0, &good, NULL));
        WRONG(CL_INVALID_EVENT_WAIT_LIST, r->enqueue(&t, o->queue, CL_FALSE, 1, &gone, NULL));
        WRONG(CL_INVALID_EVENT_WAIT_LIST, r->enqueue(&t, o->queue, CL_FALSE, 2, mixed, NULL));
        WRONG(CL_INVALID_CONTEXT, r->enqueue(&t, o->queue, CL_FALSE, 2, two, NULL));
        if (r->memories) WRONG(CL_INVALID_CONTEXT, r->enqueue(&t, others, CL_FALSE, 0, NULL, NULL));
        t.mapped = mapped;
        t.mapped_image = mapped_image;
    }
    OK(clEnqueueUnmapMemObject(o->queue, t.a, mapped, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(o->queue, t.image, mapped_image, 0, NULL, NULL));
    OK(clReleaseCommandQueue(others));
    OK(clReleaseEvent(good));
    unmake(&t);
}

/* Each waits for a user event; each ends with an error when that does, and a blocking one tells */
static void test_waits(void **state) {
    struct ocl *o = *state;
    struct things t = make(o);
    cl_int rc;
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        cl_event gate = clCreateUserEvent(o->context, &rc), e, bad = clCreateUserEvent(o->context, &rc);
        SAY_ROW(r);
        if (r->type == CL_COMMAND_UNMAP_MEM_OBJECT)
            OK(clSetUserEventStatus(gate, CL_COMPLETE)); /* its row before left a mapping */
        OK(r->enqueue(&t, o->queue, CL_FALSE, 1, &gate, &e));
        if (r->type != CL_COMMAND_UNMAP_MEM_OBJECT) {
            assert_int_equal(status_of(e), CL_QUEUED);
            OK(clSetUserEventStatus(gate, CL_COMPLETE));
        }
        OK(clWaitForEvents(1, &e));
        OK(clReleaseEvent(e));
        OK(clSetUserEventStatus(bad, -1000));
        if (r->type != CL_COMMAND_UNMAP_MEM_OBJECT) {
            void *mapped = t.mapped, *mapped_image = t.mapped_image;
            OK(r->enqueue(&t, o->queue, CL_FALSE, 1, &bad, &e));
            WRONG(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &e));
            assert_true(status_of(e) < 0);
            OK(clReleaseEvent(e));
            if (r->blocks) WRONG(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, r->enqueue(&t, o->queue, CL_TRUE, 1, &bad, NULL));
            t.mapped = mapped;
            t.mapped_image = mapped_image;
        }
        OK(clFinish(o->queue)); /* the queue is as it was */
        OK(clReleaseEvent(gate));
        OK(clReleaseEvent(bad));
    }
    unmake(&t);
}

/* Released objects in commands */
static void test_released(void **state) {
    struct ocl *o = *state;
    struct things t = make(o), dead = t;
    cl_int rc;
    size_t size = 16, pitch;
    cl_uint colour[4] = {0};
    unmake(&dead); /* handles only from here */
    t = make(o);
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(o->queue, dead.a, CL_TRUE, 0, 4, t.host, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(o->queue, dead.a, CL_TRUE, 0, 4, t.host, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(o->queue, (cl_mem)o->queue, CL_TRUE, 0, 4, t.host, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueWriteBuffer(o->queue, t.image, CL_TRUE, 0, 4, t.host, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, read_rect(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, write_rect(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(o->queue, dead.a, t.b, 0, 0, 4, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyBuffer(o->queue, t.a, dead.b, 0, 0, 4, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, copy_rect(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, fill_buffer(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, map_buffer(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, unmap(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, read_image(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, write_image(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(o->queue, t.a, CL_TRUE, zero, four, 0, 0, t.host, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, copy_image(&dead, o->queue, CL_TRUE, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyImage(o->queue, t.image, dead.image, zero, zero, four, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyImageToBuffer(o->queue, t.image, dead.a, zero, four, 0, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueCopyBufferToImage(o->queue, t.a, dead.image, 0, zero, four, 0, NULL, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(o->queue, dead.image, colour, zero, four, 0, NULL, NULL));
    WRONG_NEW(CL_INVALID_MEM_OBJECT,
              clEnqueueMapImage(o->queue, dead.image, CL_TRUE, CL_MAP_READ, zero, four, &pitch, NULL, 0, NULL, NULL, &rc));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(o->queue, 1, &dead.a, 0, 0, NULL, NULL));
    WRONG(CL_INVALID_KERNEL, clEnqueueNDRangeKernel(o->queue, dead.kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_KERNEL, clEnqueueTask(o->queue, dead.kernel, 0, NULL, NULL));
    unmake(&t);
}

/* Out of order: commands pass one that waits, whatever they are; markers without a list wait for all before
 * them, a barrier holds all behind it */
static void test_out_of_order(void **state) {
    struct ocl *o = *state;
    struct things t = make(o);
    cl_int rc;
    cl_command_queue q =
        clCreateCommandQueue(o->context, o->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, &rc);
    OK(rc);
    cl_event gate = clCreateUserEvent(o->context, &rc), first, e, mark, wall, listed, behind;
    OK(fill_buffer(&t, q, CL_FALSE, 1, &gate, &first));
    for (int i = 0; i < ROWS; i++) {
        if (!rows[i].memories) continue;
        SAY_ROW(&rows[i]);
        OK(rows[i].enqueue(&t, q, CL_FALSE, 0, NULL, &e));
        assert_int_equal(status_of(e), CL_COMPLETE);
        OK(clReleaseEvent(e));
    }
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &mark)); /* waits for `first` */
    assert_int_equal(status_of(mark), CL_QUEUED);
    OK(ndrange(&t, q, CL_FALSE, 0, NULL, &e)); /* passes the marker: it is no barrier */
    assert_int_equal(status_of(e), CL_COMPLETE);
    OK(clEnqueueMarkerWithWaitList(q, 1, &e, &listed)); /* only for what it lists */
    assert_int_equal(status_of(listed), CL_COMPLETE);
    OK(clEnqueueBarrierWithWaitList(q, 1, &mark, &wall));
    OK(ndrange(&t, q, CL_FALSE, 1, &e, &behind)); /* all it lists is done, but the barrier is before it */
    assert_int_equal(status_of(wall), CL_QUEUED);
    assert_int_equal(status_of(behind), CL_QUEUED);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    cl_ulong wall_end, start;
    OK(clGetEventProfilingInfo(wall, CL_PROFILING_COMMAND_END, sizeof(wall_end), &wall_end, NULL));
    OK(clGetEventProfilingInfo(behind, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL));
    assert_true(start >= wall_end);
    cl_event all[] = {gate, first, e, mark, wall, listed, behind};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_int_equal(status_of(all[i]), CL_COMPLETE);
        OK(clReleaseEvent(all[i]));
    }
    OK(clReleaseCommandQueue(q));
    unmake(&t);
}

/* An event of one queue orders a command of another */
static void test_across_queues(void **state) {
    struct ocl *o = *state;
    cl_int rc, one = 1, two = 2, back = 0;
    cl_command_queue q = clCreateCommandQueue(o->context, o->device, 0, &rc);
    cl_event gate = clCreateUserEvent(o->context, &rc), wrote, e;
    cl_mem m = ocl_buffer(o, 4, &one);
    OK(clEnqueueWriteBuffer(o->queue, m, CL_FALSE, 0, 4, &two, 1, &gate, &wrote));
    OK(clEnqueueReadBuffer(q, m, CL_FALSE, 0, 4, &back, 1, &wrote, &e));
    assert_int_equal(status_of(e), CL_QUEUED);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    assert_int_equal(back, 2);
    WRONG(CL_PROFILING_INFO_NOT_AVAILABLE,
          clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof(cl_ulong), &(cl_ulong){0}, NULL)); /* not asked for of q */
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(wrote));
    OK(clReleaseEvent(e));
    OK(clReleaseMemObject(m));
    OK(clReleaseCommandQueue(q));
}

OCL_TESTS(cmocka_unit_test(test_right), cmocka_unit_test(test_wrong), cmocka_unit_test(test_waits),
          cmocka_unit_test(test_released), cmocka_unit_test(test_out_of_order), cmocka_unit_test(test_across_queues))
