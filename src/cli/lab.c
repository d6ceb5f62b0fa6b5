/* heddle lab: the laboratory of classic machines: runs a small program and shows it cycle by cycle;
 * exercises. */
#include "cli/lab.h"
#include "report/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct job { /* a program on a machine */
    const struct cli_line *line;
    const struct lab_machine *m;
    struct lab_program *p;
    i64 *key;
    struct lab_run run;
    bool ran;
    struct cli_outputs outputs;
};

static void job_free(struct job *j) {
    if (j->ran) lab_run_free(&j->run);
    outputs_close(&j->outputs);
    lab_program_free(j->p);
    free(j->key);
}

/* --- reading */

static char *bundled(const char *name, const char *ending) {
    char *data = data_dir("lab");
    struct strbuf s = {0};
    if (data) strbuf_add(&s, "%s/lab/%s%s", data, name, ending);
    free(data);
    return s.s;
}

static char *read_text(const struct cli_line *line, const char *path, size_t *len) {
    struct strbuf why = {0};
    char *text = limit_read_file(path, LIMIT_LAB, len, &why);
    if (!text) fprintf(stderr, "heddle %s: error: %s: cannot read: %s\n", line->command->name, path, why.s);
    strbuf_free(&why);
    return text;
}

int lab_programs(const char **names, int max, struct arena *mem) {
    char *data = data_dir("lab");
    struct strbuf s = {0};
    struct dirent **found = NULL;
    int n = 0, all = 0;
    if (data) strbuf_add(&s, "%s/lab", data);
    if (s.s) all = scandir(s.s, &found, NULL, alphasort);
    for (int i = 0; i < all; i++) {
        size_t len = strlen(found[i]->d_name);
        if (len > 2 && strcmp(found[i]->d_name + len - 2, ".s") == 0 && n < max)
            names[n++] = arena_strdup(mem, found[i]->d_name, len - 2);
        free(found[i]);
    }
    if (found) free(found);
    strbuf_free(&s);
    free(data);
    return n;
}

/* A file, or the name of a bundled program or exercise */
static char *program_path(const struct cli_line *line, const char *name) {
    if (strchr(name, '/') || strchr(name, '.') || access(name, F_OK) == 0) return strdup(name);
    const struct lab_exercise *e = lab_exercise_find(name);
    char *path = bundled(e ? e->program : name, ".s");
    if (path && access(path, R_OK) == 0) return path;
    free(path);
    const char *names[LAB_PROGRAMS];
    struct arena mem = {0};
    int n = lab_programs(names, LAB_PROGRAMS, &mem);
    const char *near = text_nearest(name, names, (u32)n);
    if (near)
        cli_error(line->command, "there is no program \"%s\"; did you mean \"%s\"? A file of your own needs a . or / in its name",
                  name, near);
    else
        cli_error(line->command,
                  "there is no program \"%s\"; \"heddle lab list\" names the bundled ones, a file of your own needs a . or / in "
                  "its name",
                  name);
    arena_free(&mem);
    return NULL;
}

static bool tell(struct diag *d) {
    bool ok = d->errors == 0;
    if (d->text.s) fputs(d->text.s, stderr);
    diag_free(d);
    return ok;
}

static bool load_program(struct job *j, const char *name) {
    char *path = program_path(j->line, name), *text = NULL;
    struct diag d = {0};
    size_t len = 0;
    if (path) text = read_text(j->line, path, &len);
    if (text) j->p = lab_assemble(path, text, len, &d);
    bool ok = tell(&d) && text;
    free(text);
    free(path);
    return ok;
}

/* --- keys: the machine's defaults, --machine FILE, the program's .set, the exercise's, --set */

static bool set_pair(struct job *j, const char *pair, struct diag *d, const char *from) {
    const char *equals = strchr(pair, '=');
    if (!equals) {
        diag_error(d, NULL, 0, 0, "%s \"%s\" must be KEY=VALUE", from, pair);
        return false;
    }
    char *key = strndup(pair, (size_t)(equals - pair));
    bool ok = lab_keys_set(j->m, j->key, key, equals + 1, d, from, 0);
    free(key);
    return ok;
}

static void set_words(struct job *j, const char *words, struct diag *d) {
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " ");
        char *pair = strndup(at, n);
        set_pair(j, pair, d, "exercise");
        free(pair);
        at += n + (at[n] == ' ');
    }
}

