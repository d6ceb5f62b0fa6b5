/* Decoupled access and execute (Smith 1982), and the single steered stream of the ZS-1 (L8 of the
 * lecture).
 *
 * Two in-order pipelines, one instruction a cycle each, that meet only in queues:
 *     AEQ  loads of the access side to operands of the execute side
 *     EAQ  results of the execute side to stores of the access side
 *     SAQ  store addresses that wait for their data
 *     BQ   outcomes of the access side's branches, for BRQ on the execute side
 * With stream = two each side has its own program (.access, .execute). With stream = single one program is
 * steered, steer.width instructions a cycle: what touches memory, an A register or a queue's access end
 * goes to the access side, the rest to the execute side; branches run where they are steered, when their
 * register is known.
 *
 * An entry of AEQ or EAQ is taken at issue and free after its last use. A load waits while a store of its
 * address waits in SAQ. Does not model caches: a load takes load.latency.
 *
 * Invariants: 1. each side issues in its program order; 2. queues are first in, first out, and never hold
 * more than their entries; 3. memory is written in the order of stores. A machine in which nothing can
 * move any more stops with a fault that names both sides' next instructions. */
#include "lab/machines.h"

enum { KEY_AEQ = LAB_UNITS, KEY_EAQ, KEY_SAQ, KEY_BQ, KEY_STREAM, KEY_STEER_WIDTH, KEY_STEER_ENTRIES, QUEUE_MAX = 256 };
static const struct lab_key keys[] = {
    LAB_LATENCY_KEYS(11, 1, 1),
    {"aeq.entries", NULL, 8, 1, QUEUE_MAX, "Entries of the access to execute queue."},
    {"eaq.entries", NULL, 8, 1, QUEUE_MAX, "Entries of the execute to access queue."},
    {"saq.entries", NULL, 8, 1, QUEUE_MAX, "Store addresses that may wait for data."},
    {"bq.entries", NULL, 8, 1, QUEUE_MAX, "Outcomes of branches that may wait for the execute side."},
    {"stream", "two|single", 0, 0, 0, "Two programs, or one that is steered (ZS-1)."},
    {"steer.width", NULL, 1, 1, 4, "With single: instructions steered a cycle."},
    {"steer.entries", NULL, 8, 1, QUEUE_MAX, "With single: instructions that may wait before each side."},
};

enum { ACCESS, EXECUTE, SIDES };
struct slot {
    i64 value;
    u64 ready; /* first cycle it can be used */
    u32 row;   /* that made it */
};
struct queue {
    struct slot at[QUEUE_MAX];
    u32 head, n, cap, peak;
};
struct waiting_store {
    i64 address, value;
    bool has_value; /* else it comes from EAQ */
    u64 issued, ready;
    u32 row;
    const struct lab_inst *in;
};
struct side {
    u32 pc, end;                   /* stream = two */
    u64 next;                      /* first cycle of the next issue */
    u32 queue[QUEUE_MAX], head, n; /* stream = single: instructions that were steered here */
    u32 row[QUEUE_MAX];
    u64 since[QUEUE_MAX]; /* cycle it was steered */
    u32 issued;
};
struct dae {
    struct lab_run *r;
    struct queue aeq, eaq, bq;
    struct waiting_store saq[QUEUE_MAX];
    u32 saq_head, saq_n;
    struct side side[SIDES];
    u64 ready[LAB_REGS];
    u64 steer_at;
    u32 steer_pc;
    u64 last, moved; /* last cycle with something in E; something happened in this cycle */
    u64 waits[SIDES];
    bool single;
};

static struct slot *front(struct queue *q) { return q->n ? &q->at[q->head] : NULL; }
static struct slot pop(struct queue *q) {
    struct slot s = q->at[q->head];
    q->head = (q->head + 1) % QUEUE_MAX;
    q->n--;
    return s;
}
static void push(struct queue *q, i64 value, u64 ready, u32 row) {
    q->at[(q->head + q->n) % QUEUE_MAX] = (struct slot){value, ready, row};
    q->n++;
    q->peak = MAX(q->peak, q->n);
}
static struct slot *nth(struct queue *q, u32 k) { return k < q->n ? &q->at[(q->head + k) % QUEUE_MAX] : NULL; }

