/* aes: byte by byte, as FIPS 197 describes it; the substitution table by logarithms to the base 3.
 * Bit-exact. */
#include "../ref.h"

#define ROUNDS 10

static u8 doubled(u8 x) { return (u8)(x & 0x80 ? x << 1 ^ 0x1B : x << 1); }

static void fill_sbox(u8 sbox[256]) {
    u8 power[255], logarithm[256] = {0}, x = 1;
    for (u32 i = 0; i < 255; i++) {
        power[i] = x;
        logarithm[x] = (u8)i;
        x = (u8)(doubled(x) ^ x);
    }
    for (u32 v = 0; v < 256; v++) {
        u32 inverse = v ? power[(255 - logarithm[v]) % 255] : 0, result = 0x63;
        for (u32 bit = 0; bit < 8; bit++)
            for (u32 k = 4; k < 9; k++) result ^= (inverse >> (bit + k) % 8 & 1) << bit;
        sbox[v] = (u8)result;
    }
}

static void expand_key(const u8 *sbox, const u8 *key, u8 out[ROUNDS + 1][16]) {
    u8 *bytes = out[0], factor = 1;
    memcpy(bytes, key, 16);
    for (u32 i = 16; i < 16 * (ROUNDS + 1); i += 4) {
        u8 word[4];
        memcpy(word, bytes + i - 4, 4);
        if (i % 16 == 0) {
            u8 first = word[0];
            for (u32 k = 0; k < 4; k++) word[k] = sbox[k < 3 ? word[k + 1] : first];
            word[0] ^= factor;
            factor = doubled(factor);
        }
        for (u32 k = 0; k < 4; k++) bytes[i + k] = bytes[i + k - 16] ^ word[k];
    }
}

static void add(u8 state[16], const u8 *key) {
    for (u32 i = 0; i < 16; i++) state[i] ^= key[i];
}

static void substitute_and_shift(u8 state[16], const u8 *sbox) {
    u8 old[16];
    memcpy(old, state, 16);
    for (u32 column = 0; column < 4; column++)
        for (u32 row = 0; row < 4; row++) state[4 * column + row] = sbox[old[4 * ((column + row) % 4) + row]];
}

static void mix(u8 *c) {
    u8 all = c[0] ^ c[1] ^ c[2] ^ c[3], first = c[0];
    for (u32 row = 0; row < 4; row++) c[row] ^= (u8)(all ^ doubled(c[row] ^ (row < 3 ? c[row + 1] : first)));
}

bool workload_ref_aes(struct workload_buffers *b) {
    u64 n = ref_count(b, "in");
    const u8 *in = ref_u8(b, "in", n), *key = ref_u8(b, "key", 16);
    u8 *out = ref_u8(b, "out", n), sbox[256], keys[ROUNDS + 1][16];
    if (!in || !key || !out || n % 16) return false;
    fill_sbox(sbox);
    expand_key(sbox, key, keys);
    memcpy(out, in, n);
    for (u8 *state = out; state < out + n; state += 16) {
        add(state, keys[0]);
        for (u32 round = 1; round <= ROUNDS; round++) {
            substitute_and_shift(state, sbox);
            for (u32 column = 0; column < 4 && round < ROUNDS; column++) mix(state + 4 * column);
            add(state, keys[round]);
        }
    }
    return true;
}
