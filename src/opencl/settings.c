/* What the environment says, read once. `heddle exec` sets these; a program started with the loader's variables alone gets the defaults.
 *
 *   HEDDLE_MACHINE      a bundled machine or a file; default gtx480
 *   HEDDLE_SET          key=value,key=value
 *   HEDDLE_FUNCTIONAL   1: results only, no timing
 *   HEDDLE_KERNEL       names, comma-separated: only these kernels are timed
 *   HEDDLE_LAUNCH       N or N..M: only these launches, from 0, are timed
 *   HEDDLE_STRICT       1: an access just outside a buffer is a fault; by default there is a sixteenth more of it on either side, and 512 bytes. A group that is too
 *                       large for its registers is refused; by default it gets fewer (launch.c)
 *   HEDDLE_PLATFORMS    how many platforms the program finds, all of them this one; default 1, at most 8
 *   HEDDLE_MEMORY       bytes of device memory; default 4 GiB
 *   HEDDLE_DATA         the folder share/heddle; default beside this library
 *   HEDDLE_MAX_INSTRUCTIONS  warp instructions of one launch before it is stopped with a diagnosis
 *   HEDDLE_JSON         file that gets the results when the process ends; - for standard output
 *   HEDDLE_KONATA, HEDDLE_PERFETTO, HEDDLE_TRACE_REPLAY   files of traces, of the first context
 *   HEDDLE_TRACE_WINDOW struct heddle_window as numbers (exec.c writes it)
 *   HEDDLE_BY_PC        1: launches are written with what each instruction cost
 *   HEDDLE_TIMING       struct heddle_timing as numbers (exec.c writes it)
 *   HEDDLE_PROGRESS     1: a line on standard error while a launch takes long
 *   HEDDLE_RECORD       file that launches are written to */
#include "opencl/opencl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static struct settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* NULL when it is not set, or empty */
static const char *copy_of(const char *name) {
    const char *s = getenv(name);
    return s && *s ? strdup(s) : NULL;
}

static u64 number_of(const char *name) {
    const char *s = getenv(name);
    return s ? strtoull(s, NULL, 0) : 0;
}

static bool is_on(const char *name) {
    const char *s = getenv(name);
    return s && *s && strcmp(s, "0") != 0;
}

/* share/heddle one above this library or beside it; free it */
static char *find_data(void) {
    static const char *const places[] = {"/share/heddle", "/../share/heddle", "/../../share/heddle"};
    const char *set = getenv("HEDDLE_DATA");
    if (set) return strdup(set);
    Dl_info here;
    if (!dladdr((const void *)&driver_dispatch, &here) || !here.dli_fname) return NULL;
    const char *slash = strrchr(here.dli_fname, '/');
    int len = slash ? (int)(slash - here.dli_fname) : 1;
    for (u32 i = 0; i < ARRAY_LEN(places); i++) {
        struct strbuf s = {0};
        strbuf_add(&s, "%.*s%s", len, slash ? here.dli_fname : ".", places[i]);
        size_t end = s.len;
        strbuf_add(&s, "/machines");
        if (access(s.s, X_OK) == 0) {
            s.s[end] = 0;
            return s.s;
        }
        strbuf_free(&s);
    }
    return NULL;
}

static void set_keys(struct config *c, const char *list, struct diag *d) {
    while (*list) {
        size_t n = strcspn(list, ",");
        char *one = strndup(list, n), *equals = strchr(one, '=');
        if (equals) {
            *equals = 0;
            config_set(c, one, equals + 1, d, "HEDDLE_SET", 0);
        } else if (*one) diag_error(d, "HEDDLE_SET", 0, 0, "\"%s\" is not KEY=VALUE", one);
        free(one);
        list += n + (list[n] == ',');
    }
}

