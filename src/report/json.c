/* The same for machines. Keys are stable: scripts read them. Sizes end in _b, times in _seconds. */
#include "power/power.h"
#include "report/report.h"

json_t *json_hex64(u64 x) {
    char s[17];
    snprintf(s, sizeof(s), "%016llx", (unsigned long long)x);
    return json_string(s);
}

static json_t *triple(const u32 d[3]) { return json_pack("[I,I,I]", (json_int_t)d[0], (json_int_t)d[1], (json_int_t)d[2]); }

static json_t *mix(const u64 *classes) {
    json_t *o = json_object();
    for (u32 c = 0; c < heddle_classes(); c++)
        if (classes[c]) json_object_set_new(o, heddle_class_name(c), json_integer((json_int_t)classes[c]));
    return o;
}

/* What limits it, as the summary says it; null where nothing was counted */
static json_t *limit_json(const struct report *r, const struct launch_stats *s) {
    struct strbuf text = {0};
    report_limit(s, heddle_config(r->play->h), r->wishes.cpi, &text);
    json_t *j = text.s ? json_string(text.s) : json_null();
    strbuf_free(&text);
    return j;
}

static json_t *kernel_json(const struct report *r, const struct report_kernel *k) {
    json_t *j =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "name", k->name, "launches",
                  (json_int_t)k->launches, "threads", (json_int_t)k->threads, "warp_instructions",
                  (json_int_t)k->warp_instructions, "thread_instructions", (json_int_t)k->thread_instructions, "registers",
                  (json_int_t)k->info.registers, "predicates", (json_int_t)k->info.predicates, "shared_b",
                  (json_int_t)k->info.shared_b, "local_b", (json_int_t)k->info.local_b, "const_b", (json_int_t)k->info.const_b,
                  "param_b", (json_int_t)k->info.param_b, "instructions", (json_int_t)k->info.instructions);
    if (k->timing.sms) {
        json_add_timing(j, &k->timing);
        json_object_set_new(j, "limit", limit_json(r, &k->timing));
        if (r->wishes.limits) json_object_set_new(j, "limits", report_limits_json(&k->timing, NULL, heddle_config(r->play->h)));
        json_object_set_new(j, "energy", json_energy(heddle_config(r->play->h), &k->timing));
    }
    if (k->pcs) json_object_set_new(j, "by_pc", json_by_pc(k));
    if (k->source && k->pcs) json_object_set_new(j, "source", json_string(k->source)); /* nothing when it is no UTF-8 */
    if (!k->longest.sms) return j;
    json_object_set_new(j, "time", json_time(&k->longest));
    if (k->longest.time.ninsts) json_object_set_new(j, "pipeline", json_pipeline(&k->longest));
    return j;
}

static const struct report_kernel *kernel_of(const struct report *r, const char *name) {
    for (u32 i = 0; i < r->nkernels; i++)
        if (strcmp(r->kernels[i].name, name) == 0) return &r->kernels[i];
    return NULL;
}

static json_t *launch_json(const struct report *r, u32 i) {
    const struct manifest_launch *l = &r->play->m->launches[i];
    const struct heddle_result *res = &r->play->launches[i].result;
    const struct report_kernel *k = kernel_of(r, l->kernel);
    json_t *j = json_pack("{s:I, s:s, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}", "index",
                          (json_int_t)i, "kernel", l->kernel, "grid", triple(l->grid), "block", triple(l->block), "threads",
                          (json_int_t)res->threads, "warps", (json_int_t)res->warps, "warp_instructions",
                          (json_int_t)res->warp_instructions, "thread_instructions", (json_int_t)res->thread_instructions,
                          "registers", (json_int_t)res->registers, "shared_b", (json_int_t)k->info.shared_b + l->dynamic_shared_b,
                          "local_b", (json_int_t)k->info.local_b, "divergent_branches", (json_int_t)res->divergent_branches,
                          "global_loads", (json_int_t)res->global_loads, "global_stores", (json_int_t)res->global_stores,
                          "wall_seconds", res->wall_seconds, "instruction_mix", mix(res->class_warp_instructions));
    if (r->launches && r->launches[i].locked) json_object_set_new(j, "locked", json_true());
    if (res->runtime_warp_instructions)
        json_object_set_new(j, "runtime_warp_instructions", json_integer((json_int_t)res->runtime_warp_instructions));
    if (r->launches && r->launches[i].kept) {
        json_add_timing(j, &r->launches[i].stats);
        json_object_set_new(j, "energy", json_energy(heddle_config(r->play->h), &r->launches[i].stats));
    }
    return j;
}

static json_t *verdict_json(enum verdict v) { return v == VERDICT_NONE ? json_null() : json_boolean(v == VERDICT_OK); }

static json_t *launches_json(const struct report *r) {
    json_t *list = json_array();
    for (u32 i = 0; i < r->play->m->nlaunches; i++)
        if (r->play->launches[i].done || (r->launches && r->launches[i].kept)) json_array_append_new(list, launch_json(r, i));
    return list;
}

