/* Buffers: making, reading, writing, copying, filling, mapping. */
#include "ocl.h"

static void CL_CALLBACK note_end(cl_mem m, void *user) {
    (void)m;
    int *order = user;
    order[0] = order[0] * 10 + order[1];
}
static void CL_CALLBACK note_first(cl_mem m, void *user) {
    (void)m;
    int *order = user;
    order[0] = order[0] * 10 + 1;
}

static void test_create(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_uint n;
    size_t bytes;
    cl_mem_flags flags;
    int data[64] = {1, 2, 3}, order[2] = {0, 2};
    cl_mem m = clCreateBuffer(o->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(data), data, &rc);
    OK(rc);
    OK(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof(bytes), &bytes, NULL));
    assert_int_equal(bytes, sizeof(data));
    OK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
    assert_int_equal(flags, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR);
    OK(clRetainMemObject(m));
    OK(clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof(n), &n, NULL));
    assert_int_equal(n, 2);
    WRONG(CL_INVALID_VALUE, clGetMemObjectInfo(m, 0x9999, sizeof(n), &n, NULL));
    OK(clSetMemObjectDestructorCallback(m, note_first, order));
    OK(clSetMemObjectDestructorCallback(m, note_end, order));
    WRONG(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(m, NULL, NULL));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(m));
    assert_int_equal(order[0], 21); /* the last registered comes first */
    WRONG(CL_INVALID_MEM_OBJECT, clReleaseMemObject(m));
    WRONG(CL_INVALID_MEM_OBJECT, clRetainMemObject(m));
    WRONG(CL_INVALID_MEM_OBJECT, clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof(bytes), &bytes, NULL));
    WRONG(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 4, data, 0, NULL, NULL));
    WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateBuffer(o->context, 0, 0, NULL, &rc));
    WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateBuffer(o->context, 0, (size_t)1 << 60, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateBuffer(o->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateBuffer(o->context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, data, &rc));
    WRONG_NEW(CL_INVALID_HOST_PTR, clCreateBuffer(o->context, CL_MEM_COPY_HOST_PTR, 4, NULL, &rc));
    WRONG_NEW(CL_INVALID_HOST_PTR, clCreateBuffer(o->context, 0, 4, data, &rc));
    WRONG_NEW(CL_INVALID_CONTEXT, clCreateBuffer(NULL, 0, 4, NULL, &rc));
    cl_mem_properties none[] = {0}, some[] = {0x1111, 2, 0};
    m = clCreateBufferWithProperties(o->context, none, 0, 16, NULL, &rc);
    OK(rc);
    OK(clReleaseMemObject(m));
    WRONG_NEW(CL_INVALID_PROPERTY, clCreateBufferWithProperties(o->context, some, 0, 16, NULL, &rc));
}

static void test_sub_buffer(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_mem up;
    unsigned char data[1024], back[256];
    for (int i = 0; i < 1024; i++) data[i] = (unsigned char)(i * 7);
    cl_mem m = ocl_buffer(o, sizeof(data), data);
    cl_buffer_region r = {512, 256};
    cl_mem s = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &rc);
    OK(rc);
    OK(clGetMemObjectInfo(s, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(up), &up, NULL));
    assert_ptr_equal(up, m);
    OK(clReleaseMemObject(m)); /* the part keeps it */
    OK(clEnqueueReadBuffer(o->queue, s, CL_TRUE, 0, 256, back, 0, NULL, NULL));
    assert_memory_equal(back, data + 512, 256);
    WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(o->queue, s, CL_TRUE, 1, 256, back, 0, NULL, NULL));
    WRONG_NEW(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(s, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &rc)); /* a part of a part */
    OK(clReleaseMemObject(s));
    m = ocl_buffer(o, sizeof(data), NULL);
    cl_buffer_region far = {1024, 1}, none = {0, 0}, odd = {3, 8};
    WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &far, &rc));
    WRONG_NEW(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &none, &rc));
    WRONG_NEW(CL_MISALIGNED_SUB_BUFFER_OFFSET, clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(m, CL_MEM_COPY_HOST_PTR, CL_BUFFER_CREATE_TYPE_REGION, &r, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clCreateSubBuffer(m, 0, 0, &r, &rc));
    OK(clReleaseMemObject(m));
}

