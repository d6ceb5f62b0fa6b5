/* The out-of-order engine: renaming, reservation stations, tags and buses, with or without a way back to
 * precise state. tomasulo.c and rob.c are its two rows.
 *
 * A cycle t:
 *     start      ready instructions enter units, the oldest first; operands that came on a bus in t-1 count
 *     broadcast  results of instructions in their last cycle of E (late: that were in t-1), the oldest first
 *     retire     in order; without a reorder buffer each instruction by itself
 *     decode     F to D; those in D are renamed in order when a station and an entry were free at the start
 *                of t; then fetch
 *     resolve    branches and stores that ended E in t: fetch goes on, or what is wrong is flushed
 *
 * Does not model the time of finding a store in the buffer, or limits of its size beyond the stations. A
 * store needs address and data to execute.
 *
 * Invariants: 1. window.at[0..n) are the instructions between fetch and W, in program order. 2. A station
 * is held from rename to the end of the broadcast, an entry of the reorder buffer from rename to the end
 * of W. 3. rat[reg].tag is the uid of the youngest renamed writer that has not broadcast. 4. Memory is
 * written at W with precise state, else at the end of E. 5. Nothing that a flush removes has changed
 * `arch` or memory. */
#include "lab/ooo.h"

__attribute__((format(printf, 2, 3))) static void event(struct oo *s, const char *fmt, ...) {
    struct strbuf b = {0};
    va_list ap;
    if (!s->r->pages_wanted) return;
    va_start(ap, fmt);
    strbuf_vadd(&b, fmt, ap);
    va_end(ap);
    const char *t = lab_text(s->r, "%s", b.s);
    strbuf_free(&b);
    VEC_PUSH(&s->events, t);
}

/* --- start */

static bool older_stores_known(const struct oo *s, u32 i, u64 t) {
    for (u32 k = 0; k < i; k++)
        if (is_store(&s->window.at[k]) && (!s->window.at[k].x || s->window.at[k].x >= t)) return false;
    return true;
}

/* memory.model = core */
static bool older_stores_named(const struct oo *s, u32 i) {
    for (u32 k = 0; k < i; k++)
        if (is_store(&s->window.at[k]) && !has_operands(&s->window.at[k])) return false;
    return true;
}

static bool older_done(const struct oo *s, u32 i, u64 t) {
    for (u32 k = 0; k < i; k++)
        if (!s->window.at[k].b || s->window.at[k].b >= t) return false;
    return true;
}

static bool older_loads_read(const struct oo *s, u32 i, u64 t) {
    for (u32 k = 0; k < i; k++)
        if (is_load(&s->window.at[k]) && (!s->window.at[k].e || s->window.at[k].e >= t)) return false;
    return true;
}

static bool set_store_done(const struct oo *s, const struct op *o, u64 t) {
    for (u32 k = 0; o->waits_for && k < s->window.n; k++)
        if (s->window.at[k].uid == o->waits_for)
            return s->how->core_memory ? has_operands(&s->window.at[k]) : s->window.at[k].x && s->window.at[k].x < t;
    return true;
}

static bool core_memory_ready(const struct oo *s, u32 i, u64 t) {
    if (is_store(&s->window.at[i])) return older_done(s, i, t);
    if (s->how->memory == OO_MEM_CONSERVATIVE) return older_stores_named(s, i);
    return s->how->memory != OO_MEM_PREDICTED || set_store_done(s, &s->window.at[i], t);
}

static bool memory_ready(const struct oo *s, u32 i, u64 t) {
    const struct op *o = &s->window.at[i];
    if (!is_load(o) && !is_store(o)) return true;
    if (s->how->core_memory) return core_memory_ready(s, i, t);
    switch (s->how->memory) {
    case OO_MEM_ORDER: return older_stores_known(s, i, t) && (is_load(o) || older_loads_read(s, i, t));
    case OO_MEM_CONSERVATIVE: return is_store(o) || older_stores_known(s, i, t);
    case OO_MEM_PREDICTED: return set_store_done(s, o, t);
    default: return true;
    }
}

/* Pipelined units start one instruction a cycle each; others hold one to the end of its E. What is flushed
 * leaves its unit. */
