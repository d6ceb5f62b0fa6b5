/* A second model of out-of-order execution with a reorder buffer, slow and obvious (model.h).
 *
 * It shares no code with src/lab or src/core and is built the other way round: there are no tags, tables or
 * stations here, only the list of instructions in program order, with the cycles in which each was fetched,
 * decoded, renamed, started, ended, broadcast and written. Every rule is a question to that list ("is
 * there a younger writer of this register before me, and has it broadcast before this cycle?"). Programs
 * reach the laboratory as text. Final registers and memory are compared with a sequential run. */
#include "model.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const op_names[OPS] = {"ADD", "SUB", "MUL", "DIV", "AND", "SEQ", "LD", "ST", "BEQ", "BNE", "DECBNZ", "J"};
static const int op_unit[OPS] = {U_ADD,  U_ADD,   U_MUL,    U_DIV,    U_MOVE,   U_ADD,
                                 U_LOAD, U_STORE, U_BRANCH, U_BRANCH, U_BRANCH, U_BRANCH};
static const char *const unit_name[UNITS] = {"add", "mul", "div", "move", "load", "store", "branch"};

int model_writes(const struct code *c) {
    return c->op == STORE || c->op == BEQ || c->op == BNE || c->op == JUMP ? -1 : c->op == COUNT ? c->a : c->d;
}
static int is_branch(const struct code *c) { return op_unit[c->op] == U_BRANCH; }
static const struct code *code_of(const struct world *w, int i) { return &w->code[w->list[i].pc]; }

/* --- sources: the youngest older writer, else the register's first value */

static int writer_before(const struct world *w, int i, int reg) {
    for (int k = i - 1; k >= 0; k--)
        if (model_writes(code_of(w, k)) == reg) return k;
    return -1;
}
static int known(const struct world *w, int i, int reg, long t) {
    int k = reg < 0 ? -1 : writer_before(w, i, reg);
    return k < 0 || (w->list[k].b && w->list[k].b < t);
}
static long value_of(const struct world *w, int i, int reg, long imm) {
    if (reg < 0) return imm;
    int k = writer_before(w, i, reg);
    return k < 0 ? w->reg[reg] : w->list[k].value;
}

/* Its address and data, or whatever it reads, are there at the start of cycle t */
static int has_operands(const struct world *w, int i, long t) {
    const struct code *c = code_of(w, i);
    int op = c->op;
    return known(w, i, op == JUMP ? -1 : c->a, t) && known(w, i, op == JUMP || op == LOAD || op == COUNT ? -1 : c->b, t);
}
static long address_of(const struct world *w, int i) { return code_of(w, i)->off + value_of(w, i, code_of(w, i)->a, 0); }

/* --- starting */

/* As in the GPU core: a store is the last of those before it that is not done; its address is known when it
 * has its operands, and loads ask for no more */
static int core_memory_lets(const struct world *w, int i, long t) {
    const struct live *l = &w->list[i];
    for (int k = 0; k < i; k++) {
        bool store = code_of(w, k)->op == STORE;
        if (code_of(w, i)->op == STORE && (!w->list[k].b || w->list[k].b >= t)) return 0;
        if (code_of(w, i)->op == LOAD && store && w->m->memory == 0 && !has_operands(w, k, t)) return 0;
    }
    return w->m->memory != 2 || l->waits_for < 0 || has_operands(w, l->waits_for, t);
}

static int memory_lets(const struct world *w, int i, long t) {
    const struct live *l = &w->list[i];
    int op = code_of(w, i)->op;
    if (op != LOAD && op != STORE) return 1;
    if (w->m->core_memory) return core_memory_lets(w, i, t);
    if (w->m->memory == 0) {
        for (int k = 0; k < i && op == LOAD; k++)
            if (code_of(w, k)->op == STORE && (!w->list[k].x || w->list[k].x >= t)) return 0;
        return 1;
    }
    if (w->m->memory == 2 && l->waits_for >= 0) return w->list[l->waits_for].x && w->list[l->waits_for].x < t;
    return 1;
}

