#!/bin/bash
# Every hazard policy with every tracker, predictor and scheduler: right output, audit clean, invariants
# checked in every cycle, in a bounded time; and what prediction promises.
#
#   tests/replay/contract.sh BUILD [--all]
#
# Three tiny workloads under lrr, gto and two_level, one under every other scheduler, on a machine whose
# MSHRs, miss queue and TLB are short, so that every hazard is met. With --all the recorded applications on
# turner2012 keep the promises too.
. "$(dirname "$0")"/../timing/common
export bound=6 # times the cycles of `stall`: patience, not a promise
export scarce="--machine small --set sm.l1.mshrs=4 --set sm.l1.merge=2 --set sm.l1.miss_queue=2 --set sm.const.mshrs=1 --set sm.l1.sets=4 --set sm.l1.ways=2 --set sm.schedulers=2 --set sm.issue_width=2 --set sm.tlb.entries=8"
works="bfs spmv histogram"

# counter JSON NAME: from the counters of the whole run (the first of that name)
counter() { sed -n "s/^ *\"$2\": \([0-9]*\),\{0,1\}$/\1/p;/\"launches\"/q" "$1" | head -1; }

predictions() {
    local tracker predictor
    echo "none hit mshr"
    for tracker in naive credit; do for predictor in hit miss counter oracle; do echo "$tracker $predictor mshr"; done; done
    echo "naive miss comq"
    echo "credit counter comq"
}

# all_of NAME HAZARD SCHED: one test of every prediction with these
all_of() {
    local name=$1 hazard=$2 sched=$3 base tracker predictor resource out= file=$work/$1.$2.$3
    base=$(< "$work/base.$name")
    while read -r tracker predictor resource; do
        set -- sm.hazard=$hazard sm.sched=$sched sm.hazard.tracker=$tracker
        [ $tracker = none ] || set -- "$@" sm.hazard.predictor=$predictor sm.hazard.resource=$resource
        "$top/tests/within" 120 "$heddle" run "$name" --size tiny $scarce --audit --check 1 --quiet --json "$file.json" "${@/#/--set=}" > "$file.err" 2>&1 < /dev/null \
            && [ "$(field "$file.json" checksum_ok)" = true ] && [ "$(field "$file.json" cycles)" -le $((base * bound)) ] && promises "$file.json" $tracker $predictor $resource \
            || out+="heddle run $name --size tiny $scarce --audit --check 1 ${*/#/--set }: $(tail -3 "$file.err") $(field "$file.json" cycles) cycles"$'\n'
        [ $hazard$predictor$resource = stallhitmshr ] && grep -vE '"(wall_seconds|setup_seconds|warp_ips|config_hash|state_hash|sm.hazard.tracker|limit|predicted_.*|prediction_right|virtual_credits)"' "$file.json" > "$file.$tracker"
    done < <(predictions)
    [ -z "$out" ]
    tell $? "replay $name $hazard $sched" "$out"
    [ $hazard = stall ] || return
    for tracker in naive credit; do # hit holds nothing back that has not been replayed
        cmp -s "$file.none" "$file.$tracker"
        tell $? "replay $name $sched: stall with $tracker and hit is stall" "$(diff "$file.none" "$file.$tracker")"
    done
}

# Under credit and hit a line access is refused an MSHR once; again only when it held a credit and was robbed,
# by an access that took its MSHR without one. (Each robbery is checked as it happens: 35_predict.c, T3.)
promises() {
    local robbed
    [ $2$3$4 = credithitmshr ] || return 0
    robbed=$(counter "$1" mshr_robbed)
    [ "$(counter "$1" mshr_refused_again)" -le "$robbed" ] && [ "$robbed" -le "$(counter "$1" virtual_credits)" ]
}
export -f all_of predictions counter promises

for name in $works; do
    "$heddle" run "$name" --size tiny $scarce --quiet --json "$work/base.json" || echo "not ok replay base $name"
    field "$work/base.json" cycles > "$work/base.$name"
done
cases() {
    local name hazard sched
    for name in $works; do for hazard in stall retain replay; do for sched in lrr gto two_level; do echo "all_of $name $hazard $sched"; done; done; done
    for sched in $(policies sm.sched); do # the others with one of the workloads
        case $sched in lrr | gto | two_level) continue ;; esac
        for hazard in stall retain replay; do echo "all_of bfs $hazard $sched"; done
    done
}
cases | pool

