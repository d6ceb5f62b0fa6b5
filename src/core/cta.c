/* Blocks come and go. A block arrives with a cycle, takes the lowest free slots, and leaves when its last
 * warp has ended and no instruction of it waits in the memory pipe or for a result; stores on their way do
 * not hold it. The dispatcher (gpu/) never sends more than fit. */
#include "core/blocks.h"

#include <stdlib.h>
#include <string.h>

void cta_init(struct core *c) { c->blocks = base_alloc(sizeof(*c->blocks)); }

void cta_launch(struct core *c) {
    struct blocks *b = c->blocks;
    b->resident = b->resident_warps = 0;
    b->coming.n = b->coming_at = b->done.n = 0;
    b->renewed = false, b->begin = 0;
    b->quiet_cy = c->now;
}

void cta_release(struct core *c) {
    struct blocks *b = c->blocks;
    for (u32 i = 0; i < b->spare.n; i++) cta_free(b->spare.at[i]);
    b->spare.n = 0;
    for (u32 i = 0; i < MAX_BLOCKS; i++) {
        if (b->places[i].used) cta_free(b->places[i].cta);
        b->places[i].used = false;
    }
}

void cta_free_stage(struct core *c) {
    cta_release(c);
    free(c->blocks->spare.at);
    free(c->blocks->coming.at);
    free(c->blocks->done.at);
    free(c->blocks);
}

u32 cta_resident(const struct core *c) { return c->blocks->resident; }
u32 cta_resident_warps(const struct core *c) { return c->blocks->resident_warps; }
u64 cta_quiet(const struct core *c) { return c->blocks->quiet_cy; }
u64 cta_slots(const struct cta_place *p) { return p->slots; }
u64 cta_number(const struct cta_place *p) { return p->cta->linear; }
bool cta_idle(const struct core *c) { return !c->blocks->resident && c->blocks->coming_at == c->blocks->coming.n; }

u64 cta_next(const struct core *c) {
    const struct blocks *b = c->blocks;
    return b->coming_at < b->coming.n ? MAX(c->now, b->coming.at[b->coming_at].cycle) : NEVER;
}

bool core_refuses(const struct core *c, const struct kernel *k, struct strbuf *why) {
    const char *diverge = c->pol.diverge->name;
    struct strbuf what = {0};
    bool masks = k->first_warps && !k->gathers;
    if (c->form && masks)
        strbuf_add(&what,
                   "a program whose split and join say which lanes of a warp go together does not go with sm.diverge = %s, whose "
                   "fronts are not its warps; use isa.vortex.diverge = ipdom, or sm.diverge = pdom",
                   diverge);
    else if (c->early && masks)
        strbuf_add(
            &what,
            "a program whose split and join say which lanes of a warp go together does not go with sm.diverge = %s at "
            "loads, where lanes of a warp go on one after the other; use isa.vortex.diverge = ipdom, or dws.split = branch",
            diverge);
    else if (c->vunits && !k->first_warps)
        strbuf_add(&what,
                   "a program that is not RISC-V does not go with sm.pipeline = vortex, whose units and ports are those of "
                   "RISC-V instructions; use sm.pipeline = common");
    bool refuses = what.s;
    if (refuses) strbuf_add(why, "error: kernel '%s': %s\n", k->name, what.s);
    strbuf_free(&what);
    return refuses;
}

/* --- what the chip sends and takes */

void core_send_block(struct core *c, u64 cycle, u64 linear) {
    core_wake(c);
    struct blocks *b = c->blocks;
    struct cta_arrival a = {cycle, linear};
    VEC_PUSH(&b->coming, a);
    u32 i = b->coming.n - 1;
    for (; i > b->coming_at && b->coming.at[i - 1].cycle > cycle; i--) b->coming.at[i] = b->coming.at[i - 1];
    b->coming.at[i] = a;
}

u32 core_blocks_done(const struct core *c, const struct cta_done **at) {
    *at = c->blocks->done.at;
    return c->blocks->done.n;
}

void core_blocks_taken(struct core *c) { c->blocks->done.n = 0; }

bool core_runs_as_untimed(const struct core *c) { return c->pol.diverge->as_untimed; }

