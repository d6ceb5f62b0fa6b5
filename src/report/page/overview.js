/* --- one run: what limits it, and the charts of its counters. `of` is the run or one of its kernels; `run` has the
 * machine. Bars of shares say what a full bar stands for. */

function key(run, name) { return run.config && isNumber(run.config[name]) ? run.config[name] : null; }
function counter(of, name) { return of.counters && isNumber(of.counters[name]) ? of.counters[name] : 0; }
function smCycles(run, of) { return of.cycles * (key(run, "gpu.sms") || 1); }
function slotCycles(run, of) { return smCycles(run, of) * (key(run, "sm.warps") || 1); }
function seconds(run, of) { return key(run, "gpu.core_mhz") ? ratio(of.cycles, key(run, "gpu.core_mhz") * 1e6) : null; }
function docLine(name) { return explain(name) || null; }

/* --- the numbers people ask for first */

function tiles(run, of) {
    const power = of.energy && seconds(run, of) ? of.energy.total / seconds(run, of) : null;
    const list = [
        [
            "cycles", short(of.cycles),
            isNumber(seconds(run, of)) ? short(seconds(run, of), "s") + " at " + exact(key(run, "gpu.core_mhz")) + THIN + "MHz"
                                       : "",
            "cycles", of.cycles
        ],
        [
            "warp IPC", short(value(of, "warp_ipc")), peakIpc(run) ? "of " + exact(peakIpc(run)) + " at most" : "", "warp_ipc",
            value(of, "warp_ipc")
        ],
        [
            "occupancy", percent(value(of, "occupancy")),
            of.occupancy && of.occupancy.limiter ? "limited by " + of.occupancy.limiter : "", "occupancy", value(of, "occupancy")
        ],
        ["lanes at work", percent(value(of, "simd_efficiency")), "", "simd_efficiency", value(of, "simd_efficiency")],
        ["L1 hit rate", percent(value(of, "l1_hit_rate")), "", "l1_hit_rate", value(of, "l1_hit_rate")],
        ["L2 hit rate", percent(value(of, "l2_hit_rate")), "", "l2_hit_rate", value(of, "l2_hit_rate")],
        [
            "DRAM busy", percent(value(of, "dram_utilisation")),
            isNumber(dramRate(run, of)) ? short(dramRate(run, of), "B/s") : "", "dram_utilisation", value(of, "dram_utilisation")
        ],
        [
            "energy", of.energy ? short(of.energy.total, "J") : "n/a", isNumber(power) ? short(power, "W") + " on average" : "",
            "energy", of.energy ? of.energy.total : null
        ],
    ];
    return el("div", {class: "tiles"}, list.map(([name, text, more, metric, x]) => {
        const t = el("div", {class: "tile", tabindex: "0", "data-name": metric, "data-value": isNumber(x) ? x : ""},
                     el("span", {}, name), el("b", {}, text), el("small", {}, more));
        tipOn(t, () => [[name, withUnit(x, unitOf(metric))], docLine(metric)]);
        return t;
    }));
}
function peakIpc(run) { return key(run, "gpu.sms") * key(run, "sm.schedulers") * key(run, "sm.issue_width"); }
function dramBytes(run, of) { return (counter(of, "dram_reads") + counter(of, "dram_writes")) * (key(run, "dram.burst_b") || 0); }
function dramRate(run, of) { return ratio(dramBytes(run, of), seconds(run, of)); }

/* --- what limits each kernel */

function limits(run, pick) {
    const whole = run.cycles || 1, rows = run.kernels.filter((k) => isNumber(k.cycles));
    if (!rows.length) return null;
    const list = rows.slice()
                     .sort((a, b) => b.cycles - a.cycles)
                     .map((k) => el("div", {class: "limit"},
                                    el("button", {type: "button", class: "link", click: () => pick(k.name)}, k.name),
                                    el("div", {class: "meter", title: percent(k.cycles / whole) + " of the cycles"},
                                       el("i", {style: `width:${(100 * k.cycles / whole).toFixed(2)}%`})),
                                    el("span", {class: "share"}, percent(k.cycles / whole)),
                                    el("p", {}, k.limit ? el("b", {}, k.limit.split(",")[0] + ",") : "nothing was counted",
                                       k.limit ? k.limit.slice(k.limit.indexOf(",") + 1) : "")));
    return card(
        "limits", "What limits each kernel",
        "The largest part of the CPI stack beside work and empty slots, with the numbers that explain it best. A hint, not a proof: taking one limit away may uncover the next.",
        list);
}

/* --- roofline */

function roofPoints(run, of, kind) {
    const work = (k) => (kind === "FLOP" ? sum(Object.values(k.flops || {})) : counter(k, "active_lanes"));
    const point = (k, name) => ({name, work: work(k), bytes: dramBytes(run, k), time: seconds(run, k), cycles: k.cycles});
    const list = of === run ? run.kernels.filter((k) => k.cycles).map((k) => point(k, k.name)) : [point(of, of.name)];
    return list.map((p) => ({...p, x: ratio(p.work, p.bytes), y: ratio(p.work, p.time)}));
}

