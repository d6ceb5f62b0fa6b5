/* Adding up launches: per kernel and for the whole run.
 *
 * What a timed launch measured must be taken when it ends (report_keep): the next launch overwrites it.
 * Per-SM figures are thrown away there unless they were asked for, and those per instruction are summed per
 * kernel, so that a run of a thousand launches stays small. */
#include "report/report.h"

#include <fnmatch.h>
#include <stdlib.h>

static struct report_kernel *find_kernel(struct report *r, u32 launch) {
    const struct manifest_launch *l = &r->play->m->launches[launch];
    if (!r->kernels) r->kernels = base_alloc(r->play->m->nlaunches * sizeof(*r->kernels));
    for (u32 i = 0; i < r->nkernels; i++)
        if (strcmp(r->kernels[i].name, l->kernel) == 0) return &r->kernels[i];
    struct report_kernel *k = &r->kernels[r->nkernels++];
    k->name = l->kernel;
    k->first = l;
    heddle_kernel_info(r->play->h, r->play->launches[launch].kernel, &k->info);
    return k;
}

/* --- timed launches */

static void *copy_of(const void *from, size_t bytes) {
    if (!from || !bytes) return NULL;
    void *to = base_alloc(bytes);
    memcpy(to, from, bytes);
    return to;
}

/* Samples of every launch only where the machine asks for them: a timeline's are of the longest alone */
static struct launch_stats kept_copy(const struct launch_stats *s, const struct report_wishes *w, bool sampled) {
    struct launch_stats c = *s;
    c.per_sm = w->per_sm ? copy_of(s->per_sm, s->sms * sizeof(*s->per_sm)) : NULL;
    c.per_partition = w->per_sm ? copy_of(s->per_partition, s->partitions * sizeof(*s->per_partition)) : NULL;
    c.samples = sampled ? copy_of(s->samples, s->nsamples * sizeof(*s->samples)) : NULL;
    c.nsamples = sampled ? s->nsamples : 0;
    c.sm_samples = NULL;
    c.time = (struct timeline_lists){0};
    c.pcs = NULL;
    c.npcs = 0;
    return c;
}

static void add_pcs(struct report_kernel *k, const struct launch_stats *s) {
    if (!s->pcs) return;
    if (!k->pcs) {
        k->pcs = base_alloc(s->npcs * sizeof(*k->pcs));
        k->npcs = s->npcs;
        k->code = s->k;
    }
    u64 *to = (u64 *)k->pcs; /* pc_stats is nothing but u64 */
    const u64 *from = (const u64 *)s->pcs;
    for (size_t i = 0; i < k->npcs * sizeof(*k->pcs) / sizeof(u64); i++) to[i] += from[i];
}
_Static_assert(sizeof(struct pc_stats) % sizeof(u64) == 0, "pc_stats is added as words");

struct counters_out {
    FILE *to;
    u32 launch;
};
static void write_counter(void *user, const char *name, u64 value) {
    const struct counters_out *o = user;
    fprintf(o->to, "%u %s %llu\n", o->launch, name, (unsigned long long)value);
}

void report_keep_time(struct report_kernel *k, const struct launch_stats *s) {
    if (!s->samples || s->cycles <= k->longest.cycles) return;
    launch_stats_free(&k->longest);
    k->longest = *s;
    k->longest.per_sm = NULL;
    k->longest.per_partition = NULL;
    k->longest.pcs = NULL;
    k->longest.npcs = 0;
    k->longest.samples = copy_of(s->samples, s->nsamples * sizeof(*s->samples));
    k->longest.sm_samples = copy_of(s->sm_samples, s->sm_samples ? (size_t)s->nsamples * s->sms * sizeof(*s->sm_samples) : 0);
    k->longest.time = timeline_copy(&s->time);
}

static void add_partitions(struct report *r, const struct launch_stats *s) {
    if (!s->per_partition) return;
    if (!r->partitions) r->partitions = base_alloc(s->partitions * sizeof(*r->partitions));
    u64 *to = (u64 *)r->partitions; /* mem_stats is nothing but u64 */
    const u64 *from = (const u64 *)s->per_partition;
    for (size_t i = 0; i < s->partitions * sizeof(*r->partitions) / sizeof(u64); i++) to[i] += from[i];
}

