/* A8 of the audit (audit.c): every cycle of a warp's time has one owner, a stall or an issue. What is told
 * ahead of its time waits in a list of spans. */
#include "stats/stats.h"
#include "trace/audit_state.h"

enum { SPANS_MAX = 1024, SPANS_UNTRACED = 256 };

/* Moves covered_to over what lies next to it */
static void absorb(struct audit_slot *s) {
    for (u32 i = 0; i < s->ahead.n;) {
        struct span x = s->ahead.at[i];
        if (x.from > s->covered_to) {
            i++;
            continue;
        }
        s->covered_to = MAX(s->covered_to, x.to);
        s->ahead.at[i] = s->ahead.at[--s->ahead.n];
        i = 0;
    }
}

/* Nothing will come any more that fills the first hole before `end` */
static void report_hole(struct audit *a, struct audit_slot *s, u64 end, const struct event *where) {
    u64 to = end;
    for (u32 i = 0; i < s->ahead.n; i++) to = MIN(to, s->ahead.at[i].from);
    struct event e = *where;
    e.cycle = s->covered_to, e.uid = 0, e.pc = NONE;
    audit_report(a, 8, &e, "no stall and no issue accounts for cycles %llu to %llu", (unsigned long long)s->covered_to,
                 (unsigned long long)to - 1);
    s->covered_to = to;
    absorb(s);
}

void audit_cover(struct audit *a, struct audit_slot *s, u64 from, u64 to, const struct event *where) {
    if (to <= s->covered_to) return;
    struct span x = {from, to};
    VEC_PUSH(&s->ahead, x);
    absorb(s);
    if (s->ahead.n >= SPANS_MAX) report_hole(a, s, NEVER, where);
    if (s->stalls_seen || s->ahead.n < SPANS_UNTRACED) return;
    s->covered_to = NEVER; /* stalls are not traced: nothing to look at */
    s->ahead.n = 0;
}

static void report_tail(struct audit *a, struct audit_slot *s, const struct event *where) {
    struct event e = {.cycle = s->tail_from, .sm = where->sm, .slot = where->slot, .pc = NONE};
    if (s->tail_to)
        audit_report(a, 8, &e, "no stall and no issue accounts for cycles %llu to %llu", (unsigned long long)s->tail_from,
                     (unsigned long long)s->tail_to - 1);
    s->tail_to = 0;
}

/* Time without a warp. Begins when the warp's program is over, goes on after the warp's end, and is told when
 * the next one starts. True: it is not the present warp's. */
static bool on_empty(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (s->tail_to && audit_holds(a, e->a <= s->tail_from && e->cycle >= s->tail_to)) s->tail_to = 0;
    report_tail(a, s, e);
    return (!s->live && !s->ending) || e->cycle <= s->start || (s->ending && e->a >= s->end);
}

void audit_stall(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (e->mask == 1ull << STALL_EMPTY && on_empty(a, s, e)) return;
    s->stalls_seen = true;
    if (!audit_holds(a, s->live || s->ending)) audit_report(a, 8, e, "the slot holds no warp");
    if (!audit_holds(a, e->a <= e->cycle)) {
        audit_report(a, 8, e, "the stall ends before it starts, at cycle %llu", (unsigned long long)e->a);
        return;
    }
    if (!audit_holds(a, e->a >= s->stall_to))
        audit_report(a, 8, e,
                     "the stall from cycle %llu overlaps what was before cycle %llu, the end of another or the warp's start",
                     (unsigned long long)e->a, (unsigned long long)s->stall_to);
    s->stall_to = MAX(s->stall_to, e->cycle);
    audit_cover(a, s, e->a, e->cycle, e);
}

/* The warp has ended, and what its end made known has been told */
void audit_add_up(struct audit *a, struct audit_slot *s, u32 sm, u32 slot) {
    struct event where = {.sm = (u16)sm, .slot = (u16)slot, .pc = NONE};
    if (!s->ending) return;
    s->ending = false;
    report_tail(a, s, &where);
    if (!s->stalls_seen || audit_holds(a, s->covered_to >= s->end)) return;
    if (s->ahead.n) report_hole(a, s, s->end, &where);
    else s->tail_from = s->covered_to, s->tail_to = s->end;
}
