#!/bin/bash
# Measuring control: what is fast-forwarded, warmed up, cut and flushed does what it says, and the output
# stays right.
#
#   tests/timing/control.sh BUILD
. "$(dirname "$0")"/common

get() { "$B"/json_get "$work/$1.json" "$2" 2> /dev/null; }
# run NAME X [OPTIONS]: a test, that the output is right; the result is NAME's
run() { right "control $1" "${@:2}" --machine small --audit && mv "$work/control_${1//[ \/=]/_}.json" "$work/$1.json"; }
is() { # WHAT GOT WANTED
    [ -n "$2" ] && [ "$2" = "$3" ]
    tell $? "control $1" "'$2' is not '$3'"
}
holds() { # WHAT EXPRESSION
    [ "$( (echo $(($2))) 2>&1)" = 1 ]
    tell $? "control $1" "$2"
}

# --- launches first
run base pathfinder --size tiny
launches=$("$B"/json_get "$work/base.json" launches | grep -c '"kernel"')
run forward pathfinder --size tiny --fast-forward 1
is "a launch passed over is functional" "$(get forward launches.0.functional)" true
is "the next one is not" "$(get forward launches.1.functional)" false
holds "it takes about the time it takes otherwise" "$(get forward launches.1.cycles) * 100 > $(get base launches.1.cycles) * 95"
holds "the total is of the launches with time" "$(get forward cycles) < $(get base cycles)"
is "instructions count all the same" "$(get forward warp_instructions)" "$(get base warp_instructions)"
run forward_all pathfinder --size tiny --fast-forward 99
is "all launches can be passed over" "$(get forward_all launches.$((launches - 1)).functional)" true
is "the output is the same" "$(get forward_all checksum)" "$(get base checksum)"

# --- blocks first
run blocks_base scan --size tiny
run blocks scan --size tiny --fast-forward-ctas 1
grid=$(get blocks_base launches.0.counters.ctas)
is "a block passed over is not counted" "$(get blocks launches.0.counters.ctas)" $((grid - 1))
is "it is told" "$(get blocks launches.0.blocks_functional)" 1
is "the output with a block passed over" "$(get blocks checksum)" "$(get blocks_base checksum)"
run blocks_all scan --size tiny --fast-forward-ctas 100000
is "every block can be passed over" "$(get blocks_all launches.0.counters.ctas)" 0
is "the output without a timed block" "$(get blocks_all checksum)" "$(get blocks_base checksum)"

# --- warm-up
run warm_base reduction --size tiny
for cycles in 1 333 1000; do
    run "warm_$cycles" reduction --size tiny --warmup $cycles
    is "a warm-up of $cycles takes its cycles from the launch" "$(get "warm_$cycles" launches.0.cycles)" $(($(get warm_base launches.0.cycles) - cycles))
    is "counting starts after $cycles" "$(get "warm_$cycles" launches.0.timed_from)" $cycles
    holds "instructions of $cycles cycles are not counted" "$(get "warm_$cycles" launches.0.counters.warp_instructions) <= $(get warm_base launches.0.counters.warp_instructions)"
done
holds "a warm-up leaves instructions out" "$(get warm_1000 launches.0.counters.warp_instructions) < $(get warm_base launches.0.counters.warp_instructions)"
run warm_long reduction --size tiny --warmup 1000000
is "a warm-up longer than the launch counts nothing" "$(get warm_long launches.0.counters.warp_instructions)" 0

run once_each pathfinder --size tiny --warmup 100
run once pathfinder --size tiny --warmup 100 --warmup-once
is "each launch is warmed up" "$(get once_each launches.1.timed_from)" 100
is "the first launch is warmed up once" "$(get once launches.0.timed_from)" 100
is "the next one is not warmed up" "$(get once launches.1.timed_from)" 0

# --- a DRAM queue of requests: the same where each is one burst, and longer where it is not
one_burst=(--set l2.line_b=32 --set l2.sector_b=32 --set dram.burst_b=32 --set dram.queue=4)
run queue_bursts saxpy --size tiny "${one_burst[@]}"
run queue_requests saxpy --size tiny "${one_burst[@]}" --set dram.queue_of=requests
is "requests of one burst fill a queue as bursts do" "$(get queue_requests cycles)" "$(get queue_bursts cycles)"
for of in bursts requests; do run "queue_$of" saxpy --size tiny --set l2.sector_b=128 --set dram.queue=4 --set dram.queue_of=$of; done
holds "a queue of requests holds more bursts" "$(get queue_requests counters.dram_queued) > $(get queue_bursts counters.dram_queued)"

# --- refused accesses cost what the key says: a picojoule each
run lookups bfs --size tiny --set sm.sched=mascar --set sm.lsu.reexec=8 --set sm.l1.mshrs=2
run lookups_cost bfs --size tiny --set sm.sched=mascar --set sm.lsu.reexec=8 --set sm.l1.mshrs=2 --set power.refused_pj=1000
refused=$(($(get lookups counters.reexec_entered) + $(get lookups counters.reexec_tries) - $(get lookups counters.reexec_taken)))
holds "accesses were refused" "$refused > 0"
awk "BEGIN {x = ($(get lookups_cost energy.total) - $(get lookups energy.total)) * 1e9 / $refused; exit !(x > 0.999 && x < 1.001)}"
tell $? "control a refused access costs its key" "$refused refused"

