/* Split, join and pred into clang's assembly, for isa.vortex.diverge = split: there a branch goes where the
 * leading lane goes, so every branch at which lanes may part has to be told to the hardware.
 *
 * An if: split before the branch, join on every way into its immediate post-dominator; each side comes to
 * the join once. A loop that lanes leave at different times: on the way in the mask is saved, pred at the
 * exit switches off those that leave while others stay, and behind it all go on. A loop that is left at
 * several places, or from inside an if, leaves at its end: the place is written down in the thread's own
 * memory, and behind the loop lanes go from there where they wanted to.
 *
 * 2021: a split that parts nobody saves a loop's mask, and a join behind the loop restores it. v3: split says
 * how deep the stack is, and join wants to hear it again; pred restores a loop's mask when nobody stays, and
 * has to be told the mask. gp, which nobody else uses, holds that of the innermost split or loop; others' are
 * kept in words of the thread, one for each level at which splits and loops nest in a function, and fetched.
 *
 * Which branches: those whose operands may differ between lanes. A value is the same in all lanes when it is
 * computed from such values (constants, loads from one address) outside of everything that a branch parts. A
 * comment "heddle uniform REG" (lib/items.h) says so of a register. Branches that decide about coming to a
 * barrier are left alone: all items of a group come to it or none.
 *
 * A side of an if that can be entered from elsewhere is copied. Not placed, but refused with the function's
 * name: control flow that is not reducible, indirect jumps. x31 (t6) is kept free by -ffixed-x31.
 *
 * P1 every way through a function executes as many joins as splits, a loop's counted with them   P2 nothing
 * is placed around a barrier, so words of a thread serve all its items   P3 v3: words of functions are apart,
 * so a function may be called from inside of another's split */
#include "isa/isa.h"
#include "riscv/compile.h"
#include "riscv/lib/layout.h"
#include "riscv/riscv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 4000, GP_UNSEEN = -2 };

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

enum end { END_FALLS, END_BRANCH, END_LEAVES };
enum opens { OPENS_NOTHING, OPENS_LOOP, OPENS_BEHIND_LOOP, OPENS_BEHIND_IF }; /* a block, with what is placed */
struct block {
    const char *text; /* lines but the last instruction, if that is a jump or branch */
    size_t text_b;
    const char *op; /* END_BRANCH: mnemonic and operands, the target and the comma before it left out */
    size_t op_b;
    u8 end, opens;                          /* enum end, enum opens */
    bool ready;                             /* END_BRANCH: t6 says whether it is taken */
    bool returns;                           /* END_LEAVES: with a return */
    bool barrier, divergent, placed, exits; /* exits: pred, not split, tells of it */
    bool early;                             /* placed up to where its ways come together, though they may part again */
    bool stays_taken;                       /* exits: those that take the branch stay */
    u32 succ[2];                            /* taken, else next; END_FALLS: the first */
    u64 uniform;                            /* registers (x, f) that are the same in all lanes on entry */
    i32 level;                              /* splits and loops around its beginning, or NONE */
    bool calls;                             /* a function, which may use gp */
    i32 gp;                                 /* on entry: the level whose word it holds, NONE, or GP_UNSEEN */
    u64 fetched;                            /* on entry: levels below 64 whose words are fetched before they are kept anew */
};

struct function {
    const char *file, *name;
    struct arena *arena;
    struct diag *dg;
    VEC(struct block) blocks;
    VEC(u32) order; /* as they will stand */
    u32 words;      /* of a set of blocks */
    u64 *dom, *post;
    u32 *post_n;            /* how many post-dominate a block, itself among them */
    struct rv_words *taken; /* of the file, up to this function */
    u32 number, levels;
};

static bool refuse(struct function *f, const char *why) {
    diag_error(f->dg, f->file, 0, 0,
               "function %s has %s, into which split and join cannot be placed: isa.vortex.diverge = ipdom runs it", f->name,
               why);
    return false;
}

/* --- sets of blocks */

static bool has(const u64 *s, u32 i) { return s[i / 64] >> i % 64 & 1; }
static void put(u64 *s, u32 i) { s[i / 64] |= 1ull << i % 64; }
/* With room for blocks that are yet to be made */
static u64 *new_set(struct function *f) { return ARENA_ARRAY(f->arena, u64, f->words + MOST_BLOCKS / 64 + 64); }
static u32 succs(const struct block *b) { return b->end == END_BRANCH ? 2 : b->end == END_FALLS ? 1 : 0; }

static u32 set_size(const struct function *f, const u64 *s) {
    u32 n = 0;
    for (u32 i = 0; i < f->words; i++) n += (u32)__builtin_popcountll(s[i]);
    return n;
}

