/* tex: the texture units of Vortex of October 2021 (commit d64bc880), bit for bit.
 *
 * A core has two. A program describes what they read by CSRs (rv.h, struct rv_tex_unit): an address, a
 * format, how coordinates outside are taken, a filter, and for each of 16 levels its distance in bytes from
 * the address and the logarithms of its width and height. Coordinates have 20 bits behind the point; the
 * level is the four bits above the point of the third operand, so a program that wants a filter between
 * levels reads two.
 *
 *   coordinate -> 20 bits (clamp, repeat, mirror) -> column and row -> address -> 8 bits a channel -> blends
 *
 * With the bilinear filter a read has four texels, half a texel left and right, above and below. They are
 * weighed by the low 8 bits of the upper left coordinate as it was given, not of its place between texels: so
 * the RTL has it (VX_tex_addr), and so 4-bit red has the halves of red and alpha (VX_tex_format). What the
 * RTL does and this does not: where the words of all threads are one word, it gives it to thread 0 alone, and
 * zero to the others (VX_tex_mem). */
#include "func/rv.h"

#include <string.h>

enum { FRAC = 20, PART = (1 << FRAC) - 1 }; /* bits of a coordinate behind the point */
enum wrap { WRAP_CLAMP, WRAP_REPEAT, WRAP_MIRROR };
enum format { RGBA8, R5G6B5, RGBA4, L8A8, L8, A8 };

struct sample {    /* one lane's */
    u32 addr[4];   /* of its texels: upper left, upper right, lower left, lower right */
    u32 weight[2]; /* of the right, and the lower ones, in 256ths */
};

/* --- what a unit reads */

static struct rv_tex_unit *units_of(const struct warp *w) {
    struct rv_shared *s = rv_of(w)->shared;
    while (s->textures.n <= w->cta->linear) VEC_PUSH(&s->textures, (struct rv_textures){0});
    return s->textures.at[w->cta->linear].unit;
}

void rv_tex_state(const struct warp *w, u32 number, u32 v) {
    struct rv_tex_unit *u = &units_of(w)[(number - RV_TEX_CSR) / RV_TEX_CSRS];
    struct rv_tex_level *level = &u->level[v >> 28];
    switch ((number - RV_TEX_CSR) % RV_TEX_CSRS) {
    case 0: u->address = v, u->placed = true; break;
    case 1: u->format = v & 7; break;
    case 2: u->wrap[0] = v & 3, u->wrap[1] = v >> 2 & 3; break;
    case 3: u->bilinear = v & 1; break;
    case 4: level->offset = v & 0x1FFFFFF; break;
    case 5: level->log[0] = v & 15; break;
    default: level->log[1] = v & 15; break;
    }
}

/* The logarithm of a texel's bytes */
static u32 log_texel(u32 format) {
    return format == L8 || format == A8 ? 0 : format == R5G6B5 || format == RGBA4 || format == L8A8 ? 1 : 2;
}

/* --- coordinates to addresses */

static u32 wrapped(u32 c, u32 how) {
    bool mirrored = c >> FRAC & 1;
    switch (how) {
    case WRAP_CLAMP: return c >> 31 ? 0 : c > PART ? PART : c;
    case WRAP_MIRROR: return mirrored ? ~c & PART : c & PART;
    default: return c & PART;
    }
}

/* Column or row, of which the hardware has twelve bits */
static u32 texel_of(u32 part, u32 log) { return part << log >> FRAC; }

static void place(const struct rv_tex_unit *u, const u32 coords[2], u32 lod, struct sample *s) {
    const struct rv_tex_level *level = &u->level[lod >> FRAC & (RV_TEX_LEVELS - 1)];
    u32 stride = log_texel(u->format), at[2][2], base = u->address + level->offset;
    for (u32 i = 0; i < 2; i++) {
        u32 half = u->bilinear ? 1u << (FRAC - 1) >> level->log[i] : 0;
        u32 low = wrapped(coords[i] - half, u->wrap[i]), high = wrapped(coords[i] + half, u->wrap[i]);
        at[i][0] = texel_of(low, level->log[i]), at[i][1] = texel_of(high, level->log[i]);
        s->weight[i] = u->bilinear ? low & 255 : 0;
    }
    for (u32 k = 0; k < 4; k++) {
        u32 row = at[1][k >> 1] << (level->log[0] + stride) & 0x3FFFFFF; /* as wide as the hardware's */
        s->addr[k] = base + row + (at[0][k & 1] << stride);
    }
}

