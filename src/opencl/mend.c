/* The IR of a program made such that clang compiles and links it as the program means:
 *
 * Functions declared `inline`. OpenCL programs mean that the function is defined there (clang is run with
 * -fgnu89-inline for that), and that programs which include the same one can be linked. So what is marked
 * `inlinehint` or `alwaysinline` gets the linkage of C++'s inline functions.
 *
 * Pairs of bytes in signatures. The back end for PTX declares a parameter of type char2 or uchar2 as two
 * bytes and loads it as two half words, and cannot compile some functions that take or return one. So a
 * kernel's parameter `<2 x i8>` becomes `i16`, and so does the store that puts it into its variable
 * (unoptimised IR uses a parameter in no other way); and a function with a pair, or a structure by value,
 * in its signature is inlined wherever it is called, so that no signature is left.
 *
 * Sixteen bytes at an address that is no multiple of sixteen. They are loaded as if it were one; so two
 * loads of eight bytes take the place.
 *
 * Comparisons of two half words. The back end joins the comparison and the mask a program makes of it to one
 * operation, which it then has no instruction for; a freeze between them keeps them two.
 *
 * Variables with vectors of three components: triples.c.
 *
 * Mathematical functions that libclc has wrong somewhere: their calls go to heddle_NAME of lib/math.cl.
 *
 * Functions of a program that is one part. Only its kernels can be asked for, so all other functions become
 * internal: what no kernel reaches is dropped before it is optimised. Programs that carry a library in every
 * source (hashcat: 23 MB of IR, of which its kernels use a thousandth) compile in a tenth of the time.
 *
 * All other vectors, at any alignment and in any signature, come out right
 * (tests/opencl/test_arguments.c). */
#include "opencl/opencl.h"

#include <stdlib.h>

#define PAIR     "<2 x i8>"
#define EXTERNAL "define dso_local " /* how a definition begins that other parts may call */

/* Behind the parameter list of the function that `line` defines; NULL when it defines none */
static const char *behind_signature(const char *line, const char *end) {
    const char *name = memchr(line, '@', (size_t)(end - line));
    u32 depth = 0;
    for (const char *at = name; at && at < end; at++) {
        if (*at == '"') at = memchr(at + 1, '"', (size_t)(end - at - 1));
        if (!at) return NULL;
        if (*at == '(') depth++;
        if (*at == ')' && --depth == 0) return at + 1;
    }
    return NULL;
}

static bool is_kernel(const char *line, const char *signature) {
    return memmem(line, (size_t)(signature - line), " spir_kernel ", 13) != NULL;
}

/* A pair, or a structure returned by value, which may hold one */
static bool has_pair(const char *line, const char *signature) {
    const char *name = memchr(line, '@', (size_t)(signature - line));
    return memmem(line, (size_t)(signature - line), PAIR, strlen(PAIR)) ||
           (name && memchr(line, '%', (size_t)(name - line))); /* %struct.x, %union.x */
}

/* `text` with every PAIR as i16 */
static void add_as_words(const char *text, const char *end, struct strbuf *out) {
    while (text < end) {
        const char *at = memmem(text, (size_t)(end - text), PAIR, strlen(PAIR));
        strbuf_add(out, "%.*s%s", (int)((at ? at : end) - text), text, at ? "i16" : "");
        text = at ? at + strlen(PAIR) : end;
    }
}

/* Whether `name`, as it is used at `at`, is a parameter of type PAIR in the signature */
static bool is_pair_parameter(const char *at, const char *line, const char *signature) {
    size_t n = strcspn(at, ", \n");
    for (const char *p = line; (p = memmem(p, (size_t)(signature - p), PAIR, strlen(PAIR)));) {
        p += strlen(PAIR);
        const char *end = p + strcspn(p, ",)");
        while (end > p && end[-1] == ' ') end--;
        if ((size_t)(end - p) > n && strncmp(end - n, at, n) == 0 && end[-(ptrdiff_t)n - 1] == ' ') return true;
    }
    return false;
}

/* The body of a kernel: stores of its parameters take them as they now are. Returns where it ends. */
static const char *add_kernel_body(const char *at, const char *line, const char *signature, struct strbuf *out) {
    static const char *const stores[] = {"  store ", "  store volatile "};
    while (*at && *at != '}') {
        size_t len = strcspn(at, "\n") + 1, done = 0;
        for (u32 i = 0; !done && i < ARRAY_LEN(stores); i++) {
            size_t n = strlen(stores[i]), pair = n + strlen(PAIR " ");
            if (strncmp(at, stores[i], n) != 0 || strncmp(at + n, PAIR " ", pair - n) != 0) continue;
            if (!is_pair_parameter(at + pair, line, signature)) continue;
            strbuf_add(out, "%si16 ", stores[i]);
            done = pair;
        }
        strbuf_add(out, "%.*s", (int)(len - done), at + done);
        at += len;
    }
    return at;
}

