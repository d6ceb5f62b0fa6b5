/* The GPU core with sm.order = rob and warps of one thread, against the laboratory's reorder buffer and the
 * second model (model.c): dispatch, issue, completion and retirement of every instruction of random
 * programs, to the cycle. Each program runs three times: as text of the laboratory, as the model's list,
 * and as PTX, line by line, on a machine whose units, latencies, stations, buses and widths are set to the
 * same numbers.
 *
 * What the machines do not have in common is left out of the comparison of cycles: R stages, faults, and
 * programs in which something is thrown away (a load that was too early, a branch that was guessed wrong).
 * The laboratory fetches again all that is younger; the core, which executes in program order, repeats only
 * those that used the value, and fetches nothing from wrong paths. Of these programs the core's loads are
 * held against a sequential memory: each has its value, in time, from the store that wrote its address last
 * before it.
 *
 * Memory: byte address A of the core is word A of the laboratory, and a multiple of 32, so that each word
 * has a line of its own. A fetch takes one cycle. Straight code is always there; where there are branches
 * an instruction is fetched at a time, into a buffer for one, so that nothing is fetched behind a branch
 * that is waited for, and the width is 1.
 *
 * LAB_PROGRAMS in the environment: how many programs, 1500 if not set. */
#include "../micro/micro.h"
#include "model.h"

enum { BASE = 11, COUNTER = 12, OFFSET0 = 13, TRUTH = 15, MAX_CODE = 40, LINE = 32 };

static struct code code[MAX_CODE + 8];
static struct world world;

/* --- random programs: R0 to R7 are data, R8 to R10 addresses (BASE and an offset), R13 and R14 offsets, R15
 * what branches ask for, a predicate in PTX */

enum kind { STRAIGHT, MEMORY, LOOP, GUESSED, KINDS };

static struct code arithmetic(void) {
    struct code c = {.d = pick(8), .a = pick(8), .b = pick(3) ? pick(8) : -1, .imm = pick(9) - 2, .target = -1};
    int what = pick(10);
    c.op = what < 5 ? ADD : what < 6 ? SUB : what < 9 ? MUL : AND;
    return c;
}

static struct code address_part(void) {
    if (pick(2)) return (struct code){.op = ADD, .d = 8 + pick(3), .a = BASE, .b = OFFSET0 + pick(2), .target = -1};
    return (struct code){
        .op = AND, .d = OFFSET0 + pick(2), .a = pick(8), .b = -1, .imm = pick(2) ? LINE : 3 * LINE, .target = -1};
}

static struct code access(void) {
    struct code c = {.a = pick(4) ? 8 + pick(3) : BASE, .off = LINE * pick(2), .b = -1, .d = -1, .target = -1};
    c.op = pick(2) ? LOAD : STORE;
    *(c.op == LOAD ? &c.d : &c.b) = pick(8);
    return c;
}

static struct code any_inst(enum kind kind, int i, int n) {
    int what = pick(20);
    if (kind != STRAIGHT && what < 7) return access();
    if (kind != STRAIGHT && what < 10) return address_part();
    if (what < 12) return (struct code){.op = SEQ, .d = TRUTH, .a = pick(8), .b = pick(8), .target = -1};
    if (kind >= LOOP && what < 15 && i + 1 < n) { /* not to the next: whether it is taken would not show */
        struct code c = {.op = pick(4) ? BNE + (pick(3) == 0 ? BEQ - BNE : 0) : JUMP, .d = -1, .a = TRUTH, .b = -1};
        c.target = i + 2 + pick(n - i < 6 ? n - i - 1 : 5);
        return c;
    }
    return arithmetic();
}

static int new_code(enum kind kind) {
    int n = 4 + pick(MAX_CODE - 6), back = kind == LOOP && pick(2) ? pick(n) : -1;
    for (int i = 0; i < n; i++) code[i] = any_inst(kind, i, n);
    if (back < 0) return n;
    code[n++] = (struct code){.op = SUB, .d = COUNTER, .a = COUNTER, .b = -1, .imm = 1, .target = -1};
    code[n++] = (struct code){.op = SEQ, .d = TRUTH, .a = COUNTER, .b = -1, .imm = 0, .target = -1};
    code[n++] = (struct code){.op = BEQ, .d = -1, .a = TRUTH, .b = -1, .imm = 0, .target = back};
    return n;
}

static long first_value(int reg) {
    if (reg >= 8 && reg < BASE) return LINE * pick(3);
    if (reg == OFFSET0 || reg == OFFSET0 + 1) return LINE * pick(3);
    return reg == BASE ? 0 : reg == TRUTH ? pick(2) : reg == COUNTER ? 1 + pick(4) : pick(4000) - 300;
}

