# heddle vectors names each failing case, its instruction, lane, inputs, what came and what should have.
. "$(dirname "$0")"/common
data=$B/data/ptxvec_open
mkdir "$work/v"
ln -s "$data/modules" "$data/inputs.bin" "$work/v"
# one case, its first output byte spoiled
head -1 "$data/index.tsv" > "$work/v/index.tsv"
grep -P '^mul.hi.s32\t' "$data/index.tsv" >> "$work/v/index.tsv"
same "$(wc -l < "$work/v/index.tsv")" 2 "lines of the index"
cp "$data/results.bin" "$work/v"
expect 0 "$heddle" vectors "$work/v"
same "$(tail -1 "$work/out")" "1 passed, 0 failed" "last line"
at=$(cut -f8 "$work/v/index.tsv" | tail -1 | tr ' ' '\n' | sed -n 's/^o:[^:]*:[^:]*:\([0-9]*\)/\1/p' | head -1)
chmod u+w "$work/v/results.bin"
byte=$(od -An -tu1 -j "$at" -N 1 "$work/v/results.bin")
printf "\\x$(printf %x $((byte ^ 255)))" | dd of="$work/v/results.bin" bs=1 seek="$at" conv=notrunc status=none
expect 1 "$heddle" vectors "$work/v"
same "$(tail -1 "$work/out")" "0 passed, 1 failed" "last line"
out_has 'mul.hi.s32'
out_has 'want'
out_has 'got'
finish
