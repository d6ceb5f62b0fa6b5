/* lab: the classic machines of a lecture on small programs, one page a cycle. Knows nothing of GPUs,
 * kernels or the simulator's core.
 *
 * A program (asm.c) and a machine with its keys (machines.c, keys.c) give a run (run.c): rows of
 * instructions, spans of stages, a page of tables for each cycle, answers by name. The views (text.c,
 * html.c, graph.c) print runs and know no machine. The exercises (exercise.c) are programs with settings
 * and a question.
 *
 * Invariants: 1. A span's cycles lie in 1..cycles of its run. 2. Spans of one row do not overlap. 3. The
 * final registers and memory of every machine that runs the scalar language are those of lab_interpret. */
#ifndef HEDDLE_LAB_H
#define HEDDLE_LAB_H

#include "base/base.h"

#include <jansson.h>

/* --- the language */
enum lab_reg { /* one number for every register */
               REG_R = 0,
               REG_A = 32,
               REG_X = 48,
               REG_VLEN = 64,
               REG_VSTR,
               REG_VMASK,
               REG_AEQ, /* access to execute queue */
               REG_EAQ, /* execute to access queue */
               REG_TID, /* SIMT: number of the thread */
               REG_MM = 70,
               REG_V = 80,
               LAB_REGS = 96,
               REG_NONE = 255
};
enum lab_unit { LAB_ADD, LAB_MUL, LAB_DIV, LAB_MOVE, LAB_LOAD, LAB_STORE, LAB_BRANCH, LAB_UNITS };
extern const char *const lab_unit_names[LAB_UNITS];
enum lab_op {
#define LAB_OP(id, ...) LOP_##id,
#include "lab/op.def"
#undef LAB_OP
    LAB_OPS
};
struct lab_op_row {
    const char *name;
    enum lab_unit unit;
    const char *operands, *infix, *doc;
};
extern const struct lab_op_row lab_ops[LAB_OPS];

struct lab_inst {
    enum lab_op op;
    u8 dst;    /* register written, or REG_NONE */
    u8 src[2]; /* registers read, or REG_NONE: then imm, where the operand is there */
    u8 base;   /* of the memory operand, or REG_NONE */
    u8 index;  /* vector register of a gather operand, or REG_NONE */
    bool postinc;
    i64 imm;    /* second source, when src[1] (src[0] with one source) is REG_NONE */
    i64 offset; /* of the memory operand */
    i32 target; /* of a branch: index of an instruction, the program's length for its end; -1 */
    bool execute;
    u32 line, col;
    const char *text;
};
struct lab_port { /* where a token goes */
    i32 node;     /* -1: out of the graph, -2: nowhere */
    u8 port;      /* 0 left, 1 right */
};
enum lab_node_kind { NODE_OP, NODE_SWITCH, NODE_MERGE, NODE_FETCH, NODE_NEXT, NODE_EXIT };
struct lab_node { /* an operator of a dataflow graph */
    const char *name, *text;
    enum lab_node_kind kind;
    enum lab_op op; /* NODE_OP */
    bool has_imm;
    i64 imm;
    struct lab_port dest[2][8]; /* [1]: a switch's, when the control token is 0 */
    u32 ndest[2];
    u32 line, col;
};
struct lab_token {
    struct lab_port to;
    i64 value;
    u32 context;
};
struct lab_symbol {
    const char *name;
    i64 address;
    u32 words;
};
struct lab_setting { /* .set KEY VALUE */
    const char *key, *value;
    u32 line;
};
struct lab_program {
    struct arena mem;
    const char *file, *source;
    VEC(struct lab_inst) code;
    VEC(struct lab_symbol) symbols;
    VEC(struct lab_node) nodes;
    VEC(struct lab_token) tokens;
    VEC(struct lab_setting) settings;
    u32 execute_at; /* first instruction of the execute stream; code.n without one */
    i64 reg[LAB_REGS];
    i64 *words; /* memory as it starts */
    u32 nwords;
};
enum { LAB_CODE_MAX = 4096, LAB_WORDS_MAX = 1 << 20, LAB_VREGS = 16, LAB_VLEN_MAX = 64 };

