/* partition: the inside of a memory partition, shared by 30_noc.c, 31_mesh.c, 40_l2.c, 50_dram.c, 51_banks.c
 * and partition.c.
 *
 *     outboxes -> coming -> [in port] -> queue -> [slice] -> hits, refills -> [out port] -> inboxes
 *                                                  |   ^
 *                                     channel queue v   | fills
 *                                             [commands] [data]
 *
 * Five kinds of units in brackets, each with the next tick at which it can do something (`at`). partition_run
 * takes the units of the smallest tick in the order of enum stage, slices in order of number, until that tick
 * is past the window. A unit that acts may bring forward the `at` of a later stage to the same tick, that of
 * an earlier one only to a later tick; so every tick is run once, and cutting time into windows changes
 * nothing. */
#ifndef HEDDLE_MEM_PARTITION_H
#define HEDDLE_MEM_PARTITION_H

#include "mem/mem.h"

#include <string.h>

enum { NO_ID = UINT32_MAX };
enum { MAX_SLICES = 16 }; /* of a partition: the most that l2.slices may be */

/* --- a queue of (tick, id), oldest first; grows to the most there ever was */
struct timed {
    u64 tick;
    u32 id;
    u32 flits; /* of a packet in the network */
};
struct ring {
    struct timed *at;
    u32 cap, head, n; /* cap: a power of two or 0 */
};
void ring_grow(struct ring *r);
static inline void ring_put(struct ring *r, struct timed one) {
    if (r->n == r->cap) ring_grow(r);
    r->at[(r->head + r->n++) & (r->cap - 1)] = one;
}
static inline void ring_push(struct ring *r, u64 tick, u32 id) { ring_put(r, (struct timed){.tick = tick, .id = id}); }
static inline struct timed ring_first(const struct ring *r) { return r->at[r->head]; }
static inline struct timed ring_at(const struct ring *r, u32 i) { return r->at[(r->head + i) & (r->cap - 1)]; }
static inline u64 ring_tick(const struct ring *r) { return r->n ? r->at[r->head].tick : NEVER; }
static inline void ring_pop(struct ring *r) {
    r->head = (r->head + 1) & (r->cap - 1);
    r->n--;
}

/* --- packets: one from an SM, from its arrival to its answer's departure */
enum { PIECE_B = 32 };
struct packet {
    u64 base;       /* inside its slice: of the first L2 line it touches */
    u64 ready;      /* tick at which the latest of its accesses that are done was */
    void *atomic;   /* mreq */
    u32 token;      /* mreq */
    u32 next_free;  /* packet, NO_ID; of no meaning while in use */
    u16 sm, data_b; /* mreq */
    u8 kind, same;  /* mreq */
    u8 pieces;      /* 32-byte pieces it touches, from base */
    u8 todo;        /* those among them the slice has not looked at yet */
    u8 left;        /* accesses (L2 lines) not done */
    u8 hit;         /* all accesses done have hit */
};

/* --- an L2 slice with its two ports */
enum blocked { BLOCK_NONE, BLOCK_MSHR, BLOCK_SET, BLOCK_DRAM };
struct slice {
    /* in port */
    struct ring coming; /* packets in the network: tick of arrival at the port */
    i64 taken;          /* tick at which the port let the last packet in */
    bool chosen;        /* noc.arbiter = lowest: the first of them has the port until it is through */
    struct ring queue;  /* packets let in: tick of that */
    u32 granted;        /* mesh: packets that have a place in the queue and are not in it yet */
    /* the slice */
    struct tags tags;
    u64 mark; /* of the tags' clock (partition_mark) */
    struct mshr *mshr;
    u32 *tokens;            /* [l2_merge]: room for mshr_done */
    u64 free;               /* tick from which it can take another access */
    u64 take;               /* tick at which it takes the first of the queue; NEVER while that is empty or waits */
    u8 blocked;             /* enum blocked: what the first of the queue waits for */
    u64 blocked_since;      /* tick from which that has not been counted yet */
    struct ring fills;      /* fetches that have come back: L2 edge at which the slice sees them */
    struct ring performing; /* atomic packets: tick at which they are performed */
    /* out port */
    struct ring hits, refills; /* answers: noc edge from which they can leave */
    u64 port_free;             /* tick from which the port is free */
};

