/* What the compiler's metadata says of kernels and PTX does not: the types, names and qualifiers of
 * arguments, the work-group size a kernel insists on.
 *
 * It travels in comments at the top of the PTX:
 *     // heddle kernel NAME REQD_X REQD_Y REQD_Z HINT_X HINT_Y HINT_Z VEC_TYPE the last one "-" when there is
 *     no vec_type_hint
 *     // heddle arg SPACE ACCESS|TYPE|QUALIFIERS|NAME one for each argument of the kernel above */
#include "opencl/opencl.h"

#include <ctype.h>
#include <stdlib.h>

/* --- from IR */

/* The text of node `!N`, which ends with its line; NULL when there is none */
static const char *node(const char *ir, const char *ref) {
    char start[32];
    int n = snprintf(start, sizeof(start), "\n!%ld = ", strtol(ref + 1, NULL, 10));
    const char *at = n > 0 ? strstr(ir, start) : NULL;
    return at ? at + n : NULL;
}

/* What kernel `line` has under `name`: "!kernel_arg_type !7" */
static const char *attached(const char *ir, const char *line, size_t len, const char *name) {
    size_t n = strlen(name);
    for (const char *at = line; (at = memmem(at, len - (size_t)(at - line), name, n)); at += n)
        if (at[n] == ' ' && at[n + 1] == '!') return node(ir, at + n + 1);
    return NULL;
}

/* The next element of a node's list: a string or a number as text. False at the end. */
static bool next_element(const char **at, char *out, size_t room) {
    const char *p = *at;
    size_t n = 0;
    while (*p && *p != '\n' && *p != '"' && !(isdigit((unsigned char)*p) && p[-1] == ' ')) p++;
    if (*p == '"') {
        for (p++; *p && *p != '"'; p++)
            if (n + 1 < room) out[n++] = *p;
        p += *p == '"';
    } else if (isdigit((unsigned char)*p)) {
        for (; isdigit((unsigned char)*p); p++)
            if (n + 1 < room) out[n++] = *p;
    } else return false;
    out[n] = 0;
    *at = p;
    return true;
}

static void write_triple(const char *list, struct strbuf *out) {
    char x[32];
    for (u32 i = 0; i < 3; i++) strbuf_add(out, " %s", list && next_element(&list, x, sizeof(x)) ? x : "0");
}

/* OpenCL C's name of the type in a vec_type_hint, `!{<4 x float> undef, i32 1}`: the number says whether
 * an integer is signed */
static void write_vec_type(const char *hint, struct strbuf *out) {
    static const struct {
        const char *ir, *name;
    } types[] = {{"i8 ", "char"},     {"i16 ", "short"},     {"i32 ", "int"},  {"i64 ", "long"},
                 {"float ", "float"}, {"double ", "double"}, {"half ", "half"}};
    unsigned width = 1;
    char type[16] = "", sign[4] = "";
    if (hint && sscanf(hint, "!{<%u x %15[a-z0-9]> undef, i32 %1[01]", &width, type, sign) < 3) {
        width = 1;
        sscanf(hint, "!{%15[a-z0-9] undef, i32 %1[01]", type, sign);
    }
    size_t n = strlen(type);
    for (u32 i = 0; n && i < ARRAY_LEN(types); i++) {
        if (strncmp(types[i].ir, type, n) != 0 || types[i].ir[n] != ' ') continue;
        strbuf_add(out, " %s%s", type[0] == 'i' && sign[0] == '0' ? "u" : "", types[i].name);
        if (width > 1) strbuf_add(out, "%u", width);
        return;
    }
    strbuf_add(out, " -");
}

