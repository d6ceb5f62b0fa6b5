/* What is printed of a timed launch: numbers made of counters, sums, names, bars, sentences, tables, JSON and
 * CSV. The launches here are made up, so that every figure is known; no chip is needed. */
#include "report/report.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* --- a launch of 1,000 cycles on 2 SMs with 2 schedulers and 7 warp slots each (4 and 3) */

enum { CYCLES = 1000, SMS = 2, WARPS = 7, SCHEDULERS = 2 };

/* Each scheduler's cycles and slots go to these; the rest is idle, no_warp and `idle` */
static void blame(struct launch_stats *s, enum cpi part, u64 cycles, enum stall state) {
    for (u32 i = 0; i < s->schedulers; i++) {
        u64 unit = 6ull * sched_slots(s, i), all = s->cycles * s->sms;
        for (u32 m = 0; m < CPI_METHODS; m++) {
            s->sum.sched[i].cpi[m][part] += unit * cycles;
            s->sum.sched[i].cpi[m][CPI_IDLE] = 0;
            u64 used = 0;
            for (u32 k = 0; k < CPI_COUNT; k++) used += s->sum.sched[i].cpi[m][k];
            s->sum.sched[i].cpi[m][CPI_IDLE] = unit * all - used;
        }
        s->sum.sched[i].warp_time[state] += unit * cycles;
        s->sum.sched[i].warp_time[STALL_EMPTY] = unit * all - s->sum.sched[i].warp_time[state];
        s->sum.sched[i].cycles[SCHED_IDLE] = all;
    }
}

static struct launch_stats made_up(void) {
    struct launch_stats s = {.kernel = "k",
                             .cycles = CYCLES,
                             .complete = true,
                             .sms = SMS,
                             .warps = WARPS,
                             .schedulers = SCHEDULERS,
                             .warp_size = 32,
                             .burst_b = 32,
                             .core_mhz = 500,
                             .registers = 16,
                             .grid_ctas = 8,
                             .waves = 2,
                             .work_most = 600,
                             .work_least = 200,
                             .launches = 1,
                             .cta_threads = 64};
    s.occupancy = (struct occupancy){2, 4, 8, 4, 3, 2, 6, "registers"};
    s.sum.warp_instructions = 800;
    s.sum.thread_instructions = 25600;
    s.sum.active_lanes = 12800;
    s.sum.warp_cycles = 7000;
    s.sum.sm_active_cycles = 2000;
    s.sum.l1_accesses = 100;
    s.sum.l1_hits = 25;
    s.sum.mshr_peak = 9;
    s.sum.lanes[16] = 800;
    s.mem.dram_reads = 10;
    s.mem.dram_cycles = 1000;
    s.mem.dram_bus_busy = 100;
    return s;
}

static double value(const struct launch_stats *s, const char *name) { return stat_named(s, name); }

static void numbers_are_made_of_counters(void **state) {
    (void)state;
    struct launch_stats s = made_up();
    assert_float_equal(value(&s, "warp_ipc"), 0.8, 1e-12);
    assert_float_equal(value(&s, "sm_ipc"), 0.4, 1e-12);
    assert_float_equal(value(&s, "work_most"), 1.5, 1e-12);
    assert_float_equal(value(&s, "work_least"), 0.5, 1e-12);
    assert_float_equal(value(&s, "simd_efficiency"), 0.5, 1e-12);
    assert_float_equal(value(&s, "occupancy"), 0.5, 1e-12);
    assert_float_equal(value(&s, "l1_hit_rate"), 0.25, 1e-12);
    assert_float_equal(value(&s, "dram_utilisation"), 0.1, 1e-12);
    assert_float_equal(value(&s, "dram_bytes_per_cycle"), 0.32, 1e-12);
    assert_float_equal(value(&s, "l1_hits"), 25, 0);
    assert_float_equal(value(&s, "dram_reads"), 10, 0);
    assert_true(isnan(value(&s, "const_hit_rate")));
    assert_int_equal(stat_find("no_such_counter"), -1);
}

