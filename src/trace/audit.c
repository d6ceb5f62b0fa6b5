/* The audit: function cannot be wrong, so time can (D1). Checks the events of a run against rules that every
 * machine and policy has to keep; shares no code with the stages that make them.
 *
 *   A0  Events name SMs, slots, instructions and uids that exist: an instruction issues from a slot with a
 *       warp, and what is told of it is told while it is in flight.
 *   A1  No register is read before its value is ready: when an instruction issues, the last writer of every
 *       source and destination register (slot, frame, number), in the lanes that take part, has declared it
 *       ready (EV_READY) at that cycle or before.
 *       One that was dispatched into a window (EV_WINDOW) waits for the writers before it in order of
 *       dispatch, and of destinations only where registers keep their names.
 *       What a call gives back is made by the function: the register of the caller that takes a result is
 *       ready when the function's register is from which it is copied at the return.
 *   A2  Accesses of one thread to one line are accepted in program order: a lane's access to a line (or
 *       offset in shared memory) is not accepted before an earlier instruction's. Loads of a window may
 *       pass each other, not stores: a load sees the store it should. Where each thread has a port
 *       (sm.pipeline = vortex) and thread 0's makes an access for all, it is in the order of that port only.
 * There reads of textures go through a unit of their own (EV_DISPATCH), and are in order among themselves.
 *   A3  A barrier, fence or exit issues only when the earlier memory instructions of the lanes that issue it
 *       have been accepted by the memory stage. After a fence the next instruction of its lanes issues only
 *       when their earlier stores and atomics are complete; shared memory has performed what it has accepted.
 *   A4  Sources of a memory instruction stay reserved until they have been read: no later instruction of the
 *       warp has a result in one of them ready before EV_READ, or before the last EV_REPLAY. Not where
 *       results have names of their own.
 *   A5  Each active lane of a memory instruction completes exactly once.
 *   A6  Time does not run backwards: issue <= read <= dispatch <= entry to the memory queue <= ready; nothing
 *       of an instruction comes before its issue; a slot's issues do not go back in time.
 *   A7  When a launch ends, every instruction that issued is done and every warp that started has ended.
 *   A8  A warp's stalls do not overlap and, with the cycles in which it issued, cover the time from its start
 *       to its end (slots without any EV_STALL are not looked at). A slot is also stalled for having no warp
 *       when the program of its warp is over and the block is not; as that is told with the start of the next
 *       warp, it is looked at then.
 *   A9  What is dispatched into a window issues once, not before its dispatch, and leaves once, not before
 *       its result is ready; where the order is precise, in order of dispatch. A window is empty when its
 *       warp ends, and when an instruction issues that was not dispatched into it.
 *   A10 (places.c) A front formed of threads of several warps (EV_FRONT) has each thread once, and as many
 *       threads as positions; none is left when the launch ends. A8 is about its place then, and its warps'
 *       instructions are looked at one by one.
 *   A11 An instruction that issues beside others of its scheduler (EV_WEAVE) does so in the cycle of their
 *       issue, and in lanes of the units that they do not take: as many as it has threads. Whose lanes are
 *       whose is worked out from the threads that issued (audit_units), and what is told of them holds that.
 *
 * Which instructions are memory instructions, barriers and so on is said in facts.h. A4 leaves predicates
 * out: a guard is read at issue.
 *
 * Events are taken in the order in which they were made; their cycles may lie in the future. What must be
 * declared before something happens (A1, A3) must also have been told before. Instructions are looked at for
 * the last time when the batch that told their end is over, so within a batch the events of one instruction
 * may come in any order. */
#include "trace/audit_state.h"

#include <stdlib.h>

enum { TEXT_LINES = 20 };

static const char *text_of(const struct audit *a, i32 pc) {
    if (!a->k || pc < 0 || (u32)pc >= a->k->ninst || !a->k->code[pc].src) return "?";
    const char *text = inst_text(a->k->code[pc].src);
    return text ? text : "?";
}