static void write_kernel(const char *ir, const char *line, size_t len, struct strbuf *out) {
    const char *name = memchr(line, '@', len);
    if (!name) return;
    name += 1 + (name[1] == '"');
    strbuf_add(out, "// heddle kernel %.*s", (int)strcspn(name, "(\""), name);
    write_triple(attached(ir, line, len, "!reqd_work_group_size"), out);
    write_triple(attached(ir, line, len, "!work_group_size_hint"), out);
    write_vec_type(attached(ir, line, len, "!vec_type_hint"), out);
    strbuf_add(out, "\n");
    const char *space = attached(ir, line, len, "!kernel_arg_addr_space"),
               *access = attached(ir, line, len, "!kernel_arg_access_qual");
    const char *type = attached(ir, line, len, "!kernel_arg_type"), *quals = attached(ir, line, len, "!kernel_arg_type_qual");
    const char *names = attached(ir, line, len, "!kernel_arg_name");
    char s[16], a[32], t[256], q[64], n[128];
    if (!space || !access || !type || !quals) return;
    while (next_element(&space, s, sizeof(s)) && next_element(&access, a, sizeof(a)) && next_element(&type, t, sizeof(t)) &&
           next_element(&quals, q, sizeof(q)))
        strbuf_add(out, "// heddle arg %s %s|%s|%s|%s\n", s, a, t, q, names && next_element(&names, n, sizeof(n)) ? n : "");
}

void metadata_write(const char *ir, struct strbuf *out) {
    for (const char *at = ir; *at;) {
        size_t len = strcspn(at, "\n");
        if (strncmp(at, "define ", 7) == 0 && (memmem(at, len, " spir_kernel ", 13) || memmem(at, len, " ptx_kernel ", 12)))
            write_kernel(ir, at, len, out);
        at += len + (at[len] == '\n');
    }
}

/* --- from comments */

static char *take_part(const char **at, const char *end) {
    const char *bar = memchr(*at, '|', (size_t)(end - *at));
    const char *stop = bar ? bar : end;
    char *s = strndup(*at, (size_t)(stop - *at));
    *at = bar ? bar + 1 : end;
    return s;
}

static void add_arg(struct kernel_meta *k, const char *line, const char *end) {
    struct arg_meta a = {.space = (u32)strtoul(line, (char **)&line, 10)};
    line += *line == ' ';
    a.access = take_part(&line, end);
    a.type = take_part(&line, end);
    a.qualifiers = take_part(&line, end);
    a.name = take_part(&line, end);
    k->args = base_realloc(k->args, (k->nargs + 1u) * sizeof(*k->args));
    k->args[k->nargs++] = a;
}

static void add_kernel(struct meta *m, const char *line, const char *end) {
    char name[256];
    struct kernel_meta k = {0};
    char *copy = strndup(line, (size_t)(end - line));
    if (sscanf(copy, "%255s %u %u %u %u %u %u %15s", name, &k.reqd[0], &k.reqd[1], &k.reqd[2], &k.hint[0], &k.hint[1], &k.hint[2],
               k.vec_type) >= 1) {
        k.name = strdup(name);
        m->at = base_realloc(m->at, (m->n + 1u) * sizeof(*m->at));
        m->at[m->n++] = k;
    }
    free(copy);
}

struct meta metadata_read(const char *ptx) {
    struct meta m = {0};
    for (const char *at = ptx; strncmp(at, "//", 2) == 0;) {
        size_t len = strcspn(at, "\n");
        if (strncmp(at, "// heddle kernel ", 17) == 0) add_kernel(&m, at + 17, at + len);
        else if (strncmp(at, "// heddle arg ", 14) == 0 && m.n) add_arg(&m.at[m.n - 1], at + 14, at + len);
        at += len + (at[len] == '\n');
    }
    return m;
}

void metadata_free(struct meta *m) {
    for (u32 i = 0; i < m->n; i++) {
        for (u32 k = 0; k < m->at[i].nargs; k++) {
            struct arg_meta *a = &m->at[i].args[k];
            free(a->name);
            free(a->type);
            free(a->access);
            free(a->qualifiers);
        }
        free(m->at[i].args);
        free(m->at[i].name);
    }
    free(m->at);
    *m = (struct meta){0};
}

const struct kernel_meta *metadata_find(const struct meta *m, const char *kernel) {
    for (u32 i = 0; i < m->n; i++)
        if (strcmp(m->at[i].name, kernel) == 0) return &m->at[i];
    return NULL;
}
