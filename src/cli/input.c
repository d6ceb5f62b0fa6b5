/* Which program: the X of `heddle run X`. */
#include "cli/runner.h"
#include "front/front.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), k = strlen(end);
    return n >= k && strcmp(s + n - k, end) == 0;
}

static void unknown_workload(const struct cli_line *line, const char *name) {
    const char **names = base_alloc((workload_count + 1) * sizeof(*names));
    for (u32 i = 0; i < workload_count; i++) names[i] = workload_table[i].name;
    const char *near = text_nearest(name, names, workload_count);
    if (near) cli_error(line->command, "no bundled workload \"%s\"; did you mean \"%s\"?", name, near);
    else
        cli_error(line->command, "\"%s\" is no manifest (JSON), no program and no bundled workload (see heddle list workloads)",
                  name);
    free(names);
}

/* The manifest of a bundled workload, in the size asked for; NULL after an error */
static char *workload_path(struct input *in, const struct cli_line *line, const char *name) {
    const char *size = cli_value(line, "size");
    in->workload = workload_find(name);
    if (!in->workload) {
        unknown_workload(line, name);
        return NULL;
    }
    bool known = !size;
    for (u32 i = 0; i < WORKLOAD_SIZES && !known; i++) known = strcmp(size, workload_sizes[i]) == 0;
    if (!known) {
        cli_error(line->command, "unknown size \"%s\"; sizes are " WORKLOAD_SIZES_TEXT, size);
        return NULL;
    }
    char *path = workload_manifest_path(in->workload, size);
    struct strbuf why = {0};
    if (!path)
        cli_error(line->command,
                  "the bundled workloads' files were not found; set HEDDLE_DATA to the folder share/heddle of the build");
    else if (!workload_has_size(in->workload, size, path, &why)) {
        cli_error(line->command, "%s", why.s);
        free(path);
        path = NULL;
    }
    strbuf_free(&why);
    return path;
}

enum kind { KIND_WORKLOAD, KIND_MANIFEST, KIND_PROGRAM, KIND_OTHER };

enum { LOOK_B = 1 << 20 }; /* a program's or manifest's first bytes say what it is */

/* Of a file that can be read twice: not of a pipe or device; NULL for those, and when there is none. One more
 * byte, which is 0. */
static char *first_bytes(const char *path, size_t *n) {
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return NULL;
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *bytes = base_alloc(LOOK_B + 1);
    *n = fread(bytes, 1, LOOK_B, f);
    fclose(f);
    return bytes;
}

/* What a file is, by content, else by name; `why` says what is wrong with KIND_OTHER */
static enum kind kind_of(const char *x, struct strbuf *why) {
    bool json = ends_with(x, ".json");
    if (workload_find(x)) return KIND_WORKLOAD;
    size_t n = 0, at = 0;
    char *bytes = first_bytes(x, &n);
    if (!bytes) return front_of_name(x) ? KIND_PROGRAM : json ? KIND_MANIFEST : KIND_WORKLOAD;
    while (at < n && isspace((unsigned char)bytes[at])) at++;
    json = json || bytes[at] == '{';
    bool program = !json && (front_find(x, (const u8 *)bytes, n) || ends_with(x, ".cl"));
    if (!json && !program) front_refuse((const u8 *)bytes, n, why);
    free(bytes);
    return program ? KIND_PROGRAM : json ? KIND_MANIFEST : KIND_OTHER;
}

const struct frontend *input_alone(const char *x) {
    if (workload_find(x) || ends_with(x, ".json")) return NULL;
    size_t n = 0;
    char *bytes = first_bytes(x, &n);
    const struct frontend *f = bytes ? front_find(x, (const u8 *)bytes, n) : front_of_name(x);
    free(bytes);
    return f && f->alone ? f : NULL;
}

static bool readable(const char *path) {
    if (access(path, R_OK) == 0) return true;
    fprintf(stderr, "%s: error: cannot read: %s\n", path, strerror(errno));
    return false;
}

static char *manifest_path_of(struct input *in, const struct cli_line *line, const char *x) {
    const char *manifest = cli_value(line, "manifest");
    struct strbuf why = {0};
    enum kind kind = kind_of(x, &why);
    if (kind == KIND_OTHER) {
        cli_error(line->command, "\"%s\" is no manifest (JSON), and %s", x, why.s);
        strbuf_free(&why);
        return NULL;
    }
    if (kind == KIND_PROGRAM && !readable(x)) return NULL;
    if (kind == KIND_PROGRAM && !manifest) {
        if (ends_with(x, ".cl")) cli_error(line->command, "a program needs --manifest FILE, which says what to launch");
        else
            cli_error(line->command,
                      "a program needs --manifest FILE, which says what to launch (\"heddle check %s\" only reads it)", x);
        return NULL;
    }
    if (kind != KIND_PROGRAM && manifest) {
        cli_error(line->command, "--manifest goes with a program, not with \"%s\"", x);
        return NULL;
    }
    if (kind == KIND_WORKLOAD) return workload_path(in, line, x);
    if (cli_has(line, "size")) {
        cli_error(line->command, "--size goes with a bundled workload, not with \"%s\"", x);
        return NULL;
    }
    in->program = kind == KIND_PROGRAM ? x : NULL;
    return strdup(kind == KIND_PROGRAM ? manifest : x);
}

