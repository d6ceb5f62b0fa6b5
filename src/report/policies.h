/* policies.c: `heddle list policies` and `heddle explain NAME`. */
#ifndef HEDDLE_REPORT_POLICIES_H
#define HEDDLE_REPORT_POLICIES_H

#include "base/base.h"

void report_list_policies(FILE *out);
/* Prints what every policy of that name does, where it comes from and its keys; false when there is none */
bool explain_policy(const char *name, FILE *out);

#endif
