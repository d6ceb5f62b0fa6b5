#!/bin/bash
# Signals at random moments, to run, compare and exec: every file is absent, whole or marked; nobody and
# nothing is left
. "$(dirname "$0")"/common
rounds=70
[ "${2:-}" != --all ] || rounds=400
RANDOM=${SEED:-$$}
echo "# SEED=$RANDOM"
signals=(INT TERM HUP KILL)
codes=(130 143 129 137)

# strike NAME command...: the command in a folder of its own, ended at some moment in its first half second
strike() {
    local name=$1 which=$((RANDOM % 4)) pid code file
    shift
    rm -rf "${work:?}/$name"; mkdir -p "$work/$name"; cd "$work/$name" || exit 1
    "$@" > out.txt 2> err.txt < /dev/null & pid=$!
    sleep "0.$(printf %03d $((RANDOM % 400)))"
    kill -"${signals[which]}" $pid 2> /dev/null
    wait $pid 2> /dev/null
    code=$?
    case $code in
    0 | "${codes[which]}") ;;
    *) complain "$name: exit $code after ${signals[which]}"; head -5 err.txt ;;
    esac
    for file in *; do
        case $file in
        *.incomplete) case ${signals[which]}$name in KILL* | *exec) ;; *) complain "$name: $file after ${signals[which]}" ;; esac ;;
        *.txt) ;;
        *) whole "$file" ;;
        esac
    done
    cd "$work" || exit 1
}
files="--json r.json --csv r.csv --samples s.csv --konata k.kanata --perfetto p.json --trace-cycles 0..3000"
several() { # NAME command...
    local i
    for i in $(seq $rounds); do strike "$@"; done
    exit $((failures > 0))
}
if patient; then
    # the compiler's result is there before the first blow, but for every tenth
    "$heddle" exec --quiet --machine small -- "$work/patient" 1 > /dev/null || complain "patient does not run"
    # shellcheck disable=SC2086
    several exec "$heddle" exec --machine small --json r.json --csv r.csv --konata k.kanata --trace-cycles 0..3000 -- "$work/patient" 100 > "$work/log.exec" 2>&1 & exec_job=$!
else
    echo "# no OpenCL: heddle exec is not tried"
    exec_job=
fi
# shellcheck disable=SC2086
several run "$heddle" run hotspot --size small --machine small $files > "$work/log.run" 2>&1 & run_job=$!
several compare "$heddle" compare hotspot vecadd --size tiny --machine small --vary sm.warps=8,12,16 --vary sm.l1.mshrs=4,8,16,32 --json r.json --csv r.csv > "$work/log.compare" 2>&1 & compare_job=$!
for job in $run_job $compare_job $exec_job; do wait "$job" || failures=$((failures + 1)); done
cat "$work"/log.*
nothing_left "$work/patient"

# what is known is written, by SIGTERM and SIGHUP as by Ctrl-C
sed -n '/^\.version/,$p' "$top/tests/bad/endless_loop.ptx" > "$work/loop.ptx"
sed -n 's,^// manifest: \{0\,1\},,p' "$top/tests/bad/endless_loop.ptx" > "$work/loop.json"
ended() { # SIGNAL CODE command...
    local sig=$1 want=$2 pid
    shift 2
    "$@" > "$work/out" 2> "$work/err" & pid=$!
    worked $pid 40
    kill -"$sig" $pid
    wait $pid
    same $? "$want" "exit code after $sig"
}
for pair in INT:130:interrupted TERM:143:'ended by SIGTERM' HUP:129:'ended by SIGHUP'; do
    IFS=: read -r sig code text <<< "$pair"
    rm -f "$work"/*.kanata "$work/r.json" "$work/t"
    ended "$sig" "$code" "$heddle" run "$work/loop.ptx" --manifest "$work/loop.json" --machine small --json "$work/r.json" --konata "$work/k.kanata" --trace-cycles 0..500
    out_has 'stopped before the end'
    same "$(json "$work/r.json" error)" "$text" error
    [ -e "$work/k.kanata" ] || complain "no trace after $sig"
    whole "$work/k.kanata"
    ended "$sig" "$code" "$heddle" run "$work/loop.ptx" --manifest "$work/loop.json" --functional --trace-exec="$work/t" --max-instructions 100000000000 --trace-cta 7
    tail -1 "$work/t" | grep -q '^# incomplete' || complain "the trace of execution is not marked after $sig"
done

# heddle exec: signals to it alone reach the program; killed, it takes the program and the program's children
# with it
if [ -n "$exec_job" ]; then
    for sig in INT TERM HUP KILL; do
        "$heddle" exec --quiet --machine small -- "$work/patient" 100000000 child > /dev/null 2>&1 & pid=$!
        sleep 0.6
        kill -$sig $pid
        wait $pid 2> /dev/null
        nothing_left "$work/patient"
    done
fi
finish
