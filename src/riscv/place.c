/* Split, join and pred into clang's assembly, for isa.vortex.diverge = split: there a branch goes where the
 * leading lane goes, so every branch at which lanes may part has to be told to the hardware.
 *
 * An if: split before the branch, join on every way into its immediate post-dominator; each side comes to
 * the join once. A loop that lanes leave at different times: on the way in the mask is saved, pred at the
 * exit switches off those that leave while others stay, and behind it all go on. A loop that is left at
 * several places, or from inside an if, leaves at its end: the place is written down in the thread's own
 * memory, and behind the loop lanes go from there where they wanted to.
 *
 * 2021: a split that parts nobody saves a loop's mask, and a join behind the loop restores it. v3: split says
 * how deep the stack is, and join wants to hear it again; pred restores a loop's mask when nobody stays, and
 * has to be told the mask. gp, which nobody else uses, holds that of the innermost split or loop; others' are
 * kept in words of the thread, one for each level at which splits and loops nest in a function, and fetched.
 *
 * Which branches: those whose operands may differ between lanes. A value is the same in all lanes when it is
 * computed from such values (constants, loads from one address) outside of everything that a branch parts. A
 * comment "heddle uniform REG" (lib/items.h) says so of a register. Branches that decide about coming to a
 * barrier are left alone: all items of a group come to it or none.
 *
 * A side of an if that can be entered from elsewhere is copied. Not placed, but refused with the function's
 * name: control flow that is not reducible, indirect jumps. x31 (t6) is kept free by -ffixed-x31.
 *
 * P1 every way through a function executes as many joins as splits, a loop's counted with them   P2 nothing
 * is placed around a barrier, so words of a thread serve all its items   P3 v3: words of functions are apart,
 * so a function may be called from inside of another's split */
#include "riscv/place.h"
#include "riscv/lib/layout.h"

#include <ctype.h>
#include <stdlib.h>

bool place_refuse(struct function *f, const char *why) {
    diag_error(f->dg, f->file, 0, 0,
               "function %s has %s, into which split and join cannot be placed: isa.vortex.diverge = ipdom runs it", f->name,
               why);
    return false;
}

/* --- changing the graph */

static u32 add_text(struct function *f, const char *text, u32 to, u32 before) {
    return place_add_block(f, (struct block){.text = text, .text_b = strlen(text), .end = END_FALLS, .succ = {to, 0}}, before);
}

static u32 add_opening(struct function *f, enum opens opens, const char *text, u32 to, u32 before) {
    u32 b = add_text(f, text, to, before);
    f->blocks.at[b].opens = (u8)opens;
    return b;
}

/* Ways from blocks of a set (or from outside of it) to `from` lead to `to` instead */
static void redirect(struct function *f, const u64 *set, bool inside, u32 from, u32 to) {
    for (u32 b = 0; b < f->blocks.n; b++) {
        bool in = has(set, b);
        if (b == to || in != inside) continue;
        for (u32 i = 0; i < succs(&f->blocks.at[b]); i++)
            if (f->blocks.at[b].succ[i] == from) f->blocks.at[b].succ[i] = to;
    }
}

/* --- changing loops */

/* Some lanes may leave it before others */
static bool leaves_apart(const struct function *f, const struct loop *l) {
    for (u32 b = 0; b < f->blocks.n; b++) {
        const struct block *x = &f->blocks.at[b];
        if (!has(l->body, b) || !x->divergent || x->placed) continue;
        if (!has(l->body, x->succ[0]) || !has(l->body, x->succ[1])) return true;
    }
    return false;
}

/* Every round comes by the one block that leaves */
static bool passes_exit(struct function *f, const struct loop *l) {
    if (!l->one_exit) return false;
    if (l->out == l->header) return true;
    u64 *seen = new_set(f);
    put(seen, l->header);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->blocks.n; b++)
            for (u32 i = 0; i < succs(&f->blocks.at[b]) && has(seen, b) && b != l->out; i++) {
                u32 to = f->blocks.at[b].succ[i];
                if (to == l->header) return false;
                if (has(l->body, to) && !has(seen, to)) put(seen, to), changed = true;
            }
    }
    return true;
}