/* Entries of AEQ or EAQ that an instruction takes out, and whether they are there */
static bool popped_ready(struct dae *m, const struct lab_inst *in, u64 t) {
    u32 a = 0, e = 0;
    for (u32 i = 0; i < 2; i++) {
        if (in->src[i] == REG_AEQ) {
            struct slot *s = nth(&m->aeq, a++);
            if (!s || s->ready > t) return false;
        } else if (in->src[i] == REG_EAQ && lab_ops[in->op].unit != LAB_STORE) {
            struct slot *s = nth(&m->eaq, e++);
            if (!s || s->ready > t) return false;
        }
    }
    return true;
}

static bool registers_ready(const struct dae *m, const struct lab_inst *in, u64 t) {
    u8 regs[12];
    u32 n = lab_reads(in, regs);
    n += lab_writes(in, regs + n);
    for (u32 i = 0; i < n; i++)
        if (regs[i] != REG_AEQ && regs[i] != REG_EAQ && m->ready[regs[i]] > t) return false;
    return true;
}

static i64 address_of(const struct dae *m, const struct lab_inst *in) {
    return (i64)((u64)in->offset + (in->base == REG_NONE ? 0 : (u64)m->r->st.reg[in->base]));
}

static bool store_waits(const struct dae *m, i64 address) {
    for (u32 i = 0; i < m->saq_n; i++)
        if (m->saq[(m->saq_head + i) % QUEUE_MAX].address == address) return true;
    return false;
}

static bool can_issue(struct dae *m, const struct lab_inst *in, u64 t) {
    enum lab_unit u = lab_ops[in->op].unit;
    if (!registers_ready(m, in, t) || !popped_ready(m, in, t)) return false;
    if (in->dst == REG_AEQ && m->aeq.n >= m->aeq.cap) return false;
    if (in->dst == REG_EAQ && m->eaq.n >= m->eaq.cap) return false;
    if (u == LAB_LOAD && store_waits(m, address_of(m, in))) return false;
    if (u == LAB_STORE && m->saq_n >= (u32)m->r->key[KEY_SAQ]) return false;
    if (in->op == LOP_BRQ) return front(&m->bq) && front(&m->bq)->ready <= t;
    if (lab_is_branch(in) && !in->execute && !m->single && m->bq.n >= m->bq.cap) return false;
    return true;
}

static i64 read_operand(struct dae *m, u8 reg, i64 imm, u32 row) {
    if (reg == REG_NONE) return imm;
    if (reg != REG_AEQ && reg != REG_EAQ) return m->r->st.reg[reg];
    struct slot s = pop(reg == REG_AEQ ? &m->aeq : &m->eaq);
    lab_arc(m->r, s.row, row);
    return s.value;
}

static void write_result(struct dae *m, const struct lab_inst *in, i64 value, u64 ready, u32 row) {
    if (in->dst == REG_AEQ) push(&m->aeq, value, ready, row);
    else if (in->dst == REG_EAQ) push(&m->eaq, value, ready, row);
    else if (in->dst != REG_NONE) {
        m->r->st.reg[in->dst] = value;
        m->ready[in->dst] = ready;
    }
}

static const char *memory_op(struct dae *m, const struct lab_inst *in, u64 t, u32 row) {
    u64 lat = lab_latency(m->r, in);
    i64 a = address_of(m, in);
    if (a < 0 || a >= m->r->st.nwords) return "address outside of memory";
    if (lab_ops[in->op].unit == LAB_LOAD) {
        write_result(m, in, m->r->st.words[a], t + lat, row);
    } else {
        struct waiting_store s = {
            .address = a, .row = row, .in = in, .has_value = in->src[0] != REG_EAQ, .issued = t, .ready = t + lat};
        if (s.has_value) s.value = read_operand(m, in->src[0], 0, row);
        m->saq[(m->saq_head + m->saq_n++) % QUEUE_MAX] = s;
    }
    if (in->postinc) {
        m->r->st.reg[in->base] = (i64)((u64)m->r->st.reg[in->base] + 1);
        m->ready[in->base] = t + 1;
    }
    return NULL;
}