function roofline(run, of) {
    const state = {kind: sum(Object.values(of.flops || {})) > 0.02 * counter(of, "active_lanes") ? "FLOP" : "instructions"};
    const roof = () => (state.kind === "FLOP" ? run.roofs.fp32_flops_per_second
                                              : run.roofs.issues_per_second * (key(run, "sm.warp_size") || 32));
    const word = () => (state.kind === "FLOP" ? "FLOP" : "op");
    const draw = (svg, width) => {
        const height = 320, left = 62,
              points = roofPoints(run, of, state.kind).filter((p) => isNumber(p.x) && p.x > 0 && p.y > 0);
        const ridge = roof() / run.roofs.dram_bytes_per_second, xs = points.map((p) => p.x);
        const x = d3.scaleLog()
                      .domain([Math.min(ridge / 30, d3.min(xs) / 3 || Infinity), Math.max(ridge * 12, d3.max(xs) * 3 || 0)])
                      .range([left, width - 14]);
        const low = Math.min(roof() / 1000, (d3.min(points, (p) => p.y) || Infinity) / 3);
        const y = d3.scaleLog().domain([low, roof() * 2]).range([height - 46, 12]).clamp(true);
        const logTicks = (s) => s.ticks().filter((t) => Number.isInteger(Math.round(Math.log10(t) * 1e6) / 1e6));
        for (const t of logTicks(y)) {
            svg.append("line").attr("class", "grid").attr("x1", left).attr("x2", width - 14).attr("y1", y(t)).attr("y2", y(t));
            svg.append("text")
                .attr("class", "tick")
                .attr("x", left - 6)
                .attr("y", y(t) + 4)
                .attr("text-anchor", "end")
                .text(short(t));
        }
        for (const t of logTicks(x))
            svg.append("text")
                .attr("class", "tick")
                .attr("x", x(t))
                .attr("y", height - 28)
                .attr("text-anchor", "middle")
                .text(String(Number(t.toPrecision(1))));
        const at = (b, i) => Math.min(roof(), b * i);
        const line = (b, cls, name) => {
            const xsLine = [x.domain()[0], roof() / b, x.domain()[1]].filter((v) => v >= x.domain()[0] && v <= x.domain()[1]);
            const path = svg.append("path").attr("class", cls).attr("d", d3.line()(xsLine.map((v) => [x(v), y(at(b, v))])));
            mark(path.node(), name, b, short(b, "B/s"),
                 () => [[name, short(b, "B/s")], ["flat from", exact(roof() / b) + THIN + word() + "/B"]]);
        };
        line(run.roofs.l2_bytes_per_second, "roof second", "L2 bandwidth");
        line(run.roofs.dram_bytes_per_second, "roof", "DRAM bandwidth");
        svg.append("text")
            .attr("class", "legend")
            .attr("x", width - 18)
            .attr("y", y(roof()) - 6)
            .attr("text-anchor", "end")
            .text("peak " + short(roof(), word() + "/s"));
        svg.append("text")
            .attr("class", "legend")
            .attr("x", x(x.domain()[0] * 2.2) + 6)
            .attr("y", y(at(run.roofs.dram_bytes_per_second, x.domain()[0] * 2.2)) + 18)
            .text("DRAM " + short(run.roofs.dram_bytes_per_second, "B/s"));
        points.forEach((p, i) => {
            const c = svg.append("circle")
                          .attr("class", "dot")
                          .attr("cx", x(p.x))
                          .attr("cy", y(p.y))
                          .attr("r", 7)
                          .attr("fill", series[i % series.length]);
            const bound = at(run.roofs.dram_bytes_per_second, p.x);
            mark(c.node(), p.name, p.y, short(p.y, word() + "/s"),
                 () => [p.name, ["measured", short(p.y, word() + "/s")],
                        ["intensity", exact(p.x) + THIN + word() + "/B of DRAM traffic"],
                        ["of the roof there", percent(p.y / bound)]]);
            if (points.length <= 8)
                svg.append("text")
                    .attr("class", "legend")
                    .attr("x", x(p.x) + (x(p.x) > width - 120 ? -11 : 11))
                    .attr("y", y(p.y) + 4)
                    .attr("text-anchor", x(p.x) > width - 120 ? "end" : "start")
                    .text(clip(p.name, 140));
        });
        if (!points.length)
            svg.append("text")
                .attr("class", "label")
                .attr("x", width / 2)
                .attr("y", height / 2)
                .attr("text-anchor", "middle")
                .text("no " + (state.kind === "FLOP" ? "floating-point operations" : "instructions") +
                      ", or no DRAM traffic to measure them against");
        svg.append("text")
            .attr("class", "axis")
            .attr("x", (left + width) / 2)
            .attr("y", height - 8)
            .attr("text-anchor", "middle")
            .text(word() + " for each byte of DRAM traffic");
        svg.append("text")
            .attr("class", "axis")
            .attr("transform", `translate(12,${height / 2 - 20}) rotate(-90)`)
            .attr("text-anchor", "middle")
            .text(word() + "/s");
        return height;
    };
    const pick = choice("Work counted as", ["FLOP", "instructions"], state.kind, (k) => {
        state.kind = k;
        f.paint();
    });
    const f = figure(
        "roofline", "Roofline",
        "Work a second against work for each byte of DRAM traffic, under the machine's compute and memory roofs. Instructions are counted for each lane that works.",
        draw,
        [
            {name: "kernel", left: true, value: (p) => p.name},
            {name: "work", doc: "Operations of lanes", value: (p) => p.work},
            {name: "dram_bytes", unit: "bytes", value: (p) => p.bytes},
            {name: "intensity", doc: "Operations for each byte of DRAM traffic", value: (p) => p.x},
            {name: "per_second", value: (p) => p.y},
        ],
        () => roofPoints(run, of, state.kind), {controls: [pick]});
    return f;
}