static void place_simple(struct function *f, const struct loop *l) {
    struct block *e = &f->blocks.at[l->out];
    bool taken_stays = has(l->body, e->succ[0]);
    u32 target = e->succ[taken_stays];
    e->placed = e->exits = true;
    e->stays_taken = taken_stays;
    u32 join = add_opening(f, OPENS_BEHIND_LOOP, "", target, target);
    redirect(f, l->body, true, target, join);
    if (l->backs > 1) redirect(f, l->body, true, l->header, add_text(f, "", l->header, join));
}

/* All ways out lead to the loop's end, and from behind it to where they wanted */
static bool place_general(struct function *f, const struct loop *l, char *offset) {
    u32 n = f->blocks.n, targets[32], many = 0;
    if (l->exits > ARRAY_LEN(targets)) return place_refuse(f, "a loop with more than 32 ways out");
    struct block end = {.op = "bnez\tt6",
                        .op_b = 7,
                        .end = END_BRANCH,
                        .ready = true,
                        .divergent = true,
                        .placed = true,
                        .exits = true,
                        .stays_taken = true};
    end.text = arena_printf(f->arena, "\tlw\tt6, %s\n\tseqz\tt6, t6\n", offset);
    end.text_b = strlen(end.text);
    u32 latch = place_add_block(f, end, f->blocks.at[l->out].succ[has(l->body, f->blocks.at[l->out].succ[0])]);
    redirect(f, l->body, true, l->header, latch);
    for (u32 b = 0; b < n; b++)
        for (u32 i = 0; i < succs(&f->blocks.at[b]) && has(l->body, b); i++) {
            u32 to = f->blocks.at[b].succ[i], k = 0;
            if (to == latch || has(l->body, to)) continue;
            while (k < many && targets[k] != to) k++;
            if (k == many) targets[many++] = to;
            u32 away = add_text(f, arena_printf(f->arena, "\tli\tt6, %u\n\tsw\tt6, %s\n", k + 1, offset), latch, latch);
            f->blocks.at[b].succ[i] = away;
        }
    u32 next = targets[many - 1];
    for (u32 k = many - 1; k-- > 0;) {
        struct block d = {
            .op = "bnez\tt6", .op_b = 7, .end = END_BRANCH, .ready = true, .divergent = true, .succ = {targets[k], next}};
        d.text = arena_printf(f->arena, "\tlw\tt6, %s\n\taddi\tt6, t6, -%u\n\tseqz\tt6, t6\n", offset, k + 1);
        d.text_b = strlen(d.text);
        next = place_add_block(f, d, next);
    }
    u32 join = add_opening(f, OPENS_BEHIND_LOOP, "", next, next);
    f->blocks.at[latch].succ[0] = l->header;
    f->blocks.at[latch].succ[1] = join;
    return true;
}

static bool place_loop(struct function *f, const struct loop *l) {
    char offset[32] = "";
    bool simple = passes_exit(f, l) && f->blocks.at[l->out].divergent;
    if (!simple) {
        if (f->taken->exits >= ITEM_EXITS) return place_refuse(f, "too many loops with several ways out");
        snprintf(offset, sizeof(offset), "%d(tp)", ITEM_EXIT + 4 * (int)f->taken->exits++ - ITEM_B);
    }
    const char *text = simple ? "" : arena_printf(f->arena, "\tsw\tzero, %s\n", offset);
    u32 before = add_opening(f, OPENS_LOOP, text, l->header, l->header);
    redirect(f, l->body, false, l->header, before);
    if (simple) place_simple(f, l);
    return simple || place_general(f, l, offset);
}

