/* Host threads. Pieces of work are claimed one by one; which thread takes which does not matter, since
 * islands share nothing.
 *
 * A window is some microseconds of work, so threads wait for the next one spinning, a little while, and then
 * sleep. The first thread waits only for pieces that others have claimed and not finished; one that is not
 * scheduled claims none, and its share is done by those that are. On a host with other work the helpers are
 * in everybody's way: when the first thread does not get its processor it goes on alone for a while, and
 * tries again later.
 *
 * W1 a piece is claimed by moving `ticket`, which holds all there is to know of the round: who looks at an
 *    old one claims nothing
 * W2 a round ends when `done` pieces are n; the next one does not begin before
 * W3 no result depends on any of it */
#include "gpu/chip.h"

#include <fenv.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SPINS = 5000,         /* looks before a thread sleeps: some fifty microseconds, what a wake-up costs */
    NAP_NS = 2000000,     /* the longest sleep of the first thread without another look */
    WORK_NS = 500000,     /* a wait up to this is for a helper's work; a longer one is for its processor */
    LOOK_ROUNDS = 64,     /* between two looks at the clock */
    LOOK_NS = 20000000,   /* between two judgements of the host */
    ALONE_NS = 100000000, /* the first time alone; then twice as long, and so on */
    ALONE_MAX_NS = 2000000000,
};
#define ENOUGH 0.85 /* share of the time in which the first thread must have had its processor */

struct team {
    u32 threads;
    pthread_t *ids;
    void (*fn)(void *arg, u32 i);
    void *arg;
    _Atomic u64 ticket;   /* round << 32 | pieces << 16 | next piece */
    atomic_uint round;    /* what helpers sleep on */
    atomic_uint sleepers; /* helpers asleep, or about to be */
    atomic_uint done;     /* pieces of this round; what the first thread sleeps on */
    atomic_bool waiting;  /* it does */
    atomic_bool over;
    /* of the first thread: how it fares */
    u32 rounds;
    u64 looked_ns, looked_cpu_ns; /* at the last judgement */
    u64 excused_ns;               /* asleep since, while helpers worked */
    u64 alone_until_ns, alone_ns; /* 0: not alone; how long the next time */
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void futex_wait(atomic_uint *at, u32 value, const struct timespec *most) {
    syscall(SYS_futex, at, FUTEX_WAIT_PRIVATE, value, most, NULL, 0);
}
static void futex_wake(atomic_uint *at) { syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0); }