/* A definition that is inlined everywhere and then dropped: the attributes it had, which may speak against
 * it, fall away */
static void add_inlined(const char *line, const char *signature, const char *end, struct strbuf *out) {
    const char *rest = signature + strcspn(signature, "#{!\n");
    if (*rest == '#') rest += 1 + strspn(rest + 1, "0123456789");
    if (strncmp(line, EXTERNAL, strlen(EXTERNAL)) == 0) {
        strbuf_add(out, "define linkonce_odr ");
        line += strlen(EXTERNAL);
    }
    strbuf_add(out, "%.*s alwaysinline convergent nounwind %.*s", (int)(signature - line), line, (int)(end - rest), rest);
}

static char *mend_pairs(const char *ir) {
    struct strbuf out = {0};
    if (!strstr(ir, PAIR)) return strdup(ir);
    for (const char *at = ir; *at;) {
        const char *line = at, *end = at + strcspn(at, "\n");
        const char *signature = strncmp(at, "define ", 7) == 0 ? behind_signature(at, end) : NULL;
        end += *end == '\n';
        at = end;
        if (!signature || !has_pair(line, signature)) strbuf_add(&out, "%.*s", (int)(end - line), line);
        else if (!is_kernel(line, signature)) add_inlined(line, signature, end, &out);
        else {
            add_as_words(line, signature, &out);
            strbuf_add(&out, "%.*s", (int)(end - signature), signature);
            at = add_kernel_body(end, line, signature, &out);
        }
    }
    return out.s;
}

/* `  %RESULT = load [volatile ]<16 x i8>, ptr[ addrspace(N)] %FROM, align A...` in its parts */
struct load {
    const char *name; /* it is loaded to */
    size_t to;        /* length of that */
    const char *isvolatile;
    char pointer[32], from[512];
    unsigned align;
};

static bool split_load(const char *line, size_t len, struct load *out) {
    static const char wide[] = "<16 x i8>, ptr";
    const char *is = memmem(line, len, " = load ", 8), *end = line + len;
    *out = (struct load){.name = line + strspn(line, " ")};
    if (!is) return false;
    const char *type = is + 8;
    bool vol = strncmp(type, "volatile ", 9) == 0;
    if (vol) type += 9;
    if (strncmp(type, wide, sizeof(wide) - 1) != 0) return false;
    const char *pointer = type + strlen("<16 x i8>, "), *align = memmem(pointer, (size_t)(end - pointer), ", align ", 8);
    if (!align) return false;
    const char *from = pointer + (strncmp(pointer, "ptr addrspace(", 14) == 0 ? strcspn(pointer, ")") + 1 : 3);
    out->to = (size_t)(is - out->name);
    out->isvolatile = vol ? "volatile " : "";
    snprintf(out->pointer, sizeof(out->pointer), "%.*s", (int)(from - pointer), pointer);
    snprintf(out->from, sizeof(out->from), "%.*s", (int)(align - from - 1), from + 1);
    out->align = (unsigned)strtoul(align + 8, NULL, 10);
    return out->align < 16;
}

static void add_halves(const struct load *l, u32 n, struct strbuf *out) {
    unsigned second = l->align < 8 ? l->align : 8;
    strbuf_add(out, "  %%heddle.lo%u = load %s<8 x i8>, %s %s, align %u\n", n, l->isvolatile, l->pointer, l->from, l->align);
    strbuf_add(out, "  %%heddle.at%u = getelementptr i8, %s %s, i64 8\n", n, l->pointer, l->from);
    strbuf_add(out, "  %%heddle.hi%u = load %s<8 x i8>, %s %%heddle.at%u, align %u\n", n, l->isvolatile, l->pointer, n, second);
    strbuf_add(out, "  %.*s = shufflevector <8 x i8> %%heddle.lo%u, <8 x i8> %%heddle.hi%u, <16 x i32> <", (int)l->to, l->name, n,
               n);
    for (u32 i = 0; i < 16; i++) strbuf_add(out, "%si32 %u", i ? ", " : "", i);
    strbuf_add(out, ">\n");
}

static char *mend_loads(char *ir) {
    struct strbuf out = {0};
    u32 n = 0;
    if (!strstr(ir, "<16 x i8>, ptr")) return ir;
    for (const char *at = ir; *at;) {
        size_t len = strcspn(at, "\n");
        struct load l;
        if (split_load(at, len, &l)) add_halves(&l, n++, &out);
        else strbuf_add(&out, "%.*s\n", (int)len, at);
        at += len + (at[len] == '\n');
    }
    free(ir);
    return out.s;
}