/* Runs an instruction that can issue; where a branch goes in *next */
static const char *issue(struct dae *m, const struct lab_inst *in, u64 t, u32 row, u32 *next) {
    u64 lat = lab_latency(m->r, in);
    const char *fault = NULL;
    enum lab_unit u = lab_ops[in->op].unit;
    bool taken;
    lab_span(m->r, row, 'E', t, t + lat - 1, NULL);
    if (!m->single || !lab_is_branch(in)) lab_arcs_of(m->r, row, in);
    m->last = MAX(m->last, t + lat - 1);
    if (u == LAB_LOAD || u == LAB_STORE) return memory_op(m, in, t, row);
    i64 a = in->op == LOP_BRQ ? 0 : read_operand(m, in->src[0], in->imm, row),
        b = in->op == LOP_BRQ ? 0 : read_operand(m, in->src[1], in->imm, row);
    if (!lab_is_branch(in)) {
        bool one = in->op == LOP_MOV || in->op == LOP_MOVI || in->op == LOP_MOVA;
        write_result(m, in, lab_alu(in->op, a, one ? a : b, &fault), t + lat, row);
        return fault;
    }
    taken = in->op == LOP_BRQ ? pop(&m->bq).value : lab_taken(in->op, a, b);
    if (in->op == LOP_DECBNZ) write_result(m, in, (i64)((u64)a - 1), t + lat, row);
    if (!in->execute && !m->single && in->op != LOP_J) push(&m->bq, taken, t + lat, row);
    if (taken) *next = (u32)in->target;
    return NULL;
}

static void fail(struct dae *m, const struct lab_inst *in, const char *what) { lab_fault(m->r, in, what, ""); }

/* --- two streams */

static bool side_over(const struct dae *m, u32 k) {
    const struct side *s = &m->side[k];
    return s->pc >= s->end || m->r->prog->code.at[s->pc].op == LOP_HALT;
}

static void step_own(struct dae *m, u32 k, u64 t) {
    struct side *s = &m->side[k];
    if (side_over(m, k) || s->next > t) return;
    const struct lab_inst *in = &m->r->prog->code.at[s->pc];
    if (!can_issue(m, in, t)) {
        m->waits[k]++;
        return;
    }
    u32 row = lab_row(m->r, lab_text(m->r, "%c%u", k == ACCESS ? 'A' : 'X', ++s->issued), in->text, in->line), next = s->pc + 1;
    const char *fault = issue(m, in, t, row, &next);
    if (fault) fail(m, in, fault);
    s->next = lab_is_branch(in) ? t + lab_latency(m->r, in) : t + 1;
    s->pc = next;
    m->moved = t;
}

/* --- one stream, steered */

static u32 steered_to(const struct lab_inst *in) {
    u8 regs[12];
    u32 n = lab_reads(in, regs);
    n += lab_writes(in, regs + n);
    enum lab_unit u = lab_ops[in->op].unit;
    if (u == LAB_LOAD || u == LAB_STORE) return ACCESS;
    for (u32 i = 0; i < n; i++)
        if (regs[i] >= REG_A && regs[i] < REG_X) return ACCESS;
    return EXECUTE;
}

/* A branch may run when no instruction that was steered and has not issued writes what it reads or uses what
 * it writes */
