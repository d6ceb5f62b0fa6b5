/* regalloc: virtual registers to 32-bit registers and predicates.
 *
 * Liveness is found one virtual register at a time, walking backwards from the blocks that read it; only
 * blocks where it is live are visited, so memory is that of the live ranges and never blocks times registers.
 * The ranges keep their holes. A linear scan (Poletto and Sarkar 1999, with the holes of Wimmer and
 * Moessenboeck 2005 but without splitting) then gives each virtual register, in order of first definition,
 * the lowest register that is free in all of its segments.
 *
 * Does not spill, split, coalesce copies or know the machine's register limit: the count it arrives at is a
 * property of the program.
 *
 * Time is counted in points: an instruction i reads at one point and writes at the next. The function's
 * entry, where register parameters are written, lies before instruction 0; its exit, where results are read,
 * is the reading point of instruction ninsts.
 *
 * Invariants:
 * 1. The segments of a virtual register are in rising order, do not overlap and do not touch.
 * 2. Two virtual registers that share a physical register have no point in common.
 * 3. A virtual register occupies its block's points from definition or block start to last read or block end;
 *    a write nobody reads occupies its writing point. One read before any write is live from the entry on.
 * 4. A guarded write neither starts nor ends a live range: the lanes it skips keep the old value.
 * 5. A source occupies the writing point of its instruction too unless the instruction has one destination
 *    that is of the source's size. As values are aligned to their size, a destination then equals a source's
 *    place or is apart from it, and an instruction of several destinations touches none of its sources. */
#include <stdlib.h>
#include <string.h>

#include "ptx/flow.h"

#define POINT_ENTRY    1u
#define POINT_READ(i)  (2u * (u32)(i) + 2u)
#define POINT_WRITE(i) (2u * (u32)(i) + 3u)

struct seg {
    u32 start, end; /* points; end is the first one not occupied */
};
typedef VEC(struct seg) seg_vec;

/* Where one virtual register is touched, in text order */
enum { TOUCH_READ = 1, TOUCH_WRITE = 2, TOUCH_KILL = 4, TOUCH_READ_HELD = 8 /* invariant 5 */ };
struct touch {
    u32 inst;
    u32 flags;
};

/* What is known of one virtual register in one block while its segments are made; all zero between
 * registers */
enum { LIVE_IN = 1, LIVE_OUT = 2, KILLED = 4 };

struct liveness {
    const struct flow *f;
    struct flow_graph g;
    u32 *touch_at; /* nvregs + 1: touches of v are touch[touch_at[v]] up to touch_end[v] */
    u32 *touch_end;
    struct touch *touch;
    u8 *is_param;         /* by virtual register: written at entry */
    u8 *block;            /* flags of the register at hand, by block, exit included */
    u64 *in_use;          /* bit per block with flags or touches */
    u32 word_lo, word_hi; /* words of in_use that may hold bits */
    u32 *stack;           /* blocks whose predecessors are still to be told */
    u32 nstack;
    seg_vec segs;  /* of all virtual registers, one after the other */
    u32 *seg_at;   /* nvregs + 1 */
    u8 *dead;      /* by instruction: writes a value that is never read */
    i32 *pressure; /* by point: rows that become live minus rows that die */
    u32 npoints;
};

/* --- where registers are touched */

static void add_touch(struct liveness *l, i32 v, u32 inst, u32 flags) {
    u32 end = l->touch_end[v];
    if (end > l->touch_at[v] && l->touch[end - 1].inst == inst) l->touch[end - 1].flags |= flags;
    else l->touch[l->touch_end[v]++] = (struct touch){inst, flags};
}

static bool read_is_held(const struct flow *f, const struct flow_inst *in, i32 v) {
    if (in->nwrite != 1) return in->nwrite > 1;
    u8 rows = f->vreg_rows[v], wrows = f->vreg_rows[in->write[0]];
    return rows != wrows && rows != 0 && wrows != 0;
}

static void count_touches(struct liveness *l) {
    const struct flow *f = l->f;
    for (u32 i = 0; i < f->ninsts; i++) {
        const struct flow_inst *in = &f->inst[i];
        for (u32 k = 0; k < (u32)in->nread + in->nwrite; k++) {
            i32 v = k < in->nread ? in->read[k] : in->write[k - in->nread];
            CHECK(v >= 0 && (u32)v < f->nvregs);
            l->touch_at[v + 1]++;
        }
    }
    for (u32 v = 0; v < f->nvregs; v++) l->touch_at[v + 1] += l->touch_at[v];
}

