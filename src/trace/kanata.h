/* kanata: the lines of a Kanata 0004 log, for whoever writes one. konata.c says what a reader sees.
 *
 * Time never runs backwards: kanata_cycle with an earlier cycle writes nothing. */
#ifndef HEDDLE_KANATA_H
#define HEDDLE_KANATA_H

#include "base/base.h"

struct kanata {
    FILE *out;
    u64 cycle; /* the file's; UINT64_MAX before the first kanata_cycle */
    i64 retired;
};
void kanata_begin(struct kanata *k, FILE *out);
void kanata_cycle(struct kanata *k, u64 cycle);
void kanata_row(struct kanata *k, i64 row, u64 uid, u32 thread);
void kanata_text(struct kanata *k, const char *s);                                  /* the rest of a label's line */
void kanata_stage(struct kanata *k, char op, i64 row, u32 lane, const char *stage); /* op: S starts, E ends */
void kanata_need(struct kanata *k, i64 row, i64 from); /* an arrow between rows: row waits for from */
void kanata_retire(struct kanata *k, i64 row, bool never_finished);

#endif
