#!/usr/bin/env python3
"""Report pages in a headless Chromium: TAP lines, a case a name.

    tests/page/test_page.py BUILD [PICTURES]

With a folder PICTURES screenshots are left there, to be looked at.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
PICTURES = sys.argv[2] if len(sys.argv) > 2 else None
HEDDLE = os.path.join(BUILD, "heddle")
HERE = os.path.dirname(os.path.abspath(__file__))
failed = 0
cases = []


def case(function):
    cases.append(function)
    return function


def heddle(*args, code=0):
    r = subprocess.run([HEDDLE, *args], capture_output=True, text=True)
    assert r.returncode == code, f"heddle {' '.join(args)}: exit {r.returncode}\n{r.stderr}"
    return r


def same(a, b, what):
    assert a == b, f"{what}: {a!r} is not {b!r}"


def near(a, b, what):
    assert a is not None and b is not None and abs(a - b) <= 1e-9 * max(1, abs(a), abs(b)), f"{what}: {a!r} is not {b!r}"


def opened(b, path, seconds=60):
    took = b.open(path, seconds)
    same(b.js("document.documentElement.dataset.ready"), "yes", "ready")
    same(b.errors, [], "console")
    same([u for u in b.requests if not u.startswith(("file://" + os.path.abspath(path), "data:", "blob:"))], [], "requests")
    return took


def marks(b, figure):
    """The marks of a chart: [name, value]."""
    return b.js("[...document.querySelectorAll('#%s .mark')].map((m) => [m.dataset.name, m.dataset.value === '' ? null : +m.dataset.value])" % figure)


def cells(b, figure):
    """The table behind a chart, as its CSV has it."""
    b.click(f"#{figure} .toggle")
    text = b.js("document.querySelector('#%s .table').csv()" % figure)
    b.click(f"#{figure} .toggle")
    return [line.split(",") for line in text.strip().split("\n")]


def tip(b):
    return b.js("(() => { const t = document.querySelector('#tip.on'); return t ? t.textContent : null; })()")


def picture(b, name):
    if PICTURES:
        b.picture(os.path.join(PICTURES, name + ".png"))


# --- one run, element by element

@case
def numbers_are_the_results(b):
    heddle("run", "spmv", "--size", "tiny", "--machine", "gtx480", "--quiet", "--json", "spmv.json", "--html", "spmv.html")
    r = json.load(open("spmv.json"))
    opened(b, "spmv.html")
    picture(b, "memory-bound")
    for method in ("selected", "gsi", "proportional"):
        row = b.js("[...document.querySelectorAll('#cpi g[data-row=%s] .mark')].map((m) => [m.dataset.name, +m.dataset.value])" % method)
        same(dict(row), {k: float(v) for k, v in r["cpi"][method]["total"].items()}, "CPI stack " + method)
    shown = dict(marks(b, "states"))
    for name, x in shown.items():
        near(x, r["warp_time"][name], "warp state " + name)
    same(sorted(shown), sorted(n for n, x in r["warp_time"].items() if x > 0 and n != "no_warp")[:12] if len(shown) < 12 else sorted(shown), "warp states")
    same([x for _, x in marks(b, "lanes")], r["lanes"], "lanes")
    same(dict(marks(b, "mix")), r["instruction_mix"], "instruction mix")
    for name, x in marks(b, "energy"):
        near(x, r["energy"]["parts"][name], "energy of " + name)
    for name, x in marks(b, "hazards"):
        near(x, r["hazards"][name] / (r["cycles"] * r["config"]["gpu.sms"]), "hazard " + name)
    for name, x in marks(b, "dram"):
        same(x, r["counters"][name], name)
    for name, x in marks(b, "schedulers"):
        same(x, r["sched_cycles"][name], "schedulers " + name)
    tiles = dict(b.js("[...document.querySelectorAll('.tile')].map((t) => [t.dataset.name, +t.dataset.value])"))
    same(tiles["cycles"], r["cycles"], "cycles")
    for name in ("warp_ipc", "occupancy", "simd_efficiency", "l1_hit_rate", "l2_hit_rate", "dram_utilisation"):
        near(tiles[name], r["formulas"][name], name)
    near(tiles["energy"], r["energy"]["total"], "energy")
    links = dict(marks(b, "memory"))
    same(links["DRAM reads"], r["counters"]["dram_reads"] * r["config"]["dram.burst_b"], "DRAM reads")
    same(links["global and local"], r["counters"]["line_accesses"], "line accesses")
    occupancy = dict(marks(b, "occupancy"))
    near(occupancy["achieved"], r["formulas"]["occupancy"] * r["config"]["sm.warps"], "achieved occupancy")
    same(occupancy["possible"], r["occupancy"]["warps"], "possible occupancy")
    same(b.js("document.querySelector('.limit p').textContent"), r["kernels"][0]["limit"], "what limits it")


@case
def roofline_is_measured(b):
    r = json.load(open("spmv.json"))
    opened(b, "spmv.html")
    b.js("[...document.querySelectorAll('#roofline .choice button')].find((x) => x.textContent === 'FLOP').click()")
    points = dict(marks(b, "roofline"))
    k = r["kernels"][0]
    seconds = k["cycles"] / (r["config"]["gpu.core_mhz"] * 1e6)
    near(points[k["name"]], sum(k["flops"].values()) / seconds, "FLOP/s")
    near(points["DRAM bandwidth"], r["roofs"]["dram_bytes_per_second"], "DRAM roof")
    assert k["flops"]["fp32"] > 0, "spmv has no floating-point operations"


@case
def tables_stand_behind_charts(b):
    r = json.load(open("spmv.json"))
    opened(b, "spmv.html")
    rows = cells(b, "hazards")
    same({row[0]: float(row[1]) for row in rows[1:]}, {k: float(v) for k, v in r["hazards"].items()}, "hazards")
    n = b.js("document.querySelectorAll('figure').length")
    assert n >= 12, f"{n} figures"
    for i in range(n):  # each has a table, and comes back
        b.js("document.querySelectorAll('figure .toggle')[%d].click()" % i)
        assert b.js("document.querySelectorAll('figure')[%d].querySelectorAll('tbody tr').length" % i) > 0, f"figure {i} has no table"
        b.js("document.querySelectorAll('figure .toggle')[%d].click()" % i)
        assert b.js("document.querySelectorAll('figure')[%d].querySelectorAll('svg').length" % i) > 0, f"figure {i} has no chart"
    same(b.errors, [], "console")


@case
def tables_sort_search_and_copy(b):
    opened(b, "spmv.html")
    b.click("#numbers .more")
    column = "[...document.querySelectorAll('#numbers tbody td[data-name=value]')].map((t) => t.dataset.value === undefined ? null : +t.dataset.value)"
    b.click("#numbers th[data-name=value] button")
    values = [x for x in b.js(column) if x is not None]
    same(values, sorted(values, reverse=True), "sorted once")
    same(b.js("document.querySelector('#numbers th[data-name=value]').getAttribute('aria-sort')"), "descending", "aria-sort")
    b.click("#numbers th[data-name=value] button")
    values = [x for x in b.js(column) if x is not None]
    same(values, sorted(values), "sorted twice")
    b.js("(() => { const i = document.querySelector('#numbers input'); i.value = 'l1_'; i.dispatchEvent(new Event('input')); })()")
    names = b.js("[...document.querySelectorAll('#numbers tbody td[data-name=name]')].map((t) => t.textContent)")
    assert "l1_hit_rate" in names and "ctas" not in names, names
    text = b.js("document.querySelector('#numbers .table').csv()")
    same(text.split("\n")[0], "name,value,unit,kind,meaning", "head of the CSV")
    assert any(line.startswith("l1_hit_rate,") for line in text.split("\n")), text


@case
def hover_and_keys_explain(b):
    r = json.load(open("spmv.json"))
    opened(b, "spmv.html")
    b.hover("#cpi g[data-row=proportional] .mark[data-name=memory_data]")
    text = tip(b)
    assert text and "A result of memory is awaited." in text, text
    b.hover(".tile[data-name=l1_hit_rate]")
    assert "Hits over accesses of the L1 data cache." in tip(b), tip(b)
    b.hover("h1")
    b.js("document.querySelector('#states .mark').focus()")
    first = b.js("document.activeElement.dataset.name")
    assert tip(b) and first in tip(b), tip(b)
    b.press("ArrowDown")
    second = b.js("document.activeElement.dataset.name")
    assert second != first and second in r["warp_time"], second
    b.press("End")
    b.press("ArrowRight")
    same(b.js("document.activeElement.dataset.name"), first, "after the last mark the first")
    b.press("Escape")
    same(tip(b), None, "after Escape")
    b.js("document.querySelector('#cpi .toggle').focus()")
    b.press("Enter")
    assert b.js("!!document.querySelector('#cpi table')"), "Enter on the button shows no table"
    # every chart can be entered with Tab
    same(b.js("[...document.querySelectorAll('figure svg')].filter((s) => s.querySelector('.mark') && !s.querySelector('.mark[tabindex=\"0\"]')).length"), 0, "charts without a way in")


@case
def light_dark_and_paper(b):
    opened(b, "spmv.html")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = b.js(colour)
    b.media("dark")
    dark = b.js(colour)
    assert light != dark, light
    picture(b, "dark")
    b.click("#theme")
    same(b.js(colour), light, "the button over the setting")
    b.media(None, "print")
    same(b.js(colour), "rgb(255, 255, 255)", "paper")
    same(b.js("getComputedStyle(document.querySelector('nav')).display"), "none", "navigation on paper")
    b.media()
    pdf = b.paper()
    assert pdf.startswith(b"%PDF") and len(pdf) > 20000, len(pdf)


@case
def old_browsers_unpack_it_themselves(b):
    script = b.call("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")["identifier"]
    opened(b, "spmv.html")
    same(b.js("typeof DecompressionStream"), "undefined", "DecompressionStream")
    same(b.js("page.data.runs[0].cycles"), json.load(open("spmv.json"))["cycles"], "cycles")
    b.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


# --- source, time, pipeline

@case
def source_has_every_instruction(b):
    r = json.load(open("spmv.json"))
    k = r["kernels"][0]
    opened(b, "spmv.html")
    time = {p["pc"]: sum(p["warp_time"].values()) for p in k["by_pc"]}
    shown = b.js("[...document.querySelectorAll('#source .rows .line')].map((e) => [+e.dataset.pc, +e.dataset.value])")
    assert len(shown) >= min(30, len(time)), len(shown)
    same(b.js("[...document.querySelectorAll('#source .rows .line')].every((e) => e.offsetHeight > 0)"), True, "every row is seen")
    for pc, x in shown:
        near(x, time[pc], f"warp time of pc {pc}")
    b.click("#source .heads button[data-name=share]")
    hottest = max(time, key=time.get)
    same(b.js("+document.querySelector('#source .rows .line').dataset.pc"), hottest, "sorted by warp time")
    b.js("[...document.querySelectorAll('#source .tools button')].find((x) => x.textContent === 'Program order').click()")
    b.click("#hottest")
    same(b.js("+document.querySelector('#source .line.here').dataset.pc"), hottest, "the hottest line")
    b.js("document.querySelector('#source .source').focus()")
    b.press("Home")
    b.press("ArrowDown")
    same(b.js("+document.querySelector('#source .line.here').dataset.pc"), sorted(time)[1], "cursor keys")
    b.js("(() => { const i = document.querySelector('#source input'); i.value = 'ld.global'; i.dispatchEvent(new Event('input')); })()")
    found = b.js("[...document.querySelectorAll('#source .rows .c-text')].map((e) => e.textContent)")
    same(len(found), sum("ld.global" in p["text"] for p in k["by_pc"]), "search")


@case
def time_adds_up_and_zooms(b):
    r = json.load(open("spmv.json"))
    k = r["kernels"][0]
    t, s = k["time"], k["time"]["samples"]
    at = {c: i for i, c in enumerate(s["columns"])}
    same(sum(row[at["warp_instructions"]] for row in s["rows"]), k["counters"]["warp_instructions"], "instructions of the intervals")
    same(s["rows"][-1][at["cycle"]], k["cycles"], "end of the last interval")
    same(sum(map(sum, t["sms"]["instructions"])), k["counters"]["warp_instructions"], "instructions of the SMs")
    same(t["blocks"]["in_all"], k["counters"]["ctas"], "blocks")
    same(max(row[3] for row in t["blocks"]["rows"]) <= k["cycles"], True, "blocks end with the launch")
    for name, x in k["warp_time"].items():
        assert abs(sum(row[at[name]] for row in s["rows"]) - x) <= 0.01 * len(s["rows"]) + 1e-6 * x, name
    opened(b, "spmv.html")
    areas = dict(b.js("[...document.querySelectorAll('#time-causes .area')].map((p) => [p.dataset.name, +p.dataset.value])"))
    for name, x in areas.items():
        near(x, sum(row[at[name]] for row in s["rows"]), "area of " + name)
    same(dict(marks(b, "time-blocks"))["SM 0"], sum(row[1] == 0 for row in t["blocks"]["rows"]), "blocks of SM 0")
    same(dict(marks(b, "time-sms"))["SM 1"], sum(row[1] for row in t["sms"]["instructions"]), "instructions of SM 1")
    x, y = b.place("#time-causes .brush .overlay")
    width = b.js("document.querySelector('#time-causes .brush .overlay').getBoundingClientRect().width")
    b.drag(x - width / 4, y, x + width / 4, y)
    less = dict(b.js("[...document.querySelectorAll('#time-causes .area')].map((p) => [p.dataset.name, +p.dataset.value])"))
    share = sum(less.values()) / sum(areas.values())
    assert 0.4 < share < 0.65, f"the brush shows {share:.2f} of the time"
    b.js("document.querySelector('#time-causes .over').focus()")
    b.press("ArrowRight")
    assert "cycles" in (tip(b) or ""), tip(b)
    b.press("Escape")
    again = dict(b.js("[...document.querySelectorAll('#time-causes .area')].map((p) => [p.dataset.name, +p.dataset.value])"))
    same(again, areas, "all again")
    same(b.errors, [], "console")


@case
def long_launches_have_longer_intervals(b):
    heddle("run", "nqueens", "--size", "small", "--machine", "gtx480", "--quiet", "--timeline", "--json", "long.json")
    k = json.load(open("long.json"))["kernels"][0]
    s, sms = k["time"]["samples"], k["time"]["sms"]
    at = {c: i for i, c in enumerate(s["columns"])}
    assert 1024 <= len(s["rows"]) < 2048, len(s["rows"])
    same(s["rows"][1][0], 2 * s["rows"][0][0], "even intervals")
    for name in ("warp_instructions", "warp_cycles", "l1_accesses"):
        same(sum(row[at[name]] for row in s["rows"]), k["counters"][name], name + " of all intervals")
    same(sum(map(sum, sms["warp_cycles"])), k["counters"]["warp_cycles"], "warps of the SMs")
    assert len(sms["cycles"]) <= 256, len(sms["cycles"])


@case
def pipeline_shows_stages(b):
    k = json.load(open("spmv.json"))["kernels"][0]
    opened(b, "spmv.html")
    rows, columns = k["pipeline"]["rows"], k["pipeline"]["columns"]
    issue, slot = columns.index("issue"), columns.index("slot")
    same([row[issue] for row in rows], sorted(row[issue] for row in rows), "in order of issue")
    b.js("[...document.querySelectorAll('#pipeline-window .choice button')].find((x) => x.textContent === 'by issue').click()")
    shown = [x for _, x in marks(b, "pipeline-window")]
    same(shown, [row[issue] for row in rows][:len(shown)], "issues")
    assert len(shown) == min(150, len(rows)), len(shown)
    b.hover("#pipeline-window .mark")
    assert "warp slot" in tip(b), tip(b)
    assert len({row[slot] for row in rows}) > 1, "one warp only"


@case
def large_runs_are_drawn_in_two_seconds(b):
    r = json.load(open("spmv.json"))
    k = r["kernels"][0]
    rows = k["time"]["samples"]["rows"]
    k["time"]["samples"]["rows"] = [[(i + 1) * 100 if c == 0 else rows[i % len(rows)][c] + i % 7 for c in range(len(rows[0]))] for i in range(10000)]
    k["by_pc"] = [{**k["by_pc"][i % len(k["by_pc"])], "pc": i} for i in range(5000)]
    json.dump(r, open("large.json", "w"))
    heddle("report", "large.json", "-o", "large.html")
    took = min(opened(b, "large.html") for _ in range(2))
    print(f"# 10,000 samples and 5,000 instructions: {took:.2f} s, {os.path.getsize('large.html')} bytes")
    same(b.js("page.run.kernels[0].by_pc.length"), 5000, "instructions")
    assert "10\u2009000 intervals" in b.js("document.querySelector('#time .about').textContent")
    assert took < 2, f"{took:.2f} s"


# --- other runs

@case
def hostile_names_stay_names(b):
    evil = "</script><script>window.evil=1</script><img src=x onerror=window.evil=2>\"'&{{x}}"
    r = json.load(open("spmv.json"))
    r["name"] = r["machine"] = r["error"] = evil
    r["keys"] = {evil: evil}
    for k in r["kernels"] + r["launches"]:
        k["name"] = k["kernel"] = k["limit"] = evil
        for row in k.get("by_pc", []):
            row["text"] = row["file"] = evil
    r["instruction_mix"][evil] = 5
    json.dump(r, open("evil.json", "w"))
    heddle("report", "evil.json", "spmv.json", "-o", "evil.html")
    opened(b, "evil.html")
    same(b.js("window.evil"), None, "a name ran")
    same(b.js("document.querySelectorAll('img').length"), 0, "a name became an element")
    assert evil in b.js("document.querySelector('#pick-run').textContent"), "the name is not shown"


@case
def failing_run_says_why(b):
    text = open(os.path.join(HERE, "..", "..", "examples", "kernel.ptx")).read()
    open("kernel.ptx", "w").write(text)
    open("launch.json", "w").write(open(os.path.join(HERE, "..", "..", "examples", "launch.json")).read())
    heddle("run", "kernel.ptx", "--manifest", "launch.json", "--machine", "small", "--quiet", "--html", "fails.html", code=3)
    opened(b, "fails.html")
    picture(b, "failing")
    assert "just past the end" in b.js("document.querySelector('.banner.bad').textContent")


@case
def functional_run_has_a_page(b):
    heddle("run", "vecadd", "--size", "tiny", "--functional", "--quiet", "--html", "functional.html")
    opened(b, "functional.html")
    assert "no timing" in b.js("document.querySelector('#overview').textContent")


@case
def remark_of_a_program_is_shown(b):
    open("end.bin", "wb").write(bytes([0x6B, 0, 0, 0]))  # tmc 0
    for diverge, said in (("ipdom", True), ("split", False)):
        heddle("run", "end.bin", "--machine", "vortex2021", "--set", "isa.vortex.diverge=" + diverge, "--quiet", "--html", "end.html")
        opened(b, "end.html")
        same(b.js("document.body.textContent.includes('has not paid for split and join')"), said, diverge)


@case
def comparison_of_twelve(b):
    heddle("compare", "bfs", "--size", "tiny", "--machine", "gtx480", "--quiet", "--vary", "sm.sched=lrr,gto,two_level,oldest",
           "--vary", "sm.l1.mshrs=8,32,128", "--html", "twelve.html", "--json", "twelve.json")
    rows = json.load(open("twelve.json"))["programs"][0]["configurations"]
    opened(b, "twelve.html")
    picture(b, "twelve")
    shown = marks(b, "speedup")
    same(len(shown), 12, "runs")
    for (_, x), row in zip(shown, rows):
        near(x, row["speedup"], "speedup")
    parts = b.js("[...document.querySelectorAll('#cpis g[data-row]')].map((g) => [...g.querySelectorAll('.mark')].map((m) => +m.dataset.value))")
    for p, row in zip(parts, rows):
        same(p, [float(x) for x in row["cpi"]["proportional"]["total"].values()], "stack")
    b.js("(() => { const s = document.querySelector('#speedup select'); s.value = '3'; s.dispatchEvent(new Event('change')); })()")
    near(marks(b, "speedup")[0][1], rows[3]["cycles"] / rows[0]["cycles"], "speedup against another base")
    b.click("#runs tbody tr:nth-child(5)")
    same(b.js("page.run.cycles"), rows[4]["cycles"], "the run of the row")
    same(b.errors, [], "console")


@case
def results_without_a_machine_are_shown(b):
    """A comparison's JSON has machine and roofs; one of an older version has not, and is shown without them."""
    old = json.load(open("twelve.json"))
    for row in old["programs"][0]["configurations"]:
        for key in ("config", "roofs", "limit", "energy"):
            del row[key]
    json.dump(old, open("old.json", "w"))
    for name, roofs in (("twelve", True), ("old", False)):
        heddle("report", name + ".json", "-o", "rows.html")
        opened(b, "rows.html")
        same(len(marks(b, "speedup")), 12, "runs of a comparison's JSON")
        same(b.js("!!document.getElementById('roofline')"), roofs, "a roofline from the JSON of " + name)
        same(b.js("document.querySelectorAll('.failed').length"), 0, "parts that could not be drawn")


