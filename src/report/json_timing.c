/* Everything a launch measured, as JSON; names are those of the tables.
 *
 *   cycles, complete, functional, occupancy; not_timed: why there are no cycles
 *   counters {name: n}, formulas {name: x or null}
 *   flops {kind: n}: floating-point operations of lanes that worked; a fused multiply-add is two
 *   cpi {method: {total: {part: scheduler cycles}, schedulers: [{part: ...}, ...]}} a method's parts sum to
 *   cycles x SMs x schedulers
 *   warp_time {cause: slot cycles} sums to cycles x SMs x warp slots + formed_beyond_cycles
 *   sched_cycles {kind: n} sums to cycles x SMs x schedulers
 *   hazards {name: cycles}, lanes [instructions with 0, 1, ... active lanes], occupied [the same of lanes
 *   that go together, guards left out], lanes_lost {cause: lanes}; with `lanes` all lanes of the instructions
 *   estimate {cycles, half_width, low, high, confidence} of the whole launch where a part was left out, else
 *   absent; instructions {timed, left_out, unknown}: with timing, in the estimate only, in neither
 *   per_sm, per_partition [...]                                                         with --per-sm */
#include "power/power.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

json_t *json_number(double x) {
    if (!isfinite(x)) return json_null();
    return x == floor(x) && fabs(x) < 9e15 ? json_integer((json_int_t)x) : json_real(x);
}

static void set_int(json_t *to, const char *key, u64 x) { json_object_set_new(to, key, json_integer((json_int_t)x)); }

static json_t *occupancy_json(const struct occupancy *o) {
    return json_pack("{s:I, s:I, s:s, s:I, s:I, s:I, s:I, s:I}", "blocks", (json_int_t)o->ctas, "warps", (json_int_t)o->warps,
                     "limiter", o->limiter ? o->limiter : "", "by_blocks", (json_int_t)o->by_ctas, "by_threads",
                     (json_int_t)o->by_threads, "by_warps", (json_int_t)o->by_warps, "by_registers", (json_int_t)o->by_registers,
                     "by_shared", (json_int_t)o->by_shared);
}

static json_t *stats_json(const struct launch_stats *s, bool formulas) {
    json_t *o = json_object();
    for (u32 i = 0; i < stat_count(); i++)
        if (stat_at(i).formula == formulas) json_object_set_new(o, stat_at(i).name, json_number(stat_value(s, i)));
    return o;
}

static json_t *cpi_json(const struct launch_stats *s, enum cpi_method m) {
    json_t *total = json_object(), *list = json_array();
    for (u32 k = 0; k < CPI_COUNT; k++) json_object_set_new(total, cpi_table[k].name, json_number(cpi_total(s, m, k)));
    for (u32 i = 0; i < s->schedulers; i++) {
        json_t *o = json_object();
        for (u32 k = 0; k < CPI_COUNT; k++)
            json_object_set_new(o, cpi_table[k].name, json_number(cpi_cycles(s, &s->sum, i, m, k)));
        json_array_append_new(list, o);
    }
    return json_pack("{s:o, s:o}", "total", total, "schedulers", list);
}

static json_t *cpis_json(const struct launch_stats *s) {
    json_t *o = json_object();
    for (u32 m = 0; m < CPI_METHODS; m++) json_object_set_new(o, cpi_method_names[m], cpi_json(s, m));
    return o;
}

static json_t *warp_time_json(const struct sm_stats *of) {
    json_t *o = json_object();
    for (u32 i = 0; i < STALL_COUNT; i++) json_object_set_new(o, stall_table[i].name, json_number(stall_total(of, i)));
    return o;
}

static json_t *sched_json(const struct sm_stats *of) {
    json_t *o = json_object();
    for (u32 k = 0; k < SCHED_CYCLES; k++) {
        u64 sum = 0;
        for (u32 i = 0; i < MAX_SCHEDULERS; i++) sum += of->sched[i].cycles[k];
        set_int(o, sched_cycle_names[k], sum);
    }
    return o;
}

