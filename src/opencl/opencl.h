/* opencl: heddle as an OpenCL 3.0 device, for the standard loader (cl_khr_icd). Built as libheddle-opencl.so.
 *
 *   dispatch.c   what the loader sees: the table of functions, and those that answer "not here"
 *   settings.c   what the environment says: machine, timing, which launches are timed
 *   object.c     reference counts, handles that were released, answers to clGet...Info
 *   platform.c   the platform and its one device
 *   device.c     what the device says of itself
 *   context.c    contexts: a simulated GPU each
 *   event.c      events, user events, callbacks, profiling
 *   queue.c      commands: in which order they run, and who waits for whom
 *   memory.c     buffers and sub-buffers
 *   transfer.c   reading, writing, copying, filling and mapping of buffers
 *   image.c      images and samplers; image_transfer.c their commands
 *   program.c    programs: from source or binary to kernels
 *   compile.c    clang, from source to PTX (base/compiler.c runs it, base/cache.c keeps the results)
 *   kernel_calls.c   kernels that call kernels
 *   hoist.c      __local variables that are declared where clang does not take them
 *   metadata.c   what the compiler knows of kernels and PTX does not say
 *   kernel.c     kernels and their arguments
 *   launch.c     NDRanges: checked, launched, timed; record.c writes down what they gave
 *   trace.c      files of what happened when
 *
 * Commands run when they are enqueued, in the caller's thread, unless something they wait for is missing;
 * then whoever brings it runs them.
 *
 * Locks. L1 driver_lock guards every object's state except what is inside a simulated GPU. It is never held
 * while a command runs, a compiler runs or a callback is called. L2 a context's sim_lock guards its struct
 * heddle; it is never held while driver_lock is being taken, nor the other way around. */
#ifndef HEDDLE_OPENCL_H
#define HEDDLE_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

#include "api/api.h"
#include "base/base.h"
#include "base/compiler.h"
#include "config/config.h"
#include "heddle.h"

#include <pthread.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* --- dispatch.c */
extern const cl_icd_dispatch driver_dispatch;

/* --- object.c */
enum object_kind {
    OBJECT_DEAD,
    OBJECT_PLATFORM,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_QUEUE,
    OBJECT_MEM,
    OBJECT_SAMPLER,
    OBJECT_PROGRAM,
    OBJECT_KERNEL,
    OBJECT_EVENT
};
struct object {                      /* first member of everything the program holds a handle of */
    const cl_icd_dispatch *dispatch; /* the loader looks here */
    enum object_kind kind;
    u32 refs;                      /* the program's: clRetain..., clRelease... */
    u32 pins;                      /* ours: what a command or another object still needs */
    void (*destroy)(void *object); /* frees what it owns, not itself */
};
extern pthread_mutex_t driver_lock;
extern pthread_cond_t driver_changed; /* an event ended, a command was taken from a queue */
void driver_enter(void);
void driver_leave(void);
void *object_new(enum object_kind kind, size_t bytes, void (*destroy)(void *));
/* Whether a handle is one of a live object. A released one is known as such for a while; a wild one cannot
 * be. */
bool object_is(const void *handle, enum object_kind kind);
bool object_retain(void *handle, enum object_kind kind); /* clRetain...; false when it is no such object */
bool object_release(void *handle, enum object_kind kind);
u32 object_refs(const void *object);
void object_pin(void *object);   /* under driver_lock or before others know it */
void object_unpin(void *object); /* never under driver_lock */
/* The answer to a clGet...Info: CL_INVALID_VALUE when there is less room than it needs */
struct answer {
    size_t room;
    void *to;
    size_t *needed;
};
cl_int answer_bytes(struct answer a, const void *data, size_t bytes);
cl_int answer_text(struct answer a, const char *text);
cl_int answer_uint(struct answer a, cl_uint x);
cl_int answer_ulong(struct answer a, cl_ulong x);
cl_int answer_size(struct answer a, size_t x);
cl_int answer_bool(struct answer a, bool x);
cl_int answer_handle(struct answer a, const void *x);
static inline void set_error(cl_int *to, cl_int error) {
    if (to) *to = error;
}