/* `  %RESULT = sext <2 x i1> %FROM to <2 x i16>...` */
static char *mend_masks(char *ir) {
    static const char mask[] = " = sext <2 x i1> ";
    struct strbuf out = {0};
    u32 n = 0;
    if (!strstr(ir, mask)) return ir;
    for (const char *at = ir; *at;) {
        size_t len = strcspn(at, "\n");
        const char *is = memmem(at, len, mask, strlen(mask)), *from = is ? is + strlen(mask) : NULL;
        const char *to = from ? memmem(from, (size_t)(at + len - from), " to <2 x i16>", 13) : NULL;
        if (to) {
            strbuf_add(&out, "  %%heddle.mask%u = freeze <2 x i1> %.*s\n", n, (int)(to - from), from);
            strbuf_add(&out, "%.*s%s%%heddle.mask%u%.*s\n", (int)(is - at), at, mask, n++, (int)(at + len - to), to);
        } else strbuf_add(&out, "%.*s\n", (int)len, at);
        at += len + (at[len] == '\n');
    }
    free(ir);
    return out.s;
}

/* Whether the attributes `#N` on a definition's line say that the program wrote `inline`, or as good as
 * that */
static bool is_inline(const char *ir, const char *line, size_t len) {
    char start[48];
    const char *ref = memmem(line, len, ") #", 3);
    if (!ref) return false;
    snprintf(start, sizeof(start), "\nattributes #%lu = {", strtoul(ref + 3, NULL, 10));
    const char *at = strstr(ir, start);
    size_t n = at ? strcspn(at + 1, "\n") : 0;
    return at && (memmem(at + 1, n, " inlinehint ", 12) || memmem(at + 1, n, " alwaysinline ", 14));
}

static char *mend_inline(char *ir) {
    struct strbuf out = {0};
    if (!strstr(ir, " inlinehint ") && !strstr(ir, " alwaysinline ")) return ir;
    for (const char *at = ir; *at;) {
        size_t len = strcspn(at, "\n"), skip = 0;
        if (strncmp(at, EXTERNAL, strlen(EXTERNAL)) == 0 && is_inline(ir, at, len)) skip = strlen(EXTERNAL);
        bool kernel = skip && strncmp(at + skip, "spir_kernel ", 12) == 0; /* stays though nobody calls it */
        if (skip) strbuf_add(&out, "define %s ", kernel ? "weak_odr" : "linkonce_odr");
        strbuf_add(&out, "%.*s\n", (int)(len - skip), at + skip);
        at += len + (at[len] == '\n');
    }
    free(ir);
    return out.s;
}

static char *mend_linkage(char *ir) {
    struct strbuf out = {0};
    for (const char *at = ir; *at;) {
        size_t len = strcspn(at, "\n"), skip = 0;
        if (strncmp(at, EXTERNAL, strlen(EXTERNAL)) == 0) skip = strlen(EXTERNAL);
        if (skip && strncmp(at + skip, "spir_kernel ", 12) == 0) skip = 0;
        strbuf_add(&out, "%s%.*s\n", skip ? "define internal " : "", (int)(len - skip), at + skip);
        at += len + (at[len] == '\n');
    }
    free(ir);
    return out.s ? out.s : strdup("");
}

/* What lib/math.cl has, by the letters of the types it has it for, and vectors of them */
static const struct {
    const char *name, *types;
} corrected[] = {{"exp", "f"},    {"exp2", "f"},      {"erfc", "f"},    {"cosh", "d"},     {"sinh", "d"},   {"cospi", "fd"},
                 {"sinpi", "fd"}, {"tanpi", "fd"},    {"atanpi", "fd"}, {"tgamma", "fd"},  {"ldexp", "fd"}, {"rootn", "f"},
                 {"fmod", "f"},   {"remainder", "f"}, {"remquo", "f"},  {"sub_sat", "il"}, {"mad_sat", "l"}};

/* The row of the function whose mangled name, behind "@_Z", is at `at`; -1 when it has none */
static int corrected_row(const char *at) {
    char *name;
    size_t n = strtoul(at, &name, 10);
    for (u32 i = 0; i < ARRAY_LEN(corrected); i++) {
        if (strlen(corrected[i].name) != n || strncmp(name, corrected[i].name, n) != 0) continue;
        const char *type = name + n;
        if (strncmp(type, "Dv", 2) == 0) type += 2 + strcspn(type + 2, "_(") + 1;
        if (*type && strchr(corrected[i].types, *type)) return (int)i;
    }
    return -1;
}

static char *mend_names(char *ir) {
    struct strbuf out = {0};
    const char *from = ir;
    for (const char *at = ir; (at = strstr(at, "@_Z"));) {
        at += 3;
        int row = corrected_row(at);
        if (row < 0) continue;
        const char *name = corrected[row].name;
        strbuf_add(&out, "%.*s%zuheddle_%s", (int)(at - from), from, strlen("heddle_") + strlen(name), name);
        from = at += strspn(at, "0123456789") + strlen(name);
    }
    if (!out.s) return ir;
    strbuf_add(&out, "%s", from);
    free(ir);
    return out.s;
}

char *mend_ir(const char *ir, bool alone) {
    char *mended = mend_triples(mend_names(mend_inline(mend_masks(mend_loads(mend_pairs(ir))))));
    return alone ? mend_linkage(mended) : mended;
}
