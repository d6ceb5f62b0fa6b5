/* --- charts: each draws into an empty svg of a width and returns its height. */

const LABEL = 150, ROW = 24, GAP = 6;

function textWidth(s, size = 12) { return String(s).length * size * 0.58; }
function clip(s, width, size = 12) {
    const most = Math.max(3, Math.floor(width / (size * 0.58)));
    return s.length > most ? s.slice(0, most - 1) + "\u2026" : s;
}

/* Horizontal bars. Items: {name, label, value, text, colour, lines, of}: `of` is what a full bar stands for (else the
 * largest value); without a value the bar is missing and says n/a. */
function bars(svg, width, items, options = {}) {
    const label = options.label || LABEL, right = options.right || 92, top = options.axis ? 20 : 4;
    const most = options.most || d3.max(items, (d) => d.value) || 1;
    const x = d3.scaleLinear().domain([0, most]).range([0, Math.max(40, width - label - right)]);
    items.forEach((d, i) => {
        const y = top + i * (ROW + GAP), g = svg.append("g");
        g.append("text")
            .attr("class", "label")
            .attr("x", label - 8)
            .attr("y", y + 16)
            .attr("text-anchor", "end")
            .text(clip(d.label || d.name, label - 10));
        if (options.most)
            g.append("rect")
                .attr("class", "track")
                .attr("x", label)
                .attr("y", y)
                .attr("width", x(most))
                .attr("height", ROW)
                .attr("rx", 3);
        const w = isNumber(d.value) ? Math.max(d.value > 0 ? 1.5 : 0, x(Math.min(d.value, most))) : 0;
        const r = g.append("rect")
                      .attr("x", label)
                      .attr("y", y)
                      .attr("width", w)
                      .attr("height", ROW)
                      .attr("rx", 3)
                      .attr("fill", d.colour || series[0]);
        g.append("text")
            .attr("class", "value")
            .attr("x", label + (options.most ? x(most) : w) + 8)
            .attr("y", y + 16)
            .text(d.text);
        if (isNumber(d.tick))
            g.append("line")
                .attr("class", "bound")
                .attr("x1", label + x(d.tick))
                .attr("x2", label + x(d.tick))
                .attr("y1", y - 3)
                .attr("y2", y + ROW + 3);
        if (d.whisker) whisker(g, label, x, d.whisker, y + ROW / 2);
        const hit = g.append("rect")
                        .attr("class", "hit")
                        .attr("x", 0)
                        .attr("y", y - GAP / 2)
                        .attr("width", width)
                        .attr("height", ROW + GAP);
        mark(hit.node(), d.name, d.value, d.text, () => [[d.label || d.name, d.text], ...(d.lines || [])]);
        r.attr("class", "bar");
    });
    return top + items.length * (ROW + GAP) + 4;
}

/* From the least to the most of repetitions */
function whisker(g, left, x, [low, high], y) {
    g.append("path")
        .attr("class", "whisker")
        .attr("d", `M${left + x(low)},${y - 5}v10M${left + x(low)},${y}H${left + x(high)}M${left + x(high)},${y - 5}v10`);
}

/* Stacked horizontal bars. Rows: {name, label, parts: [{name, value, colour, lines}], note}; shares of the largest row,
 * or with options.share of each. A legend stands below. */
function stacks(svg, width, rows, options = {}) {
    const label = options.label || 110, right = options.right === undefined ? 12 : options.right, height = options.height || 34;
    const totals = rows.map((r) => sum(r.parts.map((p) => p.value))), most = d3.max(totals) || 1;
    rows.forEach((r, i) => {
        const x = d3.scaleLinear().domain([0, options.share ? totals[i] || 1 : most]).range([0, width - label - right]);
        const y = 4 + i * (height + 10), g = svg.append("g").attr("data-row", r.name);
        g.append("text")
            .attr("class", "label")
            .attr("x", label - 8)
            .attr("y", y + height / 2 + 4)
            .attr("text-anchor", "end")
            .text(clip(r.label || r.name, label - 10));
        let at = 0;
        for (const p of r.parts) {
            const w = x(p.value || 0);
            const rect = g.append("rect")
                             .attr("class", "part")
                             .attr("x", label + x(at))
                             .attr("y", y)
                             .attr("width", Math.max(0, w))
                             .attr("height", height)
                             .attr("fill", p.colour);
            const share = ratio(p.value, totals[i]), text = options.text ? options.text(p.value, share) : percent(share);
            if (w > textWidth(text, 11) + 6) {
                g.append("text")
                    .attr("class", "inside")
                    .attr("x", label + x(at) + w / 2)
                    .attr("y", y + height / 2 + 4)
                    .attr("text-anchor", "middle")
                    .style("fill", inkOn(p.colour))
                    .text(text);
            }
            mark(rect.node(), p.name, p.value, text, () => [r.label || r.name, [p.name, text], ...(p.lines || [])]);
            at += p.value || 0;
        }
        if (r.note)
            g.append("text").attr("class", "value").attr("x", label + x(at) + 8).attr("y", y + height / 2 + 4).text(r.note);
    });
    const names = options.legend || (rows[0] ? rows[0].parts.map((p) => [p.name, p.colour]) : []);
    return legend(svg, width, 4 + rows.length * (height + 10) + 12, names);
}

