/* Which blocks of a launch are timed. The others are executed too, without time and with caches kept warm
 * (warm.c), at the moment at which the dispatcher would have sent the first of them; the chip goes on with
 * the next timed block as if they had never been. So a launch is one continuous simulation with blocks left
 * out, filled once at its beginning and emptied once at its end, and estimate.c adds what the others would
 * have taken.
 *
 *     head   blocks until they have replaced the lines of the L2 and a wave took as long as the wave before:
 *            the first ones find cold caches, or another launch's lines, and go in step with each other
 *     middle strata of equal size; in each a stretch, at a place that a hash of its number draws: half a wave
 *            and more to forget the gap before, one and a half to be measured, and one that is under way when
 *            the next gap comes
 *     tail   as a stretch, without the wave under way: two waves and more
 *
 * A wave is as many blocks as the chip holds. Half a wave forgets the gap when blocks use the DRAM little, or
 * much more than the L2 holds. Else it takes until the L2 is replaced: the blocks under way at a gap find
 * their lines gone and bring them again, behind the gap's lines, so that until then another line of a set is
 * the oldest than would have been. The DRAM notices: a victim that is written back lies in the bank of the
 * line that replaces it or in another, by how many lines of the set came between. So lines are told old from
 * new by their time of use (partition_mark); they count as replaced when one in ten is left, or when fewer
 * than one in 32 leave in half a wave, which is little use of the DRAM, or none. How long the head took is
 * what stretches are planned with. A gap is put off, wave by wave, while the lines before it are not replaced
 * or the two halves of what would be measured are not alike; it is dropped when too little is left of it.
 *
 * A launch of which little would be left out is timed whole, and so is one whose blocks may wait for each
 * other: left-out blocks would wait for blocks in flight, whose time stands still.
 *
 * --max-warp-instructions: the first blocks of the launches, in order, until their instructions reach the
 * limit; which these are is found by executing the launch once on a copy of memory, so that it is the same
 * for every machine. The rest runs without time.
 *
 * Invariants: G1 gaps are in order and do not touch; G2 none begins before the head ends; G3 what is timed
 * does not depend on host threads or windows: gaps are run at multiples of Q only; G4 gaps are whole waves,
 * so that the last wave is as full as it would have been. */
#include "gpu/chip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD_WAVES = 3, /* at least */
    TAIL_WAVES = 2, /* at least, as are the next */
    STRETCH_WAVES = 3,
    FEW_STRETCHES = 4, /* of the middle, unless the user says which share: one for each 25 waves, within these bounds */
    MANY_STRETCHES = 16,
    WAVES_A_STRETCH = 25,
    WORTH_WAVES = 2, /* a launch is sampled when at least so much of it is left out */
};

#define STEADY 0.02    /* waves whose rates differ by less are alike */
#define GONE   0.1     /* old lines of the L2, as a share of all, that are too few to matter */
#define HARDLY 0.03125 /* and the share that leaves in half a wave, where they do not go */

/* --- the plan */

static u64 drawn(u64 stretch, u64 range) { /* 0 .. range - 1 */
    u64 x = (stretch + 1) * 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return range ? (x ^ (x >> 31)) % range : 0;
}

static u64 stretches_of(u64 middle, u64 stretch, u32 percent) {
    if (percent == SAMPLE_AUTO) {
        u64 n = middle * STRETCH_WAVES / stretch / WAVES_A_STRETCH;
        n = MIN(MAX(n, (u64)FEW_STRETCHES), (u64)MANY_STRETCHES);
        return MIN(n, MAX(2 * middle / (3 * stretch), (u64)1)); /* two thirds of it at most */
    }
    return MAX((middle * percent + 50 * stretch) / (100 * stretch), (u64)1);
}

/* Blocks: the L2 is replaced, which takes half a wave at least, then a wave and a half is measured, and one
 * is under way */
static u64 stretch_of(const struct sampling *s) { return STRETCH_WAVES * s->slots + (MAX(s->turn, 1u) - 1) * s->slots / 2; }

/* Blocks: a gap costs the stretch that follows it, and is not made where it would save less than about half
 * of that */
static u64 least_gap(const struct sampling *s) { return MAX(stretch_of(s) / (2 * s->slots), (u64)1) * s->slots; }

void sample_plan(u64 head, u64 blocks, u32 percent, struct sampling *s) {
    u64 slots = s->slots, stretch = stretch_of(s), tail = stretch - slots;
    s->gaps.n = 0;
    if (blocks <= head + tail || (percent >= 100 && percent != SAMPLE_AUTO)) return;
    u64 middle = blocks - head - tail, n = stretches_of(middle, stretch, percent);
    if (n * stretch + WORTH_WAVES * slots > middle) return;
    u64 from = head;
    for (u64 i = 0; i <= n; i++) {
        u64 first = head + middle * i / n, room = middle * (i + 1) / n - middle * i / n - stretch;
        u64 to = i < n ? first + drawn(i, room + 1) : blocks - tail;
        if (to < from + least_gap(s)) continue;
        struct gap g = {.first = from, .end = from + (to - from) / slots * slots}; /* G4 */
        VEC_PUSH(&s->gaps, g);
        from = g.end + stretch;
    }
}

