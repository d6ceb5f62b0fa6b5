/* Words of text to struct inst, one each, so that a pc is an address; behind them the end of the text and,
 * with RV_IPDOM, a place for each function where its returns meet.
 *
 * Every word is made an instruction, code or not: one that means nothing faults when it is run. Immediates
 * are rows of the pool. fence.i makes instructions anew of the words that have changed, and with RV_IPDOM
 * finds anew where lanes meet. Places of returns stay: a function that has none, because it came with a
 * changed text, goes without, and what parts in it until it returns meets further out. */
#include "riscv/riscv.h"

#include "func/lanes.h"

#include <pthread.h>
#include <stdlib.h>

struct code {           /* a kernel on its way, and what fence.i needs of it */
    struct rv_kernel k; /* first: kernel.isa */
    struct kernel *kernel;
    struct rv_program *p;
    struct rv_machine m;
    struct arena *arena;
    u32 *words;                         /* as decoded */
    u32 pool_rows, pool_cap, pool_hash; /* pool_hash: entries of the table, a power of two */
    u32 *pool_value, *pool_table;       /* values by row; rows by hash, + 1 */
    struct lane_pick picks[RV_COUNT];   /* found so far */
};

/* --- operands */

static struct opnd reg(u32 r) { return (struct opnd){.in = OPND_IN_REG, .rows = 1, .reg = (u16)r, .off = (i32)(r * ROW_B)}; }
static struct opnd none(void) { return (struct opnd){.absent = 1}; }

static void pool_rehash(struct code *c) {
    c->pool_hash = c->pool_hash ? c->pool_hash * 2 : 256;
    c->pool_table = ARENA_ARRAY(c->arena, u32, c->pool_hash);
    for (u32 i = 0; i < c->pool_rows; i++) {
        u32 at = c->pool_value[i] * 2654435761u & (c->pool_hash - 1);
        while (c->pool_table[at]) at = (at + 1) & (c->pool_hash - 1);
        c->pool_table[at] = i + 1;
    }
}

static void pool_grow(struct code *c) {
    c->pool_cap = c->pool_cap ? c->pool_cap * 2 : 64;
    u8 *pool = arena_alloc(c->arena, (size_t)c->pool_cap * ROW_B + 64);
    pool = (u8 *)(((uintptr_t)pool + 63) & ~(uintptr_t)63);
    if (c->pool_rows) memcpy(pool, c->kernel->pool, (size_t)c->pool_rows * ROW_B);
    c->kernel->pool = pool;
    u32 *value = ARENA_ARRAY(c->arena, u32, c->pool_cap);
    if (c->pool_rows) memcpy(value, c->pool_value, sizeof(u32) * c->pool_rows);
    c->pool_value = value;
}

static struct opnd constant(struct code *c, u32 v) {
    if (2 * c->pool_rows >= c->pool_hash) pool_rehash(c);
    u32 at = v * 2654435761u & (c->pool_hash - 1);
    for (; c->pool_table[at]; at = (at + 1) & (c->pool_hash - 1))
        if (c->pool_value[c->pool_table[at] - 1] == v) break;
    if (!c->pool_table[at]) {
        if (c->pool_rows == c->pool_cap) pool_grow(c);
        u32 *row = (u32 *)(void *)(c->kernel->pool + (size_t)c->pool_rows * ROW_B);
        for (u32 l = 0; l < SLAB_LANES; l++) row[l] = v;
        c->pool_value[c->pool_rows] = v;
        c->pool_table[at] = ++c->pool_rows;
        c->kernel->pool_b = c->pool_rows * ROW_B;
    }
    return (struct opnd){.in = OPND_IN_POOL, .rows = 1, .off = (i32)((c->pool_table[at] - 1) * ROW_B)};
}

