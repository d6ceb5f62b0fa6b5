/* Random Vortex programs, of 2021 and of v3, under every mechanism of divergence: warps start others,
 * twice, and switch their lanes on and off where they are together, in functions too; there those of v3
 * vote, shuffle, and arrive at barriers that they wait at later. In between lanes go different ways through
 * ifs, loops of different length and functions that return from several places, and warps different ones by
 * calls through pointers. The first warp starts the others a second time while they end, or go round a loop
 * and are ended by that. Each thread's result depends on its own way, and on those of the lanes it votes and
 * shuffles with, so all mechanisms leave the memory that a run without time leaves.
 *
 * s0 warps of the core, tp a barrier's phase, s1 the thread's number, s2 its result, s3 to s6 counters of
 * loops by depth, s7 to s9 return addresses by depth; t3 to t6 are those of the loop that may be cut
 * short. */
#include "rv_rig.h"

#include <stdarg.h>

enum { PROGRAMS = 300, DEPTH = 3, FUNCTIONS = 4 };

struct writer {
    u64 state;
    enum rv_variant variant;
    u32 labels;
    struct strbuf text;
};

static u32 rnd(struct writer *x, u32 n) { /* 0 to n - 1 */
    x->state = x->state * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(x->state >> 33) % n;
}

static void say(struct writer *x, const char *form, ...) {
    char line[256];
    va_list at;
    va_start(at, form);
    vsnprintf(line, sizeof(line), form, at);
    va_end(at);
    strbuf_add(&x->text, "%s;", line);
}

static u32 csr_warp(const struct writer *x) { return x->variant == RV_V3 ? 0xCC1 : 0xCC3; }
static u32 csr_thread(const struct writer *x) { return x->variant == RV_V3 ? 0xF14 : 0xCC2; }

static void compute(struct writer *x) {
    say(x, "slli t0, s2, %u; add s2, s2, t0; addi s2, s2, %u", 1 + rnd(x, 5), rnd(x, 1000));
    if (rnd(x, 4) == 0) say(x, "sw s2, 0(s10); addi t0, zero, %u; lw t2, 0(s10); add s2, t2, t0", rnd(x, 9));
}

static void body(struct writer *x, u32 depth, u32 function);

static void go_back(struct writer *x, u32 function) { say(x, "addi ra, s%u, 0; jalr zero, 0(ra)", 7 + function % 2); }

static void choice(struct writer *x, u32 depth, u32 function) {
    u32 at = x->labels++;
    say(x, "srli t0, s2, %u; andi t0, t0, %u; b%s t0, zero, o%u", rnd(x, 4), 1 + rnd(x, 3), rnd(x, 2) ? "eq" : "ne", at);
    body(x, depth + 1, function);
    if (function < FUNCTIONS && rnd(x, 3) == 0) go_back(x, function); /* from here, too */
    else say(x, "jal zero, e%u", at);
    say(x, "o%u: addi s2, s2, 1", at);
    if (rnd(x, 2)) body(x, depth + 1, function);
    say(x, "e%u: addi s2, s2, 2", at);
}

static void turns(struct writer *x, u32 depth, u32 function) {
    u32 at = x->labels++;
    say(x, "andi s%u, s2, %u; l%u: addi s2, s2, 3", 3 + depth, 1 + rnd(x, 3), at);
    body(x, depth + 1, function);
    say(x, "addi s%u, s%u, -1; bge s%u, zero, l%u", 3 + depth, 3 + depth, 3 + depth, at);
}

/* Functions of even number call those of odd number, which call nobody */
static void call(struct writer *x, u32 function) {
    u32 at = x->labels++;
    if (function < FUNCTIONS && function % 2) return;
    u32 odd = function < FUNCTIONS;
    if (rnd(x, 2)) say(x, "jal ra, f%u", odd ? 1 + 2 * rnd(x, 2) : rnd(x, FUNCTIONS));
    else
        say(x,
            "la t1, f%u; la t2, f%u; csrrs t0, 0x%x, zero; andi t0, t0, 1; beq t0, zero, g%u; addi t1, t2, 0; g%u: jalr ra, "
            "0(t1)",
            odd ? 1 : 0, odd ? 3 : 2, csr_warp(x), at, at);
}

