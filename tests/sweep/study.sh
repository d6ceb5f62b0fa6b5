#!/bin/bash
# A study runs from its description: phases, sets, figures, statements with a verdict; one row; what is wrong is said
. "$(dirname "$0")"/../cli/common
. "$(dirname "$0")"/common
cp "$(dirname "$0")"/small_study.ini "$work"/s.ini
cd "$work" || exit 1
expect 0 "$heddle" study s.ini --database s.db
out_has '^./s.md$'
for text in '^# A small study' 'error of sampling' '^| GTO | +10.0 ± 0.5 % | +[0-9.]* ± [0-9.]* % | 3 | .* | 3 kernels |' '^| bfs/bfs_level | ' '^| \*\*geometric mean (3 kernels of 2 programs)\*\* '; do
    grep -qe "$text" s.md || complain "the page lacks '$text'"
done
grep -q '<rect' s_speed.svg || complain "the drawing has no bar"
# eight repetitions of the baseline, one of GTO; the later configuration of the programs that its question gives
same "$(ask s.db "SELECT count(*) FROM results WHERE program = 'bfs' AND configuration = 'lrr'")" 8 "repetitions of the baseline"
same "$(ask s.db "SELECT count(*) FROM results WHERE program = 'bfs' AND configuration = 'gto'")" 1 "repetitions of GTO"
same "$(ask s.db "SELECT count(*) FROM results WHERE configuration = 'few'")" 2 "runs of the later configuration"
sed 's/speedup > 1/speedup > 1.1/' s.ini > t.ini
expect 0 "$heddle" study t.ini
same "$(ask study-t.db "SELECT group_concat(program) FROM results WHERE configuration = 'few'")" vecadd "programs of the later configuration"
# near = yes: what a kernel's jitter could explain is repeated, and nothing else
sed '/^skip = repetition/d; s/^count = 8/count = 8\nnear = yes/' s.ini > n.ini
expect 0 "$heddle" study n.ini --quiet
same "$(ask study-n.db "SELECT group_concat(program || ' ' || configuration || ' ' || n, '; ') FROM (SELECT program, configuration, count(*) AS n FROM results GROUP BY 1, 2)")" \
    'bfs few 8; bfs gto 8; bfs lrr 8; vecadd few 1; vecadd gto 1; vecadd lrr 8' "repetitions of what is near"
# [near]: what its question gives, and all programs with its baselines
{ cat n.ini; printf '[near]\nbaselines = few\nsql = SELECT program, configuration FROM k WHERE program = "vecadd" AND configuration = "gto";\n'; } |
    tr '"' "'" > m.ini
expect 0 "$heddle" study m.ini --quiet
same "$(ask study-m.db "SELECT group_concat(program || ' ' || configuration || ' ' || n, '; ') FROM (SELECT program, configuration, count(*) AS n FROM results GROUP BY 1, 2)")" \
    'bfs few 8; bfs gto 1; bfs lrr 8; vecadd few 8; vecadd gto 8; vecadd lrr 8' "repetitions of what is asked for"
for wrong in 'sql = SELECT program FROM k:no such column: configuration' 'sql = SELECT nil FROM k:no such column: nil' \
             'baselines = none\nsql = SELECT 1:the configuration "none"' 'baselines = few:has no sql'; do
    { cat n.ini; printf "[near]\n${wrong%%:*}\n"; } > odd.ini
    expect 2 "$heddle" study odd.ini --quiet; err_has "${wrong#*:}"; err_has 'odd.ini:'
