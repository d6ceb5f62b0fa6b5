/* What must hold between keys. Each message names the keys, their values, and what would be legal. */
#include "config/config.h"

#include <string.h>

struct checker {
    const struct config *c;
    struct diag *d;
};

#define WRONG(k, ...) diag_error((k)->d, (k)->c->machine, 0, 0, __VA_ARGS__)

static u32 value(const struct config *c, const char *name) {
    const struct cfg_key *k = cfg_key_find(name);
    CHECK(k && k->type == KEY_TYPE_U32);
    return *(const u32 *)((const char *)c + k->offset);
}

static const char *const powers_of_two[] = {
    "sm.icache.sets",      "sm.icache.line_b",     "sm.const.sets",        "sm.const.line_b",
    "sm.tex.sets",         "sm.tex.line_b",        "sm.l1.sets",           "sm.l1.line_b",
    "sm.l1.sector_b",      "sm.shared.banks",      "sm.shared.lanes",      "l2.sets",
    "l2.line_b",           "l2.sector_b",          "map.interleave_b",     "dram.banks",
    "dram.row_b",          "dram.burst_b",         "sm.tlb.page_b",        "sm.hazard.counter.entries",
    "vortex.dcache.lines", "vortex.dcache.line_b", "sm.fetch.stall_table",
};

static void check_powers(struct checker *k) {
    for (u32 i = 0; i < ARRAY_LEN(powers_of_two); i++) {
        u32 x = value(k->c, powers_of_two[i]), above = 1;
        if (!(x & (x - 1))) continue; /* 0: there is none */
        while (above < x) above *= 2;
        WRONG(k, "%s is %u; it must be a power of two, such as %u or %u", powers_of_two[i], x, above / 2, above);
    }
}

static const struct {
    const char *small, *large, *why;
} at_most[] = {
    {"sm.l1.sector_b", "sm.l1.line_b", "a sector is part of a line"},
    {"l2.sector_b", "l2.line_b", "a sector is part of a line"},
    {"l2.line_b", "sm.l1.line_b", "an L1 line is made of whole L2 lines"},
    {"dram.burst_b", "dram.row_b", "an access lies in one row"},
    {"sm.inst_b", "sm.icache.line_b", "an instruction lies in one line"},
    {"sm.fetch.insts", "sm.ibuffer", "a fetch needs room for all its instructions"},
    {"sm.schedulers", "sm.warps", "each scheduler needs a warp slot"},
    {"sm.warp_size", "sm.threads", "one warp must fit"},
    {"sm.register_unit", "sm.registers", "one warp must fit"},
    {"sm.shared_reserved_b", "sm.shared_b", "one block must fit"},
};

static void check_order(struct checker *k) {
    for (u32 i = 0; i < ARRAY_LEN(at_most); i++) {
        u32 small = value(k->c, at_most[i].small), large = value(k->c, at_most[i].large);
        if (small > large)
            WRONG(k, "%s is %u; it must be at most %s, which is %u: %s", at_most[i].small, small, at_most[i].large, large,
                  at_most[i].why);
    }
}

