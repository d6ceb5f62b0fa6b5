#!/bin/bash
# Does every run of runs.txt give exactly the recorded counters? Prints TAP; of a run that differs, the first
# counters with both values.
#
#   tests/golden/check.sh BUILD [NAME...]
#
# A run is made as it stands, and again with each of its host options (-j 2, --no-jumps ...), which may not
# change anything. tests/golden/record.sh writes the record anew.
. "$(dirname "$0")"/common

check() {
    local name=$1 option out=
    measure "$name" > "$work/$name.new"
    [ -s "$work/$name.new" ] || out="the run failed: heddle run $(arguments "$name")"
    [ -s "$work/$name.old" ] || out="no record: tests/golden/record.sh"
    [ -n "$out" ] || cmp -s "$work/$name.old" "$work/$name.new" || out=$(changes "$work/$name.old" "$work/$name.new")
    for option in $(again "$name"); do
        [ -z "$out" ] || break
        measure "$name" "$option" > "$work/$name.$option"
        if [ ! -s "$work/$name.$option" ]; then out="the run failed: heddle run $(arguments "$name") $option"; break; fi
        cmp -s "$work/$name.new" "$work/$name.$option" || out="with $option: $(changes "$work/$name.new" "$work/$name.$option")"
    done
    [ -z "$out" ]
    tell $? "golden $name" "$out"
}
export -f check

recorded
for name in ${*:-$(names)}; do echo "check $name"; done | pool
for name in "$work"/*.old; do
    grep -q "^$(basename "$name" .old) " "$runs" || tell 1 "golden $(basename "$name" .old)" "recorded, but not in runs.txt: tests/golden/record.sh"
done
