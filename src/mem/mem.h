/* mem: the memory side of the chip, and the caches both sides are built from.
 *
 *   tags.c           sets, ways, sectors, replacement: the tag array of every cache
 *   mshr.c           lines outstanding and who waits for them
 *   map.c            which slice and DRAM row an address lies in; clock domains as ticks
 *   10_coalesce.c    lanes' addresses -> line accesses; shared-memory bank conflicts
 *   30_noc.c         the crossbar's ports
 *   31_mesh.c        a mesh of routers in its place
 *   40_l2.c          an L2 slice
 *   50_dram.c        a DRAM channel: its queue, the way back, and the fixed kind
 *   51_banks.c       the banked kind: rows, timing, FR-FCFS, refresh
 *   partition.c      slices and channel of one partition: an island (D4); partition.h shows its inside
 *
 * Islands. SMs and partitions talk through messages stamped with core cycles. All SMs run cycles [from, to),
 * writing outboxes; then all partitions run [from, to), reading these outboxes and writing responses with
 * cycles >= to. No message from a partition arrives sooner than mem_min_latency() core cycles after the cycle
 * at which its cause happened, so the result does not depend on how time is cut.
 *
 * Time on the memory side is in ticks, integers of a common multiple of all clocks (struct clocks). */
#ifndef HEDDLE_MEM_H
#define HEDDLE_MEM_H

#include "base/base.h"
#include "config/config.h"

/* --- map.c */
struct period { /* a clock's, for dividing by it: every packet does some ten times */
    u32 ticks;
    u64 inverse; /* 2^64 over ticks, rounded up; 0: divide */
};
struct clocks { /* ticks of one cycle of each domain */
    u32 core, noc, l2, dram;
    struct {
        struct period core, noc, l2, dram;
    } by;
};
struct clocks clocks_of(const struct config *c);
/* Whole periods in so many ticks. Exact below 2^52 ticks, which are weeks of simulated time: an inverse is
 * too large by less than ticks over 2^64, and there is none for periods above 4096. */
static inline u64 periods_in(u64 tick, const struct period *d) {
    if (d->ticks == 1) return tick;
    return d->inverse ? (u64)((unsigned __int128)tick * d->inverse >> 64) : tick / d->ticks;
}
/* x / d and x % d where d is a power of two nearly always */
static inline u64 fast_div(u64 x, u32 d) { return d & (d - 1) ? x / d : x >> __builtin_ctz(d); }
static inline u64 fast_mod(u64 x, u32 d) { return d & (d - 1) ? x % d : x & (d - 1); }
u32 map_slice(const struct config *c, u64 addr); /* 0 .. partitions * slices - 1; slice s belongs to partition s / slices */
/* The address without the bits that chose the slice: consecutive chunks of one slice are consecutive. Sets,
 * banks and rows are cut from it. */
u64 map_inside(const struct config *c, u64 addr);
struct place {
    u64 inside; /* map_inside */
    u32 slice;  /* map_slice */
};
struct place map_place(const struct config *c, u64 addr);            /* both at once; with l2.clusters, in the first of them */
struct place map_place_of(const struct config *c, u32 sm, u64 addr); /* as the SM reaches it: in its cluster */

/* --- messages */
enum mreq_kind {
    MREQ_READ,   /* data comes back */
    MREQ_WRITE,  /* an acknowledgement comes back when the L2 has taken it */
    MREQ_ATOMIC, /* performed at the L2, old values come back */
    MREQ_RED,    /* performed at the L2, an acknowledgement comes back */
    MREQ_KINDS
};
struct mreq {    /* one packet from an SM */
    u64 cycle;   /* core cycle in which its first flit leaves the SM; the SM models its own port, the slice its own */
    u64 line;    /* address, aligned to the line size of the cache it comes from (at most 128) */
    u32 sectors; /* mask of 32-byte pieces of the line that are wanted or written */
    u32 token;   /* the SM's; comes back with the response */
    u16 sm;
    u8 kind;      /* enum mreq_kind */
    u8 same;      /* atomics: most lanes of the packet that meet at one address (1 when all differ) */
    u16 data_b;   /* payload: 0 for reads */
    void *atomic; /* atomics: the SM's record, handed on to performed[] */
};
enum mresp_kind { MRESP_DATA, MRESP_ACK, MRESP_CREDIT };
struct mresp { /* one packet, or a credit, to an SM */
    u64 cycle; /* core cycle at which its first flit stands at the SM's port, which the SM models; out of a mesh, its last */
    u32 token;
    u16 data_b; /* payload */
    u8 kind;    /* enum mresp_kind */
    u8 hit;     /* it hit in the L2 */
};
struct outbox { /* an SM's packets to one partition in this window, in order of cycle */
    VEC(struct mreq) at;
};
struct inbox { /* a partition's packets to one SM from this window, in order of cycle */
    VEC(struct mresp) at;
};
struct performed { /* an atomic packet that an L2 slice has performed in this window, in order of cycle */
    u64 cycle;     /* core cycle */
    void *atomic;
};