/* --- settings.c: read once, when the loader first asks for the platform */
enum { TRACE_KONATA, TRACE_PERFETTO, TRACE_REPLAYS, TRACES };
struct settings {
    bool ok; /* the machine is usable; `problem` says why not */
    struct strbuf problem;
    struct config machine;
    bool functional;     /* no launch is timed */
    const char *kernels; /* HEDDLE_KERNEL: names, comma-separated, of those that are timed; NULL for all */
    u64 first, last;     /* HEDDLE_LAUNCH: numbers of the launches that are timed */
    struct heddle_timing timing;
    u32 platforms; /* handles of the one platform: 1 to PLATFORMS_MOST */
    bool strict;   /* an access just past the end of a buffer is a fault */
    bool progress;
    const char *record; /* file that launches are written to, or NULL */
    const char *json;   /* file for the results, at the end of the process; or NULL */
    bool timeline;      /* launches over time are written too */
    bool by_pc;         /* what each instruction cost is written too */
    const char *traces[TRACES];
    struct heddle_window window; /* of the traces */
    u64 max_instructions;        /* of a launch; 0: the library's default */
    char *data;                  /* share/heddle: the builtin library is in its opencl/; NULL when not found */
    u64 memory_b;                /* of the device */
};
const struct settings *settings_get(void);
bool settings_times(const struct settings *s, const char *kernel, u64 launch); /* whether this launch is timed */

/* --- platform.c */
struct _cl_platform_id {
    struct object o;
};
struct _cl_device_id {
    struct object o;
};
enum { PLATFORMS_MOST = 8 };
cl_platform_id platform_first(void);
bool platform_is(cl_platform_id p);
extern struct _cl_device_id the_device;
extern const char driver_extensions[];

/* --- device.c */
u32 device_max_group(const struct config *c); /* work items of a work group */
/* device3.c */
const char *device_feature(u32 i); /* of OpenCL C 3.0, the i-th that there is; NULL behind the last */
bool device_later(cl_device_info what, struct answer a, const struct config *c, cl_int *rc); /* false: no such question */
cl_int device_extensions_answer(struct answer a);
#define DEVICE_CONSTANT_B  65536
#define DEVICE_PRINTF_B    (1u << 20)
#define DEVICE_VARIABLES_B (1u << 24) /* of one variable of a program, and of all */
#define DEVICE_VERSION     CL_MAKE_VERSION(3, 0, 0)
#define DEVICE_IMAGE_2D    16384
#define DEVICE_IMAGE_3D    2048
#define DEVICE_SAMPLERS    16
#define DEVICE_ALIGN_B     256 /* of sub-buffers */

/* --- context.c */
typedef void(CL_CALLBACK *context_notify)(const char *text, const void *data, size_t bytes, void *user);
struct _cl_context {
    struct object o;
    struct heddle *h; /* behind sim_lock */
    pthread_mutex_t sim_lock;
    cl_ulong now_ns;         /* simulated time: the end of the last command; behind driver_lock */
    cl_command_queue queues; /* all of them, newest first */
    u32 memories;            /* memory objects that live; behind driver_lock */
    VEC(cl_context_properties) properties;
    context_notify notify;
    void *notify_user;
    struct callback *at_end;
};
void context_complain(cl_context c, const char *text); /* to the program's callback; not under a lock */

/* --- event.c */
struct callback { /* of an event, a memory object or a context */
    struct callback *next;
    cl_int status; /* events: CL_SUBMITTED, CL_RUNNING or CL_COMPLETE */
    union {
        void(CL_CALLBACK *event)(cl_event, cl_int, void *);
        void(CL_CALLBACK *mem)(cl_mem, void *);
        void(CL_CALLBACK *context)(cl_context, void *);
    } call;
    void *user;
};
struct _cl_event {
    struct object o;
    cl_context context;
    cl_command_queue queue; /* NULL for a user event */
    cl_command_type type;
    cl_int status; /* CL_QUEUED down to CL_COMPLETE, or an error */
    cl_ulong queued_ns, submit_ns, start_ns, end_ns;
    struct callback *callbacks;
};
cl_event event_new(cl_context c, cl_command_queue q, cl_command_type type);
/* Under driver_lock, which is let go and taken again when there are callbacks */
void event_set(cl_event e, cl_int status);
/* A wait list as the specification wants it; CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_CONTEXT */
cl_int event_check_list(cl_context c, cl_uint n, const cl_event *list);

/* --- queue.c */
struct command {
    struct command *next; /* in its queue */
    cl_event event;       /* always there, whether the program asked or not */
    cl_uint nwait;
    cl_event *wait;
    bool in_order; /* barriers and markers: waits for everything before it */
    bool barrier;  /* what comes after waits for it */
    bool running;
    /* Under sim_lock. CL_SUCCESS or the error its event ends with; *ns is how long it took. */
    cl_int (*run)(struct command *c, cl_ulong *ns);
    void (*drop)(struct command *c); /* frees what it owns; may be NULL */
};
struct _cl_command_queue {
    struct object o;
    cl_context context;
    cl_command_queue next; /* in context->queues */
    cl_command_queue_properties properties;
    VEC(cl_queue_properties) asked;
    struct command *commands; /* not yet done, oldest first */
    cl_int error;             /* of a command that failed, until it was told and a later kernel has run well */
    bool told;                /* by a call that waits: clFinish, a blocking read */
};
/* What every clEnqueue... ends with: c (of `bytes`, from malloc) goes to the queue. Takes c over. */
cl_int queue_add(cl_command_queue q, cl_command_type type, struct command *c, bool blocking, cl_uint nwait, const cl_event *wait,
                 cl_event *out);
