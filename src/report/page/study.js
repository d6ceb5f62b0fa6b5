/* --- a study: what a document says, what we find and the verdict; then its figures, drawn where the description says so,
 * each with its table. */

/* A number as its figure shows it: a number, a share, or a gain (1.1 is +10 %) */
function shown(x, show) {
    if (!isNumber(x)) return "n/a";
    if (show === "share") return percent(x);
    if (show === "gain") return (x < 1 ? "\u2212" : "+") + (100 * Math.abs(x - 1)).toFixed(1) + THIN + "%";
    return Number.isInteger(x) ? exact(x) : x.toFixed(3);
}

function claim(f, show) {
    if (!f) return "n/a";
    if (isNumber(f.above)) return "above " + shown(f.above, show);
    if (isNumber(f.below)) return "below " + shown(f.below, show);
    if (!isNumber(f.value) || !isNumber(f.half) || f.half <= 0) return shown(f.value, show);
    return shown(f.value, show) + " \u00b1 " + (show === "number" ? f.half.toFixed(3) : (100 * f.half).toFixed(1) + THIN + "%");
}

function statementsTable(list, rows) {
    const columns = [
        {name: "statement", left: true, value: (s) => s.text},
        {
            name: "document",
            value: (s) => s.document && (s.document.value ?? s.document.above ?? s.document.below),
            text: (s) => claim(s.document, s.show)
        },
        {name: "here", value: (s) => s.here && s.here.value, text: (s) => claim(s.here, s.show)},
        {name: rows, value: (s) => s.kernels ?? ""},
        {name: "verdict", left: true, value: (s) => s.verdict},
        {name: "from the counters", left: true, value: (s) => s.why || ""},
    ];
    const rowOf = (tr, s) => tr.classList.add(s.verdict === "agrees" ? "good" : "other");
    return card("statements", "What the document says, and what we find", null,
                table(columns, list, {filter: list.length > 20, rowOf}));
}

/* Rows and columns of a figure, names first, without the bold rows that are means of the others */
function figureRows(f) {
    return f.rows.map((r) => ({name: String(r[0] ?? "").replace(/\*/g, ""), mean: /^\*\*/.test(String(r[0])), cells: r}));
}

function figureColumns(f) {
    return f.columns.map((title, i) => ({
                             name: title,
                             left: i === 0 || f.rows.every((r) => typeof r[i] !== "number"),
                             value: (r) => (i === 0 ? r.name : r.cells[i]),
                             text: (r) => (i === 0 ? r.name
                                           : typeof r.cells[i] === "number"
                                               ? (Number.isInteger(r.cells[i]) && f.show === "number" ? exact(r.cells[i])
                                                                                                      : shown(r.cells[i], f.show))
                                               : r.cells[i] ?? "")
                         }));
}

