/* The table of keys, made from config.def. */
#include "config/config.h"

#include <string.h>

#define UNIT_ALU_TEXT    "alu"
#define UNIT_INT_TEXT    "int"
#define UNIT_SFU_TEXT    "sfu"
#define UNIT_FP64_TEXT   "fp64"
#define UNIT_TENSOR_TEXT "tensor"
#define UNIT_MEM_TEXT    "mem"
#define UNIT_NONE_TEXT   "none"

const char *const unit_names[UNIT_COUNT] = {
    [UNIT_ALU] = UNIT_ALU_TEXT,
    [UNIT_INT] = UNIT_INT_TEXT,
    [UNIT_SFU] = UNIT_SFU_TEXT,
    [UNIT_FP64] = UNIT_FP64_TEXT,
    [UNIT_TENSOR] = UNIT_TENSOR_TEXT,
    [UNIT_MEM] = UNIT_MEM_TEXT,
    [UNIT_NONE] = UNIT_NONE_TEXT,
    [UNIT_CSR] = "csr",
    [UNIT_GPU] = "gpu",
};
#define UNIT_CHOICES                                                                                                             \
    UNIT_ALU_TEXT "|" UNIT_INT_TEXT "|" UNIT_SFU_TEXT "|" UNIT_FP64_TEXT "|" UNIT_TENSOR_TEXT "|" UNIT_MEM_TEXT "|" UNIT_NONE_TEXT

enum { MAX_LATENCY_CY = 10000, MAX_INTERVAL_CY = 1000 };

#define OF(field) offsetof(struct config, field)

static const struct cfg_key table[] = {
#define KEY_U32(field, name, def, min, max, unit, doc) {name, KEY_TYPE_U32, OF(field), min, max, NULL, #def, unit, doc},
#define KEY_BOOL(field, name, def, doc)                {name, KEY_TYPE_BOOL, OF(field), 0, 1, NULL, (def) ? "true" : "false", "", doc},
#define KEY_CHOICE(field, name, def, words, doc)       {name, KEY_TYPE_CHOICE, OF(field), 0, 0, words, def, "", doc},
#define KEY_POLICY(field, name, def, kind, doc)        {name, KEY_TYPE_POLICY, OF(field), 0, 0, kind, def, "", doc},
#define KEY_COLLECTORS(field, name, def, doc)          {name, KEY_TYPE_COLLECTORS, OF(field), 1, 64, NULL, def, "", doc},
#define KEY_CLASS(id, on, latency, interval, what)                                                                               \
    KEY_CHOICE(class[XCLASS_##id].unit, "sm.class." #id ".unit", on##_TEXT, UNIT_CHOICES, "Unit that runs " what ".")            \
    KEY_U32(class[XCLASS_##id].latency_cy, "sm.class." #id ".latency_cy", latency, 1, MAX_LATENCY_CY, "cycles",                  \
            "From issue to the issue of a dependent instruction: " what ".")                                                     \
    KEY_U32(class[XCLASS_##id].interval_cy, "sm.class." #id ".interval_cy", interval, 1, MAX_INTERVAL_CY, "cycles",              \
            "Cycles a unit is busy with each beat: " what ".")
#include "config/config.def"
};
const struct cfg_key *const cfg_keys = table;
const u32 cfg_key_count = ARRAY_LEN(table);

size_t cfg_key_section(const struct cfg_key *k) { return (size_t)(strrchr(k->name, '.') - k->name); }

static void add_words(struct strbuf *out, const char *words) { /* "a|b|c" as "a, b or c" */
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, "|");
        const char *next = at[n] ? at + n + 1 : at + n;
        strbuf_add(out, "%s%.*s", at == words ? "" : *next ? ", " : " or ", (int)n, at);
        at = next;
    }
}

void cfg_key_legal(const struct cfg_key *k, struct strbuf *out) {
    unsigned long long min = k->min, max = k->max;
    switch (k->type) {
    case KEY_TYPE_U32: strbuf_add(out, "an integer from %llu to %llu", min, max); break;
    case KEY_TYPE_BOOL: strbuf_add(out, "true or false"); break;
    case KEY_TYPE_CHOICE: add_words(out, k->choices); break;
    case KEY_TYPE_POLICY: strbuf_add(out, "a policy of kind %s", k->choices); break;
    case KEY_TYPE_COLLECTORS: strbuf_add(out, "generic:N or separated:A/S/M, with numbers from %llu to %llu", min, max); break;
    }
}

const struct cfg_key *cfg_key_find(const char *name) {
    for (u32 i = 0; i < cfg_key_count; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}

static const char *last_part(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

enum { MAX_SUGGESTIONS = 5 };

void cfg_key_suggest(const char *name, struct strbuf *out) {
    const char *names[ARRAY_LEN(table)], *near[MAX_SUGGESTIONS];
    u32 n = 0;
    for (u32 i = 0; i < cfg_key_count; i++) names[i] = table[i].name;
    const char *spelled = text_nearest(name, names, cfg_key_count);
    if (spelled) near[n++] = spelled;
    for (u32 i = 0; i < cfg_key_count && n < MAX_SUGGESTIONS; i++)
        if (names[i] != spelled && strcmp(last_part(names[i]), last_part(name)) == 0) near[n++] = names[i];
    for (u32 i = 0; i < n; i++) strbuf_add(out, "%s%s", i == 0 ? "; did you mean " : i + 1 < n ? ", " : " or ", near[i]);
    if (n) strbuf_add(out, "?");
}