static void body(struct writer *x, u32 depth, u32 function) {
    compute(x);
    if (depth >= DEPTH) return;
    switch (rnd(x, 5)) {
    case 0:
    case 1: choice(x, depth, function); break;
    case 2: /* a function's loops have registers of their own: those of depths that its callers leave */
        if (function == FUNCTIONS) turns(x, depth, function);
        break;
    case 3: call(x, function); break;
    default: break;
    }
}

/* A lane that was off has the registers it had, and its number */
static void switch_lanes(struct writer *x, i32 mask) {
    say(x,
        "addi t0, zero, %d; vx_tmc t0; csrrs s0, 0xFC1, zero; csrrs s1, 0x%x, zero; slli s10, s1, 2; li t0, 0x80008100; add "
        "s10, s10, t0",
        mask, csr_thread(x));
}

/* Lanes where a bit holds stay on; where it holds for none all do, and in v3 those that were off come, too */
static void predicate(struct writer *x) {
    const char *pred = x->variant == RV_V3 ? "addi t1, zero, -1; vx_pred t0, t1" : ".word 0x0012806b"; /* pred t0 */
    say(x, "srli t0, s2, 1; andi t0, t0, 1; %s", pred);
    if (x->variant == RV_V3) switch_lanes(x, (i32)(1 + rnd(x, 15)));
}

/* What v3 has beside; false: 2021 has not */
static bool across_lanes(struct writer *x) {
    static const char *const votes[] = {"all", "any", "uni", "ballot"}, *const shuffles[] = {"up", "down", "bfly", "idx"};
    if (x->variant != RV_V3) return false;
    u32 id = 2 + rnd(x, 2), which = rnd(x, 4);
    switch (rnd(x, 3)) {
    case 0: say(x, "andi t0, s2, 1; vx_vote_%s t1, t0; add s2, s2, t1", votes[which]); break;
    case 1: say(x, "li t0, 0x%x; vx_shfl_%s t1, s2, t0; add s2, s2, t1", rnd(x, 4) | 31u << 6, shuffles[which]); break;
    default:
        say(x, "addi t0, zero, %u; vx_bar_arrive tp, t0, s0", id);
        body(x, 0, FUNCTIONS);
        say(x, "addi t0, zero, %u; vx_bar_wait t0, tp", id);
    }
    return true;
}

/* What the warp does where its lanes are together */
static void together(struct writer *x) {
    if (rnd(x, 2) && across_lanes(x)) return;
    switch (rnd(x, 6)) {
    case 0: switch_lanes(x, (i32)(1 + rnd(x, 15))); break;
    case 1: switch_lanes(x, -1); break;
    case 2: predicate(x); break;
    case 3: say(x, "vx_bar zero, s0"); break;
    case 4: say(x, "jal ra, all"); break;
    default: call(x, FUNCTIONS); break;
    }
}

static void phase(struct writer *x, u32 n) {
    say(x, "csrrs s0, 0xFC1, zero; la t1, work%u; vx_wspawn s0, t1; work%u: addi s2, zero, 0", n, n);
    switch_lanes(x, (i32)(1 + rnd(x, 15)));
    say(x, "addi s2, s1, %u", rnd(x, 100));
    for (u32 i = 0; i < 5; i++) body(x, 0, FUNCTIONS), together(x);
    switch_lanes(x, -1);
    say(x, "slli t0, s1, 2; li t1, 0x%x; add t1, t1, t0; sw s2, 0(t1); addi t0, zero, 1; vx_bar t0, s0", OUT + 0x80 * n);
}

static void function(struct writer *x, u32 f) {
    say(x, "f%u: addi s%u, ra, 0", f, 7 + f % 2);
    body(x, 1, f);
    go_back(x, f);
}