static bool unit_free(const struct oo *s, enum lab_unit u, u64 t) {
    bool core = s->how->core_memory && u == LAB_LOAD;
    u32 busy = 0;
    for (u32 i = 0; i < s->window.n; i++) {
        const struct op *o = &s->window.at[i];
        if (pool_of(s, o) == u && o->e) busy += s->r->key[OO_PIPELINED] || core ? o->e == t : o->x >= t;
    }
    return busy < (core ? 1 : (u32)s->r->key[OO_UNITS]);
}

static i64 address_of(const struct op *o) { return (i64)((u64)o->in->offset + (u64)o->src[1].value); }

/* A younger load can have the value of this store */
static bool store_gives(const struct oo *s, const struct op *st, u64 t) {
    return s->how->core_memory ? has_operands(st) : st->x && st->x < t;
}

/* The value of a load, and its latency: from the youngest older store of the address that has executed,
 * else from memory. With memory.model = core a store that has started is on its way to memory, and so is the
 * load behind it. */
static u32 load_value(struct oo *s, u32 i, u64 t) {
    struct op *o = &s->window.at[i];
    for (u32 k = i; k-- > 0 && precise(s);) {
        const struct op *st = &s->window.at[k];
        if (!is_store(st) || !store_gives(s, st, t) || address_of(st) != o->address) continue;
        o->result = st->src[0].value;
        o->source = st->uid;
        return s->how->core_memory && st->e ? (u32)s->r->key[LAB_LOAD] : s->how->forward_latency;
    }
    if (o->address < 0 || o->address >= s->r->st.nwords) o->fault = "address outside of memory";
    else o->result = s->r->st.words[o->address];
    return (u32)s->r->key[LAB_LOAD];
}

static void compute(struct op *o) {
    i64 a = o->src[0].value, b = o->src[1].value;
    bool one = o->in->op == LOP_MOV || o->in->op == LOP_MOVI || o->in->op == LOP_MOVA;
    if (lab_is_branch(o->in)) {
        o->taken = lab_taken(o->in->op, a, b);
        o->result = (i64)((u64)a - 1);
    } else if (o->in->op != LOP_NOP) {
        o->result = lab_alu(o->in->op, a, one ? a : b, &o->fault);
    }
}

static void start_op(struct oo *s, u32 i, u64 t) {
    struct op *o = &s->window.at[i];
    u32 lat = (u32)s->r->key[o->unit];
    o->e = t;
    if (is_load(o) || is_store(o)) o->address = address_of(o);
    if (is_load(o)) {
        lat = load_value(s, i, t);
    } else if (is_store(o)) {
        o->result = o->src[0].value;
        if (o->address < 0 || o->address >= s->r->st.nwords) o->fault = "address outside of memory";
    } else {
        compute(o);
    }
    o->x = t + lat - 1;
}

static void start(struct oo *s, u64 t) {
    u32 most = (u32)s->r->key[OO_ISSUE] ? (u32)s->r->key[OO_ISSUE] : UINT32_MAX;
    for (u32 i = 0; i < s->window.n && most; i++) {
        struct op *o = &s->window.at[i];
        if (o->e || !has_operands(o) || !memory_ready(s, i, t) || !unit_free(s, pool_of(s, o), t)) continue;
        start_op(s, i, t);
        most--;
        event(s, "%s starts: %s", oo_station_name(s, o), o->in->text);
    }
}

/* --- broadcast */

static void hear(struct value *v, const struct op *o) {
    if (v->valid || v->tag != o->uid) return;
    v->valid = true;
    v->value = o->result;
}

static void broadcast_op(struct oo *s, struct op *o, u64 t) {
    o->b = t;
    for (u32 i = 0; i < s->window.n; i++)
        for (u32 k = 0; k < OPERANDS; k++) hear(&s->window.at[i].src[k], o);
    hear(&s->rat[o->in->dst], o);
    event(s, "bus: tag %s = %lld", oo_station_name(s, o), (long long)o->result);
}

static void broadcast(struct oo *s, u64 t) {
    u32 buses = (u32)s->r->key[OO_BUSES], used = 0;
    for (u32 i = 0; i < s->window.n; i++) {
        struct op *o = &s->window.at[i];
        if (!o->x || o->b || o->x > t) continue;
        if (!has_dst(o)) o->b = o->x;
        else if (o->x + late(s) <= t && (buses == 0 || used < buses)) broadcast_op(s, o, t), used++;
    }
}

