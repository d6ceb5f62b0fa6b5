#!/bin/bash
# Does the interval of --sample hold? Full runs beside sampled ones, for pairs of workload and configuration.
#
#   tests/sampling/check.sh [--quick] [--table] [BUILD]
#
# The machine is gtx480 with two or three SMs, so that the bundled workloads at size small have four and more
# waves of blocks and a full run takes seconds; and the whole gtx480 for a few at size paper. Passes when the mean error of the estimate is below 3 % and the
# interval that is stated for 95 of 100 cases holds in 93 of 100; pairs of which nothing was left out are not
# counted. --quick: six pairs, of which five must hold. --table: the rows as Markdown (docs/sampling.md).
set -u
cd "$(dirname "$0")/../.." || exit 2
quick='' table=''
while [[ ${1:-} == --* ]]; do
    case $1 in
    --quick) quick=1 ;;
    --table) table=1 ;;
    *) echo "usage: tests/sampling/check.sh [--quick] [--table] [BUILD]" >&2; exit 2 ;;
    esac
    shift
done
heddle=${1:-build}/heddle
export HEDDLE_DATA=${HEDDLE_DATA:-$PWD/${1:-build}/share/heddle}
workloads="backprop blackscholes btree cfd conv2d hotspot mandelbrot nearn pathfinder raytrace reduction saxpy
    scan sfilter sgemm spmv srad stencil storegpu transpose sad"
configurations=("gpu.sms=2" "gpu.sms=2 sm.sched=gto" "gpu.sms=3 sm.sched=two_level" "gpu.sms=2 sm.l1.mshrs=8"
    "gpu.sms=3 sm.sched=oldest")
at_paper="backprop hotspot sfilter srad"
if [ -n "$quick" ]; then
    at_paper=
    workloads="blackscholes hotspot stencil"
    configurations=("gpu.sms=2" "gpu.sms=3 sm.sched=gto")
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

# pair WORKLOAD SIZE SETTINGS: in full and sampled
pair() {
    local name=$3
    [ "$2" = small ] || name="$2 $3"
    # shellcheck disable=SC2046
    "$heddle" run "$1" --size "$2" $(settings "$3") > "$work/full" || exit 1
    # shellcheck disable=SC2046
    "$heddle" run "$1" --size "$2" $(settings "$3") --sample > "$work/part" || exit 1
    echo "$1|$name|$(numbers "$work/full")|$(numbers "$work/part")"
}

{
    for w in $workloads; do
        for c in "${configurations[@]}"; do pair "$w" small "$c"; done
    done
    for w in $at_paper; do
        for c in sm.sched=lrr sm.sched=gto sm.sched=two_level sm.l1.mshrs=16 "sm.sched=mascar sm.lsu.reexec=32"; do
            pair "$w" paper "$c"
        done
    done
} | awk -F'|' -v table="$table" -v quick="$quick" '
    BEGIN {
        if (table) print "| workload | configuration | waves | timed | full cycles | estimate | error | interval | holds |\n" \
                         "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    }
    {
        split($3, f, " ")
        split($4, p, " ")
        if (p[2] == "-") { whole++; next }
        error = p[2] / f[1] - 1
        half = p[3] == "-" ? 0 : (p[4] - p[3]) / 2 / p[2]
        holds = p[3] == "-" || (f[1] >= p[3] && f[1] <= p[4])
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
        printf "\n%d pairs (%d more were timed whole): mean error %.2f %%, the interval holds in %d (%.0f %%), ", n, whole,
               100 * sum / n, held, 100 * held / n
        printf "half width %.2f %% on average; %.0f %% of instructions timed\n", 100 * widths / n, share / n
        exit !(100 * sum / n < 3 && (quick ? held >= n - 1 : held >= 0.93 * n))
    }'
