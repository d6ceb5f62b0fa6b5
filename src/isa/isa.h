/* isa: the one decoded instruction, shared by function and time, and the tables it is named from.
 *
 * A kernel is an array of struct inst; a program counter is an index into it. Front ends (ptx/, later riscv/)
 * make it, func/ runs it, the timing model reads its generic fields only. Registers are 32-bit words per
 * lane; a 64-bit value takes an aligned pair. Predicates are a separate file of one bit per lane.
 *
 * Storage (D2): lanes are kept in slabs of 32. A register row is u32[32]; the pair of rows of a 64-bit value
 * is read as u64[32]. Values of different sizes never share storage, whatever physical registers they have:
 * lanes that diverged may hold a 32-bit value in r6 and a 64-bit one in r6:7 at the same time, and a lane of
 * a pair lies where other lanes of its rows would. Values narrower than 32 bits live zero-extended in a row.
 * A predicate of a slab is one u32, bit l = lane l. A warp of more than 32 lanes has two slabs; of fewer, one
 * slab whose upper lanes are never live. */
#ifndef HEDDLE_ISA_H
#define HEDDLE_ISA_H

#include "base/base.h"

enum { SLAB_LANES = 32, ROW_B = SLAB_LANES * 4, MAX_WARP = 64, NONE = -1 };

/* --- types (type.def) */
enum type {
    TYPE_NONE,
#define TYPE(id, bits, family) TYPE_##id,
#include "isa/type.def"
#undef TYPE
    TYPE_COUNT
};
enum type_family { FAMILY_B, FAMILY_U, FAMILY_S, FAMILY_F, FAMILY_X, FAMILY_P };
struct type_row {
    const char *name; /* without the dot */
    u8 bits;          /* 1 for predicates */
    u8 family;        /* enum type_family */
};
extern const struct type_row type_table[TYPE_COUNT];
static inline u32 type_bytes(enum type t) { return (type_table[t].bits + 7u) / 8u; }
static inline u32 type_rows(enum type t) {
    return t == TYPE_pred ? 0 : type_table[t].bits > 64 ? 4 : type_table[t].bits > 32 ? 2 : 1;
}
enum type type_find(const char *name, size_t len); /* TYPE_NONE when unknown */

/* --- modifiers (mod.def) */
enum mod {
#define MOD(id, spelling) MOD_##id,
#include "isa/mod.def"
#undef MOD
    MOD_COUNT
};
extern const char *const mod_names[MOD_COUNT];
int mod_find(const char *name, size_t len); /* NONE when unknown */
struct mods {
    u64 word[(MOD_COUNT + 63) / 64];
};
static inline bool mods_has(const struct mods *m, enum mod x) { return m->word[x / 64] >> (x % 64) & 1; }
static inline void mods_set(struct mods *m, enum mod x) { m->word[x / 64] |= 1ull << (x % 64); }

/* --- opcodes (op.def) */
/* Kinds of work, for the instruction mix */
enum iclass {
#define ICLASS(id, doc) ICLASS_##id,
#include "isa/iclass.def"
#undef ICLASS
    ICLASS_COUNT
};
struct iclass_row {
    const char *name, *doc;
};
extern const struct iclass_row iclass_table[ICLASS_COUNT];
enum op {
#define OP(id, cls, sig, types, mods) OP_##id,
#include "isa/op.def"
#undef OP
    OP_COUNT
};
struct op_row {
    const char *name;
    u8 iclass; /* enum iclass */
    const char *sig, *types, *mods;
};
extern const struct op_row op_table[OP_COUNT];
int op_find(const char *name, size_t len); /* NONE when unknown */
bool op_is_simd_video(enum op op); /* vadd2, vset4, ...: operands hold several lanes, selectors are masks or lists of parts */
bool op_takes_mod(enum op op, enum mod m); /* m stands in the op's row */
bool op_takes_type(enum op op, enum type t);

/* What an opcode says, resolved from its dotted name */
struct opkey {
    u16 op; /* enum op */
    u8 ntypes;
    u8 type[4]; /* enum type, in written order */
    u8 layouts; /* mma and wmma: .row (1) and .col (2) in written order, two bits each, the first lowest */
    struct mods mods;
};
static inline bool key_has(const struct opkey *k, enum mod m) { return mods_has(&k->mods, m); }

/* --- memory spaces */
enum space {
    SPACE_GENERIC,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_PARAM,
    SPACE_REG,
    SPACE_TEX,
    SPACE_COUNT
};
extern const char *const space_names[SPACE_COUNT];

