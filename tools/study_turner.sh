#!/bin/bash
# docs/studies/turner.md and its plots: Turner's figures on our workloads, machine turner2012.
#
#   tools/study_turner.sh [--all] [BUILD]
#
# Runs every configuration of the figures (results stay in BUILD/study/turner and are not run again), then BUILD/study_turner writes the page. --all takes every bundled
# workload and every recorded application instead of the chosen ones: an hour of one processor instead of ten minutes.
set -eu
cd "$(dirname "$0")/.."
all=
[ "${1:-}" != --all ] || { all=1; shift; }
B=${1:-build}
heddle=$B/heddle
to=$B/study/turner
apps=build/data/silicon_apps/manifest
HEDDLE_DATA=${HEDDLE_DATA:-$(realpath "$B")/share/heddle}
export HEDDLE_DATA

# Bundled workloads at their largest size, then recorded applications
bundled="backprop fwt hotspot kmeans reduction srad"
recorded="aes bfs blackscholes fft gather_random lud mandelbrot nn nw pagerank sgemm_tiled strmatch transpose_naive transpose_padded"
if [ -n "$all" ]; then
    bundled=$("$heddle" list workloads | awk 'NR > 1 { print $1 }')
    recorded=$(basename -s .json $apps/*.json)
fi

# name, then what differs from the machine
configurations() {
    cat <<-END
	stall
	retain sm.hazard=retain
	replay sm.hazard=replay
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

one() { # CONFIGURATION WORKLOAD FILE KEYS...
    local out=$to/$1/$2.json file=$3
    shift 3
    [ -s "$out" ] || { mkdir -p "${out%/*}"; "$heddle" run "$file" --machine turner2012 --quiet --json "$out.new" "${@/#/--set=}" < /dev/null && mv "$out.new" "$out"; }
}
export heddle to
export -f one

while read -r name keys; do
    for w in $bundled; do echo "one $name $w $w $keys"; done
    for w in $recorded; do echo "one $name app_$w $apps/$w.json $keys"; done
done < <(configurations) | xargs -P "${JOBS:-$(nproc)}" -d '\n' -n 1 bash -c 'eval "$0"'

mkdir -p docs/studies/turner
"$B"/study_turner "$to" docs/studies