static bool settled(const struct dae *m, const struct lab_inst *in, u64 t) {
    u8 regs[8], writes[4], reads[8];
    u32 n = lab_reads(in, regs); /* what it writes, it reads */
    if (!registers_ready(m, in, t)) return false;
    for (u32 k = 0; k < SIDES; k++)
        for (u32 i = 0; i < m->side[k].n; i++) {
            const struct lab_inst *q = &m->r->prog->code.at[m->side[k].queue[(m->side[k].head + i) % QUEUE_MAX]];
            for (u32 w = lab_writes(q, writes); w-- > 0;)
                for (u32 j = 0; j < n; j++)
                    if (writes[w] == regs[j]) return false;
            for (u32 r = lab_reads(q, reads); r-- > 0;)
                if (reads[r] == in->dst) return false;
        }
    return true;
}

static bool steer_one(struct dae *m, u64 t) {
    const struct lab_program *p = m->r->prog;
    if (m->steer_at > t || m->steer_pc >= p->code.n || p->code.at[m->steer_pc].op == LOP_HALT) return false;
    const struct lab_inst *in = &p->code.at[m->steer_pc];
    u32 row, next = m->steer_pc + 1;
    if (lab_is_branch(in)) {
        if (!settled(m, in, t)) return false;
        row = lab_row(m->r, "B", in->text, in->line);
        issue(m, in, t, row, &next);
        m->steer_at = t + lab_latency(m->r, in);
    } else {
        u32 k = steered_to(in);
        struct side *s = &m->side[k];
        if (s->n >= (u32)m->r->key[KEY_STEER_ENTRIES]) return false;
        row = lab_row(m->r, k == ACCESS ? "A" : "X", in->text, in->line);
        u32 at = (s->head + s->n++) % QUEUE_MAX;
        s->queue[at] = m->steer_pc;
        s->row[at] = row;
        s->since[at] = t;
        lab_span(m->r, row, 'S', t, t, "steered");
        m->last = MAX(m->last, t);
    }
    m->steer_pc = next;
    m->moved = t;
    return !lab_is_branch(in);
}

static void step_steered(struct dae *m, u32 k, u64 t) {
    struct side *s = &m->side[k];
    if (s->n == 0) return;
    const struct lab_inst *in = &m->r->prog->code.at[s->queue[s->head]];
    u32 unused;
    if (!can_issue(m, in, t)) {
        m->waits[k]++;
        return;
    }
    lab_span(m->r, s->row[s->head], '-', s->since[s->head] + 1, t - 1, "waits before its side");
    const char *fault = issue(m, in, t, s->row[s->head], &unused);
    if (fault) fail(m, in, fault);
    s->head = (s->head + 1) % QUEUE_MAX;
    s->n--;
    s->issued++;
    m->moved = t;
}

/* --- the cycle */

static void finish_store(struct dae *m, u64 t) {
    if (m->saq_n == 0) return;
    struct waiting_store *s = &m->saq[m->saq_head];
    if (s->ready > t) return;
    if (!s->has_value) {
        struct slot *f = front(&m->eaq);
        if (!f || f->ready > t) return;
        s->value = read_operand(m, REG_EAQ, 0, s->row);
    }
    m->r->st.words[s->address] = s->value;
    lab_span(m->r, s->row, '-', s->issued + lab_latency(m->r, s->in), t - 1, "in SAQ");
    lab_span(m->r, s->row, 'W', MAX(t, s->issued + lab_latency(m->r, s->in)), MAX(t, s->issued + lab_latency(m->r, s->in)),
             "memory written");
    m->saq_head = (m->saq_head + 1) % QUEUE_MAX;
    m->saq_n--;
    m->last = MAX(m->last, t);
    m->moved = t;
}

static void page_queue(struct dae *m, const char *title, struct queue *q, u64 t) {
    lab_head(m->r, title, "place|value");
    for (u32 i = 0; i < q->n; i++) {
        const struct slot *s = nth(q, i);
        if (s->ready <= t + 1) lab_cells(m->r, "%u|%lld", i, (long long)s->value);
        else lab_cells(m->r, "%u|on its way, cycle %llu", i, (unsigned long long)s->ready);
    }
}