static void sums_add_counters_and_keep_peaks(void **state) {
    (void)state;
    struct launch_stats a = made_up(), b = made_up(), sum = {0};
    b.sum.mshr_peak = 30;
    b.cycles = 500;
    b.complete = false;
    launch_stats_add(&sum, &a);
    launch_stats_add(&sum, &b);
    assert_int_equal(sum.cycles, 1500);
    assert_int_equal(sum.sum.warp_instructions, 1600);
    assert_float_equal(value(&sum, "work_most"), 1.5, 1e-12);
    assert_int_equal(sum.sum.mshr_peak, 30);
    assert_int_equal(sum.sum.lanes[16], 1600);
    assert_int_equal(sum.mem.dram_reads, 20);
    assert_int_equal(sum.sms, SMS);
    assert_false(sum.complete);
    assert_null(sum.per_sm);
}

static void the_hash_sees_every_counter(void **state) {
    (void)state;
    struct sm_stats sms[SMS] = {0};
    struct mem_stats partition = {0};
    struct pc_stats pc = {0};
    struct launch_stats s = made_up();
    s.per_sm = sms;
    s.per_partition = &partition;
    s.partitions = 1;
    s.pcs = &pc;
    s.npcs = 1;
    u64 before = gpu_counters_hash(&s), *const words[] = {&s.cycles,
                                                          &s.sum.l1_hits,
                                                          &s.mem.dram_reads,
                                                          &sms[1].l1_hits,
                                                          &sms[1].sched[15].cycles[0],
                                                          &partition.dram_cycles,
                                                          &pc.issues,
                                                          &pc.latency};
    for (u32 i = 0; i < ARRAY_LEN(words); i++) {
        ++*words[i];
        assert_int_not_equal(gpu_counters_hash(&s), before);
        --*words[i];
    }
    s.simulated_cycles_jumped = 77; /* how the host did it is nobody's business */
    s.window_cy = 3;
    assert_int_equal(gpu_counters_hash(&s), before);
}

struct told {
    char name[128];
    u64 value;
};
static struct told told[4096];
static u32 ntold;
static void tell(void *user, const char *name, u64 value) {
    assert_ptr_equal(user, told);
    assert_true(ntold < ARRAY_LEN(told));
    snprintf(told[ntold].name, sizeof(told[ntold].name), "%s", name);
    told[ntold++].value = value;
}
static u64 told_value(const char *name) {
    for (u32 i = 0; i < ntold; i++)
        if (strcmp(told[i].name, name) == 0) return told[i].value;
    return 0;
}

static void counters_have_full_names(void **state) {
    (void)state;
    struct sm_stats sms[SMS] = {0};
    struct mem_stats partitions[3] = {0};
    struct pc_stats pcs[18] = {0};
    struct launch_stats s = {.cycles = 7, .sms = SMS, .partitions = 3, .npcs = 18};
    s.per_sm = sms, s.per_partition = partitions, s.pcs = pcs;
    const struct {
        const char *name;
        u64 *at;
    } some[] = {{"cycles", &s.cycles},
                {"sum.l1_hits", &s.sum.l1_hits},
                {"mem.l2_hits", &s.mem.l2_hits},
                {"sm0.l1_hits", &sms[0].l1_hits},
                {"sm1.l1_hits", &sms[1].l1_hits},
                {"sm1.lanes.16", &sms[1].lanes[16]},
                {"sm1.hazards.mshr", &sms[1].hazards[HAZARD_MSHR]},
                {"sm1.sched0.cycles.raw", &sms[1].sched[0].cycles[SCHED_RAW]},
                {"sm0.sched15.cycles.raw", &sms[0].sched[15].cycles[SCHED_RAW]},
                {"sm1.sched1.cpi.gsi.memory_data", &sms[1].sched[1].cpi[CPI_GSI][CPI_MEMORY_DATA]},
                {"sm1.sched1.warp_time.wait", &sms[1].sched[1].warp_time[STALL_WAIT]},
                {"partition2.l2_hits", &partitions[2].l2_hits},
                {"pc17.time.wait", &pcs[17].time[STALL_WAIT]},
                {"pc17.latency", &pcs[17].latency}};
    for (u32 i = 1; i < ARRAY_LEN(some); i++) *some[i].at = 100 + i;
    ntold = 0;
    gpu_counters_each(&s, tell, told);
    assert_int_equal(ntold, ARRAY_LEN(some)); /* zeroes are not told */
    for (u32 i = 0; i < ARRAY_LEN(some); i++) assert_int_equal(told_value(some[i].name), *some[i].at);
}

