#!/usr/bin/env python3
"""Writes the manifests of the bundled workloads, workloads/NAME/manifest-SIZE.json, from the table of sizes at the end.

    tools/manifests.py [NAME...]

The manifests are kept in the repository: this is needed only when a size or a launch changes. A function per workload takes the
sizes and says what its buffers and launches are; docs/manifest.md is the format."""
import json
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "workloads")


def up(n, k):
    """How many groups of k hold n"""
    return -(-n // k)


def gen_hash(seed, i):
    """h(i) of docs/manifest.md"""
    mask = (1 << 64) - 1
    z = (seed * 0xD1342543DE82EF95 + (i + 1) * 0x9E3779B97F4A7C15) & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return z ^ z >> 31


def prefix_total(seed, rows, low, high):
    """The last element of a `prefix` buffer of rows + 1 elements"""
    return sum(low + (gen_hash(seed, i) >> 32) % (high - low + 1) for i in range(rows))


class Manifest:
    def __init__(self, tolerance=0):
        self.buffers, self.launches, self.tolerance = [], [], tolerance

    def buf(self, name, kind, count, generator="zero", seed=None, p0=None, p1=None, check=False):
        b = {"name": name, "type": kind, "count": count, "generator": generator}
        for key, value in (("seed", seed), ("p0", p0), ("p1", p1)):
            if value is not None:
                b[key] = value
        if check:
            b["check"] = True
        self.buffers.append(b)

    def params(self, **values):
        """Numbers the reference cannot tell from element counts: a buffer of one element each"""
        for name, value in values.items():
            self.buf(name, "u32", 1, "fill", p0=value)

    def run(self, kernel, grid, block, *args):
        """args: a string names a buffer, an int is a u32, anything else is (type, value)"""
        def argument(a):
            if isinstance(a, str):
                return {"buf": a}
            if isinstance(a, int):
                return {"type": "u32", "value": a}
            return {"type": a[0], "value": a[1]}
        shape = [list(d) + [1] * (3 - len(d)) for d in (grid, block)]
        self.launches.append({"kernel": kernel, "grid": shape[0], "block": shape[1], "args": [argument(a) for a in args]})

    def text(self, name):
        lines = ["{", '  "name": "%s",' % name, '  "ptx": "%s.ptx",' % name, '  "buffers": [']
        lines.append(",\n".join("    " + json.dumps(b) for b in self.buffers))
        lines += ["  ],", '  "launches": [']
        lines.append(",\n".join("    " + json.dumps(r) for r in self.launches))
        lines += ["  ],", '  "expect": {"mode": "reference", "tolerance": %s}' % json.dumps(self.tolerance), "}"]
        return "\n".join(lines) + "\n"


# --- the workloads, in alphabetical order


def aes(m, blocks):
    m.buf("in", "u8", 16 * blocks, "bytes", 1, 256, 0)
    m.buf("key", "u8", 16, "bytes", 2, 256, 0)
    m.buf("sbox", "u8", 256)
    m.buf("round_key", "u32", 44)
    m.buf("out", "u8", 16 * blocks, check=True)
    m.run("aes_sbox", (1,), (256,), "sbox")
    m.run("aes_keys", (1,), (32,), "sbox", "key", "round_key")
    m.run("aes_encrypt", (up(blocks, 128),), (128,), "in", "out", "sbox", "round_key", blocks)


def backprop(m, inputs):
    m.tolerance = 1e-05
    m.buf("input", "f32", inputs, "range", 1, 0, 1)
    m.buf("weight", "f32", 16 * inputs, "range", 2, -0.05, 0.05, True)
    m.buf("momentum", "f32", 16 * inputs, check=True)
    m.buf("weight_out", "f32", 16, "range", 3, -1, 1, True)
    m.buf("target", "f32", 1, "fill", p0=0.1)
    m.buf("output", "f32", 1, check=True)
    m.buf("partial", "f32", inputs)
    m.buf("hidden", "f32", 16)
    m.buf("delta", "f32", 16)
    groups = inputs // 16
    m.run("backprop_forward", (groups,), (16, 16), "input", "weight", "partial")
    m.run("backprop_hidden", (1,), (16,), "partial", "hidden", groups)
    m.run("backprop_output", (1,), (16,), "hidden", "weight_out", "target", "output", "delta")
    m.run("backprop_adjust", (groups,), (16, 16), "input", "delta", "weight", "momentum")


def bfs(m, nodes, levels):
    m.buf("edge_start", "u32", nodes + 1, "prefix", 1, 2, 10)
    m.buf("edge", "u32", prefix_total(1, nodes, 2, 10), "mod", 2, nodes, 0)
    m.buf("level", "u32", nodes, check=True)
    m.buf("frontier", "u32", levels, check=True)
    m.run("bfs_init", (up(nodes, 256),), (256,), "level", nodes, 0)
    for level in range(levels):
        m.run("bfs_level", (up(nodes, 256),), (256,), "edge_start", "edge", "level", "frontier", nodes, level)


def bitonic(m, n):
    m.buf("data", "u32", n, "hash", 1, check=True)
    grid = (n // 512,)
    m.run("bitonic_sort_block", grid, (256,), "data")
    run = 1024
    while run <= n:
        span = run // 2
        while span >= 512:
            m.run("bitonic_step", grid, (256,), "data", run, span)
            span //= 2
        m.run("bitonic_merge_block", grid, (256,), "data", run)
        run *= 2


def blackscholes(m, n):
    m.tolerance = 0.0001
    m.buf("price", "f32", n, "range", 1, 10, 50)
    m.buf("strike", "f32", n, "range", 2, 10, 50)
    m.buf("years", "f32", n, "range", 3, 0.25, 5)
    m.buf("volatility", "f32", n, "range", 4, 0.1, 0.5)
    m.buf("call", "f32", n, check=True)
    m.buf("put", "f32", n, check=True)
    m.run("blackscholes", (up(n, 128),), (128,), "price", "strike", "years", "volatility", "call", "put", n)


def btree(m, keys, queries):
    levels, span = 0, 64
    sizes = []
    while span < keys:
        span *= 64
        levels += 1
        sizes.append(64 ** levels)
    m.buf("keys", "u32", keys, "ramp", 1, 16)
    m.buf("values", "u32", keys, "hash", 2)
    m.buf("separators", "u32", sum(sizes))
    m.buf("query", "u32", queries, "mod", 3, 16 * keys, 0)
    m.params(width=1000)
    m.buf("found", "u32", queries, check=True)
    m.buf("count", "u32", queries, check=True)
    offset = 0
    for count in sizes:
        span //= 64
        m.run("btree_build", (up(count, 256),), (256,), "keys", "separators", offset, count, ("u64", span), keys)
        offset += count
    m.run("btree_find", (queries,), (64,), "keys", "separators", "values", "query", "found", levels, keys)
    m.run("btree_range", (queries,), (64,), "keys", "separators", "query", "count", levels, keys, 1000)


def cfd(m, cells):
    m.tolerance = 1e-05
    beyond = cells // 16
    m.buf("density", "f32", cells, "range", 1, 1.2, 1.6, True)
    m.buf("momentum", "f32", 3 * cells, "range", 2, -0.2, 0.2, True)
    m.buf("energy", "f32", cells, "range", 3, 2.4, 2.8, True)
    m.buf("area", "f32", cells, "range", 4, 1, 2)
    m.buf("neighbour", "u32", 4 * cells, "mod", 5, cells + beyond, 0)
    m.buf("normal", "f32", 12 * cells, "range", 6, -0.2, 0.2)
    m.params(beyond=beyond)
    m.buf("factor", "f32", cells)
    m.buf("flux", "f32", 5 * cells)
    grid, block, state = (up(cells, 192),), (192,), ("density", "momentum", "energy")
    for _ in range(2):
        m.run("cfd_step_factor", grid, block, *state, "area", "factor", cells)
        m.run("cfd_flux", grid, block, *state, "neighbour", "normal", "flux", cells, beyond)
        m.run("cfd_advance", grid, block, *state, "factor", "flux", cells)


def conv2d(m, n):
    m.buf("in", "f32", n * n, "range", 1, -1, 1)
    m.buf("out", "f32", n * n, check=True)
    m.run("conv2d", (up(n, 16), up(n, 16)), (16, 16), "in", "out", n)


def cp(m, n, atoms):
    m.tolerance = 0.0001
    m.buf("atoms", "f32", 4 * atoms, "range", 1, 0.5, 8)
    m.buf("height", "f32", 1, "fill", p0=0.25)
    m.buf("potential", "f32", n * n, check=True)
    m.run("cp", (up(n, 16), up(n, 8)), (16, 8), "atoms", "potential", n, atoms, ("f32", 0.25))


def fwt(m, n):
    m.buf("data", "f32", n, "range", 1, -1, 1, True)
    m.run("fwt_block", (n // 512,), (256,), "data")
    span = 512
    while span < n:
        m.run("fwt_step", (n // 512,), (256,), "data", span)
        span *= 2


def gaussian(m, n):
    m.buf("a", "f32", n * n, "diagdom", 1, n, check=True)
    m.buf("b", "f32", n, "range", 2, -1, 1, True)
    m.buf("x", "f32", n, check=True)
    m.buf("multiplier", "f32", n)
    for k in range(n - 1):
        m.run("gaussian_multipliers", (up(n - 1 - k, 64),), (64,), "a", "multiplier", n, k)
        m.run("gaussian_subtract", (up(n - k, 16), up(n - 1 - k, 16)), (16, 16), "a", "b", "multiplier", n, k)
    m.run("gaussian_back", (1,), (max(32, 1 << (n - 1).bit_length()),), "a", "b", "x", n)


def histogram(m, n, groups):
    m.buf("bytes", "u8", n, "bytes", 1, 256, 0)
    m.buf("bins", "u32", 256, check=True)
    m.run("histogram", (groups,), (256,), "bytes", "bins", n // 4)


def hotspot(m, n):
    m.buf("power", "f32", n * n, "range", 1, 0, 8)
    m.buf("temperature", "f32", n * n, "range", 2, 70, 90, True)
    m.buf("other", "f32", n * n, check=True)
    for step in range(4):
        pair = ("other", "temperature") if step % 2 else ("temperature", "other")
        m.run("hotspot", (up(n, 16), up(n, 16)), (16, 16), "power", *pair, n)


def kmeans(m, n):
    clusters, features = 5, 34
    m.buf("points", "u32", features * n, "mod", 1, 256, 0)
    m.buf("swapped", "u32", features * n)
    m.buf("centres", "u32", clusters * features, "mod", 2, 256, 0, True)
    m.buf("member", "u32", n, check=True)
    m.buf("sums", "u32", clusters * features)
    m.buf("sizes", "u32", clusters, check=True)
    m.run("kmeans_swap", (up(n, 256),), (256,), "points", "swapped", n, features)
    for _ in range(2):
        m.run("kmeans_clear", (1,), (192,), "sums", "sizes")
        m.run("kmeans_assign", (up(n, 256),), (256,), "swapped", "centres", "member", "sums", "sizes", n)
        m.run("kmeans_centre", (1,), (192,), "centres", "sums", "sizes")


def laplace3d(m, nx, ny, nz):
    m.params(nx=nx, ny=ny, nz=nz)
    m.buf("field", "f32", nx * ny * nz, "range", 1, -1, 1, True)
    m.buf("other", "f32", nx * ny * nz, check=True)
    for pair in (("field", "other"), ("other", "field")):
        m.run("laplace3d", (up(nx, 32), up(ny, 4)), (32, 4), *pair, nx, ny, nz)


def lavamd(m, side):
    m.tolerance = 1e-05
    particles = 32 * side ** 3
    m.buf("particles", "f32", 4 * particles, "range", 1, 0.1, 1)
    m.buf("force", "f32", 4 * particles, check=True)
    m.run("lavamd", (side ** 3,), (32,), "particles", "force", side)


def lbm(m, nx, ny, nz):
    m.tolerance = 1e-06
    cells = nx * ny * nz
    m.params(nx=nx, ny=ny, nz=nz)
    m.buf("noise", "f32", cells, "range", 1, -1, 1)
    m.buf("solid", "u32", cells, "mod", 2, 20, 0)
    m.buf("a", "f32", 19 * cells, check=True)
    m.buf("b", "f32", 19 * cells)
    m.run("lbm_start", (up(cells, 128),), (128,), "noise", "a", cells)
    for pair in (("a", "b"), ("b", "a")):
        m.run("lbm_step", (up(cells, 128),), (128,), *pair, "solid", nx, ny, nz)


def libor(m, paths, maturities, steps):
    m.tolerance = 0.0002
    m.params(maturities=maturities, steps=steps)
    m.buf("normal", "f32", steps * paths, "range", 1, -1.7, 1.7)
    m.buf("value", "f32", paths, check=True)
    m.run("libor", (up(paths, 64),), (64,), "normal", "value", paths, maturities, steps)


def lud(m, n):
    m.buf("m", "f32", n * n, "diagdom", 1, n, check=True)
    blocks = n // 16
    for k in range(blocks):
        m.run("lud_diagonal", (1,), (16,), "m", n, k)
        if k < blocks - 1:
            m.run("lud_perimeter", (blocks - 1 - k,), (32,), "m", n, k)
            m.run("lud_internal", (blocks - 1 - k, blocks - 1 - k), (16, 16), "m", n, k)


def mandelbrot(m, n):
    m.buf("iterations", "u32", n * n, check=True)
    m.run("mandelbrot", (up(n, 16), up(n, 16)), (16, 16), "iterations", n)


def mergesort(m, n):
    m.buf("keys", "u32", n, "mod", 1, n // 2, 0)
    m.buf("values", "u32", n, "hash", 2)
    m.buf("scratch_keys", "u32", n)
    m.buf("scratch_values", "u32", n)
    m.buf("sorted_keys", "u32", n, check=True)
    m.buf("sorted_values", "u32", n, check=True)
    runs = []
    run = 256
    while run < n:
        runs.append(run)
        run *= 2
    names = [("sorted_keys", "sorted_values"), ("scratch_keys", "scratch_values")]
    at = len(runs) % 2
    m.run("mergesort_block", (up(n, 256),), (256,), "keys", "values", *names[at], n)
    for run in runs:
        m.run("mergesort_pass", (up(n, 256),), (256,), *names[at], *names[1 - at], run, n)
        at = 1 - at


def mummer(m, letters, reads, k):
    starts = 32 - k + 1
    m.buf("genome", "u8", letters, "bytes", 1, 4, 0)
    m.buf("start", "u32", reads, "mod", 2, letters, 0)
    m.buf("noise", "u8", 32 * reads, "bytes", 3, 100, 0)
    m.buf("reads", "u8", 32 * reads, check=True)
    m.buf("bucket", "u32", 4 ** k)
    m.buf("next", "u32", 4 ** k)
    m.buf("place", "u32", letters)
    m.buf("length", "u32", starts * reads, check=True)
    m.buf("where", "u32", starts * reads, check=True)
    m.run("mummer_cut", (up(32 * reads, 256),), (256,), "genome", "start", "noise", "reads", reads, letters)
    m.run("mummer_count", (up(letters, 256),), (256,), "genome", "bucket", letters, k)
    m.run("mummer_offsets", (1,), (256,), "bucket", "next", 4 ** k)
    m.run("mummer_fill", (up(letters, 256),), (256,), "genome", "next", "place", letters, k)
    m.run("mummer_match", (up(reads, 128),), (128,), "genome", "reads", "bucket", "next", "place", "length", "where", reads, letters, k)


def nbody(m, n):
    m.buf("bodies", "f32", 4 * n, "range", 1, 0.1, 1, True)
    m.buf("other", "f32", 4 * n, check=True)
    m.buf("velocity", "f32", 4 * n, "range", 2, -1, 1, True)
    for pair in (("bodies", "other"), ("other", "bodies")):
        m.run("nbody", (n // 64,), (64,), *pair, "velocity", n)


def nearn(m, n, wanted):
    m.buf("latitude", "f32", n, "range", 1, 7, 70)
    m.buf("longitude", "f32", n, "range", 2, 0, 180)
    m.buf("at_latitude", "f32", 1, "fill", p0=30)
    m.buf("at_longitude", "f32", 1, "fill", p0=90)
    m.buf("distance", "f32", n)
    m.buf("winner", "u32", up(n, 256))
    m.buf("nearest", "u32", wanted, check=True)
    m.buf("how_far", "f32", wanted, check=True)
    groups = up(n, 256)
    m.run("nearn_distance", (groups,), (256,), "latitude", "longitude", "distance", n, ("f32", 30), ("f32", 90))
    for rank in range(wanted):
        m.run("nearn_group", (groups,), (256,), "distance", "winner", n)
        m.run("nearn_pick", (1,), (256,), "distance", "winner", "nearest", "how_far", groups, rank)


def neuralnet(m, digits, hidden):
    m.tolerance = 0.0001
    m.buf("image", "f32", 29 * 29 * digits, "range", 1, -1, 1)
    m.buf("weight1", "f32", 6 * 26, "range", 2, -0.2, 0.2)
    m.buf("weight2", "f32", 50 * 151, "range", 3, -0.1, 0.1)
    m.buf("weight3", "f32", hidden * 1251, "range", 4, -0.05, 0.05)
    m.buf("weight4", "f32", 10 * (hidden + 1), "range", 5, -0.2, 0.2)
    m.buf("layer1", "f32", 6 * 13 * 13 * digits)
    m.buf("layer2", "f32", 1250 * digits)
    m.buf("layer3", "f32", hidden * digits)
    m.buf("output", "f32", 10 * digits, check=True)
    m.run("neuralnet_maps1", (6, digits), (13, 13), "image", "weight1", "layer1")
    m.run("neuralnet_maps2", (50, digits), (5, 5), "layer1", "weight2", "layer2")
    m.run("neuralnet_full", (hidden, digits), (1,), "layer2", "weight3", "layer3", 1250)
    m.run("neuralnet_full", (10, digits), (1,), "layer3", "weight4", "output", hidden)


def nqueens(m, n):
    m.buf("solutions", "u32", n ** 3, check=True)
    m.run("nqueens", (up(n ** 3, 64),), (64,), "solutions", n)


def nw(m, n):
    m.buf("across", "u32", n, "mod", 1, 16, 0)
    m.buf("down", "u32", n, "mod", 2, 16, 0)
    m.buf("similarity", "s32", 256, "mod", 3, 10, 0)
    m.buf("score", "s32", (n + 1) ** 2, check=True)
    m.run("nw_border", (up(n + 1, 128),), (128,), "score", n)
    tiles = n // 32
    for d in range(2 * tiles - 1):
        m.run("nw_diagonal", (min(d + 1, 2 * tiles - 1 - d),), (32,), "across", "down", "similarity", "score", n, d)


def particlefilter(m, particles, side):
    m.buf("image", "u8", side * side, "bytes", 1, 256, 0)
    m.buf("noise", "u32", 2 * particles, "mod", 2, 11, 0)
    m.buf("x", "u32", particles, "mod", 3, side, 0, True)
    m.buf("y", "u32", particles, "mod", 4, side, 0, True)
    m.buf("other_x", "u32", particles)
    m.buf("other_y", "u32", particles)
    m.buf("weight", "u32", particles, check=True)
    m.buf("sum", "u32", particles)
    grid, block = (up(particles, 128),), (128,)
    for now, then in ((("x", "y"), ("other_x", "other_y")), (("other_x", "other_y"), ("x", "y"))):
        m.run("particle_move", grid, block, *now, "noise", particles, side)
        m.run("particle_weigh", grid, block, "image", *now, "weight", particles, side)
        m.run("particle_sum", (1,), (256,), "weight", "sum", particles)
        m.run("particle_draw", grid, block, "sum", *now, *then, particles)


def pathfinder(m, n, rows):
    m.buf("wall", "u32", n * rows, "mod", 1, 10, 0)
    m.buf("cost", "u32", n, "mod", 2, 10, 0, True)
    m.buf("other", "u32", n)
    for row in range(0, rows, 8):
        pair = ("other", "cost") if row // 8 % 2 else ("cost", "other")
        m.run("pathfinder", (up(n, 240),), (256,), "wall", *pair, n, row)


def psort(m, n):
    m.buf("in", "u32", n, "mod", 1, n, 0)
    m.buf("out", "u32", n, check=True)
    m.run("psort", (up(n, 128),), (128,), "in", "out", n)


def raytrace(m, n, spheres):
    m.buf("spheres", "f32", 4 * spheres, "range", 1, 0.4, 2.4)
    m.buf("shine", "f32", spheres, "range", 2, 0, 0.8)
    m.buf("picture", "f32", n * n, check=True)
    m.run("raytrace", (up(n, 16), up(n, 8)), (16, 8), "spheres", "shine", "picture", n, spheres)


def reduction(m, n, groups):
    m.tolerance = 1e-05
    m.buf("in", "f32", n, "unit", 1)
    m.buf("partial", "f32", groups)
    m.buf("total", "f32", 1, check=True)
    m.run("reduction", (groups,), (256,), "in", "partial", n)
    m.run("reduction", (1,), (256,), "partial", "total", groups)


def sad(m, width, height, reach):
    vectors = (2 * reach + 1) ** 2
    pixels = width * height
    m.params(width=width, height=height, reach=reach)
    m.buf("frame", "u8", pixels, "bytes", 1, 256, 0)
    m.buf("other", "u8", pixels, "bytes", 2, 256, 0)
    m.buf("sums4", "u16", pixels // 16 * vectors, check=True)
    m.buf("sums8", "u16", pixels // 64 * vectors, check=True)
    m.buf("sums16", "u16", pixels // 256 * vectors, check=True)
    across = up(vectors, 64)
    m.run("sad_4x4", (across, pixels // 16), (64,), "frame", "other", "sums4", width, height, reach)
    m.run("sad_pairs", (across, pixels // 64), (64,), "sums4", "sums8", width // 4, vectors)
    m.run("sad_pairs", (across, pixels // 256), (64,), "sums8", "sums16", width // 8, vectors)


def saxpy(m, n, groups):
    m.buf("alpha", "f32", 1, "fill", p0=2.5)
    m.buf("x", "f32", n, "range", 1, -1, 1)
    m.buf("y", "f32", n, "range", 2, -1, 1, True)
    m.run("saxpy", (groups,), (256,), "alpha", "x", "y", n)


def scan(m, n):
    groups = up(n, 512)
    m.buf("in", "u32", n, "hash", 1)
    m.buf("out", "u32", n, check=True)
    m.buf("sums", "u32", groups)
    m.buf("offsets", "u32", groups)
    m.buf("total", "u32", 1, check=True)
    m.run("scan_block", (groups,), (256,), "in", "out", "sums", n)
    m.run("scan_block", (1,), (256,), "sums", "offsets", "total", groups)
    m.run("scan_add", (groups,), (256,), "out", "offsets", n)


def sfilter(m, n):
    m.buf("in", "f32", (n + 2) ** 2, "range", 1, -1, 1)
    m.buf("out", "f32", n * n, check=True)
    m.run("sfilter", (n // 32, n // 4), (32, 4), "in", "out", n, ("f32", 0.0625), ("f32", 0.125), ("f32", 0.25))


def matrices(m, n, name):
    m.buf("a", "f32", n * n, "range", 1, -1, 1)
    m.buf("b", "f32", n * n, "range", 2, -1, 1)
    m.buf("c", "f32", n * n, check=True)
    m.run(name, (up(n, 16), up(n, 16)), (16, 16), "a", "b", "c", n)


def sgemm(m, n):
    matrices(m, n, "sgemm")


def sgemm_naive(m, n):
    matrices(m, n, "sgemm_naive")


def spmv(m, rows):
    entries = prefix_total(1, rows, 2, 26)
    m.buf("row_start", "u32", rows + 1, "prefix", 1, 2, 26)
    m.buf("column", "u32", entries, "mod", 2, rows, 0)
    m.buf("value", "f32", entries, "range", 3, -1, 1)
    m.buf("x", "f32", rows, "range", 4, -1, 1)
    m.buf("y", "f32", rows, check=True)
    m.run("spmv", (up(rows, 128),), (128,), "row_start", "column", "value", "x", "y", rows)


def srad(m, n):
    m.buf("image", "f32", n * n, "range", 1, 0.5, 1.5, True)
    m.buf("delta", "f32", 4 * n * n)
    m.buf("coefficient", "f32", n * n)
    m.buf("speckle", "f32", 1, "fill", p0=0.05, check=True)
    grid = (up(n, 16), up(n, 16))
    for _ in range(2):
        m.run("srad_coefficient", grid, (16, 16), "image", "delta", "coefficient", "speckle", n)
        m.run("srad_update", grid, (16, 16), "image", "delta", "coefficient", n)
        m.run("srad_decay", (1,), (32,), "speckle")


def stencil(m, n):
    m.buf("field", "f32", n * n, "range", 1, -1, 1, True)
    m.buf("other", "f32", n * n, check=True)
    for pair in (("field", "other"), ("other", "field")):
        m.run("stencil", (up(n, 32), up(n, 8)), (32, 8), *pair, n)


def storegpu(m, size_b):
    blocks, windows = size_b // 256, (size_b - 48) // 4 + 1
    m.buf("data", "u8", size_b, "bytes", 1, 256, 0)
    m.buf("digests", "u32", 5 * blocks, check=True)
    m.buf("marks", "u32", windows, check=True)
    m.run("storegpu_direct", (up(blocks, 64),), (64,), "data", "digests", blocks)
    m.run("storegpu_sliding", (up(windows, 64),), (64,), "data", "marks", windows)


def streamcluster(m, n, rounds):
    slots = 8 + rounds
    m.buf("points", "u32", 32 * n, "mod", 1, 32, 0)
    m.buf("candidate", "u32", rounds, "mod", 2, n, 0)
    m.buf("price", "s32", 1, "fill", p0=100 * n)
    m.buf("centre", "u32", n, "mod", 3, 8, 0, True)
    m.buf("cost", "s32", n, check=True)
    m.buf("open", "u32", slots, check=True)
    m.buf("gain", "s32", rounds, check=True)
    m.buf("total", "s32", slots + 1)
    m.buf("prefers", "u32", n)
    m.buf("saved", "s32", n * (slots + 1))
    grid, block = (up(n, 128),), (128,)
    m.run("streamcluster_start", grid, block, "points", "centre", "cost", "open", n, slots, rounds)
    for r in range(rounds):
        m.run("streamcluster_clear", grid, block, "saved", n * (slots + 1))
        m.run("streamcluster_gain", grid, block, "points", "centre", "cost", "saved", "prefers", "candidate", n, slots, r)
        m.run("streamcluster_collect", (slots + 1,), (128,), "saved", "total", n, slots)
        m.run("streamcluster_decide", (1,), (32,), "total", "open", "gain", "price", slots, 8 + r, r)
        m.run("streamcluster_apply", grid, block, "points", "centre", "cost", "prefers", "open", "gain", "candidate", n, 8 + r, r)
        m.run("streamcluster_shut", (1,), (32,), "open", slots)


def transposed(m, n, name, rows):
    m.buf("in", "u32", n * n, "hash", 1)
    m.buf("out", "u32", n * n, check=True)
    m.run(name, (up(n, 32), up(n, rows)), (32, 8), "in", "out", n)


def transpose(m, n):
    transposed(m, n, "transpose", 32)


def transpose_naive(m, n):
    transposed(m, n, "transpose_naive", 8)


def vecadd(m, n):
    m.buf("a", "f32", n, "unit", 1)
    m.buf("b", "f32", n, "unit", 2)
    m.buf("c", "f32", n, check=True)
    m.run("vecadd", (up(n, 256),), (256,), "a", "b", "c", n)


# --- what each size is: the arguments of the functions above for tiny, small and paper
SIZES = {
    aes: [(128,), (4096,), (16384,)],
    backprop: [(64,), (8192,), (65536,)],
    bfs: [(600, 6), (40000, 10), (1000000, 12)],
    bitonic: [(1024,), (16384,), (262144,)],
    blackscholes: [(1000,), (100000,), (1000000,)],
    btree: [(3000, 20), (200000, 1500), (1000000, 10000)],
    cfd: [(384,), (20000,), (97046,)],
    conv2d: [(30,), (300,), (1024,)],
    cp: [(24, 40), (120, 200), (256, 1000)],
    fwt: [(1024,), (65536,), (1048576,)],
    gaussian: [(12,), (64,), (512,)],
    histogram: [(4096, 2), (1048576, 60), (8388608, 60)],
    hotspot: [(24,), (200,), (512,)],
    kmeans: [(300,), (24000,), (204800,)],
    laplace3d: [(40, 10, 6), (80, 60, 40), (100, 100, 100)],
    lavamd: [(2,), (4,), (10,)],
    lbm: [(8, 8, 8), (40, 20, 20), (64, 64, 64)],
    libor: [(64, 20, 10), (512, 80, 40), (4096, 80, 40)],
    lud: [(32,), (160,), (1024,)],
    mandelbrot: [(14,), (300,), (1024,)],
    mergesort: [(1000,), (30000,), (1000000,)],
    mummer: [(2000, 32, 4), (131072, 1024, 7), (1048576, 50000, 9)],
    nbody: [(64,), (768,), (4096,)],
    nearn: [(1000, 3), (42764, 5), (1000000, 10)],
    neuralnet: [(1, 4), (2, 100), (28, 100)],
    nqueens: [(6,), (11,), (12,)],
    nw: [(64,), (512,), (2048,)],
    particlefilter: [(300, 128), (2000, 1024), (10000, 2048)],
    pathfinder: [(500, 16), (10000, 64), (100000, 112)],
    psort: [(300,), (2000,), (8192,)],
    raytrace: [(24, 4), (128, 12), (256, 24)],
    reduction: [(3000, 3), (1000000, 160), (8000000, 160)],
    sad: [(32, 32, 2), (112, 96, 12), (176, 144, 16)],
    saxpy: [(5000, 4), (1000000, 240), (8000000, 240)],
    scan: [(1200,), (200000,), (262144,)],
    sfilter: [(32,), (256,), (1024,)],
    sgemm: [(30,), (200,), (512,)],
    sgemm_naive: [(24,), (160,), (512,)],
    spmv: [(500,), (40000,), (150000,)],
    srad: [(24,), (256,), (512,)],
    stencil: [(40,), (500,), (2048,)],
    storegpu: [(8192,), (65536,), (196608,)],
    streamcluster: [(256, 2), (8192, 3), (65536, 4)],
    transpose: [(50,), (1000,), (2048,)],
    transpose_naive: [(50,), (1000,), (2048,)],
    vecadd: [(5000,), (1000000,), (8000000,)],
}


def main(names):
    for workload, sizes in SIZES.items():
        name = workload.__name__
        if names and name not in names:
            continue
        for size, arguments in zip(("tiny", "small", "paper"), sizes):
            m = Manifest()
            workload(m, *arguments)
            with open(os.path.join(ROOT, name, "manifest-%s.json" % size), "w") as f:
                f.write(m.text(name))


main(sys.argv[1:])
