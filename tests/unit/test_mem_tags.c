/* Tags and MSHRs against models a few lines long, with random operations. */
#include "mem_play.h"

/* --- tags: the model keeps a list of lines in order of use (LRU) or arrival (FIFO) for each set */

struct line {
    u64 addr;
    u32 valid, dirty, pending;
};
struct model {
    u32 sets, ways, line_b;
    bool fifo;
    struct line *line; /* [set][0..n): oldest first */
    u32 *n;
};

static u32 set_of(const struct model *m, u64 addr) { return (u32)(addr / m->line_b % m->sets); }

static struct line *model_find(struct model *m, u64 addr) {
    u32 s = set_of(m, addr);
    for (u32 i = 0; i < m->n[s]; i++)
        if (m->line[s * m->ways + i].addr == addr) return &m->line[s * m->ways + i];
    return NULL;
}

static void model_remove(struct model *m, struct line *l) {
    u32 s = set_of(m, l->addr);
    struct line *end = &m->line[s * m->ways + --m->n[s]];
    memmove(l, l + 1, (size_t)((char *)end - (char *)l));
}

static struct line *model_append(struct model *m, struct line l) {
    u32 s = set_of(m, l.addr);
    struct line *at = &m->line[s * m->ways + m->n[s]++];
    *at = l;
    return at;
}

static struct line *model_use(struct model *m, struct line *l) {
    if (m->fifo) return l;
    struct line copy = *l;
    model_remove(m, l);
    return model_append(m, copy);
}

/* A place for the line; NULL when all ways are pending */
static struct line *model_place(struct model *m, u64 addr, struct victim *v) {
    struct line *l = model_find(m, addr);
    *v = (struct victim){0};
    if (l) return model_use(m, l);
    u32 s = set_of(m, addr);
    if (m->n[s] == m->ways) {
        u32 i = 0;
        while (i < m->ways && m->line[s * m->ways + i].pending) i++;
        if (i == m->ways) return NULL;
        struct line *old = &m->line[s * m->ways + i];
        *v = (struct victim){.had = true, .line = old->addr, .dirty = (u8)old->dirty};
        model_remove(m, old);
    }
    return model_append(m, (struct line){.addr = addr});
}

static enum tag_result model_look(struct model *m, u64 addr, u32 sectors) {
    const struct line *l = model_find(m, addr);
    if (!l) return TAG_MISS;
    if ((l->valid & sectors) == sectors) return TAG_HIT;
    return ((l->valid | l->pending) & sectors) == sectors ? TAG_HIT_RESERVED : TAG_SECTOR_MISS;
}

static void assert_victim(struct victim a, struct victim b) {
    assert_int_equal(a.had, b.had);
    assert_int_equal(a.line, b.line);
    assert_int_equal(a.dirty, b.dirty);
}

static void place_both(struct tags *t, struct model *m, u64 addr, u32 sectors, bool reserve) {
    struct victim a, b, peek = {0};
    u32 at = 0, peek_at = 0;
    bool there = model_find(m, addr) != NULL, room = tags_peek(t, addr, &peek_at, &peek);
    struct line *l = model_place(m, addr, &b);
    bool got = reserve ? tags_reserve(t, addr, sectors, &at, &a) : tags_insert(t, addr, sectors, &at, &a);
    assert_int_equal(got, l != NULL);
    if (!there) assert_int_equal(room, got);
    if (!got) return;
    assert_victim(a, b);
    if (!there) assert_victim(peek, b);
    if (!there) assert_int_equal(peek_at, at);
    assert_int_equal(t->tag[at], addr + 1);
    if (reserve) {
        l->pending |= sectors & ~l->valid;
        return;
    }
    l->valid |= sectors;
    t->dirty[at] |= (u8)sectors; /* as a write does */
    l->dirty |= sectors;
}

/* FIFO counts from the fill: a line without a valid sector that gets one moves to the young end */
static void fill_both(struct tags *t, struct model *m, u64 addr) {
    struct line *l = model_find(m, addr);
    u32 sectors = l ? l->pending : 1;
    u32 at = tags_fill(t, addr, sectors);
    assert_int_equal(at == UINT32_MAX, l == NULL);
    if (!l) return;
    if (m->fifo && !l->valid) {
        struct line copy = *l;
        model_remove(m, l);
        l = model_append(m, copy);
    }
    l->valid |= sectors;
    l->pending = 0;
}

