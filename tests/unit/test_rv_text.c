/* Does a program that changes its own text run what it has written after fence.i, on every machine, and take
 * the time of what it runs? */
#include "rv_play.h"

/* All lanes of all warps of both cores go round a loop with the instruction at `patch`. Warp 0 of core 0
 * replaces it, and raises a flag in memory; who sees it executes fence.i, and runs the loop once more. What
 * that leaves in s5 is stored. */
static char *loop_with(u32 before, u32 after) {
    static char text[2048];
    snprintf(
        text, sizeof(text),
        "csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1;"
        "work: addi t0, zero, -1; vx_tmc t0; csrrs s1, 0xCC2, zero; csrrs s2, 0xF14, zero; li s3, 0x80008200;"
        "slli t0, s1, 2; add s7, s3, t0; addi t1, s1, 100; sw t1, 0(s7); addi s4, zero, 0; addi s6, zero, 0; addi s5, zero, 3;"
        "fcvt.s.w f1, s5; addi s9, zero, 12;"
        "loop: sw s4, 256(s7); patch: .word 0x%x; lw t2, 256(s7); mul t3, s5, t2; addi s4, s4, 1; bne s6, zero, out;"
        "bne s2, zero, look; beq s4, s9, rewrite;"
        "look: lw t2, 1024(s3); beq t2, zero, loop;"
        "again: fence.i; addi s6, zero, 1; addi s5, zero, 3; sw t1, 0(s7); jal zero, loop;"
        "rewrite: la t0, patch; li t2, 0x%x; sw t2, 0(t0); fence.i; fence; addi t2, zero, 1; sw t2, 1024(s3); jal zero, again;"
        "out: li t0, 0x80008000; slli t1, s1, 2; add t0, t0, t1; sw s5, 0(t0); vx_tmc zero",
        before, after);
    return text;
}

static u32 word_of(const char *line) {
    static struct rv_asm a;
    if (strcmp(line, "beq zero, zero, .+8") == 0) return 0x00000463;
    if (strcmp(line, "jal s5, .+4") == 0) return 0x00400aef;
    asm_program(&a, line, RV_2021);
    return a.words[0];
}

static const struct {
    const char *to;
    u32 base, by_hart; /* s5 of hart n behind it, from 3: base + by_hart * n */
} kinds[] = {
    {"addi s5, s5, 1", 4, 0},       {"mul s5, s5, s5", 9, 0},          {"div s5, s9, s5", 4, 0},
    {"lw s5, 0(s7)", 100, 1},       {"sw s5, 512(s7)", 3, 0},          {"fcvt.w.s s5, f1", 3, 0},
    {"fdiv.s f2, f1, f1", 3, 0},    {"csrrs s5, 0xCC2, zero", 0, 1},   {"beq zero, zero, .+8", 3, 0},
    {"jal s5, .+4", 0x80000054, 0}, {"amoadd.w s5, s6, (s7)", 100, 1}, {"fence", 3, 0},
};

static void try_kinds(u32 from, u32 to, const char *machine, const char *keys, bool timed) {
    struct played r = play(loop_with(word_of(kinds[from].to), word_of(kinds[to].to)), machine, keys, timed);
    if (r.rc) fail_msg("%s, then %s: %s, %s: %s", kinds[from].to, kinds[to].to, machine, keys, r.message);
    for (u32 n = 0; n < HARTS; n++)
        if (r.mem[n] != kinds[to].base + n * kinds[to].by_hart)
            fail_msg("%s, then %s: %s, %s: hart %u has %u", kinds[from].to, kinds[to].to, machine, keys, n, r.mem[n]);
}

/* One instruction becomes another while it, and others, are under way. The pairs are such that each kind is
 * before and after the change on every machine. */
static void every_kind(void **state) {
    u32 n = ARRAY_LEN(kinds);
    (void)state;
    for (u32 to = 0; to < n; to++) {
        for (u32 ipdom = 0; ipdom < 2; ipdom++) {
            const char *diverge = ipdom ? "isa.vortex.diverge=ipdom" : "isa.vortex.diverge=split";
            try_kinds((to + 1) % n, to, "vortex2021", diverge, false);
            for (u32 m = 0; m < ARRAY_LEN(machines); m++) {
                char keys[256];
                if (machines[m].apart && !ipdom) continue;
                snprintf(keys, sizeof(keys), "%s %s", diverge, machines[m].keys);
                try_kinds((to + 1 + m) % n, to, machines[m].name, keys, true);
            }
        }
    }
}

/* Lanes part at a branch that was none when the program was loaded, in a function with two returns; a tail
 * shows whether they have met: apart they would go through it twice */
static char *branch_with(u32 before) {
    static char text[2048];
    snprintf(text, sizeof(text),
             "addi t0, zero, -1; vx_tmc t0; csrrs s1, 0xCC0, zero; addi s2, zero, 2; addi s5, zero, 0;"
             "la t0, patch; la t3, beyond; lw t1, 0(t3); sw t1, 0(t0); fence.i; beq s1, s1, go; beyond: .word 0x0124c663; go: "
             "jal ra, f;"
             "addi s5, s5, 1; addi s5, s5, 1; addi s5, s5, 1; addi s5, s5, 1; addi s5, s5, 1; addi s5, s5, 1; addi s5, s5, 1;"
             "csrrs s6, 0xCC5, zero; slli s6, s6, 4; slli t0, s1, 2; add t0, t0, s6; li t1, 0x80008000; add t0, t0, t1;"
             "sw s5, 0(t0); vx_tmc zero;"
             "f: patch: .word 0x%x; addi s5, s5, 100; jalr zero, 0(ra); addi s5, s5, 200; jalr zero, 0(ra)",
             before);
    return text;
}

