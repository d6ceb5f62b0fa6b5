/* Which blocks of a launch are timed. The others are executed too, without time and with caches kept warm
 * (warm.c), at the moment at which the dispatcher would have sent the first of them; the chip goes on with
 * the next timed block as if they had never been. So a launch is one continuous simulation with blocks left
 * out, filled once at its beginning and emptied once at its end, and estimate.c adds what the others would
 * have taken.
 *
 *     head   blocks until a wave of them took as long as the wave before: the first ones find cold caches and
 *            go in step with each other
 *     middle strata of equal size; in each a stretch of three waves, at a place that a hash of its number
 *            draws: half a wave to forget the gap before, one and a half to be measured, and one that is
 *            under way when the next gap comes
 *     tail   the last two waves
 *
 * A wave is as many blocks as the chip holds. A launch of which little would be left out is timed whole,
 * and so is one whose blocks may wait for each other: left-out blocks would wait for blocks in flight,
 * whose time stands still.
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
    TAIL_WAVES = 2,
    STRETCH_WAVES = 3,
    FEW_STRETCHES = 4, /* of the middle, unless the user says which share: one for each 25 waves, within these bounds */
    MANY_STRETCHES = 16,
    WAVES_A_STRETCH = 25,
    WORTH_WAVES = 2, /* a launch is sampled when at least so much of it is left out */
};

#define STEADY 0.02 /* waves whose rates differ by less are alike */

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

void sample_plan(u64 head, u64 blocks, u32 percent, struct sampling *s) {
    u64 tail = TAIL_WAVES * s->slots, stretch = STRETCH_WAVES * s->slots, slots = s->slots;
    s->gaps.n = 0;
    if (blocks <= head + tail || (percent >= 100 && percent != SAMPLE_AUTO)) return;
    u64 middle = blocks - head - tail, n = stretches_of(middle, stretch, percent);
    if (n * stretch + WORTH_WAVES * slots > middle) return;
    u64 from = head;
    for (u64 i = 0; i <= n; i++) {
        u64 first = head + middle * i / n, room = middle * (i + 1) / n - middle * i / n - stretch;
        u64 to = i < n ? first + drawn(i, room + 1) : blocks - tail;
        if (to < from + slots) continue;
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

/* Place cycles per instruction of a wave, and the standard error of that */
static void settle_wave(struct wave *w) {
    w->rate = w->instructions > 0 ? w->cycles / w->instructions : 0;
    double rest = w->cycles2 - 2 * w->rate * w->both + w->rate * w->rate * w->instructions2;
    w->error = w->n > 1 && rest > 0 ? sqrt(rest / (w->n - 1) / w->n) / (w->instructions / w->n) : 0;
}

static bool alike(const struct wave *a, const struct wave *b) {
    double noise = 2 * sqrt(a->error * a->error + b->error * b->error);
    return fabs(a->rate - b->rate) <= fmax(noise, STEADY * a->rate);
}

/* A block of the head has ended; the head ends when the waves are alike */
static void head_ended(struct run *r, double cycles, double instructions) {
    struct sampling *s = &r->sampling;
    struct wave *w = &s->now;
    w->cycles += cycles, w->cycles2 += cycles * cycles;
    w->instructions += instructions, w->instructions2 += instructions * instructions;
    w->both += cycles * instructions;
    if (++w->n < s->slots) return;
    settle_wave(w);
    if (++s->waves >= HEAD_WAVES && alike(&s->last, w)) {
        s->in_head = false;
        sample_plan(r->next_cta, r->l->ctas, r->g->lim.sample, s);
    }
    s->last = *w;
    *w = (struct wave){0};
}

/* --- gaps */

bool sample_gap(struct run *r) {
    struct sampling *s = &r->sampling;
    if (s->at == s->gaps.n || s->gaps.at[s->at].first != r->next_cta) return true;
    struct gap *g = &s->gaps.at[s->at++];
    u64 before = r->l->instructions;
    bool ok = warm_gap(r->g, r->l, g->first, g->end);
    g->instructions = r->l->instructions - before;
    r->next_cta = g->end;
    return ok;
}

void sample_ended(struct run *r, const struct cta_done *d) {
    struct timed_block x = {.linear = d->linear, .begin_cy = d->begin_cy, .end_cy = d->cycle, .instructions = d->instructions};
    VEC_PUSH(&r->sampling.blocks, x);
    if (r->sampling.in_head) head_ended(r, (double)(d->cycle - d->begin_cy + r->g->cfg.cta_launch_cy), (double)d->instructions);
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
    free_copy(&c);
    return first;
}
