/* rv: what the exec functions of RISC-V and Vortex and the front end that chooses them (src/riscv) share.
 *
 * A program is a kernel whose blocks are cores: its first warp begins with one lane, and the program
 * starts the others. Integer registers are rows 0 to 31 (row 0 is never written), floating ones rows 32 to
 * 63. A pc is an index of words from rv_kernel.text_at on; behind the text come instructions that are not
 * in it (the places where a function's returns meet).
 *
 * Two ways to diverge. RV_SPLIT: a warp has one group, a branch goes where its leading lane goes, and only
 * tmc, pred, split and join change who is on, as on the hardware. RV_IPDOM: branches part groups, which
 * meet at post-dominators; split and join do nothing. */
#ifndef HEDDLE_FUNC_RV_H
#define HEDDLE_FUNC_RV_H

#include "func/func.h"

enum { RV_REGS = 64, RV_X = 0, RV_F = 32, RV_RA = 1, RV_SP = 2, RV_GP = 3, RV_A0 = 10, RV_A7 = 17 };
enum rv_variant { RV_2021, RV_V3 };     /* isa.vortex */
enum rv_diverge { RV_SPLIT, RV_IPDOM }; /* isa.vortex.diverge */

enum { RV_STATUS_BARRIER = 97 }; /* exit status of the runtime of compiled programs; lib/layout.h has it, too */

/* Rounding modes as encoded, and flags as fflags has them */
enum { RV_RNE, RV_RTZ, RV_RDN, RV_RUP, RV_RMM, RV_DYN = 7 };
enum { RV_NX = 1, RV_UF = 2, RV_OF = 4, RV_DZ = 8, RV_NV = 16 };

struct rv_split { /* a split that has not met its last join */
    u64 all;      /* lanes that were on before it */
    u64 other;    /* those that still have to go; 0: they went, or nothing was split */
    i32 pc;       /* where they start */
};
enum { RV_SPLITS = 2 * MAX_WARP, RV_MACHINE_CSRS = 256 };
struct rv_warp { /* warp.state */
    u32 fflags, frm;
    u32 depth;
    u64 guests; /* RV_IPDOM: lanes that were switched on inside a function they did not call: they return with the leader */
    u32 guest_calls[MAX_WARP]; /* of a guest: calls it has made itself since, and not returned from */
    struct rv_split splits[RV_SPLITS];
    u32 csr[RV_MACHINE_CSRS]; /* 0x300 to 0x3FF: written and read, of no effect */
};

struct rv_reservation { /* of lr, until a store to the word or the hart's sc */
    u64 hart, addr;
};
struct rv_claim { /* a word that a core has stored to by sc, and the others have not been shown yet */
    u64 addr, core, published;
};
struct rv_console { /* bytes written to one console address since its last line */
    VEC(char) line;
};
enum { RV_CONSOLES = 64 };
/* Counters of Vortex of 2021, from CSR 0xB03 on */
enum rv_perf_id {
    RV_PERF_IBUFFER, /* cycles that decode waited for room in a buffer */
    RV_PERF_SCOREBOARD,
    RV_PERF_ALU,
    RV_PERF_LSU,
    RV_PERF_CSR,
    RV_PERF_FPU,
    RV_PERF_GPU,
    RV_PERF_ICACHE_READS,
    RV_PERF_ICACHE_MISSES,
    RV_PERF_ICACHE_PIPE,
    RV_PERF_ICACHE_RESPONSE,
    RV_PERF_DCACHE_READS,
    RV_PERF_DCACHE_WRITES,
    RV_PERF_DCACHE_READ_MISSES,
    RV_PERF_DCACHE_WRITE_MISSES,
    RV_PERF_DCACHE_BANK,
    RV_PERF_DCACHE_MSHR,
    RV_PERF_DCACHE_PIPE,
    RV_PERF_DCACHE_RESPONSE,
    RV_PERF_SHARED_READS,
    RV_PERF_SHARED_WRITES,
    RV_PERF_SHARED_BANK,
    RV_PERF_MEMORY_READS,
    RV_PERF_MEMORY_WRITES,
    RV_PERF_MEMORY_STALLS,
    RV_PERF_MEMORY_LATENCY,
    RV_PERFS
};
struct rv_perf {                        /* a core's counters as its programs see them, over launches (Aurud 4.1) */
    u32 sm;                             /* it runs on */
    u32 lock;                           /* perf-lock: nothing is counted */
    u32 reset_lock;                     /* perf-reset-lock: a launch goes on counting where the one before it ended */
    u64 kept[RV_PERFS], from[RV_PERFS]; /* counted before; what the SM had counted when this began */
};
/* Texture units of Vortex of 2021 (rv_tex.c). In October each has RV_TEX_CSRS numbers from RV_TEX_CSR on:
 * address, format, wrap of u and v, filter, and by level, which is in the upper four bits, offset, width and
 * height. In December RV_TEX_CSR selects the unit that those behind it are of: address, width, height,
 * format, filter, wrap of u, of v, and the offset of each level. */
