/* A function's blocks back to text, with what is placed (place.c): what it is written as, and where v3 keeps
 * and fetches gp. */
#include "riscv/lib/layout.h"
#include "riscv/place.h"

/* What is placed, as it is written for each variant. keep and fetch: gp to the thread's word of a level, %d
 * of tp, and back. */
struct wording {
    const char *split, *join, *enter_loop, *pred, *leave_loop;
    const char *keep, *fetch; /* NULL: nothing has to be kept */
    bool whole_word;          /* what is said of t6 is whether it is 0, else its bit 0 */
};
static const struct wording wordings[] = {
    [RV_2021] = {.split = "\t.insn s 0x6b, 2, x0, 0(t6)\n",
                 .join = "\t.insn s 0x6b, 3, x0, 0(x0)\n",
                 .enter_loop = "\t.insn s 0x6b, 2, x0, 0(sp)\n",
                 .pred = "\t.insn s 0x6b, 0, x1, 0(t6)\n",
                 .leave_loop = "\t.insn s 0x6b, 3, x0, 0(x0)\n",
                 .whole_word = true},
    [RV_V3] = {.split = "\t.insn r 0x0b, 2, 0, gp, t6, x0\n",
               .join = "\t.insn r 0x0b, 3, 0, x0, gp, x0\n",
               .enter_loop = "\tcsrr\tgp, 0xcc4\n",
               .pred = "\t.insn r 0x0b, 5, 0, x0, t6, gp\n",
               .leave_loop = "",
               .keep = "\tsw\tgp, %d(tp)\n",
               .fetch = "\tlw\tgp, %d(tp)\n"},
};

/* --- v3: what gp holds, and which words are needed */

static i32 gp_at_end(const struct block *b) {
    if (b->calls) return NONE;
    return b->opens == OPENS_LOOP ? b->level : b->opens == OPENS_BEHIND_IF ? b->level - 1 : b->gp;
}

static bool fetches_at_opens(const struct block *b) { return b->opens == OPENS_BEHIND_IF && b->gp != b->level - 1; }
static bool fetches_at_end(const struct block *b) { return b->placed && b->exits && gp_at_end(b) != level_behind(b) - 1; }

static u64 word_of(i32 level) { return level < 64 ? 1ull << level : 0; }
static bool wanted(u64 fetched, i32 level) { return level >= 64 || (fetched & word_of(level)); }

/* Levels that are fetched behind a block, and before its last instruction */
static u64 behind(const struct function *f, const struct block *b) {
    u64 s = 0;
    for (u32 i = 0; i < succs(b); i++) s |= f->blocks.at[b->succ[i]].fetched;
    return s;
}
static u64 before_end(const struct block *b, u64 s) {
    if (fetches_at_end(b)) s |= word_of(level_behind(b) - 1);
    return b->placed && !b->exits ? s & ~word_of(level_behind(b)) : s;
}

/* Forward; along a lane's own way, since whoever is off keeps its gp */
static void flow_gp(struct function *f) {
    for (u32 i = 0; i < f->blocks.n; i++) {
        struct block *b = &f->blocks.at[i];
        b->gp = i ? GP_UNSEEN : NONE;
        b->calls = b->text_b && memmem(b->text, b->text_b, "\tcall\t", 6);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = 0; i < f->blocks.n; i++) {
            const struct block *b = &f->blocks.at[i];
            if (b->gp == GP_UNSEEN) continue;
            i32 now = !b->placed ? gp_at_end(b) : level_behind(b) - b->exits;
            for (u32 k = 0; k < succs(b); k++) {
                i32 *to = &f->blocks.at[b->succ[k]].gp, was = *to;
                *to = was == GP_UNSEEN || was == now ? now : NONE;
                changed = changed || *to != was;
            }
        }
    }
}

static void flow_fetched(struct function *f) {
    for (u32 i = 0; i < f->blocks.n; i++) f->blocks.at[i].fetched = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 i = f->blocks.n; i-- > 0;) {
            struct block *b = &f->blocks.at[i];
            if (b->level == NONE) continue; /* never come to */
            u64 now = before_end(b, behind(f, b));
            if (b->opens == OPENS_LOOP) now &= ~word_of(b->level);
            if (fetches_at_opens(b)) now |= word_of(b->level - 1);
            changed = changed || now != b->fetched;
            b->fetched = now;
        }
    }
}

/* --- blocks to text */