/* --- rows */

static void spans_of(struct oo *s, struct op *o, u64 end) {
    struct lab_run *r = s->r;
    u64 never = end + 1, d = o->d ? o->d : never, rn = o->r ? o->r : never, e = o->e ? o->e : never,
        x = o->x ? MIN(o->x, end) : end;
    u64 w = o->w ? o->w : never, back = o->x + 1;
    lab_span(r, o->row, 'F', o->f, o->f, NULL);
    lab_span(r, o->row, '-', o->f + 1, d - 1, "F, waits");
    if (o->d) lab_span(r, o->row, 'D', d, d, NULL);
    if (o->d) lab_span(r, o->row, '-', d + 1, rn - (o->r == 0), "D, waits");
    if (o->r) lab_span(r, o->row, '-', rn + 1, e - 1, "in its station");
    if (o->e) lab_span(r, o->row, 'E', e, x, NULL);
    if (!o->x || o->x >= end) back = never;
    if (s->how->r_stage && o->b && done_at(s, o) < end) {
        u64 at = done_at(s, o) + 1;
        lab_span(r, o->row, '-', back, at - 1, "waits for a bus");
        lab_span(r, o->row, 'R', at, at, NULL);
        back = at + 1;
    }
    lab_span(r, o->row, '-', back, w - 1, "waits to write");
    if (o->w) lab_span(r, o->row, 'W', w, w, NULL);
}

/* --- retire */

static void commit(struct oo *s, struct op *o, u64 t) {
    o->w = t;
    if (has_dst(o) && o->uid > s->arch_writer[o->in->dst]) {
        s->arch[o->in->dst] = o->result;
        s->arch_writer[o->in->dst] = o->uid;
    }
    if (is_store(o) && precise(s)) s->r->st.words[o->address] = o->result;
    s->retired++;
    s->last_w = MAX(s->last_w, t);
    spans_of(s, o, t);
    event(s, "%s is written: %s", s->r->rows.at[o->row].name, o->in->text);
}

static void drop_front(struct oo *s, u32 n) {
    s->window.n -= n;
    memmove(s->window.at, s->window.at + n, s->window.n * sizeof(*s->window.at));
}

static void raise_fault(struct oo *s, const struct op *o, u64 t, u32 younger, const char *after) {
    lab_fault(s->r, o->in, o->fault, after);
    lab_answer(s->r, "younger_written", younger, "younger instructions that had written when the fault was raised");
    s->last_w = t;
    s->over = true;
}

static bool can_retire(const struct oo *s, const struct op *o, u64 t) {
    u64 done = done_at(s, o);
    return done && done + s->how->r_stage < t;
}

/* No reorder buffer: each writes in the cycle after it is done */
static void retire_any(struct oo *s, u64 t) {
    u32 kept = 0;
    for (u32 i = 0; i < s->window.n; i++) {
        struct op *o = &s->window.at[i];
        if (can_retire(s, o, t)) commit(s, o, t);
        else s->window.at[kept++] = *o;
    }
    s->window.n = kept;
}

static void squash(struct oo *s, u32 from, u64 t, u32 pc);

static u32 undo_cycles(const struct oo *s, u32 from) {
    u32 writers = 0;
    for (u32 i = from; i < s->window.n; i++) writers += s->window.at[i].r && has_dst(&s->window.at[i]);
    return (writers + s->how->undo_width - 1) / s->how->undo_width;
}

static u32 fault_cost(const struct oo *s) {
    if (s->how->precise == OO_HISTORY) return undo_cycles(s, 0);
    return s->how->precise == OO_FUTURE || s->how->precise == OO_CHECKPOINT;
}

/* At the head, a flush of the future file that has waited for it */
static bool pending_at_head(struct oo *s, u64 t) {
    struct op *o = &s->window.at[0];
    if (s->pending != o->uid || !s->pending_self) return false;
    squash(s, 0, t + 1, s->pending_pc);
    s->pending = 0;
    return true;
}

