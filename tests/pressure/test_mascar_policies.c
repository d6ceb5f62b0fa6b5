/* Scheduling under memory pressure: when does Mascar change its mode and its owner, does CCWS throttle what
 * thrashes and nothing else, does OWL prefer a group? */
#include "../micro/micro.h"
#include "core/sched_policy.h"

#undef skip

/* --- the policy without a core */

struct sm { /* what Mascar sees */
    struct config cfg;
    struct sched_sm v;
    struct sm_stats stats;
    u64 age[MAX_SLOTS], block[MAX_SLOTS];
    void *shared;
};

static void sm_open(struct sm *s, const struct sched_policy *p) {
    memset(s, 0, sizeof(*s));
    config_default(&s->cfg);
    s->shared = base_alloc(p->shared_size(&s->cfg, MAX_SLOTS));
    p->shared_init(s->shared, &s->cfg, MAX_SLOTS);
    for (u32 i = 0; i < MAX_SLOTS; i++) s->age[i] = i + 1;
    s->v = (struct sched_sm){.words = 1,
                             .valid = {0xFF},
                             .ready = {0xFF},
                             .memory = {0xFF},
                             .mshr_size = 64,
                             .const_mshr_size = 2,
                             .queue_size = 8,
                             .pipe_head = NONE,
                             .reexec_head = NONE};
    s->v.age = s->age, s->v.block = s->block, s->v.stats = &s->stats;
}

static bool in_mp(struct sm *s) { /* one cycle */
    u64 before = s->stats.mp_cycles;
    s->v.now++;
    sched_mascar.begin(s->shared, &s->v, 1);
    bool changed = sched_mascar.begin(s->shared, &s->v, 0); /* Q1 */
    assert_false(changed);
    return s->stats.mp_cycles > before;
}

static u64 held(const struct sm *s) {
    u64 set;
    sched_mascar.held(s->shared, s->v.memory, 1, &set);
    return set;
}

static void memory_issues(struct sm *s, u32 slot) { sched_mascar.event(s->shared, SCHED_ISSUE, slot, 0, s->v.now); }

static void the_mode_changes_at_its_thresholds(void **state) {
    (void)state;
    struct sm s;
    sm_open(&s, &sched_mascar);
    static const struct {
        u32 mshrs, consts, queue;
        bool mp;
    } at[] = {{0, 0, 0, false}, {57, 0, 0, false}, {58, 0, 0, true}, {57, 0, 0, false}, {64, 0, 0, true},
              {0, 0, 5, false}, {0, 0, 6, true},   {0, 1, 0, false}, {0, 2, 0, true},   {0, 0, 0, false}};
    for (u32 i = 0; i < ARRAY_LEN(at); i++) {
        s.v.mshrs = at[i].mshrs, s.v.const_mshrs = at[i].consts, s.v.queue = at[i].queue;
        assert_int_equal(in_mp(&s), at[i].mp);
    }
    assert_int_equal(s.stats.mp_entries, 4);
    free(s.shared);
}

/* Up at 58 of 64 MSHRs or 6 of 8 entries; with release_percent = 50 down when both are below 28.8 and 3 */
static void hysteresis_keeps_the_mode(void **state) {
    (void)state;
    struct sm s;
    sm_open(&s, &sched_mascar);
    s.cfg.mascar_release_percent = 50;
    sched_mascar.shared_init(s.shared, &s.cfg, MAX_SLOTS);
    static const struct {
        u32 mshrs, queue;
        bool mp;
    } at[] = {{57, 0, false}, {58, 0, true}, {57, 0, true}, {29, 0, true},  {28, 0, false}, {57, 0, false}, {0, 5, false},
              {0, 6, true},   {0, 3, true},  {28, 3, true}, {28, 2, false}, {0, 3, false},  {64, 0, true},  {0, 0, false}};
    for (u32 i = 0; i < ARRAY_LEN(at); i++) {
        s.v.mshrs = at[i].mshrs, s.v.queue = at[i].queue;
        assert_int_equal(in_mp(&s), at[i].mp);
    }
    assert_int_equal(s.stats.mp_entries, 3);
    free(s.shared);
}

