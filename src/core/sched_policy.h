/* sched_policy: which front issues. What a scheduler sees (views), what it may answer, and ways to choose
 * from a set of slots (base/set.h).
 *
 * Owns: its state, a zeroed block per scheduler, and with shared_size one more for the SM. May read: the
 * views. May never touch: anything else of the SM; it does not know that there is one. A slot is a front's
 * number. Sets in views have `words` words. An SM may have more fronts than one word has bits, so what a
 * policy keeps for each slot is sized by the number of fronts it is told of.
 *
 * How core calls a scheduler (the contract tests/unit/test_policies.c holds every row to):
 *   P0 candidates are ready, ready slots are valid, slots that wait for memory are valid and not ready
 *   P1 each cycle exactly one of pick (there are candidates) and skip (there are none; n >= 1 cycles at once)
 *      is called, and the view does not change within the n cycles of a skip but for `now`; skip(n) leaves
 *      the state that n times skip(1) would
 *   P2 pick answers one of the candidates, or NONE; a slot that was picked is reported by issued() in the
 *      same cycle, unless its instruction found that it has to wait for lanes of its warp: then nothing has
 *      issued
 *   P3 preferred is asked after pick or skip in a cycle without an issue, with the same view, and changes
 *      nothing: it is the slot pick would have answered in that cycle if all valid slots had been candidates;
 *      NONE only when no slot is valid
 *   P4 without `moves` preferred stays the same through the cycles of a skip; with it, a skip of as many
 *      cycles as it says leads from each state that a skip has left to the same one
 * State is a zeroed block per scheduler; init follows. Nothing outlives it and nothing is global.
 *
 * A policy may also have what the schedulers of an SM decide together (31_sched.c). Its memory is one more
 * zeroed block per SM, of shared_size bytes; pick and preferred see it in the view, as they find it, and only
 * begin and event change it:
 *   Q1 begin is called before the pick or skip of the SM's first scheduler, with n = 1, or with n > 1 for the
 *      n cycles of a skip; called again with the same view it changes nothing but counts
 *   Q2 it says whether it changed anything that held, admit, pick or preferred depend on; over the n cycles
 *      of a skip it never does, and `wakes` names the next cycle in which it will though the view stays the
 *      same
 *   Q3 held answers a part of the slots it is asked about, all ready and with a memory instruction (not of
 *      shared memory) next; these are not candidates. Time they lose is `restrict`. With holds_loads it is
 *      asked about loads of global and local memory only
 *   Q4 admit is asked for each load that misses in the L1 or the texture cache and would be sent for, and for
 *      constants that miss where sm.sched.mascar.constants says so; a refused one is a hazard
 *      (OWNER) and is asked again when begin has changed something or a response has come. A policy must not
 *      refuse for ever: when nothing is outstanding somebody is admitted
 *   Q5 event tells what happened, in the order in which it did, before or after begin; slots are those of the
 *      warps concerned, which may have ended */
#ifndef HEDDLE_SCHED_POLICY_H
#define HEDDLE_SCHED_POLICY_H

#include "base/set.h"
#include "config/config.h"
#include "isa/isa.h"
#include "stats/stats.h"

enum { MAX_SLOTS = 64, MAX_FRONTS = MAX_SLOTS * MAX_WARP }; /* warps of an SM, and fronts: at most one of each thread */
_Static_assert(MAX_FRONTS <= 64 * SET_WORDS, "sets have room for all fronts");