static void check_parts(struct checker *k) {
    const struct config *c = k->c;
    if (c->schedulers % c->subcores)
        WRONG(k, "sm.subcores is %u; it must divide sm.schedulers, which is %u", c->subcores, c->schedulers);
    if (c->squeeze && !c->warp_scale)
        WRONG(k, "sm.squeeze is %s; it does nothing unless sm.warp_scale is hybrid",
              c->squeeze == SQUEEZE_THESIS ? "thesis" : "fewest");
    if (c->interweave_lanes == LANES_XOR && c->warp_size & (c->warp_size - 1))
        WRONG(k, "interweave.lanes is xor and sm.warp_size is %u; lanes are permuted in warps of a power of two, such as 32",
              c->warp_size);
    if (strcmp(c->diverge, "vws") == 0 && (c->warp_size % c->vws_slice || c->warp_size / c->vws_slice > VWS_SLICES))
        WRONG(k, "vws.slice is %u and sm.warp_size is %u; a warp is divided into at most %d slices of that many lanes each",
              c->vws_slice, c->warp_size, VWS_SLICES);
    if (c->dwf_permute && c->warp_size & (c->warp_size - 1))
        WRONG(k, "dwf.permute is xor and sm.warp_size is %u; lanes are permuted in warps of a power of two, such as 32",
              c->warp_size);
    if (c->dwf_policy == DWF_MINORITY && c->dwf_majority == DWF_HEAP)
        WRONG(k, "dwf.majority is heap and dwf.policy is minority; the heap has the pc of most threads on top: dwf.majority = "
                 "exact or scan go with minority");
    if (c->shared_stations && !c->stations)
        WRONG(k, "order.stations.shared is true; it does nothing unless order.stations is a number of them, at least 1");
    if (c->precise == PRECISE_CHECKPOINT && c->checkpoint_every > c->window)
        WRONG(k,
              "order.checkpoint.every is %u; it must be at most order.window, which is %u: what is between two copies leaves "
              "together",
              c->checkpoint_every, c->window);
    if (c->ccws_tags % c->ccws_ways)
        WRONG(k, "sm.sched.ccws.ways is %u; it must divide sm.sched.ccws.tags, which is %u", c->ccws_ways, c->ccws_tags);
    if (c->clusters > 1 && (c->partitions > 1 || c->slices % c->clusters || c->sms % c->clusters))
        WRONG(k,
              "l2.clusters is %u; it must divide l2.slices, which is %u, and gpu.sms, which is %u, and l2.partitions, which is "
              "%u, must be 1",
              c->clusters, c->slices, c->sms, c->partitions);
    if (c->clusters > 1 && c->noc_kind != NOC_CROSSBAR)
        WRONG(k, "l2.clusters is %u; with noc.kind = mesh it must be 1", c->clusters);
    u32 least = c->t_rcd + c->t_ras + c->t_rp + c->t_rfc;
    if (c->dram_kind == DRAM_BANKED && c->t_refi && c->t_refi <= least)
        WRONG(k,
              "dram.tREFI is %u; it must be more than dram.tRCD (%u) + dram.tRAS (%u) + dram.tRP (%u) + dram.tRFC (%u), which "
              "is %u: a row is opened and closed between two refreshes; or dram.tREFI must be 0 for no refresh",
              c->t_refi, c->t_rcd, c->t_ras, c->t_rp, c->t_rfc, least);
}

/* --- the mesh: a node for everybody, and no two partitions at one */

static void check_mesh(struct checker *k) {
    const struct config *c = k->c;
    u32 nodes = c->mesh_width * c->mesh_height;
    if (c->noc_kind != NOC_MESH) return;
    if (nodes < c->sms + c->partitions)
        WRONG(k, "noc.mesh.width (%u) x noc.mesh.height (%u) is %u nodes; gpu.sms (%u) and l2.partitions (%u) need %u",
              c->mesh_width, c->mesh_height, nodes, c->sms, c->partitions, c->sms + c->partitions);
    else if (c->mesh_place == PLACE_GPGPUSIM && !mesh_preset(c->mesh_width, c->mesh_height, c->partitions))
        WRONG(k,
              "noc.mesh.place is gpgpusim, which is known for 8 partitions in squares of 4, 6 or 8; here are %u in %u x %u: use "
              "spread or sides",
              c->partitions, c->mesh_width, c->mesh_height);
    else if (c->mesh_place == PLACE_SIDES && (c->mesh_height < 2 || (c->partitions + 1) / 2 > c->mesh_width))
        WRONG(k, "noc.mesh.place is sides; the first and the last row of %u x %u have no room for %u partitions: use spread",
              c->mesh_width, c->mesh_height, c->partitions);
}

/* --- latencies: what an instruction needs to get to its unit and back */

static void check_latency(struct checker *k, const char *name, u32 latency, bool memory) {
    const struct config *c = k->c;
    u32 least = c->issue_depth + c->operand_depth + (memory ? c->lsu_agu_cy : 0) + 2;
    if (latency >= least) return;
    struct strbuf sum = {0};
    strbuf_add(&sum, "sm.depth.issue (%u) + sm.depth.operands (%u)", c->issue_depth, c->operand_depth);
    if (memory) strbuf_add(&sum, " + sm.lsu.agu_cy (%u)", c->lsu_agu_cy);
    WRONG(k, "%s is %u; it must be at least %u: %s + 2", name, latency, least, sum.s);
    strbuf_free(&sum);
}

