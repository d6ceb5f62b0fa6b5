# On a terminal no line is wider than it and colours are used, unless NO_COLOR is set; in a pipe there are
# neither, and lines stay whole.
. "$(dirname "$0")"/common
# on COLUMNS COMMAND: what it prints on a terminal so wide, without its carriage returns
on() { TERM=xterm script -qec "stty cols $1; $2" /dev/null < /dev/null | tr -d '\r'; }
widest() { sed 's/\x1b\[[0-9;]*m//g' "$1" | awk '{ if (length > w) w = length } END { print w + 0 }'; }
for columns in 40 80 132; do
    for command in "help run" "list keys" "list policies" "explain sm.sched 'l1_*' gtx480" "run bfs --size tiny" "run bfs --size tiny --full --by-pc" \
        "run bfs --size tiny --functional" "compare vecadd --size tiny --vary sm.sched=lrr,gto" "check $top/examples/kernel.ptx" "--help"; do
        LC_ALL=C on $columns "$heddle $command" > "$work/out"
        [ -s "$work/out" ] || complain "heddle $command prints nothing on a terminal"
        [ "$(widest "$work/out")" -le $columns ] || { complain "heddle $command: $(widest "$work/out") columns on a terminal of $columns"; awk -v n=$columns 'length > n' "$work/out" | head -3; }
    done
done
on 80 "$heddle run vecadd --size tiny" > "$work/out"
grep -q "$(printf '\033\\[')" "$work/out" || complain "no colours on a terminal"
NO_COLOR=1 on 80 "$heddle run vecadd --size tiny" > "$work/out"
! grep -q "$(printf '\033')" "$work/out" || complain "colours in spite of NO_COLOR"
expect 0 "$heddle" run vecadd --size tiny
! grep -q "$(printf '\033')" "$work/out" || complain "colours in a file"
expect 0 "$heddle" explain sm.hazard.tracker
awk 'length > 200 { found = 1 } END { exit !found }' "$work/out" || complain "lines are folded in a file"
finish
