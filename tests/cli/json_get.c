/* json_get FILE [PATH]: checks that FILE is one JSON value and prints the part at PATH (a.b.0.c), for the
 * shell tests. Exit 1 and a message when FILE is not JSON or has no such part. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *step(const json_t *v, const char *key, size_t len) {
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)len, key);
    return json_is_array(v) ? json_array_get(v, (size_t)strtoull(name, NULL, 10)) : json_object_get(v, name);
}

int main(int argc, char **argv) {
    json_error_t error;
    if (argc < 2) return 2;
    json_t *root = json_load_file(argv[1], JSON_DECODE_ANY, &error);
    if (!root) {
        fprintf(stderr, "%s:%d:%d: %s\n", argv[1], error.line, error.column, error.text);
        return 1;
    }
    const json_t *v = root;
    for (const char *p = argc > 2 ? argv[2] : ""; *p && v;) {
        size_t n = strcspn(p, ".");
        v = step(v, p, n);
        p += n + (p[n] == '.');
    }
    if (!v) {
        fprintf(stderr, "%s: no %s\n", argv[1], argv[2]);
        return 1;
    }
    if (json_is_string(v)) puts(json_string_value(v));
    else if (argc > 2) {
        json_dumpf(v, stdout, JSON_ENCODE_ANY | JSON_COMPACT);
        putchar('\n');
    }
    json_decref(root);
    return 0;
}
