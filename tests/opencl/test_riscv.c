/* One program with images, as PTX through this driver and as a RISC-V program by heddle run: every bit of
 * what it reads and writes is the same.
 *
 * Coordinates and colours are random floats, so that both have to round alike. Each launch is made here and
 * written down in a manifest; heddle runs that. */
#include "ocl.h"

#include <unistd.h>

enum { POINTS = 64, W = 11, H = 6, D = 4, TEXELS_B = W * H * D * 16, JOBS = 512 };

#define READ(type, fvec, part)                                                                                                   \
    "kernel void read_" #type "(read_only " #type "_t im, sampler_t s, global const float4 *at, global float4 *out, uint n) {\n" \
    "    uint i = get_global_id(0); float4 c = at[i];\n"                                                                         \
    "    out[n + i] = read_imagef(im, s, c" part ");\n"                                                                          \
    "}\n"
static const char source[] =
    READ(image1d, float, ".x") READ(image1d_array, float2, ".xy") READ(image2d, float2, ".xy") READ(image2d_array, float4, "")
        READ(image3d, float4,
             "") "constant sampler_t repeating = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;\n"
                 "kernel void constants(read_only image2d_t im, read_only image3d_t volume, global const float4 *at, global "
                 "float4 *out, uint n) {\n"
                 "    uint i = get_global_id(0);\n"
                 "    sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
                 "    int2 size = get_image_dim(im);\n"
                 "    float4 says = (float4)(get_image_channel_order(im), get_image_channel_data_type(im), "
                 "get_image_depth(volume), size.y);\n"
                 "    out[n + i] = read_imagef(im, repeating, at[i].xy) + read_imagef(im, plain, (int2)(i % size.x, 0))\n"
                 "        + read_imagef(volume, (int4)(i % 3, 0, i % 2, 0)) + says;\n"
                 "}\n"
                 "kernel void write(write_only image2d_t to, global const float4 *at, uint kind) {\n"
                 "    int2 p = (int2)(get_global_id(0), get_global_id(1) - 1);\n"
                 "    float4 c = at[(p.y * 11 + p.x) & 63];\n"
                 "    if (kind == 0) write_imagef(to, p, c);\n"
                 "    if (kind == 1) write_imagei(to, p, convert_int4(c * 40000.0f));\n"
                 "    if (kind == 2) write_imageui(to, p, convert_uint4(fabs(c) * 70000.0f));\n"
                 "}\n";

static const struct {
    const char *kernel, *geometry;
    cl_mem_object_type type;
} types[] = {{"read_image1d", "1d", CL_MEM_OBJECT_IMAGE1D},
             {"read_image1d_array", "a1d", CL_MEM_OBJECT_IMAGE1D_ARRAY},
             {"read_image2d", "2d", CL_MEM_OBJECT_IMAGE2D},
             {"read_image2d_array", "a2d", CL_MEM_OBJECT_IMAGE2D_ARRAY},
             {"read_image3d", "3d", CL_MEM_OBJECT_IMAGE3D}};
static const struct {
    const char *name;
    cl_image_format format;
    unsigned bytes, kind; /* of a texel; for write */
} formats[] = {{"unorm8x4", {CL_RGBA, CL_UNORM_INT8}, 4, 0}, {"snorm16x2", {CL_RG, CL_SNORM_INT16}, 4, 0},
               {"f16x1", {CL_R, CL_HALF_FLOAT}, 2, 0},       {"f32x4", {CL_RGBA, CL_FLOAT}, 16, 0},
               {"unorm16x1", {CL_R, CL_UNORM_INT16}, 2, 0},  {"snorm8x2", {CL_RG, CL_SNORM_INT8}, 2, 0},
               {"s8x4", {CL_RGBA, CL_SIGNED_INT8}, 4, 1},    {"s16x1", {CL_R, CL_SIGNED_INT16}, 2, 1},
               {"u16x2", {CL_RG, CL_UNSIGNED_INT16}, 4, 2},  {"u8x1", {CL_R, CL_UNSIGNED_INT8}, 1, 2}};
enum { FLOAT_FORMATS = 6, FORMATS = sizeof(formats) / sizeof(formats[0]) };
static const struct {
    const char *name;
    cl_addressing_mode mode;
    bool plain; /* goes with coordinates that are not normalized */
} addresses[] = {{"clamp", CL_ADDRESS_CLAMP_TO_EDGE, true},
                 {"border", CL_ADDRESS_CLAMP, true},
                 {"wrap", CL_ADDRESS_REPEAT, false},
                 {"mirror", CL_ADDRESS_MIRRORED_REPEAT, false}};

