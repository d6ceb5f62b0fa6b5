/* heddle vectors: recorded instruction results against ours.
 *
 *     FAIL mul.hi.s32 (int.arith): mul.hi.s32 %x, %a, %b;
 *       buffer 2, s32/bits: 3 of 128 elements differ
 *       [17] lane 17: in 0x00000003 0x80000000 -> got 0x00000001 (1), want 0xfffffffe (-2)
 */
#include "cli/vectors.h"
#include "cli/cli.h"
#include "report/report.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_ELEMENTS 4

struct vec_module { /* a PTX file, loaded once */
    const char *file;
    struct heddle_module *module; /* NULL when it did not load */
    char *message;                /* why not */
    bool told;                    /* message already printed in full */
};
struct tally {
    const char *class_name;
    u32 passed, failed;
};
struct vectors {
    const struct cli_line *line;
    FILE *out; /* stderr when JSON goes to standard output */
    struct vec_set set;
    struct heddle *h;
    VEC(struct vec_module) modules;
    VEC(struct tally) tallies; /* by class, in order of appearance */
    u32 passed, failed, skipped;
    json_t *failures;
    struct cli_outputs outputs;
};
struct case_run {
    struct vectors *v;
    const struct vec_case *c;
    u64 addr[VEC_MAX_PARAMS];
    u64 handle[VEC_MAX_PARAMS]; /* of textures and surfaces, else 0 */
    struct strbuf text;         /* what is wrong, as printed */
    bool failed;
};

/* --- modules */

static struct vec_module *find_module(struct vectors *v, const char *file) {
    for (u32 i = 0; i < v->modules.n; i++)
        if (strcmp(v->modules.at[i].file, file) == 0) return &v->modules.at[i];
    struct vec_module m = {.file = file};
    struct strbuf path = {0};
    strbuf_add(&path, "%s/modules/%s", v->set.dir, file);
    if (heddle_module_load_file(v->h, path.s, &m.module)) {
        m.module = NULL;
        m.message = strdup(heddle_message(v->h));
    }
    strbuf_free(&path);
    VEC_PUSH(&v->modules, m);
    return &v->modules.at[v->modules.n - 1];
}

/* --- one case */

static void add_indented(struct strbuf *to, const char *text) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        strbuf_add(to, "  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void case_failed(struct case_run *r, const char *why) {
    r->failed = true;
    add_indented(&r->text, why);
}

static bool prepare_buffer(struct case_run *r, u32 i) {
    const struct vec_param *p = &r->c->params[i];
    r->addr[i] = heddle_alloc(r->v->h, MAX(p->size_b, 1));
    if (!r->addr[i]) {
        case_failed(r, "out of device memory");
        return false;
    }
    int status = p->kind == 'o' ? heddle_fill(r->v->h, r->addr[i], p->fill, p->size_b)
                                : heddle_write(r->v->h, r->addr[i], r->v->set.inputs + p->offset, p->size_b);
    if (status) case_failed(r, heddle_message(r->v->h));
    return !status;
}

/* key=value,key=value */
static bool prepare_texture(struct case_run *r, u32 i) {
    const struct vec_param *p = &r->c->params[i];
    char *copy = strdup(p->texture), *word = copy;
    struct heddle_texture t = {.address = r->addr[i]};
    while (word && t.nkeys < ARRAY_LEN(t.keys)) {
        char *next = strchr(word, ',');
        if (next) *next++ = 0;
        char *value = strchr(word, '=');
        if (value) *value++ = 0;
        t.keys[t.nkeys++] = (struct heddle_texture_key){word, value ? value : ""};
        word = next;
    }
    int status = heddle_texture_new(r->v->h, p->kind == 's' ? HEDDLE_SURFACE : HEDDLE_TEXTURE, &t, &r->handle[i]);
    if (status) case_failed(r, heddle_message(r->v->h));
    free(copy);
    return !status;
}

