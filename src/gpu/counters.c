/* Every counter of a launch by its full name, and the hash of them all.
 *
 * A name is a place and the counter's name in its table: "cycles", "sum.l1_hits", "sm3.sched1.cycles.raw",
 * "sm3.hazards.mshr", "mem.l2_hits", "partition2.l2_hits", "pc17.time.wait". Only counters that are not zero
 * are told or hashed, and the hash is a sum over them: a counter that is new and stays zero, or moves to
 * another row of its table, changes nothing.
 *
 * Invariants:
 *   N1 every word of sm_stats, mem_stats and pc_stats has a name (CHECKed when the names are made)
 *   N2 no two words of a struct have the same name, and no two places either (tests/unit/test_report.c) */
#include "gpu/gpu.h"

#include <pthread.h>

enum { NAME_B = 48 };
enum {
    SM_WORDS = sizeof(struct sm_stats) / sizeof(u64),
    MEM_WORDS = sizeof(struct mem_stats) / sizeof(u64),
    PC_WORDS = sizeof(struct pc_stats) / sizeof(u64),
};

struct word { /* one u64 of a struct */
    char name[NAME_B];
    u64 hash; /* of the name */
};
static struct word sm_words[SM_WORDS], mem_words[MEM_WORDS], pc_words[PC_WORDS];

/* --- names, made once from the tables */

static void name_word(struct word *w, const char *prefix, const char *name) {
    int n = snprintf(w->name, NAME_B, "%s%s", prefix, name);
    CHECK(n > 0 && n < NAME_B);
    w->hash = hash_fnv1a64(FNV1A64_START, w->name, (size_t)n);
}

#define WORD(type, field) (offsetof(struct type, field) / sizeof(u64))

static void name_scheduler(u32 sched) {
    struct word *w = &sm_words[WORD(sm_stats, sched) + sched * (sizeof(struct sched_stats) / sizeof(u64))];
    char prefix[NAME_B];
    snprintf(prefix, sizeof(prefix), "sched%u.warp_time.", sched);
    for (u32 i = 0; i < STALL_COUNT; i++) name_word(&w[WORD(sched_stats, warp_time) + i], prefix, stall_table[i].name);
    for (u32 m = 0; m < CPI_METHODS; m++) {
        snprintf(prefix, sizeof(prefix), "sched%u.cpi.%s.", sched, cpi_method_names[m]);
        for (u32 i = 0; i < CPI_COUNT; i++) name_word(&w[WORD(sched_stats, cpi[m]) + i], prefix, cpi_table[i].name);
    }
    snprintf(prefix, sizeof(prefix), "sched%u.cycles.", sched);
    for (u32 i = 0; i < SCHED_CYCLES; i++) name_word(&w[WORD(sched_stats, cycles) + i], prefix, sched_cycle_names[i]);
}

static void name_sm(void) {
#define FORMULA(...)
#define COUNTER(id, unit, doc) name_word(&sm_words[WORD(sm_stats, id)], "", #id);
#include "stats/stats.def"
#undef COUNTER
#undef FORMULA
    for (u32 i = 0; i < HAZARD_COUNT; i++) name_word(&sm_words[WORD(sm_stats, hazards) + i], "hazards.", hazard_table[i].name);
    for (u32 i = 0; i < LANE_BINS; i++) {
        char bin[16];
        snprintf(bin, sizeof(bin), "%u", i);
        name_word(&sm_words[WORD(sm_stats, lanes) + i], "lanes.", bin);
    }
    for (u32 i = 0; i < MAX_SCHEDULERS; i++) name_scheduler(i);
}

static void name_mem(void) {
#define COUNTER(id, unit, doc) name_word(&mem_words[WORD(mem_stats, id)], "", #id);
#include "mem/mem_stats.def"
#undef COUNTER
}

static void name_pc(void) {
#define FIELD(id) name_word(&pc_words[WORD(pc_stats, id)], "", #id)
    FIELD(issues), FIELD(lanes), FIELD(lines), FIELD(accesses), FIELD(l1_hits), FIELD(latency);
#undef FIELD
    for (u32 i = 0; i < STALL_COUNT; i++) name_word(&pc_words[WORD(pc_stats, time) + i], "time.", stall_table[i].name);
}

