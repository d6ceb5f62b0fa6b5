/* --- tooltip: one for the page, under the mouse or at the mark that has the focus. Lines are [label, value] pairs,
 * or a single text. */

const tip = {
    box: null,
    scroll: 0,
    again: null
};

function tipShow(lines, x, y) {
    if (!tip.box) document.body.append(tip.box = el("div", {id: "tip", role: "tooltip"}));
    tip.box.replaceChildren(...lines.filter((l) => l !== null && l !== "")
                                .map((l) => Array.isArray(l) ? el("div", {class: "pair"}, el("span", {}, l[0]), el("b", {}, l[1]))
                                                             : el("div", {class: "say"}, l)));
    tip.box.classList.add("on");
    tip.scroll = scrollY;
    tip.again = null;
    const box = tip.box.getBoundingClientRect(), left = Math.min(x + 14, innerWidth - box.width - 8);
    const top = y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18;
    tip.box.style.left = Math.max(4, left) + "px";
    tip.box.style.top = Math.max(4, top) + "px";
}
function tipHide() {
    if (tip.box) tip.box.classList.remove("on");
}

/* Shows lines() over an element, by mouse and by keyboard */
function tipOn(e, lines) {
    e.addEventListener("mousemove", (ev) => tipShow(lines(), ev.clientX, ev.clientY));
    e.addEventListener("mouseleave", tipHide);
    e.addEventListener("focus", () => {
        const at = () => {
            const box = e.getBoundingClientRect();
            tipShow(lines(), box.left + Math.min(box.width / 2, 160), box.bottom - 8);
            tip.again = at; /* the focus may scroll its mark into view: the tooltip goes along */
        };
        at();
    });
    e.addEventListener("blur", tipHide);
}
addEventListener("keydown", (ev) => {
    if (ev.key === "Escape") tipHide();
});
addEventListener("scroll", () => {
    if (Math.abs(scrollY - tip.scroll) < 4) return;
    if (tip.again && tip.box.classList.contains("on")) tip.again();
    else tipHide();
}, {passive: true});

/* --- marks: the parts of a chart that stand for a number. Tab enters a chart, cursor keys go through its marks. */

function mark(node, name, x, text, lines) {
    node.classList.add("mark");
    node.setAttribute("data-name", name);
    node.setAttribute("data-value", isNumber(x) ? String(x) : "");
    node.setAttribute("role", "img");
    node.setAttribute("tabindex", "-1");
    node.setAttribute("aria-label", name + ": " + text);
    tipOn(node, lines);
}

function marksWalk(svg) {
    const marks = () => [...svg.querySelectorAll(".mark")];
    const first = svg.querySelector(".mark");
    if (first) first.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (ev) => {
        const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[ev.key], all = marks(),
              at = all.indexOf(document.activeElement);
        if (at < 0 || (!step && ev.key !== "Home" && ev.key !== "End")) return;
        const to = ev.key === "Home" ? 0 : ev.key === "End" ? all.length - 1 : (at + step + all.length) % all.length;
        ev.preventDefault();
        all[at].setAttribute("tabindex", "-1");
        all[to].setAttribute("tabindex", "0");
        all[to].focus();
    });
}

/* --- tables. Columns: {name, title, doc, unit, text(row), value(row), left}: value is what is sorted by and copied. */

function csvCell(x) {
    const s = x === null || x === undefined ? "" : String(x);
    return /[",\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
}
function csvOf(columns, rows) {
    const line = (cells) => cells.map(csvCell).join(",");
    return [line(columns.map((c) => c.name)), ...rows.map((r) => line(columns.map((c) => c.value(r))))].join("\n") + "\n";
}

async function copyText(text, button) {
    let ok = true;
    try {
        await navigator.clipboard.writeText(text);
    } catch (_) { ok = copyOld(text); }
    button.textContent = ok ? "Copied" : "Not copied";
    setTimeout(() => { button.textContent = "Copy as CSV"; }, 1500);
}
/* Pages opened from a file have no clipboard of their own in some browsers */
function copyOld(text) {
    const area = el("textarea", {class: "off"});
    area.value = text;
    document.body.append(area);
    area.select();
    const ok = document.execCommand("copy");
    area.remove();
    return ok;
}

function compareValues(a, b) {
    const none = (x) => x === null || x === undefined || x === "";
    if (none(a) || none(b)) return none(a) - none(b);
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});
}

