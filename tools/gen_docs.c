/* gen_docs: prints docs/isa.md from the isa tables and docs/config.md from the table of keys. `make docs`
 * writes the files, `make lint` checks that they are current.
 *
 *   gen_docs [isa|config]      isa when nothing is named */
#include "config/config.h"
#include "isa/isa.h"

#include <ctype.h>
#include <string.h>

static void print_intro(void) {
    printf("# Instructions\n\n"
           "<!-- Printed by tools/gen_docs.c from src/isa/*.def: change those and run `make docs`. -->\n\n"
           "Every PTX opcode heddle knows, with the operands, types and modifiers it takes. Anything outside its row is an error "
           "that names\n"
           "the place and lists what would be legal. A row that ends in `*` parses any modifiers and types; a kernel with an "
           "instruction\n"
           "that uses others than it names is refused at launch, with the reason, and so is one that uses an opcode of class tex "
           "or one "
           "whose\n"
           "operands are `*`.\n\n"
           "Operands, in order; `?` marks one that may be left out:\n\n"
           "| written | meaning |\n| --- | --- |\n"
           "| `d0` `a0`, `a1`, ... | destination, source of the opcode's first, second, ... type |\n"
           "| `dw` `aw` | of twice the first type's width under `.wide`, else of the first type |\n"
           "| `dp` `dpq` `ap` | predicate destination, destination pair `p\\|q` (q may be left out), predicate source (may be "
           "`!p`) |\n"
           "| `du` `au` `ab` | 32-bit unsigned destination, 32-bit unsigned source, any 32-bit source |\n"
           "| `vd0` `vs0` | scalar or `{vector}` of destinations, of sources |\n"
           "| `mem` `lbl` `any` | address in brackets, label, checked by the opcode itself |\n");
}

static void print_words(const char *list) { /* "a b" as `a` `b`; "-" and "" as nothing */
    if (strcmp(list, "-") == 0) return;
    while (*list) {
        size_t n = strcspn(list, " ");
        if (n) printf(" `%.*s`", (int)n, list);
        list += n + (list[n] == ' ');
    }
}

static void print_lower(const char *s) {
    for (; *s; s++) putchar(tolower((unsigned char)*s));
}

static void print_class(enum iclass c) {
    bool any = false;
    for (int o = 0; o < OP_COUNT; o++) any |= op_table[o].iclass == c;
    if (!any) return;
    printf("\n## ");
    print_lower(iclass_table[c].name);
    printf(": %s\n\n| opcode | operands | types | modifiers |\n| --- | --- | --- | --- |\n",
           c == ICLASS_ARITH ? "arithmetic; counted as int, fp32, fp64 or half by its type" : iclass_table[c].doc);
    for (int o = 0; o < OP_COUNT; o++) {
        if (op_table[o].iclass != c) continue;
        printf("| %s |", op_table[o].name);
        print_words(op_table[o].sig);
        printf(" |");
        print_words(op_table[o].types);
        printf(" |");
        print_words(op_table[o].mods);
        printf(" |\n");
    }
}

static void print_types(void) {
    static const char *const family[] = {"bits", "unsigned", "signed", "floating point", "packed or alternate", "predicate"};
    printf("\n## Types\n\n| type | bits | kind |\n| --- | --- | --- |\n");
    for (int t = 1; t < TYPE_COUNT; t++)
        printf("| `.%s` | %u | %s |\n", type_table[t].name, type_table[t].bits, family[type_table[t].family]);
}

static void print_sregs(void) {
    printf("\n## Special registers\n\n| register | type |\n| --- | --- |\n");
    for (int r = 0; r < SREG_COUNT; r++) printf("| `%s` | `.%s` |\n", sreg_table[r].name, type_table[sreg_table[r].type].name);
}

static void print_isa(void) {
    print_intro();
    for (int c = 0; c < ICLASS_COUNT; c++) print_class((enum iclass)c);
    print_types();
    print_sregs();
}

/* --- docs/config.md */

static void print_config_intro(void) {
    printf("# Machines and their keys\n\n"
           "<!-- Printed by tools/gen_docs.c from src/config/config.def: change that and run `make docs`. -->\n\n"
           "A machine is an INI file. `[sm.l1]` and `mshrs = 64` set the key `sm.l1.mshrs`; a key that is not set keeps its "
           "default, or\n"
           "its value in the machine that `base = NAME` before the first section names. `;` starts a comment. An unknown section "
           "or key,\n"
           "a key set twice and a value out of range are errors with file, line and what would be legal.\n\n"
           "    base = gtx480          ; a bundled machine, or a file: base = ./mine.ini\n"
           "    [sm.l1]\n"
           "    mshrs = 128\n\n"
           "`--machine NAME` takes a bundled machine (`heddle list machines`), `--machine FILE` a file, whose name has a dot in "
           "it;\n"
           "`--set KEY=VALUE` changes one key, and `--dump-config` prints the whole machine as a file that can be read again.\n"
           "`heddle explain KEY` shows one key with its value on each bundled machine.\n\n"
           "The defaults are the machine `small`. Every number of the others has its source beside it, in machines/*.ini.\n");
}

static void print_config_key(const struct cfg_key *k) {
    struct strbuf legal = {0};
    cfg_key_legal(k, &legal);
    const char *range = k->type == KEY_TYPE_U32 ? legal.s + strlen("an integer from ") : legal.s;
    printf("| `%s` | %s | %s | %s | %s |\n", k->name, k->default_text, range, k->unit, k->doc);
    strbuf_free(&legal);
}

static bool same_group(const struct cfg_key *a, const struct cfg_key *b) { /* all classes are one group */
    static const char classes[] = "sm.class.";
    if (strncmp(a->name, classes, strlen(classes)) == 0) return strncmp(b->name, classes, strlen(classes)) == 0;
    return cfg_key_section(a) == cfg_key_section(b) && memcmp(a->name, b->name, cfg_key_section(a)) == 0;
}

static void print_config(void) {
    print_config_intro();
    for (u32 i = 0; i < cfg_key_count; i++) {
        bool first = true;
        for (u32 j = 0; j < i; j++) first &= !same_group(&cfg_keys[j], &cfg_keys[i]);
        if (!first) continue;
        bool class = strncmp(cfg_keys[i].name, "sm.class.", 9) == 0;
        printf("\n## %.*s\n\n", class ? (int)strlen("sm.class") : (int)cfg_key_section(&cfg_keys[i]), cfg_keys[i].name);
        printf("| key | default | legal | unit | meaning |\n| --- | --- | --- | --- | --- |\n");
        for (u32 j = i; j < cfg_key_count; j++)
            if (same_group(&cfg_keys[j], &cfg_keys[i])) print_config_key(&cfg_keys[j]);
    }
}

static const struct {
    const char *name;
    void (*print)(void);
} documents[] = {{"isa", print_isa}, {"config", print_config}};

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : documents[0].name;
    for (u32 i = 0; i < ARRAY_LEN(documents); i++) {
        if (strcmp(name, documents[i].name) != 0) continue;
        documents[i].print();
        return 0;
    }
    fprintf(stderr, "gen_docs: no document \"%s\"\n", name);
    return 2;
}
