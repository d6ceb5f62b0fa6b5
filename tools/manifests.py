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


def powerlaw_total(seed, rows, low, high):
    """The last element of a `powerlaw` buffer of rows + 1 elements"""
    total = 0
    for i in range(rows):
        h = gen_hash(seed, i)
        bits = h >> 32 | 1 << 31
        least = low * (bits & -bits)
        total += min(least + h % (1 << 32) % least, high)
    return total


# All work-items of all groups of these go through the same barriers: their loops are bounded by arguments and constants
UNIFORM = set("""backprop_forward backprop_output dwt2d_level gaussian_back heartwall_track hotspot kmeans_assign laplace3d
    leukocyte_flow lud_diagonal lud_perimeter lud_internal nearn_group nearn_pick nw_diagonal particle_sum sgemm
    streamcluster_collect""".split())
# These ask for nothing of their group, so that its size may be another (runtime.local)
FREE = set("""bfs_init bfs_level btree_build cfd_step_factor cfd_flux cfd_advance gaussian_multipliers gaussian_subtract
    kmeans_swap kmeans_clear kmeans_centre nearn_distance nw_border particle_move particle_weigh particle_draw psort saxpy
    sfilter sgemm_naive srad_coefficient srad_update srad_decay streamcluster_start streamcluster_clear streamcluster_gain
    streamcluster_decide streamcluster_apply streamcluster_shut vecadd""".split())


class Manifest:
    def __init__(self, tolerance=0):
        self.buffers, self.textures, self.launches, self.tolerance = [], [], [], tolerance

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

    def texture(self, buffer, width, height):
        """A picture of floats, read texel by texel; the result is an argument for run"""
        name = "texture_" + buffer
        self.textures.append({"name": name, "buffer": buffer, "format": "f32x1", "width": width, "height": height})
        return {"texture": name}

    def run(self, kernel, grid, block, *args):
        """args: a string names a buffer, an int is a u32, a texture is what texture() gave, anything else is (type, value)"""
        def argument(a):
            if isinstance(a, dict):
                return a
            if isinstance(a, str):
                return {"buf": a}
            if isinstance(a, int):
                return {"type": "u32", "value": a}
            return {"type": a[0], "value": a[1]}
        shape = [list(d) + [1] * (3 - len(d)) for d in (grid, block)]
        launch = {"kernel": kernel, "grid": shape[0], "block": shape[1], "args": [argument(a) for a in args]}
        if kernel in UNIFORM:
            launch["barriers"] = "uniform"
        if kernel in FREE:
            launch["local"] = "free"
        self.launches.append(launch)

    def text(self, name):
        lines = ["{", '  "name": "%s",' % name, '  "ptx": "%s.ptx",' % name, '  "buffers": [']
        lines.append(",\n".join("    " + json.dumps(b) for b in self.buffers))
        if self.textures:
            lines += ["  ],", '  "textures": [', ",\n".join("    " + json.dumps(t) for t in self.textures)]
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
    """As the suites' own generator does: any node may be joined to any other"""
    m.buf("edge_start", "u32", nodes + 1, "prefix", 1, 2, 10)
    m.buf("edge", "u32", prefix_total(1, nodes, 2, 10), "mod", 2, nodes, 0)
    bfs_search(m, nodes, levels)


def bfs_mesh(m, nodes, near, levels):
    m.buf("edge_start", "u32", nodes + 1, "prefix", 1, 3, 6)
    m.buf("edge", "u32", prefix_total(1, nodes, 3, 6), "band", 2, nodes, near)
    bfs_search(m, nodes, levels)


def bfs_power(m, nodes, most, levels):
    m.buf("edge_start", "u32", nodes + 1, "powerlaw", 1, 2, most)
    m.buf("edge", "u32", powerlaw_total(1, nodes, 2, most), "popular", 2, nodes, 0)
    bfs_search(m, nodes, levels)


def bfs_search(m, nodes, levels):
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


