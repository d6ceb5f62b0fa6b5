/* Systolic arrays (L8): data pulse through cells (Kung 1982). The program holds data; the key `array` says
 * what the cells do.
 *
 * w1        convolution, weights stay: .data w and x. Cells 1..k from left to right hold w_k .. w_1. x
 *           enters cell 1 every second cycle and moves right, y enters cell k as 0 every second cycle and
 *           moves left; a cell adds its weight times x to y. Results, in `y`: y_i = w_1 x_i + ... + w_k
 *           x_(i+k-1).
 * matmul    C = A B, results stay: .data A (rows x inner) and B (inner x cols). Rows of A enter from the
 *           left, columns of B from the top, each a cycle later than the one before.
 * pipeline  iterations through stages (.data stage: cycles of each), on one core or on one core a stage.
 *
 * Does not model memory: edges are fed as the scheme wants it. Nothing travels further than one cell a
 * cycle. */
#include "lab/machines.h"

enum {
    KEY_ARRAY,
    KEY_ROWS,
    KEY_INNER,
    KEY_COLS,
    KEY_ITERATIONS,
    KEY_CORES,
    ARRAY_W1 = 0,
    ARRAY_MATMUL,
    ARRAY_PIPELINE,
    MAX_CELLS = 64,
    MAX_STAGES = 26 /* one letter each */
};
static const struct lab_key keys[] = {
    {"array", "w1|matmul|pipeline", 0, 0, 0, "What the cells do."},
    {"rows", NULL, 2, 1, 32, "matmul: rows of A and C."},
    {"inner", NULL, 2, 1, 32, "matmul: columns of A, rows of B."},
    {"cols", NULL, 2, 1, 32, "matmul: columns of B and C."},
    {"iterations", NULL, 4, 1, 1000, "pipeline: iterations of the loop."},
    {"cores", "one|stages", 1, 0, 0, "pipeline: one core, or one for each stage."},
};

static bool needs(const struct lab_program *p, const char *name, i64 words, struct diag *d) {
    const struct lab_symbol *s = lab_symbol_find(p, name);
    if (!s) diag_error(d, p->file, 0, 0, "this array needs data called \"%s\"; write \".data %s 1 2 3\"", name, name);
    else if (s->words < words)
        diag_error(d, p->file, 0, 0, "data \"%s\" has %u words; the keys ask for %lld", name, s->words, (long long)words);
    return s && s->words >= words;
}

static bool accepts(const struct lab_program *p, const i64 *key, struct diag *d) {
    if (p->code.n)
        diag_error(d, p->file, p->code.at[0].line, p->code.at[0].col, "a systolic array has no instructions; it takes .data");
    if (p->code.n) return false;
    if (key[KEY_ARRAY] == ARRAY_PIPELINE) {
        if (!needs(p, "stage", 1, d)) return false;
        const struct lab_symbol *s = lab_symbol_find(p, "stage");
        if (s->words > MAX_STAGES) {
            diag_error(d, p->file, 0, 0, "at most %d stages, not %u", MAX_STAGES, s->words);
            return false;
        }
        for (u32 i = 0; i < s->words; i++)
            if (p->words[s->address + i] < 1 || p->words[s->address + i] > 1000) {
                diag_error(d, p->file, 0, 0, "a stage takes 1 to 1000 cycles, not %lld", (long long)p->words[s->address + i]);
                return false;
            }
        return true;
    }
    if (key[KEY_ARRAY] == ARRAY_MATMUL)
        return needs(p, "A", key[KEY_ROWS] * key[KEY_INNER], d) && needs(p, "B", key[KEY_INNER] * key[KEY_COLS], d);
    if (!needs(p, "w", 1, d) || !needs(p, "x", lab_symbol_find(p, "w")->words, d)) return false;
    if (lab_symbol_find(p, "w")->words > MAX_CELLS) diag_error(d, p->file, 0, 0, "at most %d weights", MAX_CELLS);
    return lab_symbol_find(p, "w")->words <= MAX_CELLS;
}

/* --- w1 */

struct item {          /* a moving value: which one, and what */
    i64 number, value; /* number 0: none */
};