static bool launch_case(struct case_run *r, struct heddle_kernel *k) {
    const struct vec_case *c = r->c;
    struct heddle_arg args[VEC_MAX_PARAMS];
    for (u32 i = 0; i < c->nparams; i++) {
        const struct vec_param *p = &c->params[i];
        if (p->kind != 'v' && !prepare_buffer(r, i)) return false;
        if (p->texture && !prepare_texture(r, i)) return false;
        args[i] = p->kind == 'v' ? (struct heddle_arg){p->value, (u32)p->size_b}
                  : p->texture   ? (struct heddle_arg){&r->handle[i], 8}
                                 : (struct heddle_arg){&r->addr[i], 8};
    }
    struct heddle_launch l = {.dynamic_shared_b = c->shared_b, .args = args, .nargs = c->nparams};
    memcpy(l.grid, c->grid, sizeof(l.grid));
    memcpy(l.block, c->block, sizeof(l.block));
    struct heddle_result res;
    int status = heddle_launch(r->v->h, k, &l, &res);
    if (status) case_failed(r, heddle_message(r->v->h));
    return !status;
}

/* What the thread that wrote byte `at` of output `p` read, when every buffer divides evenly among the
 * threads */
static void add_inputs(struct case_run *r, const struct vec_param *p, u64 at) {
    const struct vec_case *c = r->c;
    u64 threads = (u64)c->grid[0] * c->grid[1] * c->grid[2] * c->block[0] * c->block[1] * c->block[2];
    if (p->size_b % threads || p->size_b < threads) return;
    u64 thread = at / (p->size_b / threads);
    strbuf_add(&r->text, " lane %llu: in", (unsigned long long)(thread % 32));
    for (u32 i = 0; i < c->nparams; i++) {
        const struct vec_param *in = &c->params[i];
        u64 each = in->size_b / threads;
        bool readable = (in->kind == 'i' || in->kind == 'x') && in->size_b % threads == 0 && each >= 1 && each <= 8;
        if (readable)
            strbuf_add(&r->text, " 0x%0*llx", (int)(2 * each),
                       (unsigned long long)vec_load(r->v->set.inputs + in->offset + thread * each, (u32)each));
        if (in->kind == 'v' && in->size_b <= 8)
            strbuf_add(&r->text, " 0x%0*llx", (int)(2 * in->size_b), (unsigned long long)vec_load(in->value, (u32)in->size_b));
    }
    strbuf_add(&r->text, " ->");
}

static void add_element(struct case_run *r, const struct vec_param *p, u64 i, u64 got, u64 want) {
    char a[48], b[48];
    strbuf_add(&r->text, "  [%llu]", (unsigned long long)i);
    add_inputs(r, p, i * p->type.size_b);
    strbuf_add(&r->text, " got %s, want %s\n", vec_print(a, &p->type, got), vec_print(b, &p->type, want));
}

static u64 count_wrong(const struct vec_param *p, const u8 *got, const u8 *want) {
    u64 n = p->size_b / p->type.size_b, wrong = 0;
    if (memcmp(got, want, p->size_b) == 0) return 0;
    for (u64 i = 0; i < n; i++) {
        u64 at = i * p->type.size_b;
        wrong += !vec_agree(&p->type, &p->rule, vec_load(got + at, p->type.size_b), vec_load(want + at, p->type.size_b));
    }
    return wrong;
}

static void compare_buffer(struct case_run *r, u32 index) {
    const struct vec_param *p = &r->c->params[index];
    const u8 *want = r->v->set.results + p->result;
    u8 *got = base_alloc(p->size_b);
    if (heddle_read(r->v->h, r->addr[index], got, p->size_b)) case_failed(r, heddle_message(r->v->h));
    u64 wrong = count_wrong(p, got, want), n = p->size_b / p->type.size_b, shown = 0;
    if (wrong) {
        r->failed = true;
        strbuf_add(&r->text, "  buffer %u, %s: %llu of %llu elements differ\n", index, p->compare, (unsigned long long)wrong,
                   (unsigned long long)n);
    }
    for (u64 i = 0; i < n && shown < MIN(wrong, SHOWN_ELEMENTS); i++) {
        u64 a = vec_load(got + i * p->type.size_b, p->type.size_b), b = vec_load(want + i * p->type.size_b, p->type.size_b);
        if (vec_agree(&p->type, &p->rule, a, b)) continue;
        add_element(r, p, i, a, b);
        shown++;
    }
    free(got);
}

