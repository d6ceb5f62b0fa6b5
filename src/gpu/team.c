/* Host threads that wait, spinning a little, for the next piece of work. Pieces are taken from a counter; which thread takes which does not matter, since islands share nothing. */
#include "gpu/chip.h"

#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SPINS = 2000 };

struct team {
    u32 threads;
    pthread_t *ids;
    void (*fn)(void *arg, u32 i);
    void *arg;
    u32 n;
    atomic_uint next;    /* piece to take */
    atomic_uint round;   /* a new one begins */
    atomic_uint at_work; /* helpers not yet done with this round */
    atomic_bool over;
};

static void take_pieces(struct team *t) {
    for (u32 i; (i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)) < t->n;) t->fn(t->arg, i);
}

static void *helper(void *user) {
    struct team *t = user;
    u32 seen = 0;
    fesetenv(FE_DFL_ENV);
    for (;;) {
        for (u32 spins = 0; atomic_load_explicit(&t->round, memory_order_acquire) == seen; spins++) {
            if (atomic_load_explicit(&t->over, memory_order_relaxed)) return NULL;
            if (spins > SPINS) sched_yield();
        }
        seen = atomic_load_explicit(&t->round, memory_order_acquire);
        take_pieces(t);
        atomic_fetch_sub_explicit(&t->at_work, 1, memory_order_release);
    }
}

struct team *team_new(u32 threads) {
    struct team *t = base_alloc(sizeof(*t));
    t->threads = MAX(threads, 1u);
    t->ids = base_alloc(sizeof(*t->ids) * t->threads);
    for (u32 i = 1; i < t->threads; i++)
        if (pthread_create(&t->ids[i], NULL, helper, t)) t->threads = i; /* the host gives no more: the result is the same */
    return t;
}

void team_run(struct team *t, u32 n, void (*fn)(void *arg, u32 i), void *arg) {
    if (t->threads == 1) {
        for (u32 i = 0; i < n; i++) fn(arg, i);
        return;
    }
    t->fn = fn, t->arg = arg, t->n = n;
    atomic_store_explicit(&t->next, 0, memory_order_relaxed);
    atomic_store_explicit(&t->at_work, t->threads - 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&t->round, 1, memory_order_release);
    take_pieces(t);
    for (u32 spins = 0; atomic_load_explicit(&t->at_work, memory_order_acquire); spins++)
        if (spins > SPINS) sched_yield();
}

void team_free(struct team *t) {
    if (!t) return;
    atomic_store(&t->over, true);
    for (u32 i = 1; i < t->threads; i++) pthread_join(t->ids[i], NULL);
    free(t->ids);
    free(t);
}
