/* A1 of the audit (audit.c): no register is read before its value is ready. A slot keeps its registers that
 * are under way, lane by lane, the newest writer of each; calls pass results from the function's registers
 * to the caller's. */
#include "trace/audit_state.h"

/* --- A1: registers */

/* One register with a value under way, against the instruction that issues */
static void check_ready(struct audit *a, const struct event *e, const struct pc_facts *f, const struct pending_write *w) {
    const u16 *src = &a->facts.regs.at[f->regs], *dst = src + f->nsrc;
    bool guards = w->reg == f->guard && f->guard;
    bool reads = audit_has_reg(src, f->nsrc, w->reg), writes = audit_has_reg(dst, f->ndst, w->reg);
    u64 lanes = w->mask & (guards ? e->a : e->mask);
    char buf[16];
    if ((!reads && !writes) || audit_holds(a, !lanes)) return;
    audit_reg_text(w->reg, buf, sizeof(buf));
    if (w->ready == NEVER)
        audit_report(a, 1, e, "%s %s, which uid %llu has not made ready (lanes 0x%llx)", reads ? "reads" : "writes", buf,
                     (unsigned long long)w->uid, (unsigned long long)lanes);
    else
        audit_report(a, 1, e, "%s %s, which uid %llu makes ready at cycle %llu (lanes 0x%llx)", reads ? "reads" : "writes", buf,
                     (unsigned long long)w->uid, (unsigned long long)w->ready, (unsigned long long)lanes);
}

void audit_check_registers(struct audit *a, struct audit_slot *s, const struct event *e, const struct pc_facts *f) {
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

void audit_begin_writes(struct audit *a, struct audit_slot *s, const struct issued *x) {
    const struct pc_facts *f = audit_facts(a, x);
    const u16 *dst = &a->facts.regs.at[f->regs] + f->nsrc;
    if (!x->mask || !f->ndst) return;
    u32 left = 0;
    for (u32 i = 0; i < s->writes.n; i++) { /* the newest writer of a lane counts */
        struct pending_write w = s->writes.at[i];
        if (w.frame == x->frame && audit_has_reg(dst, f->ndst, w.reg)) w.mask &= ~x->mask;
        if (w.mask) s->writes.at[left++] = w;
    }
    s->writes.n = left;
    for (u32 i = 0; i < f->ndst; i++) {
        struct pending_write w = {.mask = x->mask, .ready = NEVER, .uid = x->uid, .frame = x->frame, .reg = dst[i]};
        VEC_PUSH(&s->writes, w);
    }
}

/* Lanes of x's results are ready at `cycle` */
void audit_end_writes(struct audit_slot *s, const struct issued *x, u64 lanes, u64 cycle) {
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
void audit_follow_calls(const struct audit *a, struct audit_slot *s, const struct event *e) {
    struct open_call x;
    if (!s->calls.at.n) return;
    while (calls_return(&s->calls, e->a, (u32)e->b, &x)) on_return(a, s, &x);
    calls_enter(&s->calls, a->k, e->a, (u32)e->b, e->pc);
}

void audit_make_call(struct audit_slot *s, const struct event *e) {
    struct open_call x = {.uid = e->uid, .lanes = e->mask, .frame = (u32)e->b, .callee = NONE, .pc = e->pc, .func = NONE};
    calls_make(&s->calls, &x);
}