void audit_report(struct audit *a, int rule, const struct event *where, const char *fmt, ...) {
    if (a->violations++ >= TEXT_LINES) return;
    strbuf_add(&a->text, "A%d cycle %llu sm %u slot %u", rule, (unsigned long long)where->cycle, where->sm, where->slot);
    if (where->uid) strbuf_add(&a->text, " uid %llu", (unsigned long long)where->uid);
    if (where->pc >= 0) strbuf_add(&a->text, " pc %d (%s)", where->pc, text_of(a, where->pc));
    strbuf_add(&a->text, ": ");
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&a->text, fmt, ap);
    va_end(ap);
    strbuf_add(&a->text, "\n");
}

static struct audit_slot *slot_at(const struct audit *a, u32 sm, u32 slot) { return &a->slots[sm * a->nslots + slot]; }

/* --- records of instructions */

static u32 new_record(struct audit *a, const struct event *e) {
    struct issued x = {.uid = e->uid, .seq = ++a->seq, .mask = e->mask, .issue = e->cycle, .frame = (u32)e->b};
    x.pc = e->pc, x.sm = e->sm, x.slot = e->slot, x.used = true;
    x.read = x.dispatch = x.enter = x.ready = x.done = x.gate = x.clobbered = x.window = NEVER;
    if (e->kind == EV_WINDOW) x.window = e->cycle, x.issue = NEVER, x.renames = e->cause;
    x.fact = facts_now(&a->facts, e->sm, (u32)e->pc);
    x.memory = a->facts.at.at[x.fact].role & ROLE_MEMORY;
    u32 i = a->issued.n;
    if (a->vacant.n) a->issued.at[i = a->vacant.at[--a->vacant.n]] = x;
    else VEC_PUSH(&a->issued, x);
    uids_put(&a->map, e->sm, e->uid, i);
    return i;
}

/* --- A6: order of stages */

static void check_stages(struct audit *a, const struct issued *x) {
    const struct {
        const char *name;
        u64 cycle;
    } at[] = {
        {"issue", x->issue}, {"read", x->read}, {"dispatch", x->dispatch}, {"the memory queue", x->enter}, {"ready", x->ready}};
    u32 before = 0;
    for (u32 i = 1; i < ARRAY_LEN(at); i++) {
        if (at[i].cycle == NEVER) continue;
        struct event where = audit_at(x, at[i].cycle);
        if (!audit_holds(a, at[i].cycle >= at[before].cycle))
            audit_report(a, 6, &where, "%s comes before %s, which is at cycle %llu", at[i].name, at[before].name,
                         (unsigned long long)at[before].cycle);
        before = i;
    }
}

/* --- warps */

static void on_warp_start(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (!audit_holds(a, !s->live)) audit_report(a, 7, e, "a warp starts in a slot whose warp has not ended");
    audit_add_up(a, s, e->sm, e->slot);
    audit_unlist(a, s, s->listed.n);
    s->live = true;
    s->start = s->covered_to = s->stall_to = s->last_issue = e->cycle;
    s->writes.n = s->ahead.n = s->accesses.n = s->needs.n = s->inside.n = s->calls.at.n = 0;
    s->fence_lanes = 0;
}

static void on_warp_end(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (!audit_holds(a, s->live)) {
        audit_report(a, 0, e, "a warp ends in an empty slot");
        return;
    }
    if (!audit_holds(a, e->cycle >= s->last_issue))
        audit_report(a, 6, e, "the warp ends before its last issue, at cycle %llu", (unsigned long long)s->last_issue);
    if (!audit_holds(a, !s->inside.n))
        audit_report(a, 9, e, "%u instructions are in the window of a warp that ends", s->inside.n);
    s->live = false;
    s->ending = true;
    s->end = e->cycle;
    VEC_PUSH(&a->ended_slots, (u32)(s - a->slots));
}

/* A new instruction: its pc and uid make sense */
static bool is_known(struct audit *a, const struct audit_slot *s, const struct event *e, const char *does) {
    if (!audit_holds(a,
                     a->k && e->pc >= 0 && (u32)e->pc < a->k->ninst && e->uid && uids_get(&a->map, e->sm, e->uid) == UIDS_NONE)) {
        audit_report(a, 0, e, "%s with an unknown pc or a uid that is in flight", does);
        return false;
    }
    if (!audit_holds(a, s->live)) audit_report(a, 0, e, "%s from an empty slot", does);
    return true;
}

