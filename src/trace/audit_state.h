/* What the files of the audit share: its records, and how a finding is told. audit.c has the rules in words
 * and takes the events; each of the others keeps some of the rules. */
#ifndef HEDDLE_TRACE_AUDIT_STATE_H
#define HEDDLE_TRACE_AUDIT_STATE_H

#include "isa/isa.h"
#include "trace/calls.h"
#include "trace/facts.h"
#include "trace/places.h"
#include "trace/trace.h"
#include "trace/uids.h"

#include <stdio.h>

struct issued { /* an instruction in flight; cycles are NEVER until they are told */
    u64 uid, seq, mask;
    u64 issue, read, dispatch, enter, ready, done; /* ready: the first */
    u64 accepted, completed;                       /* lanes */
    u64 last_access, last_complete;                /* cycles; 0: none */
    u64 in_shared, last_outside; /* lanes that shared memory has accepted; the last completion of others, 0: none */
    u64 gate;                    /* issue of the first barrier, fence or exit after it */
    u64 window;                  /* dispatched into a window; NEVER: not, or issued without */
    u64 clobbered, clobberer;    /* first cycle in which a later result was ready in one of its sources, and whose */
    u32 frame;
    u32 fact; /* which of the facts is of it */
    i32 pc;
    u16 sm, slot;
    bool used;    /* this record */
    bool memory;  /* A3 and A5 apply */
    bool listed;  /* in its slot's list of memory instructions */
    bool closed;  /* done, and looked at for the last time */
    bool renames; /* its results have names of their own */
};
struct need { /* what an instruction in a window waits for */
    u64 uid, producer;
    u16 reg;
};
struct pending_write { /* lanes of a register whose value is not ready at the slot's last issue */
    u64 mask, ready, uid;
    u32 frame;
    u16 reg;
};
struct accepted_access {
    u64 line, mask, cycle, seq, uid;
    bool shared, windowed, writes;
    bool apart; /* through a unit of its own */
};
struct span {
    u64 from, to;
};
struct audit_slot {
    bool live, ending;          /* ending: the warp has ended, its time has not been added up */
    bool stalls_seen;           /* ever */
    u64 start, end;             /* of the warp */
    u64 tail_from, tail_to;     /* last cycles of the warp before, which no stall has accounted for yet; tail_to 0: none */
    u64 last_issue;             /* cycle */
    u64 fence_seq, fence_lanes; /* lanes that have not issued anything since their fence */
    u64 stall_to;               /* end of the last stall */
    u64 covered_to;             /* every cycle since the start has an owner up to here */
    VEC(struct span) ahead;     /* beyond covered_to */
    VEC(struct pending_write) writes;
    struct calls calls;                   /* that its lanes are in */
    VEC(struct need) needs;               /* of instructions that have not issued */
    VEC(u64) inside;                      /* uids in the warp's window, in order of dispatch */
    VEC(u32) listed;                      /* memory instructions in program order: records in `issued` */
    VEC(struct accepted_access) accesses; /* of these */
};
struct row {                 /* of units, by scheduler: lanes that instructions of a cycle take */
    u64 cycle, before, last; /* before: of those before the last one */
};
struct audit {
    u32 sms, nslots;
    u32 warp_size, schedulers, lanes; /* schedulers 0: not known */
    bool formed;                      /* fronts issue, not warps */
    struct row *rows;                 /* [sms][schedulers] */
    bool cut;                         /* the launch was stopped in the middle: its end is not looked at */
    struct audit_slot *slots;         /* [sms][nslots] */
    struct places *places;            /* of formed fronts */
    u64 *present;                     /* [sms]: latest issue, so later events happen no sooner */
    const struct kernel *k;
    struct facts facts; /* of k */
    VEC(struct issued) issued;
    VEC(u32) vacant, ended; /* records free; told to be done in this batch */
    VEC(u32) ended_slots;
    struct uid_map map;
    u64 seq, violations, checked;
    struct strbuf text;
};

/* A finding: "A1 cycle 20 sm 0 slot 3 uid 7 pc 5 (add.s32 %r1, %r2, %r3): ..." */
void PRINTF_LIKE(4, 5) audit_report(struct audit *a, int rule, const struct event *where, const char *fmt, ...);

/* Whether a fact that is looked at holds; it is counted */
static inline bool audit_holds(struct audit *a, bool fact) {
    a->checked++;
    return fact;
}

static inline struct event audit_at(const struct issued *x, u64 cycle) {
    return (struct event){.cycle = cycle, .uid = x->uid, .pc = x->pc, .sm = x->sm, .slot = x->slot};
}

static inline char *audit_reg_text(u32 reg, char *buf, size_t n) {
    snprintf(buf, n, "%c%u", reg & REG_PRED ? 'p' : 'r', reg & (u32)~REG_PRED);
    return buf;
}

static inline const struct pc_facts *audit_facts(const struct audit *a, const struct issued *x) {
    return &a->facts.at.at[x->fact];
}

static inline bool audit_has_reg(const u16 *list, u32 n, u16 reg) {
    for (u32 i = 0; i < n; i++)
        if (list[i] == reg) return true;
    return false;
}

static inline void audit_vacate(struct audit *a, u32 i) {
    a->issued.at[i].used = false;
    VEC_PUSH(&a->vacant, i);
}

/* --- audit_regs.c: A1, registers and calls */
void audit_check_registers(struct audit *a, struct audit_slot *s, const struct event *e, const struct pc_facts *f);
void audit_begin_writes(struct audit *a, struct audit_slot *s, const struct issued *x);
void audit_end_writes(struct audit_slot *s, const struct issued *x, u64 lanes, u64 cycle);
void audit_follow_calls(const struct audit *a, struct audit_slot *s, const struct event *e);
void audit_make_call(struct audit_slot *s, const struct event *e);

/* --- audit_memory.c: A2 to A5, memory instructions */
void audit_report_clobber(struct audit *a, const struct issued *m);
void audit_check_sources(struct audit *a, const struct audit_slot *s, const struct issued *x, u64 lanes, u64 cycle);
void audit_forget_accesses(struct audit_slot *s, u64 seq);
void audit_unlist(struct audit *a, struct audit_slot *s, u32 n);
void audit_list(struct audit *a, struct audit_slot *s, u32 i);
void audit_access(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e);
void audit_check_gate(struct audit *a, const struct audit_slot *s, const struct event *e);
void audit_check_fence(struct audit *a, struct audit_slot *s, const struct event *e);
void audit_complete(struct audit *a, struct issued *x, const struct event *e);
void audit_check_lanes(struct audit *a, const struct issued *x, u64 cycle);

/* --- audit_time.c: A8, a warp's time */
void audit_cover(struct audit *a, struct audit_slot *s, u64 from, u64 to, const struct event *where);
void audit_stall(struct audit *a, struct audit_slot *s, const struct event *e);
void audit_add_up(struct audit *a, struct audit_slot *s, u32 sm, u32 slot);

/* --- audit_window.c: A9, windows */
void audit_note_needs(struct audit *a, struct audit_slot *s, const struct event *e, const struct pc_facts *f);
void audit_check_needs(struct audit *a, struct audit_slot *s, const struct event *e);
void audit_check_users(struct audit *a, const struct audit_slot *s, const struct issued *x, u64 cycle);
void audit_squash(struct audit *a, struct audit_slot *s, struct issued *x);
void audit_retire(struct audit *a, struct audit_slot *s, const struct issued *x, const struct event *e);

/* --- audit_rows.c: A11, lanes of units */
void audit_row_take(struct audit *a, const struct event *e);
void audit_weave(struct audit *a, const struct issued *x, const struct event *e);

#endif
