/* OpenCL C to PTX with clang and libclc, in two steps: each source to IR without optimising, then all IR
 * with the builtin library to PTX.
 *
 * The first step finds the mistakes of a program; the second is the expensive one, so it is what the cache
 * saves. The compiler runs as a process of its own: nothing it does can hurt the program we live in.
 *
 * HEDDLE_CLANG   another compiler than clang-19     HEDDLE_CLC   another libclc */
#include "opencl/opencl.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Given to every run of clang, to the second try alone, and all of it as a text: flags.def */
#define FLAG(option, why) option,
#define AGAIN(option, why)
static const char *const flags[] = {
#include "opencl/flags.def"
};
#undef FLAG
#undef AGAIN
#define FLAG(option, why)
#define AGAIN(option, why) option,
static const char *const again_flags[] = {
#include "opencl/flags.def"
};
#undef FLAG
#undef AGAIN
#define FLAG(option, why)  option " "
#define AGAIN(option, why) option " "
static const char all_flags[] =
#include "opencl/flags.def"
    ;
#undef FLAG
#undef AGAIN
enum { AGAIN_MOST_B = 1 << 18 }; /* of PTX: a larger program is not compiled a second time */
#define EXT    "-cl-ext=+cl_khr_3d_image_writes,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics"
#define HEADER "// heddle program 8\n"

#ifndef COMPILER_SUM /* of the sources that change a program on its way; the build says it */
#define COMPILER_SUM "unknown"
#endif

static const char *clang_name(void) {
    const char *s = getenv("HEDDLE_CLANG");
    return s && *s ? s : "clang-19";
}
static const char *clc_path(void) {
    const char *s = getenv("HEDDLE_CLC");
    return s && *s ? s : "/usr/lib/clc/nvptx64--nvidiacl.bc";
}

bool compile_available(void) {
    struct strbuf s = {0};
    bool ok = compiler_find(clang_name(), &s) && access(clc_path(), R_OK) == 0 && settings_get()->data;
    strbuf_free(&s);
    return ok;
}

/* --- a folder for one run of the compiler */

struct workshop {
    struct temp temp;
    const char *dir;   /* its folder */
    VEC(char *) argv;  /* owned; NULL at the end when it is run */
    size_t input_b;    /* bytes of text put into it */
    struct strbuf why; /* what is wrong beside what the compiler says */
};

static bool workshop_open(struct workshop *w) {
    *w = (struct workshop){0};
    bool ok = temp_make(&w->temp);
    w->dir = w->temp.dir;
    return ok;
}

static void workshop_close(struct workshop *w) {
    temp_remove(&w->temp);
    strbuf_free(&w->why);
    for (u32 i = 0; i < w->argv.n; i++) free(w->argv.at[i]);
    free(w->argv.at);
}

static void arg(struct workshop *w, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void arg(struct workshop *w, const char *fmt, ...) {
    struct strbuf s = {0};
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&s, fmt, ap);
    va_end(ap);
    VEC_PUSH(&w->argv, s.s ? s.s : strdup(""));
}

static void arg_compiler(struct workshop *w) {
    arg(w, "%s", clang_name());
    for (u32 i = 0; i < ARRAY_LEN(flags); i++) arg(w, "%s", flags[i]);
}

static char *path_in(const struct workshop *w, const char *name) {
    struct strbuf s = {0};
    strbuf_add(&s, "%s/%s", w->dir, name);
    return s.s;
}

/* Folders above the file are made too: headers may be called "sys/types.h" */
static bool put_file(struct workshop *w, const char *name, const char *text) {
    if (strstr(name, "..")) return false;
    char *path = path_in(w, name);
    for (char *p = path + strlen(w->dir) + 1; (p = strchr(p, '/')); p++) {
        *p = 0;
        mkdir(path, 0700);
        *p = '/';
    }
    FILE *f = fopen(path, "w");
    bool ok = f && fwrite(text, 1, strlen(text), f) == strlen(text);
    if (f) ok = fclose(f) == 0 && ok;
    if (!ok) strbuf_add(&w->why, "error: cannot write %s: %s\n", path, strerror(errno));
    w->input_b += strlen(text);
    free(path);
    return ok;
}