static void issue_cycle(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (!audit_holds(a, e->cycle >= s->last_issue))
        audit_report(a, 6, e, "the slot has issued at cycle %llu already", (unsigned long long)s->last_issue);
    s->last_issue = MAX(s->last_issue, e->cycle);
    a->present[e->sm] = MAX(a->present[e->sm], e->cycle);
    audit_cover(a, s, e->cycle, e->cycle + 1, e);
    audit_check_fence(a, s, e);
}

/* --- dispatch and issue */

static const struct pc_facts *facts_of(const struct audit *a, const struct event *e) {
    return &a->facts.at.at[facts_now(&a->facts, e->sm, (u32)e->pc)];
}

static void on_window(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (!is_known(a, s, e, "is dispatched")) return;
    const struct pc_facts *f = facts_of(a, e);
    audit_follow_calls(a, s, e);
    audit_note_needs(a, s, e, f);
    u32 i = new_record(a, e);
    audit_begin_writes(a, s, &a->issued.at[i]);
    if (f->role & ROLE_CALL) audit_make_call(s, e);
    if (f->role & (ROLE_MEMORY | ROLE_MAY_MEMORY)) audit_list(a, s, i);
    VEC_PUSH(&s->inside, e->uid);
}

static void issue_of_window(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e) {
    if (!audit_holds(a, x->issue == NEVER && e->cycle >= x->window))
        audit_report(a, 9, e, "issues twice, or before its dispatch");
    issue_cycle(a, s, e);
    audit_check_needs(a, s, e);
    x->issue = e->cycle;
}

static void on_issue(struct audit *a, struct audit_slot *s, const struct event *e) {
    i64 in_flight = e->uid ? uids_get(&a->map, e->sm, e->uid) : UIDS_NONE;
    if (in_flight != UIDS_NONE && a->issued.at[in_flight].window != NEVER && a->issued.at[in_flight].pc == e->pc) {
        issue_of_window(a, s, &a->issued.at[in_flight], e);
        return;
    }
    if (!is_known(a, s, e, "issues")) return;
    if (!audit_holds(a, !s->inside.n)) audit_report(a, 9, e, "issues past a window with %u instructions", s->inside.n);
    const struct pc_facts *f = facts_of(a, e);
    issue_cycle(a, s, e);
    audit_follow_calls(a, s, e);
    audit_check_registers(a, s, e, f);
    if (f->role & ROLE_GATE && e->mask) audit_check_gate(a, s, e);
    u32 i = new_record(a, e);
    audit_begin_writes(a, s, &a->issued.at[i]);
    if (f->role & (ROLE_MEMORY | ROLE_MAY_MEMORY)) audit_list(a, s, i);
    if (f->role & ROLE_CALL) audit_make_call(s, e);
    if (f->role & ROLE_FENCE && e->mask) s->fence_seq = a->seq, s->fence_lanes |= e->mask;
}

/* --- events of an instruction */

static const char *const kind_names[EV_KINDS] = {
    [EV_READ] = "read",
    [EV_DISPATCH] = "dispatch",
    [EV_READY] = "ready",
    [EV_MEM_ENTER] = "entry to the memory queue",
    [EV_ACCESS] = "access",
    [EV_COMPLETE] = "complete",
    [EV_DONE] = "done",
    [EV_REPLAY] = "replay",
    [EV_RETIRE] = "leaving",
    [EV_SQUASH] = "taking back",
    [EV_WEAVE] = "going beside another",
};

static void on_read(struct audit *a, struct issued *x, const struct event *e) {
    x->read = e->cycle;
    if (x->clobbered != NEVER && !audit_holds(a, x->clobbered >= x->read)) audit_report_clobber(a, x);
}

/* Issued again: the slot's cycle, and its sources are read once more */
static void on_replay(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e) {
    audit_cover(a, s, e->cycle, e->cycle + 1, e);
    if (x->clobbered != NEVER && !audit_holds(a, x->clobbered > e->cycle)) audit_report_clobber(a, x);
}

static void on_ready(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e) {
    x->ready = MIN(x->ready, e->cycle);
    if (x->window != NEVER) audit_check_users(a, s, x, e->cycle);
    audit_end_writes(s, x, e->mask, e->cycle);
    audit_check_sources(a, s, x, e->mask, e->cycle);
}

