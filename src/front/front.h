/* front: the front ends there are, and which of them a file is for.
 *
 * A new kind of program is a room beside src/ptx with one struct frontend, and a row in front.c. */
#ifndef HEDDLE_FRONT_H
#define HEDDLE_FRONT_H

#include "isa/frontend.h"

extern const struct frontend *const front_table[];
extern const u32 front_count;

/* The front end that recognises the bytes; else the one whose files are called so, which will say what is
 * wrong with this one; else NULL. */
const struct frontend *front_find(const char *file, const u8 *bytes, size_t n);
const struct frontend *front_of_name(const char *file);          /* by its ending alone, or NULL */
const struct frontend *front_of_machine(const struct config *c); /* of what OpenCL C becomes for it */
/* What to say of bytes that nobody recognises: what they are, and what would be read */
void front_refuse(const u8 *bytes, size_t n, struct strbuf *out);

/* frontend.load and frontend.lower, with numbers read and folded in round to nearest whatever mode the caller
 * is in */
void *front_load(const struct frontend *f, const char *file, const u8 *bytes, size_t n, struct memory *mem, struct diag *dg);
struct kernel *front_lower(const struct frontend *f, void *program, u32 kernel, const struct config *machine, struct arena *arena,
                           struct diag *dg);

#endif