/* --- CPI stacks */

function cpiRows(of) {
    return tables.methods.filter((m) => of.cpi && of.cpi[m])
        .map((m) => ({
                 name: m,
                 parts: [...tables.cpi.keys()].map(
                     (p) => ({
                         name: p,
                         value: of.cpi[m].total[p] || 0,
                         colour: partColour(p),
                         lines: [
                             ["scheduler cycles", exact(of.cpi[m].total[p] || 0)],
                             ["for each instruction", exact(ratio(of.cpi[m].total[p], counter(of, "warp_instructions")))],
                             docLine(p)
                         ],
                     })),
             }));
}
function cpiStacks(of) {
    const rows = cpiRows(of), flat = rows.flatMap((r) => {
        const t = sum(r.parts.map((p) => p.value));
        return r.parts.map((p) => ({
                               method: r.name,
                               part: p.name,
                               x: p.value,
                               share: ratio(p.value, t),
                               each: ratio(p.value, counter(of, "warp_instructions"))
                           }));
    });
    return figure(
        "cpi", "CPI stacks",
        "Whose fault a scheduler's cycle is, by three methods: the warp it would have chosen, GSI's two steps, and each warp its share.",
        (svg, width) => stacks(svg, width, rows, {share: true}),
        [
            {name: "method", left: true, value: (d) => d.method},
            {name: "part", left: true, value: (d) => d.part},
            {name: "scheduler_cycles", value: (d) => d.x},
            {name: "share", value: (d) => d.share, text: (d) => percent(d.share)},
            {name: "cycles_per_instruction", value: (d) => d.each},
            {name: "meaning", left: true, value: (d) => explain(d.part)},
        ],
        () => flat, {wide: true});
}

/* --- warp states */

function warpStates(of) {
    const total = sum(Object.entries(of.warp_time || {}).filter(([n]) => n !== "no_warp").map(([, x]) => x));
    const items = Object.entries(of.warp_time || {})
                      .filter(([n]) => n !== "no_warp")
                      .map(([name, x]) => ({
                               name,
                               value: x,
                               share: ratio(x, total),
                               text: percent(ratio(x, total)),
                               colour: stallColour(name),
                               lines: [
                                   ["slot cycles", exact(x)],
                                   ["for each instruction", exact(ratio(x, counter(of, "warp_instructions"))) + THIN + "cycles"],
                                   docLine(name)
                               ],
                           }))
                      .sort((a, b) => b.value - a.value);
    return figure("states", "Warp states", "What resident warps do, as a share of their time; slots without a warp are left out.",
                  (svg, width) => bars(svg, width, items.filter((d, i) => d.value > 0 && i < 12), {label: 140, right: 64}),
                  [
                      {name: "state", left: true, value: (d) => d.name}, {name: "slot_cycles", value: (d) => d.value},
                      {name: "share", value: (d) => d.share, text: (d) => d.text},
                      {name: "meaning", left: true, value: (d) => explain(d.name)}
                  ],
                  () => items);
}

/* --- occupancy and its limits */