static const char *const class_names[] = {
#define KEY_U32(...)
#define KEY_BOOL(...)
#define KEY_CHOICE(...)
#define KEY_POLICY(...)
#define KEY_COLLECTORS(...)
#define KEY_CLASS(id, ...) "sm.class." #id,
#include "config/config.def"
};

static void check_class(struct checker *k, enum xclass x) {
    const struct config *c = k->c;
    const struct class_timing *t = &c->class[x];
    char name[64];
    snprintf(name, sizeof(name), "%s.latency_cy", class_names[x]);
    check_latency(k, name, t->latency_cy, false);
    if (t->unit >= UNIT_MEM)
        WRONG(k, "%s.unit is %s; instructions of a class run on alu, int, sfu, fp64 or tensor", class_names[x],
              unit_names[t->unit]);
    if (t->unit == UNIT_ALU && c->alu_units == 0)
        WRONG(k, "%s.unit is alu and sm.alu.units is 0; give the class another unit or the SM an ALU", class_names[x]);
    if (t->unit == UNIT_INT && c->int_units == 0 && c->alu_units == 0)
        WRONG(k, "%s.unit is int, and sm.int.units and sm.alu.units are both 0; one of them must be at least 1", class_names[x]);
}

static void check_latencies(struct checker *k) {
    static const char *const memory[] = {"sm.l1.latency_cy", "sm.shared.latency_cy", "sm.const.latency_cy", "sm.tex.latency_cy"};
    for (int x = 0; x < XCLASS_COUNT; x++) check_class(k, (enum xclass)x);
    for (u32 i = 0; i < ARRAY_LEN(memory); i++) check_latency(k, memory[i], value(k->c, memory[i]), true);
}

/* --- the Vortex pipeline has one scheduler, in-order issue, and stages of its own behind it */

static void check_vortex_needs(struct checker *k) {
    static const char one_port[] = "it issues one instruction a cycle",
                      one_fetch[] = "its instruction cache takes one request a cycle",
                      lsu[] = "a word that misses waits in its bank, and nothing is issued again",
                      unseen[] = "its issue stage sees nothing of the data cache";
    static const struct {
        const char *key, *value, *why;
    } needs[] = {
        {"sm.schedulers", "1", one_port},
        {"sm.subcores", "1", one_port},
        {"sm.issue_width", "1", one_port},
        {"sm.operands.ideal", "true", "its registers are read as it issues"},
        {"sm.order", "in_order", "its scoreboard has a bit for each register, and its results one port to come home by"},
        {"sm.hazard", "stall", lsu},
        {"sm.lsu.reexec", "0", lsu},
        {"sm.hazard.tracker", "none", unseen},
        {"sm.warp_scale", "off", "its units take all threads of a warp at once"},
        {"sm.fetch.warps", "1", one_fetch},
        {"sm.fetch.insts", "1", one_fetch},
        {"stats.blocked_hits", "false", "it is a count of the other pipeline's L1"},
        {"sm.icache.prefetch", "0", "its instruction cache sends for what was asked for alone"},
    };
    for (u32 i = 0; i < ARRAY_LEN(needs); i++) {
        char is[64];
        config_get_text(k->c, cfg_key_find(needs[i].key), is, sizeof is);
        if (strcmp(is, needs[i].value) != 0)
            WRONG(k, "%s is %s; with sm.pipeline = vortex it must be %s: %s", needs[i].key, is, needs[i].value, needs[i].why);
    }
}

static void check_vortex(struct checker *k) {
    const struct config *c = k->c;
    if (c->pipeline != PIPELINE_VORTEX) return;
    check_vortex_needs(k);
    static const char *const others[] = {"mascar", "ccws"};
    for (u32 i = 0; i < ARRAY_LEN(others); i++)
        if (strcmp(c->sched, others[i]) == 0)
            WRONG(k, "sm.sched is %s, which watches the L1 of sm.pipeline = common; sm.pipeline = vortex has another", c->sched);
    if (c->warp_size > 32) WRONG(k, "sm.warp_size is %u; with sm.pipeline = vortex it must be at most 32", c->warp_size);
    if (c->ibuffer > 62) WRONG(k, "sm.ibuffer is %u; with sm.pipeline = vortex it must be at most 62", c->ibuffer);
}

