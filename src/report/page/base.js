"use strict";
/* The report page: what every part of it stands on. Unpacking the data, numbers as text, names and their
 * meaning, elements.
 *
 *   base.js       this
 *   widgets.js    tooltip, sortable tables, figures with a table view, moving through marks with keys
 *   charts.js     bars, stacks and axes, on D3
 *   overview.js   one run: what limits it, and the charts of its counters
 *   source.js     its instructions, with heat
 *   time.js       its intervals, SMs and blocks by time
 *   pipeline.js   its first cycles, an instruction a row
 *   compare.js    several runs side by side
 *   study.js      a study's statements and figures
 *   main.js       which run and kernel are shown; the page itself
 *
 * Text of a result is only ever set as text (textContent) or attribute, never as markup. Every mark of a chart
 * carries data-name and data-value, the name and the number of the result that it stands for. */

/* --- elements */

const SVG = "http://www.w3.org/2000/svg";

/* An element with attributes and children; children are elements or text. Handlers are given as functions. */
function el(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (typeof value === "function") e.addEventListener(name, value);
        else if (value === true) e.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined) e.setAttribute(name, value);
    }
    e.append(...children.flat().filter((c) => c !== null && c !== undefined).map((c) => (c instanceof Node ? c : String(c))));
    return e;
}

/* --- data */