static int told_order(const void *a, const void *b) {
    return strcmp(((const struct told *)a)->name, ((const struct told *)b)->name);
}

static void no_two_counters_share_a_name(void **state) {
    (void)state;
    struct sm_stats sms[2];
    struct mem_stats partition;
    struct pc_stats pc;
    struct launch_stats s = {.cycles = 1, .sms = 2, .partitions = 1, .npcs = 1, .per_sm = sms, .per_partition = &partition};
    s.pcs = &pc;
    memset(sms, 1, sizeof(sms)), memset(&partition, 1, sizeof(partition)), memset(&pc, 1, sizeof(pc));
    ntold = 0;
    gpu_counters_each(&s, tell, told);
    assert_int_equal(ntold, 1 + (sizeof(sms) + sizeof(partition) + sizeof(pc)) / sizeof(u64)); /* every word has one */
    qsort(told, ntold, sizeof(told[0]), told_order);
    for (u32 i = 1; i < ntold; i++) assert_string_not_equal(told[i - 1].name, told[i].name);
}

/* A counter that stays zero is not in the hash, and one value at two names, or two values exchanged, are told
 * apart */
static void the_hash_is_of_names_and_values(void **state) {
    (void)state;
    struct launch_stats a = {.cycles = 5}, b = {.cycles = 5};
    struct sm_stats none[SMS] = {0};
    b.sms = SMS, b.per_sm = none;
    assert_int_equal(gpu_counters_hash(&a), gpu_counters_hash(&b));
    a.sum.l1_hits = 3, a.sum.l1_misses = 4, b.sum.l1_hits = 4, b.sum.l1_misses = 3;
    assert_int_not_equal(gpu_counters_hash(&a), gpu_counters_hash(&b));
    b.sum.l1_hits = 3, b.sum.l1_misses = 4;
    assert_int_equal(gpu_counters_hash(&a), gpu_counters_hash(&b));
    none[0].l1_hits = 1;
    u64 first = gpu_counters_hash(&b);
    none[0].l1_hits = 0, none[1].l1_hits = 1;
    assert_int_not_equal(gpu_counters_hash(&b), first);
}

/* --- names */

static void every_metric_has_a_name_of_its_own(void **state) {
    (void)state;
    for (u32 i = 0; i < metric_count(); i++) {
        struct metric m = metric_at(i);
        char full[128];
        snprintf(full, sizeof(full), "%s%s", m.prefix, m.name);
        assert_int_equal(metric_find(full), i);
        assert_true(strlen(m.unit) && strlen(m.doc));
        if (m.doc[strlen(m.doc) - 1] != '.') fail_msg("%s: its sentence has no full stop: %s", full, m.doc);
    }
    assert_true(metric_find("long_scoreboard") >= 0);
    assert_int_equal(metric_find("long_scoreboard"), metric_find("stall.long_scoreboard"));
    assert_int_equal(metric_find("nothing"), -1);
    assert_string_equal(metric_nearest("l1_hit"), "l1_hits");
}

