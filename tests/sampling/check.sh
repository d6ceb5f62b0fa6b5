#!/bin/bash
# Does the interval of --sample hold? Full runs beside sampled ones, for pairs of workload and configuration.
#
#   tests/sampling/check.sh [--quick | --paper | --fresh N] [--table] [BUILD]
#
# The machine is gtx480 with two or three SMs, so that the bundled workloads at size small have many waves of
# blocks and a full run takes a second. --paper: size paper on the whole chip, the workloads whose full run
# takes less than half a minute and of which --sample leaves something out. Passes when the mean error of the
# estimate is below 3 % and the interval that is stated for 95 of 100 cases holds in 93 of 100. Not counted are
# pairs of which nothing was left out, and pairs of fewer than four waves. --quick: six pairs, of which five
# must hold. --table: the rows as Markdown (docs/sampling.md). --fresh N: pairs that a generator with seed N draws
# from programs, sizes and settings that the other lists have not together; full runs of more than FRESH_S
# seconds are left out. A list that a change of the method was tried on is used up: take another N.
set -u
cd "$(dirname "$0")/../.." || exit 2
quick='' table='' size=small fresh=''
while [[ ${1:-} == --* ]]; do
    case $1 in
    --quick) quick=1 ;;
    --paper) size=paper ;;
    --fresh) fresh=${2:-}; shift ;;
    --table) table=1 ;;
    *) echo "usage: tests/sampling/check.sh [--quick | --paper | --fresh N] [--table] [BUILD]" >&2; exit 2 ;;
    esac
    shift
done
heddle=${1:-build}/heddle
export HEDDLE_DATA=${HEDDLE_DATA:-$PWD/${1:-build}/share/heddle}
workloads="backprop blackscholes btree cfd conv2d hotspot mandelbrot nearn pathfinder raytrace reduction saxpy
    scan sfilter sgemm spmv srad stencil storegpu transpose sad"
configurations=("gpu.sms=2" "gpu.sms=2 sm.sched=gto" "gpu.sms=3 sm.sched=two_level" "gpu.sms=2 sm.l1.mshrs=8"
    "gpu.sms=3 sm.sched=oldest")
short='' # of these workloads more configurations
parting="btree mandelbrot mergesort storegpu" # and of these, on machines with other warps than without time
partings=("gpu.sms=2 sm.diverge=vws" "gpu.sms=2 sm.diverge=tbc" "gpu.sms=2 sm.diverge=dwf" "gpu.sms=2 sm.diverge=none")
if [ "$size" = paper ]; then
    short=" backprop hotspot sfilter srad blackscholes storegpu transpose conv2d hotspot3d btree "
    workloads="$short cfd histo fwt pathfinder mandelbrot lbm sgemm"
    configurations=("sm.sched=lrr" "sm.sched=gto" "sm.sched=two_level" "sm.l1.mshrs=16" "sm.sched=mascar sm.lsu.reexec=32")
    parting=''
elif [ -n "$quick" ]; then
    workloads="blackscholes hotspot stencil"
    configurations=("gpu.sms=2" "gpu.sms=3 sm.sched=gto")
    parting=''
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# settings "A=1 B=2": as options
settings() {
    local s
    for s in $1; do printf -- '--set %s ' "$s"; done
}

# numbers FILE: cycles, estimate, low, high, waves, percent timed, seconds
numbers() {
    awk '/^cycles /{c = $2} /^estimate /{e = $2; for (i = 1; i <= NF; i++) if ($i == "to") { l = $(i - 1); h = $(i + 1) }}
        /^waves /{w = $2} /^timed /{t = $2} /^time /{s = $2}
        END {print c, e == "" ? "-" : e, l == "" ? "-" : l, h == "" ? "-" : h, w, t == "" ? 100 : t}' "$1"
}

# pairs: lines "workload|size|settings"
pairs() {
    local w c more
    for w in $workloads; do
        more=()
        [[ $short == *" $w "* ]] && more=("sm.sched=oldest" "sm.lsu.queue=1" "gpu.noc_mhz=1400")
        for c in "${configurations[@]}" "${more[@]}"; do echo "$w|$size|$c"; done
    done
    for w in $parting; do
        for c in "${partings[@]}"; do echo "$w|$size|$c"; done
    done
}