static void retire_in_order(struct oo *s, u64 t) {
    u32 n = 0;
    while (n < s->how->retire_width && s->window.n && can_retire(s, &s->window.at[0], t)) {
        struct op o = s->window.at[0];
        if (pending_at_head(s, t)) return;
        if (o.fault) {
            raise_fault(s, &o, t + fault_cost(s), 0, "; no younger instruction has written");
            return;
        }
        commit(s, &o, t);
        drop_front(s, 1);
        n++;
        if (s->pending == o.uid) {
            squash(s, 0, t + 1, s->pending_pc);
            s->pending = 0;
            return;
        }
    }
}

/* --- flushes */

static void rebuild_rat(struct oo *s) {
    for (u32 i = 0; i < LAB_REGS; i++) s->rat[i] = (struct value){true, 0, s->arch[i]};
    for (u32 i = 0; i < s->window.n; i++) {
        const struct op *o = &s->window.at[i];
        if (o->r && has_dst(o)) s->rat[o->in->dst] = (struct value){o->b != 0, o->uid, o->result};
    }
}

/* Removes window.at[from..]; fetch goes on at pc in the cycle after t */
static void squash(struct oo *s, u32 from, u64 t, u32 pc) {
    for (u32 i = from; i < s->window.n; i++) {
        spans_of(s, &s->window.at[i], t);
        VEC_PUSH(&s->r->squashed, s->window.at[i].row);
    }
    if (from < s->window.n) event(s, "flush: %u instructions", s->window.n - from);
    s->again += s->window.n - from;
    s->window.n = from;
    s->flushes++;
    s->pc = pc;
    s->fetch_at = t + 1;
    s->stalled = false;
    rebuild_rat(s);
}

/* A checkpoint's flush goes back to the start of the interval of window.at[from] */
static void back_to_checkpoint(struct oo *s, u32 from, u64 t, u32 pc) {
    u32 first = from;
    bool renamed = from < s->window.n && s->window.at[from].r;
    while (renamed && first > 0 && s->window.at[first - 1].interval == s->window.at[from].interval) first--;
    if (first < from) pc = s->window.at[first].pc;
    s->careful = from - first + 1;
    s->interval_left = 0;
    squash(s, first, t + 1, pc);
}

static void flush(struct oo *s, u32 from, u64 t, u32 pc, bool self) {
    switch (s->how->precise) {
    case OO_HISTORY: squash(s, from, t + undo_cycles(s, from), pc); break;
    case OO_CHECKPOINT: back_to_checkpoint(s, from, t, pc); break;
    case OO_FUTURE:
        s->pending = s->window.at[self ? from : from - 1].uid;
        s->pending_self = self;
        s->pending_pc = pc;
        s->stalled = true;
        break;
    default: squash(s, from, t, pc); break;
    }
}

/* An interval whose instructions are all done becomes architectural at once */
static u32 interval_length(const struct oo *s) {
    u32 n = 0;
    while (n < s->window.n && s->window.at[n].r && s->window.at[n].interval == s->window.at[0].interval) n++;
    return n;
}

static bool interval_closed(const struct oo *s, u32 n) {
    if (n < s->window.n && s->window.at[n].r) return true;
    if (s->window.at[0].interval != s->interval || s->interval_left == 0) return true;
    bool more = s->pc < s->ncode && s->code[s->pc].op != LOP_HALT;
    return n == s->window.n && !more && !s->stalled;
}

static void retire_interval(struct oo *s, u64 t) {
    if (s->window.n == 0) return;
    u32 n = interval_length(s);
    if (n == 0 || !interval_closed(s, n)) return;
    for (u32 i = 0; i < n; i++)
        if (!can_retire(s, &s->window.at[i], t)) return;
    for (u32 i = 0; i < n; i++) {
        struct op o = s->window.at[i];
        if (!o.fault) continue;
        if (n == 1) raise_fault(s, &o, t + 1, 0, "; no younger instruction has written");
        else back_to_checkpoint(s, i, t, o.pc);
        return;
    }
    for (u32 i = 0; i < n; i++) commit(s, &s->window.at[i], t);
    drop_front(s, n);
}

static void retire(struct oo *s, u64 t) {
    if (!precise(s)) retire_any(s, t);
    else if (s->how->precise == OO_CHECKPOINT) retire_interval(s, t);
    else retire_in_order(s, t);
}

/* --- decode and fetch */

static void operand(struct oo *s, struct op *o, u32 k, u8 reg, i64 imm) {
    if (reg == REG_NONE) {
        o->src[k] = (struct value){true, 0, imm};
        return;
    }
    o->src[k] = s->rat[reg];
    if (s->rat[reg].valid) o->src[k].tag = 0;
}

