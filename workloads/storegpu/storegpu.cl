/* Hashing as storage systems use it, SHA-1: storegpu_direct hashes blocks of 256 bytes, one per work-item, so
 * lanes read 256 bytes apart; storegpu_sliding hashes a window of 48 bytes at every fourth byte, staged in
 * local memory, to find block borders. Long dependent chains of integer operations; the 16 words of the
 * schedule stay in registers. */
#define CHUNK  256
#define WINDOW 48
#define GROUP  64

static uint big_endian(uint x) { return (rotate(x, 8u) & 0x00FF00FFu) | (rotate(x, 24u) & 0xFF00FF00u); }

struct digest {
    uint h[5];
};

static void start(struct digest *d) {
    d->h[0] = 0x67452301;
    d->h[1] = 0xEFCDAB89;
    d->h[2] = 0x98BADCFE;
    d->h[3] = 0x10325476;
    d->h[4] = 0xC3D2E1F0;
}

/* One block of 16 words, which are used up */
static void mix(struct digest *d, uint *w) {
    uint a = d->h[0], b = d->h[1], c = d->h[2], e = d->h[3], f = d->h[4];
#pragma unroll
    for (uint i = 0; i < 80; i++) {
        if (i >= 16) w[i & 15] = rotate(w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[i & 15], 1u);
        uint choice = i < 20 ? bitselect(e, c, b) : i < 40 || i >= 60 ? b ^ c ^ e : (b & c) | (e & (b | c));
        uint round_constant = i < 20 ? 0x5A827999 : i < 40 ? 0x6ED9EBA1 : i < 60 ? 0x8F1BBCDC : 0xCA62C1D6;
        uint sum = rotate(a, 5u) + choice + f + round_constant + w[i & 15];
        f = e;
        e = c;
        c = rotate(b, 30u);
        b = a;
        a = sum;
    }
    d->h[0] += a;
    d->h[1] += b;
    d->h[2] += c;
    d->h[3] += e;
    d->h[4] += f;
}

/* digests: five planes of one word per block */
__kernel void storegpu_direct(__global const uint *data, __global uint *digests, uint blocks) {
    uint i = get_global_id(0);
    if (i >= blocks) return;
    struct digest d;
    uint w[16];
    start(&d);
    for (uint part = 0; part < CHUNK / 64; part++) {
#pragma unroll
        for (uint k = 0; k < 16; k++) w[k] = big_endian(data[i * (CHUNK / 4) + part * 16 + k]);
        mix(&d, w);
    }
#pragma unroll
    for (uint k = 0; k < 16; k++) w[k] = k == 0 ? 0x80000000 : k == 15 ? CHUNK * 8 : 0;
    mix(&d, w);
    for (uint k = 0; k < 5; k++) digests[k * blocks + i] = d.h[k];
}

/* marks: the first word of each window's digest */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void storegpu_sliding(__global const uint *data, __global uint *marks,
                                                                                  uint windows) {
    __local uint staged[GROUP + WINDOW / 4];
    uint me = get_local_id(0), i = get_global_id(0), words = windows + WINDOW / 4 - 1;
    for (uint k = me; k < GROUP + WINDOW / 4; k += GROUP) {
        uint at = get_group_id(0) * GROUP + k;
        staged[k] = at < words ? big_endian(data[at]) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i >= windows) return;
    struct digest d;
    uint w[16];
    start(&d);
#pragma unroll
    for (uint k = 0; k < 16; k++)
        w[k] = k < WINDOW / 4 ? staged[me + k] : k == WINDOW / 4 ? 0x80000000 : k == 15 ? WINDOW * 8 : 0;
    mix(&d, w);
    marks[i] = d.h[0];
}
