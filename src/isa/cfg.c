/* cfg: basic blocks, and where the lanes of a branch meet again.
 *
 * The meeting place is the immediate post-dominator of the branch: the first instruction that every way from
 * the branch to the function's exit passes. Guarded returns count as ways to the exit. Does not look at
 * barriers, calls or what a branch depends on: a uniform branch gets a meeting place like any other.
 *
 * A loop that cannot be left has no post-dominator in the strict sense. It is treated as though it could be
 * left just before its header (the block by which the walk from the entry first came in), so branches inside
 * it still meet inside it: at a join, or at the header when the next turn begins. Such a header may start
 * with the very branch that names it as meeting place.
 *
 * Method: strongly connected components (Tarjan 1972) find those loops, then dominators of the reversed graph
 * (Lengauer and Tarjan 1979, simple linking, O(edges log nodes)). Both walk with their own stacks: the
 * input's depth is never C recursion.
 *
 * Invariants of the graph:
 * 1. Blocks partition the instructions in text order; only a block's last instruction branches or leaves.
 * 2. Every block has a successor; one whose last instruction goes nowhere (a trap) has the exit.
 * 3. In the gated graph every node reachable from the entry reaches the exit. */
#include <string.h>

#include "isa/flow.h"

#define UNSEEN UINT32_MAX

/* --- blocks */

static struct flow_adjacency adjacency_build(const struct flow_edge *edges, u32 nedges, u32 nnodes, bool reversed,
                                             struct arena *scratch) {
    struct flow_adjacency adj = {ARENA_ARRAY(scratch, u32, nnodes + 1), ARENA_ARRAY(scratch, u32, nedges)};
    for (u32 e = 0; e < nedges; e++) adj.at[reversed ? edges[e].to : edges[e].from]++;
    u32 sum = 0;
    for (u32 x = 0; x <= nnodes; x++) { /* at[x] becomes the end of x's part, and filling backwards moves it to the start */
        sum += adj.at[x];
        adj.at[x] = sum;
    }
    for (u32 e = nedges; e-- > 0;) {
        u32 from = reversed ? edges[e].to : edges[e].from, to = reversed ? edges[e].from : edges[e].to;
        adj.to[--adj.at[from]] = to;
    }
    return adj;
}

static u32 checked_target(const struct flow *f, i32 target) {
    CHECK(target >= 0 && (u32)target <= f->ninsts);
    return (u32)target;
}

static bool ends_block(const struct flow_inst *in) { return in->target != NONE || in->ntargets > 0 || in->leaves || !in->falls; }

static void mark_leaders(const struct flow *f, u8 *leader) {
    leader[0] = 1;
    for (u32 i = 0; i < f->ninsts; i++) {
        const struct flow_inst *in = &f->inst[i];
        if (in->target != NONE) leader[checked_target(f, in->target)] = 1;
        for (u32 t = 0; t < in->ntargets; t++) leader[checked_target(f, in->targets[t])] = 1;
        if (ends_block(in)) leader[i + 1] = 1;
    }
    leader[f->ninsts] = 1;
}

static void number_blocks(const struct flow *f, struct flow_graph *g, struct arena *scratch) {
    u8 *leader = ARENA_ARRAY(scratch, u8, f->ninsts + 1);
    mark_leaders(f, leader);
    for (u32 i = 0; i < f->ninsts; i++) g->nblocks += leader[i];
    g->first = ARENA_ARRAY(scratch, u32, g->nblocks + 2);
    g->block_of = ARENA_ARRAY(scratch, u32, f->ninsts + 1);
    u32 next = 0;
    for (u32 i = 0; i <= f->ninsts; i++) {
        if (leader[i]) g->first[next++] = i;
        g->block_of[i] = next - 1;
    }
    g->first[g->nblocks + 1] = f->ninsts + 1;
}

static void add_edge(struct flow_graph *g, u32 from, u32 to) { g->edges[g->nedges++] = (struct flow_edge){from, to}; }

