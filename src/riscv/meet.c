/* Where the lanes of a branch meet again, found in the binary: functions are what calls and the entry lead
 * to, joined where one jumps into another (tail calls, shared tails); in each the immediate
 * post-dominators.
 *
 * A return leaves its function, and all returns of a function meet at one place behind the text: a
 * function that diverged comes back to its caller as one. Indirect jumps that are no returns go by a table to
 * pieces of their function that nothing else leads to: those that jump into it, and those behind it in the
 * text where no symbol begins. Which of them does not stand in the binary: all tables of a function may
 * lead to all. Lanes that call different functions meet behind the call. Meeting is a preference (func/): a
 * place that is found wrongly costs time, and results only of programs whose tmc, votes and the like want
 * lanes together that it keeps apart. */
#include "isa/flow.h"
#include "riscv/riscv.h"

#include <stdlib.h>

enum { SCRATCH_B = 1 << 16 };

struct walk {
    const struct kernel *k;
    u32 n;
    i32 *owner;         /* by instruction: the function that first came by, or NONE */
    i32 *joined;        /* by function: what it is part of (union-find) */
    bool *by_pointer;   /* by function: nobody was seen to call it */
    bool *guests;       /* by function: it switches lanes on, or one that it calls does */
    bool *table;        /* by function: it has an indirect jump that is no return */
    i32 *entry;         /* by function: its first instruction */
    const bool *starts; /* by instruction: a symbol begins there; NULL: there are none */
    u32 nfuncs;
    VEC(u32) calls; /* entries of functions to come */
    VEC(u32) stack;
};

static i32 root(struct walk *x, i32 f) {
    while (x->joined[f] != f) f = x->joined[f] = x->joined[x->joined[f]];
    return f;
}

static bool is_call(const struct inst *in) { return !in->d.absent; }
static bool is_return(const struct inst *in) {
    return in->exec == exec_rv_jalr && in->d.absent && in->s[0].off == RV_RA * ROW_B && !in->imm;
}
static bool is_table(const struct inst *in) { return in->exec == exec_rv_jalr && in->d.absent && !is_return(in); }
static bool stops(const struct inst *in) {
    return in->exec == exec_rv_fault || in->exec == exec_rv_ecall || in->exec == exec_rv_mret ||
           ((in->exec == exec_rv_jal || in->exec == exec_rv_jalr) && !is_call(in));
}

static void join(struct walk *x, i32 f, i32 to) {
    i32 a = root(x, f), b = root(x, to);
    x->joined[a] = b;
    x->table[b] = x->table[b] || x->table[a];
}

static void visit(struct walk *x, i32 f, i64 at) {
    if (at < 0 || at >= x->n) return;
    if (x->owner[at] == NONE) {
        x->owner[at] = f;
        VEC_PUSH(&x->stack, (u32)at);
    } else join(x, x->owner[at], f);
}

static void walk_function(struct walk *x, i32 f, u32 entry) {
    visit(x, f, entry);
    while (x->stack.n) {
        u32 i = x->stack.at[--x->stack.n];
        const struct inst *in = &x->k->code[i];
        bool call = in->exec == exec_rv_jal && is_call(in);
        if (is_table(in)) x->table[root(x, f)] = true;
        if (call && in->target != NONE) VEC_PUSH(&x->calls, (u32)in->target);
        else if (in->target != NONE) visit(x, f, in->target);
        if (!stops(in)) visit(x, f, (i64)i + 1);
    }
}

/* What nothing leads to but what is before it in the text: a function with a table, or, where no symbols
 * are known, the indirect jump itself */
static bool is_piece(struct walk *x, u32 entry) {
    if (!entry) return false;
    if (!x->starts) return is_table(&x->k->code[entry - 1]);
    return !x->starts[entry] && x->table[root(x, x->owner[entry - 1])];
}