static bool load_keys(struct job *j, const struct lab_exercise *e) {
    struct diag d = {0};
    const char *file = cli_value(j->line, "machine");
    size_t len;
    j->key = lab_keys_new(j->m);
    if (file) {
        char *text = read_text(j->line, file, &len);
        if (!text) return false;
        lab_keys_ini(j->m, j->key, file, text, len, &d);
        free(text);
    }
    /* an exercise may run a program on another machine than the one its .set speaks of */
    for (u32 i = 0; i < j->p->settings.n; i++) {
        const struct lab_setting *s = &j->p->settings.at[i];
        lab_keys_set(j->m, j->key, s->key, s->value, &d, j->p->file, s->line);
    }
    if (e) set_words(j, e->settings, &d);
    for (u32 i = 0; i < j->line->given.n; i++)
        if (strcmp(j->line->given.at[i].option->name, "set") == 0) set_pair(j, j->line->given.at[i].value[0], &d, "--set");
    return tell(&d);
}

/* --- views */

struct wish {
    u64 cycle, from, to, max_cycles;
    bool cycle_given, range_given;
};

static bool read_wish(const struct cli_line *line, struct wish *w) {
    *w = (struct wish){.from = 1, .to = UINT32_MAX, .max_cycles = 1000000};
    w->cycle_given = cli_has(line, "cycle");
    w->range_given = cli_has(line, "from") || cli_has(line, "to");
    if (!cli_number(line, "cycle", 1, UINT32_MAX, &w->cycle) || !cli_number(line, "from", 1, UINT32_MAX, &w->from) ||
        !cli_number(line, "to", 1, UINT32_MAX, &w->to) || !cli_number(line, "max-cycles", 1, 10000000, &w->max_cycles))
        return false;
    if (w->cycle_given && w->range_given)
        return cli_error(line->command, "--cycle shows one cycle, --from and --to several: give one of the two"), false;
    if (w->from > w->to)
        return cli_error(line->command, "--from %llu lies behind --to %llu", (unsigned long long)w->from,
                         (unsigned long long)w->to),
               false;
    return true;
}

enum { HTML_CYCLES = 400, STEP_CYCLES = 20000, TABLE_CYCLES = 200 };

static bool run_job(struct job *j, const struct wish *w, bool pages) {
    struct diag d = {0};
    struct lab_wish lw = {.pages = pages, .from = (u32)w->from, .to = (u32)w->to, .max_cycles = (u32)w->max_cycles};
    if (w->cycle_given && !cli_has(j->line, "html") && !cli_has(j->line, "step")) lw.from = lw.to = (u32)w->cycle;
    if (cli_has(j->line, "html") && !w->range_given) lw.to = HTML_CYCLES;
    if (cli_has(j->line, "step")) { /* pages take memory */
        lw.from = w->cycle_given && w->cycle > STEP_CYCLES / 2 ? (u32)w->cycle - STEP_CYCLES / 2 : (u32)w->from;
        lw.to = MIN((u32)w->to, lw.from + STEP_CYCLES - 1);
    }
    j->ran = lab_run(&j->run, j->m, j->p, j->key, &lw, &d);
    return tell(&d) && j->ran;
}

static void write_html(const struct job *j, FILE *f) {
    struct strbuf s = {0};
    const char *slash = strrchr(j->p->file, '/');
    strbuf_add(&s, "%s on %s", slash ? slash + 1 : j->p->file, j->m->name);
    lab_write_html(&j->run, s.s, f);
    strbuf_free(&s);
}

/* All files are opened before the run, so that none is an input and none turns out to be unwritable after
 * it */
static bool open_files(struct job *j) {
    static const char *const names[] = {"html", "dot", "konata", "json"};
    const char *inputs[] = {j->p->file, cli_value(j->line, "machine")};
    return outputs_open(&j->outputs, j->line, names, ARRAY_LEN(names), inputs, ARRAY_LEN(inputs));
}

static bool write_files(struct job *j, const struct wish *w) {
    FILE *html = outputs_file(&j->outputs, "html"), *dot = outputs_file(&j->outputs, "dot");
    FILE *konata = outputs_file(&j->outputs, "konata"), *json = outputs_file(&j->outputs, "json");
    if (html) write_html(j, html);
    if (dot) lab_write_dot(&j->run, w->cycle_given ? (i64)w->cycle : -1, dot);
    if (konata) lab_write_konata(&j->run, konata);
    if (json) report_write_json(lab_json(&j->run), json);
    return outputs_commit(&j->outputs, "html") && outputs_commit(&j->outputs, "dot") && outputs_commit(&j->outputs, "konata") &&
           outputs_commit(&j->outputs, "json");
}

