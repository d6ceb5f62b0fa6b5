/* What a launch would have taken had all its blocks been timed.
 *
 * An SM's place for a block is taken by one block after the other. The time that blocks took their places
 * (from the start of one to the start of its successor), summed over all blocks and divided by the number
 * of places on the chip, is the time of the launch but for its beginning and its end, which are always
 * timed. So blocks that are not timed add
 *
 *     (a x blocks + b x their instructions) x rate of timed blocks near them / places
 *
 * to the cycles that were. Instructions are exact: all blocks are executed. a and b are a line through all
 * timed blocks, so that blocks of unequal length are not taken for slow ones; a rate is place cycles over
 * what that line expects. Rates come from *batches* of timed blocks: one of each stretch between two gaps,
 * or one of each wave of a launch that was cut. Not in them are the head but for the two waves that were
 * found alike (cold caches), the last wave before a gap, whose blocks are under way while the gap is
 * executed, the first half wave after it, and the last wave (the chip runs empty): a gap is a jump, in what
 * caches hold and in which blocks run beside each other, and these blocks take more time than any of a full
 * run. They count once, as they were timed, but say nothing of the blocks of the gap.
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

/* Blocks at the start of a timed stretch that are not like those in the middle of a launch: the head but
 * for its last three waves, or the first wave of a launch that was cut; the first half wave after a gap */
static u64 start_of(const struct sampling *s, u64 from, bool cut) {
    if (from) return from + s->slots / 2;
    return cut ? s->slots : MAX(s->slots, s->gaps.at[0].first - MIN(3 * s->slots, s->gaps.at[0].first));
}

/* The blocks of each timed stretch that are as blocks in the middle of a launch */
static void make_batches(const struct sampling *s, u64 end, bool cut, struct batches *b) {
    u64 from = 0;
    for (u32 i = 0; i <= s->gaps.n; i++) {
        u64 to = i < s->gaps.n ? s->gaps.at[i].first : end;
        bool last = i == s->gaps.n || s->gaps.at[i].end >= end;
        u64 first = start_of(s, from, cut), until = to > s->slots ? to - s->slots : 0;
        u64 waves = until > first ? (until - first + s->slots / 2) / s->slots : 0;
        if (until > first) add_batches(b, first, until, cut ? MIN(MAX(waves, (u64)1), (u64)CUT_BATCHES) : 1, i);
        if (last) return;
        from = s->gaps.at[i].end;
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

struct estimate estimate_launch(const struct sampling *s, u64 blocks, u64 cycles, u32 turnaround) {
    struct estimate e = {.cycles = (double)cycles};
    struct batches b = {0};
    bool cut = s->gaps.n && s->gaps.at[s->gaps.n - 1].end == blocks;
    make_batches(s, blocks, cut, &b);
    for (u32 i = 0; i < s->blocks.n; i++) add_block(&b, &s->blocks.at[i], turnaround);
    settle_batches(&b);
    double skipped = 0, squares = 0, work = 0, waves = 0;
    for (u32 i = 0; i < s->gaps.n; i++) {
        double blocks_out = (double)(s->gaps.at[i].end - s->gaps.at[i].first);
        double n = expected(&b, blocks_out, (double)s->gaps.at[i].instructions) / (double)s->slots;
        skipped += b.n ? n * rate_of(&b, &s->gaps.at[i]) : NAN;
        squares += n * n;
        work += n;
        waves += blocks_out / (double)s->slots;
    }
    if (s->gaps.n) {
        double t = b.n > 1 ? student_95(b.n - 1) / student_95(1000) : NAN, tail = TAIL * block_deviation(&b);
        double trend = work * fabs(batch_trend(&b)) * fmin(waves, b.n) / 2;
        e.cycles += skipped;
        e.variance = b.n > 1 ? squares * batch_variance(&b, cut) * t * t + tail * tail + trend * trend : NAN;
        e.systematic = SYSTEMATIC * skipped + ELSEWHERE * (double)cycles;
    }
    free(b.at);
    return e;
}

/* A launch that was timed whole after others were left out */
struct estimate estimate_whole(u64 cycles, bool after_gaps) {
    return (struct estimate){.cycles = (double)cycles, .systematic = after_gaps ? ELSEWHERE * (double)cycles : 0};
}

double estimate_half(const struct estimate *e) { return student_95(1000) * sqrt(e->variance) + e->systematic; }

double estimate_low(const struct estimate *e, u64 timed_cycles) {
    double low = e->cycles - estimate_half(e);
    return low < (double)timed_cycles ? (double)timed_cycles : low;
}
