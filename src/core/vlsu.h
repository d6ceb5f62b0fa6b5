/* vlsu: the load-store unit of the Vortex pipeline. Included by 68_vlsu.c alone. */
#ifndef HEDDLE_CORE_VLSU_H
#define HEDDLE_CORE_VLSU_H

#include "core/flight.h"

struct vanswer { /* a word, or one word for all lanes, on its way back */
    u64 due_cy;
    u32 flight;
    u32 words; /* more than one where words of it have been put together */
};
struct vqueue { /* ring of a power of two */
    struct vanswer *at;
    u32 head, n, cap;
};
struct vword { /* a word before its bank: place in memop.lines of a flight */
    u32 flight;
    u16 at, bank;
};
struct vlane { /* a thread's buffer before the cache */
    struct vword word[2];
    u32 n;
};
struct vlsu {
    u32 skid[2], nskid;
    u64 skid_cy[2]; /* may leave the buffer then */
    i32 current;    /* flight whose words are sent, or NONE */
    u64 current_cy; /* from then on */
    u64 left;       /* its words that no buffer, or bank of shared memory, has taken: bits are places in memop.lines */
    bool fresh;     /* nothing of it was sent */
    struct vlane lanes[MAX_WARP];
    u64 waiting, full; /* threads whose buffers hold a word, two words */
    bool textured;     /* the last words to buffers were the texture unit's */
    u32 loads;         /* whose words are sent or awaited */
    i32 held_by;       /* enum hazard that kept a word from its bank in the last cycle, or NONE */
    u64 empty_cy;      /* the cycle after the last in which a bank took a word */
    bool stuck;        /* no word was taken then, and none will be until the memory side has answered or taken something */
    bool again;        /* which it may have since */
    u64 wrote_cy;      /* last cycle in which a load had the write-back port; NEVER: none */
    struct vqueue banks[MAX_WARP + 1]; /* words that come back from each bank, in order; the last: from shared memory */
    u64 answering;                     /* banks of the cache with such words, */
    u64 crowded;                       /* those with more of them than their output holds, */
    u64 frozen;                        /* and of these the ones that stand still in this cycle */
    struct vqueue merged;              /* words on their way to the write-back port */
    u64 answer_cy;                     /* the earliest due_cy of these; NEVER: none */
};

#endif
