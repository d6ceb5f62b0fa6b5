/* What a machine tells while it runs: rows, spans, arcs, pages, answers. Pages are kept only for the
 * cycles somebody wants to see. */
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

static const char *vtext(struct lab_run *r, const char *fmt, va_list ap) {
    struct strbuf s = {0};
    strbuf_vadd(&s, fmt, ap);
    const char *t = arena_strdup(&r->mem, s.s, s.len);
    strbuf_free(&s);
    return t;
}

const char *lab_text(struct lab_run *r, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *t = vtext(r, fmt, ap);
    va_end(ap);
    return t;
}

u32 lab_row(struct lab_run *r, const char *name, const char *text, u32 line) {
    struct lab_row row = {name ? name : lab_text(r, "i%u", r->rows.n + 1), text, line};
    VEC_PUSH(&r->rows, row);
    return r->rows.n - 1;
}

void lab_span(struct lab_run *r, u32 row, char stage, u64 from, u64 to, const char *full) {
    if (from > to) return;
    struct lab_span s = {row, (u32)from, (u32)to, stage, full};
    VEC_PUSH(&r->spans, s);
}

void lab_arc(struct lab_run *r, u32 from, u32 to) {
    struct lab_arc a = {from, to};
    for (u32 i = r->arcs.n; i > 0 && r->arcs.at[i - 1].to == to; i--)
        if (r->arcs.at[i - 1].from == from) return;
    VEC_PUSH(&r->arcs, a);
}

void lab_arcs_of(struct lab_run *r, u32 row, const struct lab_inst *in) {
    u8 regs[8];
    u32 n = lab_reads(in, regs);
    for (u32 i = 0; i < n; i++)
        if (r->writer[regs[i]] >= 0) lab_arc(r, (u32)r->writer[regs[i]], row);
    n = lab_writes(in, regs);
    for (u32 i = 0; i < n; i++) r->writer[regs[i]] = row;
}

bool lab_page(struct lab_run *r, u32 cycle) {
    if (!r->pages_wanted || cycle < r->page_from || cycle > r->page_to) return false;
    struct lab_page p = {.cycle = cycle};
    VEC_PUSH(&r->pages, p);
    return true;
}

static struct lab_page *last_page(struct lab_run *r) { return &r->pages.at[r->pages.n - 1]; }

void lab_head(struct lab_run *r, const char *title, const char *head) {
    struct lab_table t = {.title = title, .head = head};
    VEC_PUSH(&last_page(r)->tables, t);
}

void lab_cells(struct lab_run *r, const char *fmt, ...) {
    struct lab_page *p = last_page(r);
    struct lab_table *t = &p->tables.at[p->tables.n - 1];
    va_list ap;
    va_start(ap, fmt);
    const char *text = vtext(r, fmt, ap);
    va_end(ap);
    VEC_PUSH(&t->rows, text);
}

void lab_note(struct lab_run *r, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const char *text = vtext(r, fmt, ap);
    va_end(ap);
    VEC_PUSH(&last_page(r)->notes, text);
}

void lab_answer(struct lab_run *r, const char *name, i64 value, const char *doc) {
    struct lab_answer a = {name, doc, value};
    VEC_PUSH(&r->answers, a);
}

const struct lab_answer *lab_answer_find(const struct lab_run *r, const char *name) {
    for (u32 i = 0; i < r->answers.n; i++)
        if (strcmp(r->answers.at[i].name, name) == 0) return &r->answers.at[i];
    return NULL;
}

void lab_fault(struct lab_run *r, const struct lab_inst *in, const char *what, const char *after) {
    if (!r->fault)
        r->fault = lab_text(r, "%s:%u:%u: fault: %s in \"%s\"%s", r->prog->file, in->line, in->col, what, in->text, after);
}

static int by_row(const void *a, const void *b) {
    const struct lab_span *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

void lab_settle(struct lab_run *r) {
    if (r->spans.n) qsort(r->spans.at, r->spans.n, sizeof(*r->spans.at), by_row);
    for (u32 i = 0; i < r->spans.n; i++) {
        struct lab_row *row = &r->rows.at[r->spans.at[i].row];
        if (row->count++ == 0) row->first = i;
    }
    for (u32 i = 0; i < r->squashed.n; i++) r->rows.at[r->squashed.at[i]].flushed = true;
}

void lab_run_free(struct lab_run *r) {
    for (u32 i = 0; i < r->pages.n; i++) {
        struct lab_page *p = &r->pages.at[i];
        for (u32 k = 0; k < p->tables.n; k++) free(p->tables.at[k].rows.at);
        free(p->tables.at);
        free(p->notes.at);
    }
    free(r->pages.at);
    free(r->rows.at);
    free(r->spans.at);
    free(r->arcs.at);
    free(r->answers.at);
    free(r->squashed.at);
    lab_state_free(&r->st);
    arena_free(&r->mem);
}