/* Whatever is not reached from the entry (called through pointers) begins functions of its own */
static void walk_all(struct walk *x) {
    u32 next = 0;
    VEC_PUSH(&x->calls, (u32)x->k->funcs[0].entry_pc);
    for (u32 done = 0;; done++) {
        bool seen = done < x->calls.n;
        while (!seen && next < x->n && x->owner[next] != NONE) next++;
        if (!seen && next >= x->n) break;
        if (!seen) VEC_PUSH(&x->calls, next);
        u32 entry = x->calls.at[done];
        if (x->owner[entry] != NONE) continue;
        x->by_pointer[x->nfuncs] = !seen;
        x->joined[x->nfuncs] = (i32)x->nfuncs;
        x->entry[x->nfuncs] = (i32)entry;
        walk_function(x, (i32)x->nfuncs, entry);
        if (!seen && is_piece(x, entry)) join(x, (i32)x->nfuncs, x->owner[entry - 1]);
        x->nfuncs++;
    }
}

/* --- lanes that return from a function they did not call */

/* Some function that switches lanes on may be called through a pointer */
static bool some_by_pointer(struct walk *x) {
    for (u32 f = 0; f < x->nfuncs; f++)
        if (x->by_pointer[f] && x->guests[root(x, (i32)f)]) return true;
    return false;
}

static bool has_guests(struct walk *x, const struct inst *in, bool by_pointer) {
    if (in->exec == exec_rv_tmc || (in->exec == exec_rv_pred && !in->s[1].absent)) return true;
    if (in->exec == exec_rv_jalr && is_call(in)) return by_pointer;
    return in->exec == exec_rv_jal && is_call(in) && in->target != NONE && x->guests[root(x, x->owner[in->target])];
}

static void find_guests(struct walk *x) {
    for (bool more = true; more;) {
        bool by_pointer = some_by_pointer(x);
        more = false;
        for (u32 i = 0; i < x->n; i++) {
            i32 f = root(x, x->owner[i]);
            if (x->guests[f] || !has_guests(x, &x->k->code[i], by_pointer)) continue;
            x->guests[f] = more = true;
        }
    }
}

/* Where the tables of a function may lead to, as places among its members: pieces that nothing else leads
 * to */
static u32 table_targets(const struct walk *x, const u32 *members, u32 n, i32 *targets) {
    u32 ntargets = 0;
    for (u32 j = 0; j < n; j++) {
        i32 piece = x->owner[members[j]];
        if (x->by_pointer[piece] && x->entry[piece] == (i32)members[j]) targets[ntargets++] = (i32)j;
    }
    return ntargets;
}

/* One function's members, and behind them, where it has tables that lead anywhere, a place that all of
 * these go to and that leads to all targets: as many ways as there are tables and targets, not as many as
 * pairs of them */
struct function {
    const u32 *members;
    u32 n;
    i32 hub; /* that place, or NONE */
    struct flow_inst *flow;
};

static struct function function_of(struct walk *x, i32 func, const u32 *members, u32 n, i32 *place, struct arena *scratch) {
    struct function f = {members, n, NONE, ARENA_ARRAY(scratch, struct flow_inst, n + 1)};
    i32 *targets = x->table[func] ? ARENA_ARRAY(scratch, i32, n) : NULL;
    u32 ntargets = targets ? table_targets(x, members, n, targets) : 0;
    if (ntargets) {
        f.hub = (i32)n;
        f.flow[n] = (struct flow_inst){.target = NONE, .targets = targets, .ntargets = ntargets};
    }
    for (u32 j = 0; j < n; j++) place[members[j]] = (i32)j;
    for (u32 j = 0; j < n; j++) {
        const struct inst *in = &x->k->code[members[j]];
        bool table = ntargets && is_table(in), goes = in->exec == exec_rv_part || (in->exec == exec_rv_jal && !is_call(in));
        bool next = !stops(in) && j + 1 < n && members[j + 1] == members[j] + 1;
        i32 target = goes && in->target != NONE ? place[in->target] : table ? f.hub : NONE;
        f.flow[j] = (struct flow_inst){.target = target, .falls = next};
        f.flow[j].leaves = is_return(in) || (!next && target == NONE);
    }
    return f;
}