bool core_release_stuck(struct core *c) {
    core_wake(c);
    for (u32 i = 0; i < MAX_BLOCKS; i++) {
        struct cta_place *p = &c->blocks->places[i];
        if (!p->used || !p->cta->live_warps || !cta_release_stuck(p->cta)) continue;
        slot_wake_block(c, p, c->now + 1);
        for (u32 slot = 0; c->form && slot < c->nfronts; slot++)
            if (c->fronts[slot].nparts && !c->fronts[slot].head) slot_alarm(c, slot, c->now + 1);
        return true;
    }
    return false;
}

static bool block_runs(const struct cta *x) {
    for (u32 w = 0; w < x->nwarps; w++)
        for (u32 k = 0; k < x->warps[w].groups.n; k++)
            if (x->warps[w].groups.at[k].state == GROUP_READY) return true;
    return false;
}

struct cta *core_stuck_block(struct core *c) {
    for (u32 i = 0; i < MAX_BLOCKS; i++) {
        const struct cta_place *p = &c->blocks->places[i];
        if (p->used && p->cta->live_warps && !block_runs(p->cta)) return p->cta;
    }
    return NULL;
}

u32 core_announced(const struct core *c, u64 *linear, u32 most) {
    const struct blocks *b = c->blocks;
    u32 n = b->coming.n - b->coming_at;
    CHECK(n <= most);
    for (u32 i = 0; i < n; i++) linear[i] = b->coming.at[b->coming_at + i].linear;
    return n;
}

u32 core_take_blocks(struct core *c, struct cta **at, u32 most) {
    u32 n = 0;
    for (u32 i = 0; i < MAX_BLOCKS; i++) {
        struct cta_place *p = &c->blocks->places[i];
        if (!p->used) continue;
        CHECK(n < most);
        p->used = false;
        at[n++] = p->cta;
    }
    return n;
}

/* --- coming and going */

static struct cta *cta_get(struct core *c) {
    if (c->blocks->spare.n) return c->blocks->spare.at[--c->blocks->spare.n];
    return cta_new(&c->view);
}

static struct cta_place *place_get(struct core *c) {
    for (u32 i = 0; i < MAX_BLOCKS; i++)
        if (!c->blocks->places[i].used) return &c->blocks->places[i];
    CHECK(false);
    return NULL;
}

/* The front of a home's own, which stands for it. Nothing is left of who was there before but the account,
 * whose time goes on */
static void front_take(struct core *c, u32 slot, const struct warp *w) {
    struct front *f = &c->fronts[slot];
    c->age[slot] = c->homes[slot].age;
    f->slot = slot, f->part = &f->own, f->nparts = w->live != 0, f->lanes = w->live;
    f->own = (struct part){.home = (u16)slot, .lanes = w->live};
    f->head = f->shown = NULL;
    f->ready_cy = NEVER;
    f->resolve_cy = f->release_cy = f->polled_at = f->fence_seq = f->squeezed = 0;
    f->ib.head = f->ib.n = f->ib.behind = 0; /* what it held is not read again */
    f->ib.next = f->ib.fetch_pc = NONE;
    f->ib.miss = false;
    f->ib.kept = f->ib.behind_since = 0;
}

/* The slot is the warp's */
static void slot_take(struct core *c, u32 slot, struct cta_place *p, struct warp *w) {
    struct home *s = &c->homes[slot];
    account_change(c, slot);
    struct sbreg *sb = s->sb;
    u64 *lane_ready = s->lane_ready;
    struct way_of *way = s->way;
    bool drain = s->lanes_drain;
    *s = (struct home){.w = w, .place = p, .sb = sb, .lane_ready = lane_ready, .way = way, .lanes_drain = drain};
    s->age = ++c->blocks->ages, s->starts = s->called = w->starts, s->started = c->prog->k->first_warps ? ~0ull : 0;
    if (c->replay) replay_slot_start(c, slot);
    memset(sb, 0, sizeof(*sb) * (c->prog->nregs + c->prog->npreds));
    if (way) memset(way, 0, sizeof(*way) * MAX_WARP);
    if (lane_ready) memset(lane_ready, 0, sizeof(u64) * MAX_WARP * (c->prog->nregs + c->prog->npreds));
    if (!c->form) front_take(c, slot, w);
    if (c->vfetch) vfetch_started(c, slot);
}

static void slot_begin(struct core *c, u32 slot) {
    const struct home *s = &c->homes[slot];
    u64 linear = s->place->cta->linear;
    EMIT(c, .kind = EV_WARP_START, .cycle = c->now, .slot = (u16)slot, .a = linear, .b = s->w->id, .mask = s->w->live);
    if (c->form) {
        if (c->squads) squad_starts(c, slot);
        else if (c->gang) gang_starts(c, slot);
        else form_starts(c, slot);
        return;
    }
    sched_arrives(c, slot, linear);
    slot_next(c, slot);
    slot_look(c, slot, c->now);
}