static void add_block_edges(const struct flow *f, struct flow_graph *g, u32 b) {
    u32 last = g->first[b + 1] - 1, before = g->nedges;
    const struct flow_inst *in = &f->inst[last];
    if (in->falls) add_edge(g, b, g->block_of[last + 1]);
    if (in->target != NONE) add_edge(g, b, g->block_of[in->target]);
    for (u32 t = 0; t < in->ntargets; t++) add_edge(g, b, g->block_of[in->targets[t]]);
    if (in->leaves || g->nedges == before) add_edge(g, b, g->nblocks);
}

struct flow_graph flow_graph_build(const struct flow *f, struct arena *scratch) {
    struct flow_graph g = {0};
    number_blocks(f, &g, scratch);
    size_t most = 0;
    for (u32 b = 0; b < g.nblocks; b++) most += 3 + (size_t)f->inst[g.first[b + 1] - 1].ntargets;
    CHECK(most < UNSEEN);
    g.edges = ARENA_ARRAY(scratch, struct flow_edge, most);
    for (u32 b = 0; b < g.nblocks; b++) add_block_edges(f, &g, b);
    g.succ = adjacency_build(g.edges, g.nedges, g.nblocks + 1, false, scratch);
    g.pred = adjacency_build(g.edges, g.nedges, g.nblocks + 1, true, scratch);
    return g;
}

/* --- loops without a way out */

/* Tarjan's walk from the entry. A component is handed out once nothing that it leads to is open any more; the
 * node that opened it (seen first) is its header. */
struct scc_walk {
    const struct flow_adjacency *succ;
    u32 exit;
    u32 clock;
    u32 *order; /* when a node was first seen, or UNSEEN */
    u32 *low;   /* earliest open node known to be reachable */
    u32 *edge;  /* next edge of a node to follow */
    u32 *path;  /* from the entry to where the walk stands */
    u32 *open;  /* seen, component not handed out yet */
    u32 npath, nopen;
    u32 *component; /* header of the component, or UNSEEN */
    u32 *gate;      /* see struct gated_graph; UNSEEN where there is none */
    u32 ngates;
};

static void scc_enter(struct scc_walk *w, u32 x) {
    w->order[x] = w->low[x] = w->clock++;
    w->edge[x] = w->succ->at[x];
    w->path[w->npath++] = x;
    w->open[w->nopen++] = x;
}

static bool stays_in_component(const struct scc_walk *w, u32 x) {
    for (u32 e = w->succ->at[x]; e < w->succ->at[x + 1]; e++)
        if (w->component[w->succ->to[e]] != w->component[x]) return false;
    return true;
}

static void scc_close(struct scc_walk *w, u32 header) {
    u32 start = w->nopen;
    do w->component[w->open[--start]] = header;
    while (w->open[start] != header);
    bool trapped = header != w->exit;
    for (u32 k = start; k < w->nopen && trapped; k++) trapped = stays_in_component(w, w->open[k]);
    if (trapped) w->gate[header] = w->exit + 1 + w->ngates++;
    w->nopen = start;
}

static void scc_leave(struct scc_walk *w) {
    u32 x = w->path[--w->npath];
    if (w->low[x] == w->order[x]) scc_close(w, x);
    if (w->npath > 0) {
        u32 up = w->path[w->npath - 1];
        w->low[up] = MIN(w->low[up], w->low[x]);
    }
}

static void scc_run(struct scc_walk *w) {
    scc_enter(w, 0);
    while (w->npath > 0) {
        u32 x = w->path[w->npath - 1];
        if (w->edge[x] == w->succ->at[x + 1]) {
            scc_leave(w);
            continue;
        }
        u32 y = w->succ->to[w->edge[x]++];
        if (w->order[y] == UNSEEN) scc_enter(w, y);
        else if (w->component[y] == UNSEEN) w->low[x] = MIN(w->low[x], w->order[y]);
    }
}

