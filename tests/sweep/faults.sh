#!/bin/bash
# What can go wrong with a sweep is said and recorded: texts, limits, disks, programs, two at once, signals
. "$(dirname "$0")"/../cli/common
. "$(dirname "$0")"/common
cd "$work" || exit 1
experiment() { # FILE [TEXT]: a small one, and more lines
    printf '[programs]\nrun = vecadd\nsize = tiny\n[machines]\nrun = small\n%b' "${2:-}" > "$1"
}
# refused TEXT PLACE MESSAGE: a line more is refused before anything runs
refused() {
    experiment bad.ini "$1"
    expect 2 "$heddle" sweep bad.ini
    err_has "^bad.ini:$2: error: .*$3"
    [ ! -e bad.db ] || { complain "a database was made for '$1'"; rm bad.db; }
}
refused '[keys]\nsm.shced = lrr\n' 7 'did you mean sm.sched'
refused '[keys]\nsm.sched = lrr, gtoo\n' 7 'gtoo'
refused '[keys]\nsm.warps = 8, 100000\n' 7 'sm.warps must be'
refused '[keys]\nsm.warps = 8\nsm.warps = 16\n' 8 'stands in line 7 already'
refused '[keys]\nsm.warps =\n' 7 'has no value'
refused '[machine]\n' 6 'did you mean \[machines\]'
refused '[programs]\nrun = vecad\n' 7 'did you mean "vecadd"'
refused '[programs]\nrun = none.json\n' 7 'No such file'
refused '[programs]\nrun = k.ptx\n' 7 'needs a manifest'
refused '[programs]\nrun = vecadd\n' 7 'named twice'
refused '[programs]\nrun = no*.json\n' 7 'no file is like'
refused '[programs]\nsize = huge\n' 7 'sizes are tiny, small, paper and aurud'
refused '[machines]\nrun = gtx481\n' 7 'did you mean "gtx480"'
refused '[list a]\nsm.warps = 8, 16\nsm.l1.mshrs = 4\n' 8 'go in step'
refused '[configuration a]\n[configuration a]\n' 7 'the first is in line 6'
refused '[configuration]\n' 6 'needs a name'
refused '[configuration a]\nwith = b\n' 7 'no \[configuration b\]'
refused '[part]\n' 6 'needs a name: \[part NAME\]'
refused '[part a]\n[configuration a]\n' 7 'cannot both be called a, as in line 6'
refused '[part a]\n[part a]\n' 7 'a second \[part a\]; the first is in line 6'
refused '[part a]\nsm.warps = 8\nsm.warps = 16\n' 8 'set twice'
refused '[part a]\nmachine = small\nmachine = small\n' 8 'machine is set twice'
refused '[part a]\nexit-cycles = 9\nexit-cycles = 9\n' 8 'exit-cycles is set twice'
refused '[configuration a]\nexit-cycles = 0\n' 7 'exit-cycles'
refused '[configuration a]\nexit-cycles = 9\n' 7 'that of vecadd has none'
refused '[part a]\nsm.warps = 8\n' 6 'parts alone run nothing'
refused '[part a]\nmachine = small, gtx480\n[configuration b]\nwith = a\n' 7 'does not run "gtx480"'
refused '[configuration a]\n[configurations]\nproduct = a\n' 8 'no \[part a\] above this line'
refused '[part a]\n[configurations]\nproduct = a, a b\n' 8 'no \[part b\] above this line'
refused '[part a]\n[configurations]\nproduct = a\n' 8 'cannot both be called a, as in line 6'
refused '[part a]\n[configurations]\nproduct = a, a\nproduct = a, a\n' 9 'a second \[configuration a.a\]; the first is in line 8'
refused '[part a]\n[configurations]\nproduct = a, a, a, a, a, a, a, a, a\n' 8 'at most 8 groups'
refused '[configurations]\nprodct = a\n' 7 'did you mean "product"'
refused '[conditions]\nskip = sm.shced == gto\n' 7 'did you mean sm.sched'
refused '[conditions]\nskip = porgram == gto\n' 7 'did you mean "program"'
refused '[conditions]\nskip = sm.warps\n' 7 'is missing'
refused '[conditions]\nskip = (sm.warps == 8\n' 7 'a ")" is missing'
refused '[conditions]\nskip = sm.warps == many\n' 7 'sm.warps must be'
refused '[conditions]\nsikp = sm.warps == 8\n' 7 'did you mean "skip"'
refused '[conditions]\nwhenever = sm.warps == 8\n' 7 'it has skip, only'
refused '[limits]\ntime = soon\n' 7 'a time such as'
refused '[limits]\nmemory = 4\n' 7 'a size with its unit'
refused '[repetitions]\ncount = 0\n' 7 'from 1 to'
refused '[repetitions]\ncount = 2\nkey = sm.sched\n' 8 'cannot move it'
refused '[repetitions]\nkey = all\nstep = 2\n' 8 'step is of one key'
refused '[repetitions]\nseed = maybe\n' 7 'seed must be yes or no'
refused '[repetitions]\nnear = yes\n' 7 'near is of studies'
refused '[measure]\nwarmp = 3\n' 7 'did you mean "warmup"'
refused '[measure]\nexit-cycles = 0\n' 7 'exit-cycles'
refused '[measure]\nsample = yes\nexit-cycles = 9\n' 8 'do not go together'
refused '[programs]\nrun = aes\nsize = aurud\n' 7 'aes has no size'
experiment sizes.ini '[programs]\nrun = aes\nsize = tiny, aurud\n[conditions]\nskip = size == aurud and program == aes\nskip = program == vecadd\n'
expect 0 "$heddle" sweep sizes.ini
out_has '1 runs*, 1 done'
refused '[measure]\nflush = maybe\n' 7 'yes or no'
refused 'nonsense\n' 6 'is not a section'
refused '[keys\n' 6 'no section'
experiment bad.ini '[conditions]\nonly = program == bfs\n'
expect 2 "$heddle" sweep bad.ini; err_has 'no run is left'
printf 'run = vecadd\n' > bad.ini; expect 2 "$heddle" sweep bad.ini; err_has 'before the first section'
printf '[machines]\nrun = small\n' > bad.ini; expect 2 "$heddle" sweep bad.ini; err_has 'nothing to run'
expect 2 "$heddle" sweep none.ini; err_has 'No such file'

