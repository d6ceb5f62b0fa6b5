#!/bin/bash
# Invariants of SMs and partitions (x_check), walked while programs run: tiny workloads in every cycle on a
# machine of queues of one, applications on small every 1,024 cycles.
#
#   tests/timing/torture.sh BUILD [--all]
#
# With --all: every workload under every divergence and hazard policy, and every application.
. "$(dirname "$0")"/common
all=${1:-}
torture="--machine $here/torture.ini --check 1 --audit"
apps_now="atomic_contend bfs divswitch hist_global hist_shared lud nn reduce_shfl scan sgemm_reg stencil3d transpose_padded"
[ -z "$all" ] || apps_now=$(basename -s .json "$apps"/*.json)

cases() {
    local name set diverge hazard
    for name in $apps_now; do echo "right 'torture small app $name' '$apps/$name.json' --machine small --check 1024 --audit"; done
    for name in $(workloads); do echo "right 'torture $name' $name --size tiny $torture"; done
    # the other ways to do the same thing
    for set in sm.diverge=its sm.diverge=none sm.diverge=mimd sm.diverge=dws sm.diverge=interweave sm.diverge=vws sm.diverge=dwf sm.diverge=tbc sm.diverge=lwm sm.hazard=replay sm.hazard=retain sm.l1.write=back sm.l1.write_local=through sm.l1.write_evict=true sm.l1.stream=true \
        sm.l1.sector_b=32 l2.sector_b=128 sm.issue_width=2 sm.collectors=separated:1/1/1 dram.sched=fcfs dram.kind=fixed sm.l1.global=false sm.sched=vortex_rr gpu.cta_order=fill; do
        for name in bfs histogram nqueens reduction; do echo "right 'torture $name $set' $name --size tiny $torture --set $set"; done
    done
    [ -n "$all" ] || return
    for name in $(workloads); do
        for diverge in $("$heddle" list policies | awk '/^[^ ]/ { on = $1 == "sm.diverge:"; next } on && NF { print $1 }'); do
            for hazard in stall retain replay; do
                case $diverge/$hazard in mimd/retain | mimd/replay | dws/retain | dws/replay | interweave/retain | interweave/replay | vws/retain | vws/replay | dwf/retain | dwf/replay | tbc/retain | tbc/replay | lwm/retain | lwm/replay) continue ;; esac
                echo "right 'torture $name $diverge $hazard' $name --size tiny $torture --set sm.diverge=$diverge --set sm.hazard=$hazard"
            done
        done
    done
}
cases | pool
