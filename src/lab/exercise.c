/* The lecture's questions as exercises: a bundled program, a machine, settings, and which answer is asked
 * for. The answers stand nowhere here: the machine finds them, tests/lab holds the published ones. Also
 * the comparison of a student's grid with the machine's. */
#include "lab/lab.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct lab_exercise lab_exercises[] = {
    {"L1", "scoreboard", "six", "forwarding=off", "cycles", "In-order dispatch, no forwarding",
     "One adder (4 cycles) and one multiplier (6), stages F D E W. In-order dispatch, imprecise exceptions,\nno data forwarding: "
     "in which cycle is the last W?"},
    {"L1-forwarding", "scoreboard", "six", "forwarding=on", "cycles", "In-order dispatch, full forwarding",
     "The same machine with full forwarding: in which cycle is the last W?"},
    {"L1-unpipelined", "unpipelined", "six", "", "cycles", "No pipeline at all",
     "The same program on a machine that does one instruction at a time: how many cycles?"},
    {"L2", "tomasulo", "six", "", "cycles", "Tomasulo's algorithm",
     "Reservation stations, tags, a bus for each unit, full forwarding. In which cycle is the last W?\nWhat stands in the alias "
     "table and the stations at the end of cycle 7?"},
    {"L2-one-bus", "tomasulo", "six", "buses=1", "cycles", "One common data bus",
     "Adder and multiplier share one bus: which cycle is the last?"},
    {"L2-late", "tomasulo", "six", "broadcast=write", "cycles", "A later broadcast",
     "The tag is broadcast in the cycle after the last E: which cycle is the last?"},
    {"L2-unpipelined-units", "tomasulo", "six", "pipelined=off", "cycles", "Units that are not pipelined",
     "A unit starts an instruction only when the one before has left: which cycle is the last?"},
    {"L2-in-order", "rob", "imul", "mul.latency=5 add.latency=1 dispatch=in_order", "cycles",
     "In-order dispatch with precise exceptions",
     "IMUL takes 5 cycles, ADD 1; F D E W, W in order, one a cycle, full forwarding, in-order dispatch:\nwhich cycle is the "
     "last?"},
    {"L2-out-of-order", "rob", "imul", "mul.latency=5 add.latency=1", "cycles", "Out-of-order dispatch with precise exceptions",
     "The same with out-of-order dispatch: which cycle is the last?"},
    {"L3", "rob", "six", "stages=fderw", "cycles", "A reorder buffer",
     "Out-of-order dispatch, a reorder buffer, stages F D E R W: which cycle is the last?"},
    {"L3-in-order", "rob", "six", "stages=fderw dispatch=in_order forwarding=off", "cycles",
     "A reorder buffer, in order, no forwarding", "In-order dispatch, no forwarding, F D E R W: which cycle is the last?"},
    {"L3-in-order-forwarding", "rob", "six", "stages=fderw dispatch=in_order", "cycles", "A reorder buffer, in order, forwarding",
     "In-order dispatch with forwarding, F D E R W: which cycle is the last?"},
    {"L3-fault", "tomasulo", "fault", "", "younger_written", "Imprecise exceptions",
     "The DIV faults. How many younger instructions have written a register by then?"},
    {"L3-precise", "rob", "fault", "", "younger_written", "Precise exceptions",
     "The same with a reorder buffer: how many younger instructions have written?"},
    {"L3-window", "rob", "window", "load.latency=500 rob.entries=16 retire.width=16 add.latency=1 add.stations=64", "cycles",
     "A load of 500 cycles",
     "A load that takes 500 cycles stands before 64 independent ADDs of one cycle, and the reorder buffer has\n16 entries. Which "
     "cycle is the last? (And with rob.entries = 65?)"},
    {"L4", "rob", "disambiguate", "memory.order=conservative", "cycles", "Memory disambiguation, conservative",
     "Loads wait until all older stores know their addresses: which cycle is the last?"},
    {"L4-aggressive", "rob", "disambiguate", "memory.order=aggressive", "violations", "Memory disambiguation, aggressive",
     "Loads never wait: how many of them have to be done again?"},
    {"L4-predicted", "rob", "disambiguate", "memory.order=predicted", "violations", "Memory disambiguation, store sets",
     "With store sets: how many loads have to be done again?"},
    {"L7-scalar", "vector", "scalar", "banks=1", "cycles", "The scalar loop, one bank",
     "C[i] = (A[i] + B[i]) / 2 for 50 elements, scalar code, in-order processor, one bank: how many cycles?"},
    {"L7-scalar-banks", "vector", "scalar", "banks=16", "cycles", "The scalar loop, 16 banks",
     "The same with 16 banks: how many cycles?"},
    {"L7", "vector", "vector", "", "cycles", "Vector code",
     "The vector loop, no chaining, one memory port, 16 banks: how many cycles?"},
    {"L7-chaining", "vector", "vector", "chaining=on", "cycles", "Vector chaining", "With chaining: how many cycles?"},
    {"L7-ports", "vector", "vector", "chaining=on ports.load=2 ports.store=1", "cycles", "Vector chaining and three ports",
     "With chaining, two load ports and a store port: how many cycles?"},
    {"L7-mask", "vector", "mask", "mask=simple", "masked_steps", "Masked operations, simple",
     "C[i] = A[i] >= B[i] ? A[i] : B[i]. How many steps does the masked store of A take?"},
    {"L7-density", "vector", "mask", "mask=density", "masked_steps", "Masked operations, density-time",
     "The same when the mask is scanned: how many steps?"},
    {"L7-stride", "vector", "stride", "", "bank_waits", "Stride and banks",
     "A column of a row-major 6 x 10 matrix, 16 banks: for how many cycles do accesses wait for a bank?"},
    {"L7-strips", "vector", "strips", "chaining=on ports.load=2 ports.store=1", "instructions", "Strip-mining",
     "527 elements in registers of 64: how many instructions are issued?"},
    {"L8-vliw", "vliw", "six", "", "e_cycles", "VLIW",
     "One adder slot, one multiplier slot, lock-step: how many cycles of E? Which bundles?"},
    {"L8-dae", "dae", "hydro", "", "cycles", "Decoupled access and execute",
     "Livermore loop 1, four iterations, on an access and an execute stream: how many cycles?"},
    {"L8-zs1", "dae", "hydro_zs1", "stream=single", "cycles", "A single steered stream",
     "The same loop as one stream that is steered: how many cycles?"},
    {"L8-w1", "systolic", "convolution", "", "cycles", "Systolic convolution W1",
     "Three weights, five inputs; x and y move in opposite directions: in which cycle does the last y leave?"},
    {"L8-matmul", "systolic", "matmul", "", "cycles", "Systolic matrix product", "6 x 6 by 6 x 10 on 60 cells: how many cycles?"},
    {"L8-pipeline", "systolic", "pipeline", "", "cycles", "Pipeline parallelism",
     "A loop of three stages of one cycle, four iterations, three cores: how many cycles?"},
    {"L8-compress", "systolic", "compress", "", "cycles", "File compression",
     "Read (1), compress (3), write (1), six blocks, a core each: how many cycles?"},
    {"L8-dataflow", "dataflow", "expression", "", "cycles", "A dataflow expression",
     "{x = a + b; y = b * 7 in (x - y) * (x + y)}, ADD 4, MUL 6, a cycle of matching before each: how many cycles?"},
    {"L8-fetch", "dataflow", "fetches", "", "cycles", "Split-phase fetches",
     "Two fetches of 10 cycles and an addition: how many cycles?"},
    {"L8-loop", "dataflow", "loop", "", "out1", "Switch, merge and contexts",
     "What does the loop of switches and merges compute?"},
    {"SIMD", "simd", "chroma", "", "packed", "Chroma key", "How many packed instructions choose eight pixels at once?"},
    {"SIMT", "simt", "diverge", "", "instructions", "The divergence stack",
     "Four threads; one takes the other way. How many warp instructions are issued?"},
    {"SIMT-hiding", "simt", "hiding", "warps=4", "idle", "Latency hiding",
     "Four warps, loads of 20 cycles: in how many cycles can no warp issue?"},
    {"SIMT-gtx285", "simt", "hiding", "cores=30 warps=32 width=32", "contexts", "GTX 285",
     "30 cores of 32 warps of 32 threads: how many threads?"},
    {NULL},
};

