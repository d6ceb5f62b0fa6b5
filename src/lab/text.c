/* Views for a terminal: the page of a cycle, the grid of instructions by cycles, the summary.
 *
 * The grid, a character a cycle:
 *     x   MUL R3 <- R1, R2   FD123456W          F fetched, D decoded, digits: cycles in E, W written
 *     a   ADD R5 <- R3, R4   .FD-----1234W      - waits; . is not in the machine */
#include "lab/lab.h"

#include <stdlib.h>
#include <string.h>

/* Most machines tell every cycle: then a page is where one expects it */
const struct lab_page *lab_page_of(const struct lab_run *r, u32 cycle) {
    u32 guess = r->pages.n && cycle >= r->pages.at[0].cycle ? cycle - r->pages.at[0].cycle : 0;
    if (guess < r->pages.n && r->pages.at[guess].cycle == cycle) return &r->pages.at[guess];
    for (u32 i = 0; i < r->pages.n; i++)
        if (r->pages.at[i].cycle == cycle) return &r->pages.at[i];
    return NULL;
}

/* --- tables to lines */

enum { MAX_COLUMNS = 80 };
struct lines {
    VEC(char *) at;
    u32 width;
};

static u32 shown_width(const char *s, size_t n) { /* characters, not bytes */
    u32 w = 0;
    for (size_t i = 0; i < n; i++) w += ((u8)s[i] & 0xC0) != 0x80;
    return w;
}

static void column_widths(const struct lab_table *t, u32 width[MAX_COLUMNS], u32 *n) {
    *n = 0;
    for (u32 i = 0; i <= t->rows.n; i++) {
        const char *s = i ? t->rows.at[i - 1] : t->head;
        for (u32 c = 0; c < MAX_COLUMNS; c++) {
            size_t len = strcspn(s, "|");
            if (c >= *n) width[(*n)++] = 0;
            width[c] = MAX(width[c], shown_width(s, len));
            if (!s[len]) break;
            s += len + 1;
        }
    }
}

static void add_line(struct lines *l, struct strbuf *s) {
    l->width = MAX(l->width, shown_width(s->s, s->len));
    VEC_PUSH(&l->at, s->s);
    *s = (struct strbuf){0};
}

static struct lines table_lines(const struct lab_table *t) {
    struct lines l = {0};
    u32 width[MAX_COLUMNS], n;
    struct strbuf s = {0};
    column_widths(t, width, &n);
    strbuf_add(&s, "%s", t->title);
    add_line(&l, &s);
    for (u32 i = 0; i <= t->rows.n; i++) {
        const char *at = i ? t->rows.at[i - 1] : t->head;
        for (u32 c = 0; c < n; c++) {
            size_t len = strcspn(at, "|");
            strbuf_add(&s, "  %.*s%*s", (int)len, at, (int)(width[c] - shown_width(at, len)), "");
            at += len + (at[len] == '|');
        }
        while (s.len && s.s[s.len - 1] == ' ') s.s[--s.len] = 0;
        add_line(&l, &s);
    }
    return l;
}

/* Tables side by side as long as they fit, then further down */
static void print_tables(const struct lab_page *p, u32 width, FILE *out) {
    for (u32 from = 0; from < p->tables.n;) {
        struct lines l[8];
        u32 n = 0, total = 0, height = 0;
        while (from + n < p->tables.n && n < ARRAY_LEN(l)) {
            l[n] = table_lines(&p->tables.at[from + n]);
            if (n && total + 3 + l[n].width > width) break;
            total += l[n].width + (n ? 3 : 0);
            height = MAX(height, l[n].at.n);
            n++;
        }
        for (u32 y = 0; y < height; y++) {
            u32 gap = 0;
            for (u32 k = 0; k < n; k++) {
                const char *s = y < l[k].at.n ? l[k].at.at[y] : "";
                if (*s) fprintf(out, "%*s%s", (int)gap, "", s), gap = 0;
                gap += l[k].width - shown_width(s, strlen(s)) + 3;
            }
            fputc('\n', out);
        }
        fputc('\n', out);
        u32 made = from + n < p->tables.n && n < ARRAY_LEN(l) ? n + 1 : n;
        for (u32 k = 0; k < made; k++) {
            for (u32 y = 0; y < l[k].at.n; y++) free(l[k].at.at[y]);
            free(l[k].at.at);
        }
        from += n;
    }
}

