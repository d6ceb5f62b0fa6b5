/* ptx: text to module (lexer.c, parse.c), module to kernel (lower.c, regalloc.c).
 *
 * The tree below is what the parser leaves: names resolved, scopes flattened, types and modifiers looked up,
 * nothing yet checked against opcode signatures (lower.c does). All of it lives in the module's arena. */
#ifndef HEDDLE_PTX_H
#define HEDDLE_PTX_H

#include "isa/flow.h"
#include "isa/frontend.h"
#include "isa/isa.h"

struct ptx_loc {
    u32 line, col; /* 1-based */
};

struct ptx_reg {
    const char *name; /* with the % */
    u8 type;          /* enum type */
    i32 module_reg;   /* declared outside of functions: index into the module's registers; else NONE */
    struct ptx_loc loc;
};

enum ptx_opaque { PTX_PLAIN, PTX_TEXREF, PTX_SAMPLERREF, PTX_SURFREF };
struct ptx_field { /* one of an opaque variable's initialiser: name = value */
    const char *name;
    const char *word; /* the value when it is a word, or NULL */
    i64 number;
    struct ptx_field *next;
};

enum ptx_linkage { LINK_NONE, LINK_VISIBLE, LINK_EXTERN, LINK_WEAK, LINK_COMMON };

struct ptx_reloc {        /* an address stored in an initialiser */
    u32 offset_b, size_b; /* 4 or 8 bytes at offset (fewer with mask()) */
    u8 shift;             /* mask(): the value is shifted right by this many bits */
    bool generic;         /* written generic(sym) */
    struct ptx_var *var;  /* one of var, func */
    struct ptx_func *func;
    i64 addend;
};

struct ptx_var {
    const char *name;
    struct ptx_loc loc;
    u8 space;   /* enum space */
    u8 type;    /* element type */
    u8 vec;     /* 1, 2 or 4: .v2 .v4; a vector register parameter is one variable per component, 0 for all but the first */
    u8 linkage; /* enum ptx_linkage */
    bool managed;
    u8 opaque;                /* enum ptx_opaque */
    struct ptx_field *fields; /* of an opaque variable, in order */
    bool incomplete;          /* extern shared array without a size, or [] without initialiser */
    bool at_module_scope;
    u8 is_ptr, ptr_space; /* .ptr annotation of kernel parameters */
    u32 ptr_align;
    u32 align_b;
    u64 size_b;     /* all elements */
    const u8 *init; /* size_b bytes, or NULL for zeros */
    u32 nrelocs;
    struct ptx_reloc *relocs;
    i32 reg; /* parameter of a .func declared .reg: index into regs; else NONE */
    /* filled by the lowering and the loader */
    u64 address;
    bool placed;
    u32 reached; /* ptx_module.lowered when a kernel last came by; shared variables */
};

enum ptx_opnd_kind {
    PTX_REG,   /* reg, plus off where written %r + 4; sel when written %r.b0 and the like */
    PTX_IMM,   /* imm; float literals keep their own kind */
    PTX_VAR,   /* address of var + off; written var[%r + 1]: n = 1, elem[0] is the index in elements, off the rest */
    PTX_FUNC,  /* address of func; func is NULL where a call names what only a runtime library provides (see name) */
    PTX_LABEL, /* label: index into the function's labels */
    PTX_SREG,  /* sreg */
    PTX_SINK,  /* _ */
    PTX_VEC,   /* {elem...}; also a whole .v2/.v4 register */
    PTX_MEM,   /* [base + off]: n = 1, elem[0] is the base (REG, VAR or IMM), off; textures: n > 1, further elements as written */
    PTX_PAIR,  /* elem[0] | elem[1] */
    PTX_LIST,  /* ( elem, ... ) of a call */
};
enum ptx_imm_kind { IMM_INT, IMM_F32, IMM_F64 };
enum { PTX_SEL_PERMUTE = 255 }; /* a SIMD video source selector that is no mask, such as .b7610: see imm */

struct ptx_opnd {
    u8 kind;      /* enum ptx_opnd_kind */
    u8 imm_kind;  /* enum ptx_imm_kind */
    u8 sel;       /* enum lane_sel (func/lanes.h values): byte or half selector or SIMD mask; 0 none; or PTX_SEL_PERMUTE */
    bool negate;  /* written !x or -%x */
    bool indexed; /* PTX_VAR written var[...] */
    u16 n;
    struct ptx_loc loc;
    i32 reg, label, sreg;
    i64 off;
    u64 imm; /* IMM_INT: the value (two's complement); IMM_F32: its 32 bits; IMM_F64: its 64 bits.
                    A SIMD video register with a selector: nibble i is the digit for byte or half i (0x3210 for .b3210) */
    struct ptx_var *var;
    struct ptx_func *func;
    const char *name; /* PTX_FUNC without func */
    struct ptx_opnd *elem;
};