const struct lab_exercise *lab_exercise_find(const char *id) {
    for (const struct lab_exercise *e = lab_exercises; e->id; e++)
        if (strcasecmp(e->id, id) == 0) return e;
    return NULL;
}

/* --- a student's grid: a row for each instruction, a character a cycle, as --table prints it; or cells
 * separated by commas */

struct cells {
    char *at;
    u32 n, line;
};

static void add_cell(struct cells *c, const char *text, size_t n) {
    while (n && isspace((u8)*text)) text++, n--;
    while (n && isspace((u8)text[n - 1])) n--;
    c->at = base_realloc(c->at, c->n + 2);
    c->at[c->n++] = n == 0 ? '.' : (char)toupper((u8)*text);
    c->at[c->n] = 0;
}

static struct cells cells_of(const char *line, size_t n, u32 number) {
    struct cells c = {.line = number};
    const char *bar = memchr(line, '|', n);
    size_t skip = bar ? (size_t)(bar + 1 - line) : 0;
    const char *flushed = memmem(line, n, " (flushed)", 10);
    if (flushed) n = (size_t)(flushed - line);
    line += skip;
    n -= MIN(skip, n);
    if (memchr(line, ',', n)) {
        for (size_t from = 0; from <= n;) {
            const char *comma = from < n ? memchr(line + from, ',', n - from) : NULL;
            size_t len = comma ? (size_t)(comma - line) - from : n - from;
            add_cell(&c, line + from, len);
            from += len + 1;
        }
    } else {
        for (size_t i = 0; i < n; i++) add_cell(&c, line + i, 1);
    }
    while (c.n && c.at[c.n - 1] == '.') c.n--;
    return c;
}

