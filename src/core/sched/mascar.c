/* mascar: memory aware scheduling. While the memory system is not saturated all warps have equal priority
 * (EP); when it is, one warp owns it (memory access priority, MP).
 *
 * Paper: Sethia, Jamshidi, Mahlke, "Mascar: Speeding up GPU Warps by Reducing Memory Pitstops" (HPCA 2015),
 * sections III-A, III-B and III-D. Cache access re-execution is a switch of its own (sm.lsu.reexec,
 * 64_reexec.c).
 *
 *   saturated   MSHRs of the L1 data, constant or texture cache, or the miss queue, are almost full (keys);
 *               never when nothing is outstanding. Once saturated, until all have fallen below a share of
 *               their thresholds (release_percent: hysteresis, which the paper does not have)
 *   EP          memory-ready warps before compute-ready ones, each group greedy then oldest
 *   MP          compute-ready before memory-ready, each group oldest first. Only the owner's memory
 *               instructions issue. The owner is the same for all schedulers of the SM. Loads of others that
 *               are in the pipe already reach the L1; they may hit, but not be sent for.
 *   owner       the warp that goes ahead and accesses memory: that of the pipe's first instruction; with none
 *               in the pipe, the first that issues one; with no warp memory-ready, that of the first access
 *               in the re-execution queue
 * The owner hands over when it reaches a use of its own load, at a barrier or fence, at its end, after a
 * while without a memory instruction, and when the mode ends.
 *
 * The warp status table is the view: its memory bit is `memory`, its stall bit the lack of `ready`, and
 * `held`. Shared memory counts as computing: it never saturates. What the paper leaves open: an owner that
 * has reached a use of its own load keeps the memory system until its requests have left the pipe
 * (sm.sched.mascar.handover = sent); handing over at once (use) has its own requests refused as those of a
 * non-owner. When the re-execution queue is full of others' accesses and the owner's are neither in it nor
 * first in the pipe, nothing could move until the saturation ends: the queue's first becomes the owner.
 * Barriers, fences, exits and idle owners are not in the paper. Stores that are in the pipe go on in either
 * mode. Misses of the constant cache are refused to others than the owner where sm.sched.mascar.constants
 * says so; they cannot step aside and hold the pipe, so it is not the default.
 *
 * M1 in MP, memory instructions that issue in one cycle are of one warp
 * M2 without anything outstanding the mode is EP, so nobody is refused for ever */
#include "core/sched_policy.h"

struct mascar { /* of the SM */
    u32 mshr_percent, queue_percent, release_percent, idle_cy, handover;
    bool mp;
    bool by_queue; /* the owner has the memory system for its accesses in the re-execution queue */
    i32 owner;     /* slot or NONE; NONE in EP */
    u64 owner_age;
    u64 used_cy; /* last memory instruction of the owner, or when it became it */
};
struct mascar_sched { /* of one scheduler: as gto */
    u32 last;
    bool some;
    u64 age;
};

static size_t mascar_shared_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct mascar);
}

static void mascar_shared_init(void *shared, const struct config *c, u32 fronts) {
    (void)fronts;
    struct mascar *s = shared;
    s->mshr_percent = c->mascar_mshr_percent, s->queue_percent = c->mascar_queue_percent;
    s->release_percent = c->mascar_release_percent;
    s->idle_cy = c->mascar_idle_cy, s->handover = c->mascar_handover;
    s->owner = NONE;
}

/* --- the mode and the owner */

/* Of a threshold: all of it to begin with, release_percent of it once saturated */
static bool almost_full(const struct mascar *s, u32 used, u32 size, u32 percent) {
    return used && (u64)used * 100 * 100 >= (u64)size * percent * (s->mp ? s->release_percent : 100);
}

static bool saturated(const struct mascar *s, const struct sched_sm *v) {
    return almost_full(s, v->mshrs, v->mshr_size, s->mshr_percent) ||
           almost_full(s, v->const_mshrs, v->const_mshr_size, s->mshr_percent) ||
           almost_full(s, v->tex_mshrs, v->tex_mshr_size, s->mshr_percent) ||
           almost_full(s, v->queue, v->queue_size, s->queue_percent);
}

/* Why the owner is the owner no longer: a counter, or NULL */
static u64 *relieved(const struct mascar *s, const struct sched_sm *v) {
    u32 owner = (u32)s->owner;
    if (!s->mp) return &v->stats->owner_until_relief;
    if (!set_has(v->valid, owner) || v->age[s->owner] != s->owner_age) return &v->stats->owner_until_exit;
    if (set_has(v->sending, owner) && (s->handover == HANDOVER_SENT || s->by_queue)) return NULL;
    if (set_has(v->waits_load, owner)) return &v->stats->owner_until_use;
    if (set_has(v->waits_barrier, owner)) return &v->stats->owner_until_barrier;
    if (set_has(v->waits_fence, owner)) return &v->stats->owner_until_fence;
    if (!set_has(v->sending, owner) && v->now >= s->used_cy + s->idle_cy) return &v->stats->owner_until_idle;
    return NULL;
}

static void own(struct mascar *s, u32 slot, bool by_queue, u64 now) {
    s->owner = (i32)slot;
    s->by_queue = by_queue;
    s->used_cy = now;
}