/* --- sizes a host can hold: tags are kept for every line of the chip */

enum { MAX_LINES_OF_A_KIND = 1 << 24 };

static void check_lines(struct checker *k, u64 lines, const char *product) {
    if (lines > MAX_LINES_OF_A_KIND)
        WRONG(k, "%s is %llu cache lines; at most %d are possible", product, (unsigned long long)lines, MAX_LINES_OF_A_KIND);
}

static void check_sizes(struct checker *k) {
    const struct config *c = k->c;
    check_lines(k, (u64)c->sms * c->l1_sets * c->l1_ways, "gpu.sms * sm.l1.sets * sm.l1.ways");
    check_lines(k, (u64)c->sms * c->icache_sets * c->icache_ways, "gpu.sms * sm.icache.sets * sm.icache.ways");
    check_lines(k, (u64)c->sms * c->const_sets * c->const_ways, "gpu.sms * sm.const.sets * sm.const.ways");
    check_lines(k, (u64)c->sms * c->tex_sets * c->tex_ways, "gpu.sms * sm.tex.sets * sm.tex.ways");
    check_lines(k, (u64)c->partitions * c->slices * c->l2_sets * c->l2_ways, "l2.partitions * l2.slices * l2.sets * l2.ways");
}

/* --- clocks: time is kept in ticks of the common multiple of all clocks (D4), and cycles times ticks must
 * fit 64 bits */

enum { MAX_TICKS = 1 << 24 }; /* of one cycle: leaves room for 10^12 cycles */

static u64 common_divisor(u64 a, u64 b) { return b ? common_divisor(b, a % b) : a; }

static void check_clocks(struct checker *k) {
    const struct config *c = k->c;
    const u64 mhz[] = {c->core_mhz, c->noc_mhz, c->l2_mhz, c->dram_mhz};
    u64 common = 1, slowest = mhz[0];
    for (u32 i = 0; i < ARRAY_LEN(mhz); i++) {
        common = common / common_divisor(common, mhz[i]) * mhz[i];
        slowest = MIN(slowest, mhz[i]);
    }
    if (common / slowest > MAX_TICKS)
        WRONG(k,
              "gpu.core_mhz %u, gpu.noc_mhz %u, gpu.l2_mhz %u and gpu.dram_mhz %u have no common multiple of a practical size; "
              "round them, to multiples of 5 or 10 for instance",
              c->core_mhz, c->noc_mhz, c->l2_mhz, c->dram_mhz);
}

/* --- keys that do nothing beside another key's value: who sets one to something expects it to matter */

