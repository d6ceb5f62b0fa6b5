/* Functions a program calls but does not bring: printf, assertions, the device heap. */
#include "func/func.h"

#include <ctype.h>
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

enum { MAX_STRING = 4096 };

static bool read_string(struct warp *w, u32 lane, u64 addr, char *out) {
    for (u32 i = 0; i < MAX_STRING; i++) {
        if (!access_peek(w, lane, addr + i, &out[i], 1)) return false;
        if (!out[i]) return true;
    }
    out[MAX_STRING - 1] = 0;
    return true;
}

/* --- printf: the argument buffer holds each argument at its natural alignment, integers as 4 or 8 bytes, floats as doubles */

struct printer {
    struct warp *w;
    u32 lane;
    u64 args; /* address of the next argument */
    FILE *out;
    bool bad;  /* an argument could not be read */
    u32 taken; /* arguments read */
};

static u64 next_arg(struct printer *p, u32 bytes) {
    u64 v = 0;
    p->taken++;
    p->args = (p->args + bytes - 1) / bytes * bytes;
    if (!access_peek(p->w, p->lane, p->args, &v, bytes)) p->bad = true;
    p->args += bytes;
    return v;
}

/* What the low bytes of an argument are worth */
static long long narrow(u64 v, u32 size_b, bool is_signed) {
    u32 up = 64 - 8 * size_b;
    return is_signed ? (long long)((i64)(v << up) >> up) : (long long)(v << up >> up);
}

/* One conversion, spec being "%...X" without length letters; size_b is what they say of an integer: 8, 4, 2 or 1. An argument takes 8 bytes
 * of the buffer, or 4. */
static void print_conversion(struct printer *p, char *spec, size_t n, u32 size_b) {
    char conv = spec[n - 1];
    double d;
    char text[MAX_STRING];
    if (strchr("eEfFgGaA", conv)) {
        u64 bits = next_arg(p, 8);
        memcpy(&d, &bits, 8);
        fprintf(p->out, spec, d);
    } else if (conv == 's') {
        if (!read_string(p->w, p->lane, next_arg(p, 8), text)) {
            p->bad = true;
            return;
        }
        fprintf(p->out, spec, text);
    } else if (conv == 'c') {
        fprintf(p->out, spec, (int)next_arg(p, 4));
    } else if (conv == 'p') {
        fprintf(p->out, "0x%llx", (unsigned long long)next_arg(p, 8));
    } else if (strchr("diouxX", conv)) {
        u64 v = next_arg(p, size_b == 8 ? 8 : 4);
        memmove(spec + n + 1, spec + n - 1, 2);
        memcpy(spec + n - 1, "ll", 2);
        bool is_signed = conv == 'd' || conv == 'i';
        fprintf(p->out, spec, narrow(v, size_b, is_signed));
    } else fprintf(p->out, "%s", spec);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void print_format(struct printer *p, const char *f) {
    while (*f && !p->bad) {
        if (*f != '%') {
            fputc(*f++, p->out);
            continue;
        }
        char spec[64];
        size_t n = 0;
        u32 size_b = 4;
        spec[n++] = *f++;
        while (*f && strchr("-+ #0123456789.*lhzjtqL", *f) && n < 24) {
            if (*f == 'l' || *f == 'z' || *f == 'j' || *f == 't' || *f == 'q') size_b = 8;
            else if (*f == 'h') size_b = size_b == 2 ? 1 : 2;
            else if (*f == '*') n += (size_t)snprintf(spec + n, 16, "%d", (int)next_arg(p, 4));
            else if (*f != 'L') spec[n++] = *f;
            f++;
        }
        if (!*f) break;
        spec[n++] = *f++;
        spec[n] = 0;
        if (spec[n - 1] == '%') {
            fputc('%', p->out);
        } else print_conversion(p, spec, n, size_b);
    }
}

static void do_printf(struct warp *w, struct group *g, const struct inst *in, const struct call_info *c, u32 lane) {
    struct launch *l = w->cta->launch;
    char format[MAX_STRING];
    struct printer p = {
        .w = w, .lane = lane, .args = slot_value(w, g, &c->args[1], lane), .out = l->program_out ? l->program_out : stdout};
    if (!read_string(w, lane, slot_value(w, g, &c->args[0], lane), format)) {
        fault_at(w, in, (int)lane, "printf: the format at 0x%llx is not readable memory",
                 (unsigned long long)slot_value(w, g, &c->args[0], lane));
        return;
    }
    print_format(&p, format);
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
    struct launch *l = w->cta->launch;
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