/* Registers and immediates as the row writes them: the destination, and sources in their order */
static void take_operands(struct code *c, struct inst *in, const struct rv_row *row, u32 w, u32 address) {
    u32 n = 0;
    for (const char *o = row->operands; *o; o++) switch (*o) {
        case 'd': in->d = rv_rd(w) ? reg(rv_rd(w)) : none(); break;
        case 'D': in->d = reg(RV_F + rv_rd(w)); break;
        case 's': in->s[n++] = reg(rv_rs1(w)); break;
        case 't': in->s[n++] = reg(rv_rs2(w)); break;
        case 'r': in->s[n++] = reg(rv_rs3(w)); break;
        case 'S': in->s[n++] = reg(RV_F + rv_rs1(w)); break;
        case 'T': in->s[n++] = reg(RV_F + rv_rs2(w)); break;
        case 'R': in->s[n++] = reg(RV_F + rv_rs3(w)); break;
        case 'i': in->s[n++] = constant(c, (u32)rv_imm_i(w)); break;
        case 'h': in->s[n++] = constant(c, rv_rs2(w)); break;
        case 'z': in->s[n++] = constant(c, rv_rs1(w)); break;
        case 'u': in->s[n++] = constant(c, (w & 0xFFFFF000) + (row == &rv_table[RV_auipc_] ? address : 0)); break;
        default: break;
        }
}

/* --- the kinds of instructions */

static void fault(struct inst *in, enum rv_fault what, u32 number) {
    in->aux = what;
    in->imm = number;
    in->iclass = ICLASS_BRANCH;
    in->d = in->s[0] = in->s[1] = in->s[2] = none();
    exec_choose(in, exec_rv_fault);
}

static void lower_lane(struct code *c, struct inst *in, const struct rv_row *row) {
    struct lane_pick *p = &c->picks[row - rv_table];
    for (u32 i = 0; i < 2; i++)
        if (in->s[i].absent) in->s[i] = reg(0);
    if (!p->fn && row->lane != NONE) *p = (struct lane_pick){rv_lane((enum rv_lane)row->lane), 0};
    if (!p->fn) {
        struct opkey key = {.op = row->op, .ntypes = 1, .type = {row->type}};
        if (row->mod != NONE) mods_set(&key.mods, (enum mod)row->mod);
        *p = lanes_pick(&(struct lane_query){.key = &key, .reg_bits = 32, .src_bits = 32, .nsrc = 2});
    }
    CHECK(p->fn);
    in->lane = p->fn;
    in->aux = p->aux;
    in->op = row->op;
}

static void lower_float(struct inst *in, const struct rv_row *row, u32 w) {
    bool rounds = strchr(row->operands, 'v') != NULL;
    u32 mode = rounds ? rv_rm(w) : (u32)RV_RNE;
    if (mode == 5 || mode == 6) {
        fault(in, RV_FAULT_ROUNDING, mode);
        return;
    }
    in->lane = rv_lane((enum rv_lane)row->lane);
    in->aux = mode;
    exec_choose(in, exec_rv_float);
}

static void lower_memory(const struct code *c, struct inst *in, const struct rv_row *row, u32 w) {
    bool store = row->how == RV_HOW_STORE, sp = rv_rs1(w) == RV_SP;
    struct opnd data = in->s[0];
    u32 size = 1u << (rv_rm(w) & 3);
    in->space = SPACE_GENERIC;
    if (c->m.misaligned && size > 1) in->flags |= INST_ANY_ALIGN;
    in->elem_b = (u8)size;
    in->nelem = 1;
    in->imm = store ? rv_imm_s(w) : rv_imm_i(w);
    in->s[0] = reg(rv_rs1(w));
    if (store) in->s[1] = data;
    else in->aux = 32u << 8 | !(rv_rm(w) & 4);
    in->access = size == 4 ? ACCESS_ROW : store ? ACCESS_GENERAL : ACCESS_NARROW;
    if (!store && in->d.absent) in->access = ACCESS_GENERAL;
    exec_choose(in, store ? (sp ? exec_rv_ststack : exec_rv_st) : sp ? exec_rv_ldstack : exec_ld);
}

/* Of the byte at the address, which lies in one word whatever the address */
static void lower_prefetch(struct inst *in) {
    in->space = SPACE_GENERIC;
    in->elem_b = in->nelem = 1;
    in->aux = 32u << 8;
    in->access = ACCESS_GENERAL;
    exec_choose(in, exec_rv_prefetch);
}

