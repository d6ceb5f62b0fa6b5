/* Of place.c and the files beside it alone: a function as blocks, and what each file does with them. */
#ifndef HEDDLE_RISCV_PLACE_H
#define HEDDLE_RISCV_PLACE_H

#include "isa/isa.h"
#include "riscv/compile.h"
#include "riscv/riscv.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BLOCKS = 4000, GP_UNSEEN = -2 };

enum end { END_FALLS, END_BRANCH, END_LEAVES };
enum opens { OPENS_NOTHING, OPENS_LOOP, OPENS_BEHIND_LOOP, OPENS_BEHIND_IF }; /* a block, with what is placed */
struct block {
    const char *text; /* lines but the last instruction, if that is a jump or branch */
    size_t text_b;
    const char *op; /* END_BRANCH: mnemonic and operands, the target and the comma before it left out */
    size_t op_b;
    u8 end, opens;                          /* enum end, enum opens */
    bool ready;                             /* END_BRANCH: t6 says whether it is taken */
    bool returns;                           /* END_LEAVES: with a return */
    bool barrier, divergent, placed, exits; /* exits: pred, not split, tells of it */
    bool early;                             /* placed up to where its ways come together, though they may part again */
    bool stays_taken;                       /* exits: those that take the branch stay */
    u32 succ[2];                            /* taken, else next; END_FALLS: the first */
    u64 uniform;                            /* registers (x, f) that are the same in all lanes on entry */
    i32 level;                              /* splits and loops around its beginning, or NONE */
    bool calls;                             /* a function, which may use gp */
    i32 gp;                                 /* on entry: the level whose word it holds, NONE, or GP_UNSEEN */
    u64 fetched;                            /* on entry: levels below 64 whose words are fetched before they are kept anew */
};

struct function {
    const char *file, *name;
    struct arena *arena;
    struct diag *dg;
    VEC(struct block) blocks;
    VEC(u32) order; /* as they will stand */
    u32 words;      /* of a set of blocks */
    u64 *dom, *post;
    u32 *post_n;            /* how many post-dominate a block, itself among them */
    struct rv_words *taken; /* of the file, up to this function */
    u32 number, levels;
};

/* --- sets of blocks */

static inline bool has(const u64 *s, u32 i) { return s[i / 64] >> i % 64 & 1; }
static inline void put(u64 *s, u32 i) { s[i / 64] |= 1ull << i % 64; }
/* With room for blocks that are yet to be made */
static inline u64 *new_set(struct function *f) { return ARENA_ARRAY(f->arena, u64, f->words + MOST_BLOCKS / 64 + 64); }
static inline u32 set_size(const struct function *f, const u64 *s) {
    u32 n = 0;
    for (u32 i = 0; i < f->words; i++) n += (u32)__builtin_popcountll(s[i]);
    return n;
}

/* --- blocks */

static inline u32 succs(const struct block *b) { return b->end == END_BRANCH ? 2 : b->end == END_FALLS ? 1 : 0; }
static inline bool dominates(const struct function *f, u32 a, u32 b) { return has(&f->dom[(size_t)b * f->words], a); }
/* Splits and loops around what stands in it, behind what it opens or closes */
static inline i32 level_behind(const struct block *b) {
    return b->level + (b->opens == OPENS_LOOP) - (b->opens == OPENS_BEHIND_LOOP || b->opens == OPENS_BEHIND_IF);
}
static inline bool op_is(const char *op, size_t n, const char *list) {
    char word[16];
    snprintf(word, sizeof(word), "%.*s", (int)n, op);
    return text_in_list(list, word);
}

struct loop {
    u32 header;
    u64 *body;
    u32 backs;      /* ways back to the header */
    u32 exits, out; /* ways out; the block of the last one */
    bool one_exit;  /* all from that block */
};

bool place_refuse(struct function *f, const char *why);

/* place_graph.c */
u64 *place_reach(struct function *f, u32 b, u32 without); /* from b's successors, without passing `without` */
void place_find_dominators(struct function *f);
u32 place_meeting(const struct function *f, u32 b); /* b's immediate post-dominator, or the count of blocks */
u64 *place_sides(struct function *f, u32 b); /* what only one of b's ways comes by; b itself, when only one comes around to it */
struct loop place_loop_of(struct function *f, u32 header);               /* backs is 0 where there is none */
bool place_decides_barrier(const struct function *f, const u64 *region); /* a barrier is among them */
u32 place_add_block(struct function *f, struct block b, u32 before);

/* place_part.c: which branches may part lanes */
void place_find_divergent(struct function *f);

/* place_read.c: a function's lines, from behind its name to its end; `calls` come to a barrier */
bool place_read(struct function *f, const char *text, const char *end, const char *const *calls, u32 ncalls);

/* place_write.c: its blocks, with what is placed */
void place_write(struct function *f, struct strbuf *out);

#endif
