/* What the environment says, read once. `heddle exec` sets these; a program started with the loader's
 * variables alone gets the defaults. base/env.def has the list. Without heddle exec a value that is not legal
 * is a device less, and a message that says why. */
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

static void PRINTF_LIKE(2, 3) refuse(struct settings *s, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&s->problem, fmt, ap);
    va_end(ap);
    s->ok = false;
}

static void check_environment(struct settings *s) {
    struct diag d = {0};
    if (!env_check(&d)) refuse(s, "%s", d.text.s);
    diag_free(&d);
}

static void read_timing(struct settings *s) {
    struct heddle_timing *t = &s->timing;
    const char *text = getenv("HEDDLE_TIMING");
    unsigned long long x[14] = {0};
    int used = 0;
    if (!text || !*text) return;
    int n = 0;
    for (u32 i = 0; i < ARRAY_LEN(x) && sscanf(text + used, "%llu%n", &x[i], &n) == 1; i++) used += n;
    if (text[used]) {
        refuse(s, "HEDDLE_TIMING: error: up to %zu numbers are wanted, not \"%s\"\n", ARRAY_LEN(x), text);
        return;
    }
    *t = (struct heddle_timing){.warmup_cycles = x[0],
                                .max_cycles = x[1],
                                .fast_forward_ctas = x[2],
                                .fast_forward_launches = x[3],
                                .flush = x[4] != 0,
                                .threads = (u32)x[5],
                                .window_cycles = (u32)x[6],
                                .no_jumps = x[7] != 0,
                                .check_cycles = (u32)x[8],
                                .end_cycle = x[9],
                                .max_warp_instructions = x[10],
                                .sample_percent = (u32)x[11],
                                .sample = x[12] != 0,
                                .warmup_once = x[13] != 0};
}

static void read_traces(struct settings *s) {
    static const char *const names[TRACES] = {"HEDDLE_KONATA", "HEDDLE_PERFETTO", "HEDDLE_TRACE_REPLAY"};
    const char *text = getenv("HEDDLE_TRACE_WINDOW");
    unsigned long long from, to, limit;
    s->window = (struct heddle_window){.sm = -1, .warp = -1, .limit_b = 4000000000};
    int used = 0;
    if (text && *text) {
        if (sscanf(text, "%llu %llu %d %d %llu%n", &from, &to, &s->window.sm, &s->window.warp, &limit, &used) == 5 &&
            !text[used]) {
            s->window.from = from;
            s->window.to = to;
            s->window.limit_b = limit;
        } else
            refuse(s, "HEDDLE_TRACE_WINDOW: error: from, to, SM, warp and size are wanted as five numbers, not \"%s\"\n", text);
    }
    for (u32 i = 0; i < TRACES; i++) s->traces[i] = copy_of(names[i]);
}

static void read_launches(struct settings *s) {
    const char *text = getenv("HEDDLE_LAUNCH");
    s->last = UINT64_MAX;
    if (!text || !*text) return;
    unsigned long long a, b;
    int used = 0, n = *text >= '0' && *text <= '9' ? sscanf(text, "%llu%n..%llu%n", &a, &used, &b, &used) : 0;
    if (n < 1 || text[used] || (n == 2 && b < a)) {
        refuse(s, "HEDDLE_LAUNCH: error: \"%s\" is neither N nor N..M with N not above M\n", text);
        return;
    }
    s->first = a;
    s->last = n == 2 ? b : a;
}

static void read_all(void) {
    struct settings *s = &settings;
    s->data = find_data();
    load_machine(s);
    check_environment(s);
    s->functional = env_count("HEDDLE_FUNCTIONAL");
    s->strict = env_count("HEDDLE_STRICT");
    s->progress = env_count("HEDDLE_PROGRESS");
    s->by_pc = env_count("HEDDLE_BY_PC");
    s->timeline = env_count("HEDDLE_TIMELINE");
    s->kernels = copy_of("HEDDLE_KERNEL");
    s->record = copy_of("HEDDLE_RECORD");
    s->json = copy_of("HEDDLE_JSON");
    s->platforms = MAX((u32)env_count("HEDDLE_PLATFORMS"), 1u);
    s->memory_b = env_count("HEDDLE_MEMORY");
    s->max_instructions = env_count("HEDDLE_MAX_INSTRUCTIONS");
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
