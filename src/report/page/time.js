/* --- a launch over time: intervals as stacked areas and lines, SMs as a heat map, blocks per SM. All charts of the section
 * share one range of cycles, which the brush under the first one sets; a double click or Escape there shows all again. */

function timeData(k) {
    const c = k.time.samples.columns, at = Object.fromEntries(c.map((n, i) => [n, i])), rows = k.time.samples.rows;
    const causes = c.filter((n) => tables.stall.has(n));
    return {rows, at, causes, ends: rows.map((r) => r[at.cycle]), last: rows.length ? rows[rows.length - 1][at.cycle] : 0};
}

/* Neighbours together until at most n are left in the range; [{from, to, row}] with rows added up */
function bins(data, [low, high], n) {
    const first = d3.bisectRight(data.ends, low), last = Math.min(data.rows.length - 1, d3.bisectLeft(data.ends, high)),
          every = Math.max(1, Math.ceil((last - first + 1) / n)), list = [];
    for (let i = first; i <= last; i += every) {
        const to = Math.min(i + every - 1, last), row = data.rows[i].slice();
        for (let k = i + 1; k <= to; k++)
            for (let c = 0; c < row.length; c++) row[c] += data.rows[k][c];
        list.push({from: i ? data.ends[i - 1] : 0, to: data.ends[to], row});
    }
    return list;
}

