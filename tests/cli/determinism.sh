# The same run gives the same counters and bytes; other warp sizes give the same bytes.
. "$(dirname "$0")"/common
for name in bfs histogram nqueens scan; do
    for i in 1 2; do
        expect 0 "$heddle" run $name --functional --size tiny --quiet --json "$work/$i.json"
        grep -v seconds "$work/$i.json" | grep -v warp_ips > "$work/$i"
    done
    cmp -s "$work/1" "$work/2" || complain "$name: two runs differ"
done
for size in 1 8 17 64; do
    expect 0 "$heddle" run vecadd --functional --size tiny --quiet --warp-size $size
    expect 0 "$heddle" run scan --functional --size tiny --quiet --warp-size $size
done
finish