static void run_in_module(struct case_run *r, struct vec_module *m) {
    struct heddle_kernel *k = heddle_module_kernel(m->module, r->c->entry);
    if (!k) {
        case_failed(r, "the module has no such kernel");
        return;
    }
    bool ran = launch_case(r, k);
    for (u32 i = 0; i < r->c->nparams && ran; i++)
        if (vec_is_written(&r->c->params[i])) compare_buffer(r, i);
    for (u32 i = 0; i < r->c->nparams; i++) {
        if (r->handle[i]) heddle_texture_free(r->v->h, r->handle[i]);
        if (r->addr[i]) heddle_free(r->v->h, r->addr[i]);
    }
}

static void run_case(struct case_run *r) {
    struct vec_module *m = find_module(r->v, r->c->module);
    if (m->module) {
        run_in_module(r, m);
    } else {
        case_failed(r, m->told ? "its module did not load (see above)" : m->message);
        m->told = true;
    }
}

/* --- counting and printing */

static void count(struct vectors *v, const char *class_name, bool failed) {
    u32 i = 0;
    while (i < v->tallies.n && strcmp(v->tallies.at[i].class_name, class_name)) i++;
    if (i == v->tallies.n) VEC_PUSH(&v->tallies, ((struct tally){class_name, 0, 0}));
    v->tallies.at[i].failed += failed;
    v->tallies.at[i].passed += !failed;
    v->failed += failed;
    v->passed += !failed;
}

static void finish_case(struct case_run *r) {
    struct vectors *v = r->v;
    count(v, r->c->class_name, r->failed);
    if (r->failed) {
        fprintf(v->out, "FAIL %s (%s): %s\n  %s, kernel %s\n%s", r->c->name, r->c->class_name, r->c->instruction, r->c->module,
                r->c->entry, r->text.s);
        json_array_append_new(v->failures, json_pack("{s:s, s:s, s:s, s:s}", "name", r->c->name, "class", r->c->class_name,
                                                     "instruction", r->c->instruction, "text", r->text.s));
    } else if (cli_has(v->line, "verbose")) {
        fprintf(v->out, "ok   %s (%s)\n", r->c->name, r->c->class_name);
    }
    strbuf_free(&r->text);
}

static int by_class(const void *a, const void *b) {
    return strcmp(((const struct tally *)a)->class_name, ((const struct tally *)b)->class_name);
}

static void print_table(struct vectors *v) {
    if (v->tallies.n) qsort(v->tallies.at, v->tallies.n, sizeof(*v->tallies.at), by_class);
    fprintf(v->out, "%-18s %7s %7s\n", "class", "passed", "failed");
    for (u32 i = 0; i < v->tallies.n; i++)
        fprintf(v->out, "%-18s %7u %7u\n", v->tallies.at[i].class_name, v->tallies.at[i].passed, v->tallies.at[i].failed);
    if (v->skipped) fprintf(v->out, "%u skipped: their recording is not marked ok\n", v->skipped);
    fprintf(v->out, "%u passed, %u failed\n", v->passed, v->failed);
}

static void write_json(struct vectors *v, FILE *f) {
    json_t *classes = json_object();
    for (u32 i = 0; i < v->tallies.n; i++)
        json_object_set_new(
            classes, v->tallies.at[i].class_name,
            json_pack("{s:i, s:i}", "passed", (int)v->tallies.at[i].passed, "failed", (int)v->tallies.at[i].failed));
    report_write_json(json_pack("{s:i, s:i, s:i, s:o, s:O}", "passed", (int)v->passed, "failed", (int)v->failed, "skipped",
                                (int)v->skipped, "classes", classes, "failures", v->failures),
                      f);
}

/* --- selection */

/* "fp" selects fp and fp.arith, not fpx */
static bool class_matches(const char *class_name, const char *wanted) {
    size_t n = strlen(wanted);
    return strncmp(class_name, wanted, n) == 0 && (class_name[n] == 0 || class_name[n] == '.');
}

static bool selected(const struct vectors *v, const struct vec_case *c) {
    const char *class_name = cli_value(v->line, "class"), *glob = cli_value(v->line, "name");
    return (!class_name || class_matches(c->class_name, class_name)) && (!glob || fnmatch(glob, c->name, 0) == 0);
}

