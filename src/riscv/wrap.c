/* clang's IR of an OpenCL C program, not yet optimised, made ready for hardware threads that run many
 * work-items.
 *
 * Kernels and functions become internal, and every kernel gets a function that the runtime calls
 * (LAUNCH_ENTRY): heddle_run_NAME loads the arguments from the launch and calls the kernel once for every
 * item of a group (map group) or of a thread (map lanes), in a loop that clang inlines all of. A kernel that
 * can come to a barrier is called once; the runtime's coroutines are the loop. __local variables become
 * thread-local ones (group), or lie in a section of their kernel, which is linked into the core's local
 * memory (lanes).
 *
 * It reads the text line by line, as clang prints it. Not taken: structures by value as arguments of
 * kernels. */
#include "riscv/compile.h"
#include "riscv/lib/layout.h"
#include "riscv/riscv.h"

#include <stdlib.h>
#include <string.h>

struct function { /* defined in the program */
    const char *name;
    bool barrier; /* calls it, or what calls it */
    i32 kernel;   /* index, or NONE */
    VEC(const char *) calls;
};

struct wrapper {
    struct rv_wrap *w;
    const char *file, *ir;
    bool lanes;
    struct diag *dg;
    VEC(struct function) functions;
    i32 in; /* the function whose body is read, or NONE */
};

enum { DEBUG_FIRST = 900000 }; /* metadata of our own: clang numbers from 0 */

static const char *line_end(const char *at) { return at + strcspn(at, "\n"); }

static const char *find_in(const char *at, const char *end, const char *what) {
    return at < end ? memmem(at, (size_t)(end - at), what, strlen(what)) : NULL;
}

/* A name behind '@', quoted or not, in memory of the arena; `after` is where it ends */
static const char *name_at(struct rv_wrap *w, const char *at, const char **after) {
    bool quoted = *at == '"';
    const char *from = at + quoted;
    size_t n = quoted ? strcspn(from, "\"\n") : strcspn(from, "(), \n\t");
    *after = from + n + quoted;
    return arena_strdup(&w->arena, from, n);
}

/* The line without calling conventions: every function here is a plain one */
static void add_plain(struct strbuf *out, const char *at, const char *end) {
    static const char *const words[] = {" spir_kernel ", " spir_func "};
    while (at < end) {
        const char *first = end;
        size_t len = 0;
        for (u32 i = 0; i < ARRAY_LEN(words); i++) {
            const char *p = find_in(at, end, words[i]);
            if (p && p < first) first = p, len = strlen(words[i]);
        }
        strbuf_add(out, "%.*s%s", (int)(first - at), at, len ? " " : "");
        at = first + len;
    }
    strbuf_add(out, "\n");
}

/* --- parameters */

static const char *closing(const char *open, const char *end) {
    u32 depth = 0;
    for (const char *p = open; p < end; p++) {
        if (*p == '(') depth++;
        if (*p == ')' && --depth == 0) return p;
    }
    return NULL;
}

/* Bytes of a type as it is written in IR; 0: none that a kernel can take here */
static u32 bytes_of_type(const char *type, size_t n) {
    char t[64], of[32];
    u32 count, bits;
    snprintf(t, sizeof(t), "%.*s", (int)n, type);
    if (strcmp(t, "ptr") == 0 || strcmp(t, "float") == 0) return 4;
    if (strcmp(t, "double") == 0) return 8;
    if (sscanf(t, "i%u", &bits) == 1) return bits <= 8 ? 1 : bits / 8;
    if (sscanf(t, "<%u x %31[a-z0-9]>", &count, of) == 2) return (count == 3 ? 4 : count) * bytes_of_type(of, strlen(of));
    return 0;
}

static size_t type_length(const char *at) {
    if (*at == '<') return strcspn(at, ">") + 1;
    return strcspn(at, " ,)");
}