/* The checks every clEnqueue... starts with */
cl_int queue_check(cl_command_queue q, cl_uint nwait, const cl_event *wait);
void queue_pump(cl_context c); /* runs what can be run; takes driver_lock itself */
void *command_new(size_t bytes, cl_int (*run)(struct command *, cl_ulong *), void (*drop)(struct command *));
#define TRANSFER_NS(bytes)                                                                                                       \
    (1000 + (bytes) / 8) /* transfers are not simulated: 8 bytes a nanosecond, and a microsecond to begin */

/* --- memory.c */
struct image_descriptor { /* what kernels see: struct image of lib/images.cl */
    u64 data;
    u64 texture; /* handle; 0 for packed formats */
    u32 width, height, depth, row_b, slice_b, order, type, element_b, dims, array_size;
};
struct mapping {
    struct mapping *next;
    void *pointer;
    cl_map_flags flags;
    size_t origin[3], region[3]; /* bytes in the first of an image's; of a buffer offset and size */
};
struct _cl_mem {
    struct object o;
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    void *host_ptr; /* of CL_MEM_USE_HOST_PTR */
    size_t size;
    u64 address;   /* on the device */
    u64 before_b;  /* so much of its allocation lies before it */
    u8 *bytes;     /* the same memory here */
    cl_mem parent; /* sub-buffer, image of a buffer; NULL otherwise */
    size_t origin; /* in the parent */
    VEC(cl_mem_properties) properties;
    struct mapping *maps;
    struct callback *at_end;
    /* images */
    cl_image_format format;
    cl_image_desc desc;
    struct image_descriptor image;
    u64 descriptor; /* address of a copy of `image` on the device */
    size_t host_row_b, host_slice_b;
};
#define MEM_ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define MEM_PTR_FLAGS    (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)
#define MEM_HOST_FLAGS   (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
bool mem_flags_ok(cl_mem_flags f);
cl_mem mem_new(cl_context c, cl_mem_object_type type, cl_mem_flags f, size_t bytes); /* NULL when the device is full */
void mem_destroy(void *m);
static inline bool mem_is_buffer(cl_mem m) { return object_is(m, OBJECT_MEM) && m->type == CL_MEM_OBJECT_BUFFER; }
bool mem_is_image(cl_mem m);
bool mem_add_property(cl_mem m, const cl_mem_properties *p); /* false when there is an unknown one */

/* --- transfer.c */
struct box { /* a rectangular part of memory */
    u8 *at;
    size_t row_b, slice_b;
};
struct mapping *mem_take_mapping(cl_mem m, const void *pointer);       /* out of the list, to be freed; NULL when there is none */
cl_int mem_check_map(cl_mem m, cl_map_flags f);                        /* whether the flags go together, and with the memory's */
void box_copy(struct box to, struct box from, const size_t region[3]); /* region[0] in bytes */

/* --- image.c */
extern const cl_image_format image_formats[];
extern const u32 image_format_count;
size_t image_element_b(const cl_image_format *f); /* 0 when it is not supported */
void image_region_full(cl_mem im, size_t region[3]);
struct _cl_sampler {
    struct object o;
    cl_context context;
    cl_bool normalised;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    VEC(cl_sampler_properties) properties;
    u32 bits; /* as the compiler writes it */
};

/* --- image_transfer.c */
cl_int image_check_region(cl_mem im, const size_t *origin, const size_t *region);
struct box image_box(cl_mem im, const size_t *origin);

/* --- metadata.c */
struct arg_meta {
    char *name, *type; /* name is NULL without -cl-kernel-arg-info */
    char *access, *qualifiers;
    u32 space; /* 0 private, 1 global, 2 constant, 3 local */
};
struct kernel_meta {
    char *name;
    struct arg_meta *args;
    u32 nargs;
    u32 reqd[3], hint[3]; /* 0 when not given */
    char vec_type[16];    /* of vec_type_hint; "-" or empty: none */
};
struct meta {
    struct kernel_meta *at;
    u32 n;
};
/* From textual LLVM IR to lines of comment that a PTX file may start with, and from there to the struct */
void metadata_write(const char *ir, struct strbuf *out);
struct meta metadata_read(const char *ptx);
void metadata_free(struct meta *m);
const struct kernel_meta *metadata_find(const struct meta *m, const char *kernel);