done
{ cat s.ini; printf '[near]\nsql = SELECT program, configuration FROM k\n'; } > odd.ini
expect 2 "$heddle" study odd.ini --quiet; err_has 'odd.ini:[0-9]*: error: \[near\] needs near = yes'
# a mean says of how many kernels it is, column by column
grep -q '^| \*\*geometric mean (3 kernels of 2 programs; few MSHRs 1)\*\* ' t.md || complain "a column of fewer kernels is not told"
# the figure is the quotient of the two runs
speed=$(ask s.db "SELECT printf('%.3f', 1.0 * b.cycles / a.cycles) FROM results a JOIN results b USING(program) WHERE program = 'vecadd' AND a.configuration = 'gto' AND b.configuration = 'lrr' AND b.repetition = 0")
grep -q "^| vecadd/vecadd | $speed |" s.md || complain "vecadd's speedup is not $speed"
# a second call runs nothing, and writes the same
before=$(ask s.db 'SELECT count(*) FROM attempts')
cp s.md first.md
expect 0 "$heddle" study s.ini --database s.db --quiet
same "$(ask s.db 'SELECT count(*) FROM attempts')" "$before" "attempts of the second call"
cmp s.md first.md || complain "the second page is another"
# another build's runs count when it is named, and the page says whose they are
build=$(tr '\n' ' ' < s.md | sed -n 's/.* expected; heddle \([0-9a-z-]*\)\..*/\1/p')
LC_ALL=C sed "s/${build%%-*}/$(echo "${build%%-*}" | tr 0-9a-z a-z0-9)/g" "$heddle" > other
chmod +x other
mkdir other.out
export HEDDLE_DATA=${HEDDLE_DATA:-$B/share/heddle}
expect 2 ./other study s.ini --database s.db --quiet --builds nobody
err_has "no runs of build \"nobody\"; it has those of $build"
expect 0 ./other study s.ini --database s.db --quiet --out other.out --builds "$build"
same "$(ask s.db 'SELECT count(*) FROM attempts')" "$before" "attempts of the other build"
tr '\n' ' ' < other.out/s.md | grep -q "runs by heddle $build ([0-9]*), page by " || complain "the page does not say whose runs it has"
diff <(sed 1,/^The/d s.md) <(sed 1,/^The/d other.out/s.md) || complain "the page of the other build's runs is another"
# a page for a browser, with the statements, the figures and the runs; of one row too
expect 0 "$heddle" study s.ini --database s.db --quiet --html s.html
data() { { printf '\037\213\010\0\0\0\0\0\0\0'; sed -n 's/.*id="data">\([^<]*\)<.*/\1/p' "$1" | base64 -d | tail -c +3; } | gzip -dc 2> /dev/null; }
data s.html > data.json
same "$(json data.json title)" "A small study" "the page's title"
same "$(json data.json study.statements.0.verdict)" "$(sed -n 's/^| GTO | .* | 3 | \(.*\) | 3 kernels |/\1/p' s.md)" "the verdict on the page"
same "$(json data.json study.figures.0.rows | grep -o 'bfs/bfs_level' | head -1)" bfs/bfs_level "a row of a figure on the page"
same "$(grep -o '"keys":{"size":"tiny"' data.json | wc -l)" "$(ask s.db 'SELECT count(*) FROM results')" "runs on the page"
expect 2 "$heddle" study s.ini --database s.db --html s.db; err_has 's.db'
expect 2 "$heddle" study s.ini --database s.db --html s.ini; err_has 's.ini'
expect 0 "$heddle" study s.ini --database s.db --row vecadd --html -
out_has '^<!doctype html>'
# a row a program, shares and gains, tables apart, stacks and points, bounds; sampled runs
cp "$top"/tests/sweep/whole_study.ini w.ini
expect 0 "$heddle" study w.ini --quiet
for text in '^| whole | [+-][0-9.]* % | [a-z]* [+-]' '^| memory | above 1.0 % | [0-9.]* % | 2 | agrees' '^| side | below 0.0 % | .* | opposite' '^Every row is in \[w_tables.md\]'; do
    grep -qe "$text" w.md || complain "the page lacks '$text'"