static json_t *hazards_json(const struct sm_stats *of) {
    json_t *o = json_object();
    for (u32 i = 0; i < HAZARD_COUNT; i++) set_int(o, hazard_table[i].name, of->hazards[i]);
    return o;
}

static json_t *lanes_json(const struct sm_stats *of, u32 warp_size) {
    json_t *list = json_array();
    for (u32 i = 0; i <= warp_size; i++) json_array_append_new(list, json_integer((json_int_t)of->lanes[i]));
    return list;
}

static void set_lanes(json_t *to, const struct lane_stats *of, u32 warp_size) {
    json_t *list = json_array(), *lost = json_object();
    for (u32 i = 0; i <= warp_size; i++) json_array_append_new(list, json_integer((json_int_t)of->occupied[i]));
    for (u32 i = 0; i < LOST_COUNT; i++) set_int(lost, lost_table[i].name, of->lost[i]);
    json_object_set_new(to, "occupied", list);
    json_object_set_new(to, "lanes_lost", lost);
}

static void set_parts(json_t *to, const struct sm_stats *of, u32 warp_size) {
    json_object_set_new(to, "warp_time", warp_time_json(of));
    json_object_set_new(to, "sched_cycles", sched_json(of));
    json_object_set_new(to, "hazards", hazards_json(of));
    json_object_set_new(to, "lanes", lanes_json(of, warp_size));
}