/* Units and stations that an instruction shares with others; the core has one sort for loads and stores */
static int unit_of(const struct world *w, int i) {
    int unit = op_unit[code_of(w, i)->op];
    return w->m->core_memory && unit == U_STORE ? U_LOAD : unit;
}

static int unit_free(const struct world *w, int unit, long t) {
    int busy = 0, core = w->m->core_memory && unit == U_LOAD;
    for (int k = 0; k < w->count; k++)
        if (unit_of(w, k) == unit && w->list[k].e) busy += w->m->pipelined || core ? w->list[k].e == t : w->list[k].x >= t;
    return busy < (core ? 1 : w->m->units);
}

/* The core: from a store that has not started, and has its operands, at once; from one that has, through
 * memory. Else: from one that has executed, at once, until it is written */
static long latency_from(const struct world *w, int store, long t) {
    const struct live *s = &w->list[store];
    if (w->m->core_memory) return s->e ? w->m->latency[U_LOAD] : has_operands(w, store, t) ? w->m->forward : 0;
    if (!s->x || s->x >= t) return 0;
    return s->w ? w->m->latency[U_LOAD] : w->m->forward;
}

static long load(struct world *w, int i, long t) {
    struct live *l = &w->list[i];
    l->source = -1;
    for (int k = i - 1; k >= 0; k--) {
        long latency = code_of(w, k)->op == STORE ? latency_from(w, k, t) : 0;
        if (!latency || address_of(w, k) != l->address) continue;
        l->value = value_of(w, k, code_of(w, k)->b, 0);
        l->source = k;
        return latency;
    }
    if (l->address < 0 || l->address >= 4096) l->fault = 1;
    else l->value = l->address < WORDS ? w->mem[l->address] : 0;
    return w->m->latency[U_LOAD];
}

static void start(struct world *w, int i, long t) {
    const struct code *c = code_of(w, i);
    struct live *l = &w->list[i];
    long a = value_of(w, i, c->a, 0), b = value_of(w, i, c->b, c->imm), lat = w->m->latency[op_unit[c->op]];
    switch (c->op) {
    case ADD: l->value = (long)((unsigned long)a + (unsigned long)b); break;
    case SUB: l->value = (long)((unsigned long)a - (unsigned long)b); break;
    case MUL: l->value = (long)((unsigned long)a * (unsigned long)b); break;
    case AND: l->value = a & b; break;
    case SEQ: l->value = a == b; break;
    case DIV:
        l->fault = b == 0;
        l->value = b == 0 ? 0 : b == -1 ? (long)(0 - (unsigned long)a) : a / b;
        break;
    case LOAD:
        l->address = address_of(w, i);
        lat = load(w, i, t);
        break;
    case STORE:
        l->address = address_of(w, i);
        l->value = b;
        l->fault = l->address < 0 || l->address >= 4096;
        break;
    case BEQ: l->taken = a == b; break;
    case BNE: l->taken = a != b; break;
    case COUNT:
        l->value = a - 1;
        l->taken = a != 1;
        break;
    default: l->taken = 1;
    }
    l->e = t;
    l->x = t + lat - 1;
}

static void start_all(struct world *w, long t) {
    int started = 0;
    for (int i = 0; i < w->count && (!w->m->issue || started < w->m->issue); i++) {
        const struct live *l = &w->list[i];
        if (!l->r || l->r >= t || l->e || !has_operands(w, i, t)) continue;
        if (memory_lets(w, i, t) && unit_free(w, unit_of(w, i), t)) start(w, i, t), started++;
    }
}

static void broadcast_all(struct world *w, long t) {
    int used = 0;
    for (int i = 0; i < w->count; i++) {
        struct live *l = &w->list[i];
        if (!l->x || l->x > t || l->b) continue;
        if (model_writes(code_of(w, i)) < 0) l->b = l->x;
        else if (l->x + w->m->late <= t && (!w->m->buses || used < w->m->buses)) l->b = t, used++;
    }
}