/* Blocks that can be reached from b's successors without passing `without` */
static u64 *reach(struct function *f, u32 b, u32 without) {
    u64 *s = new_set(f);
    VEC(u32) stack = {0};
    VEC_PUSH(&stack, b);
    while (stack.n) {
        const struct block *x = &f->blocks.at[stack.at[--stack.n]];
        for (u32 i = 0; i < succs(x); i++) {
            if (x->succ[i] == without || has(s, x->succ[i])) continue;
            put(s, x->succ[i]);
            VEC_PUSH(&stack, x->succ[i]);
        }
    }
    free(stack.at);
    return s;
}

/* dom: by whom a block is dominated; post: by whom post-dominated. Both from nothing, by iteration. */
static void find_dominators(struct function *f) {
    u32 n = f->blocks.n;
    f->words = (n + 63) / 64;
    f->dom = ARENA_ARRAY(f->arena, u64, (size_t)n * f->words);
    f->post = ARENA_ARRAY(f->arena, u64, (size_t)n * f->words);
    memset(f->dom, 0xFF, (size_t)n * f->words * 8);
    memset(f->post, 0xFF, (size_t)n * f->words * 8);
    memset(f->dom, 0, f->words * 8);
    put(f->dom, 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < n; b++) /* what b has, its successors may have */
            for (u32 i = 0; i < succs(&f->blocks.at[b]); i++) {
                u32 to = f->blocks.at[b].succ[i];
                for (u32 w = 0; w < f->words && to; w++) {
                    u64 *d = &f->dom[(size_t)to * f->words + w], own = to / 64 == w ? 1ull << to % 64 : 0;
                    u64 now = *d & (f->dom[(size_t)b * f->words + w] | own);
                    changed = changed || now != *d;
                    *d = now;
                }
            }
        for (u32 b = n; b-- > 0;)
            for (u32 w = 0; w < f->words; w++) {
                const struct block *x = &f->blocks.at[b];
                u64 now = succs(x) ? ~0ull : 0;
                for (u32 i = 0; i < succs(x); i++) now &= f->post[(size_t)x->succ[i] * f->words + w];
                if (b / 64 == w) now |= 1ull << b % 64;
                changed = changed || now != f->post[(size_t)b * f->words + w];
                f->post[(size_t)b * f->words + w] = now;
            }
    }
    u64 *live = reach(f, 0, n);
    for (u32 b = 1; b < n; b++) /* nobody dominates what is never come to */
        if (!has(live, b)) memset(&f->dom[(size_t)b * f->words], 0, f->words * 8);
    f->post_n = ARENA_ARRAY(f->arena, u32, n);
    for (u32 b = 0; b < n; b++) f->post_n[b] = set_size(f, &f->post[(size_t)b * f->words]);
}

static bool dominates(const struct function *f, u32 a, u32 b) { return has(&f->dom[(size_t)b * f->words], a); }

/* The immediate post-dominator: of all, the one that most others post-dominate; or the count of blocks */
static u32 meeting_of(const struct function *f, u32 b) {
    u32 best = f->blocks.n, most = 0;
    for (u32 p = 0; p < f->blocks.n; p++) {
        if (p == b || !has(&f->post[(size_t)b * f->words], p)) continue;
        if (f->post_n[p] > most) most = f->post_n[p], best = p;
    }
    return best;
}

/* --- registers */