static void lower_atomic(struct code *c, struct inst *in, const struct rv_row *row, u32 w) {
    struct opnd data = in->s[0];
    if (!c->m.atomics) {
        fault(in, RV_FAULT_EXTENSION, w);
        return;
    }
    in->space = SPACE_GENERIC;
    in->elem_b = 4, in->nelem = 1;
    in->access = row->how == RV_HOW_LR && in->d.absent ? ACCESS_GENERAL : ACCESS_ROW;
    in->aux = 32u << 8;
    in->s[0] = reg(rv_rs1(w));
    in->s[1] = row->how == RV_HOW_LR ? none() : data;
    in->flags |= INST_SYNC_POLL;
    if (row->how == RV_HOW_AMO) {
        struct atomic_op *op = ARENA_NEW(c->arena, struct atomic_op);
        *op = (struct atomic_op){(u8)row->mod, row->type, false};
        in->info = op;
    }
    exec_choose(in, row->how == RV_HOW_LR ? exec_rv_lr : row->how == RV_HOW_SC ? exec_rv_sc : exec_rv_amo);
}

static i32 target_of(const struct code *c, struct inst *in, u32 address) {
    u64 at = (u64)address - c->k.text_at;
    in->imm = address;
    return at / 4 < c->k.text_words && address % 4 == 0 ? (i32)(at / 4) : NONE;
}

static void lower_csr(struct inst *in, u32 w, enum rv_variant variant) {
    u32 f3 = rv_rm(w), number = w >> 20, use = f3 & 3;
    i32 csr = rv_csr(number, variant);
    bool writes = use == RV_CSR_SWAP || rv_rs1(w);
    bool read_only = number >> 10 == 3 && (csr == NONE || ((u32)csr & 255) != RV_CSR_TEXTURE);
    if (csr == NONE || (writes && read_only)) {
        if (csr == NONE) fault(in, RV_FAULT_CSR, number);
        else fault(in, RV_FAULT_READ_ONLY, number);
        return;
    }
    u32 kind = (u32)csr & 255;
    bool counter = kind >= RV_CSR_CYCLE && kind <= RV_CSR_INSTRET_HI;
    in->aux = (u32)csr;
    in->imm = use | (writes ? RV_CSR_WRITES : 0);
    exec_choose(in, counter ? exec_rv_counter : exec_rv_csr);
}

static void lower_jump(struct code *c, struct inst *in, const struct rv_row *row, u32 w, u32 address) {
    bool ipdom = c->m.diverge == RV_IPDOM;
    switch ((enum rv_how)row->how) {
    case RV_HOW_JAL:
        in->target = target_of(c, in, address + (u32)rv_imm_j(w));
        exec_choose(in, exec_rv_jal);
        break;
    case RV_HOW_JALR:
        in->s[0] = reg(rv_rs1(w));
        in->imm = rv_imm_i(w);
        exec_choose(in, exec_rv_jalr);
        break;
    default:
        lower_lane(c, in, row);
        in->target = target_of(c, in, address + (u32)rv_imm_b(w));
        exec_choose(in, ipdom ? exec_rv_part : exec_rv_branch);
    }
}

static void lower_tex(struct inst *in, const struct rv_row *row, u32 w) {
    if (row->set == RV_SET_V3) fault(in, RV_FAULT_TEXTURE_V3, w);
    else if (rv_funct2(w) >= RV_TEX_UNITS) fault(in, RV_FAULT_TEXTURE, rv_funct2(w));
    else {
        enum rv_tex_month month = row == &rv_table[RV_tex_dec_] ? RV_TEX_DECEMBER : RV_TEX_OCTOBER;
        in->aux = (u32)month * RV_TEX_UNITS + rv_funct2(w);
        in->space = SPACE_TEX;
        exec_choose(in, exec_rv_tex);
    }
}

