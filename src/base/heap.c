/* The heap on huge pages. The state of a machine is some megabytes in thousands of pieces, of which each
 * simulated cycle touches a few: on pages of 4 KiB the processor spends a twentieth of its time on finding
 * them. What the system cannot give stays on small pages; nothing else depends on it. */
#include "base/base.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE_B = 2 << 20, HEAP_B = 256 << 20 };

/* The heap grows at once by address space for most machines, and before anything is in it: pages are taken
 * when they are first touched, and by then it is known that they may be huge. */
void base_heap_huge(void) {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
    char *from = sbrk(0);
    mallopt(M_MMAP_THRESHOLD, HUGE_PAGE_B);
    mallopt(M_TRIM_THRESHOLD, HEAP_B);
    mallopt(M_TOP_PAD, HEAP_B);
    void *volatile more_than_there_is = malloc(HUGE_PAGE_B / 2); /* volatile: else no call is left */
    free(more_than_there_is);
    mallopt(M_TOP_PAD, HUGE_PAGE_B);
    char *to = sbrk(0);
    size_t first = (HUGE_PAGE_B - (size_t)from % HUGE_PAGE_B) % HUGE_PAGE_B;
    if (to > from + first) madvise(from + first, (size_t)(to - from) - first, MADV_HUGEPAGE);
#endif
}