/* A warp that the program has yet to start has its slot, and counts as one that has ended */
static void slot_start(struct core *c, u32 slot, struct cta_place *p, struct warp *w) {
    slot_take(c, slot, p, w);
    w->slot = slot;
    p->slots |= 1ull << slot;
    if (w->live) slot_begin(c, slot);
    else c->homes[slot].ended = c->homes[slot].told_end = true;
}

/* --- warps that the program has ended or started (home_renewed)
 *
 * A warp that is started begins sm.branch_cy after who started it, or, when it runs, in the cycle after, and
 * not before all that it was is over (cta_renew). Where fronts are formed homes begin before anybody looks at
 * a place (cta_begin_renewed): a look may be part of another front's parting, and nobody begins on the way.
 */

void cta_renewed(struct core *c, const struct cta_place *p) {
    for (u64 m = p->slots; m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        struct home *s = &c->homes[slot];
        if (!home_renewed(s)) continue;
        if (s->called != s->w->starts) s->begins_cy = c->now + (s->ended ? c->cfg->branch_cy : 1);
        s->called = s->w->starts;
        slot_alarm(c, slot, s->begins_cy);
        c->blocks->renewed = true;
        if (c->form) c->blocks->begin |= m & -m;
    }
}

/* Formed fronts forget threads of warps that have ended, or have been started anew, before anybody looks */
static void fronts_forget(struct core *c) {
    for (u32 slot = 0; slot < c->nslots && c->form; slot++) {
        if (!home_renewed(&c->homes[slot])) continue;
        if (c->squads) squad_forgets(c, slot);
        else if (c->homes[slot].ended) continue; /* they have left their fronts */
        else if (c->gang) gang_forgets(c, slot);
        else form_forgets(c, slot);
    }
    if (c->squads) squad_move(c);
    for (u32 slot = 0; slot < c->nslots && c->form; slot++)
        if (home_renewed(&c->homes[slot]) && !c->homes[slot].ended) cta_warp_ended(c, slot, 1);
    if (c->form) form_look_again(c);
    c->blocks->renewed = false;
}

/* Nothing is left that the slot's front can issue */
static void front_leaves(struct core *c, u32 slot) {
    if (!sched_has(c, slot)) return;
    sched_event(c, SCHED_END, slot, 0);
    sched_leaves(c, slot);
}

/* What it was has to be over first: instructions on their way find the home they left */
bool cta_renew(struct core *c, u32 slot, u64 at) {
    struct home *s = &c->homes[slot];
    u64 from = later(at, s->begins_cy);
    if (!s->ended && c->window && window_waiting(c, slot)) {
        fault_at(s->w, c->prog->k->code, NONE,
                 "another warp ends this one (wspawn or ecall) while its window holds instructions, which is not modelled; "
                 "use sm.order = in_order");
        c->fault_cy = MIN(c->fault_cy, c->now);
        return true;
    }
    if (!s->ended) cta_warp_ended(c, slot, c->fronts[slot].lanes);
    if (!s->w->live) s->starts = s->w->starts; /* ended before it has begun */
    if (s->starts == s->w->starts) return false;
    from = later(from, home_drained(c, slot));
    if (from > c->now) slot_alarm(c, slot, from); /* I1 */
    if (from > c->now || s->queued || s->loads) return false;
    if (!c->form) front_leaves(c, slot);
    if (!c->form) account_state(c, slot, 1u << STALL_EMPTY, UNIT_NONE, at); /* what it was has its time */
    if (!s->told_end) EMIT(c, .kind = EV_WARP_END, .cycle = at, .slot = (u16)slot);
    slot_take(c, slot, s->place, s->w);
    slot_begin(c, slot);
    return true;
}

void cta_begin_renewed(struct core *c) {
    for (u64 m = c->blocks->begin; m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        if (home_renewed(&c->homes[slot])) cta_renew(c, slot, c->now);
        if (!home_renewed(&c->homes[slot])) c->blocks->begin &= ~(m & -m);
    }
}