struct parameter {
    char type[64];
    const char *extends; /* "zeroext ", "signext " or nothing */
};

static bool take_parameter(struct wrapper *x, struct rv_wrapped *k, const char *at, const char *end, struct parameter *p) {
    size_t n = type_length(at);
    u32 bytes = bytes_of_type(at, n), align = MIN(MAX(bytes, 1u), 16u);
    u32 last = k->nargs ? k->args[k->nargs - 1].at + k->args[k->nargs - 1].size_b : 0;
    if (!bytes || find_in(at, end, " byval(")) {
        diag_error(x->dg, x->file, 0, 0,
                   "kernel %s: parameter %u is a structure by value, which cannot be passed here; take a pointer", k->name,
                   k->nargs);
        return false;
    }
    if (k->nargs == RV_ARGS_MOST) {
        diag_error(x->dg, x->file, 0, 0, "kernel %s has more than %d parameters", k->name, RV_ARGS_MOST);
        return false;
    }
    snprintf(p->type, sizeof(p->type), "%.*s", (int)n, at);
    p->extends = find_in(at, end, " zeroext ") ? "zeroext " : find_in(at, end, " signext ") ? "signext " : "";
    k->args[k->nargs++] = (struct rv_arg){bytes, (last + align - 1) / align * align};
    return true;
}

/* Whether all images and samplers among a kernel's parameters are known. Its definition, line, names the list
 * of its types as the language calls them: !kernel_arg_base_type !9, where !9 = !{!"image2d_t"} */
static bool take_types(struct wrapper *x, struct rv_wrapped *k, const char *line, const char *end) {
    const char *at = find_in(line, end, "!kernel_arg_base_type !");
    char start[32];
    snprintf(start, sizeof(start), "\n!%lu = !{", at ? strtoul(at + 23, NULL, 10) : 0);
    at = at ? strstr(x->ir, start) : NULL;
    for (u32 i = 0; at && i < k->nargs; i++) {
        at = strstr(at, "!\"");
        if (!at) break;
        size_t n = strcspn(at += 2, "\"");
        char *type = arena_strdup(&x->w->arena, at, n);
        at += n;
        if (rv_opaque(type) != NONE) k->args[i].type = type;
        else if (strncmp(type, "image", 5) == 0) {
            diag_error(x->dg, x->file, 0, 0, "kernel %s: parameter %u is an %s, a type of image that is not here", k->name, i,
                       type);
            return false;
        }
    }
    return true;
}

/* All parameters between two parentheses */
static bool take_parameters(struct wrapper *x, struct rv_wrapped *k, const char *at, const char *end, struct parameter *p) {
    while (at < end) {
        const char *next = at;
        for (u32 depth = 0; next < end && (depth || *next != ','); next++)
            depth += (*next == '(' || *next == '<') - (*next == ')' || *next == '>');
        if (!take_parameter(x, k, at, next, &p[k->nargs])) return false;
        at = next + 1 + strspn(next + (next < end), " ");
    }
    return true;
}

/* --- the functions that the runtime calls */

static void add_debug(struct wrapper *x, struct strbuf *out) {
    const char *unit = strstr(x->ir, "\n!llvm.dbg.cu = !{!");
    if (!unit) return;
    strbuf_add(out, "!%d = !DIFile(filename: \"heddle-runtime/wrap\", directory: \"\")\n", DEBUG_FIRST);
    strbuf_add(out, "!%d = !DISubroutineType(types: !{null})\n", DEBUG_FIRST + 1);
    for (u32 i = 0; i < x->w->kernels.n; i++) {
        int at = DEBUG_FIRST + 2 + 2 * (int)i;
        strbuf_add(out,
                   "!%d = distinct !DISubprogram(name: \"heddle_run_%s\", file: !%d, line: 1, type: !%d, unit: !%lu, spFlags: "
                   "DISPFlagDefinition)\n",
                   at, x->w->kernels.at[i].name, DEBUG_FIRST, DEBUG_FIRST + 1, strtoul(unit + 19, NULL, 10));
        strbuf_add(out, "!%d = !DILocation(line: 1, scope: !%d)\n", at + 1, at);
    }
}

