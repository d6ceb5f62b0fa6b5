#!/bin/bash
# Mascar and its rivals (HPCA 2015) on our programs, on gtx480: runs everything and writes docs/studies/mascar.md with its pictures.
#
#   tools/study_mascar.sh [--all] [BUILD]        BUILD: a build directory, default build; needs `make all data`
#
# --all takes every recorded application and every bundled workload instead of the chosen ones. JOBS: simulators at a time. WORK: a directory for results that is kept, so that a second run only
# does what is missing. OUT: where the page goes, default docs/studies.
set -u
cd "$(dirname "$0")/.." || exit 2
every=
[ "${1:-}" != --all ] || { every=1; shift; }
B=$(realpath "${1:-build}")
OUT=${OUT:-docs/studies}
WORK=${WORK:-$B/study_mascar}
JOBS=${JOBS:-$(nproc)}
heddle=$B/heddle
apps=${APPS:-build/data/silicon_apps/manifest}
export HEDDLE_DATA=${HEDDLE_DATA:-$B/share/heddle}
[ -x "$heddle" ] || { echo "study_mascar: no $heddle; run make" >&2; exit 2; }
mkdir -p "$WORK" "$OUT"
export WORK heddle

# --- what is run

# Recorded applications, and bundled workloads that none of them has the name of
recorded="bfs pagerank spmv_scalar gather_random kmeans sgemm_naive stencil2d stencil3d hotspot vecadd saxpy transpose_naive nn hist_global
    aes blackscholes conv2d mandelbrot sgemm_reg strmatch scan bitonic"
bundled="spmv srad"
programs() {
    local name
    if [ -n "$every" ]; then
        ls "$apps"/*.json 2> /dev/null
        "$heddle" list workloads | awk 'NR > 1 { print $1 }' | while read -r name; do [ -f "$apps/$name.json" ] || echo "$name"; done
        return
    fi
    for name in $recorded; do echo "$apps/$name.json"; done
    printf '%s\n' $bundled
}

keys() { # CONFIGURATION: its keys
    case $1 in
    lrr) echo sm.sched=lrr stats.blocked_hits=true ;;
    lrr_re) echo sm.sched=lrr sm.lsu.reexec=32 ;;
    mascar_sched) echo sm.sched=mascar ;;
    mascar) echo sm.sched=mascar sm.lsu.reexec=32 ;;
    mascar_use) echo sm.sched=mascar sm.lsu.reexec=32 sm.sched.mascar.handover=use ;;
    re*) echo sm.sched=mascar sm.lsu.reexec="${1#re}" ;;
    large_l1) echo sm.sched=lrr sm.l1.sets=1024 ;;
    more_a) echo sm.l1.mshrs=10240 sm.l1.miss_queue=10240 l2.mshrs=10240 l2.queue=10240 dram.queue=10240 noc.credits=10240 ;;
    more_b) echo sm.l1.sets=1 sm.l1.ways=256 l2.sets=1 l2.ways=512 ;;
    more_c) echo gpu.dram_mhz=1109 ;;
    more_d) echo "$(keys more_a)" "$(keys more_b)" "$(keys more_c)" ;;
    more_e) echo "$(keys more_d)" dram.queue=128 ;; # see the page: what a long DRAM queue does
    ccws_weak) echo sm.sched=ccws sm.sched.ccws.throttle=1 ;;
    mascar_early) echo sm.sched=mascar sm.lsu.reexec=32 sm.sched.mascar.mshr_percent=50 sm.sched.mascar.queue_percent=50 ;;
    *) echo sm.sched="$1" ;;
    esac
}
first="lrr gto two_level owl ccws lrr_re mascar_sched mascar large_l1"
second="mascar_use re8 re64 more_a more_b more_c more_d more_e ccws_weak mascar_early" # memory-intensive programs only

# one PROGRAM CONFIGURATION: a line "program configuration name=value ..." in $WORK
one() {
    local name file
    name=$(basename "$1" .json)
    file=$WORK/$name.$2
    [ -s "$file" ] && return
    # shellcheck disable=SC2046
    timeout "${LIMIT_S:-900}" nice "$heddle" run "$1" --machine gtx480 --quiet --json "$file.json" $(printf -- '--set %s ' $(keys "$2")) > /dev/null 2> "$file.err" || { echo "study_mascar: $name $2: $(tail -1 "$file.err")" >&2; rm -f "$file.json"; return; }
    awk -v program="$name" -v configuration="$2" '
        { match($0, /^ */); depth = RLENGTH; key = $0; gsub(/^ *"|".*$/, "", key); value = $0; sub(/^[^:]*: */, "", value); sub(/,$/, "", value) }
        depth == 1 { section = key }
        section == "kernels" { exit }
        depth == 2 { sub_section = key }
        depth == 1 && (key == "cycles" || key == "checksum_ok" || key == "warp_ipc") { out = out " " key "=" value }
        depth == 2 && (section == "counters" || section == "formulas") && value != "{" { out = out " " key "=" value }
        depth == 2 && section == "energy" && key == "total" { out = out " energy=" value }
        depth == 3 && section == "energy" && sub_section == "groups" { out = out " energy_" key "=" value }
        END { print program, configuration out }' "$file.json" > "$file"
    rm -f "$file.json" "$file.err"
}
export -f one keys

run() { # PROGRAMS CONFIGURATIONS
    local p c
    for c in $2; do for p in $1; do echo "$p $c"; done; done | xargs -P "$JOBS" -L 1 bash -c 'one "$0" "$1"'
}
all=$(programs)
echo "study_mascar: $(wc -w <<< "$all") programs" >&2
run "$all" "$first"
memory=$(for p in $all; do n=$(basename "$p" .json); grep -qE 'instructions_per_miss=([0-9]|[12][0-9])(\.| |$)' "$WORK/$n.lrr" 2> /dev/null && echo "$p"; done)
run "$memory" "$second"
cat $(for p in $all; do for c in $first $second; do [ -s "$WORK/$(basename "$p" .json).$c" ] && echo "$WORK/$(basename "$p" .json).$c"; done; done) > "$WORK/all.txt"

# --- the page
awk -v out="$OUT" -f tools/study_mascar.awk "$WORK/all.txt" > "$OUT/mascar.md" && echo "study_mascar: wrote $OUT/mascar.md" >&2