static void add_work(struct report *r, const struct launch_stats *s) {
    if (!s->per_sm) return;
    if (!r->work) r->work = base_alloc(s->sms * sizeof(*r->work));
    for (u32 i = 0; i < s->sms; i++) r->work[i] += s->per_sm[i].warp_instructions;
}

bool report_locks(const char *list, const char *kernel) {
    bool has = false;
    for (const char *at = list; at && *at && !has;) {
        size_t n = strcspn(at, ",");
        char *pattern = strndup(at, n);
        has = *pattern && fnmatch(pattern, kernel, 0) == 0;
        free(pattern);
        at += n + (at[n] == ',');
    }
    return has;
}

void report_keep(struct report *r, u32 launch) {
    const struct launch_stats *s = heddle_launch_stats(r->play->h);
    if (!s || !s->kernel[0]) return; /* without timing, or it did not even begin */
    if (!r->launches) r->launches = base_alloc(r->play->m->nlaunches * sizeof(*r->launches));
    struct report_kernel *k = find_kernel(r, launch);
    r->launches[launch] = (struct report_launch){.kept = true,
                                                 .locked = report_locks(r->wishes.lock, k->name),
                                                 .stats = kept_copy(s, &r->wishes, heddle_config(r->play->h)->sample_cy != 0),
                                                 .hash = gpu_counters_hash(s)};
    launch_stats_add(&k->timing, s);
    r->nlocked += r->launches[launch].locked;
    if (!r->launches[launch].locked) {
        launch_stats_add(&r->total, s);
        add_work(r, s);
    }
    if (r->wishes.limits && !r->launches[launch].locked) add_partitions(r, s);
    if (r->wishes.by_pc) add_pcs(k, s);
    if (r->wishes.timeline) report_keep_time(k, s);
    if (r->counters) gpu_counters_each(s, write_counter, &(struct counters_out){r->counters, launch});
}

u64 report_state_hash(const struct report *r) {
    u64 h = heddle_memory_hash(r->play->h);
    for (u32 i = 0; r->launches && i < r->play->m->nlaunches; i++)
        if (r->launches[i].kept) h = hash_fnv1a64(h, &r->launches[i].hash, sizeof(r->launches[i].hash));
    return h;
}

/* --- all launches */

static void add_launch(struct report *r, u32 i) {
    const struct heddle_result *res = &r->play->launches[i].result;
    const struct manifest_launch *l = &r->play->m->launches[i];
    struct report_kernel *k = find_kernel(r, i);
    k->launches++;
    k->threads += res->threads;
    k->warp_instructions += res->warp_instructions;
    k->thread_instructions += res->thread_instructions;
    if (memcmp(l->grid, k->first->grid, sizeof(l->grid))) k->grid_varies = true;
    if (memcmp(l->block, k->first->block, sizeof(l->block))) k->block_varies = true;
    r->wall_seconds += res->wall_seconds;
    if (res->remark) r->remark = res->remark;
    if (r->launches && r->launches[i].locked) return;
    r->threads += res->threads;
    r->warp_instructions += res->warp_instructions;
    r->runtime_warp_instructions += res->runtime_warp_instructions;
    r->thread_instructions += res->thread_instructions;
    for (u32 c = 0; c < HEDDLE_MAX_CLASSES; c++) r->class_warp_instructions[c] += res->class_warp_instructions[c];
}

void report_collect(struct report *r) {
    for (u32 i = 0; i < r->play->m->nlaunches; i++)
        if (r->play->launches[i].done || (r->launches && r->launches[i].kept)) add_launch(r, i);
}

void report_free(struct report *r) {
    for (u32 i = 0; i < r->nkernels; i++) {
        free(r->kernels[i].pcs);
        launch_stats_free(&r->kernels[i].longest);
    }
    for (u32 i = 0; r->launches && i < r->play->m->nlaunches; i++) launch_stats_free(&r->launches[i].stats);
    free(r->kernels);
    free(r->partitions);
    free(r->work);
    free(r->launches);
}

double report_rate(const struct report *r) { return r->wall_seconds > 0 ? (double)r->warp_instructions / r->wall_seconds : 0; }
