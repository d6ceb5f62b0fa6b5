/* Names as the programmer wrote them: `_Z5scalePfi` is scale(float*, int). What clang and nvcc make of OpenCL
 * C, OpenCL C++ and CUDA functions: names in namespaces and classes, templates with types and numbers,
 * built-in types, vectors, pointers, references, qualifiers, address spaces, substitutions. Anything else is
 * left as it was: a message with a strange name is better than one with a wrong name. */
#include "base/base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEN = 64, MAX_DEPTH = 16 };

struct demangler {
    const char *at, *end;
    bool bad;
    u32 depth, n;
    char *seen[MAX_SEEN]; /* what S_, S0_ and so on stand for */
};

static const struct {
    char code;
    const char *name;
} builtins[] = {
    {'v', "void"},
    {'b', "bool"},
    {'c', "char"},
    {'a', "signed char"},
    {'h', "unsigned char"},
    {'s', "short"},
    {'t', "unsigned short"},
    {'i', "int"},
    {'j', "unsigned int"},
    {'l', "long"},
    {'m', "unsigned long"},
    {'x', "long long"},
    {'y', "unsigned long long"},
    {'f', "float"},
    {'d', "double"},
    {'z', "..."},
};

static char *fail(struct demangler *d) {
    d->bad = true;
    return strdup("?");
}

static bool take(struct demangler *d, const char *what) {
    size_t n = strlen(what);
    if ((size_t)(d->end - d->at) < n || memcmp(d->at, what, n)) return false;
    d->at += n;
    return true;
}

static char *join(char *a, const char *between, char *b) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s%s%s", a, between, b);
    free(a);
    free(b);
    return s.s;
}

static void remember(struct demangler *d, const char *s) {
    if (d->n < MAX_SEEN) d->seen[d->n++] = strdup(s);
    else d->bad = true;
}

static bool number(struct demangler *d, size_t *n) {
    if (d->at == d->end || !isdigit((unsigned char)*d->at)) return false;
    for (*n = 0; d->at < d->end && isdigit((unsigned char)*d->at) && *n < 100000; d->at++) *n = *n * 10 + (size_t)(*d->at - '0');
    return true;
}

static char *source_name(struct demangler *d) {
    size_t n;
    if (!number(d, &n) || n == 0 || n > (size_t)(d->end - d->at)) return fail(d);
    char *s = strndup(d->at, n);
    d->at += n;
    return s;
}

/* S_ is the first, S0_ the second */
static char *substitution(struct demangler *d) {
    size_t i = 0;
    if (!take(d, "_")) {
        for (; d->at < d->end && *d->at != '_'; d->at++) {
            if (!isdigit((unsigned char)*d->at) && !isupper((unsigned char)*d->at)) return fail(d);
            i = i * 36 + (size_t)(isdigit((unsigned char)*d->at) ? *d->at - '0' : *d->at - 'A' + 10);
            if (i > MAX_SEEN) return fail(d);
        }
        if (!take(d, "_")) return fail(d);
        i++;
    }
    return i < d->n ? strdup(d->seen[i]) : fail(d);
}

static char *type(struct demangler *d);

/* I...E: types, and numbers such as Li16E */
static char *template_arguments(struct demangler *d) {
    struct strbuf s = {0};
    strbuf_add(&s, "<");
    for (u32 i = 0; !d->bad && !take(d, "E"); i++) {
        char *one;
        size_t n;
        if (take(d, "L")) {
            bool minus = d->at < d->end && (d->at++, take(d, "n")); /* the type's letter stands before the number */
            char text[32];
            if (!number(d, &n) || !take(d, "E")) d->bad = true;
            snprintf(text, sizeof(text), "%s%zu", minus ? "-" : "", d->bad ? 0 : n);
            one = strdup(text);
        } else one = type(d);
        strbuf_add(&s, "%s%s", i ? ", " : "", one);
        free(one);
    }
    strbuf_add(&s, ">");
    return s.s;
}

static char *with_template(struct demangler *d, char *name, bool *is_template) {
    if (!take(d, "I")) return name;
    remember(d, name);
    *is_template = true;
    return join(name, "", template_arguments(d));
}

/* N...E: each part but the last is remembered, with what stands before it */
static char *nested(struct demangler *d, bool *is_template) {
    char *name = NULL;
    while (!d->bad && !take(d, "E")) {
        bool known = take(d, "S");
        char *part = known ? substitution(d) : source_name(d);
        name = name ? join(name, "::", part) : part;
        *is_template = false;
        name = with_template(d, name, is_template);
        if (d->at < d->end && *d->at != 'E' && (!known || *is_template)) remember(d, name);
    }
    return name ? name : fail(d);
}

