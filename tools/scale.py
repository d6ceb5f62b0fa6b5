#!/usr/bin/env python3
"""Runs the bundled workloads at size paper on gtx480 with --sample and prints docs/workloads.md from what was measured.

    tools/scale.py BUILD [--jobs N] [--size SIZE] [NAME...]   measures what is not there yet (of these), then prints the page
    tools/scale.py BUILD [--size SIZE] --print                prints the page from what is there

Results are kept in BUILD/scale/SIZE/NAME.json; delete one to measure it anew. A workload that has none is missing from the page.
make scale measures all and writes the page."""
import argparse
import json
import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

# The Mascar document's table III: name, type (M memory intensive, C compute intensive), instructions for each L1 miss; and
# the kernel of ours that does the same. Which of a program's kernels is -1, -2, -3 is our reading.
MASCAR = [
    ("BP-1", "C", 107, "backprop", "backprop_forward"),
    ("BP-2", "M", 19, "backprop", "backprop_adjust"),
    ("bfs", "M", 2.4, "bfs", "bfs_level"),
    ("cutcp", "C", 949, "cp", "cp"),
    ("histo-1", "M", 15.3, "histo", "histo_intermediates"),
    ("histo-2", "C", 35.9, "histo", "histo_main"),
    ("histo-3", "M", 14.3, "histo", "histo_final"),
    ("histogram", "C", 91.2, "histogram", "histogram"),
    ("kmeans-1", "M", 0.27, "kmeans", "kmeans_swap"),
    ("kmeans-2", "C", 88, "kmeans", "kmeans_assign"),
    ("lavaMD", "C", 512, "lavamd", "lavamd"),
    ("lbm", "M", 10.4, "lbm", "lbm_step"),
    ("leuko-1", "M", 28, "leukocyte", "leukocyte_score"),
    ("leuko-2", "C", 173, "leukocyte", "leukocyte_dilate"),
    ("leuko-3", "C", 5289, "leukocyte", "leukocyte_flow"),
    ("mrig-1", "M", 13.4, "mri_gridding", "mri_gridding_bin"),
    ("mrig-2", "M", 22.4, "mri_gridding", "mri_gridding_reorder"),
    ("mrig-3", "C", 147, "mri_gridding", "mri_gridding_gather"),
    ("mri-q", "C", 3479, "mri_q", "mri_q_sum"),
    ("mummer", "M", 4.9, "mummer", "mummer_match"),
    ("particle", "M", 3.5, "particlefilter", "particle_weigh"),
    ("PF", "C", 55.83, "pathfinder", "pathfinder"),
    ("sgemm", "C", 75, "sgemm", "sgemm"),
    ("spmv", "M", 4.2, "spmv_sorted", "spmv_sorted"),
    ("sad-1", "C", 2563, "sad", "sad_4x4_even"),
    ("sad-2", "M", 10.2, "sad", "sad_shapes"),
    ("srad-1", "M", 25, "srad", "srad_coefficient"),
    ("srad-2", "M", 22, "srad", "srad_update"),
    ("stencil", "C", 38, "stencil", "stencil"),
    ("tpacf", "C", 10816, "tpacf", "tpacf_pairs"),
]
# Why a kernel that the document calls memory intensive does not saturate memory here; each was measured, as said
REASONS = {
    "lbm": "lbm's straight code of 450 instructions does not fit into the instruction cache of 2 kB, and the front end limits "
           "it. With `sm.icache.ideal=true` it takes half the cycles, is stalled in 40 % of them, and the DRAM queue is used to 73 %.",
    "srad-1": "srad_coefficient divides much: its issue slots are used to 64 %, more than any part of the memory system, and it stands "
              "at the edge of the rule.",
}
LOCALITY = """
## cfd's mesh

Neighbours are drawn from the 192 cells around a cell, one in 256 from sixteen times as many. On turner2012
64.6 % of the accesses of cfd_flux then hit or join a line that is on its way, and need no MSHR; the Turner
document's loads do in 72 % of cases. With neighbours anywhere (size small) it is 9.7 %. Of the widths 32, 64,
128, 192, 256 and 384, 192 has the most: a narrower mesh gathers from fewer lines, so that the streams, which
always miss, weigh more; a wider one does not stay in the L1. Graphs: bfs is a random one, as the suites' own
generator makes; bfs_mesh has a mesh and bfs_power and spmv_power web-like ones, with degrees under a power
law and a few nodes that most others point to.
"""
NOT_MEMORY = ("issue slots", "arithmetic units", "special function units", "memory stage")
STALLED = 0.20  # of the cycles, from which a kernel counts as saturating memory
USED = 0.65     # or this use of a part of the memory system

INTRO = """# Workloads at size paper

Printed by `make scale` (tools/scale.py) from runs of `heddle run NAME --size paper --sample --limits` on
gtx480, one host thread each, round-robin scheduling. What each program computes, and how it differs from the
documents', is in [workloads/README.md](../workloads/README.md).

Size paper has at least four waves of blocks on gtx480 (a wave: as many blocks as the chip holds), so that the
last blocks do not decide, and data well beyond its L2 of 768 kB where the document's program has that.
`tests/unit/test_workloads.c` checks both from manifests and programs, without running them. Its lists say
what is excepted and why: nbody, nw and psort have fewer waves, and the data of a few programs that live on
arithmetic fit into the L2.

Kernel, waves: those of the kernel with the most warp instructions. Timed: share of the warp instructions that
were simulated with time; the others were executed without. A launch of fewer than ten waves is timed whole.
Seconds are of a processor, shared with other programs.

| workload | data | warp instructions | kernel | waves | timed | cycles, estimated | seconds |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
SATURATION = """
## Do the Mascar document's kernels saturate memory here?

