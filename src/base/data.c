/* Where the bundled files lie: workloads, machines. */
#include "base/base.h"

#include <dlfcn.h>
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

/* The folder of the file this code was loaded from: libheddle.so in another's program; may be NULL */
static char *library_folder(void) {
    Dl_info here;
    char *path = dladdr((const void *)&folder_with, &here) && here.dli_fname ? realpath(here.dli_fname, NULL) : NULL;
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash) *slash = 0;
    return path;
}

static char *folder_near(char *from, const char *part) { /* frees `from` */
    static const char *const places[] = {"/../share/heddle", "/share/heddle", "/../../share/heddle"};
    char *found = NULL;
    for (u32 i = 0; from && !found && i < ARRAY_LEN(places); i++) found = folder_with(from, places[i], part);
    free(from);
    return found;
}

char *data_dir(const char *part) {
    const char *set = getenv("HEDDLE_DATA");
    if (set) return folder_with(set, "", part);
    char *found = folder_near(data_executable(), part);
    return found ? found : folder_near(library_folder(), part);
}