struct run {
    struct ocl *o;
    cl_program program;
    cl_mem at, out;
    unsigned char texels[TEXELS_B], written[FORMATS][W * H * 16];
    float points[POINTS][4];
    unsigned n; /* points that were read */
    char dir[64];
    FILE *textures, *launches; /* of the manifest */
};

/* --- lists in the manifest */

static void entry(FILE *f, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    if (ftell(f)) fputs(",\n", f);
    vfprintf(f, fmt, ap);
    va_end(ap);
}

static FILE *in_dir(const struct run *r, const char *name, const char *mode) {
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", r->dir, name);
    FILE *f = fopen(path, mode);
    assert_non_null(f);
    return f;
}

static void save(const struct run *r, const char *name, const void *data, size_t bytes) {
    FILE *f = in_dir(r, name, "wb");
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
}

/* A list that was written to a file of its own */
static void paste(const struct run *r, FILE *to, FILE **list, const char *name) {
    char text[4096];
    assert_int_equal(fclose(*list), 0);
    FILE *f = in_dir(r, name, "r");
    for (size_t n; (n = fread(text, 1, sizeof(text), f)) > 0;) fwrite(text, 1, n, to);
    fclose(f);
}

/* --- launches */

static cl_mem image(struct run *r, unsigned type, unsigned format, bool filled) {
    cl_int rc;
    cl_image_desc d = {
        .image_type = types[type].type, .image_width = W, .image_height = H, .image_depth = D, .image_array_size = D};
    cl_mem m = clCreateImage(r->o->context, filled ? CL_MEM_COPY_HOST_PTR : 0, &formats[format].format, &d,
                             filled ? r->texels : NULL, &rc);
    OK(rc);
    return m;
}

static void describe(struct run *r, unsigned type, unsigned format, const char *name, const char *buffer, unsigned offset) {
    const char *g = types[type].geometry;
    unsigned dims = (unsigned)(g[strlen(g) - 2] - '0');
    entry(r->textures,
          "{\"name\": \"%s\", \"buffer\": \"%s\", \"offset\": %u, \"geometry\": \"%s\", \"format\": \"%s\", "
          "\"width\": %u, \"height\": %u, \"%s\": %u}",
          name, buffer, offset, g, formats[format].name, W, dims > 1 ? H : 1, g[0] == 'a' ? "layers" : "depth",
          g[0] == 'a' || dims > 2 ? D : 1);
}

static void launch(struct run *r, cl_kernel k, unsigned nargs, const void *const *args, const size_t *bytes, size_t w, size_t h) {
    size_t size[2] = {w, h};
    for (unsigned i = 0; i < nargs; i++) OK(clSetKernelArg(k, i, bytes[i], args[i]));
    OK(clEnqueueNDRangeKernel(r->o->queue, k, 2, NULL, size, NULL, 0, NULL, NULL));
    OK(clFinish(r->o->queue));
}

static void read_one(struct run *r, unsigned type, unsigned format, unsigned address, bool normalized, bool linear) {
    cl_int rc;
    cl_kernel k = ocl_kernel(r->program, types[type].kernel);
    cl_mem im = image(r, type, format, true);
    cl_sampler s =
        clCreateSampler(r->o->context, normalized, addresses[address].mode, linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &rc);
    OK(rc);
    launch(r, k, 5, (const void *[]){&im, &s, &r->at, &r->out, &r->n},
           (size_t[]){sizeof(im), sizeof(s), sizeof(im), sizeof(im), 4}, POINTS, 1);
    entry(r->launches,
          "{\"kernel\": \"%s\", \"grid\": [4], \"block\": [%u], \"args\": [{\"texture\": \"%s-%s\"}, "
          "{\"texture\": \"%s%u%u\"}, {\"buf\": \"at\"}, {\"buf\": \"out\"}, {\"type\": \"u32\", \"value\": %u}]}",
          types[type].kernel, POINTS / 4, types[type].geometry, formats[format].name, addresses[address].name, normalized, linear,
          r->n);
    r->n += POINTS;
    OK(clReleaseSampler(s));
    OK(clReleaseMemObject(im));
    OK(clReleaseKernel(k));
}

