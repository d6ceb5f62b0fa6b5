/* text: a program changes its own text (22_text.c), and what the stages that keep instructions, or have
 * fetched some, do then. */
#ifndef HEDDLE_CORE_TEXT_H
#define HEDDLE_CORE_TEXT_H

#include "core/core.h"

struct text_change {
    const struct tinst *from; /* [n] instructions of the program so far */
    struct tinst *to;         /* [n] from now on; may be the same place */
    u32 n;
    const struct tinst **past; /* [n] as it was, of those that are others now; else NULL */
};
void text_change(struct core *c, struct text_change *y); /* view.rewritten becomes the text; text_changed afterwards */
void text_changed(struct text_change *y);
void text_free(struct core *c);
const struct tinst *text_now(const struct text_change *y, const struct tinst *t); /* where an instruction under way is kept now */

/* --- what stages that keep instructions, or have fetched some, do then */
void fetch_text(struct core *c, const struct text_change *y);
void vfetch_text(struct core *c, const struct text_change *y);
void front_text(struct core *c, u32 slot, const struct text_change *y);
void vunits_text(struct core *c, const struct text_change *y);
void flights_text(struct core *c, const struct text_change *y);
void replay_text(struct core *c, const struct text_change *y);
void window_text(struct core *c, const struct text_change *y);

#endif
