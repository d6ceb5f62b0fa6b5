/* gen_policies: prints docs/policies.md from the tables of policies and keys. */
#include "core/policies.h"

#include <string.h>

static const struct cfg_key *kind_key(const char *kind) {
    for (const struct cfg_key *k = cfg_keys; k < cfg_keys + cfg_key_count; k++)
        if (k->type == KEY_TYPE_POLICY && strcmp(k->choices, kind) == 0) return k;
    return NULL;
}

static void print_kind(const char *kind) {
    const struct cfg_key *k = kind_key(kind);
    printf("\n## %s\n\n%s\nDefault: `%s = %s`.\n\n| name | what it does | from |\n| --- | --- | --- |\n", k->name, k->doc,
           k->name, k->default_text);
    for (u32 i = 0; i < policy_count(); i++) {
        struct policy_row p = policy_at(i);
        if (strcmp(p.kind, kind) == 0) printf("| `%s` | %s | %s |\n", p.name, p.doc, p.paper);
    }
}

static void print_keys(void) { /* sm.KIND.NAME.KEY, where NAME is a policy */
    printf("\n## Keys of single policies\n\n| key | default | range | what it says |\n| --- | --- | --- | --- |\n");
    for (u32 i = 0; i < policy_count(); i++) {
        char prefix[128];
        int n = snprintf(prefix, sizeof(prefix), "%s.%s.", kind_key(policy_at(i).kind)->name, policy_at(i).name);
        for (const struct cfg_key *k = cfg_keys; k < cfg_keys + cfg_key_count; k++) {
            if (strncmp(k->name, prefix, (size_t)n)) continue;
            struct strbuf legal = {0};
            cfg_key_legal(k, &legal);
            printf("| `%s` | %s | %s | %s |\n", k->name, k->default_text, legal.s, k->doc);
            strbuf_free(&legal);
        }
    }
}

int main(void) {
    printf(
        "# Policies\n\n"
        "<!-- Printed by tools/gen_policies.c from the tables of policies and keys: change those and run `make docs`. -->\n\n"
        "What an SM chooses, apart from how it does it. Each kind of choice is a key of the machine; its value is a name from "
        "the "
        "kind's table.\n"
        "`heddle explain NAME` tells the same on the command line. The files are in src/core/KIND/; each opens with the paper it "
        "follows, where\n"
        "it deviates, and what it promises. [howto-policy.md](howto-policy.md) shows how to add one.\n");
    const char *kind = "";
    for (u32 i = 0; i < policy_count(); i++) {
        if (strcmp(kind, policy_at(i).kind)) print_kind(policy_at(i).kind);
        kind = policy_at(i).kind;
    }
    print_keys();
    return 0;
}
