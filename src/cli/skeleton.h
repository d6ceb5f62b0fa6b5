/* skeleton.c: a manifest to start from. */
#ifndef HEDDLE_CLI_SKELETON_H
#define HEDDLE_CLI_SKELETON_H

#include "cli/cli.h"
#include "heddle.h"

#include <jansson.h>

/* A launch of each kernel that can be launched; no launches when there is none */
json_t *skeleton_manifest(struct heddle *h, struct heddle_module *m, const char *program);

#endif