static void one_that_is_never_full_is_never_saturated(void **state) {
    (void)state;
    struct sm s; /* one MSHR, and nothing outstanding */
    sm_open(&s, &sched_mascar);
    s.v.mshr_size = s.v.queue_size = s.v.const_mshr_size = 1;
    assert_false(in_mp(&s));
    s.v.mshrs = 1;
    assert_true(in_mp(&s));
    free(s.shared);
}

static void saturate(struct sm *s) {
    s->v.mshrs = s->v.mshr_size;
    assert_true(in_mp(s));
}

static void the_first_to_issue_owns_memory(void **state) {
    (void)state;
    struct sm s;
    sm_open(&s, &sched_mascar);
    saturate(&s);
    assert_int_equal(held(&s), 0);
    assert_false(sched_mascar.admit(s.shared, 3, s.age[3], 0));
    memory_issues(&s, 3);
    assert_int_equal(held(&s), 0xF7); /* at once: the other schedulers of this cycle too */
    assert_true(sched_mascar.admit(s.shared, 3, s.age[3], 0));
    assert_false(sched_mascar.admit(s.shared, 2, s.age[2], 0));
    assert_true(in_mp(&s));
    assert_int_equal(held(&s), 0xF7);
    assert_int_equal(s.stats.owners, 1);
    s.v.mshrs = 0;
    assert_false(in_mp(&s));
    assert_int_equal(held(&s), 0);
    assert_true(sched_mascar.admit(s.shared, 2, s.age[2], 0));
    assert_int_equal(s.stats.owner_until_relief, 1);
    free(s.shared);
}

static void each_way_to_hand_over(void **state) {
    (void)state;
    for (u32 how = 0; how < 5; how++) {
        struct sm s;
        sm_open(&s, &sched_mascar);
        saturate(&s);
        memory_issues(&s, 1);
        assert_true(in_mp(&s));
        if (how == 0) s.v.waits_load[0] = 2, s.v.ready[0] = s.v.memory[0] = 0xFD;
        if (how == 1) s.v.waits_barrier[0] = 2, s.v.ready[0] = s.v.memory[0] = 0xFD;
        if (how == 2) s.v.waits_fence[0] = 2, s.v.ready[0] = s.v.memory[0] = 0xFD;
        if (how == 3) s.v.valid[0] = s.v.ready[0] = s.v.memory[0] = 0xFD;
        if (how == 4) s.v.now += s.cfg.mascar_idle_cy - 2;
        s.v.sending[0] = how == 3 ? 0 : 2;
        assert_true(in_mp(&s)); /* its requests have to be sent first */
        if (how != 3) assert_int_equal(held(&s), s.v.memory[0] & ~2ull);
        s.v.sending[0] = 0;
        assert_true(in_mp(&s));
        assert_int_equal(held(&s), 0);
        const u64 ended[] = {s.stats.owner_until_use, s.stats.owner_until_barrier, s.stats.owner_until_fence,
                             s.stats.owner_until_exit, s.stats.owner_until_idle};
        for (u32 i = 0; i < 5; i++) assert_int_equal(ended[i], i == how);
        memory_issues(&s, 4);
        assert_int_equal(held(&s), s.v.memory[0] & ~0x10ull); /* the next */
        free(s.shared);
    }
}

static void the_queues_first_owns_when_nobody_is_memory_ready(void **state) {
    (void)state;
    struct sm s;
    sm_open(&s, &sched_mascar);
    saturate(&s);
    s.v.reexec_head = 6;
    assert_true(in_mp(&s));
    assert_int_equal(s.stats.owners_by_queue, 0);
    s.v.memory[0] = 0;
    s.v.sending[0] = 1 << 6, s.v.waits_load[0] = 1 << 6;
    assert_true(in_mp(&s));
    assert_int_equal(s.stats.owners_by_queue, 1);
    assert_true(sched_mascar.admit(s.shared, 6, s.age[6], 0));
    s.v.sending[0] = 0, s.v.reexec_head = NONE;
    assert_true(in_mp(&s));
    assert_int_equal(s.stats.owner_until_use, 1);
    free(s.shared);
}

