#!/bin/bash
# Every counter, cycle and byte of a run is the same for any number of host threads, with jumps off, for
# windows cut short, and for the other compiler's build (D4, D5).
#
#   tests/timing/determinism.sh BUILD OTHER_BUILD
#
# One change at a time against a base run; what is compared is the whole JSON result with every SM's,
# partition's and instruction's counters, host times left out. A trace, an audit or interval samples may not
# change a counter either; the sampling key is part of the machine, so there only the state is compared.
. "$(dirname "$0")"/common
other=$(realpath "$1")/heddle
export other

# simulated FILE COMMAND...: the result without what depends on the host, in FILE
simulated() {
    local file=$1
    shift
    "$top/tests/within" 300 "$@" --quiet --per-sm --by-pc --json "$file.json" > "$file" 2>&1 < /dev/null || return 1
    grep -vE '"(wall_seconds|setup_seconds|warp_ips)"' "$file.json" > "$file"
}
state() { grep -E '"(state_hash|cycles|checksum)"' "$1.json"; }

# unchanged NAME ARGUMENTS...: one test per way to simulate
unchanged() {
    local name=$1 file=$work/${1// /_} how
    shift
    simulated "$file" "$heddle" run "$@" || { tell 1 "$name base" "$(cat "$file")"; return; }
    for how in "-j 2" "-j 4" --no-jumps "--window 1" "--window 7"; do
        simulated "$file.new" "$heddle" run "$@" $how && cmp -s "$file" "$file.new"
        tell $? "$name $how" "$(diff "$file" "$file.new" | grep '^>')"
    done
    simulated "$file.new" "$other" run "$@" && cmp -s "$file" "$file.new"
    tell $? "$name the other compiler" "$(diff "$file" "$file.new" | grep '^>')"
    for how in "--konata /dev/null --trace-cycles 100..300" --audit "--set stats.sample_cy=777" "--check 1000"; do
        simulated "$file.new" "$heddle" run "$@" $how && [ "$(state "$file")" = "$(state "$file.new")" ]
        tell $? "$name $how" "$(diff "$file" "$file.new" | grep '^>')"
    done
}
export -f simulated state unchanged

# Atomics, barriers, divergence, many launches, a pointer chase; formed fronts; then cuts that measuring
# control makes
cases() {
    local name
    for name in lud bfs atomic_contend hist_global hist_shared reduce_shared scan nw gaussian divswitch mandelbrot; do
        echo "unchanged 'gtx480 $name' '$apps/$name.json' --machine gtx480"
    done
    for name in nn hist_shared; do echo "unchanged 'h200 $name' '$apps/$name.json' --machine h200"; done
    for name in chase atomic_contend; do echo "unchanged 'small $name' '$apps/$name.json' --machine small"; done
    echo "unchanged 'dwf bfs' bfs --size tiny --machine gtx480 --set sm.diverge=dwf"
    echo "unchanged 'interweave bfs' bfs --size tiny --machine gtx480 --set sm.diverge=interweave --set interweave.lanes=xor"
    echo "unchanged 'dws spmv' spmv --size tiny --machine gtx480 --set sm.diverge=dws --set dws.meet=bypass"
    echo "unchanged 'dwf sched reduction' reduction --size tiny --machine h200 --set sm.diverge=dwf --set dwf.policy=sched --set dwf.permute=xor"
    echo "unchanged 'vws bfs' bfs --size tiny --machine gtx480 --set sm.diverge=vws --set vws.memory=group"
    echo "unchanged 'lwm nqueens' nqueens --size tiny --machine gtx480 --set sm.diverge=lwm --set lwm.warps=3"
    echo "unchanged 'tbc bfs' bfs --size tiny --machine gtx480 --set sm.diverge=tbc"
    echo "unchanged 'rob raytrace' raytrace --size tiny --machine jin2012 --set gpu.sms=2 --set sm.schedulers=2 --set sm.order=rob --set sm.pipe=units --set sm.pipe.return_first=false"
    echo "unchanged 'dwf move nqueens' nqueens --size tiny --machine jin2012 --set sm.diverge=dwf --set dwf.conflict=move --set sm.warp_scale=hybrid"
    for name in bfs histogram nqueens; do
        echo "unchanged 'max-cycles $name' $name --size tiny --machine gtx480 --max-cycles 1234"
        echo "unchanged 'warmup $name' $name --size tiny --machine gtx480 --warmup 777"
        echo "unchanged 'blocks first $name' $name --size tiny --machine gtx480 --fast-forward-ctas 2"
    done
}
cases | pool