/* --- statistics of the memory side: plain counters, added by the partitions, merged by stats/ */
struct mem_stats {
#define COUNTER(id, unit, doc) u64 id;
#include "mem/mem_stats.def"
#undef COUNTER
};

/* --- partition.c */
struct partition;
struct partition *partition_new(const struct config *c, u32 index);
void partition_free(struct partition *p);
/* Runs core cycles [from, to). outs: outboxes of SMs, in their order, all of this partition; those that have
 * nothing may be left out. Messages with cycle < to are consumed, all of them; those taken in earlier windows
 * are remembered by the partition. Responses go to in[sm], which this call empties first; performed[]
 * likewise. `from` is not before the last call's `to`; windows in which nothing can change (partition_next)
 * may be left out. */
void partition_run(struct partition *p, u64 from, u64 to, const struct outbox *const *outs, u32 nouts, struct inbox *in);
u32 partition_told(const struct partition *p, const u16 **sms); /* SMs with something in their inbox of the last window */
u32 partition_performed(const struct partition *p, const struct performed **at);
/* The first core cycle >= now in which something can change without a new message; UINT64_MAX when nothing is
 * under way. Running a window before it is allowed and changes nothing. */
u64 partition_next(const struct partition *p, u64 now);
void partition_flush(struct partition *p); /* all lines become invalid, dirty ones without traffic; only when idle */
void partition_put(struct partition *p, struct place at); /* its line becomes valid, without traffic; only when idle */
/* An access without time: the 32-byte pieces of its L2 line become valid, written ones dirty; at any time */
void partition_warm(struct partition *p, struct place at, u32 pieces, bool write);
void partition_mark(struct partition *p);           /* the L2 lines that are here now, and room for lines, become old */
u64 partition_lines(const struct partition *p);     /* that its L2 has room for */
u64 partition_old_lines(const struct partition *p); /* of these, which have been neither filled nor used since the mark */
const struct mem_stats *partition_stats(struct partition *p); /* up to the end of the last window */
void partition_stats_reset(struct partition *p);
void partition_check(const struct partition *p);                     /* numbered invariants, see partition.c */
void partition_waits(const struct partition *p, struct strbuf *out); /* who waits for what, for deadlock reports */
/* Smallest number of core cycles between a message's cycle, or any event inside a partition, and a response
 * it causes */
u32 mem_min_latency(const struct config *c);

/* --- 31_mesh.c: with noc.kind = mesh, routers between the SMs and all partitions */
struct mesh;
struct mesh *mesh_new(const struct config *c,
                      struct partition **parts); /* parts: [partitions], new ones, which become its nodes */
void mesh_free(struct mesh *m);                  /* the partitions are freed by themselves */
/* Runs core cycles [from, to) of the mesh and of all partitions, as partition_run does of one. outs and in:
 * [partition][sm]. */
void mesh_run(struct mesh *m, u64 from, u64 to, const struct outbox *const *const *outs, struct inbox *const *in);
u64 mesh_next(const struct mesh *m, u64 now); /* as partition_next, of the routers alone */
void mesh_stats_reset(struct mesh *m);
void mesh_check(const struct mesh *m); /* numbered invariants, see 31_mesh.c */
void mesh_waits(const struct mesh *m, struct strbuf *out);
u32 mesh_links(const struct config *c); /* one way each, between routers, of both networks */

/* --- tags.c: a set-associative tag array with sectors. Addresses are line addresses (any bits below the line
 * size are ignored). A line is INVALID, RESERVED (a miss is under way; it may not be evicted) or VALID;
 * sectors of it are valid or not. */
struct tags {
    u32 sets, ways, line_b, sector_b, fifo; /* sets: a power of two */
    u32 line_shift;                         /* log2 of line_b */
    bool fermi;                             /* how a set is found; set after tags_init */
    u64 *tag;                               /* [set][way]: line address + 1, 0 = invalid */
    u64 *stamp;                             /* [set][way]: last use (LRU) or fill (FIFO) */
    u8 *valid, *dirty, *pending;            /* [set][way]: masks of sectors; pending: fetched and not yet here */
    u64 clock;
};
enum tag_result { TAG_HIT, TAG_MISS, TAG_HIT_RESERVED, TAG_SECTOR_MISS };
void tags_init(struct tags *t, u32 sets, u32 ways, u32 line_b, u32 sector_b, bool fifo);
void tags_free(struct tags *t);
void tags_clear(struct tags *t);
void tags_copy(struct tags *to, const struct tags *from); /* of the same shape */
/* Looks without changing: HIT all wanted sectors are valid; HIT_RESERVED the missing ones are all pending;
 * SECTOR_MISS the line is there (valid or reserved), some wanted sectors are neither valid nor pending; MISS.
 * *at: index of the line ([set * ways + way]) unless MISS. */
