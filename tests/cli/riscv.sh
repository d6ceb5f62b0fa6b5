# RISC-V programs on the command line: no manifest, a machine without time, exit codes, disassembly.
. "$(dirname "$0")"/common
# li a0, 0xFFFFFFC0; 'H' and a newline to the console; tmc 0
printf '\023\005\000\374\223\002\200\004\043\000\125\000\223\002\240\000\043\000\125\000\153\000\000\000' > "$work/hello.bin"
expect 0 "$heddle" run "$work/hello.bin" --functional --quiet
[ "$(cat "$work/out")" = H ] || complain "the console says '$(cat "$work/out")'"
expect 0 "$heddle" run "$work/hello.bin" --functional --machine vortex2021 --set sm.warps=8 --json "$work/r.json"
[ "$(json "$work/r.json" warp_instructions)" = 6 ] || complain "warp instructions: $(json "$work/r.json" warp_instructions)"
expect 0 "$heddle" run "$work/hello.bin" --quiet --audit
[ "$(cat "$work/out")" = H ] || complain "the console says '$(cat "$work/out")' with time"
expect 0 "$heddle" run "$work/hello.bin" --machine small --set sm.warps=1 --json "$work/r.json"
[ "$(json "$work/r.json" warp_instructions)" = 12 ] || complain "two cores: $(json "$work/r.json" warp_instructions)"
# where split and join say which lanes go together, fronts are the warps, and lanes do not part at loads
split_says='error: kernel .* split and join say which lanes of a warp go together does not go with sm.diverge'
for diverge in dwf tbc lwm vws; do
    set -- "$work/hello.bin" --machine small --set sm.warps=1 --set sm.diverge=$diverge
    expect 2 "$heddle" run "$@"
    err_has "$split_says = $diverge, .* use isa.vortex.diverge = ipdom, or sm.diverge = pdom"
    expect 0 "$heddle" run "$@" --set isa.vortex.diverge=ipdom --quiet --audit
    [ "$(tr -d '\n' < "$work/out")" = HH ] || complain "the two cores say '$(cat "$work/out")' under $diverge"
done
for split in both memory; do
    set -- "$work/hello.bin" --machine small --set sm.warps=1 --set sm.diverge=dws --set dws.split=$split
    expect 2 "$heddle" run "$@"
    err_has "$split_says = dws at loads, .* use isa.vortex.diverge = ipdom, or dws.split = branch"
    expect 0 "$heddle" run "$@" --set isa.vortex.diverge=ipdom --quiet --audit
done
for diverge in "dws --set dws.split=branch" interweave dual_path frontier; do
    # shellcheck disable=SC2086
    expect 0 "$heddle" run "$work/hello.bin" --machine small --set sm.warps=1 --set sm.diverge=$diverge --quiet --audit
done
expect 0 "$heddle" compare "$work/hello.bin" --machine vortex2021 --vary sm.sched=vortex_rr,lrr
out_has 'outputs      identical'
expect 2 "$heddle" run "$work/hello.bin" --functional --machine gtx480
err_has 'shared memory .* such as vortex2021, or a smaller sm.warps'
expect 0 "$heddle" run "$work/hello.bin" --functional --machine gtx480 --set sm.warps=4 --quiet
expect 2 "$heddle" run "$work/hello.bin" --functional --size tiny
err_has '.--size goes with a bundled workload'
expect 2 "$heddle" run "$work/hello.bin" --functional --konata "$work/k"
err_has '.--konata needs timing'
expect 2 "$heddle" run "$work/hello.bin" --functional --set isa.vortex=v4
err_has 'isa.vortex'
expect 0 "$heddle" check "$work/hello.bin" --disasm
out_has '0x80000000: addi a0, zero, -64'
out_has '0x80000014: vx_tmc zero'
expect 0 "$heddle" check "$work/hello.bin" --disasm --set isa.vortex=v3
out_has '0x80000014: .word 0x0000006b'
expect 0 "$heddle" run "$work/hello.bin" --functional --quiet --trace-exec="$work/t"
grep -q 'warp 0 pc 2 mask 00000001 0x80000008: sb t0, 0(a0)' "$work/t" || complain "the trace is $(head -3 "$work/t")"

