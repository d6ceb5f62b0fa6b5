/* Launches that another process has run, as a report. See record.h. */
#include "report/record.h"

#include "report/report.h"

#include <stdlib.h>

static void take(struct record *r, const struct record_header *h, const void *body) {
    r->seen[h->what]++;
    if (h->what == RECORD_OTHER_TYPE) r->other_types |= h->value;
    if (h->what != RECORD_LAUNCH) return;
    struct launch_record l;
    memcpy(&l, body, sizeof(l));
    l.kernel[sizeof(l.kernel) - 1] = 0;
    l.limiter[sizeof(l.limiter) - 1] = 0;
    VEC_PUSH(&r->launches, l);
}

bool record_read(const char *path, struct record *out) {
    size_t len, at = 0;
    char *text = text_read_file(path, &len);
    *out = (struct record){0};
    if (!text) return false;
    bool ok = true;
    u32 last_pid = 0;
    while (ok && len - at >= sizeof(struct record_header)) {
        struct record_header h;
        memcpy(&h, text + at, sizeof(h));
        at += sizeof(h);
        ok = h.magic == RECORD_MAGIC && h.what < RECORD_KINDS &&
             h.bytes == (h.what == RECORD_LAUNCH ? sizeof(struct launch_record) : 0);
        if (!ok || len - at < h.bytes) break; /* the last one may be cut off: its writer was killed */
        take(out, &h, text + at);
        at += h.bytes;
        if (h.pid != last_pid) out->processes++;
        last_pid = h.pid;
    }
    free(text);
    return ok;
}

void record_free(struct record *r) { free(r->launches.at); }

/* As much memory, in as many buffers, as the launch had that had most */
static void fill_memory(const struct record *rec, struct manifest *m) {
    const struct launch_record *most = NULL;
    for (u32 i = 0; i < rec->launches.n; i++)
        if (!most || rec->launches.at[i].memory_b > most->memory_b) most = &rec->launches.at[i];
    if (!most || !most->buffers) return;
    m->nbuffers = most->buffers;
    m->buffers = ARENA_ARRAY(&m->arena, struct manifest_buffer, m->nbuffers);
    m->buffers[0].bytes = most->memory_b;
}

/* The manifest and the play that would have given these launches */
static void fill_play(const struct record *rec, struct play *play, struct manifest *m) {
    u32 n = rec->launches.n;
    m->nlaunches = n;
    m->launches = ARENA_ARRAY(&m->arena, struct manifest_launch, n);
    play->launches = base_alloc((n + 1u) * sizeof(*play->launches));
    for (u32 i = 0; i < n; i++) {
        const struct launch_record *l = &rec->launches.at[i];
        m->launches[i] = (struct manifest_launch){.kernel = l->kernel, .dynamic_shared_b = l->dynamic_shared_b};
        memcpy(m->launches[i].grid, l->grid, sizeof(l->grid));
        memcpy(m->launches[i].block, l->block, sizeof(l->block));
        play->launches[i] = (struct play_launch){.result = l->result, .done = true};
    }
}

static struct report_kernel *kernel_of(struct report *r, const struct launch_record *l, const struct manifest_launch *first) {
    for (u32 i = 0; i < r->nkernels; i++)
        if (strcmp(r->kernels[i].name, l->kernel) == 0) return &r->kernels[i];
    struct report_kernel *k = &r->kernels[r->nkernels++];
    k->name = l->kernel;
    k->first = first;
    k->info = (struct heddle_kernel_info){.name = l->kernel,
                                          .registers = l->registers,
                                          .predicates = l->predicates,
                                          .shared_b = l->shared_b,
                                          .local_b = l->local_b,
                                          .const_b = l->const_b,
                                          .param_b = l->param_b,
                                          .instructions = l->instructions};
    return k;
}

void record_report(const struct record *rec, struct heddle *h, const char *name, struct play *play, struct manifest *m,
                   struct report *r) {
    u32 n = rec->launches.n;
    m->name = m->file = name;
    fill_play(rec, play, m);
    fill_memory(rec, m);
    play->m = m;
    play->h = h;
    r->play = play;
    r->kernels = base_alloc((n + 1u) * sizeof(*r->kernels));
    r->launches = base_alloc((n + 1u) * sizeof(*r->launches));
    for (u32 i = 0; i < n; i++) {
        const struct launch_record *l = &rec->launches.at[i];
        struct report_kernel *k = kernel_of(r, l, &m->launches[i]);
        if (!l->measured) continue;
        r->launches[i] = (struct report_launch){true, l->stats, l->hash};
        r->launches[i].stats.occupancy.limiter = l->limiter[0] ? l->limiter : NULL;
        r->launches[i].stats.index = i;
        launch_stats_add(&k->timing, &r->launches[i].stats);
        launch_stats_add(&r->total, &r->launches[i].stats);
    }
    report_collect(r);
}

void record_report_free(struct play *play, struct manifest *m, struct report *r) {
    report_free(r);
    free(play->launches);
    arena_free(&m->arena);
}
