/* The counters of a Vortex core of 2021 (its CSRs 0xB03 to 0xB1C), from what an SM counts. Those that nothing
 * here is like read 0. */
#include "core/core.h"
#include "func/rv.h"

u64 core_perf(const struct core *c, u32 which) {
    const struct sm_stats *s = &c->stats;
    switch ((enum rv_perf_id)which) {
    case RV_PERF_IBUFFER: return s->decode_held_cycles;
    case RV_PERF_ICACHE_READS: return s->fetches;
    case RV_PERF_ICACHE_MISSES: return s->icache_misses;
    case RV_PERF_DCACHE_READS: return s->l1_accesses;
    case RV_PERF_DCACHE_WRITES: return s->l1_writes;
    case RV_PERF_DCACHE_READ_MISSES: return s->l1_misses + s->l1_merged;
    case RV_PERF_DCACHE_BANK: return s->hazards[HAZARD_BANK];
    case RV_PERF_DCACHE_MSHR: return s->hazards[HAZARD_MSHR];
    case RV_PERF_DCACHE_PIPE: return s->hazards[HAZARD_COMQ];
    case RV_PERF_SHARED_READS: return s->shared_loads;
    case RV_PERF_SHARED_WRITES: return s->shared_stores;
    case RV_PERF_SHARED_BANK: return s->shared_conflict_cycles;
    case RV_PERF_MEMORY_READS: return s->l1_misses + s->icache_misses;
    case RV_PERF_MEMORY_WRITES: return s->l1_writes;
    case RV_PERF_MEMORY_STALLS: return s->credit_wait_cycles;
    case RV_PERF_MEMORY_LATENCY: return s->load_latency_cycles;
    default: return 0;
    }
}