# a run in which nothing is paid for split and join says so, in every report
remark='isa.vortex.diverge = ipdom: branches part lanes by themselves; the program has not paid for split and join'
for how in --functional "--machine vortex2021" "--machine vortex2021 --full" "--machine small --set sm.warps=1"; do
    # shellcheck disable=SC2086
    expect 0 "$heddle" run "$work/hello.bin" $how --set isa.vortex.diverge=ipdom --json "$work/r.json"
    tr -s ' \n' '  ' < "$work/out" | grep -q "remark $remark" || complain "run $how says nothing of ipdom"
    same "$(json "$work/r.json" remark)" "$remark" "the results of run $how"
done
expect 0 "$heddle" run "$work/hello.bin" --machine vortex2021 --json "$work/r.json"
out_lacks remark
grep -q '"remark"' "$work/r.json" && complain "a run under split has a remark"

# li gp, 5; ecall
printf '\223\001\120\000\163\000\000\000' > "$work/fails.bin"
expect 3 "$heddle" run "$work/fails.bin" --functional
err_has 'the program ended with status 5'
# compiled OpenCL C: an image is of one map and one way to diverge
image() { "$heddle" run "$top/tests/golden/riscv_$1.json" --machine aurud2023 --functional --quiet "${@:2}"; }
expect 0 image group_split
expect 0 "$heddle" run "$top/tests/golden/riscv_group_split.json" --machine vortex2021 --set isa.riscv.ext=imaf \
    --set gpu.sms=2 --quiet --json "$work/r.json"
shares="$(json "$work/r.json" launches.0.formulas.work_most) $(json "$work/r.json" launches.0.formulas.work_least)"
awk '{ exit !($1 >= 1 && $1 + $2 > 1.999 && $1 + $2 < 2.001) }' <<< "$shares" || complain "two SMs have $shares of their mean"
expect 2 image group_split --set isa.vortex.diverge=ipdom
err_has 'compiled with split, join and pred.* set isa.vortex.diverge = split'
expect 2 image group_ipdom
err_has 'compiled without split and join'
expect 2 image lanes_split
err_has 'compiled for runtime.map = lanes'
expect 2 image atomics --set isa.vortex.diverge=ipdom --set isa.riscv.ext=imf
err_has 'set isa.riscv.ext = imaf'
expect 2 image group_split --set isa.vortex=v3
err_has 'compiled for Vortex of 2021'
# a host's buffer where programs leave their counters, too: t0 = 0xFF000000; prints the byte at t0; writes beyond the buffer
printf '\267\002\000\377\003\243\002\000\023\005\000\374\043\000\145\000\223\003\240\000\043\000\165\000\043\240\142\020\153\000\000\000' > "$work/io.bin"
cat > "$work/io.json" << 'END'
{"program": "io.bin",
 "buffers": [{"name": "io", "type": "u32", "count": 2, "at": "0xff000000", "values": [72, 73]}],
 "launches": [{"kernel": "program", "grid": [1], "block": [1], "args": []}]}
END
for how in --audit "--functional --set isa.vortex.diverge=ipdom"; do
    # shellcheck disable=SC2086
    expect 0 "$heddle" run "$work/io.json" --machine vortex2021 $how --quiet
    [ "$(cat "$work/out")" = H ] || complain "the host's byte at 0xFF000000 is '$(cat "$work/out")' with $how"
done
# keys without time are those of a machine, which a manifest does not name
expect 2 "$heddle" run "$work/io.json" --functional --set isa.vortex.diverge=ipdom
err_has '.--set needs timing; leave out --functional, or, where a RISC-V program runs, say on which --machine'
# what is no image
printf 'abc' > "$work/short.bin"
expect 2 "$heddle" check "$work/short.bin"
err_has 'shorter than one instruction'
head -c 5000000 /dev/zero > "$work/large.bin"
expect 2 "$heddle" check "$work/large.bin"
err_has 'larger than the 4194304 that are read as code'
finish