/* The youngest older store of its set that has not executed */
static u64 store_of_set(const struct oo *s, const struct op *o) {
    u64 found = 0;
    if (o->set < 0) return 0;
    for (u32 i = 0; i < s->window.n; i++) {
        const struct op *st = &s->window.at[i];
        bool known = s->how->core_memory ? has_operands(st) : st->x != 0;
        if (st->uid < o->uid && st->r && is_store(st) && st->set == o->set && !known) found = st->uid;
    }
    return found;
}

/* A station whose broadcast is this cycle's is not free yet */
static u8 pick_station(const struct oo *s, enum lab_unit u, u64 t) {
    for (u8 n = 0;; n++) {
        bool taken = false;
        for (u32 i = 0; i < s->window.n; i++) {
            const struct op *o = &s->window.at[i];
            taken |= o->r && pool_of(s, o) == u && o->station == n && (!o->b || o->b >= t);
        }
        if (!taken) return n;
    }
}

static void name_interval(struct oo *s, struct op *o) {
    if (s->how->precise != OO_CHECKPOINT) return;
    if (s->careful || s->interval_left == 0) {
        s->interval++;
        s->interval_left = s->careful ? 1 : s->how->every;
        if (s->careful) s->careful--;
    }
    o->interval = s->interval;
    s->interval_left--;
}

static void rename_op(struct oo *s, struct op *o, u64 t) {
    const struct lab_inst *in = o->in;
    bool memory = is_load(o) || is_store(o);
    operand(s, o, 0, in->src[0], in->imm);
    operand(s, o, 1, memory ? in->base : in->src[1], memory ? 0 : in->imm);
    o->station = pick_station(s, pool_of(s, o), t);
    s->r->rows.at[o->row].name = lab_text(s->r, "%s", oo_station_name(s, o));
    o->r = t;
    o->set = memory && s->ssit ? s->ssit[o->pc % s->how->ssit] : -1;
    o->waits_for = s->how->memory == OO_MEM_PREDICTED ? store_of_set(s, o) : 0;
    name_interval(s, o);
    lab_arcs_of(s->r, o->row, in);
    if (has_dst(o)) s->rat[in->dst] = (struct value){false, o->uid, 0};
    event(s, "%s is renamed: %s", oo_station_name(s, o), in->text);
}

static void decode(struct oo *s, u64 t) {
    u32 width = (u32)s->r->key[OO_WIDTH], in_d = 0, renamed = 0;
    for (u32 i = 0; i < s->window.n; i++) in_d += s->window.at[i].d && !s->window.at[i].r;
    for (u32 i = 0; i < s->window.n && in_d < width; i++)
        if (!s->window.at[i].d) s->window.at[i].d = t, in_d++;
    for (u32 i = 0; i < s->window.n && renamed < width; i++) {
        struct op *o = &s->window.at[i];
        if (!o->d || o->r) continue;
        enum lab_unit pool = pool_of(s, o);
        bool station = s->stations_used[pool] < (u32)s->r->key[OO_STATIONS + pool], entry = s->entries_used < s->how->entries;
        if (!station || !entry) {
            *(station ? &s->no_entry : &s->no_station) += 1;
            event(s, "no free %s for %s", station ? "reorder buffer entry" : "station", o->in->text);
            return;
        }
        rename_op(s, o, t);
        s->stations_used[pool]++;
        s->entries_used++;
        renamed++;
    }
}

static u32 predicted_next(const struct oo *s, u32 pc) {
    const struct lab_inst *in = &s->code[pc];
    if (!lab_is_branch(in)) return pc + 1;
    bool taken = in->op == LOP_J || s->how->predict == OO_TAKEN ||
                 (s->how->predict == OO_BIMODAL && s->counters[pc % s->how->bimodal] >= 2);
    return taken ? (u32)in->target : pc + 1;
}

