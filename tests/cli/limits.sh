# heddle run --limits: use of every resource, and a bound that no run with the same work gets below.
. "$(dirname "$0")"/common
at() { awk "BEGIN {exit !($1)}" || complain "$2: $1"; }
# resource NAME KEY: of the resource in $work/l.json
resource() {
    local i
    for i in $(seq 0 20); do
        [ "$(json "$work/l.json" "limits.$i.resource")" = "$1" ] && { json "$work/l.json" "limits.$i.$2"; return; }
    done
}
for program in vecadd spmv sgemm kmeans; do
    expect 0 "$heddle" run $program --size tiny --machine small --limits --quiet --json "$work/l.json"
    cycles=$(json "$work/l.json" cycles)
    for i in $(seq 0 6); do
        least=$(json "$work/l.json" "limits.$i.least_cycles")
        at "$least > 0 && $least <= $cycles" "$program: limit $i lets cycles be"
        at "$(json "$work/l.json" "limits.$i.used") <= 1" "$program: limit $i is used at most fully"
    done
done
# a narrow crossbar is full, and nothing can be faster
expect 0 "$heddle" run vecadd --size tiny --machine small --set noc.flit_b=4 --limits --quiet --json "$work/l.json"
at "$(resource "crossbar, SMs' replies" used) > 0.8 || $(resource "crossbar, slices' replies" hottest) > 0.8" "a narrow crossbar is full"
# what a port is used is its flits over its cycles
flits=$(json "$work/l.json" counters.noc_flits_out)
cycles=$(json "$work/l.json" cycles)
ratio=$("$heddle" run --dump-config --machine small | awk -F'[= ]+' '/^core_mhz/{c = $2} /^noc_mhz/{n = $2} /^sms/{s = $2} END {print n / c * s}')
at "($(resource "crossbar, SMs' replies" used) - $flits / ($cycles * $ratio)) ^ 2 < 1e-12" "flits over cycles"
# the summary has it
expect 0 "$heddle" run vecadd --size tiny --machine small --limits
out_has '^limits  *resource  *used  *hottest  *at least cycles'
expect 2 "$heddle" run vecadd --limits --functional
err_has 'limits needs timing'
finish
