/* One machine's values: defaults, setting and reading a key as text, hash, dump. */
#include "config/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void *field_of(struct config *c, const struct cfg_key *k) { return (char *)c + k->offset; }
static const void *field_in(const struct config *c, const struct cfg_key *k) { return (const char *)c + k->offset; }

/* --- text to value; false leaves the field alone */

/* Decimal or 0x; *end is the first character behind it */
static bool read_number(const char *text, u64 min, u64 max, u32 *out, const char **end) {
    char *after;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
    u64 x = strtoull(text, &after, base);
    if (errno || x < min || x > max) return false;
    *out = (u32)x;
    *end = after;
    return true;
}

static bool set_u32(u32 *field, const struct cfg_key *k, const char *text) {
    u32 x;
    const char *end;
    if (!read_number(text, k->min, k->max, &x, &end) || *end) return false;
    *field = x;
    return true;
}

static bool set_bool(u32 *field, const char *text) {
    bool yes = text_in_list("true yes on 1", text), no = text_in_list("false no off 0", text);
    if (yes || no) *field = yes;
    return yes || no;
}

static bool set_choice(u32 *field, const struct cfg_key *k, const char *text) {
    u32 index = 0;
    for (const char *at = k->choices; *at; index++) {
        size_t n = strcspn(at, "|");
        if (strlen(text) == n && memcmp(text, at, n) == 0) {
            *field = index;
            return true;
        }
        at += n + (at[n] == '|');
    }
    return false;
}

