/* sweep: many runs, written down once. An experiment (INI text) is planned into runs, each run is a process
 * `heddle run`, and what it measured is a row of an SQLite file.
 *
 *   experiment.c   INI text to struct experiment, with every mistake named by its line
 *   value.c        lists, times, sizes
 *   condition.c    "sm.sched == gto and size != tiny"
 *   program.c      what is run: names, files, and a hash of all they are made of
 *   plan.c         products, lists and conditions to runs; the hash that says whether two runs are one
 *   result.c       what a run gave: a flat list of names and values, out of its JSON
 *   store.c        the SQLite file: schema, migration, rows; lock.c: one writer at a time
 *   table.c        the answer of a query, for people and as CSV
 *   job.c          one run as a process, under its limits
 *   pool.c         many of them on this machine; pace.c: how long it will still take
 *   slurm.c        many of them on a cluster, as arrays of Slurm; tool.c: Slurm's commands; task.c: one of
 *                  them, on its node; shell.c: words for a shell
 *   collect.c      files of results, one a run, into the SQLite file
 *   build.c        which heddle this is
 *
 * Nothing here knows the model; a run is what `heddle run` makes of a command line. */
#ifndef HEDDLE_SWEEP_H
#define HEDDLE_SWEEP_H

#include "base/base.h"
#include "config/config.h"
#include "manifest/workload.h"

#include <jansson.h>
#include <sys/types.h>

/* --- value.c. All of a section's right-hand sides; messages go to `d` with the line. */
struct sweep_place { /* where in a text a mistake stands */
    const char *file;
    u32 line;
    struct diag *d;
};
void sweep_blame(const struct sweep_place *p, const struct diag *found); /* others' messages, at this place */
struct sweep_words {
    VEC(const char *) v;
};
void value_list(struct sweep_words *to, struct arena *mem, const char *text); /* at commas; blanks around words go */
bool value_count(const struct sweep_place *p, const char *name, const char *text, u64 low, u64 high, u64 *out);
bool value_seconds(const struct sweep_place *p, const char *name, const char *text, double *out); /* 90, 90s, 10m, 2h, 1d */
bool value_bytes(const struct sweep_place *p, const char *name, const char *text, u64 *out);      /* 512M, 4G */
bool value_number(const struct sweep_place *p, const char *name, const char *text, double low, double high, double *out);
bool value_setting(const struct sweep_place *p, const char *key, const char *value); /* of a key of a machine; policies too */
char *value_seconds_text(char to[32], double seconds);                               /* "1 h 20 min" */

/* --- condition.c */
struct condition;    /* in an arena */
struct sweep_group { /* words that conditions may be about: [groups] name = words */
    const char *name;
    struct sweep_words words;
    u32 line;
};
struct sweep_groups {
    VEC(struct sweep_group) v;
};
const struct sweep_group *group_find(const struct sweep_groups *groups, const char *name); /* or NULL */
/* NULL with an error; groups are those that stand before it */
struct condition *condition_parse(struct arena *mem, const char *text, const struct sweep_groups *groups,
                                  const struct sweep_place *p);
extern const char *const condition_names[]; /* beside the keys of a machine; NULL at the end */
/* What a name stands for in a run */
typedef const char *condition_lookup(void *of, const char *name);
struct experiment;
/* Whether all names of programs, sizes, machines and configurations are ones that a run can have */
bool condition_check(const struct condition *c, const struct experiment *x, const struct sweep_place *p);
bool condition_holds(const struct condition *c, condition_lookup *lookup, void *of);

/* --- program.c */
enum { SWEEP_SIZES = WORKLOAD_SIZES };
struct sweep_program {
    const char *name;                /* as the experiment writes it */
    const struct workload *workload; /* NULL: a file */
    const char *path;                /* absolute, of a manifest or a program; NULL for a workload */
    const char *manifest;            /* absolute, for a program; NULL else */
    u32 line;
    bool known[SWEEP_SIZES]; /* whether those below are filled; a file has one size, the first */
    u64 hash[SWEEP_SIZES];   /* of manifest, program and the files of its buffers */
    u64 bytes[SWEEP_SIZES];  /* of its buffers */
    bool drawn[SWEEP_SIZES]; /* whether --seed would change its data, and its expected output with it */
};
struct experiment;
bool program_add(struct experiment *x, const char *text, const struct sweep_place *p); /* a name, a file, a pattern, "all" */
bool program_absent(struct experiment *x, const char *text); /* a file, or a pattern, that is not there */
/* What a study's tables call it: a workload's name, or [programs] prefix and a file's name without folder
 * and ending */