static bool print_pages(struct job *j, const struct wish *w) {
    if (w->cycle_given && w->cycle > j->run.cycles)
        return cli_error(j->line->command, "cycle %llu: the run has %u cycles", (unsigned long long)w->cycle, j->run.cycles),
               false;
    if (w->cycle_given) lab_print_page(&j->run, (u32)w->cycle, 120, stdout);
    else if (w->range_given && !cli_has(j->line, "table"))
        for (u32 c = (u32)w->from; c <= MIN((u32)w->to, j->run.cycles); c++)
            lab_print_page(&j->run, c, 120, stdout), putchar('\n');
    return true;
}

static void print_default(struct job *j) {
    if (j->run.cycles <= TABLE_CYCLES) lab_print_grid(&j->run, 1, j->run.cycles, stdout), putchar('\n');
    else printf("(%u cycles: --table --from N --to N draws a part)\n", j->run.cycles);
    lab_print_summary(&j->run, stdout);
}

static bool any_file(const struct cli_line *line) {
    return cli_has(line, "html") || cli_has(line, "dot") || cli_has(line, "konata") || cli_has(line, "json");
}

static int show_job(struct job *j, const struct wish *w) {
    const struct cli_line *line = j->line;
    if (!write_files(j, w)) return EXIT_USER;
    if (cli_has(line, "step")) {
        if (!lab_stepper(line, &j->run, (u32)(w->cycle_given ? w->cycle : w->from))) return EXIT_USER;
    } else if (cli_has(line, "table")) {
        lab_print_grid(&j->run, (u32)w->from, (u32)MIN(w->to, (u64)j->run.cycles), stdout);
    } else if (w->cycle_given || w->range_given) {
        if (!(cli_has(line, "dot") || cli_has(line, "html") || cli_has(line, "json")) && !print_pages(j, w)) return EXIT_USER;
    } else if (!any_file(line)) {
        print_default(j);
    }
    if (j->run.fault) fprintf(stderr, "%s\n", j->run.fault);
    return j->run.fault ? EXIT_PROGRAM : EXIT_OK;
}

static int run_on(const struct cli_line *line, const struct lab_machine *m, const char *program, const struct lab_exercise *e) {
    struct job j = {.line = line, .m = m};
    struct wish w;
    int code = EXIT_USER;
    bool pages =
        cli_has(line, "cycle") || cli_has(line, "from") || cli_has(line, "to") || cli_has(line, "html") || cli_has(line, "step");
    if (read_wish(line, &w) && load_program(&j, program) && load_keys(&j, e) && open_files(&j) && run_job(&j, &w, pages))
        code = show_job(&j, &w);
    job_free(&j);
    return code;
}

/* --- list, show, keys, check */

static bool list_json(const struct cli_line *line, const char **names, int n) {
    json_t *o = json_object(), *machines = json_array(), *exercises = json_array(), *programs = json_array();
    for (u32 i = 0; lab_machines[i]; i++)
        json_array_append_new(machines, json_pack("{s:s, s:s}", "name", lab_machines[i]->name, "doc", lab_machines[i]->doc));
    for (const struct lab_exercise *e = lab_exercises; e->id; e++)
        json_array_append_new(exercises, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "id", e->id, "title", e->title,
                                                   "machine", e->machine, "program", e->program, "settings", e->settings,
                                                   "asks_for", e->answer, "question", e->question));
    for (int i = 0; i < n; i++) json_array_append_new(programs, json_string(names[i]));
    json_object_set_new(o, "machines", machines);
    json_object_set_new(o, "exercises", exercises);
    json_object_set_new(o, "programs", programs);
    return report_save_json(o, cli_value(line, "json"));
}

