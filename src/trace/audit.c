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
 *       pass each other, not stores: a load sees the store it should.
 *   A3  A barrier, fence or exit issues only when all lanes of the warp's earlier memory instructions have
 *       been accepted by the memory stage; of formed fronts (A10), those of the lanes that issue it. After a
 *       fence the next instruction of its lanes issues only when their earlier stores and atomics are
 *       complete; shared memory has performed what it has accepted.
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
#include "config/config.h"
#include "isa/isa.h"
#include "stats/stats.h"
#include "trace/calls.h"
#include "trace/facts.h"
#include "trace/places.h"
#include "trace/trace.h"
#include "trace/uids.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_LINES = 20, LISTED_MAX = 4096, SPANS_MAX = 1024, SPANS_UNTRACED = 256 };

struct issued { /* an instruction in flight; cycles are NEVER until they are told */
    u64 uid, seq, mask;
    u64 issue, read, dispatch, enter, ready, done; /* ready: the first */
    u64 accepted, completed;                       /* lanes */
    u64 last_access, last_complete;                /* cycles; 0: none */
    u64 in_shared, last_outside; /* lanes that shared memory has accepted; the last completion of others, 0: none */
    u64 gate;                    /* issue of the first barrier, fence or exit after it */
    u64 window;                  /* dispatched into a window; NEVER: not, or issued without */
    u64 clobbered, clobberer;    /* first cycle in which a later result was ready in one of its sources, and whose */
    u32 frame;
    i32 pc;
    u16 sm, slot;
    bool used;    /* this record */
    bool memory;  /* A3 and A5 apply */
    bool listed;  /* in its slot's list of memory instructions */
    bool closed;  /* done, and looked at for the last time */
    bool renames; /* its results have names of their own */
};
struct need { /* what an instruction in a window waits for */
    u64 uid, producer;
    u16 reg;
};
struct pending_write { /* lanes of a register whose value is not ready at the slot's last issue */
    u64 mask, ready, uid;
    u32 frame;
    u16 reg;
};
struct accepted_access {
    u64 line, mask, cycle, seq, uid;
    bool shared, windowed, writes;
};
struct span {
    u64 from, to;
};
struct audit_slot {
    bool live, ending;          /* ending: the warp has ended, its time has not been added up */
    bool stalls_seen;           /* ever */
    u64 start, end;             /* of the warp */
    u64 tail_from, tail_to;     /* last cycles of the warp before, which no stall has accounted for yet; tail_to 0: none */
    u64 last_issue;             /* cycle */
    u64 fence_seq, fence_lanes; /* lanes that have not issued anything since their fence */
    u64 stall_to;               /* end of the last stall */
    u64 covered_to;             /* every cycle since the start has an owner up to here */
    VEC(struct span) ahead;     /* beyond covered_to */
    VEC(struct pending_write) writes;
    struct calls calls;                   /* that its lanes are in */
    VEC(struct need) needs;               /* of instructions that have not issued */
    VEC(u64) inside;                      /* uids in the warp's window, in order of dispatch */
    VEC(u32) listed;                      /* memory instructions in program order: records in `issued` */
    VEC(struct accepted_access) accesses; /* of these */
};
struct row {                 /* of units, by scheduler: lanes that instructions of a cycle take */
    u64 cycle, before, last; /* before: of those before the last one */
};
struct audit {
    u32 sms, nslots;
    u32 warp_size, schedulers, lanes; /* schedulers 0: not known */
    bool formed;                      /* fronts issue, not warps */
    struct row *rows;                 /* [sms][schedulers] */
    bool cut;                         /* the launch was stopped in the middle: its end is not looked at */
    struct audit_slot *slots;         /* [sms][nslots] */
    struct places *places;            /* of formed fronts */
    u64 *present;                     /* [sms]: latest issue, so later events happen no sooner */
    const struct kernel *k;
    struct facts facts; /* of k */
    VEC(struct issued) issued;
    VEC(u32) vacant, ended; /* records free; told to be done in this batch */
    VEC(u32) ended_slots;
    struct uid_map map;
    u64 seq, violations, checked;
    struct strbuf text;
};

/* --- findings */

static bool holds(struct audit *a, bool fact) {
    a->checked++;
    return fact;
}

static const char *text_of(const struct audit *a, i32 pc) {
    if (!a->k || pc < 0 || (u32)pc >= a->k->ninst || !a->k->code[pc].src) return "?";
    const char *text = a->k->code[pc].src->text;
    return text ? text : "?";
}