# products, lists, configurations, conditions, repetitions
experiment all.ini '[keys]\nsm.warps = 8, 16\n[list a]\nsm.l1.mshrs = 4, 8\nsm.l1.ways = 2, 4\n[configuration one]\nsm.sched = lrr\n[configuration two]\nwith = one\nsm.sched = gto\n[conditions]\nskip = sm.warps == 8 and configuration == two\nskip = repetition > 0 and configuration == two\n[repetitions]\ncount = 2\n[measure]\nflush = yes\n'
expect 0 "$heddle" sweep all.ini --csv all.csv
same "$(ask all.ini 'SELECT count(*) FROM results')" 10 "runs of products, lists and conditions"
same "$(ask all.ini "SELECT count(*) FROM results WHERE settings LIKE '%mshrs=4 sm.l1.ways=4%'")" 0 "lists that are not in step"
same "$(wc -l < all.csv)" 11 "lines of the CSV"
same "$(ask all.ini "SELECT count(DISTINCT config_hash) FROM results")" 10 "configurations"
# products of parts, of which some belong to a machine; a part that is taken over may be set again
experiment parts.ini '[machines]\nrun = gtx480\n[part here]\nmachine = small\nsm.warps = 8\n[part there]\nwith = here\nmachine = gtx480\nsm.l1.mshrs = 8\n[part g]\nsm.sched = gto\n[part l]\nsm.warps = 16\nsm.sched = lrr\n[configurations]\nproduct = here there, l g\n[configuration both]\nwith = g\n'
expect 0 "$heddle" sweep parts.ini
same "$(ask parts.ini "SELECT group_concat(machine || ' ' || configuration || ' ' || settings, ';') FROM results")" "small here.l sm.warps=16 sm.sched=lrr;small here.g sm.warps=8 sm.sched=gto;small both sm.sched=gto;gtx480 there.l sm.warps=16 sm.l1.mshrs=8 sm.sched=lrr;gtx480 there.g sm.warps=8 sm.l1.mshrs=8 sm.sched=gto;gtx480 both sm.sched=gto" "runs of a product of parts"
# a configuration that ends elsewhere
experiment exits.ini '[measure]\nexit-cycles = 300\n[configuration short]\n[part e]\nexit-cycles = 400\n[configuration long]\nwith = e\n'
expect 0 "$heddle" sweep exits.ini
same "$(ask exits.ini "SELECT group_concat(configuration || ' ' || cycles || ' ' || measure, ';') FROM results")" "short 300 exit-cycles=300;long 400 exit-cycles=400" "where runs of two configurations end"
# a run of its own says the same
expect 0 "$heddle" run vecadd --size tiny --machine small --set sm.sched=gto --set sm.warps=16 --set sm.l1.mshrs=8 --set sm.l1.ways=4 --flush --quiet --json r.json
for key in cycles state_hash config_hash; do
    same "$(ask all.ini "SELECT $key FROM results WHERE configuration = 'two' AND settings LIKE '%mshrs=8%'")" "$(json r.json $key)" "$key of sweep and of run"