static int list(const struct cli_line *line) {
    struct arena mem = {0};
    const char *names[LAB_PROGRAMS];
    int n = lab_programs(names, LAB_PROGRAMS, &mem);
    if (cli_has(line, "json")) {
        bool ok = list_json(line, names, n);
        arena_free(&mem);
        return ok ? EXIT_OK : EXIT_USER;
    }
    printf("machines\n");
    for (u32 i = 0; lab_machines[i]; i++) printf("  %-22s %s\n", lab_machines[i]->name, lab_machines[i]->doc);
    printf("\nexercises (heddle lab show ID, heddle lab run ID, heddle lab check ID ANSWER)\n");
    for (const struct lab_exercise *e = lab_exercises; e->id; e++) printf("  %-22s %-11s %s\n", e->id, e->machine, e->title);
    printf("\nprograms (heddle lab MACHINE NAME)\n ");
    for (int i = 0; i < n; i++) printf(" %s", names[i]);
    printf("\n");
    arena_free(&mem);
    return EXIT_OK;
}

static const struct lab_exercise *find_exercise(const struct cli_line *line, const char *id) {
    const struct lab_exercise *e = lab_exercise_find(id);
    const char *names[LAB_PROGRAMS];
    u32 n = 0;
    if (e) return e;
    for (const struct lab_exercise *x = lab_exercises; x->id && n < ARRAY_LEN(names); x++) names[n++] = x->id;
    const char *near = text_nearest(id, names, n);
    if (near) cli_error(line->command, "there is no exercise \"%s\"; did you mean \"%s\"?", id, near);
    else cli_error(line->command, "there is no exercise \"%s\"; \"heddle lab list\" lists them", id);
    return NULL;
}

static const struct lab_machine *find_machine(const struct cli_line *line, const char *name) {
    static const char *const verbs[] = {"list", "show", "run", "check", "keys"};
    const struct lab_machine *m = lab_machine_find(name);
    const char *names[32];
    u32 n = 0;
    if (m) return m;
    for (u32 i = 0; lab_machines[i]; i++) names[n++] = lab_machines[i]->name;
    for (u32 i = 0; i < ARRAY_LEN(verbs); i++) names[n++] = verbs[i];
    const char *near = text_nearest(name, names, n);
    if (near) cli_error(line->command, "there is no machine \"%s\"; did you mean \"%s\"?", name, near);
    else
        cli_error(
            line->command,
            "there is no machine \"%s\"; \"heddle lab list\" lists them, and list, show, run, check and keys are the other words",
            name);
    return NULL;
}

static void show_instructions(void) {
    printf("name      unit    operands             meaning\n");
    for (u32 i = 0; i < LAB_OPS; i++)
        printf("%-9s %-7s %-20s %s\n", lab_ops[i].name, lab_unit_names[lab_ops[i].unit], lab_ops[i].operands, lab_ops[i].doc);
    printf("\noperands: r scalar register, i number or data name, v vector register, m packed register, A memory operand,\n"
           "G gather operand NAME[V0], L label; > is written. docs/lab.md has the language.\n");
}

static int show_program(const struct cli_line *line, const char *name) {
    char *path = program_path(line, name), *text = path ? read_text(line, path, NULL) : NULL;
    if (text) fputs(text, stdout);
    free(path);
    free(text);
    return text ? EXIT_OK : EXIT_USER;
}

static int show(const struct cli_line *line, const char *what) {
    const struct lab_exercise *e = lab_exercise_find(what);
    if (strcmp(what, "instructions") == 0) {
        show_instructions();
        return EXIT_OK;
    }
    if (!e) {
        const struct lab_machine *m = lab_machine_find(what);
        if (!m) return show_program(line, what);
        i64 *key = lab_keys_new(m);
        lab_keys_print(m, key, stdout);
        free(key);
        return EXIT_OK;
    }
    printf("%s: %s\n\n%s\n\n", e->id, e->title, e->question);
    int code = show_program(line, e->program);
    printf("\nmachine  %s%s%s\nsee it   heddle lab run %s --step\nanswer   heddle lab check %s N       (%s)\n", e->machine,
           *e->settings ? ", " : "", e->settings, e->id, e->id, e->answer);
    return code;
}

static int keys(const struct cli_line *line, const char *name) {
    const struct lab_machine *m = find_machine(line, name);
    if (!m) return EXIT_USER;
    i64 *key = lab_keys_new(m);
    lab_keys_print(m, key, stdout);
    free(key);
    return EXIT_OK;
}