/* The queue is full of others' accesses and the owner's wait behind the one that finds no room */
static bool locked_out(const struct mascar *s, const struct sched_sm *v) {
    return s->mp && v->reexec_full && s->owner != v->pipe_head && !set_has(v->reexec, (u32)s->owner);
}

static void lose(struct mascar *s, u64 *why) {
    ++*why;
    s->owner = NONE;
    s->owner_age = 0;
}

static void win(struct mascar *s, i32 slot, bool by_queue, const struct sched_sm *v) {
    own(s, (u32)slot, by_queue, v->now);
    s->owner_age = v->age[slot];
    v->stats->owners++;
    v->stats->owners_by_queue += by_queue;
}

static bool mascar_begin(void *shared, const struct sched_sm *v, u64 n) {
    struct mascar *s = shared, old = *s;
    s->mp = saturated(s, v);
    if (s->mp) v->stats->mp_cycles += n;
    if (s->mp && !old.mp) v->stats->mp_entries++;
    if (s->owner != NONE && s->owner_age == 0) { /* it issued in the last cycle */
        s->owner_age = v->age[s->owner];
        v->stats->owners++;
    }
    u64 *why = s->owner == NONE ? NULL : relieved(s, v);
    if (why) lose(s, why);
    if (s->owner != NONE && locked_out(s, v)) {
        lose(s, &v->stats->owner_until_full);
        win(s, v->reexec_head, true, v);
    }
    if (s->mp && s->owner == NONE && v->pipe_head != NONE &&
        (s->handover == HANDOVER_SENT || !set_has(v->waits_load, (u32)v->pipe_head)))
        win(s, v->pipe_head, false, v);
    if (s->mp && s->owner == NONE && !set_any(v->memory, v->words) && v->reexec_head != NONE) win(s, v->reexec_head, true, v);
    return s->mp != old.mp || s->owner != old.owner || s->owner_age != old.owner_age;
}

static u64 mascar_wakes(const void *shared, u64 now) {
    const struct mascar *s = shared;
    u64 idle = s->used_cy + s->idle_cy;
    return s->owner != NONE && idle > now ? idle : NEVER;
}

static void mascar_held(const void *shared, const u64 *memory, u32 words, u64 *held) {
    const struct mascar *s = shared;
    if (!s->mp || s->owner == NONE) {
        set_clear(held, words);
        return;
    }
    set_copy(held, memory, words);
    set_drop(held, (u32)s->owner);
}

static bool mascar_admit(const void *shared, u32 slot, u64 age, u64 line) {
    const struct mascar *s = shared;
    (void)line;
    return !s->mp || (s->owner == (i32)slot && (!s->owner_age || s->owner_age == age));
}

static void mascar_event(void *shared, enum sched_event kind, u32 slot, u64 line, u64 now) {
    struct mascar *s = shared;
    (void)line;
    if (kind != SCHED_ISSUE || !s->mp) return;
    if (s->owner == NONE) own(s, slot, false, now);
    if (s->owner == (i32)slot) s->used_cy = now;
}

/* --- a scheduler's choice */

static size_t mascar_size(const struct config *c, u32 fronts) {
    (void)c, (void)fronts;
    return sizeof(struct mascar_sched);
}

static int greedy(const struct mascar_sched *s, const u64 *slots, const struct sched_view *v) {
    bool stays = s->some && set_has(slots, s->last) && v->age[s->last] == s->age;
    return stays ? (int)s->last : set_oldest(slots, v->words, v->age);
}

static int mascar_among(const struct mascar_sched *s, const u64 *slots, const struct sched_view *v) {
    const struct mascar *m = v->shared;
    u64 memory[SET_WORDS], compute[SET_WORDS];
    set_and(memory, slots, v->memory, v->words);
    set_without(compute, slots, v->memory, v->words);
    if (m->mp) return set_oldest(set_any(compute, v->words) ? compute : memory, v->words, v->age);
    return greedy(s, set_any(memory, v->words) ? memory : compute, v);
}

static int mascar_pick(void *state, const struct sched_view *v) {
    struct mascar_sched *s = state;
    int slot = mascar_among(s, v->candidates, v);
    if (slot != NONE) s->age = v->age[slot];
    return slot;
}

static void mascar_issued(void *state, int slot) {
    struct mascar_sched *s = state;
    s->last = (u32)slot, s->some = true;
}

static int mascar_preferred(const void *state, const struct sched_view *v) { return mascar_among(state, v->valid, v); }

const struct sched_policy sched_mascar = {
    .name = "mascar",
    .doc = "memory first, greedy then oldest; when the memory system is saturated compute first, and one warp owns memory",
    .paper = "Sethia, Jamshidi, Mahlke, HPCA 2015, III",
    .state_size = mascar_size,
    .init = stateless_init,
    .pick = mascar_pick,
    .issued = mascar_issued,
    .preferred = mascar_preferred,
    .shared_size = mascar_shared_size,
    .shared_init = mascar_shared_init,
    .begin = mascar_begin,
    .held = mascar_held,
    .wakes = mascar_wakes,
    .admit = mascar_admit,
    .event = mascar_event,
};
