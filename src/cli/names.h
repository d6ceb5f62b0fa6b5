/* names: every kind of name that a user may type, listed from the table that owns it. What explains, what
 * completes a command line and what matches patterns ask here, so that no list is written twice. */
#ifndef HEDDLE_CLI_NAMES_H
#define HEDDLE_CLI_NAMES_H

#include "base/base.h"

struct name_row {
    const char *name, *doc; /* the sentence of its table, or "" */
};
struct names { /* text in `mem` or static */
    struct arena mem;
    VEC(struct name_row) at;
};
/* Adds the names of a kind: "keys", "machines" and others of names.c; false when there is no such kind */
bool names_add(struct names *n, const char *kind);
/* Adds what may be written for a key of the machine, where that is a list of words; false when there is no
 * such key */
bool names_add_values(struct names *n, const char *key);
void names_free(struct names *n);

#endif
