/* heddle check: reads programs and reports what is in them, without running anything. */
#include "cli/cli.h"
#include "cli/skeleton.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

struct check {
    struct heddle *h;
    json_t *files; /* NULL without --json */
    FILE *out;     /* of the text; NULL when JSON goes to standard output */
    bool disasm;
    json_t *skeleton; /* of the last file, when wanted */
    bool wants_skeleton;
    const char *skeleton_file; /* NULL: standard output */
    u32 errors;
};

static const char *library_error(struct check *c) {
    const char *text = heddle_message(c->h);
    size_t n = strlen(text);
    fprintf(stderr, "%s%s", text, n && text[n - 1] == '\n' ? "" : "\n");
    c->errors++;
    return text;
}

static json_t *info_json(const struct heddle_kernel_info *k) {
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:s?}", "name", k->name, "registers",
                     (json_int_t)k->registers, "predicates", (json_int_t)k->predicates, "shared_b", (json_int_t)k->shared_b,
                     "local_b", (json_int_t)k->local_b, "const_b", (json_int_t)k->const_b, "params", (json_int_t)k->nparams,
                     "param_b", (json_int_t)k->param_b, "instructions", (json_int_t)k->instructions, "max_threads",
                     (json_int_t)k->max_threads, "recursive", (int)k->recursive, "refused", k->refused);
}

static void print_kernel(const struct check *c, const struct heddle_kernel_info *k) {
    char shared[32], local[32], constant[32];
    if (!c->out) return;
    fprintf(c->out, "  %-32s %5u %6u %10s %10s%s %10s %7u %13u\n", k->name, k->registers, k->predicates,
            report_bytes(shared, k->shared_b), report_bytes(local, k->local_b), k->recursive ? "+" : " ",
            report_bytes(constant, k->const_b), k->nparams, k->instructions);
    if (k->refused) fprintf(c->out, "    cannot be launched: %s\n", k->refused);
}

static void check_kernel(struct check *c, struct heddle_kernel *k, json_t *kernels, json_t *errors) {
    struct heddle_kernel_info info = {0};
    if (heddle_kernel_info(c->h, k, &info)) {
        const char *text = library_error(c);
        if (errors) json_array_append_new(errors, json_string(text));
        return;
    }
    print_kernel(c, &info);
    if (kernels) json_array_append_new(kernels, info_json(&info));
    if (c->disasm && c->out) heddle_kernel_disasm(c->h, k, c->out);
}

/* A manifest names its program from its own folder: one that is written elsewhere names it from the root */
static json_t *make_skeleton(const struct check *c, struct heddle_module *m, const char *path) {
    char *whole = c->skeleton_file ? realpath(path, NULL) : NULL;
    json_t *j = skeleton_manifest(c->h, m, whole ? whole : path);
    free(whole);
    return j;
}

static void check_file(struct check *c, const char *path) {
    json_t *kernels = c->files ? json_array() : NULL, *errors = c->files ? json_array() : NULL;
    struct heddle_module *m = NULL;
    const char *kind = NULL;
    if (heddle_module_load_file(c->h, path, &m)) {
        const char *text = library_error(c);
        if (errors) json_array_append_new(errors, json_string(text));
    } else {
        u32 n = heddle_module_kernels(m);
        kind = heddle_module_frontend(m);
        if (c->out) fprintf(c->out, "%s: %u kernel%s\n", path, n, n == 1 ? "" : "s");
        if (c->out && n)
            fprintf(c->out, "  %-32s %5s %6s %10s %10s  %10s %7s %13s\n", "kernel", "regs", "preds", "shared", "local", "const",
                    "params", "instructions");
        for (u32 i = 0; i < n; i++) check_kernel(c, heddle_module_kernel_at(m, i), kernels, errors);
        if (c->wants_skeleton) c->skeleton = make_skeleton(c, m, path);
        heddle_module_free(c->h, m);
    }
    if (c->files)
        json_array_append_new(
            c->files, json_pack("{s:s, s:s?, s:o, s:o}", "file", path, "frontend", kind, "kernels", kernels, "errors", errors));
}