/* t6: whether the branch is taken, or is not; 1 if so, or with whole_word any word but 0 */
static void add_taken(struct strbuf *out, const char *op, size_t n, bool negated, bool whole_word) {
    char word[8] = "", a[8] = "", b[8] = "";
    char text[64];
    snprintf(text, sizeof(text), "%.*s", (int)n, op);
    sscanf(text, "%7s %7[^, ], %7s", word, a, b);
    size_t len = strlen(word);
    bool zero = len > 1 && word[len - 1] == 'z';
    if (zero) strcpy(b, "zero"), word[len - 1] = 0;
    bool is_unsigned = word[strlen(word) - 1] == 'u';
    bool less = strncmp(word, "blt", 3) == 0, least = strncmp(word, "bge", 3) == 0, more = strncmp(word, "bgt", 3) == 0,
         most = strncmp(word, "ble", 3) == 0;
    const char *slt = is_unsigned ? "sltu" : "slt";
    if (less || least) strbuf_add(out, "\t%s\tt6, %s, %s\n", slt, a, b);
    else if (more || most) strbuf_add(out, "\t%s\tt6, %s, %s\n", slt, b, a);
    else strbuf_add(out, "\txor\tt6, %s, %s\n", a, b);
    bool differs = !less && !least && !more && !most;
    if ((least || most || strcmp(word, "beq") == 0) != negated) strbuf_add(out, "\tseqz\tt6, t6\n");
    else if (differs && !whole_word) strbuf_add(out, "\tsnez\tt6, t6\n");
}

/* The thread's word for what is placed at a level of the function, as an offset from tp */
static void add_moved(const struct function *f, const char *text, i32 level, struct strbuf *out) {
    const char *at = strstr(text, "%d");
    int offset = -(ITEM_B + 4 * ((int)f->taken->nests + level + 1));
    strbuf_add(out, "%.*s%d%s", (int)(at - text), text, offset, at + 2);
}

static void add_opens(const struct function *f, const struct block *b, struct strbuf *out) {
    const struct wording *w = &wordings[f->taken->variant];
    if (w->fetch && fetches_at_opens(b)) add_moved(f, w->fetch, b->level - 1, out);
    switch ((enum opens)b->opens) {
    case OPENS_NOTHING: break;
    case OPENS_LOOP: strbuf_add(out, "%s", w->enter_loop); break;
    case OPENS_BEHIND_LOOP: strbuf_add(out, "%s", w->leave_loop); break;
    case OPENS_BEHIND_IF: strbuf_add(out, "%s", w->join); break;
    }
    if (w->keep && b->opens == OPENS_LOOP && wanted(before_end(b, behind(f, b)), b->level)) add_moved(f, w->keep, b->level, out);
}

static void add_split(const struct function *f, const struct block *b, struct strbuf *out) {
    const struct wording *w = &wordings[f->taken->variant];
    strbuf_add(out, "%s", w->split);
    if (w->keep && wanted(behind(f, b), level_behind(b))) add_moved(f, w->keep, level_behind(b), out);
}

static void add_pred(const struct function *f, const struct block *b, struct strbuf *out) {
    const struct wording *w = &wordings[f->taken->variant];
    if (w->fetch && fetches_at_end(b)) add_moved(f, w->fetch, level_behind(b) - 1, out);
    strbuf_add(out, "%s", w->pred);
}

static void add_branch(const struct function *f, const struct block *b, struct strbuf *out) {
    const struct wording *w = &wordings[f->taken->variant];
    if (b->placed && !b->ready) add_taken(out, b->op, b->op_b, b->exits && !b->stays_taken, w->whole_word);
    if (b->placed && b->exits) add_pred(f, b, out);
    else if (b->placed) add_split(f, b, out);
    strbuf_add(out, "\t%.*s, .Lrv%u_%u\n", (int)b->op_b, b->op, f->number, b->succ[0]);
}

static void add_end(const struct function *f, const struct block *b, u32 next, struct strbuf *out) {
    if (b->returns) strbuf_add(out, "\tret\n");
    if (b->end == END_LEAVES) return;
    u32 onward = b->succ[b->end == END_BRANCH];
    if (b->end == END_BRANCH) add_branch(f, b, out);
    if (onward != next) strbuf_add(out, "\tj\t.Lrv%u_%u\n", f->number, onward);
}

static void emit(const struct function *f, struct strbuf *out) {
    for (u32 i = 0; i < f->order.n; i++) {
        const struct block *b = &f->blocks.at[f->order.at[i]];
        strbuf_add(out, ".Lrv%u_%u:\n", f->number, f->order.at[i]);
        add_opens(f, b, out);
        strbuf_add(out, "%.*s", (int)b->text_b, b->text);
        if (b->text_b && b->text[b->text_b - 1] != '\n') strbuf_add(out, "\n");
        add_end(f, b, i + 1 < f->order.n ? f->order.at[i + 1] : UINT32_MAX, out);
    }
}

void place_write(struct function *f, struct strbuf *out) {
    if (f->taken->variant == RV_V3) flow_gp(f), flow_fetched(f);
    emit(f, out);
}