function timeSection(run, of) {
    const k = kernelWith(run, of, "time");
    if (!k || !k.time.samples.rows.length) return null;
    const data = timeData(k), all = [0, data.last], state = {range: all}, charts = [];
    const get = (b, name) => b.row[data.at[name]], length = (b) => b.to - b.from;
    const sms = key(run, "gpu.sms") || 1, slots = sms * (key(run, "sm.warps") || 1), burst = key(run, "dram.burst_b") || 0,
          mhz = key(run, "gpu.core_mhz") || 0;
    const repaint = () => charts.forEach((f) => f.paint());
    const setRange = (r) => {
        state.range = r && r[1] - r[0] > 1 ? r : all;
        repaint();
    };
    const LEFT = 62, RIGHT = 14;
    const scale = (width) => d3.scaleLinear().domain(state.range).range([LEFT, width - RIGHT]);
    const inRange = (rows) => rows.filter((r) => r[data.at.cycle] > state.range[0] && r[data.at.cycle] <= state.range[1] + 1e-9);

    /* A line under the mouse, and with cursor keys, that says what an interval had */
    const cursor = (svg, x, list, top, bottom, name, lines) => {
        const line = svg.append("line").attr("class", "cursor").attr("y1", top).attr("y2", bottom).attr("visibility", "hidden");
        const over = svg.append("rect")
                         .attr("class", "over")
                         .attr("x", x.range()[0])
                         .attr("width", Math.max(0, x.range()[1] - x.range()[0]))
                         .attr("y", top)
                         .attr("height", bottom - top)
                         .node();
        let at = 0;
        const say = (i, cx, cy) => {
            at = Math.max(0, Math.min(list.length - 1, i));
            const b = list[at], mid = x(Math.min(state.range[1], Math.max(state.range[0], (b.from + b.to) / 2)));
            line.attr("visibility", "visible").attr("x1", mid).attr("x2", mid);
            const box = over.getBoundingClientRect(), share = (mid - x.range()[0]) / Math.max(1, x.range()[1] - x.range()[0]);
            tipShow([["cycles", exact(b.from) + " to " + exact(b.to)], ...lines(b)], cx ?? box.left + box.width * share,
                    cy ?? box.top + 20);
        };
        mark(over, name, list.length, exact(list.length) + " intervals", () => []);
        over.addEventListener("mousemove", (ev) => {
            const box = over.getBoundingClientRect(),
                  c = x.invert(x.range()[0] + (ev.clientX - box.left) / box.width * (x.range()[1] - x.range()[0]));
            say(d3.bisectLeft(list.map((b) => b.to), c), ev.clientX, ev.clientY);
        });
        over.addEventListener("mouseleave", () => line.attr("visibility", "hidden"));
        over.addEventListener("focus", () => list.length && say(at));
        over.addEventListener("keydown", (ev) => {
            const step = {ArrowRight: 1, ArrowLeft: -1, Home: -1e9, End: 1e9}[ev.key];
            if (ev.key === "Escape") setRange(null);
            if (!step) return;
            ev.preventDefault();
            ev.stopPropagation();
            say(at + step);
        });
    };

    /* --- causes as stacked areas, with the brush below */
    const causes = (svg, width) => {
        const height = 300, bottom = height - 92, x = scale(width), y = d3.scaleLinear().domain([0, 1]).range([bottom, 8]),
              list = bins(data, state.range, Math.ceil(width));
        axisLeft(svg, y, LEFT, width - RIGHT + 8, "share of warp slots", 4, percent);
        const order = data.causes.slice().sort((a, b) => (a === "no_warp") - (b === "no_warp") ||
                                                         [...tables.cpi.keys()].indexOf(tables.stall.get(a).part) -
                                                             [...tables.cpi.keys()].indexOf(tables.stall.get(b).part));
        const base = list.map(() => 0),
              points = (f) => list.flatMap(
                  (b, i) => [[x(Math.max(b.from, state.range[0])), f(b, i)], [x(Math.min(b.to, state.range[1])), f(b, i)]]);
        for (const name of order) {
            const low = base.slice();
            list.forEach((b, i) => { base[i] += ratio(get(b, name), length(b) * slots) || 0; });
            const total = sum(list.map((b) => get(b, name)));
            if (!total) continue;
            const up = points((b, i) => y(Math.min(1, base[i]))), down = points((b, i) => y(Math.min(1, low[i]))).reverse();
            const path = svg.append("path")
                             .attr("class", "area")
                             .attr("d", d3.line()([...up, ...down]) + "Z")
                             .attr("fill", stallColour(name));
            path.attr("data-name", name).attr("data-value", total);
        }
        axisBottom(svg, x, bottom, null);
        cursor(svg, x, list, 8, bottom, "intervals of warp time",
               (b) => order.map((n) => [n, ratio(get(b, n), length(b) * slots)])
                          .filter(([, s]) => s > 0.005)
                          .sort((p, q) => q[1] - p[1])
                          .slice(0, 8)
                          .map(([n, s]) => [n, percent(s)]));
        brushStrip(svg, width, bottom + 26);
        return legend(svg, width, height + 4,
                      order.filter((n) => sum(data.rows.map((r) => r[data.at[n]])) > 0).map((n) => [n, stallColour(n)]));
    };
    let placing = false;
    const brushStrip = (svg, width, top) => {
        const x = d3.scaleLinear().domain(all).range([LEFT, width - RIGHT]), y = d3.scaleLinear().range([top + 40, top]),
              list = bins(data, all, Math.ceil(width / 2)),
              most = d3.max(list, (b) => get(b, "warp_instructions") / length(b)) || 1;
        y.domain([0, most]);
        svg.append("path")
            .attr("class", "strip")
            .attr("d", d3.area()
                           .x((p) => p[0])
                           .y0(top + 40)
                           .y1((p) => p[1])(list.flatMap((b) => [[x(b.from), y(get(b, "warp_instructions") / length(b))],
                                                                 [x(b.to), y(get(b, "warp_instructions") / length(b))]])));
        svg.append("text").attr("class", "tick").attr("x", LEFT - 6).attr("y", top + 24).attr("text-anchor", "end").text("IPC");
        const brush = d3.brushX().extent([[LEFT, top], [width - RIGHT, top + 40]]).on("end", () => {
            if (placing) return;
            setRange(d3.event.selection ? d3.event.selection.map(x.invert) : null);
        });
        const g = svg.append("g").attr("class", "brush").call(brush).on("dblclick", () => setRange(null));
        if (state.range === all) return;
        placing = true; /* to put the brush where it was is no wish of the reader's */
        g.call(brush.move, state.range.map(x));
        placing = false;
    };

    /* --- lines */
    const lineChart = (id, title, about, unit, names, text, most) => {
        const draw = (svg, width) => {
            const height = 190, bottom = height - 40, x = scale(width), list = bins(data, state.range, Math.ceil(width));
            const top = most || d3.max(names, ([, f]) => d3.max(list, (b) => f(b))) || 1,
                  y = d3.scaleLinear().domain([0, top]).nice().range([bottom, 10]);
            axisLeft(svg, y, LEFT, width - RIGHT + 8, unit, 4, text);
            axisBottom(svg, x, bottom, "cycles of the launch", Math.max(3, Math.floor(width / 90)));
            names.forEach(([name, f], i) => {
                const path = d3.line().defined((p) => isNumber(p[1]))(
                    list.flatMap((b) => [[x(Math.max(b.from, state.range[0])), f(b) === null ? null : y(f(b))],
                                         [x(Math.min(b.to, state.range[1])), f(b) === null ? null : y(f(b))]]));
                svg.append("path").attr("class", "trace").attr("d", path).attr("stroke", series[i]).attr("data-name", name);
            });
            cursor(svg, x, list, 10, bottom, title, (b) => names.map(([name, f]) => [name, text(f(b))]));
            return names.length > 1 ? legend(svg, width, height + 10, names.map(([n], i) => [n, series[i]])) : height;
        };
        const f = figure(id, title, about, draw,
                         [
                             {name: "cycle", value: (r) => r[data.at.cycle]},
                             ...names.map(([n, g], i) => ({name: n, value: (r) => rowValue(r, g, i)}))
                         ],
                         () => inRange(data.rows));
        charts.push(f);
        return f;
    };
    const rowValue = (r, f) => {
        const i = d3.bisectLeft(data.ends, r[data.at.cycle]);
        return f({from: i ? data.ends[i - 1] : 0, to: data.ends[i], row: r});
    };
    const first = figure(
        "time-causes", "Warp time by cause",
        "What all warp slots of the chip do. Drag over the strip below to zoom all charts here; a double click shows all again.",
        causes,
        [
            {name: "cycle", value: (r) => r[data.at.cycle]},
            {name: "warp_instructions", value: (r) => r[data.at.warp_instructions]},
            ...data.causes.map((n) => ({name: n, doc: explain(n), unit: "slot cycles", value: (r) => r[data.at[n]]}))
        ],
        () => inRange(data.rows), {wide: true});
    charts.push(first);
    const rest = [
        lineChart("time-ipc", "IPC", "Warp instructions a cycle, whole chip.", "instructions/cycle",
                  [["IPC", (b) => get(b, "warp_instructions") / length(b)]], (t) => short(t)),
        lineChart("time-occupancy", "Occupancy", "Warps resident, over warp slots.", null,
                  [["occupancy", (b) => get(b, "warp_cycles") / (length(b) * slots)]], percent, 1),
        lineChart("time-dram", "DRAM bandwidth",
                  "Bytes moved a second; the machine moves at most " +
                      (run.roofs ? short(run.roofs.dram_bytes_per_second, "B/s") : "n/a") + ".",
                  null, [["DRAM", (b) => get(b, "dram_bursts") * burst * mhz * 1e6 / length(b)]], (t) => short(t, "B/s")),
        lineChart("time-hits", "Cache hit rates", "Of the accesses in an interval; nothing where there were none.", null,
                  [
                      ["L1", (b) => ratio(get(b, "l1_hits"), get(b, "l1_accesses"))],
                      ["L2", (b) => ratio(get(b, "l2_hits"), get(b, "l2_accesses"))]
                  ],
                  percent, 1),
    ];
    const heat = k.time.sms ? smHeat(run, k, state, charts, LEFT, RIGHT, scale) : null,
          blocks = blockChart(run, k, state, charts, LEFT, RIGHT, scale);
    const many = (k.launches || 1) > 1 ? ` (launch ${k.time.launch}, the longest of ${exact(k.launches)})` : "";
    return el("section", {id: "time"}, el("h2", {}, "Time"),
              el("p", {class: "about"}, `${k.name}${many}: ${exact(data.last)} cycles in ${exact(data.rows.length)} intervals.`),
              el("div", {class: "cards two"}, first, ...rest, heat, blocks));
}