/* 0: a fault has come to the head */
static int retire_all(struct world *w, long t) {
    int n = 0;
    for (int i = 0; i < w->count && n < w->m->retire; i++) {
        struct live *l = &w->list[i];
        if (l->w) continue;
        long done = l->b && model_writes(code_of(w, i)) >= 0 && w->m->late ? l->b - 1 : l->b;
        if (!l->b || done + w->m->r_stage >= t) return 1;
        if (l->fault) {
            w->fault_at = t;
            return 0;
        }
        l->w = t;
        w->last = t;
        n++;
    }
    return 1;
}

/* --- the front */

static int stations_taken(const struct world *w, int unit, long t) {
    int n = 0;
    for (int k = 0; k < w->count; k++) n += unit_of(w, k) == unit && w->list[k].r && (!w->list[k].b || w->list[k].b >= t);
    return n;
}
static int entries_taken(const struct world *w, long t) {
    int n = 0;
    for (int k = 0; k < w->count; k++) n += w->list[k].r && (!w->list[k].w || w->list[k].w >= t);
    return n;
}

static void rename_one(struct world *w, int i, long t) {
    struct live *l = &w->list[i];
    int op = code_of(w, i)->op;
    l->r = t;
    l->set = op == LOAD || op == STORE ? w->set_of[l->pc % w->m->sets] : -1;
    l->waits_for = -1;
    for (int k = 0; k < i && l->set >= 0; k++) {
        bool there = w->m->core_memory ? has_operands(w, k, t + 1) : w->list[k].x != 0;
        if (code_of(w, k)->op == STORE && w->list[k].set == l->set && !there) l->waits_for = k;
    }
}

static void decode(struct world *w, long t) {
    int in_d = 0, n = 0;
    for (int i = 0; i < w->count; i++) in_d += w->list[i].d && !w->list[i].r;
    for (int i = 0; i < w->count && in_d < w->m->width; i++)
        if (!w->list[i].d) w->list[i].d = t, in_d++;
    for (int i = 0; i < w->count && n < w->m->width; i++) {
        int unit = unit_of(w, i);
        if (!w->list[i].d || w->list[i].r) continue;
        if (stations_taken(w, unit, t) >= w->m->stations[unit] || entries_taken(w, t) >= w->m->entries) return;
        rename_one(w, i, t);
        n++;
    }
}

static void fetch(struct world *w, long t) {
    int in_f = 0;
    for (int i = 0; i < w->count; i++) in_f += !w->list[i].d;
    for (; in_f < w->m->width && t >= w->fetch_at && !w->stalled && w->pc < w->n && w->count < LIST; in_f++) {
        const struct code *c = &w->code[w->pc];
        int taken = is_branch(c) && (c->op == JUMP || w->m->predict == 2), next = taken ? c->target : w->pc + 1;
        w->list[w->count++] = (struct live){.pc = w->pc, .next = next, .set = -1, .waits_for = -1, .source = -1, .f = t};
        w->pc = next;
        w->stalled = is_branch(c) && w->m->predict == 0;
    }
}

/* --- mistakes: the oldest instruction that must go, and why */

static int wrong_load(const struct world *w, int store, long t) {
    for (int i = store + 1; i < w->count; i++) {
        const struct live *l = &w->list[i];
        if (code_of(w, i)->op == LOAD && l->e && l->e <= t && l->address == address_of(w, store) && l->source < store) return i;
    }
    return LIST;
}

/* Younger loads learn the address of a store in this cycle */
static int tells(struct world *w, int i, long t) {
    struct live *l = &w->list[i];
    if (code_of(w, i)->op != STORE || !w->m->memory) return 0;
    if (!w->m->core_memory) return l->x == t;
    if (l->told || !l->r || !has_operands(w, i, t + 1)) return 0;
    l->told = 1;
    return 1;
}

