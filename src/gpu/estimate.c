/* What a launch would have taken had all its blocks been timed.
 *
 * An SM's place for a block is taken by one block after the other. The time that blocks took their places
 * (from the start of one to the start of its successor), summed over all blocks and divided by the number
 * of places on the chip, is the time of the launch but for its beginning and its end, which are always
 * timed. So blocks that are not timed add
 *
 *     (a x blocks + b x their instructions) x rate of timed blocks near them / places
 *
 * to the cycles that were. Instructions are exact: all blocks are executed; where warps execute other ones
 * with time than without (tbc, vws), lanes' are counted, which are the same. a and b are a line through all
 * timed blocks, so that blocks of unequal length are not taken for slow ones; a rate is place cycles over
 * what that line expects. Rates come from *batches* of timed blocks: one of each stretch between two gaps,
 * or one of each wave of a launch that was cut. Not in them are the head but for the two waves that were
 * found alike (cold caches), the last wave before a gap, whose blocks are under way while the gap is
 * executed, the blocks after it until the stretch has settled (sample.c), and the last wave (the chip runs
 * empty). A gap is a jump, in what caches hold and in which blocks run beside each other, and the blocks on
 * its two sides (its *edges*) take other time than those of a full run. So they say nothing of the gap's
 * blocks, and are themselves estimated like these: what they took is taken off, what the rate gives for them
 * is added.
 *
 * The interval. A gap's rate is the mean of the batches on its two sides; how far batches that follow each
 * other differ says how well. Waves of one stretch are more alike than those of two, which is why a stretch
 * is one batch. With k batches the variance of a batch is the mean square of successive
 * differences over 2, with k - 1 degrees of freedom; a launch that was cut has batches on one side only,
 * and uses their variance. Blocks fall out of step, and caches fill, with time that is simulated; a trend
 * of the batches is taken to go on for half as long again as it was seen, as a further deviation. To that
 * comes what is not seen in batches: the end of a launch, which differs from run to run by a part of a
 * block's time, and a share of the time that was not simulated (SYSTEMATIC), added as it is, not as a
 * square. docs/sampling.md has the check of both against full runs. */
#include "gpu/chip.h"
#include "stats/verdict.h"

#include <math.h>
#include <stdlib.h>

#define SYSTEMATIC 0.03  /* of the cycles that are estimated */
#define ELSEWHERE  0.005 /* of the cycles that are timed after a gap: they are not quite what they would have been */
#define ALIKE      1e-4  /* variance of instructions over their mean's square: blocks with less are alike */
#define TAIL       0.5   /* standard deviations of a block's time by which the end of a launch varies */

enum {
    CUT_BATCHES = 16, /* at most, of a launch that was cut; of stretches there is no limit */
    NEAR = 4,         /* batches that stand for a gap with one side only */
};

struct batch {
    u64 first, end; /* blocks */
    u32 stretch;    /* which of the timed stretches */
    double place_cycles, instructions;
    double cycles2, instructions2, both; /* sums of squares and products */
    u64 n;
    double rate; /* place cycles over those that the model expects */
};
struct batches { /* in order, and apart from each other */
    struct batch *at;
    u32 n, cap;
    double block, instruction; /* place cycles that a block, and each of its instructions, is expected to take */
};

/* --- batches */

/* n of them */
static void add_batches(struct batches *b, u64 first, u64 end, u64 n, u32 stretch) {
    for (u64 i = 0; i < n; i++) {
        struct batch x = {.first = first + (end - first) * i / n, .end = first + (end - first) * (i + 1) / n, .stretch = stretch};
        VEC_PUSH(b, x);
    }
}

/* The blocks [first, end) of the stretch before gap i, or after the last one, that are as blocks in the
 * middle of a launch. Not the last wave; of the head its last two waves before that, of a launch that was cut
 * all but the first wave, of a stretch after a gap a wave and a half at most. Empty when end <= first. */
static struct batch middle_of(const struct sampling *s, u32 i, u64 blocks, bool cut) {
    u64 from = i ? s->gaps.at[i - 1].end : 0, to = i < s->gaps.n ? s->gaps.at[i].first : blocks, slots = s->slots;
    u64 measured =
        i ? MAX(from + MAX(slots / 2, s->turn * slots / 2), to - MIN(5 * slots / 2, to)) : MAX(slots, to - MIN(3 * slots, to));
    return (struct batch){.first = cut ? slots : measured, .end = to > slots ? to - slots : 0, .stretch = i};
}

