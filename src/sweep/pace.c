/* How long a sweep will still take: runs of one program in one size take about as long as each other, and as
 * in earlier sweeps of the same file. Of a program that has not been timed nothing is known; it counts as the
 * mean of the others, and is said. */
#include "sweep/sweep.h"

#include <stdlib.h>

static struct pace_group *group_of(const struct pace *p, const struct sweep_run *r) {
    for (u32 i = 0; i < p->groups.n; i++)
        if (p->groups.at[i].program == r->program && p->groups.at[i].size == r->size) return &p->groups.at[i];
    return NULL;
}

void pace_init(struct pace *p, const struct plan *plan, struct store *s) {
    *p = (struct pace){0};
    for (u32 i = 0; i < plan->runs.n; i++) {
        const struct sweep_run *r = &plan->runs.at[i];
        struct pace_group g = {.program = r->program, .size = r->size};
        u64 unused;
        if (group_of(p, r)) continue;
        store_cost(s, plan->x->programs.at[r->program].name, plan_size(plan, r), &g.seconds, &unused);
        g.done = g.seconds > 0;
        VEC_PUSH(&p->groups, g);
    }
}

void pace_more(struct pace *p, const struct sweep_run *r) { group_of(p, r)->left++; }

void pace_done(struct pace *p, const struct sweep_run *r, double seconds) {
    struct pace_group *g = group_of(p, r);
    g->left--;
    g->done++;
    g->seconds += seconds;
}

double pace_mean(const struct pace *p, const struct sweep_run *r) {
    const struct pace_group *g = group_of(p, r);
    return g->done ? g->seconds / g->done : 0;
}

double pace_left(const struct pace *p, u32 *unknown) {
    double seconds = 0, all = 0;
    u32 done = 0, guessed = 0;
    *unknown = 0;
    for (u32 i = 0; i < p->groups.n; i++) {
        const struct pace_group *g = &p->groups.at[i];
        if (g->done) seconds += g->left * g->seconds / g->done;
        all += g->seconds;
        done += g->done;
        if (g->done || !g->left) continue;
        guessed += g->left;
        (*unknown)++;
    }
    return seconds + (done ? guessed * all / done : 0);
}

void pace_free(struct pace *p) { free(p->groups.at); }