function occupancyChart(run, of) {
    const o = of.occupancy || {}, slots = key(run, "sm.warps"), each = o.blocks ? o.warps / o.blocks : 0;
    const names =
        {blocks: "block slots", threads: "threads", warps: "warp slots", registers: "registers", shared: "shared memory"};
    const achieved = {
        name: "achieved",
        label: "achieved",
        value: value(of, "occupancy") * slots,
        colour: series[2],
        text: exact(Number((value(of, "occupancy") * slots).toFixed(1))) + " of " + slots,
        lines: [docLine("occupancy")]
    };
    const bounds = Object.entries(names).map(([k, label]) => {
        const blocks = o["by_" + k], free = !isNumber(blocks) || blocks >= 4294967295,
              warps = free ? slots : Math.min(slots, blocks * each);
        return {
            name: "by_" + k,
            label,
            value: warps,
            text: free ? "no limit" : exact(blocks) + " blocks",
            colour: (o.limiter || "").startsWith(label.split(" ")[0].replace(/s$/, "")) || o.limiter === label ? series[4]
                                                                                                               : series[0],
            lines: [
                [free ? "it sets no limit" : "warps that alone would allow", free ? "" : exact(blocks * each)],
                o.limiter === label || o.limiter === k ? "This is what limits it." : null
            ],
        };
    });
    const possible = {
        name: "possible",
        label: "an SM can hold",
        value: o.warps,
        text: exact(o.warps) + " warps",
        colour: series[3],
        lines: [["blocks", exact(o.blocks)], ["limited by", o.limiter || "nothing"]]
    };
    const items = [achieved, possible, ...bounds];
    return figure("occupancy", "Occupancy and its limits",
                  "Warps of an SM, out of its warp slots: on average, at most, and what each limit alone would allow.",
                  (svg, width) => bars(svg, width, items, {most: slots, label: 120, right: 92}),
                  [
                      {name: "what", left: true, value: (d) => d.label}, {name: "warps", value: (d) => d.value},
                      {name: "said", left: true, value: (d) => d.text}
                  ],
                  () => items);
}

/* --- units and ports */

function utilisations(run, of) {
    const units = (id, name, label) => ({
        name: "unit_busy_" + id,
        label,
        busy: counter(of, "unit_busy_" + id),
        most: smCycles(run, of) * (key(run, "sm.subcores") || 1) * (key(run, `sm.${name}.units`) || 0)
    });
    const noc = of.cycles * (key(run, "gpu.noc_mhz") || 0) / (key(run, "gpu.core_mhz") || 1),
          ports = (key(run, "l2.partitions") || 0) * (run.config?.["noc.kind"] === "mesh" ? 1 : key(run, "l2.slices") || 0);
    return [
        {
            name: "issue",
            label: "issue slots",
            busy: counter(of, "warp_instructions") + counter(of, "replays"),
            most: of.cycles * peakIpc(run),
            doc: "Instructions and replays issued, over what all schedulers could issue."
        },
        units("alu", "alu", "arithmetic units"),
        units("int", "int", "integer units"),
        units("sfu", "sfu", "special function"),
        units("fp64", "fp64", "double precision"),
        units("tensor", "tensor", "matrix units"),
        {name: "lsu_busy_cycles", label: "memory stage", busy: counter(of, "lsu_busy_cycles"), most: smCycles(run, of)},
        {
            name: "l1_accesses",
            label: "L1 port",
            busy: counter(of, "l1_accesses") + counter(of, "l1_writes"),
            most: smCycles(run, of),
            doc: "Accesses of the L1 data cache, of one a cycle and SM."
        },
        {
            name: "mshr_cycles",
            label: "L1 MSHRs",
            busy: counter(of, "mshr_cycles"),
            most: smCycles(run, of) * (key(run, "sm.l1.mshrs") || 0)
        },
        {name: "noc_flits_in", label: "network to L2", busy: counter(of, "noc_flits_in"), most: noc * ports},
        {name: "noc_flits_out", label: "network from L2", busy: counter(of, "noc_flits_out"), most: noc * ports},
        {name: "l2_busy", label: "L2 slices", busy: counter(of, "l2_busy"), most: counter(of, "l2_cycles")},
        {name: "dram_bus_busy", label: "DRAM buses", busy: counter(of, "dram_bus_busy"), most: counter(of, "dram_cycles")},
    ].filter((d) => d.most > 0)
        .map((d) => ({
                 ...d,
                 value: ratio(d.busy, d.most),
                 text: percent(ratio(d.busy, d.most)),
                 colour: ratio(d.busy, d.most) > 0.6 ? series[4] : series[0],
                 lines: [["taken", exact(d.busy)], ["bound", exact(Math.round(d.most))], d.doc || docLine(d.name)],
             }));
}
function utilisationChart(run, of) {
    const items = utilisations(run, of);
    return figure(
        "units", "Units and ports",
        "How much of what there is was used; a full bar is the bound. Above 60\u2009% a unit is called a limit, in red.",
        (svg, width) => bars(svg, width, items.map((d) => ({...d, tick: 0.6})), {most: 1, label: 136, right: 64}),
        [
            {name: "unit", left: true, value: (d) => d.label}, {name: "taken", value: (d) => d.busy},
            {name: "bound", value: (d) => d.most}, {name: "utilisation", value: (d) => d.value, text: (d) => d.text}
        ],
        () => items);
}

/* --- caches, DRAM, energy, hazards, lanes, instructions */