/* "A1 cycle 20 sm 0 slot 3 uid 7 pc 5 (add.s32 %r1, %r2, %r3): ..." */
static void PRINTF_LIKE(4, 5) report(struct audit *a, int rule, const struct event *where, const char *fmt, ...) {
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

static struct event at_inst(const struct issued *x, u64 cycle) {
    return (struct event){.cycle = cycle, .uid = x->uid, .pc = x->pc, .sm = x->sm, .slot = x->slot};
}

static struct audit_slot *slot_at(const struct audit *a, u32 sm, u32 slot) { return &a->slots[sm * a->nslots + slot]; }

static char *reg_text(u32 reg, char *buf, size_t n) {
    snprintf(buf, n, "%c%u", reg & REG_PRED ? 'p' : 'r', reg & (u32)~REG_PRED);
    return buf;
}

/* --- the kernel */

static const struct pc_facts *facts_of(const struct audit *a, const struct issued *x) { return &a->facts.at[x->pc]; }

static bool has_reg(const u16 *list, u32 n, u16 reg) {
    for (u32 i = 0; i < n; i++)
        if (list[i] == reg) return true;
    return false;
}

/* --- records of instructions */

static void vacate(struct audit *a, u32 i) {
    a->issued.at[i].used = false;
    VEC_PUSH(&a->vacant, i);
}

static u32 new_record(struct audit *a, const struct event *e) {
    struct issued x = {.uid = e->uid, .seq = ++a->seq, .mask = e->mask, .issue = e->cycle, .frame = (u32)e->b};
    x.pc = e->pc, x.sm = e->sm, x.slot = e->slot, x.used = true;
    x.read = x.dispatch = x.enter = x.ready = x.done = x.gate = x.clobbered = x.window = NEVER;
    if (e->kind == EV_WINDOW) x.window = e->cycle, x.issue = NEVER, x.renames = e->cause;
    x.memory = a->facts.at[e->pc].role & ROLE_MEMORY;
    u32 i = a->issued.n;
    if (a->vacant.n) a->issued.at[i = a->vacant.at[--a->vacant.n]] = x;
    else VEC_PUSH(&a->issued, x);
    uids_put(&a->map, e->sm, e->uid, i);
    return i;
}

/* --- A1: registers */

/* One register with a value under way, against the instruction that issues */
static void check_ready(struct audit *a, const struct event *e, const struct pc_facts *f, const struct pending_write *w) {
    const u16 *src = &a->facts.regs.at[f->regs], *dst = src + f->nsrc;
    bool guards = w->reg == f->guard && f->guard;
    bool reads = has_reg(src, f->nsrc, w->reg), writes = has_reg(dst, f->ndst, w->reg);
    u64 lanes = w->mask & (guards ? e->a : e->mask);
    char buf[16];
    if ((!reads && !writes) || holds(a, !lanes)) return;
    reg_text(w->reg, buf, sizeof(buf));
    if (w->ready == NEVER)
        report(a, 1, e, "%s %s, which uid %llu has not made ready (lanes 0x%llx)", reads ? "reads" : "writes", buf,
               (unsigned long long)w->uid, (unsigned long long)lanes);
    else
        report(a, 1, e, "%s %s, which uid %llu makes ready at cycle %llu (lanes 0x%llx)", reads ? "reads" : "writes", buf,
               (unsigned long long)w->uid, (unsigned long long)w->ready, (unsigned long long)lanes);
}

static void check_registers(struct audit *a, struct audit_slot *s, const struct event *e, const struct pc_facts *f) {
    u64 hash = f->src_hash | f->dst_hash;
    u32 left = 0;
    a->checked += f->nsrc + f->ndst;
    for (u32 i = 0; i < s->writes.n; i++) {
        struct pending_write w = s->writes.at[i];
        if (w.ready <= e->cycle) continue;
        if (hash >> (w.reg % 64) & 1 && w.frame == (u32)e->b) check_ready(a, e, f, &w);
        s->writes.at[left++] = w;
    }
    s->writes.n = left;
}

static void begin_writes(struct audit *a, struct audit_slot *s, const struct issued *x) {
    const struct pc_facts *f = facts_of(a, x);
    const u16 *dst = &a->facts.regs.at[f->regs] + f->nsrc;
    if (!x->mask || !f->ndst) return;
    u32 left = 0;
    for (u32 i = 0; i < s->writes.n; i++) { /* the newest writer of a lane counts */
        struct pending_write w = s->writes.at[i];
        if (w.frame == x->frame && has_reg(dst, f->ndst, w.reg)) w.mask &= ~x->mask;
        if (w.mask) s->writes.at[left++] = w;
    }
    s->writes.n = left;
    for (u32 i = 0; i < f->ndst; i++) {
        struct pending_write w = {.mask = x->mask, .ready = NEVER, .uid = x->uid, .frame = x->frame, .reg = dst[i]};
        VEC_PUSH(&s->writes, w);
    }
}

/* Lanes of x's results are ready at `cycle` */
static void end_writes(struct audit_slot *s, const struct issued *x, u64 lanes, u64 cycle) {
    for (u32 i = 0, n = s->writes.n; i < n; i++) {
        struct pending_write w = s->writes.at[i];
        if (w.uid != x->uid || !(w.mask & lanes) || (w.ready != NEVER && w.ready >= cycle)) continue;
        struct pending_write rest = w;
        rest.mask &= ~lanes;
        s->writes.at[i].mask &= lanes;
        s->writes.at[i].ready = cycle;
        if (rest.mask) VEC_PUSH(&s->writes, rest);
    }
}

/* --- A1: calls */

/* One register of a function becomes one of its caller: who has it under way has both */
static void pass_register(struct audit_slot *s, const struct open_call *x, u16 from, u16 to) {
    for (u32 i = 0, n = s->writes.n; i < n; i++) {
        struct pending_write w = s->writes.at[i];
        if (w.frame != x->callee || w.reg != from || !(w.mask & x->lanes)) continue;
        w.mask &= x->lanes, w.frame = x->frame, w.reg = to;
        VEC_PUSH(&s->writes, w);
    }
}

static void pass_results(const struct audit *a, struct audit_slot *s, const struct open_call *x) {
    const struct call_info *call = a->k->code[x->pc].info;
    const struct kernel_func *f = &a->k->funcs[x->func];
    for (u32 i = 0; i < MIN(call->nrets, f->nrets); i++) {
        const struct opnd *from = &f->rets[i].reg, *to = &call->rets[i].reg;
        if (!f->rets[i].in_reg || !call->rets[i].in_reg || to->absent) continue;
        if (from->in == OPND_IN_PRED) pass_register(s, x, (u16)(REG_PRED | from->off), (u16)(REG_PRED | to->off));
        else
            for (u32 k = 0; k < MIN(from->rows, to->rows); k++) pass_register(s, x, (u16)(from->reg + k), (u16)(to->reg + k));
    }
}

/* Lanes have returned: of the call and the function nothing of theirs is under way but the results */
static void on_return(const struct audit *a, struct audit_slot *s, const struct open_call *x) {
    u32 left = 0;
    for (u32 i = 0; i < s->writes.n; i++) {
        struct pending_write w = s->writes.at[i];
        if (w.uid == x->uid) w.mask &= ~x->lanes;
        if (w.mask) s->writes.at[left++] = w;
    }
    s->writes.n = left;
    if (x->callee == NONE) return;
    if (x->func != NONE) pass_results(a, s, x);
    left = 0;
    for (u32 i = 0; i < s->writes.n; i++) {
        struct pending_write w = s->writes.at[i];
        if (w.frame == x->callee) w.mask &= ~x->lanes;
        if (w.mask) s->writes.at[left++] = w;
    }
    s->writes.n = left;
}

/* The next instruction of some lanes: returns from calls and entries into functions that lie before it */
static void follow_calls(const struct audit *a, struct audit_slot *s, const struct event *e) {
    struct open_call x;
    if (!s->calls.at.n) return;
    while (calls_return(&s->calls, e->a, (u32)e->b, &x)) on_return(a, s, &x);
    calls_enter(&s->calls, a->k, e->a, (u32)e->b, e->pc);
}

static void make_call(struct audit_slot *s, const struct event *e) {
    struct open_call x = {.uid = e->uid, .lanes = e->mask, .frame = (u32)e->b, .callee = NONE, .pc = e->pc, .func = NONE};
    calls_make(&s->calls, &x);
}

/* --- A4: sources of memory instructions */

static bool clobbers(const struct audit *a, const struct issued *m, const struct issued *x, u64 lanes) {
    const struct pc_facts *fm = facts_of(a, m), *fx = facts_of(a, x);
    if (m->seq >= x->seq || m->renames || m->frame != x->frame || !(m->mask & lanes) || !(fm->src_hash & fx->dst_hash))
        return false;
    const u16 *src = &a->facts.regs.at[fm->regs], *dst = &a->facts.regs.at[fx->regs] + fx->nsrc;
    for (u32 i = 0; i < fx->ndst; i++)
        if (!(dst[i] & REG_PRED) && has_reg(src, fm->nsrc, dst[i])) return true;
    return false;
}

static void report_clobber(struct audit *a, const struct issued *m) {
    struct event where = at_inst(m, m->clobbered);
    if (m->read == NEVER)
        report(a, 4, &where, "uid %llu has a result ready in one of its sources, which were never read",
               (unsigned long long)m->clobberer);
    else
        report(a, 4, &where, "uid %llu has a result ready in one of its sources, which are read at cycle %llu",
               (unsigned long long)m->clobberer, (unsigned long long)m->read);
}

static void check_sources(struct audit *a, const struct audit_slot *s, const struct issued *x, u64 lanes, u64 cycle) {
    for (u32 i = 0; i < s->listed.n; i++) {
        struct issued *m = &a->issued.at[s->listed.at[i]];
        if (!clobbers(a, m, x, lanes) || cycle >= m->clobbered) continue;
        m->clobbered = cycle, m->clobberer = x->uid;
        if (m->read != NEVER && !holds(a, cycle >= m->read)) report_clobber(a, m);
    }
}

/* --- the list of memory instructions of a warp, for A2 to A4 */

static void forget_accesses(struct audit_slot *s, u64 seq) {
    u32 left = 0;
    for (u32 i = 0; i < s->accesses.n; i++)
        if (s->accesses.at[i].seq != seq) s->accesses.at[left++] = s->accesses.at[i];
    s->accesses.n = left;
}

static void unlist(struct audit *a, struct audit_slot *s, u32 n) {
    for (u32 i = 0; i < n; i++) {
        struct issued *m = &a->issued.at[s->listed.at[i]];
        m->listed = false;
        forget_accesses(s, m->seq);
        if (m->closed) vacate(a, s->listed.at[i]);
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

static void list(struct audit *a, struct audit_slot *s, u32 i) {
    u32 n = 0;
    while (n < s->listed.n && settled(a, &a->issued.at[s->listed.at[n]])) n++;
    if (s->listed.n == LISTED_MAX) n = MAX(n, 1);
    unlist(a, s, n);
    VEC_PUSH(&s->listed, i);
    a->issued.at[i].listed = true;
}

/* --- A2: order of accesses */

/* Both are loads of a window, which may pass each other */
static bool may_pass(const struct accepted_access *x, const struct accepted_access *y) {
    return x->windowed && y->windowed && !x->writes && !y->writes;
}

static void check_order(struct audit *a, const struct accepted_access *x, const struct accepted_access *y,
                        const struct event *e) {
    const struct accepted_access *first = x->seq < y->seq ? x : y, *second = first == x ? y : x;
    if (x->line != y->line || x->shared != y->shared || x->seq == y->seq || !(x->mask & y->mask)) return;
    if (may_pass(x, y) || holds(a, first->cycle <= second->cycle)) return;
    report(a, 2, e, "lanes 0x%llx access 0x%llx for uid %llu at cycle %llu, but for the earlier uid %llu at cycle %llu",
           (unsigned long long)(x->mask & y->mask), (unsigned long long)x->line, (unsigned long long)second->uid,
           (unsigned long long)second->cycle, (unsigned long long)first->uid, (unsigned long long)first->cycle);
}

static void on_access(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e) {
    struct accepted_access y = {e->a,
                                e->mask,
                                e->cycle,
                                x->seq,
                                x->uid,
                                e->cause == ACCESS_SHARED,
                                x->window != NEVER,
                                facts_of(a, x)->role & ROLE_WRITES};
    struct event where = at_inst(x, e->cycle);
    x->accepted |= e->mask;
    x->last_access = MAX(x->last_access, e->cycle);
    if (y.shared) x->in_shared |= e->mask;
    if (x->gate != NEVER && !holds(a, e->cycle <= x->gate))
        report(a, 3, &where, "an access is accepted after a barrier, fence or exit issued at cycle %llu",
               (unsigned long long)x->gate);
    if (!x->listed || e->cause == ACCESS_CONST || e->cause == ACCESS_FORWARD) return;
    for (u32 i = 0; i < s->accesses.n; i++) check_order(a, &s->accesses.at[i], &y, &where);
    VEC_PUSH(&s->accesses, y);
}

/* --- A3: barriers, fences, exits */

static void check_gate(struct audit *a, const struct audit_slot *s, const struct event *e) {
    for (u32 i = 0; i < s->listed.n; i++) {
        struct issued *m = &a->issued.at[s->listed.at[i]];
        u64 waiting = m->memory ? m->mask & ~m->accepted : 0;
        if (places_used(a->places, e->sm) && !(m->mask & e->mask)) continue; /* other fronts' */
        if (!holds(a, !waiting))
            report(a, 3, e, "lanes 0x%llx of uid %llu (pc %d) have not been accepted", (unsigned long long)waiting,
                   (unsigned long long)m->uid, m->pc);
        else if (!holds(a, m->last_access <= e->cycle))
            report(a, 3, e, "uid %llu (pc %d) has an access accepted at cycle %llu", (unsigned long long)m->uid, m->pc,
                   (unsigned long long)m->last_access);
        if (m->gate == NEVER) m->gate = e->cycle;
    }
}

/* The first instruction of some lanes after their fence */
static void check_fence(struct audit *a, struct audit_slot *s, const struct event *e) {
    u64 lanes = s->fence_lanes & e->a;
    if (!lanes) return;
    for (u32 i = 0; i < s->listed.n; i++) {
        const struct issued *m = &a->issued.at[s->listed.at[i]];
        u64 outside = m->mask & lanes & ~m->in_shared;
        if (m->seq > s->fence_seq || !m->memory || !(facts_of(a, m)->role & ROLE_WRITES) || !outside) continue;
        if (holds(a, !(outside & ~m->completed) && m->last_outside <= e->cycle)) continue;
        report(a, 3, e, "follows a fence, but uid %llu (pc %d) before it is not complete", (unsigned long long)m->uid, m->pc);
    }
    s->fence_lanes &= ~lanes;
}

/* --- A5: lanes complete once */

static void on_complete(struct audit *a, struct issued *x, const struct event *e) {
    struct event where = at_inst(x, e->cycle);
    u64 strange = e->mask & ~x->mask, twice = e->mask & x->completed;
    if (!holds(a, !strange)) report(a, 5, &where, "lanes 0x%llx complete that are not active", (unsigned long long)strange);
    if (!holds(a, !twice)) report(a, 5, &where, "lanes 0x%llx complete twice", (unsigned long long)twice);
    x->completed |= e->mask & x->mask;
    x->last_complete = MAX(x->last_complete, e->cycle);
    if (e->mask & ~x->in_shared) x->last_outside = MAX(x->last_outside, e->cycle);
}

static void check_lanes(struct audit *a, const struct issued *x, u64 cycle) {
    u64 missing = x->mask & ~x->completed;
    struct event where = at_inst(x, cycle);
    if (x->memory && !holds(a, !missing)) report(a, 5, &where, "lanes 0x%llx never complete", (unsigned long long)missing);
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
        struct event where = at_inst(x, at[i].cycle);
        if (!holds(a, at[i].cycle >= at[before].cycle))
            report(a, 6, &where, "%s comes before %s, which is at cycle %llu", at[i].name, at[before].name,
                   (unsigned long long)at[before].cycle);
        before = i;
    }
}

/* --- A8: the time of a warp */

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
    report(a, 8, &e, "no stall and no issue accounts for cycles %llu to %llu", (unsigned long long)s->covered_to,
           (unsigned long long)to - 1);
    s->covered_to = to;
    absorb(s);
}

static void cover(struct audit *a, struct audit_slot *s, u64 from, u64 to, const struct event *where) {
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
        report(a, 8, &e, "no stall and no issue accounts for cycles %llu to %llu", (unsigned long long)s->tail_from,
               (unsigned long long)s->tail_to - 1);
    s->tail_to = 0;
}

/* Time without a warp. Begins when the warp's program is over, goes on after the warp's end, and is told when
 * the next one starts. True: it is not the present warp's. */
static bool on_empty(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (s->tail_to && holds(a, e->a <= s->tail_from && e->cycle >= s->tail_to)) s->tail_to = 0;
    report_tail(a, s, e);
    return (!s->live && !s->ending) || e->cycle <= s->start || (s->ending && e->a >= s->end);
}

static void on_stall(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (e->mask == 1ull << STALL_EMPTY && on_empty(a, s, e)) return;
    s->stalls_seen = true;
    if (!holds(a, s->live || s->ending)) report(a, 8, e, "the slot holds no warp");
    if (!holds(a, e->a <= e->cycle)) {
        report(a, 8, e, "the stall ends before it starts, at cycle %llu", (unsigned long long)e->a);
        return;
    }
    if (!holds(a, e->a >= s->stall_to))
        report(a, 8, e, "the stall from cycle %llu overlaps what was before cycle %llu, the end of another or the warp's start",
               (unsigned long long)e->a, (unsigned long long)s->stall_to);
    s->stall_to = MAX(s->stall_to, e->cycle);
    cover(a, s, e->a, e->cycle, e);
}

/* The warp has ended, and what its end made known has been told */
static void add_up(struct audit *a, struct audit_slot *s, u32 sm, u32 slot) {
    struct event where = {.sm = (u16)sm, .slot = (u16)slot, .pc = NONE};
    if (!s->ending) return;
    s->ending = false;
    report_tail(a, s, &where);
    if (!s->stalls_seen || holds(a, s->covered_to >= s->end)) return;
    if (s->ahead.n) report_hole(a, s, s->end, &where);
    else s->tail_from = s->covered_to, s->tail_to = s->end;
}

/* --- warps */

static void on_warp_start(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (!holds(a, !s->live)) report(a, 7, e, "a warp starts in a slot whose warp has not ended");
    add_up(a, s, e->sm, e->slot);
    unlist(a, s, s->listed.n);
    s->live = true;
    s->start = s->covered_to = s->stall_to = s->last_issue = e->cycle;
    s->writes.n = s->ahead.n = s->accesses.n = s->needs.n = s->inside.n = s->calls.at.n = 0;
    s->fence_lanes = 0;
}

static void on_warp_end(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (!holds(a, s->live)) {
        report(a, 0, e, "a warp ends in an empty slot");
        return;
    }
    if (!holds(a, e->cycle >= s->last_issue))
        report(a, 6, e, "the warp ends before its last issue, at cycle %llu", (unsigned long long)s->last_issue);
    if (!holds(a, !s->inside.n)) report(a, 9, e, "%u instructions are in the window of a warp that ends", s->inside.n);
    s->live = false;
    s->ending = true;
    s->end = e->cycle;
    VEC_PUSH(&a->ended_slots, (u32)(s - a->slots));
}

/* A new instruction: its pc and uid make sense */
static bool is_known(struct audit *a, const struct audit_slot *s, const struct event *e, const char *does) {
    if (!holds(a, a->k && e->pc >= 0 && (u32)e->pc < a->k->ninst && e->uid && uids_get(&a->map, e->sm, e->uid) == UIDS_NONE)) {
        report(a, 0, e, "%s with an unknown pc or a uid that is in flight", does);
        return false;
    }
    if (!holds(a, s->live)) report(a, 0, e, "%s from an empty slot", does);
    return true;
}

static void issue_cycle(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (!holds(a, e->cycle >= s->last_issue))
        report(a, 6, e, "the slot has issued at cycle %llu already", (unsigned long long)s->last_issue);
    s->last_issue = MAX(s->last_issue, e->cycle);
    a->present[e->sm] = MAX(a->present[e->sm], e->cycle);
    cover(a, s, e->cycle, e->cycle + 1, e);
    check_fence(a, s, e);
}

/* --- A9: windows */

static bool is_inside(const struct audit_slot *s, u64 uid) {
    for (u32 i = 0; i < s->inside.n; i++)
        if (s->inside.at[i] == uid) return true;
    return false;
}

/* The writers before it of what it reads, and of what it writes where names stay, that may not be ready */
static void note_needs(struct audit *a, struct audit_slot *s, const struct event *e, const struct pc_facts *f) {
    const u16 *src = &a->facts.regs.at[f->regs], *dst = src + f->nsrc;
    u32 left = 0;
    for (u32 i = 0; i < s->writes.n; i++) {
        struct pending_write w = s->writes.at[i];
        if (w.ready <= e->cycle && !is_inside(s, w.uid)) continue;
        s->writes.at[left++] = w;
        bool guards = w.reg == f->guard && f->guard;
        bool used = has_reg(src, f->nsrc, w.reg) || (!e->cause && has_reg(dst, f->ndst, w.reg));
        if (!used || w.frame != (u32)e->b || !(w.mask & (guards ? e->a : e->mask))) continue;
        struct need x = {e->uid, w.uid, w.reg};
        VEC_PUSH(&s->needs, x);
    }
    s->writes.n = left;
}

static void on_window(struct audit *a, struct audit_slot *s, const struct event *e) {
    if (!is_known(a, s, e, "is dispatched")) return;
    const struct pc_facts *f = &a->facts.at[e->pc];
    follow_calls(a, s, e);
    note_needs(a, s, e, f);
    u32 i = new_record(a, e);
    begin_writes(a, s, &a->issued.at[i]);
    if (f->role & ROLE_CALL) make_call(s, e);
    if (f->role & (ROLE_MEMORY | ROLE_MAY_MEMORY)) list(a, s, i);
    VEC_PUSH(&s->inside, e->uid);
}

/* A1 for one that was dispatched before it issues */
static void check_needs(struct audit *a, struct audit_slot *s, const struct event *e) {
    for (u32 k = 0; k < s->needs.n; k++) {
        struct need x = s->needs.at[k];
        if (x.uid != e->uid) continue;
        i64 i = uids_get(&a->map, e->sm, x.producer);
        u64 ready = i == UIDS_NONE ? 0 : a->issued.at[i].ready;
        char buf[16];
        if (!holds(a, ready <= e->cycle))
            report(a, 1, e, "needs %s, which uid %llu %s", reg_text(x.reg, buf, sizeof(buf)), (unsigned long long)x.producer,
                   ready == NEVER ? "has not made ready" : "makes ready later");
    }
}

/* Its result is ready: whoever has issued with one that it had before was wrong */
static void check_users(struct audit *a, const struct audit_slot *s, const struct issued *x, u64 cycle) {
    for (u32 k = 0; k < s->needs.n; k++) {
        i64 i = s->needs.at[k].producer == x->uid ? uids_get(&a->map, x->sm, s->needs.at[k].uid) : UIDS_NONE;
        if (i == UIDS_NONE || a->issued.at[i].issue == NEVER || holds(a, a->issued.at[i].issue >= cycle)) continue;
        struct event where = at_inst(&a->issued.at[i], a->issued.at[i].issue);
        report(a, 1, &where, "needs what uid %llu makes ready at cycle %llu", (unsigned long long)x->uid,
               (unsigned long long)cycle);
    }
}

/* It issues again: nothing that it did counts */
static void on_squash(struct audit *a, struct audit_slot *s, struct issued *x) {
    x->issue = x->read = x->dispatch = x->enter = x->ready = NEVER;
    x->accepted = x->completed = x->last_access = x->last_complete = x->in_shared = x->last_outside = 0;
    forget_accesses(s, x->seq);
    for (u32 i = 0; i < s->writes.n; i++)
        if (s->writes.at[i].uid == x->uid) s->writes.at[i].ready = NEVER;
    a->checked++;
}

static void issue_of_window(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e) {
    if (!holds(a, x->issue == NEVER && e->cycle >= x->window)) report(a, 9, e, "issues twice, or before its dispatch");
    issue_cycle(a, s, e);
    check_needs(a, s, e);
    x->issue = e->cycle;
}

static void on_retire(struct audit *a, struct audit_slot *s, const struct issued *x, const struct event *e) {
    struct event where = at_inst(x, e->cycle);
    u32 i = 0;
    while (i < s->inside.n && s->inside.at[i] != x->uid) i++;
    if (!holds(a, i < s->inside.n)) {
        report(a, 9, &where, "leaves a window it is not in");
        return;
    }
    if (!holds(a, !i || !e->cause))
        report(a, 9, &where, "leaves before uid %llu, which was dispatched before it", (unsigned long long)s->inside.at[0]);
    if (!holds(a, x->ready <= e->cycle)) report(a, 9, &where, "leaves before its result is ready");
    memmove(s->inside.at + i, s->inside.at + i + 1, (--s->inside.n - i) * sizeof(*s->inside.at));
    u32 left = 0;
    for (u32 k = 0; k < s->needs.n; k++)
        if (s->needs.at[k].uid != x->uid) s->needs.at[left++] = s->needs.at[k];
    s->needs.n = left;
}

static void on_issue(struct audit *a, struct audit_slot *s, const struct event *e) {
    i64 in_flight = e->uid ? uids_get(&a->map, e->sm, e->uid) : UIDS_NONE;
    if (in_flight != UIDS_NONE && a->issued.at[in_flight].window != NEVER && a->issued.at[in_flight].pc == e->pc) {
        issue_of_window(a, s, &a->issued.at[in_flight], e);
        return;
    }
    if (!is_known(a, s, e, "issues")) return;
    if (!holds(a, !s->inside.n)) report(a, 9, e, "issues past a window with %u instructions", s->inside.n);
    const struct pc_facts *f = &a->facts.at[e->pc];
    issue_cycle(a, s, e);
    follow_calls(a, s, e);
    check_registers(a, s, e, f);
    if (f->role & ROLE_GATE && e->mask) check_gate(a, s, e);
    u32 i = new_record(a, e);
    begin_writes(a, s, &a->issued.at[i]);
    if (f->role & (ROLE_MEMORY | ROLE_MAY_MEMORY)) list(a, s, i);
    if (f->role & ROLE_CALL) make_call(s, e);
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
    if (x->clobbered != NEVER && !holds(a, x->clobbered >= x->read)) report_clobber(a, x);
}

/* Issued again: the slot's cycle, and its sources are read once more */
static void on_replay(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e) {
    cover(a, s, e->cycle, e->cycle + 1, e);
    if (x->clobbered != NEVER && !holds(a, x->clobbered > e->cycle)) report_clobber(a, x);
}

static void on_ready(struct audit *a, struct audit_slot *s, struct issued *x, const struct event *e) {
    x->ready = MIN(x->ready, e->cycle);
    if (x->window != NEVER) check_users(a, s, x, e->cycle);
    end_writes(s, x, e->mask, e->cycle);
    check_sources(a, s, x, e->mask, e->cycle);
}

/* --- A11: rows of units */

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

static void row_take(struct audit *a, const struct event *e) {
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
    if (!holds(a, r->before && !both))
        report(a, 11, where, "its threads issue in lanes 0x%llx, which those of another take", (unsigned long long)both);
    if (!holds(a, !untold)) report(a, 11, where, "its threads take lanes 0x%llx, which are not told", (unsigned long long)untold);
    if (!holds(a, !free)) report(a, 11, where, "lanes 0x%llx are told to be free, and are not", (unsigned long long)free);
}

static void on_weave(struct audit *a, const struct issued *x, const struct event *e) {
    struct event where = at_inst(x, e->cycle);
    u64 both = e->a & e->mask;
    if (!holds(a, !both)) report(a, 11, &where, "issues in lanes 0x%llx, which another takes", (unsigned long long)both);
    if (!holds(a, x->issue == e->cycle && a->present[e->sm] == e->cycle))
        report(a, 11, &where, "issues beside an instruction of another cycle");
    if (!holds(a, __builtin_popcountll(e->mask) >= __builtin_popcountll(x->mask)))
        report(a, 11, &where, "takes fewer lanes than it has threads");
    check_row(a, &where, e);
}

static void on_inst(struct audit *a, struct audit_slot *s, u32 i, const struct event *e) {
    struct issued *x = &a->issued.at[i];
    struct event where = at_inst(x, e->cycle);
    if (e->kind != EV_SQUASH && !holds(a, e->cycle >= x->issue))
        report(a, 6, &where, "%s before its issue, at cycle %llu", kind_names[e->kind], (unsigned long long)x->issue);
    switch (e->kind) {
    case EV_READ: on_read(a, x, e); break;
    case EV_DISPATCH: x->dispatch = e->cycle; break;
    case EV_MEM_ENTER:
        x->enter = e->cycle;
        x->memory = true;
        break;
    case EV_REPLAY: on_replay(a, s, x, e); break;
    case EV_READY: on_ready(a, s, x, e); break;
    case EV_ACCESS: on_access(a, s, x, e); break;
    case EV_COMPLETE: on_complete(a, x, e); break;
    case EV_RETIRE: on_retire(a, s, x, e); break;
    case EV_SQUASH: on_squash(a, s, x); break;
    case EV_WEAVE: on_weave(a, x, e); break;
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
    check_lanes(a, x, x->done);
    if (x->clobbered != NEVER && x->read == NEVER) report_clobber(a, x);
    uids_drop(&a->map, x->sm, x->uid);
    x->closed = true;
    if (!x->listed) vacate(a, i);
}

static void take_front(struct audit *a, const struct event *e) {
    u32 rule;
    const char *wrong = places_take(a->places, e, &rule);
    if (!holds(a, !wrong)) report(a, rule, e, "%s", wrong);
}

static void take(struct audit *a, const struct event *e) {
    if (e->kind == EV_FRONT || e->kind == EV_ISSUE) take_front(a, e), row_take(a, e);
    if (e->kind == EV_FRONT) return;
    bool known = e->sm < a->sms && e->slot < a->nslots;
    if (!holds(a, known)) {
        report(a, 0, e, "there is no such SM or slot");
        return;
    }
    struct audit_slot *s = slot_at(a, e->sm, e->slot);
    switch (e->kind) {
    case EV_WARP_START: on_warp_start(a, s, e); return;
    case EV_WARP_END: on_warp_end(a, s, e); return;
    case EV_ISSUE: on_issue(a, s, e); return;
    case EV_WINDOW: on_window(a, s, e); return;
    case EV_STALL: on_stall(a, s, e); return;
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
    if (!holds(a, i != UIDS_NONE)) report(a, 0, e, "%s of an instruction that is not in flight", kind_names[e->kind]);
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
        add_up(a, &a->slots[a->ended_slots.at[i]], a->ended_slots.at[i] / a->nslots, a->ended_slots.at[i] % a->nslots);
    a->ended.n = a->ended_slots.n = 0;
}

static void check_ended(struct audit *a, u64 cycle) {
    for (u32 i = 0; i < a->issued.n; i++) {
        const struct issued *x = &a->issued.at[i];
        if (!x->used) continue;
        struct event where = at_inst(x, cycle);
        if (!holds(a, x->done <= cycle)) report(a, 7, &where, "not done when the launch ends");
    }
    for (u32 i = 0; i < a->sms * a->nslots; i++) {
        struct event where = {.cycle = cycle, .sm = (u16)(i / a->nslots), .slot = (u16)(i % a->nslots), .pc = NONE};
        if (!holds(a, !a->slots[i].live)) report(a, 7, &where, "the warp that started here has not ended when the launch ends");
    }
}

static void check_places(struct audit *a, u64 cycle) {
    for (u32 sm = 0; sm < a->sms; sm++)
        for (u32 slot = 0; slot < places_of(a->places, sm); slot++) {
            struct event where = {.cycle = cycle, .sm = (u16)sm, .slot = (u16)slot, .pc = NONE};
            u32 rule;
            const char *wrong = places_end(a->places, sm, slot, cycle, &rule);
            if (!holds(a, !wrong)) report(a, (int)rule, &where, "%s", wrong);
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