enum rv_tex_month { RV_TEX_OCTOBER, RV_TEX_DECEMBER, RV_TEX_MONTHS };
enum { RV_TEX_UNITS = 2, RV_TEX_LEVELS = 16, RV_TEX_CSR = 0xFD0, RV_TEX_CSRS = 7 };
struct rv_tex_level {
    u32 offset; /* bytes from the unit's address */
    i32 log[2]; /* of width and height; December: below 0 behind the level of one texel */
};
struct rv_tex_unit {
    u32 address, format, wrap[2];
    bool placed; /* the address was written */
    bool bilinear;
    struct rv_tex_level level[RV_TEX_LEVELS];
};
struct rv_textures { /* a core's: what was written, as either month has it */
    struct rv_tex_unit unit[RV_TEX_MONTHS][RV_TEX_UNITS];
    u32 selected; /* December's unit that CSRs are written of */
};
struct rv_shared { /* what the cores of a program share beside memory */
    VEC(struct rv_reservation) reserved;
    VEC(struct rv_claim) claims;
    VEC(struct rv_perf) perf;         /* by core */
    VEC(struct rv_textures) textures; /* likewise; they stay as they are over launches */
    struct rv_console console[RV_CONSOLES];
    u32 status;     /* v3: the exit status that was stored */
    bool rewritten; /* with time some core runs a text that is not the kernel's */
};
struct rv_kernel { /* kernel.isa */
    u64 text_at;
    u32 text_words;
    u8 variant, diverge; /* enum rv_variant, enum rv_diverge */
    u32 barriers;        /* of a core */
    u32 stack_b;         /* of a thread at the end of shared memory, or 0 where stacks lie elsewhere */
    u32 misa;
    u32 mscratch;  /* what it reads before it is written: where arguments are */
    u32 cores;     /* the machine's, when the launch does not say */
    bool compiled; /* by heddle, with its runtime (src/riscv/lib) */
    struct rv_shared *shared;
    const u32 *words; /* of the text, as decoded */
};

static inline const struct rv_kernel *rv_of(const struct warp *w) { return w->launch->k->isa; }
static inline u32 rv_address(const struct warp *w, i32 pc) { return (u32)(rv_of(w)->text_at + 4ull * (u64)pc); }

/* The lane that speaks for all */
static inline u32 rv_leader(const struct warp *w, u64 mask) {
    return rv_of(w)->variant == RV_V3 ? 63 - (u32)__builtin_clzll(mask) : (u32)__builtin_ctzll(mask);
}
static inline u32 rv_scalar(const struct warp *w, const struct group *g, const struct opnd *o) {
    return (u32)opnd_read(w, g, o, rv_leader(w, g->mask));
}

