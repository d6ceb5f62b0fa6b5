/* Several host threads: queues of their own and shared ones, contexts shared and not, builds, and events that
 * cross. With --all under ThreadSanitizer. */
#include "ocl.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 6, WORDS = 256 };
struct worker {
    struct ocl *o;
    cl_context context;
    cl_program program;
    int id, wrong;
};

static void *work(void *arg) {
    struct worker *w = arg;
    cl_int rc, data[WORDS], add = w->id + 1;
    cl_command_queue q = clCreateCommandQueue(w->context, w->o->device, 0, &rc);
    cl_kernel k = clCreateKernel(w->program, "bump", &rc);
    memset(data, 0, sizeof(data));
    cl_mem m = clCreateBuffer(w->context, CL_MEM_COPY_HOST_PTR, sizeof(data), data, &rc);
    size_t n = WORDS;
    for (int i = 0; i < ROUNDS; i++) {
        clSetKernelArg(k, 0, sizeof(m), &m);
        clSetKernelArg(k, 1, sizeof(add), &add);
        cl_event e;
        if (clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, &e)) w->wrong++;
        if (clWaitForEvents(1, &e)) w->wrong++;
        clReleaseEvent(e);
    }
    if (clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL)) w->wrong++;
    for (int i = 0; i < WORDS; i++) w->wrong += data[i] != ROUNDS * add;
    clReleaseMemObject(m);
    clReleaseKernel(k);
    clReleaseCommandQueue(q);
    return NULL;
}

static void test_threads(void **state) {
    struct ocl *o = *state;
    const char *text = "kernel void bump(global int *x, int by) { x[get_global_id(0)] += by; }";
    pthread_t thread[THREADS];
    struct worker w[THREADS];
    cl_int rc;
    cl_program mine = ocl_program(o, text, NULL), its = clCreateProgramWithSource(o->other, 1, &text, NULL, &rc);
    OK(clBuildProgram(its, 0, NULL, NULL, NULL, NULL));
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct worker){o, i % 2 ? o->other : o->context, i % 2 ? its : mine, i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(w[i].wrong, 0);
    }
    OK(clReleaseProgram(mine));
    OK(clReleaseProgram(its));
}

/* Everything at once: contexts, builds of one text, user events and callbacks in each thread */
static void CL_CALLBACK count(cl_event e, cl_int status, void *user) {
    (void)e, (void)status;
    __atomic_add_fetch((int *)user, 1, __ATOMIC_RELAXED);
}

static void *live(void *arg) {
    struct worker *w = arg;
    const char *text = "kernel void set(global int *x, int v) { x[get_global_id(0)] = v; }";
    cl_int rc, data[64], called = 0;
    size_t n = 64;
    for (int round = 0; round < 3; round++) {
        cl_context c = clCreateContext(NULL, 1, &w->o->device, NULL, NULL, &rc);
        cl_command_queue q = clCreateCommandQueue(c, w->o->device, round ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &rc);
        cl_program p = clCreateProgramWithSource(c, 1, &text, NULL, &rc);
        if (clBuildProgram(p, 0, NULL, NULL, NULL, NULL)) w->wrong++;
        cl_kernel k = clCreateKernel(p, "set", &rc);
        cl_mem m = clCreateBuffer(c, 0, sizeof(data), NULL, &rc);
        cl_event gate = clCreateUserEvent(c, &rc), ran;
        clSetKernelArg(k, 0, sizeof(m), &m);
        clSetKernelArg(k, 1, sizeof(round), &round);
        if (clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 1, &gate, &ran)) w->wrong++;
        if (clSetEventCallback(ran, CL_COMPLETE, count, &called)) w->wrong++;
        clReleaseKernel(k);
        clReleaseProgram(p); /* the command still needs them */
        clSetUserEventStatus(gate, CL_COMPLETE);
        if (clEnqueueReadBuffer(q, m, CL_TRUE, 0, sizeof(data), data, 1, &ran, NULL)) w->wrong++;
        w->wrong += data[63] != round;
        clReleaseEvent(gate);
        clReleaseEvent(ran);
        clReleaseMemObject(m);
        clReleaseCommandQueue(q);
        clReleaseContext(c);
    }
    w->wrong += called != 3;
    return NULL;
}

