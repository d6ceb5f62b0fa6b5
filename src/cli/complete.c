/* Completion of command lines, made from the tables: the script of a shell is short and asks `heddle help
 * --complete -- WORD...`, which knows commands, options, and the names that an option or operand takes.
 *
 * A value may be KEY=VALUE: then keys are offered with a "=" behind them, and after it the words that the key
 * takes, in a list after each comma. */
#include "cli/cli.h"
#include "cli/names.h"

#include <stdlib.h>
#include <string.h>

/* --- values */

struct asked {
    const char *word;   /* what the candidates must begin with */
    const char *before; /* stands before each, "--machine=" */
    FILE *out;
};

static void offer(const struct asked *a, const char *kept, const struct name_row *row, const char *behind) {
    const char *word = a->word + strlen(kept);
    if (strncmp(row->name, word, strlen(word)) == 0)
        fprintf(a->out, "%s%s%s%s\t%s\n", a->before, kept, row->name, behind, row->doc);
}

/* After "KEY=", or the last comma after it */
static void offer_values(const struct asked *a, const char *equals) {
    struct names n = {0};
    char *key = strndup(a->word, (size_t)(equals - a->word));
    const char *comma = strrchr(equals, ','), *from = comma ? comma + 1 : equals + 1;
    char *kept = strndup(a->word, (size_t)(from - a->word));
    if (strcmp(key, "machine") == 0) names_add(&n, "machines");
    else names_add_values(&n, key);
    for (u32 i = 0; i < n.at.n; i++) offer(a, kept, &n.at.at[i], "");
    free(key);
    free(kept);
    names_free(&n);
}

static void offer_kind(const struct asked *a, const char *kind, bool pairs) {
    struct names n = {0};
    if (strcmp(kind, "files") == 0 || strcmp(kind, "folders") == 0) {
        fprintf(a->out, ":%s\n", kind);
        return;
    }
    const char *equals = pairs ? strchr(a->word, '=') : NULL;
    if (equals) {
        offer_values(a, equals);
        return;
    }
    CHECK(names_add(&n, kind)); /* else a table names a kind that there is not */
    for (u32 i = 0; i < n.at.n; i++) offer(a, "", &n.at.at[i], pairs ? "=" : "");
    names_free(&n);
}

static void offer_kinds(const struct asked *a, const char *kinds, bool pairs) {
    for (const char *at = kinds; *at;) {
        size_t n = strcspn(at, " ");
        char *kind = strndup(at, n);
        offer_kind(a, kind, pairs);
        free(kind);
        at += n + (at[n] == ' ');
    }
}

static const char *kinds_of(const struct cli_option *o) {
    if (o->from) return o->from;
    return strstr(o->arg, "FILE") ? "files" : strstr(o->arg, "DIR") ? "folders" : "";
}

static void offer_value(const struct cli_option *o, const struct asked *a) {
    offer_kinds(a, kinds_of(o), strchr(o->arg, '=') != NULL);
}

/* --- words */

static const struct cli_option *option_named(const struct cli_command *c, const char *word) {
    size_t n = strcspn(word, "=");
    for (const struct cli_option *o = c->options; o->name; o++) {
        if (word[0] == '-' && word[1] == '-' && strlen(o->name) == n - 2 && strncmp(o->name, word + 2, n - 2) == 0) return o;
        if (o->letter && word[0] == '-' && word[1] == o->letter && !word[2]) return o;
    }
    return NULL;
}

static u32 values_of(const struct cli_option *o) { return !o->arg || o->arg[0] == '[' ? 0 : strchr(o->arg, ' ') ? 2 : 1; }

/* The option whose value the last word is, or NULL; *only_operands when "--" came before */
static const struct cli_option *awaiting(const struct cli_command *c, const char *const *words, u32 n, bool *only_operands) {
    for (u32 i = 0; i + 1 < n; i++) {
        if (*only_operands) continue;
        *only_operands = strcmp(words[i], "--") == 0;
        const struct cli_option *o = option_named(c, words[i]);
        u32 wanted = o && !strchr(words[i], '=') ? values_of(o) : 0;
        if (i + wanted >= n - 1 && wanted) return o;
        i += wanted;
    }
    return NULL;
}

static void offer_options(const struct cli_command *c, const struct asked *a) {
    for (const struct cli_option *o = c->options; o->name; o++)
        if (strncmp(a->word, "--", 2) || strncmp(o->name, a->word + 2, strlen(a->word + 2)) == 0)
            fprintf(a->out, "--%s\t%s\n", o->name, o->doc);
    if (strncmp("--help", a->word, strlen(a->word)) == 0) fprintf(a->out, "--help\twhat the command does\n");
}

