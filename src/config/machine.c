/* Machine files: INI text, read with inih, over the defaults or over a base.
 *
 * inih is fed line by line, so that every message can name its line, comments may be of any length,
 * indentation means nothing, and a line that does not fit inih's buffer is an error instead of two lines.
 *
 * 1. A key is set at most once per file.
 * 2. `base` stands before the first section, at most once, so it never overwrites a key of its own file.
 * 3. A base is loaded at most MAX_BASES deep: machines that name each other end in a message. */
#include "config/config.h"

#include <dirent.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BASES = 8, MAX_KEY_B = 256 };

struct reading { /* one file */
    struct config *c;
    struct diag *d;
    const char *file; /* for messages, and where a `base` that is a path starts */
    const char *at, *end;
    u32 line;       /* of the text given to inih last, from 1 */
    u32 depth;      /* bases above this file */
    bool skip;      /* in a section that was refused */
    u32 base_line;  /* 0: no base yet */
    u32 *seen_line; /* [key]: where it was set; 0: not yet */
};

static bool load(struct config *c, const char *name, const struct reading *from, struct diag *d);

/* --- sections */

static bool is_section(const char *name, size_t len) {
    for (u32 i = 0; i < cfg_key_count; i++)
        if (cfg_key_section(&cfg_keys[i]) == len && memcmp(cfg_keys[i].name, name, len) == 0) return true;
    return false;
}

static void unknown_section(struct reading *r, const char *name, size_t len) {
    struct arena mem = {0};
    const char *given = arena_strdup(&mem, name, len), **names = ARENA_ARRAY(&mem, const char *, cfg_key_count);
    for (u32 i = 0; i < cfg_key_count; i++) names[i] = arena_strdup(&mem, cfg_keys[i].name, cfg_key_section(&cfg_keys[i]));
    const char *near = text_nearest(given, names, cfg_key_count);
    if (near) diag_error(r->d, r->file, r->line, 0, "unknown section [%s]; did you mean [%s]?", given, near);
    else diag_error(r->d, r->file, r->line, 0, "unknown section [%s]; sections are keys without their last part: [sm.l1]", given);
    arena_free(&mem);
}

static void enter_section(struct reading *r, const char *line, size_t len) {
    const char *close = memchr(line, ']', len);
    if (!close) return; /* inih complains */
    r->skip = !is_section(line + 1, (size_t)(close - line - 1));
    if (r->skip) unknown_section(r, line + 1, (size_t)(close - line - 1));
}

/* --- lines: inih's fgets */

static bool is_blank(char ch) { return ch == ' ' || ch == '\t' || ch == '\r'; }

static char *next_line(char *out, int out_b, void *reading) {
    struct reading *r = reading;
    if (r->at >= r->end || diag_full(r->d)) return NULL;
    const char *line = r->at, *newline = memchr(line, '\n', (size_t)(r->end - line));
    const char *stop = newline ? newline : r->end;
    r->at = newline ? newline + 1 : r->end;
    r->line++;
    if (r->line == 1 && stop - line >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) line += 3;
    while (line < stop && is_blank(*line)) line++;
    size_t len = (size_t)(stop - line), room = (size_t)out_b - 2;
    if (len && (*line == ';' || *line == '#')) len = 0;
    if (len > room) {
        diag_error(r->d, r->file, r->line, 0, "a line of %zu bytes; at most %zu are possible, comments apart", len, room);
        len = 0;
    }
    if (len && *line == '[') enter_section(r, line, len);
    memcpy(out, line, len);
    memcpy(out + len, "\n", 2);
    return out;
}

/* --- keys: inih's handler. Returns 1 always: what is wrong is in the diagnostics, and inih's own verdict is
 * about syntax. */

