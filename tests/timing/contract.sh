#!/bin/bash
# Any scheduler works with any divergence policy, fetch policy, issue width, kind of collectors and size of
# warps, ideal or not: right output, audit clean, in a bounded time (D7). Then what the divergence policies promise of each
# other.
#
#   tests/timing/contract.sh BUILD [--all]
#
# Every scheduler with every divergence policy, and with each pair every mixture of the rest; the hazard
# policy changes from mixture to mixture, with --all each mixture meets each of them.
. "$(dirname "$0")"/common
export bound=8 # times the cycles of the default policies: patience, not a promise
export all=${1:-}

# Workloads with barriers, divergence, atomics and many launches
works="reduction nqueens histogram bfs"
for name in $works; do
    "$heddle" run "$name" --size tiny --machine small --quiet --json "$work/base.json" || echo "not ok contract base $name"
    field "$work/base.json" cycles > "$work/base.$name"
done

# mix NAME SCHED DIVERGE: one test of all the rest with these
mix() {
    local name=$1 sched=$2 diverge=$3 base fetch width collectors ideal hazard turn scale squeeze forms out= n=0
    base=$(< "$work/base.$name")
    for fetch in $fetches; do for width in 1 2; do for collectors in generic:4 separated:2/1/2; do for ideal in 0 1; do
        n=$((n + 1)) turn=0
        for hazard in $hazards; do
            turn=$((turn + 1))
            [ -n "$all" ] || [ $((n % $nhazards + 1)) -eq $turn ] || continue
            # formed fronts have choices of their own beside sm.sched; of the mixtures some
            case $diverge in
            dwf) [ -n "$all" ] || [ $hazard = stall ] || [ $n -le 2 ] || continue ;;
            tbc | lwm) [ -n "$all" ] || [ $n -le 2 ] || { [ $hazard = stall ] && [ $((n % 2)) -eq 0 ]; } || continue ;;
            esac
            scale=off squeeze=off
            [ $((n % 2)) -eq 0 ] || scale=hybrid
            [ $((n % 4)) -ne 1 ] || squeeze=thesis
            # two instructions of a cycle share a row, or slices have units of their own: warps keep their size, and one place to issue
            case $diverge in
            interweave | vws)
                [ $hazard = stall ] || [ $n -le 2 ] || continue
                { [ $width -eq 1 ] && scale=off squeeze=off; } || continue ;;
            esac
            set -- sm.sched=$sched sm.diverge=$diverge sm.fetch=$fetch sm.issue_width=$width sm.collectors=$collectors sm.hazard=$hazard \
                sm.operands.ideal=$ideal sm.icache.ideal=$ideal noc.ideal=$ideal sm.warp_scale=$scale sm.squeeze=$squeeze sm.lsu.width=16
            forms=
            [ $diverge != dws ] || forms=$(sed -n "$((n / 3 % 6 + 1))p" <<< "$splits")
            [ $diverge != interweave ] || forms=$(sed -n "$((n / 3 % 4 + 1))p" <<< "$weaves")
            [ $diverge != vws ] || forms=$(sed -n "$((n / 3 % 6 + 1))p" <<< "$gangs")
            [ $diverge != dwf ] || forms=$(sed -n "$((n / 3 % 6 + 1))p" <<< "$formings")
            # shellcheck disable=SC2086
            set -- "$@" $forms
            one_mix "${@/#/--set=}" || out+="heddle run $name --size tiny --machine small --audit ${*/#/--set }: $(tail -3 "$work/$$.err") $(field "$work/$$.json" cycles) cycles"$'\n'
        done
    done; done; done; done
    [ -z "$out" ]
    tell $? "contract $name $sched $diverge" "$out"
}
# A pair that does not go together is refused with the reason
one_mix() {
    local rc
    "$top/tests/within" 60 "$heddle" run "$name" --size tiny --machine small --audit --quiet --json "$work/$$.json" "$@" > "$work/$$.err" 2>&1 < /dev/null
    rc=$?
    case $diverge/$hazard in
    dwf/retain | dwf/replay | tbc/retain | tbc/replay | lwm/retain | lwm/replay | mimd/retain | mimd/replay | interweave/retain | interweave/replay | vws/retain | vws/replay)
        [ $rc -eq 2 ] && grep -q "sm.diverge = $diverge does not go with sm.hazard" "$work/$$.err"; return ;;
    dws/retain | dws/replay) [ $rc -eq 2 ] && grep -q 'sm.diverge = dws at loads does not go with sm.hazard' "$work/$$.err"; return ;;
    esac
    case $sched/$diverge$forms in # those that follow warps through memory
    mascar/vws* | ccws/vws* | owl/vws*)
        [ $rc -eq 2 ] && grep -q "sm.diverge = vws does not go with sm.sched" "$work/$$.err"; return ;;
    mascar/dwfdwf.policy=sched* | ccws/dwfdwf.policy=sched* | owl/dwfdwf.policy=sched* | mascar/tbc | ccws/tbc | owl/tbc | mascar/lwm | ccws/lwm | owl/lwm)
        [ $rc -eq 2 ] && grep -q "sm.diverge = $diverge does not go with sm.sched" "$work/$$.err"; return ;;
    esac
    [ $rc -eq 0 ] && [ "$(field "$work/$$.json" checksum_ok)" = true ] && [ "$(field "$work/$$.json" cycles)" -le $((base * bound)) ]
}
fetches=$(policies sm.fetch)
hazards=$(policies sm.hazard)
nhazards=$(wc -w <<< "$hazards")
formings="dwf.policy=sched
dwf.policy=majority sm.alu.width=8 dwf.conflict=move
dwf.policy=minority dwf.permute=xor dwf.majority=scan dwf.scan=4
dwf.policy=sched sm.alu.width=8 dwf.conflict=move
dwf.policy=pdom dwf.lanes=free
dwf.policy=timestamp dwf.table=1"
splits="dws.split=both
dws.split=memory dws.memory=aggressive
dws.memory=aggressive dws.meet=bypass
dws.memory=lazy dws.table=2
dws.meet=bypass dws.table=1
dws.split=memory dws.memory=revive dws.table=64"
weaves="interweave.with=both
interweave.with=branches
interweave.with=warps interweave.lanes=mirror
interweave.lanes=xor"
gangs="vws.memory=off
vws.gang=inelastic vws.memory=group
vws.control=all vws.memory=all vws.slice=2
vws.gangs=2 vws.first=little vws.front=warps
vws.slice=16 vws.first=sched vws.memory=group
vws.slice=8 vws.gang=inelastic vws.control=all vws.gangs=1"
export fetches hazards nhazards formings splits weaves gangs
export -f mix one_mix