static void collect_touches(struct liveness *l, struct arena *scratch) {
    const struct flow *f = l->f;
    l->touch_at = ARENA_ARRAY(scratch, u32, f->nvregs + 1);
    l->touch_end = ARENA_ARRAY(scratch, u32, f->nvregs + 1);
    count_touches(l);
    memcpy(l->touch_end, l->touch_at, sizeof(u32) * f->nvregs);
    l->touch = ARENA_ARRAY(scratch, struct touch, l->touch_at[f->nvregs]);
    for (u32 i = 0; i < f->ninsts; i++) {
        const struct flow_inst *in = &f->inst[i];
        for (u32 k = 0; k < in->nread; k++)
            add_touch(l, in->read[k], i, read_is_held(f, in, in->read[k]) ? TOUCH_READ | TOUCH_READ_HELD : TOUCH_READ);
        for (u32 k = 0; k < in->nwrite; k++) add_touch(l, in->write[k], i, in->guarded ? TOUCH_WRITE : TOUCH_WRITE | TOUCH_KILL);
    }
}

/* --- where one register is live */

static void use_block(struct liveness *l, u32 b) {
    u32 word = b / 64;
    l->in_use[word] |= 1ull << (b % 64);
    l->word_lo = MIN(l->word_lo, word);
    l->word_hi = MAX(l->word_hi, word);
}

static void set_live_in(struct liveness *l, u32 b) {
    if (l->block[b] & LIVE_IN) return;
    l->block[b] |= LIVE_IN;
    use_block(l, b);
    l->stack[l->nstack++] = b;
}

/* Which blocks kill v, and which read what they did not write. A block is only entered into the stack here:
 * its predecessors are told once all kills are known. */
static void scan_touches(struct liveness *l, u32 v) {
    for (u32 t = l->touch_at[v]; t < l->touch_end[v]; t++) {
        struct touch touch = l->touch[t];
        u32 b = l->g.block_of[touch.inst];
        use_block(l, b);
        if (touch.flags & TOUCH_READ && !(l->block[b] & KILLED)) set_live_in(l, b);
        if (touch.flags & TOUCH_KILL) l->block[b] |= KILLED;
    }
}

static void spread_live(struct liveness *l) {
    const struct flow_adjacency *pred = &l->g.pred;
    while (l->nstack > 0) {
        u32 b = l->stack[--l->nstack];
        for (u32 e = pred->at[b]; e < pred->at[b + 1]; e++) {
            u32 p = pred->to[e];
            l->block[p] |= LIVE_OUT;
            use_block(l, p);
            if (!(l->block[p] & KILLED)) set_live_in(l, p);
        }
    }
}

/* --- its segments, made from the last to the first */

/* `live_end` leaves out what invariant 5 adds: max_live is about values, not about how we place them */
static void add_seg(struct liveness *l, u32 v, u32 start, u32 live_end, u32 end) {
    i32 rows = l->f->vreg_rows[v];
    l->pressure[start] += rows;
    l->pressure[live_end] -= rows;
    struct seg *later = l->segs.n > l->seg_at[v] ? &l->segs.at[l->segs.n - 1] : NULL;
    if (later && end >= later->start) {
        later->start = start;
        later->end = MAX(later->end, end);
        return;
    }
    struct seg s = {start, end};
    VEC_PUSH(&l->segs, s);
}

/* Segments of v in block b; *t is one past v's last touch in it, and is left at its first */
static void add_block_segs(struct liveness *l, u32 v, u32 b, u32 *t) {
    u32 first = l->g.first[b];
    bool live = l->block[b] & LIVE_OUT;
    u32 live_end = POINT_READ(l->g.first[b + 1]), end = live_end;
    if (b == l->g.nblocks) /* the exit has no touches: its only reader is the caller */
        live = true, live_end = end = POINT_READ(first) + 1;
    for (; *t > l->touch_at[v] && l->touch[*t - 1].inst >= first; --*t) {
        struct touch touch = l->touch[*t - 1];
        u32 write = POINT_WRITE(touch.inst);
        if (touch.flags & TOUCH_WRITE && !live) {
            add_seg(l, v, write, write + 1, write + 1);
            l->dead[touch.inst] = 1;
        }
        if (touch.flags & TOUCH_KILL && live) {
            add_seg(l, v, write, live_end, end);
            live = false;
        }
        if (touch.flags & TOUCH_READ && !live) {
            live = true;
            live_end = write;
            end = touch.flags & TOUCH_READ_HELD ? write + 1 : write;
        }
    }
    if (live) add_seg(l, v, b == 0 ? POINT_ENTRY : POINT_READ(first), live_end, end);
    CHECK(live == !!(l->block[b] & LIVE_IN));
}

