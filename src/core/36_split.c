/* Warp-splits: parts of a warp that are scheduled by themselves, within a table of dws.table entries.
 *
 * A warp has one split, and needs no entry for it. Another comes into being at a branch whose lanes part, or
 * at a load of which some lanes have their data (71_early.c) while others of their group wait; it takes an
 * entry until its lanes have met others or ended. Groups of one split are a stack: one of them runs, the
 * others wait for it. So with a full table a branch is what it is under pdom, and gets its entry when one is
 * free and lanes of the warp part or meet again. Lanes of several splits that have become one group are of a
 * split that ran some of them; what is left of the others goes on, the innermost first.
 *
 * At loads, dws.memory says when lanes part: `aggressive` when it is known who hits, `lazy` then if no other
 * warp of the sub-core can go on, `revive` as soon as none can, in any cycle and for whatever data has come.
 * A warp can go on when it is ready, or waits for a unit, a branch or an instruction: for something short.
 * With dws.meet = limited the two parts meet before the next branch, call, barrier, collective or meeting
 * point. A kernel with shuffles or votes that name no lanes, which must find the lanes of the program there,
 * is limited in any case.
 *
 * Invariants (split_check):
 *   S1 of a warp that shows an instruction: lanes of a group are of one split; a split with groups runs one
 *      of them. Lanes that a barrier lets go because nobody else can come are settled when the warp looks
 *   S2 splits beside the first of each warp are at most dws.table */
#include "core/split.h"

#include <stdlib.h>
#include <string.h>

void split_init(struct core *c) {
    if (c->pol.diverge->by_load && !c->pol.diverge->forms) c->split = base_alloc(sizeof(*c->split));
}

void split_free(struct core *c) { free(c->split); }

/* It has instructions that find lanes together without naming them */
static bool wants_whole_warps(const struct kernel *k) {
    for (u32 i = 0; i < k->ninst; i++)
        if ((k->code[i].iclass == ICLASS_WARP || k->code[i].iclass == ICLASS_TENSOR) && !(k->code[i].flags & INST_COLLECTIVE))
            return true;
    return false;
}

void split_launch(struct core *c) {
    if (!c->split) return;
    memset(c->split, 0, sizeof(*c->split));
    c->split->limited = c->cfg->dws_meet == DWS_LIMITED || wants_whole_warps(c->prog->k);
}

/* --- the table */

static u8 low_lane(const struct group *g) { return (u8)__builtin_ctzll(g->mask); }

/* What is known of a home's warp; another one than before begins with one split */
static struct split_home *split_of(const struct core *c, u32 home) {
    struct split_home *x = &c->split->at[home];
    if (x->age != c->homes[home].age) *x = (struct split_home){.age = c->homes[home].age, .n = 1, .shows = ~0ull};
    return x;
}

static u32 entries_of(const struct core *c, u32 home) {
    const struct home *s = &c->homes[home];
    const struct split_home *x = &c->split->at[home];
    return s->w && x->age == s->age && s->w->groups.n > 1 ? x->n - 1 : 0;
}

static u32 entries(const struct core *c) {
    u32 n = 0;
    for (u32 i = 0; i < c->nslots; i++) n += entries_of(c, i);
    return n;
}

static void set_split(struct split_home *x, u64 lanes, u32 split) {
    for (; lanes; lanes &= lanes - 1) x->of[__builtin_ctzll(lanes)] = (u8)split;
}

/* The group becomes a split of its own; false: the table is full */
static bool subdivide(struct core *c, struct split_home *x, const struct group *g, u64 *numbers) {
    u32 used = entries(c);
    if (used >= c->cfg->dws_table) return false;
    u32 split = (u32)__builtin_ctzll(~*numbers); /* there are fewer than lanes */
    *numbers |= 1ull << split;
    set_split(x, g->mask, split);
    x->lead[split] = low_lane(g);
    x->n++;
    c->stats.splits_peak = MAX(c->stats.splits_peak, used + 1);
    return true;
}

/* --- after an instruction */

/* The split of a group: of lanes that came from several, one that ran some of them. Others have groups that
 * run elsewhere, or none. */
static u32 split_number(const struct split_home *x, const struct group *g) {
    for (u64 m = g->mask; m; m &= m - 1) {
        u32 split = x->of[__builtin_ctzll(m)];
        if (g->mask >> x->lead[split] & 1) return split;
    }
    return x->of[low_lane(g)];
}

static bool leads(const struct split_home *x, const struct group *g) { return g->mask >> x->lead[split_number(x, g)] & 1; }