static u64 clock_ns(clockid_t which) {
    struct timespec t;
    syscall(SYS_clock_gettime, which, &t); /* the host's, see clock_seconds */
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

/* --- pieces */

static bool claim(struct team *t, u32 *piece) {
    u64 ticket = atomic_load_explicit(&t->ticket, memory_order_acquire);
    while ((u16)ticket < (u16)(ticket >> 16)) {
        if (!atomic_compare_exchange_weak_explicit(&t->ticket, &ticket, ticket + 1, memory_order_acq_rel, memory_order_acquire))
            continue;
        *piece = (u16)ticket;
        return true;
    }
    return false;
}

static void take_pieces(struct team *t) {
    for (u32 i; claim(t, &i);) {
        t->fn(t->arg, i);
        atomic_fetch_add_explicit(&t->done, 1, memory_order_acq_rel);
    }
}

/* --- helpers */

static void wait_for_round(struct team *t, u32 seen) {
    for (u32 spins = 0; spins < SPINS; spins++) {
        if (atomic_load_explicit(&t->round, memory_order_acquire) != seen) return;
        pause_briefly();
    }
    atomic_fetch_add(&t->sleepers, 1);
    while (atomic_load(&t->round) == seen) futex_wait(&t->round, seen, NULL);
    atomic_fetch_sub(&t->sleepers, 1);
}

static void *helper(void *user) {
    struct team *t = user;
    fesetenv(FE_DFL_ENV);
    for (u32 seen = 0;;) {
        wait_for_round(t, seen);
        if (atomic_load(&t->over)) return NULL;
        seen = atomic_load_explicit(&t->round, memory_order_acquire);
        take_pieces(t);
        if (atomic_load(&t->waiting)) futex_wake(&t->done);
    }
}

/* --- the first thread */

static void begin_round(struct team *t) {
    atomic_fetch_add(&t->round, 1);
    if (atomic_load(&t->sleepers)) futex_wake(&t->round);
}

static void wait_for_pieces(struct team *t, u32 n) {
    const struct timespec nap = {0, NAP_NS};
    for (u32 spins = 0; spins < SPINS; spins++) {
        if (atomic_load_explicit(&t->done, memory_order_acquire) == n) return;
        pause_briefly();
    }
    u64 from = clock_ns(CLOCK_MONOTONIC);
    atomic_store(&t->waiting, true);
    for (u32 done; (done = atomic_load(&t->done)) != n;) futex_wait(&t->done, done, &nap);
    atomic_store(&t->waiting, false);
    u64 slept = clock_ns(CLOCK_MONOTONIC) - from;
    if (slept <= WORK_NS) t->excused_ns += slept;
}

static void look_again_from(struct team *t, u64 now) {
    t->looked_ns = now;
    t->excused_ns = 0;
    t->looked_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Now and then: has this thread had a processor all the time? If not, others want them more than our helpers
 * do. */
static void judge_host(struct team *t) {
    u64 now = clock_ns(CLOCK_MONOTONIC);
    if (t->alone_until_ns) {
        if (now < t->alone_until_ns) return;
        t->alone_until_ns = 0;
        look_again_from(t, now);
        return;
    }
    if (now - t->looked_ns < LOOK_NS) return;
    u64 had = clock_ns(CLOCK_THREAD_CPUTIME_ID) - t->looked_cpu_ns;
    if ((double)had < ENOUGH * ((double)(now - t->looked_ns) - (double)t->excused_ns)) {
        t->alone_until_ns = now + t->alone_ns;
        t->alone_ns = MIN(2 * t->alone_ns, (u64)ALONE_MAX_NS);
    } else t->alone_ns = MAX(t->alone_ns / 2, (u64)ALONE_NS);
    look_again_from(t, now);
}

u32 gpu_processors(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (u32)CPU_COUNT(&set) : 1024;
}

struct team *team_new(u32 threads) {
    struct team *t = base_alloc(sizeof(*t));
    t->threads = MAX(MIN(threads, gpu_processors()), 1u); /* more than there are processors would only take turns */
    t->ids = base_alloc(sizeof(*t->ids) * t->threads);
    t->alone_ns = ALONE_NS;
    for (u32 i = 1; i < t->threads; i++)
        if (pthread_create(&t->ids[i], NULL, helper, t)) t->threads = i; /* the host gives no more: the result is the same */
    look_again_from(t, clock_ns(CLOCK_MONOTONIC));
    return t;
}

void team_run(struct team *t, u32 n, void (*fn)(void *arg, u32 i), void *arg) {
    if (t->threads > 1 && ++t->rounds % LOOK_ROUNDS == 0) judge_host(t);
    if (t->threads == 1 || t->alone_until_ns || n <= 1) { /* nothing is shared among them */
        for (u32 i = 0; i < n; i++) fn(arg, i);
        return;
    }
    CHECK(n <= UINT16_MAX);
    t->fn = fn, t->arg = arg;
    atomic_store_explicit(&t->done, 0, memory_order_relaxed);
    atomic_store_explicit(&t->ticket, (u64)(atomic_load(&t->round) + 1) << 32 | (u64)n << 16, memory_order_release);
    begin_round(t);
    take_pieces(t);
    wait_for_pieces(t, n);
}

void team_free(struct team *t) {
    if (!t) return;
    atomic_store(&t->over, true);
    begin_round(t);
    for (u32 i = 1; i < t->threads; i++) pthread_join(t->ids[i], NULL);
    free(t->ids);
    free(t);
}
