/* Kernels that call kernels. In OpenCL C that is an ordinary call; in PTX an .entry cannot be called.
 *
 * In the IR of a program every kernel that is called gets a twin, a function of the same text that is inlined wherever it is called. */
#include "opencl/opencl.h"

#include <stdlib.h>

#define KERNEL "spir_kernel void "
#define CALL   "call " KERNEL "@"

/* Behind the closing parenthesis of the list that `at` opens */
static const char *behind_list(const char *at) {
    u32 depth = 0;
    for (; *at; at++) {
        if (*at == '(') depth++;
        if (*at == ')' && --depth == 0) return at + 1;
    }
    return at;
}

/* The line that defines kernel `name`, of `len` characters; NULL when another part of the program does */
static const char *definition(const char *ir, const char *name, size_t len) {
    for (const char *at = ir; (at = strstr(at, "\ndefine ")); at++) {
        size_t line = strcspn(at + 1, "\n");
        const char *is = memmem(at + 1, line, KERNEL "@", strlen(KERNEL "@"));
        if (is && strncmp(is + strlen(KERNEL "@"), name, len) == 0 && is[strlen(KERNEL "@") + len] == '(') return at + 1;
    }
    return NULL;
}

/* Without debug locations: they belong to the kernel */
static void add_body(const char *at, const char *end, struct strbuf *out) {
    while (at < end) {
        size_t len = strcspn(at, "\n"), text = len;
        const char *dbg = memmem(at, len, ", !dbg !", 8);
        if (dbg) text = (size_t)(dbg - at);
        strbuf_add(out, "%.*s\n", (int)text, at);
        at += len + 1;
    }
}

static void add_twin(const char *def, const char *name, size_t len, struct strbuf *out) {
    const char *list = strchr(def, '('), *end = strstr(def, "\n}\n");
    if (!list || !end) return;
    const char *body = behind_list(list);
    strbuf_add(out, "\ndefine internal void @%.*s.called%.*s convergent alwaysinline nounwind {", (int)len, name,
               (int)(body - list), list);
    body += strcspn(body, "\n");
    add_body(body, end, out);
    strbuf_add(out, "}\n");
}

/* Twins for all kernels called in `ir`, into `out`; false when there are none */
static bool add_twins(const char *ir, struct strbuf *out) {
    for (const char *at = ir; (at = strstr(at, CALL)); at++) {
        const char *name = at + strlen(CALL);
        size_t len = strcspn(name, "(");
        struct strbuf seen = {0};
        strbuf_add(&seen, "@%.*s.called(", (int)len, name);
        const char *def = definition(ir, name, len);
        if (def && !(out->s && strstr(out->s, seen.s))) add_twin(def, name, len, out);
        strbuf_free(&seen);
    }
    return out->s != NULL;
}

/* `text` with calls of kernels become calls of their twins, where there is one */
static void add_with_calls(const char *text, const char *ir, struct strbuf *out) {
    for (const char *at; (at = strstr(text, CALL));) {
        const char *name = at + strlen(CALL);
        size_t len = strcspn(name, "(");
        strbuf_add(out, "%.*s", (int)(at - text), text);
        if (definition(ir, name, len)) strbuf_add(out, "call void @%.*s.called", (int)len, name);
        else strbuf_add(out, CALL "%.*s", (int)len, name);
        text = name + len;
    }
    strbuf_add(out, "%s", text);
}

char *kernel_calls_inline(char *ir) {
    struct strbuf twins = {0}, all = {0};
    if (!strstr(ir, CALL) || !add_twins(ir, &twins)) return ir;
    const char *attributes = strstr(ir, "\nattributes "); /* functions stand before them */
    size_t head = attributes ? (size_t)(attributes - ir) : strlen(ir);
    struct strbuf joined = {0};
    strbuf_add(&joined, "%.*s%s%s", (int)head, ir, twins.s, ir + head);
    add_with_calls(joined.s, ir, &all);
    strbuf_free(&twins);
    strbuf_free(&joined);
    free(ir);
    return all.s;
}
