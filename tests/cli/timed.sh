# A run with timing: the summary, JSON, CSV, samples, traces, audit; sums hold, results are those without timing.
. "$(dirname "$0")"/common
number() { json "$work/r.json" "$1"; }
expect 0 "$heddle" run bfs --size tiny
for word in 'bfs on gtx480: ' '^limited by  ' '^cycles  ' '^IPC  ' '^hits  ' '^CPI stack, proportional' '^  other ' 'checksum  *ok' '^more  *--full'; do out_has "$word"; done
for word in '^warp states' '^hazards ' '^caches ' '^energy ' '^kernel '; do out_lacks "$word"; done
[ "$(wc -l < "$work/out")" -le 20 ] || complain "the first screen has $(wc -l < "$work/out") lines"
err_empty
expect 2 "$heddle" run bfs --size tiny --functional --full
err_has '\-\-full needs timing'
expect 0 "$heddle" run bfs --size tiny --full
for word in 'bfs on gtx480: ' '^cycles  ' '^IPC  ' '^occupancy  ' '^limited by  ' '^CPI stack, proportional' '^  base ' '^warp states' '^  selected ' '^hazards ' '^caches ' \
    'checksum  *ok' '^rate .* cycles a second'; do out_has "$word"; done
err_empty
expect 0 "$heddle" run bfs --size tiny --machine small --per-kernel --by-pc 5 --cpi gsi
for word in 'bfs on small: ' '^--- bfs_level' '^launch ' 'CPI stack, gsi' 'bfs_level: 5 of [0-9]* instructions, by warp time'; do out_has "$word"; done
expect 0 "$heddle" run bfs --size tiny --machine small --by-pc=order
out_has "bfs_level: .* in program order"
out_has "ld.global"
# the measures of the two documents
expect 0 "$heddle" run bfs --size tiny --machine small --set sm.hazard=replay --hazards
for word in "^hazards, in Turner's measures" '^  memory_fraction ' '^  replays '; do out_has "$word"; done
expect 0 "$heddle" run spmv --size tiny --machine gtx480 --set sm.sched=mascar --set sm.lsu.reexec=32 --set sm.l1.mshrs=8 --pressure --json "$work/r.json"
for word in "^memory pressure, in Mascar's measures: memory intensive" '^  lsu_stall_fraction ' '^  hits_under_miss ' '^  owner_until_use ' '^  *in four groups: dram .* leakage .* others' 'status table 12 bytes, re-execution queue 1216 bytes'; do
    out_has "$word"
done
same "$(number mascar_storage.queue_b)" 1216 "the queue's bytes"
expect 0 "$heddle" run mandelbrot --size tiny --machine gtx480 --pressure
out_has "measures: compute intensive"
out_lacks "storage"
# JSON: keys, sums of D6, and the same results as without timing
expect 0 "$heddle" run bfs --size tiny --machine small --quiet --json "$work/r.json" --per-sm --by-pc
out_empty
for key in machine cycles warp_ipc config_hash state_hash launches.0.index launches.0.kernel launches.0.cycles launches.0.occupancy.limiter launches.0.formulas.occupancy \
    launches.0.cpi.selected.schedulers.0.base launches.0.warp_time.selected launches.0.sched_cycles.issue1 launches.0.hazards.mshr launches.0.per_sm.1.warp_instructions \
    launches.0.per_partition.0.dram_reads kernels.0.by_pc.0.issues; do number $key > /dev/null; done
same "$(number mode)" timed mode
same "$(number checksum_ok)" true checksum_ok
for mode in "--functional" "--machine small"; do expect 0 "$heddle" run scan --size tiny $mode --quiet --json "$work/$mode.json"; done
for key in warp_instructions thread_instructions checksum launches.1.divergent_branches launches.2.global_loads launches.0.warp_instructions instruction_mix.LOAD; do
    same "$(json "$work/--machine small.json" $key)" "$(json "$work/--functional.json" $key)" "$key with and without timing"
done
sum() { # of the numbers under one key
    local total=0 name
    for name in $2; do total=$(awk -v a="$total" -v b="$("$B"/json_get "$work/r.json" "$1.$name")" 'BEGIN { printf "%.6f", a + b }'); done
    printf '%.3f\n' "$total"
}
cycles=$(number cycles) sms=2
parts="base no_warp sync_control empty_ibuffer memory_data memory_structural compute_data compute_structural data_structural missed_schedule"
for method in selected gsi proportional; do same "$(sum cpi.$method.total "$parts")" "$(printf '%.3f' $((cycles * sms)))" "the $method stack's sum"; done
same "$(sum sched_cycles "idle raw stall issue1 issue2 restrict")" "$(printf '%.3f' $((cycles * sms)))" "the schedulers' sum"
# the same state twice, and for other ways to simulate it
state=$(number state_hash)
for how in "-j 2" "-j1" "--no-jumps" "--window 1" "--check 64"; do
    expect 0 "$heddle" run bfs --size tiny --machine small --quiet --json "$work/s.json" $how
    same "$(json "$work/s.json" state_hash)" "$state" "state_hash with $how"
