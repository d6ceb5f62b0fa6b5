/* Source lines of addresses, from .debug_line (DWARF 2 to 5, 32-bit format): the line number programs of
 * all units are run, and their rows kept in order of address.
 *
 * Nothing is believed: what does not parse ends its unit, silently, since a program without lines runs as
 * well. Not read: columns, view numbers, inlining. */
#include "riscv/riscv.h"

#include <stdlib.h>

enum { MAX_ROWS = 1 << 22, MAX_FILES = 1 << 16 };
enum {
    FORM_block = 9,
    FORM_data1 = 11,
    FORM_data2 = 5,
    FORM_data4 = 6,
    FORM_data8 = 7,
    FORM_data16 = 30,
    FORM_string = 8,
    FORM_strp = 14,
    FORM_udata = 15,
    FORM_line_strp = 31
};

struct cursor {
    const u8 *p, *end;
    bool failed;
};

static u64 take(struct cursor *c, u32 bytes) {
    u64 v = 0;
    if ((u64)(c->end - c->p) < bytes) return c->failed = true, c->p = c->end, 0;
    for (u32 i = 0; i < bytes && i < 8; i++) v |= (u64)c->p[i] << 8 * i;
    c->p += bytes;
    return v;
}

static u64 take_leb(struct cursor *c, bool sign) {
    u64 v = 0, byte = 128;
    u32 shift = 0;
    while (byte & 128 && !c->failed) {
        byte = take(c, 1);
        if (shift < 64) v |= (byte & 127) << shift;
        shift += 7;
    }
    if (sign && shift < 64 && byte & 64) v |= ~0ull << shift;
    return v;
}

static const char *take_string(struct cursor *c) {
    const u8 *zero = memchr(c->p, 0, (size_t)(c->end - c->p));
    const char *s = (const char *)c->p;
    if (!zero) return c->failed = true, c->p = c->end, "";
    c->p = zero + 1;
    return s;
}

struct unit {
    const struct rv_image *im;
    struct cursor c;
    u32 version, min_inst_b, range, opcode_base;
    i32 base;
    u8 lengths[256];
    const char **files;
    u32 nfiles;
    u32 sequence; /* the first row of the one that is read */
};

static void add_file(struct unit *u, struct arena *arena, const char *name) {
    if ((u->nfiles & (u->nfiles - 1)) == 0) {
        const char **files = ARENA_ARRAY(arena, const char *, u->nfiles ? 2 * u->nfiles : 1);
        if (u->nfiles) memcpy(files, u->files, u->nfiles * sizeof(*files));
        u->files = files;
    }
    u->files[u->nfiles++] = arena_strdup(arena, name, strlen(name));
}

/* --- tables of names */

static void old_tables(struct unit *u, struct arena *arena) {
    while (!u->c.failed && *take_string(&u->c)) {} /* folders */
    add_file(u, arena, "");                        /* files count from 1 */
    for (const char *name; !u->c.failed && *(name = take_string(&u->c)) && u->nfiles < MAX_FILES;) {
        add_file(u, arena, name);
        for (u32 i = 0; i < 3; i++) take_leb(&u->c, false);
    }
}

static const char *pooled(const struct unit *u, u32 which, u64 at) {
    const u8 *table = u->im->strings[which];
    u64 n = u->im->strings_b[which];
    return table && at < n && memchr(table + at, 0, n - at) ? (const char *)table + at : "";
}

/* One field of a table entry: its text when it is one */
static const char *take_form(struct unit *u, u64 form) {
    switch (form) {
    case FORM_string: return take_string(&u->c);
    case FORM_line_strp: return pooled(u, 0, take(&u->c, 4));
    case FORM_strp: return pooled(u, 1, take(&u->c, 4));
    case FORM_udata: take_leb(&u->c, false); break;
    case FORM_data1: take(&u->c, 1); break;
    case FORM_data2: take(&u->c, 2); break;
    case FORM_data4: take(&u->c, 4); break;
    case FORM_data8: take(&u->c, 8); break;
    case FORM_data16: take(&u->c, 16); break;
    case FORM_block: {
        u64 n = take_leb(&u->c, false);
        take(&u->c, n > 1 << 20 ? 1 << 20 : (u32)n);
        break;
    }
    default: u->c.failed = true;
    }
    return NULL;
}

static void new_table(struct unit *u, struct arena *arena, bool keep) {
    struct {
        u64 what, form;
    } fields[32];
    u32 nfields = (u32)take(&u->c, 1);
    if (nfields > ARRAY_LEN(fields)) u->c.failed = true;
    for (u32 i = 0; i < nfields && !u->c.failed; i++)
        fields[i].what = take_leb(&u->c, false), fields[i].form = take_leb(&u->c, false);
    u64 n = take_leb(&u->c, false);
    for (u64 i = 0; i < n && i < MAX_FILES && nfields && !u->c.failed; i++) {
        const char *name = NULL;
        for (u32 f = 0; f < nfields; f++) {
            const char *text = take_form(u, fields[f].form);
            if (fields[f].what == 1) name = text; /* DW_LNCT_path */
        }
        if (keep) add_file(u, arena, name ? name : "");
    }
}