function legend(svg, width, y, names) {
    let x = 4;
    for (const [name, colour] of names) {
        const w = textWidth(name, 11.5) + 30;
        if (x + w > width) {
            x = 4;
            y += 20;
        }
        svg.append("rect").attr("x", x).attr("y", y - 9).attr("width", 11).attr("height", 11).attr("rx", 2).attr("fill", colour);
        svg.append("text").attr("class", "legend").attr("x", x + 16).attr("y", y + 1).text(name);
        x += w;
    }
    return y + 14;
}

/* Columns over a range of integers: lanes of instructions */
function columns(svg, width, items, options = {}) {
    const height = 190, left = 56, bottom = 34,
          x = d3.scaleBand().domain(items.map((d) => d.name)).range([left, width - 8]).padding(0.12);
    const y = d3.scaleLinear().domain([0, d3.max(items, (d) => d.value) || 1]).nice().range([height - bottom, 10]);
    axisLeft(svg, y, left, width, options.unit, 4);
    for (const d of items) {
        const r = svg.append("rect")
                      .attr("class", "bar")
                      .attr("x", x(d.name))
                      .attr("width", x.bandwidth())
                      .attr("y", y(d.value))
                      .attr("height", y(0) - y(d.value))
                      .attr("fill", d.colour || series[0]);
        const hit = svg.append("rect")
                        .attr("class", "hit")
                        .attr("x", x(d.name))
                        .attr("width", x.bandwidth())
                        .attr("y", 10)
                        .attr("height", y(0) - 10);
        mark(hit.node(), d.name, d.value, d.text, () => [[d.label || d.name, d.text], ...(d.lines || [])]);
        r.attr("rx", 1);
    }
    const every = Math.ceil(items.length / (width / 40));
    items.forEach((d, i) => {
        if (i % every === 0)
            svg.append("text")
                .attr("class", "tick")
                .attr("x", x(d.name) + x.bandwidth() / 2)
                .attr("y", height - bottom + 14)
                .attr("text-anchor", "middle")
                .text(d.name);
    });
    if (options.title)
        svg.append("text")
            .attr("class", "axis")
            .attr("x", (left + width) / 2)
            .attr("y", height - 4)
            .attr("text-anchor", "middle")
            .text(options.title);
    return height;
}

/* --- axes */

function axisLeft(svg, y, left, right, title, ticks = 5, text = (t) => short(t)) {
    for (const t of y.ticks(ticks)) {
        svg.append("line").attr("class", "grid").attr("x1", left).attr("x2", right - 8).attr("y1", y(t)).attr("y2", y(t));
        svg.append("text").attr("class", "tick").attr("x", left - 6).attr("y", y(t) + 4).attr("text-anchor", "end").text(text(t));
    }
    if (title)
        svg.append("text")
            .attr("class", "axis")
            .attr("transform", `translate(11,${(y.range()[0] + y.range()[1]) / 2}) rotate(-90)`)
            .attr("text-anchor", "middle")
            .text(title);
}
function axisBottom(svg, x, top, title, ticks = 8, text = (t) => short(t)) {
    for (const t of x.ticks(ticks)) {
        svg.append("line").attr("class", "grid").attr("x1", x(t)).attr("x2", x(t)).attr("y1", top).attr("y2", top + 4);
        svg.append("text").attr("class", "tick").attr("x", x(t)).attr("y", top + 16).attr("text-anchor", "middle").text(text(t));
    }
    if (title)
        svg.append("text")
            .attr("class", "axis")
            .attr("x", (x.range()[0] + x.range()[1]) / 2)
            .attr("y", top + 31)
            .attr("text-anchor", "middle")
            .text(title);
}
