/* flow_random: control flow for the tests of cfg.c and regalloc.c: short spellings of instructions, and
 * random programs.
 *
 * Random programs are not structured: jumps go anywhere, loops may have two entries or no way out, code may
 * be unreachable. */
#ifndef HEDDLE_TEST_FLOW_RANDOM_H
#define HEDDLE_TEST_FLOW_RANDOM_H

#include <string.h>

#include "ptx/ptx.h"

#define F_OP        {.target = NONE, .falls = true}
#define F_BRA(t)    {.target = (t)}
#define F_IF(t)     {.target = (t), .falls = true}
#define F_RET       {.target = NONE, .leaves = true}
#define F_IF_RET    {.target = NONE, .leaves = true, .falls = true}
#define F_TRAP      {.target = NONE}
#define F_BRX(list) {.target = NONE, .targets = (list), .ntargets = ARRAY_LEN(list)}

enum { RANDOM_MAX_INSTS = 64, RANDOM_MAX_TARGETS = 4, RANDOM_MAX_OPNDS = 4 };

struct random_program {
    struct flow flow;
    struct flow_inst inst[RANDOM_MAX_INSTS];
    i32 targets[RANDOM_MAX_INSTS][RANDOM_MAX_TARGETS];
    i32 reads[RANDOM_MAX_INSTS][RANDOM_MAX_OPNDS], writes[RANDOM_MAX_INSTS][RANDOM_MAX_OPNDS];
    u8 rows[RANDOM_MAX_INSTS];
};

static inline u32 random_below(u64 *state, u32 n) { /* splitmix64 */
    u64 z = *state += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return (u32)((z ^ z >> 31) % n);
}

static inline void random_control(struct random_program *p, u32 i, u64 *seed) {
    struct flow_inst *in = &p->inst[i];
    u32 kind = random_below(seed, 20), n = p->flow.ninsts;
    *in = (struct flow_inst)F_OP;
    if (kind < 5) {
        in->target = (i32)random_below(seed, n + 1);
    } else if (kind < 7) {
        *in = (struct flow_inst)F_BRA((i32)random_below(seed, n + 1));
    } else if (kind == 7) {
        *in = (struct flow_inst)F_RET;
    } else if (kind == 8) {
        *in = (struct flow_inst)F_IF_RET;
    } else if (kind == 9) {
        in->falls = random_below(seed, 2);
        in->ntargets = 1 + random_below(seed, RANDOM_MAX_TARGETS);
        in->targets = p->targets[i];
        for (u32 t = 0; t < in->ntargets; t++) p->targets[i][t] = (i32)random_below(seed, n + 1);
    }
}

/* A program of ninsts instructions of which none touches a register */
static inline void random_flow(struct random_program *p, u32 ninsts, u64 *seed) {
    memset(p, 0, sizeof(*p));
    p->flow = (struct flow){.ninsts = ninsts, .inst = p->inst, .vreg_rows = p->rows};
    for (u32 i = 0; i < ninsts; i++) random_control(p, i, seed);
}

/* Where control may go from i: at most RANDOM_MAX_TARGETS + 3 places, the exit being ninsts. A trap ends at
 * the exit. */
static inline u32 random_successors(const struct flow *f, u32 i, u32 *to) {
    const struct flow_inst *in = &f->inst[i];
    u32 n = 0;
    if (in->falls) to[n++] = i + 1;
    if (in->target != NONE) to[n++] = (u32)in->target;
    for (u32 t = 0; t < in->ntargets; t++) to[n++] = (u32)in->targets[t];
    if (in->leaves || n == 0) to[n++] = f->ninsts;
    return n;
}

#endif
