#!/bin/bash
# Every order with every scheduler, divergence policy, hazard policy and kind of warp scaling, on machines with units
# and with one pipe, and for vws with a front end of slices and of warps: right output, audit clean and the same on
# two host threads, or refused with the pair that does not go together.
#
#   tests/timing/product.sh BUILD [PERCENT [SEED]]
#   tests/timing/product.sh BUILD pairs
#
# The names come from `heddle list policies`, that is from src/core/policies.def: a new row is in the product by
# itself. A case is an order, a divergence policy and a scheduler with all of the rest; each combination has one
# of a few small programs. With PERCENT a random share of the combinations, the same for the same SEED. `pairs`:
# so many that every order has met every policy of the other kinds and every scaling that it goes with. In the end
# no combination may have run that has a pair which was refused in another.
. "$(dirname "$0")"/common
export percent=${1:-100} seed=${2:-1}
orders=$(policies sm.order) scheds=$(policies sm.sched) diverges=$(policies sm.diverge)
hazards=$(policies sm.hazard)
scalings="sm.warp_scale=off
sm.warp_scale=hybrid
sm.warp_scale=hybrid sm.squeeze=thesis
sm.warp_scale=hybrid sm.squeeze=fewest sm.warp_scale.latency=loop"
pipes="sm.pipe=units
sm.pipe=one"
programs="$here/ptx/parted.json
$here/ptx/branches.json
reduction --size tiny
histogram --size tiny
nqueens --size tiny"
export hazards scalings pipes programs
LIMIT_S=60
export LIMIT_S

# ends NAME [OPTIONS]: 0 when it is right on one thread and on two, then met is set; the pair when it is refused goes to
# refused
ends() {
    local file=$1 rc text
    shift
    "$top/tests/within" $LIMIT_S "$heddle" run "$@" --audit --quiet --json "$file" > "$file.err" 2>&1 < /dev/null
    rc=$?
    if [ $rc -eq 2 ]; then
        text=$(sed -n 's/.*error: \([a-z_.]* = [a-z_0-9]*\)[^:]* does not go with \([a-z_.]* = [a-z_0-9]*\).*/\1 \2/p' "$file.err" | head -1)
        [ -n "$text" ] || return 1
        echo "${text// = /=}" >> "$work/refused"
        return 0
    fi
    [ $rc -eq 0 ] && [ "$(field "$file" checksum_ok)" = true ] || return 1
    echo "$*" >> "$work/ran"
    met=yes
    text=$(field "$file" state_hash)
    "$heddle" run "$@" -j 2 --quiet --json "$file" > "$file.err" 2>&1 < /dev/null
    [ "$(field "$file" state_hash)" = "$text" ]
}

# shapes DIVERGE: the machines on which a combination is tried, a line of keys each
shapes() {
    local pipe front
    while read -r pipe; do
        if [ "$1" != vws ]; then echo "$pipe"; continue; fi
        for front in slices warps; do echo "$pipe vws.front=$front"; done
    done <<< "$pipes"
}

# try N ORDER DIVERGE SCHED HAZARD [SCALING...]: with the N-th program; what failed goes to out
try() {
    local program key
    program=$(sed -n "$(($1 % 5 + 1))p" <<< "$programs")
    local scaling=("${@:6}")
    # shellcheck disable=SC2086
    set -- $program --machine small --set sm.alu.width=8 --set sm.order=$2 --set sm.diverge=$3 --set sm.sched=$4 --set sm.hazard=$5
    for key in "${scaling[@]}"; do set -- "$@" --set "$key"; done
    ends "$work/$$.json" "$@" || out+="heddle run $* --audit: $(tail -2 "$work/$$.json.err")"$'\n'
}

# all ORDER DIVERGE SCHED: one test
all() {
    local order=$1 diverge=$2 sched=$3 hazard scaling shape out='' at
    at=$(cksum <<< "$seed $*" | cut -d' ' -f1)
    for hazard in $hazards; do while read -r scaling; do while read -r shape; do
        at=$(((at * 1103515245 + 12345) & 0x7FFFFFFF))
        [ $((at / 65536 % 1000)) -lt $((percent * 10)) ] || continue
        # shellcheck disable=SC2086
        try $((at / 64)) $order $diverge $sched $hazard $scaling $shape
    done <<< "$(shapes "$diverge")"; done <<< "$scalings"; done
    [ -z "$out" ]
    tell $? "product $order $diverge $sched" "$out"
}

# pair N ORDER DIVERGE SCHED: one test; hazard policy, scaling and machine go round with N, and are the plain ones where those do
# not go with the pair
pair() {
    local n=$1 hazard scaling shape met='' out=''
    shape=$(shapes "$3" | sed -n "$((n / 2 % $(shapes "$3" | wc -l) + 1))p")
    hazard=$(sed -n "$((n % $(wc -l <<< "$hazards") + 1))p" <<< "$hazards") scaling=$(sed -n "$((n / 3 % 4 + 1))p" <<< "$scalings")
    # shellcheck disable=SC2086
    try "$@" $hazard $scaling $shape
    [ -n "$met" ] || try "$@" stall sm.warp_scale=off
    # shellcheck disable=SC2086
    [ -n "$met" ] || [ $4 = lrr ] || try $1 $2 $3 lrr stall sm.warp_scale=off
    [ -z "$out" ]
    tell $? "product $2 $3 $4" "$out"
}
# Every order with every divergence policy, and on the first of these with every scheduler, hazard policy and scaling
pairs() {
    local order diverge sched n=0 plain
    plain=$(head -1 <<< "$diverges")
    for order in $orders; do
        for diverge in $diverges; do n=$((n + 1)); echo "pair $n $order $diverge $(sed -n "$((n % $(wc -l <<< "$scheds") + 1))p" <<< "$scheds")"; done
        for sched in $scheds; do n=$((n + 1)); echo "pair $n $order $plain $sched"; done
    done
}
export -f ends shapes try all pair

[ -n "$orders" ] && [ -n "$scheds" ] && [ -n "$diverges" ] && [ -n "$hazards" ]
tell $? "product the policies' names can be listed"
: > "$work/refused"
: > "$work/ran"
if [ $percent = pairs ]; then pairs
else for order in $orders; do for diverge in $diverges; do for sched in $scheds; do echo "all $order $diverge $sched"; done; done; done
fi | pool

# A pair that is refused is refused always
out=$(sort -u "$work/refused" | while read -r a b; do grep -F -e "$a " "$work/ran" | grep -F -e "$b " | head -1; done)
[ -z "$out" ] && [ -s "$work/ran" ]
tell $? "product what is refused does not run: $(wc -l < "$work/ran") ran, $(wc -l < "$work/refused") refused, pairs: $(sort -u "$work/refused" | wc -l)" "$out"

# Every order has met every other policy, or does not go with it
unmet() {
    local order other
    for order in $orders; do for other in $(sed 's/^/sm.diverge=/' <<< "$diverges") $(sed 's/^/sm.sched=/' <<< "$scheds") $(sed 's/^/sm.hazard=/' <<< "$hazards"); do
        grep -q -e "sm.order=$order .*$other\( \|$\)" "$work/ran" || grep -q -x -e "sm.order=$order $other" -e "$other sm.order=$order" "$work/refused" || echo "sm.order=$order and $other"
    done; done
}
if [ $percent = pairs ]; then
    out=$(unmet)
    [ -z "$out" ]
    tell $? "product every order meets every policy that it goes with" "$out"
fi
