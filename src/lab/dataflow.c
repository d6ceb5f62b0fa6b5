/* A tagged-token dataflow machine (L8; MIT's TTDA, Manchester): no program counter, an operator fires when
 * its tokens have met.
 *
 * A token is <operator, port, context, value>. Each cycle `width` tokens leave the queue for the
 * waiting-matching unit: a token whose partner (same operator, same context) waits takes it along and the
 * operator fires, else it waits there. An operator fired in cycle t computes from t+1 for its latency; its
 * tokens can be matched in the cycle after. FETCH is split-phase: it asks memory and occupies nothing
 * while memory.latency passes.
 *     SWITCH sends its left token to the first list when the right one is not 0, else to the second
 *     MERGE  passes what comes       NEXT  passes into the next context (an iteration)
 *     EXIT   passes back to context 0
 * The matching store has match.entries places. A token that finds it full goes to the overflow unit and
 * tries again after overflow.latency.
 *
 * Invariants: 1. at most one token waits for an (operator, context, port); a second one is a fault of the
 * program. 2. Tokens are taken in the order in which they were made. */
#include "lab/machines.h"

enum { KEY_MEMORY = LAB_UNITS, KEY_WIDTH, KEY_ENTRIES, KEY_OVERFLOW };
static const struct lab_key keys[] = {
    LAB_LATENCY_KEYS(3, 1, 1),
    {"memory.latency", NULL, 10, 1, 1000, "Cycles from a FETCH to its answer."},
    {"width", NULL, 0, 0, 64, "Tokens matched a cycle; 0: all there are."},
    {"match.entries", NULL, 64, 1, 4096, "Tokens that may wait for a partner."},
    {"overflow.latency", NULL, 20, 1, 1000, "Cycles until a token that found no place tries again."},
};

struct tok {
    struct lab_port to;
    i64 value;
    u32 context;
    u64 ready; /* first cycle it can be matched */
    i64 row;   /* that made it; -1: the start */
};
enum { MAX_ROWS = 200000 }; /* firings that are kept */

struct df {
    struct lab_run *r;
    VEC(struct tok) queue, waiting;
    VEC(struct tok) out;
    u32 fired, overflows, peak;
    u64 t, end;
    u64 changed; /* last cycle in which a token found a partner or a place */
};

static bool one_input(const struct lab_node *n) {
    return n->has_imm || n->kind == NODE_MERGE || n->kind == NODE_FETCH || n->kind == NODE_NEXT || n->kind == NODE_EXIT ||
           (n->kind == NODE_OP && n->op == LOP_MOV);
}

static bool accepts(const struct lab_program *p, const i64 *key, struct diag *d) {
    (void)key;
    if (p->code.n)
        diag_error(d, p->file, p->code.at[0].line, p->code.at[0].col,
                   "a graph has no plain instructions; an operator is \"name: ADD => where.L\"");
    else if (!p->nodes.n) diag_error(d, p->file, 0, 0, "there is no graph; an operator is \"name: ADD => where.L\"");
    else if (!p->tokens.n) diag_error(d, p->file, 0, 0, "no token starts this graph; \".token name.L 5\" would");
    if (p->code.n || !p->nodes.n || !p->tokens.n) return false;
    for (u32 i = 0; i < p->nodes.n; i++) {
        const struct lab_node *n = &p->nodes.at[i];
        for (u32 s = 0; s < 2; s++)
            for (u32 k = 0; k < n->ndest[s]; k++) {
                const struct lab_port *to = &n->dest[s][k];
                if (to->node < 0 || !to->port || !one_input(&p->nodes.at[to->node]) || p->nodes.at[to->node].kind == NODE_MERGE)
                    continue;
                diag_error(d, p->file, n->line, n->col, "%s has one input, .L; .R leads nowhere", p->nodes.at[to->node].name);
                return false;
            }
    }
    return true;
}