/* --- pictures inside charts: thousands of cells or blocks are pixels, not elements */

function pixels(svg, view, x, y, width, height, paint) {
    const ratioOf = Math.min(2, devicePixelRatio || 1),
          canvas =
              el("canvas", {width: Math.max(1, Math.round(width * ratioOf)), height: Math.max(1, Math.round(height * ratioOf))});
    const ctx = canvas.getContext("2d");
    ctx.scale(ratioOf, ratioOf);
    paint(ctx);
    svg.append("image")
        .attr("x", x)
        .attr("y", y)
        .attr("width", width)
        .attr("height", height)
        .attr("href", canvas.toDataURL("image/png"));
}

/* SMs by time */
function smHeat(run, k, state, charts, LEFT, RIGHT, scale) {
    const d = k.time.sms, n = d.instructions[0] ? d.instructions[0].length : 0, warps = key(run, "sm.warps") || 1,
          peak = (key(run, "sm.schedulers") || 1) * (key(run, "sm.issue_width") || 1);
    let what = "IPC";
    const spans = d.cycles.map((to, i) => [i ? d.cycles[i - 1] : 0, to]);
    const cell = (i, sm) => (what === "IPC" ? ratio(d.instructions[i][sm], (spans[i][1] - spans[i][0]) * peak)
                                            : ratio(d.warp_cycles[i][sm], (spans[i][1] - spans[i][0]) * warps));
    const draw = (svg, width, view) => {
        const x = scale(width), h = Math.max(3, Math.min(20, Math.floor(420 / n))), top = 6, height = n * h,
              most = d3.max(spans, (_, i) => d3.max(d3.range(n), (sm) => cell(i, sm))) || 1;
        const colour = d3.scaleSequential(d3.interpolateViridis).domain([0, most]);
        pixels(svg, view, x.range()[0], top, x.range()[1] - x.range()[0], height, (ctx) => {
            spans.forEach(([from, to], i) => {
                if (to <= state.range[0] || from >= state.range[1]) return;
                const left = x(Math.max(from, state.range[0])) - x.range()[0],
                      right = x(Math.min(to, state.range[1])) - x.range()[0];
                for (let sm = 0; sm < n; sm++) {
                    ctx.fillStyle = colour(cell(i, sm));
                    ctx.fillRect(left, sm * h, right - left + 0.6, h > 5 ? h - 1 : h);
                }
            });
        });
        for (let sm = 0; sm < n; sm++) {
            if (sm % Math.ceil(14 / h) === 0)
                svg.append("text")
                    .attr("class", "tick")
                    .attr("x", x.range()[0] - 6)
                    .attr("y", top + sm * h + h / 2 + 4)
                    .attr("text-anchor", "end")
                    .text("SM " + sm);
            const mean = d3.mean(spans, (_, i) => cell(i, sm)), hit = svg.append("rect")
                                                                          .attr("class", "hit thin")
                                                                          .attr("x", x.range()[0])
                                                                          .attr("width", x.range()[1] - x.range()[0])
                                                                          .attr("y", top + sm * h)
                                                                          .attr("height", h);
            mark(hit.node(), "SM " + sm, sum(d.instructions.map((r) => r[sm])), percent(mean),
                 () => [["SM " + sm, percent(mean) + " on average"],
                        ["instructions", exact(sum(d.instructions.map((r) => r[sm])))]]);
            hit.node().addEventListener("mousemove", (ev) => {
                const box = hit.node().getBoundingClientRect(),
                      c = x.invert(x.range()[0] + (ev.clientX - box.left) / box.width * (x.range()[1] - x.range()[0])),
                      i = Math.min(spans.length - 1, d3.bisectLeft(d.cycles, c));
                tipShow(
                    [
                        ["SM " + sm, percent(cell(i, sm))], ["cycles", exact(spans[i][0]) + " to " + exact(spans[i][1])],
                        ["instructions", exact(d.instructions[i][sm])],
                        ["warps", exact(Number(ratio(d.warp_cycles[i][sm], spans[i][1] - spans[i][0]).toFixed(1)))]
                    ],
                    ev.clientX, ev.clientY);
            });
        }
        axisBottom(svg, x, top + height, "cycles of the launch");
        const w = 120, gx = width - RIGHT - w, gy = top + height + 30;
        for (let i = 0; i < 24; i++)
            svg.append("rect")
                .attr("x", gx + i * w / 24)
                .attr("y", gy)
                .attr("width", w / 24 + 0.5)
                .attr("height", 9)
                .attr("fill", colour(most * i / 23));
        svg.append("text")
            .attr("class", "tick")
            .attr("x", gx - 6)
            .attr("y", gy + 9)
            .attr("text-anchor", "end")
            .text("0 to " + percent(most));
        return top + height + 46;
    };
    const f =
        figure("time-sms", "SMs by time",
               "Each SM's issues, as a share of what it can issue, or its resident warps, as a share of its slots.", draw,
               [
                   {name: "cycle", value: (i) => d.cycles[i]},
                   ...d3.range(n).map(
                       (sm) => ({name: "sm" + sm, value: (i) => (what === "IPC" ? d.instructions[i][sm] : d.warp_cycles[i][sm])}))
               ],
               () => d3.range(d.cycles.length), {
                   wide: true,
                   controls: [choice("Show", ["IPC", "warps"], "IPC",
                                     (w) => {
                                         what = w;
                                         f.paint();
                                     })]
               });
    charts.push(f);
    return f;
}