/* --- texels to a colour */

static u32 rgba(u32 r, u32 g, u32 b, u32 a) { return r | g << 8 | b << 16 | a << 24; }
static u32 five(u32 v) { return (v & 31) << 3 | (v >> 2 & 7); }
static u32 six(u32 v) { return (v & 63) << 2 | (v >> 4 & 3); }
static u32 four(u32 v) { return (v & 15) * 17; }

static u32 colour(u32 format, u32 t) {
    switch (format) {
    case RGBA8: return t;
    case R5G6B5: return rgba(five(t >> 11), six(t >> 5), five(t), 255);
    case RGBA4: return rgba((t >> 8 & 15) << 4 | (t >> 12 & 15), four(t >> 4), four(t), four(t >> 12));
    case L8A8: return rgba(t & 255, t & 255, t & 255, t >> 8 & 255);
    case L8: return rgba(t & 255, t & 255, t & 255, 255);
    default: return rgba(0, 0, 0, t & 255); /* A8 */
    }
}

static u32 blend(u32 a, u32 b, u32 weight) {
    u32 out = 0;
    for (u32 i = 0; i < 32; i += 8) out |= ((a >> i & 255) * (256 - weight) + (b >> i & 255) * weight) >> 8 << i;
    return out;
}

/* Of a word, or of the half of it, that holds the texel; its address need not be a multiple of its size */
static u32 aligned(u32 format, u32 word, u32 addr) {
    u32 size = log_texel(format), t = word;
    if (size == 2 && addr & 2) t = (t & 0xFFFF0000) | t >> 16;
    if (size && addr & 1) t = (t & 0xFFFFFF00) | (t >> 8 & 255);
    return t;
}

static u32 filtered(const struct rv_tex_unit *u, const struct sample *s, const u32 words[4]) {
    u32 t[4];
    for (u32 k = 0; k < 4; k++) t[k] = colour(u->format, aligned(u->format, words[k], s->addr[k]));
    if (!u->bilinear) return t[0];
    return blend(blend(t[0], t[1], s->weight[0]), blend(t[2], t[3], s->weight[0]), s->weight[1]);
}

/* --- the instruction */

/* Texel k of a slab's lanes: s and words are those of its first lane on */
static bool fetch(struct warp *w, const struct group *g, const struct inst *in, u32 slab, u32 lanes, u32 k,
                  const struct sample *s, u32 (*words)[4]) {
    _Alignas(64) u64 addr[SLAB_LANES];
    _Alignas(64) u8 packed[SLAB_LANES * 16];
    struct launch *l = w->launch;
    u32 size = 1u << log_texel(units_of(w)[in->aux].format), first = (u32)__builtin_ctz(lanes);
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
    const struct rv_tex_unit *u = &units_of(w)[in->aux];
    struct sample s[MAX_WARP];
    u32 words[MAX_WARP][4] = {{0}}, texels = u->bilinear ? 4 : 1;
    if (!u->placed) {
        fault_at(w, in, (int)rv_leader(w, mask), "tex of texture unit %u, whose address (CSR 0x%x) was never written", in->aux,
                 RV_TEX_CSR + in->aux * RV_TEX_CSRS);
        return;
    }
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        u32 at[2] = {(u32)opnd_read(w, g, &in->s[0], lane), (u32)opnd_read(w, g, &in->s[1], lane)};
        place(u, at, (u32)opnd_read(w, g, &in->s[2], lane), &s[lane]);
    }
    for (u32 k = 0; k < texels; k++) /* the timing model sees a texel of all lanes, then the next */
        for (u32 i = 0; i < w->nslabs; i++) {
            u32 lanes = (u32)(mask >> 32 * i);
            if (lanes && !fetch(w, g, in, i, lanes, k, s + i * SLAB_LANES, words + i * SLAB_LANES)) return;
        }
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        opnd_write(w, g, &in->d, lane, filtered(u, &s[lane], words[lane]));
    }
}