done
same "$(json r.json schema_version)" 1 "schema_version of the JSON"
same "$(ask all.ini "SELECT l1_misses FROM kernels JOIN plan USING(run_hash) WHERE configuration = 'two' AND settings LIKE '%mshrs=8%'")" "$(json r.json kernels.0.counters.l1_misses)" "a kernel's counter"

# a run over its limit, a program that faults, one with the wrong result: recorded, and tried again on demand
sed -n '/^\.version/,$p' "$top/tests/bad/endless_loop.ptx" > loop.ptx
sed -n 's,^// manifest: \{0\,1\},,p' "$top/tests/bad/endless_loop.ptx" > loop.json
sed -n '/^\.version/,$p' "$top/tests/bad/trap.ptx" > trap.ptx
sed -n 's,^// manifest: \{0\,1\},,p' "$top/tests/bad/trap.ptx" > trap.json
experiment f.ini '[programs]\nrun = loop.ptx@loop.json, trap.ptx@trap.json\n[limits]\ntime = 1s\n'
expect 1 "$heddle" sweep f.ini
err_has 'loop.ptx@loop.json on small: failed: over its limit of time, 1 s'
out_has '3 runs, 1 done, 2 failed'
same "$(ask f.ini "SELECT count(*) FROM results WHERE status = 'failed' AND message LIKE '%fault%' AND exit_code = 3")" 1 "the fault, recorded"
expect 1 "$heddle" sweep f.ini
same "$(ask f.ini 'SELECT max(attempt) FROM runs')" 1 "attempts without --retry"
expect 0 "$heddle" sweep f.ini --status
out_has 'over its limit of time'
expect 1 "$heddle" sweep f.ini --retry
same "$(ask f.ini "SELECT min(attempt) FROM runs WHERE status = 'failed'")" 2 "attempts with --retry"
same "$(ask f.ini "SELECT max(attempt) FROM runs WHERE status = 'done'")" 1 "attempts of what was done"
printf '[programs]\nrun = loop.ptx@loop.json\n[machines]\nrun = small\n[limits]\nmemory = 1M\ntime = 60s\n' > m.ini
expect 1 "$heddle" sweep m.ini
err_has 'over its limit of memory, 1 MiB'

# a program that vanishes between planning and running, and one that comes back
experiment p.ini '[programs]\nrun = gone/v.json\n[host]\nworkers = 1\n'
mkdir gone
cp "$B"/share/heddle/workloads/vecadd/vecadd.ptx gone/
tr -d '\n' < "$B"/share/heddle/workloads/vecadd/manifest-tiny.json | sed 's/, *"expect": *{[^}]*}//' > gone/v.json
expect 0 "$heddle" sweep p.ini
rm gone/vecadd.ptx
expect 2 "$heddle" sweep p.ini
err_has 'vecadd.ptx'

