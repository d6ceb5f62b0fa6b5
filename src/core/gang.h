/* gang: the inside of 43_gang.c, 43_meet.c and 43_slices.c, for these files alone. */
#ifndef HEDDLE_CORE_GANG_H
#define HEDDLE_CORE_GANG_H

#include "core/form.h"

struct gangs {
    u32 width, n;        /* of this launch: lanes of a slice, slices of a warp */
    u32 stride;          /* from the place of one slice to that of the next of the same warp */
    u32 used;            /* gangs of two slices or more: entries of the table */
    u32 *slices;         /* [nfronts]: those of the front, a bit each; 0: there is none */
    bool *parted;        /* [nfronts]: each slice of its gang is alone, and has yet to issue */
    struct sliced {      /* of a warp */
        u16 at;          /* place of the slice's front; NO_PLACE: its threads have ended */
        u8 lead;         /* a lane of the group that it runs */
        u64 polled_at;   /* the warp's polls when that group got its turn */
    } (*of)[VWS_SLICES]; /* [nslots] */
};

struct stand { /* where a slice's threads are */
    i32 pc;
    bool waits;
    u64 lanes; /* of the group that runs, or that waits */
};
struct part_of { /* slices that go on as one front */
    u32 slices;
    i32 pc;
    bool waits;
};
struct parts_of {
    u32 n;
    bool alone; /* each slice is, because the gang has parted */
    struct part_of at[VWS_SLICES];
};

static inline u64 slice_lanes(const struct core *c, u32 slice) {
    u64 ones = c->gang->width == 64 ? ~0ull : (1ull << c->gang->width) - 1;
    return ones << slice * c->gang->width;
}
static inline u32 place_of(const struct core *c, u32 home, u32 slice) { return slice * c->gang->stride + home; }
static inline u32 home_of(const struct core *c, u32 slot) { return c->fronts[slot].part[0].home; }
static inline bool is_gang(u32 slices) { return slices & (slices - 1); }
static inline u32 gang_size(const struct core *c, u32 slot) { return (u32)__builtin_popcount(c->gang->slices[slot]); }

/* --- 43_slices.c */
u64 slices_lanes(const struct core *c, u32 slices);
u32 slices_of(const struct core *c, u64 lanes);                          /* those with some of these lanes */
void slices_part(const struct core *c, struct warp *w, u64 lanes);       /* groups of these lanes that can run: one slice each */
bool slice_stands(struct core *c, u32 home, u32 slice, struct stand *s); /* false: all have ended, or after a fault */
bool slices_ready(const struct core *c, u32 home, u32 slices);           /* some group of theirs can run */

/* --- 43_gang.c */
void gang_counts(struct core *c, u32 before, u32 after);              /* an entry of the gang table is taken or given back */
void gang_finds_entries(struct core *c, u32 own, struct parts_of *x); /* U4: gangs that find none are slices */
void gang_parts(struct core *c, u32 slot, const struct parts_of *x, const struct stand *at);
void gang_ends(struct core *c, u32 slot);

/* --- 43_meet.c */
u32 gang_beside(const struct core *c, u32 slot); /* another front of the warp at the same instruction; NO_PLACE */

#endif
