/* Open addressing with linear probing. Dropping moves later entries of a run back, so there are no graves and
 * a long run of issues and ends costs the same all along. */
#include "trace/uids.h"

#include <stdlib.h>
#include <string.h>

static u64 key_of(u32 sm, u64 uid) { return (u64)sm << 48 | uid; }

static u32 home(const struct uid_map *m, u64 key) { return (u32)(key * 0x9E3779B97F4A7C15ull >> 32) & (m->cap - 1); }

/* Where the key is, or the free place where it would go */
static u32 place(const struct uid_map *m, u64 key) {
    u32 i = home(m, key);
    while (m->key[i] && m->key[i] != key) i = (i + 1) & (m->cap - 1);
    return i;
}

i64 uids_get(const struct uid_map *m, u32 sm, u64 uid) {
    if (!m->n) return UIDS_NONE;
    u32 i = place(m, key_of(sm, uid));
    return m->key[i] ? (i64)m->at[i] : UIDS_NONE;
}

static void grow(struct uid_map *m) {
    struct uid_map old = *m;
    m->cap = old.cap ? old.cap * 2 : 256;
    m->key = base_alloc(m->cap * sizeof(*m->key));
    m->at = base_alloc(m->cap * sizeof(*m->at));
    for (u32 i = 0; i < old.cap; i++) {
        if (!old.key[i]) continue;
        u32 to = place(m, old.key[i]);
        m->key[to] = old.key[i], m->at[to] = old.at[i];
    }
    free(old.key);
    free(old.at);
}

void uids_put(struct uid_map *m, u32 sm, u64 uid, u32 at) {
    if (m->cap <= 2 * (m->n + 1)) grow(m);
    u64 key = key_of(sm, uid);
    u32 i = place(m, key);
    m->n += !m->key[i];
    m->key[i] = key, m->at[i] = at;
}

void uids_drop(struct uid_map *m, u32 sm, u64 uid) {
    if (!m->n) return;
    u32 hole = place(m, key_of(sm, uid)), last = m->cap - 1;
    if (!m->key[hole]) return;
    m->n--;
    for (u32 i = (hole + 1) & last; m->key[i]; i = (i + 1) & last) {
        u32 from_home = (i - home(m, m->key[i])) & last;
        if (from_home < ((i - hole) & last)) continue; /* its home lies behind the hole: it must stay */
        m->key[hole] = m->key[i], m->at[hole] = m->at[i];
        hole = i;
    }
    m->key[hole] = 0;
}

void uids_clear(struct uid_map *m) {
    if (m->cap) memset(m->key, 0, m->cap * sizeof(*m->key));
    m->n = 0;
}

void uids_free(struct uid_map *m) {
    free(m->key);
    free(m->at);
    *m = (struct uid_map){0};
}
