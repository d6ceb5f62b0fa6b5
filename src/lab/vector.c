/* A vector machine in the manner of the CRAY-1 (L7 of the lecture): vector registers, VLEN, VSTR and
 * VMASK, memory banks and ports, chaining, lanes.
 *
 * One instruction issues a cycle, in order, in the cycle in which its first element enters its unit or
 * port. Elements follow one a cycle (one per lane), each when its operands are there: with chaining
 * element by element, without when whole vectors are done. An access takes its bank for bank.busy cycles;
 * every port has its own way into each bank. A port is held until its last element has arrived, a unit
 * until its last element has entered. Masked off elements take a step (simple) or none (density). A scalar
 * instruction starts when the scalar instructions before it are done; a load may follow a load after one
 * cycle.
 *
 * Does not model limits on reading and writing vector registers, or start-up other than the latency.
 *
 * Invariants: 1. the first elements of instructions enter in program order; 2. a bank is never entered
 * twice through one port within bank.busy cycles. */
#include "lab/machines.h"

enum {
    KEY_BANKS = LAB_UNITS,
    KEY_BUSY,
    KEY_LOADS,
    KEY_STORES,
    KEY_CHAIN,
    KEY_LANES,
    KEY_MASK,
    KEY_VLEN,
    MAX_PORTS = 8,
    MAX_BANKS = 1024,
    PAGE_BANKS = 32, /* that are drawn */

    RANGES = 16
};
static const struct lab_key keys[] = {
    LAB_LATENCY_KEYS(11, 11, 2),
    {"banks", NULL, 16, 1, MAX_BANKS, "Memory banks, interleaved by word."},
    {"bank.busy", NULL, 11, 1, 1000, "Cycles between two accesses to a bank through one port."},
    {"ports.load", NULL, 1, 1, 4, "Memory ports for loads."},
    {"ports.store", NULL, 0, 0, 4, "Memory ports for stores; 0: they use those for loads."},
    {"chaining", ON_OFF, 0, 0, 0, "An element may be used as soon as it is there."},
    {"lanes", NULL, 1, 1, 16, "Elements that enter a unit or port a cycle."},
    {"mask", "simple|density", 0, 0, 0, "Masked off elements take a step, or are skipped."},
    {"vlen", NULL, 64, 1, LAB_VLEN_MAX, "Elements of a vector register."},
};

struct times { /* of a register's elements */
    u64 done[LAB_VLEN_MAX], read[LAB_VLEN_MAX];
    u64 all; /* when the last is done */
};
struct range {
    i64 low, high;
    u64 until;
};
struct done_op { /* for pages */
    u32 row, n, unit;
    u64 start[LAB_VLEN_MAX], latency;
    i64 bank[LAB_VLEN_MAX];
};
struct vm {
    struct lab_run *r;
    struct times v[LAB_VREGS], mask;
    u64 unit_free[LAB_UNITS], port_free[MAX_PORTS];
    u64 bank_free[MAX_PORTS][MAX_BANKS];
    u64 issue;       /* earliest cycle of the next instruction, counted from 0 */
    u64 scalar_done; /* of all scalar instructions */
    u64 load_at;     /* start of the scalar load before; UINT64_MAX: the instruction before is none */
    u64 end;
    struct range stores[RANGES];
    u32 nstores;
    u64 conflicts, steps, masked_steps;
    VEC(struct done_op) ops;
    u32 instructions;
};

static i64 address_of(const struct vm *m, const struct lab_inst *in, u32 i) {
    const struct lab_state *s = &m->r->st;
    u64 a = (u64)in->offset + (in->base == REG_NONE ? 0 : (u64)s->reg[in->base]);
    if (in->index != REG_NONE) return (i64)(a + (u64)s->v[in->index - REG_V][i]);
    return (i64)(a + (lab_is_vector(in) ? (u64)i * (u64)s->reg[REG_VSTR] : 0));
}

static u32 bank_of(const struct vm *m, i64 address) {
    i64 n = m->r->key[KEY_BANKS];
    return (u32)(((address % n) + n) % n);
}

