/* Keys of the laboratory's machines: names, ranges and meanings stand in each machine's table; here they
 * are read, from an INI file as machines of the simulator are, and printed. An unknown key is an error
 * that names the nearest. */
#include "lab/lab.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

i64 *lab_keys_new(const struct lab_machine *m) {
    i64 *key = base_alloc((m->nkeys + 1) * sizeof(i64));
    for (u32 i = 0; i < m->nkeys; i++) key[i] = m->keys[i].def;
    return key;
}

static i64 choice_of(const char *choices, const char *value) {
    i64 n = 0;
    for (const char *at = choices; *at; n++) {
        size_t len = strcspn(at, "|");
        if (strlen(value) == len && memcmp(at, value, len) == 0) return n;
        at += len + (at[len] == '|');
    }
    return -1;
}

void lab_keys_text(const struct lab_machine *m, const i64 *key, u32 k, char out[32]) {
    const char *at = m->keys[k].choices;
    if (!at) {
        snprintf(out, 32, "%lld", (long long)key[k]);
        return;
    }
    for (i64 i = 0; i < key[k]; i++) at += strcspn(at, "|") + 1;
    snprintf(out, 32, "%.*s", (int)strcspn(at, "|"), at);
}

static bool unknown_key(const struct lab_machine *m, const char *name, struct diag *d, const char *file, u32 line) {
    const char *names[64];
    u32 n = 0;
    for (; n < m->nkeys && n < ARRAY_LEN(names); n++) names[n] = m->keys[n].name;
    const char *near = text_nearest(name, names, n);
    if (near) diag_error(d, file, line, 0, "machine %s has no key \"%s\"; did you mean \"%s\"?", m->name, name, near);
    else diag_error(d, file, line, 0, "machine %s has no key \"%s\"; \"heddle lab keys %s\" lists them", m->name, name, m->name);
    return false;
}

static bool bad_value(const struct lab_key *k, const char *value, struct diag *d, const char *file, u32 line) {
    if (!k->choices)
        diag_error(d, file, line, 0, "%s must be a number from %lld to %lld, not \"%s\"", k->name, (long long)k->min,
                   (long long)k->max, value);
    else diag_error(d, file, line, 0, "%s must be one of %s, not \"%s\"", k->name, k->choices, value);
    return false;
}

bool lab_keys_set(const struct lab_machine *m, i64 *key, const char *name, const char *value, struct diag *d, const char *file,
                  u32 line) {
    u32 i = 0;
    while (i < m->nkeys && strcmp(m->keys[i].name, name)) i++;
    if (i == m->nkeys) return unknown_key(m, name, d, file, line);
    const struct lab_key *k = &m->keys[i];
    char *end;
    errno = 0;
    i64 x = k->choices ? choice_of(k->choices, value) : strtoll(value, &end, 10);
    if (k->choices ? x < 0 : (!*value || *end || errno || x < k->min || x > k->max)) return bad_value(k, value, d, file, line);
    key[i] = x;
    return true;
}

struct reading {
    const struct lab_machine *m;
    i64 *key;
    struct diag *d;
    const char *file, *at, *end;
    u32 line;
};

static char *next_line(char *buf, int size, void *user) { /* fgets, that counts lines */
    struct reading *r = user;
    if (r->at >= r->end) return NULL;
    int n = 0;
    while (r->at < r->end && n + 1 < size) {
        buf[n++] = *r->at;
        if (*r->at++ == '\n') break;
    }
    buf[n] = 0;
    if (n + 1 < size || buf[n - 1] == '\n') r->line++;
    return buf;
}

static int take_pair(void *user, const char *section, const char *name, const char *value) {
    struct reading *r = user;
    char full[128];
    snprintf(full, sizeof(full), "%s%s%s", section, *section ? "." : "", name);
    if (!diag_full(r->d)) lab_keys_set(r->m, r->key, full, value, r->d, r->file, r->line);
    return 1;
}

bool lab_keys_ini(const struct lab_machine *m, i64 *key, const char *file, const char *text, size_t len, struct diag *d) {
    struct reading r = {m, key, d, file, text, text + len, 0};
    u32 before = d->errors;
    if (memchr(text, 0, len)) diag_error(d, file, 0, 0, "not a text file: it holds a zero byte");
    int rc = d->errors == before ? ini_parse_stream(next_line, &r, take_pair, &r) : 0;
    if (rc > 0) diag_error(d, file, (u32)rc, 0, "not a line of an INI file; KEY = VALUE, [SECTION] and ; comments are");
    return d->errors == before;
}

/* Without a section first: keys of a section would hold those behind it */
void lab_keys_print(const struct lab_machine *m, const i64 *key, FILE *out) {
    char section[64] = "", value[32];
    fprintf(out, "; %s: %s\n", m->name, m->doc);
    for (u32 pass = 0; pass < 2; pass++)
        for (u32 i = 0; i < m->nkeys; i++) {
            const struct lab_key *k = &m->keys[i];
            const char *dot = strrchr(k->name, '.');
            if ((dot != NULL) != (pass == 1)) continue;
            if (dot && (strncmp(section, k->name, (size_t)(dot - k->name)) || section[dot - k->name])) {
                snprintf(section, sizeof(section), "%.*s", (int)(dot - k->name), k->name);
                fprintf(out, "\n[%s]\n", section);
            }
            lab_keys_text(m, key, i, value);
            if (k->choices) fprintf(out, "; %s (%s)\n", k->doc, k->choices);
            else fprintf(out, "; %s (%lld to %lld)\n", k->doc, (long long)k->min, (long long)k->max);
            fprintf(out, "%s = %s\n", dot ? dot + 1 : k->name, value);
        }
}