static void random_tags(u32 sets, u32 ways, u32 sector_b, bool fifo, u32 steps) {
    struct tags t;
    tags_init(&t, sets, ways, 128, sector_b, fifo);
    struct model m = {.sets = sets, .ways = ways, .line_b = 128, .fifo = fifo};
    m.line = base_alloc((size_t)sets * ways * sizeof(*m.line));
    m.n = base_alloc(sets * sizeof(*m.n));
    u64 seed = 42 + sets * 7 + ways;
    for (u32 i = 0; i < steps; i++) {
        u64 r = play_random(&seed), addr = r % (2ull * sets * ways) * 128;
        u32 sectors = (u32)(r >> 30) % ((1u << 128 / sector_b) - 1) + 1, at = 0, op = (u32)(r >> 40) % 8;
        struct line *l = model_find(&m, addr);
        enum tag_result look = tags_look(&t, addr + r % 128, sectors, &at);
        assert_int_equal(look, model_look(&m, addr, sectors));
        if (op < 3) {
            if (look == TAG_HIT) {
                tags_touch(&t, at);
                model_use(&m, l);
            } else if (look == TAG_MISS || look == TAG_SECTOR_MISS) {
                place_both(&t, &m, addr, sectors, true);
            }
        } else if (op < 5) {
            place_both(&t, &m, addr, sectors, false);
        } else if (op < 7) {
            fill_both(&t, &m, addr);
        } else {
            tags_invalidate(&t, addr);
            if (l && !l->pending) model_remove(&m, l);
        }
        if (i % 64 == 0) tags_check(&t);
    }
    free(m.line);
    free(m.n);
    tags_clear(&t);
    tags_check(&t);
    tags_free(&t);
}

static void tags_do_as_the_model(void **state) {
    (void)state;
    for (u32 fifo = 0; fifo < 2; fifo++) {
        random_tags(1, 1, 128, fifo, 5000);
        random_tags(4, 4, 128, fifo, 20000);
        random_tags(32, 4, 32, fifo, 50000);
        random_tags(16, 16, 64, fifo, 50000);
        random_tags(1, 2048, 32, fifo, 10000);
    }
}

/* The least recently used of four ways goes, and one that is pending never */
static void the_oldest_goes(void **state) {
    (void)state;
    struct tags t;
    struct victim v;
    u32 at;
    tags_init(&t, 1, 4, 128, 128, false);
    for (u64 i = 0; i < 4; i++) assert_true(tags_insert(&t, i * 128, 1, &at, &v));
    assert_int_equal(tags_look(&t, 0, 1, &at), TAG_HIT);
    tags_touch(&t, at);
    assert_true(tags_reserve(&t, 4 * 128, 1, &at, &v));
    assert_true(v.had && v.line == 128);
    for (u64 i = 5; i < 8; i++) assert_true(tags_reserve(&t, i * 128, 1, &at, &v));
    assert_true(v.line == 0);
    assert_false(tags_reserve(&t, 8 * 128, 1, &at, &v));
    tags_invalidate(&t, 5 * 128); /* reserved: stays */
    assert_int_equal(tags_look(&t, 5 * 128, 1, &at), TAG_HIT_RESERVED);
    tags_fill(&t, 5 * 128, 1);
    assert_true(tags_reserve(&t, 8 * 128, 1, &at, &v));
    assert_true(v.line == 5 * 128);
    tags_check(&t);
    tags_free(&t);
}

/* --- MSHRs: the model is a list of lines with lists of tokens */

enum { MAX_MERGE = 8 };
struct outstanding {
    u64 line;
    u32 token[MAX_MERGE], n;
};

