/* A2 to A5 of the audit (audit.c): order of accesses, what barriers, fences and exits wait for, sources that
 * stay reserved, lanes that complete once. A slot lists its memory instructions in program order until
 * nothing that is still to come can break a rule with them. */
#include "trace/audit_state.h"

#include <string.h>

enum { LISTED_MAX = 4096 };

/* --- A4: sources of memory instructions */

static bool clobbers(const struct audit *a, const struct issued *m, const struct issued *x, u64 lanes) {
    const struct pc_facts *fm = audit_facts(a, m), *fx = audit_facts(a, x);
    if (m->seq >= x->seq || m->renames || m->frame != x->frame || !(m->mask & lanes) || !(fm->src_hash & fx->dst_hash))
        return false;
    const u16 *src = &a->facts.regs.at[fm->regs], *dst = &a->facts.regs.at[fx->regs] + fx->nsrc;
    for (u32 i = 0; i < fx->ndst; i++)
        if (!(dst[i] & REG_PRED) && audit_has_reg(src, fm->nsrc, dst[i])) return true;
    return false;
}

void audit_report_clobber(struct audit *a, const struct issued *m) {
    struct event where = audit_at(m, m->clobbered);
    if (m->read == NEVER)
        audit_report(a, 4, &where, "uid %llu has a result ready in one of its sources, which were never read",
                     (unsigned long long)m->clobberer);
    else
        audit_report(a, 4, &where, "uid %llu has a result ready in one of its sources, which are read at cycle %llu",
                     (unsigned long long)m->clobberer, (unsigned long long)m->read);
}

void audit_check_sources(struct audit *a, const struct audit_slot *s, const struct issued *x, u64 lanes, u64 cycle) {
    for (u32 i = 0; i < s->listed.n; i++) {
        struct issued *m = &a->issued.at[s->listed.at[i]];
        if (!clobbers(a, m, x, lanes) || cycle >= m->clobbered) continue;
        m->clobbered = cycle, m->clobberer = x->uid;
        if (m->read != NEVER && !audit_holds(a, cycle >= m->read)) audit_report_clobber(a, m);
    }
}

/* --- the list of memory instructions of a warp, for A2 to A4 */

void audit_forget_accesses(struct audit_slot *s, u64 seq) {
    u32 left = 0;
    for (u32 i = 0; i < s->accesses.n; i++)
        if (s->accesses.at[i].seq != seq) s->accesses.at[left++] = s->accesses.at[i];
    s->accesses.n = left;
}

void audit_unlist(struct audit *a, struct audit_slot *s, u32 n) {
    for (u32 i = 0; i < n; i++) {
        struct issued *m = &a->issued.at[s->listed.at[i]];
        m->listed = false;
        audit_forget_accesses(s, m->seq);
        if (m->closed) audit_vacate(a, s->listed.at[i]);
    }
    s->listed.n -= n;
    if (n) memmove(s->listed.at, s->listed.at + n, s->listed.n * sizeof(*s->listed.at));
}

/* Nothing that is still to come can break a rule with it: whatever happens from now on happens after all it
 * did */
static bool settled(const struct audit *a, const struct issued *m) {
    if (!m->closed && (!m->memory || m->completed != m->mask || m->read == NEVER)) return false;
    u64 last = MAX(m->last_access, m->last_complete);
    return MAX(last, m->read == NEVER ? 0 : m->read) <= a->present[m->sm];
}

void audit_list(struct audit *a, struct audit_slot *s, u32 i) {
    u32 n = 0;
    while (n < s->listed.n && settled(a, &a->issued.at[s->listed.at[n]])) n++;
    if (s->listed.n == LISTED_MAX) n = MAX(n, 1);
    audit_unlist(a, s, n);
    VEC_PUSH(&s->listed, i);
    a->issued.at[i].listed = true;
}

/* --- A2: order of accesses */

/* Both are loads of a window, or they are of different units, and may pass each other */
static bool may_pass(const struct accepted_access *x, const struct accepted_access *y) {
    if (x->apart != y->apart) return true;
    return x->windowed && y->windowed && !x->writes && !y->writes;
}

static void check_order(struct audit *a, const struct accepted_access *x, const struct accepted_access *y,
                        const struct event *e) {
    const struct accepted_access *first = x->seq < y->seq ? x : y, *second = first == x ? y : x;
    if (x->line != y->line || x->shared != y->shared || x->seq == y->seq || !(x->mask & y->mask)) return;
    if (may_pass(x, y) || audit_holds(a, first->cycle <= second->cycle)) return;
    audit_report(a, 2, e, "lanes 0x%llx access 0x%llx for uid %llu at cycle %llu, but for the earlier uid %llu at cycle %llu",
                 (unsigned long long)(x->mask & y->mask), (unsigned long long)x->line, (unsigned long long)second->uid,
                 (unsigned long long)second->cycle, (unsigned long long)first->uid, (unsigned long long)first->cycle);
}

