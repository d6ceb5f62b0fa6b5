/* A9 of the audit (audit.c), and A1 for what was dispatched into a window: it waits for the writers that were
 * before it in order of dispatch. */
#include "trace/audit_state.h"

#include <string.h>

static bool is_inside(const struct audit_slot *s, u64 uid) {
    for (u32 i = 0; i < s->inside.n; i++)
        if (s->inside.at[i] == uid) return true;
    return false;
}

/* The writers before it of what it reads, and of what it writes where names stay, that may not be ready */
void audit_note_needs(struct audit *a, struct audit_slot *s, const struct event *e, const struct pc_facts *f) {
    const u16 *src = &a->facts.regs.at[f->regs], *dst = src + f->nsrc;
    u32 left = 0;
    for (u32 i = 0; i < s->writes.n; i++) {
        struct pending_write w = s->writes.at[i];
        if (w.ready <= e->cycle && !is_inside(s, w.uid)) continue;
        s->writes.at[left++] = w;
        bool guards = w.reg == f->guard && f->guard;
        bool used = audit_has_reg(src, f->nsrc, w.reg) || (!e->cause && audit_has_reg(dst, f->ndst, w.reg));
        if (!used || w.frame != (u32)e->b || !(w.mask & (guards ? e->a : e->mask))) continue;
        struct need x = {e->uid, w.uid, w.reg};
        VEC_PUSH(&s->needs, x);
    }
    s->writes.n = left;
}

/* A1 for one that was dispatched before it issues */
void audit_check_needs(struct audit *a, struct audit_slot *s, const struct event *e) {
    for (u32 k = 0; k < s->needs.n; k++) {
        struct need x = s->needs.at[k];
        if (x.uid != e->uid) continue;
        i64 i = uids_get(&a->map, e->sm, x.producer);
        u64 ready = i == UIDS_NONE ? 0 : a->issued.at[i].ready;
        char buf[16];
        if (!audit_holds(a, ready <= e->cycle))
            audit_report(a, 1, e, "needs %s, which uid %llu %s", audit_reg_text(x.reg, buf, sizeof(buf)),
                         (unsigned long long)x.producer, ready == NEVER ? "has not made ready" : "makes ready later");
    }
}

/* Its result is ready: whoever has issued with one that it had before was wrong */
void audit_check_users(struct audit *a, const struct audit_slot *s, const struct issued *x, u64 cycle) {
    for (u32 k = 0; k < s->needs.n; k++) {
        i64 i = s->needs.at[k].producer == x->uid ? uids_get(&a->map, x->sm, s->needs.at[k].uid) : UIDS_NONE;
        if (i == UIDS_NONE || a->issued.at[i].issue == NEVER || audit_holds(a, a->issued.at[i].issue >= cycle)) continue;
        struct event where = audit_at(&a->issued.at[i], a->issued.at[i].issue);
        audit_report(a, 1, &where, "needs what uid %llu makes ready at cycle %llu", (unsigned long long)x->uid,
                     (unsigned long long)cycle);
    }
}

/* It issues again: nothing that it did counts */
void audit_squash(struct audit *a, struct audit_slot *s, struct issued *x) {
    x->issue = x->read = x->dispatch = x->enter = x->ready = NEVER;
    x->accepted = x->completed = x->last_access = x->last_complete = x->in_shared = x->last_outside = 0;
    audit_forget_accesses(s, x->seq);
    for (u32 i = 0; i < s->writes.n; i++)
        if (s->writes.at[i].uid == x->uid) s->writes.at[i].ready = NEVER;
    a->checked++;
}

void audit_retire(struct audit *a, struct audit_slot *s, const struct issued *x, const struct event *e) {
    struct event where = audit_at(x, e->cycle);
    u32 i = 0;
    while (i < s->inside.n && s->inside.at[i] != x->uid) i++;
    if (!audit_holds(a, i < s->inside.n)) {
        audit_report(a, 9, &where, "leaves a window it is not in");
        return;
    }
    if (!audit_holds(a, !i || !e->cause))
        audit_report(a, 9, &where, "leaves before uid %llu, which was dispatched before it", (unsigned long long)s->inside.at[0]);
    if (!audit_holds(a, x->ready <= e->cycle)) audit_report(a, 9, &where, "leaves before its result is ready");
    memmove(s->inside.at + i, s->inside.at + i + 1, (--s->inside.n - i) * sizeof(*s->inside.at));
    u32 left = 0;
    for (u32 k = 0; k < s->needs.n; k++)
        if (s->needs.at[k].uid != x->uid) s->needs.at[left++] = s->needs.at[k];
    s->needs.n = left;
}