/* Runs argv; messages go to the file "log". True when it ended with 0. */
static bool run(struct workshop *w) {
    char *log = path_in(w, "log");
    VEC_PUSH(&w->argv, NULL);
    bool ok = compiler_run(&(struct compiler){w->argv.at, log, "compiling", w->input_b, settings_get()->progress}, &w->why);
    free(log);
    return ok;
}

/* Messages without the folder's name, and without what is not about the program */
static void take_log(const struct workshop *w, struct strbuf *log) {
    char *path = path_in(w, "log");
    size_t len, dir = strlen(w->dir);
    char *text = text_read_file(path, limit_most(LIMIT_OTHER), &len);
    free(path);
    for (const char *at = text; at && *at;) {
        size_t n = strcspn(at, "\n");
        bool noise = n == 0 || strncmp(at, "warning: Linking two modules", 28) == 0 || strncmp(at, "PLEASE ", 7) == 0 ||
                     at[0] == '#' || strncmp(at, "Stack dump", 10) == 0 || strncmp(at, " #", 2) == 0;
        for (size_t i = 0; !noise && i < n; i++) {
            if (strncmp(at + i, w->dir, dir) == 0 && at[i + dir] == '/') i += dir;
            else strbuf_add(log, "%c", at[i]);
        }
        if (!noise) strbuf_add(log, "\n");
        at += n + (at[n] == '\n');
    }
    free(text);
    if (w->why.s) strbuf_add(log, "%s", w->why.s);
}

/* A compiler that fails in silence has, as a rule, no room for its messages either */
static void explain_silence(const struct workshop *w, struct strbuf *log) {
    if (!log->len)
        strbuf_add(log, "error: %s left neither a result nor a message in %s; is there room in that folder?\n", clang_name(),
                   w->dir);
}

/* --- build options */

static const char *const known_options[] = {
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-opt-disable",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-uniform-work-group-size",
    "-cl-no-subgroup-ifp",
    "-cl-kernel-arg-info",
    "-cl-strict-aliasing",
    "-w",
    "-Werror",
    "-g",
};
/* Taken and left out: they mean nothing here, or are given anyway */
static const char *const ignored_options[] = {"-cl-kernel-arg-info", "-cl-strict-aliasing", "-cl-opt-disable", "-g",
                                              "-cl-no-subgroup-ifp"};

static bool in_table(const char *word, const char *const *table, u32 n) {
    for (u32 i = 0; i < n; i++)
        if (strcmp(word, table[i]) == 0) return true;
    return false;
}

/* The next word, quotes and backslashes undone; NULL at the end. Free it. */
static char *next_word(const char **at) {
    const char *p = *at;
    struct strbuf s = {0};
    char quote = 0;
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') p++;
    if (!*p) return NULL;
    for (; *p && (quote || !strchr(" \t\n\r", *p)); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'') quote = quote ? 0 : *p;
        else if (*p == '\\' && p[1] && strchr("\\\"' ", p[1])) strbuf_add(&s, "%c", *++p);
        else strbuf_add(&s, "%c", *p);
    }
    *at = p;
    return s.s ? s.s : strdup("");
}

static bool is_vendor(const char *word) {
    return strncmp(word, "-cl-nv-", 7) == 0 || strncmp(word, "-cl-intel-", 10) == 0 || strncmp(word, "-fno-bin", 8) == 0;
}

/* One option to clang's argv; false when it is unknown */
static bool take_option(struct workshop *w, const char *word, const char **rest) {
    if (strncmp(word, "-D", 2) == 0 || strncmp(word, "-I", 2) == 0) {
        if (word[2]) {
            arg(w, "%s", word);
            return true;
        }
        char *value = next_word(rest);
        if (value) arg(w, "%s%s", word, value);
        free(value);
        return value != NULL;
    }
    if (strncmp(word, "-cl-std=", 8) == 0) {
        bool ok = strncmp(word + 8, "CL1.", 4) == 0 || strcmp(word + 8, "CL2.0") == 0 || strcmp(word + 8, "CL3.0") == 0;
        if (ok) arg(w, "%s", word);
        return ok;
    }
    if (strcmp(word, "-x") == 0) { /* the one vendor's C++ kernels: near enough to what clang calls by that name */
        char *language = next_word(rest);
        bool ok = language && strcmp(language, "clc++") == 0;
        if (ok) arg(w, "-x"), arg(w, "clcpp"), arg(w, "-cl-std=clc++1.0");
        free(language);
        return ok;
    }
    if (is_vendor(word)) return true;
    if (!in_table(word, known_options, ARRAY_LEN(known_options))) return false;
    if (!in_table(word, ignored_options, ARRAY_LEN(ignored_options))) arg(w, "%s", word);
    return true;
}