static u32 *unseen_array(struct arena *scratch, u32 n) {
    u32 *a = ARENA_ARRAY(scratch, u32, n);
    memset(a, 0xFF, sizeof(*a) * n);
    return a;
}

/* The blocks reachable from the entry, the exit, and one gate per loop without a way out: every edge to the
 * loop's header goes to the gate instead, and the gate leads to the header and to the exit. */
struct gated_graph {
    u32 nnodes; /* blocks, exit, gates */
    u32 exit;
    u32 *block_of;    /* the block a node stands for: itself, or the header behind a gate */
    const u32 *order; /* UNSEEN for unreachable blocks */
    struct flow_adjacency succ, pred;
};

static struct scc_walk find_gates(const struct flow_graph *g, struct arena *scratch) {
    u32 n = g->nblocks + 1;
    struct scc_walk w = {.succ = &g->succ, .exit = g->nblocks};
    w.order = unseen_array(scratch, n);
    w.component = unseen_array(scratch, n);
    w.gate = unseen_array(scratch, n);
    w.low = ARENA_ARRAY(scratch, u32, n);
    w.edge = ARENA_ARRAY(scratch, u32, n);
    w.path = ARENA_ARRAY(scratch, u32, n);
    w.open = ARENA_ARRAY(scratch, u32, n);
    scc_run(&w);
    return w;
}

static struct gated_graph gate_loops(const struct flow_graph *g, struct arena *scratch) {
    struct scc_walk w = find_gates(g, scratch);
    struct gated_graph gg = {.nnodes = g->nblocks + 1 + w.ngates, .exit = g->nblocks, .order = w.order};
    gg.block_of = ARENA_ARRAY(scratch, u32, gg.nnodes);
    struct flow_edge *edges = ARENA_ARRAY(scratch, struct flow_edge, g->nedges + 2 * (size_t)w.ngates);
    u32 nedges = 0;
    for (u32 e = 0; e < g->nedges; e++) {
        struct flow_edge edge = g->edges[e];
        if (w.order[edge.from] == UNSEEN) continue;
        if (w.gate[edge.to] != UNSEEN) edge.to = w.gate[edge.to];
        edges[nedges++] = edge;
    }
    for (u32 b = 0; b <= g->nblocks; b++) {
        gg.block_of[b] = b;
        if (w.gate[b] == UNSEEN) continue;
        gg.block_of[w.gate[b]] = b;
        edges[nedges++] = (struct flow_edge){w.gate[b], b};
        edges[nedges++] = (struct flow_edge){w.gate[b], gg.exit};
    }
    gg.succ = adjacency_build(edges, nedges, gg.nnodes, false, scratch);
    gg.pred = adjacency_build(edges, nedges, gg.nnodes, true, scratch);
    return gg;
}

/* --- post-dominators: Lengauer and Tarjan on the reversed graph, whose root is the exit. All arrays but
 * `number` are indexed by the walk's numbers, which start with 0 for the exit; a parent's is below its
 * child's. */
struct dom {
    u32 n;
    u32 *number; /* by node; UNSEEN where the exit cannot be reached or the entry does not lead */
    u32 *node, *parent, *semi, *idom;
    u32 *ancestor;                /* forest of the nodes handled so far; UNSEEN for its roots */
    u32 *label;                   /* node of least semi between here and just below the forest's root */
    u32 *bucket, *next_in_bucket; /* nodes whose semidominator this is */
    u32 *stack;
};

static void dom_visit(struct dom *d, u32 node, u32 parent) {
    u32 k = d->n++;
    d->number[node] = k;
    d->node[k] = node;
    d->parent[k] = parent;
    d->semi[k] = d->label[k] = k;
}

