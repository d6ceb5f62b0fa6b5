/* places: the audit of formed fronts (EV_FRONT), for audit.c. */
#ifndef HEDDLE_PLACES_H
#define HEDDLE_PLACES_H

#include "trace/trace.h"

struct places;
struct places *places_new(u32 sms);
void places_free(struct places *p);
void places_launch(struct places *p); /* a kernel begins: every place is empty */
/* An event of kind EV_FRONT or EV_ISSUE: NULL, or what is wrong with it, and by which rule: 8 or 10 */
const char *places_take(struct places *p, const struct event *e, u32 *rule);
/* A launch ends: what is wrong with the n-th place of an SM, likewise; there are so many */
u32 places_of(const struct places *p, u32 sm);
const char *places_end(const struct places *p, u32 sm, u32 slot, u64 cycle, u32 *rule);

#endif
