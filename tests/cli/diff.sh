# Two results: the keys that differ, whether results are the same, and parts that add up to the change in cycles.
. "$(dirname "$0")"/common
run() { expect 0 "$heddle" run bfs --size tiny --machine small --quiet "$@"; }
run --json "$work/a.json"
run --json "$work/same.json" --no-jumps
run --json "$work/b.json" --set sm.l1.mshrs=2 --set sm.sched=gto
expect 0 "$heddle" diff "$work/a.json" "$work/same.json"
out_has '^results  *the same, to the bit'
out_has '^counters  *all the same'
expect 1 "$heddle" diff "$work/a.json" "$work/b.json"
out_has '^  sm.l1.mshrs  *[0-9]* -> 2$'
out_has '^  sm.sched  *lrr -> gto$'
out_lacks '^  sm.l1.ways'
out_has "^cycles  *$(json "$work/a.json" cycles) -> $(json "$work/b.json" cycles), .* times as fast"
out_has '^  lsu_stall_cycles .* -> '
# the parts add up, to rounding
awk '/^why/ { want = $NF; on = 1; next } on && /schedulers had no warp/ { on = 0 } on { sum += $2; n++ }
     END { if (n < 3 || sum - want > n || want - sum > n) { print "parts add up to " sum ", not " want; exit 1 } }' "$work/out" || complain "why"
short=$(wc -l < "$work/out")
expect 1 "$heddle" diff "$work/a.json" "$work/b.json" --all
[ "$(wc -l < "$work/out")" -gt "$short" ] || complain "--all shows no more"
# other programs, modes and results
expect 0 "$heddle" run vecadd --size tiny --functional --quiet --json "$work/f.json"
expect 1 "$heddle" diff "$work/a.json" "$work/f.json"
out_has '^mode  *timed -> functional'
out_has '^name  *bfs -> vecadd'
out_has '^results  *DIFFER'
# a result that says nothing of its output or machine: one line, and not "the same"
expect 0 "$heddle" run bfs --size tiny --functional --quiet --json "$work/f.json"
"$heddle" diff "$work/f.json" "$work/a.json" > "$work/out" 2> "$work/err"
out_has '^keys  *not told by the first, which ran without'
out_lacks 'not told -> '
out_has '^results  *the same, to the bit'
"$heddle" diff "$work/a.json" "$work/f.json" > "$work/out" 2> "$work/err"
out_has '^keys  *not told by the second, which ran without'
out_lacks ' -> not told'
grep -v '"checksum"' "$work/a.json" > "$work/silent.json"
expect 0 "$heddle" diff "$work/silent.json" "$work/silent.json"
out_has '^results  *not told whether they are the same: both have no checksum'
out_lacks 'to the bit'
expect 0 "$heddle" diff "$work/silent.json" "$work/a.json"
out_has '^results  *not told .* the first has no checksum'
# no control character of a file reaches the terminal; a full disk is exit code 2 though results differ
sed 's/"name": "bfs"/"name": "b\\u001b[31mfs\\nx\\u009b"/; s/"machine": "small"/"machine": "\\u001b]0;t\\u0007"/' "$work/b.json" > "$work/escape.json"
expect 1 "$heddle" diff "$work/a.json" "$work/escape.json"
out_has '^name  *bfs -> b?\[31mfs?x?'
LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" "$work/out" && complain "control characters"
"$heddle" diff "$work/a.json" "$work/b.json" > /dev/full 2> "$work/err"
same $? 2 "exit code on a full disk"
# what is no result
echo '{"a": 1' > "$work/cut.json"
expect 2 "$heddle" diff "$work/a.json" "$work/cut.json"
err_has 'cut.json: line [0-9]*, column [0-9]*: this is no JSON'
echo '[1, 2]' > "$work/list.json"
expect 2 "$heddle" diff "$work/list.json" "$work/a.json"
err_has 'list.json: this is no result of heddle run or exec'
expect 0 "$heddle" compare vecadd --size tiny --vary sm.sched=lrr,gto --quiet --json "$work/c.json"
expect 2 "$heddle" diff "$work/c.json" "$work/a.json"
err_has 'a result of heddle compare'
expect 2 "$heddle" diff "$work/a.json" "$work/nosuch.json"
err_has 'nosuch.json'
# results with parts of the wrong kind are no crash
for wrong in '{"mode": "timed", "launches": [], "cpi": 3, "counters": [], "kernels": {"a": 1}, "cycles": "x"}' '{"mode": "timed", "launches": [1], "kernels": [1, null], "config": []}'; do
    echo "$wrong" > "$work/wrong.json"
    "$heddle" diff "$work/a.json" "$work/wrong.json" > /dev/null 2>&1
    [ $? -le 2 ] || complain "heddle diff ends badly on $wrong"
done
finish
