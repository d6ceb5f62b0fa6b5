#!/bin/bash
# A sweep that is killed at random moments ends with the rows of one that never was. With --all 400 runs and ten kills.
. "$(dirname "$0")"/../cli/common
. "$(dirname "$0")"/common
cd "$work" || exit 1
kills=5 mshrs="4, 8, 16" warps="8, 16"
[ "${2:-}" != --all ] || { kills=10 mshrs="2, 3, 4, 6, 8, 10, 12, 16, 20, 32" warps="8, 12, 16, 24, 32"; }
cat > a.ini <<END
[programs]
run = vecadd, saxpy, scan, transpose
size = tiny
[machines]
run = small
[keys]
sm.sched = lrr, gto
sm.l1.mshrs = $mshrs
sm.warps = $warps
END
cp a.ini b.ini
began=$(date +%s%N)
expect 0 "$heddle" sweep a.ini
took=$(($(date +%s%N) - began))
runs=$(ask a.ini 'SELECT count(*) FROM plan')
same "$(ask a.ini 'SELECT count(*) FROM runs')" "$runs" "rows of the sweep that was not killed"
[ "${2:-}" != --all ] || same "$runs" 400 "runs"

killed=0
for i in $(seq $kills); do
    "$heddle" sweep b.ini > out 2> err < /dev/null &
    pid=$!
    # all moments together are shorter than the sweep: there is always something left to kill
    sleep "$(awk -v s="$RANDOM" -v t="$took" -v n="$kills" 'BEGIN { printf "%.3f", t / 1e9 / n * s / 32768 }')"
    kill -KILL $pid 2> /dev/null && killed=$((killed + 1))
    wait $pid 2> /dev/null
    # killed while it made its tables it has none yet to ask; the sweeps below must cope with that
    ! ask b.db 'SELECT count(*) FROM runs' > said 2>&1 || ! grep -q '^[0-9]' said || same "$(ask b.db 'PRAGMA integrity_check')" ok "the file after kill $i"
done
[ $killed -ge 2 ] || complain "only $killed of $kills sweeps were killed: the test tests nothing"
expect 0 "$heddle" sweep b.ini
out_has "$runs runs, $runs done"
same "$(ask b.ini 'SELECT count(*) FROM runs')" "$runs" "rows after $killed kills"
same "$(ask b.ini "SELECT count(*) FROM runs WHERE status = 'done'")" "$runs" "rows that are done"
rows a.db > a.rows
rows b.db > b.rows
[ "$(wc -l < a.rows)" -ge $((2 * runs)) ] || complain "too few rows to compare"
cmp a.rows b.rows || complain "the rows after $killed kills are others"
# what is there is not run again
before=$(ask b.db 'SELECT count(*) FROM attempts')
expect 0 "$heddle" sweep b.ini
same "$(ask b.db 'SELECT count(*) FROM attempts')" "$before" "attempts after a sweep that had nothing to do"
finish