static const char *const reg_names[64] = {
    "zero", "ra",  "sp",  "gp",  "tp",  "t0",  "t1",  "t2",  "s0",  "s1",  "a0",   "a1",   "a2",  "a3",  "a4",   "a5",
    "a6",   "a7",  "s2",  "s3",  "s4",  "s5",  "s6",  "s7",  "s8",  "s9",  "s10",  "s11",  "t3",  "t4",  "t5",   "t6",
    "ft0",  "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
    "fa6",  "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

/* The next register that is named between at and end; NONE when none is. `at` moves behind it. */
static i32 next_register(const char **at, const char *end) {
    for (const char *p = *at; p < end;) {
        size_t n = 0;
        while (p + n < end && (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '.' || p[n] == '%')) n++;
        for (u32 r = 0; r < 64 && n; r++)
            if (strlen(reg_names[r]) == n && strncmp(reg_names[r], p, n) == 0) {
                *at = p + n;
                return (i32)r;
            }
        p += n ? n : 1;
    }
    return NONE;
}

static bool op_is(const char *op, size_t n, const char *list) {
    char word[16];
    snprintf(word, sizeof(word), "%.*s", (int)n, op);
    return text_in_list(list, word);
}

/* One line's effect on the registers that are the same in all lanes */
static u64 after_line(const char *line, const char *end, u64 uniform, bool parted) {
    const u64 saved = 1ull | 1ull << 3 | 0xFFC0300ull; /* zero, gp, s0 to s11 outlive a call; fs do not here */
    const char *mark = memmem(line, (size_t)(end - line), "# heddle uniform ", 17), *at = line;
    if (mark) {
        at = mark + 17;
        i32 r = next_register(&at, end);
        return r == NONE ? uniform : uniform | 1ull << r;
    }
    if (*line != '\t' || line[1] == '.' || line[1] == '#') return uniform;
    const char *op = line + 1;
    size_t n = strcspn(op, " \t\n");
    at = op + n;
    if (op_is(op, n, "sw sh sb fsw")) return uniform;
    if (op_is(op, n, "call")) return uniform & saved;
    i32 to = next_register(&at, end);
    if (to == NONE) return uniform;
    bool same = !parted && strncmp(op, "amo", 3) && strncmp(op, "csr", 3) && strncmp(op, "lr.", 3) && strncmp(op, "sc.", 3);
    for (i32 r; same && (r = next_register(&at, end)) != NONE;) same = uniform >> r & 1;
    return to == 0 ? uniform : same ? uniform | 1ull << to : uniform & ~(1ull << to);
}

static u64 after_block(const struct block *b, bool parted, u64 uniform) {
    for (const char *at = b->text, *stop = b->text + b->text_b; at < stop;) {
        const char *end = memchr(at, '\n', (size_t)(stop - at));
        const char *comment;
        if (!end) end = stop;
        comment = memchr(at, '#', (size_t)(end - at));
        bool mark = comment && memmem(at, (size_t)(end - at), "# heddle uniform ", 17);
        uniform = after_line(at, comment && !mark ? comment : end, uniform, parted);
        at = end + 1;
    }
    return uniform;
}

/* Whether a barrier can be reached before the ways of b meet */
static bool decides_barrier(const struct function *f, const u64 *region) {
    for (u32 i = 0; i < f->blocks.n; i++)
        if (f->blocks.at[i].barrier && has(region, i)) return true;
    return false;
}

static void flow_uniform(struct function *f, const u64 *parted) {
    const u64 at_entry = 1 | 1ull << 3;
    for (u32 i = 0; i < f->blocks.n; i++) f->blocks.at[i].uniform = i ? ~0ull : at_entry;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->blocks.n; b++) {
            const struct block *x = &f->blocks.at[b];
            u64 out = after_block(x, has(parted, b), x->uniform);
            for (u32 i = 0; i < succs(x); i++) {
                u64 *to = &f->blocks.at[x->succ[i]].uniform, now = *to & out;
                changed = changed || now != *to;
                *to = now;
            }
        }
    }
}

static bool operands_differ(const struct block *b, bool parted) {
    u64 uniform = after_block(b, parted, b->uniform);
    const char *at = b->op + strcspn(b->op, " \t"), *end = b->op + b->op_b;
    for (i32 r; (r = next_register(&at, end)) != NONE;)
        if (!(uniform >> r & 1)) return true;
    return false;
}

/* What only one of b's ways comes by; b itself, when only one comes around to it */
static u64 *sides_of(struct function *f, u32 b) {
    u64 *way[2], *own = new_set(f);
    for (u32 i = 0; i < 2; i++) {
        u32 from = f->blocks.at[b].succ[i];
        way[i] = from == b ? new_set(f) : reach(f, from, b);
        put(way[i], from);
        for (u32 u = 0; u < f->blocks.n; u++)
            for (u32 k = 0; k < succs(&f->blocks.at[u]) && has(way[i], u) && u != b; k++)
                if (f->blocks.at[u].succ[k] == b) put(way[i], b);
    }
    for (u32 w = 0; w < f->words; w++) own[w] = way[0][w] ^ way[1][w];
    return own;
}

/* --- loops */

struct loop {
    u32 header;
    u64 *body;
    u32 backs;      /* ways back to the header */
    u32 exits, out; /* ways out; the block of the last one */
    bool one_exit;  /* all from that block */
};

static struct loop loop_of(struct function *f, u32 header) {
    struct loop l = {.header = header, .body = new_set(f), .one_exit = true};
    for (u32 b = 0; b < f->blocks.n; b++)
        for (u32 i = 0; i < succs(&f->blocks.at[b]); i++)
            if (f->blocks.at[b].succ[i] == header && dominates(f, header, b)) put(l.body, b), l.backs++;
    if (!l.backs) return l;
    put(l.body, header);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->blocks.n; b++)
            for (u32 i = 0; i < succs(&f->blocks.at[b]) && !has(l.body, b); i++) {
                u32 to = f->blocks.at[b].succ[i];
                if (to != header && has(l.body, to) && dominates(f, header, b)) put(l.body, b), changed = true;
            }
    }
    for (u32 b = 0; b < f->blocks.n; b++)
        for (u32 i = 0; i < succs(&f->blocks.at[b]) && has(l.body, b); i++) {
            if (has(l.body, f->blocks.at[b].succ[i])) continue;
            l.one_exit = l.one_exit && (!l.exits || l.out == b);
            l.exits++;
            l.out = b;
        }
    return l;
}

/* b leaves a loop with a barrier: it decides how often that is come to, even where an outer loop comes to it
 * again from both of b's ways */
