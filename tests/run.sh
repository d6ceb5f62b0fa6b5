#!/bin/bash
# Runs the tests, one line per suite, and ends with "N passed, N failed"; exit 1 when something failed.
#
#   tests/run.sh [--all] [--list] [SUITE...]
#
# Without names: every suite that fits in ten minutes together. --all widens the sanitizer, valgrind and fuzz suites.
# Each suite is a function suite_NAME below that prints TAP lines ("ok NAME", "not ok NAME"); everything else it prints is shown
# when something failed. JOBS sets how many compilers run at a time, default one per processor.
set -u
cd "$(dirname "$0")/.." || exit 2
unset MAKEFLAGS MAKELEVEL MFLAGS

SUITES="build unit micro replay pressure isa apps workloads timing contract torture golden bad cli opencl noavx2 clang determinism san valgrind fuzz"
JOBS=${JOBS:-$(nproc)}
ALL=
LOGS=build/test-logs
export HEDDLE_DATA=$PWD/build/share/heddle
export CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# --- building blocks; each prints TAP

# build DIR "make arguments": one test, that the variant builds without a word of warning
build() {
    # shellcheck disable=SC2086
    if make -s -j"$JOBS" $2; then echo "ok build $1"; else echo "not ok build $1"; return 1; fi
}

# one "name" command...: one test that passes when the command exits 0
one() {
    local name=$1 out
    shift
    if out=$(timeout 300 "$@" 2>&1 </dev/null); then
        echo "ok $name"
    else
        echo "not ok $name (exit $?)"
        echo "$out" | tail -25 | sed 's/^/# /'
    fi
}

# unit_programs DIR [FOLDER [NAME]]: every cmocka program, or one; one that dies outside its tests is one failure more
unit_programs() {
    local dir=$1 program out rc
    for program in "$dir/${2:-tests}"/${3:-test_*}; do
        case $program in *.d) continue ;; esac
        [ -x "$program" ] || continue
        out=$(timeout 300 "$program" 2>&1 </dev/null)
        rc=$?
        echo "# $program"
        echo "$out"
        if [ $rc -ne 0 ] && ! grep -q '^not ok' <<<"$out"; then echo "not ok $program died (exit $rc)"; fi
        if [ $rc -eq 0 ] && ! grep -q '^ok' <<<"$out"; then echo "not ok $program ran no test"; fi
    done
}