function cacheRows(of) {
    const c = (n) => counter(of, n);
    return [
        {name: "instruction", hits: c("icache_hits"), merged: 0, misses: c("icache_misses")},
        {name: "constant", hits: c("const_hits"), merged: 0, misses: c("const_misses")},
        {name: "texture", hits: c("tex_hits"), merged: c("tex_merged"), misses: c("tex_misses")},
        {name: "L1 data", hits: c("l1_hits"), merged: c("l1_merged"), misses: c("l1_misses")},
        {name: "L2", hits: c("l2_hits") + c("l2_validated"), merged: c("l2_merged"), misses: c("l2_misses")},
    ].map((r) => ({...r, all: r.hits + r.merged + r.misses}))
        .filter((r) => r.all > 0);
}
function cacheChart(of) {
    const rows = cacheRows(of), colours = {hits: series[2], merged: series[7], misses: series[4]};
    const docs = {
        hits: "Found what they wanted; writes that make absent sectors valid are among the L2's.",
        merged: "Joined a line that was already on its way.",
        misses: "Sent for a line or sectors."
    };
    return figure(
        "caches", "Caches", "Accesses that hit, joined a line on its way, or missed.",
        (svg, width) => stacks(
            svg, width,
            rows.map((r) => ({
                         name: r.name,
                         label: r.name,
                         parts: ["hits", "merged", "misses"].map(
                             (p) => ({name: p, value: r[p], colour: colours[p], lines: [["accesses", exact(r[p])], docs[p]]}))
                     })),
            {share: true, label: 96, height: 28, legend: Object.entries(colours)}),
        [
            {name: "cache", left: true, value: (r) => r.name}, {name: "accesses", value: (r) => r.all},
            {name: "hits", value: (r) => r.hits}, {name: "merged", value: (r) => r.merged},
            {name: "misses", value: (r) => r.misses},
            {name: "hit_rate", value: (r) => r.hits / r.all, text: (r) => percent(r.hits / r.all)}
        ],
        () => rows);
}

function dramChart(of) {
    const part = (name, label, colour) =>
        ({name, label, value: counter(of, name), colour, lines: [["bursts", exact(counter(of, name))], docLine(name)]});
    const rows = [
        {
            name: "rows",
            label: "rows",
            parts: [
                part("dram_row_hits", "row open", series[2]), part("dram_row_empty", "no row open", series[7]),
                part("dram_row_conflicts", "another row", series[4])
            ]
        },
        {
            name: "bursts",
            label: "bursts",
            parts: [part("dram_reads", "read", series[0]), part("dram_writes", "written", series[1])]
        },
    ];
    const parts = rows.flatMap((r) => r.parts);
    const numbers = [
        ["dram_utilisation", "buses busy"], ["dram_row_hit_rate", "open rows met"], ["load_latency", "load latency"],
        ["miss_latency", "L1 miss latency"]
    ];
    return figure(
        "dram", "DRAM",
        numbers
            .map(([n, label]) => label + " " + (unitOf(n) === "ratio" ? percent(value(of, n)) : short(value(of, n)) + " cycles"))
            .join(" \u00b7 "),
        (svg, width) =>
            stacks(svg, width, rows, {share: true, label: 70, height: 28, legend: parts.map((p) => [p.label, p.colour])}),
        [
            {name: "counter", left: true, value: (p) => p.name}, {name: "bursts", value: (p) => p.value},
            {name: "meaning", left: true, value: (p) => explain(p.name)}
        ],
        () => parts);
}

function energyChart(run, of) {
    if (!of.energy) return null;
    const items = Object.entries(of.energy.parts)
                      .map(([name, x], i) => ({
                               name,
                               value: x,
                               text: short(x, "J"),
                               share: ratio(x, of.energy.total),
                               colour: series[i % series.length],
                               lines: [["joules", exact(x)], ["share", percent(ratio(x, of.energy.total))]]
                           }))
                      .sort((a, b) => b.value - a.value);
    return figure("energy", "Energy",
                  short(of.energy.total, "J") + " in all" +
                      (seconds(run, of) ? ", " + short(of.energy.total / seconds(run, of), "W") + " on average" : "") +
                      ". From counters and the machine's power.* keys.",
                  (svg, width) => bars(svg, width, items, {label: 100, right: 80}),
                  [
                      {name: "part", left: true, value: (d) => d.name}, {name: "joules", value: (d) => d.value},
                      {name: "share", value: (d) => d.share, text: (d) => percent(d.share)}
                  ],
                  () => items);
}

function hazardChart(run, of) {
    const items = Object.entries(of.hazards || {}).map(([name, x]) => ({
                                                           name,
                                                           value: ratio(x, smCycles(run, of)),
                                                           cycles: x,
                                                           text: percent(ratio(x, smCycles(run, of))),
                                                           colour: series[5],
                                                           lines: [["cycles", exact(x)], docLine(name)]
                                                       }));
    return figure(
        "hazards", "Hazards",
        "Why the first instruction of the memory stage could not finish in a cycle, as a share of all cycles of all SMs.",
        (svg, width) => bars(svg, width, items, {label: 70, right: 64, most: Math.max(0.05, d3.max(items, (d) => d.value) || 0)}),
        [
            {name: "hazard", left: true, value: (d) => d.name}, {name: "cycles", value: (d) => d.cycles},
            {name: "share", value: (d) => d.value, text: (d) => d.text},
            {name: "meaning", left: true, value: (d) => explain(d.name)}
        ],
        () => items);
}

