/* What a run gave, as a flat list of names and values, made of the JSON that `heddle run --json` writes.
 *
 * Numbers keep their names; those of objects get a prefix: warp_time.long_scoreboard is
 * stall_long_scoreboard, cpi.gsi.total.base is cpi_gsi_base. A name comes once: what the top of the JSON has
 * is not taken again from its counters. Launches are left out: kernels are their sums. */
#include "report/report.h"
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { RESULT_FORM = 1 }; /* of a file of one run */

const struct result_value *result_value(const struct result_row *r, const char *name) {
    for (u32 i = 0; i < r->at.n; i++)
        if (strcmp(r->at.at[i].name, name) == 0) return &r->at.at[i];
    return NULL;
}

/* Names become columns: a file may hold any, ours are of these letters */
static bool is_name(const char *name) { return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")]; }

static void add(struct result *r, struct result_row *to, const char *prefix, const char *name, const json_t *v) {
    if (!is_name(name)) return;
    struct result_value x = {.name = *prefix ? arena_printf(&r->mem, "%s_%s", prefix, name)
                                             : arena_strdup(&r->mem, name, strlen(name))};
    if (json_is_integer(v)) x.kind = RESULT_INTEGER, x.i = json_integer_value(v);
    else if (json_is_real(v)) x.kind = RESULT_REAL, x.x = json_real_value(v);
    else if (json_is_boolean(v)) x.kind = RESULT_INTEGER, x.i = json_is_true(v);
    else if (json_is_null(v)) x.kind = RESULT_NULL;
    else if (json_is_string(v)) x.kind = RESULT_TEXT, x.text = arena_strdup(&r->mem, json_string_value(v), json_string_length(v));
    else return;
    if (!result_value(to, x.name)) VEC_PUSH(&to->at, x);
}

static void add_all(struct result *r, struct result_row *to, const char *prefix, json_t *o) {
    const char *key;
    json_t *v;
    json_object_foreach(o, key, v) add(r, to, prefix, key, v);
}

static void add_energy(struct result *r, struct result_row *to, const json_t *energy) {
    if (!energy) return;
    add(r, to, "energy", "total", json_object_get(energy, "total"));
    add_all(r, to, "energy", json_object_get(energy, "parts"));
    add_all(r, to, "energy_group", json_object_get(energy, "groups"));
}

static void add_lanes(struct result *r, struct result_row *to, const json_t *lanes) {
    for (size_t i = 0; i < json_array_size(lanes); i++) {
        char name[32];
        snprintf(name, sizeof(name), "%zu", i);
        add(r, to, "lanes", name, json_array_get(lanes, i));
    }
}

/* A list is one column, as JSON, which SQLite's json_each takes apart */
static void add_work(struct result *r, struct result_row *to, const json_t *work) {
    char *text = work ? json_dumps(work, JSON_COMPACT) : NULL;
    struct result_value x = {.name = "work_per_sm", .kind = RESULT_TEXT, .text = text};
    if (!text) return;
    x.text = arena_strdup(&r->mem, text, strlen(text));
    VEC_PUSH(&to->at, x);
    free(text);
}

/* Of a run or a kernel */
static void add_row(struct result *r, struct result_row *to, json_t *o) {
    const char *method;
    json_t *v;
    add_all(r, to, "", o);
    add_all(r, to, "", json_object_get(o, "counters"));
    add_all(r, to, "", json_object_get(o, "formulas"));
    json_object_foreach(json_object_get(o, "cpi"), method, v) {
        add_all(r, to, arena_printf(&r->mem, "cpi_%s", method), json_object_get(v, "total"));
    }
    add_all(r, to, "estimate", json_object_get(o, "estimate"));
    add_all(r, to, "stall", json_object_get(o, "warp_time"));
    add_all(r, to, "sched", json_object_get(o, "sched_cycles"));
    add_all(r, to, "hazard", json_object_get(o, "hazards"));
    add_lanes(r, to, json_object_get(o, "lanes"));
    add_energy(r, to, json_object_get(o, "energy"));
    add_work(r, to, json_object_get(o, "work_per_sm"));
}

/* What stands in columns of its own, or says how fast the host was */
static bool is_apart(const char *name) {
    static const char *const apart[] = {"schema_version", "name", "machine", "config_hash", "warp_ips", "finished", "error"};
    for (u32 i = 0; i < ARRAY_LEN(apart); i++)
        if (strcmp(name, apart[i]) == 0) return true;
    return false;
}

static void leave_out(struct result_row *row) {
    u32 n = 0;
    for (u32 i = 0; i < row->at.n; i++)
        if (!is_apart(row->at.at[i].name)) row->at.at[n++] = row->at.at[i];
    row->at.n = n;
}

bool result_take(struct result *r, const json_t *result, struct strbuf *why) {
    const json_t *version = json_object_get(result, "schema_version"), *kernels = json_object_get(result, "kernels");
    if (!json_is_integer(version) || !json_is_array(kernels)) {
        strbuf_add(why, "no result of heddle run");
        return false;
    }
    if (json_integer_value(version) != REPORT_SCHEMA) {
        strbuf_add(why, "a result of schema %d; this heddle reads schema %d", (int)json_integer_value(version), REPORT_SCHEMA);
        return false;
    }
    if (json_is_false(json_object_get(result, "finished"))) {
        strbuf_add(why, "the result of a run that did not end");
        return false;
    }
    r->document = json_copy((json_t *)(uintptr_t)result);
    json_object_del(r->document, "launches"); /* of a run of many they are most of it */
    add_row(r, &r->run, r->document);
    leave_out(&r->run);
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        struct result_row row = {0};
        add_row(r, &row, json_array_get(kernels, i));
        VEC_PUSH(&r->kernels, row);
    }
    return true;
}

