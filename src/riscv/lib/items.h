/* items: one work-item after the other. The loop around a kernel without barriers is made of these, inlined
 * (items.c), and so is the scheduler of coroutines (dispatch.c).
 *
 * group: x innermost, then y, then z. lanes: item i runs on thread i mod T of its core in round i / T. */
#ifndef HEDDLE_RISCV_ITEMS_H
#define HEDDLE_RISCV_ITEMS_H

#include "layout.h"

typedef unsigned u32;

#define LAUNCH(word) (*(const u32 *)(LAUNCH_AT + (word)))
#define ITEM(word)   (*(u32 *)((char *)__builtin_thread_pointer() - ITEM_B + (word)))
#define INLINE       static inline __attribute__((always_inline))

/* The value is the same in all lanes: place.c reads this comment in the assembly */
INLINE u32 heddle_same(u32 x) {
    __asm__("# heddle uniform %0" : "+r"(x));
    return x;
}

/* --- group */
INLINE void heddle_item_first(void) { ITEM(ITEM_LOCAL) = ITEM(ITEM_LOCAL + 4) = ITEM(ITEM_LOCAL + 8) = 0; }

INLINE u32 heddle_item_next(void) {
    u32 x = heddle_same(ITEM(ITEM_LOCAL)) + 1;
    if (x < LAUNCH(LAUNCH_SIZE)) {
        ITEM(ITEM_LOCAL) = x;
        return 1;
    }
    u32 y = heddle_same(ITEM(ITEM_LOCAL + 4)) + 1;
    ITEM(ITEM_LOCAL) = 0;
    if (y < LAUNCH(LAUNCH_SIZE + 4)) {
        ITEM(ITEM_LOCAL + 4) = y;
        return 1;
    }
    ITEM(ITEM_LOCAL + 4) = 0;
    u32 z = heddle_same(ITEM(ITEM_LOCAL + 8)) + 1;
    ITEM(ITEM_LOCAL + 8) = z;
    return z < LAUNCH(LAUNCH_SIZE + 8);
}

/* --- lanes */
INLINE void heddle_set_linear(u32 linear) {
    u32 x = LAUNCH(LAUNCH_SIZE), y = LAUNCH(LAUNCH_SIZE + 4), row = linear / x;
    ITEM(ITEM_LINEAR) = linear;
    ITEM(ITEM_LOCAL) = linear - row * x;
    ITEM(ITEM_LOCAL + 4) = row % y;
    ITEM(ITEM_LOCAL + 8) = row / y;
}

INLINE void heddle_round_first(void) {
    ITEM(ITEM_ROUND) = 0;
    heddle_set_linear(ITEM(ITEM_THREAD));
}

INLINE u32 heddle_round_has(void) { return ITEM(ITEM_LINEAR) < LAUNCH(LAUNCH_ITEMS); }

INLINE u32 heddle_round_next(void) {
    u32 round = heddle_same(ITEM(ITEM_ROUND)) + 1;
    ITEM(ITEM_ROUND) = round;
    heddle_set_linear(ITEM(ITEM_LINEAR) + ITEM(ITEM_THREADS));
    return round < LAUNCH(LAUNCH_ROUNDS);
}

#endif