/* What the device has of OpenCL C 3.0: as an extension, where clang knows it as one, and as a macro */
static void arg_features(struct workshop *w) {
    for (u32 i = 0; device_feature(i); i++) {
        arg(w, "-Xclang"), arg(w, "-cl-ext=+%s", device_feature(i));
        arg(w, "-D%s=1", device_feature(i));
    }
}

static bool wants_language3(const char *options) { return options && strstr(options, "-cl-std=CL3.0"); }

/* C++ has inline functions of its own, and clang's option for C's is an error with it */
static bool wants_cpp(const char *options) { return options && (strstr(options, "clc++") || strstr(options, "CLC++")); }

static bool take_options(struct workshop *w, const char *options, struct strbuf *log) {
    bool ok = true;
    for (char *word; ok && options && (word = next_word(&options)); free(word)) {
        ok = take_option(w, word, &options);
        if (!ok) strbuf_add(log, "error: unknown build option '%s'\n", word);
    }
    return ok;
}

bool compile_link_options_ok(const char *options, bool *library) {
    bool ok = true;
    *library = false;
    for (char *word; ok && options && (word = next_word(&options)); free(word)) {
        if (strcmp(word, "-create-library") == 0) *library = true;
        else if (strcmp(word, "-enable-link-options") != 0)
            ok = in_table(word, known_options, ARRAY_LEN(known_options)) || is_vendor(word);
    }
    return ok;
}

/* --- source to IR */

/* The folder has another name every time: without it the same program gives the same text, which is what
 * the cache goes by. It is named in the first lines only. */
static void hide_folder(const struct workshop *w, char *ir) {
    size_t dir = strlen(w->dir);
    for (char *at = ir, *end = strstr(ir, "target "); at < end && (at = strstr(at, w->dir)) && at < end;) memset(at, '_', dir);
}

/* How clang is run: as the program asks, and with what it takes only when told. Vendors' compilers need
 * not be told, and programs count on it. */
struct manner {
    bool prelude;    /* overloads that mix types (lib/prelude.h) */
    bool keywords;   /* asm */
    bool preprocess; /* stop there: the result is text, not IR */
};

static cl_int source_once(const struct source *s, const char *options, struct manner how, struct strbuf *log, char **ir) {
    struct workshop w;
    if (!workshop_open(&w)) {
        strbuf_add(log, "error: no temporary folder: %s\n", strerror(errno));
        return CL_OUT_OF_HOST_MEMORY;
    }
    bool ok = put_file(&w, "program.cl", s->text);
    for (u32 i = 0; i < s->nheaders; i++) ok = put_file(&w, s->header_names[i], s->header_texts[i]) && ok;
    arg_compiler(&w);
    static const char *const fixed[] = {"-x",
                                        "cl",
                                        "-cl-std=CL1.2",
                                        "-cl-kernel-arg-info",
                                        "-D__IMAGE_SUPPORT__=1",
                                        "-D__OPENCL_VERSION__=300",
                                        "-Xclang",
                                        "-disable-llvm-passes",
                                        "-Xclang",
                                        EXT,
                                        "-gline-directives-only",
                                        "-fdebug-compilation-dir=.",
                                        "-fno-color-diagnostics"};
    for (u32 i = 0; i < ARRAY_LEN(fixed); i++) arg(&w, "%s", fixed[i]);
    arg(&w, "-ffile-prefix-map=%s/=", w.dir);
    if (how.preprocess) arg(&w, "-E"), arg(&w, "-P");
    else arg(&w, "-S"), arg(&w, "-emit-llvm");
    if (how.prelude) arg(&w, "-include"), arg(&w, "%s/opencl/prelude.h", settings_get()->data);
    if (how.keywords) arg(&w, "-fgnu-keywords");
    if (!wants_cpp(options)) arg(&w, "-fgnu89-inline");
    if (wants_language3(options)) arg_features(&w);
    bool known = take_options(&w, options, log);
    arg(&w, "-I.");
    arg(&w, "%s/program.cl", w.dir);
    arg(&w, "-o"), arg(&w, "%s/program.ll", w.dir);
    ok = ok && known && run(&w);
    take_log(&w, log);
    char *path = path_in(&w, "program.ll");
    size_t len;
    *ir = ok ? text_read_file(path, limit_most(LIMIT_OTHER), &len) : NULL;
    if (*ir && !how.preprocess) hide_folder(&w, *ir);
    if (!*ir) explain_silence(&w, log);
    free(path);
    workshop_close(&w);
    return *ir ? CL_SUCCESS : known ? CL_COMPILE_PROGRAM_FAILURE : CL_INVALID_BUILD_OPTIONS;
}

