#!/bin/bash
# Does a test notice when a number of the machine changes? The measurements of runs.txt, their cycles and counters in golden.txt, and what a change of each key does to them.
#
#   tests/mutation/run.sh BUILD golden        the measurements give exactly the golden counters; prints TAP
#   tests/mutation/run.sh BUILD --update      write golden.txt anew; the commit says why time changed
#   tests/mutation/run.sh BUILD [KEY...]      every key changed by one step, up or else down: at least one measurement notices, or excused.txt says why none does; TAP, and exit 1 when something failed
#
# A step is 1, or a factor of two where the key must be a power of two; switches and choices are changed to each other value. A key is changed in each measurement from the value it has there,
# `small` first. A step that the machine refuses (legal only together with others) is no step. Policies are left out: tests/timing/contract.sh runs them all.
. "$(dirname "$0")"/../timing/common
mode=${1:-}
export golden=$here/golden.txt runs=$here/runs.txt excused=$here/excused.txt

names() { awk 'NF && $1 !~ /^#/ { print $1 }' "$runs"; }
# arguments NAME: of the command that runs the measurement
arguments() { awk -v name="$1" -v here="$here" '$1 == name { printf "%s/%s.json --machine %s", here, $2, $3; for (i = 4; i <= NF; i++) printf " --set %s", $i; print "" }' "$runs"; }
# machine NAME: the same for a dump of its configuration
machine() { awk -v name="$1" '$1 == name { printf "--machine %s", $3; for (i = 4; i <= NF; i++) printf " --set %s", $i; print "" }' "$runs"; }

# measure NAME [--set KEY=VALUE]: cycles, all counters that are not zero and the parts of the energy, a line each
measure() {
    local name=$1
    shift
    # shellcheck disable=SC2046
    timeout 60 "$heddle" run $(arguments "$name") "$@" --quiet --json - 2> /dev/null < /dev/null | awk -F'[":, ]+' -v name="$name" '
        /^ "cycles"/ { print name, $2, $3 }
        /^ "counters"/ { counters = 1; next }
        /^  "parts"/ { parts = 1; next }
        /^ ? }/ { counters = parts = 0 }
        counters && $3 != 0 { print name, $2, $3 }
        parts && $3 != 0 { printf "%s energy.%s %.9g\n", name, $2, $3 }'
}
export -f measure arguments

golden_test() {
    measure "$1" > "$work/$1.new"
    awk -v name="$1" '$1 == name' "$golden" > "$work/$1.old"
    cmp -s "$work/$1.old" "$work/$1.new" && [ -s "$work/$1.new" ]
    tell $? "golden $1" "$(diff "$work/$1.old" "$work/$1.new")"
}
export -f golden_test

case $mode in
golden)
    names | sed 's/^/golden_test /' | pool
    exit ;;
--update)
    for name in $(names); do measure "$name"; done > "$work/golden"
    cat "$work/golden" > "$golden"
    echo "$(names | wc -l) measurements in $golden"
    exit ;;
esac

# --- mutation

# dumped NAME: "KEY VALUE STEPS..." of every key, the values a step away
dumped() {
    # shellcheck disable=SC2046
    "$heddle" run $(machine "$1") --dump-config | awk '
        /^\[/ { section = substr($1, 2, length($1) - 2); next }
        /^;/ { text = $0; next }
        $2 == "=" {
            key = section "." $1; value = $3; steps = ""
            legal = text; sub(/.*\[/, "", legal); sub(/\]$/, "", legal); sub(/^.*; /, "", legal)
            if (legal ~ /an integer from/) steps = text ~ /power of two/ ? value * 2 " " int(value / 2) : value + 1 " " value - 1
            else if (legal ~ /^true or false/) steps = value == "true" ? "false" : "true"
            else if (value ~ /^generic:/) { n = substr(value, 9); steps = "generic:" n + 1 " generic:" n - 1 }
            else if (legal ~ / or / && legal !~ /policy/) { n = split(legal, at, / or |, /); for (i = 1; i <= n; i++) if (at[i] != value) steps = steps " " at[i] }
            print key, value, steps
        }'
}
# notices KEY: prints who does, and the step
notices() {
    local key=$1 name line value steps step
    for name in $all; do
        line=$(grep "^$key " "$work/$name.dump") || continue
        read -r _ value steps <<< "$line"
        for step in $steps; do
            measure "$name" --set "$key=$step" > "$work/$key.new"
            [ -s "$work/$key.new" ] || continue # refused
            cmp -s "$work/$key.new" "$work/$name.base" && continue
            echo "$name $value to $step"
            return
        done
    done
}
# mutate KEY: one test
mutate() {
    local key=$1 who why
    who=$(notices "$key")
    why=$(sed -n "s/^$key  *//p" "$excused")
    if [ -n "$who" ] && [ -n "$why" ]; then tell 1 "mutation $key" "excused ($why), but noticed: $who"
    elif [ -n "$who" ]; then tell 0 "mutation $key: $who"
    elif [ -n "$why" ]; then tell 0 "mutation $key: excused, $why"
    else tell 1 "mutation $key" "no measurement notices a step; add one to runs.txt, or the key and the reason to excused.txt"; fi
}
export -f mutate notices

all=$(names)
export all
first=$work/$(head -1 <<< "$all").dump
{
    for name in $all; do
        dumped "$name" > "$work/$name.dump"
        awk -v name="$name" '$1 == name' "$golden" > "$work/$name.base"
        measure "$name" | cmp -s - "$work/$name.base"
        tell $? "golden $name" "the counters are not those of golden.txt"
    done
    for key in ${*:-$(awk 'NF > 2 { print $1 }' "$first")}; do echo "mutate $key"; done | pool
    for key in $(awk 'NF && $1 !~ /^#/ { print $1 }' "$excused"); do
        grep -q "^$key " "$first"
        tell $? "mutation excused key $key exists"
    done
} | tee "$work/tap"
! grep -q '^not ok' "$work/tap"