static void add_call(struct strbuf *out, const struct rv_wrapped *k, const struct parameter *p, const char *debug) {
    strbuf_add(out, "  call void @%s(", k->name);
    for (u32 i = 0; i < k->nargs; i++) strbuf_add(out, "%s%s %s%%a%u", i ? ", " : "", p[i].type, p[i].extends, i);
    strbuf_add(out, ")%s\n", debug);
}

/* attributes: "#N " of the kernel, so that clang may inline it */
static void add_runner(struct wrapper *x, u32 kernel, const struct parameter *p, const char *attributes) {
    const struct rv_wrapped *k = &x->w->kernels.at[kernel];
    struct strbuf *out = &x->w->ir;
    bool lines = strstr(x->ir, "\n!llvm.dbg.cu = !{!") != NULL;
    char scope[32] = "", debug[32] = "";
    if (lines) snprintf(scope, sizeof(scope), "!dbg !%d ", DEBUG_FIRST + 2 + 2 * (int)kernel);
    if (lines) snprintf(debug, sizeof(debug), ", !dbg !%d", DEBUG_FIRST + 3 + 2 * (int)kernel);
    strbuf_add(out, "define dso_local void @heddle_run_%s() %s%s{\n", k->name, attributes, scope);
    for (u32 i = 0; i < k->nargs; i++)
        strbuf_add(out, "  %%a%u = load %s, ptr inttoptr (i32 %u to ptr), align %u%s\n", i, p[i].type,
                   LAUNCH_AT + LAUNCH_ARGUMENTS + k->args[i].at, MIN(k->args[i].size_b, 16u), debug);
    strbuf_add(out, k->barrier ? "  br label %%run%s\n" : "  br label %%loop%s\nloop:\n", debug);
    if (!k->barrier && x->lanes) {
        strbuf_add(out, "  %%has = call i32 @heddle_loop_has()%s\n  %%is = icmp ne i32 %%has, 0%s\n", debug, debug);
        strbuf_add(out, "  br i1 %%is, label %%run, label %%next%s\n", debug);
    } else if (!k->barrier) strbuf_add(out, "  br label %%run%s\n", debug);
    strbuf_add(out, "run:\n");
    add_call(out, k, p, debug);
    if (k->barrier) strbuf_add(out, "  ret void%s\n}\n", debug);
    else {
        strbuf_add(out, "  br label %%next%s\nnext:\n", debug);
        strbuf_add(out, "  %%more = call i32 @heddle_loop_%s()%s\n", x->lanes ? "round" : "next", debug);
        strbuf_add(out, "  %%again = icmp ne i32 %%more, 0%s\n  br i1 %%again, label %%loop, label %%done%s\n", debug, debug);
        strbuf_add(out, "done:\n  ret void%s\n}\n", debug);
    }
}

/* --- reading */

static void take_required(struct wrapper *x, struct rv_wrapped *k, const char *line, const char *end) {
    const char *at = find_in(line, end, "!reqd_work_group_size !");
    char start[32];
    if (!at) return;
    snprintf(start, sizeof(start), "\n!%lu = !{", strtoul(at + 23, NULL, 10));
    const char *row = strstr(x->ir, start);
    if (row) sscanf(row + strlen(start), "i32 %u, i32 %u, i32 %u", &k->required[0], &k->required[1], &k->required[2]);
}

static void take_definition(struct wrapper *x, const char *line, const char *end) {
    const char *at = find_in(line, end, "@"), *after;
    struct function f = {.kernel = NONE};
    if (!at) return;
    f.name = name_at(x->w, at + 1, &after);
    if (find_in(line, end, "!kernel_arg_addr_space ")) {
        struct rv_wrapped k = {.name = f.name};
        take_required(x, &k, line, end);
        f.kernel = (i32)x->w->kernels.n;
        VEC_PUSH(&x->w->kernels, k);
    }
    x->in = (i32)x->functions.n;
    VEC_PUSH(&x->functions, f);
}