# --- a limit of cycles: the rest runs without time, whatever was on its way
cuts() {
    local name cycles how
    for name in bfs histogram reduction nqueens scan kmeans; do
        for cycles in 1 20 21 25 100 317 1000 2500; do echo "right 'control cut $name at $cycles' $name --size tiny --machine small --audit --max-cycles $cycles"; done
        for how in sm.diverge=its sm.diverge=mimd sm.diverge=none sm.hazard=replay gpu.cta_order=fill gpu.cta_interval_cy=1000 sm.l1.write=back; do
            for cycles in 22 517 900 1111; do
                echo "right 'control cut $name at $cycles $how' $name --size tiny --machine small --audit --set gpu.cta_interval_cy=3 --set $how --max-cycles $cycles"
            done
        done
    done
    for name in atomic_contend hist_global reduce_shfl bfs lud; do
        for cycles in 500 3000; do echo "right 'control cut app $name at $cycles' $apps/$name.json --machine small --audit --max-cycles $cycles"; done
    done
}
cuts | pool
run cut reduction --size tiny --max-cycles 500
is "a cut launch has the cycles it was given" "$(get cut launches.0.cycles)" 500
is "it says that it was cut" "$(get cut launches.0.complete)" false
run cut_late reduction --size tiny --max-cycles 100000000
is "a limit that is not reached changes nothing" "$(get cut_late state_hash)" "$(get warm_base state_hash)"
is "nor says that it did" "$(get cut_late launches.0.complete)" true

# --- a program that ends early: counted over all its launches, and nothing runs after that
run exit_base pathfinder --size tiny
first=$(get exit_base launches.0.cycles)
"$heddle" run pathfinder --size tiny --machine small --audit --exit-cycles $((first + 300)) --quiet --json "$work/exit_in_second.json"
tell $? "control a program that ends early ends well"
is "it ends so many cycles after its first launch began" "$(get exit_in_second launches.1.timed_from)" 0
holds "in the second launch" "$(get exit_in_second launches.1.cycles) <= 300"
is "the launch that is cut says so" "$(get exit_in_second launches.1.complete)" false
is "no third one begins" "none$(get exit_in_second launches.2.cycles)" none
is "what came before is as it was" "$(get exit_in_second launches.0.cycles)" "$first"
is "the output is compared with nothing" "$(get exit_in_second checksum_ok)" null
is "nor is it a run that was ended" "$(get exit_in_second finished)" true
run exit_late pathfinder --size tiny --exit-cycles 100000000
is "an end that is not reached changes nothing" "$(get exit_late state_hash)" "$(get exit_base state_hash)"
is "and the output is compared" "$(get exit_late checksum_ok)" true
is "work of each SM adds up" "$(awk 'BEGIN {RS = "work_per_sm"} NR == 2 {sub(/\].*/, ""); n = split($0, a, /[^0-9]+/); for (i = 1; i <= n; i++) s += a[i]; print s}' "$work/exit_base.json")" "$(get exit_base counters.warp_instructions)"

# --- caches from launch to launch
run flushed pathfinder --size tiny --flush
is "the first launch finds empty caches anyway" "$(get flushed launches.0.cycles)" "$(get base launches.0.cycles)"
holds "flushed caches miss more" "$(get flushed launches.1.counters.l2_misses) > $(get base launches.1.counters.l2_misses)"
holds "and hit less" "$(get flushed launches.1.counters.l2_hits) < $(get base launches.1.counters.l2_hits)"

# --- launch overhead
run overhead pathfinder --size tiny --set gpu.launch_cy=1000
is "the overhead is part of the launch" "$(get overhead launches.0.cycles)" $(($(get base launches.0.cycles) + 1000))

# --- every counter of the total is the sum over the launches; the most MSHRs in use are the most of any
sums() {
    local name=$1 machine=$2 out
    "$heddle" list stats | awk '/^[^ ]/ { on = /^formulas/ } on && /^ / { print $1 }' > "$work/formulas"
    "$heddle" run "$name" --size tiny --machine "$machine" --quiet --csv "$work/sums.csv"
    out=$(awk -F, -v formulas="$work/formulas" '
        BEGIN { while ((getline line < formulas) > 0) skip[line] = 1; skip["mshr_peak"] = 1 }
        NR == 1 { for (i = 5; i <= NF; i++) head[i] = $i; columns = NF; next }
        $3 == "all" { for (i = 5; i <= columns; i++) if (!(head[i] in skip)) { n++; d = $i - sum[i]; if (d < 0) d = -d; if (d > 1e-6 * sum[i] + 1e-3) print head[i] ": " sum[i] " in the launches, " $i " in all" } ; next }
        { for (i = 5; i <= columns; i++) sum[i] += $i; rows++ }
        END { if (rows < 2 || n < 100) print rows " launches, " n " counters" }' "$work/sums.csv")
    [ -z "$out" ]
    tell $? "control sums of $name on $machine" "$out"
}
for name in bfs gaussian scan; do
    sums $name small
    sums $name gtx480
done
