/* libheddle: run GPU programs on a simulated GPU, from C.
 *
 *     struct heddle *h = heddle_open(NULL);
 *     struct heddle_module *m;
 *     if (heddle_module_load_file(h, "saxpy.ptx", &m)) { fputs(heddle_message(h), stderr); exit(2); }
 *     uint64_t x = heddle_alloc(h, 4096);
 *     heddle_write(h, x, data, 4096);
 *     struct heddle_arg args[] = {{&x, sizeof x}, {&n, sizeof n}};
 *     struct heddle_launch l = {.grid = {4, 1, 1}, .block = {256, 1, 1}, .args = args, .nargs = 2};
 *     struct heddle_result r;
 *     int rc = heddle_launch(h, heddle_module_kernel(m, "saxpy"), &l, &r);
 *     heddle_close(h);
 *
 * With heddle_set_machine(h, "gtx480") before the first launch the program also takes time: r.cycles,
 * heddle_stat(h, "warp_ipc", &x).
 *
 * Link with: cc PROGRAM $(pkg-config --cflags --libs heddle) when it is installed; out of the tree with cc
 * PROGRAM -I include build/libheddle.a -ljansson -linih -lm -lpthread. From C++ the same with c++. Python has
 * python/heddle.py; docs/api.md tells more.
 *
 * No globals: any number of contexts may live at once; one context is used by one thread at a time. Functions
 * that can fail return an enum heddle_status, and heddle_message() then says what, where, and what would be
 * right. The library never exits on a user's or a simulated program's mistake. */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what stands here is what libheddle.so exports, and nothing else */
#endif

enum heddle_status {
    HEDDLE_OK = 0,
    HEDDLE_BAD_INPUT = 2, /* the caller's mistake: text, names, sizes, arguments */
    HEDDLE_FAULT = 3,     /* the simulated program's mistake: wild access, trap, deadlock, instruction limit */
    HEDDLE_STOPPED = 4,   /* heddle_stop() ended the launch before its end; its results are partial */
};

struct heddle;
struct heddle_module;
struct heddle_kernel;

struct heddle_progress { /* handed to the progress callback, about ten times a second while a launch runs */
    const char *kernel;
    uint64_t ctas_done, ctas_total;
    uint64_t warp_instructions;
    uint64_t cycles; /* simulated so far; 0 without timing and while blocks are fast-forwarded */
    double seconds;
};

struct heddle_options {        /* zero means default */
    uint32_t warp_size;        /* 1 to 64; default 32; with a machine its sm.warp_size holds */
    uint64_t max_instructions; /* warp instructions of one launch before it is stopped with a diagnosis; default 1e12 */
    uint64_t max_memory_b;     /* device memory; default 16 GiB */
    FILE *program_out;         /* where printf of the simulated program goes; default stdout */
    void (*progress)(void *user, const struct heddle_progress *p);
    void *progress_user;
    FILE *trace;                   /* one line per warp instruction, or NULL */
    const char *trace_kernel;      /* only this kernel, or NULL */
    int64_t trace_cta, trace_warp; /* linear ids; set trace_filter to use them */
    bool trace_cta_only, trace_warp_only;
    bool functional; /* launches compute results only; a machine, when there is one, says what programs see of it */
};

struct heddle *heddle_open(const struct heddle_options *opt); /* NULL when the options are out of range */
void heddle_close(struct heddle *h);
/* The text of the last failure, "" when there was none. Valid until the next call. */
const char *heddle_message(const struct heddle *h);
const char *heddle_version(void);

/* --- modules. What kind of program it is shows in the bytes; a name with the ending of a kind has the last
 * word on bytes nobody recognises. Modules of different kinds live side by side in a context. */
int heddle_module_load_file(struct heddle *h, const char *path, struct heddle_module **out);
int heddle_module_load(struct heddle *h, const char *name, const char *text, size_t len, struct heddle_module **out);
void heddle_module_free(struct heddle *h, struct heddle_module *m);
const char *heddle_module_frontend(const struct heddle_module *m); /* which kind: "ptx", "riscv" */
uint32_t heddle_module_kernels(const struct heddle_module *m);
struct heddle_kernel *heddle_module_kernel_at(struct heddle_module *m, uint32_t i);
struct heddle_kernel *heddle_module_kernel(struct heddle_module *m, const char *name); /* NULL when there is none */
/* A module variable's address and size; HEDDLE_BAD_INPUT when there is none */
int heddle_module_symbol(struct heddle *h, struct heddle_module *m, const char *name, uint64_t *addr, uint64_t *size);