static void fetch(struct oo *s, u64 t) {
    u32 width = (u32)s->r->key[OO_WIDTH], in_f = 0;
    for (u32 i = 0; i < s->window.n; i++) in_f += !s->window.at[i].d;
    for (; in_f < width && t >= s->fetch_at && !s->stalled; in_f++) {
        if (s->pc >= s->ncode || s->code[s->pc].op == LOP_HALT) return;
        const struct lab_inst *in = &s->code[s->pc];
        struct op o = {
            .uid = ++s->next_uid, .in = in, .pc = s->pc, .f = t, .unit = lab_ops[in->op].unit, .station = NO_STATION, .set = -1};
        o.row = lab_row(s->r, "", in->text, in->line);
        o.next = s->pc = predicted_next(s, s->pc);
        s->stalled = lab_is_branch(in) && s->how->predict == OO_STALL;
        VEC_PUSH(&s->window, o);
        s->fetched++;
    }
    s->peak = MAX(s->peak, s->window.n);
}

/* --- resolve */

static i32 violated_load(const struct oo *s, u32 store, u64 t) {
    const struct op *st = &s->window.at[store];
    for (u32 i = store + 1; i < s->window.n; i++) {
        const struct op *o = &s->window.at[i];
        if (is_load(o) && o->e && o->e <= t && o->address == address_of(st) && o->source < st->uid) return (i32)i;
    }
    return -1;
}

static void train_sets(struct oo *s, const struct op *store, const struct op *load) {
    if (!s->ssit) return;
    i32 *a = &s->ssit[store->pc % s->how->ssit], *b = &s->ssit[load->pc % s->how->ssit];
    i32 set = *a < 0 && *b < 0 ? (i32)(store->pc % s->how->ssit) : *a < 0 ? *b : *b < 0 ? *a : MIN(*a, *b);
    *a = *b = set;
}

static void train_counter(struct oo *s, const struct op *o) {
    u8 *c = s->counters ? &s->counters[o->pc % s->how->bimodal] : NULL;
    if (!c) return;
    if (o->taken && *c < 3) ++*c;
    if (!o->taken && *c > 0) --*c;
}

struct wrong { /* the oldest thing that must go */
    bool found;
    u32 from;
    u32 pc;
    i32 store; /* window index of the store that found a load wrong; -1: a branch */
};

static void see_branch(struct oo *s, u32 i, u64 t, struct wrong *w) {
    struct op *o = &s->window.at[i];
    u32 next = o->taken ? (u32)o->in->target : o->pc + 1;
    train_counter(s, o);
    if (s->how->predict == OO_STALL) {
        if (s->pending) return;
        s->stalled = false;
        s->pc = next;
        s->fetch_at = t + 1;
    } else if (next != o->next && i + 1 <= w->from) {
        *w = (struct wrong){true, i + 1, next, -1};
    }
}

static void see_store(struct oo *s, u32 i, u64 t, struct wrong *w) {
    i32 load = s->how->memory >= OO_MEM_AGGRESSIVE ? violated_load(s, i, t) : -1;
    if (load < 0 || (u32)load >= w->from) return;
    *w = (struct wrong){true, (u32)load, s->window.at[load].pc, (i32)i};
}

/* Its address is known from now on */
static bool store_tells(const struct oo *s, struct op *o, u64 t) {
    if (!s->how->core_memory) return o->x == t;
    if (o->known || !has_operands(o)) return false;
    o->known = t;
    return true;
}

/* What is younger than a flush that waits for its turn no longer counts */
static u32 pending_limit(const struct oo *s) {
    for (u32 i = 0; i < s->window.n && s->pending; i++)
        if (s->window.at[i].uid == s->pending) return i + !s->pending_self;
    return UINT32_MAX;
}

static void resolve(struct oo *s, u64 t) {
    u32 limit = pending_limit(s);
    struct wrong w = {.from = limit};
    for (u32 i = 0; i < s->window.n && i < limit; i++) {
        struct op *o = &s->window.at[i];
        if (lab_is_branch(o->in) && o->x == t) see_branch(s, i, t, &w);
        else if (is_store(o) && store_tells(s, o, t)) see_store(s, i, t, &w);
    }
    if (!w.found) return;
    if (w.store < 0) {
        s->mispredicted++;
        event(s, "%s went elsewhere than fetch", s->window.at[w.from - 1].in->text);
    } else {
        const struct op *store = &s->window.at[w.store], *load = &s->window.at[w.from];
        s->violations++;
        train_sets(s, store, load);
        event(s, "%s finds that the younger %s has read its address too early", store->in->text, load->in->text);
    }
    flush(s, w.from, t, w.pc, w.store >= 0);
}