static void resolve(struct world *w, long t) {
    int from = LIST, pc = 0, by = -1;
    for (int i = 0; i < w->count; i++) {
        const struct code *c = code_of(w, i);
        const struct live *l = &w->list[i];
        int store = tells(w, i, t);
        if (!store && (l->x != t || !is_branch(c))) continue;
        int next = l->taken ? c->target : l->pc + 1;
        if (is_branch(c) && w->m->predict == 0) {
            w->stalled = 0;
            w->pc = next;
            w->fetch_at = t + 1;
        } else if (is_branch(c) && next != l->next && i + 1 <= from) {
            from = i + 1;
            pc = next;
            by = -1;
        } else if (store && wrong_load(w, i, t) < from) {
            from = wrong_load(w, i, t);
            pc = w->list[from].pc;
            by = i;
        }
    }
    if (from == LIST) return;
    w->mistakes++;
    if (by >= 0 && w->m->memory == 2) {
        int *s = &w->set_of[w->list[by].pc % w->m->sets], *l = &w->set_of[w->list[from].pc % w->m->sets];
        int set = *s < 0 && *l < 0 ? w->list[by].pc % w->m->sets : *s < 0 ? *l : *l < 0 ? *s : *s < *l ? *s : *l;
        *s = *l = set;
    }
    w->count = from < w->count ? from : w->count;
    w->pc = pc;
    w->fetch_at = t + 1;
    w->stalled = 0;
}

static int all_written(const struct world *w) {
    for (int i = 0; i < w->count; i++)
        if (!w->list[i].w) return 0;
    return w->pc >= w->n && !w->stalled;
}

bool model_run(struct world *w) {
    for (int i = 0; i < 64; i++) w->set_of[i] = -1;
    for (long t = 1; t < 20000 && !all_written(w); t++) {
        start_all(w, t);
        broadcast_all(w, t);
        if (!retire_all(w, t)) return true;
        decode(w, t);
        fetch(w, t);
        resolve(w, t);
        if (w->count == LIST) return false;
    }
    return true;
}

/* --- random programs */

u64 seed;
int pick(int n) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((seed >> 33) % (u64)n);
}

/* R0-R7 hold data, R8-R10 addresses from 0 to 7, R12 counts the loop */
static struct code random_inst(int i, int n, int faults) {
    struct code c = {.d = pick(8), .a = pick(8), .b = pick(3) ? pick(8) : -1, .imm = pick(9) - 2, .target = -1};
    int what = pick(faults ? 23 : 20);
    c.op = what < 5    ? ADD
           : what < 6  ? SUB
           : what < 8  ? MUL
           : what < 10 ? AND
           : what < 14 ? LOAD
           : what < 18 ? STORE
           : what < 20 ? BEQ + pick(2)
                       : DIV;
    if (c.op == AND) c.d = 8 + pick(3), c.b = -1, c.imm = pick(2) ? 7 : 3;
    if (c.op == LOAD || c.op == STORE) {
        if (c.op == STORE) c.b = pick(8), c.d = -1;
        c.a = pick(4) ? 8 + pick(3) : -1;
        c.off = pick(6);
    }
    if (is_branch(&c)) c.d = -1, c.target = i + 1 + pick(n - i < 5 ? n - i : 5);
    return c;
}

int random_program(struct code *code, int faults) {
    int n = 4 + pick(CODE - 6), back = pick(3) ? pick(n) : -1;
    for (int i = 0; i < n; i++) code[i] = random_inst(i, n, faults);
    if (back >= 0) code[n++] = (struct code){.op = COUNT, .d = -1, .a = 12, .b = -1, .target = back};
    if (pick(4) == 0) {
        code[n] = (struct code){.op = JUMP, .d = -1, .a = -1, .b = -1, .target = n + 1};
        n++;
    }
    return n;
}

static void put_operand(struct strbuf *s, int reg, long imm) {
    if (reg >= 0) strbuf_add(s, "R%d", reg);
    else strbuf_add(s, "%ld", imm);
}