# fresh_pairs N: the same, drawn. Park and Miller's generator, so that every awk draws alike.
fresh_pairs() {
    awk -v seed="$1" '
        function draw(n) { x = x * 16807 % 2147483647; return 1 + int(x / 2147483647 * n) }
        BEGIN {
            x = (seed * 7919 + 12345) % 2147483647
            for (i = 0; i < 10; i++) draw(2)
            np = split("backprop blackscholes btree conv2d fwt histogram hotspot hotspot3d mergesort nearn raytrace reduction saxpy " \
                       "scan sfilter srad stencil storegpu transpose transpose_naive vecadd", p, " ")
            nb = split("blackscholes conv2d hotspot hotspot3d sfilter transpose", b, " ")
            ns = split("dram.queue=4|dram.queue=12|dram.queue=16|dram.queue=64|dram.banks=4|dram.banks=8|dram.row_cap=4|dram.sched=fcfs|" \
                       "dram.row_b=1024|dram.tRP=24|gpu.dram_mhz=600|gpu.dram_mhz=1400|l2.ways=4|l2.ways=16|l2.sets=32|l2.sets=128|" \
                       "l2.replace=fifo|l2.mshrs=8|map.hash=none|map.interleave_b=1024|gpu.l2_mhz=1000|gpu.cta_launch_cy=200|" \
                       "gpu.cta_order=fill|sm.ctas=4|sm.ctas=3|sm.warps=32|sm.l1.ways=8|sm.l1.sets=64|sm.l1.global=0|noc.flit_b=16|" \
                       "sm.sched=lrr dram.queue=16|sm.sched=gto dram.queue=16|sm.sched=ccws l2.ways=16|sm.sched=oldest dram.banks=8|" \
                       "sm.sched=two_level gpu.dram_mhz=1400|sm.sched=gto_wait map.hash=none", s, "|")
            while (n < 90) {
                c = s[draw(ns)]
                key = draw(10) > 1 ? p[draw(np)] "|small|gpu.sms=" draw(2) " " c : b[draw(nb)] "|paper|" c
                if (key in seen) continue
                seen[key] = 1; n++
                print key
            }
        }'
}

limit=(env)
[ -n "$fresh" ] && limit=(timeout "${FRESH_S:-40}")
if [ -n "$fresh" ]; then fresh_pairs "$fresh"; else pairs; fi | while IFS='|' read -r w size c; do
    # shellcheck disable=SC2046
    "${limit[@]}" "$heddle" run "$w" --size "$size" $(settings "$c") --sample > "$work/part" < /dev/null || { [ -n "$fresh" ] && continue; exit 1; }
    grep -q '^estimate ' "$work/part" || { echo "$w|$c|- - - - 0 100|- - - - 0 100"; continue; }
    # shellcheck disable=SC2046
    "${limit[@]}" "$heddle" run "$w" --size "$size" $(settings "$c") > "$work/full" < /dev/null || { [ -n "$fresh" ] && continue; exit 1; }
    [ -n "$fresh" ] && c="$size $c"
    echo "$w|$c|$(numbers "$work/full")|$(numbers "$work/part")"
done | awk -F'|' -v table="$table" -v quick="$quick" '
    BEGIN {
        if (table) print "| workload | configuration | waves | timed | full cycles | estimate | error | interval | holds |\n" \
                         "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    }
    {
        split($3, f, " ")
        split($4, p, " ")
        if (p[2] == "-") { whole++; next }
        if (f[5] < 4) { few++; next }
        error = p[2] / f[1] - 1
        half = p[3] == "-" ? 0 : (p[4] - p[3]) / 2 / p[2]
        holds = p[3] != "-" && f[1] >= p[3] && f[1] <= p[4]
        n++
        held += holds
        sum += error < 0 ? -error : error
        share += p[6]
        if (half > widest) widest = half
        widths += half
        line = table ? "| %s | %s | %.1f | %.0f %% | %d | %d | %+.2f %% | %.2f %% | %s |\n" \
                     : "%-14s %-30s %6.1f waves %4.0f %% timed %10d %10d %+6.2f %% +- %5.2f %% %s\n"
        printf line, $1, $2, f[5], p[6], f[1], p[2], 100 * error, 100 * half, holds ? "yes" : "no"
        fflush()
    }
    END {
        if (!n) { print "nothing was sampled"; exit 1 }
        printf "\n%d pairs of four waves and more (%d more were timed whole, %d have fewer waves): mean error %.2f %%, the interval holds in %d (%.0f %%), ", n,
               whole, few, 100 * sum / n, held, 100 * held / n
        printf "half width %.2f %% on average; %.0f %% of instructions timed\n", 100 * widths / n, share / n
        exit !(100 * sum / n < 3 && (quick ? held >= n - 1 : held >= 0.93 * n))
    }'
