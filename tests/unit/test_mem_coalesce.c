/* The coalescer and the banks of shared memory against definitions written byte by byte and word by word. */
#include "mem_play.h"

struct lanes {
    u64 addr[32];
    u32 mask, size_b;
};

/* --- lines: the definition */

/* Lanes whose bytes touch each line, in order of first lane */
static u32 naive_lines(const struct lanes *slab, u32 slabs, u32 line_b, struct line_access *out) {
    u32 n = 0;
    for (u32 s = 0; s < slabs; s++)
        for (u32 l = 0; l < 32; l++)
            for (u32 byte = 0; slab[s].mask >> l & 1 && byte < slab[s].size_b; byte++) {
                u64 at = slab[s].addr[l] + byte, line = at / line_b * line_b;
                u32 i = 0;
                while (i < n && out[i].line != line) i++;
                if (i == n) out[n++] = (struct line_access){.line = line, .same = 1};
                out[i].sectors |= 1u << (at - line) / 32;
                out[i].lanes |= 1ull << (l + 32 * s);
                if (byte == 0 && ++out[i].count[(at - line) / 4] > out[i].same) out[i].same = out[i].count[(at - line) / 4];
            }
    return n;
}

static void assert_lines(const struct lanes *slab, u32 slabs, u32 line_b) {
    static struct line_access want[MAX_LINES], got[MAX_LINES];
    memset(got, 0xa5, sizeof got);
    u32 n = naive_lines(slab, slabs, line_b, want), m = 0;
    for (u32 s = 0; s < slabs; s++) m = coalesce_lines(slab[s].addr, slab[s].mask, slab[s].size_b, line_b, 32 * s, got, m);
    assert_int_equal(n, m);
    for (u32 i = 0; i < n; i++) {
        assert_int_equal(want[i].line, got[i].line);
        assert_int_equal(want[i].sectors, got[i].sectors);
        assert_int_equal(want[i].lanes, got[i].lanes);
        assert_int_equal(want[i].same, got[i].same);
        assert_memory_equal(want[i].count, got[i].count, sizeof want[i].count);
    }
}

/* One of the shapes that addresses come in */
static void random_lanes(struct lanes *w, u64 *seed, u32 line_b) {
    u64 r = play_random(seed), base = (r >> 20) % 65536 * 8, stride = (r >> 36) % 40;
    w->size_b = 1u << r % 5;
    w->mask = (r >> 3) % 2 ? UINT32_MAX : (u32)play_random(seed);
    u32 shape = (u32)(r >> 4) % 8;
    for (u32 l = 0; l < 32; l++) {
        u64 x = play_random(seed);
        switch (shape) {
        case 0: w->addr[l] = base; break;
        case 1: w->addr[l] = base + l * w->size_b; break;
        case 2: w->addr[l] = base / line_b * line_b + x % line_b / w->size_b * w->size_b; break;
        case 3: w->addr[l] = base + l * stride * w->size_b; break;
        case 4: w->addr[l] = x % (1ull << 40) / w->size_b * w->size_b; break;
        case 5: w->addr[l] = base + x % 512; break; /* not aligned */
        case 6: w->addr[l] = base + (31 - l) * w->size_b; break;
        default: w->addr[l] = base + 2 + l * w->size_b; /* consecutive and not aligned */
        }
    }
}

static void lines_are_as_defined(void **state) {
    (void)state;
    u64 seed = 7;
    for (u32 i = 0; i < 30000; i++) {
        struct lanes w[2];
        u32 line_b = 32u << i % 3, slabs = 1 + (i / 3) % 2;
        for (u32 s = 0; s < slabs; s++) random_lanes(&w[s], &seed, line_b);
        assert_lines(w, slabs, line_b);
    }
}

static void no_lane_no_line(void **state) {
    (void)state;
    struct line_access out[1];
    u64 addr[32] = {0};
    assert_int_equal(coalesce_lines(addr, 0, 4, 128, 0, out, 0), 0);
    assert_int_equal(coalesce_lines(addr, 0, 4, 128, 0, out, 1), 1);
}

