/* Launches that another process has run, as a report. See record.h. */
#include "report/record.h"

#include "report/report.h"

#include <stdlib.h>

static void take_pcs(struct record *r, const u8 *body, u32 bytes) {
    struct record_pcs p = {.n = (u32)((bytes - RECORD_NAME_B) / sizeof(struct record_pc))};
    memcpy(p.kernel, body, RECORD_NAME_B);
    p.kernel[RECORD_NAME_B - 1] = 0;
    p.at = base_alloc((p.n + 1u) * sizeof(*p.at));
    memcpy(p.at, body + RECORD_NAME_B, p.n * sizeof(*p.at));
    for (u32 i = 0; i < p.n; i++) p.at[i].file[sizeof(p.at[i].file) - 1] = p.at[i].text[sizeof(p.at[i].text) - 1] = 0;
    VEC_PUSH(&r->pcs, p);
}

static size_t lists_bytes(const struct launch_stats *s) {
    return s->nsamples * sizeof(*s->samples) + (size_t)s->nsamples * s->sms * sizeof(*s->sm_samples) +
           s->time.nblocks * sizeof(*s->time.blocks) + s->time.ninsts * sizeof(*s->time.insts);
}

static void *list_of(const u8 **at, size_t bytes) {
    void *to = base_alloc(bytes + 1);
    memcpy(to, *at, bytes);
    *at += bytes;
    return to;
}

static void take_time(struct record *r, const u8 *body, u32 bytes) {
    struct record_time head;
    memcpy(&head, body, sizeof(head));
    struct launch_time t = {.stats = head.stats};
    struct launch_stats *s = &t.stats;
    if (bytes != sizeof(head) + lists_bytes(s)) return;
    memcpy(t.kernel, head.kernel, sizeof(t.kernel));
    t.kernel[sizeof(t.kernel) - 1] = 0;
    const u8 *at = body + sizeof(head);
    s->samples = list_of(&at, s->nsamples * sizeof(*s->samples));
    s->sm_samples = list_of(&at, (size_t)s->nsamples * s->sms * sizeof(*s->sm_samples));
    s->time.blocks = list_of(&at, s->time.nblocks * sizeof(*s->time.blocks));
    s->time.insts = list_of(&at, s->time.ninsts * sizeof(*s->time.insts));
    for (u32 i = 0; i < s->time.ninsts; i++) s->time.insts[i].text[TIMELINE_TEXT_B - 1] = 0;
    s->per_sm = NULL;
    s->per_partition = NULL;
    s->pcs = NULL;
    s->occupancy.limiter = NULL;
    VEC_PUSH(&r->times, t);
}

static void take_source(struct record *r, const u8 *body, u32 bytes) {
    struct record_text t = {.text = strndup((const char *)body + RECORD_NAME_B, bytes - RECORD_NAME_B)};
    memcpy(t.kernel, body, RECORD_NAME_B);
    t.kernel[RECORD_NAME_B - 1] = 0;
    VEC_PUSH(&r->sources, t);
}

static bool size_fits(const struct record_header *h) {
    if (h->what == RECORD_SOURCE) return h->bytes >= RECORD_NAME_B && h->bytes - RECORD_NAME_B <= RECORD_SOURCE_B;
    if (h->what == RECORD_TIME) return h->bytes >= sizeof(struct record_time);
    if (h->what == RECORD_PCS) return h->bytes >= RECORD_NAME_B && (h->bytes - RECORD_NAME_B) % sizeof(struct record_pc) == 0;
    if (h->what == RECORD_NO_BUILD) return h->bytes <= RECORD_LOG_B;
    return h->bytes == (h->what == RECORD_LAUNCH ? sizeof(struct launch_record) : 0);
}

static void take(struct record *r, const struct record_header *h, const u8 *body) {
    r->seen[h->what]++;
    if (h->what == RECORD_OTHER_TYPE) r->other_types |= h->value;
    if (h->what == RECORD_REFUSED) r->refused = h->value;
    if (h->what == RECORD_NO_BUILD && !r->log) r->log = strndup((const char *)body, h->bytes);
    if (h->what == RECORD_PCS) take_pcs(r, body, h->bytes);
    if (h->what == RECORD_SOURCE) take_source(r, body, h->bytes);
    if (h->what == RECORD_TIME) take_time(r, body, h->bytes);
    if (h->what != RECORD_LAUNCH) return;
    struct launch_record l;
    memcpy(&l, body, sizeof(l));
    l.kernel[sizeof(l.kernel) - 1] = 0;
    l.limiter[sizeof(l.limiter) - 1] = 0;
    VEC_PUSH(&r->launches, l);
}

