/* report: what a run gave, for people and for machines. Nothing else prints numbers of a run.
 *
 *   collect.c      adding up launches
 *   metric.c       everything that is counted, by name
 *   text.c         the summary of a run without timing; sizes and counts in words
 *   timing.c       the summary of a run with timing
 *   limit.c        what limits a kernel, in one sentence
 *   bounds.c       use of ports, buses, units and queues, and the cycles each allows at least
 *   bypc.c         the table of instructions
 *   term.c         bars, colours, the terminal's width
 *   json.c, json_timing.c, json_time.c, csv.c
 *   compare.c      the table of several configurations
 *   page_write.c   results as an HTML page (report_page.h)
 *   explain.c      what a name means
 *
 * Files are opened, and found written or not, by the caller (base/output.c). */
#ifndef HEDDLE_REPORT_H
#define HEDDLE_REPORT_H

#include "gpu/gpu.h"
#include "manifest/manifest.h"
#include "stats/verdict.h"

#include <jansson.h>

struct report_kernel { /* all launches of one kernel together */
    const char *name;
    struct heddle_kernel_info info;
    u32 launches;
    const struct manifest_launch *first; /* its grid and block stand for all, unless they vary */
    bool grid_varies, block_varies;
    u64 threads, warp_instructions, thread_instructions;
    struct launch_stats timing; /* sum of its timed launches; sms is 0 when there are none */
    const struct kernel *code;  /* of pcs */
    struct pc_stats *pcs;       /* [npcs], summed over launches; NULL unless wanted */
    u32 npcs;
    const char *source; /* what it was compiled from, whose lines its instructions name; NULL when unknown */
    /* with report_wishes.timeline: its longest launch, with samples and lists; sms is 0 without */
    struct launch_stats longest;
};

struct report_launch {         /* of a timed launch */
    bool kept, locked;         /* locked: it counts for its kernel and itself, not for the run */
    struct launch_stats stats; /* without pcs; per_sm and per_partition only when wanted */
    u64 hash;                  /* gpu_counters_hash, of all of it */
};

enum by_pc { BY_PC_NONE, BY_PC_KEEP, BY_PC_TIME, BY_PC_ORDER }; /* KEEP: for the JSON results, not printed */
struct report_wishes {
    enum cpi_method cpi;
    bool full; /* not only the first screen */
    bool per_kernel, per_sm, hazards, pressure, divergence, limits;
    bool timeline; /* each kernel's longest launch over time, for the JSON results */
    enum by_pc by_pc;
    u32 by_pc_rows;   /* BY_PC_TIME: how many; UINT32_MAX for all */
    bool sample;      /* --sample was given: it is told when nothing was left out */
    const char *lock; /* kernels whose launches do not count for the run: names and patterns, with commas; NULL: none */
};

struct report {
    struct play *play;
    struct report_wishes wishes;
    FILE *counters; /* every counter of every launch goes there as the launch ends; NULL: nowhere */
    struct outcome outcome;
    double setup_seconds;
    bool stopped; /* by the user or a fault: figures cover only what was finished */
    bool left;    /* ended where --exit-cycles says: there is no checksum */
    bool unseen;  /* the results are another program's: there is none either */
    struct heddle_audit_result audit;
    bool audited;
    /* filled by report_keep, launch by launch */
    struct report_launch *launches; /* [play->m->nlaunches]; NULL without timing */
    struct launch_stats total;      /* sum of the timed launches; sms is 0 when there are none */
    struct mem_stats *partitions;   /* [total.partitions]: sums over launches; NULL unless limits are wanted */
    u64 *work;                      /* [total.sms]: warp instructions of each SM, of launches that are not locked; may be NULL */
    /* filled by both */
    struct report_kernel *kernels;
    u32 nkernels;
    u32 nlocked; /* launches that ran under the lock */
    /* filled by report_collect */
    u64 warp_instructions, thread_instructions, threads;
    u64 class_warp_instructions[HEDDLE_MAX_CLASSES];
    u64 runtime_warp_instructions; /* of a runtime that deals out work; 0: there is none */
    const char *remark;            /* on how programs ran, or NULL */
    double wall_seconds;           /* inside launches */
};