static const struct {
    const char *key, *other;
    const char *idle; /* values of the other with which the key does nothing; !X: all but X */
    const char *use;  /* those with which it does something */
} idle_keys[] = {
    {"sm.hazard.predictor", "sm.hazard.tracker", "none", "naive or credit"},
    {"sm.hazard.resource", "sm.hazard.tracker", "none", "naive or credit"},
    {"sm.hazard.tracker_cy", "sm.hazard.tracker", "none|credit", "naive"},
    {"sm.hazard.counter.entries", "sm.hazard.predictor", "hit|miss|oracle", "counter"},
    {"sm.hazard.counter.bits", "sm.hazard.predictor", "hit|miss|oracle", "counter"},
    {"sm.hazard.counter.scope", "sm.hazard.predictor", "hit|miss|oracle", "counter"},
    {"sm.hazard.signal_cy", "sm.hazard", "stall", "retain or replay"},
    {"sm.hazard.unbounded_buffer", "sm.hazard", "stall", "retain or replay"},
    {"sm.hazard.in_stage", "sm.hazard", "stall|retain", "replay"},
    {"sm.sched.mascar.mshr_percent", "sm.sched", "!mascar", "mascar"},
    {"sm.sched.mascar.queue_percent", "sm.sched", "!mascar", "mascar"},
    {"sm.sched.mascar.release_percent", "sm.sched", "!mascar", "mascar"},
    {"sm.sched.mascar.handover", "sm.sched", "!mascar", "mascar"},
    {"sm.sched.mascar.constants", "sm.sched", "!mascar", "mascar"},
    {"sm.sched.mascar.idle_cy", "sm.sched", "!mascar", "mascar"},
    {"sm.sched.ccws.tags", "sm.sched", "!ccws", "ccws"},
    {"sm.sched.ccws.ways", "sm.sched", "!ccws", "ccws"},
    {"sm.sched.ccws.own", "sm.sched", "!ccws", "ccws"},
    {"sm.sched.ccws.base", "sm.sched", "!ccws", "ccws"},
    {"sm.sched.ccws.throttle", "sm.sched", "!ccws", "ccws"},
    {"sm.sched.owl.ctas", "sm.sched", "!owl", "owl"},
    {"sm.sched.owl.interval_cy", "sm.sched", "!owl", "owl"},
    {"sm.lsu.reexec.order", "sm.lsu.reexec", "0", "a number of entries, such as 32"},
    {"sm.lsu.reexec.first", "sm.lsu.reexec", "0", "a number of entries, such as 32"},
    {"power.refused_pj", "sm.lsu.reexec", "0", "a number of entries, such as 32"},
    {"sm.sched.gto_wait.counts", "sm.sched", "!gto_wait", "gto_wait"},
    {"sm.sched.gto_wait.resets", "sm.sched", "!gto_wait", "gto_wait"},
    {"sm.fetch.no_stall", "sm.pipeline", "common", "vortex"},
    {"sm.fetch.bpr", "sm.pipeline", "common", "vortex"},
    {"sm.fetch.stall_table", "sm.fetch.no_stall", "false", "true"},
    {"sm.fetch.queue", "sm.fetch.no_stall", "false", "true"},
    {"sm.pipe", "sm.pipeline", "vortex", "common"},
    {"sm.tlb.entries", "sm.pipeline", "vortex", "common"},
    {"sm.shared.lanes", "sm.pipeline", "vortex", "common"},
    {"sm.bypass", "sm.pipeline", "vortex", "common"},
    {"sm.chaining", "sm.pipeline", "vortex", "common"},
    {"sm.l1.global", "sm.pipeline", "vortex", "common"},
    {"sm.tex.unified", "sm.pipeline", "vortex", "common"},
    {"sm.branch_guard_cy", "sm.pipeline", "vortex", "common"},
    {"sm.issue_width", "sm.pipe", "one", "units"},
    {"vortex.dcache.lines", "sm.pipeline", "common", "vortex"},
    {"vortex.dcache.line_b", "sm.pipeline", "common", "vortex"},
    {"vortex.dcache.banks", "sm.pipeline", "common", "vortex"},
    {"vortex.dcache.mshrs", "sm.pipeline", "common", "vortex"},
    {"order.window", "sm.order", "in_order|single", "an order with a window, such as rob"},
    {"order.ahead", "sm.order", "!ghost", "ghost"},
    {"order.stations", "sm.order", "in_order|single|scoreboard|ghost", "tomasulo, rob or loog"},
    {"order.registers", "sm.order", "in_order|single|scoreboard|ghost|tomasulo", "rob or loog"},
    {"order.buses", "sm.order", "in_order|single", "an order with a window, such as rob"},
    {"order.broadcast_cy", "sm.order", "in_order|single", "an order with a window, such as rob"},
    {"order.dispatch_width", "sm.order", "in_order|single", "an order with a window, such as rob"},
    {"order.retire_width", "sm.order", "!rob", "rob"},
    {"order.forwarding", "sm.order", "in_order|single", "an order with a window, such as rob"},
    {"order.storesets", "order.memory", "!predicted", "predicted"},
    {"order.forward_cy", "sm.order", "!rob", "rob"},
    {"order.history.width", "order.precise", "!history", "history"},
    {"order.checkpoint.every", "order.precise", "!checkpoint", "checkpoint"},
    {"order.bimodal.entries", "order.speculate", "!bimodal", "bimodal"},
    {"dwf.policy", "sm.diverge", "!dwf", "dwf"},
    {"dwf.majority", "sm.diverge", "!dwf", "dwf"},
    {"dwf.majority", "dwf.policy", "timestamp|pdom|pc|sched", "majority or minority"},
    {"dwf.scan", "dwf.majority", "!scan", "scan"},
    {"dwf.heap", "dwf.majority", "!heap", "heap"},
    {"dwf.heap.ports", "dwf.majority", "!heap", "heap"},
    {"dwf.table", "sm.diverge", "!dwf", "dwf"},
    {"dwf.pool", "sm.diverge", "!dwf", "dwf"},
    {"dwf.lanes", "sm.diverge", "!dwf", "dwf"},
    {"dwf.permute", "sm.diverge", "!dwf", "dwf"},
    {"dwf.conflict", "sm.diverge", "!dwf", "dwf"},
    {"dwf.conflict", "dwf.lanes", "free", "aware"},
    {"dwf.squeeze", "sm.diverge", "!dwf", "dwf"},
    {"dwf.squeeze", "sm.squeeze", "off", "thesis or fewest"},
    {"interweave.with", "sm.diverge", "!interweave", "interweave"},
    {"interweave.lanes", "sm.diverge", "!interweave", "interweave"},
    {"interweave.lanes", "interweave.with", "branches", "warps or both"},
    {"dws.split", "sm.diverge", "!dws", "dws"},
    {"dws.table", "sm.diverge", "!dws", "dws"},
    {"dws.memory", "sm.diverge", "!dws", "dws"},
    {"dws.memory", "dws.split", "branch", "memory or both"},
    {"dws.meet", "sm.diverge", "!dws", "dws"},
    {"dws.meet", "dws.split", "branch", "memory or both"},
    {"vws.slice", "sm.diverge", "!vws", "vws"},
    {"vws.gang", "sm.diverge", "!vws", "vws"},
    {"vws.control", "sm.diverge", "!vws", "vws"},
    {"vws.memory", "sm.diverge", "!vws", "vws"},
    {"vws.gangs", "sm.diverge", "!vws", "vws"},
    {"vws.first", "sm.diverge", "!vws", "vws"},
    {"vws.front", "sm.diverge", "!vws", "vws"},
    {"tbc.form_cy", "sm.diverge", "!tbc", "tbc"},
    {"lwm.warps", "sm.diverge", "!lwm", "lwm"},
    {"sm.tex.sets", "sm.tex.unified", "true", "false"},
    {"sm.tex.ways", "sm.tex.unified", "true", "false"},
    {"sm.tex.line_b", "sm.tex.unified", "true", "false"},
    {"sm.tex.mshrs", "sm.tex.unified", "true", "false"},
    {"sm.tex.merge", "sm.tex.unified", "true", "false"},
    {"sm.tex.latency_cy", "sm.tex.unified", "true", "false"},
    {"noc.ideal", "noc.kind", "mesh", "crossbar"},
    {"noc.arbiter", "noc.kind", "mesh", "crossbar"},
    {"noc.arbiter", "noc.ideal", "true", "false"},
    {"sm.warp_scale.latency", "sm.warp_scale", "off", "hybrid"},
    {"sm.warp_scale.sync", "sm.warp_scale", "off", "hybrid"},
    {"sm.warp_scale.sync", "sm.pipe", "units", "one"},
    {"sm.pipe.return_first", "sm.pipe", "units", "one"},
    {"noc.mesh.width", "noc.kind", "crossbar", "mesh"},
    {"noc.mesh.height", "noc.kind", "crossbar", "mesh"},
    {"noc.mesh.place", "noc.kind", "crossbar", "mesh"},
    {"noc.mesh.router_cy", "noc.kind", "crossbar", "mesh"},
    {"noc.mesh.link_cy", "noc.kind", "crossbar", "mesh"},
    {"noc.mesh.buffer", "noc.kind", "crossbar", "mesh"},
    {"runtime.map", "isa.programs", "ptx", "riscv"},
    {"runtime.distribution", "isa.programs", "ptx", "riscv"},
    {"runtime.local", "isa.programs", "ptx", "riscv"},
};