done
grep -q '^| vecadd | [+-]' w_tables.md || complain "the tables lack vecadd's gain"
! grep -q '^| vecadd | [+-]' w.md || complain "the page has a table that stands apart"
for kind in stack points; do grep -q '<svg' w_$kind.svg || complain "no drawing w_$kind.svg"; done
same "$(grep -c '<circle' w_points.svg)" 2 "points"
same "$(ask study-w.db 'SELECT count(*) FROM runs WHERE estimate_cycles > 0 AND estimate_half_width IS NOT NULL')" "$(ask study-w.db 'SELECT count(*) FROM runs')" "estimated runs"
# one row, quick
expect 0 "$heddle" study s.ini --database s.db --row bfs
out_has '^| bfs/bfs_level |'
out_lacks '^| vecadd'
expect 0 "$heddle" study s.ini --quick
[ -s s-quick.md ] || complain "no s-quick.md"
! grep -q bfs s-quick.md || complain "the quick page has bfs"
grep -q '^Made by `heddle study s.ini --quick`; do not edit' s-quick.md || complain "the quick page names another command"
# programs whose runs the conditions leave out are not counted
sed 's/^\[conditions\]/&\nskip = program == bfs/' s.ini > u.ini
cp s.db u.db
expect 0 "$heddle" study u.ini --database u.db --quiet
grep -q ' runs of 1 programs,' u.md || complain "the page counts a program without runs"
# over another configuration: the quotient, and the interval of that configuration's jitter, the baseline's without one
sed 's/^run = bfs, vecadd/run = vecadd/; s/^of = gto/of = lrr\nover = gto/; s/^why = .*//' s.ini > o.ini
expect 0 "$heddle" study o.ini --database s.db --quiet
sed 's/^skip = rep.*/skip = repetition > 0 and configuration == few/' o.ini > p.ini
expect 0 "$heddle" study p.ini --database s.db --quiet
of() { sed -n 's/^| GTO | [^|]* | [+-]\([0-9.]*\) ± \([0-9.]*\) % | 1 .*/\1 \2/p' "$1"; }
[ -n "$(of o.md)" ] || complain "the page lacks a statement over GTO"
same "$(of o.md | cut -d' ' -f1)" "$(of p.md | cut -d' ' -f1)" "a speedup over GTO, repeated or not"
[ "$(of o.md)" != "$(of p.md)" ] || complain "the interval is the same whether GTO's jitter is known or not"
# equal work: a kernel's time is that of its timed blocks, without an error of an estimate
sed 's/^size = tiny/size = small\n[measure]\nmax-warp-instructions = 2000/; s/^count = 8/count = 1/; s/^why = .*/why = SELECT group_concat(DISTINCT (time = cycles) || error || (estimate_cycles > time)) FROM k/; s/^run = bfs, vecadd/run = vecadd/; s/^set = all$//' s.ini > e.ini
expect 0 "$heddle" study e.ini --quiet
grep -q '^| GTO | .* | 1 | .* | 101 |' e.md || complain "equal work has another time than its cycles: $(grep GTO e.md)"
# beside a program that is sampled: there it is the estimate, here still these cycles
sed 's/^size = tiny/size = small\n[measure]\nsample = yes\n[measure vecadd]\nmax-warp-instructions = 2000/; s/^count = 8/count = 1/; s/^why = .*/why = SELECT group_concat(DISTINCT program || (time = cycles) || (error > 0) || (estimate_cycles > cycles) || measure) FROM k/; s/^run = bfs, vecadd/run = reduction, vecadd/; s/^set = all$//' s.ini > b.ini
expect 0 "$heddle" study b.ini --quiet
grep -q '^| GTO | .* | 2 | .* | reduction011sample,vecadd101max-warp-instructions=2000 |' b.md || complain "equal work beside sampling: $(grep GTO b.md)"
# a damaged file of results, and a full disk, are told as this command's, and once
head -c 20000 s.db > damaged.db
expect 2 "$heddle" study s.ini --database damaged.db --quiet; err_has '^heddle study: error: damaged.db: not a file of results of a sweep, or a damaged one'
if [ "$(id -u)" -eq 0 ] && mkdir disk && mount -t tmpfs -o size=150k heddle-test disk 2> /dev/null; then
    trap 'umount "$work/disk"; rm -rf "$work"' EXIT
    expect 2 "$heddle" study s.ini --database disk/r.db --quiet; err_has '^heddle study: error: disk/r.db: cannot write: the disk is full'
    mount -o remount,size=8m disk
    expect 0 "$heddle" study s.ini --database disk/r.db --quiet --out disk
    same "$(sed 1,/^The/d disk/s.md)" "$(sed 1,/^The/d s.md)" "the page when there was room again"