/* --- asm.c: text to program; NULL with messages. */
struct lab_program *lab_assemble(const char *file, const char *text, size_t len, struct diag *d);
void lab_program_free(struct lab_program *p);
const struct lab_symbol *lab_symbol_find(const struct lab_program *p, const char *name);
/* The code with every postincrement taken apart: the access and an ADD of 1 behind it. For machines whose
 * instructions write one register. */
struct lab_inst *lab_crack(const struct lab_program *p, struct arena *mem, u32 *count);
const char *lab_reg_name(u8 reg, char buf[8]);

/* --- state.c: what instructions do */
struct lab_state {
    i64 reg[LAB_REGS];
    i64 v[LAB_VREGS][LAB_VLEN_MAX];
    i64 *words;
    u32 nwords;
};
void lab_state_init(struct lab_state *s, const struct lab_program *p);
void lab_state_free(struct lab_state *s);
struct lab_effect {    /* of one instruction */
    bool taken;        /* a branch */
    const char *fault; /* NULL when there is none */
    i64 address;       /* of a scalar access */
};
bool lab_is_branch(const struct lab_inst *in);
bool lab_is_vector(const struct lab_inst *in); /* reads or writes a vector register or VMASK elements */
bool lab_is_packed(const struct lab_inst *in);
/* The value of an arithmetic instruction; a fault's text in *fault */
i64 lab_alu(enum lab_op op, i64 a, i64 b, const char **fault);
bool lab_taken(enum lab_op op, i64 a, i64 b);
i64 lab_packed(enum lab_op op, i64 a, i64 b);
/* Runs a scalar, vector or packed instruction on *s; vlen_max for SETVL */
struct lab_effect lab_step(struct lab_state *s, const struct lab_inst *in, u32 vlen_max);
/* Registers that an instruction reads and writes, the postincremented base included; returns how many */
u32 lab_reads(const struct lab_inst *in, u8 out[8]);
u32 lab_writes(const struct lab_inst *in, u8 out[4]);
/* The whole program in order, at most max instructions: the sequential machine. Returns instructions run;
 * *fault as in struct lab_effect. */
u32 lab_interpret(const struct lab_program *p, struct lab_state *s, u32 max, const char **fault);

