/* vcache: the data cache of the Vortex pipeline. Included by 69_vcache.c alone. */
#ifndef HEDDLE_CORE_VCACHE_H
#define HEDDLE_CORE_VCACHE_H

#include "core/flight.h"

enum vmiss_state { VMISS_FREE, VMISS_WAITS, VMISS_FILLS, VMISS_REPLAYS };
struct vmiss { /* a read that missed */
    u64 line, seq;
    u32 flight;
    u8 state; /* enum vmiss_state: FILLS: its line is at the bank's door; REPLAYS: it is in, the read comes again */
};
enum { BANK_OUT = 4 };
struct vsent { /* on its way to the memory side */
    struct mreq req;
    u64 there_cy; /* in the queue from then on */
};
struct vbank {
    u64 busy_cy;                /* last cycle in which it took something; NEVER: none */
    u64 no_read_cy;             /* cycle after one in which it took a word to write; NEVER: none */
    u64 replay_cy;              /* from then on reads of its last line come again */
    u64 hit_cy[2];              /* cycles after its last reads that hit, the last first; 0: none */
    u32 used, active;           /* reads that missed; of them those that fill or replay, */
    u32 replays;                /* and of these those that replay */
    u32 out_at, nout;           /* first, and number, of what it sends, */
    struct vsent out[BANK_OUT]; /* a ring */
};
struct vcache {
    struct tags tags;
    struct vbank *banks;
    struct vmiss *misses; /* [bank][vortex.dcache.mshrs] */
    u64 *used;            /* [bank][words]: those of them that are in use */
    u32 words;
    u32 *doors; /* ring of entries whose lines have come, in that order: one goes in at a time */
    u32 door, ndoors;
    u32 active;    /* of all banks */
    u64 replaying; /* banks with reads that come again */
    u64 sending;   /* banks with something in their queue, */
    u64 send_cy;   /* and when the first of it is there; NEVER: nothing */
    u32 turn;      /* bank that sent last, */
    u64 sent_cy;   /* and when; NEVER: none */
    u64 seq;
    u64 latency; /* bank to answer */
};

#endif
