/* What ports, buses, units and queues were used for, and the least cycles that each allows: no scheduler gets
 * below these while the same work passes through.
 *
 *     resource            used  hottest  at least cycles  speedup at most  holds for
 *     crossbar, replies  92.1 %   95.0 %           506012            1.053  this traffic
 *     issue              23.4 %        -           124553            4.277  any schedule
 *
 * `used` is over all instances. What the address map gives a memory partition stays with it, so there the
 * hottest partition sets the bound, and so does the busiest link of a mesh; work of SMs could be dealt out
 * otherwise, so there the average does. A bound on instructions and passes holds for any schedule of the
 * program; one on packets, lines and bursts for the traffic of this run: a schedule with more cache hits has
 * less of it. Queues (MSHRs, DRAM queue) bound by Little's law: as many entry cycles as were used, over the
 * entries there are, at the latency of this run.
 *
 * Not told: what has no count of its use. That is register and shared memory banks (both in the memory
 * stage's and the units' time), collectors and stations, the queue before the memory stage and that of
 * re-executions, the caches of instructions, constants and textures, TLB walks, credits, and the queues and
 * MSHRs of L2 slices (those who wait for one are: noc_wait_in, l2_mshr_full).
 *
 * Invariants: L1 used is at most 1 and least cycles at most the cycles measured, but for DRAM and crossbar
 * traffic that drains after the launch; both are cut there. */
#include "report/report.h"

#include <math.h>

enum where { OF_SMS, OF_PARTITIONS, OF_LINKS };
struct resource {
    const char *name;
    enum where where;
    bool any_schedule; /* the bound does not depend on hits */
    double busy;       /* instance cycles used, all instances, in cycles of its own clock */
    double each;       /* the same that one core cycle offers, all instances */
    size_t counter;    /* of struct mem_stats, for the hottest partition; SIZE_MAX: none */
    double peak;       /* links: of `busy`, the busiest one's */
    u32 instances;     /* links: how many */
};

struct inventory {
    struct resource at[LIMITS_MOST];
    u32 n;
};

static void add(struct inventory *v, struct resource r) {
    if (r.busy > 0 && r.each > 0) v->at[v->n++] = r;
}

static void add_sms(struct inventory *v, const struct launch_stats *s, const struct config *c) {
    const struct sm_stats *m = &s->sum;
    double sms = s->sms, subs = sms * c->subcores;
    const struct {
        const char *name;
        u64 busy;
        double each;
        bool any;
    } rows[] = {
        {"issue slots", m->warp_instructions + m->replays, sms * c->schedulers * c->issue_width, true},
        {"pipe", m->pipe_cycles + m->return_cycles, subs, true},
        {"arithmetic units", m->unit_busy_alu, subs * c->alu_units, true},
        {"integer units", m->unit_busy_int, subs * c->int_units, true},
        {"special function units", m->unit_busy_sfu, subs * c->sfu_units, true},
        {"double-precision units", m->unit_busy_fp64, subs * c->fp64_units, true},
        {"matrix units", m->unit_busy_tensor, subs * c->tensor_units, true},
        {"memory stage", m->lsu_busy_cycles - MIN(m->lsu_busy_cycles, m->lsu_stall_cycles), sms, false},
        {"L1 MSHRs", m->mshr_cycles, sms * c->l1_mshrs, false},
        {"L1 fills", m->l1_fills * c->l1_fill_cy, sms, false},
        {"miss queue", m->inject_wait_cycles, sms * c->miss_queue, false},
    };
    for (u32 i = 0; i < ARRAY_LEN(rows); i++)
        add(v, (struct resource){rows[i].name, OF_SMS, rows[i].any, (double)rows[i].busy, rows[i].each, SIZE_MAX});
}