static bool set_policy(char *field, const char *text) {
    size_t n = strlen(text);
    if (n == 0 || n >= POLICY_NAME_B || strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") != n) return false;
    memset(field, 0, POLICY_NAME_B);
    memcpy(field, text, n);
    return true;
}

static bool set_collectors(struct collectors *field, const struct cfg_key *k, const char *text) {
    struct collectors x = {0};
    const char *end;
    if (strncmp(text, "generic:", 8) == 0) {
        if (!read_number(text + 8, k->min, k->max, &x.generic, &end) || *end) return false;
    } else if (strncmp(text, "separated:", 10) == 0) {
        x.separated = true;
        if (!read_number(text + 10, k->min, k->max, &x.alu, &end) || *end != '/') return false;
        if (!read_number(end + 1, k->min, k->max, &x.sfu, &end) || *end != '/') return false;
        if (!read_number(end + 1, k->min, k->max, &x.mem, &end) || *end) return false;
    } else {
        return false;
    }
    *field = x;
    return true;
}

static bool set_text(struct config *c, const struct cfg_key *k, const char *text) {
    void *field = field_of(c, k);
    switch (k->type) {
    case KEY_TYPE_U32: return set_u32(field, k, text);
    case KEY_TYPE_BOOL: return set_bool(field, text);
    case KEY_TYPE_CHOICE: return set_choice(field, k, text);
    case KEY_TYPE_POLICY: return set_policy(field, text);
    case KEY_TYPE_COLLECTORS: return set_collectors(field, k, text);
    }
    return false;
}

void config_default(struct config *c) {
    memset(c, 0, sizeof(*c));
    for (u32 i = 0; i < cfg_key_count; i++) CHECK(set_text(c, &cfg_keys[i], cfg_keys[i].default_text));
    memcpy(c->machine, "small", sizeof("small"));
}

bool config_set(struct config *c, const char *name, const char *value, struct diag *d, const char *file, u32 line) {
    const struct cfg_key *k = cfg_key_find(name);
    if (k && set_text(c, k, value)) return true;
    struct strbuf help = {0};
    if (!k) {
        cfg_key_suggest(name, &help);
        diag_error(d, file, line, 0, "unknown key \"%s\"%s", name, help.s ? help.s : "; \"heddle list keys\" lists them");
    } else {
        cfg_key_legal(k, &help);
        const char *where = k->type == KEY_TYPE_POLICY ? "; \"heddle list policies\" names them" : "";
        diag_error(d, file, line, 0, "%s must be %s, not \"%s\"%s", k->name, help.s, value, where);
    }
    strbuf_free(&help);
    return false;
}

/* --- value to text */

static void choice_word(const struct cfg_key *k, u32 index, char *out, size_t out_b) {
    const char *at = k->choices;
    for (; index; index--) at += strcspn(at, "|") + 1;
    snprintf(out, out_b, "%.*s", (int)strcspn(at, "|"), at);
}

void config_get_text(const struct config *c, const struct cfg_key *k, char *out, size_t out_b) {
    const void *field = field_in(c, k);
    const struct collectors *x = field;
    switch (k->type) {
    case KEY_TYPE_U32: snprintf(out, out_b, "%u", *(const u32 *)field); break;
    case KEY_TYPE_BOOL: snprintf(out, out_b, "%s", *(const u32 *)field ? "true" : "false"); break;
    case KEY_TYPE_CHOICE: choice_word(k, *(const u32 *)field, out, out_b); break;
    case KEY_TYPE_POLICY: snprintf(out, out_b, "%s", (const char *)field); break;
    case KEY_TYPE_COLLECTORS:
        if (x->separated) snprintf(out, out_b, "separated:%u/%u/%u", x->alu, x->sfu, x->mem);
        else snprintf(out, out_b, "generic:%u", x->generic);
        break;
    }
}

u64 config_hash(const struct config *c) {
    u64 h = FNV1A64_START;
    for (u32 i = 0; i < cfg_key_count; i++) {
        char value[64], row[160];
        config_get_text(c, &cfg_keys[i], value, sizeof(value));
        int n = snprintf(row, sizeof(row), "%s=%s\n", cfg_keys[i].name, value);
        CHECK(n > 0 && (size_t)n < sizeof(row));
        h = hash_fnv1a64(h, row, (size_t)n);
    }
    return h;
}

const char *const config_perturbed[] = {"gpu.cta_launch_cy", "gpu.first_sm", "gpu.address_offset_b", NULL};

/* Block launch latency up to four cycles away, another first SM, data some lines further on */
void config_perturb(struct config *c, u64 n) {
    if (!n) return;
    i64 latency = (i64)c->cta_launch_cy + (i64)(n * 5 % 9) - 4;
    c->cta_launch_cy = (u32)MAX(latency, (i64)1);
    c->first_sm = (u32)((c->first_sm + n * 7) % c->sms);
    c->address_offset_b += (u32)(n * 33 * 256);
}

/* --- dump: sections in the order in which the table first names them */

static bool same_section(const struct cfg_key *a, const struct cfg_key *b) {
    return cfg_key_section(a) == cfg_key_section(b) && memcmp(a->name, b->name, cfg_key_section(a)) == 0;
}

static bool section_was_printed(u32 key) {
    for (u32 i = 0; i < key; i++)
        if (same_section(&cfg_keys[i], &cfg_keys[key])) return true;
    return false;
}

static void dump_key(const struct config *c, const struct cfg_key *k, FILE *out) {
    char value[64];
    struct strbuf legal = {0};
    cfg_key_legal(k, &legal);
    config_get_text(c, k, value, sizeof(value));
    fprintf(out, "; %s [%s%s%s]\n%s = %s\n", k->doc, *k->unit ? k->unit : "", *k->unit ? "; " : "", legal.s,
            k->name + cfg_key_section(k) + 1, value);
    strbuf_free(&legal);
}

void config_dump(const struct config *c, FILE *out) {
    fprintf(out, "; %s, every key; config_hash %016llx\n", c->machine, (unsigned long long)config_hash(c));
    for (u32 i = 0; i < cfg_key_count; i++) {
        if (section_was_printed(i)) continue;
        fprintf(out, "\n[%.*s]\n", (int)cfg_key_section(&cfg_keys[i]), cfg_keys[i].name);
        for (u32 j = i; j < cfg_key_count; j++)
            if (same_section(&cfg_keys[i], &cfg_keys[j])) dump_key(c, &cfg_keys[j], out);
    }
}
