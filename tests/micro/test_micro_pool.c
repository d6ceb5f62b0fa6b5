/* The pool of formed fronts against a model of it, slow and obvious: random programs part and meet, and each
 * coming to the pool must end where the model says. The model knows what is told of fronts (EV_FRONT) and
 * nothing of the core: a table of pcs with the front that may be joined there, least recently asked for out;
 * who is in the pool; which positions are taken. Whether the pool has an entry (dwf.pool) it is told. */
#include "micro.h"

enum { PLACES = 2048, ENTRIES = 32, BEATS = 4, LANES = 8 };

struct entry {
    i32 pc;
    u32 front;
    u64 asked;
};
struct model {
    struct entry table[ENTRIES];
    u32 entries;
    u64 time;
    bool moves;
    struct {
        bool in;
        i32 pc;
        u64 seats;
    } front[PLACES];
    u32 joined, alone, moved, outside;
};

static struct entry *find(struct model *m, i32 pc) {
    for (u32 i = 0; i < m->entries; i++)
        if (m->table[i].asked && m->table[i].pc == pc) return &m->table[i];
    return NULL;
}

static struct entry *oldest(struct model *m) {
    struct entry *at = &m->table[0];
    for (u32 i = 1; i < m->entries; i++)
        if (m->table[i].asked < at->asked) at = &m->table[i];
    return at;
}

/* Positions that those who come take beside others, one by one; false: somebody finds none */
static bool sit(const struct model *m, u64 there, u64 come, u64 *seats) {
    *seats = come & ~there;
    if (!(come & there)) return true;
    if (!m->moves) return false;
    for (u32 lane = 0; lane < LANES; lane++)
        for (u32 beat = 0; beat < BEATS; beat++) {
            u32 at = beat * LANES + lane, to = 0;
            if (!(come >> at & there >> at & 1)) continue;
            while (to < BEATS && (there | come | *seats) >> (to * LANES + lane) & 1) to++;
            if (to == BEATS) return false;
            *seats |= 1ull << (to * LANES + lane);
        }
    return true;
}

static void comes(struct model *m, const struct event *e) {
    struct entry *x = find(m, e->pc);
    u64 seats = e->a;
    bool joins = false;
    if (x) {
        x->asked = ++m->time;
        joins = e->b != COMES_NOT_IN && m->front[x->front].in && m->front[x->front].pc == e->pc &&
                sit(m, m->front[x->front].seats, e->a, &seats);
    }
    if (e->b == COMES_NOT_IN) { /* it looked for others; it comes again */
        m->outside++;
        return;
    }
    assert_int_equal(e->b, joins);
    if (joins) {
        assert_int_equal(e->slot, x->front);
        assert_int_equal(e->mask, seats);
        m->moved += (u32)__builtin_popcountll(e->a & ~seats);
        m->front[x->front].seats |= seats;
        m->joined++;
        return;
    }
    assert_int_equal(e->mask, e->a);
    bool named = x && m->front[x->front].in && m->front[x->front].pc == e->pc;
    if (named && __builtin_popcountll(e->a) == LANES * BEATS)
        x->asked = ++m->time; /* nobody can join it: the other is named on */
    else {
        if (!x) x = oldest(m);
        *x = (struct entry){e->pc, e->slot, ++m->time};
    }
    m->front[e->slot].in = true, m->front[e->slot].pc = e->pc, m->front[e->slot].seats = e->a;
    m->alone++;
}

static void follow(struct model *m) {
    for (u32 i = 0; i < ran.events.n; i++) {
        const struct event *e = &ran.events.at[i];
        if (e->kind != EV_FRONT || e->sm != 0) continue;
        assert_true(e->slot < PLACES);
        if (e->cause == FRONT_COMES) comes(m, e);
        if (e->cause == FRONT_ISSUES || e->cause == FRONT_ENDS) m->front[e->slot].in = false;
    }
}

/* Blocks that go on to one of two others, by a bit of a number that each thread has of its own */
enum { BLOCKS = 9 };

static u32 below(u64 *seed, u32 n) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)(*seed >> 33) % n;
}

static const char *program(u64 seed) {
    struct strbuf b = {0};
    strbuf_add(&b, "%smul.lo.u32 %%r1, %%r0, 2654435761;\nmov.u32 %%r3, 0;\n", OUT);
    for (u32 i = 0; i < BLOCKS; i++) {
        strbuf_add(&b, "$b%u:\nmad.lo.u32 %%r1, %%r1, %u, %u;\nshr.u32 %%r2, %%r1, %u;\nand.b32 %%r2, %%r2, %u;\n", i,
                   below(&seed, 1000) * 2 + 1, below(&seed, 1000), 8 + below(&seed, 16), below(&seed, 2) ? 1 : 3);
        strbuf_add(&b, "add.u32 %%r3, %%r3, 1;\nsetp.gt.u32 %%p1, %%r3, 9;\n@%%p1 bra $out;\nsetp.eq.u32 %%p2, %%r2, 0;\n");
        strbuf_add(&b, "@%%p2 bra $b%u;\n", below(&seed, BLOCKS));
        if (below(&seed, 3) == 0) strbuf_add(&b, "bra $b%u;\n", below(&seed, BLOCKS));
    }
    strbuf_add(&b, "$out:\nmul.wide.u32 %%rd1, %%r0, 4;\nadd.u64 %%rd1, %%rd0, %%rd1;\nst.global.u32 [%%rd1], %%r1;\n");
    const char *kept = text("%s", b.s);
    strbuf_free(&b);
    return kept;
}

static void the_pool_does_what_its_model_says(void **state) {
    (void)state;
    static const char *const policies[] = {"majority", "sched", "timestamp", "pdom", "minority", "pc"};
    static const u32 tables[] = {32, 3, 1};
    u32 joined = 0, moved = 0, outside = 0;
    for (u32 i = 0; i < 24; i++) {
        struct model *m = base_alloc(sizeof(*m));
        m->entries = tables[i % 3];
        m->moves = i % 2;
        RUN(.body = program(i + 1), .threads = 224, .blocks = 2,
            .keys = {"sm.diverge=dwf", "gpu.sms=1", "sm.alu.width=8", text("dwf.policy=%s", policies[i / 2 % 6]),
                     text("dwf.table=%u", m->entries), m->moves ? "dwf.conflict=move" : "dwf.conflict=new",
                     i % 5 ? "dwf.permute=off" : "dwf.permute=xor", i % 4 < 3 ? "dwf.pool=0" : text("dwf.pool=%u", 1 + i)});
        follow(m);
        assert_true(m->alone > 50);
        assert_int_equal(stat_of("formed_outside"), m->outside);
        assert_int_equal(stat_of("formed_merges"), m->joined);
        assert_int_equal(stat_of("formed_moves"), m->moved);
        joined += m->joined, moved += m->moved, outside += m->outside;
        free(m);
    }
    assert_true(joined > 100 && moved > 100 && outside > 100); /* it had something to say */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_pool_does_what_its_model_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
