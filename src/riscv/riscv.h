/* riscv: RISC-V programs for a Vortex-like GPU: images to memory (image.c), words to instructions (decode.c,
 * lower.c), meeting places of branches (meet.c), recognising and running (frontend.c).
 *
 * lines.c: source lines; kernels.c: kernels of programs that heddle compiled (compile.h), and their launches;
 * descriptor.c: what such a kernel sees of a texture.
 *
 *   bytes -> rv_image (segments, symbols) -> device memory and rv_program -> struct kernel for a machine */
#ifndef HEDDLE_RISCV_H
#define HEDDLE_RISCV_H

#include "func/rv.h"
#include "isa/frontend.h"

/* --- decode.c */
enum rv_set { RV_SET_I, RV_SET_M, RV_SET_F, RV_SET_A, RV_SET_V21, RV_SET_V3 };
enum rv_how {
    RV_HOW_LANE,
    RV_HOW_FLOAT,
    RV_HOW_LOAD,
    RV_HOW_STORE,
    RV_HOW_PREFETCH,
    RV_HOW_LR,
    RV_HOW_SC,
    RV_HOW_AMO,
    RV_HOW_BRANCH,
    RV_HOW_JAL,
    RV_HOW_JALR,
    RV_HOW_CSR,
    RV_HOW_FENCE,
    RV_HOW_FENCEI,
    RV_HOW_ECALL,
    RV_HOW_BREAK,
    RV_HOW_MRET,
    RV_HOW_NOP,
    RV_HOW_TMC,
    RV_HOW_PRED,
    RV_HOW_WSPAWN,
    RV_HOW_SPLIT,
    RV_HOW_JOIN,
    RV_HOW_BAR,
    RV_HOW_TEX,
    RV_HOW_ARRIVE,
    RV_HOW_WAIT,
    RV_HOW_VOTE,
    RV_HOW_SHFL,
};
enum rv_id {
#define RV(id, ...) RV_##id##_,
#include "riscv/rv.def"
#undef RV
    RV_COUNT
};
struct rv_row {
    const char *name;
    u32 mask, match;
    const char *operands;
    u8 set, iclass, how; /* enum rv_set, iclass, rv_how */
    i16 lane;            /* enum rv_lane, or NONE: op, type and mod */
    u16 op;
    u8 type;
    i16 mod; /* enum mod, or NONE */
};
extern const struct rv_row rv_table[RV_COUNT];
/* The row of a word, or NULL; of Vortex's instructions those of one variant */
const struct rv_row *rv_decode(u32 word, enum rv_variant variant);
void rv_print(u32 word, const struct rv_row *row, u32 address, struct strbuf *out);
/* aux of a CSR's instructions (enum rv_csr_kind, number above), or NONE */
i32 rv_csr(u32 number, enum rv_variant variant);

static inline u32 rv_rd(u32 w) { return w >> 7 & 31; }
static inline u32 rv_rs1(u32 w) { return w >> 15 & 31; }
static inline u32 rv_rs2(u32 w) { return w >> 20 & 31; }
static inline u32 rv_rs3(u32 w) { return w >> 27; }
static inline u32 rv_funct2(u32 w) { return w >> 25 & 3; }
static inline u32 rv_rm(u32 w) { return w >> 12 & 7; }
static inline i32 rv_imm_i(u32 w) { return (i32)w >> 20; }
static inline i32 rv_imm_s(u32 w) { return (i32)(w & 0xFE000000) >> 20 | (i32)(w >> 7 & 31); }
static inline i32 rv_imm_b(u32 w) {
    return (i32)(w & 0x80000000) >> 19 | (i32)(w << 4 & 0x800) | (i32)(w >> 20 & 0x7E0) | (i32)(w >> 7 & 0x1E);
}
static inline i32 rv_imm_j(u32 w) {
    return (i32)(w & 0x80000000) >> 11 | (i32)(w & 0xFF000) | (i32)(w >> 9 & 0x800) | (i32)(w >> 20 & 0x7FE);
}

/* --- image.c: what a file holds */
struct rv_segment {
    u64 at, size_b; /* in memory */
    const u8 *bytes;
    u64 file_b; /* of them; the rest are zeros */
    bool code;
};
struct rv_symbol {
    u32 at, size_b;
    bool func;
    const char *name;
};
struct rv_image {
    struct arena arena; /* owns everything */
    const char *kind;   /* of file, for people */
    u64 entry;
    VEC(struct rv_segment) segments;
    VEC(struct rv_symbol) symbols; /* in order of address */
    const u8 *lines;               /* .debug_line, or NULL */
    u64 lines_b;
    const u8 *strings[2]; /* .debug_line_str and .debug_str, or NULL */
    u64 strings_b[2];
    const char *kernels; /* .heddle.kernels, or NULL */
};
bool rv_image_read(struct rv_image *im, const char *file, const u8 *bytes, size_t n, struct diag *dg);
void rv_image_free(struct rv_image *im);
bool rv_image_recognise(const u8 *bytes, size_t n);
/* Of a linked program: size and alignment of a section, and of what a thread has of its own (PT_TLS); as
 * they were where there is none */
