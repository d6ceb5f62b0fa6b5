/* Simulated time for the program's own clocks (preload/clock.c): what a command took on the GPU is added to a
 * file that both have mapped. */
#include "opencl/opencl.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic u64 *shared;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void map_file(void) {
    const char *path = env_text("HEDDLE_CLOCK");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *p = fd >= 0 ? mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (p != MAP_FAILED) shared = p;
}

void clock_advance(u64 ns) {
    pthread_once(&once, map_file);
    if (shared) atomic_fetch_add(shared, ns);
}