void lab_print_page(const struct lab_run *r, u32 cycle, u32 width, FILE *out) {
    const struct lab_page *p = lab_page_of(r, cycle);
    fprintf(out, "%s, end of cycle %u of %u\n\n", r->machine->name, cycle, r->cycles);
    if (!p) {
        fprintf(out, "nothing is in the machine in this cycle\n");
        return;
    }
    print_tables(p, width, out);
    for (u32 i = 0; i < p->notes.n; i++) fprintf(out, "- %s\n", p->notes.at[i]);
}

/* --- the grid */

char *lab_grid_cells(const struct lab_run *r, u32 row, u32 from, u32 to) {
    u32 n = to - from + 1;
    char *cells = base_alloc(n + 1);
    memset(cells, '.', n);
    for (u32 i = 0; i < r->rows.at[row].count; i++) {
        const struct lab_span *s = &r->spans.at[r->rows.at[row].first + i];
        for (u32 c = MAX(s->from, from); c <= MIN(s->to, to); c++)
            cells[c - from] = s->stage == 'E' ? (char)('0' + (c - s->from + 1) % 10) : s->stage;
    }
    while (n && cells[n - 1] == '.') cells[--n] = 0;
    return cells;
}

static bool row_in(const struct lab_run *r, u32 row, u32 from, u32 to) {
    const struct lab_row *x = &r->rows.at[row];
    return x->count && r->spans.at[x->first].from <= to && r->spans.at[x->first + x->count - 1].to >= from;
}

static void print_ruler(u32 left, u32 from, u32 to, FILE *out) {
    fprintf(out, "%*s", (int)left, "");
    for (u32 c = from; c <= to; c++) {
        if (c % 10 == 0) fprintf(out, "%u", c / 10 % 10);
        else fputc(' ', out);
    }
    fprintf(out, "\n%*s", (int)left, "");
    for (u32 c = from; c <= to; c++) fprintf(out, "%u", c % 10);
    fputc('\n', out);
}

void lab_print_grid(const struct lab_run *r, u32 from, u32 to, FILE *out) {
    int name = 0, text = 0;
    to = MIN(to, r->cycles);
    if (from > to) {
        fprintf(out, "the run has %u cycles\n", r->cycles);
        return;
    }
    for (u32 i = 0; i < r->rows.n; i++) {
        name = MAX(name, (int)strlen(r->rows.at[i].name));
        text = MAX(text, (int)strlen(r->rows.at[i].text));
    }
    text = MIN(text, 40);
    print_ruler((u32)(name + text + 4), from, to, out);
    for (u32 i = 0; i < r->rows.n; i++) {
        if (!row_in(r, i, from, to)) continue;
        char *cells = lab_grid_cells(r, i, from, to);
        fprintf(out, "%-*s  %-*.*s |%s%s\n", name, r->rows.at[i].name, text, text, r->rows.at[i].text, cells,
                r->rows.at[i].flushed ? " (flushed)" : "");
        free(cells);
    }
}

void lab_print_summary(const struct lab_run *r, FILE *out) {
    for (u32 i = 0; i < r->answers.n; i++)
        fprintf(out, "%-16s %10lld  %s\n", r->answers.at[i].name, (long long)r->answers.at[i].value, r->answers.at[i].doc);
    if (r->cut) fprintf(out, "stopped after %u cycles: the program had not ended (--max-cycles)\n", r->cycles);
}
