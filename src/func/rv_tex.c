/* tex: the texture units of Vortex of October 2021 (commit d64bc880) and of December (d7e2a6b3), bit for bit.
 *
 * A core has two. A program describes what they read by CSRs: an address, a format, how coordinates outside
 * are taken, a filter, the logarithms of width and height, and for each of 16 levels its distance in bytes
 * from the address. The months give the same numbers other meanings, and `tex` other words: what is written
 * is kept as either month has it, and the instruction says which month's it reads. A program that wants a
 * filter between levels reads two.
 *
 *   coordinate -> what is behind the point (clamp, repeat, mirror) -> column and row -> address
 *              -> 8 bits a channel -> blends
 *
 * With the bilinear filter a read has four texels, half a texel left and right, above and below. Odd things
 * are the RTL's. October weighs texels by the low 8 bits of the upper left coordinate as it was given, not of
 * its place between texels (VX_tex_addr), and its 4-bit red has the halves of red and alpha (VX_tex_format).
 * December's weights sum to 255, and what they weigh is divided by 256; that goes for the point filter too,
 * whose two blends take 1 each from what is not 0 (VX_tex_lerp, VX_tex_sampler). What the RTL does and this
 * does not: where the words of all threads are one word, it gives it to thread 0 alone, and zero to the
 * others (VX_tex_mem). */
#include "func/rv.h"

#include <string.h>

enum wrap { WRAP_CLAMP, WRAP_REPEAT, WRAP_MIRROR };

struct channel {        /* of eight bits, in a texel */
    u8 at, bits, lower; /* its upper `bits` are there from `at` on, the others from `lower`; of 0 bits: it is `at` */
};
struct format {
    u8 log_b;                  /* the logarithm of a texel's bytes */
    struct channel channel[4]; /* from the result's lowest byte on */
};
#define BYTE(at)      {at, 8, 0}
#define TOP(at, bits) {at, bits, at + 2 * bits - 8} /* its upper bits again behind them */
#define ALWAYS(v)     {v, 0, 0}

static const struct month {
    u32 csr, csrs;      /* where the address of unit 0 is written, and how much further that of unit 1 */
    u32 frac, level_at; /* bits behind a coordinate's point; from which bit on its operand has the level */
    u32 column, row;    /* as wide as the hardware's column, and the row's distance in bytes */
    bool given;         /* texels are weighed by the coordinate as it was given */
    u32 weights;        /* their sum */
    struct format format[8];
} months[RV_TEX_MONTHS] = {
    [RV_TEX_OCTOBER] = {.csr = RV_TEX_CSR,
                        .csrs = RV_TEX_CSRS,
                        .frac = 20,
                        .level_at = 20,
                        .column = 0xFFF,
                        .row = 0x3FFFFFF,
                        .given = true,
                        .weights = 256,
                        .format = {{2, {BYTE(0), BYTE(8), BYTE(16), BYTE(24)}},          /* R8G8B8A8 */
                                   {1, {TOP(11, 5), TOP(5, 6), TOP(0, 5), ALWAYS(255)}}, /* R5G6B5 */
                                   {1, {{8, 4, 12}, TOP(4, 4), TOP(0, 4), TOP(12, 4)}},  /* R4G4B4A4 */
                                   {1, {BYTE(0), BYTE(0), BYTE(0), BYTE(8)}},            /* L8A8 */
                                   {0, {BYTE(0), BYTE(0), BYTE(0), ALWAYS(255)}},        /* L8 */
                                   {0, {ALWAYS(0), ALWAYS(0), ALWAYS(0), BYTE(0)}},      /* A8 */
                                   {2, {ALWAYS(0), ALWAYS(0), ALWAYS(0), BYTE(0)}},
                                   {2, {ALWAYS(0), ALWAYS(0), ALWAYS(0), BYTE(0)}}}},
    [RV_TEX_DECEMBER] = {.csr = RV_TEX_CSR + 1,
                         .csrs = 0,
                         .frac = 23,
                         .level_at = 0,
                         .column = 0x7FFF,
                         .row = 0xFFFFFFFF,
                         .given = false,
                         .weights = 255,
                         .format = {{2, {BYTE(0), BYTE(8), BYTE(16), BYTE(24)}},           /* A8R8G8B8 */
                                    {1, {TOP(0, 5), TOP(5, 6), TOP(11, 5), ALWAYS(255)}},  /* R5G6B5 */
                                    {1, {TOP(0, 5), TOP(5, 5), TOP(10, 5), {15, 1, 0}}},   /* A1R5G5B5 */
                                    {1, {TOP(0, 4), TOP(4, 4), TOP(8, 4), TOP(12, 4)}},    /* A4R4G4B4 */
                                    {1, {BYTE(0), BYTE(0), BYTE(0), BYTE(8)}},             /* A8L8 */
                                    {0, {BYTE(0), BYTE(0), BYTE(0), ALWAYS(255)}},         /* L8 */
                                    {0, {ALWAYS(255), ALWAYS(255), ALWAYS(255), BYTE(0)}}, /* A8 */
                                    {0, {ALWAYS(255), ALWAYS(255), ALWAYS(255), BYTE(0)}}}},
};

