/* What a RISC-V program file holds: ELF32 executables, flat images for 0x80000000 (.bin), images with their
 * place before them (.vxbin), and flat images inside .pocl containers.
 *
 * Nothing in a file is believed: every offset and size is checked against the bytes there are before it is
 * used, in 64-bit arithmetic. Not read: relocatable files, position-independent ones, 64-bit ones, compressed
 * instructions; each is refused with what would be legal. */
#include "riscv/riscv.h"

#include <ctype.h>
#include <stdlib.h>

enum { EM_RISCV = 243, ET_EXEC = 2, PT_LOAD = 1, PT_TLS = 7, PF_X = 1, SHT_SYMTAB = 2, STT_OBJECT = 1, STT_FUNC = 2, RVC = 1 };
enum { EHDR_B = 52, PHDR_B = 32, SHDR_B = 40, SYM_B = 16, MAX_SEGMENTS = 64, MAX_CODE_B = 4 << 20 };

struct source {
    const char *file;
    const u8 *bytes;
    u64 n;
    struct diag *dg;
};

static u32 get(const u8 *p, u32 bytes) {
    u32 v = 0;
    for (u32 i = 0; i < bytes; i++) v |= (u32)p[i] << 8 * i;
    return v;
}
static u64 get64(const u8 *p) { return get(p, 4) | (u64)get(p + 4, 4) << 32; }

static bool inside(const struct source *s, u64 at, u64 bytes) { return at <= s->n && bytes <= s->n - at; }

static bool bad(const struct source *s, const char *what) {
    diag_error(s->dg, s->file, 0, 0, "%s", what);
    return false;
}

static const u8 *copied(struct rv_image *im, const u8 *bytes, u64 n) {
    u8 *p = arena_alloc(&im->arena, n + 4);
    memcpy(p, bytes, n);
    return p;
}

static bool add_segment(struct rv_image *im, const struct source *s, struct rv_segment g) {
    if (g.at + g.size_b > 1ull << 32 || g.size_b > 1ull << 30) {
        diag_error(s->dg, s->file, 0, 0, "a segment of %llu bytes at 0x%llx does not fit into 32-bit memory (at most 1 GiB each)",
                   (unsigned long long)g.size_b, (unsigned long long)g.at);
        return false;
    }
    if (g.code && g.at % 4) return bad(s, "its code does not begin at a multiple of 4");
    g.bytes = copied(im, g.bytes, g.file_b);
    VEC_PUSH(&im->segments, g);
    return true;
}

/* --- flat images */

static bool read_flat(struct rv_image *im, const struct source *s, u64 at, const u8 *bytes, u64 n, u64 size_b) {
    if (n < 4) return bad(s, "the image is shorter than one instruction");
    if (n > MAX_CODE_B) {
        diag_error(s->dg, s->file, 0, 0,
                   "a flat image of %llu bytes is larger than the %d that are read as code; use ELF, which says what is code",
                   (unsigned long long)n, MAX_CODE_B);
        return false;
    }
    im->entry = at;
    return add_segment(im, s, (struct rv_segment){at, MAX(size_b, n), bytes, n, true});
}

static bool is_vxbin(const u8 *bytes, u64 n) {
    if (n < 20) return false;
    u64 low = get64(bytes), high = get64(bytes + 8);
    return low >= 0x1000 && low % 4 == 0 && high > low && high <= 1ull << 32 && n - 16 <= high - low + 4096;
}

/* What keeps a file that is called .vxbin from being one */
static bool bad_vxbin(const struct source *s) {
    if (s->n < 20) return bad(s, "not a vxbin: two 64-bit addresses, where the image begins and ends, come before the image");
    u64 low = get64(s->bytes), high = get64(s->bytes + 8);
    const char *why = low < 0x1000        ? "begins below 0x1000"
                      : low % 4           ? "does not begin at a multiple of 4"
                      : high > 1ull << 32 ? "ends beyond 32-bit memory"
                      : high <= low       ? "ends where it begins, or before"
                                          : "is longer in the file than that";
    diag_error(s->dg, s->file, 0, 0, "not a vxbin: its image, at 0x%llx to 0x%llx by the two addresses that come before it, %s",
               (unsigned long long)low, (unsigned long long)high, why);
    return false;
}

static bool read_vxbin(struct rv_image *im, const struct source *s) {
    u64 low = get64(s->bytes), high = get64(s->bytes + 8);
    im->kind = "vxbin";
    return read_flat(im, s, low, s->bytes + 16, s->n - 16, high - low);
}

/* --- containers: records of u32 length, path, u32 size, contents, behind a header of some length */