/* The port that is free first, of those that the access may use */
static u32 port_for(const struct vm *m, bool store) {
    u32 loads = (u32)m->r->key[KEY_LOADS], stores = (u32)m->r->key[KEY_STORES];
    u32 from = store && stores ? loads : 0, to = store && stores ? loads + stores : loads, best = from;
    for (u32 p = from; p < to; p++)
        if (m->port_free[p] < m->port_free[best]) best = p;
    return best;
}

static u64 after_stores(const struct vm *m, i64 low, i64 high) {
    u64 t = 0;
    for (u32 i = 0; i < RANGES; i++)
        if (m->stores[i].until && low <= m->stores[i].high && high >= m->stores[i].low) t = MAX(t, m->stores[i].until);
    return t;
}

/* --- scalar instructions */

static void scalar_op(struct vm *m, const struct lab_inst *in, u32 row) {
    enum lab_unit u = lab_ops[in->op].unit;
    bool memory = u == LAB_LOAD || u == LAB_STORE, after_load = u == LAB_LOAD && m->load_at != UINT64_MAX;
    u64 t = MAX(m->issue, after_load ? m->load_at + 1 : m->scalar_done), lat = lab_latency(m->r, in);
    if (memory) {
        i64 a = address_of(m, in, 0);
        u32 port = port_for(m, u == LAB_STORE), bank = bank_of(m, a);
        t = MAX(t, after_stores(m, a, a));
        m->conflicts += m->bank_free[port][bank] > t ? m->bank_free[port][bank] - t : 0;
        t = MAX(t, m->bank_free[port][bank]);
        m->bank_free[port][bank] = t + (u64)m->r->key[KEY_BUSY];
    }
    m->load_at = u == LAB_LOAD ? t : UINT64_MAX;
    m->issue = t + 1;
    m->scalar_done = MAX(m->scalar_done, t + lat);
    m->end = MAX(m->end, t + lat);
    lab_span(m->r, row, 'E', t + 1, t + lat, NULL);
}

/* A load whose register the load behind it uses must be waited for */
static bool uses_loaded(const struct lab_inst *in, const struct lab_inst *before) {
    u8 reads[8], writes[4];
    u32 n = lab_reads(in, reads), w = lab_writes(before, writes);
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < w; k++)
            if (reads[i] == writes[k]) return true;
    return false;
}

/* --- vector instructions */

static bool active(const struct vm *m, const struct lab_inst *in, u32 i) {
    if (in->op >= LOP_VSEQ && in->op <= LOP_VNOTM) return true;
    return (u64)m->r->st.reg[REG_VMASK] >> i & 1;
}

static u64 source_time(const struct vm *m, const struct times *v, u32 i) { return m->r->key[KEY_CHAIN] ? v->done[i] : v->all; }

static u64 operand_time(const struct vm *m, const struct lab_inst *in, u32 i) {
    const u8 regs[] = {in->src[0], in->src[1], in->index};
    u64 t = m->r->key[KEY_MASK] ? m->mask.all : source_time(m, &m->mask, i);
    if (in->op >= LOP_VSEQ && in->op <= LOP_VSLT) t = 0; /* comparisons do not read the mask */
    for (u32 k = 0; k < 3; k++)
        if (regs[k] != REG_NONE && regs[k] >= REG_V) t = MAX(t, source_time(m, &m->v[regs[k] - REG_V], i));
    return t;
}

/* Old readers and writers of the destination's element must be before it */
static u64 result_time(const struct vm *m, const struct lab_inst *in, u32 i) {
    const struct times *v = in->dst != REG_NONE                         ? &m->v[in->dst - REG_V]
                            : in->op >= LOP_VSEQ && in->op <= LOP_VNOTM ? &m->mask
                                                                        : NULL;
    u64 lat = lab_latency(m->r, in), need = v ? MAX(v->read[i] + 1, v->done[i]) : 0;
    return need > lat ? need - lat : 0;
}

static void note_times(struct vm *m, const struct lab_inst *in, u32 i, u64 start) {
    const u8 regs[] = {in->src[0], in->src[1], in->index};
    u64 done = start + lab_latency(m->r, in);
    for (u32 k = 0; k < 3; k++)
        if (regs[k] != REG_NONE && regs[k] >= REG_V) m->v[regs[k] - REG_V].read[i] = MAX(m->v[regs[k] - REG_V].read[i], start);
    m->mask.read[i] = MAX(m->mask.read[i], start);
    struct times *v = in->dst != REG_NONE ? &m->v[in->dst - REG_V] : in->op >= LOP_VSEQ && in->op <= LOP_VNOTM ? &m->mask : NULL;
    if (!v) return;
    v->done[i] = done;
    v->all = MAX(v->all, done);
}