void rv_image_section(const u8 *bytes, size_t n, const char *name, u64 *size_b, u64 *align_b);
void rv_image_tls(const u8 *bytes, size_t n, u64 *size_b, u64 *align_b);

/* --- lines.c: which source line an address is of (DWARF 2 to 5) */
struct rv_line {
    u32 at, line; /* line 0: nothing is known from here on */
    const char *file;
};
struct rv_lines {
    VEC(struct rv_line) rows; /* by address */
};
void rv_lines_read(struct rv_lines *l, const struct rv_image *im, struct arena *arena);
const struct rv_line *rv_lines_find(const struct rv_lines *l, u32 address); /* NULL: unknown */

#define RV_RUNTIME "heddle-runtime/" /* files of the runtime's source are called so */

/* --- frontend.c */
#define RV_BASE       0x80000000u /* where flat images lie, and start */
#define RV_ARGS       0x7FFF0000u /* arguments: 64 KiB below it */
#define RV_STACK_2021 0xFF000000u /* the end of a core's shared memory, and of its stacks */
#define RV_IO_2021    0xFF000000u /* memory that Vortex does not cache, up to the console */
#define RV_COUT_2021  0xFFFFFFC0u
#define RV_LOCAL_V3   0xFFFF0000u
#define RV_IO_V3      0x40u /* console bytes */
#define RV_STATUS_V3  0x8348u
enum {
    RV_HEAP_B = 1 << 20,
    RV_ARGS_B = 1 << 16,
    RV_IO_2021_B = 1 << 16,
    RV_STACKS_V3_B = 16 << 20,
    RV_LOCAL_V3_B = 16 << 10,
    RV_LOCAL_V3_MOST_B = 64 << 10, /* up to the end of addresses */
    RV_STACK_V3_B = 8 << 10,
    RV_STACK_2021_B = 1 << 10
};

enum { RV_TABLE_ARGS = 64 };
struct rv_function { /* a kernel of a program that heddle compiled (kernels.c) */
    const char *name;
    u32 entry; /* address of what the runtime calls */
    bool barrier;
    u32 local_b, stack_b;
    u32 required[3]; /* size of its groups, or zeros */
    u32 nargs;
    struct kernel_param *args;
    i32 *opaque; /* rv_opaque of each parameter's type, or NONE */
};

struct rv_program {
    struct rv_image image;
    struct rv_lines lines;
    struct rv_shared shared;
    char *file;
    const char *name; /* of its one kernel */
    u64 text_at, text_b;
    struct memory *mem;
    VEC(u64) mapped;
    bool stacks_v3; /* their place is mapped */
    /* of a program that heddle compiled; without functions it runs as it is */
    VEC(struct rv_function) functions;
    bool lanes, split, atomics; /* what it was compiled for, and whether it needs atomics */
    u32 variant, nests;         /* so, too; words of a thread for open splits and loops */
    bool local_said;            /* that runtime.local does nothing */
    u32 thread_b;               /* __local objects of a hardware thread */
    u64 area, area_b;           /* memory of launches, or 0 */
};

struct rv_machine { /* what lowering asks of a machine */
    u32 variant, diverge, atomics, barriers, warps, lanes_n, cores, shared_b;
    u32 lanes, distribution, local; /* the runtime's keys: map is lanes */
    u32 misaligned;                 /* loads and stores at any address */
};

/* --- kernels.c: programs that heddle compiled */
bool rv_kernels_read(struct rv_program *p, struct diag *dg);
struct kernel *rv_kernel_lower(struct rv_program *p, u32 i, const struct rv_machine *m, struct arena *arena, struct diag *dg);

/* --- descriptor.c: images and samplers of such programs */
/* A number for a type of OpenCL C that a handle stands for (image2d_t, sampler_t), or NONE */
i32 rv_opaque(const char *type);
/* In the arguments of a launch, which are written: handles of textures (their low halves) become addresses of
 * descriptors, which it writes too, and samplers; false with why */
bool rv_describe(const struct rv_function *f, struct memory *mem, struct strbuf *why);

/* --- lower.c */
struct kernel *rv_lower(struct rv_program *p, const struct rv_machine *m, struct arena *arena, struct diag *dg);

/* --- meet.c: where the lanes of each branch meet again. returns[i]: the function that a return at i is
 * of, or NONE; starts[i]: a symbol begins there (NULL: no symbols are known); all returns of a function are
 * to meet at one place. Returns how many functions have such a place. */
u32 rv_meet(struct kernel *k, u32 text_words, const bool *starts, i32 *returns, bool *guests);

extern const struct frontend riscv_frontend;

#endif