function laneChart(of) {
    const items = (of.lanes || []).map((x, i) => ({
                                           name: String(i),
                                           label: i + " lanes",
                                           value: x,
                                           text: exact(x) + " instructions",
                                           colour: i === (of.lanes || []).length - 1 ? series[2] : series[1],
                                           lines: [["share", percent(ratio(x, sum(of.lanes)))]]
                                       }));
    return figure("lanes", "Lanes at work",
                  `Instructions by how many of their lanes worked. ${percent(value(of, "simd_efficiency"))} of the lanes did; ${
                      exact(counter(of, "divergent_branches"))} branches diverged.`,
                  (svg, width) => columns(svg, width, items, {title: "lanes", unit: "instructions"}),
                  [{name: "lanes", value: (d) => Number(d.name)}, {name: "instructions", value: (d) => d.value}], () => items);
}

/* Instructions by lanes that go together, in eighths of a warp, a bar for each kernel: Jin's figure 1.1 */
function occupiedParts(of) {
    const bins = of.occupied || [], size = bins.length - 1, step = Math.max(1, Math.ceil(size / 8)), parts = [];
    for (let from = 1; from <= size; from += step) {
        const to = Math.min(from + step - 1, size), value = sum(bins.slice(from, to + 1));
        parts.push({
            name: `W${from}-${to}`,
            value,
            colour: series[parts.length % series.length],
            lines: [["instructions", exact(value)], ["share", percent(ratio(value, sum(bins)))]]
        });
    }
    return parts;
}
function occupiedChart(of) {
    const all = [{name: "all", label: "all", parts: occupiedParts(of)}];
    const kernels = (of.kernels || []).filter((k) => Array.isArray(k.occupied) && sum(k.occupied) > 0);
    const single = kernels.map((k) => ({name: k.name, label: k.name, parts: occupiedParts(k)}));
    const rows = kernels.length > 1 ? [...all, ...single] : all;
    if (!all[0].parts.length || !sum(of.occupied)) return null;
    const lost = Object.entries(of.lanes_lost || {}).filter(([, x]) => x > 0).map(([name]) => {
        const key = "lanes_" + name;
        return `${name} ${percent(value(of, key))}`;
    });
    return figure("occupied", "Warp occupancy",
                  `Instructions by how many lanes of the warp went together, guards left out. Lanes lost: ${
                      lost.join(", ") || "none"}. ${percent(value(of, "control_weight"))} of the instructions are control flow.`,
                  (svg, width) => stacks(svg, width, rows, {share: true, label: 110}),
                  [{name: "lanes", left: true, value: (d) => d.name}, {name: "instructions", value: (d) => d.value}],
                  () => all[0].parts);
}

function mixChart(of) {
    const total = sum(Object.values(of.instruction_mix || {}));
    const items = Object.entries(of.instruction_mix || {})
                      .map(([name, x]) => ({
                               name,
                               value: x,
                               text: percent(ratio(x, total)),
                               colour: series[3],
                               lines: [["warp instructions", exact(x)], tables.classes[name] || ""]
                           }))
                      .sort((a, b) => b.value - a.value);
    if (!items.length) return null;
    return figure("mix", "Instructions", "Warp instructions by kind.",
                  (svg, width) => bars(svg, width, items, {label: 90, right: 64}),
                  [
                      {name: "class", left: true, value: (d) => d.name}, {name: "warp_instructions", value: (d) => d.value},
                      {name: "meaning", left: true, value: (d) => tables.classes[d.name] || ""}
                  ],
                  () => items);
}

function schedulerChart(of) {
    const names = {idle: series[9], raw: series[1], stall: series[4], issue1: series[2], issue2: "#1f7a45", restrict: series[3]};
    const parts =
        Object.entries(of.sched_cycles || {})
            .map(([name, x]) => (
                     {name, value: x, colour: names[name] || series[5], lines: [["scheduler cycles", exact(x)], docLine(name)]}));
    return figure("schedulers", "Schedulers", "What schedulers did with their cycles.",
                  (svg, width) => stacks(svg, width, [{name: "schedulers", label: "cycles", parts}], {share: true, label: 60}),
                  [
                      {name: "kind", left: true, value: (d) => d.name}, {name: "scheduler_cycles", value: (d) => d.value},
                      {name: "meaning", left: true, value: (d) => explain(d.name)}
                  ],
                  () => parts);
}

/* --- the memory chart: boxes with hit rates, arrows as wide as their traffic */

