/* Kernels that call kernels. In OpenCL C that is an ordinary call; in PTX an .entry cannot be called.
 *
 * In the IR of a program every kernel that is called gets a twin, a function of the same text that is
 * inlined wherever it is called. Kernels that another of the programs to be linked calls get one too, when
 * they are linked. */
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

static void add_twin(const char *def, const char *name, size_t len, const char *linkage, const char *suffix, struct strbuf *out) {
    const char *list = strchr(def, '('), *end = strstr(def, "\n}\n");
    if (!list || !end) return;
    const char *body = behind_list(list);
    strbuf_add(out, "\ndefine %s void @%.*s%s%.*s convergent alwaysinline nounwind {", linkage, (int)len, name, suffix,
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
        if (def && !(out->s && strstr(out->s, seen.s))) add_twin(def, name, len, "internal", ".called", out);
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

/* `ir` with `functions` behind its own */
static char *with_functions(const char *ir, const char *functions) {
    struct strbuf all = {0};
    const char *attributes = strstr(ir, "\nattributes "); /* functions stand before them */
    size_t head = attributes ? (size_t)(attributes - ir) : strlen(ir);
    strbuf_add(&all, "%.*s%s%s", (int)head, ir, functions, ir + head);
    return all.s;
}

char *kernel_calls_inline(char *ir) {
    struct strbuf twins = {0}, all = {0};
    if (!strstr(ir, CALL) || !add_twins(ir, &twins)) return ir;
    char *joined = with_functions(ir, twins.s);
    add_with_calls(joined, ir, &all);
    strbuf_free(&twins);
    free(joined);
    free(ir);
    return all.s;
}

/* --- kernels of another part */

/* Everything that names kernel `name`, its declaration and calls, names the twin that is shared */
static char *with_shared(const char *ir, const char *name, size_t len) {
    struct strbuf from = {0}, out = {0};
    strbuf_add(&from, KERNEL "@%.*s(", (int)len, name);
    for (const char *at; (at = strstr(ir, from.s)); ir = at + from.len)
        strbuf_add(&out, "%.*svoid @%.*s.shared(", (int)(at - ir), ir, (int)len, name);
    strbuf_add(&out, "%s", ir);
    strbuf_free(&from);
    return out.s;
}

/* The part that defines the kernel gets the twin, once; false when none does */
static bool share(char **ir, u32 n, const char *name, size_t len) {
    struct strbuf seen = {0}, twin = {0};
    strbuf_add(&seen, "void @%.*s.shared(", (int)len, name);
    for (u32 i = 0; i < n; i++) {
        const char *def = definition(ir[i], name, len);
        if (!def) continue;
        if (!strstr(ir[i], seen.s)) add_twin(def, name, len, "linkonce_odr", ".shared", &twin);
        char *now = twin.s ? with_functions(ir[i], twin.s) : NULL;
        if (now) free(ir[i]), ir[i] = now;
        strbuf_free(&seen), strbuf_free(&twin);
        return true;
    }
    strbuf_free(&seen);
    return false;
}

void kernel_calls_link(char **ir, u32 n) {
    for (u32 i = 0; i < n; i++)
        for (const char *at = ir[i]; (at = strstr(at, CALL));) {
            char name[512];
            size_t len = strcspn(at + strlen(CALL), "(");
            snprintf(name, sizeof(name), "%.*s", (int)len, at + strlen(CALL));
            at += strlen(CALL);
            if (len >= sizeof(name) || definition(ir[i], name, len) || !share(ir, n, name, len)) continue;
            char *now = with_shared(ir[i], name, len);
            free(ir[i]);
            at = ir[i] = now;
        }
}