static void take_base(struct reading *r, const char *value) {
    if (r->base_line) diag_error(r->d, r->file, r->line, 0, "a second base; the first is in line %u", r->base_line);
    else if (r->depth >= MAX_BASES)
        diag_error(r->d, r->file, r->line, 0, "more than %d machines based on each other; does one name itself?", MAX_BASES);
    else load(r->c, value, r, r->d);
    r->base_line = r->line;
}

static void take_key(struct reading *r, const char *name, const char *value) {
    const struct cfg_key *k = cfg_key_find(name);
    if (k && r->seen_line[k - cfg_keys]) {
        diag_error(r->d, r->file, r->line, 0, "%s is set twice; the first time in line %u", name, r->seen_line[k - cfg_keys]);
        return;
    }
    config_set(r->c, name, value, r->d, r->file, r->line);
    if (k) r->seen_line[k - cfg_keys] = r->line;
}

static int take(void *reading, const char *section, const char *name, const char *value) {
    struct reading *r = reading;
    char full[MAX_KEY_B];
    snprintf(full, sizeof(full), "%s.%s", section, name);
    if (*section && strcmp(name, "base") == 0 && !cfg_key_find(full)) {
        diag_error(r->d, r->file, r->line, 0, "base = MACHINE must stand before the first section");
    } else if (*section) {
        if (!r->skip) take_key(r, full, value);
    } else if (strcmp(name, "base") == 0) {
        take_base(r, value);
    } else if (!r->skip) {
        diag_error(r->d, r->file, r->line, 0, "\"%s\" before the first section, where only base = MACHINE can stand", name);
    }
    return 1;
}

/* --- files */

static bool parse(struct reading *r, const char *text, size_t len) {
    u32 before = r->d->errors;
    if (!diag_limit(r->d, r->file, LIMIT_MACHINE, len)) return false;
    if (memchr(text, 0, len)) {
        diag_error(r->d, r->file, 0, 0, "not a text file");
        return false;
    }
    r->at = text;
    r->end = text + len;
    r->seen_line = base_alloc(sizeof(u32) * cfg_key_count);
    int wrong = ini_parse_stream(next_line, r, take, r);
    if (wrong > 0)
        diag_error(r->d, r->file, (u32)wrong, 0, "not a section \"[name]\", a key \"name = value\" or a comment \"; text\"");
    free(r->seen_line);
    return r->d->errors == before;
}

/* What is wrong with reading it, or NULL */
static const char *unreadable(const char *path) {
    struct stat s;
    if (stat(path, &s) != 0) return strerror(errno);
    if (S_ISDIR(s.st_mode)) return "it is a folder";
    return S_ISREG(s.st_mode) || S_ISFIFO(s.st_mode) ? NULL : "it is not a file";
}

static bool load_file(struct config *c, const char *path, const struct reading *from, struct diag *d) {
    const char *why = unreadable(path);
    size_t len = 0;
    struct strbuf more = {0};
    char *text = why ? NULL : limit_read_file(path, LIMIT_MACHINE, &len, &more);
    if (!text) {
        diag_error(d, from ? from->file : NULL, from ? from->line : 0, 0, "cannot read the machine \"%s\": %s", path,
                   why ? why : more.s);
        strbuf_free(&more);
        return false;
    }
    struct reading r = {.c = c, .d = d, .file = path, .depth = from ? from->depth + 1 : 0};
    config_default(c);
    bool ok = parse(&r, text, len);
    free(text);
    return ok;
}

static void unknown_machine(const char *name, const struct reading *from, struct diag *d) {
    struct machine_list all = machine_list();
    struct strbuf help = {0};
    const char **names = ARENA_ARRAY(&all.mem, const char *, all.n);
    for (u32 i = 0; i < all.n; i++) {
        names[i] = all.at[i].name;
        strbuf_add(&help, "%s%s", i ? ", " : "; machines are ", names[i]);
    }
    const char *near = text_nearest(name, names, all.n);
    const char *file = from ? from->file : NULL;
    u32 line = from ? from->line : 0;
    if (near) diag_error(d, file, line, 0, "unknown machine \"%s\"; did you mean \"%s\"?", name, near);
    else
        diag_error(d, file, line, 0, "unknown machine \"%s\"%s%s", name, help.s ? help.s : "",
                   help.s ? ", or a file, whose name has a dot"
                          : "; no bundled machines were found: set HEDDLE_DATA to share/heddle");
    strbuf_free(&help);
    machine_list_free(&all);
}

