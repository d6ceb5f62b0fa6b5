/* --- the instructions of a kernel with heat: where warps spent their time, why, and what each access cost. Only the rows
 * in view are elements, so that kernels of many thousand instructions scroll and draw at once. */

const SOURCE_ROW = 22;

/* Which kernel sections of one kernel show: the one picked, else the longest that has what they need */
function kernelWith(run, of, name) {
    if (of !== run) return of[name] ? of : null;
    return run.kernels.filter((k) => k[name]).sort((a, b) => (b.cycles || 0) - (a.cycles || 0))[0] || null;
}

function sourceRows(k) {
    const rows = k.by_pc.map((p, i) => {
        const time = sum(Object.values(p.warp_time || {}));
        return {
            index: i,
            pc: p.pc,
            text: p.text || "",
            place: p.line ? `${p.file || ""}:${p.line}`
                   : p.text_line ? "line " + p.text_line
                                 : "",
            issues: p.issues,
            time,
            causes: p.warp_time || {},
            lanes: ratio(p.lanes, p.issues),
            lines: ratio(p.lines, p.accesses),
            hits: p.accesses && p.lines ? ratio(p.l1_hits, p.lines) : null,
            latency: p.latency_cycles ? ratio(p.latency_cycles, p.issues) : null,
        };
    });
    const total = sum(rows.map((r) => r.time));
    for (const r of rows) r.share = ratio(r.time, total) || 0;
    return rows;
}

/* A line of what the kernel was compiled from, where the result has it */
function sourceText(k, place) {
    const line = /:(\d+)$/.exec(place);
    if (typeof k.source !== "string" || !line) return "";
    if (!k.sourceLines) Object.defineProperty(k, "sourceLines", {value: k.source.split("\n"), enumerable: false});
    return (k.sourceLines[Number(line[1]) - 1] || "").replace(/\t/g, "    ").trimEnd();
}

/* The same by line of the source that was compiled */
function sourceLines(k) {
    const groups = new Map();
    for (const p of k.by_pc) {
        const id = p.line ? `${p.file || ""}:${p.line}` : "no line";
        if (!groups.has(id))
            groups.set(id, {
                pc: groups.size,
                text: "",
                file: "",
                line: 0,
                issues: 0,
                lanes: 0,
                accesses: 0,
                lines: 0,
                l1_hits: 0,
                latency_cycles: 0,
                warp_time: {},
                n: 0,
                place: id
            });
        const g = groups.get(id);
        for (const name of ["issues", "lanes", "accesses", "lines", "l1_hits", "latency_cycles"]) g[name] += p[name] || 0;
        for (const [c, x] of Object.entries(p.warp_time || {})) g.warp_time[c] = (g.warp_time[c] || 0) + x;
        g.n++;
    }
    const list = [...groups.values()].sort((a, b) => compareValues(a.place, b.place)).map((g, i) => ({...g, pc: i})),
          rows = sourceRows({by_pc: list});
    return rows.map((r, i) => ({
                        ...r,
                        place: list[i].place,
                        text: sourceText(k, list[i].place) || `${list[i].n} instruction${list[i].n > 1 ? "s" : ""}`
                    }));
}