const char *program_label(struct experiment *x, const struct sweep_program *p);
bool program_look(struct experiment *x, struct sweep_program *of, u32 size, struct diag *d); /* fills hash and bytes */

/* --- experiment.c */
enum { SWEEP_MOST_THREADS = 256 }; /* of a run, as --threads */
struct sweep_setting {
    const char *key, *value;
    u32 line;
};
struct sweep_measure { /* what is timed: options of heddle run, without dashes; "" for those without a value */
    const char *program;
    u32 line;
    VEC(struct sweep_setting) set;
};
struct sweep_axis { /* a key and its values */
    const char *key;
    struct sweep_words values;
    u32 line;
    u32 group; /* of [list NAME]: axes of one group go in step; 0: on its own */
};
struct sweep_configuration { /* or a part of some */
    const char *name;
    u32 line;
    VEC(struct sweep_setting) set;
    const char *machines; /* those it runs on, with commas; NULL: all */
    u32 machines_line;
    const char *exit_cycles; /* in place of the program's exit-cycles; NULL: as that says */
    u32 exit_line;
};
struct sweep_configurations {
    u32 n, cap;
    struct sweep_configuration *at;
};
struct sweep_rule { /* of [conditions] */
    struct condition *holds;
    u32 line;
    bool only; /* runs stay when it holds; else they go */
};
struct sweep_entry { /* of a study's sections, which study.c reads */
    const char *section, *name, *key, *value;
    u32 line;
};
struct sweep_slurm { /* of [slurm]; texts as sbatch takes them, NULL where Slurm shall choose */
    const char *partition, *time, *memory, *account, *qos;
    u64 cpus;     /* of a task */
    u64 array;    /* tasks of one array at most */
    u64 at_once;  /* of an array's tasks that run at the same moment; 0: Slurm's choice */
    u64 attempts; /* how often a run that leaves no result is handed in */
    double poll;  /* seconds between two looks at the queue */
    struct sweep_words options;
};
struct experiment {
    struct arena mem;
    const char *file, *folder; /* as given; its folder with a slash, or "" */
    const char *name;
    const char *database; /* path */
    VEC(struct sweep_program) programs;
    const char *prefix; /* of the names of files in a study's tables */
    struct {
        VEC(u32) v;
    } sizes;                          /* indices of workload_sizes */
    struct sweep_words machines;      /* names, or absolute paths */
    struct sweep_words machine_names; /* the same as they are written */
    struct sweep_words absent;        /* of if_there: what was not */
    VEC(struct sweep_axis) axes;
    struct sweep_configurations parts, configurations;
    struct sweep_groups groups;
    VEC(struct sweep_rule) rules;
    struct sweep_measure measure;       /* of programs without one of their own */
    VEC(struct sweep_measure) measures; /* [measure PROGRAM] */
    bool study;
    VEC(struct sweep_entry) entries; /* of a study */
    u32 repetitions, repetitions_line;
    const char *perturb; /* the key that repetitions move; NULL: those of config_perturb */
    u32 perturb_step;
    bool reseed;          /* repetition r has other data as well, --seed r */
    bool near;            /* of a study: repetitions of the baseline, and of what is near it */
    double limit_seconds; /* of a run; 0: none */
    u64 limit_bytes;
    u64 workers, threads; /* 0: as many as fit */
    struct sweep_slurm slurm;
    u64 host_bytes; /* memory that all runs together may take; 0: four fifths of what is free */
};
bool experiment_read(struct experiment *x, const char *path, struct diag *d);
bool experiment_read_study(struct experiment *x, const char *path, struct diag *d); /* with the sections of a study */
void experiment_free(struct experiment *x);
const struct sweep_measure *experiment_measure(const struct experiment *x, const char *program);
void experiment_sizes(struct experiment *x, const char *value, const struct sweep_place *p); /* of workload_sizes */
const char *experiment_path(struct experiment *x, const char *path); /* absolute, relative to the experiment's folder */

