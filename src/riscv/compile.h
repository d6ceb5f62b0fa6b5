/* compile: OpenCL C to a RISC-V program. clang makes IR, wrap.c puts a loop or a coroutine's beginning
 * around every kernel, clang makes assembly, place.c puts split, join and pred into it (isa.vortex.diverge =
 * split), lld makes an ELF file of it and the runtime (lib/), and build.c drives all that. What the front
 * end has to know of the kernels stands in the file, in the section .heddle.kernels. */
#ifndef HEDDLE_RISCV_COMPILE_H
#define HEDDLE_RISCV_COMPILE_H

#include "base/base.h"

/* --- wrap.c */
enum { RV_ARGS_MOST = 64 };
struct rv_arg {
    u32 size_b, at;   /* at: in the launch's arguments */
    const char *type; /* of an image or a sampler, else NULL */
};
struct rv_wrapped { /* a kernel */
    const char *name;
    bool barrier;
    u32 required[3]; /* reqd_work_group_size, or zeros */
    u32 nargs;
    struct rv_arg args[RV_ARGS_MOST];
    u32 stack_b;
    u32 local_at, local_b; /* lanes: where its __local variables lie, and bytes from there to the end */
};
struct rv_wrap {
    struct arena arena;
    VEC(struct rv_wrapped) kernels;
    bool has_local;        /* __local variables */
    bool nested;           /* a kernel is called by the program, too */
    const char *recursive; /* a function that calls itself, or NULL */
    u32 thread_b;          /* group: bytes of all __local variables */
    struct strbuf ir;
};
/* The IR with wrapped kernels; false with errors in dg */
bool rv_wrap(struct rv_wrap *w, const char *file, const char *ir, bool lanes, struct diag *dg);
/* Sizes of stacks, from clang's list of them (-fstack-usage) */
void rv_wrap_stacks(struct rv_wrap *w, const char *stack_usage);
void rv_wrap_free(struct rv_wrap *w);

/* --- place.c: the assembly with split, join and pred; false with errors in dg */
struct rv_words { /* of a hardware thread (lib/layout.h), as many as are taken */
    u32 variant;  /* enum rv_variant */
    u32 exits;    /* of ITEM_EXITS */
    u32 nests;    /* v3: of NEST_WORDS */
};
bool rv_place(const char *file, const char *assembly, struct rv_words *taken, struct strbuf *out, struct diag *dg);

/* --- build.c: an ELF image (free it), or NULL with errors in dg */
struct rv_target {
    bool lanes, split;
    u32 variant; /* enum rv_variant */
};
char *rv_build(const char *source, struct rv_target target, size_t *len, struct diag *dg);

#endif
