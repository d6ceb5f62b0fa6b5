/* rv_keys: keys of a machine as the tests write them, "key=value" apart by spaces. */
#ifndef RV_KEYS_H
#define RV_KEYS_H

#include "api/api.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static inline void set_keys(struct heddle *h, const char *keys) {
    char text[512];
    snprintf(text, sizeof(text), "%s", keys);
    for (char *save = NULL, *k = strtok_r(text, " ", &save); k; k = strtok_r(NULL, " ", &save)) {
        char *value = strchr(k, '=');
        *value++ = 0;
        if (heddle_set_key(h, k, value) != HEDDLE_OK) fail_msg("%s = %s: %s", k, value, heddle_message(h));
    }
}

#endif