static void lower_vortex(struct inst *in, const struct rv_row *row, u32 w) {
    enum rv_id id = (enum rv_id)(row - rv_table);
    switch ((enum rv_how)row->how) {
    case RV_HOW_TMC: exec_choose(in, exec_rv_tmc); break;
    case RV_HOW_PRED: in->aux = id == RV_predn3_, exec_choose(in, exec_rv_pred); break;
    case RV_HOW_WSPAWN: exec_choose(in, exec_rv_wspawn); break;
    case RV_HOW_SPLIT: in->aux = id == RV_splitn3_, exec_choose(in, exec_rv_split); break;
    case RV_HOW_JOIN: exec_choose(in, exec_rv_join); break;
    case RV_HOW_BAR: exec_choose(in, exec_rv_bar); break;
    case RV_HOW_VOTE: in->aux = rv_rm(w), exec_choose(in, exec_rv_vote); break;
    case RV_HOW_SHFL: in->aux = rv_rm(w) - 4, exec_choose(in, exec_rv_shfl); break;
    case RV_HOW_TEX: lower_tex(in, row, w); break;
    case RV_HOW_ARRIVE: exec_choose(in, exec_rv_arrive); break;
    default: exec_choose(in, exec_rv_wait); break;
    }
}

static void lower_row(struct code *c, struct inst *in, const struct rv_row *row, u32 w, u32 address) {
    switch ((enum rv_how)row->how) {
    case RV_HOW_LANE: lower_lane(c, in, row), exec_choose(in, exec_rows1); break;
    case RV_HOW_FLOAT: lower_float(in, row, w); break;
    case RV_HOW_LOAD:
    case RV_HOW_STORE: lower_memory(c, in, row, w); break;
    case RV_HOW_PREFETCH: lower_prefetch(in); break;
    case RV_HOW_LR:
    case RV_HOW_SC:
    case RV_HOW_AMO: lower_atomic(c, in, row, w); break;
    case RV_HOW_BRANCH:
    case RV_HOW_JAL:
    case RV_HOW_JALR: lower_jump(c, in, row, w, address); break;
    case RV_HOW_CSR: lower_csr(in, w, (enum rv_variant)c->m.variant); break;
    case RV_HOW_FENCE: in->flags |= INST_GPU_FENCE, exec_choose(in, exec_fence); break;
    case RV_HOW_FENCEI: exec_choose(in, exec_rv_fencei); break;
    case RV_HOW_ECALL: exec_choose(in, exec_rv_ecall); break;
    case RV_HOW_BREAK: fault(in, RV_FAULT_BREAK, 0); break;
    case RV_HOW_MRET: exec_choose(in, exec_rv_mret); break;
    case RV_HOW_NOP: exec_choose(in, exec_nop); break;
    default: lower_vortex(in, row, w); break;
    }
}

/* --- text for people */

/* The function an address is in; symbols are in order of address */
static const struct rv_symbol *function_of(const struct rv_program *p, u32 address) {
    const struct rv_symbol *best = NULL, *s = p->image.symbols.at;
    u32 lo = 0, hi = p->image.symbols.n;
    while (lo < hi) {
        u32 mid = (lo + hi) / 2;
        if (s[mid].at <= address) lo = mid + 1;
        else hi = mid;
    }
    for (u32 i = lo; i-- > 0 && !best;)
        if (s[i].func && s[i].at >= p->text_at) best = &s[i];
    return best;
}

struct rv_src { /* of an instruction, and what its text is made of */
    struct inst_src src;
    const struct code *code;
    const struct rv_row *row;
    u32 word, address;
    const char *text; /* made when it was asked for; NULL before */
};

/* Cores ask for it in threads of their own, when programs fail */
static const char *print_text(const struct inst_src *src) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct rv_src *x = (struct rv_src *)(uintptr_t)src;
    pthread_mutex_lock(&lock);
    if (!x->text) {
        struct strbuf b = {0};
        const struct rv_symbol *f = function_of(x->code->p, x->address);
        strbuf_add(&b, "0x%08x", x->address);
        if (f) strbuf_add(&b, " <%s+0x%x>", f->name, x->address - f->at);
        strbuf_add(&b, ": ");
        rv_print(x->word, x->row, x->address, &b);
        x->text = arena_strdup(x->code->arena, b.s, strlen(b.s));
        strbuf_free(&b);
    }
    pthread_mutex_unlock(&lock);
    return x->text;
}

