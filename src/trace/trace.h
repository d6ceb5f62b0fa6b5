/* trace: typed events out of the model, to listeners that know nothing of each other.
 *
 * SMs put events into a buffer of their own; at the end of each window the chip hands them to every listener,
 * SM by SM, in the order in which they were made. An event's cycle may lie in the future of the moment it was
 * made (a stage that reserves its slot says so at once), so listeners that need order of time sort. */
#ifndef HEDDLE_TRACE_H
#define HEDDLE_TRACE_H

#include "base/base.h"

enum event_kind {
    EV_CTA_START,  /* a = linear block id, b = first warp slot, mask = number of warps */
    EV_CTA_END,    /* a = linear block id */
    EV_WARP_START, /* slot; a = linear block id, b = warp in the block, mask = its live lanes */
    EV_WARP_END,   /* slot */
    EV_FETCH,      /* slot; pc of the first, a = instructions, b = cycle they can issue, cause = 0 hit, 1 miss (no b) */
    EV_FLUSH,      /* slot; the instruction buffer is emptied; pc = where fetch goes on */
    /* slot, uid, pc; mask = lanes whose guard held, a = lanes of the group, b = frame (for registers: a
     * register is (slot, frame, number)), cause = 1 after EV_WINDOW */
    EV_ISSUE,
    /* as EV_ISSUE, and before it: the instruction has been dispatched into its warp's window, in program
     * order; it issues later under the same uid. cause = 1 when its results have names of their own */
    EV_WINDOW,
    EV_READ,      /* uid: cycle in which the last source operand was read */
    EV_DISPATCH,  /* uid: cycle in which it entered its unit; cause = enum unit, a = cycles the unit is taken */
    EV_READY,     /* uid: first cycle in which a dependent instruction may issue; mask = lanes whose results those are */
    EV_MEM_ENTER, /* uid: cycle in which it entered the memory stage's queue */
    EV_HAZARD,    /* uid: refused or prolonged for a cycles from cycle on; cause = enum hazard */
    /* uid (0: of an instruction that was squashed): a line access was accepted; a = line address (or
     * shared-memory offset), mask = lanes, cause = enum access_result, b = the one of the lanes whose port
     * made it for all, where each has a port of its own; 0: their own ports did */
    EV_ACCESS,
    /* uid: lanes of `mask` are done with this memory instruction (data here, store handed on, atomic
     * performed and answered) */
    EV_COMPLETE,
    EV_SQUASH, /* uid: what it has done since its dispatch is void; it issues again */
    EV_RETIRE, /* uid: it has left its warp's window; cause = 1 when instructions leave in order */
    EV_DONE,   /* uid: the instruction has left the SM */
    EV_STALL,  /* slot: from cycle a to cycle (exclusive), set of causes in mask (bit = enum stall), pc = next instruction */
    /* slot = a place of formed fronts (sm.diverge = dwf), not a warp's; cause = enum front_event: one begins
     * there or ends, threads come to the pool (pc, a = positions in which they come, mask = those they take,
     * b = enum front_comes), it issues (mask = its positions, pc; EV_ISSUE of each
     * home follows, with uids of their own), or it stalls, fetches (mask = 1: a miss) or has its buffer
     * emptied, as EV_STALL, EV_FETCH and EV_FLUSH tell it of a warp, in whose stead it comes */
    EV_FRONT,
    EV_GROUP, /* slot: the warp goes on with another group; mask = its lanes, pc */
    /* uid, slot, pc: issued again; a = entry of the instruction buffer, mask = lanes that are left, cause
     * = enum hazard that refused it last */
    EV_REPLAY,
    /* uid, slot: it has issued beside the instruction that issued before it, in lanes of the units that that
     * one leaves free; a = lanes of the units that that one takes, mask = its own */
    EV_WEAVE,
    EV_TEXT,    /* pc: the program has changed its text, and on this SM it is another instruction now: struct inst at address a */
    EV_COUNTER, /* a = enum trace_counter, b = value */
    EV_KINDS
};
enum access_result {
    ACCESS_HIT,
    ACCESS_MISS,
    ACCESS_MERGED,
    ACCESS_BYPASS,
    ACCESS_STORE,
    ACCESS_ATOMIC,
    ACCESS_SHARED,
    ACCESS_CONST,
    ACCESS_FORWARD /* none was made: a = uid of the store that gave the value */
};
enum front_event { FRONT_STALLS, FRONT_BEGINS, FRONT_ENDS, FRONT_ISSUES, FRONT_COMES, FRONT_FETCHES, FRONT_FLUSHES };
enum front_comes { COMES_ALONE, COMES_TO_OTHERS, COMES_NOT_IN }; /* not in: the pool has no entry for them, and they wait */
enum trace_counter { TC_MSHRS, TC_WARPS, TC_COUNT };
struct event {
    u64 cycle;
    u64 uid; /* of an instruction in flight: unique on its SM for the whole run, from 1; 0 where there is none */
    u64 mask, a, b;
    i32 pc; /* -1: none */
    u16 sm, slot;
    u8 kind, cause;
};
/* What a DRAM channel did in an interval. A burst counts when its data command is given, so a short interval
 * may have a burst's cycles more on the bus than it is long. */