static void check_named(const struct word *w, u32 n) {
    for (u32 i = 0; i < n; i++) CHECK(w[i].name[0]); /* N1 */
}

static void make_names(void) {
    name_sm();
    name_mem();
    name_pc();
    check_named(sm_words, SM_WORDS);
    check_named(mem_words, MEM_WORDS);
    check_named(pc_words, PC_WORDS);
}

static pthread_once_t names_made = PTHREAD_ONCE_INIT; /* launches of several contexts may end at once */

/* --- scopes: where the counters of a launch stand */

struct scope { /* a struct of counters in a launch */
    const char *name;
    bool counted; /* the first of several: the number follows the name */
    const struct word *words;
    u32 nwords;
    const void *at; /* [n] structs of nwords; NULL where a launch has none */
    u32 n;
};
static const struct word cycles_word = {"", FNV1A64_START};
enum { SCOPES = 6 };

static void scopes_of(const struct launch_stats *s, struct scope p[SCOPES]) {
    p[0] = (struct scope){"cycles", false, &cycles_word, 1, &s->cycles, 1};
    p[1] = (struct scope){"sum.", false, sm_words, SM_WORDS, &s->sum, 1};
    p[2] = (struct scope){"mem.", false, mem_words, MEM_WORDS, &s->mem, 1};
    p[3] = (struct scope){"sm", true, sm_words, SM_WORDS, s->per_sm, s->sms};
    p[4] = (struct scope){"partition", true, mem_words, MEM_WORDS, s->per_partition, s->partitions};
    p[5] = (struct scope){"pc", true, pc_words, PC_WORDS, s->pcs, s->npcs};
}

static void scope_name(char to[NAME_B], const struct scope *p, u32 i) {
    if (p->counted) snprintf(to, NAME_B, "%s%u.", p->name, i);
    else snprintf(to, NAME_B, "%s", p->name);
}

/* --- the hash, and the list */

/* Every bit of x into every bit of the result, one to one (the finaliser of splitmix64) */
static u64 mixed(u64 x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static u64 struct_hash(const struct scope *p, u32 i) {
    const u64 *at = (const u64 *)p->at + (size_t)i * p->nwords;
    char name[NAME_B];
    scope_name(name, p, i);
    u64 place = mixed(hash_fnv1a64(FNV1A64_START, name, strlen(name))), sum = 0;
    for (u32 k = 0; k < p->nwords; k++)
        if (at[k]) sum += mixed(mixed(place + p->words[k].hash) + at[k]);
    return sum;
}

u64 gpu_counters_hash(const struct launch_stats *s) {
    struct scope scopes[SCOPES];
    u64 sum = 0;
    pthread_once(&names_made, make_names);
    scopes_of(s, scopes);
    for (u32 p = 0; p < SCOPES; p++)
        for (u32 i = 0; scopes[p].at && i < scopes[p].n; i++) sum += struct_hash(&scopes[p], i);
    return sum;
}

static void struct_each(const struct scope *p, u32 i, counter_fn *fn, void *user) {
    const u64 *at = (const u64 *)p->at + (size_t)i * p->nwords;
    char place[NAME_B], name[2 * NAME_B];
    scope_name(place, p, i);
    for (u32 k = 0; k < p->nwords; k++) {
        if (!at[k]) continue;
        snprintf(name, sizeof(name), "%s%s", place, p->words[k].name);
        fn(user, name, at[k]);
    }
}

void gpu_counters_each(const struct launch_stats *s, counter_fn *fn, void *user) {
    struct scope scopes[SCOPES];
    pthread_once(&names_made, make_names);
    scopes_of(s, scopes);
    for (u32 p = 0; p < SCOPES; p++)
        for (u32 i = 0; scopes[p].at && i < scopes[p].n; i++) struct_each(&scopes[p], i, fn, user);
}