/* --- special registers (sreg.def) */
enum sreg {
#define SREG(id, type, spelling) SREG_##id,
#include "isa/sreg.def"
#undef SREG
    SREG_COUNT
};
struct sreg_row {
    const char *name; /* with the % */
    u8 type;          /* enum type */
};
extern const struct sreg_row sreg_table[SREG_COUNT];
int sreg_find(const char *name, size_t len);

/* --- the instruction */

/* The arithmetic of 32 lanes of one slab. d, a, b, c are rows: u32[32] for values of up to 32 bits, u64[32]
 * for 64-bit ones, and one u32 of bits for predicates. It computes all 32 lanes; the caller keeps the lanes
 * that are active. d may be the same row as a source, never one that overlaps it partly. q is, by opcode: the
 * second predicate of p|q (out); the carry bits (in and out); or the fourth source row. */
typedef void lane_fn(void *d, const void *a, const void *b, const void *c, u32 *q, u32 aux);

struct warp;
struct group;
struct launch;
struct memory;
struct inst;
/* Runs one instruction for the lanes of `mask` (the group's lanes whose guard holds; never 0 unless
 * INST_CONTROL). Instructions with INST_CONTROL set the group's pc themselves; for all others the caller
 * steps it. Defined in func/. */
typedef void exec_fn(struct warp *w, struct group *g, const struct inst *in, u64 mask);

/* One lane's access to what is no memory: a store of `bytes` from data, or a load into it. False: nothing is
 * there. */
typedef bool device_fn(struct warp *w, const struct inst *in, u32 lane, u64 addr, bool write, void *data, u32 bytes);

enum opnd_space { OPND_IN_REG, OPND_IN_POOL, OPND_IN_PRED };
struct opnd {
    u8 in : 2;     /* enum opnd_space: where `off` counts from */
    u8 rows : 4;   /* 1, 2 or 4; 0 for a predicate */
    u8 absent : 1; /* no such operand, or the sink _ */
    u8 negate : 1; /* predicate source written !p */
    u16 reg;       /* physical register number (the first of a pair), for disassembly and time */
    i32 off;       /* bytes from the frame's first register row, or into the kernel's pool of constants; predicates: index */
};

enum inst_flag {
    INST_RECONV = 1,      /* some branch reconverges here */
    INST_PSEUDO = 2,      /* not written in the program (function exit); not counted */
    INST_SYNC_POLL = 4,   /* may be what a waiting loop polls: atomics that return, volatile, relaxed and acquire loads */
    INST_COLLECTIVE = 8,  /* names lanes that must take part together (shfl.sync, vote.sync, mma, ...) */
    INST_CONTROL = 16,    /* sets the pc itself */
    INST_STRAIGHT = 32,   /* always followed by the next pc: no guard, no control, no meeting point, nothing to wait for */
    INST_PLAIN = 64,      /* INST_STRAIGHT, and nothing but `lane` on rows of registers, with a destination of one or two rows */
    INST_Q_READ = 128,    /* q is a source */
    INST_Q_WRITTEN = 256, /* q is a destination */
    INST_DEAD = 512,      /* its only result is never read */
    INST_UNCACHED = 1024, /* a load that must not be answered by the L1: .cg .cv, volatile, relaxed, acquire */
    INST_ASYNC_WAIT = 2048,   /* waits for asynchronous copies of its threads */
    INST_GPU_FENCE = 4096,    /* a fence of gpu or sys scope */
    INST_EXIT = 8192,         /* lanes end */
    INST_FRAME = 16384,       /* a call or return: registers are others afterwards */
    INST_MEMORY = 32768,      /* goes through the memory pipe */
    INST_ADDRESS = 1 << 16,   /* one access a lane, at s[0] + imm */
    INST_JUMP = 1 << 17,      /* lanes whose guard holds go to `target` */
    INST_TABLE = 1 << 18,     /* info is a struct branch_table */
    INST_CALL = 1 << 19,      /* info is a struct call_info */
    INST_LEAVE = 1 << 20,     /* lanes whose guard holds leave the function, or end */
    INST_TURN = 1 << 21,      /* afterwards the group may be gone, or others may have to run first */
    INST_RUNTIME = 1 << 22,   /* of the runtime that deals out work, not of the program */
    INST_WAYS = 1 << 23,      /* each of its lanes goes its own way, without a guard or a table */
    INST_ANY_ALIGN = 1 << 24, /* its addresses need not be multiples of its size */
};