static void complete_command(const struct cli_command *c, const char *const *words, u32 n, FILE *out) {
    const char *word = words[n - 1], *equals = strchr(word, '=');
    bool only_operands = false;
    const struct cli_option *value_of = awaiting(c, words, n, &only_operands);
    struct asked a = {word, "", out};
    if (value_of) {
        offer_value(value_of, &a);
        return;
    }
    if (only_operands || word[0] != '-') {
        offer_kinds(&a, c->operands_from ? c->operands_from : "files", false);
        return;
    }
    const struct cli_option *o = equals ? option_named(c, word) : NULL;
    if (!o) {
        offer_options(c, &a);
        return;
    }
    char *before = strndup(word, (size_t)(equals + 1 - word));
    a = (struct asked){equals + 1, before, out};
    if (o->arg) offer_value(o, &a);
    free(before);
}

void complete_words(const char *const *words, u32 n, FILE *out) {
    if (n == 0) return;
    if (n > 1) {
        const struct cli_command *c = cli_find(words[0]);
        if (c) complete_command(c, words + 1, n - 1, out);
        return;
    }
    static const struct name_row own[] = {{"--help", "what heddle does"}, {"--version", "its version, commit and compiler"}};
    struct asked a = {words[0], "", out};
    offer_kinds(&a, "commands", false);
    for (u32 i = 0; i < ARRAY_LEN(own) && words[0][0] == '-'; i++) offer(&a, "", &own[i], "");
}

/* --- the shells' part */

static const struct {
    const char *shell, *script;
} scripts[] = {
    {"bash",
     "# bash completion of heddle; printed by: heddle help --completion bash\n"
     "# The words are those of the line up to the cursor: bash's own split at = and :, which belong to ours.\n"
     "_heddle() {\n"
     "    local line=${COMP_LINE:0:COMP_POINT} candidate word cut\n"
     "    local -a words\n"
     "    read -ra words <<< \"$line\"\n"
     "    [[ $line == *[[:space:]] ]] && words+=('')\n"
     "    word=${words[-1]}\n"
     "    cut=${word%\"${word##*[=:]}\"}\n"
     "    COMPREPLY=()\n"
     "    while IFS=$'\\t' read -r candidate _; do\n"
     "        case $candidate in\n"
     "        :files) compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"${word##*=}\") ;;\n"
     "        :folders) compopt -o filenames; mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- \"${word##*=}\") ;;\n"
     "        *=) compopt -o nospace; COMPREPLY+=(\"${candidate#\"$cut\"}\") ;;\n"
     "        *) COMPREPLY+=(\"${candidate#\"$cut\"}\") ;;\n"
     "        esac\n"
     "    done < <(\"${words[0]}\" help --complete -- \"${words[@]:1}\" 2> /dev/null)\n"
     "}\n"
     "complete -F _heddle heddle\n"},
    {"zsh", "#compdef heddle\n"
            "# zsh completion of heddle; printed by: heddle help --completion zsh\n"
            "_heddle() {\n"
            "    local line name meaning want\n"
            "    local -a plain pairs\n"
            "    while IFS= read -r line; do\n"
            "        name=${line%%$'\\t'*} meaning=${line#*$'\\t'}\n"
            "        case $name in\n"
            "        :files) want=files ;;\n"
            "        :folders) want=folders ;;\n"
            "        *=) pairs+=(\"${name//:/\\\\:}:$meaning\") ;;\n"
            "        *) plain+=(\"${name//:/\\\\:}:$meaning\") ;;\n"
            "        esac\n"
            "    done < <(\"${words[1]}\" help --complete -- \"${(@)words[2,CURRENT]}\" 2> /dev/null)\n"
            "    (( $#pairs )) && _describe -t keys key pairs -S ''\n"
            "    (( $#plain )) && _describe -t names name plain\n"
            "    [[ -n $want ]] && compset -P '--*='\n"
            "    [[ $want == files ]] && _files\n"
            "    [[ $want == folders ]] && _files -/\n"
            "    return 0\n"
            "}\n"
            "if [[ $funcstack[1] == _heddle ]]; then _heddle \"$@\"; else compdef _heddle heddle; fi\n"},
    {"fish", "# fish completion of heddle; printed by: heddle help --completion fish\n"
             "function __heddle_complete\n"
             "    set -l words (commandline -opc)\n"
             "    set -l word (commandline -ct)\n"
             "    for line in ($words[1] help --complete -- $words[2..-1] \"$word\" 2> /dev/null)\n"
             "        switch $line\n"
             "            case :files\n"
             "                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $word)\n"
             "            case :folders\n"
             "                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $word)\n"
             "            case '*'\n"
             "                echo $line\n"
             "        end\n"
             "    end\n"
             "end\n"
             "complete -c heddle -f -a '(__heddle_complete)'\n"},
};

const char *complete_shell(u32 i) { return i < ARRAY_LEN(scripts) ? scripts[i].shell : NULL; }

bool complete_script(const char *shell, FILE *out) {
    for (u32 i = 0; i < ARRAY_LEN(scripts); i++)
        if (strcmp(scripts[i].shell, shell) == 0) return fputs(scripts[i].script, out) >= 0;
    return false;
}
