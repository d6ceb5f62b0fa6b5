/* Which SMs a window has to run. Most SMs of most windows sleep: nothing in them changes before a cycle they
 * know (core_asleep), or ever, unless a packet or a block comes. Whoever sends one of these wakes them.
 *
 * A1 an SM is awake, naps until asleep_cy, or is in neither set and sleeps until it is woken
 * A2 `first` is not later than the asleep_cy of any that naps
 * A3 asleep_cy of an SM that is awake is 0, but while a window is run: then its own run alone writes it */
#include "gpu/chip.h"

#include <stdlib.h>
#include <string.h>

void awake_init(struct gpu *g) {
    struct awake *a = &g->awake;
    a->words = set_words(g->cfg.sms);
    a->set = base_alloc(sizeof(*a->set) * a->words);
    a->naps = base_alloc(sizeof(*a->naps) * a->words);
    a->due = base_alloc(sizeof(*a->due) * g->cfg.sms);
    a->asleep_cy = base_alloc(sizeof(*a->asleep_cy) * g->cfg.sms);
    a->first = NEVER;
}

void awake_free(struct gpu *g) {
    free(g->awake.set);
    free(g->awake.naps);
    free(g->awake.due);
    free(g->awake.asleep_cy);
}

void awake_add(struct gpu *g, u32 sm) {
    set_add(g->awake.set, sm);
    set_drop(g->awake.naps, sm);
    g->awake.asleep_cy[sm] = 0;
}

/* Those whose nap ends before `to` */
static void wake_slept(struct gpu *g, u64 to) {
    struct awake *a = &g->awake;
    a->first = NEVER;
    SET_EACH (sm, a->naps, a->words) {
        u64 until = a->asleep_cy[sm];
        if (until < to) awake_add(g, sm);
        else a->first = MIN(a->first, until);
    }
}

u32 awake_due(struct gpu *g, u64 to) {
    struct awake *a = &g->awake;
    u32 n = 0;
    if (a->first < to) wake_slept(g, to);
    SET_EACH (sm, a->set, a->words) a->due[n++] = (u16)sm;
    return n;
}

void awake_settle(struct gpu *g, u32 n) {
    struct awake *a = &g->awake;
    for (u32 i = 0; i < n; i++) {
        u64 until = a->asleep_cy[a->due[i]];
        if (!until) continue;
        set_drop(a->set, a->due[i]);
        if (until == NEVER) continue;
        set_add(a->naps, a->due[i]);
        a->first = MIN(a->first, until);
    }
}

u64 awake_next(const struct gpu *g, bool ask, bool (*has_mail)(const struct gpu *g, u32 sm)) {
    const struct awake *a = &g->awake;
    u64 next = NEVER;
    SET_EACH (sm, a->set, a->words) {
        u64 n = ask && !has_mail(g, sm) ? core_next(g->cores[sm]) : g->now;
        if (n <= g->now) return g->now;
        next = MIN(next, n);
    }
    SET_EACH (sm, a->naps, a->words) next = MIN(next, a->asleep_cy[sm]);
    return next;
}
