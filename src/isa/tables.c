/* The isa tables, printed from their .def files, and the look-ups by name. */
#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

const struct type_row type_table[TYPE_COUNT] = {
    [TYPE_NONE] = {"none", 0, FAMILY_B},
#define TYPE(id, bits, family) [TYPE_##id] = {#id, bits, FAMILY_##family},
#include "isa/type.def"
#undef TYPE
};

const char *const mod_names[MOD_COUNT] = {
#define MOD(id, spelling) [MOD_##id] = spelling,
#include "isa/mod.def"
#undef MOD
};

const struct iclass_row iclass_table[ICLASS_COUNT] = {
#define ICLASS(id, doc) [ICLASS_##id] = {#id, doc},
#include "isa/iclass.def"
#undef ICLASS
};

const struct op_row op_table[OP_COUNT] = {
#define OP(id, cls, sig, types, mods) [OP_##id] = {#id, ICLASS_##cls, sig, types, mods},
#include "isa/op.def"
#undef OP
};

const struct sreg_row sreg_table[SREG_COUNT] = {
#define SREG(id, type, spelling) [SREG_##id] = {spelling, TYPE_##type},
#include "isa/sreg.def"
#undef SREG
};

const char *const space_names[SPACE_COUNT] = {"generic", "global", "shared", "local", "const", "param", "reg", "tex"};

static bool same(const char *name, const char *text, size_t len) { return strlen(name) == len && memcmp(name, text, len) == 0; }

enum type type_find(const char *name, size_t len) {
    for (int t = 1; t < TYPE_COUNT; t++)
        if (same(type_table[t].name, name, len)) return (enum type)t;
    return TYPE_NONE;
}

int mod_find(const char *name, size_t len) {
    for (int m = 0; m < MOD_COUNT; m++)
        if (same(mod_names[m], name, len)) return m;
    return NONE;
}

int op_find(const char *name, size_t len) {
    for (int o = 0; o < OP_COUNT; o++)
        if (same(op_table[o].name, name, len)) return o;
    return NONE;
}

int sreg_find(const char *name, size_t len) {
    for (int r = 0; r < SREG_COUNT; r++)
        if (same(sreg_table[r].name, name, len)) return r;
    return NONE;
}

void opkey_print(const struct opkey *k, struct strbuf *out) {
    strbuf_add(out, "%s", op_table[k->op].name);
    for (int m = 0; m < MOD_COUNT; m++)
        if (key_has(k, (enum mod)m)) strbuf_add(out, ".%s", mod_names[m]);
    for (int t = 0; t < k->ntypes; t++) strbuf_add(out, ".%s", type_table[k->type[t]].name);
}