static void cta_begin(struct core *c, u64 linear) {
    struct cta_place *p = place_get(c);
    account_levels(c, c->now);
    *p = (struct cta_place){.cta = cta_get(c), .used = true, .begin_cy = c->now};
    cta_start(p->cta, linear);
    c->blocks->resident++;
    c->blocks->resident_warps += p->cta->nwarps;
    u32 slot = 0;
    EMIT(c, .kind = EV_CTA_START, .cycle = c->now, .a = linear, .mask = p->cta->nwarps);
    EMIT(c, .kind = EV_COUNTER, .cycle = c->now, .a = TC_WARPS, .b = c->blocks->resident_warps, .pc = -1);
    for (u32 i = 0; i < p->cta->nwarps; i++, slot++) {
        while (slot < c->nslots && c->homes[slot].w) slot++;
        CHECK(slot < c->nslots);
        slot_start(c, slot, p, &p->cta->warps[i]);
    }
}

void cta_admit(struct core *c, u64 now) {
    if (c->blocks->renewed) fronts_forget(c);
    if (!c->blocks->coming.n) return;
    while (c->blocks->coming_at < c->blocks->coming.n && c->blocks->coming.at[c->blocks->coming_at].cycle <= now)
        cta_begin(c, c->blocks->coming.at[c->blocks->coming_at++].linear);
    if (c->blocks->coming_at == c->blocks->coming.n) c->blocks->coming_at = c->blocks->coming.n = 0;
}

void cta_warp_ended(struct core *c, u32 slot, u64 lanes) {
    struct home *s = &c->homes[slot];
    struct front *f = &c->fronts[slot];
    u64 open = c->now + scaled(c, c->cfg, c->cfg->barrier_cy, lanes); /* barriers do not wait for lanes that have ended */
    account_change(c, slot);
    s->ended = true;
    if (c->form) { /* its threads have left their fronts */
        slot_alarm(c, slot, c->now + 1);
        slot_wake_block(c, s->place, open);
        return;
    }
    f->nparts = 0;
    f->head = f->shown = NULL;
    f->ib.fetch_pc = NONE;
    f->ib.n = 0;
    ibuffer_want(c, f);
    cta_front_over(c, slot);
    slot_wake_block(c, s->place, open);
}

/* A warp that another one has ended issues what it has to replay; nobody else does */
void cta_front_over(struct core *c, u32 slot) {
    if (!replay_unfinished(c, slot)) front_leaves(c, slot);
}

static void slot_clear(struct core *c, u32 slot, u64 at) {
    struct home *s = &c->homes[slot];
    struct front *f = &c->fronts[slot];
    account_change(c, slot);
    if (c->replay) replay_levels(c, f, at);
    if (!c->form) front_leaves(c, slot);
    if (!f->nparts) { /* else others have formed a front there */
        f->head = f->shown = NULL;
        account_state(c, slot, 1u << STALL_EMPTY, UNIT_NONE, at);
    }
    if (!s->told_end) EMIT(c, .kind = EV_WARP_END, .cycle = at, .slot = (u16)slot);
    s->w = NULL;
    s->place = NULL;
}

/* Called from slot_look, which runs before issue or for the next cycle: the block is gone from then on. */
void cta_try_retire(struct core *c, struct cta_place *p, u64 at) {
    if (p->cta->live_warps) return;
    for (u64 m = p->slots; m; m &= m - 1) {
        u32 slot = (u32)__builtin_ctzll(m);
        const struct home *s = &c->homes[slot];
        if (!s->ended || s->queued || s->loads || home_drained(c, slot) > at) return;
    }
    account_levels(c, c->now);
    struct cta_done d = {.cycle = at, .linear = p->cta->linear, .begin_cy = p->begin_cy};
    const struct warp *w = p->cta->warps;
    for (u32 i = 0; i < p->cta->nwarps; i++) d.instructions += core_runs_as_untimed(c) ? w[i].ran : w[i].retired_lanes;
    VEC_PUSH(&c->blocks->done, d);
    EMIT(c, .kind = EV_CTA_END, .cycle = at, .a = p->cta->linear);
    for (u64 m = p->slots; m; m &= m - 1) slot_clear(c, (u32)__builtin_ctzll(m), at);
    c->blocks->resident--;
    c->blocks->resident_warps -= p->cta->nwarps;
    EMIT(c, .kind = EV_COUNTER, .cycle = at, .a = TC_WARPS, .b = c->blocks->resident_warps, .pc = -1);
    c->stats.ctas++;
    c->view.ctas_done++;
    VEC_PUSH(&c->blocks->spare, p->cta);
    p->used = false;
    c->blocks->quiet_cy = MAX(c->blocks->quiet_cy, at);
}
