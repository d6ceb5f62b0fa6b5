# Every command has a manual page with its options, made from the tables; man's own tools have no complaint.
. "$(dirname "$0")"/common
pages="heddle"
"$heddle" help --man > "$work/heddle.1" || complain "no page of heddle"
for command in $("$heddle" list commands | cut -d' ' -f1); do
    "$heddle" help --man "$command" > "$work/heddle-$command.1" || complain "no page of $command"
    grep -q "^heddle.-$command .- " "$work/heddle-$command.1" || complain "heddle-$command.1 has no name"
    grep -q "^.BR heddle.-$command (1)" "$work/heddle.1" || complain "heddle.1 does not refer to $command"
    "$heddle" help "$command" | sed -n 's/^  \(-., \)\{0,1\}--\([a-z0-9-]*\).*/\2/p' > "$work/options"
    while read -r option; do
        sed 's/\\-/-/g' "$work/heddle-$command.1" | grep -q -e "--$option" || complain "heddle-$command.1 lacks --$option"
    done < "$work/options"
    pages="$pages heddle-$command"
done
# no line may look like a request by accident
for page in $pages; do
    ! grep '^[.]' "$work/$page.1" | grep -vE '^[.](TH|SH|TP|B|BR|nf|fi)( |$)' || complain "$page.1 has strange requests"
    if command -v groff > /dev/null; then
        groff -man -ww -Tutf8 "$work/$page.1" > /dev/null 2> "$work/err"
        err_empty
    fi
    if command -v mandoc > /dev/null; then mandoc -T lint -W error "$work/$page.1" || complain "mandoc does not like $page.1"; fi
done
grep -q HEDDLE_DATA "$work/heddle.1" || complain "heddle.1 lacks the environment"
finish
