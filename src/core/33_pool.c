/* The warp pool of formation: its entries, and the look-up table by pc.
 *
 * Entries. Where dwf.pool bounds them, a front has one from its coming to the pool until its threads part,
 * wait or end. Threads that find none wait outside, in the order in which they came (pool_full): they can
 * neither issue nor be joined, and come to the pool anew when it is their turn. A front that comes again has
 * given its entry back, so that those who wait go first and threads that poll do not keep others out.
 *
 * The table names, by pc, the front of the pool that further threads join there. It has dwf.table places for
 * each scheduler; the one that was asked for longest ago makes room.
 *
 * G4 (form_check) with dwf.pool: a front that can run has an entry, one outside has none, and no more are in
 * use than there are */
#include "core/form.h"

/* --- entries */

/* It waits outside, and how many of its scheduler came before it are not fewer than entries are free */
bool form_outside(const struct core *c, u32 slot) {
    const struct form *x = c->form;
    u32 before = 0, s = slot % c->cfg->schedulers;
    if (!set_has(x->outside, slot)) return false;
    SET_EACH (other, x->outside, c->words) before += other % c->cfg->schedulers == s && x->turn[other] < x->turn[slot];
    return before + x->entries[s] >= c->cfg->dwf_pool;
}

/* Of those of a scheduler that wait outside, the first that came after that turn; NO_PLACE */
static u32 next_outside(const struct core *c, u32 s, u64 turn) {
    const struct form *x = c->form;
    u32 first = NO_PLACE;
    SET_EACH (slot, x->outside, c->words)
        if (slot % c->cfg->schedulers == s && x->turn[slot] > turn && (first == NO_PLACE || x->turn[slot] < x->turn[first]))
            first = slot;
    return first;
}

/* Those whose turn it is, as many as entries are free, come to the pool anew in the next cycle */
static void wake_outside(struct core *c, u32 s) {
    u64 turn = 0;
    for (u32 free = c->cfg->dwf_pool - c->form->entries[s]; free; free--) {
        u32 slot = next_outside(c, s, turn);
        if (slot == NO_PLACE) return;
        slot_alarm(c, slot, c->now + 1);
        turn = c->form->turn[slot];
    }
}

void pool_gives(struct core *c, u32 slot) {
    u32 s = slot % c->cfg->schedulers;
    set_drop(c->form->outside, slot);
    if (!set_has(c->form->holds, slot)) return;
    set_drop(c->form->holds, slot);
    c->form->entries[s]--;
    wake_outside(c, s);
}

/* A front whose threads come to the pool gets an entry; false: it waits outside for one */
bool pool_takes(struct core *c, u32 slot) {
    struct form *x = c->form;
    u32 s = slot % c->cfg->schedulers;
    if (!c->cfg->dwf_pool || set_has(x->holds, slot)) return true;
    if (!set_has(x->outside, slot)) x->turn[slot] = ++x->turns;
    set_add(x->outside, slot);
    if (form_outside(c, slot)) {
        c->stats.formed_outside++;
        return false;
    }
    set_drop(x->outside, slot);
    set_add(x->holds, slot);
    x->entries[s]++;
    return true;
}

/* --- the warp look-up table */

static struct look_up *table_of(const struct core *c, u32 slot) {
    return &c->form->table[slot % c->cfg->schedulers * c->cfg->dwf_table];
}

/* The front that waits at pc and may be joined, or NO_PLACE */
u32 pool_finds(const struct core *c, u32 slot, i32 pc) {
    struct look_up *t = table_of(c, slot);
    for (u32 i = 0; i < c->cfg->dwf_table; i++) {
        if (t[i].pc != pc) continue;
        t[i].used = ++c->form->uses;
        const struct front *f = &c->fronts[t[i].front];
        return set_has(c->form->in_pool, t[i].front) && f->head && f->head->pc == pc ? t[i].front : NO_PLACE;
    }
    return NO_PLACE;
}

/* Threads that come to pc shall join this front; the entry that was asked for longest ago makes room */
void pool_names(const struct core *c, u32 slot, i32 pc) {
    struct look_up *t = table_of(c, slot), *at = t;
    for (u32 i = 0; i < c->cfg->dwf_table; i++) {
        if (t[i].pc == pc) {
            at = &t[i];
            break;
        }
        if (t[i].used < at->used) at = &t[i];
    }
    *at = (struct look_up){pc, (u16)slot, ++c->form->uses};
}
