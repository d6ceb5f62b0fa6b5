/* Where the bundled files lie: workloads, machines. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
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

char *data_dir(const char *part) {
    const char *set = getenv("HEDDLE_DATA");
    if (set) return folder_with(set, "", part);
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    if (n <= 0) return NULL;
    exe[n] = 0;
    char *slash = strrchr(exe, '/');
    if (!slash) return NULL;
    *slash = 0;
    char *above = folder_with(exe, "/../share/heddle", part);
    return above ? above : folder_with(exe, "/share/heddle", part);
}