static void on_inst(struct audit *a, struct audit_slot *s, u32 i, const struct event *e) {
    struct issued *x = &a->issued.at[i];
    struct event where = audit_at(x, e->cycle);
    if (e->kind != EV_SQUASH && !audit_holds(a, e->cycle >= x->issue))
        audit_report(a, 6, &where, "%s before its issue, at cycle %llu", kind_names[e->kind], (unsigned long long)x->issue);
    switch (e->kind) {
    case EV_READ: on_read(a, x, e); break;
    case EV_DISPATCH: x->dispatch = e->cycle; break;
    case EV_MEM_ENTER:
        x->enter = e->cycle;
        x->memory = true;
        break;
    case EV_REPLAY: on_replay(a, s, x, e); break;
    case EV_READY: on_ready(a, s, x, e); break;
    case EV_ACCESS: audit_access(a, s, x, e); break;
    case EV_COMPLETE: audit_complete(a, x, e); break;
    case EV_RETIRE: audit_retire(a, s, x, e); break;
    case EV_SQUASH: audit_squash(a, s, x); break;
    case EV_WEAVE: audit_weave(a, x, e); break;
    case EV_DONE:
        if (x->done == NEVER) VEC_PUSH(&a->ended, i);
        x->done = e->cycle;
        break;
    default: break;
    }
}

/* The last look at an instruction that is done */
static void close_record(struct audit *a, u32 i) {
    struct issued *x = &a->issued.at[i];
    check_stages(a, x);
    audit_check_lanes(a, x, x->done);
    if (x->clobbered != NEVER && x->read == NEVER) audit_report_clobber(a, x);
    uids_drop(&a->map, x->sm, x->uid);
    x->closed = true;
    if (!x->listed) audit_vacate(a, i);
}

static void take_front(struct audit *a, const struct event *e) {
    u32 rule;
    const char *wrong = places_take(a->places, e, &rule);
    if (!audit_holds(a, !wrong)) audit_report(a, rule, e, "%s", wrong);
}

static void take(struct audit *a, const struct event *e) {
    if (e->kind == EV_FRONT || e->kind == EV_ISSUE) take_front(a, e), audit_row_take(a, e);
    if (e->kind == EV_FRONT) return;
    bool known = e->sm < a->sms && e->slot < a->nslots;
    if (!audit_holds(a, known)) {
        audit_report(a, 0, e, "there is no such SM or slot");
        return;
    }
    struct audit_slot *s = slot_at(a, e->sm, e->slot);
    switch (e->kind) {
    case EV_WARP_START: on_warp_start(a, s, e); return;
    case EV_WARP_END: on_warp_end(a, s, e); return;
    case EV_ISSUE: on_issue(a, s, e); return;
    case EV_WINDOW: on_window(a, s, e); return;
    case EV_STALL: audit_stall(a, s, e); return;
    case EV_TEXT: facts_change(&a->facts, e->sm, (u32)e->pc, (const struct inst *)(uintptr_t)e->a); return;
    case EV_READ:
    case EV_DISPATCH:
    case EV_READY:
    case EV_MEM_ENTER:
    case EV_ACCESS:
    case EV_COMPLETE:
    case EV_REPLAY:
    case EV_SQUASH:
    case EV_WEAVE:
    case EV_RETIRE:
    case EV_DONE: break;
    default: return;
    }
    if (e->kind == EV_ACCESS && !e->uid) return; /* for nobody */
    i64 i = uids_get(&a->map, e->sm, e->uid);
    if (!audit_holds(a, i != UIDS_NONE)) audit_report(a, 0, e, "%s of an instruction that is not in flight", kind_names[e->kind]);
    else on_inst(a, slot_at(a, e->sm, a->issued.at[i].slot), (u32)i, e);
}

/* --- the listener */

static void audit_launch(void *state, const struct kernel *k, u64 cycle) {
    struct audit *a = state;
    for (u32 sm = 0; sm < a->sms; sm++) a->present[sm] = MAX(a->present[sm], cycle);
    places_launch(a->places);
    a->formed = false;
    facts_learn(&a->facts, k);
    a->k = k;
}