/* --- configuration.c: one is begun, then takes its keys; `part`: a part of some */
void configuration_begin(struct experiment *x, bool part, const char *name, const struct sweep_place *p);
void configuration_take(struct experiment *x, bool part, const char *key, const char *value, const struct sweep_place *p);
void configuration_product(struct experiment *x, const char *value, const struct sweep_place *p);           /* A B, C D */
void configuration_check(struct experiment *x, struct diag *d);                                             /* when all is read */
bool configuration_runs_on(struct experiment *x, const struct sweep_configuration *c, const char *machine); /* c NULL: yes */
/* The value of a measuring option in a configuration, "" for none */
const char *configuration_option(const struct experiment *x, const char *configuration, const struct sweep_setting *option);
void configuration_free(struct experiment *x);

/* --- plan.c */
struct sweep_run {
    u32 program; /* index */
    u32 size;    /* of workload_sizes; 0 for files */
    u32 repetition;
    u32 same_as; /* an earlier run that is the same one; its own index when there is none */
    const char *machine, *configuration;
    const char *settings; /* "key=value key=value": what differs from the machine */
    u64 config_hash, hash;
};
struct plan {
    struct experiment *x;
    VEC(struct sweep_run) runs;
};
bool plan_make(struct plan *p, struct experiment *x, struct diag *d);
void plan_free(struct plan *p);
void plan_find_same(struct plan *p);                                    /* fills same_as */
const char *plan_size(const struct plan *p, const struct sweep_run *r); /* "" for files */
bool plan_moves(const struct experiment *x, const char *key);           /* whether repetitions move it */
/* The command line of a run, each word malloc'd, NULL at the end. `heddle`: the first word; `json`: where its
 * results go */
char **plan_command(const struct plan *p, const struct sweep_run *r, const char *heddle, u32 threads, const char *json);
void plan_command_free(char **words);

/* --- build.c */
/* What this heddle was built from: a commit, and a hash of the command where the tree had changes */
const char *build_commit(void);

/* --- result.c: a run that has ended */
struct result_value {
    const char *name;
    enum { RESULT_INTEGER, RESULT_REAL, RESULT_TEXT, RESULT_NULL } kind;
    i64 i;
    double x;
    const char *text;
};
struct result_row {
    VEC(struct result_value) at;
};
struct result_what { /* which run; texts of the plan, "" for none */
    const char *program, *size, *machine, *settings, *measure;
    u64 hash, config_hash;
};
struct result {
    struct arena mem;
    struct result_what what;
    bool done; /* it ended by itself with results; else `message` says why not */
    const char *message;
    int exit_code; /* of heddle run; 128 and a signal's number */
    u32 attempt, threads;
    double started;              /* seconds since 1970 */
    double seconds, cpu_seconds; /* of the process */
    u64 peak_b;
    const char *host, *commit;
    struct result_row run;          /* statistics and what else the JSON has at its top */
    VEC(struct result_row) kernels; /* "name" is their first value */
    json_t *document;               /* what heddle run wrote; NULL without */
};
const struct result_value *result_value(const struct result_row *r, const char *name); /* NULL when it has none */
/* Fills run and kernels from what heddle run wrote; false with the reason when it is no result that this
 * heddle reads */
bool result_take(struct result *r, const json_t *result, struct strbuf *why);
void result_free(struct result *r);
void result_what_of(struct result *r, const json_t *o); /* which run such a file or a task is about */
json_t *result_json(const struct result *r);            /* as a file, which result_read takes */
/* From such a file, or from what heddle run wrote (`what` and times are then left alone); false with the
 * reason */
bool result_read(struct result *r, const char *path, struct strbuf *why);
void plan_what(const struct plan *p, const struct sweep_run *r, struct arena *mem, struct result_what *to);

/* --- lock.c */
struct sweep_lock {
    int fd; /* -1: none */
    char *path;
};
/* False with the reason in `why`: somebody else's sweep, by name, unless `wait` */
bool lock_take(struct sweep_lock *l, const char *database, bool wait, bool (*stop)(void), struct strbuf *why);
void lock_release(struct sweep_lock *l);
bool lock_holder(const char *database, struct strbuf *who); /* whether a sweep is at work on it */

