/* The isa tables, printed from their .def files, and the look-ups by name. */
#include "isa/isa.h"

#include <pthread.h>
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

/* --- look-ups by name: one hash table per name space, filled on first use */

enum { WORD_SLOTS = 1024 }; /* a power of two, at least twice the largest table */
_Static_assert(WORD_SLOTS >= 2 * MOD_COUNT && WORD_SLOTS >= 2 * OP_COUNT && WORD_SLOTS >= 2 * SREG_COUNT, "tables too full");
_Static_assert(TYPE_COUNT <= 64, "op_types holds one bit per type");

struct words {
    u16 slot[WORD_SLOTS]; /* row + 1, 0 when free */
};
static struct words type_words, mod_words, op_words, sreg_words;
static struct mods op_mods[OP_COUNT]; /* the modifiers of each row, as bits */
static u64 op_types[OP_COUNT];
static pthread_once_t words_once = PTHREAD_ONCE_INIT;

static const char *type_name(u32 row) { return type_table[row].name; }
static const char *mod_name(u32 row) { return mod_names[row]; }
static const char *op_name(u32 row) { return op_table[row].name; }
static const char *sreg_name(u32 row) { return sreg_table[row].name; }
typedef const char *name_fn(u32 row);

static u32 words_hash(const char *name, size_t len) {
    u32 h = 2166136261u;
    for (size_t i = 0; i < len; i++) h = (h ^ (u8)name[i]) * 16777619u;
    return (h ^ h >> 15) % WORD_SLOTS;
}

static int words_find(const struct words *w, name_fn *name_of, const char *name, size_t len) {
    for (u32 h = words_hash(name, len); w->slot[h]; h = (h + 1) % WORD_SLOTS) {
        const char *candidate = name_of(w->slot[h] - 1u);
        if (strlen(candidate) == len && memcmp(candidate, name, len) == 0) return w->slot[h] - 1;
    }
    return NONE;
}

static void words_fill(struct words *w, name_fn *name_of, u32 first, u32 count) {
    for (u32 row = first; row < count; row++) {
        u32 h = words_hash(name_of(row), strlen(name_of(row)));
        while (w->slot[h]) h = (h + 1) % WORD_SLOTS;
        w->slot[h] = (u16)(row + 1);
    }
}

/* The words of `list` that `w` knows, as bits */
static void words_to_bits(const char *list, const struct words *w, name_fn *name_of, u64 *bits) {
    while (*list) {
        size_t len = strcspn(list, " ");
        int row = len ? words_find(w, name_of, list, len) : NONE;
        if (row != NONE) bits[row / 64] |= 1ull << (row % 64);
        list += len + (list[len] == ' ');
    }
}

static void words_build(void) {
    words_fill(&type_words, type_name, 1, TYPE_COUNT);
    words_fill(&mod_words, mod_name, 0, MOD_COUNT);
    words_fill(&op_words, op_name, 0, OP_COUNT);
    words_fill(&sreg_words, sreg_name, 0, SREG_COUNT);
    for (u32 op = 0; op < OP_COUNT; op++) {
        words_to_bits(op_table[op].mods, &mod_words, mod_name, op_mods[op].word);
        words_to_bits(op_table[op].types, &type_words, type_name, &op_types[op]);
    }
}

static int words_look_up(const struct words *w, name_fn *name_of, const char *name, size_t len) {
    pthread_once(&words_once, words_build);
    return words_find(w, name_of, name, len);
}

enum type type_find(const char *name, size_t len) {
    int t = words_look_up(&type_words, type_name, name, len);
    return t == NONE ? TYPE_NONE : (enum type)t;
}

int mod_find(const char *name, size_t len) { return words_look_up(&mod_words, mod_name, name, len); }
int op_find(const char *name, size_t len) { return words_look_up(&op_words, op_name, name, len); }
int sreg_find(const char *name, size_t len) { return words_look_up(&sreg_words, sreg_name, name, len); }

bool op_takes_mod(enum op op, enum mod m) {
    pthread_once(&words_once, words_build);
    return mods_has(&op_mods[op], m);
}

bool op_takes_type(enum op op, enum type t) {
    pthread_once(&words_once, words_build);
    return op_types[op] >> t & 1;
}

bool op_is_simd_video(enum op op) {
    char last = op_table[op].name[strlen(op_table[op].name) - 1];
    return op_table[op].iclass == ICLASS_VIDEO && (last == '2' || last == '4');
}
