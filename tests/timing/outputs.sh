#!/bin/bash
# Every recorded application and every bundled workload under timing: the output is silicon's or the
# reference's, and the audit finds nothing.
#
#   tests/timing/outputs.sh BUILD [--all]
#
# On gtx480, small, and small with loads moved up from their uses; with --all on every bundled machine. Each
# of them holds every block of these programs: one that does not fit would fail here, with the machine's
# reason.
. "$(dirname "$0")"/common
machines="gtx480 small"
[ "${1:-}" != --all ] || machines=$("$heddle" list machines | cut -d' ' -f1)

# The longest first, so that no single one is left at the end
cases() {
    local machine name size
    for machine in $machines; do
        for size in small tiny; do
            for name in bfs sgemm_naive transpose_naive spmv $(workloads | grep -vxE 'bfs|sgemm_naive|transpose_naive|spmv'); do
                echo "right '$machine workload $name $size' $name --size $size --machine $machine --audit"
            done
        done
        for name in "$apps"/*.json; do
            echo "right '$machine app $(basename "$name" .json)' '$name' --machine $machine --audit"
        done
    done
    for name in $(workloads); do
        echo "right 'small, loads moved, workload $name tiny' $name --size tiny --machine small --audit --set ptx.schedule=loads"
    done
    for name in "$apps"/*.json; do
        echo "right 'small, loads moved, app $(basename "$name" .json)' '$name' --machine small --audit --set ptx.schedule=loads"
    done
}
cases | pool