static void dom_number(struct dom *d, const struct gated_graph *g, u32 *edge) {
    u32 depth = 0;
    memcpy(edge, g->pred.at, sizeof(*edge) * g->nnodes);
    dom_visit(d, g->exit, 0);
    d->stack[depth++] = g->exit;
    while (depth > 0) {
        u32 x = d->stack[depth - 1];
        if (edge[x] == g->pred.at[x + 1]) {
            depth--;
            continue;
        }
        u32 y = g->pred.to[edge[x]++];
        if (d->number[y] == UNSEEN) {
            dom_visit(d, y, d->number[x]);
            d->stack[depth++] = y;
        }
    }
}

/* The node of least semi on the way up from v, the root left out; shortens the way for the next question */
static u32 dom_eval(struct dom *d, u32 v) {
    if (d->ancestor[v] == UNSEEN) return v;
    u32 depth = 0;
    for (u32 x = v; d->ancestor[d->ancestor[x]] != UNSEEN; x = d->ancestor[x]) d->stack[depth++] = x;
    while (depth > 0) {
        u32 x = d->stack[--depth], up = d->ancestor[x];
        if (d->semi[d->label[up]] < d->semi[d->label[x]]) d->label[x] = d->label[up];
        d->ancestor[x] = d->ancestor[up];
    }
    return d->label[v];
}

static void dom_empty_bucket(struct dom *d, u32 p) {
    for (u32 v = d->bucket[p]; v != UNSEEN; v = d->next_in_bucket[v]) {
        u32 u = dom_eval(d, v);
        d->idom[v] = d->semi[u] < d->semi[v] ? u : p;
    }
    d->bucket[p] = UNSEEN;
}

static void dom_solve(struct dom *d, const struct gated_graph *g) {
    for (u32 w = d->n; w-- > 1;) {
        u32 x = d->node[w];
        for (u32 e = g->succ.at[x]; e < g->succ.at[x + 1]; e++) {
            u32 u = dom_eval(d, d->number[g->succ.to[e]]);
            d->semi[w] = MIN(d->semi[w], d->semi[u]);
        }
        d->next_in_bucket[w] = d->bucket[d->semi[w]];
        d->bucket[d->semi[w]] = w;
        d->ancestor[w] = d->parent[w];
        dom_empty_bucket(d, d->parent[w]);
    }
    for (u32 w = 1; w < d->n; w++)
        if (d->idom[w] != d->semi[w]) d->idom[w] = d->idom[d->idom[w]];
}

static struct dom dom_build(const struct gated_graph *g, struct arena *scratch) {
    u32 n = g->nnodes;
    struct dom d = {.number = unseen_array(scratch, n), .ancestor = unseen_array(scratch, n), .bucket = unseen_array(scratch, n)};
    d.node = ARENA_ARRAY(scratch, u32, n);
    d.parent = ARENA_ARRAY(scratch, u32, n);
    d.semi = ARENA_ARRAY(scratch, u32, n);
    d.idom = ARENA_ARRAY(scratch, u32, n);
    d.label = ARENA_ARRAY(scratch, u32, n);
    d.next_in_bucket = ARENA_ARRAY(scratch, u32, n);
    d.stack = ARENA_ARRAY(scratch, u32, n);
    dom_number(&d, g, ARENA_ARRAY(scratch, u32, n));
    dom_solve(&d, g);
    return d;
}

/* --- the answer */

void cfg_reconvergence(const struct flow *f, i32 *reconv, struct arena *scratch) {
    if (f->ninsts == 0) return;
    struct flow_graph g = flow_graph_build(f, scratch);
    struct gated_graph gg = gate_loops(&g, scratch);
    struct dom d = dom_build(&gg, scratch);
    for (u32 i = 0; i < f->ninsts; i++) {
        const struct flow_inst *in = &f->inst[i];
        reconv[i] = NONE;
        if (in->target == NONE && in->ntargets == 0) continue;
        u32 b = g.block_of[i];
        reconv[i] = (i32)f->ninsts;
        if (gg.order[b] == UNSEEN) continue;
        CHECK(d.number[b] != UNSEEN); /* invariant 3 */
        reconv[i] = (i32)g.first[gg.block_of[d.node[d.idom[d.number[b]]]]];
    }
}