static void send(struct df *m, const struct lab_node *n, u32 side, i64 value, u32 context, u64 ready, i64 row) {
    for (u32 i = 0; i < n->ndest[side]; i++) {
        struct tok t = {n->dest[side][i], value, context, ready, row};
        if (t.to.node == -1) VEC_PUSH(&m->out, t);
        else if (t.to.node >= 0) VEC_PUSH(&m->queue, t);
    }
}

static void node_fault(struct df *m, const struct lab_node *n, const char *what) {
    if (!m->r->fault)
        m->r->fault = lab_text(m->r, "%s:%u:%u: fault: %s in \"%s\"", m->r->prog->file, n->line, n->col, what, n->text);
}

static i64 fetch_word(struct df *m, const struct lab_node *n, i64 address) {
    address = (i64)((u64)address + (u64)n->imm);
    if (address >= 0 && address < m->r->st.nwords) return m->r->st.words[address];
    node_fault(m, n, "address outside of memory");
    return 0;
}

static void fire(struct df *m, const struct tok *left, const struct tok *right) {
    const struct lab_node *n = &m->r->prog->nodes.at[left->to.node];
    u32 context = left->context, side = 0;
    u64 lat = n->kind == NODE_FETCH ? (u64)m->r->key[KEY_MEMORY] : n->kind == NODE_OP ? (u64)m->r->key[lab_ops[n->op].unit] : 1;
    const char *fault = NULL;
    i64 b = right ? right->value : n->imm, value = left->value;
    u32 row = lab_row(m->r, context ? lab_text(m->r, "%s.%u", n->name, context) : n->name, n->text, n->line);
    if (n->kind == NODE_OP && n->op != LOP_MOV) value = lab_alu(n->op, value, b, &fault);
    if (n->kind == NODE_FETCH) value = fetch_word(m, n, value);
    if (n->kind == NODE_SWITCH) side = b == 0;
    if (n->kind == NODE_NEXT) context++;
    if (n->kind == NODE_EXIT) context = 0;
    if (fault) node_fault(m, n, fault);
    lab_span(m->r, row, 'M', m->t, m->t, "matched");
    lab_span(m->r, row, n->kind == NODE_FETCH ? 'w' : 'E', m->t + 1, m->t + lat, n->kind == NODE_FETCH ? "in memory" : NULL);
    if (left->row >= 0) lab_arc(m->r, (u32)left->row, row);
    if (right && right->row >= 0) lab_arc(m->r, (u32)right->row, row);
    m->end = MAX(m->end, m->t + lat);
    m->fired++;
    m->changed = m->t;
    send(m, n, side, value, context, m->t + lat + 1, row);
}

static i32 partner(struct df *m, const struct tok *t) {
    for (u32 i = 0; i < m->waiting.n; i++) {
        const struct tok *w = &m->waiting.at[i];
        if (w->to.node != t->to.node || w->context != t->context) continue;
        if (w->to.port != t->to.port) return (i32)i;
        node_fault(m, &m->r->prog->nodes.at[t->to.node], "a second token for one port and context");
    }
    return -1;
}

static void match(struct df *m, struct tok t) {
    const struct lab_node *n = &m->r->prog->nodes.at[t.to.node];
    if (one_input(n)) {
        fire(m, &t, NULL);
        return;
    }
    i32 i = partner(m, &t);
    if (i >= 0) {
        struct tok w = m->waiting.at[i];
        m->waiting.n--;
        memmove(m->waiting.at + i, m->waiting.at + i + 1, (m->waiting.n - (u32)i) * sizeof(t));
        fire(m, t.to.port ? &w : &t, t.to.port ? &t : &w);
    } else if (m->waiting.n < (u32)m->r->key[KEY_ENTRIES]) {
        VEC_PUSH(&m->waiting, t);
        m->changed = m->t;
        m->peak = MAX(m->peak, m->waiting.n);
    } else {
        t.ready = m->t + (u64)m->r->key[KEY_OVERFLOW];
        VEC_PUSH(&m->queue, t);
        m->overflows++;
    }
}