/* --- collect.c */
bool report_locks(const char *list, const char *kernel); /* whether a list of names and patterns, or NULL, has it */
void report_keep(struct report *r, u32 launch); /* what the launch that has just ended measured; nothing without timing */
void report_collect(struct report *r);          /* adds up the launches that ended or were stopped half-way */
void report_free(struct report *r);
/* A launch of k with its samples and lists; kept, as a copy, when it is the longest so far */
void report_keep_time(struct report_kernel *k, const struct launch_stats *s);
double report_rate(const struct report *r);    /* warp instructions a second; 0 when no time passed */
u64 report_state_hash(const struct report *r); /* of all counters and the final memory */
static inline bool report_timed(const struct report *r) { return r->total.sms != 0; }

/* --- metric.c: everything countable, in one list. Shares come from totals, so totals are what a metric
 * is. */
enum metric_kind {
    METRIC_CYCLES,
    METRIC_COUNTER,
    METRIC_FORMULA,
    METRIC_CPI,
    METRIC_STALL,
    METRIC_SCHED,
    METRIC_HAZARD,
    METRIC_KINDS
};
struct metric {
    const char *prefix, *name; /* together the full name; the prefix may be left out when typing */
    const char *unit, *doc;
    enum metric_kind kind;
    u32 index; /* in its table */
};
extern const char *const metric_kind_docs[METRIC_KINDS];
u32 metric_count(void);
struct metric metric_at(u32 i);
bool metric_is(const struct metric *m, const char *name); /* with its prefix or without */
int metric_find(const char *name);                        /* -1 when unknown */
const char *metric_nearest(const char *name);             /* NULL when none is near; valid until the next call */
double metric_value(const struct launch_stats *s, u32 i, enum cpi_method method); /* NAN where there is none */
double stat_named(const struct launch_stats *s, const char *name);                /* of a counter or formula that there is */
u32 sched_slots(const struct launch_stats *s, u32 scheduler);                     /* warp slots of a scheduler */
double cpi_cycles(const struct launch_stats *s, const struct sm_stats *of, u32 scheduler, enum cpi_method m,
                  u32 part);                                                 /* scheduler cycles */
double cpi_total(const struct launch_stats *s, enum cpi_method m, u32 part); /* the same, all schedulers of all SMs */
double stall_total(const struct sm_stats *of, u32 stall);                    /* slot cycles */

/* --- text.c */
void report_text(const struct report *r, FILE *out);
void report_overhead(const struct report *r,
                     FILE *out); /* lines on what is not the program's: a runtime's work, what its way to run leaves out */
/* "1.5 MiB": at most 31 characters into `to`, which is returned */
char *report_bytes(char to[32], u64 bytes);
/* "12.3 million": at most 31 characters into `to`, which is returned */
char *report_count(char to[32], double n);
/* "12.3 %", or "-" for what is not a number */
char *report_percent(char to[32], double share);
/* 512, 16x16 or 4x4x2: trailing ones are left out */
char *report_shape(char to[40], const u32 d[3], bool varies);
void report_plural(FILE *out, u64 n, const char *one, const char *many);
void report_checksum(const struct report *r, FILE *out); /* a line */
void report_lock(const struct report *r, FILE *out);     /* a line when launches were locked */
void report_outcome(const struct report *r, FILE *out);  /* memory, checksum, time: the end of every summary */

/* --- term.c */
struct term {
    bool utf8, colour;
    u32 width; /* columns; 0: no terminal, no limit */
};
struct term term_of(FILE *out);
/* Lines wider than `width` columns are broken at spaces, what follows stands under the line's last column; 0:
 * as they are */
void term_fold(FILE *out, const char *text, u32 width);
struct folding { /* what is printed to `out` between begin and end reaches the terminal folded */
    FILE *out, *to;
    struct term term; /* of the terminal */
    char *text;
    size_t len;
};
/* `otherwise`: the width where there is no terminal; 0: no limit. f must stay where it is until the end. */
void term_begin(struct folding *f, FILE *out, u32 otherwise);
void term_end(struct folding *f);
/* A bar of share x width columns, padded to width; colour is an SGR number or 0 */
void term_bar(const struct term *t, FILE *out, double share, u32 width, u32 colour);

/* --- timing.c */
void report_timing(const struct report *r, FILE *out);

/* --- limit.c: "waiting for memory, 46 % of scheduler cycles: ..." */
void report_limit(const struct launch_stats *s, const struct config *c, enum cpi_method m, struct strbuf *out);

