/* A11 of the audit (audit.c): whose lanes are whose when instructions issue beside each other. */
#include "config/config.h"
#include "trace/audit_state.h"

/* The lane of its units that a thread of a warp takes: its own; in every second warp of a scheduler from the
 * other end; or its number XOR the warp's */
static u64 lanes_taken(const struct audit *a, u32 slot, u64 threads) {
    u32 number = slot / a->schedulers;
    u64 taken = 0;
    if (a->lanes == LANES_IDENTITY) return threads;
    for (u32 lane = 0; lane < a->warp_size; lane++) {
        u32 to = lane;
        if (a->lanes == LANES_MIRROR && number % 2) to = a->warp_size - 1 - lane;
        if (a->lanes == LANES_XOR) to = lane ^ number % a->warp_size;
        if (threads >> lane & 1) taken |= 1ull << to;
    }
    return taken;
}

static struct row *row_at(const struct audit *a, const struct event *e) {
    struct row *r = &a->rows[e->sm * a->schedulers + e->slot % a->schedulers];
    if (r->cycle != e->cycle) *r = (struct row){.cycle = e->cycle};
    return r;
}

/* Another instruction: that of a front, whose members' issues follow, or of a warp */
static void row_next(const struct audit *a, const struct event *e) {
    struct row *r = row_at(a, e);
    r->before |= r->last, r->last = 0;
}

void audit_row_take(struct audit *a, const struct event *e) {
    bool front = e->kind == EV_FRONT && e->cause == FRONT_ISSUES;
    if (!a->schedulers || e->sm >= a->sms || (!front && e->kind != EV_ISSUE)) return;
    if (front) a->formed = true;
    if (front || !a->formed) row_next(a, e);
    if (!front) row_at(a, e)->last |= lanes_taken(a, e->slot, e->a);
}

static void check_row(struct audit *a, const struct event *where, const struct event *e) {
    if (!a->schedulers) return;
    const struct row *r = row_at(a, e);
    u64 both = r->before & r->last, untold = r->last & ~e->mask, free = r->before & ~e->a;
    if (!audit_holds(a, r->before && !both))
        audit_report(a, 11, where, "its threads issue in lanes 0x%llx, which those of another take", (unsigned long long)both);
    if (!audit_holds(a, !untold))
        audit_report(a, 11, where, "its threads take lanes 0x%llx, which are not told", (unsigned long long)untold);
    if (!audit_holds(a, !free))
        audit_report(a, 11, where, "lanes 0x%llx are told to be free, and are not", (unsigned long long)free);
}

void audit_weave(struct audit *a, const struct issued *x, const struct event *e) {
    struct event where = audit_at(x, e->cycle);
    u64 both = e->a & e->mask;
    if (!audit_holds(a, !both))
        audit_report(a, 11, &where, "issues in lanes 0x%llx, which another takes", (unsigned long long)both);
    if (!audit_holds(a, x->issue == e->cycle && a->present[e->sm] == e->cycle))
        audit_report(a, 11, &where, "issues beside an instruction of another cycle");
    if (!audit_holds(a, __builtin_popcountll(e->mask) >= __builtin_popcountll(x->mask)))
        audit_report(a, 11, &where, "takes fewer lanes than it has threads");
    check_row(a, &where, e);
}