/* How the bytes of a memory access lie in registers: decided once, so that common ones take a short way */
enum access_shape {
    ACCESS_GENERAL, /* anything else: converted element by element */
    ACCESS_ROW,     /* one element of the register's own width, 4 or 8 bytes */
    ACCESS_NARROW,  /* one element of 1 or 2 bytes in a 32-bit row */
    ACCESS_WORDS,   /* a vector of 4-byte elements in 32-bit rows, none of them the sink */
};

struct inst {
    /* what every step reads: one cache line */
    exec_fn *exec;
    lane_fn *lane;    /* element-wise instructions; else NULL */
    u32 aux;          /* handed to `lane`; meaning is the opcode's */
    i32 guard;        /* predicate register, or NONE */
    struct opnd d;    /* first destination */
    struct opnd s[3]; /* first sources */
    u32 flags;        /* enum inst_flag */
    u8 guard_negate;
    u8 iclass; /* enum iclass */
    u16 op;    /* enum op */
    /* the rest */
    u8 exec_id;               /* enum exec_id (func/func.h): exec's row in the table of what is known of it */
    u8 space;                 /* enum space, for memory instructions */
    u8 elem_b, nelem;         /* bytes per element and elements per lane of a memory access */
    u8 access;                /* enum access_shape */
    u8 frame_local;           /* address counts from the frame's first local byte (.local and .param variables) */
    u16 extra_n;              /* operands in `extra` */
    u16 extra_d;              /* how many of them, the first ones, are destinations */
    struct opnd q;            /* second predicate, carry or fourth source (lane_fn's q) */
    i64 imm;                  /* address offset; other uses by opcode */
    i32 target;               /* branch or call target pc, or NONE */
    i32 reconv;               /* pc where the lanes of a branch meet again (immediate post-dominator) */
    const struct opnd *extra; /* every further operand: vectors, matrices, call arguments */
    const void *info;         /* by opcode: call, branch table, ... */
    const struct opkey *key;  /* PTX: as written, for messages and the shapes of mma; NULL for other instruction sets */
    const struct inst_src *src;
};

_Static_assert(offsetof(struct inst, exec_id) == 64, "what every step reads is one cache line");

/* Where an instruction stands, and how to print it */
struct inst_src {
    u32 text_line, text_col; /* in the text the program was loaded from (kernel.file), from 1; 0, 0 when that is no text */
    u32 line;                /* in the source that was compiled to it, as the program says; or 0 */
    const char *file;        /* that source, or NULL */
    const char *text;        /* the instruction in one line, as written; NULL: `print` disassembles it, when somebody asks */
    const char *(*print)(const struct inst_src *src);
};

struct kernel_param {
    const char *name;
    u32 offset_b, size_b, align_b;
    u8 type;         /* enum type of one element */
    u8 is_ptr;       /* .ptr was given */
    u8 ptr_space;    /* enum space of the .ptr annotation */
    u32 ptr_align_b; /* of what it points to, 0 when the annotation does not say */
};

/* One parameter or result of a function, or one argument of a call: bytes in the frame's local memory, or a
 * register */
struct func_slot {
    bool in_reg;
    struct opnd reg;   /* in_reg */
    u32 off_b, size_b; /* else: from the frame's first local byte */
};
/* inst.info of a call */
struct call_info {
    i32 func;    /* index into kernel.funcs; NONE for an indirect call (the address is s[0]) */
    i32 builtin; /* enum builtin (func/func.h), or NONE */
    u32 nargs, nrets;
    const struct func_slot *args, *rets;
};
/* inst.info of brx.idx */
struct branch_table {
    u32 n;
    const i32 *targets;
};

/* A function's place in the code. Function 0 is the kernel itself. */
struct kernel_func {
    const char *name;
    i32 entry_pc, exit_pc; /* exit_pc: the pseudo instruction where all returns meet */
    u32 regs;              /* physical 32-bit registers of its frame */
    u32 rows;              /* rows of storage of its frame */
    u32 preds;
    u32 local_b;  /* .local and .param bytes of its frame, a multiple of 16 */
    i32 taken_at; /* where in them the word is that counts the bytes taken with alloca, or NONE */
    u32 nparams, nrets;
    const struct func_slot *params, *rets;
    u64 address; /* what `mov %rd, f` yields */
};

/* A launch of a kernel whose groups the program deals out itself. `place` leaves it in memory for the
 * program, and puts cores and their threads in place of groups and their items; false with the reason. */
struct kernel;
struct kernel_launch {
    u32 grid[3], block[3];
    const u8 *params;
    u32 params_b;
    bool local_free; /* the size of groups does not matter to the kernel */
    bool uniform;    /* all items of all groups go through the same barriers */
};
typedef bool place_fn(const struct kernel *k, struct memory *mem, struct kernel_launch *l, struct strbuf *why);

