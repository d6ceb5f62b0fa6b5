# Hybrid warp sizes over a whole chip (Jin 2012, chapter 4), and the mesh under a whole program.
. "$(dirname "$0")"/common
sizes=$top/tests/timing/ptx/sizes.json
# busy SM: cycles in which it held a block, in $work/s.json
busy() { json "$work/s.json" "launches.0.per_sm.$1.sm_active_cycles"; }
run() { expect 0 "$heddle" run "$@" --quiet --audit --json "$work/s.json"; same "$(json "$work/s.json" checksum_ok)" true "$*"; }

# 27 SMs at size 8 and one at 32: free they take a quarter of its time, in lockstep all take size 32's (4.2)
scale="--machine jin2012 --per-sm --set sm.warp_scale=hybrid --set sm.squeeze=thesis --set sm.warp_scale.latency=loop"
run "$sizes" $scale
[ "$(busy 27)" -gt $((3 * $(busy 0))) ] || complain "free: $(busy 0) cycles at size 8, $(busy 27) at size 32"
large=$(busy 27)
run "$sizes" $scale --set sm.warp_scale.sync=lockstep
for sm in 0 13 26 27; do same "$(busy $sm)" "$large" "lockstep, SM $sm"; done
# a quarter of the time in which the pipe is taken is left to whoever needs it: 27 SMs wait three of four cycles of each instruction
same "$(json "$work/s.json" counters.lockstep_cycles)" "$((27 * 3 * $(json "$work/s.json" counters.warp_instructions) / 28 - 27 * 3 * 8))" "cycles waited for the large warp"

# at full width there is nothing to leave out: every counter as without
wide="--machine small --set sm.sfu.width=32 --set sm.fp64.width=32"
for program in nqueens bfs; do
    run $program --size tiny $wide
    off=$(json "$work/s.json" state_hash)
    for how in "sm.squeeze=off" "sm.squeeze=fewest" "sm.warp_scale.latency=loop"; do
        run $program --size tiny $wide --set sm.warp_scale=hybrid --set $how
        same "$(json "$work/s.json" state_hash)" "$off" "$program, full width, $how"
    done
done

# however the host runs it, the mesh and the rounds are the same
for how in "gpu.perfect_memory=false" "sm.warp_scale=hybrid --set sm.warp_scale.sync=lockstep --set sm.squeeze=fewest"; do
    run histogram --size tiny --machine jin2012 --set $how
    hash=$(json "$work/s.json" state_hash)
    for host in "-j 2" --no-jumps "--window 1" "--check 50"; do
        run histogram --size tiny --machine jin2012 --set $how $host
        same "$(json "$work/s.json" state_hash)" "$hash" "$how, $host"
    done
done
# Jin's measures: lanes that worked and lanes that were lost, by cause, are all lanes; the estimate is no less than the gain
expect 0 "$heddle" run mandelbrot --size tiny --machine jin2012 --set sm.warp_scale=hybrid --set sm.squeeze=thesis --divergence --json "$work/s.json"
for word in "^divergence, in Jin's measures" '^  W1  to 4 ' '^  W29 to 32 .* 100.0 % up to here' '^  control_weight ' '^  lanes_parted ' '^  storage .* 68 bits a warp' '^  area .* mm2'; do out_has "$word"; done
# all_lanes: of $work/s.json
all_lanes() {
    local lanes cause
    lanes=$(json "$work/s.json" counters.active_lanes)
    for cause in parted exited absent guarded; do lanes=$((lanes + $(json "$work/s.json" lanes_lost.$cause))); done
    same "$lanes" "$((32 * $(json "$work/s.json" counters.warp_instructions)))" "lanes that worked and lanes lost"
    same "$(json "$work/s.json" warp_instructions)" "$(json "$work/s.json" counters.warp_instructions)" "warp instructions, executed and issued"
}
all_lanes
awk "BEGIN {exit !($(json "$work/s.json" formulas.hybrid_estimate) >= $(json "$work/s.json" formulas.hybrid_beats) && $(json "$work/s.json" formulas.hybrid_beats) > 1)}" || complain "the estimate is below the gain"
for diverge in $("$heddle" list policies | awk '/^[^ ]/ { on = $1 == "sm.diverge:"; next } on && NF { print $1 }'); do
    run nqueens --size tiny --machine small --set sm.diverge=$diverge
    all_lanes
done
for order in rob tomasulo ghost; do
    run nqueens --size tiny --machine small --set sm.order=$order
    all_lanes
done
expect 2 "$heddle" run vecadd --divergence --functional
err_has 'divergence needs timing'
# limits know links and the pipe
expect 0 "$heddle" run histogram --size tiny --machine jin2012 --set gpu.perfect_memory=false --limits
out_has '^  *mesh, links '
out_has '^  *pipe '
out_lacks crossbar
finish
