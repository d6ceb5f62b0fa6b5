/* The audit of formed fronts: rules A8 and A10 of audit.c.
 *
 *   A8   every cycle of a place has one owner: stalls and issues follow each other without gap or overlap, to
 *        the launch's end. A place with a front is not stalled for having none.
 *   A10  fronts begin in places that are empty and end, fetch, issue and are joined in those that are not.
 *        Those who join take positions that are free, and a front issues in the positions that its threads
 *        took. A front that issues has as many threads as positions: the EV_ISSUE events of its homes that
 *        follow name each thread once, and all of them together fill exactly its positions. When a launch
 *        ends every thread that was placed has left: no place has a front, and none that issued has threads
 *        of which nothing was told. */
#include "trace/places.h"

#include "stats/stats.h"

#include <stdlib.h>

struct place {
    bool known;     /* something has been told of it in this launch */
    bool live;      /* a front is there */
    u64 begin, end; /* of the last one */
    u64 seats;      /* positions that its threads took when they came to the pool last */
    u64 owned_to;   /* every cycle has an owner up to here */
};
struct places_of_sm {
    VEC(struct place) at;
    u32 issuer;    /* place that issued last */
    u32 due;       /* threads of the front that issues whose homes have not been told */
    u64 lanes[64]; /* told of each home in this issue; of those in `homes` */
    u64 homes;
};
struct places {
    u32 sms;
    struct places_of_sm *of;
};

struct places *places_new(u32 sms) {
    struct places *p = base_alloc(sizeof(*p));
    p->sms = sms;
    p->of = base_alloc(sizeof(*p->of) * sms);
    return p;
}

void places_free(struct places *p) {
    for (u32 i = 0; i < p->sms; i++) free(p->of[i].at.at);
    free(p->of);
    free(p);
}

void places_launch(struct places *p) {
    for (u32 i = 0; i < p->sms; i++) p->of[i].at.n = p->of[i].due = 0;
}

static struct place *place_at(struct places_of_sm *s, u32 slot) {
    struct place none = {0};
    while (s->at.n <= slot) VEC_PUSH(&s->at, none);
    return &s->at.at[slot];
}

static const char *owns(struct place *x, u64 from, u64 to) {
    bool follows = !x->known || from == x->owned_to;
    x->known = true;
    x->owned_to = to;
    return follows ? NULL : "a front's stalls and issues overlap, or leave a cycle out";
}

static const char *stalls(struct place *x, const struct event *e) {
    bool empty = e->mask == 1u << STALL_EMPTY;
    bool drains = e->mask == 1u << STALL_DRAIN; /* a front at its exit, or a warp that has left it */
    const char *gap = owns(x, e->a, e->cycle);
    if (empty && x->live && e->cycle > x->begin) return "a place with a front is stalled for having none";
    if (!empty && !drains && !x->live && e->cycle > x->end + 1)
        return "a place without a front is stalled for what one waits for";
    return gap;
}

static const char *issues(struct places_of_sm *s, struct place *x, const struct event *e, u32 *rule) {
    const char *wrong = s->due ? "a front issues before all threads of the last one have been told" : NULL;
    s->due = (u32)__builtin_popcountll(e->mask);
    s->homes = 0;
    s->issuer = e->slot;
    if (!x->live) return "a front issues from an empty place";
    if (!wrong && e->mask != x->seats) wrong = "a front issues in other positions than its threads took";
    if (x->known && x->owned_to == e->cycle + 1) return wrong; /* the second of a cycle */
    const char *other = owns(x, e->cycle, e->cycle + 1);
    if (!wrong && other) *rule = 8;
    return wrong ? wrong : other;
}

static const char *issues_of_home(struct places_of_sm *s, const struct event *e) {
    u32 n = (u32)__builtin_popcountll(e->a), home = e->slot % 64;
    if (!(s->homes >> home & 1)) s->lanes[home] = 0;
    s->homes |= 1ull << home;
    bool twice = s->lanes[home] & e->a, many = n > s->due;
    s->lanes[home] |= e->a;
    s->due -= many ? s->due : n;
    if (twice) return "a thread is in the front twice";
    return many ? "more threads issue than the front has positions" : NULL;
}

static const char *comes(struct place *x, const struct event *e) {
    bool joins = e->b == COMES_TO_OTHERS, taken = joins && x->seats & e->mask;
    x->seats = joins ? x->seats | e->mask : e->mask;
    if (!x->live) return "threads come to a front that is not there";
    return taken ? "threads join a front in positions that are taken" : NULL;
}

const char *places_take(struct places *p, const struct event *e, u32 *rule) {
    *rule = 10;
    if (e->sm >= p->sms) return "there is no such SM";
    struct places_of_sm *s = &p->of[e->sm];
    if (e->kind == EV_ISSUE) return s->at.n ? issues_of_home(s, e) : NULL; /* no front has been told of: none are formed */
    struct place *x = place_at(s, e->slot);
    switch (e->cause) {
    case FRONT_BEGINS:
        if (x->live) return "a front begins in a place that has one";
        x->live = true, x->begin = e->cycle, x->seats = 0;
        return NULL;
    case FRONT_ENDS:
        if (!x->live) return "a front ends in an empty place";
        x->live = false, x->end = e->cycle;
        return NULL;
    case FRONT_COMES: return comes(x, e);
    case FRONT_FETCHES:
    case FRONT_FLUSHES: return x->live ? NULL : "a place without a front fetches";
    case FRONT_ISSUES: return issues(s, x, e, rule);
    default: *rule = 8; return stalls(x, e);
    }
}

u32 places_of(const struct places *p, u32 sm) { return p->of[sm].at.n; }

const char *places_end(const struct places *p, u32 sm, u32 slot, u64 cycle, u32 *rule) {
    const struct places_of_sm *s = &p->of[sm];
    const struct place *x = &s->at.at[slot];
    *rule = 10;
    if (x->live) return "threads are in a front when the launch ends";
    if (s->due && s->issuer == slot) return "a front has issued, and not all of its threads have been told";
    *rule = 8;
    return x->known && x->owned_to < cycle ? "a place has cycles at the launch's end that nobody owns" : NULL;
}