static const struct inst_src *source_of(struct code *c, u32 word, const struct rv_row *row, u32 address) {
    struct rv_src *x = ARENA_NEW(c->arena, struct rv_src);
    const struct rv_line *line = rv_lines_find(&c->p->lines, address);
    *x = (struct rv_src){.src.print = print_text, .code = c, .row = row, .word = word, .address = address};
    if (line && line->line) x->src.line = line->line, x->src.file = line->file;
    return &x->src;
}

/* It is the warp's, or reads other lanes: RV_IPDOM runs it when all lanes are there that would be on the
 * hardware */
static bool is_of_warp(const struct inst *in) {
    return in->exec == exec_rv_tmc || in->exec == exec_rv_pred || in->exec == exec_rv_wspawn || in->exec == exec_rv_vote ||
           in->exec == exec_rv_shfl || in->exec == exec_rv_arrive;
}

static void lower_word(struct code *c, u32 i, u32 word) {
    struct inst *in = &c->kernel->code[i];
    u32 address = (u32)(c->k.text_at + 4ull * i);
    const struct rv_row *row = rv_decode(word, (enum rv_variant)c->m.variant);
    *in = (struct inst){.guard = NONE, .target = NONE, .reconv = NONE, .op = OP_mov};
    in->d = in->s[0] = in->s[1] = in->s[2] = in->q = none();
    in->src = source_of(c, word, row, address);
    c->words[i] = word;
    if (!row) {
        bool compressed = (word & 3) != 3 && (word & 0xFFFF);
        fault(in, compressed ? RV_FAULT_COMPRESSED : RV_FAULT_ILLEGAL, compressed ? word & 0xFFFF : word);
        return;
    }
    in->iclass = row->iclass;
    if (in->src->file && strncmp(in->src->file, RV_RUNTIME, strlen(RV_RUNTIME)) == 0) in->flags |= INST_RUNTIME;
    take_operands(c, in, row, word, address);
    lower_row(c, in, row, word, address);
    if (c->m.diverge == RV_IPDOM && is_of_warp(in)) in->flags |= INST_COLLECTIVE;
}

/* --- the kernel */

static u32 word_in_memory(struct memory *mem, u64 address) {
    u32 w = 0;
    const u8 *p = memory_host(mem, address, 4);
    if (p) memcpy(&w, p, 4);
    return w;
}

/* --- the text changes (fence.i) */

static bool returns_to_place(const struct code *c, u32 i) { return c->kernel->code[i].exec == exec_rv_return; }

/* Returns as they were decoded; *places: where each went, or NONE */
static void take_returns_out(struct code *c, i32 *places) {
    for (u32 i = 0; i < c->k.text_words; i++) {
        struct inst *in = &c->kernel->code[i];
        places[i] = NONE;
        if (!returns_to_place(c, i)) continue;
        places[i] = in->target;
        in->target = NONE;
        in->flags &= ~(u32)INST_JUMP;
        exec_choose(in, exec_rv_jalr);
    }
}

/* Where symbols begin in the text; NULL: there are none */
static bool *symbol_starts(const struct code *c) {
    bool *starts = c->p->image.symbols.n ? base_alloc(c->k.text_words + 1) : NULL;
    for (u32 i = 0; i < c->p->image.symbols.n; i++) {
        u64 at = (u64)c->p->image.symbols.at[i].at - c->k.text_at;
        if (c->p->image.symbols.at[i].func && at / 4 < c->k.text_words) starts[at / 4] = true;
    }
    return starts;
}

static u32 meet(struct code *c, i32 *returns, bool *guests) {
    bool *starts = symbol_starts(c);
    u32 places = rv_meet(c->kernel, c->k.text_words, starts, returns, guests);
    free(starts);
    return places;
}

/* Lanes may part there, and meet where it says */
static bool parts(const struct inst *in) { return in->exec == exec_rv_part || in->exec == exec_rv_jalr; }

/* The place of each function as rv_meet numbers them: that of one of its returns, or NONE */
static void keep_places(const struct code *c, const i32 *returns, const i32 *places, i32 *place_of) {
    for (u32 i = 0; i <= c->k.text_words; i++) place_of[i] = NONE;
    for (u32 i = 0; i < c->k.text_words; i++)
        if (returns[i] != NONE && place_of[returns[i]] == NONE) place_of[returns[i]] = places[i];
}