/* Machines are looked up from HEDDLE_DATA; the program's own environment is left as it was */
static void load_machine(struct settings *s) {
    const char *name = getenv("HEDDLE_MACHINE"), *set = getenv("HEDDLE_SET");
    struct diag d = {0};
    bool lend = s->data && !getenv("HEDDLE_DATA");
    if (lend) setenv("HEDDLE_DATA", s->data, 1);
    s->ok = machine_load(&s->machine, name && *name ? name : HEDDLE_DEFAULT_MACHINE, &d);
    if (lend) unsetenv("HEDDLE_DATA");
    if (set) set_keys(&s->machine, set, &d);
    s->ok = s->ok && d.errors == 0 && config_check(&s->machine, &d);
    if (d.text.s) strbuf_add(&s->problem, "%s", d.text.s);
    diag_free(&d);
}

static void read_timing(struct settings *s) {
    struct heddle_timing *t = &s->timing;
    const char *text = getenv("HEDDLE_TIMING");
    unsigned long long x[9] = {0};
    if (!text) return;
    sscanf(text, "%llu %llu %llu %llu %llu %llu %llu %llu %llu", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &x[8]);
    *t = (struct heddle_timing){.warmup_cycles = x[0],
                                .max_cycles = x[1],
                                .fast_forward_ctas = x[2],
                                .fast_forward_launches = x[3],
                                .flush = x[4] != 0,
                                .threads = (u32)x[5],
                                .window_cycles = (u32)x[6],
                                .no_jumps = x[7] != 0,
                                .check_cycles = (u32)x[8]};
}

static void read_traces(struct settings *s) {
    static const char *const names[TRACES] = {"HEDDLE_KONATA", "HEDDLE_PERFETTO", "HEDDLE_TRACE_REPLAY"};
    const char *text = getenv("HEDDLE_TRACE_WINDOW");
    unsigned long long from, to;
    s->window = (struct heddle_window){0, 0, -1, -1};
    if (text && sscanf(text, "%llu %llu %d %d", &from, &to, &s->window.sm, &s->window.warp) == 4) {
        s->window.from = from;
        s->window.to = to;
    }
    for (u32 i = 0; i < TRACES; i++) s->traces[i] = copy_of(names[i]);
}

static void read_launches(struct settings *s) {
    const char *text = getenv("HEDDLE_LAUNCH");
    s->last = UINT64_MAX;
    if (!text || !*text) return;
    unsigned long long a, b;
    int n = sscanf(text, "%llu..%llu", &a, &b);
    if (n < 1 || (n == 2 && b < a)) {
        strbuf_add(&s->problem, "HEDDLE_LAUNCH: error: \"%s\" is neither N nor N..M with N not above M\n", text);
        s->ok = false;
        return;
    }
    s->first = a;
    s->last = n == 2 ? b : a;
}

static void read_all(void) {
    struct settings *s = &settings;
    s->data = find_data();
    load_machine(s);
    s->functional = is_on("HEDDLE_FUNCTIONAL");
    s->strict = is_on("HEDDLE_STRICT");
    s->progress = is_on("HEDDLE_PROGRESS");
    s->by_pc = is_on("HEDDLE_BY_PC");
    s->kernels = copy_of("HEDDLE_KERNEL");
    s->record = copy_of("HEDDLE_RECORD");
    s->json = copy_of("HEDDLE_JSON");
    s->platforms = (u32)MIN(MAX(number_of("HEDDLE_PLATFORMS"), 1ull), (u64)PLATFORMS_MOST);
    s->memory_b = number_of("HEDDLE_MEMORY");
    if (!s->memory_b) s->memory_b = 4ull << 30;
    s->max_instructions = number_of("HEDDLE_MAX_INSTRUCTIONS");
    read_timing(s);
    read_traces(s);
    read_launches(s);
    if (!s->ok) fprintf(stderr, "heddle: no OpenCL device: %s", s->problem.s ? s->problem.s : "unusable machine\n");
}

const struct settings *settings_get(void) {
    pthread_once(&once, read_all);
    return &settings;
}

static bool names(const char *list, const char *name) {
    size_t len = strlen(name);
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n == len && memcmp(list, name, n) == 0) return true;
        list += n + (list[n] == ',');
    }
    return false;
}

bool settings_times(const struct settings *s, const char *kernel, u64 launch) {
    if (s->functional || launch < s->first || launch > s->last || launch < s->timing.fast_forward_launches) return false;
    return !s->kernels || names(s->kernels, kernel);
}
