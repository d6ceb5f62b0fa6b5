#!/bin/bash
# Every scheduler with stall and replay, with and without a re-execution queue, on `small` and on the machine
# with one of everything: right output, audit clean, invariants, in a bounded time. Then: results of Mascar
# with re-execution, CCWS and OWL do not depend on threads, windows or jumps.
#
#   tests/pressure/contract.sh BUILD [--all]
. "$(dirname "$0")"/../timing/common
torture=$top/tests/timing/torture.ini
works="spmv histogram"
[ "${1:-}" != --all ] || works="spmv histogram bfs kmeans srad nw"
export bound=8 # times the cycles of the default policies: patience, not a promise
export torture

for name in $works; do for machine in small "$torture"; do
    "$heddle" run "$name" --size tiny --machine "$machine" --quiet --json "$work/base.json" || echo "not ok pressure base $name"
    field "$work/base.json" cycles > "$work/base.$name.$(basename "$machine" .ini)"
done; done

# mix WORKLOAD SCHED HAZARD QUEUE MACHINE
mix() {
    local file=$work/$1.$2.$3.$4.$(basename "$5" .ini) out rc cycles
    out=$("$top/tests/within" 120 "$heddle" run "$1" --size tiny --machine "$5" --set sm.sched="$2" --set sm.hazard="$3" --set sm.lsu.reexec="$4" --audit --check 100 --quiet --json "$file" 2>&1 < /dev/null)
    rc=$?
    cycles=$(field "$file" cycles)
    [ $rc -eq 0 ] && [ "$(field "$file" checksum_ok)" = true ] && [ "$cycles" -le $(($(< "$work/base.$1.$(basename "$5" .ini)") * bound)) ]
    tell $? "pressure $*" "exit $rc, ${cycles:-no} cycles $out"
}
# same WORKLOAD KEYS...
same() {
    local name=$1 how base=
    shift
    for how in "" "-j 2" --no-jumps "--window 1" "--window 7"; do
        # shellcheck disable=SC2086
        "$top/tests/within" 200 "$heddle" run "$name" --size tiny --machine gtx480 --set gpu.sms=3 "${@/#/--set=}" $how --quiet --json "$work/$$.json" > /dev/null 2>&1 < /dev/null
        [ -n "$base" ] || base=$(field "$work/$$.json" state_hash)
        [ -n "$base" ] && [ "$(field "$work/$$.json" state_hash)" = "$base" ]
        tell $? "pressure state $name $* ${how:-as it is}" "$(field "$work/$$.json" state_hash) and $base"
    done
}
export -f mix same
{
    for name in $works; do for sched in $(policies sm.sched); do for hazard in stall replay; do for queue in 0 1 8; do for machine in small "$torture"; do
        echo "mix $name $sched $hazard $queue $machine"
    done; done; done; done; done
    for name in spmv kmeans; do
        echo "same $name sm.sched=mascar sm.lsu.reexec=32"
        echo "same $name sm.sched=mascar sm.lsu.reexec=1 sm.l1.mshrs=2 sm.sched.mascar.handover=use"
        echo "same $name sm.sched=mascar sm.lsu.reexec=4 sm.hazard=replay"
        echo "same $name sm.sched=mascar sm.lsu.reexec=4 sm.l1.mshrs=8 sm.lsu.reexec.order=push sm.sched.mascar.release_percent=50"
        echo "same $name sm.lsu.reexec=4 sm.l1.mshrs=8 sm.lsu.reexec.first=queued sm.lsu.reexec.order=push sm.hazard=replay"
        echo "same $name sm.sched=ccws sm.lsu.reexec=4 sm.l1.sets=4 stats.blocked_hits=true"
        echo "same $name sm.sched=owl sm.sched.owl.interval_cy=100 sm.sched.owl.ctas=1"
    done
} | pool