static void make_batches(const struct sampling *s, u64 blocks, bool cut, struct batches *b) {
    for (u32 i = 0; i <= s->gaps.n && !(cut && i); i++) {
        struct batch x = middle_of(s, i, blocks, cut);
        u64 waves = x.end > x.first ? (x.end - x.first + s->slots / 2) / s->slots : 0;
        if (x.end > x.first) add_batches(b, x.first, x.end, cut ? MIN(MAX(waves, (u64)1), (u64)CUT_BATCHES) : 1, i);
    }
}

/* Two of each gap: the timed blocks before it and after it that are in no batch */
static void make_edges(const struct sampling *s, u64 blocks, struct batches *edges) {
    for (u32 i = 0; i < s->gaps.n; i++) {
        struct batch before = middle_of(s, i, blocks, false), after = middle_of(s, i + 1, blocks, false);
        const struct gap *g = &s->gaps.at[i];
        add_batches(edges, before.end > before.first ? before.end : g->first, g->first, 1, i);
        add_batches(edges, g->end, after.end > after.first ? after.first : g->end, 1, i + 1);
    }
}

/* How many batches begin before this block */
static u32 batches_before(const struct batches *b, u64 block) {
    u32 from = 0, to = b->n;
    while (from < to) {
        u32 middle = from + (to - from) / 2;
        if (b->at[middle].first < block) from = middle + 1;
        else to = middle;
    }
    return from;
}

static void add_block(struct batches *b, const struct timed_block *x, u32 turnaround) {
    u32 i = batches_before(b, x->linear + 1);
    if (!i || x->linear >= b->at[i - 1].end) return;
    struct batch *k = &b->at[i - 1];
    double cycles = (double)(x->end_cy - x->begin_cy + turnaround);
    k->place_cycles += cycles;
    k->cycles2 += cycles * cycles;
    k->instructions += (double)x->instructions;
    k->instructions2 += (double)x->instructions * (double)x->instructions;
    k->both += cycles * (double)x->instructions;
    k->n++;
}

static double expected(const struct batches *b, double blocks, double instructions) {
    return b->block * blocks + b->instruction * instructions;
}

/* A line through (instructions, place cycles) of all measured blocks, through the origin where blocks are
 * alike or the line would fall */
static void fit_line(struct batches *b) {
    struct batch s = {0};
    for (u32 i = 0; i < b->n; i++) {
        const struct batch *k = &b->at[i];
        s.n += k->n, s.place_cycles += k->place_cycles, s.instructions += k->instructions;
        s.instructions2 += k->instructions2, s.both += k->both;
    }
    if (!s.n || s.instructions <= 0) return;
    double n = (double)s.n, x = s.instructions / n, y = s.place_cycles / n, sxx = s.instructions2 / n - x * x;
    double slope = sxx > ALIKE * x * x ? (s.both / n - x * y) / sxx : y / x;
    b->instruction = fmin(fmax(slope, 0), y / x);
    b->block = y - b->instruction * x;
}

/* Those that measured something, with their rates */
static void settle_batches(struct batches *b) {
    u32 n = 0;
    fit_line(b);
    for (u32 i = 0; i < b->n; i++) {
        if (!b->at[i].n || b->at[i].instructions <= 0) continue;
        b->at[n] = b->at[i];
        b->at[n].rate = b->at[n].place_cycles / expected(b, (double)b->at[n].n, b->at[n].instructions);
        n++;
    }
    b->n = n;
}

/* --- rates */

static double mean_rate(const struct batches *b, u32 from, u32 to) {
    double sum = 0;
    for (u32 i = from; i < to; i++) sum += b->at[i].rate;
    return sum / (to - from);
}

/* Place cycles over expected ones in a gap: as in the batches on its sides */
static double rate_of(const struct batches *b, const struct gap *g) {
    u32 right = batches_before(b, g->end);
    if (right && right < b->n) return mean_rate(b, right - 1, right + 1);
    return right ? mean_rate(b, right > NEAR ? right - NEAR : 0, right) : mean_rate(b, 0, MIN(b->n, (u32)NEAR));
}