done
expect 0 "$heddle" run bfs --size tiny --machine small --quiet --json "$work/s.json" --set sm.l1.latency_cy=60
[ "$(json "$work/s.json" config_hash)" != "$(number config_hash)" ] || complain "another key, the same config_hash"
# CSV and samples
expect 0 "$heddle" run bfs --size tiny --machine small --quiet --csv "$work/c.csv" --samples "$work/s.csv" --set stats.sample_cy=100
same "$(awk -F, '{ print NF }' "$work/c.csv" | sort -u | wc -l)" 1 "widths of the CSV's rows"
same "$(tail -1 "$work/c.csv" | cut -d, -f3)" all "the last row"
[ "$(wc -l < "$work/s.csv")" -gt 5 ] || complain "too few samples"
same "$(awk -F, -v all="$(number warp_instructions)" 'NR > 1 { s += $4 } END { print (s > all / 2 && s <= all) }' "$work/s.csv")" 1 "instructions of all samples"
# every counter by name: what JSON has, and no zero
expect 0 "$heddle" run bfs --size tiny --machine small --quiet --counters "$work/counters" --json "$work/n.json"
for name in cycles:cycles sum.warp_instructions:counters.warp_instructions mem.l2_accesses:counters.l2_accesses; do
    same "$(awk -v name="${name%:*}" '$1 == 0 && $2 == name { print $3 }' "$work/counters")" "$(json "$work/n.json" launches.0."${name#*:}")" "${name%:*} of the first launch"
done
same "$(awk '$2 ~ /^sm[01][.]warp_instructions$/ && $1 == 0 { n += $3 } END { print n }' "$work/counters")" "$(json "$work/n.json" launches.0.counters.warp_instructions)" "the SMs' instructions"
same "$(grep -c ' 0$' "$work/counters")" 0 "zeroes among the counters"
expect 2 "$heddle" run bfs --size tiny --functional --counters -
err_has "--counters needs timing"
expect 2 "$heddle" run bfs --size tiny --counters "$work/none/x"
err_has "$work/none/x: error: cannot write"
# measuring control
expect 0 "$heddle" run bfs --size tiny --machine small --quiet --json "$work/r.json" --fast-forward 2 --flush
same "$(number launches.0.functional)" true "the first launch, fast-forwarded"
same "$(number launches.2.functional)" false "the third"
# blocks of launches that came before the timed ones are blocks, too
expect 0 "$heddle" run bfs --size tiny --machine small --fast-forward 2 --max-warp-instructions 10
out_has '^not timed    18 of 21 blocks '
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet --json "$work/r.json" --max-cycles 50
same "$(number launches.0.complete)" false "complete, after --max-cycles"
same "$(number checksum_ok)" true "the output, after --max-cycles"
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet --json "$work/r.json" --warmup 50 --fast-forward-ctas 1
# traces and audit
expect 0 "$heddle" run vecadd --size tiny --machine small --konata "$work/k" --perfetto "$work/p" --trace-cycles 0..400 --trace-sm 0 --audit
head -1 "$work/k" | grep -q '^Kanata' || complain "no Konata header"
"$B"/json_get "$work/p" traceEvents > /dev/null || complain "the Perfetto trace is no JSON with traceEvents"
out_has '^audit  *0 violations'
# a counter lock: launches of locked kernels run, and count for themselves and their kernel only
expect 0 "$heddle" run srad --size tiny --machine small --quiet --json "$work/r.json"
expect 0 "$heddle" run srad --size tiny --machine small --json "$work/l.json" --lock 'srad_co*'
out_has '^locked .* of srad_co\* ran and are not counted'
first=$(json "$work/r.json" kernels | grep -o '"name":"srad_[a-z]*"' | head -1 | cut -d'"' -f4)
same "$first" srad_coefficient "the first kernel of srad"
same "$(json "$work/l.json" cycles)" "$(($(json "$work/r.json" cycles) - $(json "$work/r.json" kernels.0.cycles)))" "cycles without those of the locked kernel"
for key in state_hash kernels.0.cycles kernels.1.cycles checksum; do same "$(json "$work/l.json" $key)" "$(json "$work/r.json" $key)" "$key with and without the lock"; done
same "$(json "$work/l.json" launches.0.locked)" true "the first launch is locked"
same "$(json "$work/l.json" launches_locked)" "$(json "$work/r.json" kernels.0.launches)" "locked launches"
expect 2 "$heddle" run srad --size tiny --machine small --lock ""; err_has "wants the names of kernels"
expect 2 "$heddle" run srad --size tiny --machine small --lock srad_update,nothing; err_has 'no launch of srad is of a kernel "nothing"'
expect 2 "$heddle" run srad --size tiny --machine small --lock '*'; err_has 'leaves no launch'
expect 2 "$heddle" run srad --size tiny --functional --lock '*'; err_has 'needs timing'
expect 0 "$heddle" compare srad --size tiny --machine small --quiet --vary sm.l1.mshrs=8,16 --lock srad_coefficient --json "$work/c.json"
# the machine as a file reads back as itself
expect 0 "$heddle" run --machine gtx480 --set sm.warps=24 --dump-config
cp "$work/out" "$work/mine.ini"
expect 0 "$heddle" run vecadd --size tiny --machine "$work/mine.ini" --quiet --json "$work/a.json"
expect 0 "$heddle" run vecadd --size tiny --machine gtx480 --set sm.warps=24 --quiet --json "$work/b.json"
for key in config_hash state_hash; do same "$(json "$work/a.json" $key)" "$(json "$work/b.json" $key)" "$key of a dumped machine"; done
# arrows of the pipeline's history: from the instruction that wrote a register to one that names it
expect 0 "$heddle" run vecadd --size tiny --machine small --quiet --konata "$work/arrows.log" --perfetto "$work/p.json" --trace-cycles 0..3000 --trace-sm 0
awk -F'\t' '$1 == "L" && $3 == 0 { sub(/.*pc [0-9]*: /, "", $4); text[$2] = $4 }
    $1 == "W" { n++; if (!($2 in text) || !($3 in text)) { print "no row for " $0; bad = 1 } else {
        split(text[$3], word, /[ ,]+/); at = word[1] ~ /^@/ ? 3 : 2
        if (text[$3] !~ /^setp/ && index(text[$2], word[at]) == 0) { print text[$2] " does not read what is written by " text[$3]; bad = 1 } } }
    END { if (n < 50) { print n " arrows"; bad = 1 } exit bad }' "$work/arrows.log" > "$work/wrong" || { complain "arrows:"; head -3 "$work/wrong"; }
# the counter IPC sums up to the instructions that issued
issued=$(grep -c '"dur":1,.*"uid":' "$work/p.json")
same "$(grep -o '"name":"IPC","args":{"value":[0-9.e-]*' "$work/p.json" | awk -F: '{ n += 64 * $NF } END { printf "%.0f", n }')" "$issued" "issues in the counter IPC"
# those of DRAM sum up to the bytes that it moved, add no samples to the report and change nothing else
expect 0 "$heddle" run spmv --size tiny --machine small --quiet --perfetto "$work/d.json" --trace-sm 0 --json "$work/with.json"
expect 0 "$heddle" run spmv --size tiny --machine small --quiet --json "$work/without.json"
for key in state_hash cycles counters; do same "$(json "$work/with.json" $key)" "$(json "$work/without.json" $key)" "$key with and without a trace"; done
burst=$(json "$work/with.json" config | grep -o '"dram.burst_b":[0-9]*' | cut -d: -f2)
bytes=$((burst * ($(json "$work/with.json" counters.dram_reads) + $(json "$work/with.json" counters.dram_writes))))
told=$(grep -o '"ts":[0-9]*,"name":"bytes a cycle","args":{"value":[0-9.e+-]*' "$work/d.json" | awk -F'[:,}]' '{ n += v * ($2 - t); t = $2; v = $NF } END { printf "%.0f", n }')
[ "$bytes" -gt 0 ] && [ $((told - bytes)) -ge 0 ] && [ $((told - bytes)) -le $((bytes / 20)) ] || complain "DRAM's counter sums up to $told bytes, $bytes were counted until the launches' ends"
for name in 'bus use' 'bus use of channel 0' 'bursts waiting'; do grep -q "\"name\":\"$name\",\"args\":{\"value\":[0-9.]*[1-9]" "$work/d.json" || complain "no counter of $name"; done
for name in 'MSHRs in use' warps; do grep -q "\"name\":\"$name\",\"args\":{\"value\":[1-9]" "$work/p.json" || complain "no counter of $name"; done
finish