static const char *next_text(struct dae *m, u32 k) {
    struct side *s = &m->side[k];
    if (m->single) return s->n ? m->r->prog->code.at[s->queue[s->head]].text : "";
    return side_over(m, k) ? "(ended)" : m->r->prog->code.at[s->pc].text;
}

static void page(struct dae *m, u64 t) {
    if (!lab_page(m->r, (u32)t)) return;
    lab_head(m->r, "next to issue", "side|instruction");
    lab_cells(m->r, "access|%s", next_text(m, ACCESS));
    lab_cells(m->r, "execute|%s", next_text(m, EXECUTE));
    page_queue(m, "AEQ", &m->aeq, t);
    page_queue(m, "EAQ", &m->eaq, t);
    if (!m->single) page_queue(m, "BQ", &m->bq, t);
    lab_head(m->r, "SAQ", "address|data");
    for (u32 i = 0; i < m->saq_n; i++) {
        const struct waiting_store *s = &m->saq[(m->saq_head + i) % QUEUE_MAX];
        lab_cells(m->r, "%lld|%s", (long long)s->address,
                  s->has_value ? lab_text(m->r, "%lld", (long long)s->value) : "from EAQ");
    }
}

static bool over(const struct dae *m) {
    if (m->saq_n) return false;
    if (!m->single) return side_over(m, ACCESS) && side_over(m, EXECUTE);
    const struct lab_program *p = m->r->prog;
    return (m->steer_pc >= p->code.n || p->code.at[m->steer_pc].op == LOP_HALT) && !m->side[0].n && !m->side[1].n;
}

static void cycle(struct dae *m, u64 t) {
    finish_store(m, t);
    if (m->single) {
        for (u32 k = 0; k < SIDES && !m->r->fault; k++) step_steered(m, k, t);
        for (u32 n = 0; n < (u32)m->r->key[KEY_STEER_WIDTH] && !m->r->fault && steer_one(m, t);) n++;
    } else {
        for (u32 k = 0; k < SIDES && !m->r->fault; k++) step_own(m, k, t);
    }
    page(m, t);
}

static const struct lab_inst *stuck_at(const struct dae *m) {
    const struct lab_program *p = m->r->prog;
    for (u32 k = 0; k < SIDES; k++) {
        if (m->single && m->side[k].n) return &p->code.at[m->side[k].queue[m->side[k].head]];
        if (!m->single && !side_over(m, k)) return &p->code.at[m->side[k].pc];
    }
    return m->saq_n ? m->saq[m->saq_head].in : &p->code.at[MIN(m->steer_pc, p->code.n - 1)];
}

/* The sides run at their own pace: a register that one writes and the other uses would be a race */
static bool sides_apart(const struct lab_program *p, bool single, struct diag *d) {
    u8 writers[LAB_REGS] = {0}, regs[8];
    char name[8];
    for (u32 i = 0; i < p->code.n; i++) {
        const struct lab_inst *in = &p->code.at[i];
        u32 n = single && lab_is_branch(in) ? 0 : lab_writes(in, regs);
        for (u32 k = 0; k < n; k++) writers[regs[k]] |= 1u << (single ? steered_to(in) : in->execute);
    }
    for (u32 i = 0; i < p->code.n; i++) {
        const struct lab_inst *in = &p->code.at[i];
        u8 all[12];
        u32 n = lab_reads(in, all), own = single ? steered_to(in) : in->execute;
        n += lab_writes(in, all + n);
        for (u32 k = 0; k < n && !(single && lab_is_branch(in)); k++) {
            if (all[k] == REG_AEQ || all[k] == REG_EAQ || !(writers[all[k]] & ~(1u << own))) continue;
            diag_error(d, p->file, in->line, in->col,
                       "%s is written by the other side; values go from side to side through AEQ and EAQ",
                       lab_reg_name(all[k], name));
            return false;
        }
    }
    return true;
}

