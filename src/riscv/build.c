/* OpenCL C to an ELF file for Vortex, with clang and lld: source to IR, IR with the builtin functions to
 * assembly, assembly with the runtime to a program at 0x80000000.
 *
 * Compilers run as processes of their own, within the limits of base/compiler.c; results are kept by content
 * (base/cache.c), except those of programs that include files. What was compiled when heddle was built
 * (lib/) is found in share/heddle/riscv.
 *
 * HEDDLE_CLANG   another compiler than clang-19 */
#include "base/compiler.h"
#include "isa/isa.h"
#include "riscv/compile.h"
#include "riscv/lib/layout.h"
#include "riscv/riscv.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER "heddle riscv program 12"
#define LINKER "ld.lld-19"

enum { LOCAL_MOST_B = 1 << 24 };

static const char *const library[] = {"items.bc", "workitem.bc", "images.bc", "casts.bc", "math.bc", "atomics.bc"};
enum { RUNTIMES = 3 };
static const char *const runtime[][RUNTIMES] = {/* assembly */
                                                [RV_2021] = {"start", "dispatch", "support"},
                                                [RV_V3] = {"start_v3", "dispatch_v3", "support"}};

/* Given to every run of clang, here and in the Makefile (RV_FLAGS): flags.txt */
struct shop {
    struct temp temp;
    const char *source; /* its path, for messages */
    struct strbuf flags;
    char *data; /* share/heddle */
    VEC(char *) argv;
    size_t input_b;
    bool doubles; /* the source asks for them: with them 0.5 is one, which costs hundreds of instructions */
    bool again;   /* the second time, since splits could not be placed */
    bool atomics; /* the program uses them */
    struct rv_words words;
    struct diag *dg;
};

static const char *clang_name(void) {
    const char *s = env_text("HEDDLE_CLANG");
    return s ? s : "clang-19";
}

/* --- running */

