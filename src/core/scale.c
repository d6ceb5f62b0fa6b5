/* Hybrid warp sizes: what an instruction takes on its unit when its front does not fill a warp.
 *
 * A unit narrower than the warp takes it in beats: lane l goes in beat l / width, at SIMD lane l mod width.
 * With sm.warp_scale = hybrid beats without a lane are left out. With sm.squeeze = thesis lanes first move to
 * other beats of their own SIMD lane, so that K beats are left, the largest number of threads in a SIMD lane.
 *
 * Paper: Jin (2012), chapter 4: squeeze (4.1), the mask of quarter-warps and the size that follows (4.2),
 * issue in one to four cycles (4.3). There a warp of 32 has four quarters; here any number of beats, found
 * for each unit by its own width, and by sm.alu.width where the pipe of all (sm.pipe = one) or a time of the
 * whole pipeline is meant. The thesis's squeeze moves every thread that stands in a lower rank than it could;
 * `fewest` keeps the K fullest beats and moves the others, which no choice of K beats does with less.
 *
 * sm.warp_scale.latency: with `fixed` all stages but the unit last as long for a small warp as for a whole
 * one. With `loop` each stage of the pipeline lasts as many cycles as the warp has beats (appendix C: the
 * simulator's loop over a warp has its size), so what takes a whole warp n cycles takes b of B beats n b / B,
 * rounded up. sm.warp_scale.sync = lockstep: a round of all SMs lasts as long as the largest warp issued in
 * it (4.2, step 3; 40_operands.c and the chip's loop). The round's size is known after its issue, so with
 * `loop` an instruction's latency is by its own size or that of the round before, whichever is larger.
 *
 * Deviation: a squeeze takes no time.
 *
 * S1 beats of a front are at least 1 and at most those of a whole warp, and with all lanes the same
 * S2 squeezed beats are K, never more than those that are not squeezed
 * S3 a squeeze gives each thread a rank below K, no two of a SIMD lane the same */
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

/* The lower among equals */
void scale_rank(u64 lanes, u32 width, u32 beats, u8 *order) {
    for (u32 b = 0; b < beats; b++) {
        i32 n = __builtin_popcountll(beat_of(lanes, width, b));
        u32 at = b;
        for (; at && __builtin_popcountll(beat_of(lanes, width, order[at - 1])) < n; at--) order[at] = order[at - 1];
        order[at] = (u8)b;
    }
}

/* One SIMD lane: threads of ranks that are not kept, the last first, move to the first holes among those that
 * are. `at`: rank -> lane of the warp, NONE for a hole. How many moved */
static u32 fill_lane(i32 *at, u32 ranks, u32 kept, u8 *rank_of) {
    u32 hole = 0, moves = 0;
    for (u32 from = ranks; from-- > kept;) {
        if (at[from] == NONE) continue;
        while (at[hole] != NONE) hole++;
        rank_of[at[from]] = (u8)hole;
        at[hole] = at[from], at[from] = NONE;
        moves++;
    }
    return moves;
}

/* Kept are, of a SIMD lane with c threads, the first c ranks (thesis), or the first K of every lane (fewest)
 * */
u32 scale_place(u64 lanes, u32 warp_size, u32 width, u32 how, u8 *rank_of) {
    u8 order[MAX_WARP];
    u32 beats = beats_of_warp(warp_size, width), most = scale_beats(lanes, warp_size, width, true), moves = 0;
    scale_rank(lanes, width, beats, order);
    for (u32 l = 0; l < MIN(width, warp_size); l++) {
        i32 at[MAX_WARP];
        for (u32 rank = 0; rank < beats; rank++) {
            u32 lane = order[rank] * width + l;
            bool runs = lane < warp_size && lanes >> lane & 1;
            at[rank] = runs ? (i32)lane : NONE;
            if (runs) rank_of[lane] = (u8)rank;
        }
        moves += fill_lane(at, beats, how == SQUEEZE_FEWEST ? most : threads_of_lane(lanes, width, beats, l), rank_of);
    }
    return moves;
}

u32 scale_moves(u64 lanes, u32 warp_size, u32 width, u32 how) {
    u8 rank_of[MAX_WARP];
    return scale_place(lanes, warp_size, width, how, rank_of);
}

u32 scale_lanes(const struct core *c, u64 lanes) {
    const struct config *g = c->cfg;
    if (g->warp_scale == WARP_SCALE_OFF) return beats_of_warp(g->warp_size, g->alu_width);
    return scale_beats(lanes, g->warp_size, g->alu_width, g->squeeze);
}

u32 scale_loop(const struct core *c, u32 cycles, u64 lanes) {
    u32 all = beats_of_warp(c->cfg->warp_size, c->cfg->alu_width), own = scale_lanes(c, lanes), common = pipe_common(c);
    u32 beats = MIN(MAX(own, common), all);
    return MAX((cycles * beats + all - 1) / all, 1u);
}

struct pace scale_pace(const struct core *c, const struct tinst *t, u64 lanes) {
    const struct config *g = c->cfg;
    u32 spared = (t->beats - scale_beats(lanes, g->warp_size, t->width, g->squeeze)) * t->interval;
    u32 latency = t->latency - (g->chaining ? 0 : spared), least = g->issue_depth + g->operand_depth + 2;
    return (struct pace){t->busy - spared, MAX(scaled(c, g, latency, lanes), least)};
}