static bool leaves_barriers(struct function *f, u32 b) {
    const struct block *x = &f->blocks.at[b];
    for (u32 h = 0; h < f->blocks.n; h++) {
        if (!dominates(f, h, b)) continue;
        struct loop l = loop_of(f, h);
        bool leaves = l.backs && has(l.body, b) && !(has(l.body, x->succ[0]) && has(l.body, x->succ[1]));
        if (leaves && decides_barrier(f, l.body)) return true;
    }
    return false;
}

/* --- who may part */

/* Lanes that part at b come by barriers before they surely meet. Where the barriers lie behind the place at
 * which both ways come together, b is told of up to there; otherwise b decides who comes to them, and all
 * items of a group decide alike. */
static bool parts_before_barrier(struct function *f, u32 b, u64 **region) {
    *region = sides_of(f, b);
    return !decides_barrier(f, *region) && !leaves_barriers(f, b);
}

/* Which branches may part lanes; what they part makes values differ, and that more branches */
static void find_divergent(struct function *f) {
    u64 *parted = new_set(f);
    for (bool changed = true; changed;) {
        changed = false;
        flow_uniform(f, parted);
        for (u32 b = 0; b < f->blocks.n; b++) {
            struct block *x = &f->blocks.at[b];
            if (x->end != END_BRANCH || x->divergent || !operands_differ(x, has(parted, b))) continue;
            u64 *region = reach(f, b, meeting_of(f, b));
            x->early = decides_barrier(f, region);
            if (x->early && !parts_before_barrier(f, b, &region)) continue;
            x->divergent = changed = true;
            for (u32 w = 0; w < f->words; w++) parted[w] |= region[w];
        }
        for (u32 b = 0; b < f->blocks.n; b++) { /* the way out of a loop from where lanes are parted is one for some of them */
            struct block *x = &f->blocks.at[b];
            if (x->end != END_BRANCH || x->divergent || !has(parted, b)) continue;
            u64 *region = reach(f, b, meeting_of(f, b));
            if (!has(region, b) || decides_barrier(f, region)) continue;
            x->divergent = changed = true;
            for (u32 w = 0; w < f->words; w++) parted[w] |= region[w];
        }
    }
}

/* --- changing the graph */

static u32 add_block(struct function *f, struct block b, u32 before) {
    u32 id = f->blocks.n, at = 0;
    VEC_PUSH(&f->blocks, b);
    VEC_PUSH(&f->order, id);
    while (at + 1 < f->order.n && f->order.at[at] != before) at++;
    memmove(&f->order.at[at + 1], &f->order.at[at], (f->order.n - 1 - at) * sizeof(u32));
    f->order.at[at] = id;
    return id;
}

static u32 add_text(struct function *f, const char *text, u32 to, u32 before) {
    return add_block(f, (struct block){.text = text, .text_b = strlen(text), .end = END_FALLS, .succ = {to, 0}}, before);
}

static u32 add_opening(struct function *f, enum opens opens, const char *text, u32 to, u32 before) {
    u32 b = add_text(f, text, to, before);
    f->blocks.at[b].opens = (u8)opens;
    return b;
}

/* Ways from blocks of a set (or from outside of it) to `from` lead to `to` instead */
static void redirect(struct function *f, const u64 *set, bool inside, u32 from, u32 to) {
    for (u32 b = 0; b < f->blocks.n; b++) {
        bool in = has(set, b);
        if (b == to || in != inside) continue;
        for (u32 i = 0; i < succs(&f->blocks.at[b]); i++)
            if (f->blocks.at[b].succ[i] == from) f->blocks.at[b].succ[i] = to;
    }
}

/* --- changing loops */

/* Some lanes may leave it before others */
static bool leaves_apart(const struct function *f, const struct loop *l) {
    for (u32 b = 0; b < f->blocks.n; b++) {
        const struct block *x = &f->blocks.at[b];
        if (!has(l->body, b) || !x->divergent || x->placed) continue;
        if (!has(l->body, x->succ[0]) || !has(l->body, x->succ[1])) return true;
    }
    return false;
}

/* Every round comes by the one block that leaves */
static bool passes_exit(struct function *f, const struct loop *l) {
    if (!l->one_exit) return false;
    if (l->out == l->header) return true;
    u64 *seen = new_set(f);
    put(seen, l->header);
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->blocks.n; b++)
            for (u32 i = 0; i < succs(&f->blocks.at[b]) && has(seen, b) && b != l->out; i++) {
                u32 to = f->blocks.at[b].succ[i];
                if (to == l->header) return false;
                if (has(l->body, to) && !has(seen, to)) put(seen, to), changed = true;
            }
    }
    return true;
}

static void place_simple(struct function *f, const struct loop *l) {
    struct block *e = &f->blocks.at[l->out];
    bool taken_stays = has(l->body, e->succ[0]);
    u32 target = e->succ[taken_stays];
    e->placed = e->exits = true;
    e->stays_taken = taken_stays;
    u32 join = add_opening(f, OPENS_BEHIND_LOOP, "", target, target);
    redirect(f, l->body, true, target, join);
    if (l->backs > 1) redirect(f, l->body, true, l->header, add_text(f, "", l->header, join));
}

