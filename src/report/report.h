/* report: what a run gave, for people (text.c) and for machines (json.c). Nothing else prints numbers of a run. */
#ifndef HEDDLE_REPORT_H
#define HEDDLE_REPORT_H

#include "manifest/manifest.h"

#include <jansson.h>

struct report_kernel { /* all launches of one kernel together */
    const char *name;
    struct heddle_kernel_info info;
    u32 launches;
    const struct manifest_launch *first; /* its grid and block stand for all, unless they vary */
    bool grid_varies, block_varies;
    u64 threads, warp_instructions, thread_instructions;
};

struct report {
    struct play *play;
    struct outcome outcome;
    double setup_seconds;
    bool stopped; /* by the user or a fault: figures cover only what was finished */
    /* from here on filled by report_collect */
    struct report_kernel *kernels;
    u32 nkernels;
    u64 warp_instructions, thread_instructions, threads;
    u64 class_warp_instructions[HEDDLE_MAX_CLASSES];
    double wall_seconds; /* inside launches */
};

/* --- collect.c */
void report_collect(struct report *r); /* adds up the finished launches */
void report_free(struct report *r);
double report_rate(const struct report *r); /* warp instructions a second; 0 when no time passed */

/* --- text.c */
void report_text(const struct report *r, FILE *out);
/* "1.5 MiB": at most 31 characters into `to`, which is returned */
char *report_bytes(char to[32], u64 bytes);
/* "12.3 million": at most 31 characters into `to`, which is returned */
char *report_count(char to[32], double n);

/* --- json.c */
json_t *report_json(const struct report *r);
/* Writes to FILE, "-" for standard output; false and an error on standard error. Takes the reference to `j`. */
bool report_write_json(json_t *j, const char *file);

#endif
