/* Programs: source, compiled IR, PTX; built for the one device there is.
 *
 * A binary is the PTX with its metadata (metadata.c), followed by the variant for global offsets. A
 * compiled program that is not linked, and a library, are the IR of their parts, one after the other. */
#include "opencl/opencl.h"

#include "report/record.h"

#include <stdlib.h>

#define OFFSET_MARK  "// heddle variant offset\n"
#define IR_MARK      "; heddle ir\n"      /* before each part */
#define LIBRARY_MARK "; heddle library\n" /* before the first, in a library */

static void free_build(cl_program p) {
    pthread_mutex_lock(&p->context->sim_lock);
    for (u32 v = 0; v < VARIANTS; v++) {
        if (p->variants[v].module) heddle_module_free(p->context->h, p->variants[v].module);
        free(p->variants[v].ptx);
        p->variants[v] = (struct variant_module){0};
    }
    pthread_mutex_unlock(&p->context->sim_lock);
    for (u32 i = 0; i < p->nir; i++) free(p->ir[i]);
    free(p->ir);
    p->ir = NULL;
    p->nir = 0;
    metadata_free(&p->meta);
    strbuf_free(&p->log);
    p->log = (struct strbuf){0};
    p->binary_type = CL_PROGRAM_BINARY_TYPE_NONE;
}

static void destroy(void *object) {
    cl_program p = object;
    free_build(p);
    free(p->source);
    free(p->options);
    object_unpin(p->context);
}

static cl_program make(cl_context c) {
    cl_program p = object_new(OBJECT_PROGRAM, sizeof(*p), destroy);
    driver_enter();
    object_pin(c);
    driver_leave();
    p->context = c;
    p->status = CL_BUILD_NONE;
    p->options = strdup("");
    return p;
}

static void add_ir(cl_program p, const char *ir) {
    p->ir = base_realloc(p->ir, (p->nir + 1u) * sizeof(*p->ir));
    p->ir[p->nir++] = strdup(ir);
}

/* --- loading */

struct heddle_module *program_module(cl_program p, enum variant v, struct strbuf *why) {
    const char *plain = p->variants[VARIANT_PLAIN].ptx;
    if (v == VARIANT_OFFSET && plain && compile_variables_b(plain)) v = VARIANT_PLAIN; /* made for both */
    struct variant_module *m = &p->variants[v];
    if (m->module) return m->module;
    if (!m->ptx && !p->nir && p->source) { /* the cache knew the result: the IR was not needed so far */
        struct source s = {.text = p->source};
        char *ir = NULL;
        compile_source(&s, p->options, why, &ir);
        if (ir) add_ir(p, ir);
        free(ir);
    }
    if (!m->ptx && p->nir) m->ptx = compile_link(p->ir, p->nir, v, why);
    if (!m->ptx) return NULL;
    if (heddle_module_load(p->context->h, "program.ptx", m->ptx, strlen(m->ptx), &m->module) != HEDDLE_OK)
        strbuf_add(why, "%s", heddle_message(p->context->h));
    return m->module;
}

/* The plain variant's PTX is there: load it, and say of kernels that cannot run why */
static bool load(cl_program p) {
    cl_context c = p->context;
    pthread_mutex_lock(&c->sim_lock);
    struct heddle_module *m = program_module(p, VARIANT_PLAIN, &p->log);
    for (u32 i = 0; m && i < heddle_module_kernels(m); i++) {
        struct heddle_kernel_info info;
        if (heddle_kernel_info(c->h, heddle_module_kernel_at(m, i), &info) != HEDDLE_OK)
            strbuf_add(&p->log, "warning: %s", heddle_message(c->h));
        else if (info.refused) strbuf_add(&p->log, "warning: kernel '%s' cannot run: %s\n", info.name, info.refused);
    }
    pthread_mutex_unlock(&c->sim_lock);
    metadata_free(&p->meta);
    if (m) p->meta = metadata_read(p->variants[VARIANT_PLAIN].ptx);
    return m != NULL;
}