enum tag_result tags_look(const struct tags *t, u64 line, u32 sectors, u32 *at);
/* The same of a cache with one way and one sector a line, where nothing is reserved: it hits */
static inline bool tags_direct_hit(const struct tags *t, u64 line) {
    return t->tag[(u32)(line >> t->line_shift) & (t->sets - 1)] == line + 1;
}
void tags_touch(struct tags *t, u32 at); /* a use, for LRU */
struct victim {                          /* what made room */
    bool had;                            /* a line was evicted */
    u64 line;
    u8 dirty; /* its dirty sectors */
};
/* A way for `line` in its set, reserved with pending sectors; false when all ways have pending sectors. A
 * line that is there gets further sectors. */
bool tags_reserve(struct tags *t, u64 line, u32 sectors, u32 *at, struct victim *v);
/* As reserve, but the line is valid at once with these sectors (used for fills without reservation and for
 * writes that allocate) */
bool tags_insert(struct tags *t, u64 line, u32 sectors, u32 *at, struct victim *v);
/* The same in two steps, for a line that is not there: the way and victim that would be chosen, changing
 * nothing; and taking that way. The caller then sets pending or valid sectors. */
bool tags_peek(const struct tags *t, u64 line, u32 *at, struct victim *v);
void tags_take(struct tags *t, u64 line, u32 at);
/* Pending sectors became valid. Index of the line; one no longer there is ignored: UINT32_MAX. */
u32 tags_fill(struct tags *t, u64 line, u32 sectors);
void tags_invalidate(struct tags *t, u64 line); /* unless reserved */
u32 tags_set(const struct tags *t, u64 line);
void tags_check(const struct tags *t);

/* --- mshr.c: a table of outstanding lines, each with a list of waiters (caller's tokens), in order of
 * arrival */
struct mshr;
struct mshr *mshr_new(u32 entries, u32 merge);
void mshr_free(struct mshr *m);
void mshr_clear(struct mshr *m);
u32 mshr_used(const struct mshr *m);
bool mshr_full(const struct mshr *m);
int mshr_find(const struct mshr *m, u64 line); /* entry or -1 */
bool mshr_can_merge(const struct mshr *m, int entry);
int mshr_alloc(struct mshr *m, u64 line); /* entry, or -1 when full */
u64 mshr_line(const struct mshr *m, int entry);
void mshr_wait(struct mshr *m, int entry, u32 token); /* one more waiter; room was checked */
/* Takes the entry out: its waiters in order into tokens[merge]; returns how many */
u32 mshr_done(struct mshr *m, int entry, u32 *tokens);
/* For checks and reports: the line and waiters (tokens[merge]) of entry 0, 1, ...; false when it is not in
 * use */
bool mshr_get(const struct mshr *m, u32 entry, u64 *line, u32 *tokens, u32 *n);
void mshr_check(const struct mshr *m);

/* --- 10_coalesce.c */
enum { MAX_LINES = 64 * 5 };
struct line_access {
    u64 line;     /* address, aligned */
    u32 sectors;  /* mask of 32-byte pieces */
    u64 lanes;    /* lanes with a byte in it; bit = lane in the warp */
    u8 same;      /* most lanes at one 4-byte address, for atomics */
    u8 count[32]; /* lanes whose first byte lies in each 4-byte word of the line */
};
/* The distinct lines that the lanes of `mask` touch, in order of their first lane. addr[l]: first byte of
 * lane l; size_b bytes each. Appends to out[n], returns the new n; calls for further slabs or elements merge
 * with lines already there. lane0 is added to lane numbers. */
u32 coalesce_lines(const u64 *addr, u32 mask, u32 size_b, u32 line_b, u32 lane0, struct line_access *out, u32 n);
/* Cycles shared memory needs: the most distinct 4-byte words in one bank; lanes that read the same word are
 * served together. Accesses of 8 bytes are made in two halves of the lanes and of 16 in four, each by itself,
 * as hardware does; the result is the sum of the halves. At least 1 when mask is not 0. `together`: lanes (a
 * power of two up to 32) of which this holds, the next ones by themselves. */
u32 shared_cycles(const u64 *addr, u32 mask, u32 size_b, u32 banks, u32 together, bool atomic);
/* Lanes whose accesses of a size are made together, of those that are of four bytes */
static inline u32 shared_together(u32 size_b, u32 together) {
    return size_b <= 4 ? together : size_b <= 8 ? together / 2 : together / 4;
}

#endif
