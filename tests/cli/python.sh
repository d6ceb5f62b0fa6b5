# The Python module runs workloads, manifests, programs and kernels; mistakes are exceptions with heddle's words.
. "$(dirname "$0")"/common
command -v python3 > /dev/null || { echo "no python3; to install: apt-get install python3"; exit 77; }
export PYTHONPATH=$top/python PYTHONDONTWRITEBYTECODE=1
cat > "$work/prepare.py" <<PY
import heddle
heddle.command, heddle.library = "$heddle", "$B/libheddle.so.0"
PY
ask() { cat "$work/prepare.py" - > "$work/ask.py"; (cd "$work" && expect 0 python3 ask.py); cat "$work/err"; }
ask > "$work/said" <<PY
import json, subprocess
r = heddle.run("vecadd", size="tiny", machine="small", set={"sm.sched": "gto", "gpu.perfect_memory": True})
assert r["checksum_ok"] and r["cycles"] > 0 and r["machine"] == "small"
again = json.loads(subprocess.run([heddle.command, "run", "vecadd", "--size", "tiny", "--machine", "small", "--set", "sm.sched=gto", "--set",
    "gpu.perfect_memory=true", "--json", "-"], capture_output=True, check=True).stdout)
assert again["state_hash"] == r["state_hash"]
rows = heddle.launches(r)
assert rows[0]["counters.warp_instructions"] == r["counters"]["warp_instructions"] and not any(isinstance(v, (dict, list)) for v in rows[0].values())
assert heddle.kernels(r)[0]["name"] == "vecadd"
result, intervals = heddle.samples("vecadd", size="tiny", set={"stats.sample_cy": 500})
assert len(intervals) >= 2 and isinstance(intervals[1]["cycle"], int), intervals[:1]
f = heddle.run("vecadd", size="tiny", functional=True)
assert f["mode"] == "functional"
for wrong, words in ((lambda: heddle.run("vecad"), "did you mean"), (lambda: heddle.run("vecadd", set={"sm.shed": 1}), "sm.sched"),
                     (lambda: heddle.Device("gtx48"), "gtx480"), (lambda: heddle.Device().load("nosuch.ptx"), "nosuch.ptx"),
                     (lambda: heddle.run("$top/examples/kernel.ptx", manifest="$top/examples/launch.json"), "outside every allocation")):
    try:
        wrong()
    except heddle.Error as e:
        assert words in str(e) and e.code in (2, 3), (str(e), e.code)
    else:
        raise AssertionError("no exception: " + words)
manifest = {"program": "$top/examples/scale.ptx", "buffers": [{"name": "x", "type": "u32", "count": 64, "check": True}],
            "launches": [{"kernel": "scale", "grid": [1, 1, 1], "block": [64, 1, 1], "args": [{"buf": "x"}, {"type": "u32", "value": 3}]}]}
assert heddle.run("$top/examples/scale.ptx", manifest=manifest)["cycles"] > 0
with heddle.Device("gtx480", set={"sm.sched": "gto"}) as gpu:
    x = gpu.array(range(256), "I")
    scale = gpu.load("$top/examples/scale.ptx").kernel("scale")
    r = scale(x, heddle.u32(3), grid=4, block=64)
    assert x.read()[100] == 300 and r["timed"] and r["cycles"] > 0 and r["threads"] == 256 and r["instruction_mix"]
    assert gpu.stat("warp_instructions") == r["warp_instructions"]
    try:
        scale(x, 3, grid=4, block=64)
    except TypeError as e:
        assert "heddle.u32" in str(e)
    else:
        raise AssertionError("an argument without a type")
    module = gpu.load("$top/examples/scale.ptx")
gpu.close()
for late in (lambda: gpu.array([1]), lambda: x.read(), lambda: x.write([1]), lambda: x.free(), lambda: gpu.stat("cycles"), lambda: gpu.message(),
             lambda: module.kernel("scale"), lambda: scale(x, heddle.u32(3), grid=4, block=64), lambda: scale.handle, lambda: module.handle,
             lambda: gpu.load("$top/examples/scale.ptx"), lambda: gpu.load_text("")):
    try:
        late()
    except heddle.Error as e:
        assert "the device is closed" in str(e) and e.code == 2, str(e)
    else:
        raise AssertionError("a closed device still works")
PY
[ ! -s "$work/said" ] || { complain "the module:"; tail -5 "$work/said"; }
if [ -x "$B/opencl/app" ] && [ -e "$B/libheddle-opencl.so" ]; then
    ask > "$work/said" <<PY
import subprocess
r = heddle.exec(["$B/opencl/app"], machine="small", output=subprocess.DEVNULL)
assert r["exit_code"] == 0 and len(heddle.launches(r)) >= 1
PY
    [ ! -s "$work/said" ] || { complain "exec:"; tail -5 "$work/said"; }
fi
# the notebook, as it is
cp "$top/python/heddle.py" "$work/" && sed -i "s|^command = .*|command = \"$heddle\"|; s|^library = .*|library = \"$B/libheddle.so.0\"|" "$work/heddle.py"
(cd "$work" && PYTHONPATH=$work expect 0 python3 "$top/examples/notebook.py"; exit $failures) || complain "the notebook fails"
grep -q '^bfs .*speedup 1.000' "$work/out" && grep -q '^block  256: ' "$work/out" || complain "the notebook prints something else"
finish