static json_t *per_sm_json(const struct launch_stats *s) {
    json_t *list = json_array();
    for (u32 i = 0; i < s->sms; i++) {
        json_t *o = json_object();
#define COUNTER(id, unit, doc) set_int(o, #id, s->per_sm[i].id);
#define FORMULA(...)
#include "stats/stats.def"
#undef COUNTER
#undef FORMULA
        set_parts(o, &s->per_sm[i], s->warp_size);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *per_partition_json(const struct launch_stats *s) {
    json_t *list = json_array();
    for (u32 i = 0; i < s->partitions; i++) {
        json_t *o = json_object();
#define COUNTER(id, unit, doc) set_int(o, #id, s->per_partition[i].id);
#include "mem/mem_stats.def"
#undef COUNTER
        json_array_append_new(list, o);
    }
    return list;
}

/* Joules, by part and by Mascar's four groups */
json_t *json_energy(const struct config *c, const struct launch_stats *s) {
    struct energy e = energy_of(c, s);
    json_t *parts = json_object(), *groups = json_object();
    for (u32 i = 0; i < ENERGY_PARTS; i++) json_object_set_new(parts, energy_part_names[i], json_real(e.part[i]));
    for (u32 i = 0; i < ENERGY_GROUPS; i++) json_object_set_new(groups, energy_group_names[i], json_real(e.group[i]));
    return json_pack("{s:f, s:o, s:o}", "total", e.total, "parts", parts, "groups", groups);
}

json_t *json_machine(const struct config *c) {
    json_t *o = json_object();
    for (u32 i = 0; i < cfg_key_count; i++) {
        char text[256];
        config_get_text(c, &cfg_keys[i], text, sizeof(text));
        json_object_set_new(o, cfg_keys[i].name,
                            cfg_keys[i].type == KEY_TYPE_U32 ? json_integer(strtoll(text, NULL, 10)) : json_string(text));
    }
    return o;
}

/* Operations a second of one kind of unit, all SMs */
static double unit_peak(const struct config *c, u32 units, u32 width) {
    return (double)c->sms * c->subcores * units * MIN(width, c->warp_size) * c->core_mhz * 1e6;
}

json_t *json_roofs(const struct config *c) {
    double issues = (double)c->sms * c->schedulers * c->issue_width * c->core_mhz * 1e6;
    double lanes = MIN(unit_peak(c, c->alu_units, c->alu_width), issues * c->warp_size);
    json_t *o = json_object();
    json_object_set_new(o, "issues_per_second", json_number(issues));
    json_object_set_new(o, "fp32_flops_per_second", json_number(2 * lanes));
    json_object_set_new(o, "fp64_flops_per_second",
                        json_number(2 * MIN(unit_peak(c, c->fp64_units, c->fp64_width), issues * c->warp_size)));
    json_object_set_new(o, "l2_bytes_per_second",
                        json_number((double)c->partitions * c->slices * c->l2_sector_b * c->l2_mhz * 1e6 / c->l2_interval));
    json_object_set_new(o, "dram_bytes_per_second", json_number((double)c->partitions * c->dram_bus_b * c->dram_mhz * 1e6));
    return o;
}

static json_t *flops_json(const struct launch_stats *s) {
    json_t *o = json_object();
    for (u32 i = 0; i < FLOP_KINDS; i++) set_int(o, flop_names[i], s->flops[i]);
    return o;
}

/* Exact: timed cycles, instructions. Estimated: this. */
static void add_estimate(json_t *to, const struct launch_stats *s) {
    double half = estimate_half(&s->estimate), cycles = s->estimate.cycles;
    json_object_set_new(to, "instructions",
                        json_pack("{s:I, s:I, s:I}", "timed", (json_int_t)s->sum.warp_instructions, "left_out",
                                  (json_int_t)s->instructions_left_out, "unknown", (json_int_t)s->instructions_unknown));
    if (!s->estimated) return;
    json_object_set_new(to, "estimate",
                        json_pack("{s:o, s:o, s:o, s:o, s:f}", "cycles", json_number(cycles), "half_width", json_number(half),
                                  "low", json_number(estimate_low(&s->estimate, s->cycles)), "high", json_number(cycles + half),
                                  "confidence", 0.95));
}

void json_add_timing(json_t *to, const struct launch_stats *s) {
    set_int(to, "cycles", s->cycles);
    json_object_set_new(to, "complete", json_boolean(s->complete && s->cycles));
    if (!s->cycles)
        json_object_set_new(
            to, "not_timed",
            json_string(s->functional ? "it ran without timing" : "no cycle of it was counted: it ended, or was ended, before"));
    json_object_set_new(to, "functional", json_boolean(s->functional));
    set_int(to, "blocks_functional", s->ctas_functional);
    set_int(to, "timed_from", s->timed_from);
    add_estimate(to, s);
    json_object_set_new(to, "occupancy", occupancy_json(&s->occupancy));
    json_object_set_new(to, "counters", stats_json(s, false));
    json_object_set_new(to, "formulas", stats_json(s, true));
    json_object_set_new(to, "flops", flops_json(s));
    json_object_set_new(to, "cpi", cpis_json(s));
    set_parts(to, &s->sum, s->warp_size);
    set_lanes(to, &s->lane, s->warp_size);
    if (s->per_sm) json_object_set_new(to, "per_sm", per_sm_json(s));
    if (s->per_partition) json_object_set_new(to, "per_partition", per_partition_json(s));
}

/* --- per instruction */

static json_t *pc_json(const struct report_kernel *k, u32 pc) {
    const struct pc_stats *p = &k->pcs[pc];
    const struct inst_src *src = k->code->code[pc].src;
    json_t *time = json_object();
    for (u32 i = 0; i < STALL_COUNT; i++)
        if (p->time[i]) json_object_set_new(time, stall_table[i].name, json_number((double)p->time[i] / 6.0));
    return json_pack("{s:I, s:I, s:I, s:I, s:s?, s:s?, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "pc", (json_int_t)pc, "text_line",
                     (json_int_t)(src ? src->text_line : 0), "ptx_line",
                     (json_int_t)(src ? src->text_line : 0) /* its name of old */, "line", (json_int_t)(src ? src->line : 0),
                     "file", src ? src->file : NULL, "text", inst_text(src), "issues", (json_int_t)p->issues, "lanes",
                     (json_int_t)p->lanes, "accesses", (json_int_t)p->accesses, "lines", (json_int_t)p->lines, "l1_hits",
                     (json_int_t)p->l1_hits, "latency_cycles", (json_int_t)p->latency, "warp_time", time);
}

json_t *json_by_pc(const struct report_kernel *k) {
    json_t *list = json_array();
    for (u32 pc = 0; pc < k->npcs; pc++)
        if (!(k->code->code[pc].flags & INST_PSEUDO)) json_array_append_new(list, pc_json(k, pc));
    return list;
}