static void add_memory(struct inventory *v, const struct launch_stats *s, const struct config *c) {
    const struct mem_stats *m = &s->mem;
    double slices = (double)c->partitions * c->slices, noc = (double)c->noc_mhz / c->core_mhz,
           dram = c->partitions * (double)c->dram_mhz / c->core_mhz, l2 = slices * c->l2_mhz / c->core_mhz;
#define OF(field) offsetof(struct mem_stats, field)
    double in = (double)m->noc_flits_in, out = (double)m->noc_flits_out;
    if (c->noc_kind == NOC_MESH) {
        u32 links = mesh_links(c);
        double ends = c->partitions * noc;
        add(v, (struct resource){"mesh, SMs' requests", OF_SMS, false, in, s->sms * noc, SIZE_MAX});
        add(v, (struct resource){"mesh, memories' requests", OF_PARTITIONS, false, in, ends, OF(noc_flits_in)});
        add(v, (struct resource){"mesh, memories' replies", OF_PARTITIONS, false, out, ends, OF(noc_flits_out)});
        add(v, (struct resource){"mesh, SMs' replies", OF_SMS, false, out, s->sms * noc, SIZE_MAX});
        add(v, (struct resource){"mesh, links", OF_LINKS, false, (double)m->mesh_hops, links * noc, SIZE_MAX,
                                 .peak = (double)m->mesh_link_peak, .instances = links});
    } else if (!c->noc_ideal) {
        add(v, (struct resource){"crossbar, SMs' requests", OF_SMS, false, in, s->sms * noc, SIZE_MAX});
        add(v, (struct resource){"crossbar, slices' requests", OF_PARTITIONS, false, in, slices * noc, OF(noc_flits_in)});
        add(v, (struct resource){"crossbar, slices' replies", OF_PARTITIONS, false, out, slices * noc, OF(noc_flits_out)});
        add(v, (struct resource){"crossbar, SMs' replies", OF_SMS, false, out, s->sms * noc, SIZE_MAX});
    }
    add(v, (struct resource){"L2 slices", OF_PARTITIONS, false, (double)m->l2_busy, l2, OF(l2_busy)});
    add(v, (struct resource){"DRAM data bus", OF_PARTITIONS, false, (double)m->dram_bus_busy, dram, OF(dram_bus_busy)});
    add(v, (struct resource){"DRAM queue", OF_PARTITIONS, false, (double)m->dram_queued, dram * c->dram_queue, OF(dram_queued)});
#undef OF
}

static double hottest(const struct resource *r, const struct mem_stats *parts, u32 n, double cycles) {
    u64 most = 0;
    if (r->where == OF_LINKS) return r->peak / (r->each / r->instances * cycles);
    if (!parts || r->counter == SIZE_MAX) return NAN;
    for (u32 i = 0; i < n; i++) {
        u64 x;
        memcpy(&x, (const u8 *)&parts[i] + r->counter, sizeof(x));
        most = MAX(most, x);
    }
    return (double)most / (r->each / n * cycles);
}

u32 report_limits(const struct launch_stats *s, const struct mem_stats *parts, const struct config *c,
                  struct limit_row rows[LIMITS_MOST]) {
    struct inventory v = {0};
    if (!s->cycles || !c) return 0;
    add_sms(&v, s, c);
    add_memory(&v, s, c);
    for (u32 i = 0; i < v.n; i++) {
        const struct resource *r = &v.at[i];
        double cycles = (double)s->cycles, used = r->busy / (r->each * cycles), hot = hottest(r, parts, s->partitions, cycles);
        used = fmin(used, 1), hot = hot > 1 ? 1 : hot; /* L1 */
        double binding = r->where != OF_SMS && !isnan(hot) ? hot : used;
        rows[i] = (struct limit_row){
            .name = r->name, .used = used, .hottest = hot, .least_cycles = binding * cycles, .any_schedule = r->any_schedule};
    }
    for (u32 i = 1; i < v.n; i++) /* the tightest first; equal ones in the order of the pipeline */
        for (u32 k = i; k && rows[k].least_cycles > rows[k - 1].least_cycles; k--) {
            struct limit_row swap = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = swap;
        }
    return v.n;
}

void report_limits_text(const struct launch_stats *s, const struct mem_stats *parts, const struct config *c, FILE *out) {
    struct limit_row rows[LIMITS_MOST];
    u32 n = report_limits(s, parts, c, rows);
    if (!n) return;
    fprintf(out, "\nlimits       %-28s %8s %8s %16s %16s  %s\n", "resource", "used", "hottest", "at least cycles",
            "speedup at most", "holds for");
    for (u32 i = 0; i < n; i++) {
        char used[32], hot[32];
        fprintf(out, "             %-28s %8s %8s %16.0f %16.3f  %s\n", rows[i].name, report_percent(used, rows[i].used),
                report_percent(hot, rows[i].hottest), rows[i].least_cycles, (double)s->cycles / rows[i].least_cycles,
                rows[i].any_schedule ? "any schedule" : "this traffic");
    }
}

json_t *report_limits_json(const struct launch_stats *s, const struct mem_stats *parts, const struct config *c) {
    struct limit_row rows[LIMITS_MOST];
    u32 n = report_limits(s, parts, c, rows);
    json_t *list = json_array();
    for (u32 i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:b}", "resource", rows[i].name, "used",
                                              json_number(rows[i].used), "hottest", json_number(rows[i].hottest), "least_cycles",
                                              json_number(rows[i].least_cycles), "speedup_at_most",
                                              json_number((double)s->cycles / rows[i].least_cycles), "any_schedule",
                                              (int)rows[i].any_schedule));
    return list;
}
