/* api: what the files of this room share. The contract is include/heddle.h.
 *
 *   api.c      contexts, modules, memory, launches
 *   texture.c  textures, samplers and surfaces
 *   timing.c   the machine: a chip is built at the first launch, and launches go through it */
#ifndef HEDDLE_API_H
#define HEDDLE_API_H

#include "func/func.h"
#include "func/texture.h"
#include "gpu/gpu.h"
#include "heddle.h"
#include "isa/frontend.h"

struct timing {
    bool on; /* a machine was set */
    struct config config;
    struct gpu_limits limits;
    struct gpu *gpu; /* NULL until the first launch */
    bool measured;   /* stats are of the last launch */
    struct launch_stats stats;
    volatile bool stop; /* set by heddle_stop, taken back when a launch has obeyed */
    VEC(struct listener) listeners;
    struct konata *konata;
    struct perfetto *perfetto;
    struct replays *replays;
    struct timeline *timeline;
    bool audited; /* wanted; the audit itself is made with the chip */
    struct audit *audit;
};

struct heddle {
    struct heddle_options opt;
    struct memory mem;
    struct textures textures;
    struct strbuf message;
    struct heddle_module *modules; /* loaded and not freed, newest first */
    struct timing time;
};

/* --- api.c */
int api_fail(struct heddle *h, int status, const char *fmt, ...) PRINTF_LIKE(3, 4); /* sets the message; returns status */
/* A module of the given front end, whatever the bytes look like */
int api_module_load(struct heddle *h, const struct frontend *f, const char *name, const u8 *bytes, size_t len,
                    struct heddle_module **out);

/* --- texture.c: what the reference of a module with this handle stands for */
int texture_bind(struct heddle *h, u64 handle, const struct heddle_texture *t);

/* --- timing.c */
u32 timing_warp_size(const struct heddle *h);
/* Runs l on the machine; an enum heddle_status. The statistics are in h->time.stats, whatever came of it. */
int timing_launch(struct heddle *h, struct launch *l, u32 registers, bool functional);
int timing_stopped(struct heddle *h, const struct launch *l); /* says so; takes the wish back */
void timing_close(struct heddle *h);

#endif