static void the_pipes_first_owns_before_anybody_issues(void **state) {
    (void)state;
    struct sm s;
    sm_open(&s, &sched_mascar);
    s.v.pipe_head = 5, s.v.sending[0] = 1 << 5;
    assert_false(in_mp(&s));
    assert_int_equal(held(&s), 0); /* EP: no owner */
    saturate(&s);
    s.v.pipe_head = 5, s.v.sending[0] = 1 << 5;
    assert_true(in_mp(&s));
    assert_int_equal(held(&s), s.v.memory[0] & ~0x20ull);
    assert_true(sched_mascar.admit(s.shared, 5, s.age[5], 0));
    assert_false(sched_mascar.admit(s.shared, 2, s.age[2], 0));
    s.v.pipe_head = 2, s.v.sending[0] = 1 << 2; /* its own is through; it may have more */
    assert_true(in_mp(&s));
    assert_false(sched_mascar.admit(s.shared, 2, s.age[2], 0));
    s.v.waits_load[0] = 1 << 5; /* it has not: the next in the pipe, in the same cycle */
    assert_true(in_mp(&s));
    assert_true(sched_mascar.admit(s.shared, 2, s.age[2], 0));
    assert_int_equal(s.stats.owners, 2);
    assert_int_equal(s.stats.owner_until_use, 1);
    free(s.shared);
}

static void a_queue_full_of_others_takes_ownership(void **state) {
    (void)state;
    for (u32 how = 0; how < 3; how++) { /* 0: the owner's accesses are in the queue; 1: first in the pipe; 2: behind */
        struct sm s;
        sm_open(&s, &sched_mascar);
        saturate(&s);
        memory_issues(&s, 1);
        assert_true(in_mp(&s));
        s.v.sending[0] = 0x42;
        s.v.reexec_full = true, s.v.reexec_head = 6;
        s.v.reexec[0] = how == 0 ? 0x42 : 0x40, s.v.pipe_head = how == 1 ? 1 : 3;
        assert_true(in_mp(&s));
        assert_int_equal(s.stats.owner_until_full, how == 2);
        assert_int_equal(sched_mascar.admit(s.shared, 1, s.age[1], 0), how != 2);
        assert_int_equal(sched_mascar.admit(s.shared, 6, s.age[6], 0), how == 2);
        free(s.shared);
    }
}

static void groups_are_ordered_by_the_mode(void **state) {
    (void)state;
    struct sm s;
    sm_open(&s, &sched_mascar);
    void *sched = base_alloc(sched_mascar.state_size(&s.cfg, MAX_SLOTS));
    struct sched_view v = {.words = 1,
                           .valid = {0xFF},
                           .ready = {0xFF},
                           .candidates = {0xFF},
                           .memory = {0x0C},
                           .age = s.age,
                           .block = s.block,
                           .shared = s.shared};
    assert_int_equal(sched_mascar.pick(sched, &v), 2); /* EP: memory first, the oldest */
    v.candidates[0] &= ~4ull;
    assert_int_equal(sched_mascar.pick(sched, &v), 3);
    sched_mascar.issued(sched, 3);
    v.candidates[0] = 0xFF;
    assert_int_equal(sched_mascar.pick(sched, &v), 3); /* greedy */
    saturate(&s);
    assert_int_equal(sched_mascar.pick(sched, &v), 0); /* MP: computing first, the oldest, not greedy */
    v.candidates[0] = 0x0C;
    assert_int_equal(sched_mascar.pick(sched, &v), 2);
    free(sched);
    free(s.shared);
}

/* --- Mascar on a machine. Warp 7's load goes to DRAM and saturates the memory system for hundreds of cycles;
 * then all the others load, several times each. */

#define SATURATED                                                                                                                \
    OUT "shr.u32 %r1, %r0, 5;\n"                                                                                                 \
        "mul.wide.u32 %rd1, %r1, 512;\n"                                                                                         \
        "add.u64 %rd1, %rd0, %rd1;\n"                                                                                            \
        "setp.eq.u32 %p1, %r1, 7;\n"                                                                                             \
        "@%p1 ld.global.u32 %r2, [%rd1+262144]; // long\n"                                                                       \
        "bar.sync 0;\n"                                                                                                          \
        "@%p1 bra END;\n"                                                                                                        \
        "ld.global.u32 %r10, [%rd1]; // L0\n"                                                                                    \
        "ld.global.u32 %r11, [%rd1+128]; // L1\n"                                                                                \
        "ld.global.u32 %r12, [%rd1+256]; // L2\n"                                                                                \
        "add.u32 %r13, %r10, %r11; // use\n"                                                                                     \
        "add.u32 %r13, %r13, %r12;\n"                                                                                            \
        "END: add.u32 %r2, %r2, 1;\n"