struct record {
    const u8 *path, *bytes;
    u32 path_b, bytes_b;
};
enum { MAX_IMAGES = 16 };
struct records {
    struct record at[MAX_IMAGES];
    u32 n;
    bool cut; /* something that begins as a record has more bytes than are left */
};

static bool record_at(const u8 *b, u64 n, u64 at, struct record *r, bool *cut) {
    if (n - at < 8) return false;
    u32 len = get(b + at, 4);
    if (len < 2 || len > 4096 || len + 8ull > n - at || b[at + 4] != '/') return false;
    for (u32 i = 0; i < len; i++)
        if (!isprint(b[at + 4 + i]) && !(b[at + 4 + i] == 0 && i == len - 1)) return false;
    u32 size = get(b + at + 4 + len, 4);
    if (size > n - at - 8 - len) {
        *cut = true;
        return false;
    }
    *r = (struct record){b + at + 4, b + at + 8 + len, len, size};
    return true;
}

/* A flat image begins with an instruction that a start-up can begin with */
static bool is_image(const struct record *r) {
    if (r->bytes_b < 16 || !memcmp(r->bytes, "BC\xC0\xDE", 4) ||
        !memcmp(r->bytes,
                "\x7F"
                "ELF",
                4))
        return false;
    for (u32 i = 0; i < 4; i++)
        if (!rv_decode(get(r->bytes + (size_t)4 * i, 4), RV_2021)) return false;
    return true;
}

static bool same_record(const struct record *a, const struct record *b) {
    return a->path_b == b->path_b && a->bytes_b == b->bytes_b && !memcmp(a->path, b->path, a->path_b) &&
           !memcmp(a->bytes, b->bytes, a->bytes_b);
}

/* Each once, since PoCL writes them twice; the first MAX_IMAGES */
static void find_images(const u8 *b, u64 n, struct records *found) {
    struct record r;
    for (u64 at = 0; at + 8 <= n && found->n < MAX_IMAGES;) {
        if (!record_at(b, n, at, &r, &found->cut)) {
            at++;
            continue;
        }
        bool is_new = is_image(&r);
        for (u32 i = 0; i < found->n; i++) is_new = is_new && !same_record(&r, &found->at[i]);
        if (is_new) found->at[found->n++] = r;
        at = (u64)(r.bytes - b) + r.bytes_b;
    }
}

static bool is_pocl(const u8 *bytes, size_t n) { return n >= 7 && memcmp(bytes, "poclbin", 7) == 0; }

static bool read_pocl(struct rv_image *im, const struct source *s) {
    struct records r = {.n = 0};
    find_images(s->bytes, s->n, &r);
    im->kind = "pocl";
    if (!r.n)
        return bad(s, r.cut ? "this .pocl container is cut off: a file in it is longer than what is left"
                            : "this .pocl container holds no flat RISC-V image");
    if (r.n == 1) return read_flat(im, s, RV_BASE, r.at[0].bytes, r.at[0].bytes_b, 0);
    struct strbuf b = {0};
    for (u32 i = 0; i < r.n; i++)
        strbuf_add(&b, "%s%.*s, %u bytes at %llu", i ? "; " : "", (int)r.at[i].path_b, (const char *)r.at[i].path,
                   r.at[i].bytes_b, (unsigned long long)(r.at[i].bytes - s->bytes));
    diag_error(s->dg, s->file, 0, 0,
               "this .pocl container holds %u images, which all want the same addresses; extract the one to run to a .bin (%s)",
               r.n, b.s);
    strbuf_free(&b);
    return false;
}

/* --- ELF */

static bool is_elf(const u8 *bytes, size_t n) {
    return n >= 20 &&
           memcmp(bytes,
                  "\x7F"
                  "ELF",
                  4) == 0 &&
           get(bytes + 18, 2) == EM_RISCV;
}

static bool check_header(const struct source *s) {
    const u8 *b = s->bytes;
    if (s->n < 5 || memcmp(b,
                           "\x7F"
                           "ELF",
                           4))
        return bad(s, "not an ELF file");
    if (s->n < EHDR_B) return bad(s, "the ELF header is cut off");
    if (b[4] != 1 && b[4] != 2) return bad(s, "its ELF header says neither 32 nor 64 bits");
    if (b[5] != 1) return bad(s, "a big-endian program; heddle runs little-endian RISC-V");
    if (get(b + 18, 2) != EM_RISCV) {
        diag_error(s->dg, s->file, 0, 0, "an ELF file of another machine (%u); RISC-V is %d", get(b + 18, 2), EM_RISCV);
        return false;
    }
    if (b[4] != 1) return bad(s, "a 64-bit program; heddle runs RV32 (compile with -march=rv32imf -mabi=ilp32f)");
    if (get(b + 16, 2) != ET_EXEC)
        return bad(s, get(b + 16, 2) == 1 ? "an object file; link it first"
                                          : "not a program with fixed addresses; link it with -static and without -pie");
    if (get(b + 36, 4) & RVC)
        return bad(s, "compiled with compressed instructions, which are not modelled (compile with -march=rv32imf)");
    return true;
}