static void test_threads_alone(void **state) {
    pthread_t thread[THREADS];
    struct worker w[THREADS] = {0};
    for (int i = 0; i < THREADS; i++) {
        w[i].o = *state;
        assert_int_equal(pthread_create(&thread[i], NULL, live, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(w[i].wrong, 0);
    }
}

static void *open_gate(void *arg) {
    clSetUserEventStatus(arg, CL_COMPLETE);
    return NULL;
}

/* One thread waits for what another brings */
static void test_wait_across_threads(void **state) {
    struct ocl *o = *state;
    cl_int rc, value = 11, back = 0;
    pthread_t thread;
    cl_event gate = clCreateUserEvent(o->context, &rc);
    cl_mem m = ocl_buffer(o, 4, &value);
    assert_int_equal(pthread_create(&thread, NULL, open_gate, gate), 0);
    OK(clEnqueueReadBuffer(o->queue, m, CL_TRUE, 0, 4, &back, 1, &gate, NULL));
    assert_int_equal(back, 11);
    pthread_join(thread, NULL);
    OK(clReleaseEvent(gate));
    OK(clReleaseMemObject(m));
}

/* --- one context for all: every thread builds, launches, maps and asks, with objects of its own */

static int bump_text(char *to, size_t room, int id) {
    return snprintf(to, room, "kernel void bump(global int *x, int by) { x[get_global_id(0)] += by + %d; }", id);
}

static void *share(void *arg) {
    struct worker *w = arg;
    char own[256];
    const char *text = own;
    cl_int rc, by = 1, *p;
    size_t n = WORDS, bytes;
    cl_uint refs;
    cl_build_status built;
    bump_text(own, sizeof(own), w->id);
    cl_command_queue q = clCreateCommandQueue(w->context, w->o->device, CL_QUEUE_PROFILING_ENABLE, &rc);
    for (int round = 0; round < 3; round++) {
        cl_program g = clCreateProgramWithSource(w->context, 1, &text, NULL, &rc);
        w->wrong += clBuildProgram(g, 0, NULL, round ? "-cl-mad-enable" : "", NULL, NULL) != CL_SUCCESS;
        w->wrong += clGetProgramBuildInfo(g, w->o->device, CL_PROGRAM_BUILD_STATUS, sizeof(built), &built, NULL) != CL_SUCCESS;
        cl_kernel k = clCreateKernel(g, "bump", &rc);
        cl_mem m = clCreateBuffer(w->context, CL_MEM_ALLOC_HOST_PTR, WORDS * sizeof(cl_int), NULL, &rc);
        p = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_WRITE, 0, WORDS * sizeof(cl_int), 0, NULL, NULL, &rc);
        for (int i = 0; p && i < WORDS; i++) p[i] = i;
        w->wrong += clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL) != CL_SUCCESS;
        clSetKernelArg(k, 0, sizeof(m), &m);
        clSetKernelArg(k, 1, sizeof(by), &by);
        w->wrong += clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL) != CL_SUCCESS;
        size_t offset = 16, part = WORDS - 16;
        w->wrong += clEnqueueNDRangeKernel(q, k, 1, &offset, &part, NULL, 0, NULL, NULL) != CL_SUCCESS; /* another variant */
        w->wrong += clGetMemObjectInfo(m, CL_MEM_REFERENCE_COUNT, sizeof(refs), &refs, NULL) != CL_SUCCESS;
        w->wrong += clGetContextInfo(w->context, CL_CONTEXT_REFERENCE_COUNT, sizeof(refs), &refs, NULL) != CL_SUCCESS;
        w->wrong += clGetProgramInfo(g, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, NULL) != CL_SUCCESS;
        p = clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, WORDS * sizeof(cl_int), 0, NULL, NULL, &rc);
        for (int i = 0; p && i < WORDS; i++) w->wrong += p[i] != i + (i < 16 ? 1 : 2) * (by + w->id);
        w->wrong += clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL) != CL_SUCCESS;
        w->wrong += clFinish(q) != CL_SUCCESS;
        clReleaseMemObject(m);
        clReleaseKernel(k);
        clReleaseProgram(g);
    }
    clReleaseCommandQueue(q);
    return NULL;
}