/* Whether the log names something that another manner helps against; it is taken now */
static bool remedy(const char *log, struct manner *how) {
    static const char *const mixed[] = {"min", "max", "mul24", "mad24"};
    struct manner had = *how;
    char text[64];
    for (u32 i = 0; i < ARRAY_LEN(mixed); i++) {
        snprintf(text, sizeof(text), "call to '%s' is ambiguous", mixed[i]);
        how->prelude |= strstr(log, text) != NULL;
    }
    how->keywords |= strstr(log, "undeclared identifier 'asm'") != NULL;
    return how->prelude != had.prelude || how->keywords != had.keywords;
}

/* Once as it is, then again while there is a remedy; the log is the last one's */
static cl_int source_helped(const struct source *s, const char *options, struct strbuf *log, char **ir) {
    struct manner how = {0};
    cl_int rc;
    do {
        strbuf_free(log);
        *log = (struct strbuf){0};
        rc = source_once(s, options, how, log, ir);
    } while (rc == CL_COMPILE_PROGRAM_FAILURE && log->s && remedy(log->s, &how));
    return rc;
}

/* The same for a program with __local variables in inner scopes. clang says where they are, in
 * preprocessed text, so that neither macros nor #if are in the way. */
static cl_int source_hoisted(const struct source *s, const char *options, struct strbuf *log, char **ir) {
    struct source now = *s;
    char *text = NULL;
    cl_int rc = source_once(s, options, (struct manner){.preprocess = true}, log, &text);
    for (u32 round = 0; rc == CL_SUCCESS && text && round < 4; round++) {
        now.text = text;
        rc = source_helped(&now, options, log, ir);
        if (rc != CL_COMPILE_PROGRAM_FAILURE) break;
        char *moved = hoist_locals(text, log->s);
        free(text);
        text = moved;
        if (moved) rc = CL_SUCCESS;
    }
    free(text);
    return *ir ? CL_SUCCESS : CL_COMPILE_PROGRAM_FAILURE;
}

static bool source_fits(const struct source *s, struct strbuf *log) {
    u64 bytes = strlen(s->text);
    for (u32 i = 0; i < s->nheaders; i++) bytes += strlen(s->header_texts[i]);
    bool ok = bytes <= limit_most(LIMIT_SOURCE);
    if (!ok) strbuf_add(log, "error: ");
    if (!ok) limit_holds(LIMIT_SOURCE, bytes, log);
    if (!ok) strbuf_add(log, "\n");
    return ok;
}

cl_int compile_source(const struct source *s, const char *options, struct strbuf *log, char **ir) {
    struct strbuf first = {0}, second = {0};
    *ir = NULL;
    if (!compile_available()) {
        strbuf_add(log, "error: no compiler: this needs clang-19 in PATH, libclc-19 and heddle's share/heddle/opencl\n");
        return CL_COMPILER_NOT_AVAILABLE;
    }
    if (!source_fits(s, log)) return CL_COMPILE_PROGRAM_FAILURE;
    cl_int rc = source_helped(s, options, &first, ir);
    bool moved =
        rc == CL_COMPILE_PROGRAM_FAILURE && hoist_wanted(first.s) && source_hoisted(s, options, &second, ir) == CL_SUCCESS;
    const char *said = moved ? second.s : first.s;
    if (said) strbuf_add(log, "%s", said);
    strbuf_free(&first);
    strbuf_free(&second);
    if (*ir) *ir = kernel_calls_inline(*ir);
    return moved ? CL_SUCCESS : rc;
}