static bool accepts(const struct lab_program *p, const i64 *key, struct diag *d) {
    bool single = key[KEY_STREAM];
    for (u32 i = 0; i < p->code.n; i++) {
        const struct lab_inst *in = &p->code.at[i];
        u8 regs[12];
        u32 n = lab_reads(in, regs);
        n += lab_writes(in, regs + n);
        bool other = lab_is_vector(in) || lab_is_packed(in) || in->op == LOP_SETVL;
        for (u32 k = 0; k < n; k++) other |= regs[k] == REG_TID;
        if (other)
            diag_error(d, p->file, in->line, in->col, "%s with these operands is not for dae; vector, simd or simt run it",
                       lab_ops[in->op].name);
        if (in->base == REG_AEQ || in->base == REG_EAQ)
            other = true, diag_error(d, p->file, in->line, in->col, "a queue cannot be an address");
        if (in->op == LOP_BRQ && (single || !in->execute))
            other = true, diag_error(d, p->file, in->line, in->col, "BRQ stands in the execute stream, after .execute");
        if (in->dst == REG_AEQ && (single ? lab_ops[in->op].unit != LAB_LOAD : in->execute))
            other = true, diag_error(d, p->file, in->line, in->col, "AEQ is filled by loads of the access side");
        if (!single && in->execute && lab_ops[in->op].unit >= LAB_LOAD && lab_ops[in->op].unit <= LAB_STORE)
            other = true, diag_error(d, p->file, in->line, in->col,
                                     "the execute stream does not touch memory; load into AEQ in the access stream");
        if (!single && in->target >= 0 && ((u32)in->target < p->execute_at) == in->execute && (u32)in->target != p->execute_at)
            other = true, diag_error(d, p->file, in->line, in->col, "a branch stays in its own stream");
        if (other) return false;
    }
    if (p->code.n == 0) diag_error(d, p->file, 0, 0, "no instruction in this file");
    else if (!single && p->execute_at == p->code.n)
        diag_error(d, p->file, 0, 0, "there is no execute stream; begin it with .execute, or set stream = single");
    else if (single && p->execute_at < p->code.n)
        diag_error(d, p->file, 0, 0, "a single stream has no .execute; set stream = two");
    return p->code.n && single == (p->execute_at == p->code.n) && sides_apart(p, single, d);
}

static void run_dae(struct lab_run *r) {
    struct dae *m = base_alloc(sizeof(*m));
    u64 t = 0;
    m->r = r;
    m->single = r->key[KEY_STREAM];
    m->aeq.cap = (u32)r->key[KEY_AEQ];
    m->eaq.cap = (u32)r->key[KEY_EAQ];
    m->bq.cap = (u32)r->key[KEY_BQ];
    m->side[ACCESS] = (struct side){.pc = 0, .end = r->prog->execute_at, .next = 1};
    m->side[EXECUTE] = (struct side){.pc = r->prog->execute_at, .end = r->prog->code.n, .next = 1};
    while (!r->fault && !over(m)) {
        if (t >= r->max_cycles) {
            r->cut = true;
            break;
        }
        cycle(m, ++t);
        if (t > m->moved + 2000 && t > m->last + 2)
            fail(m, stuck_at(m), "nothing can move any more: a queue is empty or full for ever");
    }
    r->cycles = (u32)(r->fault || r->cut ? t : m->last);
    lab_answer(r, "cycles", r->cycles, "cycles until both sides and all stores are done");
    lab_answer(r, "access", m->side[ACCESS].issued, "instructions of the access side");
    lab_answer(r, "execute", m->side[EXECUTE].issued, "instructions of the execute side");
    lab_answer(r, "access_waits", (i64)m->waits[ACCESS], "cycles the access side's next instruction waited");
    lab_answer(r, "execute_waits", (i64)m->waits[EXECUTE], "cycles the execute side's next instruction waited");
    lab_answer(r, "aeq_peak", m->aeq.peak, "most entries in AEQ: how far access ran ahead");
    free(m);
}

const struct lab_machine lab_dae = {"dae",   "decoupled access and execute streams with queues, or a single steered stream",
                                    keys,    ARRAY_LEN(keys),
                                    accepts, run_dae};
