/* mshr: a table of outstanding lines, each with the list of those who wait for it, in order of arrival.
 *
 * A line is found by an open-addressed hash with linear probing; a removal moves later entries of the run
 * back, so that there are no tombstones and the cost does not grow with time. Waiters are nodes of one pool
 * that grows to the most there ever were.
 *
 * Invariants, walked by mshr_check:
 *  1. Entries in use and free ones are together all; the hash holds exactly those in use, each reachable from
 *     its line's slot.
 *  2. No line has two entries.
 *  3. An entry's list has as many nodes as it counts, at most `merge`, and ends at its tail.
 *  4. Nodes in lists and free ones are together all. */
#include "mem/mem.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

struct entry {
    u64 line;
    u32 first, last; /* nodes, NONE when there is no waiter */
    u32 count;
    u32 next_free; /* entry, NONE; of no meaning while in use */
    bool used;
};
struct node {
    u32 token, next; /* next node, NONE */
};
struct mshr {
    u32 entries, merge, used;
    u32 free_entry, free_node; /* NONE */
    u32 nodes, shift;          /* of the pool; of the hash */
    u32 slots;                 /* of the hash: a power of two, at least twice the entries */
    u32 *slot;                 /* entry + 1, 0 = empty */
    struct entry *entry;
    struct node *node;
};

static void grow_nodes(struct mshr *m, u32 n) {
    m->node = base_realloc(m->node, (size_t)n * sizeof(*m->node));
    for (u32 i = n; i-- > m->nodes;) {
        m->node[i] = (struct node){.next = m->free_node};
        m->free_node = i;
    }
    m->nodes = n;
}

struct mshr *mshr_new(u32 entries, u32 merge) {
    CHECK(entries && merge);
    struct mshr *m = base_alloc(sizeof(*m));
    m->entries = entries;
    m->merge = merge;
    m->shift = 62;
    for (m->slots = 4; m->slots < 2 * entries; m->slots *= 2) m->shift--;
    m->slot = base_alloc((size_t)m->slots * sizeof(*m->slot));
    m->entry = base_alloc((size_t)entries * sizeof(*m->entry));
    m->free_node = NONE;
    grow_nodes(m, entries);
    mshr_clear(m);
    return m;
}

void mshr_free(struct mshr *m) {
    if (!m) return;
    free(m->slot);
    free(m->entry);
    free(m->node);
    free(m);
}

void mshr_clear(struct mshr *m) {
    memset(m->slot, 0, (size_t)m->slots * sizeof(*m->slot));
    for (u32 i = 0; i < m->entries; i++) m->entry[i] = (struct entry){.next_free = i + 1 < m->entries ? i + 1 : NONE};
    for (u32 i = 0; i < m->nodes; i++) m->node[i] = (struct node){.next = i + 1 < m->nodes ? i + 1 : NONE};
    m->free_entry = m->free_node = 0;
    m->used = 0;
}

u32 mshr_used(const struct mshr *m) { return m->used; }
bool mshr_full(const struct mshr *m) { return m->used == m->entries; }

static u32 home(const struct mshr *m, u64 line) { return (u32)(line * 0x9E3779B97F4A7C15ull >> m->shift); }

/* The slot of the line, or the empty one where it would go */
static u32 slot_of(const struct mshr *m, u64 line) {
    u32 s = home(m, line);
    while (m->slot[s] && m->entry[m->slot[s] - 1].line != line) s = (s + 1) & (m->slots - 1);
    return s;
}

int mshr_find(const struct mshr *m, u64 line) { return (int)m->slot[slot_of(m, line)] - 1; }

bool mshr_can_merge(const struct mshr *m, int entry) { return m->entry[entry].count < m->merge; }

int mshr_alloc(struct mshr *m, u64 line) {
    if (mshr_full(m)) return -1;
    u32 s = slot_of(m, line);
    CHECK(!m->slot[s]);
    u32 e = m->free_entry;
    m->free_entry = m->entry[e].next_free;
    m->entry[e] = (struct entry){.line = line, .first = NONE, .last = NONE, .used = true};
    m->slot[s] = e + 1;
    m->used++;
    return (int)e;
}

void mshr_wait(struct mshr *m, int entry, u32 token) {
    struct entry *e = &m->entry[entry];
    CHECK(e->used && e->count < m->merge);
    if (m->free_node == NONE) grow_nodes(m, m->nodes * 2);
    u32 n = m->free_node;
    m->free_node = m->node[n].next;
    m->node[n] = (struct node){.token = token, .next = NONE};
    if (e->last == NONE) e->first = n;
    else m->node[e->last].next = n;
    e->last = n;
    e->count++;
}

/* Empties slot s and moves back those behind it that would no longer be found */
static void unhash(struct mshr *m, u32 s) {
    u32 mask = m->slots - 1;
    for (u32 i = (s + 1) & mask; m->slot[i]; i = (i + 1) & mask) {
        u32 h = home(m, m->entry[m->slot[i] - 1].line);
        if (((i - h) & mask) < ((i - s) & mask)) continue;
        m->slot[s] = m->slot[i];
        s = i;
    }
    m->slot[s] = 0;
}

static u32 copy_tokens(const struct mshr *m, const struct entry *e, u32 *tokens) {
    u32 n = 0;
    for (u32 i = e->first; i != NONE; i = m->node[i].next) tokens[n++] = m->node[i].token;
    return n;
}

u32 mshr_done(struct mshr *m, int entry, u32 *tokens) {
    struct entry *e = &m->entry[entry];
    CHECK(e->used);
    u32 n = copy_tokens(m, e, tokens);
    if (e->last != NONE) {
        m->node[e->last].next = m->free_node;
        m->free_node = e->first;
    }
    unhash(m, slot_of(m, e->line));
    e->used = false;
    e->next_free = m->free_entry;
    m->free_entry = (u32)entry;
    m->used--;
    return n;
}

bool mshr_get(const struct mshr *m, u32 entry, u64 *line, u32 *tokens, u32 *n) {
    if (entry >= m->entries || !m->entry[entry].used) return false;
    *line = m->entry[entry].line;
    *n = copy_tokens(m, &m->entry[entry], tokens);
    return true;
}

/* Nodes of an entry's list; 3 */
static u32 check_list(const struct mshr *m, const struct entry *e) {
    u32 n = 0, last = NONE;
    for (u32 i = e->first; i != NONE; i = m->node[i].next) {
        last = i;
        CHECK(++n <= m->merge);
    }
    CHECK(n == e->count && last == e->last);
    return n;
}

void mshr_check(const struct mshr *m) {
    u32 used = 0, hashed = 0, free_entries = 0, nodes = 0;
    for (u32 s = 0; s < m->slots; s++) hashed += m->slot[s] != 0;
    for (u32 i = 0; i < m->entries; i++) {
        if (!m->entry[i].used) continue;
        used++;
        CHECK(mshr_find(m, m->entry[i].line) == (int)i); /* 1, 2 */
        nodes += check_list(m, &m->entry[i]);
    }
    for (u32 i = m->free_entry; i != NONE; i = m->entry[i].next_free) CHECK(++free_entries <= m->entries);
    CHECK(used == m->used && hashed == used && used + free_entries == m->entries); /* 1 */
    for (u32 i = m->free_node; i != NONE; i = m->node[i].next) CHECK(++nodes <= m->nodes);
    CHECK(nodes == m->nodes); /* 4 */
}

u64 mshr_line(const struct mshr *m, int entry) { return m->entry[entry].line; }