static void audit_events(void *state, const struct event *e, u32 n) {
    struct audit *a = state;
    for (u32 i = 0; i < n; i++) take(a, &e[i]);
    for (u32 i = 0; i < a->ended.n; i++) close_record(a, a->ended.at[i]);
    for (u32 i = 0; i < a->ended_slots.n; i++)
        audit_add_up(a, &a->slots[a->ended_slots.at[i]], a->ended_slots.at[i] / a->nslots, a->ended_slots.at[i] % a->nslots);
    a->ended.n = a->ended_slots.n = 0;
}

static void check_ended(struct audit *a, u64 cycle) {
    for (u32 i = 0; i < a->issued.n; i++) {
        const struct issued *x = &a->issued.at[i];
        if (!x->used) continue;
        struct event where = audit_at(x, cycle);
        if (!audit_holds(a, x->done <= cycle)) audit_report(a, 7, &where, "not done when the launch ends");
    }
    for (u32 i = 0; i < a->sms * a->nslots; i++) {
        struct event where = {.cycle = cycle, .sm = (u16)(i / a->nslots), .slot = (u16)(i % a->nslots), .pc = NONE};
        if (!audit_holds(a, !a->slots[i].live))
            audit_report(a, 7, &where, "the warp that started here has not ended when the launch ends");
    }
}

static void check_places(struct audit *a, u64 cycle) {
    for (u32 sm = 0; sm < a->sms; sm++)
        for (u32 slot = 0; slot < places_of(a->places, sm); slot++) {
            struct event where = {.cycle = cycle, .sm = (u16)sm, .slot = (u16)slot, .pc = NONE};
            u32 rule;
            const char *wrong = places_end(a->places, sm, slot, cycle, &rule);
            if (!audit_holds(a, !wrong)) audit_report(a, (int)rule, &where, "%s", wrong);
        }
}

static void audit_cut(void *state) { ((struct audit *)state)->cut = true; }

static void audit_end(void *state, u64 cycle) {
    struct audit *a = state;
    if (!a->cut) check_ended(a, cycle), check_places(a, cycle);
    a->cut = false;
    for (u32 i = 0; i < a->sms * a->nslots; i++) {
        struct audit_slot *s = &a->slots[i];
        s->live = s->ending = false;
        s->listed.n = s->accesses.n = s->writes.n = s->ahead.n = s->needs.n = s->inside.n = s->calls.at.n = 0;
        s->fence_lanes = 0;
    }
    a->issued.n = a->vacant.n = 0;
    uids_clear(&a->map);
    a->k = NULL; /* it may be gone before the next launch */
}

struct audit *audit_new(u32 sms, u32 warp_slots, struct listener *l) {
    struct audit *a = base_alloc(sizeof(*a));
    a->sms = sms, a->nslots = warp_slots;
    a->slots = base_alloc(sizeof(*a->slots) * sms * warp_slots);
    a->present = base_alloc(sizeof(*a->present) * sms);
    a->places = places_new(sms);
    *l = (struct listener){.state = a, .launch = audit_launch, .events = audit_events, .cut = audit_cut, .end = audit_end};
    return a;
}

void audit_units(struct audit *a, u32 warp_size, u32 schedulers, u32 lanes) {
    free(a->rows);
    a->warp_size = warp_size, a->schedulers = schedulers, a->lanes = lanes;
    a->rows = base_alloc(sizeof(*a->rows) * a->sms * schedulers);
}

u64 audit_violations(const struct audit *a) { return a->violations; }
const char *audit_text(const struct audit *a) { return a->text.s ? a->text.s : ""; }
u64 audit_checked(const struct audit *a) { return a->checked; }

void audit_free(struct audit *a) {
    if (!a) return;
    for (u32 i = 0; i < a->sms * a->nslots; i++) {
        struct audit_slot *s = &a->slots[i];
        free(s->ahead.at), free(s->writes.at), free(s->listed.at), free(s->accesses.at), free(s->needs.at), free(s->inside.at);
        free(s->calls.at.at);
    }
    free(a->slots), free(a->present), free(a->issued.at), free(a->rows);
    facts_free(&a->facts);
    places_free(a->places);
    free(a->vacant.at), free(a->ended.at), free(a->ended_slots.at);
    uids_free(&a->map);
    strbuf_free(&a->text);
    free(a);
}
