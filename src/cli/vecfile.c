/* Reading a folder of recorded vectors. Everything is checked here, so that running a case can trust sizes
 * and offsets. */
#include "cli/vectors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Columns that are used, by the name in the first line */
enum column {
    COL_NAME,
    COL_CLASS,
    COL_MODULE,
    COL_ENTRY,
    COL_GRID,
    COL_BLOCK,
    COL_SHMEM,
    COL_PARAMS,
    COL_COMPARE,
    COL_INSTRUCTION,
    COL_STATUS,
    COLUMNS
};
static const char *const column_names[COLUMNS] = {"name",  "class",  "module",  "entry",       "grid",  "block",
                                                  "shmem", "params", "compare", "instruction", "status"};
#define MAX_FIELDS 32

struct index_reader {
    struct vec_set *set;
    struct diag *d;
    const char *file;
    u32 line;
    u32 field_of[COLUMNS]; /* which field holds a column */
};

static bool bad(struct index_reader *r, const char *what, const char *text) {
    diag_error(r->d, r->file, r->line, 0, "%s: \"%s\"", what, text);
    return false;
}

/* Cuts `s` at each `sep` in place; the number of pieces, at most `max` */
static u32 split(char *s, char sep, char **out, u32 max) {
    u32 n = 0;
    while (n < max) {
        out[n++] = s;
        s = strchr(s, sep);
        if (!s) break;
        *s++ = 0;
    }
    return n;
}

static bool parse_u64(const char *s, int base, u64 *out) {
    char *end;
    errno = 0;
    *out = strtoull(s, &end, base);
    return *s && *s != '-' && !*end && !errno;
}

static bool parse_triple(const char *s, u32 out[3]) {
    char copy[64], *piece[4];
    if (strlen(s) >= sizeof(copy)) return false;
    strcpy(copy, s);
    if (split(copy, ',', piece, 4) != 3) return false;
    for (u32 i = 0; i < 3; i++) {
        u64 x;
        if (!parse_u64(piece[i], 10, &x) || x < 1 || x > UINT32_MAX) return false;
        out[i] = (u32)x;
    }
    return true;
}

static bool parse_value(struct index_reader *r, const char *hex, struct vec_param *p) {
    size_t n = strlen(hex);
    if (n < 2 || n % 2 || strspn(hex, "0123456789abcdefABCDEF") != n) return false;
    p->size_b = n / 2;
    p->value = arena_alloc(&r->set->arena, n / 2);
    for (size_t i = 0; i < n / 2; i++) {
        char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
        p->value[i] = (u8)strtoul(two, NULL, 16);
    }
    return true;
}

static bool inside(u64 offset, u64 size, size_t total) { return offset <= total && size <= total - offset; }

/* i:OFF:LEN  o:FF:LEN:RES  x:OFF:LEN:RES  v:HEX  t:OFF:LEN:TEXTURE  s:OFF:LEN:RES:TEXTURE */
static bool parse_param(struct index_reader *r, const char *token, struct vec_param *p) {
    char *copy = arena_strdup(&r->set->arena, token, strlen(token)), *piece[5];
    u32 n = split(copy, ':', piece, 5);
    p->kind = piece[0][0];
    if (piece[0][0] == 0 || piece[0][1] != 0 || n < 2) return false;
    if (p->kind == 'v') return n == 2 && parse_value(r, piece[1], p);
    bool texture = p->kind == 't' || p->kind == 's', written = vec_is_written(p);
    u64 first;
    if (n != (written ? 4u : 3u) + texture || (!written && !texture && p->kind != 'i')) return false;
    if (texture) p->texture = piece[n - 1];
    if (!parse_u64(piece[1], p->kind == 'o' ? 16 : 10, &first) || !parse_u64(piece[2], 10, &p->size_b)) return false;
    if (written && (!parse_u64(piece[3], 10, &p->result) || !inside(p->result, p->size_b, r->set->results_b))) return false;
    p->fill = (u8)first;
    p->offset = first;
    return p->kind == 'o' ? first < 256 : inside(first, p->size_b, r->set->inputs_b);
}

static bool parse_params(struct index_reader *r, char *text, struct vec_case *c) {
    char *token[VEC_MAX_PARAMS + 1];
    c->nparams = *text ? split(text, ' ', token, VEC_MAX_PARAMS + 1) : 0;
    if (c->nparams > VEC_MAX_PARAMS) return bad(r, "too many parameters", c->name);
    for (u32 i = 0; i < c->nparams; i++)
        if (!parse_param(r, token[i], &c->params[i])) return bad(r, "not a parameter, or outside the data files", token[i]);
    return true;
}

