/* Private to the lowering (lower*.c): one function on its way from the parser's tree to struct inst.
 *
 * While a function is being lowered, struct opnd.off of a register operand holds its virtual register;
 * finish_function rewrites it to the physical place. Branch targets hold the parser's instruction
 * index until then. */
#ifndef HEDDLE_LOWER_H
#define HEDDLE_LOWER_H

#include "func/func.h"
#include "func/lanes.h"
#include "func/rowops.h"
#include "ptx/ptx.h"

struct lower {
    struct ptx_module *m;
    struct ptx_func *entry;
    struct kernel *k;
    const struct ptx_schedule *how;
    struct arena *arena;
    struct diag *dg;
    VEC(i32) module_regs;         /* registers of the module that reachable functions name */
    VEC(struct ptx_func *) funcs; /* reachable, entry first; ptx_func.index is the place here */
    VEC(u8) pool;
    VEC(struct pool_const) consts;
    u32 *pool_slots;               /* hash table: place in consts + 1, or 0 */
    u32 npool_slots;               /* a power of two */
    u32 regions;                   /* sizes of values: words and pairs, and quads if a function has some */
    VEC(struct ptx_var *) dynamic; /* shared variables without a size that reachable code names */
    struct strbuf refuse;
};
struct pool_const {
    u64 value;
    u32 rows, off;
};

struct fn { /* the function being lowered */
    struct lower *lo;
    struct ptx_func *pf;
    bool is_entry;
    VEC(struct inst) code;
    VEC(u8) vrows;    /* rows of each virtual register; the parser's registers first */
    i32 *pc_of;       /* parser's instruction index -> local pc; [ninsts] = end */
    i32 *module_vreg; /* by place in lower.module_regs: the virtual register that stands for it here */
    i32 cc;           /* the carry's virtual predicate, or NONE */
    u32 local_b;
    u32 region;                /* rows of storage that lie together, of one size of value */
    const struct ptx_inst *pi; /* being lowered, for messages */
};

/* --- lower_opnd.c */
struct opnd opnd_none(void);
struct opnd opnd_reg(const struct fn *f, i32 vreg);
struct opnd opnd_const(struct fn *f, u64 value, u32 rows); /* a row (or pair) of the pool, the value in every lane */
i32 fn_new_vreg(struct fn *f, u32 rows);
/* Each reports an error and returns false when the operand does not fit. `wider`: the register may be wider
 * than the type. */
bool lower_src(struct fn *f, const struct ptx_opnd *o, enum type need, bool wider, struct opnd *out);
/* d = the low 16 or 32 bits of s; NULL after an error */
struct inst *lower_cut(struct fn *f, struct opnd s, u32 bits, struct opnd d);
bool lower_dst(struct fn *f, const struct ptx_opnd *o, enum type need, bool wider, struct opnd *out);
bool lower_pred_src(struct fn *f, const struct ptx_opnd *o, struct opnd *out);
bool lower_pred_dst(struct fn *f, const struct ptx_opnd *o, struct opnd *out);
/* [base + off]: fills s[0], imm, frame_local, and may turn SPACE_PARAM of a function into SPACE_LOCAL */
bool lower_address(struct fn *f, const struct ptx_opnd *o, struct inst *in);
bool lower_error(struct fn *f, const struct ptx_opnd *o, const char *fmt, ...) PRINTF_LIKE(3, 4); /* false */
u32 fn_reg_bits(const struct fn *f, const struct ptx_opnd *o); /* width of the register an operand names; 32 for others */

/* --- lower_require.c: false after an error when a modifier that must be there is missing */
bool lower_require(struct fn *f);

/* --- lower_inst.c */
bool lower_inst(struct fn *f, const struct ptx_inst *pi);
struct inst *fn_emit(struct fn *f, exec_fn *exec);
static inline bool fn_has(const struct fn *f, enum mod m) { return key_has(&f->pi->key, m); }
static inline enum type fn_type(const struct fn *f, u32 i) {
    return i < f->pi->key.ntypes ? (enum type)f->pi->key.type[i] : TYPE_NONE;
}
bool lower_want_operands(struct fn *f, u32 least, u32 most); /* false after an error */
bool lower_nop(struct fn *f);
bool lower_unmodelled(struct fn *f, const char *why); /* refuses the kernel at launch; true */

/* --- lower_lane.c */
bool lower_cvt(struct fn *f);
bool lower_generic(struct fn *f);
bool lower_lop3(struct fn *f);
bool lower_words(struct fn *f);
/* The lane function of the instruction at hand, into in->lane and in->aux; false after an error. imm: the constant of lop3 and the like */
bool lower_pick_lane(struct fn *f, struct inst *in, u32 nsrc, u32 imm);

/* --- lower_mov.c */
bool lower_cvta(struct fn *f);
bool lower_getctarank(struct fn *f);
bool lower_isspacep(struct fn *f);
bool lower_mapa(struct fn *f);
bool lower_mov(struct fn *f);
enum space lower_space(const struct fn *f); /* as its modifiers say */

/* --- lower_mem.c */
bool lower_cp(struct fn *f);
bool lower_createpolicy(struct fn *f);
bool lower_fence(struct fn *f);
bool lower_ld(struct fn *f);
bool lower_st(struct fn *f);
u32 lower_vector_length(const struct fn *f); /* .v2 .v4 .v8, or 1 */
/* Element size and count; `one` is the register of a scalar access */
void lower_memory_shape(struct fn *f, struct inst *in, u32 n, const struct opnd *one);

/* --- lower_ctrl.c */
bool lower_bar(struct fn *f);
bool lower_bra(struct fn *f);
bool lower_brx(struct fn *f);
bool lower_call(struct fn *f);
bool lower_ret(struct fn *f);
bool lower_trap(struct fn *f);

/* --- lower_warp.c */
bool lower_activemask(struct fn *f);
bool lower_elect(struct fn *f);
bool lower_ldstmatrix(struct fn *f);
bool lower_match(struct fn *f);
bool lower_mma(struct fn *f);
bool lower_movmatrix(struct fn *f);
bool lower_redux(struct fn *f);
bool lower_shfl(struct fn *f);
bool lower_vote(struct fn *f);
struct inst *fn_emit_collective(struct fn *f, exec_fn *exec); /* all lanes it names take part together */

/* --- lower_atom.c: atomics, mbarriers and the copies that signal them */
int lower_atomic_kind(const struct fn *f); /* enum mod, or NONE */
bool lower_atom(struct fn *f);
bool lower_mbarrier(struct fn *f);
bool lower_cp_bulk(struct fn *f);

/* --- lower_stack.c: memory that a function takes from its frame while it runs */
bool lower_grows(const struct ptx_func *p); /* whether its frame needs the word that counts what it took */
bool lower_alloca(struct fn *f);
bool lower_stack(struct fn *f);

/* --- lower_tex.c: textures and surfaces */
bool lower_istypep(struct fn *f);
bool lower_suld(struct fn *f);
bool lower_sured(struct fn *f);
bool lower_sust(struct fn *f);
bool lower_tex(struct fn *f);
bool lower_tld4(struct fn *f);
bool lower_txq(struct fn *f);

/* --- lower_wmma.c */
bool lower_wmma(struct fn *f);

/* --- lower.c */
struct func_slot fn_module_slot(const struct fn *f, u32 i); /* of the i-th of lower.module_regs */
void lower_refuse(struct lower *lo, const struct ptx_inst *pi, const char *why);
bool var_is_kernel_param(const struct fn *f, const struct ptx_var *v);
bool var_is_in_frame(const struct fn *f, const struct ptx_var *v); /* its address counts from the frame's first byte */

#endif