/* Programs that change their own text while they run. What an instruction was stays as it was for whoever has
 * a copy of it; who else stands at a pc finds another there. */
struct text_word { /* a word of the text that is another now */
    u32 pc, word;
};
struct text_ops {
    /* The kernel with a text of its own, in `arena`, which changes apart from the kernel's */
    struct kernel *(*copy)(const struct kernel *k, struct arena *arena);
    void (*change)(struct kernel *k, const struct text_word *words, u32 n);
    void (*read)(struct kernel *k, struct memory *mem); /* the text becomes what stands in memory */
};

struct kernel {
    const char *name;
    const char *file; /* the program's */
    struct inst *code;
    u32 ninst;
    u32 nfuncs;
    struct kernel_func *funcs;
    u8 *pool; /* constant rows, 64-byte aligned */
    u32 pool_b;
    u32 param_b; /* bytes of the parameter block */
    u32 nparams;
    struct kernel_param *params;
    /* what it needs, per thread or per block */
    u32 regs_per_thread; /* 32-bit registers, deepest known call path */
    u32 rows_per_warp;   /* rows of storage, deepest known call path */
    u32 preds_per_thread;
    u32 local_b;     /* per thread, kernel's own frame and deepest known call path */
    u32 shared_b;    /* static, per block */
    u32 dynamic_at;  /* where dynamic shared memory starts: the next address after the static part that suits its variables */
    u32 const_b;     /* of its module */
    u32 max_threads; /* .maxntid product, or 0 */
    u32 reqntid[3];  /* 0,0,0 when not given */
    u32 minctapersm, maxnreg;
    /* How a block begins. A kernel whose first_warps is 0 is started with all warps and lanes of its blocks,
     * from pc 0. */
    u32 first_warps;               /* so many warps, the first ones; the program starts others itself (func/func.h, warp_start) */
    u64 first_lanes;               /* first_warps: the lanes of these that are on; others are off */
    u32 core_warps;                /* first_warps: warps a core has where a launch does not say */
    bool gathers;                  /* collectives that name no lanes are of those that would be together had all that parted met
                                      again (group.wait_mask); those that set the pc themselves have them in one group */
    bool keeps_registers;          /* a warp that is started again finds its registers as it left them */
    void (*begin)(struct warp *w); /* called for every warp that starts, to set registers, which are zeros; or NULL */
    /* What an instruction set has beyond that (NULL and 0: nothing) */
    const void *isa;         /* its front end's, for its exec functions */
    u32 warp_state_b;        /* bytes of warp.state, zeros when its block begins */
    u64 shared_at;           /* where among plain addresses a block finds its shared memory */
    u64 device_at, device_b; /* plain addresses that are no memory: accesses are handed to `device`, lane by lane */
    device_fn *device;
    u64 code_at; /* where instruction 0 lies, for the instruction cache; 0: anywhere */
    u32 inst_b;  /* size of an instruction there; 0: the machine's */
    /* Where the warp goes after an instruction that a front end can do when it is decoded (join), with
     * `pending` such ones decoded before it and not yet run; NONE: to the next. NULL: there are none */
    i32 (*early)(const struct warp *w, const struct inst *in, u32 pending);
    void (*finish)(struct launch *l); /* after the last block, whatever came of it */
    const struct text_ops *text;      /* it may change its own text; NULL: it cannot */
    place_fn *place;                  /* the program deals out groups itself: what a launch becomes */
    const void *place_with;
    bool recursive;     /* depth not known from the text */
    bool meets_grid;    /* reads where the memory for a barrier of the whole grid is */
    bool needs_warp32;  /* uses lane ids, shuffles, votes or matrices */
    const char *refuse; /* a reason this kernel cannot be launched, or NULL */
    const char *remark; /* what every report of a run says of how the program ran, or NULL */
};

/* --- regs.c: the registers an instruction reads and writes. A 32-bit register is its number, a predicate
 * REG_PRED | index. */
enum { REG_PRED = 0x8000, MAX_INST_REGS = 96 };
struct inst_regs {
    u8 nsrc, ndst;
    u16 src[MAX_INST_REGS], dst[MAX_INST_REGS];
};
void inst_regs(const struct inst *in, struct inst_regs *r);

/* --- disasm.c */
void kernel_disasm(const struct kernel *k, FILE *out);
const char *inst_text(const struct inst_src *src); /* the instruction in one line; NULL: it has none */

#endif
