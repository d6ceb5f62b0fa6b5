/* Which heddle this is. Rows of a sweep carry it, and runs of two builds are two runs: a commit that changes
 * a counter must not be averaged with one that did not.
 *
 * HEDDLE_COMMIT comes from the build. Where the tree had changes, or was none of git's, the name is not
 * enough, and a hash of the command's own file is added. */
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#ifndef HEDDLE_COMMIT
#define HEDDLE_COMMIT "unknown"
#endif

const char *build_commit(void) {
    static char name[96];
    if (*name) return name;
    const char *commit = HEDDLE_COMMIT;
    int word = (int)strcspn(commit, " ");
    bool exact = !commit[word] && strcmp(commit, "unknown") != 0;
    size_t len = 0;
    char *file = exact ? NULL : text_read_file("/proc/self/exe", UINT64_MAX, &len);
    if (file) snprintf(name, sizeof(name), "%.*s-%08x", word, commit, (u32)hash_fnv1a64(FNV1A64_START, file, len));
    else snprintf(name, sizeof(name), "%.*s", word, commit);
    free(file);
    return name;
}