/* --- a DRAM channel */
struct fetch { /* sectors of one line on their way into a slice */
    u64 line;  /* inside the slice */
    u32 parts; /* queue entries not yet served; next free fetch while not in use */
    u8 slice;  /* of this partition */
    u8 sectors;
};
enum row_class { ROW_HIT, ROW_EMPTY, ROW_CONFLICT };
struct dreq { /* an entry of the channel's queue: bursts of one row */
    u64 row;
    u64 since;                /* dram cycle from which it can be served */
    u64 age;                  /* number in order of entry */
    u32 fetch;                /* NO_ID: a write */
    u32 next, prev;           /* in the channel's list, oldest first; next: also of the free ones */
    u32 bank_next, bank_prev; /* in the bank's list */
    u16 bank;
    u16 left; /* bursts not yet served */
    u8 found; /* enum row_class, for its first burst */
};
struct bank {
    u64 row;           /* open row, NEVER when closed */
    u64 act, col, pre; /* first dram cycle at which the bank allows an activate, a column command, a precharge */
    u32 first, last;   /* dreqs, NO_ID */
    u32 hit;           /* oldest dreq of the open row, NO_ID when there is none */
    u32 passed;        /* bursts of other dreqs served since `first` is the first */
};
enum command { CMD_READ, CMD_WRITE, CMD_ACTIVATE, CMD_PRECHARGE, CMD_REFRESH, CMD_NONE };
struct choice {  /* a command: of a bank, for its most urgent dreq; or the channel's next one, if nothing new comes in */
    u64 cycle;   /* dram; of a bank: as far as the bank is concerned */
    u64 rank;    /* smaller goes first in the same cycle */
    u32 dreq;    /* for which */
    u32 command; /* enum command */
};
struct channel {
    struct dreq *dreq;
    u32 first, last, free; /* dreqs, NO_ID */
    u32 used, queue;       /* bursts in the queue; what it holds at most, in bursts or entries */
    u32 entries;           /* dreqs in the queue */
    bool by_entry;         /* entries fill it, not bursts */
    u32 passed;            /* bursts of other dreqs served since `first` is the first */
    u64 ages;              /* entries so far */
    struct bank *bank;
    struct choice *want;     /* [banks]: of those with a dreq */
    u64 columns[4], rows[4]; /* banks that want a column command, another */
    u64 row_from;            /* dram cycle before which none of the latter is possible */
    u64 next_cycle;          /* first dram cycle in which another command can be given */
    u64 act, col, read;      /* first dram cycle at which the channel allows an activate, a column command, a read */
    u64 bus;                 /* first dram cycle at which the data bus is free */
    u64 refresh;             /* dram cycle of the next refresh, NEVER without */
    struct choice choice;    /* CMD_NONE: to be made anew */
    struct ring back;        /* fetches: tick at which their data are at the slice */
    u64 queued_since;        /* dram cycle from which dram_queued has not been counted yet */
    struct fetch *fetch;     /* pool */
    u32 fetches, free_fetch;
    u8 waiting[MAX_SLICES], waiters; /* slices blocked for room, first come first served */
    u32 need[MAX_SLICES];            /* bursts each slice waits for */
    /* constants */
    u32 bank_words;     /* of `columns` and `rows` in use */
    u32 row_cap;        /* dram.row_cap */
    u32 burst_cy;       /* dram cycles of one burst on the bus */
    u32 row_shift;      /* log2 of dram.row_b */
    u8 burst_count[16]; /* how many those are */
    u8 entry_count[16]; /* in how many rows they lie */
    u32 bursts_of[16];  /* mask of sectors -> mask of bursts of the line */
    u32 parts;          /* rows a line touches: 1 unless rows are shorter than lines */
    u32 part_bursts;    /* bursts of such a part */
};

