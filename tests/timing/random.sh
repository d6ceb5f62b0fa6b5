#!/bin/bash
# Machines nobody would build: keys drawn at random from the table below, a tiny workload on each. The output
# is right, invariants and audit hold, the state is the same with two threads, or short windows, or no jumps,
# and a run that is cut and finished without time gives the right output too.
#
#   tests/timing/random.sh BUILD [COUNT [FIRST]]
#
# Machine N is the same in every run; `random.sh BUILD 1 N` runs it alone.
. "$(dirname "$0")"/common
count=${1:-60} first=${2:-1}

# draw N: "WORKLOAD --set KEY=VALUE ..." of machine N
draw() {
    awk -v seed="$1" -v works="backprop bfs bitonic blackscholes conv2d fwt gaussian histogram hotspot kmeans mandelbrot nqueens pathfinder reduction saxpy scan sgemm spmv srad stencil transpose vecadd" '
        function pick(text, at, n) { n = split(text, at, " "); return at[1 + int(rand() * n)] }
        BEGIN { srand(seed); for (i = 0; i < 5; i++) rand(); line = pick(works) }
        NF >= 2 && rand() < 0.3 { key = $1; $1 = ""; line = line " --set " key "=" pick($0) }
        END {
            # what divergence mechanisms do not go with
            if (line ~ /sm.diverge=(mimd|dws|interweave|vws|dwf|tbc|lwm)/) gsub(/ --set sm.(hazard|hazard[.][a-z_.]+|lsu.reexec)=[^ ]+/, "", line)
            if (line ~ /sm.diverge=(vws|dwf|tbc|lwm)/) sub(/ --set sm.sched=(mascar|ccws|owl)/, "", line)
            if (line ~ /sm.diverge=dwf/) sub(/ --set sm.sched.two_level.active=[0-9]+/, "", line)
            if (line ~ /sm.diverge=(interweave|vws)/) sub(/ --set sm.issue_width=[0-9]+/, "", line)
            if (line ~ /sm.order=/) gsub(/ --set sm.(hazard|hazard[.][a-z_.]+|diverge)=[^ ]+/, "", line) # some are refused together
            # refused without what they are keys of
            if (line !~ /sm.order=/) gsub(/ --set order.[a-z_.]+=[^ ]+/, "", line)
            if (line !~ /sm.order=rob/) gsub(/ --set order.(memory|speculate|retire_width)=[^ ]+/, "", line)
            if (line !~ /sm.order=ghost/) sub(/ --set order.ahead=[0-9]+/, "", line)
            if (line ~ /sm.order=(scoreboard|ghost)/) gsub(/ --set order.(stations|registers)=[0-9]+/, "", line)
            if (line ~ /sm.order=tomasulo/) sub(/ --set order.registers=[0-9]+/, "", line)
            if (line !~ /order.stations=/) sub(/ --set order.stations.shared=[a-z]+/, "", line)
            if (line ~ /sm.hazard.tracker=/) sub(/ --set sm.lsu.reexec=[0-9]+/, "", line) # refused together
            if (line !~ /sm.hazard.tracker=/) gsub(/ --set sm.hazard.(predictor|resource)=[a-z]+/, "", line) # refused without
            if (line !~ /sm.hazard.tracker=naive/) sub(/ --set sm.hazard.tracker_cy=[0-9]+/, "", line)
            if (line !~ /sm.hazard.predictor=counter/) sub(/ --set sm.hazard.counter.entries=[0-9]+/, "", line)
            if (line !~ /sm.hazard=(retain|replay)/) sub(/ --set sm.hazard.signal_cy=[0-9]+/, "", line)
            if (line !~ /sm.hazard=replay/) sub(/ --set sm.hazard.in_stage=[a-z]+/, "", line)
            print line
        }' <<'KEYS'
gpu.sms 1 3 7
gpu.core_mhz 700 1400 333
gpu.noc_mhz 700 500 1215
gpu.l2_mhz 700 500 1700
gpu.dram_mhz 924 1850 400
gpu.launch_cy 1 500
gpu.cta_launch_cy 1 3 700
gpu.cta_interval_cy 0 5 100
gpu.cta_order fill
sm.warps 8 9 32 64
sm.ctas 1 2 32
sm.threads 256 1024 2048
sm.registers 65536 131072
sm.shared_unit 1 256 4096
sm.fetch lrr gto find_first
sm.fetch.warps 1 2 4
sm.fetch.insts 1 2
sm.fetch.decode_cy 1 7
sm.inst_b 4 16
sm.ibuffer 2 3 8
sm.icache.sets 1 64
sm.icache.ways 1 2
sm.icache.line_b 64
sm.icache.mshrs 1 8
sm.icache.latency_cy 2 20
sm.branch_cy 1 20
sm.branch_guard_cy 1 30
ptx.schedule loads
ptx.schedule.registers 1 16 255
gpu.params_in_l2 true
sm.barrier_cy 1 30
sm.schedulers 2 4
sm.issue_width 2 4
sm.sched lrr gto gto_wait two_level oldest find_first vortex_rr mascar ccws owl
sm.sched.two_level.active 1 3
sm.diverge pdom none its mimd cbarrier frontier dual_path interweave dws vws dwf tbc lwm
sm.hazard stall retain replay
sm.depth.issue 1 5
sm.depth.operands 1 3
sm.operands.ideal true
sm.collectors generic:1 generic:16 separated:1/1/1 separated:4/2/3
sm.banks 1 2 16 32
sm.bank_ports 1 2 4
sm.bypass false
sm.chaining false
sm.alu.units 2 4
sm.alu.width 8 16 64
sm.int.units 1 2
sm.int.width 16 8
sm.sfu.width 1 4 32
sm.fp64.width 1 8
sm.class.int.latency_cy 11 24
sm.class.fp32.latency_cy 11 30
sm.class.logic.interval_cy 2 4
sm.lsu.queue 1 2 16
sm.lsu.reexec 1 8
sm.tlb.entries 4 16
sm.tlb.page_b 4096
sm.tlb.walks 2
sm.tlb.miss_cy 20
sm.hazard.tracker naive credit
sm.hazard.predictor miss counter oracle
sm.hazard.resource comq
sm.hazard.tracker_cy 3
sm.hazard.counter.entries 1 16
sm.hazard.signal_cy 5
sm.hazard.in_stage bank div both
sm.icache.prefetch 1 3
sm.lsu.agu_cy 2 7
sm.lsu.width 8 16
sm.shared.banks 1 16 64
sm.shared.latency_cy 17 40
sm.const.sets 1 2
sm.const.ways 1 8
sm.const.line_b 32 128
sm.const.mshrs 1 2
sm.l1.sets 1 8 128
sm.l1.ways 1 2 16
sm.l1.line_b 128
sm.l1.sector_b 32 64
sm.l1.latency_cy 17 80
sm.l1.mshrs 1 2 64
sm.l1.merge 1 2 64
sm.l1.miss_queue 1 2 64
sm.l1.fill_cy 2 4
sm.l1.global false
sm.l1.write back
sm.l1.write_local through
sm.l1.write_evict true
sm.l1.replace fifo
sm.l1.stream true
noc.ideal true
noc.latency_cy 1 2 100
noc.flit_b 4 8 128
noc.header_b 0 40
noc.credits 1 2 64
noc.credit_cy 1 3 100
l2.partitions 1 3 6 8
l2.slices 2 3
l2.sets 1 16 256
l2.ways 1 2
l2.line_b 64 32
l2.latency_cy 1 5 200
l2.mshrs 1 2
l2.merge 1 2
l2.queue 1 2
l2.interval_cy 2 8
l2.atomic_cy 2 8
l2.replace fifo
map.interleave_b 128 1024 65536
map.hash none
dram.kind fixed
dram.fixed_cy 1 300
dram.sched fcfs
dram.queue 1 2 64
dram.extra_cy 1 100
dram.banks 1 2 64
dram.row_b 256 8192
dram.bus_b 8 128
dram.tCL 1 40
dram.tRCD 1 40
dram.tRP 1 40
dram.tRAS 1 90
dram.tRRD 1 12
dram.tCCD 1 8
dram.tWR 1 30
dram.tWTR 1 30
dram.tRTP 1 20
dram.tREFI 3900
dram.tRFC 160
sm.order scoreboard tomasulo rob rob ghost loog
order.window 1 2 5 64
order.ahead 1 2 16
order.stations 1 4
order.stations.shared true
order.registers 1 4
order.buses 1 2
order.broadcast_cy 1 5
order.dispatch_width 2 4
order.retire_width 4
order.forwarding false
order.memory aggressive predicted
order.speculate static bimodal
KEYS
}
# machine N: runs of it in different ways
machine() {
    local n=$1 drawn state hows=("-j 2" "--no-jumps --window 1" "--window 3") how
    drawn=$(draw "$n") how=${hows[$((n % 3))]}
    # shellcheck disable=SC2086
    right "random machine $n" $drawn --size tiny --machine small --audit --check 16 || return
    state=$(field "$work/random_machine_$n.json" state_hash)
    # shellcheck disable=SC2086
    right "random machine $n again" $drawn --size tiny --machine small $how || return
    [ "$state" = "$(field "$work/random_machine_${n}_again.json" state_hash)" ]
    tell $? "random machine $n state" "$state is not $(field "$work/random_machine_${n}_again.json" state_hash): heddle run $drawn --size tiny --machine small [$how]"
    # shellcheck disable=SC2086
    right "random machine $n cut" $drawn --size tiny --machine small --audit --max-cycles $((n * 37 % 2999 + 1))
    rm -f "$work/random_machine_$n".* "$work/random_machine_${n}_"*
}
LIMIT_S=120
export LIMIT_S
export -f draw machine
for ((n = first; n < first + count; n++)); do echo "machine $n"; done | pool
