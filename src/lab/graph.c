/* Views for other programs: the dataflow graph for graphviz, the pipeline's history for Konata, everything
 * as JSON. */
#include "lab/lab.h"
#include "trace/kanata.h"

#include <stdlib.h>
#include <string.h>

/* --- graphviz: nodes are instructions, arcs are tags (L6 of the lecture) */

static void put_quoted(const char *s, FILE *out) {
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') fputc('\\', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

/* In the window of a cycle: decoded, and not yet written */
static bool in_window(const struct lab_run *r, u32 row, i64 cycle) {
    i64 from = INT64_MAX, to = -1;
    for (u32 i = 0; i < r->rows.at[row].count; i++) {
        const struct lab_span *s = &r->spans.at[r->rows.at[row].first + i];
        to = MAX(to, (i64)s->to);
        if (s->stage != 'F' && !(s->stage == '-' && s->full && s->full[0] == 'F')) from = MIN(from, (i64)s->from);
    }
    return cycle < 0 || (from <= cycle && to >= cycle);
}

void lab_write_dot(const struct lab_run *r, i64 cycle, FILE *out) {
    fprintf(out, "digraph window {\n  rankdir = TB;\n  node [shape = ellipse];\n");
    bool *in = base_alloc(r->rows.n + 1);
    for (u32 i = 0; i < r->rows.n; i++) {
        in[i] = in_window(r, i, cycle);
        if (!in[i]) continue;
        fprintf(out, "  n%u [label = ", i);
        struct strbuf s = {0};
        strbuf_add(&s, "%s: %s", r->rows.at[i].name, r->rows.at[i].text);
        put_quoted(s.s, out);
        strbuf_free(&s);
        fprintf(out, "];\n");
    }
    for (u32 i = 0; i < r->arcs.n; i++)
        if (in[r->arcs.at[i].from] && in[r->arcs.at[i].to]) fprintf(out, "  n%u -> n%u;\n", r->arcs.at[i].from, r->arcs.at[i].to);
    fprintf(out, "}\n");
    free(in);
}

/* --- Konata */

struct step { /* a stage begins or a row ends */
    u64 cycle;
    u32 row, nth;
    char stage;
    u8 op; /* 0 row begins, 1 stage begins, 2 stage ends, 3 row ends */
};

static int by_cycle(const void *a, const void *b) {
    const struct step *x = a, *y = b;
    if (x->cycle != y->cycle) return x->cycle < y->cycle ? -1 : 1;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

struct steps {
    VEC(struct step) at;
};

static void add_step(struct steps *s, u64 cycle, u32 row, u8 op, char stage) {
    struct step st = {cycle, row, s->at.n, stage, op};
    VEC_PUSH(&s->at, st);
}

static void row_steps(struct steps *s, const struct lab_span *spans, u32 n) {
    add_step(s, spans[0].from, spans[0].row, 0, 0);
    for (u32 i = 0; i < n; i++) {
        add_step(s, spans[i].from, spans[i].row, 1, spans[i].stage);
        add_step(s, (u64)spans[i].to + 1, spans[i].row, 2, spans[i].stage);
    }
    add_step(s, (u64)spans[n - 1].to + 1, spans[0].row, 3, 0);
}

static void write_step(const struct lab_run *r, struct kanata *k, const struct step *st) {
    const struct lab_row *row = &r->rows.at[st->row];
    char stage[2] = {st->stage == '-' ? 'w' : st->stage, 0};
    kanata_cycle(k, st->cycle);
    switch (st->op) {
    case 0:
        kanata_row(k, st->row, st->row, 0);
        fprintf(k->out, "L\t%u\t0\t%s: ", st->row, row->name);
        kanata_text(k, row->text);
        break;
    case 1: kanata_stage(k, 'S', st->row, 0, stage); break;
    case 2: kanata_stage(k, 'E', st->row, 0, stage); break;
    default: kanata_retire(k, st->row, row->flushed);
    }
}

bool lab_write_konata(const struct lab_run *r, FILE *out) {
    struct kanata k;
    struct steps s = {0};
    for (u32 i = 0; i < r->rows.n; i++)
        if (r->rows.at[i].count) row_steps(&s, &r->spans.at[r->rows.at[i].first], r->rows.at[i].count);
    if (s.at.n) qsort(s.at.at, s.at.n, sizeof(*s.at.at), by_cycle);
    kanata_begin(&k, out);
    for (u32 i = 0; i < s.at.n; i++) write_step(r, &k, &s.at.at[i]);
    free(s.at.at);
    return !ferror(out) && fflush(out) == 0;
}

/* --- JSON */

static json_t *table_json(const struct lab_table *t) {
    json_t *rows = json_array(), *o;
    for (u32 i = 0; i <= t->rows.n; i++) {
        json_t *cells = json_array();
        const char *s = i ? t->rows.at[i - 1] : t->head;
        for (;;) {
            size_t n = strcspn(s, "|");
            json_array_append_new(cells, json_stringn(s, n));
            if (!s[n]) break;
            s += n + 1;
        }
        json_array_append_new(rows, cells);
    }
    json_t *head = json_incref(json_array_get(rows, 0));
    json_array_remove(rows, 0);
    o = json_pack("{s:s, s:o, s:o}", "title", t->title, "columns", head, "rows", rows);
    return o;
}

static json_t *page_json(const struct lab_page *p) {
    json_t *tables = json_array(), *notes = json_array();
    for (u32 i = 0; i < p->tables.n; i++) json_array_append_new(tables, table_json(&p->tables.at[i]));
    for (u32 i = 0; i < p->notes.n; i++) json_array_append_new(notes, json_string(p->notes.at[i]));
    return json_pack("{s:I, s:o, s:o}", "cycle", (json_int_t)p->cycle, "tables", tables, "notes", notes);
}

static json_t *rows_json(const struct lab_run *r) {
    json_t *rows = json_array();
    for (u32 i = 0; i < r->rows.n; i++)
        json_array_append_new(rows,
                              json_pack("{s:s, s:s, s:I, s:[], s:b}", "name", r->rows.at[i].name, "text", r->rows.at[i].text,
                                        "line", (json_int_t)r->rows.at[i].line, "stages", "flushed", r->rows.at[i].flushed));
    for (u32 i = 0; i < r->spans.n; i++) {
        const struct lab_span *s = &r->spans.at[i];
        char stage[2] = {s->stage, 0};
        json_t *to = json_object_get(json_array_get(rows, s->row), "stages");
        json_array_append_new(to,
                              json_pack("{s:s, s:I, s:I}", "stage", stage, "from", (json_int_t)s->from, "to", (json_int_t)s->to));
    }
    return rows;
}

json_t *lab_json(const struct lab_run *r) {
    json_t *o = json_object(), *keys = json_object(), *answers = json_object(), *pages = json_array(), *arcs = json_array();
    char value[32];
    for (u32 i = 0; i < r->machine->nkeys; i++) {
        lab_keys_text(r->machine, r->key, i, value);
        json_object_set_new(keys, r->machine->keys[i].name,
                            r->machine->keys[i].choices ? json_string(value) : json_integer(r->key[i]));
    }
    for (u32 i = 0; i < r->answers.n; i++)
        json_object_set_new(answers, r->answers.at[i].name, json_integer(r->answers.at[i].value));
    for (u32 i = 0; i < r->pages.n; i++) json_array_append_new(pages, page_json(&r->pages.at[i]));
    for (u32 i = 0; i < r->arcs.n; i++)
        json_array_append_new(arcs, json_pack("[I, I]", (json_int_t)r->arcs.at[i].from, (json_int_t)r->arcs.at[i].to));
    json_object_set_new(o, "machine", json_string(r->machine->name));
    json_object_set_new(o, "program", json_string(r->prog->file));
    json_object_set_new(o, "cycles", json_integer(r->cycles));
    json_object_set_new(o, "complete", json_boolean(!r->cut));
    json_object_set_new(o, "fault", r->fault ? json_string(r->fault) : json_null());
    json_object_set_new(o, "keys", keys);
    json_object_set_new(o, "answers", answers);
    json_object_set_new(o, "rows", rows_json(r));
    json_object_set_new(o, "arcs", arcs);
    json_object_set_new(o, "pages", pages);
    return o;
}