bool record_read(const char *path, struct record *out) {
    size_t len, at = 0;
    char *text = text_read_file(path, limit_most(LIMIT_OTHER), &len);
    *out = (struct record){0};
    if (!text) return false;
    bool ok = true;
    u32 last_pid = 0;
    while (ok && len - at >= sizeof(struct record_header)) {
        struct record_header h;
        memcpy(&h, text + at, sizeof(h));
        at += sizeof(h);
        ok = h.magic == RECORD_MAGIC && h.what < RECORD_KINDS && size_fits(&h);
        if (!ok || len - at < h.bytes) break; /* the last one may be cut off: its writer was killed */
        take(out, &h, (const u8 *)text + at);
        at += h.bytes;
        if (h.pid != last_pid) out->processes++;
        last_pid = h.pid;
    }
    free(text);
    return ok;
}

void record_free(struct record *r) {
    for (u32 i = 0; i < r->pcs.n; i++) free(r->pcs.at[i].at);
    free(r->pcs.at);
    for (u32 i = 0; i < r->times.n; i++) launch_stats_free(&r->times.at[i].stats);
    free(r->times.at);
    for (u32 i = 0; i < r->sources.n; i++) free(r->sources.at[i].text);
    free(r->sources.at);
    free(r->log);
    free(r->launches.at);
}

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

/* The instructions as the report wants to see them; one block of memory */
static const struct kernel *code_of(const struct record_pcs *p) {
    struct code {
        struct kernel k;
        struct inst_src src[];
    } *c = base_alloc(sizeof(*c) + p->n * (sizeof(struct inst_src) + sizeof(struct inst)) + 64);
    struct inst *code = (struct inst *)(((uintptr_t)(c->src + p->n) + 63) / 64 * 64);
    for (u32 i = 0; i < p->n; i++) {
        const struct record_pc *from = &p->at[i];
        c->src[i] = (struct inst_src){
            .text_line = from->text_line, .line = from->line, .file = from->file[0] ? from->file : NULL, .text = from->text};
        code[i].flags = from->flags;
        code[i].iclass = (u8)from->iclass;
        code[i].src = &c->src[i];
    }
    c->k.code = code;
    c->k.ninst = p->n;
    return &c->k;
}

/* Launches of one name with other code (another build of the program) are left out of the table */
static void add_pcs(struct report *r, const struct record_pcs *p) {
    struct report_kernel *k = NULL;
    for (u32 i = 0; i < r->nkernels && !k; i++)
        if (strcmp(r->kernels[i].name, p->kernel) == 0) k = &r->kernels[i];
    if (!k || (k->pcs && k->npcs != p->n)) return;
    if (!k->pcs) {
        k->pcs = base_alloc((p->n + 1u) * sizeof(*k->pcs));
        k->npcs = p->n;
        k->code = code_of(p);
    }
    for (u32 i = 0; i < p->n; i++) {
        u64 *to = (u64 *)&k->pcs[i]; /* pc_stats is nothing but u64 */
        const u64 *from = (const u64 *)&p->at[i].stats;
        for (size_t w = 0; w < sizeof(*k->pcs) / sizeof(u64); w++) to[w] += from[w];
    }
}

static void add_source(struct report *r, const struct record_text *t) {
    for (u32 i = 0; i < r->nkernels; i++)
        if (strcmp(r->kernels[i].name, t->kernel) == 0) r->kernels[i].source = t->text;
}

static void add_time(struct report *r, const struct launch_time *t) {
    for (u32 i = 0; i < r->nkernels; i++)
        if (strcmp(r->kernels[i].name, t->kernel) == 0) report_keep_time(&r->kernels[i], &t->stats);
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
        r->launches[i] = (struct report_launch){
            .kept = true, .locked = report_locks(r->wishes.lock, k->name), .stats = l->stats, .hash = l->hash};
        r->nlocked += r->launches[i].locked;
        r->launches[i].stats.occupancy.limiter = l->limiter[0] ? l->limiter : NULL;
        r->launches[i].stats.index = i;
        launch_stats_add(&k->timing, &r->launches[i].stats);
        if (!r->launches[i].locked) launch_stats_add(&r->total, &r->launches[i].stats);
    }
    for (u32 i = 0; i < rec->pcs.n; i++) add_pcs(r, &rec->pcs.at[i]);
    for (u32 i = 0; i < rec->sources.n; i++) add_source(r, &rec->sources.at[i]);
    for (u32 i = 0; i < rec->times.n; i++) add_time(r, &rec->times.at[i]);
    r->unseen = true;
    report_collect(r);
}

void record_report_free(struct play *play, struct manifest *m, struct report *r) {
    for (u32 i = 0; i < r->nkernels; i++) free((void *)(uintptr_t)r->kernels[i].code);
    report_free(r);
    free(play->launches);
    arena_free(&m->arena);
}
