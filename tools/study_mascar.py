#!/usr/bin/env python3
"""Mascar and its rivals (HPCA 2015) on our kernels, on gtx480: runs everything and writes docs/studies/mascar.md with its pictures.

    tools/study_mascar.py [--build DIR] [--work DIR] [--out DIR] [--jobs N] [--only NAME,...] [--limit SECONDS]

Every bundled workload (size small) and every recorded application is run; nothing is chosen. --work keeps what has been run, so that a second call does only what is missing;
empty it after a change of the simulator. Needs `make all data`."""
import argparse, concurrent.futures, json, math, os, pathlib, subprocess, sys

MASCAR = ["sm.sched=mascar", "sm.lsu.reexec=32"]
MORE_A = ["sm.l1.mshrs=10240", "sm.l1.miss_queue=10240", "l2.mshrs=10240", "l2.queue=10240", "dram.queue=10240", "noc.credits=10240"]
MORE_B = ["sm.l1.sets=1", "sm.l1.ways=256", "l2.sets=1", "l2.ways=512"]
MORE_C = ["gpu.dram_mhz=1109"]
FOR_ALL = {  # configuration: keys
    "lrr": ["sm.sched=lrr", "stats.blocked_hits=true"],
    "gto": ["sm.sched=gto"],
    "two_level": ["sm.sched=two_level"],
    "owl": ["sm.sched=owl"],
    "ccws": ["sm.sched=ccws"],
    "lrr_re": ["sm.sched=lrr", "sm.lsu.reexec=32"],
    "mascar_sched": ["sm.sched=mascar"],
    "mascar": MASCAR,
    "large_l1": ["sm.sched=lrr", "sm.l1.sets=1024"],
}
FOR_MEMORY = {  # programs with a saturating kernel only
    "gto_re": ["sm.sched=gto", "sm.lsu.reexec=32"],
    "re8": ["sm.sched=mascar", "sm.lsu.reexec=8"],
    "re16": ["sm.sched=mascar", "sm.lsu.reexec=16"],
    "re64": ["sm.sched=mascar", "sm.lsu.reexec=64"],
    "re_lrr64": ["sm.sched=lrr", "sm.lsu.reexec=64"],
    "use": MASCAR + ["sm.sched.mascar.handover=use"],
    "early": MASCAR + ["sm.sched.mascar.mshr_percent=50", "sm.sched.mascar.queue_percent=50"],
    "more_a": MORE_A,
    "more_b": MORE_B,
    "more_c": MORE_C,
    "more_d": MORE_A + MORE_B + MORE_C,
    "no_stall": ["sm.sched=lrr", "sm.l1.mshrs=1024", "sm.l1.miss_queue=1024"],
}
SCHEMES = [("gto", "GTO"), ("two_level", "two-level"), ("owl", "OWL"), ("ccws", "CCWS"), ("lrr_re", "re-exec"), ("mascar_sched", "Mascar, sched."), ("mascar", "Mascar")]
LIKE = {  # our kernels written after those of the document's table III
    "bfs/bfs_level": "bfs", "kmeans/kmeans_swap": "kmeans-1", "kmeans/kmeans_assign": "kmeans-2", "lbm/lbm_step": "lbm", "spmv": "spmv", "srad/srad_coefficient": "srad-1", "srad/srad_update": "srad-2",
    "backprop/backprop_adjust": "BP-2", "backprop/backprop_forward": "BP-1", "mummer/mummer_match": "mummer", "mummer": "mummer", "sad/sad_4x4": "sad-1", "sad/sad_pairs": "sad-2", "particlefilter/particle_weigh": "particle", "lavamd": "lavaMD",
    "pathfinder": "PF", "sgemm": "sgemm", "stencil": "stencil",
}
LEAST_CYCLES, LEAST_SHARE, MEMORY_INTENSIVE, SATURATING, SENSITIVE = 10000, 0.05, 30, 0.1, 1.2


# --- running

def programs(a):
    """name -> what `heddle run` takes"""
    listing = subprocess.run([a.heddle, "list", "workloads"], check=True, capture_output=True, text=True).stdout
    found = {line.split()[0]: line.split()[0] for line in listing.splitlines()[1:]}
    for manifest in sorted(pathlib.Path("build/data/silicon_apps/manifest").glob("*.json")):
        found["app_" + manifest.stem] = str(manifest)
    return {n: found[n] for n in found if not a.only or n in a.only.split(",")}