static void note_store(struct vm *m, const struct lab_inst *in, u32 n, u64 until) {
    i64 low = INT64_MAX, high = INT64_MIN;
    for (u32 i = 0; i < n; i++) {
        i64 a = address_of(m, in, i);
        low = MIN(low, a);
        high = MAX(high, a);
    }
    if (n) m->stores[m->nstores++ % RANGES] = (struct range){low, high, until};
}

static u64 first_time(const struct vm *m, const struct lab_inst *in, u32 n, bool memory, u32 port) {
    u64 t = MAX(m->issue, m->scalar_done);
    t = MAX(t, memory ? m->port_free[port] : m->unit_free[lab_ops[in->op].unit]);
    for (u32 i = 0; memory && i < n; i++) t = MAX(t, after_stores(m, address_of(m, in, i), address_of(m, in, i)));
    return t;
}

static void vector_op(struct vm *m, const struct lab_inst *in, u32 row) {
    enum lab_unit u = lab_ops[in->op].unit;
    bool memory = u == LAB_LOAD || u == LAB_STORE, masked = false;
    u32 n = (u32)m->r->st.reg[REG_VLEN], port = memory ? port_for(m, u == LAB_STORE) : 0, step = 0;
    u64 lat = lab_latency(m->r, in), t = first_time(m, in, n, memory, port), first = t;
    struct done_op d = {.row = row, .unit = u, .latency = lat};
    for (u32 i = 0; i < n; i++) {
        bool on = active(m, in, i);
        masked |= !on;
        if (!on && m->r->key[KEY_MASK]) continue;
        if (step && step % (u32)m->r->key[KEY_LANES] == 0) t++;
        t = MAX(t, MAX(operand_time(m, in, i), result_time(m, in, i)));
        u32 bank = memory ? bank_of(m, address_of(m, in, i)) : 0;
        if (memory && on) {
            u64 *f = &m->bank_free[port][bank];
            m->conflicts += *f > t ? *f - t : 0;
            t = MAX(t, *f);
            *f = t + (u64)m->r->key[KEY_BUSY];
        }
        if (step++ == 0) first = t;
        if (on) note_times(m, in, i, t);
        d.bank[d.n] = memory && on ? (i64)bank : -1;
        d.start[d.n++] = t;
    }
    u64 end = step ? t + lat : first + 1;
    if (memory) m->port_free[port] = end;
    else m->unit_free[u] = t + 1;
    if (u == LAB_STORE) note_store(m, in, n, end);
    m->steps += step;
    if (masked && !m->masked_steps) m->masked_steps = step;
    m->issue = first + 1;
    m->end = MAX(m->end, end);
    m->load_at = UINT64_MAX;
    lab_span(m->r, row, 'E', first + 1, end, NULL);
    if (m->r->pages_wanted) VEC_PUSH(&m->ops, d);
}

/* --- pages */

/* A row for each busy bank: the elements in it, one for each port at most */
static void page_banks(struct vm *m, u64 now) {
    struct strbuf text[PAGE_BANKS] = {0};
    u64 busy = (u64)m->r->key[KEY_BUSY];
    for (u32 k = 0; k < m->ops.n; k++) {
        const struct done_op *d = &m->ops.at[k];
        if (d->n == 0 || d->start[0] > now || d->start[d->n - 1] + busy <= now) continue;
        for (u32 i = 0; i < d->n; i++) {
            if (d->bank[i] < 0 || d->bank[i] >= PAGE_BANKS || d->start[i] > now || d->start[i] + busy <= now) continue;
            struct strbuf *t = &text[d->bank[i]];
            strbuf_add(t, "%s%s element %u", t->len ? "; " : "", m->r->rows.at[d->row].text, i);
        }
    }
    lab_head(m->r, "banks", "bank|busy with");
    for (u32 b = 0; b < PAGE_BANKS; b++) {
        if (text[b].len) lab_cells(m->r, "%u|%s", b, text[b].s);
        strbuf_free(&text[b]);
    }
}

