/* ooo: the state of the out-of-order engine. ooo.c moves it, ooo_page.c draws it. */
#ifndef HEDDLE_LAB_OOO_H
#define HEDDLE_LAB_OOO_H

#include "lab/machines.h"

enum { OPERANDS = 2, OO_STATIONS_MAX = 64, NO_STATION = 255 };
struct value {
    bool valid;
    u64 tag; /* uid of the producer */
    i64 value;
};
struct op {
    u64 uid; /* from 1, in order of fetch */
    const struct lab_inst *in;
    u32 pc, row;
    u64 f, d, r, e, x, b, w; /* cycles: fetched, in D, renamed, E from and to, broadcast (or done), written; 0: not yet */
    struct value src[OPERANDS];
    i64 result, address;
    const char *fault;
    enum lab_unit unit;
    u8 station;
    u32 next; /* pc that fetch went on with */
    bool taken;
    u64 source;    /* load: uid of the store that it took its value from; 0: memory */
    u64 waits_for; /* uid of a store of its store set; 0: none */
    i32 set;       /* its store set at rename, -1 */
    u64 interval;  /* checkpoint it follows */
    u64 known;     /* memory.model = core: cycle in which a store had its operands; 0: not yet */
};
struct oo {
    struct lab_run *r;
    const struct oo_how *how;
    struct lab_inst *code;
    u32 ncode;
    VEC(struct op) window;
    struct value rat[LAB_REGS];
    i64 arch[LAB_REGS];
    u64 arch_writer[LAB_REGS]; /* uid, without a reorder buffer: an older writer does not overwrite a younger one */
    u64 next_uid;
    u32 pc;
    u64 fetch_at;                               /* no fetch before this cycle */
    bool stalled;                               /* fetch waits for a branch */
    u32 stations_used[LAB_UNITS], entries_used; /* at the start of the cycle, and what the cycle takes */
    i32 *ssit;
    u8 *counters;
    u64 pending;       /* future file: uid whose flush waits until it is the oldest; 0 */
    bool pending_self; /* the instruction itself goes too */
    u32 pending_pc;
    u64 interval, interval_left, careful; /* checkpoints: current one, instructions until the next, instructions with one each */
    u32 fetched, retired, flushes, violations, mispredicted, again, peak;
    u32 no_station, no_entry; /* cycles that rename waited */
    bool over;
    VEC(const char *) events; /* of this cycle, for its page */
    u64 last_w;
    char names[LAB_UNITS][OO_STATIONS_MAX][4]; /* of stations, which are also the tags */
};

static inline bool precise(const struct oo *s) { return s->how->precise != OO_IMPRECISE; }
static inline bool late(const struct oo *s) { return s->r->key[OO_BROADCAST]; }
static inline bool is_load(const struct op *o) { return o->unit == LAB_LOAD; }
static inline bool is_store(const struct op *o) { return o->unit == LAB_STORE; }
/* Its units and stations are those of this kind */
static inline enum lab_unit pool_of(const struct oo *s, const struct op *o) {
    return s->how->core_memory && is_store(o) ? LAB_LOAD : o->unit;
}
static inline bool has_operands(const struct op *o) { return o->r && o->src[0].valid && o->src[1].valid; }
static inline bool has_dst(const struct op *o) { return o->in->dst != REG_NONE; }
static inline u64 done_at(const struct oo *s, const struct op *o) { /* last cycle before W may be; 0: not done */
    return o->b && has_dst(o) && late(s) ? o->b - 1 : o->b;
}

/* --- ooo_page.c */
void oo_name_stations(struct oo *s);
const char *oo_station_name(const struct oo *s,
                            const struct op *o); /* also the tag: a b c d for the adder, x y z t for the multiplier */
void oo_page(struct oo *s, u64 t);               /* what stands where at the end of cycle t */

#endif