static char *printed(FILE *f) {
    static char text[1 << 18];
    fflush(f);
    rewind(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = 0;
    fclose(f);
    return text;
}

static void has(const char *page, const char *part) {
    if (!strstr(page, part)) fail_msg("\"%s\" is not in:\n%s", part, page);
}

static void explain_tells_unit_sentence_and_part(void **state) {
    (void)state;
    FILE *f = tmpfile();
    assert_true(explain_stat("l1_hits", f));
    assert_true(explain_stat("stall.long_scoreboard", f));
    assert_true(explain_stat("no_warp", f)); /* two of that name */
    assert_true(explain_stat("gsi", f));
    assert_false(explain_stat("no_such_name", f));
    const char *text = printed(f);
    has(text, "l1_hits: a counter");
    has(text, "accesses");
    has(text, "counts as memory_data");
    has(text, "cpi.no_warp");
    has(text, "stall.no_warp");
    has(text, "Alsop");
}

static void the_list_names_everything(void **state) {
    (void)state;
    FILE *f = tmpfile();
    list_stats(f);
    const char *text = printed(f);
    for (u32 i = 0; i < metric_count(); i++) {
        char full[128];
        snprintf(full, sizeof(full), "  %s%s ", metric_at(i).prefix, metric_at(i).name);
        has(text, full);
    }
}

/* --- parts of cycles */

static void parts_of_a_cpi_stack_are_scheduler_cycles(void **state) {
    (void)state;
    struct launch_stats s = made_up();
    blame(&s, CPI_MEMORY_DATA, 500, STALL_LONG);
    assert_int_equal(sched_slots(&s, 0), 4);
    assert_int_equal(sched_slots(&s, 1), 3);
    assert_float_equal(cpi_cycles(&s, &s.sum, 1, CPI_GSI, CPI_MEMORY_DATA), 500, 1e-9);
    double sum = 0;
    for (u32 i = 0; i < CPI_COUNT; i++) sum += cpi_total(&s, CPI_PROPORTIONAL, i);
    assert_float_equal(sum, CYCLES * SMS * SCHEDULERS, 1e-6);
    sum = 0;
    for (u32 i = 0; i < STALL_COUNT; i++) sum += stall_total(&s.sum, i);
    assert_float_equal(sum, CYCLES * SMS * WARPS, 1e-6);
    assert_float_equal(metric_value(&s, (u32)metric_find("cpi.memory_data"), CPI_SELECTED), 1000, 1e-9);
    assert_float_equal(metric_value(&s, (u32)metric_find("stall.long_scoreboard"), CPI_SELECTED), 3500, 1e-9);
}

static const char *limit_of(struct launch_stats *s) {
    static char text[512];
    struct strbuf out = {0};
    struct config c;
    config_default(&c);
    report_limit(s, &c, CPI_PROPORTIONAL, &out);
    snprintf(text, sizeof(text), "%s", out.s ? out.s : "");
    strbuf_free(&out);
    return text;
}

static const char *limit_when(enum cpi part, enum stall stall, struct launch_stats s) {
    blame(&s, part, 1500, stall);
    return limit_of(&s);
}

static void the_limit_is_told_in_a_sentence(void **state) {
    (void)state;
    struct launch_stats s = made_up();
    has(limit_when(CPI_BASE, STALL_SELECTED, s), "the issue rate, 75 % of scheduler cycles");
    struct launch_stats again = s;
    again.sum.replays = again.sum.warp_instructions / 4;
    has(limit_when(CPI_BASE, STALL_SELECTED, again), "the issue rate, 60 % of scheduler cycles");
    has(limit_when(CPI_BASE, STALL_SELECTED, again), "Of the issues, replays: 20 %");
    again.sum.replays = 2 * again.sum.warp_instructions;
    again.sum.hazards[HAZARD_MSHR] = again.sum.replays;
    has(limit_when(CPI_BASE, STALL_SELECTED, again),
        "replays, 50 % of scheduler cycles: 2.0 replays for each instruction take issue slots, mostly after the mshr hazard (it "
        "misses, and no MSHR is free); more sm.l1.mshrs would avoid it, sm.hazard.tracker = credit only the replays");
    again.sum.hazards[HAZARD_BANK] = 2 * again.sum.replays;
    has(limit_when(CPI_BASE, STALL_SELECTED, again),
        "accesses to different banks would avoid it, sm.hazard.in_stage = bank only");
    has(limit_when(CPI_CONTROL, STALL_BARRIER, s),
        "synchronisation and control, 75 % of scheduler cycles: mostly barrier (waits at a barrier");
    has(limit_when(CPI_FETCH, STALL_NO_INSTRUCTION, s), "the front end");
    has(limit_when(CPI_COMPUTE_DATA, STALL_WAIT, s), "3.5 of 7 warp slots are taken (limited by registers)");
    has(limit_when(CPI_MISSED, STALL_NOT_SELECTED, s), "another sm.sched");
    has(limit_when(CPI_MEMORY_DATA, STALL_SHORT, s), "mostly short_scoreboard");
    s.sum.unit_busy_sfu = 1800;
    has(limit_when(CPI_COMPUTE_STRUCTURAL, STALL_MATH, s), "special function units are taken 90 %");
    s.sum.global_loads = 10;
    s.sum.load_latency_cycles = 4000;
    has(limit_when(CPI_MEMORY_DATA, STALL_LONG, s),
        "a global load takes 400 cycles on average, the L1 hits 25 %, DRAM buses are busy 10 %; 3.5 of 7");
    s.mem.dram_bus_busy = 900;
    has(limit_when(CPI_MEMORY_DATA, STALL_LONG, s), "bandwidth is the limit");
    s.sum.hazards[HAZARD_MSHR] = 600;
    s.sum.line_accesses = 40;
    s.sum.lsu_busy_cycles = 900;
    has(limit_when(CPI_MEMORY_STRUCTURAL, STALL_LG, s),
        "works in 45 % of cycles and meets the mshr hazard in 30 % (it misses, and no MSHR");
    has(limit_when(CPI_MEMORY_STRUCTURAL, STALL_LG, s), "touches 4.0 lines");
    s.sum.sm_active_cycles = 400;
    has(limit_when(CPI_IDLE, STALL_EMPTY, s), "SMs hold a block 20 % of the time");
}

/* --- bars */

static const char *bar(bool utf8, bool colour, double share) {
    FILE *f = tmpfile();
    term_bar(&(struct term){utf8, colour}, f, share, 8, 31);
    return printed(f);
}

static void bars_fill_their_width(void **state) {
    (void)state;
    assert_string_equal(bar(false, false, 0), "        ");
    assert_string_equal(bar(false, false, 0.001), ".       ");
    assert_string_equal(bar(false, false, 0.5), "####    ");
    assert_string_equal(bar(false, false, 1), "########");
    assert_string_equal(bar(true, false, 0.5), "████    ");
    assert_string_equal(bar(true, false, 0.0001), "▏       ");
    assert_string_equal(bar(true, false, 0.5625), "████▌   ");
    assert_string_equal(bar(true, true, 1), "\033[31m████████\033[0m");
}

static void files_get_plain_text(void **state) {
    (void)state;
    FILE *f = tmpfile();
    struct term t = term_of(f);
    fclose(f);
    assert_false(t.utf8 || t.colour);
}

/* --- a run of two launches */

static const char text[] = ".version 7.8\n.target sm_75\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out)\n{\n .reg .b32 %r<3>;\n .reg .b64 %d<2>;\n ld.param.u64 %d0, "
                           "[out];\n mov.u32 %r1, %tid.x;\n"
                           " add.u32 %r2, %r1, 1;\n st.global.u32 [%d0], %r2;\n ret;\n}\n";
static const char manifest[] =
    "{\"name\": \"two, \\\"quoted\\\"\", \"buffers\": [{\"name\": \"out\", \"type\": \"u32\", \"count\": 1}], \"launches\": ["
    "{\"kernel\": \"k\", \"grid\": [1], \"block\": [32], \"args\": [{\"buf\": 0}]},"
    "{\"kernel\": \"k\", \"grid\": [2], \"block\": [32], \"args\": [{\"buf\": 0}]}]}";

struct fixture {
    struct manifest *m;
    struct play play;
    struct report report;
    struct kernel code;
    struct inst inst[4];
    struct inst_src src[4];
};

static void fill_pcs(struct fixture *x, struct report_kernel *k) {
    static const char *const texts[] = {"ld.global.u32 %r1, [%rd1]", "add.u32 %r2, %r1, 1", "st.global.u32 [%rd1], %r2", NULL};
    for (u32 i = 0; i < 4; i++) {
        x->src[i] = (struct inst_src){.text_line = 10 + i, .line = i == 1 ? 42 : 0, .file = "/some/where/k.cl", .text = texts[i]};
        x->inst[i] = (struct inst){.iclass = i == 0   ? ICLASS_LOAD
                                             : i == 2 ? ICLASS_STORE
                                                      : ICLASS_INT,
                                   .flags = i == 3 ? INST_PSEUDO : 0,
                                   .src = &x->src[i]};
    }
    x->code = (struct kernel){.name = "k", .file = "some/k.ptx", .code = x->inst, .ninst = 4};
    k->code = &x->code;
    k->npcs = 4;
    k->pcs = base_alloc(4 * sizeof(*k->pcs));
    k->pcs[0] = (struct pc_stats){.issues = 10,
                                  .lanes = 320,
                                  .accesses = 10,
                                  .lines = 20,
                                  .l1_hits = 5,
                                  .latency = 4000,
                                  .time = {[STALL_SELECTED] = 60, [STALL_LG] = 60}};
    k->pcs[1] =
        (struct pc_stats){.issues = 10, .lanes = 160, .time = {[STALL_SELECTED] = 60, [STALL_LONG] = 660, [STALL_EMPTY] = 6000}};
    k->pcs[2] = (struct pc_stats){.issues = 10, .lanes = 320, .accesses = 10, .lines = 10, .time = {[STALL_SELECTED] = 60}};
    x->report.wishes.by_pc = BY_PC_TIME;
    x->report.wishes.by_pc_rows = 2;
}

static int open_fixture(void **state) {
    struct fixture *x = base_alloc(sizeof(*x));
    struct diag d = {0};
    struct config c;
    char path[] = "/tmp/heddle_report_XXXXXX.ptx";
    int fd = mkstemps(path, 4);
    FILE *f = fdopen(fd, "w");
    fputs(text, f);
    fclose(f);
    x->m = manifest_parse("two.json", manifest, strlen(manifest), &d);
    assert_non_null(x->m);
    assert_int_equal(play_open(&x->play, x->m, path, NULL, NULL), HEDDLE_OK);
    remove(path);
    config_default(&c);
    snprintf(c.machine, sizeof(c.machine), "made, up");
    assert_int_equal(heddle_set_config(x->play.h, &c), HEDDLE_OK);
    x->report = (struct report){.play = &x->play, .wishes.cpi = CPI_PROPORTIONAL, .wall_seconds = 0.5, .setup_seconds = 0.25};
    x->report.launches = base_alloc(2 * sizeof(*x->report.launches));
    struct launch_stats s = made_up();
    blame(&s, CPI_MEMORY_DATA, 500, STALL_LONG);
    x->report.kernels = base_alloc(sizeof(*x->report.kernels));
    x->report.nkernels = 1;
    struct report_kernel *k = x->report.kernels;
    *k = (struct report_kernel){.name = "k", .launches = 2, .first = &x->m->launches[0]};
    for (u32 i = 0; i < 2; i++) {
        s.index = i;
        x->report.launches[i] = (struct report_launch){.kept = true, .stats = s, .hash = gpu_counters_hash(&s)};
        launch_stats_add(&k->timing, &s);
        launch_stats_add(&x->report.total, &s);
    }
    fill_pcs(x, k);
    *state = x;
    return 0;
}

static int close_fixture(void **state) {
    struct fixture *x = *state;
    report_free(&x->report);
    play_close(&x->play);
    manifest_free(x->m);
    free(x);
    return 0;
}

static void the_summary_says_what_matters(void **state) {
    struct fixture *x = *state;
    FILE *f = tmpfile();
    x->report.wishes.per_kernel = x->report.wishes.full = true;
    report_timing(&x->report, f);
    const char *page = printed(f);
    has(page, "two, \"quoted\" on made, up: 2 launches of 1 kernel");
    has(page, "cycles       2000 (4.00 us at 500 MHz)");
    has(page, "IPC          0.80 of 4 (20.0 % of peak), 0.40 an SM");
    has(page, "occupancy    3.5 of 7 warps an SM (50.0 %)");
    has(page, "16.0 of 32 lanes active");
    has(page, "limited by   waiting for memory, 25 % of scheduler cycles");
    has(page, "CPI stack, proportional: 5.00 cycles of a scheduler for each instruction");
    has(page, "  memory_data              1.25  #############                             25.0 %");
    has(page, "  long_scoreboard          4.38  100.0 %  An operand");
    has(page, "L1 data");
    has(page, "DRAM         640 B read, 0 B written");
    has(page, "mostly waits for");
    has(page, "rate         ");
    for (const char *line = page; *line;) {
        size_t n = strcspn(line, "\n");
        if (n && line[n - 1] == ' ') fail_msg("white space at the end of: %.*s", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void instructions_are_listed_by_time(void **state) {
    struct fixture *x = *state;
    FILE *f = tmpfile();
    report_by_pc(x->report.kernels, &x->report.wishes, f);
    const char *page = printed(f);
    has(page, "k: 2 of 3 instructions, by warp time");
    const char *add = strstr(page, "add.u32"), *load = strstr(page, "ld.global");
    assert_true(add && load && add < load);
    assert_null(strstr(page, "st.global"));
    has(page, "k.cl:42");
    has(page, "k.ptx:10");
    has(page, "80.0 %  long_scoreboard 92 %, selected 8 %");
    has(page, "  32.0    2.0   25.0 %    400.0  ld.global.u32 %r1, [%rd1]");
    x->report.wishes.by_pc = BY_PC_ORDER;
    f = tmpfile();
    report_by_pc(x->report.kernels, &x->report.wishes, f);
    page = printed(f);
    has(page, "3 of 3 instructions, in program order");
    assert_true(strstr(page, "ld.global") < strstr(page, "add.u32") && strstr(page, "add.u32") < strstr(page, "st.global"));
}

static double number(json_t *j, const char *path) { /* a.b.0.c */
    char copy[128];
    snprintf(copy, sizeof(copy), "%s", path);
    for (char *part = strtok(copy, "."); part; part = strtok(NULL, "."))
        j = json_is_array(j) ? json_array_get(j, (size_t)atoi(part)) : json_object_get(j, part);
    if (!json_is_number(j)) fail_msg("%s is not a number", path);
    return json_number_value(j);
}

static double sum_of(json_t *o) {
    const char *key;
    json_t *v;
    double sum = 0;
    json_object_foreach(o, key, v) sum += json_number_value(v);
    return sum;
}

static void json_has_everything(void **state) {
    struct fixture *x = *state;
    json_t *j = report_json(&x->report);
    assert_float_equal(number(j, "cycles"), 2000, 0);
    assert_float_equal(number(j, "warp_ipc"), 0.8, 1e-12);
    assert_float_equal(number(j, "launches.1.cycles"), 1000, 0);
    assert_float_equal(number(j, "launches.1.counters.l1_hits"), 25, 0);
    assert_float_equal(number(j, "launches.1.formulas.occupancy"), 0.5, 1e-12);
    assert_true(json_is_null(json_object_get(json_object_get(j, "formulas"), "const_hit_rate")));
    assert_float_equal(number(j, "launches.0.cpi.gsi.schedulers.1.memory_data"), 500, 1e-9);
    assert_float_equal(number(j, "launches.0.lanes.16"), 800, 0);
    assert_float_equal(number(j, "kernels.0.by_pc.0.warp_time.selected"), 10, 0);
    for (u32 m = 0; m < CPI_METHODS; m++) {
        json_t *cpi = json_object_get(json_object_get(json_object_get(j, "cpi"), cpi_method_names[m]), "total");
        assert_float_equal(sum_of(cpi), 2.0 * CYCLES * SMS * SCHEDULERS, 1e-6);
    }
    assert_float_equal(sum_of(json_object_get(j, "warp_time")), 2.0 * CYCLES * SMS * WARPS, 1e-6);
    assert_float_equal(sum_of(json_object_get(j, "sched_cycles")), 2.0 * CYCLES * SMS * SCHEDULERS, 0);
    assert_string_equal(json_string_value(json_object_get(j, "mode")), "timed");
    assert_string_equal(json_string_value(json_object_get(j, "machine")), "made, up");
    assert_int_equal(strlen(json_string_value(json_object_get(j, "state_hash"))), 16);
    assert_int_equal(strlen(json_string_value(json_object_get(j, "config_hash"))), 16);
    json_decref(j);
}

/* Fields of a line of CSV, quoted ones included */
static u32 fields(const char *line, size_t n) {
    u32 count = 1;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (line[i] == '"') quoted = !quoted;
        count += line[i] == ',' && !quoted;
    }
    return count;
}

static char *csv_of(struct fixture *x, void (*write)(const struct report *r, FILE *f)) {
    char *csv = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&csv, &len);
    write(&x->report, f);
    fclose(f);
    return csv;
}

static void check_csv(char *csv, u32 rows, u32 columns) {
    u32 n = 0;
    for (const char *line = csv; *line; n++) {
        size_t len = strcspn(line, "\n");
        assert_int_equal(fields(line, len), columns);
        line += len + (line[len] == '\n');
    }
    assert_int_equal(n, rows);
    free(csv);
}

static void csv_is_a_rectangle(void **state) {
    struct fixture *x = *state;
    check_csv(csv_of(x, report_write_csv), 1 + 2 + 1, 4 + metric_count());
    struct sample samples[2] = {{.cycle = 500, .warp_instructions = 100}, {.cycle = 1000, .warp_instructions = 300}};
    struct launch_stats *s = &x->report.launches[1].stats;
    s->samples = base_alloc(sizeof(samples));
    memcpy(s->samples, samples, sizeof(samples));
    s->nsamples = 2;
    char *csv = csv_of(x, report_write_samples);
    has(csv, "\n1,k,500,100,0.2,");
    has(csv, "\n1,k,1000,300,0.6,");
    check_csv(csv, 1 + 2, 11 + STALL_COUNT);
}

/* --- configurations side by side */

static void configurations_are_measured_against_the_first(void **state) {
    (void)state;
    const char *keys[] = {"sm.sched"}, *first[] = {"lrr"}, *second[] = {"gto"};
    u32 metrics[] = {(u32)metric_find("l1_hit_rate"), (u32)metric_find("memory_data"), (u32)metric_find("mshr_peak")};
    struct comparison c = {.name = "bfs", .machine = "small", .keys = keys, .nkeys = 1, .metrics = metrics, .nmetrics = 3};
    struct config machine;
    config_default(&machine);
    struct comparison_row row = {
        .values = first, .config = &machine, .output_hash = 7, .verdict = VERDICT_OK, .total = made_up()};
    blame(&row.total, CPI_MEMORY_DATA, 500, STALL_LONG);
    VEC_PUSH(&c.rows, row);
    row.values = second;
    row.total.cycles = 800;
    VEC_PUSH(&c.rows, row);
    FILE *f = tmpfile();
    comparison_text(&c, f);
    comparison_means(&c, 1, f);
    const char *page = printed(f);
    has(page, "bfs on small, 2 configurations");
    has(page,
        "sm.sched          cycles      IPC  speedup  by busy SMs busy   waves   l1_hit_rate  cpi.memory_data     mshr_peak");
    has(page,
        "lrr                 1000     0.80    1.000    1.000  100.0 %     2.0        25.0 %           25.0 %             9");
    has(page, "gto                  800     1.00    1.250");
    has(page, "outputs      identical");
    c.judged = true; /* 20 % for each of both: 28 % of 1.25 */
    c.rows.at[0].jitter = c.rows.at[1].jitter = 0.2;
    f = tmpfile();
    comparison_text(&c, f);
    has(printed(f), "gto                  800     1.00    1.250    0.354  none   ");
    c.rows.at[0].jitter = c.rows.at[1].jitter = 0.1;
    f = tmpfile();
    comparison_text(&c, f);
    has(printed(f), "gto                  800     1.00    1.250    0.177  gain   ");
    c.rows.at[1].output_hash = 8;
    assert_false(comparison_same_outputs(&c));
    f = tmpfile();
    comparison_text(&c, f);
    has(printed(f), "NOT identical");
    json_t *j = comparison_json(&c, 1);
    assert_float_equal(number(j, "programs.0.configurations.1.speedup"), 1.25, 1e-12);
    json_decref(j);
    free(c.rows.at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_made_of_counters),
        cmocka_unit_test(sums_add_counters_and_keep_peaks),
        cmocka_unit_test(the_hash_sees_every_counter),
        cmocka_unit_test(counters_have_full_names),
        cmocka_unit_test(no_two_counters_share_a_name),
        cmocka_unit_test(the_hash_is_of_names_and_values),
        cmocka_unit_test(every_metric_has_a_name_of_its_own),
        cmocka_unit_test(explain_tells_unit_sentence_and_part),
        cmocka_unit_test(the_list_names_everything),
        cmocka_unit_test(parts_of_a_cpi_stack_are_scheduler_cycles),
        cmocka_unit_test(the_limit_is_told_in_a_sentence),
        cmocka_unit_test(bars_fill_their_width),
        cmocka_unit_test(files_get_plain_text),
        cmocka_unit_test_setup_teardown(the_summary_says_what_matters, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(instructions_are_listed_by_time, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(json_has_everything, open_fixture, close_fixture),
        cmocka_unit_test_setup_teardown(csv_is_a_rectangle, open_fixture, close_fixture),
        cmocka_unit_test(configurations_are_measured_against_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