/* --- when the slices act in one stage */
struct turns {
    u64 at[MAX_SLICES]; /* next tick of each, NEVER */
    u64 first;          /* the earliest of them */
    u32 busy;           /* slices that have one */
};

/* --- the partition */
enum stage { STAGE_IN, STAGE_DATA, STAGE_L2, STAGE_COMMAND, STAGE_OUT };
struct partition {
    struct config c;
    struct clocks clk;
    u32 index;
    u64 now;                                    /* core cycle: all before it has been run */
    u64 charged;                                /* core cycle: counters of time are complete up to it */
    struct turns in_turns, l2_turns, out_turns; /* of the stages that slices have */
    u64 data_at, command_at;                    /* next tick of the others, NEVER */
    u32 nblocked;                               /* slices whose queue waits (slice.blocked) */
    struct slice *slice;                        /* [c.slices] */
    struct channel channel;
    struct packet *packet; /* pool */
    u32 packets, free_packet;
    u8 bits_of[16];      /* bits in a mask */
    u8 sectors_of[16];   /* mask of pieces of an L2 line -> mask of its sectors */
    u32 line_pieces;     /* pieces of an L2 line */
    u64 noc_way, l2_way; /* latencies in ticks */
    VEC(struct performed) performed;
    struct inbox *in;      /* of the window under way */
    struct inbox *credits; /* [c.sms]: of the window under way */
    u16 *told;             /* [c.sms]: SMs with a message in one of these, */
    u32 ntold;             /* so many */
    VEC(u32) bucket;       /* for sorting a window's packets */
    VEC(const struct mreq *) sorted;
    struct mesh *mesh;     /* whose node it is; NULL: a crossbar */
    u32 in_mesh;           /* packets on their way through it */
    u64 wait_in, wait_out; /* ticks, since the statistics were reset */
    struct mem_stats stats;
};

/* The first edge of a clock at or after a tick */
static inline u64 edge_at(u64 tick, const struct period *d) {
    if (d->ticks == 1) return tick;
    return periods_in(tick + d->ticks - 1, d) * d->ticks;
}
/* The first edge after a tick */
static inline u64 edge_after(u64 tick, const struct period *d) { return (periods_in(tick, d) + 1) * d->ticks; }
/* Cycles of a clock that begin before a tick; also the first cycle that begins at or after it */
static inline u64 cycles_before(u64 tick, const struct period *d) { return periods_in(tick + d->ticks - 1, d); }
static inline void sooner(u64 *at, u64 tick) {
    if (tick < *at) *at = tick;
}
/* A slice acts at that tick, or NEVER. Who is put off has its turn now, or none: nobody looks for `first` */
static inline void turns_set(struct turns *u, u32 s, u64 tick) {
    u->at[s] = tick;
    u->busy = (u->busy & ~(1u << s)) | (u32)(tick != NEVER) << s;
    sooner(&u->first, tick);
}
/* At that tick at the latest */
static inline void turns_sooner(struct turns *u, u32 s, u64 tick) {
    if (tick < u->at[s]) turns_set(u, s, tick);
}
/* Messages to an SM in the window under way */
static inline void tell_sm(struct partition *p, u32 sm) {
    if (!p->in[sm].at.n && !p->credits[sm].at.n) p->told[p->ntold++] = (u16)sm;
}
static inline void tell_response(struct partition *p, u32 sm, struct mresp r) {
    tell_sm(p, sm);
    VEC_PUSH(&p->in[sm].at, r);
}
static inline void tell_credit(struct partition *p, u32 sm, struct mresp r) {
    tell_sm(p, sm);
    VEC_PUSH(&p->credits[sm].at, r);
}

