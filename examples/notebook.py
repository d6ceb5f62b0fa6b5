# A notebook's worth of heddle: which scheduler suits which program, and why. Run it with
#     PYTHONPATH=python python3 examples/notebook.py
# in a checkout, or with the module installed; cells begin with # %% for editors that show them so.

# %% One program, three schedulers
import heddle

runs = {}
for program in ("bfs", "spmv"):
    for sched in ("lrr", "gto", "two_level"):
        runs[program, sched] = heddle.run(program, size="tiny", set={"sm.sched": sched})

# %% A table: a row a run
rows = [
    {"program": p, "sched": s, "cycles": r["cycles"], "l1_hit_rate": r["formulas"]["l1_hit_rate"]}
    for (p, s), r in runs.items()
]
for row in rows:
    base = runs[row["program"], "lrr"]["cycles"]
    print("%-6s %-10s %8d cycles  speedup %.3f" % (row["program"], row["sched"], row["cycles"], base / row["cycles"]))

# %% The same with pandas, where it is installed
try:
    import pandas
except ImportError:
    pandas = None
if pandas:
    print(pandas.DataFrame(rows).pivot(index="program", columns="sched", values="cycles"))

# %% Where the cycles went: every launch is a flat dict, its statistics are columns
launches = heddle.launches(runs["bfs", "gto"])
parts = {k.rsplit(".", 1)[1]: v for k, v in launches[-1].items() if k.startswith("cpi.proportional.total.")}
total = sum(parts.values())
for name, cycles in sorted(parts.items(), key=lambda x: -x[1])[:4]:
    print("%-18s %5.1f %%" % (name, 100 * cycles / total))

# %% A kernel of one's own, launch by launch
KERNEL = """.version 7.8
.target sm_75
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 by)
{
    .reg .b32 %r<5>; .reg .b64 %d<4>; .reg .f32 %f<4>;
    ld.param.u64 %d0, [x];
    ld.param.f32 %f0, [by];
    mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
    mad.lo.u32 %r3, %r0, %r1, %r2;
    mul.wide.u32 %d1, %r3, 4;
    add.u64 %d2, %d0, %d1;
    ld.global.f32 %f1, [%d2];
    mul.rn.f32 %f2, %f1, %f0;
    st.global.f32 [%d2], %f2;
    ret;
}
"""
with heddle.Device("gtx480") as gpu:
    scale = gpu.load_text(KERNEL).kernel("scale")
    x = gpu.array(range(1024), "f")
    for block in (32, 64, 256):
        result = scale(x, heddle.f32(2.0), grid=1024 // block, block=block)
        print("block %4d: %6d cycles, IPC %.2f" % (block, result["cycles"], gpu.stat("warp_ipc")))
    assert x.read()[5] == 5 * 2.0**3
