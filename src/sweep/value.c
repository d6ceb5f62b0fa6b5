/* The right-hand sides of an experiment: lists, counts, times, sizes. */
#include "core/policies.h"
#include "sweep/sweep.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void value_list(struct sweep_words *to, struct arena *mem, const char *text) {
    for (const char *at = text;; at++) {
        size_t n = strcspn(at, ",");
        const char *from = at, *end = at + n;
        while (from < end && isspace((unsigned char)*from)) from++;
        while (end > from && isspace((unsigned char)end[-1])) end--;
        VEC_PUSH(&to->v, arena_strdup(mem, from, (size_t)(end - from)));
        at += n;
        if (!*at) return;
    }
}

/* The number at the start of a text and what follows it; false when there is none */
static bool number_of(const char *text, double *x, const char **rest) {
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *x = strtod(text, &end);
    while (isspace((unsigned char)*end)) end++;
    *rest = end;
    return errno == 0;
}

bool value_count(const struct sweep_place *p, const char *name, const char *text, u64 low, u64 high, u64 *out) {
    char *end;
    errno = 0;
    u64 x = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno && x >= low && x <= high) {
        *out = x;
        return true;
    }
    diag_error(p->d, p->file, p->line, 0, "%s must be an integer from %llu to %llu, not \"%s\"", name, (unsigned long long)low,
               (unsigned long long)high, text);
    return false;
}

bool value_seconds(const struct sweep_place *p, const char *name, const char *text, double *out) {
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    const char *rest;
    double x;
    if (number_of(text, &x, &rest) && x > 0)
        for (u32 i = 0; i < ARRAY_LEN(units); i++)
            if (strcmp(rest, units[i].unit) == 0 && x * units[i].seconds <= 1e8) {
                *out = x * units[i].seconds;
                return true;
            }
    diag_error(p->d, p->file, p->line, 0, "%s must be a time such as 90, 90s, 10m, 2h or 1d, not \"%s\"", name, text);
    return false;
}

bool value_bytes(const struct sweep_place *p, const char *name, const char *text, u64 *out) {
    static const char units[] = "KMGT";
    const char *rest;
    double x;
    if (number_of(text, &x, &rest) && x > 0) {
        const char *unit = *rest ? strchr(units, toupper((unsigned char)*rest)) : NULL;
        const char *after = unit ? rest + 1 : rest;
        if (unit && *after == 'i') after++;
        if (unit && toupper((unsigned char)*after) == 'B') after++;
        double bytes = unit ? x * (double)(1ull << (10 * (unit - units + 1))) : x;
        if (unit && !*after && bytes < 1e18) {
            *out = (u64)bytes;
            return true;
        }
    }
    diag_error(p->d, p->file, p->line, 0, "%s must be a size with its unit, such as 512M or 4G, not \"%s\"", name, text);
    return false;
}

bool value_number(const struct sweep_place *p, const char *name, const char *text, double low, double high, double *out) {
    const char *rest;
    double x;
    if (number_of(text, &x, &rest) && !*rest && x >= low && x <= high) {
        *out = x;
        return true;
    }
    diag_error(p->d, p->file, p->line, 0, "%s must be a number from %g to %g, not \"%s\"", name, low, high, text);
    return false;
}

static bool check_policy(const struct sweep_place *p, const struct cfg_key *k, const char *name) {
    struct strbuf legal = {0};
    bool found = false;
    for (u32 i = 0; i < policy_count() && !found; i++) {
        struct policy_row row = policy_at(i);
        if (strcmp(row.kind, k->choices)) continue;
        strbuf_add(&legal, "%s%s", legal.len ? ", " : "", row.name);
        found = strcmp(row.name, name) == 0;
    }
    if (!found) diag_error(p->d, p->file, p->line, 0, "%s must be one of %s, not \"%s\"", k->name, legal.s, name);
    strbuf_free(&legal);
    return found;
}

bool value_setting(const struct sweep_place *p, const char *key, const char *value) {
    struct config scratch;
    const struct cfg_key *k = cfg_key_find(key);
    config_default(&scratch);
    if (!config_set(&scratch, key, value, p->d, p->file, p->line)) return false;
    return !k || k->type != KEY_TYPE_POLICY || check_policy(p, k, value);
}

char *value_seconds_text(char to[32], double seconds) {
    u64 s = seconds < 0 ? 0 : (u64)(seconds + 0.5);
    if (s < 100) snprintf(to, 32, "%llu s", (unsigned long long)s);
    else if (s < 3600) snprintf(to, 32, "%llu min %02llu s", (unsigned long long)(s / 60), (unsigned long long)(s % 60));
    else snprintf(to, 32, "%llu h %02llu min", (unsigned long long)(s / 3600), (unsigned long long)(s / 60 % 60));
    return to;
}