/* --- IR to PTX */

static const char *const library[] = {"memory", "language3", "images", "casts", "math"};

static void library_path(struct strbuf *out, const char *name) { strbuf_add(out, "%s/opencl/%s.bc", settings_get()->data, name); }

static void arg_bitcode(struct workshop *w, const char *path) {
    arg(w, "-Xclang"), arg(w, "-mlink-builtin-bitcode"), arg(w, "-Xclang"), arg(w, "%s", path);
}

static void arg_library(struct workshop *w, const char *name) {
    struct strbuf s = {0};
    library_path(&s, name);
    arg_bitcode(w, s.s);
    strbuf_free(&s);
}

static const char *builtins_of(enum variant v) { return v == VARIANT_OFFSET ? "builtins-offset" : "builtins"; }

/* What besides the program decides about the result */
static void key_of_tools(struct cache_key *k, enum variant v) {
    struct strbuf path = {0};
    struct stat st = {0};
    cache_key_add(k, HEADER EXT, sizeof(HEADER EXT));
    cache_key_add(k, all_flags, sizeof(all_flags));
    cache_key_add(k, heddle_version(), strlen(heddle_version()));
    cache_key_add(k, COMPILER_SUM, sizeof(COMPILER_SUM));
    if (compiler_find(clang_name(), &path) && stat(path.s, &st) == 0) {
        cache_key_add(k, path.s, path.len);
        cache_key_add(k, &st.st_mtime, sizeof(st.st_mtime));
        cache_key_add(k, &st.st_size, sizeof(st.st_size));
    }
    strbuf_free(&path);
    for (u32 i = 0; i <= ARRAY_LEN(library); i++) {
        path = (struct strbuf){0};
        size_t len;
        library_path(&path, i ? library[i - 1] : builtins_of(v));
        char *text = text_read_file(path.s, limit_most(LIMIT_OTHER), &len);
        if (text) cache_key_add(k, text, len);
        free(text);
        strbuf_free(&path);
    }
    if (stat(clc_path(), &st) == 0) cache_key_add(k, &st.st_mtime, sizeof(st.st_mtime));
}

/* The name of the function a line declares, into out; false when it declares none */
static bool function_name(const char *line, size_t len, char *out, size_t room) {
    const char *end = line + len, *at = memmem(line, len, ".func", 5);
    if (!at || line[0] == '/') return false;
    at += 5;
    while (at < end && *at == ' ') at++;
    if (at < end && *at == '(') at = memchr(at, ')', (size_t)(end - at));
    if (!at) return false;
    while (at < end && (*at == ' ' || *at == ')')) at++;
    size_t n = 0;
    while (at < end && *at != '(' && *at != ' ' && n + 1 < room) out[n++] = *at++;
    out[n] = 0;
    return n > 0;
}

/* The line of the first call of a function, from the .loc before it; 0 when there is none */
static u32 line_of_call(const char *ptx, const char *name) {
    u32 line = 0, file, at_line;
    for (const char *at = ptx; *at;) {
        size_t len = strcspn(at, "\n"), indent = strspn(at, " \t");
        if (sscanf(at + indent, ".loc %u %u", &file, &at_line) == 2) line = at_line;
        const char *found = memmem(at, len, name, strlen(name));
        if (found && line && !memmem(at, len, ".func", 5)) return line;
        at += len + (at[len] == '\n');
    }
    return 0;
}

static void say_undefined(const char *ptx, const char *name, struct strbuf *log) {
    char *shown = text_demangle(name, strlen(name));
    u32 line = line_of_call(ptx, name);
    if (line) strbuf_add(log, "program.cl:%u: ", line);
    strbuf_add(log, "error: function '%s' is called and nowhere defined\n", shown ? shown : name);
    free(shown);
}

/* The next function that a line from *at on declares or defines, its name into out; *defined: which. False at
 * the end. */
static bool next_function(const char **at, char *out, size_t room, bool *defined) {
    bool open = false;
    while (**at) {
        const char *line = *at;
        size_t len = strcspn(line, "\n");
        *at += len + (line[len] == '\n');
        if (len > 5 && function_name(line, len, out, room)) open = true;
        *defined = line[0] == '{';
        if (open && (*defined || (len && line[len - 1] == ';'))) return true;
    }
    return false;
}