@case
def study_has_statements_and_figures(b):
    heddle("study", os.path.join(HERE, "..", "sweep", "small_study.ini"), "--quiet", "--out", ".", "--html", "study.html")
    opened(b, "study.html")
    picture(b, "study")
    lines = [re.split(r" *\| *", line.strip("| \n")) for line in open("small_study.md") if line.startswith("| ")]
    said = next(line for line in lines if line[0] == "GTO" and "±" in line[1])
    row = b.js("[...document.querySelectorAll('#statements tbody tr:first-child td')].map((td) => td.textContent)")
    same([row[0], row[3], row[4], row[5]], [said[0], said[3], said[4], said[5]], "the first statement")
    speeds = {line[0].strip("*"): [float(x) for x in line[1:] if x != "-"] for line in lines if len(line) == 3 and re.match(r"[\d.]+$", line[1])}
    shown = marks(b, "figure-speed")
    same(len(shown), sum(len(v) for v in speeds.values()), "bars")
    for name, x in shown:
        row, title = next((r, name[len(r) + 1:]) for r in speeds if name.startswith(r + " "))
        assert any(abs(x - y) < 0.0006 for y in speeds[row]), (name, x, speeds[row], title)
    b.click("#figure-speed .toggle")
    same(b.js("document.querySelectorAll('#figure-speed tbody tr').length"), len(speeds), "rows of the table view")
    assert b.js("page.data.runs.length") >= 20, "the runs stand below"
    same(b.errors, [], "console")