/* Deflate, for browsers without DecompressionStream: RFC 1951 inside RFC 1950. Throws on what it cannot read. */
function inflate(bytes) {
    const lengthBase =
        [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
    const lengthExtra = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
    const farBase = [
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577
    ];
    const farExtra = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
    const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let at = 2, hold = 0, held = 0, out = new Uint8Array(bytes.length * 8), n = 0;
    const bits = (want) => {
        while (held < want) {
            if (at >= bytes.length) throw new Error("the data of this page is cut off");
            hold |= bytes[at++] << held;
            held += 8;
        }
        const x = hold & ((1 << want) - 1);
        hold >>>= want;
        held -= want;
        return x;
    };
    /* Canonical codes: how many of each length, and the symbols in order */
    const tree = (lengths) => {
        const count = new Uint16Array(16), first = new Uint16Array(16), symbols = new Uint16Array(lengths.length);
        for (const l of lengths) count[l]++;
        count[0] = 0;
        for (let i = 1; i < 16; i++) first[i] = first[i - 1] + count[i - 1];
        lengths.forEach((l, s) => {
            if (l) symbols[first[l]++] = s;
        });
        return {count, symbols};
    };
    const symbol = (t) => {
        let code = 0, start = 0, index = 0;
        for (let l = 1; l < 16; l++) {
            code |= bits(1);
            if (code - start < t.count[l]) return t.symbols[index + code - start];
            index += t.count[l];
            start = (start + t.count[l]) << 1;
            code <<= 1;
        }
        throw new Error("the data of this page is damaged");
    };
    const put = (b) => {
        if (n === out.length) {
            const more = new Uint8Array(n * 2);
            more.set(out);
            out = more;
        }
        out[n++] = b;
    };
    const dynamic = () => {
        const nlit = bits(5) + 257, nfar = bits(5) + 1, ncode = bits(4) + 4, lengths = new Uint8Array(19), all = [];
        for (let i = 0; i < ncode; i++) lengths[order[i]] = bits(3);
        const t = tree(lengths);
        while (all.length < nlit + nfar) {
            const s = symbol(t);
            if (s < 16) all.push(s);
            else {
                const again = s === 16   ? 3 + bits(2)
                              : s === 17 ? 3 + bits(3)
                                         : 11 + bits(7),
                      what = s === 16 ? all[all.length - 1] : 0;
                for (let i = 0; i < again; i++) all.push(what);
            }
        }
        return [tree(all.slice(0, nlit)), tree(all.slice(nlit, nlit + nfar))];
    };
    const fixed = () => [tree(Array.from({length: 288}, (_, i) => (i < 144   ? 8
                                                                   : i < 256 ? 9
                                                                   : i < 280 ? 7
                                                                             : 8))),
                         tree(new Array(30).fill(5)),
    ];
    const stored = () => {
        hold = held = 0;
        const length = bytes[at] | (bytes[at + 1] << 8);
        at += 4;
        for (let i = 0; i < length; i++) put(bytes[at++]);
    };
    for (let last = 0; !last;) {
        last = bits(1);
        const kind = bits(2);
        if (kind === 0) {
            stored();
            continue;
        }
        const [literals, fars] = kind === 1 ? fixed() : dynamic();
        for (let s = symbol(literals); s !== 256; s = symbol(literals)) {
            if (s < 256) {
                put(s);
                continue;
            }
            const length = lengthBase[s - 257] + bits(lengthExtra[s - 257]), f = symbol(fars),
                  far = farBase[f] + bits(farExtra[f]);
            for (let i = 0; i < length; i++) put(out[n - far]);
        }
    }
    return out.subarray(0, n);
}

/* The page's data: base64, deflate, JSON */
async function unpack(text) {
    const raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    if (typeof DecompressionStream === "undefined") return JSON.parse(new TextDecoder().decode(inflate(bytes)));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
}

/* What is no result of heddle's own may hold anything: fields of another kind than they should be are as if absent. */
function sound(of) {
    const isObject = (x) => typeof x === "object" && x !== null && !Array.isArray(x);
    for (const name of ["counters", "formulas", "cpi", "warp_time", "sched_cycles", "hazards", "lanes_lost", "energy",
                        "occupancy", "instruction_mix", "config", "roofs", "flops", "keys", "time", "pipeline"])
        if (name in of && !isObject(of[name])) delete of[name];
    for (const name of ["lanes", "occupied", "launches", "kernels", "by_pc"])
        if (name in of && !Array.isArray(of[name])) delete of[name];
    for (const name of ["name", "label", "machine", "error", "limit"])
        if (of[name] !== undefined && typeof of[name] !== "string") delete of[name];
    const roofs = ["issues_per_second", "fp32_flops_per_second", "l2_bytes_per_second", "dram_bytes_per_second"];
    if (of.roofs && !roofs.every((n) => isNumber(of.roofs[n]) && of.roofs[n] > 0)) delete of.roofs;
    if (of.energy && !(isObject(of.energy.parts) && isNumber(of.energy.total))) delete of.energy;
    of.kernels = (of.kernels || []).filter(isObject);
    of.kernels.forEach((k) => k.kernels === undefined && sound(k));
    if (of.launches) of.launches = of.launches.filter(isObject);
    return of;
}

/* --- numbers as text */

const THIN = "\u2009";

function isNumber(x) { return typeof x === "number" && isFinite(x); }

/* All digits, in groups of three; fractions to six digits. Never rounds an integer. */
function exact(x) {
    if (!isNumber(x)) return "n/a";
    if (Number.isInteger(x)) return String(Math.abs(x)).replace(/\B(?=(\d{3})+$)/g, THIN).replace(/^/, x < 0 ? "\u2212" : "");
    const a = Math.abs(x);
    return a !== 0 && (a < 1e-4 || a >= 1e15) ? x.toExponential(3) : String(Number(x.toPrecision(6)));
}

/* Three digits and a prefix: 1.23 M. Below one only what has a unit gets a prefix: 0.88 is no 880 m. */
function short(x, unit) {
    if (!isNumber(x)) return "n/a";
    if (!unit && Math.abs(x) < 1000) return String(Number(x.toPrecision(3)));
    const a = Math.abs(x), steps = [
        [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"],
        [1e-12, "p"]
    ];
    const whole = Number.isInteger(x) && a < 1000;
    const [scale, prefix] = a === 0 || whole ? [1, ""] : steps.find(([s]) => a >= s) || steps[steps.length - 1];
    const digits = whole ? String(x) : String(Number((x / scale).toPrecision(3)));
    return digits + (prefix || unit ? THIN + prefix : "") + (unit || "");
}

function percent(x) { return isNumber(x) ? (100 * x).toFixed(1) + THIN + "%" : "n/a"; }

/* A number of a result with its unit: ratios as shares */
function withUnit(x, unit) {
    if (!isNumber(x)) return "n/a";
    if (unit === "ratio") return percent(x);
    return exact(x) + (unit ? THIN + unit : "");
}

/* --- what names mean: the tables of heddle, packed with the data */

const tables = {
    metric: new Map(),
    stall: new Map(),
    cpi: new Map(),
    hazard: new Map(),
    keys: {},
    classes: {},
    methods: []
};

function learn(t) {
    for (const [name, unit, kind, doc] of t.metrics)
        if (!tables.metric.has(name)) tables.metric.set(name, {name, unit, kind, doc});
    for (const [name, part, doc] of t.stalls) tables.stall.set(name, {name, part, doc});
    for (const [name, doc] of t.cpi) tables.cpi.set(name, {name, doc});
    for (const [name, doc] of t.hazards) tables.hazard.set(name, {name, doc});
    tables.keys = t.keys;
    tables.classes = t.classes;
    tables.methods = t.methods;
}

/* The sentence of heddle explain, "" for what it does not know */
function explain(name) {
    const row = tables.metric.get(name) || tables.stall.get(name) || tables.cpi.get(name) || tables.hazard.get(name);
    return row ? row.doc : "";
}
function unitOf(name) { return (tables.metric.get(name) || {unit: ""}).unit; }

/* A counter or formula of a run, kernel or launch; null where there is none */
function value(of, name) {
    if (name === "cycles") return isNumber(of.cycles) ? of.cycles : null;
    for (const part of ["formulas", "counters"])
        if (of[part] && isNumber(of[part][name])) return of[part][name];
    return null;
}

function sum(numbers) { return numbers.reduce((a, b) => a + (isNumber(b) ? b : 0), 0); }
function ratio(a, b) { return isNumber(a) && isNumber(b) && b !== 0 ? a / b : null; }

/* --- colours. A cause has the hue of its part of the CPI stack, so that stacks and states read alike. */

const partColours = {
    base: "#2e9e5b",
    no_warp: "#9aa4ae",
    sync_control: "#8e63ce",
    empty_ibuffer: "#b57a3a",
    memory_data: "#2f7ed8",
    memory_structural: "#1d4f91",
    compute_data: "#e8933a",
    compute_structural: "#d1495b",
    missed_schedule: "#d8b72c",
    order_structural: "#17a2b8",
    data_structural: "#7d6aa5",
};
const series = ["#2f7ed8", "#e8933a", "#2e9e5b", "#8e63ce", "#d1495b", "#17a2b8", "#b57a3a", "#d8b72c", "#e377c2", "#9aa4ae"];

/* A part that a later table has and this list does not gets a colour by its place */
function partColour(name) {
    return partColours[name] || series[[...tables.cpi.keys()].indexOf(name) % series.length] || "#9aa4ae";
}

function stallColour(name) {
    const row = tables.stall.get(name);
    if (!row) return "#9aa4ae";
    const same = [...tables.stall.values()].filter((s) => s.part === row.part).map((s) => s.name);
    const colour = d3.hcl(partColour(row.part)), place = same.indexOf(name);
    return d3.hcl(colour.h, colour.c, Math.min(88, colour.l + 11 * place)).toString();
}

/* Ink that can be read on a colour */
function inkOn(colour) { return d3.lab(colour).l > 62 ? "#14181d" : "#ffffff"; }