/* Linker scripts that write the wrong flags, as riscv-tests' does, leave no segment that may be executed:
 * then the one with the entry is the code, as for loaders that look at no flags */
static u64 take_entry_as_code(struct rv_image *im) {
    for (u32 i = 0; i < im->segments.n; i++) {
        struct rv_segment *g = &im->segments.at[i];
        if (im->entry - g->at >= g->file_b || g->at % 4) continue;
        g->code = true;
        return g->file_b;
    }
    return 0;
}

static bool read_program_headers(struct rv_image *im, const struct source *s) {
    const u8 *b = s->bytes;
    u64 at = get(b + 28, 4), size = get(b + 42, 2), n = get(b + 44, 2), code = 0;
    if (n && size < PHDR_B) return bad(s, "its program headers are too small");
    if (n > MAX_SEGMENTS) return bad(s, "it has more than 64 program headers");
    if (!inside(s, at, size * n)) return bad(s, "its program headers are cut off");
    for (u64 i = 0; i < n; i++) {
        const u8 *p = b + at + i * size;
        u64 off = get(p + 4, 4), file_b = get(p + 16, 4), mem_b = get(p + 20, 4);
        if (get(p, 4) != PT_LOAD || !mem_b) continue;
        if (file_b > mem_b) return bad(s, "a segment has more bytes in the file than in memory");
        if (!inside(s, off, file_b)) return bad(s, "a segment is cut off: the file is shorter than it says");
        struct rv_segment g = {get(p + 8, 4), mem_b, b + off, file_b, (get(p + 24, 4) & PF_X) != 0};
        code += g.code ? g.file_b : 0;
        if (!add_segment(im, s, g)) return false;
    }
    if (!code) code = take_entry_as_code(im);
    if (!code) return bad(s, "it has no code to run (no segment that may be executed, and none that holds the entry)");
    return code <= MAX_CODE_B || bad(s, "it has more than 4 MiB of code");
}

struct section {
    u32 type, link;
    const u8 *bytes;
    u64 n;
    const char *name;
};

/* A NUL-terminated text at `at` of a table, or NULL */
static const char *string_at(const u8 *table, u64 n, u64 at) {
    return at < n && memchr(table + at, 0, n - at) ? (const char *)table + at : NULL;
}

static bool section_at(const struct source *s, u32 i, struct section *out) {
    const u8 *b = s->bytes;
    u64 at = get(b + 32, 4), size = get(b + 46, 2), n = get(b + 48, 2);
    if (i >= n || size < SHDR_B || !inside(s, at, size * n)) return false;
    const u8 *p = b + at + i * size;
    *out = (struct section){get(p + 4, 4), get(p + 24, 4), NULL, 0, NULL};
    u64 off = get(p + 16, 4), bytes = get(p + 20, 4);
    if (out->type == 8 || !inside(s, off, bytes)) return true; /* nothing in the file */
    out->bytes = b + off;
    out->n = bytes;
    return true;
}

static int by_address(const void *a, const void *b) {
    const struct rv_symbol *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->func != y->func ? (x->func ? 1 : -1) : strcmp(x->name, y->name);
}

static void read_symbols(struct rv_image *im, const struct source *s, const struct section *table) {
    struct section names;
    if (!section_at(s, table->link, &names)) return;
    for (u64 i = 0; i + SYM_B <= table->n; i += SYM_B) {
        const u8 *p = table->bytes + i;
        const char *name = string_at(names.bytes, names.n, get(p, 4));
        u32 type = p[12] & 15;
        if (!name || !*name || type > STT_FUNC || !get(p + 14, 2) || name[0] == '$') continue;
        struct rv_symbol sym = {get(p + 4, 4), get(p + 8, 4), type != STT_OBJECT, arena_strdup(&im->arena, name, strlen(name))};
        VEC_PUSH(&im->symbols, sym);
    }
}

