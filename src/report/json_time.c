/* A launch over time, as JSON, for pages and scripts. Lists are in columns and rows, so that thousands of
 * rows stay small; cycles are counted from the launch's start.
 *
 *   time {launch, cycles,
 *         samples {columns, rows}     an interval a row: its last cycle, what happened in it, warp time by cause
 *         sms {cycles, instructions, warp_cycles}      at most SM_INTERVALS of them; a list an interval, an SM each
 *         blocks {in_all, columns, rows}}
 *   pipeline {sm, in_all, columns, rows}: an instruction a row; null for a stage it did not pass */
#include "report/report.h"

enum { SM_INTERVALS = 256 };

static json_t *integer(u64 x) { return json_integer((json_int_t)x); }
static json_t *cycle_or_null(u64 x) { return x == NEVER ? json_null() : integer(x); }

static json_t *names(const char *const *at, u32 n) {
    json_t *list = json_array();
    for (u32 i = 0; i < n; i++) json_array_append_new(list, json_string(at[i]));
    return list;
}

/* --- intervals */

static json_t *sample_row(const struct sample *x) {
    const u64 first[] = {x->cycle,   x->warp_instructions, x->warp_cycles, x->l1_accesses,
                         x->l1_hits, x->l2_accesses,       x->l2_hits,     x->dram_bursts};
    json_t *row = json_array();
    for (u32 i = 0; i < ARRAY_LEN(first); i++) json_array_append_new(row, integer(first[i]));
    for (u32 i = 0; i < STALL_COUNT; i++) json_array_append_new(row, json_number((double)(x->time[i] * 100 / 6) / 100));
    return row;
}

static json_t *samples_json(const struct launch_stats *s) {
    static const char *const first[] = {"cycle",   "warp_instructions", "warp_cycles", "l1_accesses",
                                        "l1_hits", "l2_accesses",       "l2_hits",     "dram_bursts"};
    json_t *columns = names(first, ARRAY_LEN(first)), *rows = json_array();
    for (u32 i = 0; i < STALL_COUNT; i++) json_array_append_new(columns, json_string(stall_table[i].name));
    for (u32 i = 0; i < s->nsamples; i++) json_array_append_new(rows, sample_row(&s->samples[i]));
    return json_pack("{s:o, s:o}", "columns", columns, "rows", rows);
}

/* --- SMs: `every` intervals together */

static json_t *sm_row(const struct launch_stats *s, u32 from, u32 to, bool instructions) {
    json_t *row = json_array();
    for (u32 sm = 0; sm < s->sms; sm++) {
        u64 sum = 0;
        for (u32 i = from; i < to; i++) {
            const struct sm_sample *x = &s->sm_samples[(size_t)i * s->sms + sm];
            sum += instructions ? x->warp_instructions : x->warp_cycles;
        }
        json_array_append_new(row, integer(sum));
    }
    return row;
}

static json_t *sms_json(const struct launch_stats *s) {
    json_t *cycles = json_array(), *instructions = json_array(), *warps = json_array();
    u32 every = (s->nsamples + SM_INTERVALS - 1) / SM_INTERVALS;
    for (u32 i = 0; i < s->nsamples; i += every) {
        u32 to = MIN(i + every, s->nsamples);
        json_array_append_new(cycles, integer(s->samples[to - 1].cycle));
        json_array_append_new(instructions, sm_row(s, i, to, true));
        json_array_append_new(warps, sm_row(s, i, to, false));
    }
    return json_pack("{s:o, s:o, s:o}", "cycles", cycles, "instructions", instructions, "warp_cycles", warps);
}

/* --- blocks */

static json_t *blocks_json(const struct timeline_lists *l) {
    static const char *const columns[] = {"block", "sm", "start", "end"};
    json_t *rows = json_array();
    for (u32 i = 0; i < l->nblocks; i++) {
        const struct timeline_block *b = &l->blocks[i];
        json_array_append_new(
            rows, json_pack("[I, I, I, I]", (json_int_t)b->block, (json_int_t)b->sm, (json_int_t)b->start, (json_int_t)b->end));
    }
    return json_pack("{s:I, s:o, s:o}", "in_all", (json_int_t)l->blocks_in_all, "columns", names(columns, ARRAY_LEN(columns)),
                     "rows", rows);
}

json_t *json_time(const struct launch_stats *s) {
    json_t *j =
        json_pack("{s:I, s:I, s:o}", "launch", (json_int_t)s->index, "cycles", (json_int_t)s->cycles, "samples", samples_json(s));
    if (s->sm_samples) json_object_set_new(j, "sms", sms_json(s));
    json_object_set_new(j, "blocks", blocks_json(&s->time));
    return j;
}

/* --- first instructions */

static json_t *inst_row(const struct timeline_inst *x) {
    const u64 stages[] = {x->issue,       x->read,  x->dispatch, x->enter, x->access_first,
                          x->access_last, x->ready, x->complete, x->done};
    json_t *row = json_pack("[I, I, I, I]", (json_int_t)x->slot, (json_int_t)x->pc, (json_int_t)__builtin_popcountll(x->mask),
                            (json_int_t)x->hazards);
    for (u32 i = 0; i < ARRAY_LEN(stages); i++) json_array_append_new(row, cycle_or_null(stages[i]));
    json_t *text = json_string(x->text);
    json_array_append_new(row, text ? text : json_string("?")); /* bytes that are no UTF-8 */
    return row;
}

json_t *json_pipeline(const struct launch_stats *s) {
    static const char *const columns[] = {"slot",  "pc",           "lanes",       "hazards", "issue",    "read", "dispatch",
                                          "enter", "access_first", "access_last", "ready",   "complete", "done", "text"};
    json_t *rows = json_array();
    for (u32 i = 0; i < s->time.ninsts; i++) json_array_append_new(rows, inst_row(&s->time.insts[i]));
    return json_pack("{s:I, s:I, s:I, s:o, s:o}", "launch", (json_int_t)s->index, "sm", (json_int_t)s->time.insts[0].sm, "in_all",
                     (json_int_t)s->time.insts_in_all, "columns", names(columns, ARRAY_LEN(columns)), "rows", rows);
}
