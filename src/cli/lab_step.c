/* Stepping through a run in the terminal: a page a cycle, forward and back with the cursor keys.
 *
 *     right, space  next cycle      left   the one before      up, down   ten cycles
 *     PgUp, PgDn    scroll          t      grid or page        Home, End  first, last      q  leave
 *
 * Plain termios. The terminal's mode is restored on return, at exit, and by a handler when a signal ends
 * the program. */
#include "cli/lab.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static volatile sig_atomic_t changed; /* the terminal is in our mode */

static void restore(void) {
    static const char leave[] = "\033[?25h\033[?1049l";
    if (!changed) return;
    changed = 0;
    if (write(STDOUT_FILENO, leave, sizeof(leave) - 1) < 0) { /* nobody is left to tell */
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

static void on_signal(int number) {
    restore();
    signal(number, SIG_DFL);
    raise(number);
}

static void take_terminal(void) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGPIPE};
    static bool registered;
    struct termios raw = before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE; /* a stopped program would leave the terminal in our mode */
    for (u32 i = 0; i < ARRAY_LEN(ends); i++) signal(ends[i], on_signal);
    if (!registered) atexit(restore);
    registered = true;
    changed = 1;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    fputs("\033[?1049h\033[?25l", stdout);
}

enum key { KEY_OTHER, KEY_NEXT, KEY_BACK, KEY_UP, KEY_DOWN, KEY_FIRST, KEY_LAST, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_GRID, KEY_QUIT };

static int read_byte(void) {
    u8 c;
    return read(STDIN_FILENO, &c, 1) == 1 ? c : -1;
}

/* What follows ESC [ or ESC O */
static enum key escape_key(void) {
    int c = read_byte();
    if (c != '[' && c != 'O') return KEY_OTHER;
    c = read_byte();
    switch (c) {
    case 'A': return KEY_UP;
    case 'B': return KEY_DOWN;
    case 'C': return KEY_NEXT;
    case 'D': return KEY_BACK;
    case 'H': return KEY_FIRST;
    case 'F': return KEY_LAST;
    default: break;
    }
    int first = c;
    while (c >= 0 && c != '~' && !(c >= 'A' && c <= 'Z')) c = read_byte();
    return first == '1' || first == '7'   ? KEY_FIRST
           : first == '4' || first == '8' ? KEY_LAST
           : first == '5'                 ? KEY_PAGE_UP
           : first == '6'                 ? KEY_PAGE_DOWN
                                          : KEY_OTHER;
}

static enum key read_key(void) {
    int c = read_byte();
    switch (c) {
    case -1:
    case 4:
    case 'q':
    case 'Q': return KEY_QUIT;
    case ' ':
    case 'l': return KEY_NEXT;
    case 'h': return KEY_BACK;
    case 't': return KEY_GRID;
    case 27: return escape_key();
    default: return KEY_OTHER;
    }
}

struct view {
    u32 cycle, scroll;
    bool grid;
    u32 rows, cols;
};

static void window_size(struct view *v) {
    struct winsize w;
    v->rows = 24;
    v->cols = 80;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row > 3 && w.ws_col > 20) v->rows = w.ws_row, v->cols = w.ws_col;
}

static char *page_text(const struct lab_run *r, const struct view *v) {
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    if (!f) return strdup("out of memory");
    if (v->grid) {
        u32 span = v->cols > 60 ? v->cols - 52 : 10, from = v->cycle > span ? v->cycle - span + 1 : 1;
        fprintf(f, "%s, cycles to %u of %u\n\n", r->machine->name, v->cycle, r->cycles);
        lab_print_grid(r, from, v->cycle, f);
    } else {
        lab_print_page(r, v->cycle, v->cols, f);
    }
    fclose(f);
    return text;
}

/* At most `cols` characters of a line; a UTF-8 character is one */
static void put_line(const char *s, size_t n, u32 cols) {
    for (size_t i = 0; i < n; i++) {
        if (((u8)s[i] & 0xC0) != 0x80 && cols-- == 0) break;
        putchar(s[i]);
    }
    fputs("\033[K\r\n", stdout);
}

static void draw(const struct lab_run *r, struct view *v) {
    window_size(v);
    char *text = page_text(r, v);
    u32 lines = 0, shown = v->rows - 2;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    v->scroll = lines > shown ? MIN(v->scroll, lines - shown) : 0;
    fputs("\033[H", stdout);
    const char *at = text;
    for (u32 i = 0; *at && i < v->scroll + shown; i++) {
        size_t n = strcspn(at, "\n");
        if (i >= v->scroll) put_line(at, n, v->cols);
        at += n + (at[n] == '\n');
    }
    printf("\033[J\033[%u;1H\033[7m cycle %u of %u   %s\033[0m\033[K", v->rows, v->cycle, r->cycles,
           lines > shown ? "PgUp PgDn scroll   " : "");
    fputs("\033[7m left right: cycle   up down: 10   t: grid   q: leave \033[0m", stdout);
    fflush(stdout);
    free(text);
}

static bool act(struct view *v, enum key k, u32 last) {
    switch (k) {
    case KEY_NEXT: v->cycle = MIN(v->cycle + 1, last); break;
    case KEY_BACK: v->cycle = MAX(v->cycle - 1, 1u); break;
    case KEY_DOWN: v->cycle = MIN(v->cycle + 10, last); break;
    case KEY_UP: v->cycle = v->cycle > 10 ? v->cycle - 10 : 1; break;
    case KEY_FIRST: v->cycle = 1; break;
    case KEY_LAST: v->cycle = last; break;
    case KEY_PAGE_DOWN: v->scroll += v->rows - 3; break;
    case KEY_PAGE_UP: v->scroll -= MIN(v->scroll, v->rows - 3); break;
    case KEY_GRID: v->grid = !v->grid; break;
    case KEY_QUIT: return false;
    case KEY_OTHER: break;
    }
    return true;
}

bool lab_stepper(const struct cli_line *line, const struct lab_run *r, u32 first) {
    u32 last = MAX(MIN(r->cycles, r->page_to), 1u);
    struct view v = {.cycle = MIN(MAX(first, MAX(r->page_from, 1u)), last)};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before) != 0) {
        cli_error(line->command, "--step needs a terminal; --cycle N or --from N --to N print pages anywhere");
        return false;
    }
    take_terminal();
    do draw(r, &v);
    while (act(&v, read_key(), last));
    restore();
    return true;
}
