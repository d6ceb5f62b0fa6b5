#!/bin/bash
# Writes the record of the golden runs anew. The commit that does so says why simulated time or counters
# changed.
#
#   tests/golden/record.sh [BUILD [NAME...]] all runs, or those named and all others as they were; BUILD is
#   build by default
set -- "${1:-$(dirname "$0")/../../build}" "${@:2}"
. "$(dirname "$0")"/common

note() { measure "$1" > "$work/$1.new"; }
export -f note

[ ! -e "$record" ] || recorded
for name in ${*:-$(names)}; do echo "note $name"; done | pool
for name in $(names); do
    [ -e "$work/$name.new" ] || cp "$work/$name.old" "$work/$name.new"
    if [ ! -s "$work/$name.new" ]; then echo "record.sh: $name failed, nothing written: heddle run $(arguments "$name")" >&2; exit 1; fi
    echo "run $name"
    cat "$work/$name.new"
done > "$work/record" || exit 1
zstd -q -19 -f "$work/record" -o "$record"
echo "$(names | wc -l) runs, $(grep -vc '^run' "$work/record") values, $(wc -c < "$record") bytes in $record"