def cfd(m, cells, near=0):
    """near: cells within which most neighbours lie; 0: neighbours lie anywhere"""
    m.tolerance = 1e-05
    beyond = 2 if near else cells // 16
    m.buf("density", "f32", cells, "range", 1, 1.2, 1.6, True)
    m.buf("momentum", "f32", 3 * cells, "range", 2, -0.2, 0.2, True)
    m.buf("energy", "f32", cells, "range", 3, 2.4, 2.8, True)
    m.buf("area", "f32", cells, "range", 4, 1, 2)
    if near:
        m.buf("neighbour", "u32", 4 * cells, "mesh", 5, cells, near)
    else:
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


def dwt2d(m, width, height, levels):
    pixels = width * height
    m.params(width=width, height=height, levels=levels)
    m.buf("rgb", "u8", 3 * pixels, "bytes", 1, 256, 0)
    m.buf("plane", "s32", 3 * pixels)
    for k in range(1, levels):
        m.buf("low%d" % k, "s32", 3 * pixels >> 2 * k)
    m.buf("out", "s32", 3 * pixels, check=True)
    m.run("dwt2d_components", (up(pixels, 256),), (256,), "rgb", "plane", pixels)
    for c in range(3):
        for k in range(levels):
            w, h, last = width >> k, height >> k, k == levels - 1
            source = ("low%d" % k, c * w * h) if k else ("plane", c * pixels)
            low = ("out", width, c * pixels) if last else ("low%d" % (k + 1), w // 2, c * w * h // 4)
            m.run("dwt2d_level", (up(w, 32), up(h, 32)), (256,), source[0], low[0], "out", w, h, source[1], low[1], low[2],
                  width, c * pixels)


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


def heartwall(m, width, height, points, frames):
    extra, pixels, margin = 2 * frames, width * height, 20
    m.params(width=width, height=height, frames=frames)
    m.buf("scene", "u8", (width + extra) * (height + extra), "bytes", 1, 200, 0)
    m.buf("noise", "u8", frames * pixels, "bytes", 2, 20, 0)
    m.buf("film", "u8", frames * pixels)
    m.buf("x", "u32", points, "mod", 3, width - 2 * margin, margin, True)
    m.buf("y", "u32", points, "mod", 4, height - 2 * margin, margin, True)
    m.buf("templates", "u8", 441 * points, check=True)
    m.run("heartwall_film", (up(frames * pixels, 256),), (256,), "scene", "noise", "film", width, height, frames, extra)
    m.run("heartwall_cut", (up(441 * points, 256),), (256,), "film", "x", "y", "templates", points, width)
    for frame in range(1, frames):
        m.run("heartwall_track", (points,), (256,), "film", "x", "y", "templates", width, height, frame)


def histo(m, n, bands, near, chunks):
    """Values lie in the middle eighth of the bins"""
    bins = 4096 * bands
    m.buf("input", "u32", n, "bell", 1, bins // 8, bins // 16 * 7)
    m.buf("least", "u32", 1, "fill", p0=0xFFFFFFFF)
    m.buf("greatest", "u32", 1)
    m.buf("split", "u32", n)
    m.buf("table", "u32", bins, check=True)
    m.buf("result", "u8", bins, check=True)
    m.run("histo_prescan", (max(1, min(720, n // 1024)),), (256,), "input", "least", "greatest", n)
    m.run("histo_intermediates", (up(n, 256),), (256,), "input", "split", n)
    m.run("histo_main", (chunks, near), (256,), "split", "table", "least", "greatest", n, bands)
    m.run("histo_final", (up(bins // 4, 256),), (256,), "table", "result", bins // 4)


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


def hotspot3d(m, nx, ny, nz):
    m.params(nx=nx, ny=ny, nz=nz)
    m.buf("power", "f32", nx * ny * nz, "range", 1, 0, 8)
    m.buf("temperature", "f32", nx * ny * nz, "range", 2, 70, 90, True)
    m.buf("other", "f32", nx * ny * nz, check=True)
    for pair in (("temperature", "other"), ("other", "temperature")):
        m.run("hotspot3d", (up(nx, 64), up(ny, 4)), (64, 4), "power", *pair, nx, ny, nz)


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


def lbm(m, nx, ny, nz, floor=False):
    """floor: the solid cells are the lowest layer; else one in twenty, anywhere"""
    m.tolerance = 1e-06
    cells = nx * ny * nz
    m.params(nx=nx, ny=ny, nz=nz)
    m.buf("noise", "f32", cells, "range", 1, -1, 1)
    m.buf("solid", "u32", cells, *(("band", 2, nz, 1) if floor else ("mod", 2, 20, 0)))
    m.buf("a", "f32", 19 * cells, check=True)
    m.buf("b", "f32", 19 * cells)
    m.run("lbm_start", (up(cells, 128),), (128,), "noise", "a", cells)
    for pair in (("a", "b"), ("b", "a")):
        m.run("lbm_step", (up(cells, 128),), (128,), *pair, "solid", nx, ny, nz)


def leukocyte(m, width, height, cells):
    m.params(width=width)
    m.buf("image", "f32", width * height, "range", 1, 0, 1)
    m.buf("circle", "f32", 2 * 60, "twiddle", p0=60)
    m.buf("slope_x", "f32", width * height)
    m.buf("slope_y", "f32", width * height)
    m.buf("score", "f32", width * height, check=True)
    m.buf("dilated", "f32", width * height, check=True)
    m.buf("left", "u32", cells, "mod", 2, width - 31, 0)
    m.buf("top", "u32", cells, "mod", 3, height - 31, 0)
    m.buf("flow", "f32", 1024 * cells, check=True)
    slope_x, slope_y, score = (m.texture(name, width, height) for name in ("slope_x", "slope_y", "score"))
    grid, block = (up(width, 32), up(height, 4)), (32, 4)
    m.run("leukocyte_gradient", grid, block, "image", "slope_x", "slope_y", width, height)
    m.run("leukocyte_score", grid, block, slope_x, slope_y, "circle", "score", width, height)
    m.run("leukocyte_dilate", grid, block, score, "dilated", width, height)
    m.run("leukocyte_flow", (cells,), (256,), "image", "left", "top", "flow", width)


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


def mri_gridding(m, side, samples):
    cells = side ** 3
    groups = up(cells, 256)
    m.params(side=side)
    m.buf("along", "u32", 3 * samples, "mod", 1, 65536, 0)
    m.buf("radius", "u32", samples, "mod", 2, 49152, 16384)
    m.buf("value", "s32", 2 * samples, "mod", 3, 256, 0)
    m.buf("place", "u32", 3 * samples)
    m.buf("cell", "u32", samples)
    m.buf("count", "u32", cells)
    m.buf("start", "u32", cells + 1)
    m.buf("next", "u32", cells)
    m.buf("sum", "u32", groups)
    m.buf("sorted_place", "u32", 3 * samples)
    m.buf("sorted_value", "s32", 2 * samples)
    m.buf("grid", "u32", 2 * cells, check=True)
    each = (up(samples, 256),)
    m.run("mri_gridding_bin", each, (256,), "along", "radius", "place", "cell", "count", samples, side)
    m.run("mri_gridding_scan", (groups,), (256,), "count", "start", "sum", cells)
    m.run("mri_gridding_sums", (1,), (256,), "sum", groups)
    m.run("mri_gridding_shift", (groups,), (256,), "start", "next", "sum", cells, samples)
    m.run("mri_gridding_reorder", each, (256,), "place", "cell", "value", "next", "sorted_place", "sorted_value", samples)
    m.run("mri_gridding_gather", (up(side, 8) ** 2 * up(side, 4),), (256,), "sorted_place", "sorted_value", "start", "grid", samples, side)


def mri_q(m, voxels, samples):
    m.tolerance = 0.001
    m.buf("k", "f32", 3 * samples, "range", 1, -1, 1)
    m.buf("phi", "f32", 2 * samples, "range", 2, -1, 1)
    m.buf("place", "f32", 3 * voxels, "range", 3, -1, 1)
    m.buf("packed", "f32", 4 * samples)
    m.buf("q", "f32", 2 * voxels, check=True)
    m.run("mri_q_pack", (up(samples, 256),), (256,), "k", "phi", "packed", samples)
    for first in range(0, samples, 256):
        m.run("mri_q_sum", (up(voxels, 256),), (256,), "place", "packed", "q", voxels, first, min(first + 256, samples))


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


def nqueens(m, n, given=3):
    """given: rows whose queens a work-item is told"""
    if given != 3:
        m.params(given=given)
    m.buf("solutions", "u32", n ** given, check=True)
    width = 64 if given == 3 else 32
    m.run("nqueens" if given == 3 else "nqueens_four", (up(n ** given, width),), (width,), "solutions", n)


def nw(m, n):
    m.buf("across", "u32", n, "mod", 1, 16, 0)
    m.buf("down", "u32", n, "mod", 2, 16, 0)
    m.buf("similarity", "s32", 256, "mod", 3, 10, 0)
    m.buf("score", "s32", (n + 1) ** 2, check=True)
    m.run("nw_border", (up(n + 1, 128),), (128,), "score", n)
    tiles = n // 32
    for d in range(2 * tiles - 1):
        m.run("nw_diagonal", (min(d + 1, 2 * tiles - 1 - d),), (32,), "across", "down", "similarity", "score", n, d)


def particlefilter(m, particles, side, draw="particle_draw"):
    """draw: which kernel, as a walk from the beginning grows with the square of the particles"""
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
        m.run(draw, grid, block, "sum", *now, *then, particles)


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


def sad_shapes(m, width, height, reach):
    """sad with all seven shapes of blocks"""
    vectors = (2 * reach + 1) ** 2
    stride = vectors + vectors % 2
    pixels = width * height
    m.params(width=width, height=height, reach=reach)
    m.buf("frame", "u8", pixels, "bytes", 1, 256, 0)
    m.buf("other", "u8", pixels, "bytes", 2, 256, 0)
    for name, size in (("sums4", 16), ("wide8", 32), ("tall8", 32), ("sums8", 64), ("wide16", 128), ("tall16", 128), ("sums16", 256)):
        m.buf(name, "u16", pixels // size * stride, check=True)
    groups = up(stride // 2, 128)
    m.run("sad_4x4_even", (up(vectors, 64), pixels // 16), (64,), "frame", "other", "sums4", width, height, reach, stride)
    m.run("sad_shapes", (groups, pixels // 64), (128,), "sums4", "wide8", "tall8", "sums8", width // 4, stride // 2)
    m.run("sad_shapes", (groups, pixels // 256), (128,), "sums8", "wide16", "tall16", "sums16", width // 8, stride // 2)


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


def similarity(m, documents, length, rows):
    m.buf("words", "f32", documents * length, "mod", 1, 5, 0)
    m.buf("score", "f32", rows * documents, check=True)
    m.buf("best", "u32", rows, check=True)
    m.run("similarity_score", (up(documents, 128), rows), (128,), "words", "score", documents, length)
    m.run("similarity_best", (rows,), (128,), "score", "best", documents)


def spmv(m, rows, least=2, most=26, near=0):
    """near: the width of the band around the diagonal in which all entries lie; 0: anywhere"""
    entries = prefix_total(1, rows, least, most)
    m.buf("row_start", "u32", rows + 1, "prefix", 1, least, most)
    m.buf("column", "u32", entries, "band" if near else "mod", 2, rows, near)
    spmv_product(m, rows, entries)


def spmv_power(m, rows, most):
    entries = powerlaw_total(1, rows, 2, most)
    m.buf("row_start", "u32", rows + 1, "powerlaw", 1, 2, most)
    m.buf("column", "u32", entries, "popular", 2, rows, 0)
    spmv_product(m, rows, entries)


def spmv_sorted(m, rows, most, near):
    """The longest row has `most` entries; columns are within `near` / 2 of the row, or one of two that are beyond the last"""
    m.buf("length", "u32", rows, "band", 1, most + 1, 1)
    m.buf("order", "u32", rows, "lcgperm", p0=rows // 3 * 2 + 1, p1=rows // 5)
    m.buf("column", "u32", rows * most, "mesh", 2, rows, near)
    m.buf("value", "f32", rows * most, "range", 3, -1, 1)
    m.buf("x", "f32", rows + 2, "range", 4, -1, 1)
    m.buf("y", "f32", rows, check=True)
    m.run("spmv_sorted", (up(rows, 128),), (128,), "length", "order", "column", "value", "x", "y", rows)


def spmv_product(m, rows, entries):
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


def tpacf(m, n, sets):
    m.params(sets=sets)
    m.buf("raw", "f32", 3 * sets * n, "range", 1, -1, 1)
    m.buf("sky", "f32", 3 * sets * n)
    m.buf("counts", "u32", 60, check=True)
    m.run("tpacf_unit", (up(n, 128), sets), (128,), "raw", "sky", n, sets)
    m.run("tpacf_pairs", (up(n, 128), 2 * sets - 1), (128,), "sky", "counts", n, sets)


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


def weather(m, columns, levels, steps):
    m.tolerance = 0.0001
    fields = ("temperature", "vapour", "cloud", "rain", "snow")
    n = columns * levels
    m.params(steps=steps)
    for seed, (name, low, high) in enumerate(zip(fields, (262, 0, 0, 0, 0), (292, 12, 1.5, 1, 0.5))):
        m.buf(name, "f32", n, "range", seed + 1, low, high, True)
    m.buf("pressure", "f32", n, "range", 6, 600, 1000)
    m.buf("thickness", "f32", n, "range", 7, 200, 600)
    m.buf("ground", "f32", columns, check=True)
    grid, block = (up(columns, 64),), (64,)
    for _ in range(steps):
        m.run("weather_physics", grid, block, *fields, "pressure", columns, levels)
        m.run("weather_fall", grid, block, "rain", "snow", "thickness", "ground", columns, levels)


# --- what each size is: the arguments of the functions above for tiny, small and paper; a function at the end of them takes
# the others in the workload's own one's place
SIZES = {
    aes: [(128,), (4096,), (65536,)],
    backprop: [(64,), (8192,), (65536,)],
    bfs: [(600, 6), (40000, 10), (1000000, 12)],
    bfs_mesh: [(500, 64, 10), (10000, 500, 26), (131072, 2048, 80)],
    bfs_power: [(500, 64, 5), (8000, 256, 6), (262144, 4096, 8)],
    bitonic: [(1024,), (16384,), (524288,)],
    blackscholes: [(1000,), (100000,), (1000000,)],
    btree: [(3000, 20), (200000, 1500), (1000000, 10000)],
    cfd: [(384,), (20000,), (97046, 192)],
    conv2d: [(30,), (300,), (1024,)],
    cp: [(24, 40), (120, 200), (256, 1000)],
    dwt2d: [(48, 40, 2), (160, 96, 3), (1024, 1024, 3)],
    fwt: [(1024,), (65536,), (1048576,)],
    gaussian: [(12,), (64,), (512,)],
    heartwall: [(64, 60, 1, 2), (160, 120, 6, 2), (609, 590, 360, 3)],
    histo: [(1000, 4, 2, 1), (60000, 40, 4, 8), (1035840, 249, 8, 30)],
    histogram: [(4096, 2), (1048576, 60), (8388608, 720)],
    hotspot: [(24,), (200,), (512,)],
    hotspot3d: [(70, 10, 4), (130, 130, 8), (512, 512, 8)],
    kmeans: [(300,), (24000,), (204800,)],
    laplace3d: [(40, 10, 6), (80, 60, 40), (320, 200, 40)],
    lavamd: [(2,), (4,), (10,)],
    lbm: [(8, 8, 8), (40, 20, 20), (64, 64, 64, True)],
    leukocyte: [(48, 42, 1), (64, 48, 4), (640, 219, 360)],
    libor: [(64, 20, 10), (512, 80, 40), (30720, 80, 40)],
    lud: [(32,), (160,), (1024,)],
    mandelbrot: [(14,), (300,), (1024,)],
    mergesort: [(1000,), (30000,), (1000000,)],
    mri_gridding: [(6, 300), (12, 2500), (48, 131072)],
    mri_q: [(300, 64), (4000, 100), (110592, 768)],
    mummer: [(2000, 32, 4), (131072, 1024, 7), (1048576, 40960, 9)],
    nbody: [(64,), (768,), (4096,)],
    nearn: [(1000, 3), (42764, 5), (1000000, 10)],
    neuralnet: [(1, 4), (2, 100), (28, 100)],
    nqueens: [(6,), (11,), (13, 4)],
    nw: [(64,), (512,), (2048,)],
    particlefilter: [(300, 128), (2000, 1024), (92160, 2048, "particle_bisect")],
    pathfinder: [(500, 16), (10000, 64), (100000, 112)],
    psort: [(300,), (2000,), (8192,)],
    raytrace: [(24, 4), (128, 12), (256, 24)],
    reduction: [(3000, 3), (1000000, 160), (8000000, 720)],
    sad: [(32, 32, 2), (112, 96, 12), (176, 144, 16, sad_shapes)],
    saxpy: [(5000, 4), (1000000, 240), (8000000, 720)],
    scan: [(1200,), (200000,), (262144,)],
    sfilter: [(32,), (256,), (1024,)],
    sgemm: [(30,), (200,), (512,)],
    sgemm_naive: [(24,), (160,), (512,)],
    similarity: [(150, 20, 2), (1000, 48, 8), (8192, 64, 48)],
    spmv: [(500,), (40000,), (146689, 8, 40, 1024)],
    spmv_power: [(400, 64), (8000, 256), (131072, 2048)],
    spmv_sorted: [(512, 12, 64), (16384, 20, 512), (131072, 48, 1024)],
    srad: [(24,), (256,), (512,)],
    stencil: [(40,), (500,), (2048,)],
    storegpu: [(8192,), (65536,), (196608,)],
    streamcluster: [(256, 2), (8192, 3), (65536, 4)],
    tpacf: [(100, 2), (200, 2), (512, 61)],
    transpose: [(50,), (1000,), (2048,)],
    transpose_naive: [(50,), (1000,), (2048,)],
    vecadd: [(5000,), (1000000,), (8000000,)],
    weather: [(100, 6, 1), (800, 10, 1), (30720, 28, 1)],
}


# Aurud's table 6.2, where neither small nor paper is as large: docs/studies/aurud.md compares them all
AURUD = {
    bfs: (65536, 10),
    btree: (10000, 10000),
    cfd: (232536, 192),
    dwt2d: (192, 192, 3),
    heartwall: (609, 590, 51, 3),
    kmeans: (2048,),
    lavamd: (16,),
    particlefilter: (300, 512),
    saxpy: (262144, 1024),
    sgemm_naive: (256,),
    srad: (240,),
    vecadd: (32768,),
}


def main(names):
    for workload, sizes in SIZES.items():
        name = workload.__name__
        if names and name not in names:
            continue
        for size, arguments in zip(("tiny", "small", "paper", "aurud"), sizes + [AURUD.get(workload)]):
            m = Manifest()
            if not arguments:
                continue
            if callable(arguments[-1]):
                arguments[-1](m, *arguments[:-1])
            else:
                workload(m, *arguments)
            with open(os.path.join(ROOT, name, "manifest-%s.json" % size), "w") as f:
                f.write(m.text(name))


main(sys.argv[1:])