static int nothing_selected(const struct vectors *v) {
    const char *class_name = cli_value(v->line, "class");
    const char **names = base_alloc((v->set.cases.n + 1) * sizeof(*names));
    for (u32 i = 0; i < v->set.cases.n; i++) names[i] = v->set.cases.at[i].class_name;
    const char *near = class_name ? text_nearest(class_name, names, v->set.cases.n) : NULL;
    bool known = false;
    for (u32 i = 0; i < v->set.cases.n && class_name; i++) known = known || class_matches(names[i], class_name);
    if (class_name && !known && near) cli_error(v->line->command, "no class \"%s\"; did you mean \"%s\"?", class_name, near);
    else cli_error(v->line->command, "no case of %s is selected", v->set.dir);
    free(names);
    return EXIT_USER;
}

static int run_cases(struct vectors *v) {
    u32 n = 0;
    for (u32 i = 0; i < v->set.cases.n; i++) {
        struct case_run r = {.v = v, .c = &v->set.cases.at[i]};
        if (!selected(v, r.c)) continue;
        n++;
        if (strcmp(r.c->status, "ok")) {
            v->skipped++;
            continue;
        }
        run_case(&r);
        finish_case(&r);
    }
    if (n == 0) return nothing_selected(v);
    FILE *json = outputs_file(&v->outputs, "json");
    print_table(v);
    if (json) write_json(v, json);
    if (!outputs_commit(&v->outputs, "json")) return EXIT_USER;
    return v->failed ? EXIT_DIFFERS : EXIT_OK;
}

static void close_vectors(struct vectors *v) {
    for (u32 i = 0; i < v->modules.n; i++) {
        if (v->modules.at[i].module) heddle_module_free(v->h, v->modules.at[i].module);
        free(v->modules.at[i].message);
    }
    free(v->modules.at);
    free(v->tallies.at);
    json_decref(v->failures);
    outputs_close(&v->outputs);
    heddle_close(v->h);
    vec_free_set(&v->set);
}

static int run_vectors(const struct cli_line *line) {
    const char *json = cli_value(line, "json");
    struct vectors v = {.line = line, .failures = json_array(), .out = json && strcmp(json, "-") == 0 ? stderr : stdout};
    struct heddle_options opt = {.max_instructions = 100000000, .program_out = v.out};
    u64 limit = opt.max_instructions;
    if (!cli_number(line, "max-instructions", 1, UINT64_MAX, &limit)) return EXIT_USER;
    opt.max_instructions = limit;
    struct diag d = {0};
    struct config machine;
    bool timed = cli_has(line, "machine") || cli_has(line, "set");
    if (timed && !cli_machine(line, &machine)) return json_decref(v.failures), EXIT_USER;
    static const char *const names[] = {"json"};
    if (!outputs_open(&v.outputs, line, names, 1, NULL, 0)) return json_decref(v.failures), EXIT_USER;
    v.h = heddle_open(&opt);
    if (timed) heddle_set_config(v.h, &machine);
    bool loaded = vec_load_set(&v.set, line->operands.at[0], &d);
    if (!loaded) fputs(d.text.s, stderr);
    int code = loaded ? run_cases(&v) : EXIT_USER;
    diag_free(&d);
    close_vectors(&v);
    return code;
}

static const struct cli_option options[] = {
    {"class", "C", "only this class and those below it: fp selects fp.arith too"},
    {"name", "GLOB", "only cases whose name matches, as in a shell"},
    {"json", "FILE", "write counts and failures as JSON; - for standard output"},
    {"max-instructions", "N", "limit for one case, in warp instructions (default 100 million)"},
    {"machine", "NAME|FILE", "run on this machine, with time; without it, and without --set, functionally", 0, "machines files"},
    {"set", "KEY=VALUE", "set one key of the machine; may be given several times", 0, "keys"},
    {"verbose", NULL, "name the cases that pass, too", 'v'},
    {NULL, NULL, NULL},
};
const struct cli_command cli_vectors = {
    .name = "vectors",
    .doc = "compare recorded instruction results with ours",
    .usage = "DIR [OPTIONS]",
    .details =
        "DIR holds index.tsv, inputs.bin, results.bin and modules/. Prints each failing case, a table of classes, and the line\n"
        "\"N passed, N failed\". Exit code 1 when a case failed.",
    .example = "heddle vectors tests/data/vectors --class fp --name 'fma.*'",
    .options = options,
    .operands_from = "folders",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_vectors,
};