static void put_returns_back(struct code *c, const i32 *returns, const i32 *place_of, const bool *guests) {
    struct kernel *k = c->kernel;
    for (u32 i = 0; i < c->k.text_words; i++) {
        struct inst *in = &k->code[i];
        if (parts(in) && in->reconv > (i32)c->k.text_words) in->reconv = place_of[in->reconv - (i32)c->k.text_words - 1];
        i32 place = returns[i] == NONE ? NONE : place_of[returns[i]];
        if (place == NONE) continue;
        in->target = place;
        exec_choose(in, exec_rv_return);
        if (guests[returns[i]]) k->code[place].flags |= INST_COLLECTIVE;
    }
}

/* Places where lanes were to meet before are still looked at: some may be on their way there */
static void meet_anew(struct code *c) {
    u32 n = c->k.text_words + 1;
    i32 *places = base_alloc(sizeof(i32) * n), *returns = base_alloc(sizeof(i32) * n), *place_of = base_alloc(sizeof(i32) * n);
    bool *guests = base_alloc(n);
    take_returns_out(c, places);
    for (u32 i = 0; i + 1 < n; i++)
        if (parts(&c->kernel->code[i])) c->kernel->code[i].reconv = NONE;
    meet(c, returns, guests);
    keep_places(c, returns, places, place_of);
    put_returns_back(c, returns, place_of, guests);
    free(places), free(returns), free(place_of), free(guests);
}

static void settle_all(struct kernel *k) {
    for (u32 i = 0; i < k->ninst; i++) {
        k->code[i].flags &= ~(u32)(INST_STRAIGHT | INST_PLAIN);
        exec_settle(&k->code[i]);
    }
}

static struct code *code_of(const struct kernel *k) { return (struct code *)(uintptr_t)k->isa; }

static void change_text(struct kernel *k, const struct text_word *words, u32 n) {
    struct code *c = code_of(k);
    bool some = false;
    for (u32 i = 0; i < n; i++) {
        struct inst *in = &k->code[words[i].pc];
        if (c->words[words[i].pc] == words[i].word) continue;
        u32 meets = in->flags & INST_RECONV;
        i32 reconv = in->reconv; /* who parted there may still ask */
        lower_word(c, words[i].pc, words[i].word);
        in->flags |= meets;
        in->reconv = reconv;
        some = true;
    }
    if (some && c->m.diverge == RV_IPDOM) meet_anew(c);
    if (some) settle_all(k);
}

static void read_text(struct kernel *k, struct memory *mem) {
    struct code *c = code_of(k);
    VEC(struct text_word) changed = {0};
    for (u32 i = 0; i < c->k.text_words; i++) {
        u32 w = word_in_memory(mem, c->k.text_at + 4ull * i);
        if (w != c->words[i]) VEC_PUSH(&changed, ((struct text_word){i, w}));
    }
    change_text(k, changed.at, changed.n);
    free(changed.at);
}

static void *arena_copy(struct arena *arena, const void *of, size_t bytes) {
    void *to = arena_alloc(arena, bytes);
    return memcpy(to, of, bytes);
}

static struct kernel *copy_text(const struct kernel *from, struct arena *arena) {
    const struct code *was = code_of(from);
    struct kernel *k = arena_copy(arena, from, sizeof(*k));
    struct code *c = arena_copy(arena, was, sizeof(*c));
    c->arena = arena, c->kernel = k;
    c->words = arena_copy(arena, was->words, sizeof(u32) * was->k.text_words);
    c->k.words = c->words;
    k->isa = &c->k;
    k->code = arena_copy(arena, from->code, sizeof(*k->code) * from->ninst);
    c->pool_cap = c->pool_rows; /* the rows are the kernel's as long as there are no more */
    c->pool_table = arena_copy(arena, was->pool_table, sizeof(u32) * was->pool_hash);
    return k;
}

static const struct text_ops text_ops = {.copy = copy_text, .change = change_text, .read = read_text};

static void console_byte(struct rv_shared *s, u32 which, char c, FILE *out) {
    struct rv_console *x = &s->console[which];
    VEC_PUSH(&x->line, c);
    if (c != '\n') return;
    if (out) fwrite(x->line.at, 1, x->line.n, out);
    x->line.n = 0;
}