static void token_cells(struct df *m, const struct tok *t) {
    lab_cells(m->r, "%s|%c|%u|%lld", m->r->prog->nodes.at[t->to.node].name, t->to.port ? 'R' : 'L', t->context,
              (long long)t->value);
}

static void page(struct df *m) {
    if (!lab_page(m->r, (u32)m->t)) return;
    lab_head(m->r, "waiting for a partner", "operator|port|context|value");
    for (u32 i = 0; i < m->waiting.n; i++) token_cells(m, &m->waiting.at[i]);
    lab_head(m->r, "tokens in the queue", "operator|port|context|value");
    for (u32 i = 0; i < m->queue.n; i++)
        if (m->queue.at[i].ready <= m->t + 1) token_cells(m, &m->queue.at[i]);
    lab_head(m->r, "computing", "operator|cycle");
    for (u32 i = 0; i < m->r->spans.n; i++) {
        const struct lab_span *s = &m->r->spans.at[i];
        if (s->stage != 'M' && s->from <= m->t && s->to >= m->t)
            lab_cells(m->r, "%s|%u of %u", m->r->rows.at[s->row].name, (u32)m->t - s->from + 1, s->to - s->from + 1);
    }
}

static void cycle(struct df *m) {
    u32 left = m->r->key[KEY_WIDTH] ? (u32)m->r->key[KEY_WIDTH] : UINT32_MAX, n = m->queue.n, kept = 0, i = 0;
    m->t++;
    for (; i < n && left && !m->r->fault && m->r->rows.n <= MAX_ROWS; i++) {
        struct tok t = m->queue.at[i];
        if (t.ready > m->t) {
            m->queue.at[kept++] = t;
            continue;
        }
        match(m, t); /* may add to the queue */
        left--;
    }
    memmove(m->queue.at + kept, m->queue.at + i, (m->queue.n - i) * sizeof(*m->queue.at));
    m->queue.n -= i - kept;
    page(m);
}

static void run_dataflow(struct lab_run *r) {
    struct df m = {.r = r};
    for (u32 i = 0; i < r->prog->tokens.n; i++) {
        const struct lab_token *s = &r->prog->tokens.at[i];
        struct tok t = {s->to, s->value, s->context, 1, -1};
        VEC_PUSH(&m.queue, t);
    }
    while (m.queue.n && !r->fault) {
        if (m.t >= r->max_cycles || r->rows.n > MAX_ROWS) {
            r->cut = true;
            break;
        }
        cycle(&m);
        u64 tried =
            m.changed + 2 * (u64)r->key[KEY_OVERFLOW] + m.queue.n + 2; /* by then every token has come to the matching store */
        if (m.queue.n && m.t > tried && m.t > m.end + 1)
            node_fault(&m, &r->prog->nodes.at[m.queue.at[0].to.node],
                       "the matching store is full of tokens that never meet; match.entries is too small");
    }
    r->cycles = (u32)MAX(m.end, r->cut ? m.t : 0);
    lab_answer(r, "cycles", r->cycles, "cycles until the last operator is done");
    lab_answer(r, "firings", m.fired, "operators fired");
    lab_answer(r, "peak_waiting", m.peak, "most tokens that waited for a partner");
    lab_answer(r, "overflows", m.overflows, "times a token found the matching store full");
    lab_answer(r, "left_waiting", m.waiting.n, "tokens that never met a partner");
    for (u32 i = 0; i < m.out.n && i < 16; i++) lab_answer(r, lab_text(r, "out%u", i + 1), m.out.at[i].value, "a result");
    free(m.queue.at);
    free(m.waiting.at);
    free(m.out.at);
}

const struct lab_machine lab_dataflow = {"dataflow", "tagged tokens, a matching store, switch and merge, split-phase fetch",
                                         keys,       ARRAY_LEN(keys),
                                         accepts,    run_dataflow};
