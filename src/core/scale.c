/* Hybrid warp sizes: what an instruction takes on its unit when its front does not fill a warp.
 *
 * A unit narrower than the warp takes it in beats: lane l goes in beat l / width, at SIMD lane l mod width.
 * With sm.warp_scale = hybrid beats without a lane are left out. With sm.squeeze = thesis lanes first move to
 * other beats of their own SIMD lane, so that K beats are left, the largest number of threads in a SIMD lane.
 *
 * Paper: Jin (2012), chapter 4: squeeze (4.1), the mask of quarter-warps and the size that follows (4.2),
 * issue in one to four cycles (4.3). There a warp of 32 has four quarters; here any number of
 * beats, found for each unit by its own width. Deviations: all stages but the unit last as long for a small
 * warp as for a whole one; each SM chooses alone, where the thesis has one size for all SMs of a cycle; a
 * squeeze takes no time.
 *
 * S1 beats of a front are at least 1 and at most those of a whole warp, and with all lanes the same
 * S2 squeezed beats are K, never more than those that are not squeezed */
#include "core/core.h"

/* Lanes of a beat, by SIMD lane */
static u64 beat_of(u64 lanes, u32 width, u32 beat) {
    u64 in = beat * width < 64 ? lanes >> beat * width : 0;
    return width < 64 ? in & ((1ull << width) - 1) : in;
}

static u32 beats_of_warp(u32 warp_size, u32 width) { return (warp_size + width - 1) / width; }

static u32 threads_of_lane(u64 lanes, u32 width, u32 beats, u32 lane) {
    u32 n = 0;
    for (u32 b = 0; b < beats; b++) n += beat_of(lanes, width, b) >> lane & 1;
    return n;
}

u32 scale_beats(u64 lanes, u32 warp_size, u32 width, bool squeezed) {
    u32 beats = beats_of_warp(warp_size, width), n = 0;
    if (!squeezed)
        for (u32 b = 0; b < beats; b++) n += beat_of(lanes, width, b) != 0;
    else
        for (u32 l = 0; l < MIN(width, warp_size); l++) n = MAX(n, threads_of_lane(lanes, width, beats, l));
    return MAX(n, 1u);
}

/* Beats by the number of their lanes, the most first; the lower among equals */
static void rank_beats(u64 lanes, u32 width, u32 beats, u8 *order) {
    for (u32 b = 0; b < beats; b++) {
        i32 n = __builtin_popcountll(beat_of(lanes, width, b));
        u32 at = b;
        for (; at && __builtin_popcountll(beat_of(lanes, width, order[at - 1])) < n; at--) order[at] = order[at - 1];
        order[at] = (u8)b;
    }
}

/* A SIMD lane with c threads has them in the first c beats of the order afterwards: the others move. */
u32 scale_moves(u64 lanes, u32 warp_size, u32 width) {
    u8 order[MAX_WARP];
    u32 beats = beats_of_warp(warp_size, width), moves = 0;
    rank_beats(lanes, width, beats, order);
    for (u32 l = 0; l < MIN(width, warp_size); l++)
        for (u32 rank = threads_of_lane(lanes, width, beats, l); rank < beats; rank++)
            moves += beat_of(lanes, width, order[rank]) >> l & 1;
    return moves;
}

struct pace scale_pace(const struct config *g, const struct tinst *t, u64 lanes) {
    u32 spared = (t->beats - scale_beats(lanes, g->warp_size, t->width, g->squeeze)) * t->interval;
    return (struct pace){t->busy - spared, t->latency - (g->chaining ? 0 : spared)};
}
