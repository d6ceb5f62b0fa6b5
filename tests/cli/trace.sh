# --trace-exec writes one line per warp instruction; the filters select.
. "$(dirname "$0")"/common
expect 0 "$heddle" run reduction --functional --size tiny --quiet --trace-exec="$work/all" --json "$work/r.json"
n=$(json "$work/r.json" warp_instructions)
same "$(wc -l < "$work/all")" "$n" "trace lines and warp instructions"
expect 0 "$heddle" run reduction --functional --size tiny --quiet --trace-exec="$work/cta" --trace-cta 1
expect 0 "$heddle" run reduction --functional --size tiny --quiet --trace-exec="$work/warp" --trace-cta 1 --trace-warp 0
a=$(wc -l < "$work/cta") b=$(wc -l < "$work/warp")
[ "$b" -gt 0 ] && [ "$b" -lt "$a" ] && [ "$a" -lt "$n" ] || complain "filters: $n lines in all, $a of a block, $b of a warp"
expect 0 "$heddle" run reduction --functional --size tiny --quiet --trace-exec="$work/none" --trace-kernel nosuchkernel
same "$(wc -l < "$work/none" 2> /dev/null)" 0 "lines of a kernel that is not there"
finish