static bool parts(const struct function *f, const struct inst *in, u32 j) {
    return f->flow[j].target != NONE && (in->exec == exec_rv_part || f->flow[j].target == f->hub);
}

static void meet_function(struct kernel *k, const struct function *f, i32 exit, struct arena *scratch) {
    i32 *reconv = ARENA_ARRAY(scratch, i32, f->n + 1);
    bool any = false;
    for (u32 j = 0; j < f->n; j++) {
        struct inst *in = &k->code[f->members[j]];
        any = any || parts(f, in, j);
        if (in->exec != exec_rv_jalr || !is_call(in) || !f->flow[j].falls) continue;
        in->reconv = (i32)f->members[j] + 1;
        k->code[in->reconv].flags |= INST_RECONV;
    }
    if (any) cfg_reconvergence(&(struct flow){.ninsts = f->n + (f->hub != NONE), .inst = f->flow}, reconv, scratch);
    for (u32 j = 0; j < f->n && any; j++) {
        struct inst *in = &k->code[f->members[j]];
        if (!parts(f, in, j)) continue;
        i32 at = reconv[j] == f->hub ? reconv[f->n] : reconv[j];
        in->reconv = at < (i32)f->n ? (i32)f->members[at] : exit;
        if (at < (i32)f->n) k->code[in->reconv].flags |= INST_RECONV;
    }
}

u32 rv_meet(struct kernel *k, u32 text_words, const bool *starts, i32 *returns, bool *guests) {
    struct walk x = {.k = k, .n = text_words, .starts = starts};
    x.table = base_alloc(text_words + 1), x.entry = base_alloc(sizeof(i32) * (text_words + 1));
    x.by_pointer = base_alloc(text_words + 1), x.guests = base_alloc(text_words + 1);
    x.owner = base_alloc(sizeof(i32) * (text_words + 1));
    x.joined = base_alloc(sizeof(i32) * (text_words + 1));
    for (u32 i = 0; i < text_words; i++) x.owner[i] = returns[i] = NONE;
    walk_all(&x);
    find_guests(&x);
    u32 *count = base_alloc(sizeof(u32) * (x.nfuncs + 2)), *members = base_alloc(sizeof(u32) * (text_words + 1));
    for (u32 i = 0; i < text_words; i++) count[root(&x, x.owner[i]) + 1]++;
    for (u32 f = 0; f < x.nfuncs; f++) count[f + 1] += count[f];
    u32 *at = base_alloc(sizeof(u32) * (x.nfuncs + 1));
    memcpy(at, count, sizeof(u32) * x.nfuncs);
    for (u32 i = 0; i < text_words; i++) members[at[root(&x, x.owner[i])]++] = i;
    i32 *place = base_alloc(sizeof(i32) * (text_words + 1));
    struct arena scratch = {0}; /* emptied now and then: most functions are small */
    u32 places = 0;
    for (u32 f = 0; f < x.nfuncs; f++) {
        u32 n = count[f + 1] - count[f], first = count[f];
        bool some = false;
        for (u32 j = 0; j < n; j++)
            if (is_return(&k->code[members[first + j]])) returns[members[first + j]] = (i32)places, some = true;
        if (n) {
            struct function one = function_of(&x, (i32)f, members + first, n, place, &scratch);
            meet_function(k, &one, some ? (i32)(text_words + 1 + places) : NONE, &scratch);
        }
        if (scratch.used_b > SCRATCH_B) arena_free(&scratch);
        if (some) guests[places] = x.guests[f];
        places += some;
    }
    arena_free(&scratch);
    free(x.by_pointer), free(x.guests), free(x.table), free(x.entry);
    free(x.owner), free(x.joined), free(x.calls.at), free(x.stack.at);
    free(count), free(members), free(at), free(place);
    return places;
}
