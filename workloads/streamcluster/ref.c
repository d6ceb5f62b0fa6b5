/* streamcluster: the candidates one after the other, all sums in 64-bit integers. Bit-exact. */
#include <stdlib.h>

#include "../ref.h"

#define DIMS 32

struct clustering {
    u64 n, slots;
    const u32 *points; /* dimension by dimension */
    u32 *centre, *open;
    i32 *cost;
};

static i64 squared_distance(const struct clustering *s, u64 i, u64 j) {
    i64 sum = 0;
    for (const u32 *plane = s->points; plane < s->points + DIMS * s->n; plane += s->n)
        sum += ((i64)plane[i] - plane[j]) * ((i64)plane[i] - plane[j]);
    return sum;
}

/* What opening a centre at `candidate` gains; done when that is more than nothing */
static i64 consider(struct clustering *s, u64 candidate, u32 fresh, i64 price) {
    i64 *stay = base_alloc(s->slots * sizeof *stay); /* per centre, what its loyal points lose when it is shut: negative */
    i64 gain = -price;
    for (u64 i = 0; i < s->n; i++) {
        i64 saving = s->cost[i] - squared_distance(s, i, candidate);
        if (saving > 0) gain += saving;
        else stay[s->centre[i]] += saving;
    }
    for (u64 c = 0; c < s->slots; c++) {
        stay[c] = s->open[c] && stay[c] + price > 0 ? stay[c] + price : 0;
        gain += stay[c];
    }
    if (gain > 0) {
        for (u64 i = 0; i < s->n; i++) {
            i64 cost = squared_distance(s, i, candidate);
            if (cost >= s->cost[i] && stay[s->centre[i]] == 0) continue;
            s->centre[i] = fresh;
            s->cost[i] = (i32)cost;
        }
        for (u64 c = 0; c < s->slots; c++)
            if (stay[c] > 0) s->open[c] = 0;
        s->open[fresh] = 1;
    }
    free(stay);
    return gain;
}

bool workload_ref_streamcluster(struct workload_buffers *b) {
    struct clustering s = {.n = ref_count(b, "centre"), .slots = ref_count(b, "open")};
    u64 rounds = ref_count(b, "gain");
    i32 *gain = ref_s32(b, "gain", rounds);
    const i32 *price = ref_s32(b, "price", 1);
    const u32 *candidate = ref_u32(b, "candidate", rounds);
    s.points = ref_u32(b, "points", DIMS * s.n);
    s.centre = ref_u32(b, "centre", s.n);
    s.open = ref_u32(b, "open", s.slots);
    s.cost = ref_s32(b, "cost", s.n);
    if (!s.n || !gain || !price || !candidate || !s.points || !s.centre || !s.open || !s.cost || rounds > s.slots) return false;
    for (u64 c = 0; c < s.slots; c++) s.open[c] = c < s.slots - rounds;
    for (u64 i = 0; i < s.n; i++) {
        if (s.centre[i] >= s.slots || s.centre[i] >= s.n) return false;
        s.cost[i] = (i32)squared_distance(&s, i, s.centre[i]);
    }
    for (u64 round = 0; round < rounds; round++) {
        if (candidate[round] >= s.n) return false;
        gain[round] = (i32)consider(&s, candidate[round], (u32)(s.slots - rounds + round), price[0]);
    }
    return true;
}
