/* Functions a program calls but does not bring: printf, assertions, the device heap. */
#include "func/func.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    enum builtin id;
} builtins[] = {
    {"vprintf", BUILTIN_VPRINTF}, {"printf", BUILTIN_PRINTF}, {"__assertfail", BUILTIN_ASSERTFAIL},
    {"malloc", BUILTIN_MALLOC},   {"free", BUILTIN_FREE},
};

int builtin_find(const char *name) {
    for (u32 i = 0; i < ARRAY_LEN(builtins); i++)
        if (strcmp(name, builtins[i].name) == 0) return (int)builtins[i].id;
    return NONE;
}

static u64 slot_value(struct warp *w, struct group *g, const struct func_slot *s, u32 lane) {
    u64 v = 0;
    if (s->in_reg) return opnd_read(w, g, &s->reg, lane);
    memcpy(&v, w->local + (size_t)lane * w->local_cap + g->local_base + s->off_b, MIN(s->size_b, 8u));
    return v;
}

static void slot_set(struct warp *w, struct group *g, const struct func_slot *s, u32 lane, u64 v) {
    if (s->in_reg) opnd_write(w, g, &s->reg, lane, v);
    else memcpy(w->local + (size_t)lane * w->local_cap + g->local_base + s->off_b, &v, MIN(s->size_b, 8u));
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* printf of programs */

enum { MAX_STRING = 4096, MAX_PRINTS = 1000000 };

static bool read_string(struct warp *w, u32 lane, u64 addr, char *out) {
    for (u32 i = 0; i < MAX_STRING; i++) {
        if (!access_peek(w, lane, addr + i, &out[i], 1)) return false;
        if (!out[i]) return true;
    }
    out[MAX_STRING - 1] = 0;
    return true;
}

/* --- printf: the argument buffer holds each argument at its natural alignment, integers as 4 or 8 bytes,
 * floats as doubles. OpenCL C's vectors ("%v4hlf") lie there as they are in memory, aligned to their size,
 * three elements as four; without a length letter an element has 4 bytes. */

struct printer {
    struct warp *w;
    u32 lane;
    u64 args; /* address of the next argument */
    FILE *out;
    bool bad;  /* an argument could not be read */
    u32 taken; /* arguments read */
};

/* One conversion as the format has it */
struct conversion {
    char spec[64]; /* "%...X" without length letters */
    size_t n;      /* its length */
    u32 size_b;    /* what length letters say of an integer, or of a vector's element: 8, 4, 2 or 1 */
    u32 elements;  /* of a vector; 0: no vector */
};

static u64 peek_arg(struct printer *p, u32 bytes) {
    u64 v = 0;
    if (!access_peek(p->w, p->lane, p->args, &v, bytes)) p->bad = true;
    p->args += bytes;
    return v;
}

static void align_args(struct printer *p, u32 bytes) { p->args = (p->args + bytes - 1) / bytes * bytes; }

static u64 next_arg(struct printer *p, u32 bytes) {
    p->taken++;
    align_args(p, bytes);
    return peek_arg(p, bytes);
}

/* What the low bytes of an argument are worth */
static long long narrow(u64 v, u32 size_b, bool is_signed) {
    u32 up = 64 - 8 * size_b;
    return is_signed ? (long long)((i64)(v << up) >> up) : (long long)(v << up >> up);
}

static double float_of(u64 bits, u32 size_b) {
    double d;
    float f;
    u32 low = (u32)bits;
    if (size_b == 2) {
        int exponent = low >> 10 & 31, sign = low >> 15 & 1;
        double m = low & 1023;
        d = exponent == 31 ? (m != 0 ? NAN : INFINITY) : exponent ? ldexp(1024 + m, exponent - 25) : ldexp(m, -24);
        return sign ? -d : d;
    }
    memcpy(&d, &bits, 8);
    memcpy(&f, &low, 4);
    return size_b == 8 ? d : (double)f;
}

static bool is_float(char conv) { return strchr("eEfFgGaA", conv) != NULL; }

static void print_integer(struct printer *p, const struct conversion *c, u64 v) {
    char spec[68], conv = c->spec[c->n - 1];
    snprintf(spec, sizeof(spec), "%.*sll%c", (int)c->n - 1, c->spec, conv);
    fprintf(p->out, spec, narrow(v, c->size_b, conv == 'd' || conv == 'i'));
}

static void print_vector(struct printer *p, struct conversion *c) {
    u32 room = (c->elements == 3 ? 4 : c->elements) * c->size_b;
    p->taken++;
    align_args(p, room);
    u64 end = p->args + room;
    for (u32 i = 0; i < c->elements && !p->bad; i++) {
        u64 v = peek_arg(p, c->size_b);
        if (p->bad) return;
        if (i) fputc(',', p->out);
        if (is_float(c->spec[c->n - 1])) fprintf(p->out, c->spec, float_of(v, c->size_b));
        else print_integer(p, c, v);
    }
    p->args = end;
}

/* An argument takes 8 bytes of the buffer, or 4 */
static void print_conversion(struct printer *p, struct conversion *c) {
    char conv = c->spec[c->n - 1], text[MAX_STRING];
    bool number = is_float(conv) || strchr("diouxX", conv);
    if (c->elements && number) print_vector(p, c);
    else if (is_float(conv)) fprintf(p->out, c->spec, float_of(next_arg(p, 8), 8));
    else if (conv == 's') {
        if (!read_string(p->w, p->lane, next_arg(p, 8), text)) p->bad = true;
        else fprintf(p->out, c->spec, text);
    } else if (conv == 'c') fprintf(p->out, c->spec, (int)next_arg(p, 4));
    else if (conv == 'p') fprintf(p->out, "0x%llx", (unsigned long long)next_arg(p, 8));
    else if (number) print_integer(p, c, next_arg(p, c->size_b == 8 ? 8 : 4));
    else fprintf(p->out, "%s", c->spec);
}

/* Behind "v4" when `f` is at one; `f` when that is no vector */
static const char *take_vector(const char *f, struct conversion *c) {
    static const u32 widths[] = {16, 2, 3, 4, 8};
    char text[4];
    for (u32 i = 0; i < ARRAY_LEN(widths); i++) {
        int n = snprintf(text, sizeof(text), "v%u", widths[i]);
        if (strncmp(f, text, (size_t)n) != 0) continue;
        c->elements = widths[i];
        return f + n;
    }
    return f;
}

/* What stands between '%' and the letter that ends a conversion; returns where that letter is */
static const char *take_conversion(struct printer *p, const char *f, struct conversion *c) {
    bool shorter = false;
    *c = (struct conversion){.spec = "%", .n = 1, .size_b = 4};
    while (*f && c->n < 24) {
        const char *behind = take_vector(f, c);
        if (behind == f && !strchr("-+ #0123456789.*lhzjtqL", *f)) break;
        if (behind != f) {
            f = behind;
            continue;
        }
        if (*f == 'l' && shorter) c->size_b = 4; /* "hl": OpenCL's elements of 4 bytes */
        else if (*f == 'l' || *f == 'z' || *f == 'j' || *f == 't' || *f == 'q') c->size_b = 8;
        else if (*f == 'h') c->size_b = c->size_b == 2 ? 1 : 2, shorter = true;
        else if (*f == '*') c->n += (size_t)snprintf(c->spec + c->n, 16, "%d", (int)next_arg(p, 4));
        else if (*f != 'L') c->spec[c->n++] = *f;
        f++;
    }
    return f;
}

static void print_format(struct printer *p, const char *f) {
    while (*f && !p->bad) {
        struct conversion c;
        if (*f != '%') {
            fputc(*f++, p->out);
            continue;
        }
        f = take_conversion(p, f + 1, &c);
        if (!*f) break;
        c.spec[c.n++] = *f++;
        c.spec[c.n] = 0;
        if (c.spec[c.n - 1] == '%') fputc('%', p->out);
        else print_conversion(p, &c);
    }
}

static void do_printf(struct warp *w, struct group *g, const struct inst *in, const struct call_info *c, u32 lane) {
    struct launch *l = w->launch;
    char format[MAX_STRING];
    struct printer p = {
        .w = w, .lane = lane, .args = slot_value(w, g, &c->args[1], lane), .out = l->program_out ? l->program_out : stdout};
    if (!read_string(w, lane, slot_value(w, g, &c->args[0], lane), format)) {
        fault_at(w, in, (int)lane, "printf: the format at 0x%llx is not readable memory",
                 (unsigned long long)slot_value(w, g, &c->args[0], lane));
        return;
    }
    if (++l->printed <= MAX_PRINTS) print_format(&p, format);
    if (l->printed == MAX_PRINTS + 1)
        fprintf(
            stderr,
            "heddle: warning: kernel '%s' has called printf %d times in one launch; what it prints from here on is left out\n",
            l->k->name, MAX_PRINTS);
    if (p.bad) fault_at(w, in, (int)lane, "printf: an argument of \"%s\" is not readable memory", format);
    /* CUDA's returns how many arguments it took, OpenCL's zero */
    if (c->nrets) slot_set(w, g, &c->rets[0], lane, c->builtin == BUILTIN_VPRINTF ? p.taken : 0);
}

static void do_assertfail(struct warp *w, struct group *g, const struct inst *in, const struct call_info *c, u32 lane) {
    char message[MAX_STRING] = "?", file[MAX_STRING] = "?", function[MAX_STRING] = "?";
    read_string(w, lane, slot_value(w, g, &c->args[0], lane), message);
    if (c->nargs > 1) read_string(w, lane, slot_value(w, g, &c->args[1], lane), file);
    if (c->nargs > 3) read_string(w, lane, slot_value(w, g, &c->args[3], lane), function);
    u32 line = c->nargs > 2 ? (u32)slot_value(w, g, &c->args[2], lane) : 0;
    fault_at(w, in, (int)lane, "assertion '%s' failed in %s (%s:%u)", message, function, file, line);
}

static u32 min_args(enum builtin b) { return b == BUILTIN_VPRINTF || b == BUILTIN_PRINTF ? 2 : 1; }

void builtin_call(struct warp *w, struct group *g, const struct inst *in, const struct call_info *c, u64 mask) {
    struct launch *l = w->launch;
    enum builtin b = (enum builtin)c->builtin;
    if (c->nargs < min_args(b)) {
        fault_at(w, in, __builtin_ctzll(mask), "a built-in function needs at least %u arguments, this call has %u", min_args(b),
                 c->nargs);
        return;
    }
    for (u64 rest = mask; rest && !l->faulted; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        switch (b) {
        case BUILTIN_VPRINTF:
        case BUILTIN_PRINTF: do_printf(w, g, in, c, lane); break;
        case BUILTIN_ASSERTFAIL: do_assertfail(w, g, in, c, lane); break;
        case BUILTIN_MALLOC: {
            u64 bytes = slot_value(w, g, &c->args[0], lane);
            u64 addr = memory_alloc(l->mem, MAX(bytes, 1ull), 16, OWNER_HEAP, false);
            if (c->nrets) slot_set(w, g, &c->rets[0], lane, addr);
            break;
        }
        default: {
            u64 addr = slot_value(w, g, &c->args[0], lane);
            if (addr && !memory_free(l->mem, addr, OWNER_HEAP))
                fault_at(w, in, (int)lane, "free of 0x%llx, which malloc did not return", (unsigned long long)addr);
        }
        }
    }
}