static void arg(struct shop *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void arg(struct shop *s, const char *fmt, ...) {
    struct strbuf b = {0};
    va_list ap;
    va_start(ap, fmt);
    strbuf_vadd(&b, fmt, ap);
    va_end(ap);
    VEC_PUSH(&s->argv, b.s ? b.s : strdup(""));
}

static void args(struct shop *s, const char *words) { /* blanks between */
    for (const char *at = words + strspn(words, " \n"); *at; at += strspn(at, " \n")) {
        size_t n = strcspn(at, " \n");
        arg(s, "%.*s", (int)n, at);
        at += n;
    }
}

static char *path_in(const struct shop *s, const char *name) {
    struct strbuf b = {0};
    strbuf_add(&b, "%s/%s", s->temp.dir, name);
    return b.s;
}

static char *read_in(const struct shop *s, const char *name, size_t *len) {
    char *path = path_in(s, name);
    size_t n;
    char *text = text_read_file(path, limit_most(LIMIT_OTHER), len ? len : &n);
    free(path);
    return text;
}

/* What a tool that ended well has left; NULL with a message */
static char *read_result(struct shop *s, const char *tool, const char *name, size_t *len) {
    errno = 0;
    char *text = read_in(s, name, len);
    if (!text)
        diag_error(s->dg, s->source, 0, 0, "%s ended without an error, but its output (%s) cannot be read: %s", tool, name,
                   errno ? strerror(errno) : "it is too large");
    return text;
}

static bool write_in(struct shop *s, const char *name, const char *text) {
    char *path = path_in(s, name);
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(text, f) != EOF;
    if (f) ok = fclose(f) == 0 && ok;
    if (!ok) diag_error(s->dg, path, 0, 0, "cannot write: %s", strerror(errno));
    free(path);
    s->input_b = strlen(text);
    return ok;
}

/* Messages without the folder's name */
static void take_log(const struct shop *s) {
    char *text = read_in(s, "log", NULL);
    size_t dir = strlen(s->temp.dir);
    for (const char *at = text; at && *at; at++) {
        if (strncmp(at, s->temp.dir, dir) == 0 && at[dir] == '/') at += dir;
        else strbuf_add(&s->dg->text, "%c", *at);
    }
    free(text);
}

/* Runs argv and empties it; false with the messages of the tool, or why it did not run */
static bool run(struct shop *s) {
    struct strbuf why = {0};
    char *log = path_in(s, "log");
    VEC_PUSH(&s->argv, NULL);
    bool ok = compiler_run(&(struct compiler){s->argv.at, log, "compiling", s->input_b, isatty(STDERR_FILENO)}, &why);
    if (!ok) {
        take_log(s);
        if (why.s) strbuf_add(&s->dg->text, "%s", why.s);
        diag_error(s->dg, s->source, 0, 0, "%s did not compile it for RISC-V", s->argv.at[0]);
    }
    for (u32 i = 0; i < s->argv.n; i++) free(s->argv.at[i]);
    s->argv.n = 0;
    strbuf_free(&why);
    free(log);
    return ok;
}

static void arg_clang(struct shop *s) {
    arg(s, "%s", clang_name());
    args(s, s->flags.s);
    arg(s, "-fno-color-diagnostics");
}

/* --- the steps */

static char *source_to_ir(struct shop *s) {
    const char *slash = strrchr(s->source, '/');
    arg_clang(s);
    args(s, "-x cl -cl-std=CL1.2 -S -emit-llvm -Xclang -disable-llvm-passes -fgnu89-inline -w -gline-tables-only "
            "-Xclang -cl-ext=+cl_khr_3d_image_writes");
    if (s->doubles) args(s, "-Xclang -cl-ext=+cl_khr_fp64");
    arg(s, "-fdebug-compilation-dir=.");
    if (slash) arg(s, "-ffile-prefix-map=%.*s/=", (int)(slash - s->source), s->source);
    arg(s, "%s", s->source);
    arg(s, "-o"), arg(s, "%s/program.ll", s->temp.dir);
    return run(s) ? read_result(s, clang_name(), "program.ll", NULL) : NULL;
}

static char *ir_to_assembly(struct shop *s, const char *ir, char **stack_usage) {
    if (!write_in(s, "wrapped.ll", ir)) return NULL;
    arg_clang(s);
    args(s, "-x ir -S -w -fstack-usage -fno-crash-diagnostics");
    args(s, s->again ? "-mllvm -tail-dup-placement=0" : "");
    for (u32 i = 0; i < ARRAY_LEN(library); i++) {
        args(s, "-Xclang -mlink-builtin-bitcode -Xclang");
        arg(s, "%s/riscv/%s", s->data, library[i]);
    }
    arg(s, "%s/wrapped.ll", s->temp.dir);
    arg(s, "-o"), arg(s, "%s/program.s", s->temp.dir);
    if (!run(s)) return NULL;
    *stack_usage = read_in(s, "program.su", NULL);
    return read_result(s, clang_name(), "program.s", NULL);
}

static bool assemble(struct shop *s, const char *name, const char *text) {
    char file[32];
    snprintf(file, sizeof(file), "%s.s", name);
    if (!write_in(s, file, text)) return false;
    arg_clang(s);
    args(s, "-c -w");
    arg(s, "%s/%s", s->temp.dir, file);
    arg(s, "-o"), arg(s, "%s/%s.o", s->temp.dir, name);
    return run(s);
}

/* What the front end reads (kernels.c) */
static void add_table(struct shop *s, struct strbuf *out, const struct rv_wrap *w, struct rv_target t) {
    strbuf_add(out, "\t.section\t.heddle.kernels,\"\",@progbits\n\t.ascii\t\"program %s %s thread %u atomics %d",
               t.lanes ? "lanes" : "group", t.split ? "split" : "plain", w->thread_b, s->atomics);
    if (t.variant == RV_V3) strbuf_add(out, " v3 nests %u", s->words.nests);
    strbuf_add(out, "\\n\"\n");
    for (u32 i = 0; i < w->kernels.n; i++) {
        const struct rv_wrapped *k = &w->kernels.at[i];
        strbuf_add(out, "\t.ascii\t\"kernel %s barrier %d local %u stack %u size %u %u %u args %u", k->name, k->barrier,
                   k->local_b, k->stack_b, k->required[0], k->required[1], k->required[2], k->nargs);
        for (u32 a = 0; a < k->nargs; a++) {
            const struct rv_arg *p = &k->args[a];
            strbuf_add(out, " %u@%u%s%s", p->size_b, p->at, p->type ? ":" : "", p->type ? p->type : "");
        }
        strbuf_add(out, "\\n\"\n");
    }
}

/* Behind the code its data; __local variables of a kernel (lanes) in the core's local memory, or at 0 as long
 * as their sizes are to be found */
static void add_script(struct strbuf *out, const struct rv_wrap *w) {
    for (u32 i = 0; i < w->kernels.n; i++) strbuf_add(out, "EXTERN(heddle_run_%s)\n", w->kernels.at[i].name);
    strbuf_add(out, "ENTRY(_start)\nPHDRS { text PT_LOAD FLAGS(5); data PT_LOAD FLAGS(6); tls PT_TLS FLAGS(4); }\n"
                    "SECTIONS {\n  . = 0x80000000;\n  .text : { KEEP(*(.text.start)) *(.text .text.*) } :text\n"
                    "  . = ALIGN(4096);\n  .rodata : { *(.rodata .rodata.* .srodata .srodata.*) } :data\n"
                    "  .data : { *(.data .data.* .sdata .sdata.*) } :data\n  .tdata : { *(.tdata .tdata.*) } :data :tls\n"
                    "  .tbss : { *(.tbss .tbss.*) } :data :tls\n  .bss : { *(.bss .bss.* .sbss .sbss.* COMMON) } :data\n");
    for (u32 i = 0; i < w->kernels.n; i++)
        strbuf_add(out, "  .local.%s 0x%x (NOLOAD) : { *(.local.%s) } :NONE\n", w->kernels.at[i].name, w->kernels.at[i].local_at,
                   w->kernels.at[i].name);
    strbuf_add(out, "  .heddle.kernels 0 : { KEEP(*(.heddle.kernels)) } :NONE\n  /DISCARD/ : { *(.comment .note.*) "
                    "*(.riscv.attributes) *(.eh_frame) }\n}\n");
}

/* gcc's, for arithmetic that RV32IMF lacks and the runtime has not: double precision. Its branches are not
 * placed. */
static void arg_libgcc(struct shop *s, struct rv_target t) {
    glob_t found;
    if (!t.split && glob("/usr/lib/gcc/riscv64-unknown-elf/*/rv32imf/ilp32f/libgcc.a", 0, NULL, &found) == 0) {
        arg(s, "%s", found.gl_pathv[found.gl_pathc - 1]);
        globfree(&found);
    }
}

static char *link_all(struct shop *s, const struct rv_wrap *w, struct rv_target t, bool table, size_t *len) {
    struct strbuf script = {0};
    add_script(&script, w);
    bool ok = write_in(s, "script.ld", script.s);
    strbuf_free(&script);
    args(s, LINKER " --gc-sections -X --no-check-sections -z norelro --build-id=none --orphan-handling=place -T");
    arg(s, "%s/script.ld", s->temp.dir);
    for (u32 i = 0; i < RUNTIMES; i++) arg(s, "%s/%s.o", s->temp.dir, runtime[t.variant][i]);
    arg(s, "%s/program.o", s->temp.dir);
    if (table) arg(s, "%s/table.o", s->temp.dir);
    arg_libgcc(s, t);
    arg(s, "-o"), arg(s, "%s/program.elf", s->temp.dir);
    return ok && run(s) ? read_result(s, LINKER, "program.elf", len) : NULL;
}

/* --- __local memory: only the linker knows its size, since clang splits, renames and drops variables */

static bool refuse_size(struct shop *s, const char *whose, u64 bytes, u32 most_b) {
    diag_error(s->dg, s->source, 0, 0, "%s %llu bytes of __local objects; %u are the most", whose, (unsigned long long)bytes,
               most_b);
    return false;
}

/* Where a kernel's lie: next to `taken`, where those of others begin, or in v3 end. Local memory ends at an
 * address, or begins at one. */
static void lay_section(struct rv_wrapped *k, struct rv_target t, u32 bytes, u32 align, u32 taken) {
    bool up = t.variant == RV_V3;
    k->local_at = up ? (taken + align - 1) / align * align : (taken - bytes) / align * align;
    k->local_b = up ? k->local_at + bytes - RV_LOCAL_V3 : RV_STACK_2021 - k->local_at;
}

/* lanes: kernels one over the other, since one runs at a time; apart where kernels call kernels */
static bool lay_sections(struct shop *s, struct rv_wrap *w, struct rv_target t, const u8 *elf, size_t n) {
    u32 taken = t.variant == RV_V3 ? RV_LOCAL_V3 : RV_STACK_2021, all_b = 0;
    u32 most_b = t.variant == RV_V3 ? RV_LOCAL_V3_MOST_B : LOCAL_MOST_B;
    for (u32 i = 0; i < w->kernels.n; i++) {
        struct rv_wrapped *k = &w->kernels.at[i];
        char name[300], whose[300];
        u64 bytes = 0, align = 1;
        snprintf(name, sizeof(name), ".local.%s", k->name);
        snprintf(whose, sizeof(whose), "kernel %s has", k->name);
        rv_image_section(elf, n, name, &bytes, &align);
        align = MAX(align, 16u);
        if (bytes > most_b || align > most_b) return refuse_size(s, whose, MAX(bytes, align), most_b);
        lay_section(k, t, (u32)bytes, (u32)align, taken);
        if (k->local_b > most_b) return refuse_size(s, "kernels that call each other have", k->local_b, most_b);
        if (w->nested) all_b = k->local_b, taken = t.variant == RV_V3 ? k->local_at + (u32)bytes : k->local_at;
    }
    for (u32 i = 0; i < w->kernels.n && w->nested; i++) w->kernels.at[i].local_b = all_b;
    return true;
}

/* group: all of them in the thread's memory, whose beginning is aligned as ITEM_B is */
static bool size_thread(struct shop *s, struct rv_wrap *w, const u8 *elf, size_t n) {
    u64 bytes = 0, align = 1;
    rv_image_tls(elf, n, &bytes, &align);
    align = MAX(align, 16u);
    if (align > ITEM_B) {
        diag_error(s->dg, s->source, 0, 0, "a __local object is aligned to %llu bytes; with runtime.map = group %d is the most",
                   (unsigned long long)align, ITEM_B);
        return false;
    }
    if (bytes > LOCAL_MOST_B - ITEM_B) return refuse_size(s, "the program has", bytes, LOCAL_MOST_B);
    w->thread_b = (u32)((bytes + align - 1) / align * align);
    return true;
}

static bool find_sizes(struct shop *s, struct rv_wrap *w, struct rv_target t) {
    size_t n = 0;
    if (!w->has_local) return true;
    char *elf = link_all(s, w, t, false, &n);
    bool ok = elf && (t.lanes ? lay_sections(s, w, t, (const u8 *)elf, n) : size_thread(s, w, (const u8 *)elf, n));
    free(elf);
    return ok;
}

static char *link_with_table(struct shop *s, struct rv_wrap *w, struct rv_target t, size_t *len) {
    struct strbuf table = {0};
    bool ok = find_sizes(s, w, t);
    if (ok) {
        add_table(s, &table, w, t);
        ok = assemble(s, "table", table.s);
    }
    strbuf_free(&table);
    return ok ? link_all(s, w, t, true, len) : NULL;
}

/* Whether any instruction is of the A extension: their names begin so in assembly */
static bool uses_atomics(const char *assembly) {
    return strstr(assembly, "\tamo") || strstr(assembly, "\tlr.w") || strstr(assembly, "\tsc.w");
}

static bool place_and_assemble(struct shop *s, const char *name, const char *text, struct rv_target t) {
    struct strbuf placed = {0};
    bool ok = !t.split || rv_place(s->source, text, &s->words, &placed, s->dg);
    ok = ok && assemble(s, name, t.split ? placed.s : text);
    strbuf_free(&placed);
    return ok;
}

/* Which depths and masks a function keeps in words of the thread (lib/layout.h): once, not for every call */
static bool calls_suit(struct shop *s, const struct rv_wrap *w, struct rv_target t) {
    if (!w->recursive || !t.split || t.variant != RV_V3) return true;
    diag_error(s->dg, s->source, 0, 0,
               "function %s calls itself, which OpenCL C does not have, and isa.vortex.diverge = split does not take on v3",
               w->recursive);
    return false;
}

/* What clang calls goes through the pass, too; the rest knows what it does */
static bool add_runtime(struct shop *s, struct rv_target t) {
    bool ok = true;
    s->words.exits = ITEM_EXITS - 4; /* the last are of support.c */
    for (u32 i = 0; i < RUNTIMES && ok; i++) {
        struct strbuf path = {0}, why = {0};
        size_t n;
        const char *name = runtime[t.variant][i];
        strbuf_add(&path, "%s/riscv/%s.s", s->data, name);
        char *text = limit_read_file(path.s, LIMIT_OTHER, &n, &why);
        if (!text) diag_error(s->dg, path.s, 0, 0, "cannot read: %s", why.s);
        ok = text && (strcmp(name, "support") == 0 ? place_and_assemble(s, name, text, t) : assemble(s, name, text));
        strbuf_free(&path);
        strbuf_free(&why);
        free(text);
    }
    return ok;
}

/* program.o. True, too, when splits cannot be placed: `refused` then says why, and is empty otherwise */
static bool compile(struct shop *s, struct rv_wrap *w, struct rv_target t, struct diag *refused) {
    struct strbuf placed = {0};
    char *usage = NULL, *assembly = ir_to_assembly(s, w->ir.s, &usage);
    bool ok = assembly;
    s->words = (struct rv_words){.variant = t.variant};
    if (ok) {
        rv_wrap_stacks(w, usage ? usage : "");
        s->atomics = uses_atomics(assembly);
        if (!t.split || rv_place(s->source, assembly, &s->words, &placed, refused))
            ok = assemble(s, "program", t.split ? placed.s : assembly);
    }
    strbuf_free(&placed);
    free(assembly), free(usage);
    return ok;
}

/* clang puts copies of short blocks where they are jumped to. That may give a loop a second way in, and
 * splits cannot be placed: what is refused is compiled again without. */
static bool compile_placeable(struct shop *s, struct rv_wrap *w, struct rv_target t) {
    struct diag refused = {0}, again = {0};
    bool ok = compile(s, w, t, &refused);
    s->again = refused.errors > 0;
    if (ok && s->again) ok = compile(s, w, t, &again);
    if (ok && again.errors) {
        strbuf_add(&s->dg->text, "%s", refused.text.s);
        s->dg->errors += refused.errors;
        ok = false;
    }
    diag_free(&refused), diag_free(&again);
    return ok;
}

static char *build(struct shop *s, struct rv_target t, size_t *len) {
    struct rv_wrap w = {0};
    char *elf = NULL, *ir = source_to_ir(s);
    bool ok = ir && rv_wrap(&w, s->source, ir, t.lanes, s->dg) && calls_suit(s, &w, t) && compile_placeable(s, &w, t);
    if (ok && add_runtime(s, t)) elf = link_with_table(s, &w, t, len);
    rv_wrap_free(&w);
    free(ir);
    return elf;
}

/* --- what decides about the result */

static bool key_file(struct cache_key *k, const char *path) {
    size_t n;
    char *text = text_read_file(path, limit_most(LIMIT_OTHER), &n);
    if (text) cache_key_add(k, text, n);
    free(text);
    return text != NULL;
}

static bool key_tool(struct cache_key *k, const char *name) {
    struct strbuf path = {0};
    struct stat st;
    bool ok = compiler_find(name, &path) && stat(path.s, &st) == 0;
    if (ok) {
        cache_key_add(k, path.s, path.len);
        cache_key_add(k, &st.st_mtime, sizeof(st.st_mtime));
        cache_key_add(k, &st.st_size, sizeof(st.st_size));
    }
    strbuf_free(&path);
    return ok;
}

static bool key_of(struct shop *s, struct rv_target t, struct cache_key *k) {
    u8 target[] = {t.lanes, t.split, (u8)t.variant};
    if (!key_tool(k, clang_name()) || !key_tool(k, LINKER)) {
        diag_error(s->dg, s->source, 0, 0,
                   "OpenCL C is compiled for RISC-V by %s and %s, which are not in PATH (tools/setup.sh riscv)", clang_name(),
                   LINKER);
        return false;
    }
    struct strbuf path = {0};
    bool ok = true;
    cache_key_add(k, HEADER, sizeof(HEADER));
    cache_key_add(k, target, sizeof(target));
    for (u32 i = 0; i <= ARRAY_LEN(library) + RUNTIMES && ok; i++) {
        bool bitcode = i < ARRAY_LEN(library), flags = i == ARRAY_LEN(library) + RUNTIMES;
        strbuf_free(&path);
        path = (struct strbuf){0};
        strbuf_add(&path, "%s/riscv/%s%s", s->data,
                   flags     ? "flags.txt"
                   : bitcode ? library[i]
                             : runtime[t.variant][i - ARRAY_LEN(library)],
                   flags || bitcode ? "" : ".s");
        ok = key_file(k, path.s);
        if (!ok)
            diag_error(
                s->dg, path.s, 0, 0,
                "the runtime for RISC-V programs is not there; it is compiled when heddle is built, if clang-19 is installed");
    }
    strbuf_free(&path);
    return ok;
}

static bool read_flags(struct shop *s) {
    struct strbuf path = {0};
    size_t n;
    strbuf_add(&path, "%s/riscv/flags.txt", s->data);
    char *text = text_read_file(path.s, limit_most(LIMIT_OTHER), &n);
    if (text) strbuf_add(&s->flags, "%s", text);
    strbuf_free(&path);
    free(text);
    return text != NULL;
}

static char *build_or_find(struct shop *s, struct rv_target t, size_t *len) {
    struct cache_key k = {0};
    struct strbuf why = {0};
    size_t n;
    if (!key_of(s, t, &k) || !read_flags(s)) return NULL;
    char *text = limit_read_file(s->source, LIMIT_SOURCE, &n, &why);
    if (!text) diag_error(s->dg, s->source, 0, 0, "cannot read: %s", why.s);
    strbuf_free(&why);
    if (!text) return NULL;
    bool keeps = !strstr(text, "include");
    s->doubles = !t.split && strstr(text, "double");
    cache_key_add(&k, s->source, strlen(s->source));
    cache_key_add(&k, text, n);
    free(text);
    char *elf = keeps ? cache_get(&k, "elf", len) : NULL;
    if (elf) return elf;
    if (!temp_make(&s->temp)) {
        diag_error(s->dg, s->source, 0, 0, "no temporary folder: %s", strerror(errno));
        return NULL;
    }
    elf = build(s, t, len);
    temp_remove(&s->temp);
    if (elf && keeps) cache_put(&k, "elf", elf, *len);
    return elf;
}

char *rv_build(const char *source, struct rv_target target, size_t *len, struct diag *dg) {
    struct shop s = {.source = source, .dg = dg, .data = data_dir("riscv")};
    if (!s.data) {
        diag_error(dg, source, 0, 0,
                   "the runtime for RISC-V programs was not found (share/heddle/riscv): it is compiled when heddle is "
                   "built with clang-19, and HEDDLE_DATA names the folder");
        return NULL;
    }
    char *elf = build_or_find(&s, target, len);
    free(s.data);
    free(s.argv.at);
    strbuf_free(&s.flags);
    return elf;
}