/* From the inside out. Each makes blocks, so that all is found anew. */
static bool place_loops(struct function *f) {
    for (;;) {
        struct loop best = {0};
        place_find_dominators(f);
        for (u32 h = 0; h < f->blocks.n; h++) {
            struct loop l = place_loop_of(f, h);
            if (!l.backs || !leaves_apart(f, &l)) continue;
            if (!best.body || set_size(f, l.body) < set_size(f, best.body)) best = l;
        }
        if (!best.body) return true;
        if (!best.header) return place_refuse(f, "a loop that begins with the function");
        if (f->blocks.n > MOST_BLOCKS) return place_refuse(f, "too many blocks");
        if (!place_loop(f, &best)) return false;
    }
}

/* Without the ways back to blocks that dominate where they come from there is no way around */
static bool reducible(struct function *f) {
    u32 n = f->blocks.n, done = 0, all = 0;
    u32 *waits = ARENA_ARRAY(f->arena, u32, n);
    u64 *live = place_reach(f, 0, n);
    VEC(u32) ready = {0};
    put(live, 0);
    for (u32 b = 0; b < n; b++)
        for (u32 i = 0; i < succs(&f->blocks.at[b]) && has(live, b); i++)
            waits[f->blocks.at[b].succ[i]] += !dominates(f, f->blocks.at[b].succ[i], b);
    for (u32 b = 0; b < n; b++) all += has(live, b);
    VEC_PUSH(&ready, 0);
    for (; ready.n; done++) {
        u32 b = ready.at[--ready.n];
        for (u32 i = 0; i < succs(&f->blocks.at[b]); i++) {
            u32 to = f->blocks.at[b].succ[i];
            if (!dominates(f, to, b) && --waits[to] == 0) VEC_PUSH(&ready, to);
        }
    }
    free(ready.at);
    return done == all || place_refuse(f, "control flow that is not reducible");
}

/* --- ifs */

/* Lines without labels and directives, which are there once */
static struct block without_labels(struct function *f, struct block b) {
    struct strbuf out = {0};
    for (const char *at = b.text, *stop = b.text + b.text_b; at < stop;) {
        size_t n = strcspn(at, "\n");
        bool stays =
            isspace((unsigned char)*at) && (at[1] != '.' || strncmp(at, "\t.loc", 5) == 0 || strncmp(at, "\t.insn", 6) == 0);
        if (stays) strbuf_add(&out, "%.*s\n", (int)n, at);
        at += n + 1;
    }
    b.text = out.s ? arena_strdup(f->arena, out.s, out.len) : "";
    b.text_b = out.len;
    strbuf_free(&out);
    return b;
}

/* What stands behind a block */
static u32 after(const struct function *f, u32 b) {
    for (u32 i = 0; i + 1 < f->order.n; i++)
        if (f->order.at[i] == b) return f->order.at[i + 1];
    return UINT32_MAX;
}

/* What b's ways come by and others, too, becomes b's own in a copy. False when there was nothing to copy. */
static bool copy_sides(struct function *f, u32 b, const u64 *region) {
    u32 n = f->blocks.n;
    u32 *copy = ARENA_ARRAY(f->arena, u32, n);
    bool any = false;
    for (u32 x = 0; x < n; x++) {
        if (!has(region, x) || dominates(f, b, x)) continue;
        copy[x] = place_add_block(f, without_labels(f, f->blocks.at[x]), after(f, x));
        any = true;
    }
    for (u32 x = 0; x < f->blocks.n && any; x++) {
        bool ours = x >= n || x == b || (x < n && has(region, x) && !copy[x]);
        for (u32 i = 0; i < succs(&f->blocks.at[x]) && ours; i++) {
            u32 *to = &f->blocks.at[x].succ[i];
            if (*to < n && copy[*to]) *to = copy[*to];
        }
    }
    return any;
}