static void read_all(struct run *r) {
    char name[32];
    for (unsigned type = 0; type < 5; type++)
        for (unsigned format = 0; format < FLOAT_FORMATS; format++) {
            snprintf(name, sizeof(name), "%s-%s", types[type].geometry, formats[format].name);
            describe(r, type, format, name, "texels", 0);
            for (unsigned how = 0; how < 16; how++)
                if (how & 1 || addresses[how / 4].plain) read_one(r, type, format, how / 4, how & 1, how & 2);
        }
    for (unsigned how = 0; how < 16; how++)
        entry(r->textures,
              "{\"name\": \"%s%u%u\", \"kind\": \"sampler\", \"address\": \"%s\", \"normalized\": %s, \"filter\": \"%s\"}",
              addresses[how / 4].name, how & 1, how >> 1 & 1, addresses[how / 4].name, how & 1 ? "true" : "false",
              how & 2 ? "linear" : "nearest");
}

static void read_by_constants(struct run *r) {
    cl_kernel k = ocl_kernel(r->program, "constants");
    cl_mem im = image(r, 2, 1, true), volume = image(r, 4, 0, true);
    launch(r, k, 5, (const void *[]){&im, &volume, &r->at, &r->out, &r->n},
           (size_t[]){sizeof(im), sizeof(im), sizeof(im), sizeof(im), 4}, POINTS, 1);
    entry(r->launches,
          "{\"kernel\": \"constants\", \"grid\": [4], \"block\": [%u], \"args\": [{\"texture\": \"2d-%s\"}, "
          "{\"texture\": \"3d-%s\"}, {\"buf\": \"at\"}, {\"buf\": \"out\"}, {\"type\": \"u32\", \"value\": %u}]}",
          POINTS / 4, formats[1].name, formats[0].name, r->n);
    r->n += POINTS;
    OK(clReleaseMemObject(im));
    OK(clReleaseMemObject(volume));
    OK(clReleaseKernel(k));
}

/* A row above and below the image, and a column beside it, are written too: nowhere */
static void write_all(struct run *r) {
    size_t zero[3] = {0}, all[3] = {W, H, 1};
    cl_kernel k = ocl_kernel(r->program, "write");
    for (unsigned format = 0; format < FORMATS; format++) {
        char name[32];
        cl_mem im = image(r, 2, format, false);
        launch(r, k, 3, (const void *[]){&im, &r->at, &formats[format].kind}, (size_t[]){sizeof(im), sizeof(im), 4}, W + 1,
               H + 2);
        OK(clEnqueueReadImage(r->o->queue, im, CL_TRUE, zero, all, 0, 0, r->written[format], 0, NULL, NULL));
        snprintf(name, sizeof(name), "to-%s", formats[format].name);
        describe(r, 2, format, name, "written", format * (unsigned)sizeof(r->written[0]));
        entry(r->launches,
              "{\"kernel\": \"write\", \"grid\": [1, %u], \"block\": [%u], \"args\": [{\"texture\": \"%s\"}, "
              "{\"buf\": \"at\"}, {\"type\": \"u32\", \"value\": %u}]}",
              H + 2, W + 1, name, formats[format].kind);
        OK(clReleaseMemObject(im));
    }
    OK(clReleaseKernel(k));
}

/* --- the other run */

static void write_manifest(struct run *r) {
    FILE *f = in_dir(r, "run.json", "w");
    save(r, "program.cl", source, sizeof(source) - 1);
    save(r, "texels.bin", r->texels, sizeof(r->texels));
    save(r, "at.bin", r->points, sizeof(r->points));
    fprintf(f,
            "{\"program\": \"program.cl\", \"buffers\": [\n{\"name\": \"texels\", \"type\": \"u8\", \"count\": %d, \"file\": "
            "\"texels.bin\"},\n"
            "{\"name\": \"at\", \"type\": \"u32\", \"count\": %d, \"file\": \"at.bin\"},\n"
            "{\"name\": \"written\", \"type\": \"u8\", \"count\": %zu},\n{\"name\": \"out\", \"type\": \"u32\", \"count\": "
            "%u}],\n\"textures\": [\n",
            TEXELS_B, POINTS * 4, sizeof(r->written), r->n * 4);
    paste(r, f, &r->textures, "textures");
    fprintf(f, "],\n\"launches\": [\n");
    paste(r, f, &r->launches, "launches");
    fprintf(f, "]}\n");
    assert_int_equal(fclose(f), 0);
}

