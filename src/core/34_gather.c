/* A formed front's instruction: its parts are executed one after the other, and what they did is made one
 * step for timing. Lanes become positions of the front, so that lines are coalesced and conflicts of shared
 * memory counted over all its threads, whatever their homes. Atomics stay apart by home.
 *
 * Local memory lies by home and lane; its addresses are worked out here, where homes are known.
 *
 * Invariants: H1 an access of a position is in the list as often, and in the same order, as its thread made
 * it. */
#include "core/form.h"

#include <stdlib.h>
#include <string.h>

/* --- one list of accesses */

/* Where an access of one position goes: behind those that it made before, together with others' like it */
static struct probe_access *place_of(struct probe *p, const struct probe_access *like, u32 seat) {
    u32 from = p->at.n;
    while (from && !(p->at.at[from - 1].slab == seat / 32 && p->at.at[from - 1].mask >> seat % 32 & 1)) from--;
    for (u32 i = from; i < p->at.n; i++) {
        struct probe_access *x = &p->at.at[i];
        if (x->space == like->space && x->kind == like->kind && x->size_b == like->size_b && x->slab == seat / 32) return x;
    }
    struct probe_access *x = probe_push(p);
    *x = (struct probe_access){.space = like->space, .kind = like->kind, .size_b = like->size_b, .slab = (u8)(seat / 32)};
    x->placed = like->placed;
    return x;
}

static void add_access(struct probe *p, const struct probe_access *like, u32 seat, u64 addr) {
    struct probe_access *x = place_of(p, like, seat);
    x->mask |= 1u << seat % 32;
    x->addr[seat % 32] = addr;
}

/* Words of local memory, at the addresses they have for caches */
static void add_local(const struct core *c, struct probe *p, const struct probe_access *a, u32 home, u32 lane, u32 seat) {
    struct probe_access word = {.space = SPACE_LOCAL, .kind = a->kind, .placed = 1, .size_b = MIN(a->size_b, 4u)};
    for (u32 off = 0; off < a->size_b; off += 4)
        add_access(p, &word, seat, lsu_local_address(c, home, lane, a->addr[lane % 32] + off));
}

static void add_probe(struct core *c, const struct probe *from, u32 home, struct probe *to) {
    for (u32 i = 0; i < from->at.n; i++) {
        const struct probe_access *a = &from->at.at[i];
        for (u32 m = a->mask; m; m &= m - 1) {
            u32 lane = a->slab * 32u + (u32)__builtin_ctz(m), seat = c->form->seat[home][lane];
            if (a->space == SPACE_LOCAL) add_local(c, to, a, home, lane, seat);
            else add_access(to, a, seat, a->addr[lane % 32]);
        }
    }
}

/* --- one step */

static void add_step(struct core *c, const struct step *one, u32 home, struct step *st) {
    struct member *m = &c->form->member[c->form->nmembers++];
    m->age = c->homes[home].age, m->lanes = one->lanes, m->active = one->active, m->frame = one->frame, m->home = (u16)home;
    memcpy(m->seat, c->form->seat[home], sizeof(m->seat));
    u64 seats = seats_of_lanes(c, home, one->lanes);
    st->lanes |= seats;
    st->active |= one->active == one->lanes ? seats : seats_of_lanes(c, home, one->active);
    st->counted |= one->counted != 0;
    st->diverged |= one->diverged;
    add_probe(c, &one->probe, home, &st->probe);
    for (u32 i = 0; i < one->deferred.n; i++) VEC_PUSH(&st->deferred, one->deferred.at[i]);
}

/* Threads that poll keep others from running for ever: the kernel is stopped (V3 of diverge_policy.h) */
static bool starves(struct core *c, const struct front *f) {
    struct form *x = c->form;
    if (++x->polls % 1024) return false;
    for (u32 i = 0; i < c->nfronts; i++) {
        const struct front *other = &c->fronts[i];
        if (!other->head || other->account.set || x->polls - x->polled_at[i] <= DIVERGE_POLLS) continue;
        fault_at(c->homes[f->part[0].home].w, f->head->in, __builtin_ctzll(f->part[0].lanes),
                 "threads poll for others that dwf.policy does not let run; use dwf.policy = sched with sm.sched = lrr");
        return true;
    }
    return false;
}

bool form_dispatch(struct core *c, struct front *f, struct step *st) {
    struct form *x = c->form;
    const struct inst *in = f->head->in;
    *st = (struct step){
        .clock = c->now, .in = in, .pc = f->head->pc, .probe = st->probe, .deferred = {st->deferred.at, 0, st->deferred.cap}};
    st->probe.at.n = 0;
    x->nmembers = 0;
    u32 counted = 0;
    if (c->gang && in->flags & INST_CONTROL) gang_apart(c, f);
    for (u32 i = 0; i < f->nparts; i++) {
        const struct part *p = &f->part[i];
        struct warp *w = c->homes[p->home].w;
        bool ok = warp_step(w, (u32)(form_group(c, p) - w->groups.at), c->now, &x->one);
        add_step(c, &x->one, p->home, st);
        counted += x->one.counted != 0;
        if (in->flags & INST_CONTROL) {
            if (c->gang) gang_led(c, p, x->one.group);
            else warp_pass(w);
        }
        if (!ok) return false;
    }
    if (counted) form_issued(c, f->slot); /* else it waits for lanes, and nothing has issued */
    st->frame = x->member[0].frame;
    if (counted > 1) c->view.counts[st->pc].warps -= counted - 1; /* the front's instruction is one */
    if (in->flags & INST_SYNC_POLL && (c->squads ? squad_polls(c, f) : !c->gang && starves(c, f))) return false;
    return true;
}

/* --- its crew */

/* Threads whose registers lie in one SIMD lane share its port: one a beat and pass */
static u32 passes_of(const struct core *c) {
    u8 share[MAX_WARP] = {0};
    u32 most = 1;
    if (c->cfg->dwf_lanes != DWF_FREE) return 1;
    for (u32 i = 0; i < c->form->nmembers; i++)
        for (u64 m = c->form->member[i].lanes; m; m &= m - 1) {
            u32 lane = form_home_seat(c, c->form->member[i].home, (u32)__builtin_ctzll(m)) % c->form->width;
            share[lane]++;
            most = MAX(most, (u32)share[lane]);
        }
    return (most + c->form->beats - 1) / c->form->beats;
}

struct crew form_crew(struct core *c) {
    struct form *x = c->form;
    for (u32 i = 0; i < x->nmembers; i++) x->member[i].uid = ++c->uid;
    return (struct crew){x->member, x->nmembers, passes_of(c)};
}

u32 form_seat(const struct core *c, u32 home, u32 lane) { return c->form->seat[home][lane]; }
