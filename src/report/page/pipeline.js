/* --- the first instructions of a launch on one SM, a row each, stages as colours, as Konata draws them. */

const stageColours = [
    ["operands", "#8e63ce"], ["unit wait", "#d8b72c"], ["execute", "#2e9e5b"], ["memory queue", "#e8933a"],
    ["accesses", "#d1495b"], ["waiting for data", "#2f7ed8"], ["result to end", "#9aa4ae"]
];
const stageDocs = {
    operands: "From issue until the last source operand was read.",
    "unit wait": "In a collector, operands read, until the unit takes it.",
    execute: "From the unit to its result.",
    "memory queue": "In the memory stage's queue, before its first line access.",
    accesses: "From its first to its last line access.",
    "waiting for data": "From its last access until all its lanes are done.",
    "result to end": "From its result until it has left the SM.",
};

/* Stages of an instruction as [name, from, to]; those without length are left out */
function stagesOf(x) {
    const list = [],
          end = Math.max(...[x.issue, x.read, x.dispatch, x.enter, x.access_last, x.ready, x.complete, x.done].filter(isNumber));
    let at = x.issue;
    const go = (name, to) => {
        if (isNumber(to) && to > at) {
            list.push([name, at, to]);
            at = to;
        }
    };
    go("operands", x.read);
    if (isNumber(x.enter)) {
        go("memory queue", x.access_first ?? x.enter);
        if (isNumber(x.access_first)) go("accesses", Math.max(x.access_last, x.access_first) + 1);
        go("waiting for data", x.complete ?? x.ready);
    } else {
        go("unit wait", x.dispatch);
        go("execute", x.ready ?? x.done);
    }
    go("result to end", end);
    if (!list.length) list.push(["execute", x.issue, x.issue + 1]);
    return list;
}

function pipelineSection(run, of) {
    const k = kernelWith(run, of, "pipeline");
    if (!k || !k.pipeline.rows.length) return null;
    const p = k.pipeline, insts = p.rows.map((r) => Object.fromEntries(p.columns.map((c, i) => [c, r[i]]))),
          begin = d3.min(insts, (x) => x.issue);
    const state = {order: "by warp", shown: Math.min(insts.length, 150), zoom: 1};
    const ordered = () => {
        const list = insts.slice();
        if (state.order === "by warp") list.sort((a, b) => a.slot - b.slot || a.issue - b.issue);
        return list.slice(0, state.shown);
    };
    const draw = (svg, width) => {
        const rows = ordered(), h = 15, left = Math.min(330, width * 0.34), top = 24,
              high = d3.max(rows, (x) => d3.max(stagesOf(x), (s) => s[2])),
              whole = Math.max(width, left + (width - left - 12) * state.zoom);
        const x = d3.scaleLinear().domain([begin, high]).range([left, whole - 12]);
        for (const t of x.ticks(Math.floor((whole - left) / 90))) {
            svg.append("line")
                .attr("class", "grid")
                .attr("x1", x(t))
                .attr("x2", x(t))
                .attr("y1", top - 6)
                .attr("y2", top + rows.length * h);
            svg.append("text")
                .attr("class", "tick")
                .attr("x", x(t))
                .attr("y", top - 10)
                .attr("text-anchor", "middle")
                .text(exact(t));
        }
        rows.forEach((r, i) => {
            const y = top + i * h, g = svg.append("g");
            if (state.order === "by warp" && i && rows[i - 1].slot !== r.slot)
                g.append("line").attr("class", "grid").attr("x1", 0).attr("x2", whole).attr("y1", y).attr("y2", y);
            g.append("text").attr("class", "tick").attr("x", 2).attr("y", y + 11).text("w" + r.slot);
            g.append("text").attr("class", "code").attr("x", 34).attr("y", y + 11).text(clip(r.text, left - 44, 11.5));
            for (const [name, from, to] of stagesOf(r))
                g.append("rect")
                    .attr("class", "stage")
                    .attr("x", x(from))
                    .attr("y", y + 2)
                    .attr("width", Math.max(1, x(to) - x(from)))
                    .attr("height", h - 4)
                    .attr("fill", stageColours.find(([n]) => n === name)[1]);
            const hit = g.append("rect").attr("class", "hit").attr("x", 0).attr("y", y).attr("width", whole).attr("height", h);
            mark(hit.node(), "pc " + r.pc, r.issue, r.text,
                 () => [r.text, ["warp slot", exact(r.slot)], ["pc", exact(r.pc)], ["lanes", exact(r.lanes)],
                        ["issued", exact(r.issue)], ...stagesOf(r).map(([n, from, to]) => [n, exact(to - from) + " cycles"]),
                        r.hazards ? ["hazards met", exact(r.hazards)] : null]);
        });
        const bottom = legend(svg, width, top + rows.length * h + 18, stageColours);
        if (whole > width) svg.node().style.width = whole + "px";
        return bottom;
    };
    const f = figure("pipeline-window", "Pipeline window",
                     `The first instructions of launch ${p.launch} on SM ${p.sm}, from issue to end, in cycles of the launch.` +
                         (p.in_all > insts.length
                              ? ` The first ${exact(insts.length)} of ${
                                    exact(p.in_all)} are here; --trace-cycles FROM..TO and --trace-sm choose others.`
                              : ""),
                     draw,
                     [
                         ...p.columns.filter((c) => c !== "text").map((c) => ({name: c, value: (x) => x[c]})),
                         {name: "text", left: true, value: (x) => x.text}
                     ],
                     () => insts, {
                         wide: true,
                         controls: [
                             choice("Order", ["by issue", "by warp"], state.order,
                                    (o) => {
                                        state.order = o;
                                        f.paint();
                                    }),
                             el("button",
                                {
                                    type: "button",
                                    "aria-label": "Closer",
                                    click: () => {
                                        state.zoom = Math.min(16, state.zoom * 2);
                                        f.paint();
                                    }
                                },
                                "+"),
                             el("button", {
                                 type: "button",
                                 "aria-label": "Farther",
                                 click: () => {
                                     state.zoom = Math.max(1, state.zoom / 2);
                                     f.paint();
                                 }
                             },
                                "\u2212"),
                             insts.length > state.shown ? el("button", {
                                 type: "button",
                                 click: (ev) => {
                                     state.shown = insts.length;
                                     ev.target.remove();
                                     f.paint();
                                 }
                             },
                                                             `All ${insts.length}`)
                                                        : null
                         ].filter(Boolean),
                     });
    f.classList.add("scrolls");
    const list = el("details", {class: "about"}, el("summary", {}, "What the stages are"),
                    stageColours.map(([n]) => el("p", {}, el("b", {}, n + ": "), stageDocs[n])));
    return el("section", {id: "pipeline"}, el("h2", {}, "Pipeline"), el("div", {class: "cards"}, f), list);
}
