/* Do loads and stores at any address (isa.riscv.misaligned = allow) move the bytes they name, with time and
 * without, and take the time of all that they touch? */
#include "rv_play.h"

/* Every hart has bytes from `base` + 61 times its number on: at another offset in words and lines than its
 * neighbours. It writes n of them one by one, reads words and halves from all places, writes some at all
 * places over one another, and stores a sum of all it read. */
enum { STRIDE = 61, PLACES = 29, BYTES = PLACES + 4 };

static char *sums(const char *base, u32 numbered_by) {
    static char text[2048];
    snprintf(text, sizeof(text),
             "csrrs s0, 0xFC1, zero; la t1, work; vx_wspawn s0, t1;"
             "work: addi t0, zero, -1; vx_tmc t0; csrrs s1, 0xCC2, zero; csrrs s2, 0x%x, zero; li s3, %s; addi t0, zero, 61;"
             "mul t0, t0, s2; add s3, s3, t0; addi t0, zero, 0; addi t1, zero, 37; mul t1, t1, s1; addi s9, zero, 33;"
             "bytes: add t2, s3, t0; sb t1, 0(t2); addi t1, t1, 11; addi t0, t0, 1; bne t0, s9, bytes;"
             "addi s5, zero, 0; addi s8, zero, 31; addi t0, zero, 0; addi s9, zero, 29;"
             "loads: add t2, s3, t0; lw t3, 0(t2); mul s5, s5, s8; add s5, s5, t3; lh t3, 0(t2); mul s5, s5, s8; add s5, s5, t3;"
             "lhu t3, 1(t2); mul s5, s5, s8; add s5, s5, t3; flw f1, 0(t2); fmv.x.w t3, f1; add s5, s5, t3; addi t0, t0, 1;"
             "bne t0, s9, loads;"
             "addi t0, zero, 0;"
             "stores: add t2, s3, t0; sw s5, 0(t2); mul s5, s5, s8; sh s5, 1(t2); fmv.w.x f1, s5; addi s5, s5, 5; fsw f1, 0(t2);"
             "addi t0, t0, 3; blt t0, s9, stores;"
             "addi t0, zero, 0; addi s9, zero, 33;"
             "look: add t2, s3, t0; lbu t3, 0(t2); mul s5, s5, s8; add s5, s5, t3; addi t0, t0, 1; bne t0, s9, look;"
             "li t0, 0x80008000; slli t1, s1, 2; add t0, t0, t1; sw s5, 0(t0); vx_tmc zero",
             numbered_by, base);
    return text;
}

static u32 word_at(const u8 *p, u32 bytes) {
    u32 v = 0;
    memcpy(&v, p, bytes);
    return v;
}

/* The same in C */
static u32 sum_of(u32 hart) {
    u8 b[BYTES];
    u32 s = 0;
    for (u32 i = 0; i < BYTES; i++) b[i] = (u8)(hart * 37 + i * 11);
    for (u32 i = 0; i < PLACES; i++) {
        s = s * 31 + word_at(b + i, 4);
        s = s * 31 + (u32)(i32)(i16)word_at(b + i, 2);
        s = s * 31 + word_at(b + i + 1, 2);
        s += word_at(b + i, 4);
    }
    for (u32 i = 0; i < PLACES; i += 3) {
        memcpy(b + i, &s, 4);
        s *= 31;
        memcpy(b + i + 1, &s, 2);
        memcpy(b + i, &s, 4);
        s += 5;
    }
    for (u32 i = 0; i < BYTES; i++) s = s * 31 + b[i];
    return s;
}

static void every_byte_is_where_it_belongs(void **state) {
    static const struct {
        const char *base;
        u32 numbered_by;                                         /* CSR: hart in the machine, or thread in its core */
    } places[] = {{"0x80008203", 0xCC2}, {"0xFEFFC402", 0xCC1}}; /* global memory, and the core's shared memory */
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(places); i++)
        for (u32 ipdom = 0; ipdom < 2; ipdom++)
            for (u32 m = 0; m <= ARRAY_LEN(machines); m++) {
                bool timed = m < ARRAY_LEN(machines);
                const char *machine = timed ? machines[m].name : "vortex2021";
                char keys[256];
                if (timed && machines[m].apart && !ipdom) continue;
                snprintf(keys, sizeof(keys), "isa.riscv.misaligned=allow isa.vortex.diverge=%s %s", ipdom ? "ipdom" : "split",
                         timed ? machines[m].keys : "");
                struct played r = play(sums(places[i].base, places[i].numbered_by), machine, keys, timed);
                if (r.rc) fail_msg("%s, %s: %s", machine, keys, r.message);
                for (u32 n = 0; n < HARTS; n++)
                    if (r.mem[n] != sum_of(n))
                        fail_msg("%s, %s, %s: hart %u has 0x%x, not 0x%x", places[i].base, machine, keys, n, r.mem[n], sum_of(n));
            }
}

/* One access of one thread, twice: the second time its text, and what it loads, are in the caches. A branch
 * waits for it. */
static struct played one_access(const char *access, const char *at, const char *machine, const char *keys) {
    char text[256], all[256];
    snprintf(text, sizeof(text),
             "csrrs t0, 0xCC5, zero; bne t0, zero, end; li t1, %s; addi t4, zero, 2;"
             "turn: %s; bne t3, t3, end; fence; addi t4, t4, -1; bne t4, zero, turn; end: vx_tmc zero",
             at, access);
    snprintf(all, sizeof(all), "isa.riscv.misaligned=allow %s", keys);
    struct played r = play(text, machine, all, true);
    if (r.rc) fail_msg("%s %s: %s", access, at, r.message);
    return r;
}

