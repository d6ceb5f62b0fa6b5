#!/bin/bash
# Does a run notice when a number of the machine changes? Every key is changed by one step, up or else down:
# the counters of at least one golden run change, or excused.txt says why none do. Prints TAP; exit 1 when
# something failed.
#
#   tests/golden/mutation.sh BUILD [KEY...]
#
# A step is 1, or a factor of two where the key must be a power of two; switches and choices are changed to
# each other value. A key is changed in each run from the value it has there, in runs that set a key of its
# section first. Only the short kernels beside this file are run. A step that the machine refuses (legal only
# together with others) is no step. Policies are left out: tests/timing/contract.sh runs them all.
. "$(dirname "$0")"/common
export excused=$here/excused.txt

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
# likely KEY: the short runs, those that set a key of its section first
likely() { awk -v section=" ${1%.*}." 'NF && $1 !~ /^#/ && $2 !~ /\// { if (index($0, section)) print $1; else later = later $1 "\n" } END { printf "%s", later }' "$runs"; }
# notices KEY: prints who does, and the step
notices() {
    local key=$1 name line value steps step
    for name in $(likely "$key"); do
        line=$(grep "^$key " "$work/$name.dump") || continue
        read -r _ value steps <<< "$line"
        for step in $steps; do
            measure "$name" --set "$key=$step" > "$work/$key.new"
            [ -s "$work/$key.new" ] || continue # refused
            cmp -s "$work/$key.new" "$work/$name.old" && continue
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
    else tell 1 "mutation $key" "no run notices a step; add one to runs.txt, or the key and the reason to excused.txt"; fi
}
export -f mutate notices likely

all=$(awk 'NF && $1 !~ /^#/ && $2 !~ /\// { print $1 }' "$runs")
recorded
first=$work/$(head -1 <<< "$all").dump
{
    for name in $all; do
        dumped "$name" > "$work/$name.dump"
        measure "$name" | cmp -s - "$work/$name.old"
        tell $? "golden $name" "the counters are not the recorded ones: tests/golden/check.sh"
    done
    for key in ${*:-$(awk 'NF > 2 { print $1 }' "$first")}; do echo "mutate $key"; done | pool
    for key in $(awk 'NF && $1 !~ /^#/ { print $1 }' "$excused"); do
        grep -q "^$key " "$first"
        tell $? "mutation excused key $key exists"
    done
} | tee "$work/tap"
! grep -q '^not ok' "$work/tap"
