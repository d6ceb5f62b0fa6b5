/* facts: what each instruction of a kernel means to the audit: the registers it touches and the part it plays
 * in the rules.
 *
 * Memory instructions are loads, stores and atomics, of parameters excepted; these, asynchronous copies,
 * hints, textures, matrix loads and mbarriers are memory instructions when the model sends them through the
 * memory queue (EV_MEM_ENTER). Lanes of a warp that wait for each other (bar.warp.sync) are no barrier; every
 * fence is a fence. */
#ifndef HEDDLE_FACTS_H
#define HEDDLE_FACTS_H

#include "isa/isa.h"
#include "trace/uids.h"

/* What an instruction means to the rules: a set */
enum role {
    ROLE_MEMORY = 1,     /* goes to memory for certain */
    ROLE_MAY_MEMORY = 2, /* goes to memory if the model says so */
    ROLE_WRITES = 4,     /* changes memory */
    ROLE_GATE = 8,       /* barrier, fence or exit */
    ROLE_FENCE = 16,
    ROLE_CALL = 32,
};
struct pc_facts { /* of one instruction of the kernel */
    u32 regs;     /* where its registers start in the list: sources, then destinations */
    u8 nsrc, ndst;
    u8 role;
    u16 guard;              /* as a register, or 0 */
    u64 src_hash, dst_hash; /* a bit per register number modulo 64: no common bit, no common register */
};
struct facts {
    VEC(struct pc_facts) at; /* of the kernel by pc; behind these what its instructions became */
    u32 ninst;
    struct uid_map changed; /* from (SM, pc + 1), of SMs that run another text, to what it became */
    VEC(u16) regs;
};
void facts_learn(struct facts *f, const struct kernel *k); /* replaces what was known */
/* The instruction at pc is another on this SM, from now on (EV_TEXT) */
void facts_change(struct facts *f, u32 sm, u32 pc, const struct inst *in);
u32 facts_changed(const struct facts *f, u32 sm, u32 pc);
/* Which of `at` an instruction is that issues now */
static inline u32 facts_now(const struct facts *f, u32 sm, u32 pc) {
    return __builtin_expect(f->changed.n, 0) ? facts_changed(f, sm, pc) : pc;
}
void facts_free(struct facts *f);

#endif
