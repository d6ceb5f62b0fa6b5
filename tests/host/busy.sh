#!/bin/bash
# A busy host: threads that wait do not keep others from working. Times are compared within this run, the best
# of three each, against generous bounds: threads that spin are 25 times slower, not 2.
. "$(dirname "$0")"/common
now() { date +%s%N; }
# at_once N JOBS: milliseconds of N runs at the same time, of JOBS threads each
at_once() {
    local start pids=() pid i
    start=$(now)
    for i in $(seq "$1"); do
        "$heddle" run stencil --size small --machine gtx480 --quiet -j "$2" > /dev/null 2>&1 & pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || echo "# a run with -j $2 failed" >&2; done
    echo $((($(now) - start) / 1000000))
}
best() { # N JOBS
    local low=999999999 ms i
    for i in 1 2 3; do
        ms=$(at_once "$1" "$2")
        [ "$ms" -ge "$low" ] || low=$ms
    done
    echo "$low"
}
# ratio NAME PERCENT A B: A at most PERCENT of B
ratio() {
    echo "# $1: $3 ms and $4 ms"
    [ $((100 * $3)) -le $(($2 * $4)) ] || complain "$1: $3 ms are more than $2 % of $4 ms"
}

# as many runs as processors, each with one thread and with two: meant are 1.3 times
cores=$(nproc)
[ "$cores" -ge 2 ] || { echo "# one processor: nothing to share"; finish; }
ratio "-j 2 beside others against -j 1 beside others" 200 "$(best "$cores" 2)" "$(best "$cores" 1)"

# more threads than processors, all of which are busy with something else: meant are 2 times
loops=()
for _ in $(seq "$cores"); do (while :; do :; done) & loops+=($!); done
trap 'kill "${loops[@]}" 2> /dev/null; rm -rf "$work"' EXIT
ratio "-j 4 on a busy host against -j 1 on it" 300 "$(best 1 4)" "$(best 1 1)"
kill "${loops[@]}"
wait "${loops[@]}" 2> /dev/null
finish
