/* What a driver inside someone else's program writes down, and `heddle exec` reads: which steps the program
 * took, and what its launches gave.
 *
 * A file of records, each appended in one write, so that several processes may share it. Both sides come from
 * one build: structs are written as they are, and the header's `bytes` tells when they do not match. */
#ifndef HEDDLE_RECORD_H
#define HEDDLE_RECORD_H

#include "gpu/gpu.h"
#include "heddle.h"

enum record_what {
    RECORD_LOADED,     /* the loader asked for the platform */
    RECORD_DEVICE,     /* the program asked for devices and got ours; value: the type asked for */
    RECORD_OTHER_TYPE, /* the program asked for devices of a type that ours is not; value: the type */
    RECORD_CONTEXT,    /* a context was made */
    RECORD_NO_BUILD,   /* a program did not compile; the start of its build log follows, at most RECORD_LOG_B */
    RECORD_REFUSED,    /* a launch was refused; value: minus the CL error */
    RECORD_FAULT,      /* a launch failed; value: the launch's number */
    RECORD_LOST,       /* a file of the driver's could not be written, and it was said why */
    RECORD_LAUNCH,     /* struct launch_record follows */
    /* of the launch before: its kernel's name in RECORD_NAME_B bytes and a struct record_pc for each
     * instruction follow */
    RECORD_PCS,
    /* a launch over time that is its kernel's longest so far: struct record_time, then the lists it counts */
    RECORD_TIME,
    RECORD_SOURCE, /* a kernel's name in RECORD_NAME_B bytes and the source of its program, at most RECORD_SOURCE_B */
    RECORD_KINDS
};
#define RECORD_MAGIC    0x68645243u
#define RECORD_NAME_B   128
#define RECORD_LOG_B    4096
#define RECORD_SOURCE_B (1u << 20)

struct record_header {
    u32 magic, what;
    u32 pid, bytes; /* of what follows */
    u64 value;
};

struct launch_record { /* one launch */
    char kernel[RECORD_NAME_B];
    u64 index; /* among all launches of its process */
    u32 grid[3], block[3], dynamic_shared_b;
    u32 registers, predicates, shared_b, local_b, const_b, param_b, instructions; /* struct heddle_kernel_info */
    struct heddle_result result;
    i32 status;                /* enum heddle_status */
    u64 memory_b;              /* device memory in use */
    u32 buffers;               /* memory objects that live */
    bool measured;             /* `stats` is filled */
    char limiter[32];          /* stats.occupancy.limiter */
    u64 hash;                  /* gpu_counters_hash */
    struct launch_stats stats; /* its pointers are NULL */
};

struct record_pc { /* one instruction */
    struct pc_stats stats;
    u32 flags, iclass, text_line, line; /* struct inst and its src */
    char file[64], text[96];
};
struct record_pcs { /* those of one launch */
    char kernel[RECORD_NAME_B];
    struct record_pc *at;
    u32 n;
};

struct record_time { /* samples, of SMs too, blocks and instructions follow, in this order */
    char kernel[RECORD_NAME_B];
    struct launch_stats stats; /* its pointers mean nothing */
};
struct launch_time { /* read back */
    char kernel[RECORD_NAME_B];
    struct launch_stats stats; /* with its lists */
};

struct record_text {
    char kernel[RECORD_NAME_B];
    char *text;
};

struct report;
struct record {             /* a file, read */
    u64 seen[RECORD_KINDS]; /* how many of each */
    u64 other_types;        /* all types asked for that ours is not */
    u64 refused;            /* the last launch's */
    char *log;              /* of the first program that did not compile; NULL when there is none */
    u32 processes;
    VEC(struct launch_record) launches;
    VEC(struct record_pcs) pcs;
    VEC(struct launch_time) times;
    VEC(struct record_text) sources;
};
/* --- record.c. False when the file cannot be read or comes from another version; an empty one is fine. */
bool record_read(const char *path, struct record *out);
void record_free(struct record *r);
/* Fills a report, and the play and manifest it refers to, from the launches. `h` has the machine. `play`, `m`
 * and `rec` must outlive the report. */
struct play;
struct manifest;
void record_report(const struct record *rec, struct heddle *h, const char *name, struct play *play, struct manifest *m,
                   struct report *r);
void record_report_free(struct play *play, struct manifest *m, struct report *r);

#endif