/* Blocks: a band a SM, in it a lane for each block that runs at the same time */
function blockLanes(rows) {
    const bands = new Map();
    for (const [block, sm, start, end] of rows.slice().sort((a, b) => a[2] - b[2] || a[0] - b[0])) {
        if (!bands.has(sm)) bands.set(sm, {ends: [], blocks: []});
        const band = bands.get(sm);
        let lane = band.ends.findIndex((e) => e <= start);
        if (lane < 0) lane = band.ends.length;
        band.ends[lane] = end;
        band.blocks.push({block, sm, start, end, lane});
    }
    return [...bands.entries()]
        .sort((a, b) => a[0] - b[0])
        .map(([sm, b]) => ({sm, lanes: b.ends.length, blocks: b.blocks, end: d3.max(b.blocks, (x) => x.end)}));
}
function blockChart(run, k, state, charts, LEFT, RIGHT, scale) {
    const b = k.time.blocks;
    if (!b || !b.rows.length) return null;
    const bands = blockLanes(b.rows), last = d3.max(bands, (x) => x.end), first = d3.min(bands, (x) => x.end), total = b.in_all;
    const draw = (svg, width, view) => {
        const x = scale(width), lanes = d3.max(bands, (s) => s.lanes),
              h = Math.max(4, Math.min(26, Math.floor(460 / bands.length))), lane = (h - 1) / lanes, height = bands.length * h;
        pixels(svg, view, x.range()[0], 6, x.range()[1] - x.range()[0], height, (ctx) => {
            bands.forEach((s, i) => s.blocks.forEach((y) => {
                if (y.end <= state.range[0] || y.start >= state.range[1]) return;
                const left = x(Math.max(y.start, state.range[0])) - x.range()[0],
                      right = x(Math.min(y.end, state.range[1])) - x.range()[0];
                ctx.fillStyle = series[y.block % 6];
                ctx.fillRect(left, i * h + y.lane * lane, Math.max(0.5, right - left - (right - left > 3 ? 0.8 : 0)),
                             Math.max(0.7, lane - (lane > 2 ? 0.6 : 0)));
            }));
        });
        bands.forEach((s, i) => {
            if (i % Math.ceil(14 / h) === 0)
                svg.append("text")
                    .attr("class", "tick")
                    .attr("x", x.range()[0] - 6)
                    .attr("y", 6 + i * h + h / 2 + 4)
                    .attr("text-anchor", "end")
                    .text("SM " + s.sm);
            const hit = svg.append("rect")
                            .attr("class", "hit thin")
                            .attr("x", x.range()[0])
                            .attr("width", x.range()[1] - x.range()[0])
                            .attr("y", 6 + i * h)
                            .attr("height", h);
            mark(hit.node(), "SM " + s.sm, s.blocks.length, exact(s.blocks.length) + " blocks",
                 () => [["SM " + s.sm, exact(s.blocks.length) + " blocks"], ["last ends", exact(s.end)],
                        ["idle at the end", exact(last - s.end) + " cycles"]]);
            hit.node().addEventListener("mousemove", (ev) => {
                const box = hit.node().getBoundingClientRect(),
                      c = x.invert(x.range()[0] + (ev.clientX - box.left) / box.width * (x.range()[1] - x.range()[0])),
                      ln = Math.floor((ev.clientY - box.top) / box.height * h / lane),
                      y = s.blocks.find((q) => q.lane === ln && q.start <= c && q.end > c);
                tipShow(y ? [["SM " + s.sm, "block " + exact(y.block)], ["cycles", exact(y.start) + " to " + exact(y.end)], ["length", exact(y.end - y.start)]] : [["SM " + s.sm, "no block here"]], ev.clientX, ev.clientY);
            });
        });
        if (first > state.range[0] && first < state.range[1])
            svg.append("line")
                .attr("class", "bound")
                .attr("x1", x(first))
                .attr("x2", x(first))
                .attr("y1", 2)
                .attr("y2", 10 + height);
        axisBottom(svg, x, 6 + height, "cycles of the launch");
        return height + 46;
    };
    const f =
        figure("time-blocks", "Blocks",
               `When each block ran and where. The first SM runs out of blocks at cycle ${exact(first)} (dashed), the last at ${
                   exact(last)}: the tail is ${percent(ratio(last - first, last))} of the launch.` +
                   (total > b.rows.length ? ` The first ${exact(b.rows.length)} of ${exact(total)} blocks are here.` : ""),
               draw,
               [
                   {name: "block", value: (r) => r[0]}, {name: "sm", value: (r) => r[1]}, {name: "start", value: (r) => r[2]},
                   {name: "end", value: (r) => r[3]}, {name: "length", value: (r) => r[3] - r[2]}
               ],
               () => b.rows, {wide: true});
    charts.push(f);
    return f;
}