const sourceColumns = [
    {name: "pc", value: (r) => r.pc, doc: "The instruction's number in the kernel."},
    {
        name: "place",
        title: "source",
        left: true,
        value: (r) => r.place,
        doc: "The line of the source that was compiled, where the program says it; else of the PTX."
    },
    {name: "text", title: "instruction", left: true, value: (r) => r.text},
    {
        name: "share",
        title: "warp time",
        value: (r) => r.share,
        text: (r) => percent(r.share),
        doc: "Share of the kernel's resident warp time that warps had this as their next instruction."
    },
    {
        name: "causes",
        title: "why",
        value: (r) => mainCause(r),
        text: () => "",
        doc: "That time by cause; colours as in Warp states."
    },
    {name: "issues", value: (r) => r.issues, doc: "Warp instructions issued."},
    {
        name: "lanes",
        value: (r) => r.lanes,
        text: (r) => (isNumber(r.lanes) ? r.lanes.toFixed(1) : ""),
        doc: "Lanes whose guard held, on average."
    },
    {
        name: "lines",
        title: "lines",
        value: (r) => r.lines,
        text: (r) => (isNumber(r.lines) && r.lines > 0 ? r.lines.toFixed(2) : ""),
        doc: "Line accesses of a memory instruction, on average."
    },
    {
        name: "hits",
        title: "L1 hits",
        value: (r) => r.hits,
        text: (r) => (isNumber(r.hits) ? percent(r.hits) : ""),
        doc: "Line accesses that hit in the L1 data cache."
    },
    {
        name: "latency",
        value: (r) => r.latency,
        text: (r) => (isNumber(r.latency) ? r.latency.toFixed(0) : ""),
        unit: "cycles",
        doc: "Loads: from issue to result, on average."
    },
];
function mainCause(r) { return (Object.entries(r.causes).sort((a, b) => b[1] - a[1])[0] || [""])[0]; }

/* A row's causes as a bar of 90 pixels */
function causeBar(r) {
    const bar = el("span", {class: "causes"});
    for (const [name, x] of Object.entries(r.causes).sort((a, b) => b[1] - a[1])) {
        const w = 90 * ratio(x, r.time);
        if (w >= 1) bar.append(el("i", {style: `width:${w.toFixed(1)}px;background:${stallColour(name)}`}));
    }
    return bar;
}

function sourceTip(r, k) {
    const causes = Object.entries(r.causes).sort((a, b) => b[1] - a[1]).slice(0, 5);
    const written = sourceText(k, r.place).trim();
    return [
        r.text || r.place, written && written !== r.text.trim() ? r.place + "  " + written : null,
        ["warp time", percent(r.share) + ", " + exact(r.time) + " slot cycles"],
        ...causes.map(([n, x]) => [n, percent(ratio(x, r.time))]), ["issues", exact(r.issues)],
        causes.length ? docLine(causes[0][0]) : null
    ];
}