struct texture { /* that an instruction reads */
    const struct rv_tex_unit *unit;
    const struct month *month;
    const struct format *format;
};
struct sample {    /* one lane's */
    u32 addr[4];   /* of its texels: upper left, upper right, lower left, lower right */
    u32 weight[2]; /* of the right, and the lower ones, in 256ths */
};

/* --- what a unit reads */

static struct rv_textures *textures_of(const struct warp *w) {
    struct rv_shared *s = rv_of(w)->shared;
    while (s->textures.n <= w->cta->linear) VEC_PUSH(&s->textures, (struct rv_textures){0});
    return &s->textures.at[w->cta->linear];
}

static struct texture texture_of(const struct warp *w, const struct inst *in) {
    const struct rv_tex_unit *u = &textures_of(w)->unit[in->aux / RV_TEX_UNITS][in->aux % RV_TEX_UNITS];
    const struct month *m = &months[in->aux / RV_TEX_UNITS];
    return (struct texture){u, m, &m->format[u->format]};
}

static void write_october(struct rv_tex_unit *u, u32 number, u32 v) {
    struct rv_tex_level *level = &u->level[v >> 28];
    switch (number) {
    case 0: u->address = v, u->placed = true; break;
    case 1: u->format = v & 7; break;
    case 2: u->wrap[0] = v & 3, u->wrap[1] = v >> 2 & 3; break;
    case 3: u->bilinear = v & 1; break;
    case 4: level->offset = v & 0x1FFFFFF; break;
    case 5: level->log[0] = (i32)(v & 15); break;
    default: level->log[1] = (i32)(v & 15); break;
    }
}

static void write_december(struct rv_tex_unit *u, u32 number, u32 v) {
    switch (number) {
    case 0: u->address = v, u->placed = true; break;
    case 1:
    case 2: /* a level is half as wide and high as the one before it */
        for (i32 k = 0; k < RV_TEX_LEVELS; k++) u->level[k].log[number - 1] = (i32)(v & 15) - k;
        break;
    case 3: u->format = v & 7; break;
    case 4: u->bilinear = v & 1; break;
    case 5:
    case 6: u->wrap[number - 5] = v & 3; break;
    default: u->level[number - 7].offset = v & 0x7FFFFFFF; break;
    }
}

void rv_tex_state(const struct warp *w, u32 number, u32 v) {
    struct rv_textures *t = textures_of(w);
    u32 n = number - RV_TEX_CSR;
    if (n < RV_TEX_UNITS * RV_TEX_CSRS) write_october(&t->unit[RV_TEX_OCTOBER][n / RV_TEX_CSRS], n % RV_TEX_CSRS, v);
    if (n) write_december(&t->unit[RV_TEX_DECEMBER][t->selected], n - 1, v);
    else t->selected = v % RV_TEX_UNITS;
}

/* --- coordinates to addresses */

static u32 wrapped(u32 c, u32 how, u32 frac) {
    u32 part = (1u << frac) - 1;
    bool mirrored = c >> frac & 1;
    switch (how) {
    case WRAP_CLAMP: return c >> 31 ? 0 : c > part ? part : c;
    case WRAP_MIRROR: return mirrored ? ~c & part : c & part;
    default: return c & part;
    }
}

/* In 256ths of a texel */
static u32 scaled(u32 part, i32 log, u32 frac) {
    i32 shift = (i32)frac - 8 - log;
    return shift < 0 ? (u32)((u64)part << -shift) : part >> shift;
}

/* December: beyond the level of one texel logarithms are below 0. There is one column then, and where there
 * are rows yet they are as far apart as five bits of the logarithm say. */
static void place(const struct texture *x, const u32 coords[2], u32 lod, struct sample *s) {
    const struct rv_tex_unit *u = x->unit;
    const struct month *m = x->month;
    const struct rv_tex_level *level = &u->level[lod >> m->level_at & (RV_TEX_LEVELS - 1)];
    u32 log_b = x->format->log_b, at[2][2];
    for (u32 i = 0; i < 2; i++) {
        i32 log = level->log[i];
        u32 half = u->bilinear && log >= 0 ? 1u << (m->frac - 1) >> log : 0;
        u32 low = wrapped(coords[i] - half, u->wrap[i], m->frac), high = wrapped(coords[i] + half, u->wrap[i], m->frac);
        at[i][0] = scaled(low, log, m->frac), at[i][1] = scaled(high, log, m->frac);
        s->weight[i] = u->bilinear ? (m->given ? low : at[i][0]) & 255 : 0;
    }
    for (u32 k = 0; k < 4; k++) {
        u32 column = at[0][k & 1] >> 8 & m->column, row = at[1][k >> 1] >> 8 & m->column;
        u32 down = row << ((u32)(level->log[0] + (i32)log_b) & 31) & m->row;
        s->addr[k] = u->address + level->offset + down + (column << log_b);
    }
}