static bool device(struct warp *w, const struct inst *in, u32 lane, u64 addr, bool write, void *data, u32 bytes) {
    const struct rv_kernel *k = rv_of(w);
    u64 cout = k->variant == RV_V3 ? RV_IO_V3 : RV_COUT_2021;
    (void)in, (void)lane;
    if (addr - cout < RV_CONSOLES) {
        if (write) console_byte(k->shared, (u32)(addr - cout), *(const char *)data, w->launch->program_out);
        else memset(data, 0, bytes);
        return true;
    }
    if (k->variant != RV_V3 || addr != RV_STATUS_V3 || bytes != 4) return false;
    if (write) memcpy(&k->shared->status, data, 4);
    else memcpy(data, &k->shared->status, 4);
    return true;
}

/* What was printed without a newline, and the status that v3 programs leave in memory */
static void finish(struct launch *l) {
    const struct rv_kernel *k = l->k->isa;
    for (u32 i = 0; i < RV_CONSOLES; i++)
        if (k->shared->console[i].line.n) console_byte(k->shared, i, '\n', l->program_out);
    k->shared->reserved.n = k->shared->claims.n = 0;
    rv_perf_end(l, k->shared);
    if (k->shared->rewritten) read_text((struct kernel *)(uintptr_t)l->k, l->mem);
    k->shared->rewritten = false;
    if (k->shared->status && !l->faulted) {
        l->faulted = true;
        strbuf_add(&l->fault, "fault: the program ended with status %d (0x%x)\n", (i32)k->shared->status, k->shared->status);
    }
    k->shared->status = 0;
}

static void begin(struct warp *w) {
    const struct rv_kernel *k = rv_of(w);
    struct rv_warp *state = w->state;
    static const struct opnd a0 = {.in = OPND_IN_REG, .rows = 1, .off = RV_A0 * ROW_B};
    if (w->id == 0 && w->starts == 1) rv_perf_begin(w);
    if (k->variant != RV_V3 || w->retired) return;
    state->csr[0x40] = k->mscratch;
    for (u32 lane = 0; lane < w->launch->warp_size && w->id == 0; lane++) opnd_write(w, &w->groups.at[0], &a0, lane, k->mscratch);
}

/* A launch of one thread is one of all cores: the machine knows how many, a manifest need not */
static bool place_alone(const struct kernel *k, struct memory *mem, struct kernel_launch *l, struct strbuf *why) {
    const struct rv_machine *m = k->place_with;
    (void)mem, (void)why;
    if (l->grid[0] == 1 && l->block[0] == 1) l->grid[0] = m->cores, l->block[0] = m->warps * m->lanes_n;
    return true;
}

static void describe(struct kernel *k, struct code *c) {
    const struct rv_machine *m = &c->m;
    bool v3 = m->variant == RV_V3;
    k->funcs[0] = (struct kernel_func){.name = c->p->name,
                                       .entry_pc = (i32)((c->p->image.entry - c->p->text_at) / 4),
                                       .exit_pc = (i32)c->k.text_words,
                                       .regs = RV_REGS,
                                       .rows = RV_REGS,
                                       .taken_at = NONE};
    k->regs_per_thread = k->rows_per_warp = RV_REGS;
    k->shared_b = k->dynamic_at = m->shared_b;
    k->first_warps = 1, k->first_lanes = 1;
    k->core_warps = m->warps;
    k->gathers = m->diverge == RV_IPDOM;
    k->keeps_registers = true;
    k->begin = begin;
    k->isa = &c->k;
    k->code_at = c->k.text_at, k->inst_b = 4;
    k->warp_state_b = sizeof(struct rv_warp);
    k->shared_at = v3 ? RV_LOCAL_V3 : RV_STACK_2021 - m->shared_b;
    k->device_at = v3 ? RV_IO_V3 : RV_COUT_2021;
    k->device_b = v3 ? RV_STATUS_V3 + 4 - RV_IO_V3 : (1ull << 32) - RV_COUT_2021;
    k->device = device;
    k->finish = finish;
    k->text = &text_ops;
    if (!v3 && m->diverge == RV_SPLIT) k->early = rv_join_goes;
    k->place = place_alone;
    k->place_with = &c->m;
}