/* Lanes part in it, and leave it one after the other */
static void turns_until_ended(struct writer *x) {
    say(x, "csrrs t3, 0xCC0, zero; addi t3, t3, %u; addi t4, s1, %u", rnd(x, 60), rnd(x, 9));
    say(x, "spin: addi t4, t4, 3; lw t5, 0(s10); add t5, t5, t4; andi t6, t4, %u; beq t6, zero, same", 1 + rnd(x, 3));
    say(x, "addi t4, t4, 5; jal ra, twice; same: addi t3, t3, -1; bge t3, zero, spin");
}

static void program(struct writer *x) {
    phase(x, 0);
    say(x, "csrrs t0, 0x%x, zero; beq t0, zero, first", csr_warp(x));
    if (rnd(x, 2)) turns_until_ended(x);
    say(x, "vx_tmc zero; first: addi t0, zero, 1; vx_tmc t0");
    phase(x, 1);
    say(x, "vx_tmc zero; all: addi s9, ra, 0");
    switch_lanes(x, -1);
    body(x, 1, FUNCTIONS);
    say(x, "addi ra, s9, 0; jalr zero, 0(ra)");
    for (u32 f = 0; f < FUNCTIONS; f++) function(x, f);
    say(x, "twice: slli t6, t4, 1; jalr zero, 0(ra)");
}

/* What has little room, or moves threads: splits, gangs, places and positions are found anew all the time */
static const struct {
    const char *mechanism, *keys;
} tight[] = {
    {"dws", "dws.table=1"},
    {"dws", "dws.table=2 gpu.perfect_memory=true"},
    {"vws", "vws.slice=1 vws.gang=inelastic"},
    {"vws", "vws.slice=1 vws.control=all vws.memory=group vws.gangs=1 vws.front=warps"},
    {"dwf", "dwf.conflict=move sm.alu.width=2"},
    {"dwf", "dwf.lanes=free dwf.pool=1"},
    {"dwf", "dwf.policy=sched dwf.pool=2 dwf.permute=xor"},
    {"tbc", "tbc.form_cy=3 sm.issue_width=2"},
    {"lwm", "lwm.warps=3"},
};

static void random_programs(void **state) {
    (void)state;
    for (u32 seed = 0; seed < PROGRAMS; seed++) {
        struct writer x = {.state = seed * 7919u + 1, .variant = seed % 4 ? RV_2021 : RV_V3};
        program(&x);
        print_message("program %u\n", seed);
        struct machine m = {x.variant, RV_IPDOM, 1, 2 + seed % 3, 4, NULL, NULL};
        struct rig r = good(x.text.s, m);
        for (u32 i = seed % 2; i < ARRAY_LEN(tight); i += 2) { /* half of them each time */
            m.mechanism = tight[i].mechanism, m.keys = tight[i].keys;
            good_timed(x.text.s, m, TIMED, &r);
        }
        strbuf_free(&x.text);
    }
}

/* Lanes of the first warp part again and again, in places whose numbers are those of warps that one of them
 * starts meanwhile. These begin sm.branch_cy after they are started: a look at a front in such a place, which
 * may be part of another's parting, does not begin them. Reading the clock takes as long. */
static void warps_begin_when_they_are_started(void **state) {
    (void)state;
    enum { BRANCH_CY = 60 };
    const struct machine m = {RV_2021, RV_IPDOM, 1, 4, 4, "dwf", "sm.branch_cy=60"};
    struct writer x = {0};
    say(&x, "addi t0, zero, -1; vx_tmc t0; csrrs s1, 0xCC2, zero; addi s3, zero, 20; li s5, 0x%x; bne s1, zero, turn", OUT);
    say(&x, "addi t0, zero, 4; wait: addi t0, t0, -1; bge t0, zero, wait; addi t0, zero, 3; la t1, work");
    say(&x, "csrrs s4, 0xC00, zero; vx_wspawn t0, t1; sw s4, 0(s5); jal zero, done");
    say(&x, "turn: andi t0, s1, 1; beq t0, zero, even; addi s2, s2, 1; even: addi s3, s3, -1; bge s3, zero, turn");
    say(&x, "done: vx_tmc zero; work: csrrs s4, 0xC00, zero; csrrs t0, 0xCC3, zero; slli t0, t0, 2; li s5, 0x%x", OUT);
    say(&x, "add s5, s5, t0; sw s4, 0(s5); vx_tmc zero");
    struct rig r = play(x.text.s, m, TIMED);
    if (r.rc) fail_msg("%s", r.message);
    assert_int_equal(r.violations, 0);
    for (u32 w = 1; w < 3; w++)
        if (r.mem[w] < r.mem[0] + 2 * BRANCH_CY) fail_msg("warp %u begins %u cycles later", w, r.mem[w] - r.mem[0]);
    strbuf_free(&x.text);
}