/* Which splits have groups; lanes of a group are of one */
static u64 numbers_of(struct split_home *x, const struct warp *w) {
    u64 numbers = 0;
    for (u32 i = 0; i < w->groups.n; i++) {
        u32 split = split_number(x, &w->groups.at[i]);
        set_split(x, w->groups.at[i].mask, split);
        numbers |= 1ull << split;
    }
    x->n = MAX((u32)__builtin_popcountll(numbers), 1u);
    if (x->n == 1 && numbers) memset(x->of, __builtin_ctzll(numbers), sizeof(x->of)); /* lanes that are off, too */
    return numbers;
}

void split_whole(struct core *c, u32 home) {
    struct split_home *x = split_of(c, home);
    if (x->n > 1) *x = (struct split_home){.age = x->age, .n = 1, .shows = ~0ull};
}

/* S1: a split whose running group is gone runs its innermost */
static void find_leads(struct split_home *x, const struct warp *w) {
    u64 led = 0;
    i32 best[MAX_WARP];
    for (u32 i = 0; i < MAX_WARP; i++) best[i] = NONE;
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *g = &w->groups.at[i];
        u32 split = x->of[low_lane(g)];
        if (leads(x, g)) led |= 1ull << split;
        if (best[split] == NONE || diverge_depth(w, g) > diverge_depth(w, &w->groups.at[best[split]])) best[split] = (i32)i;
    }
    for (u32 i = 0; i < MAX_WARP; i++)
        if (best[i] != NONE && !(led >> i & 1)) x->lead[i] = low_lane(&w->groups.at[best[i]]);
}

void split_ran(struct diverge_view *v) {
    const struct warp *w = v->w;
    struct split_home *x = split_of(v->of, v->front->part[0].home);
    if (v->group >= w->groups.n) return;
    const struct group *g = &w->groups.at[v->group];
    if (g->mask & x->shows) x->lead[x->of[low_lane(g)]] = low_lane(g);
    else v->group = w->groups.n;
}

void split_shows(const struct diverge_view *v) {
    struct split_home *x = split_of(v->of, v->front->part[0].home);
    if (v->group < v->w->groups.n) x->shows = v->w->groups.at[v->group].mask;
}

void split_settle(struct diverge_view *v) {
    struct core *c = v->of;
    const struct warp *w = v->w;
    struct split_home *x = split_of(c, v->front->part[0].home);
    u64 numbers = numbers_of(x, w);
    if (v->group < w->groups.n) x->lead[x->of[low_lane(&w->groups.at[v->group])]] = low_lane(&w->groups.at[v->group]);
    find_leads(x, w);
    split_shows(v);
    if (c->cfg->dws_split == DWS_MEMORY || x->n == w->groups.n) return;
    for (u32 i = 0; i < w->groups.n; i++)
        if (!leads(x, &w->groups.at[i]) && subdivide(c, x, &w->groups.at[i], &numbers)) c->stats.splits_branch++;
}

bool split_ready(const struct diverge_view *v, u32 group) {
    const struct split_home *x = split_of(v->of, v->front->part[0].home);
    const struct group *g = &v->w->groups.at[group];
    return split_number(x, g) != split_number(x, &v->w->groups.at[v->group]) && leads(x, g);
}

bool split_may_run(const struct diverge_view *v, u32 group) {
    const struct split_home *x = split_of(v->of, v->front->part[0].home);
    const struct group *g = &v->w->groups.at[group];
    for (u32 i = 0; i < v->w->groups.n; i++) {
        const struct group *o = &v->w->groups.at[i];
        if (i != group && o->state == GROUP_READY && split_number(x, o) == split_number(x, g) && leads(x, o)) return false;
    }
    return true;
}

/* --- at loads */

void split_offered(struct core *c, u32 home, bool hits) {
    if (hits || c->cfg->dws_memory == DWS_REVIVE) c->split->offered |= 1ull << home;
}

/* Causes that end with memory, or with others of the block */
static const u32 long_causes = 1u << STALL_LONG | 1u << STALL_ATOMIC_ORDER | 1u << STALL_MEMBAR | 1u << STALL_BARRIER |
                               1u << STALL_WARP_SYNC | 1u << STALL_DRAIN | 1u << STALL_EMPTY;

/* No other warp of the home's sub-core can go on before memory answers */
static bool all_wait(const struct core *c, u32 home) {
    for (u32 i = 0; i < c->nslots; i++) {
        u32 set = c->fronts[i].account.set;
        if (i != home && issue_sub(c, i) == issue_sub(c, home) && c->homes[i].w && (!set || set & ~long_causes)) return false;
    }
    return true;
}