/* Two lines, or words, where an access lies in two */
static void what_lies_in_two_takes_two(void **state) {
    static const char *const accesses[] = {"lw t3, 0(t1)", "sw t3, 0(t1)", "flw f1, 0(t1); fmv.x.w t3, f1"};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(accesses); i++)
        for (u32 m = 0; m < ARRAY_LEN(machines); m++) {
            const char *name = machines[m].name, *keys = machines[m].keys;
            bool vortex = strcmp(name, "vortex2021") == 0; /* which has words, not lines */
            if (machines[m].apart) continue;
            struct played within = one_access(accesses[i], "0x80008204", name, keys),
                          odd = one_access(accesses[i], vortex ? "0x80008208" : "0x80008209", name, keys),
                          across = one_access(accesses[i], "0x8000827e", name, keys);
            if (within.line_accesses != 2 || odd.line_accesses != 2 || across.line_accesses != 4)
                fail_msg("%s, %s: %s makes %g, %g and %g accesses", name, keys, accesses[i], within.line_accesses,
                         odd.line_accesses, across.line_accesses);
            if (odd.cycles != within.cycles) fail_msg("%s, %s: %s takes longer within a line", name, keys, accesses[i]);
            if (across.cycles <= within.cycles)
                fail_msg("%s, %s: %s takes %llu cycles within a line, %llu across two", name, keys, accesses[i],
                         (unsigned long long)within.cycles, (unsigned long long)across.cycles);
        }
}

/* Shared memory gives a thread one word a cycle: one more in each of the two turns */
static void two_words_of_shared_memory_take_two_cycles(void **state) {
    (void)state;
    for (u32 m = 0; m < ARRAY_LEN(machines); m++) {
        const char *name = machines[m].name, *keys = machines[m].keys;
        if (machines[m].apart) continue;
        u64 half = one_access("lhu t3, 0(t1)", "0xFEFFC401", name, keys).cycles,
            aligned = one_access("lw t3, 0(t1)", "0xFEFFC400", name, keys).cycles,
            two = one_access("lw t3, 0(t1)", "0xFEFFC401", name, keys).cycles;
        bool again = strstr(keys, "replay"); /* it comes back for the second word */
        if (half != aligned || (again ? two <= aligned + 2 : two != aligned + 2))
            fail_msg("%s, %s: %llu cycles, %llu in the middle of a word, %llu in two", name, keys, (unsigned long long)aligned,
                     (unsigned long long)half, (unsigned long long)two);
    }
}

/* What is a fault: by default all; where misaligned accesses are allowed atomics, devices, and what reaches
 * beyond its memory */
static void faults(void **state) {
    static const struct {
        const char *keys, *text, *want;
    } rows[] = {
        {"", "li t1, 0x80008002; lw t3, 0(t1)",
         "fault: load of 4 bytes at global address 0x80008002, which is not a multiple of 4"},
        {"", "li t1, 0x80008001; sh t3, 0(t1)",
         "fault: store of 2 bytes at global address 0x80008001, which is not a multiple of 2"},
        {"isa.riscv.misaligned=allow", "li t1, 0x80008002; amoadd.w t3, t1, (t1)", "0x80008002, which is not a multiple of 4"},
        {"isa.riscv.misaligned=allow", "li t1, 0x80008002; lr.w t3, (t1)", "0x80008002, which is not a multiple of 4"},
        {"isa.riscv.misaligned=allow", "li t1, 0x80008002; sc.w t3, t1, (t1)", "0x80008002, which is not a multiple of 4"},
        {"isa.riscv.misaligned=allow", "li t1, 0xFFFFFFC2; sw t1, 0(t1)", "0xffffffc2, which is not a multiple of 4"},
        {"isa.riscv.misaligned=allow", "addi t1, zero, 2; lw t3, 0(t1)", "fault: load of 4 bytes at global address 0x2"},
        {"isa.riscv.misaligned=allow", "li t1, 0x7FFFFFFE; lw t3, 0(t1)", "fault: load of 4 bytes at global address 0x7ffffffe"},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        for (u32 timed = 0; timed < 2; timed++) {
            struct played r = play(rows[i].text, "vortex2021", rows[i].keys, timed);
            if (r.rc != HEDDLE_FAULT || !strstr(r.message, rows[i].want))
                fail_msg("%s, %s: %d %s", rows[i].keys, rows[i].text, r.rc, r.message);
        }
}

/* A store that begins in the word before ends a reservation, too */
static void stores_end_reservations(void **state) {
    (void)state;
    for (u32 timed = 0; timed < 2; timed++)
        for (u32 at = 0; at < 8; at++) {
            char text[512];
            snprintf(
                text, sizeof(text),
                "csrrs t0, 0xCC5, zero; bne t0, zero, end; li s3, 0x80008000; li s4, 0x80008200; li t1, 0x%x; addi t4, zero, 1;"
                "addi s5, s4, 8; lr.w t3, (s5); sw zero, 0(t1); sc.w t3, t4, (s5); sw t3, 0(s3); end: vx_tmc zero",
                0x80008200 + at);
            struct played r = play(text, "vortex2021", "isa.riscv.misaligned=allow", timed);
            assert_int_equal(r.rc, 0);
            assert_int_equal(r.mem[0], at > 4); /* from there on it touches the word at 8 */
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_where_it_belongs),
        cmocka_unit_test(what_lies_in_two_takes_two),
        cmocka_unit_test(two_words_of_shared_memory_take_two_cycles),
        cmocka_unit_test(faults),
        cmocka_unit_test(stores_end_reservations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