void audit_access(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e) {
    struct accepted_access y = {e->a,
                                e->b ? e->b : e->mask,
                                e->cycle,
                                x->seq,
                                x->uid,
                                e->cause == ACCESS_SHARED,
                                x->window != NEVER,
                                audit_facts(a, x)->role & ROLE_WRITES,
                                x->dispatch != NEVER};
    struct event where = audit_at(x, e->cycle);
    x->accepted |= e->mask;
    x->last_access = MAX(x->last_access, e->cycle);
    if (y.shared) x->in_shared |= e->mask;
    if (x->gate != NEVER && !audit_holds(a, e->cycle <= x->gate))
        audit_report(a, 3, &where, "an access is accepted after a barrier, fence or exit issued at cycle %llu",
                     (unsigned long long)x->gate);
    if (e->b && !audit_holds(a, e->b == 1 && e->mask & 1))
        audit_report(a, 2, &where, "the port of lanes 0x%llx makes an access for lanes 0x%llx", (unsigned long long)e->b,
                     (unsigned long long)e->mask);
    if (!x->listed || e->cause == ACCESS_CONST || e->cause == ACCESS_FORWARD) return;
    for (u32 i = 0; i < s->accesses.n; i++) check_order(a, &s->accesses.at[i], &y, &where);
    VEC_PUSH(&s->accesses, y);
}

/* --- A3: barriers, fences, exits */

void audit_check_gate(struct audit *a, const struct audit_slot *s, const struct event *e) {
    for (u32 i = 0; i < s->listed.n; i++) {
        struct issued *m = &a->issued.at[s->listed.at[i]];
        u64 waiting = m->memory ? m->mask & ~m->accepted : 0;
        if (!(m->mask & e->mask)) continue; /* others' */
        if (!audit_holds(a, !waiting))
            audit_report(a, 3, e, "lanes 0x%llx of uid %llu (pc %d) have not been accepted", (unsigned long long)waiting,
                         (unsigned long long)m->uid, m->pc);
        else if (!audit_holds(a, m->last_access <= e->cycle))
            audit_report(a, 3, e, "uid %llu (pc %d) has an access accepted at cycle %llu", (unsigned long long)m->uid, m->pc,
                         (unsigned long long)m->last_access);
        if (m->gate == NEVER) m->gate = e->cycle;
    }
}

/* The first instruction of some lanes after their fence */
void audit_check_fence(struct audit *a, struct audit_slot *s, const struct event *e) {
    u64 lanes = s->fence_lanes & e->a;
    if (!lanes) return;
    for (u32 i = 0; i < s->listed.n; i++) {
        const struct issued *m = &a->issued.at[s->listed.at[i]];
        u64 outside = m->mask & lanes & ~m->in_shared;
        if (m->seq > s->fence_seq || !m->memory || !(audit_facts(a, m)->role & ROLE_WRITES) || !outside) continue;
        if (audit_holds(a, !(outside & ~m->completed) && m->last_outside <= e->cycle)) continue;
        audit_report(a, 3, e, "follows a fence, but uid %llu (pc %d) before it is not complete", (unsigned long long)m->uid,
                     m->pc);
    }
    s->fence_lanes &= ~lanes;
}

/* --- A5: lanes complete once */

void audit_complete(struct audit *a, struct issued *x, const struct event *e) {
    struct event where = audit_at(x, e->cycle);
    u64 strange = e->mask & ~x->mask, twice = e->mask & x->completed;
    if (!audit_holds(a, !strange))
        audit_report(a, 5, &where, "lanes 0x%llx complete that are not active", (unsigned long long)strange);
    if (!audit_holds(a, !twice)) audit_report(a, 5, &where, "lanes 0x%llx complete twice", (unsigned long long)twice);
    x->completed |= e->mask & x->mask;
    x->last_complete = MAX(x->last_complete, e->cycle);
    if (e->mask & ~x->in_shared) x->last_outside = MAX(x->last_outside, e->cycle);
}

void audit_check_lanes(struct audit *a, const struct issued *x, u64 cycle) {
    u64 missing = x->mask & ~x->completed;
    struct event where = audit_at(x, cycle);
    if (x->memory && !audit_holds(a, !missing))
        audit_report(a, 5, &where, "lanes 0x%llx never complete", (unsigned long long)missing);
}