/* --- 30_noc.c */
u32 noc_flits(const struct config *c, u32 data_b);
u32 noc_packet(struct partition *p, const struct mreq *m, u32 *slice); /* of an SM's packet, for a slice of this partition */
void noc_arrives(struct partition *p, u32 s, struct timed packet);     /* it will be at the slice's port then */
bool noc_grant(struct partition *p, u32 s);                            /* mesh: a place of the slice's queue, if there is one */
void noc_send(struct partition *p, const struct mreq *m);              /* an SM's packet enters the network */
void noc_in(struct partition *p, u32 s, u64 t);                        /* STAGE_IN of slice s */
void noc_in_wake(struct partition *p, u32 s, u64 t);                   /* the slice's queue has room since t */
void noc_answer(struct partition *p, u32 s, struct ring *answers, u64 ready, u32 packet);
void noc_out(struct partition *p, u32 s, u64 t); /* STAGE_OUT of slice s */
void packet_free(struct partition *p, u32 id);

/* --- 31_mesh.c */
void mesh_answer(struct mesh *m, const struct partition *p, u32 sm, const struct mresp *r, u64 t); /* enters it at tick t */

/* --- partition.c: a window in pieces, for those who run several partitions together */
void partition_begin(struct partition *p, u64 from, u64 to, struct inbox *in);
u64 partition_tick(const struct partition *p); /* at which something is next; NEVER */
void partition_step(struct partition *p, u64 t);
void partition_end(struct partition *p, u64 to);

/* --- 40_l2.c */
void l2_init(struct partition *p, u32 s);
void l2_free(struct slice *l);
void l2_arrived(struct partition *p, u32 s, u64 t); /* the queue has a new packet */
void l2_wake(struct partition *p, u32 s,
             u64 tick); /* what the first of the queue waits for may have come, for the first edge at or after a tick */
void l2_step(struct partition *p, u32 s, u64 t);                             /* STAGE_L2 of slice s */
void l2_charge(struct partition *p, u32 s, u64 end);                         /* counts waiting up to tick `end` */
u32 l2_sectors(const struct partition *p, const struct packet *k, u64 line); /* sectors a packet touches in one L2 line */
void l2_check(const struct partition *p, u32 s);

/* --- 50_dram.c */
void dram_init(struct partition *p);
void dram_free(struct channel *d);
u32 dram_room(const struct channel *d, u32 sectors); /* that a request for these sectors takes in the queue */
/* Is there room for n bursts of slice s? If not, the slice stands in the list of those who wait, which are
 * served in order. A request larger than the whole queue enters when that is empty. */
bool dram_ask(struct channel *d, u32 s, u32 n);
void dram_wait_done(struct partition *p, u32 s, u64 t); /* slice s no longer waits */
void dram_read(struct partition *p, u32 s, u64 line, u32 sectors, u64 t);
void dram_write(struct partition *p, u32 s, u64 line, u32 sectors, u64 t);
void dram_fetch_free(struct channel *d, u32 id);
void dram_data(struct partition *p, u64 t);    /* STAGE_DATA */
void dram_command(struct partition *p, u64 t); /* STAGE_COMMAND */
void dram_charge(struct partition *p, u64 end);
void dram_check(const struct partition *p);
void dram_idle_refresh(struct partition *p, u64 end); /* the queue being empty, the refreshes that began before a tick */
void dram_served(struct partition *p, u32 dreq, u64 now,
                 u64 end); /* a burst has got its command in dram cycle `now`, its data end at `end` */

/* --- 51_banks.c */
void banks_init(struct partition *p);
void banks_enter(struct partition *p, u32 id); /* into its bank's list; may change the choice */
void banks_leave(struct partition *p, u32 id);
void banks_choose(const struct partition *p, u64 from, u64 *row_from,
                  struct choice *out); /* row_from: the channel's, or a copy */
void banks_issue(struct partition *p, const struct choice *ch);
void banks_refresh(struct partition *p);
void banks_check(const struct partition *p);

#endif
