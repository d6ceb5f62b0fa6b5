/* Diagnoses of the simulated program's mistakes: what, then who and where. The first one of a launch is kept
 * and stops it. */
#include "func/func.h"

static void thread_of(const struct launch *l, u32 t, u32 out[3]) {
    out[0] = t % l->block[0];
    out[1] = t / l->block[0] % l->block[1];
    out[2] = t / l->block[0] / l->block[1];
}

void fault_where(const struct launch *l, const struct inst *in, struct strbuf *out) {
    const struct inst_src *s = in->src;
    if (l->k->first_warps) strbuf_add(out, "%s: pc %s", l->k->file, inst_text(s)); /* whose text begins with its address */
    else if (s->text_line) strbuf_add(out, "%s:%u:%u: %s", l->k->file, s->text_line, s->text_col, inst_text(s));
    else strbuf_add(out, "%s: pc %td: %s", l->k->file, in - l->k->code, inst_text(s)); /* the program is no text */
    if (s->file) strbuf_add(out, " (%s:%u)", s->file, s->line);
}

static bool fault_begin(struct launch *l) {
    if (l->faulted) return false;
    l->faulted = true;
    strbuf_add(&l->fault, "fault: ");
    return true;
}

static void fault_end(struct warp *w, const struct inst *in, int lane) {
    struct launch *l = w->launch;
    const u32 *b = w->cta->index;
    if (l->k->first_warps) strbuf_add(&l->fault, "\n  core %u, warp %u", b[0], w->id);
    else strbuf_add(&l->fault, "\n  kernel '%s', block (%u,%u,%u), warp %u", l->k->name, b[0], b[1], b[2], w->id);
    if (lane >= 0 && l->k->first_warps) strbuf_add(&l->fault, ", lane %d", lane);
    else if (lane >= 0) {
        u32 t[3];
        thread_of(l, w->tid0 + (u32)lane, t);
        strbuf_add(&l->fault, ", lane %d, thread (%u,%u,%u)", lane, t[0], t[1], t[2]);
    }
    strbuf_add(&l->fault, "\n  at ");
    fault_where(l, in, &l->fault);
    strbuf_add(&l->fault, "\n");
}

void fault_at(struct warp *w, const struct inst *in, int lane, const char *fmt, ...) {
    struct launch *l = w->launch;
    if (!fault_begin(l)) return;
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&l->fault, fmt, ap);
    va_end(ap);
    fault_end(w, in, lane);
}

/* "; buffer 0x.. of 400 bytes ends 4 bytes before it": the allocation next to a wild address, when it is
 * near */
static void describe_neighbour(struct launch *l, u64 addr) {
    const struct alloc *best = NULL;
    for (u32 i = 0; i < l->mem->allocs.n && l->mem->allocs.at[i].base <= addr; i++) best = &l->mem->allocs.at[i];
    if (!best) return;
    u64 past = addr - (best->base + best->size_b);
    if (past == 0)
        strbuf_add(&l->fault, ": just past the end of the %llu-byte allocation at 0x%llx", (unsigned long long)best->size_b,
                   (unsigned long long)best->base);
    else if (past < 65536)
        strbuf_add(&l->fault, ": %llu bytes past the end of the %llu-byte allocation at 0x%llx", (unsigned long long)past,
                   (unsigned long long)best->size_b, (unsigned long long)best->base);
}

static u64 space_size(const struct warp *w, enum space s) {
    const struct launch *l = w->launch;
    return s == SPACE_SHARED ? l->shared_b : s == SPACE_PARAM ? l->k->param_b : l->k->local_b;
}

void fault_access(struct warp *w, const struct inst *in, u32 slab, const struct maccess *a, enum space space) {
    struct launch *l = w->launch;
    if (!fault_begin(l)) return;
    static const char *const verbs[] = {[ICLASS_LOAD] = "load of",
                                        [ICLASS_STORE] = "store of",
                                        [ICLASS_ATOMIC] = "atomic on",
                                        [ICLASS_TEX] = "read of a texel of"};
    const char *verb = in->iclass < ARRAY_LEN(verbs) && verbs[in->iclass] ? verbs[in->iclass] : "access of";
    u64 addr = a->addr[a->fault_lane];
    if (space == SPACE_TEX) space = SPACE_GLOBAL;
    strbuf_add(&l->fault, "%s %u bytes at %s address 0x%llx", verb, a->size_b,
               space == SPACE_GENERIC ? "global" : space_names[space], (unsigned long long)addr);
    switch ((enum fault_kind)a->fault) {
    case FAULT_MISALIGNED: strbuf_add(&l->fault, ", which is not a multiple of %u", a->align_b); break;
    case FAULT_FREED: {
        const struct alloc *al = memory_find(l->mem, addr);
        strbuf_add(&l->fault, ", in the freed allocation of %llu bytes at 0x%llx", (unsigned long long)al->size_b,
                   (unsigned long long)al->base);
        break;
    }
    case FAULT_READ_ONLY: strbuf_add(&l->fault, ", in constant memory, which may only be read"); break;
    default:
        if (space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_GENERIC) {
            strbuf_add(&l->fault, addr < 4096 ? ", a null pointer" : ", outside every allocation");
            if (addr < GLOBAL_BASE && in->space == SPACE_GENERIC && in->key)
                strbuf_add(&l->fault, " (or a shared or local address that cvta did not make generic)");
            if (addr >= 4096) describe_neighbour(l, addr);
        } else
            strbuf_add(&l->fault, ", outside the %llu bytes of %s memory", (unsigned long long)space_size(w, space),
                       space_names[space]);
    }
    fault_end(w, in, (int)(slab * SLAB_LANES + a->fault_lane));
}