def run(a, name, program, conf, keys):
    kept = pathlib.Path(a.work, f"{name}.{conf}.json")
    if not kept.exists():
        made = kept.with_suffix(".new")
        command = [a.heddle, "run", program, "--machine", "gtx480", "--quiet", "--json", str(made)]
        for key in keys:
            command += ["--set", key]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=a.limit)
        except subprocess.TimeoutExpired:
            print(f"study_mascar: {name} {conf}: more than {a.limit} s, left out", file=sys.stderr)
            return
        if done.returncode:
            print(f"study_mascar: {name} {conf}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return
        full = json.loads(made.read_text())
        slim = {k: full[k] for k in ("checksum_ok", "cycles", "config_hash")}
        slim["kernels"] = [{k: one[k] for k in ("name", "cycles", "warp_instructions", "counters", "formulas", "energy")} for one in full["kernels"] if "counters" in one]
        kept.write_text(json.dumps(slim))
        made.unlink()
    return json.loads(kept.read_text())


def run_all(a, todo):
    """todo: (name, program, conf, keys); -> {(name, conf): result}"""
    out = {}
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        waiting = {pool.submit(run, a, *t): t for t in todo}
        for i, one in enumerate(concurrent.futures.as_completed(waiting)):
            name, _, conf, _ = waiting[one]
            if one.result():
                out[name, conf] = one.result()
            if sys.stderr.isatty():
                print(f"\r{i + 1} of {len(waiting)} runs ", end="", file=sys.stderr)
    return out


# --- kernels and their figures

class Kernel:
    def __init__(self, name, base):
        self.name, self.at = name, {"lrr": base}
        per_miss = base["formulas"]["instructions_per_miss"]
        self.per_miss = math.inf if per_miss is None else per_miss
        self.memory = self.per_miss <= MEMORY_INTENSIVE
        self.saturating = self.memory and self.f("lrr", "lsu_stall_fraction") >= SATURATING
        self.sensitive = False

    def f(self, conf, key):
        return self.at[conf]["formulas"][key] or 0

    def c(self, conf, key):
        return self.at[conf]["counters"][key]

    def speedup(self, conf):
        return self.at["lrr"]["cycles"] / self.at[conf]["cycles"] if conf in self.at else None

    def energy(self, conf, group=None):
        e = self.at[conf]["energy"]
        return e["groups"][group] if group else e["total"]

    @property
    def kind(self):
        return "C" if not self.memory else "M, not saturating" if not self.saturating else "M, sensitive" if self.sensitive else "M"

    @property
    def title(self):
        return self.name + (f" ({LIKE[self.name]})" if self.name in LIKE else "")


def kernels_by_id(results):
    """Kernels that matter in their program, by program and name"""
    found = {}
    for (name, conf), result in results.items():
        if conf != "lrr":
            continue
        for k in result["kernels"]:
            if k["cycles"] < LEAST_CYCLES or k["cycles"] < LEAST_SHARE * result["cycles"]:
                continue
            single = len(result["kernels"]) == 1
            found[name, k["name"]] = Kernel(name if single else f"{name}/{k['name']}", k)
    return found


def kernels_of(results):
    """The same with their figures in all configurations, in the order of the tables"""
    found = kernels_by_id(results)
    for (name, conf), result in results.items():
        for k in result["kernels"]:
            if (name, k["name"]) in found:
                found[name, k["name"]].at[conf] = k
    for k in found.values():
        k.sensitive = k.saturating and (k.speedup("large_l1") or 1) >= SENSITIVE
    return sorted(found.values(), key=lambda k: (not k.memory, not k.saturating, not k.sensitive, -k.f("lrr", "warp_ipc")))


def gmean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1.0


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def misses(kernels, conf):
    """L1 misses over round robin's"""
    return gmean(k.c(conf, "l1_misses") / k.c("lrr", "l1_misses") for k in kernels if k.c("lrr", "l1_misses"))


def miss_rate(kernels, conf):
    """L1 misses a cycle over round robin's: speedup = miss_rate / misses"""
    return gains(kernels, conf) * misses(kernels, conf)


def best(kernels, conf):
    return max(kernels, key=lambda k: k.speedup(conf))


def gains(kernels, conf):
    return gmean(k.speedup(conf) for k in kernels)


# --- the page

pc = lambda x: f"{100 * x:.1f} %"
more = lambda x: f"{100 * x:+.1f} %"
ratio = lambda x: "-" if x is None else f"{x:.3f}"


class Page:
    def __init__(self):
        self.lines = []

    def text(self, *lines):
        self.lines += [*lines, ""]

    def table(self, head, rows):
        self.lines += ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        self.lines += ["| " + " | ".join(map(str, r)) + " |" for r in rows] + [""]


COLOURS = ["#b0b7c3", "#8fa8c8", "#6b8fbf", "#c9a66b", "#9bbf8f", "#d08a6a", "#b5483a"]


def picture(path, title, groups, series, values, line=1.0):
    """Grouped bars: one group for each name in groups, one bar for each of series; values[g][s]"""
    bar, gap, left, top, height = 7, 12, 100, 52, 220
    wide = len(series) * bar + gap
    width, most = left + len(groups) * wide + 20, max([v for row in values for v in row if v] + [line * 1.2])
    most = min(most, 3.0)
    y = lambda v: top + height - min(v, most) / most * height
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top + height + 120}" font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="18" font-size="14">{title}</text>']
    for i, (_, name) in enumerate(series):
        out.append(f'<rect x="{left + i * 105}" y="28" width="10" height="10" fill="{COLOURS[i]}"/><text x="{left + i * 105 + 14}" y="37">{name}</text>')
    step = 0.5 if most > 1.6 else 0.25
    for i in range(int(most / step) + 1):
        out.append(f'<line x1="{left}" x2="{width - 10}" y1="{y(i * step):.1f}" y2="{y(i * step):.1f}" stroke="#ddd"/><text x="{left - 6}" y="{y(i * step) + 4:.1f}" text-anchor="end">{i * step:g}</text>')
    for g, name in enumerate(groups):
        x0 = left + g * wide + gap / 2
        for s, v in enumerate(values[g]):
            if v:
                out.append(f'<rect x="{x0 + s * bar:.1f}" y="{y(v):.1f}" width="{bar - 1}" height="{top + height - y(v):.1f}" fill="{COLOURS[s]}"/>')
                if v > most:
                    out.append(f'<text x="{x0 + s * bar + 3:.1f}" y="{top - 3}" font-size="9" text-anchor="middle">{v:.1f}</text>')
        out.append(f'<text transform="translate({x0 + wide / 2 - gap / 2:.1f},{top + height + 12}) rotate(-50)" text-anchor="end">{name}</text>')
    out += [f'<line x1="{left}" x2="{width - 10}" y1="{y(line):.1f}" y2="{y(line):.1f}" stroke="black" stroke-dasharray="4"/>', "</svg>"]
    pathlib.Path(path).write_text("\n".join(out) + "\n")