static void reverse_segs(struct seg *s, u32 n) {
    for (u32 i = 0; i < n / 2; i++) {
        struct seg swap = s[i];
        s[i] = s[n - 1 - i];
        s[n - 1 - i] = swap;
    }
}

static void make_segs(struct liveness *l, u32 v) {
    u32 t = l->touch_end[v];
    bool lives_at_start = l->block[0] & LIVE_IN;
    for (u32 word = l->word_hi + 1; word-- > l->word_lo;) {
        while (l->in_use[word]) {
            u32 bit = 63u - (u32)__builtin_clzll(l->in_use[word]), b = word * 64 + bit;
            add_block_segs(l, v, b, &t);
            l->block[b] = 0;
            l->in_use[word] &= ~(1ull << bit);
        }
    }
    if (l->is_param[v] && !lives_at_start) add_seg(l, v, POINT_ENTRY, POINT_ENTRY + 1, POINT_ENTRY + 1);
    if (l->segs.n > l->seg_at[v]) reverse_segs(&l->segs.at[l->seg_at[v]], l->segs.n - l->seg_at[v]);
}

static void liveness_alloc(struct liveness *l, const struct flow *f, struct arena *scratch) {
    CHECK(f->ninsts < UINT32_MAX / 4);
    l->f = f;
    l->g = flow_graph_build(f, scratch);
    l->npoints = POINT_WRITE(f->ninsts) + 1;
    u32 n = l->g.nblocks + 1;
    l->block = ARENA_ARRAY(scratch, u8, n);
    l->dead = ARENA_ARRAY(scratch, u8, f->ninsts + 1);
    l->in_use = ARENA_ARRAY(scratch, u64, n / 64 + 1);
    l->stack = ARENA_ARRAY(scratch, u32, n);
    l->seg_at = ARENA_ARRAY(scratch, u32, f->nvregs + 1);
    l->pressure = ARENA_ARRAY(scratch, i32, l->npoints + 1);
}

static u8 *vreg_set(const struct flow *f, const i32 *list, u32 n, struct arena *scratch) {
    u8 *set = ARENA_ARRAY(scratch, u8, f->nvregs);
    for (u32 k = 0; k < n; k++) {
        CHECK(list[k] >= 0 && (u32)list[k] < f->nvregs);
        set[list[k]] = 1;
    }
    return set;
}

static void find_live(struct liveness *l, u32 v, bool is_result) {
    l->word_lo = UINT32_MAX - 1; /* empty: no word lies between lo and hi */
    l->word_hi = 0;
    scan_touches(l, v);
    if (is_result) set_live_in(l, l->g.nblocks);
    spread_live(l);
}

static void liveness_solve(struct liveness *l, const u8 *is_result) {
    for (u32 v = 0; v < l->f->nvregs; v++) {
        l->seg_at[v] = l->segs.n;
        find_live(l, v, is_result[v]);
        make_segs(l, v);
    }
    l->seg_at[l->f->nvregs] = l->segs.n;
}

/* --- what is live where blocks meet */

typedef VEC(struct flow_edge) block_reg_vec; /* from: a block; to: a register live at its end */

static void note_blocks(struct liveness *l, u32 v, u32 *rows_in, block_reg_vec *out) {
    u32 t = l->touch_at[v];
    for (u32 word = l->word_lo; word <= l->word_hi && word <= l->g.nblocks / 64; word++) {
        for (; l->in_use[word]; l->in_use[word] &= l->in_use[word] - 1) {
            u32 b = word * 64 + (u32)__builtin_ctzll(l->in_use[word]);
            while (t < l->touch_end[v] && l->touch[t].inst < l->g.first[b]) t++;
            bool touched = b < l->g.nblocks && t < l->touch_end[v] && l->touch[t].inst < l->g.first[b + 1];
            struct flow_edge e = {b, v};
            if (touched && l->block[b] & LIVE_OUT) VEC_PUSH(out, e);
            if (l->block[b] & LIVE_IN) rows_in[b] += l->f->vreg_rows[v];
            l->block[b] = 0;
        }
    }
}

