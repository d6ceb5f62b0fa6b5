/* uids: from (SM, number) to an index, for listeners that follow instructions in flight, or those of a text
 * that changes (facts.h). Numbers count from 1 and are less than 2^48. */
#ifndef HEDDLE_UIDS_H
#define HEDDLE_UIDS_H

#include "base/base.h"

enum { UIDS_NONE = -1 };
struct uid_map { /* all zero: empty */
    u64 *key;    /* 0: free */
    u32 *at;
    u32 n, cap; /* cap: a power of two, more than twice n */
};
i64 uids_get(const struct uid_map *m, u32 sm, u64 uid); /* UIDS_NONE when it is not there */
void uids_put(struct uid_map *m, u32 sm, u64 uid, u32 at);
void uids_drop(struct uid_map *m, u32 sm, u64 uid);
void uids_clear(struct uid_map *m);
void uids_free(struct uid_map *m);

#endif
