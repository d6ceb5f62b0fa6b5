#!/bin/bash
# Mistakes are told at their line before anything runs, conditions may leave out what does not go together, and no
# option is taken that would do nothing
. "$(dirname "$0")"/../cli/common
. "$(dirname "$0")"/common
study=$(realpath "$(dirname "$0")"/small_study.ini)
cd "$work" || exit 1
experiment() { # FILE [TEXT]: five lines, and more
    printf '[programs]\nrun = vecadd\nsize = tiny\n[machines]\nrun = small\n%b' "${2:-}" > "$1"
}
refused() { # TEXT PLACE MESSAGE
    experiment bad.ini "$1"
    expect 2 "$heddle" sweep bad.ini --status
    err_has "^bad.ini:$2: error: .*$3"
}
# values that never match
refused '[conditions]\nskip = size == tinny\n' 7 'no size "tinny"'
refused '[conditions]\nskip = not (machine == gtx490)\n' 7 'no machine "gtx490"'
refused '[conditions]\nskip = size == tiny and program == vecad\n' 7 'no program "vecad"'
refused '[conditions]\nonly = configuration == b\n[configuration a]\nsm.sched = gto\n' 7 'no configuration "b"'
refused '[conditions]\nskip = repetition == first\n' 7 'must be an integer'
refused '[conditions]\nskip = sm.sched == gtoo\n' 7 'sm.sched must be'
refused '[groups]\na = vecadd, vecad\n[conditions]\nskip = program in a\n' 9 'no program "vecad"'
refused '[groups]\na = vecadd\na = bfs\n' 8 'group a stands in line 7'
refused '[conditions]\nskip = program in a\n[groups]\na = vecadd\n' 7 'no group "a" above this line'
# those that can
experiment good.ini '[conditions]\nskip = program == bfs or machine == gtx480 or size == paper or configuration == b\nonly = configuration == a\n[configuration a]\nsm.sched = lrr\n[configuration b]\nsm.sched = gto\n'
expect 0 "$heddle" sweep good.ini --status; out_has ': 1 runs'
experiment good.ini '[programs]\nrun = bfs, saxpy\n[groups]\nsome = bfs, saxpy\n[conditions]\nonly = program in some and not program in (saxpy, spmv)\n'
expect 0 "$heddle" sweep good.ini --status; out_has ': 1 runs'
# a policy's name is wrong once, at its own line
experiment bad.ini '[keys]\nsm.sched = lrr, gtoo\nsm.warps = 8, 16\n'
expect 2 "$heddle" sweep bad.ini
same "$(grep -c error: err)" 1 "messages of one mistake"
err_has '^bad.ini:7: error: sm.sched must be'
# the options' bounds
refused '[host]\nthreads = 257\n' 7 'from 1 to 256'
refused '[measure]\nmax-cycles = 0\n' 7 'from 1 to'
refused '[measure bfs]\nsample = yes\n' 6 'no program of \[programs\] has that name'
refused '[measure vecadd]\nflush = yes\n[measure vecadd]\nflush = yes\n' 8 'a second \[measure vecadd\]'
refused '[measure vecadd]\nsample = yes\nmax-cycles = 5\n' 8 'do not go together'
# a program's own measure is in place of that of all
experiment own.ini '[programs]\nrun = saxpy\n[measure]\nflush = yes\n[measure saxpy]\nmax-warp-instructions = 50\n[experiment]\nname = own\n'
expect 0 "$heddle" sweep own.ini --print-commands
out_has 'run vecadd .*--flush'
out_has 'run saxpy .*--max-warp-instructions 50'
out_lacks 'run saxpy .*--flush'
refused '[programs]\nif_there = bfss\n' 7 'did you mean "bfs"'
refused '[programs]\nif_there = vecadd\n' 7 'named twice'
refused '[programs]\nif_there = k.ptx\n' 7 'needs a manifest'
experiment there.ini '[programs]\nif_there = none.json, none*.json, k.ptx@none.json\n'
expect 0 "$heddle" sweep there.ini --status; out_has ': 1 runs'
# pairs that do not go together
pairs='[keys]\nsm.hazard = stall, replay\nsm.order = in_order, rob\n'
refused "$pairs" 8 'sm.order = rob does not go with sm.hazard = replay'
! grep -q 'error: .*error:' err || complain "an error within an error: $(cat err)"
experiment good.ini "${pairs}[conditions]\nskip = sm.hazard == replay and sm.order == rob\n"
expect 0 "$heddle" sweep good.ini --status; out_has ': 3 runs'
# a machine is called as it is written
"$heddle" run --machine small --dump-config > my.ini
printf '[programs]\nrun = vecadd\nsize = tiny\n[machines]\nrun = my.ini, small\n[conditions]\nonly = machine == my.ini\n' > own.ini
expect 0 "$heddle" sweep own.ini --status; out_has ': 1 runs'