/* --- the program */

struct state {
    u32 address, file, line;
};

/* Of rows at one address the last counts; those where their sequence ends are of no byte. So a function that
 * the linker has thrown away, whose rows all lie at 0, leaves none. */
static void emit(struct rv_lines *l, struct unit *u, const struct state *s, bool end) {
    struct rv_line row = {s->address, end ? 0 : s->line, s->file < u->nfiles ? u->files[s->file] : ""};
    if (l->rows.n > u->sequence && l->rows.at[l->rows.n - 1].at == s->address) l->rows.n--;
    bool empty = end && l->rows.n == u->sequence;
    if (l->rows.n < MAX_ROWS && !empty) VEC_PUSH(&l->rows, row);
    if (end) u->sequence = l->rows.n;
}

static void extended(struct unit *u, struct rv_lines *l, struct state *s) {
    u64 len = take_leb(&u->c, false);
    if (!len || len > (u64)(u->c.end - u->c.p)) {
        u->c.failed = true;
        return;
    }
    const u8 *next = u->c.p + len;
    u32 op = (u32)take(&u->c, 1);
    if (op == 1) {
        emit(l, u, s, true);
        *s = (struct state){0, 1, 1};
    } else if (op == 2) s->address = (u32)take(&u->c, (u32)MIN(len - 1, 8u));
    u->c.p = next;
}

static void standard(struct unit *u, struct rv_lines *l, struct state *s, u32 op) {
    switch (op) {
    case 1: emit(l, u, s, false); break;
    case 2: s->address += (u32)take_leb(&u->c, false) * u->min_inst_b; break;
    case 3: s->line += (u32)take_leb(&u->c, true); break;
    case 4: s->file = (u32)take_leb(&u->c, false); break;
    case 8: s->address += (255 - u->opcode_base) / u->range * u->min_inst_b; break;
    case 9: s->address += (u32)take(&u->c, 2); break;
    default:
        for (u32 i = 0; i < u->lengths[op]; i++) take_leb(&u->c, false);
    }
}

static void run_program(struct unit *u, struct rv_lines *l) {
    struct state s = {0, 1, 1};
    while (u->c.p < u->c.end && !u->c.failed) {
        u32 op = (u32)take(&u->c, 1);
        if (op == 0) extended(u, l, &s);
        else if (op < u->opcode_base) standard(u, l, &s, op);
        else {
            u32 adjusted = op - u->opcode_base;
            s.address += adjusted / u->range * u->min_inst_b;
            s.line += (u32)(u->base + (i32)(adjusted % u->range));
            emit(l, u, &s, false);
        }
    }
}

static void read_unit(struct unit *u, struct rv_lines *l, struct arena *arena) {
    u->version = (u32)take(&u->c, 2);
    if (u->version < 2 || u->version > 5) return;
    if (u->version == 5 && take(&u->c, 2) != 4) return; /* addresses of 4 bytes, no selectors */
    u64 header = take(&u->c, 4);
    if (u->c.failed || header > (u64)(u->c.end - u->c.p)) return;
    const u8 *start = u->c.p + header;
    u->min_inst_b = (u32)take(&u->c, 1);
    if (u->version >= 4) take(&u->c, 1);
    take(&u->c, 1);
    u32 base = (u32)take(&u->c, 1);
    u->base = (i32)base - (base & 128 ? 256 : 0);
    u->range = (u32)take(&u->c, 1);
    u->opcode_base = (u32)take(&u->c, 1);
    if (!u->range || !u->opcode_base || u->c.failed) return;
    for (u32 i = 1; i < u->opcode_base; i++) u->lengths[i] = (u8)take(&u->c, 1);
    if (u->version < 5) old_tables(u, arena);
    else {
        new_table(u, arena, false);
        new_table(u, arena, true);
    }
    if (u->c.failed) return;
    u->c.p = start;
    run_program(u, l);
}

static int by_address(const void *a, const void *b) {
    const struct rv_line *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->line != 0) - (y->line != 0); /* an end, then what begins there */
}

void rv_lines_read(struct rv_lines *l, const struct rv_image *im, struct arena *arena) {
    if (!im->lines) return;
    struct cursor all = {im->lines, im->lines + im->lines_b, false};
    while ((u64)(all.end - all.p) >= 4) {
        u64 n = take(&all, 4);
        if (n > (u64)(all.end - all.p)) break; /* cut off, or the 64-bit format */
        struct unit u = {.im = im, .c = {all.p, all.p + n, false}, .sequence = l->rows.n};
        read_unit(&u, l, arena);
        all.p += n;
    }
    if (l->rows.n) qsort(l->rows.at, l->rows.n, sizeof(*l->rows.at), by_address);
}

const struct rv_line *rv_lines_find(const struct rv_lines *l, u32 address) {
    u32 lo = 0, hi = l->rows.n;
    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if (l->rows.at[mid].at <= address) lo = mid + 1;
        else hi = mid;
    }
    return lo ? &l->rows.at[lo - 1] : NULL;
}