static void take_calls(struct wrapper *x, const char *line, const char *end) {
    const char *after;
    for (const char *at = find_in(line, end, "call "); at && (at = find_in(at, end, "@")); at = after) {
        const char *name = name_at(x->w, at + 1, &after);
        struct function *f = &x->functions.at[x->in];
        if (strcmp(name, "_Z7barrierj") == 0) f->barrier = true;
        else VEC_PUSH(&f->calls, name);
    }
}

/* @KERNEL.NAME = internal global TYPE undef, align N */
static bool take_local(struct wrapper *x, const char *line, const char *end) {
    const char *global = find_in(line, end, " global "), *undef = find_in(line, end, " undef, align "), *after;
    const char *internal = find_in(line, end, " internal ");
    if (line[0] != '@' || !global || !undef || !internal) return false;
    const char *name = name_at(x->w, line + 1, &after), *dot = strchr(name, '.');
    x->w->has_local = true;
    if (x->lanes)
        strbuf_add(&x->w->ir, "%.*s undef, section \".local.%.*s\"%.*s\n", (int)(undef - line), line, (int)(dot ? dot - name : 0),
                   name, (int)(end - undef - 6), undef + 6);
    else
        strbuf_add(&x->w->ir, "%.*s internal thread_local(localexec)%.*s\n", (int)(internal - line), line,
                   (int)(end - internal - 9), internal + 9);
    return true;
}

static void take_line(struct wrapper *x, const char *line, const char *end) {
    static const char external[] = "define dso_local ";
    if (take_local(x, line, end)) return;
    if (strncmp(line, "define ", 7) == 0) take_definition(x, line, end);
    else if (x->in != NONE && *line == '}') x->in = NONE;
    else if (x->in != NONE) take_calls(x, line, end);
    if (strncmp(line, external, sizeof(external) - 1) == 0) {
        strbuf_add(&x->w->ir, "define internal ");
        line += sizeof(external) - 2; /* the blank stays */
    }
    add_plain(&x->w->ir, line, end);
}

/* Who calls what can come to a barrier can come to it */
static void spread_barriers(struct wrapper *x) {
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = 0; i < x->functions.n; i++) {
            struct function *f = &x->functions.at[i];
            for (u32 c = 0; c < f->calls.n && !f->barrier; c++)
                for (u32 k = 0; k < x->functions.n && !f->barrier; k++)
                    if (x->functions.at[k].barrier && strcmp(x->functions.at[k].name, f->calls.at[c]) == 0)
                        f->barrier = changed = true;
        }
    }
    for (u32 i = 0; i < x->functions.n; i++)
        if (x->functions.at[i].kernel != NONE) x->w->kernels.at[x->functions.at[i].kernel].barrier = x->functions.at[i].barrier;
}

static bool calls_itself(const struct wrapper *x, u32 function) {
    bool *seen = base_alloc(x->functions.n + 1), found = false;
    VEC(u32) stack = {0};
    VEC_PUSH(&stack, function);
    while (stack.n && !found) {
        const struct function *f = &x->functions.at[stack.at[--stack.n]];
        for (u32 c = 0; c < f->calls.n; c++)
            for (u32 k = 0; k < x->functions.n; k++) {
                if (strcmp(x->functions.at[k].name, f->calls.at[c]) != 0) continue;
                found = found || k == function;
                if (!seen[k]) VEC_PUSH(&stack, k);
                seen[k] = true;
            }
    }
    free(stack.at), free(seen);
    return found;
}