static void put_inst(struct strbuf *s, const struct code *c, int i) {
    strbuf_add(s, "L%d: %s ", i, op_names[c->op]);
    if (c->op == STORE) {
        if (c->a >= 0) strbuf_add(s, "[R%d+%ld] <- R%d", c->a, c->off, c->b);
        else strbuf_add(s, "[%ld] <- R%d", c->off, c->b);
    } else if (c->op == LOAD) {
        if (c->a >= 0) strbuf_add(s, "R%d <- MEM[R%d + %ld]", c->d, c->a, c->off);
        else strbuf_add(s, "R%d <- [%ld]", c->d, c->off);
    } else if (c->op == COUNT) {
        strbuf_add(s, "--R%d, L%d", c->a, c->target);
    } else if (c->op == JUMP) {
        strbuf_add(s, "L%d", c->target);
    } else {
        if (is_branch(c)) strbuf_add(s, "R%d, ", c->a);
        else strbuf_add(s, "R%d <- R%d, ", c->d, c->a);
        put_operand(s, c->b, c->imm);
        if (is_branch(c)) strbuf_add(s, ", L%d", c->target);
    }
    strbuf_add(s, "\n");
}

static char *program_text(const struct world *w) {
    struct strbuf s = {0};
    for (int i = 0; i < REGS; i++) strbuf_add(&s, ".reg R%d %ld\n", i, w->reg[i]);
    strbuf_add(&s, ".data M");
    for (int i = 0; i < DATA; i++) strbuf_add(&s, " %ld", w->mem[i]);
    strbuf_add(&s, "\n");
    for (int i = 0; i < w->n; i++) put_inst(&s, &w->code[i], i);
    strbuf_add(&s, "L%d:\n", w->n);
    return s.s;
}

struct machine random_machine(void) {
    struct machine m = {.width = 1 + pick(3),
                        .units = 1 + pick(2),
                        .pipelined = pick(4) != 0,
                        .buses = pick(3),
                        .late = pick(4) == 0,
                        .entries = 2 + pick(20),
                        .retire = 1 + pick(3),
                        .r_stage = pick(3) == 0,
                        .memory = pick(3),
                        .predict = pick(3),
                        .sets = pick(2) ? 64 : 4,
                        .forward = 1 + pick(3)};
    for (int i = 0; i < UNITS; i++) m.latency[i] = 1 + pick(i == U_LOAD ? 9 : 6), m.stations[i] = 1 + pick(4);
    m.issue = pick(2) ? 1 + pick(4) : 0;
    m.core_memory = pick(3) == 0;
    return m;
}

void set_key(i64 *key, const char *name, const char *value) {
    struct diag d = {0};
    if (!lab_keys_set(&lab_rob, key, name, value, &d, NULL, 0)) fail_msg("%s", d.text.s);
}
void set_number(i64 *key, const char *name, int value) {
    char text[16];
    snprintf(text, sizeof(text), "%d", value);
    set_key(key, name, text);
}

i64 *model_keys(const struct machine *m) {
    static const char *const orders[] = {"conservative", "aggressive", "predicted"}, *const predicts[] = {"stall", "not_taken",
                                                                                                          "taken"};
    i64 *key = lab_keys_new(&lab_rob);
    char name[32];
    for (int i = 0; i < UNITS; i++) {
        snprintf(name, sizeof(name), "%s.latency", unit_name[i]);
        set_number(key, name, m->latency[i]);
        snprintf(name, sizeof(name), "%s.stations", unit_name[i]);
        set_number(key, name, m->stations[i]);
    }
    set_number(key, "width", m->width);
    set_number(key, "units", m->units);
    set_key(key, "pipelined", m->pipelined ? "on" : "off");
    set_number(key, "buses", m->buses);
    set_key(key, "broadcast", m->late ? "write" : "last_e");
    set_number(key, "rob.entries", m->entries);
    set_number(key, "retire.width", m->retire);
    set_key(key, "stages", m->r_stage ? "fderw" : "fdew");
    set_key(key, "memory.order", orders[m->memory]);
    set_key(key, "predict", predicts[m->predict]);
    set_number(key, "memory.storesets", m->sets);
    set_number(key, "memory.forward", m->forward);
    set_number(key, "issue.width", m->issue);
    set_key(key, "memory.model", m->core_memory ? "core" : "lecture");
    return key;
}

/* --- the sequential machine: registers and memory after the program, or up to its fault */

