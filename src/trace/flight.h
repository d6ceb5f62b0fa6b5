/* flight: what the events say of each instruction between its issue and its end, put together for the
 * listeners that write files.
 *
 * Windows. The chip hands over one window's events SM by SM. An SM that comes again, or one with a smaller
 * number than the last, begins a new window (flights_turn). Events of one instruction may come in any order
 * within a window; so an instruction whose end has been told is only finished when the window turns. What is
 * made in the new window is not older than `present`, except through the instructions and slots that are
 * open. */
#ifndef HEDDLE_FLIGHT_H
#define HEDDLE_FLIGHT_H

#include "isa/isa.h"
#include "stats/stats.h"
#include "trace/trace.h"
#include "trace/uids.h"

struct flight { /* one instruction; cycles are NEVER until they are told */
    u64 uid, mask;
    u64 window, retire;                                      /* dispatched into a window, and gone from it; NEVER without */
    u64 issue, read, dispatch, enter, ready, complete, done; /* ready, complete: the last of several */
    u64 access_first, access_last;
    u32 accesses, hazards[HAZARD_COUNT];
    u32 squashes; /* times it was taken back */
    i32 pc;
    u16 sm, slot;
    bool open;   /* in flight: not yet finished */
    i64 row;     /* the listener's; NONE at first */
    u32 written; /* the listener's; 0 at first */
};
struct flights {
    struct trace_window w;
    const struct kernel *k; /* of the launch under way, or NULL */
    VEC(struct flight) pool;
    VEC(u32) vacant; /* places in pool */
    VEC(u32) ending; /* told to be done in this window */
    struct uid_map map;
    u64 present; /* latest cycle known to have been simulated */
    u64 last;    /* latest cycle any event named */
    i32 sm;      /* of the event before; NONE */
};
void flights_init(struct flights *f, const struct trace_window *w);
void flights_free(struct flights *f);
/* To be asked for every event, before it is taken; `first` of a batch. True: a window has ended. */
bool flights_turn(struct flights *f, const struct event *e, bool first);
bool flights_wants(const struct flights *f, const struct event *e); /* the window's SM and slot */
/* EV_ISSUE, EV_WINDOW: a new flight, or NONE when it lies outside the window */
i32 flights_issue(struct flights *f, const struct event *e);
/* The same for EV_ISSUE alone, where one that was taken back and issues again keeps the flight it has */
i32 flights_issue_once(struct flights *f, const struct event *e);
void flights_note(struct flights *f, const struct event *e); /* any other event; kinds without a uid are ignored */
/* Takes i out of the map: its uid means nothing any more. Its record stays until it is released. */
void flights_finish(struct flights *f, u32 i);
void flights_release(struct flights *f, u32 i);
/* The earliest issue of a flight that is open, or NEVER */
u64 flights_oldest(const struct flights *f);
const char *flight_text(const struct flights *f, i32 pc); /* as written; never NULL */
/* The causes of a stall as "a+b", into buf[n] */
const char *stall_text(u64 mask, char *buf, size_t n);

#endif