static char *name_of(struct demangler *d, bool *is_template) {
    *is_template = false;
    if (take(d, "N")) return nested(d, is_template);
    return with_template(d, source_name(d), is_template);
}

/* One that stands before another type; the whole is remembered */
static char *qualified(struct demangler *d, const char *after) {
    char *s = join(type(d), after, strdup(""));
    remember(d, s);
    return s;
}

static char *vector(struct demangler *d) {
    size_t n;
    char text[64];
    if (!number(d, &n) || !take(d, "_")) return fail(d);
    char *of = type(d);
    bool is_unsigned = strncmp(of, "unsigned ", 9) == 0; /* uint4, as OpenCL C and CUDA write it */
    snprintf(text, sizeof(text), "%s%s%zu", is_unsigned ? "u" : "", is_unsigned ? of + 9 : of, n);
    free(of);
    remember(d, text);
    return strdup(text);
}

/* const, volatile and address spaces (U3AS1) of one type: remembered as one. The pointer that holds an
 * address space says enough. */
static char *qualifiers(struct demangler *d) {
    bool is_const = false, is_volatile = false;
    for (bool more = true; more && !d->bad;) {
        if (take(d, "K")) is_const = true;
        else if (take(d, "V")) is_volatile = true;
        else if (take(d, "U")) free(source_name(d));
        else more = false;
    }
    return qualified(d, is_const && is_volatile ? " const volatile" : is_const ? " const" : is_volatile ? " volatile" : "");
}

static char *class_type(struct demangler *d) {
    bool is_template;
    char *s = name_of(d, &is_template);
    remember(d, s);
    return s;
}

static char *type_inside(struct demangler *d) {
    if (take(d, "P")) return qualified(d, "*");
    if (take(d, "R")) return qualified(d, "&");
    if (take(d, "O")) return qualified(d, "&&");
    if (d->at < d->end && strchr("KVU", *d->at)) return qualifiers(d);
    if (take(d, "Dv")) return vector(d);
    if (take(d, "Dh")) return strdup("half");
    if (take(d, "S")) return substitution(d);
    if (d->at < d->end && (isdigit((unsigned char)*d->at) || *d->at == 'N')) return class_type(d);
    for (u32 i = 0; i < ARRAY_LEN(builtins) && d->at < d->end; i++)
        if (*d->at == builtins[i].code) return d->at++, strdup(builtins[i].name);
    return fail(d);
}

static char *type(struct demangler *d) {
    if (d->bad || d->depth >= MAX_DEPTH) return fail(d);
    d->depth++;
    char *s = type_inside(d);
    d->depth--;
    return s;
}

static char *function(struct demangler *d) {
    bool is_template;
    char *name = name_of(d, &is_template);
    if (d->at == d->end) return name; /* a variable */
    if (is_template) free(type(d));   /* its result */
    struct strbuf s = {0};
    strbuf_add(&s, "%s(", name);
    free(name);
    for (u32 i = 0; !d->bad && d->at < d->end; i++) {
        char *one = type(d);
        if (strcmp(one, "void")) strbuf_add(&s, "%s%s", i ? ", " : "", one);
        free(one);
    }
    strbuf_add(&s, ")");
    return s.s;
}

char *text_demangle(const char *name, size_t len) {
    struct demangler d = {.at = name + 2, .end = name + len};
    if (len < 4 || memcmp(name, "_Z", 2)) return NULL;
    char *s = function(&d);
    for (u32 i = 0; i < d.n; i++) free(d.seen[i]);
    if (!d.bad) return s;
    free(s);
    return NULL;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

void text_demangle_all(struct strbuf *b) {
    struct strbuf out = {0};
    if (!b->s || !strstr(b->s, "_Z")) return;
    for (const char *at = b->s; *at;) {
        size_t n = 0;
        while (in_name(at[n])) n++;
        char *shown = n ? text_demangle(at, n) : NULL;
        if (shown) strbuf_add(&out, "%s", shown);
        else strbuf_add(&out, "%.*s", (int)MAX(n, (size_t)1), at);
        free(shown);
        at += MAX(n, (size_t)1);
    }
    strbuf_free(b);
    *b = out;
}