/* All ways out lead to the loop's end, and from behind it to where they wanted */
static bool place_general(struct function *f, const struct loop *l, char *offset) {
    u32 n = f->blocks.n, targets[32], many = 0;
    if (l->exits > ARRAY_LEN(targets)) return refuse(f, "a loop with more than 32 ways out");
    struct block end = {.op = "bnez\tt6",
                        .op_b = 7,
                        .end = END_BRANCH,
                        .ready = true,
                        .divergent = true,
                        .placed = true,
                        .exits = true,
                        .stays_taken = true};
    end.text = arena_printf(f->arena, "\tlw\tt6, %s\n\tseqz\tt6, t6\n", offset);
    end.text_b = strlen(end.text);
    u32 latch = add_block(f, end, f->blocks.at[l->out].succ[has(l->body, f->blocks.at[l->out].succ[0])]);
    redirect(f, l->body, true, l->header, latch);
    for (u32 b = 0; b < n; b++)
        for (u32 i = 0; i < succs(&f->blocks.at[b]) && has(l->body, b); i++) {
            u32 to = f->blocks.at[b].succ[i], k = 0;
            if (to == latch || has(l->body, to)) continue;
            while (k < many && targets[k] != to) k++;
            if (k == many) targets[many++] = to;
            u32 away = add_text(f, arena_printf(f->arena, "\tli\tt6, %u\n\tsw\tt6, %s\n", k + 1, offset), latch, latch);
            f->blocks.at[b].succ[i] = away;
        }
    u32 next = targets[many - 1];
    for (u32 k = many - 1; k-- > 0;) {
        struct block d = {
            .op = "bnez\tt6", .op_b = 7, .end = END_BRANCH, .ready = true, .divergent = true, .succ = {targets[k], next}};
        d.text = arena_printf(f->arena, "\tlw\tt6, %s\n\taddi\tt6, t6, -%u\n\tseqz\tt6, t6\n", offset, k + 1);
        d.text_b = strlen(d.text);
        next = add_block(f, d, next);
    }
    u32 join = add_opening(f, OPENS_BEHIND_LOOP, "", next, next);
    f->blocks.at[latch].succ[0] = l->header;
    f->blocks.at[latch].succ[1] = join;
    return true;
}

static bool place_loop(struct function *f, const struct loop *l) {
    char offset[32] = "";
    bool simple = passes_exit(f, l) && f->blocks.at[l->out].divergent;
    if (!simple) {
        if (f->taken->exits >= ITEM_EXITS) return refuse(f, "too many loops with several ways out");
        snprintf(offset, sizeof(offset), "%d(tp)", ITEM_EXIT + 4 * (int)f->taken->exits++ - ITEM_B);
    }
    const char *text = simple ? "" : arena_printf(f->arena, "\tsw\tzero, %s\n", offset);
    u32 before = add_opening(f, OPENS_LOOP, text, l->header, l->header);
    redirect(f, l->body, false, l->header, before);
    if (simple) place_simple(f, l);
    return simple || place_general(f, l, offset);
}

/* From the inside out. Each makes blocks, so that all is found anew. */
static bool place_loops(struct function *f) {
    for (;;) {
        struct loop best = {0};
        find_dominators(f);
        for (u32 h = 0; h < f->blocks.n; h++) {
            struct loop l = loop_of(f, h);
            if (!l.backs || !leaves_apart(f, &l)) continue;
            if (!best.body || set_size(f, l.body) < set_size(f, best.body)) best = l;
        }
        if (!best.body) return true;
        if (!best.header) return refuse(f, "a loop that begins with the function");
        if (f->blocks.n > MOST_BLOCKS) return refuse(f, "too many blocks");
        if (!place_loop(f, &best)) return false;
    }
}

/* Without the ways back to blocks that dominate where they come from there is no way around */
static bool reducible(struct function *f) {
    u32 n = f->blocks.n, done = 0, all = 0;
    u32 *waits = ARENA_ARRAY(f->arena, u32, n);
    u64 *live = reach(f, 0, n);
    VEC(u32) ready = {0};
    put(live, 0);
    for (u32 b = 0; b < n; b++)
        for (u32 i = 0; i < succs(&f->blocks.at[b]) && has(live, b); i++)
            waits[f->blocks.at[b].succ[i]] += !dominates(f, f->blocks.at[b].succ[i], b);
    for (u32 b = 0; b < n; b++) all += has(live, b);
    VEC_PUSH(&ready, 0);
    for (; ready.n; done++) {
        u32 b = ready.at[--ready.n];
        for (u32 i = 0; i < succs(&f->blocks.at[b]); i++) {
            u32 to = f->blocks.at[b].succ[i];
            if (!dominates(f, to, b) && --waits[to] == 0) VEC_PUSH(&ready, to);
        }
    }
    free(ready.at);
    return done == all || refuse(f, "control flow that is not reducible");
}

