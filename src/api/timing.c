/* Time: the machine of a context, measuring control, traces and audit.
 *
 * T1 the chip exists from the first launch on; what it is made of cannot change afterwards
 * T2 stats are those of the last launch, and only when it ran on the machine */
#include "api/api.h"

#include <stdlib.h>

static int too_late(struct heddle *h, const char *what) {
    if (!h->time.gpu) return HEDDLE_OK;
    return api_fail(h, HEDDLE_BAD_INPUT, "%s must be chosen before the first launch; open another context for another one\n",
                    what);
}

/* The messages of d become the context's */
static int from_diag(struct heddle *h, struct diag *d) {
    int status = api_fail(h, HEDDLE_BAD_INPUT, "%s", d->text.s ? d->text.s : "unusable machine\n");
    diag_free(d);
    return status;
}

/* --- the machine */

/* Where data lies is the machine's word until something lies there */
static void place_memory(struct heddle *h) {
    if (!h->mem.allocs.n) h->mem.next = GLOBAL_BASE + ((u64)h->time.config.address_offset_b + 255) / 256 * 256;
}

int heddle_set_machine(struct heddle *h, const char *name_or_path) {
    int status = too_late(h, "the machine");
    if (status) return status;
    struct config c;
    struct diag d = {0};
    config_default(&c);
    if (!machine_load(&c, name_or_path, &d)) return from_diag(h, &d);
    diag_free(&d);
    h->time.config = c;
    h->time.on = true;
    place_memory(h);
    return HEDDLE_OK;
}

int heddle_set_key(struct heddle *h, const char *key, const char *value) {
    int status = too_late(h, "the machine's keys");
    if (!status && !h->time.on) status = heddle_set_machine(h, HEDDLE_DEFAULT_MACHINE);
    if (status) return status;
    struct diag d = {0};
    if (!config_set(&h->time.config, key, value, &d, NULL, 0)) return from_diag(h, &d);
    diag_free(&d);
    place_memory(h);
    return HEDDLE_OK;
}

int heddle_set_config(struct heddle *h, const struct config *c) {
    int status = too_late(h, "the machine");
    if (status) return status;
    h->time.config = *c;
    h->time.on = true;
    place_memory(h);
    return HEDDLE_OK;
}

const struct config *heddle_config(const struct heddle *h) { return h->time.on ? &h->time.config : NULL; }
u32 timing_warp_size(const struct heddle *h) { return h->time.on ? h->time.config.warp_size : h->opt.warp_size; }

int heddle_timing(struct heddle *h, const struct heddle_timing *t) {
    int status = too_late(h, "what is measured");
    if (status) return status;
    struct gpu_limits limits = {
        .timeline = h->time.limits.timeline,
        .warmup_cy = t->warmup_cycles,
        .warmup_once = t->warmup_once,
        .max_cy = t->max_cycles,
        .fast_forward_ctas = t->fast_forward_ctas,
        .fast_forward_launches = t->fast_forward_launches,
        .max_warp_instructions = t->max_warp_instructions,
        .sample = t->sample_percent ? MIN(t->sample_percent, 100u)
                  : t->sample       ? SAMPLE_AUTO
                                    : 0,
        .flush = t->flush,
        .threads = t->threads,
        .window_cy = t->window_cycles,
        .no_jumps = t->no_jumps,
        .check_cy = t->check_cycles,
        .end_cy = t->exit_cycle ? t->exit_cycle : t->end_cycle,
        .exit = t->exit_cycle != 0,
    };
    struct gpu_bound a, b;
    if (t->exit_cycle && t->end_cycle)
        return api_fail(h, HEDDLE_BAD_INPUT, "exit_cycle and end_cycle do not go together: leave one out\n");
    if (gpu_limits_clash(&limits, &a, &b))
        return api_fail(h, HEDDLE_BAD_INPUT, "%s and %s do not go together: both choose what is timed; leave one out\n", a.field,
                        b.field);
    h->time.limits = limits;
    return HEDDLE_OK;
}

/* --- traces and audit */

static struct trace_window window_of(const struct heddle_window *w) {
    if (!w) return (struct trace_window){.to = UINT64_MAX, .sm = -1, .slot = -1};
    return (struct trace_window){w->from, w->to ? w->to : UINT64_MAX, w->sm, w->warp, w->limit_b, 0};
}

int heddle_trace_konata(struct heddle *h, FILE *out, const struct heddle_window *w) {
    int status = too_late(h, "a trace");
    if (!status && h->time.konata) status = api_fail(h, HEDDLE_BAD_INPUT, "there is a Konata trace already; one is the limit\n");
    if (status) return status;
    struct trace_window window = window_of(w);
    struct listener l;
    h->time.konata = konata_open(out, &window, &l);
    VEC_PUSH(&h->time.listeners, l);
    return HEDDLE_OK;
}

int heddle_trace_perfetto(struct heddle *h, FILE *out, const struct heddle_window *w) {
    int status = too_late(h, "a trace");
    if (!status && h->time.perfetto)
        status = api_fail(h, HEDDLE_BAD_INPUT, "there is a Perfetto trace already; one is the limit\n");
    if (status) return status;
    struct trace_window window = window_of(w);
    struct listener l;
    h->time.perfetto = perfetto_open(out, &window, &l);
    VEC_PUSH(&h->time.listeners, l);
    return HEDDLE_OK;
}

