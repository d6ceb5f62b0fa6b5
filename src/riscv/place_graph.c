/* A function's blocks as a graph (place.c): sets, dominators, ways, loops. */
#include "riscv/place.h"

#include <stdlib.h>

/* Blocks that can be reached from b's successors without passing `without` */
u64 *place_reach(struct function *f, u32 b, u32 without) {
    u64 *s = new_set(f);
    VEC(u32) stack = {0};
    VEC_PUSH(&stack, b);
    while (stack.n) {
        const struct block *x = &f->blocks.at[stack.at[--stack.n]];
        for (u32 i = 0; i < succs(x); i++) {
            if (x->succ[i] == without || has(s, x->succ[i])) continue;
            put(s, x->succ[i]);
            VEC_PUSH(&stack, x->succ[i]);
        }
    }
    free(stack.at);
    return s;
}

/* dom: by whom a block is dominated; post: by whom post-dominated. Both from nothing, by iteration. */
void place_find_dominators(struct function *f) {
    u32 n = f->blocks.n;
    f->words = (n + 63) / 64;
    f->dom = ARENA_ARRAY(f->arena, u64, (size_t)n * f->words);
    f->post = ARENA_ARRAY(f->arena, u64, (size_t)n * f->words);
    memset(f->dom, 0xFF, (size_t)n * f->words * 8);
    memset(f->post, 0xFF, (size_t)n * f->words * 8);
    memset(f->dom, 0, f->words * 8);
    put(f->dom, 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < n; b++) /* what b has, its successors may have */
            for (u32 i = 0; i < succs(&f->blocks.at[b]); i++) {
                u32 to = f->blocks.at[b].succ[i];
                for (u32 w = 0; w < f->words && to; w++) {
                    u64 *d = &f->dom[(size_t)to * f->words + w], own = to / 64 == w ? 1ull << to % 64 : 0;
                    u64 now = *d & (f->dom[(size_t)b * f->words + w] | own);
                    changed = changed || now != *d;
                    *d = now;
                }
            }
        for (u32 b = n; b-- > 0;)
            for (u32 w = 0; w < f->words; w++) {
                const struct block *x = &f->blocks.at[b];
                u64 now = succs(x) ? ~0ull : 0;
                for (u32 i = 0; i < succs(x); i++) now &= f->post[(size_t)x->succ[i] * f->words + w];
                if (b / 64 == w) now |= 1ull << b % 64;
                changed = changed || now != f->post[(size_t)b * f->words + w];
                f->post[(size_t)b * f->words + w] = now;
            }
    }
    u64 *live = place_reach(f, 0, n);
    for (u32 b = 1; b < n; b++) /* nobody dominates what is never come to */
        if (!has(live, b)) memset(&f->dom[(size_t)b * f->words], 0, f->words * 8);
    f->post_n = ARENA_ARRAY(f->arena, u32, n);
    for (u32 b = 0; b < n; b++) f->post_n[b] = set_size(f, &f->post[(size_t)b * f->words]);
}

/* The immediate post-dominator: of all, the one that most others post-dominate; or the count of blocks */
u32 place_meeting(const struct function *f, u32 b) {
    u32 best = f->blocks.n, most = 0;
    for (u32 p = 0; p < f->blocks.n; p++) {
        if (p == b || !has(&f->post[(size_t)b * f->words], p)) continue;
        if (f->post_n[p] > most) most = f->post_n[p], best = p;
    }
    return best;
}

/* Whether a barrier is among the blocks of a region */
bool place_decides_barrier(const struct function *f, const u64 *region) {
    for (u32 i = 0; i < f->blocks.n; i++)
        if (f->blocks.at[i].barrier && has(region, i)) return true;
    return false;
}

/* What only one of b's ways comes by; b itself, when only one comes around to it */
u64 *place_sides(struct function *f, u32 b) {
    u64 *way[2], *own = new_set(f);
    for (u32 i = 0; i < 2; i++) {
        u32 from = f->blocks.at[b].succ[i];
        way[i] = from == b ? new_set(f) : place_reach(f, from, b);
        put(way[i], from);
        for (u32 u = 0; u < f->blocks.n; u++)
            for (u32 k = 0; k < succs(&f->blocks.at[u]) && has(way[i], u) && u != b; k++)
                if (f->blocks.at[u].succ[k] == b) put(way[i], b);
    }
    for (u32 w = 0; w < f->words; w++) own[w] = way[0][w] ^ way[1][w];
    return own;
}

struct loop place_loop_of(struct function *f, u32 header) {
    struct loop l = {.header = header, .body = new_set(f), .one_exit = true};
    for (u32 b = 0; b < f->blocks.n; b++)
        for (u32 i = 0; i < succs(&f->blocks.at[b]); i++)
            if (f->blocks.at[b].succ[i] == header && dominates(f, header, b)) put(l.body, b), l.backs++;
    if (!l.backs) return l;
    put(l.body, header);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->blocks.n; b++)
            for (u32 i = 0; i < succs(&f->blocks.at[b]) && !has(l.body, b); i++) {
                u32 to = f->blocks.at[b].succ[i];
                if (to != header && has(l.body, to) && dominates(f, header, b)) put(l.body, b), changed = true;
            }
    }
    for (u32 b = 0; b < f->blocks.n; b++)
        for (u32 i = 0; i < succs(&f->blocks.at[b]) && has(l.body, b); i++) {
            if (has(l.body, f->blocks.at[b].succ[i])) continue;
            l.one_exit = l.one_exit && (!l.exits || l.out == b);
            l.exits++;
            l.out = b;
        }
    return l;
}

u32 place_add_block(struct function *f, struct block b, u32 before) {
    u32 id = f->blocks.n, at = 0;
    VEC_PUSH(&f->blocks, b);
    VEC_PUSH(&f->order, id);
    while (at + 1 < f->order.n && f->order.at[at] != before) at++;
    memmove(&f->order.at[at + 1], &f->order.at[at], (f->order.n - 1 - at) * sizeof(u32));
    f->order.at[at] = id;
    return id;
}
