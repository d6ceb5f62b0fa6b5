/* The page of a cycle as the lecture draws it: alias table, stations, reorder buffer, architectural
 * registers, what happened. */
#include "lab/ooo.h"

void oo_name_stations(struct oo *s) {
    static const char *const letters[LAB_UNITS] = {"abcdefgh", "xyztuvw", "pqrs", "mno", "l", "k", "j"};
    for (u32 u = 0; u < LAB_UNITS; u++)
        for (u32 n = 0; n < OO_STATIONS_MAX; n++) {
            const char *set = letters[u];
            bool plain = n < strlen(set) && strlen(set) > 1;
            snprintf(s->names[u][n], sizeof(s->names[u][n]), plain ? "%c" : "%c%u", plain ? set[n] : set[0], n);
        }
}

const char *oo_station_name(const struct oo *s, const struct op *o) {
    return o->station < OO_STATIONS_MAX ? s->names[pool_of(s, o)][o->station] : "";
}

static const char *tag_name(const struct oo *s, u64 tag) {
    for (u32 i = 0; i < s->window.n; i++)
        if (s->window.at[i].uid == tag) return oo_station_name(s, &s->window.at[i]);
    return "?";
}

static const char *value_text(const struct oo *s, const struct value *v) {
    if (v->valid) return lab_text(s->r, "1|~|%lld", (long long)v->value);
    return lab_text(s->r, "0|%s|~", tag_name(s, v->tag));
}

static void used_registers(const struct oo *s, bool used[LAB_REGS]) {
    for (u32 i = 0; i < s->ncode; i++) {
        u8 regs[12];
        u32 n = lab_reads(&s->code[i], regs);
        n += lab_writes(&s->code[i], regs + n);
        for (u32 k = 0; k < n; k++) used[regs[k]] = true;
    }
}

static void page_rat(struct oo *s) {
    bool used[LAB_REGS] = {0};
    char name[8];
    used_registers(s, used);
    lab_head(s->r, "register alias table", "reg|V|tag|value");
    for (u32 i = 0; i < LAB_REGS; i++)
        if (used[i]) lab_cells(s->r, "%s|%s", lab_reg_name((u8)i, name), value_text(s, &s->rat[i]));
}

static void page_stations(struct oo *s, enum lab_unit u, u64 t) {
    bool any = false;
    for (u32 i = 0; i < s->window.n; i++)
        any |= s->window.at[i].r && pool_of(s, &s->window.at[i]) == u && (!s->window.at[i].b || s->window.at[i].b >= t);
    if (!any) return; /* empty ones are not drawn */
    lab_head(s->r, lab_text(s->r, "%s stations", lab_unit_names[u]), "tag|V|tag|value|V|tag|value|instruction|state");
    for (u32 n = 0; n < (u32)s->r->key[OO_STATIONS + u]; n++)
        for (u32 i = 0; i < s->window.n; i++) {
            const struct op *o = &s->window.at[i];
            if (!o->r || pool_of(s, o) != u || o->station != n || (o->b && o->b < t)) continue;
            const char *state = !o->e      ? "waits"
                                : o->x < t ? "waits for a bus"
                                           : lab_text(s->r, "E %u of %u", (u32)(t - o->e + 1), (u32)(o->x - o->e + 1));
            lab_cells(s->r, "%s|%s|%s|%s|%s", oo_station_name(s, o), value_text(s, &o->src[0]), value_text(s, &o->src[1]),
                      o->in->text, state);
        }
}

static void page_rob(struct oo *s) {
    static const char *const titles[] = {"", "reorder buffer", "history buffer", "reorder buffer (future file)",
                                         "window and checkpoints"};
    char name[8];
    if (!precise(s)) return;
    lab_head(s->r, titles[s->how->precise], "name|instruction|dest|done|value|more");
    for (u32 i = 0; i < s->window.n; i++) {
        const struct op *o = &s->window.at[i];
        const char *more = o->fault ? o->fault : "";
        if (!o->r) continue;
        if (is_store(o) && o->x) more = lab_text(s->r, "store buffer: [%lld]", (long long)o->address);
        if (s->how->precise == OO_HISTORY && has_dst(o))
            more = lab_text(s->r, "old value is of %s", i ? "the entries above or the file" : "the file");
        if (s->how->precise == OO_CHECKPOINT) more = lab_text(s->r, "checkpoint %llu", (unsigned long long)o->interval);
        lab_cells(s->r, "%s|%s|%s|%d|%s|%s", s->r->rows.at[o->row].name, o->in->text,
                  has_dst(o) ? lab_reg_name(o->in->dst, name) : "", o->b != 0,
                  o->b && has_dst(o) ? lab_text(s->r, "%lld", (long long)o->result) : "~", more);
    }
}

static void page_arch(struct oo *s) {
    bool used[LAB_REGS] = {0};
    char name[8];
    if (!precise(s)) return;
    used_registers(s, used);
    lab_head(s->r, "architectural registers", "reg|value");
    for (u32 i = 0; i < LAB_REGS; i++)
        if (used[i]) lab_cells(s->r, "%s|%lld", lab_reg_name((u8)i, name), (long long)s->arch[i]);
}

static void page_front(struct oo *s) {
    lab_head(s->r, "fetch and decode", "stage|instruction");
    for (u32 i = 0; i < s->window.n; i++)
        if (!s->window.at[i].r) lab_cells(s->r, "%s|%s", s->window.at[i].d ? "D" : "F", s->window.at[i].in->text);
}

void oo_page(struct oo *s, u64 t) {
    if (lab_page(s->r, (u32)t)) {
        page_rat(s);
        for (u32 u = 0; u < LAB_UNITS; u++) page_stations(s, (enum lab_unit)u, t);
        page_rob(s);
        page_arch(s);
        page_front(s);
        for (u32 i = 0; i < s->events.n; i++) lab_note(s->r, "%s", s->events.at[i]);
    }
    s->events.n = 0;
}
