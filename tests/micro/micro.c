/* The other half of micro.h: compiling, running, and finding events again. */
#include "micro.h"

#include <math.h>
#include <stdio.h>

struct ran ran;
static struct heddle *context;
static char *source; /* text of the module */
static void (*started)(struct gpu *g);

__attribute__((constructor)) static void choose_tests(void) {
    if (getenv("MICRO_TEST")) cmocka_set_test_filter(getenv("MICRO_TEST"));
}

/* --- texts */

enum { TEXTS = 64 };

static char *keep(char *s) {
    static char *ring[TEXTS];
    static u32 next;
    char **at = &ring[next++ % TEXTS];
    free(*at);
    return *at = s;
}

const char *text(const char *fmt, ...) {
    char *s;
    va_list ap;
    va_start(ap, fmt);
    assert_true(vasprintf(&s, fmt, ap) >= 0);
    va_end(ap);
    return keep(s);
}

const char *join(const char *first, ...) {
    struct strbuf b = {0};
    va_list ap;
    va_start(ap, first);
    for (const char *s = first; s; s = va_arg(ap, const char *)) strbuf_add(&b, "%s", s);
    va_end(ap);
    return keep(b.s);
}

const char *series(u32 n, const char *s) {
    struct strbuf b = {0};
    strbuf_add(&b, "%s", "");
    for (u32 i = 0; i < n; i++)
        for (const char *c = s; *c; c++) {
            if (*c == '#') strbuf_add(&b, "%u", i);
            else strbuf_add(&b, "%c", *c);
        }
    return keep(b.s);
}

const char *repeat(u32 n, const char *s) { return series(n, s); }

/* --- a run */

static void on_launch(void *state, const struct kernel *k, u64 cycle) {
    (void)state;
    ran.kernel = k;
    ran.start = cycle;
    ran.events.n = 0;
    if (started) started(context->time.gpu);
}

static void on_events(void *state, const struct event *e, u32 n) {
    (void)state;
    for (u32 i = 0; i < n; i++) VEC_PUSH(&ran.events, e[i]);
}

static void set_key(struct heddle *h, const char *assignment) {
    char name[96];
    const char *eq = strchr(assignment, '=');
    assert_non_null(eq);
    snprintf(name, sizeof name, "%.*s", (int)(eq - assignment), assignment);
    if (heddle_set_key(h, name, eq + 1)) fail_msg("%s", heddle_message(h));
}

static bool set_number(struct config *c, const struct cfg_key *k, u64 x) {
    struct config other = *c;
    struct diag d = {0};
    char value[32];
    snprintf(value, sizeof value, "%llu", (unsigned long long)x);
    bool ok = config_set(&other, k->name, value, &d, NULL, 0) && config_check(&other, &d);
    if (ok) *c = other;
    diag_free(&d);
    return ok;
}

static void step_value(struct config *c, const char *name) {
    const struct cfg_key *k = cfg_key_find(name);
    if (!k) fail_msg("MICRO_STEP: no key \"%s\"", name);
    u32 *x = (u32 *)((char *)c + k->offset);
    switch (k->type) {
    case KEY_TYPE_U32:
        (void)(set_number(c, k, *x + 1ull) || set_number(c, k, *x * 2ull) || set_number(c, k, *x - 1ull) ||
               set_number(c, k, *x / 2));
        return;
    case KEY_TYPE_BOOL: *x = !*x; return;
    case KEY_TYPE_CHOICE: {
        u32 words = 1;
        for (const char *s = k->choices; *s; s++) words += *s == '|';
        *x = (*x + 1) % words;
        return;
    }
    case KEY_TYPE_COLLECTORS: c->collectors.generic++, c->collectors.alu++, c->collectors.sfu++, c->collectors.mem++; return;
    default: return;
    }
}

/* One step away: the next number that is legal, the other truth, the next word; where no step is legal the
 * key stays */
static void step_key(struct config *c, const char *name) {
    struct config before = *c;
    struct diag d = {0};
    step_value(c, name);
    if (!config_check(c, &d)) *c = before;
    diag_free(&d);
}

static const char *const out_of_the_way[] = {"sm.icache.ideal=true", "sm.inst_b=1", "sm.fetch.insts=16", "sm.fetch.warps=16",
                                             "sm.ibuffer=64"};

static void set_machine(struct heddle *h, const struct micro *m) {
    if (heddle_set_machine(h, m->machine ? m->machine : "small")) fail_msg("%s", heddle_message(h));
    for (u32 i = 0; !m->front && i < ARRAY_LEN(out_of_the_way); i++) set_key(h, out_of_the_way[i]);
    for (u32 i = 0; i < ARRAY_LEN(m->keys) && m->keys[i]; i++) set_key(h, m->keys[i]);
    if (getenv("MICRO_STEP")) step_key(&h->time.config, getenv("MICRO_STEP"));
    struct heddle_timing timing = m->timing;
    if (getenv("MICRO_TICK")) timing.no_jumps = true, timing.window_cycles = 1, timing.check_cycles = 64;
    if (heddle_timing(h, &timing)) fail_msg("%s", heddle_message(h));
    struct listener l = {.launch = on_launch, .events = on_events};
    VEC_PUSH(&h->time.listeners, l);
    heddle_audit(h, true);
}

