# JSON results: valid, alone on standard output, with the keys scripts rely on.
. "$(dirname "$0")"/common
expect 0 "$heddle" run bfs --functional --size tiny --quiet --json "$work/r.json"
out_empty
for key in warp_instructions thread_instructions wall_seconds setup_seconds checksum_ok checksum instruction_mix kernels launches \
    launches.0.index launches.0.kernel launches.0.warp_instructions launches.0.registers launches.0.threads; do
    json "$work/r.json" $key > /dev/null
done
same "$(json "$work/r.json" checksum_ok)" true checksum_ok
same "$(json "$work/r.json" launches.1.index)" 1 "index of the second launch"
expect 0 "$heddle" run bfs --functional --size tiny --json -
json "$work/out" warp_instructions > /dev/null
err_empty
# the sum of the launches is the whole
sum=0
i=0
while n=$("$B"/json_get "$work/r.json" launches.$i.warp_instructions 2> /dev/null); do sum=$((sum + n)) i=$((i + 1)); done
same $sum "$(json "$work/r.json" warp_instructions)" "sum over launches"
# no expectation: checksum_ok is null
cat > "$work/none.json" <<'JSON'
{"ptx": "scale.ptx",
 "buffers": [{"id": 0, "name": "out", "type": "u32", "count": 64, "generator": "hash", "seed": 1, "check": true}],
 "launches": [{"kernel": "scale", "grid": [2, 1, 1], "block": [32, 1, 1], "args": [{"buf": 0}, {"type": "u32", "value": 3}]}]}
JSON
cp "$top/tests/bad/good/scale.ptx" "$work"
expect 0 "$heddle" run "$work/none.json" --functional --quiet --json "$work/none.out"
same "$(json "$work/none.out" checksum_ok)" null "checksum_ok without an expectation"
# a faulting run still leaves JSON that says so
sed 's/\[2, 1, 1\]/[3, 1, 1]/' "$work/none.json" > "$work/fault.json"
expect 3 "$heddle" run "$work/fault.json" --functional --quiet --json "$work/fault.out"
json "$work/fault.out" error > /dev/null
same "$(json "$work/fault.out" finished)" false "finished of a run that stopped"
# check
expect 0 "$heddle" check "$work/scale.ptx" --json -
same "$(json "$work/out" files.0.kernels.0.name)" scale "kernel in heddle check"
finish