def speed_table(p, kernels, sets):
    rows = [[k.title + (", sensitive" if k.sensitive else "")] + [ratio(k.speedup(c)) for c, _ in SCHEMES] for k in kernels]
    rows += [[f"**{words} ({len(some)})**"] + [f"**{gains(some, c):.3f}**" for c, _ in SCHEMES] for words, some in sets if some]
    p.table(["kernel"] + [t for _, t in SCHEMES], rows)


def statements(p, M, S, I, C):
    rows = []

    def say(what, theirs, ours, slack, figure, why):
        verdict = ("agrees" if abs(ours - figure) <= slack else "differs") + f" ({100 * slack:g})"
        rows.append([what, theirs, f"{100 * ours:+.1f} %", verdict, why])

    g = {c: gains(M, c) - 1 for c in list(FOR_ALL) + list(FOR_MEMORY)}
    s = {c: gains(S, c) - 1 for c in g}
    i = {c: gains(I, c) - 1 for c in g}
    f = lambda ks, conf, key: mean(k.f(conf, key) for k in ks)
    total = lambda ks, conf, key: sum(k.c(conf, key) for k in ks)
    busy = [k for k in I if k.f("lrr", "dram_utilisation") >= 0.5]
    idle = [k for k in I if k not in busy]
    say("GTO", "+13 %", g["gto"], .06, .13, f"sensitive {more(s['gto'])}, others {more(i['gto'])}; L1 hit rate {pc(f(S, 'gto', 'l1_hit_rate'))} against {pc(f(S, 'lrr', 'l1_hit_rate'))} on sensitive kernels")
    say("GTO, cache sensitive", "+24 %", s["gto"], .12, .24, "as above")
    say("OWL", "+4 %", g["owl"], .04, .04, "")
    say("two-level", "+1.5 %", g["two_level"], .03, .015, "")
    say("CCWS", "+24 %", g["ccws"], .08, .24, f"{len(S)} of {len(M)} kernels are cache sensitive, 7 of 15 in the document")
    say("CCWS, cache sensitive", "+55 %", s["ccws"], .15, .55, f"hit rate from {pc(f(S, 'lrr', 'l1_hit_rate'))} to {pc(f(S, 'ccws', 'l1_hit_rate'))}, LSU stalls from {pc(f(S, 'lrr', 'lsu_stall_fraction'))} to {pc(f(S, 'ccws', 'lsu_stall_fraction'))}: L1 misses {more(misses(S, 'ccws') - 1)}, but with fewer warps also {more(miss_rate(S, 'ccws') - 1)} misses a cycle. It rests on {best(S, 'ccws').name} ({best(S, 'ccws').speedup('ccws'):.1f} times); the others gain {more(gains([k for k in S if k is not best(S, 'ccws')], 'ccws') - 1)}")
    say("CCWS, not cache sensitive", "+4 %, as GTO", i["ccws"], .04, .04, f"GTO {more(i['gto'])}")
    say("Mascar", "+34 %", g["mascar"], .10, .34, f"L1 misses {more(misses(M, 'mascar') - 1)}, misses a cycle {more(miss_rate(M, 'mascar') - 1)}; in MP mode {pc(f(M, 'mascar', 'mp_fraction'))} of the time; scheduling alone {more(g['mascar_sched'])}")
    relief = total(M, "mascar", "owner_until_relief") / max(1, total(M, "mascar", "owners"))
    say("Mascar, cache sensitive", "+56 %", s["mascar"], .20, .56, f"L1 misses {more(misses(S, 'mascar') - 1)}, misses a cycle {more(miss_rate(S, 'mascar') - 1)}: the gain is in the rate, not in reuse, which is where CCWS has it; hit rate {pc(f(S, 'mascar', 'l1_hit_rate'))} against {pc(f(S, 'lrr', 'l1_hit_rate'))} (CCWS {pc(f(S, 'ccws', 'l1_hit_rate'))}); {pc(relief)} of the ownerships end because saturation does. Test: thresholds of 50 % give {more(s['early'])}")
    say("Mascar, not cache sensitive", "+17 %", i["mascar"], .08, .17, f"where DRAM is busy in half of the time or more ({len(busy)} kernels) {more(gains(busy, 'mascar') - 1)}, elsewhere ({len(idle)}) {more(gains(idle, 'mascar') - 1)}. Test: with 1024 L1 MSHRs LSU stalls fall from {pc(f(I, 'lrr', 'lsu_stall_fraction'))} to {pc(f(I, 'no_stall', 'lsu_stall_fraction'))} and round robin gains {more(i['no_stall'])}: the stalls cost little more than that")
    say("Mascar over GTO", "+19 %", gains(M, "mascar") / gains(M, "gto") - 1, .08, .19, f"best {max(M, key=lambda k: k.speedup('mascar') / k.speedup('gto')).name}, worst {min(M, key=lambda k: k.speedup('mascar') / k.speedup('gto')).name}")
    under = total(S, "lrr_re", "hits_under_miss") / max(1, total(S, "lrr_re", "l1_hits"))
    say("re-execution alone, cache sensitive", "+35 %", s["lrr_re"], .12, .35, f"{pc(under)} of all hits pass refused accesses, and LSU stalls fall from {pc(f(S, 'lrr', 'lsu_stall_fraction'))} to {pc(f(S, 'lrr_re', 'lsu_stall_fraction'))}, but the hit rate goes from {pc(f(S, 'lrr', 'l1_hit_rate'))} to {pc(f(S, 'lrr_re', 'l1_hit_rate'))}: passing warps bring their own misses. Test: a queue of 64 gives {more(s['re_lrr64'])}")
    say("Mascar, compute intensive", "+1.5 %", gains(C, "mascar") - 1, .03, .015, f"GTO {more(gains(C, 'gto') - 1)}, OWL {more(gains(C, 'owl') - 1)}, CCWS {more(gains(C, 'ccws') - 1)} (document: within 1 %)")
    say("energy with Mascar", "-12 %", gmean(k.energy("mascar") / k.energy("lrr") for k in M) - 1, .05, -.12, f"leakage is {pc(mean(k.energy('lrr', 'leakage') / k.energy('lrr') for k in M))} of round robin's energy; DRAM energy {more(gmean(k.energy('mascar', 'dram') / k.energy('lrr', 'dram') for k in M if k.energy('lrr', 'dram') > 0) - 1)}")
    say("more resources, all three", "+33 %", g["more_d"], .10, .33, f"MSHRs and queues {more(g['more_a'])}, associativity {more(g['more_b'])}, DRAM clock {more(g['more_c'])}")
    a, b, sched = (f(M, c, "lsu_stall_fraction") for c in ("lrr", "mascar", "mascar_sched"))
    rows.append(["LSU stalls", "40 % to 20 %", f"{pc(a)} to {pc(b)}", "agrees" if b <= .65 * a else "differs", f"scheduling alone {pc(sched)}"])
    severe = [k for k in M if k.f("lrr", "lsu_stall_fraction") >= .5]
    rows.append(["time in MP mode, severely memory intensive", "85 to 90 %", f"{pc(f(severe, 'mascar', 'mp_fraction'))} ({len(severe)} kernels with LSU stalls in half of the time)", "agrees" if f(severe, "mascar", "mp_fraction") >= .75 else "differs", ""])
    x = sum(k.f("lrr", "blocked_hit_fraction") >= .2 for k in M)
    rows.append(["kernels with blocked hits in a fifth of the time", "7 of 15", f"{x} of {len(M)}", "agrees" if .3 <= x / len(M) <= .65 else "differs", "ours is a share of all cycles, the document's of those in saturation"])
    p.table(["statement", "document", "here", "", "from the counters"], rows)