struct sched_fronts { /* what is known of formed fronts (33_form.c), by slot */
    i32 *pc;          /* of the next instruction; NONE: it waits */
    u16 *threads;
    u32 *at_pc; /* [schedulers][pcs]: threads of all fronts that stand there */
    u32 pcs;
    u16 *depth; /* dwf.policy = pdom: meeting points that its threads have before them, calls included: the most of any */
    u64 *since; /* cycle in which it came to the pool */
};
struct sched_view {
    u64 now;
    u32 words;                         /* of each set */
    u32 index;                         /* of the scheduler */
    const u64 *age;                    /* by slot */
    const u64 *block;                  /* by slot: number of the warp's block in the grid */
    const void *shared;                /* what the schedulers of the SM share; NULL without shared_size */
    const struct sched_fronts *fronts; /* NULL where fronts are not formed */
    const u8 *team;                    /* by slot: equal for those that issue in step (lwm); NULL: none do */
    u64 valid[SET_WORDS];              /* slots of this scheduler that hold a warp that has not ended */
    u64 buffered[SET_WORDS];           /* those with an instruction in their buffer; on sm.pipeline = common all valid ones */
    u64 ready[SET_WORDS];              /* those whose next instruction waits for no result */
    u64 candidates[SET_WORDS];         /* those that can issue now */
    u64 waits_long[SET_WORDS];         /* those that wait for global or local memory, a barrier, a fence or an atomic */
    u64 waits_others[SET_WORDS];       /* with in_teams: those that wait for other fronts of their block or large warp */
    u64 memory[SET_WORDS];             /* ready ones whose next instruction goes to memory other than shared memory */
};
struct sched_sm { /* an SM as its schedulers see it together; sets are over all its slots */
    u64 now;
    u32 words; /* of each set */
    /* as in struct sched_view */
    u64 valid[SET_WORDS], ready[SET_WORDS], memory[SET_WORDS], waits_long[SET_WORDS];
    /* valid ones that wait for a result of global or local memory: they have reached a use of their load */
    u64 waits_load[SET_WORDS];
    u64 waits_barrier[SET_WORDS];     /* valid ones that wait at a barrier */
    u64 waits_fence[SET_WORDS];       /* valid ones that wait at a fence */
    u64 sending[SET_WORDS];           /* those with memory instructions the memory stage has not taken wholly */
    u32 mshrs, mshr_size;             /* of the L1 data cache: in use; there are */
    u32 const_mshrs, const_mshr_size; /* of the constant cache */
    u32 tex_mshrs, tex_mshr_size;     /* of the texture cache; none are in use where there is none */
    u32 queue, queue_size;            /* miss queue: packets; places */
    i32 pipe_head; /* slot of the warp whose instruction stands first in the memory pipe, those of shared memory left out; NONE */
    i32 reexec_head;        /* slot of the warp whose access stands first in the re-execution queue; NONE */
    u64 reexec[SET_WORDS];  /* those with accesses in the re-execution queue */
    bool reexec_full;       /* the pipe's first access was refused, and could not enter the queue */
    const u64 *age, *block; /* by slot */
    struct sm_stats *stats; /* for counting, not for reading */
};
enum sched_event {
    SCHED_STEP,       /* an instruction of the slot issues; line is 0 */
    SCHED_ISSUE,      /* a memory instruction of the slot issues (not of shared memory); line is 0 */
    SCHED_HIT,        /* an access of the slot hit in the L1 data cache */
    SCHED_MISS,       /* an access of the slot missed and was sent for */
    SCHED_EVICT,      /* a line that an access of the slot had brought was evicted by another slot's */
    SCHED_EVICT_OWN,  /* by one of its own */
    SCHED_FILL,       /* a line came that an access of the slot had sent for */
    SCHED_MSHR_TAKEN, /* for an access of the slot */
    SCHED_MSHR_FREED, /* which an access of the slot had taken */
    SCHED_STORE,      /* a store of the slot was at the L1 data cache */
    SCHED_END,        /* the slot's warp ends; line is 0 */
};
struct sched_policy {
    const char *name, *doc, *paper;
    size_t (*state_size)(const struct config *c, u32 fronts); /* fronts: slots the SM has, of all its schedulers */
    void (*init)(void *state, const struct config *c, u32 index, u32 fronts);
    int (*pick)(void *state,
                const struct sched_view *v); /* one of candidates, or NONE; called once a cycle in which there are candidates */
    bool deliberates;                        /* when it picks NONE it is still choosing a pc among formed fronts */
    bool in_teams;                           /* it looks at fronts that wait for others (waits_others) */
    void (*issued)(void *state, int slot);
    int (*preferred)(const void *state,
                     const struct sched_view *v); /* the one of valid it would take if all were ready; NONE when there is none */
    void (*skip)(void *state, const struct sched_view *v, u64 n); /* n cycles without candidates; may be NULL */
    u32 (*moves)(const struct sched_view *v); /* preferred changes from cycle to cycle without an issue, and comes round after
                                               * so many, at least 1; NULL: it stays */
    /* What the schedulers of an SM decide together; all may be NULL (Q1 to Q5) */
    size_t (*shared_size)(const struct config *c, u32 fronts);
    void (*shared_init)(void *shared, const struct config *c, u32 fronts);
    bool (*begin)(void *shared, const struct sched_sm *v, u64 n); /* n cycles begin; true: something changed */
    /* Of these slots with memory instructions, those that may not issue */
    void (*held)(const void *shared, const u64 *memory, u32 words, u64 *held);
    bool holds_loads;                          /* it is asked about loads of global and local memory only */
    u64 (*wakes)(const void *shared, u64 now); /* next cycle in which begin changes something by time alone; NEVER */
    bool (*admit)(const void *shared, u32 slot, u64 age, u64 line); /* may a load of it that misses be sent for? */
    void (*event)(void *shared, enum sched_event kind, u32 slot, u64 line, u64 now);
};
extern const struct sched_policy *const sched_policies[]; /* ends with NULL */
#define SCHED_POLICY(name) extern const struct sched_policy sched_##name;
#include "core/policies.def"