/* --- who waits for what */

static void describe_group(struct cta *c, const struct warp *w, const struct group *g) {
    struct launch *l = c->launch;
    strbuf_add(&l->fault, "\n  warp %u, lanes 0x%llx: ", w->id, (unsigned long long)g->mask);
    if (g->state == GROUP_BARRIER) {
        const struct barrier *b = &c->bars[g->wait];
        strbuf_add(&l->fault, "wait at barrier %u (%u of %u threads have come)", g->wait, b->arrived,
                   b->expected ? b->expected : c->live_threads);
    } else if (g->state == GROUP_COLLECTIVE)
        strbuf_add(&l->fault, "wait for lanes 0x%llx named by their mask",
                   (unsigned long long)(g->wait_mask & warp_enabled(w) & ~g->mask));
    else strbuf_add(&l->fault, "run");
    strbuf_add(&l->fault, " at ");
    fault_where(l, &l->k->code[g->pc], &l->fault);
}

static void describe_parked(struct cta *c, const struct warp *w) {
    for (u32 i = 0; i < w->convs.n; i++) {
        const struct conv *v = &w->convs.at[i];
        if (v->pc == NONE || !v->arrived) continue;
        strbuf_add(&c->launch->fault, "\n  warp %u, lanes 0x%llx: wait to go on together with lanes 0x%llx at ", w->id,
                   (unsigned long long)v->arrived, (unsigned long long)(v->expected & ~v->arrived));
        fault_where(c->launch, &c->launch->k->code[v->pc], &c->launch->fault);
    }
}

enum { DESCRIBE_WARPS = 4 };

static void describe_warps(struct cta *c) {
    u32 shown = 0;
    for (u32 i = 0; i < c->nwarps; i++) {
        const struct warp *w = &c->warps[i];
        if (!w->live) continue;
        if (shown++ == DESCRIBE_WARPS) {
            strbuf_add(&c->launch->fault, "\n  ... and further warps");
            break;
        }
        for (u32 j = 0; j < w->groups.n; j++) describe_group(c, w, &w->groups.at[j]);
        describe_parked(c, w);
        if (w->off)
            strbuf_add(&c->launch->fault, "\n  warp %u, lanes 0x%llx: switched off%s", w->id, (unsigned long long)w->off,
                       w->groups.n ? "" : ", and no lane is left that could switch them on");
    }
    strbuf_add(&c->launch->fault, "\n");
}

static bool has_parked(const struct warp *w) {
    for (u32 i = 0; i < w->convs.n; i++)
        if (w->convs.at[i].pc != NONE && w->convs.at[i].arrived) return true;
    return false;
}

static bool waits_apart(const struct cta *c) {
    for (u32 i = 0; i < c->nwarps; i++)
        for (u32 j = 0; j < c->warps[i].groups.n; j++)
            if (c->warps[i].groups.at[j].state == GROUP_BARRIER && c->warps[i].groups.at[j].mask != warp_enabled(&c->warps[i]) &&
                has_parked(&c->warps[i]))
                return true;
    return false;
}

static void fault_block(struct cta *c) {
    struct launch *l = c->launch;
    if (l->k->first_warps) strbuf_add(&l->fault, "\n  core %u", c->index[0]);
    else strbuf_add(&l->fault, "\n  kernel '%s', block (%u,%u,%u)", l->k->name, c->index[0], c->index[1], c->index[2]);
}

void fault_deadlock(struct cta *c) {
    struct launch *l = c->launch;
    if (!fault_begin(l)) return;
    strbuf_add(&l->fault, waits_apart(c) ? "divergent barrier: lanes of one warp wait at a barrier that the others cannot reach"
                          : l->k->first_warps ? "deadlock: no warp of the core can go on"
                                              : "deadlock: no thread of the block can go on");
    fault_block(c);
    describe_warps(c);
}

void fault_memory(struct launch *l) {
    if (!fault_begin(l)) return;
    strbuf_add(&l->fault,
               "the registers and local memory of the threads that run together are larger than %llu MiB; launch smaller blocks, "
               "or a kernel "
               "with less local memory\n  kernel '%s', %u bytes of local memory a thread\n",
               STACK_ALL_B >> 20, l->k->name, l->k->local_b);
}

void fault_limit(struct launch *l, struct cta *c) {
    if (!fault_begin(l)) return;
    strbuf_add(&l->fault, "the limit of %llu warp instructions is reached (endless loop?)",
               (unsigned long long)l->max_instructions);
    fault_block(c);
    describe_warps(c);
}