/* --- store.c. Functions that can fail say why in `why` of the store. */
struct store;
struct sqlite3;
enum { STORE_SCHEMA = 2, STORE_APPLICATION = 0x6864646c }; /* user_version and application_id of the file */
enum store_mode { STORE_READ, STORE_WRITE };
struct store *store_open(const char *path, enum store_mode mode, struct strbuf *why); /* NULL with the reason */
void store_close(struct store *s);
const char *store_why(const struct store *s);
struct sqlite3 *store_handle(struct store *s);
bool store_begin(struct store *s);
bool store_commit(struct store *s);
void store_rollback(struct store *s);
bool store_plan(struct store *s, const struct plan *p);      /* what the experiment is made of now */
bool store_attempt(struct store *s, u64 hash, u32 *attempt); /* a run begins: the number of this attempt, from 1 */
bool store_put(struct store *s, const struct result *r);     /* its row, in place of a failed one; a done one stays */
json_t *store_document(struct store *s, u64 hash);           /* what heddle run wrote, without launches; NULL: none */
enum store_state { STORE_ABSENT, STORE_DONE, STORE_FAILED };
enum store_state store_state(struct store *s, u64 hash);
/* Mean time and largest memory of finished runs of a program; both 0 when there is none */
void store_cost(struct store *s, const char *program, const char *size, double *seconds, u64 *peak_b);
u64 store_number(struct store *s, const char *sql); /* the first column of its first row; 0 without one */

void store_files(const char *path, struct arena *mem, struct sweep_words *to); /* it, its lock, SQLite's own */

/* --- shell.c */
void shell_word(struct strbuf *to, const char *word); /* in quotes where it needs them */

/* --- table.c */
/* All rows of a query; "NULL" and numbers as SQLite writes them. False with the reason. */
bool table_print(struct store *s, const char *sql, FILE *out, struct strbuf *why);
bool table_csv(struct store *s, const char *sql, FILE *out, struct strbuf *why);

/* --- job.c */
struct job {
    pid_t pid; /* 0: none */
    int out, err;
    struct strbuf text, errors;
    double started, started_at; /* clock_seconds, and since 1970 */
    double limit_seconds;       /* 0: none */
    u64 limit_bytes;
    u64 peak_b, ours_b; /* its peak; our own size when it began */
    const char *killed; /* why we ended it, or NULL */
    bool ended;
    int status; /* of waitpid */
    double cpu_seconds;
};
bool job_start(struct job *j, char *const *command, struct strbuf *why);
void job_look(struct job *j); /* takes what it wrote, holds it to its limits; sets `ended` */
void job_kill(struct job *j, const char *why);
void job_finish(struct job *j, struct result *r); /* what it gave; frees */

/* --- pace.c */
struct pace_group { /* runs of one program in one size */
    u32 program, size;
    u32 left; /* not ended */
    u32 done;
    double seconds; /* of those that are done, in all */
};
struct pace {
    VEC(struct pace_group) groups;
};
void pace_init(struct pace *p, const struct plan *plan, struct store *s); /* nothing is left; times from earlier runs */
void pace_more(struct pace *p, const struct sweep_run *r);
void pace_done(struct pace *p, const struct sweep_run *r, double seconds);
double pace_mean(const struct pace *p, const struct sweep_run *r); /* of a run; 0 when nothing is known */
/* Seconds of runs that are left, and how many programs that is a guess for */
double pace_left(const struct pace *p, u32 *unknown);
void pace_free(struct pace *p);

/* --- pool.c */
struct sweep_counts {
    u32 runs;                /* of the plan, each once */
    u32 done, failed, wrong; /* wrong: done, and not the expected output */
    u32 found;               /* of those, in the file before */
};
struct sweep_options {
    bool retry; /* failed runs once more */
    bool quiet;
    bool (*stop)(void); /* a signal came */
};
/* 0 when all was tried; -1 with an error printed; 1 when stopped */
int pool_run(const struct plan *p, struct store *s, const struct sweep_options *o, struct sweep_counts *c);
void sweep_count(const struct plan *p, struct store *s, struct sweep_counts *c); /* without running anything */

/* --- collect.c */
const char *collect_folder(struct experiment *x); /* where files of results lie: the database's name with .tasks */
/* Takes in what lies there and removes it; how many runs, or -1 with an error printed */
i32 collect_all(const struct plan *p, struct store *s);
char *collect_file(struct experiment *x, u64 hash); /* of one run; free it */

/* --- tool.c: another program's answer */
bool tool_run(const char *const *words, struct strbuf *out, struct strbuf *errors); /* whether it ended with 0 */

/* --- slurm.c: as pool_run */
int slurm_run(const struct plan *p, struct store *s, const struct sweep_options *o, struct sweep_counts *c);

/* --- task.c */
/* A batch's text: what each of its tasks runs. False when it could not be written. */
bool task_write(const struct plan *p, const u32 *runs, const u32 *attempts, u32 n, u32 threads, const char *path,
                struct strbuf *why);
int task_run(const char *path, u64 index); /* one of them, here; an exit code */

#endif
