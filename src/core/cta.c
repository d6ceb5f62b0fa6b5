/* Blocks come and go. A block arrives with a cycle, takes the lowest free slots, and leaves when its last warp has ended and no instruction of it waits in the memory pipe or for a result; stores
 * on their way do not hold it. The dispatcher (gpu/) never sends more than fit. */
#include "core/core.h"

#include <string.h>

static struct cta *cta_get(struct core *c) {
    if (c->spare.n) return c->spare.at[--c->spare.n];
    return cta_new(&c->view);
}

static struct cta_place *place_get(struct core *c) {
    for (u32 i = 0; i < MAX_SLOTS; i++)
        if (!c->places[i].used) return &c->places[i];
    CHECK(false);
    return NULL;
}

static void slot_start(struct core *c, u32 slot, struct cta_place *p, struct warp *w) {
    struct slot *s = &c->slots[slot];
    account_change(c, slot);
    struct sbreg *sb = s->sb;
    u64 *lane_ready = s->lane_ready;
    *s = (struct slot){.w = w, .place = p, .sb = sb, .lane_ready = lane_ready, .age = c->age[slot] = ++c->ages};
    if (c->replay) replay_slot_start(c, slot);
    struct account account = c->fronts[slot].account; /* time goes on through the change of warps */
    c->fronts[slot] =
        (struct front){.part = {{.home = (u16)slot, .lanes = w->live}}, .nparts = 1, .ready_cy = NEVER, .account = account};
    memset(sb, 0, sizeof(*sb) * (c->prog->nregs + c->prog->npreds));
    if (lane_ready) memset(lane_ready, 0, sizeof(u64) * MAX_WARP * (c->prog->nregs + c->prog->npreds));
    w->slot = slot;
    c->block[slot] = p->cta->linear;
    p->slots |= 1ull << slot;
    c->scheds[slot_sched(c, slot)].valid |= 1ull << slot;
    c->fronts[slot].ib.next = c->fronts[slot].ib.fetch_pc = NONE;
    EMIT(c, .kind = EV_WARP_START, .cycle = c->now, .slot = (u16)slot, .a = p->cta->linear, .b = w->id, .mask = w->live);
    slot_next(c, slot);
    slot_look(c, slot, c->now);
}

static void cta_begin(struct core *c, u64 linear) {
    struct cta_place *p = place_get(c);
    account_levels(c, c->now);
    *p = (struct cta_place){.cta = cta_get(c), .started_cy = c->now, .used = true};
    cta_start(p->cta, linear);
    c->resident++;
    c->resident_warps += p->cta->nwarps;
    u32 slot = 0;
    EMIT(c, .kind = EV_CTA_START, .cycle = c->now, .a = linear, .mask = p->cta->nwarps);
    for (u32 i = 0; i < p->cta->nwarps; i++, slot++) {
        while (slot < c->nslots && c->slots[slot].w) slot++;
        CHECK(slot < c->nslots);
        slot_start(c, slot, p, &p->cta->warps[i]);
    }
}

void cta_admit(struct core *c, u64 now) {
    while (c->coming_at < c->coming.n && c->coming.at[c->coming_at].cycle <= now)
        cta_begin(c, c->coming.at[c->coming_at++].linear);
    if (c->coming_at == c->coming.n) c->coming_at = c->coming.n = 0;
}

void cta_warp_ended(struct core *c, u32 slot) {
    struct slot *s = &c->slots[slot];
    struct front *f = &c->fronts[slot];
    account_change(c, slot);
    s->ended = true;
    sched_event(c, SCHED_END, slot, 0);
    f->nparts = 0;
    f->head = f->shown = NULL;
    f->ib.fetch_pc = NONE;
    f->ib.n = 0;
    ibuffer_want(c, f);
    c->parked &= ~(1ull << slot);
    c->scheds[slot_sched(c, slot)].valid &= ~(1ull << slot);
    slot_wake_block(c, s->place, c->now + c->cfg->barrier_cy); /* barriers do not wait for lanes that have ended */
}

static void slot_clear(struct core *c, u32 slot, u64 at) {
    struct slot *s = &c->slots[slot];
    struct front *f = &c->fronts[slot];
    account_change(c, slot);
    f->head = f->shown = NULL;
    if (c->replay) replay_levels(c, f, at);
    account_state(c, slot, 1u << STALL_EMPTY, UNIT_NONE, at);
    if (!s->told_end) EMIT(c, .kind = EV_WARP_END, .cycle = at, .slot = (u16)slot);
    s->w = NULL;
    s->place = NULL;
}

/* Called from slot_look, which runs before issue or for the next cycle: the block is gone from then on. */
void cta_try_retire(struct core *c, struct cta_place *p, u64 at) {
    if (p->cta->live_warps) return;
    for (u64 m = p->slots; m; m &= m - 1) {
        const struct slot *s = &c->slots[__builtin_ctzll(m)];
        if (!s->ended || s->queued || s->loads || s->drain_cy > at) return;
    }
    account_levels(c, c->now);
    struct cta_done d = {at, p->cta->linear};
    VEC_PUSH(&c->done, d);
    EMIT(c, .kind = EV_CTA_END, .cycle = at, .a = p->cta->linear);
    for (u64 m = p->slots; m; m &= m - 1) slot_clear(c, (u32)__builtin_ctzll(m), at);
    c->resident--;
    c->resident_warps -= p->cta->nwarps;
    c->stats.ctas++;
    c->view.ctas_done++;
    VEC_PUSH(&c->spare, p->cta);
    p->used = false;
    c->quiet_cy = MAX(c->quiet_cy, at);
}
