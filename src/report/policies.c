/* What policies there are. Everything is printed from the tables of policies and the rows of config.def. */
#include "report/policies.h"

#include "core/policies.h"

#include <string.h>

static const struct cfg_key *kind_key(const char *kind) { /* the key that names the policy of a kind */
    for (const struct cfg_key *k = cfg_keys; k < cfg_keys + cfg_key_count; k++)
        if (k->type == KEY_TYPE_POLICY && strcmp(k->choices, kind) == 0) return k;
    base_check_failed(__FILE__, __LINE__, "every kind of policy has a key");
}

void report_list_policies(FILE *out) {
    int name = 0, doc = 0;
    for (u32 i = 0; i < policy_count(); i++) {
        name = MAX(name, (int)strlen(policy_at(i).name));
        doc = MAX(doc, (int)strlen(policy_at(i).doc));
    }
    const char *kind = "";
    for (u32 i = 0; i < policy_count(); i++) {
        struct policy_row p = policy_at(i);
        const struct cfg_key *k = kind_key(p.kind);
        if (strcmp(kind, p.kind)) fprintf(out, "%s%s: %s Default: %s.\n", i ? "\n" : "", k->name, k->doc, k->default_text);
        fprintf(out, "  %-*s  %-*s  %s\n", name, p.name, doc, p.doc, p.paper);
        kind = p.kind;
    }
}

static void print_keys(const char *kind_key_name, const char *name, FILE *out) { /* those called KIND_KEY.NAME.* */
    char prefix[128];
    int n = snprintf(prefix, sizeof(prefix), "%s.%s.", kind_key_name, name);
    for (const struct cfg_key *k = cfg_keys; k < cfg_keys + cfg_key_count; k++)
        if (strncmp(k->name, prefix, (size_t)n) == 0)
            fprintf(out, "  key:  %s (default %s) %s\n", k->name, k->default_text, k->doc);
}

bool explain_policy(const char *name, FILE *out) {
    bool found = false;
    for (u32 i = 0; i < policy_count(); i++) {
        struct policy_row p = policy_at(i);
        if (strcmp(p.name, name)) continue;
        const char *key = kind_key(p.kind)->name;
        fprintf(out, "%s%s: a policy for %s\n  %s\n  from: %s\n", found ? "\n" : "", name, key, p.doc, p.paper);
        print_keys(key, name, out);
        found = true;
    }
    return found;
}