static bool place_if(struct function *f, u32 b, u32 meet, u64 *region) {
    if (meet == f->blocks.n || has(region, b)) return place_refuse(f, "a branch whose ways do not meet");
    if (f->blocks.n > MOST_BLOCKS) return place_refuse(f, "too many blocks");
    if (copy_sides(f, b, region)) return true; /* and once more */
    put(region, b);
    f->blocks.at[b].placed = true;
    redirect(f, region, true, meet, add_opening(f, OPENS_BEHIND_IF, "", meet, meet));
    return true;
}

/* Joins on all ways out of b's sides: barriers make sure that all lanes take the same one, if only one of
 * them leads to a barrier and one to none */
static bool place_early(struct function *f, u32 b) {
    u64 *sides = place_sides(f, b);
    u32 with = 0, without = 0, n = f->blocks.n;
    if (copy_sides(f, b, sides)) return true;
    put(sides, b);
    for (u32 t = 0; t < n; t++) {
        bool out = false;
        for (u32 u = 0; u < n; u++)
            for (u32 i = 0; i < succs(&f->blocks.at[u]) && has(sides, u); i++)
                out = out || (f->blocks.at[u].succ[i] == t && !has(sides, t));
        if (!out) continue;
        u64 *from = place_reach(f, t, n);
        put(from, t);
        ++*(place_decides_barrier(f, from) ? &with : &without);
        redirect(f, sides, true, t, add_opening(f, OPENS_BEHIND_IF, "", t, t));
    }
    f->blocks.at[b].placed = true;
    return (with < 2 && without < 2) || place_refuse(f, "a branch before a barrier whose ways come together at several places");
}

static bool place_ifs(struct function *f) {
    for (;;) {
        u32 best = UINT32_MAX, least = UINT32_MAX, meet = 0;
        u64 *region = NULL;
        place_find_dominators(f);
        for (u32 b = 0; b < f->blocks.n; b++) {
            if (!f->blocks.at[b].divergent || f->blocks.at[b].placed) continue;
            u32 m = place_meeting(f, b);
            u64 *r = f->blocks.at[b].early ? place_sides(f, b) : place_reach(f, b, m);
            u32 n = set_size(f, r);
            if (n < least) least = n, best = b, meet = m, region = r;
        }
        if (best == UINT32_MAX) return true;
        if (!(f->blocks.at[best].early ? place_early(f, best) : place_if(f, best, meet, region))) return false;
    }
}

/* Several returns become one, so that their ways meet */
static void join_returns(struct function *f) {
    u32 n = f->blocks.n, returns = 0;
    for (u32 b = 0; b < n; b++) returns += f->blocks.at[b].returns;
    if (returns < 2) return;
    u32 last = place_add_block(f, (struct block){.text = "", .end = END_LEAVES, .returns = true}, n);
    for (u32 b = 0; b < n; b++)
        if (f->blocks.at[b].returns)
            f->blocks.at[b].returns = false, f->blocks.at[b].end = END_FALLS, f->blocks.at[b].succ[0] = last;
}

/* --- a file */

struct placing {
    const char *file;
    struct diag *dg;
    struct strbuf *out;
    struct rv_words *taken;
    u32 functions;
    VEC(const char *) barriers; /* functions that come to one */
    struct arena names;
};

/* P1: splits less joins are the same on all ways to a block, its level, and none are left at the end */
static bool balanced(struct function *f) {
    VEC(u32) stack = {0};
    bool ok = true;
    for (u32 i = 0; i < f->blocks.n; i++) f->blocks.at[i].level = i ? NONE : 0;
    VEC_PUSH(&stack, 0);
    while (stack.n && ok) {
        const struct block *b = &f->blocks.at[stack.at[--stack.n]];
        i32 now = level_behind(b);
        ok = now >= 0 && (b->end != END_LEAVES || !now);
        if (b->placed && !b->exits) now++;
        f->levels = MAX(f->levels, (u32)MAX(now, 0));
        for (u32 i = 0; i < succs(b) && ok; i++) {
            i32 *level = &f->blocks.at[b->succ[i]].level;
            ok = *level == NONE || *level == now;
            if (*level == NONE) VEC_PUSH(&stack, b->succ[i]);
            *level = now;
        }
    }
    free(stack.at);
    return ok || place_refuse(f, "control flow whose splits and joins would not pair");
}