/* The command beside the driver */
static bool heddle_path(char *path, size_t room) {
    const char *driver = getenv("OCL_ICD_VENDORS"), *slash = driver ? strrchr(driver, '/') : NULL;
    if (!slash) return false;
    snprintf(path, room, "%.*s/heddle", (int)(slash - driver), driver);
    return access(path, X_OK) == 0;
}

static void check_run(struct run *r, const char *heddle, const char *machine) {
    char command[1024], text[256];
    unsigned char written[sizeof(r->written)];
    float(*want)[4] = calloc(r->n, 16), (*got)[4] = calloc(r->n, 16);
    snprintf(command, sizeof(command),
             "cd %s && %s run run.json --functional --quiet --machine vortex2021 %s --dump out out.got "
             "--dump written written.got > log 2>&1",
             r->dir, heddle, machine);
    if (system(command) != 0) {
        FILE *log = in_dir(r, "log", "r");
        while (fgets(text, sizeof(text), log)) print_error("%s", text);
        fail_msg("%s", command);
    }
    FILE *f = in_dir(r, "out.got", "rb"), *w = in_dir(r, "written.got", "rb");
    assert_int_equal(fread(got, 16, r->n, f), r->n);
    assert_int_equal(fread(written, 1, sizeof(written), w), sizeof(written));
    fclose(f), fclose(w);
    OK(clEnqueueReadBuffer(r->o->queue, r->out, CL_TRUE, 0, r->n * 16, want, 0, NULL, NULL));
    for (unsigned i = 0; i < r->n; i++)
        if (memcmp(want[i], got[i], 16) != 0)
            fail_msg("launch %u, point %u: PTX reads %a %a %a %a, RISC-V %a %a %a %a", i / POINTS, i % POINTS, (double)want[i][0],
                     (double)want[i][1], (double)want[i][2], (double)want[i][3], (double)got[i][0], (double)got[i][1],
                     (double)got[i][2], (double)got[i][3]);
    for (unsigned i = 0; i < FORMATS; i++)
        if (memcmp(r->written[i], written + i * sizeof(r->written[0]), formats[i].bytes * W * H) != 0)
            fail_msg("writes of %s differ", formats[i].name);
    free(want), free(got);
}

static void fill(struct run *r) {
    unsigned x = 1;
    for (size_t i = 0; i < sizeof(r->texels); i++) { /* floats are finite */
        x = x * 1664525u + 1013904223u;
        r->texels[i] = (unsigned char)(i % 2 ? x >> 24 & 0xBF : x >> 24);
    }
    for (unsigned i = 0; i < POINTS * 4; i++) {
        x = x * 1664525u + 1013904223u;
        float unit = (float)(x >> 8) * 0x1p-23f - 1.0f;        /* from -1 to 1; half of them go as far as texels do */
        float tie = (float)((int)(x >> 19) - 4096) * 0x1p-11f; /* halfway between two halves, where that is odd */
        r->points[i / 4][i % 4] = i / 4 % 4 == 3 ? tie : i / 4 % 2 ? unit * 1.6f : (unit + 0.8f) * 8.0f;
    }
}

static void test_images(void **state) {
    static struct run r;
    char heddle[512];
    r.o = *state;
    if (!heddle_path(heddle, sizeof(heddle)) || system("command -v ld.lld-19 > /dev/null") != 0) skip();
    strcpy(r.dir, "/tmp/heddle-images-XXXXXX");
    assert_non_null(mkdtemp(r.dir));
    r.textures = in_dir(&r, "textures", "w"), r.launches = in_dir(&r, "launches", "w");
    fill(&r);
    r.program = ocl_program(r.o, source, NULL);
    r.at = ocl_buffer(r.o, sizeof(r.points), r.points);
    r.out = ocl_buffer(r.o, JOBS * POINTS * 16, NULL);
    read_all(&r);
    read_by_constants(&r);
    write_all(&r);
    assert_true(r.n <= JOBS * POINTS);
    write_manifest(&r);
    check_run(&r, heddle, "--set runtime.map=group");
    check_run(&r, heddle, "--set runtime.map=lanes --set isa.vortex.diverge=ipdom");
    check_run(&r, heddle, "--set runtime.map=group --set isa.vortex=v3");
    OK(clReleaseMemObject(r.at));
    OK(clReleaseMemObject(r.out));
    OK(clReleaseProgram(r.program));
    char command[128];
    snprintf(command, sizeof(command), "rm -r %s", r.dir);
    assert_int_equal(system(command), 0);
}

OCL_TESTS(cmocka_unit_test(test_images))