function memoryLinks(run, of) {
    const c = (n) => counter(of, n), flit = key(run, "noc.flit_b") || 0, burst = key(run, "dram.burst_b") || 0;
    return [
        {
            name: "global and local",
            from: "SM",
            to: "L1",
            x: c("line_accesses"),
            unit: "line accesses",
            doc: explain("line_accesses")
        },
        {
            name: "shared",
            from: "SM",
            to: "Shared",
            x: c("shared_loads") + c("shared_stores") + c("shared_atomics"),
            unit: "instructions",
            doc: "Loads, stores and atomics of shared memory."
        },
        {name: "constant", from: "SM", to: "Constant", x: c("const_loads"), unit: "instructions", doc: explain("const_loads")},
        {name: "texture", from: "SM", to: "Texture", x: c("tex_loads"), unit: "instructions", doc: explain("tex_loads")},
        {name: "to L2", from: "L1", to: "L2", x: c("noc_flits_in") * flit, unit: "bytes", doc: explain("noc_flits_in")},
        {name: "from L2", from: "L2", to: "L1", x: c("noc_flits_out") * flit, unit: "bytes", doc: explain("noc_flits_out")},
        {name: "DRAM reads", from: "DRAM", to: "L2", x: c("dram_reads") * burst, unit: "bytes", doc: explain("dram_reads")},
        {name: "DRAM writes", from: "L2", to: "DRAM", x: c("dram_writes") * burst, unit: "bytes", doc: explain("dram_writes")},
    ];
}
function memoryChart(run, of) {
    const links = memoryLinks(run, of), total = (n) => links.find((l) => l.name === n);
    const boxes = (width) => {
        const w = Math.min(150, width / 6.2), col = (i) => 6 + i * ((width - w - 12) / 3);
        return {
            SM: {
                x: col(0),
                y: 60,
                w,
                h: 170,
                title: "SMs",
                lines: [short(counter(of, "mem_instructions")) + " memory", "instructions"]
            },
            Shared: {
                x: col(1),
                y: 4,
                w,
                h: 56,
                title: "Shared memory",
                lines: [short(counter(of, "shared_conflict_cycles")) + " conflict cycles"]
            },
            L1: {
                x: col(1),
                y: 74,
                w,
                h: 74,
                title: "L1 data cache",
                lines: ["hits " + percent(value(of, "l1_hit_rate")), short(counter(of, "l1_accesses")) + " accesses"],
                metric: "l1_hit_rate"
            },
            Constant: {
                x: col(1),
                y: 162,
                w,
                h: 56,
                title: "Constant cache",
                lines: ["hits " + percent(value(of, "const_hit_rate"))],
                metric: "const_hit_rate"
            },
            Texture: {
                x: col(1),
                y: 232,
                w,
                h: 56,
                title: "Texture cache",
                lines: ["hits " + percent(value(of, "tex_hit_rate"))],
                metric: "tex_hit_rate"
            },
            L2: {
                x: col(2),
                y: 74,
                w,
                h: 144,
                title: "L2 cache",
                lines: [
                    "hits " + percent(value(of, "l2_hit_rate")), short(counter(of, "l2_accesses")) + " accesses",
                    exact(key(run, "l2.partitions")) + " partitions"
                ],
                metric: "l2_hit_rate"
            },
            DRAM: {
                x: col(3),
                y: 74,
                w,
                h: 144,
                title: "DRAM",
                lines: [
                    "busy " + percent(value(of, "dram_utilisation")), "rows met " + percent(value(of, "dram_row_hit_rate")),
                    short(dramRate(run, of), "B/s")
                ],
                metric: "dram_utilisation"
            },
        };
    };
    const thick = (l) =>
        (l.unit === "bytes"
             ? d3.scaleSqrt().domain([0, d3.max(links, (d) => (d.unit === "bytes" ? d.x : 0)) || 1]).range([1, 16])(l.x)
             : d3.scaleSqrt().domain([0, d3.max(links, (d) => (d.unit === "bytes" ? 0 : d.x)) || 1]).range([1, 16])(l.x));
    const draw = (svg, width) => {
        const b = boxes(width);
        const arrow = (l, y1, y2) => {
            const from = b[l.from], to = b[l.to], right = to.x > from.x, x1 = right ? from.x + from.w + 2 : from.x - 2,
                  x2 = right ? to.x - 8 : to.x + to.w + 8, t = thick(l);
            const g = svg.append("g").attr("class", l.x > 0 ? "flow" : "flow none");
            const path = g.append("path").attr("d", `M${x1},${y1}L${x2},${y2}`).attr("stroke-width", t);
            g.append("path")
                .attr("class", "head")
                .attr("d", `M${x2},${y2 - t / 2 - 4}L${x2 + (right ? 7 : -7)},${y2}L${x2},${y2 + t / 2 + 4}Z`);
            g.append("text")
                .attr("class", "legend")
                .attr("x", (x1 + x2) / 2)
                .attr("y", (y1 + y2) / 2 - t / 2 - 4)
                .attr("text-anchor", "middle")
                .text(short(l.x, l.unit === "bytes" ? "B" : ""));
            mark(path.node(), l.name, l.x, exact(l.x) + " " + l.unit,
                 () => [l.from + " to " + l.to + ", " + l.name, [l.unit, exact(l.x)], l.doc]);
        };
        arrow(total("shared"), 78, 34);
        arrow(total("global and local"), 111, 111);
        arrow(total("constant"), 175, 190);
        arrow(total("texture"), 212, 256);
        arrow(total("to L2"), 108, 108);
        arrow(total("from L2"), 182, 182);
        arrow(total("DRAM writes"), 108, 108);
        arrow(total("DRAM reads"), 182, 182);
        for (const x of Object.values(b)) {
            svg.append("rect")
                .attr("class", "box")
                .attr("x", x.x)
                .attr("y", x.y)
                .attr("width", x.w)
                .attr("height", x.h)
                .attr("rx", 6);
            svg.append("text")
                .attr("class", "title")
                .attr("x", x.x + x.w / 2)
                .attr("y", x.y + x.h / 2 - 8 * (x.lines.length - 1) - 3)
                .attr("text-anchor", "middle")
                .text(clip(x.title, x.w, 12));
            x.lines.forEach((t, i) => svg.append("text")
                                          .attr("class", "legend")
                                          .attr("x", x.x + x.w / 2)
                                          .attr("y", x.y + x.h / 2 - 8 * (x.lines.length - 1) + 14 + 16 * i)
                                          .attr("text-anchor", "middle")
                                          .text(clip(t, x.w, 11)));
        }
        return 296;
    };
    return figure(
        "memory", "Memory",
        "Where accesses go and what comes back. Arrows are as wide as their traffic: bytes beyond the L1, accesses before it.",
        draw,
        [
            {name: "way", left: true, value: (l) => l.name},
            {name: "from", left: true, value: (l) => l.from},
            {name: "to", left: true, value: (l) => l.to},
            {name: "traffic", value: (l) => l.x},
            {name: "unit", left: true, value: (l) => l.unit},
        ],
        () => links, {wide: true});
}