static bool parse_compare(struct index_reader *r, char *text, struct vec_case *c) {
    char *token[VEC_MAX_PARAMS + 1];
    u32 n = *text ? split(text, ' ', token, VEC_MAX_PARAMS + 1) : 0, used = 0;
    for (u32 i = 0; i < c->nparams; i++) {
        struct vec_param *p = &c->params[i];
        if (!vec_is_written(p)) continue;
        if (used == n) return bad(r, "fewer compare rules than output buffers", c->name);
        p->compare = token[used++];
        if (!vec_compare_parse(p->compare, &p->type, &p->rule)) return bad(r, "not a compare rule", p->compare);
        if (p->size_b % p->type.size_b) return bad(r, "the buffer is not a whole number of elements", p->compare);
    }
    return used == n || bad(r, "more compare rules than output buffers", c->name);
}

static bool parse_case(struct index_reader *r, char **field) {
    struct vec_case c = {.name = field[r->field_of[COL_NAME]],
                         .class_name = field[r->field_of[COL_CLASS]],
                         .module = field[r->field_of[COL_MODULE]],
                         .entry = field[r->field_of[COL_ENTRY]],
                         .instruction = field[r->field_of[COL_INSTRUCTION]],
                         .status = field[r->field_of[COL_STATUS]]};
    u64 shared;
    if (!parse_triple(field[r->field_of[COL_GRID]], c.grid)) return bad(r, "not a grid", field[r->field_of[COL_GRID]]);
    if (!parse_triple(field[r->field_of[COL_BLOCK]], c.block)) return bad(r, "not a block", field[r->field_of[COL_BLOCK]]);
    if (!parse_u64(field[r->field_of[COL_SHMEM]], 10, &shared) || shared > UINT32_MAX)
        return bad(r, "not a size", field[r->field_of[COL_SHMEM]]);
    c.shared_b = (u32)shared;
    if (!parse_params(r, field[r->field_of[COL_PARAMS]], &c) || !parse_compare(r, field[r->field_of[COL_COMPARE]], &c))
        return false;
    VEC_PUSH(&r->set->cases, c);
    return true;
}

static bool parse_header(struct index_reader *r, char **field, u32 n) {
    for (u32 c = 0; c < COLUMNS; c++) {
        u32 i = 0;
        while (i < n && strcmp(field[i], column_names[c])) i++;
        if (i == n) return bad(r, "the first line names no column", column_names[c]);
        r->field_of[c] = i;
    }
    return true;
}

static bool parse_index(struct index_reader *r, char *text) {
    char *field[MAX_FIELDS];
    u32 columns = 0;
    for (char *line = text; *line;) {
        char *end = line + strcspn(line, "\n"), *next = *end ? end + 1 : end;
        *end = 0;
        r->line++;
        u32 n = split(line, '\t', field, MAX_FIELDS);
        if (r->line == 1 && !parse_header(r, field, n)) return false;
        if (r->line == 1) columns = n;
        if (n != columns) return bad(r, "the number of fields is not that of the first line", field[0]);
        if (r->line > 1 && !parse_case(r, field)) return false;
        line = next;
    }
    return true;
}

static char *read_part(struct vec_set *s, const char *name, size_t *len, struct diag *d) {
    const char *path = arena_printf(&s->arena, "%s/%s", s->dir, name);
    struct strbuf why = {0};
    char *data = limit_read_file(path, LIMIT_OTHER, len, &why);
    if (!data) diag_error(d, path, 0, 0, "cannot read: %s", why.s);
    strbuf_free(&why);
    return data;
}

bool vec_load_set(struct vec_set *s, const char *dir, struct diag *d) {
    *s = (struct vec_set){.dir = dir};
    size_t len = 0;
    char *index = read_part(s, "index.tsv", &len, d);
    if (!index) return false;
    struct index_reader r = {.set = s, .d = d, .file = arena_printf(&s->arena, "%s/index.tsv", dir)};
    char *kept = arena_strdup(&s->arena, index, len); /* the cases point into it */
    free(index);
    s->inputs = (u8 *)read_part(s, "inputs.bin", &s->inputs_b, d);
    if (!s->inputs) return false;
    s->results = (u8 *)read_part(s, "results.bin", &s->results_b, d);
    return s->results && parse_index(&r, kept);
}

void vec_free_set(struct vec_set *s) {
    free(s->cases.at);
    free(s->inputs);
    free(s->results);
    arena_free(&s->arena);
}