static void run_all(void *(*what)(void *), struct worker *w, int n) {
    pthread_t thread[THREADS];
    for (int i = 0; i < n; i++) assert_int_equal(pthread_create(&thread[i], NULL, what, &w[i]), 0);
    for (int i = 0; i < n; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < n; i++) assert_int_equal(w[i].wrong, 0);
}

static void test_shared_context(void **state) {
    struct ocl *o = *state;
    struct worker w[THREADS];
    for (int i = 0; i < THREADS; i++) w[i] = (struct worker){o, o->context, NULL, i, 0};
    run_all(share, w, THREADS);
}

/* --- one queue for all: commands of a thread stay in its order */

struct queue_worker {
    struct worker w; /* first */
    cl_command_queue queue;
};

static void *queue_up(void *arg) {
    struct queue_worker *x = arg;
    struct worker *w = &x->w;
    cl_int rc, data[WORDS] = {0}, add = w->id + 1;
    cl_kernel k = clCreateKernel(w->program, "bump", &rc);
    cl_mem m = clCreateBuffer(w->context, CL_MEM_COPY_HOST_PTR, sizeof(data), data, &rc);
    size_t n = WORDS;
    clSetKernelArg(k, 0, sizeof(m), &m);
    clSetKernelArg(k, 1, sizeof(add), &add);
    for (int i = 0; i < ROUNDS; i++)
        w->wrong += clEnqueueNDRangeKernel(x->queue, k, 1, NULL, &n, NULL, 0, NULL, NULL) != CL_SUCCESS;
    w->wrong += clEnqueueReadBuffer(x->queue, m, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL) != CL_SUCCESS;
    for (int i = 0; i < WORDS; i++) w->wrong += data[i] != ROUNDS * add;
    clFlush(x->queue);
    clReleaseMemObject(m);
    clReleaseKernel(k);
    return NULL;
}