/* --- bounds.c: the tightest first. parts: per partition, or NULL. */
enum { LIMITS_MOST = 24 };
struct limit_row {
    const char *name;
    double used;         /* share of what all instances could do in the cycles measured */
    double hottest;      /* the same of the busiest partition; not a number where there are none */
    double least_cycles; /* no schedule is shorter, with the same work or traffic */
    bool any_schedule;   /* the work is the program's; else traffic, which depends on cache hits */
};
u32 report_limits(const struct launch_stats *s, const struct mem_stats *parts, const struct config *c,
                  struct limit_row rows[LIMITS_MOST]); /* how many */
void report_limits_text(const struct launch_stats *s, const struct mem_stats *parts, const struct config *c, FILE *out);
json_t *report_limits_json(const struct launch_stats *s, const struct mem_stats *parts, const struct config *c);

/* --- bypc.c */
void report_by_pc(const struct report_kernel *k, const struct report_wishes *w, FILE *out);

/* --- json.c. Files carry their form as "schema_version": a number more when a key goes or changes its
 * meaning, not when one comes. */
enum { REPORT_SCHEMA = 1 };
json_t *report_json(const struct report *r);
void report_write_json(json_t *j, FILE *f); /* takes the reference to `j` */
/* The same into a file that is opened now, "-" for standard output; false and an error on standard error */
bool report_save_json(json_t *j, const char *file);
json_t *json_hex64(u64 x);

/* --- json_timing.c */
void json_add_timing(json_t *to, const struct launch_stats *s); /* keys of a launch, or of a sum */
json_t *json_energy(const struct config *c, const struct launch_stats *s);
json_t *json_machine(const struct config *c); /* every key with its value */
json_t *json_roofs(const struct config *c);   /* what the machine can do at most */
json_t *json_by_pc(const struct report_kernel *k);
json_t *json_number(double x); /* null for what is not a number, an integer where it is one */

/* --- json_time.c */
json_t *json_time(const struct launch_stats *s);     /* intervals, SMs by time and blocks of a launch */
json_t *json_pipeline(const struct launch_stats *s); /* stages of its first instructions; NULL when there are none */

/* --- csv.c */
void report_write_csv(const struct report *r, FILE *f);
/* The last line of a file that lacks something: "# incomplete: WHY" */
void report_mark_incomplete(FILE *f, const char *why);
void report_write_samples(const struct report *r, FILE *f);

/* --- compare.c */
struct comparison_row {  /* one configuration */
    const char **values; /* of the keys that vary */
    const struct config *config;
    u64 config_hash, state_hash, output_hash;
    enum verdict verdict;
    double wall_seconds;
    struct launch_stats total;
    double jitter; /* relative, of its own or the first configuration's runs; not a number: not measured */
    bool own_jitter;
};
struct comparison {
    bool judged; /* jitter was measured: differences below it are none (stats/verdict.h) */
    const char *name;
    const char *machine; /* NULL when it is one of the keys */
    const char **keys;
    u32 nkeys;
    const u32 *metrics; /* beyond cycles, IPC and speedup */
    u32 nmetrics;
    enum cpi_method cpi;
    VEC(struct comparison_row) rows;
    u32 each;           /* rows are measured against the first of each so many; 0: of all */
    const char *caveat; /* what to bear in mind, or NULL */
};
u32 comparison_base(const struct comparison *c, u32 row);              /* what a row is measured against */
struct figure comparison_speedup(const struct comparison *c, u32 row); /* over that */
/* What to bear in mind with results of a machine that issues out of order, of one order of the PTX or of
 * both; NULL: nothing */
const char *schedule_caveat(const struct config *c, bool both);
void comparison_text(const struct comparison *c, FILE *out);
void comparison_means(const struct comparison *c, u32 n,
                      FILE *out); /* geometric means of the speedups over n programs, all with the same configurations */
json_t *comparison_json(const struct comparison *c, u32 n);
void comparison_write_csv(const struct comparison *c, u32 n, FILE *f);
bool comparison_same_outputs(const struct comparison *c);

/* --- explain.c */
/* Prints what a counter, formula, stall cause, CPI part, hazard or scheduler cycle is; false when there is no
 * such name */
bool explain_stat(const char *name, FILE *out);
void list_stats(FILE *out);

#endif