/* Another exercise on the same program whose answer the student gave */
static void hint_sibling(const struct cli_line *line, const struct lab_exercise *e, i64 given) {
    for (const struct lab_exercise *x = lab_exercises; x->id; x++) {
        if (x == e || strcmp(x->program, e->program) || strcmp(x->answer, e->answer)) continue;
        struct job j = {.line = line, .m = lab_machine_find(x->machine)};
        struct wish w = {.from = 1, .to = 1, .max_cycles = 1000000};
        if (load_program(&j, x->program) && load_keys(&j, x) && run_job(&j, &w, false) &&
            lab_answer_find(&j.run, x->answer)->value == given)
            printf("%lld is the answer to %s: %s\n", (long long)given, x->id, x->title);
        job_free(&j);
    }
}

/* What the machine does in the first cycle in which a count of cycles that is too small or too large parts
 * from it */
static void tell_cycle(const struct job *j, i64 given) {
    u32 first = (u32)MIN((i64)j->run.cycles, MAX(given, 0)) + 1;
    if (given > j->run.cycles) {
        printf("the first cycle where you and the machine differ is %u: you go on, the machine has ended\n", first);
        return;
    }
    printf("the first cycle where you and the machine differ is %u: you have ended, the machine has\n", first);
    for (u32 i = 0; i < j->run.spans.n; i++) {
        const struct lab_span *s = &j->run.spans.at[i];
        if (s->from <= first && s->to >= first) printf("  %s in %c\n", j->run.rows.at[s->row].text, s->stage);
    }
}

/* With --json the verdict goes there instead of into words; difference: what to say of the first, NULL
 * when right */
static int verdict_json(const struct job *j, const struct lab_exercise *e, const char *given, const char *difference, i64 cycle) {
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:b}", "exercise", e->id, "asks_for", e->answer, "given", given, "right", difference == NULL);
    json_object_set_new(o, "first_cycle", difference && cycle > 0 ? json_integer(cycle) : json_null());
    json_object_set_new(o, "difference", difference ? json_string(difference) : json_null());
    if (!report_save_json(o, cli_value(j->line, "json"))) return EXIT_USER;
    return difference ? EXIT_DIFFERS : EXIT_OK;
}

static int check_number(const struct job *j, const struct lab_exercise *e, const char *text, i64 given) {
    const struct lab_answer *a = lab_answer_find(&j->run, e->answer);
    bool cycles = strcmp(e->answer, "cycles") == 0;
    if (cli_has(j->line, "json"))
        return verdict_json(j, e, text, a->value == given ? NULL : "another number than the machine's",
                            cycles ? MIN(a->value, MAX(given, 0)) + 1 : 0);
    if (a->value == given) {
        printf("%s: right, %lld\n", e->id, (long long)given);
        return EXIT_OK;
    }
    printf("%s: %lld is not the machine's answer (%s)\n", e->id, (long long)given, a->doc);
    if (cycles) tell_cycle(j, given);
    hint_sibling(j->line, e, given);
    printf("step through it with: heddle lab run %s --step\n", e->id);
    return EXIT_DIFFERS;
}

static int check_file(const struct job *j, const struct lab_exercise *e, const char *file) {
    char *text = read_text(j->line, file, NULL);
    struct diag d = {0};
    struct strbuf s = {0};
    if (!text) return EXIT_USER;
    bool same = lab_check_grid(&j->run, file, text, &s, &d);
    free(text);
    int code = !tell(&d) ? EXIT_USER : same ? EXIT_OK : EXIT_DIFFERS;
    if (code != EXIT_USER && cli_has(j->line, "json")) {
        long long cycle = 0;
        if (!same) sscanf(s.s, "cycle %lld", &cycle);
        code = verdict_json(j, e, file, same ? NULL : s.s, cycle);
        strbuf_free(&s);
        return code;
    }
    if (code == EXIT_OK) printf("%s: right, every cell\n", e->id);
    if (code == EXIT_DIFFERS) printf("%s: the first difference is in %s", e->id, s.s);
    strbuf_free(&s);
    return code;
}

static int check(const struct cli_line *line, const char *id, const char *given) {
    const struct lab_exercise *e = find_exercise(line, id);
    if (!e) return EXIT_USER;
    struct job j = {.line = line, .m = lab_machine_find(e->machine)};
    struct wish w = {.from = 1, .to = UINT32_MAX, .max_cycles = 1000000};
    char *end;
    errno = 0;
    i64 x = strtoll(given, &end, 10);
    bool number = *given && !*end && !errno;
    int code = EXIT_USER;
    if (!number && access(given, F_OK) != 0)
        return cli_error(line->command, "\"%s\" is neither a number nor a file with a table", given);
    if (load_program(&j, e->program) && load_keys(&j, e) && run_job(&j, &w, false))
        code = number ? check_number(&j, e, given, x) : check_file(&j, e, given);
    job_free(&j);
    return code;
}

