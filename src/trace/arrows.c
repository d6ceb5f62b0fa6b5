/* The last writer of each register of each warp. Uids grow in program order within a warp; 32 of their bits
 * are kept, which is enough for four thousand million instructions of an SM. */
#include "trace/arrows.h"

static u64 key_of(const struct event *e, u16 reg) { return (e->slot + 1ull) << 32 | (e->b & 0xFFFF) << 16 | reg; }

void arrows_launch(struct arrows *a, const struct kernel *k) {
    facts_learn(&a->facts, k);
    a->ninst = k->ninst;
    uids_clear(&a->writers);
    uids_clear(&a->born);
}

void arrows_warp(struct arrows *a, const struct event *e) { uids_drop(&a->born, e->sm, e->slot + 1u); }

void arrows_text(struct arrows *a, const struct event *e) {
    facts_change(&a->facts, e->sm, (u32)e->pc, (const struct inst *)(uintptr_t)e->a);
}

static u32 first_of_warp(struct arrows *a, const struct event *e) {
    i64 born = uids_get(&a->born, e->sm, e->slot + 1u);
    if (born != UIDS_NONE) return (u32)born;
    uids_put(&a->born, e->sm, e->slot + 1u, (u32)e->uid);
    return (u32)e->uid;
}

static void add_source(const struct arrows *a, const struct event *e, u16 reg, u32 born, u32 from[ARROWS_MAX], u32 *n) {
    i64 writer = uids_get(&a->writers, e->sm, key_of(e, reg));
    if (writer == UIDS_NONE || (u32)writer < born || *n == ARROWS_MAX) return;
    for (u32 i = 0; i < *n; i++)
        if (from[i] == (u32)writer) return;
    from[(*n)++] = (u32)writer;
}

u32 arrows_take(struct arrows *a, const struct event *e, u32 from[ARROWS_MAX]) {
    u32 n = 0, born = first_of_warp(a, e);
    if (e->pc < 0 || (u32)e->pc >= a->ninst) return 0;
    const struct pc_facts *x = &a->facts.at.at[facts_now(&a->facts, e->sm, (u32)e->pc)];
    const u16 *reg = &a->facts.regs.at[x->regs];
    for (u32 i = 0; i < x->nsrc; i++) add_source(a, e, reg[i], born, from, &n);
    if (x->guard) add_source(a, e, x->guard, born, from, &n);
    for (u32 i = 0; i < x->ndst; i++) uids_put(&a->writers, e->sm, key_of(e, reg[x->nsrc + i]), (u32)e->uid);
    return n;
}

void arrows_free(struct arrows *a) {
    facts_free(&a->facts);
    uids_free(&a->writers);
    uids_free(&a->born);
}