#define SATURATED_KEYS                                                                                                           \
    "gpu.sms=1", "sm.sched=mascar", "sm.sched.mascar.mshr_percent=1", "sm.l1.mshrs=64", "dram.kind=fixed", "dram.fixed_cy=2000", \
        "noc.latency_cy=1", "l2.latency_cy=1", "noc.credits=64", "noc.ideal=true", "l2.queue=64", "dram.queue=64",               \
        "sm.operands.ideal=true"

static bool is_load(const struct event *e) {
    return e->kind == EV_ISSUE && ran.kernel->code[e->pc].iclass == ICLASS_LOAD && ran.kernel->code[e->pc].space == SPACE_GLOBAL;
}

static void schedulers_share_the_owner(void **state) {
    (void)state;
    for (u32 schedulers = 1; schedulers <= 8; schedulers *= 2) {
        RUN(.body = SATURATED, .threads = 256, .keys = {SATURATED_KEYS, text("sm.schedulers=%u", schedulers)});
        u64 from = when(EV_ACCESS, "long", 0, 7), cycle = 0;
        u32 last = NONE, changes = 0, loads = 0;
        for (u32 i = 0; i < ran.events.n; i++) {
            const struct event *e = &ran.events.at[i];
            if (!is_load(e) || !e->mask || e->cycle <= from) continue;
            loads++;
            if (e->cycle == cycle) assert_int_equal(e->slot, last); /* M1 */
            changes += e->slot != last;
            last = e->slot, cycle = e->cycle;
        }
        assert_int_equal(loads, 21);
        assert_int_equal(changes, 7); /* one warp after the other, all its loads together */
        assert_int_equal(stat_of("owner_until_use") + stat_of("owner_until_relief"), 7);
    }
}

static void the_owner_hands_over_at_its_first_use(void **state) {
    (void)state;
    RUN(.body = SATURATED, .threads = 256, .keys = {SATURATED_KEYS, "sm.schedulers=8"});
    for (u32 w = 1; w < 7; w++) {
        u64 sent = when(EV_ACCESS, "L2", 0, w - 1);
        assert_true(issue("L0", 0, w) >= issue("L2", 0, w - 1) + 1);
        assert_int_equal(issue("L0", 0, w), sent); /* the use waits by then; the last request leaves the pipe in this cycle */
    }
    RUN(.body = SATURATED, .threads = 256, .keys = {SATURATED_KEYS, "sm.schedulers=8", "sm.sched.mascar.handover=use"});
    for (u32 w = 1; w < 7; w++) assert_int_equal(issue("L0", 0, w), issue("L2", 0, w - 1) + 1);
}

/* Constants: each lane of a warp its own line of the constant cache, nothing in the L1. Their MSHRs, two, are
 * full; the mode is MP without one data miss. */
static void constants_saturate_too(void **state) {
    (void)state;
    const char *module = "\n.const .align 128 .u32 c[4096] = {7};\n";
    const char *body = "mov.u32 %r0, %tid.x;\nmul.lo.u32 %r1, %r0, 64;\nmov.u64 %rd1, c;\ncvt.u64.u32 %rd2, %r1;\nadd.u64 %rd1, "
                       "%rd1, %rd2;\nld.const.u32 %r2, [%rd1];\n"
                       "add.u32 %r3, %r2, %r2;\n";
    for (u32 mshrs = 2; mshrs <= 256; mshrs += 254) {
        RUN(.body = body, .globals = module, .threads = 64,
            .keys = {"gpu.sms=1", "sm.sched=mascar", "sm.l1.miss_queue=1024", text("sm.const.mshrs=%u", mshrs)});
        assert_true(stat_of("const_misses") >= 32);
        assert_stat("l1_misses", 0);
        if (mshrs == 2) assert_true(stat_of("mp_cycles") > 0);
        else assert_stat("mp_cycles", 0);
    }
}

