/* In-order dispatch: F D E W with a valid bit for each register (L1 of the lecture), and the same behind a
 * reorder buffer (L3).
 *
 * An instruction stands in D until it can start: its sources and its destination are valid and its unit is
 * free. Without forwarding a register is valid in the cycle after its writer's W; with it the reader's E
 * follows the writer's last E. A second writer of a register waits as a reader would, so results arrive in
 * order for each register. Results are written as they come, or, with a reorder buffer, in order.
 *
 * Does not predict branches: the next F follows the branch's last E. Memory answers in fixed time, in
 * order.
 *
 * Invariants: 1. instructions leave D in program order, one a cycle; 2. F and D hold one instruction each. */
#include "lab/machines.h"

enum { KEY_FORWARD = LAB_UNITS, KEY_PIPELINED };
static const struct lab_key keys[] = {
    LAB_LATENCY_KEYS(3, 1, 1),
    {"forwarding", ON_OFF, 0, 0, 0, "A result may be used in the cycle after its last E, else after its W."},
    {"pipelined", ON_OFF, 1, 0, 0, "Units start an instruction every cycle."},
};

struct flight { /* cycles of one instruction */
    u64 f, d, leave, e, x, w;
    u32 row;
    const struct lab_inst *in;
};
struct io {
    struct lab_run *r;
    const struct inorder *how;
    VEC(struct flight) all;
    i64 writer[LAB_REGS];     /* index in all, -1 */
    u64 unit_free[LAB_UNITS]; /* first cycle a new E may start */
    u64 resume;               /* first cycle of the next F after a branch */
    u64 raised;               /* cycle of a fault; 0: none */
    u32 younger;              /* that had written by then */
};

static u64 free_to_use(const struct io *s, i64 writer) {
    const struct flight *p = &s->all.at[writer];
    return s->how->forward ? p->x : p->w + 1;
}

/* First cycle in which an instruction that stands in D since d may leave */
static u64 leave_of(const struct io *s, const struct lab_inst *in, u64 d) {
    u8 regs[12];
    u32 n = lab_reads(in, regs);
    n += lab_writes(in, regs + n);
    u64 t = d;
    for (u32 i = 0; i < n; i++)
        if (s->writer[regs[i]] >= 0) t = MAX(t, free_to_use(s, s->writer[regs[i]]));
    u64 unit = s->unit_free[lab_ops[in->op].unit];
    if (unit) t = MAX(t, unit - 1);
    if (s->how->reorder && s->all.n >= s->how->entries) t = MAX(t, s->all.at[s->all.n - s->how->entries].w + 1);
    return t;
}

static u64 write_of(const struct io *s, u64 x) {
    u64 w = x + 1 + s->how->r_stage;
    if (!s->how->reorder) return w;
    u32 n = s->all.n, width = s->how->retire_width;
    if (n) w = MAX(w, s->all.at[n - 1].w);
    if (n >= width) w = MAX(w, s->all.at[n - width].w + 1);
    return w;
}

static struct flight times_of(struct io *s, const struct lab_inst *in) {
    struct flight a = {.in = in}, *last = s->all.n ? &s->all.at[s->all.n - 1] : NULL;
    u32 lat = lab_latency(s->r, in);
    a.f = MAX(last ? last->d : 1, s->resume);
    a.d = MAX(a.f + 1, last ? last->leave + 1 : 0);
    a.leave = leave_of(s, in, a.d);
    a.e = a.leave + 1;
    a.x = a.e + lat - 1;
    a.w = write_of(s, a.x);
    return a;
}

static void record(struct io *s, struct flight *a) {
    struct lab_run *r = s->r;
    a->row = lab_row(r, NULL, a->in->text, a->in->line);
    lab_arcs_of(r, a->row, a->in);
    u64 stop = s->raised ? s->raised : UINT64_MAX; /* nothing is drawn after a fault is raised */
    lab_span(r, a->row, 'F', a->f, MIN(a->f, stop), NULL);
    lab_span(r, a->row, '-', a->f + 1, MIN(a->d - 1, stop), "F, waits");
    lab_span(r, a->row, 'D', a->d, MIN(a->d, stop), NULL);
    lab_span(r, a->row, '-', a->d + 1, MIN(a->leave, stop), "D, waits");
    lab_span(r, a->row, 'E', a->e, MIN(a->x, stop), NULL);
    u64 w = a->w;
    if (s->how->r_stage) lab_span(r, a->row, 'R', a->x + 1, MIN(a->x + 1, stop), NULL);
    lab_span(r, a->row, '-', a->x + 1 + s->how->r_stage, MIN(w - 1, stop), "waits to write");
    lab_span(r, a->row, 'W', w, MIN(w, stop), NULL);
}

static void take_unit(struct io *s, const struct flight *a) {
    s->unit_free[lab_ops[a->in->op].unit] = s->how->pipelined ? a->e + 1 : a->x + 1;
}

