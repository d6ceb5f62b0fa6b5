# --dump writes a buffer's final bytes, by name and by id.
. "$(dirname "$0")"/common
cat > "$work/ramp.json" <<'JSON'
{"ptx": "scale.ptx",
 "buffers": [{"id": 0, "name": "out", "type": "u32", "count": 64, "generator": "ramp", "p0": 1, "check": true}],
 "launches": [{"kernel": "scale", "grid": [2, 1, 1], "block": [32, 1, 1], "args": [{"buf": 0}, {"type": "u32", "value": 3}]}]}
JSON
cp "$top/tests/bad/good/scale.ptx" "$work"
expect 0 "$heddle" run "$work/ramp.json" --functional --quiet --dump out "$work/by_name" --dump 0 "$work/by_id"
cmp -s "$work/by_name" "$work/by_id" || complain "--dump by name and by id differ"
same "$(od -An -v -tu4 -w4 "$work/by_name" | awk '{ if ($1 != 3 * (NR - 1)) bad++ } END { print NR, bad + 0 }')" "64 0" "elements, wrong ones"
expect 2 "$heddle" run "$work/ramp.json" --functional --quiet --dump out "$work/no/such/folder"
err_has 'no/such/folder.*cannot write'
# the PTX given apart from the manifest gives the same
expect 0 "$heddle" run "$work/scale.ptx" --manifest "$work/ramp.json" --functional --quiet --dump out "$work/apart"
cmp -s "$work/by_name" "$work/apart" || complain "the same PTX by --manifest gives another result"
finish