/* --- compile.c */
enum { COMPILE_CAPABILITY = 75 }; /* of the code it makes: sm_75 */
struct source {                   /* one text to compile */
    const char *text;
    u32 nheaders;
    const char *const *header_names;
    const char *const *header_texts;
};
enum variant { VARIANT_PLAIN, VARIANT_OFFSET, VARIANTS };
bool compile_available(void);
/* CL_SUCCESS, CL_INVALID_BUILD_OPTIONS or CL_COMPILE_PROGRAM_FAILURE; messages are added to the log. *ir is
 * textual LLVM IR, to be freed. */
cl_int compile_source(const struct source *s, const char *options, struct strbuf *log, char **ir);
/* IR of one or more sources to PTX with metadata, to be freed; NULL with messages */
char *compile_link(char *const *ir, u32 n, enum variant v, struct strbuf *log);
/* Both, through the cache */
cl_int compile_build(const char *text, const char *options, struct strbuf *log, char **ir, char **ptx);
bool compile_link_options_ok(const char *options, bool *library);
u64 compile_variables_b(const char *ptx); /* bytes of the variables a program has in global memory */

/* --- kernel_calls.c */
char *kernel_calls_inline(char *ir);      /* takes IR and gives it back, changed where kernels call kernels */
void kernel_calls_link(char **ir, u32 n); /* the same between parts, which are replaced */

/* --- triples.c */
char *mend_triples(char *ir); /* variables with vectors of three as the back end lays them out rightly; frees ir */

/* --- mend.c */
char *mend_ir(const char *ir, bool alone); /* IR as clang's back end compiles it rightly; alone: the whole program; free it */

/* --- hoist.c */
bool hoist_wanted(const char *log); /* whether clang complained of such a variable; log may be NULL */
/* The text, preprocessed, with those variables moved that the log complains of, to be freed; NULL when there
 * are none that can be */
char *hoist_locals(const char *text, const char *log);

/* --- program.c */
struct variant_module {
    char *ptx;                    /* NULL until made */
    struct heddle_module *module; /* in the context's GPU; NULL until loaded */
};
struct _cl_program {
    struct object o;
    cl_context context;
    char *source; /* NULL when made from binaries or by linking */
    char **ir;    /* [nir], of the last build, compile or link */
    u32 nir;
    struct variant_module variants[VARIANTS];
    struct meta meta;
    cl_program_binary_type binary_type;
    cl_build_status status;
    char *options;
    struct strbuf log;
    u32 nkernels; /* kernel objects that exist: no build while there are */
    bool busy;    /* being built */
};
/* The module of a variant, made when it is first needed; NULL with messages on standard error. Under
 * sim_lock. */
struct heddle_module *program_module(cl_program p, enum variant v, struct strbuf *why);

/* --- kernel.c */
enum arg_kind { ARG_VALUE, ARG_BUFFER, ARG_LOCAL, ARG_IMAGE, ARG_SAMPLER };
struct kernel_arg {
    enum arg_kind kind;
    u32 size_b;          /* as the kernel declares it */
    u32 pointee_align_b; /* of what a pointer points to, or 0 */
    bool set;
    u8 *value;  /* [size_b]: bits of a value, device address, bits of a sampler */
    cl_mem mem; /* or NULL */
    size_t local_b;
};
struct _cl_kernel {
    struct object o;
    cl_program program;
    cl_context context;
    char *name;
    const struct kernel_meta *meta; /* or NULL */
    struct heddle_kernel_info info;
    u32 nargs;
    struct kernel_arg *args;
    bool told_registers; /* of fewer than it has */
};
u32 kernel_max_group(cl_kernel k);
u32 kernel_told_group(cl_kernel k); /* CL_KERNEL_WORK_GROUP_SIZE */
u32 kernel_registers(cl_kernel k, size_t items);
u64 kernel_local_at(const struct kernel_arg *a, u64 at); /* where a local argument lies, from `at` on */
u64 kernel_local_b(cl_kernel k);                         /* local memory, with the arguments set so far */

/* --- launch.c */
extern u64 launch_count; /* behind driver_lock */

/* --- record.c: for `heddle exec`, and HEDDLE_JSON */
struct launch_record;
void record_event(u32 what, u64 value); /* enum record_what */
void record_no_build(const char *log);
void record_watch(void);                                  /* ends the process when heddle exec is gone */
void record_source(const char *kernel, const char *text); /* what its program was compiled from; once a kernel */
void record_launch(struct launch_record *r, const struct launch_stats *s);
const char *record_path(void); /* NULL when nothing is to be written down */

/* --- clock.c: heddle exec --simulated-time */
void clock_advance(u64 ns);

/* --- trace.c: of the first context of the process. While nobody else uses it. */
int trace_begin(cl_context c); /* an enum heddle_status */
void trace_end(cl_context c);  /* before its GPU is closed */

#endif