/* Warps that are started anew while those that they were wait for a barrier that has opened do not wait for
 * it */
static void warps_begin_without_former_barriers(void **state) {
    (void)state;
    static const char *const mechanisms[] = {"pdom", "dwf", "tbc", "lwm", "vws"};
    struct writer x = {0};
    say(&x, "addi t0, zero, 3; la t1, first; vx_wspawn t0, t1; addi t0, zero, 5; wait: addi t0, t0, -1; bge t0, zero, wait");
    say(&x, "addi t0, zero, 3; la t1, work; csrrs s4, 0xC00, zero; vx_wspawn t0, t1; li s5, 0x%x; sw s4, 0(s5); vx_tmc zero",
        OUT);
    say(&x, "first: addi t2, zero, 1; addi t3, zero, 2; vx_bar t2, t3; vx_tmc zero");
    say(&x, "work: csrrs s4, 0xC00, zero; csrrs t0, 0xCC3, zero; slli t0, t0, 2; li s5, 0x%x", OUT);
    say(&x, "add s5, s5, t0; sw s4, 0(s5); vx_tmc zero");
    for (u32 i = 0; i < ARRAY_LEN(mechanisms); i++) {
        struct rig r = play(x.text.s, (struct machine){RV_2021, RV_IPDOM, 1, 4, 4, mechanisms[i], "sm.barrier_cy=250"}, TIMED);
        if (r.rc || r.violations) fail_msg("%s: %s%s", mechanisms[i], r.message, r.audit);
        for (u32 w = 1; w < 3; w++)
            if (r.mem[w] > r.mem[0] + 50) fail_msg("%s: warp %u begins %u cycles later", mechanisms[i], w, r.mem[w] - r.mem[0]);
    }
    strbuf_free(&x.text);
}

/* Warps of squads are started anew while their lanes are in several entries, of which some never had the lane
 * that is on now. Invariants are looked at every few cycles, here in each of those around it. */
static void squads_of_warps_that_start_anew(void **state) {
    (void)state;
    static const char *const keys[][2] = {{"lwm", "lwm.warps=1"}, {"lwm", "lwm.warps=3"}, {"tbc", NULL}};
    for (u32 n = 0; n < 30; n++) {
        struct writer x = {0};
        say(&x, "csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1; addi t0, zero, 100; wait: addi t0, t0, -1");
        say(&x, "bge t0, zero, wait; la t1, done");
        for (u32 i = 0; i < n; i++) say(&x, "addi t5, t%u, 1", 5 + i % 2);
        say(&x, "vx_wspawn s0, t1; done: vx_tmc zero; work: addi t0, zero, -1; vx_tmc t0; csrrs t2, 0xCC0, zero");
        say(&x, "andi t2, t2, 1; bne t2, zero, odd; even: jal zero, even; odd: jal zero, odd");
        for (u32 i = 0; i < ARRAY_LEN(keys); i++) {
            struct rig r = play(x.text.s, (struct machine){RV_2021, RV_IPDOM, 1, 4, 4, keys[i][0], keys[i][1]}, TIMED);
            if (r.rc || r.violations) fail_msg("%s: %s%s", keys[i][0], r.message, r.audit);
        }
        strbuf_free(&x.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squads_of_warps_that_start_anew),
        cmocka_unit_test(warps_begin_when_they_are_started),
        cmocka_unit_test(warps_begin_without_former_barriers),
        cmocka_unit_test(random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