@case
def strange_results_do_not_break_the_page(b):
    """Whatever stands where numbers and lists should be, the page says what it cannot draw and draws the rest."""
    r = json.load(open("spmv.json"))
    for i, key in enumerate(("counters", "cpi", "warp_time", "lanes", "config", "roofs", "energy", "occupancy", "hazards", "launches", "instruction_mix")):
        for strange in (None, 7, "text", []):
            json.dump({**r, key: strange, "label": f"{key} {strange!r}"}, open(f"strange{i}.json", "w"))
            heddle("report", f"strange{i}.json", "-o", "strange.html")
            b.open("strange.html")
            same(b.errors, [], f"console with {key}: {strange!r}")
            assert b.js("!!document.getElementById('overview') && !!document.querySelector('#sections')"), f"no page with {key}: {strange!r}"


@case
def repetitions_have_whiskers(b):
    r = json.load(open("spmv.json"))
    names = []
    for i, cycles in enumerate((1000, 1100, 900)):
        names.append(f"rep{i}.json")
        json.dump({**r, "label": "perturbed", "keys": {"a": "1"}, "cycles": cycles}, open(names[-1], "w"))
    json.dump({**r, "label": "base", "keys": {"a": "0"}, "cycles": 2000}, open("base.json", "w"))
    heddle("report", "base.json", *names, "-o", "jitter.html")
    opened(b, "jitter.html")
    near(dict(marks(b, "speedup"))["perturbed"], 2.0, "speedup of the mean")
    same(b.js("document.querySelectorAll('#speedup .whisker').length"), 1, "whiskers")


@case
def page_is_small_without_data(b):
    size, data = os.path.getsize("spmv.html"), b.js("document.getElementById('data').textContent.length")
    assert size - data < 1000000, size - data


def main():
    global failed
    with tempfile.TemporaryDirectory() as work:
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
        pictures = os.path.abspath(PICTURES) if PICTURES else None
        globals()["PICTURES"] = pictures
        os.chdir(work)
        b = Browser()
        try:
            for test in cases:
                name = "page " + test.__name__.replace("_", " ")
                try:
                    b.media()
                    test(b)
                    print("ok " + name, flush=True)
                except Exception as e:  # noqa: BLE001: whatever it is, the others run
                    failed += 1
                    print(f"not ok {name}\n# " + f"{type(e).__name__}: {e}".replace("\n", "\n# ")[:2000], flush=True)
        finally:
            b.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