/* Without a reorder buffer memory is written, and a fault raised, at the end of E */
static void finish_imprecise(struct oo *s, u64 t) {
    u32 younger = 0;
    for (u32 i = 0; i < s->window.n && !s->over; i++) {
        struct op *o = &s->window.at[i];
        if (o->x != t) continue;
        if (!o->fault) {
            if (is_store(o)) s->r->st.words[o->address] = o->result;
            continue;
        }
        struct strbuf list = {0};
        for (u32 k = 0; k < s->r->spans.n; k++) {
            const struct lab_span *w = &s->r->spans.at[k];
            if (w->stage != 'W' || w->row <= o->row) continue;
            strbuf_add(&list, "%s%s", younger++ ? ", " : "; younger instructions have written: ", s->r->rows.at[w->row].text);
        }
        raise_fault(s, o, t, younger, younger ? list.s : "; no younger instruction has written");
        strbuf_free(&list);
    }
}

/* --- the cycle */

static void count_used(struct oo *s) {
    memset(s->stations_used, 0, sizeof(s->stations_used));
    s->entries_used = 0;
    for (u32 i = 0; i < s->window.n; i++) {
        const struct op *o = &s->window.at[i];
        s->entries_used += o->r != 0;
        s->stations_used[pool_of(s, o)] += o->r && !o->b;
    }
}

static bool finished(const struct oo *s) {
    return s->window.n == 0 && (s->pc >= s->ncode || s->code[s->pc].op == LOP_HALT) && !s->stalled && !s->pending;
}

static void cycle(struct oo *s, u64 t) {
    count_used(s);
    start(s, t);
    broadcast(s, t);
    retire(s, t);
    if (!s->over) {
        decode(s, t);
        fetch(s, t);
        if (!precise(s)) finish_imprecise(s, t);
        resolve(s, t);
    }
    oo_page(s, t);
}

static void answers(struct oo *s) {
    struct lab_run *r = s->r;
    lab_answer(r, "cycles", r->cycles, r->fault ? "cycles until the fault was raised" : "cycles until the last W");
    lab_answer(r, "instructions", s->retired, "instructions that have written");
    lab_answer(r, "peak_window", s->peak, "most instructions in the machine at once");
    lab_answer(r, "no_station", s->no_station, "cycles rename waited for a station");
    if (!precise(s)) return;
    lab_answer(r, "no_entry", s->no_entry, "cycles rename waited for an entry of the reorder buffer");
    lab_answer(r, "flushes", s->flushes, "times that instructions were thrown away");
    lab_answer(r, "flushed", s->again, "instructions thrown away");
    lab_answer(r, "mispredicted", s->mispredicted, "branches that went elsewhere than fetch");
    lab_answer(r, "violations", s->violations, "loads that a store found to have read too early");
}

static void init(struct oo *s) {
    s->code = lab_crack(s->r->prog, &s->r->mem, &s->ncode);
    memcpy(s->arch, s->r->st.reg, sizeof(s->arch));
    oo_name_stations(s);
    rebuild_rat(s);
    if (s->how->memory == OO_MEM_PREDICTED) {
        s->ssit = base_alloc(s->how->ssit * sizeof(i32));
        for (u32 i = 0; i < s->how->ssit; i++) s->ssit[i] = -1;
    }
    if (s->how->predict == OO_BIMODAL) {
        s->counters = base_alloc(s->how->bimodal);
        memset(s->counters, 1, s->how->bimodal);
    }
}

void lab_ooo(struct lab_run *r, const struct oo_how *how) {
    struct oo s = {.r = r, .how = how};
    u64 t = 0;
    init(&s);
    while (!s.over && !finished(&s)) {
        if (t == r->max_cycles) {
            r->cut = true;
            break;
        }
        cycle(&s, ++t);
    }
    for (u32 i = 0; i < s.window.n; i++) {
        spans_of(&s, &s.window.at[i], t);
        if (precise(&s) && r->fault) VEC_PUSH(&r->squashed, s.window.at[i].row);
    }
    r->cycles = (u32)(r->cut ? t : s.last_w);
    memcpy(r->st.reg, s.arch, sizeof(s.arch));
    answers(&s);
    free(s.window.at);
    free(s.ssit);
    free(s.counters);
    free(s.events.at);
}