The document's table III counts instructions for each L1 miss (here: of L1 and texture cache) and calls a
kernel with at most 30 memory intensive (M). Stalled: cycles in which the memory stage was stopped by a
hazard, which the document's figure 2 shows. Tightest: the part of the memory system with the greatest use, of
those that `--limits` lists. A kernel saturates memory here when it is stalled in 20 % of the cycles or when a
part is used to 65 %.

| document | type | instructions a miss | kernel | waves | here | stalled | tightest | used | saturates |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def names(heddle):
    listed = subprocess.run([heddle, "list", "workloads"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in listed.splitlines()[1:] if not line.startswith(" ")]


def measure(heddle, name, size, to):
    if os.path.exists(to):
        return
    line = [heddle, "run", name, "--size", size, "--machine", "gtx480", "--sample", "--limits", "--per-kernel", "--quiet",
            "--json", to + ".new"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as run:
        said = run.stderr.read()
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode:
        sys.exit("%s: exit %d\n%s" % (" ".join(line), run.returncode, said))
    with open(to + ".new") as f:
        result = json.load(f)
    if result["checksum_ok"] is not True:
        sys.exit("%s: wrong output" % " ".join(line))
    kept = {key: result[key] for key in ("warp_instructions", "footprint_b")}
    kept["processor_seconds"] = used.ru_utime + used.ru_stime
    kept.update((key, result.get(key)) for key in ("estimate", "instructions", "cycles"))
    keys = ("name", "warp_instructions", "counters", "formulas", "limits")
    kept["kernels"] = [{key: k[key] for key in keys} for k in result["kernels"]]
    for k in kept["kernels"]:
        timed = [launch for launch in result["launches"] if launch["kernel"] == k["name"] and "formulas" in launch]
        k["waves"] = max((launch["formulas"]["waves"] or 0 for launch in timed), default=0)
    with open(to, "w") as f:
        json.dump(kept, f)
    os.remove(to + ".new")


def millions(n):
    return "%.1f M" % (n / 1e6) if n >= 1e5 else "%d" % n


def row(name, r):
    busiest = max(r["kernels"], key=lambda k: k["warp_instructions"])
    timed = r["instructions"]["timed"] / r["warp_instructions"] if r["instructions"] else 1
    e = r["estimate"]
    cycles = millions(e["cycles"] if e else r["cycles"])
    if e and e.get("half_width") is not None:
        cycles += " +- %.1f %%" % (100 * e["half_width"] / e["cycles"])
    return "| %s | %.1f MB | %s | %s | %.1f | %.0f %% | %s | %.0f |" % (
        name, r["footprint_b"] / 1e6, millions(r["warp_instructions"]), busiest["name"], busiest["waves"],
        100 * timed, cycles, r["processor_seconds"])


def kernel_row(document, kind, ratio, name, r):
    k = next(k for k in r["kernels"] if k["name"] == name)
    misses = k["counters"]["l1_misses"] + k["counters"]["tex_misses"]
    stalled = k["formulas"]["lsu_stall_fraction"] or 0
    parts = [p for p in k["limits"] if p["resource"] not in NOT_MEMORY]
    tightest = max(parts, key=lambda p: p["used"] or 0)
    full = stalled >= STALLED or tightest["used"] >= USED
    here = "%.1f" % (k["counters"]["warp_instructions"] / misses) if misses else "no miss"
    return "| %s | %s | %g | %s | %.1f | %s | %.1f %% | %s | %.0f %% | %s |" % (
        document, kind, ratio, name, k["waves"], here, 100 * stalled, tightest["resource"], 100 * tightest["used"],
        "yes" if full else "no")


def page(results, size):
    text = INTRO.replace("paper", size) + "\n".join(row(name, r) for name, r in results.items()) + "\n"
    rows = [kernel_row(d, kind, ratio, kernel, results[w]) for d, kind, ratio, w, kernel in MASCAR if w in results]
    reasons = [textwrap.fill(REASONS[d], width=110) for d, _, _, w, _ in MASCAR if w in results and d in REASONS]
    return text + SATURATION + "\n".join(rows) + "\n\n" + "\n\n".join(reasons) + "\n" + LOCALITY


def main(arguments):
    ask = argparse.ArgumentParser(description="docs/workloads.md from measurements")
    ask.add_argument("build")
    ask.add_argument("--jobs", type=int, default=1, help="runs at a time")
    ask.add_argument("--size", default="paper")
    ask.add_argument("--print", action="store_true", help="measure nothing")
    ask.add_argument("name", nargs="*")
    wish = ask.parse_intermixed_args(arguments)
    heddle, folder = os.path.join(wish.build, "heddle"), os.path.join(wish.build, "scale", wish.size)
    os.makedirs(folder, exist_ok=True)
    every = names(heddle)
    unknown = [name for name in wish.name if name not in every]
    if unknown:
        sys.exit("no bundled workload: %s (heddle list workloads)" % " ".join(unknown))
    if not wish.print:
        with ThreadPoolExecutor(wish.jobs) as pool:
            list(pool.map(lambda n: measure(heddle, n, wish.size, os.path.join(folder, n + ".json")), wish.name or every))
    results = {}
    for name in every:
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            with open(path) as f:
                results[name] = json.load(f)
    sys.stdout.write(page(results, wish.size))


if __name__ == "__main__":
    main(sys.argv[1:])