struct flow_live flow_live_build(const struct flow *f, const i32 *live_out, u32 nlive_out, struct arena *scratch) {
    struct liveness l = {0};
    block_reg_vec out = {0};
    liveness_alloc(&l, f, scratch);
    u8 *is_result = vreg_set(f, live_out, nlive_out, scratch);
    collect_touches(&l, scratch);
    u32 n = l.g.nblocks;
    struct flow_live live = {.g = l.g, .rows_in = ARENA_ARRAY(scratch, u32, n + 1), .out_at = ARENA_ARRAY(scratch, u32, n + 2)};
    for (u32 v = 0; v < f->nvregs; v++) {
        find_live(&l, v, is_result[v]);
        note_blocks(&l, v, live.rows_in, &out);
    }
    for (u32 i = 0; i < out.n; i++) live.out_at[out.at[i].from + 1]++;
    for (u32 b = 0; b <= n; b++) live.out_at[b + 1] += live.out_at[b];
    live.out = ARENA_ARRAY(scratch, i32, out.n + 1);
    for (u32 i = out.n; i-- > 0;) live.out[--live.out_at[out.at[i].from + 1]] = (i32)out.at[i].to;
    live.out_at++; /* filling backwards has moved each end to its block's start */
    free(out.at);
    return live;
}

static u32 max_pressure(const struct liveness *l) {
    i32 now = 0, most = 0;
    for (u32 p = 0; p <= l->npoints; p++) {
        now += l->pressure[p];
        most = MAX(most, now);
    }
    CHECK(now == 0);
    return (u32)most;
}

/* --- the scan */

/* For each register, pair or quad (aligned groups of 1, 2 or 4) the point up to which it is surely occupied,
 * in a tree of minima: the next group that may be free is found in logarithmic time however many are live. */
struct busy_tree {
    u32 *at; /* [1, 2 * size): node i is the least of 2i and 2i + 1; the leaf of group g is size + g */
};

/* One physical register file. The scan never goes back in time, which two fields live on: what lies before
 * `passed` cannot matter again, and a register found occupied is not looked at before the point its leaf
 * says. */
struct reg_file {
    u32 n, cap;     /* cap: a power of two, the leaves of each tree; those past the end are free */
    seg_vec *taken; /* by register: occupied segments in rising order */
    u32 *passed;    /* by register: segments that ended before the scan's point */
    struct busy_tree busy[3];
};

static void busy_set(struct reg_file *file, u32 r, u32 until) {
    for (u32 k = 0; k < ARRAY_LEN(file->busy); k++) {
        u32 *at = file->busy[k].at, i = file->cap + (r >> k);
        const u32 *parts = k ? file->busy[k - 1].at + file->cap + (r >> k << 1) : NULL;
        at[i] = parts ? MAX(parts[0], parts[1]) : until;
        for (i /= 2; i > 0; i /= 2) at[i] = MIN(at[2 * i], at[2 * i + 1]);
    }
}

/* The first group of 2^k registers, from `from` on, that is not surely occupied at `now`; cap when there is
 * none */
static u32 busy_next(const struct reg_file *file, u32 k, u32 from, u32 now) {
    const u32 *at = file->busy[k].at;
    if (from >= file->cap) return file->cap;
    u32 i = file->cap + from;
    while (at[i] > now) {
        while (i & 1) i /= 2; /* a right child: all below its parent has been looked at */
        if (i == 0) return file->cap;
        i++;
    }
    while (i < file->cap) i = at[2 * i] <= now ? 2 * i : 2 * i + 1;
    return i - file->cap;
}

static void file_grow(struct reg_file *file, u32 n) {
    u32 old = file->cap, *until = file->busy[0].at;
    file->n = MAX(file->n, n);
    if (n <= old) return;
    while (file->cap < n) file->cap = file->cap ? file->cap * 2 : 64;
    file->taken = base_realloc(file->taken, sizeof(*file->taken) * file->cap);
    file->passed = base_realloc(file->passed, sizeof(u32) * file->cap);
    memset(file->taken + old, 0, sizeof(*file->taken) * (file->cap - old));
    memset(file->passed + old, 0, sizeof(u32) * (file->cap - old));
    for (u32 k = 1; k < ARRAY_LEN(file->busy); k++) free(file->busy[k].at);
    for (u32 k = 0; k < ARRAY_LEN(file->busy); k++) file->busy[k].at = base_alloc(sizeof(u32) * 2 * file->cap);
    for (u32 r = 0; r < old; r++) busy_set(file, r, until[old + r]);
    free(until);
}

static void file_free(struct reg_file *file) {
    for (u32 r = 0; r < file->cap; r++) free(file->taken[r].at);
    free(file->taken);
    free(file->passed);
    for (u32 k = 0; k < ARRAY_LEN(file->busy); k++) free(file->busy[k].at);
}

