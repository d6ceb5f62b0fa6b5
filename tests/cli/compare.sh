# heddle compare: every combination runs, the first is what the others are measured against.
. "$(dirname "$0")"/common
expect 0 "$heddle" compare vecadd --size tiny --machine small --vary sm.warps=16,8 --vary sm.l1.mshrs=16,4 --metric occupancy --metric memory_data --json "$work/c.json" --csv "$work/c.csv"
out_has '^vecadd on small, 4 configurations'
out_has '^sm.warps  *sm.l1.mshrs  *cycles  *IPC  *speedup  *by busy  *SMs busy  *waves  *occupancy  *cpi.memory_data'
same "$(grep -cE '^(16|8) +(16|4) ' "$work/out")" 4 "rows"
out_has '^16  *16 .* 1\.000 '
out_has '^outputs  *identical'
same "$(json "$work/c.json" programs.0.outputs_identical)" true outputs_identical
same "$(wc -l < "$work/c.csv")" 5 "lines of the CSV"
# a run by itself says the same
expect 0 "$heddle" run vecadd --size tiny --machine small --set sm.warps=8 --set sm.l1.mshrs=4 --quiet --json "$work/r.json"
for key in cycles state_hash config_hash machine config roofs limit energy; do same "$(json "$work/c.json" programs.0.configurations.3.$key)" "$(json "$work/r.json" $key)" "$key of compare and of run"; done
# machines, several programs
expect 0 "$heddle" compare vecadd saxpy --size tiny --vary machine=small,gtx480
out_has '^saxpy, 2 configurations'
out_has 'geometric mean'
# out of order: both orders of the PTX by themselves, each against its own first; unless the user says which
expect 0 "$heddle" compare vecadd --size tiny --machine small --vary sm.order=in_order,rob --json "$work/o.json"
out_has '^vecadd on small, 4 configurations'
out_has '^ptx.schedule  *sm.order '
out_has '^written  *in_order .* 1\.000 '
out_has '^loads  *in_order .* 1\.000 '
out_has '^caveat  *PTX as written flatters'
same "$(json "$work/o.json" programs.0.configurations.2.speedup)" "1.0" "speedup of the second schedule's first"
json "$work/o.json" programs.0.caveats.0 > /dev/null
expect 0 "$heddle" compare vecadd --size tiny --machine small --vary sm.order=in_order,ghost --set ptx.schedule=loads
out_has '^vecadd on small, 2 configurations'
out_has '^caveat .*ptx.schedule=written'
expect 0 "$heddle" compare vecadd --size tiny --machine small --vary sm.order=in_order,scoreboard
out_has '^vecadd on small, 2 configurations'
expect 0 "$heddle" run vecadd --size tiny --machine small --set sm.order=loog --json "$work/l.json"
out_has '^caveat  *PTX as written flatters'
json "$work/l.json" caveats.0 > /dev/null
expect 0 "$heddle" run vecadd --size tiny --machine small
if grep -q '^caveat' "$work/out"; then complain "in-order issue has a caveat"; fi
# what --set gives for one of the configurations is left out of those in which it does nothing, and refused when all are such
expect 0 "$heddle" compare vecadd --size tiny --machine small --vary sm.order=in_order,rob --set order.window=4 --json "$work/w.json"
err_has 'note: order.window does nothing in 2 of 4 configurations, by their sm.order, and is left at 16 there'
same "$(grep -c note: "$work/err")" 1 "notes"
expect 0 "$heddle" run vecadd --size tiny --machine small --set sm.order=rob --set order.window=4 --quiet --json "$work/r.json"
same "$(json "$work/w.json" programs.0.configurations.1.config_hash)" "$(json "$work/r.json" config_hash)" "configuration with the key"
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet --json "$work/r.json"
same "$(json "$work/w.json" programs.0.configurations.0.config_hash)" "$(json "$work/r.json" config_hash)" "configuration without it"
expect 2 "$heddle" compare vecadd --machine small --vary sm.order=in_order,single --set order.window=4
err_has 'order.window is 4, which does nothing while sm.order is in_order'
expect 2 "$heddle" compare vecadd --machine small --vary sm.order=in_order,rob --set dws.table=4
err_has 'dws.table is 4, which does nothing while sm.diverge is pdom'
# mistakes are found before anything runs
expect 2 "$heddle" compare vecadd
err_has 'nothing varies'
expect 2 "$heddle" compare vecadd --vary sm.shced=lrr,gto
err_has 'did you mean sm.sched'
expect 2 "$heddle" compare vecadd --vary sm.warps=8,100000
err_has 'sm.warps must be'
expect 2 "$heddle" compare vecadd --vary sm.warps=8,16 --metric l1_hitrate
err_has 'did you mean "l1_hit_rate"'
finish