static bool is_among(const char *word, const char *list) {
    size_t n = strlen(word);
    for (const char *s = list; s; s = strchr(s, '|') ? strchr(s, '|') + 1 : NULL)
        if (strncmp(s, word, n) == 0 && (!s[n] || s[n] == '|')) return true;
    return false;
}

static bool is_idle(const char *value, const char *idle) {
    return *idle == '!' ? strcmp(value, idle + 1) != 0 : is_among(value, idle);
}

struct changed { /* a key that is not at its default */
    const char *key;
    char is[64], would[64];
};

static bool is_changed(const struct checker *k, const struct config *plain, const char *name, struct changed *to) {
    const struct cfg_key *key = cfg_key_find(name);
    to->key = name;
    config_get_text(k->c, key, to->is, sizeof to->is);
    config_get_text(plain, key, to->would, sizeof to->would);
    return strcmp(to->is, to->would) != 0;
}

static bool row_is_idle(const struct config *c, u32 row, char beside[64]) {
    config_get_text(c, cfg_key_find(idle_keys[row].other), beside, 64);
    return is_idle(beside, idle_keys[row].idle);
}

bool config_key_idle(const struct config *c, const char *key, const char **other) {
    char beside[64];
    for (u32 i = 0; i < ARRAY_LEN(idle_keys); i++) {
        if (strcmp(idle_keys[i].key, key) || !row_is_idle(c, i, beside)) continue;
        *other = idle_keys[i].other;
        return true;
    }
    return false;
}