static double batch_variance(const struct batches *b, bool cut) {
    double sum = 0, mean = mean_rate(b, 0, b->n);
    if (b->n < 2) return NAN;
    for (u32 i = 0; cut && i < b->n; i++) sum += (b->at[i].rate - mean) * (b->at[i].rate - mean);
    if (cut) return sum / (b->n - 1);
    for (u32 i = 1; i < b->n; i++) sum += (b->at[i].rate - b->at[i - 1].rate) * (b->at[i].rate - b->at[i - 1].rate);
    return sum / (2 * (b->n - 1));
}

/* How much a batch's rate changes from one to the next, by a straight line through all of them */
static double batch_trend(const struct batches *b) {
    double mean = mean_rate(b, 0, b->n), middle = (b->n - 1) / 2.0, sxx = 0, sxy = 0;
    for (u32 i = 0; i < b->n; i++) sxx += (i - middle) * (i - middle), sxy += (i - middle) * (b->at[i].rate - mean);
    return b->n > 2 ? sxy / sxx : 0;
}

static double block_deviation(const struct batches *b) {
    double n = 0, sum = 0, squares = 0;
    for (u32 i = 0; i < b->n; i++) n += (double)b->at[i].n, sum += b->at[i].place_cycles, squares += b->at[i].cycles2;
    double variance = n > 1 ? (squares - sum * sum / n) / (n - 1) : 0;
    return variance > 0 ? sqrt(variance) : 0;
}

/* What a gap adds */
struct added {
    double cycles;  /* of its blocks, */
    double instead; /* and of the timed ones beside it, beyond those they took: less than 0 where they were slow */
    double work;    /* cycles that the line expects of all these */
};

static struct added added_by(const struct sampling *s, const struct batches *b, const struct batches *edges, u32 i) {
    const struct gap *g = &s->gaps.at[i];
    double slots = (double)s->slots, rate = b->n ? rate_of(b, g) : NAN;
    struct added a = {.work = expected(b, (double)(g->end - g->first), (double)g->work) / slots};
    a.cycles = a.work * rate;
    for (u32 k = 2 * i; k < MIN(2 * i + 2, edges->n); k++) {
        const struct batch *e = &edges->at[k];
        double work = expected(b, (double)e->n, e->instructions) / slots;
        a.instead += work * rate - e->place_cycles / slots;
        a.work += work;
    }
    return a;
}

struct estimate estimate_launch(const struct sampling *s, u64 blocks, u64 cycles, u32 turnaround) {
    struct estimate e = {.cycles = (double)cycles};
    struct batches b = {0}, edges = {0};
    bool cut = s->gaps.n && s->gaps.at[s->gaps.n - 1].end == blocks;
    make_batches(s, blocks, cut, &b);
    if (!cut) make_edges(s, blocks, &edges);
    for (u32 i = 0; i < s->blocks.n; i++) add_block(&b, &s->blocks.at[i], turnaround);
    for (u32 i = 0; i < s->blocks.n; i++) add_block(&edges, &s->blocks.at[i], turnaround);
    settle_batches(&b);
    double skipped = 0, instead = 0, squares = 0, work = 0, waves = 0;
    for (u32 i = 0; i < s->gaps.n; i++) {
        struct added a = added_by(s, &b, &edges, i);
        skipped += a.cycles;
        instead += a.instead;
        squares += a.work * a.work;
        work += a.work;
        waves += (double)(s->gaps.at[i].end - s->gaps.at[i].first) / (double)s->slots;
    }
    if (s->gaps.n) {
        double t = b.n > 1 ? student_95(b.n - 1) / student_95(1000) : NAN, tail = TAIL * block_deviation(&b);
        double trend = work * fabs(batch_trend(&b)) * fmin(waves, b.n) / 2;
        e.cycles += skipped + instead;
        e.variance = b.n > 1 ? squares * batch_variance(&b, cut) * t * t + tail * tail + trend * trend : NAN;
        e.systematic = SYSTEMATIC * skipped + ELSEWHERE * (double)cycles;
    }
    free(b.at);
    free(edges.at);
    return e;
}

/* A launch that was timed whole after others were left out */
struct estimate estimate_whole(u64 cycles, bool after_gaps) {
    return (struct estimate){.cycles = (double)cycles, .systematic = after_gaps ? ELSEWHERE * (double)cycles : 0};
}

double estimate_half(const struct estimate *e) { return student_95(1000) * sqrt(e->variance) + e->systematic; }

double estimate_low(const struct estimate *e, u64 timed_cycles) {
    double low = e->cycles - estimate_half(e), timed = (double)timed_cycles;
    return low < timed && timed < e->cycles ? timed : low;
}