/* --- ifs */

/* Lines without labels and directives, which are there once */
static struct block without_labels(struct function *f, struct block b) {
    struct strbuf out = {0};
    for (const char *at = b.text, *stop = b.text + b.text_b; at < stop;) {
        size_t n = strcspn(at, "\n");
        bool stays =
            isspace((unsigned char)*at) && (at[1] != '.' || strncmp(at, "\t.loc", 5) == 0 || strncmp(at, "\t.insn", 6) == 0);
        if (stays) strbuf_add(&out, "%.*s\n", (int)n, at);
        at += n + 1;
    }
    b.text = out.s ? arena_strdup(f->arena, out.s, out.len) : "";
    b.text_b = out.len;
    strbuf_free(&out);
    return b;
}

/* What stands behind a block */
static u32 after(const struct function *f, u32 b) {
    for (u32 i = 0; i + 1 < f->order.n; i++)
        if (f->order.at[i] == b) return f->order.at[i + 1];
    return UINT32_MAX;
}

/* What b's ways come by and others, too, becomes b's own in a copy. False when there was nothing to copy. */
static bool copy_sides(struct function *f, u32 b, const u64 *region) {
    u32 n = f->blocks.n;
    u32 *copy = ARENA_ARRAY(f->arena, u32, n);
    bool any = false;
    for (u32 x = 0; x < n; x++) {
        if (!has(region, x) || dominates(f, b, x)) continue;
        copy[x] = add_block(f, without_labels(f, f->blocks.at[x]), after(f, x));
        any = true;
    }
    for (u32 x = 0; x < f->blocks.n && any; x++) {
        bool ours = x >= n || x == b || (x < n && has(region, x) && !copy[x]);
        for (u32 i = 0; i < succs(&f->blocks.at[x]) && ours; i++) {
            u32 *to = &f->blocks.at[x].succ[i];
            if (*to < n && copy[*to]) *to = copy[*to];
        }
    }
    return any;
}

static bool place_if(struct function *f, u32 b, u32 meet, u64 *region) {
    if (meet == f->blocks.n || has(region, b)) return refuse(f, "a branch whose ways do not meet");
    if (f->blocks.n > MOST_BLOCKS) return refuse(f, "too many blocks");
    if (copy_sides(f, b, region)) return true; /* and once more */
    put(region, b);
    f->blocks.at[b].placed = true;
    redirect(f, region, true, meet, add_opening(f, OPENS_BEHIND_IF, "", meet, meet));
    return true;
}

/* Joins on all ways out of b's sides: barriers make sure that all lanes take the same one, if only one of
 * them leads to a barrier and one to none */
static bool place_early(struct function *f, u32 b) {
    u64 *sides = sides_of(f, b);
    u32 with = 0, without = 0, n = f->blocks.n;
    if (copy_sides(f, b, sides)) return true;
    put(sides, b);
    for (u32 t = 0; t < n; t++) {
        bool out = false;
        for (u32 u = 0; u < n; u++)
            for (u32 i = 0; i < succs(&f->blocks.at[u]) && has(sides, u); i++)
                out = out || (f->blocks.at[u].succ[i] == t && !has(sides, t));
        if (!out) continue;
        u64 *from = reach(f, t, n);
        put(from, t);
        ++*(decides_barrier(f, from) ? &with : &without);
        redirect(f, sides, true, t, add_opening(f, OPENS_BEHIND_IF, "", t, t));
    }
    f->blocks.at[b].placed = true;
    return (with < 2 && without < 2) || refuse(f, "a branch before a barrier whose ways come together at several places");
}

static bool place_ifs(struct function *f) {
    for (;;) {
        u32 best = UINT32_MAX, least = UINT32_MAX, meet = 0;
        u64 *region = NULL;
        find_dominators(f);
        for (u32 b = 0; b < f->blocks.n; b++) {
            if (!f->blocks.at[b].divergent || f->blocks.at[b].placed) continue;
            u32 m = meeting_of(f, b);
            u64 *r = f->blocks.at[b].early ? sides_of(f, b) : reach(f, b, m);
            u32 n = set_size(f, r);
            if (n < least) least = n, best = b, meet = m, region = r;
        }
        if (best == UINT32_MAX) return true;
        if (!(f->blocks.at[best].early ? place_early(f, best) : place_if(f, best, meet, region))) return false;
    }
}

/* --- text to blocks */

static bool is_op(const char *line, size_t n, const char *list) {
    return n > 1 && line[0] == '\t' && op_is(line + 1, strcspn(line + 1, " \t\n"), list);
}
#define BRANCHES "beq bne blt bge bltu bgeu bgt ble bgtu bleu beqz bnez blez bgez bltz bgtz"

