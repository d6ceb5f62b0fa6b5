# 0 all well, 1 another result, 2 the user's mistake, 3 the program's.
. "$(dirname "$0")"/common
cp "$top/tests/bad/good/scale.ptx" "$work"
manifest() { # value of the argument, blocks, expected checksum
    cat <<JSON
{"ptx": "scale.ptx",
 "buffers": [{"id": 0, "name": "out", "type": "u32", "count": 64, "generator": "fill", "p0": 1, "check": true}],
 "launches": [{"kernel": "scale", "grid": [$2, 1, 1], "block": [32, 1, 1], "args": [{"buf": 0}, {"type": "u32", "value": $1}]}],
 "expect": {"mode": "bits", "reference_fnv1a64": "$3"}}
JSON
}
manifest 1 2 0000000000000000 > "$work/m.json"
expect 1 "$heddle" run "$work/m.json" --functional --json "$work/r.json"
sum=$(json "$work/r.json" checksum)
manifest 1 2 "$sum" > "$work/m.json"
expect 0 "$heddle" run "$work/m.json" --functional
out_has 'checksum  *ok'
manifest 2 2 "$sum" > "$work/m.json"
expect 1 "$heddle" run "$work/m.json" --functional
out_has 'checksum  *DIFFERS'
manifest 1 3 "$sum" > "$work/m.json"
expect 3 "$heddle" run "$work/m.json" --functional
manifest 1 0 "$sum" > "$work/m.json"
expect 2 "$heddle" run "$work/m.json" --functional
finish