/* Warp 0 loads A and B and computes on; warp 1's constant C enters the pipe behind B, before A is at the L1
 * and the mode is MP. B makes warp 0 the owner. C misses: it is sent for at once, or when the owner has made
 * no memory access for sm.sched.mascar.idle_cy. */
static void constants_of_others_are_refused(void **state) {
    (void)state;
    const char *module = "\n.const .align 128 .u32 c[4096] = {7};\n";
    char chain[1024] = "";
    for (u32 i = 0; i < 24; i++) strcat(chain, "add.u32 %r8, %r8, 1;\n");
    const char *body = JOIN(OUT "mov.u64 %rd1, c;\nmov.u32 %r8, 0;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra ONE;\n"
                                "ld.global.u32 %r4, [%rd0+65536]; // A\nld.global.u32 %r9, [%rd0+131072]; // B\n",
                            chain,
                            "add.u32 %r5, %r4, %r9; // use\nbra END;\n"
                            "ONE: ld.const.u32 %r2, [%rd1+8192]; // C\nadd.u32 %r3, %r2, %r2; // sum\nEND: mov.u32 %r7, 0;\n");
    u64 sum[2];
    for (u32 refuse = 0; refuse < 2; refuse++) {
        RUN(.body = body, .globals = module, .threads = 64,
            .keys = {SATURATED_KEYS, "sm.lsu.agu_cy=8",
                     refuse ? "sm.sched.mascar.constants=refuse" : "sm.sched.mascar.constants=pass"});
        assert_true(issue("C", 0, 1) > issue("B") && issue("C", 0, 1) < when(EV_ACCESS, "A"));
        assert_int_equal(ran.stats->sum.hazards[HAZARD_OWNER], refuse ? 99 : 0); /* the 100th cycle ends it */
        sum[refuse] = issue("sum", 0, 1);
    }
    assert_true(sum[1] > sum[0] + 90);
}

/* --- CCWS without a core: four warps, base score 100, so that the cutoff is 400 */

static u64 kept_back(struct sm *s, u64 now) {
    s->v.now = now;
    sched_ccws.begin(s->shared, &s->v, 1);
    bool changed = sched_ccws.begin(s->shared, &s->v, 0); /* Q1 */
    assert_false(changed);
    u64 set, ask = 0xF;
    sched_ccws.held(s->shared, &ask, 1, &set);
    return set;
}
static void tell(struct sm *s, enum sched_event kind, u32 slot, u64 line) {
    sched_ccws.event(s->shared, kind, slot, line, s->v.now);
}
static void ccws_open(struct sm *s, u32 instructions) {
    sm_open(s, &sched_ccws);
    s->v.valid[0] = 0xF;
    assert_int_equal(kept_back(s, 1), 0);
    for (u32 i = 0; i < instructions; i++) tell(s, SCHED_STEP, i % 4, 0);
}

/* One line lost in ten instructions: 1 / 10 x 8 x 400 = 320 points for slot 2. With slot 0 the sum is 420: 1
 * and 3 are left over. It falls by a point a cycle: below 400 with slot 0 after 21 cycles, with slot 1 after
 * 121. */
static void ccws_scores_as_its_paper_says(void **state) {
    (void)state;
    struct sm s;
    ccws_open(&s, 10);
    tell(&s, SCHED_EVICT, 2, 1280);
    tell(&s, SCHED_MISS, 1, 1280); /* not one of its lines */
    assert_int_equal(kept_back(&s, 2), 0);
    tell(&s, SCHED_MISS, 2, 1280);
    assert_int_equal(s.stats.lost_locality, 0);
    assert_int_equal(kept_back(&s, 3), 1 << 1 | 1 << 3); /* 319 by now */
    assert_int_equal(s.stats.lost_locality, 1);
    assert_int_equal(sched_ccws.wakes(s.shared, 3), 2 + 21);
    assert_int_equal(kept_back(&s, 2 + 20), 1 << 1 | 1 << 3);
    assert_int_equal(kept_back(&s, 2 + 21), 1 << 3);
    assert_int_equal(kept_back(&s, 2 + 120), 1 << 3);
    assert_int_equal(kept_back(&s, 2 + 121), 0);
    tell(&s, SCHED_MISS, 2, 1280); /* the tag stays: 2 / 10 x 8 x 400 = 640, more than the cutoff: alone */
    assert_int_equal(kept_back(&s, 124), 1 << 0 | 1 << 1 | 1 << 3);
    tell(&s, SCHED_END, 2, 0);
    s.v.valid[0] = 0xB;
    assert_int_equal(kept_back(&s, 125), 0);
    free(s.shared);
    ccws_open(&s, 40); /* 80 points: not above the base */
    tell(&s, SCHED_EVICT, 2, 1280);
    tell(&s, SCHED_MISS, 2, 1280);
    assert_int_equal(kept_back(&s, 3), 0);
    free(s.shared);
}