static struct heddle_module *loaded; /* of the last run */

static struct heddle_kernel *compile(struct heddle *h, const struct micro *m) {
    struct heddle_module *module;
    struct strbuf b = {0};
    strbuf_add(&b,
               ".version 8.0\n.target sm_80\n.address_size 64\n%s.visible .entry k(.param .u64 out)\n{\n%s%s    ret; // end\n}\n",
               m->globals ? m->globals : "", MICRO_REGS, m->body);
    free(source);
    source = b.s;
    if (heddle_module_load(h, "micro.ptx", b.s, b.len, &module)) fail_msg("%s", heddle_message(h));
    loaded = module;
    return heddle_module_kernel(module, "k");
}

static void bind_texture(struct heddle *h, const struct heddle_texture *like) {
    struct heddle_texture t = *like;
    t.address = ran.out;
    if (heddle_texture_bind(h, loaded, "image", &t)) fail_msg("%s", heddle_message(h));
}

void micro_read(u64 offset, void *to, u32 bytes) {
    assert_int_equal(heddle_read(context, ran.out + offset, to, bytes), HEDDLE_OK);
}

void micro_end(void) {
    if (context) heddle_close(context);
    context = NULL;
    free(ran.events.at);
    free(source);
    source = NULL;
    ran = (struct ran){0};
}

void micro_run(const struct micro *m) {
    micro_end();
    static bool registered;
    if (!registered) registered = !atexit(micro_end);
    started = m->started;
    struct heddle *h = context = heddle_open(NULL);
    set_machine(h, m);
    struct heddle_kernel *k = compile(h, m);
    ran.out = heddle_alloc(h, m->out_b ? m->out_b : 1 << 20);
    if (m->texture) bind_texture(h, m->texture);
    if (m->init) assert_int_equal(heddle_write(h, ran.out, m->init, m->init_b), HEDDLE_OK);
    struct heddle_arg arg = {&ran.out, sizeof ran.out};
    struct heddle_launch l = {.grid = {m->blocks ? m->blocks : 1, 1, 1},
                              .block = {m->threads ? m->threads : 32, 1, 1},
                              .args = &arg,
                              .nargs = 1,
                              .registers = m->registers,
                              .dynamic_shared_b = m->dynamic_shared_b};
    struct heddle_result r;
    for (u32 i = 0; i < MAX(m->launches, 1u); i++) {
        int status = heddle_launch(h, k, &l, &r);
        if (status != (m->fault ? HEDDLE_FAULT : HEDDLE_OK)) fail_msg("status %d: %s", status, heddle_message(h));
    }
    if (m->fault) {
        if (!strstr(heddle_message(h), m->fault)) fail_msg("\"%s\" is not in: %s", m->fault, heddle_message(h));
        return;
    }
    if (getenv("MICRO_TIMELINE")) timeline(stderr);
    struct heddle_audit_result audit = heddle_audit_result(h);
    if (audit.violations) fail_msg("%s", audit.text);
    ran.cycles = r.cycles;
    ran.stats = heddle_launch_stats(h);
    ran.config = heddle_config(h);
}

/* --- instructions */

static u32 line_of(const char *label) {
    char mark[64];
    int n = snprintf(mark, sizeof mark, "// %s\n", label);
    const char *at = strstr(source, mark);
    if (!at || strstr(at + n, mark)) fail_msg("not one line but %s has the label %s", at ? "several" : "none", label);
    u32 line = 1;
    for (const char *c = source; c < at; c++) line += *c == '\n';
    return line;
}

i32 pc_of(const char *label) {
    u32 line = line_of(label);
    for (u32 pc = 0; pc < ran.kernel->ninst; pc++)
        if (ran.kernel->code[pc].src && ran.kernel->code[pc].src->text_line == line) return (i32)pc;
    fail_msg("the line with the label %s is no instruction", label);
    return NONE;
}

const struct inst *inst_of(const char *label) { return &ran.kernel->code[pc_of(label)]; }

u32 dest_of(const char *label) {
    struct inst_regs r;
    inst_regs(inst_of(label), &r);
    assert_true(r.ndst > 0);
    return r.dst[0];
}

u32 source_of(const char *label, u32 n) {
    struct inst_regs r;
    inst_regs(inst_of(label), &r);
    assert_true(n < r.nsrc);
    return r.src[n];
}

/* Numbers of instructions in flight rise in order of issue. */
static u64 uid_of(struct who w) {
    i32 pc = pc_of(w.label);
    u64 last = 0;
    for (u32 n = 0; n <= w.nth; n++) {
        u64 next = UINT64_MAX;
        for (u32 i = 0; i < ran.events.n; i++) {
            const struct event *e = &ran.events.at[i];
            if (e->kind == EV_ISSUE && e->pc == pc && e->slot == w.slot && e->sm == w.sm && e->uid > last)
                next = MIN(next, e->uid);
        }
        if (next == UINT64_MAX) fail_msg("%s issued %u times in slot %u of SM %u", w.label, n, w.slot, w.sm);
        last = next;
    }
    return last;
}