struct ptx_inst {
    struct ptx_loc loc;
    struct opkey key;
    i32 guard; /* register index, or NONE */
    bool guard_negate;
    bool unmodelled; /* carries a modifier or type outside its row of op.def, which allows it (a "*" row) */
    u8 nopnds;
    struct ptx_opnd *opnds;
    u32 src_line;         /* from the last .loc, or 0 */
    const char *src_file; /* or NULL */
    const char *text;     /* as written from opcode to before ';', white space folded */
    /* call: index of the .callprototype or .calltargets label's entry, or NONE; brx.idx: of the
     * .branchtargets */
    i32 table;
};

struct ptx_label {
    const char *name;
    struct ptx_loc loc;
    i32 at; /* index of the next instruction (ninsts at the end of the body) */
};

/* .branchtargets, .calltargets and .callprototype, by label */
struct ptx_table {
    const char *name;
    struct ptx_loc loc;
    enum { TABLE_BRANCHTARGETS, TABLE_CALLTARGETS, TABLE_CALLPROTOTYPE } kind;
    u32 n;
    i32 *labels;             /* BRANCHTARGETS */
    struct ptx_func **funcs; /* CALLTARGETS */
    struct ptx_func *proto;  /* CALLPROTOTYPE: only params and rets are filled */
};

struct ptx_func {
    const char *name;
    struct ptx_loc loc;
    bool is_entry, has_body, noreturn;
    u8 linkage;
    u32 nparams, nrets;
    struct ptx_var *params, *rets; /* space SPACE_PARAM, or SPACE_REG with .reg set */
    u32 nregs, nvars, nlabels, ntables, ninsts;
    struct ptx_reg *regs;
    struct ptx_var **vars; /* .local .shared .param .global .const declared inside */
    struct ptx_label *labels;
    struct ptx_table *tables;
    struct ptx_inst *insts;
    u32 cluster[3];                                                  /* .reqnctapercluster, or 0, 0, 0 */
    u32 maxntid[3], reqntid[3], minnctapersm, maxnctapersm, maxnreg; /* 0 when not given */
    /* filled by the lowering */
    u64 address;
    u32 index;
    u32 reached;        /* ptx_module.lowered when a kernel last came by */
    bool address_taken; /* an indirect call may reach it */
};

struct ptx_module {
    struct arena arena;
    const char *file;
    u32 version;        /* 87 for 8.7 */
    u32 sm;             /* 90 for sm_90 and sm_90a */
    const char *target; /* as written */
    u32 address_size;   /* 32 or 64 */
    u32 nfuncs, nvars;
    struct ptx_func **funcs; /* entries and functions, in order; a definition replaces its earlier declaration */
    struct ptx_var **vars;   /* module scope */
    u32 nregs;               /* registers declared outside of functions; each function that names one has its own entry for it */
    u8 *reg_types;           /* enum type, by module register */
    u64 const_b;             /* of constant variables */
    bool has_local;          /* variables in local memory */
    u32 lowered;             /* kernels lowered so far */
    bool noted_taken;        /* ptx_func.address_taken is known */
};

/* --- parse.c: NULL when there were errors (all in dg). The text need not outlive the call. */
struct ptx_module *ptx_parse(const char *file, const char *text, size_t len, struct diag *dg);
void ptx_free(struct ptx_module *m);
struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name);
struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name);

/* How schedule.c is to order instructions; compared byte by byte */
struct ptx_schedule {
    u32 registers;                      /* 32-bit ones a thread may have; 0: the order stays as written */
    u32 register_step;                  /* a thread is given a multiple of this */
    u32 shared_cy, const_cy, global_cy; /* latency of loads in core cycles; local memory counts as global */
};

/* --- lower.c: one entry to a runnable kernel. NULL on error. `arena` owns the result. Variables must have
 * been given addresses. */
struct kernel *ptx_lower(struct ptx_module *m, struct ptx_func *entry, const struct ptx_schedule *how, struct arena *arena,
                         struct diag *dg);

/* --- frontend.c */
extern const struct frontend ptx_frontend;

/* --- regalloc.c: liveness and linear scan over live ranges with holes. phys[v] is the first 32-bit register
 * (pairs aligned to 2, quads to 4) or the predicate index; NONE for a register never touched. `pinned` (may
 * be NULL) lists virtual registers that are live at entry (register parameters) and in which order they take
 * the first registers; `live_out` those read at the function's exit (register results). */
struct regalloc_result {
    u32 regs, preds; /* counts used */
    u32 max_live;    /* largest number of simultaneously live 32-bit registers: a lower bound on regs */
    const u8 *dead;  /* by instruction, in scratch: it writes a register whose value nobody reads */
};
struct regalloc_result regalloc(const struct flow *f, const i32 *live_in, u32 nlive_in, const i32 *live_out, u32 nlive_out,
                                i32 *phys, struct arena *scratch);

#endif