function sourceSection(run, of) {
    const k = kernelWith(run, of, "by_pc");
    if (!k || !k.by_pc.length) return null;
    const state = {rows: sourceRows(k), by: null, down: true, find: "", at: 0, lines: false};
    const inner = el("div", {class: "rows", role: "rowgroup"}), space = el("div"),
          box =
              el("div", {class: "source", tabindex: "0", role: "grid", "aria-label": "Instructions of " + k.name}, space, inner);
    let list = state.rows, most = 1;
    const heat = (r) => `rgba(var(--heat), ${(0.75 * Math.sqrt(r.share / most)).toFixed(3)})`;
    const row = (r, i) => {
        const div = el("div", {
            class: i === state.at ? "line here" : "line",
            role: "row",
            "aria-rowindex": i + 1,
            "data-pc": r.pc,
            "data-value": r.time,
            style: `background:${heat(r)}`
        },
                       sourceColumns.map((c) => el("span", {class: "c-" + c.name, role: "gridcell"},
                                                   c.name === "causes"              ? causeBar(r)
                                                   : c.text                         ? c.text(r)
                                                   : typeof c.value(r) === "number" ? exact(c.value(r))
                                                                                    : c.value(r) || "")));
        tipOn(div, () => sourceTip(r, k));
        div.addEventListener("click", () => {
            state.at = i;
            draw();
        });
        return div;
    };
    const draw = () => {
        const first = Math.max(0, Math.floor(box.scrollTop / SOURCE_ROW) - 10),
              n = Math.ceil((box.clientHeight || 480) / SOURCE_ROW) + 20;
        space.style.height = list.length * SOURCE_ROW + "px";
        box.style.height = `min(30rem, ${Math.max(3, list.length) * SOURCE_ROW + 2}px)`;
        inner.style.transform = `translateY(${first * SOURCE_ROW}px)`;
        inner.replaceChildren(...list.slice(first, first + n).map((r, i) => row(r, first + i)));
        said.textContent = `${exact(list.length)} of ${exact(state.rows.length)} ${state.lines ? "lines" : "instructions"}`;
    };
    const change = () => {
        list = state.rows.filter((r) => !state.find || r.text.toLowerCase().includes(state.find) ||
                                        r.place.toLowerCase().includes(state.find) || String(r.pc) === state.find);
        if (state.by) list.sort((a, b) => compareValues(state.by.value(a), state.by.value(b)) * (state.down ? -1 : 1));
        most = d3.max(state.rows, (r) => r.share) || 1;
        state.at = Math.min(state.at, Math.max(0, list.length - 1));
        draw();
    };
    const goTo = (i) => {
        state.at = Math.max(0, Math.min(list.length - 1, i));
        const y = state.at * SOURCE_ROW;
        if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - 2 * SOURCE_ROW) box.scrollTop = y - box.clientHeight / 2;
        draw();
    };
    const heads = sourceColumns.map((c) => {
        const b = el("button", {
            type: "button",
            class: "c-" + c.name,
            "data-name": c.name,
            click: () => {
                state.down = state.by === c ? !state.down : true;
                state.by = c;
                heads.forEach((h) => h.removeAttribute("data-sort"));
                b.setAttribute("data-sort", state.down ? "down" : "up");
                change();
            }
        },
                     c.title || c.name);
        if (c.doc) tipOn(b, () => [c.doc]);
        return b;
    });
    const hottest = () => goTo(list.reduce((best, r, i) => (r.share > (list[best] || {share: -1}).share ? i : best), 0));
    const copy =
        el("button", {type: "button", class: "copy", click: () => copyText(csvOf(sourceColumns, list), copy)}, "Copy as CSV");
    const said = el("span", {class: "share"});
    const known = k.by_pc.some((p) => p.line);
    const ways = known ? choice("Rows", ["instructions", "source lines"], "instructions", (w) => {
        state.lines = w === "source lines";
        state.rows = state.lines ? sourceLines(k) : sourceRows(k);
        change();
    }) : null;
    box.addEventListener("scroll", draw, {passive: true});
    box.addEventListener("keydown", (ev) => {
        const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9}[ev.key];
        if (!step) return;
        ev.preventDefault();
        goTo(state.at + step);
        const r = list[state.at], b = box.getBoundingClientRect();
        if (r) tipShow(sourceTip(r, k), b.left + 300, b.top + 40 + state.at * SOURCE_ROW - box.scrollTop);
    });
    const c = card(
        "source", "Source: " + k.name,
        "Heat is warp time: how long warps had an instruction as their next one. A load's wait shows at the first instruction that needs its result. Click a head to sort; cursor keys go through the rows.",
        el("div", {class: "tools"}, ways, el("button", {type: "button", id: "hottest", click: hottest}, "Hottest"),
           el("button", {
               type: "button",
               click: () => {
                   state.by = null;
                   heads.forEach((h) => h.removeAttribute("data-sort"));
                   change();
               }
           },
              "Program order"),
           el("input", {
               type: "search",
               placeholder: "Search instructions",
               "aria-label": "Search instructions",
               input: (ev) => {
                   state.find = ev.target.value.toLowerCase();
                   change();
               }
           }),
           said, copy),
        el("div", {class: "line heads"}, heads), box);
    c.after = change;
    const printed =
        el("div", {class: "on-paper"},
           table(sourceColumns.filter((x) => x.name !== "causes"),
                 state.rows.slice().sort((a, b) => b.share - a.share).slice(0, 40), {caption: "The hottest instructions"}));
    return el("section", {id: "source-section"}, el("h2", {}, "Source"), c, printed);
}