/* A group of bars a row, or one stacked bar */
function drawGroups(f, svg, width) {
    const rows = figureRows(f), names = f.columns.slice(1), stacked = f.drawn === "stacks", height = 300, left = 56, bottom = 92;
    const numbers = (r) => names.map((_, i) => r.cells[i + 1]).filter(isNumber);
    const most = d3.max(rows, (r) => (stacked ? sum(numbers(r)) : d3.max(numbers(r)))) || 1;
    const least = Math.min(0, d3.min(rows, (r) => d3.min(numbers(r))) || 0);
    const x = d3.scaleBand().domain(d3.range(rows.length)).range([left, width - 8]).padding(0.2);
    const inner = d3.scaleBand().domain(d3.range(names.length)).range([0, x.bandwidth()]);
    const top = f.speedups && !stacked ? Math.min(3, Math.max(1.2, most)) : most;
    const y = d3.scaleLinear().domain([least, top]).nice().range([height - bottom, 10]);
    axisLeft(svg, y, left, width, null, 5, (t) => shown(t, f.show === "number" ? "number" : f.show));
    rows.forEach((r, k) => {
        let at = 0;
        names.forEach((name, i) => {
            const v = r.cells[i + 1];
            if (!isNumber(v)) return;
            const from = stacked ? at : 0, to = stacked ? at + v : v, high = y(Math.min(Math.max(from, to), y.domain()[1]));
            at += v;
            const bar = svg.append("rect")
                            .attr("x", x(k) + (stacked ? 0 : inner(i)))
                            .attr("width", Math.max(1, stacked ? x.bandwidth() : inner.bandwidth()))
                            .attr("y", high)
                            .attr("height", Math.max(0, y(Math.min(from, to)) - high))
                            .attr("fill", series[i % series.length]);
            mark(bar.node(), r.name + " " + name, v, shown(v, f.show), () => [r.name, [name, shown(v, f.show)]]);
        });
        const every = Math.ceil(rows.length / (width / 14));
        if (k % every === 0)
            svg.append("text")
                .attr("class", "tick")
                .attr("transform", `translate(${x(k) + x.bandwidth() / 2},${height - bottom + 12}) rotate(-50)`)
                .attr("text-anchor", "end")
                .text(clip(r.name, 110));
    });
    if (f.speedups && !stacked)
        svg.append("line").attr("class", "bound").attr("x1", left).attr("x2", width - 8).attr("y1", y(1)).attr("y2", y(1));
    return legend(svg, width, height + 8, names.map((n, i) => [n, series[i % series.length]]));
}

/* The second column to the right, the others up */
function drawPoints(f, svg, width) {
    const rows = figureRows(f), names = f.columns.slice(2), height = 320, left = 60, bottom = 44;
    const xs = rows.map((r) => r.cells[1]).filter(isNumber), ys = rows.flatMap((r) => r.cells.slice(2)).filter(isNumber);
    const x = d3.scaleLinear().domain([Math.min(0, d3.min(xs) || 0), d3.max(xs) || 1]).nice().range([left, width - 12]);
    const y = d3.scaleLinear().domain([Math.min(0, d3.min(ys) || 0), d3.max(ys) || 1]).nice().range([height - bottom, 10]);
    const tick = (t) => shown(t, f.show);
    axisLeft(svg, y, left, width, null, 5, tick);
    axisBottom(svg, x, height - bottom, f.columns[1], 6, tick);
    rows.forEach((r) => names.forEach((name, i) => {
        const v = r.cells[i + 2];
        if (!isNumber(v) || !isNumber(r.cells[1])) return;
        const dot = svg.append("circle")
                        .attr("cx", x(r.cells[1]))
                        .attr("cy", y(v))
                        .attr("r", 4)
                        .attr("fill", series[i % series.length])
                        .attr("fill-opacity", 0.75);
        mark(dot.node(), r.name + " " + name, v, shown(v, f.show),
             () => [r.name, [f.columns[1], shown(r.cells[1], f.show)], [name, shown(v, f.show)]]);
    }));
    return legend(svg, width, height + 12, names.map((n, i) => [n, series[i % series.length]]));
}

function studyFigure(f) {
    const rows = figureRows(f), columns = figureColumns(f), id = "figure-" + f.name;
    if (!f.drawn || !rows.length) return card(id, f.title, f.text, table(columns, rows, {filter: rows.length > 20, limit: 60}));
    const draw = (svg, width) => (f.drawn === "points" ? drawPoints(f, svg, width) : drawGroups(f, svg, width));
    return figure(id, f.title, f.text, draw, columns, () => rows, {wide: true, filter: rows.length > 20});
}

function studySection(study) {
    const plain = (t) => (t || "").replace(/`/g, "");
    return el("section", {id: "study"}, el("h2", {}, "Study"), el("p", {class: "about"}, plain(study.made)),
              study.absent && study.absent.length
                  ? el("p", {class: "banner"}, "Not there, and so not part of this page: " + study.absent.join(", "))
                  : null,
              study.text ? el("p", {class: "about"}, plain(study.text)) : null, el("p", {class: "about"}, plain(study.rule)),
              el("div", {class: "cards"}, study.statements.length ? part_of(statementsTable, study.statements, study.rows) : null,
                 ...study.figures.map((f) => part_of(studyFigure, f))));
}
