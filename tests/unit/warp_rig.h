/* warp_rig: kernels made by hand, of exec functions from the table and of the test's own, and the functional
 * machine to run them on. Registers are rows 0 to 7, pairs from row 8; predicates 0 to 3. The pool's row i
 * holds `constants[i]` in all lanes. */
#ifndef HEDDLE_TEST_WARP_RIG_H
#define HEDDLE_TEST_WARP_RIG_H

#include "func/func.h"
#include "func/rowops.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RIG_CODE = 64, RIG_ROWS = 16, RIG_POOL = 8 };
struct rig {
    struct inst code[RIG_CODE];
    u32 n;
    struct kernel k;
    struct kernel_func f;
    struct memory mem;
    struct launch l;
    _Alignas(64) u32 pool[RIG_POOL][SLAB_LANES];
    u32 hints[RIG_CODE];
    struct pc_count counts[RIG_CODE + 1], runs[RIG_CODE + 1];
};

static const struct opnd rig_none = {.absent = 1};
static inline struct opnd rig_reg(u32 row) { return (struct opnd){.in = OPND_IN_REG, .rows = 1, .off = (i32)row * ROW_B}; }
static inline struct opnd rig_pair(u32 row) { return (struct opnd){.in = OPND_IN_REG, .rows = 2, .off = (i32)row * ROW_B}; }
static inline struct opnd rig_const(u32 i) { return (struct opnd){.in = OPND_IN_POOL, .rows = 1, .off = (i32)i * ROW_B}; }

/* An instruction that the table knows; exec_settle is called when the rig is closed */
static inline struct inst *rig_emit(struct rig *r, exec_fn *exec) {
    static const struct inst_src src = {.text = "by hand"};
    struct inst *in = &r->code[r->n++];
    *in = (struct inst){
        .d = rig_none, .s = {rig_none, rig_none, rig_none}, .q = rig_none, .guard = NONE, .target = NONE, .reconv = NONE};
    in->src = &src, in->iclass = ICLASS_INT;
    exec_choose(in, exec);
    return in;
}

/* One with a function of the test's own, which sets the pc */
static inline struct inst *rig_own(struct rig *r, exec_fn *exec, i64 imm) {
    struct inst *in = rig_emit(r, exec_nop);
    in->exec = exec, in->imm = imm, in->flags |= INST_CONTROL | INST_TURN;
    return in;
}

static inline void rig_add32(void *d, const void *a, const void *b, const void *c, u32 *q, u32 aux) {
    (void)c, (void)q, (void)aux;
    for (u32 l = 0; l < SLAB_LANES; l++) ((u32 *)d)[l] = ((const u32 *)a)[l] + ((const u32 *)b)[l];
}
static inline void rig_wide(void *d, const void *a, const void *b, const void *c, u32 *q, u32 aux) {
    (void)c, (void)q, (void)aux;
    for (u32 l = 0; l < SLAB_LANES; l++) ((u64 *)d)[l] = (u64)((const u32 *)a)[l] << 32 | ((const u32 *)b)[l];
}

static inline void rig_add(struct rig *r, u32 d, struct opnd a, struct opnd b) {
    struct inst *in = rig_emit(r, exec_rows1);
    in->lane = rig_add32, in->d = rig_reg(d), in->s[0] = a, in->s[1] = b, in->s[2] = a;
}
static inline void rig_lane_id(struct rig *r, u32 d) {
    struct inst *in = rig_emit(r, exec_sreg);
    in->d = rig_reg(d), in->imm = SREG_laneid;
}

/* The code is complete: a launch of `blocks` blocks of `threads` */
static inline void rig_close(struct rig *r, u32 blocks, u32 threads, u32 warp_size) {
    for (u32 i = 0; i < r->n; i++) exec_settle(&r->code[i]);
    r->f = (struct kernel_func){
        .name = "rig", .exit_pc = (i32)r->n - 1, .regs = RIG_ROWS, .rows = RIG_ROWS, .preds = 4, .taken_at = NONE};
    r->k.name = "rig", r->k.file = "rig", r->k.code = r->code, r->k.ninst = r->n, r->k.nfuncs = 1, r->k.funcs = &r->f;
    r->k.pool = (u8 *)r->pool, r->k.pool_b = sizeof(r->pool);
    r->k.regs_per_thread = r->k.rows_per_warp = RIG_ROWS, r->k.preds_per_thread = 4;
    r->mem.limit_b = 1 << 20;
    r->l = (struct launch){.k = &r->k,
                           .mem = &r->mem,
                           .port = memport_direct(&r->mem),
                           .ops = rowops_host(),
                           .grid = {blocks, 1, 1},
                           .block = {threads, 1, 1},
                           .threads = threads,
                           .warp_size = warp_size,
                           .shared_b = 1024,
                           .hints = r->hints,
                           .counts = r->counts,
                           .runs = r->runs,
                           .max_instructions = 100000,
                           .trace_cta = NONE,
                           .trace_warp = NONE};
}

static inline void rig_constant(struct rig *r, u32 i, u32 value) {
    for (u32 l = 0; l < SLAB_LANES; l++) r->pool[i][l] = value;
}

static inline u32 rig_word(const struct warp *w, u32 row, u32 lane) {
    return ((const u32 *)(const void *)(w->regs + (size_t)(lane / SLAB_LANES) * w->rows * ROW_B +
                                        (size_t)row * ROW_B))[lane % SLAB_LANES];
}

static inline void rig_free(struct rig *r) {
    memory_release(&r->mem);
    strbuf_free(&r->l.fault);
    free(r);
}
static inline struct rig *rig_new(void) { return base_alloc_aligned((sizeof(struct rig) + 63) / 64 * 64); }

#endif