void rv_tex_state(const struct warp *w, u32 number, u32 v);                 /* a texture unit's CSR is written */
void rv_perf_begin(const struct warp *w);                                   /* a launch begins on its core */
void rv_perf_end(const struct launch *l, struct rv_shared *s);              /* and is over on all */
i32 rv_join_goes(const struct warp *w, const struct inst *in, u32 pending); /* kernel.early: 2021 and RV_SPLIT */

/* --- inst.aux of what reads and writes state that is not in registers */
enum rv_csr_kind { /* what a CSR is; the number in bits 8 and up */
                   RV_CSR_FFLAGS,
                   RV_CSR_FRM,
                   RV_CSR_FCSR,
                   RV_CSR_LANE,        /* thread in its warp */
                   RV_CSR_THREAD,      /* in its core */
                   RV_CSR_HART,        /* in the machine */
                   RV_CSR_WARP,        /* in its core */
                   RV_CSR_GLOBAL_WARP, /* in the machine */
                   RV_CSR_CORE,
                   RV_CSR_MASK,  /* lanes that are on */
                   RV_CSR_WARPS, /* warps that run, as a mask */
                   RV_CSR_NLANES,
                   RV_CSR_NWARPS,
                   RV_CSR_NCORES,
                   RV_CSR_CYCLE,
                   RV_CSR_CYCLE_HI,
                   RV_CSR_INSTRET,
                   RV_CSR_INSTRET_HI,
                   RV_CSR_MISA,
                   RV_CSR_STORED, /* keeps what is written */
                   RV_CSR_ZERO,   /* reads zero, writes are lost */
                   RV_CSR_PERF,   /* a counter of the machine, or its upper half */
                   RV_CSR_PERF_LOCK,
                   RV_CSR_PERF_RESET_LOCK,
                   RV_CSR_TEXTURE, /* of a texture unit: reads zero */
};
/* inst.imm of CSR instructions: what happens with the operand */
enum rv_csr_use { RV_CSR_SWAP = 1, RV_CSR_SET = 2, RV_CSR_CLEAR = 3, RV_CSR_READS = 4, RV_CSR_WRITES = 8 };

enum rv_fault { /* inst.aux of an instruction that cannot be executed; inst.imm: a number for the message */
                RV_FAULT_ILLEGAL,
                RV_FAULT_COMPRESSED,
                RV_FAULT_EXTENSION, /* of the A extension, which the machine does not have */
                RV_FAULT_CSR,
                RV_FAULT_READ_ONLY, /* a CSR that is written and can only be read */
                RV_FAULT_ROUNDING,
                RV_FAULT_TARGET, /* jumps out of the text */
                RV_FAULT_END,    /* the text ends here */
                RV_FAULT_BREAK,
                RV_FAULT_TEXTURE,    /* there is no such unit */
                RV_FAULT_TEXTURE_V3, /* nothing can set up a unit */
};

enum rv_vote { RV_VOTE_ALL, RV_VOTE_ANY, RV_VOTE_UNI, RV_VOTE_BALLOT };

/* --- lanes/riscv.c: what these instruction sets do to 32 lanes and PTX does not. Floating ones: aux is the
 * rounding mode (one of the five, never dynamic), *q collects flags; every lane counts, so all must hold
 * operands that are meant. With RV_FEW in aux that is true of the first FEW_LANES lanes, and others are
 * neither read nor written. d may be one of the operands. */
enum { RV_MODE = 7, RV_FEW = 8 };
enum rv_lane {
#define RV_LANE(id) RV_LANE_##id,
#include "func/rv_lanes.def"
#undef RV_LANE
    RV_LANE_COUNT
};
lane_fn *rv_lane(enum rv_lane which); /* lanes_pick.c: the build the host can run */
extern lane_fn *const rv_lanes_plain[RV_LANE_COUNT], *const rv_lanes_avx2[RV_LANE_COUNT];

#endif