static void new_world(const struct machine *m, enum kind kind) {
    memset(&world, 0, sizeof(world));
    world.code = code;
    world.m = m;
    world.n = new_code(kind);
    for (int i = 0; i < REGS; i++) world.reg[i] = first_value(i);
    world.mem[0] = pick(4000);
}

/* A machine that the core can be: one number of stations, integers that take two cycles at least, loads
 * three */
static struct machine new_machine(enum kind kind) {
    struct machine m = random_machine();
    int stations = 1 + pick(4);
    for (int u = 0; u < UNITS; u++) m.stations[u] = stations, m.latency[u] = 2 + pick(6);
    m.latency[U_LOAD] = 3 + pick(9);
    m.latency[U_STORE] = 1;
    m.latency[U_BRANCH] = 1 + pick(5);
    m.r_stage = 0, m.core_memory = 1;
    m.issue = 1 + pick(4);
    m.predict = kind == GUESSED;
    if (kind != STRAIGHT) m.late = 0;
    if (kind >= LOOP) m.width = 1;
    if (kind == GUESSED) m.issue = m.pipelined = 1; /* the core's branches need no unit */
    return m;
}

/* --- as PTX */

static void put_second(struct strbuf *s, const struct code *c) {
    if (c->b >= 0) strbuf_add(s, "%%rd%d", c->b);
    else strbuf_add(s, "%ld", c->imm);
}

static void put_line(struct strbuf *s, const struct code *c, int i) {
    static const char *const names[OPS] = {[ADD] = "add.s64", [SUB] = "sub.s64", [MUL] = "mul.lo.s64", [AND] = "and.b64"};
    strbuf_add(s, "L%d: ", i);
    switch (c->op) {
    case LOAD: strbuf_add(s, "ld.global.u64 %%rd%d, [%%rd%d+%ld]", c->d, c->a, c->off); break;
    case STORE: strbuf_add(s, "st.global.u64 [%%rd%d+%ld], %%rd%d", c->a, c->off, c->b); break;
    case SEQ: strbuf_add(s, "setp.eq.s64 %%p1, %%rd%d, ", c->a), put_second(s, c); break;
    case BEQ: strbuf_add(s, "@!%%p1 bra L%d", c->target); break;
    case BNE: strbuf_add(s, "@%%p1 bra L%d", c->target); break;
    case JUMP: strbuf_add(s, "bra L%d", c->target); break;
    default: strbuf_add(s, "%s %%rd%d, %%rd%d, ", names[c->op], c->d, c->a), put_second(s, c);
    }
    strbuf_add(s, "; // B%d\n", i);
}

enum { REGISTERS_AT = 4096 }; /* of out: where registers are left */

static char *body_text(void) {
    struct strbuf s = {0};
    strbuf_add(&s, "ld.param.u64 %%rd%d, [out];\n", BASE);
    for (int i = 0; i < REGS; i++) {
        if (i == BASE || i == TRUTH) continue;
        strbuf_add(&s, i >= 8 && i < BASE ? "add.s64 %%rd%d, %%rd11, %ld;\n" : "mov.u64 %%rd%d, %ld;\n", i, world.reg[i]);
    }
    strbuf_add(&s, "setp.eq.s64 %%p1, %%rd%d, %d;\nbar.sync 0;\n", COUNTER, world.reg[TRUTH] ? (int)world.reg[COUNTER] : -1);
    for (int i = 0; i < world.n; i++) put_line(&s, &world.code[i], i);
    strbuf_add(&s, "L%d: bar.sync 0;\nselp.u64 %%rd%d, 1, 0, %%p1;\nld.param.u64 %%rd20, [out];\n", world.n, TRUTH);
    strbuf_add(&s, "sub.s64 %%rd8, %%rd8, %%rd20;\nsub.s64 %%rd9, %%rd9, %%rd20;\nsub.s64 %%rd10, %%rd10, %%rd20;\n");
    for (int i = 0; i < REGS; i++)
        if (i != BASE) strbuf_add(&s, "st.global.u64 [%%rd20+%d], %%rd%d;\n", REGISTERS_AT + 8 * i, i);
    return s.s;
}