# Policies that are made of the same pieces as the first four meet each scheduler on one workload in turn, with --all on each
mixes() {
    local name sched diverge n=0 turn
    for sched in $(policies sm.sched); do for diverge in $(policies sm.diverge); do
        n=$((n + 1)) turn=0
        for name in $works; do
            turn=$((turn + 1))
            case $diverge in
            cbarrier | frontier | dual_path | dws | interweave | vws | tbc | lwm) [ -n "$all" ] || [ $((n % 4 + 1)) -eq $turn ] || continue ;;
            esac
            echo "mix $name $sched $diverge"
        done
    done; done
}
[ -n "$(policies sm.sched)" ] && [ -n "$(policies sm.diverge)" ] && [ -n "$fetches" ] && [ -n "$hazards" ]
tell $? "contract the policies' names can be listed"
mixes | pool

# --- what the divergence policies promise of each other

# A manifest beside this script or a tiny workload under each policy. Lanes of spin_lock wait for a lane of
# their own warp: parts that take turns get there, a stack does not (tests/bad/spin_lock_on_a_stack.ptx has
# its message).
diverges() {
    local name diverge
    for diverge in $(policies sm.diverge); do
        for name in branches two_loads parted; do echo "right 'diverge $name $diverge' $here/ptx/$name.json --machine small --set sm.diverge=$diverge --audit"; done
        echo "right 'diverge stuck $diverge' $here/ptx/stuck.json --machine small --set sm.diverge=$diverge --audit --check 1"
        for name in bfs nqueens spmv; do echo "right 'diverge $name $diverge' $name --size tiny --machine small --set sm.diverge=$diverge --audit"; done
    done
    for diverge in its mimd cbarrier vws; do echo "right 'diverge spin_lock $diverge' $here/ptx/spin_lock.json --machine small --set sm.diverge=$diverge --audit --max-instructions 1000000"; done
}
# faster NAME A B PERCENT: under A it takes at most PERCENT of the cycles it takes under B
faster() {
    local a b
    a=$(field "$work/diverge_$1_$2.json" cycles) b=$(field "$work/diverge_$1_$3.json" cycles)
    [ -n "$a" ] && [ -n "$b" ] && [ $((a * 100)) -le $((b * $4)) ]
    tell $? "diverge $1: $2 takes at most $4 % of the cycles of $3" "$a and $b cycles"
}
# Lanes that are apart when they need each other (shuffle, vote, barrier, exit), on every machine and with
# both widths of issue: a cycle in which an instruction finds that it has to wait for lanes is no issue, and
# somebody's (audit rule A8)
parted() {
    local machine diverge width
    for machine in small gtx480 h200; do for diverge in $(policies sm.diverge); do for width in 1 2; do
        case $diverge/$width in interweave/2 | vws/2) continue ;; esac # refused
        echo "right 'parted $machine $diverge $width' $here/ptx/parted.json --machine $machine --set sm.diverge=$diverge --set sm.issue_width=$width --audit --check 1"
    done; done; done
}
# refuses NAME TEXT [OPTIONS]: one test, that the machine is refused at start-up with these words
refuses() {
    local name=$1 text=$2 out rc
    shift 2
    out=$("$heddle" run "$@" --quiet 2>&1 < /dev/null)
    rc=$?
    [ $rc -eq 2 ] && grep -qF "$text" <<< "$out"
    tell $? "$name" "exit $rc: heddle run $*
$out"
}
export -f refuses
# Every order with every divergence policy and hazard policy, or the reason why not; those with a window also
# with every scheduler, and with small windows
orders() {
    local order diverge name hazard sched n=0 few wide
    for order in $(policies sm.order); do
        for diverge in $(policies sm.diverge); do for name in bfs reduction; do
            case $order/$diverge in
            single/dws) # a split would wait for the loads of all others
                echo "refuses 'order $order $diverge $name' 'sm.order = $order does not go with sm.diverge = $diverge at loads' $name --size tiny --machine small --set sm.order=$order --set sm.diverge=$diverge" ;;
            in_order/* | single/* | */pdom | */none | */its | */cbarrier | */frontier | */dual_path)
                echo "right 'order $order $diverge $name' $name --size tiny --machine small --set sm.order=$order --set sm.diverge=$diverge --audit" ;;
            *) echo "refuses 'order $order $diverge $name' 'sm.order = $order does not go with sm.diverge = $diverge' $name --size tiny --machine small --set sm.order=$order --set sm.diverge=$diverge" ;;
            esac
        done; done
        [ $order != single ] || echo "refuses 'order $order vws at loads' 'sm.order = single does not go with vws.memory' bfs --size tiny --machine small --set sm.order=$order --set sm.diverge=vws --set vws.memory=group"
        echo "right 'order $order dws branch' nqueens --size tiny --machine small --set sm.order=$order --set sm.diverge=dws --set dws.split=branch --audit"
        for hazard in retain replay; do
            case $order in
            in_order | single) echo "right 'order $order $hazard' histogram --size tiny --machine turner2012 --set sm.order=$order --set sm.hazard=$hazard --audit" ;;
            *) echo "refuses 'order $order $hazard' 'sm.order = $order does not go with sm.hazard = $hazard' histogram --size tiny --machine turner2012 --set sm.order=$order --set sm.hazard=$hazard" ;;
            esac
        done
        case $order in in_order | single) continue ;; esac
        echo "refuses 'order $order tracker' 'does not go with sm.hazard.tracker' bfs --size tiny --machine small --set sm.order=$order --set sm.hazard.tracker=naive"
        for name in aggressive predicted; do
            case $order in
            rob) for diverge in bfs scan nqueens transpose; do echo "right 'order rob $name $diverge' $diverge --size tiny --machine small --set sm.order=rob --set order.memory=$name --set order.window=64 --set order.speculate=bimodal$([ $name != predicted ] || echo ' --set order.storesets=2') --audit --check 3"; done ;;
            *) echo "refuses 'order $order $name' 'order.memory = $name does not go with sm.order = $order' bfs --size tiny --machine small --set sm.order=$order --set order.memory=$name" ;;
            esac
        done
        for name in static bimodal; do
            case $order in
            rob) echo "right 'order rob $name' nqueens --size tiny --machine small --set sm.order=rob --set order.speculate=$name$([ $name != bimodal ] || echo ' --set order.bimodal.entries=3') --audit --check 3" ;;
            *) echo "refuses 'order $order $name' 'order.speculate = $name does not go with sm.order = $order' bfs --size tiny --machine small --set sm.order=$order --set order.speculate=$name" ;;
            esac
        done
        for name in history future checkpoint; do
            case $order in
            rob) for diverge in bfs nqueens transpose; do echo "right 'order rob $name $diverge' $diverge --size tiny --machine small --set sm.order=rob --set order.precise=$name --set order.memory=aggressive --set order.speculate=static --audit --check 3"; done ;;
            *) echo "refuses 'order $order $name' 'order.precise does not go with sm.order = $order' bfs --size tiny --machine small --set sm.order=$order --set order.precise=$name" ;;
            esac
        done
        few="--set order.window=3 --set order.buses=1 --set order.forwarding=0" wide="--set order.dispatch_width=4"
        case $order in tomasulo | rob | loog) few+=" --set order.stations=2" ;; esac
        case $order in rob | loog) few+=" --set order.registers=3" ;; esac
        [ $order != rob ] || wide+=" --set order.retire_width=4"
        echo "right 'order $order wide' srad --size tiny --machine small --set sm.order=$order $wide --set sm.issue_width=4 --audit --check 5"
        for sched in $(policies sm.sched); do for name in $works; do
            n=$((n + 1))
            [ -n "$all" ] || [ $((n % 2)) -eq 0 ] || continue
            diverge=$(policies sm.diverge | grep -v mimd | sed -n "$((n % 3 + 1))p")
            echo "right 'order $order $sched $name' $name --size tiny --machine small --set sm.order=$order --set sm.sched=$sched --set sm.diverge=$diverge --set sm.issue_width=$((n / 2 % 2 + 1)) --set sm.lsu.reexec=$((n % 3 * 4)) --audit --check 50"
        done; done
        echo "right 'order $order small windows' reduction --size tiny --machine small --set sm.order=$order $few --audit --check 1"
        for name in vecadd bfs nqueens; do echo "right 'order $order hybrid $name' $name --size tiny --machine small --set sm.order=$order --set sm.warp_scale=hybrid --set sm.squeeze=thesis --audit --check 50"; done
        echo "right 'order $order h200' histogram --size tiny --machine h200 --set sm.order=$order --audit"
    done
}
# A mesh, roomy and with one place everywhere, with each hazard policy and the re-execution queue; one pipe with each
# divergence policy, order without a window and size of warps
networks() {
    local name hazard diverge n=0 set
    for hazard in $hazards; do for name in $works; do
        n=$((n + 1)) set=
        [ $((n % 2)) -eq 0 ] || set="--set noc.mesh.buffer=1 --set noc.credits=1 --set l2.queue=1"
        [ $hazard != stall ] || set+=" --set sm.lsu.reexec=4"
        echo "right 'mesh $hazard $name' $name --size tiny --machine small --set noc.kind=mesh --set noc.mesh.width=$((1 + n % 4)) --set noc.mesh.height=4 --set sm.hazard=$hazard $set --audit --check 20"
    done; done
    for diverge in $(policies sm.diverge); do for name in $works; do
        n=$((n + 1)) set="--set sm.warp_scale=hybrid"
        if [ $diverge = vws ]; then
            set=$(sed -n "$((n % 6 + 1))p" <<< "$gangs")
            echo "right 'pipe $diverge $name' $name --size tiny --machine small --set sm.pipe=one --set sm.pipe.return_first=true --set sm.alu.width=8 --set sm.diverge=$diverge${set:+ --set ${set// / --set }} --audit --check 20"
            continue
        elif [ $diverge = interweave ]; then
            echo "right 'pipe $diverge $name' $name --size tiny --machine small --set sm.pipe=one --set sm.pipe.return_first=true --set sm.alu.width=8 --set sm.diverge=$diverge --audit --check 20"
            continue
        fi
        [ $((n % 2)) -eq 0 ] || set+=" --set sm.squeeze=fewest --set sm.warp_scale.latency=loop"
        [ $((n % 3)) -ne 0 ] || set+=" --set sm.warp_scale.sync=lockstep"
        [ $((n % 4)) -ne 0 ] || [ $diverge = dws ] || set+=" --set sm.order=single"
        echo "right 'pipe $diverge $name' $name --size tiny --machine small --set sm.pipe=one --set sm.pipe.return_first=true --set sm.alu.width=8 --set sm.diverge=$diverge $set --audit --check 20"
    done; done
}
LIMIT_S=60
export LIMIT_S
right 'pipe vws jin2012' bfs --size tiny --machine jin2012 --set sm.diverge=vws --audit --check 20
networks | pool
diverges | pool
orders | pool
parted | pool
faster branches mimd pdom 80
faster branches mimd its 80
faster branches pdom none 50
faster branches its none 50
faster two_loads its pdom 80
faster two_loads mimd pdom 80
faster two_loads dual_path pdom 80
faster two_loads dws pdom 80
faster branches interweave frontier 90
faster branches vws none 50
faster branches frontier none 50
# Memory decides here: under mimd parts load by themselves what a warp loads at once under the others, so a
# little more time is no contradiction
for name in bfs nqueens spmv; do
    faster $name mimd pdom 103
    faster $name mimd its 103
    faster $name pdom none 100
done