bool model_sequential(const struct world *w, long *reg, long *mem) {
    struct world s = *w;
    struct machine one = *w->m;
    memcpy(reg, w->reg, sizeof(w->reg));
    memcpy(mem, w->mem, sizeof(w->mem));
    for (int pc = 0, steps = 0; pc < w->n && steps < 100000; steps++) {
        const struct code *c = &w->code[pc];
        s.m = &one;
        s.count = 1;
        s.list[0] = (struct live){.pc = pc, .source = -1};
        memcpy(s.reg, reg, sizeof(s.reg));
        memcpy(s.mem, mem, sizeof(s.mem));
        start(&s, 0, 1);
        const struct live *l = &s.list[0];
        if (l->fault) return false;
        if (model_writes(c) >= 0) reg[model_writes(c)] = l->value;
        if (c->op == STORE) mem[l->address] = l->value;
        pc = l->taken ? c->target : pc + 1;
    }
    return true;
}

/* --- comparing */

u32 model_seen(const struct lab_run *r, struct seen *out) {
    static bool gone[100000];
    static int place[100000];
    u32 n = 0;
    memset(gone, 0, r->rows.n);
    for (u32 i = 0; i < r->squashed.n; i++) gone[r->squashed.at[i]] = true;
    for (u32 i = 0; i < r->rows.n; i++) {
        place[i] = gone[i] ? -1 : (int)n;
        if (!gone[i]) out[n++] = (struct seen){0};
    }
    for (u32 i = 0; i < r->spans.n; i++) {
        const struct lab_span *s = &r->spans.at[i];
        if (place[s->row] < 0) continue;
        struct seen *o = &out[place[s->row]];
        if (s->stage == 'F') o->f = s->from;
        if (s->stage == 'D') o->d = s->from;
        if (s->stage == 'E') o->e = s->from, o->x = s->to;
        if (s->stage == 'W') o->w = s->from;
    }
    return n;
}

void differ(const struct world *w, const i64 *key, u64 number, const char *what) {
    char *text = program_text(w);
    print_message("program %llu: %s\n%s", (unsigned long long)number, what, text);
    lab_keys_print(&lab_rob, key, stderr);
    free(text);
    fail();
}

void compare_times(const struct world *w, const struct lab_run *r, const i64 *key, u64 number) {
    static struct seen seen[100000];
    u32 n = model_seen(r, seen), written = 0;
    char what[160];
    for (int i = 0; i < w->count; i++) written += w->list[i].w != 0;
    if (w->fault_at ? r->fault == NULL : n != (u32)w->count) {
        snprintf(what, sizeof(what), "the laboratory has %u instructions, the model %d", n, w->count);
        differ(w, key, number, what);
    }
    for (u32 i = 0; i < (w->fault_at ? written : n); i++) {
        const struct live *l = &w->list[i];
        const struct seen *s = &seen[i];
        if (l->f == s->f && l->d == s->d && l->e == s->e && l->x == s->x && l->w == s->w) continue;
        snprintf(what, sizeof(what), "instruction %u, pc %d: F D E-E W laboratory %ld %ld %ld-%ld %ld, model %ld %ld %ld-%ld %ld",
                 i, l->pc, s->f, s->d, s->e, s->x, s->w, l->f, l->d, l->e, l->x, l->w);
        differ(w, key, number, what);
    }
    if (r->cycles != (u32)(w->fault_at ? w->fault_at : w->last)) differ(w, key, number, "other cycles in all");
}

void compare_state(const struct world *w, const struct lab_run *r, const i64 *key, u64 number) {
    long reg[REGS], mem[4096] = {0};
    bool ends = model_sequential(w, reg, mem);
    if (ends != (r->fault == NULL)) differ(w, key, number, "one faults and the other does not");
    for (int i = 0; i < REGS; i++)
        if (reg[i] != r->st.reg[i]) differ(w, key, number, "other registers than the sequential machine");
    for (int i = 0; i < WORDS; i++)
        if (mem[i] != r->st.words[i]) differ(w, key, number, "another memory than the sequential machine");
}

struct lab_program *model_assemble(const struct world *w) {
    struct diag d = {0};
    char *text = program_text(w);
    struct lab_program *p = lab_assemble("random.s", text, strlen(text), &d);
    if (!p) fail_msg("%s\n%s", d.text.s, text);
    free(text);
    return p;
}