/* --- limits that choose what is timed: a limit on work, and a sample, each stand alone */

bool gpu_limits_clash(const struct gpu_limits *l, struct gpu_bound *a, struct gpu_bound *b) {
    const struct {
        struct gpu_bound name;
        bool set;
    } bounds[] = {
        {{"max-warp-instructions", "max_warp_instructions"}, l->max_warp_instructions != 0},
        {{"sample", "sample"}, l->sample != 0},
        {{"max-cycles", "max_cycles"}, l->max_cy != 0},
        {{"warmup", "warmup_cycles"}, l->warmup_cy != 0},
        {{"fast-forward-ctas", "fast_forward_ctas"}, l->fast_forward_ctas != 0},
        {{"exit-cycles", "exit_cycle"}, l->exit},
        {{"stop-after-trace", "end_cycle"}, l->end_cy != 0},
    };
    enum { ALONE = 2 }; /* the first ones go with no other */
    for (u32 i = 0; i < ALONE; i++)
        for (u32 k = i + 1; k < ARRAY_LEN(bounds) && bounds[i].set; k++) {
            if (!bounds[k].set) continue;
            *a = bounds[i].name;
            *b = bounds[k].name;
            return true;
        }
    return false;
}

/* --- launches that can be sampled */

static bool polls(const struct kernel *k, u32 pc) {
    if (!(k->code[pc].flags & INST_SYNC_POLL)) return false;
    for (u32 q = pc; q < k->ninst; q++)
        if (k->code[q].flags & INST_CONTROL && (!(k->code[q].flags & INST_JUMP) || k->code[q].target <= (i32)pc)) return true;
    return false;
}

bool blocks_may_wait(const struct kernel *k) {
    if (k->meets_grid || k->first_warps) return true;
    for (u32 pc = 0; pc < k->ninst; pc++)
        if (polls(k, pc)) return true;
    return false;
}

bool sample_possible(u64 blocks, u64 slots) { return blocks >= (HEAD_WAVES + STRETCH_WAVES + WORTH_WAVES + TAIL_WAVES) * slots; }

/* --- the head */

static void add_to_wave(struct wave *w, double cycles, double instructions) {
    w->cycles += cycles, w->cycles2 += cycles * cycles;
    w->instructions += instructions, w->instructions2 += instructions * instructions;
    w->both += cycles * instructions;
    w->n++;
}

/* Place cycles per instruction of a wave, and the standard error of that */
static void settle_wave(struct wave *w) {
    w->rate = w->instructions > 0 ? w->cycles / w->instructions : 0;
    double rest = w->cycles2 - 2 * w->rate * w->both + w->rate * w->rate * w->instructions2;
    double n = (double)w->n;
    w->error = w->n > 1 && rest > 0 ? sqrt(rest / (n - 1) / n) / (w->instructions / n) : 0;
}

static bool alike(const struct wave *a, const struct wave *b) {
    double noise = 2 * sqrt(a->error * a->error + b->error * b->error);
    return fabs(a->rate - b->rate) <= fmax(noise, STEADY * a->rate);
}

/* --- the L2's lines */

static void turnover_begin(struct run *r) {
    struct gpu *g = r->g;
    r->sampling.turnover = (struct turnover){0};
    for (u32 k = 0; k < g->cfg.partitions; k++) {
        partition_mark(g->parts[k]);
        r->sampling.turnover.old += partition_lines(g->parts[k]);
    }
}

/* A block has ended; the lines are looked at after each half wave */
static void turnover_ended(struct run *r) {
    struct gpu *g = r->g;
    struct turnover *t = &r->sampling.turnover;
    u64 half = MAX(r->sampling.slots / 2, (u64)1);
    if (++t->ended % half || t->over) return;
    u64 old = 0, all = 0;
    for (u32 k = 0; k < g->cfg.partitions; k++) old += partition_old_lines(g->parts[k]), all += partition_lines(g->parts[k]);
    bool gone = (double)old <= GONE * (double)all;
    t->over = gone || (double)(t->old - MIN(old, t->old)) < HARDLY * (double)all;
    t->old = old;
    if (gone) t->since = r->next_cta;
    if (gone && r->sampling.in_head) r->sampling.turn = (u32)(t->ended / half);
}