static void check_idle(struct checker *k) {
    struct config plain;
    struct changed x;
    config_default(&plain);
    for (u32 i = 0; i < ARRAY_LEN(idle_keys); i++) {
        const char *other = idle_keys[i].other;
        char beside[64];
        if (row_is_idle(k->c, i, beside) && is_changed(k, &plain, idle_keys[i].key, &x))
            WRONG(k, "%s is %s, which does nothing while %s is %s; set %s to %s, or leave %s at %s", x.key, x.is, other, beside,
                  other, idle_keys[i].use, x.key, x.would);
    }
}

/* With most of dwf's policies sm.sched does not say who issues, and keys of the scheduler do nothing. The
 * room of two_level is a fact of some machines, whatever schedules there, and is none of them. */
static void check_chosen(struct checker *k) {
    struct config plain;
    struct changed x;
    char policy[64];
    if (strcmp(k->c->diverge, "dwf") != 0 || k->c->dwf_policy == DWF_SCHED) return;
    config_default(&plain);
    config_get_text(k->c, cfg_key_find("dwf.policy"), policy, sizeof policy);
    for (u32 i = 0; i < ARRAY_LEN(idle_keys); i++) {
        if (strcmp(idle_keys[i].other, "sm.sched") != 0 || is_idle(k->c->sched, idle_keys[i].idle)) continue;
        if (is_changed(k, &plain, idle_keys[i].key, &x))
            WRONG(
                k,
                "%s is %s, which does nothing while sm.diverge is dwf and dwf.policy is %s: that says who issues, not sm.sched; "
                "set dwf.policy to sched, or leave %s at %s",
                x.key, x.is, policy, x.key, x.would);
    }
}

/* A warp that is one slice has no gangs */
static void check_one_slice(struct checker *k) {
    static const char *const of_gangs[] = {"vws.gang", "vws.control", "vws.gangs", "vws.first", "vws.front"};
    struct config plain;
    struct changed x;
    config_default(&plain);
    if (strcmp(k->c->diverge, "vws") != 0 || k->c->vws_slice != k->c->warp_size) return;
    for (u32 i = 0; i < ARRAY_LEN(of_gangs); i++)
        if (is_changed(k, &plain, of_gangs[i], &x))
            WRONG(k,
                  "%s is %s, which does nothing while vws.slice is %u, as sm.warp_size: a warp of one slice has no gangs; set "
                  "vws.slice to a part of the warp, or leave %s at %s",
                  x.key, x.is, k->c->vws_slice, x.key, x.would);
}

bool config_check(const struct config *c, struct diag *d) {
    struct checker k = {c, d};
    u32 before = d->errors;
    check_powers(&k);
    check_order(&k);
    check_parts(&k);
    check_mesh(&k);
    check_latencies(&k);
    check_sizes(&k);
    check_clocks(&k);
    check_idle(&k);
    check_chosen(&k);
    check_one_slice(&k);
    check_vortex(&k);
    return d->errors == before;
}