fi
# mistakes
wrong() { # SED MESSAGE
    sed "$1" s.ini > w.ini
    expect 2 "$heddle" study w.ini
    err_has "$2"
}
wrong 's/baseline = lrr/baseline = none/' 'needs baseline = NAME'
wrong 's/factor = 1.5/factor = 1.5\nrows = blocks/' 'rows must be kernels or programs, not "blocks"'
wrong 's/^bars = yes/bars = yes\npoints = yes/' 'has bars and points; take one'
wrong 's/^bars = yes/bars = maybe/' 'bars must be no, yes or stacked, not "maybe"'
wrong 's/^set = all$/set = all\nshow = nothing/' 'show must be number, share or gain'
wrong 's/^document = 1.1/document = 1.1\nabove = 1/' 'has document and above'
wrong 's/^\[set all\]/[table speed]\nsql = SELECT 1\n[set all]/' 'a table cannot be called "speed"'
wrong 's/^document = 1.1/above = much/' 'above must be'
echo '{}' > bfs.json
wrong 's,run = bfs.*,run = bfs\nrun = bfs.json,' 'are both called bfs'
wrong 's/^size = tiny/size = tiny\n[measure]\nsample = yes\nmax-cycles = 5/' 'do not go together'
wrong 's/^size = tiny/size = tiny\n[measure]\nwarmup-once = yes/' 'warmup-once needs warmup'
wrong 's/^size = tiny/size = tiny\n[measure]\nsample = 101/' 'sample must be'
wrong 's/columns = gto:GTO/columns = gtoo:GTO/' 'the configuration "gtoo"'
wrong 's/^of = gto/of = gtoo/' 'the configuration "gtoo"'
wrong 's/FROM speed WHERE/FORM speed WHERE/' 'syntax error'
wrong '/^title = Speed/d' '\[figure speed\] has no title'
expect 2 "$heddle" study none; err_has 'studies are .*mascar'
expect 2 "$heddle" study mascer; err_has 'no study "mascer"; did you mean "mascar"?'
expect 2 "$heddle" study nosuch.ini; err_has 'cannot read the study "nosuch.ini": No such file'
wrong 's/^factor.*/takes = long/' 'takes must be a time'
expect 2 "$heddle" study s.ini --row none; err_has 'no program "none"'
expect 2 "$heddle" study s.ini --row vecad; err_has 'no program "vecad"; did you mean "vecadd"?'
# a folder that cannot be written is told before anything runs, and one that does nothing is refused
for to in /nowhere s.ini; do expect 2 "$heddle" study s.ini --database new.db --out $to; err_has "^heddle study: error: --out: $to: cannot write"; done
expect 2 "$heddle" study s.ini --database new.db --row bfs --out .; err_has '.--out does nothing with --row'
[ ! -e new.db ] || complain "a study that cannot write its page has begun"
expect 2 "$heddle" sweep s.ini; err_has 'unknown section \[study\]'
# the bundled ones are legal: each is read, and refuses a row that it does not have
for study in "$B"/share/heddle/studies/*.ini; do expect 2 "$heddle" study "$(basename "$study" .ini)" --row none; err_has 'has no program "none"'; done
finish
