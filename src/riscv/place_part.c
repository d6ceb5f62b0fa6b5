/* Which branches may part lanes (place.c): those whose operands may differ between lanes. A value is the same
 * in all lanes when it is computed from such values outside of everything that a branch parts. */
#include "riscv/place.h"

#include <ctype.h>

/* --- registers */

static const char *const reg_names[64] = {
    "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",  "t2",  "s0",  "s1",  "a0",   "a1",   "a2",  "a3",  "a4",   "a5",
    "a6",   "a7",  "s2",  "s3",  "s4",  "s5",  "s6",  "s7",  "s8",  "s9",  "s10",  "s11",  "t3",  "t4",  "t5",   "t6",
    "ft0",  "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
    "fa6",  "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

/* The next register that is named between at and end; NONE when none is. `at` moves behind it. */
static i32 next_register(const char **at, const char *end) {
    for (const char *p = *at; p < end;) {
        size_t n = 0;
        while (p + n < end && (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '.' || p[n] == '%')) n++;
        for (u32 r = 0; r < 64 && n; r++)
            if (strlen(reg_names[r]) == n && strncmp(reg_names[r], p, n) == 0) {
                *at = p + n;
                return (i32)r;
            }
        p += n ? n : 1;
    }
    return NONE;
}

/* One line's effect on the registers that are the same in all lanes */
static u64 after_line(const char *line, const char *end, u64 uniform, bool parted) {
    const u64 saved = 1ull | 1ull << 3 | 0xFFC0300ull; /* zero, gp, s0 to s11 outlive a call; fs do not here */
    const char *mark = memmem(line, (size_t)(end - line), "# heddle uniform ", 17), *at = line;
    if (mark) {
        at = mark + 17;
        i32 r = next_register(&at, end);
        return r == NONE ? uniform : uniform | 1ull << r;
    }
    if (*line != '\t' || line[1] == '.' || line[1] == '#') return uniform;
    const char *op = line + 1;
    size_t n = strcspn(op, " \t\n");
    at = op + n;
    if (op_is(op, n, "sw sh sb fsw")) return uniform;
    if (op_is(op, n, "call")) return uniform & saved;
    i32 to = next_register(&at, end);
    if (to == NONE) return uniform;
    bool same = !parted && strncmp(op, "amo", 3) && strncmp(op, "csr", 3) && strncmp(op, "lr.", 3) && strncmp(op, "sc.", 3);
    for (i32 r; same && (r = next_register(&at, end)) != NONE;) same = uniform >> r & 1;
    return to == 0 ? uniform : same ? uniform | 1ull << to : uniform & ~(1ull << to);
}

static u64 after_block(const struct block *b, bool parted, u64 uniform) {
    for (const char *at = b->text, *stop = b->text + b->text_b; at < stop;) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));
        const char *comment;
        if (!end) end = stop;
        comment = memchr(at, '#', (size_t)(end - at));
        bool mark = comment && memmem(at, (size_t)(end - at), "# heddle uniform ", 17);
        uniform = after_line(at, comment && !mark ? comment : end, uniform, parted);
        at = end + 1;
    }
    return uniform;
}

static void flow_uniform(struct function *f, const u64 *parted) {
    const u64 at_entry = 1 | 1ull << 3;
    for (u32 i = 0; i < f->blocks.n; i++) f->blocks.at[i].uniform = i ? ~0ull : at_entry;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->blocks.n; b++) {
            const struct block *x = &f->blocks.at[b];
            u64 out = after_block(x, has(parted, b), x->uniform);
            for (u32 i = 0; i < succs(x); i++) {
                u64 *to = &f->blocks.at[x->succ[i]].uniform, now = *to & out;
                changed = changed || now != *to;
                *to = now;
            }
        }
    }
}

static bool operands_differ(const struct block *b, bool parted) {
    u64 uniform = after_block(b, parted, b->uniform);
    const char *at = b->op + strcspn(b->op, " \t"), *end = b->op + b->op_b;
    for (i32 r; (r = next_register(&at, end)) != NONE;)
        if (!(uniform >> r & 1)) return true;
    return false;
}

/* b leaves a loop with a barrier: it decides how often that is come to, even where an outer loop comes to it
 * again from both of b's ways */
static bool leaves_barriers(struct function *f, u32 b) {
    const struct block *x = &f->blocks.at[b];
    for (u32 h = 0; h < f->blocks.n; h++) {
        if (!dominates(f, h, b)) continue;
        struct loop l = place_loop_of(f, h);
        bool leaves = l.backs && has(l.body, b) && !(has(l.body, x->succ[0]) && has(l.body, x->succ[1]));
        if (leaves && place_decides_barrier(f, l.body)) return true;
    }
    return false;
}

/* Lanes that part at b come by barriers before they surely meet. Where the barriers lie behind the place at
 * which both ways come together, b is told of up to there; otherwise b decides who comes to them, and all
 * items of a group decide alike. */
static bool parts_before_barrier(struct function *f, u32 b, u64 **region) {
    *region = place_sides(f, b);
    return !place_decides_barrier(f, *region) && !leaves_barriers(f, b);
}

/* Which branches may part lanes; what they part makes values differ, and that more branches */
void place_find_divergent(struct function *f) {
    u64 *parted = new_set(f);
    for (bool changed = true; changed;) {
        changed = false;
        flow_uniform(f, parted);
        for (u32 b = 0; b < f->blocks.n; b++) {
            struct block *x = &f->blocks.at[b];
            if (x->end != END_BRANCH || x->divergent || !operands_differ(x, has(parted, b))) continue;
            u64 *region = place_reach(f, b, place_meeting(f, b));
            x->early = place_decides_barrier(f, region);
            if (x->early && !parts_before_barrier(f, b, &region)) continue;
            x->divergent = changed = true;
            for (u32 w = 0; w < f->words; w++) parted[w] |= region[w];
        }
        for (u32 b = 0; b < f->blocks.n; b++) { /* the way out of a loop from where lanes are parted is one for some of them */
            struct block *x = &f->blocks.at[b];
            if (x->end != END_BRANCH || x->divergent || !has(parted, b)) continue;
            u64 *region = place_reach(f, b, place_meeting(f, b));
            if (!has(region, b) || place_decides_barrier(f, region)) continue;
            x->divergent = changed = true;
            for (u32 w = 0; w < f->words; w++) parted[w] |= region[w];
        }
    }
}
