#!/bin/bash
# docs/studies/turner.md, its tables and its plots: Turner's figures on our workloads, machine turner2012.
#
#   tools/study_turner.sh [--quick] [BUILD]
#
# Runs every configuration of the figures on every bundled workload and every recorded application (results
# stay in BUILD/study/turner and are not run again), then the experiments that tell why some lose under
# replay, then BUILD/study_turner writes the pages. About an hour of one processor; --quick takes twenty of
# the workloads and a quarter of that, and leaves its pages in BUILD/study/turner_quick/pages.
#
# Sizes: a bundled workload runs at `small`, or at `paper` where the buffers of `small` fit into the caches
# together and `paper` has at most MOST warp instructions.
set -eu
cd "$(dirname "$0")/.."
quick=
[ "${1:-}" != --quick ] || { quick=1; shift; }
B=${1:-build}
heddle=$B/heddle
to=$B/study/turner${quick:+_quick}
pages=docs/studies
[ -z "$quick" ] || pages=$to/pages
apps=build/data/silicon_apps/manifest
HEDDLE_DATA=${HEDDLE_DATA:-$(realpath "$B")/share/heddle}
export HEDDLE_DATA
CACHES_B=$((10 * 64 * 6 * 128 + 6 * 64 * 8 * 32)) # turner2012's L1s and L2
MOST=10000000

bundled=$("$heddle" list workloads | awk 'NR > 1 { print $1 }')
recorded=$(basename -s .json $apps/*.json)
if [ -n "$quick" ]; then
    bundled="backprop fwt hotspot kmeans reduction srad"
    recorded="aes bfs blackscholes fft gather_random lud mandelbrot nn nw pagerank sgemm_tiled strmatch transpose_naive transpose_padded"
fi

# field JSON KEY: a number at the top level of a result
field() { sed -n "s/^ \"$2\": \([0-9]*\),\{0,1\}$/\1/p" "$1"; }

size_of() { # WORKLOAD
    local json=$to/size.json
    "$heddle" run "$1" --size small --functional --quiet --json "$json" < /dev/null
    [ "$(field "$json" footprint_b)" -lt $CACHES_B ] || { echo small; return; }
    "$heddle" run "$1" --size paper --functional --quiet --json "$json" < /dev/null
    [ "$(field "$json" warp_instructions)" -le $MOST ] && echo paper || echo small
}

# name, then what differs from the machine
configurations() {
    cat <<-END
	stall
	stall_jitter gpu.cta_launch_cy=21
	retain sm.hazard=retain
	replay sm.hazard=replay
	replay_jitter sm.hazard=replay gpu.cta_launch_cy=21
	unbounded sm.hazard=replay sm.hazard.unbounded_buffer=true
	replay_mshr64 sm.hazard=replay sm.l1.mshrs=64
	replay_mshr128 sm.hazard=replay sm.l1.mshrs=128
	stall_one sm.schedulers=1
	replay_one sm.hazard=replay sm.schedulers=1
	END
    local tracker predictor hazard collectors
    for hazard in replay stall; do
        for tracker in credit naive; do
            for predictor in hit miss counter oracle; do
                [ $hazard$predictor = stallhit ] || echo "${hazard}_${tracker}_$predictor sm.hazard=$hazard sm.hazard.tracker=$tracker sm.hazard.predictor=$predictor"
            done
        done
        for collectors in generic:4 generic:16 separated:4/1/3 separated:8/2/6; do
            echo "${hazard}_$(tr -c 'a-z0-9\n' _ <<< "$collectors") sm.hazard=$hazard sm.collectors=$collectors"
        done
    done
}

# For those that lose: the same comparison with one thing taken away, in one machine or in both
experiments() {
    cat <<-END
	stage_bank sm.hazard=replay sm.hazard.in_stage=bank
	stage_div sm.hazard=replay sm.hazard.in_stage=div
	stage_both sm.hazard=replay sm.hazard.in_stage=both
	stall_mshr128 sm.l1.mshrs=128
	stall_merge64 sm.l1.merge=64
	replay_merge64 sm.hazard=replay sm.l1.merge=64
	stall_comq64 sm.l1.miss_queue=64
	replay_comq64 sm.hazard=replay sm.l1.miss_queue=64
	stall_rows dram.kind=fixed
	replay_rows sm.hazard=replay dram.kind=fixed
	stall_free gpu.perfect_memory=true
	replay_free gpu.perfect_memory=true sm.hazard=replay sm.hazard.in_stage=both sm.hazard.unbounded_buffer=true
	stall_plenty sm.l1.mshrs=128 sm.l1.merge=64 sm.l1.miss_queue=64
	replay_plenty sm.hazard=replay sm.l1.mshrs=128 sm.l1.merge=64 sm.l1.miss_queue=64
	END
}

# For those that credit and hit make slower than replay
prediction_experiments() {
    cat <<-END
	credit_jitter sm.hazard=replay sm.hazard.tracker=credit gpu.cta_launch_cy=21
	replay_long sm.hazard=replay sm.lsu.agu_cy=6
	credit_long sm.hazard=replay sm.hazard.tracker=credit sm.lsu.agu_cy=6
	END
}

one() { # CONFIGURATION WORKLOAD FILE SIZE KEYS...
    local out=$to/$1/$2.json file=$3 size=
    [ "$4" = - ] || size=--size=$4
    shift 4
    [ -s "$out" ] || { mkdir -p "${out%/*}"; "$heddle" run "$file" $size --machine turner2012 --quiet --json "$out.new" "${@/#/--set=}" < /dev/null && mv "$out.new" "$out"; }
}
export heddle to
export -f one

every() { # FILE with lines "WORKLOAD FILE SIZE"; configurations on standard input
    local name keys
    while read -r name keys; do sed "s,.*,one $name & $keys," "$1"; done | xargs -P "${JOBS:-$(nproc)}" -d '\n' -n 1 bash -c 'eval "$0"'
}

mkdir -p "$to"
list_workloads() {
    local w
    for w in $bundled; do echo "$w $w $(size_of "$w")"; done
    for w in $recorded; do echo "app_$w $apps/$w.json -"; done
}
if [ ! -s "$to/workloads" ]; then
    list_workloads > "$to/workloads.new"
    mv "$to/workloads.new" "$to/workloads"
fi
configurations | every "$to/workloads"

slower() { # CONFIGURATION OTHER PER_MILLE: workloads that the first makes slower than the other by more than this
    local w file size
    while read -r w file size; do
        [ $(($(field "$to/$1/$w.json" cycles) * (1000 - $3))) -le $(($(field "$to/$2/$w.json" cycles) * 1000)) ] || echo "$w $file $size"
    done < "$to/workloads"
}
slower replay stall 10 > "$to/losers"
experiments | every "$to/losers"
slower replay_credit_hit replay 5 > "$to/prediction_losers"
prediction_experiments | every "$to/prediction_losers"

mkdir -p "$pages/turner"
"$B"/study_turner "$to" "$pages"
echo "$pages/turner.md"