/* --- texels to a colour */

static u32 channel(struct channel c, u32 t) {
    u32 lower = 8u - c.bits;
    if (c.bits == 0) return c.at;
    if (c.bits == 1) return t >> c.at & 1 ? 255 : 0;
    return (t >> c.at << lower & 255) | (t >> c.lower & ((1u << lower) - 1));
}

static u32 colour(const struct format *f, u32 t) {
    u32 out = 0;
    for (u32 i = 0; i < 4; i++) out |= channel(f->channel[i], t) << 8 * i;
    return out;
}

static u32 blend(u32 a, u32 b, u32 weight, u32 weights) {
    u32 out = 0;
    for (u32 i = 0; i < 32; i += 8) out |= ((a >> i & 255) * (weights - weight) + (b >> i & 255) * weight) >> 8 << i;
    return out;
}

/* Of a word, or of the half of it, that holds the texel; its address need not be a multiple of its size */
static u32 aligned(u32 log_b, u32 word, u32 addr) {
    u32 t = word;
    if (log_b == 2 && addr & 2) t = (t & 0xFFFF0000) | t >> 16;
    if (log_b && addr & 1) t = (t & 0xFFFFFF00) | (t >> 8 & 255);
    return t;
}

/* With the point filter the first texel has all the weight */
static u32 filtered(const struct texture *x, const struct sample *s, const u32 words[4]) {
    u32 t[4], sum = x->month->weights;
    for (u32 k = 0; k < 4; k++) t[k] = colour(x->format, aligned(x->format->log_b, words[k], s->addr[k]));
    u32 upper = blend(t[0], t[1], s->weight[0], sum), lower = blend(t[2], t[3], s->weight[0], sum);
    return blend(upper, lower, s->weight[1], sum);
}

/* --- the instruction */

/* Texel k of a slab's lanes: s and words are those of its first lane on */
static bool fetch(struct warp *w, const struct group *g, const struct inst *in, u32 slab, u32 lanes, u32 k,
                  const struct sample *s, u32 (*words)[4]) {
    _Alignas(64) u64 addr[SLAB_LANES];
    _Alignas(64) u8 packed[SLAB_LANES * 16];
    struct launch *l = w->launch;
    u32 size = 1u << texture_of(w, in).format->log_b, first = (u32)__builtin_ctz(lanes);
    for (u32 i = 0; i < SLAB_LANES; i++) addr[i] = s[lanes >> i & 1 ? i : first].addr[k] & ~(size - 1);
    struct maccess a = {.w = w,
                        .frame = g->frame,
                        .slab = slab,
                        .mask = lanes,
                        .size_b = size,
                        .align_b = size,
                        .ops = l->ops,
                        .hint = &l->hints[in - l->k->code],
                        .addr = addr};
    if (!access_load(w, g, in, slab, &a, packed)) return false;
    for (u32 rest = lanes; rest; rest &= rest - 1) {
        u32 i = (u32)__builtin_ctz(rest);
        memcpy(&words[i][k], packed + (size_t)i * size, size);
    }
    return true;
}

void exec_rv_tex(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct texture x = texture_of(w, in);
    struct sample s[MAX_WARP];
    u32 words[MAX_WARP][4] = {{0}}, texels = x.unit->bilinear ? 4 : 1, unit = in->aux % RV_TEX_UNITS;
    if (!x.unit->placed) {
        fault_at(w, in, (int)rv_leader(w, mask), "tex of texture unit %u, whose address (CSR 0x%x) was never written", unit,
                 x.month->csr + unit * x.month->csrs);
        return;
    }
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        u32 at[2] = {(u32)opnd_read(w, g, &in->s[0], lane), (u32)opnd_read(w, g, &in->s[1], lane)};
        place(&x, at, (u32)opnd_read(w, g, &in->s[2], lane), &s[lane]);
    }
    for (u32 k = 0; k < texels; k++) /* the timing model sees a texel of all lanes, then the next */
        for (u32 i = 0; i < w->nslabs; i++) {
            u32 lanes = (u32)(mask >> 32 * i);
            if (lanes && !fetch(w, g, in, i, lanes, k, s + i * SLAB_LANES, words + i * SLAB_LANES)) return;
        }
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        opnd_write(w, g, &in->d, lane, filtered(&x, &s[lane], words[lane]));
    }
}
