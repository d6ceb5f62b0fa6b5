/* model: a second model of out-of-order execution with a reorder buffer, slow and obvious, and random
 * programs for it. test_model.c compares it with the laboratory, test_core.c both with the GPU core. */
#ifndef HEDDLE_TEST_LAB_MODEL_H
#define HEDDLE_TEST_LAB_MODEL_H

#include "lab/lab.h"

enum { ADD, SUB, MUL, DIV, AND, SEQ, LOAD, STORE, BEQ, BNE, COUNT, JUMP, OPS };
enum { U_ADD, U_MUL, U_DIV, U_MOVE, U_LOAD, U_STORE, U_BRANCH, UNITS };
enum { CODE = 24, REGS = 16, DATA = 16, WORDS = 416, LIST = 600 }; /* DATA: words that are not 0 at the start */

struct code {        /* one instruction as generated */
    int op, d, a, b; /* registers; b -1: imm */
    long imm, off;
    int target;
};
struct machine {
    int latency[UNITS], stations[UNITS], width, units, pipelined, buses, late, entries, retire, r_stage, memory, predict, sets,
        forward;
    int issue;       /* instructions that start in a cycle; 0: any number */
    int core_memory; /* loads and stores as in the GPU core: see memory_lets and load */
};
struct live {                     /* an instruction that was fetched and not flushed */
    int pc, next, set, waits_for; /* waits_for: place in the list, -1 */
    long f, d, r, e, x, b, w;     /* cycles, 0: not yet */
    long value, address;
    int source; /* of a load: place of the store, -1 memory */
    int taken, fault;
    int told; /* of a store: younger loads know its address */
};
struct world {
    const struct code *code;
    int n;
    const struct machine *m;
    long reg[REGS], mem[WORDS];
    struct live list[LIST];
    int count, pc, stalled;
    long fetch_at, last, fault_at;
    int set_of[64];
    int mistakes; /* times that instructions were thrown away */
};

/* --- the model */
bool model_run(struct world *w); /* false: the list is too short for this program */
/* The sequential machine: registers and memory after the program; false when it faults, up to there */
bool model_sequential(const struct world *w, long *reg, long *mem);
int model_writes(const struct code *c); /* register, or -1 */

/* --- random programs and machines */
extern u64 seed;
int pick(int n); /* 0 to n - 1 */
int random_program(struct code *code, int faults);
struct machine random_machine(void);

/* --- the same for the laboratory */
struct lab_program *model_assemble(const struct world *w); /* fails the test when it is refused */
i64 *model_keys(const struct machine *m);                  /* of lab_rob */
void set_key(i64 *key, const char *name, const char *value);
void set_number(i64 *key, const char *name, int value);

struct seen { /* an instruction of the laboratory's run */
    long f, d, e, x, w;
};
u32 model_seen(const struct lab_run *r, struct seen *out); /* those that were not thrown away, in order */
/* Fails the test, with the program, the machine's keys and what is wrong */
void differ(const struct world *w, const i64 *key, u64 number, const char *what);
void compare_times(const struct world *w, const struct lab_run *r, const i64 *key, u64 number);
void compare_state(const struct world *w, const struct lab_run *r, const i64 *key, u64 number);

#endif