/* Lanes of the group that have all that its next instruction needs, or know when they will */
static u64 lanes_supplied(const struct core *c, u32 home, const struct group *g) {
    const struct tinst *t = &c->prog->at[g->pc];
    u64 lanes = 0;
    for (u64 m = g->mask; m; m &= m - 1) {
        u32 i = 0, n = (u32)t->nsrc + t->ndst;
        while (i < n && sb_ready(&c->homes[home], t->reg[i], m & -m) != NEVER) i++;
        if (i == n) lanes |= m & -m;
    }
    return lanes;
}

/* Where lanes that part at pc have to meet again at the latest, with dws.meet = limited */
static i32 stop_after(const struct core *c, i32 pc) {
    const struct kernel *k = c->prog->k;
    for (u32 i = (u32)pc; i < k->ninst; i++) {
        const struct inst *in = &k->code[i];
        bool together = in->iclass == ICLASS_WARP || in->iclass == ICLASS_TENSOR;
        if (in->flags & (INST_CONTROL | INST_COLLECTIVE) || together || (in->flags & INST_RECONV && (i32)i != pc)) return (i32)i;
    }
    return NONE;
}

/* The group that could part, and its lanes that would go on; NONE: there is none */
static i32 find_partial(const struct core *c, u32 home, u64 *lanes) {
    const struct warp *w = c->homes[home].w;
    for (u32 i = 0; w && i < w->groups.n; i++) {
        const struct group *g = &w->groups.at[i];
        bool stays = c->split->limited && stop_after(c, g->pc) == g->pc;
        if (g->state != GROUP_READY || c->prog->at[g->pc].kind == T_FRAME || c->prog->at[g->pc].pseudo || stays) continue;
        *lanes = lanes_supplied(c, home, g);
        if (*lanes && *lanes != g->mask) return (i32)i;
    }
    return NONE;
}

/* Lanes that wait leave the group; those that go on keep its place */
static void part(struct core *c, u32 home, u32 group, u64 lanes) {
    struct warp *w = c->homes[home].w;
    struct group *g = &w->groups.at[group];
    struct split_home *x = split_of(c, home);
    u64 numbers = numbers_of(x, w);
    if (c->split->limited) group_part(w, g, g->mask & ~lanes, g->pc, stop_after(c, g->pc));
    else group_split_to(w, g, g->mask & ~lanes, g->pc);
    x->lead[x->of[low_lane(g)]] = low_lane(g);
    CHECK(subdivide(c, x, &w->groups.at[w->groups.n - 1], &numbers));
    c->stats.splits_memory++;
    account_change(c, home);
    slot_next(c, home);
    slot_look(c, home, c->now);
}

static bool may_part(const struct core *c, u32 home) {
    return entries(c) < c->cfg->dws_table && (c->cfg->dws_memory == DWS_AGGRESSIVE || all_wait(c, home));
}

void split_stage(struct core *c) {
    struct splits *x = c->split;
    for (u64 m = x->offered; m && !c->view.faulted; m &= m - 1) {
        u32 home = (u32)__builtin_ctzll(m);
        u64 lanes;
        i32 group = find_partial(c, home, &lanes);
        bool parts = group != NONE && may_part(c, home);
        if (parts) part(c, home, (u32)group, lanes);
        if (group == NONE || parts || c->cfg->dws_memory != DWS_REVIVE) x->offered &= ~(1ull << home);
    }
}

u64 split_next(const struct core *c) {
    for (u64 m = c->split->offered; m; m &= m - 1) {
        u32 home = (u32)__builtin_ctzll(m);
        u64 lanes;
        if (find_partial(c, home, &lanes) == NONE || may_part(c, home)) return c->now;
    }
    return NEVER;
}

/* --- invariants */

static void check_home(const struct core *c, u32 home) {
    const struct warp *w = c->homes[home].w;
    const struct split_home *x = &c->split->at[home];
    u64 numbers = 0, led = 0;
    for (u32 i = 0; i < w->groups.n; i++) {
        const struct group *g = &w->groups.at[i];
        u32 split = x->of[low_lane(g)];
        for (u64 m = g->mask; m; m &= m - 1) CHECK(x->of[__builtin_ctzll(m)] == split); /* S1 */
        numbers |= 1ull << split;
        if (leads(x, g)) CHECK(!(led >> split & 1)), led |= 1ull << split; /* S1 */
    }
    CHECK(numbers == led && (u32)__builtin_popcountll(numbers) == x->n); /* S1 */
}

void split_check(const struct core *c) {
    if (!c->split) return;
    CHECK(entries(c) <= c->cfg->dws_table); /* S2 */
    for (u32 i = 0; i < c->nslots; i++) {
        const struct home *s = &c->homes[i];
        if (s->w && c->fronts[i].head && s->w->groups.n > 1 && c->split->at[i].age == s->age) check_home(c, i);
    }
}