static void a_full_warp_of_words_is_one_line(void **state) {
    (void)state;
    struct line_access out[MAX_LINES];
    u64 addr[32];
    for (u32 l = 0; l < 32; l++) addr[l] = 4096 + 4 * l;
    assert_int_equal(coalesce_lines(addr, UINT32_MAX, 4, 128, 0, out, 0), 1);
    assert_int_equal(out[0].line, 4096);
    assert_int_equal(out[0].sectors, 15);
    assert_int_equal(out[0].lanes, UINT32_MAX);
    assert_int_equal(out[0].same, 1);
    for (u32 l = 0; l < 32; l++) addr[l] = 4096;
    assert_int_equal(coalesce_lines(addr, UINT32_MAX, 4, 128, 0, out, 0), 1);
    assert_int_equal(out[0].same, 32);
    assert_int_equal(coalesce_lines(addr, UINT32_MAX, 4, 128, 32, out, 1), 1);
    assert_int_equal(out[0].same, 64);
}

/* --- shared memory: the definition */

static u32 naive_pass(const struct lanes *w, u32 first, u32 n, u32 banks, bool atomic) {
    u32 most = 0;
    for (u32 bank = 0; bank < banks; bank++) {
        u64 word[128];
        u32 count = 0;
        for (u32 l = first; l < first + n; l++)
            for (u32 k = 0; w->mask >> l & 1 && k < (w->size_b + 3) / 4; k++) {
                u64 x = w->addr[l] / 4 + k;
                u32 i = 0;
                while (i < count && word[i] != x) i++;
                if (x % banks == bank && (i == count || atomic)) word[count++] = x;
            }
        most = MAX(most, count);
    }
    return most;
}

static u32 naive_shared(const struct lanes *w, u32 banks, u32 together, bool atomic) {
    u32 parts = MAX(w->size_b / 4, 1u) * 32 / together, sum = 0;
    for (u32 i = 0; i < parts; i++) sum += naive_pass(w, i * 32 / parts, 32 / parts, banks, atomic);
    return sum;
}

static void shared_cycles_are_as_defined(void **state) {
    (void)state;
    u64 seed = 99;
    for (u32 i = 0; i < 30000; i++) {
        struct lanes w;
        random_lanes(&w, &seed, 128);
        for (u32 l = 0; l < 32; l++) w.addr[l] = w.addr[l] / w.size_b * w.size_b % 49152;
        u32 banks = 1u << i % 7, together = 32u >> i / 28 % 4;
        bool atomic = i / 7 % 4 == 0;
        assert_int_equal(shared_cycles(w.addr, w.mask, w.size_b, banks, together, atomic),
                         naive_shared(&w, banks, together, atomic));
    }
}

static void known_conflicts(void **state) {
    (void)state;
    u64 addr[32];
    for (u32 stride = 1; stride <= 32; stride *= 2) {
        for (u32 l = 0; l < 32; l++) addr[l] = 4ull * l * stride;
        assert_int_equal(shared_cycles(addr, UINT32_MAX, 4, 32, 32, false), stride);
    }
    for (u32 l = 0; l < 32; l++) addr[l] = 64;
    assert_int_equal(shared_cycles(addr, UINT32_MAX, 4, 32, 32, false), 1); /* all lanes the same word */
    assert_int_equal(shared_cycles(addr, UINT32_MAX, 4, 32, 32, true), 32); /* unless each changes it */
    assert_int_equal(shared_cycles(addr, 0, 4, 32, 32, false), 0);
    for (u32 l = 0; l < 32; l++) addr[l] = 8 * l;
    assert_int_equal(shared_cycles(addr, UINT32_MAX, 8, 32, 32, false), 2);
    for (u32 l = 0; l < 32; l++) addr[l] = 16 * l;
    assert_int_equal(shared_cycles(addr, UINT32_MAX, 16, 32, 32, false), 4);
    assert_int_equal(shared_cycles(addr, 0xff, 16, 32, 32, false), 1); /* a quarter of the lanes */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_as_defined),
        cmocka_unit_test(no_lane_no_line),
        cmocka_unit_test(a_full_warp_of_words_is_one_line),
        cmocka_unit_test(shared_cycles_are_as_defined),
        cmocka_unit_test(known_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
