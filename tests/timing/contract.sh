#!/bin/bash
# Any scheduler works with any divergence policy, fetch policy, issue width and kind of collectors, ideal or not: right output, audit clean, in a bounded time (D7).
# Then what the divergence policies promise of each other.
#
#   tests/timing/contract.sh BUILD [--all]
#
# Every scheduler with every divergence policy, and with each pair every mixture of the rest; the hazard policy changes from mixture to mixture, with --all each mixture meets each of them.
. "$(dirname "$0")"/common
export bound=6 # times the cycles of the default policies: patience, not a promise
export all=${1:-}

# Workloads with barriers, divergence, atomics and many launches
works="reduction nqueens histogram bfs"
for name in $works; do
    "$heddle" run "$name" --size tiny --machine small --quiet --json "$work/base.json" || echo "not ok contract base $name"
    field "$work/base.json" cycles > "$work/base.$name"
done

# mix NAME SCHED DIVERGE: one test of all the rest with these
mix() {
    local name=$1 sched=$2 diverge=$3 base fetch width collectors ideal hazard turn out= n=0
    base=$(< "$work/base.$name")
    for fetch in $fetches; do for width in 1 2; do for collectors in generic:4 separated:2/1/2; do for ideal in 0 1; do
        n=$((n + 1)) turn=0
        for hazard in $hazards; do
            turn=$((turn + 1))
            [ -n "$all" ] || [ $((n % $nhazards + 1)) -eq $turn ] || continue
            set -- sm.sched=$sched sm.diverge=$diverge sm.fetch=$fetch sm.issue_width=$width sm.collectors=$collectors sm.hazard=$hazard \
                sm.operands.ideal=$ideal sm.icache.ideal=$ideal noc.ideal=$ideal
            one_mix "${@/#/--set=}" || out+="heddle run $name --size tiny --machine small --audit ${*/#/--set }: $(tail -3 "$work/$$.err") $(field "$work/$$.json" cycles) cycles"$'\n'
        done
    done; done; done; done
    [ -z "$out" ]
    tell $? "contract $name $sched $diverge" "$out"
}
# A pair that does not go together is refused with the reason
one_mix() {
    local rc
    timeout 60 "$heddle" run "$name" --size tiny --machine small --audit --quiet --json "$work/$$.json" "$@" > "$work/$$.err" 2>&1 < /dev/null
    rc=$?
    case $diverge/$hazard in
    mimd/retain | mimd/replay) [ $rc -eq 2 ] && grep -q 'sm.diverge = mimd does not go with sm.hazard' "$work/$$.err"; return ;;
    esac
    [ $rc -eq 0 ] && [ "$(field "$work/$$.json" checksum_ok)" = true ] && [ "$(field "$work/$$.json" cycles)" -le $((base * bound)) ]
}
fetches=$(policies sm.fetch)
hazards=$(policies sm.hazard)
nhazards=$(wc -w <<< "$hazards")
export fetches hazards nhazards
export -f mix one_mix

mixes() {
    local name sched diverge
    for name in $works; do for sched in $(policies sm.sched); do for diverge in $(policies sm.diverge); do echo "mix $name $sched $diverge"; done; done; done
}
[ -n "$(policies sm.sched)" ] && [ -n "$(policies sm.diverge)" ] && [ -n "$fetches" ] && [ -n "$hazards" ]
tell $? "contract the policies' names can be listed"
mixes | pool

# --- what the divergence policies promise of each other

# cycles X DIVERGE: of a run on small; a failed test when it fails
cycles() {
    right "diverge $(basename "$1" .json) $2" $1 --machine small --set "sm.diverge=$2" --audit --max-cycles 5000000 >> "$work/tap"
    field "$work/diverge_$(basename "$1" .json)_$2.json" cycles
}
# faster X A B PERCENT: X takes under A at most PERCENT of the cycles it takes under B
faster() {
    local a b
    a=$(cycles "$1" "$2") b=$(cycles "$1" "$3")
    [ $((a * 100)) -le $((b * $4)) ]
    tell $? "diverge $(basename "$1" .json): $2 takes at most $4 % of the cycles of $3" "$a and $b cycles"
}
: > "$work/tap"
LIMIT_S=60
faster "$here"/ptx/branches.json mimd pdom 80
faster "$here"/ptx/branches.json mimd its 80
faster "$here"/ptx/branches.json pdom none 50
faster "$here"/ptx/branches.json its none 50
faster "$here"/ptx/two_loads.json its pdom 80
faster "$here"/ptx/two_loads.json mimd pdom 80
# Memory decides here: under mimd parts load by themselves what the whole warp loads at once under the others, so a little more time is no contradiction
for name in bfs nqueens spmv; do
    faster "$name --size tiny" mimd pdom 103
    faster "$name --size tiny" pdom none 100
done
# Lanes that wait for a lane of their own warp: parts that take turns get there, a stack does not (tests/bad/spin_lock_on_a_stack.ptx has its message)
for name in its mimd; do cycles "$here"/ptx/spin_lock.json $name > /dev/null; done
sort -u "$work/tap"