static void test_read_write(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    int data[16], back[16] = {0};
    for (int i = 0; i < 16; i++) data[i] = i * i;
    cl_mem m = ocl_buffer(o, sizeof(data), NULL), foreign = clCreateBuffer(o->other, 0, 64, NULL, &rc);
    OK(clEnqueueWriteBuffer(o->queue, m, CL_FALSE, 0, sizeof(data), data, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 8, 16, back, 0, NULL, NULL));
    assert_memory_equal(back, data + 2, 16);
    WRONG(CL_INVALID_VALUE, clEnqueueWriteBuffer(o->queue, m, CL_TRUE, 60, 8, data, 0, NULL, NULL)); /* past the end */
    WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(o->queue, m, CL_TRUE, (size_t)-4, 8, back, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 8, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueWriteBuffer(o->queue, m, CL_TRUE, 0, 8, NULL, 0, NULL, NULL));
    WRONG(CL_INVALID_CONTEXT, clEnqueueReadBuffer(o->queue, foreign, CL_TRUE, 0, 8, back, 0, NULL, NULL));
    WRONG(CL_INVALID_CONTEXT, clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 8, back, 1, &o->event, NULL));
    WRONG(CL_INVALID_EVENT_WAIT_LIST, clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 8, back, 1, NULL, NULL));
    WRONG(CL_INVALID_COMMAND_QUEUE, clEnqueueReadBuffer(NULL, m, CL_TRUE, 0, 8, back, 0, NULL, NULL));
    cl_mem closed = clCreateBuffer(o->context, CL_MEM_HOST_NO_ACCESS, 64, NULL, &rc);
    WRONG(CL_INVALID_OPERATION, clEnqueueReadBuffer(o->queue, closed, CL_TRUE, 0, 8, back, 0, NULL, NULL));
    WRONG(CL_INVALID_OPERATION, clEnqueueWriteBuffer(o->queue, closed, CL_TRUE, 0, 8, data, 0, NULL, NULL));
    OK(clReleaseMemObject(closed));
    OK(clReleaseMemObject(foreign));
    OK(clReleaseMemObject(m));
}