static void page_w1(struct lab_run *r, u32 t, u32 k, const i64 *w, const struct item *x, const struct item *y,
                    const struct item *out) {
    if (!lab_page(r, t)) return;
    lab_head(r, "cells, left to right", "cell|weight|x moves right|y moves left");
    for (u32 p = 0; p < k; p++) {
        const char *xs = x[p].number ? lab_text(r, "x%lld = %lld", (long long)x[p].number, (long long)x[p].value) : "";
        const char *ys = y[p].number ? lab_text(r, "y%lld = %lld", (long long)y[p].number, (long long)y[p].value) : "";
        lab_cells(r, "%u|w%u = %lld|%s|%s", p + 1, k - p, (long long)w[k - 1 - p], xs, ys);
    }
    if (out->number)
        lab_note(r, "y%lld = %lld is complete in cell 1 and leaves to the left", (long long)out->number, (long long)out->value);
}

static void run_w1(struct lab_run *r) {
    const struct lab_symbol *sw = lab_symbol_find(r->prog, "w"), *sx = lab_symbol_find(r->prog, "x");
    const i64 *w = r->prog->words + sw->address, *xs = r->prog->words + sx->address;
    u32 k = sw->words, n = sx->words, results = n + 1 - k, made = 0, busy = 0, t = 0, row[MAX_CELLS];
    struct item x[MAX_CELLS] = {0}, y[MAX_CELLS] = {0};
    const struct lab_symbol *sy = lab_symbol_find(r->prog, "y");
    for (u32 p = 0; p < k; p++)
        row[p] = lab_row(r, lab_text(r, "cell%u", p + 1), lab_text(r, "weight w%u = %lld", k - p, (long long)w[k - 1 - p]), 0);
    while (made < results && t < r->max_cycles) {
        t++;
        for (u32 p = k; p-- > 1;) x[p] = x[p - 1];
        for (u32 p = 0; p + 1 < k; p++) y[p] = y[p + 1];
        x[0] = t % 2 == 1 && (t + 1) / 2 <= n ? (struct item){(t + 1) / 2, xs[(t - 1) / 2]} : (struct item){0};
        i64 i = (i64)t - (i64)k + 2; /* twice the number of the y that enters now */
        y[k - 1] = i >= 2 && i % 2 == 0 && i / 2 <= results ? (struct item){i / 2, 0} : (struct item){0};
        for (u32 p = 0; p < k; p++) {
            if (!y[p].number || !x[p].number) continue;
            y[p].value = (i64)((u64)y[p].value + (u64)w[k - 1 - p] * (u64)x[p].value);
            lab_span(r, row[p], 'C', t, t, "multiplies and adds");
            busy++;
        }
        page_w1(r, t, k, w, x, y, &y[0]);
        if (!y[0].number) continue;
        if (sy && y[0].number <= sy->words) r->st.words[sy->address + y[0].number - 1] = y[0].value;
        lab_answer(r, lab_text(r, "y%lld", (long long)y[0].number), y[0].value, "a result");
        made++;
    }
    r->cut = made < results;
    r->cycles = t;
    lab_answer(r, "cycles", t, "cycles until the last y leaves");
    lab_answer(r, "cell_cycles", busy, "cycles in which cells multiplied and added");
}

/* --- matmul */

static void page_matmul(struct lab_run *r, u32 t, const i64 *c, u32 m, u32 n, u32 k) {
    if (!lab_page(r, t)) return;
    struct strbuf head = {0};
    strbuf_add(&head, "row");
    for (u32 j = 0; j < n; j++) strbuf_add(&head, "|col %u", j);
    lab_head(r, "cells: sum so far, * works in this cycle", lab_text(r, "%s", head.s));
    for (u32 i = 0; i < m; i++) {
        head.len = 0;
        strbuf_add(&head, "%u", i);
        for (u32 j = 0; j < n; j++) {
            i64 l = (i64)t - 1 - i - j;
            strbuf_add(&head, "|%lld%s", (long long)c[i * n + j], l >= 0 && l < k ? "*" : "");
        }
        lab_cells(r, "%s", head.s);
    }
    strbuf_free(&head);
}