# --- pairs that do not go together are refused at the start, with the reason
refused() {
    local name=$1 reason=$2 out rc
    shift 2
    out=$("$top/tests/within" 60 "$heddle" run vecadd --size tiny --machine small --quiet "${@/#/--set=}" 2>&1 < /dev/null)
    rc=$?
    [ $rc -eq 2 ] && grep -q "$reason" <<< "$out"
    tell $? "replay refused: $name" "exit $rc: $out"
}
refused "mimd with retain" "does not go with sm.hazard = retain: several instructions" sm.diverge=mimd sm.hazard=retain
refused "mimd with replay" "does not go with sm.hazard = replay: several instructions" sm.diverge=mimd sm.hazard=replay
refused "mimd with a tracker" "does not go with sm.hazard.tracker: prediction looks at the one" sm.diverge=mimd sm.hazard.tracker=credit
refused "a table of counters that is no power of two" "must be a power of two" sm.hazard.tracker=credit sm.hazard.predictor=counter sm.hazard.counter.entries=1000
refused "re-execution with a tracker" "does not go with sm.hazard.tracker: a credit is for an instruction in the pipe" sm.lsu.reexec=8 sm.hazard.tracker=credit

# --- and so is a key that would do nothing; its default is not
idle() {
    local assignment=$1 other=$2
    shift 2
    refused "$assignment beside ${other#*=}" "${assignment%=*} is ${assignment#*=}, which does nothing while ${other%=*} is ${other#*=}; set ${other%=*} to" "$assignment" "$@"
}
idle sm.hazard.predictor=miss sm.hazard.tracker=none
idle sm.hazard.resource=comq sm.hazard.tracker=none sm.hazard=replay
idle sm.hazard.tracker_cy=3 sm.hazard.tracker=none
idle sm.hazard.tracker_cy=3 sm.hazard.tracker=credit sm.hazard.tracker=credit
idle sm.hazard.counter.entries=64 sm.hazard.predictor=oracle sm.hazard.tracker=credit sm.hazard.predictor=oracle
idle sm.hazard.counter.bits=3 sm.hazard.predictor=hit sm.hazard.tracker=naive
idle sm.hazard.counter.scope=sm sm.hazard.predictor=miss sm.hazard.tracker=naive sm.hazard.predictor=miss
idle sm.hazard.signal_cy=1 sm.hazard=stall
idle sm.hazard.unbounded_buffer=true sm.hazard=stall
idle sm.hazard.in_stage=bank sm.hazard=stall
idle sm.hazard.in_stage=div sm.hazard=retain sm.hazard=retain
right 'replay defaults beside anything' vecadd --size tiny --machine small --set sm.hazard.predictor=hit --set sm.hazard.tracker_cy=0 --set sm.hazard.signal_cy=0 --set sm.hazard.in_stage=none --set sm.hazard.counter.scope=chip

# --- a line for each replay; looking changes nothing
replay_lines() {
    local lines file=$work/replays
    "$heddle" run bfs --size tiny $scarce --set sm.hazard=replay --quiet --json "$file.json" --trace-replay "$file" > "$file.err" 2>&1 < /dev/null
    lines=$(($(wc -l < "$file") - 1))
    [ "$lines" -gt 0 ] && [ "$lines" -eq "$(counter "$file.json" replays)" ]
    tell $? "replay --trace-replay has a line for each replay" "$lines lines, $(counter "$file.json" replays) replays; $(head -3 "$file")"
    "$heddle" run bfs --size tiny $scarce --set sm.hazard=replay --hazards 2>&1 < /dev/null | grep -q 'predicted_speedup'
    tell $? "replay --hazards shows the measures"
}
replay_lines

# --- replays are no work: where they take the issue slots, the summary says so and what would help
limited() {
    local name=$1 want=$2 out
    shift 2
    out=$("$heddle" run bfs --size tiny --machine small --set sm.l1.mshrs=2 "$@" 2>&1 < /dev/null | sed -n '/^limited by/,/^$/p' | tr -s '\n ' ' ')
    grep -q "$want" <<< "$out"
    tell $? "replay limited by: $name" "$out"
}
limited "replays" "limited by replays, [0-9]* % of scheduler cycles: [0-9.]* replays for each instruction take issue slots, mostly after the mshr hazard (.*); more sm.l1.mshrs would avoid it, sm.hazard.tracker = credit only the replays" --set sm.hazard=replay
limited "held-back loads" "limited by a full memory pipe, .* loads are held back, by hazard prediction or the scheduler; [0-9.]* of 2 MSHRs" --set sm.hazard=replay --set sm.hazard.tracker=credit
limited "stalls, not replays" "limited by waiting for memory" --set sm.hazard=stall

