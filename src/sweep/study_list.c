/* The bundled studies: a file of DATA/studies each. What a list says of one is read from its description. */
#include "sweep/study.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int ends_in_ini(const struct dirent *e) {
    const char *dot = strrchr(e->d_name, '.');
    return dot && dot != e->d_name && strcmp(dot, ".ini") == 0;
}

/* A description that cannot be read is listed by its name alone: heddle study says what is wrong with it */
static void describe(struct study_row *row, struct arena *mem) {
    const struct study_options o = {0};
    struct diag d = {0};
    struct study s;
    row->title = "";
    if (study_read(&s, row->path, &o, &d)) {
        const char *title = study_value(&s, "study", "", "title", "");
        row->title = arena_strdup(mem, title, strlen(title));
        row->programs = s.x.programs.n;
        row->configurations = s.x.configurations.n;
        row->seconds = s.seconds;
    }
    study_free(&s);
    diag_free(&d);
}

struct study_list study_list(void) {
    struct study_list l = {0};
    struct dirent **found = NULL;
    char *data = data_dir("studies");
    const char *folder = data ? arena_printf(&l.mem, "%s/studies", data) : NULL;
    int n = folder ? scandir(folder, &found, ends_in_ini, alphasort) : 0;
    l.at = ARENA_ARRAY(&l.mem, struct study_row, MAX(n, 1));
    for (int i = 0; i < n; i++) {
        const char *file = found[i]->d_name;
        struct study_row *row = &l.at[l.n++];
        row->name = arena_strdup(&l.mem, file, strlen(file) - strlen(".ini"));
        row->path = arena_printf(&l.mem, "%s/%s", folder, file);
        describe(row, &l.mem);
        free(found[i]);
    }
    free(found);
    free(data);
    return l;
}

void study_list_free(struct study_list *l) { arena_free(&l->mem); }