/* a[i][j] and b[i][j] hold what stands in the cell in this cycle; both move on every cycle */
static void run_matmul(struct lab_run *r) {
    u32 m = (u32)r->key[KEY_ROWS], k = (u32)r->key[KEY_INNER], n = (u32)r->key[KEY_COLS], busy = 0, t = 0;
    const i64 *a0 = r->prog->words + lab_symbol_find(r->prog, "A")->address,
              *b0 = r->prog->words + lab_symbol_find(r->prog, "B")->address;
    const struct lab_symbol *sc = lab_symbol_find(r->prog, "C");
    i64 *c = base_alloc((size_t)m * n * sizeof(i64));
    struct item *a = base_alloc((size_t)m * n * sizeof(*a)), *b = base_alloc((size_t)m * n * sizeof(*b));
    u32 *row = base_alloc((size_t)m * n * sizeof(u32));
    for (u32 i = 0; i < m * n; i++) row[i] = lab_row(r, lab_text(r, "c%u,%u", i / n, i % n), "cell", 0);
    for (u32 work = 1; work;) {
        t++;
        work = 0;
        for (u32 i = m; i-- > 0;)
            for (u32 j = n; j-- > 0;) {
                i64 la = (i64)t - 1 - i, lb = (i64)t - 1 - j;
                a[i * n + j] = j                   ? a[i * n + j - 1]
                               : la >= 0 && la < k ? (struct item){la + 1, a0[i * k + la]}
                                                   : (struct item){0};
                b[i * n + j] = i                   ? b[(i - 1) * n + j]
                               : lb >= 0 && lb < k ? (struct item){lb + 1, b0[lb * n + j]}
                                                   : (struct item){0};
            }
        for (u32 i = 0; i < m * n; i++) {
            if (!a[i].number || a[i].number != b[i].number) continue;
            c[i] = (i64)((u64)c[i] + (u64)a[i].value * (u64)b[i].value);
            lab_span(r, row[i], 'C', t, t, "multiplies and adds");
            busy++;
            work++;
        }
        if (work) page_matmul(r, t, c, m, n, k);
    }
    r->cycles = t - 1;
    for (u32 i = 0; sc && i < MIN(m * n, sc->words); i++) r->st.words[sc->address + i] = c[i];
    lab_answer(r, "cycles", r->cycles, "cycles until the last cell is done");
    lab_answer(r, "cell_cycles", busy, "cycles in which cells multiplied and added");
    lab_answer(r, "corner", c[m * n - 1], "the last element of C");
    free(a);
    free(b);
    free(c);
    free(row);
}

/* --- pipeline */

static void run_pipeline(struct lab_run *r) {
    const struct lab_symbol *ss = lab_symbol_find(r->prog, "stage");
    const i64 *len = r->prog->words + ss->address;
    u32 stages = ss->words, n = (u32)r->key[KEY_ITERATIONS];
    u64 core_free[MAX_STAGES] = {0}, end = 0;
    for (u32 i = 0; i < n; i++) {
        u32 row = lab_row(r, lab_text(r, "it%u", i + 1), "iteration", 0);
        u64 t = 1;
        for (u32 s = 0; s < stages; s++) {
            u32 core = r->key[KEY_CORES] ? s : 0;
            t = MAX(t, core_free[core]);
            lab_span(r, row, (char)('A' + s), t, t + (u64)len[s] - 1,
                     lab_text(r, "stage %c on core %u", (char)('A' + s), core + 1));
            t += (u64)len[s];
            core_free[core] = t;
        }
        end = MAX(end, t - 1);
    }
    r->cycles = (u32)end;
    lab_answer(r, "cycles", (i64)end, "cycles until the last stage ends");
    lab_pages_from_spans(r);
}

static void run_systolic(struct lab_run *r) {
    static void (*const runs[])(struct lab_run *) = {run_w1, run_matmul, run_pipeline};
    runs[r->key[KEY_ARRAY]](r);
}

const struct lab_machine lab_systolic = {
    "systolic",  "convolution and matrix product in arrays of cells, and pipeline parallelism", keys, ARRAY_LEN(keys), accepts,
    run_systolic};
