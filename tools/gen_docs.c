/* gen_docs: prints docs/isa.md from the isa tables. `make docs` writes the file, `make lint` checks that it is current. */
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

int main(void) {
    print_intro();
    for (int c = 0; c < ICLASS_COUNT; c++) print_class((enum iclass)c);
    print_types();
    print_sregs();
    return 0;
}