static void random_mshrs(u32 entries, u32 merge, u32 steps) {
    struct mshr *m = mshr_new(entries, merge);
    struct outstanding *o = base_alloc(entries * sizeof(*o));
    u32 n = 0, tokens[MAX_MERGE];
    u64 seed = entries * 31 + merge;
    for (u32 i = 0; i < steps; i++) {
        u64 r = play_random(&seed), line = r % (2 * entries) * 128;
        u32 k = 0;
        while (k < n && o[k].line != line) k++;
        int e = mshr_find(m, line);
        assert_int_equal(e >= 0, k < n);
        assert_int_equal(mshr_full(m), n == entries);
        assert_int_equal(mshr_used(m), n);
        if (e < 0) {
            e = mshr_alloc(m, line);
            assert_int_equal(e < 0, n == entries);
            if (e < 0) continue;
            o[n++] = (struct outstanding){.line = line};
            mshr_wait(m, e, i);
            o[k].token[o[k].n++] = i;
        } else if ((r >> 40) % 3) {
            assert_int_equal(mshr_can_merge(m, e), o[k].n < merge);
            if (!mshr_can_merge(m, e)) continue;
            mshr_wait(m, e, i);
            o[k].token[o[k].n++] = i;
        } else {
            u64 got_line;
            u32 got;
            assert_true(mshr_get(m, (u32)e, &got_line, tokens, &got));
            assert_true(got_line == line && got == o[k].n);
            assert_int_equal(mshr_done(m, e, tokens), o[k].n);
            for (u32 j = 0; j < o[k].n; j++) assert_int_equal(tokens[j], o[k].token[j]);
            o[k] = o[--n];
        }
        if (i % 256 == 0) mshr_check(m);
    }
    mshr_clear(m);
    mshr_check(m);
    assert_int_equal(mshr_used(m), 0);
    mshr_free(m);
    free(o);
}

static void mshrs_do_as_the_model(void **state) {
    (void)state;
    random_mshrs(1, 1, 2000);
    random_mshrs(3, 2, 20000);
    random_mshrs(64, 8, 100000);
    random_mshrs(2000, 4, 50000);
}

/* 16384 lines with a stride that would put all into one slot of a plain hash; with a search through them all
 * this would not end soon */
static void large_tables_work(void **state) {
    (void)state;
    struct mshr *m = mshr_new(16384, 1);
    u32 token;
    for (u64 i = 0; i < 16384; i++) mshr_wait(m, mshr_alloc(m, i << 20), (u32)i);
    assert_true(mshr_full(m));
    for (u32 round = 0; round < 100; round++)
        for (u64 i = 0; i < 16384; i++) assert_true(mshr_find(m, i << 20) >= 0);
    for (u64 i = 0; i < 16384; i++) {
        assert_int_equal(mshr_done(m, mshr_find(m, i << 20), &token), 1);
        assert_int_equal(token, i);
    }
    mshr_check(m);
    mshr_free(m);
}

/* Bits 13, 14, 15, 17 and 19 turn bits 0 to 4 of the set; bit 12 is bit 5 of 64 sets; 16 and 18 do nothing */
static void fermi_folds_five_bits(void **state) {
    (void)state;
    static const u32 turned[][2] = {{7, 1},  {11, 16}, {12, 32}, {13, 1},  {14, 2}, {15, 4},
                                    {16, 0}, {17, 8},  {18, 0},  {19, 16}, {20, 0}};
    struct tags t;
    tags_init(&t, 64, 1, 128, 128, false);
    t.fermi = true;
    for (u32 i = 0; i < ARRAY_LEN(turned); i++) assert_int_equal(tags_set(&t, 1ull << turned[i][0]), turned[i][1]);
    assert_int_equal(tags_set(&t, 0xA2F80), 31 ^ 1 ^ 8 ^ 16); /* bits 7 to 11; 13, 17, 19 */
    tags_free(&t);
    tags_init(&t, 32, 1, 128, 128, false);
    t.fermi = true;
    for (u32 i = 0; i < ARRAY_LEN(turned); i++) assert_int_equal(tags_set(&t, 1ull << turned[i][0]), turned[i][1] & 31);
    tags_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fermi_folds_five_bits), cmocka_unit_test(tags_do_as_the_model), cmocka_unit_test(the_oldest_goes),
        cmocka_unit_test(mshrs_do_as_the_model), cmocka_unit_test(large_tables_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