/* v3: the words of its levels are taken */
static bool words_suffice(struct function *f) {
    if (f->taken->variant != RV_V3 || f->taken->nests + f->levels <= NEST_WORDS) return true;
    return place_refuse(f, "too many levels of nested ifs and loops, counted with the functions before it");
}

static bool place_blocks(struct function *f) {
    bool any = false;
    join_returns(f);
    place_find_dominators(f);
    place_find_divergent(f);
    for (u32 i = 0; i < f->blocks.n; i++) any = any || f->blocks.at[i].divergent;
    return !any || (reducible(f) && place_loops(f) && place_ifs(f) && balanced(f) && words_suffice(f));
}

/* A function's lines, from behind its name to its end */
static bool place_function(struct placing *p, const char *name, const char *text, const char *end) {
    struct arena arena = {0};
    struct function f = {
        .file = p->file, .name = name, .arena = &arena, .dg = p->dg, .taken = p->taken, .number = p->functions++};
    bool ok = place_read(&f, text, end, p->barriers.at, p->barriers.n) && place_blocks(&f);
    if (ok) place_write(&f, p->out);
    if (p->taken->variant == RV_V3) p->taken->nests += f.levels;
    free(f.blocks.at), free(f.order.at);
    arena_free(&arena);
    return ok;
}

/* The line's label, if it begins a function: code is called by names without a dot */
static bool begins_function(const char *line, size_t n) {
    size_t k = strcspn(line, ":\n");
    return k && k < n && line[k] == ':' && (isalpha((unsigned char)*line) || *line == '_') && strstr(line, ".Lfunc_begin");
}

/* Functions that call what comes to a barrier come to it, wherever they stand */
static void find_barriers(struct placing *p, const char *assembly) {
    for (u32 known = 0; known < p->barriers.n; known++) {
        char call[300];
        snprintf(call, sizeof(call), "\tcall\t%s\n", p->barriers.at[known]);
        for (const char *at = assembly; (at = strstr(at, call)); at++) {
            const char *begin = NULL, *name = NULL;
            for (const char *b = assembly; (b = strstr(b, "\n.Lfunc_begin")) && b < at; b++) begin = b;
            for (name = begin; name && name > assembly && name[-1] != '\n'; name--) {}
            bool there = !name;
            for (u32 i = 0; i < p->barriers.n && name; i++)
                there = there || (strlen(p->barriers.at[i]) == strcspn(name, ":") &&
                                  strncmp(p->barriers.at[i], name, strcspn(name, ":")) == 0);
            if (!there) VEC_PUSH(&p->barriers, arena_strdup(&p->names, name, strcspn(name, ":")));
        }
    }
}

bool rv_place(const char *file, const char *assembly, struct rv_words *taken, struct strbuf *out, struct diag *dg) {
    struct placing p = {.file = file, .dg = dg, .out = out, .taken = taken};
    const char *barrier = "_Z7barrierj";
    bool ok = true;
    VEC_PUSH(&p.barriers, barrier);
    find_barriers(&p, assembly);
    for (const char *at = assembly; *at && ok;) {
        size_t n = strcspn(at, "\n");
        const char *next = at + n + (at[n] == '\n');
        strbuf_add(out, "%.*s\n", (int)n, at);
        bool function = begins_function(at, n) && strncmp(next, ".Lfunc_begin", 12) == 0;
        const char *end = function ? strstr(next, "\n.Lfunc_end") : NULL;
        if (end) ok = place_function(&p, arena_strdup(&p.names, at, strcspn(at, ":")), next, end + 1);
        at = end ? end + 1 : next;
    }
    free(p.barriers.at);
    arena_free(&p.names);
    return ok;
}