/* A function may be declared before it is defined, when a call of it stands before it */
static bool is_defined(const char *ptx, const char *name) {
    char other[512];
    for (bool defined; next_function(&ptx, other, sizeof(other), &defined);)
        if (defined && strcmp(other, name) == 0) return true;
    return false;
}

/* Functions that are called and nowhere defined: the device's own apart */
static bool all_defined(const char *ptx, struct strbuf *log) {
    static const char *const own[] = {"printf", "vprintf", "malloc", "free", "__assertfail"};
    char name[512];
    bool ok = true;
    const char *at = ptx;
    for (bool defined; next_function(&at, name, sizeof(name), &defined);) {
        if (defined || in_table(name, own, ARRAY_LEN(own)) || is_defined(at, name)) continue;
        say_undefined(ptx, name, log);
        ok = false;
    }
    return ok;
}

/* The launch's numbers: declared by the library, defined here (lib/builtins.cl) */
static void define_launch(char *ptx) {
    char *at = strstr(ptx, ".extern .const .align 4 .b8 heddle_launch[");
    if (at) memset(at, ' ', strlen(".extern"));
}

/* Local memory that collective functions use (lib/language3.cl), declared behind the line with the address
 * size: a double for each warp of a group */
static char *declare_group(char *ptx) {
    static const char declaration[] = "\n.shared .align 8 .b8 heddle_group[512];";
    const char *at = strstr(ptx, "\n.address_size");
    if (!at || !strstr(ptx, "heddle_group")) return ptx;
    struct strbuf s = {0};
    at += 1 + strcspn(at + 1, "\n");
    strbuf_add(&s, "%.*s%s%s", (int)(at - ptx), ptx, declaration, at);
    free(ptx);
    return s.s;
}

/* libclc reads its table of the bits of pi (sin, cos and tan of double) sixteen bytes at a time, at multiples
 * of sixteen, and declares it as 158 bytes anywhere */
static char *align_table(char *ptx) {
    static const char table[] = ".const .align 1 .b8 PIBITS_TBL[158]", whole[] = ".const .align 16 .b8 PIBITS_TBL[160]";
    const char *at = strstr(ptx, table);
    if (!at) return ptx;
    struct strbuf s = {0};
    strbuf_add(&s, "%.*s%s%s", (int)(at - ptx), ptx, whole, at + strlen(table));
    free(ptx);
    return s.s;
}

/* clang makes abs and neg of a program that clears or turns the sign bit of a float's word. The machine's
 * give another not-a-number for every one, so the bit is changed as the program says. */
struct sign {
    const char *of, *as, *mask;
};
static const struct sign *sign_at(const char *at) {
    static const struct sign signs[] = {{"abs.f32", "and.b32", "0x7FFFFFFF"},
                                        {"neg.f32", "xor.b32", "0x80000000"},
                                        {"abs.f64", "and.b64", "0x7FFFFFFFFFFFFFFF"},
                                        {"neg.f64", "xor.b64", "0x8000000000000000"}};
    for (u32 i = 0; i < ARRAY_LEN(signs); i++) {
        size_t n = strlen(signs[i].of);
        if (strncmp(at, signs[i].of, n) == 0 && isblank((unsigned char)at[n])) return &signs[i];
    }
    return NULL;
}
static char *change_signs(char *ptx) {
    struct strbuf s = {0};
    const char *from = ptx;
    for (const char *at = ptx; (at = strstr(at, ".f")); at++) {
        const char *op = at - strlen("abs");
        const struct sign *x = at - ptx > 3 && isspace((unsigned char)op[-1]) ? sign_at(op) : NULL;
        if (!x) continue;
        size_t n = strlen(x->of), end = strcspn(op, ";");
        strbuf_add(&s, "%.*s%s%.*s, %s", (int)(op - from), from, x->as, (int)(end - n), op + n, x->mask);
        from = at = op + end;
    }
    if (!s.s) return ptx;
    strbuf_add(&s, "%s", from);
    free(ptx);
    return s.s;
}