struct heddle_param_info {
    const char *name;
    uint32_t offset_b, size_b, align_b;
    bool is_pointer;          /* annotated .ptr */
    const char *space;        /* of the annotation, or "" */
    uint32_t pointee_align_b; /* what it points to is aligned so; 0 when it does not say */
};
struct heddle_kernel_info {
    const char *name;
    uint32_t registers, predicates; /* per thread */
    uint32_t shared_b;              /* static, per block */
    uint32_t local_b;               /* per thread */
    uint32_t const_b;               /* of the module */
    uint32_t param_b, nparams;
    uint32_t instructions; /* static */
    uint32_t max_threads;  /* per block, 0 when not limited by the program */
    uint32_t reqntid[3];
    bool recursive;      /* stack depth not known from the text */
    const char *refused; /* why it cannot be launched: something that is not modelled; NULL when it can */
};
/* HEDDLE_BAD_INPUT when the kernel's body cannot be lowered (the message says why) */
int heddle_kernel_info(struct heddle *h, struct heddle_kernel *k, struct heddle_kernel_info *info);
int heddle_kernel_param(struct heddle *h, struct heddle_kernel *k, uint32_t i, struct heddle_param_info *info);
void heddle_kernel_disasm(struct heddle *h, struct heddle_kernel *k, FILE *out);

/* --- device memory */
uint64_t heddle_alloc(struct heddle *h, uint64_t bytes); /* 256-byte aligned and zeroed; 0 when out of memory */
/* The same, ending at or below an address: 1ull << 32 for programs whose addresses have 32 bits */
uint64_t heddle_alloc_below(struct heddle *h, uint64_t bytes, uint64_t below);
/* At an address, for programs that look for it there: a multiple of 64, unless it lies inside the arguments'
 * place of a RISC-V program that is loaded. 0 when it cannot be: nothing may overlap what is in use. */
uint64_t heddle_alloc_at(struct heddle *h, uint64_t at, uint64_t bytes);
int heddle_free(struct heddle *h, uint64_t addr);
int heddle_write(struct heddle *h, uint64_t addr, const void *data, uint64_t bytes);
int heddle_read(struct heddle *h, uint64_t addr, void *data, uint64_t bytes);
int heddle_fill(struct heddle *h, uint64_t addr, int byte, uint64_t bytes);
uint64_t heddle_memory_used(const struct heddle *h);
uint64_t heddle_memory_hash(const struct heddle *h); /* FNV-1a of all live allocations, addresses and bytes */

/* --- textures, samplers and surfaces over device memory. An object is described by keys and values in text,
 * as in a manifest ("heddle list textures" names them all): geometry=2d, format=unorm8x4, width, height,
 * depth, layers, levels, row_b, slice_b, memory, address, filter, mip, normalized, bias, min_level,
 * max_level, border. A new description is all zeros; what is not set has its default. */
struct heddle_texture {
    uint64_t address; /* device address of the first texel */
    struct heddle_texture_key {
        const char *key, *value; /* kept by the caller until the object is made */
    } keys[24];
    uint32_t nkeys;
};
/* A handle has 64 bits. A parameter of 4 bytes whose heddle_param_info.space is "tex" is an image or a
 * sampler of a RISC-V program, and takes the low half. */
enum heddle_texture_kind { HEDDLE_TEXTURE = 1, HEDDLE_SAMPLER, HEDDLE_SURFACE };
int heddle_texture_new(struct heddle *h, enum heddle_texture_kind kind, const struct heddle_texture *t, uint64_t *handle);
int heddle_texture_free(struct heddle *h, uint64_t handle);
/* Gives a module's .texref, .samplerref or .surfref what it stands for */
int heddle_texture_bind(struct heddle *h, struct heddle_module *m, const char *name, const struct heddle_texture *t);
/* Bytes of memory that the described texels take; HEDDLE_BAD_INPUT when the description is wrong */
int heddle_texture_bytes(struct heddle *h, const struct heddle_texture *t, uint64_t *bytes);
uint32_t heddle_texture_keys(void);
const char *heddle_texture_key_name(uint32_t i);
const char *heddle_texture_key_doc(uint32_t i);

/* --- launches */
struct heddle_arg {
    const void *data;
    uint32_t size_b; /* must be the declared parameter's */
};
struct heddle_launch {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_b;
    const struct heddle_arg *args;
    uint32_t nargs;
    uint32_t registers; /* override of the count per thread, 0 for the allocator's */
    bool functional;    /* with a machine: this launch computes results only; caches and clock stay as they are */
    /* of kernels that deal out work-groups themselves (OpenCL C as a RISC-V program, docs/riscv.md) */
    bool local_free;       /* a machine may choose another size of work-groups (runtime.local) */
    bool uniform_barriers; /* all items of all groups go through the same barriers */
};
#define HEDDLE_MAX_CLASSES 32
struct heddle_result {
    uint64_t warp_instructions, thread_instructions;
    uint64_t class_warp_instructions[HEDDLE_MAX_CLASSES]; /* by heddle_class_name */
    uint64_t ctas, threads, warps;
    uint32_t registers;
    uint64_t divergent_branches;          /* branches whose lanes went different ways */
    uint64_t global_loads, global_stores; /* warp-level accesses */
    double wall_seconds;
    bool timed;                         /* it ran on a machine, at least in part */
    uint64_t cycles;                    /* timed: core cycles from the start to the end of its last block, warm-up not counted */
    uint64_t runtime_warp_instructions; /* those of the runtime that deals out work to the program's threads, if it has one */
    const char *remark;                 /* what a report has to say of how the program ran, or NULL; the library's */
};
int heddle_launch(struct heddle *h, struct heddle_kernel *k, const struct heddle_launch *l, struct heddle_result *r);

