#!/bin/bash
# A study runs from its description: phases, sets, figures, statements with a verdict; one row; what is wrong is said
. "$(dirname "$0")"/../cli/common
. "$(dirname "$0")"/common
cp "$(dirname "$0")"/small_study.ini "$work"/s.ini
cd "$work" || exit 1
expect 0 "$heddle" study s.ini --database s.db
out_has '^./s.md$'
for text in '^# A small study' 'added as squares' '^| GTO | +10.0 ± 0.5 % | +[0-9.]* ± [0-9.]* % | 3 | .* | 3 kernels |' '^| bfs/bfs_level | ' '^| \*\*geometric mean (3)\*\* '; do
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
# the figure is the quotient of the two runs
speed=$(ask s.db "SELECT printf('%.3f', 1.0 * b.cycles / a.cycles) FROM results a JOIN results b USING(program) WHERE program = 'vecadd' AND a.configuration = 'gto' AND b.configuration = 'lrr' AND b.repetition = 0")
grep -q "^| vecadd/vecadd | $speed |" s.md || complain "vecadd's speedup is not $speed"
# a second call runs nothing, and writes the same
before=$(ask s.db 'SELECT count(*) FROM attempts')
cp s.md first.md
expect 0 "$heddle" study s.ini --database s.db --quiet
same "$(ask s.db 'SELECT count(*) FROM attempts')" "$before" "attempts of the second call"
cmp s.md first.md || complain "the second page is another"
# one row, quick
expect 0 "$heddle" study s.ini --database s.db --row bfs
out_has '^| bfs/bfs_level |'
out_lacks '^| vecadd'
expect 0 "$heddle" study s.ini --quick
[ -s s-quick.md ] || complain "no s-quick.md"
! grep -q bfs s-quick.md || complain "the quick page has bfs"
# mistakes
wrong() { # SED MESSAGE
    sed "$1" s.ini > w.ini
    expect 2 "$heddle" study w.ini
    err_has "$2"
}
wrong 's/baseline = lrr/baseline = none/' 'needs baseline = NAME'
wrong 's/columns = gto:GTO/columns = gtoo:GTO/' 'the configuration "gtoo"'
wrong 's/^of = gto/of = gtoo/' 'the configuration "gtoo"'
wrong 's/FROM speed WHERE/FORM speed WHERE/' 'syntax error'
wrong '/^title = Speed/d' '\[figure speed\] has no title'
expect 2 "$heddle" study none; err_has 'studies are .*mascar'
expect 2 "$heddle" study s.ini --row none; err_has 'no program "none"'
expect 2 "$heddle" study s.ini --out /nowhere; err_has 'cannot write'
expect 2 "$heddle" sweep s.ini; err_has 'unknown section \[study\]'
# the bundled ones are legal: each is read, and refuses a row that it does not have
for study in "$B"/share/heddle/studies/*.ini; do expect 2 "$heddle" study "$(basename "$study" .ini)" --row none; err_has 'has no program "none"'; done
finish