# vectors DIR DATA [OPTION...]: `heddle vectors` ends with "N passed, N failed", each case being one test
vectors() {
    local dir=$1 data=$2 out passed failed
    shift 2
    out=$(timeout 540 "$dir"/heddle vectors "$data" "$@" 2>&1 </dev/null)
    read -r passed failed < <(tail -1 <<<"$out" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p')
    if [ -z "${passed:-}" ]; then
        echo "not ok heddle vectors gave no result"
        tail -25 <<<"$out" | sed 's/^/# /'
        return
    fi
    [ "$failed" -eq 0 ] || head -60 <<<"$out" | sed 's/^/# /'
    yes "ok vector" | head -"$passed"
    yes "not ok vector" | head -"$failed"
}

# all_vectors: the published set, and our own of further combinations and inputs
all_vectors() { # DIR [OPTION...]
    local dir=$1
    shift
    vectors "$dir" build/data/ptxvec_open "$@"
    vectors "$dir" build/data/ptxvec_more "$@"
}

# some_vectors DIR STEP: a directory with every STEP-th case
some_vectors() {
    local to=$1/data/vectors_$2
    mkdir -p "$to"
    ln -sfn "$PWD"/build/data/ptxvec_open/modules "$to"/modules
    ln -sf "$PWD"/build/data/ptxvec_open/*.bin "$to"/
    awk -v step="$2" 'NR == 1 || NR % step == 2 % step' build/data/ptxvec_open/index.tsv > "$to"/index.tsv
    echo "$to"
}

# app DIR NAME: one recorded application, to silicon's checksum
app() {
    one "app $2" "$1"/heddle run build/data/silicon_apps/manifest/"$2".json --functional --quiet
}

# --- the suites, in order

suite_build() { build build "all unit micro replay pressure data build/gen_docs build/view build/json_get build/bench_functional build/bench_timing build/bench_oclgrind build/study_turner"; }

suite_unit() { unit_programs build; }

# Turner's chapters 5 and 6: the worked example, exact behaviours, every policy with every tracker and predictor
suite_replay() {
    unit_programs build replay
    bash tests/replay/contract.sh build ${ALL:+--all}
}

# Mascar and its rivals, re-execution, energy: the document's examples, exact behaviours, every scheduler with every hazard policy and queue
suite_pressure() {
    unit_programs build pressure
    bash tests/pressure/contract.sh build ${ALL:+--all}
}

# Twice: as it runs, and cycle by cycle in windows of one with the invariants looked at
suite_micro() {
    unit_programs build micro
    MICRO_TICK=1 unit_programs build micro
}

# As written, and on a machine whose assembler moves loads
suite_isa() {
    all_vectors build
    all_vectors build --machine gtx480 --set ptx.schedule=loads --set gpu.perfect_memory=true
}

suite_apps() {
    local manifest
    for manifest in build/data/silicon_apps/manifest/*.json; do app build "$(basename "$manifest" .json)"; done
}

# Without timing at sizes tiny and small, with it at size tiny; with --all also timed at size small, and untimed at size paper
suite_workloads() {
    local name size
    for name in $(sed -n 's/^WORKLOAD( *\([a-z0-9_]*\).*/\1/p' workloads/workloads.def); do
        for size in tiny small ${ALL:+paper}; do
            one "workload $name $size" build/heddle run "$name" --size "$size" --functional --quiet
        done
        for size in tiny ${ALL:+small}; do
            one "workload $name $size, timed" build/heddle run "$name" --size "$size" --machine gtx480 --quiet
        done
    done
}

# Programs under timing: outputs and audit, and measuring control
suite_timing() {
    tests/timing/outputs.sh build ${ALL:+--all}
    tests/timing/control.sh build
}

suite_contract() { tests/timing/contract.sh build ${ALL:+--all}; }

# Machines of queues of one and machines at random, invariants checked on the way; with --all also the functional simulator with the shortest turns
suite_torture() {
    tests/timing/torture.sh build ${ALL:+--all}
    if [ -z "$ALL" ]; then tests/timing/random.sh build 60; return; fi
    tests/timing/random.sh build 600
    build build-torture "CFLAGS=-DHEDDLE_TORTURE B=build-torture build-torture/heddle unit" || return
    unit_programs build-torture
    local manifest
    for manifest in build/data/silicon_apps/manifest/*.json; do app build-torture "$(basename "$manifest" .json)"; done
}

# Every counter of the recorded runs; with --all every key is changed by a step and somebody must notice
suite_golden() {
    tests/golden/check.sh build
    if [ -n "$ALL" ]; then tests/golden/mutation.sh build; fi
}

suite_bad() { tests/bad/run.sh build/heddle; }

suite_cli() {
    local script
    for script in tests/cli/*.sh; do one "cli $(basename "$script" .sh)" bash "$script" build; done
}

# The OpenCL driver, through the loader: its functions, also under ASan; several threads under TSan, with --all everything; whole programs; clinfo
suite_opencl() {
    local script
    build build "build/heddle build/json_get opencl-tests" || return
    opencl_programs build
    for script in tests/opencl/*.sh; do one "opencl $(basename "$script" .sh)" bash "$script" build; done
    rm -f build-san/opencl/counts
    if build build-san "SAN=1 opencl-tests"; then
        OCL_COUNTS=$PWD/build-san/opencl/counts opencl_programs build-san
        one "opencl every function right and wrong" tests/opencl/covered build-san/opencl/counts
    fi
    local what=build-tsan/opencl/test_threads
    [ -z "$ALL" ] || what=opencl-tests
    build build-tsan "B=build-tsan NO_AVX2=1 CFLAGS=-fsanitize=thread LDFLAGS=-fsanitize=thread build-tsan/libheddle-opencl.so $what" || return
    if [ -n "$ALL" ]; then opencl_programs build-tsan; else opencl_programs build-tsan test_threads; fi
}
# A build's tests with the same build's driver: all of them, or those of one name
opencl_programs() {
    XDG_CACHE_HOME=$PWD/build/opencl-cache OCL_ICD_VENDORS=$PWD/$1/libheddle-opencl.so unit_programs "$1" opencl "${2:-}"
}

suite_noavx2() {
    build build-noavx2 "NO_AVX2=1 build-noavx2/heddle" || return
    all_vectors build-noavx2
    if [ -n "$ALL" ]; then HEDDLE_NO_AVX2=1 all_vectors build; fi
}

suite_clang() {
    build build-clang "CC=clang-19 build-clang/heddle unit micro" || return
    unit_programs build-clang
    unit_programs build-clang micro
    all_vectors build-clang
}

suite_determinism() {
    build build-clang "CC=clang-19 build-clang/heddle" || return
    tests/timing/determinism.sh build build-clang
}

# gcc's ASan and UBSan; with --all clang's too, and every application and workload
suite_san() {
    sanitized build-san "SAN=1"
    if [ -n "$ALL" ]; then sanitized build-clang-san "SAN=1 CC=clang-19"; fi
}
sanitized() {
    local name
    build "$1" "$2 $1/heddle unit micro" || return
    unit_programs "$1"
    unit_programs "$1" micro
    all_vectors "$1"
    tests/bad/run.sh "$1"/heddle
    local manifest
    if [ -n "$ALL" ]; then
        for manifest in build/data/silicon_apps/manifest/*.json; do app "$1" "$(basename "$manifest" .json)"; done
        for manifest in build/share/heddle/workloads/*; do one "workload $(basename "$manifest")" "$1"/heddle run "$(basename "$manifest")" --size tiny --functional --quiet; done
    else
        for name in reduce_shfl lud bfs nw sgemm_reg; do app "$1" $name; done
    fi
}

# Results do not count here: valgrind computes some roundings in its own way. Errors of memory do.
memcheck() {
    local name=$1 out
    shift
    out=$(timeout 540 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect "$@" 2>&1 </dev/null)
    case $? in
    99 | 124) echo "not ok memcheck $name"; grep '^==' <<<"$out" | head -40 | sed 's/^/# /' ;;
    *) echo "ok memcheck $name" ;;
    esac
}
suite_valgrind() {
    if ! command -v valgrind >/dev/null; then echo "# valgrind is not installed: nothing run"; return; fi
    local step=10 program
    [ -z "$ALL" ] || step=1
    memcheck "vectors, one in $step" build/heddle vectors "$(some_vectors build $step)"
    memcheck "check lud" build/heddle check build/data/silicon_apps/ptx/lud.ptx --disasm
    memcheck "run vecadd" build/heddle run vecadd --size tiny --functional
    memcheck "run nqueens" build/heddle run nqueens --size tiny --functional --json /dev/null
    memcheck "bad program" build/heddle check tests/bad/missing_semicolon.ptx
    [ -n "$ALL" ] || return
    for program in build/tests/test_*; do
        [ -x "$program" ] && memcheck "$(basename "$program")" "$program"
    done
}

suite_fuzz() {
    local total=30
    [ -z "$ALL" ] || total=180
    FUZZ_SECONDS=$total tests/fuzz/run.sh
}

# --- the runner

now() { date +%s.%N; }
seconds() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", b - a }'; }

wanted=
for arg; do
    case $arg in
    --all) ALL=1 ;;
    --list) echo "$SUITES" | tr ' ' '\n'; exit 0 ;;
    -*) echo "tests/run.sh: unknown option $arg (--all, --list or names of suites)" >&2; exit 2 ;;
    *)
        case " $SUITES " in
        *" $arg "*) wanted="$wanted $arg" ;;
        *) echo "tests/run.sh: no suite '$arg'; there are: $SUITES" >&2; exit 2 ;;
        esac ;;
    esac
done
[ -n "$wanted" ] || wanted=$SUITES
case " $wanted " in *" build "*) ;; *) wanted="build $wanted" ;; esac # what is tested is what lies there, not what was built last
mkdir -p "$LOGS"

passed=0 failed=0 begin=$(now)
for suite in $wanted; do
    t0=$(now)
    suite_"$suite" > "$LOGS/$suite" 2>&1
    p=$(grep -c '^ok' "$LOGS/$suite")
    f=$(grep -c '^not ok' "$LOGS/$suite")
    [ "$f" -eq 0 ] || grep -vE '^(ok|not ok vector$|1\.\.|# ok - tests|# build[a-z0-9-]*\/tests|  (cc|cl|ar|link|data) )' "$LOGS/$suite" | head -200
    printf '%-10s %6d passed %4d failed %8s s\n' "$suite" "$p" "$f" "$(seconds "$t0" "$(now)")"
    passed=$((passed + p)) failed=$((failed + f))
    # without the command nothing else can run
    if [ "$suite" = build ] && [ "$f" -ne 0 ]; then break; fi
done
echo "in $(seconds "$begin" "$(now)") s; logs in $LOGS/"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