static void run_core(const struct machine *m, enum kind kind) {
    static const char *const orders[] = {"conservative", "aggressive", "predicted"};
    char *body = body_text();
    int pace_add = m->pipelined ? 1 : m->latency[U_ADD], pace_mul = m->pipelined ? 1 : m->latency[U_MUL],
        pace_move = m->pipelined ? 1 : m->latency[U_MOVE];
    i64 first = world.mem[0];
    RUN(.body = body, .threads = 1, .front = true, .init = &first, .init_b = sizeof(first),
        .keys = {"sm.order=rob",
                 "sm.warp_size=1",
                 "sm.fetch.decode_cy=0",
                 "sm.icache.latency_cy=1",
                 "sm.icache.ideal=1",
                 "sm.inst_b=1",
                 "sm.operands.ideal=1",
                 "gpu.perfect_memory=1",
                 "sm.lsu.agu_cy=1",
                 "sm.l1.sector_b=32",
                 "l2.line_b=32",
                 "sm.l1.line_b=32",
                 "sm.class.int.unit=int",
                 "sm.class.pred.unit=int",
                 "sm.class.imul.unit=alu",
                 "sm.class.logic.unit=sfu",
                 kind >= LOOP ? "sm.fetch.insts=1" : "sm.fetch.insts=16",
                 kind >= LOOP ? "sm.ibuffer=1" : "sm.ibuffer=64",
                 text("order.dispatch_width=%d", m->width),
                 text("sm.class.int.latency_cy=%d", m->latency[U_ADD]),
                 text("sm.class.pred.latency_cy=%d", m->latency[U_ADD]),
                 text("sm.class.imul.latency_cy=%d", m->latency[U_MUL]),
                 text("sm.class.logic.latency_cy=%d", m->latency[U_MOVE]),
                 text("sm.class.int.interval_cy=%d", pace_add),
                 text("sm.class.pred.interval_cy=%d", pace_add),
                 text("sm.class.imul.interval_cy=%d", pace_mul),
                 text("sm.class.logic.interval_cy=%d", pace_move),
                 text("sm.int.units=%d", m->units),
                 text("sm.alu.units=%d", m->units),
                 text("sm.sfu.units=%d", m->units),
                 text("sm.issue_width=%d", m->issue),
                 text("sm.l1.latency_cy=%d", m->latency[U_LOAD]),
                 text("sm.branch_cy=%d", m->latency[U_BRANCH]),
                 text("order.window=%d", m->entries),
                 text("order.stations=%d", m->stations[0]),
                 text("order.buses=%d", m->buses),
                 text("order.broadcast_cy=%d", m->late),
                 text("order.retire_width=%d", m->retire),
                 text("order.memory=%s", orders[m->memory]),
                 text("order.forward_cy=%d", m->forward),
                 m->predict ? "order.speculate=static" : "order.speculate=never"});
    free(body);
}

/* --- what the core did, instruction by instruction */

struct did {
    u64 uid;
    int pc;
    long dispatched, issued, ready, retired, accessed; /* cycles; the last of each kind */
    u64 given_by;                                      /* uid of the store that its value came from at once; 0 */
};
static struct did did[LIST];
static int ndid;

static struct did *find_did(u64 uid) {
    for (int i = 0; i < ndid; i++)
        if (did[i].uid == uid) return &did[i];
    return NULL;
}

static void note_event(const struct event *e) {
    struct did *d = e->uid ? find_did(e->uid) : NULL;
    if (!d) return;
    long at = (long)e->cycle;
    if (e->kind == EV_ISSUE) d->issued = at;
    if (e->kind == EV_READY) d->ready = at;
    if (e->kind == EV_RETIRE) d->retired = at;
    if (e->kind == EV_ACCESS) d->accessed = at, d->given_by = e->cause == ACCESS_FORWARD ? e->a : 0;
}

static void collect(void) {
    i32 first = pc_of("B0");
    ndid = 0;
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_WINDOW || e->pc < first || e->pc >= first + world.n) continue;
        assert_true(ndid < LIST);
        did[ndid++] = (struct did){.uid = e->uid, .pc = e->pc - first, .dispatched = (long)e->cycle};
    }
    for (u32 i = 0; i < ran.events.n; i++) note_event(&ran.events.at[i]);
}

/* The first is dispatched in the laboratory's cycle 2. A result is complete in the cycle after its
 * broadcast, or with a late one in that cycle. */
static void compare_core(const i64 *key, u64 number) {
    long zero = did[0].dispatched - 2;
    char what[240];
    if (ndid != world.count) differ(&world, key, number, "the core has another number of instructions");
    for (int i = 0; i < ndid; i++) {
        const struct live *l = &world.list[i];
        const struct did *d = &did[i];
        long ready = l->b + (world.m->late && model_writes(&code[l->pc]) >= 0 ? 0 : 1);
        if (d->pc == l->pc && d->dispatched - zero == l->r && d->issued - zero == l->e && d->ready - zero == ready &&
            d->retired - zero == l->w)
            continue;
        snprintf(
            what, sizeof(what),
            "instruction %d, pc %d: dispatch, issue, completion, retirement core %ld %ld %ld %ld (pc %d), model %ld %ld %ld %ld",
            i, l->pc, d->dispatched - zero, d->issued - zero, d->ready - zero, d->retired - zero, d->pc, l->r, l->e, ready, l->w);
        differ(&world, key, number, what);
    }
}