/* A block of the head has ended; the head ends when the waves are alike */
static void head_ended(struct run *r, double cycles, double instructions) {
    struct sampling *s = &r->sampling;
    struct wave *w = &s->now;
    add_to_wave(w, cycles, instructions);
    if (w->n < s->slots) return;
    settle_wave(w);
    bool replaced = s->turnover.over && r->next_cta >= s->turnover.since + HEAD_WAVES * s->slots;
    if (++s->waves >= HEAD_WAVES && alike(&s->last, w) && replaced) {
        s->in_head = false;
        sample_plan(r->next_cta, r->l->ctas, r->g->lim.sample, s);
    }
    s->last = *w;
    *w = (struct wave){0};
}

/* --- gaps */

u64 launch_work(const struct gpu *g, struct launch *l) {
    u64 lanes = 0;
    if (core_runs_as_untimed(g->cores[0])) return l->instructions;
    pc_count_settle(l->counts, l->runs, l->k->ninst);
    for (u32 pc = 0; pc < l->k->ninst; pc++) lanes += l->counts[pc].lanes;
    return lanes;
}

static double place_cycles(const struct run *r, const struct timed_block *x) {
    return (double)(x->end_cy - x->begin_cy + r->g->cfg.cta_launch_cy);
}

/* Whether the stretch that has reached this block is as the middle of the launch: the lines that the gap left
 * in the L2 have gone, and of what estimate.c would measure of it the first and the second half are alike */
static bool settled(const struct run *r, u64 block) {
    const struct sampling *s = &r->sampling;
    u64 middle = block - 7 * s->slots / 4, first = block - 5 * s->slots / 2;
    struct wave half[2] = {0};
    for (u32 i = s->blocks.n; i-- && s->blocks.n - i <= 4 * s->slots;) {
        const struct timed_block *x = &s->blocks.at[i];
        if (x->linear < first || x->linear + s->slots >= block) continue;
        add_to_wave(&half[x->linear >= middle], place_cycles(r, x), (double)x->instructions);
    }
    settle_wave(&half[0]);
    settle_wave(&half[1]);
    return s->turnover.over && first + s->slots / 4 >= s->turnover.since && alike(&half[0], &half[1]);
}

/* The next gap begins a wave later, or not at all when nothing is left of it */
static void put_off(struct sampling *s) {
    struct gap *g = &s->gaps.at[s->at];
    g->first += s->slots;
    if (g->first + least_gap(s) <= g->end) return;
    memmove(g, g + 1, (--s->gaps.n - s->at) * sizeof(*g));
}

void sample_begin(struct run *r) { turnover_begin(r); }

bool sample_gap(struct run *r) {
    struct sampling *s = &r->sampling;
    if (s->at == s->gaps.n || s->gaps.at[s->at].first != r->next_cta) return true;
    if (s->at && !settled(r, r->next_cta)) { /* the first follows the head, which has settled */
        put_off(s);
        return true;
    }
    struct gap *g = &s->gaps.at[s->at++];
    u64 instructions = r->l->instructions, work = launch_work(r->g, r->l);
    bool ok = warm_gap(r->g, r->l, g->first, g->end);
    g->instructions = r->l->instructions - instructions;
    g->work = launch_work(r->g, r->l) - work;
    r->next_cta = g->end;
    turnover_begin(r);
    return ok;
}

void sample_ended(struct run *r, const struct cta_done *d) {
    struct timed_block x = {.linear = d->linear, .begin_cy = d->begin_cy, .end_cy = d->cycle, .instructions = d->instructions};
    VEC_PUSH(&r->sampling.blocks, x);
    if (r->sampling.in_head || r->sampling.at < r->sampling.gaps.n) turnover_ended(r);
    if (r->sampling.in_head) head_ended(r, place_cycles(r, &x), (double)d->instructions);
}

/* --- a limit on work */

/* The launch with counts of its own, which says nothing */
static struct launch silent_copy(const struct launch *l) {
    struct launch c = *l;
    c.hints = base_alloc(sizeof(u32) * l->k->ninst);
    c.counts = base_alloc(sizeof(struct pc_count) * l->k->ninst);
    c.runs = base_alloc(sizeof(struct pc_count) * (l->k->ninst + 1u));
    c.tick = NULL;
    c.trace = NULL;
    c.fault = (struct strbuf){0};
    return c;
}

static void free_copy(struct launch *c) {
    free(c->hints);
    free(c->counts);
    free(c->runs);
    strbuf_free(&c->fault);
}

struct share_of_launch sample_blocks_within(struct launch *l, u64 instructions, bool divisible) {
    struct launch c = silent_copy(l);
    struct memory_copy *was = memory_copy(l->mem);
    u64 n = 0, before = c.instructions, step = divisible ? 1 : l->ctas;
    while (n < l->ctas && c.instructions - before < instructions && launch_run_part(&c, n, n + step, NULL, 0)) n += step;
    struct share_of_launch first = {.blocks = c.faulted ? l->ctas : n, /* a fault is met again, with time */
                                    .instructions = c.instructions - before};
    memory_put_back(l->mem, was);
    if (l->k->text) l->k->text->read((struct kernel *)(uintptr_t)l->k, l->mem);
    free_copy(&c);
    return first;
}