static void test_copy_fill(void **state) {
    struct ocl *o = *state;
    int data[16], back[16];
    short pattern = 0x0102;
    for (int i = 0; i < 16; i++) data[i] = i + 100;
    cl_mem a = ocl_buffer(o, sizeof(data), data), b = ocl_buffer(o, sizeof(data), NULL);
    OK(clEnqueueCopyBuffer(o->queue, a, b, 0, 32, 32, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, b, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[7], 0);
    assert_memory_equal(back + 8, data, 32);
    OK(clEnqueueCopyBuffer(o->queue, a, a, 0, 32, 32, 0, NULL, NULL));
    WRONG(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(o->queue, a, a, 0, 16, 32, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueCopyBuffer(o->queue, a, b, 48, 0, 32, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(o->queue, b, &pattern, 2, 4, 8, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, b, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[0], 0);
    assert_int_equal(back[1], 0x01020102);
    assert_int_equal(back[3], 0);
    WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(o->queue, b, &pattern, 3, 0, 6, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(o->queue, b, &pattern, 2, 1, 8, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueFillBuffer(o->queue, b, NULL, 2, 0, 8, 0, NULL, NULL));
    OK(clEnqueueMigrateMemObjects(o->queue, 1, &a, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(o->queue, 0, NULL, 0, 0, NULL, NULL));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

static void test_rect(void **state) {
    struct ocl *o = *state;
    unsigned char data[64], back[64] = {0};
    for (int i = 0; i < 64; i++) data[i] = (unsigned char)i;
    cl_mem a = ocl_buffer(o, 64, data), b = ocl_buffer(o, 64, NULL);
    size_t zero[3] = {0, 0, 0}, from[3] = {2, 1, 0}, region[3] = {3, 2, 1}, wide[3] = {9, 1, 1};
    OK(clEnqueueReadBufferRect(o->queue, a, CL_TRUE, from, zero, region, 8, 0, 4, 0, back, 0, NULL, NULL));
    assert_int_equal(back[0], 10);
    assert_int_equal(back[4], 18);
    assert_int_equal(back[6], 20);
    WRONG(CL_INVALID_VALUE, clEnqueueReadBufferRect(o->queue, a, CL_TRUE, from, zero, wide, 8, 0, 0, 0, back, 0, NULL, NULL));
    OK(clEnqueueWriteBufferRect(o->queue, b, CL_TRUE, from, zero, region, 8, 0, 4, 0, back, 0, NULL, NULL));
    size_t deep[3] = {3, 9, 1};
    WRONG(CL_INVALID_VALUE, clEnqueueWriteBufferRect(o->queue, b, CL_TRUE, from, zero, deep, 8, 0, 4, 0, back, 0, NULL, NULL));
    OK(clEnqueueCopyBufferRect(o->queue, b, a, from, zero, region, 8, 0, 8, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, a, CL_TRUE, 0, 64, back, 0, NULL, NULL));
    assert_int_equal(back[0], 10);
    assert_int_equal(back[8], 18);
    assert_int_equal(back[3], 3);
    size_t near[3] = {3, 1, 0};
    WRONG(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(o->queue, a, a, from, near, region, 8, 0, 8, 0, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueCopyBufferRect(o->queue, a, b, from, NULL, region, 8, 0, 8, 0, 0, NULL, NULL));
    OK(clReleaseMemObject(a));
    OK(clReleaseMemObject(b));
}

static void test_map(void **state) {
    struct ocl *o = *state;
    cl_int rc;
    cl_uint n;
    int data[8] = {5, 6, 7, 8}, back[8];
    cl_mem m = ocl_buffer(o, sizeof(data), data);
    int *p = clEnqueueMapBuffer(o->queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &rc);
    OK(rc);
    assert_int_equal(p[0], 6);
    OK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof(n), &n, NULL));
    assert_int_equal(n, 1);
    p[1] = 70;
    WRONG(CL_INVALID_VALUE, clEnqueueUnmapMemObject(o->queue, m, data, 0, NULL, NULL));
    OK(clEnqueueUnmapMemObject(o->queue, m, p, 0, NULL, NULL));
    WRONG(CL_INVALID_VALUE, clEnqueueUnmapMemObject(o->queue, m, p, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[2], 70);
    WRONG_NEW(CL_INVALID_VALUE, clEnqueueMapBuffer(o->queue, m, CL_TRUE, CL_MAP_READ, 30, 8, 0, NULL, NULL, &rc));
    WRONG_NEW(CL_INVALID_VALUE, clEnqueueMapBuffer(o->queue, m, CL_TRUE, 0, 0, 8, 0, NULL, NULL, &rc));
    OK(clReleaseMemObject(m));
    /* memory of the program: the pointer is its own */
    m = clCreateBuffer(o->context, CL_MEM_USE_HOST_PTR, sizeof(data), data, &rc);
    OK(rc);
    int fill = 9;
    OK(clEnqueueFillBuffer(o->queue, m, &fill, 4, 0, sizeof(data), 0, NULL, NULL));
    p = clEnqueueMapBuffer(o->queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 8, 8, 0, NULL, NULL, &rc);
    assert_ptr_equal(p, data + 2);
    assert_int_equal(data[2], 9);
    data[3] = 33;
    OK(clEnqueueUnmapMemObject(o->queue, m, p, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
    assert_int_equal(back[3], 33);
    OK(clReleaseMemObject(m));
}

OCL_TESTS(cmocka_unit_test(test_create), cmocka_unit_test(test_sub_buffer), cmocka_unit_test(test_read_write),
          cmocka_unit_test(test_copy_fill), cmocka_unit_test(test_rect), cmocka_unit_test(test_map))
