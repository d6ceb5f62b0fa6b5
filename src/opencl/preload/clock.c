/* The program's clocks under `heddle exec --simulated-time`: clock_gettime, gettimeofday, time, clock and
 * timespec_get read the time at which the program started and what the simulated GPU has spent since. The
 * host's own work takes no time, but that every look at a clock takes READ_NS: a program that waits for a
 * moment to come sees it come.
 *
 * Preloaded into the program; the driver adds the GPU's time to the file HEDDLE_CLOCK, which both have mapped
 * (opencl/clock.c). Clocks of processes and threads that ask for their own processor time get the same
 * elapsed time. Sleeping is not changed. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { READ_NS = 50, SECOND_NS = 1000000000, CLOCKS = 16 };

static struct shared {      /* all processes of the program have it */
    _Atomic uint64_t ns;    /* of the GPU, and of looks at clocks; the driver knows this one only */
    _Atomic uint32_t begun; /* 1: the first process is filling in `started`; 2: it has */
    struct timespec started[CLOCKS];
} *shared;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("HEDDLE_CLOCK");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return;
    if (ftruncate(fd, sizeof(*shared)) == 0) {
        struct shared *s = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        uint32_t none = 0;
        if (s != MAP_FAILED && atomic_compare_exchange_strong(&s->begun, &none, 1)) {
            for (int i = 0; i < CLOCKS; i++) syscall(SYS_clock_gettime, i, &s->started[i]);
            atomic_store(&s->begun, 2);
        }
        for (int i = 0; s != MAP_FAILED && i < 1000 && atomic_load(&s->begun) != 2; i++) usleep(100);
        if (s != MAP_FAILED) shared = s;
    }
    close(fd);
}

int clock_gettime(clockid_t which, struct timespec *to) {
    if (!shared || which < 0 || which >= CLOCKS) return (int)syscall(SYS_clock_gettime, which, to);
    uint64_t ns = atomic_fetch_add(&shared->ns, READ_NS) + (uint64_t)shared->started[which].tv_nsec;
    to->tv_sec = shared->started[which].tv_sec + (time_t)(ns / SECOND_NS);
    to->tv_nsec = (long)(ns % SECOND_NS);
    return 0;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    struct timespec t;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &t)) return -1;
    to->tv_sec = t.tv_sec;
    to->tv_usec = t.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *to) {
    struct timespec t;
    if (clock_gettime(CLOCK_REALTIME, &t)) return (time_t)-1;
    if (to) *to = t.tv_sec;
    return t.tv_sec;
}

clock_t clock(void) {
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)) return (clock_t)-1;
    return (clock_t)t.tv_sec * CLOCKS_PER_SEC + t.tv_nsec / (SECOND_NS / CLOCKS_PER_SEC);
}

int timespec_get(struct timespec *to, int base) { return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, to) == 0 ? base : 0; }
