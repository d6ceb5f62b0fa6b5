/* The table of machines, what several of them refuse, and a page for those that have no tables of their
 * own. */
#include "lab/machines.h"

const struct lab_machine *const lab_machines[] = {&lab_unpipelined, &lab_scoreboard, &lab_tomasulo, &lab_rob,
                                                  &lab_vector,      &lab_simd,       &lab_vliw,     &lab_dae,
                                                  &lab_systolic,    &lab_dataflow,   &lab_simt,     NULL};

const struct lab_machine *lab_machine_find(const char *name) {
    for (u32 i = 0; lab_machines[i]; i++)
        if (strcmp(lab_machines[i]->name, name) == 0) return lab_machines[i];
    return NULL;
}

static bool is_queue(u8 r) { return r == REG_AEQ || r == REG_EAQ; }

bool lab_accepts_scalar(const struct lab_program *p, const i64 *key, struct diag *d) {
    (void)key;
    if (p->code.n == 0) {
        diag_error(d, p->file, 0, 0, "no instruction in this file; %s",
                   p->nodes.n ? "a graph runs on dataflow" : "data alone runs on systolic");
        return false;
    }
    for (u32 i = 0; i < p->code.n; i++) {
        const struct lab_inst *in = &p->code.at[i];
        u8 regs[12];
        u32 n = lab_reads(in, regs), queue = 0, tid = 0;
        n += lab_writes(in, regs + n);
        for (u32 k = 0; k < n; k++) queue |= is_queue(regs[k]), tid |= regs[k] == REG_TID;
        const char *where = lab_is_vector(in)            ? "vector"
                            : lab_is_packed(in)          ? "simd"
                            : queue || in->op == LOP_BRQ ? "dae"
                            : tid                        ? "simt"
                                                         : NULL;
        if (in->op == LOP_SETVL) where = "vector";
        if (!where) continue;
        diag_error(d, p->file, in->line, in->col, "%s is not for this machine; \"heddle lab %s\" runs it", lab_ops[in->op].name,
                   where);
        return false;
    }
    if (p->execute_at < p->code.n) diag_error(d, p->file, 0, 0, "a program with two streams runs on dae");
    return p->execute_at == p->code.n;
}

bool lab_run(struct lab_run *r, const struct lab_machine *m, const struct lab_program *p, const i64 *key,
             const struct lab_wish *w, struct diag *d) {
    memset(r, 0, sizeof(*r));
    if (m->accepts && !m->accepts(p, key, d)) return false;
    r->machine = m;
    r->prog = p;
    r->key = key;
    r->pages_wanted = w->pages;
    r->page_from = w->from;
    r->page_to = w->to;
    r->max_cycles = w->max_cycles ? w->max_cycles : 1000000;
    for (u32 i = 0; i < LAB_REGS; i++) r->writer[i] = -1;
    lab_state_init(&r->st, p);
    m->run(r);
    lab_settle(r);
    return true;
}

static const char *stage_text(struct lab_run *r, const struct lab_span *s, u32 cycle) {
    if (s->full) return s->full;
    if (s->stage == '-') return "waits";
    if (s->from == s->to) return lab_text(r, "%c", s->stage);
    return lab_text(r, "%c %u of %u", s->stage, cycle - s->from + 1, s->to - s->from + 1);
}

static int by_from(const void *a, const void *b) {
    const struct lab_span *const *x = a, *const *y = b;
    return (*x)->row != (*y)->row ? ((*x)->row < (*y)->row ? -1 : 1) : (int)(*x)->from - (int)(*y)->from;
}

/* Spans are looked at once a cycle: those that have not ended stay in a list */
void lab_pages_from_spans(struct lab_run *r) {
    if (!r->pages_wanted) return;
    const struct lab_span **at = base_alloc((r->spans.n + 1) * sizeof(*at));
    for (u32 c = MAX(r->page_from, 1u); c <= MIN(r->page_to, r->cycles); c++) {
        u32 n = 0;
        for (u32 i = 0; i < r->spans.n; i++)
            if (r->spans.at[i].from <= c && r->spans.at[i].to >= c) at[n++] = &r->spans.at[i];
        if (n) qsort(at, n, sizeof(*at), by_from);
        const struct lab_page *have = lab_page_of(r, c);
        if (!have && !lab_page(r, c)) continue;
        if (have) continue;
        lab_head(r, "in the machine", "name|instruction|stage");
        for (u32 i = 0; i < n; i++)
            lab_cells(r, "%s|%s|%s", r->rows.at[at[i]->row].name, r->rows.at[at[i]->row].text, stage_text(r, at[i], c));
    }
    free(at);
}
