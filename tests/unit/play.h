/* play: run one kernel given as text, through heddle.h only, and look at what came of it: memory, counts,
 * message.
 *
 *     const uint32_t *out = PLAY(.text = KERNEL("add.u32 %r1, %r0, 5;\n" STORE("%r1")), .block = {32});
 *     assert_int_equal(out[3], 8);
 *
 * The kernel is always k(out). When its body starts, %rd0 is out and %r0 is %tid.x. Each play has a context
 * of its own. */
#ifndef HEDDLE_TEST_PLAY_H
#define HEDDLE_TEST_PLAY_H

#include "heddle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PTX_HEAD(target) ".version 8.0\n.target " target "\n.address_size 64\n"
#define KERNEL_OPEN                                                                                                              \
    ".visible .entry k(.param .u64 out)\n{\n"                                                                                    \
    "    .reg .pred %p<8>;\n"                                                                                                    \
    "    .reg .b16 %h<16>;\n"                                                                                                    \
    "    .reg .b32 %r<32>;\n"                                                                                                    \
    "    .reg .b64 %rd<32>;\n"                                                                                                   \
    "    .reg .f32 %f<16>;\n"                                                                                                    \
    "    .reg .f64 %d<16>;\n"                                                                                                    \
    "    ld.param.u64 %rd0, [out];\n"                                                                                            \
    "    mov.u32 %r0, %tid.x;\n"
#define KERNEL_CLOSE          "    ret;\n}\n"
#define MODULE(globals, body) PTX_HEAD("sm_80") globals KERNEL_OPEN body KERNEL_CLOSE
#define KERNEL(body)          MODULE("", body)

/* %rd31 becomes the address of this thread's word of out, %r30 its index (one dimension); five
 * instructions */
#define SLOT                                                                                                                     \
    "mov.u32 %r30, %ctaid.x;\n"                                                                                                  \
    "mov.u32 %r31, %ntid.x;\n"                                                                                                   \
    "mad.lo.u32 %r30, %r30, %r31, %r0;\n"                                                                                        \
    "mul.wide.u32 %rd31, %r30, 4;\n"                                                                                             \
    "add.u64 %rd31, %rd0, %rd31;\n"
/* out[this thread] = a register; six instructions */
#define STORE(reg) SLOT "st.global.u32 [%rd31], " reg ";\n"

enum { PLAY_WORDS = 4096, PLAY_FILE_TEXT = 1 << 16 };

struct play {
    const char *text;
    uint32_t grid[3], block[3]; /* 0 means 1 */
    uint32_t dynamic_shared_b;
    const uint32_t *init; /* the first words of out before the launch; zero after them, and all zero when NULL */
    uint32_t ninit;
    uint32_t words; /* size of out; 0 means PLAY_WORDS */
    struct heddle_options options;
};

struct played {
    int status;
    bool survived; /* a plain launch in the same context afterwards did its work */
    struct heddle_result r;
    uint32_t out[PLAY_WORDS];
    char message[8192];
};

static struct played played; /* of the last play */

static inline struct heddle_module *play_load(struct heddle *h, const char *name, const char *text) {
    struct heddle_module *m = NULL;
    if (heddle_module_load(h, name, text, strlen(text), &m)) fail_msg("%s", heddle_message(h));
    return m;
}

/* Launches k(out) of m */
static inline int play_launch(struct heddle *h, struct heddle_module *m, const struct play *p, uint64_t out,
                              struct heddle_result *r) {
    struct heddle_arg arg = {&out, sizeof out};
    struct heddle_launch l = {.dynamic_shared_b = p->dynamic_shared_b, .args = &arg, .nargs = 1};
    for (int i = 0; i < 3; i++) {
        l.grid[i] = p->grid[i] ? p->grid[i] : 1;
        l.block[i] = p->block[i] ? p->block[i] : 1;
    }
    return heddle_launch(h, heddle_module_kernel(m, "k"), &l, r);
}

static inline bool play_again(struct heddle *h) {
    struct heddle_module *m = play_load(h, "again.ptx", KERNEL("add.u32 %r1, %r0, 77;\n" STORE("%r1")));
    const struct play p = {.grid = {3}, .block = {40}};
    uint64_t out = heddle_alloc(h, 480);
    uint32_t got[120];
    struct heddle_result r;
    if (!out || play_launch(h, m, &p, out, &r) || heddle_read(h, out, got, sizeof got)) return false;
    for (uint32_t i = 0; i < 120; i++)
        if (got[i] != i % 40 + 77) return false;
    return true;
}

/* Status, counts, message and memory go to `played` */
static inline void play_any(const struct play *p) {
    uint32_t words = p->words ? p->words : PLAY_WORDS;
    assert_in_range(words, 1, PLAY_WORDS);
    memset(&played, 0, sizeof played);
    struct heddle *h = heddle_open(&p->options);
    assert_non_null(h);
    struct heddle_module *m = play_load(h, "t.ptx", p->text);
    uint64_t out = heddle_alloc(h, words * 4);
    if (p->init) assert_int_equal(heddle_write(h, out, p->init, p->ninit * 4), HEDDLE_OK);
    played.status = play_launch(h, m, p, out, &played.r);
    snprintf(played.message, sizeof played.message, "%s", heddle_message(h));
    assert_int_equal(heddle_read(h, out, played.out, words * 4), HEDDLE_OK);
    if (played.status) played.survived = play_again(h);
    heddle_close(h);
}

static inline const uint32_t *play_well(const struct play *p) {
    play_any(p);
    if (played.status) fail_msg("the launch ended with %d: %s", played.status, played.message);
    return played.out;
}
#define PLAY(...) play_well(&(struct play){__VA_ARGS__})

/* The launch is a fault; the message has `what`, the kernel, the block and `who` (a thread, or a warp's
 * lanes), and, where the text marks an instruction with "// here", its line; the context can still be
 * used. */
static inline void play_fault(const char *what, const char *who, const struct play *p) {
    play_any(p);
    if (played.status != HEDDLE_FAULT) fail_msg("expected a fault (%s), got status %d: %s", what, played.status, played.message);
    char at[32] = "t.ptx:";
    const char *mark = strstr(p->text, "// here");
    int line = 1;
    for (const char *c = p->text; mark && c < mark; c++) line += *c == '\n';
    if (mark) snprintf(at, sizeof at, "t.ptx:%d:", line);
    const char *parts[] = {what, who, at, "kernel 'k'", "block ("};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(played.message, parts[i])) fail_msg("\"%s\" is not in the diagnosis:\n%s", parts[i], played.message);
    if (!played.survived) fail_msg("after \"%s\" the context is not usable", what);
}
#define FAULT(what, who, ...) play_fault(what, who, &(struct play){__VA_ARGS__})

/* out[i] == want for i in [0, n), want being an expression in i */
#define EACH(n, want)                                                                                                            \
    for (uint32_t i = 0; i < (n); i++)                                                                                           \
        if (played.out[i] != (uint32_t)(want)) fail_msg("out[%u] is 0x%x, expected 0x%x", i, played.out[i], (uint32_t)(want))

/* What was written to a stream, as text; valid until the next call */
static inline const char *play_text(FILE *f) {
    static char text[PLAY_FILE_TEXT];
    fflush(f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    return text;
}

static inline uint32_t play_lines(const char *text) {
    uint32_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

#endif