static int run_exercise(const struct cli_line *line, const char *id) {
    const struct lab_exercise *e = find_exercise(line, id);
    return e ? run_on(line, lab_machine_find(e->machine), e->program, e) : EXIT_USER;
}

static const struct {
    const char *name, *wants;
    u32 n; /* operands with the word itself */
} verbs[] = {{"list", "", 1},
             {"show", "EXERCISE, PROGRAM, MACHINE or instructions", 2},
             {"run", "EXERCISE", 2},
             {"check", "EXERCISE and a number or a file", 3},
             {"keys", "MACHINE", 2}};

const char *lab_verb(u32 i) { return i < ARRAY_LEN(verbs) ? verbs[i].name : NULL; }

static int run_lab(const struct cli_line *line) {
    const char *word = line->operands.at[0];
    for (u32 i = 0; i < ARRAY_LEN(verbs); i++) {
        if (strcmp(word, verbs[i].name)) continue;
        if (line->operands.n != verbs[i].n)
            return cli_error(line->command, "\"%s\" takes %s%s", word, *verbs[i].wants ? "" : "no further operand",
                             verbs[i].wants);
        const char *a = line->operands.n > 1 ? line->operands.at[1] : NULL;
        switch (i) {
        case 0: return list(line);
        case 1: return show(line, a);
        case 2: return run_exercise(line, a);
        case 3: return check(line, a, line->operands.at[2]);
        default: return keys(line, a);
        }
    }
    const struct lab_machine *m = find_machine(line, word);
    if (!m) return EXIT_USER;
    if (line->operands.n != 2)
        return cli_error(line->command, "machine %s needs a program: a file, or a name from \"heddle lab list\"", word);
    return run_on(line, m, line->operands.at[1], NULL);
}

static const struct cli_option options[] = {
    {"cycle", "N", "print the page of one cycle: tables as on paper, at its end"},
    {"from", "N", "print pages from this cycle on; also for --table and --html"},
    {"to", "N", "up to this cycle"},
    {"step", NULL, "step through the cycles in the terminal with the cursor keys"},
    {"table", NULL, "print the grid of instructions by cycles, a character a cycle"},
    {"html", "FILE", "write a page with a slider for a browser (cycles 1 to 400 without --from, --to)"},
    {"konata", "FILE", "write the history for the Konata viewer"},
    {"dot", "FILE", "write the dataflow graph for graphviz; with --cycle that of the window of the cycle"},
    {"json", "FILE",
     "write everything as JSON; with --cycle, --from or --to also the pages; - for standard output; also for list and check"},
    {"set", "KEY=VALUE", "set one key of the machine (heddle lab keys MACHINE); may be given several times"},
    {"machine", "FILE", "an INI file of the machine's keys"},
    {"max-cycles", "N", "stop after so many cycles (default 1000000)"},
    {NULL, NULL, NULL},
};
const struct cli_command cli_lab = {
    .name = "lab",
    .doc = "run small programs on classic machines, cycle by cycle: scoreboard, Tomasulo, reorder buffer, vector, VLIW, dataflow "
           "and others",
    .usage = "MACHINE PROGRAM [OPTIONS] | run EXERCISE [OPTIONS] | list | show NAME | check EXERCISE ANSWER | keys MACHINE",
    .example =
        "heddle lab list\nheddle lab tomasulo six --cycle 7\nheddle lab run L1 --table\nheddle lab check L1 31\n"
        "heddle lab rob my.s --set memory.order=aggressive --html my.html\nheddle lab vector vector --set chaining=on --step",
    .details =
        "PROGRAM is a file, or one of the bundled programs. The language and a course of ten exercises are in docs/lab.md;\n"
        "\"heddle lab show instructions\" lists the instructions. ANSWER is a number, or a file with a grid as --table prints "
        "it.",
    .options = options,
    .operands_from = "laboratory files",
    .min_operands = 1,
    .max_operands = 3,
    .run = run_lab,
};