/* --- a sequential memory */

static void compare_values(const i64 *key, u64 number) {
    static long reg[REGS], mem[4096];
    u64 word;
    memset(mem, 0, sizeof(mem));
    assert_true(model_sequential(&world, reg, mem));
    for (int a = 0; a < WORDS; a += LINE) {
        micro_read((u64)a, &word, sizeof(word));
        if ((long)word != mem[a]) differ(&world, key, number, "the core leaves another memory than the sequential machine");
    }
    for (int i = 0; i < REGS; i++) {
        if (i == BASE) continue;
        micro_read(REGISTERS_AT + 8u * (u32)i, &word, sizeof(word));
        if ((long)word != reg[i]) differ(&world, key, number, "the core leaves other registers than the sequential machine");
    }
}

/* By the sequential machine: addresses of the instructions as they ran */
static void addresses(long *address) {
    static long reg[REGS], mem[4096];
    memcpy(reg, world.reg, sizeof(reg));
    memset(mem, 0, sizeof(mem));
    mem[0] = world.mem[0];
    for (int i = 0; i < ndid; i++) {
        const struct code *c = &code[did[i].pc];
        long a = c->a >= 0 ? reg[c->a] : 0, b = c->b >= 0 ? reg[c->b] : c->imm;
        address[i] = c->op == LOAD || c->op == STORE ? a + c->off : -1;
        switch (c->op) {
        case ADD: reg[c->d] = (long)((u64)a + (u64)b); break;
        case SUB: reg[c->d] = (long)((u64)a - (u64)b); break;
        case MUL: reg[c->d] = (long)((u64)a * (u64)b); break;
        case AND: reg[c->d] = a & b; break;
        case SEQ: reg[c->d] = a == b; break;
        case LOAD: reg[c->d] = mem[address[i]]; break;
        case STORE: mem[address[i]] = b; break;
        default: break;
        }
    }
}

/* In time too, a load has the value of the last store to its address before it: it was given that one's at
 * once, or came to memory after it and before every later store */
static void compare_sources(const i64 *key, u64 number) {
    static long address[LIST];
    addresses(address);
    for (int i = 0; i < ndid; i++) {
        int last = -1;
        bool wrong = false;
        if (code[did[i].pc].op != LOAD) continue;
        for (int k = 0; k < ndid; k++) {
            if (code[did[k].pc].op != STORE || address[k] != address[i]) continue;
            if (k < i) last = k;
            wrong |= !did[i].given_by && (k < i) != (did[k].accessed < did[i].accessed);
        }
        wrong |= did[i].given_by && (last < 0 || did[last].uid != did[i].given_by);
        if (wrong) differ(&world, key, number, "a load of the core has its value from the wrong store");
    }
}

/* --- the test */

static u32 compared, thrown, given;

static void one_program(u64 number) {
    seed = number * 104729 + 11;
    enum kind kind = (enum kind)(number % KINDS);
    struct machine m = new_machine(kind);
    new_world(&m, kind);
    struct lab_program *p = model_assemble(&world);
    i64 *key = model_keys(&m);
    struct lab_run r;
    struct diag d = {0};
    struct lab_wish wish = {.max_cycles = 50000};
    assert_true(lab_run(&r, &lab_rob, p, key, &wish, &d));
    if (model_run(&world)) {
        compare_times(&world, &r, key, number);
        compare_state(&world, &r, key, number);
        run_core(&m, kind);
        collect();
        if (world.mistakes) thrown++;
        else compare_core(key, number), compared++;
        compare_values(key, number);
        compare_sources(key, number);
        for (int i = 0; i < ndid; i++) given += did[i].given_by != 0;
    }
    lab_run_free(&r);
    free(key);
    lab_program_free(p);
}

static void test_three_ways(void **state) {
    (void)state;
    const char *most = getenv("LAB_PROGRAMS");
    u32 n = most && *most ? (u32)atoi(most) : 1500;
    for (u64 number = 0; compared < n; number++) one_program(number);
    print_message("# %u programs to the cycle, %u more in which something was thrown away; %u loads had values of stores\n",
                  compared, thrown, given);
    assert_true(thrown > n / 20 && given > n / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_three_ways)};
    return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