static void keep_debug(struct rv_image *im, const struct section *x, const char *name) {
    static const char *const wanted[] = {".debug_line", ".debug_line_str", ".debug_str"};
    for (u32 i = 0; i < ARRAY_LEN(wanted); i++) {
        if (strcmp(name, wanted[i]) || !x->n) continue;
        const u8 *bytes = copied(im, x->bytes, x->n);
        if (i) im->strings[i - 1] = bytes, im->strings_b[i - 1] = x->n;
        else im->lines = bytes, im->lines_b = x->n;
    }
    if (strcmp(name, ".heddle.kernels") == 0 && x->n) im->kernels = arena_strdup(&im->arena, (const char *)x->bytes, x->n);
}

/* Sections tell names and lines; a program without them, or with broken ones, runs all the same */
static void read_sections(struct rv_image *im, const struct source *s) {
    struct section x, names;
    bool named = section_at(s, get(s->bytes + 50, 2), &names);
    for (u32 i = 0; section_at(s, i, &x); i++) {
        u64 at = get(s->bytes + 32, 4) + (u64)i * get(s->bytes + 46, 2);
        const char *name = named ? string_at(names.bytes, names.n, get(s->bytes + at, 4)) : NULL;
        if (x.type == SHT_SYMTAB) read_symbols(im, s, &x);
        else if (name) keep_debug(im, &x, name);
    }
    if (im->symbols.n) qsort(im->symbols.at, im->symbols.n, sizeof(*im->symbols.at), by_address);
}

void rv_image_section(const u8 *bytes, size_t n, const char *name, u64 *size_b, u64 *align_b) {
    struct source s = {"", bytes, n, NULL};
    struct section x, names;
    if (n < EHDR_B || !section_at(&s, get(bytes + 50, 2), &names)) return;
    for (u32 i = 0; section_at(&s, i, &x); i++) {
        const u8 *p = bytes + get(bytes + 32, 4) + (u64)i * get(bytes + 46, 2);
        const char *is = string_at(names.bytes, names.n, get(p, 4));
        if (is && strcmp(is, name) == 0) *size_b = get(p + 20, 4), *align_b = MAX(get(p + 32, 4), 1u);
    }
}

void rv_image_tls(const u8 *bytes, size_t n, u64 *size_b, u64 *align_b) {
    struct source s = {"", bytes, n, NULL};
    if (n < EHDR_B) return;
    u64 at = get(bytes + 28, 4), each = get(bytes + 42, 2), count = get(bytes + 44, 2);
    if (each < PHDR_B || !inside(&s, at, each * count)) return;
    for (const u8 *p = bytes + at; count--; p += each)
        if (get(p, 4) == PT_TLS) *size_b = get(p + 20, 4), *align_b = MAX(get(p + 28, 4), 1u);
}

static bool read_elf(struct rv_image *im, const struct source *s) {
    im->kind = "ELF";
    if (!check_header(s)) return false;
    im->entry = get(s->bytes + 24, 4);
    if (!read_program_headers(im, s)) return false;
    bool found = false;
    for (u32 i = 0; i < im->segments.n; i++)
        found = found || (im->segments.at[i].code && im->entry - im->segments.at[i].at < im->segments.at[i].file_b);
    if (!found || im->entry % 4) {
        diag_error(s->dg, s->file, 0, 0, "its entry 0x%llx is not in its code", (unsigned long long)im->entry);
        return false;
    }
    read_sections(im, s);
    return true;
}

bool rv_image_recognise(const u8 *bytes, size_t n) { return is_elf(bytes, n) || is_pocl(bytes, n) || is_vxbin(bytes, n); }

bool rv_image_read(struct rv_image *im, const char *file, const u8 *bytes, size_t n, struct diag *dg) {
    struct source s = {file, bytes, n, dg};
    size_t len = strlen(file);
    bool elf_name = len > 4 && strcmp(file + len - 4, ".elf") == 0;
    *im = (struct rv_image){.kind = "flat image"};
    bool ok = elf_name || (n >= 4 && memcmp(bytes,
                                            "\x7F"
                                            "ELF",
                                            4) == 0)
                  ? read_elf(im, &s)
              : is_pocl(bytes, n)                                ? read_pocl(im, &s)
              : is_vxbin(bytes, n)                               ? read_vxbin(im, &s)
              : len > 6 && strcmp(file + len - 6, ".vxbin") == 0 ? bad_vxbin(&s)
              : len > 5 && strcmp(file + len - 5, ".pocl") == 0  ? bad(&s, "not a .pocl container: it begins with poclbin")
                                                                 : read_flat(im, &s, RV_BASE, bytes, n, 0);
    if (!ok) rv_image_free(im);
    return ok;
}

void rv_image_free(struct rv_image *im) {
    free(im->segments.at);
    free(im->symbols.at);
    arena_free(&im->arena);
}
