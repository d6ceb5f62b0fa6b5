/* Studies: study.c runs them, study_answers.c asks their questions, study_page.c and study_draw.c write
 * the answers down. */
#ifndef HEDDLE_SWEEP_STUDY_H
#define HEDDLE_SWEEP_STUDY_H

#include "sweep/store.h"

struct study_options {
    struct sweep_options sweep;
    bool quick;
    const char *row;    /* one program; NULL: all */
    const char *builds; /* other builds whose results count: NAME, NAME; NULL: none */
};
struct study {
    struct experiment x;
    const struct study_options *o;
    const char *baseline; /* a configuration */
    bool by_program;      /* a row is a program, not a kernel */
    double seconds;       /* of processor time that all of it takes, as it says; 0: it does not say */
    struct store *store;
    struct sweep_words builds; /* study_options' */
    struct plan plan;          /* what was run */
    struct sweep_counts counts;
};

/* --- study.c */
bool study_read(struct study *s, const char *path, const struct study_options *o, struct diag *d);
int study_run(struct study *s, struct store *store, struct diag *d); /* as pool_run */
void study_free(struct study *s);
/* All values of a key of [SECTION NAME], a line each; NULL without */
const char *study_text(const struct study *s, const char *section, const char *name, const char *key);
const char *study_value(const struct study *s, const char *section, const char *name, const char *key, const char *otherwise);
void study_names(const struct study *s, const char *section, struct sweep_words *to);

/* One statement that only reads, or NULL with the place and the reason */
sqlite3_stmt *study_question(const struct study *s, const char *sql, struct strbuf *why);
void study_blame(const struct study *s, const char *sql, const char *what, struct strbuf *why); /* a place before `what` */

/* --- study_list.c: the bundled ones, by name */
struct study_row {
    const char *name, *path, *title;
    u32 programs, configurations; /* 0: the description cannot be read */
    double seconds;               /* as struct study */
};
struct study_list {
    struct arena mem;
    u32 n;
    struct study_row *at;
};
struct study_list study_list(void);
void study_list_free(struct study_list *l);

/* --- borrow.c: results of other builds */
bool borrow_check(struct store *s, const struct sweep_words *builds, struct strbuf *why); /* whether it has runs of each */
bool borrow_runs(struct plan *p, struct store *s, const struct sweep_words *builds);      /* those that this one has not made */
void borrow_tell(struct store *s, struct strbuf *to);                                     /* whose the runs of the plan are */

/* --- study_answers.c: all statements and figures as JSON (its head says how); `called`: what the study was
 * asked for as, a name or a path; NULL with the reason */
json_t *study_answers(struct study *s, const char *called, struct strbuf *why);

/* --- study_page.c */
/* The page of such answers, and its drawings and tables beside it (NAME_FIGURE.svg, NAME_tables.md) when
 * there is a folder for them. False with the reason. */
bool study_write(const json_t *answers, FILE *out, const char *folder, const char *name, struct strbuf *why);

/* --- study_draw.c */
void study_draw(const json_t *figure, FILE *out); /* one of those, as SVG */

/* --- aggregate.c */
bool store_aggregates(struct store *s, struct experiment *x);

#endif