/* Options: caption, filter (a search box), limit (rows drawn at first), rowOf(tr, row) */
function table(columns, rows, options = {}) {
    const body = el("tbody"), heads = [], state = {by: null, down: false, find: "", all: !options.limit};
    const shown = () => {
        let list = rows.slice();
        if (state.find)
            list = list.filter(
                (r) => columns.some((c) => String(c.text ? c.text(r) : c.value(r)).toLowerCase().includes(state.find)));
        if (state.by !== null)
            list.sort((a, b) => compareValues(columns[state.by].value(a), columns[state.by].value(b)) * (state.down ? -1 : 1));
        return list;
    };
    const cell = (c, r) => {
        const text = c.text ? c.text(r) : typeof c.value(r) === "number" ? exact(c.value(r)) : c.value(r);
        const td = el("td", {class: c.left ? "left" : null, "data-name": c.name},
                      c.node                                ? c.node(r)
                      : text === null || text === undefined ? ""
                                                            : text);
        if (typeof c.value(r) === "number") td.setAttribute("data-value", c.value(r));
        return td;
    };
    const more = el("button", {
        type: "button",
        class: "more",
        click: () => {
            state.all = true;
            draw();
        }
    });
    const draw = () => {
        const list = shown(), cut = state.all ? list : list.slice(0, options.limit);
        body.replaceChildren(...cut.map((r) => {
            const tr = el("tr", {}, columns.map((c) => cell(c, r)));
            if (options.rowOf) options.rowOf(tr, r);
            return tr;
        }));
        more.hidden = cut.length === list.length;
        more.textContent = "Show all " + exact(list.length) + " rows";
    };
    columns.forEach((c, i) => {
        const button = el("button", {
            type: "button",
            click: () => {
                state.down = state.by === i ? !state.down : typeof (rows[0] && c.value(rows[0])) === "number";
                state.by = i;
                heads.forEach((h, k) =>
                                  h.setAttribute("aria-sort", k === i ? (state.down ? "descending" : "ascending") : "none"));
                draw();
            },
        },
                          c.title || c.name);
        const th = el("th", {scope: "col", "aria-sort": "none", class: c.left ? "left" : null, "data-name": c.name}, button);
        if (c.unit) th.append(el("small", {}, c.unit));
        if (c.doc) tipOn(button, () => [c.doc]);
        heads.push(th);
    });
    const copy =
        el("button", {type: "button", class: "copy", click: () => copyText(csvOf(columns, shown()), copy)}, "Copy as CSV");
    const search = options.filter && el("input", {
                       type: "search",
                       placeholder: "Search",
                       "aria-label": "Search in this table",
                       input: (ev) => {
                           state.find = ev.target.value.toLowerCase();
                           draw();
                       },
                   });
    draw();
    const box = el("div", {class: "table"}, el("div", {class: "tools"}, search || null, copy),
                   el("div", {class: "scroll"},
                      el("table", {}, options.caption ? el("caption", {}, options.caption) : null,
                         el("thead", {}, el("tr", {}, heads)), body)),
                   more);
    box.csv = () => csvOf(columns, shown());
    return box;
}

/* --- figures: a chart with its table behind a button. draw(svg, width) returns the height; it is drawn again when
 * the figure's width changes much. */

const figures = [];

function figure(id, title, about, draw, columns, rows, options = {}) {
    const view = el("div", {class: "view"}),
          toggle = el("button", {type: "button", class: "toggle", "aria-pressed": "false"}, "Table");
    const f = el("figure", {id, class: options.wide ? "card wide" : "card"},
                 el("figcaption", {}, el("h3", {}, title), ...(options.controls || []), toggle),
                 about ? el("p", {class: "about"}, about) : null, view);
    let drawn = 0;
    const paint = () => {
        const width = Math.max(280, Math.round(view.clientWidth || (options.wide ? 1200 : 560)));
        const svg = document.createElementNS(SVG, "svg");
        view.replaceChildren(svg);
        drawn = width;
        const height = Math.ceil(draw(d3.select(svg), width, view));
        svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
        svg.setAttribute("role", "group");
        svg.setAttribute("aria-label", title + (about ? ". " + about : ""));
        marksWalk(svg);
    };
    const grid = () => table(columns, rows(), {filter: options.filter, limit: 200});
    toggle.addEventListener("click", () => {
        const on = toggle.getAttribute("aria-pressed") !== "true";
        toggle.setAttribute("aria-pressed", String(on));
        toggle.textContent = on ? "Chart" : "Table";
        if (on) view.replaceChildren(grid());
        else paint();
    });
    f.paint = () => {
        if (toggle.getAttribute("aria-pressed") !== "true") paint();
    };
    f.refit = () => {
        if (drawn && Math.abs(view.clientWidth - drawn) > 12) f.paint();
    };
    figures.push(f);
    return f;
}
let fitting = null;
addEventListener("resize", () => {
    clearTimeout(fitting);
    fitting = setTimeout(() => figures.forEach((f) => f.isConnected && f.refit()), 120);
});

/* A card with anything in it */
function card(id, title, about, ...children) {
    return el("section", {id, class: "card wide"}, el("h3", {}, title), about ? el("p", {class: "about"}, about) : null,
              ...children);
}

/* One of several, as buttons */
function choice(label, names, picked, pick) {
    const buttons = names.map((n) => el("button", {
                                  type: "button",
                                  "aria-pressed": String(n === picked),
                                  click: (ev) => {
                                      buttons.forEach((b) => b.setAttribute("aria-pressed", String(b === ev.target)));
                                      pick(n);
                                  },
                              },
                                        n));
    return el("span", {class: "choice", role: "group", "aria-label": label}, buttons);
}