/* --- time. Without a machine launches compute results only; the machine and everything here is chosen before
 * the first launch. */
#define HEDDLE_DEFAULT_MACHINE "gtx480"
struct config;                                                      /* every key of a machine; src/config/config.h */
struct launch_stats;                                                /* everything counted in a launch; src/gpu/gpu.h */
int heddle_set_machine(struct heddle *h, const char *name_or_path); /* a bundled one, or a file */
/* One key of the machine; of the default machine when none was set. "heddle list keys" names them. */
int heddle_set_key(struct heddle *h, const char *key, const char *value);
int heddle_set_config(struct heddle *h, const struct config *c);
const struct config *heddle_config(const struct heddle *h); /* NULL without timing */

struct heddle_timing {              /* what is measured, and how the host works; zero means default */
    uint64_t warmup_cycles;         /* of each launch: simulated, not counted */
    bool warmup_once;               /* of the first timed launch only */
    uint64_t max_cycles;            /* of each launch: then it is finished without timing; default none */
    uint64_t fast_forward_ctas;     /* of each launch: its first blocks run without timing */
    uint64_t fast_forward_launches; /* the first launches run without timing */
    uint64_t max_warp_instructions; /* of all launches together, in whole blocks: the rest runs without timing; default none */
    uint32_t sample_percent;        /* of the blocks in the middle of launches: the others run without timing; default all */
    bool sample;                    /* the same, with a share chosen by the size of each launch */
    bool flush;                     /* caches are emptied before each launch */
    uint32_t threads;               /* of the host; default 1. Results do not depend on it. */
    uint32_t window_cycles;         /* length of a window; default derived from the machine. Results do not depend on it. */
    bool no_jumps;                  /* tick every cycle. Results do not depend on it. */
    uint64_t end_cycle;             /* since the first launch: what comes after it is finished without timing; default none */
    uint64_t exit_cycle;            /* in its place: the launch ends there with HEDDLE_STOPPED, and so does every later one */
    uint32_t check_cycles;          /* look at the model's invariants every so many cycles; default at the end of launches */
};
/* max_warp_instructions and sample(_percent) go neither with each other nor with warmup_cycles, max_cycles,
 * fast_forward_ctas, end_cycle or exit_cycle, and the last two not with each other: HEDDLE_BAD_INPUT */
int heddle_timing(struct heddle *h, const struct heddle_timing *t);
/* Ends the launch that runs, or the next one, with HEDDLE_STOPPED; for signal handlers and other threads. */
void heddle_stop(struct heddle *h);

/* Of the last launch, until the next one; NULL when it was not timed */
const struct launch_stats *heddle_launch_stats(const struct heddle *h);
/* A counter or formula of the last launch by name ("heddle list stats"); not a number where a formula has no
 * value */
int heddle_stat(struct heddle *h, const char *name, double *value);

/* Traces of what happens when; a window of NULL is everything. The files are complete after heddle_trace_end,
 * which also ends the machine: a launch that follows starts on a new one. */
struct heddle_window {
    uint64_t from, to; /* cycles since the first launch; `to` excluded, 0 for no end */
    int32_t sm, warp;  /* one SM, one warp slot; -1 for all */
    uint64_t limit_b;  /* bytes after which the trace ends, with a warning; 0 for no limit */
};
int heddle_trace_konata(struct heddle *h, FILE *out, const struct heddle_window *w);
int heddle_trace_replay(struct heddle *h, FILE *out, const struct heddle_window *w); /* a line of text for each replay */
int heddle_trace_perfetto(struct heddle *h, FILE *out, const struct heddle_window *w);
/* Keeps, in memory and for reports (struct launch_stats), each launch's interval samples, when its blocks
 * ran, and the stages of its first instructions on the window's SM (0 where it names none) */
int heddle_timeline(struct heddle *h, const struct heddle_window *w);
int heddle_trace_end(struct heddle *h);
/* Checks what the model does against rules that share no code with it */
int heddle_audit(struct heddle *h, bool on);
struct heddle_audit_result {
    uint64_t checked, violations;
    const char *text; /* the first violations, one a line; "" when there are none */
};
struct heddle_audit_result heddle_audit_result(const struct heddle *h);

uint32_t heddle_classes(void);
const char *heddle_class_name(uint32_t i);
const char *heddle_class_doc(uint32_t i);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