static json_t *kernels_json(const struct report *r) {
    json_t *list = json_array();
    for (u32 i = 0; i < r->nkernels; i++) json_array_append_new(list, kernel_json(r, &r->kernels[i]));
    return list;
}

/* Mascar's table II */
static json_t *storage_json(const struct config *c) {
    struct mascar_cost x = mascar_cost_of(c);
    return json_pack("{s:i, s:i, s:i, s:i, s:i}", "owner_b", (int)x.owner_b, "status_b", (int)x.status_b, "queue_b",
                     (int)x.queue_b, "entries", (int)x.entries, "entry_bits", (int)x.entry_bits);
}

static json_t *work_json(const struct report *r) {
    json_t *list = json_array();
    for (u32 i = 0; i < r->total.sms; i++) json_array_append_new(list, json_integer((json_int_t)r->work[i]));
    return list;
}

/* What a run with timing has beyond one without */
static void add_timed(json_t *j, const struct report *r) {
    const struct config *c = heddle_config(r->play->h);
    json_object_set_new(j, "machine", json_string(c->machine));
    json_object_set_new(j, "config_hash", json_hex64(config_hash(c)));
    json_object_set_new(j, "config", json_machine(c));
    json_object_set_new(j, "roofs", json_roofs(c));
    json_object_set_new(j, "state_hash", json_hex64(report_state_hash(r)));
    if (r->nlocked) json_object_set_new(j, "launches_locked", json_integer(r->nlocked));
    json_object_set_new(j, "warp_ipc", json_number(stat_named(&r->total, "warp_ipc")));
    json_object_set_new(j, "simulated_seconds", json_real((double)r->total.cycles / (r->total.core_mhz * 1e6)));
    json_add_timing(j, &r->total);
    if (r->work) json_object_set_new(j, "work_per_sm", work_json(r));
    json_object_set_new(j, "limit", limit_json(r, &r->total));
    if (r->wishes.limits) json_object_set_new(j, "limits", report_limits_json(&r->total, r->partitions, c));
    json_object_set_new(j, "energy", json_energy(c, &r->total));
    if (c->reexec || r->total.sum.mp_cycles) json_object_set_new(j, "mascar_storage", storage_json(c));
    const char *caveat = schedule_caveat(c, false);
    if (caveat) json_object_set_new(j, "caveats", json_pack("[s]", caveat));
    if (!r->audited) return;
    json_object_set_new(j, "audit",
                        json_pack("{s:I, s:I, s:s}", "checked", (json_int_t)r->audit.checked, "violations",
                                  (json_int_t)r->audit.violations, "text", r->audit.text));
}

json_t *report_json(const struct report *r) {
    const struct outcome *o = &r->outcome;
    json_t *j = json_object();
    json_object_set_new(j, "schema_version", json_integer(REPORT_SCHEMA));
    json_object_set_new(j, "name", json_string(r->play->m->name));
    json_object_set_new(j, "version", json_string(heddle_version()));
    json_object_set_new(j, "mode", json_string(report_timed(r) ? "timed" : "functional"));
    json_object_set_new(j, "warp_instructions", json_integer((json_int_t)r->warp_instructions));
    json_object_set_new(j, "thread_instructions", json_integer((json_int_t)r->thread_instructions));
    json_object_set_new(j, "threads", json_integer((json_int_t)r->threads));
    json_object_set_new(j, "wall_seconds", json_real(r->wall_seconds));
    json_object_set_new(j, "setup_seconds", json_real(r->setup_seconds));
    json_object_set_new(j, "warp_ips", json_real(report_rate(r)));
    json_object_set_new(j, "checksum_ok", r->stopped || r->left || r->unseen ? json_null() : verdict_json(o->verdict));
    json_object_set_new(j, "checksum", r->stopped || r->left || r->unseen ? json_null() : json_hex64(o->hash));
    json_object_set_new(j, "finished", json_boolean(!r->stopped));
    if (r->remark) json_object_set_new(j, "remark", json_string(r->remark));
    json_object_set_new(j, "footprint_b", json_integer((json_int_t)manifest_bytes(r->play->m)));
    json_object_set_new(j, "instruction_mix", mix(r->class_warp_instructions));
    if (report_timed(r)) add_timed(j, r);
    json_object_set_new(j, "kernels", kernels_json(r));
    json_object_set_new(j, "launches", launches_json(r));
    return j;
}

void report_write_json(json_t *j, FILE *f) {
    if (json_dumpf(j, f, JSON_INDENT(1) | JSON_PRESERVE_ORDER) == 0) fputc('\n', f);
    json_decref(j);
}

bool report_save_json(json_t *j, const char *file) {
    struct output o;
    struct strbuf why = {0};
    bool ok = output_open(&o, file, &why);
    if (ok) report_write_json(j, o.f);
    else json_decref(j);
    ok = ok && output_commit(&o, &why);
    if (!ok) fprintf(stderr, "%s\n", why.s);
    strbuf_free(&why);
    return ok;
}