struct target { /* a label, and the block it begins */
    const char *name;
    size_t n;
    u32 block;
};
struct reading {
    struct function *f;
    VEC(struct target) labels;
    struct block now;
    bool open;                /* now has lines */
    VEC(struct target) wants; /* by block: the label its first successor has; n 0: the next block */
};

static void close_block(struct reading *r, enum end end, const char *line, size_t op_b, const char *to, size_t to_b) {
    struct target t = {to, to_b, 0};
    r->now.end = (u8)end;
    r->now.op = line, r->now.op_b = op_b;
    VEC_PUSH(&r->f->blocks, r->now);
    VEC_PUSH(&r->wants, t);
    r->now = (struct block){0};
    r->open = false;
}

static bool read_line(struct reading *r, const char *line, size_t n, const char *const *calls, u32 ncalls) {
    size_t code = strcspn(line, "#\n") < n ? strcspn(line, "#\n") : n;
    while (code && isspace((unsigned char)line[code - 1])) code--;
    if (strncmp(line, ".LBB", 4) == 0) {
        if (r->open) close_block(r, END_FALLS, NULL, 0, NULL, 0);
        struct target t = {line, strcspn(line, ":"), r->f->blocks.n};
        VEC_PUSH(&r->labels, t);
    }
    if (!r->open) r->now.text = line, r->open = true;
    if (is_op(line, code, "jr jalr tail mret unimp ebreak ecall"))
        return refuse(r->f, "a jump that is neither a branch nor a return");
    if (is_op(line, code, BRANCHES " j ret")) {
        const char *last = line + code;
        r->now.text_b = (size_t)(line - r->now.text);
        while (last > line && !isspace((unsigned char)last[-1]) && last[-1] != ',') last--;
        if (is_op(line, code, "ret")) r->now.returns = true, close_block(r, END_LEAVES, NULL, 0, NULL, 0);
        else if (is_op(line, code, "j")) close_block(r, END_FALLS, NULL, 0, last, (size_t)(line + code - last));
        else {
            const char *comma = last;
            while (*comma != ',') comma--;
            close_block(r, END_BRANCH, line + 1, (size_t)(comma - line - 1), last, (size_t)(line + code - last));
        }
        return true;
    }
    for (u32 i = 0; i < ncalls && is_op(line, code, "call"); i++) {
        size_t k = strlen(calls[i]);
        const char *name = line + code - k; /* the whole of it */
        r->now.barrier = r->now.barrier || (code > k && isspace((unsigned char)name[-1]) && strncmp(name, calls[i], k) == 0);
    }
    r->now.text_b = (size_t)(line + n + 1 - r->now.text);
    return true;
}

static bool settle(struct reading *r) {
    struct function *f = r->f;
    for (u32 b = 0; b < f->blocks.n; b++) {
        struct block *x = &f->blocks.at[b];
        u32 place = b + 1;
        for (u32 i = 0; i < r->labels.n && r->wants.at[b].n; i++)
            if (r->labels.at[i].n == r->wants.at[b].n &&
                strncmp(r->labels.at[i].name, r->wants.at[b].name, r->wants.at[b].n) == 0)
                place = r->labels.at[i].block;
        x->succ[0] = place, x->succ[1] = b + 1;
        if (x->end != END_LEAVES && (place >= f->blocks.n || (x->end == END_BRANCH && b + 1 >= f->blocks.n)))
            return refuse(f, "a way out of its text");
        VEC_PUSH(&f->order, b);
    }
    return true;
}

/* Several returns become one, so that their ways meet */
static void join_returns(struct function *f) {
    u32 n = f->blocks.n, returns = 0;
    for (u32 b = 0; b < n; b++) returns += f->blocks.at[b].returns;
    if (returns < 2) return;
    u32 last = add_block(f, (struct block){.text = "", .end = END_LEAVES, .returns = true}, n);
    for (u32 b = 0; b < n; b++)
        if (f->blocks.at[b].returns)
            f->blocks.at[b].returns = false, f->blocks.at[b].end = END_FALLS, f->blocks.at[b].succ[0] = last;
}

/* --- v3: what gp holds, and which words are needed */

static i32 level_behind(const struct block *b) {
    return b->level + (b->opens == OPENS_LOOP) - (b->opens == OPENS_BEHIND_LOOP || b->opens == OPENS_BEHIND_IF);
}

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

/* --- a file */

struct placing {
    const char *file;
    struct diag *dg;
    struct strbuf *out;
    struct rv_words *taken;
    u32 functions;
    VEC(const char *) barriers; /* functions that come to one */
    struct arena names;
};