static void new_branches_meet(void **state) {
    static const u32 nop = 0x13, blt = 0x0124c663; /* blt s1, s2, .+12, which stands at `beyond`, too */
    (void)state;
    for (u32 m = 0; m <= ARRAY_LEN(machines); m++) {
        bool timed = m < ARRAY_LEN(machines);
        char keys[256];
        snprintf(keys, sizeof(keys), "isa.vortex.diverge=ipdom %s", timed ? machines[m].keys : "");
        const char *machine = timed ? machines[m].name : "vortex2021";
        struct played was = play(branch_with(blt), machine, keys, timed), r = play(branch_with(nop), machine, keys, timed);
        if (r.rc || was.rc) fail_msg("%s, %s: %s%s", machine, keys, r.message, was.message);
        for (u32 n = 0; n < 4; n++)
            if (r.mem[n] != (n < 2 ? 207u : 107u)) fail_msg("%s, %s: lane %u has %u", machine, keys, n, r.mem[n]);
        if (r.instructions != was.instructions)
            fail_msg("%s, %s: %llu instructions, and %llu where the branch was there before", machine, keys,
                     (unsigned long long)r.instructions, (unsigned long long)was.instructions);
    }
}

/* Two hundred times an instruction that was another when the program was loaded; t2 is a word's address */
static char *turns_with(u32 before, u32 after) {
    static char text[1024];
    snprintf(text, sizeof(text),
             "addi s4, zero, 200; li t2, 0x80008000; sw t2, 0(t2); la t0, patch; li t1, 0x%x; sw t1, 0(t0); fence.i;"
             "loop: patch: .word 0x%x; addi s4, s4, -1; bne s4, zero, loop; vx_tmc zero",
             after, before);
    return text;
}

static void new_text_has_its_time(void **state) {
    u32 fast = word_of("addi t2, t2, 0");
    (void)state;
    for (u32 m = 0; m < ARRAY_LEN(machines); m++) {
        u32 slow = word_of(strcmp(machines[m].name, "vortex2021") == 0 ? "div t2, t2, t2" : "amoadd.w s5, zero, (t2)");
        const char *name = machines[m].name;
        char keys[256];
        snprintf(keys, sizeof(keys), "isa.vortex.diverge=ipdom %s", machines[m].keys);
        u64 fast_cy = play(turns_with(fast, fast), name, keys, true).cycles;
        u64 slow_cy = play(turns_with(slow, slow), name, keys, true).cycles;
        u64 cy = play(turns_with(fast, slow), name, keys, true).cycles;
        if (slow_cy < fast_cy + 1000 || cy < slow_cy || cy > slow_cy + 600) /* text is fetched again, from memory */
            fail_msg("%s, %s: %llu cycles fast, %llu slow, %llu where fast became slow", name, keys, (unsigned long long)fast_cy,
                     (unsigned long long)slow_cy, (unsigned long long)cy);
    }
}

/* What is written and not meant for it is a fault where it is run, and the message shows what stands there */
static void new_text_can_be_wrong(void **state) {
    (void)state;
    for (u32 timed = 0; timed < 2; timed++) {
        struct played r =
            play("la t0, patch; sw zero, 0(t0); fence.i; patch: addi t0, t0, 1; vx_tmc zero", "vortex2021", "gpu.sms=1", timed);
        assert_int_equal(r.rc, HEDDLE_FAULT);
        if (!strstr(r.message,
                    "illegal instruction 0x00000000\n  core 0, warp 0, lane 0\n  at p.bin: pc 0x80000010: .word 0x00000000"))
            fail_msg("%s", r.message);
    }
}

/* fence.i replaces itself, and its warp is the only one that is there */
static void fence_becomes_another(void **state) {
    (void)state;
    for (u32 m = 0; m < ARRAY_LEN(machines); m++) {
        char keys[256];
        snprintf(keys, sizeof(keys), "isa.vortex.diverge=ipdom %s", machines[m].keys);
        struct played r = play("li s3, 0x80008000; addi s5, zero, 0; addi s4, zero, 0; la t0, patch; li t1, 0x00cb0b13;"
                               "again: sw t1, 0(t0); patch: fence.i; addi s4, s4, 1; addi t2, zero, 2; bne s4, t2, again;"
                               "sw s6, 0(s3); sw s4, 4(s3); vx_tmc zero",
                               machines[m].name, keys, true);
        if (r.rc || r.mem[0] != 12 || r.mem[1] != 2) fail_msg("%s: %u %u %s", keys, r.mem[0], r.mem[1], r.message);
    }
}

/* What a launch has written and fenced is the text of the next one */
static void the_next_launch_has_it(void **state) {
    static const char text[] = "csrrs t0, 0xCC5, zero; bne t0, zero, end; li s3, 0x80008000; patch: addi s5, zero, 1; sw s5, "
                               "0(s3); la t0, patch; li t1, 0x00200a93;"
                               "sw t1, 0(t0); fence.i; end: vx_tmc zero";
    (void)state;
    assert_int_equal(word_of("addi s5, zero, 2"), 0x00200a93);
    for (u32 timed = 0; timed < 2; timed++)
        for (u32 launches = 1; launches <= 3; launches++) {
            struct played r = play_launches(text, "vortex2021", "isa.vortex.diverge=ipdom", timed, launches);
            if (r.rc || r.mem[0] != MIN(launches, 2)) fail_msg("%u launches: %u %s", launches, r.mem[0], r.message);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(new_branches_meet),
        cmocka_unit_test(new_text_has_its_time),
        cmocka_unit_test(new_text_can_be_wrong),
        cmocka_unit_test(fence_becomes_another),
        cmocka_unit_test(the_next_launch_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
