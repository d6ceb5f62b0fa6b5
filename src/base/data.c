/* Where the bundled files lie: workloads, machines. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* `from``to` when it holds a folder `part` that one can enter */
static char *folder_with(const char *from, const char *to, const char *part) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s%s/%s", from, to, part);
    if (access(s.s, X_OK) == 0) {
        s.s[strlen(from) + strlen(to)] = 0;
        return s.s;
    }
    strbuf_free(&s);
    return NULL;
}

/* The kernel tells every program how it was started, too: relative to the folder it was started in, so the
 * first call is the one that counts */
char *data_executable(void) {
    char *exe = realpath("/proc/self/exe", NULL);
    const char *started = exe ? NULL : (const char *)(uintptr_t)getauxval(AT_EXECFN);
    if (started) exe = realpath(started, NULL);
    char *slash = exe ? strrchr(exe, '/') : NULL;
    if (slash) *slash = 0;
    return exe;
}

char *data_dir(const char *part) {
    const char *set = getenv("HEDDLE_DATA");
    if (set) return folder_with(set, "", part);
    char *exe = data_executable();
    if (!exe) return NULL;
    char *found = folder_with(exe, "/../share/heddle", part);
    if (!found) found = folder_with(exe, "/share/heddle", part);
    free(exe);
    return found;
}
