/* AES-128, block by block (electronic code book), a block per work-item. aes_sbox computes the substitution
 * table, aes_keys the eleven round keys, aes_encrypt does the work with the table in local memory: byte-wise
 * lookups full of bank conflicts, and integer logic. No divergence. */
#define ROUNDS 10

static uint times2(uint x) { return (x << 1 ^ (x >> 7) * 0x11B) & 0xFF; }

/* Product in the field of 256 elements, modulo x^8 + x^4 + x^3 + x + 1 */
static uint times(uint x, uint y) {
    uint product = 0;
    for (; y; y >>= 1, x = times2(x))
        if (y & 1) product ^= x;
    return product;
}

/* The inverse is the 254th power */
__kernel void aes_sbox(__global uchar *sbox) {
    uint x = get_global_id(0), power = x, inverse = 1;
    if (x >= 256) return;
    for (uint bit = 1; bit < 8; bit++) {
        power = times(power, power);
        inverse = times(inverse, power);
    }
    uint wide = inverse * 0x101;
    sbox[x] = (wide ^ wide >> 4 ^ wide >> 5 ^ wide >> 6 ^ wide >> 7 ^ 0x63) & 0xFF;
}

/* Words are little-endian: the first byte of a column is the lowest */
__kernel void aes_keys(__global const uchar *sbox, __global const uint *key, __global uint *round_key) {
    if (get_global_id(0) != 0) return;
    uint round_constant = 1;
    for (uint i = 0; i < 4; i++) round_key[i] = key[i];
    for (uint i = 4; i < 4 * (ROUNDS + 1); i++) {
        uint word = round_key[i - 1];
        if (i % 4 == 0) {
            word = word >> 8 | word << 24;
            word = sbox[word & 255] | sbox[word >> 8 & 255] << 8 | sbox[word >> 16 & 255] << 16 | (uint)sbox[word >> 24] << 24;
            word ^= round_constant;
            round_constant = times2(round_constant);
        }
        round_key[i] = round_key[i - 4] ^ word;
    }
}

/* The four bytes of a column doubled in the field, side by side */
static uint double_bytes(uint w) { return (w << 1 & 0xFEFEFEFE) ^ (w >> 7 & 0x01010101) * 0x1B; }

static uint mix_column(uint w) {
    uint right = w >> 8 | w << 24;
    return double_bytes(w ^ right) ^ right ^ (w >> 16 | w << 16) ^ (w >> 24 | w << 8);
}

/* Substitution and shift of rows in one: row r of the new column comes from column + r */
static uint pick(__local const uchar *s, uint a, uint b, uint c, uint d) {
    return s[a & 255] | s[b >> 8 & 255] << 8 | s[c >> 16 & 255] << 16 | (uint)s[d >> 24] << 24;
}

__kernel void aes_encrypt(__global const uint4 *in, __global uint4 *out, __global const uchar *sbox,
                          __global const uint *round_key, uint blocks) {
    __local uchar s[256];
    __local uint keys[4 * (ROUNDS + 1)];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) s[i] = sbox[i];
    for (uint i = get_local_id(0); i < 4 * (ROUNDS + 1); i += get_local_size(0)) keys[i] = round_key[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint block = get_global_id(0);
    if (block >= blocks) return;

    uint4 state = in[block] ^ vload4(0, keys);
    for (uint round = 1; round < ROUNDS; round++) {
        uint4 moved = (uint4)(pick(s, state.x, state.y, state.z, state.w), pick(s, state.y, state.z, state.w, state.x),
                              pick(s, state.z, state.w, state.x, state.y), pick(s, state.w, state.x, state.y, state.z));
        state = (uint4)(mix_column(moved.x), mix_column(moved.y), mix_column(moved.z), mix_column(moved.w)) ^ vload4(round, keys);
    }
    out[block] = (uint4)(pick(s, state.x, state.y, state.z, state.w), pick(s, state.y, state.z, state.w, state.x),
                         pick(s, state.z, state.w, state.x, state.y), pick(s, state.w, state.x, state.y, state.z)) ^
                 vload4(ROUNDS, keys);
}