# --- delays, the unbounded buffer: right, and the bookkeeping holds
delays() {
    local hazard
    for hazard in retain replay; do
        echo "right 'replay signals 7 cycles late $hazard' bfs --size tiny $scarce --audit --check 1 --set sm.hazard=$hazard --set sm.hazard.signal_cy=7 --set sm.hazard.tracker=credit"
        echo "right 'replay unbounded buffer $hazard' spmv --size tiny $scarce --audit --check 1 --set sm.hazard=$hazard --set sm.hazard.unbounded_buffer=1"
    done
    local stays
    for stays in bank div both; do
        echo "right 'replay passes in the stage: $stays' histogram --size tiny $scarce --audit --check 1 --set sm.hazard=replay --set sm.hazard.in_stage=$stays --set sm.hazard.tracker=credit"
        echo "right 'replay lines in the stage: $stays' spmv --size tiny $scarce --audit --check 1 --set sm.hazard=replay --set sm.hazard.in_stage=$stays --set sm.hazard.tracker=naive --set sm.hazard.predictor=oracle"
    done
    echo "right 'replay naive 9 cycles late' bfs --size tiny $scarce --audit --check 1 --set sm.hazard=replay --set sm.hazard.tracker=naive --set sm.hazard.predictor=miss --set sm.hazard.tracker_cy=9"
}
delays | pool

# --- the same for any number of host threads, jumps off, windows cut
simulated() {
    local file=$1
    shift
    "$top/tests/within" 300 "$heddle" run "$@" --quiet --per-sm --by-pc --json "$file.json" > "$file" 2>&1 < /dev/null || return 1
    grep -vE '"(wall_seconds|setup_seconds|warp_ips)"' "$file.json" > "$file"
}
unchanged() {
    local name=$1 file=$work/${1// /_} how
    shift
    simulated "$file" "$@" || { tell 1 "$name base" "$(cat "$file")"; return; }
    for how in "-j 2" "-j 4" --no-jumps "--window 1" "--window 7"; do
        simulated "$file.new" "$@" $how && cmp -s "$file" "$file.new"
        tell $? "$name $how" "$(diff "$file" "$file.new" | grep '^>')"
    done
}
export -f simulated unchanged
same() {
    local pair
    for pair in "credit counter" "naive counter" "credit oracle"; do
        set -- $pair
        echo "unchanged 'replay determinism $pair' bfs --size tiny --machine turner2012 --set sm.l1.mshrs=8 --set sm.hazard=replay --set sm.hazard.tracker=$1 --set sm.hazard.predictor=$2 --set sm.hazard.counter.scope=chip"
    done
    echo "unchanged 'replay determinism naive delayed' spmv --size tiny --machine turner2012 --set sm.l1.mshrs=8 --set sm.hazard=replay --set sm.hazard.tracker=naive --set sm.hazard.predictor=miss --set sm.hazard.tracker_cy=5 --set sm.hazard.signal_cy=3"
    echo "unchanged 'replay determinism in the stage' histogram --size tiny --machine turner2012 --set sm.l1.mshrs=8 --set sm.hazard=replay --set sm.hazard.tracker=credit --set sm.hazard.resource=comq --set sm.hazard.in_stage=both"
    echo "unchanged 'replay determinism stall' bfs --size tiny --machine turner2012 --set sm.l1.mshrs=8 --set sm.hazard.tracker=credit --set sm.hazard.predictor=counter"
}
same | pool

# --- with --all: the promises on real programs
real() {
    local name=$1 file=$work/real.$1
    "$heddle" run "$apps/$name.json" --machine turner2012 --quiet --json "$file.json" --set sm.hazard=replay --set sm.hazard.tracker=credit > "$file" 2>&1 < /dev/null && promises "$file.json" credit hit mshr
    tell $? "replay $name: MSHR replays of a line access under credit and hit" "$(cat "$file"; grep -E '"(mshr_refused|virtual_)' "$file.json" | head -3)"
}
export -f real
[ "${1:-}" != --all ] || for name in bfs spmv_scalar pagerank kmeans hotspot gather_random; do echo "real $name"; done | pool
