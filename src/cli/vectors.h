/* Recorded instruction results: a folder with index.tsv, inputs.bin, results.bin and modules/, one line of
 * the index per case. Each case launches one kernel and compares the buffers it wrote with what silicon
 * wrote, by the rule of each buffer. */
#ifndef HEDDLE_VECTORS_H
#define HEDDLE_VECTORS_H

#include "base/base.h"

/* --- veccompare.c */
enum vec_kind { VEC_BITS, VEC_SIGNED, VEC_F16, VEC_BF16, VEC_F32, VEC_F64 };
struct vec_type { /* an element; "f16x2" is f16 */
    const char *name;
    u32 size_b;
    enum vec_kind kind;
};
enum vec_rule_kind { RULE_BITS, RULE_NAN, RULE_ULP, RULE_REL, RULE_ABS, RULE_LG2, RULE_REC };
struct vec_rule {
    enum vec_rule_kind kind;
    double bound;
};
/* Reads TYPE/RULE; false when it is not one */
bool vec_compare_parse(const char *text, struct vec_type *type, struct vec_rule *rule);
bool vec_agree(const struct vec_type *t, const struct vec_rule *r, u64 got, u64 want);
u64 vec_load(const u8 *at, u32 size_b);
/* "0x3f800000 (1)": at most 47 characters into `to`, which is returned */
char *vec_print(char to[48], const struct vec_type *t, u64 bits);

/* --- vecfile.c */
#define VEC_MAX_PARAMS 32
struct vec_param {
    char kind;          /* i, o, x: pointer to a buffer; v: value; t, s: handle of a texture or surface over a buffer */
    u8 fill;            /* o: every byte before the run */
    u64 offset, result; /* in inputs.bin and results.bin */
    u64 size_b;
    u8 *value;           /* v */
    const char *texture; /* t, s: GEOMETRY,FORMAT{,key=value}, cut into words */
    const char *compare; /* o, x, s: TYPE/RULE as written */
    struct vec_type type;
    struct vec_rule rule;
};
static inline bool vec_is_written(const struct vec_param *p) { return p->kind == 'o' || p->kind == 'x' || p->kind == 's'; }
struct vec_case {
    const char *name, *class_name, *module, *entry, *instruction, *status;
    u32 grid[3], block[3], shared_b;
    u32 nparams;
    struct vec_param params[VEC_MAX_PARAMS];
};
struct vec_set {
    struct arena arena;
    const char *dir;
    VEC(struct vec_case) cases;
    u8 *inputs, *results;
    size_t inputs_b, results_b;
};
bool vec_load_set(struct vec_set *s, const char *dir, struct diag *d);
void vec_free_set(struct vec_set *s);

#endif
