/* port: the inside of 62_port.c, for that file alone. */
#ifndef HEDDLE_CORE_PORT_H
#define HEDDLE_CORE_PORT_H

#include "core/core.h"

struct packet { /* in the miss queue */
    struct mreq req;
    u64 since;
    u32 partition;
};
struct arrival { /* a response on its way to us */
    struct mresp r;
    u32 order; /* partition, then position */
};
struct port {
    struct clocks clk;
    struct packet *queue;   /* ring of misses that wait for the network */
    u32 head, n, cap, mask; /* mask: positions of the ring less one, a power of two */
    u32 credits;
    u32 in_network;              /* packets not yet credited */
    u64 inject_free, eject_free; /* ticks */
    u64 inject_cy;               /* core cycle of inject_free: the next packet leaves then at the earliest */
    u64 first_cy, first_free;    /* when the inbox's first response has come through the port, NEVER where there is none;
                                  * and the tick from which the port is free then */
    struct outbox *outs;         /* [partitions] */
    u32 sent;                    /* packets in them */
    VEC(struct arrival) inbox;   /* sorted by (cycle, order), from inbox_at on */
    u32 inbox_at;
    VEC(u64) credits_in; /* cycles at which credits come, sorted, from credits_at on */
    u32 credits_at;
    u64 wake_cy;    /* a response or credit comes, or a packet can leave, then and not before; NEVER: none */
    bool starved;   /* packets wait for a credit */
    u32 stores_out; /* not yet acknowledged, of all slots, ended ones too, and lines written back */
    u64 quiet_cy;   /* first cycle after the last response that core_idle waits for */
};

#endif