u64 compile_variables_b(const char *ptx) {
    static const char *const starts[] = {"\n.global ", "\n.visible .global ", "\n.weak .global "};
    u64 sum = 0;
    for (u32 i = 0; i < ARRAY_LEN(starts); i++)
        for (const char *at = ptx; (at = strstr(at, starts[i]));) {
            const char *type = strstr(at, " ."), *end = at + 1 + strcspn(at + 1, "\n;="), *list = NULL;
            unsigned bits = 8, count = 1;
            for (; type && type < end; type = strstr(type + 1, " .")) sscanf(type, " .%*1[busf]%u ", &bits);
            for (list = at; list < end && *list != '['; list++) {}
            if (list < end) count = (unsigned)strtoul(list + 1, NULL, 10);
            sum += (u64)bits / 8 * count;
            at = end;
        }
    return sum;
}

/* With line numbers clang puts labels and .loc into the middle of calls, which no assembler takes: they
 * become blanks */
static void clear_calls(char *ptx) {
    bool in_call = false;
    for (char *at = ptx; *at;) {
        size_t len = strcspn(at, "\n"), indent = strspn(at, " \t");
        char *word = at + indent;
        if (in_call && (strncmp(word, "$L__tmp", 7) == 0 || strncmp(word, ".loc", 4) == 0)) memset(at, ' ', len);
        if (strncmp(word, "call", 4) == 0) in_call = true;
        if (memchr(at, ';', len)) in_call = false;
        at += len + (at[len] == '\n');
    }
}

/* Part of a program as the back end takes it */
static bool put_ir(struct workshop *w, const char *ir, bool alone) {
    char *mended = mend_ir(ir, alone);
    bool ok = put_file(w, "part.ll", mended);
    free(mended);
    return ok;
}

/* A further part of a program: clang links bitcode, not text, so it is converted. False with messages. */
static bool add_part(struct workshop *w, const char *ir, u32 i, struct strbuf *log) {
    struct workshop one;
    char name[32];
    if (!workshop_open(&one)) return false;
    static const char *const fixed[] = {"-x", "ir", "-c", "-w", "-emit-llvm", "-Xclang", "-disable-llvm-passes"};
    bool ok = put_ir(&one, ir, false);
    snprintf(name, sizeof(name), "part%u.bc", i);
    arg_compiler(&one);
    for (u32 k = 0; k < ARRAY_LEN(fixed); k++) arg(&one, "%s", fixed[k]);
    arg(&one, "%s/part.ll", one.dir);
    arg(&one, "-o"), arg(&one, "%s/%s", w->dir, name);
    ok = ok && run(&one);
    if (!ok) take_log(&one, log);
    workshop_close(&one);
    arg(w, "-Xclang"), arg(w, "-mlink-bitcode-file"), arg(w, "-Xclang"), arg(w, "%s/%s", w->dir, name);
    return ok;
}

/* One run of the back end: the PTX, or NULL with messages */
static char *link_once(char *const *ir, u32 n, enum variant v, bool again, struct strbuf *log) {
    struct workshop w;
    if (!workshop_open(&w)) {
        strbuf_add(log, "error: no temporary folder: %s\n", strerror(errno));
        return NULL;
    }
    arg_compiler(&w);
    for (u32 i = 0; again && i < ARRAY_LEN(again_flags); i++) arg(&w, "%s", again_flags[i]);
    static const char *const fixed[] = {"-x", "ir", "-S", "-w", "-fno-color-diagnostics", "-fno-crash-diagnostics"};
    for (u32 i = 0; i < ARRAY_LEN(fixed); i++) arg(&w, "%s", fixed[i]);
    bool ok = n > 0 && put_ir(&w, ir[0], n == 1);
    for (u32 i = 1; i < n; i++) ok = add_part(&w, ir[i], i, log) && ok;
    arg_library(&w, builtins_of(v));
    for (u32 i = 0; i < ARRAY_LEN(library); i++) arg_library(&w, library[i]);
    arg_bitcode(&w, clc_path());
    arg(&w, "%s/part.ll", w.dir);
    arg(&w, "-o"), arg(&w, "%s/program.ptx", w.dir);
    ok = ok && run(&w);
    if (!ok) take_log(&w, log);
    char *path = path_in(&w, "program.ptx");
    size_t len;
    char *ptx = ok ? text_read_file(path, limit_most(LIMIT_OTHER), &len) : NULL;
    if (!ptx) explain_silence(&w, log);
    free(path);
    workshop_close(&w);
    return ptx;
}

