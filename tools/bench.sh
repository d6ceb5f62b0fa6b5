#!/bin/bash
# Where the simulator's time goes: the top functions of bench_timing on each kernel of bench/kernels, one
# class of work each.
#
#   tools/bench.sh [KERNEL...]     all six when none is named
#
# B (build) is the build directory, MACHINE (gtx480) the machine, SECONDS_EACH (2) how long a kernel runs, TOP
# (15) how many functions are shown. Needs perf; says how to get it, and does no harm, where there is none.
# The profiles stay in $B/profile for `perf report`.
set -u
cd "$(dirname "$0")/.." || exit 2
B=${B:-build} MACHINE=${MACHINE:-gtx480} SECONDS_EACH=${SECONDS_EACH:-2} TOP=${TOP:-15}
KERNELS="saxpy sgemm_naive sgemm_tiled mandel spmv chase"

class_of() {
    case $1 in
    saxpy) echo "streaming, coalesced" ;;
    sgemm_naive) echo "L1 reuse" ;;
    sgemm_tiled) echo "shared memory, barriers" ;;
    mandel) echo "compute, divergence" ;;
    spmv) echo "irregular gathers" ;;
    chase) echo "dependent misses" ;;
    *) echo "tools/bench.sh: no kernel '$1'; there are: $KERNELS" >&2; return 1 ;;
    esac
}

case ${1:-} in -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $KERNELS
for kernel in "$@"; do class_of "$kernel" > /dev/null || exit 2; done
if ! command -v perf > /dev/null; then
    echo "no profile: perf is not installed (Debian: apt-get install linux-perf)"
    exit 0
fi
[ -x "$B/bench_timing" ] || { echo "tools/bench.sh: $B/bench_timing is not there: make $B/bench_timing" >&2; exit 2; }
out=$B/profile
mkdir -p "$out"

# A virtual machine or container may have no cycle counter for us; the clock is always there.
event=
for e in cycles:u cpu-clock:u; do
    perf record -q -e $e -o "$out/probe.data" true > /dev/null 2>&1 &&
        perf report --stdio -i "$out/probe.data" > /dev/null 2>&1 && { event=$e; break; }
done
rm -f "$out/probe.data"
if [ -z "$event" ]; then
    echo "no profile: perf may not record here (kernel.perf_event_paranoid is $(cat /proc/sys/kernel/perf_event_paranoid 2> /dev/null); 2 or less is needed)"
    exit 0
fi

status=0
for kernel in "$@"; do
    printf '\n%s on %s (%s): share of time by function (%s)\n' "$kernel" "$MACHINE" "$(class_of "$kernel")" "$event"
    if ! perf record -q -F 999 -e $event -o "$out/$kernel.data" "$B/bench_timing" --spin "$SECONDS_EACH" --machine "$MACHINE" "$kernel" \
        2> "$out/$kernel.log"; then
        tail -5 "$out/$kernel.log"
        status=1
        continue
    fi
    perf report --stdio --no-children --sort symbol -i "$out/$kernel.data" 2> /dev/null |
        sed -n 's/ *-  *- *$//; s/^ *\([0-9.]*%\) *\[[.k]\] /\1 /p' | tee "$out/$kernel.txt" | head -"$TOP" |
        while read -r share name; do printf '  %7s  %s\n' "$share" "$name"; done
done
exit $status