/* --- tables */

function launchTable(run) {
    if (!Array.isArray(run.launches) || run.launches.length < 2) return null;
    const m = (name, title) => ({
        name,
        title,
        doc: explain(name),
        value: (l) => value(l, name),
        text: (l) => (unitOf(name) === "ratio" ? percent(value(l, name)) : exact(value(l, name)))
    });
    return card("launches", "Launches", null,
                table(
                    [
                        {name: "launch", value: (l) => l.index},
                        {name: "kernel", left: true, value: (l) => l.kernel},
                        {name: "grid", left: true, value: (l) => (l.grid || []).join("\u00d7")},
                        {name: "block", left: true, value: (l) => (l.block || []).join("\u00d7")},
                        m("cycles"),
                        m("warp_ipc", "IPC"),
                        m("occupancy"),
                        m("simd_efficiency", "lanes"),
                        m("l1_hit_rate", "L1 hits"),
                        m("l2_hit_rate", "L2 hits"),
                        m("dram_utilisation", "DRAM busy"),
                    ],
                    run.launches, {filter: true, limit: 50}));
}

function numbersTable(of) {
    const rows = [...tables.metric.values()].map(
        (m) => ({
            ...m,
            x: m.kind === "cpi" || m.kind === "stall" || m.kind === "sched" || m.kind === "hazard" ? part(of, m)
                                                                                                   : value(of, m.name)
        }));
    return card("numbers", "All numbers",
                "Every counter and formula, as heddle explain names them. Parts of CPI stacks are by the method proportional.",
                table(
                    [
                        {name: "name", left: true, value: (r) => r.name},
                        {name: "value", value: (r) => r.x, text: (r) => withUnit(r.x, r.unit === "ratio" ? "ratio" : "")},
                        {name: "unit", left: true, value: (r) => r.unit},
                        {name: "kind", left: true, value: (r) => r.kind},
                        {name: "meaning", left: true, value: (r) => r.doc},
                    ],
                    rows, {filter: true, limit: 24}));
}
function part(of, m) {
    const from = {
        cpi: of.cpi && of.cpi.proportional && of.cpi.proportional.total,
        stall: of.warp_time,
        sched: of.sched_cycles,
        hazard: of.hazards
    }[m.kind] || {};
    return isNumber(from[m.name]) ? from[m.name] : null;
}

function machineTable(run) {
    if (!run.config) return null;
    const rows =
        Object.entries(run.config)
            .map(([name, x]) => ({name, x, unit: (tables.keys[name] || ["", ""])[0], doc: (tables.keys[name] || ["", ""])[1]}));
    return card("machine", "Machine", `${run.machine}, configuration ${run.config_hash}. Every key, as it was.`,
                table(
                    [
                        {name: "key", left: true, value: (r) => r.name},
                        {name: "value", left: true, value: (r) => r.x, text: (r) => String(r.x)},
                        {name: "unit", left: true, value: (r) => r.unit},
                        {name: "meaning", left: true, value: (r) => r.doc},
                    ],
                    rows, {filter: true, limit: 12}));
}