/* --manifest-skeleton: one program, and a launch that can be made */
static bool write_skeleton(struct check *c, struct cli_outputs *outputs) {
    FILE *f = outputs_file(outputs, "manifest-skeleton");
    if (!c->skeleton) return false; /* the file's error was told */
    if (!json_array_size(json_object_get(c->skeleton, "launches"))) {
        cli_error(&cli_check, "--manifest-skeleton: there is no kernel that can be launched");
        json_decref(c->skeleton);
        return false;
    }
    report_write_json(c->skeleton, f ? f : stdout);
    return outputs_commit(outputs, "manifest-skeleton");
}

static int run_check(const struct cli_line *line) {
    const char *json = cli_value(line, "json"), *const names[] = {"json", "manifest-skeleton"};
    struct cli_outputs outputs = {0};
    bool skeleton = cli_has(line, "manifest-skeleton");
    if (skeleton && line->operands.n > 1)
        return cli_error(line->command, "--manifest-skeleton is for one program; %u are given", line->operands.n);
    if (!outputs_open(&outputs, line, names, 2, line->operands.at, line->operands.n)) return EXIT_USER;
    struct check c = {.h = heddle_open(NULL),
                      .files = json ? json_array() : NULL,
                      .disasm = cli_has(line, "disasm"),
                      .wants_skeleton = skeleton};
    if (skeleton && *cli_value(line, "manifest-skeleton")) c.skeleton_file = cli_value(line, "manifest-skeleton");
    struct config machine;
    if (cli_has(line, "machine") || cli_has(line, "set")) {
        if (!cli_machine(line, &machine)) return heddle_close(c.h), json_decref(c.files), outputs_close(&outputs), EXIT_USER;
        heddle_set_config(c.h, &machine);
    }
    struct folding f;
    term_begin(&f, stdout, 0);
    c.out = cli_has(line, "quiet") || skeleton || (json && strcmp(json, "-") == 0) ? NULL : f.out;
    for (u32 i = 0; i < line->operands.n; i++) check_file(&c, line->operands.at[i]);
    term_end(&f);
    heddle_close(c.h);
    bool made = !skeleton || write_skeleton(&c, &outputs);
    if (json) {
        json_t *j = json_pack("{s:o, s:I}", "files", c.files, "error_count", (json_int_t)c.errors);
        report_write_json(j, outputs_file(&outputs, "json"));
    }
    bool written = outputs_commit(&outputs, "json");
    outputs_close(&outputs);
    return c.errors || !written || !made ? EXIT_USER : EXIT_OK;
}

static const struct cli_option options[] = {
    {"json", "FILE", "write the report as JSON; - for standard output"},
    {"manifest-skeleton", "[FILE]",
     "print a manifest made from the kernels' signatures, to be edited; --manifest-skeleton=FILE writes it there"},
    {"disasm", NULL, "print each kernel as heddle decoded it"},
    {"machine", "NAME|FILE", "registers and order of instructions as for this machine (ptx.schedule)", 0, "machines files"},
    {"set", "KEY=VALUE", "set one key of the machine; may be given several times", 0, "keys"},
    {"quiet", NULL, "errors only", 'q'},
    {NULL, NULL, NULL},
};
const struct cli_command cli_check = {
    .name = "check",
    .doc = "read programs and report kernels and errors without running them",
    .usage = "FILE... [OPTIONS]",
    .details = "What kind of program a file is shows in what is in it: PTX begins with .version, RISC-V is ELF, whatever the "
               "file is called.\n"
               "For each kernel: registers and predicates per thread, shared, local and constant memory (local with a + where "
               "recursion\n"
               "makes the stack's depth unknown), parameters and instructions, and why it cannot be launched when it uses "
               "something that\n"
               "is not modelled. Exit code 2 when a file has an error.",
    .example = "heddle check kernel.ptx --disasm\nheddle check kernel.ptx --manifest-skeleton=launch.json",
    .options = options,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .run = run_check,
};