/* Behind the text: its end, and where returns meet */
static struct inst pseudo(struct arena *arena, const char *text) {
    struct inst_src *src = ARENA_NEW(arena, struct inst_src);
    src->text = text;
    struct inst in = {.guard = NONE, .target = NONE, .reconv = NONE, .op = OP_mov, .iclass = ICLASS_BRANCH, .flags = INST_PSEUDO};
    in.d = in.s[0] = in.s[1] = in.s[2] = in.q = none();
    in.src = src;
    return in;
}

/* Every return becomes a jump to its function's place, which does what a return does. Where lanes may return
 * that did not call the function they come together first, for those return with who did. */
static void place_returns(struct code *c, const i32 *returns, const bool *guests, u32 n) {
    struct kernel *k = c->kernel;
    u32 first = c->k.text_words + 1;
    for (u32 f = 0; f < n; f++) {
        struct inst *in = &k->code[first + f];
        *in = pseudo(c->arena, "the returns of a function meet");
        in->s[0] = reg(RV_RA);
        exec_choose(in, exec_rv_jalr);
        in->flags |= INST_RECONV | (guests[f] ? INST_COLLECTIVE : 0);
    }
    for (u32 i = 0; i < c->k.text_words; i++) {
        struct inst *in = &k->code[i];
        if (in->reconv != NONE && in->reconv > (i32)c->k.text_words) k->code[in->reconv].flags |= INST_RECONV;
        if (returns[i] == NONE) continue;
        in->target = (i32)first + returns[i];
        exec_choose(in, exec_rv_return);
    }
    k->ninst = first + n;
}

static const char ipdom_remark[] =
    "isa.vortex.diverge = ipdom: branches part lanes by themselves; the program has not paid for split and join";

struct kernel *rv_lower(struct rv_program *p, const struct rv_machine *m, struct arena *arena, struct diag *dg) {
    struct code *c = ARENA_NEW(arena, struct code);
    struct kernel *k = ARENA_NEW(arena, struct kernel);
    u32 words = (u32)(p->text_b / 4);
    (void)dg;
    *c = (struct code){.kernel = k, .p = p, .m = *m, .arena = arena, .words = ARENA_ARRAY(arena, u32, words)};
    c->k = (struct rv_kernel){.text_at = p->text_at,
                              .text_words = words,
                              .variant = (u8)m->variant,
                              .diverge = (u8)m->diverge,
                              .barriers = m->barriers,
                              .stack_b = m->variant == RV_V3 ? 0 : RV_STACK_2021_B,
                              .misa = 0x40001120u | (m->atomics ? 1 : 0), /* RV32: F, I, M, A */
                              .mscratch = RV_ARGS,
                              .cores = m->cores,
                              .compiled = p->functions.n != 0,
                              .shared = &p->shared,
                              .words = c->words};
    k->name = p->name, k->file = p->file;
    k->nfuncs = 1;
    if (m->diverge == RV_IPDOM) k->remark = ipdom_remark;
    k->funcs = ARENA_NEW(arena, struct kernel_func);
    k->code = ARENA_ARRAY(arena, struct inst, (m->diverge == RV_IPDOM ? 2 : 1) * (size_t)words + 2);
    k->ninst = words + 1;
    constant(c, 0);
    for (u32 i = 0; i < words; i++) lower_word(c, i, word_in_memory(p->mem, p->text_at + 4ull * i));
    u64 end = p->text_at + p->text_b;
    k->code[words] = pseudo(arena, arena_printf(arena, "0x%08llx: the end of the text", (unsigned long long)end));
    fault(&k->code[words], RV_FAULT_END, (u32)end);
    describe(k, c);
    if (m->diverge == RV_IPDOM) {
        i32 *returns = ARENA_ARRAY(arena, i32, words + 1);
        bool *guests = ARENA_ARRAY(arena, bool, words + 1);
        place_returns(c, returns, guests, meet(c, returns, guests));
    }
    for (u32 i = 0; i < k->ninst; i++) exec_settle(&k->code[i]);
    return k;
}
