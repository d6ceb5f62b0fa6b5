# docs/howto-policy.md is true: each block of code in it is built as it stands there, and each of its four policies runs audited, is
# listed, and keeps a promise that can be seen from outside. An HTML comment above a block says what it is:
# "file PATH" (written there), "row PATH" (a line of the copy of that table), "test PATH" (into the copy of
# that program, and its list).
. "$(dirname "$0")"/common
doc=$top/docs/howto-policy.md
new=$work/new
CC=${CC:-gcc}
flags=(-std=c17 -D_GNU_SOURCE -ffp-contract=off -O1 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers -Werror)
includes=(-I"$new/src" -I"$top/src" -I"$top/include" -I"$top" -I"$top/tests/unit")

# --- the document's blocks: $work/block.N, and a line "WHAT PATH block.N" for each in $work/blocks
awk -v work="$work" '
    /^<!-- (file|row|test) .* -->$/ { what = $2 " " $3; next }
    /^```/ && inside { inside = 0; close(block); next }
    /^```c$/ && what { block = work "/block." ++n; printf "" > block; print what, block > (work "/blocks"); what = ""; inside = 1; next }
    /^```c$/ { print "line " FNR ": a block of C without a comment that says what it is"; exit 1 }
    inside { print > block }' "$doc" || { echo "docs/howto-policy.md cannot be read"; exit 1; }
mkdir -p "$new"/src/core
cp "$top"/src/core/policies.def "$new"/src/core/
while read -r what path block; do
    case $what in
    file)
        [ ! -e "$top/$path" ] || complain "$path is in the tree already"
        mkdir -p "$new/$(dirname "$path")"
        cp "$block" "$new/$path" ;;
    row) # behind the last row of its kind
        same "$path $(wc -l < "$block")" "src/core/policies.def 1" "table and lines of a row"
        at=$(grep -n "^$(cut -d'(' -f1 "$block")(" "$new/$path" | tail -1 | cut -d: -f1)
        sed -i "${at}r $block" "$new/$path" ;;
    test) # before main, and first in its list
        name=$(sed -n 's/^static void \([a-z_0-9]*\)(void \*\*state) {$/\1/p' "$block")
        awk -v block="$block" -v name="$name" '
            /^int main\(void\) \{/ { while ((getline line < block) > 0) print line }
            { print }
            /const struct CMUnitTest tests\[\] = \{/ { print "cmocka_unit_test(" name ")," }' "$top/$path" > "$new/test.c" ;;
    esac
done < "$work"/blocks
same "$(cut -d' ' -f1 "$work"/blocks | sort | uniq -c | xargs)" "4 file 4 row 1 test" "blocks of the document"
if command -v clang-format-19 > /dev/null; then
    find "$new" -path '*/core/*.c' -exec clang-format-19 --style=file:"$top"/.clang-format --dry-run -Werror {} + || complain "the document's code is not formatted"
fi

# --- a command and a test program with them. Objects that are given win over the members of the archives.
objects=()
for source in "$new"/src/core/*/*.c "$top"/src/core/policies.c "$top"/src/cli/main.c "$new"/test.c; do
    object=$work/$(basename "$source" .c).o
    "$CC" "${flags[@]}" "${includes[@]}" -c -o "$object" "$source" || { echo "$source does not compile"; exit 1; }
    case $object in */main.o | */test.o) ;; *) objects+=("$object") ;; esac
done
library=("$B"/libheddle.a)
if [ -e "$B"/obj/timing.o ]; then # the timing model as one object, of which no file can be replaced: take its parts
    cp "$B"/libheddle.a "$work"/rest.a
    while ar t "$work"/rest.a | grep -qx timing.o; do gcc-ar d "$work"/rest.a timing.o; done # and files of that name
    find "$B"/obj -mindepth 2 -name timing.o -exec gcc-ar qs "$work"/rest.a {} + || exit 1
    find "$B"/obj/core "$B"/obj/mem "$B"/obj/gpu "$B"/obj/func -name '*.o' ! -path '*/lanes/*' -exec gcc-ar qcs "$work"/parts.a {} + || exit 1
    library=(-flto=auto -Wl,--start-group "$work"/rest.a "$work"/parts.a -Wl,--end-group)
fi
archives=("$B"/libcommand.a "${library[@]}" -ljansson -linih -lsqlite3 -lz -lm)
"$CC" -o "$work"/heddle "$work"/main.o "${objects[@]}" "${archives[@]}" || exit 1
"$CC" -o "$work"/test_policies "$work"/test.o "${objects[@]}" -lcmocka "${archives[@]}" || exit 1
heddle=$work/heddle
export HEDDLE_DATA=${HEDDLE_DATA:-$B/share/heddle}

# --- the contract of the kinds, and the document's test
expect 0 env CMOCKA_MESSAGE_OUTPUT=TAP "$work"/test_policies
out_has '^ok .* stint_lasts_four_instructions'
out_lacks '^not ok'

# --- each is listed and explained, and runs
expect 0 "$heddle" list policies
for name in stint largest patient few; do out_has "^  $name  *[a-z]"; done
for set in sm.sched=stint sm.diverge=largest sm.hazard=patient sm.order=few; do
    expect 0 "$heddle" explain "${set#*=}"
    out_has "$set\|${set%=*}"
    for name in bfs nqueens reduction; do
        expect 0 "$heddle" run $name --size tiny --machine small --set sm.l1.mshrs=4 --set $set --audit --check 1 --json "$work/r.json"
        out_has '^audit  *0 violations'
        same "$(json "$work/r.json" checksum_ok)" true "$name with $set"
    done
done
expect 0 "$heddle" run bfs --size tiny --machine small --quiet --audit --check 1 \
    --set sm.sched=stint --set sm.diverge=largest --set sm.hazard=patient --set sm.order=few

# --- promises

# play NAME OPTION...: the kernel NAME of $work/NAME.ptx on one warp or two, its buffers dumped as numbers in
# $work/a and $work/b
play() {
    local name=$1 buffer
    shift
    expect 0 "$heddle" run "$work/$name.json" --machine small --quiet --audit --check 1 --counters "$work/counters" --dump a "$work/a.bin" --dump b "$work/b.bin" "$@"
    for buffer in a b; do od -An -v -w4 -tu4 "$work/$buffer.bin" | awk '{ print $1 }' > "$work/$buffer"; done
}
counter() { awk -v of="sum.$1" '$2 == of { n += $3 } END { print n + 0 }' "$work/counters"; }
# kernel NAME THREADS VALUES < body: of two launches, on buffer a and b, with a number from VALUES each; %rd0
# is the buffer, %r0 the thread, %r1 the number
kernel() {
    local first=${3%,*} second=${3#*,}
    {
        printf '.version 7.8\n.target sm_75\n.address_size 64\n.visible .entry %s(.param .u64 out, .param .u32 n)\n{\n' "$1"
        printf '.reg .pred %%p<2>;\n.reg .b32 %%r<40>;\n.reg .b64 %%rd<8>;\nld.param.u64 %%rd0, [out];\nld.param.u32 %%r1, [n];\nmov.u32 %%r0, %%tid.x;\n'
        cat
        printf 'ret;\n}\n'
    } > "$work/$1.ptx"
    launch() { printf '{"kernel": "%s", "grid": [1], "block": [%s], "args": [{"buf": "%s"}, {"type": "u32", "value": %s}]}' "$@"; }
    printf '{"name": "%s", "program": "%s.ptx", "buffers": [{"name": "a", "type": "u32", "count": 16384}, {"name": "b", "type": "u32", "count": 16384}], "launches": [%s, %s]}\n' \
        "$1" "$1" "$(launch "$1" "$2" a "$first")" "$(launch "$1" "$2" b "$second")" > "$work/$1.json"
}

# S1, S2: when two warps can always issue, each issues four times in a row. Lane 0 of each writes down when
# its instructions issued.
{
    for i in {8..31}; do echo "mov.u32 %r$i, %clock;"; done
    echo 'shl.b32 %r2, %r0, 2; mul.wide.u32 %rd1, %r2, 1; add.u64 %rd1, %rd0, %rd1;' # warp 1 begins at element 32
    for i in {8..31}; do echo "st.global.u32 [%rd1+$((4 * (i - 8)))], %r$i;"; done
} | sed '1,24!s/^/@%p0 /; 25s/^@%p0 /and.b32 %r3, %r0, 31; setp.eq.u32 %p0, %r3, 0;\n/' | kernel turns 64 0,0
longest() { # run of the same warp in the middle of the trace
    play turns --set sm.sched="$1" --set sm.icache.ideal=true --set sm.ibuffer=64 --set sm.schedulers=1 --set sm.operands.ideal=true
    awk 'NR <= 24 { print $1, 0 } NR > 32 && NR <= 56 { print $1, 1 }' "$work/a" | sort -n |
        awk '$2 == last { n++ } $2 != last { n = 1; last = $2 } n > most { most = n } END { print most }'
}
same "$(longest lrr) $(longest stint)" "1 4" "instructions of a warp in a row, under lrr and stint"
[ "$(longest gto)" -gt 4 ] || complain "gto gives a warp no more than stint does"

# L1: eight lanes go one way and 24 the other; in the second launch the other way round. The 24 go first,
# whichever way they go.
kernel sides 32 8,24 << 'END'
setp.lt.u32 %p0, %r0, %r1;
@%p0 bra $taken;
mov.u32 %r2, %clock;
bra $meet;
$taken:
mov.u32 %r2, %clock;
$meet:
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd1, %rd0, %rd1;
st.global.u32 [%rd1], %r2;
END
first() { # lane 0's side goes before lane 31's
    play sides --set sm.diverge="$1"
    for buffer in a b; do awk 'NR == 1 { a = $1 } NR == 32 { print a < $1 }' "$work/$buffer"; done | xargs
}
same "$(first pdom)" "0 0" "under pdom the lanes that do not jump go first"
same "$(first largest)" "0 1" "under largest the most lanes go first"
same "$(counter reconvergences)" 2 "sides that meet again, under largest"

# V2: lanes that have come to the meeting point go on when the others wait for them elsewhere. V3: a lock that
# lanes of one warp fight for stops the kernel.
kernel waits 32 8,24 << 'END'
setp.lt.u32 %p0, %r0, %r1;
@%p0 bra $meet;
bar.warp.sync 0xffffffff;
$meet:
@!%p0 bra $end;
bar.warp.sync 0xffffffff;
$end:
mul.wide.u32 %rd1, %r0, 4;
add.u64 %rd1, %rd0, %rd1;
st.global.u32 [%rd1], 7;
END
play waits --set sm.diverge=pdom
cycles=$(awk '$2 == "cycles" { print $3 }' "$work/counters" | xargs)
play waits --set sm.diverge=largest
same "$(awk '$2 == "cycles" { print $3 }' "$work/counters" | xargs)" "$cycles" "cycles of lanes that wait for each other"
same "$(awk '{ n += $1 } END { print n }' "$work/a" "$work/b")" $((2 * 32 * 7)) "what lanes write that wait for each other"
sed "s,spin_lock.ptx,$top/tests/timing/ptx/&,; s/\"grid\": \[4\]/\"grid\": [1]/" "$top"/tests/timing/ptx/spin_lock.json > "$work/lock.json"
expect 3 "$top/tests/within" 20 "$heddle" run "$work/lock.json" --machine small --quiet --set sm.diverge=largest --set gpu.perfect_memory=true
err_has 'lanes poll for other lanes of their warp, which sm.diverge = largest cannot run meanwhile'

# T1, T2: eight warps load two lines each, and there is one MSHR
kernel lines 256 0,0 << 'END'
shr.u32 %r2, %r0, 4;
mul.wide.u32 %rd1, %r2, 1024;
add.u64 %rd1, %rd0, %rd1;
ld.global.u32 %r3, [%rd1];
add.u32 %r3, %r3, 1;
st.global.u32 [%rd1], %r3;
END
replays() {
    play lines --set sm.hazard="$1" --set sm.l1.mshrs=1 --trace-replay "$work/replays"
    counter replays
}
at_once=$(replays replay)
first_replay=$(awk 'NR == 2 { print $1 }' "$work/replays")
grep -q ' div' "$work/replays" || { complain "replay issues nothing again for its second line"; head -3 "$work/replays"; }
late=$(replays patient)
! grep ' div' "$work/replays" || complain "patient issues again what it has served in part"
earliest=$(awk 'NR == 2 { print $1 }' "$work/replays")
[ "$earliest" -gt $((first_replay + 100)) ] || complain "patient issues again in cycle $earliest, replay in $first_replay"
[ "$late" -gt 0 ] && [ "$late" -lt "$at_once" ] || complain "replays: $at_once under replay, $late under patient"
same "$(replays retain)" 0 "replays of an instruction that never leaves"

# F1: a warp with eight loads that do not need each other
{
    for i in {0..7}; do echo "ld.global.u32 %r$((i + 8)), [%rd0+$((i * 1024))];"; done
    for i in {0..7}; do echo "add.u32 %r1, %r1, %r$((i + 8));"; done
    echo 'st.global.u32 [%rd0], %r1;'
} | kernel loads 32 0,0
most() {
    play loads --set sm.order="$1" --set sm.l1.mshrs=32
    echo $(($(counter mshr_peak) / 2))
}
same "$(most in_order) $(most few) $(most single)" "8 2 1" "loads of a warp under way in order, with few and with single"
finish
