/* micro: run a few instructions on a machine and look at the cycle in which each of them did what.
 *
 *     RUN(.body = "add.u32 %r1, %r2, %r3; // A\n"
 *                 "add.u32 %r4, %r1, %r1; // B\n",
 *         .keys = {"sm.class.int.latency_cy=7"});
 *     assert_int_equal(apart("A", "B"), 7);
 *
 * An instruction is named by the comment at the end of its line. The kernel is k(out); it has the registers
 * of MICRO_REGS and nothing has run when its body starts (OUT and MINE below fetch addresses). The machine is
 * `small` with a front end that is out of the way (every warp has its next sixteen instructions, always)
 * unless .front is set; keys given come after that. Each run has a chip of its own.
 *
 * In the environment: MICRO_TEST=PATTERN runs only such tests. MICRO_TIMELINE=1 prints everything that
 * happens in every run. MICRO_TICK=1 runs every cycle by itself, in windows of one, looking at the invariants
 * now and then; nothing may change. With MICRO_STEP=KEY every machine differs in that key by one step from
 * what the test asked for: a test that notices fails. */
#ifndef HEDDLE_TEST_MICRO_H
#define HEDDLE_TEST_MICRO_H

#include "api/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MICRO_REGS                                                                                                               \
    "    .reg .pred %p<8>;\n"                                                                                                    \
    "    .reg .b16 %h<8>;\n"                                                                                                     \
    "    .reg .b32 %r<64>;\n"                                                                                                    \
    "    .reg .b64 %rd<32>;\n"                                                                                                   \
    "    .reg .f32 %f<32>;\n"                                                                                                    \
    "    .reg .f64 %d<16>;\n"

/* %rd0 = out, %r0 = thread of the block */
#define OUT "ld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n"
/* and %rd1 = this thread's word of out. In-order issue: when what follows issues, %rd0 is there. */
#define MINE OUT "mul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"
/* Reads registers, so that writing them earlier was not in vain and each had a place of its own */
#define KEEP2(a, b)       "add.u32 " a ", " a ", " b ";\n"
#define KEEP4(a, b, c, d) KEEP2(a, b) KEEP2(a, c) KEEP2(a, d)
/* Programs without branches: memory, barriers, exits of some, collectives. Four initialisers */
#define WITHOUT_BRANCHES                                                                                                         \
    MINE "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\nst.global.u32 [%rd1], %r2;\n",                                       \
        MINE "bar.sync 0;\nld.global.u32 %r1, [%rd1];\nbar.sync 0;\nadd.u32 %r2, %r1, 1;\nred.global.add.u32 [%rd0], %r2;\n",    \
        OUT "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 exit;\nmul.lo.u32 %r2, %r0, %r0;\nadd.u32 %r3, %r2, %r0;\n",   \
        OUT "shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;\nadd.u32 %r2, %r1, %r0;\nvote.sync.ballot.b32 %r3, %p0, -1;\n" KEEP2("%r2", \
                                                                                                                          "%r3")

struct micro {
    const char *body;
    const char *globals;  /* before the kernel */
    const char *machine;  /* "small" */
    const char *keys[48]; /* "name=value" */
    u32 blocks, threads;  /* 0: one block, 32 threads */
    u32 out_b;            /* size of out; 0: a megabyte */
    const void *init;     /* its first init_b bytes; the rest is zero */
    u32 init_b;
    const struct heddle_texture *texture; /* over out, and what the module's .texref image stands for; or NULL */
    u32 launches;                         /* 0: one. What is seen is of the last. */
    u32 registers;                        /* per thread, 0: as allocated */
    u32 dynamic_shared_b;
    struct heddle_timing timing;
    const char *fault;              /* the launch must end in a fault whose text has this */
    bool front;                     /* keep the machine's front end */
    void (*started)(struct gpu *g); /* called when a launch begins; may be NULL */
};

struct ran { /* what came of the last run */
    u64 cycles;
    u64 start; /* cycle of the launch; those of events count from the first launch */
    const struct launch_stats *stats;
    const struct config *config;
    VEC(struct event) events; /* in order of cycle */
    const struct kernel *kernel;
    u64 out; /* address */
};
extern struct ran ran;

void micro_run(const struct micro *m); /* fails the test when the launch or the audit does */
#define RUN(...) micro_run(&(struct micro){__VA_ARGS__})
void micro_read(u64 offset, void *to, u32 bytes); /* of out, after a run */
void micro_end(void);                             /* frees what the last run left; for teardown */

/* --- texts; valid for the next dozens of calls */
const char *text(const char *fmt, ...) PRINTF_LIKE(1, 2);
const char *join(const char *first, ...); /* up to a NULL */
#define JOIN(...) join(__VA_ARGS__, NULL)
const char *repeat(u32 n, const char *s);
const char *series(u32 n, const char *s); /* n times, # being 0, 1, ... */

/* --- instructions. Of all warps: those of SM 0, slot 0, unless said otherwise. */
i32 pc_of(const char *label);
const struct inst *inst_of(const char *label);
u32 dest_of(const char *label);          /* physical register written */
u32 source_of(const char *label, u32 n); /* n-th physical register read */

struct who { /* one execution of an instruction */
    const char *label;
    u32 nth, slot, sm;
};
u64 when_of(enum event_kind kind, struct who w); /* cycle of the first such event of it; fails when there is none */
u32 events_of(enum event_kind kind, struct who w);
const struct event *event_of(enum event_kind kind, struct who w); /* the first, or NULL */
#define WHO(...)          ((struct who){__VA_ARGS__})
#define when(kind, ...)   when_of(kind, WHO(__VA_ARGS__))
#define issue(...)        when_of(EV_ISSUE, WHO(__VA_ARGS__))
#define events(kind, ...) events_of(kind, WHO(__VA_ARGS__))
static inline u64 apart(const char *a, const char *b) { return issue(b) - issue(a); }
u32 count(enum event_kind kind);                             /* of all SMs */
const struct event *event_at(enum event_kind kind, u32 nth); /* of all SMs, in order of cycle; NULL */
u32 hazards_of(struct who w, enum hazard h);                 /* cycles in which it met the hazard */

void timeline(FILE *out); /* everything that happened, for whoever writes a test */

/* --- statistics */
double stat_of(const char *name);
#define assert_stat(name, want) assert_float_equal(stat_of(name), want, 1e-9)
u64 warp_time(enum stall s);                     /* sixths of slot cycles, all schedulers */
double time_share(enum stall s);                 /* of the time of slots that hold a warp */
double cpi_share(enum cpi_method m, enum cpi x); /* of all cycles */

#endif