/* Whether a kernel is called, by a kernel or on the way from one */
static bool calls_kernels(const struct wrapper *x) {
    for (u32 i = 0; i < x->functions.n; i++)
        for (u32 c = 0; c < x->functions.at[i].calls.n; c++)
            for (u32 k = 0; k < x->w->kernels.n; k++)
                if (strcmp(x->functions.at[i].calls.at[c], x->w->kernels.at[k].name) == 0) return true;
    return false;
}

static bool add_runners(struct wrapper *x) {
    for (const char *at = x->ir; *at; at = line_end(at) + (*line_end(at) == '\n')) {
        const char *end = line_end(at), *after;
        if (strncmp(at, "define ", 7) || !find_in(at, end, "!kernel_arg_addr_space ")) continue;
        const char *name = name_at(x->w, find_in(at, end, "@") + 1, &after), *close = closing(after, end);
        u32 i = 0;
        while (strcmp(x->w->kernels.at[i].name, name) != 0) i++;
        struct parameter p[RV_ARGS_MOST + 1];
        struct rv_wrapped *k = &x->w->kernels.at[i];
        if (!close || !take_parameters(x, k, after + 1, close, p) || !take_types(x, k, at, end)) return false;
        const char *group = find_in(close, end, " #");
        char attributes[24] = "";
        if (group) snprintf(attributes, sizeof(attributes), "#%lu ", strtoul(group + 2, NULL, 10));
        add_runner(x, i, p, attributes);
    }
    return true;
}

bool rv_wrap(struct rv_wrap *w, const char *file, const char *ir, bool lanes, struct diag *dg) {
    struct wrapper x = {.w = w, .file = file, .ir = ir, .lanes = lanes, .dg = dg, .in = NONE};
    *w = (struct rv_wrap){0};
    for (const char *at = ir; *at; at = line_end(at) + (*line_end(at) == '\n')) take_line(&x, at, line_end(at));
    spread_barriers(&x);
    w->nested = calls_kernels(&x);
    for (u32 i = 0; i < x.functions.n; i++)
        if (calls_itself(&x, i)) w->recursive = x.functions.at[i].name;
    bool ok = add_runners(&x);
    strbuf_add(&w->ir, "declare i32 @heddle_loop_%s()\n%s", lanes ? "round" : "next",
               lanes ? "declare i32 @heddle_loop_has()\n" : "");
    add_debug(&x, &w->ir);
    for (u32 i = 0; i < x.functions.n; i++) free(x.functions.at[i].calls.at);
    free(x.functions.at);
    if (ok && !w->kernels.n) diag_error(dg, file, 0, 0, "the program has no kernel");
    return ok && w->kernels.n;
}

/* --- stacks */

void rv_wrap_stacks(struct rv_wrap *w, const char *stack_usage) {
    u32 functions_b = 0; /* of those that are no runner: each may be on a stack once */
    for (const char *at = stack_usage; *at; at = line_end(at) + (*line_end(at) == '\n')) {
        const char *tab = memchr(at, '\t', (size_t)(line_end(at) - at)), *name = tab;
        if (!tab) continue;
        while (name > at && name[-1] != ':') name--;
        u32 bytes = (u32)strtoul(tab + 1, NULL, 10), owner = UINT32_MAX;
        for (u32 k = 0; k < w->kernels.n; k++) {
            size_t n = strlen(w->kernels.at[k].name);
            if (strncmp(name, "heddle_run_", 11) == 0 && (size_t)(tab - name) == n + 11 &&
                strncmp(name + 11, w->kernels.at[k].name, n) == 0)
                owner = k;
        }
        if (owner == UINT32_MAX) functions_b += bytes;
        else w->kernels.at[owner].stack_b = bytes;
    }
    for (u32 k = 0; k < w->kernels.n; k++) w->kernels.at[k].stack_b += functions_b;
}

void rv_wrap_free(struct rv_wrap *w) {
    free(w->kernels.at);
    strbuf_free(&w->ir);
    arena_free(&w->arena);
}