/* Bytes of local memory of all its functions */
static u64 local_bytes(const char *ptx) {
    u64 sum = 0;
    for (const char *at = ptx; (at = strstr(at, "__local_depot"));) {
        at += strcspn(at, "[;\n");
        if (*at == '[') sum += strtoull(at + 1, NULL, 10);
    }
    return sum;
}

static char *link_now(char *const *ir, u32 n, enum variant v, struct strbuf *log) {
    char *ptx = link_once(ir, n, v, false, log);
    if (ptx && local_bytes(ptx) && strlen(ptx) <= AGAIN_MOST_B) {
        struct strbuf unheard = {0};
        char *other = link_once(ir, n, v, true, &unheard);
        bool better = other && local_bytes(other) < local_bytes(ptx);
        free(better ? ptx : other);
        if (better) ptx = other;
        strbuf_free(&unheard);
    }
    if (ptx) define_launch(ptx);
    if (ptx) clear_calls(ptx);
    if (ptx) ptx = change_signs(align_table(declare_group(ptx)));
    if (ptx && !all_defined(ptx, log)) {
        free(ptx);
        return NULL;
    }
    return ptx;
}

/* With kernels that call kernels of other parts */
static char *link_parts(char *const *ir, u32 n, enum variant v, struct strbuf *log) {
    char **parts = base_alloc(n * sizeof(*parts));
    for (u32 i = 0; i < n; i++) parts[i] = strdup(ir[i]);
    kernel_calls_link(parts, n);
    char *ptx = link_now(parts, n, v, log);
    if (ptx && v == VARIANT_PLAIN && compile_variables_b(ptx)) { /* there can be only one, or there were two of each variable */
        free(ptx);
        ptx = link_now(parts, n, VARIANT_OFFSET, log);
    }
    for (u32 i = 0; i < n; i++) free(parts[i]);
    free(parts);
    return ptx;
}

char *compile_link(char *const *ir, u32 n, enum variant v, struct strbuf *log) {
    struct cache_key k = {0};
    key_of_tools(&k, v);
    for (u32 i = 0; i < n; i++) cache_key_add(&k, ir[i], strlen(ir[i]));
    char *known = cache_get(&k, "ptx", NULL);
    if (known) return known;
    char *ptx = link_parts(ir, n, v, log);
    if (!ptx) return NULL;
    struct strbuf all = {0};
    strbuf_add(&all, HEADER);
    for (u32 i = 0; i < n; i++) metadata_write(ir[i], &all);
    strbuf_add(&all, "%s", ptx);
    free(ptx);
    cache_put(&k, "ptx", all.s, all.len);
    return all.s;
}

/* --- both steps */

/* A program that includes nothing is known by its text and options alone: not even the first step is
 * needed */
cl_int compile_build(const char *text, const char *options, struct strbuf *log, char **ir, char **ptx) {
    struct cache_key k = {0};
    bool alone = !strstr(text, "include") && !(options && strstr(options, "-I"));
    *ir = *ptx = NULL;
    if (alone && compile_available()) {
        key_of_tools(&k, VARIANT_PLAIN);
        cache_key_add(&k, text, strlen(text));
        cache_key_add(&k, options ? options : "", options ? strlen(options) : 0);
        *ptx = cache_get(&k, "src.ptx", NULL);
        char *said = *ptx ? cache_get(&k, "log", NULL) : NULL;
        if (said) strbuf_add(log, "%s", said);
        free(said);
        if (*ptx) return CL_SUCCESS;
    }
    struct source s = {.text = text};
    cl_int rc = compile_source(&s, options, log, ir);
    if (rc) return rc == CL_COMPILE_PROGRAM_FAILURE ? CL_BUILD_PROGRAM_FAILURE : rc;
    *ptx = compile_link(ir, 1, VARIANT_PLAIN, log);
    if (!*ptx) return CL_BUILD_PROGRAM_FAILURE;
    if (alone) {
        if (log->s) cache_put(&k, "log", log->s, log->len);
        cache_put(&k, "src.ptx", *ptx, strlen(*ptx));
    }
    return CL_SUCCESS;
}
