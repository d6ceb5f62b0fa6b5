/* arrows: which instruction wrote what another one reads, for traces that draw dependences. By register, of
 * one warp, in program order; memory is not followed. */
#ifndef HEDDLE_ARROWS_H
#define HEDDLE_ARROWS_H

#include "trace/facts.h"
#include "trace/trace.h"
#include "trace/uids.h"

enum { ARROWS_MAX = 16 }; /* of one instruction; further ones are not told */
struct arrows {           /* all zero: empty */
    struct facts facts;
    u32 ninst;              /* that the facts are of */
    struct uid_map writers; /* (SM, slot and frame and register): low half of the uid */
    struct uid_map born;    /* (SM, slot + 1): low half of the first uid of the warp that is in the slot */
};
void arrows_launch(struct arrows *a, const struct kernel *k); /* forgets all instructions */
void arrows_warp(struct arrows *a, const struct event *e);    /* EV_WARP_START: registers are new */
void arrows_text(struct arrows *a, const struct event *e);    /* EV_TEXT: an instruction is another */
/* An instruction in program order (EV_WINDOW, or EV_ISSUE without it): the low halves of the uids that it
 * waits for, at most ARROWS_MAX, each once; how many */
u32 arrows_take(struct arrows *a, const struct event *e, u32 from[ARROWS_MAX]);
void arrows_free(struct arrows *a);

#endif