/* Letters that repeat are waiting; E is any cycle of E */
static char meaning(const char *cells, u32 n, u32 i) {
    char c = i < n ? cells[i] : '.';
    if (c == ' ') c = '.';
    if (isdigit((u8)c) || c == 'E') return 'E';
    if (i > 0 && i < n && (c == 'F' || c == 'D') && toupper((u8)cells[i - 1]) == c) return '-';
    if (i > 1 && (c == 'F' || c == 'D') && cells[i - 1] == '-') return '-'; /* D - - D: the last cycle in D */
    return c;
}

static bool is_grid_line(const char *line, size_t n) {
    const char *bar = memchr(line, '|', n);
    if (bar) return true;
    bool stage = false;
    for (size_t i = 0; i < n; i++) {
        if (!strchr("FDEWRMISCfdewrmisc0123456789-., \t\r", line[i])) return false;
        stage |= isalpha((u8)line[i]) != 0;
    }
    return stage;
}

static const char *cell_text(char c) {
    switch (c) {
    case '.': return "not in the machine";
    case '-': return "waiting";
    case 'E': return "in E";
    default: return NULL;
    }
}

static void tell_difference(const struct lab_run *r, u32 row, u32 cycle, char theirs, char ours, u32 line, struct strbuf *out) {
    char a[2] = {theirs, 0}, b[2] = {ours, 0};
    strbuf_add(out, "cycle %u: your line %u has %s (%s) %s%s, the machine has it %s%s\n", cycle, line, r->rows.at[row].text,
               r->rows.at[row].name, cell_text(theirs) ? "" : "in ", cell_text(theirs) ? cell_text(theirs) : a,
               cell_text(ours) ? "" : "in ", cell_text(ours) ? cell_text(ours) : b);
}

bool lab_check_grid(const struct lab_run *r, const char *file, const char *text, struct strbuf *out, struct diag *d) {
    VEC(struct cells) rows = {0};
    u32 number = 0, first = UINT32_MAX, at = 0;
    char theirs = 0, ours = 0;
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        number++;
        if (is_grid_line(line, n)) {
            struct cells c = cells_of(line, n, number);
            VEC_PUSH(&rows, c);
        }
        line += n + (line[n] == '\n');
    }
    if (rows.n != r->rows.n)
        diag_error(
            d, file, 0, 0,
            "%u rows of stages found, the machine has %u instructions; a row is a character a cycle, as \"--table\" prints it",
            rows.n, r->rows.n);
    for (u32 i = 0; i < rows.n && rows.n == r->rows.n; i++) {
        char *mine = lab_grid_cells(r, i, 1, r->cycles);
        u32 n = (u32)strlen(mine);
        for (u32 c = 0; c < MAX(n, rows.at[i].n) && c + 1 < first; c++) {
            char x = meaning(rows.at[i].at, rows.at[i].n, c), y = meaning(mine, n, c);
            if (x == y) continue;
            first = c + 1;
            at = i;
            theirs = x;
            ours = y;
        }
        free(mine);
    }
    if (first != UINT32_MAX) tell_difference(r, at, first, theirs, ours, rows.at[at].line, out);
    bool same = rows.n == r->rows.n && first == UINT32_MAX;
    for (u32 i = 0; i < rows.n; i++) free(rows.at[i].at);
    free(rows.at);
    return same;
}
