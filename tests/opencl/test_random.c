/* Calls at random, with objects that live, are released, or are of another kind. Whatever they answer:
 * nothing crashes, a released handle is refused, and when everything is released everything is gone, which
 * the context's callback tells. The same calls every time; OCL_SEED changes them. */
#include "ocl.h"

static uint32_t seed;
static uint32_t draw(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

enum kind { QUEUE, MEM, KERNEL, EVENT, SAMPLER, PROGRAM, KINDS };
enum { MOST = 24 };
struct handle {
    void *at;
    int refs; /* ours; 0: released */
};
struct pool {
    struct handle all[MOST];
    int n;
};
struct fuzz {
    struct ocl *o;
    cl_context context;
    struct pool pool[KINDS];
    int done[2]; /* calls that were accepted, refused */
    unsigned char host[4096];
};

static cl_int retain(enum kind k, void *h) {
    switch (k) {
    case QUEUE: return clRetainCommandQueue(h);
    case MEM: return clRetainMemObject(h);
    case KERNEL: return clRetainKernel(h);
    case EVENT: return clRetainEvent(h);
    case SAMPLER: return clRetainSampler(h);
    default: return clRetainProgram(h);
    }
}
static cl_int release(enum kind k, void *h) {
    switch (k) {
    case QUEUE: return clReleaseCommandQueue(h);
    case MEM: return clReleaseMemObject(h);
    case KERNEL: return clReleaseKernel(h);
    case EVENT:
        clSetUserEventStatus(h, CL_COMPLETE); /* or what waits for it would wait for ever, the specification says */
        return clReleaseEvent(h);
    case SAMPLER: return clReleaseSampler(h);
    default: return clReleaseProgram(h);
    }
}

static void add(struct fuzz *f, enum kind k, void *h) {
    struct pool *p = &f->pool[k];
    if (!h) return;
    if (p->n < MOST) {
        p->all[p->n++] = (struct handle){h, 1};
        return;
    }
    struct handle *old = &p->all[draw(MOST)];
    while (old->refs) {
        OK(release(k, old->at));
        old->refs--;
    }
    *old = (struct handle){h, 1};
}

/* Mostly one that lives, sometimes one that was released, seldom one of another kind. NULL when there is
 * none. */
static void *pick(struct fuzz *f, enum kind k) {
    if (draw(40) == 0) k = draw(KINDS);
    struct pool *p = &f->pool[k];
    if (!p->n) return NULL;
    struct handle *h = &p->all[draw((uint32_t)p->n)];
    for (int tries = 0; !h->refs && tries < 8 && draw(20); tries++) h = &p->all[draw((uint32_t)p->n)];
    return h->refs || draw(4) == 0 ? h->at : NULL;
}

static void note(struct fuzz *f, cl_int rc) { f->done[rc != CL_SUCCESS]++; }

/* Everything that waits for us may go on: a call that blocks may follow */
static void open_gates(struct fuzz *f) {
    struct pool *p = &f->pool[EVENT];
    for (int i = 0; i < p->n; i++)
        if (p->all[i].refs) clSetUserEventStatus(p->all[i].at, draw(5) ? CL_COMPLETE : -7);
}

static cl_uint wait_list(struct fuzz *f, cl_event list[3]) {
    cl_uint n = draw(3) ? 0 : 1 + draw(3), k = 0;
    for (cl_uint i = 0; i < n; i++) {
        list[k] = pick(f, EVENT);
        k += list[k] != NULL;
    }
    return k;
}

static size_t number(void) { return draw(30) ? draw(600) : SIZE_MAX - draw(600); }

static void make(struct fuzz *f) {
    static const char *const text =
        "kernel void a(global int *x, int n) { if (x) x[get_global_id(0)] += n; }\n"
        "kernel void b(global int *x, local int *l, read_only image2d_t im, sampler_t s) {\n"
        "    l[get_local_id(0)] = (int)read_imagef(im, s, (int2)(0, 0)).x; if (x) x[get_global_id(0)] = l[0]; }\n";
    cl_int rc;
    const cl_image_format format = {CL_R, draw(2) ? CL_FLOAT : CL_UNSIGNED_INT8};
    const char *t = text;
    cl_program p;
    cl_buffer_region r = {draw(3) * 256, number()};
    switch (draw(8)) {
    case 0: add(f, QUEUE, clCreateCommandQueue(f->context, f->o->device, draw(4), &rc)); break;
    case 1:
        add(f, MEM, clCreateBuffer(f->context, draw(2) ? 0 : CL_MEM_USE_HOST_PTR, draw(10) ? 1024 : number(), f->host, &rc));
        break;
    case 2: add(f, MEM, clCreateBuffer(f->context, draw(8), 1 + draw(2048), NULL, &rc)); break;
    case 3: add(f, MEM, clCreateImage2D(f->context, 0, &format, 1 + draw(16), draw(16), 0, NULL, &rc)); break;
    case 4:
        if (pick(f, MEM)) add(f, MEM, clCreateSubBuffer(pick(f, MEM), 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &rc));
        break;
    case 5:
        add(f, SAMPLER, clCreateSampler(f->context, draw(2), CL_ADDRESS_NONE + draw(6), CL_FILTER_NEAREST + draw(3), &rc));
        break;
    case 6: add(f, EVENT, clCreateUserEvent(f->context, &rc)); break;
    default:
        if (!f->pool[PROGRAM].n || draw(20) == 0) {
            add(f, PROGRAM, clCreateProgramWithSource(f->context, 1, &t, NULL, &rc));
            p = f->pool[PROGRAM].all[f->pool[PROGRAM].n - 1].at;
            note(f, clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
        }
        p = pick(f, PROGRAM);
        if (p) add(f, KERNEL, clCreateKernel(p, draw(2) ? "a" : "b", &rc));
    }
}

static void set_arg(struct fuzz *f) {
    cl_kernel k = pick(f, KERNEL);
    void *h = draw(3) ? pick(f, MEM) : draw(2) ? pick(f, SAMPLER) : NULL;
    cl_uint i = draw(5);
    if (!k) return;
    switch (draw(4)) {
    case 0: note(f, clSetKernelArg(k, i, 4, &i)); break;
    case 1: note(f, clSetKernelArg(k, i, draw(20) ? draw(512) : number(), NULL)); break;
    default: note(f, clSetKernelArg(k, i, sizeof(h), &h));
    }
}

static void enqueue(struct fuzz *f) {
    cl_command_queue q = pick(f, QUEUE);
    cl_mem m = pick(f, MEM), m2 = pick(f, MEM);
    cl_kernel k = pick(f, KERNEL);
    cl_event list[3], e = NULL, *out = draw(2) ? &e : NULL;
    cl_bool block = draw(4) == 0;
    if (!q || !m || !m2) return;
    if (block) open_gates(f);
    cl_uint n = wait_list(f, list);
    const cl_event *wait = n ? list : NULL;
    size_t origin[3] = {draw(4), draw(4), 0}, region[3] = {1 + draw(8), 1 + draw(8), 1}, pitch, slice;
    size_t global[2] = {1 + draw(64), 1 + draw(4)}, local[2] = {1 + draw(8), 1};
    cl_int rc = CL_SUCCESS;
    void *p = NULL;
    switch (draw(16)) {
    case 0: rc = clEnqueueReadBuffer(q, m, block, number() % 512, number() % 512, f->host, n, wait, out); break;
    case 1: rc = clEnqueueWriteBuffer(q, m, block, number() % 512, number() % 512, f->host, n, wait, out); break;
    case 2: rc = clEnqueueCopyBuffer(q, m, m2, number(), number(), number(), n, wait, out); break;
    case 3: rc = clEnqueueFillBuffer(q, m, f->host, 1u << draw(5), draw(8) * 16, draw(8) * 16, n, wait, out); break;
    case 4: rc = clEnqueueReadBufferRect(q, m, block, origin, origin, region, draw(20), 0, 0, 0, f->host, n, wait, out); break;
    case 5: rc = clEnqueueCopyBufferRect(q, m, m2, origin, origin, region, draw(20), 0, draw(20), 0, n, wait, out); break;
    case 6: rc = clEnqueueReadImage(q, m, block, origin, region, 0, 0, f->host, n, wait, out); break;
    case 7: rc = clEnqueueCopyImage(q, m, m2, origin, origin, region, n, wait, out); break;
    case 8: rc = clEnqueueCopyImageToBuffer(q, m, m2, origin, region, draw(64), n, wait, out); break;
    case 9: rc = clEnqueueFillImage(q, m, f->host, origin, region, n, wait, out); break;
    case 10:
        p = clEnqueueMapBuffer(q, m, block, 1 + draw(3), number() % 512, number() % 512, n, wait, out, &rc);
        if (p && draw(3)) note(f, clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
        break;
    case 11:
        p = clEnqueueMapImage(q, m, block, 1 + draw(3), origin, region, &pitch, &slice, n, wait, out, &rc);
        if (p && draw(3)) note(f, clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL));
        break;
    case 12: rc = clEnqueueMarkerWithWaitList(q, n, wait, out); break;
    case 13: rc = clEnqueueBarrierWithWaitList(q, n, wait, out); break;
    default:
        if (!k) return;
        global[0] *= local[0];
        rc = clEnqueueNDRangeKernel(q, k, 1 + draw(2), NULL, global, draw(2) ? local : NULL, n, wait, out);
    }
    note(f, rc);
    if (!rc && out) {
        assert_non_null(e);
        add(f, EVENT, e);
    }
}

static void count_references(struct fuzz *f) {
    enum kind k = draw(KINDS);
    struct pool *p = &f->pool[k];
    if (!p->n) return;
    struct handle *h = &p->all[draw((uint32_t)p->n)];
    if (!h->refs) return; /* it may still be needed by others, and so be a good handle */
    if (draw(2) && h->refs < 3) {
        OK(retain(k, h->at));
        h->refs++;
    } else {
        OK(release(k, h->at));
        h->refs--;
    }
}

static void wait_for(struct fuzz *f) {
    cl_command_queue q = pick(f, QUEUE);
    cl_event list[3];
    open_gates(f);
    cl_uint n = wait_list(f, list);
    if (n) note(f, clWaitForEvents(n, list));
    if (q && draw(2)) note(f, clFinish(q));
}

static void CL_CALLBACK note_gone(cl_context c, void *user) {
    (void)c;
    ++*(int *)user;
}
static void CL_CALLBACK ignore(const char *what, const void *data, size_t bytes, void *user) {
    (void)what, (void)data, (void)bytes, (void)user;
}

static void play(struct ocl *o, uint32_t number_, int steps) {
    static struct fuzz f;
    cl_int rc;
    int gone = 0;
    seed = number_;
    f = (struct fuzz){.o = o};
    f.context = clCreateContext(NULL, 1, &o->device, ignore, NULL, &rc);
    OK(rc);
    OK(clSetContextDestructorCallback(f.context, note_gone, &gone));
    for (int i = 0; i < steps; i++) switch (draw(8)) {
        case 0:
        case 1: make(&f); break;
        case 2: set_arg(&f); break;
        case 3: count_references(&f); break;
        case 4: draw(4) ? (void)0 : wait_for(&f); break;
        default: enqueue(&f);
        }
    open_gates(&f);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < f.pool[k].n; i++)
            for (; f.pool[k].all[i].refs; f.pool[k].all[i].refs--) OK(release((enum kind)k, f.pool[k].all[i].at));
    assert_int_equal(gone, 0);
    OK(clReleaseContext(f.context));
    assert_int_equal(gone, 1);
    assert_true(f.done[0] > steps / 20 && f.done[1] > steps / 20); /* of both kinds enough */
}

static void test_random(void **state) {
    const char *from = getenv("OCL_SEED"), *rounds = getenv("OCL_ROUNDS");
    uint32_t first = from ? (uint32_t)strtoul(from, NULL, 0) : 1;
    int n = rounds ? atoi(rounds) : 20;
    for (int i = 0; i < n; i++) {
        print_message("# OCL_SEED=%u\n", first + (uint32_t)i);
        play(*state, first + (uint32_t)i, 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    setenv("HEDDLE_FUNCTIONAL", "1", 1);
    return cmocka_run_group_tests(tests, ocl_setup, ocl_teardown);
}