# options that would do nothing
experiment o.ini '[experiment]\nname = a\033[31mb\n'
for pair in 'print-commands csv=x' 'print-commands html=x' 'print-commands retry' 'print-commands collect' 'status retry' 'status collect' 'status slurm' 'status wait' 'collect slurm' 'collect retry'; do
    # shellcheck disable=SC2086 # two words
    set -- $pair
    expect 2 "$heddle" sweep o.ini --"$1" --"$2"
    err_has "do not go together"
done
expect 2 "$heddle" sweep o.ini --task x:0; err_has 'takes no experiment'
expect 2 "$heddle" sweep o.ini --status --csv x; err_has 'nothing to write'
expect 2 "$heddle" query o.ini 'SELECT 1'; err_has 'no results yet: .*o.db is not there'
[ ! -e o.db ] && [ ! -e x ] || complain "a refused command left a file"
expect 0 "$heddle" sweep o.ini; out_has '^a?\[31mb: 1 run, 1 done'
expect 0 "$heddle" sweep o.ini -q; out_empty
same "$(ask o.ini 'SELECT 0.1 + 0.2')" 0.30000000000000004 "a real in CSV"
expect 0 "$heddle" help query
eval "expect 0 $(sed -n 's/.*heddle query mshrs.ini \(.*kernels JOIN.*\) --csv.*/"$heddle" query o.ini \1/p' out)"
out_has '^vecadd '

# studies
wrong() { # SED PLACE MESSAGE
    sed "$1" "$study" > w.ini
    expect 2 "$heddle" study w.ini -q
    err_has "^w.ini:$2: error: .*$3"
    [ ! -e study-w.db ] || { complain "a database was made for $1"; rm study-w.db; }
}
line() { grep -n "$1" "$study" | cut -d: -f1; }
wrong 's/^document.*/document = xyz/' "$(line '^document')" 'document must be a number'
wrong 's/^document.*/half = -3/' "$(line '^document')" 'half must be a number'
wrong 's/^factor.*/factor = 0/' "$(line '^factor')" 'factor must be a number'
wrong '/statement/,/figure/s/^set = all/set = nosuch/' "$(line '^set' | head -1)" 'no \[set nosuch\]'
wrong 's/^bars.*/bars = maybe/' "$(line '^bars')" 'bars must be no, yes or stacked'
wrong '/^of = gto/d' "$(line '^text')" 'neither sql nor of'
wrong '/^columns/d' "$(line '^title = Speed')" 'neither sql nor columns'
wrong 's/^of = gto/of = gtoo/' "$(line '^of')" '"gtoo"'
sed 's/^size = tiny/if_there = none.json\nsize = tiny/; s/^count = 8/count = 1/' "$study" > absent.ini
expect 0 "$heddle" study absent.ini -q
grep -q 'Not there, .*`none.json`' absent.md || complain "the page does not say what was not there"
exec 9> study-absent.db.lock
flock 9
expect 2 "$heddle" study absent.ini -q; err_has '(--wait)'
"$heddle" study absent.ini -q --wait > waited 2>&1 9>&- < /dev/null &
for _ in $(seq 100); do grep -q 'waiting for' waited && break; sleep 0.1; done
exec 9>&-
wait $!
same $? 0 "exit code of the study that waited: $(cat waited)"
finish