static void pages(struct vm *m) {
    for (u32 c = MAX(m->r->page_from, 1u); m->r->pages_wanted && c <= MIN(m->r->page_to, m->r->cycles); c++) {
        u64 now = c - 1;
        if (!lab_page(m->r, c)) continue;
        lab_head(m->r, "in the machine", "name|instruction|unit|entered|done");
        for (u32 i = 0; i < m->r->spans.n; i++) {
            const struct lab_span *s = &m->r->spans.at[i];
            if (s->from > c || s->to < c) continue;
            const struct done_op *d = NULL;
            for (u32 k = 0; k < m->ops.n; k++)
                if (m->ops.at[k].row == s->row) d = &m->ops.at[k];
            u32 in = 0, done = 0;
            for (u32 k = 0; d && k < d->n; k++) in += d->start[k] <= now, done += d->start[k] + d->latency <= now + 1;
            const struct lab_row *row = &m->r->rows.at[s->row];
            if (d) lab_cells(m->r, "%s|%s|%s|%u of %u|%u", row->name, row->text, lab_unit_names[d->unit], in, d->n, done);
            else lab_cells(m->r, "%s|%s|scalar|%u of %u cycles|", row->name, row->text, c - s->from + 1, s->to - s->from + 1);
        }
        page_banks(m, now);
    }
}

static bool accepts(const struct lab_program *p, const i64 *key, struct diag *d) {
    (void)key;
    for (u32 i = 0; i < p->code.n; i++) {
        const struct lab_inst *in = &p->code.at[i];
        u8 regs[12];
        u32 n = lab_reads(in, regs);
        n += lab_writes(in, regs + n);
        bool other = lab_is_packed(in) || in->op == LOP_BRQ;
        for (u32 k = 0; k < n; k++) other |= regs[k] == REG_AEQ || regs[k] == REG_EAQ || regs[k] == REG_TID;
        if (!other) continue;
        diag_error(d, p->file, in->line, in->col, "%s with these operands is not for a vector machine; simd, dae or simt run it",
                   lab_ops[in->op].name);
        return false;
    }
    if (p->code.n == 0) diag_error(d, p->file, 0, 0, "no instruction in this file");
    return p->code.n != 0;
}

static void run_vector(struct lab_run *r) {
    struct vm *m = base_alloc(sizeof(*m));
    u32 pc = 0, vlen = (u32)r->key[KEY_VLEN];
    const struct lab_inst *before = NULL;
    m->r = r;
    m->load_at = UINT64_MAX;
    if (r->st.reg[REG_VLEN] > vlen || r->st.reg[REG_VLEN] < 0) r->st.reg[REG_VLEN] = vlen;
    while (pc < r->prog->code.n && r->prog->code.at[pc].op != LOP_HALT) {
        const struct lab_inst *in = &r->prog->code.at[pc];
        if (m->end >= r->max_cycles) {
            r->cut = true;
            break;
        }
        u32 row = lab_row(r, NULL, in->text, in->line);
        if (before && uses_loaded(in, before)) m->load_at = UINT64_MAX;
        if (lab_is_vector(in)) vector_op(m, in, row);
        else scalar_op(m, in, row);
        lab_arcs_of(r, row, in);
        m->instructions++;
        struct lab_effect e = lab_step(&r->st, in, vlen);
        if (e.fault) {
            lab_fault(r, in, e.fault, "");
            break;
        }
        before = in;
        pc = e.taken ? (u32)in->target : pc + 1;
    }
    r->cycles = (u32)m->end;
    lab_answer(r, "cycles", r->cycles, "cycles until the last element is done");
    lab_answer(r, "instructions", m->instructions, "instructions issued");
    lab_answer(r, "element_steps", (i64)m->steps, "steps that elements of vector instructions took");
    lab_answer(r, "masked_steps", (i64)m->masked_steps, "steps of the first instruction with elements masked off; 0: none");
    lab_answer(r, "bank_waits", (i64)m->conflicts, "cycles that accesses waited for a bank");
    pages(m);
    free(m->ops.at);
    free(m);
}

const struct lab_machine lab_vector = {
    "vector", "vector registers, banks, ports, chaining, lanes and masks", keys, ARRAY_LEN(keys), accepts, run_vector};
