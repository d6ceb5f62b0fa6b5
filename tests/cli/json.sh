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
# and what younger instructions had written by then, where they may; the third block's store is far outside
cat > "$work/young.ptx" <<'PTX'
.version 7.8
.target sm_80
.address_size 64
.visible .entry young(.param .u64 out)
{
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [out];
    mov.u32 %r0, %tid.x;
    ld.global.u32 %r1, [%rd0+1048576];
    add.u32 %r2, %r0, 1;
    mul.lo.u32 %r3, %r0, 5;
    add.u32 %r4, %r1, %r2;
    add.u32 %r4, %r4, %r3;
    st.global.u32 [%rd0], %r4;
    ret;
}
PTX
cat > "$work/young.json" <<'JSON'
{"ptx": "young.ptx",
 "buffers": [{"id": 0, "name": "out", "type": "u32", "count": 64, "generator": "hash", "seed": 1, "check": true}],
 "launches": [{"kernel": "young", "grid": [1, 1, 1], "block": [32, 1, 1], "args": [{"buf": 0}]}]}
JSON
expect 3 "$heddle" run "$work/young.json" --machine small --set sm.order=tomasulo --quiet --json "$work/young.out"
err_has '2 younger instructions of its warp had already written'
err_has '^    .*young.ptx:11:.*add.u32 %r2, %r0, 1'
same "$(json "$work/young.out" counters.younger_written)" 2 "younger_written"
json "$work/young.out" error | grep -q 'mul.lo.u32 %r3, %r0, 5' || complain "the error of the JSON does not list what was written"
expect 3 "$heddle" run "$work/young.json" --machine small --set sm.order=rob --quiet --json "$work/young.out"
err_has 'no younger instruction of its warp had written'
same "$(json "$work/young.out" counters.younger_written)" 0 "younger_written with precise state"
# check
expect 0 "$heddle" check "$work/scale.ptx" --json -
same "$(json "$work/out" files.0.kernels.0.name)" scale "kernel in heddle check"
finish
