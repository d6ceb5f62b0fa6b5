/* Words for a shell: what is printed or written as a command means itself, whatever a folder or a file is
 * called. */
#include "sweep/sweep.h"

#include <string.h>

void shell_word(struct strbuf *to, const char *word) {
    if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%")]) {
        strbuf_add(to, "%s", word);
        return;
    }
    strbuf_add(to, "'");
    for (; *word; word++)
        if (*word == '\'') strbuf_add(to, "'\\''");
        else strbuf_add(to, "%c", *word);
    strbuf_add(to, "'");
}