/* --- files */

static void set_text(json_t *o, const char *key, const char *text) {
    if (text) json_object_set_new(o, key, json_stringn_nocheck(text, strlen(text)));
}

json_t *result_json(const struct result *r) {
    json_t *o = json_object();
    json_object_set_new(o, "sweep_result", json_integer(RESULT_FORM));
    json_object_set_new(o, "run_hash", json_hex64(r->what.hash));
    json_object_set_new(o, "config_hash", json_hex64(r->what.config_hash));
    set_text(o, "program", r->what.program);
    set_text(o, "size", r->what.size);
    set_text(o, "machine", r->what.machine);
    set_text(o, "settings", r->what.settings);
    set_text(o, "measure", r->what.measure);
    set_text(o, "message", r->message);
    set_text(o, "host", r->host);
    set_text(o, "commit", r->commit);
    json_object_set_new(o, "done", json_boolean(r->done));
    json_object_set_new(o, "exit_code", json_integer(r->exit_code));
    json_object_set_new(o, "attempt", json_integer(r->attempt));
    json_object_set_new(o, "threads", json_integer(r->threads));
    json_object_set_new(o, "started", json_real(r->started));
    json_object_set_new(o, "seconds", json_real(r->seconds));
    json_object_set_new(o, "cpu_seconds", json_real(r->cpu_seconds));
    json_object_set_new(o, "peak_bytes", json_integer((json_int_t)r->peak_b));
    if (r->document) json_object_set(o, "result", r->document);
    return o;
}

static const char *text_of(struct result *r, const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? arena_strdup(&r->mem, text, strlen(text)) : "";
}
static u64 hash_in(const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? strtoull(text, NULL, 16) : 0;
}
static i64 integer_of(const json_t *o, const char *key) { return json_integer_value(json_object_get(o, key)); }
static double real_of(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }

void result_what_of(struct result *r, const json_t *o) {
    r->what = (struct result_what){.program = text_of(r, o, "program"),
                                   .size = text_of(r, o, "size"),
                                   .machine = text_of(r, o, "machine"),
                                   .settings = text_of(r, o, "settings"),
                                   .measure = text_of(r, o, "measure"),
                                   .hash = hash_in(o, "run_hash"),
                                   .config_hash = hash_in(o, "config_hash")};
}

/* What --print-commands' commands leave. A run that failed by itself, such as one that faults, fails the next
 * time too and is recorded; one that somebody ended (128 and a signal's number) says nothing of the run. */
static bool take_plain(struct result *r, const json_t *o, struct strbuf *why) {
    const char *error = json_string_value(json_object_get(o, "error"));
    i64 code = integer_of(o, "exit_code");
    if (json_is_false(json_object_get(o, "finished")) && error && code > 1 && code < 128) {
        char *message = arena_strdup(&r->mem, error, strlen(error));
        text_make_safe(message);
        r->message = message;
        r->exit_code = (int)code;
        return true;
    }
    r->exit_code = json_is_false(json_object_get(o, "checksum_ok"));
    r->done = result_take(r, o, why);
    if (!r->done && error) strbuf_add(why, ": %s", error);
    return r->done;
}

static bool take_file(struct result *r, const json_t *o, struct strbuf *why) {
    if (!json_object_get(o, "sweep_result")) return take_plain(r, o, why);
    if (integer_of(o, "sweep_result") != RESULT_FORM) {
        strbuf_add(why, "a result of another heddle's form (%d; this one knows %d)", (int)integer_of(o, "sweep_result"),
                   RESULT_FORM);
        return false;
    }
    result_what_of(r, o);
    r->message = text_of(r, o, "message");
    r->host = text_of(r, o, "host");
    r->commit = text_of(r, o, "commit");
    r->exit_code = (int)integer_of(o, "exit_code");
    r->attempt = (u32)integer_of(o, "attempt");
    r->threads = (u32)integer_of(o, "threads");
    r->started = real_of(o, "started");
    r->seconds = real_of(o, "seconds");
    r->cpu_seconds = real_of(o, "cpu_seconds");
    r->peak_b = (u64)integer_of(o, "peak_bytes");
    r->done = json_is_true(json_object_get(o, "done"));
    return !r->done || result_take(r, json_object_get(o, "result"), why);
}

bool result_read(struct result *r, const char *path, struct strbuf *why) {
    size_t len = 0;
    json_error_t e;
    char *text = limit_read_file(path, LIMIT_OTHER, &len, why);
    json_t *o = text ? json_loadb(text, len, 0, &e) : NULL;
    if (text && !o) strbuf_add(why, "no JSON: line %d: %s", e.line, e.text);
    bool ok = o && take_file(r, o, why);
    json_decref(o);
    free(text);
    return ok;
}

void result_free(struct result *r) {
    json_decref(r->document);
    for (u32 i = 0; i < r->kernels.n; i++) free(r->kernels.at[i].at.at);
    free(r->kernels.at);
    free(r->run.at.at);
    arena_free(&r->mem);
    *r = (struct result){0};
}