static bool reg_is_free(struct reg_file *file, u32 r, const struct seg *s, u32 nsegs) {
    u32 now = s[0].start;
    if (r >= file->n) return true;
    const seg_vec *taken = &file->taken[r];
    while (file->passed[r] < taken->n && taken->at[file->passed[r]].end <= now) file->passed[r]++;
    for (u32 i = file->passed[r], j = 0; i < taken->n && j < nsegs;) {
        if (taken->at[i].end <= s[j].start) {
            i++;
        } else if (s[j].end <= taken->at[i].start) {
            j++;
        } else {
            if (taken->at[i].start <= now) busy_set(file, r, taken->at[i].end);
            return false;
        }
    }
    return true;
}

/* Merges from the back, so that only what comes after the new segments moves */
static void reg_take(struct reg_file *file, u32 r, const struct seg *s, u32 nsegs) {
    seg_vec *taken = &file->taken[r];
    u32 i = taken->n, j = nsegs, k = taken->n + nsegs;
    if (k > taken->cap) {
        taken->cap = MAX(k, taken->cap * 2);
        taken->at = base_realloc(taken->at, sizeof(*s) * taken->cap);
    }
    taken->n = k;
    while (j > 0) taken->at[--k] = i > 0 && taken->at[i - 1].start > s[j - 1].start ? taken->at[--i] : s[--j];
    busy_set(file, r, s[0].end);
}

static bool group_is_free(struct reg_file *file, u32 base, u32 rows, const struct seg *s, u32 nsegs) {
    for (u32 r = base; r < base + rows; r++)
        if (!reg_is_free(file, r, s, nsegs)) return false;
    return true;
}

/* The lowest place for `rows` registers, aligned to their number */
static u32 file_place(struct reg_file *file, const struct seg *s, u32 nsegs, u32 rows) {
    u32 k = rows == 4 ? 2 : rows == 2 ? 1 : 0, now = s[0].start, group = 0;
    if (file->cap) group = busy_next(file, k, 0, now);
    while (!group_is_free(file, group << k, rows, s, nsegs)) /* ends: registers past the file's end are free */
        group = busy_next(file, k, group + 1, now);
    u32 base = group << k;
    file_grow(file, base + rows);
    for (u32 r = base; r < base + rows; r++) reg_take(file, r, s, nsegs);
    return base;
}

/* Virtual registers with segments: register parameters as listed, then by start, ties by number */
static u32 scan_order(const struct liveness *l, const i32 *live_in, u32 nlive_in, u32 *order, struct arena *scratch) {
    u32 n = 0, nvregs = l->f->nvregs;
    u8 *listed = ARENA_ARRAY(scratch, u8, nvregs);
    for (u32 k = 0; k < nlive_in; k++) {
        if (!listed[live_in[k]]) order[n++] = (u32)live_in[k];
        listed[live_in[k]] = 1;
    }
    u32 *bucket = ARENA_ARRAY(scratch, u32, l->npoints + 1), *next = ARENA_ARRAY(scratch, u32, nvregs); /* links are v + 1 */
    for (u32 v = nvregs; v-- > 0;) {
        if (listed[v] || l->seg_at[v] == l->seg_at[v + 1]) continue;
        u32 start = l->segs.at[l->seg_at[v]].start;
        next[v] = bucket[start];
        bucket[start] = v + 1;
    }
    for (u32 p = 0; p < l->npoints; p++)
        for (u32 link = bucket[p]; link; link = next[link - 1]) order[n++] = link - 1;
    return n;
}

struct regalloc_result regalloc(const struct flow *f, const i32 *live_in, u32 nlive_in, const i32 *live_out, u32 nlive_out,
                                i32 *phys, struct arena *scratch) {
    struct liveness l = {0};
    liveness_alloc(&l, f, scratch);
    l.is_param = vreg_set(f, live_in, nlive_in, scratch);
    collect_touches(&l, scratch);
    liveness_solve(&l, vreg_set(f, live_out, nlive_out, scratch));

    struct reg_file regs = {0}, preds = {0};
    u32 *order = ARENA_ARRAY(scratch, u32, f->nvregs);
    u32 n = scan_order(&l, live_in, nlive_in, order, scratch);
    for (u32 v = 0; v < f->nvregs; v++) phys[v] = NONE;
    for (u32 k = 0; k < n; k++) {
        u32 v = order[k], rows = f->vreg_rows[v];
        CHECK(rows == 0 || rows == 1 || rows == 2 || rows == 4);
        phys[v] = (i32)file_place(rows ? &regs : &preds, &l.segs.at[l.seg_at[v]], l.seg_at[v + 1] - l.seg_at[v], rows ? rows : 1);
    }
    struct regalloc_result result = {regs.n, preds.n, max_pressure(&l), l.dead};
    file_free(&regs);
    file_free(&preds);
    free(l.segs.at);
    return result;
}
