/* diff.c: what changed between two results, and why. */
#ifndef HEDDLE_REPORT_DIFF_H
#define HEDDLE_REPORT_DIFF_H

#include "base/base.h"

#include <jansson.h>

bool diff_takes(const json_t *doc, struct strbuf *why); /* whether it is a result of heddle run or exec */
/* Prints the changes, of statistics the `rows` largest; whether there are any in results or counters */
bool diff_print(const json_t *a, const json_t *b, u32 rows, FILE *out);

#endif