/* --- making */

cl_program CL_API_CALL clCreateProgramWithSource(cl_context c, cl_uint n, const char **texts, const size_t *lengths,
                                                 cl_int *error) {
    cl_int rc = object_is(c, OBJECT_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
    if (!rc && (!n || !texts)) rc = CL_INVALID_VALUE;
    for (cl_uint i = 0; !rc && i < n; i++)
        if (!texts[i]) rc = CL_INVALID_VALUE;
    set_error(error, rc);
    if (rc) return NULL;
    struct strbuf all = {0};
    for (cl_uint i = 0; i < n && all.len <= limit_most(LIMIT_SOURCE); i++) { /* one byte more: the build will say it */
        size_t room = limit_most(LIMIT_SOURCE) + 1 - all.len, most = lengths && lengths[i] ? MIN(lengths[i], room) : room;
        strbuf_add(&all, "%.*s", (int)strnlen(texts[i], most), texts[i]);
    }
    cl_program p = make(c);
    p->source = all.s ? all.s : strdup("");
    return p;
}

static bool starts_with(const char *text, const char *mark) { return strncmp(text, mark, strlen(mark)) == 0; }

static void take_parts(cl_program p, char *at) {
    while (at && starts_with(at, IR_MARK)) {
        char *part = at + strlen(IR_MARK), *next = strstr(part, "\n" IR_MARK);
        if (next) *next++ = 0;
        add_ir(p, part);
        at = next;
    }
}

static bool take_binary(cl_program p, const u8 *data, size_t len) {
    struct strbuf why = {0};
    if (!limit_holds(LIMIT_BINARY, len, &why)) {
        record_no_build(why.s);
        strbuf_free(&why);
        return false;
    }
    char *text = strndup((const char *)data, len), *offset = strstr(text, OFFSET_MARK);
    bool library = starts_with(text, LIBRARY_MARK), ir = library || starts_with(text, IR_MARK);
    if (ir) {
        take_parts(p, text + (library ? strlen(LIBRARY_MARK) : 0));
        p->binary_type = library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT;
    } else if (strstr(text, ".version")) {
        if (offset) p->variants[VARIANT_OFFSET].ptx = strdup(offset + strlen(OFFSET_MARK));
        if (offset) *offset = 0;
        p->variants[VARIANT_PLAIN].ptx = strdup(text);
        p->binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    }
    free(text);
    return p->binary_type != CL_PROGRAM_BINARY_TYPE_NONE;
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *devices, const size_t *lengths,
                                                 const unsigned char **binaries, cl_int *states, cl_int *error) {
    cl_int rc = object_is(c, OBJECT_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
    if (!rc && (!n || !devices || !lengths || !binaries)) rc = CL_INVALID_VALUE;
    for (cl_uint i = 0; !rc && i < n; i++)
        if (devices[i] != &the_device) rc = CL_INVALID_DEVICE;
    for (cl_uint i = 0; !rc && i < n; i++) {
        if (binaries[i] && lengths[i]) continue;
        rc = CL_INVALID_VALUE;
        if (states) states[i] = CL_INVALID_VALUE;
    }
    cl_program p = rc ? NULL : make(c);
    if (p && !take_binary(p, binaries[0], lengths[0])) {
        rc = CL_INVALID_BINARY;
        object_release(p, OBJECT_PROGRAM);
        p = NULL;
    }
    for (cl_uint i = 0; states && rc != CL_INVALID_VALUE && i < n && binaries; i++) states[i] = rc;
    set_error(error, rc);
    return p;
}

cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context c, cl_uint n, const cl_device_id *devices, const char *names,
                                                         cl_int *error) {
    set_error(error, !object_is(c, OBJECT_CONTEXT) ? CL_INVALID_CONTEXT
                     : !n || !devices || !names    ? CL_INVALID_VALUE
                     : devices[0] != &the_device   ? CL_INVALID_DEVICE
                                                   : CL_INVALID_VALUE); /* there are none */
    return NULL;
}

cl_program CL_API_CALL clCreateProgramWithIL(cl_context c, const void *il, size_t len, cl_int *error) {
    (void)il, (void)len;
    set_error(error,
              object_is(c, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT); /* no intermediate language is taken */
    return NULL;
}

cl_int CL_API_CALL clRetainProgram(cl_program p) { return object_retain(p, OBJECT_PROGRAM) ? CL_SUCCESS : CL_INVALID_PROGRAM; }
cl_int CL_API_CALL clReleaseProgram(cl_program p) { return object_release(p, OBJECT_PROGRAM) ? CL_SUCCESS : CL_INVALID_PROGRAM; }

/* --- building */

typedef void(CL_CALLBACK *program_notify)(cl_program, void *);

static cl_int check_devices(cl_uint n, const cl_device_id *devices) {
    if ((n != 0) != (devices != NULL)) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++)
        if (devices[i] != &the_device) return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

/* From here to end_build the program is ours alone */
static cl_int begin_build(cl_program p, const char *options) {
    driver_enter();
    cl_int rc = p->busy || p->nkernels ? CL_INVALID_OPERATION : CL_SUCCESS;
    if (!rc) p->busy = true;
    if (!rc) p->status = CL_BUILD_IN_PROGRESS;
    driver_leave();
    if (rc) return rc;
    free(p->options);
    p->options = strdup(options ? options : "");
    return CL_SUCCESS;
}

static void end_build(cl_program p, cl_int rc, cl_program_binary_type type) {
    driver_enter();
    p->status = rc ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
    p->binary_type = rc ? CL_PROGRAM_BINARY_TYPE_NONE : type;
    p->busy = false;
    driver_leave();
    if (rc) record_no_build(p->log.s ? p->log.s : "");
}

static cl_int build_source(cl_program p) {
    char *ir, *ptx;
    free_build(p);
    cl_int rc = compile_build(p->source, p->options, &p->log, &ir, &ptx);
    if (ir) add_ir(p, ir);
    free(ir);
    p->variants[VARIANT_PLAIN].ptx = ptx;
    return rc;
}

cl_int CL_API_CALL clBuildProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options,
                                  program_notify notify, void *user) {
    if (!object_is(p, OBJECT_PROGRAM)) return CL_INVALID_PROGRAM;
    if (!notify && user) return CL_INVALID_VALUE;
    cl_int rc = check_devices(n, devices);
    if (!rc) rc = begin_build(p, options);
    if (rc) return rc;
    if (p->source) rc = build_source(p);
    else if (p->nir && !p->variants[VARIANT_PLAIN].ptx) rc = CL_INVALID_BINARY; /* compiled, and not linked */
    if (!rc && !load(p)) rc = CL_BUILD_PROGRAM_FAILURE;
    end_build(p, rc, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    if (notify) notify(p, user);
    return rc;
}

cl_int CL_API_CALL clCompileProgram(cl_program p, cl_uint n, const cl_device_id *devices, const char *options, cl_uint nheaders,
                                    const cl_program *headers, const char **names, program_notify notify, void *user) {
    if (!object_is(p, OBJECT_PROGRAM)) return CL_INVALID_PROGRAM;
    if ((!notify && user) || (nheaders != 0) != (headers != NULL) || (nheaders != 0) != (names != NULL)) return CL_INVALID_VALUE;
    if (!p->source) return CL_INVALID_OPERATION;
    for (cl_uint i = 0; i < nheaders; i++)
        if (!object_is(headers[i], OBJECT_PROGRAM) || !headers[i]->source) return CL_INVALID_PROGRAM;
    for (cl_uint i = 0; i < nheaders; i++)
        if (!names[i]) return CL_INVALID_VALUE;
    cl_int rc = check_devices(n, devices);
    if (!rc) rc = begin_build(p, options);
    if (rc) return rc;
    free_build(p);
    const char **texts = base_alloc((nheaders + 1u) * sizeof(*texts));
    for (cl_uint i = 0; i < nheaders; i++) texts[i] = headers[i]->source;
    struct source s = {p->source, nheaders, names, texts};
    char *ir;
    rc = compile_source(&s, p->options, &p->log, &ir);
    if (rc == CL_INVALID_BUILD_OPTIONS) rc = CL_INVALID_COMPILER_OPTIONS;
    if (ir) add_ir(p, ir);
    free(ir);
    free(texts);
    end_build(p, rc, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    if (notify) notify(p, user);
    return rc;
}

static cl_int check_link(cl_context c, cl_uint n, const cl_device_id *devices, cl_uint count, const cl_program *list,
                         const void *notify, const void *user) {
    if (!object_is(c, OBJECT_CONTEXT)) return CL_INVALID_CONTEXT;
    if (!count || !list || (!notify && user)) return CL_INVALID_VALUE;
    cl_int rc = check_devices(n, devices);
    for (cl_uint i = 0; !rc && i < count; i++) {
        if (!object_is(list[i], OBJECT_PROGRAM)) rc = CL_INVALID_PROGRAM;
        else if (list[i]->binary_type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT &&
                 list[i]->binary_type != CL_PROGRAM_BINARY_TYPE_LIBRARY)
            rc = CL_INVALID_OPERATION;
    }
    return rc;
}

cl_program CL_API_CALL clLinkProgram(cl_context c, cl_uint n, const cl_device_id *devices, const char *options, cl_uint count,
                                     const cl_program *list, program_notify notify, void *user, cl_int *error) {
    bool library = false;
    cl_int rc = check_link(c, n, devices, count, list, (const void *)notify, user);
    if (!rc && !compile_link_options_ok(options, &library)) rc = CL_INVALID_LINKER_OPTIONS;
    if (rc) {
        set_error(error, rc);
        return NULL;
    }
    cl_program p = make(c);
    begin_build(p, options);
    for (cl_uint i = 0; i < count; i++)
        for (u32 k = 0; k < list[i]->nir; k++) add_ir(p, list[i]->ir[k]);
    if (!library && !load(p)) rc = CL_LINK_PROGRAM_FAILURE;
    end_build(p, rc, library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    if (notify) notify(p, user);
    set_error(error, rc);
    return p;
}

cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id p) { return platform_is(p) ? CL_SUCCESS : CL_INVALID_PLATFORM; }
cl_int CL_API_CALL clUnloadCompiler(void) { return CL_SUCCESS; }

/* --- asking */

/* The binary as text; free it. Empty when nothing was built. */
static char *binary_of(cl_program p) {
    struct strbuf s = {0};
    if (p->binary_type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
        struct strbuf why = {0};
        pthread_mutex_lock(&p->context->sim_lock);
        bool has = p->variants[VARIANT_PLAIN].ptx && (p->nir || p->source || p->variants[VARIANT_OFFSET].ptx);
        if (has) program_module(p, VARIANT_OFFSET, &why);
        pthread_mutex_unlock(&p->context->sim_lock);
        strbuf_free(&why);
        if (p->variants[VARIANT_PLAIN].ptx) strbuf_add(&s, "%s", p->variants[VARIANT_PLAIN].ptx);
        if (p->variants[VARIANT_OFFSET].ptx) strbuf_add(&s, OFFSET_MARK "%s", p->variants[VARIANT_OFFSET].ptx);
    } else {
        if (p->nir && p->binary_type == CL_PROGRAM_BINARY_TYPE_LIBRARY) strbuf_add(&s, LIBRARY_MARK);
        for (u32 i = 0; i < p->nir; i++) strbuf_add(&s, "%s" IR_MARK "%s", i ? "\n" : "", p->ir[i]);
    }
    return s.s ? s.s : strdup("");
}

static cl_int answer_binaries(struct answer a, cl_program p) {
    char *text = binary_of(p);
    cl_int rc = CL_SUCCESS;
    if (a.to && a.room < sizeof(char *)) rc = CL_INVALID_VALUE;
    else if (a.to && *(char **)a.to) memcpy(*(char **)a.to, text, strlen(text));
    if (!rc && a.needed) *a.needed = sizeof(char *);
    free(text);
    return rc;
}

static void kernel_names(cl_program p, struct strbuf *out) {
    struct heddle_module *m = p->variants[VARIANT_PLAIN].module;
    cl_context c = p->context;
    pthread_mutex_lock(&c->sim_lock);
    for (u32 i = 0; m && i < heddle_module_kernels(m); i++) {
        struct heddle_kernel_info info;
        if (heddle_kernel_info(c->h, heddle_module_kernel_at(m, i), &info) == HEDDLE_OK)
            strbuf_add(out, "%s%s", out->len ? ";" : "", info.name);
    }
    pthread_mutex_unlock(&c->sim_lock);
}

static cl_int answer_kernels(struct answer a, cl_program p, bool names) {
    struct strbuf s = {0};
    cl_int rc;
    if (!p->variants[VARIANT_PLAIN].module) return CL_INVALID_PROGRAM_EXECUTABLE;
    kernel_names(p, &s);
    if (names) rc = answer_text(a, s.s ? s.s : "");
    else {
        size_t n = s.s != NULL;
        for (const char *at = s.s; at && (at = strchr(at, ';')); at++) n++;
        rc = answer_size(a, n);
    }
    strbuf_free(&s);
    return rc;
}

cl_int CL_API_CALL clGetProgramInfo(cl_program p, cl_program_info what, size_t room, void *to, size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(p, OBJECT_PROGRAM)) return CL_INVALID_PROGRAM;
    char *text;
    size_t len;
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT: return answer_uint(a, object_refs(p));
    case CL_PROGRAM_CONTEXT: return answer_handle(a, p->context);
    case CL_PROGRAM_NUM_DEVICES: return answer_uint(a, 1);
    case CL_PROGRAM_DEVICES: return answer_handle(a, &the_device);
    case CL_PROGRAM_SOURCE: return answer_text(a, p->source ? p->source : "");
    case CL_PROGRAM_BINARY_SIZES:
        text = binary_of(p);
        len = strlen(text);
        free(text);
        return answer_size(a, len);
    case CL_PROGRAM_BINARIES: return answer_binaries(a, p);
    case CL_PROGRAM_NUM_KERNELS: return answer_kernels(a, p, false);
    case CL_PROGRAM_KERNEL_NAMES: return answer_kernels(a, p, true);
    case CL_PROGRAM_IL: return answer_bytes(a, "", 0);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: return answer_bool(a, false);
    default: return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program p, cl_device_id d, cl_program_build_info what, size_t room, void *to,
                                         size_t *needed) {
    struct answer a = {room, to, needed};
    if (!object_is(p, OBJECT_PROGRAM)) return CL_INVALID_PROGRAM;
    if (d != &the_device) return CL_INVALID_DEVICE;
    driver_enter();
    cl_build_status status = p->status;
    bool busy = p->busy;
    driver_leave();
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS: return answer_uint(a, (cl_uint)status);
    case CL_PROGRAM_BUILD_OPTIONS: return answer_text(a, busy ? "" : p->options);
    case CL_PROGRAM_BUILD_LOG: return answer_text(a, !busy && p->log.s ? p->log.s : "");
    case CL_PROGRAM_BINARY_TYPE: return answer_uint(a, p->binary_type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: {
        const char *ptx = busy ? NULL : p->variants[VARIANT_PLAIN].ptx;
        return answer_size(a, ptx ? compile_variables_b(ptx) : 0);
    }
    default: return CL_INVALID_VALUE;
    }
}
