/* Mascar's figure 5: cycles in which nothing issues and the memory stage is stalled, while data that a warp
 * wants to load lies in the L1: of an instruction in the pipe behind the stalled one, or of one that is ready
 * to issue. Counted with stats.blocked_hits only, as addresses of instructions that have not issued have to
 * be worked out. Texture and constant caches are left out. */
#include "core/flight.h"

static bool in_pipe(const struct core *c) {
    const struct flight *f;
    for (u32 i = 1; (f = lsu_behind(c, i)); i++) {
        const struct memop *m = &f->mem;
        if (m->kind != PROBE_LOAD || m->is_const || m->is_texture) continue;
        for (u32 k = m->next; k < m->nlines; k++)
            if (l1_has(c, CACHE_DATA, m->lines.at[k].line)) return true;
    }
    return false;
}

static bool of_part(const struct core *c, const struct part *p, const struct tinst *t) {
    u64 addr[MAX_WARP];
    const struct warp *w = part_home(c, p)->w;
    const struct group *g = part_group(c, p);
    u64 mask = warp_guard(w, g, t->in);
    if (!mask || !access_addresses(w, g, t->in, mask, addr)) return false;
    for (; mask; mask &= mask - 1)
        if (l1_has(c, CACHE_DATA, addr[__builtin_ctzll(mask)])) return true;
    return false;
}

static bool of_slot(const struct core *c, u32 slot) {
    const struct front *f = &c->fronts[slot];
    const struct tinst *t = f->head;
    if (!t || replay_first(c, slot) != NONE || t->kind != T_MEM || t->in->iclass != ICLASS_LOAD) return false;
    if (t->in->space != SPACE_GLOBAL && t->in->space != SPACE_GENERIC) return false;
    for (u32 i = 0; i < f->nparts; i++)
        if (of_part(c, &f->part[i], t)) return true;
    return false;
}

static bool of_sched(const struct core *c, u32 sched) {
    u64 memory[SET_WORDS];
    sched_memory(c, sched, memory);
    SET_EACH (slot, memory, c->words)
        if (of_slot(c, slot)) return true;
    return false;
}

void blocked_count(struct core *c, u64 n) {
    if (lsu_held_by(c) == NONE || issue_last(c) == c->now) return;
    bool found = in_pipe(c);
    for (u32 i = 0; i < c->cfg->schedulers && !found; i++) found = of_sched(c, i);
    if (found) c->stats.blocked_hit_cycles += n;
}
