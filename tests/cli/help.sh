# Every command explains itself: what it does, its usage, every option, an example.
. "$(dirname "$0")"/common
expect 0 "$heddle" --help
cp "$work/out" "$work/all"
for command in $("$heddle" list commands | cut -d' ' -f1); do
    grep -q "^  $command " "$work/all" || complain "heddle --help does not name $command"
    expect 0 "$heddle" help $command
    cp "$work/out" "$work/help"
    out_has "^usage: heddle $command"
    out_has "^example"
    err_empty
    expect 0 "$heddle" $command --help
    cmp -s "$work/out" "$work/help" || complain "heddle help $command and heddle $command --help differ"
done
expect 2 "$heddle"
out_empty
cmp -s "$work/err" "$work/all" || complain "heddle alone does not print the help"
expect 0 "$heddle" help run
for option in machine set dump-config threads flush warmup max-cycles fast-forward fast-forward-ctas window no-jumps check cpi full per-kernel per-sm by-pc hazards pressure divergence trace-replay csv samples \
    konata perfetto trace-cycles trace-sm audit functional manifest size json dump disasm trace-exec trace-kernel trace-cta trace-warp warp-size max-instructions registers quiet; do
    out_has "^  \(-., \)*--$option"
done
expect 0 "$heddle" --version
out_has '^heddle [0-9]'
"$heddle" help > "$work/out"
for code in 0 1 2 3 4 129 130 143; do
    out_has "^  $code  "
    "$heddle" help --man | grep -q "^.fB$code.fR" || complain "the manual does not name exit code $code"
done
# a command's paragraph is broken only where the next word does not fit
for command in $("$heddle" list commands | cut -d' ' -f1); do
    "$heddle" help $command > "$work/help"
    awk -v c=$command '/^$/ { part++; was = 0; next } part != 2 || /^(options|example)$/ || /^ / { was = 0; next }
        was && was + 1 + length($1) <= 110 { print "heddle help " c " breaks before: " $0; bad = 1 } { was = length }
        END { exit bad }' "$work/help" || complain "broken early"
done
# no line wider than a terminal
for command in $("$heddle" list commands | cut -d' ' -f1); do
    "$heddle" help $command | awk -v c=$command 'length > 130 { print "heddle help " c ": a line of " length " columns"; bad = 1 } END { exit bad }' || complain "too wide"
done
finish