/* One instruction; *pc moves on. False: the run is over. */
static bool advance(struct io *s, u32 *pc) {
    const struct lab_inst *in = &s->r->prog->code.at[*pc];
    struct flight a = times_of(s, in);
    if (s->raised && a.f > s->raised) return false;
    if (a.w > s->r->max_cycles) {
        s->r->cut = true;
        return false;
    }
    struct lab_effect e = {0};
    bool writes = !s->raised || a.w <= s->raised;
    if (writes) e = lab_step(&s->r->st, in, LAB_VLEN_MAX);
    if (s->raised && writes) s->younger++;
    if (e.fault && !s->raised) {
        s->raised = s->how->reorder ? a.w : a.x;
        lab_fault(s->r, in, e.fault, "");
    }
    record(s, &a);
    take_unit(s, &a);
    u8 regs[4];
    u32 n = lab_writes(in, regs);
    for (u32 i = 0; i < n; i++) s->writer[regs[i]] = s->all.n;
    VEC_PUSH(&s->all, a);
    if (lab_is_branch(in)) s->resume = a.x + 1;
    *pc = e.taken ? (u32)in->target : *pc + 1;
    if (s->raised && s->how->reorder) return false; /* nothing younger may show */
    return writes || !lab_is_branch(in);
}

static void page_registers(struct io *s, u32 cycle) {
    struct lab_run *r = s->r;
    u8 seen[LAB_REGS] = {0};
    char name[8];
    lab_head(r, "valid bits", "reg|valid");
    for (u32 i = 0; i < s->all.n; i++) {
        u8 regs[4];
        u32 n = lab_writes(s->all.at[i].in, regs);
        for (u32 k = 0; k < n; k++) seen[regs[k]] |= s->all.at[i].leave <= cycle && s->all.at[i].w >= cycle ? 3 : 1;
    }
    for (u32 i = 0; i < LAB_REGS; i++)
        if (seen[i]) lab_cells(r, "%s|%d", lab_reg_name((u8)i, name), seen[i] != 3);
}

static void page_reorder(struct io *s, u32 cycle) {
    char name[8];
    if (!s->how->reorder) return;
    lab_head(s->r, "reorder buffer", "name|dest|done");
    for (u32 i = 0; i < s->all.n; i++) {
        const struct flight *a = &s->all.at[i];
        if (a->leave > cycle || a->w <= cycle) continue;
        lab_cells(s->r, "%s|%s|%d", s->r->rows.at[a->row].name, a->in->dst == REG_NONE ? "" : lab_reg_name(a->in->dst, name),
                  a->x <= cycle);
    }
}

static const char *where_is(struct io *s, const struct flight *a, u32 cycle) {
    if (cycle < a->d) return cycle == a->f ? "F" : "F, waits for D";
    if (cycle <= a->leave) return cycle == a->leave ? "D" : "D, waits for a register or unit";
    if (cycle <= a->x) return lab_text(s->r, "E %u of %u", (u32)(cycle - a->e + 1), (u32)(a->x - a->e + 1));
    return cycle == a->w ? "W" : s->how->r_stage && cycle == a->x + 1 ? "R" : "waits to write";
}

static void pages(struct io *s) {
    for (u32 c = MAX(s->r->page_from, 1u); s->r->pages_wanted && c <= MIN(s->r->page_to, s->r->cycles); c++) {
        if (!lab_page(s->r, c)) continue;
        lab_head(s->r, "in the machine", "name|instruction|stage");
        for (u32 i = 0; i < s->all.n; i++) {
            const struct flight *a = &s->all.at[i];
            if (a->f <= c && a->w >= c) lab_cells(s->r, "%s|%s|%s", s->r->rows.at[a->row].name, a->in->text, where_is(s, a, c));
        }
        page_registers(s, c);
        page_reorder(s, c);
    }
}

void lab_inorder(struct lab_run *r, const struct inorder *how) {
    struct io s = {.r = r, .how = how};
    u32 pc = 0;
    for (u32 i = 0; i < LAB_REGS; i++) s.writer[i] = -1;
    while (pc < r->prog->code.n && r->prog->code.at[pc].op != LOP_HALT && advance(&s, &pc)) continue;
    for (u32 i = 0; i < s.all.n; i++) r->cycles = MAX(r->cycles, (u32)s.all.at[i].w);
    if (s.raised) r->cycles = (u32)s.raised;
    lab_answer(r, "cycles", r->cycles, s.raised ? "cycles until the fault was raised" : "cycles until the last W");
    lab_answer(r, "instructions", s.all.n, "instructions dispatched");
    if (s.raised) lab_answer(r, "younger_written", s.younger, "younger instructions that had written when the fault was raised");
    pages(&s);
    free(s.all.at);
}

static void run_scoreboard(struct lab_run *r) {
    struct inorder how = {.forward = r->key[KEY_FORWARD], .pipelined = r->key[KEY_PIPELINED]};
    lab_inorder(r, &how);
}

const struct lab_machine lab_scoreboard = {"scoreboard",
                                           "in-order dispatch, out-of-order completion, a valid bit for each register",
                                           keys,
                                           ARRAY_LEN(keys),
                                           lab_accepts_scalar,
                                           run_scoreboard};