/* Two sets of eight tags, first in first out; a store takes its line out; own evictions count unless the key
 * says no */
static void ccws_remembers_sixteen_lines(void **state) {
    (void)state;
    struct sm s;
    ccws_open(&s, 10);
    u64 line_b = s.cfg.l1_line_b;
    for (u32 i = 0; i <= 16; i++)
        tell(&s, i % 2 ? SCHED_EVICT : SCHED_EVICT_OWN, 0, i * line_b); /* 0 to 16: the ninth even one pushes line 0 out */
    for (u32 i = 0; i <= 16; i++) tell(&s, SCHED_MISS, 0, i * line_b);
    kept_back(&s, 2);
    assert_int_equal(s.stats.lost_locality, 16);
    tell(&s, SCHED_STORE, 3, 5 * line_b);
    tell(&s, SCHED_MISS, 0, 5 * line_b);
    tell(&s, SCHED_MISS, 0, 0);
    kept_back(&s, 3);
    assert_int_equal(s.stats.lost_locality, 16);
    free(s.shared);
    ccws_open(&s, 10);
    s.cfg.ccws_own = false;
    sched_ccws.shared_init(s.shared, &s.cfg, MAX_SLOTS);
    tell(&s, SCHED_EVICT_OWN, 0, 128);
    tell(&s, SCHED_MISS, 0, 128);
    kept_back(&s, 2);
    assert_int_equal(s.stats.lost_locality, 0);
    free(s.shared);
}

/* --- CCWS. Each warp reads its own lines over and over; together they are four times the cache. */

#define LOOP(step, lines)                                                                                                        \
    OUT "shr.u32 %r1, %r0, 5;\n"                                                                                                 \
        "mul.wide.u32 %rd1, %r1, " lines ";\n"                                                                                   \
        "add.u64 %rd1, %rd0, %rd1;\n"                                                                                            \
        "mov.u32 %r2, 0;\n"                                                                                                      \
        "NEXT: ld.global.u32 %r10, [%rd1];\n"                                                                                    \
        "ld.global.u32 %r11, [%rd1+128];\n"                                                                                      \
        "ld.global.u32 %r12, [%rd1+256];\n"                                                                                      \
        "ld.global.u32 %r13, [%rd1+384];\n"                                                                                      \
        "add.u32 %r14, %r10, %r11;\nadd.u32 %r15, %r12, %r13;\nadd.u32 %r16, %r14, %r15;\n"                                      \
        "add.u64 %rd1, %rd1, " step ";\n"                                                                                        \
        "add.u32 %r2, %r2, 1;\n"                                                                                                 \
        "setp.lt.u32 %p1, %r2, 60;\n"                                                                                            \
        "@%p1 bra NEXT;\n"
#define SMALL_CACHE "gpu.sms=1", "sm.l1.sets=4", "sm.l1.ways=4", "sm.l1.mshrs=64", "noc.flit_b=4"

static void ccws_throttles_what_thrashes(void **state) {
    (void)state;
    RUN(.body = LOOP("0", "512"), .threads = 512, .keys = {SMALL_CACHE, "sm.sched=gto"});
    double hits = stat_of("l1_hit_rate");
    u64 cycles = ran.cycles;
    RUN(.body = LOOP("0", "512"), .threads = 512, .keys = {SMALL_CACHE, "sm.sched=ccws"});
    assert_true(stat_of("lost_locality") > 0);
    assert_true(stat_of("throttled_warp_cycles") > 0);
    assert_true(stat_of("l1_hit_rate") > hits + 0.2);
    assert_true(ran.cycles < cycles);
    assert_true(warp_time(STALL_RESTRICT) > 0);
}