/* --- run.c: what a machine tells */
struct lab_row {      /* an instruction as it ran, or a thread, cell, token: whatever has stages */
    const char *name; /* short, for graphs */
    const char *text;
    u32 line;         /* of the program; 0 without one */
    bool flushed;     /* thrown away; filled when the run has ended */
    u32 first, count; /* its spans, in order of time; likewise */
};
struct lab_span {
    u32 row, from, to; /* cycles, both included */
    char stage;        /* a letter; 'E' is drawn as counting digits, '-' is waiting */
    const char *full;  /* its name where a letter is too short, or NULL */
};
struct lab_arc {
    u32 from, to; /* rows: producer, consumer */
};
struct lab_table {
    const char *title, *head; /* columns separated by '|' */
    VEC(const char *) rows;
};
struct lab_page {
    u32 cycle;
    VEC(struct lab_table) tables;
    VEC(const char *) notes;
};
struct lab_answer {
    const char *name, *doc;
    i64 value;
};
struct lab_machine;
struct lab_run {
    struct arena mem;
    const struct lab_machine *machine;
    const struct lab_program *prog;
    const i64 *key; /* by number in the machine's table */
    bool pages_wanted;
    u32 page_from, page_to; /* cycles */
    u32 max_cycles;
    struct lab_state st; /* final */
    u32 cycles;
    bool cut;          /* stopped at max_cycles */
    const char *fault; /* of the program, with its place; NULL when there was none */
    VEC(struct lab_row) rows;
    VEC(struct lab_span) spans;
    VEC(struct lab_arc) arcs;
    VEC(struct lab_page) pages;
    VEC(struct lab_answer) answers;
    i64 writer[LAB_REGS]; /* lab_arcs_of: last row that wrote, -1 */
    VEC(u32) squashed;    /* rows that were thrown away */
};
u32 lab_row(struct lab_run *r, const char *name, const char *text, u32 line);
void lab_span(struct lab_run *r, u32 row, char stage, u64 from, u64 to, const char *full); /* nothing when from > to */
void lab_arc(struct lab_run *r, u32 from, u32 to);
/* Arcs into a row from the rows that wrote its sources, and notes its destinations; rows in program order */
void lab_arcs_of(struct lab_run *r, u32 row, const struct lab_inst *in);
bool lab_page(struct lab_run *r, u32 cycle); /* true when this cycle's page is wanted; the calls below add to it */
void lab_head(struct lab_run *r, const char *title, const char *head);
void lab_cells(struct lab_run *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
void lab_note(struct lab_run *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
void lab_answer(struct lab_run *r, const char *name, i64 value, const char *doc);
const struct lab_answer *lab_answer_find(const struct lab_run *r, const char *name);
void lab_fault(struct lab_run *r, const struct lab_inst *in, const char *what, const char *after);
const char *lab_text(struct lab_run *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
void lab_settle(struct lab_run *r); /* after the run: spans sorted by row and time, what rows know of them */
void lab_run_free(struct lab_run *r);

/* --- keys.c: a machine's keys, from an INI file, from .set and from the command line */
struct lab_key {
    const char *name;    /* "add.latency" is written as latency in section [add] */
    const char *choices; /* "a|b|c", or NULL: a number */
    i64 def, min, max;   /* def: index of a choice */
    const char *doc;
};
struct lab_machine {
    const char *name, *doc;
    const struct lab_key *keys;
    u32 nkeys;
    /* Refuses a program that it cannot run, with a message; NULL: any */
    bool (*accepts)(const struct lab_program *p, const i64 *key, struct diag *d);
    void (*run)(struct lab_run *r);
};
i64 *lab_keys_new(const struct lab_machine *m);
bool lab_keys_set(const struct lab_machine *m, i64 *key, const char *name, const char *value, struct diag *d, const char *file,
                  u32 line);
bool lab_keys_ini(const struct lab_machine *m, i64 *key, const char *file, const char *text, size_t len, struct diag *d);
void lab_keys_text(const struct lab_machine *m, const i64 *key, u32 k, char out[32]);
void lab_keys_print(const struct lab_machine *m, const i64 *key, FILE *out); /* an INI file that reads back as these */

/* --- machines.c */
extern const struct lab_machine *const lab_machines[]; /* ends with NULL */
const struct lab_machine *lab_machine_find(const char *name);
/* Runs a program; the caller frees the run. pages: for which cycles. False with messages when the machine
 * does not take the program. */
struct lab_wish {
    bool pages;
    u32 from, to;
    u32 max_cycles;
};
bool lab_run(struct lab_run *r, const struct lab_machine *m, const struct lab_program *p, const i64 *key,
             const struct lab_wish *w, struct diag *d);
extern const struct lab_machine lab_unpipelined, lab_scoreboard, lab_tomasulo, lab_rob, lab_vector, lab_simd, lab_vliw, lab_dae,
    lab_systolic, lab_dataflow, lab_simt;
/* What machines of the scalar language refuse: vectors, packed registers, queues, graphs */
bool lab_accepts_scalar(const struct lab_program *p, const i64 *key, struct diag *d);

/* --- views */
const struct lab_page *lab_page_of(const struct lab_run *r, u32 cycle);
void lab_print_page(const struct lab_run *r, u32 cycle, u32 width, FILE *out);
void lab_print_grid(const struct lab_run *r, u32 from, u32 to, FILE *out);
void lab_print_summary(const struct lab_run *r, FILE *out);
char *lab_grid_cells(const struct lab_run *r, u32 row, u32 from, u32 to); /* a character a cycle; free it */
void lab_write_html(const struct lab_run *r, const char *title, FILE *out);
void lab_write_dot(const struct lab_run *r, i64 cycle, FILE *out); /* cycle -1: every row */
bool lab_write_konata(const struct lab_run *r, FILE *out);
json_t *lab_json(const struct lab_run *r);

/* --- exercise.c */
struct lab_exercise {
    const char *id, *machine, *program, *settings; /* settings: "key=value key=value" */
    const char *answer;                            /* name of the answer that is asked for */
    const char *title, *question;
};
extern const struct lab_exercise lab_exercises[]; /* ends with a NULL id */
const struct lab_exercise *lab_exercise_find(const char *id);
/* Compares a student's grid with the run: true when alike; else the first difference in words */
bool lab_check_grid(const struct lab_run *r, const char *file, const char *text, struct strbuf *out, struct diag *d);

#endif