#define MAX_SEED 1000000

/* --seed N, where 0 is the data as it is */
static bool reseed(const struct cli_line *line, struct manifest *m, struct diag *d) {
    u64 n = 0;
    if (!cli_number(line, "seed", 0, MAX_SEED, &n)) return false;
    return !n || manifest_reseed(m, n, d);
}

bool input_open(struct input *in, const struct cli_line *line, const char *x, const struct config *machine) {
    struct diag d = {0};
    const struct frontend *alone = cli_has(line, "manifest") ? NULL : input_alone(x);
    if (alone) {
        if (cli_has(line, "size"))
            return cli_error(line->command, "--size goes with a bundled workload, not with \"%s\"", x), false;
        if (cli_has(line, "seed"))
            return cli_error(line->command, "--seed goes with a manifest's generators, and \"%s\" runs as it is", x), false;
        in->program = x;
        /* on a machine that is not known yet a block stands for all cores */
        in->m = machine ? manifest_of_program(x, alone->alone, machine->sms, machine->warps * machine->warp_size)
                        : manifest_of_program(x, alone->alone, 1, 1);
        return true;
    }
    char *path = manifest_path_of(in, line, x);
    if (!path) return false;
    in->m = manifest_load(path, &d);
    if (in->m && !in->workload && in->m->expect.mode == EXPECT_REFERENCE) { /* before a long run, not after it */
        diag_error(
            &d, path, 0, 0,
            "expect: mode \"reference\" is for bundled workloads only; use \"bits\" or \"tolerance\", or leave expect out");
        manifest_free(in->m);
        in->m = NULL;
    }
    if (in->m && !reseed(line, in->m, &d)) {
        manifest_free(in->m);
        in->m = NULL;
    }
    if (!in->m && d.text.s) fputs(d.text.s, stderr);
    if (in->m) cli_say(line, "%s: %u launches, %u buffers", path, in->m->nlaunches, in->m->nbuffers);
    diag_free(&d);
    free(path);
    return in->m != NULL;
}

/* The manifest's program, by name what OpenCL C it was compiled of; NULL when it is no PTX, or there is no
 * source */
static char *source_of(const struct input *in) {
    struct diag d = {0};
    char *path = in->program ? strdup(in->program) : manifest_program_path(in->m, &d);
    bool is = path && (ends_with(path, ".ptx") || ends_with(path, ".cl"));
    diag_free(&d);
    if (is && ends_with(path, ".ptx")) strcpy(path + strlen(path) - 3, "cl");
    if (is && access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
}

/* Source, and a machine that it is not compiled for */
static bool refuse_source(const struct input *in, const struct cli_line *line) {
    struct diag d = {0};
    char *path = in->program ? strdup(in->program) : manifest_program_path(in->m, &d);
    bool is = path && ends_with(path, ".cl");
    if (is)
        cli_error(
            line->command,
            "%s: OpenCL C is compiled for machines with isa.programs = riscv (vortex2021 for one); for this one make PTX of "
            "it with tools/compile_cl.sh, or let heddle exec compile it, in the program that launches it",
            path);
    diag_free(&d);
    free(path);
    return is;
}

bool input_compile(const struct input *in, const struct cli_line *line, const struct config *machine) {
    const struct frontend *f = front_of_machine(machine);
    char *source = f->build ? source_of(in) : NULL;
    struct diag d = {0};
    free(in->m->image);
    in->m->image = NULL;
    if (!f->build && refuse_source(in, line)) return false;
    if (!source) return true;
    double started = clock_seconds();
    in->m->image = f->build(source, machine, &in->m->image_b, &d);
    if (d.text.s) fputs(d.text.s, stderr);
    if (in->m->image) {
        const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
        in->m->image_name = arena_strdup(&in->m->arena, name, strlen(name));
        cli_say(line, "%s: compiled for %s in %.2f s", source, f->name, clock_seconds() - started);
    }
    diag_free(&d);
    free(source);
    return in->m->image != NULL;
}

bool input_readable(const struct input *in) {
    struct diag d = {0};
    char *path = in->program ? strdup(in->program) : manifest_program_path(in->m, &d);
    if (d.text.s) fputs(d.text.s, stderr);
    bool ok = path && readable(path);
    diag_free(&d);
    free(path);
    return ok;
}

void input_close(struct input *in) { manifest_free(in->m); }