int heddle_trace_replay(struct heddle *h, FILE *out, const struct heddle_window *w) {
    int status = too_late(h, "a trace");
    if (!status && h->time.replays)
        status = api_fail(h, HEDDLE_BAD_INPUT, "there is a trace of replays already; one is the limit\n");
    if (status) return status;
    struct trace_window window = window_of(w);
    struct listener l;
    h->time.replays = replays_open(out, &window, &l);
    VEC_PUSH(&h->time.listeners, l);
    return HEDDLE_OK;
}

int heddle_timeline(struct heddle *h, const struct heddle_window *w) {
    int status = too_late(h, "a timeline");
    if (!status && h->time.timeline) status = api_fail(h, HEDDLE_BAD_INPUT, "there is a timeline already; one is the limit\n");
    if (status) return status;
    struct trace_window window = window_of(w);
    struct listener l;
    h->time.timeline = timeline_new(&window, &l);
    h->time.limits.timeline = true;
    VEC_PUSH(&h->time.listeners, l);
    return HEDDLE_OK;
}

/* The chip goes with the listeners it would call; a launch after this starts on a new one, with cold caches
 * and without traces */
int heddle_trace_end(struct heddle *h) {
    bool ok = true;
    if (h->time.gpu) gpu_free(h->time.gpu);
    h->time.gpu = NULL;
    if (h->time.konata) ok = konata_close(h->time.konata) && ok;
    if (h->time.perfetto) ok = perfetto_close(h->time.perfetto) && ok;
    if (h->time.replays) replays_close(h->time.replays);
    if (h->time.timeline) timeline_free(h->time.timeline);
    h->time.timeline = NULL;
    h->time.limits.timeline = false;
    h->time.konata = NULL;
    h->time.perfetto = NULL;
    h->time.replays = NULL;
    free(h->time.listeners.at);
    h->time.listeners.at = NULL;
    h->time.listeners.n = h->time.listeners.cap = 0;
    return ok ? HEDDLE_OK : api_fail(h, HEDDLE_BAD_INPUT, "a trace could not be written: is the disk full?\n");
}

int heddle_audit(struct heddle *h, bool on) {
    int status = too_late(h, "the audit");
    if (!status) h->time.audited = on;
    return status;
}

struct heddle_audit_result heddle_audit_result(const struct heddle *h) {
    const struct audit *a = h->time.audit;
    if (!a) return (struct heddle_audit_result){0, 0, ""};
    return (struct heddle_audit_result){audit_checked(a), audit_violations(a), audit_text(a)};
}

/* --- launches */

static int build(struct heddle *h) {
    struct timing *t = &h->time;
    struct diag d = {0};
    if (!config_check(&t->config, &d)) return from_diag(h, &d);
    t->gpu = gpu_new(&t->config, &t->limits, &d);
    if (!t->gpu) return from_diag(h, &d);
    diag_free(&d);
    if (t->audited) {
        struct listener l;
        if (t->audit) audit_free(t->audit);
        t->audit = audit_new(t->config.sms, t->config.warps, &l);
        audit_units(t->audit, t->config.warp_size, t->config.schedulers, t->config.interweave_lanes);
        VEC_PUSH(&t->listeners, l);
    }
    for (u32 i = 0; i < t->listeners.n; i++) gpu_listen(t->gpu, t->listeners.at[i]);
    return HEDDLE_OK;
}

int timing_launch(struct heddle *h, struct launch *l, u32 registers, bool functional) {
    struct timing *t = &h->time;
    if (t->measured) launch_stats_free(&t->stats);
    t->measured = false;
    int status = t->gpu ? HEDDLE_OK : build(h);
    if (status) return status;
    t->stats = (struct launch_stats){0};
    bool ok = gpu_launch(t->gpu, l, registers, functional, &t->stats, &t->stop);
    t->measured = true;
    if (t->timeline) t->stats.time = timeline_take(t->timeline);
    if (l->stopped) return timing_stopped(h, l);
    if (!ok) return api_fail(h, t->stats.refused ? HEDDLE_BAD_INPUT : HEDDLE_FAULT, "%s", l->fault.s);
    return HEDDLE_OK;
}

int timing_stopped(struct heddle *h, const struct launch *l) {
    h->time.stop = false;
    return api_fail(h, HEDDLE_STOPPED, "kernel '%s' was stopped after %llu cycles and %llu of %llu blocks\n", l->k->name,
                    (unsigned long long)h->time.stats.cycles, (unsigned long long)l->ctas_done, (unsigned long long)l->ctas);
}

void heddle_stop(struct heddle *h) { h->time.stop = true; }

const struct launch_stats *heddle_launch_stats(const struct heddle *h) { return h->time.measured ? &h->time.stats : NULL; }

int heddle_stat(struct heddle *h, const char *name, double *value) {
    int i = stat_find(name);
    if (i < 0) {
        const char **names = base_alloc(stat_count() * sizeof(*names));
        for (u32 k = 0; k < stat_count(); k++) names[k] = stat_at(k).name;
        const char *near = text_nearest(name, names, stat_count());
        free(names);
        return api_fail(h, HEDDLE_BAD_INPUT, "no counter or formula \"%s\"; %s%s\n", name, near ? "did you mean " : "",
                        near ? near : "\"heddle list stats\" names them");
    }
    if (!h->time.measured)
        return api_fail(h, HEDDLE_BAD_INPUT,
                        "no launch has been timed yet: choose a machine with heddle_set_machine, then launch\n");
    *value = stat_value(&h->time.stats, (u32)i);
    return HEDDLE_OK;
}

void timing_close(struct heddle *h) {
    heddle_trace_end(h);
    if (h->time.audit) audit_free(h->time.audit);
    if (h->time.measured) launch_stats_free(&h->time.stats);
}