/* P1: splits less joins are the same on all ways to a block, its level, and none are left at the end */
static bool balanced(struct function *f) {
    VEC(u32) stack = {0};
    bool ok = true;
    for (u32 i = 0; i < f->blocks.n; i++) f->blocks.at[i].level = i ? NONE : 0;
    VEC_PUSH(&stack, 0);
    while (stack.n && ok) {
        const struct block *b = &f->blocks.at[stack.at[--stack.n]];
        i32 now = level_behind(b);
        ok = now >= 0 && (b->end != END_LEAVES || !now);
        if (b->placed && !b->exits) now++;
        f->levels = MAX(f->levels, (u32)MAX(now, 0));
        for (u32 i = 0; i < succs(b) && ok; i++) {
            i32 *level = &f->blocks.at[b->succ[i]].level;
            ok = *level == NONE || *level == now;
            if (*level == NONE) VEC_PUSH(&stack, b->succ[i]);
            *level = now;
        }
    }
    free(stack.at);
    return ok || refuse(f, "control flow whose splits and joins would not pair");
}

/* v3: the words of its levels are taken */
static bool words_suffice(struct function *f) {
    if (f->taken->variant != RV_V3 || f->taken->nests + f->levels <= NEST_WORDS) return true;
    return refuse(f, "too many levels of nested ifs and loops, counted with the functions before it");
}

static bool place_blocks(struct function *f) {
    bool any = false;
    join_returns(f);
    find_dominators(f);
    find_divergent(f);
    for (u32 i = 0; i < f->blocks.n; i++) any = any || f->blocks.at[i].divergent;
    return !any || (reducible(f) && place_loops(f) && place_ifs(f) && balanced(f) && words_suffice(f));
}

/* A function's lines, from behind its name to its end */
static bool place_function(struct placing *p, const char *name, const char *text, const char *end) {
    struct arena arena = {0};
    struct function f = {
        .file = p->file, .name = name, .arena = &arena, .dg = p->dg, .taken = p->taken, .number = p->functions++};
    struct reading r = {.f = &f};
    bool ok = true;
    for (const char *at = text; at < end && ok;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        ok = read_line(&r, at, (size_t)((stop ? stop : end) - at), p->barriers.at, p->barriers.n);
        at = stop ? stop + 1 : end;
    }
    if (r.open) close_block(&r, END_LEAVES, NULL, 0, NULL, 0);
    ok = ok && f.blocks.n && settle(&r) && place_blocks(&f);
    if (ok && p->taken->variant == RV_V3) flow_gp(&f), flow_fetched(&f);
    if (ok) emit(&f, p->out);
    if (p->taken->variant == RV_V3) p->taken->nests += f.levels;
    free(r.labels.at), free(r.wants.at), free(f.blocks.at), free(f.order.at);
    arena_free(&arena);
    return ok;
}

/* The line's label, if it begins a function: code is called by names without a dot */
static bool begins_function(const char *line, size_t n) {
    size_t k = strcspn(line, ":\n");
    return k && k < n && line[k] == ':' && (isalpha((unsigned char)*line) || *line == '_') && strstr(line, ".Lfunc_begin");
}

/* Functions that call what comes to a barrier come to it, wherever they stand */
static void find_barriers(struct placing *p, const char *assembly) {
    for (u32 known = 0; known < p->barriers.n; known++) {
        char call[300];
        snprintf(call, sizeof(call), "\tcall\t%s\n", p->barriers.at[known]);
        for (const char *at = assembly; (at = strstr(at, call)); at++) {
            const char *begin = NULL, *name = NULL;
            for (const char *b = assembly; (b = strstr(b, "\n.Lfunc_begin")) && b < at; b++) begin = b;
            for (name = begin; name && name > assembly && name[-1] != '\n'; name--) {}
            bool there = !name;
            for (u32 i = 0; i < p->barriers.n && name; i++)
                there = there || (strlen(p->barriers.at[i]) == strcspn(name, ":") &&
                                  strncmp(p->barriers.at[i], name, strcspn(name, ":")) == 0);
            if (!there) VEC_PUSH(&p->barriers, arena_strdup(&p->names, name, strcspn(name, ":")));
        }
    }
}

bool rv_place(const char *file, const char *assembly, struct rv_words *taken, struct strbuf *out, struct diag *dg) {
    struct placing p = {.file = file, .dg = dg, .out = out, .taken = taken};
    const char *barrier = "_Z7barrierj";
    bool ok = true;
    VEC_PUSH(&p.barriers, barrier);
    find_barriers(&p, assembly);
    for (const char *at = assembly; *at && ok;) {
        size_t n = strcspn(at, "\n");
        const char *next = at + n + (at[n] == '\n');
        strbuf_add(out, "%.*s\n", (int)n, at);
        bool function = begins_function(at, n) && strncmp(next, ".Lfunc_begin", 12) == 0;
        const char *end = function ? strstr(next, "\n.Lfunc_end") : NULL;
        if (end) ok = place_function(&p, arena_strdup(&p.names, at, strcspn(at, ":")), next, end + 1);
        at = end ? end + 1 : next;
    }
    free(p.barriers.at);
    arena_free(&p.names);
    return ok;
}