static bool load_bundled(struct config *c, const char *name, const struct reading *from, struct diag *d) {
    char *data = data_dir("machines");
    struct strbuf path = {0};
    strbuf_add(&path, "%s/machines/%s.ini", data ? data : "", name);
    bool known = data && *name && !unreadable(path.s), ok = false;
    if (known) ok = load_file(c, path.s, from, d);
    else unknown_machine(name, from, d);
    free(data);
    strbuf_free(&path);
    return ok;
}

static bool is_path(const char *name) { return name[0] == '/' || strchr(name, '.'); }

/* `from`: the file whose base this is, or NULL */
static bool load(struct config *c, const char *name, const struct reading *from, struct diag *d) {
    if (!is_path(name)) return load_bundled(c, name, from, d);
    const char *slash = from && name[0] != '/' ? strrchr(from->file, '/') : NULL;
    if (!slash) return load_file(c, name, from, d);
    struct strbuf path = {0};
    strbuf_add(&path, "%.*s/%s", (int)(slash - from->file), from->file, name);
    bool ok = load_file(c, path.s, from, d);
    strbuf_free(&path);
    return ok;
}

static void keep_name(struct config *c, const char *name) {
    size_t n = MIN(strlen(name), sizeof(c->machine) - 1);
    memset(c->machine, 0, sizeof(c->machine));
    memcpy(c->machine, name, n);
}

bool machine_load(struct config *c, const char *name_or_path, struct diag *d) {
    config_default(c);
    bool ok = load(c, name_or_path, NULL, d);
    keep_name(c, name_or_path);
    return ok;
}

bool machine_parse(struct config *c, const char *file, const char *text, size_t len, struct diag *d) {
    struct reading r = {.c = c, .d = d, .file = file};
    bool ok = parse(&r, text, len);
    keep_name(c, file);
    return ok;
}

/* --- the bundled ones */

static const char *first_comment(struct arena *a, const char *path) {
    char *text = unreadable(path) ? NULL : text_read_file(path, limit_most(LIMIT_MACHINE), NULL);
    const char *doc = "";
    if (text && (*text == ';' || *text == '#')) {
        const char *start = text + 1 + strspn(text + 1, " ;#");
        doc = arena_strdup(a, start, strcspn(start, "\r\n"));
    }
    free(text);
    return doc;
}

static int ends_in_ini(const struct dirent *e) {
    const char *dot = strrchr(e->d_name, '.');
    return dot && dot != e->d_name && strcmp(dot, ".ini") == 0;
}

struct machine_list machine_list(void) {
    struct machine_list l = {0};
    struct dirent **found = NULL;
    char *data = data_dir("machines");
    const char *folder = data ? arena_printf(&l.mem, "%s/machines", data) : NULL;
    int n = folder ? scandir(folder, &found, ends_in_ini, alphasort) : 0;
    l.at = ARENA_ARRAY(&l.mem, struct machine_row, MAX(n, 1));
    for (int i = 0; i < n; i++) {
        const char *file = found[i]->d_name;
        struct machine_row *row = &l.at[l.n++];
        row->name = arena_strdup(&l.mem, file, strlen(file) - strlen(".ini"));
        row->path = arena_printf(&l.mem, "%s/%s", folder, file);
        row->doc = first_comment(&l.mem, row->path);
        free(found[i]);
    }
    free(found);
    free(data);
    return l;
}

void machine_list_free(struct machine_list *l) { arena_free(&l->mem); }
