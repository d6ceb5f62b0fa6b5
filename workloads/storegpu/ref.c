/* storegpu: SHA-1 of byte strings as FIPS 180 describes it, with the whole schedule of 80 words.
 * Bit-exact. */
#include "../ref.h"

#define CHUNK  256
#define WINDOW 48

static u32 rotl(u32 x, u32 by) { return x << by | x >> (32 - by); }

static void sha1_block(u32 h[5], const u8 *block) {
    u32 w[80], v[5];
    for (u32 i = 0; i < 16; i++)
        w[i] = (u32)block[4 * i] << 24 | (u32)block[4 * i + 1] << 16 | (u32)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (u32 i = 16; i < 80; i++) w[i] = rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    memcpy(v, h, sizeof v);
    for (u32 i = 0; i < 80; i++) {
        static const u32 k[4] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
        u32 parity = v[1] ^ v[2] ^ v[3], choose = (v[1] & v[2]) | (~v[1] & v[3]);
        u32 majority = (v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3]);
        u32 f = i / 20 == 0 ? choose : i / 20 == 2 ? majority : parity;
        u32 t = rotl(v[0], 5) + f + v[4] + k[i / 20] + w[i];
        memmove(v + 1, v, 4 * sizeof *v);
        v[2] = rotl(v[2], 30);
        v[0] = t;
    }
    for (u32 i = 0; i < 5; i++) h[i] += v[i];
}

static void sha1(const u8 *data, u64 len, u32 h[5]) {
    static const u32 first[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    u8 last[128] = {0};
    u64 whole = len / 64 * 64, rest = len - whole, padded = rest < 56 ? 64 : 128;
    memcpy(h, first, sizeof first);
    for (u64 at = 0; at < whole; at += 64) sha1_block(h, data + at);
    memcpy(last, data + whole, rest);
    last[rest] = 0x80;
    for (u32 i = 0; i < 8; i++) last[padded - 1 - i] = (u8)(8 * len >> 8 * i);
    for (u64 at = 0; at < padded; at += 64) sha1_block(h, last + at);
}

bool workload_ref_storegpu(struct workload_buffers *b) {
    u64 bytes = ref_count(b, "data"), blocks = bytes / CHUNK, windows = (bytes - WINDOW) / 4 + 1;
    const u8 *data = ref_u8(b, "data", bytes);
    u32 *digests = ref_u32(b, "digests", 5 * blocks), *marks = ref_u32(b, "marks", windows), h[5];
    if (!data || bytes < CHUNK || bytes % CHUNK || !digests || !marks) return false;
    for (u64 i = 0; i < blocks; i++) {
        sha1(data + i * CHUNK, CHUNK, h);
        for (u64 k = 0; k < 5; k++) digests[k * blocks + i] = h[k];
    }
    for (u64 i = 0; i < windows; i++) {
        sha1(data + 4 * i, WINDOW, h);
        marks[i] = h[0];
    }
    return true;
}