# a command that is built anew while its sweep runs
mkdir tool
cp "$heddle" tool/heddle
ln -s "$B"/share tool/share
printf '[programs]\nrun = saxpy, loop.ptx@loop.json, vecadd\nsize = tiny\n[machines]\nrun = small\n[keys]\nsm.warps = 8, 9, 10\n[limits]\ntime = 1s\n[host]\nworkers = 1\n' > t.ini
env -u HEDDLE_DATA tool/heddle sweep t.ini > out 2> err < /dev/null &
sweep=$!
for _ in $(seq 200); do [ -s t.db ] && [ "$(ask t.db 'SELECT count(*) FROM runs')" -ge 3 ] && break; sleep 0.1; done
rm tool/heddle
wait $sweep
same $? 1 "exit code of a sweep whose command was replaced"
same "$(ask t.db "SELECT count(*) FROM runs WHERE status = 'done'")" 6 "runs of a command that was replaced: $(grep -v limit err | head -2)"

# two on one file
sed -i 's/1s/8s/' f.ini
"$heddle" sweep f.ini --retry > first 2>&1 < /dev/null &
first=$!
for _ in $(seq 200); do [ -s f.db.lock ] && "$heddle" sweep f.ini --status < /dev/null | grep -q 'at work' && break; sleep 0.1; done
expect 2 "$heddle" sweep f.ini
err_has 'is being filled by another sweep: process [0-9]* on .*--wait'
kill -TERM $first
wait $first
same $? 143 "exit code after SIGTERM"
grep -q 'ended by SIGTERM; the same command goes on' first || complain "SIGTERM is not said: $(cat first)"
sed -i 's/8s/3s/' f.ini
"$heddle" sweep f.ini --retry > first 2>&1 < /dev/null &
first=$!
for _ in $(seq 200); do "$heddle" sweep f.ini --status < /dev/null | grep -q 'at work' && break; sleep 0.1; done
expect 1 "$heddle" sweep f.ini --wait
err_has 'waiting for process'
wait $first
same "$(ask f.ini 'SELECT count(*) FROM runs')" 3 "rows of two sweeps"

# unwritable, full, not ours, newer
experiment w.ini '[experiment]\ndatabase = /proc/none/x.db\n'
expect 2 "$heddle" sweep w.ini; err_has 'cannot write'
echo 'this is text' > text.db
expect 2 "$heddle" sweep all.ini --database text.db; err_has '^heddle sweep: error: text.db: not a file of results'
expect 2 "$heddle" query text.db 'SELECT 1'
cp all.db newer.db
printf '\000\000\000\143' | dd of=newer.db bs=1 seek=60 conv=notrunc 2> /dev/null
expect 2 "$heddle" sweep all.ini --database newer.db; err_has 'newer heddle (schema 99'
expect 2 "$heddle" query newer.db 'SELECT 1'; err_has 'newer heddle'
if [ "$(id -u)" -eq 0 ] && mkdir disk && mount -t tmpfs -o size=150k heddle-test disk 2> /dev/null; then
    trap 'umount "$work/disk"; rm -rf "$work"' EXIT
    experiment disk.ini '[keys]\nsm.warps = 8, 9, 10, 11, 12, 13, 14, 15, 16\nsm.l1.mshrs = 4, 5, 6, 7, 8, 9, 10\n[experiment]\ndatabase = disk/r.db\n'
    expect 2 "$heddle" sweep disk.ini
    err_has '^heddle sweep: error: /.*/disk/r.db: cannot write: the disk is full'
    had=$(ask disk/r.db 'SELECT count(*) FROM runs')
    same "$(ask disk/r.db 'PRAGMA integrity_check')" ok "the file on the full disk"
    mount -o remount,size=8m disk
    expect 0 "$heddle" sweep disk.ini
    same "$(ask disk/r.db 'SELECT count(*) FROM runs')" 63 "rows when there was room again (before: $had)"
fi

# questions
expect 2 "$heddle" query all.ini 'SELECT nosuch FROM results'; err_has 'no such column'
expect 2 "$heddle" query all.ini 'DELETE FROM runs'; err_has 'only reads'
expect 2 "$heddle" query all.ini 'SELECT 1; SELECT 2'; err_has 'more than one'
expect 0 "$heddle" query all.ini 'SELECT program, cycles FROM results LIMIT 1'; out_has '^program  cycles'
finish