static void test_shared_queue(void **state) {
    struct ocl *o = *state;
    struct queue_worker x[THREADS];
    pthread_t thread[THREADS];
    cl_program p = ocl_program(o, "kernel void bump(global int *x, int by) { x[get_global_id(0)] += by; }", NULL);
    for (int i = 0; i < THREADS; i++) {
        x[i] = (struct queue_worker){{o, o->context, p, i, 0}, o->queue};
        assert_int_equal(pthread_create(&thread[i], NULL, queue_up, &x[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_int_equal(x[i].w.wrong, 0);
    OK(clFinish(o->queue));
    OK(clReleaseProgram(p));
}

/* --- a ring: each thread's command waits for the one before it, in another thread's queue, and all of them
 * for a gate */

enum { STEPS = 16 };
struct ring {
    struct ocl *o;
    cl_mem m;
    cl_event step[STEPS + 1]; /* [0] is the gate; [i + 1] belongs to the command of step i */
    int called;
};
struct ring_worker {
    struct ring *ring;
    int id, wrong;
};
static pthread_mutex_t ring_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ring_changed = PTHREAD_COND_INITIALIZER;

static void *go_round(void *arg) {
    struct ring_worker *w = arg;
    struct ring *r = w->ring;
    cl_int rc;
    cl_command_queue q = clCreateCommandQueue(r->o->context, r->o->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &rc);
    for (int i = w->id; i < STEPS; i += THREADS) {
        cl_int zero = 0;
        cl_event e;
        pthread_mutex_lock(&ring_lock);
        while (!r->step[i]) pthread_cond_wait(&ring_changed, &ring_lock);
        pthread_mutex_unlock(&ring_lock);
        w->wrong += clEnqueueFillBuffer(q, r->m, &zero, 4, (size_t)i * 4, 4, 1, &r->step[i], &e) != CL_SUCCESS;
        w->wrong += clSetEventCallback(e, CL_COMPLETE, count, &r->called) != CL_SUCCESS;
        pthread_mutex_lock(&ring_lock);
        r->step[i + 1] = e;
        pthread_cond_broadcast(&ring_changed);
        pthread_mutex_unlock(&ring_lock);
    }
    if (w->id == 0) clSetUserEventStatus(r->step[0], CL_COMPLETE);
    pthread_mutex_lock(&ring_lock);
    while (!r->step[STEPS]) pthread_cond_wait(&ring_changed, &ring_lock);
    pthread_mutex_unlock(&ring_lock);
    w->wrong += clWaitForEvents(1, &r->step[STEPS]) != CL_SUCCESS; /* all threads wait for the last of them */
    w->wrong += clFinish(q) != CL_SUCCESS;
    clReleaseCommandQueue(q);
    return NULL;
}

static void test_ring(void **state) {
    struct ocl *o = *state;
    cl_int rc, data[STEPS];
    pthread_t thread[THREADS];
    struct ring_worker w[THREADS];
    struct ring r = {.o = o};
    memset(data, -1, sizeof(data));
    r.m = ocl_buffer(o, sizeof(data), data);
    r.step[0] = clCreateUserEvent(o->context, &rc);
    for (int i = 0; i < THREADS; i++) {
        w[i] = (struct ring_worker){&r, i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, go_round, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_int_equal(w[i].wrong, 0);
    OK(clEnqueueReadBuffer(o->queue, r.m, CL_TRUE, 0, sizeof(data), data, 0, NULL, NULL));
    for (int i = 0; i < STEPS; i++) assert_int_equal(data[i], 0);
    assert_int_equal(r.called, STEPS);
    for (int i = 0; i <= STEPS; i++) OK(clReleaseEvent(r.step[i]));
    OK(clReleaseMemObject(r.m));
}

/* --- objects that several threads hold: retained and released at once, the last one ends them */

static int ended;
static void CL_CALLBACK note_end(cl_mem m, void *user) {
    (void)m, (void)user;
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}
static void *hold(void *arg) {
    cl_mem m = arg;
    long wrong = 0;
    for (int i = 0; i < 200; i++) {
        wrong += clRetainMemObject(m) != CL_SUCCESS;
        wrong += clReleaseMemObject(m) != CL_SUCCESS;
    }
    wrong += clReleaseMemObject(m) != CL_SUCCESS; /* its own */
    return (void *)wrong;
}
static void test_references(void **state) {
    struct ocl *o = *state;
    pthread_t thread[THREADS];
    void *wrong;
    cl_mem m = ocl_buffer(o, 64, NULL);
    OK(clSetMemObjectDestructorCallback(m, note_end, NULL));
    for (int i = 1; i < THREADS; i++) OK(clRetainMemObject(m));
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, hold, m), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(__atomic_load_n(&ended, __ATOMIC_RELAXED), 1);
    WRONG(CL_INVALID_MEM_OBJECT, clReleaseMemObject(m));
}

/* Simulator threads (-j) beside the program's */
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),        cmocka_unit_test(test_threads_alone), cmocka_unit_test(test_wait_across_threads),
        cmocka_unit_test(test_shared_context), cmocka_unit_test(test_shared_queue),  cmocka_unit_test(test_ring),
        cmocka_unit_test(test_references)};
    setenv("HEDDLE_TIMING", "0 0 0 0 0 2 0 0 0 0", 1);
    return cmocka_run_group_tests(tests, ocl_setup, ocl_teardown);
}