def write(a, kernels, results):
    M, U, C = [k for k in kernels if k.saturating], [k for k in kernels if k.memory and not k.saturating], [k for k in kernels if not k.memory]
    S, I = [k for k in M if k.sensitive], [k for k in M if not k.sensitive]
    T = [k for k in M if k.name in LIKE]
    right = sum(r["checksum_ok"] is True for r in results.values())
    p = Page()
    p.text("# Mascar and its rivals, on our kernels")
    p.text(f"Made by `make study-mascar` (tools/study_mascar.py); do not edit. Machine `gtx480`; {len(set(n for n, _ in results))} programs: every bundled workload at size small and every recorded application (`app_`). "
           f"{right} of {len(results)} runs gave the right output.",
           'The document is Sethia, Jamshidi, Mahlke, "Mascar: Speeding up GPU Warps by Reducing Memory Pitstops" (HPCA 2015); its kernels are of Rodinia and Parboil. Names in brackets are those of its kernels that ours were written after.',
           f"A kernel is taken when it runs at least {LEAST_CYCLES} cycles and {100 * LEAST_SHARE:g} % of its program's; nothing is chosen by hand. The baseline is loose round robin (LRR) with a stalling memory stage. `re-exec` is a re-execution queue of 32 accesses",
           "with LRR (sm.lsu.reexec=32), `Mascar, sched.` the scheduler without the queue, `Mascar` both. `agrees` means within the number of points in brackets.")
    p.text("## What the document says, and what we find")
    statements(p, M, S, I, C)
    p.text("## Kernels: share of the peak, stalls, blocked hits (figures 2 and 5, table III)",
           f"Memory intensive (M): at most {MEMORY_INTENSIVE} instructions for each L1 miss, the document's rule. By it many of our kernels are memory intensive that never fill the memory system, having few warps or much to compute between loads; the document's all do (40 % LSU stalls on average).",
           f"Where it speaks of memory-intensive kernels we take those that saturate: the LSU stalls in at least {100 * SATURATING:g} % of round robin's cycles. The others are shown too. Cache sensitive: an L1 of 16 times the size makes it at least {SENSITIVE} times as fast. Blocked hits: cycles in which nothing issued while data that a warp wanted lay in the L1 behind a stalled memory stage.",
           "DRAM busy: share of the cycles in which the data buses move data; its inverse bounds what any scheduler can gain without better hit rates.")
    p.table(["kernel", "type", "instructions per L1 miss", "of peak IPC", "LSU stalled", "blocked hits", "L1 hit rate", "L2 hit rate", "MSHRs in use", "DRAM busy", "with a large L1"],
            [[k.title, k.kind, "no misses" if k.per_miss == math.inf else f"{k.per_miss:.1f}", pc(k.f("lrr", "warp_ipc") / 30), pc(k.f("lrr", "lsu_stall_fraction")),
              pc(k.f("lrr", "blocked_hit_fraction")), pc(k.f("lrr", "l1_hit_rate")), pc(k.f("lrr", "l2_hit_rate")), f"{k.f('lrr', 'mshr_average'):.1f}", pc(k.f("lrr", "dram_utilisation")), ratio(k.speedup("large_l1"))] for k in kernels])
    p.text("## Speed of saturating kernels over round robin (figure 9)", "![speed of memory-intensive kernels](mascar_speedup.svg)")
    speed_table(p, M, [("cache sensitive", S), ("not cache sensitive", I), ("written after the document's", T), ("all that saturate", M)])
    picture(f"{a.out}/mascar_speedup.svg", "Speed over round robin, saturating kernels (last: geometric mean)", [k.name.split("/")[-1] for k in M] + ["mean"], SCHEMES,
            [[k.speedup(c) for c, _ in SCHEMES] for k in M] + [[gains(M, c) for c, _ in SCHEMES]])
    p.text("## Fewer misses, or faster ones",
           "A saturating kernel's time is its L1 misses over the rate at which they are served, so a speedup has two factors: fewer misses (better use of the L1), and more of them a cycle (better use of the memory system). Geometric means over round robin; the speedup is the second over the first.")
    split = [("gto", "GTO"), ("owl", "OWL"), ("ccws", "CCWS"), ("lrr_re", "re-exec"), ("mascar_sched", "Mascar, sched."), ("mascar", "Mascar"), ("more_a", "MSHRs and queues of 10240")]
    p.table(["", "misses, sensitive", "misses a cycle", "speedup", "misses, not sensitive", "misses a cycle", "speedup"],
            [[t] + [ratio(x) for ks in (S, I) for x in (misses(ks, c), miss_rate(ks, c), gains(ks, c))] for c, t in split])
    p.text("## Kernels that do not saturate: memory intensive by the rule, and compute intensive (figure 10)")
    speed_table(p, U + C, [("memory intensive, not saturating", U), ("compute intensive", C)])
    p.text("## Inside: stalls, modes, owners, hit rates (figures 11, 12, 13)", "Hits under misses: share of the L1's hits that passed refused accesses, with LRR and the queue. Ownerships end at a use of the owner's own load, because saturation is over (relief), or otherwise.")
    own = lambda k, key: pc(k.c("mascar", key) / max(1, k.c("mascar", "owners")))
    p.table(["kernel", "LSU stalled, LRR", "re-exec", "Mascar, sched.", "Mascar", "in MP mode", "owners", "ended at a use", "by relief", "L1 hits, LRR", "re-exec", "GTO", "CCWS", "Mascar", "hits under misses"],
            [[k.title] + [pc(k.f(c, "lsu_stall_fraction")) for c in ("lrr", "lrr_re", "mascar_sched", "mascar")] + [pc(k.f("mascar", "mp_fraction")), k.c("mascar", "owners"), own(k, "owner_until_use"), own(k, "owner_until_relief")] +
             [pc(k.f(c, "l1_hit_rate")) for c in ("lrr", "lrr_re", "gto", "ccws", "mascar")] + [pc(k.c("lrr_re", "hits_under_miss") / max(1, k.c("lrr_re", "l1_hits")))] for k in M] +
            [["**mean**"] + [f"**{pc(mean(k.f(c, 'lsu_stall_fraction') for k in M))}**" for c in ("lrr", "lrr_re", "mascar_sched", "mascar")] + [f"**{pc(mean(k.f('mascar', 'mp_fraction') for k in M))}**", "", "", ""] +
             [f"**{pc(mean(k.f(c, 'l1_hit_rate') for k in M))}**" for c in ("lrr", "lrr_re", "gto", "ccws", "mascar")] + [""]])
    p.text("## Energy (figure 14)", "Parts of Mascar's energy, and its total, over round robin's total. Energies of events are the keys power.* (docs/energy.md has their sources); the model has not been compared with a measured board.",
           "", "![energy](mascar_energy.svg)")
    p.table(["kernel", "DRAM", "L1", "leakage", "others", "Mascar over LRR", "leakage of LRR's"],
            [[k.title] + [pc(k.energy("mascar", part) / k.energy("lrr")) for part in ("dram", "l1", "leakage", "others")] + [ratio(k.energy("mascar") / k.energy("lrr")), pc(k.energy("lrr", "leakage") / k.energy("lrr"))] for k in M] +
            [[f"**all ({len(M)})**", "", "", "", "", f"**{gmean(k.energy('mascar') / k.energy('lrr') for k in M):.3f}**", ""]])
    picture(f"{a.out}/mascar_energy.svg", "Energy over round robin's, saturating kernels (last: geometric mean)", [k.name.split("/")[-1] for k in M] + ["mean"], SCHEMES,
            [[k.energy(c) / k.energy("lrr") for c, _ in SCHEMES] for k in M] + [[gmean(k.energy(c) / k.energy("lrr") for k in M) for c, _ in SCHEMES]])
    more = [("more_a", "MSHRs and queues of 10240"), ("more_b", "fully associative caches"), ("more_c", "DRAM clock +20 %"), ("more_d", "all three"), ("no_stall", "L1: 1024 MSHRs")]
    sizes = [("re8", "queue of 8"), ("re16", "16"), ("mascar", "32"), ("re64", "64"), ("use", "32, hand-over at once"), ("gto_re", "32 with GTO")]
    p.text("## More resources instead (figure 4), and the size of the queue")
    p.table(["kernel"] + [t for _, t in more + sizes], [[k.title] + [ratio(k.speedup(c)) for c, _ in more + sizes] for k in M] +
            [[f"**{w} ({len(ks)})**"] + [f"**{gains(ks, c):.3f}**" for c, _ in more + sizes] for w, ks in (("cache sensitive", S), ("not cache sensitive", I), ("all", M))])
    p.text("## Hardware (table II)", "From the machine: 48 warps, 32 threads, lines of 128 bytes, 32 entries; `tests/pressure/test_energy.c` works it out from the configuration.")
    p.table(["unit", "entry", "entries", "here", "the document"], [["warp readiness checker", "6 bits", "", "1 byte", "1 byte"], ["warp status table", "2 bits", "48", "12 bytes", "12 bytes"],
            ["re-execution queue", "64 + 7 x 32 + 6 + 7 = 301 bits", "32", "1216 bytes, entries of whole bytes (1204 without rounding)", "1216 bytes"]])
    notes = pathlib.Path("tools/study_mascar_notes.md")
    if notes.exists():
        p.text(notes.read_text().rstrip())
    pathlib.Path(a.out, "mascar.md").write_text("\n".join(p.lines).rstrip() + "\n")


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--build", default="build")
    ask.add_argument("--work", default="build/study_mascar")
    ask.add_argument("--out", default="docs/studies")
    ask.add_argument("--jobs", type=int, default=os.cpu_count())
    ask.add_argument("--only", help="names of programs, with commas")
    ask.add_argument("--limit", type=int, default=900, help="seconds a run may take")
    a = ask.parse_args()
    os.chdir(pathlib.Path(__file__).parent.parent)
    a.heddle = f"{a.build}/heddle"
    if not os.access(a.heddle, os.X_OK):
        sys.exit(f"study_mascar: no {a.heddle}; run make all data")
    pathlib.Path(a.work).mkdir(parents=True, exist_ok=True)
    found = programs(a)
    results = run_all(a, [(n, found[n], c, keys) for c, keys in FOR_ALL.items() for n in found])
    memory = {n for (n, k), one in kernels_by_id(results).items() if one.saturating}
    results |= run_all(a, [(n, found[n], c, keys) for c, keys in FOR_MEMORY.items() for n in found if n in memory])
    kernels = kernels_of(results)
    complete = [k for k in kernels if all(c in k.at for c in FOR_ALL) and (not k.saturating or all(c in k.at for c in FOR_MEMORY))]
    for k in kernels:
        if k not in complete:
            print(f"study_mascar: {k.name} left out: runs are missing", file=sys.stderr)
    write(a, complete, results)
    print(f"study_mascar: wrote {a.out}/mascar.md: {sum(k.saturating for k in complete)} kernels that saturate, {sum(not k.saturating for k in complete)} others")


if __name__ == "__main__":
    main()
