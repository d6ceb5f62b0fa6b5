/* --- several runs side by side. Repetitions (same program, same label or keys) are one row: their mean, and a whisker
 * from the fastest to the slowest. */

function keysText(run) { return Object.entries(run.keys || {}).map(([k, v]) => `${k}=${v}`).join(" "); }
function labelOf(run) { return run.label || keysText(run) || (run.machine ? `${run.name} on ${run.machine}` : run.name); }

function gatherGroups(runs) {
    const groups = new Map();
    runs.forEach((run, i) => {
        const id = JSON.stringify([run.name, run.label || "", run.keys || i]);
        if (!groups.has(id)) groups.set(id, {program: run.name, label: labelOf(run), keys: run.keys || {}, runs: []});
        groups.get(id).runs.push(run);
    });
    const list =
        [...groups.values()].map((g) => ({...g, first: g.runs[0], mean: (name) => d3.mean(g.runs, (r) => value(r, name))}));
    /* the same label twice within a program says nothing: number them */
    const seen = new Map();
    for (const g of list) {
        const id = g.program + "\n" + g.label, n = (seen.get(id) || 0) + 1;
        seen.set(id, n);
        if (n > 1) g.label += " #" + n;
    }
    return list;
}

function compareSection(runs, open) {
    const groups = gatherGroups(runs), programs = [...new Set(groups.map((g) => g.program))], many = programs.length > 1;
    const state = {base: 0, metric: "warp_ipc"};
    const baseOf = (g) =>
        groups.filter((x) => x.program === g.program)[state.base] || groups.find((x) => x.program === g.program);
    const speedup = (g) => ratio(baseOf(g).mean("cycles"), g.mean("cycles"));
    const name = (g) => (many ? g.program + " \u00b7 " : "") + g.label;
    const keys = [...new Set(groups.flatMap((g) => Object.keys(g.keys)))];
    const most = d3.max(programs, (p) => groups.filter((g) => g.program === p).length);

    const speedups = figure(
        "speedup", "Speedup",
        "Cycles of the base over cycles of each run; the base is the first of each program, or the one picked here. Whiskers: from the slowest to the fastest of repetitions.",
        (svg, width) => {
            const items = groups.map((g) => {
                const s = speedup(g), all = g.runs.map((r) => ratio(baseOf(g).mean("cycles"), r.cycles)).filter(isNumber);
                return {
                    name: name(g),
                    value: s,
                    text: isNumber(s) ? s.toFixed(3) + "\u00d7" : "failed",
                    colour: g === baseOf(g) ? series[9]
                            : s >= 1        ? series[2]
                                            : series[4],
                    whisker: all.length > 1 ? d3.extent(all) : null,
                    tick: 1,
                    lines: [
                        ["cycles", exact(g.mean("cycles"))], ["warp IPC", exact(g.mean("warp_ipc"))],
                        all.length > 1 ? ["repetitions", exact(all.length)] : null,
                        g.first.error ? g.first.error.split("\n")[0] : null
                    ],
                };
            });
            return bars(svg, width, items,
                        {label: Math.min(width * 0.42, 20 + (d3.max(items, (d) => textWidth(d.name)) || 0)), right: 76});
        },
        [
            {name: "run", left: true, value: name},
            {name: "cycles", value: (g) => g.mean("cycles")},
            {name: "speedup", value: speedup},
            {name: "fastest", unit: "cycles", value: (g) => d3.min(g.runs, (r) => r.cycles)},
            {name: "slowest", unit: "cycles", value: (g) => d3.max(g.runs, (r) => r.cycles)},
            {name: "repetitions", value: (g) => g.runs.length},
        ],
        () => groups, {
            wide: true,
            controls:
                most > 1
                    ? [el("label", {}, "Base ",
                          el("select", {
                              change: (ev) => {
                                  state.base = Number(ev.target.value);
                                  repaint();
                              }
                          },
                             groups.filter((g) => g.program === programs[0]).map((g, i) => el("option", {value: i}, g.label))))]
                    : [],
        });

    const stacksOf = (method) => groups.filter((g) => g.first.cpi && g.first.cpi[method]).map((g) => {
        const scale = ratio(1, counter(baseOf(g).first, "warp_instructions") || counter(g.first, "warp_instructions"));
        return {
            name: name(g),
            label: name(g),
            parts: [...tables.cpi.keys()].map((p) => {
                const x = d3.mean(g.runs, (r) => (r.cpi && r.cpi[method] ? r.cpi[method].total[p] : null));
                return {
                    name: p,
                    value: x,
                    colour: partColour(p),
                    lines: [["scheduler cycles", exact(x)], ["for each instruction of the base", exact(x * scale)], docLine(p)]
                };
            }),
        };
    });
    let method = "proportional";
    const cpi = figure(
        "cpis", "CPI stacks side by side",
        "Scheduler cycles by cause; bars are as long as the runs. Of several programs each is as long as its base is.",
        (svg, width) => {
            const rows = stacksOf(method).map((r, i) => ({...r, i}));
            return stacks(
                svg, width, rows,
                {label: Math.min(width * 0.36, 20 + (d3.max(rows, (d) => textWidth(d.name)) || 0)), height: 22, share: many});
        },
        [
            {name: "run", left: true, value: (d) => d.run}, {name: "part", left: true, value: (d) => d.part},
            {name: "scheduler_cycles", value: (d) => d.x}
        ],
        () => stacksOf(method).flatMap((r) => r.parts.map((p) => ({run: r.name, part: p.name, x: p.value}))), {
            wide: true,
            controls: [choice("Method", tables.methods, method,
                              (m) => {
                                  method = m;
                                  cpi.paint();
                              })]
        });

    const names = [...tables.metric.values()]
                      .filter((m) => m.kind === "counter" || m.kind === "formula" || m.kind === "cycles")
                      .map((m) => m.name);
    const metric = figure("metric", "Any number", "One counter or formula of all runs.", (svg, width) => {
        const unit = unitOf(state.metric),
              items = groups.map((g, i) => ({
                                     name: name(g),
                                     value: g.mean(state.metric),
                                     text: unit === "ratio" ? percent(g.mean(state.metric)) : short(g.mean(state.metric)),
                                     colour: series[programs.indexOf(g.program) % series.length],
                                     lines: [[unit, exact(g.mean(state.metric))], docLine(state.metric)],
                                     i
                                 }));
        return bars(svg, width, items,
                    {label: Math.min(width * 0.42, 20 + (d3.max(items, (d) => textWidth(d.name)) || 0)), right: 76});
    }, [{name: "run", left: true, value: name}, {name: "value", value: (g) => g.mean(state.metric)}], () => groups, {
        wide: true,
        controls: [el("label", {}, "Show ",
                      el("select",
                         {
                             change: (ev) => {
                                 state.metric = ev.target.value;
                                 metric.paint();
                             }
                         },
                         names.map((n) => el("option", {value: n, selected: n === state.metric}, n))))],
    });

    const m = (n, title) => ({
        name: n,
        title,
        unit: unitOf(n) === "ratio" ? "" : "",
        doc: explain(n),
        value: (g) => (isNumber(g.mean(n)) ? g.mean(n) : null),
        text: (g) => (unitOf(n) === "ratio" ? percent(g.mean(n)) : short(g.mean(n)))
    });
    const rows =
        table(
            [
                {name: "program", left: true, value: (g) => g.program},
                ...(keys.length
                        ? keys.map(
                              (k) => ({name: k, left: true, doc: (tables.keys[k] || ["", ""])[1], value: (g) => g.keys[k] ?? ""}))
                        : [{name: "run", left: true, value: (g) => g.label}]),
                {...m("cycles"), text: (g) => exact(g.mean("cycles"))},
                {name: "speedup", value: speedup, text: (g) => (isNumber(speedup(g)) ? speedup(g).toFixed(3) : "n/a")},
                m("warp_ipc", "IPC"),
                m("occupancy"),
                m("simd_efficiency", "lanes"),
                m("l1_hit_rate", "L1 hits"),
                m("l2_hit_rate", "L2 hits"),
                m("dram_utilisation", "DRAM busy"),
                {
                    name: "energy",
                    unit: "J",
                    value: (g) => (g.first.energy ? d3.mean(g.runs, (r) => r.energy && r.energy.total) : null),
                    text: (g) => (g.first.energy ? short(d3.mean(g.runs, (r) => r.energy && r.energy.total)) : "n/a")
                },
                {name: "limited by", left: true, value: (g) => (g.first.limit || "").split(":")[0]},
            ],
            groups, {
                filter: true,
                limit: 100,
                rowOf: (tr, g) => {
                    tr.classList.add("go");
                    tr.addEventListener("click", () => open(g.first));
                }
            });
    const repaint = () => {
        speedups.paint();
        cpi.paint();
    };
    return el(
        "section", {id: "compare"}, el("h2", {}, "Comparison"),
        el("div", {class: "cards"}, speedups, cpi, card("runs", "Runs", "A click on a row shows that run below.", rows), metric));
}