const struct event *event_of(enum event_kind kind, struct who w) {
    u64 uid = uid_of(w);
    const struct event *first = NULL;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == kind && e->uid == uid && e->sm == w.sm && (!first || e->cycle < first->cycle)) first = e;
    }
    return first;
}

u64 when_of(enum event_kind kind, struct who w) {
    const struct event *e = event_of(kind, w);
    if (!e) fail_msg("no event %d of %s", kind, w.label);
    return e->cycle;
}

u32 events_of(enum event_kind kind, struct who w) {
    u64 uid = uid_of(w);
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++)
        n += ran.events.at[i].kind == kind && ran.events.at[i].uid == uid && ran.events.at[i].sm == w.sm;
    return n;
}

u32 hazards_of(struct who w, enum hazard h) {
    u64 uid = uid_of(w);
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind == EV_HAZARD && e->uid == uid && e->sm == w.sm && e->cause == h) n += (u32)e->a;
    }
    return n;
}

u32 count(enum event_kind kind) {
    u32 n = 0;
    for (u32 i = 0; i < ran.events.n; i++) n += ran.events.at[i].kind == kind;
    return n;
}

const struct event *event_at(enum event_kind kind, u32 nth) {
    const struct event *last = NULL;
    for (u32 n = 0; n <= nth; n++) {
        const struct event *next = NULL;
        for (u32 i = 0; i < ran.events.n; i++) {
            const struct event *e = &ran.events.at[i];
            if (e->kind != kind || (last && (e->cycle < last->cycle || (e->cycle == last->cycle && e <= last)))) continue;
            if (!next || e->cycle < next->cycle) next = e;
        }
        if (!next) return NULL;
        last = next;
    }
    return last;
}

static const char *const event_names[EV_KINDS] = {
    [EV_CTA_START] = "cta_start", [EV_CTA_END] = "cta_end",     [EV_WARP_START] = "warp_start",
    [EV_WARP_END] = "warp_end",   [EV_FETCH] = "fetch",         [EV_FLUSH] = "flush",
    [EV_ISSUE] = "issue",         [EV_READ] = "read",           [EV_DISPATCH] = "dispatch",
    [EV_READY] = "ready",         [EV_MEM_ENTER] = "mem_enter", [EV_HAZARD] = "hazard",
    [EV_ACCESS] = "access",       [EV_COMPLETE] = "complete",   [EV_DONE] = "done",
    [EV_STALL] = "stall",         [EV_GROUP] = "group",         [EV_WEAVE] = "weave",
    [EV_COUNTER] = "counter",     [EV_WINDOW] = "window",       [EV_RETIRE] = "retire",
    [EV_REPLAY] = "replay",       [EV_SQUASH] = "squash",       [EV_FRONT] = "front",
};

static void show_causes(FILE *out, u64 set) {
    for (; set; set &= set - 1) fprintf(out, " %s", stall_table[__builtin_ctzll(set)].name);
}

void timeline(FILE *out) {
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        bool has_pc =
            e->kind == EV_ISSUE || e->kind == EV_FETCH || e->kind == EV_STALL || e->kind == EV_GROUP || e->kind == EV_FRONT;
        fprintf(out, "%6lld sm%u w%-2u %-10s", (long long)(e->cycle - ran.start), e->sm, e->slot, event_names[e->kind]);
        if (e->uid) fprintf(out, " #%llu", (unsigned long long)e->uid);
        if (e->kind == EV_STALL) fprintf(out, " from %lld", (long long)(e->a - ran.start)), show_causes(out, e->mask);
        else
            fprintf(out, " cause %u a %llx b %llx mask %llx", e->cause, (unsigned long long)e->a, (unsigned long long)e->b,
                    (unsigned long long)e->mask);
        if (has_pc && e->pc >= 0 && ran.kernel->code[e->pc].src) fprintf(out, "  %s", inst_text(ran.kernel->code[e->pc].src));
        fputc('\n', out);
    }
}

/* --- statistics */

double stat_of(const char *name) {
    double x = NAN;
    if (heddle_stat(context, name, &x)) fail_msg("%s", heddle_message(context));
    return x;
}

u64 warp_time(enum stall s) {
    u64 sum = 0;
    for (u32 i = 0; i < ran.stats->schedulers; i++) sum += ran.stats->sum.sched[i].warp_time[s];
    return sum;
}

double time_share(enum stall s) {
    u64 sum = 0;
    for (u32 i = 0; i < STALL_COUNT; i++) sum += i == STALL_EMPTY ? 0 : warp_time((enum stall)i);
    return (double)warp_time(s) / (double)sum;
}

double cpi_share(enum cpi_method m, enum cpi x) {
    u64 sum = 0, part = 0;
    for (u32 i = 0; i < ran.stats->schedulers; i++)
        for (u32 k = 0; k < CPI_COUNT; k++) {
            sum += ran.stats->sum.sched[i].cpi[m][k];
            part += k == x ? ran.stats->sum.sched[i].cpi[m][k] : 0;
        }
    return (double)part / (double)sum;
}