/* The last warp only stores. It is the first to be kept back, having lost nothing in the highest slot; its
 * stores go on all the same. */
static void ccws_holds_loads_only(void **state) {
    (void)state;
    RUN(.body = JOIN(OUT "setp.ge.u32 %p2, %r0, 480;\n@%p2 bra STORES;\n", LOOP("0", "512"),
                     "bra END;\nSTORES: mov.u32 %r2, 0;\nAGAIN: st.global.u32 [%rd0+65536], %r2; // S\nadd.u32 %r2, %r2, "
                     "1;\nsetp.lt.u32 %p1, %r2, 60;\n"
                     "@%p1 bra AGAIN;\nEND: mov.u32 %r3, 0;\n"),
        .threads = 512, .keys = {SMALL_CACHE, "sm.sched=ccws"});
    assert_true(stat_of("throttled_warp_cycles") > 0);
    assert_true(issue("S", 59, 15) < ran.cycles / 4); /* while loads are kept back to the end */
}

static void ccws_leaves_streams_alone(void **state) {
    (void)state;
    RUN(.body = LOOP("512", "32768"), .threads = 512, .keys = {SMALL_CACHE, "sm.sched=gto"});
    u64 cycles = ran.cycles;
    RUN(.body = LOOP("512", "32768"), .threads = 512, .keys = {SMALL_CACHE, "sm.sched=ccws"});
    assert_int_equal(ran.cycles, cycles); /* greedy then oldest, to the cycle */
    assert_stat("lost_locality", 0);
    assert_stat("throttled_warp_cycles", 0);
}

/* --- OWL */

static void owl_prefers_a_group_of_blocks(void **state) {
    (void)state;
    struct sm s;
    sm_open(&s, &sched_owl);
    void *sched = base_alloc(sched_owl.state_size(&s.cfg, MAX_SLOTS));
    sched_owl.init(sched, &s.cfg, 0, MAX_SLOTS);
    for (u32 i = 0; i < 8; i++) s.block[i] = i / 2 * 15; /* blocks 0, 15, 30, 45: two warps each, two blocks a group */
    struct sched_view v = {
        .words = 1, .valid = {0xFF}, .ready = {0xFF}, .candidates = {0xFF}, .age = s.age, .block = s.block, .shared = s.shared};
    for (u32 i = 0; i < 8; i++) {
        int slot = sched_owl.pick(sched, &v);
        assert_int_equal(slot, i % 4);
        sched_owl.issued(sched, slot);
    }
    v.candidates[0] = 0xF0; /* its group waits */
    assert_int_equal(sched_owl.pick(sched, &v), 4);
    v.candidates[0] = 0xFF, v.now = s.cfg.owl_interval_cy;
    assert_int_equal(sched_owl.wakes(s.shared, v.now - 1), v.now);
    assert_int_equal(sched_owl.pick(sched, &v), 4); /* the other group's turn */
    free(sched);
    free(s.shared);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mode_changes_at_its_thresholds),
        cmocka_unit_test(hysteresis_keeps_the_mode),
        cmocka_unit_test(one_that_is_never_full_is_never_saturated),
        cmocka_unit_test(the_first_to_issue_owns_memory),
        cmocka_unit_test(each_way_to_hand_over),
        cmocka_unit_test(the_queues_first_owns_when_nobody_is_memory_ready),
        cmocka_unit_test(the_pipes_first_owns_before_anybody_issues),
        cmocka_unit_test(a_queue_full_of_others_takes_ownership),
        cmocka_unit_test(groups_are_ordered_by_the_mode),
        cmocka_unit_test(schedulers_share_the_owner),
        cmocka_unit_test(the_owner_hands_over_at_its_first_use),
        cmocka_unit_test(constants_saturate_too),
        cmocka_unit_test(constants_of_others_are_refused),
        cmocka_unit_test(ccws_scores_as_its_paper_says),
        cmocka_unit_test(ccws_remembers_sixteen_lines),
        cmocka_unit_test(ccws_holds_loads_only),
        cmocka_unit_test(ccws_throttles_what_thrashes),
        cmocka_unit_test(ccws_leaves_streams_alone),
        cmocka_unit_test(owl_prefers_a_group_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
