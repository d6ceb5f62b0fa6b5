/* What an experiment runs: a bundled workload, a manifest, or a program with its manifest (PROGRAM@MANIFEST).
 * A name with * or ? stands for the files it matches, "all" for every bundled workload.
 *
 * The hash of a program is over what it is made of: the manifest, the program it names, and the files of its
 * buffers. A workload's CPU reference is part of the command, and so of the build. */
#include "front/front.h"
#include "manifest/manifest.h"
#include "sweep/sweep.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *s, const char *end) {
    size_t n = strlen(s), k = strlen(end);
    return n >= k && strcmp(s + n - k, end) == 0;
}

static bool add(struct experiment *x, struct sweep_program p, const struct sweep_place *place) {
    p.line = place->line;
    for (u32 i = 0; i < x->programs.n; i++)
        if (strcmp(x->programs.at[i].name, p.name) == 0) {
            diag_error(place->d, place->file, place->line, 0, "the program \"%s\" is named twice; the first time in line %u",
                       p.name, x->programs.at[i].line);
            return false;
        }
    VEC_PUSH(&x->programs, p);
    return true;
}

static bool refuse_name(const char *text, const struct sweep_place *place) {
    const char **names = base_alloc((workload_count + 1) * sizeof(*names));
    for (u32 i = 0; i < workload_count; i++) names[i] = workload_table[i].name;
    const char *near = text_nearest(text, names, workload_count);
    if (near) diag_error(place->d, place->file, place->line, 0, "no bundled workload \"%s\"; did you mean \"%s\"?", text, near);
    else
        diag_error(place->d, place->file, place->line, 0,
                   "\"%s\" is no bundled workload (heddle list workloads), no manifest (FILE.json) and no PROGRAM@MANIFEST",
                   text);
    free(names);
    return false;
}

static bool readable(const char *path, const char *text, const struct sweep_place *place) {
    if (access(path, R_OK) == 0) return true;
    diag_error(place->d, place->file, place->line, 0, "cannot read \"%s\": %s", text, strerror(errno));
    return false;
}

static bool add_pattern(struct experiment *x, const char *text, const struct sweep_place *place) {
    glob_t found;
    const char *pattern = experiment_path(x, text);
    size_t given = strlen(pattern) - strlen(text); /* what the folder adds in front */
    bool ok = glob(pattern, 0, NULL, &found) == 0;
    if (!ok) diag_error(place->d, place->file, place->line, 0, "no file is like \"%s\"", text);
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        const char *path = arena_strdup(&x->mem, found.gl_pathv[i], strlen(found.gl_pathv[i]));
        ok = add(x, (struct sweep_program){.name = path + (text[0] == '/' ? 0 : given), .path = path}, place);
    }
    globfree(&found);
    return ok;
}

static bool is_absent(const char *path) { return access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR); }

bool program_absent(struct experiment *x, const char *text) {
    const char *at = strrchr(text, '@');
    if (workload_find(text)) return false;
    if (strpbrk(text, "*?")) {
        glob_t found;
        bool none = glob(experiment_path(x, text), 0, NULL, &found) == GLOB_NOMATCH;
        globfree(&found);
        return none;
    }
    if (at)
        return is_absent(experiment_path(x, arena_strdup(&x->mem, text, (size_t)(at - text)))) ||
               is_absent(experiment_path(x, at + 1));
    return ends_with(text, ".json") && is_absent(experiment_path(x, text));
}

bool program_add(struct experiment *x, const char *text, const struct sweep_place *place) {
    struct sweep_program p = {.name = text, .workload = workload_find(text)};
    const char *at = strrchr(text, '@');
    bool ok = true;
    if (strcmp(text, "all") == 0) {
        for (u32 i = 0; i < workload_count && ok; i++)
            ok = add(x, (struct sweep_program){.name = workload_table[i].name, .workload = &workload_table[i]}, place);
        return ok;
    }
    if (p.workload) return add(x, p, place);
    if (strpbrk(text, "*?")) return add_pattern(x, text, place);
    if (at) {
        p.path = experiment_path(x, arena_strdup(&x->mem, text, (size_t)(at - text)));
        p.manifest = experiment_path(x, at + 1);
        return readable(p.path, p.path, place) && readable(p.manifest, at + 1, place) && add(x, p, place);
    }
    if (front_of_name(text)) {
        diag_error(place->d, place->file, place->line, 0,
                   "the program \"%s\" needs a manifest, which says what to launch: write %s@MANIFEST", text, text);
        return false;
    }
    if (!ends_with(text, ".json")) return refuse_name(text, place);
    p.path = experiment_path(x, text);
    return readable(p.path, text, place) && add(x, p, place);
}

/* --- contents */

static bool add_file(u64 *hash, const char *path, enum limit l, struct diag *d) {
    struct strbuf why = {0};
    size_t len = 0;
    char *text = limit_read_file(path, l, &len, &why);
    if (text) *hash = hash_fnv1a64(*hash, text, len);
    else diag_error(d, path, 0, 0, "cannot read: %s", why.s);
    strbuf_free(&why);
    free(text);
    return text != NULL;
}

static bool add_buffers(u64 *hash, const struct manifest *m, struct diag *d) {
    for (u32 i = 0; i < m->nbuffers; i++) {
        if (!m->buffers[i].file) continue;
        char *path = manifest_path(m, m->buffers[i].file);
        bool ok = add_file(hash, path, LIMIT_BUFFER_FILE, d);
        free(path);
        if (!ok) return false;
    }
    return true;
}

bool program_look(struct experiment *x, struct sweep_program *of, u32 size, struct diag *d) {
    if (of->known[size]) return true;
    char *path = of->workload ? workload_manifest_path(of->workload, workload_sizes[size])
                              : strdup(of->manifest ? of->manifest : of->path);
    if (!path) {
        diag_error(d, x->file, of->line, 0,
                   "the bundled workloads' files were not found; set HEDDLE_DATA to the folder share/heddle of the build");
        return false;
    }
    struct strbuf why = {0};
    if (of->workload && !workload_has_size(of->workload, workload_sizes[size], path, &why)) {
        diag_error(d, x->file, of->line, 0, "%s", why.s);
        strbuf_free(&why);
        free(path);
        return false;
    }
    struct manifest *m = manifest_load(path, d);
    char *program = !m ? NULL : of->manifest ? strdup(of->path) : manifest_program_path(m, d);
    u64 hash = FNV1A64_START;
    bool ok = program && add_file(&hash, path, LIMIT_MANIFEST, d) && add_file(&hash, program, LIMIT_PROGRAM, d) &&
              add_buffers(&hash, m, d);
    if (ok && !of->workload && m->expect.mode == EXPECT_REFERENCE) {
        diag_error(d, path, 0, 0, "expect: mode \"reference\" is for bundled workloads only; use \"bits\" or \"tolerance\"");
        ok = false;
    }
    of->known[size] = ok;
    of->hash[size] = hash;
    of->bytes[size] = ok ? manifest_bytes(m) : 0;
    of->drawn[size] = ok && manifest_drawn(m);
    manifest_free(m);
    free(program);
    free(path);
    return ok;
}

const char *program_label(struct experiment *x, const struct sweep_program *p) {
    const char *slash = strrchr(p->name, '/'), *base = slash ? slash + 1 : p->name, *dot = strrchr(base, '.');
    if (p->workload) return p->name;
    return arena_printf(&x->mem, "%s%.*s", x->prefix, (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base)), base);
}
