# The names a user may type are listed, as text and as JSON.
. "$(dirname "$0")"/common
expect 0 "$heddle" list workloads
for name in vecadd saxpy sgemm transpose reduction scan histogram spmv bfs stencil mandelbrot nqueens blackscholes; do out_has "^$name "; done
expect 0 "$heddle" list classes
out_has '[a-z]'
expect 0 "$heddle" list generators
for name in zero fill hash mod bytes unit range prefix lcgperm ramp diagdom twiddle powerlaw popular band mesh bell; do out_has "^$name "; done
# bundled studies: how many programs and configurations each has, and how long it takes where it says so
expect 0 "$heddle" list studies
out_has '^name  *programs  *configurations  *processor  what it is$'
for study in "$B"/share/heddle/studies/*.ini; do
    name=$(basename "$study" .ini)
    title=$(sed -n 's/^title *= *//p' "$study" | head -1)
    grep -q "^$name  *[1-9][0-9]*  *[1-9][0-9]*  .*  $title\$" "$work/out" || complain "the list lacks $name with its title: $(grep "^$name " "$work/out")"
done
out_has '^turner  *30  '
out_has '^mascar .*  22 min  '
mkdir -p "$work/data/studies"
printf '[study]\nbaseline = none\n' > "$work/data/studies/broken.ini"
HEDDLE_DATA=$work/data expect 0 "$heddle" list studies
out_has '^broken .*  -  cannot be read$'
# an object a row, in the order of the text
for list in workloads studies machines policies keys stats classes generators textures environment limits commands; do
    expect 0 "$heddle" list $list --json "$work/$list.json"
    [ -s "$work/out" ] || complain "no text of $list beside the JSON"
    expect 0 "$heddle" list $list --json -
    cmp -s "$work/out" "$work/$list.json" || complain "$list as JSON on standard output is another than in a file"
    json "$work/$list.json" 0.name > /dev/null
    json "$work/$list.json" 1.doc > /dev/null
done
same "$(json "$work/commands.json" 0.name)" "$("$heddle" list commands | head -1 | cut -d' ' -f1)" "the first command"
same "$(json "$work/workloads.json" 0.bytes.tiny | grep -c '^[1-9]')" 1 "bytes of a workload"
same "$(json "$work/keys.json" 0.default)" "$("$heddle" list keys | sed -n '2s/^[^ ]*  *\([^ ]*\) .*/\1/p')" "a key's default"
json "$work/limits.json" 0.most | grep -q '^[1-9]' || complain "a limit without a number"
same "$(grep -c '"processor_seconds"' "$work/studies.json")" "$(ls "$B"/share/heddle/studies/*.ini | wc -l)" "studies as JSON"
grep -q '"processor_seconds": *1320' "$work/studies.json" || complain "the time of a study is not told: $(cat "$work/studies.json")"
expect 2 "$heddle" list studies --json /nowhere/x; err_has '/nowhere/x'
expect 2 "$heddle" list studis; err_has 'did you mean "studies"'
finish