extern const struct sched_policy sched_dwf; /* no row: chooses among formed fronts in the place of sm.sched (dwf.policy) */

/* --- sched/dwf_heap.c: the max-heap of pcs that sched/dwf.c keeps with dwf.majority = heap */
enum heap_port { HEAP_READ, HEAP_WRITE, TABLE_READ, TABLE_WRITE, HEAP_PORTS };
struct heap_entry { /* threads that wait at a pc */
    i32 pc;
    u32 threads;
    i32 row; /* of the table, or NONE: the table has forgotten it */
};
struct heap_row { /* of the table: which entry of the heap a pc has */
    i32 pc;       /* NONE: free */
    u32 at;
    u64 used;
};
struct dwf_heap {
    u32 n, size;              /* entries */
    u32 rows;                 /* of the table */
    u32 ports;                /* accesses of each kind a cycle */
    u64 uses;                 /* of the table */
    u64 now;                  /* accesses that are due are those that are left in this cycle */
    u32 due[HEAP_PORTS];      /* by enum heap_port */
    struct heap_entry *entry; /* [size]: the root first, children of i are 2 i + 1 and 2 i + 2 */
    struct heap_row *row;     /* [rows] */
};
size_t dwf_heap_size(u32 size, u32 rows); /* bytes of entries and rows */
void dwf_heap_init(struct dwf_heap *h, void *memory, u32 size, u32 rows, u32 ports);
void dwf_heap_elapse(struct dwf_heap *h, u64 now);          /* accesses are made up to that cycle */
bool dwf_heap_busy(const struct dwf_heap *h);               /* some have yet to be made */
bool dwf_heap_add(struct dwf_heap *h, i32 pc, u32 threads); /* threads come to a pc; false: no entry is free for it */
bool dwf_heap_pop(struct dwf_heap *h, i32 *pc);             /* that of most threads; false: there is none */

/* --- for schedulers that remember nothing */
static inline size_t stateless_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return 0;
}
static inline void stateless_init(void *state, const struct config *c, u32 index, u32 fronts) {
    (void)state, (void)c, (void)index, (void)fronts;
}
static inline void stateless_issued(void *state, int slot) { (void)state, (void)slot; }

#endif
