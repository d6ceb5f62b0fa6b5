/* The address map: every slice gets its share, and inside a slice no two addresses meet. */
#include "mem_play.h"

static const struct {
    u32 partitions, slices, interleave_b;
} maps[] = {{1, 1, 256}, {2, 1, 256}, {6, 1, 256}, {5, 3, 128}, {8, 2, 512}, {40, 2, 4096}, {12, 4, 65536}, {128, 16, 128}};

static struct config map_config(u32 i, u32 hash) {
    struct config c = play_config();
    c.partitions = maps[i].partitions, c.slices = maps[i].slices, c.map_interleave_b = maps[i].interleave_b, c.map_hash = hash;
    return c;
}

/* The first n chunks of every slice are exactly those of n groups: each place is met once */
static void inside_is_one_to_one(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(maps); i++)
        for (u32 hash = MAP_NONE; hash <= MAP_XOR; hash++) {
            struct config c = map_config(i, hash);
            u32 n = c.partitions * c.slices, groups = 64;
            u8 *met = base_alloc((size_t)n * groups);
            for (u64 chunk = 0; chunk < (u64)n * groups; chunk++) {
                u64 addr = chunk * c.map_interleave_b + chunk % c.map_interleave_b;
                u32 slice = map_slice(&c, addr);
                u64 inside = map_inside(&c, addr);
                assert_true(slice < n);
                assert_int_equal(inside % c.map_interleave_b, addr % c.map_interleave_b);
                assert_true(inside / c.map_interleave_b < groups);
                assert_int_equal(met[slice * groups + inside / c.map_interleave_b]++, 0);
            }
            free(met);
        }
}

static void a_chunk_lies_in_one_slice(void **state) {
    (void)state;
    struct config c = map_config(3, MAP_XOR);
    for (u64 chunk = 0; chunk < 1000; chunk++) {
        u64 first = chunk * c.map_interleave_b, last = first + c.map_interleave_b - 1;
        assert_int_equal(map_slice(&c, first), map_slice(&c, last));
        assert_int_equal(map_inside(&c, last), map_inside(&c, first) + c.map_interleave_b - 1);
        struct place both = map_place(&c, last);
        assert_int_equal(both.slice, map_slice(&c, last));
        assert_int_equal(both.inside, map_inside(&c, last));
    }
}

/* Strides that are powers of two, at high addresses: none gets more than twice its share with the hash, while
 * one slice gets all without */
static void the_hash_spreads_strides(void **state) {
    (void)state;
    for (u32 shift = 8; shift <= 20; shift++) {
        struct config c = map_config(4, MAP_XOR); /* 16 slices */
        u32 count[16] = {0};
        for (u64 i = 0; i < 4096; i++) count[map_slice(&c, 0x700000000ull + (i << shift))]++;
        for (u32 s = 0; s < 16; s++)
            if (count[s] > 512) fail_msg("stride 2^%u: slice %u gets %u of 4096", shift, s, count[s]);
    }
}

static void plain_is_modulo(void **state) {
    (void)state;
    struct config c = map_config(2, MAP_NONE);
    for (u64 chunk = 0; chunk < 100; chunk++) {
        assert_int_equal(map_slice(&c, chunk * 256 + 17), chunk % 6);
        assert_int_equal(map_inside(&c, chunk * 256 + 17), chunk / 6 * 256 + 17);
    }
}

/* Each cluster of SMs has slices of its own for all of memory */
static void clusters_have_their_own(void **state) {
    (void)state;
    struct config c = map_config(1, MAP_NONE);
    c.sms = 32, c.partitions = 1, c.slices = 16, c.clusters = 4, c.map_interleave_b = 256;
    for (u64 chunk = 0; chunk < 100; chunk++)
        for (u32 sm = 0; sm < 32; sm++) {
            struct place p = map_place_of(&c, sm, chunk * 256 + 17);
            assert_int_equal(p.slice, sm / 8 * 4 + chunk % 4);
            assert_int_equal(p.inside, chunk / 4 * 256 + 17);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside_is_one_to_one),     cmocka_unit_test(a_chunk_lies_in_one_slice),
        cmocka_unit_test(the_hash_spreads_strides), cmocka_unit_test(plain_is_modulo),
        cmocka_unit_test(clusters_have_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