struct dram_use {
    u64 bytes;  /* read and written */
    u64 busy;   /* dram cycles of the data bus */
    u64 queued; /* bursts in the queue, summed over dram cycles */
    u64 cycles; /* dram cycles */
};
struct kernel;
struct listener {
    void *state;
    void (*launch)(void *state, const struct kernel *k, u64 cycle); /* a kernel begins; may be NULL */
    void (*events)(void *state, const struct event *e, u32 n);
    /* What each of n channels did in core cycles [from, to): intervals in order, all of a launch; may be
     * NULL */
    void (*dram)(void *state, const struct dram_use *channels, u32 n, u64 from, u64 to);
    void (*cut)(void *state);            /* before end: the launch was stopped in the middle; may be NULL */
    void (*end)(void *state, u64 cycle); /* the launch has ended at cycle; may be NULL */
};

/* Windows of the file listeners: [from, to) in cycles since the first launch, one SM or all, one warp slot or
 * all */
struct trace_window {
    u64 from, to;
    i32 sm, slot; /* -1: all */
    u64 limit_b;  /* of the file; 0: none */
    u32 looks;    /* of trace_bound, which looks at the file's size now and then */
};
/* Ends the window at `now` when the file has reached its limit, and says so on standard error (flight.c) */
void trace_bound(struct trace_window *w, FILE *out, u64 now);

/* --- replays.c: a line per replay, as text. A listener writing to `out`; nothing to close but the file. */
struct replays;
struct replays *replays_open(FILE *out, const struct trace_window *w, struct listener *l);
void replays_close(struct replays *r);

/* --- konata.c: Kanata 0004 for the Konata viewer: a row per warp instruction. A struct listener writing to
 * `out`; konata_close ends the file (flushes what is open). */
struct konata;
struct konata *konata_open(FILE *out, const struct trace_window *w, struct listener *l);
bool konata_close(struct konata *k); /* false when writing failed */

/* --- perfetto.c: Chrome JSON trace events: a process per SM, a track per warp slot, async slices per
 * instruction, counters */
struct perfetto;
struct perfetto *perfetto_open(FILE *out, const struct trace_window *w, struct listener *l);
bool perfetto_close(struct perfetto *p);

/* --- audit.c: D1's rules, checked on events alone. Shares no code with the stages. */
struct audit;
struct audit *audit_new(u32 sms, u32 warp_slots, struct listener *l);
/* What A11 works out lanes of units from; `lanes`: interweave.lanes. Without it A11 believes what is told */
void audit_units(struct audit *a, u32 warp_size, u32 schedulers, u32 lanes);
u64 audit_violations(const struct audit *a);
const char *audit_text(const struct audit *a); /* the first violations, one per line; "" when none */
u64 audit_checked(const struct audit *a);      /* facts examined, so that a test can see that it did something */
void audit_free(struct audit *a);

#endif
