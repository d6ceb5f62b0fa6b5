#!/bin/bash
# Mutation of machines: each key is changed by one step under every micro test (MICRO_STEP), and some test
# must fail.
#
#   tests/micro/mutation.sh [BUILD [KEY...]]     default: build, all keys
#
# Keys that no test can notice stand in tests/micro/unnoticed.txt, each with the reason; one that is noticed
# after all must leave the list. Prints the keys that are against the list and ends with "N noticed, N listed,
# N wrong"; exit 1 when there are wrong ones. JOBS: how many at a time.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 2
export CMOCKA_MESSAGE_OUTPUT=TAP here

programs() { find "$MUTATION_BUILD"/micro -name 'test_*' ! -name '*.d' -type f | sort; }

# The first test that fails under a key's step; nothing when all pass
notice() {
    local program out
    for program in $(programs); do
        if out=$(MICRO_STEP=$1 "$here/../within" 120 "$program" 2>&1 </dev/null); then continue; fi
        sed -n 's/^not ok [0-9]* - //p' <<<"$out" | head -1 | grep . || echo "$(basename "$program") died"
        return
    done
}

if [ "${1:-}" = --one ]; then
    echo "$2 $(notice "$2")"
    exit
fi
MUTATION_BUILD=$(cd "${1:-build}" && pwd) || exit 2
export MUTATION_BUILD HEDDLE_DATA=$MUTATION_BUILD/share/heddle
shift
[ -n "$(programs)" ] || { echo "no programs in $MUTATION_BUILD/micro: run make micro" >&2; exit 2; }
for program in $(programs); do
    "$program" >/dev/null 2>&1 </dev/null || { echo "$program fails without any change" >&2; exit 2; }
done
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $("$MUTATION_BUILD"/heddle list keys | awk '$1 ~ /\./ { print $1 }')

noticed=0 listed=0 wrong=0
while read -r key test; do
    reason=$(awk -v key="$key" '$1 == key { $1 = ""; print substr($0, 2) }' "$here"/unnoticed.txt)
    case "${test:+noticed}:${reason:+listed}" in
    noticed:) noticed=$((noticed + 1)) ;;
    :listed) listed=$((listed + 1)) ;;
    noticed:listed) wrong=$((wrong + 1)); echo "$key is noticed by $test: take it off the list" ;;
    :) wrong=$((wrong + 1)); echo "$key: no test notices a step" ;;
    esac
done < <(printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} "$here"/mutation.sh --one {})
echo "$noticed noticed, $listed listed, $wrong wrong"
[ $wrong -eq 0 ]
